#include "config.h"
#include "kernels/cuda/spmv.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/scale.h"

#include <inttypes.h>
#include <stdlib.h>

rc_status_t rc_spmv_init(rc_executor_t *x, const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err)
{
    *s = (rc_spmv_t){.memory = {.x = x},
        .precision = p->precision,
        .value_bytes = (int)rc_precision_bytes(p->precision)};
    return rc_cuda_overlaps(x, &s->overlaps, err);
}

void rc_spmv_free(rc_spmv_t *s)
{
    rc_cuda_slots_free(s->memory.x, &s->slots);
    rc_cuda_memory_free(&s->memory);
}

/* --------------------------------------------------------------------- run */

rc_spmv_vectors_t rc_spmv_vectors(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta)
{
    return (rc_spmv_vectors_t){.row = s->place,
        .x = o->in[0].data,
        .y = o->out.data,
        .scalars = rc_cuda_scalars(alpha, beta),
        .in = s->fix.in,
        .out = s->fix.out};
}

static rc_status_t fix_up(const rc_spmv_t *s, const rc_spmv_vectors_t *v, rc_err_t *err)
{
    int64_t groups = s->fix.wide ? 1 : RC_SPMV_THREADS / RC_SPMV_FIX_LANES;
    rc_spmv_fix_args_t args = {.v = *v, .span = s->fix.span, .count = (int32_t)s->fix.count};
    rc_cuda_launch_t l = {.entry = rc_spmv_fix_entry(s->precision, s->fix.wide),
        .ctas = (unsigned)((s->fix.count + groups - 1) / groups),
        .rows = 1,
        .threads = RC_SPMV_THREADS};
    return rc_cuda_launch_overlapping(
        s->memory.x, &l, s->overlaps, &args, "sums of the rows that several shares hold", err);
}

rc_status_t rc_spmv_run(const rc_spmv_t *s, const rc_cuda_launch_t *l, void *args,
    const rc_spmv_vectors_t *v, const char *what, rc_err_t *err)
{
    rc_status_t st = rc_cuda_launch_overlapping(s->memory.x, l, s->overlaps, args, what, err);
    return st == RC_OK ? fix_up(s, v, err) : st;
}

rc_status_t rc_spmv_rest(const rc_spmv_t *s, const rc_dense_t *y, double beta, rc_err_t *err)
{
    if (s->rests == 0)
        return RC_OK;
    int before = rc_cuda_enter(s->memory.x);
    rc_status_t st = rc_cuda_scale(s->memory.x, y, s->rest, s->rests, beta, err);
    rc_cuda_leave(s->memory.x, before);
    return st;
}

/* ------------------------------------------------------------------ places */

int64_t rc_spmv_rows_beyond(const rc_csr_t *a, int64_t beyond)
{
    int64_t n = 0;
    for (int64_t r = 0; r < a->rows; r++)
        n += a->row_ptr[r + 1] - a->row_ptr[r] > beyond;
    return n;
}

/* Places of y that no entry is for: rows of A, or slots where they are places. */
static int64_t count_rest(const rc_problem_t *p)
{
    int64_t places = rc_cuda_slots_named(p) ? p->a->rows : p->schedule->slots;
    return places - rc_spmv_rows_beyond(p->a, 0);
}

int64_t rc_spmv_places_bytes(const rc_problem_t *p)
{
    int64_t named = rc_cuda_slots_named(p) ? p->schedule->slots : 0;
    return (named + count_rest(p)) * (int64_t)sizeof(int32_t);
}

static void list_rest(const rc_problem_t *p, const rc_csr_view_t *e, int32_t *out)
{
    if (rc_cuda_slots_named(p)) {
        for (int64_t r = 0; r < p->a->rows; r++)
            if (p->a->row_ptr[r] == p->a->row_ptr[r + 1])
                *out++ = (int32_t)r;
    } else
        for (int64_t i = 0; i < e->rows; i++)
            if (e->ptr[i] == e->ptr[i + 1])
                *out++ = (int32_t)i;
}

rc_status_t rc_spmv_places(
    const rc_problem_t *p, const rc_csr_view_t *e, rc_spmv_t *s, rc_err_t *err)
{
    size_t bytes = sizeof(int32_t);
    size_t rests = (size_t)count_rest(p);
    void *device = NULL;
    int32_t *rest = rc_alloc(rests, sizeof *rest, "rows without entries", err);
    rc_status_t st = rest ? RC_OK : RC_ENOMEM;
    RC_TRY(st);
    if (rc_cuda_slots_named(p)) {
        RC_TRY(rc_cuda_keep(&s->memory, p->schedule->row, (size_t)e->rows * bytes, &device, err));
        s->place = device;
    }
    list_rest(p, e, rest);
    st = rc_cuda_keep(&s->memory, rest, rests * bytes, &device, err);
    s->rest = device;
    s->rests = (int64_t)rests;
done:
    free(rest);
    return st;
}

static void take_rows(rc_spmv_t *s)
{
    s->place = s->slots.row;
    s->rest = s->slots.absent;
    s->rests = s->slots.absents;
}

rc_status_t rc_spmv_csr(const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_build(s->memory.x, p, &s->slots, err);
    take_rows(s);
    return st;
}

rc_status_t rc_spmv_rows(const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_rows(s->memory.x, p, &s->slots, err);
    take_rows(s);
    return st;
}

int64_t *rc_spmv_pointers(const rc_problem_t *p, rc_err_t *err)
{
    const int64_t *from = p->a->row_ptr;
    int64_t *ptr = rc_alloc((size_t)p->schedule->slots + 1, sizeof *ptr, "slot pointers", err);
    if (!ptr)
        return NULL;
    ptr[0] = 0;
    for (int64_t i = 0; i < p->schedule->slots; i++) {
        int64_t r = p->schedule->row[i];
        ptr[i + 1] = ptr[i] + (r < 0 ? 0 : from[r + 1] - from[r]);
    }
    return ptr;
}

/* ----------------------------------------- rows that several shares hold */

int64_t rc_spmv_fix_bytes(int64_t shares, int64_t most, int64_t value_bytes)
{
    if (most == 0)
        return 0;
    return rc_sat_add(most * 3 * (int64_t)sizeof(int32_t), rc_sat_mul(2 * shares, value_bytes));
}

/* Fill [3 most]: places, first shares, last shares; each `count` long in the end. */
static int64_t list_spans(const rc_problem_t *p, const rc_spmv_share_t *share, int64_t shares,
    int64_t most, int32_t *span, int64_t *longest)
{
    const int32_t *place = rc_cuda_slots_named(p) ? p->schedule->row : NULL;
    int64_t n = 0;
    *longest = 0;
    for (int64_t k = 1; k < shares; k++) {
        if (!share[k].open)
            continue;
        int64_t first = k - 1;
        int32_t slot = share[k].row;
        while (k + 1 < shares && share[k + 1].open && share[k + 1].row == slot)
            k++;
        span[n] = place ? place[slot] : slot;
        span[most + n] = (int32_t)first;
        span[2 * most + n++] = (int32_t)k;
        if (k - first > *longest)
            *longest = k - first;
    }
    for (int part = 1; part < 3; part++)
        for (int64_t i = 0; n < most && i < n; i++)
            span[part * n + i] = span[part * most + i];
    return n;
}

rc_status_t rc_spmv_fix_build(const rc_problem_t *p, const rc_spmv_share_t *share, int64_t shares,
    int64_t most, rc_spmv_t *s, rc_err_t *err)
{
    rc_spmv_fix_t f = {.shares = shares};
    size_t bytes = 3 * (size_t)most * sizeof(int32_t);
    size_t sums = (size_t)shares * (size_t)s->value_bytes;
    int64_t longest = 0;
    void *device = NULL;
    int32_t *span = NULL;
    rc_status_t st = RC_OK;
    if (most == 0)
        return RC_OK;
    span = rc_alloc0(3 * (size_t)most, sizeof *span, "rows that several shares hold", err);
    RC_TRY(span ? RC_OK : RC_ENOMEM);
    f.count = list_spans(p, share, shares, most, span, &longest);
    f.wide = longest > RC_SPMV_FIX_WIDE;
    RC_TRY(rc_cuda_keep(&s->memory, span, bytes, &device, err));
    f.span = device;
    RC_TRY(rc_cuda_room(&s->memory, sums, &f.in, err));
    RC_TRY(rc_cuda_room(&s->memory, sums, &f.out, err));
    s->fix = f;
done:
    free(span);
    return st;
}

rc_status_t rc_spmv_limits(const rc_problem_t *p, int64_t shares, rc_err_t *err)
{
    enum { spare = 1 << 20 };
    if (p->schedule->slots > INT32_MAX - spare)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " slots, at most %d are implemented",
            p->schedule->slots, INT32_MAX - spare);
    if (shares > INT32_MAX - spare)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " shares, at most %d are implemented",
            shares, INT32_MAX - spare);
    return RC_OK;
}

/* ------------------------------------------------------------- coordinates */

int64_t rc_spmv_coo_shares(int64_t entries)
{
    return (entries + RC_SPMV_ENTRIES - 1) / RC_SPMV_ENTRIES;
}

/* Rows that several shares can hold. */
static int64_t most_spans(int64_t entries, int64_t rows_beyond)
{
    int64_t shares = rc_spmv_coo_shares(entries);
    return shares <= 1 ? 0 : rows_beyond < shares - 1 ? rows_beyond : shares - 1;
}

int64_t rc_spmv_coo_bytes(int64_t entries, int64_t rows_beyond, int64_t value_bytes)
{
    int64_t shares = rc_spmv_coo_shares(entries);
    int64_t bytes = rc_sat_mul(entries, 2 * (int64_t)sizeof(int32_t));
    bytes = rc_sat_add(bytes, (shares + 1) * (int64_t)sizeof(rc_spmv_share_t));
    return rc_sat_add(bytes,
        rc_spmv_fix_bytes(shares, most_spans(entries, rows_beyond), value_bytes));
}

void rc_spmv_coo_cut(const int32_t *slot, int64_t entries, rc_spmv_share_t *out)
{
    int64_t shares = rc_spmv_coo_shares(entries);
    for (int64_t k = 0; k < shares; k++) {
        int64_t at = k * RC_SPMV_ENTRIES;
        int64_t begin = at;
        while (begin > 0 && at - begin <= RC_SPMV_LOOK && slot[begin - 1] == slot[at])
            begin--;
        if (at - begin <= RC_SPMV_LOOK)
            out[k] = (rc_spmv_share_t){.entry = begin, .row = slot[at]};
        else
            out[k] = (rc_spmv_share_t){.entry = at, .row = slot[at], .open = 1};
    }
    out[shares] = (rc_spmv_share_t){.entry = entries, .row = -1};
}

rc_status_t rc_spmv_coo_upload(const rc_problem_t *p, const rc_coo_t *c, int64_t rows_beyond,
    rc_spmv_t *s, rc_spmv_coo_args_t *out, rc_err_t *err)
{
    size_t index = (size_t)c->entries * sizeof(int32_t);
    int64_t shares = rc_spmv_coo_shares(c->entries);
    void *device = NULL;
    rc_status_t st = RC_OK;
    rc_spmv_share_t *share =
        rc_alloc((size_t)shares + 1, sizeof *share, "shares of a matrix", err);
    RC_TRY(share ? RC_OK : RC_ENOMEM);
    rc_spmv_coo_cut(c->row, c->entries, share);
    RC_TRY(rc_cuda_keep(&s->memory, c->row, index, &device, err));
    out->slot = device;
    RC_TRY(rc_cuda_keep(&s->memory, c->col, index, &device, err));
    out->col = device;
    RC_TRY(rc_cuda_keep(
        &s->memory, share, ((size_t)shares + 1) * sizeof *share, &device, err));
    out->share = device;
    st = rc_spmv_fix_build(
        p, share, shares, most_spans(c->entries, rows_beyond), s, err);
done:
    free(share);
    return st;
}

rc_status_t rc_spmv_coo_run(const rc_spmv_t *s, const rc_spmv_coo_args_t *a, int64_t entries,
    const rc_spmv_vectors_t *v, rc_err_t *err)
{
    rc_spmv_coo_args_t args = *a;
    rc_cuda_launch_t l = {.entry = rc_spmv_coo_entry(s->precision),
        .ctas = (unsigned)rc_spmv_coo_shares(entries),
        .rows = 1,
        .threads = RC_SPMV_THREADS};
    args.v = *v;
    return rc_spmv_run(s, &l, &args, v, "launch of coo", err);
}
