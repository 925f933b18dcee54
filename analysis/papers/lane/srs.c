#include "config.h"
#include "analysis/papers/lane/srs.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "kernels/tuning/csrk_fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The matrices of a store with times of csr2. */
typedef struct searched {
    rc_tune_rows_t *rows;
    rc_csrk_srs_times_t *times; /* [count] training matrices first, once arranged */
    int32_t *matrix;            /* [count] until then */
    unsigned *part;             /* [count] until then */
    int64_t count;
    int64_t trains;
} searched_t;

/* ------------------------------------------------------------------- store */

/* Of a row: the index of its size; RC_CSRK_SRS_SIZES: the loop; -1: neither, or not of a CPU. */
static int size_of(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = rc_view_result(v, i);
    const char *kernel = rc_view_kernel(v, r->kernel);
    if (strncmp(rc_view_device(v, r->device), "cpu:", 4) != 0 || !rc_view_counts(v, i))
        return -1;
    if (rc_spec_is(kernel, "plain-spmv-static"))
        return RC_CSRK_SRS_SIZES;
    int64_t srs = rc_spec_is(kernel, "csr2") ? rc_spec_number(kernel, "srs") : -1;
    for (int s = 0; s < RC_CSRK_SRS_SIZES; s++)
        if (rc_csrk_srs_sizes[s] == srs)
            return s;
    return -1;
}

int rc_tune_srs_is_there(const rc_tune_rows_t *r)
{
    for (int64_t i = 0; i < rc_view_count(r->view); i++) {
        int size = size_of(r->view, i);
        if (size >= 0 && size < RC_CSRK_SRS_SIZES && rc_tune_part(r, i))
            return 1;
    }
    return 0;
}

/* The place of a matrix; a new one has no times. */
static int64_t place_of(searched_t *s, int32_t matrix)
{
    const rc_row_matrix_t *m = rc_view_matrix(s->rows->view, matrix);
    for (int64_t i = 0; i < s->count; i++)
        if (s->matrix[i] == matrix)
            return i;
    rc_csrk_srs_times_t *t = &s->times[s->count];
    *t = (rc_csrk_srs_times_t){
        .name = m->name, .rdensity = rc_csrk_rdensity(m->rows, m->nnz), .loop = NAN};
    for (int k = 0; k < RC_CSRK_SRS_SIZES; k++)
        t->ns[k] = NAN;
    s->matrix[s->count] = matrix;
    s->part[s->count] = 0;
    return s->count++;
}

static rc_status_t collect(searched_t *s, rc_err_t *err)
{
    const rc_view_t *v = s->rows->view;
    rc_status_t st = RC_OK;
    for (int64_t i = 0; i < rc_view_count(v) && st == RC_OK; i++) {
        int size = size_of(v, i);
        unsigned part = size >= 0 ? rc_tune_part(s->rows, i) : 0;
        if (!part)
            continue;
        st = rc_tune_alike(s->rows, i, err);
        const rc_row_result_t *r = rc_view_result(v, i);
        int64_t at = place_of(s, r->matrix);
        rc_csrk_srs_times_t *t = &s->times[at];
        s->part[at] |= part;
        *(size == RC_CSRK_SRS_SIZES ? &t->loop : &t->ns[size]) = r->median_ns;
        if (st == RC_OK)
            st = rc_tune_part_check(s->part[at], t->name, err);
    }
    return st;
}

static int by_rdensity(const void *a, const void *b)
{
    const rc_csrk_srs_times_t *x = a;
    const rc_csrk_srs_times_t *y = b;
    if (x->rdensity != y->rdensity)
        return x->rdensity < y->rdensity ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Training matrices first, each part by rdensity; those without all sizes are left out. */
static rc_status_t arrange(searched_t *s, rc_err_t *err)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->count; i++) {
        if (rc_csrk_srs_best(&s->times[i]) < 0) {
            fprintf(stderr, "%s lacks sizes and is left out\n", s->times[i].name);
            continue;
        }
        rc_csrk_srs_times_t t = s->times[i];
        int trains = (s->part[i] & RC_TUNE_TRAINS) != 0;
        s->times[n] = trains ? s->times[s->trains] : t; /* a test matrix makes way */
        if (trains)
            s->times[s->trains++] = t;
        n++;
    }
    s->count = n;
    if (s->trains == 0)
        return rc_fail(err, RC_EINVAL,
            "no matrix has csr2 with all 18 sizes, srs=8, 12, 16, 24, 32, .. 2048, 3072, to be "
            "fitted on");
    qsort(s->times, (size_t)s->trains, sizeof *s->times, by_rdensity);
    qsort(s->times + s->trains, (size_t)(n - s->trains), sizeof *s->times, by_rdensity);
    return RC_OK;
}

/* ------------------------------------------------------------------- print */

static int paper_constant(void)
{
    int i = 0;
    while (rc_csrk_srs_sizes[i] != 96)
        i++;
    return i;
}

/* A number, or nothing for NaN. */
static void put_real(rc_table_t *t, double x)
{
    if (isnan(x))
        rc_table_missing(t);
    else
        rc_table_real(t, x, 4);
}

static rc_status_t print_matrices(
    const searched_t *s, int constant, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"matrix", ""}, {"part", ""}, {"rdensity", "entries"},
        {"best_srs", "rows"}, {"constant_loss", "x"}, {"loss_96", "x"}, {"best_over_loop", "x"},
        {"constant_over_loop", "x"}, {"over_loop_96", "x"}};
    const int choice[] = {constant, paper_constant()};
    rc_table_t *t = rc_table_begin(stdout, format, columns, sizeof columns / sizeof *columns, err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < s->count; i++) {
        const rc_csrk_srs_times_t *m = &s->times[i];
        int best = rc_csrk_srs_best(m);
        RC_CELLS(t, RC_TEXT(m->name), RC_TEXT(i < s->trains ? "fit" : "test"),
            RC_REAL(m->rdensity, 4), RC_INT(rc_csrk_srs_sizes[best]));
        for (int k = 0; k < 2; k++)
            rc_table_real(t, m->ns[choice[k]] / m->ns[best], 4);
        put_real(t, m->loop / m->ns[best]);
        for (int k = 0; k < 2; k++)
            put_real(t, m->loop / m->ns[choice[k]]);
    }
    return rc_table_end(t, err);
}

/* What a choice of SRS loses and gains on some matrices: geomeans. */
typedef struct judged {
    double loss;  /* time over that of the best size */
    double over;  /* time of the loop over it, where it was measured */
    double least; /* of those */
} judged_t;

/* \param[in] size  an index; -1: the best of each */
static judged_t judge(const searched_t *s, int64_t from, int64_t to, int size)
{
    judged_t j = {.least = NAN};
    int64_t looped = 0;
    for (int64_t i = from; i < to; i++) {
        const rc_csrk_srs_times_t *m = &s->times[i];
        int best = rc_csrk_srs_best(m);
        double ns = m->ns[size < 0 ? best : size];
        j.loss += log(ns / m->ns[best]);
        if (isnan(m->loop))
            continue;
        looped++;
        j.over += log(m->loop / ns);
        j.least = fmin(j.least, m->loop / ns);
    }
    j.loss = to > from ? exp(j.loss / (double)(to - from)) : NAN;
    j.over = looped ? exp(j.over / (double)looped) : NAN;
    return j;
}

static rc_status_t print_choices(
    const searched_t *s, int constant, double mean, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"choice", ""}, {"srs", "rows"},
        {"geomean", "of the best"}, {"part", ""}, {"matrices", ""}, {"loss", "x"},
        {"over_loop", "x"}, {"least_over_loop", "x"}};
    const struct {
        const char *name;
        int size;
    } choice[] = {{"tuned", -1}, {"constant", constant}, {"paper", paper_constant()}};
    rc_table_t *t = rc_table_begin(stdout, format, columns, sizeof columns / sizeof *columns, err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (size_t c = 0; c < sizeof choice / sizeof *choice; c++)
        for (int test = 0; test < (s->count > s->trains ? 2 : 1); test++) {
            int64_t from = test ? s->trains : 0;
            int64_t to = test ? s->count : s->trains;
            const judged_t j = judge(s, from, to, choice[c].size);
            rc_table_text(t, choice[c].name);
            if (choice[c].size < 0)
                rc_table_missing(t);
            else
                rc_table_int(t, rc_csrk_srs_sizes[choice[c].size]);
            put_real(t, choice[c].size == constant && c == 1 ? mean : NAN);
            rc_table_text(t, test ? "test" : "fit");
            rc_table_int(t, to - from);
            put_real(t, j.loss);
            put_real(t, j.over);
            put_real(t, j.least);
        }
    return rc_table_end(t, err);
}

static rc_status_t print(
    const searched_t *s, const rc_tune_fit_t *f, rc_table_format_t format, rc_err_t *err)
{
    double mean = NAN;
    int constant = rc_csrk_srs_constant(s->times, s->trains, &mean);
    rc_status_t st = RC_OK;
    if (f->report)
        st = print_matrices(s, constant, format, err);
    if (f->report && format != RC_TABLE_TEXT)
        return st;
    if (f->report)
        (void)printf("\n");
    return st == RC_OK ? print_choices(s, constant, mean, format, err) : st;
}

rc_status_t rc_tune_srs(
    rc_tune_rows_t *r, const rc_tune_fit_t *f, rc_table_format_t format, rc_err_t *err)
{
    size_t most = (size_t)rc_view_matrices(r->view) + 1;
    searched_t s = {.rows = r};
    rc_status_t st;
    if (f->output || f->round)
        return rc_fail(err, RC_EINVAL,
            "--output and --round are for the formulas of a GPU: of a CPU one number is fitted, "
            "which csr2 takes as srs=N");
    s.times = rc_alloc(most, sizeof *s.times, "times of csr2", err);
    s.matrix = rc_alloc(most, sizeof *s.matrix, "times of csr2", err);
    s.part = rc_alloc(most, sizeof *s.part, "times of csr2", err);
    RC_TRY(s.times && s.matrix && s.part ? RC_OK : RC_ENOMEM);
    RC_TRY(collect(&s, err));
    RC_TRY(arrange(&s, err));
    st = print(&s, f, format, err);
done:
    free(s.times);
    free(s.matrix);
    free(s.part);
    return st;
}
