#include "config.h"
#include "model/numbers.h"
#include "base/error.h"
#include "model/member.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static rc_status_t wrong_element(const json_t *found, const char *path, const char *key, size_t i,
    const char *expected, rc_err_t *err)
{
    char name[64];
    snprintf(name, sizeof name, "%s[%zu]", key, i);
    return rc_member_wrong(found, path, name, expected, err);
}

static rc_status_t list_of(const json_t *object, const char *path, const char *key, size_t n,
    const json_t **out, rc_err_t *err)
{
    const json_t *list = json_object_get(object, key);
    if (!json_is_array(list) || json_array_size(list) != n) {
        char expected[64];
        snprintf(expected, sizeof expected, "an array of %zu", n);
        return rc_member_wrong(list, path, key, expected, err);
    }
    *out = list;
    return RC_OK;
}

rc_status_t rc_numbers_real(
    const json_t *object, const char *path, const char *key, size_t n, double *to, rc_err_t *err)
{
    const json_t *list = NULL;
    rc_status_t st = list_of(object, path, key, n, &list, err);
    for (size_t i = 0; st == RC_OK && i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_number(v) || !isfinite(json_number_value(v)))
            st = wrong_element(v, path, key, i, "a number", err);
        to[i] = json_number_value(v);
    }
    return st;
}

rc_status_t rc_numbers_int(const json_t *object, const char *path, const char *key, size_t n,
    int32_t min, int32_t max, int32_t *to, rc_err_t *err)
{
    const json_t *list = NULL;
    rc_status_t st = list_of(object, path, key, n, &list, err);
    for (size_t i = 0; st == RC_OK && i < n; i++) {
        const json_t *v = json_array_get(list, i);
        json_int_t value = json_integer_value(v);
        if (!json_is_integer(v) || value < min || value > max) {
            char expected[64];
            snprintf(
                expected, sizeof expected, "a whole number from %" PRId32 " to %" PRId32, min, max);
            st = wrong_element(v, path, key, i, expected, err);
        } else {
            to[i] = (int32_t)value;
        }
    }
    return st;
}

rc_status_t rc_numbers_count(const json_t *object, const char *path, const char *key, int32_t most,
    int32_t *out, rc_err_t *err)
{
    const json_t *list = json_object_get(object, key);
    if (!json_is_array(list) || json_array_size(list) > (size_t)most) {
        char expected[64];
        snprintf(expected, sizeof expected, "an array of at most %" PRId32, most);
        return rc_member_wrong(list, path, key, expected, err);
    }
    *out = (int32_t)json_array_size(list);
    return RC_OK;
}

/* Put a list into an object; the list is taken, also by a failure. */
static rc_status_t put(json_t *object, const char *key, json_t *list, int complete, rc_err_t *err)
{
    if (!complete) {
        json_decref(list);
        list = NULL;
    }
    if (json_object_set_new(object, key, list) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory for the list '%s' of a model", key);
    return RC_OK;
}

rc_status_t rc_numbers_set_real(
    json_t *object, const char *path, const char *key, const double *from, size_t n, rc_err_t *err)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(from[i]))
            return rc_fail(err, RC_EINVAL, "%s%s%s[%zu]: expected a finite number, found %g", path,
                path[0] ? "." : "", key, i, from[i]);
    json_t *list = json_array();
    int complete = list != NULL;
    for (size_t i = 0; complete && i < n; i++)
        complete = json_array_append_new(list, json_real(from[i])) == 0;
    return put(object, key, list, complete, err);
}

rc_status_t rc_numbers_set_int(
    json_t *object, const char *key, const int32_t *from, size_t n, rc_err_t *err)
{
    json_t *list = json_array();
    int complete = list != NULL;
    for (size_t i = 0; complete && i < n; i++)
        complete = json_array_append_new(list, json_integer(from[i])) == 0;
    return put(object, key, list, complete, err);
}
