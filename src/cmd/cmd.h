/** \file cmd/cmd.h  A subcommand is one file that ends in one constant descriptor, and one word in
 *  src/cmd/cmd.am.  --help, the manual pages and the completion come from the descriptors. */
#ifndef RC_CMD_CMD_H
#define RC_CMD_CMD_H

#include "base/opt.h"
#include "rowcast.h"
#include "table/print.h"

#include <stddef.h>

/** Exit codes of the program. */
typedef enum rc_exit {
    RC_EXIT_OK = 0,
    RC_EXIT_FAILED = 1,  /**< it ran, and something failed (a case, a comparison) */
    RC_EXIT_USAGE = 2,   /**< options or operands are wrong; nothing was done */
    RC_EXIT_ERROR = 3,   /**< input, store, memory or machine: the line on stderr says which */
    RC_EXIT_UNCLEAR = 4, /**< it ran, and a comparison has no answer */
    RC_EXIT_AGAIN = 75   /**< drained on request with work left: run it again */
} rc_exit_t;

/** A command once its options are parsed. */
typedef struct rc_call {
    const char *name; /**< of the command */
    void *options;    /**< the command's struct */
    char **operand;
    int operands;
    rc_table_format_t format; /**< what --format says, of a command that has it */
    int words_are_right; /**< 1: what is not supported from now on is a part that the program lacks,
                              no error of usage */
    int code;            /**< rc_exit_t that it ends with when its work succeeds */
} rc_call_t;

typedef struct rc_command {
    const char *name;
    const char *summary;     /**< one line, no full stop */
    const char *usage;       /**< operands after the options: "FILE --order ORDER"; a line for each
                                  form, the ordinary one first */
    const char *description; /**< paragraphs, separated by "\n\n" */
    const char *examples;    /**< lines "command|what it does", separated by "\n"; may be NULL; the
                                  last '|' of a line counts */
    const rc_opt_t *options; /**< table; the --help row is added by main */
    const void *defaults;    /**< the struct of the options before they are parsed */
    size_t options_bytes;    /**< of that struct */
    int operands[2];         /**< so many at least, and at most (-1: any number); of a command with
                                  --unsealed they are stores */
    /** The work, when all of that is as it should be. */
    rc_status_t (*work)(rc_call_t *call, rc_err_t *err);
    /** In the place of `work`, of a command on one matrix (one_matrix.h), its one operand. */
    const struct rc_one_matrix_work *one_matrix;
    /** An older spelling that is another command now; may be NULL.  \return 1: it was one */
    int (*instead)(int argc, char **argv, int *code);
    /** In the place of `work`, where ranks or operands need a parser of their own; argv[0] is the
     *  command's name.  \return an rc_exit_t */
    int (*run)(int argc, char **argv);
} rc_command_t;

/** Members `defaults` and `options_bytes`: a type and its initialisers. */
#define RC_COMMAND_DEFAULTS(type, ...)                                                             \
    .defaults = &(const type){__VA_ARGS__}, .options_bytes = sizeof(type)

/** All commands in the order of cmd.am; NULL-terminated. */
extern const rc_command_t *const rc_commands[];

/** Heading of the group that begins with command i; NULL: it is of the group before. */
const char *rc_command_group(int i);

const rc_command_t *rc_command_find(const char *name);

/** Run a command.  argv[0] is its name.  \return an rc_exit_t */
int rc_command_run(const rc_command_t *c, int argc, char **argv);

/** Parse the options of a command and check its number of operands.
 *  On an error prints "rowcast NAME: text" and how to get help on `errors` (NULL: nowhere; of the
 *  ranks of a job one should speak).
 *  \param[out] operands  first operand in argv
 *  \return RC_EXIT_OK or RC_EXIT_USAGE */
int rc_command_parse(const rc_command_t *c, void *options, int argc, char **argv, int min_operands,
    int max_operands, char ***operands, FILE *errors);

/** Print "rowcast NAME: error text" on stderr and return the exit code that fits the status. */
int rc_command_fail(const rc_command_t *c, const rc_err_t *err);

/** Print a table of a paper as an older spelling asks for it.
 *  \param[in] argv  of the older command; NULL where a word means the paper or the table */
int rc_paper_run_as(const char *paper, const char *table, int argc, char **argv);

/** The row of --help, which every command has behind its own. */
extern const rc_opt_t rc_command_help_row[];

/** Print the full help of a command. */
void rc_command_help(const rc_command_t *c, FILE *out);

/** Where an option goes: a member of a command's `struct options`. */
#define RC_AT(member) offsetof(struct options, member)

/** The row of an option table for rc_call_t.format. */
#define RC_FORMAT_OPTION(offset)                                                                   \
    RC_OPT("format", 'f', RC_OPT_TEXT, (offset), "FORMAT", "table, csv or json. Default: table.")

/** The row of an option table, of a command that reads stores: what it does with one without a
 *  seal. */
#define RC_UNSEALED_OPTION(offset)                                                                 \
    RC_OPT("unsealed", 0, RC_OPT_FLAG, (offset), NULL,                                             \
        "Also read a store without digests of its bytes (one that rowcast wrote before it "        \
        "wrote any, that was cut short, or that another program changed), in a process of "        \
        "its own, for damage can make the reader crash or hang: it is ended when it gets no "      \
        "further for 60 s (environment: ROWCAST_UNSEALED_SECONDS; 0: never).")

/** Look at the stores of a command before HDF5 sees a byte of them.  When one has no seal it is
 *  refused, or with `allowed` the rest of the command runs in a child process (store/guard.h): so
 *  this comes right behind rc_command_parse.
 *  \param[in]  stores  n names, or fewer and NULL
 *  \param[out] code    when it is over: the exit code of the command
 *  \return 1 when the command is over, as something was printed or a child did it; 0: go on */
int rc_command_unsealed(const rc_command_t *c, int allowed, char *const *stores, int n, int *code);

#endif
