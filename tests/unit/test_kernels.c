#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "kernels/vendor/library.h"
#include "rowcast.h"
#include "real_types.h"
#include "shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------- examples */

static const shape_t shapes[] = {
    {"no rows", 0, 5, 0, 0, 0, 0},
    {"one entry", 1, 1, 1, 0, 0, 0},
    {"one empty value", 1, 1, 0, 0, 0, 0},
    {"no entries", 7, 9, 0, 0, 0, 0},
    {"empty rows and columns", 67, 59, 0.2, 0, 1, 0},
    {"one dense row", 40, 301, 0.01, 1, 0, 0},
    {"wide", 13, 400, 0.1, 0, 0, 0},
    {"tall", 500, 11, 0.2, 0, 0, 0},
    {"random", 129, 130, 0.07, 0, 0, 0},
};

enum order { ORDER_IDENTITY, ORDER_RANDOM, ORDER_PADS, ORDER_NO_EMPTY, ORDERS };

static rc_schedule_t make_schedule(const rc_csr_t *a, enum order order, uint64_t seed)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, seed);
    rc_schedule_t s = {.rows = a->rows};
    s.row = malloc((2 * (size_t)a->rows + 8) * sizeof *s.row);
    assert_non_null(s.row);
    for (int64_t r = 0; r < a->rows; r++)
        if (order != ORDER_NO_EMPTY || a->row_ptr[r] < a->row_ptr[r + 1])
            s.row[s.slots++] = (int32_t)r;
    if (order == ORDER_IDENTITY)
        return s;
    if (order == ORDER_PADS)
        for (int64_t i = 0; i < a->rows / 2 + 3; i++)
            s.row[s.slots++] = -1;
    for (int64_t i = s.slots - 1; i > 0; i--) {
        int64_t j = (int64_t)rc_rng_below(&rng, (uint64_t)i + 1);
        int32_t t = s.row[i];
        s.row[i] = s.row[j];
        s.row[j] = t;
    }
    return s;
}

static int is_identity(const rc_schedule_t *s)
{
    for (int64_t p = 0; p < s->slots; p++)
        if (s->row[p] != p)
            return 0;
    return s->slots == s->rows;
}

/* ------------------------------------------------------- naive reference */

/* A dense operand between guards, rows or columns `pad` values further apart than needed. */
typedef struct dense {
    rc_dense_t m;
    unsigned char *block; /* guard bytes, the values, guard bytes */
    size_t bytes;
} dense_t;

enum { GUARD = 192, GUARD_BYTE = 0x5c };

/* `offset` bytes from a multiple of 64, so that nothing can count on more than its type asks for */
static dense_t dense_new(rc_precision_t precision, rc_layout_t layout, int64_t rows, int64_t cols,
    int64_t pad, size_t offset)
{
    int64_t lines = layout == RC_ROW_MAJOR ? rows : cols;
    int64_t length = layout == RC_ROW_MAJOR ? cols : rows;
    dense_t x = {.m = {.rows = rows,
                     .cols = cols,
                     .ld = length + pad,
                     .precision = precision,
                     .layout = layout}};
    x.bytes = (size_t)(lines * x.m.ld) * rc_precision_bytes(precision);
    x.block = aligned_alloc(64, (x.bytes + 2 * GUARD + 128) / 64 * 64);
    assert_non_null(x.block);
    memset(x.block, GUARD_BYTE, x.bytes + 2 * GUARD);
    x.m.data = x.block + GUARD - 64 + offset;
    return x;
}

static size_t dense_at(const rc_dense_t *m, int64_t r, int64_t j)
{
    return (size_t)(m->layout == RC_ROW_MAJOR ? r * m->ld + j : j * m->ld + r);
}

static double dense_get(const rc_dense_t *m, int64_t r, int64_t j)
{
    return rc_type(m->precision)->load(m->data, (int64_t)dense_at(m, r, j));
}

static void dense_set(const rc_dense_t *m, int64_t r, int64_t j, double v)
{
    rc_type(m->precision)->store(m->data, (int64_t)dense_at(m, r, j), v);
}

/* Nothing but the values was stored to: neither around them nor between the lines. */
static void dense_check_guards(const dense_t *x)
{
    size_t value = rc_precision_bytes(x->m.precision);
    unsigned char *is_value = calloc(x->bytes + 2 * GUARD, 1);
    assert_non_null(is_value);
    size_t begin = (size_t)((unsigned char *)x->m.data - x->block);
    for (int64_t r = 0; r < x->m.rows; r++)
        for (int64_t j = 0; j < x->m.cols; j++)
            memset(is_value + begin + dense_at(&x->m, r, j) * value, 1, value);
    for (size_t i = 0; i < x->bytes + 2 * GUARD; i++)
        if (!is_value[i])
            assert_int_equal(x->block[i], GUARD_BYTE);
    free(is_value);
}

/* The output without alpha and beta, and the sum of the absolute values of its terms. */
typedef struct naive {
    double *value; /* [rows * cols] */
    double *mag;
    double *terms;
} naive_t;

static void naive_add(naive_t *n, int64_t i, double v)
{
    n->value[i] += v;
    n->mag[i] += fabs(v);
    n->terms[i] += 1;
}

static naive_t naive_new(
    rc_op_t op, const rc_csr_t *a, const rc_operands_t *o, rc_precision_t precision)
{
    size_t values = (size_t)(o->out.rows * o->out.cols) + 1;
    int64_t k = o->out.cols;
    naive_t n = {calloc(values, sizeof(double)), calloc(values, sizeof(double)),
        calloc(values, sizeof(double))};
    assert_true(n.value && n.mag && n.terms);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            double v = rc_precision_round(precision, a->val[e]);
            int64_t c = a->col_idx[e];
            if (op == RC_OP_SDDMM)
                for (int64_t j = 0; j < o->in[0].cols; j++)
                    naive_add(&n, e, v * dense_get(&o->in[0], r, j) * dense_get(&o->in[1], c, j));
            else if (op == RC_OP_SPMM_T)
                for (int64_t j = 0; j < k; j++)
                    naive_add(&n, c * k + j, v * dense_get(&o->in[0], r, j));
            else
                for (int64_t j = 0; j < k; j++)
                    naive_add(&n, r * k + j, v * dense_get(&o->in[0], c, j));
        }
    return n;
}

/* What C held before a run with beta != 0. */
static double old_value(int64_t r, int64_t j)
{
    return rc_rng_signed(7, (uint64_t)(r * 1000 + j));
}

/* Terms are added up in the type of sums; a sum is rounded once to a type of fewer bits. */
static void check_output(
    const char *kernel, const naive_t *n, const rc_dense_t *c, double alpha, double beta)
{
    const rc_type_t *type = rc_type(c->precision);
    const int narrow = type->sum != c->precision;
    double eps = 2 * rc_type(type->sum)->unit;
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->cols; j++) {
            int64_t i = r * c->cols + j;
            double old = beta == 0 ? 0 : beta * type->round(old_value(r, j));
            double want = alpha * n->value[i] + old;
            double bound = (n->terms[i] + 4) * eps * (fabs(alpha) * n->mag[i] + fabs(old));
            bound += narrow ? type->unit * (fabs(want) + bound) + type->least : 0;
            if (!(fabs(dense_get(c, r, j) - want) <= bound))
                fail_msg("%s, %s: (%d, %d): expected %.17g, found %.17g", kernel, type->name, (int)r, (int)j, want, dense_get(c, r, j));
        }
}

static void naive_free(naive_t *n)
{
    free(n->value);
    free(n->mag);
    free(n->terms);
}

/* ------------------------------------------------------------------ runs */

static void set_output(const rc_dense_t *c, double beta)
{
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->cols; j++)
            dense_set(c, r, j, beta == 0 ? NAN : old_value(r, j));
}

static rc_problem_t problem_of(const rc_kernel_spec_t *spec, const rc_device_t *d,
    const rc_csr_t *a, const rc_schedule_t *schedule, rc_precision_t precision, int64_t k)
{
    const rc_operation_t *op = rc_operation_of(spec->kernel->op);
    rc_problem_t p = {
        .k = op->has_k ? k : 1,
        .precision = precision,
        .a = a,
        .schedule = schedule,
        .identity = is_identity(schedule),
        .geometry = spec->kernel->geometry(&d->executor, spec->param, precision),
        .c_rows = rc_shape_rows(&op->out, a),
    };
    memcpy(p.param, spec->param, sizeof p.param);
    return p;
}

/* Operands: [0], [1] inputs, [2] the output. */
static void operands_new(const rc_kernel_t *kernel, const rc_problem_t *p, int64_t pad,
    size_t offset, dense_t x[3], rc_operands_t *o)
{
    const rc_operation_t *op = rc_operation_of(kernel->op);
    memset(o, 0, sizeof *o);
    for (int i = 0; i < 3; i++) {
        const rc_shape_t *s = i < 2 ? &op->in[i] : &op->out;
        int used = i == 2 || i < rc_operation_inputs(op);
        rc_layout_t layout = s->wide ? kernel->layout : RC_COL_MAJOR;
        x[i] = dense_new(p->precision, layout, used ? rc_shape_rows(s, p->a) : 0,
            rc_shape_cols(s, p->k), pad, offset);
        for (int64_t r = 0; i < 2 && r < x[i].m.rows; r++)
            for (int64_t j = 0; j < x[i].m.cols; j++)
                dense_set(&x[i].m, r, j, rc_rng_signed(3, (uint64_t)(r * p->k + j + i)));
    }
    o->in[0] = x[0].m;
    o->in[1] = x[1].m;
    o->out = x[2].m;
}

static void run_one(rc_device_t *d, const char *spec_text, const rc_csr_t *a,
    const rc_schedule_t *schedule, rc_precision_t precision, int64_t k, int nw)
{
    static const double factor[][2] = {{1, 0}, {2, 0.5}, {-1, 1}, {0, 0}, {0, 1}, {1e-60, 0.5}, {0, -2}, {0.3, 1.1}, {0, 0.7}};
    rc_kernel_spec_t spec;
    assert_int_equal(rc_kernel_spec_parse(spec_text, RC_DEVICE_CPU, &spec, NULL), RC_OK);
    const rc_kernel_t *kernel = spec.kernel;
    rc_problem_t p = problem_of(&spec, d, a, schedule, precision, k);
    rc_analysis_t analysis;
    dense_t x[3];
    rc_operands_t o;
    void *state = NULL;
    if (nw)
        p.geometry.nw = nw;
    assert_int_equal(rc_kernel_analyse(kernel, &p, &analysis, NULL), RC_OK);
    assert_int_equal(analysis.stored_rows, p.c_rows);
    assert_true(strcmp(kernel->name, "ell") == 0 ? analysis.fill >= 1 : analysis.fill == 1);

    size_t offset = rc_precision_bytes(precision) * (size_t)(k % 3);
    /* mkl-row takes no C of rows apart */
    operands_new(kernel, &p, k % 4 == 3 && strcmp(spec_text, "mkl-row") != 0 ? 5 : 0, offset, x, &o);
    naive_t n = naive_new(kernel->op, a, &o, precision);
    assert_int_equal(rc_kernel_prepare(kernel, &d->executor, &p, &analysis, &state, NULL), RC_OK);
    for (size_t f = 0; f < sizeof factor / sizeof factor[0]; f++) {
        rc_operands_t of = o;
        if (factor[f][0] == 0) /* reads no input */
            of.in[0].data = of.in[1].data = NULL;
        set_output(&o.out, factor[f][1]);
        assert_int_equal(
            rc_kernel_run(kernel, state, &of, factor[f][0], factor[f][1], NULL), RC_OK);
        check_output(spec_text, &n, &o.out, factor[f][0], factor[f][1]);
    }
    rc_kernel_release(kernel, state);
    naive_free(&n);
    for (int i = 0; i < 3; i++) {
        dense_check_guards(&x[i]);
        free(x[i].block);
    }
}

static unsigned types_of(const rc_kernel_t *kernel)
{
    return kernel->types ? kernel->types : RC_TYPES_IEEE;
}

static void every_k_and_order(rc_device_t *d, const char *spec, const rc_csr_t *a)
{
    static const int64_t ks[] = {1, 2, 3, 7, 8, 9, 31, 32, 33, 100, 128};
    for (int order = 0; order < ORDERS; order++) {
        rc_schedule_t s = make_schedule(a, (enum order)order, 17);
        rc_kernel_spec_t kernel;
        assert_int_equal(rc_kernel_spec_parse(spec, RC_DEVICE_CPU, &kernel, NULL), RC_OK);
        size_t count = rc_operation_of(kernel.kernel->op)->has_k ? sizeof ks / sizeof ks[0] : 1;
        for (size_t i = 0; i < count; i += (size_t)d->executor.threads) { /* one thread takes all */
            for (int t = 0; t < RC_TYPES; t++)
                if (types_of(kernel.kernel) >> t & 1)
                    run_one(d, spec, a, &s, (rc_precision_t)t, ks[i], 0);
        }
        free(s.row);
    }
}

/* Every kernel, instruction set of this machine and team size against the naive product. */
static void kernels_compute_the_product(void **state)
{
    enum { BY_SET = 2 }; /* the first ones have instances for instruction sets */
    (void)state;
    static const char *const specs[] = {"cstat", "rowsplit", "fault", "csr", "csr2:srs=3",
        "csr3:srs=2:ssrs=3", "merge:items=30", "ell", "plain-spmv",
#ifdef HAVE_RSB
        "librsb",
#endif
#ifdef HAVE_KOKKOS
        "kokkos",
#endif
#ifdef HAVE_MKL
        "mkl", "mkl-row", "mkl-col",
#endif
        "serial-row", "serial-col", "serial-spmv", "plain-spmv-static", "plain-spmm_t", "plain-sddmm", "rs", "rs:t=1:w=8", "rs:t=64:w=64",
        "rs-spmm_t:t=2:w=16", "aspt", "aspt:panel=7:col_min=2:tile_cols=5:tile_min=2:rest=2",
        "aspt-sddmm:panel=9:col_min=2:tile_cols=4:tile_min=1:rest=2"};
    for (size_t m = 0; m < sizeof shapes / sizeof shapes[0]; m++) {
        rc_csr_t a = make_matrix(&shapes[m], 100 + m);
        for (int threads = 1; threads <= 3; threads++) {
            rc_device_t *d;
            assert_int_equal(rc_device_open_cpu(threads, &d, NULL), RC_OK);
            int widest = d->executor.lanes32;
            for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
                for (d->executor.lanes32 = 4; d->executor.lanes32 <= widest; d->executor.lanes32 *= 2)
                    if (threads > 1 && strcmp(specs[i], "kokkos") == 0)
                        continue; /* it may have one thread, and then declines more */
                    else if ((threads == 1 && i < BY_SET) || d->executor.lanes32 == widest)
                        every_k_and_order(d, specs[i], &a);
            rc_device_close(d);
        }
        free_matrix(&a);
    }
}

/* The strip and a team of another size than N_w change who computes, not what. */
static void cstat_strips_and_workers(void **state)
{
    (void)state;
    rc_csr_t a = make_matrix(&shapes[8], 5);
    for (int threads = 1; threads <= 3; threads++) {
        rc_device_t *d;
        assert_int_equal(rc_device_open_cpu(threads, &d, NULL), RC_OK);
        rc_schedule_t s = make_schedule(&a, ORDER_PADS, 9);
        for (int strip = 1; strip <= 16; strip++) {
            char spec[32];
            snprintf(spec, sizeof spec, "cstat:strip=%d", strip);
            for (int t = 0; t < RC_TYPES; t++)
                run_one(d, spec, &a, &s, (rc_precision_t)t, 37, 0);
        }
        static const int nws[] = {1, 2, 5, 32, 1000};
        for (size_t i = 0; i < sizeof nws / sizeof nws[0]; i++)
            run_one(d, "cstat", &a, &s, RC_FP64, 9, nws[i]);
        free(s.row);
        rc_device_close(d);
    }
    free_matrix(&a);
}

/* No columns, a type without an instance, and an order of C that the kernel does not store. */
static void requests_that_are_not_supported(void **state)
{
    (void)state;
    rc_csr_t a = make_matrix(&shapes[4], 5);
    rc_schedule_t s = make_schedule(&a, ORDER_RANDOM, 9);
    rc_err_t err = {0};
    rc_analysis_t analysis;
    for (int i = 0; rc_kernels[i]; i++) {
        rc_problem_t p = {.k = 0, .a = &a, .schedule = &s};
        assert_int_equal(rc_kernel_analyse(rc_kernels[i], &p, &analysis, &err), RC_ENOTSUP);
        assert_non_null(strstr(err.text, "no columns"));
        p.k = 4;
        rc_kernel_t narrow = *rc_kernels[i];
        narrow.types = 1u << RC_FP32;
        p.precision = RC_FP64;
        assert_int_equal(rc_kernel_analyse(&narrow, &p, &analysis, &err), RC_ENOTSUP);
        assert_string_equal(err.text, "no instance for fp64");
        p.c_order = RC_C_SCHEDULE;
        if (rc_kernel_stores(rc_kernels[i], RC_C_SCHEDULE))
            continue;
        assert_int_equal(rc_kernel_analyse(rc_kernels[i], &p, &analysis, &err), RC_ENOTSUP);
        assert_non_null(strstr(err.text, "schedule order"));
    }
    free(s.row);
    free_matrix(&a);
}

/* In schedule order row p of C is slot p; what a pad holds means nothing. */
static void c_in_schedule_order(void **state)
{
    (void)state;
    static const char *const specs[] = {
        "cstat", "rowsplit", "csr", "csr2", "csr3:srs=5", "merge:items=9", "ell", "plain-spmv",
        "rs:t=1:w=8", "aspt:panel=9:col_min=2:tile_cols=4:tile_min=1"};
    rc_csr_t a = make_matrix(&shapes[4], 5);
    rc_device_t *d;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        for (int order = ORDER_RANDOM; order < ORDERS; order++) {
            rc_schedule_t s = make_schedule(&a, (enum order)order, 9);
            rc_kernel_spec_t spec;
            rc_analysis_t analysis;
            void *kernel = NULL;
            assert_int_equal(rc_kernel_spec_parse(specs[i], RC_DEVICE_CPU, &spec, NULL), RC_OK);
            rc_problem_t p = problem_of(&spec, d, &a, &s, RC_FP64, 7);
            dense_t x[3];
            rc_operands_t o;
            operands_new(spec.kernel, &p, 0, 0, x, &o);
            naive_t n = naive_new(spec.kernel->op, &a, &o, RC_FP64);
            p.c_order = RC_C_SCHEDULE;
            p.c_rows = s.slots;
            dense_t c = dense_new(RC_FP64, o.out.layout, s.slots, o.out.cols, 0, 0);
            o.out = c.m;
            assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
            assert_int_equal(
                rc_kernel_prepare(spec.kernel, &d->executor, &p, &analysis, &kernel, NULL), RC_OK);
            assert_int_equal(rc_kernel_run(spec.kernel, kernel, &o, 1, 0, NULL), RC_OK);
            for (int64_t at = 0; at < s.slots; at++)
                for (int64_t j = 0; s.row[at] >= 0 && j < c.m.cols; j++)
                    assert_true(
                        fabs(dense_get(&c.m, at, j) - n.value[s.row[at] * c.m.cols + j]) < 1e-12);
            rc_kernel_release(spec.kernel, kernel);
            naive_free(&n);
            dense_check_guards(&c);
            free(c.block);
            for (int m = 0; m < 3; m++)
                free(x[m].block);
            free(s.row);
        }
    rc_device_close(d);
    free_matrix(&a);
}

/* A once in slot order, B once, every row of C once; row ids only where the order needs them. */
static void compulsory_traffic(void **state)
{
    (void)state;
    rc_csr_t a = make_matrix(&shapes[4], 5);
    int64_t empty = 0;
    for (int64_t r = 0; r < a.rows; r++)
        empty += a.row_ptr[r] == a.row_ptr[r + 1];
    assert_true(empty > 0);
    const rc_kernel_t *kernel = rc_kernel_find("cstat", RC_DEVICE_CPU);
    const rc_operation_t *op = rc_operation_of(RC_OP_SPMM);
    rc_analysis_t x;
    rc_schedule_t id = make_schedule(&a, ORDER_IDENTITY, 9);
    rc_schedule_t some = make_schedule(&a, ORDER_NO_EMPTY, 9);
    rc_problem_t p = {.k = 10, .a = &a, .schedule = &id, .identity = 1, .c_rows = a.rows};
    assert_int_equal(rc_kernel_analyse(kernel, &p, &x, NULL), RC_OK);
    assert_int_equal(rc_analysis_traffic(&x, op, &p, 10),
        a.nnz * 8 + (a.rows + 1) * 8 + (a.rows + a.cols) * 10 * 4);
    assert_int_equal(x.bytes, x.traffic);
    assert_int_equal(rc_library_analyse(&p, &x, NULL), RC_OK); /* a library has the entries once more */
    assert_true(x.bytes - x.traffic >= a.nnz * 12 + (a.rows + 1) * 4);
    p = (rc_problem_t){.k = 10, .precision = RC_FP64, .a = &a, .schedule = &some, .c_rows = a.rows};
    assert_int_equal(rc_kernel_analyse(kernel, &p, &x, NULL), RC_OK);
    assert_int_equal(rc_analysis_traffic(&x, op, &p, 10),
        a.nnz * 12 + (some.slots + 1) * 8 + some.slots * 4 + (a.rows + a.cols) * 10 * 8);
    assert_int_equal(x.bytes - x.traffic, empty * 4);
    p.c_order = RC_C_SCHEDULE;
    p.c_rows = some.slots;
    assert_int_equal(rc_kernel_analyse(kernel, &p, &x, NULL), RC_OK);
    assert_int_equal(rc_analysis_traffic(&x, op, &p, 10),
        a.nnz * 12 + (some.slots + 1) * 8 + (some.slots + a.cols) * 10 * 8);
    assert_int_equal(rc_analysis_traffic(&x, op, &p, INT64_MAX), INT64_MAX);
    free(id.row);
    free(some.row);
    free_matrix(&a);
}

static void specs_are_parsed(void **state)
{
    (void)state;
    rc_kernel_spec_t s;
    rc_err_t err = {0};
    assert_int_equal(rc_kernel_spec_parse("cstat", RC_DEVICE_CPU, &s, &err), RC_OK);
    assert_string_equal(s.kernel->name, "cstat");
    assert_string_equal(s.params, "strip=4");
    assert_int_equal(rc_kernel_spec_parse("cstat:strip=16", RC_DEVICE_CPU, &s, &err), RC_OK);
    assert_int_equal(s.param[0], 16);
    assert_string_equal(s.params, "strip=16");
    assert_int_equal(rc_kernel_spec_parse("rowsplit", RC_DEVICE_CPU, &s, &err), RC_OK);
    assert_string_equal(s.params, "");
    assert_int_equal(rc_kernel_spec_parse("fault:delay_us=5:mode=1", RC_DEVICE_CPU, &s, &err), RC_OK);
    assert_string_equal(s.params, "mode=1:rows=0:delay_us=5:at=-1");

    static const struct {
        const char *text;
        rc_status_t status;
        const char *says;
    } bad[] = {
        {"cstatt", RC_ENOENT, "did you mean 'cstat'"},
        {"zzzzzz", RC_ENOENT, "cstat, rowsplit"},
        {"", RC_EINVAL, ""},
        {"cstat:", RC_EINVAL, ""},
        {"cstat:strip", RC_EINVAL, "key=value"},
        {"cstat:stripp=3", RC_EINVAL, "did you mean 'strip'"},
        {"cstat:strip=17", RC_ERANGE, "strip"},
        {"cstat:strip=x", RC_EINVAL, "strip"},
        {"cstat:strip=3:strip=4", RC_EINVAL, "twice"},
        {"rowsplit:strip=3", RC_EINVAL, "no parameters"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        err = (rc_err_t){0};
        int st = rc_kernel_spec_parse(bad[i].text, RC_DEVICE_CPU, &s, &err);
        if (st >= 0 || !strstr(err.text, bad[i].says))
            fail_msg("'%s' gave %d '%s'", bad[i].text, st, err.text);
        assert_true(st == bad[i].status || st == RC_EINVAL);
    }
    rc_precision_t q;
    for (int i = 0; i < REAL_TYPES; i++)
        assert_true(rc_precision_parse(rc_precision_name(real_type(i)), &q, NULL) == RC_OK && q == real_type(i));
    assert_int_equal(rc_precision_parse("c64", &q, &err), RC_EINVAL);
    assert_int_equal(rc_precision_parse("fp12", &q, &err), RC_EINVAL);
}

static void descriptors_are_complete(void **state)
{
    (void)state;
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        assert_true(k->name && k->summary && k->source && k->version >= 1);
        assert_true(k->analyse && k->geometry && k->run);
        assert_true(k->state_bytes >= sizeof(rc_prepared_t) && k->shares <= k->state_bytes);
        assert_true(k->shares == 0 || k->shares >= sizeof(rc_prepared_t));
        assert_ptr_equal(rc_kernel_find(k->name, k->device), k);
        rc_kernel_spec_t s;
        assert_int_equal(rc_kernel_spec_parse(k->name, k->device, &s, NULL), RC_OK);
        for (int j = 0; j < RC_KERNEL_PARAMS_MAX && k->param[j].name; j++)
            if (k->param[j].choices)
                assert_non_null(k->param[j].choices[0]);
            else
                assert_in_range(
                    k->param[j].value - k->param[j].min, 0, k->param[j].max - k->param[j].min);
    }
    assert_null(rc_kernel_find("nothing", RC_DEVICE_CPU));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_compute_the_product),
        cmocka_unit_test(cstat_strips_and_workers),
        cmocka_unit_test(requests_that_are_not_supported),
        cmocka_unit_test(c_in_schedule_order),
        cmocka_unit_test(compulsory_traffic),
        cmocka_unit_test(specs_are_parsed),
        cmocka_unit_test(descriptors_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
