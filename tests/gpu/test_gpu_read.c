/* Matrices of every form, read from device memory, against the host's reader: pattern, where each entry was, digest, and
 * the line that is said of a wrong one; and plans of them.  Needs a GPU: without one it skips itself, or fails when
 * ROWCAST_GPU is 1.  ROWCAST_GPU_PLANS: so many matrices, and a few large ones.  With --time MATRIX... it prints what
 * reading takes instead. */
#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "device/cuda/executor.h"
#include "device/device.h"
#include "format/cuda/read/read.h"
#include "given_fixture.h"
#include "operands.h"
#include "plan/plan_private.h"
#include "plan_types.h"
#include "rowcast_cuda.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATRICES = 2000, ROUNDS = 50, MOST = 3000, K = 4 };

static int matrices(void)
{
    const char *plans = getenv("ROWCAST_GPU_PLANS");
    return plans ? (int)strtol(plans, NULL, 10) : MATRICES;
}

/* ------------------------------------------------------------------- places */

/* The arrays of a matrix in device memory, each `apart` bytes after a multiple of 64. */
typedef struct placed {
    rc_plan_matrix_t m;
    void *owned[3];
} placed_t;

static const void *upload(rc_executor_t *x, const void *from, size_t bytes, size_t apart, void **owned)
{
    rc_err_t err = {0};
    ok(x->alloc(x, bytes + apart, owned, &err), &err, "an array");
    char *to = (char *)*owned + apart;
    if (bytes > 0)
        ok(x->upload(x, to, from, bytes, &err), &err, "an array");
    return to;
}

static placed_t place(rc_executor_t *x, const rc_plan_matrix_t *m, size_t apart)
{
    placed_t p = {.m = *m};
    int64_t pointers = m->form == RC_PLAN_COO ? m->nnz : rc_given_majors(m) + 1;
    p.m.on_device = 1;
    p.m.row_ptr = upload(x, m->row_ptr, (size_t)pointers * (size_t)m->row_ptr_bytes, apart, &p.owned[0]);
    p.m.col_idx = upload(x, m->col_idx, (size_t)m->nnz * (size_t)rc_given_col_bytes(m), apart, &p.owned[1]);
    p.m.val = upload(x, m->val, (size_t)m->nnz * rc_precision_bytes(m->precision), apart, &p.owned[2]);
    return p;
}

static void free_placed(rc_executor_t *x, const placed_t *p)
{
    for (int i = 0; i < 3; i++)
        x->release(x, p->owned[i]);
}

/* An array of the device; free(). */
static void *brought(rc_executor_t *x, const void *from, size_t bytes)
{
    rc_err_t err = {0};
    void *to = malloc(bytes + 1);
    assert_non_null(to);
    if (bytes > 0)
        ok(x->download(x, to, from, bytes, &err), &err, "an array");
    return to;
}

static int64_t number(const void *array, int bytes, int64_t i)
{
    return bytes == 4 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

/* ------------------------------------------------------------------ compare */

static void compare_shape(const rc_csr_t *a, const rc_there_t *t)
{
    int64_t longest = 0;
    int64_t empty = 0;
    uint64_t digest[2];
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t length = a->row_ptr[r + 1] - a->row_ptr[r];
        longest = length > longest ? length : longest;
        empty += length == 0;
    }
    rc_given_digest(a, 1, digest);
    assert_int_equal(t->longest, longest);
    assert_int_equal(t->empty_rows, empty);
    assert_memory_equal(t->digest, digest, sizeof digest);
}

static void compare_arrays(rc_executor_t *x, const rc_csr_t *a, const int64_t *from, const rc_there_t *t)
{
    int32_t *col = brought(x, t->m.col_idx, (size_t)a->nnz * sizeof *col);
    void *ptr = brought(x, t->m.row_ptr, ((size_t)a->rows + 1) * (size_t)t->m.row_ptr_bytes);
    void *places = t->from ? brought(x, t->from, (size_t)a->nnz * (size_t)t->from_bytes) : NULL;
    for (int64_t r = 0; r <= a->rows; r++)
        assert_int_equal(number(ptr, t->m.row_ptr_bytes, r), a->row_ptr[r]);
    if (a->nnz > 0)
        assert_memory_equal(col, a->col_idx, (size_t)a->nnz * sizeof *col);
    for (int64_t i = 0; i < a->nnz; i++)
        assert_int_equal(places ? number(places, t->from_bytes, i) - 1 : i, from ? from[i] : i);
    assert_int_equal((uintptr_t)t->m.row_ptr % 16, 0);
    assert_int_equal((uintptr_t)t->m.col_idx % 16, 0);
    free(col);
    free(ptr);
    free(places);
}

/* Both looks at a pattern. */
static void look_both(const rc_plan_matrix_t *m, const rc_plan_matrix_t *placed, const char *label)
{
    rc_pattern_info_t here = {0};
    rc_pattern_info_t there = {0};
    rc_err_t err = {0};
    rc_err_t err_there = {0};
    rc_status_t st = rc_pattern_read_host(m, 1, &here, &err);
    if (rc_pattern_read(placed, NULL, &there, &err_there) != st || strcmp(err.text, err_there.text) != 0)
        fail_msg("%s: expected '%s', found '%s'", label, err.text, err_there.text);
    if (st == RC_OK) {
        assert_memory_equal(here.digest, there.digest, sizeof here.digest);
        assert_int_equal(here.ascending, there.ascending);
    }
}

/* Both readers.  \return what they say */
static rc_status_t read_both(rc_executor_t *x, const rc_plan_matrix_t *m, size_t apart, const char *label)
{
    rc_executor_t cpu;
    rc_csr_t a = {0};
    int64_t *from;
    rc_there_t t;
    rc_err_t here = {0};
    rc_err_t there = {0};
    rc_executor_cpu(2, &cpu);
    rc_status_t st = rc_plan_matrix_read(&(rc_plan_place_t){.x = &cpu}, m, &a, &from, &here);
    placed_t p = place(x, m, apart);
    if (rc_cuda_read_there(x, &p.m, &t, &there) != st || strcmp(here.text, there.text) != 0)
        fail_msg("%s: expected '%s', found '%s'", label, here.text, there.text);
    if (st == RC_OK) {
        compare_shape(&a, &t);
        compare_arrays(x, &a, from, &t);
        assert_true(t.m.val == (!t.from && apart % 16 == 0 ? p.m.val : NULL));
    }
    rc_there_free(&t);
    if (m->form == RC_PLAN_CSR)
        look_both(m, &p.m, label);
    free_placed(x, &p);
    free(from);
    rc_csr_free(&a);
    return st;
}

static void random_ones_are_read_alike(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    int64_t refused = 0;
    rc_rng_t rng;
    if (!d)
        skip();
    rc_rng_seed(&rng, 51);
    for (int n = 0; n < matrices(); n++) {
        char label[80];
        given_how_t how = given_any(&rng);
        if (rc_rng_below(&rng, 2))
            how.wrong = (int)rc_rng_below(&rng, GIVEN_WRONGS);
        size_t apart = 8 * (size_t)rc_rng_below(&rng, 3);
        given_t g = given_new(&rng, &how);
        (void)snprintf(label, sizeof label, "matrix %d, form %d, wrong %d", n, (int)how.form, how.wrong);
        refused += read_both(&d->executor, &g.m, apart, label) < 0;
        given_free(&g);
    }
    assert_true(refused > matrices() / 10);
    rc_device_close(d);
}

/* More than one CTA has a share, and one row has most entries. */
static void large_ones_are_read_alike(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_rng_t rng;
    if (!d)
        skip();
    rc_rng_seed(&rng, 52);
    for (int n = 0; n < (matrices() < MATRICES ? 6 : 24); n++) {
        char label[80];
        given_how_t how = {.form = (rc_plan_form_t)(n % 3),
            .ptr_bytes = 8,
            .col_bytes = n / 3 % 2 ? 8 : 4,
            .type = RC_FP32,
            .shuffled = n / 6 % 2,
            .wrong = n / 12 ? 1 + (int)rc_rng_below(&rng, GIVEN_WRONGS - 1) : 0,
            .rows = n % 2 ? 100001 : 5,
            .cols = 2500000,
            .mean = 3,
            .longest = 1000000};
        given_t g = given_new(&rng, &how);
        (void)snprintf(label, sizeof label, "large matrix %d, form %d", n, (int)how.form);
        (void)read_both(&d->executor, &g.m, 0, label);
        given_free(&g);
    }
    rc_device_close(d);
}

/* ------------------------------------------------------------------- plans */

/* Operands of a plan of any precision, on the host as fp64 and in device memory. */
static void *operand(rc_executor_t *x, const double *from, int64_t count, rc_precision_t precision)
{
    rc_err_t err = {0};
    void *to = NULL;
    size_t bytes = (size_t)count * rc_precision_bytes(precision);
    void *all = malloc(bytes + 1);
    assert_non_null(all);
    for (int64_t i = 0; i < count; i++)
        rc_type(precision)->store(all, i, from[i]);
    ok(x->alloc(x, bytes, &to, &err), &err, "an operand");
    if (bytes > 0)
        ok(x->upload(x, to, all, bytes, &err), &err, "an operand");
    free(all);
    return to;
}

/* C = A B by a plan, where C was something else. */
static void check_product(rc_executor_t *x, rc_plan_t *plan, const given_t *g, const rc_plan_problem_t *p,
    const double *b, const char *label)
{
    static double want[MOST * K];
    const int64_t k = p->k[0];
    const int64_t count = g->a.rows * k;
    rc_err_t err = {0};
    for (int64_t i = 0; i < count; i++)
        want[i] = -99;
    void *b_there = operand(x, b, g->a.cols * k, p->precision);
    void *c_there = operand(x, want, count, p->precision);
    given_multiply(g, k, b, want);
    ok(rc_plan_execute(plan, k, 1, b_there, k, 0, c_there, k, NULL, &err), &err, label);
    void *c = brought(x, c_there, (size_t)count * rc_precision_bytes(p->precision));
    for (int64_t i = 0; i < count; i++) {
        double found = rc_type(p->precision)->load(c, i);
        want[i] = rc_type(p->precision)->round(want[i]); /* of a sum that is exact */
        if (found != want[i])
            fail_msg("%s: expected %g, found %g", label, want[i], found);
    }
    free(c);
    x->release(x, b_there);
    x->release(x, c_there);
}

/* A plan of a matrix on the device multiplies, after new values too, or is refused with the host's line. */
static void one_plan(rc_rng_t *rng, rc_executor_t *x, given_t *g, const char *label)
{
    static double b[MOST * K];
    const int64_t k[] = {1 + (int64_t)rc_rng_below(rng, K)};
    rc_plan_problem_t p = {.layout = RC_ROW_MAJOR, .k = k, .ks = 1};
    rc_plan_t *plan = NULL;
    rc_plan_t *none = NULL;
    rc_err_t here = {0};
    rc_err_t err = {0};
    for (int64_t i = 0; i < g->a.cols * k[0]; i++)
        b[i] = given_value(rng);
    given_values(rng, g);
    p.precision = some_type(rng, types_for(RC_DEVICE_CUDA, &p, &(rc_plan_options_t){0}));
    placed_t there = place(x, &g->m, 0);
    rc_status_t st = rc_plan_create(&p, &there.m, NULL, NULL, &plan, &err);
    if (g->wrong) {
        assert_int_equal(rc_plan_create_host(&p, &g->m, NULL, &none, &here), st);
        assert_string_equal(err.text, here.text);
        assert_null(strchr(err.text, '\n'));
        assert_null(plan);
    } else
        ok(st, &err, label);
    for (int again = 0; plan && again < 3; again++) {
        check_product(x, plan, g, &p, b, label);
        given_values(rng, g);
        if (g->m.nnz > 0)
            ok(x->upload(x, there.owned[2], g->m.val, (size_t)g->m.nnz * rc_precision_bytes(g->m.precision), &err), &err, label);
        ok(rc_plan_update_values(plan, g->m.nnz, there.m.val, g->m.precision, 1, NULL, &err), &err, label);
    }
    rc_plan_free(plan);
    free_placed(x, &there);
}

static void random_plans_multiply(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_executor_t x; /* on the stream of the plans */
    rc_rng_t rng;
    rc_err_t err = {0};
    if (!d)
        skip();
    ok(rc_executor_cuda(0, NULL, NULL, 1, &x, &err), &err, "an executor");
    rc_rng_seed(&rng, 54);
    for (int n = 0; n < matrices(); n++) {
        char label[80];
        given_how_t how = given_any(&rng);
        if (n % 4 == 0)
            how.wrong = 1 + (int)rc_rng_below(&rng, GIVEN_WRONGS - 1);
        given_t g = given_new(&rng, &how);
        (void)snprintf(label, sizeof label, "plan %d, form %d", n, (int)how.form);
        one_plan(&rng, &x, &g, label);
        given_free(&g);
    }
    rc_executor_cuda_close(&x);
    rc_device_close(d);
}

/* Arguments that are none get the host's line, and arrays that cannot be read where they are go to the host. */
static void others_are_refused(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_rng_t rng;
    rc_there_t t;
    rc_err_t err = {0};
    if (!d)
        skip();
    rc_rng_seed(&rng, 53);
    given_how_t how = {.ptr_bytes = 8, .col_bytes = 4, .type = RC_FP64, .rows = 20, .cols = 30, .mean = 5};
    given_t g = given_new(&rng, &how);
    placed_t p = place(&d->executor, &g.m, 4);
    assert_int_equal(rc_cuda_read_there(&d->executor, &p.m, &t, &err), RC_ENOTSUP);
    rc_there_free(&t);
    p.m.rows = -1;
    assert_int_equal(rc_cuda_read_there(&d->executor, &p.m, &t, &err), RC_ERANGE);
    rc_there_free(&t);
    p.m.rows = 20;
    p.m.form = (rc_plan_form_t)7;
    assert_int_equal(rc_cuda_read_there(&d->executor, &p.m, &t, &err), RC_EINVAL);
    rc_there_free(&t);
    free_placed(&d->executor, &p);
    given_free(&g);
    rc_device_close(d);
}

/* -------------------------------------------------------------------- times */

static int by_size(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

static void print_time(rc_executor_t *x, const char *name, const char *form, const rc_plan_matrix_t *m)
{
    double ns[ROUNDS];
    rc_err_t err = {0};
    placed_t p = place(x, m, 0);
    for (int i = 0; i < ROUNDS; i++) {
        rc_there_t t;
        int64_t start = rc_clock_ns();
        ok(rc_cuda_read_there(x, &p.m, &t, &err), &err, name);
        ok(x->wait(x, &err), &err, name);
        ns[i] = (double)(rc_clock_ns() - start);
        rc_there_free(&t);
    }
    qsort(ns, ROUNDS, sizeof *ns, by_size);
    printf("%s, %" PRId64 " rows, %" PRId64 " entries, %s: %.1f us\n", name, m->rows, m->nnz, form, ns[ROUNDS / 2] / 1e3);
    free_placed(x, &p);
}

/* Medians of reading a matrix in order, by columns, and as coordinates by columns. */
static void print_times(rc_executor_t *x, const char *name)
{
    rc_csr_t a;
    rc_csr_t turned;
    rc_err_t err = {0};
    ok(rc_generate(name, &a, NULL, &err), &err, name);
    ok(rc_csr_transpose(&a, &turned, &err), &err, name);
    rc_plan_matrix_t m = {a.rows, a.cols, a.nnz, a.row_ptr, 8, a.col_idx, a.val, RC_FP64, 0, 4, RC_PLAN_CSR};
    print_time(x, name, "CSR", &m);
    m.form = RC_PLAN_CSC;
    m.row_ptr = turned.row_ptr;
    m.col_idx = turned.col_idx;
    print_time(x, name, "CSC", &m);
    int32_t *col = malloc((size_t)a.nnz * sizeof *col + 1);
    assert_non_null(col);
    for (int64_t c = 0; c < a.cols; c++)
        for (int64_t i = turned.row_ptr[c]; i < turned.row_ptr[c + 1]; i++)
            col[i] = (int32_t)c;
    m.form = RC_PLAN_COO;
    m.row_ptr = turned.col_idx;
    m.row_ptr_bytes = 4;
    m.col_idx = col;
    print_time(x, name, "COO", &m);
    free(col);
    rc_csr_free(&turned);
    rc_csr_free(&a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_ones_are_read_alike),
        cmocka_unit_test(large_ones_are_read_alike),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(random_plans_multiply),
    };
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        rc_device_t *d = open_gpu();
        for (int i = 2; d && i < argc; i++)
            print_times(&d->executor, argv[i]);
        rc_device_close(d);
        return d ? 0 : 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
