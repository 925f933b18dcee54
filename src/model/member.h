/** \file model/member.h  Members of JSON objects, checked: each call takes one member, says where
 *  it stands and what was expected when it is something else ("inputs[3].scale: expected a number,
 *  found 'x'"), and returns RC_EFORMAT.  `path` is that of the object, "" at the top. */
#ifndef RC_MODEL_MEMBER_H
#define RC_MODEL_MEMBER_H

#include "rowcast.h"

#include <jansson.h>

/** Fill err: "path.key: expected <expected>, found <what is there>"; returns RC_EFORMAT.
 *  \param[in] found  the value, NULL for none;  \param[in] key  NULL: path is that of the value */
rc_status_t rc_member_wrong(
    const json_t *found, const char *path, const char *key, const char *expected, rc_err_t *err);

/** The object has these members at most; the first other one is named.
 *  \param[in] keys  NULL-terminated */
rc_status_t rc_member_only(
    const json_t *object, const char *path, const char *const *keys, rc_err_t *err);

/** A text of 1 to size - 1 bytes without control characters. */
rc_status_t rc_member_text(
    const json_t *object, const char *path, const char *key, char *to, size_t size, rc_err_t *err);

/** A whole number in [min, max]. */
rc_status_t rc_member_int(const json_t *object, const char *path, const char *key, int32_t min,
    int32_t max, int32_t *out, rc_err_t *err);

/** A number (JSON has only finite ones). */
rc_status_t rc_member_real(
    const json_t *object, const char *path, const char *key, double *out, rc_err_t *err);

/** One of some names; its index.
 *  \param[in] names  NULL-terminated */
rc_status_t rc_member_name(const json_t *object, const char *path, const char *key,
    const char *const *names, int *out, rc_err_t *err);

/** An object, or an array of `min` to `max` elements; borrowed. */
rc_status_t rc_member_object(
    const json_t *object, const char *path, const char *key, const json_t **out, rc_err_t *err);
rc_status_t rc_member_array(const json_t *object, const char *path, const char *key, int min,
    int max, const json_t **out, rc_err_t *err);

#endif
