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

#include "analysis/report/choices.h"
#include "analysis/report/plot.h"
#include "analysis/report/spies.h"

/** What goes on a page. */
typedef struct rc_page {
    const rc_plot_input_t *in;
    const rc_drawn_t *drawn; /**< [drawn_count] */
    int drawn_count;
    const rc_spies_t *spies;
    const rc_choices_t *choices; /**< of the model; NULL: none was given */
} rc_page_t;

/** Write DIR/index.html from ASSETS/page/page.html and what it names, and DIR/report.json, the
 *  document alone.
 *  \param[out] bytes  of the page
 *  \param[out] said   added to: the sentence that the page opens with, where there are results
 *  \return RC_OK, RC_ENOENT (an asset), RC_EFORMAT (a place that page.html names and nobody fills),
 *          RC_EIO, RC_ENOMEM */
rc_status_t rc_page_write(const rc_page_t *page, int64_t *bytes, rc_str_t *said, rc_err_t *err);

#endif
