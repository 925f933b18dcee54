/* A support vector machine with a Gaussian kernel, one against one. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "model/member.h"
#include "model/svm.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Sizes beyond these are mistakes; exported code has a value per vector on its stack. */
enum { MOST_INPUTS = 4096, MOST_OUTPUTS = 4096, MOST_VECTORS = 65536 };

/* ------------------------------------------------------------------ state */

static size_t pairs(const rc_svm_t *s)
{
    return (size_t)s->present * (size_t)(s->present - 1) / 2;
}

static size_t coordinates(const rc_svm_t *s)
{
    return (size_t)s->vectors * (size_t)s->inputs;
}

static size_t coefficients(const rc_svm_t *s)
{
    return (size_t)(s->present - 1) * (size_t)s->vectors;
}

rc_svm_t *rc_svm_new(int inputs, int outputs, int present, int vectors, rc_err_t *err)
{
    if (inputs < 1 || inputs > MOST_INPUTS || outputs < 1 || outputs > MOST_OUTPUTS ||
        present < 1 || present > outputs || vectors < 0 || vectors > MOST_VECTORS) {
        rc_fail(err, RC_EINVAL,
            "a machine has 1 to %d inputs, 1 to %d outputs, not more classes than outputs and at "
            "most %d vectors, found %d, %d, %d and %d",
            (int)MOST_INPUTS, (int)MOST_OUTPUTS, (int)MOST_VECTORS, inputs, outputs, present,
            vectors);
        return NULL;
    }
    rc_svm_t *s = rc_alloc0(1, sizeof *s, "a support vector machine", err);
    if (!s)
        return NULL;
    *s = (rc_svm_t){.inputs = inputs, .outputs = outputs, .present = present, .vectors = vectors};
    s->label = rc_pool_get0(&s->memory, (size_t)present, sizeof *s->label);
    s->count = rc_pool_get0(&s->memory, (size_t)present, sizeof *s->count);
    s->vector = rc_pool_get0(&s->memory, coordinates(s), sizeof *s->vector);
    s->coef = rc_pool_get0(&s->memory, coefficients(s), sizeof *s->coef);
    s->rho = rc_pool_get0(&s->memory, pairs(s), sizeof *s->rho);
    if (rc_pool_check(&s->memory, "support vectors", err) == RC_OK)
        return s;
    rc_svm_free(s);
    return NULL;
}

void rc_svm_free(void *state)
{
    rc_svm_t *s = state;
    if (s)
        rc_pool_free(&s->memory);
    free(s);
}

/* ------------------------------------------------------------------ check */

static rc_status_t check(const rc_svm_t *s, rc_err_t *err)
{
    if (!(s->gamma > 0) || !isfinite(s->gamma))
        return rc_fail(
            err, RC_EFORMAT, "gamma: expected a finite number above 0, found %g", s->gamma);
    unsigned char *seen = rc_alloc0((size_t)s->outputs, 1, "support vectors", err);
    rc_status_t st = seen ? RC_OK : RC_ENOMEM;
    int64_t sum = 0;
    for (int i = 0; st == RC_OK && i < s->present; i++) {
        if (s->label[i] < 0 || s->label[i] >= s->outputs || seen[s->label[i]])
            st = rc_fail(err, RC_EFORMAT,
                "label[%d]: expected a class from 0 to %d that is not there yet, found %" PRId32, i,
                s->outputs - 1, s->label[i]);
        else
            seen[s->label[i]] = 1;
        if (st == RC_OK && (s->count[i] < 0 || s->count[i] > s->vectors - sum))
            st = rc_fail(err, RC_EFORMAT,
                "count[%d]: expected 0 to %" PRId64 " vectors, found %" PRId32, i, s->vectors - sum,
                s->count[i]);
        else
            sum += s->count[i];
    }
    if (st == RC_OK && sum != s->vectors)
        st = rc_fail(
            err, RC_EFORMAT, "count: expected %d vectors in all, found %" PRId64, s->vectors, sum);
    free(seen);
    return st;
}

/* ------------------------------------------------------------------- JSON */

static const char *const members[] = {"gamma", "label", "count", "vector", "coef", "rho", NULL};

static rc_status_t svm_read(
    const json_t *object, int inputs, int outputs, void **state, rc_err_t *err)
{
    rc_status_t st;
    rc_svm_t *s = NULL;
    const json_t *labels;
    const json_t *numbers;
    const json_t *coefs;
    RC_TRY(rc_member_only(object, "", members, err));
    RC_TRY(rc_member_array(object, "", "label", 1, outputs, &labels, err));
    RC_TRY(rc_member_array(object, "", "vector", 0, MOST_VECTORS * inputs, &numbers, err));
    int present = (int)json_array_size(labels);
    int vectors = (int)json_array_size(numbers) / inputs;
    if (json_array_size(numbers) % (size_t)inputs != 0)
        return rc_fail(err, RC_EFORMAT, "vector: expected a multiple of %d numbers, found %zu",
            inputs, json_array_size(numbers));
    /* what is allocated must be there */
    int want = (present - 1) * vectors;
    RC_TRY(rc_member_array(object, "", "coef", want, want, &coefs, err));
    s = rc_svm_new(inputs, outputs, present, vectors, err);
    RC_TRY(s ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_member_real(object, "", "gamma", &s->gamma, err));
    RC_TRY(rc_numbers_int(object, "", "label", (size_t)present, 0, outputs - 1, s->label, err));
    RC_TRY(rc_numbers_int(object, "", "count", (size_t)present, 0, s->vectors, s->count, err));
    RC_TRY(rc_numbers_real(object, "", "vector", coordinates(s), s->vector, err));
    RC_TRY(rc_numbers_real(object, "", "coef", coefficients(s), s->coef, err));
    RC_TRY(rc_numbers_real(object, "", "rho", pairs(s), s->rho, err));
    RC_TRY(check(s, err));
    *state = s;
    s = NULL;
done:
    rc_svm_free(s);
    return st;
}

static json_t *svm_write(const void *state, rc_err_t *err)
{
    const rc_svm_t *s = state;
    json_t *object = NULL;
    rc_status_t st;
    object = json_pack("{s:f}", "gamma", s->gamma);
    RC_TRY(object ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the machine of a model"));
    RC_TRY(rc_numbers_set_int(object, "label", s->label, (size_t)s->present, err));
    RC_TRY(rc_numbers_set_int(object, "count", s->count, (size_t)s->present, err));
    RC_TRY(rc_numbers_set_real(object, "", "vector", s->vector, coordinates(s), err));
    RC_TRY(rc_numbers_set_real(object, "", "coef", s->coef, coefficients(s), err));
    RC_TRY(rc_numbers_set_real(object, "", "rho", s->rho, pairs(s), err));
    return object;
done:
    json_decref(object);
    return NULL;
}

/* ------------------------------------------------------------------ score */

static size_t svm_scratch(const void *state)
{
    const rc_svm_t *s = state;
    return (size_t)s->vectors + 2 * (size_t)s->present;
}

static double svm_cost_ns(const void *state)
{
    const double sum_ns = 0.1; /* of a difference, its square and a sum, vectorised */
    const double exp_ns = 2;
    const rc_svm_t *s = state;
    return s->vectors * (sum_ns * (s->inputs + s->present) + exp_ns);
}

/* Sum of coefficient times K over the vectors of one class. */
static double class_sum(const double *coef, const double *kernel, int32_t count)
{
    double sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += coef[i] * kernel[i];
    return sum;
}

static void svm_score(const void *state, const double *x, double *scratch, double *out)
{
    const rc_svm_t *s = state;
    double *kernel = scratch;
    double *votes = kernel + s->vectors;
    double *margin = votes + s->present;
    const double *v = s->vector;
    for (int k = 0; k < s->vectors; k++, v += s->inputs) {
        double square = 0;
        for (int i = 0; i < s->inputs; i++)
            square += (x[i] - v[i]) * (x[i] - v[i]);
        kernel[k] = exp(-s->gamma * square);
    }
    for (int a = 0; a < s->present; a++)
        votes[a] = margin[a] = 0;
    const double *rho = s->rho;
    double share = 2 * (double)pairs(s) + 2;
    size_t start_a = 0;
    for (int a = 0; a < s->present; a++) {
        size_t start_b = start_a + (size_t)s->count[a];
        for (int b = a + 1; b < s->present; b++) {
            const double *coef_a = s->coef + (size_t)(b - 1) * (size_t)s->vectors + start_a;
            const double *coef_b = s->coef + (size_t)a * (size_t)s->vectors + start_b;
            double d = class_sum(coef_a, kernel + start_a, s->count[a]) +
                       class_sum(coef_b, kernel + start_b, s->count[b]) - *rho++;
            double squashed = d / (1 + fabs(d)) / share;
            votes[d > 0 ? a : b] += 1;
            margin[a] += squashed;
            margin[b] -= squashed;
            start_b += (size_t)s->count[b];
        }
        start_a += (size_t)s->count[a];
    }
    for (int o = 0; o < s->outputs; o++)
        out[o] = -1;
    for (int a = 0; a < s->present; a++)
        out[s->label[a]] = votes[a] + margin[a];
}

/* --------------------------------------------------------------- C source */

static void emit_sum(const char *name, FILE *out)
{
    fprintf(out,
        "\n"
        "static double %s_sum(const double *coef, const double *kernel, int count)\n"
        "{\n"
        "    double sum = 0;\n"
        "    int i;\n"
        "    for (i = 0; i < count; i++)\n"
        "        sum += coef[i] * kernel[i];\n"
        "    return sum;\n"
        "}\n",
        name);
}

static void emit_kernel(const rc_svm_t *s, const char *name, FILE *out)
{
    fprintf(out,
        "    for (k = 0; k < %d; k++) {\n"
        "        double square = 0;\n"
        "        for (i = 0; i < %d; i++) {\n"
        "            double d = x[i] - %s_vector[(long)k * %d + i];\n"
        "            square += d * d;\n"
        "        }\n"
        "        kernel[k] = exp(-%a * square);\n"
        "    }\n",
        s->vectors, s->inputs, name, s->inputs, s->gamma);
}

static void emit_votes(const rc_svm_t *s, const char *name, FILE *out)
{
    fprintf(out,
        "    for (a = 0; a < %d; a++) {\n"
        "        int from_b = from_a + %s_count[a];\n"
        "        for (b = a + 1; b < %d; b++) {\n"
        "            const double *coef_a = %s_coef + (b - 1) * %dL + from_a;\n"
        "            const double *coef_b = %s_coef + a * %dL + from_b;\n"
        "            double d = %s_sum(coef_a, kernel + from_a, %s_count[a])\n"
        "                + %s_sum(coef_b, kernel + from_b, %s_count[b]) - %s_rho[pair++];\n"
        "            double squashed = d / (1 + fabs(d)) / %zu;\n"
        "            votes[d > 0 ? a : b] += 1;\n"
        "            margin[a] += squashed;\n"
        "            margin[b] -= squashed;\n"
        "            from_b += %s_count[b];\n"
        "        }\n"
        "        from_a += %s_count[a];\n"
        "    }\n",
        s->present, name, s->present, name, s->vectors, name, s->vectors, name, name, name, name,
        name, 2 * pairs(s) + 2, name, name);
}

static rc_status_t svm_emit(const void *state, const char *name, FILE *out, rc_err_t *err)
{
    const rc_svm_t *s = state;
    rc_emit_ints(out, name, "label", s->label, (size_t)s->present);
    rc_emit_ints(out, name, "count", s->count, (size_t)s->present);
    rc_emit_reals(out, name, "vector", s->vector, coordinates(s));
    rc_emit_reals(out, name, "coef", s->coef, coefficients(s));
    rc_emit_reals(out, name, "rho", s->rho, pairs(s));
    emit_sum(name, out);
    fprintf(out,
        "\n"
        "static void %s_score(const double *x, double *out)\n"
        "{\n"
        "    double kernel[%d];\n"
        "    double votes[%d] = {0};\n"
        "    double margin[%d] = {0};\n"
        "    int a, b, i, k, o, from_a = 0, pair = 0;\n",
        name, s->vectors ? s->vectors : 1, s->present, s->present);
    emit_kernel(s, name, out);
    emit_votes(s, name, out);
    fprintf(out,
        "    for (o = 0; o < %d; o++)\n"
        "        out[o] = -1;\n"
        "    for (a = 0; a < %d; a++)\n"
        "        out[%s_label[a]] = votes[a] + margin[a];\n"
        "}\n",
        s->outputs, s->present, name);
    return rc_emit_end(out, err);
}

const rc_predictor_kind_t rc_predictor_svm = {
    .name = "svm",
    .summary = "a support vector machine with a Gaussian kernel, one against one",
    .version = 1,
    .read = svm_read,
    .write = svm_write,
    .scratch = svm_scratch,
    .cost_ns = svm_cost_ns,
    .score = svm_score,
    .emit = svm_emit,
    .free = rc_svm_free,
};
