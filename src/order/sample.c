#include "config.h"
#include "order/sample.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/local.h"
#include "order/steps.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE = 2 * RC_LOCAL_RUN * RC_LOCAL_LOOK, SLOTS = RC_LOCAL_RUN };

/* The entries of a row that count. */
static const int32_t *entries_of(const rc_csr_t *a, int64_t r, int *length)
{
    *length = rc_local_length(a->row_ptr[r], a->row_ptr[r + 1]);
    return a->col_idx + a->row_ptr[r];
}

static int is_long(const rc_csr_t *a, int64_t r)
{
    double n = (double)(a->row_ptr[r + 1] - a->row_ptr[r]);
    return n > rc_local_limit(a->rows, a->nnz);
}

/* 1: the column is new in the table. */
static int enter(int32_t *table, int32_t col)
{
    uint32_t at = rc_local_hash((uint32_t)col) % TABLE;
    while (table[at] >= 0 && table[at] != col)
        at = (at + 1) % TABLE;
    int is_new = table[at] < 0;
    table[at] = col;
    return is_new;
}

/* Entries of a row, but for those of column `without` (-1: all), and the new ones among their
 * columns. */
static void add_row(const rc_csr_t *a, int64_t r, int32_t without, int32_t *table, int64_t *entries,
    int64_t *distinct)
{
    int length;
    const int32_t *col = entries_of(a, r, &length);
    for (int j = 0; j < length; j++) {
        if (col[j] == without)
            continue;
        ++*entries;
        *distinct += enter(table, col[j]);
    }
}

void rc_sample_runs(const rc_csr_t *a, const int32_t *order, int threads, rc_sharing_t *out)
{
    int64_t runs = rc_local_runs(a->rows);
    int64_t e = 0;
    int64_t d = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8) reduction(+ : e, d)
    for (int64_t i = 0; i < runs; i++) {
        int32_t table[TABLE];
        int64_t first = rc_local_run(i, runs, a->rows);
        memset(table, 0xff, sizeof table);
        for (int64_t p = first; p < first + RC_LOCAL_RUN; p++)
            add_row(a, order ? order[p] : p, -1, table, &e, &d);
    }
    *out = (rc_sharing_t){e, d};
}

/* ------------------------------------------------------------------- balls */

/* The rows of a ball, in the order in which they were found.  \return how many */
static int grow_ball(const rc_csr_t *a, int64_t seed, int32_t *table, int32_t *row)
{
    int found = 0;
    if (!is_long(a, seed)) {
        row[found++] = (int32_t)seed;
        enter(table, row[0]);
    }
    for (int next = 0; next < found; next++) {
        int length;
        const int32_t *col = entries_of(a, row[next], &length);
        for (int j = 0; j < length && found < RC_LOCAL_RUN; j++)
            if (col[j] < a->rows && !is_long(a, col[j]) && enter(table, col[j]))
                row[found++] = col[j];
    }
    return found;
}

void rc_sample_balls(const rc_csr_t *a, int threads, rc_sharing_t *out)
{
    int64_t runs = rc_local_runs(a->rows);
    int64_t e = 0;
    int64_t d = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8) reduction(+ : e, d)
    for (int64_t i = 0; i < runs; i++) {
        int32_t table[TABLE];
        int32_t row[RC_LOCAL_RUN];
        memset(table, 0xff, sizeof table);
        int found = grow_ball(a, rc_local_run(i, runs, a->rows), table, row);
        memset(table, 0xff, sizeof table);
        for (int p = 0; p < found; p++)
            add_row(a, row[p], -1, table, &e, &d);
    }
    *out = (rc_sharing_t){e, d};
}

/* ----------------------------------------------------------------- columns */

enum { KEYS = 2048 }; /* most places are free */

/* Sampled columns, and rows that hold them. */
typedef struct held {
    int count;
    int32_t key[KEYS]; /* a column, by its hash; -1: none */
    int sample[KEYS];  /* its number */
    int32_t col[RC_LOCAL_RUNS];
    uint32_t row[RC_LOCAL_RUNS][SLOTS]; /* by h(row), or RC_LOCAL_NONE */
} held_t;

/* Where a column is, or where it would be. */
static uint32_t place_of(const held_t *h, int32_t col)
{
    uint32_t at = rc_local_hash((uint32_t)col) % KEYS;
    while (h->key[at] >= 0 && h->key[at] != col)
        at = (at + 1) % KEYS;
    return at;
}

static void choose_columns(const rc_csr_t *a, held_t *h)
{
    int64_t runs = rc_local_runs(a->rows);
    memset(h->key, 0xff, sizeof h->key);
    memset(h->row, 0xff, sizeof h->row);
    for (int64_t i = 0; i < runs; i++) {
        int length;
        int64_t seed = rc_local_run(i, runs, a->rows);
        const int32_t *col = entries_of(a, seed, &length);
        if (length == 0)
            continue;
        int32_t c = col[rc_local_hash((uint32_t)seed) % (uint32_t)length];
        uint32_t at = place_of(h, c);
        if (h->key[at] >= 0)
            continue;
        h->key[at] = c;
        h->sample[at] = h->count;
        h->col[h->count++] = c;
    }
}

static void find_rows(const rc_csr_t *a, held_t *h, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
    for (int64_t r = 0; r < a->rows; r++) {
        int length;
        const int32_t *col = entries_of(a, r, &length);
        if (is_long(a, r))
            continue;
        for (int j = 0; j < length; j++) {
            uint32_t at = place_of(h, col[j]);
            if (h->key[at] >= 0)
                rc_local_min(
                    &h->row[h->sample[at]][rc_local_hash((uint32_t)r) % SLOTS], (uint32_t)r);
        }
    }
}

rc_status_t rc_sample_columns(const rc_csr_t *a, int threads, rc_sharing_t *out, rc_err_t *err)
{
    int64_t e = 0;
    int64_t d = 0;
    held_t *h = rc_alloc0(1, sizeof *h, "sampled columns", err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    choose_columns(a, h);
    find_rows(a, h, threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8) reduction(+ : e, d)
    for (int i = 0; i < h->count; i++) {
        int32_t table[TABLE];
        memset(table, 0xff, sizeof table);
        for (int s = 0; s < SLOTS; s++)
            if (h->row[i][s] != RC_LOCAL_NONE)
                add_row(a, h->row[i][s], h->col[i], table, &e, &d);
    }
    *out = (rc_sharing_t){e, d};
    free(h);
    return RC_OK;
}

/* --------------------------------------------------------------- agreement */

void rc_sample_agreement(const rc_csr_t *a, int threads, rc_sharing_t *out)
{
    int64_t runs = rc_local_runs(a->rows);
    int64_t e = 0;
    int64_t d = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 8) reduction(+ : e, d)
    for (int64_t i = 0; i < runs; i++) {
        int length;
        int64_t seed = rc_local_run(i, runs, a->rows);
        const int32_t *col = entries_of(a, seed, &length);
        for (int j = 0; j < length; j++) {
            if (col[j] == seed)
                continue;
            int found = col[j] < a->rows && seed < a->cols && rc_csr_has(a, col[j], (int32_t)seed);
            for (int k = 0; k < length && !found && col[j] < a->rows; k++)
                found = k != j && rc_csr_has(a, col[j], col[k]);
            e++;
            d += found;
        }
    }
    *out = (rc_sharing_t){e, d};
}

rc_status_t rc_sample_all(const rc_csr_t *a, int threads, rc_local_samples_t *out, rc_err_t *err)
{
    RC_PASS(rc_sample_columns(a, threads, &out->column, err));
    rc_sample_runs(a, NULL, threads, &out->run);
    rc_sample_balls(a, threads, &out->ball);
    rc_sample_agreement(a, threads, &out->agreement);
    out->longest = rc_csr_longest(a, threads);
    return RC_OK;
}
