#include "config.h"
#include "analysis/report/survey.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row in a setting. */
typedef struct entry {
    int64_t row;
    int32_t setting;
    int32_t matrix; /* of the view, then of the survey */
    int32_t kernel;
    int32_t policy;
} entry_t;

/* A setting in the making. */
typedef struct place {
    rc_setting_t setting;
    int32_t number; /* before sorting */
    int32_t device;
    int32_t c_order;
    int32_t cache;
    int32_t op;
    int32_t precision;
    int64_t k; /* INT64_MAX: n */
    int policies;
} place_t;

typedef struct maker {
    const rc_view_t *v;
    entry_t *entry;
    size_t entries;
    size_t entry_capacity;
    place_t *place;
    size_t places;
    size_t place_capacity;
    rc_map_t place_of;
    int32_t matrices; /* ids of the view are below */
    int32_t kernels;
    int32_t policies;
    int32_t *index; /* [matrices] number in the survey, -1 none */
    rc_survey_t *out;
    rc_err_t *err;
} maker_t;

/* ----------------------------------------------------------------- settings */

static rc_digest_t place_key(const rc_row_result_t *r, int is_n, int32_t c_order)
{
    const int64_t key[] = {is_n ? -1 : r->k, r->precision, r->op, c_order, r->cache, r->device};
    return rc_digest(key, sizeof key);
}

static rc_status_t find_place(maker_t *m, const rc_summary_row_t *row, int32_t *out)
{
    const rc_row_result_t *r = rc_view_result(m->v, row->row);
    rc_digest_t key = place_key(r, row->is_n, r->c_order);
    int64_t at = rc_map_get(&m->place_of, key, -1);
    if (at < 0) {
        void *list = m->place;
        at = (int64_t)m->places;
        rc_status_t st =
            rc_grow(&list, &m->place_capacity, m->places + 1, sizeof *m->place, "settings", m->err);
        m->place = list;
        if (st == RC_OK)
            st = rc_map_set(&m->place_of, key, at, m->err);
        if (st < 0)
            return st;
        m->place[m->places++] = (place_t){.setting = {.row = row->row, .is_n = row->is_n},
            .number = (int32_t)at,
            .device = r->device,
            .c_order = r->c_order,
            .cache = r->cache,
            .op = r->op,
            .precision = r->precision,
            .k = row->is_n ? INT64_MAX : r->k};
    }
    *out = (int32_t)at;
    return RC_OK;
}

static rc_status_t add_entry(maker_t *m, int64_t row, int32_t place)
{
    const rc_row_result_t *r = rc_view_result(m->v, row);
    void *list = m->entry;
    rc_status_t st =
        rc_grow(&list, &m->entry_capacity, m->entries + 1, sizeof *m->entry, "a survey", m->err);
    m->entry = list;
    if (st == RC_OK)
        m->entry[m->entries++] = (entry_t){row, place, r->matrix, r->kernel, r->policy};
    return st;
}

static rc_digest_t pair_key(int64_t place, int32_t matrix)
{
    return (rc_digest_t){(uint64_t)place, (uint64_t)matrix};
}

static rc_status_t collect(maker_t *m, const rc_expr_t *where)
{
    rc_summary_row_t *row = NULL;
    int64_t rows = 0;
    rc_map_t pairs = {0};
    rc_status_t st;
    RC_TRY(rc_summary_rows(m->v, where, &row, &rows, m->err));
    for (int64_t i = 0; i < rows; i++) {
        const rc_row_result_t *r = rc_view_result(m->v, row[i].row);
        int32_t place = 0;
        RC_TRY(find_place(m, &row[i], &place));
        RC_TRY(add_entry(m, row[i].row, place));
        if (r->c_order != 0)
            RC_TRY(rc_map_set(&pairs, pair_key(place, r->matrix), 1, m->err));
        m->matrices = r->matrix >= m->matrices ? r->matrix + 1 : m->matrices;
        m->kernels = r->kernel >= m->kernels ? r->kernel + 1 : m->kernels;
        m->policies = r->policy >= m->policies ? r->policy + 1 : m->policies;
    }
    m->out->results = rows;
    /* the original order has no C in schedule order: it is the baseline there too, for the matrices
     * that were measured so */
    for (int64_t i = 0; i < rows && pairs.count; i++) {
        const rc_row_result_t *r = rc_view_result(m->v, row[i].row);
        int64_t place = rc_map_get(&m->place_of, place_key(r, row[i].is_n, 1), -1);
        if (place >= 0 && rc_summary_is_csr(m->v, r) &&
            rc_map_get(&pairs, pair_key(place, r->matrix), 0))
            RC_TRY(add_entry(m, row[i].row, (int32_t)place));
    }
done:
    rc_map_free(&pairs);
    free(row);
    return st;
}

static int by_setting(const void *a, const void *b)
{
    const place_t *x = a;
    const place_t *y = b;
    const int32_t p[] = {x->device, x->op, x->precision, x->c_order, x->cache};
    const int32_t q[] = {y->device, y->op, y->precision, y->c_order, y->cache};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return (x->k > y->k) - (x->k < y->k);
}

static int several_devices(const maker_t *m)
{
    for (size_t i = 1; i < m->places; i++)
        if (m->place[i].device != m->place[0].device)
            return 1;
    return 0;
}

/* A damaged store may have any number there. */
static const char *name_at(const char *const *names, int32_t i)
{
    for (int32_t n = 0; names[n]; n++)
        if (n == i)
            return names[n];
    return "unknown";
}

static void name_setting(const maker_t *m, const place_t *p, rc_survey_setting_t *a)
{
    char k[24] = "n";
    char device[176] = "";
    char place[24] = "";
    const char *precision = name_at(rc_precision_names, p->precision);
    if (!p->setting.is_n)
        snprintf(k, sizeof k, "%" PRId64, p->k);
    if (several_devices(m)) {
        snprintf(device, sizeof device, ", on %s", a->device);
        snprintf(place, sizeof place, "-device%" PRId32, p->device);
    }
    /* what most stores have one of goes unsaid */
    int n = snprintf(a->label, sizeof a->label, "K = %s, %s%s%s%s%s%s", k, precision,
        p->op ? ", " : "", p->op ? name_at(rc_op_names, p->op) : "",
        p->c_order ? ", C in schedule order" : "", p->cache ? ", cold cache" : "", device);
    if (n >= (int)sizeof a->label)
        memcpy(a->label + sizeof a->label - 4, "...", 4);
    snprintf(a->slug, sizeof a->slug, "k%s-%s%s%s%s%s%s", k, precision, p->op ? "-" : "",
        p->op ? name_at(rc_op_names, p->op) : "", p->c_order ? "-schedule" : "",
        p->cache ? "-cold" : "", place);
}

/* Arenas in order; entries refer to them by their place there. */
static rc_status_t settle_settings(maker_t *m)
{
    rc_survey_t *s = m->out;
    int32_t *rank = rc_alloc(m->places, sizeof *rank, "settings", m->err);
    s->setting = rc_alloc0(m->places, sizeof *s->setting, "settings", m->err);
    if (!rank || !s->setting) {
        free(rank);
        return RC_ENOMEM;
    }
    if (m->places)
        qsort(m->place, m->places, sizeof *m->place, by_setting);
    s->settings = (int)m->places;
    for (size_t i = 0; i < m->places; i++) {
        rc_survey_setting_t *a = &s->setting[i];
        a->setting = m->place[i].setting;
        a->device = rc_view_device(m->v, m->place[i].device);
        a->reference = "";
        name_setting(m, &m->place[i], a);
        rank[m->place[i].number] = (int32_t)i;
    }
    for (size_t i = 0; i < m->entries; i++)
        m->entry[i].setting = rank[m->entry[i].setting];
    free(rank);
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

static void describe_matrix(const rc_row_matrix_t *row, rc_survey_matrix_t *x)
{
    x->row = row;
    rc_field_text(row->name, sizeof row->name, x->name);
    rc_field_text(row->kind, sizeof row->kind, x->kind);
    rc_field_text(row->digest, sizeof row->digest, x->digest);
    x->density = row->rows > 0 && row->cols > 0
                     ? (double)row->nnz / ((double)row->rows * (double)row->cols)
                     : NAN;
}

/* A matrix that came from several places was read from the one that it is named after. */
static void locate_matrices(maker_t *m)
{
    for (int64_t i = 0; i < rc_view_sources(m->v); i++) {
        rc_source_row_t r;
        rc_view_source(m->v, i, &r);
        if (r.matrix < 0 || r.matrix >= m->matrices || m->index[r.matrix] < 0)
            continue;
        rc_survey_matrix_t *x = &m->out->matrix[m->index[r.matrix]];
        if (!x->location[0] || strcmp(r.name, x->name) == 0)
            snprintf(x->location, sizeof x->location, "%s", r.location);
    }
}

static rc_status_t settle_matrices(maker_t *m)
{
    rc_survey_t *s = m->out;
    size_t n = 0;
    m->index = rc_alloc((size_t)m->matrices, sizeof *m->index, "matrices", m->err);
    if (!m->index)
        return RC_ENOMEM;
    for (int32_t i = 0; i < m->matrices; i++)
        m->index[i] = -1;
    for (size_t i = 0; i < m->entries; i++)
        if (m->index[m->entry[i].matrix] < 0) {
            m->index[m->entry[i].matrix] = 0;
            n++;
        }
    s->matrix = rc_alloc0(n, sizeof *s->matrix, "matrices", m->err);
    if (!s->matrix)
        return RC_ENOMEM;
    for (int32_t i = 0; i < m->matrices; i++)
        if (m->index[i] == 0)
            describe_matrix(rc_view_matrix(m->v, i), &s->matrix[s->matrices++]);
    if (n)
        qsort(s->matrix, n, sizeof *s->matrix, by_name);
    for (int i = 0; i < s->matrices; i++)
        m->index[s->matrix[i].row->id] = i;
    for (size_t i = 0; i < m->entries; i++)
        m->entry[i].matrix = m->index[m->entry[i].matrix];
    locate_matrices(m);
    return RC_OK;
}

/* ------------------------------------------------------------------ pairs */

static int by_setting_matrix_kernel_policy(const void *a, const void *b)
{
    const entry_t *x = a;
    const entry_t *y = b;
    const int32_t p[] = {x->setting, x->matrix, x->kernel, x->policy};
    const int32_t q[] = {y->setting, y->matrix, y->kernel, y->policy};
    for (size_t i = 0; i < sizeof p / sizeof *p; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

int rc_survey_is_vendor(const char *kernel)
{
    static const char vendor[] = "cusparse";
    return strncmp(kernel, vendor, sizeof vendor - 1) == 0;
}

/* The kernel of Mehrabi et al., Algorithm 1, on CPUs and on GPUs. */
static int is_published(const char *kernel)
{
    return strncmp(kernel, "cstat:", 6) == 0 || strncmp(kernel, "gstat:", 6) == 0;
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
    if (x->vendor != y->vendor)
        return x->vendor < y->vendor;
    if (x->matrices != y->matrices)
        return x->matrices > y->matrices;
    if (x->rows != y->rows)
        return x->rows > y->rows;
    if (x->published != y->published)
        return x->published > y->published;
    /* not by ids alone: a merge gives others */
    return x->since != y->since ? x->since < y->since : x->first < y->first;
}

/* When each kernel was measured first, in whatever version; superseded results count. */
static void find_since(const rc_view_t *v, tally_t *t, int32_t kernels)
{
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        if (r->kernel < kernels && r->utc_ns < t[t[r->kernel].first].since)
            t[t[r->kernel].first].since = r->utc_ns;
    }
    for (int32_t k = 0; k < kernels; k++)
        t[k].since = t[t[k].first].since;
}

/* For each setting the kernel with most matrices in other orders than csr, ties to more rows, then
 * to the published one, then to the one that was measured first, in whatever version; one of the
 * vendor's only where there is no other.  Entries are sorted. */
static rc_status_t find_references(maker_t *m, int32_t *reference)
{
    tally_t *t = rc_alloc((size_t)m->kernels, sizeof *t, "kernels", m->err);
    if (!t)
        return RC_ENOMEM;
    for (int32_t k = 0; k < m->kernels; k++) {
        t[k] = (tally_t){.setting = -1,
            .since = INT64_MAX,
            .vendor = rc_survey_is_vendor(rc_view_kernel(m->v, k)),
            .published = is_published(rc_view_kernel(m->v, k))};
        while (strcmp(rc_view_kernel(m->v, t[k].first), rc_view_kernel(m->v, k)) != 0)
            t[k].first++;
    }
    find_since(m->v, t, m->kernels);
    for (int a = 0; a < m->out->settings; a++)
        reference[a] = -1;
    for (size_t i = 0; i < m->entries; i++) {
        const entry_t *e = &m->entry[i];
        tally_t *own = &t[e->kernel];
        if (rc_summary_is_csr(m->v, rc_view_result(m->v, e->row)))
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
    free(t);
    return RC_OK;
}

static void take_faster(const rc_view_t *v, int64_t row, int64_t *best)
{
    double ns = rc_view_result(v, row)->median_ns;
    double best_ns = *best < 0 ? INFINITY : rc_view_result(v, *best)->median_ns;
    /* of equals the original order, then the earlier row */
    int csr = rc_summary_is_csr(v, rc_view_result(v, row));
    int best_csr = *best >= 0 && rc_summary_is_csr(v, rc_view_result(v, *best));
    if (ns < best_ns || (ns == best_ns && (csr > best_csr || (csr == best_csr && row < *best))))
        *best = row;
}

static void take(const maker_t *m, const entry_t *e, int32_t reference, rc_survey_pair_t *p)
{
    int is_csr = rc_summary_is_csr(m->v, rc_view_result(m->v, e->row));
    p->cases++;
    take_faster(m->v, e->row, &p->best);
    if (e->kernel == reference)
        take_faster(m->v, e->row, &p->reference_best);
    if (!is_csr)
        return;
    take_faster(m->v, e->row, &p->best_csr);
    if (e->kernel == reference)
        take_faster(m->v, e->row, &p->reference_csr);
    if (rc_survey_is_vendor(rc_view_kernel(m->v, e->kernel)))
        take_faster(m->v, e->row, &p->vendor);
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
    double gain = c->median_ns - b->median_ns; /* positive, or both are the same row */
    return best == csr || more <= 0 ? 0 : floor(more / gain) + 1;
}

static int64_t count_pairs(const maker_t *m)
{
    int64_t n = 0;
    for (size_t i = 0; i < m->entries; i++)
        n += i == 0 || m->entry[i].setting != m->entry[i - 1].setting ||
             m->entry[i].matrix != m->entry[i - 1].matrix;
    return n;
}

static rc_status_t settle_pairs(maker_t *m)
{
    rc_survey_t *s = m->out;
    int32_t *reference = rc_alloc((size_t)s->settings, sizeof *reference, "kernels", m->err);
    rc_status_t st;
    if (m->entries)
        qsort(m->entry, m->entries, sizeof *m->entry, by_setting_matrix_kernel_policy);
    s->pair = rc_alloc((size_t)count_pairs(m), sizeof *s->pair, "a survey", m->err);
    s->rows = rc_alloc(m->entries, sizeof *s->rows, "a survey", m->err);
    s->row_pair = rc_alloc(m->entries, sizeof *s->row_pair, "a survey", m->err);
    if (!reference || !s->pair || !s->rows || !s->row_pair)
        RC_TRY(RC_ENOMEM);
    RC_TRY(find_references(m, reference));
    for (size_t i = 0; i < m->entries; i++) {
        const entry_t *e = &m->entry[i];
        rc_survey_setting_t *a = &s->setting[e->setting];
        if (i == 0 || e->setting != e[-1].setting || e->matrix != e[-1].matrix) {
            if (a->pairs++ == 0)
                a->first = s->pairs;
            s->pair[s->pairs++] = (rc_survey_pair_t){.matrix = e->matrix,
                .setting = e->setting,
                .best = -1,
                .best_csr = -1,
                .reference_csr = -1,
                .reference_best = -1,
                .vendor = -1};
        }
        s->rows[s->entering] = e->row;
        s->row_pair[s->entering++] = (int32_t)(s->pairs - 1);
        take(m, e, reference[e->setting], &s->pair[s->pairs - 1]);
    }
    for (int64_t i = 0; i < s->pairs; i++)
        s->pair[i].break_even = break_even(m->v, s->pair[i].best, s->pair[i].best_csr);
    for (int i = 0; i < s->settings; i++)
        s->setting[i].setting.matrices = s->setting[i].pairs;
done:
    free(reference);
    return st;
}

/* -------------------------------------------------------------- main setting */

static rc_status_t count_policies(maker_t *m)
{
    int32_t *last = rc_alloc((size_t)m->policies, sizeof *last, "policies", m->err);
    if (!last)
        return RC_ENOMEM;
    for (int32_t i = 0; i < m->policies; i++)
        last[i] = -1;
    for (size_t i = 0; i < m->entries; i++) {
        const entry_t *e = &m->entry[i];
        m->place[e->setting].policies += last[e->policy] != e->setting;
        last[e->policy] = e->setting;
    }
    free(last);
    return RC_OK;
}

static int is_better(const maker_t *m, int a, int b)
{
    const rc_setting_t *x = &m->out->setting[a].setting;
    const rc_setting_t *y = &m->out->setting[b].setting;
    if (x->is_n != y->is_n)
        return x->is_n > y->is_n;
    if (x->matrices != y->matrices)
        return x->matrices > y->matrices;
    if (m->place[a].policies != m->place[b].policies)
        return m->place[a].policies > m->place[b].policies;
    return m->place[a].k < m->place[b].k;
}

static rc_status_t choose_main(maker_t *m)
{
    rc_status_t st = count_policies(m);
    m->out->main_setting = m->out->settings ? 0 : -1;
    for (int i = 1; st == RC_OK && i < m->out->settings; i++)
        if (is_better(m, i, m->out->main_setting))
            m->out->main_setting = i;
    return st;
}

static void count_status(const rc_view_t *v, int64_t *status)
{
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        int32_t s = rc_view_result(v, i)->status;
        if (rc_view_is_newest(v, i) && s >= 0 && s < RC_CASE_STATUSES)
            status[s]++;
    }
}

rc_status_t rc_survey_make(
    const rc_view_t *v, const char *store, const rc_expr_t *where, rc_survey_t *out, rc_err_t *err)
{
    rc_survey_t s = {.view = v, .store = store, .main_setting = -1};
    maker_t m = {.v = v, .out = &s, .err = err};
    rc_status_t st;
    count_status(v, s.status);
    RC_TRY(collect(&m, where));
    RC_TRY(settle_settings(&m));
    RC_TRY(settle_matrices(&m));
    RC_TRY(settle_pairs(&m));
    RC_TRY(choose_main(&m));
    *out = s;
    memset(&s, 0, sizeof s);
done:
    rc_survey_free(&s);
    free(m.entry);
    free(m.place);
    free(m.index);
    rc_map_free(&m.place_of);
    return st;
}

void rc_survey_free(rc_survey_t *s)
{
    free(s->setting);
    free(s->matrix);
    free(s->pair);
    free(s->rows);
    free(s->row_pair);
    memset(s, 0, sizeof *s);
}
