/** \file format/given.h  A matrix as a caller has it (rc_plan_matrix_t): what is asked of it, what
 *  is said where it is not so, and what is found out of it where it is. */
#ifndef RC_FORMAT_GIVEN_H
#define RC_FORMAT_GIVEN_H

#include "base/rng_hash.h"
#include "format/resident.h"
#include "rowcast_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A caller's matrix in the memory of an executor, checked. */
typedef struct rc_there {
    /** As CSR with ascending columns.  Arrays of the caller serve where they are so and begin at
     *  a multiple of 16 bytes, others are owned.  `val` is the caller's or NULL: values are then
     *  gathered (rc_executor_t.gather) from the caller's by `from` */
    rc_resident_t m;
    const void *from;   /**< [nnz] places (format/places.h) in the caller's arrays: number of an
                             entry plus one; NULL: entries are in their own places */
    int from_bytes;     /**< of one of them: 4 or 8 */
    uint64_t digest[2]; /**< rc_given_digest of it */
    int64_t longest;    /**< entries of the longest row */
    int64_t empty_rows; /**< how many */
} rc_there_t;

/** Release what is its own; a zeroed one is allowed.  Does not wait. */
void rc_there_free(rc_there_t *t);

/** Whether shape and widths are some, and the arrays are there.
 *  \return RC_OK, RC_ERANGE, RC_EINVAL */
rc_status_t rc_given_check(const rc_plan_matrix_t *m, rc_err_t *err);

/** The same without what is said of values. */
rc_status_t rc_given_check_pattern(const rc_plan_matrix_t *m, rc_err_t *err);

/** Bytes of one of m->col_idx. */
static inline int rc_given_col_bytes(const rc_plan_matrix_t *m)
{
    return m->col_idx_bytes == 8 ? 8 : 4;
}

/** Rows, of CSC columns: what pointers are of. */
static inline int64_t rc_given_majors(const rc_plan_matrix_t *m)
{
    return m->form == RC_PLAN_CSC ? m->cols : m->rows;
}

/** Columns, of CSC rows: what m->col_idx has numbers of. */
static inline int64_t rc_given_minors(const rc_plan_matrix_t *m)
{
    return m->form == RC_PLAN_CSC ? m->rows : m->cols;
}

/** Pointer r of a matrix of so many rows and entries can follow the one before it. */
RC_HOST_DEVICE static inline int rc_given_follows(
    int64_t r, int64_t rows, int64_t nnz, int64_t before, int64_t p)
{
    return p >= (r == rows ? nnz : r > 0 ? before : 0) && p <= (r > 0 ? nnz : 0);
}

/** The transposed matrix, of the same arrays.  \param[in] m  of rc_given_check */
rc_plan_matrix_t rc_given_transposed(const rc_plan_matrix_t *m);

/** What is said of the first pointer that cannot.  \return RC_EFORMAT */
rc_status_t rc_given_no_pointer(
    const rc_plan_matrix_t *m, int64_t r, int64_t before, int64_t p, rc_err_t *err);

/** What is said of the first entry of COO whose row is none.  \return RC_EFORMAT */
rc_status_t rc_given_no_row(const rc_plan_matrix_t *m, int64_t entry, int64_t row, rc_err_t *err);

/** What is said of the first of m->col_idx that is none.
 *  \param[in] where  its row, of CSC its column, of COO the entry  \return RC_EFORMAT */
rc_status_t rc_given_no_column(
    const rc_plan_matrix_t *m, int64_t where, int64_t found, rc_err_t *err);

/** What is said of the first column that a row has twice.  \return RC_EFORMAT */
rc_status_t rc_given_twice(int64_t row, int64_t col, rc_err_t *err);

/* ------------------------------------------------------------------ digests */

/** A number of a pattern and its place in one word: no two of fewer than 2^33 entries share it. */
RC_HOST_DEVICE static inline uint64_t rc_given_word(uint64_t place, uint64_t number)
{
    enum { bits = 31 };
    return (place << bits | place >> (64 - bits)) ^ number;
}

/** Of entry i in CSR. */
RC_HOST_DEVICE static inline uint64_t rc_given_column_word(int64_t i, int64_t col)
{
    return rc_given_word((uint64_t)i, (uint64_t)col);
}

/** Of row pointer r. */
RC_HOST_DEVICE static inline uint64_t rc_given_pointer_word(int64_t r, int64_t p)
{
    return rc_given_word((uint64_t)p, (uint64_t)r) ^ UINT64_C(1) << 63;
}

/** Two mixes of a word, of which sums tell patterns apart: those of splitmix64 and of MurmurHash3
 *  (Appleby, public domain). */
RC_HOST_DEVICE static inline void rc_given_mix(uint64_t word, uint64_t *sum)
{
    uint64_t z = (word ^ word >> 33) * UINT64_C(0xff51afd7ed558ccd);
    z = (z ^ z >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    sum[0] += rc_rng_mix(word + rc_rng_golden(1));
    sum[1] += z ^ z >> 33;
}

/** The digest of a shape and the sums of the mixes of its row pointers and columns. */
void rc_given_seal(int64_t rows, int64_t cols, const uint64_t sum[2], uint64_t out[2]);

/** The digest of a pattern: of shape, row pointers and columns.  Cost O(nnz + rows).
 *  \param[in] threads  >= 1 */
void rc_given_digest(const rc_csr_t *a, int threads, uint64_t out[2]);

#ifdef __cplusplus
}
#endif
#endif
