/* Every CUDA kernel of every operation in every type against a naive one in fp64.  Needs a GPU: without one it
 * skips itself, or fails when ROWCAST_GPU is 1.  ROWCAST_GPU_SAMPLE=N does one run in N, default 601, which takes minutes;
 * all of them take days.  Of kernels with thousands of combinations of parameters some are drawn.
 * ROWCAST_GPU_KERNEL=NAME,NAME,... does only those kernels, ROWCAST_GPU_OP=NAME only that
 * operation. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "device/device.h"
#include "format/places.h"
#include "kernels/prepared.h"
#include "kernels/vendor/vendor.h"
#include "operands.h"
#include "order/policy.h"
#include "variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- memory */

static rc_status_t (*plain_alloc)(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err);
static void (*plain_release)(rc_executor_t *x, void *p);
static int64_t allocated; /* bytes asked for since it was set to 0 */
static int64_t blocks;    /* not yet released */

static rc_status_t counting_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    rc_status_t st = plain_alloc(x, bytes, out, err);
    if (st == RC_OK) {
        allocated += (int64_t)bytes;
        blocks++;
    }
    return st;
}

static void counting_release(rc_executor_t *x, void *p)
{
    blocks -= p != NULL;
    plain_release(x, p);
}

/* ------------------------------------------------------------------- runs */

typedef struct schedules {
    rc_geometry_t geometry;
    rc_schedule_t *list; /* [schedule_count()]; slots < 0: not built */
} schedules_t;

/* What the runs of one matrix share. */
typedef struct plan {
    gpu_operands_t o;
    int only_which; /* -1: a schedule that changes from run to run */
    rc_c_order_t only_order;
    int64_t turn; /* counts what was asked for, and picks */
    int64_t sample;
    int made; /* 1: there are operands of this K */
    int64_t runs[RC_TYPES];
    int64_t skipped;
    schedules_t cache[16];
    int cached;
} plan_t;

/* A library may ask for more alignment than the type, and for memory that it names late. */
static int is_ours(const rc_kernel_t *k)
{
    return !rc_vendor_is(k->name) && strcmp(k->name, "loop-spmv") != 0;
}

typedef struct scalars {
    double alpha;
    double beta;
    int old;         /* 1: the output holds values before, 0: NaN */
    double alpha_im; /* of complex numbers */
    double beta_im;
} scalars_t;

/* Twice, so that the second run finds the first one's results: with beta 0 it replaces them. */
static rc_status_t run_scaled(plan_t *plan, const rc_kernel_t *kernel, void *state,
    const rc_problem_t *p, int place, scalars_t s, const char *label)
{
    rc_err_t err = {0};
    rc_operands_t of = gpu_operands_of(&plan->o, place, p->c_rows);
    char text[400];
    if (rc_type(p->precision)->parts > 1) {
        of.alpha_im = s.alpha_im;
        of.beta_im = s.beta_im;
    }
    snprintf(text, sizeof text, "%s, alpha %g%+gi, beta %g%+gi", label, s.alpha, of.alpha_im, s.beta, of.beta_im);
    if (s.alpha == 0 && of.alpha_im == 0) /* reads no input */
        of.in[0].data = of.in[1].data = NULL;
    gpu_operands_fill(&plan->o, &of, s.old);
    for (int round = 0; round < (s.beta == 0 && of.beta_im == 0 ? 2 : 1); round++) {
        rc_status_t st = rc_kernel_run(kernel, state, &of, s.alpha, s.beta, &err);
        if (st == RC_ENOTSUP && !is_ours(kernel))
            return st;
        ok(st, &err, text);
    }
    gpu_operands_check(&plan->o, &of, p, s.alpha, s.beta, s.old, text);
    return RC_OK;
}

/* Alpha 1 and beta 0 first, then a pair that changes, then again: nothing is kept between runs. */
static rc_status_t run_pairs(plan_t *plan, const rc_kernel_t *kernel, void *state,
    const rc_problem_t *p, int place, uint64_t dice, const char *label)
{
    static const scalars_t pair[] = {{2, 0.5, 1, 0.25, -1}, {-1, 1, 1, 0, 0}, {0, 0, 0, 0, 0}, {1, 1, 1, 3, 0},
        {0, 2, 1, 0, 0.5}, {0, 1, 1, 0, 0}, {0.5, 0, 0, -2, 0}};
    static const scalars_t plain = {1, 0, 0, 0, 0};
    rc_err_t err = {0};
    rc_operands_t of = gpu_operands_of(&plan->o, place, p->c_rows);
    if (kernel->preprocess) {
        rc_status_t st = kernel->preprocess(state, &of, &err);
        if (st == RC_ENOTSUP && !is_ours(kernel))
            return st;
        ok(st, &err, label);
    }
    rc_status_t st = run_scaled(plan, kernel, state, p, place, plain, label);
    if (st == RC_OK)
        st = run_scaled(
            plan, kernel, state, p, place, pair[dice % (sizeof pair / sizeof *pair)], label);
    /* other operands and leading dimensions with the same state */
    if (st == RC_OK && dice % 8 == 0)
        st = run_scaled(plan, kernel, state, p, PLACE_WIDE, plain, label);
    return st;
}

/* The array of values has each value of A once, where the places that a preparation leaves say. */
static void check_values(const rc_kernel_t *kernel, rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, const char *label)
{
    const rc_type_t *type = rc_type(p->precision);
    rc_places_t left = {0};
    rc_problem_t asked = *p;
    rc_err_t err = {0};
    void *state = NULL;
    void *array = NULL;
    int64_t seen = 0;
    asked.places = &left;
    ok(rc_kernel_prepare(kernel, x, &asked, analysis, &state, &err), &err, label);
    int64_t count = rc_kernel_values(state, &array);
    if (count > 0 && left.count != count)
        fail_msg("%s: %.0f places of %.0f values", label, (double)left.count, (double)count);
    char *place = malloc((size_t)(count * left.bytes) + 1);
    char *value = malloc((size_t)(count * type->bytes) + 1);
    unsigned char *is = calloc((size_t)p->a->nnz + 1, 1);
    assert_true(place && value && is);
    ok(x->download(x, place, left.at, (size_t)(count * left.bytes), &err), &err, label);
    ok(x->download(x, value, array, (size_t)(count * type->bytes), &err), &err, label);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = rc_place_at(place, left.bytes, i);
        assert_true(at >= 0 && at <= p->a->nnz && !is[at]);
        for (int q = 0; q < type->parts; q++) {
            double want = at > 0 ? type->round(entry_part(p->a, at - 1, q)) : 0;
            assert_true(operand_get_part((unsigned char *)value, p->precision, (size_t)i, q) == want);
        }
        is[at] = at > 0;
        seen += at > 0;
    }
    assert_true(count == 0 || seen == p->a->nnz);
    free(place);
    free(value);
    free(is);
    rc_places_free(&left);
    rc_kernel_release(kernel, state);
}

static void run_one(plan_t *plan, const rc_kernel_spec_t *spec, int which, rc_c_order_t order,
    const rc_schedule_t *s, uint64_t dice)
{
    const rc_kernel_t *kernel = spec->kernel;
    gpu_operands_t *o = &plan->o;
    /* lpt pads up to a warp's rows for each warp */
    rc_problem_t p =
        gpu_problem(o, spec, s, s->slots > gpu_operands_rows(o) ? RC_C_ORIGINAL : order);
    int place = (int)(dice % PLACES);
    o->library = !is_ours(kernel);
    rc_analysis_t analysis;
    rc_err_t err = {0};
    void *state = NULL;
    char label[300];
    place = place == PLACE_SHIFTED && !is_ours(kernel) ? PLACE_ALIGNED : place;
    snprintf(label, sizeof label, "%s:%s, matrix '%s', K %d, %s%s, schedule %s, output in %s order%s",
        kernel->name, spec->params, o->matrix, (int)o->k, rc_precision_name(o->precision),
        o->out_sums ? " to its sums" : "", schedule_name(which), rc_c_order_name(p.c_order), place_name(place));
    if (rc_kernel_analyse(kernel, &p, &analysis, NULL) != RC_OK) {
        plan->skipped++;
        return;
    }
    allocated = 0;
    rc_status_t st = rc_kernel_prepare(kernel, o->x, &p, &analysis, &state, &err);
    if (st == RC_ENOTSUP) {
        plan->skipped++;
        return;
    }
    ok(st, &err, label);
    int64_t announced = rc_analysis_bytes(&analysis, p.k);
    if (is_ours(kernel) && allocated != announced)
        fail_msg("%s: announced %.0f bytes of device memory, allocated %.0f", label,
            (double)announced, (double)allocated);
    allocated = 0;
    st = run_pairs(plan, kernel, state, &p, place, dice / PLACES, label);
    if (allocated != 0)
        fail_msg("%s: a run allocated %.0f bytes", label, (double)allocated);
    void *array;
    int told = rc_kernel_values(state, &array) > 0;
    rc_kernel_release(kernel, state);
    if (told && dice % 4 == 0)
        check_values(kernel, o->x, &p, &analysis, label);
    plan->runs[o->precision] += st == RC_OK;
    plan->skipped += st != RC_OK;
}

/* -------------------------------------------------------------- schedules */

static const rc_schedule_t *schedule_for(plan_t *plan, rc_geometry_t g, int which)
{
    int i = 0;
    while (i < plan->cached && memcmp(&plan->cache[i].geometry, &g, sizeof g) != 0)
        i++;
    assert_true(i < (int)(sizeof plan->cache / sizeof plan->cache[0]));
    schedules_t *set = &plan->cache[i];
    if (i == plan->cached) {
        plan->cached++;
        set->geometry = g;
        set->list = calloc((size_t)schedule_count(), sizeof *set->list);
        assert_non_null(set->list);
        for (int j = 0; j < schedule_count(); j++)
            set->list[j].slots = -1;
    }
    if (set->list[which].slots < 0)
        set->list[which] = make_schedule(plan->o.a, which, g);
    return &set->list[which];
}

static void drop_schedules(plan_t *plan)
{
    for (int i = 0; i < plan->cached; i++) {
        for (int j = 0; j < schedule_count(); j++)
            if (plan->cache[i].list[j].slots >= 0)
                rc_schedule_free(&plan->cache[i].list[j]);
        free(plan->cache[i].list);
    }
    plan->cached = 0;
}

/* -------------------------------------------------------------- the product */

enum { VARIANTS_MAX = 4096 }; /* of a kernel, beyond which some are drawn for each K or schedule */

/* What multiplies rows between copies, so many columns at a time, goes through all of its own.  To go through
 * thousands takes longer than one run in thousands. */
static int64_t variants_of(const plan_t *plan, const rc_kernel_t *k)
{
    if (plan->sample > 1)
        return 0;
    for (int i = 0; i < RC_KERNEL_PARAMS_MAX && k->param[i].name; i++)
        if (strcmp(k->param[i].name, "columns") == 0)
            return 0;
    return VARIANTS_MAX;
}

static void run_variant(const rc_kernel_spec_t *spec, void *user)
{
    plan_t *plan = user;
    int64_t turn = plan->turn++;
    if (turn % plan->sample != 0)
        return;
    if (!plan->made)
        gpu_operands_new(&plan->o);
    plan->made = 1;
    rc_geometry_t g = spec->kernel->geometry(plan->o.x, spec->param, plan->o.precision);
    uint64_t dice = rc_rng_hash(1, (uint64_t)turn);
    int which = (int)((dice >> 8) % (uint64_t)schedule_count());
    rc_c_order_t order = dice >> 7 & 1 ? RC_C_SCHEDULE : RC_C_ORIGINAL;
    if (plan->only_which >= 0) {
        which = plan->only_which;
        order = plan->only_order;
    }
    run_one(plan, spec, which, order, schedule_for(plan, g, which), dice >> 32);
}

/* Does this run test the kernel? */
static int is_tested(const plan_t *plan, const rc_kernel_t *k)
{
    return k->device == RC_DEVICE_CUDA && k->computes &&
           (!k->for_testing || k->format) && /* not those that go wrong */
           k->op == plan->o.operation->op && k->layout == plan->o.layout &&
           rc_kernel_takes_out(k, plan->o.precision, plan->o.out_sums) &&
           kernel_is_wanted(k->name);
}

static void run_kernels(plan_t *plan)
{
    for (int i = 0; rc_kernels[i]; i++)
        if (is_tested(plan, rc_kernels[i]))
            for_some_variants(rc_kernels[i], variants_of(plan, rc_kernels[i]), (uint64_t)plan->turn,
                run_variant, plan);
}

/* The operands are made by the first run. */
static void drop_operands(plan_t *plan)
{
    if (plan->made)
        gpu_operands_free(&plan->o);
    plan->made = 0;
}

/* Every schedule and order of the output, at a K that changes; else every K, and a schedule that
 * changes. */
typedef void body_fn(plan_t *plan);

static void every_schedule(plan_t *plan)
{
    static const int64_t ks[] = {5, 33, 1, 64, 17, 4, 129, 2, 100, 9, 31};
    plan->o.k = plan->o.operation->has_k ? ks[plan->turn % (int64_t)(sizeof ks / sizeof ks[0])] : 1;
    for (int which = 0; which < schedule_count(); which++)
        for (int order = 0; order < 2; order++) {
            plan->only_which = which;
            plan->only_order = order ? RC_C_SCHEDULE : RC_C_ORIGINAL;
            run_kernels(plan);
        }
    drop_operands(plan);
}

static void every_k(plan_t *plan)
{
    static const int64_t ks[] = {
        1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 100, 128, 129, 257, 258, 260, 520};
    size_t count = plan->o.operation->has_k ? sizeof ks / sizeof ks[0] : 1;
    plan->only_which = -1;
    for (size_t i = 0; i < count; i++) {
        plan->o.k = ks[i];
        run_kernels(plan);
        drop_operands(plan);
    }
}

/* Every operation and layout that has a kernel. */
static void on_every_operation(plan_t *plan, body_fn *body)
{
    const char *only = getenv("ROWCAST_GPU_OP");
    for (int op = 0; rc_operations[op]; op++)
        for (int layout = 0; layout < RC_LAYOUTS; layout++) {
            int kernels = 0;
            plan->o.operation = rc_operations[op];
            plan->o.layout = (rc_layout_t)layout;
            for (int i = 0; rc_kernels[i]; i++)
                kernels += is_tested(plan, rc_kernels[i]);
            if (kernels > 0 && (!only || strcmp(only, rc_operations[op]->name) == 0))
                body(plan);
        }
}

/* \param[in] out_sums  1: outputs of the type of sums, where values have another one */
static void on_every_matrix(body_fn *body, int out_sums)
{
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    enum { USUAL = 601 };
    const int64_t each = out_sums ? 3 : 1; /* all but the store is as it was */
    plan_t plan = {.o = {.x = &d->executor}, .sample = each * sample_of_runs_or(USUAL)};
    plain_alloc = d->executor.alloc;
    plain_release = d->executor.release;
    d->executor.alloc = counting_alloc;
    d->executor.release = counting_release;
    for (int m = 0; m < shape_count; m++)
        for (int i = 0; i < RC_TYPES; i++) {
            const rc_precision_t precision = (rc_precision_t)i;
            if (out_sums && rc_type_out(precision, 1) == precision)
                continue;
            plan.o.out_sums = out_sums;
            rc_csr_t a = make_matrix(&shapes[m], 100 + (uint64_t)m);
            plan.o.matrix = shapes[m].name;
            plan.o.a = &a;
            plan.o.precision = precision;
            on_every_operation(&plan, body);
            drop_schedules(&plan);
            free_matrix(&a);
        }
    int64_t runs = 0;
    for (int i = 0; i < RC_TYPES; i++) {
        printf("%s%s %d", i ? ", " : "# runs: ", rc_precision_name((rc_precision_t)i), (int)plan.runs[i]);
        runs += plan.runs[i];
    }
    printf("; not supported %d\n", (int)plan.skipped);
    if (runs == 0) /* the kernel asked for takes no such type, or none of the sample */
        assert_non_null(getenv("ROWCAST_GPU_KERNEL"));
    assert_int_equal(blocks, 0);
    rc_device_close(d);
}

static void kernels_with_every_k(void **state)
{
    (void)state;
    on_every_matrix(every_k, 0);
}

static void kernels_with_every_schedule(void **state)
{
    (void)state;
    on_every_matrix(every_schedule, 0);
}

static void sums_are_stored_as_they_are(void **state)
{
    (void)state;
    on_every_matrix(every_k, 1);
    on_every_matrix(every_schedule, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_with_every_k),
        cmocka_unit_test(kernels_with_every_schedule),
        cmocka_unit_test(sums_are_stored_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
