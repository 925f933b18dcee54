/* Sampled product by rows, without atomics: O_e = alpha A_e <Y_i, X_j> + beta O_e.  A group of
 * lanes takes a row, or up to `entries` neighbouring entries of one, so that long rows are
 * shared.  Nothing is rearranged: the output is in the order of the original entries whatever
 * the schedule, so columns and values stay in it, too, and the schedule is the order of the
 * segments (row_sddmm.h). */
#include "config.h"
#include "kernels/sddmm/cuda/row_sddmm.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/overlap.h"
#include "device/cuda/ranges.h"
#include "format/cuda/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/rowmajor.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    PARAM_ENTRIES,
    PARAM_VECTORS,
    ENTRIES_AUTO = -1,
    ENTRIES_ASKED = 1024,          /* at most */
    ENTRIES_MOST = 128,            /* when nothing is said: a longer row is cut */
    ENTRIES_MAX = 1 << 30,         /* of any segment: the device steps past its end */
    STEP = RC_ROW_SDDMM_LANES_MIN, /* entries that a group takes at a time */
    GROUPS = 4, /* of a warp, as at K = 128 in fp32; more have less to wait for */
    /* of a warp for a step of its longest segment, and to begin: fitted to meshes of 7 and 27
     * points */
    STEP_COST = 5,
    WARP_COST = 3,
    SAMPLES = 64, /* runs of slots that are looked at */
    SAMPLE = 1024,
    LANES = 32,
    ALONE = 1 << 16 /* values that are not worth a second thread */
};

typedef struct row_sddmm {
    rc_prepared_t base;
    rc_row_sddmm_args_t args;
} row_sddmm_t;

/* What an analysis chose. */
typedef struct chosen {
    int64_t segments;
    int64_t most; /* entries of a segment */
} chosen_t;

/* ----------------------------------------------------------------- prepare */

/* Entries of slot i. */
static int64_t length_of(const rc_problem_t *p, int64_t i)
{
    int64_t r = p->schedule->row[i];
    return r < 0 ? 0 : p->a->row_ptr[r + 1] - p->a->row_ptr[r];
}

/* Entries of each segment of a row but the last one, where none may have more than `most`: about
 * equal, and full steps. */
static int64_t segment_size(int64_t length, int64_t most)
{
    if (length <= most)
        return length;
    int64_t size = rc_ceil_div(length, rc_ceil_div(length, most));
    return most < STEP ? size : rc_ceil_div(size, STEP) * STEP;
}

static int64_t count_segments(const rc_problem_t *p, int64_t most)
{
    int64_t n = 0;
    for (int64_t i = 0; i < p->schedule->slots; i++) {
        int64_t length = length_of(p, i);
        if (length > 0)
            n += length <= most ? 1 : rc_ceil_div(length, segment_size(length, most));
    }
    return n;
}

/* What the warps of some slots take together, in units of a fifth of a step. */
static int64_t cost_of(const rc_problem_t *p, int64_t most, int64_t begin, int64_t end)
{
    int64_t cost = 0;
    int64_t longest = 0; /* of the warp so far, in steps */
    int groups = 0;      /* of it */
    for (int64_t i = begin; i < end; i++) {
        int64_t length = length_of(p, i);
        int64_t size = segment_size(length, most);
        for (int64_t e = 0; e < length; e += size) {
            int64_t steps = rc_ceil_div(length - e < size ? length - e : size, STEP);
            longest = steps > longest ? steps : longest;
            if (++groups == GROUPS) {
                cost += STEP_COST * longest + WARP_COST;
                longest = 0;
                groups = 0;
            }
        }
    }
    return cost + (groups > 0 ? STEP_COST * longest + WARP_COST : 0);
}

/* The same of all slots, or of SAMPLES runs of them. */
static int64_t sampled_cost(const rc_problem_t *p, int64_t most)
{
    int64_t slots = p->schedule->slots;
    int64_t cost = 0;
    if (slots <= (int64_t)SAMPLES * SAMPLE)
        return cost_of(p, most, 0, slots);
    for (int64_t i = 0; i < SAMPLES; i++) {
        int64_t begin = (slots - SAMPLE) / (SAMPLES - 1) * i;
        cost += cost_of(p, most, begin, begin + SAMPLE);
    }
    return cost;
}

/* The most entries of a segment: what was asked for, else what costs least. */
static int64_t choose_most(const rc_problem_t *p)
{
    int64_t most = p->param[PARAM_ENTRIES];
    if (most != ENTRIES_AUTO)
        return most > 0 ? most : ENTRIES_MAX;
    most = ENTRIES_MOST;
    int64_t best = sampled_cost(p, most);
    for (int64_t n = ENTRIES_MOST / 2; n >= STEP; n /= 2) {
        int64_t cost = sampled_cost(p, n);
        if (cost < best) {
            best = cost;
            most = n;
        }
    }
    return most;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    chosen_t n = {.most = choose_most(p)};
    n.segments = count_segments(p, n.most);
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    out->bytes = rc_sat_add(
        rc_sat_mul(p->a->nnz, entry), rc_sat_mul(n.segments, (int64_t)sizeof(rc_sddmm_segment_t)));
    out->traffic = out->bytes;
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    RC_CHOSE(out, n);
    return RC_OK;
}

/* The rows of the schedule, cut.  \param[out] out  as many as the analysis counted */
static void list_segments(const rc_problem_t *p, int64_t most, rc_sddmm_segment_t *out)
{
    for (int64_t i = 0; i < p->schedule->slots; i++) {
        int64_t length = length_of(p, i);
        int64_t size = segment_size(length, most);
        int32_t row = p->schedule->row[i];
        for (int64_t e = 0; e < length; e += size) {
            int64_t count = length - e < size ? length - e : size;
            *out++ = (rc_sddmm_segment_t){p->a->row_ptr[row] + e, (int32_t)count, row};
        }
    }
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    row_sddmm_t *s = state;
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    chosen_t n;
    RC_CHOSEN(analysis, n);
    size_t segments = (size_t)n.segments;
    rc_sddmm_segment_t *list = rc_keep_host(&k, segments, sizeof *list, "segments of rows");
    if (list)
        list_segments(p, n.most, list);
    s->args.segments = n.segments;
    s->args.segment = rc_keep_array(&k, list, segments, sizeof *list);
    s->args.col = rc_keep_array(&k, p->a->col_idx, (size_t)p->a->nnz, sizeof *p->a->col_idx);
    rc_keep_own_values(&k);
    s->args.val = s->base.val = k.val;
    s->base.stored = k.stored;
    free(list);
    return rc_keep_end(&k);
}

/* --------------------------------------------------------------------- run */

/* Vectors of a lane: few lanes have little to add up, so there are more of them only when each
 * is full.  A warp that goes over wide rows several times is faster with fewer registers. */
static int vectors_for(const row_sddmm_t *s, int64_t pieces)
{
    enum { WIDE = 128, OF_WIDE = 2 };
    int vectors = 1;
    if (s->base.p.param[PARAM_VECTORS] > 0)
        return (int)s->base.p.param[PARAM_VECTORS];
    if (pieces >= WIDE)
        return OF_WIDE;
    while (vectors < RC_ROW_SDDMM_VECTORS_MAX && (int64_t)RC_ROW_SDDMM_LANES_MIN * vectors < pieces)
        vectors *= 2;
    return vectors;
}

static rc_status_t launch(
    const row_sddmm_t *s, const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err)
{
    const rc_operands_t inputs = {.in = {o->in[0]}, .out = o->in[1]};
    const size_t value = s->base.value_bytes;
    int64_t k = o->in[0].cols;
    int width = (int)(RC_CUDA_VECTOR_BYTES / value);
    while (width > 1 && (k % width != 0 || !rc_cuda_aligned(&inputs, value * (size_t)width)))
        width /= 2;
    int64_t pieces = k / width;
    int vectors = vectors_for(s, pieces);
    rc_row_sddmm_args_t args = s->args;
    args.lanes = RC_ROW_SDDMM_LANES_MIN;
    while (args.lanes < LANES && (int64_t)args.lanes * vectors < pieces)
        args.lanes *= 2;
    args.pieces = (int32_t)pieces;
    args.tiles = (int32_t)rc_ceil_div(pieces, (int64_t)args.lanes * vectors);
    args.y = o->in[0].data;
    args.x = o->in[1].data;
    args.out = o->out.data;
    args.scalars = scalars;
    rc_status_t st = rc_cuda_leading(&inputs, &args.ldy, &args.ldx, err);
    int64_t ctas = rc_ceil_div(args.segments, RC_ROW_SDDMM_THREADS / args.lanes);
    if (st < 0)
        return st;
    if (ctas > INT32_MAX || pieces > INT32_MAX / 2)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " segments of rows and K = %" PRId64 " are too many", args.segments,
            k);
    const rc_cuda_launch_t l = {
        .entry = rc_cuda_row_sddmm_entry(s->base.p.precision, width, vectors),
        .ctas = (unsigned)ctas,
        .rows = 1,
        .threads = RC_ROW_SDDMM_THREADS};
    return rc_cuda_launch_overlapping(s->base.memory.x, &l, &args, "launch of row-sddmm", err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return launch(state, o, rc_cuda_scalars(o, alpha, beta), err);
}

static const char *const entries_names[] = {"auto", NULL};

const rc_kernel_t rc_kernel_row_sddmm = {
    .name = "row-sddmm",
    .summary =
        "O = A .* (Y X'), row-major: a group of lanes per row, or per `entries` of one, vector "
        "loads, no atomics",
    .source = "rowcast; warp per row: Jiang et al. 2020, Algorithm 2",
    .version = 2,
    RC_CUDA_STRICT_MEMBERS,
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .format = "slots",
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .c_orders = RC_STORES_ORIGINAL,
    .any_k = 1,
    .param =
        {{.name = "entries",
             .help =
                 "entries of a row that a group of lanes takes at most, 0: all; auto: what leaves "
                 "least to wait for",
             .value = ENTRIES_AUTO,
             .max = ENTRIES_ASKED,
             .pow2 = 1,
             .choices = entries_names},
            {.name = "vectors",
                .help = "vectors of 16 bytes of Y per lane, 0: automatic",
                .max = RC_ROW_SDDMM_VECTORS_MAX,
                .pow2 = 1}},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .state_bytes = RC_STATE(row_sddmm_t),
    .shares = sizeof(row_sddmm_t),
    .build = build,
    .run = run,
};
