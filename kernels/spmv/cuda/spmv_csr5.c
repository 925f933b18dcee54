/* y = A x of A in CSR5 on a GPU. */
#include "config.h"
#include "kernels/spmv/cuda/spmv_csr5.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/slots.h"

#include <stdlib.h>
#include <string.h>

enum { PARAM_SIGMA };

typedef struct csr5 {
    rc_spmv_t s;
    rc_spmv_csr5_args_t args;
    int64_t shares; /* CTAs */
} csr5_t;

/* What follows from the shape and the rows with entries. */
typedef struct sizes {
    rc_csr5_size_t size;
    int64_t ctas;    /* for full tiles */
    int64_t tail;    /* entries of the last tile, which is not full */
    int64_t shares;  /* CTAs of both */
    int64_t offsets; /* room for empty offsets; 0: no slot is empty */
    int64_t most;    /* rows that several CTAs can hold */
} sizes_t;

/* filled, beyond: rows with entries, and with more than one CTA takes of another's */
static sizes_t sizes_of(const rc_problem_t *p, int64_t filled, int64_t beyond)
{
    const rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    sizes_t z = {.size = rc_csr5_size(&e, p->param[PARAM_SIGMA])};
    z.ctas = (z.size.full + RC_SPMV_CSR5_TILES - 1) / RC_SPMV_CSR5_TILES;
    z.tail = p->a->nnz - z.size.full * RC_CSR5_OMEGA * z.size.sigma;
    z.shares = z.ctas + rc_spmv_coo_shares(z.tail);
    z.offsets = filled < p->schedule->slots ? filled : 0;
    z.most = rc_spmv_most_spans(z.shares, beyond);
    return z;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t index = (int64_t)sizeof(int32_t);
    const sizes_t shape = sizes_of(p, 0, 0);
    rc_spmv_counts_t n;
    RC_PASS(rc_spmv_limits(p, shape.shares, err));
    RC_PASS(rc_spmv_count(p, rc_spmv_csr5_look(shape.size.sigma), 0, &n, err));
    const sizes_t z = sizes_of(p, n.filled, n.beyond);
    int64_t bytes = rc_sat_mul(p->a->nnz, index + value);
    bytes = rc_sat_add(bytes, (z.size.tiles + 1) * index);
    bytes = rc_sat_add(bytes, rc_sat_mul(z.size.tiles * z.size.words, RC_CSR5_OMEGA * index));
    out->traffic = bytes;
    if (z.offsets > 0)
        bytes = rc_sat_add(bytes, (z.size.tiles + 1 + z.offsets) * index);
    bytes = rc_sat_add(bytes, z.tail * index + (z.shares + 1) * (int64_t)sizeof(rc_spmv_share_t));
    bytes = rc_sat_add(bytes, rc_spmv_spans_bytes(z.shares, z.most, value));
    out->bytes = rc_sat_add(bytes, rc_spmv_places_bytes(p, n.filled));
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    RC_CHOSE(out, n);
    return RC_OK;
}

/* ------------------------------------------------------------- preparation */

/* What is on the host while the matrix is made there; zeroed where it is made on the device. */
typedef struct host {
    rc_csr5_t f;
    int32_t *empty_ptr;    /* [tiles + 1] */
    int32_t *empty_offset; /* [offsets] */
    int32_t *tail;
    rc_spmv_share_t *share;
} host_t;

static void host_free(host_t *h)
{
    rc_csr5_free(&h->f);
    free(h->empty_ptr);
    free(h->empty_offset);
    free(h->tail);
    free(h->share);
}

/* Where the empty offsets of the tiles are, and those. */
static rc_status_t list_offsets(const sizes_t *z, host_t *h, rc_err_t *err)
{
    int64_t tiles = z->size.tiles;
    if (z->offsets == 0)
        return RC_OK;
    h->empty_ptr =
        rc_alloc((size_t)tiles + 1, sizeof *h->empty_ptr, "pointers to empty offsets", err);
    h->empty_offset = rc_alloc0((size_t)z->offsets, sizeof *h->empty_offset, "empty offsets", err);
    RC_PASS(h->empty_ptr && h->empty_offset ? RC_OK : RC_ENOMEM);
    for (int64_t t = 0; t <= tiles; t++)
        h->empty_ptr[t] = (int32_t)h->f.empty_ptr[t];
    memcpy(h->empty_offset, h->f.empty_offset,
        (size_t)h->f.empty_ptr[tiles] * sizeof *h->empty_offset);
    return RC_OK;
}

/* The slots of the entries of the last tile. */
static void list_tail(const rc_csr_view_t *e, const sizes_t *z, host_t *h)
{
    int64_t r = rc_csr5_row(&h->f, z->size.full);
    for (int64_t i = 0; i < z->tail; i++) {
        while (e->ptr[r + 1] <= e->nnz - z->tail + i)
            r++;
        h->tail[i] = (int32_t)r;
    }
}

/* Where CTAs begin, those of the last tile behind the others. */
static void list_shares(const rc_csr_view_t *e, const sizes_t *z, host_t *h)
{
    int64_t look = rc_spmv_csr5_look(z->size.sigma);
    rc_spmv_coo_cut(h->tail, z->tail, h->share + z->ctas);
    for (int64_t k = 0; k < z->ctas + (z->tail > 0); k++) {
        int64_t t = k < z->ctas ? k * RC_SPMV_CSR5_TILES : z->size.full;
        int64_t row = rc_csr5_row(&h->f, t);
        int64_t at = t * RC_CSR5_OMEGA * z->size.sigma;
        int64_t rest = e->ptr[row] < at ? e->ptr[row + 1] - at : 0;
        h->share[k] = (rc_spmv_share_t){
            .entry = rest <= look ? rest : 0, .row = (int32_t)row, .open = rest > look};
    }
}

static rc_status_t build_here(
    const rc_csr_view_t *e, const sizes_t *z, int threads, host_t *h, rc_err_t *err)
{
    RC_PASS(rc_csr5_build(e, &z->size, threads, &h->f, err));
    RC_PASS(list_offsets(z, h, err));
    h->tail = rc_alloc((size_t)z->tail, sizeof *h->tail, "rows of the last tile", err);
    h->share = rc_alloc((size_t)z->shares + 1, sizeof *h->share, "shares of a matrix", err);
    RC_PASS(h->tail && h->share ? RC_OK : RC_ENOMEM);
    list_tail(e, z, h);
    list_shares(e, z, h);
    return RC_OK;
}

/* Memory of the state for the arrays, with what the host has of them. */
static rc_status_t keep_arrays(
    const host_t *h, const sizes_t *z, csr5_t *c, rc_build_csr5_t *out, rc_err_t *err)
{
    rc_memory_t *m = &c->s.base.memory;
    size_t nnz = (size_t)c->s.base.stored;
    size_t tiles = (size_t)z->size.tiles;
    void *to;
    RC_PASS(rc_memory_keep_or_room(m, h->f.col, nnz * sizeof *out->col, &to, err));
    out->col = to;
    if (h->f.entry)
        RC_PASS(rc_places_put(&c->s.places, 0, h->f.entry, c->s.base.stored, err));
    out->entry = c->s.places.at;
    RC_PASS(
        rc_memory_keep_or_room(m, h->f.tile_ptr, (tiles + 1) * sizeof *out->tile_ptr, &to, err));
    out->tile_ptr = to;
    RC_PASS(rc_memory_keep(
        m, h->f.desc, tiles * (size_t)z->size.words * RC_CSR5_OMEGA * sizeof *out->desc, &to, err));
    out->desc = to;
    if (z->offsets > 0) {
        RC_PASS(rc_memory_keep_or_room(m, h->empty_ptr, (tiles + 1) * sizeof(int32_t), &to, err));
        out->empty_ptr = to;
        RC_PASS(rc_memory_keep(m, h->empty_offset, (size_t)z->offsets * sizeof(int32_t), &to, err));
        out->empty_offset = to;
    }
    RC_PASS(rc_memory_keep_or_room(m, h->tail, (size_t)z->tail * sizeof(int32_t), &to, err));
    out->tail = to;
    RC_PASS(rc_memory_room(m, ((size_t)z->shares + 1) * sizeof *out->share, &to, err));
    out->share = to;
    return RC_OK;
}

static rc_spmv_csr5_args_t args_of(const csr5_t *c, const sizes_t *z, const rc_build_csr5_t *b)
{
    size_t before = (size_t)(c->s.base.stored - z->tail);
    rc_spmv_csr5_args_t a = {.col = b->col,
        .val = c->s.base.val,
        .tile_ptr = b->tile_ptr,
        .desc = b->desc,
        .empty_ptr = b->empty_ptr,
        .empty_offset = b->empty_offset,
        .share = b->share,
        .full = z->size.full,
        .ctas = (int32_t)z->ctas,
        .sigma = (int32_t)z->size.sigma,
        .words = z->size.words,
        .y_bits = z->size.y_bits};
    if (z->tail > 0)
        a.tail = (rc_spmv_coo_args_t){.slot = b->tail,
            .share = b->share + z->ctas,
            .col = b->col + before,
            .val = (const char *)c->s.base.val + before * (size_t)c->s.base.value_bytes};
    return a;
}

static rc_status_t build(rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    const rc_spmv_source_t *from, rc_err_t *err)
{
    csr5_t *c = (csr5_t *)s;
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    const sizes_t z = sizes_of(p, n.filled, n.beyond);
    rc_executor_t *x = s->base.memory.x;
    host_t h = {.tail = NULL};
    rc_build_csr5_t b = {.size = z.size,
        .ctas = z.ctas,
        .tiles_each = RC_SPMV_CSR5_TILES,
        .look = rc_spmv_csr5_look(z.size.sigma),
        .tail_entries = z.tail,
        .shares = z.shares};
    rc_status_t st;
    RC_TRY(rc_spmv_room(p, p->a->nnz, s, err));
    c->shares = z.shares;
    RC_TRY(rc_spmv_places(p, from, n.filled, s, err));
    if (!from->there)
        RC_TRY(build_here(&from->here, &z, x->threads, &h, err));
    RC_TRY(keep_arrays(&h, &z, c, &b, err));
    if (from->there)
        RC_TRY(rc_build_csr5(from->there, &b, err));
    RC_TRY(rc_spmv_spans(p, from, from->there ? b.share : h.share, z.shares, z.most, s, err));
    if (!from->there)
        RC_TRY(x->upload(x, b.share, h.share, ((size_t)z.shares + 1) * sizeof *h.share, err));
    c->args = args_of(c, &z, &b);
done:
    host_free(&h);
    return st;
}

/* --------------------------------------------------------------------- run */

static rc_status_t launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const csr5_t *c = (const csr5_t *)s;
    rc_spmv_csr5_args_t args = c->args;
    args.v = rc_spmv_vectors(s, o, alpha, beta);
    args.tail.v = args.v;
    return rc_spmv_launch(
        s, rc_spmv_csr5_entry(s->base.p.precision), c->shares, &args, "launch of csr5", err);
}

static const rc_spmv_kind_t kind = {build, launch};

const rc_kernel_t rc_kernel_cuda_csr5 = {
    .name = "csr5",
    .summary =
        "y = A x on a GPU in tiles of 32 x sigma entries, a warp each; segmented sums by bit flags",
    .source = "Liu and Vinter 2015, doi:10.1145/2751205.2751209",
    /* 1: rows of several shares in a second launch; built on the host. 2: all rows that go on
     * counted as such. 3: a fence in the last CTA of such rows */
    .version = 4,
    .param = {RC_CSR5_SIGMA_PARAM},
    .analyse = analyse,
    .builds = 1,
    .kind = &kind,
    .layout = RC_COL_MAJOR,
    .format = "csr5",
    RC_SPMV_MEMBERS(csr5_t),
};
