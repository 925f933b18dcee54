/* Reverse Cuthill-McKee from its definition, by brute force. */
#ifndef RC_TESTS_RCM_REFERENCE_H
#define RC_TESTS_RCM_REFERENCE_H

#include "rowcast.h"

/* The order of a square matrix: order[p] is the row (and column) at position p.  O(rows^3). */
void rcm_reference(const rc_csr_t *a, int32_t *order);

#endif
