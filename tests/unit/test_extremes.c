/* The extreme terms of rows (rc_extremes_host), by their definition. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "plan_fixture.h"
#include "rows_wrong.h"

#include <math.h>

enum { COLUMNS_MOST = 70 };

static double stored_b[2 * MOST * COLUMNS_MOST], stored_out[2 * MOST * COLUMNS_MOST];
static int64_t entry[MOST * COLUMNS_MOST], columns64[MOST * MOST];

static double at(rc_precision_t type, const void *array, int64_t i)
{
    return rc_type(type)->load(array, i);
}

/* Beyond the best so far: NaN is beyond all, and the first of equal ones stays. */
static int beyond(double term, double best, rc_extreme_t kind)
{
    if (isnan(term) || isnan(best))
        return isnan(term) && !isnan(best);
    return kind == RC_EXTREME_MAX ? term > best : term < best;
}

/* What is found of row r and column c is right.  \param[in] val  of a type */
static void check_one(const input_t *in, const void *val, const rc_extremes_t *x, rc_precision_t type, int64_t r, int64_t c)
{
    int64_t found = in->nnz;
    double best = 0;
    for (int64_t e = in->ptr32[r]; e < in->ptr32[r + 1]; e++) {
        double term = at(type, val, e) * at(type, x->b, in->col[e] * x->ldb + c);
        if (type == RC_FP32)
            term = (float)term; /* as it is compared */
        if (e == in->ptr32[r] || beyond(term, best, x->kind)) {
            best = term;
            found = e;
        }
    }
    if (x->entry[r * x->k + c] != found)
        fail_msg("%s, row %d, column %d: expected entry %d, found %d", rc_type(type)->name, (int)r, (int)c, (int)found,
            (int)x->entry[r * x->k + c]);
    double rounded = rc_type(type)->round(best);
    double stored = x->out ? at(type, x->out, r * x->k + c) : rounded;
    assert_true(stored == rounded || (isnan(stored) && isnan(rounded)));
}

/* All types, widths of indices, both kinds; with and without the values; some terms are equal, some no numbers. */
static void extremes(void **state)
{
    (void)state;
    static input_t in;
    static const rc_precision_t types[] = {RC_FP32, RC_FP64, RC_BF16, RC_FP16};
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 41);
    for (int n = 0; n < 160; n++) {
        make(&rng, (int)below(&rng, 2), &in);
        rc_precision_t type = types[n % 4];
        rc_plan_matrix_t m = matrix_of(&in, below(&rng, 2) ? 4 : 8, type);
        rc_extremes_t x = {.kind = (rc_extreme_t)below(&rng, 2), .k = 1 + below(&rng, COLUMNS_MOST - PAD), .b = stored_b, .entry = entry,
            .out = below(&rng, 3) ? stored_out : NULL};
        x.ldb = x.k + below(&rng, PAD);
        if (below(&rng, 2)) {
            for (int64_t i = 0; i < in.nnz; i++)
                columns64[i] = in.col[i];
            m.col_idx = columns64;
            m.col_idx_bytes = 8;
        }
        for (int64_t i = 0; i < in.cols * x.ldb; i++) {
            double value = below(&rng, 40) ? (double)below(&rng, 9) / 2 - 2 : below(&rng, 2) ? NAN : INFINITY;
            rc_type(type)->store(stored_b, i, value);
        }
        for (int64_t i = 0; i < in.rows * x.k; i++)
            entry[i] = -1;
        if (rc_extremes_host(&m, &x, 1 + (int)below(&rng, 3), &err) != RC_OK)
            fail_msg("%s", err.text);
        for (int64_t r = 0; r < in.rows; r++)
            for (int64_t c = 0; c < x.k; c++)
                check_one(&in, m.val, &x, type, r, c);
    }
}

static rc_status_t call(const rc_plan_matrix_t *m, const void *x, int threads, rc_err_t *err)
{
    return rc_extremes_host(m, x, threads, err);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    static input_t in;
    rc_rng_t rng;
    rc_rng_seed(&rng, 42);
    do
        make(&rng, 1, &in);
    while (in.nnz == 0);
    const rc_plan_matrix_t m = matrix_of(&in, 4, RC_FP64);
    const rc_extremes_t x = {.k = 4, .b = stored_b, .ldb = 4, .entry = entry};
    rows_refused_alike(call, &m, &x, "values");
    rc_plan_matrix_t other = m;
    other.val = NULL;
    rows_refused(call, &other, &x, RC_EINVAL, "NULL");
    rc_extremes_t wrong = x;
    wrong.kind = (rc_extreme_t)2;
    rows_refused(call, &m, &wrong, RC_EINVAL, "kind");
    wrong = x;
    wrong.ldb = 3;
    rows_refused(call, &m, &wrong, RC_EINVAL, "B: expected at least 4");
    wrong = x;
    wrong.b = NULL;
    rows_refused(call, &m, &wrong, RC_EINVAL, "B: expected an array");
    wrong = x;
    wrong.entry = NULL;
    rows_refused(call, &m, &wrong, RC_EINVAL, "entry: expected an array");
    wrong.k = wrong.ldb = 0;
    assert_int_equal(rc_extremes_host(&m, &wrong, 0, NULL), RC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(extremes), cmocka_unit_test(what_does_not_fit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
