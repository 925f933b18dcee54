/* Every function of rowcast_cuda.h and rowcast_device.h with every argument wrong, each in a child process that opens the GPU for
 * itself: a status and a line, never a signal, never taken silently.  Needs a GPU for all but NULL. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "rowcast_device.h"
#include "wrong.h"

#include <cuda_runtime_api.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { K = 8, SIDE = 12 };

/* What is wrong; what is 0 or NULL is as it should be. */
typedef struct with {
    int matrix;        /* -1: as it should be */
    int on_device;     /* 1: the arrays are memory of the GPU; 2: they are said to be, and are not; 3: they are, and it is not said */
    int row_ptr_bytes; /* 0: 8 */
    int precision;     /* 0: fp64; else none */
    const rc_plan_problem_t *problem;
    const rc_plan_options_t *options;
    const char *none; /* the argument that is NULL */
    int64_t k;        /* of a run; 0: K */
    int64_t ldb;
    int64_t ldc;
    int at_b; /* bytes that an operand is moved by */
    int same; /* 1: B is C */
    int64_t nnz;
    const char *path;
} with_t;

static int is_none(const with_t *w, const char *argument)
{
    return w->none && strcmp(w->none, argument) == 0;
}

static const int64_t usual_k = K;

static rc_plan_problem_t usual_problem(rc_op_t op)
{
    return (rc_plan_problem_t){.op = op, .precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &usual_k, .ks = 1};
}

/* For a child process: nothing is freed. */
static const void *there(const void *from, size_t bytes)
{
    void *p = NULL;
    if (!from)
        return NULL;
    if (cudaMalloc(&p, bytes + 64) != cudaSuccess || cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice) != cudaSuccess)
        _exit(99);
    return p;
}

static rc_plan_matrix_t matrix_of(const with_t *w)
{
    rc_csr_t a = wrong_matrix(w->matrix);
    enum { ENTRIES = 48 };
    rc_plan_matrix_t m = {.rows = a.rows, .cols = a.cols, .nnz = a.nnz, .row_ptr = a.row_ptr, .col_idx = a.col_idx, .val = a.val,
        .row_ptr_bytes = w->row_ptr_bytes ? w->row_ptr_bytes : 8, .precision = w->precision ? (rc_precision_t)w->precision : RC_FP64,
        .on_device = w->on_device == 1 || w->on_device == 2};
    if (w->on_device == 1 || w->on_device == 3) {
        m.row_ptr = there(m.row_ptr, (SIDE + 1) * sizeof *a.row_ptr);
        m.col_idx = there(m.col_idx, ENTRIES * sizeof *a.col_idx);
        m.val = there(m.val, ENTRIES * sizeof *a.val);
    }
    return m;
}

static rc_status_t create(const with_t *w, rc_op_t op, rc_plan_t **out, rc_err_t *err)
{
    rc_plan_matrix_t m = matrix_of(w);
    rc_plan_problem_t p = usual_problem(op);
    return rc_plan_create(is_none(w, "problem") ? NULL : w->problem ? w->problem : &p, is_none(w, "a") ? NULL : &m,
        w->options, NULL, is_none(w, "out") ? NULL : out, err);
}

static rc_status_t make(const void *with, rc_err_t *err)
{
    rc_plan_t *plan;
    return create(with, RC_OP_SPMM, &plan, err);
}

/* A plan as it should be; without one the process ends as no call does. */
static rc_plan_t *good(rc_op_t op)
{
    const with_t usual = {.matrix = -1};
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    if (create(&usual, op, &plan, &err) < 0) {
        printf("# %s\n", err.text);
        (void)fflush(stdout);
        _exit(98);
    }
    return plan;
}

static rc_status_t load(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_plan_matrix_t m = matrix_of(w);
    rc_plan_problem_t p = usual_problem(RC_OP_SPMM);
    rc_plan_t *plan;
    return rc_plan_load(is_none(w, "path") ? NULL : w->path, is_none(w, "problem") ? NULL : &p, is_none(w, "a") ? NULL : &m, NULL,
        NULL, is_none(w, "out") ? NULL : &plan, err);
}

/* ------------------------------------------------------------ with a good plan */

static void *operand(int64_t values)
{
    void *p = NULL;
    if (cudaMalloc(&p, (size_t)values * sizeof(double)) != cudaSuccess)
        _exit(97);
    return p;
}

typedef rc_status_t execute_fn(rc_plan_t *plan, int64_t k, double alpha, const void *b, int64_t ldb, double beta, void *c,
    int64_t ldc, struct CUstream_st *stream, rc_err_t *err);

/* Also of the product with the transposed matrix, which only one kernel has. */
static rc_status_t run(execute_fn *execute, const with_t *w, rc_err_t *err)
{
    rc_plan_t *plan = is_none(w, "plan") ? NULL : good(RC_OP_SPMM);
    char *c = operand(4 * SIDE * K);
    char *b = w->same ? c : operand(4 * SIDE * K);
    return execute(plan, w->k ? w->k : K, 1, is_none(w, "b") ? NULL : b + w->at_b, w->ldb ? w->ldb : K, 0,
        is_none(w, "c") ? NULL : c, w->ldc ? w->ldc : K, NULL, err);
}

static rc_status_t execute(const void *with, rc_err_t *err)
{
    return run(rc_plan_execute, with, err);
}

static rc_status_t transposed(const void *with, rc_err_t *err)
{
    return run(rc_plan_execute_transposed, with, err);
}

static rc_status_t sddmm(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_plan_t *plan = is_none(w, "plan") ? NULL : good(RC_OP_SDDMM);
    return rc_plan_execute_sddmm(plan, w->k ? w->k : K, 1, is_none(w, "b") ? NULL : operand(SIDE * K), w->ldb ? w->ldb : K,
        is_none(w, "x") ? NULL : operand(SIDE * K), w->ldc ? w->ldc : K, 0, is_none(w, "c") ? NULL : operand(SIDE * K), NULL, err);
}

static rc_status_t of_another_operation(const void *with, rc_err_t *err)
{
    (void)with;
    return rc_plan_execute(good(RC_OP_SDDMM), K, 1, operand(SIDE * K), K, 0, operand(SIDE * K), K, NULL, err);
}

static rc_status_t update(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    const double val[4 * SIDE] = {0};
    rc_plan_t *plan = is_none(w, "plan") ? NULL : good(RC_OP_SPMM);
    const void *v = w->on_device == 3 ? there(val, sizeof val) : val;
    return rc_plan_update_values(plan, w->nnz ? w->nnz : 4 * SIDE, is_none(w, "val") ? NULL : v, w->precision ? (rc_precision_t)w->precision : RC_FP64,
        w->on_device == 2, NULL, err);
}

static rc_status_t clone(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_plan_t *out;
    return rc_plan_clone(is_none(w, "plan") ? NULL : good(RC_OP_SPMM), NULL, is_none(w, "out") ? NULL : &out, err);
}

/* \param[in] with  k: the index */
static rc_status_t part(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_plan_part_t out;
    return rc_plan_part(is_none(w, "plan") ? NULL : good(RC_OP_SPMM), (int)w->k, is_none(w, "out") ? NULL : &out, err);
}

static rc_status_t save(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    return rc_plan_save(is_none(w, "plan") ? NULL : good(RC_OP_SPMM), is_none(w, "path") ? NULL : w->path, err);
}

static rc_status_t places(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_plan_places_t out;
    return rc_plan_places(is_none(w, "plan") ? NULL : good(RC_OP_SPMM), w->k ? w->k : K, is_none(w, "out") ? NULL : &out, err);
}

/* ----------------------------------------------------------- without a good plan */

static rc_status_t list(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_gpu_info_t *all;
    int n;
    return rc_gpu_list(is_none(w, "list") ? NULL : &all, is_none(w, "count") ? NULL : &n, err);
}

static rc_status_t versions(const void *with, rc_err_t *err)
{
    (void)with;
    return rc_gpu_versions(NULL, err);
}

/* -------------------------------------------------------------------- tests */

static void all_is_refused(const wrong_t *n, const char *what)
{
    printf("# %s: %d calls, %d by a signal or exit, %d accepted, %d without a line\n", what, n->calls, n->died,
        n->accepted, n->wordless);
    assert_true(n->calls > 0);
    assert_int_equal(n->refused, n->calls);
}

/* Asked in a child: this process never opens the GPU, so that its children can. */
static rc_status_t count_gpus(const void *with, rc_err_t *err)
{
    rc_gpu_info_t *all;
    int n = 0;
    (void)with;
    rc_status_t st = rc_gpu_list(&all, &n, err);
    return st == RC_OK && n == 0 ? RC_EDEVICE : st;
}

static void need_gpu(void)
{
    wrong_t n = {0};
    const char *must = getenv("ROWCAST_GPU");
    wrong_call(&n, NULL, count_gpus, NULL);
    if (n.accepted == 1)
        return;
    if (must && strcmp(must, "1") == 0)
        fail_msg("ROWCAST_GPU=1, and there is no GPU");
    skip();
}

static void null_without_a_gpu(void **state)
{
    static const struct {
        const char *name;
        wrong_fn *call;
        const char *none[4];
    } of[] = {{"rc_plan_create", make, {"out"}}, {"rc_plan_load", load, {"path", "out"}}, {"rc_plan_clone", clone, {"plan"}},
        {"rc_plan_execute_sddmm", sddmm, {"plan"}}, {"rc_plan_part", part, {"plan"}}, {"rc_plan_save", save, {"plan"}},
        {"rc_plan_places", places, {"plan"}}, {"rc_plan_update_values", update, {"plan"}},
        {"rc_gpu_list", list, {"list", "count"}}};
    wrong_t n = {0};
    with_t w = {.matrix = -1, .path = "/nowhere/x"};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int k = 0; of[i].none[k]; k++)
            if (of[i].call != sddmm) { /* its operands need a GPU */
                w.none = of[i].none[k];
                wrong_call(&n, of[i].name, of[i].call, &w);
            }
    wrong_call(&n, "rc_gpu_versions", versions, &w);
    all_is_refused(&n, "NULL");
}

static void null_with_a_gpu(void **state)
{
    static const struct {
        const char *name;
        wrong_fn *call;
        const char *none[5];
    } of[] = {{"rc_plan_create", make, {"problem", "a", "out"}}, {"rc_plan_load", load, {"path", "problem", "a", "out"}},
        {"rc_plan_clone", clone, {"plan", "out"}}, {"rc_plan_execute", execute, {"plan", "b", "c"}},
        {"rc_plan_execute_transposed", transposed, {"plan", "b", "c"}}, {"rc_plan_execute_sddmm", sddmm, {"plan", "b", "x", "c"}},
        {"rc_plan_update_values", update, {"plan", "val"}}, {"rc_plan_part", part, {"plan", "out"}},
        {"rc_plan_save", save, {"plan", "path"}}, {"rc_plan_places", places, {"plan", "out"}}};
    wrong_t n = {0};
    wrong_t fine = {0};
    char name[100];
    with_t w = {.matrix = -1, .path = "/nowhere/x"};
    (void)state;
    need_gpu();
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int k = 0; k < 5 && of[i].none[k]; k++) {
            w.none = of[i].none[k];
            snprintf(name, sizeof name, "%s: %s NULL", of[i].name, w.none);
            wrong_call(&n, name, of[i].call, &w);
        }
    all_is_refused(&n, "NULL, with a GPU");
    w.none = NULL;
    wrong_fn *const as_it_should[] = {make, clone, execute, sddmm, update, part};
    for (size_t i = 0; i < sizeof as_it_should / sizeof *as_it_should; i++)
        wrong_call(&fine, NULL, as_it_should[i], &w);
    assert_int_equal(fine.accepted, fine.calls);
}

/* Columns of a row may come in any order here, so that only a column twice is wrong of an order. */
static int is_wrong_for_plans(int which)
{
    return strcmp(wrong_matrix_name(which), "columns that descend") != 0;
}

static void matrices_that_are_none(void **state)
{
    wrong_t n = {0};
    char name[100];
    with_t w = {0};
    (void)state;
    need_gpu();
    for (w.matrix = 0; w.matrix < wrong_matrices; w.matrix++)
        for (w.on_device = 0; w.on_device < 2; w.on_device++) {
            if (!is_wrong_for_plans(w.matrix))
                continue;
            snprintf(name, sizeof name, "rc_plan_create, %s: %s", w.on_device ? "there" : "here", wrong_matrix_name(w.matrix));
            wrong_call(&n, name, make, &w);
        }
    w.matrix = -1;
    w.on_device = 3;
    wrong_call(&n, "arrays of the GPU as those of the host", make, &w);
    w.on_device = 2; /* refused by the driver, unless its GPU can read them */
    wrong_t said_there = {0};
    wrong_call(&said_there, NULL, make, &w);
    assert_int_equal(said_there.died, 0);
    w.on_device = 0;
    for (w.row_ptr_bytes = -8; w.row_ptr_bytes < 20; w.row_ptr_bytes += 5)
        wrong_call(&n, "bytes of row pointers", make, &w);
    w.row_ptr_bytes = 0;
    static const int none[] = {-8, -1, RC_TYPES, 3 * RC_TYPES, INT_MAX};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        w.precision = none[i];
        wrong_call(&n, "type of values", make, &w);
    }
    all_is_refused(&n, "matrices that are none");
}

static void problems_and_options_that_are_none(void **state)
{
    static const int64_t bad_k[] = {0, -1, INT64_MIN, (int64_t)INT32_MAX + 1, INT64_MAX};
    static const int64_t twice[] = {8, 8};
    static const rc_cuda_allocator_t no_memory = {.alloc = NULL};
    enum { PROBLEMS = 12, OPTIONS = 12 };
    rc_plan_problem_t p[PROBLEMS];
    rc_plan_options_t o[OPTIONS] = {{.kernels = "nope"}, {.kernels = ""}, {.orders = "nope"}, {.orders = "lpt:no=1"}, {.reuse = -1},
        {.reuse = NAN}, {.reuse = INFINITY}, {.tune = RC_PLAN_SEARCH - 1}, {.tune_ns = -1}, {.memory = -1}, {.threads = -1},
        {.allocator = &no_memory}};
    wrong_t n = {0};
    char name[40];
    (void)state;
    need_gpu();
    for (int i = 0; i < PROBLEMS; i++)
        p[i] = usual_problem(RC_OP_SPMM);
    for (int i = 0; i < 5; i++)
        p[i].k = &bad_k[i];
    p[5].ks = 0;
    p[6].k = NULL;
    p[7].op = (rc_op_t)77;
    p[8].precision = (rc_precision_t)77;
    p[9].layout = (rc_layout_t)77;
    p[10].k = twice;
    p[10].ks = 2;
    p[11].ld_out = 1;
    for (int i = 0; i < PROBLEMS + OPTIONS; i++) {
        with_t w = {.matrix = -1, .problem = i < PROBLEMS ? &p[i] : NULL, .options = i < PROBLEMS ? NULL : &o[i - PROBLEMS]};
        snprintf(name, sizeof name, "%s %d", i < PROBLEMS ? "problem" : "options", i < PROBLEMS ? i : i - PROBLEMS);
        wrong_call(&n, name, make, &w);
    }
    all_is_refused(&n, "problems and options");
}

static void runs_that_are_none(void **state)
{
    static const with_t runs[] = {{.k = -1}, {.k = 7}, {.k = 9}, {.k = INT64_MAX}, {.k = INT64_MIN}, {.ldb = 1}, {.ldb = -8},
        {.ldc = 7}, {.ldc = INT64_MIN}, {.at_b = 1}, {.same = 1}};
    static const with_t values[] = {{.nnz = 47}, {.nnz = -1}, {.nnz = INT64_MAX}, {.precision = RC_TYPES}, {.precision = -8},
        {.on_device = 3}};
    wrong_t n = {0};
    char name[60];
    (void)state;
    need_gpu();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        snprintf(name, sizeof name, "run %zu", i);
        wrong_call(&n, name, execute, &runs[i]);
        wrong_call(&n, name, transposed, &runs[i]);
        if (!runs[i].at_b && !runs[i].same)
            wrong_call(&n, name, sddmm, &runs[i]);
    }
    wrong_call(&n, "another operation", of_another_operation, NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(name, sizeof name, "values %zu", i);
        wrong_call(&n, name, update, &values[i]);
    }
    with_t w = {.matrix = -1, .path = "/nowhere/x"};
    wrong_call(&n, "rc_plan_load", load, &w);
    wrong_call(&n, "rc_plan_save", save, &w);
    for (w.k = 7; w.k < 10; w.k++)
        wrong_call(&n, "rc_plan_places", places, &w);
    for (w.k = -1; w.k < 3; w.k += 2)
        wrong_call(&n, "rc_plan_part", part, &w);
    all_is_refused(&n, "runs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_without_a_gpu),
        cmocka_unit_test(null_with_a_gpu),
        cmocka_unit_test(matrices_that_are_none),
        cmocka_unit_test(problems_and_options_that_are_none),
        cmocka_unit_test(runs_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
