/** \file cmd/one_matrix.h  What the commands on one matrix share (features, format, order, tiles,
 *  spy): the options for geometry, threads, memory and format, and their beginning: parse, check,
 *  read the matrix. */
#ifndef RC_CMD_ONE_MATRIX_H
#define RC_CMD_ONE_MATRIX_H

#include "cmd/cmd.h"
#include "cmd/load.h"
#include "table/print.h"
#include "rowcast_io.h"

/** Options in a command's own struct, as its first member; start from RC_ONE_MATRIX_DEFAULTS. */
typedef struct rc_one_matrix_options {
    int64_t nw;
    int64_t nt;
    int64_t line;
    int64_t threads;
    int64_t memory;
    const char *format;
} rc_one_matrix_options_t;

#define RC_ONE_MATRIX_DEFAULTS                                                                     \
    {                                                                                              \
        .nw = 32, .nt = 32, .line = 32                                                             \
    }

/** Rows of an option table; `at(member)` is the offset of a member of rc_one_matrix_options_t in
 *  the command's struct. */
#define RC_ONE_MATRIX_OPTIONS(at)                                                                  \
    {"nw", 0, RC_OPT_INT, at(nw), "N",                                                             \
        "Warps of a CTA, or threads of a team, N_w; slot p belongs to warp p mod N. Default 32.",  \
        1, 65536},                                                                                 \
        {"nt", 0, RC_OPT_INT, at(nt), "N",                                                         \
            "Lanes of a warp (CPU: SIMD lanes), N_t: entries of a row that it takes at a time. "   \
            "Default 32.",                                                                         \
            1, 65536},                                                                             \
        {"line", 0, RC_OPT_INT, at(line), "N",                                                     \
            "Columns of A per cache line of a column of B: line bytes / value bytes. Default 32: " \
            "128 bytes in fp32.",                                                                  \
            1, 65536},                                                                             \
        RC_ONE_MATRIX_READING(at)

/** Those of them that have nothing to do with geometry. */
#define RC_ONE_MATRIX_READING(at)                                                                  \
    {"threads", 't', RC_OPT_INT, at(threads), "N",                                                 \
        "Threads to use; the result does not depend on it. Default 0: all.", 0, 4096},             \
        RC_MEMORY_OPTION(at(memory))

/** What FILE may be; a paragraph of a description. */
#define RC_ONE_MATRIX_HELP                                                                         \
    "FILE is a Matrix Market file (plain, .gz, .xz, .zst, .bz2, or a .tar.gz of the SuiteSparse "  \
    "collection), or, when there is no such file, the name of a built-in matrix or a generator "   \
    "spec (see rowcast generate)."

/** A matrix and how to look at it. */
typedef struct rc_one_matrix {
    const char *word; /**< as named on the command line */
    rc_csr_t a;
    rc_mtx_info_t info; /**< zeroed for generated matrices */
    rc_geometry_t geometry;
    int threads; /**< at least 1 */
    rc_table_format_t format;
} rc_one_matrix_t;

/** What a command adds to the common beginning. */
typedef struct rc_one_matrix_work {
    /** Refuse what is wrong before the matrix is read, which may take long; NULL: nothing is. */
    rc_status_t (*check)(const void *options, rc_err_t *err);
    /** The work itself; the matrix is borrowed. */
    rc_status_t (*work)(const rc_one_matrix_t *m, const void *options, rc_err_t *err);
    /** The row order that it will build, borrowed, for the bound of memory; NULL: none. */
    const char *(*policy)(const void *options);
} rc_one_matrix_work_t;

/** Run a command on one matrix: parse its options and its one operand, check, read, work.  A thing
 *  that this build lacks (RC_ENOTSUP) is no error of usage: the words are right.
 *  \param[in,out] options  the command's struct, which begins with an rc_one_matrix_options_t
 *  \return an rc_exit_t; an error has been printed */
int rc_one_matrix_run(
    const rc_command_t *c, void *options, const rc_one_matrix_work_t *work, int argc, char **argv);

/** RC_OK when there is such a policy; RC_EINVAL with a suggestion otherwise. */
rc_status_t rc_one_matrix_policy(const char *policy, rc_err_t *err);

#endif
