/* What orders built on a GPU take, and what they gain a product, on large matrices. */
#ifndef RC_TESTS_ORDER_TIMES_H
#define RC_TESTS_ORDER_TIMES_H

#include "device/cuda/executor.h"
#include "order/local.h"

/* A row order on the GPU, on a pattern that is uploaded; free with gpu_pattern_free. */
typedef struct gpu_pattern {
    rc_executor_t *x;
    const rc_csr_t *a;
    void *row_ptr; /* device */
    void *col_idx;
    void *slots; /* [rows] */
    int32_t *row; /* [rows] host: the last order */
} gpu_pattern_t;

gpu_pattern_t gpu_pattern_new(rc_executor_t *x, const rc_csr_t *a);
void gpu_pattern_free(gpu_pattern_t *g);

/* Ask for an order; \return the status. */
rc_status_t gpu_order_ask(gpu_pattern_t *g, const char *policy, rc_err_t *err);
/* Build an order and fetch it. */
void gpu_order(gpu_pattern_t *g, const char *policy);

/* What samples say. */
void gpu_sample(gpu_pattern_t *g, rc_local_samples_t *out);

/* Rows and columns in random orders, the same one (of square matrices) or each its own.
 * \param[out] place  NULL, or [rows]: the shuffled row that row p became */
rc_csr_t shuffled(const rc_csr_t *a, int apart, int32_t *place);

/* Print a table for each matrix: a generator spec or "communities:ROWS".  "alike", "apart" and "natural" between
 * them say how rows and columns are shuffled from there on.  ROWCAST_GPU_ORDERS: a text with the only orders, which
 * may be some that only the host builds: lpt, rcm, community, metis, cta-near and more.
 * \return exit status */
int order_times(rc_executor_t *x, struct CUstream_st *stream, int count, char **spec);

#endif
