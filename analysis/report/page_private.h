/** \file analysis/report/page_private.h  Parts of the document of a report.  Inner header. */
#ifndef RC_ANALYSIS_PAGE_PRIVATE_H
#define RC_ANALYSIS_PAGE_PRIVATE_H

#include "analysis/report/answer.h"
#include "analysis/report/headline.h"
#include "analysis/report/json.h"
#include "analysis/report/page.h"

/** The document: numbers, names, and what there is to see.  \param[in] headline, answer  [settings]
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_page_document(rc_json_t *j, const rc_page_t *p, const rc_headline_t *headline,
    const rc_answer_t *answer, rc_err_t *err);

/** Its member "run": what was run, on what, when, by which build, and how complete it is.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_page_run(rc_json_t *j, const rc_page_t *p, rc_err_t *err);

/** Drawings and pictures of matrices: {"figures": {NAME: SVG}, "spies": {INDEX: ...}}. */
void rc_page_pictures(rc_json_t *j, const rc_page_t *p);

#endif
