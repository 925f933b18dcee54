#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "dense_properties.h"
#include "real_types.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Shapes on both sides of everything that the implementations cut a matrix into. */
static const int64_t shapes[][2] = {{1, 1}, {1, 2}, {2, 1}, {33, 65}, {1, 5000}, {5000, 1},
    {3, 9001}, {4097, 5}, {257, 129}, {300, 31}, {64, 64}, {1000, 333}};
enum { SHAPES = sizeof shapes / sizeof shapes[0], PAD = 3 };
static const unsigned char untouched = 0x11;

/* A matrix and its image on the host, with padding between the lines. */
typedef struct image {
    rc_dense_t m;
    size_t bytes;
    unsigned char *host;
} image_t;

static int64_t lines_of(const rc_dense_t *m)
{
    return m->layout == RC_ROW_MAJOR ? m->rows : m->cols;
}

static int64_t length_of(const rc_dense_t *m)
{
    return m->layout == RC_ROW_MAJOR ? m->cols : m->rows;
}

/* \param[in] form  0 to 3: layout and padding */
static image_t image_of(rc_device_t *d, int shape, rc_precision_t type, int form)
{
    image_t x = {.m = {.rows = shapes[shape][0], .cols = shapes[shape][1]}};
    x.m.precision = type;
    x.m.layout = form & 1 ? RC_ROW_MAJOR : RC_COL_MAJOR;
    x.m.ld = length_of(&x.m) + (form & 2 ? PAD : 0);
    x.bytes = (size_t)(lines_of(&x.m) * x.m.ld) * rc_precision_bytes(x.m.precision);
    x.host = malloc(x.bytes);
    assert_non_null(x.host);
    memset(x.host, untouched, x.bytes);
    assert_int_equal(d->executor.alloc(&d->executor, x.bytes, &x.m.data, NULL), RC_OK);
    assert_int_equal(d->executor.upload(&d->executor, x.m.data, x.host, x.bytes, NULL), RC_OK);
    return x;
}
enum { FORMS = 4, VARIANTS = FORMS * REAL_TYPES, ALL_VARIANTS = FORMS * RC_TYPES };

/* Of real numbers. */
static image_t image_new(rc_device_t *d, int shape, int variant)
{
    return image_of(d, shape, real_type(variant), variant / REAL_TYPES);
}

/* Of complex ones too. */
static image_t image_any(rc_device_t *d, int shape, int variant)
{
    return image_of(d, shape, (rc_precision_t)(variant % RC_TYPES), variant / RC_TYPES);
}

static void image_free(rc_device_t *d, image_t *x)
{
    d->executor.release(&d->executor, x->m.data);
    free(x->host);
}

static void image_get(rc_device_t *d, image_t *x)
{
    assert_int_equal(d->executor.download(&d->executor, x->host, x->m.data, x->bytes, NULL), RC_OK);
}

static void image_put(rc_device_t *d, image_t *x)
{
    assert_int_equal(d->executor.upload(&d->executor, x->m.data, x->host, x->bytes, NULL), RC_OK);
}

static int64_t index_of(const image_t *x, int64_t r, int64_t j)
{
    return x->m.layout == RC_ROW_MAJOR ? r * x->m.ld + j : j * x->m.ld + r;
}

static unsigned char *at(const image_t *x, int64_t r, int64_t j)
{
    return x->host + (size_t)index_of(x, r, j) * rc_precision_bytes(x->m.precision);
}

static double value(const image_t *x, int64_t r, int64_t j)
{
    return rc_type(x->m.precision)->load(x->host, index_of(x, r, j));
}

/* Parts of complex numbers have the numbers that follow each other. */
static void check_random_value(const image_t *x, int64_t r, int64_t j, uint64_t seed, uint64_t number, int variant)
{
    const rc_type_t *type = rc_type(x->m.precision);
    for (int q = 0; q < type->parts; q++) {
        const uint64_t of = number * (uint64_t)type->parts + (uint64_t)q;
        const double want = rc_precision_round(x->m.precision, rc_rng_signed(seed, of));
        const double found = rc_type(type->part)->load(x->host, index_of(x, r, j) * type->parts + q);
        if (found != want)
            fail_msg("%" PRId64 " x %" PRId64 ", variant %d: part %d of (%" PRId64 ", %" PRId64 ") is %.17g, not %.17g",
                x->m.rows, x->m.cols, variant, q, r, j, found, want);
    }
}

static void set_value(image_t *x, int64_t r, int64_t j, double v)
{
    rc_type(x->m.precision)->store(x->host, index_of(x, r, j), v);
}

static int is_byte(const image_t *x, int64_t r, int64_t j, unsigned char byte)
{
    const unsigned char *p = at(x, r, j);
    for (size_t i = 0; i < rc_precision_bytes(x->m.precision); i++)
        if (p[i] != byte)
            return 0;
    return 1;
}

static void check_padding(const image_t *x)
{
    size_t size = rc_precision_bytes(x->m.precision);
    for (int64_t l = 0; l < lines_of(&x->m); l++)
        for (size_t i = (size_t)length_of(&x->m) * size; i < (size_t)x->m.ld * size; i++)
            assert_int_equal(x->host[(size_t)l * (size_t)x->m.ld * size + i], untouched);
}

void check_dense_random(rc_device_t *d)
{
    static const struct {
        uint64_t seed;
        int64_t beyond; /* of the columns: the stride */
        int64_t j0;
    } cases[] = {{1, 0, 0}, {77, 1000, 64}, {UINT64_MAX, INT64_C(1) << 40, INT64_C(1) << 33}};
    for (int s = 0; s < SHAPES; s++)
        for (int v = 0; v < ALL_VARIANTS; v++)
            for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
                image_t x = image_any(d, s, v);
                int64_t stride = x.m.cols + cases[c].beyond;
                assert_int_equal(
                    d->dense_random(d, &x.m, cases[c].seed, stride, cases[c].j0, NULL), RC_OK);
                image_get(d, &x);
                for (int64_t r = 0; r < x.m.rows; r++)
                    for (int64_t j = 0; j < x.m.cols; j++)
                        check_random_value(&x, r, j, cases[c].seed,
                            (uint64_t)r * (uint64_t)stride + (uint64_t)(cases[c].j0 + j), v);
                check_padding(&x);
                image_free(d, &x);
            }
    rc_dense_t none = {.rows = 5, .precision = RC_FP32};
    assert_int_equal(d->dense_random(d, &none, 1, 0, 0, NULL), RC_OK);
}

void check_dense_poison(rc_device_t *d)
{
    for (int s = 0; s < SHAPES; s++)
        for (int v = 0; v < ALL_VARIANTS; v++)
            for (int with_clear = 0; with_clear < 2; with_clear++) {
                image_t x = image_any(d, s, v);
                unsigned char *clear = malloc((size_t)x.m.rows);
                assert_non_null(clear);
                for (int64_t r = 0; r < x.m.rows; r++)
                    clear[r] = (unsigned char)(r % 3 == 0 ? 1 + r % 2 : 0);
                assert_int_equal(d->dense_poison(d, &x.m, with_clear ? clear : NULL, NULL), RC_OK);
                image_get(d, &x);
                for (int64_t r = 0; r < x.m.rows; r++)
                    for (int64_t j = 0; j < x.m.cols; j++)
                        if (!is_byte(&x, r, j, with_clear && clear[r] ? 0 : 0xff))
                            fail_msg(
                                "shape %d, variant %d: (%" PRId64 ", %" PRId64 ")", s, v, r, j);
                check_padding(&x);
                free(clear);
                image_free(d, &x);
            }
    rc_dense_t none = {.cols = 5, .precision = RC_FP32};
    assert_int_equal(d->dense_poison(d, &none, NULL, NULL), RC_OK);
}

double *random_signs(int64_t n)
{
    double *sign = malloc((size_t)n * sizeof *sign);
    assert_non_null(sign);
    for (int64_t j = 0; j < n; j++)
        sign[j] = rc_rng_hash(5, (uint64_t)j) & 1 ? 1 : -1;
    return sign;
}

rc_dense_t random_dense(rc_device_t *d, int64_t rows, int64_t cols, rc_precision_t precision,
    rc_layout_t layout, uint64_t seed)
{
    rc_dense_t m = {.rows = rows, .cols = cols, .precision = precision, .layout = layout};
    m.ld = layout == RC_ROW_MAJOR ? cols : rows;
    assert_int_equal(
        d->executor.alloc(&d->executor, (size_t)(rows * cols) * rc_precision_bytes(precision), &m.data, NULL), RC_OK);
    assert_int_equal(d->dense_random(d, &m, seed, cols, 0, NULL), RC_OK);
    return m;
}

/* --------------------------------------------------------------- project */

/* Values that count as something, by what they must be found as. */
static const double specials[] = {0, -0.0, INFINITY, NAN, 1e-42, -1e-42, 1e300};
enum { SPECIALS = sizeof specials / sizeof specials[0] };

/* A naive loop over the image of a row. */
static void naive(
    const image_t *x, int64_t r, const double *sign, double *sum, double *mag, int *found)
{
    *sum = *mag = 0;
    *found = 0;
    for (int64_t j = 0; j < x->m.cols; j++) {
        double v = value(x, r, j);
        *sum += sign[j] * v;
        *mag += fabs(v);
        if (is_byte(x, r, j, 0xff))
            *found |= RC_ROW_POISON;
        else if (v < 0 || v > 0)
            *found |= RC_ROW_NONZERO;
    }
}

static int same(double a, double b, double bound)
{
    return (isnan(a) && isnan(b)) || a == b || fabs(a - b) <= bound;
}

/* Every third row zero, every fifth with a special value, and one poison at `planted`. */
static void fill_image(image_t *x, int64_t planted)
{
    for (int64_t r = 0; r < x->m.rows; r++) {
        for (int64_t j = 0; j < x->m.cols; j++)
            set_value(x, r, j,
                r % 3 == 1 ? 0 : rc_rng_signed(9, (uint64_t)r * (uint64_t)x->m.cols + (uint64_t)j));
        if (r % 5 == 2)
            set_value(x, r, r % x->m.cols, specials[r / 5 % SPECIALS]);
    }
    memset(
        at(x, planted / x->m.cols, planted % x->m.cols), 0xff, rc_precision_bytes(x->m.precision));
}

static void check_image(rc_device_t *d, image_t *x, const double *sign)
{
    size_t rows = (size_t)x->m.rows;
    double *sum = malloc(rows * sizeof *sum);
    double *mag = malloc(rows * sizeof *mag);
    double *again = malloc(rows * sizeof *again);
    unsigned char *found = malloc(rows);
    assert_true(sum && mag && again && found);
    assert_int_equal(d->dense_project(d, &x->m, sign, sum, mag, found, NULL), RC_OK);
    for (int64_t r = 0; r < x->m.rows; r++) {
        double want_sum;
        double want_mag;
        int want_found;
        naive(x, r, sign, &want_sum, &want_mag, &want_found);
        double bound = 4 * DBL_EPSILON * (double)x->m.cols * want_mag;
        if (!same(sum[r], want_sum, bound) || !same(mag[r], want_mag, bound) ||
            found[r] != want_found)
            fail_msg("%" PRId64 " x %" PRId64 ", %s, %s, row %" PRId64
                     ": %.17g %.17g %d, not %.17g "
                     "%.17g %d",
                x->m.rows, x->m.cols, rc_precision_name(x->m.precision),
                rc_layout_name(x->m.layout), r, sum[r], mag[r], found[r], want_sum, want_mag,
                want_found);
    }
    /* the same bits again, and each result alone */
    assert_int_equal(d->dense_project(d, &x->m, sign, again, NULL, NULL, NULL), RC_OK);
    assert_memory_equal(again, sum, rows * sizeof *sum);
    assert_int_equal(d->dense_project(d, &x->m, sign, NULL, again, NULL, NULL), RC_OK);
    assert_memory_equal(again, mag, rows * sizeof *mag);
    memset(again, 0, rows);
    assert_int_equal(
        d->dense_project(d, &x->m, sign, NULL, NULL, (unsigned char *)again, NULL), RC_OK);
    assert_memory_equal(again, found, rows);
    free(sum);
    free(mag);
    free(again);
    free(found);
}

void check_dense_project(rc_device_t *d)
{
    for (int s = 0; s < SHAPES; s++)
        for (int v = 0; v < VARIANTS; v++) {
            image_t x = image_new(d, s, v);
            double *sign = random_signs(x.m.cols);
            int64_t total = x.m.rows * x.m.cols;
            int64_t planted[] = {
                0, total - 1, total / 2, (int64_t)(rc_rng_hash(3, (uint64_t)s) % (uint64_t)total)};
            for (size_t p = 0; p < sizeof planted / sizeof planted[0]; p++) {
                fill_image(&x, planted[p]);
                image_put(d, &x);
                check_image(d, &x, sign);
            }
            free(sign);
            image_free(d, &x);
        }
    double sum[3] = {1, 1, 1};
    double mag[3] = {1, 1, 1};
    unsigned char found[3] = {1, 1, 1};
    rc_dense_t none = {.rows = 3, .precision = RC_FP64};
    assert_int_equal(d->dense_project(d, &none, NULL, sum, mag, found, NULL), RC_OK);
    for (int i = 0; i < 3; i++)
        assert_true(sum[i] == 0 && mag[i] == 0 && found[i] == 0);
}

void check_dense_gather(rc_device_t *d)
{
    enum { n = 500 };
    int64_t row[n];
    int64_t col[n];
    double out[n];
    unsigned char poison[n];
    for (int s = 0; s < SHAPES; s++)
        for (int v = 0; v < VARIANTS; v++) {
            image_t x = image_new(d, s, v);
            fill_image(&x, x.m.rows * x.m.cols / 2);
            image_put(d, &x);
            for (int i = 0; i < n; i++) {
                row[i] = (int64_t)(rc_rng_hash(1, (uint64_t)i) % (uint64_t)x.m.rows);
                col[i] = (int64_t)(rc_rng_hash(2, (uint64_t)i) % (uint64_t)x.m.cols);
            }
            row[0] = x.m.rows * x.m.cols / 2 / x.m.cols; /* the poison */
            col[0] = x.m.rows * x.m.cols / 2 % x.m.cols;
            for (int count = 0; count <= n; count += count < 2 ? 1 : n - 2) {
                memset(out, untouched, sizeof out);
                memset(poison, untouched, sizeof poison);
                assert_int_equal(
                    d->dense_gather(d, &x.m, row, col, count, out, poison, NULL), RC_OK);
                for (int i = 0; i < count; i++) {
                    assert_true(same(out[i], value(&x, row[i], col[i]), 0));
                    assert_int_equal(poison[i], is_byte(&x, row[i], col[i], 0xff));
                }
                for (int i = count; i < n; i++)
                    assert_int_equal(poison[i], untouched);
            }
            image_free(d, &x);
        }
}
