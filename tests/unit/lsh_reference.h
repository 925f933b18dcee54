/* The order lsh as Jiang et al. 2020 and the notes in src/order define it, written for plainness: all
 * signatures, a table of all pairs, and a search for the best pair in each step. */
#ifndef RC_TESTS_LSH_REFERENCE_H
#define RC_TESTS_LSH_REFERENCE_H

#include "order/lsh.h"

/* \param[out] row  [a->rows] row of each slot */
void lsh_reference(
    const rc_csr_t *a, const rc_lsh_rule_t *rule, int32_t *row, rc_lsh_facts_t *facts);

/* Algorithm 3 alone, of the pairs x < y with queue[x * rows + y] >= 0, their similarity (-1: none).
 * \param[in,out] parent, size  [rows] of the clusters; changed, like queue */
void merge_reference(
    const rc_csr_t *a, int64_t size, double *queue, int64_t *parent, int64_t *members);

/* Jaccard similarity of two rows, by looking for each column. */
double similarity_reference(const rc_csr_t *a, int64_t x, int64_t y);

#endif
