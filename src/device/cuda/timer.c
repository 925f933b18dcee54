#include "config.h"
#include "device/cuda/timer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/executor.h"

#include <stdlib.h>

/* A gate that the host does not open in this time opens by itself: a launch that waits for its own
 * work (a library that asks the device for a size) would otherwise wait for ever.  Far more than
 * the host needs for the launches of a batch. */
static const uint64_t gate_bound_ns = 2000000;
static const uint64_t gate_bound_per_launch_ns = 100000;

struct rc_cuda_timer {
    rc_executor_t *x;
    cudaEvent_t start;
    cudaEvent_t stop;
    rc_cuda_gate_t *gate;             /* mapped host memory */
    rc_cuda_gate_t *gate_device;      /* the same, as the device addresses it */
    uint32_t ticket;                  /* of the last gate */
    cudaEvent_t lap[RC_CUDA_LAPS][2]; /* begin and end; NULL: not made yet */
};

static cudaError_t make_gate(rc_cuda_timer_t *t)
{
    void *host = NULL;
    void *device = NULL;
    cudaError_t e = cudaHostAlloc(&host, sizeof *t->gate, cudaHostAllocMapped);
    if (e != cudaSuccess)
        return e;
    t->gate = host;
    *t->gate = (rc_cuda_gate_t){0};
    e = cudaHostGetDevicePointer(&device, host, 0);
    t->gate_device = device;
    return e;
}

rc_status_t rc_cuda_timer_new(rc_executor_t *x, rc_cuda_timer_t **out, rc_err_t *err)
{
    rc_cuda_timer_t *t = rc_alloc0(1, sizeof *t, "a timer", err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    t->x = x;
    int before = rc_cuda_enter(x);
    cudaError_t e = cudaEventCreate(&t->start);
    if (e == cudaSuccess)
        e = cudaEventCreate(&t->stop);
    if (e == cudaSuccess)
        e = make_gate(t);
    rc_cuda_leave(x, before);
    rc_status_t st = rc_cuda_check(e, "a timer", err);
    if (st < 0)
        rc_cuda_timer_free(t);
    else
        *out = t;
    return st;
}

void rc_cuda_timer_free(rc_cuda_timer_t *t)
{
    if (!t)
        return;
    int before = rc_cuda_enter(t->x);
    if (t->start)
        (void)cudaEventDestroy(t->start);
    if (t->stop)
        (void)cudaEventDestroy(t->stop);
    for (int i = 0; i < RC_CUDA_LAPS; i++)
        for (int end = 0; end < 2; end++)
            if (t->lap[i][end])
                (void)cudaEventDestroy(t->lap[i][end]);
    if (t->gate)
        (void)cudaFreeHost(t->gate);
    (void)cudaGetLastError();
    rc_cuda_leave(t->x, before);
    free(t);
}

/* Start event, the launches, stop event: all queued, nothing waited for. */
static rc_status_t enqueue(
    rc_cuda_timer_t *t, rc_launch_fn *launch, void *state, int64_t batch, rc_err_t *err)
{
    cudaStream_t stream = rc_cuda_stream(t->x);
    rc_status_t st = rc_cuda_check(cudaEventRecord(t->start, stream), "start event", err);
    for (int64_t i = 0; st >= 0 && i < batch; i++)
        st = launch(state, err);
    if (st >= 0)
        st = rc_cuda_check(cudaEventRecord(t->stop, stream), "stop event", err);
    return st;
}

/* A batch behind a gate.  \param[out] clean  0: the gate opened before all of it was queued */
static rc_status_t time_once(rc_cuda_timer_t *t, rc_launch_fn *launch, void *state, int64_t batch,
    int64_t *ns, int *clean, rc_err_t *err)
{
    static const double ns_per_ms = 1e6;
    cudaStream_t stream = rc_cuda_stream(t->x);
    float ms = 0;
    int64_t queued = batch < RC_CUDA_QUEUE ? batch : RC_CUDA_QUEUE;
    uint64_t bound = gate_bound_ns + (uint64_t)queued * gate_bound_per_launch_ns;
    rc_status_t st = rc_cuda_gate(stream, t->gate_device, ++t->ticket, bound, err);
    if (st >= 0)
        st = enqueue(t, launch, state, batch, err);
    __atomic_store_n(&t->gate->open, t->ticket, __ATOMIC_RELEASE);
    if (st < 0) {
        (void)cudaStreamSynchronize(stream); /* the caller may free what was launched */
        (void)cudaGetLastError();
        return st;
    }
    RC_PASS(rc_cuda_check(cudaEventSynchronize(t->stop), "timed batch", err));
    RC_PASS(rc_cuda_check(cudaEventElapsedTime(&ms, t->start, t->stop), "its time", err));
    *clean = __atomic_load_n(&t->gate->gave_up, __ATOMIC_ACQUIRE) != t->ticket;
    *ns = (int64_t)((double)ms * ns_per_ms);
    return RC_OK;
}

/* A batch of one is timed once: there is nothing between launches, and it may be a first run. */
rc_status_t rc_cuda_timer_run(rc_cuda_timer_t *t, rc_launch_fn *launch, void *state, int64_t batch,
    int64_t *ns, rc_err_t *err)
{
    enum { tries = 3 };
    rc_status_t st = RC_OK;
    int clean = 0;
    int before = rc_cuda_enter(t->x);
    for (int i = 0; i < (batch > 1 ? tries : 1) && !clean && st == RC_OK; i++)
        st = time_once(t, launch, state, batch, ns, &clean, err);
    rc_cuda_leave(t->x, before);
    return st;
}

/* ------------------------------------------------------------------------ laps */

/* What is asked about this stream leaves a capture of another one as it is. */
static enum cudaStreamCaptureMode relax(void)
{
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

static void restore(enum cudaStreamCaptureMode mode)
{
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
}

int rc_cuda_is_captured(const rc_cuda_timer_t *t)
{
    int index = 0;
    int captured = 0;
    rc_err_t why;
    return rc_cuda_stream_info(rc_cuda_stream(t->x), &index, &captured, &why) < 0 || captured;
}

rc_status_t rc_cuda_lap(rc_cuda_timer_t *t, int lap, int end, rc_err_t *err)
{
    cudaEvent_t *event = &t->lap[lap][end];
    cudaError_t e = cudaSuccess;
    int before = rc_cuda_enter(t->x);
    enum cudaStreamCaptureMode mode = relax();
    if (!*event)
        e = cudaEventCreate(event);
    if (e == cudaSuccess)
        e = cudaEventRecord(*event, rc_cuda_stream(t->x));
    restore(mode);
    rc_cuda_leave(t->x, before);
    return rc_cuda_check(e, "the time of a product", err);
}

rc_status_t rc_cuda_lap_ns(rc_cuda_timer_t *t, int lap, int64_t *ns, rc_err_t *err)
{
    static const double ns_per_ms = 1e6;
    float ms = 0;
    int before = rc_cuda_enter(t->x);
    enum cudaStreamCaptureMode mode = relax();
    cudaError_t e = cudaEventQuery(t->lap[lap][1]);
    int over = e == cudaSuccess;
    if (over)
        e = cudaEventElapsedTime(&ms, t->lap[lap][0], t->lap[lap][1]);
    restore(mode);
    if (e == cudaErrorNotReady) {
        (void)cudaGetLastError();
        e = cudaSuccess;
    }
    rc_cuda_leave(t->x, before);
    *ns = over ? (int64_t)((double)ms * ns_per_ms) : -1;
    return rc_cuda_check(e, "the time of a product", err);
}
