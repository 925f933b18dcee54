/* Plans on an application's stream: each has an executor and a timer of its own. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "device/cuda/executor.h"
#include "device/cuda/timer.h"
#include "feature/cuda/features.h"
#include "order/cuda/orders.h"
#include "plan/plan_private.h"
#include "rowcast_device.h"

#include <inttypes.h>
#include <stdlib.h>

/* What a plan made for itself. */
struct rc_plan_gpu {
    rc_executor_t x;
    rc_cuda_timer_t *timer;
    rc_cuda_allocator_t memory;
    int own_memory; /* 1: `memory` is the application's */
    int index;
    int64_t cache_bytes;
    char device_class[160];
};

static void gpu_free(struct rc_plan_gpu *gpu)
{
    if (!gpu)
        return;
    rc_cuda_timer_free(gpu->timer);
    rc_executor_cuda_close(&gpu->x);
    free(gpu);
}

static rc_status_t not_capturing(struct CUstream_st *stream, int *index, rc_err_t *err)
{
    int capturing = 0;
    rc_status_t st = rc_cuda_stream_info(stream, index, &capturing, err);
    if (st == RC_OK && capturing)
        st = rc_fail(err, RC_EINVAL, "stream: expected one that is not captured into a graph");
    return st;
}

static rc_status_t gpu_new(int index, struct CUstream_st *stream, const rc_cuda_allocator_t *memory,
    int threads, struct rc_plan_gpu **out, rc_err_t *err)
{
    rc_gpu_info_t info;
    RC_PASS(rc_cuda_describe(index, &info, err));
    struct rc_plan_gpu *gpu = rc_alloc0(1, sizeof *gpu, "a plan", err);
    RC_PASS(gpu ? RC_OK : RC_ENOMEM);
    gpu->index = index;
    gpu->cache_bytes = info.l2_bytes;
    gpu->own_memory = memory != NULL;
    if (memory)
        gpu->memory = *memory;
    rc_cuda_class(&info, gpu->device_class, sizeof gpu->device_class);
    rc_status_t st = rc_executor_cuda(index, stream, memory, threads, &gpu->x, err);
    if (st == RC_OK)
        st = rc_cuda_timer_new(&gpu->x, &gpu->timer, err);
    if (st < 0)
        gpu_free(gpu);
    else
        *out = gpu;
    return st;
}

static rc_status_t time_launches(
    void *user, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    struct rc_plan_gpu *gpu = user;
    return rc_cuda_timer_run(gpu->timer, launch, state, batch, ns, err);
}

static rc_plan_place_t place_of(struct rc_plan_gpu *gpu)
{
    return (rc_plan_place_t){.x = &gpu->x,
        .time = time_launches,
        .order = rc_cuda_order_there,
        .features = rc_cuda_features_there,
        .user = gpu,
        .cache_bytes = gpu->cache_bytes,
        .device_class = gpu->device_class};
}

/* The plan takes over what it runs on; without a plan that is freed.  What was prepared is
 * there, so that the plan may run on any stream. */
static rc_status_t give(struct rc_plan_gpu *gpu, rc_status_t st, rc_plan_t **out, rc_err_t *err)
{
    if (st == RC_OK)
        st = rc_executor_cuda_wait(&gpu->x, err);
    if (st < 0) {
        rc_plan_free(*out);
        *out = NULL;
    }
    if (st == RC_OK) {
        (*out)->gpu = gpu;
        (*out)->gpu_free = gpu_free;
    } else
        gpu_free(gpu);
    return st;
}

/* Arrays that are said to be the host's are read here. */
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
    struct CUstream_st *stream, rc_plan_t **out, struct rc_plan_gpu **gpu, rc_err_t *err)
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
    struct rc_plan_gpu *gpu = NULL;
    RC_PASS(begin(a, options, stream, out, &gpu, err));
    rc_plan_place_t place = place_of(gpu);
    return give(gpu, rc_plan_new(&place, problem, a, options, out, err), out, err);
}

rc_status_t rc_plan_load(const char *path, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, struct CUstream_st *stream,
    rc_plan_t **out, rc_err_t *err)
{
    struct rc_plan_gpu *gpu = NULL;
    if (out)
        *out = NULL;
    if (!path)
        return rc_fail(err, RC_EINVAL, "path: expected a file name, found NULL");
    RC_PASS(begin(a, options, stream, out, &gpu, err));
    rc_plan_place_t place = place_of(gpu);
    return give(gpu, rc_plan_open(path, &place, problem, a, out, err), out, err);
}

static rc_status_t of_a_gpu(const rc_plan_t *plan, rc_err_t *err)
{
    return plan && plan->gpu ? RC_OK
                             : rc_fail(err, RC_EINVAL, "plan: expected one of rc_plan_create");
}

rc_status_t rc_plan_clone(
    const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err)
{
    int index = 0;
    struct rc_plan_gpu *gpu = NULL;
    if (out)
        *out = NULL;
    rc_status_t st = of_a_gpu(plan, err);
    if (st == RC_OK && !out)
        st = rc_fail(err, RC_EINVAL, "plan: expected where to put it, found NULL");
    if (st == RC_OK)
        st = not_capturing(stream, &index, err);
    if (st < 0)
        return st;
    const struct rc_plan_gpu *of = plan->gpu;
    RC_PASS(
        gpu_new(of->index, NULL, of->own_memory ? &of->memory : NULL, of->x.threads, &gpu, err));
    rc_plan_place_t place = place_of(gpu);
    st = rc_executor_cuda_use(&gpu->x, stream, err); /* checks that it is of this GPU */
    return give(gpu, st < 0 ? st : rc_plan_copy(plan, &place, out, err), out, err);
}

/* --------------------------------------------------------------------- runs */

typedef rc_status_t run_fn(
    rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/* A run as it is asked for. */
typedef struct asked {
    run_fn *run;
    int64_t k;
    double alpha;
    double beta;
    int inputs;
    rc_operands_t o;
} asked_t;

static rc_status_t execute(
    rc_plan_t *plan, const asked_t *q, struct CUstream_st *stream, rc_err_t *err)
{
    rc_status_t st = of_a_gpu(plan, err);
    if (st == RC_OK && rc_operation_inputs(rc_operation_of(plan->op)) != q->inputs)
        st = rc_fail(err, RC_EINVAL, "plan: of %s, which takes %d dense operands, found %d",
            rc_op_name(plan->op), rc_operation_inputs(rc_operation_of(plan->op)), q->inputs);
    if (st == RC_OK)
        st = rc_executor_cuda_use(&plan->gpu->x, stream, err);
    return st < 0 ? st : q->run(plan, q->k, &q->o, q->alpha, q->beta, err);
}

/* What is only read is not const in operands, which serve both. */
static rc_dense_t only_read(const void *data, int64_t ld)
{
    union {
        const void *from;
        void *to;
    } u = {.from = data};
    return (rc_dense_t){.data = u.to, .ld = ld};
}

rc_status_t rc_plan_execute(rc_plan_t *plan, int64_t k, double alpha, const void *b, int64_t ldb,
    double beta, void *c, int64_t ldc, struct CUstream_st *stream, rc_err_t *err)
{
    const asked_t q = {
        rc_plan_run, k, alpha, beta, 1, {.in = {only_read(b, ldb)}, .out = {.data = c, .ld = ldc}}};
    return execute(plan, &q, stream, err);
}

rc_status_t rc_plan_execute_transposed(rc_plan_t *plan, int64_t k, double alpha, const void *b,
    int64_t ldb, double beta, void *c, int64_t ldc, struct CUstream_st *stream, rc_err_t *err)
{
    const asked_t q = {rc_plan_run_transposed, k, alpha, beta, 1,
        {.in = {only_read(b, ldb)}, .out = {.data = c, .ld = ldc}}};
    return execute(plan, &q, stream, err);
}

rc_status_t rc_plan_execute_sddmm(rc_plan_t *plan, int64_t k, double alpha, const void *y,
    int64_t ldy, const void *x, int64_t ldx, double beta, void *out, struct CUstream_st *stream,
    rc_err_t *err)
{
    const asked_t q = {rc_plan_run, k, alpha, beta, 2,
        {.in = {only_read(y, ldy), only_read(x, ldx)}, .out = {.data = out}}};
    return execute(plan, &q, stream, err);
}

rc_status_t rc_plan_places(const rc_plan_t *plan, int64_t k, rc_plan_places_t *out, rc_err_t *err)
{
    rc_plan_entry_t *e = NULL;
    rc_status_t st = of_a_gpu(plan, err);
    if (st == RC_OK && !out)
        st = rc_fail(err, RC_EINVAL, "places: expected where to put them, found NULL");
    if (st == RC_OK)
        st = rc_plan_entry_of(plan, k, &e, err);
    if (st < 0)
        return st;
    if (!e->gather.place || e->trial.shares || rc_users_others(plan->users))
        return rc_fail(err, RC_ENOTSUP,
            "places: expected a plan that had new values and has its matrix for itself and one "
            "K alone");
    *out = (rc_plan_places_t){.to = e->gather.to,
        .value_bytes = rc_type(e->gather.to_type)->bytes,
        .place = e->gather.place,
        .place_bytes = e->gather.place_bytes,
        .count = e->gather.count};
    return RC_OK;
}

rc_status_t rc_plan_update_values(rc_plan_t *plan, int64_t nnz, const void *val, int value_bytes,
    int on_device, struct CUstream_st *stream, rc_err_t *err)
{
    int index = 0;
    rc_status_t st = of_a_gpu(plan, err);
    if (st == RC_OK && nnz != plan->a.nnz)
        st = rc_fail(
            err, RC_EINVAL, "values: expected %" PRId64 ", found %" PRId64, plan->a.nnz, nnz);
    if (st == RC_OK && !(on_device && rc_plan_updates_async(plan)))
        st = not_capturing(stream, &index, err);
    if (st == RC_OK && !on_device)
        st = rc_cuda_on_host(val, "values", err);
    if (st == RC_OK)
        st = rc_executor_cuda_use(&plan->gpu->x, stream, err);
    if (st == RC_OK)
        st = rc_plan_update(plan, val, value_bytes, on_device, err);
    /* what was prepared anew is there for runs on any stream */
    return st < 0 || rc_plan_updates_async(plan) ? st : rc_executor_cuda_wait(&plan->gpu->x, err);
}
