/** \file cmd/rows.h  Options that choose result rows of a store, and tables over them. */
#ifndef RC_CMD_ROWS_H
#define RC_CMD_ROWS_H

#include "analysis/summary/summary.h"
#include "base/opt.h"
#include "base/str.h"
#include "table/side.h"

/** What the command line says; NULL: all. */
typedef struct rc_rows_options {
    const char *where;
    const char *op;
    const char *kernels;
    const char *k;
    const char *precision;
    const char *device;
    const char *generated;
    int noisy; /**< 1: noisy results are taken for ok */
} rc_rows_options_t;

/** Rows of an option table; `at(member)` is the offset of a member in the command's struct. */
#define RC_ROWS_OPTIONS(at)                                                                        \
    RC_OPT("where", 'w', RC_OPT_TEXT, at(where), "EXPR",                                           \
        "Only rows that match, e.g. 'status == ok && k == 32 && order ~ hybrid*'."),               \
        RC_OPT("op", 0, RC_OPT_TEXT, at(op), "OPS",                                                \
            "Only rows of these operations, comma-separated: spmm, spmv, spmm_t, sddmm; as "       \
            "--where 'op == OP'. Default: all."),                                                  \
        RC_OPT("kernels", 'x', RC_OPT_TEXT, at(kernels), "PATTERNS",                               \
            "Only rows of these kernels, comma-separated, e.g. 'rs*,cusparse*'; as --where "       \
            "'kernel ~ PATTERN'. Default: all."),                                                  \
        RC_OPT("k", 'k', RC_OPT_TEXT, at(k), "LIST",                                               \
            "Only rows of these K, comma-separated; n is the number of columns of the matrix; as " \
            "--where 'k == K'. Default: all."),                                                    \
        RC_OPT("precision", 0, RC_OPT_TEXT, at(precision), "LIST",                                 \
            "Likewise value types, by commas. Default: all."),                                     \
        RC_OPT("device", 'd', RC_OPT_TEXT, at(device), "DEVICE",                                   \
            "Only rows of device classes that begin so: cpu, cuda, or more of the name; as "       \
            "--where 'device ~ \"DEVICE:*\"'. Default: all."),                                     \
        RC_OPT("generated", 0, RC_OPT_TEXT, at(generated), "EXPR",                                 \
            "Take matrices for generated, too, that have a result that matches, e.g. 'group == "   \
            "vector': files that do not say, as those of rowcast generate do, who made them."),    \
        RC_OPT("noisy", 0, RC_OPT_FLAG, at(noisy), NULL,                                           \
            "Take noisy results for ok: without it they are in no table.")

/** Of tables that query and paper both have; members of rc_summary_options_t. */
#define RC_TABLE_OPTIONS(at)                                                                       \
    RC_OPT("side-a", 'A', RC_OPT_TEXT, at(side_a), "SIDE",                                         \
        "Of versus: KERNELS[@ORDERS][@LAYOUT] (also KERNELS/ORDERS), two lists of patterns, "      \
        "where !PATTERN takes out, and row or col for the layout of B and C; the fastest of a "    \
        "side counts. Default: '" RC_SIDE_OURS "'. Of classes: a "                                 \
        "list of plans (aspt-nr, aspt-rr, aspt-forced, aspt-tried, cusparse), of "                 \
        "KERNEL[@ORDER], and of max(A,B) for the faster of them. Default: aspt-nr,aspt-rr."),      \
        RC_OPT("side-b", 'B', RC_OPT_TEXT, at(side_b), "SIDE",                                     \
            "The other side; ratios are its time over that of side A. Default: '" RC_SIDE_VENDOR   \
            "'; of "                                                                               \
            "classes, cusparse."),                                                                 \
        RC_OPT("orders", 'p', RC_OPT_TEXT, at(orders), "ORDERS",                                   \
            "Of versus: orders of a side that names none: csr, any or a list of patterns. "        \
            "Default: csr."),                                                                      \
        RC_OPT("by", 0, RC_OPT_TEXT, at(by), "FEATURE",                                            \
            "Of rate: a line for each quarter of a feature of the store that is a share, e.g. "    \
            "heavy_ratio."),                                                                       \
        RC_OPT("tuning", 0, RC_OPT_TEXT, at(tuning), "FILE",                                       \
            "Of versus, rate and what is of rs: the tuning whose training matrices, by name, "     \
            "are left out. Default: the installed one; where there is none, those that training "  \
            "on the store would choose.")

/** Add " && (a || b)" of the words of a list over a field: op, kernel, k, precision or device.
 *  \param[in] both  1: operation "both" is A B and A' B
 *  \return RC_OK; RC_EINVAL, which names the option */
rc_status_t rc_rows_add_list(const char *option, const char *field, const char *list, int both,
    rc_str_t *text, rc_err_t *err);

/** --where and the others as one expression.
 *  \param[in]  both  1: operation "both" is A B and A' B
 *  \param[out] out   NULL: all rows; rc_expr_free */
rc_status_t rc_rows_compile(const rc_rows_options_t *o, const rc_fields_t *fields, int both,
    rc_expr_t **out, rc_err_t *err);

/** What nothing matches makes an empty table, which is no error: a line on stderr says so.
 *  \param[in] all  1: rows of cases that were redone count too */
void rc_rows_warn_of_none(const char *command, const rc_view_t *v, const rc_expr_t *where, int all);

/** Take more matrices for generated, those with a result that matches --generated. */
rc_status_t rc_rows_mark_generated(rc_view_t *v, const char *which, rc_err_t *err);

/** What the times of the rows suffered from, as a line on stderr; none where nothing did.
 *  \param[in] who  the line begins so  \param[in] where, run  as of rc_noise_line */
rc_status_t rc_rows_tell_noise(
    const char *who, const rc_view_t *v, const rc_expr_t *where, const char *run, rc_err_t *err);

/** The same of one run of a store.  \param[in] run  its uuid  \return as rc_rows_tell_noise, and of
 *  rc_view_read */
rc_status_t rc_rows_tell_noise_of_run(const char *store, const char *run, rc_err_t *err);

/** Read the store that `o` names and print a table over its rows. */
rc_status_t rc_rows_summary(const char *command, const rc_summary_t *s,
    const rc_rows_options_t *rows, const rc_summary_options_t *o, rc_table_format_t format,
    rc_err_t *err);

#endif
