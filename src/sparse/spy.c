#include "config.h"
#include "sparse/spy.h"
#include "base/error.h"
#include "sparse/csr.h"

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

/* \param[in] row  of each slot, -1: a pad; NULL: slots are rows */
static void count_entries(
    const rc_csr_t *a, const int32_t *row, int64_t slots, int width, int height, double *count)
{
    memset(count, 0, (size_t)width * (size_t)height * sizeof *count);
    for (int64_t p = 0; p < slots; p++) {
        int64_t r = row ? row[p] : p;
        if (r < 0)
            continue;
        double *line = count + first_pixel(p, slots, height) * width;
        add_row(a, r, width, line);
        int64_t n = pixels_of(p, slots, height);
        for (int64_t y = 1; y < n; y++) /* enlarged: the block has this row alone */
            memcpy(line + y * width, line, (size_t)width * sizeof *line);
    }
}

rc_status_t rc_spy_ordered(const rc_csr_t *a, const rc_schedule_t *order, int width, int height,
    double *count, rc_err_t *err)
{
    rc_csr_t renumbered = {0};
    const rc_csr_t *b = a;
    if (order && order->cols > 0) {
        RC_PASS(rc_csr_renumber_columns(a, order->col, &renumbered, err));
        b = &renumbered;
    }
    count_entries(
        b, order ? order->row : NULL, order ? order->slots : a->rows, width, height, count);
    rc_csr_free(&renumbered);
    return RC_OK;
}
