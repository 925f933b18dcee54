#include "config.h"
#include "kernels/kernel.h"
#include "base/error.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define RC_KERNEL(id) extern const rc_kernel_t rc_kernel_##id;
#include "kernels/kernels.def"
#undef RC_KERNEL

#define RC_KERNEL(id) &rc_kernel_##id,
const rc_kernel_t *const rc_kernels[] = {
#include "kernels/kernels.def"
    NULL};
#undef RC_KERNEL

const char *rc_op_name(rc_op_t op)
{
    return op == RC_OP_SPMM ? "spmm" : "unknown";
}

const char *rc_precision_name(rc_precision_t p)
{
    return p == RC_FP32 ? "fp32" : "fp64";
}

const char *rc_layout_name(rc_layout_t l)
{
    return l == RC_COL_MAJOR ? "col" : "row";
}

const char *rc_c_order_name(rc_c_order_t o)
{
    return o == RC_C_ORIGINAL ? "original" : "schedule";
}

rc_status_t rc_precision_parse(const char *text, rc_precision_t *out, rc_err_t *err)
{
    static const rc_precision_t all[] = {RC_FP32, RC_FP64};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(text, rc_precision_name(all[i])) == 0) {
            *out = all[i];
            return RC_OK;
        }
    return rc_fail(err, RC_EINVAL, "unknown precision '%s'; expected fp32 or fp64", text);
}

size_t rc_precision_bytes(rc_precision_t p)
{
    return p == RC_FP32 ? sizeof(float) : sizeof(double);
}

void rc_device_close(rc_device_t *d)
{
    if (d)
        d->close(d);
}

const rc_kernel_t *rc_kernel_find(const char *name)
{
    for (int i = 0; rc_kernels[i]; i++)
        if (strcmp(rc_kernels[i]->name, name) == 0)
            return rc_kernels[i];
    return NULL;
}

/* ------------------------------------------------------------ kernel specs */

static rc_status_t unknown_kernel(const char *name, rc_err_t *err)
{
    enum { most = 64 };
    const char *names[most];
    int n = 0;
    rc_str_t list = {0};
    for (; rc_kernels[n] && n < most; n++) {
        names[n] = rc_kernels[n]->name;
        rc_str_add(&list, list.len == 0 ? "" : ", ");
        rc_str_add(&list, names[n]);
    }
    const char *near = rc_nearest(name, names, n);
    rc_fail(err, RC_ENOENT, "unknown kernel '%s'%s%s%s; known: %s", name,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
        list.text && !list.failed ? list.text : "see rowcast info");
    rc_str_free(&list);
    return RC_ENOENT;
}

static int param_count(const rc_kernel_t *k)
{
    int n = 0;
    while (n < RC_KERNEL_PARAMS_MAX && k->param[n].name)
        n++;
    return n;
}

static rc_status_t unknown_param(const rc_kernel_t *k, const char *key, rc_err_t *err)
{
    int n = param_count(k);
    if (n == 0)
        return rc_fail(err, RC_EINVAL, "kernel %s takes no parameters, found '%s'", k->name, key);
    const char *names[RC_KERNEL_PARAMS_MAX];
    rc_str_t list = {0};
    for (int i = 0; i < n; i++) {
        names[i] = k->param[i].name;
        rc_str_addf(&list, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = rc_nearest(key, names, n);
    rc_fail(err, RC_EINVAL, "kernel %s has no parameter '%s'%s%s%s; known: %s", k->name, key,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
        list.text && !list.failed ? list.text : "see rowcast info");
    rc_str_free(&list);
    return RC_EINVAL;
}

static rc_status_t parse_param(
    const rc_kernel_t *k, char *word, unsigned *seen, int64_t *param, rc_err_t *err)
{
    char *equals = strchr(word, '=');
    if (!equals)
        return rc_fail(err, RC_EINVAL, "kernel %s: expected key=value, found '%s'", k->name, word);
    *equals = '\0';
    int i = 0;
    int n = param_count(k);
    while (i < n && strcmp(word, k->param[i].name) != 0)
        i++;
    if (i == n)
        return unknown_param(k, word, err);
    if (*seen & 1u << i)
        return rc_fail(err, RC_EINVAL, "kernel %s: parameter %s is given twice", k->name, word);
    *seen |= 1u << i;
    rc_status_t st =
        rc_parse_int(equals + 1, k->param[i].min, k->param[i].max, word, &param[i], err);
    if (st == RC_OK && k->param[i].pow2 && (param[i] & (param[i] - 1)) != 0)
        st = rc_fail(err, RC_EINVAL, "%s: expected a power of two, found %" PRId64, word, param[i]);
    return st < 0 ? rc_err_context(err, "kernel %s", k->name) : RC_OK;
}

/* All parameters in the order of the descriptor, so that equal kernels have equal texts. */
static rc_status_t canonical_params(rc_kernel_spec_t *spec, rc_err_t *err)
{
    size_t at = 0;
    spec->params[0] = '\0';
    for (int i = 0; i < param_count(spec->kernel); i++) {
        int n = snprintf(spec->params + at, sizeof spec->params - at, "%s%s=%" PRId64, i ? ":" : "",
            spec->kernel->param[i].name, spec->param[i]);
        if (n < 0 || (size_t)n >= sizeof spec->params - at)
            return rc_fail(err, RC_ERANGE, "kernel %s: its parameters take more than %zu bytes",
                spec->kernel->name, sizeof spec->params - 1);
        at += (size_t)n;
    }
    return RC_OK;
}

rc_status_t rc_kernel_spec_parse(const char *text, rc_kernel_spec_t *out, rc_err_t *err)
{
    rc_words_t words;
    rc_status_t st = rc_words_split(text, ':', &words, err);
    if (st < 0)
        return rc_err_context(err, "kernel '%s'", text);
    rc_kernel_spec_t spec = {.kernel = NULL};
    unsigned seen = 0;
    const char *name = words.count ? words.word[0] : "";
    spec.kernel = rc_kernel_find(name);
    if (!spec.kernel) {
        st = unknown_kernel(name, err);
        goto done;
    }
    for (int i = 0; i < param_count(spec.kernel); i++)
        spec.param[i] = spec.kernel->param[i].value;
    for (int i = 1; i < words.count; i++)
        RC_TRY(parse_param(spec.kernel, words.word[i], &seen, spec.param, err));
    RC_TRY(canonical_params(&spec, err));
    *out = spec;
done:
    rc_words_free(&words);
    return st;
}
