#include "config.h"
#include "format/vector/hyb.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

/* 1: that rule keeps a width which so many of the rows have entries for, or more. */
static int bell_holds(int64_t held, int64_t rows)
{
    enum { least = 4096, speed = 3 };
    return held >= least && speed * held >= rows;
}

static rc_status_t bell_width(const rc_csr_view_t *e, int64_t *out, rc_err_t *err)
{
    int64_t longest = rc_format_longest(e);
    int64_t *rows = rc_alloc0((size_t)longest + 1, sizeof *rows, "rows by length", err);
    RC_PASS(rows ? RC_OK : RC_ENOMEM);
    for (int64_t r = 0; r < e->rows; r++)
        rows[e->ptr[r + 1] - e->ptr[r]]++;
    int64_t width = longest;
    int64_t held = rows[longest]; /* rows of `width` entries or more */
    while (width > 0 && !bell_holds(held, e->rows))
        held += rows[--width];
    free(rows);
    *out = width;
    return RC_OK;
}

/* By halving, for fewer rows have more entries. */
rc_status_t rc_hyb_bell_by(int64_t rows, int64_t longest, rc_hyb_beyond_fn *beyond, void *user,
    int64_t *out, rc_err_t *err)
{
    *out = 0;
    for (int64_t most = longest; *out < most;) {
        int64_t width = *out + (most - *out + 1) / 2;
        int64_t held = 0;
        RC_PASS(beyond(user, width - 1, &held, err));
        if (bell_holds(held, rows))
            *out = width;
        else
            most = width - 1;
    }
    return RC_OK;
}

rc_status_t rc_hyb_width(const rc_csr_view_t *e, int64_t width, int64_t *out, rc_err_t *err)
{
    if (width == RC_HYB_BELL)
        return bell_width(e, out, err);
    if (width == RC_HYB_MU)
        width = e->rows > 0 ? (e->nnz + e->rows - 1) / e->rows : 0;
    *out = width;
    return RC_OK;
}

rc_status_t rc_hyb_build(
    const rc_csr_view_t *e, int64_t width, int threads, rc_hyb_t *out, rc_err_t *err)
{
    rc_hyb_t h = {.ell = {0}};
    rc_status_t st = rc_ell_build(e, width, threads, &h.ell, err);
    if (st == RC_OK)
        st = rc_coo_build(e, width, threads, &h.coo, err);
    if (st == RC_OK)
        *out = h;
    else
        rc_hyb_free(&h);
    return st;
}

void rc_hyb_free(rc_hyb_t *h)
{
    rc_ell_free(&h->ell);
    rc_coo_free(&h->coo);
}

static rc_status_t measure(
    const rc_csr_view_t *e, const int64_t *param, rc_format_size_t *out, rc_err_t *err)
{
    int64_t width = 0;
    RC_PASS(rc_hyb_width(e, param[0], &width, err));
    int64_t over = rc_coo_count(e, width);
    rc_ell_add(out, e, width, "col", "val");
    rc_coo_add(out, e, over, "coo_row", "coo_col", "coo_val");
    rc_format_add_number(out, "over", "entries beyond the width, as coordinates", over);
    return RC_OK;
}

static rc_status_t dump(const rc_csr_view_t *e, const int64_t *param, int threads,
    const rc_format_sink_t *sink, rc_err_t *err)
{
    rc_format_size_t size = {0};
    rc_hyb_t h = {.ell = {0}};
    int64_t width = 0;
    rc_status_t st;
    RC_TRY(measure(e, param, &size, err));
    RC_TRY(rc_format_room(rc_format_bytes(&size), err));
    RC_TRY(rc_hyb_width(e, param[0], &width, err));
    RC_TRY(rc_hyb_build(e, width, threads, &h, err));
    RC_TRY(rc_ell_put(sink, &h.ell, err));
    RC_TRY(rc_format_put_int32(sink, "coo_row", h.coo.row, h.coo.entries, err));
    st = rc_format_put_int32(sink, "coo_col", h.coo.col, h.coo.entries, err);
done:
    rc_hyb_free(&h);
    return st;
}

const char *const rc_hyb_widths[] = {"mu", "bell", NULL};

const rc_format_t rc_format_hyb = {
    .name = "hyb",
    .summary = "the first entries of every row in ELLPACK, the others as coordinates",
    .source = "Bell and Garland 2009",
    .param = {RC_HYB_WIDTH_PARAM},
    .measure = measure,
    .dump = dump,
};
