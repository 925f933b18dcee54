/* A matrix on a GPU as a program has it, and plans of it that are timed and checked: for bench_plans. */
#ifndef RC_TESTS_BENCH_PLANS_SUBJECT_H
#define RC_TESTS_BENCH_PLANS_SUBJECT_H

#include "device/device.h"

enum { BENCH_KS_MOST = 4 };

/* The numbers of columns that a matrix is multiplied by. */
typedef struct bench_ks {
    int n;
    int64_t k[BENCH_KS_MOST]; /* [n] the greatest comes last */
} bench_ks_t;
extern const bench_ks_t bench_ks_usual;  /* 8, 32, 128, 512 */
extern const bench_ks_t bench_ks_pruned; /* 64, 512, 4096 */

typedef struct bench_subject {
    const char *name;
    rc_device_t *d;
    struct CUstream_st
        *stream;              /* of the device: plans run on it, so that its gate holds them back */
    const rc_csr_t *a;        /* on the host, for the check; borrowed */
    rc_precision_t precision; /* of all values */
    void *array[3];           /* row pointers and columns of 32 bits, values, on the GPU */
    rc_plan_matrix_t m;       /* of these */
    const bench_ks_t *ks;
    void *b; /* [cols * greatest K] */
    void *c; /* [rows * greatest K] */
    double vendor_us[BENCH_KS_MOST]; /* of the fastest product of cuSPARSE; 0: not measured yet */
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
    int rounds; /* as in bench_multiply_t */
} bench_ask_t;

/* \param[in] a   with values, borrowed until it is closed
 * \param[in] ks  likewise */
rc_status_t bench_subject_open(rc_device_t *d, const char *name, const rc_csr_t *a,
    rc_precision_t precision, const bench_ks_t *ks, bench_subject_t *s, rc_err_t *err);
void bench_subject_close(bench_subject_t *s);

/* Bytes of the matrix as a program has it. */
int64_t bench_subject_bytes(const bench_subject_t *s);

/* \param[out] ms  wall clock of making it; may be NULL */
rc_status_t bench_plan(
    bench_subject_t *s, const bench_ask_t *ask, rc_plan_t **plan, double *ms, rc_err_t *err);

/* A product of a subject by whatever multiplies. */
typedef struct bench_multiply {
    rc_launch_fn *launch; /* c = A b on the stream of the subject */
    void *state;
    rc_dense_t b; /* of the subject, with K columns */
    rc_dense_t c;
    int rounds; /* 1: sums may be rounded to the type of values on the way, as cuSPARSE does */
} bench_multiply_t;

/* Its operands, and what is launched. */
bench_multiply_t bench_multiply_of(
    const bench_subject_t *s, int64_t k, rc_layout_t layout, rc_launch_fn *launch, void *state);

/* Time of it in us, once it was checked: sampled values against fp64.
 * \param[in] limit  one that takes longer is timed once; 0: none is
 * \return RC_EFORMAT: it is wrong, and the text says where */
rc_status_t bench_multiply_us(
    bench_subject_t *s, const bench_multiply_t *m, double limit, double *us, rc_err_t *err);

/* The same of a plan. */
rc_status_t bench_product_us(bench_subject_t *s, rc_plan_t *plan, const bench_ask_t *ask, int64_t k,
    double limit, double *us, rc_err_t *err);

/* Find vendor_us: of all algorithms and layouts, preprocessing done. */
rc_status_t bench_vendor(bench_subject_t *s, rc_err_t *err);

#endif
