/** \file dropin/real.h  The program's own cuSPARSE. */
#ifndef RC_DROPIN_REAL_H
#define RC_DROPIN_REAL_H

#include <cusparse.h>

/** Its functions, by the names that they have there.  Descriptors are read with them, never looked
 *  into. */
typedef struct rc_real {
    __typeof__(&cusparseSpMM) SpMM;
    __typeof__(&cusparseSpMM_bufferSize) SpMM_bufferSize;
    __typeof__(&cusparseSpMM_preprocess) SpMM_preprocess;
    __typeof__(&cusparseDestroySpMat) DestroySpMat;
    __typeof__(&cusparseCsrSetPointers) CsrSetPointers;
    __typeof__(&cusparseSpMatGetFormat) SpMatGetFormat;
    __typeof__(&cusparseSpMatGetStridedBatch) SpMatGetStridedBatch;
    __typeof__(&cusparseConstCsrGet) ConstCsrGet;
    __typeof__(&cusparseConstDnMatGet) ConstDnMatGet;
    __typeof__(&cusparseDnMatGetStridedBatch) DnMatGetStridedBatch;
    __typeof__(&cusparseGetStream) GetStream;
    __typeof__(&cusparseGetPointerMode) GetPointerMode;
    int reads; /**< 1: all that descriptors are read with is there */
} rc_real_t;

/** Looked up once: behind this library, else in a cuSPARSE that is loaded, else in one that can be.
 *  A function that is in none is NULL. */
const rc_real_t *rc_real(void);

#endif
