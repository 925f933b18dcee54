/* y = A x of CSR-2 on a GPU (Lane and Booth 2022 tried it and give no details): a CTA takes as many super-rows as its
 * block has places for [chosen]; the case of the mean row gives the block. */
#include "config.h"
#include "base/error.h"
#include "kernels/cuda/spmv_csrk.h"

enum { PARAM_TUNE, PARAM_SRS, PARAM_REDUCE, PARAM_READING };

static rc_csrk_choice_t choice_of(const rc_problem_t *p)
{
    return (rc_csrk_choice_t){.levels = 1,
        .size = {p->param[PARAM_SRS]},
        .shuffle = (int)p->param[PARAM_REDUCE],
        .reading = (rc_csrk_reading_t)p->param[PARAM_READING]};
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csrk_choice_t c = choice_of(p);
    return rc_csrk_gpu_analyse(p, &c, out, err);
}

static rc_status_t build(rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    const rc_spmv_source_t *from, rc_err_t *err)
{
    const rc_csrk_choice_t c = choice_of(p);
    (void)analysis;
    return rc_csrk_gpu_build(s, p, &c, from, err);
}

static const rc_spmv_kind_t kind = {sizeof(rc_spmv_csrk_t), build, rc_csrk_gpu_launch};

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

extern const rc_kernel_t rc_kernel_cuda_csr2;

static rc_status_t identify(const rc_params_t *values, char *text, rc_err_t *err)
{
    return rc_csrk_tuning_identify(rc_kernel_cuda_csr2.param, values, text, err);
}

const rc_kernel_t rc_kernel_cuda_csr2 = {
    .name = "csr2",
    .summary = "y = A x on a GPU: blocks of threads take super-rows (CSR-2)",
    .source = "Lane and Booth 2022, section 6.2",
    .version = 1,
    .param = {RC_CSRK_TUNE_PARAM, RC_CSRK_SRS_PARAM, RC_CSRK_REDUCE_PARAM, RC_CSRK_READING_PARAM},
    .identify = identify,
    .analyse = analyse,
    .prepare = prepare,
    .share = share,
    RC_SPMV_MEMBERS,
};
