#include "config.h"
#include "model/model.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_task_names[] = {"order", "plan", "format", NULL};
const char *const rc_model_operation_names[] = {"spmm", "spmv", "spmm_t", "sddmm", NULL};
const char *const rc_transform_names[] = {"none", "log1p", "log", NULL};
const char *const rc_output_names[] = {"log_ns", "log_ratio", "score", NULL};
const char *const rc_layout_bit_names[] = {"unknown", "col", "row", NULL};
const char *const rc_deterministic_names[] = {"unknown", "no", "yes", NULL};

int rc_model_operation_has_k(int32_t operation)
{
    return strcmp(rc_model_operation_names[operation], "spmv") != 0;
}

rc_status_t rc_model_operation_parse(const char *text, int32_t *out, rc_err_t *err)
{
    for (int i = 0; rc_model_operation_names[i]; i++)
        if (strcmp(rc_model_operation_names[i], text) == 0) {
            *out = i;
            return RC_OK;
        }
    return rc_fail_unknown(err, RC_EINVAL, "operation", text, rc_model_operation_names, -1);
}

rc_model_t *rc_model_new(rc_err_t *err)
{
    return rc_alloc0(1, sizeof(rc_model_t), "a model", err);
}

void rc_model_free(rc_model_t *m)
{
    if (!m)
        return;
    rc_predictor_free(&m->predictor);
    json_decref(m->training);
    json_decref(m->evaluation);
    free(m->input);
    free(m->cls);
    for (int c = 0; m->setup && c < m->classes; c++)
        free(m->setup[c].weight);
    free(m->setup);
    free(m->featurise.weight);
    free(m->ks.k);
    free(m);
}

int rc_model_candidates(const rc_model_t *m)
{
    return m ? m->classes : 0;
}

rc_status_t rc_model_candidate(const rc_model_t *m, int index, rc_candidate_t *out, rc_err_t *err)
{
    if (!m || !out)
        return rc_fail(err, RC_EINVAL, "candidate: no model or no output");
    if (index < 0 || index >= m->classes)
        return rc_fail(
            err, RC_EINVAL, "candidate: expected 0 to %d, found %d", m->classes - 1, index);
    const rc_model_class_t *c = &m->cls[index];
    *out = (rc_candidate_t){.name = c->name,
        .policy = c->policy,
        .kernel = c->kernel,
        .is_baseline = index == m->baseline,
        .layout = c->layout,
        .deterministic = (int)c->deterministic - RC_DETERMINISTIC_NO};
    return RC_OK;
}

const char *rc_model_device(const rc_model_t *m)
{
    return m ? m->device : "";
}

const char *rc_model_operation(const rc_model_t *m)
{
    return m ? rc_model_operation_names[m->operation] : "";
}

/* ------------------------------------------------------------- prediction */

/* export.c writes these same operations in this same order. */
void rc_model_standardise(const rc_model_t *m, const double *value, double *x)
{
    const double tiny = 1e-300; /* a ratio of 0 stays finite */
    for (int i = 0; i < m->inputs; i++) {
        double v = value[i];
        if (m->input[i].transform == RC_TRANSFORM_LOG1P)
            v = log1p(v > 0 ? v : 0);
        else if (m->input[i].transform == RC_TRANSFORM_LOG)
            v = log(v > tiny ? v : tiny);
        x[i] = (v - m->input[i].mean) / m->input[i].scale;
    }
}

/* What is made smallest: the time, or the score with its sign turned. */
static double cost_of(const rc_model_t *m, const double *out, int c)
{
    if (m->output == RC_OUTPUT_SCORE)
        return -out[c];
    if (m->output == RC_OUTPUT_LOG_RATIO && c != m->baseline)
        return exp(out[m->baseline] + out[c]);
    return exp(out[c]);
}

int rc_model_decide(
    const rc_model_t *m, const double *out, const unsigned char *permitted, double *time)
{
    int chosen = -1;
    double least = 0;
    for (int c = 0; c < m->classes; c++) {
        double cost = cost_of(m, out, c);
        if (time)
            time[c] = m->output == RC_OUTPUT_SCORE ? NAN : cost;
        if ((!permitted || permitted[c]) && !isnan(cost) && (chosen < 0 || cost < least)) {
            chosen = c;
            least = cost;
        }
    }
    return chosen;
}

size_t rc_model_scratch(const rc_model_t *m)
{
    return (size_t)m->inputs + (size_t)m->classes + m->predictor.kind->scratch(m->predictor.state);
}

int rc_model_choose_raw(const rc_model_t *m, const double *value, double *scratch, double *time)
{
    double *x = scratch;
    double *out = x + m->inputs;
    rc_model_standardise(m, value, x);
    m->predictor.kind->score(m->predictor.state, x, out + m->classes, out);
    int chosen = rc_model_decide(m, out, NULL, time);
    return chosen < 0 ? m->baseline : chosen;
}

static double cost_ns(const rc_model_t *m, const rc_model_cost_t *cost, const double *x)
{
    double sum = cost->weight[0];
    for (int i = 0; i < m->inputs; i++)
        sum += cost->weight[1 + i] * x[i];
    if (sum < cost->min)
        sum = cost->min;
    if (sum > cost->max)
        sum = cost->max;
    return exp(sum);
}

void rc_model_setup_ns(const rc_model_t *m, const double *x, double *out)
{
    for (int c = 0; c < m->classes; c++)
        out[c] = m->setup ? cost_ns(m, &m->setup[c], x) : NAN;
}

double rc_model_overhead_ns(const rc_model_t *m, const double *x)
{
    if (!m->featurise.weight)
        return NAN;
    return cost_ns(m, &m->featurise, x) + m->predictor.kind->cost_ns(m->predictor.state);
}
