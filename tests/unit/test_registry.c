#include "config.h"
#include "unit.h"

#include "base/expr.h"
#include "catalog/catalog.h"
#include "kernels/kernel.h"
#include "model/model.h"
#include "store/schema.h"
#include "order/policy.h"
#include "kernels/specs.h"
#include "sparse/generate.h"
#include "table/reorder.h"
#include "table/view.h"

#include <stdio.h>
#include <string.h>

/* What every member of a family has. */
typedef struct member {
    const char *family;
    const char *name;
    const char *summary;
    const char *source;
    int version;
    int callable; /* its calls are there */
} member_t;

enum { MOST = 128 };

typedef struct family {
    member_t member[MOST];
    int count;
} family_t;

static void add(family_t *f, member_t m)
{
    assert_true(f->count < MOST);
    f->member[f->count++] = m;
}

static void check_text(const member_t *m, const char *what, const char *text)
{
    if (!text || !text[0] || strchr(text, '\n'))
        fail_msg("%s %s: expected one line of %s", m->family, m->name ? m->name : "?", what);
}

/* Names are words that a list "a,b,c", a file name and the filter language take as they are. */
static void check_name(const member_t *m)
{
    check_text(m, "name", m->name);
    if (strspn(m->name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(m->name))
        fail_msg(
            "%s %s: expected a name of lower-case letters, digits and . _ -", m->family, m->name);
}

static void check_family(const family_t *f)
{
    assert_true(f->count > 0);
    for (int i = 0; i < f->count; i++) {
        const member_t *m = &f->member[i];
        check_name(m);
        check_text(m, "summary", m->summary);
        check_text(m, "source", m->source);
        if (m->summary[strlen(m->summary) - 1] == '.')
            fail_msg("%s %s: expected a summary without a full stop", m->family, m->name);
        if (m->version < 1 || !m->callable)
            fail_msg("%s %s: expected a version of at least 1 and all calls", m->family, m->name);
        for (int j = 0; j < i; j++)
            if (strcmp(m->name, f->member[j].name) == 0)
                fail_msg("%s %s is there twice", m->family, m->name);
    }
}

static void policies_are_complete(void **state)
{
    (void)state;
    family_t f = {.count = 0};
    for (int i = 0; rc_policies[i]; i++) {
        const rc_policy_t *p = rc_policies[i];
        add(&f, (member_t){"policy", p->name, p->summary, p->source, p->version, p->build != NULL});
        assert_ptr_equal(rc_policy_find(p->name), p);
    }
    check_family(&f);
    assert_string_equal(f.member[0].name, "csr");
    assert_null(rc_policy_find("nonsense"));
    assert_null(rc_policy_find(""));
}

static void kernels_are_complete(void **state)
{
    (void)state;
    family_t f[2] = {{.count = 0}}; /* kernels for different devices may share a name */
    int null_there = 0;
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        add(&f[k->device], (member_t){"kernel", k->name, k->summary, k->source, k->version,
                    k->analyse && k->geometry && k->state_bytes > 0 && k->run &&
                        (k->c_orders & RC_STORES_ORIGINAL) != 0 &&
                        rc_operation_of(k->op) != NULL});
        null_there |= strcmp(k->name, "null") == 0;
    }
    for (int device = 0; device < 2; device++)
        if (f[device].count > 0)
            check_family(&f[device]);
    assert_true(null_there);
}

/* Numbers are in stores: an operation keeps its own. */
static void operations_are_complete(void **state)
{
    (void)state;
    static const char *const names[] = {"spmm", "spmv", "spmm_t", "sddmm"};
    family_t f = {.count = 0};
    int count = 0;
    for (int i = 0; rc_operations[i]; i++) {
        const rc_operation_t *o = rc_operations[i];
        int kernels = 0;
        count++;
        /* rooms that may not include this one have lists of their own */
        assert_string_equal(rc_op_names[i], o->name);
        assert_string_equal(rc_model_operation_names[i], o->name);
        assert_int_equal(rc_model_operation_has_k(i), o->has_k);
        rc_op_t parsed;
        add(&f, (member_t){"operation", o->name, o->summary, o->source, o->version,
                    o->value && o->in[0].name && o->out.name});
        assert_int_equal(o->op, i);
        assert_string_equal(o->name, names[i]);
        assert_ptr_equal(rc_operation_of((rc_op_t)i), o);
        assert_int_equal(rc_op_parse(o->name, &parsed, NULL), RC_OK);
        assert_int_equal(parsed, o->op);
        for (int k = 0; rc_kernels[k]; k++)
            kernels += rc_kernels[k]->op == o->op && rc_kernels[k]->device == RC_DEVICE_CPU;
        assert_true(kernels > 0);
    }
    check_family(&f);
    assert_null(rc_op_names[count]);
    assert_null(rc_model_operation_names[count]);
    rc_op_t op;
    rc_err_t err = {0};
    assert_int_equal(rc_op_parse("spm", &op, &err), RC_ENOENT);
    assert_non_null(strstr(err.text, "did you mean 'spmm'"));
    assert_string_equal(rc_op_name((rc_op_t)99), "unknown");
}

static void generators_are_complete(void **state)
{
    (void)state;
    family_t f = {.count = 0};
    for (int i = 0; rc_generators[i]; i++) {
        const rc_generator_t *g = rc_generators[i];
        add(&f, (member_t){"generator", g->name, g->summary, g->source, g->version,
                    g->generate || g->fill});
        for (int k = 0; k < RC_GEN_PARAMS_MAX && g->param[k].name; k++) {
            const rc_gen_param_t *p = &g->param[k];
            member_t m = {g->name, p->name, p->help, p->help, 1, 1};
            check_name(&m);
            check_text(&m, "help", p->help);
            assert_true(p->min <= p->value && p->value <= p->max);
            for (int l = 0; l < k; l++)
                assert_string_not_equal(g->param[l].name, p->name);
        }
    }
    check_family(&f);
}

static void builtin_matrices_are_unique(void **state)
{
    (void)state;
    assert_true(rc_builtin_count >= 30);
    for (int i = 0; i < rc_builtin_count; i++) {
        member_t m = {
            "built-in matrix", rc_builtins[i].name, rc_builtins[i].kind, rc_builtins[i].spec, 1, 1};
        check_name(&m);
        check_text(&m, "kind", m.summary);
        check_text(&m, "spec", m.source);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(m.name, rc_builtins[j].name);
            assert_string_not_equal(m.source, rc_builtins[j].spec);
        }
    }
}

/* Every field can be named in an expression and has a help text. */
static void check_fields(const char *family, const rc_field_t *field, int count)
{
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        member_t m = {family, field[i].name, field[i].help, field[i].help, 1, 1};
        check_name(&m);
        check_text(&m, "help", m.summary);
        rc_expr_t *e = NULL;
        rc_err_t err = {0};
        if (rc_expr_compile(m.name, field, count, &e, &err) < 0)
            fail_msg("%s %s: %s", family, m.name, err.text);
        rc_expr_free(e);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(field[j].name, m.name);
    }
}

static void filter_fields_are_complete(void **state)
{
    (void)state;
    check_fields("catalogue field", rc_entry_fields, RC_ENTRY_FIELDS);
    check_fields("result field", rc_view_fields.field, rc_view_fields.count);
    check_fields("source field", rc_source_fields.field, rc_source_fields.count);
}

/* Plans of row reordering are known by the texts that a store and a model have of kernels and orders; nothing else is. */
static void plans_of_reordering(void **state)
{
    (void)state;
    static const char *const want[][3] = {{"aspt", "csr", "aspt-nr"}, {"aspt-sddmm", "csr", "aspt-nr"},
        {"aspt:rest=1", "jiang", "aspt-rr"}, {"aspt-sddmm:rest=1", "jiang", "aspt-rr"}, {"aspt:rest=2", "lsh", "aspt-forced"},
        {"aspt:rest=1", "csr", ""}, {"aspt", "jiang", ""}, {"aspt:col_min=8", "csr", ""}, {"aspt:rest=2", "lsh:size=128", ""},
        {"aspt:rest=1", "jiang:col_min=8", ""}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_kernel_spec_t k;
        rc_policy_spec_t p;
        char kernel[256];
        char policy[RC_POLICY_TEXT];
        const char *plan = NULL;
        assert_int_equal(rc_kernel_spec_parse(want[i][0], RC_DEVICE_CPU, &k, NULL), RC_OK);
        assert_int_equal(rc_policy_spec_parse(want[i][1], &p, NULL), RC_OK);
        snprintf(kernel, sizeof kernel, "%s:%s", k.kernel->name, k.params);
        rc_policy_spec_text(&p, policy);
        assert_int_equal(rc_reorder_plan_of(kernel, policy, &plan, NULL), RC_OK);
        assert_string_equal(plan, want[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_of_reordering),
        cmocka_unit_test(policies_are_complete),
        cmocka_unit_test(kernels_are_complete),
        cmocka_unit_test(operations_are_complete),
        cmocka_unit_test(generators_are_complete),
        cmocka_unit_test(builtin_matrices_are_unique),
        cmocka_unit_test(filter_fields_are_complete),
    };
    return cmocka_run_group_tests_name("registry", tests, NULL, NULL);
}
