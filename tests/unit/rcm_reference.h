/* Reverse Cuthill-McKee from its definition, by brute force. */
#ifndef RC_TESTS_RCM_REFERENCE_H
#define RC_TESTS_RCM_REFERENCE_H

#include "rowcast.h"

/* Entries between each two vertices, [rows * rows]; free with free(). */
int *weights_reference(const rc_csr_t *a);

/* The Cuthill-McKee order of a graph of weights [n * n], 0 for no edge, not reversed.  O(n^3). */
void cuthill_mckee_reference(int n, const int *weight, int32_t *order);

/* The order of a square matrix: order[p] is the row (and column) at position p.  O(rows^3). */
void rcm_reference(const rc_csr_t *a, int32_t *order);

#endif
