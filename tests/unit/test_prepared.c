/* States of any kernel: made, shared, run and freed (kernels/prepared.h), with a kernel that notes what
 * it is asked for. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "kernels/prepared.h"

#include <string.h>

/* What the kernel did, and what it shall fail in. */
static struct {
    int builds;
    int owns;
    int fits;
    int releases;
    int drops;
    int64_t k;       /* of the last run */
    int64_t chosen;  /* of the last run: what fit left */
    const void *ran; /* its state */
    int fails_in_build;
    int fails_in_own;
    int fails_in_fit;
} did;

typedef struct noting {
    rc_prepared_t base;
    int64_t matrix;
    int64_t chosen; /* K that fit saw */
    int own;        /* from here on of each state */
} noting_t;

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    noting_t *s = state;
    (void)analysis;
    did.builds++;
    assert_non_null(p->kernel);
    assert_non_null(p->text);
    assert_true(s->own == 0 && s->matrix == 0);
    s->matrix = 7;
    s->base.stored = 5;
    rc_status_t st = rc_memory_room(&s->base.memory, 5 * s->base.value_bytes, &s->base.val, err);
    return did.fails_in_build ? rc_fail(err, RC_EDEVICE, "build") : st;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    noting_t *s = state;
    void *room;
    did.owns++;
    assert_null(s->base.p.text); /* it was there while the matrix was prepared */
    assert_int_equal(s->own, 0);
    if (did.fails_in_own)
        return rc_fail(err, RC_ENOTSUP, "own");
    s->own = 1;
    return rc_memory_room(&s->base.memory, (size_t)s->base.p.k, &room, err);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    noting_t *s = state;
    did.fits++;
    s->base.p.k = k;
    if (did.fails_in_fit)
        return rc_fail(err, RC_ENOTSUP, "fit");
    s->chosen = 10 * k;
    return RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const noting_t *s = state;
    (void)alpha;
    (void)beta;
    (void)err;
    did.k = o->in[0].cols;
    did.chosen = s->chosen;
    did.ran = state;
    assert_int_equal(s->matrix, 7);
    return RC_OK;
}

static void release(void *state)
{
    did.releases += ((noting_t *)state)->own;
}

static void drop(void *state)
{
    assert_true(((noting_t *)state)->matrix == 7 || did.fails_in_build);
    did.drops++;
}

static const rc_kernel_t noting = {
    .name = "noting",
    .any_k = 1,
    .state_bytes = RC_STATE(noting_t),
    .shares = offsetof(noting_t, own),
    .k_max = 100,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
    .release = release,
    .drop = drop,
};

static rc_problem_t problem_of(int64_t k)
{
    return (rc_problem_t){.k = k, .precision = RC_FP32, .text = "a file"};
}

static int64_t alive;

static rc_status_t (*plain_alloc)(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err);
static void (*plain_release)(rc_executor_t *x, void *p);

static rc_status_t counting_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    alive++;
    return plain_alloc(x, bytes, out, err);
}

static void counting_release(rc_executor_t *x, void *p)
{
    alive -= p != NULL;
    plain_release(x, p);
}

static rc_executor_t begin(void)
{
    rc_executor_t x;
    memset(&did, 0, sizeof did);
    alive = 0;
    rc_executor_cpu(1, &x);
    plain_alloc = x.alloc;
    plain_release = x.release;
    x.alloc = counting_alloc;
    x.release = counting_release;
    return x;
}

static void *prepared(rc_executor_t *x, int64_t k)
{
    const rc_problem_t p = problem_of(k);
    const rc_analysis_t analysis = {0};
    void *state = NULL;
    assert_int_equal(rc_kernel_prepare(&noting, x, &p, &analysis, &state, NULL), RC_OK);
    assert_non_null(state);
    return state;
}

static void run_at(void *state, int64_t k)
{
    float y[1] = {0};
    const rc_operands_t o = {.in = {{.cols = k, .precision = RC_FP32}},
        .out = {.data = y, .rows = 1, .cols = 1, .ld = 1, .precision = RC_FP32}};
    assert_int_equal(rc_kernel_run(&noting, state, &o, 1, 0, NULL), RC_OK);
    assert_true(did.k == k && did.chosen == 10 * k);
}

/* Launches are chosen where a run has other columns than the last, and once. */
static void any_k_is_run(void **unused)
{
    (void)unused;
    rc_executor_t x = begin();
    void *state = prepared(&x, 8);
    void *array = NULL;
    assert_true(did.builds == 1 && did.owns == 1 && did.fits == 1 && alive == 2);
    assert_int_equal(rc_kernel_values(state, &array), 5);
    assert_non_null(array);
    run_at(state, 8);
    assert_true(did.ran == state && did.fits == 1);
    run_at(state, 3);
    run_at(state, 3);
    assert_true(did.ran == state && did.fits == 2);
    run_at(state, 8);
    assert_true(did.ran == state && did.fits == 3 && alive == 2);
    const rc_operands_t o = {.in = {{.cols = 5, .precision = RC_FP32}}, .out = {.precision = RC_FP32}};
    for (int i = 0; i < 2; i++) { /* what could not be chosen is not taken for chosen */
        did.fails_in_fit = 1;
        assert_int_equal(rc_kernel_run(&noting, state, &o, 1, 0, NULL), RC_ENOTSUP);
        assert_true(did.k == 8 && did.fits == 4 + i);
    }
    did.fails_in_fit = 0;
    run_at(state, 8);
    assert_int_equal(did.fits, 6);
    rc_kernel_release(&noting, state);
    assert_true(did.releases == 1 && did.drops == 1 && alive == 0);
    rc_kernel_release(&noting, NULL);
}

/* With alpha 0 the output is scaled, and the kernel is not asked. */
static void nothing_is_scaled(void **unused)
{
    (void)unused;
    rc_executor_t x = begin();
    void *state = prepared(&x, 2);
    float y[2] = {3, 5};
    const rc_operands_t o = {.in = {{.cols = 2, .precision = RC_FP32}},
        .out = {.data = y, .rows = 2, .cols = 1, .ld = 2, .precision = RC_FP32}};
    assert_int_equal(rc_kernel_run(&noting, state, &o, 0, 2, NULL), RC_OK);
    assert_true(y[0] == 6 && y[1] == 10 && did.k == 0);
    rc_kernel_release(&noting, state);
}

/* Each state is released on its own, in any order; the matrix goes with the last. */
static void a_matrix_is_shared(void **unused)
{
    (void)unused;
    for (int order = 0; order < 6; order++) {
        static const int first[][3] = {
            {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        rc_executor_t x = begin();
        void *state[3] = {prepared(&x, 4)};
        const rc_problem_t p = problem_of(9);
        void *array[2] = {NULL, NULL};
        for (int i = 1; i < 3; i++)
            assert_int_equal(
                rc_kernel_share(&noting, &x, &p, state[i - 1], &state[i], NULL), RC_OK);
        assert_true(did.builds == 1 && did.owns == 3 && alive == 4);
        run_at(state[2], 9);
        run_at(state[0], 4);
        assert_int_equal(rc_kernel_values(state[0], &array[0]), 5);
        assert_int_equal(rc_kernel_values(state[2], &array[1]), 5);
        assert_ptr_equal(array[0], array[1]);
        for (int i = 0; i < 3; i++) {
            assert_int_equal(did.drops, 0);
            rc_kernel_release(&noting, state[first[order][i]]);
        }
        assert_true(did.releases == 3 && did.drops == 1 && alive == 0);
    }
}

static void failures_leave_nothing(void **unused)
{
    (void)unused;
    for (int where = 0; where < 4; where++) {
        rc_executor_t x = begin();
        rc_err_t err = {0};
        void *of = where == 3 ? prepared(&x, 4) : NULL;
        void *state = NULL;
        const rc_problem_t p = problem_of(4);
        const rc_analysis_t analysis = {0};
        did.fails_in_build = where == 0;
        did.fails_in_own = where == 1 || where == 3;
        did.fails_in_fit = where == 2;
        rc_status_t st = of ? rc_kernel_share(&noting, &x, &p, of, &state, &err)
                            : rc_kernel_prepare(&noting, &x, &p, &analysis, &state, &err);
        assert_int_equal(st, where == 0 ? RC_EDEVICE : RC_ENOTSUP);
        assert_null(state);
        assert_int_equal(did.releases, where == 2);
        assert_int_equal(did.drops, of == NULL);
        rc_kernel_release(&noting, of);
        assert_true(did.drops == 1 && alive == 0);
    }
}

static void k_has_a_limit(void **unused)
{
    (void)unused;
    rc_executor_t x = begin();
    const rc_problem_t p = problem_of(101);
    const rc_analysis_t analysis = {0};
    rc_err_t err = {0};
    void *state = NULL;
    assert_int_equal(rc_kernel_prepare(&noting, &x, &p, &analysis, &state, &err), RC_ENOTSUP);
    assert_string_equal(err.text, "shape: K = 101, at most 100");
    assert_true(state == NULL && did.builds == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_k_is_run),
        cmocka_unit_test(nothing_is_scaled),
        cmocka_unit_test(a_matrix_is_shared),
        cmocka_unit_test(failures_leave_nothing),
        cmocka_unit_test(k_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
