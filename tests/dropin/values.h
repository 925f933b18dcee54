/** \file tests/dropin/values.h  Values of the types that programs multiply in, written apart from those of the library. */
#ifndef RC_TESTS_DROPIN_VALUES_H
#define RC_TESTS_DROPIN_VALUES_H

#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

/** Of one value. */
size_t value_bytes(cudaDataType type);
/** What values of a type are summed in: fp32 for those of 16 bits. */
cudaDataType value_sum(cudaDataType type);
/** The distance from 1 to the next number, and the least number above 0. */
double value_eps(cudaDataType type);
double value_least(cudaDataType type);
/** 2 of complex numbers. */
int value_parts(cudaDataType type);
/** The real part. */
double value_load(const void *from, cudaDataType type, int64_t i);
/** Rounded to nearest, ties to even; an imaginary part is 0. */
void value_store(void *to, cudaDataType type, int64_t i, double value);
/** Rounded so. */
double value_round(cudaDataType type, double value);

/** Any number; a real one has no imaginary part. */
typedef struct number {
    double re;
    double im;
} number_t;

number_t number_load(const void *from, cudaDataType type, int64_t i);
/** Parts are rounded; of a real type the real one is stored. */
void number_store(void *to, cudaDataType type, int64_t i, number_t x);
number_t number_plus(number_t a, number_t b);
/** A real factor multiplies either part, so that an infinite part leaves the other one alone. */
number_t number_times(number_t a, number_t b);
number_t number_conjugate(number_t x);
/** |x| */
double number_size(number_t x);
int number_is_zero(number_t x);

#endif
