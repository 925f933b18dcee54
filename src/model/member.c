#include "config.h"
#include "model/member.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { WORD = 48 };

/* What stands there, short enough for a message. */
static void describe(const json_t *v, char *to, size_t size)
{
    if (!v)
        snprintf(to, size, "none");
    else if (json_is_string(v))
        snprintf(to, size, "'%.*s'%s", WORD, json_string_value(v),
            json_string_length(v) > WORD ? "..." : "");
    else if (json_is_integer(v))
        snprintf(to, size, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    else if (json_is_real(v))
        snprintf(to, size, "%.17g", json_real_value(v));
    else if (json_is_array(v))
        snprintf(to, size, "an array of %zu", json_array_size(v));
    else if (json_is_object(v))
        snprintf(to, size, "an object of %zu", json_object_size(v));
    else
        snprintf(to, size, "%s", json_is_null(v) ? "null" : json_is_true(v) ? "true" : "false");
}

rc_status_t rc_member_wrong(
    const json_t *found, const char *path, const char *key, const char *expected, rc_err_t *err)
{
    char text[2 * WORD];
    describe(found, text, sizeof text);
    return rc_fail(err, RC_EFORMAT, "%s%s%s: expected %s, found %s", path,
        path[0] && key ? "." : "", key ? key : "", expected, text);
}

rc_status_t rc_member_only(
    const json_t *object, const char *path, const char *const *keys, rc_err_t *err)
{
    if (!json_is_object(object))
        return rc_member_wrong(object, path[0] ? path : "the file", NULL, "an object", err);
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        int i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (keys[i])
            continue;
        (void)rc_fail_unknown(err, RC_EFORMAT, "member", key, keys, -1);
        return path[0] ? rc_err_context(err, "%s", path) : RC_EFORMAT;
    }
    return RC_OK;
}

rc_status_t rc_member_text(
    const json_t *object, const char *path, const char *key, char *to, size_t size, rc_err_t *err)
{
    const json_t *v = json_object_get(object, key);
    size_t n = json_is_string(v) ? json_string_length(v) : 0;
    int plain = n > 0 && n < size;
    const char *text = json_string_value(v);
    plain = plain && strlen(text) == n && rc_is_visible(text);
    if (!plain) {
        char expected[80];
        snprintf(expected, sizeof expected, "a text of 1 to %zu bytes without control characters",
            size - 1);
        return rc_member_wrong(v, path, key, expected, err);
    }
    return rc_strcpy(to, size, text, key, err);
}

static int is_whole(const json_t *v, int32_t min, int32_t max)
{
    return json_is_integer(v) && json_integer_value(v) >= min && json_integer_value(v) <= max;
}

static rc_status_t no_whole(
    const json_t *v, const char *path, const char *key, int32_t min, int32_t max, rc_err_t *err)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a whole number from %" PRId32 " to %" PRId32, min, max);
    return rc_member_wrong(v, path, key, expected, err);
}

rc_status_t rc_member_int(const json_t *object, const char *path, const char *key, int32_t min,
    int32_t max, int32_t *out, rc_err_t *err)
{
    const json_t *v = json_object_get(object, key);
    if (!is_whole(v, min, max))
        return no_whole(v, path, key, min, max, err);
    *out = (int32_t)json_integer_value(v);
    return RC_OK;
}

static int is_real(const json_t *v)
{
    return json_is_number(v) && isfinite(json_number_value(v));
}

rc_status_t rc_member_real(
    const json_t *object, const char *path, const char *key, double *out, rc_err_t *err)
{
    const json_t *v = json_object_get(object, key);
    if (!is_real(v))
        return rc_member_wrong(v, path, key, "a number", err);
    *out = json_number_value(v);
    return RC_OK;
}

rc_status_t rc_member_name(const json_t *object, const char *path, const char *key,
    const char *const *names, int *out, rc_err_t *err)
{
    const json_t *v = json_object_get(object, key);
    const char *text = json_string_value(v);
    for (int i = 0; text && names[i]; i++)
        if (strcmp(names[i], text) == 0) {
            *out = i;
            return RC_OK;
        }
    rc_str_t list = {0};
    for (int i = 0; names[i]; i++)
        rc_str_addf(&list, "%s%s", i ? ", " : "one of ", names[i]);
    rc_member_wrong(v, path, key, list.text && !list.failed ? list.text : "a known name", err);
    rc_str_free(&list);
    return RC_EFORMAT;
}

rc_status_t rc_member_object(
    const json_t *object, const char *path, const char *key, const json_t **out, rc_err_t *err)
{
    const json_t *v = json_object_get(object, key);
    if (!json_is_object(v))
        return rc_member_wrong(v, path, key, "an object", err);
    *out = v;
    return RC_OK;
}

rc_status_t rc_member_array(const json_t *object, const char *path, const char *key, int min,
    int max, const json_t **out, rc_err_t *err)
{
    const json_t *v = json_object_get(object, key);
    size_t n = json_array_size(v);
    if (!json_is_array(v) || n < (size_t)min || n > (size_t)max) {
        char expected[64];
        if (min == max)
            snprintf(expected, sizeof expected, "an array of %d", min);
        else
            snprintf(expected, sizeof expected, "an array of %d to %d", min, max);
        return rc_member_wrong(v, path, key, expected, err);
    }
    *out = v;
    return RC_OK;
}

/* ------------------------------------------------------------ lists of numbers */

enum { ELEMENT = 64 };

/* "bias[3]" */
static const char *element(const char *key, size_t i, char name[ELEMENT])
{
    snprintf(name, ELEMENT, "%s[%zu]", key, i);
    return name;
}

rc_status_t rc_numbers_real(
    const json_t *object, const char *path, const char *key, size_t n, double *to, rc_err_t *err)
{
    const json_t *list;
    char name[ELEMENT];
    RC_PASS(rc_member_array(object, path, key, (int)n, (int)n, &list, err));
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!is_real(v))
            return rc_member_wrong(v, path, element(key, i, name), "a number", err);
        to[i] = json_number_value(v);
    }
    return RC_OK;
}

rc_status_t rc_numbers_int(const json_t *object, const char *path, const char *key, size_t n,
    int32_t min, int32_t max, int32_t *to, rc_err_t *err)
{
    const json_t *list;
    char name[ELEMENT];
    RC_PASS(rc_member_array(object, path, key, (int)n, (int)n, &list, err));
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(list, i);
        if (!is_whole(v, min, max))
            return no_whole(v, path, element(key, i, name), min, max, err);
        to[i] = (int32_t)json_integer_value(v);
    }
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
