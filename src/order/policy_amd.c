/* amd: approximate minimum degree, a symmetric order that keeps the fill of a factorisation low
 * (Amestoy, Davis and Duff 1996, 2004), by AMD of SuiteSparse with its defaults, on the pattern of
 * A + A' without the diagonal.  The same for every number of threads; another version of the
 * library may give another order.  Cost: nearly linear in nnz for meshes. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <suitesparse/amd.h>

static rc_status_t order(const rc_csr_t *a, const int32_t *ptr, int32_t *row, rc_err_t *err)
{
    static const int32_t none[1] = {0}; /* a matrix without entries may have no array, which AMD
                                           refuses */
    double control[AMD_CONTROL];
    double info[AMD_INFO];
    amd_defaults(control);
    /* rows of A are taken for columns: A + A' is the same */
    int st = amd_order((int32_t)a->rows, ptr, a->col_idx ? a->col_idx : none, row, control, info);
    if (st == AMD_OUT_OF_MEMORY)
        return rc_fail(err, RC_ENOMEM, "no memory for AMD");
    if (st != AMD_OK && st != AMD_OK_BUT_JUMBLED)
        return rc_fail(err, RC_EINVAL, "AMD refused the matrix, status %d", st);
    return RC_OK;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    if (a->nnz > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP, "AMD takes at most %d entries, the matrix has %" PRId64,
            INT32_MAX, a->nnz);
    int32_t *ptr = rc_alloc((size_t)a->rows + 1, sizeof *ptr, "row pointers", err);
    RC_PASS(ptr ? RC_OK : RC_ENOMEM);
    for (int64_t r = 0; r <= a->rows; r++)
        ptr[r] = (int32_t)a->row_ptr[r];
    rc_status_t st = rc_schedule_alloc(a->rows, a->rows, out, err);
    if (st == RC_OK && a->rows > 0)
        st = order(a, ptr, out->row, err);
    if (st == RC_OK)
        st = rc_schedule_symmetric(out, err);
    free(ptr);
    return st;
}

const rc_policy_t rc_policy_amd = {
    .name = "amd",
    .summary = "approximate minimum degree: rows and columns for low fill",
    .source = "Amestoy, Davis and Duff 1996; AMD of SuiteSparse",
    .version = 1,
    .columns = 1,
    .on_request = 1,
    .build = build,
};
