/** \file model/emit.h  Tables in C99 source, with numbers that a compiler reads back bit by bit.
 *  The decimal point is that of the locale, which rc_model_export_c has set.  Failures of the
 *  stream are asked for once, at the end. */
#ifndef RC_MODEL_EMIT_H
#define RC_MODEL_EMIT_H

#include "rowcast.h"

#include <stdio.h>

/** "static const double NAME_SUFFIX[n] = {...};" in hexadecimal.  No values: one element 0, since
 *  C99 has no empty tables. */
void rc_emit_reals(FILE *out, const char *name, const char *suffix, const double *value, size_t n);

/** The same for int. */
void rc_emit_ints(FILE *out, const char *name, const char *suffix, const int32_t *value, size_t n);

/** RC_OK, or RC_EIO when something could not be written. */
rc_status_t rc_emit_end(FILE *out, rc_err_t *err);

#endif
