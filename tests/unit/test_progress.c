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
            int64_t some[RC_CASE_STATUSES] = {[RC_CASE_OK] = CASES / WORDS};
            const rc_effort_t effort = {{[RC_EFFORT_CASE] = CASES / WORDS * case_s,
                [RC_EFFORT_SPARSE] = CASES / WORDS * item[i].size_s}};
            elapsed += CASES / WORDS * item[i].time_s;
            done += CASES / WORDS;
            rc_meter_add(&m, some, &effort, CASES / WORDS * item[i].time_s);
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
        w->effort = rc_worklist_effort(p, (double)m->rows, (double)m->nnz, r->k, end - i);
        if (w->starts) {
            rc_effort_t load = rc_worklist_load_effort(
                p, (double)m->rows, (double)m->nnz, policies_of(v, e, i, n));
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
        const int64_t some[RC_CASE_STATUSES] = {[RC_CASE_OK] = word[i].cases};
        rc_meter_add(&m, some, &word[i].effort, word[i].took_s);
        elapsed += word[i].took_s;
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
        cmocka_unit_test(recorded_sweeps_are_within_a_factor_of_two),
        cmocka_unit_test(the_percentage_is_of_cases),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("progress", tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
