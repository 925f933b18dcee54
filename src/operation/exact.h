/** \file operation/exact.h  How far a computed value may be from its exact one: the bound that
 *  verification uses, for every value type. */
#ifndef RC_OPERATION_EXACT_H
#define RC_OPERATION_EXACT_H

#include "operation/operation.h"

/** The largest error of a value: (terms + 1) s mag + e mag + terms t + c, 0 without terms.
 *
 *  Here s and t are the spacing of 1 and the least positive value of the type of sums, e and c
 *  those of the value type.  It follows from three steps of a kernel, with u = s / 2 and v = e / 2
 *  the unit roundoffs of both types:
 *
 *  1. operands are of the value type, and the exact value is the sum of their products: no error;
 *  2. products and sums are rounded to the type of sums.  In any order of summation the result is
 *     off by at most terms u mag (Jeannerod and Rump 2013, Improved error bounds for inner
 *     products; Higham 2002, section 3.1, to first order).  A product below the normal numbers adds
 *     t / 2 at most, a sum there is exact;
 *  3. that sum is rounded once to the value type: by v times its size, which mag (1 + terms u)
 *     bounds, or by c / 2 where it is subnormal.
 *
 *  The bound is twice the sum of these.  This covers units that truncate where they should round,
 *  and the rounding of the reference in fp64.  It has mag where step 3 has the value: a row in
 *  pieces that are rounded before they meet stays inside as a rule.
 *  \param[in] mag    sum of the absolute values of the terms
 *  \param[in] terms  that are added up */
double rc_exact_bound(rc_precision_t type, double mag, int64_t terms);

/** 1: a value of at most that size may be infinite in the type, once it is computed. */
int rc_exact_may_overflow(rc_precision_t type, double mag, int64_t terms);

/** Error of a computed value over its bound: at most 1 when it is right, INFINITY when no error is
 *  allowed.  Sums beyond the largest number are infinite, as cuSPARSE has it:
 *
 *  - an infinity or NaN that operands bring has to be found as it is;
 *  - |exact| - bound rounds to infinity: the infinity of that sign has to be found;
 *  - |exact| + bound does not overflow: a finite value within the bound has to be;
 *  - between both either may be.  A finite value is compared, an infinity says nothing;
 *  - a mag that overflows the type of sums: parts of a sum may be infinite and even meet as NaN.
 *    Then what is not finite says nothing.
 *  \return NaN: what was found says nothing of the kernel */
double rc_exact_error(rc_precision_t type, const rc_exact_t *want, double found);

#endif
