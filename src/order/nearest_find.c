#include "config.h"
#include "order/nearest_parts.h"

#include <string.h>

typedef rc_nearest_best_t best_t;
typedef rc_nearest_query_t query_t;

/* Split the mask of a row of the matrix into its signature and its lists. */
static void split(const rc_nearest_t *nn, int64_t row, rc_nearest_side_t *side)
{
    side->sparse = 0;
    side->pop = 0;
    side->slots = 0;
    side->entries = 0;
    memset(side->word, 0, (size_t)nn->words * sizeof *side->word);
    for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++) {
        int32_t v = nn->maps->line[nn->m->line_of[i]];
        if (rc_nearest_is_dense(v)) {
            side->word[rc_nearest_bit(v) / 64] |= (uint64_t)1 << rc_nearest_bit(v) % 64;
            side->pop++;
            continue;
        }
        side->sparse++;
        if (v == RC_NEAREST_ABSENT)
            continue;
        int64_t left = nn->lists.length[v];
        if (left > 0)
            side->slot[side->slots++] = v;
        side->entries += left;
    }
}

/* Walk the lists of a reference: count, per unit, the lists that it is in, and list the units that
 * are in any (room for one more than the units, since the end of `touched` is written before it is
 * known whether it counts).  Returns their number.
 *  used_up  nn->count; may be the same as `count` */
static int64_t walk(rc_nearest_lists_t *h, const rc_nearest_side_t *side, const int32_t *used_up,
    int32_t *count, int32_t *restrict touched)
{
    int64_t n = 0;
    for (int64_t k = 0; k < side->slots; k++) {
        int32_t slot = side->slot[k];
        int32_t *restrict entry = h->entry + h->start[slot];
        int32_t length = h->length[slot];
        for (int32_t i = 0; i < length;) {
            int32_t u = entry[i];
            if (used_up[u] == RC_NEAREST_USED_UP) {
                entry[i] = entry[--length];
                continue;
            }
            int32_t c = count[u];
            touched[n] = u;
            n += c == 0;
            count[u] = c + 1;
            i++;
        }
        h->length[slot] = length;
    }
    return n;
}

static int64_t dense_distance(const rc_nearest_t *nn, const rc_nearest_side_t *side, int32_t sig)
{
    return rc_nearest_popcount(side->word, nn->sig + sig * nn->words, nn->words);
}

static int64_t tie_of(const rc_nearest_t *nn, const query_t *q, int32_t u)
{
    if (nn->tie == RC_NEAREST_LOAD)
        return rc_nearest_load_gap(nn, q, nn->unit[u].cell);
    if (q->use_second)
        return dense_distance(nn, &nn->ref2, nn->unit[u].sig) + nn->ref2.sparse + nn->size[u] -
               2 * (int64_t)nn->second[u];
    return 0;
}

/* Offer the heads of listed units. */
static void offer_units(
    const rc_nearest_t *nn, const query_t *q, const int32_t *list, int64_t n, best_t *best)
{
    for (int64_t i = 0; i < n; i++) {
        int32_t u = list[i];
        const rc_nearest_unit_t *x = &nn->unit[u];
        int64_t d = nn->ref.sparse + nn->size[u] - 2 * (int64_t)nn->count[u];
        if (d > best->distance)
            continue;
        if (nn->words)
            d += dense_distance(nn, &nn->ref, x->sig);
        if (d <= best->distance)
            rc_nearest_offer(best, d, tie_of(nn, q, u), x->head);
    }
}

/* Offer the first rows of the first level of a signature, as if nothing in it were touched. */
static void offer_level(
    rc_nearest_t *nn, const query_t *q, int32_t sig, int64_t distance, best_t *best)
{
    int32_t level = nn->sig_level[sig];
    int64_t tie = 0;
    best->level = distance;
    if (q->use_second)
        tie = dense_distance(nn, &nn->ref2, sig) + nn->ref2.sparse + nn->level_size[level];
    for (int32_t c = nn->level_cell[level]; c < nn->level_cell[level + 1]; c++) {
        if (!nn->cell_left[c])
            continue;
        while (nn->placed[nn->cell_row[nn->cell_next[c]]])
            nn->cell_next[c]++;
        if (nn->tie == RC_NEAREST_LOAD)
            tie = rc_nearest_load_gap(nn, q, c);
        rc_nearest_offer(best, distance, tie, nn->cell_row[nn->cell_next[c]]);
    }
}

/* Offer the signatures at positions [from, to). */
static void scan(rc_nearest_t *nn, const query_t *q, int64_t from, int64_t to, best_t *best)
{
    enum { chunk = 32 * RC_NEAREST_BLOCK };
    uint64_t popcount[chunk];
    for (int64_t base = from / RC_NEAREST_BLOCK * RC_NEAREST_BLOCK; base < to; base += chunk) {
        int64_t first = base < from ? from : base;
        int64_t last = base + chunk < to ? base + chunk : to;
        int64_t blocks = (last - base + RC_NEAREST_BLOCK - 1) / RC_NEAREST_BLOCK;
        rc_nearest_distances(
            nn->scan + base * nn->words, blocks, nn->words, nn->ref.word, popcount);
        for (int64_t p = first; p < last; p++) {
            int64_t d = nn->ref.sparse + nn->position_size[p] + (int64_t)popcount[p - base];
            if (d <= best->distance)
                offer_level(nn, q, nn->position_sig[p], d, best);
        }
    }
}

/* Offer the signatures outwards from the popcount of the reference. */
static void scan_outwards(rc_nearest_t *nn, const query_t *q, best_t *best)
{
    int64_t pop = nn->ref.pop;
    int64_t most = nn->words * 64;
    for (int64_t off = 0; off <= most; off++) {
        if (nn->ref.sparse + nn->least + off > best->distance)
            return;
        for (int side = 0; side < (off ? 2 : 1); side++) {
            int64_t at = side ? pop - off : pop + off;
            if (at < 0 || at > most)
                continue;
            if (nn->pop_start[at] < nn->pop_start[at + 1])
                scan(nn, q, nn->pop_start[at], nn->pop_start[at + 1], best);
        }
    }
}

/* List the touched units at distance d in nn->lists.other; adds to *lines the lines of their
 * masks. */
static int64_t list_tied(rc_nearest_t *nn, int64_t d, int64_t *lines)
{
    rc_nearest_lists_t *h = &nn->lists;
    h->ties = 0;
    for (int64_t i = 0; i < h->touches; i++) {
        int32_t u = h->touched[i];
        const rc_nearest_unit_t *x = &nn->unit[u];
        int64_t sparse = nn->ref.sparse + nn->size[u] - 2 * (int64_t)nn->count[u];
        if (sparse > d || sparse + dense_distance(nn, &nn->ref, x->sig) != d)
            continue;
        h->other[h->ties++] = u;
        *lines += rc_mask_size(nn->m, nn->rows[x->head]);
    }
    return h->ties;
}

/* Offer listed units with their distance to the second reference, counted mask by mask. */
static void offer_by_mask(const rc_nearest_t *nn, const query_t *q, best_t *best)
{
    const rc_nearest_lists_t *h = &nn->lists;
    for (int64_t i = 0; i < h->ties; i++) {
        int32_t u = h->other[i];
        int64_t row = nn->rows[nn->unit[u].head];
        for (int64_t k = nn->m->ptr[row]; k < nn->m->ptr[row + 1]; k++)
            nn->second[u] += nn->marked[nn->m->line_of[k]];
    }
    offer_units(nn, q, h->other, h->ties, best);
    for (int64_t i = 0; i < h->ties; i++)
        nn->second[h->other[i]] = 0;
}

/* Decide among the rows at the smallest distance by their distance to the second reference.  When
 * those at the distance are all touched, and they are few, their masks are compared one by one.
 * Otherwise the lists of the second reference are walked: of the rows of a level, none touched by
 * the first reference, the nearest to the second is one that it touches, or else the first of the
 * level. */
static void settle(rc_nearest_t *nn, const query_t *q, best_t *best)
{
    rc_nearest_lists_t *h = &nn->lists;
    int64_t lines = 0;
    int listed = best->level != best->distance;
    if (listed && list_tied(nn, best->distance, &lines) <= 1)
        return;
    best->tie = RC_NEAREST_FAR;
    if (listed && lines < nn->ref2.entries) {
        offer_by_mask(nn, q, best);
        return;
    }
    int64_t n = walk(h, &nn->ref2, nn->count, nn->second, h->other);
    offer_units(nn, q, h->touched, h->touches, best);
    offer_units(nn, q, h->other, n, best);
    for (int64_t k = 0; k < n; k++)
        nn->second[h->other[k]] = 0;
    scan_outwards(nn, q, best);
}

static best_t search(rc_nearest_t *nn, const query_t *q)
{
    const query_t nearest = {.aim = q->aim, .use_second = 0};
    rc_nearest_lists_t *h = &nn->lists;
    best_t best = {.distance = RC_NEAREST_FAR - 1, .tie = RC_NEAREST_FAR, .head = -1, .level = -1};
    h->touches = walk(h, &nn->ref, nn->count, nn->count, h->touched);
    offer_units(nn, &nearest, h->touched, h->touches, &best);
    scan_outwards(nn, &nearest, &best);
    if (q->use_second && best.head >= 0)
        settle(nn, q, &best);
    for (int64_t k = 0; k < h->touches; k++)
        nn->count[h->touched[k]] = 0;
    return best;
}

static best_t search_limited(rc_nearest_t *nn, const query_t *q, int64_t ref)
{
    best_t best = {.distance = RC_NEAREST_FAR - 1, .tie = RC_NEAREST_FAR, .head = -1};
    scan_outwards(nn, q, &best);
    rc_nearest_search_limited(nn, q, ref, &best);
    return best;
}

/* A row with the mask of the reference, or -1: the best tie value among the units of that mask. */
static int32_t take_equal(rc_nearest_t *nn, int32_t ref, const query_t *q)
{
    int32_t group = nn->m->group[ref];
    int32_t first = nn->maps->group[group];
    if (first == RC_NEAREST_ABSENT)
        return -1;
    best_t best = {.distance = RC_NEAREST_FAR - 1, .tie = 0, .head = -1};
    for (int64_t u = first; u < nn->units; u++) {
        if (nn->m->group[nn->rows[nn->unit_row[nn->unit_end[u] - 1]]] != group)
            break;
        if (nn->count[u] == RC_NEAREST_USED_UP)
            continue;
        int64_t tie = nn->tie == RC_NEAREST_LOAD ? rc_nearest_load_gap(nn, q, nn->unit[u].cell) : 0;
        rc_nearest_offer(&best, 0, tie, nn->unit[u].head);
    }
    if (best.head < 0 && !nn->limit)
        nn->maps->group[group] = RC_NEAREST_ABSENT;
    return best.head;
}

static void remove_row(rc_nearest_t *nn, int32_t row)
{
    int32_t u = nn->row_unit[row];
    int32_t cell = nn->unit[u].cell;
    int32_t level = nn->cell_level[cell];
    int32_t sig = nn->cell_sig[cell];
    nn->placed[row] = 1;
    if (++nn->unit_next[u] == nn->unit_end[u]) {
        nn->count[u] = RC_NEAREST_USED_UP;
        if (nn->limit)
            rc_nearest_limit_remove(nn->limit, u);
    } else
        nn->unit[u].head = nn->unit_row[nn->unit_next[u]];
    nn->cell_left[cell]--;
    if (--nn->level_left[level] > 0 || nn->sig_level[sig] != level)
        return;
    while (level < nn->sig_end[sig] && nn->level_left[level] == 0)
        level++;
    nn->sig_level[sig] = level;
    int64_t p = nn->sig_position[sig];
    if (level < nn->sig_end[sig])
        nn->position_size[p] = nn->level_size[level];
    else {
        const int64_t few = 64;
        nn->position_size[p] = RC_NEAREST_FAR;
        nn->dead++;
        if (nn->dead > few && nn->dead > nn->positions / 8)
            rc_nearest_compact(nn);
    }
    if (nn->positions == 1)
        nn->least = nn->position_size[0];
}

/* Mark the sparse lines of a row, or unmark them. */
static void mark(rc_nearest_t *nn, int64_t row, unsigned char value)
{
    for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++)
        if (nn->maps->line[nn->m->line_of[i]] >= 0)
            nn->marked[nn->m->line_of[i]] = value;
}

int32_t rc_nearest_take(rc_nearest_t *nn, int32_t ref, int32_t aim, int32_t second)
{
    query_t q = {.aim = aim, .use_second = nn->tie == RC_NEAREST_SECOND && second >= 0};
    int32_t row = take_equal(nn, ref, &q);
    if (row < 0) {
        split(nn, ref, &nn->ref);
        if (q.use_second) {
            split(nn, second, &nn->ref2);
            mark(nn, second, 1);
        }
        best_t best = nn->limit ? search_limited(nn, &q, ref) : search(nn, &q);
        if (q.use_second)
            mark(nn, second, 0);
        if (best.head < 0)
            return -1;
        row = best.head;
    }
    remove_row(nn, row);
    return nn->rows[row];
}
