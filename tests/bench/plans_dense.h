/* The product with A as a dense matrix, by cuBLAS: what pruned weights are held against in bench_plans. */
#ifndef RC_TESTS_BENCH_PLANS_DENSE_H
#define RC_TESTS_BENCH_PLANS_DENSE_H

#include "plans_subject.h"

/* cuBLAS, which is opened at run time, and the dense A of a subject. */
typedef struct bench_dense bench_dense_t;

/* \return RC_OK; RC_ENOTSUP: there is no cuBLAS */
rc_status_t bench_dense_is_there(rc_err_t *err);

/* \param[in] s  borrowed until it is closed
 * \return RC_OK, RC_ENOTSUP, RC_ENOMEM, RC_EDEVICE.  Free with bench_dense_close */
rc_status_t bench_dense_open(bench_subject_t *s, bench_dense_t **out, rc_err_t *err);
void bench_dense_close(bench_dense_t *d);

/* As bench_multiply_us, of B and C by rows. */
rc_status_t bench_dense_us(bench_dense_t *d, int64_t k, double *us, rc_err_t *err);

#endif
