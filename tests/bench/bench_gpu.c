/* Times of the CUDA kernels of an operation over their parameters, beside the best cuSPARSE of the same run.
 *
 * Usage: bench_gpu [KEY=VALUE | MATRIX]...
 *   MATRIX     generator spec or .mtx file (default: a few generated ones)
 *   op=spmm    or spmv, spmm_t, sddmm
 *   k=8,32,n   dense columns, n: as many as A has; spmv has none
 *   kernels=gstat,gsub:strip=8   a name stands for all of its parameters, a spec for itself
 *   policy=csr,lpt               row orders
 *   precision=fp32,fp64
 *   top=5      lines per table besides cuSPARSE; 0: all
 *   ms=20      time per case
 *   csv=FILE   every case, one line each
 * GB/s are of the compulsory traffic; the ratios are to the best cuSPARSE of any layout and to the
 * best column-major one (above 1: faster than it). */
#include "config.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "order/policy.h"
#include "rowcast_io.h"
#include "sparse/generate.h"
#include "variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, CASES_MAX = 512 };

typedef struct result {
    char kernel[160];
    char policy[24];
    rc_layout_t layout;
    int cusparse;
    double us;
    double min_us;
    double prepare_us;
    double gbs;
} result_t;

typedef struct bench {
    rc_device_t *d;
    const char *ks;
    rc_op_t op;
    const char *kernels;
    const char *policies;
    const char *precisions;
    int64_t top;
    int64_t ms;
    FILE *csv;
    /* the current table */
    const char *matrix;
    const rc_csr_t *a;
    int64_t k;
    rc_precision_t precision;
    const char *policy;
    void *in[RC_INPUTS_MAX];
    void *out;
    result_t *result; /* [CASES_MAX] */
    int count;
    /* the last order of this matrix: some take longer than all that is measured */
    rc_schedule_t schedule;
    rc_geometry_t geometry; /* it was built for */
    char order[24];         /* its policy; "": there is none */
} bench_t;

typedef struct launch {
    const rc_kernel_t *kernel;
    void *state;
    rc_operands_t operands;
} launch_t;

static rc_status_t launch(void *user, rc_err_t *err)
{
    launch_t *l = user;
    return rc_kernel_run(l->kernel, l->state, &l->operands, 1, 0, err);
}

/* Median and least time of a product in us. */
static rc_status_t time_case(const bench_t *x, launch_t *l, result_t *r, rc_err_t *err)
{
    rc_device_t *d = x->d;
    int64_t ns = 0;
    double sample[ROUNDS];
    rc_stats_t stats;
    rc_status_t st = d->time_batch(d, launch, l, 1, &ns, err);
    if (st == RC_OK)
        st = d->time_batch(d, launch, l, 2, &ns, err);
    int64_t batch = ns > 0 ? x->ms * 1000000 / ROUNDS / (ns / 2 + 1) : 1;
    batch = batch < 1 ? 1 : batch > 1000 ? 1000 : batch;
    if (d->batch_max > 0 && batch > d->batch_max)
        batch = d->batch_max;
    for (int i = 0; i < ROUNDS && st == RC_OK; i++) {
        st = d->time_batch(d, launch, l, batch, &ns, err);
        sample[i] = (double)ns / (double)batch * 1e-3;
    }
    if (st < 0)
        return st;
    rc_stats_compute(sample, ROUNDS, &stats);
    r->us = stats.median;
    r->min_us = stats.min;
    return RC_OK;
}

/* An operand without gaps. */
static rc_dense_t dense(const bench_t *x, rc_layout_t layout, const rc_shape_t *shape, void *data)
{
    rc_dense_t m = {.data = data,
        .rows = rc_shape_rows(shape, x->a),
        .cols = rc_shape_cols(shape, x->k),
        .precision = x->precision,
        .layout = shape->wide ? layout : RC_COL_MAJOR};
    m.ld = m.layout == RC_ROW_MAJOR ? m.cols : m.rows;
    return m;
}

static rc_status_t measure(bench_t *x, const rc_kernel_spec_t *spec, const rc_problem_t *p,
    const rc_analysis_t *analysis, result_t *r, rc_err_t *err)
{
    const rc_kernel_t *kernel = spec->kernel;
    const rc_operation_t *op = rc_operation_of(kernel->op);
    launch_t l = {.kernel = kernel,
        .operands = {.out = dense(x, rc_layout_out(kernel->layout), &op->out, x->out)}};
    for (int i = 0; i < rc_operation_inputs(op); i++)
        l.operands.in[i] = dense(x, rc_layout_in(kernel->layout), &op->in[i], x->in[i]);
    int64_t start = rc_clock_ns();
    rc_status_t st = rc_kernel_prepare(kernel, &x->d->executor, p, analysis, &l.state, err);
    if (st < 0)
        return st;
    if (kernel->preprocess)
        st = kernel->preprocess(l.state, &l.operands, err);
    r->prepare_us = (double)(rc_clock_ns() - start) * 1e-3;
    if (st == RC_OK)
        st = time_case(x, &l, r, err);
    rc_kernel_release(kernel, l.state);
    if (st == RC_OK)
        r->gbs = (double)rc_analysis_traffic(analysis, rc_operation_of(kernel->op), p, x->k) /
                 r->us * 1e-3;
    return st;
}

static void drop_order(bench_t *x)
{
    if (x->order[0])
        rc_schedule_free(&x->schedule);
    x->order[0] = 0;
}

static rc_status_t order_for(bench_t *x, const rc_geometry_t *g, rc_err_t *err)
{
    if (strcmp(x->order, x->policy) == 0 && memcmp(&x->geometry, g, sizeof *g) == 0)
        return RC_OK;
    drop_order(x);
    rc_status_t st = rc_order_build(x->policy, x->a, g, 0, &x->schedule, err);
    if (st < 0)
        return st;
    x->geometry = *g;
    if ((size_t)snprintf(x->order, sizeof x->order, "%s", x->policy) < sizeof x->order)
        return RC_OK;
    rc_schedule_free(&x->schedule);
    x->order[0] = 0;
    return rc_fail(err, RC_EINVAL, "the policy takes more than %zu bytes", sizeof x->order - 1);
}

static void run_case(const rc_kernel_spec_t *spec, void *user)
{
    bench_t *x = user;
    const rc_kernel_t *kernel = spec->kernel;
    rc_err_t err = {0};
    rc_problem_t p = {
        .k = x->k,
        .precision = x->precision,
        .a = x->a,
        .geometry = kernel->geometry(&x->d->executor, spec->param, x->precision),
        .c_rows = rc_shape_rows(&rc_operation_of(kernel->op)->out, x->a),
    };
    memcpy(p.param, spec->param, sizeof p.param);
    if (x->count == CASES_MAX)
        return;
    if (order_for(x, &p.geometry, &err) < 0) {
        fprintf(stderr, "bench_gpu: %s: %s\n", x->policy, err.text);
        return;
    }
    p.schedule = &x->schedule;
    p.identity = rc_schedule_is_identity(&x->schedule);
    result_t *r = &x->result[x->count];
    *r =
        (result_t){.layout = kernel->layout, .cusparse = strncmp(kernel->name, "cusparse", 8) == 0};
    snprintf(r->kernel, sizeof r->kernel, "%s%s%s", kernel->name, spec->params[0] ? ":" : "",
        spec->params);
    snprintf(r->policy, sizeof r->policy, "%s", x->policy);
    rc_analysis_t analysis;
    rc_status_t st = rc_kernel_analyse(kernel, &p, &analysis, &err);
    if (st == RC_OK)
        st = measure(x, spec, &p, &analysis, r, &err);
    if (st == RC_OK)
        x->count++;
    else if (st != RC_ENOTSUP)
        fprintf(stderr, "bench_gpu: %s, K %" PRId64 ": %s\n", r->kernel, x->k, err.text);
}

/* Every kernel and parameter that was asked for. */
static rc_status_t run_cases(bench_t *x, rc_err_t *err)
{
    if (!x->kernels) {
        for (int i = 0; rc_kernels[i]; i++)
            if (rc_kernels[i]->device == RC_DEVICE_CUDA && rc_kernels[i]->op == x->op &&
                !rc_kernels[i]->for_testing)
                for_each_variant(rc_kernels[i], "split", run_case, x);
        return RC_OK;
    }
    rc_words_t words;
    rc_status_t st = rc_words_split(x->kernels, ',', &words, err);
    if (st < 0)
        return st;
    for (int i = 0; i < words.count && st == RC_OK; i++) {
        rc_kernel_spec_t spec;
        st = rc_kernel_spec_parse(words.word[i], RC_DEVICE_CUDA, &spec, err);
        if (st == RC_OK && spec.kernel->device != RC_DEVICE_CUDA)
            st = rc_fail(err, RC_EINVAL, "%s is not a CUDA kernel", words.word[i]);
        else if (st == RC_OK && spec.kernel->op != x->op)
            st = rc_fail(err, RC_EINVAL, "%s is no kernel of %s", words.word[i], rc_op_name(x->op));
        else if (st == RC_OK && strchr(words.word[i], ':'))
            run_case(&spec, x);
        else if (st == RC_OK)
            for_each_variant(spec.kernel, "split", run_case, x);
    }
    rc_words_free(&words);
    return st;
}

static int by_time(const void *a, const void *b)
{
    const result_t *x = a;
    const result_t *y = b;
    return x->us < y->us ? -1 : x->us > y->us;
}

static double best_cusparse(const bench_t *x, int column_major)
{
    double best = 0;
    for (int i = 0; i < x->count; i++) {
        const result_t *r = &x->result[i];
        if (r->cusparse && (!column_major || r->layout == RC_COL_MAJOR) &&
            (best == 0 || r->us < best))
            best = r->us;
    }
    return best;
}

static void print_table(bench_t *x)
{
    double best = best_cusparse(x, 0);
    double best_col = best_cusparse(x, 1);
    qsort(x->result, (size_t)x->count, sizeof *x->result, by_time);
    printf("\n%s  %" PRId64 " x %" PRId64 ", %" PRId64 " entries, K %" PRId64 ", %s\n", x->matrix,
        x->a->rows, x->a->cols, x->a->nnz, x->k, rc_precision_name(x->precision));
    printf("  %-44s %-6s %10s %9s %9s %9s\n", "kernel", "policy", "us", "GB/s", "of any", "of col");
    int64_t shown[2] = {0, 0}; /* of each layout */
    for (int i = 0; i < x->count; i++) {
        const result_t *r = &x->result[i];
        if (!r->cusparse && x->top > 0 && shown[r->layout]++ >= x->top)
            continue;
        printf("  %-44s %-6s %10.2f %9.1f %9.3f %9.3f\n", r->kernel, r->policy, r->us, r->gbs,
            best / r->us, best_col / r->us);
    }
    fflush(stdout);
    for (int i = 0; x->csv && i < x->count; i++) {
        const result_t *r = &x->result[i];
        fprintf(x->csv,
            "\"%s\",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64
            ",%s,%s,%s,%s,%.3f,%.3f,%.1f,%.1f,%.4f,%.4f\n",
            x->matrix, x->a->rows, x->a->cols, x->a->nnz, x->k, rc_precision_name(x->precision),
            r->kernel, r->policy, rc_layout_name(r->layout), r->us, r->min_us, r->prepare_us,
            r->gbs, best / r->us, best_col / r->us);
    }
    if (x->csv)
        fflush(x->csv);
}

/* Memory for an operand, filled. */
static rc_status_t fill_new(bench_t *x, const rc_shape_t *shape, int byte, void **out, rc_err_t *err)
{
    rc_executor_t *e = &x->d->executor;
    size_t bytes = (size_t)rc_shape_rows(shape, x->a) * (size_t)rc_shape_cols(shape, x->k) *
                   rc_precision_bytes(x->precision);
    rc_status_t st = e->alloc(e, bytes + 1, out, err);
    return st < 0 ? st : e->fill(e, *out, byte, bytes, err);
}

/* All kernels and policies for one (matrix, K, precision). */
static rc_status_t bench_table(bench_t *x, rc_err_t *err)
{
    const rc_operation_t *op = rc_operation_of(x->op);
    rc_words_t words = {0};
    rc_executor_t *e = &x->d->executor;
    x->out = NULL;
    x->count = 0;
    for (int i = 0; i < RC_INPUTS_MAX; i++)
        x->in[i] = NULL;
    rc_status_t st;
    RC_TRY(rc_words_split(x->policies, ',', &words, err));
    /* 0x3c3c... is about 0.01 in fp32 and 1e-17 in fp64 */
    for (int i = 0; i < rc_operation_inputs(op); i++)
        RC_TRY(fill_new(x, &op->in[i], 0x3c, &x->in[i], err));
    RC_TRY(fill_new(x, &op->out, 0, &x->out, err));
    for (int i = 0; i < words.count; i++) {
        x->policy = words.word[i];
        RC_TRY(run_cases(x, err));
    }
    print_table(x);
done:
    rc_words_free(&words);
    for (int i = 0; i < RC_INPUTS_MAX; i++)
        e->release(e, x->in[i]);
    e->release(e, x->out);
    return st;
}

static rc_status_t bench_matrix(bench_t *x, const char *name, rc_err_t *err)
{
    rc_csr_t a;
    rc_words_t ks = {0};
    rc_words_t precisions = {0};
    rc_status_t st = strstr(name, ".mtx") ? rc_mtx_read(name, 0, &a, NULL, err)
                                          : rc_generate(name, &a, NULL, err);
    if (st < 0)
        return st;
    x->matrix = name;
    x->a = &a;
    RC_TRY(rc_words_split(x->ks, ',', &ks, err));
    RC_TRY(rc_words_split(x->precisions, ',', &precisions, err));
    for (int p = 0; p < precisions.count; p++) {
        RC_TRY(rc_precision_parse(precisions.word[p], &x->precision, err));
        for (int i = 0; i < ks.count; i++) {
            x->k = a.cols;
            if (strcmp(ks.word[i], "n") != 0)
                RC_TRY(rc_parse_int(ks.word[i], 1, INT32_MAX, "k", &x->k, err));
            RC_TRY(bench_table(x, err));
        }
    }
done:
    drop_order(x);
    rc_words_free(&ks);
    rc_words_free(&precisions);
    rc_csr_free(&a);
    return st;
}

/* 1 and the text behind "key=" when the argument is that key. */
static int is_key(const char *arg, const char *key, const char **value)
{
    size_t n = strlen(key);
    if (strncmp(arg, key, n) != 0 || arg[n] != '=')
        return 0;
    *value = arg + n + 1;
    return 1;
}

/* Takes the settings off the arguments; what is left are matrices. */
static rc_status_t read_arguments(bench_t *x, int argc, char **argv, int *matrices, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    *matrices = 0;
    for (int i = 1; i < argc && st == RC_OK; i++) {
        const char *v = NULL;
        if (is_key(argv[i], "k", &x->ks) || is_key(argv[i], "kernels", &x->kernels) ||
            is_key(argv[i], "policy", &x->policies) || is_key(argv[i], "precision", &x->precisions))
            continue;
        if (is_key(argv[i], "op", &v)) {
            st = rc_op_parse(v, &x->op, err);
        } else if (is_key(argv[i], "top", &v)) {
            st = rc_parse_int(v, 0, CASES_MAX, "top", &x->top, err);
        } else if (is_key(argv[i], "ms", &v)) {
            st = rc_parse_int(v, 1, 100000, "ms", &x->ms, err);
        } else if (is_key(argv[i], "csv", &v)) {
            x->csv = fopen(v, "w");
            if (!x->csv)
                st = rc_fail(err, RC_EIO, "cannot write %s", v);
        } else {
            argv[++*matrices] = argv[i];
        }
    }
    return st;
}

int main(int argc, char **argv)
{
    static const char *const builtin[] = {"mesh3d:n=20", "mesh2d:n=100", "banded:n=10000",
        "uniform:n=10000", "powerlaw:n=10000", "rmat:scale=13", "circuit:n=20000",
        "manyempty:n=20000"};
    bench_t x = {.ks = "8,32,128,n", .policies = "csr", .precisions = "fp32", .top = 5, .ms = 20};
    rc_err_t err = {0};
    int matrices = 0;
    rc_status_t st;
    x.result = malloc(CASES_MAX * sizeof *x.result);
    RC_TRY(x.result ? RC_OK : RC_ENOMEM);
    RC_TRY(read_arguments(&x, argc, argv, &matrices, &err));
    if (!rc_operation_of(x.op)->has_k)
        x.ks = "1";
    RC_TRY(rc_device_open_gpu(0, 0, &x.d, &err));
    printf("%s\n", x.d->name);
    if (x.csv)
        fprintf(x.csv, "matrix,rows,cols,nnz,K,precision,kernel,policy,layout,us,min_us,prepare_us,"
                       "gbs,of_any,of_col\n");
    for (int i = 0; i < matrices && st == RC_OK; i++)
        st = bench_matrix(&x, argv[i + 1], &err);
    for (size_t i = 0; i < sizeof builtin / sizeof builtin[0] && matrices == 0 && st == RC_OK; i++)
        st = bench_matrix(&x, builtin[i], &err);
done:
    if (st < 0)
        fprintf(stderr, "bench_gpu: %s\n", err.text);
    if (x.csv && fclose(x.csv) != 0)
        fprintf(stderr, "bench_gpu: the csv file could not be written\n");
    rc_device_close(x.d);
    free(x.result);
    return st < 0;
}
