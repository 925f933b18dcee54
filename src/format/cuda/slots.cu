/* A matrix of format/cuda/vector.h in the order of its slots. */
#include "format/cuda/vector.cuh"
#include "base/error.h"

#include <cuda_runtime.h>

namespace
{

/* Pointers of the slots. */
struct slot_pointers {
    rc_build_items_t items;
    int64_t *ptr;

    __device__ int64_t count(int64_t i) const
    {
        return rc::item_at(items, i).length;
    }

    __device__ void put(int64_t i, int64_t before, int64_t) const
    {
        ptr[i] = before;
    }
};

/* Entries of the slots. */
struct slot_entries {
    rc_build_items_t items;
    int32_t *col;
    rc::places entry;

    __device__ void put(int64_t i, int64_t slot, int64_t j) const
    {
        const int64_t from = rc::item_at(items, slot).first + j;
        col[i] = items.col_idx[from];
        entry.put(i, from);
    }
};

template <typename T> struct narrowed {
    const void *from;
    int bytes;
    T *to;

    __device__ void put(int64_t i) const
    {
        const rc::pointers p = {from, bytes};
        to[i] = static_cast<T>(p[i]);
    }
};

/* Places of entries of a matrix in its own order. */
struct own_order {
    rc::places entry;

    __device__ void put(int64_t i) const
    {
        entry.put(i, i);
    }
};

} // namespace

/* Pointers and entries in the order of the slots.  \param[out] ptr  [slots + 1] */
static rc_status_t put_slots(
    rc_build_t *b, int64_t *ptr, int32_t *col, const rc::places &entry, rc_err_t *err)
{
    const int64_t slots = b->items.slots;
    const rc_status_t st =
        rc::put_in_order(b, slot_pointers{b->items, ptr}, slots, "slot pointers", err);
    return st < 0 ? st
                  : rc::put_entries(b->x, slot_entries{b->items, col, entry},
                        rc::pointers{ptr, sizeof *ptr}, slots, b->nnz, "entries of the slots", err);
}

/* The same in memory of the build, where the slots are not in the matrix's own order. */
static rc_status_t gather(rc_build_csr_t *c, rc_err_t *err)
{
    rc_build_t *b = &c->b;
    void *ptr = nullptr;
    void *col = nullptr;
    void *entry = nullptr;
    const size_t nnz = static_cast<size_t>(c->nnz);
    rc_status_t st =
        rc_memory_room(&b->memory, static_cast<size_t>(c->slots + 1) * sizeof(int64_t), &ptr, err);
    if (st == RC_OK)
        st = rc_memory_room(&b->memory, nnz * sizeof(int32_t), &col, err);
    if (st == RC_OK)
        st = rc_memory_room(&b->memory, nnz * static_cast<size_t>(c->entry_bytes), &entry, err);
    if (st == RC_OK)
        st = put_slots(b, static_cast<int64_t *>(ptr), static_cast<int32_t *>(col),
            {entry, c->entry_bytes}, err);
    c->ptr = ptr;
    c->ptr_bytes = sizeof(int64_t);
    c->col = static_cast<const int32_t *>(col);
    c->entry = entry;
    return st;
}

extern "C" rc_status_t rc_build_csr_begin(const rc_problem_t *p, rc_build_csr_t *out, rc_err_t *err)
{
    *out = {};
    const rc_status_t st = rc_build_begin(p, &out->b, err);
    if (st < 0)
        return st;
    const rc_build_items_t *items = &out->b.items;
    out->slots = items->slots;
    out->nnz = p->a->nnz;
    out->ptr = items->row_ptr;
    out->ptr_bytes = items->row_ptr_bytes;
    out->col = items->col_idx;
    out->entry_bytes = rc_places_bytes(p->a);
    return items->slot ? gather(out, err) : RC_OK;
}

extern "C" void rc_build_csr_end(rc_build_csr_t *c)
{
    rc_build_end(&c->b);
}

static rc_status_t copy_pointers(
    rc_executor_t *x, const rc::pointers &from, int wide, void *to, int64_t count, rc_err_t *err)
{
    return wide
               ? rc::put_each(x, narrowed<int64_t>{from.at, from.bytes, static_cast<int64_t *>(to)},
                     count, "slot pointers", err)
               : rc::put_each(x, narrowed<int32_t>{from.at, from.bytes, static_cast<int32_t *>(to)},
                     count, "slot pointers", err);
}

extern "C" rc_status_t rc_build_csr_copy(
    rc_build_csr_t *c, int wide, void *ptr, int32_t *col, void *entry, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    const size_t nnz = static_cast<size_t>(c->nnz);
    RC_PASS(rc::copy(x, col, c->col, nnz * sizeof *col, "copying a matrix", err));
    RC_PASS(copy_pointers(x, {c->ptr, c->ptr_bytes}, wide, ptr, c->slots + 1, err));
    if (!entry) /* they are not asked for */
        return RC_OK;
    return c->entry ? rc::copy(x, entry, c->entry, nnz * static_cast<size_t>(c->entry_bytes),
                          "copying a matrix", err)
                    : rc::put_each(x, own_order{{entry, c->entry_bytes}}, c->nnz, "places", err);
}

static rc_status_t order_slots(
    rc_build_t *b, int wide, void *ptr, int32_t *col, const rc::places &entry, rc_err_t *err)
{
    const int64_t slots = b->items.slots;
    void *to = ptr;
    rc_status_t st = RC_OK;
    if (!wide)
        st = rc_memory_room(&b->memory, static_cast<size_t>(slots + 1) * sizeof(int64_t), &to, err);
    if (st == RC_OK)
        st = put_slots(b, static_cast<int64_t *>(to), col, entry, err);
    return st < 0 || wide ? st
                          : copy_pointers(b->x, {to, sizeof(int64_t)}, wide, ptr, slots + 1, err);
}

extern "C" rc_status_t rc_build_slots(
    const rc_problem_t *p, int wide, void *ptr, int32_t *col, void *entry, rc_err_t *err)
{
    rc_build_csr_t c = {};
    rc_status_t st;
    if (p->identity) {
        st = rc_build_csr_begin(p, &c, err);
        if (st == RC_OK)
            st = rc_build_csr_copy(&c, wide, ptr, col, entry, err);
    } else {
        st = rc_build_begin(p, &c.b, err);
        if (st == RC_OK)
            st = order_slots(&c.b, wide, ptr, col, {entry, rc_places_bytes(p->a)}, err);
    }
    rc_build_csr_end(&c);
    return st;
}
