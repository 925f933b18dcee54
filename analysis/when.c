#include "config.h"
#include "analysis/when.h"
#include "analysis/ridge.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "sparse/generate.h"
#include "table/features_read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const rc_reuse_device_t rc_when_h200 = {62.9e6, 4000, 8500, 128, 2000};
const char *const rc_when_made_names[RC_WHEN_KINDS] = {"real", "twin", "generated"};
const char *const rc_when_names[RC_WHEN_WAYS] = {"always", "rule", "model", "oracle"};

/* Of the set regime, in its order. */
#define TWIN "twin:" /* as RC_TWIN of catalog/catalog.h */
enum { RUN_REUSE, BALL_REUSE, COLUMN_REUSE, AGREEMENT, ROW_SKEW, COLUMN_BYTES, FEATURES };

static const double apart = 1.25;   /* as in order/local.h */
static const double most_reuse = 4; /* entries that share a load, that are thought possible without
                                       a look */
static const double margin = 2;     /* of the rule: saving over cost */
static const double penalty = 1e-3; /* of the ridge */

/* -------------------------------------------------------------------- rows */

/* Bytes of the first word of a name, such as "mesh3d" or "geometric2d", that says which generator
 * made the matrix; 0: it does not. */
static size_t generator_of(const char *name)
{
    size_t word = strcspn(name, "-");
    for (int i = 0; rc_generators[i]; i++) {
        size_t n = strlen(rc_generators[i]->name);
        if (word < n || strncmp(name, rc_generators[i]->name, n) != 0)
            continue;
        if (word == n || (word == n + 2 && isdigit((unsigned char)name[n]) && name[n + 1] == 'd'))
            return word;
    }
    return 0;
}

/* 1: such as "20", "1.3m", "500k" */
static int is_size(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    size_t part = whole > 0 && text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0;
    const char *end = text + whole + part;
    end += *end == 'k' || *end == 'm';
    return whole > 0 && part != 1 && !*end;
}

rc_when_made_t rc_when_family(const char *matrix, char out[RC_NAME_MAX + 1])
{
    int twin = strncmp(matrix, TWIN, strlen(TWIN)) == 0;
    const char *full = twin ? matrix + strlen(TWIN) : matrix;
    const char *slash = strchr(full, '/');
    const char *name = slash ? slash + 1 : full;
    const char *dash = strrchr(name, '-');
    size_t word = twin ? 0 : generator_of(name);
    if (word > 0) {
        size_t sized = dash && is_size(dash + 1) ? (size_t)(dash - name) : word;
        (void)snprintf(out, RC_NAME_MAX + 1, "%.*s", (int)sized, name);
        return RC_WHEN_GENERATED;
    }
    size_t group = slash ? (size_t)(slash - full) : strlen(full);
    (void)snprintf(out, RC_NAME_MAX + 1, "%.*s", (int)group, full);
    return twin ? RC_WHEN_TWIN : RC_WHEN_REAL;
}

static double cost_of(const rc_when_cost_t *c, const rc_when_row_t *r, double stored)
{
    return isnan(c->fixed) ? stored : c->fixed + c->row * r->rows + c->entry * r->entries;
}

static void fill_inputs(
    const rc_when_options_t *o, const double *f, double cols, double value, rc_when_row_t *r)
{
    const rc_reuse_product_t p = {.rows = r->rows,
        .cols = cols,
        .entries = r->entries,
        .k = (double)r->k,
        .value_bytes = value};
    double near = fmax(f[BALL_REUSE], f[COLUMN_REUSE]);
    double now = rc_reuse_ns(&o->device, &p, f[RUN_REUSE]);
    double gain = now / rc_reuse_ns(&o->device, &p, fmax(near, f[RUN_REUSE]));
    double set = cols * value * (double)r->k / o->device.l2_bytes;
    r->rule_ns = rc_reuse_ns(&o->device, &p, 1);
    r->most_ns = r->rule_ns - rc_reuse_ns(&o->device, &p, most_reuse);
    r->apart = f[RUN_REUSE] < apart;
    r->rule_gain = gain;
    const double input[RC_WHEN_INPUTS] = {log(now), log(r->rule_gain), log(set),
        fmax(0, 1 - 1 / set), fmin(log(f[RUN_REUSE]), log(apart)), log(near), f[AGREEMENT],
        log(f[ROW_SKEW]), log((double)r->k), log(r->entries / r->rows)};
    memcpy(r->input, input, sizeof input);
}

/* The newest features of a matrix, NULL: none. */
static const double *features_of(const rc_feature_table_t *t, int32_t matrix, double *ns)
{
    for (int64_t i = t->rows - 1; i >= 0; i--)
        if (t->row[i].matrix == matrix) {
            *ns = (double)t->row[i].feature_ns;
            return t->value + i * t->names.count;
        }
    return NULL;
}

/* One matrix, rows [i, end) of c.  \param[in] side  the original order, then the orders by
 * preference
 * \return 1: it has all that is needed, 0: not; < 0: an error */
static int make_row(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side, int sides,
    const rc_feature_table_t *t, const rc_when_options_t *o, rc_when_row_t *out, rc_err_t *err)
{
    double stored = 0;
    double log_ns[2];
    int64_t ordered = -1;
    int s = 0;
    const rc_row_result_t *first = rc_view_result(c->view, c->row[i].row);
    const rc_row_matrix_t *m = rc_view_matrix(c->view, c->row[i].matrix);
    const double *f = features_of(t, c->row[i].matrix, &stored);
    while (++s < sides && ordered < 0)
        ordered = rc_side_fastest(c, i, end, &side[s]);
    if (!f || !m || first->k < 1 || m->nnz < 1 || ordered < 0 ||
        rc_side_fastest(c, i, end, &side[0]) < 0)
        return 0;
    rc_status_t st = rc_side_held_out(c, i, end, &side[0], &log_ns[0], err);
    if (st == RC_OK)
        st = rc_side_held_out(c, i, end, &side[s - 1], &log_ns[1], err);
    if (st < 0)
        return (int)st;
    *out = (rc_when_row_t){.k = first->k,
        .matrix = c->row[i].matrix,
        .rows = (double)m->rows,
        .entries = (double)m->nnz,
        .none_ns = exp(log_ns[0]),
        .order_ns = exp(log_ns[1])};
    char name[RC_NAME_MAX + 1];
    (void)snprintf(name, sizeof name, "%.*s", (int)RC_NAME_MAX, m->name);
    out->made = rc_when_family(name, out->family);
    out->build_ns = cost_of(&o->order, out, (double)rc_view_result(c->view, ordered)->order_ns);
    out->feature_ns = cost_of(&o->feature, out, stored);
    fill_inputs(o, f, (double)m->cols, rc_type(first->precision)->bytes, out);
    return 1;
}

static rc_status_t make_sides(
    const rc_when_options_t *o, rc_side_t **out, int *count, rc_err_t *err)
{
    rc_words_t orders = {0};
    rc_side_t *side = NULL;
    const char *kernels = o->kernels ? o->kernels : RC_SIDE_OURS;
    rc_status_t st = rc_words_split(o->orders ? o->orders : "auto,cells*", ',', &orders, err);
    if (st == RC_OK) {
        side = rc_alloc0((size_t)orders.count + 1, sizeof *side, "orders", err);
        st = side ? rc_side_parse(kernels, "csr", &side[0], err) : RC_ENOMEM;
    }
    for (int i = 0; i < orders.count && st == RC_OK; i++)
        st = rc_side_parse(kernels, orders.word[i], &side[i + 1], err);
    *out = side;
    *count = orders.count + 1;
    rc_words_free(&orders);
    return st;
}

static rc_status_t fill(const rc_counted_t *c, const rc_side_t *side, int sides,
    const rc_feature_table_t *t, const rc_when_options_t *o, rc_when_t *out, rc_err_t *err)
{
    RC_PASS(RC_NEW(out->row, c->rows, "rows", err));
    for (int64_t i = 0, end; i < c->rows; i = end) {
        end = rc_counted_end(c, i);
        int made = make_row(c, i, end, side, sides, t, o, &out->row[out->rows], err);
        if (made < 0)
            return (rc_status_t)made;
        out->rows += made;
    }
    for (int64_t i = 0; i < out->rows; i++) {
        int64_t j = 0;
        while (j < i && strcmp(out->row[j].family, out->row[i].family) != 0)
            j++;
        out->families += j == i;
    }
    return out->rows > 0
               ? RC_OK
               : rc_fail(err, RC_EINVAL,
                     "no matrix has features of the set regime, a result in the original order "
                     "and one in an order '%s'",
                     o->orders ? o->orders : "auto,cells*");
}

rc_status_t rc_when_read(const char *store, const rc_view_t *v, const rc_expr_t *where,
    const rc_when_options_t *o, rc_when_t *out, rc_err_t *err)
{
    rc_feature_table_t t = {0};
    rc_counted_t c = {0};
    rc_when_t w = {0};
    rc_side_t *side = NULL;
    int sides = 0;
    rc_status_t st;
    RC_TRY(make_sides(o, &side, &sides, err));
    RC_TRY(rc_feature_table_read(store, "regime", &t, err));
    if (t.names.count != FEATURES)
        RC_TRY(rc_fail(err, RC_EINVAL, "%s: the set regime has %d features, expected %d", store,
            t.names.count, (int)FEATURES));
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &c, err));
    RC_TRY(fill(&c, side, sides, &t, o, &w, err));
    *out = w;
    w.row = NULL;
done:
    for (int i = 0; side && i < sides; i++)
        rc_side_free(&side[i]);
    free(side);
    rc_counted_free(&c);
    rc_feature_table_free(&t);
    rc_when_free(&w);
    return st;
}

void rc_when_free(rc_when_t *w)
{
    free(w->row);
    *w = (rc_when_t){0};
}

/* --------------------------------------------------------------- decisions */

enum { SIZES = 2 }; /* inputs of the cost of building */

/* What is fitted without one family. */
typedef struct fit {
    double build[SIZES + 1];
    double time[RC_WHEN_INPUTS + 1];
    double gain[RC_WHEN_INPUTS + 1];
} fit_t;

/* Targets and inputs of the rows of all families but one. */
static rc_status_t fit_others(
    const rc_when_t *w, const char *family, double *scratch, fit_t *out, rc_err_t *err)
{
    double *x = scratch;
    double *size = x + w->rows * RC_WHEN_INPUTS;
    double *build = size + w->rows * SIZES;
    double *time = build + w->rows;
    double *gain = time + w->rows;
    int64_t n = 0;
    int64_t built = 0;
    for (int64_t i = 0; i < w->rows; i++) {
        const rc_when_row_t *r = &w->row[i];
        if (strcmp(r->family, family) == 0)
            continue;
        memcpy(x + n * RC_WHEN_INPUTS, r->input, sizeof r->input);
        size[n * SIZES] = log(r->rows);
        size[n * SIZES + 1] = log(r->entries);
        build[n] = r->apart && r->build_ns > 0 ? log(r->build_ns) : NAN;
        built += !isnan(build[n]);
        time[n] = log(r->none_ns);
        gain[n] = log(r->none_ns / r->order_ns);
        n++;
    }
    for (int i = 0; i <= SIZES; i++)
        out->build[i] = NAN; /* nothing pays for a cost that nobody knows */
    if (built > 0)
        RC_PASS(rc_ridge(size, n, SIZES, build, penalty, out->build, err));
    RC_PASS(rc_ridge(x, n, RC_WHEN_INPUTS, time, penalty, out->time, err));
    return rc_ridge(x, n, RC_WHEN_INPUTS, gain, penalty, out->gain, err);
}

/* 1: order the row.  *looked = 1: its features were needed. */
static int choose(const rc_when_row_t *r, const rc_when_options_t *o, rc_when_by_t by, double reuse,
    const fit_t *f, int *looked)
{
    double size[SIZES] = {log(r->rows), log(r->entries)};
    double build = isnan(o->order.fixed) ? exp(rc_ridge_at(f->build, SIZES, size)) : r->build_ns;
    *looked = reuse * r->most_ns > margin * (build + r->feature_ns);
    if (!*looked || !r->apart)
        return 0;
    if (by == RC_WHEN_RULE) /* t(now) - t(order), by rule_ns of the original order */
        return reuse * r->rule_ns * (1 - 1 / r->rule_gain) > margin * build;
    double time = exp(rc_ridge_at(f->time, RC_WHEN_INPUTS, r->input));
    return reuse * time * (1 - exp(-rc_ridge_at(f->gain, RC_WHEN_INPUTS, r->input))) > build;
}

static void settle(const rc_when_row_t *r, const rc_when_options_t *o, rc_when_by_t by,
    double reuse, const fit_t *f, int *ordered, double *cost)
{
    double with = r->build_ns + reuse * r->order_ns;
    double without = reuse * r->none_ns;
    int looked = 0;
    if (by == RC_WHEN_ALWAYS)
        *ordered = 1;
    else if (by == RC_WHEN_ORACLE)
        *ordered = with < without;
    else
        *ordered = choose(r, o, by, reuse, f, &looked);
    *cost = (*ordered ? with : without) + (looked ? r->feature_ns : 0);
}

rc_status_t rc_when_decide(const rc_when_t *w, const rc_when_options_t *o, rc_when_by_t by,
    double reuse, int *ordered, double *cost, rc_err_t *err)
{
    int fits = by == RC_WHEN_RULE || by == RC_WHEN_MODEL;
    fit_t f;
    rc_status_t st = RC_OK;
    if (fits && w->families < 2)
        return rc_fail(err, RC_EINVAL, "matrices of one family, %s: nothing can be held out",
            w->row[0].family);
    double *scratch = rc_alloc(
        (size_t)w->rows * (RC_WHEN_INPUTS + SIZES + 3), sizeof *scratch, "rows of a fit", err);
    RC_PASS(scratch ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < w->rows && st == RC_OK; i++) {
        const rc_when_row_t *r = &w->row[i];
        if (fits)
            st = fit_others(w, r->family, scratch, &f, err);
        if (st == RC_OK)
            settle(r, o, by, reuse, &f, &ordered[i], &cost[i]);
    }
    free(scratch);
    return st;
}
