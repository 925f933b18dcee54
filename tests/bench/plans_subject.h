/* A matrix on a GPU as a program has it, and plans of it that are timed and checked: for bench_plans. */
#ifndef RC_TESTS_BENCH_PLANS_SUBJECT_H
#define RC_TESTS_BENCH_PLANS_SUBJECT_H

#include "device/device.h"

enum { BENCH_KS = 4, BENCH_K_MOST = 512 };
extern const int64_t bench_ks[BENCH_KS]; /* 8, 32, 128, 512 */

typedef struct bench_subject {
    const char *name;
    rc_device_t *d;
    struct CUstream_st
        *stream;              /* of the device: plans run on it, so that its gate holds them back */
    const rc_csr_t *a;        /* on the host, for the check; borrowed */
    rc_precision_t precision; /* of all values */
    void *array[3];           /* row pointers and columns of 32 bits, values, on the GPU */
    rc_plan_matrix_t m;       /* of these */
    void *b;                  /* [cols * BENCH_K_MOST] */
    void *c;                  /* [rows * BENCH_K_MOST] */
    double vendor_us[BENCH_KS]; /* of the fastest product of cuSPARSE; 0: not measured yet */
} bench_subject_t;

/* What of a plan is asked for. */
typedef struct bench_ask {
    rc_layout_t layout;
    const int64_t *k; /* [ks] */
    int ks;
    const char *kernels; /* as in rc_plan_options_t, likewise the next ones */
    const char *orders;
    int tune;
    int64_t tune_ns;
    int rounds; /* 1: sums may be rounded to the type of values on the way, as cuSPARSE does */
} bench_ask_t;

/* \param[in] a  with values, borrowed until it is closed */
rc_status_t bench_subject_open(rc_device_t *d, const char *name, const rc_csr_t *a,
    rc_precision_t precision, bench_subject_t *s, rc_err_t *err);
void bench_subject_close(bench_subject_t *s);

/* Bytes of the matrix as a program has it. */
int64_t bench_subject_bytes(const bench_subject_t *s);

/* \param[out] ms  wall clock of making it; may be NULL */
rc_status_t bench_plan(
    bench_subject_t *s, const bench_ask_t *ask, rc_plan_t **plan, double *ms, rc_err_t *err);

/* Time of a product in us, once it was checked: sampled values against fp64.
 * \param[in] limit  one that takes longer is timed once; 0: none is
 * \return RC_EFORMAT: it is wrong, and the text says where */
rc_status_t bench_product_us(bench_subject_t *s, rc_plan_t *plan, const bench_ask_t *ask, int64_t k,
    double limit, double *us, rc_err_t *err);

/* Find vendor_us: of all algorithms and layouts, preprocessing done. */
rc_status_t bench_vendor(bench_subject_t *s, rc_err_t *err);

#endif
