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

/* The matrices of a store with times of csr2; those to fit on first. */
typedef struct searched {
    rc_csrk_srs_times_t *times; /* [count] */
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

static rc_status_t read_times(rc_tune_rows_t *r, searched_t *s, rc_err_t *err)
{
    const rc_view_t *v = r->view;
    RC_PASS(rc_tune_find(r, size_of, err));
    RC_PASS(RC_NEW(s->times, r->count, "times of csr2", err));
    for (int64_t i = 0; i < r->count; i++) {
        const rc_row_matrix_t *m = rc_view_matrix(v, r->matrix[i]);
        s->times[i] = (rc_csrk_srs_times_t){
            .name = m->name, .rdensity = rc_csrk_rdensity(m->rows, m->nnz), .loop = NAN};
        for (int k = 0; k < RC_CSRK_SRS_SIZES; k++)
            s->times[i].ns[k] = NAN;
    }
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const int size = size_of(v, i);
        const int64_t at = size < 0 ? -1 : rc_tune_place(r, i);
        if (at >= 0)
            *(size == RC_CSRK_SRS_SIZES ? &s->times[at].loop : &s->times[at].ns[size]) =
                rc_view_ns(v, i);
    }
    return RC_OK;
}

/* Matrices without all sizes are left out. */
static rc_status_t leave_out(const rc_tune_rows_t *r, searched_t *s, rc_err_t *err)
{
    for (int64_t i = 0; i < r->count; i++) {
        if (rc_csrk_srs_best(&s->times[i]) < 0) {
            fprintf(stderr, "%s lacks sizes and is left out\n", s->times[i].name);
            continue;
        }
        s->times[s->count++] = s->times[i];
        s->trains += i < r->trains;
    }
    return s->trains ? RC_OK
                     : rc_fail(err, RC_EINVAL,
                           "no matrix has csr2 with all 18 sizes, srs=8, 12, 16, 24, 32, .. 2048, "
                           "3072, to be fitted on");
}

/* ------------------------------------------------------------------- print */

static int paper_constant(void)
{
    int i = 0;
    while (rc_csrk_srs_sizes[i] != 96)
        i++;
    return i;
}

static rc_status_t print_matrices(
    const searched_t *s, int constant, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "matrix|part|rdensity:entries|best_srs:rows|constant_loss:x|loss_96:x|best_over_loop:x|"
        "constant_over_loop:x|over_loop_96:x";
    const int choice[] = {constant, paper_constant()};
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int64_t i = 0; i < s->count; i++) {
        const rc_csrk_srs_times_t *m = &s->times[i];
        int best = rc_csrk_srs_best(m);
        RC_CELLS(t, RC_TEXT(m->name), RC_TEXT(i < s->trains ? "fit" : "test"),
            RC_REAL(m->rdensity, 4), RC_INT(rc_csrk_srs_sizes[best]));
        for (int k = 0; k < 2; k++)
            rc_table_real(t, m->ns[choice[k]] / m->ns[best], 4);
        rc_table_real(t, m->loop / m->ns[best], 4);
        for (int k = 0; k < 2; k++)
            rc_table_real(t, m->loop / m->ns[choice[k]], 4);
    }
    return rc_table_end(t, err);
}

/* What a choice of SRS loses and gains on the matrices [from, to).
 * \param[in] size  an index; -1: the best of each */
static void put_judged(rc_table_t *t, const searched_t *s, int64_t from, int64_t to, int size)
{
    rc_sums_t loss = {0}; /* time over that of the best size */
    rc_sums_t over = {0}; /* time of the loop over it, where it was measured */
    for (int64_t i = from; i < to; i++) {
        const rc_csrk_srs_times_t *m = &s->times[i];
        int best = rc_csrk_srs_best(m);
        double ns = m->ns[size < 0 ? best : size];
        rc_sums_add(&loss, ns / m->ns[best]);
        if (!isnan(m->loop))
            rc_sums_add(&over, m->loop / ns);
    }
    RC_CELLS(t, RC_INT(to - from), RC_REAL(rc_sums_geomean(&loss), 4),
        RC_REAL(rc_sums_geomean(&over), 4), RC_REAL(rc_sums_least(&over), 4));
}

static rc_status_t print_choices(
    const searched_t *s, int constant, double mean, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "choice|srs:rows|geomean:of the best|part|matrices|loss:x|over_loop:x|least_over_loop:x";
    const struct {
        const char *name;
        int size;
    } choice[] = {{"tuned", -1}, {"constant", constant}, {"paper", paper_constant()}};
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (size_t c = 0; c < sizeof choice / sizeof *choice; c++)
        for (int test = 0; test < (s->count > s->trains ? 2 : 1); test++) {
            int64_t from = test ? s->trains : 0;
            int64_t to = test ? s->count : s->trains;
            const int size = choice[c].size;
            RC_CELLS(t, RC_TEXT(choice[c].name),
                size < 0 ? RC_MISSING : RC_INT(rc_csrk_srs_sizes[size]),
                RC_REAL(size == constant && c == 1 ? mean : NAN, 4),
                RC_TEXT(test ? "test" : "fit"));
            put_judged(t, s, from, to, size);
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
    searched_t s = {.times = NULL};
    rc_status_t st;
    if (f->output || f->round)
        return rc_fail(err, RC_EINVAL,
            "--output and --round are for the formulas of a GPU: of a CPU one number is fitted, "
            "which csr2 takes as srs=N");
    RC_TRY(read_times(r, &s, err));
    RC_TRY(leave_out(r, &s, err));
    st = print(&s, f, format, err);
done:
    free(s.times);
    return st;
}
