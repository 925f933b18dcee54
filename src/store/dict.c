#include "config.h"
#include "store/dict.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void rc_dicts_init(rc_dicts_t *d)
{
    memset(d, 0, sizeof *d);
    for (int i = 0; i < RC_DICTS; i++)
        d->d[i].table = &rc_schema[i];
}

void rc_dicts_free(rc_dicts_t *d)
{
    for (int i = 0; i < RC_DICTS; i++) {
        free(d->d[i].rows);
        rc_map_free(&d->d[i].index);
    }
    rc_dicts_init(d);
}

/* The fields that tell rows of a table apart; of the others each row is one of its own. */
typedef struct part {
    size_t offset;
    size_t bytes;
} part_t;
enum { PARTS = 3 };
#define AT(row, member)                                                                            \
    {                                                                                              \
        offsetof(row, member), sizeof(((row *)0)->member)                                          \
    }
static const part_t keys[RC_T_COUNT][PARTS] = {
    [RC_T_MATRIX] = {AT(rc_row_matrix_t, digest)},
    [RC_T_POLICY] = {AT(rc_row_policy_t, name), AT(rc_row_policy_t, version),
        AT(rc_row_policy_t, params)},
    [RC_T_KERNEL] = {AT(rc_row_kernel_t, name), AT(rc_row_kernel_t, version),
        AT(rc_row_kernel_t, params)},
    [RC_T_DEVICE] = {AT(rc_row_device_t, class_name)},
    [RC_T_MESSAGE] = {AT(rc_row_message_t, text)},
    [RC_T_RUN] = {AT(rc_row_run_t, uuid)},
    [RC_T_JOURNAL] = {AT(rc_row_journal_t, name)},
    [RC_T_INFLIGHT] = {AT(rc_row_inflight_t, case_id), AT(rc_row_inflight_t, run),
        AT(rc_row_inflight_t, rank)},
};

int rc_dict_key(const rc_dict_t *d, const void *row, rc_digest_t *key)
{
    char all[RC_MESSAGE_MAX];
    size_t n = 0;
    const part_t *part = keys[d->table - rc_schema];
    for (int i = 0; i < PARTS; i++) {
        memcpy(all + n, (const char *)row + part[i].offset, part[i].bytes);
        n += part[i].bytes;
    }
    *key = rc_digest(all, n);
    return n > 0;
}

static rc_status_t index_row(rc_dict_t *d, size_t i, rc_err_t *err)
{
    rc_digest_t key;
    const char *row = (const char *)d->rows + i * d->table->row_bytes;
    if (!rc_dict_key(d, row, &key))
        return RC_OK;
    return rc_map_set(&d->index, key, (int64_t)i, err);
}

rc_status_t rc_dict_read(rc_dict_t *d, const rc_h5_t *h, rc_err_t *err)
{
    void *rows;
    int64_t n;
    RC_PASS(rc_h5_read(h, d->table, &rows, &n, err));
    free(d->rows);
    d->rows = rows;
    d->count = d->capacity = (size_t)n;
    rc_map_free(&d->index);
    for (size_t i = 0; i < d->count; i++)
        RC_PASS(index_row(d, i, err));
    return RC_OK;
}

rc_status_t rc_dicts_read(rc_dicts_t *d, const rc_h5_t *h, rc_err_t *err)
{
    for (int i = 0; i < RC_DICTS; i++)
        RC_PASS(rc_dict_read(&d->d[i], h, err));
    return RC_OK;
}

rc_status_t rc_dicts_write(const rc_dicts_t *d, const rc_h5_t *h, rc_err_t *err)
{
    for (int i = 0; i < RC_DICTS; i++)
        RC_PASS(rc_h5_replace(h, d->d[i].table, d->d[i].rows, (int64_t)d->d[i].count, err));
    return RC_OK;
}

/* Row of an id, NULL outside. */
static const void *row_at(const rc_dicts_t *d, rc_table_id_t t, int32_t id)
{
    const rc_dict_t *k = &d->d[t];
    return id < 0 || (size_t)id >= k->count
               ? NULL
               : (const char *)k->rows + (size_t)id * k->table->row_bytes;
}

rc_status_t rc_dicts_case(const rc_dicts_t *d, const rc_row_result_t *r, rc_case_t *out)
{
    char hex[RC_DIGEST_HEX + 1];
    const rc_row_matrix_t *matrix = row_at(d, RC_T_MATRIX, r->matrix);
    const rc_row_policy_t *policy = row_at(d, RC_T_POLICY, r->policy);
    const rc_row_kernel_t *kernel = row_at(d, RC_T_KERNEL, r->kernel);
    const rc_row_device_t *device = row_at(d, RC_T_DEVICE, r->device);
    if (!matrix || !policy || !kernel || !device ||
        rc_digest_parse(rc_field_text(matrix->digest, sizeof matrix->digest, hex), &out->matrix) <
            0)
        return RC_ESTORE;
    rc_field_text(policy->name, sizeof policy->name, out->policy);
    rc_field_text(policy->params, sizeof policy->params, out->policy_params);
    rc_field_text(kernel->name, sizeof kernel->name, out->kernel);
    rc_field_text(kernel->params, sizeof kernel->params, out->params);
    rc_field_text(device->class_name, sizeof device->class_name, out->device);
    out->policy_version = policy->version;
    out->kernel_version = kernel->version;
    out->op = r->op;
    out->precision = r->precision;
    out->layout = r->layout;
    out->c_order = r->c_order;
    out->cache = r->cache;
    out->nw = r->nw;
    out->nt = r->nt;
    out->line = r->line;
    out->k = r->k;
    return RC_OK;
}

rc_status_t rc_dict_push(rc_dict_t *d, const void *row, rc_err_t *err)
{
    size_t n = d->table->row_bytes;
    RC_PASS(rc_grow(&d->rows, &d->capacity, d->count + 1, n, d->table->title, err));
    memcpy((char *)d->rows + d->count * n, row, n);
    RC_PASS(index_row(d, d->count, err));
    d->count++;
    return RC_OK;
}

int32_t rc_dict_find(const rc_dict_t *d, const void *row)
{
    rc_digest_t key;
    return rc_dict_key(d, row, &key) ? (int32_t)rc_map_get(&d->index, key, -1) : -1;
}

/* The common end of the functions below: push `row` unless its key is there. */
static rc_status_t intern(rc_dict_t *d, const void *row, int32_t *id, rc_err_t *err)
{
    *id = rc_dict_find(d, row);
    if (*id >= 0)
        return RC_OK;
    *id = (int32_t)d->count;
    return rc_dict_push(d, row, err);
}

rc_status_t rc_dict_policy(rc_dicts_t *d, const char *name, int32_t version, const char *params,
    int32_t *id, rc_err_t *err)
{
    rc_dict_t *t = &d->d[RC_T_POLICY];
    rc_row_policy_t row = {.id = (int32_t)t->count, .version = version};
    RC_PASS(rc_field_set(row.name, sizeof row.name, name, "name of an order", err));
    RC_PASS(rc_field_set(row.params, sizeof row.params, params, "parameters of an order", err));
    return intern(t, &row, id, err);
}

rc_status_t rc_dict_kernel(rc_dicts_t *d, const char *name, int32_t version, const char *params,
    int32_t *id, rc_err_t *err)
{
    rc_dict_t *t = &d->d[RC_T_KERNEL];
    rc_row_kernel_t row = {.id = (int32_t)t->count, .version = version};
    RC_PASS(rc_field_set(row.name, sizeof row.name, name, "name of a kernel", err));
    RC_PASS(rc_field_set(row.params, sizeof row.params, params, "parameters of a kernel", err));
    return intern(t, &row, id, err);
}

rc_status_t rc_dict_device(rc_dicts_t *d, const char *class_name, int32_t *id, rc_err_t *err)
{
    rc_dict_t *t = &d->d[RC_T_DEVICE];
    rc_row_device_t row = {.id = (int32_t)t->count};
    RC_PASS(rc_field_set(row.class_name, sizeof row.class_name, class_name, "device class", err));
    return intern(t, &row, id, err);
}

rc_status_t rc_dict_message(rc_dicts_t *d, const char *text, int32_t *id, rc_err_t *err)
{
    rc_dict_t *t = &d->d[RC_T_MESSAGE];
    rc_row_message_t row;
    *id = -1;
    if (!text[0])
        return RC_OK;
    RC_PASS(rc_field_set(row.text, sizeof row.text, text, "message", err));
    return intern(t, &row, id, err);
}

rc_status_t rc_dict_matrix(
    rc_dicts_t *d, rc_digest_t digest, const rc_rec_source_t *s, int32_t *id, rc_err_t *err)
{
    rc_dict_t *t = &d->d[RC_T_MATRIX];
    rc_row_matrix_t row = {.rows = -1, .cols = -1, .nnz = -1, .id = (int32_t)t->count};
    memcpy(row.digest, rc_digest_hex(digest).text, sizeof row.digest);
    if (s) {
        row.rows = s->rows;
        row.cols = s->cols;
        row.nnz = s->nnz;
        row.ssid = s->ssid;
        row.values_seeded = s->values_seeded;
        RC_PASS(rc_field_set(row.name, sizeof row.name, s->name, "name of a matrix", err));
        RC_PASS(rc_field_set(row.kind, sizeof row.kind, s->kind, "kind of a matrix", err));
    }
    return intern(t, &row, id, err);
}

rc_status_t rc_dict_run(rc_dicts_t *d, const rc_rec_run_t *r, int32_t *id, rc_err_t *err)
{
    rc_dict_t *t = &d->d[RC_T_RUN];
    rc_row_run_t row = {.started_ns = r->started_ns,
        .id = (int32_t)t->count,
        .ranks = r->ranks,
        .state = RC_RUN_OPEN};
    RC_PASS(rc_field_set(row.uuid, sizeof row.uuid, r->uuid, "identity of a run", err));
    RC_PASS(rc_field_set(row.version, sizeof row.version, r->version, "version", err));
    RC_PASS(rc_field_set(row.git, sizeof row.git, r->git, "commit", err));
    return intern(t, &row, id, err);
}

rc_status_t rc_dict_journal(rc_dicts_t *d, const char *name, int64_t bytes, rc_err_t *err)
{
    rc_dict_t *t = &d->d[RC_T_JOURNAL];
    rc_row_journal_t row = {.bytes = bytes};
    int32_t id;
    RC_PASS(rc_field_set(row.name, sizeof row.name, name, "name of a journal", err));
    RC_PASS(intern(t, &row, &id, err));
    ((rc_row_journal_t *)t->rows)[id].bytes = bytes;
    return RC_OK;
}

int64_t rc_dict_journal_bytes(const rc_dicts_t *d, const char *name)
{
    rc_row_journal_t row;
    const rc_dict_t *t = &d->d[RC_T_JOURNAL];
    int known = rc_field_set(row.name, sizeof row.name, name, "name of a journal", NULL) == RC_OK;
    int32_t id = known ? rc_dict_find(t, &row) : -1;
    return id < 0 ? 0 : ((const rc_row_journal_t *)t->rows)[id].bytes;
}
