/* ROWCAST_TRUST=preprocess: between two calls of cusparseSpMM_preprocess a descriptor's pattern
 * stays. */
#include "config.h"
#include "dropin/dropin.h"

void rc_distrust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr)
{
    for (int i = 0; i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].descr == descr)
            d->trusted[i] = (rc_trusted_t){0};
}

void rc_trust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr, const rc_spmm_t *p)
{
    rc_distrust(d, descr);
    for (int i = 0; i < RC_TRUSTED_MOST; i++)
        if (!d->trusted[i].descr) {
            d->trusted[i] = (rc_trusted_t){descr, p->a.row_ptr, p->a.col_idx, NULL, 0};
            return;
        }
}

rc_trusted_t *rc_trust_find(rc_dropin_t *d, cusparseConstSpMatDescr_t descr, const rc_spmm_t *p)
{
    for (int i = 0; d->settings.trust && descr && i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].descr == descr && d->trusted[i].row_ptr == p->a.row_ptr &&
            d->trusted[i].col_idx == p->a.col_idx)
            return &d->trusted[i];
    return NULL;
}
