/** \file tests/dropin/blas.h  The vectors of a solver, on a GPU or on a CPU as memory.h.  Calls are put on the stream; those
 *  that return a number wait for it. */
#ifndef RC_TESTS_DROPIN_BLAS_H
#define RC_TESTS_DROPIN_BLAS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

double blas_dot(int64_t n, const double *x, const double *y, void *stream);
/** y = a x + b y; 0 y is 0. */
void blas_add(int64_t n, double a, const double *x, double b, double *y, void *stream);
/** y = x / d */
void blas_divide(int64_t n, const double *x, const double *d, double *y, void *stream);
/** y = max(0, x - c) */
void blas_above(int64_t n, const double *x, const double *c, double *y, void *stream);
/** The primal step: x goes to max(0, x - t (c - g)), and bar is that and what it moved by. */
void blas_primal(int64_t n, const double *t, const double *c, const double *g, double *x, double *bar, void *stream);
/** The dual step: y goes to y + s (b - g). */
void blas_dual(int64_t n, const double *s, const double *b, const double *g, double *y, void *stream);

#ifdef __cplusplus
}
#endif
#endif
