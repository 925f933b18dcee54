/* Plans whose matrix and orders are in memory of the executor, here that of the host: what of them comes to
 * the host, and what stays once the caller's arrays are gone. */
#include "config.h"
#include "unit.h"

#include "base/alloc.h"
#include "base/type.h"
#include "order/policy.h"
#include "plan/plan_private.h"
#include "plan_fixture.h"
#include "scratch.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------ an executor that counts */

static struct {
    int64_t blocks;
    size_t down; /* bytes */
    void (*release)(rc_executor_t *x, void *p);
    rc_status_t (*alloc)(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err);
    rc_status_t (*download)(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err);
} seen;

static rc_status_t counted_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    rc_status_t st = seen.alloc(x, bytes, out, err);
    seen.blocks += st == RC_OK && *out != NULL;
    return st;
}

static void counted_release(rc_executor_t *x, void *p)
{
    seen.blocks -= p != NULL;
    seen.release(x, p);
}

static rc_status_t counted_download(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    seen.down += bytes;
    return seen.download(x, to, from, bytes, err);
}

static void open_counted(rc_executor_t *x)
{
    rc_executor_cpu(1, x);
    seen.blocks = 0;
    seen.down = 0;
    seen.alloc = x->alloc;
    seen.release = x->release;
    seen.download = x->download;
    x->alloc = counted_alloc;
    x->release = counted_release;
    x->download = counted_download;
}

/* ---------------------------------------------------------------- a device's functions */

/* As the host reads it; arrays are borrowed where the columns of all rows are in order. */
static rc_status_t read_there(rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err)
{
    const rc_plan_place_t here = {.x = x};
    rc_csr_t a = {0};
    int64_t *from = NULL;
    void *to[2] = {NULL, NULL};
    *out = (rc_there_t){.m = {.x = x}};
    rc_status_t st = rc_plan_matrix_read(&here, m, &a, &from, err);
    size_t nnz = (size_t)m->nnz;
    out->m.row_ptr = m->row_ptr;
    out->m.row_ptr_bytes = m->row_ptr_bytes;
    out->m.col_idx = m->col_idx;
    if (st == RC_OK && from) {
        assert_int_equal(x->alloc(x, nnz * sizeof *a.col_idx, &to[0], NULL), RC_OK);
        assert_int_equal(x->alloc(x, nnz * sizeof(int32_t), &to[1], NULL), RC_OK);
        memcpy(to[0], a.col_idx, nnz * sizeof *a.col_idx);
        for (int64_t i = 0; i < m->nnz; i++)
            ((int32_t *)to[1])[i] = (int32_t)from[i] + 1;
        out->m.col_idx = out->m.owned[1] = to[0];
        out->from = out->m.owned[2] = to[1];
        out->from_bytes = (int)sizeof(int32_t);
    }
    rc_csr_free(&a);
    free(from);
    return st;
}

/* The last row first; of `mincol` the original order. */
static rc_status_t order_there(rc_executor_t *x, const char *order, const rc_csr_t *a, const rc_resident_t *m,
    rc_resident_rows_t *out, rc_err_t *err)
{
    (void)x;
    (void)err;
    if (strcmp(order, "mincol") != 0 && strcmp(order, "minlabel") != 0)
        return RC_ENOTSUP;
    if (!m)
        return RC_OK;
    assert_non_null(m->row_ptr);
    out->identity = strcmp(order, "mincol") == 0 || a->rows <= 1;
    for (int64_t p = 0; p < a->rows; p++)
        out->row[p] = (int32_t)(out->identity ? p : a->rows - 1 - p);
    return RC_OK;
}

/* ---------------------------------------------------------------------- the pattern */

static void same_pattern(const rc_csr_t *a, const int64_t *from, const rc_csr_t *b, const int64_t *other)
{
    assert_int_equal(a->nnz, b->nnz);
    assert_memory_equal(a->row_ptr, b->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    assert_memory_equal(a->col_idx, b->col_idx, (size_t)a->nnz * sizeof *a->col_idx);
    assert_int_equal(from != NULL, other != NULL);
    if (from)
        assert_memory_equal(from, other, (size_t)a->nnz * sizeof *from);
}

static void free_bare(rc_plan_t *plan)
{
    rc_plan_pattern_leave(plan);
    rc_plan_values_free(&plan->values);
    rc_csr_free(&plan->a);
    free(plan->from);
}

/* The arrays of the caller go, and so does the plan that a copy is of. */
static void a_pattern_outlives_its_arrays(void **state)
{
    (void)state;
    static input_t in;
    rc_rng_t rng;
    rc_executor_t x;
    rc_rng_seed(&rng, 9);
    open_counted(&x);
    for (int i = 0; i < 64; i++) {
        rc_plan_pattern_t pattern = {0};
        rc_plan_pattern_t copied = {0};
        rc_plan_t plan = {.place = {.x = &x, .read = read_there}, .pattern = &pattern, .precision = RC_FP32};
        rc_plan_t to = {.place = {.x = &x}, .pattern = &copied};
        rc_csr_t want = {0};
        int64_t *from = NULL;
        rc_err_t err = {0};
        make(&rng, i & 1, &in);
        rc_plan_matrix_t m = matrix_of(&in, i & 2 ? 8 : 4, RC_FP64);
        m.on_device = i >> 2 & 1;
        plan.values = rc_plan_values_of(m.val, RC_FP64, m.on_device);
        assert_int_equal(rc_plan_matrix_read(&plan.place, &m, &want, &from, &err), RC_OK);
        assert_int_equal(rc_plan_pattern_read(&plan, &m, &err), RC_OK);
        assert_null(plan.a.row_ptr);
        assert_int_equal(rc_plan_is_moved(&plan), from != NULL);
        assert_int_equal(rc_plan_pattern_settle(&plan, &err), RC_OK);
        memset(&in, 0x7f, sizeof in);
        assert_int_equal(rc_plan_pattern_clone(&plan, &to, &err), RC_OK);
        assert_int_equal(rc_plan_pattern_here(&plan, &err), RC_OK);
        same_pattern(&plan.a, plan.from, &want, from);
        free_bare(&plan);
        assert_int_equal(rc_plan_pattern_here(&to, &err), RC_OK);
        same_pattern(&to.a, to.from, &want, from);
        free_bare(&to);
        rc_csr_free(&want);
        free(from);
        assert_int_equal(seen.blocks, 0);
    }
}

/* Where the plan may not take it, it is on the host. */
static void a_pattern_without_room_is_on_the_host(void **state)
{
    (void)state;
    static input_t in;
    rc_rng_t rng;
    rc_executor_t x;
    rc_err_t err = {0};
    rc_plan_pattern_t pattern = {0};
    rc_rng_seed(&rng, 10);
    open_counted(&x);
    make(&rng, 1, &in);
    rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    m.on_device = 1;
    rc_plan_t plan = {.place = {.x = &x, .read = read_there}, .pattern = &pattern, .memory = 1};
    assert_int_equal(rc_plan_pattern_read(&plan, &m, &err), RC_OK);
    assert_int_equal(rc_plan_pattern_settle(&plan, &err), RC_OK);
    assert_null(rc_plan_pattern_there(&plan));
    assert_non_null(plan.a.row_ptr);
    free_bare(&plan);
    assert_int_equal(seen.blocks, 0);
}

/* ------------------------------------------------------------------------- values */

/* In the order that the device has of the caller's, from either place. */
static void values_follow_the_device(void **state)
{
    (void)state;
    static input_t in;
    rc_rng_t rng;
    rc_executor_t x;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 11);
    open_counted(&x);
    for (int i = 0; i < 8 * RC_TYPES * RC_TYPES; i++) {
        rc_plan_pattern_t pattern = {0};
        rc_plan_t plan = {.place = {.x = &x, .read = read_there}, .pattern = &pattern, .precision = (rc_precision_t)(i / 8 % RC_TYPES)};
        void *there = NULL;
        const void *here = NULL;
        make(&rng, i & 1, &in);
        rc_plan_matrix_t m = matrix_of(&in, 8, (rc_precision_t)(i / (8 * RC_TYPES)));
        m.on_device = i >> 2 & 1;
        plan.values = rc_plan_values_of(m.val, m.precision, m.on_device);
        assert_int_equal(rc_plan_pattern_read(&plan, &m, &err), RC_OK);
        assert_int_equal(rc_plan_values_there(&plan, &there, &err), RC_OK);
        assert_int_equal(rc_plan_values_here(&plan, &here, &err), RC_OK);
        for (int64_t e = 0; e < in.nnz; e++) {
            double want = in.val64[plan.from ? plan.from[e] : e];
            want = rc_type(m.precision)->round(want);
            assert_true(rc_type(plan.values.type)->load(here, e) == want);
            assert_true(rc_type(plan.precision)->load(there, e) == rc_type(plan.precision)->round(want));
        }
        x.release(&x, there);
        free_bare(&plan);
        assert_int_equal(seen.blocks, 0);
    }
}

/* --------------------------------------------------------------------------- plans */

/* Plans of arrays that are overwritten at once: they multiply, take new values, are copied and saved. */
static void plans_outlive_their_arrays(void **state)
{
    static input_t in;
    static input_t given;
    static const char *const kernels[] = {"rowsplit", "rs", "cstat:strip=2"};
    static const char *const orders[] = {"csr", "minlabel", "mincol", "random:seed=3", "dcsr"};
    const int64_t k[] = {3, 8};
    char path[512];
    rc_rng_t rng;
    rc_executor_t x;
    rc_rng_seed(&rng, 12);
    scratch_path(state, "there.json", path);
    for (int i = 0; i < 60; i++) {
        open_counted(&x);
        const rc_plan_place_t place = {.x = &x, .read = read_there, .order = order_there};
        const rc_plan_problem_t p = {
            .precision = RC_FP32, .layout = i % 3 < 2 ? RC_ROW_MAJOR : RC_COL_MAJOR, .k = k, .ks = 2};
        const rc_plan_options_t o = {.kernels = kernels[i % 3], .orders = orders[i % 5], .threads = 1};
        rc_plan_t *plan = NULL;
        rc_plan_t *other = NULL;
        rc_err_t err = {0};
        make(&rng, i & 1, &in);
        given = in;
        rc_plan_matrix_t m = matrix_of(&given, i & 2 ? 8 : 4, RC_FP64);
        m.on_device = i & 1;
        if (rc_plan_new(&place, &p, &m, &o, &plan, &err) != RC_OK)
            fail_msg("%s", err.text);
        memset(&given, 0x7f, sizeof given);
        check_product(&rng, plan, &p, &in, 3);
        for (int update = 0; update < 2; update++) {
            new_values(&rng, &in);
            assert_int_equal(rc_plan_update(plan, in.val64, RC_FP64, update, &err), RC_OK);
            check_product(&rng, plan, &p, &in, 8);
        }
        assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
        assert_int_equal(rc_plan_copy(plan, &place, &other, &err), RC_OK);
        rc_plan_free(plan);
        check_product(&rng, other, &p, &in, 3);
        new_values(&rng, &in);
        assert_int_equal(rc_plan_update(other, in.val64, RC_FP64, 0, &err), RC_OK);
        check_product(&rng, other, &p, &in, 8);
        rc_plan_free(other);
        given = in;
        m = matrix_of(&given, 8, RC_FP64);
        assert_int_equal(rc_plan_open(&(rc_plan_file_t){.path = path}, &place, &p, &m, &other, &err), RC_OK);
        memset(&given, 0x7f, sizeof given);
        check_product(&rng, other, &p, &in, 3);
        rc_plan_free(other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_outlives_its_arrays),
        cmocka_unit_test(a_pattern_without_room_is_on_the_host),
        cmocka_unit_test(values_follow_the_device),
        cmocka_unit_test(plans_outlive_their_arrays),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
