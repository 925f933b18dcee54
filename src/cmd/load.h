/** \file cmd/load.h  A matrix named on the command line. */
#ifndef RC_CMD_LOAD_H
#define RC_CMD_LOAD_H

#include "rowcast_io.h"

/** The row of an option table for a bound of memory. */
#define RC_MEMORY_OPTION(offset)                                                                   \
    RC_OPT("memory", 0, RC_OPT_BYTES, (offset), "BYTES",                                           \
        "Memory for the matrix and, where rows are ordered, for the builder of the order; a "      \
        "matrix that needs more is refused with the figures, before its entries are kept. "        \
        "Default: what is available, and not more than 2 GiB and 4096 bytes for each byte of "     \
        "the file.")

/** Read the matrix that a word names: a file when there is one of that name or the word looks like
 *  one (has '/' or ".mtx"), else a matrix of the built-in set, else a generator spec.
 *  Says on stderr when the values of a complex file are left aside.
 *  \param[in]  threads  0: all
 *  \param[in]  memory   what RC_MEMORY_OPTION brought: bytes, 0 when it was not given
 *  \param[in]  orders   1: an order of its rows is built too
 *  \param[out] info     what the file is; zeroed for generated matrices
 *  \return as rc_mtx_read and rc_generate.  Free with rc_csr_free. */
rc_status_t rc_command_load(const char *word, int threads, int64_t memory, int orders,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** Name the matrix in what went wrong with it after it was loaded, unless the text names it
 *  already, or an option or a file that is written.
 *  \return st */
rc_status_t rc_command_name_file(const char *word, rc_status_t st, rc_err_t *err);

#endif
