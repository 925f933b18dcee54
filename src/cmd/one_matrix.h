/** \file cmd/one_matrix.h  What the commands on one matrix share (features, format, order, tiles,
 *  spy): the options for geometry, threads, memory and format, and their beginning: parse, check,
 *  read the matrix. */
#ifndef RC_CMD_ONE_MATRIX_H
#define RC_CMD_ONE_MATRIX_H

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "order/policy.h"
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

/** A matrix and how to look at it. */
typedef struct rc_one_matrix {
    const char *command;
    const char *word; /**< as named on the command line */
    rc_csr_t a;
    rc_mtx_info_t info; /**< zeroed for generated matrices */
    rc_geometry_t geometry;
    int threads; /**< at least 1 */
    rc_table_format_t format;
} rc_one_matrix_t;

/** What a command adds to the common beginning. */
typedef struct rc_one_matrix_work {
    /** Refuse what is wrong before the matrix is read, which may take long.
     *  \param[out] orders  1: a row order will be built, for the bound of memory; 0 before */
    rc_status_t (*check)(const void *options, int *orders, rc_err_t *err);
    /** The work itself; the matrix is borrowed. */
    rc_status_t (*work)(const rc_one_matrix_t *m, const void *options, rc_err_t *err);
} rc_one_matrix_work_t;

/** The work of a command on one matrix: check, read, work.
 *  \param[in,out] call  whose options begin with an rc_one_matrix_options_t */
rc_status_t rc_one_matrix_work(const rc_one_matrix_work_t *work, rc_call_t *call, rc_err_t *err);

/** RC_OK when there is such a policy; RC_EINVAL with a suggestion otherwise.
 *  \param[out] orders  1: it is another order than the original one */
rc_status_t rc_one_matrix_policy(const char *policy, int *orders, rc_err_t *err);

/** Build an order of a matrix, which may take long: from a second on a thread says on stderr how
 *  far it is, in place on a terminal, else in a line every few seconds.
 *  \param[in]  facts    told how it came about; may be NULL
 *  \param[out] seconds  that it took
 *  \return as rc_policy_build.  Without memory or thread for the words there are none */
rc_status_t rc_one_matrix_order(const rc_policy_spec_t *policy, const rc_one_matrix_t *m,
    rc_facts_t *facts, rc_schedule_t *out, double *seconds, rc_err_t *err);

#endif
