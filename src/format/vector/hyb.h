/** \file format/vector/hyb.h  A matrix in two parts: the first entries of every row in ELLPACK, the
 *  others as coordinates.
 *  Source: Bell and Garland 2009, doi:10.1145/1654059.1654078, section 4. */
#ifndef RC_FORMAT_VECTOR_HYB_H
#define RC_FORMAT_VECTOR_HYB_H

#include "format/vector/coo.h"
#include "format/vector/ell.h"

/** Widths by rule. */
enum { RC_HYB_MU = -1, RC_HYB_BELL = -2 };

/** The parameter `width`, also of kernels. */
#define RC_HYB_WIDTH_PARAM                                                                         \
    {                                                                                              \
        .name = "width",                                                                           \
        .help = "of the ELLPACK part; mu: the mean row, rounded up; bell: the rule of the source", \
        .value = RC_HYB_MU, .min = 0, .max = INT32_MAX, .choices = rc_hyb_widths                   \
    }
extern const char *const rc_hyb_widths[];

typedef struct rc_hyb {
    rc_ell_t ell; /**< the first min(entries, width) entries of every row */
    rc_coo_t coo; /**< the others */
} rc_hyb_t;

/** The width of the ELLPACK part.
 *  RC_HYB_MU: ceil(nnz / rows), the automatic width of rocSPARSE; 0 without rows.  RC_HYB_BELL: the
 *  largest K such that at least max(4096, rows / 3) rows have K entries or more; 0 below 4096 rows.
 *  \param[in] width  one of these, or the width itself
 *  \return RC_OK, RC_ENOMEM.  Cost O(rows + longest row). */
rc_status_t rc_hyb_width(const rc_csr_view_t *e, int64_t width, int64_t *out, rc_err_t *err);

/** Rows of more than so many entries. */
typedef rc_status_t rc_hyb_beyond_fn(void *user, int64_t entries, int64_t *rows, rc_err_t *err);

/** The width of RC_HYB_BELL where rows can only be counted.
 *  \param[in] rows  with those that have no entries  \param[in] longest  entries of the longest
 *  \return RC_OK, or what `beyond` returned, which is asked O(log longest) times. */
rc_status_t rc_hyb_bell_by(int64_t rows, int64_t longest, rc_hyb_beyond_fn *beyond, void *user,
    int64_t *out, rc_err_t *err);

/** \param[in] width  of rc_hyb_width  \param[out] out  free with rc_hyb_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(width * rows + nnz). */
rc_status_t rc_hyb_build(
    const rc_csr_view_t *e, int64_t width, int threads, rc_hyb_t *out, rc_err_t *err);
void rc_hyb_free(rc_hyb_t *h);

#endif
