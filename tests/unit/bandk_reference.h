/* Band-k from its definition, by brute force. */
#ifndef RC_TESTS_BANDK_REFERENCE_H
#define RC_TESTS_BANDK_REFERENCE_H

#include "rowcast.h"

typedef struct bandk_reference {
    int32_t *order; /* position -> row */
    int groups[2];  /* super-rows, super-super-rows (0: none) */
    int *ptr[2];
} bandk_reference_t;

/* ssrs 0: no super-super-rows; band 1: runs of the reverse Cuthill-McKee order.  O(rows^3). */
void bandk_reference(const rc_csr_t *a, int srs, int ssrs, int band, bandk_reference_t *out);
void bandk_reference_free(bandk_reference_t *b);

#endif
