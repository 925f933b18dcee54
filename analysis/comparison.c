#include "config.h"
#include "analysis/comparison.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variants are compared row by row; for other inputs a data set may leave other rows out. */
static rc_status_t check_same(const rc_dataset_t *d, const rc_variant_t *v, rc_err_t *err)
{
    const rc_dataset_t *o = v->data ? v->data : d;
    if (o->rows != d->rows)
        return rc_fail(err, RC_EINVAL, "%s: its data set has %" PRId64 " rows, the others %" PRId64,
            v->name, o->rows, d->rows);
    for (int64_t i = 0; i < d->rows; i++) {
        const rc_sample_t *a = &o->sample[i];
        const rc_sample_t *b = &d->sample[i];
        if (strcmp(a->digest, b->digest) != 0 || a->k != b->k || a->precision != b->precision)
            return rc_fail(err, RC_EINVAL,
                "%s: row %" PRId64 " of its data set is %s with K = %" PRId64
                " in %s, of the others %s with K = %" PRId64 " in %s",
                v->name, i, a->name, a->k, rc_type(a->precision)->name, b->name, b->k,
                rc_type(b->precision)->name);
    }
    return RC_OK;
}

typedef struct forwarding {
    const rc_variant_t *variant;
    int number;
    int variants;
} forwarding_t;

static void forward(void *context, const char *what, double done, double loss)
{
    const forwarding_t *f = context;
    const rc_fit_options_t *o = f->variant->options;
    char text[320];
    snprintf(text, sizeof text, "%s: %s", f->variant->name, what);
    o->progress(o->context, text, (f->number + done) / f->variants, loss);
}

static rc_status_t run_variant(const rc_dataset_t *d, const rc_variant_t *variant, int number,
    int variants, const rc_protocol_t *p, rc_comparison_row_t *out, rc_err_t *err)
{
    const rc_variant_t *v = &variant[number];
    const rc_dataset_t *data = v->data ? v->data : d;
    forwarding_t f = {v, number, variants};
    rc_fit_options_t options = *v->options;
    rc_predictions_t predictions = {0};
    rc_status_t st;
    int single = -1;
    if (options.progress) {
        options.progress = forward;
        options.context = &f;
    }
    out->name = v->name;
    out->variant = v;
    RC_TRY(
        rc_experiment(v->trainer, data, p, &options, NULL, &predictions, &single, &out->cost, err));
    RC_TRY(rc_evaluate(data, &predictions, single, p->seed, &out->evaluation, err));
done:
    rc_predictions_free(&predictions);
    return st < 0 ? rc_err_context(err, "%s", v->name) : RC_OK;
}

/* ------------------------------------------------------------------ baselines */

enum { BEST_SINGLE, RANDOM, ORACLE };

static const char *const baseline_names[RC_BASELINES] = {"best single", "random", "oracle"};

typedef struct baselines {
    rc_pool_t pool;
    const rc_dataset_t *d;
    const rc_protocol_t *p;
    int *part;
    int parts;
    int *single; /* [parts] */
    int common;  /* the single class of all parts, -1 when they differ */
    int64_t *row;
    rc_err_t *err;
} baselines_t;

static rc_status_t find_singles(baselines_t *b)
{
    size_t rows = (size_t)b->d->rows;
    b->part = rc_pool_get(&b->pool, rows, sizeof *b->part);
    b->row = rc_pool_get(&b->pool, rows, sizeof *b->row);
    RC_PASS(rc_pool_check(&b->pool, "parts of rows", b->err));
    RC_PASS(rc_protocol_parts(b->d, b->p, b->part, &b->parts, b->err));
    b->single = rc_pool_get(&b->pool, (size_t)b->parts, sizeof *b->single);
    RC_PASS(rc_pool_check(&b->pool, "single classes", b->err));
    for (int i = 0; i < b->parts; i++) {
        int64_t n = 0;
        for (int64_t r = 0; r < b->d->rows; r++)
            if (b->part[r] != i)
                b->row[n++] = r;
        b->single[i] = rc_best_single(b->d, b->row, n);
        b->common = i == 0 || b->common == b->single[i] ? b->single[i] : -1;
    }
    return RC_OK;
}

static rc_status_t run_baseline(const baselines_t *b, int which, rc_comparison_row_t *out)
{
    const rc_dataset_t *d = b->d;
    rc_predictions_t p = {0};
    rc_status_t st;
    int64_t each = which == RANDOM ? d->classes : 1;
    size_t most = (size_t)(d->rows * each);
    out->name = baseline_names[which];
    out->cost = (rc_experiment_cost_t){0, NAN, NAN};
    p.row = rc_alloc(most, sizeof *p.row, "choices of a baseline", b->err);
    p.choice = rc_alloc(most, sizeof *p.choice, "choices of a baseline", b->err);
    RC_TRY(p.row && p.choice ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < d->rows; i++)
        for (int c = 0; b->part[i] >= 0 && c < each; c++) {
            p.row[p.count] = i;
            p.choice[p.count++] = which == RANDOM   ? c
                                  : which == ORACLE ? rc_dataset_best(d, i)
                                                    : b->single[b->part[i]];
        }
    RC_TRY(rc_evaluate(d, &p, b->common, b->p->seed, &out->evaluation, b->err));
done:
    rc_predictions_free(&p);
    return st;
}

rc_status_t rc_compare(const rc_dataset_t *d, const rc_variant_t *variant, int variants,
    const rc_protocol_t *p, rc_comparison_t *out, rc_err_t *err)
{
    rc_comparison_t c = {0};
    baselines_t b = {.d = d, .p = p, .err = err};
    rc_status_t st;
    for (int v = 0; v < variants; v++)
        RC_TRY(check_same(d, &variant[v], err));
    RC_TRY(RC_NEW0(c.row, (size_t)variants + RC_BASELINES, "a comparison", err));
    c.rows = variants + RC_BASELINES;
    RC_TRY(find_singles(&b));
    for (int v = 0; v < variants; v++)
        RC_TRY(run_variant(d, variant, v, variants, p, &c.row[v], err));
    for (int i = 0; i < RC_BASELINES; i++)
        RC_TRY(run_baseline(&b, i, &c.row[variants + i]));
    *out = c;
    c = (rc_comparison_t){0};
done:
    rc_comparison_free(&c);
    rc_pool_free(&b.pool);
    return st;
}

void rc_comparison_free(rc_comparison_t *c)
{
    for (int i = 0; i < c->rows; i++)
        rc_evaluation_free(&c->row[i].evaluation);
    free(c->row);
    *c = (rc_comparison_t){0};
}
