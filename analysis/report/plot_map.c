/* The map of the regime: what the best row order gains, by how often B fills the L2 and by K. */
#include "config.h"
#include "analysis/report/plot_data.h"
#include "analysis/when.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/stats.h"
#include "base/type.h"
#include "kernels/vendor/vendor.h"
#include "table/split_half.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATIONARY, FASTEST, CLASSES, KINDS = 7 };
static const char *const class_name[CLASSES] = {"C-stationary kernels", "the fastest kernel"};

/* A result, by what a point is of, the first POINT_KEYS: orders that renumber columns too are
 * compared with the others here. */
enum { MATRIX, K, PRECISION, CACHE, DEVICE, LAYOUT, POINT_KEYS, ROW = POINT_KEYS, KEYS };

typedef struct entry {
    int64_t key[KEYS]; /* matrix of the survey, row of the view */
    int32_t setting;   /* of the survey */
} entry_t;

/* A point of the map. */
typedef struct point {
    int32_t matrix; /* of the survey, as is the next: one of those that it is of */
    int32_t setting;
    int cls;
    double fill; /* B over the L2 */
    double k;
    double gain;
    int kind; /* number */
} point_t;

/* Matrices of one kind of problem, or of one family. */
typedef struct kind {
    char name[RC_NAME_MAX + 1];
    int64_t points;
    int series; /* -1: not chosen yet */
} kind_t;

/* All points: the same for every setting that is brought out among them. */
typedef struct map {
    rc_pool_t pool;
    const rc_survey_t *s;
    point_t *point;
    int64_t points;
    kind_t *kind; /* in the order that they were first seen in */
    int kinds;
    const char *name[KINDS]; /* of the series: the kinds of most points, and at last all others */
    int series;
} map_t;

/* Bytes of the L2 of GPUs that results were published of; NaN: not known. */
static double l2_of(const char *device)
{
    static const struct {
        const char *name;
        double bytes;
    } known[] = {{"H200", 62.9e6}, {"H100", 52.4e6}, {"A100", 41.9e6}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(device, known[i].name))
            return known[i].bytes;
    return NAN;
}

static int is_of(const char *kernel, int cls)
{
    return cls == FASTEST ? !rc_vendor_is(kernel)
                          : strncmp(kernel, "gstat", 5) == 0 || strncmp(kernel, "gsub", 4) == 0 ||
                                strncmp(kernel, "cstat", 5) == 0;
}

static int by_point(const void *x, const void *y)
{
    return rc_compare_lists(((const entry_t *)x)->key, ((const entry_t *)y)->key, KEYS);
}

/* What the best order gains over none, the results of a point; both chosen in one half and scored
 * in the other.  NaN: nothing to compare. */
static rc_status_t gain_of(
    const rc_survey_t *s, const entry_t *e, int n, int cls, double *out, rc_err_t *err)
{
    double half[RC_HALVES];
    rc_smallest_t csr = rc_smallest_none();
    rc_smallest_t any = rc_smallest_none();
    int orders = 0; /* results of another one */
    rc_status_t st = RC_OK;
    for (int i = 0; i < n && st == RC_OK; i++) {
        const rc_row_result_t *r = rc_view_result(s->view, e[i].key[ROW]);
        rc_timed_t time = rc_timed_of(s->view, e[i].key[ROW]);
        if (!is_of(rc_view_kernel(s->view, r->kernel), cls))
            continue;
        st = rc_split_half(&time, half, err);
        if (st < 0)
            break;
        rc_smallest_add(&any, half);
        if (rc_view_is_csr(s->view, r))
            rc_smallest_add(&csr, half);
        else
            orders++;
    }
    *out = orders ? exp(rc_smallest_score(&csr) - rc_smallest_score(&any)) : NAN;
    return st;
}

static rc_status_t add_points(map_t *m, const entry_t *e, int n, rc_err_t *err)
{
    const rc_survey_t *s = m->s;
    const rc_survey_matrix_t *matrix = &s->matrix[e->key[MATRIX]];
    double value = rc_type((int32_t)e->key[PRECISION])->bytes;
    double fill = (double)matrix->row->cols * (double)e->key[K] * value /
                  l2_of(s->setting[e->setting].device);
    rc_status_t st = RC_OK;
    for (int cls = 0; cls < CLASSES && st == RC_OK && fill > 0; cls++) {
        point_t *to = &m->point[m->points];
        *to = (point_t){.matrix = (int32_t)e->key[MATRIX],
            .setting = e->setting,
            .cls = cls,
            .fill = fill,
            .k = (double)e->key[K]};
        st = gain_of(s, e, n, cls, &to->gain, err);
        m->points += st == RC_OK && isfinite(to->gain);
    }
    return st;
}

/* All results but those with C in schedule order.  \return how many */
static int64_t gather(const rc_survey_t *s, entry_t *e)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->entering; i++) {
        const rc_survey_pair_t *p = &s->pair[s->row_pair[i]];
        const rc_setting_t *of = &s->setting[p->setting].setting;
        if (of->c_order == 1) /* C in schedule order */
            continue;
        e[n++] = (entry_t){{p->matrix, rc_view_result(s->view, s->rows[i])->k, of->precision,
                               of->cache, of->device, of->layout, s->rows[i]},
            p->setting};
    }
    qsort(e, (size_t)n, sizeof *e, by_point);
    return n;
}

static rc_status_t find_points(map_t *m, rc_err_t *err)
{
    const rc_survey_t *s = m->s;
    entry_t *e = rc_alloc((size_t)s->entering, sizeof *e, "a figure", err);
    m->point = rc_pool_get(&m->pool, (size_t)s->pairs, CLASSES * sizeof *m->point);
    rc_status_t st = e ? rc_pool_check(&m->pool, "a figure", err) : RC_ENOMEM;
    int64_t n = st == RC_OK ? gather(s, e) : 0;
    for (int64_t i = 0, end; i < n && st == RC_OK; i = end) {
        for (end = i + 1; end < n && rc_compare_lists(e[i].key, e[end].key, POINT_KEYS) == 0;)
            end++;
        st = add_points(m, e + i, (int)(end - i), err);
    }
    free(e);
    return st;
}

static rc_status_t count_kinds(map_t *m, rc_err_t *err)
{
    rc_map_t number = {0};
    rc_status_t st = RC_OK;
    m->kind = rc_pool_get0(&m->pool, (size_t)m->s->matrices, sizeof *m->kind);
    RC_PASS(rc_pool_check(&m->pool, "a figure", err));
    for (int64_t i = 0; st == RC_OK && i < m->points; i++) {
        const rc_survey_matrix_t *matrix = &m->s->matrix[m->point[i].matrix];
        char name[sizeof m->kind->name] = "";
        (void)snprintf(name, sizeof name, "%s", matrix->kind);
        if (!*name)
            (void)rc_when_family(matrix->name, name);
        int64_t at = rc_map_get(&number, rc_map_text(name), -1);
        if (at < 0) {
            at = m->kinds++;
            memcpy(m->kind[at].name, name, sizeof name);
            st = rc_map_set(&number, rc_map_text(name), at, err);
        }
        m->point[i].kind = (int)at;
        m->kind[at].points++;
    }
    rc_map_free(&number);
    return st;
}

/* The kinds of most points, of equals the first seen; with more than KINDS the last is the rest. */
static void choose_kinds(map_t *m)
{
    for (int i = 0; i < m->kinds; i++)
        m->kind[i].series = -1;
    for (; m->series < KINDS; m->series++) {
        kind_t *most = NULL;
        for (int i = 0; i < m->kinds; i++)
            if (m->kind[i].series < 0 && (!most || m->kind[i].points > most->points))
                most = &m->kind[i];
        if (!most)
            return;
        most->series = m->series;
        m->name[m->series] = most->name;
    }
    for (int i = 0; i < m->kinds; i++)
        if (m->kind[i].series < 0) {
            m->kind[i].series = KINDS - 1;
            m->name[KINDS - 1] = "others";
        }
}

/* The points that fit, as a series over an axis.  \param[in] kind, setting  -1: any
 * \param[out] x  [2 * points] room */
static void put_series(
    const map_t *m, int axis, int cls, int kind, int setting, double *x, rc_plot_text_t *text)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m->points; i++) {
        const point_t *p = &m->point[i];
        if (p->cls != cls || (kind >= 0 && m->kind[p->kind].series != kind) ||
            (setting >= 0 && p->setting != setting))
            continue;
        x[n] = axis == 0 ? p->fill : p->k;
        x[m->points + n++] = p->gain;
    }
    (void)rc_plot_block_points(text, x, x + m->points, n, RC_PLOT_POINTS / (2 * KINDS));
}

/* A series for each class, axis and kind, then those of the setting that is shown.
 * \param[in] shown  -1: none */
static rc_status_t put_block(const map_t *m, int shown, rc_plot_text_t *text, rc_err_t *err)
{
    double *x = rc_alloc((size_t)m->points, 2 * sizeof *x, "a figure", err);
    RC_PASS(x ? RC_OK : RC_ENOMEM);
    rc_plot_block_begin(text, "POINTS");
    for (int axis = 0; axis < 2; axis++)
        for (int cls = 0; cls < CLASSES; cls++)
            for (int kind = 0; kind < m->series; kind++)
                put_series(m, axis, cls, kind, -1, x, text);
    for (int axis = 0; axis < 2 && shown >= 0; axis++)
        for (int cls = 0; cls < CLASSES; cls++)
            put_series(m, axis, cls, -1, shown, x, text);
    rc_plot_block_end(text);
    free(x);
    return RC_OK;
}

static void define(const map_t *m, rc_plot_text_t *text)
{
    double range[3][2] = {{INFINITY, 0}, {INFINITY, 0}, {0.9, 1.1}};
    for (int64_t i = 0; i < m->points; i++) {
        const double value[3] = {m->point[i].fill, m->point[i].k, m->point[i].gain};
        for (int j = 0; j < 3; j++) {
            range[j][0] = fmin(range[j][0], value[j]);
            range[j][1] = fmax(range[j][1], value[j]);
        }
    }
    rc_str_addf(&text->define,
        "FMIN = %.6g\nFMAX = %.6g\nKMIN = %.6g\nKMAX = %.6g\nYMIN = %.6g\nYMAX = %.6g\nKINDS = %d\n"
        "MATRICES = %" PRId64 "\nHEIGHT = 560\narray KIND[KINDS]\narray PANEL[%d]\n",
        range[0][0], range[0][1], range[1][0], range[1][1], range[2][0], range[2][1], m->series,
        m->points, (int)CLASSES);
    for (int i = 0; i < m->series; i++)
        rc_plot_define_item(text, "KIND", i + 1, m->name[i]);
    for (int i = 0; i < CLASSES; i++)
        rc_plot_define_item(text, "PANEL", i + 1, class_name[i]);
}

static void drop(void *kept)
{
    map_t *m = kept;
    if (m) {
        rc_pool_free(&m->pool);
        free(m);
    }
}

static rc_status_t keep(const rc_plot_input_t *in, void **out, rc_err_t *err)
{
    map_t *m = rc_alloc0(1, sizeof *m, "a figure", err);
    RC_PASS(m ? RC_OK : RC_ENOMEM);
    m->s = in->survey;
    rc_status_t st = find_points(m, err);
    if (st == RC_OK)
        st = count_kinds(m, err);
    if (st == RC_OK)
        choose_kinds(m);
    *out = m;
    return st;
}

static rc_status_t write(const rc_plot_input_t *in, FILE *csv, rc_plot_text_t *text, rc_err_t *err)
{
    const map_t *m = in->kept;
    int64_t shown = 0;
    for (int64_t i = 0; i < m->points; i++)
        shown += m->point[i].setting == in->shown;
    if (m->points == 0)
        rc_str_add(&text->missing,
            "no kernel ran another order beside the original one on a GPU whose L2 is known");
    else if (in->shown >= 0 && shown == 0)
        rc_plot_lacks(in, "no kernel ran another order beside the original one", text);
    if (m->points == 0)
        return RC_OK;
    fputs("kernels,kind,setting,matrix,K,B over the L2 (x),gain of the best order held out (x)\n",
        csv);
    for (const point_t *p = m->point; p < m->point + m->points; p++)
        RC_PLOT_ROW(csv, RC_TEXT(class_name[p->cls]), RC_TEXT(m->kind[p->kind].name),
            RC_TEXT(m->s->setting[p->setting].label), RC_TEXT(m->s->matrix[p->matrix].name),
            RC_INT((int64_t)p->k), RC_REAL(p->fill, 6), RC_REAL(p->gain, 6));
    rc_status_t st = put_block(m, in->shown, text, err);
    define(m, text);
    rc_str_addf(&text->define, "SHOWN = %d\n", in->shown >= 0);
    rc_str_addf(&text->caption,
        "What the best of the measured row orders, the original one included, gains over the "
        "original one, by how often B fills the L2 and by K: %" PRId64
        " points, a matrix at a K and a precision each, under the "
        "C-stationary kernels and under the fastest kernel of ours. Chosen on one half of the "
        "samples and scored on the other. An order may renumber columns too. Ringed: %s.",
        m->points, in->shown >= 0 ? m->s->setting[in->shown].label : "none");
    return st;
}

const rc_plot_t rc_plot_map = {
    .name = "map",
    .title = "When reordering pays: gain of the best order over the size of B",
    .section = "Orders",
    .home = rc_plot_home_main,
    .keep = keep,
    .drop = drop,
    .write = write,
};
