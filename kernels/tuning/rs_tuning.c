#include "config.h"
#include "kernels/tuning/rs_tuning.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/problem.h"
#include "kernels/tuning/rs.h"
#include "kernels/tuning/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ inputs */

static const char *const input_names[RC_RS_INPUTS] = {"distance_1", "distance_2", "distance_4",
    "distance_16", "distance_64", "distance_256", "distance_1024", "distance_4096",
    "distance_16384", "distance_65536", "distance_262144", "distance_1048576", "accumulations"};

const char *rc_rs_input_name(int i)
{
    return input_names[i];
}

rc_status_t rc_rs_inputs(const rc_csr_t *a, int threads, double *x, rc_err_t *err)
{
    const rc_segments_rule_t rule = {.w = RC_RS_ACCUMULATIONS_W};
    const rc_segments_source_t source = rc_segments_source_of(a);
    int64_t bins[RC_DISTANCES];
    rc_segments_size_t size;
    rc_distances_count(a, threads, bins);
    for (int i = 0; i < RC_DISTANCES; i++)
        x[i] = (double)bins[i];
    RC_PASS(rc_segments_measure(&source, &rule, threads, &size, err));
    x[RC_DISTANCES] = (double)size.segments;
    return RC_OK;
}

/* ----------------------------------------------------------------- reading */

/* An integer member in a range. */
static rc_status_t read_int(const json_t *o, const char *path, const char *key, int64_t least,
    int64_t most, int64_t *out, rc_err_t *err)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_integer(v))
        return rc_fail(err, RC_EFORMAT, "%s.%s: expected an integer, found %s", path, key,
            v ? "something else" : "none");
    *out = json_integer_value(v);
    return *out >= least && *out <= most
               ? RC_OK
               : rc_fail(err, RC_EFORMAT,
                     "%s.%s: expected %" PRId64 " to %" PRId64 ", found %" PRId64, path, key, least,
                     most, *out);
}

/* 1, 2 or 4 columns of a lane. */
static rc_status_t read_steps(
    const json_t *o, const char *path, const char *key, int *out, rc_err_t *err)
{
    int64_t x;
    RC_PASS(read_int(o, path, key, 1, RC_RS_STEPS_MAX, &x, err));
    *out = (int)x;
    return (x & (x - 1)) == 0
               ? RC_OK
               : rc_fail(err, RC_EFORMAT, "%s.%s: expected 1, 2 or 4, found %d", path, key, *out);
}

static rc_status_t read_costs(
    const json_t *o, const char *path, const char *key, double out[RC_RS_COSTS], rc_err_t *err)
{
    const json_t *list = json_object_get(o, key);
    if (!json_is_array(list) || json_array_size(list) != RC_RS_COSTS)
        return rc_fail(
            err, RC_EFORMAT, "%s.%s: expected a list of %d costs", path, key, RC_RS_COSTS);
    for (size_t i = 0; i < RC_RS_COSTS; i++) {
        const json_t *v = json_array_get(list, i);
        out[i] = json_is_number(v) ? json_number_value(v) : NAN;
        if (!isfinite(out[i]) || out[i] < 0)
            return rc_fail(
                err, RC_EFORMAT, "%s.%s[%zu]: expected a finite number from 0", path, key, i);
    }
    return RC_OK;
}

static int input_of(const char *name)
{
    for (int i = 0; name && i < RC_RS_INPUTS; i++)
        if (strcmp(input_names[i], name) == 0)
            return i;
    return -1;
}

/* {"t": 4}, or {"input": "distance_1", "at_most": 7, "yes": 1, "no": 2}: later nodes, so that a
 * walk ends. */
static rc_status_t read_node(
    const json_t *o, const char *path, int32_t at, int32_t nodes, rc_question_t *out, rc_err_t *err)
{
    int64_t t = 0;
    int64_t yes = -1;
    int64_t no = -1;
    *out = (rc_question_t){.input = -1, .left = -1, .right = -1};
    if (json_object_get(o, "t")) {
        RC_PASS(read_int(o, path, "t", 1, RC_RS_TUNING_T, &t, err));
        out->label = (int32_t)t;
        return RC_OK;
    }
    out->input = input_of(json_string_value(json_object_get(o, "input")));
    if (out->input < 0)
        return rc_fail(err, RC_EFORMAT, "%s.input: expected a distance or accumulations", path);
    RC_PASS(rc_tuning_number(o, path, "at_most", 0, &out->threshold, err));
    RC_PASS(read_int(o, path, "yes", at + 1, nodes - 1, &yes, err));
    RC_PASS(read_int(o, path, "no", at + 1, nodes - 1, &no, err));
    out->left = (int32_t)yes;
    out->right = (int32_t)no;
    return RC_OK;
}

static rc_status_t read_tree(const json_t *o, const char *path, rc_rs_setting_t *s, rc_err_t *err)
{
    enum { most = 100000 };
    const json_t *list = json_object_get(o, "tree");
    char at[64];
    if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > most)
        return rc_fail(err, RC_EFORMAT, "%s.tree: expected 1 to %d nodes, found %s", path, most,
            list ? "something else" : "none: rowcast train --task parameters makes it");
    s->nodes = (int32_t)json_array_size(list);
    RC_PASS(RC_NEW(s->node, s->nodes, "nodes of a tree", err));
    for (int32_t i = 0; i < s->nodes; i++) {
        (void)snprintf(at, sizeof at, "%s.tree[%d]", path, (int)i);
        RC_PASS(read_node(json_array_get(list, (size_t)i), at, i, s->nodes, &s->node[i], err));
    }
    return RC_OK;
}

/* The second model, of files that have it. */
static rc_status_t read_paths(const json_t *o, const char *path, rc_rs_setting_t *s, rc_err_t *err)
{
    const json_t *costs = json_object_get(o, "paths_ns");
    char at[64];
    s->has_paths = costs != NULL;
    (void)snprintf(at, sizeof at, "%s.paths_ns", path);
    for (int i = 0; costs && i < RC_RS_PATHS_TERMS; i++)
        RC_PASS(rc_tuning_number(costs, at, rc_rs_paths_name(i), 0, &s->paths[i], err));
    return RC_OK;
}

static rc_status_t read_setting(
    const json_t *o, const char *path, rc_rs_setting_t *s, rc_err_t *err)
{
    const char *precision = json_string_value(json_object_get(o, "precision"));
    int64_t t = 0;
    RC_PASS(read_int(o, path, "k", 1, INT32_MAX, &s->k, err));
    if (!precision || rc_precision_parse(precision, &s->precision, err) < 0)
        return rc_fail(err, RC_EFORMAT, "%s.precision: expected a value type, found %s", path,
            precision ? precision : "none");
    RC_PASS(read_int(o, path, "t", 1, RC_RS_TUNING_T, &t, err));
    s->t = (int)t;
    RC_PASS(read_steps(o, path, "cfv", &s->cfv, err));
    RC_PASS(read_steps(o, path, "cfh", &s->cfh, err));
    RC_PASS(read_costs(o, path, "heavy_segment", s->cost.heavy_segment, err));
    RC_PASS(read_costs(o, path, "heavy_entry", s->cost.heavy_entry, err));
    RC_PASS(rc_tuning_number(o, path, "light_row", 0, &s->cost.light_row, err));
    RC_PASS(rc_tuning_number(o, path, "light_entry", 0, &s->cost.light_entry, err));
    RC_PASS(read_tree(o, path, s, err));
    return read_paths(o, path, s, err);
}

static rc_status_t read_settings(const json_t *root, rc_rs_tuning_t *t, rc_err_t *err)
{
    enum { most = 1000 };
    const json_t *list = json_object_get(root, "settings");
    if (!json_is_array(list) || json_array_size(list) == 0 || json_array_size(list) > most)
        return rc_fail(err, RC_EFORMAT,
            "settings: expected a list of 1 to %d, each of a K and a precision", most);
    RC_PASS(RC_NEW0(t->setting, json_array_size(list), "settings of a tuning", err));
    for (size_t i = 0; i < json_array_size(list); i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "settings[%zu]", i);
        t->settings++;
        RC_PASS(read_setting(json_array_get(list, i), path, &t->setting[i], err));
    }
    return RC_OK;
}

static rc_status_t parse(const json_t *root, void *user, rc_err_t *err)
{
    rc_rs_tuning_t *t = user;
    const char *format = json_string_value(json_object_get(root, "format"));
    const char *kernel = json_string_value(json_object_get(root, "kernel"));
    int64_t version = 0;
    if (!format || strcmp(format, "rowcast parameters") != 0 || !kernel ||
        strcmp(kernel, "rs") != 0)
        return rc_fail(
            err, RC_EFORMAT, "expected \"format\": \"rowcast parameters\" and \"kernel\": \"rs\"");
    RC_PASS(read_int(
        root, "file", "version", RC_RS_TUNING_VERSION, RC_RS_TUNING_VERSION, &version, err));
    RC_PASS(read_int(root, "file", "kernel_version", 1, INT32_MAX, &version, err));
    t->kernel_version = (int)version;
    RC_PASS(rc_tuning_device(root, t->device, sizeof t->device, err));
    return read_settings(root, t, err);
}

rc_status_t rc_rs_tuning_read(const char *word, rc_rs_tuning_t *out, rc_err_t *err)
{
    rc_rs_tuning_t t = {.settings = 0};
    rc_status_t st = rc_tuning_read(
        strcmp(word, "auto") == 0 ? RC_RS_TUNING_USUAL : word, "not auto", parse, &t, err);
    if (st < 0)
        rc_rs_tuning_free(&t);
    else
        *out = t;
    return st;
}

void rc_rs_tuning_free(rc_rs_tuning_t *t)
{
    for (int i = 0; i < t->settings; i++)
        free(t->setting[i].node);
    free(t->setting);
    *t = (rc_rs_tuning_t){.settings = 0};
}

int rc_rs_tuning_is_none(const char *word)
{
    rc_str_t path = {0};
    int none = strcmp(word, "auto") == 0 && !rc_tuning_find(RC_RS_TUNING_USUAL, &path);
    rc_str_free(&path);
    return none;
}

/* ------------------------------------------------------------------- costs */

static double not_negative(double x)
{
    return x > 0 ? x : 0;
}

/* time = each * units + entry * entries, through two points that differ in the number of
 * entries. */
typedef struct line {
    double each;  /* per segment or row */
    double entry; /* per entry */
} line_t;

/* \param[in] units  segments or rows of both  \param[in] entries, time  of the one and the other */
static rc_status_t solve(
    double units, const double entries[2], const double time[2], line_t *out, rc_err_t *err)
{
    for (int i = 0; i < 2; i++)
        if (!(time[i] > 0) || isinf(time[i]))
            return rc_fail(err, RC_EINVAL,
                "a calibration time: expected a positive number, found %g", time[i]);
    if (!(units > 0) || entries[0] == entries[1])
        return rc_fail(
            err, RC_EINVAL, "calibration matrices: expected two of different numbers of entries");
    double entry = (time[0] - time[1]) / (entries[0] - entries[1]);
    double each = (time[1] - entry * entries[1]) / units;
    *out = (line_t){not_negative(each), not_negative(entry)};
    return RC_OK;
}

rc_status_t rc_rs_cost_heavy(const rc_rs_heavy_times_t *t, int i, rc_rs_cost_t *out, rc_err_t *err)
{
    double n = (double)t->n;
    double segments = n * (double)t->panels;
    const double entries[2] = {n * n, segments * (double)t->tau};
    const double time[2] = {t->dense, t->sparse};
    line_t line;
    RC_PASS(solve(segments, entries, time, &line, err));
    out->heavy_segment[i] = line.each;
    out->heavy_entry[i] = line.entry;
    return RC_OK;
}

rc_status_t rc_rs_cost_light(const rc_rs_light_times_t *t, rc_rs_cost_t *out, rc_err_t *err)
{
    double n = (double)t->n;
    const double entries[2] = {n * (double)t->many_entries, n * (double)t->few_entries};
    const double time[2] = {t->many, t->few};
    line_t line;
    RC_PASS(solve(n, entries, time, &line, err));
    out->light_row = line.each;
    out->light_entry = line.entry;
    return RC_OK;
}

double rc_rs_cost_time(const rc_rs_cost_t *c, int i, const rc_segments_size_t *s)
{
    return c->heavy_segment[i] * (double)s->heavy + c->heavy_entry[i] * (double)s->nnz_heavy +
           c->light_row * (double)s->light_rows + c->light_entry * (double)s->nnz_light;
}

int rc_rs_cost_choose(const rc_rs_cost_t *c, const rc_segments_size_t *s)
{
    int best = 0;
    for (int i = 1; i < RC_RS_COSTS; i++)
        if (rc_rs_cost_time(c, i, &s[i]) < rc_rs_cost_time(c, best, &s[best]))
            best = i;
    return best;
}

/* ---------------------------------------------------------------- choosing */

/* How many times one is the other. */
static double ratio(int64_t a, int64_t b)
{
    return a > b ? (double)a / (double)b : (double)b / (double)a;
}

const rc_rs_setting_t *rc_rs_tuning_setting(
    const rc_rs_tuning_t *t, int64_t k, rc_precision_t precision)
{
    const rc_rs_setting_t *best = NULL;
    for (int i = 0; i < t->settings; i++) {
        const rc_rs_setting_t *s = &t->setting[i];
        if (s->precision != precision)
            continue;
        if (!best || ratio(s->k, k) < ratio(best->k, k) ||
            (ratio(s->k, k) == ratio(best->k, k) && s->k < best->k))
            best = s;
    }
    return best;
}

/* Of the t and cfv that are open the two of least time; of equal ones the smallest. */
static rc_status_t choose_by_paths(const rc_rs_setting_t *s, const rc_csr_t *a,
    rc_precision_t precision, rc_rs_choice_t *choice, rc_err_t *err)
{
    rc_rs_counts_t count[RC_RS_PATHS_T + 1];
    const rc_rs_choice_t asked = *choice;
    double least = INFINITY;
    for (int cfv = 1; cfv <= RC_RS_STEPS_MAX; cfv *= 2) {
        if (asked.cfv != 0 && asked.cfv != cfv)
            continue;
        RC_PASS(rc_rs_paths_count(a, asked.w ? asked.w : rc_rs_width(cfv, precision), count, err));
        for (int t = 1; t <= RC_RS_PATHS_T; t++) {
            double time = rc_rs_paths_time(s->paths, &count[t], cfv, a->rows);
            if ((asked.t != 0 && asked.t != t) || !(time < least))
                continue;
            least = time;
            choice->t = t;
            choice->cfv = cfv;
        }
    }
    return RC_OK;
}

rc_status_t rc_rs_tuning_choose(const rc_rs_setting_t *s, const rc_csr_t *a,
    rc_precision_t precision, rc_rs_choice_t *choice, rc_err_t *err)
{
    const rc_segments_source_t source = rc_segments_source_of(a);
    rc_segments_size_t size[RC_RS_COSTS];
    double x[RC_RS_INPUTS];
    if (s->has_paths && choice->t <= RC_RS_PATHS_T && (choice->t == 0 || choice->cfv == 0))
        RC_PASS(choose_by_paths(s, a, precision, choice, err));
    if (choice->t == 0) {
        RC_PASS(rc_rs_inputs(a, 1, x, err));
        choice->t = rc_tree_predict(s->node, x);
    }
    for (int i = 0; i < RC_RS_COSTS; i++) {
        const rc_segments_rule_t rule = {
            .w = choice->w ? choice->w : rc_rs_width(1 << i, precision), .t = choice->t};
        if (choice->cfv == 0 || choice->cfv == 1 << i)
            RC_PASS(rc_segments_measure(&source, &rule, 1, &size[i], err));
    }
    if (choice->cfv == 0)
        choice->cfv = 1 << rc_rs_cost_choose(&s->cost, size);
    choice->size = size[choice->cfv / 2]; /* 1, 2 and 4 are numbers 0, 1 and 2 */
    return RC_OK;
}
