/** \file base/glob.h  Glob patterns over bytes: * ? [a-z] [!a-z] and \ before a literal.  ASCII
 *  letters match whatever their case.  No file-name rules: * matches '/' and a leading dot. */
#ifndef RC_BASE_GLOB_H
#define RC_BASE_GLOB_H

#include "rowcast.h"

/** 1 when the whole text matches, else 0.  A '[' that is never closed is taken literally.
 *  Allocates nothing.  Cost O(|pattern| * |text|) at worst: it goes back to the last '*' only. */
int rc_glob_match(const char *pattern, const char *text);

/** Index of the first '[' that is never closed or '\' that ends the pattern; -1 when there is
 *  none. */
int64_t rc_glob_flaw(const char *pattern);

/** 1 when the pattern matches a spec "name:key=value", or is its name alone.  Cost as
 *  rc_glob_match. */
int rc_glob_match_spec(const char *pattern, const char *spec);

#endif
