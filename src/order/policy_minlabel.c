/* minlabel: rows by the smallest hashed row number near them [our own rule].
 *
 * The label of row r begins as h(r), h the finaliser of MurmurHash3 (order/local.h), a permutation
 * of the 32-bit numbers.  In a round every column takes the smallest label of the rows that hold
 * it, then every row the smallest of its own and those of its columns; only the first 64 entries of
 * a row count.  After `fine`, `middle` and `coarse` rounds, counted from the start, h^-1(label) is
 * the key of a row: the row number that reached it.  Rows are sorted by (coarse, middle, fine) key,
 * equal ones by row number.  Through columns, the matrix may be rectangular, and rows and columns
 * numbered apart.
 *
 * Memory beside the schedule: 16 bytes a row and 4 a column, and 4 a row while it sorts.  Cost
 * O(coarse nnz). */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"
#include "order/steps.h"

#include <inttypes.h>

enum { PARAM_FINE, PARAM_MIDDLE, PARAM_COARSE, LEVELS };
enum { CHUNK = 4096 };

static void spread(const rc_order_input_t *in, uint32_t *column, uint32_t *label)
{
    const rc_csr_t *a = in->a;
#pragma omp parallel num_threads(in->threads)
    {
#pragma omp for schedule(static)
        for (int64_t c = 0; c < a->cols; c++)
            column[c] = RC_LOCAL_NONE;
#pragma omp for schedule(dynamic, CHUNK)
        for (int64_t r = 0; r < a->rows; r++)
            rc_row_lower(a, r, label[r], column);
#pragma omp for schedule(dynamic, CHUNK)
        for (int64_t r = 0; r < a->rows; r++) {
            uint32_t least = rc_row_least(a, r, column);
            label[r] = least < label[r] ? least : label[r];
        }
    }
}

/* The keys of the levels, the finest first. */
static void label_rows(
    const rc_order_input_t *in, uint32_t *column, uint32_t *label, int32_t *const *key)
{
    const int64_t *rounds = in->params->value;
    int64_t n = in->a->rows;
    int level = 0;
#pragma omp parallel for num_threads(in->threads) schedule(static)
    for (int64_t r = 0; r < n; r++)
        label[r] = rc_local_hash((uint32_t)r);
    for (int64_t done = 0; level < LEVELS; done++) {
        for (; level < LEVELS && rounds[level] == done; level++) {
            int32_t *to = key[level];
#pragma omp parallel for num_threads(in->threads) schedule(static)
            for (int64_t r = 0; r < n; r++)
                to[r] = (int32_t)rc_local_unhash(label[r]);
        }
        if (level < LEVELS)
            spread(in, column, label);
    }
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const int64_t *rounds = in->params->value;
    rc_pool_t pool = {0};
    int32_t *key[LEVELS];
    rc_status_t st;
    if (rounds[PARAM_FINE] > rounds[PARAM_MIDDLE] || rounds[PARAM_MIDDLE] > rounds[PARAM_COARSE])
        return rc_fail(err, RC_EINVAL,
            "rounds: expected fine <= middle <= coarse, found %" PRId64 ", %" PRId64 ", %" PRId64,
            rounds[PARAM_FINE], rounds[PARAM_MIDDLE], rounds[PARAM_COARSE]);
    uint32_t *column = rc_pool_get(&pool, (size_t)in->a->cols, sizeof *column);
    uint32_t *label = rc_pool_get(&pool, (size_t)in->a->rows, sizeof *label);
    for (int l = 0; l < LEVELS; l++)
        key[l] = rc_pool_get(&pool, (size_t)in->a->rows, sizeof *key[l]);
    RC_TRY(rc_pool_check(&pool, "labels of rows", err));
    label_rows(in, column, label, key);
    const int32_t *const keys[LEVELS] = {key[0], key[1], key[2]};
    st = rc_schedule_by_keys(in, keys, LEVELS, out, err);
done:
    rc_pool_free(&pool);
    return st;
}

const rc_policy_t rc_policy_minlabel = {
    .name = "minlabel",
    .summary = "rows by the smallest hashed row number near them",
    .source = "our own rule, at the top of src/order/policy_minlabel.c",
    .version = 1,
    .on_request = 1,
    .param = {{"fine", "rounds until the finest key", 1, 0, 100, 0},
        {"middle", "rounds until the middle key", 2, 0, 100, 0},
        {"coarse", "rounds until the key that counts most", 5, 0, 100, 0}},
    .build = build,
};
