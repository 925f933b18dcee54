#include "config.h"
#include "analysis/papers/nisa/nisa.h"
#include "analysis/summary/lines.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "table/features_read.h"
#include "table/floor.h"
#include "table/six.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const set_names[] = {"real", "all"};

/* What tells the paper's readers apart: only people are told. */
static rc_status_t end_table(
    rc_table_t *t, const rc_summary_options_t *o, unsigned notes, rc_err_t *err)
{
    rc_status_t st = rc_table_end(t, err);
    if (st == RC_OK && o->format == RC_TABLE_TEXT)
        rc_nisa_notes(notes, stdout);
    return st;
}

/* ------------------------------------------------------------------ table I */

enum { RANGES = 8, REAL = 0, ALL = 1 };

/* A range holds matrices of at least so many entries, and fewer than the next. */
static const struct {
    int64_t from;
    const char *name;
} ranges[RANGES] = {{0, "0-10K"}, {10000, "10-50K"}, {50000, "50-100K"}, {100000, "100-500K"},
    {500000, "500K-1M"}, {1000000, "1-5M"}, {5000000, "5-50M"}, {50000000, ">50M"}};

/* The matrices of a range. */
typedef struct range {
    rc_sums_t rows;
    rc_sums_t cols;
    rc_sums_t density; /* share, not % */
    rc_sums_t nnz_mu;
    rc_sums_t nnz_sigma; /* of those with the features nisa */
} range_t;

static void add_matrix(range_t *range, const rc_row_matrix_t *m, double sigma)
{
    const double rows = (double)m->rows;
    const double cols = (double)m->cols;
    const double nnz = (double)m->nnz;
    int i = RANGES - 1;
    while (i > 0 && m->nnz < ranges[i].from)
        i--;
    rc_sums_add(&range[i].rows, rows);
    rc_sums_add(&range[i].cols, cols);
    rc_sums_add(&range[i].density, m->nnz ? nnz / rows / cols : 0);
    rc_sums_add(&range[i].nnz_mu, m->nnz ? nnz / rows : 0);
    if (!isnan(sigma))
        rc_sums_add(&range[i].nnz_sigma, sigma);
}

/* Matrices with a newest result of spmv that matches, in whatever state.
 * \param[out] range  of matrices from files, then of these and generated ones */
static rc_status_t fill_ranges(
    const rc_summary_options_t *o, range_t range[2][RANGES], rc_err_t *err)
{
    const rc_view_t *v = o->view;
    const int32_t n = rc_view_matrices(v);
    double *sigma = rc_alloc((size_t)n, sizeof *sigma, "features", err);
    unsigned char *in = rc_alloc0((size_t)n, 1, "marks", err);
    rc_status_t st;
    RC_TRY(sigma && in ? RC_OK : RC_ENOMEM);
    for (int32_t m = 0; m < n; m++)
        sigma[m] = NAN; /* unknown */
    RC_TRY(rc_feature_by_matrix(o->store, "nisa", "nnz_sigma", sigma, n, err));
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if (rc_view_result(v, i)->op == RC_OP_SPMV && rc_view_is_newest(v, i) &&
            !in[rc_view_result(v, i)->matrix] && rc_view_matches(v, i, o->where))
            in[rc_view_result(v, i)->matrix] = 1;
    for (int32_t m = 0; m < n; m++)
        for (int set = rc_view_is_generated(v, m) ? ALL : REAL; in[m] && set <= ALL; set++)
            add_matrix(range[set], rc_view_matrix(v, m), sigma[m]);
done:
    free(sigma);
    free(in);
    return st;
}

static void put_range(rc_table_t *t, const char *set, const char *name, const range_t *r)
{
    const char *const key[] = {name};
    const char *paper = rc_paper_line(rc_nisa_ranges, key, 1);
    RC_CELLS(t, RC_TEXT(set), RC_TEXT(name), RC_INT(r->rows.n), RC_REAL(rc_sums_mean(&r->rows), 6),
        RC_REAL(rc_sums_mean(&r->cols), 6), RC_REAL(100 * rc_sums_mean(&r->density), 3),
        RC_REAL(rc_sums_mean(&r->nnz_mu), 4), RC_REAL(rc_sums_mean(&r->nnz_sigma), 4),
        RC_INT(r->nnz_sigma.n), RC_INT((int64_t)rc_paper_number(paper, 0)),
        RC_REAL(rc_paper_number(paper, 1), 7), RC_REAL(rc_paper_number(paper, 2), 7),
        RC_REAL(rc_paper_number(paper, 3), 3), RC_REAL(rc_paper_number(paper, 4), 4),
        RC_REAL(rc_paper_number(paper, 5), 4));
}

static rc_status_t print_ranges(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char columns[] =
        "set|nnz|matrices|rows:mean|cols:mean|density:%|nnz_mu:mean|nnz_sigma:mean|with_sigma|"
        "paper_matrices|paper_rows:mean|paper_cols:mean|paper_density:%|paper_nnz_mu:mean|"
        "paper_nnz_sigma:mean";
    range_t range[2][RANGES];
    int sets = 1;
    memset(range, 0, sizeof range);
    RC_PASS(fill_ranges(o, range, err));
    for (int i = 0; i < RANGES; i++)
        sets += sets == 1 && range[REAL][i].rows.n != range[ALL][i].rows.n;
    rc_table_t *t = rc_table_of(stdout, o->format, columns, 0, err);
    for (int s = 0; s < sets; s++)
        for (int i = 0; i < RANGES; i++)
            put_range(t, set_names[s], ranges[i].name, &range[s][i]);
    return end_table(t, o, 1u << 6, err);
}

static const rc_summary_t by_range = {.name = "ranges",
    .shows = "table-I",
    .summary = "matrices by number of entries",
    .print = print_ranges};

/* -------------------------------------------------------------- six formats */

/* 1: there are generated matrices, so that "all" is another table than "real". */
static int has_generated(const rc_six_t *f)
{
    for (int64_t i = 0; i < f->rows; i++)
        if (f->row[i].generated)
            return 1;
    return 0;
}

static void put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s, const char *set)
{
    RC_CELLS(t, RC_TEXT(rc_view_name(rc_precision_names, s->precision)),
        RC_TEXT(rc_view_name(rc_cache_names, s->cache)), RC_TEXT(rc_view_device(v, s->device)),
        RC_TEXT(set));
}
#define SETTING_COLUMNS "precision|cache|device|set|"

/* 1: format c is faster than all others of the set by more than the error. */
static int is_clear(const rc_view_t *v, const rc_six_row_t *r, unsigned set, int c)
{
    rc_timed_t own = rc_timed_of(v, r->row[c]);
    for (int i = 0; i < RC_SIX; i++) {
        if (i == c || !(set & 1u << i))
            continue;
        rc_timed_t other = rc_timed_of(v, r->row[i]);
        if (rc_timed_tie(&own, &other))
            return 0;
    }
    return 1;
}

/* A format among the six, over the matrices that have all of them. */
typedef struct standing {
    int64_t wins;
    int64_t clear;
    rc_sums_t over;  /* time over the best */
    rc_sums_t floor; /* floor over time, of all that have one */
} standing_t;

static standing_t stand(const rc_view_t *v, const rc_six_t *f, int c, int all)
{
    standing_t s = {.wins = 0};
    for (int64_t i = 0; i < f->rows; i++) {
        const rc_six_row_t *r = &f->row[i];
        if (!all && r->generated)
            continue;
        int best = rc_six_best(r, RC_SIX_ALL, NULL);
        if (!isnan(r->ns[c]))
            rc_sums_add(&s.floor, rc_floor_of(v, r->row[c]) / r->ns[c]);
        if (best < 0)
            continue;
        s.wins += best == c;
        s.clear += best == c && is_clear(v, r, RC_SIX_ALL, c);
        rc_sums_add(&s.over, r->ns[c] / r->ns[best]);
    }
    return s;
}

static void put_standing(rc_table_t *t, const rc_view_t *v, const rc_six_t *f, int c, int all)
{
    standing_t s = stand(v, f, c, all);
    double n = s.over.n ? (double)s.over.n : NAN;
    put_setting(t, v, &f->setting, set_names[all]);
    RC_CELLS(t, RC_TEXT(rc_six_names[c]), RC_TEXT(rc_six_kernels[c]), RC_INT(s.floor.n),
        RC_INT(f->missing[all][c][RC_CASE_SKIPPED]), RC_INT(f->missing[all][c][RC_CASE_WRONG]),
        RC_INT(f->missing[all][c][RC_CASE_FAILED] + f->missing[all][c][RC_CASE_CRASHED]),
        RC_INT(f->missing[all][c][RC_CASE_PENDING] + f->missing[all][c][RC_CASE_OK]),
        RC_INT(s.over.n), RC_INT(s.wins), RC_REAL(100 * (double)s.wins / n, 3), RC_INT(s.clear),
        RC_REAL(100 * (rc_sums_geomean(&s.over) - 1), 4),
        RC_REAL(100 * (rc_sums_most(&s.over) - 1), 4), RC_REAL(rc_sums_geomean(&s.floor), 3));
}

static rc_status_t print_formats(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char columns[] =
        SETTING_COLUMNS "format|kernel|ok|skipped|wrong|failed|absent|complete|wins|share:%|clear|"
                        "loss_geomean:%|loss_max:%|of_floor:geomean";
    rc_six_t *f = NULL;
    int n = 0;
    RC_PASS(rc_six_make(o->view, o->where, &f, &n, err));
    rc_table_t *t = rc_table_of(stdout, o->format, columns, 0, err);
    for (int i = 0; i < n; i++)
        for (int all = 0; all <= has_generated(&f[i]); all++)
            for (int c = 0; c < RC_SIX; c++)
                put_standing(t, o->view, &f[i], c, all);
    rc_status_t st = rc_table_end(t, err);
    rc_six_free(f, n);
    return st;
}

static const rc_summary_t formats_table = {.name = "formats",
    .shows = "section-V",
    .summary = "which format wins, and what each loses always taken",
    .print = print_formats};

/* -------------------------------------------------------------- section V.A */

/* Matrices on which COO is the best of a set, and what they lose without it. */
static void put_coo(rc_table_t *t, const rc_view_t *v, const rc_six_t *f, unsigned set, int all)
{
    int64_t complete = 0;
    int64_t wins = 0;
    int64_t clear = 0;
    double loss = 0;
    double worst = 1;
    for (int64_t i = 0; i < f->rows; i++) {
        const rc_six_row_t *r = &f->row[i];
        double margin = NAN;
        int best = all || !r->generated ? rc_six_best(r, set, &margin) : -1;
        complete += best >= 0;
        if (best != RC_SIX_COO)
            continue;
        wins++;
        clear += is_clear(v, r, set, best);
        loss += log1p(margin);
        worst = fmax(worst, 1 + margin);
    }
    put_setting(t, v, &f->setting, set_names[all]);
    RC_CELLS(t, RC_INT(set == RC_SIX_ALL ? 6 : 4), RC_INT(complete), RC_INT(wins),
        RC_REAL(complete ? 100 * (double)wins / (double)complete : NAN, 3), RC_INT(clear),
        RC_REAL(wins ? 100 * (exp(loss / (double)wins) - 1) : NAN, 4),
        RC_REAL(wins ? 100 * (worst - 1) : NAN, 4));
    const char *formats = set == RC_SIX_ALL ? "6" : "4";
    rc_paper_put_text(t, rc_paper_says(rc_nisa_words, "coo", &f->setting, formats, ""));
}

static rc_status_t print_coo(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char columns[] =
        SETTING_COLUMNS "formats|matrices|coo_best|share:%|clear|loss_geomean:%|loss_max:%|paper";
    rc_six_t *f = NULL;
    int n = 0;
    RC_PASS(rc_six_make(o->view, o->where, &f, &n, err));
    rc_table_t *t = rc_table_of(stdout, o->format, columns, 0, err);
    for (int i = 0; i < n; i++)
        for (int all = 0; all <= has_generated(&f[i]); all++) {
            put_coo(t, o->view, &f[i], RC_SIX_BASIC, all);
            put_coo(t, o->view, &f[i], RC_SIX_ALL, all);
        }
    rc_status_t st = end_table(t, o, 1u << 5, err);
    rc_six_free(f, n);
    return st;
}

static const rc_summary_t coo_table = {.name = "coo",
    .shows = "section-V.A",
    .summary = "where COO is the fastest",
    .print = print_coo};

/* ---------------------------------------------------------- figures 2 and 3 */

static rc_status_t put_rates(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const rc_view_t *v = of->c->view;
    int32_t last = -1;
    (void)err;
    for (int64_t i = of->from; i < of->to; i++) {
        const rc_counted_row_t *e = &of->c->row[i]; /* of a matrix the fastest comes first */
        const rc_row_result_t *r = rc_view_result(v, e->row);
        const rc_row_matrix_t *m = rc_view_matrix(v, e->matrix);
        const char *kernel = rc_view_kernel(v, e->kernel);
        const char *const key[] = {m->name, kernel};
        RC_CELLS(t, RC_TEXT(m->name), RC_BOOL(rc_view_is_generated(v, e->matrix)), RC_INT(m->nnz),
            RC_TEXT(rc_view_name(rc_op_names, r->op)), r->k > 0 ? RC_INT(r->k) : RC_MISSING,
            RC_TEXT(rc_view_name(rc_precision_names, r->precision)),
            RC_TEXT(rc_view_device(v, r->device)), RC_TEXT(kernel),
            RC_TEXT(rc_view_policy(v, e->policy)), RC_REAL(e->ns, 5),
            RC_REAL(rc_view_flops(v, e->row) / e->ns, 4), RC_REAL((double)r->bytes_min / e->ns, 4),
            RC_REAL(rc_floor_of(v, e->row) / e->ns, 3), RC_REAL(r->fill, 4),
            RC_BOOL(e->matrix != last),
            RC_REAL(rc_paper_number(rc_paper_line(rc_nisa_rates, key, 2), 0), 3));
        last = e->matrix;
    }
    return RC_OK;
}

static const rc_lines_t rates = {
    "fullname|generated|nnz|op|k|precision|device|kernel|policy|median:ns|rate:Gflop/s|"
    "bytes:GB/s|of_floor:x|fill:x|best|paper:Gflop/s",
    0, -1, 1, put_rates};

const rc_summary_t rc_summary_nisa_rates = {.name = "rates",
    .shows = "figure-2 figure-3",
    .summary = "rates by matrix, kernel and order",
    .takes = RC_TAKES_MATRICES,
    .lines = &rates};

/* ------------------------------------------------------------------ paper */

void rc_nisa_notes(unsigned numbers, FILE *out)
{
    for (int i = 1; numbers; i++, numbers >>= 1) {
        char number[16];
        const char *const key[] = {number};
        (void)snprintf(number, sizeof number, "%d", i);
        const char *text = rc_paper_line(rc_nisa_contradictions, key, 1);
        if (numbers & 1u && text)
            fprintf(out, "Contradiction %d of the paper: %s.\n", i, text);
    }
}

static const rc_summary_t *const tables[] = {&by_range, &formats_table, &coo_table,
    &rc_summary_nisa_rates, &rc_nisa_accuracy_table, &rc_nisa_slowdown_table, &rc_nisa_rme_table,
    &rc_nisa_indirect_table, &rc_nisa_importance_table, NULL};

const rc_paper_t rc_paper_nisa = {
    .name = "nisa", .cite = "Nisa et al. 2018, format selection for y = A x", .tables = tables};
