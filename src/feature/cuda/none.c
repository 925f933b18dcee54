/* What features on a GPU answer in a build without CUDA. */
#include "config.h"
#include "feature/cuda/features.h"
#include "base/error.h"

rc_status_t rc_cuda_features_there(rc_executor_t *x, const char *set, const rc_csr_t *a,
    const rc_resident_t *m, double *out, rc_err_t *err)
{
    (void)x;
    (void)set;
    (void)a;
    (void)m;
    (void)out;
    return rc_fail(err, RC_ENOTSUP, "this build has no CUDA kernels; see the summary of configure");
}
