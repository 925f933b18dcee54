/* The C-stationary product with 2 to 16 lanes per row: short rows leave most lanes of a warp idle,
 * so a warp takes several rows, as in the vector CSR kernels of Bell and Garland 2009. */
#include "config.h"
#include "device/cuda/ranges.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/stationary.h"

enum { PARAM_LANES = 0, PARAM_STRIP = 1, PARAM_SPLIT = 2 };

static const void *entry(rc_precision_t precision, int wide, int lanes, int strip)
{
    static const void *(*const of[])(int, int, int) = {
        [RC_FP32] = rc_cuda_gsub_entry_f32, [RC_FP64] = rc_cuda_gsub_entry_f64};
    return of[precision](wide, lanes, strip);
}

static rc_geometry_t geometry(
    const rc_executor_t *x, const int64_t *param, rc_precision_t precision)
{
    rc_geometry_t g = rc_cuda_geometry(x, param, precision);
    g.nt = (int32_t)param[PARAM_LANES];
    g.nw = RC_CTA_THREADS / g.nt;
    return g;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_stationary_shape_t shape = {.entry = entry,
        .lanes = (int)p->param[PARAM_LANES],
        .strip = p->param[PARAM_STRIP],
        .split = p->param[PARAM_SPLIT]};
    return rc_stationary_build(state, p, &shape, err);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    return rc_stationary_analyse(p, (int)p->param[PARAM_LANES], out, err);
}

const rc_kernel_t rc_kernel_gsub = {
    .name = "gsub",
    .summary = "C-stationary, column-major B: 2 to 16 lanes per row, slot p to sub-warp p mod N_w",
    .source = "Mehrabi et al. 2021, section II-B; sub-warps: Bell and Garland 2009, "
              "doi:10.1145/1654059.1654078",
    .version = 2,
    RC_CUDA_STRICT_MEMBERS,
    .op = RC_OP_SPMM,
    .layout = RC_COL_MAJOR,
    .format = "slots",
    .c_orders = RC_STORES_ANY,
    .builds = 1,
    .param = {{"lanes", "lanes per row", 8, 2, 16, 1},
        {"strip", "columns of C per CTA", 8, 1, RC_STRIP_MAX, 1},
        {"split", "CTAs that share the slots of a strip, 0: automatic", 0, 0, RC_SPLIT_MAX, 0}},
    .analyse = analyse,
    .geometry = geometry,
    .state_bytes = RC_STATE(rc_stationary_t),
    .build = build,
    .run = rc_stationary_run,
};
