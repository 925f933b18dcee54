#include "config.h"
#include "plans_dense.h"

#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/data_type.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the interface of cuBLAS (NVIDIA, cuBLAS library reference), what is used here: success is 0.  It is opened at run
 * time, as the library of the driver is: no build needs it. */
enum { BLAS_OK = 0, BLAS_PLAIN = 0, BLAS_COMPUTE_32F = 68, BLAS_COMPUTE_64F = 70, BLAS_ANY = -1 };
/* Parts of a sum are added up in the type of sums, as in plans: values of 16 bits are rounded once, at the end. */
enum { BLAS_WHOLE_SUMS = 16 };

typedef int blas_create_fn(void **handle);
typedef int blas_destroy_fn(void *handle);
typedef int blas_stream_fn(void *handle, struct CUstream_st *stream);
typedef int blas_mode_fn(void *handle, int mode);
typedef int blas_gemm_fn(void *handle, int of_a, int of_b, int m, int n, int k, const void *alpha, const void *a,
    cudaDataType a_type, int lda, const void *b, cudaDataType b_type, int ldb, const void *beta, void *c,
    cudaDataType c_type, int ldc, int compute, int algorithm);

typedef struct blas {
    blas_create_fn *create;
    blas_destroy_fn *destroy;
    blas_stream_fn *set_stream;
    blas_mode_fn *set_mode;
    blas_gemm_fn *gemm;
} blas_t;

struct bench_dense {
    bench_subject_t *s;
    blas_t blas;
    void *handle;
    void *a; /* [rows * cols] by rows, on the GPU */
};

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
    for (size_t f = 0; f < sizeof folder / sizeof folder[0]; f++) {
        for (size_t v = 0; v < sizeof version / sizeof version[0] && !library; v++) {
            char name[64];
            snprintf(name, sizeof name, "%slibcublas.so.%d", folder[f], version[v]);
            library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        }
    }
    return library;
}

static rc_status_t find_blas(blas_t *out, rc_err_t *err)
{
    void *library = open_library();
    if (!library)
        return rc_fail(err, RC_ENOTSUP, "there is no cuBLAS");
    return find(library, "cublasCreate_v2", &out->create) && find(library, "cublasDestroy_v2", &out->destroy) &&
                   find(library, "cublasSetStream_v2", &out->set_stream) &&
                   find(library, "cublasSetMathMode", &out->set_mode) && find(library, "cublasGemmEx", &out->gemm)
               ? RC_OK
               : rc_fail(err, RC_ENOTSUP, "cuBLAS lacks a function");
}

rc_status_t bench_dense_is_there(rc_err_t *err)
{
    blas_t blas;
    return find_blas(&blas, err);
}

/* Made on the host: it is done once, and no part of a time. */
static rc_status_t put_dense(bench_dense_t *d, rc_err_t *err)
{
    const rc_type_t *type = rc_type(d->s->precision);
    const rc_csr_t *a = d->s->a;
    const size_t n = (size_t)a->rows * (size_t)a->cols;
    const size_t bytes = (size_t)type->bytes;
    rc_executor_t *x = &d->s->d->executor;
    void *values = rc_alloc0(n, bytes, "a dense matrix", err);
    rc_status_t st = values ? RC_OK : RC_ENOMEM;
    for (int64_t row = 0; row < a->rows && st == RC_OK; row++)
        for (int64_t e = a->row_ptr[row]; e < a->row_ptr[row + 1]; e++)
            type->store(values, row * a->cols + a->col_idx[e], a->val[e]);
    if (st == RC_OK)
        st = x->alloc(x, n * bytes + 1, &d->a, err);
    if (st == RC_OK)
        st = x->upload(x, d->a, values, n * bytes, err);
    free(values);
    return st;
}

rc_status_t bench_dense_open(bench_subject_t *s, bench_dense_t **out, rc_err_t *err)
{
    bench_dense_t *d = rc_alloc0(1, sizeof *d, "a dense product", err);
    rc_status_t st = d ? find_blas(&d->blas, err) : RC_ENOMEM;
    if (st == RC_OK) {
        d->s = s;
        if (d->blas.create(&d->handle) != BLAS_OK || d->blas.set_stream(d->handle, s->stream) != BLAS_OK ||
            d->blas.set_mode(d->handle, BLAS_WHOLE_SUMS) != BLAS_OK)
            st = rc_fail(err, RC_EDEVICE, "cuBLAS does not start");
    }
    if (st == RC_OK)
        st = put_dense(d, err);
    if (st < 0)
        bench_dense_close(d);
    else
        *out = d;
    return st;
}

void bench_dense_close(bench_dense_t *d)
{
    if (!d)
        return;
    if (d->handle)
        (void)d->blas.destroy(d->handle);
    if (d->s)
        d->s->d->executor.release(&d->s->d->executor, d->a);
    free(d);
}

typedef struct dense_run {
    const bench_dense_t *d;
    const bench_multiply_t *of;
} dense_run_t;

/* Rows are its columns: it is asked for C' = B' A'. */
static rc_status_t run_dense(void *state, rc_err_t *err)
{
    static const int compute[RC_TYPES] = {[RC_FP32] = BLAS_COMPUTE_32F, [RC_FP64] = BLAS_COMPUTE_64F};
    const dense_run_t *r = state;
    const rc_dense_t *b = &r->of->b;
    const rc_dense_t *c = &r->of->c;
    const rc_type_t *sum = rc_type(rc_type(c->precision)->sum);
    const cudaDataType type = rc_cuda_data_type(c->precision);
    const double zero[2] = {0}; /* room for the widest type */
    double one[2] = {0};
    sum->store(one, 0, 1);
    int st = r->d->blas.gemm(r->d->handle, BLAS_PLAIN, BLAS_PLAIN, (int)c->cols, (int)c->rows, (int)b->rows, one,
        b->data, type, (int)b->ld, r->d->a, type, (int)b->rows, zero, c->data, type, (int)c->ld, compute[sum->part],
        BLAS_ANY);
    return st == BLAS_OK ? RC_OK : rc_fail(err, RC_EDEVICE, "cublasGemmEx of %s: status %d", r->d->s->name, st);
}

rc_status_t bench_dense_us(bench_dense_t *d, int64_t k, double *us, rc_err_t *err)
{
    dense_run_t r = {d, NULL};
    bench_multiply_t m = bench_multiply_of(d->s, k, RC_ROW_MAJOR, run_dense, &r);
    r.of = &m;
    return bench_multiply_us(d->s, &m, 0, us, err);
}
