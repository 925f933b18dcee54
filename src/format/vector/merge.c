#include "config.h"
#include "format/vector/merge.h"
#include "base/error.h"

int64_t rc_merge_parts(const rc_csr_view_t *e, int64_t items)
{
    return (e->rows + e->nnz + items - 1) / items;
}

rc_merge_point_t rc_merge_point(const rc_csr_view_t *e, int64_t items, int64_t k)
{
    int64_t all = e->rows + e->nnz;
    int64_t diagonal = k < all / items + 1 && k * items < all ? k * items : all;
    int64_t low = diagonal > e->nnz ? diagonal - e->nnz : 0;
    int64_t high = diagonal < e->rows ? diagonal : e->rows;
    while (low < high) { /* the first row whose end is not passed */
        int64_t mid = low + (high - low) / 2;
        if (e->ptr[mid + 1] <= diagonal - mid - 1)
            low = mid + 1;
        else
            high = mid;
    }
    return (rc_merge_point_t){.row = low, .entry = diagonal - low};
}

static rc_status_t measure(
    const rc_csr_view_t *e, const int64_t *param, rc_format_size_t *out, rc_err_t *err)
{
    (void)err;
    rc_format_add_csr(out, e);
    rc_format_add_number(out, "items", "row ends and entries of a part", param[0]);
    rc_format_add_number(out, "parts", "the last one may have fewer", rc_merge_parts(e, param[0]));
    return RC_OK;
}

/* What the numbers of the points are read from. */
typedef struct path {
    const rc_csr_view_t *e;
    int64_t items;
} path_t;

static int64_t row_at(const void *from, int64_t k)
{
    const path_t *p = from;
    return rc_merge_point(p->e, p->items, k).row;
}

static int64_t entry_at(const void *from, int64_t k)
{
    const path_t *p = from;
    return rc_merge_point(p->e, p->items, k).entry;
}

static rc_status_t dump(const rc_csr_view_t *e, const int64_t *param, int threads,
    const rc_format_sink_t *sink, rc_err_t *err)
{
    (void)threads;
    path_t path = {e, param[0]};
    int64_t points = rc_merge_parts(e, param[0]) + 1;
    rc_status_t st = sink->put(sink->user, "row", row_at, &path, points, err);
    return st == RC_OK ? sink->put(sink->user, "entry", entry_at, &path, points, err) : st;
}

const rc_format_t rc_format_merge = {
    .name = "merge",
    .summary = "compressed rows; equal shares of row ends and entries",
    .source = "Merrill and Garland 2016",
    .param = {RC_MERGE_ITEMS_PARAM},
    .measure = measure,
    .dump = dump,
};
