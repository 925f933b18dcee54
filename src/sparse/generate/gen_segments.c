#include "config.h"
#include "sparse/generate/rows.h"
#include "sparse/generate.h"

enum { n, cols, w, tau };

static int has(const rc_row_t *r, int64_t from, int64_t col)
{
    for (int64_t i = from; i < r->n; i++)
        if (r->col[i] == (uint64_t)col)
            return 1;
    return 0;
}

/* As many different columns as there are to be in each panel (Floyd's sample). */
static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    int64_t most = (int64_t)r->p[tau];
    int64_t panel = (int64_t)r->p[w];
    rc_draw_t d = rc_draw_of(r->seed, i);
    for (int64_t first = 0; first < r->cols; first += panel) {
        int64_t width = r->cols - first < panel ? r->cols - first : panel;
        int64_t from = out->n;
        for (int64_t j = width > most ? width - most : 0; j < width; j++) {
            int64_t col = first + rc_draw_below(&d, j + 1);
            rc_row_add(out, has(out, from, col) ? first + j : col);
        }
    }
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    double width = p[cols] > 0 ? p[cols] : p[n];
    int64_t panels = ((int64_t)width + (int64_t)p[w] - 1) / (int64_t)p[w];
    rc_rows_t r = rc_rows_of(p, seed, row, (double)panels * (p[tau] < p[w] ? p[tau] : p[w]));
    r.cols = (int64_t)width;
    r.loops = 1;
    return rc_rows_build(&r, out, err);
}

const rc_generator_t rc_generator_segments = {
    .name = "segments",
    .summary = "the same number of entries in every row and panel of columns",
    .source = "Hong et al. 2018, section 4.3: the matrices that calibrate RS-SpMM",
    .version = 1,
    .param = {{"n", "rows", 4096, 1, 100000000, 1},
        {"cols", "columns, 0: as many as rows", 0, 0, 100000000, 1},
        {"w", "columns of a panel", 256, 1, 1 << 30, 1},
        {"tau", "entries of a row in a panel; all of its columns where it has fewer", 8, 0, 100000,
            1}},
    .generate = generate,
};
