/* Plans on an application's stream: each has an executor and a timer of its own. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "device/cuda/executor.h"
#include "device/cuda/timer.h"
#include "feature/cuda/features.h"
#include "format/cuda/permute.h"
#include "format/cuda/read/read.h"
#include "order/cuda/orders.h"
#include "plan/system.h"
#include "rowcast_device.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a plan made for itself. */
typedef struct gpu {
    rc_plan_home_t home;
    rc_executor_t x;
    rc_cuda_timer_t *timer; /* made for the first candidate that is timed; NULL: none was */
    rc_cuda_allocator_t memory;
    int own_memory; /* 1: `memory` is the application's */
    int index;
    int64_t cache_bytes;
    int multiprocessors;
    char device_class[160];
} gpu_t;

static void gpu_free(rc_plan_home_t *h)
{
    gpu_t *gpu = (gpu_t *)h;
    rc_cuda_timer_free(gpu->timer);
    rc_executor_cuda_close(&gpu->x);
    free(gpu);
}

static rc_status_t use(rc_plan_home_t *h, struct CUstream_st *stream, rc_err_t *err)
{
    return rc_executor_cuda_use(&((gpu_t *)h)->x, stream, err);
}

static rc_status_t not_capturing(struct CUstream_st *stream, int *index, rc_err_t *err)
{
    int capturing = 0;
    rc_status_t st = rc_cuda_stream_info(stream, index, &capturing, err);
    if (st == RC_OK && capturing)
        st = rc_fail(err, RC_EINVAL, "stream: expected one that is not captured into a graph");
    return st;
}

/* Arrays that are said to be the host's are read here. */
static rc_status_t takes(const rc_plan_t *plan, const void *val, int on_device,
    struct CUstream_st *stream, rc_err_t *err)
{
    int index = 0;
    if (!(on_device && rc_plan_updates_async(plan)))
        RC_PASS(not_capturing(stream, &index, err));
    return on_device ? RC_OK : rc_cuda_on_host(val, "values", err);
}

static rc_status_t clone(
    const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err);

static rc_status_t gpu_new(int index, struct CUstream_st *stream, const rc_cuda_allocator_t *memory,
    int threads, gpu_t **out, rc_err_t *err)
{
    rc_gpu_info_t info;
    RC_PASS(rc_cuda_known(index, &info, err));
    gpu_t *gpu = rc_alloc0(1, sizeof *gpu, "a plan", err);
    RC_PASS(gpu ? RC_OK : RC_ENOMEM);
    gpu->home = (rc_plan_home_t){.use = use, .clone = clone, .takes = takes, .free = gpu_free};
    gpu->index = index;
    gpu->cache_bytes = info.l2_bytes;
    gpu->multiprocessors = info.sms;
    gpu->own_memory = memory != NULL;
    if (memory)
        gpu->memory = *memory;
    rc_cuda_class(&info, gpu->device_class, sizeof gpu->device_class);
    rc_status_t st = rc_executor_cuda(index, stream, memory, threads, &gpu->x, err);
    if (st < 0)
        gpu_free(&gpu->home);
    else
        *out = gpu;
    return st;
}

static rc_status_t time_launches(
    void *user, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    gpu_t *gpu = user;
    RC_PASS(gpu->timer ? RC_OK : rc_cuda_timer_new(&gpu->x, &gpu->timer, err));
    return rc_cuda_timer_run(gpu->timer, launch, state, batch, ns, err);
}

static int capturing(void *user)
{
    return rc_cuda_is_captured(((gpu_t *)user)->timer);
}

static rc_status_t lap_begin(void *user, int lap, rc_err_t *err)
{
    return rc_cuda_lap(((gpu_t *)user)->timer, lap, 0, err);
}

static rc_status_t lap_end(void *user, int lap, rc_err_t *err)
{
    return rc_cuda_lap(((gpu_t *)user)->timer, lap, 1, err);
}

static rc_status_t lap_ns(void *user, int lap, int64_t *ns, rc_err_t *err)
{
    return rc_cuda_lap_ns(((gpu_t *)user)->timer, lap, ns, err);
}

_Static_assert(2 * RC_PLAN_LAPS <= RC_CUDA_LAPS, "those of A and of A' are apart");

static const rc_plan_laps_t laps = {capturing, lap_begin, lap_end, lap_ns};

static rc_plan_place_t place_of(gpu_t *gpu)
{
    const double products = 30;
    return (rc_plan_place_t){.x = &gpu->x,
        .tune_products = products,
        .laps = &laps,
        .time = time_launches,
        .order = rc_cuda_order_there,
        .features = rc_cuda_features_there,
        .read = rc_cuda_read_there,
        .user = gpu,
        .cache_bytes = gpu->cache_bytes,
        .device_class = gpu->device_class,
        .multiprocessors = gpu->multiprocessors,
        .memory = rc_executor_cuda_memory};
}

static rc_status_t check_place(const rc_plan_matrix_t *a, rc_err_t *err)
{
    if (!a)
        return rc_fail(err, RC_EINVAL, "matrix: expected one, found NULL");
    rc_status_t st = a->on_device ? RC_OK : rc_cuda_on_host(a->row_ptr, "row pointers", err);
    if (st == RC_OK && !a->on_device)
        st = rc_cuda_on_host(a->col_idx, "columns", err);
    return st < 0 || a->on_device ? st : rc_cuda_on_host(a->val, "values", err);
}

static rc_status_t begin(const rc_plan_matrix_t *a, const rc_plan_options_t *options,
    struct CUstream_st *stream, rc_plan_t **out, gpu_t **gpu, rc_err_t *err)
{
    const rc_cuda_allocator_t *memory = options ? options->allocator : NULL;
    int index = 0;
    if (!out)
        return rc_fail(err, RC_EINVAL, "plan: expected where to put it, found NULL");
    *out = NULL;
    if (memory && (!memory->alloc || !memory->free))
        return rc_fail(err, RC_EINVAL, "allocator: expected alloc and free, found NULL");
    RC_PASS(not_capturing(stream, &index, err));
    RC_PASS(check_place(a, err));
    return gpu_new(index, stream, memory, options ? options->threads : 0, gpu, err);
}

rc_status_t rc_plan_create(const rc_plan_problem_t *problem, const rc_plan_matrix_t *a,
    const rc_plan_options_t *options, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err)
{
    gpu_t *gpu = NULL;
    RC_PASS(begin(a, options, stream, out, &gpu, err));
    rc_plan_place_t place = place_of(gpu);
    rc_status_t st = RC_OK;
    if (options && options->tune_in_use > 0) /* later a stream may be captured */
        st = rc_cuda_timer_new(&gpu->x, &gpu->timer, err);
    if (st == RC_OK)
        st = rc_plan_new(&place, problem, a, options, out, err);
    return rc_plan_give_home(&gpu->home, &gpu->x, st, out, err);
}

rc_status_t rc_pattern_read(
    const rc_plan_matrix_t *a, struct CUstream_st *stream, rc_pattern_info_t *out, rc_err_t *err)
{
    int index = 0;
    gpu_t *gpu = NULL;
    RC_PASS(rc_plan_pattern_check(a, 1, out, err));
    RC_PASS(not_capturing(stream, &index, err));
    RC_PASS(gpu_new(index, stream, NULL, 1, &gpu, err));
    rc_status_t st = rc_cuda_look_there(&gpu->x, a, out, err);
    gpu_free(&gpu->home);
    return st;
}

rc_status_t rc_plan_load(const char *path, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, struct CUstream_st *stream,
    rc_plan_t **out, rc_err_t *err)
{
    gpu_t *gpu = NULL;
    if (out)
        *out = NULL;
    if (!path)
        return rc_fail(err, RC_EINVAL, "path: expected a file name, found NULL");
    RC_PASS(begin(a, options, stream, out, &gpu, err));
    rc_plan_place_t place = place_of(gpu);
    const rc_plan_file_t file = {path, options ? options->transposed : 0};
    return rc_plan_give_home(
        &gpu->home, &gpu->x, rc_plan_open(&file, &place, problem, a, out, err), out, err);
}

static rc_status_t clone(
    const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err)
{
    int index = 0;
    gpu_t *gpu = NULL;
    const gpu_t *of = (const gpu_t *)plan->home;
    RC_PASS(not_capturing(stream, &index, err));
    RC_PASS(
        gpu_new(of->index, NULL, of->own_memory ? &of->memory : NULL, of->x.threads, &gpu, err));
    rc_plan_place_t place = place_of(gpu);
    rc_status_t st = use(&gpu->home, stream, err); /* checks that it is of this GPU */
    return rc_plan_give_home(
        &gpu->home, &gpu->x, st < 0 ? st : rc_plan_copy(plan, &place, out, err), out, err);
}

static rc_status_t waits(struct CUstream_st *stream, rc_err_t *err)
{
    int index = 0;
    return not_capturing(stream, &index, err);
}

rc_status_t rc_order_system_cuda(const rc_plan_matrix_t *a, const rc_system_options_t *options,
    struct CUstream_st *stream, rc_system_t **out, rc_err_t *err)
{
    gpu_t *gpu = NULL;
    rc_plan_t *none = NULL;
    const rc_plan_options_t o = rc_system_as_plan(options);
    if (!out)
        return rc_fail(err, RC_EINVAL, "system: expected where to put it, found NULL");
    *out = NULL;
    if (a && !a->on_device)
        return rc_fail(err, RC_EINVAL,
            "matrix: expected one of a GPU, found one of the host: rc_order_system takes it");
    RC_PASS(begin(a, &o, stream, &none, &gpu, err));
    const rc_system_place_t place = {.at = place_of(gpu),
        .permute = rc_cuda_permute,
        .invert = rc_cuda_invert,
        .runs = rc_cuda_order_runs_there,
        .waits = waits};
    return rc_system_give_home(&gpu->home, rc_system_new(&place, a, options, out, err), out);
}

rc_status_t rc_plan_places(const rc_plan_t *plan, int64_t k, rc_plan_places_t *out, rc_err_t *err)
{
    rc_plan_entry_t *e = NULL;
    RC_PASS(rc_plan_has_home(plan, err));
    if (!out)
        return rc_fail(err, RC_EINVAL, "places: expected where to put them, found NULL");
    RC_PASS(rc_plan_entry_of(plan, k, &e, err));
    if (!e->gather.place || e->trial.shares || rc_users_others(plan->users) || plan->transpose ||
        plan->conjugates)
        return rc_fail(err, RC_ENOTSUP,
            "places: expected a plan that had new values and has one matrix, of them as they are, "
            "for itself and one K alone");
    *out = (rc_plan_places_t){.to = e->gather.to,
        .precision = e->gather.to_type,
        .place = e->gather.place,
        .place_bytes = e->gather.place_bytes,
        .count = e->gather.count};
    return RC_OK;
}
