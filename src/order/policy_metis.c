/* metis: rows part after part of a k-way partition (Karypis and Kumar 1998) by METIS, as Jiang et
 * al.  2020 compare with: METIS_PartGraphKway on A + A' without the diagonal, no weights, a fixed
 * seed, ceil(rows / part) parts; rows by (part, row) [chosen: the paper names no option].  It does
 * not say either whether a part is a panel (`part`) or the work of a processor of the GPU
 * (`parts`).  Rows only: renumbering the columns would change no tile of them.  Groups are the
 * parts that have rows.
 *
 * METIS draws from rand() of the C library and takes over SIGTERM and SIGABRT while it runs: one
 * partition at a time in a process, and the handlers are put back.  That of SIGTERM goes back each
 * time when a thread that looks every 50 us runs: METIS's jumps to where METIS was called, which
 * only the thread that called it survives.
 * Another version of the library may give another order.  Cost: about linear in nnz. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/graph.h"
#include "order/policy.h"

#include <inttypes.h>
#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { PARAM_PART, PARAM_PARTS };

/* METIS has state of the whole process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Handlers that METIS takes over, and whether its call has ended. */
typedef struct handlers {
    struct sigaction term;
    struct sigaction abort;
    atomic_int ended;
} handlers_t;

/* A thread beside METIS, which takes SIGTERM when it begins and again on the way. */
static void *keep_term(void *arg)
{
    const struct timespec pause = {.tv_nsec = 50000};
    handlers_t *h = arg;
    while (!atomic_load(&h->ended)) {
        (void)sigaction(SIGTERM, &h->term, NULL);
        (void)nanosleep(&pause, NULL);
    }
    return NULL;
}

static int partition_graph(idx_t n, idx_t parts, idx_t *ptr, idx_t *adj, idx_t *part)
{
    idx_t constraints = 1;
    idx_t cut;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    return METIS_PartGraphKway(
        &n, &constraints, ptr, adj, NULL, NULL, NULL, &parts, NULL, NULL, options, &cut, part);
}

static rc_status_t call_metis(
    idx_t n, idx_t parts, idx_t *ptr, idx_t *adj, idx_t *part, rc_err_t *err)
{
    handlers_t h;
    pthread_t beside;
    sigset_t all;
    sigset_t mask;
    int code = METIS_OK;
    atomic_init(&h.ended, 0);
    pthread_mutex_lock(&one_at_a_time);
    (void)sigaction(SIGTERM, NULL, &h.term);
    (void)sigaction(SIGABRT, NULL, &h.abort);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &mask); /* handlers of the program run in its own threads */
    int number = pthread_create(&beside, NULL, keep_term, &h);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (number == 0) {
        code = partition_graph(n, parts, ptr, adj, part);
        atomic_store(&h.ended, 1);
        pthread_join(beside, NULL);
        (void)sigaction(SIGTERM, &h.term, NULL);
        (void)sigaction(SIGABRT, &h.abort, NULL);
    }
    pthread_mutex_unlock(&one_at_a_time);
    if (number != 0)
        return rc_fail_errno(err, RC_ENOMEM, number, "cannot start a thread beside METIS");
    if (code != METIS_OK)
        return rc_fail(err, code == METIS_ERROR_MEMORY ? RC_ENOMEM : RC_EINVAL,
            "METIS failed with status %d", code);
    return RC_OK;
}

/* \param[out] part  [rows] */
static rc_status_t partition(const rc_graph_t *g, int64_t parts, int32_t *part, rc_err_t *err)
{
    if (g->ptr[g->n] > IDX_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "METIS takes at most %" PRId64 " edges, the graph has %" PRId64, (int64_t)IDX_MAX,
            g->ptr[g->n]);
    rc_status_t st = RC_OK;
    size_t n = (size_t)g->n;
    size_t edges = (size_t)g->ptr[n];
    rc_pool_t pool = {0};
    idx_t *ptr = rc_pool_get(&pool, n + 1, sizeof *ptr);
    idx_t *adj = rc_pool_get(&pool, edges, sizeof *adj);
    idx_t *found = rc_pool_get(&pool, n, sizeof *found);
    RC_TRY(rc_pool_check(&pool, "a graph for METIS", err));
    for (size_t i = 0; i <= n; i++)
        ptr[i] = (idx_t)g->ptr[i];
    for (size_t e = 0; e < edges; e++)
        adj[e] = (idx_t)g->adj[e];
    RC_TRY(call_metis((idx_t)n, (idx_t)parts, ptr, adj, found, err));
    for (size_t i = 0; i < n; i++)
        part[i] = (int32_t)found[i];
done:
    rc_pool_free(&pool);
    return st;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_graph_t g;
    int64_t n = in->a->rows;
    int64_t size = in->params->value[PARAM_PART];
    int64_t parts = in->params->value[PARAM_PARTS];
    if (parts == 0)
        parts = n / size + (n % size != 0);
    parts = parts < n ? parts : n;
    RC_PASS(rc_graph_build(in->a, &g, err));
    rc_status_t st = RC_OK;
    int32_t *part = rc_alloc0((size_t)n, sizeof *part, "the parts", err);
    if (!part)
        st = RC_ENOMEM;
    if (st == RC_OK && parts > 1)
        st = partition(&g, parts, part, err);
    if (st == RC_OK)
        st = rc_schedule_of_groups(part, n, parts, "part_ptr", out, err);
    free(part);
    rc_graph_free(&g);
    return st;
}

extern const rc_policy_t rc_policy_metis;

/* The one of the two that counts: without `parts` the text is that of stores from before there was
 * one. */
static rc_status_t identify(const rc_params_t *p, char *text, rc_err_t *err)
{
    int i = p->value[PARAM_PARTS] ? PARAM_PARTS : PARAM_PART;
    return rc_params_text_of(rc_policy_metis.param, p, 1u << i, text, err);
}

const rc_policy_t rc_policy_metis = {
    .name = "metis",
    .summary = "rows part after part of a k-way partition",
    .source = "Karypis and Kumar 1998; Jiang et al. 2020, section 5.2",
    .version = 1,
    .on_request = 1,
    .param = {{"part", "rows of a part, about", 128, 1, INT32_MAX, 0},
        {"parts", "parts in all, whatever `part` is; 0: as `part` says", 0, 0, INT32_MAX, 0}},
    .identify = identify,
    .build = build,
};
