#include "config.h"
#include "format/mma.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/places.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 }; /* panels that a thread takes at once */

/* A walk over the distinct columns of a panel, in increasing order. */
typedef struct walk {
    const rc_csr_t *a;
    int64_t at[RC_MMA_ROWS]; /* next entry of each row */
    int64_t end[RC_MMA_ROWS];
} walk_t;

static walk_t walk_of(const rc_problem_t *p, int64_t panel)
{
    walk_t w = {.a = p->a};
    for (int i = 0; i < RC_MMA_ROWS; i++) {
        int64_t slot = panel * RC_MMA_ROWS + i;
        int64_t r = slot < p->schedule->slots ? p->schedule->row[slot] : -1;
        w.at[i] = r < 0 ? 0 : p->a->row_ptr[r];
        w.end[i] = r < 0 ? 0 : p->a->row_ptr[r + 1];
    }
    return w;
}

/* The next column, -1 at the end; its entries are still to be passed. */
static int32_t next_column(const walk_t *w)
{
    int32_t least = INT32_MAX;
    int found = 0;
    for (int i = 0; i < RC_MMA_ROWS; i++)
        if (w->at[i] < w->end[i] && w->a->col_idx[w->at[i]] <= least) {
            least = w->a->col_idx[w->at[i]];
            found = 1;
        }
    return found ? least : -1;
}

/* \param[in] to  NULL, or where the entries go: column i of the tile that begins at `first` */
static void pass_column(walk_t *w, int32_t column, int64_t first, int i, const rc_mma_t *to)
{
    for (int r = 0; r < RC_MMA_ROWS; r++) {
        if (w->at[r] == w->end[r] || w->a->col_idx[w->at[r]] != column)
            continue;
        if (to)
            rc_place_put(to->entry, to->entry_bytes, first + rc_mma_place(r, i), w->at[r]);
        w->at[r]++;
    }
}

static int64_t count_panel(const rc_problem_t *p, int64_t panel)
{
    walk_t w = walk_of(p, panel);
    int64_t columns = 0;
    for (int32_t c = next_column(&w); c >= 0; c = next_column(&w), columns++)
        pass_column(&w, c, 0, 0, NULL);
    return (columns + RC_MMA_COLS - 1) / RC_MMA_COLS;
}

int64_t rc_mma_panels(const rc_problem_t *p)
{
    return (p->schedule->slots + RC_MMA_ROWS - 1) / RC_MMA_ROWS;
}

rc_status_t rc_mma_check(int64_t tiles, rc_err_t *err)
{
    return tiles <= INT32_MAX ? RC_OK
                              : rc_fail(err, RC_ENOTSUP, "shape: more than %d tiles of %d x %d",
                                    INT32_MAX, RC_MMA_ROWS, RC_MMA_COLS);
}

int64_t rc_mma_count(const rc_problem_t *p, int threads)
{
    const int64_t panels = rc_mma_panels(p);
    int64_t tiles = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK) reduction(+ : tiles)
    for (int64_t i = 0; i < panels; i++)
        tiles += count_panel(p, i);
    return tiles;
}

int64_t rc_mma_bytes(const rc_problem_t *p, int64_t tiles)
{
    int64_t one = RC_MMA_COLS * (int64_t)sizeof(int32_t);
    one += RC_MMA_PLACES * (int64_t)rc_precision_bytes(p->precision);
    return rc_sat_add(rc_sat_mul(tiles, one), (rc_mma_panels(p) + 1) * (int64_t)sizeof(int32_t));
}

static void fill_panel(const rc_problem_t *p, int64_t panel, rc_mma_t *m)
{
    walk_t w = walk_of(p, panel);
    int64_t at = m->ptr[panel] * (int64_t)RC_MMA_COLS;
    const int64_t end = m->ptr[panel + 1] * (int64_t)RC_MMA_COLS;
    int32_t last = 0;
    for (int32_t c = next_column(&w); c >= 0; c = next_column(&w)) {
        const int64_t first = at / RC_MMA_COLS * RC_MMA_PLACES;
        pass_column(&w, c, first, (int)(at % RC_MMA_COLS), m);
        m->col[at++] = last = c;
    }
    while (at < end)
        m->col[at++] = last;
}

/* Pointers from the lengths in ptr[1 ..]. */
static rc_status_t sum_lengths(rc_mma_t *m, rc_err_t *err)
{
    int64_t at = 0;
    for (int64_t i = 0; i < m->panels; i++) {
        at += m->ptr[i + 1];
        RC_PASS(rc_mma_check(at, err));
        m->ptr[i + 1] = (int32_t)at;
    }
    m->tiles = at;
    return RC_OK;
}

rc_status_t rc_mma_build(const rc_problem_t *p, int threads, rc_mma_t *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_mma_t m = {.panels = rc_mma_panels(p), .entry_bytes = rc_places_bytes(p->a)};
    RC_TRY(RC_NEW0(m.ptr, (size_t)m.panels + 1, "tile pointers", err));
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < m.panels; i++)
        m.ptr[i + 1] = (int32_t)count_panel(p, i);
    RC_TRY(sum_lengths(&m, err));
    RC_TRY(RC_NEW(m.col, (size_t)m.tiles * RC_MMA_COLS, "columns of tiles", err));
    m.entry =
        rc_alloc0((size_t)m.tiles * RC_MMA_PLACES, (size_t)m.entry_bytes, "places of tiles", err);
    RC_TRY(m.entry ? RC_OK : RC_ENOMEM);
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < m.panels; i++)
        fill_panel(p, i, &m);
    *out = m;
    m = (rc_mma_t){0};
done:
    rc_mma_free(&m);
    return st;
}

void rc_mma_free(rc_mma_t *m)
{
    free(m->ptr);
    free(m->col);
    free(m->entry);
    *m = (rc_mma_t){0};
}
