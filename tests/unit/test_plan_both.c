/* One plan for A and A' (options->transposed), on the host: both products against the product in fp64, and against each
 * other, for every kernel and whatever may be done to a plan. */
#include "config.h"
#include "unit.h"

#include "kernels/kernel.h"
#include "operation/operation.h"
#include "plan_fixture.h"
#include "scratch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A matrix of a caller, in any form. */
typedef struct given {
    input_t in;     /* what the plan multiplies by, A' of spmm_t */
    input_t turned; /* its transpose */
    int form;       /* of rc_plan_form_t, of what the caller has */
    int of_t;       /* 1: that is `turned` */
    int32_t row[MOST * MOST];
} given_t;

/* The arrays of the caller, and the values in its order. */
static const input_t *arrays_of(const given_t *g)
{
    return (g->form == RC_PLAN_CSC) != g->of_t ? &g->turned : &g->in;
}

static rc_plan_matrix_t given_matrix(given_t *g, rc_precision_t type)
{
    const input_t *from = arrays_of(g);
    rc_plan_matrix_t m = matrix_of(from, 8, type);
    const int by_columns = g->form == RC_PLAN_CSC;
    m.form = (rc_plan_form_t)g->form;
    m.rows = by_columns ? from->cols : from->rows;
    m.cols = by_columns ? from->rows : from->cols;
    if (g->form != RC_PLAN_COO)
        return m;
    for (int64_t r = 0; r < from->rows; r++)
        for (int64_t e = from->ptr64[r]; e < from->ptr64[r + 1]; e++)
            g->row[e] = (int32_t)r;
    m.row_ptr = g->row;
    m.row_ptr_bytes = 4;
    return m;
}

static void given_new(rc_rng_t *rng, int form, int of_t, given_t *g)
{
    g->form = form;
    g->of_t = of_t;
    make(rng, (int)below(rng, 2), &g->in);
    transpose(&g->in, &g->turned);
}

static void given_values(rc_rng_t *rng, given_t *g)
{
    new_values(rng, &g->in);
    transpose(&g->in, &g->turned);
}

/* ------------------------------------------------------------------- products */

/* <Y, A X> = <A' Y, X>, of a plan of fp64. */
static void adjoint(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const given_t *g, int64_t k)
{
    static dense_t x, y, ax, aty;
    const int row = p->layout == RC_ROW_MAJOR;
    const int64_t rows = g->in.rows, cols = g->in.cols;
    rc_err_t err = {0};
    double left = 0, right = 0, size = 1;
    if (p->precision != RC_FP64)
        return;
    fill(rng, p, &x);
    fill(rng, p, &y);
    assert_int_equal(rc_plan_execute(plan, k, 1, x.data, row ? k : cols, 0, ax.data, row ? k : rows, NULL, &err), RC_OK);
    assert_int_equal(
        rc_plan_execute_transposed(plan, k, 1, y.data, row ? k : rows, 0, aty.data, row ? k : cols, NULL, &err), RC_OK);
    for (int64_t i = 0; i < rows * k; i++) {
        left += y.data[i] * ax.data[i];
        size += fabs(y.data[i] * ax.data[i]);
    }
    for (int64_t i = 0; i < cols * k; i++)
        right += x.data[i] * aty.data[i];
    if (!(fabs(left - right) <= 1e-11 * size * (double)(rows + cols + 1)))
        fail_msg("adjoint: expected %.17g, found %.17g", left, right);
}

static void check_both(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const given_t *g)
{
    const rc_plan_problem_t of_t = {.op = p->op, .precision = p->precision, .layout = p->layout, .ld_in = {p->ld_out}, .ld_out = p->ld_in[0]};
    for (int i = 0; i < (p->ks ? p->ks : 1); i++) {
        int64_t k = p->ks ? some_k(rng, p, i) : 1;
        check_run(rng, plan, execute_host, p, &g->in, k);
        check_run(rng, plan, execute_host_transposed, &of_t, &g->turned, k);
        if (p->ld_out == 0)
            adjoint(rng, plan, p, g, k);
    }
}

static rc_plan_t *create(const rc_plan_problem_t *p, given_t *g, const rc_plan_options_t *o)
{
    rc_plan_matrix_t m = given_matrix(g, RC_FP64);
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    if (rc_plan_create_host(p, &m, o, &plan, &err) != RC_OK)
        fail_msg("%s", err.text);
    return plan;
}

static void update(rc_rng_t *rng, rc_plan_t *plan, given_t *g)
{
    rc_err_t err = {0};
    given_values(rng, g);
    assert_int_equal(rc_plan_update_values(plan, g->in.nnz, arrays_of(g)->val64, RC_FP64, 0, NULL, &err), RC_OK);
}

/* Every kernel with one product: A' has kernels of its own, whatever K. */
static void every_kernel(void **state)
{
    (void)state;
    static given_t g;
    int kernels = 0;
    rc_rng_t rng;
    rc_rng_seed(&rng, 41);
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *kernel = rc_kernels[i];
        const int has_k = rc_operation_of(kernel->op)->has_k;
        if (kernel->device != RC_DEVICE_CPU || !kernel->computes || strcmp(kernel->name, "fault") == 0 ||
            (kernel->op != RC_OP_SPMM && kernel->op != RC_OP_SPMV))
            continue;
        for (int n = 0; n < 8; n++) {
            const int64_t k[] = {1 + below(&rng, 3), 4 + below(&rng, WIDEST - 4)};
            const rc_plan_problem_t p = {.op = kernel->op, .precision = RC_FP64, .layout = kernel->layout, .k = has_k ? k : NULL,
                .ks = has_k ? 2 : 0, .k_range = has_k && kernel->any_k && n % 2};
            given_new(&rng, n % 3, 0, &g);
            rc_plan_t *plan = create(&p, &g, &(rc_plan_options_t){.kernels = kernel->name, .threads = 1 + n % 2, .transposed = 1});
            check_both(&rng, plan, &p, &g);
            update(&rng, plan, &g);
            check_both(&rng, plan, &p, &g);
            rc_plan_free(plan);
        }
        kernels++;
    }
    assert_true(kernels > 8);
}

/* ---------------------------------------------------------------- what is done */

static rc_plan_t *load(const char *path, const rc_plan_problem_t *p, given_t *g)
{
    rc_plan_matrix_t m = given_matrix(g, RC_FP32);
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    if (rc_plan_load_host(path, p, &m, &(rc_plan_options_t){.threads = 2}, &plan, &err) != RC_OK)
        fail_msg("%s", err.text);
    return plan;
}

/* A plan of two threads. Two updates: the first finds places, the second puts values there. */
static void check_life(rc_rng_t *rng, const char *path, rc_plan_t *plan, const rc_plan_problem_t *p, given_t *g)
{
    static given_t old;
    rc_plan_t *clone = NULL;
    rc_plan_t *late = NULL;
    rc_err_t err = {0};
    check_both(rng, plan, p, g);
    assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
    rc_plan_t *loaded = load(path, p, g);
    check_both(rng, loaded, p, g);
    assert_int_equal(rc_plan_parts(loaded), rc_plan_parts(plan));
    assert_int_equal(rc_plan_clone(plan, NULL, &clone, &err), RC_OK);
    old = *g;
    for (int i = 0; i < 2; i++) {
        update(rng, plan, g);
        check_both(rng, plan, p, g);
    }
    check_both(rng, clone, p, &old);
    assert_int_equal(rc_plan_clone(plan, NULL, &late, &err), RC_OK);
    rc_plan_free(plan);
    check_both(rng, late, p, g);
    update(rng, clone, g);
    check_both(rng, clone, p, g);
    update(rng, loaded, g);
    check_both(rng, loaded, p, g);
    rc_plan_free(late);
    rc_plan_free(clone);
    rc_plan_free(loaded);
}

static rc_plan_options_t some_options(rc_rng_t *rng, const rc_plan_problem_t *p)
{
    const int orders = p->op == RC_OP_SPMM && below(rng, 2);
    return (rc_plan_options_t){.transposed = 1,
        .orders = orders ? "lpt,csr" : NULL,
        .tune = (int)below(rng, 3) - (below(rng, 8) == 0),
        .tune_ns = 1000000,
        .reuse = below(rng, 2) ? 0 : 100,
        .threads = 2};
}

static void random_plans(void **state)
{
    static const rc_op_t ops[] = {RC_OP_SPMM, RC_OP_SPMM_T, RC_OP_SPMV};
    static given_t g;
    char path[SCRATCH_PATH];
    rc_rng_t rng;
    rc_rng_seed(&rng, 42);
    scratch_path(state, "both.json", path);
    for (int n = 0; n < 45; n++) {
        const int64_t k[] = {1 + below(&rng, 5), 6 + below(&rng, WIDEST - 5)};
        rc_plan_problem_t p = {.op = ops[n % 3], .precision = (rc_precision_t)below(&rng, 2), .layout = (rc_layout_t)below(&rng, 2)};
        if (p.op == RC_OP_SPMV)
            p.layout = RC_COL_MAJOR;
        else {
            p.k = k;
            p.ks = 2;
            p.k_range = p.layout == RC_ROW_MAJOR && below(&rng, 2); /* by columns no kernel takes one */
        }
        given_new(&rng, (int)below(&rng, 3), p.op == RC_OP_SPMM_T, &g);
        if (p.ks && below(&rng, 3) == 0) { /* which the other product has the other way round */
            p.ld_in[0] = MOST + 1;
            p.ld_out = MOST + 2;
        }
        const rc_plan_options_t o = some_options(&rng, &p);
        check_life(&rng, path, create(&p, &g, &o), &p, &g);
    }
}

/* Each product finds its own kernel while the program goes on. */
static void tuned_in_use(void **state)
{
    (void)state;
    static given_t g;
    const int64_t k = 7;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_rng_t rng;
    rc_rng_seed(&rng, 43);
    given_new(&rng, RC_PLAN_CSR, 0, &g);
    rc_plan_t *plan = create(&p, &g, &(rc_plan_options_t){.transposed = 1, .tune_in_use = 3, .orders = "csr,lpt", .threads = 1});
    for (int i = 0; i < 60; i++)
        check_both(&rng, plan, &p, &g);
    update(&rng, plan, &g);
    check_both(&rng, plan, &p, &g);
    rc_plan_free(plan);
}

/* Times of products that are known at once. */
typedef struct laps {
    int open;  /* the one that began; -1: none */
    int of[2]; /* how many of either product */
} laps_t;

static int capturing(void *user)
{
    (void)user;
    return 0;
}

static rc_status_t lap_begin(void *user, int lap, rc_err_t *err)
{
    laps_t *l = user;
    (void)err;
    assert_int_equal(l->open, -1);
    assert_in_range(lap, 0, 2 * RC_PLAN_LAPS - 1);
    l->open = lap;
    l->of[lap / RC_PLAN_LAPS]++;
    return RC_OK;
}

static rc_status_t lap_end(void *user, int lap, rc_err_t *err)
{
    laps_t *l = user;
    (void)err;
    assert_int_equal(lap, l->open);
    l->open = -1;
    return RC_OK;
}

static rc_status_t lap_ns(void *user, int lap, int64_t *ns, rc_err_t *err)
{
    (void)user;
    (void)lap;
    (void)err;
    *ns = 1000;
    return RC_OK;
}

/* A timer that both have keeps their times apart. */
static void laps_are_apart(void **state)
{
    (void)state;
    static const rc_plan_laps_t by_number = {capturing, lap_begin, lap_end, lap_ns};
    static given_t g;
    const int64_t k = 5;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    laps_t laps = {.open = -1};
    rc_executor_t x;
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    rc_rng_t rng;
    rc_rng_seed(&rng, 48);
    rc_executor_cpu(1, &x);
    given_new(&rng, RC_PLAN_CSR, 0, &g);
    const rc_plan_place_t place = {.x = &x, .laps = &by_number, .user = &laps};
    const rc_plan_matrix_t m = given_matrix(&g, RC_FP64);
    const rc_plan_options_t o = {.transposed = 1, .tune_in_use = 2, .orders = "csr,lpt"};
    assert_int_equal(rc_plan_new(&place, &p, &m, &o, &plan, &err), RC_OK);
    for (int i = 0; i < 20; i++) {
        check_run(&rng, plan, rc_plan_run, &p, &g.in, k);
        check_run(&rng, plan, rc_plan_run_transposed, &p, &g.turned, k);
    }
    assert_true(laps.of[0] > 0 && laps.of[1] > 0);
    rc_plan_free(plan);
}

/* The bits of one call after the other. */
static void many_by_one_call(void **state)
{
    (void)state;
    enum { K = 3, CALLS = 4 };
    static given_t g;
    static double b[MOST * K], c[CALLS][MOST * K], alone[CALLS][MOST * K];
    const int64_t k = K;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_plan_call_t call[CALLS];
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 44);
    do
        given_new(&rng, RC_PLAN_COO, 0, &g);
    while (g.in.nnz == 0 || g.in.rows == g.in.cols);
    rc_plan_t *plan = create(&p, &g, &(rc_plan_options_t){.transposed = 1, .threads = 2});
    for (int i = 0; i < MOST * K; i++)
        b[i] = rc_rng_unit(&rng);
    for (int i = 0; i < CALLS; i++) {
        call[i] = (rc_plan_call_t){plan, K, i + 1, b, K, 0, c[i], K, i % 2};
        assert_int_equal(
            (i % 2 ? rc_plan_execute_transposed : rc_plan_execute)(plan, K, i + 1, b, K, 0, alone[i], K, NULL, &err), RC_OK);
    }
    assert_int_equal(rc_plan_execute_many(call, CALLS, NULL, &err), RC_OK);
    assert_memory_equal(alone, c, sizeof c);
    call[1].ldb = K - 1;
    assert_int_equal(rc_plan_execute_many(call, CALLS, NULL, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "call 1: "));
    assert_memory_equal(alone, c, sizeof c);
    rc_plan_free(plan);
}

/* ------------------------------------------------------------------ what is said */

static void parts_of_both(void **state)
{
    (void)state;
    static given_t g;
    char text[2000];
    const int64_t k[] = {2, 9};
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = k, .ks = 2};
    rc_plan_part_t part;
    rc_plan_answer_t answer;
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 45);
    do
        given_new(&rng, RC_PLAN_CSR, 0, &g);
    while (g.in.nnz == 0);
    rc_plan_t *plan = create(&p, &g, &(rc_plan_options_t){.transposed = 1, .tune = 2});
    assert_int_equal(rc_plan_parts(plan), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rc_plan_part(plan, i, &part, &err), RC_OK);
        assert_true(part.transposed == i / 2 && part.k == k[i % 2] && part.candidate[part.chosen].bytes >= 0);
        assert_int_equal(rc_plan_answer(plan, i, &answer, &err), RC_OK);
        assert_true(answer.transposed == i / 2 && answer.k == k[i % 2]);
        assert_true((strncmp(answer.sentence, "Transposed: K = ", 16) == 0) == (i > 1));
        rc_plan_answer_free(&answer);
    }
    assert_int_equal(rc_plan_part(plan, 4, &part, &err), RC_EINVAL);
    (void)rc_plan_describe(plan, text, sizeof text);
    assert_non_null(strstr(text, "\nTransposed: K = 9: "));
    rc_plan_free(plan);
}

/* The one kernel that has both products keeps one matrix. */
static void one_matrix_serves_both(void **state)
{
    static given_t g;
    char path[SCRATCH_PATH], text[2000];
    const int64_t k[] = {3, 8};
    rc_rng_t rng;
    rc_rng_seed(&rng, 46);
    scratch_path(state, "one.json", path);
    for (int of_t = 0; of_t < 2; of_t++) {
        const rc_plan_problem_t p = {.op = of_t ? RC_OP_SPMM_T : RC_OP_SPMM, .precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = k, .ks = 2};
        given_new(&rng, RC_PLAN_CSR, of_t, &g);
        rc_plan_t *plan = create(&p, &g, &(rc_plan_options_t){.transposed = 1, .kernels = "rs", .threads = 2});
        assert_int_equal(rc_plan_parts(plan), 2);
        (void)rc_plan_describe(plan, text, sizeof text);
        assert_non_null(strstr(text, "Transposed: from the same"));
        check_life(&rng, path, plan, &p, &g);
        plan = create(&p, &g, &(rc_plan_options_t){.transposed = 1, .kernels = "rs,rowsplit", .threads = 2});
        assert_int_equal(rc_plan_parts(plan), 4);
        check_life(&rng, path, plan, &p, &g);
    }
}

/* Both together take no more than a plan may. */
static void memory_is_of_both(void **state)
{
    (void)state;
    static given_t g;
    const int64_t k = 4;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_plan_options_t o = {.transposed = 1, .kernels = "rowsplit"};
    rc_plan_part_t part;
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    rc_rng_t rng;
    int64_t bytes = 0;
    int made = 0;
    rc_rng_seed(&rng, 47);
    do
        given_new(&rng, RC_PLAN_CSR, 0, &g);
    while (g.in.nnz == 0);
    plan = create(&p, &g, &o);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rc_plan_part(plan, i, &part, &err), RC_OK);
        bytes += part.candidate[part.chosen].bytes;
    }
    rc_plan_free(plan);
    const rc_plan_matrix_t m = given_matrix(&g, RC_FP64);
    for (o.memory = 1; !made; o.memory += 1 + bytes / 16) {
        rc_status_t st = rc_plan_create_host(&p, &m, &o, &plan, &err);
        made = st == RC_OK;
        assert_true(made ? bytes <= o.memory : st == RC_ENOMEM && !plan);
    }
    rc_plan_free(plan);
}

static void refused(const rc_plan_problem_t *p, const rc_plan_matrix_t *m, const rc_plan_options_t *o, rc_status_t st, const char *text)
{
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    assert_int_equal(rc_plan_create_host(p, m, o, &plan, &err), st);
    assert_null(plan);
    if (!strstr(err.text, text))
        fail_msg("expected '%s', found '%s'", text, err.text);
}

/* In the words of what the caller has, of spmm_t too. */
static void wrong_ones(void **state)
{
    (void)state;
    const int64_t k = 2;
    const int32_t ptr[] = {0, 1, 2}, col[] = {0, 5}, right[] = {0, 1};
    const double val[] = {1, 2};
    double b[8] = {0}, c[8];
    rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_plan_matrix_t m = {.rows = 2, .cols = 3, .nnz = 2, .row_ptr = ptr, .row_ptr_bytes = 4, .col_idx = col, .val = val, .precision = RC_FP64};
    const rc_plan_options_t o = {.transposed = 1};
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    for (int of_t = 0; of_t < 2; of_t++) {
        p.op = of_t ? RC_OP_SPMM_T : RC_OP_SPMM;
        refused(&p, &m, &o, RC_EFORMAT, "row 1: expected columns 0 to 2, found 5");
        refused(&p, NULL, &o, RC_EINVAL, "matrix");
        refused(NULL, &m, &o, RC_EINVAL, "problem");
    }
    m.col_idx = right;
    m.form = RC_PLAN_COO;
    m.row_ptr = right;
    m.row_ptr_bytes = 0;
    refused(&p, &m, &o, RC_EINVAL, "rows of 4 or 8");
    m.form = RC_PLAN_CSR;
    m.row_ptr = ptr;
    m.row_ptr_bytes = 4;
    p.op = RC_OP_SDDMM;
    refused(&p, &m, &o, RC_EINVAL, "sddmm");
    p.op = RC_OP_SPMM;
    refused(&p, &m, &(rc_plan_options_t){.transposed = 1, .kernels = "none"}, RC_EINVAL, "none");
    assert_int_equal(rc_plan_create_host(&p, &m, &(rc_plan_options_t){.kernels = "rowsplit"}, &plan, &err), RC_OK);
    assert_int_equal(rc_plan_execute_transposed(plan, k, 1, b, k, 0, c, k, NULL, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "transposed"));
    rc_plan_free(plan);
}

/* What is in a file of both is checked. */
static void files_of_both(void **state)
{
    char path[SCRATCH_PATH], text[4000];
    const int64_t k = 2;
    const int32_t ptr[] = {0, 1, 2}, col[] = {0, 2};
    const double val[] = {1, 2};
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const rc_plan_matrix_t m = {.rows = 2, .cols = 3, .nnz = 2, .row_ptr = ptr, .row_ptr_bytes = 4, .col_idx = col, .val = val, .precision = RC_FP64};
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    scratch_path(state, "file.json", path);
    assert_int_equal(rc_plan_create_host(&p, &m, &(rc_plan_options_t){.transposed = 1}, &plan, &err), RC_OK);
    assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
    rc_plan_free(plan);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = '\0';
    const char *other = strstr(text, "\"transpose\":");
    assert_non_null(other);
    static const char *const wrong[] = {"7}", "[]}", "{}}"};
    for (int i = 0; i < 3; i++) {
        f = fopen(path, "w");
        assert_non_null(f);
        assert_true(fprintf(f, "%.*s%s\n", (int)(other - text) + 12, text, wrong[i]) > 0);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(rc_plan_load_host(path, &p, &m, NULL, &plan, &err), RC_EFORMAT);
        assert_null(plan);
        assert_non_null(strstr(err.text, i < 2 ? "transpose" : "format"));
    }
}

/* A file has the product with A' that is asked for, or is refused when it is loaded. */
static void files_of_one(void **state)
{
    char path[SCRATCH_PATH];
    const int64_t k = 2;
    const int32_t ptr[] = {0, 1, 2}, col[] = {0, 2};
    const double val[] = {1, 2}, b[4] = {1, 2, 3, 4};
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const rc_plan_matrix_t m = {.rows = 2, .cols = 3, .nnz = 2, .row_ptr = ptr, .row_ptr_bytes = 4, .col_idx = col, .val = val, .precision = RC_FP64};
    static const struct {
        const char *kernel;
        rc_status_t status;
    } of[] = {{"rowsplit", RC_EINVAL}, {"rs", RC_OK}};
    rc_err_t err = {0};
    scratch_path(state, "one.json", path);
    for (int i = 0; i < 2; i++)
        for (int bits = RC_PLAN_TRANSPOSED; bits <= RC_PLAN_ADJOINT; bits++) {
            rc_plan_t *plan = NULL;
            double c[6] = {0};
            assert_int_equal(rc_plan_create_host(&p, &m, &(rc_plan_options_t){.kernels = of[i].kernel}, &plan, &err), RC_OK);
            assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
            rc_plan_free(plan);
            assert_int_equal(rc_plan_load_host(path, &p, &m, &(rc_plan_options_t){.transposed = bits}, &plan, &err), of[i].status);
            if (!plan) {
                assert_non_null(strstr(err.text, "one.json: transpose: expected a plan for A', too, found none"));
                continue;
            }
            assert_int_equal(rc_plan_execute_transposed(plan, k, 1, b, k, 0, c, k, NULL, &err), RC_OK);
            assert_true(c[0] == 1 && c[1] == 2 && c[2] == 0 && c[4] == 6 && c[5] == 8);
            rc_plan_free(plan);
        }
    rc_plan_t *plan = NULL;
    assert_int_equal(rc_plan_load_host(path, &p, &m, &(rc_plan_options_t){.transposed = 3}, &plan, &err), RC_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(random_plans),
        cmocka_unit_test(tuned_in_use),
        cmocka_unit_test(laps_are_apart),
        cmocka_unit_test(many_by_one_call),
        cmocka_unit_test(parts_of_both),
        cmocka_unit_test(files_of_one),
        cmocka_unit_test(one_matrix_serves_both),
        cmocka_unit_test(memory_is_of_both),
        cmocka_unit_test(wrong_ones),
        cmocka_unit_test(files_of_both),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
