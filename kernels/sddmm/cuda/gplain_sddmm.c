/* O_e = alpha A_e <Y_i, X_j> + beta O_e, in the order of the original entries whatever the
 * schedule. / */
#include "config.h"
#include "base/error.h"
#include "kernels/testing/gplain.h"

#include <stdlib.h>

/* Bytes of the number of an entry. */
static size_t number_bytes(const rc_problem_t *p)
{
    return rc_cuda_slots_wide(p) ? sizeof(int64_t) : sizeof(int32_t);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_analyse(p, out, err);
    if (st < 0 || p->identity)
        return st;
    int64_t first = p->schedule->slots * (int64_t)number_bytes(p);
    out->bytes = rc_sat_add(out->bytes, first);
    out->traffic = rc_sat_add(out->traffic, first);
    return RC_OK;
}

/* Numbers of the first entries of the slots.  \param[out] out  [slots]; that of a pad is 0 */
static void list_first(const rc_problem_t *p, void *out)
{
    int wide = rc_cuda_slots_wide(p);
    for (int64_t i = 0; i < p->schedule->slots; i++) {
        int64_t r = p->schedule->row[i];
        int64_t first = r < 0 ? 0 : p->a->row_ptr[r];
        if (wide)
            ((int64_t *)out)[i] = first;
        else
            ((int32_t *)out)[i] = (int32_t)first;
    }
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_gplain_t *s = state;
    rc_keeping_t k = rc_keep_begin(&s->base.memory, p, err);
    size_t slots = (size_t)p->schedule->slots;
    RC_PASS(rc_gplain_build(state, p, analysis, err));
    if (p->identity)
        return RC_OK;
    void *first = rc_keep_host(&k, slots, number_bytes(p), "first entries of the slots");
    if (first)
        list_first(p, first);
    s->first = rc_keep_array(&k, first, slots, number_bytes(p));
    free(first);
    return k.st;
}

const rc_kernel_t rc_kernel_gplain_sddmm = {
    .name = "gplain-sddmm",
    .summary = "plain sampled dense x dense on a GPU, row-major: a warp per row, lanes along K",
    .source = "rowcast",
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .c_orders = RC_STORES_ORIGINAL,
    .deterministic = rc_kernel_always,
    .analyse = analyse,
    RC_GPLAIN_MEMBERS(rc_gplain_sddmm),
    .build = build,
};
