/* Time of one prediction for the kinds of predictor at realistic sizes, on inputs that change from
 * call to call; beside it a plain loop over the same numbers: a product at a time, a tree at a
 * time, a vector at a time. */
#include "config.h"
#include "random_predictor.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { INPUTS = 26, MOST_OUTPUTS = 16, WIDE = 256, ROWS = 512, BATCH = 16, ROUNDS = 20 };

static double plain_network(const void *state, const double *x, double *out)
{
    const rc_network_t *n = state;
    for (int i = 0; i < n->nets; i++) {
        double a[2][WIDE];
        const double *in = x;
        for (int k = 0; k < n->net[i].layers; k++) {
            const rc_layer_t *l = &n->net[i].layer[k];
            double *to = a[k % 2];
            for (int o = 0; o < l->out; o++) {
                double sum = l->bias[o];
                for (int p = 0; p < l->in; p++)
                    sum += l->weight[p * l->out + o] * in[p];
                to[o] = k == n->net[i].layers - 1 || sum > 0 ? sum : 0;
            }
            in = to;
        }
        out[0] += in[0];
    }
    return out[0];
}

static double plain_forest(const void *state, const double *x, double *out)
{
    const rc_forest_t *f = state;
    for (int o = 0; o < f->outputs; o++) {
        out[o] = f->base[o];
        for (int32_t t = f->first[o]; t < f->first[o + 1]; t++) {
            const rc_tree_node_t *n = &f->node[f->root[t]];
            while (n->feature >= 0)
                n = &f->node[(float)x[n->feature] < n->value ? n->left : n->left + 1];
            out[o] += n->value;
        }
    }
    return out[0];
}

/* distances and exponentials alone */
static double plain_svm(const void *state, const double *x, double *out)
{
    const rc_svm_t *s = state;
    double sum = 0;
    (void)out;
    for (int k = 0; k < s->vectors; k++) {
        double square = 0;
        for (int i = 0; i < s->inputs; i++) {
            double d = x[i] - s->vector[k * s->inputs + i];
            square += d * d;
        }
        sum += exp(-s->gamma * square);
    }
    return sum;
}

static double best_ns(const rc_predictor_kind_t *kind, const void *state, const double *x,
    double *scratch, double (*plain)(const void *, const double *, double *))
{
    double out[MOST_OUTPUTS] = {0};
    double best = INFINITY;
    volatile double sink = 0;
    for (int i = 0; i < ROUNDS * ROWS; i += BATCH) {
        int64_t start = rc_clock_ns();
        for (int k = i; k < i + BATCH; k++) {
            const double *row = x + k % ROWS * INPUTS;
            if (plain)
                sink = sink + plain(state, row, out);
            else
                kind->score(state, row, scratch, out);
            sink = sink + out[0];
        }
        double ns = (double)(rc_clock_ns() - start) / BATCH;
        best = ns < best ? ns : best;
    }
    return best;
}

static int report(const char *name, const rc_predictor_kind_t *kind, void *state, const double *x,
    double (*plain)(const void *, const double *, double *))
{
    double *scratch = state ? malloc((kind->scratch(state) + 1) * sizeof *scratch) : NULL;
    int bad = !scratch;
    if (!bad) {
        double ns = best_ns(kind, state, x, scratch, NULL);
        double reference = best_ns(kind, state, x, scratch, plain);
        printf("%-44s %12.0f %12.0f %8.2fx\n", name, ns, reference, reference / ns);
    }
    free(scratch);
    kind->free(state);
    return bad;
}

int main(void)
{
    static double x[ROWS * INPUTS];
    static const int order[] = {INPUTS, 64, 32, 4};
    static const int plan[] = {INPUTS, 64, 32, 16};
    static const int wide[] = {INPUTS, WIDE, WIDE, 16};
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    random_inputs(&r, ROWS * INPUTS, x);
    int bad = 0;
    printf("%-44s %12s %12s %9s\n", "predictor", "ns", "plain ns", "ratio");
    bad |= report("network 26-64-32-4", &rc_predictor_network, random_network(&r, 1, 3, order), x,
        plain_network);
    bad |= report("5 networks 26-64-32-4", &rc_predictor_network, random_network(&r, 5, 3, order),
        x, plain_network);
    bad |= report("5 networks 26-64-32-16", &rc_predictor_network, random_network(&r, 5, 3, plan),
        x, plain_network);
    bad |= report("network 26-256-256-16", &rc_predictor_network, random_network(&r, 1, 3, wide), x,
        plain_network);
    bad |= report("1 tree, depth 8", &rc_predictor_forest, random_forest(&r, INPUTS, 1, 1, 8, 0.9),
        x, plain_forest);
    bad |= report("4 x 100 trees, depth 6", &rc_predictor_forest,
        random_forest(&r, INPUTS, 4, 400, 6, 0.95), x, plain_forest);
    bad |= report("16 x 100 trees, depth 6", &rc_predictor_forest,
        random_forest(&r, INPUTS, 16, 1600, 6, 0.95), x, plain_forest);
    bad |= report("16 x 300 trees, depth 4", &rc_predictor_forest,
        random_forest(&r, INPUTS, 16, 4800, 4, 0.95), x, plain_forest);
    bad |= report("4 classes, up to 100 vectors each", &rc_predictor_svm,
        random_svm(&r, INPUTS, 4, 4, 100), x, plain_svm);
    bad |= report("16 classes, up to 100 vectors each", &rc_predictor_svm,
        random_svm(&r, INPUTS, 16, 16, 100), x, plain_svm);
    if (bad)
        fprintf(stderr, "bench_predict: no memory\n");
    return bad;
}
