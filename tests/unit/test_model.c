#include "config.h"
#include "scratch.h"
#include "unit.h"

#include "failing_alloc.h"
#include "operation/operation.h"
#include "model/model.h"
#include "model_fixture.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rc_model_t *default_model(uint64_t seed)
{
    return model_make(seed, &(model_shape_t){.nets = 1});
}

static char *text_of(const rc_model_t *m)
{
    rc_err_t err = {0};
    char *text = rc_model_text(m, &err);
    if (!text)
        fail_msg("%s", err.text);
    return text;
}

static rc_model_t *parse(const char *text)
{
    rc_err_t err = {0};
    rc_model_t *m = NULL;
    if (rc_model_parse(text, strlen(text), "test", &m, &err) != RC_OK)
        fail_msg("%s", err.text);
    return m;
}

/* ------------------------------------------------------------- round trips */

/* Equal in what they say about random values. */
static void expect_same_choices(const rc_model_t *a, const rc_model_t *b, uint64_t seed)
{
    double value[64];
    double time[2][8];
    double setup[2][8];
    double *scratch = calloc(rc_model_scratch(a), sizeof *scratch);
    rc_rng_t r;
    rc_rng_seed(&r, seed);
    assert_non_null(scratch);
    assert_int_equal(rc_model_scratch(a), rc_model_scratch(b));
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < a->inputs; i++)
            value[i] = model_random_value(&r);
        int first = rc_model_choose_raw(a, value, scratch, time[0]);
        rc_model_setup_ns(a, scratch, setup[0]);
        assert_int_equal(first, rc_model_choose_raw(b, value, scratch, time[1]));
        rc_model_setup_ns(b, scratch, setup[1]);
        assert_int_equal(first, rc_model_choose_raw(b, value, scratch, NULL));
        assert_true(same_bits(time[0], time[1], a->classes));
        assert_true(same_bits(setup[0], setup[1], a->classes));
    }
    free(scratch);
}

static void texts_round_trip(void **state)
{
    (void)state;
    for (int i = 0; i < 24; i++) {
        model_shape_t s = {.task = i % 2 ? RC_TASK_PLAN : RC_TASK_ORDER,
            .output = (rc_output_t)(i % 3),
            .matrix_inputs = i % 4 == 3,
            .no_setup = i % 5 == 4,
            .fp32_only = i % 7 == 6,
            .nets = 1 + i % 3};
        rc_model_t *m = model_make((uint64_t)i, &s);
        m->geometry.of[i % RC_TYPES] = (rc_geometry_t){32, 32, 64}; /* types beyond those of every file, too */
        m->cls[i % 4].geometry.of[(i + 1) % RC_TYPES] = (rc_geometry_t){8, 16, 4};
        char *text = text_of(m);
        rc_model_t *back = parse(text);
        assert_memory_equal(&m->geometry, &back->geometry, sizeof m->geometry);
        assert_memory_equal(&m->cls[i % 4].geometry, &back->cls[i % 4].geometry, sizeof m->geometry);
        char *again = text_of(back);
        assert_string_equal(text, again);
        expect_same_choices(m, back, (uint64_t)i);
        assert_true(json_equal(m->training, back->training));
        assert_true(json_equal(m->evaluation, back->evaluation));
        free(text);
        free(again);
        rc_model_free(m);
        rc_model_free(back);
    }
}

static int files_in(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d))
        n++;
    closedir(d);
    return n;
}

static void files_are_replaced_whole(void **state)
{
    char path[SCRATCH_PATH];
    rc_err_t err = {0};
    scratch_path(state, "model.json", path);
    int before = files_in(*state);
    for (int i = 0; i < 2; i++) {
        rc_model_t *m = default_model((uint64_t)i);
        rc_model_t *back = NULL;
        assert_int_equal(rc_model_write(m, path, &err), RC_OK);
        assert_int_equal(rc_model_read(path, &back, &err), RC_OK);
        expect_same_choices(m, back, 7);
        rc_model_free(back);
        m->cls[0].policy_version = 0; /* not a valid model: the file stays as it was */
        assert_int_equal(rc_model_write(m, path, &err), RC_EINVAL);
        assert_non_null(strstr(err.text, "classes[0].policy_version"));
        back = NULL;
        assert_int_equal(rc_model_read(path, &back, &err), RC_OK);
        rc_model_free(back);
        rc_model_free(m);
    }
    assert_int_equal(files_in(*state), before + 1);
    rc_model_t *none = NULL;
    scratch_path(state, "absent.json", path);
    assert_int_equal(rc_model_read(path, &none, &err), RC_ENOENT);
    assert_int_equal(rc_model_read(*state, &none, &err), RC_EIO);
    scratch_path(state, "no/such/folder.json", path);
    rc_model_t *m = default_model(1);
    assert_int_equal(rc_model_write(m, path, &err), RC_EIO);
    rc_model_free(m);
    assert_null(none);
}

static void what_is_no_model_is_not_written(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        rc_err_t err = {0};
        rc_model_t *m = default_model(3);
        const char *say = "";
        switch (i) {
        case 0:
            m->input[2].mean = NAN;
            say = "input 2 (density)";
            break;
        case 1:
            m->input[4].scale = 0;
            say = "inputs[4].scale";
            break;
        case 2:
            m->geometry = (rc_model_geometry_t){.of = {{0, 0, 0}}};
            say = "geometry";
            break;
        case 3:
            m->setup[0].weight[1] = INFINITY;
            say = "class dcsr";
            break;
        case 4:
            m->cls[1].name[0] = '\0';
            say = "classes[1].name";
            break;
        case 5:
            m->device[0] = '\n';
            say = "device";
            break;
        case 6:
            m->cls[3] = m->cls[2];
            say = "classes[3].name";
            break;
        default:
            m->predictor.kind->free(m->predictor.state);
            m->predictor.kind = NULL;
            say = "predictor";
            break;
        }
        char *text = rc_model_text(m, &err);
        if (text || err.status != RC_EINVAL || !strstr(err.text, say))
            fail_msg("%d: expected an error about %s, found '%s'", i, say, err.text);
        rc_model_free(m);
    }
}

/* --------------------------------------------------------- members of files */

/* The model parses, or it does not and one line says why. */
static rc_status_t parse_anything(const char *text, size_t bytes, rc_err_t *err)
{
    rc_model_t *m = NULL;
    *err = (rc_err_t){0};
    rc_status_t st = rc_model_parse(text, bytes, "test", &m, err);
    if (st == RC_OK) {
        assert_non_null(m);
        double value[64] = {0};
        double *scratch = calloc(rc_model_scratch(m), sizeof *scratch);
        assert_non_null(scratch);
        int c = m->inputs <= 64 ? rc_model_choose_raw(m, value, scratch, NULL) : 0;
        assert_true(c >= 0 && c < m->classes);
        free(scratch);
        rc_model_free(m);
        return st;
    }
    assert_null(m);
    assert_int_equal(err->status, st);
    assert_true(st == RC_EFORMAT || st == RC_ENOTSUP);
    if (strncmp(err->text, "test:", 5) != 0 || strchr(err->text, '\n'))
        fail_msg("expected one line that starts with the name, found '%s'", err->text);
    return st;
}

static rc_status_t parse_json(const json_t *root, rc_err_t *err)
{
    char *text = json_dumps(root, JSON_REAL_PRECISION(17) | JSON_COMPACT);
    assert_non_null(text);
    rc_status_t st = parse_anything(text, strlen(text), err);
    free(text);
    return st;
}

static const char *const other_values[] = {"null", "true", "\"x\"", "\"\"", "-1", "0", "1e308",
    "4611686018427387904", "[]", "{}", "[[]]", "{\"a\": 1}"};
enum { OTHERS = sizeof other_values / sizeof *other_values };

static json_t *other_value(int i)
{
    return json_loads(other_values[i], JSON_DECODE_ANY, NULL);
}

static int64_t spoil(json_t *root, json_t *v, const char *path);

/* Take one member out, then put other values in its place, then go on below it. */
static int64_t spoil_member(json_t *root, json_t *v, const char *path, const char *key)
{
    int64_t tried = 0;
    rc_err_t err;
    char name[256];
    assert_true((size_t)snprintf(name, sizeof name, "%s.%s", path, key) < sizeof name);
    if (strcmp(name, ".training") == 0 || strcmp(name, ".evaluation") == 0)
        return 0;
    json_t *inner = json_incref(json_object_get(v, key));
    json_object_del(v, key);
    rc_status_t st = parse_json(root, &err);
    int optional = strcmp(name, ".operation") == 0; /* older files have none */
    if (optional ? st != RC_OK : st != RC_EFORMAT || !strstr(err.text, key))
        fail_msg(
            "without %s: expected an error that names it, found %d '%s'", name, (int)st, err.text);
    for (int i = 0; i < OTHERS; i++, tried++) {
        json_object_set_new(v, key, other_value(i));
        parse_json(root, &err);
    }
    json_object_set(v, key, inner);
    tried += spoil(root, inner, name);
    json_decref(inner);
    return tried;
}

static int64_t spoil_element(json_t *root, json_t *v, const char *path, size_t i)
{
    int64_t tried = 0;
    rc_err_t err;
    char name[256];
    snprintf(name, sizeof name, "%s[%zu]", path, i);
    json_t *inner = json_incref(json_array_get(v, i));
    json_array_remove(v, i);
    int any_length = strcmp(path, ".domain.k") == 0;
    if ((parse_json(root, &err) == RC_OK) != any_length)
        fail_msg("without %s: expected %s model", name, any_length ? "still a" : "no");
    json_array_insert(v, i, inner);
    for (int o = 0; o < OTHERS; o++, tried++) {
        json_array_set_new(v, i, other_value(o));
        parse_json(root, &err);
    }
    json_array_set(v, i, inner);
    tried += spoil(root, inner, name);
    json_decref(inner);
    return tried;
}

/* Spoil everything below a value, one thing at a time; everything is put back. */
static int64_t spoil(json_t *root, json_t *v, const char *path)
{
    enum { MOST = 32, OF_A_LIST = 3 };
    int64_t tried = 0;
    rc_err_t err;
    const char *key;
    json_t *inner;
    char keys[MOST][64];
    int n = 0;
    json_object_foreach(v, key, inner)
    {
        assert_true(n < MOST);
        snprintf(keys[n++], sizeof keys[0], "%s", key);
    }
    for (int i = 0; i < n; i++)
        tried += spoil_member(root, v, path, keys[i]);
    if (json_is_object(v)) {
        json_object_set_new(v, "member-of-no-format", json_null());
        assert_int_equal(parse_json(root, &err), RC_EFORMAT);
        assert_non_null(strstr(err.text, "member-of-no-format"));
        json_object_del(v, "member-of-no-format");
    }
    for (size_t i = 0; i < json_array_size(v) && i < OF_A_LIST; i++)
        tried += spoil_element(root, v, path, i);
    return tried;
}

static void every_member_is_checked(void **state)
{
    (void)state;
    rc_err_t err;
    for (int i = 0; i < 2; i++) {
        rc_model_t *m = model_make(
            5, &(model_shape_t){.matrix_inputs = 1, .task = i ? RC_TASK_PLAN : RC_TASK_ORDER});
        char *text = text_of(m);
        json_t *root = json_loads(text, 0, NULL);
        assert_non_null(root);
        assert_true(spoil(root, root, "") > 1000);
        assert_int_equal(parse_json(root, &err), RC_OK); /* all was put back */
        json_decref(root);
        free(text);
        rc_model_free(m);
    }
}

/* Replace the first `from` of a text. */
static char *edit(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (!at)
        fail_msg("the text has no '%s'", from);
    size_t head = (size_t)(at - text);
    size_t size = strlen(text) + strlen(to) + 1;
    char *out = malloc(size);
    assert_non_null(out);
    snprintf(out, size, "%.*s%s%s", (int)head, text, to, at + strlen(from));
    return out;
}

/* The library of a solver has no room of operations; its names and what it knows of them are those. */
static void operations_are_those_of_their_room(void **state)
{
    (void)state;
    int i = 0;
    for (; rc_operations[i]; i++) {
        assert_string_equal(rc_model_operation_names[i], rc_operations[i]->name);
        assert_int_equal(rc_model_operation_has_k(i), rc_operations[i]->has_k);
    }
    assert_null(rc_model_operation_names[i]);
}

/* Files from before there were other operations do not say theirs. */
static void a_file_without_an_operation_is_of_spmm(void **state)
{
    (void)state;
    rc_model_t *m = model_make(3, &(model_shape_t){.matrix_inputs = 1});
    char *text = rc_model_text(m, NULL);
    assert_non_null(text);
    char *at = strstr(text, "\"operation\": \"spmm\",");
    assert_non_null(at);
    size_t n = strlen("\"operation\": \"spmm\",");
    memmove(at, at + n, strlen(at + n) + 1);
    rc_model_t *old = NULL;
    assert_int_equal(rc_model_parse(text, strlen(text), "old", &old, NULL), RC_OK);
    assert_string_equal(rc_model_operation(old), "spmm");
    free(text);
    char *again = rc_model_text(old, NULL);
    text = rc_model_text(m, NULL);
    assert_string_equal(again, text);
    free(again);
    free(text);
    rc_model_free(old);
    m->operation = 4;
    assert_null(rc_model_text(m, NULL));
    m->operation = 1; /* spmv, which has no K */
    for (int i = 0; i < m->inputs; i++)
        if (strcmp(m->input[i].name, "k") == 0)
            snprintf(m->input[i].name, sizeof m->input[i].name, "warp_load_min");
    text = rc_model_text(m, NULL);
    assert_non_null(strstr(text, "\"operation\": \"spmv\""));
    free(text);
    rc_model_free(m);
}

static const struct {
    const char *from;
    const char *to;
    rc_status_t status;
    const char *say;
} bad_members[] = {
    {"\"rowcast-model\"", "\"x\"", RC_EFORMAT, "format: expected 'rowcast-model', found 'x'"},
    {"\"version\": 2", "\"version\": 3", RC_ENOTSUP,
        "reads versions 1 to 2 of model files, found 3"},
    {"\"k\": [1, 8, 100000, \"n\"]", "\"k\": [8, 1, \"n\"]", RC_EFORMAT,
        "domain.k[1]: expected whole numbers above 0, ascending, and at last 'n', found 1"},
    {"\"c_order\": \"original\"", "\"c_order\": \"schedule\"", RC_EFORMAT,
        "domain.c_order: expected one of original, found 'schedule'"},
    {"\"layout\": \"col\"", "\"layout\": \"diagonal\"", RC_EFORMAT,
        "classes[0].layout: expected one of unknown, col, row, found 'diagonal'"},
    {"\"task\": \"order\"", "\"task\": \"lunch\"", RC_EFORMAT,
        "task: expected one of order, plan, format, found 'lunch'"},
    {"\"operation\": \"spmm\"", "\"operation\": \"spam\"", RC_EFORMAT,
        "operation: expected one of spmm, spmv, spmm_t, sddmm, found 'spam'"},
    {"\"operation\": \"spmm\"", "\"operation\": \"spmv\"", RC_EFORMAT,
        "expected no K in a model of spmv, found 'k'"},
    {"\"output\": \"log_ns\"", "\"output\": 3", RC_EFORMAT,
        "output: expected one of log_ns, log_ratio, score, found 3"},
    {"\"transform\": \"log1p\"", "\"transform\": \"sqrt\"", RC_EFORMAT,
        "inputs[0].transform: expected one of none, log1p, log, found 'sqrt'"},
    {"\"name\": \"n_col\"", "\"name\": \"n_row\"", RC_EFORMAT, "inputs[1].name"},
    {"\"name\": \"n_col\"", "\"name\": \"n_colour\"", RC_ENOTSUP,
        "inputs[1] is 'n_colour', expected k, value_bytes or a feature of mehrabi@1"},
    {"\"baseline\": \"csr\"", "\"baseline\": \"cta\"", RC_EFORMAT,
        "baseline: expected the name of a class, found 'cta'"},
    {"\"set\": \"mehrabi\"", "\"set\": \"nobody\"", RC_ENOTSUP,
        "feature set nobody@1, which this library does not have"},
    {"\"set\": \"mehrabi\", \"version\": 1", "\"set\": \"mehrabi\", \"version\": 9", RC_ENOTSUP,
        "fitted on the feature set mehrabi@9, this library has mehrabi@1"},
    {"\"policy\": \"lpt\", \"policy_version\": 1", "\"policy\": \"lpt\", \"policy_version\": 8",
        RC_ENOTSUP, "class lpt was fitted with the order lpt@8, this library has lpt@1"},
    {"\"policy\": \"lpt\"", "\"policy\": \"ltp\"", RC_ENOTSUP,
        "order ltp@1, which this library does not have"},
    {"\"kernel\": \"gsub:lanes=8\"", "\"kernel\": \"x\"", RC_EFORMAT,
        "classes[1].kernel: expected that of classes[0]"},
    {"\"kind\": \"network\"", "\"kind\": \"oracle\"", RC_ENOTSUP, "found 'oracle'"},
    {"\"kind\": \"network\",\n  \"version\": 1", "\"kind\": \"network\", \"version\": 77",
        RC_ENOTSUP, "found network@77"},
    {"\"nw\": 32", "\"nw\": 0", RC_EFORMAT,
        "features.geometry.fp32.nw: expected a whole number from 1 to 65536, found 0"},
    {"\"setup\": [", "\"setup\": [1,", RC_EFORMAT,
        "setup: expected an array of 4, found an array of 5"},
    {"\"device\": ", "\"device\": 1, \"device\": ", RC_EFORMAT, "test:"},
};

static void messages_name_member_expected_and_found(void **state)
{
    (void)state;
    rc_model_t *m = default_model(2);
    char *whole = text_of(m);
    /* a geometry's object follows "version" on a line of its own */
    char *text =
        edit(whole, "\"set\": \"mehrabi\",\n  \"version\"", "\"set\": \"mehrabi\", \"version\"");
    for (size_t i = 0; i < sizeof bad_members / sizeof *bad_members; i++) {
        rc_err_t err;
        char *bad = edit(text, bad_members[i].from, bad_members[i].to);
        rc_status_t st = parse_anything(bad, strlen(bad), &err);
        if (st != bad_members[i].status || !strstr(err.text, bad_members[i].say))
            fail_msg("%s: expected %d '%s', found %d '%s'", bad_members[i].to,
                (int)bad_members[i].status, bad_members[i].say, (int)st, err.text);
        free(bad);
    }
    free(text);
    free(whole);
    rc_model_free(m);
}

static void broken_texts_are_refused(void **state)
{
    (void)state;
    rc_err_t err;
    rc_rng_t r;
    rc_rng_seed(&r, 11);
    rc_model_t *m = model_make(4, &(model_shape_t){.matrix_inputs = 1});
    char *text = text_of(m);
    size_t n = strlen(text);
    for (size_t cut = 0; cut + 2 < n; cut += 1 + cut / 64)
        assert_int_equal(parse_anything(text, cut, &err), RC_EFORMAT);
    char *copy = malloc(n);
    assert_non_null(copy);
    for (int i = 0; i < 4000; i++) {
        static const char bytes[] = "0123456789-+eE.,:[]{}\" \n\\\0\xff\x80nrt";
        memcpy(copy, text, n);
        for (uint64_t k = 1 + rc_rng_below(&r, 3); k > 0; k--) {
            size_t at = (size_t)rc_rng_below(&r, i % 2 ? n : 2500);
            copy[at] = bytes[rc_rng_below(&r, sizeof bytes - 1)];
        }
        parse_anything(copy, n, &err);
    }
    free(copy);
    free(text);
    /* deep nesting does not exhaust the stack */
    enum { DEEP = 1 << 20 };
    char *deep = malloc(DEEP);
    assert_non_null(deep);
    memset(deep, '[', DEEP);
    assert_int_equal(parse_anything(deep, DEEP, &err), RC_EFORMAT);
    free(deep);
    rc_model_free(m);
}

/* Each allocation in turn fails; nothing leaks (sanitizers), nothing is set. */
static void allocations_may_fail(void **state)
{
    (void)state;
    rc_model_t *m = default_model(8);
    char *text = text_of(m);
    size_t n = strlen(text);
    for (long i = 0, more = 1; more; i++) {
        rc_err_t err = {0};
        rc_model_t *back = NULL;
        failing_alloc_set(i);
        rc_status_t st = rc_model_parse(text, n, "test", &back, &err);
        more = failing_alloc_happened();
        failing_alloc_set(-1);
        if (st == RC_OK)
            rc_model_free(back);
        else
            assert_int_equal(st, RC_ENOMEM);
    }
    for (long i = 0, more = 1; more; i++) {
        rc_err_t err = {0};
        failing_alloc_set(i);
        char *again = rc_model_text(m, &err);
        more = failing_alloc_happened();
        failing_alloc_set(-1);
        if (!again)
            assert_int_equal(err.status, RC_ENOMEM);
        free(again);
    }
    free(text);
    rc_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_round_trip),
        cmocka_unit_test(files_are_replaced_whole),
        cmocka_unit_test(what_is_no_model_is_not_written),
        cmocka_unit_test(every_member_is_checked),
        cmocka_unit_test(operations_are_those_of_their_room),
        cmocka_unit_test(a_file_without_an_operation_is_of_spmm),
        cmocka_unit_test(messages_name_member_expected_and_found),
        cmocka_unit_test(broken_texts_are_refused),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests_name("model", tests, scratch_setup, scratch_teardown);
}
