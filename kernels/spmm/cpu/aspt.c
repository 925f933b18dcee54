/* Adaptive sparse tiling on a CPU, to be read: the reference of the kernel of that name for a
 * GPU.  A thread owns columns of C, so nothing is added by two threads, and the sums have one
 * order: tile after tile, then the sparse part. */
#include "config.h"
#include "format/aspt.h"
#include "base/error.h"
#include "kernels/cpu/sums.h"

typedef struct aspt {
    rc_plain_t plain; /* only its rows */
    rc_aspt_cut_t cut;
    void *sums; /* its own: rc_c_sums_own */
} aspt_t;

/* The row of C of a slot with entries. */
static int64_t row_of(const aspt_t *s, int64_t slot)
{
    return s->plain.slots.row ? s->plain.slots.row[slot] : slot;
}

#define INSTANCES "kernels/spmm/cpu/aspt.inc"
#include "device/cpu/instances.inc"

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_aspt_size_t n;
    RC_PASS(rc_aspt_measure(p, 0, 0, &n, err));
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t slots = p->schedule->slots;
    int64_t bytes = rc_sat_mul(n.tiles.nnz_dense, (int64_t)sizeof(uint16_t) + value);
    bytes = rc_sat_add(bytes, rc_sat_mul(n.tiles.nnz_rest, index + value));
    bytes = rc_sat_add(bytes, (n.tiles.ptrs + slots + 2) * (int64_t)sizeof(int64_t));
    bytes =
        rc_sat_add(bytes, n.tiles.panels * (int64_t)sizeof(rc_tile_panel_t) + n.tiles.cols * index);
    out->traffic = rc_sat_add(bytes, rc_slots_row_bytes(p));
    if (p->param[RC_ASPT_REST] != RC_ASPT_KEEP) /* at most */
        out->traffic = rc_sat_add(out->traffic, slots * index);
    out->bytes = rc_sat_add(out->traffic, rc_slots_absent_bytes(p));
    out->bytes_per_column = rc_c_sums_bytes(p, p->c_rows);
    out->stored_rows = rc_stored_rows(p);
    return RC_OK;
}

static void drop(void *state)
{
    rc_aspt_cut_free(&((aspt_t *)state)->cut);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    aspt_t *s = state;
    rc_memory_t *m = &s->plain.base.memory;
    rc_slots_t *slots = &s->plain.slots;
    RC_PASS(rc_slots_fill(m->x, p, slots, err));
    const rc_segments_source_t source = rc_slots_source(slots, p);
    rc_status_t st = rc_aspt_cut(p, &source, m->x->threads, &s->cut, err);
    rc_slots_drop_entries(slots);
    rc_status_t kept = rc_slots_keep(m, slots, err);
    return st < 0 ? st : kept;
}

static rc_status_t own(void *state, rc_err_t *err)
{
    aspt_t *s = state;
    return rc_c_sums_own(&s->plain.base, s->plain.base.p.c_rows, &s->sums, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const aspt_t *s = state;
    static void (*const strip[])(const aspt_t *, const rc_operands_t *, const rc_c_sums_t *,
        const rc_strip_t *, double, double) = RC_INSTANCES(strip);
    const rc_c_sums_t sums = rc_c_sums_of(s->sums, &o->out);
    const int threads = s->plain.slots.threads;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int t = 0; t < threads; t++) {
        const rc_strip_t mine = rc_strip_of(o->out.cols, t, threads);
        strip[s->plain.base.p.precision](s, o, &sums, &mine, alpha, beta);
    }
    return RC_OK;
}

/* The reference of the GPU's, no rival: by name alone. */
const rc_kernel_t rc_kernel_aspt = {
    .name = "aspt",
    .summary = "ASpT, row-major: dense tiles, then the sparse part (the reference of the GPU's)",
    .source = "Hong et al. 2019, doi:10.1145/3293883.3295712; Jiang et al. 2020, "
              "doi:10.1145/3332466.3374546",
    .version = 1,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .format = "aspt",
    .c_orders = RC_STORES_ANY,
    .for_testing = 1,
    .any_k = 1,
    .param = {RC_ASPT_PARAMS},
    .identify = rc_aspt_identify,
    .analyse = analyse,
    RC_PLAIN_ANY,
    .types = RC_TYPES_REAL,
    .state_bytes = RC_STATE(aspt_t),
    .build = build,
    .own = own,
    .run = run,
    .drop = drop,
};
