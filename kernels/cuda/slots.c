#include "config.h"
#include "kernels/cuda/slots.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"

#include <inttypes.h>
#include <string.h>

enum {
    WARPS = 32,             /* of a CTA */
    LANES = 32,             /* of a warp */
    LINE_BYTES = 128,       /* of a cache */
    SLOTS_SPARE = 1 << 20,  /* kernels step past the last slot by less than that ... */
    ENTRIES_SPARE = 1 << 10 /* ... and past the last entry by less than that */
};

int rc_cuda_slots_wide(const rc_problem_t *p)
{
    return p->a->nnz > INT32_MAX - ENTRIES_SPARE;
}

static int has_rows(const rc_problem_t *p)
{
    return !p->identity && p->c_order == RC_C_ORIGINAL;
}

/* Device copy of an array on the host; NULL for an empty one. */
static rc_status_t copy(rc_device_t *d, const void *from, size_t bytes, void **out, rc_err_t *err)
{
    void *to = NULL;
    *out = NULL;
    if (bytes == 0)
        return RC_OK;
    rc_status_t st = d->alloc(d, bytes, &to, err);
    if (st < 0)
        return st;
    st = d->upload(d, to, from, bytes, err);
    if (st < 0)
        d->release(d, to);
    else
        *out = to;
    return st;
}

/* The pointers as 32-bit numbers, in the memory of the wide ones: each is read before its place is
 * overwritten. */
static const void *narrowed(rc_slots_t *s)
{
    unsigned char *to = (unsigned char *)s->ptr;
    for (int64_t i = 0; i <= s->slots; i++) {
        int32_t at = (int32_t)s->ptr[i];
        memcpy(to + (size_t)i * sizeof at, &at, sizeof at);
    }
    return to;
}

rc_status_t rc_cuda_slots_build(
    rc_device_t *d, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err)
{
    rc_slots_t host;
    rc_status_t st = rc_slots_build(d, p, &host, err);
    if (st < 0)
        return st;
    rc_cuda_slots_t s = {.slots = host.slots,
        .rows = p->a->rows,
        .cols = p->a->cols,
        .nnz = p->a->nnz,
        .k = p->k,
        .c_rows = p->c_rows,
        .wide = rc_cuda_slots_wide(p)};
    size_t nnz = (size_t)s.nnz;
    size_t slots = (size_t)s.slots;
    void *col = NULL;
    void *row = NULL;
    RC_TRY(copy(d, s.wide ? host.ptr : narrowed(&host),
        (slots + 1) * (s.wide ? sizeof(int64_t) : sizeof(int32_t)), &s.ptr, err));
    RC_TRY(copy(d, host.col, nnz * sizeof(int32_t), &col, err));
    s.col = col;
    RC_TRY(copy(d, host.val, nnz * rc_precision_bytes(p->precision), &s.val, err));
    if (has_rows(p))
        RC_TRY(copy(d, host.row, slots * sizeof(int32_t), &row, err));
    s.row = row;
    *out = s;
done:
    rc_slots_free(&host);
    if (st < 0)
        rc_cuda_slots_free(d, &s);
    return st;
}

void rc_cuda_slots_free(rc_device_t *d, rc_cuda_slots_t *s)
{
    void *const part[] = {s->ptr, s->col, s->val, s->row};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        if (part[i])
            d->release(d, part[i]);
    *s = (rc_cuda_slots_t){0};
}

int64_t rc_cuda_slots_bytes(const rc_problem_t *p)
{
    int64_t pointer = (int64_t)(rc_cuda_slots_wide(p) ? sizeof(int64_t) : sizeof(int32_t));
    int64_t slot = pointer + (has_rows(p) ? (int64_t)sizeof(int32_t) : 0);
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    int64_t bytes = rc_sat_mul(p->a->nnz, entry);
    bytes = rc_sat_add(bytes, rc_sat_mul(p->schedule->slots, slot));
    return rc_sat_add(bytes, pointer);
}

int64_t rc_cuda_slots_bytes_min(const rc_problem_t *p)
{
    int64_t stored = p->schedule->slots;
    if (!p->identity)
        for (int64_t i = 0; i < p->schedule->slots; i++)
            stored -= p->schedule->row[i] < 0;
    int64_t row_bytes = rc_sat_mul(p->k, (int64_t)rc_precision_bytes(p->precision));
    return rc_sat_add(rc_cuda_slots_bytes(p), rc_sat_mul(row_bytes, stored + p->a->cols));
}

rc_status_t rc_cuda_supports(const rc_problem_t *p, rc_err_t *err)
{
    if (p->op != RC_OP_SPMM)
        return rc_fail(err, RC_ENOTSUP, "operation %s is not implemented", rc_op_name(p->op));
    if (p->k < 1)
        return rc_fail(err, RC_ENOTSUP, "shape: B has no columns");
    if (p->schedule->slots > INT32_MAX - SLOTS_SPARE)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " slots, at most %d are implemented",
            p->schedule->slots, INT32_MAX - SLOTS_SPARE);
    return RC_OK;
}

rc_geometry_t rc_cuda_geometry(const rc_device_t *d, const int64_t *param, rc_precision_t precision)
{
    (void)d;
    (void)param;
    return (rc_geometry_t){WARPS, LANES, LINE_BYTES / (int32_t)rc_precision_bytes(precision)};
}
