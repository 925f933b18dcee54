#include "config.h"
#include "base/param.h"
#include "base/error.h"
#include "base/str.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rc_params_count(const rc_param_t *param)
{
    int n = 0;
    while (param && n < RC_PARAMS_MAX && param[n].name)
        n++;
    return n;
}

static rc_status_t unknown_key(const rc_param_t *param, const char *key, rc_err_t *err)
{
    const char *names[RC_PARAMS_MAX];
    int n = rc_params_count(param);
    if (n == 0)
        return rc_fail(err, RC_EINVAL, "it has no parameters, found '%s'", key);
    for (int i = 0; i < n; i++)
        names[i] = param[i].name;
    return rc_fail_unknown(err, RC_EINVAL, "parameter", key, names, n);
}

rc_status_t rc_param_word(
    const rc_param_t *param, const char *word, int *index, const char **value, rc_err_t *err)
{
    const char *equals = strchr(word, '=');
    int n = rc_params_count(param);
    if (!equals && n > 0 && param[0].type == RC_PARAM_TEXT) {
        *index = 0;
        *value = word;
        return RC_OK;
    }
    if (!equals)
        return rc_fail(err, RC_EINVAL, "expected key=value, found '%s'", word);
    size_t len = (size_t)(equals - word);
    for (int i = 0; i < n; i++)
        if (strlen(param[i].name) == len && memcmp(param[i].name, word, len) == 0) {
            *index = i;
            *value = equals + 1;
            return RC_OK;
        }
    rc_str_t key = {0};
    rc_str_addn(&key, word, len);
    rc_status_t st = key.failed ? rc_fail(err, RC_ENOMEM, "no memory for the name of a parameter")
                                : unknown_key(param, key.text ? key.text : "", err);
    rc_str_free(&key);
    return st;
}

/* The number of a name; -1: it is none. */
static int choice_of(const rc_param_t *p, const char *text)
{
    for (int i = 0; p->choices && p->choices[i]; i++)
        if (strcmp(p->choices[i], text) == 0)
            return i;
    return -1;
}

static void add_choices(const rc_param_t *p, rc_str_t *list)
{
    for (int i = 0; p->choices && p->choices[i]; i++)
        rc_str_addf(list, "%s%s", i ? ", " : "", p->choices[i]);
}

/* What takes names was given another one, or a number that it does not take. */
static rc_status_t not_among(const rc_param_t *p, rc_status_t st, const char *text, rc_err_t *err)
{
    rc_str_t list = {0};
    add_choices(p, &list);
    const char *names = list.text && !list.failed ? list.text : "those of rowcast info";
    if (p->type == RC_PARAM_INT)
        rc_fail(err, st, "%s: expected %s or %" PRId64 " to %" PRId64 ", found '%s'", p->name,
            names, p->min, p->max, text);
    else
        rc_fail(err, st, "%s: expected one of %s; found '%s'", p->name, names, text);
    rc_str_free(&list);
    return st;
}

static rc_status_t parse_value(
    const rc_param_t *p, const char *text, int64_t *value, double *real, char *copy, rc_err_t *err)
{
    int choice = choice_of(p, text);
    rc_status_t st = RC_OK;
    switch (p->type) {
    case RC_PARAM_INT:
        if (choice >= 0) {
            *value = -1 - choice;
            break;
        }
        st = rc_parse_int(text, p->min, p->max, p->name, value, err);
        if (st < 0 && p->choices)
            return not_among(p, st, text, err);
        if (st == RC_OK && p->pow2 && (*value & (*value - 1)) != 0)
            st = rc_fail(
                err, RC_EINVAL, "%s: expected a power of two, found %" PRId64, p->name, *value);
        break;
    case RC_PARAM_REAL:
        if (choice == 0) {
            *real = NAN;
            break;
        }
        st = rc_parse_double(text, p->name, real, err);
        if (st == RC_OK && !(*real >= p->real_min && *real <= p->real_max))
            st = rc_fail(err, RC_ERANGE, "%s: expected a number from %g to %g, found %s", p->name,
                p->real_min, p->real_max, text);
        break;
    case RC_PARAM_CHOICE:
        *value = choice;
        return choice >= 0 ? RC_OK : not_among(p, RC_EINVAL, text, err);
    case RC_PARAM_TEXT:
        return text[0] ? rc_strcpy(copy, RC_PARAM_VALUE, text, p->name, err)
                       : rc_fail(err, RC_EINVAL, "%s: expected a text, found nothing", p->name);
    }
    return st;
}

rc_status_t rc_params_parse(
    const rc_param_t *param, char *const *word, int count, rc_params_t *out, rc_err_t *err)
{
    rc_params_t v = {.value = {0}};
    unsigned seen = 0;
    int n = rc_params_count(param);
    rc_status_t st = RC_OK;
    for (int i = 0; i < n; i++) {
        v.value[i] = param[i].value;
        v.real[i] = param[i].real;
        if (param[i].type == RC_PARAM_TEXT && param[i].text)
            st = rc_strcpy(v.text, sizeof v.text, param[i].text, param[i].name, err);
    }
    for (int i = 0; st == RC_OK && i < count; i++) {
        int at;
        const char *text;
        st = rc_param_word(param, word[i], &at, &text, err);
        if (st < 0)
            break;
        if (seen & 1u << at)
            return rc_fail(err, RC_EINVAL, "parameter %s is given twice", param[at].name);
        seen |= 1u << at;
        st = parse_value(&param[at], text, &v.value[at], &v.real[at], v.text, err);
    }
    if (st < 0)
        return st;
    for (int i = 0; i < n; i++)
        if (param[i].type == RC_PARAM_TEXT && !param[i].text && !(seen & 1u << i))
            return rc_fail(
                err, RC_EINVAL, "%s is missing: expected %s=...", param[i].name, param[i].name);
    *out = v;
    return RC_OK;
}

/* The shortest text that reads back as the same number. */
static void shortest(double x, char *text, size_t size)
{
    enum { fewest = 6, most = 17 };
    for (int digits = fewest; digits <= most; digits++) {
        snprintf(text, size, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            return;
    }
}

/* A value as it is written.  \param[out] number  its memory, where it is one */
static const char *value_text(
    const rc_param_t *p, int64_t value, double real, const char *text, char number[32])
{
    switch (p->type) {
    case RC_PARAM_INT:
        if (p->choices && value < 0)
            return p->choices[-1 - value];
        snprintf(number, 32, "%" PRId64, value);
        return number;
    case RC_PARAM_REAL:
        if (isnan(real))
            return p->choices[0];
        shortest(real, number, 32);
        return number;
    case RC_PARAM_CHOICE:
        return p->choices[value];
    case RC_PARAM_TEXT:
        break;
    }
    return text;
}

rc_status_t rc_params_text_of(
    const rc_param_t *param, const rc_params_t *values, unsigned which, char *text, rc_err_t *err)
{
    size_t at = 0;
    text[0] = '\0';
    for (int i = 0; i < rc_params_count(param); i++) {
        char number[32];
        if (!(which & 1u << i))
            continue;
        int n = snprintf(text + at, RC_PARAMS_TEXT - at, "%s%s=%s", at ? ":" : "", param[i].name,
            value_text(&param[i], values->value[i], values->real[i], values->text, number));
        if (n < 0 || (size_t)n >= RC_PARAMS_TEXT - at)
            return rc_fail(
                err, RC_ERANGE, "its parameters take more than %d bytes", RC_PARAMS_TEXT - 1);
        at += (size_t)n;
    }
    return RC_OK;
}

rc_status_t rc_params_text(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err)
{
    return rc_params_text_of(param, values, UINT_MAX, text, err);
}

rc_status_t rc_params_text_older(
    const rc_param_t *param, int older, const rc_params_t *values, char *text, rc_err_t *err)
{
    unsigned which = 0;
    for (int i = 0; i < rc_params_count(param); i++) {
        int plain = param[i].type == RC_PARAM_INT || param[i].type == RC_PARAM_CHOICE;
        if (i < older || !plain || values->value[i] != param[i].value)
            which |= 1u << i;
    }
    return rc_params_text_of(param, values, which, text, err);
}

void rc_param_describe(const rc_param_t *p, char *text, size_t size)
{
    rc_str_t s = {0};
    char number[32];
    if (p->type == RC_PARAM_CHOICE)
        rc_str_add(&s, "one of ");
    add_choices(p, &s);
    if (p->type == RC_PARAM_INT)
        rc_str_addf(&s, "%sinteger, %" PRId64 " to %" PRId64 "%s", p->choices ? ", or " : "",
            p->min, p->max, p->pow2 ? ", a power of two" : "");
    else if (p->type == RC_PARAM_REAL)
        rc_str_addf(&s, "%snumber, %g to %g", p->choices ? ", or " : "", p->real_min, p->real_max);
    else if (p->type == RC_PARAM_TEXT)
        rc_str_add(&s, "text");
    if (p->type != RC_PARAM_TEXT || p->text)
        rc_str_addf(&s, "; default %s", value_text(p, p->value, p->real, p->text, number));
    snprintf(text, size, "%s", s.text ? s.text : "");
    rc_str_free(&s);
}
