#include "config.h"
#include "format/cuda/spmv.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/cuda/lanes.h"
#include "format/vector/coo.h"
#include "format/vector/merge.h"

#include <stdlib.h>
#include <string.h>

void rc_spmv_begin(rc_memory_t *m, const rc_problem_t *p, rc_spmv_form_t *out, rc_err_t *err)
{
    *out = (rc_spmv_form_t){.k = rc_keep_begin(m, p, err)};
    out->k.st = p->resident ? rc_build_csr_begin(p, &out->there, err)
                            : rc_slots_arrange(m->x, p, &out->host, err);
    if (out->host.ptr)
        out->here = rc_slots_view(&out->host, p);
}

rc_status_t rc_spmv_end(rc_spmv_form_t *f)
{
    (void)rc_keep_end(&f->k);
    rc_build_csr_end(&f->there);
    rc_slots_free(&f->host);
    return f->k.st;
}

/* 1: what was made room for is to be made on the device. */
static int is_there(const rc_spmv_form_t *f)
{
    return f->k.st == RC_OK && f->k.p->resident != NULL;
}

/* -------------------------------------------------------------------- rows */

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

void rc_spmv_keep_rows(rc_spmv_form_t *f)
{
    if (f->k.st == RC_OK)
        f->k.st = rc_cuda_slots_rows(f->k.m, f->k.p, &f->slots, f->k.err);
}

/* Places of y that no entry is for: rows of A, or slots where they are places. */
static int64_t count_rest(const rc_problem_t *p, int64_t filled)
{
    return (rc_slots_named(p) ? p->a->rows : p->schedule->slots) - filled;
}

int64_t rc_spmv_filled_bytes(const rc_problem_t *p, int64_t filled)
{
    int64_t named = rc_slots_named(p) ? p->schedule->slots : 0;
    return (named + count_rest(p, filled)) * (int64_t)sizeof(int32_t);
}

static void list_rest(const rc_problem_t *p, const rc_csr_view_t *e, int32_t *out)
{
    const int64_t *ptr = rc_slots_named(p) ? p->a->row_ptr : e->ptr;
    int64_t rows = rc_slots_named(p) ? p->a->rows : e->rows;
    for (int64_t i = 0; i < rows; i++)
        if (ptr[i] == ptr[i + 1])
            *out++ = (int32_t)i;
}

void rc_spmv_keep_filled(rc_spmv_form_t *f, int64_t filled)
{
    rc_keeping_t *k = &f->k;
    const rc_problem_t *p = k->p;
    rc_cuda_slots_t *s = &f->slots;
    size_t rests = (size_t)count_rest(p, filled);
    int32_t *rest = rc_keep_host(k, rests, sizeof *rest, "rows without entries");
    if (rest)
        list_rest(p, &f->here, rest);
    void *row = NULL;
    if (k->st == RC_OK && rc_slots_named(p))
        k->st = rc_cuda_slots_named(k->m, p, &row, k->err);
    s->row = row;
    s->absent = rc_keep_array(k, rest, rests, sizeof *rest);
    s->absents = (int64_t)rests;
    if (is_there(f) && rests > 0)
        k->st = rc_build_empty(&f->there, p->a->rows, rc_slots_named(p), s->absent, k->err);
    free(rest);
}

void rc_spmv_keep_csr(rc_spmv_form_t *f)
{
    rc_cuda_slots_keep(&f->k, &f->host, &f->there, &f->slots);
}

void rc_spmv_keep_super_rows(
    rc_spmv_form_t *f, int levels, const int64_t *size, const int64_t *tuned, rc_super_rows_t *out)
{
    rc_keeping_t *k = &f->k;
    rc_super_rows_t host = {0};
    if (k->st == RC_OK)
        k->st = rc_super_rows_build(k->p, levels, size, tuned, &host, k->err);
    *out = host;
    for (int l = 0; l < host.levels; l++)
        out->ptr[l] = rc_keep_array(k, host.ptr[l], (size_t)host.count[l] + 1, sizeof *host.ptr[l]);
    rc_super_rows_free(&host);
}

/* ----------------------------------------- rows that several shares hold */

int64_t rc_spmv_most_spans(int64_t shares, int64_t rows)
{
    return shares <= 1 ? 0 : rows < shares - 1 ? rows : shares - 1;
}

size_t rc_spmv_parcel_bytes(rc_precision_t precision)
{
    return RC_SPMV_PARCEL * rc_sum_bytes(precision);
}

int64_t rc_spmv_spans_bytes(int64_t shares, int64_t most, rc_precision_t precision)
{
    if (most == 0)
        return 0;
    return rc_sat_add(most * 4 * (int64_t)sizeof(int32_t),
        rc_sat_mul(2 * shares, (int64_t)rc_spmv_parcel_bytes(precision)));
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

static void keep_spans(rc_spmv_form_t *f, rc_spmv_share_t *share, int64_t shares, int64_t most)
{
    rc_keeping_t *k = &f->k;
    size_t count = 3 * (size_t)most;
    int32_t *span = rc_keep_host(k, count, sizeof *span, "rows that several shares hold");
    f->spans = (rc_spmv_spans_t){.most = most, .shares = shares};
    if (span)
        list_spans(k->p, share, shares, most, span);
    f->spans.span = rc_keep_zeros(k, span, count, sizeof *span);
    if (is_there(f))
        k->st = rc_build_spans(&f->there, share, f->slots.row, &f->spans, k->err);
    free(span);
}

/* What was cut on the host as it is once the rows that several shares hold are numbered.
 * \param[in] host  [count + 1] freed; NULL: `to` has it
 * \param[in] to  [count + 1] of rc_keep_array or rc_keep_zeros */
static void number(
    rc_spmv_form_t *f, rc_spmv_share_t *host, rc_spmv_share_t *to, int64_t count, int64_t most)
{
    rc_executor_t *x = f->k.m->x;
    if (most > 0)
        keep_spans(f, host ? host : to, count, most);
    else
        f->spans = (rc_spmv_spans_t){.shares = count};
    if (host && f->k.st == RC_OK)
        f->k.st = x->upload(x, to, host, ((size_t)count + 1) * sizeof *host, f->k.err);
    free(host);
}

/* ------------------------------------------------------------------ shares */

int64_t rc_spmv_shares_bytes(int64_t shares)
{
    return (shares + 1) * (int64_t)sizeof(rc_spmv_share_t) + shares;
}

/* The points of the merge path, a little back where a row began. */
static void cut_merge(const rc_csr_view_t *e, const rc_spmv_cut_t *cut, int64_t shares, int threads,
    rc_spmv_share_t *out)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k <= shares; k++) {
        rc_merge_point_t at = rc_merge_point(e, cut->items, k);
        if (at.row < e->rows && at.entry - e->ptr[at.row] <= cut->look)
            at.entry = e->ptr[at.row];
        out[k] = (rc_spmv_share_t){.entry = at.entry,
            .row = (int32_t)at.row,
            .open = at.row < e->rows && at.entry > e->ptr[at.row]};
    }
}

/* How many lanes take the rows of each share. */
static uint8_t *count_lanes(
    rc_spmv_form_t *f, const rc_spmv_share_t *share, int64_t shares, const rc_spmv_lanes_t *rule)
{
    const rc_csr_view_t *e = &f->here;
    uint8_t *out = rc_keep_host(&f->k, (size_t)shares, sizeof *out, "lanes of shares");
    if (!out)
        return NULL;
#pragma omp parallel for num_threads(f->k.m->x->threads) schedule(static)
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
    return out;
}

void rc_spmv_keep_merge(
    rc_spmv_form_t *f, const rc_spmv_cut_t *cut, int64_t most, rc_spmv_shares_t *out)
{
    rc_keeping_t *k = &f->k;
    const rc_csr_view_t all = {.rows = k->p->schedule->slots, .nnz = k->p->a->nnz};
    const int64_t n = rc_merge_parts(&all, cut->items);
    rc_spmv_share_t *share = rc_keep_host(k, (size_t)n + 1, sizeof *share, "shares of a matrix");
    if (share)
        cut_merge(&f->here, cut, n, k->m->x->threads, share);
    uint8_t *lanes = count_lanes(f, share, n, &cut->rule);
    out->count = n;
    out->share = rc_keep_array(k, NULL, (size_t)n + 1, sizeof *share);
    out->lanes = rc_keep_array(k, lanes, (size_t)n, sizeof *lanes);
    if (is_there(f))
        k->st = rc_build_merge(&f->there, cut, n, out->share, out->lanes, k->err);
    number(f, share, out->share, n, most);
    free(lanes);
}

void rc_spmv_keep_cut(rc_spmv_form_t *f, const rc_spmv_share_t *share, int64_t count,
    const rc_spmv_lanes_t *rule, rc_spmv_shares_t *out)
{
    uint8_t *lanes = count_lanes(f, share, count, rule);
    out->count = count;
    out->share = rc_keep_array(&f->k, share, (size_t)count + 1, sizeof *share);
    out->lanes = rc_keep_array(&f->k, lanes, (size_t)count, sizeof *lanes);
    free(lanes);
}

int64_t rc_spmv_late_bytes(int64_t lates)
{
    return lates > 0 ? (lates + 1) * (int64_t)sizeof(rc_spmv_share_t) : 0;
}

/* \param[out] out  [lates + 1], zeroed */
static void list_late(const rc_csr_view_t *e, int64_t longest, rc_spmv_share_t *out)
{
    for (int64_t i = 0; i < e->rows; i++) {
        int64_t entries = e->ptr[i + 1] - e->ptr[i];
        int64_t n = entries > longest ? rc_spmv_pieces(entries, longest) : 0;
        for (int64_t j = 0; j < n; j++)
            *out++ = (rc_spmv_share_t){.entry = e->ptr[i] + rc_spmv_piece_at(entries, j, n),
                .row = (int32_t)i,
                .open = j > 0};
    }
}

rc_spmv_share_t *rc_spmv_keep_late(rc_spmv_form_t *f, int64_t longest, int64_t lates, int64_t most)
{
    rc_keeping_t *k = &f->k;
    if (lates == 0)
        return NULL;
    rc_spmv_share_t *late = rc_keep_host(k, (size_t)lates + 1, sizeof *late, "long rows");
    rc_spmv_share_t *out = rc_keep_zeros(k, NULL, (size_t)lates + 1, sizeof *out);
    if (late)
        list_late(&f->here, longest, late);
    if (is_there(f))
        k->st = rc_build_late(&f->there, longest, out, k->err);
    number(f, late, out, lates, most);
    return out;
}

/* ----------------------------------------------------- coordinates, ELLPACK */

int64_t rc_spmv_coo_shares(int64_t entries)
{
    return (entries + RC_SPMV_ENTRIES - 1) / RC_SPMV_ENTRIES;
}

int64_t rc_spmv_coo_bytes(int64_t entries, int64_t beyond, rc_precision_t precision)
{
    int64_t shares = rc_spmv_coo_shares(entries);
    int64_t bytes = rc_sat_mul(entries, 2 * (int64_t)sizeof(int32_t));
    bytes = rc_sat_add(bytes, (shares + 1) * (int64_t)sizeof(rc_spmv_share_t));
    return rc_sat_add(
        bytes, rc_spmv_spans_bytes(shares, rc_spmv_most_spans(shares, beyond), precision));
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

void rc_spmv_keep_coo(rc_spmv_form_t *f, const rc_spmv_coo_size_t *size, rc_spmv_coo_t *out)
{
    rc_keeping_t *k = &f->k;
    const size_t n = (size_t)size->entries;
    const int64_t shares = rc_spmv_coo_shares(size->entries);
    rc_coo_t host = {0};
    rc_coo_t to = {.entries = size->entries};
    rc_spmv_share_t *cut = rc_keep_host(k, (size_t)shares + 1, sizeof *cut, "shares of a matrix");
    if (cut)
        k->st = rc_coo_build(&f->here, size->skip, k->m->x->threads, &host, k->err);
    if (host.row)
        rc_spmv_coo_cut(host.row, size->entries, cut);
    to.row = rc_keep_array(k, host.row, n, sizeof *to.row);
    to.col = rc_keep_array(k, host.col, n, sizeof *to.col);
    to.entry = rc_keep_place_at(k, size->first);
    rc_spmv_share_t *share = rc_keep_array(k, NULL, (size_t)shares + 1, sizeof *share);
    if (is_there(f))
        k->st = rc_build_coo(&f->there, size->skip, &to, share, k->err);
    rc_keep_places(k, size->first, host.entry, size->entries);
    *out = (rc_spmv_coo_t){to.row, to.col, rc_keep_value_at(k, size->first), share};
    number(f, cut, share, shares, rc_spmv_most_spans(shares, size->beyond));
    rc_coo_free(&host);
}

void rc_spmv_keep_ell(rc_spmv_form_t *f, int64_t width, rc_ell_t *out)
{
    rc_keeping_t *k = &f->k;
    const rc_csr_view_t slots = {.rows = k->p->schedule->slots};
    rc_ell_t host = {0};
    rc_ell_t to = {.rows = slots.rows, .width = width, .pitch = rc_ell_pitch(&slots)};
    const int64_t places = to.width * to.pitch;
    if (k->st == RC_OK && !k->p->resident)
        k->st = rc_ell_build(&f->here, width, k->m->x->threads, &host, k->err);
    to.col = rc_keep_array(k, host.col, (size_t)places, sizeof *to.col);
    to.entry = k->places.at;
    if (is_there(f))
        k->st = rc_build_ell(&f->there, &to, k->err);
    rc_keep_places(k, 0, host.entry, places);
    *out = to;
    out->entry = NULL;
    rc_ell_free(&host);
}

/* -------------------------------------------------------------------- CSR5 */

enum { TILES = RC_SPMV_THREADS / RC_CSR5_OMEGA /* of a CTA: a warp each */ };

/* Entries at the begin of a CTA that the one before takes, at most: of one tile, a thread each. */
static int64_t look_of(int64_t sigma)
{
    int64_t tile = (int64_t)RC_CSR5_OMEGA * sigma;
    return tile < (int64_t)RC_SPMV_LOOK ? tile : (int64_t)RC_SPMV_LOOK;
}

rc_build_csr5_t rc_spmv_csr5_size(const rc_problem_t *p, int64_t sigma, const rc_spmv_counts_t *n)
{
    const rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    rc_build_csr5_t c = {.size = rc_csr5_size(&e, sigma), .tiles_each = TILES};
    c.ctas = (c.size.full + TILES - 1) / TILES;
    c.look = look_of(c.size.sigma);
    c.tail_entries = e.nnz - c.size.full * RC_CSR5_OMEGA * c.size.sigma;
    c.shares = c.ctas + rc_spmv_coo_shares(c.tail_entries);
    c.offsets = n->filled < e.rows ? n->filled : 0;
    c.most = rc_spmv_most_spans(c.shares, n->beyond);
    return c;
}

/* What is on the host while the matrix is made there; zeroed where it is made on the device. */
typedef struct csr5_host {
    rc_csr5_t f;
    int32_t *empty_offset; /* [offsets] */
    int32_t *tail;
    rc_spmv_share_t *share;
} csr5_host_t;

/* The slots of the entries of the last tile. */
static void list_tail(const rc_csr_view_t *e, const rc_build_csr5_t *c, csr5_host_t *h)
{
    int64_t r = rc_csr5_row(&h->f, c->size.full);
    for (int64_t i = 0; i < c->tail_entries; i++) {
        while (e->ptr[r + 1] <= e->nnz - c->tail_entries + i)
            r++;
        h->tail[i] = (int32_t)r;
    }
}

/* Where CTAs begin, those of the last tile behind the others. */
static void list_shares(const rc_csr_view_t *e, const rc_build_csr5_t *c, csr5_host_t *h)
{
    rc_spmv_coo_cut(h->tail, c->tail_entries, h->share + c->ctas);
    for (int64_t k = 0; k < c->ctas + (c->tail_entries > 0); k++) {
        int64_t t = k < c->ctas ? k * TILES : c->size.full;
        int64_t row = rc_csr5_row(&h->f, t);
        int64_t at = t * RC_CSR5_OMEGA * c->size.sigma;
        int64_t rest = e->ptr[row] < at ? e->ptr[row + 1] - at : 0;
        h->share[k] = (rc_spmv_share_t){
            .entry = rest <= c->look ? rest : 0, .row = (int32_t)row, .open = rest > c->look};
    }
}

static void build_csr5_here(rc_spmv_form_t *f, const rc_build_csr5_t *c, csr5_host_t *h)
{
    rc_keeping_t *k = &f->k;
    if (k->p->resident || k->st < 0)
        return;
    k->st = rc_csr5_build(&f->here, &c->size, k->m->x->threads, &h->f, k->err);
    h->empty_offset = rc_keep_host(k, (size_t)c->offsets, sizeof *h->empty_offset, "empty offsets");
    h->tail = rc_keep_host(k, (size_t)c->tail_entries, sizeof *h->tail, "rows of the last tile");
    h->share = rc_keep_host(k, (size_t)c->shares + 1, sizeof *h->share, "shares of a matrix");
    if (k->st < 0)
        return;
    if (c->offsets > 0)
        memcpy(h->empty_offset, h->f.empty_offset,
            (size_t)h->f.empty_ptr[c->size.tiles] * sizeof *h->empty_offset);
    list_tail(&f->here, c, h);
    list_shares(&f->here, c, h);
}

void rc_spmv_keep_csr5(rc_spmv_form_t *f, rc_build_csr5_t *c)
{
    rc_keeping_t *k = &f->k;
    const size_t nnz = (size_t)k->p->a->nnz;
    const size_t tiles = (size_t)c->size.tiles;
    const size_t words = tiles * (size_t)c->size.words * RC_CSR5_OMEGA;
    csr5_host_t h = {.tail = NULL};
    build_csr5_here(f, c, &h);
    c->entry = rc_keep_values(k, NULL, (int64_t)nnz);
    rc_keep_places(k, 0, h.f.entry, (int64_t)nnz);
    c->col = rc_keep_array(k, h.f.col, nnz, sizeof *c->col);
    c->tile_ptr = rc_keep_array(k, h.f.tile_ptr, tiles + 1, sizeof *c->tile_ptr);
    c->desc = rc_keep_zeros(k, h.f.desc, words, sizeof *c->desc);
    if (c->offsets > 0) {
        c->empty_ptr =
            rc_keep_pointers(k, h.f.empty_ptr, c->size.tiles + 1, (int)sizeof *c->empty_ptr);
        c->empty_offset =
            rc_keep_zeros(k, h.empty_offset, (size_t)c->offsets, sizeof *c->empty_offset);
    }
    c->tail = rc_keep_array(k, h.tail, (size_t)c->tail_entries, sizeof *c->tail);
    c->share = rc_keep_array(k, NULL, (size_t)c->shares + 1, sizeof *c->share);
    if (k->st == RC_OK && k->p->resident)
        k->st = rc_build_csr5(&f->there, c, k->err);
    number(f, h.share, c->share, c->shares, c->most);
    rc_csr5_free(&h.f);
    free(h.empty_offset);
    free(h.tail);
}
