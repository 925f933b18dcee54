#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/replace.h"
#include "base/str.h"
#include "cmd/calibrate_limits.h"
#include "cmd/cmd.h"
#include "cmd/open_device.h"
#include "kernels/kernel.h"
#include "kernels/rs.h"
#include "kernels/rs_cost.h"
#include "order/policy.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 5,
    BATCH_NS = 4000000, /* of a round, about */
    TAU = 8,            /* entries of a segment, as definitions have it */
    FEW = 16,           /* entries of a light row */
    MANY = 64,
    NUMBER = 17 /* digits */
};

struct options {
    const char *kernel;
    const char *k;
    const char *precision;
    const char *device;
    const char *output;
    int64_t n;
    int64_t threads;
    int limits;
    int quiet;
};

static const rc_opt_t options[] = {
    {"kernel", 'x', RC_OPT_TEXT, offsetof(struct options, kernel), "KERNEL",
        "What to calibrate: rs. Required without --limits.", 0, 0},
    {"limits", 0, RC_OPT_FLAG, offsetof(struct options, limits), NULL,
        "What the GPU can do at most, instead: what it reads from memory, L2, L1 and shared memory (GB/s), and multiply-adds "
        "(Gflop/s).",
        0, 0},
    {"k", 'k', RC_OPT_TEXT, offsetof(struct options, k), "LIST",
        "Columns of B, e.g. 8,32,128,512 (default).", 0, 0},
    {"precision", 0, RC_OPT_TEXT, offsetof(struct options, precision), "LIST",
        "fp32, fp64 or both (default fp32,fp64).", 0, 0},
    {"device", 'd', RC_OPT_TEXT, offsetof(struct options, device), "DEVICE",
        "cpu, cuda or auto (default): a GPU where there is one.", 0, 0},
    {"n", 0, RC_OPT_INT, offsetof(struct options, n), "N",
        "Rows and columns of the calibration matrices. Default 4096.", 64, 65536},
    {"threads", 't', RC_OPT_INT, offsetof(struct options, threads), "N",
        "Threads to use. Default 0: all.", 0, 4096},
    {"output", 'o', RC_OPT_TEXT, offsetof(struct options, output), "FILE",
        "Where the parameters go, when all are measured. Default: the standard output.", 0, 0},
    {"quiet", 'q', RC_OPT_FLAG, offsetof(struct options, quiet), NULL, "No progress on stderr.", 0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_calibrate = {
    .name = "calibrate",
    .summary = "measure what the cost model of a kernel needs on this device",
    .usage = "--kernel rs|--limits [-o FILE]",
    .description =
        "rs: the costs of Hong et al. 2018, section 4.3, for each K and precision, in ns. "
        "heavy_segment and heavy_entry (C1 and C2, for cfv = 1, 2 and 4) come from products of a dense "
        "matrix of N x N and of one with exactly 8 entries in every row and panel, all of them heavy; "
        "light_row and light_entry (D1 and D2) from random matrices with 16 and 64 entries a row, all of "
        "them light. What comes out negative is 0.\n\n"
        "They are one JSON object with the class of the device, which 'rowcast train --task parameters --costs FILE' makes a "
        "tuning of.",
    .examples = "rowcast calibrate --kernel rs -o rs.json|on the GPU, K = 8, 32, 128, 512\n"
                "rowcast calibrate --kernel rs --device cpu --k 8 --n 256|a quick look\n"
                "rowcast calibrate --limits|the bounds of this GPU",
    .options = options,
    .run = run,
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
    return p->kernel->run(p->state, &p->o, 1, 0, err);
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

static rc_status_t dense_of(rc_device_t *d, const rc_problem_t *p, int64_t rows, rc_dense_t *out, rc_err_t *err)
{
    *out = (rc_dense_t){.rows = rows,
        .cols = p->k,
        .ld = p->k,
        .precision = p->precision,
        .layout = RC_ROW_MAJOR};
    size_t bytes = (size_t)(rows * p->k) * rc_precision_bytes(p->precision);
    rc_status_t st = d->executor.alloc(&d->executor, bytes, &out->data, err);
    return st < 0 ? st : d->dense_random(d, out, 1, p->k, 0, err);
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
    RC_TRY(kernel->prepare(&d->executor, p, &analysis, &run_of.state, err));
    st = least_time(d, &run_of, ns, err);
done:
    if (run_of.state)
        kernel->release(run_of.state);
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
static rc_status_t time_of(const point_t *at, const char *matrix, const char *spec, double *ns, rc_err_t *err)
{
    rc_csr_t a = {0};
    rc_schedule_t order = {0};
    rc_kernel_spec_t kernel;
    rc_status_t st;
    RC_TRY(rc_kernel_spec_parse(spec, at->d->executor.kind, &kernel, err));
    RC_TRY(rc_generate(matrix, &a, NULL, err));
    RC_TRY(rc_order_build("csr", &a, NULL, 0, &order, err));
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
    (void)snprintf(matrix, sizeof matrix, "segments:n=%" PRId64 ",w=%" PRId64 ",tau=%" PRId64, at->n, w, w);
    rc_status_t st = time_of(at, matrix, spec, &t.dense, err);
    if (st < 0)
        return st;
    (void)snprintf(matrix, sizeof matrix, "segments:n=%" PRId64 ",w=%" PRId64 ",tau=%d", at->n, w, TAU);
    st = time_of(at, matrix, spec, &t.sparse, err);
    return st < 0 ? st : rc_rs_cost_heavy(&t, i, out, err);
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
        (void)snprintf(matrix, sizeof matrix, "segments:n=%" PRId64 ",w=%" PRId64 ",tau=%d", at->n, at->n,
            entries[i]);
        rc_status_t st = time_of(at, matrix, spec, time[i], err);
        if (st < 0)
            return st;
    }
    return rc_rs_cost_light(&t, out, err);
}

/* ------------------------------------------------------------------ output */

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
    return one && json_array_append_new(all, one) == 0 ? RC_OK
                                                       : rc_fail(err, RC_ENOMEM, "no memory for costs");
}

static rc_status_t print_file(
    const struct options *o, const rc_device_t *d, json_t *costs, FILE *to, rc_err_t *err)
{
    const rc_kernel_t *kernel = rc_kernel_find("rs", d->executor.kind);
    json_t *file = json_pack("{s:s, s:i, s:s, s:i, s:s, s:I, s:i, s:O}", "format", "rowcast costs",
        "version", 1, "kernel", "rs", "kernel_version", kernel->version, "device", d->class_name, "n",
        (json_int_t)o->n, "tau", TAU, "costs_ns", costs);
    int failed = !file || json_dumpf(file, to, JSON_INDENT(1) | JSON_REAL_PRECISION(NUMBER)) < 0 ||
                 fputc('\n', to) == EOF || fflush(to) != 0;
    json_decref(file);
    return failed ? rc_fail(err, RC_EIO, "%s: cannot be written", o->output ? o->output : "standard output")
                  : RC_OK;
}

/* --------------------------------------------------------------------- run */

/* The words of --k, all of them before anything is measured.  \param[out] out  [ks->count], owned */
static rc_status_t parse_ks(const rc_words_t *ks, int64_t **out, rc_err_t *err)
{
    enum { most = 1 << 20 };
    rc_status_t st = RC_OK;
    *out = rc_alloc((size_t)ks->count, sizeof **out, "K", err);
    if (!*out)
        return RC_ENOMEM;
    for (int i = 0; i < ks->count && st == RC_OK; i++)
        st = rc_parse_int(ks->word[i], 1, most, "--k", &(*out)[i], err);
    return st == RC_ERANGE ? (err->status = RC_EINVAL) : st; /* a wrong word on the command line */
}

static rc_status_t for_each_k(
    const struct options *o, point_t *at, const int64_t *k, int ks, json_t *costs, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; i < ks && st == RC_OK; i++) {
        at->k = k[i];
        if (!o->quiet)
            fprintf(stderr, "calibrating rs: %s, K = %" PRId64 "\n", rc_precision_name(at->precision), k[i]);
        st = add_costs(at, costs, err);
    }
    return st;
}

static rc_status_t measure(const struct options *o, const rc_words_t *precisions, const int64_t *k, int ks,
    FILE *to, rc_err_t *err)
{
    point_t at = {.n = o->n};
    json_t *costs = json_array();
    rc_status_t st = costs ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for costs");
    if (st == RC_OK)
        st = rc_command_open_device(o->device, (int)o->threads, &at.d, err);
    for (int i = 0; i < precisions->count && st == RC_OK; i++) {
        st = rc_precision_parse(precisions->word[i], &at.precision, err);
        if (st == RC_OK)
            st = for_each_k(o, &at, k, ks, costs, err);
    }
    if (st == RC_OK)
        st = print_file(o, at.d, costs, to, err);
    if (at.d)
        rc_device_close(at.d);
    json_decref(costs);
    return st;
}

/* Whatever can be wrong with the command is found before minutes are spent. */
static rc_status_t calibrate(const struct options *o, rc_err_t *err)
{
    rc_words_t ks = {0};
    rc_words_t precisions = {0};
    rc_precision_t precision;
    rc_replace_t file = {0};
    int64_t *k = NULL;
    rc_status_t st;
    rc_status_t ended;
    RC_TRY(rc_words_split(o->k, ',', &ks, err));
    RC_TRY(rc_words_split(o->precision, ',', &precisions, err));
    RC_TRY(parse_ks(&ks, &k, err));
    for (int i = 0; i < precisions.count; i++)
        RC_TRY(rc_precision_parse(precisions.word[i], &precision, err));
    if (o->output)
        RC_TRY(rc_replace_begin(o->output, &file, err));
    st = measure(o, &precisions, k, ks.count, o->output ? file.file : stdout, err);
    ended = rc_replace_end(&file, st == RC_OK, st == RC_OK ? err : NULL);
    st = st == RC_OK ? ended : st;
done:
    free(k);
    rc_words_free(&ks);
    rc_words_free(&precisions);
    return st;
}

static int run(int argc, char **argv)
{
    struct options o = {0};
    char **operands;
    rc_err_t err = {0};
    int code = rc_command_parse(&rc_command_calibrate, &o, argc, argv, 0, 0, &operands);
    if (code != RC_EXIT_OK)
        return code;
    rc_status_t st = RC_OK;
    if (o.limits)
        st = o.kernel || o.k || o.precision || o.n > 0
                 ? rc_fail(&err, RC_EINVAL, "--limits: goes without --kernel, --k, --precision and --n")
                 : rc_calibrate_limits(o.device, o.output, &err);
    else if (!o.kernel || strcmp(o.kernel, "rs") != 0)
        st = rc_fail(&err, RC_EINVAL, "--kernel: expected rs, found %s", o.kernel ? o.kernel : "none");
    if (st == RC_OK && !o.limits) {
        o.k = o.k ? o.k : "8,32,128,512";
        o.precision = o.precision ? o.precision : "fp32,fp64";
        o.n = o.n > 0 ? o.n : 4096;
        st = calibrate(&o, &err);
    }
    return st < 0 ? rc_command_fail(&rc_command_calibrate, &err) : RC_EXIT_OK;
}
