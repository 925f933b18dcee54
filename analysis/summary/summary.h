/** \file analysis/summary/summary.h  Tables over the results of a store, on stdout.  A table is
 *  one constant descriptor and one line in a list: those of 'rowcast query' stand here, those of
 *  a paper in analysis/papers. */
#ifndef RC_ANALYSIS_SUMMARY_H
#define RC_ANALYSIS_SUMMARY_H

#include "base/expr.h"
#include "table/print.h"
#include "table/view.h"

/** What a table is of, and what the command line says of it; zero-initialised, NULL and 0 stand for
 *  defaults. */
typedef struct rc_summary_options {
    const rc_view_t *view;
    const rc_expr_t *where; /**< only rows that match; NULL: all */
    rc_table_format_t format;
    const char *store; /**< its path: tables that need features read it again */
    const char *op;    /**< what --op says */
    int paper;         /**< 1: with what the paper prints beside */
    int by_matrix;     /**< a line for each matrix */
    const char *side_a;
    const char *side_b;
    const char *orders;
    const char *kernel;
    const char *plan;        /**< of Jiang et al. */
    const char *by;          /**< a feature, the lines are of quarters of it */
    const char *limits;      /**< a file of calibrate --limits; NULL: the installed one */
    const char *contestants; /**< a name of a list, or sides between semicolons */
    const char *tuning;      /**< whose training matrices are left out; NULL: the usual one */
    int64_t top;
    const struct rc_nisa_fits *fits; /**< of tables that fit models, for them not NULL */
} rc_summary_options_t;

/** Which of them a table takes. */
enum {
    RC_TAKES_MATRICES = 1,
    RC_TAKES_SIDES = 2,
    RC_TAKES_ORDERS = 4,
    RC_TAKES_KERNEL = 8,
    RC_TAKES_PLAN = 16,
    RC_TAKES_BY = 32,
    RC_TAKES_LIMITS = 64,
    RC_TAKES_CONTESTANTS = 128,
    RC_TAKES_TUNING = 256, /**< and leaves out training matrices */
    RC_TAKES_TOP = 512
};

typedef struct rc_summary {
    const char *name;
    const char *shows;   /**< of its paper, words: "figure-6 figure-7"; NULL */
    const char *summary; /**< one line, no full stop */
    unsigned takes;
    /** Print it.  \return RC_OK, RC_EINVAL (an option), RC_ENOMEM, RC_EIO */
    rc_status_t (*print)(const rc_summary_options_t *o, rc_err_t *err);
    /** Instead: a table whose lines need nothing that is made before them.  NULL: none */
    const struct rc_lines *lines;
    /** Instead: a table of fits, which reads the store itself.  NULL: none */
    const struct rc_study_mode *fits;
} rc_summary_t;

/** Those of 'rowcast query'; NULL-terminated. */
extern const rc_summary_t *const rc_summaries[];

#define RC_SUMMARY(id) extern const rc_summary_t rc_summary_##id;
#include "analysis/summary/summaries.def"
#undef RC_SUMMARY

/** Say on stderr how many results of a table, those that match, have no csr of their own run, and
 *  on how many matrices several cards are compared.  Nothing where all is well.
 *  \param[in] what  the command, e.g. "query"  \return RC_OK, RC_ENOMEM */
rc_status_t rc_summary_tell_pairs(
    const char *what, const rc_view_t *v, const rc_expr_t *where, rc_err_t *err);

/** The table of a name in a list; NULL. */
const rc_summary_t *rc_summary_find(const rc_summary_t *const *list, const char *name);

/** \return RC_OK; RC_EINVAL for an option that the table does not take */
rc_status_t rc_summary_check(const rc_summary_t *s, const rc_summary_options_t *o, rc_err_t *err);

#endif
