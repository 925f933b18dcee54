/* Matrices that several benchmarks go through. */
#ifndef RC_TESTS_BENCH_MATRICES_H
#define RC_TESTS_BENCH_MATRICES_H

#include "rowcast.h"

/* The matrix of a generator's spec.  0: there is none, and why was said.  Free with rc_csr_free. */
int bench_generated(const char *spec, rc_csr_t *a);

/* What is done with a matrix. */
typedef void bench_use_t(void *of, const char *name, const rc_csr_t *a);

/* Go through the real matrices of a folder that have at least so many entries and at most so many rows.
 * \return how many there were; 0 also without such a folder */
int64_t bench_each_in(const char *folder, int64_t entries, int64_t rows, bench_use_t *use, void *of);

/* The same of ROWCAST_SHARED/matrices. */
int64_t bench_each_real(int64_t entries, int64_t rows, bench_use_t *use, void *of);

#endif
