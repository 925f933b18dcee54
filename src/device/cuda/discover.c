#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/nvml.h"

#include <cusparse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rc_status_t rc_cuda_check(cudaError_t e, const char *what, rc_err_t *err)
{
    if (e == cudaSuccess)
        return RC_OK;
    (void)cudaGetLastError();
    if (e == cudaErrorMemoryAllocation)
        return rc_fail(err, RC_ENOMEM, "%s: no memory on the device", what);
    return rc_fail(err, RC_EDEVICE, "%s: %s: %s", what, cudaGetErrorName(e), cudaGetErrorString(e));
}

rc_status_t rc_cuda_launched(const char *what, rc_err_t *err)
{
    return rc_cuda_check(cudaGetLastError(), what, err);
}

rc_status_t rc_gpu_versions(rc_gpu_versions_t *out, rc_err_t *err)
{
    int major = 0;
    int minor = 0;
    int patch = 0;
    if (!out)
        return rc_fail(err, RC_EINVAL, "versions: expected where to put them, found NULL");
    *out = (rc_gpu_versions_t){0};
    RC_PASS(rc_cuda_check(cudaRuntimeGetVersion(&out->runtime), "the CUDA runtime", err));
    if (cudaDriverGetVersion(&out->driver) != cudaSuccess) {
        (void)cudaGetLastError();
        out->driver = 0;
    }
    if (cusparseGetProperty(MAJOR_VERSION, &major) != CUSPARSE_STATUS_SUCCESS ||
        cusparseGetProperty(MINOR_VERSION, &minor) != CUSPARSE_STATUS_SUCCESS ||
        cusparseGetProperty(PATCH_LEVEL, &patch) != CUSPARSE_STATUS_SUCCESS)
        return rc_fail(err, RC_EDEVICE, "cuSPARSE does not say its version");
    enum { per_major = 1000, per_minor = 100 };
    out->cusparse = major * per_major + minor * per_minor + patch;
    rc_nvml_driver(out->driver_name, sizeof out->driver_name);
    return RC_OK;
}

/* "GPU-5a6b7c8d-...", as the driver's own tools print it; the parts of a GPU that is split (MIG)
 * have names that say so, and identities of their own. */
static void uuid_text(const struct cudaDeviceProp *p, char *out, size_t size)
{
    const unsigned char *b = (const unsigned char *)p->uuid.bytes;
    snprintf(out, size, "%s-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
        strstr(p->name, " MIG ") ? "MIG" : "GPU", b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7],
        b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

rc_status_t rc_cuda_describe(int index, rc_gpu_info_t *out, rc_err_t *err)
{
    struct cudaDeviceProp p;
    char what[32];
    snprintf(what, sizeof what, "GPU %d", index);
    *out = (rc_gpu_info_t){.index = index};
    RC_PASS(rc_cuda_check(cudaGetDeviceProperties(&p, index), what, err));
    RC_PASS(rc_cuda_check(cudaDeviceGetPCIBusId(out->pci, (int)sizeof out->pci, index), what, err));
    RC_PASS(rc_cuda_check(cudaDriverGetVersion(&out->driver), "the CUDA driver", err));
    RC_PASS(rc_cuda_check(cudaRuntimeGetVersion(&out->runtime), "the CUDA runtime", err));
    snprintf(out->name, sizeof out->name, "%.*s", (int)sizeof out->name - 1, p.name);
    uuid_text(&p, out->uuid, sizeof out->uuid);
    out->cc_major = p.major;
    out->cc_minor = p.minor;
    out->sms = p.multiProcessorCount;
    out->l2_bytes = p.l2CacheSize;
    out->memory_bytes = (int64_t)p.totalGlobalMem;
    return RC_OK;
}

/* Asking takes over a millisecond with some drivers, and a plan asks: what was answered is kept for
 * the process.  What failed is asked again. */
rc_status_t rc_cuda_known(int index, rc_gpu_info_t *out, rc_err_t *err)
{
    enum { KEPT = 64 }; /* GPUs; further ones are asked each time */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static rc_gpu_info_t known[KEPT];
    static unsigned char is_known[KEPT];
    rc_status_t st = RC_OK;
    if (index < 0 || index >= KEPT)
        return rc_cuda_describe(index, out, err);
    (void)pthread_mutex_lock(&lock);
    if (!is_known[index])
        st = rc_cuda_describe(index, &known[index], err);
    is_known[index] = st == RC_OK;
    *out = known[index];
    (void)pthread_mutex_unlock(&lock);
    return st;
}

void rc_cuda_class(const rc_gpu_info_t *info, char *out, size_t size)
{
    enum { per_major = 1000, per_minor = 10 };
    snprintf(out, size, "cuda:%s:%dsm:cuda%d.%d", info->name, info->sms, info->runtime / per_major,
        info->runtime % per_major / per_minor);
}

/* The runtime says the same of no driver and of an old one; a user needs to know which. */
static rc_status_t no_driver(cudaError_t e, rc_err_t *err)
{
    enum { per_major = 1000, per_minor = 10 };
    int driver = 0;
    int runtime = 0;
    if (e != cudaErrorInsufficientDriver || cudaDriverGetVersion(&driver) != cudaSuccess ||
        cudaRuntimeGetVersion(&runtime) != cudaSuccess)
        return rc_cuda_check(e, "no GPU can be used", err);
    (void)cudaGetLastError();
    if (driver == 0)
        return rc_fail(err, RC_EDEVICE, "no GPU can be used: no NVIDIA driver found");
    return rc_fail(err, RC_EDEVICE,
        "no GPU can be used: the driver is for CUDA up to %d.%d, this build needs %d.%d",
        driver / per_major, driver % per_major / per_minor, runtime / per_major,
        runtime % per_major / per_minor);
}

rc_status_t rc_gpu_list(rc_gpu_info_t **list, int *count, rc_err_t *err)
{
    int n = 0;
    if (!list || !count)
        return rc_fail(err, RC_EINVAL, "GPUs: expected where to put them, found NULL");
    *list = NULL;
    *count = 0;
    cudaError_t e = cudaGetDeviceCount(&n);
    if (e == cudaErrorNoDevice) {
        (void)cudaGetLastError();
        n = 0;
    } else if (e != cudaSuccess)
        return no_driver(e, err);
    rc_gpu_info_t *all = rc_alloc0((size_t)n, sizeof *all, "the list of GPUs", err);
    RC_PASS(all ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++) {
        rc_status_t st = rc_cuda_describe(i, &all[i], err);
        if (st < 0) {
            free(all);
            return st;
        }
    }
    *list = all;
    *count = n;
    return RC_OK;
}
