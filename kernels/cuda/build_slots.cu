/* A matrix of kernels/cuda/build_vector.h in the order of its slots. */
#include "kernels/cuda/build_vector.cuh"

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
template <typename T> struct slot_entries {
    rc_build_items_t items;
    int32_t *col;
    T *val;

    __device__ void put(int64_t i, int64_t slot, int64_t j) const
    {
        const int64_t from = rc::item_at(items, slot).first + j;
        col[i] = items.col_idx[from];
        val[i] = rc::value_at<T>(items, from);
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

template <typename T> struct converted {
    const void *from;
    int bytes;
    T *to;

    __device__ void put(int64_t i) const
    {
        to[i] = rc::value_of<T>(from, bytes, i);
    }
};

rc_status_t copy(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    if (bytes == 0)
        return RC_OK;
    const int current = rc_cuda_enter(x);
    const rc_status_t st = rc_cuda_check(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, rc_cuda_stream(x)),
        "copying a matrix", err);
    rc_cuda_leave(x, current);
    return st;
}

} // namespace

/* Entries in the order of the slots, where that is not the matrix's own. */
static rc_status_t gather(rc_build_csr_t *c, rc_err_t *err)
{
    rc_build_t *b = &c->b;
    const rc_build_items_t *items = &b->items;
    void *ptr = nullptr;
    void *col = nullptr;
    void *val = nullptr;
    const size_t nnz = static_cast<size_t>(c->nnz);
    rc_status_t st =
        rc_cuda_room(&b->memory, static_cast<size_t>(c->slots + 1) * sizeof(int64_t), &ptr, err);
    if (st == RC_OK)
        st = rc_cuda_room(&b->memory, nnz * sizeof(int32_t), &col, err);
    if (st == RC_OK)
        st = rc_cuda_room(&b->memory, nnz * static_cast<size_t>(items->value_bytes), &val, err);
    if (st == RC_OK)
        st = rc::put_in_order(b, slot_pointers{*items, static_cast<int64_t *>(ptr)}, c->slots,
            "slot pointers", err);
    c->ptr = ptr;
    c->ptr_bytes = sizeof(int64_t);
    c->col = static_cast<const int32_t *>(col);
    c->val = val;
    if (st < 0)
        return st;
    if (items->value_bytes == 4)
        return rc::put_entries(b->x,
            slot_entries<float>{*items, static_cast<int32_t *>(col), static_cast<float *>(val)},
            rc::csr_of(c).ptr, c->slots, c->nnz, "entries of the slots", err);
    return rc::put_entries(b->x,
        slot_entries<double>{*items, static_cast<int32_t *>(col), static_cast<double *>(val)},
        rc::csr_of(c).ptr, c->slots, c->nnz, "entries of the slots", err);
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
    out->val = items->val;
    out->value_bytes = items->value_bytes;
    return items->slot ? gather(out, err) : RC_OK;
}

extern "C" void rc_build_csr_end(rc_build_csr_t *c)
{
    rc_build_end(&c->b);
}

extern "C" rc_status_t rc_build_csr_copy(rc_build_csr_t *c, rc_precision_t precision, int wide,
    void *ptr, int32_t *col, void *val, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    const int value = static_cast<int>(rc_precision_bytes(precision));
    const int64_t pointers = c->slots + 1;
    rc_status_t st = copy(x, col, c->col, static_cast<size_t>(c->nnz) * sizeof *col, err);
    if (st < 0)
        return st;
    if (wide)
        st = rc::put_each(x, narrowed<int64_t>{c->ptr, c->ptr_bytes, static_cast<int64_t *>(ptr)},
            pointers, "slot pointers", err);
    else
        st = rc::put_each(x, narrowed<int32_t>{c->ptr, c->ptr_bytes, static_cast<int32_t *>(ptr)},
            pointers, "slot pointers", err);
    if (st < 0)
        return st;
    if (value == c->value_bytes)
        return copy(x, val, c->val, static_cast<size_t>(c->nnz) * static_cast<size_t>(value), err);
    if (value == 4)
        return rc::put_each(x, converted<float>{c->val, c->value_bytes, static_cast<float *>(val)},
            c->nnz, "values", err);
    return rc::put_each(x, converted<double>{c->val, c->value_bytes, static_cast<double *>(val)},
        c->nnz, "values", err);
}

/* Entries in the order of the slots, values of the precision. */
template <typename T>
static rc_status_t slots_in_order(
    rc_build_t *b, int64_t slots, const int64_t *ptr, int32_t *col, T *val, rc_err_t *err)
{
    return rc::put_entries(b->x, slot_entries<T>{b->items, col, val},
        rc::pointers{ptr, sizeof *ptr}, slots, b->nnz, "entries of the slots", err);
}

static rc_status_t order_slots(rc_build_t *b, rc_precision_t precision, int wide, void *ptr,
    int32_t *col, void *val, rc_err_t *err)
{
    const int64_t slots = b->items.slots;
    void *to = ptr;
    rc_status_t st = RC_OK;
    if (!wide)
        st = rc_cuda_room(
            &b->memory, static_cast<size_t>(slots + 1) * sizeof(int64_t), &to, err);
    if (st < 0)
        return st;
    int64_t *begin = static_cast<int64_t *>(to);
    st = rc::put_in_order(b, slot_pointers{b->items, begin}, slots, "slot pointers", err);
    if (st == RC_OK && !wide)
        st = rc::put_each(b->x,
            narrowed<int32_t>{begin, sizeof *begin, static_cast<int32_t *>(ptr)}, slots + 1,
            "slot pointers", err);
    if (st < 0)
        return st;
    return precision == RC_FP64
               ? slots_in_order(b, slots, begin, col, static_cast<double *>(val), err)
               : slots_in_order(b, slots, begin, col, static_cast<float *>(val), err);
}

extern "C" rc_status_t rc_build_slots(const rc_problem_t *p, rc_precision_t precision, int wide,
    void *ptr, int32_t *col, void *val, rc_err_t *err)
{
    rc_build_csr_t c = {};
    rc_status_t st;
    if (p->identity) {
        st = rc_build_csr_begin(p, &c, err);
        if (st == RC_OK)
            st = rc_build_csr_copy(&c, precision, wide, ptr, col, val, err);
    } else {
        st = rc_build_begin(p, &c.b, err);
        if (st == RC_OK)
            st = order_slots(&c.b, precision, wide, ptr, col, val, err);
    }
    rc_build_csr_end(&c);
    return st;
}
