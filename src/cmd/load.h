/** \file cmd/load.h  A matrix named on the command line. */
#ifndef RC_CMD_LOAD_H
#define RC_CMD_LOAD_H

#include "rowcast_io.h"

/** Read the matrix that a word names: a file when there is one of that name or the word looks like
 *  one (has '/' or ".mtx"), else a matrix of the built-in set, else a generator spec.
 *  Says on stderr when the values of a complex file are left aside.
 *  \param[in]  threads  0: all
 *  \param[out] info     what the file is; zeroed for generated matrices
 *  \return as rc_mtx_read and rc_generate.  Free with rc_csr_free. */
rc_status_t rc_command_load(
    const char *word, int threads, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

#endif
