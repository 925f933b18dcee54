#include "order/cuda/search.cuh"
#include "order/cuda/cells.cuh"
#include "order/cuda/votes.h"

namespace
{

using rc::search;

/* ------------------------------------------------------------- the kernels */

__global__ void rank_cells(const int32_t *order, uint32_t *rank, int64_t n)
{
    rc::for_each(n, [=](int64_t k) { rank[order[k]] = (uint32_t)k; });
}

/* Rows that were not reached come last. */
__global__ void take_ranks(const uint32_t *cell, const uint32_t *rank, int64_t count,
    const int32_t *row, uint32_t *key, int64_t n)
{
    rc::for_each(n, [=](int64_t p) {
        const uint32_t x = cell[row[p]];
        key[p] = x == RC_LOCAL_NONE ? (uint32_t)count : rank[rc_local_cell(x)];
    });
}

/* start[rank of a cell] = its first slot. */
__global__ void find_starts(const uint32_t *key, uint32_t *start, int64_t count, int64_t n)
{
    rc::for_each(n, [=](int64_t p) {
        if (key[p] < count && (p == 0 || key[p - 1] != key[p]))
            start[key[p]] = (uint32_t)p;
    });
}

__global__ void begin_labels(const uint32_t *key, const int32_t *row, const uint32_t *start,
    int64_t count, uint32_t *label, int64_t n)
{
    rc::for_each(
        n, [=](int64_t p) { label[row[p]] = key[p] < count ? start[key[p]] : (uint32_t)p; });
}

/* ---------------------------------------------------------------- the steps */

int64_t blocks_of(int64_t threads)
{
    return (threads + rc::CELL_THREADS - 1) / rc::CELL_THREADS;
}

template <int LANES> rc_status_t search_with(search *s, rc_err_t *err)
{
    rc_cuda_pattern_t a = *s->a;
    void *of_grow[] = {&a, &s->c};
    void *of_join[] = {&a, &s->c, &s->p};
    RC_PASS(rc::cooperate(s->x, rc::grow<LANES>, 1, blocks_of(a.rows), rc::CELL_THREADS, of_grow,
        "cells of rows", err));
    return rc::cooperate(s->x, rc::join<LANES>, 1, blocks_of(a.rows * LANES), rc::CELL_THREADS,
        of_join, "cells of cells", err);
}

rc_status_t rank(search *s, rc_err_t *err)
{
    const int64_t n = s->c.count;
    rc_cuda_pairs64_t p = {s->cell_key[0], s->cell_key[1], s->cell_order[0], s->cell_order[1], n};
    RC_PASS(rc::number(s->x, p.value, n, err));
    for (int w = 0; w < s->p.words; w++) {
        RC_PASS(rc::take(s->x, s->c.path + w * n, p.value, p.key, n, err));
        RC_PASS(rc_cuda_sort64(s->x, s->temp, s->temp_bytes, &p, s->p.bits[w], err));
    }
    rank_cells<<<rc::blocks_for(n), rc::ORDER_THREADS, 0, rc_cuda_stream(s->x)>>>(
        p.value, s->rank, n);
    return rc_cuda_launched("ranks of cells", err);
}

/* Label propagation from the cells on; p is sorted by rank.  Ranks of cells are not needed any
 * more. */
rc_status_t gather(search *s, rc_cuda_pairs_t *p, rc_err_t *err)
{
    const int64_t n = p->n;
    const unsigned blocks = rc::blocks_for(n);
    const cudaStream_t stream = rc_cuda_stream(s->x);
    uint32_t *label = p->key_beside;
    find_starts<<<blocks, rc::ORDER_THREADS, 0, stream>>>(p->key, s->rank, s->c.count, n);
    begin_labels<<<blocks, rc::ORDER_THREADS, 0, stream>>>(
        p->key, p->value, s->rank, s->c.count, label, n);
    RC_PASS(rc_cuda_launched("labels of rows", err));
    RC_PASS(rc_cuda_votes(s->x, s->a, (int)s->rounds, label, s->columns, err));
    RC_PASS(rc::take(s->x, label, p->value, p->key, n, err));
    return rc_cuda_sort(s->x, s->temp, s->temp_bytes, p, rc::bits_of(n), err);
}

/* By the smallest column, then by the rank of the cell. */
rc_status_t sort_rows(search *s, rc_cuda_pairs_t *p, rc_err_t *err)
{
    const unsigned blocks = rc::blocks_for(p->n);
    const cudaStream_t stream = rc_cuda_stream(s->x);
    RC_PASS(rc_cuda_sort_first_columns(s->x, s->a, s->temp, s->temp_bytes, p, err));
    take_ranks<<<blocks, rc::ORDER_THREADS, 0, stream>>>(
        s->c.row, s->rank, s->c.count, p->value, p->key, p->n);
    RC_PASS(rc_cuda_launched("keys of rows", err));
    return rc_cuda_sort(s->x, s->temp, s->temp_bytes, p, rc::bits_of(s->c.count), err);
}

} // namespace

rc_status_t rc::search_cells(search *s, rc_err_t *err)
{
    const int lanes = rc::lanes_of(s->a);
    RC_PASS(rc::fill_none(s->x, s->c.row, s->a->rows, err));
    RC_PASS(rc::fill_none(s->x, s->c.col, s->a->cols, err));
    RC_PASS(rc_cuda_check(cudaMemsetAsync(s->c.found, 0,
                              sizeof *s->c.found * (1 + rc::CELL_LEVELS) * (rc::CELL_ROUNDS + 1),
                              rc_cuda_stream(s->x)),
        "cells of rows", err));
    return lanes == 1   ? search_with<1>(s, err)
           : lanes == 2 ? search_with<2>(s, err)
           : lanes == 4 ? search_with<4>(s, err)
                        : search_with<8>(s, err);
}

rc_status_t rc::search_place(search *s, int32_t *slots, rc_err_t *err)
{
    rc_cuda_pairs_t p = {s->c.link, s->key_beside, slots, s->beside, s->a->rows};
    RC_PASS(rank(s, err));
    RC_PASS(sort_rows(s, &p, err));
    if (s->rounds > 0)
        RC_PASS(gather(s, &p, err));
    return deliver(s->x, &p, slots, err);
}

/* ------------------------------------------------------------ the workspace */

/* Levels go into words from the lowest on, as many as fit. */
int64_t rc::search_add_level(paths *p, int64_t n, int64_t branch)
{
    n = (n + branch - 1) / branch;
    const int bits = bits_of(n - 1);
    if (p->bits[p->words - 1] + bits > 64)
        p->bits[p->words++] = 0;
    p->place[p->levels] = {p->words - 1, p->bits[p->words - 1]};
    p->bits[p->words - 1] += bits;
    p->branch[p->levels++] = (int)branch;
    return n;
}

void rc::search_take(search *s, workspace *w)
{
    const int64_t rows = s->a->rows;
    const int64_t n = s->c.count;
    s->c.row = w->take<uint32_t>(rows);
    s->c.link = w->take<uint32_t>(rows);
    s->key_beside = w->take<uint32_t>(rows);
    s->beside = w->take<int32_t>(rows);
    s->columns = w->take<uint32_t>((s->rounds > 0 ? 2 : 1) * s->a->cols);
    s->c.col = s->columns;
    s->c.at = w->take<uint32_t>(n);
    s->c.key = w->take<uint32_t>(n);
    s->rank = w->take<uint32_t>(n);
    s->c.path = w->take<uint64_t>(s->p.words * n);
    for (int i = 0; i < 2; i++) {
        s->cell_key[i] = w->take<uint64_t>(n);
        s->cell_order[i] = w->take<int32_t>(n);
    }
    s->c.found = w->take<int>((1 + rc::CELL_LEVELS) * (rc::CELL_ROUNDS + 1));
    s->temp = w->take<char>(s->temp_bytes);
}

rc_status_t rc::search_begin(rc_executor_t *x, const rc_cuda_pattern_t *a, int64_t size,
    int64_t rounds, search *s, rc_err_t *err)
{
    const int64_t most = (int64_t)1 << RC_LOCAL_CELL_BITS;
    const int64_t least = (a->rows + most - 1) / most;
    int64_t of_cells = 0;
    *s = {};
    s->x = x;
    s->a = a;
    s->rounds = rounds;
    s->c.size = size < least ? least : size;
    s->c.count = (a->rows + s->c.size - 1) / s->c.size;
    s->p.words = 1;
    RC_PASS(rc_cuda_sort_bytes(a->rows, &s->temp_bytes, err));
    RC_PASS(rc_cuda_sort64_bytes(s->c.count, &of_cells, err));
    s->temp_bytes = s->temp_bytes > of_cells ? s->temp_bytes : of_cells;
    return RC_OK;
}
