/** \file analysis/report/page.h  The page of a report: one HTML file that needs nothing else. */
#ifndef RC_ANALYSIS_PAGE_H
#define RC_ANALYSIS_PAGE_H

#include "analysis/report/plot.h"
#include "analysis/report/survey.h"

/** Images of one matrix, each a PNG in memory; NULL: none. */
typedef struct rc_page_spy {
    unsigned char *before;
    size_t before_bytes;
    unsigned char *after; /**< rows in the order of the best plan; NULL when that is csr */
    size_t after_bytes;
    int width; /**< pixels of both */
    int height;
} rc_page_spy_t;

/** What goes on a page. */
typedef struct rc_page {
    const rc_plot_input_t *in;
    const rc_drawn_t *drawn; /**< [drawn_count] */
    int drawn_count;
    const rc_page_spy_t *spy; /**< [survey.matrices]; NULL: none */
    const char *spy_note;     /**< why some or all are missing; NULL: none is */
} rc_page_t;

/** Write DIR/index.html from the assets page.html, page.css and page.js.
 *  \param[in] assets  directory of these
 *  \return RC_OK, RC_ENOENT (an asset), RC_EIO, RC_ENOMEM */
rc_status_t rc_page_write(
    const rc_page_t *page, const char *assets, const char *dir, rc_err_t *err);

#endif
