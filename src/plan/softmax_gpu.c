/* The softmax of the scores of each row, and its gradient, on a GPU. */
#include "config.h"
#include "base/error.h"
#include "device/cuda/executor.h"
#include "kernels/softmax/softmax.h"
#include "plan/softmax.h"
#include "rowcast_cuda.h"

rc_status_t rc_softmax(
    const rc_plan_matrix_t *a, const rc_softmax_t *x, struct CUstream_st *stream, rc_err_t *err)
{
    int index = 0;
    int capturing = 0;
    RC_PASS(rc_softmax_check(a, x, 1, err));
    RC_PASS(rc_cuda_stream_info(stream, &index, &capturing, err));
    return rc_cuda_softmax(a, x, index, stream, err);
}
