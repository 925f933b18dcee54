#include "config.h"
#include "order/nearest_parts.h"
#include "order/rows.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_nearest_maps_alloc(const rc_masks_t *m, rc_nearest_maps_t *out, rc_err_t *err)
{
    rc_pool_t *pool = &out->pool;
    *pool = (rc_pool_t){0};
    out->line = rc_pool_get(pool, (size_t)m->lines, sizeof *out->line);
    out->group = rc_pool_get(pool, (size_t)m->groups, sizeof *out->group);
    RC_PASS(rc_pool_check(pool, "nearest rows", err));
    for (int64_t i = 0; i < m->lines; i++)
        out->line[i] = RC_NEAREST_ABSENT;
    for (int64_t i = 0; i < m->groups; i++)
        out->group[i] = RC_NEAREST_ABSENT;
    return RC_OK;
}

/* Collect rows of equal mask (and load) into units. */
static rc_status_t make_units(rc_nearest_t *nn, rc_err_t *err)
{
    size_t n = (size_t)nn->n;
    rc_pool_t *own = &nn->pool;
    rc_pool_t pool = {0};
    rc_status_t st;
    int32_t *group = rc_pool_get(&pool, n, sizeof *group);
    int32_t *load = rc_pool_get(&pool, n, sizeof *load);
    nn->unit_row = rc_pool_get(own, n, sizeof *nn->unit_row);
    nn->row_unit = rc_pool_get(own, n, sizeof *nn->row_unit);
    nn->placed = rc_pool_get0(own, n, 1);
    RC_TRY(rc_pool_check(&pool, "nearest rows", err));
    RC_TRY(rc_pool_check(own, "nearest rows", err));
    for (int64_t i = 0; i < nn->n; i++) {
        group[i] = nn->m->group[nn->rows[i]];
        load[i] = nn->tie == RC_NEAREST_LOAD ? nn->load[nn->rows[i]] : 0;
        nn->unit_row[i] = (int32_t)i;
    }
    RC_TRY(rc_sort_by_key(load, 0, nn->n, nn->unit_row, err));
    RC_TRY(rc_sort_by_key(group, 0, nn->n, nn->unit_row, err));
    for (int64_t i = 0; i < nn->n; i++) {
        int32_t row = nn->unit_row[i];
        int32_t before = nn->unit_row[i ? i - 1 : 0];
        if (i == 0 || group[row] != group[before] || load[row] != load[before])
            nn->units++;
        nn->row_unit[row] = (int32_t)(nn->units - 1);
    }
    nn->unit = rc_pool_get_aligned(own, (size_t)nn->units, sizeof *nn->unit);
    nn->unit_end = rc_pool_get(own, (size_t)nn->units, sizeof *nn->unit_end);
    nn->unit_next = rc_pool_get(own, (size_t)nn->units, sizeof *nn->unit_next);
    nn->count = rc_pool_get0(own, (size_t)nn->units, sizeof *nn->count);
    nn->size = rc_pool_get0(own, (size_t)nn->units, sizeof *nn->size);
    RC_TRY(rc_pool_check(own, "nearest rows", err));
    for (int64_t i = nn->n - 1; i >= 0; i--) {
        int32_t row = nn->unit_row[i];
        int32_t u = nn->row_unit[row];
        if (i == nn->n - 1 || nn->row_unit[nn->unit_row[i + 1]] != u)
            nn->unit_end[u] = i + 1;
        nn->unit_next[u] = i;
        nn->unit[u] = (rc_nearest_unit_t){.head = row};
        nn->maps->group[group[row]] = u; /* ends as the first unit of the mask */
    }
done:
    rc_pool_free(&pool);
    return st;
}

/* ------------------------------------------------------------------- lines */

/* Number the lines that occur here and count the units that need each. */
static rc_status_t count_lines(rc_nearest_t *nn, rc_pool_t *pool, int32_t **count, rc_err_t *err)
{
    int32_t *map = nn->maps->line;
    int64_t bits = 0;
    for (int64_t u = 0; u < nn->units; u++)
        bits += rc_mask_size(nn->m, rc_nearest_model_row(nn, u));
    int64_t most = bits < nn->m->lines ? bits : nn->m->lines;
    nn->line = rc_pool_get(&nn->pool, (size_t)most, sizeof *nn->line);
    *count = rc_pool_get0(pool, (size_t)most, sizeof **count);
    RC_PASS(rc_pool_check(&nn->pool, "nearest rows", err));
    RC_PASS(rc_pool_check(pool, "nearest rows", err));
    for (int64_t u = 0; u < nn->units; u++) {
        int64_t row = rc_nearest_model_row(nn, u);
        for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++) {
            int32_t l = nn->m->line_of[i];
            if (map[l] == RC_NEAREST_ABSENT) {
                map[l] = (int32_t)nn->present;
                nn->line[nn->present++] = l;
            }
            (*count)[map[l]]++;
        }
    }
    return RC_OK;
}

/* Estimated time to empty the engine: half of the units are left on average. */
static double scan_ns(int64_t units, int64_t sigs, int64_t dense)
{
    const double position_ns = 1.2;
    const double word_ns = 0.35;
    return 0.5 * (double)units * (double)sigs *
           (position_ns + word_ns * (double)((dense + 63) / 64));
}

static double walk_ns(const int32_t *count, const int32_t *order, int64_t from, int64_t to)
{
    const double entry_ns = 1.0;
    double sum = 0;
    for (int64_t i = from; i < to; i++)
        sum += (double)count[order[i]] * (double)count[order[i]];
    return 0.5 * entry_ns * sum;
}

/* Choose how many of the densest lines to pack.  More dense lines mean shorter walks, but more
 * signatures to scan; their number is counted (by hash) for a growing number of lines.
 *  order  line numbers by decreasing count */
static rc_status_t choose_dense(rc_nearest_t *nn, rc_pool_t *pool, const int32_t *count,
    const int32_t *order, int64_t *dense, rc_err_t *err)
{
    const double cheap_ns = 5e6;
    const int64_t most_words = (int64_t)1 << 27; /* of all signatures: 1 GiB */
    double walk = walk_ns(count, order, 0, nn->present);
    double ns = walk;
    *dense = 0;
    if (walk < cheap_ns)
        return RC_OK;
    int32_t *rank = rc_pool_get(pool, (size_t)nn->present, sizeof *rank);
    uint64_t *hash = rc_pool_get0(pool, (size_t)nn->units, sizeof *hash);
    int64_t *halves = rc_pool_get(pool, (size_t)nn->units + 1, sizeof *halves);
    int32_t *number = rc_pool_get(pool, (size_t)nn->units, sizeof *number);
    const rc_lists_t hashes = {.n = nn->units, .ptr = halves, .item = (const int32_t *)hash};
    RC_PASS(rc_pool_check(pool, "nearest rows", err));
    for (int64_t u = 0; u <= nn->units; u++)
        halves[u] = 2 * u;
    for (int64_t i = 0; i < nn->present; i++)
        rank[order[i]] = (int32_t)i;
    int64_t from = 0;
    for (int64_t to = 1; from < nn->present; to = to < 64 ? 2 * to : to + 64) {
        if (to > nn->present)
            to = nn->present;
        if (nn->units > most_words / ((to + 63) / 64))
            break;
        for (int64_t u = 0; u < nn->units; u++) {
            int64_t row = rc_nearest_model_row(nn, u);
            for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++) {
                int32_t r = rank[nn->maps->line[nn->m->line_of[i]]];
                if (r >= from && r < to)
                    hash[u] ^= rc_rng_hash(1, (uint64_t)r);
            }
        }
        int64_t distinct;
        RC_PASS(rc_number_lists(&hashes, 1, number, &distinct, err));
        double scan = scan_ns(nn->units, distinct, to);
        walk -= walk_ns(count, order, from, to);
        from = to;
        if (walk + scan < ns) {
            ns = walk + scan;
            *dense = to;
        } else if (scan > ns)
            break; /* more lines never make fewer signatures */
    }
    return RC_OK;
}

/* Split the lines of the units into dense ones and lists: fills maps->line, present, line, slots
 * and words.  Cost O(set bits of the units), times some tens where lists are long. */
static rc_status_t make_lines(rc_nearest_t *nn, int64_t dense_lines, rc_err_t *err)
{
    rc_pool_t pool = {0};
    int32_t *count = NULL;
    rc_status_t st;
    RC_TRY(count_lines(nn, &pool, &count, err));
    int32_t *order = rc_pool_get(&pool, (size_t)nn->present, sizeof *order);
    RC_TRY(rc_pool_check(&pool, "nearest rows", err));
    for (int64_t i = 0; i < nn->present; i++)
        order[i] = (int32_t)i;
    RC_TRY(rc_sort_by_key(count, 1, nn->present, order, err));
    int64_t dense = dense_lines < nn->present ? dense_lines : nn->present;
    if (dense < 0)
        RC_TRY(choose_dense(nn, &pool, count, order, &dense, err));
    nn->words = (dense + 63) / 64;
    nn->slots = nn->present - dense;
    for (int64_t i = 0; i < nn->present; i++) {
        int32_t l = nn->line[order[i]];
        nn->maps->line[l] = i < dense ? (int32_t)(-2 - i) : (int32_t)(i - dense);
    }
done:
    rc_pool_free(&pool);
    return st;
}

/* -------------------------------------------------------------- signatures */

/* Set the sparse size of every unit and pack its dense lines into bits[unit * words ..]. */
static void pack(rc_nearest_t *nn, uint64_t *bits)
{
    for (int64_t u = 0; u < nn->units; u++) {
        int64_t row = rc_nearest_model_row(nn, u);
        for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++) {
            int32_t v = nn->maps->line[nn->m->line_of[i]];
            if (rc_nearest_is_dense(v)) {
                uint32_t bit = rc_nearest_bit(v);
                bits[u * nn->words + bit / 64] |= (uint64_t)1 << bit % 64;
            } else
                nn->size[u]++;
        }
    }
}

/* Find the distinct signatures and sort them by popcount. */
static rc_status_t make_signatures(rc_nearest_t *nn, rc_err_t *err)
{
    size_t units = (size_t)nn->units;
    rc_pool_t pool = {0};
    uint64_t *bits = rc_pool_get0(&pool, units * (size_t)nn->words, sizeof *bits);
    int32_t *sig = rc_pool_get(&pool, units, sizeof *sig);
    int32_t *first = rc_pool_get(&pool, units, sizeof *first);
    int32_t *pop = rc_pool_get(&pool, units, sizeof *pop);
    int32_t *order = rc_pool_get(&pool, units, sizeof *order);
    int64_t *halves = rc_pool_get(&pool, units + 1, sizeof *halves);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "nearest rows", err));
    pack(nn, bits);
    for (int64_t u = 0; u <= nn->units; u++)
        halves[u] = 2 * u * nn->words;
    const rc_lists_t lists = {.n = nn->units, .ptr = halves, .item = (const int32_t *)bits};
    RC_TRY(rc_number_lists(&lists, 1, sig, &nn->sigs, err));
    nn->sig = rc_pool_get(&nn->pool, (size_t)(nn->sigs * nn->words), sizeof *nn->sig);
    nn->sig_pop = rc_pool_get(&nn->pool, (size_t)nn->sigs, sizeof *nn->sig_pop);
    RC_TRY(rc_pool_check(&nn->pool, "nearest rows", err));
    for (int64_t u = nn->units - 1; u >= 0; u--)
        first[sig[u]] = (int32_t)u;
    for (int64_t s = 0; s < nn->sigs; s++) {
        pop[s] = 0;
        for (int64_t w = 0; w < nn->words; w++)
            pop[s] += __builtin_popcountll(bits[first[s] * nn->words + w]);
        order[s] = (int32_t)s;
    }
    RC_TRY(rc_sort_by_key(pop, 0, nn->sigs, order, err));
    for (int64_t s = 0; s < nn->sigs; s++) {
        nn->sig_pop[s] = pop[order[s]];
        memcpy(nn->sig + s * nn->words, bits + first[order[s]] * nn->words,
            (size_t)nn->words * sizeof *bits);
    }
    for (int64_t s = 0; s < nn->sigs; s++) /* to the number in this order */
        first[order[s]] = (int32_t)s;
    for (int64_t u = 0; u < nn->units; u++)
        nn->unit[u].sig = first[sig[u]];
done:
    rc_pool_free(&pool);
    return st;
}

/* Number levels and cells over units sorted by (signature, size, load). */
static void number_cells(
    rc_nearest_t *nn, const int32_t *order, const int32_t *load, int64_t *levels, int64_t *cells)
{
    *levels = 0;
    *cells = 0;
    for (int64_t i = 0; i < nn->units; i++) {
        int32_t u = order[i];
        int32_t before = order[i ? i - 1 : 0];
        int32_t s = nn->unit[u].sig;
        int new_sig = i == 0 || s != nn->unit[before].sig;
        int new_level = new_sig || nn->size[u] != nn->size[before];
        if (new_sig)
            nn->sig_level[s] = (int32_t)*levels;
        if (new_level) {
            nn->level_size[*levels] = nn->size[u];
            nn->level_cell[*levels] = (int32_t)*cells;
            ++*levels;
        }
        if (new_level || load[u] != load[before]) {
            nn->cell_level[*cells] = (int32_t)(*levels - 1);
            nn->cell_sig[*cells] = s;
            nn->cell_load[*cells] = load[u];
            ++*cells;
        }
        nn->level_cell[*levels] = (int32_t)*cells;
        nn->sig_end[s] = (int32_t)*levels;
        nn->unit[u].cell = (int32_t)(*cells - 1);
    }
}

/* Give every cell its rows in index order. */
static void fill_cells(rc_nearest_t *nn, int64_t cells)
{
    for (int64_t i = 0; i < nn->n; i++)
        nn->cell_left[nn->unit[nn->row_unit[i]].cell]++;
    int64_t sum = 0;
    for (int64_t c = 0; c < cells; c++) {
        nn->cell_next[c] = sum;
        sum += nn->cell_left[c];
        nn->level_left[nn->cell_level[c]] += nn->cell_left[c];
    }
    for (int64_t i = 0; i < nn->n; i++)
        nn->cell_row[nn->cell_next[nn->unit[nn->row_unit[i]].cell]++] = (int32_t)i;
    for (int64_t c = 0; c < cells; c++)
        nn->cell_next[c] -= nn->cell_left[c];
}

static rc_status_t make_cells(rc_nearest_t *nn, rc_err_t *err)
{
    size_t units = (size_t)nn->units;
    size_t sigs = (size_t)nn->sigs;
    size_t each = sizeof(int32_t);
    rc_pool_t *own = &nn->pool;
    rc_pool_t pool = {0};
    rc_status_t st;
    int32_t *order = rc_pool_get(&pool, units, each);
    int32_t *load = rc_pool_get(&pool, units, each);
    int32_t *sig = rc_pool_get(&pool, units, each);
    nn->sig_level = rc_pool_get(own, sigs, each);
    nn->sig_end = rc_pool_get(own, sigs, each);
    nn->sig_position = rc_pool_get(own, sigs, each);
    nn->level_size = rc_pool_get(own, units, each);
    nn->level_left = rc_pool_get0(own, units, each);
    nn->level_cell = rc_pool_get(own, units + 1, each);
    nn->cell_level = rc_pool_get(own, units, each);
    nn->cell_sig = rc_pool_get(own, units, each);
    nn->cell_load = rc_pool_get(own, units, each);
    nn->cell_left = rc_pool_get0(own, units, each);
    nn->cell_next = rc_pool_get(own, units, sizeof *nn->cell_next);
    nn->cell_row = rc_pool_get(own, (size_t)nn->n, each);
    RC_TRY(rc_pool_check(&pool, "nearest rows", err));
    RC_TRY(rc_pool_check(own, "nearest rows", err));
    for (int64_t u = 0; u < nn->units; u++) {
        order[u] = (int32_t)u;
        sig[u] = nn->unit[u].sig;
        load[u] = nn->tie == RC_NEAREST_LOAD ? nn->load[rc_nearest_model_row(nn, u)] : 0;
    }
    RC_TRY(rc_sort_by_key(load, 0, nn->units, order, err));
    RC_TRY(rc_sort_by_key(nn->size, 0, nn->units, order, err));
    RC_TRY(rc_sort_by_key(sig, 0, nn->units, order, err));
    int64_t levels;
    int64_t cells;
    number_cells(nn, order, load, &levels, &cells);
    fill_cells(nn, cells);
done:
    rc_pool_free(&pool);
    return st;
}

/* The units of every list: counted where there is no memory for them yet, else put there. */
static void walk_entries(rc_nearest_t *nn)
{
    rc_nearest_lists_t *h = &nn->lists;
    for (int64_t u = 0; u < nn->units; u++) {
        int64_t row = rc_nearest_model_row(nn, u);
        for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++) {
            int32_t slot = nn->maps->line[nn->m->line_of[i]];
            if (slot < 0)
                continue;
            if (h->entry)
                h->entry[h->start[slot] + h->length[slot]++] = (int32_t)u;
            else
                h->start[slot + 1]++;
        }
    }
}

static rc_status_t make_lists(rc_nearest_t *nn, rc_err_t *err)
{
    size_t units = (size_t)nn->units;
    rc_pool_t *own = &nn->pool;
    rc_nearest_lists_t *h = &nn->lists;
    h->start = rc_pool_get0(own, (size_t)nn->slots + 1, sizeof *h->start);
    h->length = rc_pool_get0(own, (size_t)nn->slots, sizeof *h->length);
    h->touched = rc_pool_get(own, units + 1, sizeof *h->touched);
    h->other = rc_pool_get(own, units + 1, sizeof *h->other);
    RC_PASS(rc_pool_check(own, "nearest rows", err));
    walk_entries(nn);
    for (int64_t k = 0; k < nn->slots; k++)
        h->start[k + 1] += h->start[k];
    h->entry = rc_pool_get(own, (size_t)h->start[nn->slots], sizeof *h->entry);
    RC_PASS(rc_pool_check(own, "nearest rows", err));
    walk_entries(nn);
    return RC_OK;
}

static void make_side(rc_nearest_t *nn, rc_nearest_side_t *side)
{
    side->word = rc_pool_get0(&nn->pool, (size_t)nn->words, sizeof *side->word);
    side->slot = rc_pool_get(&nn->pool, (size_t)nn->slots, sizeof *side->slot);
}

/* The references and the scan. */
static rc_status_t make_search(rc_nearest_t *nn, rc_err_t *err)
{
    size_t sigs = (size_t)nn->sigs;
    size_t blocks = sigs / RC_NEAREST_BLOCK + 1;
    rc_pool_t *own = &nn->pool;
    make_side(nn, &nn->ref);
    make_side(nn, &nn->ref2);
    if (nn->tie == RC_NEAREST_SECOND) {
        nn->second = rc_pool_get0(own, (size_t)nn->units, sizeof *nn->second);
        nn->marked = rc_pool_get0(own, (size_t)nn->m->lines, 1);
    }
    nn->position_sig = rc_pool_get(own, sigs, sizeof *nn->position_sig);
    nn->position_size = rc_pool_get(own, sigs, sizeof *nn->position_size);
    nn->scan =
        rc_pool_get_aligned(own, blocks * (size_t)nn->words, RC_NEAREST_BLOCK * sizeof *nn->scan);
    nn->pop_start = rc_pool_get(own, (size_t)nn->words * 64 + 2, sizeof *nn->pop_start);
    RC_PASS(rc_pool_check(own, "nearest rows", err));
    rc_nearest_compact(nn);
    return RC_OK;
}

void rc_nearest_compact(rc_nearest_t *nn)
{
    int64_t words = nn->words;
    int64_t p = 0;
    int64_t pop = 0;
    nn->least = RC_NEAREST_FAR;
    for (int64_t s = 0; s < nn->sigs; s++) {
        if (nn->sig_level[s] == nn->sig_end[s])
            continue;
        while (pop <= nn->sig_pop[s])
            nn->pop_start[pop++] = p;
        uint64_t *lane =
            nn->scan + p / RC_NEAREST_BLOCK * words * RC_NEAREST_BLOCK + p % RC_NEAREST_BLOCK;
        for (int64_t w = 0; w < words; w++)
            lane[w * RC_NEAREST_BLOCK] = nn->sig[s * words + w];
        nn->position_sig[p] = (int32_t)s;
        nn->position_size[p] = nn->level_size[nn->sig_level[s]];
        if (nn->position_size[p] < nn->least)
            nn->least = nn->position_size[p];
        nn->sig_position[s] = (int32_t)p++;
    }
    while (pop < words * 64 + 2)
        nn->pop_start[pop++] = p;
    for (int64_t q = p; q % RC_NEAREST_BLOCK != 0; q++)
        for (int64_t w = 0; w < words; w++)
            nn->scan[(q / RC_NEAREST_BLOCK * words + w) * RC_NEAREST_BLOCK + q % RC_NEAREST_BLOCK] =
                0;
    nn->positions = p;
    nn->dead = 0;
}

rc_status_t rc_nearest_create(const rc_masks_t *m, const int32_t *load, rc_nearest_tie_t tie,
    const int32_t *rows, int64_t n, int64_t dense_lines, rc_nearest_maps_t *maps,
    rc_nearest_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_nearest_t *nn = rc_alloc(1, sizeof *nn, "nearest rows", err);
    RC_PASS(nn ? RC_OK : RC_ENOMEM);
    *nn = (rc_nearest_t){.m = m, .load = load, .tie = tie, .rows = rows, .n = n, .maps = maps};
    RC_TRY(make_units(nn, err));
    RC_TRY(make_lines(nn, dense_lines, err));
    RC_TRY(make_signatures(nn, err));
    RC_TRY(make_cells(nn, err));
    RC_TRY(make_lists(nn, err));
    RC_TRY(make_search(nn, err));
    *out = nn;
    return RC_OK;
done:
    rc_nearest_free(nn);
    return st;
}

void rc_nearest_free(rc_nearest_t *nn)
{
    if (!nn)
        return;
    for (int64_t i = 0; i < nn->present; i++)
        nn->maps->line[nn->line[i]] = RC_NEAREST_ABSENT;
    for (int64_t i = 0; i < nn->n; i++)
        nn->maps->group[nn->m->group[nn->rows[i]]] = RC_NEAREST_ABSENT;
    rc_pool_free(&nn->pool);
    free(nn);
}
