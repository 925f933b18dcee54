/* C = A' B on a copy of A' that prepare makes: what a user pays who keeps both.  The product is
 * that of a kernel for C = A B, with its parameters; the copy is made on the host, in the time
 * to prepare. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/cuda/slots.h"
#include "format/places.h"
#include "kernels/prepared.h"
#include "kernels/vendor/cusparse.h"
#include "sparse/csr.h"

#include <stdlib.h>

extern const rc_kernel_t rc_kernel_growmajor;
extern const rc_kernel_t rc_kernel_cusparse_csr_col;
extern const rc_kernel_t rc_kernel_cusparse_csr_row;

typedef struct copy {
    rc_prepared_t base;
    rc_csr_t a;          /* the transpose; borrowed by the inner state */
    void *val;           /* its values while it is prepared; NULL: they are in `a` */
    rc_schedule_t order; /* its rows as they are */
    void *state;         /* of the inner kernel */
} copy_t;

/* The kernel that multiplies. */
static const rc_kernel_t *inner_of(const rc_problem_t *p)
{
    return p->kernel->kind;
}

static rc_problem_t problem_of(const rc_problem_t *p, const rc_csr_t *a, const rc_schedule_t *order)
{
    rc_problem_t q = *p;
    q.a = a;
    q.schedule = order;
    q.resident = NULL;
    q.val = NULL; /* of a look at the shape */
    q.identity = 1;
    q.c_rows = a->rows;
    return q;
}

/* The inner kernel looks at the shape of the transpose alone. */
static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csr_t shape = {.rows = p->a->cols, .cols = p->a->rows, .nnz = p->a->nnz};
    const rc_schedule_t order = {.slots = shape.rows, .rows = shape.rows};
    const rc_problem_t q = problem_of(p, &shape, &order);
    RC_PASS(rc_cuda_identity_only(p, "a product with a copy of the transpose", err));
    return rc_kernel_analyse(inner_of(p), &q, out, err);
}

static void release(void *state)
{
    copy_t *s = state;
    rc_kernel_release(inner_of(&s->base.p), s->state);
    rc_csr_free(&s->a);
    rc_schedule_free(&s->order);
}

static rc_status_t in_order(int64_t rows, rc_schedule_t *out, rc_err_t *err)
{
    *out = (rc_schedule_t){.slots = rows, .rows = rows};
    RC_PASS(RC_NEW(out->row, rows, "rows of a transpose", err));
    for (int64_t r = 0; r < rows; r++)
        out->row[r] = (int32_t)r;
    return RC_OK;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    copy_t *s = state;
    rc_status_t st;
    RC_TRY(rc_places_transpose(p, &s->a, &s->val, err));
    RC_TRY(in_order(s->a.rows, &s->order, err));
    rc_problem_t q = problem_of(p, &s->a, &s->order);
    q.val = s->val;
    RC_TRY(rc_kernel_prepare(inner_of(p), s->base.memory.x, &q, analysis, &s->state, err));
done:
    free(s->val);
    s->val = NULL;
    return st;
}

static rc_status_t preprocess(void *state, const rc_operands_t *o, rc_err_t *err)
{
    copy_t *s = state;
    return inner_of(&s->base.p)->preprocess(s->state, o, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    copy_t *s = state;
    return rc_kernel_run(inner_of(&s->base.p), s->state, o, alpha, beta, err);
}

/* What all descriptors say. */
#define SHARED                                                                                     \
    .version = 1, .device = RC_DEVICE_CUDA, .op = RC_OP_SPMM_T, .types = RC_TYPES_ANY,             \
    .out_sums = 1, .c_orders = RC_STORES_ORIGINAL, .computes = 1, .geometry = rc_cuda_geometry,    \
    .analyse = analyse, .state_bytes = RC_STATE(copy_t), .build = build, .run = run,               \
    .release = release

/* A product with a copy by the kernel of that name. */
#define KERNEL(id, inner, ...)                                                                     \
    const rc_kernel_t rc_kernel_##id = {.kind = &rc_kernel_##inner, SHARED, __VA_ARGS__}

KERNEL(growmajor_spmm_t, growmajor, .name = "growmajor-spmm_t",
    .summary = "C = A' B: growmajor on a copy of A'", .source = "rowcast", .layout = RC_ROW_MAJOR,
    .any_k = 1, .deterministic = rc_kernel_always, .strict = rc_kernel_always,
    .param = {{"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0, 4, 1},
        {"strip",
            "vectors of 16 bytes of a row of B that CTAs take at a time, one per lane; "
            "0: automatic",
            0, 0, 32, 1}});

/* The parameters are those of the inner kernels, number by number. */
#define CSR                                                                                        \
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMM", .preprocess = preprocess,             \
    .param = {{RC_CUSPARSE_CSR_ALG}, {RC_CUSPARSE_SPMM_PRE}, {RC_CUSPARSE_INDEX}}

KERNEL(cusparse_copy_t_csr_col, cusparse_csr_col, .name = "cusparse-spmm_t-copy-col",
    .summary = "cuSPARSE SpMM of a copy of A' in CSR, column-major B and C", .layout = RC_COL_MAJOR,
    CSR);
KERNEL(cusparse_copy_t_csr_row, cusparse_csr_row, .name = "cusparse-spmm_t-copy-row",
    .summary = "cuSPARSE SpMM of a copy of A' in CSR, row-major B and C", .layout = RC_ROW_MAJOR,
    CSR);
