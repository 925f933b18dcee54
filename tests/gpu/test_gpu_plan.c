/* Plans on an application's stream, pointers and memory.  Needs a GPU: without one it skips itself, or
 * fails when ROWCAST_GPU is 1.  ROWCAST_GPU_PLANS: how many random ones (default 1000). */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "operands.h"
#include "plan_fixture.h"
#include "rowcast_device.h"
#include "scratch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------- memory of the application */

typedef struct counted {
    int64_t blocks;
    int64_t calls;
    size_t most; /* a larger request is refused; 0: none is */
} counted_t;

static void *counted_alloc(size_t bytes, cudaStream_t stream, void *user)
{
    counted_t *c = user;
    void *p = NULL;
    c->calls++;
    if (c->most > 0 && bytes > c->most)
        return NULL;
    if (cudaMallocAsync(&p, bytes, stream) != cudaSuccess)
        return NULL;
    c->blocks++;
    return p;
}

static void counted_free(void *p, cudaStream_t stream, void *user)
{
    counted_t *c = user;
    assert_non_null(p);
    c->blocks--;
    CUDA(cudaFreeAsync(p, stream));
}

/* ------------------------------------------------------------------------ products */

/* The operands of a product on the device. */
typedef struct product {
    char label[1000]; /* the plan */
    dense_t b;
    dense_t c;
    dense_t before;
    void *device_b;
    void *device_c;
} product_t;

static void product_new(rc_rng_t *rng, const rc_plan_problem_t *p, const input_t *in, int64_t k, product_t *x)
{
    x->label[0] = '\0';
    fill_product(rng, p, in, k, &x->b, &x->c);
    x->before = x->c;
    x->device_b = upload(data_of(&x->b), data_bytes(p));
    x->device_c = upload(data_of(&x->c), data_bytes(p));
}

static void product_free(product_t *x)
{
    CUDA(cudaFree(x->device_b));
    CUDA(cudaFree(x->device_c));
}

static void execute(rc_plan_t *plan, int64_t k, double alpha, double beta, const product_t *x, cudaStream_t stream)
{
    rc_err_t err = {0};
    ok(rc_plan_execute(plan, k, alpha, x->device_b, x->b.ld, beta, x->device_c, x->c.ld, stream, &err), &err,
        "rc_plan_execute");
}

static void compare(const rc_plan_problem_t *p, const input_t *in, int64_t k, double alpha, double beta,
    product_t *x, cudaStream_t stream)
{
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(data_of(&x->c), x->device_c, data_bytes(p), cudaMemcpyDeviceToHost));
    compare_product(x->label, p, in, k, alpha, beta, &x->b, &x->c, &x->before);
}

static void check_plan(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *in, cudaStream_t stream)
{
    static product_t x;
    for (int i = 0; i < p->ks; i++) {
        double alpha = below(rng, 2) ? 1 : -0.5;
        double beta = (double)below(rng, 3) / 2;
        int64_t k = some_k(rng, p, i);
        product_new(rng, p, in, k, &x);
        (void)rc_plan_describe(plan, x.label, sizeof x.label);
        execute(plan, k, alpha, beta, &x, stream);
        compare(p, in, k, alpha, beta, &x, stream);
        product_free(&x);
    }
}

/* ---------------------------------------------------------------------- many plans */

static rc_plan_options_t some_options(rc_rng_t *rng, rc_layout_t layout, const rc_cuda_allocator_t *memory)
{
    enum { KERNELS = 8 };
    static const char *const orders[] = {NULL, "csr", "lpt", "dcsr,csr", "random:seed=3", "rcm,csr",
        "cells", "labels,multilevel", "auto,minlabel"};
    static const char *const by_layout[RC_LAYOUTS][KERNELS] = {
        {NULL, "gslice", "gsub", "cusparse-csr-col", "gstat,cusparse-*", "gchunk-col,gstage-col", "gpanel-col:columns=32,gsub",
            "cublas-dense-col,gsub"},
        {NULL, "gchunk", "growmajor", "cusparse-csr-row", "gpanel,gstage", "gchunk,gpanel", "aspt:rest=2,growmajor",
            "cublas-dense,growmajor"},
        {NULL, "gchunk-brow-ccol", "gchunk-brow-ccol:entries=8", "gchunk*", "gstage*", "gpanel-brow-ccol", NULL, NULL},
        {NULL, "gchunk-bcol-crow", "gchunk-bcol-crow:entries=8", "gchunk*", "gstage*", "gpanel-bcol-crow", NULL, NULL},
    };
    const char *kernels = by_layout[layout][below(rng, KERNELS)];
    rc_plan_options_t o = {.kernels = kernels,
        .orders = orders[below(rng, 9)],
        .tune = (int)below(rng, 3),
        .tune_ns = 1000000,
        .reuse = below(rng, 2) ? 100 : 0,
        .deterministic = kernels == NULL && below(rng, 2),
        .threads = 1,
        .allocator = below(rng, 2) ? memory : NULL};
    return o;
}

/* The matrix of a plan: its arrays on the device or the host. */
static rc_plan_matrix_t place_matrix(rc_rng_t *rng, const input_t *in)
{
    rc_plan_matrix_t m = matrix_of(in, below(rng, 2) ? 4 : 8, in->exact);
    m.on_device = (int)below(rng, 2);
    if (m.on_device) {
        m.row_ptr = upload(m.row_ptr, ((size_t)m.rows + 1) * (size_t)m.row_ptr_bytes);
        m.col_idx = upload(m.col_idx, (size_t)m.nnz * sizeof(int32_t));
        m.val = upload(m.val, (size_t)m.nnz * rc_precision_bytes(m.precision));
    }
    return m;
}

static void free_place(const rc_plan_matrix_t *m)
{
    const void *p[] = {m->row_ptr, m->col_idx, m->val};
    for (int i = 0; m->on_device && i < 3; i++) {
        void *q;
        memcpy(&q, &p[i], sizeof q);
        CUDA(cudaFree(q));
    }
}

static void update(rc_rng_t *rng, rc_plan_t *plan, input_t *in, cudaStream_t stream)
{
    rc_err_t err = {0};
    int on = (int)below(rng, 2);
    in->exact = any_type(rng); /* whatever that of the matrix was */
    new_values(rng, in);
    const size_t bytes = (size_t)in->nnz * rc_precision_bytes(in->exact);
    void *val = on ? upload(values_in(in, in->exact), bytes) : values_in(in, in->exact);
    ok(rc_plan_update_values(plan, in->nnz, val, in->exact, on, stream, &err), &err, "rc_plan_update_values");
    if (on)
        CUDA(cudaFree(val));
}

/* A clone and a plan of a file multiply as the plan did.  \param[in] own  stream of the plan */
static void check_others(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, input_t *in, const char *path,
    cudaStream_t own)
{
    static input_t before;
    rc_err_t err = {0};
    rc_plan_t *other = NULL;
    cudaStream_t stream = new_stream();
    rc_plan_matrix_t m = matrix_of(in, 4, RC_FP64);
    ok(rc_plan_clone(plan, stream, &other, &err), &err, "rc_plan_clone");
    check_plan(rng, other, p, in, stream);
    before = *in;
    for (int i = 0; i < 2; i++) { /* the second time the matrix is not shared any more */
        update(rng, plan, in, own);
        check_plan(rng, plan, p, in, own);
        check_plan(rng, other, p, &before, stream);
    }
    rc_plan_free(other);
    ok(rc_plan_save(plan, path, &err), &err, "rc_plan_save");
    ok(rc_plan_load(path, p, &m, NULL, stream, &other, &err), &err, "rc_plan_load");
    check_plan(rng, other, p, in, stream);
    rc_plan_free(other);
    CUDA(cudaStreamDestroy(stream));
}

static void one_plan(rc_rng_t *rng, const rc_cuda_allocator_t *memory, const char *path)
{
    enum { others = 8 };
    static input_t in;
    char text[1000];
    int64_t first = 1 + below(rng, WIDEST);
    int64_t k[] = {first, first % WIDEST + 1};
    rc_plan_problem_t p = {.layout = (rc_layout_t)below(rng, RC_LAYOUTS), .k = k, .ks = 1 + (int)below(rng, 2)};
    rc_plan_options_t o = some_options(rng, p.layout, memory);
    if (below(rng, 4) == 0) {
        p.k_range = 1;
        p.ks = 2;
        k[0] = 1 + below(rng, first);
        k[1] = first;
    }
    const unsigned types = pick_types(rng, RC_DEVICE_CUDA, &p, &o);
    in.exact = any_type(rng);
    make(rng, (int)below(rng, 2), &in);
    p.ld_in[0] = (rc_layout_in(p.layout) == RC_ROW_MAJOR ? WIDEST : in.cols) + 1 + below(rng, PAD);
    p.ld_out = (rc_layout_out(p.layout) == RC_ROW_MAJOR ? WIDEST : in.rows) + 1 + below(rng, PAD);
    rc_plan_matrix_t m = place_matrix(rng, &in);
    cudaStream_t stream = below(rng, 4) ? new_stream() : NULL;
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    rc_status_t st = rc_plan_create(&p, &m, &o, stream, &plan, &err);
    free_place(&m);
    if (st == RC_ENOTSUP && (!types || (o.kernels && strstr(o.kernels, "cusparse"))))
        goto done; /* a kernel of one K; leading dimensions that cuSPARSE does not take */
    ok(st, &err, o.kernels ? o.kernels : "any kernel");
    assert_true(rc_plan_describe(plan, text, sizeof text) > 0);
    check_plan(rng, plan, &p, &in, stream);
    for (int i = 0; i < 2; i++) {
        update(rng, plan, &in, stream);
        check_plan(rng, plan, &p, &in, stream);
    }
    if (below(rng, others) == 0)
        check_others(rng, plan, &p, &in, path, stream);
done:
    rc_plan_free(plan);
    if (stream)
        CUDA(cudaStreamDestroy(stream));
}

static void plans_multiply(void **state)
{
    char path[SCRATCH_PATH];
    counted_t memory = {0};
    const rc_cuda_allocator_t allocator = {counted_alloc, counted_free, &memory};
    const char *plans = getenv("ROWCAST_GPU_PLANS");
    rc_rng_t rng;
    rc_rng_seed(&rng, 31);
    if (!have_gpu())
        skip();
    scratch_path(state, "plan.json", path);
    for (int64_t i = 0; i < (plans ? strtol(plans, NULL, 10) : 1000); i++)
        one_plan(&rng, &allocator, path);
    assert_true(memory.calls > 0);
    assert_int_equal(memory.blocks, 0);
}

/* ------------------------------------------------------------------ one plan to look at */

typedef struct fixture {
    rc_plan_problem_t p;
    int64_t k[2];
    input_t in;
    rc_plan_matrix_t m;
    cudaStream_t stream;
    product_t x;
} fixture_t;

/* NULL: there is no GPU. */
static fixture_t *begin(rc_layout_t layout)
{
    static fixture_t f;
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    if (!have_gpu())
        return NULL;
    f = (fixture_t){.k = {4, 8}, .stream = new_stream()};
    f.p = (rc_plan_problem_t){.layout = layout, .k = f.k, .ks = 2};
    do
        make(&rng, 1, &f.in);
    while (f.in.rows < 8 || f.in.cols < 8 || f.in.nnz < 40);
    f.m = matrix_of(&f.in, 8, RC_FP64);
    f.p.ld_in[0] = f.p.ld_out = MOST; /* cuSPARSE wants a multiple of 4 */
    product_new(&rng, &f.p, &f.in, 8, &f.x);
    return &f;
}

static void end(fixture_t *f)
{
    product_free(&f->x);
    CUDA(cudaStreamDestroy(f->stream));
}

static rc_plan_t *plan_of(fixture_t *f, const char *kernel, const rc_cuda_allocator_t *memory)
{
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    const rc_plan_options_t o = {.kernels = kernel, .allocator = memory};
    ok(rc_plan_create(&f->p, &f->m, &o, f->stream, &plan, &err), &err, kernel);
    return plan;
}

/* Runs become nodes of a graph, which runs them again on what the operands hold then. */
static void run_in_a_graph(fixture_t *f, const char *kernel)
{
    enum { launches = 3 };
    rc_plan_t *plan = plan_of(f, kernel, NULL);
    cudaStream_t capturing = new_stream();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    rc_plan_t *none = NULL;
    rc_err_t err = {0};
    execute(plan, 8, 1, 0, &f->x, f->stream);
    compare(&f->p, &f->in, 8, 1, 0, &f->x, f->stream);
    CUDA(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeGlobal));
    execute(plan, 8, 1, 0, &f->x, capturing);
    execute(plan, 8, 2, 0.5, &f->x, capturing);
    assert_int_equal(rc_plan_create(&f->p, &f->m, NULL, capturing, &none, &err), RC_EINVAL);
    assert_int_equal(rc_plan_update_values(plan, f->in.nnz, f->in.val64, RC_FP64, 0, capturing, &err), RC_EINVAL);
    assert_int_equal(rc_plan_update_values(plan, f->in.nnz, f->x.device_b, RC_FP64, 1, capturing, &err), RC_EINVAL);
    CUDA(cudaStreamEndCapture(capturing, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < launches; i++)
        CUDA(cudaGraphLaunch(exec, f->stream));
    CUDA(cudaStreamSynchronize(f->stream));
    /* twice the product and half of the product: two and a half times it, in one run */
    CUDA(cudaMemcpy(data_of(&f->x.c), f->x.device_c, data_bytes(&f->p), cudaMemcpyDeviceToHost));
    compare_product("product", &f->p, &f->in, 8, 2.5, 0, &f->x.b, &f->x.c, &f->x.before);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    rc_plan_free(plan);
    CUDA(cudaStreamDestroy(capturing));
}

static void runs_become_graphs(void **state)
{
    (void)state;
    static const char *const row[] = {"gchunk", "gpanel", "growmajor", "cusparse-csr-row", "aspt:col_min=2:tile_min=1",
        "cublas-dense:fill=1024"};
    static const char *const col[] = {"gslice", "gchunk-col", "gsub", "cusparse-csr-col", "gpanel-col",
        "cublas-dense-col:fill=1024"};
    for (int layout = 0; layout < 2; layout++)
        for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
            fixture_t *f = begin((rc_layout_t)layout);
            if (!f)
                skip();
            run_in_a_graph(f, layout == RC_ROW_MAJOR ? row[i] : col[i]);
            end(f);
        }
}

/* After a first update others, of values on the device, are a part of a graph too: values, product, other
 * values, product, in the order in which they were asked for. */
static void update_in_a_graph(fixture_t *f, const char *kernel)
{
    enum { rounds = 50 };
    rc_plan_t *plan = plan_of(f, kernel, NULL);
    rc_err_t err = {0};
    rc_rng_t rng;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    rc_rng_seed(&rng, 77);
    void *first = upload(f->in.val64, (size_t)f->in.nnz * sizeof *f->in.val64);
    new_values(&rng, &f->in);
    void *second = upload(values_in(&f->in, RC_FP32), (size_t)f->in.nnz * sizeof(float));
    ok(rc_plan_update_values(plan, f->in.nnz, second, RC_FP32, 1, f->stream, &err), &err, "first update");
    CUDA(cudaStreamBeginCapture(f->stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < rounds; i++) {
        ok(rc_plan_update_values(plan, f->in.nnz, first, RC_FP64, 1, f->stream, &err), &err, "in a graph");
        execute(plan, 8, 1, 0, &f->x, f->stream);
        ok(rc_plan_update_values(plan, f->in.nnz, second, RC_FP32, 1, f->stream, &err), &err, "in a graph");
        execute(plan, 8, 1, 0, &f->x, f->stream);
    }
    CUDA(cudaStreamEndCapture(f->stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, f->stream));
    compare(&f->p, &f->in, 8, 1, 0, &f->x, f->stream);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaFree(first));
    CUDA(cudaFree(second));
    rc_plan_free(plan);
}

static const struct {
    rc_layout_t layout;
    const char *kernel;
} with_places[] = {{RC_ROW_MAJOR, "gchunk"}, {RC_ROW_MAJOR, "growmajor"}, {RC_ROW_MAJOR, "cusparse-csr-row"},
    {RC_ROW_MAJOR, "gpanel"}, {RC_ROW_MAJOR, "gstage"}, {RC_ROW_MAJOR, "cublas-dense:fill=1024"},
    {RC_COL_MAJOR, "gslice"}, {RC_COL_MAJOR, "gsub"}, {RC_COL_MAJOR, "gstage-col"},
    {RC_COL_MAJOR, "cublas-dense-col:fill=1024"}};
enum { WITH_PLACES = sizeof with_places / sizeof *with_places };

static void updates_become_graphs(void **state)
{
    (void)state;
    for (int i = 0; i < WITH_PLACES; i++) {
        fixture_t *f = begin(with_places[i].layout);
        if (!f)
            skip();
        update_in_a_graph(f, with_places[i].kernel);
        end(f);
    }
}

/* Values that the caller puts where a plan says that it has them.  Copies do not wait for the stream, nor runs for copies. */
static void places_take_values(void **state)
{
    (void)state;
    for (int i = 0; i < WITH_PLACES; i++) {
        fixture_t *f = begin(with_places[i].layout);
        rc_err_t err = {0};
        rc_plan_places_t at = {0};
        rc_rng_t rng;
        if (!f)
            skip();
        rc_rng_seed(&rng, 78);
        f->p.ks = 1; /* the matrix of one K alone */
        rc_plan_t *plan = plan_of(f, with_places[i].kernel, NULL);
        assert_int_equal(rc_plan_places(plan, 4, &at, &err), RC_ENOTSUP);
        ok(rc_plan_update_values(plan, f->in.nnz, values_in(&f->in, RC_FP32), RC_FP32, 0, f->stream, &err), &err, "first update");
        ok(rc_plan_places(plan, 4, &at, &err), &err, with_places[i].kernel);
        assert_true(at.precision == RC_FP32 && at.place_bytes == 4);
        CUDA(cudaDeviceSynchronize());
        new_values(&rng, &f->in);
        union { int32_t place; float value; } *x = calloc((size_t)at.count, sizeof *x);
        CUDA(cudaMemcpy(x, at.place, (size_t)at.count * sizeof *x, cudaMemcpyDeviceToHost));
        for (int64_t e = 0; e < at.count; e++)
            x[e].value = x[e].place > 0 ? ((float *)values_in(&f->in, RC_FP32))[x[e].place - 1] : 0;
        CUDA(cudaMemcpy(at.to, x, (size_t)at.count * sizeof *x, cudaMemcpyHostToDevice));
        CUDA(cudaDeviceSynchronize());
        free(x);
        execute(plan, 4, 1, 0, &f->x, f->stream);
        compare(&f->p, &f->in, 4, 1, 0, &f->x, f->stream);
        rc_plan_free(plan);
        end(f);
    }
}

/* A thread with a clone on a stream of its own: the same bits each time. */
typedef struct worker {
    const fixture_t *f;
    rc_plan_t *plan;
    cudaStream_t stream;
    void *c;
    int failed;
} worker_t;

static void *work(void *user)
{
    enum { runs = 200 };
    worker_t *w = user;
    for (int i = 0; i < runs && !w->failed; i++)
        w->failed = rc_plan_execute(w->plan, 8, 1, w->f->x.device_b, w->f->x.b.ld, 0, w->c, w->f->x.c.ld,
                        w->stream, NULL) != RC_OK;
    w->failed |= cudaStreamSynchronize(w->stream) != cudaSuccess;
    return NULL;
}

static void threads_have_clones(void **state)
{
    (void)state;
    enum { workers = 4 };
    worker_t w[workers];
    pthread_t thread[workers];
    static dense_t c[workers];
    fixture_t *f = begin(RC_ROW_MAJOR);
    rc_err_t err = {0};
    if (!f)
        skip();
    rc_plan_t *plan = plan_of(f, "gchunk:entries=4", NULL);
    for (int i = 0; i < workers; i++) {
        w[i] = (worker_t){.f = f, .stream = new_stream(), .c = upload(data_of(&f->x.c), data_bytes(&f->p))};
        ok(rc_plan_clone(plan, w[i].stream, &w[i].plan, &err), &err, "rc_plan_clone");
    }
    for (int i = 0; i < workers; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, work, &w[i]), 0);
    for (int i = 0; i < workers; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(w[i].failed, 0);
        CUDA(cudaMemcpy(data_of(&c[i]), w[i].c, data_bytes(&f->p), cudaMemcpyDeviceToHost));
        assert_memory_equal(data_of(&c[0]), data_of(&c[i]), data_bytes(&f->p));
        rc_plan_free(w[i].plan);
        CUDA(cudaStreamDestroy(w[i].stream));
        CUDA(cudaFree(w[i].c));
    }
    f->x.c = c[0];
    f->x.c.ld = f->x.before.ld;
    compare_product("product", &f->p, &f->in, 8, 1, 0, &f->x.b, &f->x.c, &f->x.before);
    rc_plan_free(plan);
    end(f);
}

/* Runs allocate nothing; where memory is short a plan that fits is taken, or that is said. */
static void memory_is_the_applications(void **state)
{
    (void)state;
    counted_t memory = {0};
    const rc_cuda_allocator_t allocator = {counted_alloc, counted_free, &memory};
    fixture_t *f = begin(RC_ROW_MAJOR);
    rc_err_t err = {0};
    rc_plan_t *plan = NULL;
    if (!f)
        skip();
    plan = plan_of(f, "gchunk", &allocator);
    int64_t calls = memory.calls;
    for (int i = 0; i < 3; i++)
        execute(plan, 8, 1, 0, &f->x, f->stream);
    compare(&f->p, &f->in, 8, 1, 0, &f->x, f->stream);
    assert_int_equal(memory.calls, calls);
    rc_plan_free(plan);
    assert_int_equal(memory.blocks, 0);
    /* chunks are padded: they do not fit where the entries alone do */
    const rc_plan_options_t o = {.kernels = "gchunk,growmajor", .allocator = &allocator};
    rc_plan_part_t part;
    memory.most = (size_t)f->in.nnz * sizeof(float) + 16;
    ok(rc_plan_create(&f->p, &f->m, &o, f->stream, &plan, &err), &err, "little memory");
    ok(rc_plan_part(plan, 0, &part, &err), &err, "its candidates");
    assert_string_equal(part.candidate[part.chosen].kernel, "growmajor:vectors=0:strip=0");
    assert_true(part.candidates == 2 && part.candidate[!part.chosen].status != RC_OK);
    execute(plan, 8, 1, 0, &f->x, f->stream);
    compare(&f->p, &f->in, 8, 1, 0, &f->x, f->stream);
    rc_plan_free(plan);
    memory.most = 1;
    assert_int_equal(rc_plan_create(&f->p, &f->m, &o, f->stream, &plan, &err), RC_ENOMEM);
    assert_null(plan);
    assert_int_equal(memory.blocks, 0);
    end(f);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    fixture_t *f = begin(RC_ROW_MAJOR);
    rc_err_t err = {0};
    rc_plan_t *none = NULL;
    int count = 0;
    if (!f)
        skip();
    rc_plan_t *plan = plan_of(f, "gchunk", NULL);
    char *b = f->x.device_b;
    char *c = f->x.device_c;
    int64_t ld = f->x.b.ld;
    assert_int_equal(rc_plan_create(NULL, &f->m, NULL, f->stream, &none, &err), RC_EINVAL);
    assert_int_equal(rc_plan_create(&f->p, NULL, NULL, f->stream, &none, &err), RC_EINVAL);
    assert_int_equal(rc_plan_create(&f->p, &f->m, NULL, f->stream, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute(NULL, 8, 1, b, ld, 0, c, ld, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute(plan, 8, 1, NULL, ld, 0, c, ld, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute(plan, 8, 1, b, ld, 0, NULL, ld, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute(plan, 8, 1, b, 7, 0, c, ld, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute(plan, 8, 1, b, ld, 0, c + 1, ld, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute(plan, 8, 1, b, ld, 0, b, ld, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute(plan, 0, 1, b, ld, 0, c, ld, f->stream, &err), RC_ERANGE);
    assert_int_equal(rc_plan_execute(plan, 5, 1, b, ld, 0, c, ld, f->stream, &err), RC_ERANGE);
    assert_int_equal(rc_plan_execute_sddmm(plan, 8, 1, b, ld, b, ld, 0, c, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_update_values(plan, f->in.nnz - 1, f->in.val64, RC_FP64, 0, f->stream, &err), RC_EINVAL);
    assert_int_equal(rc_plan_update_values(plan, f->in.nnz, NULL, RC_FP64, 0, f->stream, &err), RC_EINVAL);
    CUDA(cudaGetDeviceCount(&count));
    if (count > 1) { /* another GPU is current, and has a stream */
        CUDA(cudaSetDevice(1));
        cudaStream_t other = new_stream();
        assert_int_equal(rc_plan_execute(plan, 8, 1, b, ld, 0, c, ld, other, &err), RC_EINVAL);
        assert_int_equal(rc_plan_clone(plan, other, &none, &err), RC_EINVAL);
        CUDA(cudaStreamDestroy(other));
    }
    execute(plan, 8, 1, 0, &f->x, f->stream);
    int current = -1;
    CUDA(cudaGetDevice(&current));
    assert_int_equal(current, count > 1 ? 1 : 0);
    CUDA(cudaSetDevice(0));
    compare(&f->p, &f->in, 8, 1, 0, &f->x, f->stream);
    rc_plan_free(plan);
    end(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_multiply),
        cmocka_unit_test(runs_become_graphs),
        cmocka_unit_test(updates_become_graphs),
        cmocka_unit_test(places_take_values),
        cmocka_unit_test(threads_have_clones),
        cmocka_unit_test(memory_is_the_applications),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
