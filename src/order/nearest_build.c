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
    int32_t *line = rc_alloc((size_t)m->lines, sizeof *line, "nearest rows", err);
    int32_t *group = rc_alloc((size_t)m->groups, sizeof *group, "nearest rows", err);
    if (!line || !group) {
        free(line);
        free(group);
        return RC_ENOMEM;
    }
    for (int64_t i = 0; i < m->lines; i++)
        line[i] = RC_NEAREST_ABSENT;
    for (int64_t i = 0; i < m->groups; i++)
        group[i] = RC_NEAREST_ABSENT;
    *out = (rc_nearest_maps_t){.line = line, .group = group};
    return RC_OK;
}

void rc_nearest_maps_free(rc_nearest_maps_t *maps)
{
    if (!maps)
        return;
    free(maps->line);
    free(maps->group);
    memset(maps, 0, sizeof *maps);
}

/* Collect rows of equal mask (and load) into units. */
static rc_status_t make_units(rc_nearest_t *nn, rc_err_t *err)
{
    int64_t n = nn->n;
    rc_status_t st = RC_ENOMEM;
    int32_t *group = rc_alloc((size_t)n, sizeof *group, "nearest rows", err);
    int32_t *load = rc_alloc((size_t)n, sizeof *load, "nearest rows", err);
    nn->unit_row = rc_alloc((size_t)n, sizeof *nn->unit_row, "nearest rows", err);
    nn->row_unit = rc_alloc((size_t)n, sizeof *nn->row_unit, "nearest rows", err);
    nn->placed = rc_alloc0((size_t)n, 1, "nearest rows", err);
    if (!group || !load || !nn->unit_row || !nn->row_unit || !nn->placed)
        goto done;
    for (int64_t i = 0; i < n; i++) {
        group[i] = nn->m->group[nn->rows[i]];
        load[i] = nn->tie == RC_NEAREST_LOAD ? nn->load[nn->rows[i]] : 0;
        nn->unit_row[i] = (int32_t)i;
    }
    RC_TRY(rc_sort_by_key(load, 0, n, nn->unit_row, err));
    RC_TRY(rc_sort_by_key(group, 0, n, nn->unit_row, err));
    st = RC_ENOMEM;
    for (int64_t i = 0; i < n; i++) {
        int32_t row = nn->unit_row[i];
        int32_t before = nn->unit_row[i ? i - 1 : 0];
        if (i == 0 || group[row] != group[before] || load[row] != load[before])
            nn->units++;
        nn->row_unit[row] = (int32_t)(nn->units - 1);
    }
    nn->unit = rc_alloc_aligned((size_t)nn->units, sizeof *nn->unit, "nearest rows", err);
    nn->unit_end = rc_alloc((size_t)nn->units, sizeof *nn->unit_end, "nearest rows", err);
    nn->unit_next = rc_alloc((size_t)nn->units, sizeof *nn->unit_next, "nearest rows", err);
    nn->count = rc_alloc0((size_t)nn->units, sizeof *nn->count, "nearest rows", err);
    nn->size = rc_alloc0((size_t)nn->units, sizeof *nn->size, "nearest rows", err);
    if (!nn->unit || !nn->unit_end || !nn->unit_next || !nn->count || !nn->size)
        goto done;
    for (int64_t i = n - 1; i >= 0; i--) {
        int32_t row = nn->unit_row[i];
        int32_t u = nn->row_unit[row];
        if (i == n - 1 || nn->row_unit[nn->unit_row[i + 1]] != u)
            nn->unit_end[u] = i + 1;
        nn->unit_next[u] = i;
        nn->unit[u] = (rc_nearest_unit_t){.head = row};
        nn->maps->group[group[row]] = u; /* ends as the first unit of the mask */
    }
    st = RC_OK;
done:
    free(group);
    free(load);
    return st;
}

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

/* Number equal signatures alike, by first unit; first[s] is that unit. */
static rc_status_t number_signatures(
    rc_nearest_t *nn, const uint64_t *bits, int32_t *first, rc_err_t *err)
{
    uint64_t size = 16;
    while (size < 2 * (uint64_t)nn->units)
        size *= 2;
    int32_t *table = rc_alloc((size_t)size, sizeof *table, "nearest rows", err);
    RC_PASS(table ? RC_OK : RC_ENOMEM);
    for (uint64_t i = 0; i < size; i++)
        table[i] = -1;
    size_t bytes = (size_t)nn->words * sizeof *bits;
    for (int64_t u = 0; u < nn->units; u++) {
        const uint64_t *mine = bits + u * nn->words;
        uint64_t h = 0;
        for (int64_t w = 0; w < nn->words; w++)
            h = rc_rng_hash(h, mine[w]);
        uint64_t at = h & (size - 1);
        while (table[at] >= 0 &&
               memcmp(bits + (int64_t)first[table[at]] * nn->words, mine, bytes) != 0)
            at = (at + 1) & (size - 1);
        if (table[at] < 0) {
            first[nn->sigs] = (int32_t)u;
            table[at] = (int32_t)nn->sigs++;
        }
        nn->unit[u].sig = table[at];
    }
    free(table);
    return RC_OK;
}

/* Find the distinct signatures and sort them by popcount. */
static rc_status_t make_signatures(rc_nearest_t *nn, rc_err_t *err)
{
    rc_status_t st = RC_ENOMEM;
    int32_t *order = NULL;
    int32_t *pop = NULL;
    uint64_t *bits =
        rc_alloc0((size_t)nn->units * (size_t)nn->words, sizeof *bits, "nearest rows", err);
    int32_t *first = rc_alloc((size_t)nn->units, sizeof *first, "nearest rows", err);
    int32_t *number = rc_alloc((size_t)nn->units, sizeof *number, "nearest rows", err);
    if (!bits || !first || !number)
        goto done;
    pack(nn, bits);
    RC_TRY(number_signatures(nn, bits, first, err));
    st = RC_ENOMEM;
    order = rc_alloc((size_t)nn->sigs, sizeof *order, "nearest rows", err);
    pop = rc_alloc((size_t)nn->sigs, sizeof *pop, "nearest rows", err);
    nn->sig = rc_alloc((size_t)nn->sigs * (size_t)nn->words, sizeof *nn->sig, "nearest rows", err);
    nn->sig_pop = rc_alloc((size_t)nn->sigs, sizeof *nn->sig_pop, "nearest rows", err);
    if (!order || !pop || !nn->sig || !nn->sig_pop)
        goto done;
    for (int64_t s = 0; s < nn->sigs; s++) {
        const uint64_t *mine = bits + (int64_t)first[s] * nn->words;
        pop[s] = 0;
        for (int64_t w = 0; w < nn->words; w++)
            pop[s] += __builtin_popcountll(mine[w]);
        order[s] = (int32_t)s;
    }
    RC_TRY(rc_sort_by_key(pop, 0, nn->sigs, order, err));
    for (int64_t s = 0; s < nn->sigs; s++) {
        number[order[s]] = (int32_t)s;
        nn->sig_pop[s] = pop[order[s]];
        memcpy(nn->sig + s * nn->words, bits + (int64_t)first[order[s]] * nn->words,
            (size_t)nn->words * sizeof *bits);
    }
    for (int64_t u = 0; u < nn->units; u++)
        nn->unit[u].sig = number[nn->unit[u].sig];
    st = RC_OK;
done:
    free(bits);
    free(first);
    free(number);
    free(order);
    free(pop);
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
    rc_status_t st = RC_ENOMEM;
    int32_t *order = rc_alloc(units, each, "nearest rows", err);
    int32_t *load = rc_alloc(units, each, "nearest rows", err);
    int32_t *sig = rc_alloc(units, each, "nearest rows", err);
    nn->sig_level = rc_alloc(sigs, each, "nearest rows", err);
    nn->sig_end = rc_alloc(sigs, each, "nearest rows", err);
    nn->sig_position = rc_alloc(sigs, each, "nearest rows", err);
    nn->level_size = rc_alloc(units, each, "nearest rows", err);
    nn->level_left = rc_alloc0(units, each, "nearest rows", err);
    nn->level_cell = rc_alloc(units + 1, each, "nearest rows", err);
    nn->cell_level = rc_alloc(units, each, "nearest rows", err);
    nn->cell_sig = rc_alloc(units, each, "nearest rows", err);
    nn->cell_load = rc_alloc(units, each, "nearest rows", err);
    nn->cell_left = rc_alloc0(units, each, "nearest rows", err);
    nn->cell_next = rc_alloc(units, sizeof *nn->cell_next, "nearest rows", err);
    nn->cell_row = rc_alloc((size_t)nn->n, each, "nearest rows", err);
    if (!order || !load || !sig || !nn->sig_level || !nn->sig_end || !nn->sig_position ||
        !nn->level_size || !nn->level_left || !nn->level_cell || !nn->cell_level || !nn->cell_sig ||
        !nn->cell_load || !nn->cell_left || !nn->cell_next || !nn->cell_row)
        goto done;
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
    st = RC_OK;
done:
    free(order);
    free(load);
    free(sig);
    return st;
}

/* Apply `put` to every (list, unit) of the engine. */
static void each_entry(rc_nearest_t *nn, void (*put)(rc_nearest_lists_t *, int32_t, int64_t))
{
    for (int64_t u = 0; u < nn->units; u++) {
        int64_t row = rc_nearest_model_row(nn, u);
        for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++) {
            int32_t slot = nn->maps->line[nn->m->line_of[i]];
            if (slot >= 0)
                put(&nn->lists, slot, u);
        }
    }
}

static void count_entry(rc_nearest_lists_t *h, int32_t slot, int64_t unit)
{
    (void)unit;
    h->start[slot + 1]++;
}

static void put_entry(rc_nearest_lists_t *h, int32_t slot, int64_t unit)
{
    h->entry[h->start[slot] + h->length[slot]++] = (int32_t)unit;
}

static rc_status_t make_lists(rc_nearest_t *nn, rc_err_t *err)
{
    size_t units = (size_t)nn->units;
    rc_nearest_lists_t *h = &nn->lists;
    h->start = rc_alloc0((size_t)nn->slots + 1, sizeof *h->start, "nearest rows", err);
    h->length = rc_alloc0((size_t)nn->slots, sizeof *h->length, "nearest rows", err);
    h->touched = rc_alloc(units + 1, sizeof *h->touched, "nearest rows", err);
    h->other = rc_alloc(units + 1, sizeof *h->other, "nearest rows", err);
    RC_PASS(h->start && h->length && h->touched && h->other ? RC_OK : RC_ENOMEM);
    each_entry(nn, count_entry);
    for (int64_t k = 0; k < nn->slots; k++)
        h->start[k + 1] += h->start[k];
    h->entry = rc_alloc((size_t)h->start[nn->slots], sizeof *h->entry, "nearest rows", err);
    RC_PASS(h->entry ? RC_OK : RC_ENOMEM);
    each_entry(nn, put_entry);
    return RC_OK;
}

/* What ties by a second reference need. */
static rc_status_t make_second(rc_nearest_t *nn, rc_err_t *err)
{
    if (nn->tie != RC_NEAREST_SECOND)
        return RC_OK;
    nn->second = rc_alloc0((size_t)nn->units, sizeof *nn->second, "nearest rows", err);
    nn->marked = rc_alloc0((size_t)nn->m->lines, 1, "nearest rows", err);
    return nn->second && nn->marked ? RC_OK : RC_ENOMEM;
}

static rc_status_t make_side(rc_nearest_t *nn, rc_nearest_side_t *side, rc_err_t *err)
{
    side->word = rc_alloc0((size_t)nn->words, sizeof *side->word, "nearest rows", err);
    side->slot = rc_alloc((size_t)nn->slots, sizeof *side->slot, "nearest rows", err);
    return side->word && side->slot ? RC_OK : RC_ENOMEM;
}

static rc_status_t make_scan(rc_nearest_t *nn, rc_err_t *err)
{
    size_t sigs = (size_t)nn->sigs;
    size_t blocks = sigs / RC_NEAREST_BLOCK + 1;
    nn->position_sig = rc_alloc(sigs, sizeof *nn->position_sig, "nearest rows", err);
    nn->position_size = rc_alloc(sigs, sizeof *nn->position_size, "nearest rows", err);
    nn->scan = rc_alloc_aligned(
        blocks * (size_t)nn->words, RC_NEAREST_BLOCK * sizeof *nn->scan, "nearest rows", err);
    nn->pop_start =
        rc_alloc((size_t)nn->words * 64 + 2, sizeof *nn->pop_start, "nearest rows", err);
    RC_PASS(nn->position_sig && nn->position_size && nn->scan && nn->pop_start ? RC_OK : RC_ENOMEM);
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
    rc_nearest_t *nn = rc_alloc0(1, sizeof *nn, "nearest rows", err);
    RC_PASS(nn ? RC_OK : RC_ENOMEM);
    nn->m = m;
    nn->load = load;
    nn->tie = tie;
    nn->rows = rows;
    nn->n = n;
    nn->maps = maps;
    RC_TRY(make_units(nn, err));
    RC_TRY(rc_nearest_make_lines(nn, dense_lines, err));
    RC_TRY(make_signatures(nn, err));
    RC_TRY(make_cells(nn, err));
    RC_TRY(make_lists(nn, err));
    RC_TRY(make_side(nn, &nn->ref, err));
    RC_TRY(make_side(nn, &nn->ref2, err));
    RC_TRY(make_second(nn, err));
    RC_TRY(make_scan(nn, err));
    *out = nn;
    return RC_OK;
done:
    rc_nearest_free(nn);
    return st;
}

static void free_side(rc_nearest_side_t *side)
{
    free(side->word);
    free(side->slot);
}

void rc_nearest_free(rc_nearest_t *nn)
{
    if (!nn)
        return;
    for (int64_t i = 0; i < nn->present; i++)
        nn->maps->line[nn->line[i]] = RC_NEAREST_ABSENT;
    for (int64_t i = 0; i < nn->n; i++)
        nn->maps->group[nn->m->group[nn->rows[i]]] = RC_NEAREST_ABSENT;
    free_side(&nn->ref);
    free_side(&nn->ref2);
    rc_nearest_limit_free(nn->limit);
    void *const owned[] = {nn->unit, nn->unit_row, nn->unit_end, nn->unit_next, nn->count, nn->size,
        nn->second, nn->marked, nn->row_unit, nn->placed, nn->line, nn->sig, nn->sig_pop,
        nn->sig_level, nn->sig_end, nn->sig_position, nn->level_size, nn->level_left,
        nn->level_cell, nn->cell_level, nn->cell_sig, nn->cell_load, nn->cell_left, nn->cell_next,
        nn->cell_row, nn->position_sig, nn->position_size, nn->scan, nn->pop_start, nn->lists.start,
        nn->lists.length, nn->lists.entry, nn->lists.touched, nn->lists.other};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(nn);
}
