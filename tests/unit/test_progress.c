/* The time left, on simulated sweeps: no clock is read. */
#include "config.h"
#include "unit.h"

#include "base/log.h"
#include "base/rng.h"
#include "sweep/worklist.h"
#include "table/view.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ITEMS = 300, CASES = 40, WORDS = 4 };
/* Matrices of a run that is looked at, and of one that has no excuse. */
enum { FEW = 30, MANY = 100 };

/* What a matrix is thought to cost and what it takes, per case. */
typedef struct item {
    double size_s;
    double time_s;
} item_t;

static const double case_s = 0.01;

/* Shares of the true time: by the size of the matrix, and the same for every case. */
typedef struct machine {
    const char *what;
    double by_size;
    double by_case;
    double noise; /* standard deviation of the log of a matrix' time */
} machine_t;

static double normal(rc_rng_t *rng)
{
    double u = rc_rng_unit(rng);
    return sqrt(-2 * log(1 - u)) * cos(2 * acos(-1) * rc_rng_unit(rng));
}

static int costs_more(const void *a, const void *b)
{
    const item_t *x = a;
    const item_t *y = b;
    return (x->size_s < y->size_s) - (x->size_s > y->size_s);
}

/* Longest first, as the queue hands them out; the estimate knows the size, not the machine. */
static double make(const machine_t *m, item_t *item, rc_rng_t *rng)
{
    double total = 0;
    for (int i = 0; i < ITEMS; i++) {
        double size = exp(1.5 * normal(rng));
        item[i].size_s = 0.02 * size;
        item[i].time_s = (m->by_size * size + m->by_case) * exp(m->noise * normal(rng));
        total += CASES * item[i].time_s;
    }
    qsort(item, ITEMS, sizeof *item, costs_more);
    return total;
}

/* Worst factor between the time left and its estimate, from 10 % of the cases on until 5 % of the
 * time is left. */
static double worst_factor(const machine_t *machine, rc_rng_t *rng)
{
    item_t item[ITEMS];
    rc_meter_t m;
    rc_effort_t planned = {{[RC_EFFORT_CASE] = ITEMS * CASES * case_s}};
    double elapsed = 0;
    double worst = 1;
    double total = make(machine, item, rng);
    for (int i = 0; i < ITEMS; i++)
        planned.s[RC_EFFORT_SPARSE] += CASES * item[i].size_s;
    rc_meter_start(&m, NULL, ITEMS, (int64_t)ITEMS * CASES, &planned);
    assert_true(rc_meter_left_s(&m, 1) < 0);
    int64_t done = 0;
    for (int i = 0; i < ITEMS; i++)
        for (int w = 0; w < WORDS; w++) {
            const rc_progress_t word = {.cases = {[RC_CASE_OK] = CASES / WORDS},
                .effort = {{[RC_EFFORT_CASE] = CASES / WORDS * case_s,
                    [RC_EFFORT_SPARSE] = CASES / WORDS * item[i].size_s}},
                .took_s = CASES / WORDS * item[i].time_s};
            elapsed += CASES / WORDS * item[i].time_s;
            done += CASES / WORDS;
            rc_meter_add(&m, &word, elapsed);
            double left = total - elapsed;
            if (rc_progress_percent(done, m.cases) < 10 || left < 0.05 * total)
                continue;
            double f = rc_meter_left_s(&m, elapsed) / left;
            assert_true(f > 0);
            worst = fmax(worst, fmax(f, 1 / f));
        }
    assert_true(rc_meter_left_s(&m, elapsed) < 1e-6 * total);
    return worst;
}

/* ------------------------------------------------------------------ noisy cases */

enum { KEPT = 16 };

/* A sweep in which some of the cases are noisy, and some of these again. */
typedef struct noisy {
    machine_t machine;
    double share;
    double still; /* chance that some of a matrix are so in the second turn */
} noisy_t;

typedef struct run {
    rc_meter_t m;
    double total; /* of all words */
    double elapsed;
    double worst;
} run_t;

/* Worst factor from a tenth of the cases on; `total` of 0: the time is only added up. */
static void say(run_t *r, const rc_progress_t *word)
{
    r->elapsed += word->took_s;
    rc_meter_add(&r->m, word, r->elapsed);
    const double left = r->total - r->elapsed;
    int64_t done = 0;
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        done += r->m.done[i];
    if (r->total <= 0 || rc_progress_percent(done, r->m.cases) < 10 || left < 0.02 * r->total)
        return;
    const double f = rc_meter_left_s(&r->m, r->elapsed) / left;
    assert_true(f > 0);
    r->worst = fmax(r->worst, fmax(f, 1 / f));
}

/* Matrix by matrix: the words of its blocks, what was noisy again; then the last turn. */
static void sweep_noisy(run_t *r, const noisy_t *n, const item_t *item, rc_rng_t *rng)
{
    int64_t again_ns[KEPT];
    int kept[KEPT];
    int count = 0;
    double last_s = 0;
    for (int i = 0; i < ITEMS; i++) {
        const rc_effort_t all = {{[RC_EFFORT_CASE] = CASES * case_s, [RC_EFFORT_SPARSE] = CASES * item[i].size_s}};
        const double noisy = fmin(1, n->share * (0.5 + rc_rng_unit(rng)));
        rc_progress_t word = {.cases = {[RC_CASE_OK] = CASES / WORDS}, .took_s = CASES / WORDS * item[i].time_s};
        rc_effort_add(&word.effort, &all, 1.0 / WORDS);
        rc_effort_add(&word.due, &all, noisy / WORDS);
        for (int w = 0; w < WORDS; w++)
            say(r, &word);
        const double then = rc_meter_left_s(&r->m, r->elapsed);
        const double later = rc_meter_left_s(&r->m, r->elapsed + 0.1 * then);
        assert_true(then < 0 || fabs(later - 0.9 * then) <= 1e-9 * then); /* no word, and no less done */
        rc_progress_t again = {.again = 1, .took_s = noisy * CASES * item[i].time_s};
        rc_effort_add(&again.redone, &all, noisy);
        const int keeps = rc_rng_unit(rng) < n->still && count < KEPT;
        if (keeps) {
            kept[count] = i;
            again_ns[count++] = (int64_t)(again.took_s * 1e9);
        }
        say(r, &again);
        const double now_s = 1e-9 * (double)rc_last_turn_ns(again_ns, 0, count, (int64_t)(r->elapsed * 1e8));
        say(r, &(rc_progress_t){.last_s = now_s - last_s});
        last_s = now_s;
    }
    int64_t left_ns = (int64_t)(r->elapsed * 1e8);
    for (int i = 0; i < count; i++) {
        if (i > 0 && again_ns[i] > left_ns)
            continue;
        left_ns -= again_ns[i];
        const double rest_s = 1e-9 * (double)rc_last_turn_ns(again_ns, i + 1, count, left_ns);
        rc_progress_t again = {.again = 1, .took_s = 1e-9 * (double)again_ns[i], .last_s = rest_s - last_s};
        again.redone.s[RC_EFFORT_CASE] = again.due.s[RC_EFFORT_CASE] = CASES * case_s * n->share;
        again.redone.s[RC_EFFORT_SPARSE] = again.due.s[RC_EFFORT_SPARSE] = CASES * item[kept[i]].size_s * n->share;
        last_s = rest_s;
        say(r, &again);
    }
}

static void what_is_noisy_is_foreseen(void **state)
{
    static const noisy_t kinds[] = {{{"few are noisy", 0.02, 0.01, 0}, 0.05, 0.2},
        {{"some are noisy", 0.06, 0.03, 0}, 0.3, 0.5}, {{"nearly all are noisy", 0.02, 0.03, 0.15}, 0.9, 1},
        {{"all, and cases count", 0.001, 0.05, 0.25}, 1, 1}, {{"all, and only the size counts", 0.05, 0, 0}, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint64_t round = 0; round < 20; round++) {
            run_t r = {.total = 0};
            for (int pass = 0; pass < 2; pass++) { /* the first says how long it takes */
                rc_rng_t rng;
                item_t item[ITEMS];
                rc_effort_t planned = {{[RC_EFFORT_CASE] = ITEMS * CASES * case_s}};
                rc_rng_seed(&rng, 100 + round);
                (void)make(&kinds[i].machine, item, &rng);
                for (int j = 0; j < ITEMS; j++)
                    planned.s[RC_EFFORT_SPARSE] += CASES * item[j].size_s;
                r = (run_t){.total = r.elapsed, .worst = 1};
                rc_meter_start(&r.m, NULL, ITEMS, (int64_t)ITEMS * CASES, &planned);
                sweep_noisy(&r, &kinds[i], item, &rng);
            }
            assert_true(rc_meter_left_s(&r.m, r.elapsed) < 1e-6 * r.total);
            if (!(r.worst <= 2))
                fail_msg("%s, round %d: off by a factor of %g", kinds[i].machine.what, (int)round, r.worst);
        }
}

static void the_time_left_is_within_a_factor_of_two(void **state)
{
    static const machine_t machines[] = {{"as estimated", 0.02, 0.01, 0},
        {"three times as slow", 0.06, 0.03, 0}, {"only the size counts", 0.05, 0, 0},
        {"every case takes the same", 0, 0.04, 0}, {"small ones cost more", 0.005, 0.05, 0},
        {"matrices differ", 0.02, 0.03, 0.25}, {"they differ, and cases count", 0.001, 0.05, 0.25}};
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 7);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (int round = 0; round < 20; round++) {
            double f = worst_factor(&machines[i], &rng);
            if (!(f <= 2))
                fail_msg("%s, round %d: off by a factor of %g", machines[i].what, round, f);
        }
}

/* ------------------------------------------------------- what sweeps recorded */

/* A row of a store, and when it was written. */
typedef struct event {
    int64_t run;
    int64_t utc_ns;
    int64_t seq;
    int64_t row;
} event_t;

/* A block of cases: what a worker says at once. */
typedef struct word {
    rc_effort_t effort;
    int64_t cases;
    double took_s;
    int starts; /* 1: of a matrix */
} word_t;

static int earlier(const void *a, const void *b)
{
    const event_t *x = a;
    const event_t *y = b;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    if (x->utc_ns != y->utc_ns)
        return x->utc_ns < y->utc_ns ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

static int same_block(const rc_row_result_t *a, const rc_row_result_t *b)
{
    return a->matrix == b->matrix && a->kernel == b->kernel && a->precision == b->precision &&
           a->k == b->k && a->c_order == b->c_order;
}

/* Orders of the matrix of event `at`, whose rows are in a row. */
static int policies_of(const rc_view_t *v, const event_t *e, int64_t at, int64_t n)
{
    unsigned char seen[256] = {0};
    int count = 0;
    int32_t matrix = rc_view_result(v, e[at].row)->matrix;
    for (; at < n && rc_view_result(v, e[at].row)->matrix == matrix; at++) {
        unsigned char *one = &seen[rc_view_result(v, e[at].row)->policy & 255];
        count += !*one;
        *one = 1;
    }
    return count;
}

static int64_t words_of(
    const rc_view_t *v, const rc_profile_t *p, const event_t *e, int64_t n, word_t *word)
{
    int64_t words = 0;
    for (int64_t i = 0, end; i < n; i = end) {
        const rc_row_result_t *r = rc_view_result(v, e[i].row);
        const rc_row_matrix_t *m = rc_view_matrix(v, r->matrix);
        for (end = i + 1; end < n && same_block(r, rc_view_result(v, e[end].row)); end++)
            ;
        word_t *w = &word[words++];
        *w = (word_t){.cases = end - i,
            .starts = i == 0 || rc_view_result(v, e[i - 1].row)->matrix != r->matrix,
            .took_s = (double)(e[end - 1].utc_ns - e[i > 0 ? i - 1 : 0].utc_ns) * 1e-9};
        const rc_work_size_t size = {.rows = (double)m->rows, .entries = (double)m->nnz, .cols = m->cols};
        w->effort = rc_worklist_effort(p, &size, r->k, end - i);
        if (w->starts) {
            rc_effort_t load = rc_worklist_load_effort(p, &size, policies_of(v, e, i, n));
            rc_effort_add(&w->effort, &load, 1);
        }
    }
    return words;
}

/* Worst factor between the time left and its estimate, give or take 2 % of the whole, from a tenth
 * of the cases and of the time on. */
static double replay(const word_t *word, int64_t words, int64_t matrices, double *whole)
{
    rc_effort_t planned = {{0}};
    rc_meter_t m;
    int64_t cases = 0;
    int64_t done = 0;
    double total = 0;
    double elapsed = 0;
    double worst = 1;
    for (int64_t i = 0; i < words; i++) {
        rc_effort_add(&planned, &word[i].effort, 1);
        cases += word[i].cases;
        total += word[i].took_s;
    }
    rc_meter_start(&m, NULL, matrices, cases, &planned);
    for (int64_t i = 0; i < words; i++) {
        const rc_progress_t some = {
            .cases = {[RC_CASE_OK] = word[i].cases}, .effort = word[i].effort, .took_s = word[i].took_s};
        elapsed += word[i].took_s;
        rc_meter_add(&m, &some, elapsed);
        done += word[i].cases;
        if (elapsed < 0.1 * total || (double)done < 0.1 * (double)cases)
            continue;
        double left = total - elapsed + 0.02 * total;
        double f = (rc_meter_left_s(&m, elapsed) + 0.02 * total) / left;
        worst = fmax(worst, fmax(f, 1 / f));
    }
    *whole = total;
    return worst;
}

/* The runs of a store that are long enough to be waited for: many matrices, over 10 s. */
static void replay_store(const char *path, int64_t *runs)
{
    rc_err_t err = {0};
    rc_view_t *v = NULL;
    const rc_sweep_config_t c = {.kernels = 0};
    const rc_device_t gpu = {.executor.kind = RC_DEVICE_CUDA};
    rc_profile_t profile;
    if (rc_view_read(path, &v, &err) < 0)
        fail_msg("%s", err.text);
    rc_profile_make(&c, &gpu, &profile);
    int64_t n = rc_view_count(v);
    event_t *e = calloc((size_t)n + 1, sizeof *e);
    word_t *word = calloc((size_t)n + 1, sizeof *word);
    assert_true(e && word);
    for (int64_t i = 0; i < n; i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        e[i] = (event_t){r->run, r->utc_ns, r->seq, i};
    }
    qsort(e, (size_t)n, sizeof *e, earlier);
    for (int64_t i = 0, end; i < n; i = end) {
        double whole;
        int64_t matrices = 0;
        for (end = i; end < n && e[end].run == e[i].run; end++)
            ;
        int64_t words = words_of(v, &profile, e + i, end - i, word);
        for (int64_t w = 0; w < words; w++)
            matrices += word[w].starts;
        double f = replay(word, words, matrices, &whole);
        if (matrices < FEW || whole < 10)
            continue;
        ++*runs;
        if (!(f <= (matrices < MANY ? 5 : 2)))
            fail_msg("%s, run %d of %d matrices, %.0f s: off by a factor of %g", path,
                (int)e[i].run, (int)matrices, whole, f);
    }
    free(word);
    free(e);
    rc_view_free(v);
}

static void recorded_sweeps_are_within_a_factor_of_two(void **state)
{
    static const char *const stores[] = {"h100-rs-628", "h100-rs-generated",
        "h100-rs-train", "h100-tiles", "h200-csrk", "h200-plans", "h200-spmv-628", "h200"};
    const char *top = getenv("top_srcdir");
    int64_t runs = 0;
    (void)state;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        char path[1000];
        (void)snprintf(path, sizeof path, "%s/data/results/%s.h5", top ? top : ".", stores[i]);
        replay_store(path, &runs);
    }
    assert_true(runs >= 40);
}

static void the_percentage_is_of_cases(void **state)
{
    (void)state;
    assert_true(rc_progress_percent(0, 8) == 0);
    assert_true(rc_progress_percent(2, 8) == 25);
    assert_true(rc_progress_percent(9, 8) == 100);
    assert_true(rc_progress_percent(0, 0) == 100);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_time_left_is_within_a_factor_of_two),
        cmocka_unit_test(what_is_noisy_is_foreseen),
        cmocka_unit_test(recorded_sweeps_are_within_a_factor_of_two),
        cmocka_unit_test(the_percentage_is_of_cases),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("progress", tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
