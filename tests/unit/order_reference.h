/* Slow, independent definitions of the row orders, over dense masks, for tests and benchmarks. */
#ifndef RC_TESTS_ORDER_REFERENCE_H
#define RC_TESTS_ORDER_REFERENCE_H

#include "rowcast.h"

/* Build the slots of a greedy policy, by trying every unplaced row for every slot, straight from
 * the definition.  slot has room for a->rows.  Returns 0 without memory or for another policy. */
int reference_order(const char *policy, const rc_csr_t *a, const rc_geometry_t *g, int32_t *slot);

#endif
