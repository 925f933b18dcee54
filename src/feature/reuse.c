#include "config.h"
#include "feature/reuse.h"

#include <math.h>

double rc_reuse_ns(const rc_reuse_device_t *d, const rc_reuse_product_t *p, double share)
{
    enum { index_bytes = 4 };
    double width = p->value_bytes * p->k;
    double b = p->cols * width;
    double missed = b > d->l2_bytes ? 1 - d->l2_bytes / b : 0;
    double gathered = p->entries * fmax(width, d->line) / share;
    double moved =
        p->entries * (index_bytes + p->value_bytes) + b + p->rows * width + missed * gathered;
    return d->launch_ns + fmax(moved / d->dram, gathered / d->l2);
}
