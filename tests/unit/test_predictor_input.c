/* What the kinds of predictor do with a state that is not valid: in a file, or made in memory. */
#include "config.h"
#include "unit.h"
#include "failing_alloc.h"
#include "random_predictor.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rc_predictor_kind_t *const kinds[] = {
    &rc_predictor_network, &rc_predictor_forest, &rc_predictor_svm};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static json_t *loads(const char *text)
{
    json_error_t e;
    json_t *v = json_loads(text, JSON_DECODE_ANY, &e);
    if (!v)
        fail_msg("%s: %s", e.text, text);
    return v;
}

/* The state is refused, and the message names what is wrong. */
static void refused(const rc_predictor_kind_t *kind, const json_t *v, int inputs, int outputs,
    const char *name, const char *what)
{
    rc_err_t err = {0};
    void *state = &err;
    rc_status_t st = kind->read(v, inputs, outputs, &state, &err);
    if (st != RC_EFORMAT || err.status != st || state != &err || !strstr(err.text, name))
        fail_msg("%s, %s: expected a message about '%s', found %s: %s", kind->name, what, name,
            rc_status_name(st), err.text);
}

/* A small valid state of each kind: inputs 2, outputs 3. */
static const char *const valid[KINDS] = {
    "{\"nets\": [{\"layers\": [{\"in\": 2, \"out\": 4, \"weight\": [1, 2, 3, 4, 5, 6, 7, 8], "
    "\"bias\": [0.5, 0.25, 1, 2]}, {\"in\": 4, \"out\": 3, \"weight\": [1, 2, 3, 4, 5, 6, 7, 8, 9, "
    "10, 11, 12], \"bias\": [1, 2, 3]}]}]}",
    "{\"base\": [1, 2, 3], \"first\": [0, 2, 2, 3], \"root\": [0, 5, 6, 9], "
    "\"feature\": [0, -1, 1, -1, -1, -1, 1, -1, -1], \"left\": [1, 0, 3, 0, 0, 0, 7, 0, 0], "
    "\"value\": [0.5, 1, 0.25, 2, 3, 4, 1.5, 5, 6]}",
    ("{\"gamma\": 0.5, \"label\": [2, 0], \"count\": [1, 2], \"vector\": [1, 2, 3, 4, 5, 6], "
     "\"coef\": [1, 2, -3], \"rho\": [0.125]}"),
};
enum { INPUTS = 2, OUTPUTS = 3 };

/* Everything below `at`, which hangs in `root`, replaced in turn by what it may not be. */
static void replace_all(
    const rc_predictor_kind_t *kind, const json_t *root, json_t *at, const char *name, int *count)
{
    static const char *const others[] = {
        "null", "true", "\"1\"", "{}", "[]", "[[1]]", "{\"a\": 1}", "-2147483649", "1.5e300"};
    size_t children = json_is_array(at) ? json_array_size(at) : json_object_size(at);
    void *it = json_object_iter(at);
    for (size_t i = 0; i < children; i++) {
        const char *key = it ? json_object_iter_key(it) : name;
        json_t *child = it ? json_object_iter_value(it) : json_array_get(at, i);
        json_incref(child);
        for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
            json_t *other = loads(others[k]);
            /* any finite number may stand where a real one does */
            int fits = json_is_number(other) && json_is_number(child) && !strstr("in out", key) &&
                       !strstr("first root feature left label count", key) &&
                       (strcmp(key, "gamma") != 0 || json_number_value(other) > 0);
            if (!fits) {
                it ? json_object_set(at, key, other) : json_array_set(at, i, other);
                /* beside a list of another length, another list may be the wrong one */
                refused(kind, root, INPUTS, OUTPUTS, json_is_array(other) ? "expected" : key,
                    others[k]);
                it ? json_object_set(at, key, child) : json_array_set(at, i, child);
                (*count)++;
            }
            json_decref(other);
        }
        replace_all(kind, root, child, key, count);
        json_decref(child);
        if (it) {
            /* the same key again: setting a value keeps its place */
            it = json_object_iter_next(at, json_object_iter_at(at, key));
        }
    }
}

static void every_member_is_checked(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        json_t *root = loads(valid[i]);
        void *read = NULL;
        rc_err_t err = {0};
        int count = 0;
        if (kinds[i]->read(root, INPUTS, OUTPUTS, &read, &err) < 0)
            fail_msg("%s", err.text);
        kinds[i]->free(read);
        replace_all(kinds[i], root, root, "", &count);
        assert_true(count > 100);
        assert_int_equal(kinds[i]->read(root, INPUTS, OUTPUTS, &read, &err), RC_OK);
        kinds[i]->free(read);
        json_decref(root);
        static const char *const tops[] = {"null", "[]", "3", "\"x\"", "{}"};
        for (size_t k = 0; k < sizeof tops / sizeof tops[0]; k++) {
            root = loads(tops[k]);
            refused(kinds[i], root, INPUTS, OUTPUTS, "expected", tops[k]);
            json_decref(root);
        }
    }
}

/* Members missing, one too many, lists a little shorter and longer, at every level. */
static void vary_members(const rc_predictor_kind_t *kind, const json_t *root, json_t *at)
{
    const char *key;
    json_t *child;
    size_t i;
    if (json_is_array(at)) {
        json_array_foreach(at, i, child) vary_members(kind, root, child);
        return;
    }
    if (!json_is_object(at))
        return;
    json_object_set_new(at, "extra", json_integer(1));
    refused(kind, root, INPUTS, OUTPUTS, "extra", "a member too many");
    json_object_del(at, "extra");
    json_t *copy = json_copy(at);
    json_object_foreach(copy, key, child)
    {
        vary_members(kind, root, child);
        json_object_del(at, key);
        refused(kind, root, INPUTS, OUTPUTS, key, "a member missing");
        json_object_set(at, key, child);
        if (!json_is_array(child) || strcmp(key, "nets") == 0)
            continue;
        size_t n = json_array_size(child);
        json_t *last = json_copy(json_array_get(child, n - 1));
        json_array_append(child, last);
        /* another member may be the one that does not fit */
        refused(kind, root, INPUTS, OUTPUTS, "expected", "a list that is longer");
        json_array_remove(child, n);
        json_array_remove(child, n - 1);
        refused(kind, root, INPUTS, OUTPUTS, "expected", "a list that is shorter");
        json_array_append_new(child, last);
    }
    json_decref(copy);
}

static void members_and_lengths(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        json_t *root = loads(valid[i]);
        vary_members(kinds[i], root, root);
        void *read = NULL;
        assert_int_equal(kinds[i]->read(root, INPUTS, OUTPUTS, &read, NULL), RC_OK);
        kinds[i]->free(read);
        for (int wrong = 0; wrong < 3; wrong++) {
            static const int sizes[][2] = {{1, 3}, {3, 3}, {2, 2}};
            if (kinds[i] == &rc_predictor_svm && wrong == 2)
                continue; /* tested below: class 2 of 2 */
            if (kinds[i] == &rc_predictor_forest && wrong == 1)
                continue; /* trees need not ask for every input */
            refused(kinds[i], root, sizes[wrong][0], sizes[wrong][1], "expected", "other sizes");
        }
        json_decref(root);
    }
}

/* One list of a valid state replaced. */
typedef struct variant {
    const char *key;
    const char *value;
    const char *message;
} variant_t;

static void variants_are_refused(int kind, const variant_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_t *root = loads(valid[kind]);
        json_object_set_new(root, v[i].key, loads(v[i].value));
        refused(kinds[kind], root, INPUTS, OUTPUTS, v[i].message, v[i].value);
        json_decref(root);
    }
}

static void trees_are_trees(void **state)
{
    (void)state;
    static const variant_t v[] = {
        {"left", "[0, 0, 3, 0, 0, 0, 7, 0, 0]", "left[0]"}, /* to itself */
        {"left", "[1, 0, 1, 0, 0, 0, 7, 0, 0]", "left[2]"}, /* backwards */
        {"left", "[1, 0, 2, 0, 0, 0, 7, 0, 0]", "left[2]"}, /* to itself */
        {"left", "[1, 0, 4, 0, 0, 0, 7, 0, 0]", "left[2]"}, /* into the next tree */
        {"left", "[1, 0, 7, 0, 0, 0, 7, 0, 0]", "left[2]"}, /* of another tree */
        {"left", "[1, 0, 3, 0, 0, 0, 8, 0, 0]", "left[6]"}, /* beyond the end */
        {"left", "[1, 0, 3, 0, 0, 0, 9, 0, 0]", "left[6]"}, /* beyond the end */
        {"left", "[1, 3, 3, 0, 0, 0, 7, 0, 0]", "left[1]"}, /* of a leaf */
        {"left", "[3, 0, 3, 0, 0, 0, 7, 0, 0]", "node 1"},  /* two parents, and none */
        {"left", "[1, 0, 3, 0, 0, 0, 2147483648, 0, 0]", "left[6]"},
        {"left", "[1, 0, 3, 0, 0, 0, 4294967303, 0, 0]", "left[6]"},
        {"left", "[1, 0, 3, 0, 0, 0, 7.0, 0, 0]", "left[6]"},
        {"feature", "[0, -1, 1, 1, -1, -1, 1, -1, -1]", "left[3]"}, /* no leaf, without children */
        {"feature", "[2, -1, 1, -1, -1, -1, 1, -1, -1]", "feature[0]"},
        {"feature", "[0, -2, 1, -1, -1, -1, 1, -1, -1]", "feature[1]"},
        {"feature", "[0, -1, -1, -1, -1, -1, 1, -1, -1]", "left[2]"},
        {"root", "[0, 5, 5, 9]", "root[2]"},
        {"root", "[0, 5, 4, 9]", "root[2]"},
        {"root", "[1, 5, 6, 9]", "root[0]"},
        {"root", "[0, 5, 6, 8]", "root[3]"},
        {"root", "[0, 5, 6, 10]", "root[3]"},
        {"root", "[0, 4, 6, 9]", "left[2]"},
        {"root", "[0, 6, 7, 9]", "node 5"},
        {"root", "[]", "root"},
        {"root", "[0]", "first"},
        {"first", "[0, 2, 1, 3]", "first[2]"},
        {"first", "[1, 2, 2, 3]", "first[0]"},
        {"first", "[0, 2, 2, 2]", "first[3]"},
        {"first", "[0, 2, 2, 4]", "first[3]"},
        {"first", "[0, -1, 2, 3]", "first[1]"},
    };
    variants_are_refused(1, v, sizeof v / sizeof v[0]);
    /* two parents whose ranges are right: nodes 1, 2 of the root, 3, 4 of both of them */
    json_t *root = loads("{\"base\": [0], \"first\": [0, 1], \"root\": [0, 5], \"feature\": "
                         "[0, 0, 0, -1, -1], \"left\": [1, 3, 3, 0, 0], \"value\": [1, 2, 3, 4, "
                         "5]}");
    refused(&rc_predictor_forest, root, 1, 1, "left[2]", "two parents");
    json_decref(root);
}

static void machines_are_machines(void **state)
{
    (void)state;
    static const variant_t v[] = {
        {"gamma", "0", "gamma"},
        {"gamma", "-0.5", "gamma"},
        {"label", "[2, 2]", "label[1]"},
        {"label", "[2, 3]", "label[1]"},
        {"label", "[-1, 0]", "label[0]"},
        {"label", "[0, 1, 2, 3]", "label"},
        {"label", "[]", "label"},
        {"count", "[1, 1]", "count"},
        {"count", "[2, 2]", "count[1]"},
        {"count", "[4, 0]", "count[0]"},
        {"count", "[-1, 4]", "count[0]"},
        {"count", "[2147483647, 2147483647]", "count[0]"},
        {"vector", "[1, 2, 3, 4, 5]", "vector"},
        {"vector", "[1, 2, 3, 4]", "coef"},
        {"coef", "[1, 2, 3, 4]", "coef"},
        {"rho", "[]", "rho"},
    };
    variants_are_refused(2, v, sizeof v / sizeof v[0]);
    json_t *root = loads(valid[2]);
    refused(&rc_predictor_svm, root, 2, 2, "label[0]", "a class that the model does not have");
    json_decref(root);
}

static void layers_fit_each_other(void **state)
{
    (void)state;
    static const char *const members[] = {"in", "out"};
    static const char *const values[] = {"0", "-1", "1", "5", "4097", "65536", "2147483647",
        "2147483649", "4294967298", "9223372036854775807", "2.0"};
    for (size_t layer = 0; layer < 2; layer++)
        for (size_t m = 0; m < 2; m++)
            for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
                json_t *root = loads(valid[0]);
                json_t *net = json_array_get(json_object_get(root, "nets"), 0);
                json_t *l = json_array_get(json_object_get(net, "layers"), layer);
                json_object_set_new(l, members[m], loads(values[i]));
                refused(&rc_predictor_network, root, INPUTS, OUTPUTS,
                    layer ? "nets[0].layers[1]" : "nets[0].layers[0]", values[i]);
                json_decref(root);
            }
}

/* ------------------------------------------------------------- made in memory */

static void not_written(const rc_predictor_kind_t *kind, const void *state, const char *name)
{
    rc_err_t err = {0};
    assert_null(kind->write(state, &err));
    assert_int_equal(err.status, RC_EINVAL);
    if (!strstr(err.text, name))
        fail_msg("expected a message about '%s', found '%s'", name, err.text);
}

static void what_a_trainer_got_wrong_is_not_written(void **state)
{
    (void)state;
    void *s[KINDS];
    for (int i = 0; i < KINDS; i++) {
        json_t *root = loads(valid[i]);
        assert_int_equal(kinds[i]->read(root, INPUTS, OUTPUTS, &s[i], NULL), RC_OK);
        json_decref(root);
    }
    rc_network_t *n = s[0];
    n->net[0].layer[1].weight[7] = INFINITY;
    not_written(kinds[0], n, "nets[0].layers[1].weight[7]");
    n->net[0].layer[1].weight[7] = 0;
    n->net[0].layer[0].bias[1] = NAN;
    not_written(kinds[0], n, "nets[0].layers[0].bias[1]");
    rc_forest_t *f = s[1];
    f->node[4].value = NAN;
    not_written(kinds[1], f, "value[4]");
    f->node[4].value = 1;
    f->base[1] = -INFINITY;
    not_written(kinds[1], f, "base[1]");
    f->base[1] = 1;
    rc_svm_t *m = s[2];
    m->coef[2] = NAN;
    not_written(kinds[2], m, "coef[2]");
    for (int i = 0; i < KINDS; i++)
        kinds[i]->free(s[i]);
}

static void sizes_out_of_range_are_refused(void **state)
{
    (void)state;
    rc_err_t err = {0};
    assert_null(rc_network_new(0, 1, (const int[]){1, 1}, &err));
    assert_null(rc_network_new(1, 0, (const int[]){1, 1}, &err));
    assert_null(rc_network_new(1, 2, (const int[]){1, 0, 1}, &err));
    assert_null(rc_network_new(1, 1, (const int[]){1, 1 << 20}, &err));
    assert_null(rc_forest_new(0, 1, 0, 0, &err));
    assert_null(rc_forest_new(1, 0, 0, 0, &err));
    assert_null(rc_forest_new(1, 1, 2, 1, &err));
    assert_null(rc_forest_new(1, 1, -1, 1, &err));
    assert_null(rc_forest_new(1, 1, 1, INT32_MAX, &err));
    assert_null(rc_svm_new(0, 1, 1, 1, &err));
    assert_null(rc_svm_new(1, 1, 2, 1, &err));
    assert_null(rc_svm_new(1, 1, 0, 1, &err));
    assert_null(rc_svm_new(1, 1, 1, -1, &err));
    assert_int_equal(err.status, RC_EINVAL);
    for (int i = 0; i < KINDS; i++)
        kinds[i]->free(NULL);
    assert_null(rc_predictor_find("none"));
    for (int i = 0; i < KINDS; i++)
        assert_ptr_equal(rc_predictor_find(kinds[i]->name), kinds[i]);
}

/* ---------------------------------------------------------- damaged at random */

/* A number somewhere below `v` becomes another one, or a list loses or repeats an element. */
static void damage(rc_rng_t *r, json_t *v)
{
    static const double numbers[] = {-2, -1, 0, 1, 2, 3, 7, 1e9, 2147483647, 4294967296.0};
    for (;;) {
        if (json_is_object(v)) {
            void *it = json_object_iter(v);
            for (uint64_t i = rc_rng_below(r, json_object_size(v)); i > 0; i--)
                it = json_object_iter_next(v, it);
            json_t *child = json_object_iter_value(it);
            if (json_is_integer(child)) {
                json_object_iter_set_new(
                    v, it, json_integer((json_int_t)numbers[rc_rng_below(r, 10)]));
                return;
            }
            v = child;
        } else if (json_is_array(v) && json_array_size(v) > 0) {
            size_t i = (size_t)rc_rng_below(r, json_array_size(v));
            json_t *child = json_array_get(v, i);
            uint64_t what = rc_rng_below(r, 12);
            if (json_is_number(child) || what < 2) {
                if (what == 0)
                    json_array_remove(v, i);
                else if (what == 1)
                    json_array_insert(v, i, child);
                else if (json_is_integer(child))
                    json_array_set_new(
                        v, i, json_integer((json_int_t)numbers[rc_rng_below(r, 10)]));
                else
                    json_array_set_new(v, i, json_real(numbers[rc_rng_below(r, 10)] * 1e299));
                return;
            }
            v = child;
        } else {
            return;
        }
    }
}

/* It is refused with a message, or it is a state that scores and can be written. */
static void damaged_states_do_no_harm(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 8);
    int taken = 0;
    int refusals = 0;
    for (int round = 0; round < 6000; round++) {
        random_state_t s = random_predictor(&r, kinds[round % KINDS]);
        assert_non_null(s.state);
        json_t *v = s.kind->write(s.state, NULL);
        assert_non_null(v);
        s.kind->free(s.state);
        for (uint64_t i = 1 + rc_rng_below(&r, 3); i > 0; i--)
            damage(&r, v);
        rc_err_t err = {0};
        rc_status_t st = s.kind->read(v, s.inputs, s.outputs, &s.state, &err);
        json_decref(v);
        if (st < 0) {
            assert_int_equal(st, RC_EFORMAT);
            assert_true(strlen(err.text) > 0);
            refusals++;
            continue;
        }
        taken++;
        double x[12];
        double out[6];
        double *scratch = malloc((s.kind->scratch(s.state) + 1) * sizeof *scratch);
        assert_non_null(scratch);
        random_inputs(&r, s.inputs, x);
        s.kind->score(s.state, x, scratch, out);
        free(scratch);
        v = s.kind->write(s.state, &err);
        if (!v)
            fail_msg("%s", err.text);
        json_decref(v);
        s.kind->free(s.state);
    }
    assert_true(taken > 600 && refusals > 600);
}

/* ---------------------------------------------------------------- no memory */

/* Read and write, where the n-th allocation fails, jansson's included. */
static int survives(int kind, const json_t *root, long n)
{
    void *state = NULL;
    rc_err_t err = {0};
    failing_alloc_set(n);
    rc_status_t st = kinds[kind]->read(root, INPUTS, OUTPUTS, &state, &err);
    json_t *v = st == RC_OK ? kinds[kind]->write(state, &err) : NULL;
    failing_alloc_set(-1);
    int complete = v != NULL;
    if (!complete)
        assert_int_equal(err.status, RC_ENOMEM);
    json_decref(v);
    kinds[kind]->free(state);
    return complete;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    json_set_alloc_funcs(malloc, free);
    for (int i = 0; i < KINDS; i++) {
        json_t *root = loads(valid[i]);
        long n = 0;
        while (!survives(i, root, n))
            n++;
        assert_in_range(n, 20, 1000);
        json_decref(root);
        for (n = 0;; n++) {
            failing_alloc_set(n);
            void *made = i == 0   ? (void *)rc_network_new(2, 2, (const int[]){1, 2, 1}, NULL)
                         : i == 1 ? (void *)rc_forest_new(1, 1, 1, 1, NULL)
                                  : (void *)rc_svm_new(1, 2, 2, 2, NULL);
            failing_alloc_set(-1);
            kinds[i]->free(made);
            if (made)
                break;
        }
        assert_in_range(n, 4, 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_is_checked),
        cmocka_unit_test(members_and_lengths),
        cmocka_unit_test(trees_are_trees),
        cmocka_unit_test(machines_are_machines),
        cmocka_unit_test(layers_fit_each_other),
        cmocka_unit_test(what_a_trainer_got_wrong_is_not_written),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(damaged_states_do_no_harm),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
