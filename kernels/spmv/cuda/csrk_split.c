#include "config.h"
#include "kernels/spmv/cuda/csrk_split.h"
#include "format/cuda/lanes.h"
#include "kernels/tuning/csrk.h"

#include <math.h>

enum {
    FEWEST = 128,  /* row ends and entries of a share */
    ENOUGH = 256,  /* shares that keep a GPU busy */
    LONGEST = 256, /* entries of a row that lanes take, or twice the mean row */
    MANY = 512,    /* pieces of rows that are apart */
    QUARTER = 4    /* of the entries in them */
};

int64_t rc_csrk_split_bound(int64_t rows, int64_t nnz)
{
    int64_t twice = (int64_t)ceil(2 * rc_csrk_rdensity(rows, nnz));
    return twice <= LONGEST ? LONGEST : twice < RC_SPMV_TILE ? twice : RC_SPMV_TILE - 1;
}

int64_t rc_csrk_split_items(int64_t slots, int64_t nnz)
{
    int64_t all = (slots + nnz) / ENOUGH;
    return all < FEWEST ? FEWEST : all < RC_SPMV_TILE ? all : RC_SPMV_TILE;
}

typedef struct walk {
    const int64_t *ptr;
    int64_t bound;
    int64_t items;
    rc_spmv_share_t *out;
    rc_csrk_cut_t cut;
    int64_t begin; /* of the share in hand */
    int64_t held;  /* its room that is taken */
} walk_t;

/* The share in hand ends before a slot, up to which it has held so much. */
static void end_share(walk_t *w, int64_t to, int64_t held)
{
    const rc_spmv_lanes_t rule = {.longest = w->bound, .most = RC_SPMV_MERGE_MOST};
    int64_t longest = 0;
    for (int64_t i = w->begin; i < to; i++)
        longest = w->ptr[i + 1] - w->ptr[i] > longest ? w->ptr[i + 1] - w->ptr[i] : longest;
    w->cut.uneven +=
        to > w->begin && longest <= w->bound &&
        rc_spmv_lanes_of(&rule, to - w->begin, w->ptr[to] - w->ptr[w->begin], longest) == 0;
    if (w->out)
        w->out[w->cut.shares] =
            (rc_spmv_share_t){.entry = w->ptr[w->begin], .row = (int32_t)w->begin};
    w->cut.shares++;
    w->begin = to;
    w->held -= held;
}

/* What a slot takes of a share. */
static int64_t room_of(walk_t *w, int64_t entries)
{
    if (entries <= w->bound)
        return 1 + entries;
    int64_t n = rc_spmv_pieces(entries, w->bound);
    w->cut.pieces += n;
    w->cut.several += n > 1;
    w->cut.apart += entries;
    return entries < w->items ? 1 + entries : w->items;
}

rc_csrk_cut_t rc_csrk_split_cut(const int64_t *ptr, int64_t slots, int64_t bound, int64_t items,
    const rc_super_rows_t *super, rc_spmv_share_t *out)
{
    walk_t w = {.ptr = ptr, .bound = bound, .items = items, .out = out};
    int64_t near = 0; /* the last end of a super-row that is near enough to a full share */
    int64_t near_held = 0;
    for (int64_t i = 0, next = 0; i < slots; i++) {
        int64_t room = room_of(&w, ptr[i + 1] - ptr[i]);
        if (next < super->count[0] && super->ptr[0][next] == i) {
            next++;
            if (8 * w.held >= 7 * items) {
                near = i;
                near_held = w.held;
            }
        }
        while (w.held + room > items && i > w.begin)
            if (near > w.begin)
                end_share(&w, near, near_held);
            else
                end_share(&w, i, w.held);
        w.held += room;
    }
    end_share(&w, slots, w.held);
    if (out)
        out[w.cut.shares] = (rc_spmv_share_t){.entry = ptr[slots], .row = (int32_t)slots};
    return w.cut;
}

int rc_csrk_split_merges(const rc_csrk_cut_t *c, int64_t nnz)
{
    return (c->uneven > 0 && 16 * c->uneven >= 3 * c->shares) ||
           (c->pieces >= MANY && QUARTER * c->apart >= nnz);
}
