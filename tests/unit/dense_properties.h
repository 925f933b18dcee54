/* What the dense operations of any device must do, whichever it is. */
#ifndef RC_TESTS_DENSE_PROPERTIES_H
#define RC_TESTS_DENSE_PROPERTIES_H

#include "device/device.h"
#include "kernels/kernel.h"

/* Values of the generator in the right places, nothing written elsewhere. */
void check_dense_random(rc_device_t *d);

/* Every value is the poison, but for cleared rows; nothing written elsewhere. */
void check_dense_poison(rc_device_t *d);

/* Sums against a naive loop in fp64; what is planted is found, and nothing else. */
void check_dense_project(rc_device_t *d);

/* Single values, again and in any order. */
void check_dense_gather(rc_device_t *d);

/* A seeded matrix on the device; release data. */
rc_dense_t random_dense(rc_device_t *d, int64_t rows, int64_t cols, rc_precision_t precision,
    rc_layout_t layout, uint64_t seed);

/* Seeded signs; free. */
double *random_signs(int64_t n);

#endif
