/** \file feature/reuse.h  What a product is expected to take on a GPU where so many entries share a
 *  load of a row of B: by sizes and rates alone.  The features of the set `regime` say how many. */
#ifndef RC_FEATURE_REUSE_H
#define RC_FEATURE_REUSE_H

#include <stdint.h>

/** A GPU as the rule sees it.  Bytes per ns are GB/s. */
typedef struct rc_reuse_device {
    double l2_bytes;
    double dram; /**< bytes per ns from memory */
    double l2;   /**< and from the L2 */
    double line; /**< bytes that an access moves at least */
    double launch_ns;
} rc_reuse_device_t;

/** A product with B by rows. */
typedef struct rc_reuse_product {
    double rows;
    double cols;
    double entries;
    double k;
    double value_bytes;
} rc_reuse_product_t;

/** Time in ns where `share` entries share a load of B:
 *  launch + max((A + B + C + m g) / dram, g / l2), with g = entries max(line, bytes of a row of B)
 *  / share, and m = max(0, 1 - L2 / B) of it from memory. */
double rc_reuse_ns(const rc_reuse_device_t *d, const rc_reuse_product_t *p, double share);

#endif
