/* Square systems that are renumbered in the memory of a GPU (rc_order_system_cuda): what holds of any, and the orders,
 * matrices and gains of the host.  Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "device/cuda/executor.h"
#include "device/device.h"
#include "operands.h"
#include "rowcast_cuda.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "system_properties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory of a GPU and its default stream, on which systems are, too: what was asked for is there when it is read. */
typedef struct gpu {
    rc_device_t *device;
    rc_executor_t x;
} gpu_t;

static gpu_t *opened(void)
{
    rc_err_t err = {0};
    rc_device_t *device = open_gpu();
    gpu_t *gpu = device ? calloc(1, sizeof *gpu) : NULL;
    if (!gpu)
        return NULL;
    gpu->device = device;
    ok(rc_executor_cuda(0, NULL, NULL, 0, &gpu->x, &err), &err, "an executor");
    return gpu;
}

static void closed(gpu_t *gpu)
{
    rc_executor_cuda_close(&gpu->x);
    rc_device_close(gpu->device);
    free(gpu);
}

static rc_status_t order_there(
    const rc_plan_matrix_t *a, const rc_system_options_t *options, rc_system_t **out, rc_err_t *err)
{
    return rc_order_system_cuda(a, options, NULL, out, err);
}

/* Any matrix, under any order. */
static void systems_hold(void **state)
{
    enum { ROUNDS = 20 };
    (void)state;
    rc_rng_t rng;
    gpu_t *gpu = opened();
    if (!gpu)
        skip();
    rc_rng_seed(&rng, 15);
    const system_where_t w = {.x = &gpu->x, .on_device = 1, .order = order_there};
    for (int i = 0; i < ROUNDS; i++)
        for (int o = 0; system_orders[o]; o++) {
            given_t g = square_any(&rng);
            check_system(&rng, &w, &g, system_orders[o]);
            given_free(&g);
        }
    closed(gpu);
}

/* A matrix of the host in memory of a GPU. */
typedef struct there {
    rc_plan_matrix_t m;
    void *owned[3];
} there_t;

static there_t put(rc_executor_t *x, const rc_csr_t *a)
{
    there_t t = {.m = {a->rows, a->cols, a->nnz, NULL, 8, NULL, NULL, RC_FP64, 1, 4, RC_PLAN_CSR}};
    const void *from[] = {a->row_ptr, a->col_idx, a->val};
    const size_t bytes[] = {((size_t)a->rows + 1) * 8, (size_t)a->nnz * 4, (size_t)a->nnz * 8};
    rc_err_t err = {0};
    for (int i = 0; i < 3; i++) {
        ok(x->alloc(x, bytes[i], &t.owned[i], &err), &err, "an array");
        ok(x->upload(x, t.owned[i], from[i], bytes[i], &err), &err, "an array");
    }
    t.m.row_ptr = t.owned[0];
    t.m.col_idx = t.owned[1];
    t.m.val = t.owned[2];
    return t;
}

/* A large mesh whose numbering was lost: the order of the host, and a gain for blocks, not for vectors. */
static void a_mesh_gains(void **state)
{
    (void)state;
    gpu_t *gpu = opened();
    rc_csr_t a = {0};
    rc_err_t err = {0};
    int version;
    if (!gpu)
        skip();
    ok(rc_generate("mesh3d:nx=100,ny=100,nz=100,shuffle=both", &a, &version, &err), &err, "a mesh");
    const size_t bytes = (size_t)a.rows * sizeof(int32_t);
    int32_t *row = malloc(bytes);
    assert_non_null(row);
    there_t t = put(&gpu->x, &a);
    rc_schedule_t s;
    ok(rc_order_build("auto", &a, NULL, 0, &s, &err), &err, "auto");
    for (int64_t k = 0; k <= 128; k += 128) {
        rc_system_t *system = NULL;
        rc_system_info_t info;
        ok(rc_order_system_cuda(&t.m, &(rc_system_options_t){.k = k}, NULL, &system, &err), &err, "a system");
        ok(rc_system_info(system, &info, &err), &err, "a system");
        ok(gpu->x.download(&gpu->x, row, info.row, bytes, &err), &err, "an order");
        assert_memory_equal(row, s.row, bytes);
        assert_true(k > 0 ? info.gain > 1.1 && info.break_even > 0 && isfinite(info.break_even) : isnan(info.gain));
        rc_system_free(system);
    }
    for (int i = 0; i < 3; i++)
        gpu->x.release(&gpu->x, t.owned[i]);
    free(row);
    rc_schedule_free(&s);
    rc_csr_free(&a);
    closed(gpu);
}

/* Matrices of the host, of another shape, and orders of rows alone. */
static void others_are_refused(void **state)
{
    (void)state;
    gpu_t *gpu = opened();
    rc_csr_t a = {0};
    rc_err_t err = {0};
    rc_system_t *system = NULL;
    int version;
    if (!gpu)
        skip();
    ok(rc_generate("mesh2d:nx=9,ny=9", &a, &version, &err), &err, "a mesh");
    there_t t = put(&gpu->x, &a);
    rc_plan_matrix_t m = t.m;
    assert_int_equal(
        rc_order_system_cuda(&m, &(rc_system_options_t){.order = "lpt"}, NULL, &system, &err), RC_ENOTSUP);
    m.on_device = 0;
    assert_int_equal(rc_order_system_cuda(&m, NULL, NULL, &system, &err), RC_EINVAL);
    m = t.m;
    m.cols++;
    assert_int_equal(rc_order_system_cuda(&m, NULL, NULL, &system, &err), RC_EINVAL);
    assert_int_equal(rc_order_system_cuda(NULL, NULL, NULL, &system, &err), RC_EINVAL);
    assert_int_equal(rc_order_system_cuda(&t.m, NULL, NULL, NULL, &err), RC_EINVAL);
    assert_null(system);
    for (int i = 0; i < 3; i++)
        gpu->x.release(&gpu->x, t.owned[i]);
    rc_csr_free(&a);
    closed(gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_hold),
        cmocka_unit_test(a_mesh_gains),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
