/* lsh-packed: the clusters of lsh, placed so that few straddle two panels of `panel` slots.  Not of
 * Jiang et al. 2020, whose clusters come one after the other wherever panels end.
 *
 * A cluster of more than `panel` rows is cut into pieces of so many and a rest.  A panel begins
 * with the first piece that is left (clusters by their representing rows, as in lsh); then comes,
 * as long as one fits, the largest piece that fits what is left of the panel, of equal ones the
 * first.  Where none fits, the first piece that is left straddles: there are no pads.  So rows
 * without a similar one fill the gaps, and where there are only such, the original order stays.
 * Groups are the pieces. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/lsh.h"
#include "order/rows.h"

#include <stdlib.h>

enum { PANEL = RC_LSH_PARAMS, SIZE = 128 };

typedef struct pack {
    int64_t count;  /* pieces */
    int64_t *from;  /* [count + 1] slots of each in the order lsh */
    int64_t most;   /* rows of a piece */
    int64_t *ptr;   /* [most + 3] the pieces of each size in by_size */
    int64_t *next;  /* [most + 1] the first one that is left: always the first of all that are left
                        of its size */
    int64_t *below; /* [most + 1] towards the largest size not above it that has pieces left; 0:
                        none */
    int32_t *by_size; /* [count] pieces by size, then by number */
    int64_t first;    /* no piece before it is left */
    unsigned char *placed;
} pack_t;

static int64_t size_of(const pack_t *k, int64_t piece)
{
    return k->from[piece + 1] - k->from[piece];
}

static void count_pieces(pack_t *k, const rc_groups_t *g)
{
    k->count = 0;
    for (int64_t i = 0; i < g->count; i++)
        k->count += (g->ptr[i + 1] - g->ptr[i] + k->most - 1) / k->most;
}

static void cut(pack_t *k, const rc_groups_t *g)
{
    int64_t n = 0;
    for (int64_t i = 0; i < g->count; i++)
        for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p += k->most)
            k->from[n++] = p;
    k->from[n] = g->ptr[g->count];
}

/* \param[out] size  [count] of pieces */
static void sort_by_size(pack_t *k, int32_t *size)
{
    for (int64_t i = 0; i < k->count; i++)
        size[i] = (int32_t)size_of(k, i);
    rc_list_groups(size, k->count, k->most + 1, k->ptr, k->by_size);
    for (int64_t s = 0; s <= k->most; s++) {
        k->next[s] = k->ptr[s];
        k->below[s] = s;
    }
}

/* Path halving: sizes run out and never come back. */
static int64_t largest_within(pack_t *k, int64_t room)
{
    int64_t s = room < k->most ? room : k->most;
    while (s > 0 && k->next[s] == k->ptr[s + 1]) {
        int64_t down = k->below[s] < s ? k->below[s] : s - 1;
        k->below[s] = k->below[down] < down ? k->below[down] : down;
        s = down;
    }
    return s;
}

/* \param[in] room  left in the panel; 0: a new one */
static int64_t take(pack_t *k, int64_t room)
{
    int64_t s = room > 0 ? largest_within(k, room) : 0;
    if (s == 0) {
        while (k->placed[k->first])
            k->first++;
        s = size_of(k, k->first);
    }
    int64_t piece = k->by_size[k->next[s]++];
    k->placed[piece] = 1;
    return piece;
}

/* \param[out] ptr  [count + 1] first slot of each piece
 * \return how many pieces straddle */
static int64_t place(pack_t *k, const rc_schedule_t *lsh, int64_t panel, int32_t *row, int64_t *ptr)
{
    int64_t slot = 0;
    int64_t straddling = 0;
    for (int64_t i = 0; i < k->count; i++) {
        int64_t left = slot % panel ? panel - slot % panel : 0;
        int64_t piece = take(k, left);
        int64_t n = size_of(k, piece);
        straddling += left > 0 && n > left;
        ptr[i] = slot;
        for (int64_t r = 0; r < n; r++)
            row[slot++] = lsh->row[k->from[piece] + r];
    }
    ptr[k->count] = slot;
    return straddling;
}

static rc_status_t allocate(pack_t *k, rc_pool_t *pool, rc_err_t *err)
{
    size_t sizes = (size_t)k->most + 1;
    size_t pieces = (size_t)k->count + 1;
    k->from = rc_pool_get(pool, pieces, sizeof *k->from);
    k->by_size = rc_pool_get(pool, pieces, sizeof *k->by_size);
    k->placed = rc_pool_get0(pool, pieces, sizeof *k->placed);
    k->ptr = rc_pool_get(pool, sizes + 2, sizeof *k->ptr);
    k->next = rc_pool_get(pool, sizes, sizeof *k->next);
    k->below = rc_pool_get(pool, sizes, sizeof *k->below);
    return rc_pool_check(pool, "pieces of clusters", err);
}

/* The pieces of an order with clusters; out is the schedule. */
static rc_status_t pack(
    const rc_schedule_t *lsh, int64_t panel, rc_schedule_t *out, rc_facts_t *facts, rc_err_t *err)
{
    pack_t k = {.most = panel < lsh->rows ? panel : lsh->rows};
    rc_pool_t pool = {0};
    int64_t *ptr = NULL;
    rc_status_t st;
    count_pieces(&k, &lsh->group[0]);
    RC_TRY(allocate(&k, &pool, err));
    cut(&k, &lsh->group[0]);
    int32_t *size = rc_pool_get(&pool, (size_t)k.count, sizeof *size);
    RC_TRY(rc_pool_check(&pool, "pieces of clusters", err));
    sort_by_size(&k, size);
    ptr = rc_alloc((size_t)k.count + 1, sizeof *ptr, "pieces of clusters", err);
    st = ptr ? rc_schedule_alloc(lsh->rows, lsh->rows, out, err) : RC_ENOMEM;
    if (st < 0)
        goto done;
    rc_fact_number(facts, "straddling", place(&k, lsh, panel, out->row, ptr));
    st = rc_schedule_add_groups(out, "cluster_ptr", k.count, ptr, err);
    ptr = NULL;
    if (st < 0)
        rc_schedule_free(out);
done:
    free(ptr);
    rc_pool_free(&pool);
    return st;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_lsh_t s = {.threads = in->threads, .in = in};
    rc_schedule_t lsh = {0};
    rc_status_t st = rc_lsh_build(in, &s, &lsh, err);
    if (st == RC_OK)
        st = pack(&lsh, in->params->value[PANEL], out, in->watch.facts, err);
    rc_schedule_free(&lsh);
    return st;
}

const rc_policy_t rc_policy_lsh_packed = {
    .name = "lsh-packed",
    .summary = "clusters of rows that share columns, placed so that few straddle two panels",
    .source = "rowcast, after Jiang et al. 2020",
    .version = 1,
    .on_request = 1,
    .param = {RC_LSH_PARAM_ROWS(SIZE), {"panel", "slots of a panel", SIZE, 1, INT32_MAX, 0}},
    .identify = rc_lsh_identify,
    .build = build,
};
