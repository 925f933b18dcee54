/* The sampled product by adaptive sparse tiling on a CPU, to be read: the reference of the
 * kernel of that name for a GPU.  An entry is in one part, so each is stored once, where the
 * original matrix has it. */
#include "config.h"
#include "format/aspt.h"
#include "base/error.h"
#include "format/places.h"
#include "format/slots.h"
#include "kernels/prepared.h"

#include <string.h>

typedef struct aspt_sddmm {
    rc_prepared_t base;
    rc_aspt_cut_t cut; /* of numbers of entries */
    double *val;       /* [nnz] rounded to the precision */
    int32_t *row;      /* [slots] of Y */
} aspt_sddmm_t;

#define INSTANCES "kernels/sddmm/cpu/aspt_sddmm.inc"
#include "device/cpu/instances.inc"

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_aspt_size_t n;
    RC_PASS(rc_aspt_measure(p, 0, 0, &n, err));
    int64_t number = (int64_t)sizeof(int64_t);
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t slots = p->schedule->slots;
    int64_t bytes = rc_sat_mul(n.tiles.nnz_dense, (int64_t)sizeof(uint16_t) + number);
    bytes = rc_sat_add(bytes, rc_sat_mul(n.tiles.nnz_rest, index + number));
    bytes = rc_sat_add(bytes, rc_sat_mul(p->a->nnz, (int64_t)sizeof(double)));
    bytes = rc_sat_add(bytes, (n.tiles.ptrs + slots + 2) * number + slots * index);
    bytes =
        rc_sat_add(bytes, n.tiles.panels * (int64_t)sizeof(rc_tile_panel_t) + n.tiles.cols * index);
    if (p->param[RC_ASPT_REST] != RC_ASPT_KEEP) /* at most */
        bytes = rc_sat_add(bytes, slots * index);
    out->bytes = bytes;
    out->traffic = bytes;
    out->stored_rows = rc_stored_rows(p);
    return RC_OK;
}

static void drop(void *state)
{
    rc_aspt_cut_free(&((aspt_sddmm_t *)state)->cut);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    aspt_sddmm_t *s = state;
    const size_t nnz = (size_t)p->a->nnz;
    const size_t slots = (size_t)p->schedule->slots;
    s->val = rc_prepared_array(&s->base, nnz, sizeof *s->val, "values of a matrix", err);
    s->row = rc_prepared_array(&s->base, slots, sizeof *s->row, "rows of the slots", err);
    RC_PASS(s->val && s->row ? RC_OK : RC_ENOMEM);
    rc_places_read(p, s->val);
    for (size_t e = 0; e < nnz; e++)
        s->val[e] = rc_precision_round(p->precision, s->val[e]);
    if (slots > 0)
        memcpy(s->row, p->schedule->row, slots * sizeof *s->row);
    return rc_aspt_cut_entries(p, s->base.memory.x->threads, &s->cut, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    static void (*const all[])(const aspt_sddmm_t *, const rc_operands_t *, double, double) =
        RC_INSTANCES(all);
    const aspt_sddmm_t *s = state;
    all[s->base.p.precision](s, o, alpha, beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_aspt_sddmm = {
    .name = "aspt-sddmm",
    .summary = "O = A .* (Y X') by the tiles of aspt (the reference of the GPU's)",
    .source = "Hong et al. 2019, doi:10.1145/3293883.3295712; Jiang et al. 2020, "
              "doi:10.1145/3332466.3374546",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .types = RC_TYPES_REAL,
    .out_sums = 1,
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .format = "aspt",
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .strict = rc_kernel_always,
    .for_testing = 1,
    .any_k = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_ASPT_PARAMS},
    .identify = rc_aspt_identify,
    .analyse = analyse,
    .geometry = rc_cpu_geometry,
    .state_bytes = RC_STATE(aspt_sddmm_t),
    .build = build,
    .run = run,
    .drop = drop,
};
