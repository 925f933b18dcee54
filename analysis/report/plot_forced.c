/* What forced reordering changes, and what that gains.  A store has the tiles of the original order
 * only, so the order is built again here, of the matrices that are still where they were read
 * from. */
#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/similarity.h"
#include "sparse/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { NR, FORCED, PLANS, ENTRIES = 8000000, ENTRIES_ALL = 80000000 };

static const char plans[] = "aspt-nr,aspt-forced";

/* What is drawn. */
typedef struct drawing {
    const rc_plot_input_t *in;
    rc_catalog_t found; /* of the collection */
    int64_t matrices;
    int64_t entries;
} drawing_t;

typedef struct change {
    double ratio;      /* of dense entries, after less before */
    double similarity; /* of the sparse part, after both rounds less before */
} change_t;

static rc_status_t change_of(const rc_csr_t *a, change_t *out, rc_err_t *err)
{
    const rc_tile_rule_t rule = RC_TILE_RULE;
    rc_tile_figures_t before;
    rc_schedule_t order = {.slots = 0};
    rc_tiles_t t = {.panels = 0};
    rc_csr_t rest = {.rows = 0};         /* the sparse part ... */
    rc_schedule_t second = {.slots = 0}; /* ... in an order of its own */
    double after = 0;
    rc_status_t st;
    RC_TRY(rc_tile_figures(a, NULL, &rule, 1, &before, err));
    RC_TRY(rc_order_build("lsh", a, NULL, RC_CHECKED, &order, err));
    RC_TRY(rc_tiles_find(a, &order, &rule, 1, &t, err));
    RC_TRY(rc_tiles_rest(a, &order, &t, 1, &rest, err));
    RC_TRY(rc_order_build("lsh", &rest, NULL, RC_CHECKED, &second, err));
    RC_TRY(rc_mean_similarity(&rest, &second, 1, &after, err));
    *out = (change_t){rc_tiles_ratio(&t, a) - before.dense_ratio, after - before.rest_similarity};
done:
    rc_schedule_free(&second);
    rc_csr_free(&rest);
    rc_tiles_free(&t);
    rc_schedule_free(&order);
    return st;
}

/* The setting of most matrices with both plans; -1: none. */
static rc_status_t choose(const rc_plot_input_t *in, int *setting, rc_err_t *err)
{
    int64_t most = 0;
    *setting = -1;
    for (int i = 0; i < in->survey->settings; i++) {
        int64_t *of = NULL;
        int64_t n = 0;
        RC_PASS(rc_plot_plans(in, i, plans, PLANS, &of, err));
        for (int64_t p = 0; p < in->survey->setting[i].pairs; p++)
            n += of[p * PLANS + NR] >= 0 && of[p * PLANS + FORCED] >= 0;
        free(of);
        *setting = n > most ? i : *setting;
        most = n > most ? n : most;
    }
    return RC_OK;
}

/* One matrix: a line and a point, where it is there. */
static rc_status_t add(
    drawing_t *d, int32_t matrix, double speedup, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = d->in->survey;
    int64_t entries = s->matrix[matrix].row->nnz;
    const rc_catalog_t none = {.count = 0};
    rc_entry_t e;
    rc_csr_t a = {.rows = 0};
    change_t c = {0, 0};
    int usable = 0;
    rc_err_t why = {0};
    if (entries > ENTRIES || d->entries + entries > ENTRIES_ALL)
        return RC_OK;
    rc_status_t st = rc_entry_of_matrix(s, matrix, &d->found, &none, &e)
                         ? rc_entry_load_measured(&e, &s->matrix[matrix], &a, &usable, &why)
                         : RC_OK;
    if (st == RC_OK && usable)
        st = change_of(&a, &c, &why);
    rc_csr_free(&a);
    if (st == RC_ENOMEM)
        return rc_fail(err, st, "%s: %s", s->matrix[matrix].name, why.text);
    if (st < 0 || !usable)
        return RC_OK; /* it is left out, and counted */
    RC_PLOT_ROW(csv, RC_TEXT(s->matrix[matrix].name), RC_REAL(c.ratio, 6), RC_REAL(c.similarity, 6),
        RC_REAL(speedup, 6));
    rc_str_addf(&text->define, "%.6g,%.6g,%.6g\n", c.ratio, c.similarity, speedup);
    d->matrices++;
    d->entries += entries;
    return RC_OK;
}

static rc_status_t draw(const rc_plot_input_t *in, int setting, const int64_t *row, FILE *csv,
    rc_plot_text_t *text, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[setting];
    drawing_t d = {.in = in};
    int64_t all = 0;
    int64_t faster = 0;
    rc_status_t st = in->options->collection
                         ? rc_catalog_scan(in->options->collection, NULL, &d.found, err)
                         : RC_OK;
    fputs("matrix,change of dense_ratio,change of the similarity of the sparse part,speedup over "
          "aspt-nr (x)\n",
        csv);
    rc_plot_block_begin(text, "POINTS");
    for (int64_t p = 0; p < a->pairs && st == RC_OK; p++) {
        double speedup =
            rc_survey_ns(s, row[p * PLANS + NR]) / rc_survey_ns(s, row[p * PLANS + FORCED]);
        if (isnan(speedup))
            continue;
        all++;
        faster += speedup > 1;
        st = add(&d, s->pair[a->first + p].matrix, speedup, csv, text, err);
    }
    rc_catalog_free(&d.found);
    rc_plot_block_end(text);
    rc_plot_define_number(text, "MATRICES", (double)d.matrices);
    rc_plot_define_text(text, "SUBTITLE", a->label);
    if (d.matrices == 0)
        rc_str_add(
            &text->missing, "no matrix that both plans were measured on is where it was read from");
    rc_str_addf(&text->caption,
        "What both rounds of reordering, forced, change: dense_ratio against the average "
        "similarity of the sparse part, the colour is the speedup of aspt-forced over aspt-nr, "
        "%s. %" PRId64 " of %" PRId64 " matrices are faster (%s); %" PRId64
        " are drawn: the others have more than %d entries, are not where they are looked for, or "
        "come after %d entries.",
        a->label, faster, all, rc_paper_says(rc_jiang_words, "caption", NULL, "forced", ""),
        d.matrices, ENTRIES, ENTRIES_ALL);
    return st;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    int setting = -1;
    int64_t *row = NULL;
    RC_PASS(choose(in, &setting, err));
    if (setting < 0) {
        rc_str_add(&text->missing,
            "no matrix with results of aspt without reordering and with forced reordering");
        return RC_OK;
    }
    RC_PASS(rc_plot_plans(in, setting, plans, PLANS, &row, err));
    rc_status_t st = draw(in, setting, row, csv, text, err);
    free(row);
    return st;
}

const rc_plot_t rc_plot_forced = {
    .name = "forced",
    .title = "Forced reordering: what it changes and gains",
    .source = "Jiang et al., figure 9",
    .section = "Orders",
    .write = write,
};
