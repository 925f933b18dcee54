#include "config.h"
#include "analysis/papers/lane/fit.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/stats.h"
#include "kernels/tuning/csrk_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- rows */

rc_status_t rc_tune_rows_open(const rc_tune_fit_t *f, rc_tune_rows_t *out, rc_err_t *err)
{
    *out = (rc_tune_rows_t){.first = -1};
    RC_PASS(rc_view_read(f->store, &out->view, err));
    RC_PASS(rc_view_compile(f->where, "--where", &out->where, err));
    RC_PASS(rc_view_compile(f->test ? f->test : RC_TUNE_TEST, "--test", &out->test, err));
    rc_status_t st = rc_view_check(out->view, out->where, err);
    return st < 0 ? rc_err_context(err, "--where") : RC_OK;
}

void rc_tune_rows_close(rc_tune_rows_t *r)
{
    rc_expr_free(r->where);
    rc_expr_free(r->test);
    rc_view_free(r->view);
    free(r->matrix);
}

unsigned rc_tune_part(const rc_tune_rows_t *r, int64_t i)
{
    return (rc_view_matches(r->view, i, r->where) ? RC_TUNE_TRAINS : 0u) |
           (rc_view_matches(r->view, i, r->test) ? RC_TUNE_TESTS : 0u);
}

/* The first row that is asked is what the others are compared with. */
static rc_status_t check_alike(rc_tune_rows_t *r, int64_t i, rc_err_t *err)
{
    if (r->first < 0)
        r->first = i;
    const rc_row_result_t *x = rc_view_result(r->view, i);
    const rc_row_result_t *f = rc_view_result(r->view, r->first);
    if (x->policy != f->policy)
        return rc_fail(err, RC_EINVAL,
            "orders %s and %s have times: expected one, as by --where 'order == csr'",
            rc_view_policy(r->view, f->policy), rc_view_policy(r->view, x->policy));
    if (x->precision != f->precision || x->cache != f->cache || x->device != f->device)
        return rc_fail(err, RC_EINVAL,
            "times are of two settings: expected one precision, cache and device, as by --where "
            "'precision == %s'",
            rc_view_name(rc_precision_names, f->precision));
    return RC_OK;
}

/* A matrix that is found, as it is sorted. */
typedef struct found {
    unsigned part;
    double rdensity;
    const char *name;
    int32_t matrix;
} found_t;

static int by_part_rdensity(const void *a, const void *b)
{
    const found_t *x = a;
    const found_t *y = b;
    if (x->part != y->part)
        return x->part == RC_TUNE_TRAINS ? -1 : 1;
    if (x->rdensity != y->rdensity)
        return x->rdensity < y->rdensity ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* \param[in,out] part  [matrices of the view] what each is of */
static rc_status_t mark(rc_tune_rows_t *r, rc_tune_time_fn *time, unsigned *part, rc_err_t *err)
{
    for (int64_t i = 0; i < rc_view_count(r->view); i++) {
        const int32_t m = rc_view_result(r->view, i)->matrix;
        const unsigned of = time(r->view, i) >= 0 ? rc_tune_part(r, i) : 0;
        if (!of)
            continue;
        RC_PASS(check_alike(r, i, err));
        part[m] |= of;
        if (part[m] == (RC_TUNE_TRAINS | RC_TUNE_TESTS))
            return rc_fail(err, RC_EINVAL,
                "%s is in the test set and cannot be fitted on: --where says what is, --test what "
                "is tested",
                rc_view_matrix(r->view, m)->name);
    }
    return RC_OK;
}

rc_status_t rc_tune_find(rc_tune_rows_t *r, rc_tune_time_fn *time, rc_err_t *err)
{
    const size_t n = (size_t)rc_view_matrices(r->view);
    unsigned *part = rc_alloc0(n, sizeof *part, "matrices", err);
    found_t *list = rc_alloc(n, sizeof *list, "matrices", err);
    rc_status_t st;
    free(r->matrix);
    r->matrix = rc_alloc(n, sizeof *r->matrix, "matrices", err);
    r->count = r->trains = 0;
    RC_TRY(part && list && r->matrix ? RC_OK : RC_ENOMEM);
    RC_TRY(mark(r, time, part, err));
    for (int32_t i = 0; i < (int32_t)n; i++) {
        const rc_row_matrix_t *m = rc_view_matrix(r->view, i);
        if (part[i])
            list[r->count++] = (found_t){part[i], rc_csrk_rdensity(m->rows, m->nnz), m->name, i};
        r->trains += part[i] == RC_TUNE_TRAINS;
    }
    qsort(list, (size_t)r->count, sizeof *list, by_part_rdensity);
    for (int64_t i = 0; i < r->count; i++)
        r->matrix[i] = list[i].matrix;
done:
    free(part);
    free(list);
    return st;
}

int64_t rc_tune_place(const rc_tune_rows_t *r, int64_t i)
{
    int64_t at = rc_tune_part(r, i) ? r->count - 1 : -1;
    while (at >= 0 && r->matrix[at] != rc_view_result(r->view, i)->matrix)
        at--;
    return at;
}

/* ------------------------------------------------------------------- pairs */

/* The matrices of a store with times of pairs; those to fit on first. */
typedef struct pairs {
    rc_tune_rows_t rows;
    rc_csrk_times_t *times; /* [count] */
    int64_t count;
    int64_t trains;
} pairs_t;

/* ------------------------------------------------------------------- store */

static int size_index(int64_t size)
{
    for (int i = 0; i < RC_CSRK_SIZES; i++)
        if (rc_csrk_fit_sizes[i] == size)
            return i;
    return -1;
}

/* Which pair row i is a time of, by csr3 and behind these by csr35; -1: none. */
static int pair_of(const rc_view_t *v, int64_t i)
{
    const char *kernel = rc_view_kernel(v, rc_view_result(v, i)->kernel);
    const int serial = rc_spec_is(kernel, "csr3");
    if ((!serial && !rc_spec_is(kernel, "csr35")) || rc_spec_begins(kernel, "reduce", "shuffle") ||
        !rc_view_counts(v, i))
        return -1;
    const int ssrs = size_index(rc_spec_number(kernel, "ssrs"));
    const int srs = size_index(rc_spec_number(kernel, "srs"));
    return ssrs < 0 || srs < 0 ? -1 : (!serial * RC_CSRK_SIZES + ssrs) * RC_CSRK_SIZES + srs;
}

/* GPUSpMV-3 is the kernel of case 1, whatever was asked for. */
static rc_status_t read_pairs(pairs_t *p, rc_err_t *err)
{
    const double serial_up_to = 8;
    const rc_view_t *v = p->rows.view;
    RC_PASS(rc_tune_find(&p->rows, pair_of, err));
    p->count = p->rows.count;
    p->trains = p->rows.trains;
    RC_PASS(RC_NEW(p->times, p->count, "times of pairs", err));
    for (int64_t i = 0; i < p->count; i++) {
        const rc_row_matrix_t *m = rc_view_matrix(v, p->rows.matrix[i]);
        rc_csrk_times_t *t = &p->times[i];
        *t = (rc_csrk_times_t){
            .name = m->name, .rdensity = rc_csrk_rdensity(m->rows, m->nnz), .rows = m->rows};
        for (int k = 0; k < RC_CSRK_SIZES * RC_CSRK_SIZES; k++)
            t->serial.ns[k / RC_CSRK_SIZES][k % RC_CSRK_SIZES] =
                t->own.ns[k / RC_CSRK_SIZES][k % RC_CSRK_SIZES] = NAN;
    }
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const int pair = pair_of(v, i);
        const int64_t at = pair < 0 ? -1 : rc_tune_place(&p->rows, i);
        if (at < 0)
            continue;
        rc_csrk_grid_t *g =
            pair < RC_CSRK_SIZES * RC_CSRK_SIZES ? &p->times[at].serial : &p->times[at].own;
        g->ns[pair / RC_CSRK_SIZES % RC_CSRK_SIZES][pair % RC_CSRK_SIZES] = rc_view_ns(v, i);
    }
    for (int64_t i = 0; i < p->count; i++)
        if (p->times[i].rdensity <= serial_up_to)
            p->times[i].own = p->times[i].serial;
    return RC_OK;
}

static int is_measured(const rc_csrk_grid_t *g)
{
    int at[2];
    return !isnan(rc_csrk_fit_best(g, &at[0], &at[1]));
}

/* Leave out training matrices that lack pairs, as where a sweep was cut; if all do, the fit says
 * what is missing. */
static void leave_out(pairs_t *p)
{
    int64_t complete = 0;
    for (int64_t i = 0; i < p->trains; i++)
        complete += is_measured(&p->times[i].serial) && is_measured(&p->times[i].own);
    if (complete == 0)
        return;
    int64_t n = 0;
    for (int64_t i = 0; i < p->count; i++) {
        const rc_csrk_times_t t = p->times[i];
        if (i >= p->trains || (is_measured(&t.serial) && is_measured(&t.own)))
            p->times[n++] = t;
        else
            fprintf(stderr, "%s lacks pairs and is left out\n", t.name);
    }
    p->count = n;
    p->trains = complete;
}

/* ------------------------------------------------------------------- print */

static void put_sizes(rc_table_t *t, const rc_csrk_times_t *m, const rc_csrk_tuning_t *tuning)
{
    rc_csrk_sizes_t s = rc_csrk_sizes(tuning, RC_CSRK_NEW, m->rdensity);
    rc_csrk_fill(tuning, m->rows, &s);
    RC_CELLS(
        t, RC_INT(s.ssrs), RC_INT(s.srs), RC_REAL(rc_csrk_fit_loss(m, tuning, RC_CSRK_NEW), 4));
}

static void put_best(rc_table_t *t, const rc_csrk_grid_t *g)
{
    int at[2] = {-1, -1};
    if (isnan(rc_csrk_fit_best(g, &at[0], &at[1])))
        RC_CELLS(t, RC_TEXT(""), RC_TEXT(""));
    else
        RC_CELLS(t, RC_INT(rc_csrk_fit_sizes[at[0]]), RC_INT(rc_csrk_fit_sizes[at[1]]));
}

/* A line a matrix: best pairs over rdensity, and what three tunings say and lose. */
static rc_status_t print_matrices(
    const pairs_t *p, const rc_csrk_fit_t *f, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "matrix|part|rdensity:entries|case|serial_ssrs:best|serial_srs:best|ssrs:best|srs:best|"
        "fit_ssrs|fit_srs|fit_loss:x|volta_ssrs|volta_srs|volta_loss:x|ampere_ssrs|ampere_srs|"
        "ampere_loss:x";
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int64_t i = 0; i < p->count; i++) {
        const rc_csrk_times_t *m = &p->times[i];
        if (!is_measured(&m->own))
            continue;
        RC_CELLS(t, RC_TEXT(m->name), RC_TEXT(i < p->trains ? "fit" : "test"),
            RC_REAL(m->rdensity, 4),
            RC_INT(rc_csrk_sizes(&f->tuning, RC_CSRK_NEW, m->rdensity).number));
        put_best(t, &m->serial);
        put_best(t, &m->own);
        put_sizes(t, m, &f->tuning);
        put_sizes(t, m, rc_csrk_tuning_find("volta"));
        put_sizes(t, m, rc_csrk_tuning_find("ampere"));
    }
    return rc_table_end(t, err);
}

/* The geomean loss over a part; NaN: it has no matrix. */
static double loss_of(const pairs_t *p, int64_t from, int64_t to, const rc_csrk_tuning_t *t,
    rc_csrk_reading_t reading)
{
    rc_sums_t loss = {0};
    for (int64_t i = from; i < to; i++)
        if (is_measured(&p->times[i].own))
            rc_sums_add(&loss, rc_csrk_fit_loss(&p->times[i], t, reading));
    return rc_sums_geomean(&loss);
}

/* A line a tuning: lines, factors and loss. */
static rc_status_t print_tunings(
    const pairs_t *p, const rc_csrk_fit_t *f, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "tuning|reading|ssrs:constant|ssrs_slope|srs:constant|srs_slope|case2:ssrs, srs|"
        "case3:ssrs, srs|case4:ssrs, srs|fit_loss:x|test_loss:x";
    rc_csrk_tuning_t regressed = {.device = "regression",
        .ssrs = f->regressed[0],
        .srs = f->regressed[1],
        .factors = {{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}}};
    const rc_csrk_tuning_t *of[] = {
        &regressed, &f->tuning, rc_csrk_tuning_find("volta"), rc_csrk_tuning_find("ampere")};
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (size_t i = f->tuning.multiprocessors > 0; i < sizeof of / sizeof *of; i++)
        for (int r = 0; r < (i < 2 ? 1 : 3); r++) {
            rc_csrk_reading_t reading = (rc_csrk_reading_t)r;
            RC_CELLS(t, RC_TEXT(of[i]->device), RC_TEXT(rc_csrk_reading_names[r]),
                RC_REAL(of[i]->ssrs.constant, 5), RC_REAL(of[i]->ssrs.slope, 5),
                RC_REAL(of[i]->srs.constant, 5), RC_REAL(of[i]->srs.slope, 5));
            for (int c = 1; c < RC_CSRK_CASES; c++) {
                char text[48];
                (void)snprintf(text, sizeof text, "%g, %g%s", of[i]->factors[c].ssrs,
                    of[i]->factors[c].srs, of[i]->factors[c].of_ssrs ? " SSRS" : "");
                rc_table_text(t, text);
            }
            RC_CELLS(t, RC_REAL(loss_of(p, 0, p->trains, of[i], reading), 4),
                RC_REAL(loss_of(p, p->trains, p->count, of[i], reading), 4));
        }
    return rc_table_end(t, err);
}

static rc_status_t fit_pairs(
    pairs_t *p, const rc_tune_fit_t *f, rc_table_format_t format, rc_err_t *err)
{
    const rc_view_t *v = p->rows.view;
    rc_csrk_fit_t fit;
    leave_out(p);
    const char *device =
        f->device ? f->device : rc_view_device(v, rc_view_result(v, p->rows.first)->device);
    if (f->multiprocessors > 0)
        RC_PASS(rc_csrk_fit_filled(
            p->times, p->trains, (int32_t)f->multiprocessors, device, &fit, err));
    else
        RC_PASS(rc_csrk_fit(p->times, p->trains, f->round, device, &fit, err));
    if (f->output)
        RC_PASS(rc_csrk_tuning_write(f->output, &fit, p->times, p->trains, err));
    if (f->report && format == RC_TABLE_TEXT)
        RC_PASS(print_matrices(p, &fit, format, err));
    if (f->report && format == RC_TABLE_TEXT && f->multiprocessors > 0)
        (void)printf("\n");
    else if (f->report && format == RC_TABLE_TEXT)
        (void)printf("\nslopes kept: ssrs %g, srs %g; loss by GPUSpMV-3 %.4f as regressed, %.4f as "
                     "lowered\n\n",
            fit.share[0], fit.share[1], fit.serial_loss[0], fit.serial_loss[1]);
    return f->report && format != RC_TABLE_TEXT ? print_matrices(p, &fit, format, err)
                                                : print_tunings(p, &fit, format, err);
}

rc_status_t rc_tune_fit(const rc_tune_fit_t *f, rc_table_format_t format, rc_err_t *err)
{
    pairs_t p = {.count = 0};
    rc_status_t st;
    RC_TRY(rc_tune_rows_open(f, &p.rows, err));
    RC_TRY(read_pairs(&p, err));
    if (p.count > 0)
        st = fit_pairs(&p, f, format, err);
    else if (rc_tune_srs_is_there(&p.rows))
        st = rc_tune_srs(&p.rows, f, format, err);
    else
        st = rc_fail(err, RC_EINVAL,
            "there is no time of a pair: expected csr3:srs=S:ssrs=T and csr35:srs=S:ssrs=T with "
            "S, T of 4, 6, 8, 12, 16, 24, 32, 48 (jobs/campaign.sh csrk-fit), or of a CPU "
            "csr2:srs=S with S of 8, 12, 16, 24, .. 3072");
done:
    free(p.times);
    rc_tune_rows_close(&p.rows);
    return st;
}
