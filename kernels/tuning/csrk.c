#include "config.h"
#include "kernels/tuning/csrk.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/replace.h"
#include "kernels/tuning/csrk_fit.h"
#include "kernels/tuning/tuning.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

const char *const rc_csrk_reading_names[] = {"new", "original", "srs", NULL};

/* Lane and Booth 2022, section 4. */
static const rc_csrk_tuning_t published[] = {
    {.device = "volta",
        .ssrs = {8.900, 1.25},
        .srs = {10.146, 1.50},
        .factors = {{1, 1, 0, 0}, {1.5, 2, 0, 0}, {4, 0.5, 1, 1}, {5, 0.5, 1, 1}}},
    {.device = "ampere",
        .ssrs = {9.175, 1.32},
        .srs = {20.500, 3.50},
        .factors = {{1, 1, 0, 0}, {1, 4, 0, 0}, {2.5, 3, 1, 0}, {2, 2, 1, 0}}},
};

const rc_csrk_tuning_t *rc_csrk_tuning_find(const char *name)
{
    if (strcmp(name, "auto") == 0)
        name = "ampere";
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        if (strcmp(published[i].device, name) == 0)
            return &published[i];
    return NULL;
}

rc_status_t rc_csrk_tuning_open(const char *name, rc_csrk_tuning_t *out, rc_err_t *err)
{
    const rc_csrk_tuning_t *known = rc_csrk_tuning_find(name);
    if (!known)
        return rc_csrk_tuning_read(name, out, err);
    *out = *known;
    return RC_OK;
}

double rc_csrk_rdensity(int64_t rows, int64_t nnz)
{
    return rows > 0 && nnz > 0 ? (double)nnz / (double)rows : 1;
}

static double to_nearest(double x)
{
    return floor(x + 0.5);
}

static double on_line(rc_csrk_line_t l, double rdensity)
{
    return to_nearest(l.constant - l.slope * log(rdensity));
}

/* A file may have any numbers. */
static int64_t in_range(double size)
{
    return size >= INT32_MAX ? INT32_MAX : size >= 1 ? (int64_t)size : 1;
}

int rc_csrk_nearest(const int32_t *list, int count, int64_t size)
{
    int best = 0;
    double x = log(size >= 1 ? (double)size : 1);
    for (int i = 1; i < count; i++)
        if (fabs(x - log(list[i])) < fabs(x - log(list[best])))
            best = i;
    return best;
}

static int64_t rounded(const rc_csrk_tuning_t *t, int64_t size)
{
    return t->sizes > 0 ? t->size[rc_csrk_nearest(t->size, t->sizes, size)] : size;
}

rc_csrk_sizes_t rc_csrk_sizes(const rc_csrk_tuning_t *t, rc_csrk_reading_t reading, double rdensity)
{
    static const double most[RC_CSRK_CASES] = {8, 16, 32, INFINITY};
    int number = 1;
    while (rdensity > most[number - 1])
        number++;
    return rc_csrk_sizes_of_case(t, reading, rdensity, number);
}

rc_csrk_sizes_t rc_csrk_sizes_of_case(
    const rc_csrk_tuning_t *t, rc_csrk_reading_t reading, double rdensity, int number)
{
    static const int32_t block[RC_CSRK_CASES][3] = {{8, 12, 1}, {4, 8, 12}, {8, 8, 8}, {16, 8, 4}};
    rc_csrk_sizes_t s = {.number = number};
    if (!(rdensity > 0))
        rdensity = 1;
    memcpy(s.block, block[s.number - 1], sizeof s.block);
    const rc_csrk_factors_t *f = &t->factors[s.number - 1];
    double original = on_line(t->ssrs, rdensity);
    double srs = on_line(t->srs, rdensity);
    double ssrs = to_nearest(f->ssrs * original);
    if (f->of_ssrs && reading != RC_CSRK_SRS)
        srs = reading == RC_CSRK_NEW ? ssrs : original;
    srs = f->down ? floor(f->srs * srs) : to_nearest(f->srs * srs);
    s.ssrs = rounded(t, in_range(ssrs));
    s.srs = rounded(t, in_range(srs));
    return s;
}

static int64_t groups_of(int64_t n, int64_t size)
{
    return n / size + (n % size != 0);
}

/* Rounds of CTAs, all full but the last, over what they would be in parts: 1 where the last is
 * full. */
static double waste_of(
    const rc_csrk_tuning_t *t, int64_t rows, const rc_csrk_sizes_t *s, int64_t ssrs, int64_t srs)
{
    enum { threads = 2048 };
    int64_t held = t->multiprocessors * (threads / (s->block[0] * s->block[1] * s->block[2]));
    int64_t ctas = groups_of(groups_of(rows, srs), ssrs);
    return (double)(groups_of(ctas, held) * held) / (double)ctas;
}

static int is_near(int64_t size, int64_t other)
{
    return 3 * size <= 4 * other && 3 * other <= 4 * size;
}

void rc_csrk_fill(const rc_csrk_tuning_t *t, int64_t rows, rc_csrk_sizes_t *s)
{
    const double tie = 1e-9;
    const rc_csrk_sizes_t from = *s;
    if (t->multiprocessors < 1 || rows < 1)
        return;
    double least = waste_of(t, rows, &from, from.ssrs, from.srs);
    double way = 0; /* logarithms of what both were changed by */
    for (int a = 0; a < t->sizes; a++)
        for (int b = 0; b < t->sizes; b++) {
            if (!is_near(t->size[a], from.ssrs) || !is_near(t->size[b], from.srs))
                continue;
            double waste = waste_of(t, rows, &from, t->size[a], t->size[b]);
            double far = fabs(log((double)t->size[a] / (double)from.ssrs)) +
                         fabs(log((double)t->size[b] / (double)from.srs));
            if (waste > least + tie || (waste > least - tie && far >= way))
                continue;
            least = waste;
            way = far;
            s->ssrs = t->size[a];
            s->srs = t->size[b];
        }
}

int64_t rc_csrk_pointer_bytes(int64_t rows, int64_t srs, int64_t ssrs)
{
    enum { pointer = 4 };
    int64_t super_rows = groups_of(rows, srs);
    return pointer * (super_rows + 1) +
           (ssrs > 0 ? pointer * (groups_of(super_rows, ssrs) + 1) : 0);
}

double rc_csrk_overhead(double rdensity, int64_t srs, int64_t ssrs)
{
    const double number = 4;
    double a_row = number / (double)srs;
    if (ssrs > 0)
        a_row += a_row / (double)ssrs;
    return a_row / (rdensity * 2 * number + number);
}

/* ------------------------------------------------------------------- files */

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
