#include "config.h"
#include "format/vector/coo.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

int64_t rc_coo_count(const rc_csr_view_t *e, int64_t skip)
{
    int64_t n = 0;
    for (int64_t r = 0; r < e->rows; r++) {
        int64_t length = e->ptr[r + 1] - e->ptr[r];
        n += length > skip ? length - skip : 0;
    }
    return n;
}

void rc_coo_add(rc_format_size_t *s, const rc_csr_view_t *e, int64_t entries, const char *row,
    const char *col, const char *val)
{
    rc_format_add_array(s, row, entries, (int64_t)sizeof(int32_t));
    rc_format_add_array(s, col, entries, (int64_t)sizeof(int32_t));
    rc_format_add_array(s, val, entries, (int64_t)rc_precision_bytes(e->precision));
    s->places = rc_sat_add(s->places, entries);
}

static rc_status_t alloc_arrays(const rc_csr_view_t *e, rc_coo_t *c, rc_err_t *err)
{
    size_t n = (size_t)c->entries;
    c->row = rc_alloc(n, sizeof *c->row, "rows of coordinates", err);
    c->col = rc_alloc(n, sizeof *c->col, "columns of coordinates", err);
    return rc_format_new_places(e, n, &c->entry, err) && c->row && c->col ? RC_OK : RC_ENOMEM;
}

/* Row r begins at entry `at`. */
static void fill_row(const rc_csr_view_t *e, int64_t r, int64_t skip, int64_t at, rc_coo_t *c)
{
    int64_t first = e->ptr[r] + skip;
    int64_t n = e->ptr[r + 1] - first;
    if (n <= 0)
        return;
    for (int64_t i = 0; i < n; i++)
        c->row[at + i] = (int32_t)r;
    memcpy(c->col + at, e->col + first, (size_t)n * sizeof *c->col);
    rc_format_copy_places(e, first, 1, n, c->entry, at, 1);
}

rc_status_t rc_coo_build(
    const rc_csr_view_t *e, int64_t skip, int threads, rc_coo_t *out, rc_err_t *err)
{
    enum { chunk = 256 };
    rc_coo_t c = {.entries = rc_coo_count(e, skip)};
    if (alloc_arrays(e, &c, err) < 0) {
        rc_coo_free(&c);
        return RC_ENOMEM;
    }
    if (skip == 0) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, chunk)
        for (int64_t r = 0; r < e->rows; r++)
            fill_row(e, r, 0, e->ptr[r], &c);
    } else {
        for (int64_t r = 0, at = 0; r < e->rows; r++) {
            int64_t length = e->ptr[r + 1] - e->ptr[r];
            fill_row(e, r, skip, at, &c);
            at += length > skip ? length - skip : 0;
        }
    }
    *out = c;
    return RC_OK;
}

void rc_coo_free(rc_coo_t *c)
{
    free(c->row);
    free(c->col);
    free(c->entry);
    *c = (rc_coo_t){0};
}

static rc_status_t measure(
    const rc_csr_view_t *e, const int64_t *param, rc_format_size_t *out, rc_err_t *err)
{
    (void)param;
    (void)err;
    rc_coo_add(out, e, e->nnz, "row", "col", "val");
    return RC_OK;
}

static rc_status_t dump(const rc_csr_view_t *e, const int64_t *param, int threads,
    const rc_format_sink_t *sink, rc_err_t *err)
{
    rc_format_size_t size = {0};
    rc_coo_t c = {0};
    rc_status_t st;
    RC_TRY(measure(e, param, &size, err));
    RC_TRY(rc_format_room(rc_format_bytes(&size), err));
    RC_TRY(rc_coo_build(e, 0, threads, &c, err));
    RC_TRY(rc_format_put_int32(sink, "row", c.row, c.entries, err));
    st = rc_format_put_int32(sink, "col", c.col, c.entries, err);
done:
    rc_coo_free(&c);
    return st;
}

const rc_format_t rc_format_coo = {
    .name = "coo",
    .summary = "row, column and value of every entry, sorted by row, then column",
    .source = "Bell and Garland 2009",
    .measure = measure,
    .dump = dump,
};
