/* Feature sets that a GPU computes against those of the host, bit by bit.  Needs a GPU: without one it skips itself, or
 * fails when ROWCAST_GPU is 1.  With --time MATRIX... it prints what both take instead. */
#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "device/device.h"
#include "feature/cuda/features.h"
#include "feature/feature.h"
#include "operands.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200 };

static const char *const matrices[] = {"mesh2d:n=150", "rmat:scale=14", "arrow:n=30000", "manyempty:n=40000",
    "block:n=8000", "uniform:n=200,mean=150", "uniform:n=2000,mean=520", "banded:n=1", "uniform:n=33,mean=2",
    "bipartite:rows=70000,cols=300", "mesh2d:n=700"};

static const rc_geometry_t any = {0};

/* The matrix in device memory, its pointers of 4 or 8 bytes. */
static rc_resident_t upload(rc_executor_t *x, const rc_csr_t *a, int bytes)
{
    rc_err_t err = {0};
    rc_resident_t m = {.x = x, .row_ptr_bytes = bytes};
    size_t count = (size_t)a->rows + 1;
    int32_t *narrow = malloc(count * sizeof *narrow);
    assert_non_null(narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = (int32_t)a->row_ptr[i];
    ok(x->alloc(x, count * (size_t)bytes, &m.owned[0], &err), &err, "row pointers");
    ok(x->upload(x, m.owned[0], bytes == 4 ? (const void *)narrow : a->row_ptr, count * (size_t)bytes, &err), &err,
        "row pointers");
    m.row_ptr = m.owned[0];
    free(narrow);
    return m;
}

static void compare(rc_executor_t *x, const rc_csr_t *a, const char *name)
{
    const rc_feature_set_t *set = rc_feature_set_find("shares");
    double here[32];
    double there[32];
    rc_err_t err = {0};
    assert_true(set->count <= 32);
    ok(set->compute(a, &any, 2, here, &err), &err, name);
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        rc_resident_t m = upload(x, a, bytes);
        memset(there, 0xff, sizeof there);
        ok(rc_cuda_features_there(x, set->name, a, &m, there, &err), &err, name);
        rc_resident_free(&m);
        for (int i = 0; i < set->count; i++)
            if (memcmp(&here[i], &there[i], sizeof here[i]) != 0)
                fail_msg("%s, pointers of %d bytes, %s: expected %.17g, found %.17g", name, bytes,
                    set->feature[i].name, here[i], there[i]);
    }
}

static void shares_are_those_of_the_host(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_err_t err = {0};
    if (!d)
        skip();
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        rc_csr_t a;
        ok(rc_generate(matrices[i], &a, NULL, &err), &err, matrices[i]);
        compare(&d->executor, &a, matrices[i]);
        rc_csr_free(&a);
    }
    int64_t none[] = {0, 0, 0};
    const rc_csr_t empty = {.rows = 2, .cols = 3, .row_ptr = none};
    const rc_csr_t nothing = {.row_ptr = none};
    compare(&d->executor, &empty, "no entries");
    compare(&d->executor, &nothing, "0 x 0");
    rc_device_close(d);
}

static void other_sets_are_left_to_the_host(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_err_t err = {0};
    int64_t none[] = {0};
    const rc_csr_t nothing = {.row_ptr = none};
    const rc_resident_t m = {.row_ptr = none, .row_ptr_bytes = 8};
    double out[64];
    if (!d)
        skip();
    assert_int_equal(rc_cuda_features_there(&d->executor, "nisa", &nothing, &m, out, &err), RC_ENOTSUP);
    rc_device_close(d);
}

static int by_size(const void *a, const void *b)
{
    const double *x = a;
    const double *y = b;
    return (*x > *y) - (*x < *y);
}

/* Medians of what features take here and there, an answer included. */
static void print_times(rc_executor_t *x, const char *name)
{
    const rc_feature_set_t *set = rc_feature_set_find("shares");
    rc_csr_t a;
    double out[32];
    double ns[2][ROUNDS];
    rc_err_t err = {0};
    ok(rc_generate(name, &a, NULL, &err), &err, name);
    rc_resident_t m = upload(x, &a, 8);
    for (int where = 0; where < 2; where++)
        for (int i = 0; i < ROUNDS; i++) {
            int64_t start = rc_clock_ns();
            ok(where ? rc_cuda_features_there(x, set->name, &a, &m, out, &err) : set->compute(&a, &any, x->threads, out, &err),
                &err, name);
            ns[where][i] = (double)(rc_clock_ns() - start);
        }
    for (int where = 0; where < 2; where++)
        qsort(ns[where], ROUNDS, sizeof **ns, by_size);
    printf("%s, %" PRId64 " rows, %" PRId64 " entries: here %.1f us, there %.1f us\n", name, a.rows, a.nnz,
        ns[0][ROUNDS / 2] / 1e3, ns[1][ROUNDS / 2] / 1e3);
    rc_resident_free(&m);
    rc_csr_free(&a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_those_of_the_host),
        cmocka_unit_test(other_sets_are_left_to_the_host),
    };
    if (argc > 1 && strcmp(argv[1], "--time") == 0) {
        rc_device_t *d = open_gpu();
        for (int i = 2; d && i < argc; i++)
            print_times(&d->executor, argv[i]);
        rc_device_close(d);
        return d ? 0 : 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
