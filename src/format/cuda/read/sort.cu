/* format/cuda/read/read.h: a caller's matrix into the order of CSR.  Entries are sorted by column
 * and then, those of a column staying in order, by row.  CSC has them by column already. */
#include "format/cuda/read/read.h"
#include "format/cuda/vector.cuh"
#include "order/cuda/orders.cuh"

namespace
{

/* The numbers of entries, each with its entry. */
struct begin_keys {
    rc::pointers number;
    rc_cuda_pairs_t p;

    __device__ void put(int64_t i) const
    {
        p.key[i] = static_cast<uint32_t>(number[i]);
        p.value[i] = static_cast<int32_t>(i);
    }
};

/* Numbers in another order. */
struct take_numbers {
    rc::pointers number;
    const int32_t *by;
    uint32_t *to;

    __device__ void put(int64_t i) const
    {
        to[i] = static_cast<uint32_t>(number[by[i]]);
    }
};

/* The row of each entry of CSR, the column of each of CSC. */
struct spread {
    int32_t *major;

    __device__ void put(int64_t i, int64_t slot, int64_t) const
    {
        major[i] = static_cast<int32_t>(slot);
    }
};

struct make_places {
    int32_t *entry;

    __device__ void put(int64_t i) const
    {
        entry[i]++;
    }
};

struct work {
    rc_executor_t *x;
    rc_read_arrays_t a;
    rc_cuda_pairs_t p; /* its arrays are owned */
    void *temp;
    int64_t temp_bytes;
};

template <typename T> rc_status_t room(work *w, T **out, rc_err_t *err)
{
    void *to = nullptr;
    const rc_status_t st = w->x->alloc(w->x, static_cast<size_t>(w->a.nnz) * sizeof(T), &to, err);
    *out = static_cast<T *>(to);
    return st;
}

rc_status_t lay_out(work *w, rc_err_t *err)
{
    w->p.n = w->a.nnz;
    RC_PASS(room(w, &w->p.key, err));
    RC_PASS(room(w, &w->p.key_beside, err));
    RC_PASS(room(w, &w->p.value, err));
    RC_PASS(room(w, &w->p.value_beside, err));
    {
        const rc::current gpu(w->x);
        RC_PASS(rc_cuda_sort_bytes(w->p.n, &w->temp_bytes, err));
    }
    return w->x->alloc(w->x, static_cast<size_t>(w->temp_bytes), &w->temp, err);
}

void clear(work *w)
{
    w->x->release(w->x, w->p.key);
    w->x->release(w->x, w->p.key_beside);
    w->x->release(w->x, w->p.value);
    w->x->release(w->x, w->p.value_beside);
    w->x->release(w->x, w->temp);
}

/* \param[in] end  above all keys */
rc_status_t sort(work *w, int64_t end, rc_err_t *err)
{
    const rc::current gpu(w->x);
    return rc_cuda_sort(w->x, w->temp, w->temp_bytes, &w->p, rc::bits_of(end - 1), err);
}

rc_status_t spread_majors(work *w, void *to, rc_err_t *err)
{
    const rc::pointers ptr = {w->a.ptr, w->a.ptr_bytes};
    return rc::put_entries(w->x, spread{static_cast<int32_t *>(to)}, ptr, w->a.majors, w->a.nnz,
        "numbers of entries", err);
}

rc_status_t take(work *w, const rc::pointers &number, uint32_t *to, rc_err_t *err)
{
    return rc::put_each(
        w->x, take_numbers{number, w->p.value, to}, w->a.nnz, "numbers of entries", err);
}

/* Entries by row, and their columns into key_beside. */
rc_status_t sort_csc(work *w, rc_err_t *err)
{
    RC_PASS(sort(w, w->a.minors, err));
    RC_PASS(spread_majors(w, w->p.value_beside, err));
    return take(w, {w->p.value_beside, 4}, w->p.key_beside, err);
}

/* The same of CSR and COO. */
rc_status_t sort_rows(work *w, rc_plan_form_t form, rc_err_t *err)
{
    rc::pointers row = {w->a.ptr, w->a.ptr_bytes};
    RC_PASS(sort(w, w->a.minors, err));
    if (form == RC_PLAN_CSR) {
        RC_PASS(spread_majors(w, w->p.key_beside, err));
        row = {w->p.key_beside, 4};
    }
    RC_PASS(take(w, row, w->p.key, err));
    RC_PASS(sort(w, w->a.majors, err));
    return take(w, {w->a.col, w->a.col_bytes}, w->p.key_beside, err);
}

rc_status_t put_pointers(work *w, int64_t rows, void **out, rc_err_t *err)
{
    RC_PASS(w->x->alloc(w->x, static_cast<size_t>(rows + 1) * sizeof(int64_t), out, err));
    const rc_read_rows_t of = {w->p.key, 4, w->a.nnz, rows};
    return rc_read_pointers(w->x, &of, static_cast<int64_t *>(*out), err);
}

rc_status_t run(work *w, rc_plan_form_t form, rc_read_sorted_t *out, rc_err_t *err)
{
    const begin_keys begin = {{w->a.col, w->a.col_bytes}, w->p};
    const int64_t rows = form == RC_PLAN_CSC ? w->a.minors : w->a.majors;
    RC_PASS(rc::put_each(w->x, begin, w->a.nnz, "numbers of entries", err));
    RC_PASS(form == RC_PLAN_CSC ? sort_csc(w, err) : sort_rows(w, form, err));
    if (form != RC_PLAN_CSR)
        RC_PASS(put_pointers(w, rows, &out->row_ptr, err));
    RC_PASS(rc::put_each(w->x, make_places{w->p.value}, w->a.nnz, "places of entries", err));
    out->col = w->p.key_beside;
    out->from = w->p.value;
    w->p.key_beside = nullptr;
    w->p.value = nullptr;
    return RC_OK;
}

} // namespace

extern "C" rc_status_t rc_read_sort(rc_executor_t *x, const rc_read_arrays_t *a,
    rc_plan_form_t form, rc_read_sorted_t *out, rc_err_t *err)
{
    work w = {};
    w.x = x;
    w.a = *a;
    *out = {};
    rc_status_t st = lay_out(&w, err);
    if (st == RC_OK)
        st = run(&w, form, out, err);
    clear(&w);
    return st;
}
