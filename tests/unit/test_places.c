/* format/places.h on an executor that counts its memory, as one of the host and as one of a GPU. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "base/type.h"
#include "format/places.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "kernels/specs.h"
#include "placed.h"
#include "random_problem.h"

#include <stdlib.h>
#include <string.h>

enum { NNZ = 5, COUNT = 7 };

static double val[NNZ] = {1, 2, 3, 4, 5};
static const int32_t place[COUNT] = {5, 0, 1, 2, 0, 4, 3};

/* ---------------------------------------------------------------- executor */

typedef struct counted {
    rc_executor_t x; /* of the calls below */
    rc_executor_t host;
    int live;    /* allocations */
    int allocs;  /* so far */
    int uploads; /* so far */
    int fail_alloc; /* number of one that fails, from 1 on; 0: none */
    int fail_upload;
} counted_t;

static counted_t *counted(rc_executor_t *x)
{
    return x->impl;
}

static rc_status_t take(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    counted_t *c = counted(x);
    if (++c->allocs == c->fail_alloc)
        return rc_fail(err, RC_ENOMEM, "no memory on the device for %zu bytes", bytes);
    c->live++;
    return c->host.alloc(&c->host, bytes, out, err);
}

static void give(rc_executor_t *x, void *p)
{
    counted(x)->live -= p != NULL;
    counted(x)->host.release(x, p);
}

static rc_status_t send(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    counted_t *c = counted(x);
    if (++c->uploads == c->fail_upload)
        return rc_fail(err, RC_EDEVICE, "copy to the device");
    return c->host.upload(x, to, from, bytes, err);
}

static void counted_new(counted_t *c, rc_device_kind_t kind)
{
    *c = (counted_t){0};
    rc_executor_cpu(2, &c->host);
    c->x = c->host;
    c->x.kind = kind;
    c->x.impl = c;
    c->x.alloc = take;
    c->x.release = give;
    c->x.upload = send;
}

/* ------------------------------------------------------------------ cases */

typedef enum source { OWN, BORROWED, ROOM, SOURCES } source_t;

/* What is left to rc_places_fill. */
static rc_status_t make(
    source_t source, counted_t *c, const rc_problem_t *p, rc_places_t *out, rc_err_t *err)
{
    *out = rc_places_own(&c->x, p);
    if (source == OWN)
        return RC_OK;
    rc_status_t st =
        rc_places_keep(&c->x, p, source == BORROWED ? place : NULL, COUNT, out, err);
    if (st == RC_OK && source == ROOM)
        st = rc_places_put(out, 2, place + 2, COUNT - 2, err);
    return st == RC_OK && source == ROOM ? rc_places_put(out, 0, place, 2, err) : st;
}

static void check(source_t source, const rc_places_t *left, const float *got)
{
    int64_t n = source == OWN ? NNZ : COUNT;
    assert_int_equal(left->count, n);
    assert_non_null(left->at);
    for (int64_t i = 0; i < n; i++) {
        int64_t want = source == OWN ? i + 1 : place[i];
        assert_int_equal(rc_place_at(left->at, left->bytes, i), want);
        assert_true(got[i] == (want ? (float)val[want - 1] : 0));
    }
}

/* Where a problem has its values. */
typedef enum where { MATRIX, BOTH, DEVICE, HOST, WHERES } where_t;

/* Each source, with the values on the host and on the device, and every failure of the executor. */
static void values_and_places_are_left(void **state)
{
    (void)state;
    static const float val32[NNZ] = {1, 2, 3, 4, 5};
    for (int i = 0; i < SOURCES * 2 * WHERES; i++) {
        source_t source = (source_t)(i % SOURCES);
        where_t where = (where_t)(i / SOURCES / 2);
        const rc_csr_t a = {
            .rows = 1, .cols = NNZ, .nnz = NNZ, .val = where <= BOTH ? val : NULL};
        int done = 0;
        for (int failure = 0; done < 2; failure++) { /* both are beyond what is asked for */
            counted_t c;
            float got[COUNT] = {0};
            rc_err_t err = {0};
            rc_places_t left = {0};
            rc_places_t places;
            counted_new(&c, i / SOURCES % 2 ? RC_DEVICE_CUDA : RC_DEVICE_CPU);
            const rc_resident_t resident = {.x = &c.x, .val = val, .type = RC_FP64};
            const rc_problem_t p = {.a = &a,
                .precision = RC_FP32,
                .resident = where == BOTH || where == DEVICE ? &resident : NULL,
                .val = where == HOST ? val32 : NULL,
                .val_type = RC_FP32,
                .places = &left};
            *(failure % 2 ? &c.fail_upload : &c.fail_alloc) = failure / 2;
            rc_status_t st = make(source, &c, &p, &places, &err);
            if (st == RC_OK)
                st = rc_places_fill(&p, &places, got, &err);
            else
                rc_places_free(&places);
            assert_null(places.at);
            if (st == RC_OK)
                check(source, &left, got);
            done = st == RC_OK && failure > 1 ? done + 1 : 0;
            rc_places_free(&left);
            assert_int_equal(c.live, 0);
        }
    }
}

/* As the matrix transposes, where it has its values. */
static void values_are_transposed(void **state)
{
    (void)state;
    static int64_t ptr[] = {0, 2, NNZ};
    static int32_t col[NNZ] = {0, 2, 0, 1, 2};
    static const float val32[NNZ] = {1, 2, 3, 4, 5};
    const double want[NNZ] = {1, 3, 4, 2, 5};
    rc_csr_t a = {.rows = 2, .cols = 3, .nnz = NNZ, .row_ptr = ptr, .col_idx = col, .val = val};
    for (int typed = 0; typed < 2; typed++) {
        rc_csr_t out = {0};
        a.val = typed ? NULL : val;
        const rc_problem_t p = {
            .a = &a, .val = typed ? val32 : NULL, .val_type = RC_FP32, .precision = RC_FP32};
        void *own = NULL;
        assert_int_equal(rc_places_transpose(&p, &out, &own, NULL), RC_OK);
        assert_int_equal(out.rows, 3);
        assert_true(typed ? own && !out.val : !own);
        for (int i = 0; i < NNZ; i++)
            assert_true((typed ? (double)((float *)own)[i] : out.val[i]) == want[i]);
        free(own);
        rc_csr_free(&out);
    }
}

/* Where nobody asks for places, a matrix of the host has only its values in memory of a GPU. */
static void the_host_takes_no_memory_of_a_gpu(void **state)
{
    (void)state;
    const rc_csr_t a = {.rows = 1, .cols = NNZ, .nnz = NNZ, .val = val};
    const rc_problem_t p = {.a = &a, .precision = RC_FP64};
    for (source_t source = OWN; source < SOURCES; source++) {
        counted_t c;
        double got[COUNT];
        rc_places_t places;
        counted_new(&c, RC_DEVICE_CUDA);
        assert_int_equal(make(source, &c, &p, &places, NULL), RC_OK);
        assert_int_equal(rc_places_fill(&p, &places, got, NULL), RC_OK);
        assert_int_equal(c.allocs, 0);
        assert_true(got[0] == val[source == OWN ? 0 : 4]);
    }
}

/* Where 32 bits do not number the entries. */
static void places_of_8_bytes(void **state)
{
    (void)state;
    static const int64_t wide[] = {3, 0, 5};
    const rc_csr_t a = {.rows = 1, .cols = NNZ, .nnz = INT32_MAX, .val = val};
    for (int kind = RC_DEVICE_CPU; kind <= RC_DEVICE_CUDA; kind++) {
        counted_t c;
        float got[3];
        rc_places_t left = {0};
        const rc_problem_t p = {.a = &a, .precision = RC_FP32, .places = &left};
        rc_places_t places;
        counted_new(&c, (rc_device_kind_t)kind);
        assert_int_equal(rc_places_keep(&c.x, &p, wide, 3, &places, NULL), RC_OK);
        assert_int_equal(rc_places_fill(&p, &places, got, NULL), RC_OK);
        assert_int_equal(left.bytes, 8);
        for (int i = 0; i < 3; i++)
            assert_true(got[i] == (float)wide[i] && rc_place_at(left.at, 8, i) == wide[i]);
        rc_places_free(&left);
        assert_int_equal(c.live, 0);
    }
}

/* A kernel that fills twice leaves the later places, and no entries no places. */
static void the_last_places_are_left(void **state)
{
    (void)state;
    const rc_csr_t a = {.rows = 1, .cols = NNZ, .nnz = NNZ, .val = val};
    counted_t c;
    float got[COUNT];
    rc_places_t left = {0};
    const rc_problem_t p = {.a = &a, .precision = RC_FP32, .places = &left};
    counted_new(&c, RC_DEVICE_CUDA);
    for (source_t source = OWN; source < SOURCES; source++) {
        rc_places_t places;
        assert_int_equal(make(source, &c, &p, &places, NULL), RC_OK);
        assert_int_equal(rc_places_fill(&p, &places, got, NULL), RC_OK);
        check(source, &left, got);
        assert_int_equal(c.live, 1);
        assert_int_equal(rc_places_keep(&c.x, &p, NULL, 0, &places, NULL), RC_OK);
        assert_int_equal(rc_places_put(&places, 0, NULL, 0, NULL), RC_OK);
        assert_int_equal(rc_places_fill(&p, &places, NULL, NULL), RC_OK);
        check(source, &left, got);
    }
    rc_places_free(&left);
    assert_int_equal(c.live, 0);
}

/* The array of values of a kernel of the host has each value of A once, where the places say. */
static void check_kernel(const char *text, rc_executor_t *x, random_problem_t *e)
{
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_places_t left = {0};
    void *prepared = NULL;
    void *array = NULL;
    int64_t seen = 0;
    assert_int_equal(rc_kernel_spec_parse(text, RC_DEVICE_CPU, &spec, NULL), RC_OK);
    rc_problem_t p = e->problem;
    memcpy(p.param, spec.param, sizeof p.param);
    p.places = &left;
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
    assert_int_equal(rc_kernel_prepare(spec.kernel, x, &p, &analysis, &prepared, NULL), RC_OK);
    int64_t count = rc_kernel_values(prepared, &array);
    assert_int_equal(left.count, count);
    for (int64_t i = 0; i < count; i++) {
        double want = placed(&e->a, left.at, i);
        assert_true(rc_type(p.precision)->load(array, i) == rc_type(p.precision)->round(want));
        seen += want != 0; /* no value of A is 0 */
    }
    assert_int_equal(seen, e->a.nnz);
    rc_places_free(&left);
    rc_kernel_release(spec.kernel, prepared);
}

static void kernels_leave_their_places(void **state)
{
    (void)state;
    static const char *const kernels[] = {"rowsplit", "cstat", "ell", "csr", "csr2", "csr3", "merge", "plain-spmv",
        "plain-spmv-static", "plain-spmm_t"};
    rc_rng_t rng;
    rc_executor_t x;
    rc_rng_seed(&rng, 8);
    rc_executor_cpu(2, &x);
    for (int round = 0; round < 100; round++) {
        random_problem_t e;
        random_problem(&rng, (int64_t)rc_rng_below(&rng, 40), (int64_t)rc_rng_below(&rng, 40), &e);
        for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
            check_kernel(kernels[i], &x, &e);
        random_problem_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_places_are_left),
        cmocka_unit_test(values_are_transposed),
        cmocka_unit_test(the_host_takes_no_memory_of_a_gpu),
        cmocka_unit_test(places_of_8_bytes),
        cmocka_unit_test(the_last_places_are_left),
        cmocka_unit_test(kernels_leave_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
