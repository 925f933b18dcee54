/** \file cmd/named.h  What words of the command line name: a matrix, a model, a device. */
#ifndef RC_CMD_NAMED_H
#define RC_CMD_NAMED_H

#include "base/str.h"
#include "device/device.h"
#include "model/model.h"
#include "rowcast_io.h"

/** The row of an option table for a bound of memory. */
#define RC_MEMORY_OPTION(offset)                                                                   \
    RC_OPT("memory", 0, RC_OPT_BYTES, (offset), "BYTES",                                           \
        "Memory for the matrix and, where rows are ordered, for the builder of the order; a "      \
        "matrix that needs more is refused with the figures, before its entries are kept. "        \
        "Default: what is available, and not more than 2 GiB and 4096 bytes for each byte of "     \
        "the file.")

/** What FILE may be; sentences of a description. */
#define RC_FILE_HELP                                                                               \
    "FILE is a Matrix Market file (plain, .gz, .xz, .zst, .bz2, or a .tar.gz of the SuiteSparse "  \
    "collection), an .npz of SciPy, a .mat of that collection, or, when there is no such file, "   \
    "the name of a built-in matrix or a generator spec (see rowcast generate)."

/** Read the matrix that a word names: a file when there is one of that name or the word looks like
 *  one (has '/', ".mtx", ".npz" or ".mat"), else a matrix of the built-in set, else a generator
 *  spec.
 *  Says on stderr when the values of a complex file are left aside.
 *  \param[in]  threads  0: all
 *  \param[in]  memory   what RC_MEMORY_OPTION brought: bytes, 0 when it was not given
 *  \param[in]  orders   1: an order of its rows is built too
 *  \param[out] info     what the file is; zeroed for generated matrices
 *  \return as rc_mtx_read and rc_generate.  Free with rc_csr_free. */
rc_status_t rc_command_load(const char *word, int threads, int64_t memory, int orders,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** How a matrix is loaded: what rc_command_load takes. */
typedef struct rc_command_loading {
    int threads;
    int64_t memory;
    int orders;
} rc_command_loading_t;

/** The same, with complex values: those of a complex file, else rc_mtx_parts.
 *  \param[out] parts  [2 * nnz] free()  \return as rc_command_load */
rc_status_t rc_command_load_complex(const char *word, const rc_command_loading_t *how,
    rc_csr_t *out, double **parts, rc_err_t *err);

/** Name the matrix in what went wrong with it after it was loaded, unless the text names it
 *  already, or an option or a file that is written.
 *  \return st */
rc_status_t rc_command_name_file(const char *word, rc_status_t st, rc_err_t *err);

/** Refuse "-" as what --output names, of a command that prints a table there or writes a folder.
 *  \param[in] what  it is to name, "a folder"
 *  \return RC_OK, RC_EINVAL */
rc_status_t rc_command_not_stdout(const char *path, const char *what, rc_err_t *err);

/** What --help says of the operand. */
#define RC_MODELS_HELP                                                                             \
    "A model is a file that 'rowcast train' wrote, or the name of one (without .json) in the "     \
    "directory $ROWCAST_MODELS or among the installed ones (" RC_PKGDATADIR "/models)."

/** The file that a word stands for: see rc_command_model.
 *  \param[out] path  free()
 *  \return RC_OK (also when the word looks like a file that is not there), RC_ENOENT, RC_ENOMEM */
rc_status_t rc_command_find_model(const char *word, char **path, rc_err_t *err);

/** Files of the models in $ROWCAST_MODELS, then of the installed ones.
 *  \param[out] out  rc_words_free
 *  \return RC_OK, RC_ENOENT (there are none), RC_ENOMEM */
rc_status_t rc_command_model_paths(rc_words_t *out, rc_err_t *err);

/** Read the model that a word names: a file when there is one of that name or the word looks like
 *  one (has '/' or ".json"), else a model of that name in $ROWCAST_MODELS or installed.
 *  \return as rc_model_read; RC_ENOENT lists the names there are; a model that this program cannot
 *          serve is RC_EFORMAT, so that it does not read as a wrong option */
rc_status_t rc_command_model(const char *word, rc_model_t **out, rc_err_t *err);

/** Names of the models in $ROWCAST_MODELS and of the installed ones, with newlines between them. */
void rc_command_model_names(rc_str_t *out);

/** Open the device that `--device` names.
 *  \param[in] name  "cpu", "cuda", or "auto" (also NULL): a GPU where there is one
 *  \param[in] threads  of the host, 0: all
 *  \param[out] out  close with rc_device_close
 *  \return RC_OK, RC_EINVAL (another name), RC_EDEVICE, RC_ENOMEM */
rc_status_t rc_command_open_device(const char *name, int threads, rc_device_t **out, rc_err_t *err);

#endif
