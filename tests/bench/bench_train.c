/* Training of selectors on made data with a known rule: seconds of every trainer of the build as
 * ratios to the MLP, the MLP on one thread, and on five K per matrix; gain recovered on matrices of
 * groups that it did not see.
 * BENCH_TRAIN_MATRICES: to train on (default 2000, a fifth of all is tested on beside them).
 * BENCH_TRAIN_THREADS: default 2. */
#include "config.h"

#include "made_data.h"
#include "analysis/comparison.h"
#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the paper: 24 features beside K, four classes. */
enum { INPUTS = 25, CLASSES = 4, GROUPS_SHARE = 10, WEIGHTS = RC_WEIGHT_INVERSE };

static int64_t setting(const char *name, int64_t fallback)
{
    const char *text = getenv(name);
    int64_t value = fallback;
    rc_err_t err = {0};
    if (text && rc_parse_int(text, 1, 1000000, name, &value, &err) < 0)
        fprintf(stderr, "bench_train: %s\n", err.text);
    return value;
}

static rc_dataset_t *make(int64_t train, int ks)
{
    int matrices = (int)(train + train / 4);
    const made_spec_t spec = {.matrices = matrices,
        .groups = matrices / GROUPS_SHARE + 2,
        .kinds = 1,
        .ks = ks,
        .inputs = INPUTS,
        .classes = CLASSES,
        .noise = 0.03,
        .seed = 1};
    rc_dataset_t *d = made_data(&spec);
    if (!d)
        fprintf(stderr, "bench_train: no memory for a data set\n");
    return d;
}

typedef struct run {
    double seconds; /* of the fit */
    double cpu;     /* seconds of all threads: what is left of the figure on a busy machine */
    double gain;
    double accuracy;
    double inference_ns;
    int64_t rows;
    uint64_t choices; /* a digest of what was chosen */
} run_t;

static int fit(const rc_trainer_t *t, const rc_dataset_t *d, int threads, run_t *out)
{
    const rc_protocol_t p = {.split = RC_SPLIT_GROUP, .test_share = 0.2, .seed = 1};
    const rc_fit_options_t options = {
        .seed = 1, .threads = threads, .weights = (rc_weighting_t)WEIGHTS, .l2 = -1};
    rc_err_t err = {0};
    rc_predictions_t predictions = {0};
    rc_evaluation_t e = {0};
    rc_experiment_cost_t cost;
    int single;
    clock_t start = clock();
    rc_status_t st =
        rc_experiment(t, d, &p, &options, NULL, &predictions, &single, &cost, &err);
    double cpu = (double)(clock() - start) / (double)CLOCKS_PER_SEC;
    if (st == RC_OK)
        st = rc_evaluate(d, &predictions, single, 1, &e, &err);
    if (st < 0)
        fprintf(stderr, "bench_train: %s: %s\n", t->name, err.text);
    else
        *out = (run_t){cost.fit_s, cpu, e.all.gain.value, e.all.accuracy[0], cost.inference_ns,
            d->rows - predictions.count,
            rc_digest(predictions.choice, (size_t)predictions.count * sizeof *predictions.choice)
                .lo};
    rc_evaluation_free(&e);
    rc_predictions_free(&predictions);
    return st == RC_OK;
}

static void print(const char *name, int threads, const run_t *r, double unit)
{
    printf("%-16s %7d %6" PRId64 " %8.2f %8.2f %8.2f %8.1f %8.1f %8.0f\n", name, threads, r->rows,
        r->seconds, r->cpu, r->seconds / unit, 100 * r->gain, 100 * r->accuracy, r->inference_ns);
}

int main(void)
{
    int64_t train = setting("BENCH_TRAIN_MATRICES", 2000);
    int threads = (int)setting("BENCH_TRAIN_THREADS", 2);
    const rc_trainer_t *mlp = rc_trainer_find("mlp");
    run_t unit;
    run_t r;
    int ok = 0;
    rc_dataset_t *d = make(train, 1);
    rc_dataset_t *wide = make(train, 5);
    if (!mlp) {
        printf("no mlp in this build\n");
        ok = 1;
        goto done;
    }
    if (!d || !wide || !fit(mlp, d, threads, &unit))
        goto done;
    printf("%" PRId64 " matrices to train on, %d inputs, %d classes\n%-16s %7s %6s %8s %8s %8s %8s "
           "%8s %8s\n",
        train, INPUTS, CLASSES, "trainer", "threads", "rows", "seconds", "cpu s", "x mlp", "gain %",
        "right %", "ask ns");
    print("mlp", threads, &unit, unit.seconds);
    ok = fit(mlp, d, 1, &r);
    if (ok)
        print("mlp", 1, &r, unit.seconds);
    if (ok && r.choices != unit.choices) {
        fprintf(stderr, "bench_train: one thread chooses otherwise than %d\n", threads);
        ok = 0;
    }
    if (ok && (ok = fit(mlp, wide, threads, &r)))
        print("mlp, five K", threads, &r, unit.seconds);
    for (int i = 0; ok && rc_trainers[i]; i++)
        if (rc_trainers[i] != mlp && (ok = fit(rc_trainers[i], d, threads, &r)))
            print(rc_trainers[i]->name, threads, &r, unit.seconds);
done:
    rc_dataset_free(d);
    rc_dataset_free(wide);
    free(d);
    free(wide);
    return !ok;
}
