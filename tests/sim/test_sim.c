/* The simulated sweep keeps the rules of the real one, whatever it costs. */
#include "config.h"
#include "unit.h"
#include "deal.h"
#include "base/rng.h"
#include "sweep/worklist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const sim_deal_params_t gpu = {.ranks = 16,
    .preparers = 3,
    .ahead = 6,
    .nap_s = 2e-3,
    .poll_s = 5e-4,
    .latency_s = 5e-6,
    .serve_s = 5e-6};

static sim_cost_t *random_items(int64_t n, int64_t *blocks)
{
    rc_rng_t r;
    sim_cost_t *c = calloc((size_t)n, sizeof *c);
    assert_non_null(c);
    rc_rng_seed(&r, 7);
    *blocks = 0;
    for (int64_t i = 0; i < n; i++) {
        c[i] = (sim_cost_t){.load_s = 0.01 * rc_rng_unit(&r),
            .prepare_s = 0.02 * rc_rng_unit(&r),
            .measure_s = 0.1 * exp(3 * rc_rng_unit(&r)),
            .rows = 10,
            .blocks = 1 + (int64_t)rc_rng_below(&r, 9)};
        *blocks += c[i].blocks;
    }
    return c;
}

static sim_deal_t run(const sim_deal_params_t *p, const sim_cost_t *c, int64_t n)
{
    sim_deal_t d;
    assert_int_equal(sim_deal_run(p, c, n, &d, NULL), RC_OK);
    assert_int_equal(d.dealt, n); /* each once: whoever got one twice would measure it twice */
    return d;
}

/* Questions and words are as many as queue.c has, whoever sends them. */
static void messages_are_counted(void **state)
{
    static const int ranks[] = {1, 2, 4, 16, 64, 700};
    static const int preparers[] = {0, 1, 5};
    int64_t n = 300;
    int64_t blocks;
    sim_cost_t *c = random_items(n, &blocks);
    (void)state;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (size_t k = 0; k < sizeof preparers / sizeof *preparers; k++) {
            sim_deal_params_t p = gpu;
            p.ranks = ranks[i];
            p.preparers = preparers[k];
            sim_deal_t d = run(&p, c, n);
            assert_int_equal(d.messages[sim_next] + d.messages[sim_claim] + d.own, 2 * n + p.ranks);
            assert_int_equal(d.messages[sim_leave], p.ranks - 1);
            assert_int_equal(d.told, blocks + n);
            assert_true(d.messages[sim_tell] <= d.told);
            assert_int_equal(d.messages[sim_chunk], 0);
        }
    free(c);
}

/* No rank works twice at a time, and none is idle while there is work for it. */
static void work_is_conserved(void **state)
{
    int64_t n = 2000;
    int64_t blocks;
    double all = 0;
    double longest = 0;
    sim_cost_t *c = random_items(n, &blocks);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        all += c[i].measure_s;
        longest = fmax(longest, c[i].measure_s);
    }
    for (int node = 0; node <= 8; node += 4)
        for (int ranks = 1; ranks <= 64; ranks *= 8) {
            sim_deal_params_t p = gpu;
            p.ranks = ranks;
            p.node = node;
            sim_deal_t d = run(&p, c, n);
            assert_true(fabs(d.work_s - all) < 1e-6 * all);
            assert_true(d.wall_s >= all / ranks);
            assert_true(d.wall_s >= longest);
            /* a greedy schedule with what is in hand of a rank and not stolen back */
            assert_true(d.wall_s <= all / ranks + 4 * longest + 1);
            assert_true(d.tail_s <= 4 * longest + 1);
            assert_true(d.busy_s <= d.wall_s + 1);
        }
    free(c);
}

static void same_seed_same_figures(void **state)
{
    int64_t blocks;
    sim_cost_t *c = random_items(500, &blocks);
    (void)state;
    sim_deal_t a = run(&gpu, c, 500);
    sim_deal_t b = run(&gpu, c, 500);
    assert_memory_equal(&a, &b, sizeof a);
    free(c);
}

/* A server that is slower than what it is told must fall behind, and says so. */
static void slow_server_is_seen(void **state)
{
    int64_t blocks;
    sim_cost_t *c = random_items(500, &blocks);
    sim_deal_params_t p = gpu;
    (void)state;
    sim_deal_t fast = run(&p, c, 500);
    p.serve_s = 0.05;
    sim_deal_t slow = run(&p, c, 500);
    assert_true(slow.wall_s > 1.2 * fast.wall_s);
    assert_true(slow.queue_most > fast.queue_most);
    assert_true(slow.wait_mean_s > 10 * fast.wait_mean_s);
    assert_true(slow.busy_s / slow.wall_s > 0.8);
    free(c);
}

/* Words in intervals, and servers of nodes, take messages from the root and nothing from the sweep. */
static void fewer_messages(void **state)
{
    int64_t n = 3000;
    int64_t blocks;
    sim_cost_t *c = random_items(n, &blocks);
    sim_deal_params_t p = gpu;
    (void)state;
    p.ranks = 64;
    sim_deal_t each = run(&p, c, n);
    p.tell_s = 1;
    sim_deal_t seldom = run(&p, c, n);
    assert_true(seldom.messages[sim_tell] <= (int64_t)(64 * (seldom.wall_s + 2)));
    assert_true(seldom.messages[sim_tell] < each.messages[sim_tell] / 2);
    assert_int_equal(
        seldom.messages[sim_next] + seldom.messages[sim_claim] + seldom.own, 2 * n + 64);
    p.node = 8;
    sim_deal_t nodes = run(&p, c, n);
    assert_int_equal(nodes.messages[sim_next], 0);
    assert_true(nodes.messages[sim_chunk] < n / 2);
    assert_int_equal(nodes.messages[sim_leave], 8);
    assert_true(nodes.wall_s < 1.2 * each.wall_s + 2);
    free(c);
}

/* What a published store says of its matrices feeds a sweep of 1,000 ranks. */
static void published_store(void **state)
{
    const char *top = getenv("top_srcdir");
    char path[4096];
    sim_cost_t *from = NULL;
    sim_cost_t *c = NULL;
    int64_t count = 0;
    int64_t blocks = 0;
    sim_deal_params_t p = gpu;
    (void)state;
    snprintf(path, sizeof path, "%s/data/results/h200.h5", top ? top : ".");
    assert_int_equal(sim_costs_read(path, &from, &count, NULL), RC_OK);
    assert_in_range(count, 400, 600);
    for (int64_t i = 0; i < count; i++) {
        assert_true(from[i].rows >= from[i].blocks && from[i].blocks > 0);
        assert_true(from[i].measure_s > 0 && from[i].load_s > 0 && from[i].prepare_s > 0);
    }
    assert_int_equal(sim_costs_draw(from, count, 3000, 1, 1, &c, NULL), RC_OK);
    for (int64_t i = 0; i < 3000; i++) {
        assert_true(i == 0 || c[i].measure_s <= c[i - 1].measure_s);
        blocks += c[i].blocks;
    }
    p.ranks = 1000;
    sim_deal_t d = run(&p, c, 3000);
    assert_int_equal(d.told, blocks + 3000);
    assert_int_equal(d.messages[sim_next] + d.messages[sim_claim] + d.own, 7000);
    free(c);
    free(from);
}

/* A sweep of items on 1,000 ranks: GPUs with 16 CPUs, the rest as in src/sweep.
 * \param[out] tail  part of the ranks' time that is after their last work; \param[out] idle  that is not measuring */
static double sweep_of(const sim_cost_t *c, int64_t n, double *tail, double *idle)
{
    enum { ranks = 1000 };
    sim_deal_params_t p = gpu;
    p.ranks = ranks;
    p.preparers = 12;
    p.ahead = 24;
    p.by_cost = 1;
    p.tell_s = 1;
    sim_deal_t d = run(&p, c, n);
    *tail = 1 - d.out_s / (ranks * d.wall_s);
    *idle = 1 - d.work_s / (ranks * d.wall_s);
    return d.wall_s;
}

/* As the work list sorts: from the file to the last result. */
static int longest_first(const void *x, const void *y)
{
    const sim_cost_t *a = x;
    const sim_cost_t *b = y;
    double a_s = a->load_s + a->prepare_s + a->measure_s;
    double b_s = b->load_s + b->prepare_s + b->measure_s;
    return (a_s < b_s) - (a_s > b_s);
}

/* The parts that rc_worklist_parts and rc_worklist_cut make.  Each part loads the matrix and builds all of its orders
 * again, which is more than the sweep's do: these build the orders of their own geometries. */
static sim_cost_t *divide(const sim_cost_t *c, int64_t n, int ranks, int64_t *count)
{
    double share_s = 0;
    double *block_s = NULL;
    int64_t *first = NULL;
    sim_cost_t *to = NULL;
    *count = 0;
    for (int64_t i = 0; i < n; i++)
        share_s += c[i].measure_s / ranks;
    for (int64_t i = 0; i < n; i++) {
        int64_t blocks = c[i].blocks;
        block_s = realloc(block_s, (size_t)blocks * sizeof *block_s);
        first = realloc(first, (size_t)(blocks + 1) * sizeof *first);
        to = realloc(to, (size_t)(*count + blocks) * sizeof *to);
        assert_true(block_s && first && to);
        for (int64_t k = 0; k < blocks; k++)
            block_s[k] = c[i].measure_s / (double)blocks;
        int64_t parts = rc_worklist_cut(
            block_s, blocks, rc_worklist_parts(c[i].measure_s, c[i].load_s, share_s, blocks), first);
        for (int64_t k = 0; k < parts; k++) {
            sim_cost_t *one = &to[(*count)++];
            *one = c[i];
            one->blocks = first[k + 1] - first[k];
            one->rows = one->blocks * c[i].rows / blocks;
            one->measure_s = c[i].measure_s * (double)one->blocks / (double)blocks;
        }
    }
    free(block_s);
    free(first);
    qsort(to, (size_t)*count, sizeof *to, longest_first);
    return to;
}

/* As many matrices as the catalogue has twins, with the costs of a published store, on 1,000 ranks.  Whole, the longest
 * takes seven times the share of a rank; divided, as the sweep does it, the idle tail is below 5 % of the ranks' time.
 * Ten times as many need no dividing. */
static void twins_on_1000_ranks(void **state)
{
    enum { twins = 2900, ranks = 1000 };
    const char *top = getenv("top_srcdir");
    char path[4096];
    sim_cost_t *from = NULL;
    sim_cost_t *c = NULL;
    double tail;
    double idle;
    int64_t count = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/data/results/h200.h5", top ? top : ".");
    assert_int_equal(sim_costs_read(path, &from, &count, NULL), RC_OK);
    for (int times = 1; times <= 10; times *= 10)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            int64_t n = times * (int64_t)twins;
            int64_t parts;
            assert_int_equal(sim_costs_draw(from, count, n, seed, 1, &c, NULL), RC_OK);
            double whole_s = sweep_of(c, n, &tail, &idle);
            print_message("# %d matrices whole: %.1f s, tail %.3f, idle %.3f\n", (int)n, whole_s, tail, idle);
            sim_cost_t *p = divide(c, n, ranks, &parts);
            double wall_s = sweep_of(p, parts, &tail, &idle);
            print_message("# %d parts: %.1f s, tail %.3f, idle %.3f\n", (int)parts, wall_s, tail, idle);
            if (tail > 0.05 || (times == 1 && wall_s > whole_s / 4))
                fail_msg("%d matrices, seed %d: %.1f s, %.1f s divided, tail %.3f", (int)n, (int)seed, whole_s,
                    wall_s, tail);
            free(p);
            free(c);
        }
    free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_are_counted),
        cmocka_unit_test(work_is_conserved), cmocka_unit_test(same_seed_same_figures),
        cmocka_unit_test(slow_server_is_seen), cmocka_unit_test(fewer_messages),
        cmocka_unit_test(published_store), cmocka_unit_test(twins_on_1000_ranks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
