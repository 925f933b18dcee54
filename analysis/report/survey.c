#include "config.h"
#include "analysis/report/survey.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/stats.h"
#include "kernels/vendor/vendor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    rc_pool_t pool;
    const rc_view_t *v;
    rc_counted_t all; /* matrices by their number in the survey, once they are settled */
    int32_t *index;   /* [ids] number in the survey, -1 none */
    rc_survey_t *out;
    rc_err_t *err;
} maker_t;

/* ----------------------------------------------------------------- settings */

const char *rc_survey_name(const char *const *names, int32_t i)
{
    for (int32_t n = 0; names[n]; n++)
        if (n == i)
            return names[n];
    return NULL;
}

static const char *name_at(const char *const *names, int32_t i)
{
    const char *name = rc_survey_name(names, i);
    return name ? name : "unknown";
}

/* Layouts of B and C for readers, in the order of rc_layout_names. */
enum { ROW_MAJOR = 1 };
static const char *const layouts[] = {"column-major", "row-major", "row-major B and column-major C",
    "column-major B and row-major C", NULL};

/* Numberings of the rows of C for readers, in the order of rc_c_order_names: of vectors, and of
 * operands with K columns. */
enum { C_ORDERS = 3 };
static const char *const c_orders[2][C_ORDERS] = {
    {"", ", y in schedule order", ", x and y in symmetric order"},
    {"", ", C in schedule order", ", B and C in symmetric order"}};

static void name_setting(const maker_t *m, rc_survey_setting_t *a)
{
    const rc_setting_t *p = &a->setting;
    char k[32] = "";
    char slug[32] = "";
    char device[176] = "";
    char place[24] = "";
    const char *precision = name_at(rc_precision_names, p->precision);
    int several = 0; /* devices */
    for (int i = 1; i < m->all.settings; i++)
        several |= m->all.setting[i].device != m->all.setting[0].device;
    if (p->is_n || p->k == 0) {
        snprintf(k, sizeof k, "%s", p->is_n ? "K = n, " : "");
        snprintf(slug, sizeof slug, "%s", p->is_n ? "kn-" : "");
    } else {
        snprintf(k, sizeof k, "K = %" PRId64 ", ", p->k);
        snprintf(slug, sizeof slug, "k%" PRId64 "-", p->k);
    }
    a->layout = p->k ? name_at(layouts, p->layout) : "";
    if (several) {
        snprintf(device, sizeof device, ", on %s", a->device);
        snprintf(place, sizeof place, "-device%" PRId32, p->device);
    }
    /* what most stores have one of goes unsaid */
    int n = snprintf(a->label, sizeof a->label, "%s%s%s%s%s%s%s%s%s", k, precision,
        p->op ? ", " : "", p->op ? name_at(rc_op_names, p->op) : "", p->k ? ", " : "", a->layout,
        p->c_order > 0 && p->c_order < C_ORDERS ? c_orders[p->k != 0][p->c_order] : "",
        p->cache ? ", cold cache" : "", device);
    if (n >= (int)sizeof a->label)
        memcpy(a->label + sizeof a->label - 4, "...", 4);
    snprintf(a->slug, sizeof a->slug, "%s%s%s%s%s%s%s%s%s%s", slug, precision, p->op ? "-" : "",
        p->op ? name_at(rc_op_names, p->op) : "", p->k ? "-" : "",
        p->k ? name_at(rc_layout_names, p->layout) : "", p->c_order ? "-" : "",
        p->c_order ? name_at(rc_c_order_names, p->c_order) : "", p->cache ? "-cold" : "", place);
}

static rc_status_t settle_settings(maker_t *m)
{
    rc_survey_t *s = m->out;
    s->setting = rc_pool_get0(&s->memory, (size_t)m->all.settings, sizeof *s->setting);
    RC_PASS(rc_pool_check(&s->memory, "settings", m->err));
    s->settings = m->all.settings;
    for (int i = 0; i < s->settings; i++) {
        rc_survey_setting_t *a = &s->setting[i];
        a->setting = m->all.setting[i];
        a->device = rc_view_device(m->v, a->setting.device);
        a->reference = "";
        a->library = "";
        a->dense = "";
        name_setting(m, a);
    }
    return RC_OK;
}

/* --------------------------------------------------------------- matrices */

static int by_name(const void *a, const void *b)
{
    const rc_survey_matrix_t *x = a;
    const rc_survey_matrix_t *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : strcmp(x->digest, y->digest);
}

static rc_status_t settle_matrices(maker_t *m)
{
    rc_survey_t *s = m->out;
    int32_t ids = rc_view_matrices(m->v);
    m->index = rc_pool_get(&m->pool, (size_t)ids, sizeof *m->index);
    RC_PASS(rc_pool_check(&m->pool, "matrices", m->err));
    for (int32_t i = 0; i < ids; i++)
        m->index[i] = -1;
    for (int64_t i = 0; i < m->all.rows; i++)
        m->index[m->all.row[i].matrix] = 0;
    s->matrix = rc_pool_get0(&s->memory, (size_t)ids, sizeof *s->matrix);
    RC_PASS(rc_pool_check(&s->memory, "matrices", m->err));
    for (int32_t i = 0; i < ids; i++) {
        const rc_row_matrix_t *row = rc_view_matrix(m->v, i);
        rc_survey_matrix_t *x = &s->matrix[s->matrices];
        if (m->index[i] != 0)
            continue;
        x->row = row;
        rc_field_text(row->name, sizeof row->name, x->name);
        rc_field_text(row->kind, sizeof row->kind, x->kind);
        rc_field_text(row->digest, sizeof row->digest, x->digest);
        double cells = (double)row->rows * (double)row->cols;
        x->density = cells > 0 ? (double)row->nnz / cells : NAN;
        s->matrices++;
    }
    if (s->matrices)
        qsort(s->matrix, (size_t)s->matrices, sizeof *s->matrix, by_name);
    for (int i = 0; i < s->matrices; i++)
        m->index[s->matrix[i].row->id] = i;
    for (int64_t i = 0; i < m->all.rows; i++)
        m->all.row[i].matrix = m->index[m->all.row[i].matrix];
    return RC_OK;
}

/* ------------------------------------------------------------------ pairs */

static int by_setting_matrix_kernel_policy(const void *a, const void *b)
{
    const rc_counted_row_t *x = a;
    const rc_counted_row_t *y = b;
    const int64_t p[] = {x->setting, x->matrix, x->kernel, x->policy, x->row};
    const int64_t q[] = {y->setting, y->matrix, y->kernel, y->policy, y->row};
    return rc_compare_lists(p, q, 5);
}

int32_t rc_survey_first_version(const rc_view_t *v, int32_t kernel)
{
    int32_t first = 0;
    while (strcmp(rc_view_kernel(v, first), rc_view_kernel(v, kernel)) != 0)
        first++;
    return first;
}

/* What a kernel did in the setting in hand. */
typedef struct tally {
    int64_t matrices;
    int64_t rows;
    int32_t setting; /* that the numbers are of */
    int32_t last;
    int32_t first; /* id of the oldest version */
    int64_t since; /* UTC of the first result of any version */
    int vendor;
    int published;
} tally_t;

static int is_more(const tally_t *x, const tally_t *y)
{
    /* not by ids alone: a merge gives others */
    const int64_t p[] = {x->vendor, -x->matrices, -x->rows, -x->published, x->since, x->first};
    const int64_t q[] = {y->vendor, -y->matrices, -y->rows, -y->published, y->since, y->first};
    return rc_compare_lists(p, q, 6) < 0;
}

/* For each setting the kernel with most matrices in other orders than csr, ties to more rows, then
 * to the published one, then to the one that was measured first, in whatever version; one of the
 * vendor's only where there is no other.  Entries are sorted. */
static rc_status_t find_references(maker_t *m, int32_t *reference)
{
    int32_t kernels = rc_view_kernels(m->v);
    tally_t *t = rc_pool_get(&m->pool, (size_t)kernels, sizeof *t);
    RC_PASS(rc_pool_check(&m->pool, "kernels", m->err));
    for (int32_t k = 0; k < kernels; k++) {
        const char *name = rc_view_kernel(m->v, k);
        t[k] = (tally_t){.setting = -1,
            .first = rc_survey_first_version(m->v, k),
            .since = INT64_MAX,
            .vendor = rc_vendor_is(name),
            /* Mehrabi et al., Algorithm 1, on CPUs and on GPUs */
            .published = rc_spec_is(name, "cstat") || rc_spec_is(name, "gstat")};
    }
    for (int64_t i = 0; i < rc_view_count(m->v); i++) { /* superseded results count */
        const rc_row_result_t *r = rc_view_result(m->v, i);
        int64_t *since = r->kernel < kernels ? &t[t[r->kernel].first].since : NULL;
        if (since && r->utc_ns < *since)
            *since = r->utc_ns;
    }
    for (int32_t k = 0; k < kernels; k++)
        t[k].since = t[t[k].first].since;
    for (int a = 0; a < m->out->settings; a++)
        reference[a] = -1;
    for (int64_t i = 0; i < m->all.rows; i++) {
        const rc_counted_row_t *e = &m->all.row[i];
        tally_t *own = &t[e->kernel];
        if (rc_view_is_csr(m->v, rc_view_result(m->v, e->row)))
            continue;
        if (own->setting != e->setting) {
            own->setting = e->setting;
            own->matrices = own->rows = 0;
            own->last = -1;
        }
        own->matrices += own->last != e->matrix;
        own->last = e->matrix;
        own->rows++;
        int32_t *best = &reference[e->setting];
        if (*best < 0 || is_more(own, &t[*best]))
            *best = e->kernel;
    }
    for (int a = 0; a < m->out->settings; a++)
        if (reference[a] >= 0)
            m->out->setting[a].reference = rc_view_kernel(m->v, reference[a]);
    return RC_OK;
}

static void take_faster(const rc_view_t *v, int64_t row, int64_t *best)
{
    double ns = rc_view_ns(v, row);
    double best_ns = *best < 0 ? INFINITY : rc_view_ns(v, *best);
    /* of equals the original order, then the earlier row */
    int csr = rc_view_is_csr(v, rc_view_result(v, row));
    int best_csr = *best >= 0 && rc_view_is_csr(v, rc_view_result(v, *best));
    if (ns < best_ns || (ns == best_ns && (csr > best_csr || (csr == best_csr && row < *best))))
        *best = row;
}

int rc_choice_takes(const rc_view_t *v, const rc_survey_setting_t *a, int choice, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(v, row);
    const char *kernel = rc_view_kernel(v, r->kernel);
    if (choice != RC_CHOICE_ALL && choice != RC_CHOICE_REFERENCE && !rc_view_is_csr(v, r))
        return 0;
    if (choice == RC_CHOICE_REFERENCE || choice == RC_CHOICE_REFERENCE_CSR)
        return strcmp(kernel, a->reference) == 0 &&
               rc_view_pairing(v, row) != RC_PAIRED_ANOTHER_CARD;
    if (a->is_vendors) { /* what has no time may be ours */
        const char *library = rc_vendor_name(kernel);
        return choice != RC_CHOICE_VENDOR_CSR && library && strcmp(library, a->library) == 0;
    }
    return !rc_vendor_is_dense(kernel) &&
           rc_vendor_is_baseline(kernel) == (choice == RC_CHOICE_VENDOR_CSR);
}

static double break_even(const rc_view_t *v, int64_t best, int64_t csr)
{
    if (best < 0 || csr < 0)
        return NAN;
    const rc_row_result_t *b = rc_view_result(v, best);
    const rc_row_result_t *c = rc_view_result(v, csr);
    if (b->order_ns < 0 || b->preprocess_ns < 0 || c->order_ns < 0 || c->preprocess_ns < 0)
        return NAN;
    double more = (double)(b->order_ns + b->preprocess_ns - c->order_ns - c->preprocess_ns);
    double gain = rc_view_ns(v, csr) - rc_view_ns(v, best); /* positive, or both are the same row */
    return best == csr || more <= 0 ? 0 : floor(more / gain) + 1;
}

/* The library of each setting, and whether it is alone there. */
static void find_libraries(maker_t *m)
{
    for (int i = 0; i < m->out->settings; i++)
        m->out->setting[i].is_vendors = 1;
    for (int64_t i = 0; i < m->all.rows; i++) {
        const char *kernel = rc_view_kernel(m->v, m->all.row[i].kernel);
        rc_survey_setting_t *a = &m->out->setting[m->all.row[i].setting];
        a->is_vendors &= rc_vendor_is(kernel);
        if (rc_vendor_is_baseline(kernel))
            a->library = rc_vendor_name(kernel);
    }
    for (int64_t i = 0; i < m->all.rows; i++) { /* a dense product is one where it is alone */
        rc_survey_setting_t *a = &m->out->setting[m->all.row[i].setting];
        if (a->is_vendors && !a->library[0])
            a->library = rc_vendor_name(rc_view_kernel(m->v, m->all.row[i].kernel));
    }
}

/* A dense product that is no plan. */
static void note_dense(
    const maker_t *m, rc_survey_setting_t *a, rc_survey_pair_t *p, const rc_counted_row_t *e)
{
    const char *kernel = rc_view_kernel(m->v, e->kernel);
    if (!rc_vendor_is_dense(kernel) || rc_choice_takes(m->v, a, RC_CHOICE_ALL, e->row))
        return;
    a->dense = rc_vendor_name(kernel);
    a->with_dense += !p->has_dense;
    p->has_dense = 1;
}

static rc_status_t settle_pairs(maker_t *m)
{
    rc_survey_t *s = m->out;
    int32_t *reference = rc_pool_get(&m->pool, (size_t)s->settings, sizeof *reference);
    int64_t pairs = 0;
    for (int i = 0; i < s->settings; i++)
        pairs += m->all.setting[i].matrices;
    find_libraries(m);
    if (m->all.rows)
        qsort(m->all.row, (size_t)m->all.rows, sizeof *m->all.row, by_setting_matrix_kernel_policy);
    s->pair = rc_pool_get(&s->memory, (size_t)pairs, sizeof *s->pair);
    s->rows = rc_pool_get(&s->memory, (size_t)m->all.rows, sizeof *s->rows);
    s->row_pair = rc_pool_get(&s->memory, (size_t)m->all.rows, sizeof *s->row_pair);
    RC_PASS(rc_pool_check(&m->pool, "a survey", m->err));
    RC_PASS(rc_pool_check(&s->memory, "a survey", m->err));
    RC_PASS(find_references(m, reference));
    for (int64_t i = 0; i < m->all.rows; i++) {
        const rc_counted_row_t *e = &m->all.row[i];
        rc_survey_setting_t *a = &s->setting[e->setting];
        if (i == 0 || e->setting != e[-1].setting || e->matrix != e[-1].matrix) {
            if (a->pairs++ == 0)
                a->first = s->pairs;
            s->pair[s->pairs++] = (rc_survey_pair_t){.matrix = e->matrix,
                .setting = e->setting,
                .first = s->entering,
                .row = {-1, -1, -1, -1, -1}};
        }
        s->rows[s->entering] = e->row;
        s->row_pair[s->entering++] = (int32_t)(s->pairs - 1);
        rc_survey_pair_t *p = &s->pair[s->pairs - 1];
        p->cases++;
        for (int c = 0; c < RC_CHOICES; c++)
            if (rc_choice_takes(m->v, a, c, e->row)) {
                take_faster(m->v, e->row, &p->row[c]);
                p->reordered[c] += !rc_survey_is_csr(s, e->row);
            }
        note_dense(m, a, p, e);
    }
    for (int64_t i = 0; i < s->pairs; i++)
        s->pair[i].break_even =
            break_even(m->v, s->pair[i].row[RC_CHOICE_ALL], s->pair[i].row[RC_CHOICE_CSR]);
    return RC_OK;
}

/* ------------------------------------------------------------------- noise */

static int compare_matrix(const void *key, const void *pair)
{
    int32_t a = *(const int32_t *)key;
    int32_t b = ((const rc_survey_pair_t *)pair)->matrix;
    return (a > b) - (a < b);
}

/* The number of the pair, -1: none. */
static int64_t pair_in(const rc_survey_t *s, int setting, int32_t matrix)
{
    const rc_survey_setting_t *a = &s->setting[setting];
    const rc_survey_pair_t *p = NULL;
    if (a->pairs > 0)
        p = bsearch(&matrix, s->pair + a->first, (size_t)a->pairs, sizeof *s->pair, compare_matrix);
    return p ? p - s->pair : -1;
}

const rc_survey_pair_t *rc_survey_pair_of(const rc_survey_t *s, int setting, int32_t matrix)
{
    int64_t at = pair_in(s, setting, matrix);
    return at < 0 ? NULL : &s->pair[at];
}

/* 1: a row would enter that setting, if it counted. */
static int is_of_setting(const rc_view_t *v, const rc_row_result_t *r, const rc_setting_t *p)
{
    const int64_t k = p->is_n ? rc_view_matrix(v, r->matrix)->cols : p->k;
    return r->op == p->op && r->precision == p->precision && r->cache == p->cache &&
           r->device == p->device && r->k == k && (r->k == 0 || r->layout == p->layout) &&
           (r->c_order == p->c_order || rc_view_is_csr(v, r));
}

/* What was measured and has no time, for noise. */
static void note_noise(maker_t *m, const rc_expr_t *where)
{
    rc_survey_t *s = m->out;
    for (int64_t i = 0; i < rc_view_count(m->v); i++) {
        const rc_row_result_t *r = rc_view_result(m->v, i);
        if (r->status != RC_CASE_NOISY || !rc_view_is_newest(m->v, i) ||
            !rc_view_is_current(m->v, i) || m->index[r->matrix] < 0)
            continue;
        for (int a = 0; a < s->settings; a++) {
            rc_cursor_t c;
            int64_t at = pair_in(s, a, m->index[r->matrix]);
            rc_view_seek(m->v, i, &c);
            c.c_order = s->setting[a].setting.c_order;
            if (at < 0 || !is_of_setting(m->v, r, &s->setting[a].setting) ||
                !rc_expr_match(where, rc_view_get, &c) ||
                !rc_choice_takes(m->v, &s->setting[a], RC_CHOICE_ALL, i))
                continue;
            s->pair[at].noisy_csr |= rc_view_is_csr(m->v, r);
            s->pair[at].noisy_orders |= !rc_view_is_csr(m->v, r);
        }
    }
}

/* -------------------------------------------------------------- main setting */

/* policies[setting]: how many it has results of. */
static rc_status_t count_policies(maker_t *m, int *policies)
{
    int32_t ids = rc_view_policies(m->v);
    int32_t *last = rc_pool_get(&m->pool, (size_t)ids, sizeof *last);
    RC_PASS(rc_pool_check(&m->pool, "policies", m->err));
    for (int32_t i = 0; i < ids; i++)
        last[i] = -1;
    for (int64_t i = 0; i < m->all.rows; i++) {
        const rc_counted_row_t *e = &m->all.row[i];
        policies[e->setting] += last[e->policy] != e->setting;
        last[e->policy] = e->setting;
    }
    return RC_OK;
}

double rc_survey_ns(const rc_survey_t *s, int64_t row)
{
    return row < 0 ? NAN : rc_view_ns(s->view, row);
}

int rc_survey_is_csr(const rc_survey_t *s, int64_t row)
{
    return rc_view_is_csr(s->view, rc_view_result(s->view, row));
}

int rc_survey_twin(const rc_survey_t *s, int setting)
{
    const rc_setting_t *a = &s->setting[setting].setting;
    int twin = -1;
    for (int i = 0; i < s->settings; i++) {
        const rc_setting_t *b = &s->setting[i].setting;
        if (i != setting && s->setting[i].reference[0] && b->op == a->op && b->is_n == a->is_n &&
            (a->is_n || b->k == a->k) && b->precision == a->precision && b->cache == a->cache &&
            b->device == a->device && b->layout == a->layout &&
            (twin < 0 || b->matrices > s->setting[twin].setting.matrices))
            twin = i;
    }
    return twin;
}

static rc_status_t choose_main(maker_t *m)
{
    rc_survey_t *s = m->out;
    int *policies = rc_pool_get0(&m->pool, (size_t)s->settings, sizeof *policies);
    RC_PASS(rc_pool_check(&m->pool, "policies", m->err));
    RC_PASS(count_policies(m, policies));
    s->main_setting = s->settings ? 0 : -1;
    int64_t best[6] = {0};
    for (int i = 0; i < s->settings; i++) {
        const rc_setting_t *x = &s->setting[i].setting;
        const int64_t own[] = {s->setting[i].is_vendors, -x->is_n, -x->matrices, -policies[i],
            x->is_n ? 0 : x->k, x->layout != ROW_MAJOR};
        if (i > 0 && rc_compare_lists(own, best, 6) >= 0)
            continue;
        s->main_setting = i;
        memcpy(best, own, sizeof best);
    }
    int twin = s->settings && !s->setting[s->main_setting].reference[0]
                   ? rc_survey_twin(s, s->main_setting)
                   : -1;
    if (twin >= 0)
        s->main_setting = twin;
    return RC_OK;
}

/* One operation is shown, the others are counted. */
static void choose_operation(const rc_view_t *v, const rc_expr_t *where, int32_t op, rc_survey_t *s)
{
    s->op = op;
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        int32_t own = rc_view_result(v, i)->op;
        rc_cursor_t c;
        rc_view_seek(v, i, &c);
        if (own >= 0 && own < RC_STORE_OPS && rc_view_counts(v, i) &&
            rc_expr_match(where, rc_view_get, &c))
            s->left_out[own]++;
    }
    for (int32_t i = 0; s->op < 0 && i < RC_STORE_OPS; i++)
        if (s->left_out[i])
            s->op = i;
    if (s->op >= 0)
        s->left_out[s->op] = 0;
}

rc_status_t rc_survey_make(
    const rc_view_t *v, const rc_expr_t *where, int32_t op, rc_survey_t *out, rc_err_t *err)
{
    rc_survey_t s = {.view = v, .main_setting = -1};
    maker_t m = {.v = v, .out = &s, .err = err};
    rc_status_t st;
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        int32_t status = rc_view_result(v, i)->status;
        if (rc_view_is_newest(v, i) && status >= 0 && status < RC_CASE_STATUSES)
            s.status[status]++;
    }
    choose_operation(v, where, op, &s);
    RC_TRY(rc_counted_make(v, where, s.op, RC_SETTINGS_BY_DEVICE, &m.all, err));
    s.paired = rc_counted_pairs(&m.all);
    s.results = m.all.results;
    RC_TRY(settle_settings(&m));
    RC_TRY(settle_matrices(&m));
    RC_TRY(settle_pairs(&m));
    note_noise(&m, where);
    RC_TRY(choose_main(&m));
    *out = s;
    memset(&s, 0, sizeof s);
done:
    rc_survey_free(&s);
    rc_counted_free(&m.all);
    rc_pool_free(&m.pool);
    return st;
}

void rc_survey_free(rc_survey_t *s)
{
    rc_pool_free(&s->memory);
    memset(s, 0, sizeof *s);
}

int64_t rc_survey_first_row(const rc_survey_t *s, int64_t pair)
{
    return pair < s->pairs ? s->pair[pair].first : s->entering;
}

/* ------------------------------------------------------- read matrices again */

int rc_entry_of_matrix(const rc_survey_t *s, int32_t matrix, const rc_catalog_t *found,
    const rc_catalog_t *builtin, rc_entry_t *out)
{
    const char *name = s->matrix[matrix].name;
    const rc_entry_t *e = rc_catalog_find(found, name);
    e = e ? e : rc_catalog_find(builtin, name);
    if (e) {
        *out = *e;
        return 1;
    }
    int64_t low = 0;
    int64_t high = rc_view_sources(s->view);
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        rc_source_row_t r;
        rc_view_source(s->view, mid, &r);
        int order = strcmp(r.name, name);
        if (order == 0) {
            *out = (rc_entry_t){.name = (char *)r.name,
                .location = (char *)r.location,
                /* a file that rowcast generate wrote has bytes */
                .where = strcmp(r.where, "generated") == 0 && r.bytes == 0 ? RC_WHERE_GENERATED
                         : strcmp(r.where, "absent") != 0                  ? RC_WHERE_FILE
                                                                           : RC_WHERE_ABSENT};
            return out->where != RC_WHERE_ABSENT;
        }
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return 0;
}

rc_status_t rc_entry_load_measured(
    const rc_entry_t *e, const rc_survey_matrix_t *matrix, rc_csr_t *a, int *usable, rc_err_t *err)
{
    rc_digest_t digest;
    RC_PASS(rc_entry_load(e, NULL, 0, NULL, a, NULL, err));
    RC_PASS(rc_csr_digest(a, &digest, err));
    *usable = strcmp(rc_digest_hex(digest).text, matrix->digest) == 0;
    return RC_OK;
}
