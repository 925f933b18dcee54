/** \file cmd/models.h  A model named on the command line. */
#ifndef RC_CMD_MODELS_H
#define RC_CMD_MODELS_H

#include "base/str.h"
#include "model/model.h"

/** What --help says of the operand. */
#define RC_MODELS_HELP                                                                             \
    "A model is a file that 'rowcast train' wrote, or the name of one (without .json) in the "     \
    "directory $ROWCAST_MODELS or among the installed ones (" RC_PKGDATADIR "/models)."

/** The file that a word stands for: see rc_command_model.
 *  \param[out] path  free()
 *  \return RC_OK (also when the word looks like a file that is not there), RC_ENOENT, RC_ENOMEM */
rc_status_t rc_command_find_model(const char *word, char **path, rc_err_t *err);

/** The one model of $ROWCAST_MODELS and the installed ones that fits best.
 *  \param[in]  fits  RC_OK, or why not
 *  \param[in]  rank  of one that fits: the larger, the better; several of the largest are not
 *      decided between
 *  \param[in]  list  where all are listed with what they know when not exactly one fits best
 *  \param[out] out   free with rc_model_free;  \param[out] name  of its file; free()
 *  \return RC_OK, RC_EINVAL (several fit as well), RC_ENOENT (none), RC_ENOMEM */
rc_status_t rc_command_fitting_model(
    rc_status_t (*fits)(const void *context, const rc_model_t *m, rc_err_t *err),
    int (*rank)(const void *context, const rc_model_t *m), const void *context, FILE *list,
    rc_model_t **out, char **name, rc_err_t *err);

/** Read the model that a word names: a file when there is one of that name or the word looks like
 *  one (has '/' or ".json"), else a model of that name in $ROWCAST_MODELS or installed.
 *  \return as rc_model_read; RC_ENOENT lists the names there are; a model that this program cannot
 *          serve is RC_EFORMAT, so that it does not read as a wrong option */
rc_status_t rc_command_model(const char *word, rc_model_t **out, rc_err_t *err);

/** Names of the models in $ROWCAST_MODELS and of the installed ones, with newlines between them. */
void rc_command_model_names(rc_str_t *out);

#endif
