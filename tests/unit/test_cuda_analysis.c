/* What the CUDA kernels say about a matrix before anything is prepared: needs no GPU. */
#include "config.h"
#include "unit.h"

#include "fixture.h"
#include "kernels/kernel.h"
#include "kernels/specs.h"
#include "kernels/vendor/vendor.h"
#include "order/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel with its default parameters on a matrix under a schedule. */
typedef struct asked {
    const rc_kernel_t *kernel;
    const rc_csr_t *a;
    const rc_schedule_t *schedule;
    rc_problem_t p;
    char label[200];
} asked_t;

typedef void check_fn(const asked_t *q);

static rc_problem_t problem_of(const rc_kernel_t *k, const rc_csr_t *a, const rc_schedule_t *s,
    rc_precision_t precision, rc_c_order_t c_order)
{
    const rc_operation_t *o = rc_operation_of(k->op);
    int identity = rc_schedule_is_identity(s);
    rc_problem_t p = {.k = 1,
        .precision = precision,
        .c_order = identity ? RC_C_ORIGINAL : c_order,
        .a = a,
        .schedule = s,
        .identity = identity};
    p.c_rows = p.c_order == RC_C_ORIGINAL ? rc_shape_rows(&o->out, a) : s->slots;
    for (int i = 0; i < RC_KERNEL_PARAMS_MAX && k->param[i].name; i++)
        p.param[i] = k->param[i].value;
    return p;
}

static void ask_all(const rc_csr_t *a, const rc_schedule_t *s, const char *matrix, int which,
    check_fn *check)
{
    for (int i = 0; rc_kernels[i]; i++)
        for (int v = 0; v < 4; v++) {
            asked_t q = {.kernel = rc_kernels[i], .a = a, .schedule = s};
            if (q.kernel->device != RC_DEVICE_CUDA)
                continue;
            q.p = problem_of(q.kernel, a, s, (rc_precision_t)(v & 1),
                v & 2 ? RC_C_SCHEDULE : RC_C_ORIGINAL);
            snprintf(q.label, sizeof q.label, "%s, matrix '%s', %s, schedule %s, output in %s order",
                q.kernel->name, matrix, rc_precision_name(q.p.precision), schedule_name(which),
                rc_c_order_name(q.p.c_order));
            check(&q);
        }
}

static void on_everything(check_fn *check)
{
    for (int m = 0; m < shape_count; m++) {
        rc_csr_t a = make_matrix(&shapes[m], 100 + (uint64_t)m);
        for (int which = 0; which < SCHEDULE_POLICIES; which++) {
            rc_schedule_t s = make_schedule(&a, which, (rc_geometry_t){32, 32, 32});
            ask_all(&a, &s, shapes[m].name, which, check);
            rc_schedule_free(&s);
        }
        free_matrix(&a);
    }
}

/* Slots that hold a row. */
static int64_t held(const rc_schedule_t *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->slots; i++)
        n += s->row[i] >= 0;
    return n;
}

static void check_answer(const asked_t *q)
{
    rc_analysis_t x;
    rc_err_t err = {0};
    rc_status_t st = rc_kernel_analyse(q->kernel, &q->p, &x, &err);
    if (st == RC_ENOTSUP) {
        if (!err.text[0])
            fail_msg("%s: refused without a reason", q->label);
        return;
    }
    if (st != RC_OK)
        fail_msg("%s: %s", q->label, err.text);
    int64_t rows = q->p.c_order == RC_C_ORIGINAL ? q->p.c_rows : held(q->schedule);
    int64_t value = (int64_t)rc_precision_bytes(q->p.precision);
    if (x.stored_rows != rows)
        fail_msg("%s: %d rows are stored, said were %d", q->label, (int)rows, (int)x.stored_rows);
    /* values of the entries and, but of a dense matrix, columns of 16 bits at least */
    int64_t least = q->a->nnz * (value + (rc_vendor_is_dense(q->kernel->name) ? 0 : 2));
    if (x.traffic < least || x.bytes < least || x.bytes_per_column < 0)
        fail_msg("%s: %d bytes, traffic %d, expected at least %d", q->label, (int)x.bytes,
            (int)x.traffic, (int)least);
    if (x.fill < 1)
        fail_msg("%s: fill %g", q->label, x.fill);
}

static void answers_are_plausible(void **state)
{
    (void)state;
    on_everything(check_answer);
}

static void check_all_k(const asked_t *q)
{
    rc_analysis_t one;
    rc_analysis_t many;
    rc_problem_t p = q->p;
    p.k = 77;
    rc_status_t st = rc_kernel_analyse(q->kernel, &q->p, &one, NULL);
    if (rc_kernel_analyse(q->kernel, &p, &many, NULL) != st)
        fail_msg("%s: whether it is supported depends on K", q->label);
    if (st == RC_OK &&
        (one.bytes != many.bytes || one.bytes_per_column != many.bytes_per_column ||
            one.columns != many.columns || one.traffic_per_column != many.traffic_per_column ||
            one.traffic != many.traffic || one.stored_rows != many.stored_rows))
        fail_msg("%s: the analysis depends on K", q->label);
}

static void answers_are_for_all_k(void **state)
{
    (void)state;
    on_everything(check_all_k);
}

/* Slots in slices of the default size, each as wide as its longest row, counted entry by entry. */
static int64_t stored_in_slices(const asked_t *q, int64_t slice)
{
    int64_t stored = 0;
    for (int64_t first = 0; first < q->schedule->slots; first += slice) {
        int64_t width = 0;
        for (int64_t i = first; i < first + slice && i < q->schedule->slots; i++) {
            int64_t r = q->schedule->row[i];
            if (r >= 0 && q->a->row_ptr[r + 1] - q->a->row_ptr[r] > width)
                width = q->a->row_ptr[r + 1] - q->a->row_ptr[r];
        }
        stored += width * slice;
    }
    return stored;
}

static void check_sell(const asked_t *q)
{
    rc_analysis_t x;
    if (strcmp(q->kernel->name, "cusparse-spmv-sell") != 0 ||
        rc_kernel_analyse(q->kernel, &q->p, &x, NULL) != RC_OK || q->a->nnz == 0)
        return;
    int64_t expected = stored_in_slices(q, q->p.param[0]);
    if (!(x.fill * (double)q->a->nnz > (double)expected - 0.5 &&
            x.fill * (double)q->a->nnz < (double)expected + 0.5))
        fail_msg("%s: %d entries are stored, said were %g", q->label, (int)expected,
            x.fill * (double)q->a->nnz);
}

static void padding_of_slices_is_counted(void **state)
{
    (void)state;
    on_everything(check_sell);
}

/* Operations whose output is not in the order of the rows take any schedule or say why not. */
static void check_order_of_output(const asked_t *q)
{
    rc_analysis_t x;
    if (q->kernel->op != RC_OP_SPMM_T && q->kernel->op != RC_OP_SDDMM)
        return;
    rc_status_t st = rc_kernel_analyse(q->kernel, &q->p, &x, NULL);
    if (q->p.c_order != RC_C_ORIGINAL && st != RC_ENOTSUP)
        fail_msg("%s: accepted", q->label);
    if (q->p.identity && st != RC_OK)
        fail_msg("%s: refused", q->label);
    if (strncmp(q->kernel->name, "gplain", 6) == 0 && q->p.c_order == RC_C_ORIGINAL && st != RC_OK)
        fail_msg("%s: refused", q->label);
}

static void orders_of_the_output_are_checked(void **state)
{
    (void)state;
    on_everything(check_order_of_output);
}

/* Copies of operands beside them move what they have twice, and take no more memory than so many
 * columns of them. */
static void check_copies(const asked_t *q)
{
    const rc_operation_t *op = rc_operation_of(q->kernel->op);
    const rc_kernel_t *rows = q->kernel->kind;
    rc_analysis_t x;
    rc_analysis_t of;
    if (rc_kernel_analyse(q->kernel, &q->p, &x, NULL) != RC_OK || x.columns == 0 ||
        rc_kernel_analyse(rows, &q->p, &of, NULL) != RC_OK)
        return;
    int64_t value = (int64_t)rc_precision_bytes(q->p.precision);
    int64_t in = rc_layout_in(q->kernel->layout) == RC_COL_MAJOR ? q->a->cols : 0;
    int64_t out = rc_layout_out(q->kernel->layout) == RC_COL_MAJOR ? q->p.c_rows : 0;
    int64_t some = 7 < x.columns ? 7 : x.columns;
    int64_t copies = (in + out) * value * (some + 16 / value - 1);
    int64_t parts = of.bytes_per_column * (16 / value - 1);
    if (rc_analysis_bytes(&x, some) != rc_analysis_bytes(&of, some) + copies + parts)
        fail_msg("%s: %d bytes", q->label, (int)rc_analysis_bytes(&x, some));
    if (rc_analysis_bytes(&x, x.columns) != rc_analysis_bytes(&x, 10 * x.columns))
        fail_msg("%s: no bound", q->label);
    if (rc_analysis_traffic(&x, op, &q->p, 5) !=
        rc_analysis_traffic(&of, op, &q->p, 5) + 2 * (in + out) * value * 5)
        fail_msg("%s: other traffic", q->label);
}

static void copies_are_counted(void **state)
{
    (void)state;
    on_everything(check_copies);
}

/* A dense matrix has room for every column of every row, and is refused from its limit on. */
static void check_dense(const asked_t *q)
{
    rc_analysis_t x;
    rc_analysis_t csr;
    rc_problem_t p = q->p;
    const rc_kernel_t *of = rc_kernel_find("growmajor", RC_DEVICE_CUDA);
    if (!rc_vendor_is_dense(q->kernel->name) || rc_kernel_analyse(of, &q->p, &csr, NULL) != RC_OK)
        return;
    const int64_t bytes = q->a->nnz > 0 ? p.c_rows * q->a->cols * (int64_t)rc_precision_bytes(p.precision) : 0;
    for (p.param[0] = 1; p.param[0] <= 1024; p.param[0] *= 2) {
        rc_err_t err = {0};
        rc_status_t st = rc_kernel_analyse(q->kernel, &p, &x, &err);
        if ((st == RC_OK) != (bytes <= p.param[0] * csr.bytes))
            fail_msg("%s: fill %d: %d bytes beside %d: %s", q->label, (int)p.param[0], (int)bytes, (int)csr.bytes, err.text);
        if (st != RC_OK)
            assert_true(st == RC_ENOTSUP && strstr(err.text, "shape: a dense matrix takes more than fill = "));
        else if (x.traffic != bytes || x.bytes < bytes)
            fail_msg("%s: %d bytes, traffic %d", q->label, (int)x.bytes, (int)x.traffic);
    }
}

static void dense_matrices_are_counted(void **state)
{
    (void)state;
    on_everything(check_dense);
}

/* Rows of neighbouring columns: so many have the same ones, and those of the next begin `stride` further. */
static rc_csr_t rows_of_runs(int64_t rows, int64_t entries, int64_t alike, int64_t stride)
{
    rc_csr_t a = {.rows = rows, .cols = rows / alike * stride + entries, .nnz = rows * entries};
    a.row_ptr = malloc(((size_t)rows + 1) * sizeof *a.row_ptr);
    a.col_idx = malloc((size_t)a.nnz * sizeof *a.col_idx);
    a.val = calloc((size_t)a.nnz, sizeof *a.val);
    assert_true(a.row_ptr && a.col_idx && a.val);
    for (int64_t r = 0; r <= rows; r++)
        a.row_ptr[r] = r * entries;
    for (int64_t i = 0; i < a.nnz; i++)
        a.col_idx[i] = (int32_t)(i / entries / alike * stride + i % entries);
    return a;
}

static int64_t bytes_with(const char *kernel, const rc_csr_t *a)
{
    rc_kernel_spec_t spec;
    rc_analysis_t x;
    rc_schedule_t s = {.rows = 0};
    assert_int_equal(rc_order_build("csr", a, NULL, 1, &s, NULL), RC_OK);
    assert_int_equal(rc_kernel_spec_parse(kernel, RC_DEVICE_CUDA, &spec, NULL), RC_OK);
    rc_problem_t p = {.k = 1, .a = a, .schedule = &s, .identity = 1, .c_rows = a->rows};
    memcpy(p.param, spec.param, sizeof p.param);
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &x, NULL), RC_OK);
    rc_schedule_free(&s);
    return x.bytes;
}

/* Loads are shared where that is faster, and strips are only as wide as rows share them. */
static void rows_share_loads_that_are_alike(void **state)
{
    (void)state;
    enum { ROWS = 2048 };
    rc_csr_t few = rows_of_runs(ROWS, 32, 1, 24);
    rc_csr_t half = rows_of_runs(ROWS, 32, 1, 16); /* of four rows a share is not worth what their values take */
    rc_csr_t all = rows_of_runs(ROWS, 32, 4, 32);
    rc_csr_t wide = rows_of_runs(ROWS, 256, 256, 256);
    assert_int_equal(bytes_with("gstage", &few), bytes_with("gstage:rows=1", &few));
    assert_true(bytes_with("gstage", &few) < bytes_with("gstage:rows=2", &few));
    assert_int_equal(bytes_with("gstage", &half), bytes_with("gstage:rows=2", &half));
    assert_int_equal(bytes_with("gstage", &all), bytes_with("gstage:rows=4", &all));
    assert_true(bytes_with("gstage", &all) < bytes_with("gstage:rows=1", &all));
    for (int ctas = 3; ctas <= 4; ctas++) {
        char text[3][64];
        snprintf(text[0], sizeof text[0], "gstage:rows=4:ctas=%d", ctas);
        snprintf(text[1], sizeof text[1], "gstage:rows=4:ctas=%d:strip=128", ctas);
        snprintf(text[2], sizeof text[2], "gstage:rows=4:ctas=%d:strip=256", ctas);
        assert_int_equal(bytes_with(text[0], &wide), bytes_with(text[1], &wide));
        assert_true(bytes_with(text[0], &wide) < bytes_with(text[2], &wide));
    }
    free_matrix(&few);
    free_matrix(&half);
    free_matrix(&all);
    free_matrix(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_plausible),
        cmocka_unit_test(answers_are_for_all_k),
        cmocka_unit_test(padding_of_slices_is_counted),
        cmocka_unit_test(orders_of_the_output_are_checked),
        cmocka_unit_test(copies_are_counted),
        cmocka_unit_test(dense_matrices_are_counted),
        cmocka_unit_test(rows_share_loads_that_are_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
