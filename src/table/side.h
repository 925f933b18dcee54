/** \file table/side.h  Kernels and orders that stand for one side of a comparison; the fastest of
 *  their results on a matrix in a setting (table/counted.h) counts.  Local. */
#ifndef RC_TABLE_SIDE_H
#define RC_TABLE_SIDE_H

#include "base/str.h"
#include "table/counted.h"

/** Sides that nobody names: what is ours, and the vendor's library (kernels/vendor/vendor.h), of
 *  which a dense product is on neither. */
#define RC_SIDE_OURS "!cusparse*,!cublas*,!mkl*"
#define RC_SIDE_VENDOR "cusparse*,mkl*"

/** One side of a comparison: kernels, orders and a layout. */
typedef struct rc_side {
    rc_words_t kernel; /**< patterns over "name:params"; "!pattern" takes out what it matches */
    rc_words_t policy; /**< likewise over policies */
    int32_t layout;    /**< of B and C, of rc_layout_names; -1: any */
} rc_side_t;

/** Where a kernel ends and its order begins: the last @ of a text, or where it has none the first
 *  /, which no name of a kernel has; NULL: no order is named. */
const char *rc_side_cut(const char *text);

/** Parse "KERNELS[@ORDERS][@LAYOUT]".  The first two are comma-separated patterns, e.g.
 *  "gstat*,gsub*@csr,lpt"; the order `any` stands for all.  Cut by rc_side_cut.  LAYOUT is a name
 *  of rc_layout_names: "*@any@row" is what was measured with row-major B and C.
 *  \param[in] orders  of a side that names none, e.g. "csr"
 *  \return RC_OK; RC_EINVAL (an empty word, a flawed pattern, brackets); RC_ENOMEM.  Free with
 *      rc_side_free.
 */
rc_status_t rc_side_parse(const char *text, const char *orders, rc_side_t *out, rc_err_t *err);
void rc_side_free(rc_side_t *s);

/** 1: a kernel ("name:params") and an order are of the side; the same of a result. */
int rc_side_has_names(const rc_side_t *s, const char *kernel, const char *policy);
int rc_side_has(const rc_side_t *s, const rc_view_t *v, const rc_row_result_t *r);

/** The fastest result of a side on a matrix in a setting, rows [i, end) of c: a row of the view, -1
 *  none. */
int64_t rc_side_fastest(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side);

/** The same as a log of ns, held out: chosen in one half, scored in the other (table/split_half.h).
 *  \param[out] out  NaN where the side has none  \return RC_OK, RC_ENOMEM */
rc_status_t rc_side_held_out(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side,
    double *out, rc_err_t *err);

#endif
