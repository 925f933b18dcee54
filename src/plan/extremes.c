/* The largest or least term of each row of a product, on the host. */
#include "config.h"
#include "base/error.h"
#include "base/threads.h"
#include "base/type.h"
#include "format/given.h"
#include "plan/extremes.h"

#include <inttypes.h>

enum {
    COLUMNS = 64,   /* of B that a thread has at once */
    PIECE = 128,    /* entries of a row that it numbers */
    ROWS = 16,      /* that it takes at once */
    ALONE = 1 << 16 /* terms, below which a team costs more than it brings */
};

/* Terms are compared after they were multiplied by this. */
static const double signs[] = {[RC_EXTREME_MAX] = 1, [RC_EXTREME_MIN] = -1};

/* Some columns of a row. */
typedef struct extremes_piece {
    const rc_plan_matrix_t *a;
    const rc_extremes_t *x;
    double sign;
    int64_t from; /* the first column */
    int columns;
} extremes_piece_t;

/* Where B has what an entry meets. */
static int64_t row_of_b(const extremes_piece_t *p, int64_t e)
{
    return rc_place_at(p->a->col_idx, rc_given_col_bytes(p->a), e) * p->x->ldb + p->from;
}

#define INSTANCES "kernels/extremes/cpu/extremes.inc"
#include "device/cpu/instances.inc"

rc_status_t rc_extremes_check(
    const rc_plan_matrix_t *a, const rc_extremes_t *x, int on_device, rc_err_t *err)
{
    if (!a || !x)
        return rc_fail(err, RC_EINVAL, "extremes: expected a matrix and what is asked, found NULL");
    if (a->form != RC_PLAN_CSR || !a->on_device != !on_device)
        return rc_fail(
            err, RC_EINVAL, "matrix: expected CSR of the %s", on_device ? "GPU" : "host");
    RC_PASS(rc_given_check(a, err));
    RC_PASS(rc_type_check_real(a->precision, "values", err));
    if ((unsigned)x->kind >= sizeof signs / sizeof *signs)
        return rc_fail(
            err, RC_EINVAL, "kind: expected RC_EXTREME_MAX or _MIN, found %d", (int)x->kind);
    if (x->k < 0 || x->ldb < x->k)
        return rc_fail(err, RC_EINVAL,
            "B: expected at least %" PRId64 " columns apart, found %" PRId64, x->k, x->ldb);
    if (x->k > 0 && ((a->cols > 0 && !x->b) || (a->rows > 0 && !x->entry)))
        return rc_fail(err, RC_EINVAL, "%s: expected an array, found NULL",
            a->rows > 0 && !x->entry ? "entry" : "B");
    return RC_OK;
}

double rc_extremes_sign(rc_extreme_t kind)
{
    return signs[kind];
}

rc_status_t rc_extremes_host(
    const rc_plan_matrix_t *a, const rc_extremes_t *x, int threads, rc_err_t *err)
{
    static void (*const all[])(const rc_plan_matrix_t *, const rc_extremes_t *, int64_t, double) =
        RC_INSTANCES(row);
    RC_PASS(rc_extremes_check(a, x, 0, err));
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected at least 0, found %d", threads);
    const double sign = rc_extremes_sign(x->kind);
    const int team = rc_sat_mul(a->nnz, x->k) < ALONE ? 1 : rc_thread_count(threads);
#pragma omp parallel for num_threads(team) schedule(dynamic, ROWS)
    for (int64_t r = 0; r < a->rows; r++)
        all[a->precision](a, x, r, sign);
    return RC_OK;
}
