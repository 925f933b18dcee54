/** \file io/mtx_text.h  The text of a Matrix Market file: banner, size line, entries, and what
 *  is wrong with them; inner header of the room. */
#ifndef RC_IO_MTX_TEXT_H
#define RC_IO_MTX_TEXT_H

#include "sparse/csr_build.h"

#include <locale.h>

typedef enum rc_mtx_field {
    RC_MTX_REAL = 0,
    RC_MTX_INTEGER = 1,
    RC_MTX_PATTERN = 2,
    RC_MTX_COMPLEX = 3
} rc_mtx_field_t;

typedef enum rc_mtx_symmetry {
    RC_MTX_GENERAL = 0,
    RC_MTX_SYMMETRIC = 1,
    RC_MTX_SKEW = 2,
    RC_MTX_HERMITIAN = 3
} rc_mtx_symmetry_t;

/** What banner and size line say. */
typedef struct rc_mtx_head {
    rc_mtx_field_t field;
    rc_mtx_symmetry_t symmetry;
    int is_array;
    int is_generated; /**< by what a comment says */
    int64_t rows;
    int64_t cols;
    int64_t entries; /**< in the file */
} rc_mtx_head_t;

/** Words of the banner. */
const char *rc_mtx_field_name(rc_mtx_field_t field);
const char *rc_mtx_symmetry_name(rc_mtx_symmetry_t symmetry);

/** A line, for messages. */
typedef struct rc_mtx_line {
    const char *file;
    int64_t number; /**< from 1 */
    const char *begin;
    const char *end; /**< the newline, or the end of the text */
} rc_mtx_line_t;

/** Set err to "FILE:LINE: text". */
rc_status_t rc_mtx_fail(rc_err_t *err, rc_status_t status, const char *file, int64_t line,
    const char *fmt, ...) RC_PRINTF(5, 6);

/** 1: the comment says that rowcast generate made the matrix (RC_MTX_GENERATED). */
int rc_mtx_says_generated(const rc_mtx_line_t *line);

/** Parse the banner line: field, symmetry, is_array. */
rc_status_t rc_mtx_parse_banner(const rc_mtx_line_t *line, rc_mtx_head_t *head, rc_err_t *err);

/** Parse the size line: rows, cols, entries. */
rc_status_t rc_mtx_parse_size(const rc_mtx_line_t *line, rc_mtx_head_t *head, rc_err_t *err);

/** Whether a line is blank. */
int rc_mtx_is_blank(const char *begin, const char *end);

/** Fewest bytes that an entry takes in the file, with its newline. */
int64_t rc_mtx_entry_bytes(const rc_mtx_head_t *head);

/** A run of whole lines of entries, and what was found in it. */
typedef struct rc_mtx_slice {
    const char *begin;
    const char *end;
    int64_t most;        /**< entries that may come; one more is `bad` */
    rc_triple_t *triple; /**< [n]; the owner of the slice frees it.  Array files leave row and
                              col 0, pattern and complex files leave val 0 */
    int64_t n;
    size_t capacity;
    int64_t lines;   /**< newlines passed, up to `bad` */
    const char *bad; /**< the first malformed line, or NULL */
    int no_memory;
} rc_mtx_slice_t;

/** Parse a slice into triples, from its beginning; frees and replaces those that it has.
 *  Thread-safe on distinct slices. */
void rc_mtx_parse_slice(const rc_mtx_head_t *head, locale_t c, rc_mtx_slice_t *slice);

/** Say what is wrong with a line that rc_mtx_parse_slice called bad. */
rc_status_t rc_mtx_explain(
    const rc_mtx_head_t *head, locale_t c, const rc_mtx_line_t *line, rc_err_t *err);

/** A printable excerpt of the word at p (up to the next blank), for messages; "the end of the
 *  line" when there is none. */
const char *rc_mtx_word(const char *p, const char *end, char *buf, size_t size);

#endif
