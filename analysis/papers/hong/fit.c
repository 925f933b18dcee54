#include "config.h"
#include "analysis/papers/hong/fit.h"
#include "analysis/papers/hong/c45.h"
#include "analysis/papers/hong/paths.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/family.h"
#include "base/glob.h"
#include "base/replace.h"
#include "kernels/kernel.h"
#include "kernels/tuning/rs.h"
#include "kernels/tuning/rs_tuning.h"
#include "kernels/tuning/tuning.h"
#include "table/counted.h"
#include "table/features_read.h"
#include "table/training.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = RC_PARAMETERS_CELLS, INPUTS = RC_RS_INPUTS };

/* One run of the command. */
typedef struct study {
    const rc_train_parameters_t *o;
    rc_view_t *view;
    rc_counted_t counted;
    json_t *costs;      /* list of the file */
    const char *device; /* its class */
    json_t *file;       /* that of the costs */
    json_t *onto;       /* a tuning that is added to; NULL: none */
    int32_t *id;        /* [all] training matrices, by name of the store's list, then the others */
    int64_t n;
    int64_t all;
    double *x;                /* [n * INPUTS] */
    double *ns;               /* [all * CELLS] of the setting in hand */
    rc_path_matrix_t *matrix; /* [all]; NULL without --paths */
    int32_t *label;           /* [n] */
    json_t *settings;         /* what was fitted */
} study_t;

/* What was fitted for a K and precision, for people. */
typedef struct fitted {
    rc_parameters_t p;
    int32_t nodes;
    /* geomean over the training matrices of the best time over that with the tree's t, cfv, cfh */
    double kept;
    rc_sums_t published; /* on matrices that did not train, by the tree and the costs */
    rc_sums_t held_out;  /* on training matrices by the second model, each family held out */
    rc_sums_t paths;     /* on the others by it */
    double path_ns[RC_RS_PATHS_TERMS];
} fitted_t;

/* ------------------------------------------------------------------- costs */

static rc_status_t keep_file(const json_t *root, void *user, rc_err_t *err)
{
    json_t **out = user;
    *out = json_deep_copy(root);
    return *out ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for costs");
}

static rc_status_t read_costs(study_t *s, rc_err_t *err)
{
    rc_status_t st = rc_tuning_read(s->o->costs, NULL, keep_file, &s->file, err);
    if (st < 0)
        return rc_err_context(err, "--costs");
    const char *format = json_string_value(json_object_get(s->file, "format"));
    s->costs = json_object_get(s->file, "costs_ns");
    s->device = json_string_value(json_object_get(s->file, "device"));
    if (!format || strcmp(format, "rowcast costs") != 0 || !json_is_array(s->costs) ||
        json_array_size(s->costs) == 0 || !s->device)
        return rc_fail(err, RC_EFORMAT,
            "--costs: %s: expected a file of 'rowcast calibrate --kernel rs'", s->o->costs);
    return RC_OK;
}

/* A setting of another device or version would be of other times. */
static rc_status_t read_onto(study_t *s, rc_err_t *err)
{
    rc_rs_tuning_t t;
    if (!s->o->onto)
        return RC_OK;
    rc_status_t st = rc_rs_tuning_read(s->o->onto, &t, err); /* with all its checks */
    if (st < 0)
        return rc_err_context(err, "--onto");
    if (strcmp(t.device, s->device) != 0 ||
        t.kernel_version != json_integer_value(json_object_get(s->file, "kernel_version")))
        st = rc_fail(err, RC_EINVAL,
            "--onto: expected version %d of rs on %s, found version %d on %s",
            (int)json_integer_value(json_object_get(s->file, "kernel_version")), s->device,
            t.kernel_version, t.device);
    rc_rs_tuning_free(&t);
    if (st == RC_OK)
        st = rc_tuning_read(s->o->onto, NULL, keep_file, &s->onto, err);
    return st;
}

/* ------------------------------------------------------------------- store */

static rc_status_t read_store(study_t *s, rc_err_t *err)
{
    rc_expr_t *where = NULL;
    rc_status_t st;
    RC_TRY(rc_view_read(s->o->store, &s->view, err));
    RC_TRY(rc_view_compile(s->o->where, "--where", &where, err));
    RC_TRY(rc_view_check(s->view, where, err));
    RC_TRY(rc_counted_make(s->view, where, RC_OP_SPMM, RC_SETTINGS_BY_K, &s->counted, err));
done:
    rc_expr_free(where);
    return st;
}

/* The matrices of --training become those of the view. */
static rc_status_t name_training(study_t *s, rc_err_t *err)
{
    const int32_t n = rc_view_matrices(s->view);
    rc_words_t words = {0};
    int any = 0;
    if (!s->o->training)
        return RC_OK;
    RC_PASS(rc_words_split(s->o->training, ',', &words, err));
    unsigned char *marks = rc_alloc0((size_t)n, 1, "training matrices", err);
    for (int32_t m = 0; marks && m < n; m++)
        for (int i = 0; i < words.count; i++)
            if (rc_glob_match(words.word[i], rc_view_matrix(s->view, m)->name)) {
                marks[m] = 1;
                any = 1;
            }
    rc_words_free(&words);
    if (marks)
        rc_view_take_training(s->view, marks);
    if (marks && !any)
        return rc_fail(
            err, RC_EINVAL, "--training: %s has no matrix of '%s'", s->o->store, s->o->training);
    return marks ? RC_OK : RC_ENOMEM;
}

static rc_status_t list_training(study_t *s, rc_err_t *err)
{
    unsigned char *marks = NULL;
    rc_status_t st;
    RC_TRY(name_training(s, err));
    RC_TRY(rc_training_of(s->view, &marks, err));
    s->all = rc_view_matrices(s->view);
    RC_TRY(RC_NEW(s->id, s->all, "matrices", err));
    for (int32_t m = 0; m < s->all; m++)
        if (marks[m])
            s->id[s->n++] = m;
    for (int32_t m = 0, at = (int32_t)s->n; m < s->all; m++)
        if (!marks[m])
            s->id[at++] = m;
    if (s->n == 0)
        RC_TRY(rc_fail(err, RC_EINVAL,
            "%s: no training matrices: every 20th of those with 100,000 entries, or every 5th of "
            "those with 10,000",
            s->o->store));
    s->x = rc_alloc((size_t)s->n * INPUTS, sizeof *s->x, "training matrices", err);
    s->ns = rc_alloc((size_t)s->all * CELLS, sizeof *s->ns, "matrices", err);
    s->label = rc_alloc((size_t)s->n, sizeof *s->label, "training matrices", err);
    st = s->x && s->ns && s->label ? RC_OK : RC_ENOMEM;
done:
    free(marks);
    return st;
}

static int64_t number_of(const study_t *s, int32_t matrix)
{
    for (int64_t i = 0; i < s->all; i++)
        if (s->id[i] == matrix)
            return i;
    return -1;
}

static rc_status_t read_inputs(study_t *s, rc_err_t *err)
{
    const int32_t matrices = rc_view_matrices(s->view);
    double *value = NULL;
    rc_status_t st;
    RC_TRY(RC_NEW(value, matrices, "features", err));
    for (int i = 0; i < INPUTS; i++) {
        const char *name = rc_rs_input_name(i);
        const char *set = i < RC_DISTANCES ? "hong" : "segments";
        for (int32_t m = 0; m < matrices; m++)
            value[m] = NAN;
        RC_TRY(rc_feature_by_matrix(s->o->store, set, name, value, matrices, err));
        for (int64_t n = 0; n < s->n; n++) {
            s->x[n * INPUTS + i] = value[s->id[n]];
            if (!isfinite(value[s->id[n]]))
                RC_TRY(rc_fail(err, RC_ENOENT, "%s: %s has no feature %s of the set '%s'",
                    s->o->store, rc_view_matrix(s->view, s->id[n])->name, name, set));
        }
    }
done:
    free(value);
    return st;
}

/* ------------------------------------------------------------------- times */

/* The cell of a kernel of the store: rs with t, cfv and cfh given and nothing else; -1: another. */
static int cell_of(const char *kernel, rc_device_kind_t device)
{
    rc_kernel_spec_t spec;
    if (!rc_spec_is(kernel, "rs") || rc_kernel_spec_parse(kernel, device, &spec, NULL) < 0)
        return -1;
    const int64_t *p = spec.param;
    if (rc_rs_is_open(p) || p[RC_RS_T] > RC_PARAMETERS_T || p[RC_RS_W] != 0 ||
        p[RC_RS_HBLOCKS] != 1 || p[RC_RS_LIGHT] != RC_RS_LIGHT_ADD)
        return -1;
    return rc_parameters_cell((int)p[RC_RS_T], (int)p[RC_RS_CFV], (int)p[RC_RS_CFH]);
}

/* 1: results of a K and precision of the study, warm, in natural order, on its device. */
static int is_setting(const study_t *s, const rc_setting_t *of, int64_t k, rc_precision_t precision)
{
    return of->k == k && of->precision == (int32_t)precision && of->c_order == RC_C_ORIGINAL &&
           of->cache == 0 && strcmp(rc_view_device(s->view, of->device), s->device) == 0;
}

static void read_times(study_t *s, int64_t k, rc_precision_t precision)
{
    const rc_counted_t *c = &s->counted;
    rc_device_kind_t device = strncmp(s->device, "cuda:", 5) == 0 ? RC_DEVICE_CUDA : RC_DEVICE_CPU;
    for (int64_t i = 0; i < s->all * CELLS; i++)
        s->ns[i] = NAN;
    for (int64_t i = 0; i < c->rows; i++) {
        const rc_counted_row_t *e = &c->row[i];
        int64_t m = number_of(s, e->matrix);
        if (m < 0 || !is_setting(s, &c->setting[e->setting], k, precision) ||
            strcmp(rc_view_policy(s->view, e->policy), "csr") != 0)
            continue;
        int at = cell_of(rc_view_kernel(s->view, e->kernel), device);
        if (at >= 0)
            s->ns[m * CELLS + at] = fmin(s->ns[m * CELLS + at], e->ns);
    }
}

/* --------------------------------------------------------------------- fit */

/* Matrices that have a time, moved to the front of x, ns and label.  \return how many */
static int64_t pack(double *x, double *ns, int32_t *label, int64_t n)
{
    int64_t to = 0;
    for (int64_t i = 0; i < n; i++) {
        if (label[i] < 0)
            continue;
        memmove(x + to * INPUTS, x + i * INPUTS, INPUTS * sizeof *x);
        memmove(ns + to * CELLS, ns + i * CELLS, CELLS * sizeof *ns);
        label[to++] = label[i];
    }
    return to;
}

static double best_of(const double *ns)
{
    double best = NAN;
    for (int i = 0; i < CELLS; i++)
        best = fmin(best, ns[i]);
    return best;
}

/* What the tree keeps of the best, geomean. */
static double kept_by(
    const rc_c45_t *tree, const rc_parameters_t *p, const double *x, const double *ns, int64_t n)
{
    rc_sums_t kept = {0};
    for (int64_t i = 0; i < n; i++) {
        int t = 1 + rc_tree_predict(tree->node, x + i * INPUTS);
        double own = ns[i * CELLS + rc_parameters_cell(t, p->cfv, p->cfh)];
        if (!isnan(own))
            rc_sums_add(&kept, best_of(ns + i * CELLS) / own);
    }
    return rc_sums_geomean(&kept);
}

static json_t *tree_json(const rc_c45_t *t)
{
    json_t *list = json_array();
    for (int32_t i = 0; list && i < t->nodes; i++) {
        const rc_question_t *n = &t->node[i];
        json_t *one = n->input < 0
                          ? json_pack("{s:i}", "t", n->label + 1)
                          : json_pack("{s:s, s:f, s:i, s:i}", "input", rc_rs_input_name(n->input),
                                "at_most", n->threshold, "yes", n->left, "no", n->right);
        if (json_array_append_new(list, one) < 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *paths_json(const double *ns)
{
    json_t *o = json_object();
    for (int i = 0; o && i < RC_RS_PATHS_TERMS; i++)
        if (json_object_set_new(o, rc_rs_paths_name(i), json_real(ns[i])) < 0) {
            json_decref(o);
            return NULL;
        }
    return o;
}

static rc_status_t add_setting(
    study_t *s, const json_t *cost, const rc_c45_t *tree, const fitted_t *f, rc_err_t *err)
{
    json_t *one = json_pack("{s:i, s:i, s:i, s:I, s:f, s:o}", "t", f->p.t, "cfv", f->p.cfv, "cfh",
        f->p.cfh, "training_matrices", (json_int_t)f->p.counted, "training_kept", f->kept, "tree",
        tree_json(tree));
    int failed = !one || json_object_update_missing(one, (json_t *)(uintptr_t)cost) < 0;
    if (s->matrix)
        failed |= json_object_set_new(one, "paths_ns", paths_json(f->path_ns)) < 0;
    return json_array_append(s->settings, one) < 0 || failed
               ? (json_decref(one), rc_fail(err, RC_ENOMEM, "no memory for a tuning"))
               : (json_decref(one), RC_OK);
}

/* The second model, fitted to the training matrices, and both models on the others. */
static rc_status_t fit_paths(study_t *s, const json_t *cost, rc_precision_t precision,
    const rc_c45_t *tree, fitted_t *f, rc_err_t *err)
{
    const rc_path_times_t own = {s->matrix, s->ns, s->n, precision, f->p.cfh};
    const rc_path_times_t other = {
        s->matrix + s->n, s->ns + s->n * CELLS, s->all - s->n, precision, f->p.cfh};
    rc_rs_cost_t published = {.light_row = json_number_value(json_object_get(cost, "light_row")),
        .light_entry = json_number_value(json_object_get(cost, "light_entry"))};
    for (size_t i = 0; i < RC_RS_COSTS; i++) {
        published.heavy_segment[i] =
            json_number_value(json_array_get(json_object_get(cost, "heavy_segment"), i));
        published.heavy_entry[i] =
            json_number_value(json_array_get(json_object_get(cost, "heavy_entry"), i));
    }
    rc_status_t st = rc_path_fit(&own, NULL, f->path_ns, err);
    if (st == RC_OK)
        st = rc_path_held_out(&own, &f->held_out, err);
    rc_path_keep(&other, f->path_ns, NULL, &f->paths);
    rc_path_keep_published(&other, tree, &published, &f->published);
    return st;
}

/* One K and precision of the costs. */
static rc_status_t fit(study_t *s, const json_t *cost, fitted_t *out, rc_err_t *err)
{
    const char *name = json_string_value(json_object_get(cost, "precision"));
    int64_t k = json_integer_value(json_object_get(cost, "k"));
    rc_c45_options_t options = RC_C45_OPTIONS;
    rc_precision_t precision;
    rc_c45_t tree = {.nodes = 0};
    double *x = rc_alloc((size_t)s->n * INPUTS, sizeof *x, "training matrices", err);
    double *ns = rc_alloc((size_t)s->n * CELLS, sizeof *ns, "training matrices", err);
    rc_status_t st;
    RC_TRY(x && ns ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_precision_parse(name ? name : "", &precision, err));
    read_times(s, k, precision);
    if (rc_parameters_choose(s->ns, s->n, s->label, &out->p, err) < 0) {
        st = rc_err_context(err, "%s: rs:t=1..16:cfv=1..4:cfh=1..4 on %s, K = %" PRId64 ", %s",
            s->o->store, s->device, k, name);
        goto done;
    }
    memcpy(x, s->x, (size_t)s->n * INPUTS * sizeof *x);
    memcpy(ns, s->ns, (size_t)s->n * CELLS * sizeof *ns);
    int64_t n = pack(x, ns, s->label, s->n);
    const rc_c45_samples_t samples = {
        .x = x, .label = s->label, .n = n, .inputs = INPUTS, .classes = RC_PARAMETERS_T};
    RC_TRY(rc_c45_fit(&samples, &options, &tree, err));
    out->nodes = tree.nodes;
    out->kept = kept_by(&tree, &out->p, x, ns, n);
    if (s->matrix)
        RC_TRY(fit_paths(s, cost, precision, &tree, out, err));
    RC_TRY(add_setting(s, cost, &tree, out, err));
done:
    rc_c45_free(&tree);
    free(ns);
    free(x);
    return st;
}

/* ------------------------------------------------------------------ output */

/* 1: a setting of that K and precision was fitted. */
static int is_fitted(const study_t *s, const json_t *of)
{
    for (size_t i = 0; i < json_array_size(s->settings); i++) {
        const json_t *own = json_array_get(s->settings, i);
        if (json_equal(json_object_get(own, "k"), json_object_get(of, "k")) &&
            json_equal(json_object_get(own, "precision"), json_object_get(of, "precision")))
            return 1;
    }
    return 0;
}

/* What --onto has beside: its other settings first, and its training matrices. */
static rc_status_t add_onto(study_t *s, json_t *names, rc_err_t *err)
{
    const json_t *old = json_object_get(s->onto, "settings");
    const json_t *named = json_object_get(s->onto, "training_matrices");
    size_t at = 0;
    int failed = 0;
    for (size_t i = 0; i < json_array_size(old); i++)
        if (!is_fitted(s, json_array_get(old, i)))
            failed |= json_array_insert(s->settings, at++, json_array_get(old, i)) < 0;
    for (size_t i = 0; i < json_array_size(named); i++) {
        int known = 0;
        for (size_t n = 0; n < json_array_size(names); n++)
            known |= json_equal(json_array_get(names, n), json_array_get(named, i));
        failed |= !known && json_array_append(names, json_array_get(named, i)) < 0;
    }
    return failed ? rc_fail(err, RC_ENOMEM, "no memory for a tuning") : RC_OK;
}

static rc_status_t write_file(study_t *s, rc_err_t *err)
{
    enum { digits = 17 };
    rc_replace_t r = {0};
    json_t *names = json_array();
    for (int64_t i = 0; names && i < s->n; i++)
        (void)json_array_append_new(names, json_string(rc_view_matrix(s->view, s->id[i])->name));
    if (names && add_onto(s, names, err) < 0) {
        json_decref(names);
        return RC_ENOMEM;
    }
    json_t *root = json_pack("{s:s, s:i, s:s, s:O, s:s, s:O, s:O, s:o, s:O}", "format",
        "rowcast parameters", "version", RC_RS_TUNING_VERSION, "kernel", "rs", "kernel_version",
        json_object_get(s->file, "kernel_version"), "device", s->device, "n",
        json_object_get(s->file, "n"), "tau", json_object_get(s->file, "tau"), "training_matrices",
        names, "settings", s->settings);
    if (!root)
        return rc_fail(
            err, RC_EFORMAT, "--costs: %s: expected n, tau and kernel_version", s->o->costs);
    rc_status_t st = rc_replace_begin(s->o->output, &r, err);
    if (st == RC_OK) {
        int ok = json_dumpf(root, r.file, JSON_INDENT(1) | JSON_REAL_PRECISION(digits)) == 0 &&
                 fputc('\n', r.file) != EOF;
        st = rc_replace_end(&r, ok, err);
        if (!ok)
            st = rc_fail(err, RC_EIO, "cannot write '%s'", s->o->output);
    }
    json_decref(root);
    return st;
}

static void put_line(const study_t *s, rc_table_t *t, const json_t *cost, const fitted_t *f)
{
    RC_CELLS(t, RC_INT(json_integer_value(json_object_get(cost, "k"))),
        RC_TEXT(json_string_value(json_object_get(cost, "precision"))), RC_INT(f->p.counted),
        RC_INT(f->p.cfh), RC_INT(f->p.cfv), RC_INT(f->p.t), RC_INT(f->nodes), RC_REAL(f->kept, 4));
    if (!s->matrix)
        return;
    RC_CELLS(t, RC_INT(f->held_out.n), RC_REAL(rc_sums_geomean(&f->held_out), 4),
        RC_REAL(rc_sums_least(&f->held_out), 4), RC_INT(f->paths.n),
        RC_REAL(rc_sums_geomean(&f->published), 4), RC_REAL(rc_sums_least(&f->published), 4),
        RC_REAL(rc_sums_geomean(&f->paths), 4), RC_REAL(rc_sums_least(&f->paths), 4));
}

/* The paper's: cfh 2 in fp32 and 1 in fp64; of the others it prints none. */
static rc_status_t fit_all(study_t *s, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "k|precision|matrices|cfh|cfv|t|tree:nodes|kept:of the best|held:matrices|"
        "paths_held_out:of the best|worst_held_out|others:matrices|model:of the best|worst_model|"
        "paths:of the best|worst_paths";
    enum { without_paths = 8 };
    rc_table_t *t = NULL;
    rc_status_t st = RC_OK;
    size_t n = json_array_size(s->costs);
    fitted_t *f = rc_alloc0(n, sizeof *f, "settings", err);
    RC_TRY(f ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < n; i++)
        RC_TRY(fit(s, json_array_get(s->costs, i), &f[i], err));
    RC_TRY(write_file(s, err));
    t = rc_table_of(stdout, format, columns, s->matrix ? 0 : without_paths, err);
    for (size_t i = 0; i < n; i++)
        put_line(s, t, json_array_get(s->costs, i), &f[i]);
    st = rc_table_end(t, err);
done:
    free(f);
    return st;
}

rc_status_t rc_train_parameters(
    const rc_train_parameters_t *o, rc_table_format_t format, rc_err_t *err)
{
    study_t s = {.o = o, .settings = json_array()};
    rc_status_t st;
    if (!o->kernel || strcmp(o->kernel, "rs") != 0)
        st = rc_fail(err, RC_EINVAL, "--kernel: expected rs for --task parameters, found %s",
            o->kernel ? o->kernel : "none");
    else if (!o->costs)
        st = rc_fail(err, RC_EINVAL,
            "--costs: expected a file of 'rowcast calibrate --kernel rs' for --task parameters");
    else
        st = s.settings ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for a tuning");
    RC_TRY(st);
    RC_TRY(read_costs(&s, err));
    RC_TRY(read_onto(&s, err));
    RC_TRY(read_store(&s, err));
    RC_TRY(list_training(&s, err));
    RC_TRY(read_inputs(&s, err));
    if (o->paths.dir) {
        s.matrix = rc_alloc0((size_t)s.all, sizeof *s.matrix, "matrices", err);
        RC_TRY(
            s.matrix ? rc_path_matrices(s.view, s.id, s.all, &o->paths, s.matrix, err) : RC_ENOMEM);
    }
    if (!o->quiet)
        fprintf(stderr, "train: parameters of rs, %" PRId64 " training matrices of %d\n", s.n,
            (int)rc_view_matrices(s.view));
    RC_TRY(fit_all(&s, format, err));
done:
    json_decref(s.settings);
    json_decref(s.file);
    json_decref(s.onto);
    free(s.matrix);
    free(s.id);
    free(s.x);
    free(s.ns);
    free(s.label);
    rc_counted_free(&s.counted);
    rc_view_free(s.view);
    return st;
}
