/** \file io/reader.h  The formats beside Matrix Market that a matrix may be in, told apart by their
 *  contents; inner header of the room.  A format is one file that ends in one constant descriptor,
 *  and one line in reader.c. */
#ifndef RC_IO_READER_H
#define RC_IO_READER_H

#include "sparse/csr_build.h"
#include "io/mtx.h"

#include <stdio.h>

/** Numbers as they are in a file: little-endian, of one type. */
typedef struct rc_series {
    const char *at; /**< [count * bytes] */
    int64_t count;
    char kind;        /**< 'i' with a sign, 'u' without, 'b' true or false, 'f' floating */
    int bytes;        /**< of one */
    const char *name; /**< in messages */
} rc_series_t;

enum { RC_TAKING_BUFFERS = 8, RC_TAKING_HEAD = 1 << 16 /* bytes of each that a peek looks at */ };

/** A file that is read: what is asked, and what was found. */
typedef struct rc_taking {
    const char *path;
    const rc_mtx_bound_t *bound; /**< may be NULL */
    int is_peek;                 /**< 1: shape and number of entries, or more than that, will do */
    rc_err_t *err;
    FILE *file; /**< at its beginning */
    int64_t shape[2];
    int64_t entries;
    int is_integer;
    rc_triple_t *triple; /**< [n] in the order of the file; places are within the shape */
    int64_t n;
    char *buffer[RC_TAKING_BUFFERS]; /**< what was loaded */
    int buffers;
    int64_t held; /**< bytes of these */
} rc_taking_t;

typedef struct rc_reader {
    const char *name;                          /**< of the format, at most 15 bytes */
    int (*is)(const char *head, size_t bytes); /**< 1: a file that begins so is of the format */
    /** Begin, and unless it is a peek put all entries.
     *  \return RC_OK, RC_EIO, RC_EFORMAT (file, position, expected, found), RC_ERANGE, RC_ENOMEM */
    rc_status_t (*take)(rc_taking_t *t);
} rc_reader_t;

/** What the file is in; NULL: Matrix Market, or not to be opened. */
const rc_reader_t *rc_reader_of(const char *path);

/** As rc_mtx_read_within and rc_mtx_peek.  \param[out] out, info  out is for a peek NULL */
rc_status_t rc_reader_read(
    const rc_reader_t *r, rc_taking_t *t, int threads, rc_csr_t *out, rc_mtx_info_t *info);

/** RC_EFORMAT: "FILE: WHERE: expected E, found F". */
rc_status_t rc_taking_wrong(
    const rc_taking_t *t, const char *where, const char *expected, const char *found);

/** Read all of something (of a peek its beginning) into a buffer of `t`.
 *  \param[in] more  as read(2); -1 has said why
 *  \return RC_OK, RC_EFORMAT, RC_ENOMEM (also above the bound) */
rc_status_t rc_taking_load(
    rc_taking_t *t, int64_t (*more)(void *arg, char *to, size_t size), void *arg, int64_t *bytes);

/** Free the last buffer, of so many bytes. */
void rc_taking_drop(rc_taking_t *t, int64_t bytes);

/** Set the shape, and make room for up to `entries`.  \return RC_OK, RC_ERANGE, RC_ENOMEM */
rc_status_t rc_taking_begin(rc_taking_t *t, const int64_t shape[2], int64_t entries);

/** Append an entry; there is room.  \param[in] val  number i of it; NULL: 0
 *  \return RC_OK, RC_ERANGE (a whole number that a double does not hold) */
rc_status_t rc_taking_put(
    rc_taking_t *t, int64_t row, int64_t col, const rc_series_t *val, int64_t i);

/** Number i, exact where `kind` is not 'f'; INT64_MAX above that. */
int64_t rc_series_whole(const rc_series_t *c, int64_t i);

/** Number i, which has to be from `least` to `most`.  \return RC_OK, RC_EFORMAT */
rc_status_t rc_taking_place(const rc_taking_t *t, const rc_series_t *c, int64_t i, int64_t least,
    int64_t most, int64_t *out);

/** Append rows (or columns) that stand one after the other, in blocks of entries. */
typedef struct rc_compressed {
    const rc_series_t *ptr;
    const rc_series_t *idx;
    const rc_series_t *val; /**< NULL: zeros */
    int64_t block[2];       /**< rows and columns of a block, which divide the shape */
    int by_column;
} rc_compressed_t;
rc_status_t rc_taking_compressed(rc_taking_t *t, const rc_compressed_t *c);

#endif
