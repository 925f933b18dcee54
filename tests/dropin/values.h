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
double value_load(const void *from, cudaDataType type, int64_t i);
/** Rounded to nearest, ties to even. */
void value_store(void *to, cudaDataType type, int64_t i, double value);
/** Rounded so. */
double value_round(cudaDataType type, double value);

#endif
