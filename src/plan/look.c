/* A pattern looked at where the caller has it, on the host. */
#include "config.h"
#include "base/error.h"
#include "base/threads.h"
#include "base/type.h"
#include "format/given.h"
#include "plan/plan_private.h"

/* What the threads find; sums are of rc_given_mix, places those of the first fault. */
typedef struct look {
    uint64_t sum[2];
    int64_t no_pointer; /* rows + 1: none */
    int64_t no_column;  /* entry; nnz: none */
    int ascending;
} look_t;

static int64_t pointer_at(const rc_plan_matrix_t *a, int64_t r)
{
    return rc_place_at(a->row_ptr, a->row_ptr_bytes, r);
}

static int64_t column_at(const rc_plan_matrix_t *a, int64_t i)
{
    return rc_place_at(a->col_idx, rc_given_col_bytes(a), i);
}

/* Entries of one row, which are within the array. */
static void look_at_row(const rc_plan_matrix_t *a, int64_t begin, int64_t end, look_t *to)
{
    int64_t before = -1;
    for (int64_t i = begin; i < end; i++) {
        int64_t col = column_at(a, i);
        if ((col < 0 || col >= a->cols) && i < to->no_column)
            to->no_column = i;
        to->ascending &= col > before;
        before = col;
        rc_given_mix(rc_given_column_word(i, col), to->sum);
    }
}

/* Row pointer r, and the entries before it. */
static void look_at(const rc_plan_matrix_t *a, int64_t r, look_t *to)
{
    int64_t p = pointer_at(a, r);
    int64_t before = r > 0 ? pointer_at(a, r - 1) : 0;
    if (!rc_given_follows(r, a->rows, a->nnz, before, p)) {
        to->no_pointer = r < to->no_pointer ? r : to->no_pointer;
        return;
    }
    rc_given_mix(rc_given_pointer_word(r, p), to->sum);
    if (before >= 0)
        look_at_row(a, before, p, to);
}

static void look(const rc_plan_matrix_t *a, int threads, look_t *out)
{
    *out = (look_t){.no_pointer = a->rows + 1, .no_column = a->nnz, .ascending = 1};
#pragma omp parallel num_threads(threads)
    {
        look_t mine = {.no_pointer = a->rows + 1, .no_column = a->nnz, .ascending = 1};
#pragma omp for schedule(dynamic, 1024) nowait
        for (int64_t r = 0; r <= a->rows; r++)
            look_at(a, r, &mine);
#pragma omp critical(rc_pattern_look)
        {
            out->sum[0] += mine.sum[0];
            out->sum[1] += mine.sum[1];
            out->ascending &= mine.ascending;
            if (mine.no_pointer < out->no_pointer)
                out->no_pointer = mine.no_pointer;
            if (mine.no_column < out->no_column)
                out->no_column = mine.no_column;
        }
    }
}

/* The row that has an entry. */
static int64_t row_of(const rc_plan_matrix_t *a, int64_t entry)
{
    int64_t r = 0;
    while (pointer_at(a, r + 1) <= entry)
        r++;
    return r;
}

rc_status_t rc_plan_pattern_check(
    const rc_plan_matrix_t *a, int on_device, const rc_pattern_info_t *out, rc_err_t *err)
{
    if (!a || !out)
        return rc_fail(
            err, RC_EINVAL, "pattern: expected a matrix and where to put it, found NULL");
    if (a->form != RC_PLAN_CSR || !a->on_device != !on_device)
        return rc_fail(err, RC_EINVAL, "matrix: expected CSR of the %s, found %s of the %s",
            on_device ? "GPU" : "host", a->form == RC_PLAN_CSR ? "CSR" : "another form",
            a->on_device ? "GPU" : "host");
    return rc_given_check_pattern(a, err);
}

rc_status_t rc_pattern_read_host(
    const rc_plan_matrix_t *a, int threads, rc_pattern_info_t *out, rc_err_t *err)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    look_t found;
    RC_PASS(rc_plan_pattern_check(a, 0, out, err));
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected at least 0, found %d", threads);
    look(a, a->nnz + a->rows < alone ? 1 : rc_thread_count(threads), &found);
    if (found.no_pointer <= a->rows)
        return rc_given_no_pointer(a, found.no_pointer,
            found.no_pointer > 0 ? pointer_at(a, found.no_pointer - 1) : 0,
            pointer_at(a, found.no_pointer), err);
    if (found.no_column < a->nnz)
        return rc_given_no_column(
            a, row_of(a, found.no_column), column_at(a, found.no_column), err);
    rc_given_seal(a->rows, a->cols, found.sum, out->digest);
    out->ascending = found.ascending;
    return RC_OK;
}
