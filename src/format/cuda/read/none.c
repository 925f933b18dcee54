/* What reading a matrix on a GPU answers in a build without CUDA. */
#include "config.h"
#include "format/cuda/read/read.h"
#include "base/error.h"

rc_status_t rc_cuda_read_there(
    rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err)
{
    (void)x;
    (void)m;
    *out = (rc_there_t){0};
    return rc_fail(err, RC_ENOTSUP, "this build has no CUDA kernels; see the summary of configure");
}
