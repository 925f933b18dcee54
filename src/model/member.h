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

/* Lists of numbers: messages name the element ("nets[0].layers[1].bias[3]: expected a number, found
 * null").  What is read is never larger than what the text holds. */

/** Read exactly n finite numbers.
 *  \param[in]  path  of the object, "" at the top
 *  \param[out] to    [n], the caller's
 *  \return RC_OK, RC_EFORMAT */
rc_status_t rc_numbers_real(
    const json_t *object, const char *path, const char *key, size_t n, double *to, rc_err_t *err);

/** Read exactly n whole numbers in [min, max]. */
rc_status_t rc_numbers_int(const json_t *object, const char *path, const char *key, size_t n,
    int32_t min, int32_t max, int32_t *to, rc_err_t *err);

/** Set member `key` of an object to a list.
 *  \return RC_OK, RC_EINVAL (a number that is not finite: names it), RC_ENOMEM */
rc_status_t rc_numbers_set_real(
    json_t *object, const char *path, const char *key, const double *from, size_t n, rc_err_t *err);
rc_status_t rc_numbers_set_int(
    json_t *object, const char *key, const int32_t *from, size_t n, rc_err_t *err);

#endif
