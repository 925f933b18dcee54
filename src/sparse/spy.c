#include "config.h"
#include "sparse/spy.h"
#include "base/error.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <string.h>

/* the narrower side has at least this share of the longer one */
enum { flattest = 32 };

static int shorter(int64_t small, int64_t large, int size)
{
    int64_t pixels = (2 * size * small + large) / (2 * large); /* rounded */
    int64_t least = size / flattest > 1 ? size / flattest : 1;
    return (int)(pixels > least ? pixels : least);
}

void rc_spy_size(int64_t rows, int64_t cols, int size, int *width, int *height)
{
    int64_t r = rows > 0 ? rows : 1;
    int64_t c = cols > 0 ? cols : 1;
    *width = c >= r ? size : shorter(c, r, size);
    *height = r >= c ? size : shorter(r, c, size);
}

/* The first pixel of row (or column) i of n; the last one is before that of i + 1, except that
 * with fewer pixels than rows several rows share one. */
static int64_t first_pixel(int64_t i, int64_t n, int pixels)
{
    if (pixels <= n)
        return i * pixels / n;
    /* the smallest y whose centre (2 y + 1) / (2 pixels) is not above i / n */
    int64_t above = 2 * i * pixels - n;
    return above <= 0 ? 0 : (above + 2 * n - 1) / (2 * n);
}

static int64_t pixels_of(int64_t i, int64_t n, int pixels)
{
    return pixels <= n ? 1 : first_pixel(i + 1, n, pixels) - first_pixel(i, n, pixels);
}

static void add_row(const rc_csr_t *a, int64_t row, int width, double *line)
{
    for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
        int64_t from = first_pixel(a->col_idx[k], a->cols, width);
        int64_t n = pixels_of(a->col_idx[k], a->cols, width);
        for (int64_t x = from; x < from + n; x++)
            line[x]++;
    }
}

rc_status_t rc_spy_counts(const rc_csr_t *a, const int32_t *row_order, int64_t slots, int width,
    int height, double *count, rc_err_t *err)
{
    if (width < 1 || height < 1)
        return rc_fail(
            err, RC_EINVAL, "a plot of %d x %d pixels: expected at least one", width, height);
    if (slots < 0 || (!row_order && slots != a->rows))
        return rc_fail(err, RC_EINVAL, "%" PRId64 " slots for %" PRId64 " rows in original order",
            slots, a->rows);
    memset(count, 0, (size_t)width * (size_t)height * sizeof *count);
    for (int64_t p = 0; p < slots; p++) {
        int64_t row = row_order ? row_order[p] : p;
        if (row == -1)
            continue;
        if (row < 0 || row >= a->rows)
            return rc_fail(err, RC_EINVAL,
                "slot %" PRId64 " holds row %" PRId64 ": expected -1 or 0 .. %" PRId64, p, row,
                a->rows - 1);
        double *line = count + first_pixel(p, slots, height) * width;
        add_row(a, row, width, line);
        int64_t n = pixels_of(p, slots, height);
        for (int64_t y = 1; y < n; y++) /* enlarged: the block has this row alone */
            memcpy(line + y * width, line, (size_t)width * sizeof *line);
    }
    return RC_OK;
}

rc_status_t rc_spy_ordered(const rc_csr_t *a, const rc_schedule_t *order, int width, int height,
    double *count, rc_err_t *err)
{
    rc_csr_t renumbered = {0};
    if (!order)
        return rc_spy_counts(a, NULL, a->rows, width, height, count, err);
    if (order->cols == 0)
        return rc_spy_counts(a, order->row, order->slots, width, height, count, err);
    rc_status_t st = rc_csr_renumber_columns(a, order->col, &renumbered, err);
    if (st == RC_OK)
        st = rc_spy_counts(&renumbered, order->row, order->slots, width, height, count, err);
    rc_csr_free(&renumbered);
    return st;
}
