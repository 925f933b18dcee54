/* Which lines the nearest-row engine packs into signatures, and which get a list. */
#include "config.h"
#include "order/nearest_parts.h"
#include "order/rows.h"
#include "base/error.h"
#include "base/rng.h"

#include <string.h>

/* Number the lines that occur here and count the units that need each. */
static rc_status_t count_lines(rc_nearest_t *nn, rc_room_t *room, int32_t **count)
{
    int32_t *map = nn->maps->line;
    int64_t bits = 0;
    for (int64_t u = 0; u < nn->units; u++)
        bits += rc_mask_size(nn->m, rc_nearest_model_row(nn, u));
    int64_t most = bits < nn->m->lines ? bits : nn->m->lines;
    nn->line = rc_room_take(&nn->room, (size_t)most, sizeof *nn->line);
    *count = rc_room_take0(room, (size_t)most, sizeof **count);
    RC_PASS(nn->line && *count ? RC_OK : RC_ENOMEM);
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

/* Distinct values of hash[0 .. n); table has `size` (a power of 2, above n) places. */
static int64_t count_distinct(const uint64_t *hash, int64_t n, uint64_t *table, uint64_t size)
{
    int64_t distinct = 0;
    memset(table, 0, (size_t)size * sizeof *table);
    for (int64_t i = 0; i < n; i++) {
        uint64_t h = hash[i] | 1; /* 0 marks a free place */
        uint64_t at = (h >> 1) & (size - 1);
        while (table[at] && table[at] != h)
            at = (at + 1) & (size - 1);
        distinct += !table[at];
        table[at] = h;
    }
    return distinct;
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
static rc_status_t choose_dense(
    rc_nearest_t *nn, rc_room_t *room, const int32_t *count, const int32_t *order, int64_t *dense)
{
    const double cheap_ns = 5e6;
    const int64_t most_words = (int64_t)1 << 27; /* of all signatures: 1 GiB */
    double walk = walk_ns(count, order, 0, nn->present);
    double ns = walk;
    *dense = 0;
    if (walk < cheap_ns)
        return RC_OK;
    uint64_t size = 16;
    while (size < 2 * (uint64_t)nn->units)
        size *= 2;
    int32_t *rank = rc_room_take(room, (size_t)nn->present, sizeof *rank);
    uint64_t *hash = rc_room_take0(room, (size_t)nn->units, sizeof *hash);
    uint64_t *table = rc_room_take(room, (size_t)size, sizeof *table);
    RC_PASS(rc_room_status(room));
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
        double scan = scan_ns(nn->units, count_distinct(hash, nn->units, table, size), to);
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

rc_status_t rc_nearest_make_lines(rc_nearest_t *nn, int64_t dense_lines, rc_err_t *err)
{
    rc_room_t room = {.what = nn->room.what, .err = err};
    int32_t *count = NULL;
    rc_status_t st;
    RC_TRY(count_lines(nn, &room, &count));
    int32_t *order = rc_room_take(&room, (size_t)nn->present, sizeof *order);
    RC_TRY(rc_room_status(&room));
    for (int64_t i = 0; i < nn->present; i++)
        order[i] = (int32_t)i;
    RC_TRY(rc_sort_by_key(count, 1, nn->present, order, err));
    int64_t dense = dense_lines < nn->present ? dense_lines : nn->present;
    if (dense < 0)
        RC_TRY(choose_dense(nn, &room, count, order, &dense));
    nn->words = (dense + 63) / 64;
    nn->slots = nn->present - dense;
    for (int64_t i = 0; i < nn->present; i++) {
        int32_t l = nn->line[order[i]];
        nn->maps->line[l] = i < dense ? (int32_t)(-2 - i) : (int32_t)(i - dense);
    }
done:
    rc_room_free(&room);
    return st;
}
