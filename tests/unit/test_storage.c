/* The feature set `storage` against its definitions, written plainly: sets of columns are flags of a whole
 * matrix, and every number is looked for by itself. */
#include "config.h"
#include "unit.h"

#include "feature/feature.h"
#include "order_matrix.h"
#include "rowcast.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 21, CHUNKS = 9, BLOCKS = 14, LINES = 19, DISTANCE = 20 };

static int64_t length_of(const rc_csr_t *a, int64_t r)
{
    return a->row_ptr[r + 1] - a->row_ptr[r];
}

/* Distinct columns, divided by `width`, of rows first .. end - 1. */
static double distinct(const rc_csr_t *a, int64_t first, int64_t end, int64_t width)
{
    char *held = calloc((size_t)a->cols + 1, 1);
    double n = 0;
    assert_non_null(held);
    for (int64_t e = a->row_ptr[first]; e < a->row_ptr[end]; e++)
        held[a->col_idx[e] / width] = 1;
    for (int64_t c = 0; c < a->cols; c++)
        n += held[c];
    free(held);
    return n;
}

static double over_blocks(const rc_csr_t *a, int64_t rows, int64_t width)
{
    double n = 0;
    for (int64_t r = 0; r < a->rows; r += rows)
        n += distinct(a, r, r + rows < a->rows ? r + rows : a->rows, width);
    return n;
}

static double places(const rc_csr_t *a, int64_t entries)
{
    double n = 0;
    for (int64_t r = 0; r < a->rows; r++)
        n += (double)entries * fmax(1, ceil((double)length_of(a, r) / (double)entries));
    return n;
}

static void rows_of(const rc_csr_t *a, double out[COUNT])
{
    double mean = (double)a->nnz / (double)a->rows;
    double squares = 0;
    double warp = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        double n = (double)length_of(a, r);
        out[4] = fmax(out[4], n);
        squares += (n - mean) * (n - mean);
        out[6] += (n == 0) / (double)a->rows;
        out[7] += a->nnz > 0 && n > 256 ? n / (double)a->nnz : 0;
        warp = r % 32 == 0 ? n : fmax(warp, n);
        if (r % 32 == 31 || r + 1 == a->rows)
            out[8] += a->nnz > 0 ? 32 * warp / (double)a->nnz : 0;
    }
    out[3] = mean;
    out[5] = sqrt(squares / (double)a->rows);
}

static void reference(const rc_csr_t *a, double out[COUNT])
{
    double nnz = (double)a->nnz;
    memset(out, 0, COUNT * sizeof *out);
    out[0] = (double)a->rows;
    out[1] = (double)a->cols;
    out[2] = nnz;
    if (a->rows > 0)
        rows_of(a, out);
    if (a->nnz == 0)
        out[8] = 1;
    for (int i = 0; i < 5; i++) {
        out[CHUNKS + i] = a->nnz > 0 ? places(a, (int64_t)4 << i) / nnz : 1;
        out[BLOCKS + i] = a->nnz > 0 ? nnz / over_blocks(a, (int64_t)2 << 2 * i, 1) : 1;
    }
    out[LINES] = a->nnz > 0 ? nnz / over_blocks(a, 1, 8) : 1;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            double diagonal = floor((double)r * (double)a->cols / (double)a->rows);
            out[DISTANCE] += fabs(a->col_idx[e] - diagonal) / nnz / (double)a->cols;
        }
}

static void check(const rc_csr_t *a, const char *name)
{
    static const int threads[] = {1, 2, 7};
    const rc_feature_set_t *set = rc_feature_set_find("storage");
    double want[COUNT];
    double first[COUNT];
    const rc_geometry_t g = {.nw = 32, .nt = 32, .line = 32};
    assert_non_null(set);
    assert_int_equal(set->count, COUNT);
    reference(a, want);
    for (int t = 0; t < 3; t++) {
        double found[COUNT];
        rc_err_t err = {0};
        assert_int_equal(set->compute(a, &g, threads[t], found, &err), RC_OK);
        for (int i = 0; i < COUNT; i++)
            if (!(fabs(found[i] - want[i]) <= 1e-9 * fmax(1, fabs(want[i]))))
                fail_msg("%s, %s: expected %.12g, found %.12g", name, set->feature[i].name, want[i], found[i]);
        if (t == 0)
            memcpy(first, found, sizeof first);
        assert_memory_equal(first, found, sizeof first);
    }
}

static void random_matrices(void **state)
{
    rc_rng_t rng;
    (void)state;
    rc_rng_seed(&rng, 71);
    for (int i = 0; i < 150; i++) {
        rc_csr_t a;
        random_matrix(&rng, 700, &a);
        check(&a, "random");
        rc_csr_free(&a);
    }
}

static void generated_matrices(void **state)
{
    static const char *const specs[] = {
        "mesh2d:n=40", "arrow:n=3000", "manyempty:n=2000", "rmat:scale=15,edges=10", "block:n=800"};
    (void)state;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        assert_int_equal(rc_generate(specs[i], &a, NULL, &err), RC_OK);
        check(&a, specs[i]);
        rc_csr_free(&a);
    }
}

/* Three rows: columns 0 and 9, none, and 8 and 9, of 10. */
static void by_hand(void **state)
{
    int64_t row_ptr[] = {0, 2, 2, 4};
    int32_t col_idx[] = {0, 9, 8, 9};
    const rc_csr_t a = {.rows = 3, .cols = 10, .nnz = 4, .row_ptr = row_ptr, .col_idx = col_idx};
    const rc_geometry_t g = {.nw = 32, .nt = 32, .line = 32};
    double found[COUNT];
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(rc_feature_set_find("storage")->compute(&a, &g, 1, found, &err), RC_OK);
    assert_true(found[4] == 2 && found[6] > 0.333 && found[6] < 0.334 && found[8] == 16);
    assert_true(found[CHUNKS] == 3);              /* three chunks of 4 */
    assert_true(found[BLOCKS] == 1);              /* 2 and 2 columns */
    assert_true(fabs(found[BLOCKS + 1] - 4.0 / 3) < 1e-12); /* 0, 8, 9 */
    assert_true(fabs(found[LINES] - 4.0 / 3) < 1e-12); /* 2 lines and 1 */
}

/* What follows for a product, from rows instead of features: sizes by counting, teams of lanes by trying. */
static double of_product(const rc_csr_t *a, const char *name, double k, double bytes)
{
    double filled = 0;
    double most = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        filled += length_of(a, r) > 0;
        most = fmax(most, (double)length_of(a, r));
    }
    double mean = filled > 0 ? (double)a->nnz / filled : 0;
    int64_t alone = mean < 5 ? 4 : mean < 14 ? 8 : mean <= 128 ? 16 : mean <= 256 ? 32 : 64;
    double values = 16 / bytes;
    for (; fmod(k, values) > 0; values /= 2)
        ;
    double team = 1;
    for (; team < 32 && team * values < k; team *= 2)
        ;
    const struct {
        const char *name;
        double value;
    } want[] = {{"chunks_8", a->nnz > 0 ? places(a, 8) / 8 : 0},
        {"threads_4", a->nnz > 0 ? places(a, 4) / 4 * k * bytes / 16 : 0},
        {"auto_entries", (double)alone},
        {"auto_chunks", a->nnz > 0 ? places(a, alone) / (double)alone : 0},
        {"auto_blocks", most / (16 * (double)alone)}, {"filled_mu", mean},
        {"work_bytes", (double)a->nnz * k * bytes}, {"c_bytes", (double)a->rows * k * bytes},
        {"load_values", values}, {"loads", k / values},
        {"idle_lanes", ceil(k / values / team) * team * values / k},
        {"idle_256", ceil(k * bytes / 256) * 256 / (k * bytes)}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (strcmp(want[i].name, name) == 0)
            return want[i].value;
    return NAN; /* not looked at here */
}

static void check_product(const rc_csr_t *a, double k, double bytes, int *seen)
{
    const rc_feature_set_t *set = rc_feature_set_find("storage");
    const rc_geometry_t g = {.nw = 32, .nt = 32, .line = 32};
    double feature[COUNT];
    double found[64];
    rc_err_t err = {0};
    assert_int_equal(set->compute(a, &g, 1, feature, &err), RC_OK);
    assert_in_range(set->product->count, 1, 64);
    set->product->compute(feature, k, bytes, found);
    for (int i = 0; i < set->product->count; i++) {
        double want = of_product(a, set->product->input[i].name, k, bytes);
        assert_true(isfinite(found[i]));
        *seen += !isnan(want);
        if (fabs(found[i] - want) > 1e-9 * fmax(1, fabs(want)))
            fail_msg("%s, K = %g: expected %.12g, found %.12g", set->product->input[i].name, k, want, found[i]);
    }
}

static void products(void **state)
{
    static const double ks[] = {1, 3, 8, 32, 126, 128, 130, 512, 817};
    rc_rng_t rng;
    int seen = 0;
    (void)state;
    rc_rng_seed(&rng, 73);
    for (int i = 0; i < 40; i++) {
        rc_csr_t a;
        random_matrix(&rng, 700, &a);
        for (size_t k = 0; k < sizeof ks / sizeof *ks; k++)
            check_product(&a, ks[k], 2 << i % 3, &seen);
        rc_csr_free(&a);
    }
    assert_int_equal(seen, 12 * 40 * (int)(sizeof ks / sizeof *ks));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(generated_matrices),
        cmocka_unit_test(by_hand),
        cmocka_unit_test(products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
