/* Products with a vector by class of matrix: rates of every kernel and order on regular and
 * irregular matrices, and what they gain over the library. */
#include "config.h"
#include "analysis/papers/lane/suite.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/stats.h"
#include "analysis/summary/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ns_of_ms = 1e6;

/* The library's CSR in natural order, and under rcm. */
enum { NATURAL, RCM, SIDES };

/* A kernel and order on a matrix; where it was measured with several geometries the fastest. */
typedef struct cell {
    const rc_counted_row_t *e;
    int generated;
    rc_regular_t class;
    double over[SIDES]; /* time of the library over it; NaN */
    double products;    /* after which the order has paid against the library in natural order;
                           INFINITY: never; NaN: not known */
} cell_t;

/* The cells of a kernel and order over a class. */
typedef struct line {
    const cell_t *const *cell;
    int64_t n;
    double mean; /* Gflop/s */
} line_t;

typedef struct rates {
    const rc_view_t *v;
    rc_counted_t counted;
    cell_t *cell; /* [cells] by setting, matrix, time */
    int64_t cells;
    const cell_t **sorted; /* [cells] line by line */
    line_t *line;          /* [lines] by setting, generated, class, mean rate (largest first) */
    int64_t lines;
} rates_t;

static const rc_row_result_t *result_of(const rates_t *s, const cell_t *c)
{
    return rc_view_result(s->v, c->e->row);
}

static double gflops(const rates_t *s, const cell_t *c)
{
    return rc_view_flops(s->v, c->e->row) / c->e->ns;
}

/* ------------------------------------------------------------------- cells */

/* Times of the library on the matrix of rows [from, to); NaN: none. */
static void library_of(const rc_counted_t *c, int64_t from, int64_t to, double *ns)
{
    ns[NATURAL] = ns[RCM] = NAN;
    for (int64_t i = from; i < to; i++) {
        const char *policy = rc_view_policy(c->view, c->row[i].policy);
        if (!rc_spec_is(rc_view_kernel(c->view, c->row[i].kernel), "cusparse-spmv-csr"))
            continue;
        if (rc_spec_is(policy, "csr"))
            ns[NATURAL] = fmin(ns[NATURAL], c->row[i].ns);
        else if (rc_spec_is(policy, "rcm"))
            ns[RCM] = fmin(ns[RCM], c->row[i].ns);
    }
}

static double products_of(const rc_view_t *v, int64_t row, double ns, double natural)
{
    double order_ns = rc_view_order_ns(v, row);
    if (isnan(natural) || isnan(order_ns))
        return NAN;
    return ns < natural ? order_ns / (natural - ns) : INFINITY;
}

/* The cells of one matrix in one setting. */
static void add_cells(rates_t *s, int64_t from, int64_t to)
{
    int64_t first = s->cells;
    double library[SIDES];
    library_of(&s->counted, from, to, library);
    for (int64_t i = from; i < to; i++) {
        const rc_counted_row_t *e = &s->counted.row[i];
        int is_slower = 0; /* than with another geometry */
        for (int64_t k = first; k < s->cells; k++)
            is_slower |= s->cell[k].e->variant == e->variant;
        if (!is_slower)
            s->cell[s->cells++] = (cell_t){.e = e,
                .generated = rc_view_is_generated(s->v, e->matrix),
                .class = rc_view_regular(s->v, e->matrix),
                .over = {library[NATURAL] / e->ns, library[RCM] / e->ns},
                .products = products_of(s->v, e->row, e->ns, library[NATURAL])};
    }
}

/* ------------------------------------------------------------------- lines */

/* In what order lines stand, less their rates. */
static int compare_places(const cell_t *x, const cell_t *y)
{
    if (x->e->setting != y->e->setting)
        return x->e->setting - y->e->setting;
    return x->generated != y->generated ? x->generated - y->generated
                                        : (int)x->class - (int)y->class;
}

/* What the cells of a line have in common comes first; then the matrix. */
static int by_line(const void *a, const void *b)
{
    const cell_t *x = *(const cell_t *const *)a;
    const cell_t *y = *(const cell_t *const *)b;
    int d = compare_places(x, y);
    d = d ? d : x->e->variant - y->e->variant;
    return d ? d : x->e->matrix - y->e->matrix;
}

/* Within a class the fastest first. */
static int by_rate(const void *a, const void *b)
{
    const line_t *x = a;
    const line_t *y = b;
    int d = compare_places(x->cell[0], y->cell[0]);
    if (d || x->mean != y->mean)
        return d ? d : x->mean > y->mean ? -1 : 1;
    return x->cell[0]->e->variant - y->cell[0]->e->variant;
}

static void make_lines(rates_t *s)
{
    for (int64_t i = 0; i < s->cells; i++)
        s->sorted[i] = &s->cell[i];
    qsort((void *)s->sorted, (size_t)s->cells, sizeof *s->sorted, by_line);
    for (int64_t i = 0, end; i < s->cells; i = end) {
        const cell_t *first = s->sorted[i];
        line_t l = {.cell = s->sorted + i};
        for (end = i; end < s->cells && compare_places(s->sorted[end], first) == 0 &&
                      s->sorted[end]->e->variant == first->e->variant;)
            end++;
        l.n = end - i;
        for (int64_t k = 0; k < l.n; k++)
            l.mean += gflops(s, l.cell[k]) / (double)l.n;
        s->line[s->lines++] = l;
    }
    qsort(s->line, (size_t)s->lines, sizeof *s->line, by_rate);
}

static rc_status_t make(rates_t *s, const rc_summary_options_t *o, rc_err_t *err)
{
    rc_counted_t *c = &s->counted;
    RC_PASS(rc_counted_make(o->view, o->where, RC_OP_SPMV, RC_SETTINGS_BY_K, c, err));
    RC_PASS(RC_NEW(s->cell, c->rows, "a suite", err));
    RC_PASS(RC_NEW(s->sorted, c->rows, "a suite", err));
    RC_PASS(RC_NEW(s->line, c->rows, "a suite", err));
    for (int64_t i = 0, end; i < c->rows; i = end) {
        end = rc_counted_end(c, i);
        add_cells(s, i, end);
    }
    make_lines(s);
    return RC_OK;
}

/* ------------------------------------------------------------------- print */

static int is_on_cpu(const rates_t *s, const cell_t *c)
{
    return strncmp(rc_view_device(s->v, result_of(s, c)->device), "cpu:", 4) == 0;
}

/* 1: the paper shows this pair: CSR-k with Band-k, the library with RCM, CSR5 in natural order. */
static int is_published(const char *kernel, const char *policy)
{
    if (rc_spec_is(policy, "bandk"))
        return rc_spec_is(kernel, "csr2") || rc_spec_is(kernel, "csr3") ||
               rc_spec_is(kernel, "csr35");
    if (rc_spec_is(policy, "rcm"))
        return rc_spec_is(kernel, "cusparse-spmv-csr");
    return rc_spec_is(policy, "csr") && rc_spec_is(kernel, "csr5");
}

/* The paper's machines: two CPUs, then two GPUs. */
enum { MACHINES = 4, FIRST_GPU = 2 };

/* Beside a CPU stand the paper's CPUs, else its GPUs. */
static void put_paper(rc_table_t *t, int is_cpu, int published, const char *kernel, int class)
{
    const char *const key[] = {kernel, rc_regular_names[class]};
    const char *line = published ? rc_paper_line(rc_lane_rates, key, 2) : NULL;
    for (int m = 0; m < MACHINES; m++)
        rc_table_real(t, (m < FIRST_GPU) == is_cpu ? rc_paper_number(line, m) : NAN, 4);
}

/* NaN without any.  Sorts them. */
static double median(double *x, int64_t n)
{
    if (n == 0)
        return NAN;
    qsort(x, (size_t)n, sizeof *x, rc_stats_compare);
    return n % 2 || x[n / 2 - 1] == x[n / 2]
               ? x[n / 2]
               : x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / (isinf(x[n / 2]) ? 1 : 2);
}

/* \param[in] scratch  [3 n] */
static void put_figures(rc_table_t *t, const rates_t *s, const line_t *l, double *scratch)
{
    rc_sums_t over[SIDES] = {{0}};
    double geomean = 0;
    double pointers = NAN;
    int64_t known[3] = {0};
    for (int64_t i = 0; i < l->n; i++) {
        const cell_t *c = l->cell[i];
        const rc_row_result_t *r = result_of(s, c);
        geomean += log(gflops(s, c)) / (double)l->n;
        for (int side = 0; side < SIDES; side++)
            if (!isnan(c->over[side]))
                rc_sums_add(&over[side], c->over[side]);
        if (!isnan(c->products))
            scratch[known[0]++] = c->products;
        if (r->order_ns >= 0)
            scratch[l->n + known[1]++] = (double)r->order_ns;
        if (r->permute_ns >= 0)
            scratch[2 * l->n + known[2]++] = (double)r->permute_ns;
        pointers = fmax(pointers, rc_view_pointer_overhead(s->v, c->e->row));
    }
    RC_CELLS(t, RC_INT(l->n), RC_REAL(l->mean, 4), RC_REAL(exp(geomean), 4));
    for (int side = 0; side < SIDES; side++)
        RC_CELLS(
            t, RC_REAL(rc_sums_geomean(&over[side]), 4), RC_REAL(rc_sums_least(&over[side]), 4));
    RC_CELLS(t, RC_REAL(median(scratch + l->n, known[1]) / ns_of_ms, 4),
        RC_REAL(median(scratch + 2 * l->n, known[2]) / ns_of_ms, 4),
        RC_REAL(median(scratch, known[0]), 4), RC_REAL(pointers, 3));
}

static rc_status_t print_lines(const rc_summary_options_t *o, const rates_t *s, rc_err_t *err)
{
    static const char columns[] = RC_SETTING_COLUMNS
        "set|class|kernel|policy|published|matrices|mean:Gflop/s|"
        "geomean:Gflop/s|over_natural:x|worst_natural:x|over_rcm:x|worst_rcm:x|order:ms|permute:ms|"
        "pays_after:products|most_pointers:of CSR|paper_ice_lake:Gflop/s|paper_rome:Gflop/s|"
        "paper_volta:Gflop/s|paper_ampere:Gflop/s";
    double *scratch = rc_alloc(3 * (size_t)s->cells, sizeof *scratch, "a suite", err);
    RC_PASS(scratch ? RC_OK : RC_ENOMEM);
    rc_table_t *t = rc_table_of(stdout, o->format, columns, 0, err);
    for (const line_t *l = s->line; l < s->line + s->lines; l++) {
        const cell_t *first = l->cell[0];
        const char *kernel = rc_view_kernel(s->v, first->e->kernel);
        const char *policy = rc_view_policy(s->v, first->e->policy);
        const int published = is_published(kernel, policy);
        rc_put_setting(t, s->v, &s->counted.setting[first->e->setting]);
        RC_CELLS(t, RC_TEXT(rc_lane_set_name(first->generated)),
            RC_TEXT(rc_regular_names[first->class]), RC_TEXT(kernel), RC_TEXT(policy),
            RC_TEXT(published ? "yes" : "no"));
        put_figures(t, s, l, scratch);
        put_paper(t, is_on_cpu(s, first), published, kernel, (int)first->class);
    }
    free(scratch);
    return rc_table_end(t, err);
}

/* The least time of the other kernels of the table in the same order over that of cell i; NaN:
 * there is none. */
static double lead_of(const rates_t *s, int64_t i)
{
    const rc_counted_row_t *own = s->cell[i].e;
    double least = NAN;
    while (i > 0 && s->cell[i - 1].e->matrix == own->matrix &&
           s->cell[i - 1].e->setting == own->setting)
        i--;
    for (; i < s->cells && s->cell[i].e->matrix == own->matrix &&
           s->cell[i].e->setting == own->setting;
         i++) {
        const rc_counted_row_t *e = s->cell[i].e;
        if (e->policy == own->policy &&
            !rc_spec_is(rc_view_kernel(s->v, e->kernel), rc_view_kernel(s->v, own->kernel)))
            least = fmin(least, e->ns);
    }
    return least / own->ns;
}

static double ms(int64_t ns)
{
    return ns >= 0 ? (double)ns / ns_of_ms : NAN;
}

static rc_status_t print_cells(const rc_summary_options_t *o, const rates_t *s, rc_err_t *err)
{
    static const char columns[] = RC_SETTING_COLUMNS
        "matrix|set|class|rdensity:entries|kernel|policy|rate:Gflop/s|lead:x|"
        "over_natural:x|over_rcm:x|order:ms|permute:ms|pays_after:products|pointers:of CSR|"
        "paper_lead_volta:x|paper_lead_ampere:x";
    /* rate of csr2 over that of csr3 on a GPU, where it is named as more than 5 % above */
    static const char *const leads[] = {"lead-volta", "lead-ampere"};
    rc_table_t *t = rc_table_of(stdout, o->format, columns, 0, err);
    for (int64_t i = 0; i < s->cells; i++) {
        const cell_t *c = &s->cell[i];
        const rc_row_result_t *r = result_of(s, c);
        const rc_row_matrix_t *m = rc_view_matrix(s->v, c->e->matrix);
        const char *kernel = rc_view_kernel(s->v, r->kernel);
        rc_put_setting(t, s->v, &s->counted.setting[c->e->setting]);
        RC_CELLS(t, RC_TEXT(m->name), RC_TEXT(rc_lane_set_name(c->generated)),
            RC_TEXT(rc_regular_names[c->class]), RC_REAL(rc_lane_rdensity(m), 4), RC_TEXT(kernel),
            RC_TEXT(rc_view_policy(s->v, r->policy)), RC_REAL(gflops(s, c), 4),
            RC_REAL(lead_of(s, i), 4), RC_REAL(c->over[NATURAL], 4), RC_REAL(c->over[RCM], 4),
            RC_REAL(ms(r->order_ns), 4), RC_REAL(ms(r->permute_ns), 4), RC_REAL(c->products, 4),
            RC_REAL(rc_view_pointer_overhead(s->v, c->e->row), 3));
        for (int k = 0; k < 2; k++)
            rc_paper_put_text(t, is_on_cpu(s, c) ? NULL
                                                 : rc_paper_says(rc_lane_words, leads[k], NULL,
                                                       kernel, rc_lane_original(m->name)));
    }
    return rc_table_end(t, err);
}

static rc_status_t print_suite_rate(const rc_summary_options_t *o, rc_err_t *err)
{
    rates_t s = {.v = o->view};
    rc_status_t st = make(&s, o, err);
    if (st == RC_OK)
        st = o->by_matrix ? print_cells(o, &s, err) : print_lines(o, &s, err);
    rc_counted_free(&s.counted);
    free(s.cell);
    free((void *)s.sorted);
    free(s.line);
    return st;
}

const rc_summary_t rc_lane_suite_rate = {.name = "suite-rate",
    .shows = "figure-6 figure-7",
    .summary = "rates by class, what orders gain, after how many products they have paid",
    .takes = RC_TAKES_MATRICES,
    .print = print_suite_rate};
