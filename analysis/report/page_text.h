/** \file analysis/report/page_text.h  Texts and numbers of a page, and its parts in HTML and JSON.
 *  Inner header of the report.  All of them append; failures stay in the string. */
#ifndef RC_ANALYSIS_PAGE_TEXT_H
#define RC_ANALYSIS_PAGE_TEXT_H

#include "analysis/report/page.h"
#include "analysis/report/headline.h"
#include "base/str.h"

/** A text for HTML, between tags or in a quoted attribute: & < > " ' become references. */
void rc_page_text(rc_str_t *s, const char *text);
/** As rc_page_text, with places behind ':' where a line may break. */
void rc_page_kernel(rc_str_t *s, const char *name);
/** The same in <code>. */
void rc_page_code(rc_str_t *s, const char *text);
/** 164969 as "164,969". */
void rc_page_count(rc_str_t *s, int64_t n);
/** "1.057&times;", and an en dash for NaN. */
void rc_page_ratio(rc_str_t *s, double ratio);
/** part of whole as "23 %", with a digit more below 10. */
void rc_page_share(rc_str_t *s, int64_t part, int64_t whole);
/** "2026-11-21 10:04 UTC". */
void rc_page_when(rc_str_t *s, int64_t utc_ns);
/** "1 matrix", "12 matrices": the number and the word that fits. */
void rc_page_counted(rc_str_t *s, int64_t n, const char *one, const char *many);

/** A JSON string with quotes; also <, >, & and the line separators of Unicode as \uXXXX, so that no
 *  text can end the script element that it stands in. */
void rc_page_json_text(rc_str_t *s, const char *text);
/** A JSON number of 6 significant digits in as few characters as there are, null for what is not
 *  finite. */
void rc_page_json_real(rc_str_t *s, double x);

/** The answer: headline, sentences, figures, and the same for each setting.
 *  \param[in] headline  [settings] */
void rc_page_headline(rc_str_t *s, const rc_page_t *p);
void rc_page_answer(rc_str_t *s, const rc_page_t *p, const rc_headline_t *headline);
void rc_page_settings(rc_str_t *s, const rc_page_t *p, const rc_headline_t *headline);

/** What was run: devices, versions, completeness, runs.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_page_run(rc_str_t *s, const rc_page_t *p, rc_err_t *err);

/** The sections of figures, and their lines of the table of contents. */
void rc_page_figures(rc_str_t *s, const rc_page_t *p);
void rc_page_figure_links(rc_str_t *s, const rc_page_t *p);

/** What page.js reads.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_page_data(rc_str_t *s, const rc_page_t *p, rc_err_t *err);

#endif
