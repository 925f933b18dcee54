/** \file analysis/papers/paper.h  The tables and figures of five papers from a store, each with
 *  the paper's own figures beside.  A paper is one descriptor and one line in a list; so is a
 *  table.  What a paper prints stands in files FOLDER/NAME.tsv, which the build turns into lists
 *  of lines. */
#ifndef RC_ANALYSIS_PAPERS_PAPER_H
#define RC_ANALYSIS_PAPERS_PAPER_H

#include "analysis/summary/summary.h"
#include "table/counted.h"

typedef struct rc_paper {
    const char *name;
    const char *cite;
    const rc_summary_t *const *tables; /**< NULL-terminated */
} rc_paper_t;

/** NULL-terminated. */
extern const rc_paper_t *const rc_papers[];

/** NULL: there is none of the name. */
const rc_paper_t *rc_paper_find(const char *name);

/** A table by its name, or by a figure or table of the paper that it shows; NULL. */
const rc_summary_t *rc_paper_table(const rc_paper_t *p, const char *word);

/** The paper that has a table of this name; NULL. */
const rc_paper_t *rc_paper_of_table(const char *table);

extern const rc_paper_t rc_paper_mehrabi;
extern const rc_paper_t rc_paper_hong;
extern const rc_paper_t rc_paper_nisa;
extern const rc_paper_t rc_paper_jiang;
extern const rc_paper_t rc_paper_lane;

/** Tables that a summary of 'rowcast query' shows too. */
extern const rc_summary_t rc_summary_hong_rate;
extern const rc_summary_t rc_summary_nisa_rates;

/** Name the training matrices of the tuning of rs to the view, for a table that leaves them out.
 *  \return RC_OK, also without any; as rc_tuning_read for a file that was asked for */
rc_status_t rc_summary_mark_training(
    rc_view_t *v, const rc_summary_t *s, const rc_summary_options_t *o, rc_err_t *err);

/** The lines of the data files; NULL-terminated. */
#define RC_PAPER_DATA(name) extern const char *const rc_##name[];
#include "analysis/papers/data.def"
#undef RC_PAPER_DATA

/** The first line whose cells fit the keys.  A cell of a key is a list of globs with '|' between;
 *  one without parameters fits a kernel with any.
 *  \return the cells behind the keys, apart by tabs; NULL: no line does */
const char *rc_paper_line(const char *const *data, const char *const *key, int keys);

/** Number i of such cells; NaN for "-" and for NULL. */
double rc_paper_number(const char *cells, int i);

/** Text behind n cells, the last of the line; "" for "-" and for NULL. */
const char *rc_paper_text(const char *cells, int n);

/** What a paper says of a setting: the text of a line of words.tsv by table, operation,
 *  precision, K, and two names.
 *  \param[in] s  NULL: of any  \return NULL: it has no such setting */
const char *rc_paper_says(const char *const *words, const char *table, const rc_setting_t *s,
    const char *a, const char *b);

/** The cell of it; where there is no such setting an empty text. */
void rc_paper_put_text(rc_table_t *t, const char *text);

#endif
