#include "config.h"
#include "table/view.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "store/samples.h"
#include "table/view_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELD(row, member) offsetof(row, member), sizeof(((row *)0)->member)

/* Where the texts are: in one field, or in two as "name:params". */
static const struct {
    rc_table_id_t table;
    size_t at, bytes;
    size_t params, params_bytes;
} sources[RC_TEXTS] = {
    [RC_TEXT_FULLNAME] = {RC_T_MATRIX, FIELD(rc_row_matrix_t, name), 0, 0},
    [RC_TEXT_GROUP] = {RC_T_MATRIX, FIELD(rc_row_matrix_t, name), 0, 0},
    [RC_TEXT_KIND] = {RC_T_MATRIX, FIELD(rc_row_matrix_t, kind), 0, 0},
    [RC_TEXT_DIGEST] = {RC_T_MATRIX, FIELD(rc_row_matrix_t, digest), 0, 0},
    [RC_TEXT_POLICY] = {RC_T_POLICY, FIELD(rc_row_policy_t, name), FIELD(rc_row_policy_t, params)},
    [RC_TEXT_KERNEL] = {RC_T_KERNEL, FIELD(rc_row_kernel_t, name), FIELD(rc_row_kernel_t, params)},
    [RC_TEXT_DEVICE] = {RC_T_DEVICE, FIELD(rc_row_device_t, class_name), 0, 0},
    [RC_TEXT_MESSAGE] = {RC_T_MESSAGE, FIELD(rc_row_message_t, text), 0, 0},
    [RC_TEXT_RUN] = {RC_T_RUN, FIELD(rc_row_run_t, uuid), 0, 0},
    [RC_TEXT_SOURCE] = {RC_T_SOURCE, FIELD(rc_row_source_t, name), 0, 0},
    [RC_TEXT_LOCATION] = {RC_T_SOURCE, FIELD(rc_row_source_t, location), 0, 0},
};

static rc_status_t make_texts(rc_view_t *v, rc_err_t *err)
{
    for (int t = 0; t < RC_TEXTS; t++) {
        const rc_dict_t *d = &v->dicts.d[sources[t].table];
        texts_t *out = &v->text[t];
        out->stride = sources[t].bytes + sources[t].params_bytes + 2;
        out->bytes = rc_alloc0(d->count + 1, out->stride, "names", err);
        RC_PASS(out->bytes ? RC_OK : RC_ENOMEM);
        for (size_t i = 0; i < d->count; i++) {
            const char *row = (const char *)d->rows + i * d->table->row_bytes;
            const char *params = sources[t].params_bytes ? row + sources[t].params : "";
            char *to = out->bytes + i * out->stride;
            memcpy(to, row + sources[t].at, sources[t].bytes);
            if (*params) {
                size_t n = strlen(to);
                to[n] = ':';
                memcpy(to + n + 1, params, sources[t].params_bytes);
            }
            if (t == RC_TEXT_GROUP)
                to[strcspn(to, "/")] = '\0';
        }
    }
    return RC_OK;
}

/* The policies that are of the newest version of their name. */
static rc_status_t mark_policies(rc_view_t *v, rc_err_t *err)
{
    const rc_dict_t *d = &v->dicts.d[RC_T_POLICY];
    const rc_row_policy_t *policy = d->rows;
    rc_status_t st = RC_OK;
    rc_map_t newest = {0}; /* name -> version */
    RC_PASS(RC_NEW0(v->policy_current, d->count, "marks", err));
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < d->count; i++) {
            int64_t own = policy[i].version;
            rc_digest_t key =
                rc_digest(policy[i].name, strnlen(policy[i].name, sizeof policy[i].name));
            if (pass == 1)
                v->policy_current[i] = rc_map_get(&newest, key, own) == own;
            else if (own >= rc_map_get(&newest, key, own))
                RC_TRY(rc_map_set(&newest, key, own, err));
        }
done:
    rc_map_free(&newest);
    return st;
}

/* Of each text the first one that is the same up to the colon: kernels of one name, devices of one
 * kind. */
static rc_status_t first_alike(const rc_view_t *v, size_t t, int32_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    size_t count = v->dicts.d[sources[t].table].count;
    rc_map_t first = {0}; /* text -> index */
    RC_PASS(RC_NEW(*out, count, "names", err));
    for (size_t i = 0; i < count && st == RC_OK; i++) {
        const char *text = rc_view_text(v, t, (int64_t)i);
        rc_digest_t key = rc_digest(text, strcspn(text, ":"));
        int64_t before = rc_map_get(&first, key, (int64_t)i);
        (*out)[i] = (int32_t)before;
        if (before == (int64_t)i)
            st = rc_map_set(&first, key, before, err);
    }
    rc_map_free(&first);
    return st;
}

/* The results of the newest version of their kernel.  A kernel of a CPU and one of a GPU may have
 * one name; each has its own versions. */
static rc_status_t mark_kernels(rc_view_t *v, rc_err_t *err)
{
    const rc_row_kernel_t *kernel = v->dicts.d[RC_T_KERNEL].rows;
    int32_t *name = NULL;
    int32_t *kind = NULL;
    rc_map_t newest = {0}; /* name and kind of device -> version */
    rc_status_t st;
    RC_TRY(first_alike(v, RC_TEXT_KERNEL, &name, err));
    RC_TRY(first_alike(v, RC_TEXT_DEVICE, &kind, err));
    RC_TRY(RC_NEW0(v->kernel_current, v->results, "marks", err));
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < v->results; i++) {
            const rc_row_result_t *r = &v->result[i];
            const int32_t of[] = {name[r->kernel], kind[r->device]};
            int64_t own = kernel[r->kernel].version;
            int64_t best = rc_map_get(&newest, rc_digest(of, sizeof of), INT64_MIN);
            v->kernel_current[i] = own == best;
            if (own > best)
                RC_TRY(rc_map_set(&newest, rc_digest(of, sizeof of), own, err));
        }
done:
    free(name);
    free(kind);
    rc_map_free(&newest);
    return st;
}

static rc_status_t mark_dictionaries(rc_view_t *v, rc_err_t *err)
{
    const rc_dict_t *d = v->dicts.d;
    RC_PASS(rc_view_unite_policies(v, err));
    RC_PASS(mark_policies(v, err));
    RC_PASS(mark_kernels(v, err));
    v->policy_csr = rc_alloc0(d[RC_T_POLICY].count, 1, "marks", err);
    if (!v->policy_csr)
        RC_PASS(RC_ENOMEM);
    for (size_t i = 0; i < d[RC_T_POLICY].count; i++)
        v->policy_csr[i] = strcmp(rc_view_policy(v, (int32_t)i), "csr") == 0;
    return RC_OK;
}

/* ------------------------------------------------------------------- newest */

rc_digest_t rc_view_group(const rc_row_result_t *r)
{
    const int64_t key[] = {r->matrix, r->kernel, r->k, r->precision, r->layout, r->op, r->cache,
        r->nw, r->nt, r->line, r->device};
    return rc_digest(key, sizeof key);
}

/* A changed file of a matrix takes the place of what it was. */
static rc_digest_t case_key(const rc_view_t *v, const rc_row_result_t *r)
{
    rc_digest_t d = rc_view_group(r);
    const uint64_t key[] = {d.hi, d.lo, (uint64_t)r->policy, (uint64_t)r->c_order};
    return rc_view_is_of_matrix(rc_view_policy(v, r->policy))
               ? rc_digest(key, sizeof key)
               : rc_digest(r->case_id, sizeof r->case_id);
}

static rc_status_t mark_newest(rc_view_t *v, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t last = {0};
    RC_PASS(RC_NEW0(v->newest, v->results, "marks", err));
    RC_PASS(RC_NEW0(v->cases, v->dicts.d[RC_T_MATRIX].count, "counts", err));
    for (int64_t i = 0; i < v->results; i++) {
        const rc_row_result_t *r = &v->result[i];
        rc_digest_t key = case_key(v, r);
        int64_t before = rc_map_get(&last, key, -1);
        if (before >= 0 && r->status == RC_CASE_NOISY && v->result[before].status == RC_CASE_OK)
            continue; /* a noisy repetition takes the place of nothing */
        if (before >= 0)
            v->newest[before] = 0;
        v->newest[i] = 1;
        RC_TRY(rc_map_set(&last, key, i, err));
    }
    for (int64_t i = 0; i < v->results; i++) {
        const rc_row_result_t *r = &v->result[i];
        if (v->newest[i] && r->status >= 0 && r->status < RC_CASE_STATUSES && r->matrix >= 0)
            v->cases[r->matrix][r->status]++;
    }
done:
    rc_map_free(&last);
    return st;
}

rc_status_t rc_view_take_noisy(rc_view_t *v, rc_err_t *err)
{
    for (int64_t i = 0; i < v->results; i++)
        if (v->result[i].status == RC_CASE_NOISY)
            v->result[i].status = RC_CASE_OK;
    for (size_t i = 0; i < v->dicts.d[RC_T_MATRIX].count; i++) {
        v->cases[i][RC_CASE_OK] += v->cases[i][RC_CASE_NOISY];
        v->cases[i][RC_CASE_NOISY] = 0;
    }
    return rc_view_pair(v, err);
}

int rc_view_is_current(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = &v->result[i];
    return v->policy_current[r->policy] && v->kernel_current[i];
}

int rc_view_counts(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = &v->result[i];
    /* a kernel that computes nothing is never verified, and an unverified time is in no table */
    return v->newest[i] && rc_view_is_current(v, i) && rc_view_is_ok(r) && !isnan(r->error_max);
}

int rc_view_is_csr(const rc_view_t *v, const rc_row_result_t *r)
{
    return r->c_order == 0 && v->policy_csr[r->policy];
}

double rc_view_speedup(const rc_view_t *v, int64_t i)
{
    return rc_view_is_ok(&v->result[i]) ? rc_view_csr_ns(v, i) / v->result[i].median_ns : NAN;
}

double rc_view_pointer_overhead(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = &v->result[i];
    const rc_row_matrix_t *m = rc_view_matrix(v, r->matrix);
    if (r->pointer_bytes < 0 || !m)
        return NAN;
    const double index = m->nnz > INT32_MAX ? 8 : 4;
    const double value = rc_type(r->precision)->bytes;
    return (double)r->pointer_bytes /
           (index * ((double)m->rows + 1) + (4 + value) * (double)m->nnz);
}

double rc_view_order_ns(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = &v->result[i];
    if (r->order_ns < 0)
        return NAN;
    return (double)r->order_ns + (r->permute_ns > 0 ? (double)r->permute_ns : 0);
}

double rc_view_flops(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = &v->result[i];
    double width = r->k > 0 ? (double)r->k : 1;
    return 2 * (double)rc_view_matrix(v, r->matrix)->nnz * width;
}

static rc_status_t read_features(rc_view_t *v, const rc_h5_t *h, rc_err_t *err)
{
    rc_words_t sets;
    rc_status_t st = rc_h5_feature_sets(h, &sets, err);
    for (int s = 0; s < sets.count; s++) {
        rc_row_feature_t *row = NULL;
        int64_t n = 0;
        if (st == RC_OK)
            st = rc_h5_read_features(h, sets.word[s], &row, NULL, &n, NULL, NULL, err);
        for (int64_t i = 0; st == RC_OK && i < n; i++) {
            rc_digest_t digest;
            if (row[i].matrix < 0 ||
                rc_digest_parse(rc_view_text(v, RC_TEXT_DIGEST, row[i].matrix), &digest) < 0)
                continue;
            st = RC_GROW(v->feature, v->feature_capacity, v->features + 1, "feature rows", err);
            if (st == RC_OK)
                v->feature[v->features++] = rc_feature_id(
                    digest, sets.word[s], row[i].version, row[i].nw, row[i].nt, row[i].line);
        }
        free(row);
    }
    rc_words_free(&sets);
    return st;
}

/* Ids in a damaged or foreign file must not lead outside the dictionaries. */
static rc_status_t check_ids(const rc_view_t *v, const char *store, rc_err_t *err)
{
    const rc_dict_t *d = v->dicts.d;
    for (int64_t i = 0; i < v->results; i++) {
        const rc_row_result_t *r = &v->result[i];
        if (r->matrix < 0 || (size_t)r->matrix >= d[RC_T_MATRIX].count || r->policy < 0 ||
            (size_t)r->policy >= d[RC_T_POLICY].count || r->kernel < 0 ||
            (size_t)r->kernel >= d[RC_T_KERNEL].count || r->device < 0 ||
            (size_t)r->device >= d[RC_T_DEVICE].count || r->run < 0 ||
            (size_t)r->run >= d[RC_T_RUN].count || r->message < -1 ||
            r->message >= (int32_t)d[RC_T_MESSAGE].count)
            return rc_fail(err, RC_ESTORE, "%s: row %lld of /results refers to no dictionary entry",
                store, (long long)i);
    }
    const rc_row_source_t *s = d[RC_T_SOURCE].rows;
    for (size_t i = 0; i < d[RC_T_SOURCE].count; i++)
        if (s[i].matrix < -1 || s[i].matrix >= (int32_t)d[RC_T_MATRIX].count || s[i].message < -1 ||
            s[i].message >= (int32_t)d[RC_T_MESSAGE].count)
            return rc_fail(
                err, RC_ESTORE, "%s: row %zu of /sources refers to no dictionary entry", store, i);
    return RC_OK;
}

rc_status_t rc_view_load(const rc_h5_t *h, rc_view_t **out, rc_err_t *err)
{
    void *rows = NULL;
    rc_status_t st;
    rc_view_t *v = rc_alloc0(1, sizeof *v, "a view of a store", err);
    RC_PASS(v ? RC_OK : RC_ENOMEM);
    rc_dicts_init(&v->dicts);
    RC_TRY(rc_dicts_read(&v->dicts, h, err));
    RC_TRY(rc_h5_read(h, &rc_schema[RC_T_RESULT], &rows, &v->results, err));
    v->result = rows;
    RC_TRY(check_ids(v, h->path, err));
    RC_TRY(make_texts(v, err));
    RC_TRY(read_features(v, h, err));
    RC_TRY(rc_view_read_traits(v, h, err));
    RC_TRY(mark_dictionaries(v, err));
    RC_TRY(mark_newest(v, err));
    RC_TRY(rc_view_pair(v, err));
    RC_TRY(rc_view_load_sources(v, err));
    *out = v;
    v = NULL;
done:
    rc_view_free(v);
    return st;
}

static rc_status_t load_samples(const rc_h5_t *h, rc_view_t *v, rc_err_t *err)
{
    RC_PASS(rc_h5_rows(h, &rc_schema_samples, &v->samples, err));
    RC_PASS(RC_NEW(v->sample, v->samples, "raw times", err));
    return v->samples ? rc_h5_read_rows(h, &rc_schema_samples, 0, v->samples, v->sample, err)
                      : RC_OK;
}

static rc_status_t read_store(const char *store, int samples, rc_view_t **out, rc_err_t *err)
{
    rc_h5_t h = {.file = -1};
    rc_view_t *v = NULL;
    rc_status_t st;
    RC_TRY(rc_h5_open(store, 0, &h, err));
    RC_TRY(rc_view_load(&h, &v, err));
    if (samples)
        RC_TRY(load_samples(&h, v, err));
done:
    st = rc_h5_closed(st, &h, err);
    if (st < 0)
        rc_view_free(v);
    else
        *out = v;
    return st;
}

rc_status_t rc_view_read(const char *store, rc_view_t **out, rc_err_t *err)
{
    return read_store(store, 0, out, err);
}

rc_status_t rc_view_read_samples(const char *store, rc_view_t **out, rc_err_t *err)
{
    return read_store(store, 1, out, err);
}

const int64_t *rc_view_samples(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = &v->result[i];
    const rc_samples_t s = {.total = v->samples};
    if (!v->sample || !rc_samples_has(r) || !rc_samples_inside(&s, r))
        return NULL;
    return v->sample + r->sample_offset;
}

void rc_view_free(rc_view_t *v)
{
    if (!v)
        return;
    for (int t = 0; t < RC_TEXTS; t++)
        free(v->text[t].bytes);
    rc_dicts_free(&v->dicts);
    free(v->feature);
    for (int i = 0; i < RC_TRAITS; i++)
        free(v->trait[i]);
    free(v->result);
    free(v->sample);
    free(v->newest);
    free(v->policy_current);
    free(v->policy_csr);
    free(v->kernel_current);
    rc_view_unpair(v);
    free(v->source);
    free(v->cases);
    free(v->generated);
    free(v->training);
    free(v);
}

/* ------------------------------------------------------------------- access */

int64_t rc_view_count(const rc_view_t *v)
{
    return v->results;
}

const rc_row_result_t *rc_view_result(const rc_view_t *v, int64_t i)
{
    return &v->result[i];
}

int rc_view_is_newest(const rc_view_t *v, int64_t i)
{
    return v->newest[i];
}

void rc_view_seek(const rc_view_t *v, int64_t i, rc_cursor_t *out)
{
    out->view = v;
    out->i = i;
    out->c_order = v->result[i].c_order;
    rc_field_text(v->result[i].case_id, sizeof v->result[i].case_id, out->case_id);
}

const char *rc_view_name(const char *const *names, int32_t i)
{
    for (int32_t n = 0; names[n]; n++)
        if (n == i)
            return names[n];
    return "?";
}

int32_t rc_view_matrices(const rc_view_t *v)
{
    return (int32_t)v->dicts.d[RC_T_MATRIX].count;
}

int32_t rc_view_policies(const rc_view_t *v)
{
    return (int32_t)v->dicts.d[RC_T_POLICY].count;
}

int32_t rc_view_kernels(const rc_view_t *v)
{
    return (int32_t)v->dicts.d[RC_T_KERNEL].count;
}

const char *rc_view_policy(const rc_view_t *v, int32_t id)
{
    return rc_view_text(v, RC_TEXT_POLICY, id);
}

const char *rc_view_kernel(const rc_view_t *v, int32_t id)
{
    return rc_view_text(v, RC_TEXT_KERNEL, id);
}

int32_t rc_view_policy_version(const rc_view_t *v, int32_t id)
{
    return ((const rc_row_policy_t *)v->dicts.d[RC_T_POLICY].rows)[id].version;
}

int32_t rc_view_kernel_version(const rc_view_t *v, int32_t id)
{
    return ((const rc_row_kernel_t *)v->dicts.d[RC_T_KERNEL].rows)[id].version;
}

const char *rc_view_device(const rc_view_t *v, int32_t id)
{
    return rc_view_text(v, RC_TEXT_DEVICE, id);
}

const char *rc_view_message(const rc_view_t *v, int32_t id)
{
    return rc_view_text(v, RC_TEXT_MESSAGE, id);
}

const rc_row_matrix_t *rc_view_matrix(const rc_view_t *v, int32_t id)
{
    return (const rc_row_matrix_t *)v->dicts.d[RC_T_MATRIX].rows + id;
}

int64_t rc_view_runs(const rc_view_t *v)
{
    return (int64_t)v->dicts.d[RC_T_RUN].count;
}

const rc_row_run_t *rc_view_run(const rc_view_t *v, int64_t i)
{
    return (const rc_row_run_t *)v->dicts.d[RC_T_RUN].rows + i;
}

int64_t rc_view_provenances(const rc_view_t *v)
{
    return (int64_t)v->dicts.d[RC_T_PROVENANCE].count;
}

const rc_row_provenance_t *rc_view_provenance(const rc_view_t *v, int64_t i)
{
    return (const rc_row_provenance_t *)v->dicts.d[RC_T_PROVENANCE].rows + i;
}

int64_t rc_view_feature_rows(const rc_view_t *v)
{
    return (int64_t)v->features;
}

rc_digest_t rc_view_feature_row(const rc_view_t *v, int64_t i)
{
    return v->feature[i];
}

int64_t rc_view_journal_bytes(void *view, const char *name)
{
    const rc_view_t *v = view;
    return v ? rc_dict_journal_bytes(&v->dicts, name) : 0;
}

int64_t rc_view_inflights(const rc_view_t *v)
{
    return (int64_t)v->dicts.d[RC_T_INFLIGHT].count;
}

void rc_view_inflight_id(const rc_view_t *v, int64_t i, char hex[33])
{
    const rc_row_inflight_t *row = v->dicts.d[RC_T_INFLIGHT].rows;
    rc_field_text(row[i].case_id, sizeof row[i].case_id, hex);
}

int32_t rc_view_inflight_run(const rc_view_t *v, int64_t i)
{
    const rc_row_inflight_t *row = v->dicts.d[RC_T_INFLIGHT].rows;
    return row[i].run;
}
