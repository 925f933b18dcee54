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
#include "analysis/report/survey.h"

/** Images of one matrix, each a PNG in memory; NULL: none. */
typedef struct rc_page_spy {
    unsigned char *before;
    size_t before_bytes;
    unsigned char *after; /**< rows in the order of `shown`; NULL when there is no other order */
    size_t after_bytes;
    int width; /**< pixels of both */
    int height;
    int64_t shown; /**< the row of the view whose order `after` shows, see rc_headline_shown */
    int64_t slots; /**< rows and pads that `after` stands for */
    double full;   /**< entries that a pixel of full ink stands for, in both */
} rc_page_spy_t;

/** What goes on a page. */
typedef struct rc_page {
    const rc_plot_input_t *in;
    const rc_drawn_t *drawn; /**< [drawn_count] */
    int drawn_count;
    const rc_page_spy_t *spy;    /**< [survey.matrices]; NULL: none */
    const char *spy_note;        /**< why some or all are missing; NULL: none is */
    const rc_choices_t *choices; /**< of the model; NULL: none was given */
    const char *where;           /**< the filter that results had to pass; NULL: none */
} rc_page_t;

/** Write DIR/index.html from the assets, and DIR/report.json, the document alone.
 *  \param[in]  assets  directory of page.html and what it names
 *  \param[out] bytes   of the page
 *  \param[out] said    added to: the sentence that the page opens with, where there are results
 *  \return RC_OK, RC_ENOENT (an asset), RC_EFORMAT (a place that page.html names and nobody fills),
 *          RC_EIO, RC_ENOMEM */
rc_status_t rc_page_write(const rc_page_t *page, const char *assets, const char *dir,
    int64_t *bytes, rc_str_t *said, rc_err_t *err);

#endif
