/* y = A x row by row on a GPU: a few lanes take a row. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/spmv_csr.h"
#include "kernels/format/csr.h"
#include "kernels/format/merge.h"

#include <stdlib.h>

enum { PARAM_LANES };

typedef struct csr {
    rc_spmv_t s;
    rc_spmv_csr_args_t args;
    const void *entry;
    int64_t ctas;
} csr_t;

enum { FEWEST = 128, ENOUGH = 256 }; /* row ends and entries of a share; shares that keep a GPU busy */

static int64_t lanes_of(const rc_problem_t *p)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    return rc_csr_lanes(&e, p->param[PARAM_LANES]);
}

/* Row ends and entries of a share: as many as leave room in a tile for the rest of a row. */
static int64_t items_of(const rc_problem_t *p)
{
    int64_t all = rc_sat_add(p->schedule->slots, p->a->nnz);
    int64_t items = RC_SPMV_TILE - RC_SPMV_CSR_LONGEST(lanes_of(p));
    if (items > all / ENOUGH)
        items = all / ENOUGH;
    return items > FEWEST ? items : FEWEST;
}

static int64_t shares_of(const rc_problem_t *p)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    return rc_merge_parts(&e, items_of(p));
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st;
    RC_TRY(rc_cuda_slots_analyse(p, out, err));
    RC_TRY(rc_spmv_count(p, RC_SPMV_CSR_LONGEST(lanes_of(p)), 0, out->chosen, err));
    RC_TRY(rc_spmv_limits(p, rc_sat_add(shares_of(p), out->chosen[RC_SPMV_BEYOND]), err));
    int64_t points = (shares_of(p) + 1) * (int64_t)sizeof(rc_spmv_share_t);
    out->traffic = rc_sat_add(out->traffic, points);
    out->bytes = rc_sat_add(out->bytes, points);
    out->bytes = rc_sat_add(out->bytes, out->chosen[RC_SPMV_BEYOND] * (int64_t)sizeof(int32_t));
done:
    return st;
}

/* The slots that are too long for a group. */
static rc_status_t keep_late(const rc_problem_t *p, const rc_spmv_source_t *from, int64_t lates,
    csr_t *c, rc_err_t *err)
{
    int64_t longest = RC_SPMV_CSR_LONGEST(lanes_of(p));
    const rc_csr_view_t *e = &from->here;
    int32_t *late = NULL;
    void *device = NULL;
    rc_status_t st = RC_OK;
    if (lates == 0)
        return RC_OK;
    if (!from->there) {
        late = rc_alloc((size_t)lates, sizeof *late, "long rows", err);
        RC_TRY(late ? RC_OK : RC_ENOMEM);
        for (int64_t i = 0, n = 0; i < e->rows; i++)
            if (e->ptr[i + 1] - e->ptr[i] > longest)
                late[n++] = (int32_t)i;
    }
    RC_TRY(rc_cuda_keep_or_room(&c->s.memory, late, (size_t)lates * sizeof *late, &device, err));
    c->args.late = device;
    c->args.lates = (int32_t)lates;
    if (from->there)
        st = rc_build_late(from->there, longest, device, err);
done:
    free(late);
    return st;
}

static rc_status_t build(rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    const rc_spmv_source_t *from, rc_err_t *err)
{
    csr_t *c = (csr_t *)s;
    int64_t shares = shares_of(p);
    rc_spmv_csr_t a;
    rc_spmv_share_t *share = NULL;
    rc_status_t st;
    RC_TRY(rc_spmv_csr(p, from, s, &a, err));
    RC_TRY(rc_spmv_shares(p, from, items_of(p), INT64_MAX, 0, s, &share, err));
    RC_TRY(keep_late(p, from, analysis->chosen[RC_SPMV_BEYOND], c, err));
    c->args.ptr = a.ptr;
    c->args.col = a.col;
    c->args.val = a.val;
    c->args.share = share;
    c->entry = rc_spmv_csr_entry(p->precision, a.wide, (int)lanes_of(p));
    c->ctas = c->args.lates + shares;
done:
    return st;
}

static rc_status_t launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const csr_t *c = (const csr_t *)s;
    rc_spmv_csr_args_t args = c->args;
    args.v = rc_spmv_vectors(s, o, alpha, beta);
    return rc_spmv_launch(s, c->entry, c->ctas, &args, "launch of csr", err);
}

static const rc_spmv_kind_t kind = {sizeof(csr_t), build, launch};

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

const rc_kernel_t rc_kernel_cuda_csr = {
    .name = "csr",
    .summary = "y = A x on a GPU, row by row: `lanes` lanes of a warp take a row, a CTA a very long one",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 2, /* 1: no products in shared memory; built on the host */
    .param = {RC_CSR_LANES_PARAM},
    .analyse = analyse,
    .prepare = prepare,
    .share = share,
    RC_SPMV_MEMBERS,
};
