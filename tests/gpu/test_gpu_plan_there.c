/* Plans of a matrix on the device leave it there: what comes to the host is counted in bytes, and the caller's
 * arrays are overwritten as soon as there is a plan.  Needs a GPU: without one it skips itself, or fails when
 * ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "device/cuda/executor.h"
#include "device/cuda/timer.h"
#include "feature/cuda/features.h"
#include "format/cuda/read/read.h"
#include "operands.h"
#include "order/cuda/orders.h"
#include "plan/plan_private.h"
#include "scratch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60000, EACH = 20, NNZ = ROWS * EACH, K = 32, FEW_BYTES = 1 << 16, LOOKED_AT = 500 };

/* ------------------------------------------------------------ an executor that counts */

static struct {
    size_t down; /* bytes */
    rc_status_t (*download)(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err);
} seen;

static rc_status_t counted_download(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    seen.down += bytes;
    return seen.download(x, to, from, bytes, err);
}

static rc_status_t timed(void *user, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    return rc_cuda_timer_run(user, launch, state, batch, ns, err);
}

typedef struct there {
    rc_executor_t x;
    rc_cuda_timer_t *timer;
    rc_plan_place_t place;
    cudaStream_t stream;
} there_t;

/* NULL: there is no GPU. */
static there_t *open_there(void)
{
    static there_t t;
    rc_err_t err = {0};
    rc_device_t *d = open_gpu(); /* says when there must be one */
    if (!d)
        return NULL;
    rc_device_close(d);
    memset(&t, 0, sizeof t);
    t.stream = new_stream();
    ok(rc_executor_cuda(0, t.stream, NULL, 1, &t.x, &err), &err, "an executor");
    ok(rc_cuda_timer_new(&t.x, &t.timer, &err), &err, "a timer");
    seen.download = t.x.download;
    t.x.download = counted_download;
    t.place = (rc_plan_place_t){.x = &t.x,
        .time = timed,
        .order = rc_cuda_order_there,
        .features = rc_cuda_features_there,
        .read = rc_cuda_read_there,
        .user = t.timer,
        .cache_bytes = 1 << 20};
    return &t;
}

static void close_there(there_t *t)
{
    rc_cuda_timer_free(t->timer);
    rc_executor_cuda_close(&t->x);
    CUDA(cudaStreamDestroy(t->stream));
}

/* ------------------------------------------------------------------------- the matrix */

static struct {
    int64_t ptr64[ROWS + 1];
    int32_t ptr32[ROWS + 1];
    int32_t col[NNZ];
    float val[NNZ];
    float b[ROWS * K];
    float c[ROWS * K];
} host;

static void make_host(unsigned seed)
{
    for (int64_t r = 0; r <= ROWS; r++) {
        host.ptr64[r] = r * EACH;
        host.ptr32[r] = (int32_t)(r * EACH);
    }
    for (int64_t r = 0; r < ROWS; r++)
        for (int64_t e = 0; e < EACH; e++) /* ascending, and rows that are near share none */
            host.col[r * EACH + e] = (int32_t)(e * (ROWS / EACH) + r * 7919 % (ROWS / EACH));
    for (int64_t i = 0; i < NNZ; i++)
        host.val[i] = (float)((i * 31 + seed) % 17) - 8;
    for (int64_t i = 0; i < (int64_t)ROWS * K; i++)
        host.b[i] = (float)(i * 13 % 11) - 5;
}

typedef struct arrays {
    void *ptr;
    void *col;
    void *val;
    size_t ptr_bytes;
} arrays_t;

static arrays_t put_arrays(int ptr_bytes)
{
    arrays_t a = {.ptr_bytes = ((size_t)ROWS + 1) * (size_t)ptr_bytes};
    a.ptr = upload(ptr_bytes == 4 ? (void *)host.ptr32 : (void *)host.ptr64, a.ptr_bytes);
    a.col = upload(host.col, sizeof host.col);
    a.val = upload(host.val, sizeof host.val);
    return a;
}

/* Overwritten at once, on a stream that waits for nothing, and then freed. */
static void spoil_arrays(const arrays_t *a)
{
    cudaStream_t other;
    other = new_stream();
    CUDA(cudaMemsetAsync(a->ptr, 0xff, a->ptr_bytes, other));
    CUDA(cudaMemsetAsync(a->col, 0xff, sizeof host.col, other));
    CUDA(cudaMemsetAsync(a->val, 0xff, sizeof host.val, other));
    CUDA(cudaStreamSynchronize(other));
    CUDA(cudaStreamDestroy(other));
    CUDA(cudaFree(a->ptr));
    CUDA(cudaFree(a->col));
    CUDA(cudaFree(a->val));
}

/* ------------------------------------------------------------------------- products */

static double want_at(const rc_plan_problem_t *p, int64_t k, int64_t r, int64_t j)
{
    double sum = 0;
    for (int64_t i = host.ptr64[r]; i < host.ptr64[r + 1]; i++) {
        int64_t at = p->layout == RC_ROW_MAJOR ? host.col[i] * k + j : j * ROWS + host.col[i];
        sum += (double)host.val[i] * (double)host.b[at];
    }
    return sum;
}

static void check(there_t *t, rc_plan_t *plan, const rc_plan_problem_t *p, const char *what)
{
    rc_err_t err = {0};
    int64_t k = p->ks > 0 ? p->k[0] : 1;
    size_t bytes = (size_t)(ROWS * k) * sizeof(float);
    void *b = upload(host.b, bytes);
    void *c = upload(host.b, bytes);
    int64_t ld = p->layout == RC_ROW_MAJOR ? k : ROWS;
    const rc_dense_t shape = {.rows = ROWS, .cols = k, .ld = ld, .precision = RC_FP32, .layout = p->layout};
    rc_operands_t o = {.in = {shape}, .out = shape};
    o.in[0].data = b;
    o.out.data = c;
    ok(rc_plan_run(plan, k, &o, 1, 0, &err), &err, what);
    CUDA(cudaStreamSynchronize(t->stream));
    CUDA(cudaMemcpy(host.c, c, bytes, cudaMemcpyDeviceToHost));
    for (int64_t i = 0; i < LOOKED_AT; i++) {
        int64_t r = i * 7907 % ROWS;
        int64_t j = i % k;
        int64_t at = p->layout == RC_ROW_MAJOR ? r * k + j : j * ROWS + r;
        if (!(fabs((double)host.c[at] - want_at(p, k, r, j)) < 1e-3))
            fail_msg("%s: row %d, column %d: expected %g, found %g", what, (int)r, (int)j, want_at(p, k, r, j),
                (double)host.c[at]);
    }
    CUDA(cudaFree(b));
    CUDA(cudaFree(c));
}

static void stayed(const char *what, const char *when)
{
    if (seen.down >= FEW_BYTES)
        fail_msg("%s: %zu bytes came to the host %s", what, seen.down, when);
    seen.down = 0;
}

static void update(rc_plan_t *plan, unsigned seed, const char *what)
{
    rc_err_t err = {0};
    make_host(seed);
    void *val = upload(host.val, sizeof host.val);
    ok(rc_plan_update(plan, val, RC_FP32, 1, &err), &err, what);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(val));
}

typedef struct plan_case {
    rc_op_t op;
    rc_layout_t layout;
    const char *kernels;
    const char *orders;
    int tune;
} plan_case_t;

/* By default, tuned, and each kernel that plans try when nothing is known; with orders of the device. */
static const plan_case_t cases[] = {
    {RC_OP_SPMM, RC_ROW_MAJOR, NULL, NULL, 0},
    {RC_OP_SPMM, RC_COL_MAJOR, NULL, NULL, 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, NULL, NULL, 6},
    {RC_OP_SPMM, RC_COL_MAJOR, NULL, "csr", 3},
    {RC_OP_SPMM, RC_ROW_MAJOR, NULL, "auto", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "gchunk", "mincol", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "gchunk", "minlabel", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "gpanel", "multilevel", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "gstage", "labels", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "gstage", "csr", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "gpanel", "csr", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "growmajor", "minlabel", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "growmajor", "csr", 0},
    {RC_OP_SPMM, RC_COL_MAJOR, "gslice", "csr", 0},
    {RC_OP_SPMM, RC_COL_MAJOR, "gslice", "minlabel", 0},
    {RC_OP_SPMM, RC_COL_MAJOR, "gchunk-col", "csr", 0},
    {RC_OP_SPMM, RC_COL_MAJOR, "gchunk-col", "mincol", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "cusparse-csr-row", "csr", 0},
    {RC_OP_SPMM, RC_ROW_MAJOR, "cusparse-coo-row", "minlabel", 0},
    {RC_OP_SPMV, RC_ROW_MAJOR, NULL, NULL, 0},
    {RC_OP_SPMV, RC_ROW_MAJOR, "csr", "minlabel", 0},
    {RC_OP_SPMV, RC_ROW_MAJOR, "merge", "csr", 0},
    {RC_OP_SPMV, RC_ROW_MAJOR, "cusparse-spmv-csr", "csr", 0},
};

static void one_case(there_t *t, const plan_case_t *c, int ptr_bytes, const char *path)
{
    const int64_t k[] = {K};
    const rc_plan_problem_t p = {.op = c->op,
        .precision = RC_FP32,
        .layout = c->op == RC_OP_SPMV ? RC_COL_MAJOR : c->layout,
        .k = c->op == RC_OP_SPMV ? NULL : k,
        .ks = c->op == RC_OP_SPMV ? 0 : 1};
    const rc_plan_options_t o = {.kernels = c->kernels, .orders = c->orders, .tune = c->tune, .threads = 1};
    char what[200];
    rc_plan_t *plan = NULL;
    rc_plan_t *other = NULL;
    rc_err_t err = {0};
    (void)snprintf(what, sizeof what, "%s, %s, %s, tune %d, pointers of %d bytes", rc_op_name(c->op),
        c->kernels ? c->kernels : "any", c->orders ? c->orders : "any", c->tune, ptr_bytes);
    make_host(1);
    arrays_t a = put_arrays(ptr_bytes);
    rc_plan_matrix_t m = {.rows = ROWS,
        .cols = ROWS,
        .nnz = NNZ,
        .row_ptr = a.ptr,
        .row_ptr_bytes = ptr_bytes,
        .col_idx = a.col,
        .val = a.val,
        .precision = RC_FP32,
        .on_device = 1};
    seen.down = 0;
    ok(rc_plan_new(&t->place, &p, &m, &o, &plan, &err), &err, what);
    spoil_arrays(&a);
    stayed(what, "while the plan was made");
    check(t, plan, &p, what);
    update(plan, 2, what);
    check(t, plan, &p, what);
    update(plan, 3, what);
    stayed(what, "with new values");
    check(t, plan, &p, what);
    ok(rc_plan_save(plan, path, &err), &err, what);
    ok(rc_plan_copy(plan, &t->place, &other, &err), &err, what);
    check(t, other, &p, what);
    update(plan, 4, what);
    check(t, plan, &p, what);
    rc_plan_free(plan);
    update(other, 5, what);
    check(t, other, &p, what);
    rc_plan_free(other);
    a = put_arrays(ptr_bytes);
    m.row_ptr = a.ptr;
    m.col_idx = a.col;
    m.val = a.val;
    ok(rc_plan_open(&(rc_plan_file_t){.path = path}, &t->place, &p, &m, &other, &err), &err, what);
    spoil_arrays(&a);
    check(t, other, &p, what);
    rc_plan_free(other);
}

static void matrices_stay_on_the_device(void **state)
{
    char path[SCRATCH_PATH];
    there_t *t = open_there();
    if (!t)
        skip();
    scratch_path(state, "there.json", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int ptr_bytes = 4; ptr_bytes <= 8; ptr_bytes += 4)
            one_case(t, &cases[i], ptr_bytes, path);
    close_there(t);
}

/* ---------------------------------------------------------------- orders, checked there */

static void orders_are_checked_there(void **state)
{
    (void)state;
    enum { MANY = 100003 };
    static int32_t row[MANY];
    static const int64_t sizes[] = {1, 2, 31, 32, 33, 257, MANY};
    there_t *t = open_there();
    if (!t)
        skip();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int wrong = 0; wrong < 5; wrong++) {
            int64_t n = sizes[i];
            int identity = -1;
            rc_err_t err = {0};
            for (int64_t p = 0; p < n; p++)
                row[p] = (int32_t)(wrong == 1 ? n - 1 - p : p);
            if (wrong == 2)
                row[n - 1] = -1;
            if (wrong == 3)
                row[n / 2] = (int32_t)n;
            if (wrong == 4 && n > 1)
                row[n - 1] = row[0];
            void *slots = upload(row, (size_t)n * sizeof *row);
            rc_status_t st = rc_cuda_order_check(&t->x, slots, n, &identity, &err);
            int refused = wrong == 2 || wrong == 3 || (wrong == 4 && n > 1);
            assert_int_equal(st, refused ? RC_EINVAL : RC_OK);
            if (!refused)
                assert_int_equal(identity, wrong != 1 || n == 1);
            CUDA(cudaFree(slots));
        }
    close_there(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_checked_there),
        cmocka_unit_test(matrices_stay_on_the_device),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
