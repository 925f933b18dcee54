/* y = A x by librsb, the library of recursive sparse blocks: what a CPU user may have beside the
 * vendor's. */
#include "config.h"
#include "base/error.h"
#include "base/type.h"
#include "kernels/vendor/library.h"

#include <pthread.h>
#include <rsb.h>

/* The library has one state for the process and wants to be told that it begins. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static rsb_err_t began = RSB_ERR_NO_ERROR;

static void begin(void)
{
    began = rsb_lib_init(RSB_NULL_INIT_OPTIONS);
}

static rc_status_t check(rsb_err_t e, const char *what, rc_err_t *err)
{
    char text[128] = "";
    if (e == RSB_ERR_NO_ERROR)
        return RC_OK;
    (void)rsb_strerror_r(e, text, sizeof text);
    return rc_fail(err, e == RSB_ERR_ENOMEM ? RC_ENOMEM : RC_EDEVICE, "librsb: %s: %s", what, text);
}

static void release(void *state)
{
    rc_library_t *l = state;
    if (l->matrix)
        (void)rsb_mtx_free(l->matrix);
    rc_library_release(l);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    static const rsb_type_t types[] = {
        [RC_FP32] = RSB_NUMERICAL_TYPE_FLOAT, [RC_FP64] = RSB_NUMERICAL_TYPE_DOUBLE};
    rc_library_t *l = state;
    const rsb_int_t threads = l->base.memory.x->threads;
    rsb_err_t e = RSB_ERR_NO_ERROR;
    rc_status_t st;
    (void)pthread_once(&once, begin);
    RC_TRY(check(began, "rsb_lib_init", err));
    RC_TRY(check(rsb_lib_set_opt(RSB_IO_WANT_EXECUTING_THREADS, &threads), "threads", err));
    RC_TRY(rc_library_build(l, p, err));
    if (p->a->nnz == 0)
        goto done;
    l->matrix =
        rsb_mtx_alloc_from_csr_const(l->slots.val, l->ptr, l->slots.col, (rsb_nnz_idx_t)p->a->nnz,
            types[p->precision], (rsb_coo_idx_t)l->slots.slots, (rsb_coo_idx_t)l->slots.cols,
            RSB_DEFAULT_ROW_BLOCKING, RSB_DEFAULT_COL_BLOCKING, RSB_FLAG_NOFLAGS, &e);
    st = check(e, "rsb_mtx_alloc_from_csr_const", err);
    rc_slots_drop_entries(&l->slots);
done:
    return st;
}

static rc_status_t multiply(const rc_library_t *l, double alpha, const rc_dense_t *x, double beta,
    const rc_dense_t *y, rc_err_t *err)
{
    union {
        float f;
        double d;
    } a, b; /* in the type of the matrix */
    rc_type(l->base.p.precision)->store(&a, 0, alpha);
    rc_type(l->base.p.precision)->store(&b, 0, beta);
    if (beta == 0)
        RC_PASS(rc_library_scale(l, y, 0, err)); /* it multiplies what is there */
    return check(
        rsb_spmv(RSB_TRANSPOSITION_N, &a, l->matrix, x->data, 1, &b, y->data, 1), "rsb_spmv", err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return rc_library_run(state, o, alpha, beta, multiply, err);
}

const rc_kernel_t rc_kernel_librsb = {
    .name = "librsb",
    .summary = "y = A x by librsb: recursive sparse blocks, not tuned",
    .source = "Martone 2014, doi:10.1016/j.parco.2014.03.008",
    .version = 1,
    .build = build,
    .run = run,
    .release = release,
    RC_LIBRARY_SPMV,
};
