/* metis: rows part after part of a k-way partition (Karypis and Kumar 1998) by METIS, as Jiang et
 * al.  2020 compare with: METIS_PartGraphKway on A + A' without the diagonal, no weights, a fixed
 * seed, ceil(rows / part) parts; rows by (part, row) [chosen: the paper names no option].  It does
 * not say either whether a part is a panel (`part`) or the work of a processor of the GPU
 * (`parts`).  Rows only: renumbering the columns would change no tile of them.  Groups are the
 * parts that have rows.
 *
 * METIS draws from rand() of the C library and takes over SIGTERM and SIGABRT while it runs: one
 * partition at a time in a process, and the handlers are put back.  A SIGTERM that arrives
 * meanwhile waits when it is for this thread, and is METIS's otherwise.
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
#include <stdlib.h>

enum { PARAM_PART, PARAM_PARTS };

/* METIS has state of the whole process. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* The signals that METIS takes over. */
static const int taken[] = {SIGTERM, SIGABRT};
enum { TAKEN = sizeof taken / sizeof *taken };

static int call_metis(idx_t n, idx_t parts, idx_t *ptr, idx_t *adj, idx_t *part)
{
    struct sigaction before[TAKEN];
    sigset_t hold;
    sigset_t mask;
    idx_t constraints = 1;
    idx_t cut;
    idx_t options[METIS_NOPTIONS];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    sigemptyset(&hold);
    sigaddset(&hold, SIGTERM);
    pthread_mutex_lock(&one_at_a_time);
    pthread_sigmask(SIG_BLOCK, &hold, &mask);
    for (int i = 0; i < TAKEN; i++)
        (void)sigaction(taken[i], NULL, &before[i]);
    int st = METIS_PartGraphKway(
        &n, &constraints, ptr, adj, NULL, NULL, NULL, &parts, NULL, NULL, options, &cut, part);
    for (int i = 0; i < TAKEN; i++)
        (void)sigaction(taken[i], &before[i], NULL);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    pthread_mutex_unlock(&one_at_a_time);
    return st;
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
    int code = call_metis((idx_t)n, (idx_t)parts, ptr, adj, found);
    if (code != METIS_OK)
        RC_TRY(rc_fail(err, code == METIS_ERROR_MEMORY ? RC_ENOMEM : RC_EINVAL,
            "METIS failed with status %d", code));
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
