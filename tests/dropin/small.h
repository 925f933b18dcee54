/** \file tests/dropin/small.h  A small product of a program, and what the fakes say about it. */
#ifndef RC_TESTS_DROPIN_SMALL_H
#define RC_TESTS_DROPIN_SMALL_H

#include "fake_cusparse.h"
#include "fake_engine.h"
#include "values.h"

#include <stdint.h>

/** A 2 x 3 matrix and its operands. */
typedef struct small {
    cusparseHandle_t handle;
    int64_t ptr[3];
    int64_t idx[3];
    float val[3];
    float b[12];
    float c[8];
    float alpha;
    float beta;
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t db;
    cusparseDnMatDescr_t dc;
    cusparseDnVecDescr_t dx; /**< the first values of b */
    cusparseDnVecDescr_t dy; /**< the first of c */
    cudaDataType type;    /**< of A and B */
    cudaDataType c_type;
    cudaDataType compute;
    double stored[3][12]; /**< val, b and c in types that are not fp32 */
} small_t;

/** Print a line of TAP. */
void ok(int passed, const char *name);
/** The last line.  \return exit status */
int ok_end(void);

/** The one of ROWCAST_ENGINE. */
fake_engine_t *engine(void);

void small_new(small_t *s);
/** The same in other types.  \param[in] of  NULL, or whose arrays of the pattern are taken */
void small_typed(small_t *s, cudaDataType type, cudaDataType c_type, small_t *of);
void small_free(small_t *s);
cusparseStatus_t spmm(small_t *s, cusparseOperation_t op_a, cusparseOperation_t op_b, cudaDataType type, cusparseSpMMAlg_t alg);
/** That with ALG2 and nothing transposed. */
cusparseStatus_t plain(small_t *s);
/** 1: C is what cuSPARSE would have stored for the pattern as it is. */
int right(const small_t *s);
/** y = A x of fp32.  \return cuSPARSE's status */
cusparseStatus_t vector(small_t *s);
/** As right, of y. */
int right_vector(const small_t *s);
/** Products until a plan multiplies; 1: one does, and all were right. */
int until_plan(small_t *s, int most);

#endif
