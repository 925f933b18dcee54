/** \file base/opt.h  Command-line options as tables: parsing, --help, manual page and completion
 *  all come from the same rows, so they cannot disagree. */
#ifndef RC_BASE_OPT_H
#define RC_BASE_OPT_H

#include "rowcast.h"
#include <stdio.h>

typedef enum rc_opt_kind {
    RC_OPT_FLAG,   /**< int, set to 1 */
    RC_OPT_INT,    /**< int64_t, at least min; at most max when max > min */
    RC_OPT_DOUBLE, /**< double, within [min, max] when max > min */
    RC_OPT_BYTES,  /**< int64_t, with suffix K, M, G, T */
    RC_OPT_TEXT    /**< const char *, borrowed from argv */
} rc_opt_kind_t;

/** One option "--name=VALUE" or "--name VALUE"; `letter` 0 for none.  A table is constant, ends
 *  with a row whose name is NULL, and says where a value goes in the command's options struct,
 *  which holds the defaults before parsing. */
typedef struct rc_opt {
    const char *name;
    char letter;
    rc_opt_kind_t kind;
    size_t offset;    /**< of the value in the options struct: offsetof(struct ..., member) */
    const char *arg;  /**< placeholder in the help: "FILE"; NULL for a flag */
    const char *help; /**< one or two sentences; say the default and the unit */
    double min;       /**< for RC_OPT_INT and RC_OPT_DOUBLE */
    double max;
} rc_opt_t;

/** A row without bounds, and the one that ends a table. */
#define RC_OPT(name, letter, kind, offset, arg, help)                                              \
    {                                                                                              \
        name, letter, kind, offset, arg, help, 0, 0                                                \
    }
#define RC_OPT_END RC_OPT(NULL, 0, RC_OPT_FLAG, 0, NULL, NULL)

/** Parse argv[1..argc) against a table.  "--" ends the options.
 *  \param[out]    options    struct that the offsets of the table refer to
 *  \param[in,out] argv       permuted so that the operands come last, in order
 *  \param[out]    first_operand  index of the first operand, argc when there is none
 *  \return RC_OK, with a line in err->text when an old letter was used, which works; or RC_EINVAL
 *          with one line that names the option; a near name is suggested */
rc_status_t rc_opt_parse(
    const rc_opt_t *table, void *options, int argc, char **argv, int *first_operand, rc_err_t *err);

/** Print a text and a line's end, its lines of at most `width` columns from `column` on, where the
 *  first begins. */
void rc_wrap(const char *text, int column, int width, FILE *out);

/** Print the rows as help text, wrapped at 80 columns. */
void rc_opt_help(const rc_opt_t *table, FILE *out);

#endif
