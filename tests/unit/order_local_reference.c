#include "config.h"
#include "unit.h"

#include "order_local_reference.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK = 64, NONE = -1 };

uint32_t define_hash(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85ebca6bu;
    x ^= x >> 13;
    x *= 0xc2b2ae35u;
    x ^= x >> 16;
    return x;
}

int64_t define_length(const rc_csr_t *a, int64_t r)
{
    int64_t n = a->row_ptr[r + 1] - a->row_ptr[r];
    return n < LOOK ? n : LOOK;
}

int64_t *define_numbers(int64_t n, int64_t value)
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

int64_t *define_original(int64_t n)
{
    int64_t *x = define_numbers(n, 0);
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

int64_t *define_mincol(const rc_csr_t *a)
{
    int64_t *key = define_numbers(a->rows, 0);
    int64_t *order = define_original(a->rows);
    mincol_keys(a, key);
    sort_by(key, a->rows, order);
    free(key);
    return order;
}

/* Labels are row numbers, compared by hash. */
int64_t *define_minlabel(const rc_csr_t *a, int fine, int middle, int coarse)
{
    int64_t *label = define_original(a->rows);
    int64_t *order = define_original(a->rows);
    for (int round = 0; round <= coarse; round++) {
        if (round == fine)
            sort_by(label, a->rows, order);
        if (round == middle)
            sort_by(label, a->rows, order);
        if (round == coarse)
            break;
        int64_t *column = define_numbers(a->cols, NONE);
        for (int64_t r = 0; r < a->rows; r++)
            for (int64_t e = 0; e < define_length(a, r); e++) {
                int64_t *c = &column[a->col_idx[a->row_ptr[r] + e]];
                if (*c == NONE || define_hash((uint32_t)label[r]) < define_hash((uint32_t)*c))
                    *c = label[r];
            }
        for (int64_t r = 0; r < a->rows; r++)
            for (int64_t e = 0; e < define_length(a, r); e++) {
                int64_t c = column[a->col_idx[a->row_ptr[r] + e]];
                if (define_hash((uint32_t)c) < define_hash((uint32_t)label[r]))
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
        if (count > most || (count == most && define_hash((uint32_t)vote[i]) < define_hash((uint32_t)best))) {
            most = count;
            best = vote[i];
        }
    }
    return best;
}

static void propagate(const rc_csr_t *a, int rounds, int64_t *label)
{
    for (int round = 0; round < rounds; round++) {
        int64_t *heard = define_numbers(a->cols, NONE); /* row that a column listens to */
        uint32_t step = (uint32_t)round * 0x9e3779b9u;
        for (int64_t r = 0; r < a->rows; r++)
            for (int64_t e = 0; e < define_length(a, r); e++) {
                int64_t *c = &heard[a->col_idx[a->row_ptr[r] + e]];
                if (*c == NONE || define_hash((uint32_t)r + step) < define_hash((uint32_t)*c + step))
                    *c = r;
            }
        int64_t *next = define_numbers(a->rows, 0);
        for (int64_t r = 0; r < a->rows; r++) {
            int64_t n = define_length(a, r);
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

int64_t *define_labels(const rc_csr_t *a, int rounds)
{
    int64_t *label = define_original(a->rows);
    int64_t *order = define_original(a->rows);
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
    return k * size + define_hash((uint32_t)k) % (uint32_t)room;
}

/* Columns of the rows of a round. */
static void take_columns(const rc_csr_t *a, grown_t *g, int64_t round)
{
    int64_t *before = define_numbers(a->cols, NONE);
    memcpy(before, g->col, (size_t)a->cols * sizeof *before);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = 0; g->row_round[r] == round && e < define_length(a, r); e++) {
            int64_t c = a->col_idx[a->row_ptr[r] + e];
            if (before[c] == NONE && (g->col[c] == NONE || g->row[r] < g->col[c]))
                g->col[c] = g->row[r];
        }
    free(before);
}

static grown_t grow(const rc_csr_t *a, int64_t size)
{
    grown_t g = {define_numbers(a->rows, NONE), define_numbers(a->rows, NONE), define_numbers(a->cols, NONE),
        (a->rows + size - 1) / size};
    for (int64_t k = 0; k < g.count; k++) {
        int64_t r = seed_of(k, size, a->rows);
        if (define_length(a, r) == 0)
            continue;
        g.row[r] = k;
        g.row_round[r] = 0;
    }
    for (int64_t round = 0, found = 1; round < 254 && found; round++) {
        take_columns(a, &g, round);
        found = 0;
        for (int64_t r = 0; r < a->rows; r++) {
            int64_t cell = NONE;
            for (int64_t e = 0; g.row[r] == NONE && e < define_length(a, r); e++) {
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
    int64_t n = define_length(a, r);
    for (int64_t i = 0; g->row[r] != NONE && i < n; i++) {
        int64_t e = (define_hash((uint32_t)r) % (uint32_t)n + i) % n;
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
    int64_t *up = define_numbers(n, NONE);
    for (int64_t k = 0; k * branch < n; k++)
        up[seed_of(k, branch, n)] = k;
    for (int64_t round = 0, found = 1; round < 254 && found; round++) {
        int64_t *next = define_numbers(n, NONE);
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
    int64_t *order = define_original(n);
    int64_t *rank = define_original(n);
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

/* Rows by the rank of their cell, then by the smallest column; then label propagation. */
static int64_t *place(const rc_csr_t *a, const grown_t *g, const int64_t *rank, int rounds)
{
    int64_t *key = define_numbers(a->rows, 0);
    int64_t *label = define_numbers(a->rows, 0);
    int64_t *order = define_original(a->rows);
    mincol_keys(a, key);
    sort_by(key, a->rows, order);
    for (int64_t r = 0; r < a->rows; r++)
        key[r] = g->row[r] != NONE ? rank[g->row[r]] : g->count;
    sort_by(key, a->rows, order);
    for (int64_t p = 0; p < a->rows; p++) {
        int64_t r = order[p];
        int same = p > 0 && g->row[r] != NONE && g->row[r] == g->row[order[p - 1]];
        label[r] = same ? label[order[p - 1]] : p;
    }
    propagate(a, rounds, label);
    sort_by(label, a->rows, order);
    free(key);
    free(label);
    return order;
}

/* The cells that the links of rows join. */
static void find_links(const rc_csr_t *a, const grown_t *g, int64_t *from, int64_t *to)
{
    for (int64_t r = 0; r < a->rows; r++) {
        from[r] = g->row[r];
        to[r] = link_of(a, g, r);
    }
}

static void free_grown(grown_t *g)
{
    free(g->row);
    free(g->row_round);
    free(g->col);
}

int64_t *define_cells(const rc_csr_t *a, int64_t size, int64_t branch, int rounds)
{
    grown_t g = grow(a, size);
    int64_t *from = define_numbers(a->rows, NONE);
    int64_t *to = define_numbers(a->rows, NONE);
    find_links(a, &g, from, to);
    int64_t *rank = ranks_of(from, to, a->rows, 1, g.count, branch);
    int64_t *order = place(a, &g, rank, rounds);
    free_grown(&g);
    free(from);
    free(to);
    free(rank);
    return order;
}

/* -------------------------------------------------------------- multilevel */

enum { TOP = 512, NEAR = 32, DIMS = 3, SMOOTHINGS = 80, EVERY = 40 };

static int64_t magnitude(int64_t x)
{
    return x < 0 ? -x : x;
}

static void level(int64_t *x, int64_t n)
{
    int64_t sum = 0;
    int64_t size = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k];
    for (int64_t k = 0; k < n; k++) {
        x[k] -= sum / n;
        size += magnitude(x[k]);
    }
    for (int64_t k = 0; k < n && size != 0; k++) {
        x[k] = (n * 262144 * x[k]) / size;
        x[k] = x[k] > 1048576 ? 1048576 : x[k] < -1048576 ? -1048576 : x[k];
    }
}

static int64_t inner(const int64_t *x, const int64_t *y, int64_t n)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += x[k] * y[k];
    return sum;
}

static void make_independent(int64_t **x, int64_t n)
{
    for (int d = 0; d < DIMS; d++) {
        level(x[d], n);
        for (int e = 0; e < d; e++) {
            int64_t own = inner(x[e], x[e], n);
            int64_t q = own ? inner(x[d], x[e], n) * 1024 / own : 0;
            for (int64_t k = 0; k < n; k++)
                x[d][k] -= x[e][k] * q / 1024;
        }
        level(x[d], n);
    }
}

/* joined[k n + j]: a link joins cells k and j */
static void smooth(const unsigned char *joined, int64_t n, int64_t *x)
{
    int64_t *old = define_numbers(n, 0);
    memcpy(old, x, (size_t)n * sizeof *old);
    for (int64_t k = 0; k < n; k++) {
        int64_t count = 0;
        for (int64_t j = 0; j < n && count < NEAR; j++)
            if (joined[k * n + j]) {
                x[k] += old[j];
                count++;
            }
        x[k] /= count + 1;
    }
    free(old);
}

/* Coordinates of n cells that these links join. */
static void place_top(const int64_t *from, const int64_t *to, int64_t links, int64_t step, int64_t n, int64_t **x)
{
    unsigned char *joined = calloc((size_t)(n * n) + 1, 1);
    assert_non_null(joined);
    for (int64_t i = 0; i < links; i += step)
        if (from[i] != NONE && to[i] != NONE && from[i] != to[i])
            joined[from[i] * n + to[i]] = joined[to[i] * n + from[i]] = 1;
    for (int d = 0; d < DIMS; d++)
        for (int64_t k = 0; k < n; k++)
            x[d][k] = (int64_t)(define_hash((uint32_t)(DIMS * k + d)) / 4096) - 524288;
    make_independent(x, n);
    for (int i = 1; i <= SMOOTHINGS; i++) {
        for (int d = 0; d < DIMS; d++)
            smooth(joined, n, x[d]);
        if (i % EVERY == 0)
            make_independent(x, n);
    }
    for (int d = 0; d < DIMS; d++) {
        int64_t *order = define_original(n);
        sort_by(x[d], n, order);
        for (int64_t p = 0; p < n; p++)
            x[d][order[p]] = p * 1048576 / n;
        free(order);
    }
    free(joined);
}

static void refine(const int64_t *from, const int64_t *to, int64_t links, int64_t step, int64_t n, int64_t *x)
{
    int64_t *sum = define_numbers(n, 0);
    int64_t *count = define_numbers(n, 1);
    memcpy(sum, x, (size_t)n * sizeof *sum);
    for (int64_t i = 0; i < links; i += step)
        if (from[i] != NONE && to[i] != NONE && from[i] != to[i]) {
            sum[from[i]] += x[to[i]];
            sum[to[i]] += x[from[i]];
            count[from[i]]++;
            count[to[i]]++;
        }
    for (int64_t k = 0; k < n; k++)
        x[k] = sum[k] / count[k];
    free(sum);
    free(count);
}

static void place_cells(
    const int64_t *from, const int64_t *to, int64_t links, int64_t step, int64_t n, int64_t **x)
{
    if (n <= TOP) {
        place_top(from, to, links, step, n, x);
        return;
    }
    int64_t branch = (n + TOP - 1) / TOP < 128 ? (n + TOP - 1) / TOP : 128;
    int64_t *up = join(from, to, links, step, n, branch);
    int64_t *of[2] = {define_numbers(links, NONE), define_numbers(links, NONE)};
    int64_t *above[DIMS];
    for (int d = 0; d < DIMS; d++)
        above[d] = define_numbers((n + branch - 1) / branch, 0);
    for (int64_t i = 0; i < links; i++)
        if (from[i] != NONE && to[i] != NONE) {
            of[0][i] = up[from[i]];
            of[1][i] = up[to[i]];
        }
    place_cells(of[0], of[1], links, step * (branch < 4 ? 1 : branch / 2), (n + branch - 1) / branch, above);
    for (int d = 0; d < DIMS; d++) {
        for (int64_t k = 0; k < n; k++)
            x[d][k] = above[d][up[k]];
        for (int i = 0; i < 3; i++)
            refine(from, to, links, 8 * step, n, x[d]);
        free(above[d]);
    }
    free(of[0]);
    free(of[1]);
    free(up);
}

/* Where (x, y, z) in a cube is on the Hilbert curve, octant by octant: each holds the curve once more, turned and
 * at times backwards. */
static int64_t along_curve(int64_t x, int64_t y, int64_t z, int64_t edge)
{
    int64_t at[DIMS] = {x, y, z};
    int64_t key = 0;
    int64_t bit[DIMS];
    int64_t odd = 0;
    for (int64_t half = edge / 2; half > 0; half /= 2) {
        int64_t octant = 0;
        for (int d = 0; d < DIMS; d++)
            bit[d] = at[d] / half % 2;
        octant = 4 * bit[0] + 2 * (bit[0] ^ bit[1]) + (bit[0] ^ bit[1] ^ bit[2]);
        key = 8 * key + (odd ? 7 - octant : octant);
        odd ^= octant % 2;
        for (int d = 0; d < DIMS; d++) {
            int64_t low = at[d] % half;
            if (bit[d]) {
                at[0] = at[0] / half * half + half - 1 - at[0] % half;
            } else {
                at[d] = at[d] / half * half + at[0] % half;
                at[0] = at[0] / half * half + low;
            }
        }
    }
    return key;
}

int64_t *define_multilevel(const rc_csr_t *a, int64_t size, int rounds)
{
    grown_t g = grow(a, size);
    int64_t *from = define_numbers(a->rows, NONE);
    int64_t *to = define_numbers(a->rows, NONE);
    int64_t *key = define_numbers(g.count, 0);
    int64_t *order = define_original(g.count);
    int64_t *rank = define_numbers(g.count, 0);
    int64_t *x[DIMS];
    for (int d = 0; d < DIMS; d++)
        x[d] = define_numbers(g.count, 0);
    find_links(a, &g, from, to);
    if (g.count > 0)
        place_cells(from, to, a->rows, 1, g.count, x);
    for (int64_t k = 0; k < g.count; k++)
        key[k] = along_curve(x[0][k] / 1024, x[1][k] / 1024, x[2][k] / 1024, 1024);
    sort_by(key, g.count, order);
    for (int64_t p = 0; p < g.count; p++)
        rank[order[p]] = p;
    free(order);
    order = place(a, &g, rank, rounds);
    for (int d = 0; d < DIMS; d++)
        free(x[d]);
    free_grown(&g);
    free(from);
    free(to);
    free(key);
    free(rank);
    return order;
}
