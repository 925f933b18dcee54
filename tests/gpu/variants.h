/* The parameter combinations of a kernel that tests and benchmarks go through. */
#ifndef RC_TESTS_GPU_VARIANTS_H
#define RC_TESTS_GPU_VARIANTS_H

#include "kernels/kernel.h"

typedef void variant_fn(const rc_kernel_spec_t *spec, void *user);

/* Calls fn for every combination of interesting values: all powers of two of a pow2 parameter, all
 * values of one with at most 8, else the default, its named values, and 1, 2, 7, 40, 3000 as far as they are legal.
 * Of more than 200 combinations those in which at most two parameters differ from their first value.  A text stays at
 * its default.
 * fixed: name of a parameter that stays at its default, or NULL. */
void for_each_variant(const rc_kernel_t *k, const char *fixed, variant_fn *fn, void *user);

/* The same, but 64 combinations at random of a kernel that has more than `most`. */
void for_some_variants(
    const rc_kernel_t *k, int64_t most, uint64_t seed, variant_fn *fn, void *user);

#endif
