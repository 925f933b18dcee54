/* Tuning files of CSR-k. */
#include "config.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/replace.h"
#include "kernels/tuning/csrk_fit.h"
#include "kernels/tuning/tuning.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static rc_status_t read_line(
    const json_t *root, const char *key, rc_csrk_line_t *out, rc_err_t *err)
{
    const double any = -1e9;
    const json_t *o = json_object_get(root, key);
    if (!json_is_object(o))
        return rc_fail(err, RC_EFORMAT, "%s: expected an object with constant and slope", key);
    RC_PASS(rc_tuning_number(o, key, "constant", any, &out->constant, err));
    return rc_tuning_number(o, key, "slope", any, &out->slope, err);
}

/* The members "2", "3" and "4". */
static rc_status_t read_cases(const json_t *root, rc_csrk_tuning_t *t, rc_err_t *err)
{
    const json_t *cases = json_object_get(root, "cases");
    t->factors[0] = (rc_csrk_factors_t){.ssrs = 1, .srs = 1};
    if (!json_is_object(cases))
        return rc_fail(err, RC_EFORMAT, "cases: expected an object with the members 2, 3 and 4");
    for (int c = 2; c <= RC_CSRK_CASES; c++) {
        char path[16];
        (void)snprintf(path, sizeof path, "cases.%d", c);
        const json_t *o = json_object_get(cases, path + strlen("cases."));
        rc_csrk_factors_t *f = &t->factors[c - 1];
        if (!json_is_object(o))
            return rc_fail(
                err, RC_EFORMAT, "%s: expected an object with ssrs and srs, found none", path);
        RC_PASS(rc_tuning_number(o, path, "ssrs", 0, &f->ssrs, err));
        RC_PASS(rc_tuning_number(o, path, "srs", 0, &f->srs, err));
    }
    return RC_OK;
}

static rc_status_t read_sizes(const json_t *root, rc_csrk_tuning_t *t, rc_err_t *err)
{
    const json_t *list = json_object_get(root, "sizes");
    size_t count = json_array_size(list);
    if (!list)
        return RC_OK;
    if (count < 1 || count > RC_CSRK_ROUND)
        return rc_fail(err, RC_EFORMAT, "sizes: expected an array of 1 to %d", RC_CSRK_ROUND);
    for (size_t i = 0; i < count; i++) {
        const json_t *o = json_array_get(list, i);
        json_int_t size = json_integer_value(o);
        if (!json_is_integer(o) || size < 1 || size > INT32_MAX ||
            (i > 0 && size <= t->size[i - 1]))
            return rc_fail(
                err, RC_EFORMAT, "sizes[%zu]: expected integers from 1 on, increasing", i);
        t->size[i] = (int32_t)size;
    }
    t->sizes = (int32_t)count;
    return RC_OK;
}

static rc_status_t read_multiprocessors(const json_t *root, rc_csrk_tuning_t *t, rc_err_t *err)
{
    enum { most = 1 << 20 };
    const json_t *o = json_object_get(root, "multiprocessors");
    json_int_t n = json_integer_value(o);
    if (!o)
        return RC_OK;
    if (!json_is_integer(o) || n < 1 || n > most)
        return rc_fail(err, RC_EFORMAT, "multiprocessors: expected an integer from 1 to %d", most);
    if (t->sizes == 0)
        return rc_fail(
            err, RC_EFORMAT, "multiprocessors: expected sizes to choose from, found none");
    t->multiprocessors = n;
    return RC_OK;
}

static rc_status_t parse(const json_t *root, void *user, rc_err_t *err)
{
    rc_csrk_tuning_t *t = user;
    RC_PASS(rc_tuning_device(root, t->device, sizeof t->device, err));
    RC_PASS(read_line(root, "ssrs", &t->ssrs, err));
    RC_PASS(read_line(root, "srs", &t->srs, err));
    RC_PASS(read_cases(root, t, err));
    RC_PASS(read_sizes(root, t, err));
    return read_multiprocessors(root, t, err);
}

rc_status_t rc_csrk_tuning_read(const char *path, rc_csrk_tuning_t *out, rc_err_t *err)
{
    rc_csrk_tuning_t t = {.device = ""};
    RC_PASS(rc_tuning_read(path, "neither volta nor ampere", parse, &t, err));
    *out = t;
    return RC_OK;
}

rc_status_t rc_csrk_tuning_identify(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err)
{
    rc_csrk_tuning_t t;
    rc_params_t as = *values;
    if (rc_csrk_tuning_find(values->text))
        return RC_OK;
    RC_PASS(rc_csrk_tuning_read(values->text, &t, err));
    /* a file without what came later is the case that it was before */
    size_t bytes = t.multiprocessors > 0 ? sizeof t
                   : t.sizes > 0         ? offsetof(rc_csrk_tuning_t, multiprocessors)
                                         : offsetof(rc_csrk_tuning_t, sizes);
    memcpy(as.text, rc_digest_hex(rc_digest(&t, bytes)).text, RC_DIGEST_HEX + 1);
    return rc_params_text(param, &as, text, err);
}

/* ----------------------------------------------------------------- writing */

static json_t *pair_json(const char *x, double of_x, const char *y, double of_y)
{
    return json_pack("{s:f, s:f}", x, of_x, y, of_y);
}

static json_t *factors_json(rc_csrk_factors_t f)
{
    return pair_json("ssrs", f.ssrs, "srs", f.srs);
}

rc_status_t rc_csrk_tuning_write(const char *path, const rc_csrk_fit_t *f, const rc_csrk_times_t *m,
    int64_t count, rc_err_t *err)
{
    enum { digits = 6 };
    const rc_csrk_tuning_t *t = &f->tuning;
    json_t *names = json_array();
    json_t *sizes = json_array();
    int failed = 0;
    for (int64_t i = 0; i < count; i++)
        failed |= json_array_append_new(names, json_string(m[i].name));
    for (int i = 0; i < t->sizes; i++)
        failed |= json_array_append_new(sizes, json_integer(t->size[i]));
    json_t *root = json_pack("{s:s, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:f}", "device", t->device,
        "ssrs", pair_json("constant", t->ssrs.constant, "slope", t->ssrs.slope), "srs",
        pair_json("constant", t->srs.constant, "slope", t->srs.slope), "cases", "2",
        factors_json(t->factors[1]), "3", factors_json(t->factors[2]), "4",
        factors_json(t->factors[3]), "matrices", names, "loss", f->all);
    if (t->sizes > 0)
        failed |= json_object_set(root, "sizes", sizes);
    if (t->multiprocessors > 0)
        failed |= json_object_set_new(root, "multiprocessors", json_integer(t->multiprocessors));
    json_decref(sizes);
    rc_replace_t r = {0};
    rc_status_t st = root && !failed ? rc_replace_begin(path, &r, err)
                                     : rc_fail(err, RC_ENOMEM, "no memory for a tuning");
    if (st == RC_OK) {
        int ok = json_dumpf(root, r.file, JSON_INDENT(2) | JSON_REAL_PRECISION(digits)) == 0 &&
                 fputc('\n', r.file) != EOF;
        st = rc_replace_end(&r, ok, err);
        if (!ok)
            st = rc_fail(err, RC_EIO, "cannot write '%s'", path);
    }
    json_decref(root);
    return st;
}
