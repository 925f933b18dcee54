/* community: communities of rows, in each of them reverse Cuthill-McKee [our own combination].
 *
 * Communities are those of the policy `labels` after `rounds` rounds, in the order of their labels.
 * The graph of a community has its rows as vertices; two are neighbours where one of them has an
 * entry in the column that has the number of the other.  Its rows come in the reverse Cuthill-McKee
 * order of that graph (policy_rcm.c, order/rcm.h: degree, ties, roots and components).  Groups: a
 * level of communities.
 *
 * Where rows and columns are not numbered alike such a graph has few edges, and hardly changes the
 * order.  Memory beside the schedule: 20 bytes a row, 4 a column, and the graph of a community a
 * thread.  Cost O(rounds nnz) and that of Cuthill-McKee; communities are ordered in parallel. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/graph.h"
#include "order/policy.h"
#include "order/rcm.h"
#include "order/steps.h"

#include <stdlib.h>

enum { PARAM_ROUNDS };

typedef struct inside {
    const rc_order_input_t *in;
    uint32_t *label;        /* [rows] */
    int32_t *local;         /* [rows] number of a row within its community, then its place there */
    int32_t *place;         /* [rows] */
    rc_schedule_t by_label; /* its groups are the communities */
} inside_t;

/* The entries of a row within its community; to NULL: only how many. */
static int64_t inner_entries(const inside_t *c, int64_t r, int32_t *to)
{
    const rc_csr_t *a = c->in->a;
    int64_t n = 0;
    for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
        int64_t j = a->col_idx[e];
        if (j >= a->rows || c->label[j] != c->label[r])
            continue;
        if (to)
            to[n] = c->local[j];
        n++;
    }
    return n;
}

/* The part of the matrix within a community; columns ascend as rows do.  Free its arrays. */
static rc_status_t extract(const inside_t *c, int64_t k, rc_csr_t *out, rc_err_t *err)
{
    const int64_t *ptr = c->by_label.group[0].ptr;
    const int32_t *member = c->by_label.row + ptr[k];
    int64_t n = ptr[k + 1] - ptr[k];
    *out = (rc_csr_t){.rows = n, .cols = n};
    RC_PASS(RC_NEW0(out->row_ptr, (size_t)n + 1, "a community", err));
    for (int64_t i = 0; i < n; i++)
        out->row_ptr[i + 1] = out->row_ptr[i] + inner_entries(c, member[i], NULL);
    out->nnz = out->row_ptr[n];
    RC_PASS(RC_NEW(out->col_idx, out->nnz, "a community", err));
    for (int64_t i = 0; i < n; i++)
        (void)inner_entries(c, member[i], out->col_idx + out->row_ptr[i]);
    return RC_OK;
}

/* The places of the rows of community k. */
static rc_status_t order_one(const inside_t *c, int64_t k, rc_err_t *err)
{
    const int64_t *ptr = c->by_label.group[0].ptr;
    const int32_t *member = c->by_label.row + ptr[k];
    int64_t n = ptr[k + 1] - ptr[k];
    int32_t *order = NULL;
    rc_csr_t part;
    rc_status_t st = extract(c, k, &part, err);
    if (st == RC_OK) {
        order = rc_alloc((size_t)n, sizeof *order, "a community", err);
        st = order ? rc_reverse_cuthill_mckee(&part, 1, order, err) : RC_ENOMEM;
    }
    for (int64_t i = 0; st == RC_OK && i < n; i++)
        c->place[member[order[i]]] = (int32_t)i;
    free(order);
    free(part.row_ptr);
    free(part.col_idx);
    return st;
}

static rc_status_t order_all(const inside_t *c, rc_err_t *err)
{
    rc_status_t all = RC_OK;
#pragma omp parallel for num_threads(c->in->threads) schedule(dynamic, 16)
    for (int64_t k = 0; k < c->by_label.group[0].count; k++) {
        rc_err_t why = {0};
        rc_err_keep(order_one(c, k, &why), &why, &all, err);
    }
    return all;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    size_t n = (size_t)in->a->rows;
    rc_pool_t pool = {0};
    inside_t c = {.in = in};
    rc_status_t st;
    c.label = rc_pool_get(&pool, n, sizeof *c.label);
    c.local = rc_pool_get(&pool, n, sizeof *c.local);
    c.place = rc_pool_get(&pool, n, sizeof *c.place);
    RC_TRY(rc_pool_check(&pool, "communities", err));
    RC_TRY(rc_vote(in, (int)in->params->value[PARAM_ROUNDS], c.label, err));
    const int32_t *const keys[] = {c.place, (const int32_t *)c.label};
    RC_TRY(rc_schedule_of_groups(
        keys[1], in->a->rows, in->a->rows, "community_ptr", &c.by_label, err));
    rc_groups_t *communities = &c.by_label.group[0];
    for (int64_t k = 0; k < communities->count; k++)
        for (int64_t p = communities->ptr[k]; p < communities->ptr[k + 1]; p++)
            c.local[c.by_label.row[p]] = (int32_t)(p - communities->ptr[k]);
    RC_TRY(order_all(&c, err));
    RC_TRY(rc_schedule_by_keys(in, keys, 2, out, err));
    rc_fact_number(in->watch.facts, "communities", communities->count);
    st = rc_schedule_add_groups(out, communities->name, communities->count, communities->ptr, err);
    communities->ptr = NULL;
done:
    rc_pool_free(&pool);
    rc_schedule_free(&c.by_label);
    return st;
}

const rc_policy_t rc_policy_community = {
    .name = "community",
    .summary = "communities by label propagation, reverse Cuthill-McKee in each",
    .source = "our own combination, at the top of src/order/policy_community.c",
    .version = 1,
    .on_request = 1,
    .param = {{"rounds", "of propagation", 8, 0, 100, 0}},
    .build = build,
};
