/* bandk: Band-k, the symmetric order of CSR-k (Lane and Booth 2022, Listing 2).
 *
 * G_0 is the pattern of A + A' without the diagonal, edge weight = entries of A between the two (1
 * or 2) [chosen].  G_1 are groups of at most `srs` vertices of G_0 (super-rows), G_2, unless `ssrs`
 * is 0, groups of at most `ssrs` vertices of G_1 (super-super-rows) [chosen: the loops of the
 * listing fit no k; its text and Figure 2 give this]; a group is numbered by the rank of its
 * smallest vertex.  The coarsest graph is ordered by weighted reverse Cuthill-McKee (order/rcm.h),
 * then level by level each group is replaced by its members.  The members' runs are the groups
 * sr_ptr and ssr_ptr of the schedule.
 *
 * Coarsening [chosen; the paper says graph coarsening and no more]: `heavy` (order/coarsen.h,
 * rc_group_heavy) of the Cuthill-McKee order of the level, or `band`: consecutive vertices of its
 * reverse, the full size at a time.
 *
 * Inside a group [chosen]: breadth first in the subgraph of the members, neighbours by (degree,
 * index) of the whole level; it starts from the member with the earliest placed neighbour in
 * another group (none: last; then degree, index), and again for members not reached.
 *
 * Memory beside A, at the peak: 10 bytes an end of an edge and 28 a row; where the graph of groups
 * has as many edges as that of the rows, up to 14 an end.  Measured: 3.0 patterns of A + A' at
 * most; see data/results/notebook/orders.md.  Cost: O(nnz) but for sorting. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/coarsen.h"
#include "order/policy.h"
#include "sparse/ranked.h"
#include "order/rows.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PARAM_SRS, PARAM_SSRS, PARAM_COARSEN };

/* Levels from the rows up to the coarsest; groups[i] are those of the vertices of level[i]. */
typedef struct bandk {
    const rc_order_input_t *in;
    int tops; /* number of the coarsest level: 1 or 2 */
    rc_level_t level[3];
    rc_grouping_t groups[2];
    int64_t count[2];   /* of them, once they are expanded */
    int32_t *order;     /* of the level in hand: position -> vertex, or its index */
    int is_symmetric;   /* the pattern of A */
    rc_csr_t transpose; /* pattern of A', where it is needed */
} bandk_t;

static void close_bandk(bandk_t *b)
{
    for (int i = 0; i < 3; i++)
        rc_level_free(&b->level[i]);
    for (int i = 0; i < 2; i++)
        rc_grouping_free(&b->groups[i]);
    free(b->order);
    rc_csr_free(&b->transpose);
}

static rc_status_t order_level(bandk_t *b, int i, rc_err_t *err)
{
    free(b->order);
    b->order = rc_alloc((size_t)b->level[i].g.n, sizeof *b->order, "an order", err);
    return b->order ? rc_cuthill_mckee(&b->level[i], b->in->threads, b->order, err) : RC_ENOMEM;
}

/* Vertices of an order become indices. */
static void name_order(bandk_t *b, int i)
{
    for (int64_t p = 0; p < b->level[i].g.n; p++)
        b->order[p] = b->level[i].index[b->order[p]];
}

/* Level i + 1 from level i, whose vertices are numbered in Cuthill-McKee order for it. */
static rc_status_t coarsen(bandk_t *b, int i, rc_err_t *err)
{
    rc_level_t *fine = &b->level[i];
    const int64_t *params = b->in->params->value;
    int64_t size = params[i == 0 ? PARAM_SRS : PARAM_SSRS];
    rc_status_t st = order_level(b, i, err);
    if (st == RC_OK)
        st = rc_level_renumber(fine, b->order, b->in->threads, err);
    free(b->order); /* the vertices are in it now */
    b->order = NULL;
    if (st == RC_OK)
        st = rc_level_rank(fine, err);
    if (st == RC_OK)
        st = params[PARAM_COARSEN] ? rc_group_runs(fine->g.n, size, &b->groups[i], err)
                                   : rc_group_heavy(&fine->g, size, &b->groups[i], err);
    if (st == RC_OK)
        st = rc_coarse_level(fine, &b->groups[i], b->in->threads, &b->level[i + 1], err);
    free(fine->g.weight); /* what follows asks for ranks alone */
    fine->g.weight = NULL;
    return st;
}

/* ------------------------------------------------------- without their graph */

/* x, by vertex, becomes by index. */
static rc_status_t put_by_index(int32_t **x, const rc_level_t *l, rc_err_t *err)
{
    int32_t *to = rc_alloc((size_t)l->g.n, sizeof *to, "names of vertices", err);
    RC_PASS(to ? RC_OK : RC_ENOMEM);
    for (int64_t v = 0; v < l->g.n; v++)
        to[l->index[v]] = (*x)[v];
    free(*x);
    *x = to;
    return RC_OK;
}

/* The graph of the rows makes room for those of groups, where these have many edges.  The order
 * inside of super-rows then finds neighbours in A, so the vertices of level 0 are numbered as its
 * rows again.  Where they have few, the peak is before them, and neighbours are closer in the
 * graph. */
static rc_status_t drop_rows(bandk_t *b, rc_err_t *err)
{
    rc_level_t *l = &b->level[0];
    const rc_graph_t *coarse = &b->level[1].g;
    if (coarse->ptr[coarse->n] <= l->g.ptr[l->g.n] / 2)
        return RC_OK;
    rc_grouping_t *groups = &b->groups[0];
    int64_t n = l->g.n;
    rc_graph_free(&l->g);
    l->g.n = n;
    RC_PASS(put_by_index(&groups->group, l, err));
    RC_PASS(put_by_index(&l->rank, l, err));
    for (int64_t i = 0; i < n; i++)
        groups->member[i] = l->index[groups->member[i]];
    for (int64_t r = 0; r < n; r++)
        l->index[r] = (int32_t)r;
    return RC_OK;
}

/* Edges of A off its diagonal. */
static int64_t count_off_diagonal(const rc_csr_t *a)
{
    int64_t n = a->nnz;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            n -= a->col_idx[e] == r;
    return n;
}

/* --------------------------------------------------------- inside of groups */

enum { NO_PLACE = -1, LISTED = -2 };

typedef struct expansion {
    const rc_level_t *l;
    const rc_grouping_t *groups;
    rc_lists_t near[2]; /* of a vertex; the second, if any, may repeat what the first has */
    int nears;
    int32_t *place; /* [n] of a vertex, NO_PLACE, or LISTED: it gets one with the others of a
                       list */
    int32_t *order; /* [n] position -> vertex */
    int64_t end;    /* positions taken */
    rc_ranked_t
        *member; /* [largest group] key: its earliest placed neighbour in another group, then
                            its rank; tie: the vertex */
} expansion_t;

static rc_ranked_t member_of(const expansion_t *x, int32_t earliest, int32_t v)
{
    return (rc_ranked_t){(uint64_t)earliest << 32 | (uint32_t)x->l->rank[v], (uint64_t)v};
}

static void put(expansion_t *x, int32_t v)
{
    x->place[v] = (int32_t)x->end;
    x->order[x->end++] = v;
}

/* Places the members that are neighbours of v and have no place, by rank. */
static void put_neighbours(expansion_t *x, int32_t v, rc_ranked_t *scratch)
{
    int64_t n = 0;
    for (const rc_lists_t *l = x->near; l < x->near + x->nears; l++)
        for (int64_t e = l->ptr[v]; e < l->ptr[v + 1]; e++) {
            int32_t u = l->item[e];
            if (x->place[u] != NO_PLACE || x->groups->group[u] != x->groups->group[v])
                continue;
            x->place[u] = LISTED;
            scratch[n++] = member_of(x, 0, u);
        }
    rc_ranked_sort(scratch, n, 1);
    for (int64_t i = 0; i < n; i++)
        put(x, (int32_t)scratch[i].tie);
}

static int32_t earliest_neighbour(const expansion_t *x, int32_t v)
{
    int32_t earliest = INT32_MAX;
    for (const rc_lists_t *l = x->near; l < x->near + x->nears; l++)
        for (int64_t e = l->ptr[v]; e < l->ptr[v + 1]; e++) {
            int32_t at = x->place[l->item[e]];
            if (at >= 0 && at < earliest)
                earliest = at;
        }
    return earliest;
}

/* \param[in] scratch  [members of the group] */
static void expand_group(expansion_t *x, int32_t k, rc_ranked_t *scratch)
{
    int64_t n = x->groups->ptr[k + 1] - x->groups->ptr[k];
    for (int64_t i = 0; i < n; i++) {
        int32_t v = x->groups->member[x->groups->ptr[k] + i];
        x->member[i] = member_of(x, earliest_neighbour(x, v), v);
    }
    rc_ranked_sort(x->member, n, 1);
    int64_t at = x->end;
    for (int64_t i = 0; i < n; i++) {
        int32_t v = (int32_t)x->member[i].tie;
        if (x->place[v] >= 0)
            continue;
        put(x, v);
        for (; at < x->end; at++)
            put_neighbours(x, x->order[at], scratch);
    }
}

/* Where the neighbours of the vertices of a level are: its graph or, without that, the patterns of
 * A and A'. */
static rc_status_t find_lists(
    bandk_t *b, const rc_graph_t *g, const rc_csr_t *a, expansion_t *x, rc_err_t *err)
{
    x->nears = 1;
    x->near[0] = (rc_lists_t){g->n, g->ptr, g->adj};
    if (g->adj)
        return RC_OK;
    x->near[0] = (rc_lists_t){a->rows, a->row_ptr, a->col_idx};
    if (b->is_symmetric)
        return RC_OK;
    x->nears = 2;
    RC_PASS(rc_pattern_transpose(a, &b->transpose, err));
    x->near[1] = (rc_lists_t){a->rows, b->transpose.row_ptr, b->transpose.col_idx};
    return RC_OK;
}

/* The order of level i from that of the groups of it, and where each group begins.
 * \param[in,out] b->order  of level i + 1, then of level i: positions -> indices
 * \param[out] ptr  [groups + 1], the caller's to free */
static rc_status_t expand(bandk_t *b, int i, const rc_csr_t *a, int64_t **ptr, rc_err_t *err)
{
    const rc_grouping_t *groups = &b->groups[i];
    size_t n = (size_t)b->level[i].g.n;
    size_t most = (size_t)rc_grouping_most(groups);
    rc_pool_t pool = {0};
    rc_status_t st;
    expansion_t x = {.l = &b->level[i], .groups = groups};
    rc_ranked_t *scratch = rc_pool_get(&pool, most, sizeof *scratch);
    x.member = rc_pool_get(&pool, most, sizeof *x.member);
    x.place = rc_pool_get(&pool, n, sizeof *x.place);
    x.order = rc_alloc(n, sizeof *x.order, "an order", err);
    int64_t *begin = *ptr = rc_alloc((size_t)groups->count + 1, sizeof *begin, "pointers", err);
    RC_TRY(x.order && begin ? rc_pool_check(&pool, "members of groups", err) : RC_ENOMEM);
    RC_TRY(find_lists(b, &b->level[i].g, a, &x, err));
    for (size_t v = 0; v < n; v++)
        x.place[v] = NO_PLACE;
    begin[0] = 0;
    for (int64_t k = 0; k < groups->count; k++) {
        expand_group(&x, groups->named[b->order[k]], scratch);
        begin[k + 1] = x.end;
    }
    free(b->order);
    b->order = x.order;
    x.order = NULL;
    name_order(b, i);
done:
    free(x.order);
    rc_pool_free(&pool);
    return st;
}

/* ------------------------------------------------------------------ stages */

/* The coarsest graph as a matrix, rows by index. */
static rc_status_t coarse_matrix(const rc_level_t *l, rc_csr_t *out, rc_err_t *err)
{
    const rc_graph_t *g = &l->g;
    int64_t n = 0;
    rc_triple_t *entry =
        rc_alloc((size_t)(g->ptr[g->n] + g->n), sizeof *entry, "a coarse matrix", err);
    RC_PASS(entry ? RC_OK : RC_ENOMEM);
    for (int64_t v = 0; v < g->n; v++) {
        int32_t row = l->index[v];
        entry[n++] = (rc_triple_t){row, row, 1};
        for (int64_t e = g->ptr[v]; e < g->ptr[v + 1]; e++)
            entry[n++] = (rc_triple_t){row, l->index[g->adj[e]], rc_graph_weight(g, e)};
    }
    rc_status_t st = rc_csr_from_triples(g->n, g->n, entry, n, 1, out, NULL, err);
    free(entry);
    return st;
}

/* The coarsest graph and its order. */
static rc_status_t show(const bandk_t *b, rc_order_stages_t *out, rc_err_t *err)
{
    const rc_level_t *top = &b->level[b->tops];
    RC_PASS(coarse_matrix(top, &out->coarse, err));
    RC_PASS(rc_schedule_alloc(top->g.n, top->g.n, &out->order, err));
    for (int64_t p = 0; p < top->g.n; p++)
        out->order.row[p] = b->order[p];
    return rc_schedule_symmetric(&out->order, err);
}

/* ------------------------------------------------------------------- whole */

static void reverse(int32_t *x, int64_t n)
{
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        int32_t swap = x[i];
        x[i] = x[j];
        x[j] = swap;
    }
}

static rc_status_t write_schedule(
    const bandk_t *b, int64_t n, int64_t **ptr, rc_schedule_t *out, rc_err_t *err)
{
    static const char *const names[] = {"sr_ptr", "ssr_ptr"};
    rc_status_t st = rc_schedule_alloc(n, n, out, err);
    for (int64_t p = 0; st == RC_OK && p < n; p++)
        out->row[p] = b->order[p];
    if (st == RC_OK)
        st = rc_schedule_symmetric(out, err);
    for (int i = 0; st == RC_OK && i < b->tops; i++) {
        st = rc_schedule_add_groups(out, names[i], b->count[i], ptr[i], err);
        ptr[i] = NULL;
    }
    return st;
}

/* \param[out] stages  what the order is made from; NULL: nobody looks */
static rc_status_t order(
    const rc_order_input_t *in, rc_order_stages_t *stages, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    bandk_t b = {.in = in, .tops = in->params->value[PARAM_SSRS] > 0 ? 2 : 1};
    int64_t *ptr[2] = {NULL, NULL};
    rc_status_t st;
    if (a->nnz > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "Band-k takes at most %d entries, the matrix has %" PRId64,
            INT32_MAX, a->nnz);
    RC_TRY(rc_level_of_matrix(a, &b.level[0], err));
    b.is_symmetric = b.level[0].g.ptr[a->rows] == count_off_diagonal(a);
    RC_TRY(coarsen(&b, 0, err));
    RC_TRY(drop_rows(&b, err));
    if (b.tops == 2)
        RC_TRY(coarsen(&b, 1, err));
    RC_TRY(order_level(&b, b.tops, err));
    name_order(&b, b.tops);
    reverse(b.order, b.level[b.tops].g.n);
    if (stages)
        RC_TRY(show(&b, stages, err));
    for (int i = b.tops - 1; i >= 0; i--) {
        rc_level_free(&b.level[i + 1]); /* its order says all */
        RC_TRY(expand(&b, i, a, &ptr[i], err));
        b.count[i] = b.groups[i].count;
        rc_grouping_free(&b.groups[i]);
    }
    rc_level_free(&b.level[0]);
    st = write_schedule(&b, a->rows, ptr, out, err);
done:
    free(ptr[0]);
    free(ptr[1]);
    close_bandk(&b);
    return st;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_status_t st = order(in, NULL, out, err);
    for (int l = 0; st == RC_OK && l < out->levels; l++)
        rc_fact_number(
            in->watch.facts, l == 0 ? "super_rows" : "super_super_rows", out->group[l].count);
    return st;
}

static rc_status_t stages(const rc_order_input_t *in, rc_order_stages_t *out, rc_err_t *err)
{
    rc_schedule_t whole = {0};
    rc_status_t st = order(in, out, &whole, err);
    rc_schedule_free(&whole);
    return st;
}

static const char *const coarsenings[] = {"heavy", "band", NULL};

const rc_policy_t rc_policy_bandk = {
    .name = "bandk",
    .summary = "Band-k: super-rows and super-super-rows near the diagonal, for CSR-k",
    .source = "Lane and Booth 2022, Listing 2; choices at the top of src/order/policy_bandk.c",
    .version = 1,
    .columns = 1,
    .on_request = 1,
    .param = {{"srs", "rows of a super-row at most", 8, 1, INT32_MAX, 0},
        {"ssrs", "super-rows of a super-super-row at most; 0: none (CSR-2)", 8, 0, INT32_MAX, 0},
        {.name = "coarsen",
            .help = "along heavy edges, or runs of the reverse Cuthill-McKee order",
            .type = RC_PARAM_CHOICE,
            .choices = coarsenings}},
    .build = build,
    .stages = stages,
};
