/** \file cmd/load.h  A matrix named on the command line. */
#ifndef RC_CMD_LOAD_H
#define RC_CMD_LOAD_H

#include "rowcast_io.h"

/** The row of an option table for a bound of memory. */
#define RC_MEMORY_OPTION(offset)                                                                   \
    {                                                                                              \
        "memory", 0, RC_OPT_BYTES, (offset), "BYTES",                                              \
            "Memory for reading the matrix; one that needs more is refused with the figures, "     \
            "before it is read. Default: what is available, and not more than a gigabyte for rows without "  \
            "entries.",                                                                            \
            0, 0                                                                                   \
    }

/** Say in the error of a command that lacked memory how much it had: returns st. */
rc_status_t rc_command_bounded(rc_status_t st, int64_t memory, rc_err_t *err);

/** Read the matrix that a word names: a file when there is one of that name or the word looks like
 *  one (has '/' or ".mtx"), else a matrix of the built-in set, else a generator spec.
 *  Says on stderr when the values of a complex file are left aside.
 *  \param[in]  threads  0: all
 *  \param[in]  memory   as rc_mtx_read_within takes it
 *  \param[out] info     what the file is; zeroed for generated matrices
 *  \return as rc_mtx_read and rc_generate.  Free with rc_csr_free. */
rc_status_t rc_command_load(const char *word, int threads, int64_t memory, rc_csr_t *out,
    rc_mtx_info_t *info, rc_err_t *err);

#endif
