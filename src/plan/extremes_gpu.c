/* The largest or least term of each row of a product, on a GPU. */
#include "config.h"
#include "base/error.h"
#include "device/cuda/executor.h"
#include "kernels/extremes/extremes.h"
#include "plan/extremes.h"
#include "rowcast_cuda.h"

rc_status_t rc_extremes(
    const rc_plan_matrix_t *a, const rc_extremes_t *x, struct CUstream_st *stream, rc_err_t *err)
{
    int index = 0;
    int capturing = 0;
    RC_PASS(rc_extremes_check(a, x, 1, err));
    RC_PASS(rc_cuda_stream_info(stream, &index, &capturing, err));
    return rc_cuda_extremes(a, x, rc_extremes_sign(x->kind), index, stream, err);
}
