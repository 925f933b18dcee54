/* The orders mincol, minlabel, labels, cells and multilevel, written plainly and anew from the tops of their files. */
#ifndef RC_TESTS_ORDER_LOCAL_REFERENCE_H
#define RC_TESTS_ORDER_LOCAL_REFERENCE_H

#include "rowcast.h"

/* Row of each slot; free with free(). */
int64_t *define_mincol(const rc_csr_t *a);
int64_t *define_minlabel(const rc_csr_t *a, int fine, int middle, int coarse);
int64_t *define_labels(const rc_csr_t *a, int rounds);
int64_t *define_cells(const rc_csr_t *a, int64_t size, int64_t branch, int rounds);
int64_t *define_multilevel(const rc_csr_t *a, int64_t size, int rounds);
int64_t *define_original(int64_t n);

/* What they stand on. */
uint32_t define_hash(uint32_t x);
int64_t define_length(const rc_csr_t *a, int64_t r); /* entries of a row that count */
int64_t *define_numbers(int64_t n, int64_t value);   /* [n + 1]; free with free() */

#endif
