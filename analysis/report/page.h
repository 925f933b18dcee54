/** \file analysis/report/page.h  The page of a report: one HTML file that needs nothing else.
 *
 *  The page is a skeleton (page.html) in which "{{name}}" stands for the document of the report
 *  (data, pictures, nonce) or for the asset of that name (page.css, table.js, ...); its scripts
 *  draw everything else from the document, so that a site can restyle it without building anything.
 *  Every text out of a store is input of unknown origin: it enters the page as JSON (json.h) and
 *  from there as text, and the page's content security policy lets no script run but its own and no
 *  request leave. */
#ifndef RC_ANALYSIS_PAGE_H
#define RC_ANALYSIS_PAGE_H

#include "analysis/report/answer.h"
#include "analysis/report/headline.h"
#include "analysis/report/json.h"
#include "analysis/report/plot.h"
#include "analysis/report/spies.h"

/** Version of the document, which the assets have in page/version.txt: a member that the scripts
 *  came to need is a new one. */
enum { RC_PAGE_VERSION = 3 };

/** A choice. */
typedef struct rc_chosen {
    int32_t cls; /**< class of the model; -1: no choice is known */
    double time; /**< measured ns of that class */
    double loss; /**< that time over the fastest of the model's classes, less 1 */
} rc_chosen_t;

/** Choices, pair by pair. */
typedef struct rc_choices {
    rc_chosen_t *pair; /**< [survey.pairs] */
    int64_t known;
    int fitted_here; /**< 1: of matrices that the model was fitted on, some at least */
    rc_str_t note;   /**< not empty: why there are no choices */
} rc_choices_t;

/** What goes on a page. */
typedef struct rc_page {
    const rc_plot_input_t *in;
    const rc_drawn_t *drawn; /**< [drawn_count] */
    int drawn_count;
    const rc_spies_t *spies;
    const rc_choices_t *choices; /**< of the model; NULL: none was given */
    const char *noise;   /**< what the times suffered from (analysis/summary/noise.h); "" nothing */
    int64_t noisy_taken; /**< newest results that are noisy and were taken for ok */
} rc_page_t;

/** Write DIR/index.html from ASSETS/page/page.html and what it names, and DIR/report.json, the
 *  document alone.
 *  \param[out] made  its bytes, and the sentence that the page opens with, where there are results
 *  \return RC_OK, RC_ENOENT (an asset), RC_EFORMAT (a place that page.html names and nobody fills;
 *          assets of another version: the page has one line that says so), RC_EIO, RC_ENOMEM */
rc_status_t rc_page_write(const rc_page_t *page, rc_report_made_t *made, rc_err_t *err);

/* Parts of the document, for page.c. */

/** The document: numbers, names, and what there is to see.
 *  \param[in]  headline  [settings]  \param[in] held_out  [pairs]
 *  \param[out] said      added to: the sentence that the page opens with
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_page_document(rc_json_t *j, const rc_page_t *p, const rc_headline_t *headline,
    const rc_held_out_t *held_out, rc_str_t *said, rc_err_t *err);

/** Its member "run": what was run, on what, when, by which build, and how complete it is.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_page_run(rc_json_t *j, const rc_page_t *p, rc_err_t *err);

/** Drawings and pictures of matrices: {"figures": {NAME: SVG}, "spies": {INDEX: ...}}. */
void rc_page_pictures(rc_json_t *j, const rc_page_t *p);

#endif
