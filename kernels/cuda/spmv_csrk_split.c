/* y = A x of CSR-3 on a GPU for irregular rows: the case of csr35 looks at the mean row alone, so rows above a bound are
 * apart.  Their entries are coordinates in equal shares (as coo), in the same launch; the others are as tuned, sums
 * by shuffles.  A slot that is apart has no entries in CSR, and a bit says that it is not to be stored to. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/spmv_csrk_split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARAM_TUNE, PARAM_SRS, PARAM_SSRS, PARAM_BOUND };
enum { AUTO = -1, WORD = 32, OF_A_LANE = 16, OF_A_THREAD = 32 };

/* What the analysis leaves in `chosen`. */
enum {
    CHOSEN_BOUND,
    CHOSEN_APART, /* entries of rows that are */
    CHOSEN_BEYOND /* of those rows, with more entries than a share looks back */
};

typedef struct split {
    rc_spmv_t s;
    rc_spmv_csrk_split_args_t args;
    rc_cuda_launch_t launch;
} split_t;

static rc_csrk_choice_t choice_of(const rc_problem_t *p)
{
    return (rc_csrk_choice_t){
        .levels = 2, .size = {p->param[PARAM_SRS], p->param[PARAM_SSRS]}, .shuffle = 1};
}

/* As csr35, but a block of case 1 has a share's threads. */
static rc_status_t form_of(const rc_problem_t *p, rc_csrk_form_t *out, rc_err_t *err)
{
    const rc_csrk_choice_t c = choice_of(p);
    rc_status_t st = rc_csrk_form(p, &c, out, err);
    if (st == RC_OK && out->shape.lanes == 1)
        out->shape.super_rows = RC_SPMV_THREADS / out->shape.rows;
    return st;
}

/* Entries that lanes take without holding up a CTA [chosen], and twice the mean row. */
static int64_t bound_of(const rc_problem_t *p, const rc_csrk_form_t *f)
{
    int64_t most = f->shape.lanes == 1 ? OF_A_THREAD : (int64_t)f->shape.lanes * OF_A_LANE;
    int64_t twice = (int64_t)ceil(2 * rc_csrk_rdensity(p->a->rows, p->a->nnz));
    if (p->param[PARAM_BOUND] != AUTO)
        return p->param[PARAM_BOUND];
    return twice > most ? twice : most;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csrk_choice_t c = choice_of(p);
    const int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_csrk_form_t f;
    rc_status_t st;
    RC_TRY(rc_csrk_gpu_analyse(p, &c, out, err));
    RC_TRY(form_of(p, &f, err));
    int64_t bound = bound_of(p, &f);
    int64_t apart = 0;
    int64_t beyond = 0;
    for (int64_t r = 0; r < p->a->rows; r++) {
        int64_t length = p->a->row_ptr[r + 1] - p->a->row_ptr[r];
        apart += length > bound ? length : 0;
        beyond += length > bound && length > RC_SPMV_LOOK;
    }
    RC_TRY(rc_spmv_limits(p, rc_spmv_coo_shares(apart), err));
    out->chosen[CHOSEN_BOUND] = bound;
    out->chosen[CHOSEN_APART] = apart;
    out->chosen[CHOSEN_BEYOND] = beyond;
    if (apart == 0)
        goto done;
    int64_t bits = (p->schedule->slots / WORD + 1) * (int64_t)sizeof(uint32_t);
    int64_t shares = rc_spmv_coo_bytes(apart, beyond, value) - apart * (int64_t)sizeof(int32_t);
    out->bytes = rc_sat_add(out->bytes, bits + shares); /* columns are counted in CSR already */
    out->traffic = rc_sat_add(out->traffic, apart * (int64_t)sizeof(int32_t));
done:
    return st;
}

/* ------------------------------------------------------------- preparation */

/* The entries, those of slots that are apart behind the others. */
typedef struct parted {
    int64_t *ptr;    /* [slots + 1] of the others */
    int32_t *col;    /* [nnz] */
    void *val;       /* [nnz] */
    int32_t *slot;   /* [apart] */
    uint32_t *apart; /* bits of slots */
    rc_spmv_share_t *share;
} parted_t;

static void parted_free(parted_t *h)
{
    free(h->ptr);
    free(h->col);
    free(h->val);
    free(h->slot);
    free(h->apart);
    free(h->share);
}

static rc_status_t parted_alloc(
    const rc_csr_view_t *e, int64_t apart, size_t value, parted_t *h, rc_err_t *err)
{
    size_t rows = (size_t)e->rows;
    size_t nnz = (size_t)e->nnz;
    h->ptr = rc_alloc(rows + 1, sizeof *h->ptr, "slot pointers", err);
    h->col = rc_alloc(nnz, sizeof *h->col, "columns", err);
    h->val = rc_alloc(nnz, value, "values", err);
    h->slot = rc_alloc((size_t)apart, sizeof *h->slot, "slots of entries", err);
    h->apart = rc_alloc0(rows / WORD + 1, sizeof *h->apart, "slots that are apart", err);
    h->share = rc_alloc((size_t)rc_spmv_coo_shares(apart) + 1, sizeof *h->share, "shares", err);
    return h->ptr && h->col && h->val && h->slot && h->apart && h->share ? RC_OK : RC_ENOMEM;
}

static void part(const rc_csr_view_t *e, int64_t bound, int64_t apart, size_t value, parted_t *h)
{
    int64_t near = 0;
    int64_t far = e->nnz - apart;
    for (int64_t p = 0; p < e->rows; p++) {
        int64_t from = e->ptr[p];
        int64_t n = e->ptr[p + 1] - from;
        int64_t *to = n > bound ? &far : &near;
        h->ptr[p] = near;
        if (n > bound) {
            h->apart[p / WORD] |= UINT32_C(1) << p % WORD;
            for (int64_t i = 0; i < n; i++)
                h->slot[far - (e->nnz - apart) + i] = (int32_t)p;
        }
        memcpy(h->col + *to, e->col + from, (size_t)n * sizeof *h->col);
        memcpy((char *)h->val + (size_t)*to * value, (const char *)e->val + (size_t)from * value,
            (size_t)n * value);
        *to += n;
    }
    h->ptr[e->rows] = near;
}

/* The part of the entries that are apart, once all of them are on the device. */
static rc_status_t keep_apart(const rc_problem_t *p, const rc_spmv_source_t *from,
    const rc_analysis_t *analysis, const parted_t *h, split_t *k, rc_err_t *err)
{
    rc_spmv_t *s = &k->s;
    int64_t apart = analysis->chosen[CHOSEN_APART];
    int64_t shares = rc_spmv_coo_shares(apart);
    int64_t near = p->a->nnz - apart;
    void *device[3] = {NULL, NULL, NULL};
    rc_status_t st;
    rc_spmv_coo_cut(h->slot, apart, h->share);
    RC_TRY(rc_spmv_spans(p, from, h->share, shares,
        rc_spmv_most_spans(shares, analysis->chosen[CHOSEN_BEYOND]), s, err));
    RC_TRY(rc_cuda_keep(&s->memory, h->slot, (size_t)apart * sizeof *h->slot, &device[0], err));
    RC_TRY(rc_cuda_keep(&s->memory, h->share, ((size_t)shares + 1) * sizeof *h->share, &device[1], err));
    RC_TRY(rc_cuda_keep(&s->memory, h->apart,
        ((size_t)p->schedule->slots / WORD + 1) * sizeof *h->apart, &device[2], err));
    k->args.coo = (rc_spmv_coo_args_t){.slot = device[0],
        .col = k->args.csrk.col + near,
        .val = (const char *)k->args.csrk.val + (size_t)near * (size_t)s->value_bytes,
        .share = device[1]};
    k->args.apart = device[2];
    k->args.shares = (int32_t)shares;
done:
    return st;
}

static rc_status_t build(rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    const rc_spmv_source_t *from, rc_err_t *err)
{
    split_t *k = (split_t *)s;
    int64_t apart = analysis->chosen[CHOSEN_APART];
    size_t value = (size_t)s->value_bytes;
    rc_spmv_source_t near = *from;
    parted_t h = {0};
    rc_csrk_form_t f;
    rc_spmv_csr_t a;
    int64_t ctas = 0;
    rc_status_t st;
    RC_TRY(form_of(p, &f, err));
    if (apart > 0) {
        RC_TRY(parted_alloc(&from->here, apart, value, &h, err));
        part(&from->here, analysis->chosen[CHOSEN_BOUND], apart, value, &h);
        near.here.ptr = h.ptr;
        near.here.col = h.col;
        near.here.val = h.val;
    }
    RC_TRY(rc_spmv_csr(p, &near, s, &a, err));
    RC_TRY(rc_csrk_pointers(p, &f, s, &k->args.csrk, &ctas, err));
    k->args.csrk.ptr = a.ptr;
    k->args.csrk.col = a.col;
    k->args.csrk.val = a.val;
    k->args.shape = f.shape;
    if (apart > 0)
        RC_TRY(keep_apart(p, from, analysis, &h, k, err));
    RC_TRY(rc_spmv_limits(p, ctas + k->args.shares, err));
    k->launch = (rc_cuda_launch_t){
        .entry = rc_spmv_csrk_split_entry(p->precision, a.wide, f.shape.lanes),
        .ctas = (unsigned)(ctas + k->args.shares),
        .rows = 1,
        .threads = (unsigned)(f.shape.lanes * f.shape.rows * f.shape.super_rows)};
done:
    parted_free(&h);
    return st;
}

static rc_status_t launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const split_t *k = (const split_t *)s;
    rc_spmv_csrk_split_args_t args = k->args;
    args.csrk.v = args.coo.v = rc_spmv_vectors(s, o, alpha, beta);
    return rc_cuda_launch_overlapping(
        s->memory.x, &k->launch, s->overlaps, &args, "launch of csrk-split", err);
}

static const rc_spmv_kind_t kind = {sizeof(split_t), build, launch};

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    return rc_spmv_prepare(x, p, analysis, &kind, of, state, err);
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

extern const rc_kernel_t rc_kernel_cuda_csrk_split;

static rc_status_t identify(const rc_params_t *values, char *text, rc_err_t *err)
{
    return rc_csrk_tuning_identify(rc_kernel_cuda_csrk_split.param, values, text, err);
}

const rc_kernel_t rc_kernel_cuda_csrk_split = {
    .name = "csrk-split",
    .summary = "y = A x on a GPU: rows above a bound as coordinates, the others as csr35, in one launch",
    .source = "ours, beyond Lane and Booth 2022",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_CSRK_TUNE_PARAM, RC_CSRK_SRS_PARAM, RC_CSRK_SSRS_PARAM,
        {.name = "bound",
            .help = "entries of the longest row that is not apart; auto: 16 a lane (32 of one), at least twice the mean",
            .value = AUTO,
            .min = 0,
            .max = INT32_MAX,
            .choices = rc_super_rows_choices}},
    .identify = identify,
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .run = rc_spmv_run,
    .release = rc_spmv_release,
    .values = rc_spmv_values,
};
