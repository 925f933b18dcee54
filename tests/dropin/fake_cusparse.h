/** \file tests/dropin/fake_cusparse.h  What the fake cuSPARSE counts. */
#ifndef RC_TESTS_DROPIN_FAKE_CUSPARSE_H
#define RC_TESTS_DROPIN_FAKE_CUSPARSE_H

#include <cusparse.h>

/** What cusparseSpMM was called with. */
typedef struct fake_call {
    cusparseHandle_t handle;
    cusparseOperation_t op_a;
    cusparseOperation_t op_b;
    const void *alpha;
    cusparseConstSpMatDescr_t a;
    cusparseConstDnMatDescr_t b;
    const void *beta;
    cusparseDnMatDescr_t c;
    cudaDataType type;
    cusparseSpMMAlg_t alg;
    void *buffer;
} fake_call_t;

/** What cusparseSpMV was called with. */
typedef struct fake_vector_call {
    cusparseHandle_t handle;
    cusparseOperation_t op_a;
    const void *alpha;
    cusparseConstSpMatDescr_t a;
    cusparseConstDnVecDescr_t x;
    const void *beta;
    cusparseDnVecDescr_t y;
    cudaDataType type;
    cusparseSpMVAlg_t alg;
    void *buffer;
} fake_vector_call_t;

typedef struct fake_counts {
    int spmm;
    int spmv;
    int sddmm;
    int buffer_size;
    int preprocess;
    int destroyed;
    int set_pointers;
    int refuses; /**< told: no product is supported */
    fake_call_t last;
    fake_vector_call_t last_vector;
} fake_counts_t;

fake_counts_t *fake_counts(void);

#endif
