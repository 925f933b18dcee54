/** \file format/bsr.h  A matrix in slot order as square blocks, on the host. */
#ifndef RC_FORMAT_BSR_H
#define RC_FORMAT_BSR_H

#include "format/problem.h"

enum { RC_BSR_BLOCK_MAX = 32 };

/** Block rows of `block` consecutive slots; only blocks with an entry are stored. */
typedef struct rc_bsr {
    int64_t block;
    int64_t block_rows; /**< the last one may hold slots that do not exist: zeros */
    int64_t blocks;
    int32_t *ptr; /**< [block_rows + 1] */
    int32_t *col; /**< [blocks] block columns, increasing in a block row */
    /** [blocks * block * block] places of values (format/places.h), each block row-major */
    void *entry;
    int entry_bytes;
} rc_bsr_t;

/** Bytes of a matrix as BSR with that many blocks, and as CSR with 32-bit pointers; INT64_MAX when
 *  they overflow. */
int64_t rc_bsr_bytes(const rc_problem_t *p, int64_t block, int64_t blocks);
int64_t rc_bsr_csr_bytes(const rc_problem_t *p);

/** Count the blocks until they exceed a bound.
 *  \param[out] block_rows  that were counted; all of them when the result is within the bound
 *  \return the blocks of those rows.  Cost O(nnz + block * result). */
int64_t rc_bsr_count(const rc_problem_t *p, int64_t block, int64_t most, int64_t *block_rows);

/** \param[in] block  1 to RC_BSR_BLOCK_MAX  \param[in] threads  >= 1  \param[out] out  free with
 *  rc_bsr_free  \return RC_OK, RC_ENOMEM, RC_ENOTSUP (more than INT32_MAX blocks) */
rc_status_t rc_bsr_build(
    const rc_problem_t *p, int64_t block, int threads, rc_bsr_t *out, rc_err_t *err);
void rc_bsr_free(rc_bsr_t *b);

#endif
