/** \file sparse/csr.h  Building, checking and identifying CSR matrices.  The type and rc_csr_free
 *  are in rowcast.h.  All local. */
#ifndef RC_SPARSE_CSR_H
#define RC_SPARSE_CSR_H

#include "base/digest.h"
#include "rowcast.h"

/** One entry of a matrix in coordinate form. */
typedef struct rc_triple {
    int32_t row;
    int32_t col;
    double val;
} rc_triple_t;

/** Allocate row_ptr (zeroed), col_idx and val (uninitialised) for a shape.
 *  \return RC_OK; RC_ERANGE when rows or cols exceed INT32_MAX or nnz is negative; RC_ENOMEM */
rc_status_t rc_csr_alloc(int64_t rows, int64_t cols, int64_t nnz, rc_csr_t *out, rc_err_t *err);

/** As rc_csr_alloc, without val: a pattern. */
rc_status_t rc_csr_alloc_pattern(
    int64_t rows, int64_t cols, int64_t nnz, rc_csr_t *out, rc_err_t *err);

/** Build a CSR matrix from n triples in any order; duplicates are summed in the order given, so
 *  the result does not depend on `threads`.
 *  \param[in]  triples     [n], borrowed, not changed
 *  \param[out] duplicates  entries that were summed into another one; may be NULL
 *  \return RC_OK, RC_ERANGE (an index outside the shape; the text names the entry), RC_ENOMEM.
 *  Cost O(n log(row length)), memory 2x the result. */
rc_status_t rc_csr_from_triples(int64_t rows, int64_t cols, const rc_triple_t *triples, int64_t n,
    int threads, rc_csr_t *out, int64_t *duplicates, rc_err_t *err);

/** As rc_csr_check.  \param[in] threads  >= 1 */
rc_status_t rc_csr_check_by(const rc_csr_t *a, int threads, rc_err_t *err);

/** What a public call does with its matrix and its `threads`: checks the matrix, unless RC_CHECKED
 *  is among these.
 *  \param[out] team  >= 1: threads to use  \return RC_OK, RC_EINVAL */
rc_status_t rc_csr_given(const rc_csr_t *a, int threads, int *team, rc_err_t *err);

/** Digest of the canonical CSR (shape, row_ptr, col_idx, val with -0 taken as 0): the identity of
 *  a matrix, independent of the file it came from.  Cost O(nnz). */
rc_status_t rc_csr_digest(const rc_csr_t *a, rc_digest_t *out, rc_err_t *err);

/** The same of a matrix of complex values, which no real one has.
 *  \param[in] parts  [2 * nnz] real and imaginary part of each entry; `val` is not looked at */
rc_status_t rc_csr_digest_complex(
    const rc_csr_t *a, const double *parts, rc_digest_t *out, rc_err_t *err);

/** The first entry of a row whose column is not below `col`; the end of the row: there is none.
 *  Cost O(log(row length)). */
int64_t rc_csr_seek(const rc_csr_t *a, int64_t row, int64_t col);

/** Entries of a row. */
static inline int64_t rc_csr_length(const rc_csr_t *a, int64_t row)
{
    return a->row_ptr[row + 1] - a->row_ptr[row];
}

/** Entries of the longest row; 0 without rows.  \param[in] threads  >= 1 */
int64_t rc_csr_longest(const rc_csr_t *a, int threads);

/** 1: the entry is there. */
int rc_csr_has(const rc_csr_t *a, int64_t row, int64_t col);

/** The first row before which there is work of at least `want`: entries, and `row_cost` a row.
 *  \param[in] ptr  [rows + 1] */
int64_t rc_rows_cut(const int64_t *ptr, int64_t rows, int64_t row_cost, double want);

/** Bytes of the arrays of a matrix of this shape. */
int64_t rc_csr_bytes(int64_t rows, int64_t nnz);

/** Renumber the columns: column p of the result is column `col[p]` of `a`; rows stay.
 *  \param[in] col  [cols], a permutation
 *  \param[out] out  free with rc_csr_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows + cols), memory 2x the result on the way. */
rc_status_t rc_csr_renumber_columns(
    const rc_csr_t *a, const int32_t *col, rc_csr_t *out, rc_err_t *err);

/** Transpose, with the rows in another order: row j has the rows of column j, numbered by their
 *  places.
 *  \param[in] order  [rows] row at each place, a permutation; NULL: as they are
 *  \return as rc_csr_transpose */
rc_status_t rc_csr_transpose_by(
    const rc_csr_t *a, const int32_t *order, rc_csr_t *out, rc_err_t *err);

/** Transpose; of a matrix without val the pattern.  Free with rc_csr_free.  Cost O(nnz + cols). */
rc_status_t rc_csr_transpose(const rc_csr_t *a, rc_csr_t *out, rc_err_t *err);

#endif
