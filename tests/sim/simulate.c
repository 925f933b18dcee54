/* A sweep of many ranks in figures: the dealing out is simulated message by message (deal.h), the round
 * at the end is calculated (round.h).
 * Usage: simulate [OPTIONS] STORE; prints a line for each number of ranks and of matrices. */
#include "config.h"
#include "deal.h"
#include "round.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *ranks;
    const char *matrices;
    int64_t blocks;
    int64_t preparers;
    int64_t ahead;
    int64_t node;
    int64_t seed;
    double serve_us;
    double latency_us;
    double tell_ms;
    double create_us;
    double open_us;
    double scan_us;
    double write_us;
    double copy_ns;
    double journal_bytes;
    double store_bytes;
    int unsorted;
    int by_cost;
    int messages;
    int round;
    int help;
} options_t;

#define REAL(name, member, arg, help)                                                              \
    {                                                                                              \
        name, 0, RC_OPT_DOUBLE, offsetof(options_t, member), arg, help, 0, 1e9                     \
    }
#define WHOLE(name, member, least, help)                                                           \
    {                                                                                              \
        name, 0, RC_OPT_INT, offsetof(options_t, member), "N", help, least, 0                      \
    }
static const rc_opt_t table[] = {{"ranks", 'n', RC_OPT_TEXT, offsetof(options_t, ranks), "LIST",
                                     "Ranks, comma-separated.", 0, 0},
    {"matrices", 'm', RC_OPT_TEXT, offsetof(options_t, matrices), "LIST",
        "Matrices, comma-separated, drawn from the store with replacement.", 0, 0},
    WHOLE("blocks", blocks, 0, "Groups of results of a matrix. 0: as many as in the store."),
    WHOLE("preparers", preparers, 0, "Threads of a rank that prepare ahead; 0: none, as on a CPU."),
    WHOLE("ahead", ahead, 1, "Matrices in hand of a rank."),
    WHOLE("node", node, 0, "Ranks with a server of their own; 0: one server for all."),
    WHOLE("seed", seed, 0, "Of the drawing."),
    REAL("serve", serve_us, "US", "The server's time for one message, microseconds."),
    REAL("latency", latency_us, "US", "Of a message, microseconds."),
    REAL("tell", tell_ms, "MS", "Progress is told at most so often; 0: after each block."),
    REAL("create", create_us, "US", "Making a journal."),
    REAL("open", open_us, "US", "Opening one in a scan."),
    REAL("scan", scan_us, "US", "Scanning what a journal says of one result."),
    REAL("write", write_us, "US", "Writing one result to the store."),
    REAL("copy", copy_ns, "NS", "Copying a byte of the store."),
    REAL("journal-bytes", journal_bytes, "BYTES", "Of one result in a journal."),
    REAL("store-bytes", store_bytes, "BYTES", "Of one result in the store."),
    {"unsorted", 0, RC_OPT_FLAG, offsetof(options_t, unsorted), NULL,
        "Deal out in no order, as if the estimates said nothing.", 0, 0},
    {"by-cost", 0, RC_OPT_FLAG, offsetof(options_t, by_cost), NULL,
        "A rank has no more in hand than half of its share of the time that is left.", 0, 0},
    {"messages", 0, RC_OPT_FLAG, offsetof(options_t, messages), NULL,
        "Print nothing but the messages by kind, as tests/sim/shim_messages.c.", 0, 0},
    {"round", 0, RC_OPT_FLAG, offsetof(options_t, round), NULL,
        "Print the table of the commit round.", 0, 0},
    {"help", 'h', RC_OPT_FLAG, offsetof(options_t, help), NULL, "Print this.", 0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0}};

static void print_deal(const options_t *o, int ranks, int64_t items, const sim_deal_t *d)
{
    int64_t all = 0;
    for (int k = 0; k < SIM_MESSAGES; k++)
        all += d->messages[k];
    if (o->messages) {
        printf("next %" PRId64 " claim %" PRId64 " tell %" PRId64 " leave %" PRId64 " own %" PRId64
               "\n",
            d->messages[sim_next], d->messages[sim_claim], d->messages[sim_tell],
            d->messages[sim_leave], d->own);
        return;
    }
    printf("%7d %9" PRId64 " %9.0f %11" PRId64 " %9.0f %9.1f %9.3f %9.3f %8" PRId64
           " %8.1f %8.1f\n",
        ranks, items, d->wall_s, all, (double)all / d->wall_s, 100 * d->busy_s / d->wall_s,
        1e3 * d->wait_mean_s, 1e3 * d->wait_most_s, d->queue_most, d->tail_s,
        100 * d->work_s / d->wall_s / ranks);
}

static void print_round(const options_t *o, int ranks, double rows)
{
    const sim_disk_t disk = {.create_s = 1e-6 * o->create_us,
        .open_s = 1e-6 * o->open_us,
        .scan_s = 1e-6 * o->scan_us,
        .write_s = 1e-6 * o->write_us,
        .copy_s = 1e-9 * o->copy_ns,
        .journal_bytes = o->journal_bytes,
        .store_bytes = o->store_bytes};
    for (int again = 0; again < 2; again++) {
        /* the second sweep brings a hundredth to what the first has left */
        sim_round_t r = sim_round(&disk, ranks, again ? rows / 100 : rows, again ? rows : 0);
        printf("%7d %12.0f %12.0f %8.1f %9.1f %9.1f %9.1f %9.1f %9.2f %9.2f\n", ranks,
            again ? rows / 100 : rows, again ? rows : 0, r.create_s, r.scan_s, r.write_s, r.copy_s,
            r.total_s, r.journal_bytes * 1e-9, r.store_bytes * 1e-9);
    }
}

static void print_head(const options_t *o)
{
    if (o->messages)
        return;
    if (o->round)
        printf("%7s %12s %12s %8s %9s %9s %9s %9s %9s %9s\n", "ranks", "rows", "old", "create_s",
            "scan_s", "write_s", "copy_s", "round_s", "jrnl_GB", "store_GB");
    else
        printf("%7s %9s %9s %11s %9s %9s %9s %9s %8s %8s %8s\n", "ranks", "matrices", "wall_s",
            "messages", "per_s", "server_%", "wait_ms", "most_ms", "queue", "tail_s", "busy_%");
}

static rc_status_t one(const options_t *o, const sim_cost_t *from, int64_t count, int ranks,
    int64_t items, rc_err_t *err)
{
    const sim_deal_params_t p = {.ranks = ranks,
        .preparers = (int)o->preparers,
        .ahead = (int)o->ahead,
        .nap_s = 2e-3,
        .poll_s = 5e-4,
        .latency_s = 1e-6 * o->latency_us,
        .serve_s = 1e-6 * o->serve_us,
        .tell_s = 1e-3 * o->tell_ms,
        .by_cost = o->by_cost,
        .node = (int)o->node};
    sim_cost_t *item = NULL;
    sim_deal_t d;
    double rows = 0;
    rc_status_t st =
        sim_costs_draw(from, count, items, (uint64_t)o->seed, !o->unsorted, &item, err);
    for (int64_t i = 0; st == RC_OK && i < items; i++) {
        rows += (double)item[i].rows;
        item[i].blocks = o->blocks > 0 ? o->blocks : item[i].blocks;
    }
    if (st == RC_OK && o->round)
        print_round(o, ranks, rows);
    else if (st == RC_OK) {
        st = sim_deal_run(&p, item, items, &d, err);
        if (st == RC_OK)
            print_deal(o, ranks, items, &d);
    }
    free(item);
    return st;
}

static rc_status_t all(const options_t *o, const char *store, rc_err_t *err)
{
    rc_words_t ranks = {0};
    rc_words_t matrices = {0};
    sim_cost_t *cost = NULL;
    int64_t count = 0;
    int64_t n;
    int64_t m;
    rc_status_t st = sim_costs_read(store, &cost, &count, err);
    if (st == RC_OK)
        st = rc_words_split(o->ranks, ',', &ranks, err);
    if (st == RC_OK)
        st = rc_words_split(o->matrices, ',', &matrices, err);
    if (st == RC_OK)
        print_head(o);
    for (int i = 0; i < ranks.count && st == RC_OK; i++)
        for (int k = 0; k < matrices.count && st == RC_OK; k++) {
            st = rc_parse_int(ranks.word[i], 1, 1000000, "--ranks", &n, err);
            if (st == RC_OK)
                st = rc_parse_int(matrices.word[k], 1, 100000000, "--matrices", &m, err);
            if (st == RC_OK)
                st = one(o, cost, count, (int)n, m, err);
        }
    rc_words_free(&ranks);
    rc_words_free(&matrices);
    free(cost);
    return st;
}

int main(int argc, char **argv)
{
    /* of preparers and ahead: a GPU rank with 16 CPUs; the others are from probe.c and shim_messages.c
     * on the machine that data/results/notebook/sweep.md names */
    options_t o = {.ranks = "1000,10000",
        .matrices = "3000,100000",
        .preparers = 12,
        .ahead = 24,
        .seed = 1,
        .serve_us = 5,
        .latency_us = 5,
        .create_us = 1000,
        .open_us = 20,
        .scan_us = 7,
        .write_us = 5,
        .copy_ns = 2,
        .journal_bytes = 2000,
        .store_bytes = 400};
    rc_err_t err = {0};
    int first = argc;
    rc_status_t st = rc_opt_parse(table, &o, argc, argv, &first, &err);
    if (st == RC_OK && o.help) {
        printf("Usage: simulate [OPTIONS] STORE\n\n");
        rc_opt_help(table, stdout);
        return 0;
    }
    if (st == RC_OK && argc - first != 1)
        st = rc_fail(&err, RC_EINVAL, "expected one store, found %d operands", argc - first);
    if (st == RC_OK)
        st = all(&o, argv[first], &err);
    if (st < 0)
        fprintf(stderr, "simulate: %s\n", err.text);
    return st < 0;
}
