/* C = A B with A as a dense matrix, by cuBLAS: what a program does that takes no notice of zeros.
 * The zeros are multiplied, so that NaN and infinity of B reach every row of C.  A has the place
 * of each row whatever the schedule: orders change nothing but the time to prepare.
 *
 * The library is opened at run time, as that of the driver is: no build needs it.  A state has a
 * workspace of its own, for two graphs may hold runs of two states.  With that NVIDIA promises
 * equal bits of one version on one GPU. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "device/cuda/cuda.h"
#include "device/cuda/data_type.h"
#include "device/cuda/scale.h"
#include "format/places.h"
#include "kernels/prepared.h"
#include "kernels/vendor/scatter.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- library */

/* Of the interface of cuBLAS (NVIDIA, cuBLAS library reference), what is used here. */
enum { BLAS_OK = 0, BLAS_ALLOC_FAILED = 3, BLAS_EXECUTION_FAILED = 13 };
enum { BLAS_PLAIN = 0, BLAS_TURNED = 1, BLAS_COMPUTE_32F = 68, BLAS_COMPUTE_64F = 70 };
enum { BLAS_ANY = -1 };
/* Parts of a sum are added up in the type of sums: values of 16 bits are rounded once. */
enum { BLAS_WHOLE_SUMS = 16 };

typedef int blas_create_fn(void **handle);
typedef int blas_destroy_fn(void *handle);
typedef int blas_stream_fn(void *handle, cudaStream_t stream);
typedef int blas_mode_fn(void *handle, int mode);
typedef int blas_workspace_fn(void *handle, void *workspace, size_t bytes);
typedef int blas_gemm_fn(void *handle, int of_a, int of_b, int64_t m, int64_t n, int64_t k,
    const void *alpha, const void *a, cudaDataType a_type, int64_t lda, const void *b,
    cudaDataType b_type, int64_t ldb, const void *beta, void *c, cudaDataType c_type, int64_t ldc,
    int compute, int algorithm);

/* What an executor keeps of it. */
typedef struct blas {
    void *handle;
    blas_create_fn *create;
    blas_destroy_fn *destroy;
    blas_stream_fn *set_stream;
    blas_mode_fn *set_mode;
    blas_workspace_fn *set_workspace;
    blas_gemm_fn *gemm;
} blas_t;

static rc_status_t check(int status, const char *what, rc_err_t *err)
{
    if (status == BLAS_OK)
        return RC_OK;
    (void)cudaGetLastError(); /* or the next check of a launch would report this error again */
    /* others say that it does not work here, as where it does not fit the driver */
    const rc_status_t st = status == BLAS_ALLOC_FAILED       ? RC_ENOMEM
                           : status == BLAS_EXECUTION_FAILED ? RC_EDEVICE
                                                             : RC_ENOTSUP;
    return rc_fail(err, st, "cuBLAS: %s: status %d", what, status);
}

/* Stores the address of a function in the pointer at `fn`. */
static int find(void *library, const char *name, void *fn)
{
    void *address = dlsym(library, name);
    memcpy(fn, &address, sizeof address); /* C has no cast from an object to a function pointer */
    return address != NULL;
}

/* Of the CUDA of this build first.  It stays open: libraries of CUDA are not made to be closed. */
static void *open_library(void)
{
    static const char *const folder[] = {"", "/usr/local/cuda/lib64/"};
    static const int version[] = {CUDART_VERSION / 1000, 13, 12};
    void *library = NULL;
    for (size_t f = 0; f < sizeof folder / sizeof folder[0]; f++)
        for (size_t v = 0; v < sizeof version / sizeof version[0] && !library; v++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%slibcublas.so.%d", folder[f], version[v]);
            library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        }
    return library;
}

static rc_status_t find_blas(blas_t *out, rc_err_t *err)
{
    void *library = open_library();
    if (!library)
        return rc_fail(err, RC_ENOTSUP, "there is no cuBLAS");
    return find(library, "cublasCreate_v2", &out->create) &&
                   find(library, "cublasDestroy_v2", &out->destroy) &&
                   find(library, "cublasSetStream_v2", &out->set_stream) &&
                   find(library, "cublasSetMathMode", &out->set_mode) &&
                   find(library, "cublasSetWorkspace_v2", &out->set_workspace) &&
                   find(library, "cublasGemmEx_64", &out->gemm)
               ? RC_OK
               : rc_fail(err, RC_ENOTSUP, "cuBLAS lacks a function: CUDA 12 or newer has them");
}

static void destroy_blas(void *of)
{
    blas_t *b = of;
    if (b->handle)
        (void)b->destroy(b->handle);
    free(b);
}

static rc_status_t use_stream(void *of, cudaStream_t stream, rc_err_t *err)
{
    const blas_t *b = of;
    return check(b->set_stream(b->handle, stream), "its stream", err);
}

/* That of an executor, which closes it: making a handle takes milliseconds.  Its GPU is the current
 * one. */
static rc_status_t blas_of(rc_executor_t *x, blas_t **out, rc_err_t *err)
{
    rc_cuda_library_t *library = rc_cuda_library(x, RC_CUDA_CUBLAS);
    blas_t *b = library->handle;
    rc_status_t st = RC_OK;
    if (!b) {
        b = rc_alloc0(1, sizeof *b, "cuBLAS", err);
        RC_PASS(b ? RC_OK : RC_ENOMEM);
        RC_TRY(find_blas(b, err));
        RC_TRY(check(b->create(&b->handle), "its handle", err));
        RC_TRY(use_stream(b, rc_cuda_stream(x), err));
        RC_TRY(check(b->set_mode(b->handle, BLAS_WHOLE_SUMS), "its mode", err));
        *library = (rc_cuda_library_t){.handle = b, .destroy = destroy_blas, .use = use_stream};
    }
    *out = b;
done:
    if (st < 0)
        destroy_blas(b);
    return st;
}

/* ------------------------------------------------------------------ kernel */

enum { PARAM_FILL };

/* Which NVIDIA advises for compute capability 9. */
enum { WORKSPACE_BYTES = 32 << 20 };

typedef struct dense {
    rc_prepared_t base;
    void *a; /* [c_rows * cols] by rows; NULL: A has no entries */
    /* from here on of each state */
    blas_t *blas; /* of the executor */
    void *workspace;
} dense_t;

static int64_t matrix_bytes(const rc_problem_t *p)
{
    return rc_sat_mul(rc_sat_mul(p->c_rows, p->a->cols), (int64_t)rc_precision_bytes(p->precision));
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    RC_PASS(rc_cuda_slots_analyse(p, out, err));
    const int64_t csr = out->bytes;
    const int64_t bytes = p->a->nnz > 0 ? matrix_bytes(p) : 0;
    if (bytes > rc_sat_mul(csr, p->param[PARAM_FILL]))
        return rc_fail(err, RC_ENOTSUP,
            "shape: a dense matrix takes more than fill = %" PRId64 " times the %s of CSR: %s",
            p->param[PARAM_FILL], rc_text_bytes((double)csr).text,
            rc_text_bytes((double)bytes).text);
    out->bytes = out->traffic = bytes;
    if (p->a->nnz > 0) {
        out->bytes = rc_sat_add(bytes, WORKSPACE_BYTES);
        out->fill = (double)p->c_rows * (double)p->a->cols / (double)p->a->nnz;
    }
    return RC_OK;
}

/* Where the dense matrix has which entry, from the numbers that its CSR has.  They may take twice
 * what the matrix takes: where memory is short there are none, and new values are prepared. */
static rc_status_t leave_places(const dense_t *s, const rc_problem_t *p,
    const rc_cuda_slots_t *slots, const rc_places_t *entry, rc_err_t *err)
{
    rc_executor_t *x = s->base.memory.x;
    rc_places_t out = {.x = x, .bytes = entry->bytes, .count = s->base.stored};
    rc_err_t why = {0};
    const size_t bytes = (size_t)out.count * (size_t)out.bytes;
    rc_status_t st = x->alloc(x, bytes, &out.at, &why);
    if (st == RC_OK)
        st = x->fill(x, out.at, 0, bytes, &why);
    if (st == RC_OK)
        st = rc_cuda_spread(x, slots, entry->at, entry->bytes, out.at, &why);
    if (st < 0) {
        rc_places_free(&out);
        return st == RC_ENOMEM ? RC_OK : rc_fail(err, st, "%s", why.text);
    }
    rc_places_free(p->places);
    *p->places = out;
    return RC_OK;
}

/* The entries are in a CSR that goes once they are at their places. */
static rc_status_t spread(dense_t *s, const rc_problem_t *p, rc_err_t *err)
{
    rc_memory_t *m = &s->base.memory;
    const int value = (int)rc_precision_bytes(p->precision);
    rc_memory_t csr = {.x = m->x};
    rc_cuda_slots_t slots = {0};
    rc_places_t entry = {0};
    rc_problem_t asked = *p;
    asked.places = p->places ? &entry : NULL;
    rc_status_t st = rc_cuda_slots_build(&csr, &asked, &slots, err);
    if (st == RC_OK)
        st = rc_memory_keep(m, NULL, (size_t)matrix_bytes(p), &s->a, err);
    if (st == RC_OK)
        st = rc_cuda_spread(m->x, &slots, slots.val, value, s->a, err);
    s->base.val = s->a;
    s->base.stored = p->c_rows * p->a->cols;
    if (st == RC_OK && p->places)
        st = leave_places(s, p, &slots, &entry, err);
    rc_places_free(&entry);
    (void)rc_memory_free(&csr);
    return st;
}

/* Without the library nothing is made. */
static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    dense_t *s = state;
    blas_t *blas = NULL;
    if (p->a->nnz == 0)
        return RC_OK;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = blas_of(s->base.memory.x, &blas, err);
    if (st == RC_OK)
        st = spread(s, p, err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    dense_t *s = state;
    rc_memory_t *m = &s->base.memory;
    if (!s->a)
        return RC_OK;
    int before = rc_cuda_enter(m->x);
    rc_status_t st = blas_of(m->x, &s->blas, err);
    if (st == RC_OK)
        st = rc_memory_room(m, WORKSPACE_BYTES, &s->workspace, err);
    rc_cuda_leave(m->x, before);
    return st;
}

/* Room for a number of the widest type. */
typedef struct scalar {
    double part[2];
} scalar_t;

static scalar_t scalar_of(const rc_type_t *sum, double re, double im)
{
    const double value[] = {re, im};
    scalar_t out = {{0}};
    for (int i = 0; i < sum->parts; i++)
        rc_type(sum->part)->store(out.part, i, value[i]);
    return out;
}

/* A matrix as cuBLAS, which stores by columns, is to read it. */
typedef struct factor {
    const void *data;
    int64_t ld;
    int by_rows;
} factor_t;

/* C = A B, or, where C is stored by rows, C' = B' A': rows are the columns of a transpose. */
static int multiply(
    const dense_t *s, const rc_operands_t *o, const scalar_t *alpha, const scalar_t *beta)
{
    static const int compute[RC_TYPES] = {
        [RC_FP32] = BLAS_COMPUTE_32F, [RC_FP64] = BLAS_COMPUTE_64F};
    const rc_dense_t *b = &o->in[0];
    const rc_dense_t *c = &o->out;
    const factor_t of_a = {s->a, b->rows, 1};
    const factor_t of_b = {b->data, b->ld, b->layout == RC_ROW_MAJOR};
    const int turns = c->layout == RC_ROW_MAJOR;
    const factor_t *left = turns ? &of_b : &of_a;
    const factor_t *right = turns ? &of_a : &of_b;
    const cudaDataType type = rc_cuda_data_type(b->precision);
    const rc_type_t *sum = rc_type(rc_type(b->precision)->sum);
    return s->blas->gemm(s->blas->handle, left->by_rows == turns ? BLAS_PLAIN : BLAS_TURNED,
        right->by_rows == turns ? BLAS_PLAIN : BLAS_TURNED, turns ? c->cols : c->rows,
        turns ? c->rows : c->cols, b->rows, alpha, left->data, type, left->ld, right->data, type,
        right->ld, beta, c->data, rc_cuda_data_type(c->precision), c->ld, compute[sum->part],
        BLAS_ANY);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const dense_t *s = state;
    const rc_executor_t *x = s->base.memory.x;
    const double old[2] = {beta, o->beta_im};
    const rc_type_t *sum = rc_type(rc_type(s->base.p.precision)->sum);
    const scalar_t by = scalar_of(sum, alpha, o->alpha_im);
    const scalar_t kept = scalar_of(sum, beta, o->beta_im);
    rc_status_t st;
    int before = rc_cuda_enter(x);
    if (!s->a) {
        st = rc_cuda_scale(x, &o->out, NULL, o->out.rows, old, err);
    } else {
        st = check(s->blas->set_workspace(s->blas->handle, s->workspace, WORKSPACE_BYTES),
            "its workspace", err);
        if (st == RC_OK)
            st = check(multiply(s, o, &by, &kept), "cublasGemmEx", err);
    }
    rc_cuda_leave(x, before);
    return st;
}

#define MEMBERS                                                                                    \
    .source = "NVIDIA cuBLAS documentation, cublasGemmEx", .version = 1, .device = RC_DEVICE_CUDA, \
    .op = RC_OP_SPMM, .c_orders = RC_STORES_ANY, .types = RC_TYPES_ANY, .computes = 1,             \
    .builds = RC_BUILDS_ALONE, .any_k = 1, .out_sums = 1, .deterministic = rc_kernel_always,       \
    .param = {{"fill", "bytes of a dense matrix over bytes of CSR, at most", 64, 1, 1024, 1}},     \
    .analyse = analyse, .geometry = rc_cuda_geometry, .state_bytes = RC_STATE(dense_t),            \
    .shares = offsetof(dense_t, blas), .build = build, .own = own, .run = run

const rc_kernel_t rc_kernel_cublas_dense = {
    .name = "cublas-dense",
    .summary = "cuBLAS, A as a dense matrix, row-major B and C",
    .layout = RC_ROW_MAJOR,
    MEMBERS,
};

const rc_kernel_t rc_kernel_cublas_dense_col = {
    .name = "cublas-dense-col",
    .summary = "cuBLAS, A as a dense matrix, column-major B and C",
    .layout = RC_COL_MAJOR,
    MEMBERS,
};
