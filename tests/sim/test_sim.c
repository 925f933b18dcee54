/* The simulated sweep keeps the rules of the real one, whatever it costs. */
#include "config.h"
#include "unit.h"
#include "deal.h"
#include "base/rng.h"

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

/* How far the end of a sweep is beyond what no dealing can avoid: the mean load of the ranks, or the longest matrix from
 * its file to its last result.  The part of the ranks' time that is lost so. */
static double idle_beyond_bound(const sim_cost_t *c, int64_t n, int ranks, sim_deal_t *d)
{
    sim_deal_params_t p = gpu;
    double all = 0;
    double longest = 0;
    p.ranks = ranks;
    p.preparers = 12; /* as simulate has it for a GPU with 16 CPUs, and the by_cost of src/sweep/prepare.c */
    p.ahead = 24;
    p.by_cost = 1;
    p.tell_s = 1;
    for (int64_t i = 0; i < n; i++) {
        all += c[i].measure_s;
        longest = fmax(longest, c[i].load_s + c[i].prepare_s + c[i].measure_s);
    }
    *d = run(&p, c, n);
    return 1 - fmax(all / ranks, longest) / d->wall_s;
}

/* As many matrices as the catalogue has twins, with the costs of a published store, on 1,000 ranks, longest first: the
 * longest one takes seven times the share of a rank, and the dealing adds less than 5 % to it.  With ten times as many the
 * share is longer than any matrix, and ranks are idle less than 5 % of the time. */
static void twins_on_1000_ranks(void **state)
{
    enum { twins = 2900, ranks = 1000, more = 10 * twins };
    const char *top = getenv("top_srcdir");
    char path[4096];
    sim_cost_t *from = NULL;
    sim_cost_t *c = NULL;
    sim_deal_t d;
    int64_t count = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/data/results/h200.h5", top ? top : ".");
    assert_int_equal(sim_costs_read(path, &from, &count, NULL), RC_OK);
    for (uint64_t seed = 1; seed <= 2; seed++) {
        assert_int_equal(sim_costs_draw(from, count, twins, seed, 1, &c, NULL), RC_OK);
        double lost = idle_beyond_bound(c, twins, ranks, &d);
        if (lost > 0.05)
            fail_msg("%d matrices on %d ranks, seed %d: %.3f of the time is lost", twins, ranks, (int)seed, lost);
        free(c);
        assert_int_equal(sim_costs_draw(from, count, more, seed, 1, &c, NULL), RC_OK);
        lost = idle_beyond_bound(c, more, ranks, &d);
        double idle = 1 - d.work_s / (ranks * d.wall_s);
        if (lost > 0.05 || idle > 0.05)
            fail_msg("%d matrices on %d ranks, seed %d: %.3f of the time is lost, ranks are idle %.3f of it",
                more, ranks, (int)seed, lost, idle);
        free(c);
    }
    free(from);
}

static int longer(const void *x, const void *y)
{
    const sim_cost_t *a = x;
    const sim_cost_t *b = y;
    return (a->measure_s < b->measure_s) - (a->measure_s > b->measure_s);
}

/* How the orders of a matrix are shared out where ranks share it: every part builds all of them; each builds its
 * own, and the original order is measured again beside them, for a speedup compares what was timed in turns; or
 * as that, with orders whose work is bounded, so that building them takes no longer than loading. */
typedef enum sharing { ALL_ORDERS, OWN_ORDERS, BOUNDED_ORDERS } sharing_t;

/* What one of `parts` and `ways` of a matrix costs. */
static sim_cost_t part_of(const sim_cost_t *c, int64_t k, int64_t parts, int64_t ways, sharing_t how)
{
    enum { orders = 11 }; /* of the store */
    sim_cost_t to = *c;
    to.blocks = (k + 1) * c->blocks / parts - k * c->blocks / parts;
    to.rows = to.blocks * c->rows / c->blocks;
    to.measure_s = c->measure_s * (double)to.blocks / (double)c->blocks;
    if (how == ALL_ORDERS)
        return to;
    to.prepare_s = fmax(c->order_s, c->prepare_s / (double)ways);
    if (how == BOUNDED_ORDERS)
        to.prepare_s = fmin(to.prepare_s, c->load_s);
    to.measure_s *= 1.0 / (double)ways + (ways > 1 ? 1.0 / orders : 0);
    return to;
}

/* What would be if ranks shared a matrix: parts of whole blocks, since a block is timed in turns, none that is prepared
 * or measured for longer than `most` seconds if there are enough of them; each part loads the matrix again. */
static sim_cost_t *split(const sim_cost_t *c, int64_t n, double most, sharing_t how, int64_t *count)
{
    sim_cost_t *to = NULL;
    int64_t all = 0;
    for (int fill = 0; fill < 2; fill++) {
        all = 0;
        for (int64_t i = 0; i < n; i++) {
            enum { orders = 10 }; /* beside the original one */
            int64_t ways = how == ALL_ORDERS ? 1 : (int64_t)ceil(c[i].prepare_s / most);
            ways = ways < 1 ? 1 : ways < orders ? ways : orders;
            int64_t parts = (int64_t)ceil(c[i].measure_s / (most * (double)ways));
            parts = parts < c[i].blocks ? parts : c[i].blocks;
            for (int64_t k = 0; k < parts * ways; k++, all++)
                if (fill)
                    to[all] = part_of(&c[i], k % parts, parts, ways, how);
        }
        to = fill ? to : malloc((size_t)all * sizeof *to);
        assert_non_null(to);
    }
    qsort(to, (size_t)all, sizeof *to, longer);
    *count = all;
    return to;
}

/* A sweep of parts.  \return its wall time */
static double divided(const sim_cost_t *c, int64_t n, int ranks, sharing_t how, const char *what)
{
    sim_deal_t d;
    int64_t count = 0;
    double longest = 0;
    sim_cost_t *p = split(c, n, 1, how, &count);
    (void)idle_beyond_bound(p, count, ranks, &d);
    for (int64_t i = 0; i < count; i++)
        longest = fmax(longest, p[i].load_s + p[i].prepare_s + p[i].measure_s);
    print_message("# %s: %d parts, %.1f s, idle %.2f; the longest part %.1f s\n", what, (int)count, d.wall_s,
        1 - d.work_s / (ranks * d.wall_s), longest);
    assert_true(d.wall_s >= longest);
    free(p);
    return d.wall_s;
}

/* As twins_on_1000_ranks, if a matrix could be divided: what the longest one costs then, and what dividing brings. */
static void divided_twins(void **state)
{
    enum { twins = 2900, ranks = 1000 };
    const char *top = getenv("top_srcdir");
    char path[4096];
    sim_cost_t *from = NULL;
    sim_cost_t *c = NULL;
    sim_deal_t whole;
    int64_t count = 0;
    (void)state;
    snprintf(path, sizeof path, "%s/data/results/h200.h5", top ? top : ".");
    assert_int_equal(sim_costs_read(path, &from, &count, NULL), RC_OK);
    assert_int_equal(sim_costs_draw(from, count, twins, 1, 1, &c, NULL), RC_OK);
    (void)idle_beyond_bound(c, twins, ranks, &whole);
    double order = 0;
    double load = 0;
    for (int64_t i = 0; i < twins; i++) {
        order = fmax(order, c[i].order_s);
        load = fmax(load, c[i].load_s);
    }
    print_message("# %d matrices whole: %.1f s, idle %.2f; %.1f s of work a rank; the longest order %.1f s, loading %.1f s\n",
        (int)twins, whole.wall_s, 1 - whole.work_s / (ranks * whole.wall_s), whole.work_s / ranks, order, load);
    double all = divided(c, twins, ranks, ALL_ORDERS, "every part builds all orders");
    double own = divided(c, twins, ranks, OWN_ORDERS, "each its own");
    double bounded = divided(c, twins, ranks, BOUNDED_ORDERS, "each its own, of bounded work");
    assert_true(all < whole.wall_s / 2);
    assert_true(own < all && own >= order); /* why dividing is not enough: an order is built by one */
    assert_true(bounded < own);
    free(c);
    free(from);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(messages_are_counted),
        cmocka_unit_test(work_is_conserved), cmocka_unit_test(same_seed_same_figures),
        cmocka_unit_test(slow_server_is_seen), cmocka_unit_test(fewer_messages),
        cmocka_unit_test(published_store), cmocka_unit_test(twins_on_1000_ranks), cmocka_unit_test(divided_twins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
