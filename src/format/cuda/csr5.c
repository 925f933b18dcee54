/* CSR5 in the memory of a state, and the shares of its CTAs. */
#include "config.h"
#include "format/cuda/spmv.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

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
typedef struct host {
    rc_csr5_t f;
    int32_t *empty_offset; /* [offsets] */
    int32_t *tail;
    rc_spmv_share_t *share;
} host_t;

/* The slots of the entries of the last tile. */
static void list_tail(const rc_csr_view_t *e, const rc_build_csr5_t *c, host_t *h)
{
    int64_t r = rc_csr5_row(&h->f, c->size.full);
    for (int64_t i = 0; i < c->tail_entries; i++) {
        while (e->ptr[r + 1] <= e->nnz - c->tail_entries + i)
            r++;
        h->tail[i] = (int32_t)r;
    }
}

/* Where CTAs begin, those of the last tile behind the others. */
static void list_shares(const rc_csr_view_t *e, const rc_build_csr5_t *c, host_t *h)
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

static void build_here(rc_spmv_form_t *f, const rc_build_csr5_t *c, host_t *h)
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
    host_t h = {.tail = NULL};
    build_here(f, c, &h);
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
    rc_spmv_number(f, h.share, c->share, c->shares, c->most);
    rc_csr5_free(&h.f);
    free(h.empty_offset);
    free(h.tail);
}
