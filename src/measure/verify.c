#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/dense_parts.h"
#include "measure/verify_private.h"
#include "operation/exact.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Values of a row that are fetched at a time when one of them is searched for. */
enum { FETCH = 4096 };

/* Rows that are not worth a second thread. */
enum { ALONE = 1 << 16 };

/* Values of C on the host, by position. */
typedef struct values {
    int64_t *row; /* with the memory of all */
    int64_t *col;
    double *value;
    unsigned char *poison;
    unsigned char *part; /* of it */
} values_t;

static rc_status_t fetch(
    rc_device_t *d, const rc_product_t *p, const values_t *v, int64_t n, rc_err_t *err)
{
    const rc_dense_places_t at = {n, v->row, v->col, v->part, v->value, v->poison};
    return rc_dense_gather_parts(d, &p->c, &at, err);
}

static rc_status_t values_new(int64_t n, values_t *v, rc_err_t *err)
{
    v->row = rc_alloc((size_t)n, 2 * sizeof *v->row + sizeof *v->value + 2 * sizeof *v->poison,
        "values of C", err);
    RC_PASS(v->row ? RC_OK : RC_ENOMEM);
    v->col = v->row + n;
    void *rest = v->col + n;
    v->value = rest;
    v->poison = (unsigned char *)(v->value + n);
    v->part = v->poison + n;
    return RC_OK;
}

/* The row of A in row p of C, -1 for a pad. */
static int64_t row_of(const rc_product_t *p, int64_t at)
{
    return p->by_slot ? p->schedule->row[at] : at;
}

/* ---------------------------------------------------------------- sample */

typedef struct errors {
    int64_t compared; /* values with terms that were */
    int64_t skipped;  /* and those that say nothing */
    double max;       /* |C - ref| / bound; NaN before the first */
    double rel;       /* |C - ref| / mag */
    int64_t row;
    int64_t col;
    double value;
    double ref;
} errors_t;

static void check_value(
    const rc_reference_t *ref, const rc_exact_t *s, int64_t r, int64_t j, double value, errors_t *e)
{
    double ratio = rc_exact_error(ref->m.precision, s, value);
    if (isnan(ratio)) {
        e->skipped++;
        return;
    }
    e->compared += s->terms > 0; /* one without is 0, whatever the kernel computes */
    double off = fabs(value - s->value);
    double rel = ratio == 0 ? 0 : isfinite(off) && s->mag > 0 ? off / s->mag : INFINITY;
    if (!(e->rel >= rel))
        e->rel = rel;
    if (!(e->max >= ratio)) {
        e->max = ratio;
        e->row = r;
        e->col = j;
        e->value = value;
        e->ref = s->value;
    }
}

/* Where the sampled rows are in C: at[i] is that of ref->row[i], -1 when it is not there. */
static rc_status_t place_rows(
    const rc_reference_t *ref, const rc_product_t *p, int64_t *at, rc_err_t *err)
{
    if (!p->by_slot) {
        memcpy(at, ref->row, (size_t)ref->rows * sizeof *at);
        return RC_OK;
    }
    int64_t *slot = rc_alloc((size_t)ref->out_rows, sizeof *slot, "the slots of the rows", err);
    RC_PASS(slot ? RC_OK : RC_ENOMEM);
    for (int64_t r = 0; r < ref->out_rows; r++)
        slot[r] = -1;
    for (int64_t i = 0; i < p->schedule->slots; i++)
        if (p->schedule->row[i] >= 0)
            slot[p->schedule->row[i]] = i;
    for (int64_t i = 0; i < ref->rows; i++)
        at[i] = slot[ref->row[i]];
    free(slot);
    return RC_OK;
}

static rc_status_t check_sample(
    const rc_reference_t *ref, rc_device_t *d, const rc_product_t *p, errors_t *e, rc_err_t *err)
{
    values_t v = {0};
    int64_t n = 0;
    rc_status_t st = RC_OK;
    if (ref->rows == 0)
        return RC_OK;
    int64_t *at = rc_alloc((size_t)ref->rows, sizeof *at, "the sampled rows", err);
    RC_PASS(at ? RC_OK : RC_ENOMEM);
    const int64_t parts = ref->cols * ref->parts; /* of a row */
    RC_TRY(values_new(ref->rows * parts, &v, err));
    RC_TRY(place_rows(ref, p, at, err));
    for (int64_t i = 0; i < ref->rows; i++)
        for (int64_t j = 0; j < parts && at[i] >= 0; j++) {
            v.row[n] = at[i];
            v.part[n] = (unsigned char)(j % ref->parts);
            v.col[n++] = ref->col[j / ref->parts];
        }
    if (n > 0)
        RC_TRY(fetch(d, p, &v, n, err));
    n = 0;
    for (int64_t i = 0; i < ref->rows; i++)
        for (int64_t j = 0; j < parts && at[i] >= 0; j++)
            check_value(ref, &ref->sample[i * parts + j], ref->row[i],
                ref->columns.j0 + ref->col[j / ref->parts], v.value[n++], e);
done:
    free(v.row);
    free(at);
    return st;
}

/* ------------------------------------------------------------------ rows */

/* The first row of A, in original order, with a value that is wrong whatever the reference (never
 * stored to, or not zero without entries), and the row whose sum is off the most; -1 for none. */
typedef struct rows_found {
    int64_t bad_row;
    int64_t bad_at; /* row of C */
    int64_t off_row;
    double off_ratio;
    int64_t compared; /* rows with terms whose sums were */
    int64_t skipped;  /* and those that say nothing */
} rows_found_t;

static int is_bad(const rc_reference_t *ref, int64_t r, unsigned found, double sum)
{
    if (found & RC_ROW_POISON)
        return 1;
    return rc_reference_row_is_empty(ref, r) && ((found & RC_ROW_NONZERO) || isnan(sum));
}

/* What some rows were found to be, added to what others were: the same however they are divided. */
static void add_found(rows_found_t *all, const rows_found_t *some)
{
    if (some->bad_row >= 0 && (all->bad_row < 0 || some->bad_row < all->bad_row)) {
        all->bad_row = some->bad_row;
        all->bad_at = some->bad_at;
    }
    if (some->off_row >= 0 &&
        (some->off_ratio > all->off_ratio ||
            (some->off_ratio == all->off_ratio && some->off_row < all->off_row))) {
        all->off_ratio = some->off_ratio;
        all->off_row = some->off_row;
    }
    all->compared += some->compared;
    all->skipped += some->skipped;
}

/* \param[in] part  of the values of the row */
static void look_at_row(const rc_reference_t *ref, const rc_row_finds_t *finds,
    const rc_product_t *p, int64_t at, int part, rows_found_t *f)
{
    rows_found_t one = {-1, at, -1, 0, 0, 0};
    int64_t r = row_of(p, at);
    if (r < 0)
        return;
    double sum = finds->sum[at * ref->parts + part];
    if (is_bad(ref, r, finds->found[at * ref->parts + part], sum))
        one.bad_row = r;
    if (ref->sum) {
        double off = fabs(sum - ref->sum[r * ref->parts + part]);
        double bound = ref->bound[r * ref->parts + part];
        int has_terms = !rc_reference_row_is_empty(ref, r);
        one.compared = has_terms && bound >= 0;
        one.skipped = has_terms && bound < 0;
        if (!(off <= bound || bound < 0)) {
            one.off_row = r;
            one.off_ratio = isfinite(off) && bound > 0 ? off / bound : INFINITY;
        }
    }
    add_found(f, &one);
}

static rows_found_t scan_rows(
    const rc_reference_t *ref, const rc_row_finds_t *finds, const rc_product_t *p, int threads)
{
    static const rows_found_t none = {-1, -1, -1, 0, 0, 0};
    rows_found_t all = none;
#pragma omp parallel num_threads(threads) if (p->c.rows > ALONE)
    {
        rows_found_t mine = none;
#pragma omp for schedule(static) nowait
        for (int64_t i = 0; i < p->c.rows * ref->parts; i++)
            look_at_row(ref, finds, p, i / ref->parts, (int)(i % ref->parts), &mine);
#pragma omp critical(found_rows)
        add_found(&all, &mine);
    }
    return all;
}

/* Find the value of a bad row and say which it is. */
static rc_status_t explain(const rc_reference_t *ref, rc_device_t *d, const rc_product_t *p,
    const rows_found_t *f, rc_err_t *err)
{
    values_t v;
    rc_status_t st = values_new(FETCH, &v, err);
    if (st < 0)
        return st;
    const int64_t parts = p->c.cols * ref->parts;
    for (int64_t j0 = 0; j0 < parts; j0 += FETCH) {
        int64_t n = parts - j0 < FETCH ? parts - j0 : FETCH;
        for (int64_t i = 0; i < n; i++) {
            v.row[i] = f->bad_at;
            v.col[i] = (j0 + i) / ref->parts;
            v.part[i] = (unsigned char)((j0 + i) % ref->parts);
        }
        RC_TRY(fetch(d, p, &v, n, err));
        for (int64_t i = 0; i < n; i++) {
            int64_t col = ref->columns.j0 + (j0 + i) / ref->parts;
            if (v.poison[i])
                st = rc_fail(err, RC_EWRONG, "%s(%" PRId64 ", %" PRId64 ") was not stored to",
                    ref->op->out.name, f->bad_row, col);
            else if (v.value[i] != 0 && rc_reference_row_is_empty(ref, f->bad_row))
                st = rc_fail(err, RC_EWRONG,
                    "%s(%" PRId64 ", %" PRId64 "): expected 0 in a row without entries, found %.9g",
                    ref->op->out.name, f->bad_row, col, v.value[i]);
            if (st < 0)
                goto done;
        }
    }
    st = rc_fail(err, RC_EWRONG,
        "row %" PRId64 " of %s: a wrong value was seen and is not there any more", f->bad_row,
        ref->op->out.name);
done:
    free(v.row);
    return st;
}

static rc_status_t say_nothing(const rc_reference_t *ref, rc_err_t *err)
{
    return rc_fail(err, RC_ERANGE,
        "nothing of %s can be compared: sums of all that was looked at may exceed the largest "
        "number, so this says nothing about the kernel",
        ref->op->out.name);
}

static rc_status_t verdict(const rc_reference_t *ref, const rc_row_finds_t *finds, rc_device_t *d,
    const rc_product_t *p, errors_t *e, rc_err_t *err)
{
    rows_found_t f = scan_rows(ref, finds, p, d->executor.threads > 0 ? d->executor.threads : 1);
    int sample_wrong = e->max > 1; /* false for NaN */
    if (f.bad_row >= 0) {
        e->max = INFINITY;
        return explain(ref, d, p, &f, err);
    }
    if (sample_wrong)
        return rc_fail(err, RC_EWRONG,
            "%s(%" PRId64 ", %" PRId64 "): expected %.9g, found %.9g, %.3g times the bound",
            ref->op->out.name, e->row, e->col, e->ref, e->value, e->max);
    if (e->compared + f.compared == 0 && e->skipped + f.skipped > 0) {
        e->max = e->rel = NAN;
        return say_nothing(ref, err);
    }
    if (f.off_row < 0)
        return RC_OK;
    e->max = f.off_ratio;
    return rc_fail(err, RC_EWRONG,
        "row %" PRId64 " of %s: its sum with random signs is off by %.3g times the bound",
        f.off_row, ref->op->out.name, f.off_ratio);
}

void rc_row_finds_free(rc_row_finds_t *finds)
{
    free(finds->sum);
    free(finds->found);
    *finds = (rc_row_finds_t){0};
}

static rc_status_t make_room(rc_row_finds_t *finds, int64_t rows, rc_err_t *err)
{
    if (rows <= finds->capacity && finds->sum && finds->found)
        return RC_OK;
    rc_row_finds_free(finds);
    finds->sum = rc_alloc((size_t)rows, sizeof *finds->sum, "the row sums of C", err);
    finds->found = rc_alloc((size_t)rows, sizeof *finds->found, "the findings in C", err);
    RC_PASS(finds->sum && finds->found ? RC_OK : RC_ENOMEM);
    finds->capacity = rows;
    return RC_OK;
}

rc_status_t rc_reference_check(const rc_reference_t *ref, rc_row_finds_t *finds, rc_device_t *d,
    const rc_product_t *p, double *error_max, double *error_rel, rc_err_t *err)
{
    errors_t e = {.max = NAN, .rel = NAN};
    RC_PASS(make_room(finds, p->c.rows * ref->parts, err));
    RC_PASS(rc_dense_project_parts(
        d, &p->c, ref->sign, &(rc_dense_found_t){finds->sum, NULL, finds->found}, err));
    RC_PASS(check_sample(ref, d, p, &e, err));
    rc_status_t st = verdict(ref, finds, d, p, &e, err);
    *error_max = e.max;
    *error_rel = e.rel;
    return st;
}
