/** \file base/str.h  Growing strings, lists of words, numbers from text, and edit distance. */
#ifndef RC_BASE_STR_H
#define RC_BASE_STR_H

#include "rowcast.h"

/** A growing string; zero-initialise, free with rc_str_free.  After a failed append `failed` is
 *  set and stays, so a series of appends needs one check at its end. */
typedef struct rc_str {
    char *text; /**< NUL-terminated; NULL while empty */
    size_t len;
    size_t capacity;
    int failed;
} rc_str_t;

void rc_str_add(rc_str_t *s, const char *text);
void rc_str_addn(rc_str_t *s, const char *text, size_t n);
void rc_str_addf(rc_str_t *s, const char *fmt, ...) RC_PRINTF(2, 3);
void rc_str_free(rc_str_t *s);

/** The text, which the caller frees; NULL with err set after a failed append.
 *  \param what  what the text is, for the message */
char *rc_str_take(rc_str_t *s, const char *what, rc_err_t *err);

/** A text of its own, as rc_str_take gives it. */
char *rc_strf(const char *what, rc_err_t *err, const char *fmt, ...) RC_PRINTF(3, 4);

/** Copy of a string, or NULL with err set; free with free(). */
char *rc_strdup(const char *text, rc_err_t *err);

/** Copy into a fixed field; RC_ERANGE when it would be cut. */
rc_status_t rc_strcpy(char *to, size_t size, const char *from, const char *what, rc_err_t *err);

/** qsort comparison of two texts, by their pointers. */
int rc_str_compare(const void *a, const void *b);

/** Whole-string integer or number; RC_EINVAL when there is anything else, RC_ERANGE when it does
 *  not fit.  \param what  what the number is, for the message */
rc_status_t rc_parse_int(
    const char *text, int64_t min, int64_t max, const char *what, int64_t *out, rc_err_t *err);
rc_status_t rc_parse_double(const char *text, const char *what, double *out, rc_err_t *err);

/** Bytes with an optional suffix K, M, G, T (powers of 1024). */
rc_status_t rc_parse_bytes(const char *text, const char *what, int64_t *out, rc_err_t *err);

/** Split "a,b,c" into words; empty words are an error.  Free with rc_words_free. */
typedef struct rc_words {
    char **word;
    int count;
} rc_words_t;
rc_status_t rc_words_split(const char *text, char separator, rc_words_t *out, rc_err_t *err);
void rc_words_free(rc_words_t *w);

/** The candidate nearest to `text` in edit distance when it is near enough to be a typing slip
 *  (at most a third of its length, at least 1), else NULL.  names[count], borrowed. */
const char *rc_similar(const char *text, const char *const *names, int count);

/** Fail with "unknown WHAT 'WORD'; did you mean 'NAME'?; known: NAME, ...".
 *  \param[in] count  -1: the names end with NULL
 *  \return status */
rc_status_t rc_fail_unknown(rc_err_t *err, rc_status_t status, const char *what, const char *word,
    const char *const *names, int count);

/** Human-readable amounts: "1.50 GB" (powers of 1000), "2 h 03 min", "1.2 ms", "496,000" (rounded
 *  up); as an argument rc_text_seconds(s).text. */
typedef struct rc_text {
    char text[32];
} rc_text_t;
rc_text_t rc_text_bytes(double bytes);
rc_text_t rc_text_seconds(double seconds);
rc_text_t rc_text_count(double n);

#endif
