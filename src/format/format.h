/** \file format/format.h  How the entries of a matrix are stored for its product with a vector.  A
 *  format is one file that ends in one constant descriptor, and one word in format.am; its
 *  arrays, on the host, are in a header of its own.
 *
 *  A format is built from CSR in the order in which a product takes the rows; row numbers in it
 *  are places of that order.  Rows and columns are numbered in 4 bytes.  Pointers to entries
 *  take 4 bytes where nnz < 2^31 and 8 elsewhere; the arrays on the host always have 8. Source:
 *  Nisa et al. 2018 name the formats; what each of them is made of is in its header. */
#ifndef RC_FORMAT_FORMAT_H
#define RC_FORMAT_FORMAT_H

#include "base/family.h"
#include "operation/operation.h"

/** A matrix in CSR, borrowed: one of rowcast.h, or one that is in schedule order. */
typedef struct rc_csr_view {
    int64_t rows;
    int64_t nnz;
    const int64_t *ptr; /**< [rows + 1] */
    const int32_t *col; /**< [nnz], increasing in a row */
    const void *entry;  /**< [nnz] places (format/places.h); NULL: the matrix's own order */
    int entry_bytes;    /**< of a place; 0: structure alone, formats get no places */
    rc_precision_t precision;
} rc_csr_view_t;

enum { RC_FORMAT_ARRAYS = 6, RC_FORMAT_NUMBERS = 6 };

/** What a format would take: its arrays, and what it decided. */
typedef struct rc_format_size {
    int arrays;
    struct rc_format_array {
        const char *name;
        int64_t bytes; /**< saturated */
    } array[RC_FORMAT_ARRAYS];
    int numbers;
    struct rc_format_number {
        const char *name;
        const char *help;
        int64_t value;
    } number[RC_FORMAT_NUMBERS];
    int64_t places; /**< for entries, padding included; saturated */
} rc_format_size_t;

/** Element i of an array of integers. */
typedef int64_t rc_format_at_fn(const void *from, int64_t i);
rc_format_at_fn rc_format_at_int32;
rc_format_at_fn rc_format_at_int64;

/** Who takes the integer arrays of a format, one after the other. */
typedef struct rc_format_sink {
    void *user;
    rc_status_t (*put)(void *user, const char *name, rc_format_at_fn *at, const void *from,
        int64_t count, rc_err_t *err);
} rc_format_sink_t;

typedef struct rc_format {
    const char *name;
    const char *summary;
    const char *source;
    rc_param_t param[RC_PARAMS_MAX]; /**< ends at the first NULL name */
    /** \param[in] param  in the order of the descriptor
     *  \return RC_OK; RC_ENOTSUP: the matrix is not for it, with the reason; RC_ENOMEM.
     *  Cost O(rows + tiles log rows); allocates at most O(longest row). */
    rc_status_t (*measure)(
        const rc_csr_view_t *e, const int64_t *param, rc_format_size_t *out, rc_err_t *err);
    /** Build it and hand its integer arrays to a sink.
     *  \param[in] threads  >= 1; the arrays do not depend on it
     *  \return as measure; RC_ENOMEM with the figures before anything is allocated; of the sink.
     *  Cost O(places + rows). */
    rc_status_t (*dump)(const rc_csr_view_t *e, const int64_t *param, int threads,
        const rc_format_sink_t *sink, rc_err_t *err);
} rc_format_t;

/** All formats, in the order of format.am; NULL-terminated. */
extern const rc_format_t *const rc_formats[];

/** Formats as a family of base/family.h; member i is rc_formats[i]. */
extern const rc_family_t rc_format_family;

/** Bytes of all arrays; INT64_MAX when that overflows. */
int64_t rc_format_bytes(const rc_format_size_t *s);

/** Places over entries; 1 without entries. */
double rc_format_fill(const rc_format_size_t *s, const rc_csr_view_t *e);

/* ----------------------------------------------------- for those who write formats */

/** Entries of the longest row.  Cost O(rows). */
int64_t rc_format_longest(const rc_csr_view_t *e);

/** \param[in] count  elements  \param[in] bytes  of one */
void rc_format_add_array(rc_format_size_t *s, const char *name, int64_t count, int64_t bytes);

/** Arrays `row_ptr`, `col` and `val` of CSR. */
void rc_format_add_csr(rc_format_size_t *s, const rc_csr_view_t *e);
void rc_format_add_number(rc_format_size_t *s, const char *name, const char *help, int64_t value);

/** RC_OK, or RC_ENOMEM with "needs N bytes, M free" when the process cannot have so much. */
rc_status_t rc_format_room(int64_t bytes, rc_err_t *err);

/** Copy n places, `from_step` and `to_step` apart; nothing of structure alone. */
void rc_format_copy_places(const rc_csr_view_t *e, int64_t first, int64_t from_step, int64_t n,
    void *to, int64_t at, int64_t to_step);

/** An array of n places, zeroed; NULL of structure alone.  \return 0: no memory */
int rc_format_new_places(const rc_csr_view_t *e, size_t n, void **out, rc_err_t *err);

rc_status_t rc_format_put_int32(const rc_format_sink_t *sink, const char *name, const int32_t *from,
    int64_t count, rc_err_t *err);
rc_status_t rc_format_put_int64(const rc_format_sink_t *sink, const char *name, const int64_t *from,
    int64_t count, rc_err_t *err);

#endif
