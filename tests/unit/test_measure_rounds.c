/* In which order a group is measured: phases, sets that fit the memory, rounds, and being stopped. */
#include "config.h"
#include "unit.h"

#include "measure_fixture.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "measure/operands.h"
#include "measure/verify_private.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 256 };

typedef struct events {
    int index[EVENTS];
    rc_phase_t phase[EVENTS];
    int n;
    int asked;
    int stop_after; /* questions; negative: never */
} events_t;

static void on_enter(void *user, int index, rc_phase_t phase)
{
    events_t *e = user;
    assert_true(e->n < EVENTS);
    e->index[e->n] = index;
    e->phase[e->n++] = phase;
}

static int on_stop(void *user)
{
    events_t *e = user;
    return e->stop_after >= 0 && e->asked++ >= e->stop_after;
}

static void phases_are_announced(void **state)
{
    (void)state;
    world_t w;
    events_t e = {.stop_after = -1};
    world_begin(&w, "cstat", make_matrix(60, 40, 4, 1), 3, 2);
    assert_int_equal(
        rc_measure_group(w.ctx, &w.cfg, &w.group, w.cases, w.n, on_stop, on_enter, &e, NULL),
        RC_OK);
    static const int index[] = {0, 0, 1, 1, -1};
    static const rc_phase_t phase[] = {
        RC_PHASE_PREPARE, RC_PHASE_VERIFY, RC_PHASE_PREPARE, RC_PHASE_VERIFY, RC_PHASE_TIME};
    assert_int_equal(e.n, 5);
    for (int i = 0; i < e.n; i++)
        assert_true(e.index[i] == index[i] && e.phase[i] == phase[i]);
    world_end(&w);
}

static int timed_sets(const events_t *e)
{
    int n = 0;
    for (int i = 0; i < e->n; i++)
        n += e->phase[i] == RC_PHASE_TIME;
    return n;
}

/* Bytes of B and C, and of a state under a schedule. */
static int64_t dense_bytes(const world_t *w)
{
    return rc_operation_dense_bytes(
        rc_operation_of(RC_OP_SPMM), &w->a, w->a.rows, w->group.k, w->group.precision, w->group.precision);
}

static int64_t state_bytes(const world_t *w, const rc_schedule_t *schedule)
{
    rc_problem_t p = {.k = w->group.k, .a = &w->a, .schedule = schedule, .c_rows = w->a.rows};
    rc_analysis_t x;
    assert_int_equal(rc_kernel_analyse(w->kernel.kernel, &p, &x, NULL), RC_OK);
    return rc_analysis_bytes(&x, p.k);
}

static void memory_limit_makes_sets(void **state)
{
    (void)state;
    /* room for the baseline and `fit` - 1 others beside B and C */
    for (int fit = 0; fit <= 7; fit++) {
        world_t w;
        events_t e = {.stop_after = -1};
        world_begin(&w, "cstat", make_matrix(600, 400, 4, 1), 3, 7);
        for (int i = 0; i < w.n; i++)
            w.cases[i].schedule = &w.schedule[REVERSED];
        int64_t one = state_bytes(&w, &w.schedule[REVERSED]);
        w.group.memory_limit = dense_bytes(&w) + fit * one + one / 2;
        assert_int_equal(
            rc_measure_group(w.ctx, &w.cfg, &w.group, w.cases, w.n, on_stop, on_enter, &e, NULL),
            RC_OK);
        for (int i = 0; i < w.n; i++) {
            assert_int_equal(w.cases[i].status, fit == 0 ? RC_CASE_SKIPPED : RC_CASE_OK);
            if (fit == 0)
                assert_non_null(strstr(w.cases[i].text, "memory"));
            else
                assert_non_null(w.cases[i].sample_ns);
        }
        int want = fit == 0 ? 0 : fit == 1 ? 7 : (6 + fit - 2) / (fit - 1);
        assert_int_equal(timed_sets(&e), want);
        world_end(&w);
    }
    world_t w;
    world_begin(&w, "cstat", make_matrix(600, 400, 4, 1), 3, 2);
    w.group.memory_limit = 100;
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[1].status, RC_CASE_SKIPPED);
    assert_non_null(strstr(w.cases[1].text, "memory"));
    world_end(&w);
    rc_csr_t a = {.rows = 2000000000, .cols = 2000000000};
    const rc_operation_t *o = rc_operation_of(RC_OP_SPMM);
    assert_true(rc_operation_dense_bytes(o, &a, a.rows, 2000000000, RC_FP64, RC_FP64) == INT64_MAX);
    assert_int_equal(
        rc_operation_dense_bytes(o, &a, a.rows, 10, RC_FP64, RC_FP64), (int64_t)4000000000 * 80);
}

/* Wherever it is stopped, what is final is complete and the rest is still pending. */
static void stopping(void **state)
{
    (void)state;
    int pending_seen = 0;
    int mixed_seen = 0;
    for (int after = 0; after < 60; after++) {
        world_t w;
        events_t e = {.stop_after = after};
        world_begin(&w, "cstat", make_matrix(600, 400, 4, 1), 3, 5);
        w.group.memory_limit = dense_bytes(&w) + 3 * state_bytes(&w, &w.schedule[REVERSED]);
        w.cfg.target_rel_err = 1e9;
        w.cfg.min_reps = 4;
        w.cfg.budget_ns = INT64_MAX;
        rc_status_t st =
            rc_measure_group(w.ctx, &w.cfg, &w.group, w.cases, w.n, on_stop, on_enter, &e, NULL);
        int ok = 0;
        for (int i = 0; i < w.n; i++) {
            const rc_measured_t *m = &w.cases[i];
            if (m->status == RC_CASE_OK) {
                ok++;
                assert_true(m->reps >= 4 && m->sample_ns && m->median_ns > 0);
                assert_int_equal(m->stop, RC_STOP_TARGET);
            } else {
                assert_int_equal(m->status, RC_CASE_PENDING);
                assert_null(m->sample_ns);
            }
        }
        assert_true(st == RC_OK ? ok == w.n : st == RC_EINTR);
        pending_seen += st == RC_EINTR && ok == 0;
        mixed_seen += st == RC_EINTR && ok > 0;
        world_end(&w);
    }
    assert_true(pending_seen > 0 && mixed_seen > 0);
}

/* The launches of the cases alternate.  A kernel of the test notes who runs. */
enum { NOTES = 4000 };

static int notes[NOTES];

static int note_count;

static rc_status_t note_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)o;
    (void)alpha;
    (void)beta;
    (void)err;
    if (note_count < NOTES)
        notes[note_count++] = ((rc_prepared_t *)state)->p.schedule->row[0];
    rc_sleep_ns(60000);
    return RC_OK;
}

static void rounds_are_interleaved(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "null", make_matrix(60, 40, 4, 1), 3, 3);
    rc_kernel_t kernel = *w.kernel.kernel;
    kernel.run = note_run;
    w.kernel.kernel = &kernel;
    int32_t first[3] = {0, 1, 2};
    rc_schedule_t one[3];
    for (int i = 0; i < 3; i++) {
        one[i] = (rc_schedule_t){.slots = 1, .rows = 60, .row = &first[i]};
        w.cases[i].schedule = &one[i];
    }
    w.cfg.warmup_runs = 1;
    w.cfg.target_rel_err = -1;
    w.cfg.max_reps = 5;
    w.cfg.budget_ns = INT64_MAX;
    w.cfg.min_batch_ns = 1;
    note_count = 0;
    assert_int_equal(world_run(&w), RC_OK);
    /* one verification and one warm-up run each, then five rounds, each launch settled by another
     */
    assert_int_equal(note_count, 3 + 3 + 5 * 3 * 2);
    for (int i = 6; i < note_count; i++)
        assert_int_equal(notes[i], (i - 6) / 2 % 3);
    world_end(&w);
}

/* A device whose products take what the test says, and of which threads had to wait for a CPU. */
static int64_t said_ns;
static int64_t said_first_ns;
static int64_t said_waited_ns;

static rc_status_t time_as_said(
    rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    (void)d;
    *ns = batch * (said_first_ns ? said_first_ns : said_ns);
    said_first_ns = 0;
    for (int64_t i = 0; i < batch; i++)
        if (launch(state, err) < 0)
            return RC_EDEVICE;
    return RC_OK;
}

static int64_t wait_as_said(rc_device_t *d, int anew)
{
    (void)d;
    return anew ? 0 : said_waited_ns;
}

/* The error of a case of one schedule, with caution; that of its median alone is 0. */
static double error_of(int64_t first_ns, int64_t ns, int64_t waited_ns, int64_t reps)
{
    world_t w;
    world_begin(&w, "null", make_matrix(60, 40, 4, 1), 3, 1);
    w.d->time_batch = time_as_said;
    w.d->waited = wait_as_said;
    w.cfg.target_rel_err = -1;
    w.cfg.budget_ns = reps * ns;
    w.cfg.min_batch_ns = 1;
    w.cfg.min_reps = 7;
    said_first_ns = first_ns;
    said_ns = ns;
    said_waited_ns = waited_ns;
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_OK);
    assert_int_equal(w.cases[0].reps, reps);
    assert_true(w.cases[0].rel_err == 0 && w.cases[0].sd_ns == 0);
    double error = rc_measured_error(&w.cfg, &w.cases[0]);
    world_end(&w);
    return error;
}

/* Products that waited for a CPU alike agree with each other, and are wrong all the same. */
static void batches_that_waited_say_little(void **state)
{
    enum { ms = 1000000 };
    (void)state;
    assert_true(error_of(90 * ms, 88 * ms, 0, 3) == 0);
    assert_true(fabs(error_of(90 * ms, 88 * ms, 66 * ms, 3) - 0.75) < 1e-9);
    assert_true(error_of(90 * ms, 88 * ms, 500 * ms, 3) == 1); /* a thread may have waited before */
    assert_true(fabs(error_of(90 * ms, 88 * ms, 66 * ms, 10) - 0.75) < 1e-9);
    assert_true(error_of(90 * ms, 88 * ms, 66 * ms, 40) == 0);  /* the median is of many */
    assert_true(error_of(ms, ms / 2, ms, 10) == 0); /* no time slice is so short */
    /* the first run, of cold code and data, took less than half of what they say */
    assert_true(fabs(error_of(22 * ms, 88 * ms, 0, 3) - 0.75) < 1e-9);
    assert_true(error_of(45 * ms, 88 * ms, 0, 3) == 0);
    assert_true(error_of(22 * ms, 88 * ms, 0, 7) == 0);
}

/* Of the looks at the cores those that are in a row of so many find them shared. */
static int shared_from;
static int shared_to;
static int looks;

static double lose_as_said(rc_device_t *d, int anew)
{
    (void)d;
    looks += anew;
    return looks >= shared_from && looks < shared_to ? 0.4 : 0.05;
}

static rc_measured_t with_shared_cores(int from, int to, int64_t reps)
{
    enum { ms = 1000000 };
    world_t w;
    world_begin(&w, "null", make_matrix(60, 40, 4, 1), 3, 1);
    w.d->time_batch = time_as_said;
    w.d->lost = lose_as_said;
    w.d->waited = wait_as_said;
    w.cfg.target_rel_err = -1;
    w.cfg.budget_ns = reps * ms;
    w.cfg.min_batch_ns = 1;
    said_first_ns = said_waited_ns = 0;
    said_ns = ms;
    looks = 0;
    shared_from = from;
    shared_to = to;
    assert_int_equal(world_run(&w), RC_OK);
    assert_int_equal(w.cases[0].status, RC_CASE_OK);
    assert_int_equal(w.cases[0].reps, reps);
    rc_measured_t found = w.cases[0];
    assert_true(rc_measured_error(&w.cfg, &found) == found.lost);
    found.sample_ns = NULL;
    world_end(&w);
    return found;
}

/* A batch beside which a core was shared is timed again, until four budgets were spent so. */
static void shared_cores_are_waited_for(void **state)
{
    (void)state;
    rc_measured_t m = with_shared_cores(0, 0, 10);
    assert_true(m.again == 0 && m.lost == 0);
    m = with_shared_cores(3, 8, 10); /* found after batches 3 to 7, so before 4 to 8 as well */
    assert_true(m.again == 6 && m.lost == 0);
    m = with_shared_cores(3, 38, 10);
    assert_true(m.again == 36 && m.lost == 0);
    m = with_shared_cores(0, 1000, 10);
    assert_true(m.again == 40 && fabs(m.lost - 0.4) < 1e-9);
    /* 40 again, and four that were kept all the same; the fifth has one before it: of half of a long
     * one it is not known */
    m = with_shared_cores(0, 45, 10);
    assert_true(m.again == 40 && fabs(m.lost - (4 * 0.4 + (0.4 + 0.05) / 2) / 10) < 1e-9);
}

static rc_status_t flush_nothing(rc_device_t *d, rc_err_t *err)
{
    (void)d;
    (void)err;
    return RC_OK;
}

/* Neither a large budget nor caches that are flushed before each batch make that long: it is as many
 * batches as four cases have at most. */
static void shared_cores_are_not_waited_for_long(void **state)
{
    static const int64_t budget[] = {INT64_MAX, INT64_MAX / 2, 1000000000000};
    (void)state;
    for (int i = 0; i < 6; i++) {
        world_t w;
        world_begin(&w, "null", make_matrix(60, 40, 4, 1), 3, 1);
        w.d->time_batch = time_as_said;
        w.d->lost = lose_as_said;
        w.d->waited = wait_as_said;
        w.d->flush = flush_nothing;
        w.cfg.cold = i % 2;
        w.cfg.target_rel_err = -1;
        w.cfg.budget_ns = budget[i / 2];
        w.cfg.min_batch_ns = 1;
        w.cfg.max_reps = 10;
        said_first_ns = said_waited_ns = 0;
        said_ns = 1000000000;
        looks = shared_from = 0;
        shared_to = 1000;
        assert_int_equal(world_run(&w), RC_OK);
        assert_int_equal(w.cases[0].reps, 10);
        assert_int_equal(w.cases[0].again, 40);
        assert_true(fabs(w.cases[0].lost - 0.4) < 1e-9);
        world_end(&w);
    }
}

/* Is the matrix on the device under a limit?  `fault` can tell: without it mode 11 finds no memory, with it mode 10. */
static int is_there(int64_t limit, int64_t k, int64_t *tile)
{
    int there[2];
    for (int mode = 10; mode <= 11; mode++) {
        world_t w;
        world_begin(&w, mode == 10 ? "fault:mode=10" : "fault:mode=11", make_matrix(300, 300, 20, 1), k, 2);
        w.group.memory_limit = limit;
        assert_int_equal(world_run(&w), RC_OK);
        there[mode - 10] = w.cases[1].status == RC_CASE_OK;
        *tile = w.cases[1].k_tile;
        world_end(&w);
    }
    assert_true(there[0]); /* mode 10 goes on without it */
    return there[1];
}

/* A matrix of more than a sixteenth of the limit counts in it: it is on the device where it takes a quarter at most and
 * cuts no product that would be whole, and what is cut anyway is cut with it there. */
static void the_matrix_is_kept_where_there_is_room(void **state)
{
    (void)state;
    rc_csr_t a = make_matrix(300, 300, 20, 1);
    const int64_t bytes = rc_resident_bytes(&a, RC_FP32);
    const int64_t wide = 64;
    const int64_t dense = 2 * 300 * wide * (int64_t)sizeof(float);
    int64_t tile = 0;
    free_matrix(&a);
    assert_true(dense + bytes > 4 * bytes && dense < 4 * bytes);
    assert_true(is_there(17 * bytes, 8, &tile));
    assert_true(is_there(4 * bytes, 8, &tile));
    assert_false(is_there(4 * bytes - 4, 8, &tile));
    assert_false(is_there(dense + bytes, wide, &tile));
    assert_int_equal(tile, wide);
    assert_true(is_there(dense + bytes - 1, wide, &tile));
    assert_true(tile < wide);
}

static rc_status_t (*plain_project)(rc_device_t *d, const rc_dense_t *m, const double *sign, double *sum, double *mag,
    unsigned char *found, rc_err_t *err);
static int references_made; /* only they ask for the sums of absolute values */

static rc_status_t counting_project(rc_device_t *d, const rc_dense_t *m, const double *sign, double *sum, double *mag,
    unsigned char *found, rc_err_t *err)
{
    references_made += mag != NULL;
    return plain_project(d, m, sign, sum, mag, found, err);
}

static void begin_again(rc_measured_t *m, const rc_schedule_t *schedule)
{
    free(m->sample_ns);
    *m = (rc_measured_t){.schedule = schedule};
}

/* The references of all tiles serve the next kernel, too. */
static void a_tile_is_multiplied_out_once(void **state)
{
    (void)state;
    enum { K = 1280, TILE = 40 }; /* 40 tiles of 32 */
    world_t w;
    world_begin(&w, "cstat", make_matrix(60, 40, 4, 1), K, 2);
    w.group.digest = rc_digest("a matrix", 8);
    plain_project = w.d->dense_project;
    w.d->dense_project = counting_project;
    references_made = 0;
    w.group.memory_limit = (60 + 40) * (int64_t)sizeof(float) * TILE + 2 * state_bytes(&w, &w.schedule[REVERSED]);
    for (int kernel = 0; kernel < 2; kernel++) {
        for (int i = 0; i < w.n; i++)
            begin_again(&w.cases[i], &w.schedule[IDENTITY]);
        assert_int_equal(world_run(&w), RC_OK);
        for (int i = 0; i < w.n; i++)
            if (w.cases[i].status != RC_CASE_OK || w.cases[i].k_tile > K / 20)
                fail_msg("status %d, tiles of %ld: %s", (int)w.cases[i].status, (long)w.cases[i].k_tile, w.cases[i].text);
        assert_int_equal(references_made, (K + w.cases[0].k_tile - 1) / w.cases[0].k_tile);
    }
    world_end(&w);
}

/* Each would take as much memory as the matrix. */
static void references_share_a_transpose(void **state)
{
    (void)state;
    world_t w;
    world_begin(&w, "plain-spmm_t", make_matrix(60, 40, 4, 1), 8, 1);
    w.group.digest = rc_digest("a matrix", 8);
    for (w.group.k = 8; w.group.k <= 12; w.group.k++) {
        begin_again(&w.cases[0], &w.schedule[IDENTITY]);
        assert_int_equal(world_run(&w), RC_OK);
        assert_int_equal(w.cases[0].status, RC_CASE_OK);
    }
    assert_int_equal(w.ctx->kept_count, 5);
    for (int i = 0; i < w.ctx->kept_count; i++)
        assert_ptr_equal(w.ctx->kept[i]->m.a, &w.ctx->transposed);
    world_end(&w);
}

/* Values are narrowed a piece at a time: at and around the bounds of pieces, too. */
static void values_are_narrowed_in_pieces(void **state)
{
    (void)state;
    static const int64_t count[] = {0, 1, (1 << 22) - 1, 1 << 22, (1 << 22) + 1, (1 << 23) + 3};
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
        int64_t n = count[k];
        double *val = malloc(((size_t)n + 1) * sizeof *val);
        void *there = NULL;
        assert_non_null(val);
        for (int64_t i = 0; i < n; i++)
            val[i] = (double)(i % 1000003) + 0.1;
        assert_int_equal(rc_resident_values(&d->executor, val, n, RC_FP32, &there, NULL), RC_OK);
        for (int64_t i = 0; i < n; i++)
            if (((const float *)there)[i] != (float)val[i])
                fail_msg("%ld values: number %ld is %g", (long)n, (long)i, (double)((const float *)there)[i]);
        d->executor.release(&d->executor, there);
        free(val);
    }
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_narrowed_in_pieces),
        cmocka_unit_test(the_matrix_is_kept_where_there_is_room),
        cmocka_unit_test(a_tile_is_multiplied_out_once),
        cmocka_unit_test(references_share_a_transpose),
        cmocka_unit_test(phases_are_announced),
        cmocka_unit_test(memory_limit_makes_sets),
        cmocka_unit_test(stopping),
        cmocka_unit_test(rounds_are_interleaved),
        cmocka_unit_test(batches_that_waited_say_little),
        cmocka_unit_test(shared_cores_are_waited_for),
        cmocka_unit_test(shared_cores_are_not_waited_for_long),
    };
    return cmocka_run_group_tests_name("measure rounds", tests, NULL, NULL);
}
