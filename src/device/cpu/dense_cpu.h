/** \file device/cpu/dense_cpu.h  The operations of a CPU on dense matrices, as rc_device declares
 *  them.  Every result is the same for any number of threads. */
#ifndef RC_DEVICE_CPU_DENSE_CPU_H
#define RC_DEVICE_CPU_DENSE_CPU_H

#include "device/device.h"

rc_status_t rc_cpu_dense_random(
    rc_device_t *d, const rc_dense_t *m, uint64_t seed, int64_t stride, int64_t j0, rc_err_t *err);

rc_status_t rc_cpu_dense_poison(
    rc_device_t *d, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err);

/** Column by column when column-major; when row-major eight interleaved sums, then these. */
rc_status_t rc_cpu_dense_project(rc_device_t *d, const rc_dense_t *m, const double *sign,
    double *sum, double *mag, unsigned char *found, rc_err_t *err);

rc_status_t rc_cpu_dense_gather(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err);

#endif
