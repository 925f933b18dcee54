#include "config.h"
#include "kernels/tuning/rs_paths.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum { T = RC_RS_PATHS_T };

/* Segments of a panel by their length; of those longer than T the entries too. */
typedef struct panel {
    int32_t segments[T + 1]; /* [l - 1] of l entries, the last of more than T */
    int64_t entries;         /* of these last */
} panel_t;

static const char *const names[RC_RS_PATHS_TERMS] = {"launch", "heavy_segment",
    "heavy_segment_slice", "heavy_entry", "heavy_entry_slice", "heavy_panel_slice", "panel_segment",
    "panel_entry", "light_row", "light_entry", "longest_light_entry", "row"};

const char *rc_rs_paths_name(int i)
{
    return names[i];
}

void rc_rs_paths_terms(const rc_rs_counts_t *c, int cfv, int64_t rows, double *x)
{
    const double slices = 4.0 / cfv; /* so many for each one of cfv = 4 */
    const double terms[RC_RS_PATHS_TERMS] = {1, (double)c->heavy, slices * (double)c->heavy,
        (double)c->nnz_heavy, slices * (double)c->nnz_heavy, slices * (double)c->heavy_panels,
        (double)c->panel_segments, (double)c->panel_entries, (double)c->light_rows,
        (double)c->nnz_light, (double)c->light_row, (double)rows};
    memcpy(x, terms, sizeof terms);
}

double rc_rs_paths_time(const double *cost, const rc_rs_counts_t *c, int cfv, int64_t rows)
{
    double x[RC_RS_PATHS_TERMS];
    double sum = 0;
    rc_rs_paths_terms(c, cfv, rows, x);
    for (int i = 0; i < RC_RS_PATHS_TERMS; i++)
        sum += cost[i] * x[i];
    return sum;
}

/* ----------------------------------------------------------------- counting */

/* The segments of a row into their panels. \param[out] entries [T + 1] of the row in segments of l,
 * by l
 * \return the length of the shortest, T + 1 where all are longer; 0: no entries */
static int count_row(const int32_t *col, int64_t n, int shift, panel_t *panel, int64_t *entries)
{
    int shortest = n > 0 ? T + 1 : 0;
    for (int64_t e = 0; e < n;) {
        const int32_t p = col[e] >> shift;
        int64_t end = e + 1;
        while (end < n && col[end] >> shift == p)
            end++;
        const int64_t length = end - e;
        e = end;
        if (length > T) {
            panel[p].segments[T]++;
            panel[p].entries += length;
            continue;
        }
        panel[p].segments[length - 1]++;
        entries[length] += length;
        shortest = length < shortest ? (int)length : shortest;
    }
    return shortest;
}

/* Light entries of a row for each t. */
static void add_row(const int64_t *entries, int shortest, rc_rs_counts_t *out)
{
    int64_t light = 0;
    for (int t = shortest; t <= T; t++) {
        light += entries[t];
        out[t].light_rows++;
        out[t].nnz_light += light;
        out[t].light_row = light > out[t].light_row ? light : out[t].light_row;
    }
}

/* Heavy segments of a panel for each t, from the largest down. */
static void add_panel(const panel_t *p, rc_rs_counts_t *out)
{
    int64_t segments = 0;
    int64_t entries = p->entries;
    for (int t = T; t >= 0; t--) {
        segments += p->segments[t];
        entries += t < T ? (int64_t)(t + 1) * p->segments[t] : 0;
        out[t].heavy += segments;
        out[t].nnz_heavy += entries;
        out[t].heavy_panels += segments > 0;
        out[t].panel_segments = segments > out[t].panel_segments ? segments : out[t].panel_segments;
        out[t].panel_entries = entries > out[t].panel_entries ? entries : out[t].panel_entries;
    }
}

rc_status_t rc_rs_paths_count(const rc_csr_t *a, int64_t w, rc_rs_counts_t *out, rc_err_t *err)
{
    int shift = 0;
    while ((int64_t)1 << shift < w)
        shift++;
    const int64_t panels = (a->cols + w - 1) >> shift;
    panel_t *panel = rc_alloc0((size_t)panels, sizeof *panel, "panels", err);
    RC_PASS(panel ? RC_OK : RC_ENOMEM);
    memset(out, 0, (T + 1) * sizeof *out);
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t entries[T + 1] = {0};
        int shortest = count_row(
            a->col_idx + a->row_ptr[r], a->row_ptr[r + 1] - a->row_ptr[r], shift, panel, entries);
        if (shortest > 0)
            add_row(entries, shortest, out);
    }
    for (int64_t p = 0; p < panels; p++)
        add_panel(&panel[p], out);
    free(panel);
    return RC_OK;
}
