#include "config.h"
#include "analysis/papers/hong/fit.h"
#include "base/error.h"
#include "kernels/prepared.h"
#include "device/limits.h"
#include "kernels/tuning/rs.h"
#include "kernels/tuning/rs_tuning.h"
#include "order/policy.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

enum {
    ROUNDS = 5,
    BATCH_NS = 4000000, /* of a round, about */
    TAU = 8,            /* entries of a segment, as definitions have it */
    FEW = 16,           /* entries of a light row */
    MANY = 64,
    NUMBER = 17 /* digits */
};

/* ------------------------------------------------------------------- times */

typedef struct product {
    const rc_kernel_t *kernel;
    void *state;
    rc_operands_t o;
} product_t;

static rc_status_t launch(void *user, rc_err_t *err)
{
    product_t *p = user;
    return rc_kernel_run(p->kernel, p->state, &p->o, 1, 0, err);
}

/* The least time of a product. */
static rc_status_t least_time(rc_device_t *d, product_t *p, double *ns, rc_err_t *err)
{
    int64_t total = 0;
    rc_status_t st = d->time_batch(d, launch, p, 1, &total, err);
    if (st == RC_OK)
        st = d->time_batch(d, launch, p, 1, &total, err);
    int64_t batch = BATCH_NS / (total + 1);
    batch = batch < 1 ? 1 : batch;
    if (d->batch_max > 0 && batch > d->batch_max)
        batch = d->batch_max;
    for (int i = 0; i < ROUNDS && st == RC_OK; i++) {
        st = d->time_batch(d, launch, p, batch, &total, err);
        double each = (double)total / (double)batch;
        if (i == 0 || each < *ns)
            *ns = each;
    }
    return st;
}

static rc_status_t dense_of(
    rc_device_t *d, const rc_problem_t *p, int64_t rows, rc_dense_t *out, rc_err_t *err)
{
    *out = (rc_dense_t){
        .rows = rows, .cols = p->k, .ld = p->k, .precision = p->precision, .layout = RC_ROW_MAJOR};
    size_t bytes = (size_t)(rows * p->k) * rc_precision_bytes(p->precision);
    RC_PASS(d->executor.alloc(&d->executor, bytes, &out->data, err));
    return d->dense_random(d, out, 1, p->k, 0, err);
}

/* One product of a prepared problem. */
static rc_status_t time_problem(
    rc_device_t *d, const rc_kernel_t *kernel, const rc_problem_t *p, double *ns, rc_err_t *err)
{
    product_t run_of = {.kernel = kernel};
    rc_analysis_t analysis;
    rc_status_t st;
    RC_TRY(rc_kernel_analyse(kernel, p, &analysis, err));
    RC_TRY(dense_of(d, p, p->a->cols, &run_of.o.in[0], err));
    RC_TRY(dense_of(d, p, p->a->rows, &run_of.o.out, err));
    RC_TRY(rc_kernel_prepare(kernel, &d->executor, p, &analysis, &run_of.state, err));
    st = least_time(d, &run_of, ns, err);
done:
    if (run_of.state)
        rc_kernel_release(kernel, run_of.state);
    d->executor.release(&d->executor, run_of.o.in[0].data);
    d->executor.release(&d->executor, run_of.o.out.data);
    return st;
}

/* What is calibrated now. */
typedef struct point {
    rc_device_t *d;
    int64_t n;
    int64_t k;
    rc_precision_t precision;
} point_t;

/* \param[in] matrix  spec of a generator  \param[in] spec  of the kernel */
static rc_status_t time_of(
    const point_t *at, const char *matrix, const char *spec, double *ns, rc_err_t *err)
{
    rc_csr_t a = {0};
    rc_schedule_t order = {0};
    rc_kernel_spec_t kernel;
    rc_status_t st;
    RC_TRY(rc_kernel_spec_parse(spec, at->d->executor.kind, &kernel, err));
    RC_TRY(rc_generate(matrix, &a, NULL, err));
    RC_TRY(rc_order_build("csr", &a, NULL, RC_CHECKED, &order, err));
    rc_problem_t p = {.k = at->k,
        .precision = at->precision,
        .a = &a,
        .schedule = &order,
        .identity = 1,
        .geometry = kernel.kernel->geometry(&at->d->executor, kernel.param, at->precision),
        .c_rows = a.rows};
    memcpy(p.param, kernel.param, sizeof p.param);
    st = time_problem(at->d, kernel.kernel, &p, ns, err);
done:
    rc_schedule_free(&order);
    rc_csr_free(&a);
    return st < 0 ? rc_err_context(err, "%s of %s", spec, matrix) : st;
}

static rc_status_t heavy_costs(const point_t *at, int i, rc_rs_cost_t *out, rc_err_t *err)
{
    char matrix[96];
    char spec[48];
    int cfv = 1 << i;
    int64_t w = rc_rs_width(cfv, at->precision);
    rc_rs_heavy_times_t t = {.n = at->n, .panels = (at->n + w - 1) / w, .tau = TAU};
    (void)snprintf(spec, sizeof spec, "rs:t=1:cfv=%d:cfh=1", cfv);
    (void)snprintf(
        matrix, sizeof matrix, "segments:n=%" PRId64 ",w=%" PRId64 ",tau=%" PRId64, at->n, w, w);
    RC_PASS(time_of(at, matrix, spec, &t.dense, err));
    (void)snprintf(
        matrix, sizeof matrix, "segments:n=%" PRId64 ",w=%" PRId64 ",tau=%d", at->n, w, TAU);
    RC_PASS(time_of(at, matrix, spec, &t.sparse, err));
    return rc_rs_cost_heavy(&t, i, out, err);
}

static rc_status_t light_costs(const point_t *at, rc_rs_cost_t *out, rc_err_t *err)
{
    char matrix[96];
    char spec[48];
    rc_rs_light_times_t t = {.n = at->n, .few_entries = FEW, .many_entries = MANY};
    double *const time[] = {&t.few, &t.many};
    const int entries[] = {FEW, MANY};
    (void)snprintf(spec, sizeof spec, "rs:t=%d:cfv=1:cfh=%d", RC_RS_T_MAX, RC_RS_USUAL_CFH);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(matrix, sizeof matrix, "segments:n=%" PRId64 ",w=%" PRId64 ",tau=%d", at->n,
            at->n, entries[i]);
        RC_PASS(time_of(at, matrix, spec, time[i], err));
    }
    return rc_rs_cost_light(&t, out, err);
}

static json_t *list_of(const double *x)
{
    json_t *list = json_array();
    for (int i = 0; i < RC_RS_COSTS; i++)
        (void)json_array_append_new(list, json_real(x[i]));
    return list;
}

static rc_status_t add_costs(const point_t *at, json_t *all, rc_err_t *err)
{
    rc_rs_cost_t c = {.light_row = 0};
    rc_status_t st = light_costs(at, &c, err);
    for (int i = 0; i < RC_RS_COSTS && st == RC_OK; i++)
        st = heavy_costs(at, i, &c, err);
    if (st < 0)
        return st;
    json_t *one = json_pack("{s:I, s:s, s:o, s:o, s:f, s:f}", "k", (json_int_t)at->k, "precision",
        rc_precision_name(at->precision), "heavy_segment", list_of(c.heavy_segment), "heavy_entry",
        list_of(c.heavy_entry), "light_row", c.light_row, "light_entry", c.light_entry);
    return one && json_array_append_new(all, one) == 0
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for costs");
}

/* \param[in] file  consumed; NULL: there was no memory */
static rc_status_t write_json(json_t *file, int digits, FILE *to, const char *name, rc_err_t *err)
{
    int failed = !file ||
                 json_dumpf(file, to, JSON_INDENT(1) | JSON_REAL_PRECISION((size_t)digits)) < 0 ||
                 fputc('\n', to) == EOF || fflush(to) != 0;
    json_decref(file);
    return failed ? rc_fail(err, RC_EIO, "%s: cannot be written", name) : RC_OK;
}

rc_status_t rc_calibrate_rs(
    rc_device_t *d, const rc_calibration_t *c, FILE *to, const char *name, rc_err_t *err)
{
    json_t *costs = json_array();
    rc_status_t st = costs ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for costs");
    for (int i = 0; i < c->precisions * c->ks && st == RC_OK; i++) {
        const point_t at = {
            .d = d, .n = c->n, .k = c->k[i % c->ks], .precision = c->precision[i / c->ks]};
        if (!c->quiet)
            fprintf(stderr, "calibrating rs: %s, K = %" PRId64 "\n",
                rc_precision_name(at.precision), at.k);
        st = add_costs(&at, costs, err);
    }
    if (st == RC_OK)
        st = write_json(json_pack("{s:s, s:i, s:s, s:i, s:s, s:I, s:i, s:O}", "format",
                            "rowcast costs", "version", 1, "kernel", "rs", "kernel_version",
                            rc_kernel_find("rs", d->executor.kind)->version, "device",
                            d->class_name, "n", (json_int_t)c->n, "tau", TAU, "costs_ns", costs),
            NUMBER, to, name, err);
    json_decref(costs);
    return st;
}

rc_status_t rc_calibrate_limits(rc_device_t *d, FILE *to, const char *name, rc_err_t *err)
{
    enum { digits = 5 };
    rc_limits_t l;
    RC_PASS(rc_limits_measure(d, &l, err));
    return write_json(json_pack("{s:s, s:i, s:s, s:{s:f, s:f, s:f, s:f}, s:{s:f, s:f}}", "format",
                          "rowcast limits", "version", 1, "device", d->class_name, "read_gbs",
                          "memory", l.memory, "l2", l.l2, "l1", l.l1, "shared", l.shared,
                          "multiply_add_gflops", "fp32", l.fp32, "fp64", l.fp64),
        digits, to, name, err);
}
