/* O_e = alpha A_e <Y_i, X_j> + beta O_e, in the order of the original entries whatever the schedule.
 */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/kernel.h"
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

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    void *plain = NULL;
    void *first = NULL;
    size_t slots = (size_t)p->schedule->slots;
    rc_status_t st = RC_OK;
    RC_TRY(rc_gplain_prepare(x, p, analysis, &plain, err));
    if (!p->identity) {
        rc_gplain_t *s = plain;
        first = rc_alloc(slots, number_bytes(p), "first entries of the slots", err);
        RC_TRY(first ? RC_OK : RC_ENOMEM);
        list_first(p, first);
        RC_TRY(rc_cuda_copy(x, first, slots * number_bytes(p), &s->first, err));
    }
    *state = plain;
    plain = NULL;
done:
    free(first);
    rc_gplain_release(plain);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_gplain_t *s = state;
    int before = rc_cuda_enter(s->x);
    rc_status_t st = rc_gplain_sddmm(s, o, alpha, beta, err);
    rc_cuda_leave(s->x, before);
    return st;
}

const rc_kernel_t rc_kernel_gplain_sddmm = {
    .name = "gplain-sddmm",
    .summary = "plain sampled dense x dense on a GPU, row-major: a warp per row, lanes along K",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SDDMM,
    .layout = RC_ROW_MAJOR,
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .strict = rc_kernel_always,
    .deterministic = rc_kernel_always,
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = rc_gplain_release,
};
