/* One SpMM kernel of the CPU timed in the original order, as several benchmarks need it. */
#ifndef RC_TESTS_BENCH_PRODUCT_H
#define RC_TESTS_BENCH_PRODUCT_H

#include "device/device.h"
#include "kernels/kernel.h"

/* A and dense operands in fp32, packed in the layout of the kernel. */
typedef struct bench_product {
    const rc_csr_t *a;
    const rc_schedule_t *identity;
    int64_t k;
    float *b; /* [cols * k] */
    float *c; /* [rows * k] */
} bench_product_t;

/* Seconds of the fastest of so many products; negative with err set.
 * traffic: compulsory bytes of one product; may be NULL */
double bench_product_seconds(rc_device_t *d, const char *kernel, const bench_product_t *o, int rounds,
    int64_t *traffic, rc_err_t *err);

#endif
