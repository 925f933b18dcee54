#include "config.h"
#include "model_fixture.h"
#include "unit.h"

#include "base/alloc.h"
#include "feature/feature.h"
#include "model/domain.h"
#include "model/network.h"
#include "order/policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double random_between(rc_rng_t *r, double low, double high)
{
    return low + (high - low) * rc_rng_unit(r);
}

double model_random_value(rc_rng_t *r)
{
    double sign = rc_rng_below(r, 4) == 0 ? -1 : 1;
    switch (rc_rng_below(r, 8)) {
    case 0:
        return 0;
    case 1:
        return sign * 5e-324;
    case 2:
        return sign * 1.7976931348623157e308;
    case 3:
        return sign * pow(10, random_between(r, -300, 300));
    default:
        return floor(pow(10, random_between(r, 0, 8)));
    }
}

int same_bits(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t x;
        uint64_t y;
        memcpy(&x, &a[i], sizeof x);
        memcpy(&y, &b[i], sizeof y);
        if (x != y && !(isnan(a[i]) && isnan(b[i])))
            return 0;
    }
    return 1;
}

static void make_inputs(rc_model_t *m, rc_rng_t *r, int matrix_inputs)
{
    const rc_feature_set_t *set = rc_feature_set_find("mehrabi");
    int features = matrix_inputs ? 9 : set->count;
    m->inputs = features + (matrix_inputs ? 0 : 2);
    m->input = rc_alloc0((size_t)m->inputs, sizeof *m->input, "inputs", NULL);
    assert_non_null(m->input);
    for (int i = 0; i < m->inputs; i++) {
        rc_model_input_t *in = &m->input[i];
        const char *name = i < features    ? set->feature[i].name
                           : i == features ? "k"
                                           : "value_bytes";
        snprintf(in->name, sizeof in->name, "%s", name);
        in->transform = strcmp(name, "density") == 0       ? RC_TRANSFORM_LOG
                        : strcmp(name, "value_bytes") == 0 ? RC_TRANSFORM_NONE
                                                           : RC_TRANSFORM_LOG1P;
        in->mean = random_between(r, -1, 8);
        in->scale = random_between(r, 0.1, 3);
        in->min = 0;
        in->max = random_between(r, 10, 1e6);
    }
}

static void make_classes(rc_model_t *m, rc_task_t task)
{
    static const char *const policies[] = {"dcsr", "csr", "lpt", "warp"};
    m->classes = sizeof policies / sizeof *policies;
    m->baseline = 1;
    m->cls = rc_alloc0((size_t)m->classes, sizeof *m->cls, "classes", NULL);
    assert_non_null(m->cls);
    for (int c = 0; c < m->classes; c++) {
        rc_model_class_t *k = &m->cls[c];
        snprintf(k->policy, sizeof k->policy, "%s", policies[c]);
        k->policy_version = rc_policy_find(policies[c])->version;
        snprintf(k->kernel, sizeof k->kernel, "gsub:lanes=%d", task == RC_TASK_PLAN ? 1 << c : 8);
        k->kernel_version = 1 + c;
        k->layout = task == RC_TASK_PLAN && c % 2 ? RC_LAYOUT_ROW : RC_LAYOUT_COL;
        k->deterministic = c < 3 ? (rc_deterministic_t)c : RC_DETERMINISTIC_YES;
        k->memory = c ? 1 + 0.25 * c : 0;
        if (task == RC_TASK_PLAN)
            snprintf(k->name, sizeof k->name, "%s/%s", k->kernel, k->policy);
        else
            snprintf(k->name, sizeof k->name, "%s", k->policy);
    }
}

static void make_setup(rc_model_t *m, rc_rng_t *r)
{
    size_t width = (size_t)m->inputs + 1;
    m->setup = rc_alloc0((size_t)m->classes, sizeof *m->setup, "setup", NULL);
    assert_non_null(m->setup);
    for (int c = 0; c < m->classes; c++) {
        m->setup[c] = (rc_model_cost_t){rc_alloc0(width, sizeof(double), "setup", NULL), 7, 14};
        assert_non_null(m->setup[c].weight);
        for (size_t i = 0; i < width; i++)
            m->setup[c].weight[i] = i ? random_between(r, -0.3, 0.3) : random_between(r, 8, 12);
    }
}

/* K = 1, 8, 100000 and n; features take some microseconds. */
static void make_domain(rc_model_t *m, rc_rng_t *r)
{
    const int64_t k[] = {100000, 1, 8, 8};
    size_t width = (size_t)m->inputs + 1;
    assert_int_equal(rc_model_set_ks(m, k, 4, 1, NULL), RC_OK);
    m->featurise = (rc_model_cost_t){.min = 7, .max = 12};
    m->featurise.weight = rc_alloc0(width, sizeof(double), "cost", NULL);
    assert_non_null(m->featurise.weight);
    for (size_t i = 0; i < width; i++)
        m->featurise.weight[i] = i ? random_between(r, -0.1, 0.1) : 9;
}

static void make_network(rc_model_t *m, rc_rng_t *r, int nets)
{
    int size[] = {m->inputs, 16, m->classes};
    rc_network_t *n = rc_network_new(nets, 2, size, NULL);
    assert_non_null(n);
    for (int i = 0; i < nets; i++)
        for (int k = 0; k < 2; k++) {
            rc_layer_t *l = &n->net[i].layer[k];
            for (int j = 0; j < l->in * l->out; j++)
                l->weight[j] = random_between(r, -0.4, 0.4);
            for (int j = 0; j < l->out; j++)
                l->bias[j] = k == 1 && m->output == RC_OUTPUT_LOG_NS ? 10 : 0.1 * j;
        }
    m->predictor.kind = &rc_predictor_network;
    m->predictor.state = n;
}

rc_model_t *model_make(uint64_t seed, const model_shape_t *shape)
{
    rc_rng_t r;
    rc_rng_seed(&r, seed);
    rc_model_t *m = rc_model_new(NULL);
    assert_non_null(m);
    snprintf(m->kind, sizeof m->kind, "mlp");
    m->kind_version = 1;
    m->task = shape->task;
    m->output = shape->output;
    snprintf(m->device, sizeof m->device, "Device \"of\" a */ test?\?/");
    snprintf(m->feature_set, sizeof m->feature_set, "mehrabi");
    m->feature_version = rc_feature_set_find("mehrabi")->version;
    m->geometry.of[RC_FP32] = (rc_geometry_t){32, 32, 32};
    if (!shape->fp32_only)
        m->geometry.of[RC_FP64] = (rc_geometry_t){32, 32, 16};
    make_inputs(m, &r, shape->matrix_inputs);
    make_classes(m, shape->task);
    if (!shape->no_setup)
        make_setup(m, &r);
    make_network(m, &r, shape->nets ? shape->nets : 1);
    make_domain(m, &r);
    m->training =
        json_pack("{s:s, s:[i, f, s]}", "data_digest", "0123456789abcdef", "list", 3, 0.1, "x");
    m->evaluation = json_pack("{s:{s:f}}", "gain", "value", 1.0 / 3);
    assert_non_null(m->training);
    assert_non_null(m->evaluation);
    return m;
}
