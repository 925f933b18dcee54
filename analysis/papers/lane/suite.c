#include "config.h"
#include "analysis/papers/lane/suite.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/stats.h"
#include "catalog/catalog.h"
#include "analysis/summary/lines.h"
#include "table/features_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rc_lane_set_name(int generated)
{
    return generated ? "generated" : "real";
}

double rc_lane_rdensity(const rc_row_matrix_t *m)
{
    return m->rows > 0 ? (double)m->nnz / (double)m->rows : NAN;
}

/* ------------------------------------------------------------------ suite */

/* By id of the matrix: entries of the longest row, variance, symmetry; NaN where a store has no
 * features. */
typedef struct traits {
    double *longest;
    double *variance;
    double *symmetry;
} traits_t;

static rc_status_t read_traits(const char *store, int32_t matrices, traits_t *t, rc_err_t *err)
{
    double **of[] = {&t->longest, &t->variance, &t->symmetry};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        RC_PASS(RC_NEW(*of[i], matrices, "traits", err));
        for (int32_t m = 0; m < matrices; m++)
            (*of[i])[m] = NAN;
    }
    RC_PASS(rc_feature_by_matrix(store, "nisa", "nnz_max", t->longest, matrices, err));
    RC_PASS(rc_feature_by_matrix(store, "lane", "nnz_max", t->longest, matrices, err));
    RC_PASS(rc_feature_by_matrix(store, "lane", "nnz_variance", t->variance, matrices, err));
    return rc_feature_by_matrix(store, "lane", "pattern_symmetry", t->symmetry, matrices, err);
}

typedef struct listed {
    int32_t matrix;
    int generated;
    rc_regular_t class;
    int is_asymmetric;
    double rdensity;
} listed_t;

/* As the paper: regular first, in a class symmetric ones first, then by rdensity; real ones
 * before generated. */
static int by_class(const void *a, const void *b)
{
    const listed_t *x = a;
    const listed_t *y = b;
    if (x->generated != y->generated)
        return x->generated - y->generated;
    if (x->class != y->class)
        return (int)x->class - (int)y->class;
    if (x->is_asymmetric != y->is_asymmetric)
        return x->is_asymmetric - y->is_asymmetric;
    if (x->rdensity != y->rdensity)
        return x->rdensity < y->rdensity ? -1 : 1;
    return x->matrix - y->matrix;
}

/* The matrices that have a row.  \param[out] list  [matrices]  \return how many, or -1: no
 * memory */
static int64_t list_matrices(
    const rc_view_t *v, const rc_expr_t *where, const traits_t *of, listed_t *list, rc_err_t *err)
{
    int32_t matrices = rc_view_matrices(v);
    unsigned char *seen = rc_alloc0((size_t)matrices, 1, "matrices", err);
    int64_t n = 0;
    if (!seen)
        return -1;
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        int32_t m = rc_view_result(v, i)->matrix;
        if (m < 0 || m >= matrices || seen[m] || !rc_view_matches(v, i, where))
            continue;
        seen[m] = 1;
        list[n++] = (listed_t){.matrix = m,
            .generated = rc_view_is_generated(v, m),
            .class = rc_view_regular(v, m),
            .is_asymmetric = of->symmetry[m] != 1, /* unknown: last */
            .rdensity = rc_lane_rdensity(rc_view_matrix(v, m))};
    }
    free(seen);
    qsort(list, (size_t)n, sizeof *list, by_class);
    return n;
}

const char *rc_lane_original(const char *name)
{
    return strncmp(name, RC_TWIN, strlen(RC_TWIN)) == 0 ? name + strlen(RC_TWIN) : name;
}

static void put_paper_matrix(rc_table_t *t, const char *name)
{
    static const int digits[] = {2, 4, 4, 9, 4}; /* symmetry, rows, nnz, longest, rdensity */
    const int numbers = (int)(sizeof digits / sizeof *digits);
    const char *line = rc_paper_line(rc_lane_matrices, &name, 1);
    rc_table_text(t, rc_paper_text(line, numbers));
    for (int i = 0; i < numbers; i++)
        rc_table_real(t, rc_paper_number(line, i), digits[i]);
}

static rc_status_t print_matrices(const rc_summary_options_t *o, const traits_t *of,
    const listed_t *list, int64_t n, rc_err_t *err)
{
    static const char columns[] =
        "matrix|set|class|symmetry:of pattern|rows|nnz|longest:entries|rdensity:entries|"
        "variance:entries^2|paper:id|paper_symmetry:of pattern|paper_rows:million|"
        "paper_nnz:million|paper_longest:entries|paper_rdensity:entries";
    rc_table_t *t = rc_table_of(stdout, o->format, columns, 0, err);
    for (int64_t i = 0; i < n; i++) {
        const rc_row_matrix_t *m = rc_view_matrix(o->view, list[i].matrix);
        RC_CELLS(t, RC_TEXT(m->name), RC_TEXT(rc_lane_set_name(list[i].generated)),
            RC_TEXT(rc_regular_names[list[i].class]), RC_REAL(of->symmetry[list[i].matrix], 3),
            RC_INT(m->rows), RC_INT(m->nnz), RC_REAL(of->longest[list[i].matrix], 9),
            RC_REAL(list[i].rdensity, 4), RC_REAL(of->variance[list[i].matrix], 4));
        put_paper_matrix(t, rc_lane_original(m->name));
    }
    return rc_table_end(t, err);
}

static rc_status_t print_suite(const rc_summary_options_t *o, rc_err_t *err)
{
    traits_t of = {NULL, NULL, NULL};
    listed_t *list = NULL;
    rc_status_t st;
    RC_TRY(read_traits(o->store, rc_view_matrices(o->view), &of, err));
    RC_TRY(RC_NEW(list, rc_view_matrices(o->view), "matrices", err));
    int64_t n = list_matrices(o->view, o->where, &of, list, err);
    RC_TRY(n < 0 ? RC_ENOMEM : RC_OK);
    st = print_matrices(o, &of, list, n, err);
done:
    free(list);
    free(of.longest);
    free(of.variance);
    free(of.symmetry);
    return st;
}

static const rc_summary_t suite = {
    .name = "suite", .shows = "table-1", .summary = "the matrices, by class", .print = print_suite};

/* ---------------------------------------------------------------- scaling */

/* Where a device class "cpu:NAME:8t:ISA" says its threads; NULL: it does not. */
static const char *threads_at(const char *class_name)
{
    const char *at = strrchr(class_name, ':');
    char *end;
    while (at && at > class_name && at[-1] != ':')
        at--;
    if (!at || at == class_name)
        return NULL;
    (void)strtol(at, &end, 10);
    return end > at && strncmp(end, "t:", 2) == 0 ? at : NULL;
}

static int threads_of(const char *class_name)
{
    const char *at = threads_at(class_name);
    return at ? (int)strtol(at, NULL, 10) : -1;
}

/* The same name and instructions with any number of threads. */
static int is_same_machine(const char *a, const char *b)
{
    const char *x = threads_at(a);
    const char *y = threads_at(b);
    return x && y && x - a == y - b && strncmp(a, b, (size_t)(x - a)) == 0 &&
           strcmp(strrchr(a, ':'), strrchr(b, ':')) == 0;
}

/* What a kernel is compared with: the loop on as many threads, on one, MKL on as many. */
enum { LOOP, LOOP_ONE, MKL, RIVALS };

typedef struct scaled {
    const rc_setting_t *setting; /* of any device */
    int threads;
    int generated;
    const char *kernel;
    const char *policy;
    rc_sums_t over[RIVALS]; /* over the matrices that are compared with each */
} scaled_t;

/* The time of a kernel on a machine with so many threads, same matrix and order; NaN. */
static double rival_of(
    const rc_counted_t *c, const rc_counted_row_t *e, const char *kernel, int threads)
{
    const rc_setting_t *own = &c->setting[e->setting];
    double ns = NAN;
    for (int64_t i = 0; i < c->rows; i++) {
        const rc_setting_t *s = &c->setting[c->row[i].setting];
        const char *device = rc_view_device(c->view, s->device);
        if (c->row[i].matrix == e->matrix && c->row[i].policy == e->policy &&
            s->precision == own->precision && s->cache == own->cache &&
            s->c_order == own->c_order && threads_of(device) == threads &&
            is_same_machine(device, rc_view_device(c->view, own->device)) &&
            rc_spec_is(rc_view_kernel(c->view, c->row[i].kernel), kernel))
            ns = fmin(ns, c->row[i].ns);
    }
    return ns;
}

static void add_scaled(const rc_counted_t *c, const rc_counted_row_t *e, scaled_t *s)
{
    for (int rival = 0; rival < RIVALS; rival++) {
        double ns = rival_of(
            c, e, rival == MKL ? "mkl" : "plain-spmv-static", rival == LOOP_ONE ? 1 : s->threads);
        if (!isnan(ns))
            rc_sums_add(&s->over[rival], ns / e->ns);
    }
}

static int by_threads(const void *a, const void *b)
{
    const scaled_t *x = a;
    const scaled_t *y = b;
    int d = strcmp(x->kernel, y->kernel);
    d = d ? d : strcmp(x->policy, y->policy);
    d = d ? d : x->generated - y->generated;
    d = d ? d : x->setting->precision - y->setting->precision;
    d = d ? d : x->setting->c_order - y->setting->c_order;
    d = d ? d : x->setting->cache - y->setting->cache;
    return d ? d : x->threads - y->threads;
}

static int64_t scale(const rc_counted_t *c, scaled_t *list)
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->rows; i++) {
        const rc_counted_row_t *e = &c->row[i];
        const rc_setting_t *setting = &c->setting[e->setting];
        const scaled_t line = {.setting = setting,
            .threads = threads_of(rc_view_device(c->view, setting->device)),
            .generated = rc_view_is_generated(c->view, e->matrix),
            .kernel = rc_view_kernel(c->view, e->kernel),
            .policy = rc_view_policy(c->view, e->policy)};
        int64_t at = 0;
        if (line.threads < 0)
            continue;
        while (at < n && by_threads(&list[at], &line) != 0)
            at++;
        if (at == n)
            list[n++] = line;
        add_scaled(c, e, &list[at]);
    }
    return n;
}

static rc_status_t print_scaling(const rc_summary_options_t *o, rc_err_t *err)
{
    static const char columns[] =
        "precision|c_order|cache|set|kernel|policy|threads|matrices|over_loop:x|matrices_1|"
        "over_one_thread:x|matrices_mkl|over_mkl:x|paper:over one core";
    rc_counted_t c = {0};
    scaled_t *list = NULL;
    rc_table_t *t = NULL;
    int64_t n = 0;
    rc_status_t st;
    RC_TRY(rc_counted_make(o->view, o->where, RC_OP_SPMV, RC_SETTINGS_BY_K, &c, err));
    RC_TRY(RC_NEW(list, c.rows, "threads", err));
    n = scale(&c, list);
    qsort(list, (size_t)n, sizeof *list, by_threads);
    t = rc_table_of(stdout, o->format, columns, 0, err);
    for (int64_t i = 0; i < n; i++) {
        RC_CELLS(t, RC_TEXT(rc_view_name(rc_precision_names, list[i].setting->precision)),
            RC_TEXT(rc_view_name(rc_c_order_names, list[i].setting->c_order)),
            RC_TEXT(rc_view_name(rc_cache_names, list[i].setting->cache)),
            RC_TEXT(rc_lane_set_name(list[i].generated)), RC_TEXT(list[i].kernel),
            RC_TEXT(list[i].policy), RC_INT(list[i].threads));
        for (int rival = 0; rival < RIVALS; rival++)
            RC_CELLS(t, RC_INT(list[i].over[rival].n),
                RC_REAL(rc_sums_geomean(&list[i].over[rival]), 4));
        char threads[16];
        (void)snprintf(threads, sizeof threads, "%d", list[i].threads);
        rc_paper_put_text(
            t, rc_paper_says(rc_lane_words, "scaling", NULL, list[i].kernel, threads));
    }
    st = rc_table_end(t, err);
done:
    free(list);
    rc_counted_free(&c);
    return st;
}

static const rc_summary_t scaling = {.name = "scaling",
    .shows = "figure-5",
    .summary = "speedup by threads of a CPU",
    .print = print_scaling};

static const rc_summary_t *const tables[] = {&suite, &scaling, &rc_lane_suite_rate, NULL};

const rc_paper_t rc_paper_lane = {
    .name = "lane", .cite = "Lane and Booth 2022, CSR-k", .tables = tables};
