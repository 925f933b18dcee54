/** \file model/numbers.h  Lists of numbers in JSON objects, checked as model/member.h checks single
 *  members: messages name the element ("nets[0].layers[1].bias[3]: expected a number, found null").
 *  What is read is never larger than what the text holds. */
#ifndef RC_MODEL_NUMBERS_H
#define RC_MODEL_NUMBERS_H

#include "rowcast.h"

#include <jansson.h>

/** Read exactly n finite numbers.
 *  \param[in]  path  of the object, "" at the top
 *  \param[out] to    [n], the caller's
 *  \return RC_OK, RC_EFORMAT */
rc_status_t rc_numbers_real(
    const json_t *object, const char *path, const char *key, size_t n, double *to, rc_err_t *err);

/** Read exactly n whole numbers in [min, max]. */
rc_status_t rc_numbers_int(const json_t *object, const char *path, const char *key, size_t n,
    int32_t min, int32_t max, int32_t *to, rc_err_t *err);

/** Length of the list, at most `most`; RC_EFORMAT when it is no list or longer. */
rc_status_t rc_numbers_count(const json_t *object, const char *path, const char *key, int32_t most,
    int32_t *out, rc_err_t *err);

/** Set member `key` of an object to a list.
 *  \return RC_OK, RC_EINVAL (a number that is not finite: names it), RC_ENOMEM */
rc_status_t rc_numbers_set_real(
    json_t *object, const char *path, const char *key, const double *from, size_t n, rc_err_t *err);
rc_status_t rc_numbers_set_int(
    json_t *object, const char *key, const int32_t *from, size_t n, rc_err_t *err);

#endif
