#include "config.h"
#include "format/cuda/slots.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/scale.h"
#include "format/places.h"
#include "format/slots.h"

#include <inttypes.h>
#include <stdlib.h>

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

rc_status_t rc_cuda_slots_named(rc_memory_t *m, const rc_problem_t *p, void **out, rc_err_t *err)
{
    const size_t bytes = (size_t)p->schedule->slots * sizeof(int32_t);
    if (!p->rows_there)
        return rc_memory_keep(m, p->schedule->row, bytes, out, err);
    RC_PASS(rc_memory_room(m, bytes, out, err));
    return m->x->move(m->x, *out, p->rows_there, bytes, err);
}

rc_status_t rc_cuda_slots_rows(
    rc_memory_t *m, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err)
{
    int32_t *absent = NULL;
    void *device = NULL;
    rc_status_t st;
    *out = (rc_cuda_slots_t){
        .slots = p->schedule->slots, .rows = p->a->rows, .absents = rc_slots_absents(p)};
    if (rc_slots_named(p)) {
        RC_TRY(rc_cuda_slots_named(m, p, &device, err));
        out->row = device;
    }
    RC_TRY(rc_slots_list_absent(p, &absent, err));
    RC_TRY(rc_memory_keep(m, absent, (size_t)out->absents * sizeof *absent, &device, err));
    out->absent = device;
done:
    free(absent);
    return st;
}

static size_t pointer_bytes(const rc_cuda_slots_t *s)
{
    return s->wide ? sizeof(int64_t) : sizeof(int32_t);
}

void rc_cuda_slots_keep(
    rc_keeping_t *k, rc_slots_t *host, rc_build_csr_t *there, rc_cuda_slots_t *s)
{
    const rc_problem_t *p = k->p;
    s->cols = p->a->cols;
    s->nnz = p->a->nnz;
    s->wide = rc_cuda_slots_wide(p);
    s->ptr = rc_keep_pointers(k, host->ptr, s->slots + 1, (int)pointer_bytes(s));
    s->col = rc_keep_array(k, host->col, (size_t)s->nnz, sizeof *s->col);
    if (p->identity)
        rc_keep_own_values(k);
    else
        (void)rc_keep_values(k, host->entry, s->nnz);
    s->val = k->val;
    if (k->st == RC_OK && p->resident) /* nothing but the schedule is uploaded */
        k->st = there ? rc_build_csr_copy(there, s->wide, s->ptr, s->col, k->places.at, k->err)
                      : rc_build_slots(p, s->wide, s->ptr, s->col, k->places.at, k->err);
}

rc_status_t rc_cuda_slots_build(
    rc_memory_t *m, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err)
{
    rc_keeping_t k = rc_keep_begin(m, p, err);
    rc_slots_t host = {0};
    RC_PASS(rc_cuda_slots_rows(m, p, out, err));
    if (!p->resident)
        k.st = rc_slots_arrange(m->x, p, &host, err);
    rc_cuda_slots_keep(&k, &host, NULL, out);
    rc_status_t st = rc_keep_end(&k);
    rc_slots_free(&host);
    if (st < 0 || p->resident) /* what was built there was waited for */
        return st;
    return m->x->wait(m->x, err); /* it is part of the time to prepare */
}

rc_status_t rc_cuda_slots_absent(const rc_executor_t *x, const rc_cuda_slots_t *s,
    const rc_operands_t *o, double beta, rc_err_t *err)
{
    const double by[2] = {beta, o->beta_im};
    return rc_cuda_scale(x, &o->out, s->absent, s->absents, by, err);
}

/* -------------------------------------------------------------- analysis */

int64_t rc_cuda_rows_bytes(const rc_problem_t *p)
{
    int64_t named = rc_slots_named(p) ? p->schedule->slots : 0;
    return (named + rc_slots_absents(p)) * (int64_t)sizeof(int32_t);
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
    out->traffic = bytes - rc_slots_absents(p) * (int64_t)sizeof(int32_t);
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
