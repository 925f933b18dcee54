/* Tuning in use on a GPU: every product is right while candidates take turns, and a graph keeps its choice.  Needs a
 * GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "fixture.h"
#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_device.h"


typedef struct used {
    input_t in;
    rc_plan_problem_t p;
    int64_t k;
    dense_t b;
    dense_t c;
    dense_t before;
    void *device_b;
    void *device_c;
    cudaStream_t stream;
    rc_plan_t *plan;
} used_t;

static used_t *begin(rc_rng_t *rng, rc_layout_t layout)
{
    static used_t u;
    rc_err_t err = {0};
    u = (used_t){.k = 8};
    make(rng, 1, &u.in);
    u.p = (rc_plan_problem_t){.layout = layout, .k = &u.k, .ks = 1};
    fill_product(rng, &u.p, &u.in, u.k, &u.b, &u.c);
    u.before = u.c;
    u.stream = new_stream();
    u.device_b = upload(data_of(&u.b), data_bytes(&u.p));
    u.device_c = upload(data_of(&u.c), data_bytes(&u.p));
    rc_plan_matrix_t m = matrix_of(&u.in, 8, RC_FP32);
    const rc_plan_options_t o = {.tune_in_use = 8};
    if (rc_plan_create(&u.p, &m, &o, u.stream, &u.plan, &err) != RC_OK)
        fail_msg("%s", err.text);
    return &u;
}

static void end(used_t *u)
{
    rc_plan_free(u->plan);
    CUDA(cudaFree(u->device_b));
    CUDA(cudaFree(u->device_c));
    CUDA(cudaStreamDestroy(u->stream));
}

static void execute(used_t *u, double alpha, double beta, cudaStream_t stream)
{
    rc_err_t err = {0};
    if (rc_plan_execute(u->plan, u->k, alpha, u->device_b, u->b.ld, beta, u->device_c, u->c.ld, stream, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void compare(used_t *u, double alpha, double beta)
{
    char label[1000];
    CUDA(cudaStreamSynchronize(u->stream));
    CUDA(cudaMemcpy(data_of(&u->c), u->device_c, data_bytes(&u->p), cudaMemcpyDeviceToHost));
    (void)rc_plan_describe(u->plan, label, sizeof label);
    compare_product(label, &u->p, &u->in, u->k, alpha, beta, &u->b, &u->c, &u->before);
    for (size_t i = 0; i < sizeof u->c.f64 / sizeof *u->c.f64; i++)
        u->c.f64[i] = rc_type(u->p.precision)->load(data_of(&u->c), (int64_t)i);
    u->before = u->c;
}

/* Waited for each, and asked for far ahead. */
static void each_product_is_right(void **state)
{
    (void)state;
    enum { waited = 300, ahead = 3000, matrices = 20 };
    rc_device_t *d = open_gpu();
    rc_rng_t rng;
    if (!d)
        skip();
    rc_device_close(d);
    rc_rng_seed(&rng, 41);
    for (int i = 0; i < matrices; i++) {
        used_t *u = begin(&rng, i % 2 ? RC_COL_MAJOR : RC_ROW_MAJOR);
        rc_plan_part_t part;
        int timed = 0;
        for (int n = 0; n < waited; n++) {
            execute(u, 1, -1, u->stream); /* neither grows nor decays */
            compare(u, 1, -1);
        }
        for (int n = 0; n < ahead; n++)
            execute(u, 1, 0, u->stream);
        compare(u, 1, 0);
        assert_int_equal(rc_plan_part(u->plan, 0, &part, NULL), RC_OK);
        for (int c = 0; c < part.candidates; c++)
            timed += part.candidate[c].time_ns > 0;
        assert_true(timed > 2 || part.candidates < 3);
        end(u);
    }
}

/* Captured after so many products, of every stage. */
static void a_graph_keeps_its_choice(void **state)
{
    (void)state;
    enum { most = 60, step = 3, launches = 5, later = 300 };
    rc_device_t *d = open_gpu();
    rc_rng_t rng;
    if (!d)
        skip();
    rc_device_close(d);
    rc_rng_seed(&rng, 43);
    for (int after = 0; after < most; after += step) {
        used_t *u = begin(&rng, RC_ROW_MAJOR);
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        cudaStream_t capturing;
        capturing = new_stream();
        for (int n = 0; n < after; n++) {
            execute(u, 1, 0, u->stream);
            compare(u, 1, 0);
        }
        CUDA(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
        execute(u, 2, 0, capturing);
        CUDA(cudaStreamEndCapture(capturing, &graph));
        CUDA(cudaGraphInstantiate(&exec, graph, 0));
        for (int n = 0; n < later; n++)
            execute(u, 1, 0, u->stream);
        compare(u, 1, 0);
        for (int n = 0; n < launches; n++)
            CUDA(cudaGraphLaunch(exec, u->stream));
        compare(u, 2, 0);
        CUDA(cudaGraphExecDestroy(exec));
        CUDA(cudaGraphDestroy(graph));
        end(u);
        CUDA(cudaStreamDestroy(capturing));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_product_is_right),
        cmocka_unit_test(a_graph_keeps_its_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
