/* y = A x of A in CSR5 on a GPU. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/spmv_csr5.h"

#include <stdlib.h>

enum { PARAM_SIGMA };

typedef struct csr5 {
    rc_spmv_t s;
    rc_spmv_csr5_args_t args;
    void *val; /* [nnz] in stored order */
    int64_t nnz;
    int64_t shares; /* CTAs */
} csr5_t;

/* What follows from the shape. */
typedef struct sizes {
    rc_csr5_size_t size;
    int64_t ctas;   /* for full tiles */
    int64_t tail;   /* entries of the last tile, which is not full */
    int64_t shares; /* CTAs of both */
    int64_t filled; /* rows with entries */
    int64_t offsets; /* room for empty offsets; 0: no slot is empty */
    int64_t most;   /* rows that several CTAs can hold */
} sizes_t;

static sizes_t sizes_of(const rc_problem_t *p)
{
    const rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    sizes_t z = {.size = rc_csr5_size(&e, p->param[PARAM_SIGMA])};
    z.ctas = (z.size.full + RC_SPMV_CSR5_TILES - 1) / RC_SPMV_CSR5_TILES;
    z.tail = p->a->nnz - z.size.full * RC_CSR5_OMEGA * z.size.sigma;
    z.shares = z.ctas + rc_spmv_coo_shares(z.tail);
    z.filled = rc_spmv_rows_beyond(p->a, 0);
    z.offsets = z.filled < p->schedule->slots ? z.filled : 0;
    z.most = z.shares > 1 ? z.shares - 1 : 0;
    if (z.filled < z.most)
        z.most = z.filled;
    return z;
}

static void release(void *state)
{
    csr5_t *c = state;
    if (!c)
        return;
    rc_spmv_free(&c->s);
    free(c);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const sizes_t z = sizes_of(p);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t index = (int64_t)sizeof(int32_t);
    rc_status_t st = rc_spmv_limits(p, z.shares, err);
    if (st < 0)
        return st;
    int64_t bytes = rc_sat_mul(p->a->nnz, index + value);
    bytes = rc_sat_add(bytes, (z.size.tiles + 1) * index);
    bytes = rc_sat_add(bytes, rc_sat_mul(z.size.tiles * z.size.words, RC_CSR5_OMEGA * index));
    out->traffic = bytes;
    if (z.offsets > 0)
        bytes = rc_sat_add(bytes, (z.size.tiles + 1 + z.offsets) * index);
    if (z.tail > 0)
        bytes = rc_sat_add(bytes,
            z.tail * index + (rc_spmv_coo_shares(z.tail) + 1) * (int64_t)sizeof(rc_spmv_share_t));
    bytes = rc_sat_add(bytes, rc_spmv_fix_bytes(z.shares, z.most, value));
    out->bytes = rc_sat_add(bytes, rc_spmv_places_bytes(p));
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    return RC_OK;
}

/* ------------------------------------------------------------- preparation */

static rc_status_t keep(
    csr5_t *c, const void *from, int64_t count, size_t bytes, const void **out, rc_err_t *err)
{
    void *device = NULL;
    rc_status_t st = rc_cuda_keep(&c->s.memory, from, (size_t)count * bytes, &device, err);
    *out = device;
    return st;
}

/* Where the empty offsets of the tiles are, and those. */
static rc_status_t upload_offsets(const rc_csr5_t *f, const sizes_t *z, csr5_t *c, rc_err_t *err)
{
    int64_t tiles = z->size.tiles;
    int64_t offsets = f->empty_ptr[tiles];
    const void *device = NULL;
    rc_status_t st = RC_OK;
    int32_t *at = rc_alloc((size_t)tiles + 1, sizeof *at, "pointers to empty offsets", err);
    int32_t *all = rc_alloc0((size_t)z->offsets, sizeof *all, "empty offsets", err);
    RC_TRY(at && all ? RC_OK : RC_ENOMEM);
    for (int64_t t = 0; t <= tiles; t++)
        at[t] = (int32_t)f->empty_ptr[t];
    for (int64_t i = 0; i < offsets; i++)
        all[i] = f->empty_offset[i];
    RC_TRY(keep(c, at, tiles + 1, sizeof *at, &device, err));
    c->args.empty_ptr = device;
    RC_TRY(keep(c, all, z->offsets, sizeof *all, &device, err));
    c->args.empty_offset = device;
done:
    free(at);
    free(all);
    return st;
}

static rc_status_t upload_tiles(const rc_csr5_t *f, const sizes_t *z, csr5_t *c, rc_err_t *err)
{
    rc_spmv_csr5_args_t *a = &c->args;
    const void *device = NULL;
    rc_status_t st;
    RC_TRY(keep(c, f->col, f->nnz, sizeof *f->col, &device, err));
    a->col = device;
    RC_TRY(rc_cuda_keep(
        &c->s.memory, f->val, (size_t)f->nnz * (size_t)c->s.value_bytes, &c->val, err));
    a->val = c->val;
    RC_TRY(keep(c, f->tile_ptr, z->size.tiles + 1, sizeof *f->tile_ptr, &device, err));
    a->tile_ptr = device;
    RC_TRY(keep(c, f->desc, z->size.tiles * z->size.words * RC_CSR5_OMEGA, sizeof *f->desc,
        &device, err));
    a->desc = device;
    if (z->offsets > 0)
        RC_TRY(upload_offsets(f, z, c, err));
done:
    return st;
}

/* The slots of the entries of the last tile.  \param[out] slot  [tail] */
static void list_tail(const rc_csr_view_t *e, const rc_csr5_t *f, int64_t tail, int32_t *slot)
{
    int64_t r = rc_csr5_row(f, f->size.full);
    for (int64_t i = 0; i < tail; i++) {
        while (e->ptr[r + 1] <= e->nnz - tail + i)
            r++;
        slot[i] = (int32_t)r;
    }
}

/* Where CTAs begin, those of the last tile behind the others.  \param[out] share  [shares + 1] */
static void list_shares(const rc_csr_view_t *e, const rc_csr5_t *f, const sizes_t *z,
    const int32_t *slot, rc_spmv_share_t *share)
{
    rc_spmv_coo_cut(slot, z->tail, share + z->ctas);
    if (z->tail > 0)
        share[z->ctas].open = e->ptr[slot[0]] < e->nnz - z->tail;
    for (int64_t k = 0; k < z->ctas; k++) {
        int64_t t = k * RC_SPMV_CSR5_TILES;
        share[k] = (rc_spmv_share_t){
            .row = (int32_t)rc_csr5_row(f, t), .open = !rc_csr5_flag(f, t, 0, 0)};
    }
}

static rc_status_t upload_tail(const rc_problem_t *p, const rc_csr_view_t *e, const rc_csr5_t *f,
    const sizes_t *z, csr5_t *c, rc_err_t *err)
{
    rc_spmv_coo_args_t *tail = &c->args.tail;
    const void *device = NULL;
    rc_status_t st = RC_OK;
    int32_t *slot = rc_alloc((size_t)z->tail, sizeof *slot, "rows of the last tile", err);
    rc_spmv_share_t *share =
        rc_alloc((size_t)z->shares + 1, sizeof *share, "shares of a matrix", err);
    RC_TRY(slot && share ? RC_OK : RC_ENOMEM);
    list_tail(e, f, z->tail, slot);
    list_shares(e, f, z, slot, share);
    c->args.tail_open = share[z->ctas].open;
    RC_TRY(rc_spmv_fix_build(p, share, z->shares, z->most, &c->s, err));
    if (z->tail == 0)
        goto done;
    RC_TRY(keep(c, slot, z->tail, sizeof *slot, &device, err));
    tail->slot = device;
    RC_TRY(keep(c, share + z->ctas, z->shares - z->ctas + 1, sizeof *share, &device, err));
    tail->share = device;
    tail->col = c->args.col + (e->nnz - z->tail);
    tail->val = (const char *)c->val + (size_t)(e->nnz - z->tail) * (size_t)c->s.value_bytes;
done:
    free(slot);
    free(share);
    return st;
}

static rc_status_t build(const rc_problem_t *p, const rc_csr_view_t *e, csr5_t *c, rc_err_t *err)
{
    const sizes_t z = sizes_of(p);
    rc_csr5_t host = {.nnz = 0};
    rc_status_t st;
    c->nnz = e->nnz;
    c->shares = z.shares;
    c->args.full = z.size.full;
    c->args.ctas = (int32_t)z.ctas;
    c->args.sigma = (int32_t)z.size.sigma;
    c->args.words = z.size.words;
    c->args.y_bits = z.size.y_bits;
    RC_TRY(rc_spmv_places(p, e, &c->s, err));
    RC_TRY(rc_csr5_build(e, &z.size, c->s.memory.x->threads, &host, err));
    RC_TRY(upload_tiles(&host, &z, c, err));
    st = upload_tail(p, e, &host, &z, c, err);
done:
    rc_csr5_free(&host);
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    rc_slots_t slots = {0};
    rc_status_t st;
    csr5_t *c = rc_alloc0(1, sizeof *c, "kernel state", err);
    if (!c)
        return RC_ENOMEM;
    RC_TRY(rc_spmv_init(x, p, &c->s, err));
    RC_TRY(rc_slots_build(x, p, &slots, err));
    const rc_csr_view_t e = rc_slots_view(&slots, p->precision);
    RC_TRY(build(p, &e, c, err));
    *state = c;
done:
    rc_slots_free(&slots);
    if (st < 0)
        release(c);
    return st;
}

/* --------------------------------------------------------------------- run */

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const csr5_t *c = state;
    rc_spmv_csr5_args_t args = c->args;
    args.v = rc_spmv_vectors(&c->s, o, alpha, beta);
    args.tail.v = args.v;
    if (c->s.fix.shares > 0) {
        size_t before = (size_t)args.ctas * (size_t)c->s.value_bytes;
        args.tail.v.in = (char *)args.v.in + before;
        args.tail.v.out = (char *)args.v.out + before;
    }
    rc_cuda_launch_t l = {.entry = rc_spmv_csr5_entry(c->s.precision),
        .ctas = (unsigned)c->shares,
        .rows = 1,
        .threads = RC_SPMV_THREADS};
    rc_status_t st = rc_spmv_run(&c->s, &l, &args, &args.v, "launch of csr5", err);
    return st == RC_OK ? rc_spmv_rest(&c->s, &o->out, beta, err) : st;
}

static int64_t values(void *state, void **array)
{
    const csr5_t *c = state;
    *array = c->val;
    return c->nnz;
}

const rc_kernel_t rc_kernel_cuda_csr5 = {
    .name = "csr5",
    .summary = "y = A x on a GPU in tiles of 32 x sigma entries, a warp each; segmented sums by bit flags",
    .source = "Liu and Vinter 2015, doi:10.1145/2751205.2751209",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_CSR5_SIGMA_PARAM},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
    .values = values,
};
