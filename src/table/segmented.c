#include "config.h"
#include "table/segmented.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_segmented_set_names[] = {"real", "all", NULL};

enum { SETS = RC_SEGMENTED_SETS };

/* 1: rs or rs-spmm_t, the kernels whose parameters are trained. */
static int is_segmented(const char *kernel)
{
    return rc_spec_is(kernel, "rs") || rc_spec_is(kernel, "rs-spmm_t");
}

int rc_segmented_is_tuned(const char *kernel)
{
    return is_segmented(kernel) && rc_spec_begins(kernel, "tune", "") &&
           !rc_spec_begins(kernel, "tune", "auto");
}

int rc_segmented_is_in(const rc_counted_t *c, int32_t matrix, rc_segmented_set_t set)
{
    return set == RC_SEGMENTED_ALL || !rc_view_is_generated(c->view, matrix);
}

/* Results without training matrices.  \param[out] marks  free() */
static rc_status_t begin(const rc_view_t *v, const rc_expr_t *where, int32_t op, rc_counted_t *c,
    unsigned char **marks, rc_err_t *err)
{
    int64_t count;
    RC_PASS(rc_training_of(v, marks, &count, err));
    return rc_counted_make(v, where, op, RC_SETTINGS_BY_K, c, err);
}

/* Sums of logs until finish. */
static void add(rc_segmented_mean_t *m, double x)
{
    m->worst = m->matrices == 0 || x < m->worst ? x : m->worst;
    m->geomean += log(x);
    m->matrices++;
}

static void finish(rc_segmented_mean_t *m)
{
    m->geomean = m->matrices ? exp(m->geomean / (double)m->matrices) : NAN;
    m->worst = m->matrices ? m->worst : NAN;
}

/* --------------------------------------------------------------- modelling */

enum { T = 16 };

int rc_segmented_is_closed(const char *kernel)
{
    return rc_spec_is(kernel, "rs") && rc_spec_number(kernel, "t") > 0 &&
           rc_spec_number(kernel, "cfv") > 0 && rc_spec_number(kernel, "cfh") > 0 &&
           rc_spec_number(kernel, "w") <= 0 && rc_spec_number(kernel, "hblocks") == 1 &&
           !rc_spec_begins(kernel, "light", "store");
}

int rc_segmented_is_model(const char *kernel)
{
    return rc_spec_is(kernel, "rs") && rc_segmented_is_tuned(kernel) &&
           rc_spec_number(kernel, "t") == 0 && rc_spec_number(kernel, "cfv") == 0 &&
           rc_spec_number(kernel, "w") <= 0 && !rc_spec_begins(kernel, "light", "store");
}

/* The t that is best on the most training matrices of a setting; 0: none has a time. */
static int64_t frequent_t(const rc_counted_t *c, int setting, const unsigned char *training)
{
    int64_t count[T + 1] = {0};
    int64_t best = 0;
    for (int64_t i = 0, end; i < c->rows; i = end) {
        end = rc_counted_end(c, i);
        int64_t at = i; /* the fastest comes first */
        while (at < end && !rc_segmented_is_closed(rc_view_kernel(c->view, c->row[at].kernel)))
            at++;
        if (c->row[i].setting != setting || !training[c->row[i].matrix] || at == end)
            continue;
        int64_t t = rc_spec_number(rc_view_kernel(c->view, c->row[at].kernel), "t");
        if (t <= T)
            count[t]++;
    }
    for (int64_t t = 1; t <= T; t++)
        if (count[t] > count[best])
            best = t;
    return best;
}

/* Times of rs on the matrix of rows [from, to); NaN: not measured. */
typedef struct times {
    double best;
    double none;
    double model;
} times_t;

static times_t times_of(const rc_counted_t *c, int64_t from, int64_t to, int64_t t)
{
    times_t x = {NAN, NAN, NAN};
    for (int64_t i = from; i < to; i++) {
        const char *kernel = rc_view_kernel(c->view, c->row[i].kernel);
        double ns = c->row[i].ns;
        if (strcmp(rc_view_policy(c->view, c->row[i].policy), "csr") != 0)
            continue;
        if (rc_segmented_is_closed(kernel)) {
            x.best = fmin(x.best, ns);
            if (rc_spec_number(kernel, "t") == t && rc_spec_number(kernel, "cfv") == 1 &&
                rc_spec_number(kernel, "cfh") == 1)
                x.none = fmin(x.none, ns);
        } else if (rc_segmented_is_model(kernel))
            x.model = fmin(x.model, ns);
    }
    return x;
}

static rc_modelling_t modelling_of(
    const rc_counted_t *c, int setting, rc_segmented_set_t set, const unsigned char *training)
{
    const double enough = 0.95;
    rc_modelling_t m = {
        .setting = c->setting[setting], .set = set, .t = frequent_t(c, setting, training)};
    rc_segmented_mean_t gain = {0};
    for (int64_t i = 0, end; i < c->rows; i = end) {
        end = rc_counted_end(c, i);
        if (c->row[i].setting != setting || training[c->row[i].matrix] ||
            !rc_segmented_is_in(c, c->row[i].matrix, set))
            continue;
        times_t x = times_of(c, i, end, m.t);
        if (x.none > 0)
            add(&m.none, x.best / x.none);
        if (x.model > 0 && x.best > 0) {
            /* the model may choose what was measured only as it: then it is the best */
            add(&m.model, fmin(x.best, x.model) / x.model);
            m.close += x.best >= enough * x.model;
        }
        if (x.model > 0 && x.none > 0)
            add(&gain, x.none / x.model);
    }
    m.close = m.model.matrices ? m.close / (double)m.model.matrices : NAN;
    finish(&m.none);
    finish(&m.model);
    finish(&gain);
    m.gain = gain.geomean;
    return m;
}

rc_status_t rc_modelling_make(
    const rc_view_t *v, const rc_expr_t *where, rc_modelling_t **out, int *count, rc_err_t *err)
{
    rc_counted_t c = {0};
    unsigned char *training = NULL;
    rc_modelling_t *list = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(begin(v, where, RC_OP_SPMM, &c, &training, err));
    list = rc_alloc((size_t)c.settings * SETS, sizeof *list, "a table", err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < c.settings; s++)
        for (int set = 0; set < SETS; set++) {
            list[n] = modelling_of(&c, s, (rc_segmented_set_t)set, training);
            n += list[n].none.matrices + list[n].model.matrices > 0;
        }
    *out = list;
    *count = n;
    list = NULL;
done:
    free(list);
    free(training);
    rc_counted_free(&c);
    return st;
}

/* ------------------------------------------------------------------ paying */

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* \param[in] x  [n] scratch  */
static void pay(rc_paying_t *p, double *x, int64_t n)
{
    const double two = 2;
    int64_t within = 0;
    qsort(x, (size_t)n, sizeof *x, by_number);
    for (int64_t i = 0; i < n; i++)
        within += x[i] <= two;
    p->matrices = n;
    p->median = n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / two;
    p->p90 = x[(9 * n + 9) / 10 - 1];
    p->most = x[n - 1];
    p->within = (double)within / (double)n;
}

/* One setting, set and kernel; 0 matrices: none was measured. */
static rc_paying_t paying_of(const rc_counted_t *c, int setting, rc_segmented_set_t set,
    int32_t kernel, const unsigned char *training, double *x)
{
    rc_paying_t p = {
        .setting = c->setting[setting], .set = set, .kernel = rc_view_kernel(c->view, kernel)};
    int64_t n = 0;
    int32_t last = -1;
    for (int64_t i = 0; i < c->rows; i++) {
        const rc_counted_row_t *e = &c->row[i];
        const rc_row_result_t *r = rc_view_result(c->view, e->row);
        if (e->setting != setting || e->kernel != kernel || e->matrix == last ||
            training[e->matrix] || !rc_segmented_is_in(c, e->matrix, set) || r->prepare_ns < 0 ||
            strcmp(rc_view_policy(c->view, e->policy), "csr") != 0)
            continue;
        last = e->matrix;
        x[n++] = (double)r->prepare_ns / e->ns;
    }
    if (n > 0)
        pay(&p, x, n);
    return p;
}

rc_status_t rc_paying_make(const rc_view_t *v, const rc_expr_t *where, const char *kernel,
    rc_paying_t **out, int *count, rc_err_t *err)
{
    rc_counted_t c = {0};
    unsigned char *training = NULL;
    rc_paying_t *list = NULL;
    double *x = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(begin(v, where, -1, &c, &training, err));
    if (!is_segmented(kernel))
        memset(training, 0, (size_t)rc_view_matrices(v)); /* nothing was chosen on them */
    list = rc_alloc(
        (size_t)c.settings * SETS * (size_t)rc_view_kernels(v), sizeof *list, "a table", err);
    x = rc_alloc((size_t)c.rows, sizeof *x, "a table", err);
    RC_TRY(list && x ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < c.settings; s++)
        for (int set = 0; set < SETS; set++)
            for (int32_t k = 0; k < rc_view_kernels(v); k++) {
                if (!rc_spec_is(rc_view_kernel(v, k), kernel))
                    continue;
                list[n] = paying_of(&c, s, (rc_segmented_set_t)set, k, training, x);
                n += list[n].matrices > 0;
            }
    *out = list;
    *count = n;
    list = NULL;
done:
    free(list);
    free(x);
    free(training);
    rc_counted_free(&c);
    return st;
}

/* -------------------------------------------------------------------- both */

/* Contestants: a product by a kernel of the first name, its transposed one by a kernel of the
 * second. */
static const struct {
    const char *name;
    const char *a;
    const char *at;
    int twin;   /* 1: the same parameters, which is one structure */
    int family; /* 1: all kernels whose names begin so */
} contestants[] = {
    {"cusparse", "cusparse-", "cusparse-spmm_t-", 0, 1},
    {"rs", "rs", "rs-spmm_t", 1, 0},
    {"growmajor and its copy", "growmajor", "growmajor-spmm_t", 0, 0},
};
enum { CONTESTANTS = sizeof contestants / sizeof *contestants };

static int fits(const char *kernel, const char *name, int family)
{
    return family ? strncmp(kernel, name, strlen(name)) == 0 : rc_spec_is(kernel, name);
}

const char *rc_both_name(int i)
{
    return i < CONTESTANTS ? contestants[i].name : NULL;
}

double rc_both_time(
    const rc_counted_t *c, int i, const int64_t a[2], const int64_t at[2], double *bytes)
{
    double least = NAN;
    for (int64_t p = a[0]; p < a[1]; p++) {
        const char *kernel = rc_view_kernel(c->view, c->row[p].kernel);
        if (!fits(kernel, contestants[i].a, contestants[i].family))
            continue;
        for (int64_t q = at[0]; q < at[1]; q++) {
            const char *other = rc_view_kernel(c->view, c->row[q].kernel);
            double sum = c->row[p].ns + c->row[q].ns;
            if (c->row[p].policy != c->row[q].policy ||
                !fits(other, contestants[i].at, contestants[i].family) ||
                !(isnan(least) || sum < least) ||
                (contestants[i].twin && strcmp(kernel + strlen(contestants[i].a),
                                            other + strlen(contestants[i].at)) != 0))
                continue;
            double first = (double)rc_view_result(c->view, c->row[p].row)->device_bytes;
            double second = (double)rc_view_result(c->view, c->row[q].row)->device_bytes;
            least = sum;
            *bytes = contestants[i].twin ? fmax(first, second) : first + second;
        }
    }
    return least;
}

int rc_both_setting(const rc_counted_t *c, int setting)
{
    const rc_setting_t *s = &c->setting[setting];
    for (int i = 0; s->op == RC_OP_SPMM && i < c->settings; i++) {
        const rc_setting_t *o = &c->setting[i];
        if (o->op == RC_OP_SPMM_T && o->k == s->k && o->is_n == s->is_n &&
            o->precision == s->precision && o->c_order == s->c_order && o->cache == s->cache &&
            o->device == s->device)
            return i;
    }
    return -1;
}

void rc_both_rows(const rc_counted_t *c, int setting, int32_t matrix, int64_t range[2])
{
    range[0] = range[1] = 0;
    for (int64_t i = 0, end; i < c->rows; i = end) {
        end = rc_counted_end(c, i);
        if (c->row[i].setting == setting && c->row[i].matrix == matrix) {
            range[0] = i;
            range[1] = end;
        }
    }
}

static rc_both_t both_line(const rc_counted_t *c, int setting, int other, rc_segmented_set_t set,
    int i, const unsigned char *training)
{
    rc_both_t b = {.setting = c->setting[setting], .set = set, .contestant = contestants[i].name};
    for (int64_t row = 0, end; row < c->rows; row = end) {
        int64_t at[2];
        double bytes[2] = {NAN, NAN};
        end = rc_counted_end(c, row);
        const int64_t a[2] = {row, end};
        int32_t matrix = c->row[row].matrix;
        if (c->row[row].setting != setting || training[matrix] ||
            !rc_segmented_is_in(c, matrix, set))
            continue;
        rc_both_rows(c, other, matrix, at);
        double library = rc_both_time(c, 0, a, at, &bytes[0]);
        double own = rc_both_time(c, i, a, at, &bytes[1]);
        if (!(library > 0) || !(own > 0))
            continue;
        add(&b.over, library / own);
        b.bytes += log(bytes[1] / bytes[0]);
    }
    b.bytes = b.over.matrices ? exp(b.bytes / (double)b.over.matrices) : NAN;
    finish(&b.over);
    return b;
}

rc_status_t rc_both_make(
    const rc_view_t *v, const rc_expr_t *where, rc_both_t **out, int *count, rc_err_t *err)
{
    rc_counted_t c = {0};
    unsigned char *training = NULL;
    rc_both_t *list = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(begin(v, where, -1, &c, &training, err));
    list = rc_alloc((size_t)c.settings * SETS * CONTESTANTS, sizeof *list, "a table", err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < c.settings; s++) {
        int other = rc_both_setting(&c, s);
        for (int set = 0; other >= 0 && set < SETS; set++)
            for (int i = 0; i < CONTESTANTS; i++) {
                list[n] = both_line(&c, s, other, (rc_segmented_set_t)set, i, training);
                n += list[n].over.matrices > 0;
            }
    }
    *out = list;
    *count = n;
    list = NULL;
done:
    free(list);
    free(training);
    rc_counted_free(&c);
    return st;
}
