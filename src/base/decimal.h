/** \file base/decimal.h  Numbers as text: what printf writes, in a fraction of its time, for tables
 *  of millions of cells. */
#ifndef RC_BASE_DECIMAL_H
#define RC_BASE_DECIMAL_H

#include <stdint.h>

/** Bytes that any number takes, the NUL included. */
enum { RC_DECIMAL_BYTES = 40, RC_DECIMAL_MOST = 17 };

/** The nearest number of n significant digits to |x|, as printf rounds it.
 *  \param[in]  x      finite
 *  \param[in]  n      1 .. RC_DECIMAL_MOST
 *  \param[out] power  of ten that the first digit stands for; 0 for 0
 *  \return n digits, the first of which is not 0; 0 for 0 */
uint64_t rc_decimal(double x, int n, int *power);

/** "%.*g" of n digits.  \param[in] x  finite  \param[out] text  [RC_DECIMAL_BYTES] */
void rc_decimal_real(double x, int n, char *text);

/** "%PRId64".  \param[out] text  [RC_DECIMAL_BYTES] */
void rc_decimal_int(int64_t x, char *text);

#endif
