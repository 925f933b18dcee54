/* The GPU form of src/order/policy_minlabel.c.  Labels only sink, so that the numbers of columns
 * need not be set anew: two arrays of them take turns, and a row is looked at once a round, for
 * the minimum of the columns in one and for its share in the minima of the other. */
#include "order/cuda/orders.cuh"

namespace
{

enum { LEVELS = 3 };

struct labels {
    uint32_t *row;
    uint32_t *from; /* columns of this round, NULL: labels begin */
    uint32_t *to;   /* of the next one, NULL: there is none */
};

template <int LANES> __global__ void spread(rc_cuda_pattern_t a, labels l)
{
    const int lane = threadIdx.x % LANES;
    const int sub = threadIdx.x % rc::WARP / LANES;
    for (int64_t base = rc::first_row<LANES>(); base < a.rows; base += rc::row_step<LANES>()) {
        const int64_t r = base + sub;
        const rc::entries row = rc::entries_of(a, r);
        uint32_t x = rc_local_hash((uint32_t)r);
        if (l.from) {
            const uint32_t least = rc::least_column<LANES>(row, lane, l.from);
            x = r < a.rows ? min(l.row[r], least) : 0;
        }
        __syncwarp();
        if (lane == 0 && r < a.rows)
            l.row[r] = x;
        if (l.to)
            rc::lower_columns<LANES>(row, lane, x, l.to);
    }
}

__global__ void take_keys(const uint32_t *label, const int32_t *row, uint32_t *key, int64_t n)
{
    rc::for_each(n, [=](int64_t p) { key[p] = rc_local_unhash(label[row[p]]); });
}

rc_status_t launch(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, const labels &l, rc_err_t *err)
{
    return rc::with_lanes(a, [&](auto lanes) {
        spread<lanes.value>
            <<<rc::blocks_for(a->rows * lanes.value), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(
                *a, l);
        return rc_cuda_launched("labels of rows", err);
    });
}

struct state {
    rc_executor_t *x;
    const rc_cuda_pattern_t *a;
    uint32_t *label;
    uint32_t *column[2];
    rc_cuda_pairs_t pairs;
    void *temp;
    int64_t temp_bytes;
};

/* Rows sorted so far are sorted by their labels of now. */
rc_status_t sort_level(state *s, rc_err_t *err)
{
    const int64_t n = s->a->rows;
    take_keys<<<rc::blocks_for(n), rc::ORDER_THREADS, 0, rc_cuda_stream(s->x)>>>(
        s->label, s->pairs.value, s->pairs.key, n);
    RC_PASS(rc_cuda_launched("keys of rows", err));
    return rc_cuda_sort(s->x, s->temp, s->temp_bytes, &s->pairs, rc::bits_of(n), err);
}

rc_status_t run(state *s, const int64_t *rounds, rc_err_t *err)
{
    int level = 0;
    RC_PASS(rc::fill_none(s->x, s->column[0], s->a->cols, err));
    RC_PASS(rc::fill_none(s->x, s->column[1], s->a->cols, err));
    RC_PASS(rc::number(s->x, s->pairs.value, s->a->rows, err));
    for (int64_t done = 0; level < LEVELS; done++) {
        const labels l = {s->label, done > 0 ? s->column[(done + 1) % 2] : nullptr,
            done < rounds[LEVELS - 1] ? s->column[done % 2] : nullptr};
        RC_PASS(launch(s->x, s->a, l, err));
        for (; level < LEVELS && rounds[level] == done; level++)
            RC_PASS(sort_level(s, err));
    }
    return RC_OK;
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *params,
    void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    const int64_t *rounds = params->value;
    if (rounds[0] > rounds[1] || rounds[1] > rounds[2])
        return rc_fail(err, RC_EINVAL, "rounds: expected fine <= middle <= coarse");
    state s = {};
    RC_PASS(rc_cuda_sort_bytes(a->rows, &s.temp_bytes, err));
    rc::workspace w = {(char *)work, 0};
    s.x = x;
    s.a = a;
    s.label = w.take<uint32_t>(a->rows);
    s.column[0] = w.take<uint32_t>(a->cols);
    s.column[1] = w.take<uint32_t>(a->cols);
    s.pairs = rc::take_pairs(&w, a->rows, slots);
    s.temp = w.take<char>(s.temp_bytes);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    RC_PASS(run(&s, rounds, err));
    return rc::deliver(x, &s.pairs, slots, err);
}

} // namespace

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_minlabel;
const rc_cuda_order_t rc_cuda_order_minlabel = {"minlabel", build};
}
