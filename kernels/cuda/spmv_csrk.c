#include "config.h"
#include "kernels/cuda/spmv_csrk.h"
#include "base/error.h"

#include <string.h>

const char *const rc_csrk_reduce_names[] = {"shared", "shuffle", NULL};

/* As published: case 1 has a thread a row, the others several lanes. */
static rc_csrk_shape_t shape_of(const rc_csrk_sizes_t *s)
{
    if (s->number == 1)
        return (rc_csrk_shape_t){.lanes = 1, .rows = s->block[0], .super_rows = s->block[1]};
    return (rc_csrk_shape_t){
        .lanes = s->block[0], .rows = s->block[1], .super_rows = s->block[2]};
}

rc_status_t rc_csrk_form(
    const rc_problem_t *p, const rc_csrk_choice_t *c, rc_csrk_form_t *out, rc_err_t *err)
{
    rc_csrk_tuning_t tuning;
    double rdensity = rc_csrk_rdensity(p->a->rows, p->a->nnz);
    rc_status_t st = rc_csrk_tuning_open(p->text ? p->text : "auto", &tuning, err);
    if (st < 0)
        return st;
    rc_csrk_form_t f = {.levels = c->levels, .size = {c->size[0], c->size[1]}};
    f.sizes = c->serial ? rc_csrk_sizes_of_case(&tuning, c->reading, rdensity, 1)
                        : rc_csrk_sizes(&tuning, c->reading, rdensity);
    rc_csrk_fill(&tuning, p->a->rows, &f.sizes);
    f.shape = shape_of(&f.sizes);
    f.tuned[0] = f.sizes.srs;
    f.tuned[1] = f.sizes.ssrs;
    *out = f;
    return RC_OK;
}

rc_status_t rc_csrk_gpu_analyse(
    const rc_problem_t *p, const rc_csrk_choice_t *c, rc_analysis_t *out, rc_err_t *err)
{
    rc_csrk_form_t f;
    rc_super_rows_t super;
    rc_status_t st;
    RC_TRY(rc_cuda_slots_analyse(p, out, err));
    RC_TRY(rc_spmv_limits(p, 0, err));
    RC_TRY(rc_csrk_form(p, c, &f, err));
    RC_TRY(rc_super_rows_count(p, f.levels, f.size, f.tuned, &super, err));
    out->pointers = rc_super_rows_bytes(&super);
    out->traffic = rc_sat_add(out->traffic, rc_super_rows_bytes(&super));
    out->bytes = rc_sat_add(out->bytes, rc_super_rows_bytes(&super));
done:
    return st;
}

rc_status_t rc_csrk_pointers(const rc_problem_t *p, const rc_csrk_form_t *f, rc_spmv_t *s,
    rc_spmv_csrk_args_t *out, int64_t *ctas, rc_err_t *err)
{
    rc_super_rows_t super = {0};
    void *device[2] = {NULL, NULL};
    rc_status_t st;
    RC_TRY(rc_super_rows_build(p, f->levels, f->size, f->tuned, &super, err));
    for (int l = 0; l < f->levels; l++)
        RC_TRY(rc_cuda_keep(&s->memory, super.ptr[l],
            ((size_t)super.count[l] + 1) * sizeof *super.ptr[l], &device[l], err));
    out->sr_ptr = device[0];
    out->ssr_ptr = device[1];
    out->super_rows = (int32_t)super.count[0];
    out->each = f->shape.super_rows;
    *ctas = f->levels == 2 ? super.count[1]
                           : (super.count[0] + f->shape.super_rows - 1) / f->shape.super_rows;
done:
    rc_super_rows_free(&super);
    return st;
}

rc_status_t rc_csrk_gpu_build(rc_spmv_t *s, const rc_problem_t *p, const rc_csrk_choice_t *c,
    const rc_spmv_source_t *from, rc_err_t *err)
{
    rc_spmv_csrk_t *k = (rc_spmv_csrk_t *)s;
    rc_csrk_form_t f;
    rc_spmv_csr_t a;
    int64_t ctas = 0;
    rc_status_t st;
    RC_TRY(rc_csrk_form(p, c, &f, err));
    RC_TRY(rc_spmv_csr(p, from, s, &a, err));
    RC_TRY(rc_csrk_pointers(p, &f, s, &k->args, &ctas, err));
    k->args.ptr = a.ptr;
    k->args.col = a.col;
    k->args.val = a.val;
    k->launch = (rc_cuda_launch_t){
        .entry = rc_spmv_csrk_entry(p->precision, a.wide, f.shape.lanes, c->shuffle),
        .ctas = (unsigned)ctas,
        .rows = 1,
        .threads = (unsigned)f.sizes.block[0],
        .threads_y = (unsigned)f.sizes.block[1],
        .threads_z = (unsigned)f.sizes.block[2]};
done:
    return st;
}

rc_status_t rc_csrk_gpu_launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_spmv_csrk_t *k = (const rc_spmv_csrk_t *)s;
    rc_spmv_csrk_args_t args = k->args;
    args.v = rc_spmv_vectors(s, o, alpha, beta);
    return rc_cuda_launch_overlapping(
        s->memory.x, &k->launch, s->overlaps, &args, "launch of CSR-k", err);
}

const rc_cuda_launch_t *rc_csrk_launched(const void *state)
{
    return &((const rc_spmv_csrk_t *)state)->launch;
}
