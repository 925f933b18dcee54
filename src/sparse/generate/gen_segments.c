#include "config.h"
#include "sparse/generate/rows.h"
#include "sparse/generate.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { n, cols, w, tau };

typedef struct shape {
    uint64_t seed;
    int64_t cols;
    int64_t w;
    int64_t tau;
} shape_t;

static int has(const rc_row_t *r, int64_t from, int64_t col)
{
    for (int64_t i = from; i < r->n; i++)
        if (r->col[i] == (uint64_t)col)
            return 1;
    return 0;
}

/* As many different columns as there are to be in each panel (Floyd's sample). */
static void make_row(const void *of, int64_t i, rc_row_t *out)
{
    const shape_t *s = of;
    rc_draw_t d = rc_draw_of(s->seed, i);
    for (int64_t first = 0; first < s->cols; first += s->w) {
        int64_t width = s->cols - first < s->w ? s->cols - first : s->w;
        int64_t from = out->n;
        for (int64_t j = width > s->tau ? width - s->tau : 0; j < width; j++) {
            int64_t col = first + rc_draw_below(&d, j + 1);
            rc_row_add(out, has(out, from, col) ? first + j : col);
        }
    }
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    const shape_t s = {.seed = seed,
        .cols = p[cols] > 0 ? (int64_t)p[cols] : (int64_t)p[n],
        .w = (int64_t)p[w],
        .tau = (int64_t)p[tau]};
    int64_t panels = (s.cols + s.w - 1) / s.w;
    const rc_rows_t rows = {.rows = (int64_t)p[n],
        .cols = s.cols,
        .mean = (double)panels * (double)(s.tau < s.w ? s.tau : s.w),
        .loops = 1,
        .row = make_row,
        .of = &s};
    return rc_rows_build(&rows, seed, out, err);
}

const rc_generator_t rc_generator_segments = {
    .name = "segments",
    .summary = "the same number of entries in every row and panel of columns",
    .source = "Hong et al. 2018, section 4.3: the matrices that calibrate RS-SpMM",
    .version = 1,
    .param =
        {
            {"n", "rows", 4096, 1, 100000000, 1},
            {"cols", "columns, 0: as many as rows", 0, 0, 100000000, 1},
            {"w", "columns of a panel", 256, 1, 1 << 30, 1},
            {"tau", "entries of a row in a panel; all of its columns where it has fewer", 8, 0,
                100000, 1},
        },
    .generate = generate,
};
