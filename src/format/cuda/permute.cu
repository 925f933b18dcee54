/* P A P' on a GPU.  Rows go to their slots with their columns renumbered, and are sorted there as
 * those of a caller's matrix are (read/sort.cu). */
#include "format/cuda/permute.h"
#include "format/cuda/read/read.h"
#include "format/cuda/vector.cuh"

namespace
{

/* Numbers of either width to be written. */
struct numbers {
    void *at;
    int bytes;

    __device__ void put(int64_t i, int64_t x) const
    {
        rc_number_put(at, bytes, i, x);
    }
};

struct invert {
    const int32_t *row;
    int32_t *slot;

    __device__ void put(int64_t p) const
    {
        slot[row[p]] = static_cast<int32_t>(p);
    }
};

/* Row pointers, for the caller and for the steps that follow. */
struct point {
    rc::pointers ptr;
    const int32_t *row;
    int64_t *to;
    numbers out;
    int64_t rows;

    __device__ int64_t count(int64_t p) const
    {
        return ptr[row[p] + 1] - ptr[row[p]];
    }

    __device__ void put(int64_t p, int64_t before, int64_t) const
    {
        to[p] = before;
        out.put(p, before);
    }
};

/* The new column of each entry, and the entry. */
struct spread {
    rc::pointers ptr;
    const int32_t *row;
    const int32_t *slot;
    const int32_t *col;
    int32_t *to;
    int32_t *entry;

    __device__ void put(int64_t i, int64_t p, int64_t j) const
    {
        const int64_t e = ptr[row[p]] + j;
        to[i] = slot[col[e]];
        entry[i] = static_cast<int32_t>(e);
    }
};

/* Sorted columns and places, for the caller. */
struct deliver {
    const int32_t *col;
    const int32_t *sorted; /* place of each in the unsorted ones, from 1 on */
    const int32_t *entry;
    rc::pointers from; /* places in the caller's arrays; at NULL: its own */
    numbers to;
    numbers place;

    __device__ void put(int64_t i) const
    {
        const int64_t e = entry[sorted[i] - 1];
        to.put(i, col[i]);
        place.put(i, from.at ? from[e] : e + 1);
    }
};

/* What is released in the end. */
struct work {
    rc_memory_t memory;
    rc_read_sorted_t sorted;
    int64_t *ptr;
    int32_t *col;
    int32_t *entry;
};

template <typename T> rc_status_t room(work *w, int64_t n, T **out, rc_err_t *err)
{
    void *to = nullptr;
    const rc_status_t st = rc_memory_room(&w->memory, static_cast<size_t>(n) * sizeof(T), &to, err);
    *out = static_cast<T *>(to);
    return st;
}

rc_status_t put_pointers(
    rc_executor_t *x, work *w, const rc_there_t *a, const rc_permuted_t *p, rc_err_t *err)
{
    const point f = {{a->m.row_ptr, a->m.row_ptr_bytes}, p->row, w->ptr,
        {p->to.row_ptr, p->to.row_ptr_bytes}, p->rows};
    rc_build_t b = {};
    b.x = x;
    b.memory.x = x;
    const rc_status_t st = rc::put_in_order(&b, f, p->rows, "permuted row pointers", err);
    (void)rc_memory_free(&b.memory);
    return st;
}

rc_status_t put_entries(
    rc_executor_t *x, work *w, const rc_there_t *a, const rc_permuted_t *p, rc_err_t *err)
{
    const int64_t nnz = p->to.nnz;
    const rc::pointers old = {a->m.row_ptr, a->m.row_ptr_bytes};
    const spread f = {old, p->row, p->slot, a->m.col_idx, w->col, w->entry};
    RC_PASS(rc::put_entries(x, f, {w->ptr, 8}, p->rows, nnz, "permuted columns", err));
    rc_read_arrays_t unsorted = {};
    unsorted.majors = unsorted.minors = p->rows;
    unsorted.nnz = nnz;
    unsorted.ptr = w->ptr;
    unsorted.ptr_bytes = sizeof *w->ptr;
    unsorted.col = w->col;
    unsorted.col_bytes = sizeof *w->col;
    RC_PASS(rc_read_sort(x, &unsorted, RC_PLAN_CSR, &w->sorted, err));
    const deliver g = {static_cast<const int32_t *>(w->sorted.col),
        static_cast<const int32_t *>(w->sorted.from), w->entry, {a->from, a->from_bytes},
        {p->to.col_idx, p->to.col_idx_bytes}, {p->to.place, p->to.place_bytes}};
    return rc::put_each(x, g, nnz, "permuted columns", err);
}

rc_status_t run(
    rc_executor_t *x, work *w, const rc_there_t *a, const rc_permuted_t *p, rc_err_t *err)
{
    RC_PASS(room(w, p->rows + 1, &w->ptr, err));
    RC_PASS(put_pointers(x, w, a, p, err));
    if (p->to.nnz == 0)
        return RC_OK;
    RC_PASS(room(w, p->to.nnz, &w->col, err));
    RC_PASS(room(w, p->to.nnz, &w->entry, err));
    return put_entries(x, w, a, p, err);
}

} // namespace

extern "C" rc_status_t rc_cuda_invert(
    rc_executor_t *x, const int32_t *row, int64_t rows, int32_t *slot, rc_err_t *err)
{
    return rc::put_each(x, invert{row, slot}, rows, "an order", err);
}

extern "C" rc_status_t rc_cuda_permute(
    rc_executor_t *x, const rc_there_t *a, const rc_permuted_t *p, rc_err_t *err)
{
    if (p->to.nnz >= INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "matrix: expected less than 2^31 - 1 entries to permute on a GPU, found %lld",
            static_cast<long long>(p->to.nnz));
    work w = {};
    w.memory.x = x;
    const rc_status_t st = run(x, &w, a, p, err);
    x->release(x, w.sorted.row_ptr);
    x->release(x, w.sorted.col);
    x->release(x, w.sorted.from);
    (void)rc_memory_free(&w.memory);
    return st;
}
