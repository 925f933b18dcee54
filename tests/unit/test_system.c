/* Square systems that a solver renumbers (rc_order_system): what holds of any, on the host; what is refused; what is
 * predicted. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "base/error.h"
#include "order/sample.h"
#include "plan/system.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "system_properties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Any matrix, under any order. */
static void systems_hold(void **state)
{
    enum { ROUNDS = 20 };
    (void)state;
    rc_executor_t x;
    rc_rng_t rng;
    rc_executor_cpu(2, &x);
    rc_rng_seed(&rng, 5);
    const system_where_t w = {.x = &x, .order = rc_order_system};
    for (int i = 0; i < ROUNDS; i++)
        for (int o = 0; system_orders[o]; o++) {
            given_t g = square_any(&rng);
            check_system(&rng, &w, &g, system_orders[o]);
            given_free(&g);
        }
}

/* Rows that all threads sort, beside short ones: a star with its centre in the middle. */
static void long_rows_hold(void **state)
{
    enum { ROWS = 9001 };
    (void)state;
    rc_executor_t x;
    rc_rng_t rng;
    rc_executor_cpu(3, &x);
    rc_rng_seed(&rng, 6);
    const system_where_t w = {.x = &x, .order = rc_order_system};
    const given_how_t how = {
        .ptr_bytes = 8, .col_bytes = 4, .type = RC_FP32, .shuffled = 1, .rows = ROWS, .cols = ROWS, .mean = 1, .longest = ROWS};
    given_t g = given_new(&rng, &how);
    check_system(&rng, &w, &g, "random:seed=9");
    given_free(&g);
}

/* ------------------------------------------------------- memory of its own */

/* A matrix as it is read there, by the reader of the host. */
static rc_status_t read_there(rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err)
{
    const rc_plan_place_t place = {.x = x};
    rc_plan_matrix_t here = *m;
    rc_csr_t a = {0};
    int64_t *from = NULL;
    *out = (rc_there_t){.m = {.x = x, .type = m->precision, .row_ptr_bytes = 8}};
    assert_int_equal(m->on_device, 1);
    here.on_device = 0;
    rc_status_t st = rc_plan_matrix_read(&place, &here, &a, &from, err);
    out->m.owned[0] = a.row_ptr;
    out->m.owned[1] = a.col_idx;
    out->m.owned[2] = from;
    out->m.row_ptr = a.row_ptr;
    out->m.col_idx = a.col_idx;
    for (int64_t i = 0; st == RC_OK && from && i < a.nnz; i++)
        from[i]++;
    out->from = from;
    out->from_bytes = 8;
    return st;
}

static rc_csr_t csr_there(const rc_csr_t *sizes, const rc_resident_t *m)
{
    return (rc_csr_t){sizes->rows, sizes->cols, sizes->nnz, (int64_t *)m->row_ptr, (int32_t *)m->col_idx, NULL};
}

/* Orders that begin with m, and auto. */
static rc_status_t build_there(rc_executor_t *x, const char *order, const rc_csr_t *sizes, const rc_resident_t *m,
    rc_resident_rows_t *out, rc_err_t *err)
{
    (void)x;
    rc_policy_spec_t spec;
    rc_schedule_t s;
    if (order[0] != 'm' && strcmp(order, "auto") != 0)
        return RC_ENOTSUP;
    if (!m)
        return RC_OK;
    const rc_csr_t a = csr_there(sizes, m);
    assert_int_equal(rc_policy_spec_parse(order, &spec, err), RC_OK);
    RC_PASS(rc_policy_build(&spec, &a, NULL, 1, NULL, &s, err));
    if (s.slots > 0)
        memcpy(out->row, s.row, (size_t)s.slots * sizeof *s.row);
    out->identity = rc_schedule_is_identity(&s);
    rc_schedule_free(&s);
    return RC_OK;
}

static rc_status_t runs_there(rc_executor_t *x, const rc_csr_t *sizes, const rc_resident_t *m, const int32_t *slots,
    rc_sharing_t out[2], rc_err_t *err)
{
    (void)x;
    (void)err;
    const rc_csr_t a = csr_there(sizes, m);
    rc_sample_runs(&a, NULL, 1, &out[0]);
    rc_sample_runs(&a, slots, 1, &out[1]);
    return RC_OK;
}

static rc_status_t invert_there(rc_executor_t *x, const int32_t *row, int64_t rows, int32_t *slot, rc_err_t *err)
{
    (void)x;
    (void)err;
    for (int64_t p = 0; p < rows; p++)
        slot[row[p]] = (int32_t)p;
    return RC_OK;
}

static rc_status_t permute_there(rc_executor_t *x, const rc_there_t *a, const rc_permuted_t *p, rc_err_t *err)
{
    (void)x;
    const rc_csr_t sizes = {.rows = p->rows, .cols = p->rows, .nnz = p->to.nnz};
    const rc_csr_t here = csr_there(&sizes, &a->m);
    int64_t *from = a->from ? calloc((size_t)p->to.nnz + 1, sizeof *from) : NULL;
    for (int64_t i = 0; from && i < p->to.nnz; i++)
        from[i] = rc_place_at(a->from, a->from_bytes, i) - 1;
    rc_status_t st = rc_permute_host(&here, from, p, 2, err);
    free(from);
    return st;
}

/* What the memory of a GPU is told apart by. */
static rc_status_t order_there(
    const rc_plan_matrix_t *a, const rc_system_options_t *options, rc_system_t **out, rc_err_t *err)
{
    static rc_executor_t x;
    rc_executor_cpu(2, &x);
    const rc_system_place_t place = {.at = {.x = &x, .order = build_there, .read = read_there},
        .permute = permute_there,
        .invert = invert_there,
        .runs = runs_there};
    return rc_system_new(&place, a, options, out, err);
}

/* The same where the matrix, and some orders, are not the host's. */
static void systems_hold_elsewhere(void **state)
{
    enum { ROUNDS = 10 };
    (void)state;
    rc_executor_t x;
    rc_rng_t rng;
    rc_executor_cpu(2, &x);
    rc_rng_seed(&rng, 7);
    const system_where_t w = {.x = &x, .on_device = 1, .order = order_there};
    for (int i = 0; i < ROUNDS; i++)
        for (int o = 0; system_orders[o]; o++) {
            given_t g = square_any(&rng);
            check_system(&rng, &w, &g, system_orders[o]);
            given_free(&g);
        }
}

/* ------------------------------------------------------------------ matrices */

static rc_csr_t generated(const char *spec)
{
    rc_csr_t a = {0};
    rc_err_t err = {0};
    int version;
    if (rc_generate(spec, &a, &version, &err) != RC_OK)
        fail_msg("%s", err.text);
    return a;
}

static rc_plan_matrix_t as_given(const rc_csr_t *a)
{
    return (rc_plan_matrix_t){a->rows, a->cols, a->nnz, a->row_ptr, 8, a->col_idx, a->val, RC_FP64, 0, 4, RC_PLAN_CSR};
}

static int64_t bandwidth(const rc_csr_t *a)
{
    int64_t widest = 0;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
            widest = llabs(a->col_idx[i] - r) > widest ? llabs(a->col_idx[i] - r) : widest;
    return widest;
}

/* rcm brings a mesh that was shuffled back into a band. */
static void bands_come_back(void **state)
{
    (void)state;
    rc_err_t err = {0};
    rc_csr_t a = generated("mesh2d:nx=40,ny=40,shuffle=both");
    const rc_plan_matrix_t m = as_given(&a);
    const rc_system_options_t o = {.order = "rcm"};
    rc_system_t *s = NULL;
    rc_csr_t b;
    assert_int_equal(rc_csr_alloc(a.rows, a.cols, a.nnz, &b, &err), RC_OK);
    const rc_system_matrix_t to = {.nnz = a.nnz, .row_ptr = b.row_ptr, .row_ptr_bytes = 8, .col_idx = b.col_idx,
        .col_idx_bytes = 4, .val = b.val, .precision = RC_FP64};
    assert_int_equal(rc_order_system(&m, &o, &s, &err), RC_OK);
    assert_int_equal(rc_system_permute(s, &m, &to, NULL, &err), RC_OK);
    assert_int_equal(rc_csr_check(&b, &err), RC_OK);
    assert_true(bandwidth(&a) > 1000);
    assert_true(bandwidth(&b) < 100);
    rc_system_free(s);
    rc_csr_free(&a);
    rc_csr_free(&b);
}

/* --------------------------------------------------------------------- gains */

/* A system on the host, that takes itself for one of a GPU where multiprocessors are given. */
static rc_system_info_t info_of(const rc_csr_t *a, const char *order, int64_t k, int multiprocessors)
{
    rc_executor_t x;
    rc_err_t err = {0};
    rc_system_t *s = NULL;
    rc_system_info_t info;
    rc_executor_cpu(2, &x);
    const rc_system_place_t place = {.at = {.x = &x, .cache_bytes = 1 << 20, .multiprocessors = multiprocessors}};
    const rc_plan_matrix_t m = as_given(a);
    const rc_system_options_t o = {.order = order, .k = k};
    if (rc_system_new(&place, &m, &o, &s, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rc_system_info(s, &info, &err), RC_OK);
    rc_system_free(s);
    info.row = info.slot = NULL;
    return info;
}

/* What is not known is no number; what is known is more than 1 where an order brings rows together, less where it
 * scatters them, and then it is never won back. */
static void gains_are_predicted(void **state)
{
    enum { SMS = 132 };
    (void)state;
    rc_csr_t natural = generated("mesh2d:nx=200,ny=200");
    rc_csr_t shuffled = generated("mesh2d:nx=200,ny=200,shuffle=both");
    rc_csr_t few = generated("mesh2d:nx=5,ny=5,shuffle=both");
    rc_system_info_t i = info_of(&shuffled, "multilevel", 32, SMS);
    assert_true(i.gain > 1.2 && isfinite(i.gain));
    assert_true(i.break_even > 0 && isfinite(i.break_even));
    i = info_of(&natural, "random", 32, SMS);
    assert_true(i.gain < 1 && i.gain > 0);
    assert_true(isinf(i.break_even));
    i = info_of(&natural, NULL, 32, SMS);
    assert_int_equal(i.identity, 1);
    assert_true(i.gain == 1 && i.break_even == 0);
    assert_string_equal(i.order, "auto");
    const rc_system_info_t unknown[] = {info_of(&shuffled, "multilevel", 32, 0), info_of(&shuffled, "multilevel", 0, SMS),
        info_of(&shuffled, "multilevel", 4, SMS), info_of(&few, "rcm", 32, SMS)};
    for (size_t n = 0; n < sizeof unknown / sizeof *unknown; n++)
        assert_true(isnan(unknown[n].gain) && isnan(unknown[n].break_even));
    rc_csr_free(&natural);
    rc_csr_free(&shuffled);
    rc_csr_free(&few);
}

/* ------------------------------------------------------------------- refused */

static void check_refused(const rc_plan_matrix_t *m, const rc_system_options_t *o, rc_status_t want, const char *says)
{
    rc_system_t *s = NULL;
    rc_err_t err = {0};
    rc_status_t st = rc_order_system(m, o, &s, &err);
    if (st != want || !strstr(err.text, says))
        fail_msg("expected %d with '%s', found %d: %s", (int)want, says, (int)st, err.text);
    assert_null(s);
    assert_null(strchr(err.text, '\n'));
}

/* Orders of rows, and what is no square matrix. */
static void orders_are_refused(void **state)
{
    static const char *const rows_alone[] = {"lpt", "plain", "flipped", "warp", "cta", "hybrid1", "hybrid2.1", "dcsr",
        "pairs", "warp-near", "cta-near"};
    (void)state;
    rc_csr_t a = generated("mesh2d:nx=6,ny=6");
    rc_plan_matrix_t m = as_given(&a);
    for (size_t i = 0; i < sizeof rows_alone / sizeof *rows_alone; i++)
        check_refused(&m, &(rc_system_options_t){.order = rows_alone[i]}, RC_ENOTSUP, "of rows alone");
    check_refused(&m, &(rc_system_options_t){.order = "no-such"}, RC_ENOENT, "no-such");
    check_refused(&m, &(rc_system_options_t){.k = -1}, RC_EINVAL, "k:");
    check_refused(&m, &(rc_system_options_t){.precision = (rc_precision_t)77}, RC_EINVAL, "precision");
    check_refused(&m, &(rc_system_options_t){.threads = -1}, RC_EINVAL, "threads");
    check_refused(NULL, NULL, RC_EINVAL, "matrix");
    m.cols++;
    check_refused(&m, NULL, RC_EINVAL, "square");
    m = as_given(&a);
    m.on_device = 1;
    check_refused(&m, NULL, RC_EINVAL, "host");
    m = as_given(&a);
    m.row_ptr = NULL;
    check_refused(&m, NULL, RC_EINVAL, "row pointers");
    a.col_idx[3] = 99;
    m = as_given(&a);
    check_refused(&m, NULL, RC_EFORMAT, "columns 0 to 35");
    rc_csr_free(&a);
    assert_int_equal(rc_order_system(&m, NULL, NULL, NULL), RC_EINVAL);
}

/* A permuted matrix that cannot be. */
static void matrices_are_refused(void **state)
{
    (void)state;
    rc_err_t err = {0};
    rc_csr_t a = generated("mesh2d:nx=6,ny=6"), b, other = generated("mesh2d:nx=6,ny=5");
    rc_system_t *s = NULL;
    const rc_plan_matrix_t m = as_given(&a), wrong = as_given(&other);
    assert_int_equal(rc_csr_alloc(a.rows, a.cols, a.nnz, &b, &err), RC_OK);
    assert_int_equal(rc_order_system(&m, NULL, &s, &err), RC_OK);
    const rc_system_matrix_t right = {.nnz = a.nnz, .row_ptr = b.row_ptr, .row_ptr_bytes = 8, .col_idx = b.col_idx,
        .col_idx_bytes = 4, .val = b.val, .precision = RC_FP64};
    rc_system_matrix_t to[8] = {right, right, right, right, right, right, right, right};
    to[0].nnz--;
    to[1].row_ptr = NULL;
    to[2].row_ptr_bytes = 3;
    to[3].col_idx = NULL;
    to[4].col_idx_bytes = 0;
    to[5].place = b.val;
    to[6].precision = (rc_precision_t)99;
    to[7].place = b.val;
    to[7].place_bytes = 16;
    for (int i = 0; i < 8; i++)
        assert_int_equal(rc_system_permute(s, &m, &to[i], NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_permute(s, &wrong, &right, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_permute(s, NULL, &right, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_permute(s, &m, NULL, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_permute(NULL, &m, &right, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_permute(s, &m, &right, (struct CUstream_st *)8, &err), RC_EINVAL);
    assert_int_equal(rc_system_values(s, a.val, RC_FP64, &right, NULL, &err), RC_EINVAL); /* no places */
    assert_int_equal(rc_system_values(s, a.val, RC_FP64, NULL, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_info(NULL, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_permute(s, &m, &right, NULL, &err), RC_OK);
    rc_system_free(s);
    rc_system_free(NULL);
    rc_csr_free(&a);
    rc_csr_free(&b);
    rc_csr_free(&other);
}

/* Imaginary parts are not left out, and values are where numbers of their type can be. */
static void values_are_refused(void **state)
{
    (void)state;
    rc_err_t err = {0};
    rc_csr_t a = generated("mesh2d:nx=6,ny=6"), b;
    rc_system_t *s = NULL;
    assert_int_equal(rc_csr_alloc(a.rows, a.cols, a.nnz, &b, &err), RC_OK);
    double *parts = calloc(3 * (size_t)a.nnz + 1, sizeof *parts);
    int64_t *place = calloc((size_t)a.nnz, sizeof *place);
    assert_true(parts && place);
    rc_plan_matrix_t m = as_given(&a);
    assert_int_equal(rc_order_system(&m, &(rc_system_options_t){.precision = RC_C64}, &s, &err), RC_OK);
    rc_system_matrix_t to = {.nnz = a.nnz, .row_ptr = b.row_ptr, .row_ptr_bytes = 8, .col_idx = b.col_idx,
        .col_idx_bytes = 4, .val = b.val, .precision = RC_FP64, .place = place, .place_bytes = 8};
    m.val = parts;
    m.precision = RC_C128;
    assert_int_equal(rc_system_permute(s, &m, &to, NULL, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "expected real numbers for fp64, found c128"));
    to.precision = RC_C64;
    assert_int_equal(rc_system_permute(s, &m, &to, NULL, &err), RC_OK);
    m.val = (char *)parts + 4;
    assert_int_equal(rc_system_permute(s, &m, &to, NULL, &err), RC_ENOTSUP);
    assert_int_equal(rc_system_values(s, m.val, RC_C128, &to, NULL, &err), RC_ENOTSUP);
    assert_int_equal(rc_system_values(s, m.val, RC_C64, &to, NULL, &err), RC_OK);
    assert_int_equal(rc_system_values(s, parts + 1, RC_C128, &to, NULL, &err), RC_OK); /* of parts */
    to.precision = RC_FP32;
    assert_int_equal(rc_system_values(s, parts, RC_C64, &to, NULL, &err), RC_EINVAL);
    rc_system_free(s);
    free(parts);
    free(place);
    rc_csr_free(&a);
    rc_csr_free(&b);
}

/* Numbers that 32 bits do not hold are found before anything is read. */
static void wide_numbers_are_asked_for(void **state)
{
    (void)state;
    rc_err_t err = {0};
    rc_csr_t a = generated("mesh2d:nx=6,ny=6");
    rc_system_t *s = NULL;
    rc_plan_matrix_t m = as_given(&a);
    assert_int_equal(rc_order_system(&m, NULL, &s, &err), RC_OK);
    m.nnz = (int64_t)1 << 31;
    rc_system_matrix_t to = {.nnz = m.nnz, .row_ptr = &a, .row_ptr_bytes = 4, .col_idx = &a, .col_idx_bytes = 4};
    assert_int_equal(rc_system_permute(s, &m, &to, NULL, &err), RC_ERANGE);
    assert_non_null(strstr(err.text, "row pointers"));
    to.row_ptr_bytes = 8;
    to.place = &a;
    to.place_bytes = 4;
    assert_int_equal(rc_system_permute(s, &m, &to, NULL, &err), RC_ERANGE);
    assert_non_null(strstr(err.text, "places"));
    rc_system_free(s);
    rc_csr_free(&a);
}

static void blocks_are_refused(void **state)
{
    enum { N = 36, K = 2 };
    (void)state;
    rc_err_t err = {0};
    double x[N * K] = {0}, y[N * K] = {0};
    rc_csr_t a = generated("mesh2d:nx=6,ny=6");
    rc_system_t *s = NULL;
    const rc_plan_matrix_t m = as_given(&a);
    const rc_system_block_t right = {x, 0, y, 0, K, RC_ROW_MAJOR, RC_FP64};
    rc_system_block_t b[8] = {right, right, right, right, right, right, right, right};
    assert_int_equal(rc_order_system(&m, NULL, &s, &err), RC_OK);
    b[0].from = NULL;
    b[1].to = NULL;
    b[2].ld_from = K - 1;
    b[3].ld_to = K - 1;
    b[4].to = x + 1;
    b[5].k = -1;
    b[6].layout = RC_LAYOUTS;
    b[7].precision = (rc_precision_t)-1;
    for (int i = 0; i < 8; i++) {
        assert_int_equal(rc_system_to(s, &b[i], NULL, &err), RC_EINVAL);
        assert_int_equal(rc_system_back(s, &b[i], NULL, &err), RC_EINVAL);
    }
    assert_int_equal(rc_system_to(NULL, &right, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_back(s, NULL, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_system_to(s, &right, (struct CUstream_st *)8, &err), RC_EINVAL);
    assert_int_equal(rc_system_to(s, &right, NULL, &err), RC_OK);
    rc_system_free(s);
    rc_csr_free(&a);
}

/* Every allocation that fails is said, and nothing is lost. */
static void memory_runs_out(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 8);
    const given_how_t how = {.form = RC_PLAN_COO, .ptr_bytes = 4, .col_bytes = 8, .type = RC_FP32, .shuffled = 1, .rows = 70,
        .cols = 70, .mean = 4};
    given_t g = given_new(&rng, &how);
    int64_t ptr[71];
    int32_t *col = calloc((size_t)g.m.nnz + 1, sizeof *col);
    float *val = calloc((size_t)g.m.nnz + 1, sizeof *val);
    assert_true(col && val);
    const rc_system_matrix_t to = {.nnz = g.m.nnz, .row_ptr = ptr, .row_ptr_bytes = 8, .col_idx = col, .col_idx_bytes = 4, .val = val};
    int done = 0;
    for (long n = 1; !done; n++) {
        rc_err_t err = {0};
        rc_system_t *s = NULL;
        failing_alloc_set(n);
        rc_status_t st = rc_order_system(&g.m, &(rc_system_options_t){.order = "rcm", .threads = 1}, &s, &err);
        if (st == RC_OK)
            st = rc_system_permute(s, &g.m, &to, NULL, &err);
        done = !failing_alloc_happened();
        failing_alloc_set(-1);
        assert_true(st == RC_ENOMEM || (st == RC_OK && done));
        rc_system_free(s);
    }
    free(col);
    free(val);
    given_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_hold),
        cmocka_unit_test(long_rows_hold),
        cmocka_unit_test(systems_hold_elsewhere),
        cmocka_unit_test(bands_come_back),
        cmocka_unit_test(gains_are_predicted),
        cmocka_unit_test(orders_are_refused),
        cmocka_unit_test(matrices_are_refused),
        cmocka_unit_test(values_are_refused),
        cmocka_unit_test(wide_numbers_are_asked_for),
        cmocka_unit_test(blocks_are_refused),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
