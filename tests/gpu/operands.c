#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/str.h"
#include "base/type.h"
#include "operands.h"
#include "order/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 512 }; /* bytes around an operand, a multiple of any alignment */

void ok(rc_status_t st, const rc_err_t *err, const char *what)
{
    if (st < 0)
        fail_msg("%s: %s: %s", what, rc_status_name(st), err->text);
}

int64_t sample_of_runs_or(int64_t usual)
{
    const char *text = getenv("ROWCAST_GPU_SAMPLE");
    int64_t n = usual;
    rc_err_t err = {0};
    if (text)
        ok(rc_parse_int(text, 1, 1000000, "ROWCAST_GPU_SAMPLE", &n, &err), &err, "environment");
    return n;
}

int64_t sample_of_runs(void)
{
    return sample_of_runs_or(1);
}

int kernel_is_wanted(const char *name)
{
    const size_t n = strlen(name);
    const char *only = getenv("ROWCAST_GPU_KERNEL");
    for (const char *at = only; at; at = *at ? at + 1 : NULL) {
        const size_t word = strcspn(at, ",");
        if (word == n && strncmp(at, name, n) == 0)
            return 1;
        at += word;
    }
    return !only;
}

/* ---------------------------------------------------------------- places */

const char *place_name(int place)
{
    static const char *const name[PLACES] = {"", ", shifted", ", padded by 8", ", padded by 4", ", padded by 3"};
    return name[place];
}

static rc_precision_t out_type(const gpu_operands_t *o)
{
    return rc_type_out(o->precision, o->out_sums);
}

static size_t shift_of(rc_precision_t type, int place)
{
    return place == PLACE_SHIFTED ? rc_precision_bytes(type) : 0;
}

static int64_t pad_of(int place)
{
    static const int64_t pad[PLACES] = {[PLACE_WIDE] = 8, [PLACE_FOUR] = 4, [PLACE_ODD] = 3};
    return pad[place];
}

/* An operand of that shape; what has no K columns is one column. */
static rc_dense_t shape_of(const gpu_operands_t *o, rc_precision_t type, rc_layout_t layout, int wide, int64_t rows, int place)
{
    rc_dense_t m = {.rows = rows,
        .cols = wide ? o->k : 1,
        .precision = type,
        .layout = wide ? layout : RC_COL_MAJOR};
    m.ld = (m.layout == RC_ROW_MAJOR ? m.cols : rows) + (wide ? pad_of(place) : 0);
    return m;
}

/* Bytes from the first value to behind the last line, with its gap. */
static size_t bytes_of(const rc_dense_t *m)
{
    int64_t lines = m->layout == RC_ROW_MAJOR ? m->rows : m->cols;
    return (size_t)(lines * m->ld) * rc_precision_bytes(m->precision);
}

size_t operand_at(const rc_dense_t *m, int64_t r, int64_t j)
{
    return (size_t)(m->layout == RC_ROW_MAJOR ? r * m->ld + j : j * m->ld + r);
}

void operand_put(unsigned char *to, rc_precision_t precision, size_t i, double v)
{
    rc_type(precision)->store(to, (int64_t)i, v);
}

double operand_get(const unsigned char *from, rc_precision_t precision, size_t i)
{
    return rc_type(precision)->load(from, (int64_t)i);
}

void operand_put_part(unsigned char *to, rc_precision_t precision, size_t i, int part, double v)
{
    const rc_type_t *type = rc_type(precision);
    rc_type(type->part)->store(to, (int64_t)i * type->parts + part, v);
}

double operand_get_part(const unsigned char *from, rc_precision_t precision, size_t i, int part)
{
    const rc_type_t *type = rc_type(precision);
    return part < type->parts ? rc_type(type->part)->load(from, (int64_t)i * type->parts + part) : 0;
}

/* -------------------------------------------------------------- operands */

static void make_input(gpu_operands_t *o, int place, int i)
{
    rc_err_t err = {0};
    const rc_shape_t *shape = &o->operation->in[i];
    rc_dense_t m =
        shape_of(o, o->precision, rc_layout_in(o->layout), shape->wide, rc_shape_rows(shape, o->a), place);
    size_t from = GUARD + shift_of(o->precision, place);
    size_t bytes = from + bytes_of(&m) + GUARD;
    unsigned char *host = malloc(bytes);
    void *device = NULL;
    assert_non_null(host);
    memset(host, 0xff, bytes);
    for (int64_t r = 0; r < m.rows; r++)
        for (int64_t j = 0; j < m.cols; j++)
            for (int q = 0; q < rc_type(o->precision)->parts; q++)
                operand_put_part(host + from, o->precision, operand_at(&m, r, j), q, input_part(i, r, j, q));
    ok(o->x->alloc(o->x, bytes, &device, &err), &err, "memory for an input");
    ok(o->x->upload(o->x, device, host, bytes, &err), &err, "upload of an input");
    m.data = (unsigned char *)device + from;
    o->memory[place * RC_INPUTS_MAX + i] = device;
    o->in[place][i] = m;
    free(host);
}

int64_t gpu_operands_rows(const gpu_operands_t *o)
{
    int64_t rows = rc_shape_rows(&o->operation->out, o->a);
    return o->operation->out.rows == RC_DIM_ROWS ? 4 * rows + 8192 : rows;
}

/* The matrix of complex numbers. */
static void make_values(gpu_operands_t *o)
{
    const int parts = rc_type(o->precision)->parts;
    o->val = NULL;
    if (parts == 1)
        return;
    o->val = malloc(((size_t)(parts * o->a->nnz) + 1) * sizeof *o->val);
    assert_non_null(o->val);
    for (int64_t i = 0; i < parts * o->a->nnz; i++)
        o->val[i] = entry_part(o->a, i / parts, (int)(i % parts));
}

void gpu_operands_new(gpu_operands_t *o)
{
    make_values(o);
    rc_err_t err = {0};
    void *c = NULL;
    memset(o->memory, 0, sizeof o->memory);
    o->ref = make_reference(o->a, o->precision, o->operation->op, o->k);
    for (int place = 0; place < PLACES; place++)
        for (int i = 0; i < rc_operation_inputs(o->operation); i++)
            make_input(o, place, i);
    size_t most = 0;
    for (int place = 0; place < PLACES; place++) {
        rc_dense_t m = shape_of(
            o, out_type(o), rc_layout_out(o->layout), o->operation->out.wide, gpu_operands_rows(o), place);
        size_t bytes = bytes_of(&m) + shift_of(out_type(o), place) + 2 * (size_t)GUARD;
        most = bytes > most ? bytes : most;
    }
    o->c_bytes = most;
    o->host = malloc(most);
    o->image = malloc(most);
    assert_true(o->host && o->image);
    size_t values = most / rc_precision_bytes(out_type(o));
    memset(o->image, 0, most);
    for (size_t i = 0; i < values; i++)
        for (int q = 0; q < rc_type(out_type(o))->parts; q++)
            operand_put_part(o->image, out_type(o), i, q, rc_rng_signed(9 + (uint64_t)q, i));
    ok(o->x->alloc(o->x, most, &c, &err), &err, "memory for the output");
    o->c = c;
}

void gpu_operands_free(gpu_operands_t *o)
{
    for (int i = 0; i < PLACES * RC_INPUTS_MAX; i++)
        o->x->release(o->x, o->memory[i]);
    o->x->release(o->x, o->c);
    free(o->host);
    free(o->image);
    free(o->val);
    free_reference(&o->ref);
}

rc_operands_t gpu_operands_of(const gpu_operands_t *o, int place, int64_t rows)
{
    rc_operands_t of = {0};
    memcpy(of.in, o->in[place], sizeof of.in);
    of.out = shape_of(o, out_type(o), rc_layout_out(o->layout), o->operation->out.wide, rows, place);
    of.out.data = o->c + GUARD + shift_of(out_type(o), place);
    return of;
}

/* Bytes of the output with its guards, as far as they are looked at. */
static size_t span_of(const gpu_operands_t *o, const rc_operands_t *of)
{
    size_t from = (size_t)((unsigned char *)of->out.data - o->c);
    size_t all = from + bytes_of(&of->out) + GUARD;
    assert_true(all <= o->c_bytes);
    return all;
}

void gpu_operands_fill(gpu_operands_t *o, const rc_operands_t *of, int old)
{
    rc_err_t err = {0};
    size_t all = span_of(o, of);
    if (old)
        ok(o->x->upload(o->x, o->c, o->image, all, &err), &err, "filling the output");
    else
        ok(o->x->fill(o->x, o->c, 0xff, all, &err), &err, "filling the output");
}

rc_problem_t gpu_problem(const gpu_operands_t *o, const rc_kernel_spec_t *spec,
    const rc_schedule_t *s, rc_c_order_t c_order)
{
    int identity = rc_schedule_is_identity(s);
    rc_problem_t p = {
        .k = o->operation->has_k ? o->k : 1,
        .precision = o->precision,
        .out_sums = o->out_sums,
        .c_order = identity ? RC_C_ORIGINAL : c_order,
        .a = o->a,
        .val = o->val,
        .val_type = RC_C128,
        .schedule = s,
        .identity = identity,
        .geometry = spec->kernel->geometry(o->x, spec->param, o->precision),
    };
    p.c_rows = p.c_order == RC_C_SCHEDULE ? s->slots : rc_shape_rows(&o->operation->out, o->a);
    memcpy(p.param, spec->param, sizeof p.param);
    p.text = spec->text;
    return p;
}

/* ----------------------------------------------------------------- check */

/* What the output held at an index of its memory before. */
static double old_value(const gpu_operands_t *o, size_t from, size_t i, int part)
{
    return operand_get_part(o->image + from, out_type(o), i, part);
}

/* What a value may be off: sums round in their type, and are rounded to that of the output, by some
 * kernels before they are added to what was there and after it. */
static double bound_of(const gpu_operands_t *o, int64_t terms, double mag, double kept)
{
    const rc_type_t *type = rc_type(out_type(o));
    double sum = rc_type(type->sum)->unit;
    double parts = type->parts; /* as many terms, and products */
    double bound = 2 * parts * sum * ((double)(terms + 4) * mag + 2 * kept) +
                   1.01 * type->unit * (2 * mag + kept) + type->least;
    if (o->library && type->bytes == 2) /* cuSPARSE adds some to the output one by one */
        bound += type->unit * (double)terms * (mag + kept);
    return bound;
}

/* Part q of a product of two numbers. */
static double product_part(const double a[2], const double b[2], int q)
{
    return q ? a[0] * b[1] + a[1] * b[0] : a[0] * b[0] - a[1] * b[1];
}

static double size_of(const double x[2])
{
    return fabs(x[0]) + fabs(x[1]);
}

/* Row `r` of the reference is row `row` of the output. */
static void check_row(const gpu_operands_t *o, const rc_operands_t *of, int64_t row, int64_t r,
    double alpha, double beta, const char *label)
{
    size_t from = (size_t)((unsigned char *)of->out.data - o->c);
    for (int64_t j = 0; j < of->out.cols; j++) {
        size_t i = operand_at(&of->out, row, j);
        const int64_t n = r * o->ref.cols + j;
        const double by[2] = {alpha, of->alpha_im};
        const double with[2] = {beta, of->beta_im};
        const int keeps = size_of(with) > 0;
        const double old[2] = {keeps ? old_value(o, from, i, 0) : 0, keeps ? old_value(o, from, i, 1) : 0};
        const double sum[2] = {o->ref.sum[0][n], o->ref.sum[1][n]};
        double bound = bound_of(o, o->ref.terms[r], size_of(by) * o->ref.mag[n], size_of(with) * size_of(old));
        for (int q = 0; q < rc_type(out_type(o))->parts; q++) {
            double found = operand_get_part(o->host + from, out_type(o), i, q);
            double expected = product_part(by, sum, q) + product_part(with, old, q);
            if (!(fabs(found - expected) <= bound))
                fail_msg("%s: part %d of value (%d, %d): expected %.17g, found %.17g, off by %.3g of the bound",
                    label, q, (int)row, (int)j, expected, found, fabs(found - expected) / bound);
        }
    }
}

/* Does memory hold what it held before the run? */
static int is_untouched(const gpu_operands_t *o, size_t all, int old)
{
    return old ? memcmp(o->host, o->image, all) == 0
               : o->host[0] == 0xff && memcmp(o->host, o->host + 1, all - 1) == 0;
}

/* Of 16 bits, cuSPARSE adds 0 to a neighbour in the same word: the bits of a NaN may change. */
static int is_same_word(const gpu_operands_t *o, size_t byte, int old)
{
    const size_t i = byte / 2;
    if (!o->library || rc_precision_bytes(out_type(o)) != 2)
        return 0;
    double found = operand_get(o->host, out_type(o), i);
    double before = old ? operand_get(o->image, out_type(o), i) : NAN;
    return found == before || (isnan(found) && isnan(before));
}

/* Everything that is no value of the output is what it was. */
static void check_around(
    gpu_operands_t *o, const rc_operands_t *of, size_t all, int old, const char *label)
{
    const rc_dense_t *m = &of->out;
    size_t value = rc_precision_bytes(out_type(o));
    size_t from = (size_t)((unsigned char *)m->data - o->c);
    int64_t lines = m->layout == RC_ROW_MAJOR ? m->rows : m->cols;
    int64_t length = m->layout == RC_ROW_MAJOR ? m->cols : m->rows;
    for (int64_t l = 0; l < lines; l++) {
        size_t to = from + (size_t)(l * m->ld) * value;
        if (old)
            memcpy(o->host + to, o->image + to, (size_t)length * value);
        else
            memset(o->host + to, 0xff, (size_t)length * value);
    }
    if (is_untouched(o, all, old))
        return;
    for (size_t i = 0; i < all; i++)
        if (o->host[i] != (old ? o->image[i] : 0xff) && !is_same_word(o, i, old))
            fail_msg("%s: byte %d from the begin of the output was written, which is none of its "
                     "values",
                label, (int)i - (int)from);
}

void gpu_operands_check(gpu_operands_t *o, const rc_operands_t *of, const rc_problem_t *p,
    double alpha, double beta, int old, const char *label)
{
    rc_err_t err = {0};
    size_t all = span_of(o, of);
    ok(o->x->download(o->x, o->host, o->c, all, &err), &err, label);
    if (p->c_order == RC_C_SCHEDULE) {
        for (int64_t i = 0; i < p->schedule->slots; i++)
            if (p->schedule->row[i] >= 0)
                check_row(o, of, i, p->schedule->row[i], alpha, beta, label);
    } else {
        for (int64_t r = 0; r < of->out.rows; r++)
            check_row(o, of, r, r, alpha, beta, label);
    }
    check_around(o, of, all, old, label);
}
