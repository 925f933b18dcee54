#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Curves and facets that can be told apart, steps of a curve, the right end of the axis. */
enum { CURVES = 7, FACETS = 6, STEPS = 48, FAMILIES_MAX = 256 };
static const double slowest = 16;

/* Kernels of one name, whatever their parameters: the fastest counts. */
typedef struct family {
    char name[33];
    double cost; /* sum of log2 slowdowns over all facets, missing ones as `slowest` */
    int is_reference;
    int is_drawn;
} family_t;

typedef struct profile {
    const rc_survey_t *s;
    int shown; /* setting */
    const rc_survey_setting_t *facet[FACETS];
    int facets;
    family_t family[FAMILIES_MAX];
    int families;
    double *ns; /* [families * pairs of the survey], NaN none */
} profile_t;

/* Settings that differ from the one shown in K only. */
static void choose_facets(profile_t *p)
{
    const rc_survey_t *s = p->s;
    const rc_row_result_t *q = rc_view_result(s->view, s->setting[p->shown].setting.row);
    /* a place is kept for the one shown */
    for (int a = 0; a < s->settings && p->facets < FACETS; a++) {
        if (a < p->shown && p->facets == FACETS - 1)
            continue;
        const rc_row_result_t *r = rc_view_result(s->view, s->setting[a].setting.row);
        if (r->device == q->device && r->precision == q->precision && r->op == q->op &&
            s->setting[a].setting.layout == s->setting[p->shown].setting.layout &&
            r->c_order == q->c_order && r->cache == q->cache)
            p->facet[p->facets++] = &s->setting[a];
    }
}

static int find_family(profile_t *p, const char *kernel)
{
    size_t n = strcspn(kernel, ":");
    for (int k = 0; k < p->families; k++)
        if (strncmp(p->family[k].name, kernel, n) == 0 && p->family[k].name[n] == '\0')
            return k;
    if (p->families == FAMILIES_MAX || n >= sizeof p->family[0].name)
        return -1;
    memset(&p->family[p->families], 0, sizeof p->family[0]);
    memcpy(p->family[p->families].name, kernel, n);
    return p->families++;
}

/* The families, and then their times. */
static rc_status_t collect(profile_t *p, rc_pool_t *pool, rc_err_t *err)
{
    const rc_survey_t *s = p->s;
    for (int pass = 0; pass < 2; pass++) {
        size_t cells = (size_t)p->families * (size_t)s->pairs;
        p->ns = rc_pool_get(pool, cells, sizeof *p->ns);
        RC_PASS(rc_pool_check(pool, "a figure", err));
        for (size_t i = 0; i < cells; i++)
            p->ns[i] = NAN;
        for (int f = 0; f < p->facets; f++) {
            int64_t end = rc_survey_first_row(s, p->facet[f]->first + p->facet[f]->pairs);
            for (int64_t i = rc_survey_first_row(s, p->facet[f]->first); i < end; i++) {
                const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
                int family = find_family(p, rc_view_kernel(s->view, r->kernel));
                if (pass == 0 || family < 0)
                    continue;
                double *ns = &p->ns[family * s->pairs + s->row_pair[i]];
                *ns = fmin(*ns, rc_view_ns(s->view, s->rows[i]));
            }
        }
    }
    return RC_OK;
}

/* NaN: the family has no time there. */
static double slowdown(const profile_t *p, int family, int64_t pair)
{
    double least = NAN;
    for (int k = 0; k < p->families; k++)
        least = fmin(least, p->ns[k * p->s->pairs + pair]);
    return p->ns[family * p->s->pairs + pair] / least;
}

static int by_cost(const void *a, const void *b)
{
    const family_t *const *x = a;
    const family_t *const *y = b;
    if ((*x)->is_reference != (*y)->is_reference)
        return (*y)->is_reference - (*x)->is_reference;
    if ((*x)->cost != (*y)->cost)
        return (*x)->cost < (*y)->cost ? -1 : 1;
    return strcmp((*x)->name, (*y)->name);
}

/* The reference kernel and the fastest others. */
static void choose_curves(profile_t *p)
{
    family_t *list[FAMILIES_MAX] = {NULL};
    const char *reference = p->s->setting[p->shown].reference;
    size_t n = strcspn(reference, ":");
    for (int k = 0; k < p->families; k++) {
        family_t *x = list[k] = &p->family[k];
        x->is_reference = n && strncmp(x->name, reference, n) == 0 && x->name[n] == '\0';
        for (int f = 0; f < p->facets; f++)
            for (int64_t i = 0; i < p->facet[f]->pairs; i++)
                x->cost += fmin(log2(slowdown(p, k, p->facet[f]->first + i)), log2(slowest));
    }
    qsort(list, (size_t)p->families, sizeof *list, by_cost);
    for (int k = 0; k < p->families && k < CURVES; k++)
        list[k]->is_drawn = 1;
}

static void put_csv(const profile_t *p, FILE *csv)
{
    fputs("setting,kernel,matrix,slowdown over the fastest (x)\n", csv);
    for (int f = 0; f < p->facets; f++)
        for (int k = 0; k < p->families; k++)
            for (int64_t i = 0; i < p->facet[f]->pairs; i++) {
                int64_t pair = p->facet[f]->first + i;
                double x = slowdown(p, k, pair);
                if (!isnan(x))
                    RC_PLOT_ROW(csv, RC_TEXT(p->facet[f]->label), RC_TEXT(p->family[k].name),
                        RC_TEXT(p->s->matrix[p->s->pair[pair].matrix].name), RC_REAL(x, 6));
            }
}

/* Shares of the matrices of a facet that a family computes within each step of slowdown. */
static void put_curve(
    const profile_t *p, const rc_survey_setting_t *a, int family, rc_plot_text_t *t)
{
    int64_t count[STEPS + 2] = {0};
    int64_t sum = 0;
    for (int64_t i = 0; i < a->pairs; i++) {
        double x = slowdown(p, family, a->first + i);
        if (isnan(x))
            continue;
        double step = ceil(log(x) / log(slowest) * STEPS - 1e-9);
        count[step > STEPS ? STEPS + 1 : step < 0 ? 0 : (int)step]++;
    }
    for (int i = 0; i <= STEPS; i++) {
        sum += count[i];
        rc_str_addf(&t->define, "%.5g,%.5g\n", pow(slowest, (double)i / STEPS),
            100 * (double)sum / (double)a->pairs);
    }
    rc_str_add(&t->define, "\n\n");
}

static void define(const profile_t *p, rc_plot_text_t *t)
{
    int curves = 0;
    rc_str_addf(
        &t->define, "FACETS = %d\narray FACET[FACETS]\narray CURVE[%d]\n", p->facets, CURVES);
    for (int f = 0; f < p->facets; f++)
        rc_plot_define_item(t, "FACET", f + 1, p->facet[f]->label);
    for (int k = 0; k < p->families; k++)
        if (p->family[k].is_drawn)
            rc_plot_define_item(t, "CURVE", ++curves, p->family[k].name);
    rc_str_addf(&t->define, "CURVES = %d\nSLOWEST = %g\nHEIGHT = %d\n", curves, slowest,
        70 + 206 * ((p->facets + 1) / 2) + (p->facets % 2 ? 0 : 20 + 11 * (curves + 1)));
    rc_plot_block_begin(t, "STEPS");
    for (int f = 0; f < p->facets; f++)
        for (int k = 0; k < p->families; k++)
            if (p->family[k].is_drawn)
                put_curve(p, p->facet[f], k, t);
    rc_plot_block_end(t);
    rc_str_addf(&t->caption,
        "Share of the matrices that a kernel, in its best variant and row order, computes at most "
        "so many times slower than the fastest of all kernels; a matrix that it lacks counts as "
        "not computed. %" PRId64 " matrices at %s.",
        p->s->setting[p->shown].pairs, p->s->setting[p->shown].label);
    if (p->families > curves)
        rc_str_addf(&t->caption, " %d slower kernels are not drawn; the CSV has them.",
            p->families - curves);
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    rc_pool_t pool = {0};
    profile_t *p = rc_pool_get0(&pool, 1, sizeof *p);
    rc_status_t st = rc_pool_check(&pool, "a figure", err);
    RC_PASS(st);
    p->s = in->survey;
    p->shown = in->shown;
    choose_facets(p);
    st = collect(p, &pool, err);
    if (st == RC_OK && p->families < 2)
        rc_plot_lacks(in, "results of one kernel only", text);
    else if (st == RC_OK) {
        choose_curves(p);
        put_csv(p, csv);
        define(p, text);
    }
    rc_pool_free(&pool);
    return st;
}

const rc_plot_t rc_plot_profile = {
    .name = "profile",
    .title = "Performance profiles of the kernels",
    .source = "Hong et al., figure 10",
    .section = "Kernels",
    .needs_results = 1,
    .write = write,
};
