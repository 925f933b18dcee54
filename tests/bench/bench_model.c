/* Time of a whole prediction, raw input values to times and choice, of the model files that are
 * named (default: BENCH_MODELS, separated by blanks; else a network 26-64-32-4 with random
 * weights), on inputs that change from call to call; beside it a loop over log1p of as many values,
 * which is what transforming the inputs costs at least. */
#include "config.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/str.h"
#include "model/model.h"
#include "model/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 512, ROUNDS = 21, INPUTS = 26, CLASSES = 4 };

static const double goal_ns = 5000;

/* Inputs of random scaling; the names do not matter here. */
static rc_model_t *random_model(rc_err_t *err)
{
    static const int size[] = {INPUTS, 64, 32, CLASSES};
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    rc_model_t *m = rc_model_new(err);
    if (!m)
        return NULL;
    rc_network_t *n = rc_network_new(1, 3, size, err);
    m->predictor.kind = &rc_predictor_network;
    m->predictor.state = n;
    m->input = calloc(INPUTS, sizeof *m->input);
    m->cls = calloc(CLASSES, sizeof *m->cls);
    if (!n || !m->input || !m->cls) {
        rc_model_free(m);
        return NULL;
    }
    m->inputs = INPUTS;
    m->classes = CLASSES;
    for (int i = 0; i < INPUTS; i++)
        m->input[i] = (rc_model_input_t){
            .transform = RC_TRANSFORM_LOG1P, .mean = rc_rng_unit(&r), .scale = 1 + rc_rng_unit(&r)};
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < size[l] * size[l + 1]; i++)
            n->net[0].layer[l].weight[i] = rc_rng_unit(&r) - 0.5;
    return m;
}

static double best_ns(const rc_model_t *m, const double *value, double *scratch, double *time)
{
    double best = INFINITY;
    volatile int sink = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = rc_clock_ns();
        for (int i = 0; i < ROWS; i++)
            sink =
                sink + rc_model_choose_raw(m, value + (size_t)i * (size_t)m->inputs, scratch, time);
        best = fmin(best, (double)(rc_clock_ns() - start) / ROWS);
    }
    return best;
}

static double best_ns_of_logs(const double *value, int inputs)
{
    double best = INFINITY;
    volatile double sink = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double sum = 0;
        int64_t start = rc_clock_ns();
        for (int i = 0; i < ROWS * inputs; i++)
            sum += log1p(value[i]);
        sink = sink + sum;
        best = fmin(best, (double)(rc_clock_ns() - start) / ROWS);
    }
    return best;
}

static rc_status_t report(const char *name, const rc_model_t *m, rc_err_t *err)
{
    size_t n = (size_t)ROWS * (size_t)m->inputs;
    double *value = malloc(n * sizeof *value);
    double *scratch = malloc(rc_model_scratch(m) * sizeof *scratch);
    double *time = malloc((size_t)m->classes * sizeof *time);
    rc_status_t st = value && scratch && time ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory");
    if (st == RC_OK) {
        rc_rng_t r;
        rc_rng_seed(&r, 2);
        for (size_t i = 0; i < n; i++)
            value[i] = floor(pow(10, 6 * rc_rng_unit(&r)));
        double ns = best_ns(m, value, scratch, time);
        double logs = best_ns_of_logs(value, m->inputs);
        printf("%-40s %-10s %6d %7d %9.0f %9.0f %7.2fx %8.3fx\n", name, m->predictor.kind->name,
            m->inputs, m->classes, ns, logs, ns / logs, ns / goal_ns);
    }
    free(value);
    free(scratch);
    free(time);
    return st;
}

static rc_status_t report_file(const char *path, rc_err_t *err)
{
    rc_model_t *m = NULL;
    rc_status_t st = rc_model_read(path, &m, err);
    if (st == RC_OK)
        st = report(path, m, err);
    rc_model_free(m);
    return st;
}

int main(int argc, char **argv)
{
    rc_err_t err = {0};
    rc_words_t files = {NULL, 0};
    const char *list = getenv("BENCH_MODELS");
    rc_status_t st = RC_OK;
    printf("%-40s %-10s %6s %7s %9s %9s %8s %9s\n", "model", "predictor", "inputs", "classes", "ns",
        "logs ns", "of logs", "of 5 us");
    if (argc < 2 && list)
        st = rc_words_split(list, ' ', &files, &err);
    if (argc < 2 && !list) {
        rc_model_t *m = random_model(&err);
        st = m ? report("random weights, 64,32", m, &err) : RC_ENOMEM;
        rc_model_free(m);
    }
    for (int i = 1; i < argc && st == RC_OK; i++)
        st = report_file(argv[i], &err);
    for (int i = 0; i < files.count && st == RC_OK; i++)
        st = report_file(files.word[i], &err);
    rc_words_free(&files);
    if (st < 0)
        fprintf(stderr, "bench_model: %s\n", err.text);
    return st < 0;
}
