/** \file base/value/complex.h  Complex numbers of two parts, and their products.
 *
 *  A product is that of the parts, with the infinities and NaN that IEEE arithmetic has there: as
 *  BLAS, NumPy and cuSPARSE multiply.  The operator of C searches for infinities that got lost
 *  (Annex G), by a call for each product. */
#ifndef RC_BASE_COMPLEX_H
#define RC_BASE_COMPLEX_H

#include <complex.h>

/** Kernels are made of these: a call for each value would be most of their time. */
#define RC_COMPLEX_INLINE __attribute__((always_inline)) static inline

RC_COMPLEX_INLINE float _Complex rc_c64_of(float re, float im)
{
    return __builtin_complex(re, im); /* CMPLXF, which C libraries have for GCC alone */
}

RC_COMPLEX_INLINE double _Complex rc_c128_of(double re, double im)
{
    return __builtin_complex(re, im);
}

RC_COMPLEX_INLINE float _Complex rc_c64_times(float _Complex a, float _Complex b)
{
    return rc_c64_of(crealf(a) * crealf(b) - cimagf(a) * cimagf(b),
        crealf(a) * cimagf(b) + cimagf(a) * crealf(b));
}

RC_COMPLEX_INLINE double _Complex rc_c128_times(double _Complex a, double _Complex b)
{
    return rc_c128_of(
        creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

/** x times a factor of a run: a real one multiplies either part, so that an infinite part leaves
 *  the other one alone. */
RC_COMPLEX_INLINE float _Complex rc_c64_scaled(float _Complex factor, float _Complex x)
{
    return cimagf(factor) == 0 ? rc_c64_of(crealf(factor) * crealf(x), crealf(factor) * cimagf(x))
                               : rc_c64_times(factor, x);
}

RC_COMPLEX_INLINE double _Complex rc_c128_scaled(double _Complex factor, double _Complex x)
{
    return cimag(factor) == 0 ? rc_c128_of(creal(factor) * creal(x), creal(factor) * cimag(x))
                              : rc_c128_times(factor, x);
}

#endif
