/** \file tests/dropin/fake_cusparse.h  What the fake cuSPARSE counts. */
#ifndef RC_TESTS_DROPIN_FAKE_CUSPARSE_H
#define RC_TESTS_DROPIN_FAKE_CUSPARSE_H

#include "dropin/product.h"

typedef struct fake_counts {
    int spmm;
    int spmv;
    int sddmm;
    int buffer_size;
    int preprocess;
    int destroyed;
    int set_pointers;
    int refuses; /**< told: no product is supported */
    rc_spmm_call_t last; /**< that cusparseSpMM was called with */
    rc_spmv_call_t last_vector;
    void *buffer; /**< of the last of both */
} fake_counts_t;

fake_counts_t *fake_counts(void);

#endif
