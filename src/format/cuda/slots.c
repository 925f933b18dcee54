#include "config.h"
#include "format/cuda/slots.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/executor.h"
#include "device/cuda/scale.h"
#include "format/cuda/vector.h"
#include "format/places.h"
#include "format/slots.h"

#include <inttypes.h>
#include <stdlib.h>
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

int rc_cuda_slots_named(const rc_problem_t *p)
{
    return !p->identity && p->c_order == RC_C_ORIGINAL;
}

/* Rows that the slots hold. */
static int64_t held_rows(const rc_schedule_t *s)
{
    int64_t held = 0;
    for (int64_t i = 0; i < s->slots; i++)
        held += s->row[i] >= 0;
    return held;
}

static int64_t absent_rows(const rc_problem_t *p)
{
    return rc_cuda_slots_named(p) ? p->a->rows - held_rows(p->schedule) : 0;
}

rc_status_t rc_cuda_copy(
    rc_executor_t *x, const void *from, size_t bytes, void **out, rc_err_t *err)
{
    void *to = NULL;
    *out = NULL;
    if (bytes == 0)
        return RC_OK;
    rc_status_t st = x->alloc(x, bytes, &to, err);
    if (st < 0)
        return st;
    st = x->upload(x, to, from, bytes, err);
    if (st < 0)
        x->release(x, to);
    else
        *out = to;
    return st;
}

static size_t pointer_bytes(const rc_cuda_slots_t *s)
{
    return s->wide ? sizeof(int64_t) : sizeof(int32_t);
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

/* The rows that no slot holds, in increasing order.  \param[out] out  [absent_rows] */
static rc_status_t list_absent(const rc_problem_t *p, int32_t *out, rc_err_t *err)
{
    unsigned char *held = rc_alloc0((size_t)p->a->rows, 1, "the rows of the schedule", err);
    if (!held)
        return RC_ENOMEM;
    for (int64_t i = 0; i < p->schedule->slots; i++)
        if (p->schedule->row[i] >= 0)
            held[p->schedule->row[i]] = 1;
    for (int64_t r = 0; r < p->a->rows; r++)
        if (!held[r])
            *out++ = (int32_t)r;
    free(held);
    return RC_OK;
}

rc_status_t rc_cuda_slots_rows(
    rc_executor_t *x, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err)
{
    rc_cuda_slots_t s = {.slots = p->schedule->slots, .rows = p->a->rows};
    size_t absents = (size_t)absent_rows(p);
    int32_t *absent = NULL;
    void *device = NULL;
    rc_status_t st = RC_OK;
    if (rc_cuda_slots_named(p)) {
        RC_TRY(rc_cuda_copy(x, p->schedule->row, (size_t)s.slots * sizeof(int32_t), &device, err));
        s.row = device;
    }
    if (absents > 0) {
        absent = rc_alloc(absents, sizeof *absent, "rows without a slot", err);
        RC_TRY(absent ? list_absent(p, absent, err) : RC_ENOMEM);
        RC_TRY(rc_cuda_copy(x, absent, absents * sizeof *absent, &device, err));
        s.absent = device;
        s.absents = (int64_t)absents;
    }
    *out = s;
done:
    free(absent);
    if (st < 0)
        rc_cuda_slots_free(x, &s);
    return st;
}

/* The arrays in the order of the slots but the values, from the matrix on the host.
 * \param[out] host  to be freed when the values are there */
static rc_status_t build_here(rc_executor_t *x, const rc_problem_t *p, rc_cuda_slots_t *s,
    rc_slots_t *host, rc_places_t *places, rc_err_t *err)
{
    rc_status_t st = rc_slots_arrange(x, p, host, err);
    if (st < 0)
        return st;
    void *col = NULL;
    size_t nnz = (size_t)s->nnz;
    RC_TRY(rc_cuda_copy(x, s->wide ? host->ptr : narrowed(host),
        ((size_t)s->slots + 1) * pointer_bytes(s), &s->ptr, err));
    RC_TRY(rc_cuda_copy(x, host->col, nnz * sizeof(int32_t), &col, err));
    s->col = col;
    if (host->entry)
        RC_TRY(rc_places_keep(x, p, host->entry, s->nnz, places, err));
    else
        *places = rc_places_own(x, p);
done:
    return st;
}

/* The same from the matrix on the device: nothing but the schedule is uploaded. */
static rc_status_t build_there(rc_executor_t *x, const rc_problem_t *p, rc_cuda_slots_t *s,
    rc_places_t *places, rc_err_t *err)
{
    void *col = NULL;
    rc_status_t st;
    RC_TRY(x->alloc(x, ((size_t)s->slots + 1) * pointer_bytes(s), &s->ptr, err));
    if (s->nnz > 0) {
        RC_TRY(x->alloc(x, (size_t)s->nnz * sizeof(int32_t), &col, err));
        s->col = col;
    }
    if (p->identity)
        *places = rc_places_own(x, p);
    else
        RC_TRY(rc_places_keep(x, p, NULL, s->nnz, places, err));
    RC_TRY(rc_build_slots(p, s->wide, s->ptr, s->col, places->at, err));
done:
    return st;
}

rc_status_t rc_cuda_slots_build(
    rc_executor_t *x, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err)
{
    rc_cuda_slots_t s;
    rc_slots_t host = {0};
    rc_places_t places = {0};
    rc_status_t st = rc_cuda_slots_rows(x, p, &s, err);
    if (st < 0)
        return st;
    s.cols = p->a->cols;
    s.nnz = p->a->nnz;
    s.wide = rc_cuda_slots_wide(p);
    s.value_bytes = (int)rc_precision_bytes(p->precision);
    RC_TRY(p->resident ? build_there(x, p, &s, &places, err)
                       : build_here(x, p, &s, &host, &places, err));
    if (s.nnz > 0)
        RC_TRY(x->alloc(x, (size_t)s.nnz * (size_t)s.value_bytes, &s.val, err));
    RC_TRY(rc_places_fill(p, &places, s.val, err));
    RC_TRY(rc_executor_cuda_wait(x, err)); /* it is part of the time to prepare */
done:
    rc_places_free(&places);
    rc_slots_free(&host);
    if (st < 0)
        rc_cuda_slots_free(x, &s);
    else
        *out = s;
    return st;
}

rc_status_t rc_cuda_slots_keep(rc_cuda_memory_t *m, rc_cuda_slots_t *s, rc_err_t *err)
{
    void *const part[] = {s->ptr, s->col, s->val, s->row, s->absent};
    const size_t nnz = (size_t)s->nnz;
    const size_t bytes[] = {((size_t)s->slots + 1) * pointer_bytes(s),
        nnz * sizeof *s->col, nnz * (size_t)s->value_bytes, (size_t)s->slots * sizeof *s->row,
        (size_t)s->absents * sizeof *s->absent};
    const int parts = sizeof part / sizeof part[0];
    rc_status_t st = RC_OK;
    for (int i = 0; i < parts; i++)
        if (st < 0 || (st = rc_cuda_take(m, part[i], bytes[i], err)) < 0)
            m->x->release(m->x, part[i]);
    rc_cuda_memory_seal(m);
    return st;
}

void rc_cuda_slots_free(rc_executor_t *x, rc_cuda_slots_t *s)
{
    void *const part[] = {s->ptr, s->col, s->val, s->row, s->absent};
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        x->release(x, part[i]);
    *s = (rc_cuda_slots_t){0};
}

rc_status_t rc_cuda_slots_absent(const rc_executor_t *x, const rc_cuda_slots_t *s,
    const rc_dense_t *out, double beta, rc_err_t *err)
{
    return rc_cuda_scale(x, out, s->absent, s->absents, beta, err);
}

/* -------------------------------------------------------------- analysis */

int64_t rc_cuda_rows_bytes(const rc_problem_t *p)
{
    int64_t named = rc_cuda_slots_named(p) ? p->schedule->slots : 0;
    return (named + absent_rows(p)) * (int64_t)sizeof(int32_t);
}

rc_status_t rc_cuda_slots_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    if (p->schedule->slots > INT32_MAX - SLOTS_SPARE)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " slots, at most %d are implemented",
            p->schedule->slots, INT32_MAX - SLOTS_SPARE);
    int64_t pointer = (int64_t)(rc_cuda_slots_wide(p) ? sizeof(int64_t) : sizeof(int32_t));
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    int64_t bytes = rc_sat_mul(p->a->nnz, entry);
    bytes = rc_sat_add(bytes, (p->schedule->slots + 1) * pointer);
    bytes = rc_sat_add(bytes, rc_cuda_rows_bytes(p));
    out->bytes = bytes;
    out->traffic = bytes - absent_rows(p) * (int64_t)sizeof(int32_t);
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    return RC_OK;
}

rc_status_t rc_cuda_identity_only(const rc_problem_t *p, const char *what, rc_err_t *err)
{
    return p->identity ? RC_OK
                       : rc_fail(err, RC_ENOTSUP, "%s takes rows in original order only", what);
}

rc_geometry_t rc_cuda_geometry(
    const rc_executor_t *x, const int64_t *param, rc_precision_t precision)
{
    (void)x;
    (void)param;
    return (rc_geometry_t){WARPS, LANES, LINE_BYTES / (int32_t)rc_precision_bytes(precision)};
}
