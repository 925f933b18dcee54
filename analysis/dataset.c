#include "config.h"
#include "analysis/dataset.h"
#include "analysis/dataset_private.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rc_dataset_best(const rc_dataset_t *d, int64_t row)
{
    const double *t = d->time + row * d->classes;
    int best = 0;
    for (int c = 1; c < d->classes; c++)
        if (t[c] < t[best])
            best = c;
    return best;
}

int rc_best_single(const rc_dataset_t *d, const int64_t *row, int64_t n)
{
    int best = 0;
    double least = INFINITY;
    for (int c = 0; c < d->classes; c++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += log(d->time[(row ? row[i] : i) * d->classes + c]);
        if (sum < least) {
            least = sum;
            best = c;
        }
    }
    return best;
}

/* -------------------------------------------------------------------- classes */

static rc_status_t name_class(
    const rc_selection_t *s, const rc_pair_t *p, rc_task_t task, rc_model_class_t *c, rc_err_t *err)
{
    RC_PASS(rc_strcpy(c->policy, sizeof c->policy, p->policy_name, "name of an order", err));
    RC_PASS(rc_strcpy(c->kernel, sizeof c->kernel, p->kernel_name, "name of a kernel", err));
    c->policy_version = rc_view_policy_version(s->view, p->policy);
    c->kernel_version = rc_view_kernel_version(s->view, p->kernel);
    int format = task == RC_TASK_FORMAT ? rc_six_of(p->kernel_name) : -1;
    int n = task == RC_TASK_PLAN
                ? snprintf(c->name, sizeof c->name, "%s/%s", p->kernel_name, p->policy_name)
                : snprintf(c->name, sizeof c->name, "%s",
                      format < 0 ? p->policy_name : rc_six_names[format]);
    if (n < 0 || (size_t)n >= sizeof c->name)
        RC_PASS(rc_fail(
            err, RC_ERANGE, "name of a class too long: %s/%s", p->kernel_name, p->policy_name));
    return RC_OK;
}

/* Layout of the dense operands and memory of the prepared matrix, from the results of a pair. */
static void fill_abilities(const rc_selection_t *s, int pair, rc_model_class_t *c)
{
    for (int64_t i = 0; i < s->picks; i++) {
        if (s->pick[i].pair != pair)
            continue;
        const rc_row_result_t *r = rc_view_result(s->view, s->pick[i].row);
        const rc_row_matrix_t *a = rc_view_matrix(s->view, r->matrix);
        double csr =
            (double)a->nnz * (4 + rc_type(r->precision)->bytes) + 8 * ((double)a->rows + 1);
        c->layout |= r->layout == RC_ROW_MAJOR   ? RC_LAYOUT_ROW
                     : r->layout == RC_COL_MAJOR ? RC_LAYOUT_COL
                                                 : RC_LAYOUT_COL | RC_LAYOUT_ROW; /* mixed */
        if (r->device_bytes > 0)
            c->memory = fmax(c->memory, (double)r->device_bytes / csr);
    }
    if (c->layout == (RC_LAYOUT_COL | RC_LAYOUT_ROW))
        c->layout = 0; /* mixed, or in one precision this, in the other that one: nothing can be
                          promised */
}

static rc_status_t fill_classes(
    const rc_selection_t *s, const int *pair, int classes, rc_dataset_t *d, rc_err_t *err)
{
    RC_PASS(RC_NEW0(d->cls, classes, "classes", err));
    d->classes = classes;
    for (int c = 0; c < classes; c++) {
        RC_PASS(name_class(s, &s->pair[pair[c]], d->task, &d->cls[c], err));
        fill_abilities(s, pair[c], &d->cls[c]);
        RC_PASS(rc_common_geometry(s, &pair[c], 1, &d->cls[c].geometry, err));
    }
    return RC_OK;
}

static rc_status_t choose_baseline(rc_dataset_t *d, const char *wanted, rc_err_t *err)
{
    int fits = 0;
    rc_str_t list = {0};
    const char *word = wanted ? wanted : "csr";
    for (int c = 0; c < d->classes && (wanted || d->task != RC_TASK_PLAN); c++) {
        if (strcmp(word, d->cls[c].name) == 0) {
            d->baseline = c;
            return RC_OK;
        }
        if (rc_glob_match(word, d->cls[c].name)) {
            d->baseline = c;
            fits++;
        }
    }
    if (fits == 1)
        return RC_OK;
    if (!wanted && d->task != RC_TASK_ORDER) {
        d->baseline = rc_best_single(d, NULL, d->rows);
        return RC_OK;
    }
    for (int c = 0; c < d->classes; c++)
        rc_str_addf(&list, "%s%s", c ? ", " : "", d->cls[c].name);
    (void)rc_fail(err, RC_EINVAL, "--baseline: %s class fits '%s'; there are: %s",
        fits ? "more than one" : "no", word, list.text && !list.failed ? list.text : "");
    rc_str_free(&list);
    return RC_EINVAL;
}

/* --------------------------------------------------------------------- groups */

/* A group is what names begin with: "Group/Name" up to the slash.  The built-in set, one group by
 * name, is divided by generator where it is alone, "builtin/mesh2d-100" up to the hyphen. */
static rc_status_t fill_groups(rc_dataset_t *d, rc_err_t *err)
{
    typedef char name_t[sizeof d->sample->name];
    int by_generator = 1; /* the built-in set alone */
    rc_pool_t pool = {0};
    rc_status_t st;
    name_t *name = rc_pool_get(&pool, (size_t)d->rows, sizeof *name);
    const char **sorted = rc_pool_get(&pool, (size_t)d->rows, sizeof *sorted);
    d->group = rc_alloc0((size_t)d->rows, sizeof *d->group, "groups", err);
    RC_TRY(d->group ? rc_pool_check(&pool, "groups", err) : RC_ENOMEM);
    for (int64_t i = 0; i < d->rows; i++)
        by_generator &= strncmp(d->sample[i].name, "builtin/", strlen("builtin/")) == 0;
    for (int64_t i = 0; i < d->rows; i++) {
        memcpy(name[i], d->sample[i].name, sizeof name[i]);
        name[i][strcspn(name[i], by_generator ? "-" : "/")] = '\0';
        sorted[i] = name[i];
    }
    qsort(sorted, (size_t)d->rows, sizeof *sorted, rc_str_compare);
    for (int64_t i = 0; i < d->rows; i++) {
        if (i == 0 || strcmp(sorted[i], sorted[i - 1]) != 0) {
            d->group[d->groups] = rc_strdup(sorted[i], err);
            RC_TRY(d->group[d->groups++] ? RC_OK : RC_ENOMEM);
        }
        d->sample[(name_t *)sorted[i] - name].group = d->groups - 1;
    }
done:
    rc_pool_free(&pool);
    return st;
}

/* --------------------------------------------------------------------- digest */

static void add_text(rc_hasher_t *h, const char *text)
{
    rc_hasher_add(h, text, strlen(text) + 1);
}

static void add_geometry(rc_hasher_t *h, const rc_model_geometry_t *g)
{
    for (int t = 0; t < RC_TYPES; t++) {
        const int32_t v[] = {g->of[t].nw, g->of[t].nt, g->of[t].line};
        if (RC_MODEL_TYPES >> t & 1 || v[0])
            rc_hasher_add(h, v, sizeof v);
    }
}

static rc_status_t fill_digest(rc_dataset_t *d, rc_err_t *err)
{
    rc_hasher_t *h = rc_hasher_new(err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    const int64_t head[] = {
        d->task, d->inputs, d->classes, d->baseline, d->rows, d->feature_version};
    rc_hasher_add(h, head, sizeof head);
    if (d->operation != 0) /* digests from before there were others stay */
        add_text(h, rc_model_operation_names[d->operation]);
    add_text(h, d->device);
    add_text(h, d->feature_set);
    add_geometry(h, &d->geometry);
    for (int i = 0; i < d->inputs; i++) {
        const int64_t transform = d->input[i].transform;
        add_text(h, d->input[i].name);
        rc_hasher_add(h, &transform, sizeof transform);
    }
    for (int c = 0; c < d->classes; c++) {
        const int64_t version[] = {d->cls[c].policy_version, d->cls[c].kernel_version};
        add_text(h, d->cls[c].name);
        add_text(h, d->cls[c].kernel);
        rc_hasher_add(h, version, sizeof version);
        add_geometry(h, &d->cls[c].geometry);
    }
    for (int64_t i = 0; i < d->rows; i++) {
        const rc_sample_t *s = &d->sample[i];
        const int64_t what[] = {s->k, rc_type(s->precision)->bytes, s->k_is_n};
        add_text(h, d->sample[i].digest);
        add_text(h, d->sample[i].name);
        rc_hasher_add(h, what, sizeof what);
        if (!(RC_MODEL_TYPES >> s->precision & 1)) /* of these the bytes tell the type */
            add_text(h, rc_type(s->precision)->name);
    }
    rc_hasher_add(h, d->value, (size_t)(d->rows * d->inputs) * sizeof *d->value);
    rc_hasher_add(h, d->time, (size_t)(d->rows * d->classes) * sizeof *d->time);
    rc_hasher_add(h, d->setup, (size_t)(d->rows * d->classes) * sizeof *d->setup);
    d->digest = rc_hasher_digest(h);
    rc_hasher_free(h);
    return RC_OK;
}

/* -------------------------------------------------------------------- reading */

static rc_status_t set_device(const rc_selection_t *s, rc_dataset_t *d, rc_err_t *err)
{
    return rc_strcpy(
        d->device, sizeof d->device, rc_view_device(s->view, s->device), "class of a device", err);
}

rc_status_t rc_dataset_read(
    const char *store, const rc_dataset_options_t *options, rc_dataset_t *out, rc_err_t *err)
{
    rc_query_t q = {.store = store, .options = options};
    rc_selection_t s = {0};
    rc_dataset_t d = {.task = options->task};
    int *pair = NULL;
    int classes = 0;
    rc_status_t st;
    if (options->op && rc_model_operation_parse(options->op, &q.operation, err) < 0)
        return rc_err_context(err, "--op");
    d.operation = q.operation;
    RC_TRY(rc_select(&q, &s, err));
    RC_TRY(set_device(&s, &d, err));
    RC_TRY(rc_choose_classes(&s, options, &pair, &classes, err));
    RC_TRY(fill_classes(&s, pair, classes, &d, err));
    RC_TRY(rc_common_geometry(&s, pair, classes, &d.geometry, err));
    RC_TRY(rc_choose_inputs(options->features, &d, err));
    RC_TRY(rc_add_problem_inputs(&s, pair, &d, err));
    RC_TRY(rc_fill_rows(&s, pair, store, options, &d, err));
    RC_TRY(fill_groups(&d, err));
    if (d.task == RC_TASK_FORMAT)
        RC_TRY(rc_formats_restrict(options->classes, &d, err));
    RC_TRY(choose_baseline(&d, options->baseline, err));
    RC_TRY(fill_digest(&d, err));
    *out = d;
    d = (rc_dataset_t){0};
done:
    free(pair);
    rc_selection_free(&s);
    rc_dataset_free(&d);
    return st;
}

/* ----------------------------------------------------------------------- parts */

/* Index `i` of a list, of which NULL is all. */
static int column_at(const int *list, int i)
{
    return list ? list[i] : i;
}

static rc_status_t take_columns(
    const rc_dataset_t *d, const rc_dataset_part_t *p, rc_dataset_t *out, rc_err_t *err)
{
    out->inputs = p->inputs;
    out->classes = p->classes;
    out->input = rc_alloc((size_t)p->inputs, sizeof *out->input, "inputs of a data set", err);
    out->cls = rc_alloc((size_t)p->classes, sizeof *out->cls, "classes", err);
    RC_PASS(out->input && out->cls ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < p->inputs; i++)
        out->input[i] = d->input[column_at(p->input, i)];
    for (int c = 0; c < p->classes; c++)
        out->cls[c] = d->cls[column_at(p->cls, c)];
    return RC_OK;
}

/* Rows of out, which has its arrays. */
static void take_rows(const rc_dataset_t *d, const rc_dataset_part_t *p, rc_dataset_t *out)
{
    for (int64_t i = 0; i < p->rows; i++) {
        int64_t from = p->row ? p->row[i] : i;
        out->sample[i] = d->sample[from];
        out->library[i] = d->library ? d->library[from] : (rc_library_time_t){NAN, NAN};
        for (int k = 0; k < p->inputs; k++)
            out->value[i * p->inputs + k] = d->value[from * d->inputs + column_at(p->input, k)];
        for (int c = 0; c < p->classes; c++) {
            int64_t at = i * p->classes + c;
            int64_t source = from * d->classes + column_at(p->cls, c);
            out->time[at] = d->time[source];
            out->setup[at] = d->setup ? d->setup[source] : NAN;
            if (d->half.cost)
                memcpy(out->half.cost + at * RC_HALVES, d->half.cost + source * RC_HALVES,
                    RC_HALVES * sizeof *d->half.cost);
        }
    }
    out->rows = p->rows;
    if (!d->half.cost)
        rc_halves_free(&out->half);
}

rc_status_t rc_dataset_take(
    const rc_dataset_t *d, const rc_dataset_part_t *part, rc_dataset_t *out, rc_err_t *err)
{
    rc_dataset_part_t p = *part;
    rc_dataset_t t = {.task = d->task,
        .operation = d->operation,
        .feature_version = d->feature_version,
        .geometry = d->geometry,
        .dropped = d->dropped};
    rc_status_t st;
    p.rows = p.row ? p.rows : d->rows;
    p.classes = p.cls ? p.classes : d->classes;
    p.inputs = p.input ? p.inputs : d->inputs;
    if (p.rows < 1 || p.classes < 1 || p.inputs < 1)
        return rc_fail(err, RC_EINVAL,
            "part of a data set: expected rows, classes and inputs, found %lld, %d and %d",
            (long long)p.rows, p.classes, p.inputs);
    memcpy(t.device, d->device, sizeof t.device);
    memcpy(t.feature_set, d->feature_set, sizeof t.feature_set);
    RC_TRY(take_columns(d, &p, &t, err));
    RC_TRY(rc_allocate_rows(&t, p.rows, err));
    take_rows(d, &p, &t);
    t.baseline = rc_best_single(&t, NULL, t.rows);
    const char *const wanted[] = {"csr", d->cls[d->baseline].name}; /* the last one that it has */
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < t.classes; c++)
            if (strcmp(t.cls[c].name, wanted[i]) == 0)
                t.baseline = c;
    RC_TRY(fill_groups(&t, err));
    RC_TRY(fill_digest(&t, err));
    *out = t;
    t = (rc_dataset_t){0};
done:
    rc_dataset_free(&t);
    return st;
}

static rc_status_t copy_inputs(const rc_model_t *m, rc_dataset_t *d, rc_err_t *err)
{
    d->input = rc_alloc((size_t)m->inputs, sizeof *d->input, "inputs of a data set", err);
    d->cls = rc_alloc((size_t)m->classes, sizeof *d->cls, "classes", err);
    RC_PASS(d->input && d->cls ? RC_OK : RC_ENOMEM);
    memcpy(d->input, m->input, (size_t)m->inputs * sizeof *d->input);
    memcpy(d->cls, m->cls, (size_t)m->classes * sizeof *d->cls);
    d->inputs = m->inputs;
    d->classes = m->classes;
    d->baseline = m->baseline;
    d->geometry = m->geometry;
    d->feature_version = m->feature_version;
    memcpy(d->feature_set, m->feature_set, sizeof d->feature_set);
    return RC_OK;
}

rc_status_t rc_dataset_read_for(
    const char *store, const rc_model_t *m, const char *where, rc_dataset_t *out, rc_err_t *err)
{
    const rc_dataset_options_t o = {.task = m->task, .where = where};
    const rc_query_t q = {.store = store, .operation = m->operation, .options = &o, .model = m};
    rc_selection_t s = {0};
    rc_dataset_t d = {.task = m->task, .operation = m->operation};
    int *pair = NULL;
    rc_status_t st;
    RC_TRY(rc_select(&q, &s, err));
    RC_TRY(set_device(&s, &d, err));
    RC_TRY(rc_find_classes(&s, m, &pair, err));
    RC_TRY(copy_inputs(m, &d, err));
    RC_TRY(rc_fill_rows(&s, pair, store, NULL, &d, err));
    RC_TRY(fill_groups(&d, err));
    RC_TRY(fill_digest(&d, err));
    *out = d;
    d = (rc_dataset_t){0};
done:
    free(pair);
    rc_selection_free(&s);
    rc_dataset_free(&d);
    return st;
}

void rc_dataset_free(rc_dataset_t *d)
{
    if (!d)
        return;
    for (int i = 0; d->group && i < d->groups; i++)
        free(d->group[i]);
    free(d->group);
    free(d->input);
    free(d->cls);
    free(d->sample);
    free(d->value);
    free(d->time);
    rc_halves_free(&d->half);
    free(d->setup);
    free(d->library);
    *d = (rc_dataset_t){0};
}
