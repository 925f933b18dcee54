/* What CUDA itself takes of the host for one launch, by each of the ways that there are: nothing that a plan does
 * can take less. */
#include "config.h"
#include "plans_launch.h"

#include "device/cuda/cuda.h"
#include "kernels/spmm/cuda/gchunk.h"

#include <cuda.h>

/* A kernel of gchunk without chunks, which reads nothing and ends. */
struct bench_launch {
    bench_launch_way_t way;
    cudaStream_t stream;
    rc_gchunk_args_t args;
    void *list[1];
    cudaLaunchAttribute overlap;
    cudaLaunchConfig_t config;
    const void *entry;
    CUfunction function; /* the same for the driver */
    CUlaunchAttribute driver_overlap;
    CUlaunchConfig driver;
    CUresult (*launch)(const CUlaunchConfig *config, CUfunction f, void **arguments, void **extra);
};

const char *bench_launch_key(bench_launch_way_t way)
{
    switch (way) {
    case BENCH_LAUNCH:
        return "host.launch";
    case BENCH_LAUNCH_OVERLAP:
        return "host.launch.overlap";
    case BENCH_LAUNCH_DRIVER:
        return "host.launch.driver";
    case BENCH_LAUNCH_DRIVER_OVERLAP:
        return "host.launch.driver.overlap";
    }
    return NULL;
}

/* The driver's call, which the runtime of the build knows. */
static int find_driver(bench_launch_t *l)
{
#if CUDART_VERSION >= 12050
    enum { version = 12000 };
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    union {
        void *any;
        CUresult (*launch)(
            const CUlaunchConfig *config, CUfunction f, void **arguments, void **extra);
    } u = {NULL};
    cudaFunction_t f = NULL;
    if (cudaGetDriverEntryPointByVersion(
            "cuLaunchKernelEx", &u.any, version, cudaEnableDefault, &found) != cudaSuccess ||
        found != cudaDriverEntryPointSuccess || cudaGetFuncBySymbol(&f, l->entry) != cudaSuccess)
        return 0;
    l->launch = u.launch;
    l->function = f;
    return 1;
#else
    (void)l;
    return 0;
#endif
}

int bench_launch_new(struct CUstream_st *stream, bench_launch_way_t way, bench_launch_t **out)
{
    enum { COL_BYTES = 4, BATCH = 4, THREADS = 32 };
    static bench_launch_t l;
    const unsigned attributes = way == BENCH_LAUNCH_OVERLAP || way == BENCH_LAUNCH_DRIVER_OVERLAP;
    l = (bench_launch_t){.way = way,
        .stream = stream,
        .args = {.lanes = 1, .entries = BATCH},
        .entry = rc_cuda_gchunk_entry(RC_FP32, COL_BYTES, 1, 1, BATCH)};
    l.list[0] = &l.args;
    l.overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    l.overlap.val.programmaticStreamSerializationAllowed = 1;
    l.config = (cudaLaunchConfig_t){.gridDim = {1, 1, 1},
        .blockDim = {THREADS, 1, 1},
        .stream = stream,
        .attrs = &l.overlap,
        .numAttrs = attributes};
    l.driver_overlap.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    l.driver_overlap.value.programmaticStreamSerializationAllowed = 1;
    l.driver = (CUlaunchConfig){.gridDimX = 1,
        .gridDimY = 1,
        .gridDimZ = 1,
        .blockDimX = THREADS,
        .blockDimY = 1,
        .blockDimZ = 1,
        .hStream = stream,
        .attrs = &l.driver_overlap,
        .numAttrs = attributes};
    *out = &l;
    return way == BENCH_LAUNCH || way == BENCH_LAUNCH_OVERLAP || find_driver(&l);
}

int bench_launch_once(void *user)
{
    bench_launch_t *l = user;
    if (l->launch)
        return l->launch(&l->driver, l->function, l->list, NULL) == CUDA_SUCCESS;
    return cudaLaunchKernelExC(&l->config, l->entry, l->list) == cudaSuccess;
}
