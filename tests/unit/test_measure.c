#include "config.h"
#include "unit.h"

#include "measure_fixture.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/stats.h"
#include "measure/measure.h"
#include "sparse/csr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_line(const char *text)
{
    assert_true(strlen(text) > 0 && !strchr(text, '\n'));
}

/* ----------------------------------------------------------------- tests */

/* Run a square matrix under a symmetric order; `damage` exchanges two entries of the renumbered
 * matrix first. */
static void run_symmetric(const char *kernel, int damage, world_t *w)
{
    enum { n = 150 };
    rc_err_t err = {0};
    static rc_csr_t renumbered;
    static rc_schedule_t order;
    int32_t *perm = malloc(2 * n * sizeof *perm);
    assert_non_null(perm);
    for (int32_t i = 0; i < n; i++) {
        perm[i] = (i * 47 + 11) % n; /* 47 has no factor of n */
        perm[n + i] = (i * 77 + 5) % n; /* columns need not go with the rows */
    }
    world_begin(w, kernel, make_matrix(n, n, 5, 1), 9, 2);
    assert_int_equal(rc_csr_renumber_columns(&w->a, perm + n, &renumbered, &err), RC_OK);
    if (damage) {
        double v = renumbered.val[0];
        renumbered.val[0] = renumbered.val[1];
        renumbered.val[1] = v;
    }
    order = (rc_schedule_t){.slots = n, .rows = n, .row = perm, .cols = n, .col = perm + n};
    w->cases[1].schedule = &order;
    w->cases[1].a = &renumbered;
    assert_int_equal(world_run(w), RC_OK);
    rc_csr_free(&renumbered);
    free(perm);
}

static void symmetric_orders_are_verified_through_the_order(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        rc_case_status_t right;
    } list[] = {{"cstat", RC_CASE_OK}, {"rowsplit", RC_CASE_OK}, {"plain-spmv", RC_CASE_OK},
        {"csr", RC_CASE_OK}, {"merge:items=20", RC_CASE_OK}, {"ell", RC_CASE_OK},
        {"plain-sddmm", RC_CASE_SKIPPED}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (int damage = 0; damage < 2; damage++) {
            world_t w;
            run_symmetric(list[i].kernel, damage, &w);
            assert_int_equal(w.cases[0].status, RC_CASE_OK);
            if (list[i].right == RC_CASE_OK && damage)
                assert_int_equal(w.cases[1].status, RC_CASE_WRONG);
            else
                assert_int_equal(w.cases[1].status, list[i].right);
            world_end(&w);
        }
}

static void statistics_follow_from_the_samples(void **state)
{
    (void)state;
    static const char *const kernels[] = {"cstat", "rowsplit", "fault"};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        world_t w;
        world_begin(&w, kernels[i], make_matrix(300, 200, 5, 1), 9, 5);
        w.group.precision = i == 1 ? RC_FP64 : RC_FP32;
        assert_int_equal(world_run(&w), RC_OK);
        for (int j = 0; j < w.n; j++) {
            const rc_measured_t *m = &w.cases[j];
            assert_int_equal(m->status, RC_CASE_OK);
            assert_string_equal(m->text, "");
            assert_int_equal(m->phase, RC_PHASE_NONE);
            assert_true(m->error_max >= 0 && m->error_max <= 1);
            assert_true(m->error_rel >= 0 && m->error_rel < 1e-5);
            assert_true(m->prepare_ns >= 0 && m->first_ns > 0 && m->bytes_min > 0);
            assert_true(m->reps >= 1 && m->reps <= w.cfg.max_reps && m->batch >= 1);
            double x[1000];
            int64_t total = 0;
            for (int64_t r = 0; r < m->reps; r++) {
                x[r] = (double)m->sample_ns[r] / (double)m->batch;
                total += m->sample_ns[r];
            }
            rc_stats_t s;
            rc_stats_compute(x, m->reps, &s);
            assert_true(s.median == m->median_ns && s.min == m->min_ns && s.mean == m->mean_ns &&
                        s.sd == m->sd_ns);
            assert_true(s.rel_err == m->rel_err || (isnan(s.rel_err) && isnan(m->rel_err)));
            if (m->stop == RC_STOP_TARGET)
                assert_true(m->rel_err <= w.cfg.target_rel_err && m->reps >= w.cfg.min_reps);
            else if (m->stop == RC_STOP_TIME)
                assert_true(total >= w.cfg.budget_ns);
            else
                assert_true(m->stop == RC_STOP_COUNT && m->reps == w.cfg.max_reps);
        }
        world_end(&w);
    }
}

static void each_stop_reason(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "rowsplit", make_matrix(300, 200, 5, 1), 9, 2);
    w.cfg.target_rel_err = 1e9;
    w.cfg.budget_ns = INT64_MAX;
    w.cfg.min_reps = 12;
    assert_int_equal(world_run(&w), RC_OK);
    assert_true(w.cases[1].stop == RC_STOP_TARGET && w.cases[1].reps == 12);
    world_end(&w);

    world_begin(&w, "rowsplit", make_matrix(300, 200, 5, 1), 9, 2);
    w.cfg.target_rel_err = -1;
    w.cfg.budget_ns = INT64_MAX;
    w.cfg.max_reps = 31;
    assert_int_equal(world_run(&w), RC_OK);
    assert_true(w.cases[0].stop == RC_STOP_COUNT && w.cases[0].reps == 31);
    world_end(&w);

    world_begin(&w, "rowsplit", make_matrix(300, 200, 5, 1), 9, 2);
    w.cfg.target_rel_err = -1;
    w.cfg.budget_ns = 1;
    assert_int_equal(world_run(&w), RC_OK);
    assert_true(w.cases[0].stop == RC_STOP_TIME && w.cases[0].reps == 1);
    world_end(&w);

    /* however short the products are, a batch has no more of them than asked for */
    world_begin(&w, "rowsplit", make_matrix(300, 200, 5, 1), 9, 2);
    w.cfg.min_batch_ns = INT64_MAX / 2;
    w.cfg.max_batch = 2;
    w.cfg.max_reps = 3;
    assert_int_equal(world_run(&w), RC_OK);
    assert_true(w.cases[0].batch == 2 && w.cases[0].reps == 3);
    world_end(&w);

    /* a product that takes longer than the budget is still run three times: the median has an error
     */
    world_begin(&w, "fault:delay_us=2000", make_matrix(30, 20, 2, 1), 3, 2);
    w.cfg.target_rel_err = -1;
    w.cfg.budget_ns = 1000000;
    assert_int_equal(world_run(&w), RC_OK);
    assert_true(w.cases[0].stop == RC_STOP_TIME && w.cases[0].reps == 3);
    assert_true(w.cases[0].rel_err >= 0);
    world_end(&w);
}

static void batches_and_cold_runs(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "fault:delay_us=200", make_matrix(20, 20, 2, 1), 1, 1);
    w.cfg.min_batch_ns = 900000;
    w.cfg.max_reps = 3;
    assert_int_equal(world_run(&w), RC_OK);
    /* a run takes at least 200 us, so at most 5 of them are needed */
    assert_in_range(w.cases[0].batch, 1, 5);
    assert_true(w.cases[0].median_ns >= 200000);
    world_end(&w);

    world_begin(&w, "rowsplit", make_matrix(20, 20, 2, 1), 1, 2);
    w.cfg.cold = 1;
    w.cfg.max_reps = 3;
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].batch, 1);
    assert_int_equal(w.cases[1].status, RC_CASE_OK);
    world_end(&w);
}

/* Every injected fault must be found, wherever the row is and whichever the layout of the sample.
 */
static void wrong_products_are_found(void **state)
{
    (void)state;
    static const char *const modes[] = {"mode=1", "mode=6", "mode=7", "mode=8"};
    static const char *const says[] = {"", "not stored", "", "without entries"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        for (int at = 0; at < 700; at += 77)
            for (int precision = 0; precision < 2; precision++) {
                char spec[64];
                snprintf(spec, sizeof spec, "fault:%s:at=%d", modes[i], at);
                world_t w;
                world_begin(&w, spec, make_matrix(700, 500, 5, 1), 33, 3);
                w.group.precision = (rc_precision_t)precision;
                w.cfg.verify_rows = 8;
                w.cfg.verify_cols = 4;
                assert_int_equal(world_run(&w), RC_OK);
                for (int j = 0; j < w.n; j++) {
                    const rc_measured_t *m = &w.cases[j];
                    /* an empty row that is absent cannot be left unstored */
                    if (j == WITHOUT_EMPTY && i == 1 && at % 7 == 3)
                        continue;
                    if (m->status != RC_CASE_WRONG || !strstr(m->text, says[i]))
                        fail_msg("%s, case %d: status %s, '%s'", spec, j,
                            rc_case_status_name(m->status), m->text);
                    assert_int_equal(m->phase, RC_PHASE_VERIFY);
                    assert_true(m->error_max > 1);
                    assert_true(m->reps == 0 && m->stop == RC_STOP_NONE && !m->sample_ns);
                    check_line(m->text);
                }
                world_end(&w);
            }
}

/* 1: with values of this size none of a product's can be told from an overflow. */
static int overflows(double scale, rc_precision_t precision)
{
    return isinf(scale) || (precision == RC_FP32 && scale > 1e60);
}

/* Without a sample the check of all rows alone finds a wrong value; without faults none is found.
 */
static void no_false_alarms(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e-30, 1e30, 1e-42, 3e38, 1e300, 1e-310};
    static const char *const kernels[] = {"cstat", "rowsplit"};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        for (int k = 1; k <= 65; k += 16)
            for (int which = 0; which < 4; which++) {
                world_t w;
                if (overflows(scales[i], (rc_precision_t)(which / 2)))
                    continue;
                world_begin(&w, kernels[which % 2], make_matrix(99, 120, 6, scales[i]), k, 3);
                w.group.precision = (rc_precision_t)(which / 2);
                w.cfg.budget_ns = 1;
                assert_int_equal(world_run(&w), RC_OK);
                for (int j = 0; j < w.n; j++) {
                    if (w.cases[j].status != RC_CASE_OK)
                        fail_msg("scale %g, K %d, %s: %s", scales[i], k,
                            rc_precision_name(w.group.precision), w.cases[j].text);
                    assert_false(w.cases[j].error_max > 1);
                }
                world_end(&w);
            }
    world_t w;
    world_begin(&w, "fault:mode=1:at=40", make_matrix(99, 120, 6, 1), 5, 1);
    w.cfg.verify_rows = 0;
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_WRONG);
    assert_non_null(strstr(w.cases[0].text, "row 40"));
    world_end(&w);
}

enum { WITH_EMPTY_ROWS, NO_EMPTY_ROW, NO_SAMPLE, SHAPES };

/* Rows 0 to 2 of a matrix have entries. */
static void begin_shape(world_t *w, int shape, int64_t per_row, double scale, rc_precision_t type)
{
    world_begin(w, "rowsplit", make_matrix(shape == NO_EMPTY_ROW ? 3 : 99, 120, per_row, scale), 9, 3);
    w->group.precision = type;
    w->cfg.budget_ns = 1;
    if (shape == NO_SAMPLE)
        w->cfg.verify_rows = 0;
}

/* Infinities and NaN of A are expected where they have to come out, also those that the precision makes
 * of numbers. */
static void what_is_infinite_is_compared(void **state)
{
    (void)state;
    static const double scales[] = {1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int precision = 0; precision < 2; precision++) {
                world_t w;
                if (isfinite(scales[i]) && !overflows(scales[i], (rc_precision_t)precision))
                    continue;
                begin_shape(&w, shape, 6, scales[i], (rc_precision_t)precision);
                assert_int_equal(world_run(&w), RC_OK);
                for (int j = 0; j < w.n; j++)
                    if (w.cases[j].status != RC_CASE_OK || w.cases[j].error_max != 0)
                        fail_msg("scale %g, shape %d, %s, case %d: status %s, '%s'", scales[i], shape,
                            rc_precision_name(w.group.precision), j, rc_case_status_name(w.cases[j].status),
                            w.cases[j].text);
                world_end(&w);
            }
}

/* A case of which nothing could be compared is not ok, also where rows without entries, which are 0
 * whatever the kernel computes, are in the sample; nor is it `wrong`, as nothing is known.  Sums of fp64
 * that may overflow are such: the reference is of fp64 too. */
static void what_cannot_be_compared_is_not_ok(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        world_t w;
        begin_shape(&w, shape, 60, 1.7e308, RC_FP64);
        assert_int_equal(world_run(&w), RC_OK);
        for (int j = 0; j < w.n; j++) {
            const rc_measured_t *m = &w.cases[j];
            if (m->status != RC_CASE_FAILED || !strstr(m->text, "can be compared"))
                fail_msg("shape %d, case %d: status %s, '%s'", shape, j, rc_case_status_name(m->status), m->text);
            assert_int_equal(m->phase, RC_PHASE_VERIFY);
            assert_true(m->reps == 0 && !m->sample_ns && isnan(m->error_max));
            check_line(m->text);
        }
        world_end(&w);
    }
    /* nothing to compare because there is nothing: that is right */
    world_t w;
    world_begin(&w, "rowsplit", make_matrix(0, 12, 3, 1), 5, 1);
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_OK);
    world_end(&w);
}

/* A device that is lost is an error of the rank, and says nothing of the cases that it did not get
 * to: not of the same group, nor of the next one, whose memory cannot be had. */
static void a_lost_device_is_an_error(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "fault:mode=9", make_matrix(30, 30, 2, 1), 3, 2);
    assert_int_equal(world_run(&w), RC_EDEVICE);
    assert_int_equal(w.cases[0].status, RC_CASE_FAILED);
    assert_int_equal(w.cases[1].status, RC_CASE_PENDING);
    w.group.k = 50;
    assert_int_equal(world_run(&w), RC_EDEVICE);
    assert_int_equal(w.cases[0].status, RC_CASE_PENDING);
    assert_int_equal(w.cases[1].status, RC_CASE_PENDING);
    world_end(&w);
}

static void failures_are_data(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "fault:mode=4", make_matrix(30, 30, 2, 1), 3, 2);
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[1].status, RC_CASE_FAILED);
    assert_int_equal(w.cases[1].phase, RC_PHASE_VERIFY);
    check_line(w.cases[1].text);
    world_end(&w);

    world_begin(&w, "fault:mode=5", make_matrix(30, 30, 2, 1), 3, 2);
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_SKIPPED);
    assert_int_equal(rc_memory_needed(w.cases[0].text), 0);
    assert_int_equal(w.cases[0].phase, RC_PHASE_PREPARE);
    world_end(&w);

    /* short of memory with the matrix on the device: built without it; and it is there at first. */
    for (int mode = 10; mode <= 11; mode++) {
        world_begin(&w, mode == 10 ? "fault:mode=10" : "fault:mode=11", make_matrix(30, 30, 2, 1), 3, 2);
        assert_int_equal(world_run(&w), RC_OK);
        assert_int_equal(w.cases[0].status, RC_CASE_OK);
        assert_int_equal(w.cases[1].status, RC_CASE_OK);
        world_end(&w);
    }

    world_begin(&w, "fault:mode=5:rows=31", make_matrix(30, 30, 2, 1), 3, 2);
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_OK);
    world_end(&w);

    world_begin(&w, "fault", make_matrix(30, 30, 2, 1), 3, 2);
    w.group.c_order = RC_C_SCHEDULE; /* of an identity the same as the original order */
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_OK);
    assert_int_equal(w.cases[1].status, RC_CASE_SKIPPED);
    check_line(w.cases[1].text);
    world_end(&w);

    world_begin(&w, "cstat", make_matrix(30, 30, 2, 1), 0, 2);
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_SKIPPED);
    world_end(&w);
}

static void null_kernel_is_not_verified(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "null", make_matrix(30, 30, 2, 1), 3, 2);
    assert_int_equal(world_run(&w), RC_OK);
    for (int i = 0; i < w.n; i++) {
        assert_int_equal(w.cases[i].status, RC_CASE_OK);
        assert_true(isnan(w.cases[i].error_max) && isnan(w.cases[i].error_rel));
    }
    world_end(&w);
}

static void degenerate_shapes(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}};
    static const char *const kernels[] = {"cstat", "rowsplit", "fault"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (size_t j = 0; j < sizeof kernels / sizeof kernels[0]; j++) {
            rc_csr_t a = {.rows = shapes[i][0], .cols = shapes[i][1]};
            a.row_ptr = calloc((size_t)a.rows + 1, sizeof *a.row_ptr);
            world_t w;
            world_begin(&w, kernels[j], a, 3, 3);
            assert_int_equal(world_run(&w), RC_OK);
            for (int c = 0; c < w.n; c++)
                assert_int_equal(w.cases[c].status, RC_CASE_OK);
            world_end(&w);
        }
}

/* What a kernel computes with one value of its output off, and which. */
static struct {
    rc_status_t (*run)(
        void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
    int64_t row; /* -1: none */
    int64_t runs;
    int64_t rows; /* of the output */
} off;

static rc_status_t off_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    rc_status_t st = off.run(state, o, alpha, beta, err);
    int64_t at = o->out.layout == RC_ROW_MAJOR ? off.row * o->out.ld : off.row;
    off.rows = o->out.rows;
    off.runs++;
    if (st == RC_OK && off.row >= 0)
        ((float *)o->out.data)[at] += 0.25f;
    return st;
}

/* Every operation is verified against fp64, K is never tiled where it cannot be, and a wrong value is
 * found wherever it is. */
static void every_operation_is_verified(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "cstat", "csr", "merge:items=20", "ell", "plain-spmv", "plain-spmm_t", "plain-sddmm"};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
        int64_t rows = 1;
        for (int64_t row = -1; row < rows; row++) {
            world_t w;
            rc_kernel_t kernel;
            world_begin(&w, specs[i], make_matrix(30, 20, 2, 1), 3, SCHEDULES);
            kernel = *w.kernel.kernel;
            off.run = kernel.run;
            off.row = row;
            off.runs = 0;
            kernel.run = off_run;
            w.kernel.kernel = &kernel;
            if (!rc_operation_of(kernel.op)->has_k)
                w.group.k = 1;
            assert_int_equal(world_run(&w), RC_OK);
            for (int c = 0; c < w.n; c++) {
                assert_int_equal(w.cases[c].status, row < 0 ? RC_CASE_OK : RC_CASE_WRONG);
                assert_true(row < 0 ? w.cases[c].error_max <= 1 : w.cases[c].error_max > 1);
                assert_true(w.cases[c].k_tile == w.group.k && w.cases[c].fill >= 1);
                assert_true(w.cases[c].device_bytes > 0);
            }
            assert_true(off.runs >= w.n);
            rows = off.rows;
            world_end(&w);
        }
        assert_true(rows > 1);
    }
}

/* An operation that cannot be cut into tiles is skipped where the operands do not fit. */
static void what_cannot_be_tiled_is_skipped(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "plain-sddmm", make_matrix(60, 40, 2, 1), 100, 1);
    w.group.memory_limit = (60 + 40) * 100 * 4;
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_SKIPPED);
    assert_non_null(strstr(w.cases[0].text, "memory"));
    world_end(&w);
    world_begin(&w, "plain-spmm_t", make_matrix(60, 40, 2, 1), 100, 1);
    w.group.memory_limit = (60 + 40) * 100 * 4;
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_OK);
    assert_true(w.cases[0].k_tile < 100);
    world_end(&w);
}

static void names(void **state)
{
    (void)state;
    assert_string_equal(rc_stop_name(RC_STOP_SIGNAL), "signal");
    assert_string_equal(rc_phase_name(RC_PHASE_TIME), "time");
    assert_string_equal(rc_case_status_name(RC_CASE_CRASHED), "crashed");
    assert_string_equal(rc_case_status_name((rc_case_status_t)99), "?");
}

/* Batches of 1, 22 and 22.5 ms have a median whose error looks small. */
static void few_batches_are_not_trusted(void **state)
{
    (void)state;
    rc_measured_t m = {.median_ns = 22e6, .sd_ns = 12e6, .rel_err = 0.02, .reps = 3};
    const rc_measure_config_t cfg = {.min_reps = 7};
    assert_true(fabs(rc_measured_error(&cfg, &m) - 12 / (sqrt(3) * 22)) < 1e-12);
    m.reps = 7;
    assert_true(rc_measured_error(&cfg, &m) == 0.02);
    m.reps = 3;
    m.sd_ns = 1e3;
    assert_true(rc_measured_error(&cfg, &m) == 0.02);
    m.rel_err = NAN; /* of one batch */
    assert_true(isnan(rc_measured_error(&cfg, &m)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statistics_follow_from_the_samples),
        cmocka_unit_test(symmetric_orders_are_verified_through_the_order),
        cmocka_unit_test(each_stop_reason),
        cmocka_unit_test(batches_and_cold_runs),
        cmocka_unit_test(wrong_products_are_found),
        cmocka_unit_test(no_false_alarms),
        cmocka_unit_test(what_is_infinite_is_compared),
        cmocka_unit_test(what_cannot_be_compared_is_not_ok),
        cmocka_unit_test(a_lost_device_is_an_error),
        cmocka_unit_test(failures_are_data),
        cmocka_unit_test(null_kernel_is_not_verified),
        cmocka_unit_test(degenerate_shapes),
        cmocka_unit_test(every_operation_is_verified),
        cmocka_unit_test(what_cannot_be_tiled_is_skipped),
        cmocka_unit_test(names),
        cmocka_unit_test(few_batches_are_not_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
