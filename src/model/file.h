/** \file model/file.h  What reading and writing model files share. */
#ifndef RC_MODEL_FILE_H
#define RC_MODEL_FILE_H

#include "model/model.h"

/** A model from the JSON value of its file: every member is checked; the feature set, policies and
 *  their versions are not (rc_model_check).
 *  \return RC_OK, RC_EFORMAT (names the member, expected and found), RC_ENOTSUP (version of the
 *          file, kind of predictor or its version), RC_ENOMEM */
rc_status_t rc_model_from_json(const json_t *root, rc_model_t **out, rc_err_t *err);

#endif
