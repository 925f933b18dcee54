#include "config.h"
#include "store/fold.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static rc_status_t read_result(const rc_record_t *r, const rc_rec_result_t *what,
    const rc_fold_part_t *part, const rc_dicts_t *d, rc_fold_bulk_t *b, rc_err_t *err)
{
    rc_rec_result_t rec = *what;
    rc_status_t st;
    rec.row.run = part->run;
    rec.row.rank = part->rank;
    rec.row.seq = r->seq;
    rec.row.sample_offset = rec.row.reps ? (int64_t)b->samples : -1;
    RC_TRY(rc_fold_resolve(d, &rec.c, rec.text, &rec.row, err));
    st = RC_GROW(b->result, b->result_capacity, b->results + 1, "results", err);
    RC_TRY(st);
    st = RC_GROW(b->sample, b->sample_capacity, b->samples + (size_t)rec.row.reps, "samples", err);
    RC_TRY(st);
    b->result[b->results++] = rec.row;
    if (rec.row.reps)
        memcpy(b->sample + b->samples, rec.sample_ns, (size_t)rec.row.reps * sizeof *b->sample);
    b->samples += (size_t)rec.row.reps;
done:
    return st;
}

static rc_status_t read_order(const rc_rec_order_t *o, const rc_fold_part_t *part,
    const rc_dicts_t *d, rc_fold_bulk_t *b, rc_err_t *err)
{
    RC_PASS(RC_GROW(b->order, b->order_capacity, b->orders + 1, "orders", err));
    b->order[b->orders++] = (rc_row_order_t){.order_ns = o->order_ns,
        .slots = o->slots,
        .pads = o->pads,
        .utc_ns = o->utc_ns,
        .matrix = rc_dict_find(&d->d[RC_T_MATRIX], rc_key_matrix(o->matrix)),
        .policy =
            rc_dict_find(&d->d[RC_T_POLICY], rc_key_version(o->policy, o->version, o->params)),
        .nw = o->nw,
        .nt = o->nt,
        .line = o->line,
        .run = part->run};
    return RC_OK;
}

/* \return RC_ESTORE, without a text, when the set is not one of those */
static rc_status_t read_feature(const rc_rec_feature_t *f, const rc_fold_part_t *part,
    const rc_fold_set_t *set, int sets, const rc_dicts_t *d, rc_fold_bulk_t *b, rc_err_t *err)
{
    int i = 0;
    while (i < sets && strcmp(set[i].set, f->set) != 0)
        i++;
    if (i == sets || set[i].columns != f->count)
        return RC_ESTORE;
    struct rc_fold_feature *t = &b->feature[i];
    RC_PASS(RC_GROW(t->row, t->row_capacity, t->rows + 1, "feature rows", err));
    RC_PASS(RC_GROW(t->value, t->value_capacity, t->values + (size_t)f->count, "features", err));
    t->row[t->rows++] = (rc_row_feature_t){.feature_ns = f->feature_ns,
        .matrix = rc_dict_find(&d->d[RC_T_MATRIX], rc_key_matrix(f->matrix)),
        .nw = f->nw,
        .nt = f->nt,
        .line = f->line,
        .version = f->version,
        .run = part->run};
    memcpy(t->value + t->values, f->value, (size_t)f->count * sizeof *t->value);
    t->values += (size_t)f->count;
    return RC_OK;
}

static rc_status_t read_part(const char *dir, const rc_fold_part_t *part, const rc_fold_set_t *set,
    int sets, const rc_dicts_t *d, rc_fold_bulk_t *b, rc_err_t *err)
{
    rc_journal_view_t *v = NULL;
    rc_record_t r;
    rc_rec_t what;
    int64_t end = 0;
    char *path = rc_strf("a path", err, "%s/%s", dir, part->name);
    rc_status_t st = path ? rc_journal_open(path, part->end, &v, err) : RC_ENOMEM;
    while (st == RC_OK && end < part->end && rc_journal_next(v, &r)) {
        end = r.end;
        if (end <= part->start)
            continue;
        if (rc_rec_get(&r, &what) < 0)
            continue;
        if (r.type == RC_REC_RESULT)
            st = read_result(&r, &what.result, part, d, b, err);
        else if (r.type == RC_REC_ORDER)
            st = read_order(&what.order, part, d, b, err);
        else if (r.type == RC_REC_FEATURE)
            st = read_feature(&what.feature, part, set, sets, d, b, err);
    }
    if (st == RC_OK)
        st = rc_journal_read_status(v, err);
    if (st == RC_OK && end != part->end)
        st = rc_fail(err, RC_EIO,
            "%s: changed while it was folded: expected a record that ends at byte %" PRId64
            ", found the last one at %" PRId64 "; nothing was folded",
            path, part->end, end);
    rc_journal_view_close(v);
    free(path);
    return st;
}

rc_status_t rc_fold_read(const char *dir, const rc_fold_part_t *part, int64_t first, int64_t last,
    const rc_fold_set_t *set, int sets, const rc_dicts_t *d, rc_fold_bulk_t *out, rc_err_t *err)
{
    memset(out, 0, sizeof *out);
    for (int64_t i = first; i < last; i++) {
        if (part[i].end <= part[i].start)
            continue;
        rc_status_t st = read_part(dir, &part[i], set, sets, d, out, err);
        if (st < 0) {
            rc_fold_bulk_free(out);
            return st;
        }
    }
    return RC_OK;
}

void rc_fold_bulk_free(rc_fold_bulk_t *b)
{
    free(b->result);
    free(b->sample);
    free(b->order);
    for (int i = 0; i < RC_FOLD_SETS_MAX; i++) {
        free(b->feature[i].row);
        free(b->feature[i].value);
    }
    memset(b, 0, sizeof *b);
}
