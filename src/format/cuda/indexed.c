#include "config.h"
#include "format/cuda/indexed.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/bsr.h"
#include "format/cuda/indices.h"

int64_t rc_indexed_wide_bytes(int64_t count, int wide)
{
    return wide ? rc_sat_mul(count, (int64_t)sizeof(int64_t)) : 0;
}

static void *widen(rc_keeping_t *k, const void *from, int64_t count)
{
    void *to = rc_keep_array(k, NULL, (size_t)count, sizeof(int64_t));
    if (k->st == RC_OK)
        k->st = rc_cuda_widen(k->m->x, from, to, count, k->err);
    return to;
}

static void *keep_indices(rc_keeping_t *k, const int32_t *from, int64_t count, int wide)
{
    void *to = rc_keep_array(k, from, (size_t)count, sizeof *from);
    return wide ? widen(k, to, count) : to;
}

/* ------------------------------------------------------- CSR, coordinates */

/* \param[out] k  for what is made of the slots */
static rc_status_t keep_slots(
    rc_memory_t *m, const rc_problem_t *p, rc_indexed_t *out, rc_keeping_t *k, rc_err_t *err)
{
    *k = rc_keep_begin(m, p, err);
    k->st = rc_cuda_slots_build(m, p, &out->slots, err);
    out->val = out->slots.val;
    out->stored = out->slots.nnz;
    out->col = out->slots.col;
    if (out->wide)
        out->col = widen(k, out->slots.col, out->slots.nnz);
    return k->st;
}

rc_status_t rc_indexed_csr(rc_memory_t *m, const rc_problem_t *p, rc_indexed_t *out, rc_err_t *err)
{
    rc_keeping_t k;
    RC_PASS(keep_slots(m, p, out, &k, err));
    out->row = out->slots.ptr;
    if (out->wide && !out->slots.wide)
        out->row = widen(&k, out->slots.ptr, out->slots.slots + 1);
    return k.st;
}

rc_status_t rc_indexed_coo(rc_memory_t *m, const rc_problem_t *p, rc_indexed_t *out, rc_err_t *err)
{
    const rc_cuda_slots_t *s = &out->slots;
    rc_keeping_t k;
    RC_PASS(keep_slots(m, p, out, &k, err));
    out->row =
        rc_keep_array(&k, NULL, (size_t)s->nnz, out->wide ? sizeof(int64_t) : sizeof(int32_t));
    RC_PASS(k.st);
    return rc_cuda_expand(m->x, s->ptr, s->wide, s->slots, out->row, out->wide, err);
}

/* ---------------------------------------------------------- blocks, slices */

/* Pointers, columns and values at places, all of the host. */
typedef struct host {
    const int32_t *ptr;
    int64_t ptrs;
    const int32_t *col;
    int64_t cols;
    const void *entry;
    int64_t entries;
} host_t;

static rc_status_t keep(
    rc_memory_t *m, const rc_problem_t *p, const host_t *h, rc_indexed_t *out, rc_err_t *err)
{
    rc_keeping_t k = rc_keep_begin(m, p, err);
    k.st = rc_cuda_slots_rows(m, p, &out->slots, err);
    out->row = keep_indices(&k, h->ptr, h->ptrs, out->wide);
    out->col = keep_indices(&k, h->col, h->cols, out->wide);
    (void)rc_keep_values(&k, h->entry, h->entries);
    out->val = k.val;
    out->stored = k.stored;
    return rc_keep_end(&k);
}

rc_status_t rc_indexed_bsr(rc_memory_t *m, const rc_problem_t *p, rc_indexed_t *out, rc_err_t *err)
{
    rc_bsr_t b = {0};
    RC_PASS(rc_bsr_build(p, out->size, m->x->threads, &b, err));
    const host_t host = {
        b.ptr, b.block_rows + 1, b.col, b.blocks, b.entry, b.blocks * b.block * b.block};
    rc_status_t st = keep(m, p, &host, out, err);
    rc_bsr_free(&b);
    return st;
}

rc_items_t rc_indexed_items(const rc_problem_t *p)
{
    return (rc_items_t){.p = p, .count = p->schedule->slots};
}

rc_sell_shape_t rc_indexed_shape(int64_t slice)
{
    return (rc_sell_shape_t){
        .slice = slice, .longest = INT64_MAX, .col_bytes = (int64_t)sizeof(int32_t), .pad = -1};
}

rc_status_t rc_indexed_sell(rc_memory_t *m, const rc_problem_t *p, rc_indexed_t *out, rc_err_t *err)
{
    const rc_items_t items = rc_indexed_items(p);
    const rc_sell_shape_t shape = rc_indexed_shape(out->size);
    const rc_sell_size_t size = rc_sell_measure(&items, &shape);
    rc_sell_t a = {0};
    RC_PASS(rc_sell_build(&items, &shape, &size, m->x->threads, &a, err));
    const host_t host = {rc_narrow_pointers(a.ptr, size.slices + 1), size.slices + 1, a.col,
        size.stored, a.entry, size.stored};
    rc_status_t st = keep(m, p, &host, out, err);
    rc_sell_free(&a);
    return st;
}
