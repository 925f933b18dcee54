/* Every CUDA kernel against a naive product in fp64.  Needs a GPU: without one it skips itself, or
 * fails when ROWCAST_GPU is 1.  ROWCAST_GPU_SAMPLE=N does one run in N (for compute-sanitizer);
 * ROWCAST_GPU_KERNEL=NAME does only that kernel. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/str.h"
#include "fixture.h"
#include "kernels/kernel.h"
#include "order/policy.h"
#include "variants.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 512 }; /* bytes around B and C, a multiple of any alignment */

/* ---------------------------------------------------------------- device */

static rc_status_t (*plain_alloc)(rc_device_t *d, size_t bytes, void **out, rc_err_t *err);
static void (*plain_release)(rc_device_t *d, void *p);
static int64_t allocated; /* bytes asked for since it was set to 0 */
static int64_t blocks;    /* not yet released */

static rc_status_t counting_alloc(rc_device_t *d, size_t bytes, void **out, rc_err_t *err)
{
    rc_status_t st = plain_alloc(d, bytes, out, err);
    if (st == RC_OK) {
        allocated += (int64_t)bytes;
        blocks++;
    }
    return st;
}

static void counting_release(rc_device_t *d, void *p)
{
    blocks -= p != NULL;
    plain_release(d, p);
}

/* The first GPU with counted allocations; NULL: there is none, and that is all right. */
static rc_device_t *open_gpu(void)
{
    const char *must = getenv("ROWCAST_GPU");
    rc_gpu_info_t *list = NULL;
    int count = 0;
    rc_err_t err = {0};
    rc_device_t *d = NULL;
    rc_status_t st = rc_gpu_list(&list, &count, &err);
    if (st == RC_OK)
        free(list);
    if (st == RC_OK && count > 0)
        st = rc_device_open_gpu(0, 0, &d, &err);
    if (!d) {
        if (must && strcmp(must, "1") == 0)
            fail_msg("ROWCAST_GPU=1, but: %s", st < 0 ? err.text : "there is no GPU");
        return NULL;
    }
    plain_alloc = d->alloc;
    plain_release = d->release;
    d->alloc = counting_alloc;
    d->release = counting_release;
    return d;
}

static void ok(rc_status_t st, const rc_err_t *err, const char *what)
{
    if (st < 0)
        fail_msg("%s: %s: %s", what, rc_status_name(st), err->text);
}

/* --------------------------------------------------------------- operands */

/* What the runs of one (matrix, precision, layout, K) share. */
typedef struct operands {
    rc_device_t *d;
    const shape_t *shape;
    const rc_csr_t *a;
    const reference_t *ref;
    rc_precision_t precision;
    rc_layout_t layout;
    int64_t k;
    void *b[2];          /* device: B, aligned, and offset by one value */
    unsigned char *c;    /* device: guard, C, guard */
    unsigned char *host; /* what is downloaded of it */
    size_t c_bytes;      /* of device and host, for the largest C */
    int64_t runs;
    int64_t skipped;
} operands_t;

static void put(unsigned char *to, rc_precision_t precision, size_t i, double v)
{
    float f = (float)v;
    if (precision == RC_FP32)
        memcpy(to + i * sizeof f, &f, sizeof f);
    else
        memcpy(to + i * sizeof v, &v, sizeof v);
}

static double get(const unsigned char *from, rc_precision_t precision, size_t i)
{
    float f;
    double v;
    if (precision == RC_FP64) {
        memcpy(&v, from + i * sizeof v, sizeof v);
        return v;
    }
    memcpy(&f, from + i * sizeof f, sizeof f);
    return (double)f;
}

/* B between NaNs, so that no value outside of it can be used unnoticed. */
static void upload_b(operands_t *o, int which)
{
    rc_err_t err = {0};
    size_t value = rc_precision_bytes(o->precision);
    size_t bytes = (size_t)(o->a->cols * o->k) * value;
    size_t offset = which ? value : 0;
    unsigned char *host = malloc(bytes + 2 * GUARD + offset);
    void *device = NULL;
    assert_non_null(host);
    memset(host, 0xff, bytes + 2 * GUARD + offset);
    for (int64_t c = 0; c < o->a->cols; c++)
        for (int64_t j = 0; j < o->k; j++) {
            int64_t i = o->layout == RC_COL_MAJOR ? j * o->a->cols + c : c * o->k + j;
            put(host + GUARD + offset, o->precision, (size_t)i, b_value(c, j));
        }
    ok(o->d->alloc(o->d, bytes + 2 * GUARD + offset, &device, &err), &err, "memory for B");
    ok(o->d->upload(o->d, device, host, bytes + 2 * GUARD + offset, &err), &err, "upload of B");
    o->b[which] = (unsigned char *)device + GUARD + offset;
    free(host);
}

static void operands_new(operands_t *o)
{
    rc_err_t err = {0};
    void *c = NULL;
    upload_b(o, 0);
    upload_b(o, 1);
    /* most slots that any schedule of these has: pads at random, or a whole team of them */
    size_t slots = 4 * (size_t)o->a->rows + 8192;
    o->c_bytes = slots * (size_t)o->k * rc_precision_bytes(o->precision) + 2 * GUARD + 16;
    ok(o->d->alloc(o->d, o->c_bytes, &c, &err), &err, "memory for C");
    o->c = c;
    o->host = malloc(o->c_bytes);
    assert_non_null(o->host);
}

static void operands_free(operands_t *o)
{
    size_t value = rc_precision_bytes(o->precision);
    o->d->release(o->d, (unsigned char *)o->b[0] - GUARD);
    o->d->release(o->d, (unsigned char *)o->b[1] - GUARD - value);
    o->d->release(o->d, o->c);
    free(o->host);
}

/* ------------------------------------------------------------------- runs */

/* One case in words, for messages. */
typedef struct label {
    char text[300];
} label_t;

static label_t label_of(
    const operands_t *o, const rc_kernel_spec_t *spec, const rc_problem_t *p, int which, int offset)
{
    label_t l;
    snprintf(l.text, sizeof l.text, "%s:%s, matrix '%s', K %d, %s, schedule %s, C in %s order%s",
        spec->kernel->name, spec->params, o->shape->name, (int)o->k,
        rc_precision_name(o->precision), schedule_name(which), rc_c_order_name(p->c_order),
        offset ? ", unaligned" : "");
    return l;
}

static void check_guards(const operands_t *o, size_t from, size_t bytes, const label_t *label)
{
    for (size_t i = 0; i < from; i++)
        if (o->host[i] != 0xff)
            fail_msg("%s: byte %d before C was written", label->text, (int)(from - i));
    for (size_t i = from + bytes; i < from + bytes + GUARD; i++)
        if (o->host[i] != 0xff)
            fail_msg("%s: byte %d behind C was written", label->text, (int)(i - from - bytes));
}

static void check_row(const operands_t *o, const unsigned char *c, int64_t at, int64_t rows,
    int64_t r, const label_t *label)
{
    double eps = o->precision == RC_FP32 ? (double)FLT_EPSILON : DBL_EPSILON;
    double len = (double)(o->a->row_ptr[r + 1] - o->a->row_ptr[r]);
    for (int64_t j = 0; j < o->k; j++) {
        int64_t i = o->layout == RC_COL_MAJOR ? j * rows + at : at * o->k + j;
        double found = get(c, o->precision, (size_t)i);
        double sum = o->ref->sum[r * K_MAX + j];
        double bound = (len + 2) * eps * o->ref->mag[r * K_MAX + j];
        if (!(fabs(found - sum) <= bound))
            fail_msg("%s: C(%d, %d): expected %.17g, found %.17g, off by %.3g of the bound",
                label->text, (int)r, (int)j, sum, found, fabs(found - sum) / bound);
    }
}

static void check_untouched(
    const operands_t *o, const unsigned char *c, int64_t at, int64_t rows, const label_t *label)
{
    static const unsigned char poison[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    size_t value = rc_precision_bytes(o->precision);
    for (int64_t j = 0; j < o->k; j++) {
        int64_t i = o->layout == RC_COL_MAJOR ? j * rows + at : at * o->k + j;
        if (memcmp(c + (size_t)i * value, poison, value) != 0)
            fail_msg("%s: absent row %d was stored to", label->text, (int)at);
    }
}

static void check_c(const operands_t *o, const rc_problem_t *p, size_t from, const label_t *label)
{
    const rc_schedule_t *s = p->schedule;
    const unsigned char *c = o->host + from;
    size_t bytes = (size_t)(p->c_rows * o->k) * rc_precision_bytes(o->precision);
    check_guards(o, from, bytes, label);
    unsigned char *present = calloc((size_t)o->a->rows + 1, 1);
    assert_non_null(present);
    for (int64_t i = 0; i < s->slots; i++) {
        if (s->row[i] < 0)
            continue;
        present[s->row[i]] = 1;
        check_row(o, c, p->c_order == RC_C_SCHEDULE ? i : s->row[i], p->c_rows, s->row[i], label);
    }
    for (int64_t r = 0; p->c_order == RC_C_ORIGINAL && r < o->a->rows; r++)
        if (!present[r])
            check_untouched(o, c, r, p->c_rows, label);
    free(present);
}

/* A library may ask for more alignment than the type, and for memory that it names late. */
static int is_ours(const rc_kernel_t *k)
{
    return strncmp(k->name, "cusparse", 8) != 0;
}

static void run_twice(operands_t *o, const rc_kernel_spec_t *spec, const rc_problem_t *p,
    int offset, const label_t *label)
{
    const rc_kernel_t *kernel = spec->kernel;
    rc_device_t *d = o->d;
    rc_err_t err = {0};
    void *state = NULL;
    size_t from = GUARD + (offset ? rc_precision_bytes(o->precision) : 0);
    size_t all = from + (size_t)(p->c_rows * o->k) * rc_precision_bytes(o->precision) + GUARD;
    assert_true(all <= o->c_bytes);
    allocated = 0;
    rc_status_t st = kernel->prepare(d, p, &state, &err);
    if (st == RC_ENOTSUP) {
        o->skipped++;
        return;
    }
    ok(st, &err, label->text);
    int64_t announced = kernel->bytes_device(p);
    if (is_ours(kernel) && allocated != announced)
        fail_msg("%s: announced %.0f bytes of device memory, allocated %.0f", label->text,
            (double)announced, (double)allocated);
    if (kernel->preprocess)
        ok(kernel->preprocess(state, o->b[offset], o->c + from, &err), &err, label->text);
    ok(d->fill(d, o->c, 0xff, all, &err), &err, label->text);
    /* a second run must find its own results in C and replace them */
    for (int round = 0; round < 2; round++)
        ok(kernel->run(state, o->b[offset], o->c + from, &err), &err, label->text);
    ok(d->download(d, o->host, o->c, all, &err), &err, label->text);
    check_c(o, p, from, label);
    kernel->release(state);
    o->runs++;
}

static void run_one(operands_t *o, const rc_kernel_spec_t *spec, int which, rc_c_order_t c_order,
    const rc_schedule_t *s, int offset)
{
    const rc_kernel_t *kernel = spec->kernel;
    int identity = rc_schedule_is_identity(s);
    rc_problem_t p = {
        .k = o->k,
        .precision = o->precision,
        .layout = o->layout,
        .c_order = identity ? RC_C_ORIGINAL : c_order,
        .a = o->a,
        .schedule = s,
        .identity = identity,
        .geometry = kernel->geometry(o->d, spec->param, o->precision),
    };
    p.c_rows = p.c_order == RC_C_SCHEDULE ? s->slots : o->a->rows;
    memcpy(p.param, spec->param, sizeof p.param);
    offset = offset && is_ours(kernel);
    label_t label = label_of(o, spec, &p, which, offset);
    if (kernel->supports(&p, NULL) != RC_OK) {
        o->skipped++;
        return;
    }
    run_twice(o, spec, &p, offset, &label);
}

/* -------------------------------------------------------------- the product */

/* The schedules of a matrix for one geometry, built when first asked for. */
typedef struct schedules {
    rc_geometry_t geometry;
    rc_schedule_t *list; /* [schedule_count()]; slots < 0: not built */
} schedules_t;

typedef struct plan {
    operands_t o;
    int only_which; /* -1: a schedule that changes from run to run */
    rc_c_order_t only_order;
    int64_t turn; /* counts what was asked for, and picks */
    int64_t sample;
    schedules_t cache[16];
    int cached;
} plan_t;

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

static void run_variant(const rc_kernel_spec_t *spec, void *user)
{
    plan_t *plan = user;
    int64_t turn = plan->turn++;
    if (turn % plan->sample != 0)
        return;
    rc_geometry_t g = spec->kernel->geometry(plan->o.d, spec->param, plan->o.precision);
    uint64_t dice = rc_rng_hash(1, (uint64_t)turn);
    int which = (int)((dice >> 8) % (uint64_t)schedule_count());
    rc_c_order_t order = (rc_c_order_t)(dice >> 1 & 1);
    if (plan->only_which >= 0) {
        which = plan->only_which;
        order = plan->only_order;
    }
    run_one(&plan->o, spec, which, order, schedule_for(plan, g, which), (int)(dice & 1));
}

static void run_kernels(plan_t *plan)
{
    const char *only = getenv("ROWCAST_GPU_KERNEL");
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        if (k->device == RC_DEVICE_CUDA && k->computes && !k->for_testing &&
            k->layout == plan->o.layout && (!only || strcmp(only, k->name) == 0))
            for_each_variant(k, NULL, run_variant, plan);
    }
}

/* Every schedule and order of C, at a K that changes; else every K, and a schedule that changes. */
typedef void body_fn(plan_t *plan);

static void every_schedule(plan_t *plan)
{
    static const int64_t ks[] = {5, 33, 1, 64, 17, 4, 129, 2, 100, 9, 31};
    plan->o.k = ks[plan->turn % (int64_t)(sizeof ks / sizeof ks[0])];
    operands_new(&plan->o);
    for (int which = 0; which < schedule_count(); which++)
        for (int order = 0; order < 2; order++) {
            plan->only_which = which;
            plan->only_order = (rc_c_order_t)order;
            run_kernels(plan);
        }
    operands_free(&plan->o);
}

static void every_k(plan_t *plan)
{
    static const int64_t ks[] = {1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 100, 128, 129};
    plan->only_which = -1;
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
        plan->o.k = ks[i];
        operands_new(&plan->o);
        run_kernels(plan);
        operands_free(&plan->o);
    }
}

static int64_t sample_from_environment(void)
{
    const char *text = getenv("ROWCAST_GPU_SAMPLE");
    int64_t n = 1;
    rc_err_t err = {0};
    if (text)
        ok(rc_parse_int(text, 1, 1000000, "ROWCAST_GPU_SAMPLE", &n, &err), &err, "environment");
    return n;
}

static void on_every_matrix(body_fn *body)
{
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    plan_t plan = {.o = {.d = d}, .sample = sample_from_environment()};
    for (int m = 0; m < shape_count; m++)
        for (int precision = 0; precision < 2; precision++) {
            rc_csr_t a = make_matrix(&shapes[m], 100 + (uint64_t)m);
            reference_t ref = make_reference(&a, (rc_precision_t)precision);
            plan.o.shape = &shapes[m];
            plan.o.a = &a;
            plan.o.ref = &ref;
            plan.o.precision = (rc_precision_t)precision;
            for (int layout = 0; layout < 2; layout++) {
                plan.o.layout = (rc_layout_t)layout;
                body(&plan);
            }
            drop_schedules(&plan);
            free(ref.sum);
            free(ref.mag);
            free_matrix(&a);
        }
    printf("# %d runs, %d not supported\n", (int)plan.o.runs, (int)plan.o.skipped);
    assert_true(plan.o.runs > 0);
    assert_int_equal(blocks, 0);
    rc_device_close(d);
}

static void kernels_with_every_k(void **state)
{
    (void)state;
    on_every_matrix(every_k);
}

static void kernels_with_every_schedule(void **state)
{
    (void)state;
    on_every_matrix(every_schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_with_every_k),
        cmocka_unit_test(kernels_with_every_schedule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
