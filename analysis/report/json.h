/** \file analysis/report/json.h  Writing JSON into a string, value by value: millions of numbers
 *  without a tree of them.  The text can stand inside of a script element of a page. */
#ifndef RC_ANALYSIS_JSON_H
#define RC_ANALYSIS_JSON_H

#include "base/str.h"

/** A document being written; start from {.out = a string}.  Failures stay in the string. */
typedef struct rc_json {
    rc_str_t *out;
    int depth;
    int follows; /**< 1: a value stands before on this level */
} rc_json_t;

/** Begin and end an object or a list: bracket '{' or '['.
 *  \param[in] key  name of the member; NULL in a list and for the document */
void rc_json_open(rc_json_t *j, const char *key, char bracket);
void rc_json_close(rc_json_t *j, char bracket);

/** A text; NULL: null.  Also < > & ' and the line separators of Unicode become \uXXXX, so that no
 *  text can end the script element that it stands in, and bytes that are not UTF-8 become
 *  U+FFFD. */
void rc_json_text(rc_json_t *j, const char *key, const char *text);
void rc_json_int(rc_json_t *j, const char *key, int64_t n);
/** An index; below 0: null. */
void rc_json_index(rc_json_t *j, const char *key, int64_t n);
/** 6 significant digits in as few characters as there are; what is not finite: null. */
void rc_json_real(rc_json_t *j, const char *key, double x);
/** Bytes in base 64 (RFC 4648), as a text. */
void rc_json_base64(rc_json_t *j, const char *key, const char *data, size_t n);

#endif
