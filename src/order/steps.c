#include "config.h"
#include "order/steps.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/rows.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 };

rc_status_t rc_schedule_by_keys(const rc_order_input_t *in, const int32_t *const *key, int keys,
    rc_schedule_t *out, rc_err_t *err)
{
    int64_t n = in->a->rows;
    rc_status_t st = rc_schedule_original(in->a, out, err);
    for (int k = 0; st == RC_OK && k < keys; k++)
        st = rc_sort_by_key(key[k], 0, n, out->row, err);
    return st;
}

void rc_first_columns(const rc_order_input_t *in, int32_t *key)
{
    const rc_csr_t *a = in->a;
#pragma omp parallel for num_threads(in->threads) schedule(static)
    for (int64_t r = 0; r < a->rows; r++)
        key[r] = a->row_ptr[r] < a->row_ptr[r + 1] ? a->col_idx[a->row_ptr[r]] : (int32_t)a->cols;
}

/* ------------------------------------------------------------------- votes */

enum { PLACES = 64, EMPTY = 0 };

/* Counts labels of one row after the other; a place belongs to the row that it is stamped with. */
typedef struct tally {
    uint32_t label[PLACES];
    int64_t stamp[PLACES];
    int count[PLACES];
} tally_t;

static int vote(tally_t *t, int64_t stamp, uint32_t label)
{
    uint32_t at = (label * UINT32_C(0x9e3779b9)) >> 26;
    while (t->stamp[at] == stamp && t->label[at] != label)
        at = (at + 1) % PLACES;
    if (t->stamp[at] != stamp) {
        t->stamp[at] = stamp;
        t->label[at] = label;
        t->count[at] = 0;
    }
    return ++t->count[at];
}

/* The label that most votes of a row have. */
static uint32_t elect(
    const uint32_t *column, const int32_t *col, int length, tally_t *t, int64_t stamp)
{
    uint32_t label[RC_LOCAL_VOTES];
    int votes = rc_local_votes(length);
    int most = 0;
    uint64_t best = 0;
    for (int v = 0; v < votes; v++)
        label[v] = column[col[rc_local_vote(v, length)]];
    for (int v = 0; v < votes; v++) {
        int count = vote(t, stamp, label[v]);
        if (count < most)
            continue;
        uint64_t rank = rc_local_rank(count, label[v]);
        most = count;
        best = rank > best ? rank : best;
    }
    return rc_local_winner(best);
}

void rc_vote_round(const rc_order_input_t *in, int round, uint32_t *column, uint32_t *label)
{
    const rc_csr_t *a = in->a;
    const int64_t *ptr = a->row_ptr;
#pragma omp parallel num_threads(in->threads)
    {
        tally_t t;
        memset(&t, 0, sizeof t);
#pragma omp for schedule(static)
        for (int64_t c = 0; c < a->cols; c++)
            column[c] = RC_LOCAL_NONE;
#pragma omp for schedule(dynamic, CHUNK)
        for (int64_t r = 0; r < a->rows; r++)
            rc_row_lower(a, r, rc_local_draw((uint32_t)r, round), column);
            /* a column that no row looked at has none that could ask for its label */
#pragma omp for schedule(static)
        for (int64_t c = 0; c < a->cols; c++) {
            uint32_t r = rc_local_drawer(column[c], round);
            column[c] = r < a->rows ? label[r] : RC_LOCAL_NONE;
        }
#pragma omp for schedule(dynamic, CHUNK)
        for (int64_t r = 0; r < a->rows; r++) {
            int length = rc_local_length(ptr[r], ptr[r + 1]);
            if (length > 0)
                label[r] = elect(column, a->col_idx + ptr[r], length, &t, r + 1);
        }
    }
}

rc_status_t rc_vote(const rc_order_input_t *in, int rounds, uint32_t *label, rc_err_t *err)
{
    uint32_t *column = rc_alloc((size_t)in->a->cols, sizeof *column, "labels of columns", err);
    RC_PASS(column ? RC_OK : RC_ENOMEM);
    for (int64_t r = 0; r < in->a->rows; r++)
        label[r] = (uint32_t)r;
    for (int round = 0; round < rounds; round++)
        rc_vote_round(in, round, column, label);
    free(column);
    return RC_OK;
}
