/* The check of complex products: right ones are right in either layout and row order, and a part that is off, not stored
 * or not zero is found wherever it is, inside of the sample and outside. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "kernels/prepared.h"
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum fault { RIGHT, OFF, UNSTORED, CONJUGATED, FAULTS } fault_t;

enum { ROWS = 40, COLS = 30, EACH = 6, K = 37, EMPTY = 3 /* a row without entries */ };

/* What the kernel does, at one part of one value. */
static struct {
    fault_t fault;
    int64_t row;
    int64_t col;
    int part;
} mock;

static const double *given; /* values of A, which a problem has during prepare alone; NULL: real ones */

static double part_of(const rc_dense_t *m, const void *x, int64_t r, int64_t j, int q)
{
    const int64_t at = m->layout == RC_ROW_MAJOR ? r * m->ld + j : j * m->ld + r;
    return rc_type(rc_type(m->precision)->part)->load(x, 2 * at + q);
}

static void put_part(const rc_dense_t *m, int64_t r, int64_t j, int q, double v)
{
    const int64_t at = m->layout == RC_ROW_MAJOR ? r * m->ld + j : j * m->ld + r;
    rc_type(rc_type(m->precision)->part)->store(m->data, 2 * at + q, v);
}

static rc_status_t mock_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    out->stored_rows = p->c_rows;
    return RC_OK;
}

static rc_status_t mock_build(void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)state;
    (void)p;
    (void)analysis;
    (void)err;
    return RC_OK;
}

static double value_of(const rc_problem_t *p, int64_t e, int q)
{
    const double *parts = given;
    const double v = parts ? parts[2 * e + q] : q ? 0 : p->a->val[e];
    return rc_type(p->precision)->round(v);
}

static void store(const rc_problem_t *p, const rc_operands_t *o, int64_t at, int64_t r, int64_t j)
{
    double c[2] = {0, 0};
    const int wrong = r == mock.row && j == mock.col;
    for (int64_t e = p->a->row_ptr[r]; e < p->a->row_ptr[r + 1]; e++) {
        const double re = part_of(&o->in[0], o->in[0].data, p->a->col_idx[e], j, 0);
        const double im = part_of(&o->in[0], o->in[0].data, p->a->col_idx[e], j, 1);
        const double turned = mock.fault == CONJUGATED ? -value_of(p, e, 1) : value_of(p, e, 1);
        c[0] += value_of(p, e, 0) * re - turned * im;
        c[1] += value_of(p, e, 0) * im + turned * re;
    }
    for (int q = 0; q < 2; q++) {
        const int here = wrong && q == mock.part;
        if (!(here && mock.fault == UNSTORED))
            put_part(&o->out, at, j, q, c[q] + (here && mock.fault == OFF ? 0.01 : 0));
    }
}

static rc_status_t mock_run(void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_prepared_t *s = state;
    const rc_problem_t *p = &s->p;
    (void)err;
    assert_true(alpha == 1 && beta == 0);
    for (int64_t i = 0; i < p->schedule->slots; i++)
        for (int64_t j = 0; j < p->k; j++)
            store(p, o, p->c_order == RC_C_SCHEDULE ? i : p->schedule->row[i], p->schedule->row[i], j);
    return RC_OK;
}

static rc_csr_t make_matrix(void)
{
    static int64_t ptr[ROWS + 1];
    static int32_t col[ROWS * EACH];
    static double val[ROWS * EACH];
    rc_csr_t a = {.rows = ROWS, .cols = COLS, .row_ptr = ptr, .col_idx = col, .val = val};
    for (int64_t r = 0; r < ROWS; r++) {
        for (int64_t i = 0; r != EMPTY && i < EACH; i++) {
            col[a.nnz] = (int32_t)(i * (COLS / EACH) + r % (COLS / EACH));
            val[a.nnz] = rc_rng_signed(3, (uint64_t)a.nnz);
            a.nnz++;
        }
        ptr[r + 1] = a.nnz;
    }
    return a;
}

/* The status of a case, in a variant of layout, row order, type and values. */
static rc_measured_t measure(rc_device_t *d, int variant)
{
    static double parts[2 * ROWS * EACH];
    const rc_csr_t a = make_matrix();
    int32_t row[ROWS];
    rc_schedule_t reversed = {.slots = ROWS, .rows = ROWS, .row = row};
    const rc_kernel_t kernel = {.name = "mock", .op = RC_OP_SPMM, .types = RC_TYPES_ANY, .c_orders = RC_STORES_ANY,
        .computes = 1, .layout = variant & 1 ? RC_ROW_MAJOR : RC_COL_MAJOR, .analyse = mock_analyse,
        .state_bytes = RC_STATE(rc_prepared_t), .build = mock_build, .run = mock_run};
    const rc_kernel_spec_t spec = {.kernel = &kernel};
    rc_measure_context_t *ctx = NULL;
    rc_measure_config_t cfg;
    rc_err_t err = {0};
    rc_measured_t m = {.schedule = &reversed};
    for (int32_t i = 0; i < ROWS; i++)
        row[i] = ROWS - 1 - i;
    for (int64_t i = 0; i < 2 * a.nnz; i++)
        parts[i] = rc_rng_signed(4, (uint64_t)i);
    const rc_group_t g = {.a = &a, .parts = variant & 8 ? NULL : parts, .kernel = &spec, .k = K,
        .precision = variant & 2 ? RC_C128 : RC_C64, .c_order = variant & 4 ? RC_C_SCHEDULE : RC_C_ORIGINAL,
        .memory_limit = INT64_MAX};
    given = g.parts;
    rc_measure_defaults(&cfg, d->executor.kind);
    cfg.budget_ns = cfg.min_batch_ns = 1;
    cfg.warmup_runs = cfg.max_reps = 1;
    cfg.verify_rows = 4;
    cfg.verify_cols = 3;
    assert_int_equal(rc_measure_context_new(d, &ctx, NULL), RC_OK);
    if (rc_measure_group(ctx, &cfg, &g, &m, 1, NULL, NULL, NULL, &err) != RC_OK)
        fail_msg("%s", err.text);
    rc_measure_context_free(ctx);
    rc_measured_free(&m);
    return m;
}

enum { VARIANTS = 16 };

static rc_device_t *open_cpu(void)
{
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    return d;
}

static void right_products_are_right(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu();
    memset(&mock, 0, sizeof mock);
    for (int variant = 0; variant < VARIANTS; variant++) {
        const rc_measured_t m = measure(d, variant);
        if (m.status != RC_CASE_OK)
            fail_msg("variant %d: %s", variant, m.text);
        assert_true(m.error_max <= 1);
    }
    rc_device_close(d);
}

/* A part of any value: few of them are in the sample. */
static void a_wrong_part_is_found(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_device_t *d = open_cpu();
    rc_rng_seed(&rng, 6);
    for (int round = 0; round < 20 * VARIANTS; round++) {
        mock.fault = round % 2 ? OFF : UNSTORED;
        mock.row = (int64_t)rc_rng_below(&rng, ROWS);
        mock.col = (int64_t)rc_rng_below(&rng, K);
        mock.part = (int)rc_rng_below(&rng, 2);
        const rc_measured_t m = measure(d, round % VARIANTS);
        if (m.status != RC_CASE_WRONG)
            fail_msg("fault %d of part %d at (%d, %d) in variant %d is not found", (int)mock.fault, mock.part, (int)mock.row,
                (int)mock.col, round % VARIANTS);
        if (mock.fault == UNSTORED)
            assert_non_null(strstr(m.text, "was not stored to"));
    }
    rc_device_close(d);
}

/* The imaginary parts of A count, with their signs. */
static void conjugates_are_others(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu();
    memset(&mock, 0, sizeof mock);
    mock.fault = CONJUGATED;
    mock.row = -1;
    for (int variant = 0; variant < VARIANTS; variant++)
        assert_int_equal(measure(d, variant).status, variant & 8 ? RC_CASE_OK : RC_CASE_WRONG);
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_products_are_right),
        cmocka_unit_test(a_wrong_part_is_found),
        cmocka_unit_test(conjugates_are_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
