#include "config.h"
#include "table/suite.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_suite_class_names[] = {"regular", "irregular", "unknown", NULL};

enum { NATURAL, RCM, SIDES };

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "rcm" and "rcm:...". */
static int is_named(const char *spec, const char *name)
{
    size_t n = strlen(name);
    return begins(spec, name) && (spec[n] == '\0' || spec[n] == ':');
}

int rc_suite_is_published(const char *kernel, const char *policy)
{
    if (is_named(policy, "bandk"))
        return is_named(kernel, "csr2") || is_named(kernel, "csr3") || is_named(kernel, "csr35");
    if (is_named(policy, "rcm"))
        return is_named(kernel, "cusparse-spmv-csr");
    return is_named(policy, "csr") && is_named(kernel, "csr5");
}

rc_suite_class_t rc_suite_class_of(const rc_view_t *v, int64_t row)
{
    const double most = 10;
    rc_cursor_t c;
    rc_value_t x;
    rc_view_seek(v, row, &c);
    for (int i = 0; i < rc_view_fields.count; i++)
        if (strcmp(rc_view_fields.field[i].name, "variance") == 0) {
            rc_view_get(&c, i, &x);
            if (isnan(x.r))
                return RC_SUITE_UNKNOWN;
            return x.r <= most ? RC_SUITE_REGULAR : RC_SUITE_IRREGULAR;
        }
    return RC_SUITE_UNKNOWN;
}

/* ------------------------------------------------------------------- cells */

/* Times of the library on the matrix of rows [from, to); NaN: none. */
static void library_of(const rc_counted_t *c, int64_t from, int64_t to, double *ns)
{
    ns[NATURAL] = ns[RCM] = NAN;
    for (int64_t i = from; i < to; i++) {
        const char *policy = rc_view_policy(c->view, c->row[i].policy);
        if (!is_named(rc_view_kernel(c->view, c->row[i].kernel), "cusparse-spmv-csr"))
            continue;
        if (is_named(policy, "csr"))
            ns[NATURAL] = fmin(ns[NATURAL], c->row[i].ns);
        else if (is_named(policy, "rcm"))
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
static void add_cells(rc_suite_t *s, int64_t from, int64_t to)
{
    const rc_counted_t *c = &s->counted;
    int64_t first = s->cells;
    double library[SIDES];
    library_of(c, from, to, library);
    for (int64_t i = from; i < to; i++) {
        const rc_counted_row_t *e = &c->row[i];
        int is_slower = 0; /* than with another geometry */
        for (int64_t k = first; k < s->cells; k++)
            is_slower |= s->cell[k].variant == e->variant;
        if (is_slower)
            continue;
        s->cell[s->cells++] = (rc_suite_cell_t){.row = e->row,
            .matrix = e->matrix,
            .variant = e->variant,
            .setting = e->setting,
            .generated = rc_view_is_generated(c->view, e->matrix),
            .class = rc_suite_class_of(c->view, e->row),
            .ns = e->ns,
            .gflops = rc_view_flops(c->view, e->row) / e->ns,
            .over_natural = library[NATURAL] / e->ns,
            .over_rcm = library[RCM] / e->ns,
            .products = products_of(c->view, e->row, e->ns, library[NATURAL])};
    }
}

/* ------------------------------------------------------------------- lines */

/* What the cells of a line have in common comes first; then the matrix. */
static int by_line(const void *a, const void *b)
{
    const rc_suite_cell_t *x = *(const rc_suite_cell_t *const *)a;
    const rc_suite_cell_t *y = *(const rc_suite_cell_t *const *)b;
    const int64_t d[] = {(int64_t)x->setting - y->setting, (int64_t)x->generated - y->generated,
        (int64_t)x->class - (int64_t)y->class, (int64_t)x->variant - y->variant,
        (int64_t)x->matrix - y->matrix};
    for (size_t i = 0; i < sizeof d / sizeof *d; i++)
        if (d[i])
            return d[i] < 0 ? -1 : 1;
    return 0;
}

static int is_same_line(const rc_suite_cell_t *x, const rc_suite_cell_t *y)
{
    return x->setting == y->setting && x->generated == y->generated && x->class == y->class &&
           x->variant == y->variant;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NaN without any.  Sorts them. */
static double median(double *x, int64_t n)
{
    if (n == 0)
        return NAN;
    qsort(x, (size_t)n, sizeof *x, by_number);
    return n % 2 || x[n / 2 - 1] == x[n / 2]
               ? x[n / 2]
               : x[n / 2 - 1] + (x[n / 2] - x[n / 2 - 1]) / (isinf(x[n / 2]) ? 1 : 2);
}

/* \param[in] scratch  [3 n] */
static rc_suite_line_t line_of(
    const rc_suite_t *s, const rc_suite_cell_t *const *cell, int64_t n, double *scratch)
{
    const rc_view_t *v = s->counted.view;
    const rc_row_result_t *first = rc_view_result(v, cell[0]->row);
    rc_suite_line_t l = {.setting = s->counted.setting[cell[0]->setting],
        .kernel = rc_view_kernel(v, first->kernel),
        .policy = rc_view_policy(v, first->policy),
        .generated = cell[0]->generated,
        .class = cell[0]->class,
        .matrices = n,
        .worst = {INFINITY, INFINITY},
        .pointers = NAN};
    int64_t known = 0;
    int64_t orders = 0;
    int64_t permuted = 0;
    for (int64_t i = 0; i < n; i++) {
        const double over[SIDES] = {cell[i]->over_natural, cell[i]->over_rcm};
        const rc_row_result_t *r = rc_view_result(v, cell[i]->row);
        l.mean += cell[i]->gflops / (double)n;
        l.geomean += log(cell[i]->gflops) / (double)n;
        for (int side = 0; side < SIDES; side++) {
            if (isnan(over[side]))
                continue;
            l.compared[side]++;
            l.over[side] += log(over[side]);
            l.worst[side] = fmin(l.worst[side], over[side]);
        }
        if (!isnan(cell[i]->products))
            scratch[known++] = cell[i]->products;
        if (r->order_ns >= 0)
            scratch[n + orders++] = (double)r->order_ns;
        if (r->permute_ns >= 0)
            scratch[2 * n + permuted++] = (double)r->permute_ns;
        l.pointers = fmax(l.pointers, rc_view_pointer_overhead(v, cell[i]->row));
    }
    l.geomean = exp(l.geomean);
    for (int side = 0; side < SIDES; side++) {
        l.over[side] = l.compared[side] ? exp(l.over[side] / (double)l.compared[side]) : NAN;
        l.worst[side] = l.compared[side] ? l.worst[side] : NAN;
    }
    l.products = median(scratch, known);
    l.order_ns = median(scratch + n, orders);
    l.permute_ns = median(scratch + 2 * n, permuted);
    return l;
}

/* Within a class the fastest first. */
static void sort_lines(rc_suite_line_t *line, int lines)
{
    for (int i = 1; i < lines; i++)
        for (int k = i; k > 0 && line[k - 1].setting.row == line[k].setting.row &&
                        line[k - 1].generated == line[k].generated &&
                        line[k - 1].class == line[k].class && line[k - 1].mean < line[k].mean;
             k--) {
            rc_suite_line_t swap = line[k];
            line[k] = line[k - 1];
            line[k - 1] = swap;
        }
}

static rc_status_t add_lines(rc_suite_t *s, rc_err_t *err)
{
    size_t n = (size_t)s->cells;
    const rc_suite_cell_t **cell = rc_alloc(n, sizeof *cell, "a suite", err);
    double *scratch = rc_alloc(3 * n, sizeof *scratch, "a suite", err);
    s->line = rc_alloc(n, sizeof *s->line, "a suite", err);
    rc_status_t st = cell && scratch && s->line ? RC_OK : RC_ENOMEM;
    for (size_t i = 0; st == RC_OK && i < n; i++)
        cell[i] = &s->cell[i];
    if (st == RC_OK && n > 0)
        qsort(cell, n, sizeof *cell, by_line);
    for (size_t i = 0, end; st == RC_OK && i < n; i = end) {
        for (end = i + 1; end < n && is_same_line(cell[i], cell[end]);)
            end++;
        s->line[s->lines++] = line_of(s, &cell[i], (int64_t)(end - i), scratch);
    }
    if (st == RC_OK)
        sort_lines(s->line, s->lines);
    free(cell);
    free(scratch);
    return st;
}

rc_status_t rc_suite_make(
    const rc_view_t *v, const rc_expr_t *where, rc_suite_t *out, rc_err_t *err)
{
    *out = (rc_suite_t){0};
    RC_PASS(rc_counted_make(v, where, RC_OP_SPMV, RC_SETTINGS_BY_K, &out->counted, err));
    out->cell = rc_alloc((size_t)out->counted.rows, sizeof *out->cell, "a suite", err);
    RC_PASS(out->cell ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0, end; i < out->counted.rows; i = end) {
        end = rc_counted_end(&out->counted, i);
        add_cells(out, i, end);
    }
    return add_lines(out, err);
}

void rc_suite_free(rc_suite_t *s)
{
    rc_counted_free(&s->counted);
    free(s->cell);
    free(s->line);
    *s = (rc_suite_t){0};
}
