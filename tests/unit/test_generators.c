/* What the generators promise, and what can be asked of all of them. */
#include "config.h"
#include "unit.h"

#include "sparse/csr.h"
#include "sparse/generate.h"
#include "sparse/generate/permute.h"
#include "sparse/generate/points.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rc_csr_t make(const char *spec)
{
    rc_csr_t a = {0};
    rc_err_t err = {0};
    if (rc_generate(spec, &a, NULL, &err) < 0 || rc_csr_check(&a, &err) < 0)
        fail_msg("%s: %s", spec, err.text);
    return a;
}

static int has(const rc_csr_t *a, int64_t i, int64_t j)
{
    int64_t low = a->row_ptr[i];
    int64_t high = a->row_ptr[i + 1];
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (a->col_idx[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < a->row_ptr[i + 1] && a->col_idx[low] == j;
}

static int64_t length(const rc_csr_t *a, int64_t i)
{
    return a->row_ptr[i + 1] - a->row_ptr[i];
}

typedef struct counts {
    int64_t diagonal;
    int64_t matched; /* entries off the diagonal whose mirror image is there */
    int64_t upper;
    int64_t longest;
    int64_t shortest;
} counts_t;

static counts_t count(const rc_csr_t *a)
{
    counts_t c = {.shortest = INT64_MAX};
    for (int64_t i = 0; i < a->rows; i++) {
        c.longest = length(a, i) > c.longest ? length(a, i) : c.longest;
        c.shortest = length(a, i) < c.shortest ? length(a, i) : c.shortest;
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++) {
            int64_t j = a->col_idx[k];
            c.diagonal += i == j;
            c.upper += j > i;
            c.matched += i != j && j < a->rows && has(a, j, i);
        }
    }
    return c;
}

/* A small matrix of every generator, by the names of its keys. */
static void small_spec(const rc_generator_t *g, char *text, size_t size)
{
    const char *keys = strcmp(g->name, "rmat") == 0         ? "scale=8"
                       : strcmp(g->name, "mesh2d") == 0     ? "n=15,dof=2"
                       : strcmp(g->name, "mesh3d") == 0     ? "n=6,dof=2"
                       : strcmp(g->param[0].name, "n") == 0 ? "n=400"
                                                            : "rows=300,cols=700";
    snprintf(text, size, "%s:%s", g->name, keys);
}

static void same(const rc_csr_t *a, const rc_csr_t *b, const char *what)
{
    rc_digest_t d;
    rc_digest_t e;
    assert_int_equal(rc_csr_digest(a, &d, NULL), RC_OK);
    assert_int_equal(rc_csr_digest(b, &e, NULL), RC_OK);
    if (rc_digest_compare(&d, &e) != 0)
        fail_msg("%s: depends on the threads", what);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int i = 0; rc_generators[i]; i++) {
        char small[64];
        char spec[160];
        rc_csr_t a;
        rc_csr_t b;
        small_spec(rc_generators[i], small, sizeof small);
        snprintf(spec, sizeof spec, "%s,shuffle=both,entries=2500", small);
        int before = omp_get_max_threads();
        assert_int_equal(rc_generate_within(spec, 1, &a, NULL, NULL), RC_OK);
        assert_int_equal(rc_generate_within(spec, 3, &b, NULL, NULL), RC_OK);
        assert_int_equal(omp_get_max_threads(), before);
        assert_int_equal(a.nnz, 2500);
        same(&a, &b, spec);
        rc_csr_free(&a);
        rc_csr_free(&b);
    }
    rc_csr_t a;
    rc_csr_t b;
    const char *blocks = "geometric:n=5000,symmetry=0.7,diagonal=full"; /* more rows than a block */
    assert_int_equal(rc_generate_within(blocks, 1, &a, NULL, NULL), RC_OK);
    assert_int_equal(rc_generate_within(blocks, 3, &b, NULL, NULL), RC_OK);
    same(&a, &b, blocks);
    rc_csr_free(&a);
    rc_csr_free(&b);
}

/* ------------------------------------------------------------------- shuffle */

typedef struct mark {
    double value;
    int64_t row;
    int64_t col;
} mark_t;

static int by_value(const void *x, const void *y)
{
    const mark_t *a = x;
    const mark_t *b = y;
    return (a->value > b->value) - (a->value < b->value);
}

static mark_t *marks(const rc_csr_t *a)
{
    mark_t *m = calloc((size_t)a->nnz + 1, sizeof *m);
    assert_non_null(m);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t k = a->row_ptr[i]; k < a->row_ptr[i + 1]; k++)
            m[k] = (mark_t){a->val[k], i, a->col_idx[k]};
    qsort(m, (size_t)a->nnz, sizeof *m, by_value);
    return m;
}

/* to[from] is the only one that may be there. */
static void learn(int64_t *to, int64_t *back, int64_t from, int64_t image, const char *spec)
{
    if ((to[from] >= 0 && to[from] != image) || (back[image] >= 0 && back[image] != from))
        fail_msg("%s: is no permutation of what is not shuffled", spec);
    to[from] = image;
    back[image] = from;
}

/* Values come with their entries, and most are there once: they tell which entry went where.  to
 * is [4][most]: rows and columns, and back. */
static int64_t trace(
    const rc_csr_t *a, const rc_csr_t *b, int64_t *to, int64_t most, const char *spec)
{
    mark_t *x = marks(a);
    mark_t *y = marks(b);
    int64_t moved = 0;
    for (int64_t k = 0; k < 4 * most; k++)
        to[k] = -1;
    for (int64_t k = 0; k < a->nnz; k++) {
        assert_true(x[k].value == y[k].value);
        if ((k > 0 && x[k - 1].value == x[k].value) ||
            (k + 1 < a->nnz && x[k + 1].value == x[k].value))
            continue;
        learn(to, to + most, x[k].row, y[k].row, spec);
        learn(to + 2 * most, to + 3 * most, x[k].col, y[k].col, spec);
        moved += (x[k].row != y[k].row) | (x[k].col != y[k].col) << 16;
    }
    free(x);
    free(y);
    return moved;
}

static void a_shuffle_is_a_permutation(void **state)
{
    (void)state;
    static const char *const how[] = {"none", "rows", "cols", "both"};
    for (int i = 0; rc_generators[i]; i++) {
        char small[64];
        small_spec(rc_generators[i], small, sizeof small);
        rc_csr_t a = make(small);
        int64_t most = a.rows > a.cols ? a.rows : a.cols;
        int64_t *to = calloc(4 * (size_t)most, sizeof *to);
        assert_non_null(to);
        for (int h = 0; h < 4; h++) {
            char spec[160];
            snprintf(spec, sizeof spec, "%s,shuffle=%s,shuffle_seed=5", small, how[h]);
            rc_csr_t b = make(spec);
            assert_true(a.rows == b.rows && a.cols == b.cols && a.nnz == b.nnz);
            int64_t moved = trace(&a, &b, to, most, spec);
            assert_true(((moved & 0xffff) > a.nnz / 2) == (h == 1 || h == 3));
            assert_true(((moved >> 16) > a.nnz / 2) == (h == 2 || h == 3));
            for (int64_t r = 0; h == 3 && a.rows == a.cols && r < a.rows; r++)
                if (to[r] >= 0 && to[2 * most + r] >= 0)
                    assert_int_equal(to[r], to[2 * most + r]);
            rc_csr_free(&b);
        }
        free(to);
        rc_csr_free(&a);
    }
}

static void permutations_are_bijections(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 5000; n = n < 130 ? n + 1 : 3 * n + 1) {
        char *seen = calloc((size_t)n, 1);
        int64_t fixed = 0;
        assert_non_null(seen);
        rc_permute_t p = rc_permute_make((uint64_t)n, n);
        for (int64_t i = 0; i < n; i++) {
            int64_t at = rc_permute_at(&p, i);
            assert_true(at >= 0 && at < n && !seen[at]);
            assert_int_equal(rc_permute_from(&p, at), i);
            seen[at] = 1;
            fixed += at == i;
        }
        assert_true(n < 30 || fixed < n / 4);
        free(seen);
    }
}

/* ------------------------------------------------------- entries and symmetry */

static void entries_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int64_t entries;
        double symmetry;  /* -1: not asked for */
        int64_t diagonal; /* -1: not asked for */
    } asked[] = {
        {"triangulation:n=900,entries=4001", 4001, -1, -1}, /* thinned */
        {"triangulation:n=900,entries=9001", 9001, -1, -1}, /* filled */
        {"geometric:n=700,entries=5000,symmetry=1,diagonal=full", 5000, 1, 700},
        {"geometric:n=700,entries=5001,symmetry=1,diagonal=full", 5001, 1, 699}, /* parity */
        {"geometric:n=700,entries=9000,symmetry=1,diagonal=none", 9000, 1, 0},
        {"geometric:n=700,entries=6000,symmetry=0.5", 6000, 0.5, 0},
        {"circuit:n=800,entries=6000,symmetry=0", 6000, 0, -1},
        {"circuit:n=800,entries=6001,symmetry=0.83,diagonal=full", 6001, 0.83, 800},
        {"uniform:n=40,mean=2,entries=1600,diagonal=full", 1600, -1, 40}, /* full */
        {"uniform:n=40,mean=2,entries=1560,symmetry=1,diagonal=none", 1560, 1, 0},
        {"lp:rows=100,cols=50,entries=14999", 14999, -1, -1},
        {"bipartite:rows=400,cols=90,entries=20000", 20000, -1, -1},
        {"honeycomb:n=500,entries=0", 0, -1, 0},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        rc_csr_t a = make(asked[i].spec);
        counts_t c = count(&a);
        int64_t off = a.nnz - c.diagonal;
        if (a.nnz != asked[i].entries)
            fail_msg("%s: %ld entries", asked[i].spec, (long)a.nnz);
        if (asked[i].diagonal >= 0 && c.diagonal != asked[i].diagonal)
            fail_msg("%s: %ld on the diagonal", asked[i].spec, (long)c.diagonal);
        double difference = (double)c.matched - asked[i].symmetry * (double)off;
        if (asked[i].symmetry >= 0 && (difference > 2 || difference < -2))
            fail_msg(
                "%s: %ld of %ld entries are matched", asked[i].spec, (long)c.matched, (long)off);
        rc_csr_free(&a);
    }
    /* the pairs that there are stay where nothing is said of entries */
    rc_csr_t a = make("sbm:n=500,symmetry=0.4");
    counts_t c = count(&a);
    assert_true(
        (double)c.matched < 0.402 * (double)a.nnz && (double)c.matched > 0.398 * (double)a.nnz);
    rc_csr_free(&a);
}

/* What is added lies beside what is there, and the rest stays. */
static void filling_keeps_the_matrix(void **state)
{
    (void)state;
    rc_csr_t a = make("triangulation:n=2500");
    rc_csr_t b = make("triangulation:n=2500,entries=18000");
    int64_t near = 0;
    for (int64_t i = 0; i < a.rows; i++) {
        assert_true(length(&b, i) >= length(&a, i) && length(&b, i) <= length(&a, i) + 2);
        for (int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; k++)
            assert_true(has(&b, i, a.col_idx[k]));
        for (int64_t k = b.row_ptr[i]; k < b.row_ptr[i + 1]; k++) {
            int64_t j = b.col_idx[k];
            near += !has(&a, i, j) && ((j > 0 && has(&a, i, j - 1)) || has(&a, i, j + 1) ||
                                          (j > 1 && has(&a, i, j - 2)) || has(&a, i, j + 2));
        }
    }
    assert_true(near >= (b.nnz - a.nnz) * 9 / 10);
    rc_csr_free(&a);
    rc_csr_free(&b);
}

static void what_cannot_be_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        rc_status_t status;
        const char *words;
    } bad[] = {
        {"uniform:n=40,entries=1601", RC_EINVAL, "room"},
        {"uniform:n=40,cols=20,entries=801", RC_EINVAL, "room"},
        {"geometric:n=40,entries=800,symmetry=0", RC_EINVAL, "room"},
        {"mesh2d:n=10,entries=99", RC_EINVAL, "100 of the diagonal"},
        {"lp:symmetry=1", RC_EINVAL, "square"},
        {"lp:diagonal=full", RC_EINVAL, "square"},
        {"lp:symmetry=1.5", RC_EINVAL, "from 0 to 1"},
        {"lp:symmetry=nan", RC_EINVAL, "symmetry"},
        {"lp:shuffle=colums", RC_EINVAL, "cols"},
        {"lp:shuffle=", RC_EINVAL, "shuffle"},
        {"lp:entries=-1", RC_EINVAL, "entries"},
        {"lp:shufle=rows", RC_EINVAL, "shuffle"},
        {"geometric:n=2147483647,mean=100000", RC_ENOMEM, "available"},
        {"knn:n=2147483647,k=256", RC_ENOMEM, "available"},
        {"triangulation:n=2147483648", RC_EINVAL, "2147483647"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rc_csr_t a = {0};
        rc_err_t err = {0};
        rc_status_t st = rc_generate(bad[i].spec, &a, NULL, &err);
        if (st != bad[i].status || !strstr(err.text, bad[i].words) || a.row_ptr)
            fail_msg("'%s': status %d, '%s'", bad[i].spec, (int)st, err.text);
    }
}

/* ---------------------------------------------------------------- structures */

static void symmetric_where_promised(void **state)
{
    (void)state;
    static const char *const specs[] = {"geometric:n=3000", "geometric:n=3000,dim=3,mean=20,dof=3",
        "geometric:n=2000,lattice=1,jitter=0.3", "triangulation:n=2003,width=37",
        "honeycomb:n=2003", "honeycomb:n=77,width=1", "road:n=3001", "road:n=2000,chain=1",
        "road:n=50,chain=30", "sbm:n=2000", "lfr:n=2000", "kkt:n=2000", "knn:n=2000,symmetric=1",
        "road:n=3001,shuffle=both"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a = make(specs[i]);
        counts_t c = count(&a);
        if (c.matched != a.nnz - c.diagonal || a.nnz == 0)
            fail_msg("%s: is not symmetric", specs[i]);
        assert_true(strncmp(specs[i], "kkt", 3) == 0 || c.diagonal == 0);
        rc_csr_free(&a);
    }
}

/* Longest and shortest row and entries a row, as the construction says. */
static void degrees_are_as_promised(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int64_t shortest[2];
        int64_t longest[2];
        double mean[2];
    } known[] = {
        {"triangulation:n=10000", {2, 3}, {8, 8}, {5.9, 6}},
        {"honeycomb:n=10000", {1, 2}, {3, 3}, {2.9, 3}},
        {"road:n=20000,chain=10", {1, 1}, {4, 4}, {2.1, 2.16}},
        {"road:n=20000,chain=3,keep=1", {1, 2}, {4, 4}, {2.6, 2.7}},
        {"knn:n=3000,k=7", {7, 7}, {7, 7}, {7, 7}},
        {"knn:n=3000,k=20,dim=3", {20, 20}, {20, 20}, {20, 20}},
        {"knn:n=5,k=20", {4, 4}, {4, 4}, {4, 4}},
        {"geometric:n=20000,mean=12", {0, 3}, {22, 40}, {11.2, 12}},
        {"geometric:n=20000,mean=12,lattice=1,jitter=0.5", {1, 5}, {13, 20}, {11.2, 12.5}},
        {"geometric:n=30000,dim=3,mean=15", {0, 4}, {24, 45}, {12, 15}},
        {"sbm:n=10000,mean=16", {6, 9}, {22, 45}, {14.5, 16}},
        {"lfr:n=10000,mean=16", {0, 3}, {60, 1000}, {12, 16}},
        {"lfr:n=10000,mean=16,skew=1", {0, 4}, {25, 60}, {14, 16}},
        {"bipartite:rows=10000,cols=3000,mean=20", {5, 10}, {600, 2500}, {17, 20}},
        {"citation:n=10000,mean=8", {0, 0}, {14, 17}, {7, 8}},
        {"rowclusters:rows=4000,own=20,share=0.5,noise=3", {2, 8}, {17, 24}, {12, 13.1}},
        {"kkt:n=8000,share=0.25,neighbours=6,touch=4", {1, 4}, {12, 40}, {6.7, 7.5}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        rc_csr_t a = make(known[i].spec);
        counts_t c = count(&a);
        double mean = (double)a.nnz / (double)a.rows;
        if (c.shortest < known[i].shortest[0] || c.shortest > known[i].shortest[1] ||
            c.longest < known[i].longest[0] || c.longest > known[i].longest[1] ||
            mean < known[i].mean[0] || mean > known[i].mean[1])
            fail_msg("%s: rows of %ld to %ld entries, %.3f on average", known[i].spec,
                (long)c.shortest, (long)c.longest, mean);
        rc_csr_free(&a);
    }
}

static void communities_citations_and_constraints(void **state)
{
    (void)state;
    rc_csr_t a = make("sbm:n=6000,communities=30,mean=20,outside=0.25");
    int64_t within = 0;
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; k++)
            within += a.col_idx[k] / 200 == i / 200;
    double share = (double)within / (double)a.nnz; /* a thirtieth of what is anywhere is inside */
    assert_true(share > 0.73 && share < 0.78);
    rc_csr_free(&a);

    a = make("citation:n=3000");
    rc_csr_t t = {0};
    assert_int_equal(count(&a).upper + count(&a).diagonal, 0); /* only earlier ones */
    assert_int_equal(rc_csr_transpose(&a, &t, NULL), RC_OK);
    assert_true(count(&t).longest > 5 * (a.nnz / a.rows)); /* some are cited far more */
    rc_csr_free(&t);
    rc_csr_free(&a);

    a = make("kkt:n=3000,share=0.4");
    for (int64_t i = 0; i < 3000; i++)
        for (int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; k++)
            assert_true(i < 1800 || a.col_idx[k] < 1800);
    assert_int_equal(count(&a).diagonal, 1800);
    rc_csr_free(&a);
    a = make("kkt:n=3000,share=0.4,linking=2,filled=0.5");
    for (int64_t i = 1800; i < 3000; i++)
        assert_true(i < 2998 ? length(&a, i) < 20 : length(&a, i) > 800 && length(&a, i) < 1000);
    rc_csr_free(&a);

    a = make("rowclusters:rows=1000,clusters=10,own=30,share=1,noise=0");
    for (int64_t i = 1; i < 1000; i++) {
        int equal = length(&a, i) == length(&a, i - 1) &&
                    memcmp(a.col_idx + a.row_ptr[i], a.col_idx + a.row_ptr[i - 1],
                        (size_t)length(&a, i) * sizeof *a.col_idx) == 0;
        assert_true(equal == (i % 100 != 0));
    }
    rc_csr_free(&a);
}

/* Of every two points; of a point and itself 1: there was none beyond. */
static int64_t squared[400][400];

static void note(void *of, int64_t point, int64_t distance)
{
    ((int64_t *)of)[point] = distance;
}

static void note_row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    (void)out;
    squared[i][i] = rc_points_near(r->of, i, 20, INT64_MAX, note, squared[i]);
}

/* Against all distances: nobody is missed, nobody is too far. */
static void near_points_are_near(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 3; dim++) {
        char spec[64];
        rc_points_t p = {.n = 400, .dim = dim, .jitter = 1};
        const rc_rows_t rows = {.rows = 400, .cols = 400, .seed = 1, .row = note_row, .of = &p};
        rc_csr_t none;
        snprintf(spec, sizeof spec, "geometric:n=400,mean=9,dim=%d", dim);
        rc_csr_t radius = make(spec);
        snprintf(spec, sizeof spec, "knn:n=400,k=6,dim=%d", dim);
        rc_csr_t nearest = make(spec);
        assert_int_equal(rc_points_rows(&p, 0, &rows, &none, NULL), RC_OK);
        rc_csr_free(&none);
        int64_t r = rc_points_radius(9, dim);
        for (int64_t i = 0; i < 400; i++) {
            int64_t closer = 0;
            int64_t farthest = 0;
            assert_int_equal(squared[i][i], 1);
            for (int64_t k = nearest.row_ptr[i]; k < nearest.row_ptr[i + 1]; k++)
                if (squared[i][nearest.col_idx[k]] > farthest)
                    farthest = squared[i][nearest.col_idx[k]];
            for (int64_t j = 0; j < 400; j++) {
                closer += j != i && squared[i][j] < farthest;
                assert_int_equal(has(&radius, i, j), j != i && squared[i][j] <= r * r);
            }
            assert_true(closer < 6);
        }
        rc_csr_free(&radius);
        rc_csr_free(&nearest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_shuffle_is_a_permutation),
        cmocka_unit_test(permutations_are_bijections),
        cmocka_unit_test(entries_are_exact),
        cmocka_unit_test(filling_keeps_the_matrix),
        cmocka_unit_test(what_cannot_be_is_said),
        cmocka_unit_test(symmetric_where_promised),
        cmocka_unit_test(degrees_are_as_promised),
        cmocka_unit_test(communities_citations_and_constraints),
        cmocka_unit_test(near_points_are_near),
    };
    return cmocka_run_group_tests_name("generators", tests, NULL, NULL);
}
