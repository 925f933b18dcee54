/* The orders mincol, minlabel, labels, cells and auto against their definitions, written plainly and anew from
 * the tops of their files; and what they are for: a shuffled mesh and shuffled communities come
 * together again. */
#include "config.h"
#include "unit.h"

#include "order/local.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK = 64, NONE = -1 };

static uint32_t hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    return x;
}

static int64_t length_of(const rc_csr_t *a, int64_t r)
{
    int64_t n = a->row_ptr[r + 1] - a->row_ptr[r];
    return n < LOOK ? n : LOOK;
}

static int64_t *numbers(int64_t n, int64_t value)
{
    int64_t *x = malloc(((size_t)n + 1) * sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i <= n; i++)
        x[i] = value;
    return x;
}

/* order := stable sort by key, by insertion */
static void sort_by(const int64_t *key, int64_t n, int64_t *order)
{
    for (int64_t i = 1; i < n; i++) {
        int64_t x = order[i];
        int64_t j = i;
        for (; j > 0 && key[order[j - 1]] > key[x]; j--)
            order[j] = order[j - 1];
        order[j] = x;
    }
}

static int64_t *identity(int64_t n)
{
    int64_t *x = numbers(n, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = i;
    return x;
}

/* ---------------------------------------------------------- the definitions */

static void mincol_keys(const rc_csr_t *a, int64_t *key)
{
    for (int64_t r = 0; r < a->rows; r++) {
        key[r] = a->cols;
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            key[r] = a->col_idx[e] < key[r] ? a->col_idx[e] : key[r];
    }
}

static int64_t *define_mincol(const rc_csr_t *a)
{
    int64_t *key = numbers(a->rows, 0);
    int64_t *order = identity(a->rows);
    mincol_keys(a, key);
    sort_by(key, a->rows, order);
    free(key);
    return order;
}

/* Labels are row numbers, compared by hash. */
static int64_t *define_minlabel(const rc_csr_t *a, int fine, int middle, int coarse)
{
    int64_t *label = identity(a->rows);
    int64_t *order = identity(a->rows);
    for (int round = 0; round <= coarse; round++) {
        if (round == fine)
            sort_by(label, a->rows, order);
        if (round == middle)
            sort_by(label, a->rows, order);
        if (round == coarse)
            break;
        int64_t *column = numbers(a->cols, NONE);
        for (int64_t r = 0; r < a->rows; r++)
            for (int64_t e = 0; e < length_of(a, r); e++) {
                int64_t *c = &column[a->col_idx[a->row_ptr[r] + e]];
                if (*c == NONE || hash((uint32_t)label[r]) < hash((uint32_t)*c))
                    *c = label[r];
            }
        for (int64_t r = 0; r < a->rows; r++)
            for (int64_t e = 0; e < length_of(a, r); e++) {
                int64_t c = column[a->col_idx[a->row_ptr[r] + e]];
                if (hash((uint32_t)c) < hash((uint32_t)label[r]))
                    label[r] = c;
            }
        free(column);
    }
    sort_by(label, a->rows, order);
    free(label);
    return order;
}

static int64_t most_voted(const int64_t *vote, int64_t votes)
{
    int64_t best = NONE;
    int64_t most = 0;
    for (int64_t i = 0; i < votes; i++) {
        int64_t count = 0;
        for (int64_t j = 0; j < votes; j++)
            count += vote[j] == vote[i];
        if (count > most || (count == most && hash((uint32_t)vote[i]) < hash((uint32_t)best))) {
            most = count;
            best = vote[i];
        }
    }
    return best;
}

static void propagate(const rc_csr_t *a, int rounds, int64_t *label)
{
    for (int round = 0; round < rounds; round++) {
        int64_t *heard = numbers(a->cols, NONE); /* row that a column listens to */
        uint32_t step = (uint32_t)round * 0x9e3779b9u;
        for (int64_t r = 0; r < a->rows; r++)
            for (int64_t e = 0; e < length_of(a, r); e++) {
                int64_t *c = &heard[a->col_idx[a->row_ptr[r] + e]];
                if (*c == NONE || hash((uint32_t)r + step) < hash((uint32_t)*c + step))
                    *c = r;
            }
        int64_t *next = numbers(a->rows, 0);
        for (int64_t r = 0; r < a->rows; r++) {
            int64_t n = length_of(a, r);
            int64_t votes = n <= 32 ? n : 32;
            int64_t vote[32];
            for (int64_t v = 0; v < votes; v++) {
                int64_t e = n <= 32 ? v : v * n / 32;
                vote[v] = label[heard[a->col_idx[a->row_ptr[r] + e]]];
            }
            next[r] = votes ? most_voted(vote, votes) : label[r];
        }
        memcpy(label, next, (size_t)a->rows * sizeof *label);
        free(next);
        free(heard);
    }
}

static int64_t *define_labels(const rc_csr_t *a, int rounds)
{
    int64_t *label = identity(a->rows);
    int64_t *order = identity(a->rows);
    propagate(a, rounds, label);
    sort_by(label, a->rows, order);
    free(label);
    return order;
}

/* Cells and rounds of rows and columns, NONE where they are not reached. */
typedef struct grown {
    int64_t *row;
    int64_t *row_round;
    int64_t *col;
    int64_t count;
} grown_t;

static int64_t seed_of(int64_t k, int64_t size, int64_t n)
{
    int64_t room = size < n - k * size ? size : n - k * size;
    return k * size + hash((uint32_t)k) % (uint32_t)room;
}

/* Columns of the rows of a round. */
static void take_columns(const rc_csr_t *a, grown_t *g, int64_t round)
{
    int64_t *before = numbers(a->cols, NONE);
    memcpy(before, g->col, (size_t)a->cols * sizeof *before);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = 0; g->row_round[r] == round && e < length_of(a, r); e++) {
            int64_t c = a->col_idx[a->row_ptr[r] + e];
            if (before[c] == NONE && (g->col[c] == NONE || g->row[r] < g->col[c]))
                g->col[c] = g->row[r];
        }
    free(before);
}

static grown_t grow(const rc_csr_t *a, int64_t size)
{
    grown_t g = {numbers(a->rows, NONE), numbers(a->rows, NONE), numbers(a->cols, NONE),
        (a->rows + size - 1) / size};
    for (int64_t k = 0; k < g.count; k++) {
        int64_t r = seed_of(k, size, a->rows);
        if (length_of(a, r) == 0)
            continue;
        g.row[r] = k;
        g.row_round[r] = 0;
    }
    for (int64_t round = 0, found = 1; round < 254 && found; round++) {
        take_columns(a, &g, round);
        found = 0;
        for (int64_t r = 0; r < a->rows; r++) {
            int64_t cell = NONE;
            for (int64_t e = 0; g.row[r] == NONE && e < length_of(a, r); e++) {
                int64_t x = g.col[a->col_idx[a->row_ptr[r] + e]];
                if (x != NONE && (cell == NONE || x < cell))
                    cell = x;
            }
            if (cell == NONE)
                continue;
            g.row[r] = cell;
            g.row_round[r] = round + 1;
            found = 1;
        }
    }
    return g;
}

static int64_t link_of(const rc_csr_t *a, const grown_t *g, int64_t r)
{
    int64_t n = length_of(a, r);
    for (int64_t i = 0; g->row[r] != NONE && i < n; i++) {
        int64_t e = (hash((uint32_t)r) % (uint32_t)n + i) % n;
        int64_t cell = g->col[a->col_idx[a->row_ptr[r] + e]];
        if (cell != g->row[r])
            return cell;
    }
    return NONE;
}

/* The cells that n cells belong to, by a search over links. */
static int64_t *join(const int64_t *from, const int64_t *to, int64_t links, int64_t step, int64_t n,
    int64_t branch)
{
    int64_t *up = numbers(n, NONE);
    for (int64_t k = 0; k * branch < n; k++)
        up[seed_of(k, branch, n)] = k;
    for (int64_t round = 0, found = 1; round < 254 && found; round++) {
        int64_t *next = numbers(n, NONE);
        found = 0;
        for (int64_t i = 0; i < 2 * links; i++) {
            int64_t x = i < links ? from[i] : to[i - links];
            int64_t y = i < links ? to[i] : from[i - links];
            if (i % links % step || x == NONE || y == NONE || up[x] == NONE || up[y] != NONE)
                continue;
            if (next[y] == NONE || up[x] < next[y])
                next[y] = up[x];
            found = 1;
        }
        for (int64_t k = 0; k < n; k++)
            up[k] = next[k] != NONE ? next[k] : up[k];
        free(next);
    }
    for (int64_t k = 0; k < n; k++)
        up[k] = up[k] != NONE ? up[k] : k / branch;
    return up;
}

/* The rank of each of n cells whose links these are. */
static int64_t *ranks_of(
    int64_t *from, int64_t *to, int64_t links, int64_t step, int64_t n, int64_t branch)
{
    int64_t *order = identity(n);
    int64_t *rank = identity(n);
    if (n > branch) {
        int64_t *up = join(from, to, links, step, n, branch);
        for (int64_t i = 0; i < links; i++)
            if (from[i] != NONE && to[i] != NONE) {
                from[i] = up[from[i]];
                to[i] = up[to[i]];
            }
        step *= branch < 4 ? 1 : branch / 2;
        int64_t *above = ranks_of(from, to, links, step, (n + branch - 1) / branch, branch);
        for (int64_t k = 0; k < n; k++)
            up[k] = above[up[k]];
        sort_by(up, n, order);
        free(above);
        free(up);
    }
    for (int64_t p = 0; p < n; p++)
        rank[order[p]] = p;
    free(order);
    return rank;
}

static int64_t *define_cells(const rc_csr_t *a, int64_t size, int64_t branch, int rounds)
{
    grown_t g = grow(a, size);
    int64_t *from = numbers(a->rows, NONE);
    int64_t *to = numbers(a->rows, NONE);
    int64_t *key = numbers(a->rows, 0);
    int64_t *order = identity(a->rows);
    for (int64_t r = 0; r < a->rows; r++) {
        from[r] = g.row[r];
        to[r] = link_of(a, &g, r);
    }
    int64_t *rank = ranks_of(from, to, a->rows, 1, g.count, branch);
    mincol_keys(a, key);
    sort_by(key, a->rows, order);
    for (int64_t r = 0; r < a->rows; r++)
        key[r] = g.row[r] != NONE ? rank[g.row[r]] : g.count;
    sort_by(key, a->rows, order);
    for (int64_t p = 0; p < a->rows; p++) { /* labels, in the memory of `from` */
        int64_t r = order[p];
        int same = p > 0 && g.row[r] != NONE && g.row[r] == g.row[order[p - 1]];
        from[r] = same ? from[order[p - 1]] : p;
    }
    propagate(a, rounds, from);
    sort_by(from, a->rows, order);
    free(g.row);
    free(g.row_round);
    free(g.col);
    free(from);
    free(to);
    free(key);
    free(rank);
    return order;
}

/* Entries and distinct columns of the runs of an order. */
static void count_runs(const rc_csr_t *a, const int64_t *order, int64_t *entries, int64_t *distinct)
{
    enum { run = 64 };
    int64_t runs = a->rows / run < 256 ? a->rows / run : 256;
    *entries = *distinct = 0;
    for (int64_t i = 0; i < runs; i++) {
        int64_t *seen = numbers(a->cols, 0);
        for (int64_t p = i * a->rows / runs, end = p + run; p < end; p++)
            for (int64_t e = 0; e < length_of(a, order[p]); e++) {
                int64_t c = a->col_idx[a->row_ptr[order[p]] + e];
                ++*entries;
                *distinct += !seen[c];
                seen[c] = 1;
            }
        free(seen);
    }
}

static int64_t *define_auto(const rc_csr_t *a, int *chosen)
{
    int64_t e[2];
    int64_t d[2];
    int64_t *original = identity(a->rows);
    int64_t *cells = define_cells(a, 64, 16, 2);
    count_runs(a, original, &e[0], &d[0]);
    count_runs(a, cells, &e[1], &d[1]);
    *chosen = 4 * e[0] < 5 * d[0] && 9 * e[1] * d[0] >= 10 * e[0] * d[1];
    free(*chosen ? original : cells);
    return *chosen ? cells : original;
}

/* ------------------------------------------------------------------- tests */

static void expect(const char *text, const rc_csr_t *a, int64_t *order)
{
    for (int threads = 1; threads <= 3; threads++) {
        rc_schedule_t s = {0};
        rc_err_t err = {0};
        if (rc_order_build(text, a, NULL, threads, &s, &err) < 0)
            fail_msg("%s: %s", text, err.text);
        assert_int_equal(s.slots, a->rows);
        for (int64_t p = 0; p < s.slots; p++)
            if (s.row[p] != order[p])
                fail_msg("%s, %" PRId64 " rows, %d threads, slot %" PRId64 ": expected %" PRId64
                         ", found %" PRId32, text, a->rows, threads, p, order[p], s.row[p]);
        rc_schedule_free(&s);
    }
    free(order);
}

static void expect_all(const rc_csr_t *a)
{
    expect("mincol", a, define_mincol(a));
    expect("minlabel", a, define_minlabel(a, 1, 2, 5));
    expect("minlabel:fine=0:middle=0:coarse=2", a, define_minlabel(a, 0, 0, 2));
    expect("labels", a, define_labels(a, 8));
    expect("labels:rounds=1", a, define_labels(a, 1));
    expect("cells", a, define_cells(a, 64, 16, 2));
    expect("cells:size=2:branch=2:rounds=0", a, define_cells(a, 2, 2, 0));
    expect("cells:size=5:branch=3:rounds=1", a, define_cells(a, 5, 3, 1));
    expect("cells:size=2:branch=4:rounds=0", a, define_cells(a, 2, 4, 0));
    int chosen;
    expect("auto", a, define_auto(a, &chosen));
}

static void they_follow_their_definitions(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 91);
    for (int round = 0; round < 40; round++) {
        rc_csr_t a;
        random_matrix(&r, 120, &a);
        expect_all(&a);
        free_matrix(&a);
    }
}

static void also_on_generated_matrices(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh2d:n=22", "powerlaw:n=500", "lp:rows=200,cols=700",
        "manyempty:n=600", "banded:n=700,lower=1,upper=0", "uniform:n=400,cols=90"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        expect_all(&a);
        rc_csr_free(&a);
    }
}

static void the_hash_has_its_inverse(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t x = i * 42949u;
        assert_int_equal(rc_local_hash(x), hash(x));
        assert_int_equal(rc_local_unhash(hash(x)), x);
        assert_int_equal(rc_local_drawer(rc_local_draw(x, (int)(i % 9)), (int)(i % 9)), x);
    }
}

static int by_number(const void *x, const void *y)
{
    return *(const int32_t *)x < *(const int32_t *)y ? -1 : 1;
}

/* Rows and columns in random orders, which need not agree. */
static void shuffle(const rc_csr_t *a, rc_csr_t *out)
{
    rc_schedule_t rows = {0};
    rc_schedule_t cols = {0};
    assert_int_equal(a->rows, a->cols);
    assert_int_equal(rc_order_build("random:seed=3", a, NULL, 1, &rows, NULL), RC_OK);
    assert_int_equal(rc_order_build("random:seed=4", a, NULL, 1, &cols, NULL), RC_OK);
    assert_int_equal(rc_csr_alloc(a->rows, a->cols, a->nnz, out, NULL), RC_OK);
    for (int64_t p = 0; p < a->rows; p++) {
        int64_t begin = a->row_ptr[rows.row[p]];
        int64_t n = a->row_ptr[rows.row[p] + 1] - begin;
        int32_t *to = out->col_idx + out->row_ptr[p];
        for (int64_t e = 0; e < n; e++)
            to[e] = cols.row[a->col_idx[begin + e]];
        qsort(to, (size_t)n, sizeof *to, by_number);
        memset(out->val + out->row_ptr[p], 0, (size_t)n * sizeof *out->val);
        out->row_ptr[p + 1] = out->row_ptr[p] + n;
    }
    rc_schedule_free(&rows);
    rc_schedule_free(&cols);
}

/* Distinct columns of every 128 slots. */
static int64_t distinct(const rc_csr_t *a, const char *text)
{
    enum { window = 128 };
    rc_schedule_t s = {0};
    int64_t count = 0;
    int64_t *last = numbers(a->cols, NONE);
    assert_int_equal(rc_order_build(text, a, NULL, 2, &s, NULL), RC_OK);
    for (int64_t p = 0; p < s.slots; p++)
        for (int64_t e = a->row_ptr[s.row[p]]; e < a->row_ptr[s.row[p] + 1]; e++) {
            count += last[a->col_idx[e]] != p / window;
            last[a->col_idx[e]] = p / window;
        }
    free(last);
    rc_schedule_free(&s);
    return count;
}

/* That many entries for each distinct column of 128 rows, where shuffled rows have about one. */
static void shuffled_rows_come_together(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *policy;
        double least;
    } want[] = {{"mesh2d:n=120", "cells", 2.5}, {"mesh2d:n=120", "cells:rounds=0", 2.5},
        {"mesh2d:n=120", "minlabel", 2}, {"mesh2d:n=120", "labels", 2},
        {"mesh2d:n=120", "mincol", 1.2}, {"block:n=6000,size=20,between=2", "labels", 5},
        {"block:n=6000,size=20,between=2", "cells", 3}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_csr_t a;
        rc_csr_t b = {0};
        assert_int_equal(rc_generate(want[i].spec, &a, NULL, NULL), RC_OK);
        shuffle(&a, &b);
        double before = (double)b.nnz / (double)distinct(&b, "csr");
        double after = (double)b.nnz / (double)distinct(&b, want[i].policy);
        if (before > 2 || after < want[i].least)
            fail_msg("%s, %s: %g before, expected %g, found %g", want[i].spec, want[i].policy, before,
                want[i].least, after);
        rc_csr_free(&a);
        rc_csr_free(&b);
    }
}

/* What auto does: it orders a shuffled mesh, and neither a natural one nor what has nothing to gain. */
static void auto_orders_where_it_pays(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int shuffled;
        int ordered;
    } want[] = {{"mesh2d:n=40", 1, 1}, {"mesh2d:n=40,points=9", 0, 0}, {"uniform:n=2000,mean=6", 0, 0},
        {"mesh2d:n=7", 1, 0}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_csr_t a;
        rc_csr_t b = {0};
        int chosen;
        assert_int_equal(rc_generate(want[i].spec, &a, NULL, NULL), RC_OK);
        shuffle(&a, &b);
        const rc_csr_t *m = want[i].shuffled ? &b : &a;
        expect("auto", m, define_auto(m, &chosen));
        if (chosen != want[i].ordered)
            fail_msg("%s: expected %d, found %d", want[i].spec, want[i].ordered, chosen);
        rc_csr_free(&a);
        rc_csr_free(&b);
    }
}

static void rounds_must_ascend(void **state)
{
    (void)state;
    rc_csr_t a;
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    const unsigned char flag[4] = {1, 0, 0, 1};
    matrix_from_flags(flag, 2, 2, &a);
    assert_int_equal(
        rc_order_build("minlabel:fine=3:middle=2", &a, NULL, 1, &s, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "fine <= middle <= coarse, found 3, 2, 5"));
    free_matrix(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_has_its_inverse),
        cmocka_unit_test(they_follow_their_definitions),
        cmocka_unit_test(also_on_generated_matrices),
        cmocka_unit_test(shuffled_rows_come_together),
        cmocka_unit_test(auto_orders_where_it_pays),
        cmocka_unit_test(rounds_must_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
