/* Kernels on an executor of an application: its stream, its memory, its current device.  Needs a GPU:
 * without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "device/cuda/executor.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "operands.h"

#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory of an application. */
typedef struct counted {
    cudaStream_t stream; /* that every call must name */
    int64_t blocks;
    int64_t calls;
    int refuse; /* 1: there is no memory */
} counted_t;

static void *counted_alloc(size_t bytes, cudaStream_t stream, void *user)
{
    counted_t *c = user;
    void *p = NULL;
    assert_true(bytes > 0);
    assert_ptr_equal(stream, c->stream);
    c->calls++;
    if (c->refuse || cudaMalloc(&p, bytes) != cudaSuccess)
        return NULL;
    c->blocks++;
    return p;
}

static void counted_free(void *p, cudaStream_t stream, void *user)
{
    counted_t *c = user;
    assert_non_null(p);
    assert_ptr_equal(stream, c->stream);
    c->blocks--;
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
    assert_int_equal(cudaFree(p), cudaSuccess);
}

/* An application: a stream of GPU 0, and another current GPU where there are two. */
typedef struct application {
    counted_t memory;
    rc_executor_t x;
    int current;
} application_t;

/* 0: there is no GPU, and that is all right. */
static int begin(application_t *app, int own_memory)
{
    rc_err_t err = {0};
    int count = 0;
    rc_device_t *d = open_gpu(); /* says when there must be one */
    memset(app, 0, sizeof *app);
    if (!d)
        return 0;
    rc_device_close(d);
    assert_int_equal(cudaGetDeviceCount(&count), cudaSuccess);
    assert_int_equal(cudaSetDevice(0), cudaSuccess);
    assert_int_equal(
        cudaStreamCreateWithFlags(&app->memory.stream, cudaStreamNonBlocking), cudaSuccess);
    app->current = count > 1 ? 1 : 0;
    assert_int_equal(cudaSetDevice(app->current), cudaSuccess);
    const rc_cuda_allocator_t memory = {counted_alloc, counted_free, &app->memory};
    ok(rc_executor_cuda(0, app->memory.stream, own_memory ? &memory : NULL, 1, &app->x, &err), &err,
        "rc_executor_cuda");
    return 1;
}

static void check_current(const application_t *app, const char *where)
{
    int current = -1;
    assert_int_equal(cudaGetDevice(&current), cudaSuccess);
    if (current != app->current)
        fail_msg("%s: the current device became %d", where, current);
}

static void end(application_t *app)
{
    rc_executor_cuda_close(&app->x);
    check_current(app, "close");
    assert_int_equal(app->memory.blocks, 0);
    /* the stream is the application's, and still works */
    assert_int_equal(cudaStreamSynchronize(app->memory.stream), cudaSuccess);
    assert_int_equal(cudaStreamDestroy(app->memory.stream), cudaSuccess);
}

static void run_kernel(
    application_t *app, gpu_operands_t *o, const char *text, int which, rc_c_order_t order)
{
    static const double beta[] = {0, 0.5};
    rc_err_t err = {0};
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    void *state = NULL;
    ok(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, &err), &err, text);
    rc_schedule_t s =
        make_schedule(o->a, which, spec.kernel->geometry(&app->x, spec.param, o->precision));
    rc_problem_t p = gpu_problem(o, &spec, &s, order);
    ok(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), &err, text);
    int64_t blocks = app->memory.blocks;
    ok(rc_kernel_prepare(spec.kernel, &app->x, &p, &analysis, &state, &err), &err, text);
    check_current(app, text);
    rc_operands_t of = gpu_operands_of(o, PLACE_ALIGNED, p.c_rows);
    if (spec.kernel->preprocess)
        ok(spec.kernel->preprocess(state, &of, &err), &err, text);
    for (int i = 0; i < 2; i++) {
        gpu_operands_fill(o, &of, beta[i] != 0);
        int64_t calls = app->memory.calls;
        ok(rc_kernel_run(spec.kernel, state, &of, 2, beta[i], &err), &err, text);
        assert_int_equal(app->memory.calls, calls);
        check_current(app, text);
        gpu_operands_check(o, &of, &p, 2, beta[i], beta[i] != 0, text);
        check_current(app, text);
    }
    rc_kernel_release(spec.kernel, state);
    check_current(app, text);
    assert_int_equal(app->memory.blocks, blocks);
    rc_schedule_free(&s);
}

/* Kernels of a layout on the first matrix. */
static void run_kernels(application_t *app, rc_op_t op, rc_layout_t layout,
    const char *const *kernel, int count, int any_schedule)
{
    rc_csr_t a = make_matrix(&shapes[1], 100);
    for (int precision = 0; precision < 2; precision++) {
        gpu_operands_t o = {.x = &app->x,
            .operation = rc_operation_of(op),
            .matrix = shapes[1].name,
            .a = &a,
            .precision = (rc_precision_t)precision,
            .layout = layout,
            .k = rc_operation_of(op)->has_k ? 20 : 1};
        gpu_operands_new(&o);
        for (int i = 0; i < count; i++)
            for (int which = 0; which <= (any_schedule ? SCHEDULE_NO_EMPTY : 0); which++)
                run_kernel(app, &o, kernel[i], which, RC_C_ORIGINAL);
        gpu_operands_free(&o);
    }
    free_matrix(&a);
}

static void run_all(application_t *app)
{
    static const char *const col[] = {"gsub", "gstat", "cusparse-csr-col:pre=1"};
    static const char *const row[] = {"growmajor", "cusparse-csr-row", "cusparse-csr-row:index=64"};
    static const char *const vector[] = {"gplain-spmv", "cusparse-spmv-csr"};
    static const char *const transposed[] = {"gplain-spmm_t"};
    static const char *const sampled[] = {"row-sddmm", "row-sddmm:entries=4", "gplain-sddmm"};
    run_kernels(app, RC_OP_SPMM, RC_COL_MAJOR, col, 3, 1);
    run_kernels(app, RC_OP_SPMM, RC_ROW_MAJOR, row, 3, 1);
    run_kernels(app, RC_OP_SPMV, RC_COL_MAJOR, vector, 2, 1);
    run_kernels(app, RC_OP_SPMM_T, RC_ROW_MAJOR, transposed, 1, 1);
    run_kernels(app, RC_OP_SDDMM, RC_ROW_MAJOR, sampled, 3, 1);
}

static void kernels_run_on_memory_of_an_application(void **state)
{
    (void)state;
    application_t app;
    if (!begin(&app, 1))
        skip();
    run_all(&app);
    assert_true(app.memory.calls > 0);
    end(&app);
}

static void kernels_run_on_memory_of_the_runtime(void **state)
{
    (void)state;
    application_t app;
    if (!begin(&app, 0))
        skip();
    run_all(&app);
    assert_int_equal(app.memory.calls, 0);
    end(&app);
}

static void no_memory_is_said_and_leaves_nothing(void **state)
{
    (void)state;
    application_t app;
    rc_err_t err = {0};
    void *p = NULL;
    if (!begin(&app, 1))
        skip();
    app.memory.refuse = 1;
    assert_int_equal(app.x.alloc(&app.x, 4096, &p, &err), RC_ENOMEM);
    assert_null(p);
    assert_non_null(strstr(err.text, "4096 bytes"));
    app.memory.refuse = 0;
    ok(app.x.alloc(&app.x, 4096, &p, &err), &err, "alloc after a refusal");
    app.x.release(&app.x, p);
    app.x.release(&app.x, NULL);
    end(&app);
}

static void what_is_no_gpu_is_refused(void **state)
{
    (void)state;
    application_t app;
    rc_err_t err = {0};
    rc_executor_t x = {0};
    if (!begin(&app, 1))
        skip();
    assert_int_equal(rc_executor_cuda(4711, app.memory.stream, NULL, 1, &x, &err), RC_EDEVICE);
    assert_int_equal(rc_executor_cuda(0, app.memory.stream, NULL, -1, &x, &err), RC_EINVAL);
    assert_null(x.impl);
    rc_executor_cuda_close(&x);
    check_current(&app, "refusals");
    end(&app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_run_on_memory_of_an_application),
        cmocka_unit_test(kernels_run_on_memory_of_the_runtime),
        cmocka_unit_test(no_memory_is_said_and_leaves_nothing),
        cmocka_unit_test(what_is_no_gpu_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
