/* P A P' on the host: each row is sorted by its new columns.  Threads share the short rows, and the
 * sorting of each long one, so that scratch is bounded by the longest row. */
#include "config.h"
#include "format/permute.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "sparse/csr.h"
#include "sparse/ranked.h"

#include <omp.h>
#include <stdlib.h>

enum { SHORT = 1 << 12, ROWS = 64 }; /* entries of a row that one thread sorts; rows it takes */

/* Entries of the row of a slot, in the order of its new columns. */
static void sort_row(
    const rc_csr_t *a, const rc_permuted_t *p, int64_t slot, rc_ranked_t *scratch, int threads)
{
    int64_t begin = a->row_ptr[p->row[slot]];
    int64_t n = rc_csr_length(a, p->row[slot]);
    for (int64_t i = 0; i < n; i++)
        scratch[i] = (rc_ranked_t){
            .key = (uint64_t)p->slot[a->col_idx[begin + i]], .tie = (uint64_t)(begin + i)};
    rc_ranked_sort(scratch, n, threads);
}

static void put_row(const rc_ranked_t *sorted, const int64_t *from, const rc_permuted_t *p,
    int64_t first, int64_t n)
{
    const rc_system_matrix_t *to = &p->to;
    for (int64_t i = 0; i < n; i++) {
        int64_t e = (int64_t)sorted[i].tie;
        rc_number_put(to->col_idx, to->col_idx_bytes, first + i, (int64_t)sorted[i].key);
        rc_number_put(to->place, to->place_bytes, first + i, (from ? from[e] : e) + 1);
    }
}

static int64_t pointer_at(const rc_permuted_t *p, int64_t slot)
{
    return rc_place_at(p->to.row_ptr, p->to.row_ptr_bytes, slot);
}

/* \param[in] scratch  [longest] or, where it is more, [SHORT] for each thread */
static void put_rows(const rc_csr_t *a, const int64_t *from, const rc_permuted_t *p,
    rc_ranked_t *scratch, int threads)
{
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS)
    for (int64_t s = 0; s < p->rows; s++) {
        rc_ranked_t *own = scratch + (int64_t)omp_get_thread_num() * SHORT;
        int64_t n = rc_csr_length(a, p->row[s]);
        if (n > SHORT)
            continue;
        sort_row(a, p, s, own, 1);
        put_row(own, from, p, pointer_at(p, s), n);
    }
    for (int64_t s = 0; s < p->rows; s++) {
        int64_t n = rc_csr_length(a, p->row[s]);
        if (n <= SHORT)
            continue;
        sort_row(a, p, s, scratch, threads);
        put_row(scratch, from, p, pointer_at(p, s), n);
    }
}

rc_status_t rc_permute_host(
    const rc_csr_t *a, const int64_t *from, const rc_permuted_t *p, int threads, rc_err_t *err)
{
    int64_t longest = rc_csr_longest(a, threads);
    int64_t team = (int64_t)threads * SHORT;
    rc_ranked_t *scratch =
        rc_alloc((size_t)(longest > team ? longest : team), sizeof *scratch, "a row", err);
    RC_PASS(scratch ? RC_OK : RC_ENOMEM);
    int64_t at = 0;
    for (int64_t s = 0; s < p->rows; s++) {
        rc_number_put(p->to.row_ptr, p->to.row_ptr_bytes, s, at);
        at += rc_csr_length(a, p->row[s]);
    }
    rc_number_put(p->to.row_ptr, p->to.row_ptr_bytes, p->rows, at);
    put_rows(a, from, p, scratch, threads);
    free(scratch);
    return RC_OK;
}
