#include "config.h"
#include "kernels/spmv/cuda/spmv.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/scale.h"
#include "format/cuda/lanes.h"
#include "format/vector/merge.h"
#include "format/slots.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- state */

/* A word of 64 bits for every 32 bits of a sum. */
static int64_t parcel_bytes(int64_t value_bytes)
{
    return 2 * value_bytes;
}

/* Sums of rows that several shares hold. */
rc_status_t rc_spmv_own(void *state, rc_err_t *err)
{
    rc_spmv_t *s = state;
    rc_spmv_spans_t *f = &s->spans;
    size_t sums = (size_t)f->shares * (size_t)parcel_bytes((int64_t)s->base.value_bytes);
    void *device = NULL;
    if (f->most == 0)
        return RC_OK;
    RC_PASS(rc_memory_keep(&s->base.memory, NULL, sums, &f->in, err));
    RC_PASS(rc_memory_keep(&s->base.memory, NULL, sums, &f->out, err));
    RC_PASS(
        rc_memory_keep(&s->base.memory, NULL, (size_t)f->most * sizeof *f->arrived, &device, err));
    f->arrived = device;
    return RC_OK;
}

static const rc_spmv_kind_t *kind_of(const rc_problem_t *p)
{
    return p->kernel->kind;
}

static rc_status_t build_here(
    rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_slots_t slots = {0};
    RC_PASS(rc_slots_arrange(s->base.memory.x, p, &slots, err));
    const rc_spmv_source_t from = {.here = rc_slots_view(&slots, p)};
    rc_status_t st = kind_of(p)->build(s, p, analysis, &from, err);
    if (st == RC_OK)
        st = rc_places_fill(p, &s->places, s->base.val, err);
    rc_slots_free(&slots);
    return st;
}

static rc_status_t build_there(
    rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_executor_t *x = s->base.memory.x;
    rc_build_csr_t there;
    rc_status_t st = rc_build_csr_begin(p, &there, err);
    const rc_spmv_source_t from = {.there = &there};
    if (st == RC_OK)
        st = kind_of(p)->build(s, p, analysis, &from, err);
    if (st == RC_OK)
        st = rc_places_fill(p, &s->places, s->base.val, err);
    rc_build_csr_end(&there);
    return st < 0 ? st : x->wait(x, err);
}

rc_status_t rc_spmv_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_spmv_t *s = state;
    rc_status_t st =
        p->resident ? build_there(s, p, analysis, err) : build_here(s, p, analysis, err);
    rc_places_free(&s->places);
    s->places = (rc_places_t){0};
    return st;
}

/* --------------------------------------------------------------------- run */

rc_spmv_vectors_t rc_spmv_vectors(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta)
{
    return (rc_spmv_vectors_t){.row = s->place,
        .x = o->in[0].data,
        .y = o->out.data,
        .scalars = rc_cuda_scalars(alpha, beta),
        .spans = s->spans};
}

rc_status_t rc_spmv_launch(const rc_spmv_t *s, const void *entry, int64_t ctas, void *args,
    const char *what, rc_err_t *err)
{
    const rc_cuda_launch_t l = {
        .entry = entry, .ctas = (unsigned)ctas, .rows = 1, .threads = RC_SPMV_THREADS};
    return rc_cuda_launch_overlapping(s->base.memory.x, &l, args, what, err);
}

/* The places that no entry is for: beta times what they were. */
static rc_status_t scale_rest(const rc_spmv_t *s, const rc_dense_t *y, double beta, rc_err_t *err)
{
    if (s->rests == 0)
        return RC_OK;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = rc_cuda_scale(s->base.memory.x, y, s->rest, s->rests, beta, err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

rc_status_t rc_spmv_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_spmv_t *s = state;
    rc_status_t st = kind_of(&s->base.p)->launch(s, o, alpha, beta, err);
    return st == RC_OK ? scale_rest(s, &o->out, beta, err) : st;
}

/* ---------------------------------------------------------------- analysis */

rc_status_t rc_spmv_count(
    const rc_problem_t *p, int64_t beyond, int64_t width, rc_spmv_counts_t *out, rc_err_t *err)
{
    const int64_t *ptr = p->a->row_ptr;
    *out = (rc_spmv_counts_t){.width = width};
    if (p->resident)
        return rc_build_count(p, beyond, width, out, err);
    for (int64_t r = 0; r < p->a->rows; r++) {
        int64_t length = ptr[r + 1] - ptr[r];
        out->longest = length > out->longest ? length : out->longest;
        out->filled += length > 0;
        out->beyond += length > beyond;
        out->over += length > width ? length - width : 0;
    }
    return RC_OK;
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

/* ------------------------------------------------------------------ places */

/* Places of y that no entry is for: rows of A, or slots where they are places. */
static int64_t count_rest(const rc_problem_t *p, int64_t filled)
{
    return (rc_slots_named(p) ? p->a->rows : p->schedule->slots) - filled;
}

int64_t rc_spmv_places_bytes(const rc_problem_t *p, int64_t filled)
{
    int64_t named = rc_slots_named(p) ? p->schedule->slots : 0;
    return (named + count_rest(p, filled)) * (int64_t)sizeof(int32_t);
}

static rc_status_t keep_places(const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err)
{
    void *device = NULL;
    if (!rc_slots_named(p))
        return RC_OK;
    rc_status_t st = rc_memory_keep(&s->base.memory, p->schedule->row,
        (size_t)p->schedule->slots * sizeof(int32_t), &device, err);
    s->place = device;
    return st;
}

static void list_rest(const rc_problem_t *p, const rc_csr_view_t *e, int32_t *out)
{
    const int64_t *ptr = rc_slots_named(p) ? p->a->row_ptr : e->ptr;
    int64_t rows = rc_slots_named(p) ? p->a->rows : e->rows;
    for (int64_t i = 0; i < rows; i++)
        if (ptr[i] == ptr[i + 1])
            *out++ = (int32_t)i;
}

rc_status_t rc_spmv_places(const rc_problem_t *p, const rc_spmv_source_t *from, int64_t filled,
    rc_spmv_t *s, rc_err_t *err)
{
    size_t rests = (size_t)count_rest(p, filled);
    int32_t *rest = NULL;
    void *device = NULL;
    rc_status_t st;
    s->rests = (int64_t)rests;
    RC_TRY(keep_places(p, s, err));
    if (rests == 0)
        goto done;
    if (!from->there) {
        rest = rc_alloc(rests, sizeof *rest, "rows without entries", err);
        RC_TRY(rest ? RC_OK : RC_ENOMEM);
        list_rest(p, &from->here, rest);
    }
    RC_TRY(rc_memory_keep_or_room(&s->base.memory, rest, rests * sizeof *rest, &device, err));
    s->rest = device;
    if (from->there)
        st = rc_build_empty(from->there, p->a->rows, rc_slots_named(p), device, err);
done:
    free(rest);
    return st;
}

rc_status_t rc_spmv_rows(const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err)
{
    rc_cuda_slots_t slots;
    rc_status_t st = rc_cuda_slots_rows(&s->base.memory, p, &slots, err);
    s->place = slots.row;
    s->rest = slots.absent;
    s->rests = slots.absents;
    return st;
}

/* --------------------------------------------------------------------- CSR */

/* Pointers as the device has them; free what is not NULL. */
static rc_status_t narrow(const rc_csr_view_t *e, int32_t **out, rc_err_t *err)
{
    int32_t *to = rc_alloc((size_t)e->rows + 1, sizeof *to, "slot pointers", err);
    for (int64_t i = 0; to && i <= e->rows; i++)
        to[i] = (int32_t)e->ptr[i];
    *out = to;
    return to ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_spmv_room(const rc_problem_t *p, int64_t values, rc_spmv_t *s, rc_err_t *err)
{
    RC_PASS(rc_prepared_room(&s->base, values, err));
    return rc_places_keep(s->base.memory.x, p, NULL, values, &s->places, err);
}

void *rc_spmv_place_at(const rc_spmv_t *s, int64_t i)
{
    return s->places.at ? (char *)s->places.at + i * s->places.bytes : NULL;
}

rc_status_t rc_spmv_csr(const rc_problem_t *p, const rc_spmv_source_t *from, rc_spmv_t *s,
    rc_spmv_csr_t *out, rc_err_t *err)
{
    const rc_csr_view_t *e = &from->here;
    rc_spmv_csr_t c = {.slots = p->schedule->slots, .wide = rc_cuda_slots_wide(p)};
    size_t pointer = c.wide ? sizeof(int64_t) : sizeof(int32_t);
    size_t nnz = (size_t)p->a->nnz;
    int32_t *short_ptr = NULL;
    void *device = NULL;
    rc_status_t st;
    RC_TRY(rc_spmv_rows(p, s, err));
    if (!from->there && !c.wide)
        RC_TRY(narrow(e, &short_ptr, err));
    RC_TRY(rc_memory_keep_or_room(&s->base.memory, short_ptr ? (const void *)short_ptr : e->ptr,
        ((size_t)c.slots + 1) * pointer, &c.ptr, err));
    RC_TRY(rc_memory_keep_or_room(&s->base.memory, e->col, nnz * sizeof *c.col, &device, err));
    c.col = device;
    RC_TRY(p->identity ? rc_prepared_room(&s->base, p->a->nnz, err)
                       : rc_spmv_room(p, p->a->nnz, s, err));
    if (p->identity)
        s->places = rc_places_own(s->base.memory.x, p);
    if (from->there)
        RC_TRY(rc_build_csr_copy(from->there, c.wide, c.ptr, c.col, s->places.at, err));
    else if (!p->identity)
        RC_TRY(rc_places_put(&s->places, 0, e->entry, p->a->nnz, err));
    c.val = s->base.val;
    *out = c;
done:
    free(short_ptr);
    return st;
}

/* ----------------------------------------- rows that several shares hold */

int64_t rc_spmv_most_spans(int64_t shares, int64_t rows)
{
    return shares <= 1 ? 0 : rows < shares - 1 ? rows : shares - 1;
}

int64_t rc_spmv_spans_bytes(int64_t shares, int64_t most, int64_t value_bytes)
{
    if (most == 0)
        return 0;
    return rc_sat_add(
        most * 4 * (int64_t)sizeof(int32_t), rc_sat_mul(2 * shares, parcel_bytes(value_bytes)));
}

/* Number them in the shares.  \param[out] span  [3 most] */
static void list_spans(
    const rc_problem_t *p, rc_spmv_share_t *share, int64_t shares, int64_t most, int32_t *span)
{
    const int32_t *place = rc_slots_named(p) ? p->schedule->row : NULL;
    int32_t n = 0;
    for (int64_t k = 1; k < shares; k++) {
        if (!share[k].open)
            continue;
        int32_t slot = share[k].row;
        span[n] = place ? place[slot] : slot;
        span[most + n] = (int32_t)(k - 1);
        n++;
        share[k].open = n;
        while (k + 1 < shares && share[k + 1].open && share[k + 1].row == slot)
            share[++k].open = n;
        span[2 * most + n - 1] = (int32_t)k;
    }
}

rc_status_t rc_spmv_spans(const rc_problem_t *p, const rc_spmv_source_t *from,
    rc_spmv_share_t *share, int64_t shares, int64_t most, rc_spmv_t *s, rc_err_t *err)
{
    size_t count = 3 * (size_t)most;
    void *device = NULL;
    int32_t *span = NULL;
    rc_status_t st = RC_OK;
    s->spans = (rc_spmv_spans_t){.most = most, .shares = shares};
    if (most == 0)
        return RC_OK;
    if (!from->there) {
        span = rc_alloc0(count, sizeof *span, "rows that several shares hold", err);
        RC_TRY(span ? RC_OK : RC_ENOMEM);
        list_spans(p, share, shares, most, span);
    }
    RC_TRY(rc_memory_keep(&s->base.memory, span, count * sizeof *span, &device, err));
    s->spans.span = device;
    if (from->there)
        st = rc_build_spans(from->there, share, shares, s->place, most, device, err);
done:
    free(span);
    return st;
}

/* The points of the merge path, a little back where a row began. */
static void cut(const rc_csr_view_t *e, int64_t items, int64_t look, int64_t shares, int threads,
    rc_spmv_share_t *out)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k <= shares; k++) {
        rc_merge_point_t at = rc_merge_point(e, items, k);
        if (at.row < e->rows && at.entry - e->ptr[at.row] <= look)
            at.entry = e->ptr[at.row];
        out[k] = (rc_spmv_share_t){.entry = at.entry,
            .row = (int32_t)at.row,
            .open = at.row < e->rows && at.entry > e->ptr[at.row]};
    }
}

void rc_spmv_count_lanes(const rc_csr_view_t *e, const rc_spmv_share_t *share, int64_t shares,
    const rc_spmv_lanes_t *rule, int threads, uint8_t *out)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k < shares; k++) {
        int64_t longest = 0;
        int64_t rows = share[k + 1].row - share[k].row + (share[k + 1].open ? 1 : 0);
        for (int64_t i = share[k].row; i < share[k].row + rows; i++) {
            int64_t from = e->ptr[i] > share[k].entry ? e->ptr[i] : share[k].entry;
            int64_t to = e->ptr[i + 1] < share[k + 1].entry ? e->ptr[i + 1] : share[k + 1].entry;
            longest = to - from > longest ? to - from : longest;
        }
        out[k] =
            (uint8_t)rc_spmv_lanes_of(rule, rows, share[k + 1].entry - share[k].entry, longest);
    }
}

/* On the host.  \param[out] share, lanes  free both */
static rc_status_t shares_here(const rc_csr_view_t *e, int64_t items, int64_t look,
    const rc_spmv_lanes_t *rule, int threads, rc_spmv_share_t **share, uint8_t **lanes,
    rc_err_t *err)
{
    int64_t shares = rc_merge_parts(e, items);
    *share = rc_alloc((size_t)shares + 1, sizeof **share, "shares of a matrix", err);
    *lanes = rc_alloc((size_t)shares, sizeof **lanes, "shares of a matrix", err);
    RC_PASS(*share && *lanes ? RC_OK : RC_ENOMEM);
    cut(e, items, look, shares, threads, *share);
    rc_spmv_count_lanes(e, *share, shares, rule, threads, *lanes);
    return RC_OK;
}

int64_t rc_spmv_shares_bytes(int64_t shares)
{
    return (shares + 1) * (int64_t)sizeof(rc_spmv_share_t) + shares;
}

rc_status_t rc_spmv_shares(const rc_problem_t *p, const rc_spmv_source_t *from, int64_t items,
    int64_t look, int64_t most, const rc_spmv_lanes_t *rule, rc_spmv_t *s, rc_spmv_share_t **out,
    uint8_t **lanes, rc_err_t *err)
{
    const rc_csr_view_t all = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    int64_t shares = rc_merge_parts(&all, items);
    size_t points = ((size_t)shares + 1) * sizeof(rc_spmv_share_t);
    rc_executor_t *x = s->base.memory.x;
    rc_spmv_share_t *host = NULL;
    uint8_t *few = NULL;
    void *device = NULL;
    void *with = NULL;
    rc_status_t st = RC_OK;
    if (!from->there)
        RC_TRY(shares_here(&from->here, items, look, rule, x->threads, &host, &few, err));
    RC_TRY(rc_memory_room(&s->base.memory, points, &device, err));
    RC_TRY(rc_memory_keep_or_room(&s->base.memory, few, (size_t)shares, &with, err));
    *out = device;
    *lanes = with;
    if (from->there)
        RC_TRY(rc_build_merge(from->there, items, look, shares, rule, device, with, err));
    RC_TRY(rc_spmv_spans(p, from, from->there ? device : host, shares, most, s, err));
    if (!from->there)
        st = x->upload(x, device, host, points, err);
done:
    free(host);
    free(few);
    return st;
}

/* ------------------------------------------------------------- coordinates */

int64_t rc_spmv_coo_shares(int64_t entries)
{
    return (entries + RC_SPMV_ENTRIES - 1) / RC_SPMV_ENTRIES;
}

int64_t rc_spmv_coo_bytes(int64_t entries, int64_t beyond, int64_t value_bytes)
{
    int64_t shares = rc_spmv_coo_shares(entries);
    int64_t bytes = rc_sat_mul(entries, 2 * (int64_t)sizeof(int32_t));
    bytes = rc_sat_add(bytes, (shares + 1) * (int64_t)sizeof(rc_spmv_share_t));
    return rc_sat_add(
        bytes, rc_spmv_spans_bytes(shares, rc_spmv_most_spans(shares, beyond), value_bytes));
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

/* On the host.  \param[out] c, share  free both */
static rc_status_t coo_here(const rc_csr_view_t *e, int64_t skip, int threads, rc_coo_t *c,
    rc_spmv_share_t **share, rc_err_t *err)
{
    RC_PASS(rc_coo_build(e, skip, threads, c, err));
    *share = rc_alloc(
        (size_t)rc_spmv_coo_shares(c->entries) + 1, sizeof **share, "shares of a matrix", err);
    RC_PASS(*share ? RC_OK : RC_ENOMEM);
    rc_spmv_coo_cut(c->row, c->entries, *share);
    return RC_OK;
}

rc_status_t rc_spmv_coo_build(const rc_problem_t *p, const rc_spmv_source_t *from, int64_t skip,
    int64_t entries, int64_t beyond, int64_t first, rc_spmv_t *s, rc_spmv_coo_args_t *out,
    rc_err_t *err)
{
    int64_t shares = rc_spmv_coo_shares(entries);
    size_t points = ((size_t)shares + 1) * sizeof(rc_spmv_share_t);
    size_t index = (size_t)entries * sizeof(int32_t);
    rc_coo_t host = {0};
    rc_spmv_share_t *share = NULL;
    void *row = NULL;
    void *col = NULL;
    void *to = NULL;
    rc_status_t st = RC_OK;
    if (!from->there)
        RC_TRY(coo_here(&from->here, skip, s->base.memory.x->threads, &host, &share, err));
    RC_TRY(rc_memory_keep_or_room(&s->base.memory, host.row, index, &row, err));
    RC_TRY(rc_memory_keep_or_room(&s->base.memory, host.col, index, &col, err));
    RC_TRY(rc_memory_room(&s->base.memory, points, &to, err));
    if (from->there)
        RC_TRY(rc_build_coo(
            from->there, skip, entries, row, col, rc_spmv_place_at(s, first), to, err));
    else
        RC_TRY(rc_places_put(&s->places, first, host.entry, entries, err));
    RC_TRY(rc_spmv_spans(
        p, from, from->there ? to : share, shares, rc_spmv_most_spans(shares, beyond), s, err));
    if (!from->there)
        RC_TRY(s->base.memory.x->upload(s->base.memory.x, to, share, points, err));
    *out = (rc_spmv_coo_args_t){.slot = row,
        .col = col,
        .val = s->base.val ? (char *)s->base.val + first * (int64_t)s->base.value_bytes : NULL,
        .share = to};
done:
    rc_coo_free(&host);
    free(share);
    return st;
}

rc_status_t rc_spmv_coo_run(const rc_spmv_t *s, const rc_spmv_coo_args_t *a, int64_t entries,
    const rc_spmv_vectors_t *v, rc_err_t *err)
{
    rc_spmv_coo_args_t args = *a;
    args.v = *v;
    return rc_spmv_launch(s, rc_spmv_coo_entry(s->base.p.precision), rc_spmv_coo_shares(entries),
        &args, "launch of coo", err);
}
