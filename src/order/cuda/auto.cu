/* The GPU form of src/order/policy_auto.c.  The host asks whether the original order is good,
 * and of skewed matrices whether `mincol` is, to spare the rest; in a stream that is captured it
 * cannot, and everything is done. */
#include "order/cuda/sample.h"
#include "order/cuda/orders.cuh"

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_multilevel;
extern const rc_cuda_order_t rc_cuda_order_mincol;
extern const rc_cuda_order_t rc_cuda_order_auto;
}

namespace
{

struct found {
    rc_sharing_t run; /* of the original order */
    rc_sharing_t mincol;
    rc_sharing_t multilevel;
    int64_t longest;
};

struct state {
    rc_executor_t *x;
    const rc_cuda_pattern_t *a;
    found *sum;
    rc_local_samples_t *all; /* NULL: not sampled, and no mincol */
    void *samples;
    int32_t *mincol; /* [rows] */
    void *temp;      /* of an order */
    int waits;       /* 0: the stream is captured */
};

/* ------------------------------------------------------------------ device */

/* Slots have `multilevel`.  \param[in] all  NULL: `mincol` is out of the question */
__global__ void choose(const found *sum, const rc_local_samples_t *all, const int32_t *mincol,
    int32_t *slots, int64_t nnz, int64_t n)
{
    const bool apart = rc_local_apart(sum->run.entries, sum->run.distinct);
    const bool first =
        apart && all && rc_local_skewed(n, nnz, sum->longest) && rc_local_mincol(all, &sum->mincol);
    if (!first && apart &&
        rc_local_better(
            sum->run.entries, sum->run.distinct, sum->multilevel.entries, sum->multilevel.distinct))
        return;
    rc::for_each(n, [=](int64_t p) { slots[p] = first ? mincol[p] : (int32_t)p; });
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
    RC_PASS(try_order(s, &rc_cuda_order_mincol, s->mincol, &s->sum->mincol, err));
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
    *ordered = rc_local_apart(sum.run.entries, sum.run.distinct);
    *skewed = rc_local_skewed(s->a->rows, s->a->nnz, sum.longest);
    return RC_OK;
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
        return rc_cuda_check(cudaMemcpyAsync(slots, s->mincol, (size_t)n * sizeof *slots,
                                 cudaMemcpyDeviceToDevice, stream),
            "an order", err);
    if (!ordered)
        return rc::number(s->x, slots, n, err);
    RC_PASS(try_order(s, &rc_cuda_order_multilevel, slots, &s->sum->multilevel, err));
    choose<<<rc::blocks_for(n), rc::ORDER_THREADS, 0, stream>>>(
        s->sum, s->all, s->mincol, slots, s->a->nnz, n);
    return rc_cuda_launched("the choice of an order", err);
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *, void *work,
    int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    int64_t of_multilevel = 0;
    int64_t of_mincol = 0;
    state s = {};
    s.x = x;
    s.a = a;
    RC_PASS(build_with(&s, &rc_cuda_order_multilevel, nullptr, &of_multilevel, nullptr, err));
    RC_PASS(build_with(&s, &rc_cuda_order_mincol, nullptr, &of_mincol, nullptr, err));
    rc::workspace w = {(char *)work, 0};
    s.sum = w.take<found>(1);
    s.samples = w.take<char>(rc_cuda_sample_bytes());
    s.mincol = w.take<int32_t>(a->rows);
    s.temp = w.take<char>(of_multilevel > of_mincol ? of_multilevel : of_mincol);
    *bytes = w.used;
    return work ? run(&s, slots, err) : RC_OK;
}

} // namespace

extern "C" {
const rc_cuda_order_t rc_cuda_order_auto = {"auto", build};
}
