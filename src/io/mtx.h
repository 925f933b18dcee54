/** \file io/mtx.h  Matrix Market files: size and count.  Reading and writing a matrix is in
 *  rowcast_io.h.  Format: https://math.nist.gov/MatrixMarket/formats.html */
#ifndef RC_IO_MTX_H
#define RC_IO_MTX_H

#include "base/log.h"
#include "rowcast_io.h"

/** What a comment begins with, behind its '%' and blanks, in a file that rowcast generate wrote; a
 *  spec follows. */
#define RC_MTX_GENERATED "made by: rowcast generate "

/** What is said of a complex matrix, wherever one is read. */
#define RC_COMPLEX_NOTICE "complex: only the pattern is used, the values are seeded ones"

/** What the names of tar files end in, the likeliest first; NULL at the end. */
extern const char *const rc_mtx_tar_endings[];

/** Read the banner and the size line only (of any supported container).
 *  \param[out] rows, cols, entries  what the size line says; entries before expansion
 *  \return as rc_mtx_read */
rc_status_t rc_mtx_peek(const char *path, int64_t *rows, int64_t *cols, int64_t *entries,
    rc_mtx_info_t *info, rc_err_t *err);

/** Complex values for a matrix that was read or made: those of a complex file; else its own, with
 *  imaginary parts of 0 or, where its values are made here, of the generator of values by row and
 *  column.
 *  \param[in] path  of the file; NULL: the matrix was made  \param[in] info  what the file is
 *  \param[out] parts  [2 * nnz] real and imaginary part of each entry
 *  \return as rc_mtx_read_complex */
rc_status_t rc_mtx_parts(const char *path, const rc_mtx_info_t *info, int threads,
    const rc_csr_t *a, double *parts, rc_err_t *err);

/** What a matrix may take: itself, its entries on their way, and what its reader does with it next.
 *  All in bytes. */
typedef struct rc_mtx_bound {
    int64_t bytes;       /**< the limit */
    int64_t row_work;    /**< that the reader of the matrix takes for each row beside it */
    int64_t entry_work;  /**< likewise for each entry */
    const char *option;  /**< that sets the limit, for the message; NULL: there is none */
    const rc_log_t *log; /**< told of what is ignored in a file; NULL: nobody is */
} rc_mtx_bound_t;

/** Bytes that reading a matrix takes at its peak: the matrix, counters of rows, and its entries as
 *  they come out of the text.
 *  \param[in] entries  of the matrix, symmetric kinds expanded
 *  \param[in] read     that are in the text
 *  \return INT64_MAX when that is more than there are numbers for */
int64_t rc_mtx_bytes(int64_t rows, int64_t entries, int64_t read);

/** As rc_mtx_read, with a bound of memory.
 *  \param[in] bound  borrowed; NULL: what is available, which holds in any case
 *  \return as rc_mtx_read; RC_ENOMEM with the figures, rows before anything is allocated, entries
 *          when they have been read */
rc_status_t rc_mtx_read_within(const char *path, int threads, const rc_mtx_bound_t *bound,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** What a file from outside may be at most. */
typedef struct rc_source_limits {
    const char *name; /**< the file must be a .tar.gz with NAME/NAME.mtx, once, and nothing outside
                           NAME/, whatever its own name */
    int64_t bytes;    /**< of a member, and of the decoded archive */
} rc_source_limits_t;

/** Demands on a file that is only counted. */
typedef struct rc_mtx_limits {
    const char *label;         /**< the file's name in messages */
    rc_source_limits_t source; /**< name NULL: any file that rc_mtx_read takes */
    int (*stop)(
        void *arg); /**< asked now and then; not 0 ends the call with RC_EINTR; may be NULL */
    void *stop_arg;
} rc_mtx_limits_t;

/** What is in a file. */
typedef struct rc_mtx_counts {
    int64_t rows;
    int64_t cols;
    int64_t entries;  /**< in the file */
    int64_t expanded; /**< entries of the matrix when symmetric kinds are expanded; duplicates count
                           each time */
} rc_mtx_counts_t;

/** Read a whole file as rc_mtx_read does, with all of its checks and those of its container, but
 *  count its entries instead of keeping them.
 *  \return as rc_mtx_read; RC_EINTR.  Memory: some blocks of text, whatever the file says; a file
 *          of a symmetric kind with both triangles (none with a name is taken) is read as a
 *          whole. */
rc_status_t rc_mtx_count(const char *path, int threads, const rc_mtx_limits_t *limits,
    rc_mtx_counts_t *out, rc_err_t *err);

/** For tests: as rc_mtx_read, decoding compressed text `block` bytes at a time and cutting text
 *  into slices of about `slice` bytes, both at least 1. */
rc_status_t rc_mtx_read_blocks(const char *path, int threads, size_t block, size_t slice,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** A matrix that is to be read. */
typedef struct rc_mtx_need {
    const char *path;
    int64_t shape[2];
    int64_t entries; /**< that it may have */
    int64_t read;    /**< as they come out of the file */
    int64_t beside;  /**< bytes that its reader takes besides */
    int64_t held;    /**< of all these bytes, those in use already: they are not available */
} rc_mtx_need_t;

/** \param[in] b  may be NULL
 *  \return RC_OK; RC_ENOMEM with the figures, above the bound or what is available */
rc_status_t rc_mtx_check_memory(const rc_mtx_need_t *n, const rc_mtx_bound_t *b, rc_err_t *err);

#endif
