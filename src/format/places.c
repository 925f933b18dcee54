#include "config.h"
#include "format/places.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "format/resident.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

int rc_places_bytes(const rc_csr_t *a)
{
    return a->nnz < INT32_MAX ? 4 : 8;
}

rc_status_t rc_places_keep(rc_executor_t *x, const rc_problem_t *p, const void *host, int64_t count,
    rc_places_t *out, rc_err_t *err)
{
    *out = (rc_places_t){.x = x, .host = host, .bytes = rc_places_bytes(p->a), .count = count};
    if (host || count == 0)
        return RC_OK;
    if (p->resident)
        return x->alloc(x, (size_t)count * (size_t)out->bytes, &out->at, err);
    out->host = out->own = rc_alloc((size_t)count, (size_t)out->bytes, "the places of values", err);
    return out->own ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_places_put(
    rc_places_t *places, int64_t first, const void *from, int64_t n, rc_err_t *err)
{
    size_t at = (size_t)first * (size_t)places->bytes;
    size_t bytes = (size_t)n * (size_t)places->bytes;
    if (n == 0)
        return RC_OK;
    if (places->at)
        return places->x->upload(places->x, (char *)places->at + at, from, bytes, err);
    memcpy((char *)places->own + at, from, bytes);
    return RC_OK;
}

rc_places_t rc_places_own(rc_executor_t *x, const rc_problem_t *p)
{
    return (rc_places_t){.x = x, .bytes = rc_places_bytes(p->a), .count = p->a->nnz};
}

void rc_places_free(rc_places_t *places)
{
    if (places->at)
        places->x->release(places->x, places->at);
    free(places->own);
    *places = (rc_places_t){0};
}

/* From values of the host, or from those of the matrix in the memory of the executor. */
static rc_status_t fill(
    const rc_problem_t *p, const rc_places_t *places, int there, void *val, rc_err_t *err)
{
    rc_gather_t g = {.to = val,
        .to_type = p->precision,
        .place = there ? places->at : places->host,
        .place_bytes = places->bytes,
        .count = places->count,
        .from = p->val ? p->val : p->a->val,
        .from_type = p->val ? p->val_type : RC_HOST_TYPE,
        .conjugates = p->conjugates};
    if (there) {
        g.from = p->resident->val;
        g.from_type = p->resident->type;
    }
    return there || places->x->kind == RC_DEVICE_CPU ? places->x->gather(places->x, &g, err)
                                                     : rc_resident_put(places->x, &g, val, err);
}

/* Those of the host, or of the matrix's own order, in memory of the executor. */
static rc_status_t upload(rc_places_t *places, rc_err_t *err)
{
    rc_executor_t *x = places->x;
    size_t bytes = (size_t)places->count * (size_t)places->bytes;
    if (!places->host) {
        places->host = places->own = rc_alloc(1, bytes, "the places of values", err);
        RC_PASS(places->own ? RC_OK : RC_ENOMEM);
        for (int64_t i = 0; i < places->count; i++)
            rc_place_put(places->own, places->bytes, i, i);
    }
    rc_status_t st = x->alloc(x, bytes, &places->at, err);
    if (st == RC_OK)
        st = x->upload(x, places->at, places->host, bytes, err);
    free(places->own);
    places->host = places->own = NULL;
    return st;
}

rc_status_t rc_places_fill(const rc_problem_t *p, rc_places_t *places, void *val, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int there = p->resident && (!places->host || !(p->val || p->a->val));
    if (there && places->host)
        st = upload(places, err);
    if (st == RC_OK && places->count > 0)
        st = fill(p, places, there, val, err);
    if (st == RC_OK && p->places && places->count > 0) {
        st = places->at ? RC_OK : upload(places, err);
        if (st == RC_OK) {
            rc_places_free(p->places);
            *p->places = *places;
            *places = (rc_places_t){0};
        }
    }
    rc_places_free(places);
    return st;
}

rc_status_t rc_places_values(rc_memory_t *m, const rc_problem_t *p, const void *host, int64_t count,
    void **val, rc_err_t *err)
{
    rc_places_t places = rc_places_own(m->x, p);
    RC_PASS(rc_memory_room(m, (size_t)count * rc_precision_bytes(p->precision), val, err));
    if (host)
        RC_PASS(rc_places_keep(m->x, p, host, count, &places, err));
    return rc_places_fill(p, &places, *val, err);
}

void rc_places_read(const rc_problem_t *p, double *out)
{
    const void *from = p->val ? p->val : p->a->val;
    const rc_precision_t type = p->val ? p->val_type : RC_HOST_TYPE;
    rc_type_gather(RC_HOST_TYPE, out, type, from, NULL, 0, 0, p->a->nnz);
}

/* Values of the problem's own by the numbers of entries, which a transpose has in their place. */
static rc_status_t values_at(const rc_problem_t *p, const double *number, void **val, rc_err_t *err)
{
    int64_t *place = NULL;
    const int64_t nnz = p->a->nnz;
    *val = rc_alloc((size_t)nnz, rc_precision_bytes(p->val_type), "values of a transpose", err);
    RC_PASS(*val ? RC_OK : RC_ENOMEM);
    RC_PASS(RC_NEW(place, nnz, "places of values", err));
    for (int64_t e = 0; e < nnz; e++)
        place[e] = (int64_t)number[e];
    rc_type_gather(p->val_type, *val, p->val_type, p->val, place, (int)sizeof *place, 0, nnz);
    free(place);
    return RC_OK;
}

rc_status_t rc_places_transpose(const rc_problem_t *p, rc_csr_t *out, void **val, rc_err_t *err)
{
    rc_csr_t a = *p->a;
    *val = NULL;
    if (!p->val)
        return rc_csr_transpose(p->a, out, err);
    RC_PASS(RC_NEW(a.val, a.nnz, "numbers of entries", err));
    for (int64_t e = 0; e < a.nnz; e++)
        a.val[e] = (double)(e + 1); /* below 2^53: exact */
    rc_status_t st = rc_csr_transpose(&a, out, err);
    free(a.val);
    if (st < 0)
        return st;
    st = values_at(p, out->val, val, err);
    free(out->val);
    out->val = NULL;
    if (st < 0) {
        rc_csr_free(out);
        free(*val);
        *val = NULL;
    }
    return st;
}
