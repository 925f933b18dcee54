/* leiden: rows community after community of the graph of A + A' without the diagonal, by the method
 * of Leiden (Traag, Waltman and van Eck 2019) as igraph has it: modularity with the entries of A
 * between two rows as the weight of their edge (1 or 2).  Communities in the order of their
 * smallest rows, in each the rows in original order; groups are the communities.  Rows only; rows
 * without neighbours are communities of one.
 *
 * igraph has one generator and one error handler for the whole process: one search at a time, the
 * generator seeded for each, the handler put back.  Another version of the library may give another
 * order.  Cost: nearly linear in nnz an iteration. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/graph.h"
#include "order/policy.h"

#include <igraph.h>
#include <pthread.h>
#include <stdlib.h>

enum { PARAM_SEED, PARAM_RESOLUTION, PARAM_ITERATIONS };

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* The graph as igraph takes it: each edge once. */
typedef struct edges {
    int64_t count;
    igraph_integer_t *end; /* [2 * count] */
    igraph_real_t *weight; /* [count] */
    igraph_real_t *degree; /* [n] sum of the weights */
    igraph_real_t total;   /* of all degrees */
} edges_t;

static void free_edges(edges_t *e)
{
    free(e->end);
    free(e->weight);
    free(e->degree);
}

static rc_status_t list_edges(const rc_graph_t *g, edges_t *out, rc_err_t *err)
{
    size_t most = (size_t)g->ptr[g->n] / 2;
    edges_t e = {0};
    e.end = rc_alloc(2 * most, sizeof *e.end, "edges", err);
    e.weight = rc_alloc(most, sizeof *e.weight, "edges", err);
    e.degree = rc_alloc0((size_t)g->n, sizeof *e.degree, "edges", err);
    if (!e.end || !e.weight || !e.degree) {
        free_edges(&e);
        return RC_ENOMEM;
    }
    for (int64_t v = 0; v < g->n; v++)
        for (int64_t i = g->ptr[v]; i < g->ptr[v + 1]; i++) {
            e.degree[v] += rc_graph_weight(g, i);
            if (g->adj[i] < v)
                continue;
            e.end[2 * e.count] = v;
            e.end[2 * e.count + 1] = g->adj[i];
            e.weight[e.count++] = rc_graph_weight(g, i);
        }
    for (int64_t v = 0; v < g->n; v++)
        e.total += e.degree[v];
    *out = e;
    return RC_OK;
}

/* \param[out] member  initialised */
static igraph_error_t search(const edges_t *e, int64_t n, const rc_params_t *p,
    igraph_vector_int_t *member, igraph_integer_t *communities)
{
    igraph_t graph;
    igraph_vector_int_t end;
    igraph_vector_t weight;
    igraph_vector_t degree;
    igraph_vector_int_view(&end, e->end, 2 * e->count);
    igraph_vector_view(&weight, e->weight, e->count);
    igraph_vector_view(&degree, e->degree, n);
    igraph_error_t st = igraph_create(&graph, &end, n, IGRAPH_UNDIRECTED);
    if (st != IGRAPH_SUCCESS)
        return st;
    const igraph_real_t beta = 0.01; /* igraph's own */
    st = igraph_rng_seed(igraph_rng_default(), (igraph_uint_t)p->value[PARAM_SEED]);
    if (st == IGRAPH_SUCCESS)
        st = igraph_community_leiden(&graph, &weight, &degree, p->real[PARAM_RESOLUTION] / e->total,
            beta, 0, p->value[PARAM_ITERATIONS], member, communities, NULL);
    igraph_destroy(&graph);
    return st;
}

/* \param[out] group  [n], communities  of at least one edge */
static rc_status_t find_communities(const edges_t *e, int64_t n, const rc_params_t *p,
    int32_t *group, int64_t *communities, rc_err_t *err)
{
    igraph_vector_int_t member;
    igraph_integer_t count = 0;
    pthread_mutex_lock(&one_at_a_time);
    igraph_error_handler_t *before = igraph_set_error_handler(igraph_error_handler_ignore);
    igraph_error_t st = igraph_vector_int_init(&member, 0);
    if (st == IGRAPH_SUCCESS) {
        st = search(e, n, p, &member, &count);
        for (int64_t v = 0; st == IGRAPH_SUCCESS && v < n; v++)
            group[v] = (int32_t)VECTOR(member)[v];
        igraph_vector_int_destroy(&member);
    }
    igraph_set_error_handler(before);
    pthread_mutex_unlock(&one_at_a_time);
    *communities = count;
    return st == IGRAPH_SUCCESS ? RC_OK
                                : rc_fail(err, st == IGRAPH_ENOMEM ? RC_ENOMEM : RC_EINVAL,
                                      "igraph: %s", igraph_strerror(st));
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_graph_t g;
    edges_t e = {0};
    int64_t n = in->a->rows;
    int64_t communities = n;
    rc_status_t st = rc_graph_build(in->a, &g, err);
    if (st < 0)
        return st;
    int32_t *group = rc_alloc((size_t)n, sizeof *group, "the communities", err);
    RC_TRY(group ? RC_OK : RC_ENOMEM);
    RC_TRY(list_edges(&g, &e, err));
    for (int64_t v = 0; v < n; v++)
        group[v] = (int32_t)v;
    if (e.count > 0)
        RC_TRY(find_communities(&e, n, in->params, group, &communities, err));
    st = rc_schedule_of_groups(group, n, communities, 0, "community_ptr", out, err);
done:
    free(group);
    free_edges(&e);
    rc_graph_free(&g);
    return st;
}

const rc_policy_t rc_policy_leiden = {
    .name = "leiden",
    .summary = "rows community after community of the graph",
    .source = "Traag, Waltman and van Eck 2019; igraph",
    .version = 1,
    .on_request = 1,
    .param = {{"seed", "of the random numbers", 1, 0, INT32_MAX, 0},
        {.name = "resolution",
            .help = "larger: more and smaller communities",
            .type = RC_PARAM_REAL,
            .real = 1,
            .real_min = 0,
            .real_max = 1e6},
        {"iterations", "of the method", 2, 1, 1000, 0}},
    .build = build,
};
