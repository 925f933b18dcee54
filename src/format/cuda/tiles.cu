/* Dense tiles and what is beside them on a GPU. */
#include "format/cuda/tiles.h"
#include "format/cuda/vector.cuh"
#include "order/cuda/orders.cuh"

namespace
{

enum { COUNT_BITS = 20 /* of the entries of a column in a panel: RC_ASPT_PANEL is at most 2^20 */ };

/* A cut under way. */
struct work {
    rc::csr from;
    rc_build_tiles_t to;
    rc::places entry;
    rc::places rest_entry;
    int64_t nnz;
    int64_t panels;     /* all of them */
    int64_t candidates; /* dense columns of all panels, at most */
    int col_bits;
    rc_cuda_pairs64_t by;    /* [nnz] entries */
    rc_cuda_pairs64_t dense; /* [candidates] dense columns: number of their run */
    /* [nnz + 1] where a run of one panel and column begins; a large number behind the last one */
    int32_t *start;
    int32_t *runs;     /* [1] */
    int32_t *rank;     /* [nnz] of a run: place of its column in the panel's tiles, -1 */
    int32_t *place;    /* [nnz] the same of an entry */
    int32_t *before;   /* [nnz + 1] entries of the sparse part before an entry */
    int32_t *columns;  /* [panels + 1] dense ones of a panel */
    int32_t *first;    /* [panels + 1] of those before */
    int32_t *col_ptr;  /* [panels + 1] */
    int32_t *tile_ptr; /* [panels + 1] pairs of a group and a tile before */

    /* Dense columns of a panel that are kept. */
    __device__ int32_t kept(int64_t p) const
    {
        const int32_t d = columns[p];
        return d < to.rule.tile_min ? 0 : d > to.rule.tile_cols ? d - d % to.rule.tile_cols : d;
    }

    __device__ int32_t tiles(int64_t p) const
    {
        return (kept(p) + to.rule.tile_cols - 1) / to.rule.tile_cols;
    }

    __device__ int64_t groups(int64_t p) const
    {
        const int64_t left = from.slots - p * to.rule.panel;
        return ((left < to.rule.panel ? left : to.rule.panel) + to.rows - 1) / to.rows;
    }

    __device__ int64_t slot_of(int64_t e) const
    {
        return rc::place_of(from.ptr, 0, from.slots - 1, e);
    }
};

/* ------------------------------------------------------------------ columns */

struct key_entries {
    work w;

    __device__ void put(int64_t e, int64_t slot, int64_t) const
    {
        w.by.key[e] = (uint64_t)(slot / w.to.rule.panel) << w.col_bits | (uint32_t)w.from.col[e];
        w.by.value[e] = (int32_t)e;
    }
};

struct list_runs {
    work w;

    __device__ int64_t count(int64_t i) const
    {
        return i == 0 || w.by.key[i] != w.by.key[i - 1];
    }

    __device__ void put(int64_t i, int64_t before, int64_t is) const
    {
        if (is || i == w.nnz)
            w.start[before] = (int32_t)i;
        if (i == w.nnz)
            *w.runs = (int32_t)before;
    }
};

struct list_dense {
    work w;

    __device__ int64_t count(int64_t r) const
    {
        return r < *w.runs && w.start[r + 1] - w.start[r] >= w.to.rule.col_min;
    }

    __device__ void put(int64_t r, int64_t before, int64_t is) const
    {
        if (r < *w.runs)
            w.rank[r] = -1;
        if (!is)
            return;
        const int64_t p = (int64_t)(w.by.key[w.start[r]] >> w.col_bits);
        const int32_t n = w.start[r + 1] - w.start[r];
        w.dense.key[before] = (uint64_t)p << COUNT_BITS | (uint64_t)((1 << COUNT_BITS) - n);
        w.dense.value[before] = (int32_t)r;
        atomicAdd(w.columns + p, 1);
    }
};

struct add_columns {
    work w;

    __device__ int64_t count(int64_t p) const
    {
        return w.columns[p];
    }

    __device__ void put(int64_t p, int64_t before, int64_t) const
    {
        w.first[p] = (int32_t)before;
    }
};

struct add_kept {
    work w;

    __device__ int64_t count(int64_t p) const
    {
        return w.kept(p);
    }

    __device__ void put(int64_t p, int64_t before, int64_t) const
    {
        w.col_ptr[p] = (int32_t)before;
    }
};

struct add_tiles {
    work w;

    __device__ int64_t count(int64_t p) const
    {
        return w.tiles(p) * w.groups(p);
    }

    __device__ void put(int64_t p, int64_t before, int64_t) const
    {
        w.tile_ptr[p] = (int32_t)before;
    }
};

struct list_panels {
    work w;

    __device__ int64_t count(int64_t p) const
    {
        return w.kept(p) > 0;
    }

    __device__ void put(int64_t p, int64_t before, int64_t is) const
    {
        if (is)
            w.to.panel[before] = {
                (int32_t)(p * w.to.rule.panel), w.tile_ptr[p], w.col_ptr[p], w.kept(p)};
    }
};

/* Dense columns in the order of their panels get their places. */
struct rank_dense {
    work w;

    __device__ void put(int64_t j) const
    {
        if (j >= w.first[w.panels])
            return;
        const int64_t p = (int64_t)(w.dense.key[j] >> COUNT_BITS);
        const int32_t at = (int32_t)j - w.first[p];
        const int32_t r = w.dense.value[j];
        if (at >= w.kept(p))
            return;
        w.rank[r] = at;
        w.to.tile_col[w.col_ptr[p] + at] =
            (int32_t)(w.by.key[w.start[r]] & ((UINT64_C(1) << w.col_bits) - 1));
    }
};

struct place_entries {
    work w;

    __device__ void put(int64_t r) const
    {
        if (r >= *w.runs)
            return;
        for (int32_t i = w.start[r]; i < w.start[r + 1]; i++)
            w.place[w.by.value[i]] = w.rank[r];
    }
};

/* ------------------------------------------------------------------- entries */

/* Entries of the sparse part go there; the others get their keys by group, tile and column. */
struct part_entries {
    work w;

    __device__ int64_t count(int64_t e) const
    {
        return w.place[e] < 0;
    }

    __device__ void put(int64_t e, int64_t before, int64_t is) const
    {
        w.before[e] = (int32_t)before;
        if (e == w.nnz)
            return;
        if (is) {
            w.to.rest_col[before] = w.from.col[e];
            w.rest_entry.put(before, w.from.number(e));
            return;
        }
        const int64_t slot = w.slot_of(e);
        const int64_t p = slot / w.to.rule.panel;
        const int64_t group = (slot - p * w.to.rule.panel) / w.to.rows;
        const int64_t q = w.tile_ptr[p] + group * w.tiles(p) + w.place[e] / w.to.rule.tile_cols;
        w.by.key[e - before] = (uint64_t)q << w.col_bits | (uint32_t)w.from.col[e];
        w.by.value[e - before] = (int32_t)e;
    }
};

struct move_dense {
    work w;

    __device__ int64_t tile_of(int64_t i) const
    {
        return (int64_t)(w.by.key[i] >> w.col_bits);
    }

    __device__ int64_t count(int64_t i) const
    {
        return i == 0 || w.by.key[i] != w.by.key[i - 1];
    }

    __device__ void put(int64_t i, int64_t before, int64_t is) const
    {
        const bool ends = i == w.to.nnz_dense;
        const int64_t last = i == 0 ? -1 : tile_of(i - 1);
        const int64_t q = ends ? w.to.ptrs : tile_of(i);
        for (int64_t u = last + 1; u <= q; u++)
            w.to.ptr[u] = (int32_t)before;
        if (ends)
            return;
        const int64_t at = before + is - 1;
        const int32_t e = w.by.value[i];
        int64_t r = 0;
        if (w.to.rows > 1)
            r = w.slot_of(e) % w.to.rule.panel % w.to.rows;
        if (is)
            w.to.col[at] = (uint16_t)(w.place[e] % w.to.rule.tile_cols);
        w.entry.put(at * w.to.rows + r, w.from.number(e));
    }
};

/* ---------------------------------------------------------------------- rows */

__device__ inline bool is_long(int64_t entries)
{
    return entries > RC_ASPT_PIECE;
}

struct rest_pointers {
    work w;

    __device__ void put(int64_t s) const
    {
        w.to.rest_ptr[s] = w.before[w.from.ptr[s]];
    }
};

struct rest_rows {
    work w;

    __device__ void put(int64_t s) const
    {
        const bool taken = (w.columns && !w.to.apart && w.kept(s / w.to.rule.panel) > 0) ||
                           is_long(w.to.rest_ptr[s + 1] - w.to.rest_ptr[s]);
        const int32_t row = taken ? -1 : w.to.row ? w.to.row[s] : (int32_t)s;
        w.to.rest_row[s] = row;
        if (row >= 0)
            *w.to.has_rest = 1;
    }
};

/* Long rows and the places of their pieces, added up together. */
struct cut_pieces {
    work w;

    enum { ROW_SHIFT = 40 };

    __device__ int64_t count(int64_t s) const
    {
        const int64_t n = w.to.rest_ptr[s + 1] - w.to.rest_ptr[s];
        return is_long(n) ? ((int64_t)1 << ROW_SHIFT) + (n + RC_ASPT_PIECE - 1) / RC_ASPT_PIECE + 1
                          : 0;
    }

    __device__ void put(int64_t s, int64_t before, int64_t n) const
    {
        const int64_t mask = ((int64_t)1 << ROW_SHIFT) - 1;
        if (n == 0)
            return;
        const int32_t row = (int32_t)(before >> ROW_SHIFT);
        const int64_t at = before & mask;
        const int32_t pieces = (int32_t)((n & mask) - 1);
        const int32_t first = (int32_t)(at - row); /* a gap behind each row before */
        w.to.long_row[row] = {w.to.row ? w.to.row[s] : (int32_t)s, first, pieces};
        for (int32_t i = 0; i < pieces; i++) {
            w.to.piece_ptr[at + i] = w.to.rest_ptr[s] + i * RC_ASPT_PIECE;
            w.to.piece[at + i] = first + i;
        }
        w.to.piece_ptr[at + pieces] = w.to.rest_ptr[s + 1];
        w.to.piece[at + pieces] = -1;
        if (row + 1 == w.to.longs)
            w.to.piece_ptr[at + pieces + 1] = w.to.rest_ptr[s + 1];
    }
};

/* -------------------------------------------------------------------- host */

int64_t all_panels(const rc_build_csr_t *c, const rc_build_tiles_t *to)
{
    return rc::ceil_div(c->slots, to->rule.panel);
}

/* Lay the scratch out.  \param[out] temp  of sorting */
rc_status_t lay_out(const rc_executor_t *x, work *w, rc::workspace *m, void **temp,
    int64_t *temp_bytes, rc_err_t *err)
{
    const int64_t n = w->nnz;
    const int64_t d = w->candidates;
    const rc::current gpu(x);
    const rc_status_t st = rc_cuda_sort64_bytes(n > d ? n : d, temp_bytes, err);
    w->by = {
        m->take<uint64_t>(n), m->take<uint64_t>(n), m->take<int32_t>(n), m->take<int32_t>(n), n};
    w->dense = {
        m->take<uint64_t>(d), m->take<uint64_t>(d), m->take<int32_t>(d), m->take<int32_t>(d), d};
    w->start = m->take<int32_t>(n + 1);
    w->runs = m->take<int32_t>(1);
    w->rank = m->take<int32_t>(n);
    w->place = m->take<int32_t>(n);
    w->before = m->take<int32_t>(n + 1);
    w->columns = m->take<int32_t>(w->panels + 1);
    w->first = m->take<int32_t>(w->panels + 1);
    w->col_ptr = m->take<int32_t>(w->panels + 1);
    w->tile_ptr = m->take<int32_t>(w->panels + 1);
    *temp = m->take<char>(*temp_bytes);
    return st;
}

rc_status_t sort(
    rc_build_csr_t *c, void *temp, int64_t bytes, rc_cuda_pairs64_t *p, int bits, rc_err_t *err)
{
    const rc::current gpu(c->b.x);
    return rc_cuda_sort64(c->b.x, temp, bytes, p, bits, err);
}

/* The dense columns of all panels, and the place of every entry. */
rc_status_t find_columns(rc_build_csr_t *c, work *w, void *temp, int64_t temp_bytes, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    const int panel_bits = rc::bits_of(w->panels);
    RC_PASS(
        rc::put_entries(x, key_entries{*w}, w->from.ptr, c->slots, w->nnz, "keys of entries", err));
    RC_PASS(sort(c, temp, temp_bytes, &w->by, w->col_bits + panel_bits, err));
    RC_PASS(x->fill(x, w->start, 0x7f, (size_t)(w->nnz + 1) * sizeof *w->start, err));
    RC_PASS(x->fill(x, w->dense.key, 0xff, (size_t)w->candidates * sizeof *w->dense.key, err));
    RC_PASS(x->fill(x, w->columns, 0, (size_t)(w->panels + 1) * sizeof *w->columns, err));
    RC_PASS(rc::put_in_order(&c->b, list_runs{*w}, w->nnz, "columns of panels", err));
    RC_PASS(rc::put_in_order(&c->b, list_dense{*w}, w->nnz, "dense columns", err));
    RC_PASS(sort(c, temp, temp_bytes, &w->dense, COUNT_BITS + panel_bits, err));
    RC_PASS(rc::put_in_order(&c->b, add_columns{*w}, w->panels, "dense columns of panels", err));
    RC_PASS(rc::put_in_order(&c->b, add_kept{*w}, w->panels, "columns of tiles", err));
    RC_PASS(rc::put_in_order(&c->b, add_tiles{*w}, w->panels, "tiles", err));
    RC_PASS(rc::put_in_order(&c->b, list_panels{*w}, w->panels, "panels with tiles", err));
    RC_PASS(rc::put_each(x, rank_dense{*w}, w->candidates, "places of columns", err));
    RC_PASS(rc::put_each(x, place_entries{*w}, w->nnz, "places of entries", err));
    return RC_OK;
}

rc_status_t cut(rc_build_csr_t *c, work *w, void *temp, int64_t temp_bytes, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    RC_PASS(find_columns(c, w, temp, temp_bytes, err));
    RC_PASS(rc::put_in_order(&c->b, part_entries{*w}, w->nnz, "entries of the sparse part", err));
    w->by.n = w->to.nnz_dense;
    RC_PASS(sort(c, temp, temp_bytes, &w->by, w->col_bits + rc::bits_of(w->to.ptrs), err));
    RC_PASS(rc::put_in_order(&c->b, move_dense{*w}, w->to.nnz_dense, "entries of tiles", err));
    RC_PASS(rc::put_each(x, rest_pointers{*w}, c->slots + 1, "rows of the sparse part", err));
    return RC_OK;
}

/* The whole matrix is the sparse part. */
rc_status_t copy_all(rc_build_csr_t *c, const work *w, rc_err_t *err)
{
    const rc_status_t st =
        rc_build_csr_copy(c, 0, w->to.rest_ptr, w->to.rest_col, w->to.rest_entry, err);
    return st < 0 ? st : c->b.x->fill(c->b.x, w->to.ptr, 0, sizeof *w->to.ptr, err);
}

} // namespace

extern "C" rc_status_t rc_build_tiles(rc_build_csr_t *c, const rc_build_tiles_t *out, rc_err_t *err)
{
    rc_memory_t scratch = {};
    void *temp = nullptr;
    void *base = nullptr;
    int64_t temp_bytes = 0;
    work w = {};
    rc_status_t st = RC_OK;
    scratch.x = c->b.x;
    w.from = rc::csr_of(c);
    w.to = *out;
    w.entry = {out->entry, c->entry_bytes};
    w.rest_entry = {out->rest_entry, c->entry_bytes};
    w.nnz = c->nnz;
    if (out->panels == 0) {
        RC_TRY(copy_all(c, &w, err));
    } else {
        rc::workspace room = {nullptr, 0};
        w.panels = all_panels(c, out);
        w.candidates = c->nnz / out->rule.col_min + 1;
        w.col_bits = rc::bits_of(out->width - 1);
        RC_TRY(lay_out(c->b.x, &w, &room, &temp, &temp_bytes, err));
        RC_TRY(rc_memory_room(&scratch, (size_t)room.used, &base, err));
        room = {(char *)base, 0};
        RC_TRY(lay_out(c->b.x, &w, &room, &temp, &temp_bytes, err));
        RC_TRY(cut(c, &w, temp, temp_bytes, err));
    }
    RC_TRY(rc::put_each(c->b.x, rest_rows{w}, c->slots, "rows of the sparse part", err));
    if (out->longs > 0)
        RC_TRY(
            rc::put_in_order(&c->b, cut_pieces{w}, c->slots, "long rows of the sparse part", err));
done:
    rc_memory_free(&scratch);
    return st;
}
