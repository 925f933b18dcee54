/** \file dropin/product.h  From a call of a program to a product that a plan or a kernel of ours
 *  can do, or why not. */
#ifndef RC_DROPIN_PRODUCT_H
#define RC_DROPIN_PRODUCT_H

#include "dropin/engine.h"

#include <cusparse.h>

/** Functions of the program's own cuSPARSE, by their names there.  Descriptors are read with them,
 *  never looked into. */
typedef struct rc_real {
    __typeof__(&cusparseSpMM) SpMM;
    __typeof__(&cusparseSpMM_bufferSize) SpMM_bufferSize;
    __typeof__(&cusparseSpMM_preprocess) SpMM_preprocess;
    __typeof__(&cusparseSpMV) SpMV;
    __typeof__(&cusparseSpMV) SpMV_preprocess; /**< which older toolkits do not declare */
    __typeof__(&cusparseSDDMM) SDDMM;
    __typeof__(&cusparseDestroySpMat) DestroySpMat;
    __typeof__(&cusparseCsrSetPointers) CsrSetPointers;
    __typeof__(&cusparseCscSetPointers) CscSetPointers;
    __typeof__(&cusparseCooSetPointers) CooSetPointers;
    __typeof__(&cusparseSpMatGetFormat) SpMatGetFormat;
    __typeof__(&cusparseSpMatGetStridedBatch) SpMatGetStridedBatch;
    __typeof__(&cusparseConstCsrGet) ConstCsrGet;
    __typeof__(&cusparseConstCscGet) ConstCscGet;
    __typeof__(&cusparseConstCooGet) ConstCooGet;
    __typeof__(&cusparseConstDnMatGet) ConstDnMatGet;
    __typeof__(&cusparseDnMatGetStridedBatch) DnMatGetStridedBatch;
    __typeof__(&cusparseConstDnVecGet) ConstDnVecGet;
    __typeof__(&cusparseGetStream) GetStream;
    __typeof__(&cusparseGetPointerMode) GetPointerMode;
    int reads; /**< 1: all that descriptors of CSR are read with is there */
} rc_real_t;

/** Looked up once: behind this library, else in a cuSPARSE that is loaded, else in one that can be.
 *  A function that is in none is NULL. */
const rc_real_t *rc_real(void);

/** Why cuSPARSE does a product. */
typedef enum rc_why {
    RC_WHY_PLAN = 0, /**< it does not */
    RC_WHY_OFF,
    RC_WHY_UNREADABLE,
    RC_WHY_OPERATION,
    RC_WHY_CONJUGATED,
    RC_WHY_FORMAT,
    RC_WHY_ROWS,
    RC_WHY_BASE,
    RC_WHY_ALGORITHM,
    RC_WHY_BITS,
    RC_WHY_TYPE,
    RC_WHY_MIXED,
    RC_WHY_BATCH,
    RC_WHY_SCALARS,
    RC_WHY_ALPHA,
    RC_WHY_BETA,
    RC_WHY_SHAPE,
    RC_WHY_ALIGNED,
    RC_WHY_SIZE,
    RC_WHY_STREAM,
    RC_WHY_CAPTURE,
    RC_WHY_MANY,
    RC_WHY_WATCHING,
    RC_WHY_MAKING,
    RC_WHY_TRYING,
    RC_WHY_SLOWER,
    RC_WHY_HOST,
    RC_WHY_NO_PLAN,
    RC_WHY_BUDGET,
    RC_WHY_CHANGES,
    RC_WHY_REFUSED,
    RC_WHYS
} rc_why_t;

/** For people. */
const char *rc_why_text(rc_why_t why);

/** A function that the drop-in stands in for. */
typedef struct rc_function {
    const char *name;
    const char *op; /**< "spmm"; NULL: there is none for that operation */
} rc_function_t;

/** \param[in] op  of rc_op_t */
const rc_function_t *rc_function(int op);

/** What a program passes to cusparseSpMM. */
typedef struct rc_spmm_call {
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
} rc_spmm_call_t;

/** Read a call.
 *  \param[in]  bits  1: other bits will do where cuSPARSE promises the same in each run
 *  \param[out] out   set with RC_WHY_PLAN  \return RC_WHY_PLAN, or what is not understood */
rc_why_t rc_product_read(
    const rc_real_t *real, const rc_spmm_call_t *call, int bits, rc_asked_t *out);

/** What a program passes to cusparseSpMV. */
typedef struct rc_spmv_call {
    cusparseHandle_t handle;
    cusparseOperation_t op_a;
    const void *alpha;
    cusparseConstSpMatDescr_t a;
    cusparseConstDnVecDescr_t x;
    const void *beta;
    cusparseDnVecDescr_t y;
    cudaDataType type;
    cusparseSpMVAlg_t alg;
} rc_spmv_call_t;

/** As rc_product_read. */
rc_why_t rc_product_read_spmv(
    const rc_real_t *real, const rc_spmv_call_t *call, int bits, rc_asked_t *out);

/** What a program passes to cusparseSDDMM. */
typedef struct rc_sddmm_call {
    cusparseHandle_t handle;
    cusparseOperation_t op_a;
    cusparseOperation_t op_b;
    const void *alpha;
    cusparseConstDnMatDescr_t a;
    cusparseConstDnMatDescr_t b;
    const void *beta;
    cusparseSpMatDescr_t c;
    cudaDataType type;
    cusparseSDDMMAlg_t alg;
} rc_sddmm_call_t;

/** As rc_product_read. */
rc_why_t rc_product_read_sddmm(
    const rc_real_t *real, const rc_sddmm_call_t *call, int bits, rc_asked_t *out);

#endif
