/** \file analysis/report/spies.h  Pictures of the matrices that gain most from another row order.
 *  Local. */
#ifndef RC_ANALYSIS_SPIES_H
#define RC_ANALYSIS_SPIES_H

#include "analysis/report/report.h"
#include "analysis/report/survey.h"
#include "base/log.h"
#include "base/str.h"

enum {
    RC_SPIES_DEFAULT = 60,
    RC_SPIES_SIZE = 256,              /**< pixels of the longer side */
    RC_SPIES_BYTES = 6 * 1000 * 1000, /**< of all of them on the page, as text */
    RC_SPIES_ENTRIES = 24 << 20, /**< by default of all matrices that are drawn: each is read or
                                      generated, and ordered */
    RC_SPIES_SHARE = 4           /**< and of one at most a share like that of what the others have
                                      left */
};

/** Pictures of one matrix, each a PNG. */
typedef struct rc_page_spy {
    rc_str_t before; /**< empty: there are none */
    rc_str_t after;  /**< rows in the order of `shown`; empty when there is no other order */
    int width;       /**< pixels of both */
    int height;
    int64_t shown; /**< the row of the view whose order `after` shows, see rc_headline_shown */
    int64_t slots; /**< rows and pads that `after` stands for */
    double full;   /**< entries that a pixel of full ink stands for, in both */
} rc_page_spy_t;

/** Pictures, matrix by matrix. */
typedef struct rc_spies {
    rc_page_spy_t *spy; /**< [survey.matrices] */
    int32_t matrices;
    int made;      /**< matrices with pictures */
    rc_str_t note; /**< which are missing and why; empty: none is */
} rc_spies_t;

/** Draw the matrices with the largest gain (rc_headline_gains, of the plan first) as they are, and
 *  in the order of rc_headline_shown, built for the geometry of that row.  A matrix whose file is
 *  not there or holds another matrix than the one that was measured is left out, and the note says
 *  how many.
 *  \param[in]  o    its collection; its spies: at most so many, -1: RC_SPIES_DEFAULT, without those
 *                   that are too large to be drawn in seconds (RC_SPIES_ENTRIES), which the note
 *                   counts
 *  \param[in]  log  progress; may be NULL
 *  \param[out] out  free with rc_spies_free
 *  \return RC_OK; RC_ENOENT, RC_EIO (the collection); RC_ENOMEM.  Cost: reads the matrices, builds
 *          the orders on all threads. */
rc_status_t rc_spies_make(const rc_survey_t *s, const rc_report_options_t *o, const rc_log_t *log,
    rc_spies_t *out, rc_err_t *err);
void rc_spies_free(rc_spies_t *s);

#endif
