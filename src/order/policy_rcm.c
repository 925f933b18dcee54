/* rcm: reverse Cuthill-McKee, a symmetric order (Cuthill and McKee 1969; George and Liu 1979 for
 * the root).  Of the pattern of A + A' without the diagonal, the degree of a row being the entries
 * of A between it and others (2 for a pair that is there both ways) [chosen]; the whole
 * Cuthill-McKee order is reversed.  Rules for ties, roots and components: order/rcm.h.  Rows alone
 * in their component keep their places among the components.  Cost O(nnz + rows log rows). */
#include "config.h"
#include "order/policy.h"
#include "order/rcm.h"

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    int64_t n = in->a->rows;
    rc_status_t st = rc_schedule_alloc(n, n, out, err);
    if (st == RC_OK)
        st = rc_reverse_cuthill_mckee(in->a, in->threads, out->row, err);
    return st == RC_OK ? rc_schedule_symmetric(out, err) : st;
}

const rc_policy_t rc_policy_rcm = {
    .name = "rcm",
    .summary = "reverse Cuthill-McKee: rows and columns near the diagonal",
    .source = "Cuthill and McKee 1969, section 3; George and Liu 1979",
    .version = 1,
    .columns = 1,
    .on_request = 1,
    .build = build,
};
