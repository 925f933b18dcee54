#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "kernels/prepared.h"
#include "order/policy.h"
#include "sddmm_properties.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K_MOST = 300, INPUTS = 2 };

/* Y and X on the host in fp64, row by row. */
typedef struct inputs {
    int64_t k;
    int64_t rows[INPUTS];
    double *value[INPUTS];
} inputs_t;

static inputs_t inputs_new(const rc_csr_t *a, int64_t k)
{
    inputs_t in = {.k = k, .rows = {a->rows, a->cols}};
    for (int i = 0; i < INPUTS; i++) {
        in.value[i] = calloc((size_t)(in.rows[i] * k) + 1, sizeof(double));
        assert_non_null(in.value[i]);
    }
    return in;
}

static void inputs_free(inputs_t *in)
{
    for (int i = 0; i < INPUTS; i++)
        free(in->value[i]);
}

/* ------------------------------------------------------------------- runs */

static void put(void *to, rc_precision_t precision, int64_t i, double v)
{
    rc_type(precision)->store(to, i, v);
}

static double get(const void *from, rc_precision_t precision, int64_t i)
{
    return rc_type(precision)->load(from, i);
}

/* An input on the device, in the layout of the kernel. */
static rc_dense_t upload(rc_device_t *d, const inputs_t *in, int i, rc_precision_t precision, rc_layout_t layout)
{
    size_t bytes = (size_t)(in->rows[i] * in->k) * rc_precision_bytes(precision);
    rc_dense_t m = {.rows = in->rows[i],
        .cols = in->k,
        .ld = layout == RC_ROW_MAJOR ? in->k : in->rows[i],
        .precision = precision,
        .layout = layout};
    void *host = malloc(bytes + 1);
    assert_non_null(host);
    for (int64_t r = 0; r < m.rows; r++)
        for (int64_t j = 0; j < m.cols; j++)
            put(host, precision, layout == RC_ROW_MAJOR ? r * m.ld + j : j * m.ld + r, in->value[i][r * in->k + j]);
    assert_int_equal(d->executor.alloc(&d->executor, bytes + 1, &m.data, NULL), RC_OK);
    assert_int_equal(d->executor.upload(&d->executor, m.data, host, bytes, NULL), RC_OK);
    free(host);
    return m;
}

/* Types of the inputs and of the output. */
typedef struct types {
    rc_precision_t in;
    rc_precision_t out;
} types_t;

/* One run into a poisoned output.  \param[out] out  [nnz] in its type  \return 0: the kernel refuses */
static int run(rc_device_t *d, const rc_kernel_spec_t *spec, const rc_csr_t *a, const rc_schedule_t *s, types_t types,
    const inputs_t *in, void *out)
{
    const rc_precision_t precision = types.in;
    const rc_kernel_t *kernel = spec->kernel;
    rc_executor_t *x = &d->executor;
    size_t bytes = (size_t)a->nnz * rc_precision_bytes(types.out);
    rc_problem_t p = {.k = in->k, .precision = precision, .out_sums = types.in != types.out, .a = a, .schedule = s, .c_rows = a->nnz,
        .identity = rc_schedule_is_identity(s), .geometry = kernel->geometry(x, spec->param, precision)};
    rc_analysis_t analysis;
    rc_err_t err = {0};
    void *state = NULL;
    memcpy(p.param, spec->param, sizeof p.param);
    rc_status_t st = rc_kernel_analyse(kernel, &p, &analysis, &err);
    if (st == RC_OK)
        st = rc_kernel_prepare(kernel, x, &p, &analysis, &state, &err);
    if (st == RC_ENOTSUP && !p.identity)
        return 0;
    if (st < 0)
        fail_msg("%s: %s", kernel->name, err.text);
    rc_operands_t o = {.out = {.rows = a->nnz, .cols = 1, .ld = a->nnz, .precision = types.out, .layout = RC_COL_MAJOR}};
    for (int i = 0; i < INPUTS; i++)
        o.in[i] = upload(d, in, i, precision, kernel->layout);
    assert_int_equal(x->alloc(x, bytes + 1, &o.out.data, NULL), RC_OK);
    assert_int_equal(x->fill(x, o.out.data, 0xff, bytes, NULL), RC_OK);
    if (kernel->preprocess)
        assert_int_equal(kernel->preprocess(state, &o, &err), RC_OK);
    if (rc_kernel_run(kernel, state, &o, 1, 0, &err) < 0)
        fail_msg("%s: %s", kernel->name, err.text);
    assert_int_equal(x->download(x, out, o.out.data, bytes, NULL), RC_OK);
    for (int i = 0; i < INPUTS; i++)
        x->release(x, o.in[i].data);
    x->release(x, o.out.data);
    rc_kernel_release(kernel, state);
    return 1;
}

typedef void tried_fn(rc_device_t *d, const rc_kernel_spec_t *spec, types_t types);

static int on_every_kernel(rc_device_t *d, tried_fn *fn)
{
    int tried = 0;
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        rc_kernel_spec_t spec;
        if (k->device != d->executor.kind || k->op != RC_OP_SDDMM || !k->computes || k->for_testing)
            continue;
        assert_int_equal(rc_kernel_spec_parse(k->name, d->executor.kind, &spec, NULL), RC_OK);
        for (int t = 0; t < RC_TYPES; t++) {
            const rc_precision_t in = (rc_precision_t)t;
            if (rc_kernel_takes(k, in))
                fn(d, &spec, (types_t){in, in});
            if (rc_kernel_takes_out(k, in, 1) && rc_type_out(in, 1) != in)
                fn(d, &spec, (types_t){in, rc_type_out(in, 1)});
        }
        tried++;
    }
    return tried;
}

/* ------------------------------------------------------------- entry order */

enum { ROWS = 70, COLS = 220, LONG = 33 }; /* row LONG is full, every fifth one empty */

static rc_csr_t make_matrix(void)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, 11);
    rc_csr_t a = {.rows = ROWS, .cols = COLS};
    a.row_ptr = calloc(ROWS + 1, sizeof *a.row_ptr);
    a.col_idx = calloc(ROWS * COLS, sizeof *a.col_idx);
    a.val = calloc(ROWS * COLS, sizeof *a.val);
    assert_true(a.row_ptr && a.col_idx && a.val);
    for (int r = 0; r < ROWS; r++) {
        for (int c = 0; c < COLS; c++)
            if (r == LONG || (r % 5 != 0 && rc_rng_unit(&rng) < 0.05)) {
                a.col_idx[a.nnz] = c;
                a.val[a.nnz++] = rc_rng_unit(&rng) < 0.1 ? 0 : 2 * rc_rng_unit(&rng) - 1;
            }
        a.row_ptr[r + 1] = a.nnz;
    }
    return a;
}

enum { IDENTITY, REVERSED, SHUFFLED, NO_EMPTY, SCHEDULES };

/* SHUFFLED has pads.  \param[out] row  [2 * ROWS] */
static rc_schedule_t make_schedule(const rc_csr_t *a, int which, int32_t *row)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    rc_schedule_t s = {.rows = a->rows, .row = row};
    for (int r = 0; r < ROWS; r++) {
        int at = which == REVERSED ? ROWS - 1 - r : r;
        if (which != NO_EMPTY || a->row_ptr[at] < a->row_ptr[at + 1])
            row[s.slots++] = at;
        if (which == SHUFFLED && r % 3 == 0)
            row[s.slots++] = -1;
    }
    for (int64_t i = s.slots - 1; i > 0 && which >= SHUFFLED; i--) {
        int64_t j = (int64_t)rc_rng_below(&rng, (uint64_t)i + 1);
        int32_t t = row[i];
        row[i] = row[j];
        row[j] = t;
    }
    return s;
}

static void check_values(const char *kernel, const rc_csr_t *a, types_t types, const inputs_t *in, const void *out)
{
    const rc_type_t *type = rc_type(types.in);
    const int narrow = type->sum != types.out; /* a sum is rounded once more */
    double eps = 2 * rc_type(type->sum)->unit;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            double v = type->round(a->val[e]);
            double sum = 0;
            double mag = 0;
            for (int64_t j = 0; j < in->k; j++) {
                double t = v * type->round(in->value[0][r * in->k + j]) * type->round(in->value[1][a->col_idx[e] * in->k + j]);
                sum += t;
                mag += fabs(t);
            }
            double bound = (double)(in->k + 4) * eps * mag;
            bound += narrow ? type->unit * (fabs(sum) + bound) + type->least : 0;
            if (!(fabs(get(out, types.out, e) - sum) <= bound))
                fail_msg("%s, K %d: entry %d in row %d: expected %.17g, found %.17g", kernel, (int)in->k, (int)e,
                    (int)r, sum, get(out, types.out, e));
        }
}

static void entry_order(rc_device_t *d, const rc_kernel_spec_t *spec, types_t types)
{
    static const int64_t ks[] = {1, 3, 8, 37, 64, 129, K_MOST};
    static int32_t row[2 * ROWS];
    static double out[2 * ROWS * COLS];
    static double other[2 * ROWS * COLS];
    rc_csr_t a = make_matrix();
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
        inputs_t in = inputs_new(&a, ks[i]);
        for (int n = 0; n < INPUTS; n++)
            for (int64_t v = 0; v < in.rows[n] * in.k; v++) /* exact in fp32 */
                in.value[n][v] = (double)(float)rc_rng_signed(3 + (uint64_t)n, (uint64_t)v);
        for (int which = 0; which < SCHEDULES; which++) {
            rc_schedule_t s = make_schedule(&a, which, row);
            if (!run(d, spec, &a, &s, types, &in, which == IDENTITY ? out : other))
                continue;
            if (which == IDENTITY)
                check_values(spec->kernel->name, &a, types, &in, out);
            else if (memcmp(out, other, (size_t)a.nnz * rc_precision_bytes(types.out)) != 0)
                fail_msg("%s, K %d: row order %d changes values", spec->kernel->name, (int)in.k, which);
        }
        inputs_free(&in);
    }
    free(a.row_ptr);
    free(a.col_idx);
    free(a.val);
}

int check_sddmm_entry_order(rc_device_t *d)
{
    return on_every_kernel(d, entry_order);
}

/* ----------------------------------------------------------- special values */

static void special_values(rc_device_t *d, const rc_kernel_spec_t *spec, types_t types)
{
    /* rows 0 and 5 are finite, 1 is empty, 2 has a NaN, 3 an Inf, 4 two of them; column 4 has a NaN */
    static int64_t row_ptr[] = {0, 3, 3, 5, 9, 11, 13};
    static int32_t col[] = {0, 1, 4, 0, 2, 0, 1, 2, 3, 0, 2, 0, 3};
    static double val[] = {2, 0, 1, 1.5, 0, 1, 0, 1, 1, 1, 1, 0, -4};
    static const double expected[] = {42, 0, NAN, NAN, NAN, INFINITY, NAN, -INFINITY, NAN, INFINITY, NAN, 0, -12};
    static const int64_t ks[] = {3, 8, 40, K_MOST};
    static const double y[][3] = {{1, 2, 5}, {NAN, NAN, NAN}, {1, NAN, 1}, {1, INFINITY, 1}, {1, INFINITY, INFINITY},
        {3, 0, 0}};
    static const double x[][3] = {{2, 2, 3}, {1, 1, 1}, {1, -1, 1}, {1, 0, 1}, {1, 1, NAN}};
    rc_csr_t a = {.rows = 6, .cols = 5, .nnz = 13, .row_ptr = row_ptr, .col_idx = col, .val = val};
    int32_t row[] = {0, 1, 2, 3, 4, 5};
    if (rc_type(types.in)->parts > 1)
        return; /* an infinite part times a part that is 0 is NaN: tests/unit/test_plan_complex.c */
    rc_schedule_t s = {.rows = 6, .slots = 6, .row = row};
    for (size_t i = 0; i < sizeof ks / sizeof ks[0]; i++) {
        double out[2 * 13];
        inputs_t in = inputs_new(&a, ks[i]);
        for (int64_t r = 0; r < 6; r++) /* beyond three columns Y is 1 and X 0; the last column has the third value */
            for (int64_t j = 0; j < in.k; j++) {
                int at = j == in.k - 1 ? 2 : j < 2 ? (int)j : -1;
                in.value[0][r * in.k + j] = at < 0 ? 1 : y[r][at];
                if (r < a.cols)
                    in.value[1][r * in.k + j] = at < 0 ? 0 : x[r][at];
            }
        assert_true(run(d, spec, &a, &s, types, &in, out));
        for (int e = 0; e < 13; e++) {
            double found = get(out, types.out, e);
            if (isnan(expected[e]) ? !isnan(found) : !(found == expected[e]))
                fail_msg("%s, %s, K %d: entry %d: expected %g, found %g", spec->kernel->name,
                    rc_precision_name(types.in), (int)in.k, e, expected[e], found);
        }
        inputs_free(&in);
    }
}

int check_sddmm_special_values(rc_device_t *d)
{
    return on_every_kernel(d, special_values);
}
