/* The iterated product of Hong et al. 2018 with cuSPARSE, where C is the next B: with opB = T a row-major B gives a
 * column-major C, which a dense transpose makes row-major again. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/slots.h"
#include "kernels/cuda/turn.h"

#include <stdlib.h>

extern const rc_kernel_t rc_kernel_cusparse_csr_bt_col;
extern const rc_kernel_t rc_kernel_cusparse_csr_bt_turned;

typedef struct bt_turned {
    rc_cuda_memory_t memory;
    void *columns; /* C, column-major */
    void *product; /* state of cusparse-csr-bt-ccol */
} bt_turned_t;

static int64_t column_bytes(const rc_problem_t *p)
{
    return rc_sat_mul(p->c_rows, (int64_t)rc_precision_bytes(p->precision));
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_kernel_cusparse_csr_bt_col.analyse(p, out, err);
    if (st == RC_OK)
        out->bytes_per_column = rc_sat_add(out->bytes_per_column, column_bytes(p));
    return st;
}

static void release(void *state)
{
    bt_turned_t *s = state;
    if (!s)
        return;
    rc_kernel_cusparse_csr_bt_col.release(s->product);
    rc_cuda_memory_free(&s->memory);
    free(s);
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    const bt_turned_t *from = of;
    rc_status_t st;
    bt_turned_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->memory.x = x;
    int64_t bytes = rc_sat_mul(column_bytes(p), p->k);
    RC_TRY(rc_cuda_room(&s->memory, bytes > 0 ? (size_t)bytes : 1, &s->columns, err));
    st = from ? rc_kernel_cusparse_csr_bt_col.share(x, p, analysis, from->product, &s->product, err)
              : rc_kernel_cusparse_csr_bt_col.prepare(x, p, analysis, &s->product, err);
done:
    if (st < 0)
        release(s);
    else
        *state = s;
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

/* The operands of the product, whose output is ours. */
static rc_operands_t by_columns(const bt_turned_t *s, const rc_operands_t *o)
{
    rc_operands_t columns = *o;
    columns.out.data = s->columns;
    columns.out.ld = o->out.rows > 0 ? o->out.rows : 1;
    columns.out.layout = RC_COL_MAJOR;
    return columns;
}

static rc_status_t preprocess(void *state, const rc_operands_t *o, rc_err_t *err)
{
    const bt_turned_t *s = state;
    const rc_operands_t columns = by_columns(s, o);
    return rc_kernel_cusparse_csr_bt_col.preprocess(s->product, &columns, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const bt_turned_t *s = state;
    const rc_operands_t columns = by_columns(s, o);
    rc_status_t st = rc_kernel_cusparse_csr_bt_col.run(s->product, &columns, alpha, 0, err);
    if (st < 0)
        return st;
    int before = rc_cuda_enter(s->memory.x);
    st = rc_cuda_turn(s->memory.x, &columns.out, &o->out, beta, err);
    rc_cuda_leave(s->memory.x, before);
    return st;
}

static int64_t values(void *state, void **array)
{
    const bt_turned_t *s = state;
    return rc_kernel_cusparse_csr_bt_col.values(s->product, array);
}

static int deterministic(const int64_t *param)
{
    return rc_kernel_cusparse_csr_bt_col.deterministic(param);
}

const rc_kernel_t rc_kernel_cusparse_csr_bt_turned = {
    .name = "cusparse-csr-bt-turned",
    .summary = "cuSPARSE SpMM of A in CSR with opB = T and a dense transpose of C: row-major B and C, an iterated product",
    .source = "Hong et al. 2018, doi:10.1145/3208040.3208062",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .builds = 1,
    .any_k = 1,
    .deterministic = deterministic,
    .param =
        {
            {"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 3: CUSPARSE_SPMM_CSR_ALG1 to 3", .max = 3},
            {"pre", "1: cusparseSpMM_preprocess once before the first product", .max = 1},
            {"index", "bits of an index; 64 where 32 are not enough", 32, 32, 64, 1},
        },
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .preprocess = preprocess,
    .run = run,
    .release = release,
    .values = values,
};
