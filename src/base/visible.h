/** \file base/visible.h  Text from outside (names in files, words of servers, messages of other
 *  programs) made fit for a terminal, a log or a table: nothing in it moves the cursor, ends a line
 *  or turns the direction of what follows. */
#ifndef RC_BASE_VISIBLE_H
#define RC_BASE_VISIBLE_H

#include "base/str.h"

#include <stdint.h>

/** Append text with what cannot be seen spelled out: control characters and bytes that are not
 *  UTF-8 as \xNN, C1 controls, marks of direction (U+061C, 200E, 200F, 202A to 202E, 2066 to 2069;
 *  https://trojansource.codes) and separators of lines (U+2028, 2029) as \uNNNN.  The rest stays as
 *  it is, so what was made visible once does not change. */
void rc_str_add_visible(rc_str_t *s, const char *text);

/** The same into buf, cut to its size; never cut within a character. */
void rc_visible(const char *text, char *buf, size_t size);

/** 1 when a text is UTF-8 without anything to spell out. */
int rc_is_visible(const char *text);

/** Append a cell of a CSV file (RFC 4180): visible, in quotes where it needs them.  Text that
 *  begins with =, +, - or @ and is no number gets a ' before it: a spreadsheet takes it for a
 *  formula otherwise (https://owasp.org/www-community/attacks/CSV_Injection). */
void rc_str_add_csv(rc_str_t *s, const char *text);

/** Columns of a terminal that a visible text takes: combining marks none, wide characters of East
 *  Asia and pictures two (by ranges of Unicode 15, https://www.unicode.org/reports/tr11), the rest
 *  one.  Bytes that are not UTF-8 count one each.  Does not depend on the locale. */
int rc_text_width(const char *text);

/** "" for one, "s" for any other number: of words that take an s. */
const char *rc_plural(int64_t n);

/** "matrix" for one, "matrices" for any other number. */
const char *rc_matrices(int64_t n);

#endif
