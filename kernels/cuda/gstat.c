/* C-stationary product, Mehrabi et al. 2021, section II-B, Algorithm 1: a CTA of 32 warps computes
 * a strip of columns of C, the 32 lanes of a warp stride over the entries of a row. */
#include "config.h"
#include "kernels/cuda/ranges.h"
#include "kernels/cuda/slots.h"
#include "kernels/cuda/stationary.h"

enum { PARAM_STRIP = 0, PARAM_SPLIT = 1, LANES = 32 };

static rc_status_t prepare(rc_device_t *d, const rc_problem_t *p, void **state, rc_err_t *err)
{
    rc_stationary_shape_t shape = {.entry = rc_cuda_gstat_entry,
        .lanes = LANES,
        .strip = p->param[PARAM_STRIP],
        .split = p->param[PARAM_SPLIT]};
    return rc_stationary_prepare(d, p, &shape, state, err);
}

static int64_t bytes_device(const rc_problem_t *p)
{
    return rc_stationary_bytes(p, LANES);
}

const rc_kernel_t rc_kernel_gstat = {
    .name = "gstat",
    .summary = "C-stationary as published, column-major B: a warp per row, slot p to warp p mod 32",
    .source = "Mehrabi et al. 2021, section II-B, Algorithm 1",
    .version = 2,
    .device = RC_DEVICE_CUDA,
    .layout = RC_COL_MAJOR,
    .computes = 1,
    .param = {{"strip", "columns of C per CTA", 8, 1, RC_STRIP_MAX, 1},
        {"split", "CTAs that share the slots of a strip, 0: automatic", 0, 0, RC_SPLIT_MAX, 0}},
    .supports = rc_cuda_supports,
    .geometry = rc_cuda_geometry,
    .bytes_min = rc_cuda_slots_bytes_min,
    .bytes_device = bytes_device,
    .prepare = prepare,
    .run = rc_stationary_run,
    .release = rc_stationary_release,
};
