/* C-stationary product, Mehrabi et al. 2021, section II-B, Algorithm 1: a CTA of 32 warps computes
 * a strip of columns of C, the 32 lanes of a warp stride over the entries of a row. */
#include "config.h"
#include "device/cuda/ranges.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/stationary.h"

enum { PARAM_STRIP = 0, PARAM_SPLIT = 1, LANES = 32 };

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_stationary_shape_t shape = {.entry = rc_cuda_gstat_entry,
        .lanes = LANES,
        .strip = p->param[PARAM_STRIP],
        .split = p->param[PARAM_SPLIT]};
    return rc_stationary_build(state, p, &shape, err);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    return rc_stationary_analyse(p, LANES, out, err);
}

const rc_kernel_t rc_kernel_gstat = {
    .name = "gstat",
    .summary = "C-stationary as published, column-major B: a warp per row, slot p to warp p mod 32",
    .source = "Mehrabi et al. 2021, section II-B, Algorithm 1",
    .version = 2,
    RC_CUDA_STRICT_MEMBERS,
    .op = RC_OP_SPMM,
    .layout = RC_COL_MAJOR,
    .format = "slots",
    .c_orders = RC_STORES_ANY,
    .builds = 1,
    .param = {{"strip", "columns of C per CTA", 8, 1, RC_STRIP_MAX, 1},
        {"split", "CTAs that share the slots of a strip, 0: automatic", 0, 0, RC_SPLIT_MAX, 0}},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .state_bytes = RC_STATE(rc_stationary_t),
    .build = build,
    .run = rc_stationary_run,
};
