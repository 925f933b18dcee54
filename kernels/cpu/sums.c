#include "config.h"
#include "kernels/cpu/sums.h"
#include "base/error.h"
#include "base/type.h"

int64_t rc_c_sums_bytes(const rc_problem_t *p, int64_t rows)
{
    const rc_precision_t sum = rc_type(p->precision)->sum;
    return sum == rc_type_out(p->precision, p->out_sums) ? 0
                                                         : rc_sat_mul(rows, rc_type(sum)->bytes);
}

rc_status_t rc_c_sums_own(rc_prepared_t *s, int64_t rows, void **out, rc_err_t *err)
{
    const size_t row = (size_t)rc_c_sums_bytes(&s->p, rows);
    *out = NULL;
    if (row == 0)
        return RC_OK;
    *out = rc_prepared_array(s, (size_t)s->p.k, row, "sums", err);
    return *out ? RC_OK : RC_ENOMEM;
}

rc_c_sums_t rc_c_sums_of(void *own, const rc_dense_t *c)
{
    return own ? (rc_c_sums_t){.data = own, .ld = c->cols, .apart = 1}
               : (rc_c_sums_t){.data = c->data, .ld = c->ld};
}
