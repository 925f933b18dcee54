/** \file rowcast_io.h  The public interface of librowcast_io: files of sparse matrices.
 *
 *  It is apart from librowcast because of what it needs: libarchive and the libraries behind that.
 *  The conventions are those of rowcast.h, whose types it uses. */
#ifndef ROWCAST_IO_H
#define ROWCAST_IO_H

#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a file said of itself, and what was done to it. */
typedef struct rc_mtx_info {
    char field[16];        /**< "real", "integer", "pattern", "complex" */
    char symmetry[16];     /**< "general", "symmetric", "skew-symmetric", "hermitian" */
    char format[16];       /**< "coordinate", "array"; "npz", "mat" */
    int64_t file_entries;  /**< entries in the file, before expansion */
    int64_t duplicates;    /**< entries that were summed into another one */
    int values_are_seeded; /**< 1: values were generated (pattern and complex files) */
    int is_generated; /**< 1: a comment before the size line says that rowcast generate made it */
} rc_mtx_info_t;

/** Read a file of a matrix. Its contents decide whether it is Matrix Market (plain, .gz, .xz, .zst,
 *  .bz2, or the member NAME/NAME.mtx of a NAME.tar.gz of the SuiteSparse collection), a .npz that
 *  SciPy saved (csr, csc, coo, bsr, dia), or a MAT-file of level 5 with one sparse variable or that
 *  collection's struct Problem. Symmetric kinds are expanded, duplicates summed; a file of a
 *  symmetric kind may hold both triangles, where they agree. Explicit zeros are entries, but not
 *  of dia. NaN and infinity are values. What is behind the last member of a gzip file is passed
 *  over, as gzip does. Pattern and complex files of Matrix Market get seeded values in [-1, 1) that
 *  depend on (row, column) only (rc_mtx_read_complex has those of complex files); the other formats
 *  are refused when they are complex.
 *  \param[in]  path     file name
 *  \param[in]  threads  parsing threads, 0: all
 *  \param[out] out      the matrix; free with rc_csr_free
 *  \param[out] info     what the file is; may be NULL
 *  \return RC_OK, RC_EINVAL (path, threads, out), RC_ENOENT, RC_EIO, RC_EFORMAT (the text has file,
 *          line, expected and found), RC_ERANGE, RC_ENOMEM. Local. Cost O(bytes + nnz log(row
 *          length)). */
RC_API rc_status_t rc_mtx_read(
    const char *path, int threads, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** The complex values of a file, for a matrix that rc_mtx_read gave for it.  Of symmetric kinds the
 *  images are those that the banner says: of hermitian ones the conjugates.  Values of duplicates
 *  are summed.  Of a file that is not complex: the values of the matrix, with imaginary parts of 0.
 *  \param[in]  path, threads  as in rc_mtx_read
 *  \param[in]  a    the matrix, borrowed; it is checked first
 *  \param[out] out  [a->nnz][2] real and imaginary parts, in the order of the entries of `a`
 *  \return as rc_mtx_read; RC_EINVAL: `a` is not the matrix of that file.  Local.  Cost: the file
 *          is read twice, and a matrix is held beside. */
RC_API rc_status_t rc_mtx_read_complex(
    const char *path, int threads, const rc_csr_t *a, double *out, rc_err_t *err);

/** Write coordinate real general, the shortest decimal text that reads back as the same double.
 *  The file appears under its name only when complete (written beside it, then renamed).
 *  \param[in] path     file name
 *  \param[in] a        matrix, borrowed; it is checked first
 *  \param[in] comment  lines to put after the banner, each without '%' and newline; may be NULL
 *  \return RC_OK, RC_EINVAL (a NULL, no matrix), RC_EIO with the cause, RC_ENOMEM. Local. Cost
 *      O(nnz). */
RC_API rc_status_t rc_mtx_write(
    const char *path, const rc_csr_t *a, const char *comment, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
