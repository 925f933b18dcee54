/* The GPU form of src/order/policy_auto.c.  The host asks whether the original order is good, of
 * skewed matrices whether `mincol` is, and of others whether `labels` may be, to spare the rest; in
 * a stream that is captured it cannot, and everything is done. */
#include "order/cuda/sample.h"
#include "order/cuda/orders.cuh"

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_multilevel;
extern const rc_cuda_order_t rc_cuda_order_mincol;
extern const rc_cuda_order_t rc_cuda_order_labels;
extern const rc_cuda_order_t rc_cuda_order_auto;
}

namespace
{

struct found {
    rc_sharing_t run; /* of the original order */
    rc_sharing_t mincol;
    rc_sharing_t multilevel;
    rc_sharing_t labels;
    rc_sharing_t ball;
    int64_t longest;

    __host__ __device__ bool is_apart() const { return rc_local_apart(run.entries, run.distinct); }

    __host__ __device__ bool is_skewed(const rc_cuda_pattern_t &a) const
    {
        return rc_local_skewed(a.rows, a.nnz, longest);
    }

    /* 1: multilevel is better than the original order. */
    __host__ __device__ bool is_near() const
    {
        return rc_local_better(
            run.entries, run.distinct, multilevel.entries, multilevel.distinct);
    }

    /* 1: labels is worth a try. */
    __host__ __device__ bool leaks(const rc_cuda_pattern_t &a) const
    {
        return is_apart() && !is_skewed(a) && is_near() && rc_local_leaks(&multilevel, &ball);
    }
};

struct state {
    rc_executor_t *x;
    const rc_cuda_pattern_t *a;
    found *sum;
    rc_local_samples_t *all; /* NULL: not sampled, and no mincol */
    void *samples;
    int32_t *other; /* [rows] slots of mincol, and then of labels */
    void *temp;     /* of an order */
    int waits;       /* 0: the stream is captured */
};

/* ------------------------------------------------------------------ device */

/* Slots have `multilevel`.  \param[in] all  NULL: `mincol` is out of the question */
__global__ void choose(rc_cuda_pattern_t a, const found *sum, const rc_local_samples_t *all,
    const int32_t *mincol, int32_t *slots)
{
    const bool first =
        sum->is_apart() && all && sum->is_skewed(a) && rc_local_mincol(all, &sum->mincol);
    if (!first && sum->is_apart() && sum->is_near())
        return;
    rc::for_each(a.rows, [=](int64_t p) { slots[p] = first ? mincol[p] : (int32_t)p; });
}

__global__ void choose_labels(
    rc_cuda_pattern_t a, const found *sum, const int32_t *labels, int32_t *slots)
{
    if (sum->leaks(a) && rc_local_labels(&sum->multilevel, &sum->labels))
        rc::for_each(a.rows, [=](int64_t p) { slots[p] = labels[p]; });
}

/* -------------------------------------------------------------------- host */

rc_status_t build_with(const state *s, const rc_cuda_order_t *order, void *work, int64_t *bytes,
    int32_t *slots, rc_err_t *err)
{
    rc_params_t params = {};
    RC_PASS(rc_cuda_order_defaults(order->policy, &params, err));
    return order->build(s->x, s->a, &params, work, bytes, slots, err);
}

/* An order, and what its runs share. */
rc_status_t try_order(
    const state *s, const rc_cuda_order_t *order, int32_t *slots, rc_sharing_t *runs, rc_err_t *err)
{
    int64_t bytes = 0;
    RC_PASS(build_with(s, order, s->temp, &bytes, slots, err));
    return rc_cuda_sample_runs(s->x, s->a, slots, runs, err);
}

/* *chosen = 1: `mincol` is it, as far as the host may ask. */
rc_status_t try_mincol(state *s, int *chosen, rc_err_t *err)
{
    rc_local_samples_t all;
    rc_sharing_t runs;
    RC_PASS(rc_cuda_sample_ask(s->x, s->a, s->samples, &s->all, err));
    RC_PASS(try_order(s, &rc_cuda_order_mincol, s->other, &s->sum->mincol, err));
    if (!s->waits)
        return RC_OK;
    RC_PASS(s->x->download(s->x, &all, s->all, sizeof all, err));
    RC_PASS(s->x->download(s->x, &runs, &s->sum->mincol, sizeof runs, err));
    *chosen = rc_local_mincol(&all, &runs);
    s->all = nullptr;
    return RC_OK;
}

/* What of the orders is worth a try: all of them, if the host may not ask. */
rc_status_t ask(state *s, int *ordered, int *skewed, rc_err_t *err)
{
    int index;
    int capturing = 0;
    found sum;
    RC_PASS(rc_cuda_sample_runs(s->x, s->a, nullptr, &s->sum->run, err));
    RC_PASS(rc_cuda_sample_longest(s->x, s->a, &s->sum->longest, err));
    RC_PASS(rc_cuda_stream_info(rc_cuda_stream(s->x), &index, &capturing, err));
    s->waits = !capturing;
    *ordered = *skewed = 1;
    if (capturing)
        return RC_OK;
    RC_PASS(s->x->download(s->x, &sum, s->sum, sizeof sum, err));
    *ordered = sum.is_apart();
    *skewed = sum.is_skewed(*s->a);
    return RC_OK;
}

/* `multilevel`, or what goes before it, and then `labels` in their place where they are better. */
rc_status_t try_near(state *s, int skewed, int32_t *slots, rc_err_t *err)
{
    const cudaStream_t stream = rc_cuda_stream(s->x);
    const unsigned blocks = rc::blocks_for(s->a->rows);
    found sum;
    RC_PASS(try_order(s, &rc_cuda_order_multilevel, slots, &s->sum->multilevel, err));
    choose<<<blocks, rc::ORDER_THREADS, 0, stream>>>(*s->a, s->sum, s->all, s->other, slots);
    RC_PASS(rc_cuda_launched("the choice of an order", err));
    if (s->waits && skewed)
        return RC_OK;
    RC_PASS(rc_cuda_sample_balls(s->x, s->a, &s->sum->ball, err));
    if (s->waits)
        RC_PASS(s->x->download(s->x, &sum, s->sum, sizeof sum, err));
    if (s->waits && !sum.leaks(*s->a))
        return RC_OK;
    RC_PASS(try_order(s, &rc_cuda_order_labels, s->other, &s->sum->labels, err));
    choose_labels<<<blocks, rc::ORDER_THREADS, 0, stream>>>(*s->a, s->sum, s->other, slots);
    return rc_cuda_launched("the choice of an order", err);
}

rc_status_t run(state *s, int32_t *slots, rc_err_t *err)
{
    const int64_t n = s->a->rows;
    const cudaStream_t stream = rc_cuda_stream(s->x);
    int ordered = 0;
    int skewed = 0;
    int chosen = 0;
    RC_PASS(rc_cuda_check(cudaMemsetAsync(s->sum, 0, sizeof *s->sum, stream), "an order", err));
    RC_PASS(ask(s, &ordered, &skewed, err));
    if (ordered && skewed)
        RC_PASS(try_mincol(s, &chosen, err));
    if (chosen)
        return rc_cuda_check(cudaMemcpyAsync(slots, s->other, (size_t)n * sizeof *slots,
                                 cudaMemcpyDeviceToDevice, stream),
            "an order", err);
    if (!ordered)
        return rc::number(s->x, slots, n, err);
    return try_near(s, skewed, slots, err);
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *, void *work,
    int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    static const rc_cuda_order_t *const orders[] = {
        &rc_cuda_order_multilevel, &rc_cuda_order_mincol, &rc_cuda_order_labels};
    int64_t most = 0;
    state s = {};
    s.x = x;
    s.a = a;
    for (const rc_cuda_order_t *of : orders) {
        int64_t n = 0;
        RC_PASS(build_with(&s, of, nullptr, &n, nullptr, err));
        most = n > most ? n : most;
    }
    rc::workspace w = {(char *)work, 0};
    s.sum = w.take<found>(1);
    s.samples = w.take<char>(rc_cuda_sample_bytes());
    s.other = w.take<int32_t>(a->rows);
    s.temp = w.take<char>(most);
    *bytes = w.used;
    return work ? run(&s, slots, err) : RC_OK;
}

} // namespace

extern "C" {
const rc_cuda_order_t rc_cuda_order_auto = {"auto", build};
}
