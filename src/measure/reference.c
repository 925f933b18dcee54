#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/rng_hash.h"
#include "base/type.h"
#include "device/dense_parts.h"
#include "measure/verify_private.h"
#include "operation/exact.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* Streams of the seed: the first input itself is stream 0. */
static const uint64_t stream_input = 0x1b7a31;
static const uint64_t stream_signs = 0x5167e5;
static const uint64_t stream_sample = 0x5a3b1e;

/* Entries that are not worth a second thread. */
enum { ALONE = 1 << 14 };

uint64_t rc_input_seed(uint64_t seed, int i)
{
    return seed ^ (uint64_t)i * stream_input;
}

/* Terms of the values of row r of a product. */
static int64_t length_of(const rc_reference_t *ref, int64_t r)
{
    return ref->m.a->row_ptr[r + 1] - ref->m.a->row_ptr[r];
}

rc_reference_matrix_t rc_reference_part(const rc_reference_t *ref, int part)
{
    rc_reference_matrix_t m = ref->m;
    m.part = part;
    return m;
}

int rc_reference_row_is_empty(const rc_reference_t *ref, int64_t r)
{
    return ref->op->project && length_of(ref, r) == 0;
}

/* A bound of the terms of each value of a row: no input is larger than 1. */
static double row_norm(const rc_reference_t *ref, int64_t r)
{
    const rc_csr_t *a = ref->m.a;
    double norm = 0;
    for (int q = 0; q < ref->parts; q++) {
        const rc_reference_matrix_t m = rc_reference_part(ref, q);
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            norm += fabs(rc_reference_value(&m, e));
    }
    return norm;
}

/* The bound of a row's sum over the columns; the fp64 sums on both sides round as well.  An
 * infinite value would make it infinite.
 * \param[in] mag  sum over the columns of the absolute values of the terms */
static double row_bound(const rc_reference_t *ref, double mag, int64_t r)
{
    enum { slack = 8 };
    const rc_precision_t type = ref->m.precision;
    const int64_t len = length_of(ref, r) * ref->parts;
    if (!(mag <= DBL_MAX / 2) || (rc_exact_may_overflow(type, mag, len) &&
                                     rc_exact_may_overflow(type, row_norm(ref, r), len)))
        return -1;
    double k = (double)ref->out_cols;
    double fp64 = 2 * DBL_EPSILON * ((double)len + k + slack);
    return rc_exact_bound(type, mag, len) + fp64 * mag + k * rc_exact_bound(type, 0, len);
}

/* ------------------------------------------------------------------ rows */

static int is_left_out(const rc_reference_t *ref, int64_t r)
{
    const double *bound = ref->bound + r * ref->parts;
    return bound[0] < 0 || bound[ref->parts - 1] < 0;
}

/* Put sums of the rows of B where the columns of A look for them. */
static rc_status_t put_in_place(const rc_reference_t *ref, double **x, int64_t n, rc_err_t *err)
{
    if (!ref->place)
        return RC_OK;
    const int parts = ref->parts;
    double *y = rc_alloc((size_t)(n * parts), sizeof *y, "the sums of B", err);
    RC_PASS(y ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < n * parts; i++)
        y[i] = (*x)[ref->place[i / parts] * parts + i % parts];
    free(*x);
    *x = y;
    return RC_OK;
}

/* One part of sums of parts. */
static void take_part(const double *from, int parts, int part, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i * parts + part];
}

/* What a product of sums of B is multiplied out in. */
typedef struct products {
    rc_pool_t pool;
    double *x; /* [rows of B] a part of the sums, and of their magnitudes */
    double *xmag;
    double *y; /* [out_rows] */
    double *ymag;
} products_t;

static rc_status_t products_new(
    const rc_reference_t *ref, int64_t rows, products_t *p, rc_err_t *err)
{
    *p = (products_t){0};
    p->x = rc_pool_get(&p->pool, (size_t)rows, sizeof *p->x);
    p->xmag = rc_pool_get(&p->pool, (size_t)rows, sizeof *p->xmag);
    p->y = rc_pool_get(&p->pool, (size_t)ref->out_rows, sizeof *p->y);
    p->ymag = rc_pool_get(&p->pool, (size_t)ref->out_rows, sizeof *p->ymag);
    return rc_pool_check(&p->pool, "the sums of C", err);
}

/* Products of parts: that of imaginary ones is a real part, with a minus. */
static rc_status_t multiply_parts(
    rc_reference_t *ref, const double *bx, const double *babs, int64_t rows, rc_err_t *err)
{
    products_t p;
    rc_status_t st = products_new(ref, rows, &p, err);
    const int parts = ref->parts;
    for (int64_t i = 0; st == RC_OK && i < ref->out_rows * parts; i++)
        ref->sum[i] = ref->bound[i] = 0;
    for (int of = 0; st == RC_OK && of < parts * parts; of++) {
        const int of_a = of / parts;
        const int of_b = of % parts;
        const rc_reference_matrix_t m = rc_reference_part(ref, of_a);
        take_part(bx, parts, of_b, rows, p.x);
        take_part(babs, parts, of_b, rows, p.xmag);
        ref->op->project(&m, p.x, p.xmag, p.y, p.ymag);
        for (int64_t r = 0; r < ref->out_rows; r++) {
            const int64_t at = r * parts + (of_a ^ of_b);
            ref->sum[at] += of_a & of_b ? -p.y[r] : p.y[r];
            ref->bound[at] += p.ymag[r];
        }
    }
    rc_pool_free(&p.pool);
    return st;
}

/* Parts of a row are summed together, each with zeros for the other one: where one may be infinite,
 * neither sum says anything. */
static void leave_out_whole(rc_reference_t *ref)
{
    for (int64_t r = 0; ref->parts > 1 && r < ref->out_rows; r++)
        if (is_left_out(ref, r))
            for (int q = 0; q < ref->parts; q++)
                ref->bound[r * ref->parts + q] = -1;
}

static rc_status_t multiply_sums(
    rc_reference_t *ref, const double *bx, const double *babs, int64_t rows, rc_err_t *err)
{
    if (ref->parts > 1)
        return multiply_parts(ref, bx, babs, rows, err);
    ref->op->project(&ref->m, bx, babs, ref->sum, ref->bound);
    return RC_OK;
}

/* A (B x) and its bound, from the sums of the B that the device holds. */
static rc_status_t sum_rows(rc_reference_t *ref, rc_device_t *d, const rc_dense_t *b, rc_err_t *err)
{
    const size_t b_parts = (size_t)(b->rows * ref->parts);
    const size_t c_parts = (size_t)(ref->out_rows * ref->parts);
    double *bx = rc_alloc(b_parts, sizeof *bx, "the sums of B", err);
    double *babs = rc_alloc(b_parts, sizeof *babs, "the sums of |B|", err);
    ref->sum = rc_pool_get(&ref->pool, c_parts, sizeof *ref->sum);
    ref->bound = rc_pool_get(&ref->pool, c_parts, sizeof *ref->bound);
    rc_status_t st = bx && babs ? rc_pool_check(&ref->pool, "the reference", err) : RC_ENOMEM;
    if (st == RC_OK)
        st = rc_dense_project_parts(
            d, b, ref->sign, &(rc_dense_found_t){.sum = bx, .mag = babs}, err);
    if (st == RC_OK)
        st = put_in_place(ref, &bx, b->rows, err);
    if (st == RC_OK)
        st = put_in_place(ref, &babs, b->rows, err);
    if (st == RC_OK)
        st = multiply_sums(ref, bx, babs, b->rows, err);
    if (st == RC_OK) {
#pragma omp parallel for num_threads(ref->m.threads) schedule(static) if (ref->out_rows > ALONE)
        for (int64_t i = 0; i < ref->out_rows * ref->parts; i++)
            ref->bound[i] = row_bound(ref, ref->bound[i], i / ref->parts);
        leave_out_whole(ref);
    }
    free(bx);
    free(babs);
    return st;
}

/* ---------------------------------------------------------------- sample */

static int compare_int64(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x;
    int64_t b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* Sort and drop repetitions; returns what is left. */
static int64_t distinct(int64_t *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof *x, compare_int64);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (kept == 0 || x[i] != x[kept - 1])
            x[kept++] = x[i];
    return kept;
}

/* `want` seeded numbers below `bound` after the `given` ones that are in x already; all of them
 * when there are no more than that.  x has room for given + want. */
static int64_t draw(rc_rng_t *rng, int64_t bound, int64_t want, int64_t *x, int64_t given)
{
    if (bound <= want) {
        for (int64_t i = 0; i < bound; i++)
            x[i] = i;
        return bound;
    }
    for (int64_t i = 0; i < want; i++)
        x[given + i] = (int64_t)rc_rng_below(rng, (uint64_t)bound);
    return distinct(x, given + want);
}

/* The row with the most terms; where all have as many, the first. */
static int64_t longest_row(const rc_reference_t *ref)
{
    int64_t best = 0;
    for (int64_t r = 1; ref->op->project && r < ref->out_rows; r++)
        if (length_of(ref, r) > length_of(ref, best))
            best = r;
    return best;
}

/* Inputs as the generator makes them. */
typedef struct inputs {
    const rc_operation_t *op;
    uint64_t key[RC_INPUTS_MAX];
    rc_precision_t precision;
    rc_columns_t columns;
    const int32_t *place; /* of the rows of the first one; NULL: where they are */
    int parts;
    int part[RC_INPUTS_MAX]; /* of a value of each that is used */
} inputs_t;

static double input_value(const void *user, int operand, int64_t row, int64_t col)
{
    const inputs_t *in = user;
    if (in->place && operand == 0)
        row = in->place[row];
    int64_t at = in->op->in[operand].wide ? row * in->columns.k + in->columns.j0 + col : row;
    const uint64_t number = (uint64_t)at * (uint64_t)in->parts + (uint64_t)in->part[operand];
    return rc_precision_round(in->precision, rc_rng_keyed_signed(in->key[operand], number));
}

static void compute_value(
    const rc_reference_t *ref, const inputs_t *of, int64_t r, int64_t j, rc_exact_t *out)
{
    inputs_t in = *of;
    const rc_input_parts_t parts = {input_value, &in, ref->parts, ref->columns.width, in.part};
    rc_operation_value(ref->op, &ref->m, &parts, r, j, out);
}

static int64_t clamp(int64_t x, int64_t most)
{
    return x < 0 ? 0 : x > most ? most : x;
}

static void compute_sample(rc_reference_t *ref)
{
    inputs_t in = {.op = ref->op,
        .precision = ref->m.precision,
        .columns = ref->columns,
        .place = ref->place,
        .parts = ref->parts};
    int64_t samples = ref->rows * ref->cols;
    for (int i = 0; i < RC_INPUTS_MAX; i++)
        in.key[i] = rc_rng_key(rc_input_seed(ref->seed, i));
    int64_t work = samples * ref->columns.width;
    for (int64_t i = 0; i < ref->rows && ref->op->project; i++)
        work += length_of(ref, ref->row[i]) * ref->cols;
#pragma omp parallel for num_threads(ref->m.threads) schedule(dynamic) if (work > ALONE)
    for (int64_t i = 0; i < samples; i++)
        compute_value(ref, &in, ref->row[i / ref->cols], ref->col[i % ref->cols],
            &ref->sample[i * ref->parts]);
}

/* As many rows that the check of sums leaves out as of all rows, behind the ones that are drawn. */
static void draw_left_out(rc_reference_t *ref, rc_rng_t *rng, int64_t want)
{
    int64_t *of = ref->row + ref->rows; /* which of those that are left out */
    int64_t seen = 0;
    int64_t n = 0;
    for (int64_t r = 0; ref->bound && r < ref->out_rows; r++)
        seen += is_left_out(ref, r);
    int64_t drawn = draw(rng, seen, want, of, 0);
    seen = 0;
    for (int64_t r = 0; n < drawn; r++)
        if (is_left_out(ref, r) && seen++ == of[n])
            of[n++] = r;
    ref->rows = distinct(ref->row, ref->rows + drawn);
}

static rc_status_t draw_sample(rc_reference_t *ref, rc_err_t *err)
{
    enum { fixed_rows = 3, fixed_cols = 2 };
    if (ref->out_rows == 0)
        return RC_OK;
    int64_t want_cols = clamp(ref->verify_cols, ref->out_cols);
    /* one column: as many values as of a matrix */
    int64_t want_rows = ref->verify_rows * (ref->op->out.wide ? 1 : ref->verify_cols);
    want_rows = clamp(want_rows, ref->out_rows);
    ref->row = rc_pool_get(&ref->pool, (size_t)(2 * want_rows + fixed_rows), sizeof *ref->row);
    ref->col = rc_pool_get(&ref->pool, (size_t)want_cols + fixed_cols, sizeof *ref->col);
    RC_PASS(rc_pool_check(&ref->pool, "the reference", err));
    rc_rng_t rng;
    rc_rng_seed(&rng, ref->seed ^ stream_sample);
    ref->row[0] = 0;
    ref->row[1] = ref->out_rows - 1;
    ref->row[2] = longest_row(ref);
    ref->rows = draw(&rng, ref->out_rows, want_rows, ref->row, fixed_rows);
    draw_left_out(ref, &rng, want_rows);
    ref->col[0] = 0;
    ref->col[1] = ref->out_cols - 1;
    ref->cols = draw(&rng, ref->out_cols, want_cols, ref->col, fixed_cols);
    int64_t samples = ref->rows * ref->cols;
    ref->sample = rc_pool_get(&ref->pool, (size_t)(samples * ref->parts), sizeof *ref->sample);
    RC_PASS(rc_pool_check(&ref->pool, "the reference", err));
    compute_sample(ref);
    return RC_OK;
}

/* ------------------------------------------------------------- reference */

/* The signs of the check; they belong to the columns of the whole product. */
static rc_status_t draw_signs(rc_reference_t *ref, rc_err_t *err)
{
    uint64_t key = rc_rng_key(ref->seed ^ stream_signs);
    ref->sign = rc_pool_get(&ref->pool, (size_t)ref->out_cols, sizeof *ref->sign);
    RC_PASS(rc_pool_check(&ref->pool, "the reference", err));
    for (int64_t j = 0; j < ref->out_cols; j++)
        ref->sign[j] = rc_rng_keyed(key, (uint64_t)(ref->columns.j0 + j)) & 1 ? 1.0 : -1.0;
    return RC_OK;
}

static rc_status_t fill_reference(
    rc_reference_t *ref, const rc_group_t *g, rc_device_t *d, const rc_dense_t *b, rc_err_t *err)
{
    ref->out_rows = rc_shape_rows(&ref->op->out, g->a);
    ref->out_cols = rc_shape_cols(&ref->op->out, ref->columns.width);
    rc_status_t st = draw_signs(ref, err);
    if (st == RC_OK && ref->op->project)
        st = sum_rows(ref, d, b, err);
    if (st == RC_OK)
        st = draw_sample(ref, err);
    return st;
}

rc_status_t rc_reference_new(const rc_group_t *g, const rc_measure_config_t *cfg,
    const rc_read_t *read, const rc_columns_t *columns, rc_device_t *d, const rc_dense_t *b,
    rc_reference_t **out, rc_err_t *err)
{
    rc_reference_t *ref = rc_alloc0(1, sizeof *ref, "the reference", err);
    RC_PASS(ref ? RC_OK : RC_ENOMEM);
    int threads = d->executor.threads;
    *ref = (rc_reference_t){
        .op = rc_operation_of(g->kernel->kernel->op),
        .m = {.a = read->a,
            .precision = g->precision,
            .threads = threads > 0 ? threads : 1,
            .parts = read->parts},
        .parts = rc_type(g->precision)->parts,
        .digest = g->digest,
        .order = g->order,
        .nnz = g->a->nnz,
        .columns = *columns,
        .place = g->place,
        .seed = cfg->seed,
        .verify_rows = cfg->verify_rows,
        .verify_cols = cfg->verify_cols,
    };
    rc_status_t st = fill_reference(ref, g, d, b, err);
    if (st < 0) {
        rc_reference_free(ref);
        return st;
    }
    ref->place = NULL;
    *out = ref;
    return RC_OK;
}

int rc_reference_is_of(const rc_reference_t *ref, const rc_group_t *g)
{
    return rc_digest_is_known_as(g->digest, ref->digest) && ref->nnz == g->a->nnz;
}

int rc_reference_serves(const rc_reference_t *ref, const rc_group_t *g,
    const rc_measure_config_t *cfg, const rc_columns_t *columns)
{
    return rc_reference_is_of(ref, g) && rc_digest_compare(&g->order, &ref->order) == 0 &&
           ref->op->op == g->kernel->kernel->op && ref->m.precision == g->precision &&
           ref->columns.k == columns->k && ref->columns.j0 == columns->j0 &&
           ref->columns.width == columns->width && ref->seed == cfg->seed &&
           ref->verify_rows == cfg->verify_rows && ref->verify_cols == cfg->verify_cols;
}

void rc_reference_borrow(rc_reference_t *ref, const rc_read_t *read)
{
    ref->m.a = read->a;
    ref->m.parts = read->parts;
}

void rc_reference_free(rc_reference_t *ref)
{
    if (!ref)
        return;
    rc_pool_free(&ref->pool);
    free(ref);
}
