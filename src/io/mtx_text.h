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

/** What is kept of the values of a complex file. */
typedef enum rc_mtx_part {
    RC_MTX_PART_NONE = 0, /**< nothing, or a digest where triangles are compared */
    RC_MTX_PART_REAL = 1,
    RC_MTX_PART_IMAGINARY = 2
} rc_mtx_part_t;

/** What banner and size line say. */
typedef struct rc_mtx_head {
    rc_mtx_field_t field;
    rc_mtx_symmetry_t symmetry;
    int is_unsigned; /**< integers are not negative */
    int is_plain;    /**< nothing is asked of an entry beside its numbers */
    int is_array;
    int is_generated;   /**< by what a comment says */
    int is_graph;       /**< the size line has vertices and entries only */
    rc_mtx_part_t part; /**< set by the reader */
    int one_triangle;   /**< 1: nothing above the diagonal of the symmetric kinds, whatever is
                           below */
    int64_t rows;
    int64_t cols;
    int64_t entries; /**< in the file */
} rc_mtx_head_t;

/** Words of the banner, by rc_mtx_field_t and rc_mtx_symmetry_t ... */
extern const char *const rc_mtx_field_names[];
extern const char *const rc_mtx_symmetry_names[];

/** A line, for messages. */
typedef struct rc_mtx_line {
    const char *file;
    int64_t number; /**< from 1 */
    const char *begin;
    const char *end; /**< the line end, or the end of the text */
} rc_mtx_line_t;

/** Read a complex file as rc_mtx_read does, but for a part of its values, of which nothing is
 *  compared. */
rc_status_t rc_mtx_read_part(
    const char *path, int threads, rc_mtx_part_t part, rc_csr_t *out, rc_err_t *err);

/** Set err to "FILE:LINE: text". */
rc_status_t rc_mtx_fail(rc_err_t *err, rc_status_t status, const char *file, int64_t line,
    const char *fmt, ...) RC_PRINTF(5, 6);

/** 1: the comment says that rowcast generate made the matrix (RC_MTX_GENERATED). */
int rc_mtx_says_generated(const rc_mtx_line_t *line);

/** Parse the banner line: field, symmetry, is_array. */
rc_status_t rc_mtx_parse_banner(const rc_mtx_line_t *line, rc_mtx_head_t *head, rc_err_t *err);

/** Parse the size line: rows, cols, entries. */
rc_status_t rc_mtx_parse_size(const rc_mtx_line_t *line, rc_mtx_head_t *head, rc_err_t *err);

/** The first line end (LF or CR) in [p, end), or NULL. */
static inline const char *rc_mtx_line_end(const char *p, const char *end)
{
    while (p < end && *p != '\n' && *p != '\r')
        p++;
    return p < end ? p : NULL;
}

/** Behind the line end at p: LF, CR LF, CR CR LF, or CR alone. */
static inline const char *rc_mtx_after_line(const char *p, const char *end)
{
    if (*p == '\n')
        return p + 1;
    if (end - p > 1 && p[1] == '\n')
        return p + 2;
    return end - p > 2 && p[1] == '\r' && p[2] == '\n' ? p + 3 : p + 1;
}

/** Whether a line is blank. */
int rc_mtx_is_blank(const char *begin, const char *end);

/** Whether a line is blank or a comment. */
int rc_mtx_is_comment(const rc_mtx_line_t *line);

/** Fewest bytes that an entry takes in the file, with its newline. */
int64_t rc_mtx_entry_bytes(const rc_mtx_head_t *head);

/** A run of whole lines of entries, and what was found in it. */
typedef struct rc_mtx_slice {
    const char *begin;
    const char *end;
    int64_t most;        /**< entries that may come; one more is `bad` */
    rc_triple_t *triple; /**< [n]; the owner of the slice frees it.  Array files leave row and
                              col 0, pattern files leave val 0, complex ones what the
                              part of the head says */
    int64_t n;
    size_t capacity;
    int64_t upper;   /**< of them above the diagonal, of symmetric kinds; a complex one has for val
                          what its mirror image has, so that two can be compared */
    int64_t lines;   /**< line ends passed, up to `bad` */
    const char *bad; /**< the first malformed line, or NULL */
    int no_memory;
} rc_mtx_slice_t;

/** Parse a slice into triples, from its beginning; frees and replaces those that it has.
 *  Thread-safe on distinct slices. */
void rc_mtx_parse_slice(const rc_mtx_head_t *head, locale_t c, rc_mtx_slice_t *slice);

/** Parse the line of an entry word by word: rarer forms too, and what is wrong with others.
 *  \param[out] out  the entry, as rc_mtx_parse_slice leaves it; changed in any case */
rc_status_t rc_mtx_parse_slowly(const rc_mtx_head_t *head, locale_t c, const rc_mtx_line_t *line,
    rc_triple_t *out, rc_err_t *err);

/** Take a line that is not the entry that most lines are: a comment, or an entry of a rarer form,
 *  which is appended; there is room.
 *  \return the end of the line, or NULL: it is neither */
const char *rc_mtx_parse_other(
    const rc_mtx_head_t *head, const char *line, locale_t c, rc_mtx_slice_t *slice);

/** The value that is kept of an entry: of a complex one the part that the head asks for, or what
 *  two are told apart by, where triangles are compared; sums of a few of these are exact.
 *  \param[in] is_above  1: above the diagonal; what is told apart is its image below it */
double rc_mtx_kept(const rc_mtx_head_t *head, int is_above, double real, double imaginary);

/** Of a file of a symmetric kind with entries above the diagonal: whether `a`, which has all of
 *  them as they stand, is its own image, entry by entry.
 *  \param[out] row, col  of the first that is not
 *  \return 1 or 0.  Cost O(nnz log(row length)). */
int rc_mtx_triangles_agree(
    const rc_mtx_head_t *head, const rc_csr_t *a, int32_t *row, int32_t *col);

/** Say what is wrong with the line of an entry that rc_mtx_triangles_agree named. */
rc_status_t rc_mtx_triangles_differ(const rc_mtx_head_t *head, const rc_csr_t *a, int32_t row,
    int32_t col, const rc_mtx_line_t *line, rc_err_t *err);

/** A printable excerpt of the word at p (up to the next blank), for messages; "the end of the
 *  line" when there is none. */
const char *rc_mtx_word(const char *p, const char *end, char *buf, size_t size);

/** The next word of a line at or behind p; *n is its length, 0 at the end of the line. */
const char *rc_mtx_next_word(const char *p, const char *end, size_t *n);

/** The whole number that a word is, most + 1 when it is above most; -1: it is none. */
int64_t rc_mtx_whole(const char *word, size_t n, int64_t most);

/** Set err to "FILE:LINE: expected WHAT, found 'WORD'". */
rc_status_t rc_mtx_expected(const rc_mtx_line_t *line, rc_status_t status, const char *what,
    const char *word, rc_err_t *err);

#endif
