/* The kinds of predictor against plain computations from their definitions, through a file, and
 * against the C source that they write. */
#include "config.h"
#include "unit.h"
#include "random_predictor.h"
#include "scratch.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static const double guard = 12345.678;

/* Score with exactly the scratch that was asked for, and look at what is beyond. */
static void score(const rc_predictor_kind_t *kind, const void *state, int inputs, int outputs,
    const double *x, double *out)
{
    size_t scratch = kind->scratch(state);
    double *room = malloc((scratch + (size_t)outputs + 2) * sizeof *room);
    double *in = malloc((size_t)inputs * sizeof *in);
    assert_non_null(room);
    assert_non_null(in);
    double *to = room + scratch + 1;
    memcpy(in, x, (size_t)inputs * sizeof *in);
    room[scratch] = to[outputs] = guard;
    for (int o = 0; o < outputs; o++)
        to[o] = NAN;
    kind->score(state, in, room, to);
    assert_true(room[scratch] == guard && to[outputs] == guard);
    assert_memory_equal(in, x, (size_t)inputs * sizeof *in);
    memcpy(out, to, (size_t)outputs * sizeof *out);
    free(room);
    free(in);
}

/* --------------------------------------------------------------- networks */

/* Sums from the last input to the first, in long double; *size is what rounding may scale with. */
static void reference_net(const rc_net_t *net, const double *x, long double *out, long double *size)
{
    long double *in = calloc(2 * MOST, sizeof *in);
    long double *to = calloc(2 * MOST, sizeof *to);
    assert_non_null(in);
    assert_non_null(to);
    for (int i = 0; i < net->layer[0].in; i++) {
        in[i] = x[i];
        in[MOST + i] = fabsl(in[i]);
    }
    for (int k = 0; k < net->layers; k++) {
        const rc_layer_t *l = &net->layer[k];
        for (int o = 0; o < l->out; o++) {
            to[o] = 0;
            to[MOST + o] = fabs(l->bias[o]);
            for (int i = l->in - 1; i >= 0; i--) {
                to[o] += (long double)l->weight[i * l->out + o] * in[i];
                to[MOST + o] += fabsl((long double)l->weight[i * l->out + o]) * in[MOST + i];
            }
            to[o] += l->bias[o];
            if (k < net->layers - 1 && !(to[o] > 0))
                to[o] = 0;
        }
        long double *swap = in;
        in = to;
        to = swap;
    }
    for (int o = 0; o < net->layer[net->layers - 1].out; o++) {
        out[o] = in[o];
        size[o] = in[MOST + o];
    }
    free(in);
    free(to);
}

static void check_network(rc_rng_t *r, const rc_network_t *n, int rounds)
{
    const rc_net_t *first = &n->net[0];
    int inputs = first->layer[0].in;
    int outputs = first->layer[first->layers - 1].out;
    static double x[MOST];
    static double got[MOST];
    static long double want[MOST];
    static long double size[MOST];
    for (int round = 0; round < rounds; round++) {
        random_inputs(r, inputs, x);
        score(&rc_predictor_network, n, inputs, outputs, x, got);
        static long double mean[MOST];
        static long double scale[MOST];
        memset(mean, 0, sizeof mean);
        memset(scale, 0, sizeof scale);
        for (int i = 0; i < n->nets; i++) {
            reference_net(&n->net[i], x, want, size);
            for (int o = 0; o < outputs; o++) {
                mean[o] += want[o] / n->nets;
                scale[o] += size[o];
            }
        }
        for (int o = 0; o < outputs; o++)
            assert_true(fabsl(got[o] - mean[o]) <= 1e-13L * scale[o]);
    }
}

static void network_is_its_products(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    for (int width = 1; width <= 70; width++) { /* every rest of a block */
        int size[] = {width % 7 + 1, width, 71 - width, width % 5 + 1};
        for (int layers = 1; layers <= 3; layers++) {
            rc_network_t *n = random_network(&r, width % 3 + 1, layers, size);
            assert_non_null(n);
            check_network(&r, n, 5);
            rc_network_free(n);
        }
    }
    static const int paper[] = {24, 64, 32, 4};
    rc_network_t *n = random_network(&r, 5, 3, paper);
    check_network(&r, n, 100);
    rc_network_free(n);
}

/* What no sum of products shows: a hidden value below 0 is cut, an output is not. */
static void network_by_hand(void **state)
{
    (void)state;
    static const int size[] = {2, 2, 1};
    rc_network_t *n = rc_network_new(2, 2, size, NULL);
    assert_non_null(n);
    static const double hidden[] = {1, -1, 2, -2}; /* by input: h0 = x0 + 2 x1, h1 = -h0 */
    for (int i = 0; i < 2; i++) {
        memcpy(n->net[i].layer[0].weight, hidden, sizeof hidden);
        n->net[i].layer[1].weight[0] = -3;
        n->net[i].layer[1].weight[1] = 5;
        n->net[i].layer[1].bias[0] = i;
    }
    double out;
    score(&rc_predictor_network, n, 2, 1, (const double[]){1, 1}, &out);
    assert_true(out == -9 + 0.5);
    score(&rc_predictor_network, n, 2, 1, (const double[]){-1, -1}, &out);
    assert_true(out == 15 + 0.5);
    rc_network_free(n);
}

/* ---------------------------------------------------------------- forests */

static double reference_tree(const rc_forest_t *f, int32_t i, const double *x)
{
    const rc_tree_node_t *n = &f->node[i];
    if (n->feature == -1)
        return n->value;
    volatile float rounded = (float)x[n->feature];
    return reference_tree(f, rounded < n->value ? n->left : n->left + 1, x);
}

/* Leaf values are multiples of 1/1024: their sums are exact in every order. */
static void check_forest(const rc_forest_t *f, const double *x)
{
    double got[MOST];
    score(&rc_predictor_forest, f, f->inputs, f->outputs, x, got);
    for (int o = 0; o < f->outputs; o++) {
        double want = 0;
        for (int32_t t = f->first[o + 1] - 1; t >= f->first[o]; t--)
            want += reference_tree(f, f->root[t], x);
        assert_true(got[o] == want + f->base[o]);
    }
}

static void forest_is_the_sum_of_its_trees(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 2);
    for (int round = 0; round < 400; round++) {
        int inputs = 1 + (int)rc_rng_below(&r, 30);
        rc_forest_t *f = random_forest(&r, inputs, 1 + round % 5, (int)rc_rng_below(&r, 60),
            round % 8, 0.5 + 0.1 * (round % 6));
        assert_non_null(f);
        double x[30];
        for (int k = 0; k < 30; k++) {
            random_inputs(&r, inputs, x);
            if (k == 28)
                x[0] = NAN;
            if (k == 29)
                x[0] = round % 2 ? INFINITY : -INFINITY;
            check_forest(f, x);
        }
        rc_forest_free(f);
    }
}

/* Inputs are compared as floats: one that rounds up to the threshold is not below it. */
static void forest_compares_floats(void **state)
{
    (void)state;
    rc_forest_t *f = rc_forest_new(1, 1, 1, 3, NULL);
    assert_non_null(f);
    f->first[1] = 1;
    f->root[1] = 3;
    f->node[0] = (rc_tree_node_t){(double)0.1f, 0, 1};
    f->node[1] = (rc_tree_node_t){-7, -1, 0};
    f->node[2] = (rc_tree_node_t){7, -1, 0};
    f->base[0] = 0.5;
    double out;
    double below = (double)0.1f - 1e-12; /* nearest float: 0.1f */
    score(&rc_predictor_forest, f, 1, 1, &below, &out);
    assert_true(out == 7.5);
    below = (double)nextafterf(0.1f, 0);
    score(&rc_predictor_forest, f, 1, 1, &below, &out);
    assert_true(out == -6.5);
    rc_forest_free(f);
}

/* ------------------------------------------------- support vector machines */

static double gauss(const rc_svm_t *s, int vector, const double *x)
{
    long double uu = 0; /* |u|^2 - 2 u.v + |v|^2 */
    long double uv = 0;
    long double vv = 0;
    for (int i = s->inputs - 1; i >= 0; i--) {
        long double v = s->vector[vector * s->inputs + i];
        uu += (long double)x[i] * x[i];
        uv += x[i] * v;
        vv += v * v;
    }
    return (double)expl(-s->gamma * (uu - 2 * uv + vv));
}

static int class_of(const rc_svm_t *s, int vector)
{
    int c = 0;
    for (int end = s->count[0]; vector >= end; end += s->count[++c])
        ;
    return c;
}

/* Every pair by itself, its coefficients looked up vector by vector; returns the number of pairs
 * too near to 0 to call. */
static int reference_svm(const rc_svm_t *s, const double *x, double *out)
{
    int pair = 0;
    int open = 0;
    double pairs = s->present * (s->present - 1) / 2.0;
    for (int o = 0; o < s->outputs; o++)
        out[o] = -1;
    for (int i = 0; i < s->present; i++)
        out[s->label[i]] = 0;
    for (int a = 0; a < s->present; a++)
        for (int b = a + 1; b < s->present; b++, pair++) {
            double d = -s->rho[pair];
            for (int v = s->vectors - 1; v >= 0; v--) {
                int c = class_of(s, v);
                if (c != a && c != b)
                    continue;
                int other = c == a ? b : a; /* row of sv_coef: the other class, itself left out */
                d += s->coef[(other < c ? other : other - 1) * s->vectors + v] * gauss(s, v, x);
            }
            open += fabs(d) < 1e-9;
            out[s->label[d > 0 ? a : b]] += 1;
            double margin = d / (1 + fabs(d)) / (2 * pairs + 2);
            out[s->label[a]] += margin;
            out[s->label[b]] -= margin;
        }
    return open;
}

static void svm_is_a_vote_over_pairs(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    int compared = 0;
    for (int round = 0; round < 300; round++) {
        int outputs = 1 + (int)rc_rng_below(&r, 7);
        int inputs = 1 + (int)rc_rng_below(&r, 24);
        rc_svm_t *s =
            random_svm(&r, inputs, outputs, 1 + (int)rc_rng_below(&r, (uint64_t)outputs), 9);
        assert_non_null(s);
        for (int k = 0; k < 20; k++) {
            double x[24];
            double want[7];
            double got[7];
            random_inputs(&r, inputs, x);
            int open = reference_svm(s, x, want);
            score(&rc_predictor_svm, s, inputs, outputs, x, got);
            if (open)
                continue;
            for (int o = 0; o < outputs; o++)
                assert_true(fabs(got[o] - want[o]) < 1e-12);
            compared++;
        }
        rc_svm_free(s);
    }
    assert_in_range(compared, 5500, 6000);
}

/* Three classes beat each other in a circle: one vote each, and the margins decide. */
static void svm_ties_go_by_margin(void **state)
{
    (void)state;
    rc_svm_t *s = rc_svm_new(1, 5, 3, 0, NULL);
    assert_non_null(s);
    s->gamma = 1;
    s->label[0] = 4;
    s->label[1] = 0;
    s->label[2] = 2;
    s->rho[0] = -1; /* 0 beats 1 by 1, 2 beats 0 by 2, 1 beats 2 by 3 */
    s->rho[1] = 2;
    s->rho[2] = -3;
    double out[5];
    score(&rc_predictor_svm, s, 1, 5, (const double[]){0}, out);
    assert_true(out[1] == -1 && out[3] == -1);
    assert_true(fabs(out[4] - (1 + (1 / 2.0 - 2 / 3.0) / 8)) < 1e-15);
    assert_true(fabs(out[0] - (1 + (3 / 4.0 - 1 / 2.0) / 8)) < 1e-15);
    assert_true(fabs(out[2] - (1 + (2 / 3.0 - 3 / 4.0) / 8)) < 1e-15);
    rc_svm_free(s);
}

/* ------------------------------------------------------------------- files */

static const rc_predictor_kind_t *const kinds[] = {
    &rc_predictor_network, &rc_predictor_forest, &rc_predictor_svm};
enum { KINDS = sizeof kinds / sizeof kinds[0], TEXT = JSON_REAL_PRECISION(17) };

static char *text_of(const random_state_t *s)
{
    json_t *v = s->kind->write(s->state, NULL);
    assert_non_null(v);
    char *text = json_dumps(v, TEXT);
    json_decref(v);
    assert_non_null(text);
    return text;
}

static void *state_of(const random_state_t *s, const char *text)
{
    void *state = NULL;
    rc_err_t err = {0};
    json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(v);
    if (s->kind->read(v, s->inputs, s->outputs, &state, &err) < 0)
        fail_msg("%s: %s", s->kind->name, err.text);
    json_decref(v);
    return state;
}

static void files_keep_every_bit(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 4);
    for (int round = 0; round < 600; round++) {
        random_state_t s = random_predictor(&r, kinds[round % KINDS]);
        assert_non_null(s.state);
        char *text = text_of(&s);
        random_state_t copy = s;
        copy.state = state_of(&s, text);
        char *again = text_of(&copy);
        assert_string_equal(text, again);
        for (int k = 0; k < 20; k++) {
            double x[12];
            double a[6];
            double b[6];
            random_inputs(&r, s.inputs, x);
            score(s.kind, s.state, s.inputs, s.outputs, x, a);
            score(s.kind, copy.state, s.inputs, s.outputs, x, b);
            assert_memory_equal(a, b, (size_t)s.outputs * sizeof *a);
        }
        free(text);
        free(again);
        s.kind->free(s.state);
        s.kind->free(copy.state);
    }
}

static void extreme_numbers_survive(void **state)
{
    (void)state;
    static const double extreme[] = {
        0.0, -0.0, 4.9406564584124654e-324, -1.7976931348623157e308, 0.1, 1.0 / 3, 1e22, 5, -3};
    enum { n = sizeof extreme / sizeof extreme[0] };
    random_state_t s = {&rc_predictor_network, n, 1, NULL};
    s.state = rc_network_new(1, 1, (const int[]){n, 1}, NULL);
    rc_layer_t *l = ((rc_network_t *)s.state)->net[0].layer;
    memcpy(l->weight, extreme, sizeof extreme);
    char *text = text_of(&s);
    rc_network_t *copy = state_of(&s, text);
    assert_memory_equal(copy->net[0].layer[0].weight, extreme, sizeof extreme);
    free(text);
    rc_network_free(copy);
    rc_network_free(s.state);
}

/* ---------------------------------------------------------------- C source */

enum { PROGRAMS = 36, ROWS = 400 };

static void emit_all(const random_state_t *s, const char *path)
{
    rc_err_t err = {0};
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("#include <math.h>\n#include <stdio.h>\n", f);
    for (int i = 0; i < PROGRAMS; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        if (s[i].kind->emit(s[i].state, name, f, &err) < 0)
            fail_msg("%s: %s", s[i].kind->name, err.text);
    }
    /* for every predictor its rows of inputs on stdin, its outputs on stdout */
    fputs("int main(void)\n{\n    static double x[64], out[64];\n    int i;\n", f);
    for (int i = 0; i < PROGRAMS; i++)
        fprintf(f,
            "    for (i = 0; i < %d; i++) {\n"
            "        if (fread(x, sizeof *x, %d, stdin) != %d)\n            return 1;\n"
            "        p%d_score(x, out);\n"
            "        if (fwrite(out, sizeof *out, %d, stdout) != %d)\n            return 1;\n"
            "    }\n",
            ROWS, s[i].inputs, s[i].inputs, i, s[i].outputs, s[i].outputs);
    fputs("    return fflush(stdout) != 0;\n}\n", f);
    assert_int_equal(fclose(f), 0);
}

static void run(const char *fmt, const char *a, const char *b, const char *c)
{
    char command[3 * SCRATCH_PATH + 200];
    snprintf(command, sizeof command, fmt, a, b, c);
    if (system(command) != 0)
        fail_msg("failed: %s", command);
}

static void *slurp(const char *path, size_t bytes)
{
    void *data = malloc(bytes + 1);
    FILE *f = fopen(path, "rb");
    assert_non_null(data);
    assert_non_null(f);
    assert_int_equal(fread(data, 1, bytes + 1, f), bytes);
    assert_int_equal(fclose(f), 0);
    return data;
}

static void compare_source(void **state, const char *flags, const char *source, const char *inputs,
    const double *want, const random_state_t *s)
{
    char program[SCRATCH_PATH];
    char outputs[SCRATCH_PATH];
    size_t n = 0;
    for (int i = 0; i < PROGRAMS; i++)
        n += (size_t)s[i].outputs * ROWS;
    scratch_path(state, "program", program);
    scratch_path(state, "outputs", outputs);
    char fmt[300];
    snprintf(fmt, sizeof fmt,
        "%s -std=c99 -Wall -Wextra -Wshadow -Werror -pedantic %s -o %%s %%s %%.0s-lm", RC_TEST_CC,
        flags);
    run(fmt, program, source, "");
    run("%s <%s >%s", program, inputs, outputs);
    double *got = slurp(outputs, n * sizeof *got);
    for (size_t i = 0; i < n; i++)
        if (memcmp(&got[i], &want[i], sizeof *got) != 0)
            fail_msg("output %zu with %s: expected %a, found %a", i, flags, want[i], got[i]);
    free(got);
}

static void exported_source_gives_the_same_bits(void **state)
{
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    random_state_t s[PROGRAMS];
    size_t in = 0;
    size_t out = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        s[i] = random_predictor(&r, kinds[i % KINDS]);
        assert_non_null(s[i].state);
        in += (size_t)s[i].inputs * ROWS;
        out += (size_t)s[i].outputs * ROWS;
    }
    double *x = malloc(in * sizeof *x);
    double *want = malloc(out * sizeof *want);
    assert_non_null(x);
    assert_non_null(want);
    random_inputs(&r, (int)in, x);
    const double *from = x;
    double *to = want;
    for (int i = 0; i < PROGRAMS; i++)
        for (int k = 0; k < ROWS; k++, from += s[i].inputs, to += s[i].outputs)
            score(s[i].kind, s[i].state, s[i].inputs, s[i].outputs, from, to);
    char source[SCRATCH_PATH];
    char inputs[SCRATCH_PATH];
    scratch_path(state, "source.c", source);
    scratch_path(state, "inputs", inputs);
    scratch_write(inputs, x, in * sizeof *x);
    emit_all(s, source);
    compare_source(state, "-ffp-contract=off", source, inputs, want, s);
    compare_source(state, "-O2 -ffp-contract=off", source, inputs, want, s);
    free(x);
    free(want);
    for (int i = 0; i < PROGRAMS; i++)
        s[i].kind->free(s[i].state);
}

static void full_disk_is_reported(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 6);
    for (int i = 0; i < KINDS; i++) {
        FILE *f = fopen("/dev/full", "w");
        if (!f)
            skip();
        rc_err_t err = {0};
        random_state_t s = random_predictor(&r, kinds[i]);
        assert_int_equal(s.kind->emit(s.state, "p", f, &err), RC_EIO);
        assert_true(strlen(err.text) > 0);
        s.kind->free(s.state);
        fclose(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_is_its_products),
        cmocka_unit_test(network_by_hand),
        cmocka_unit_test(forest_is_the_sum_of_its_trees),
        cmocka_unit_test(forest_compares_floats),
        cmocka_unit_test(svm_is_a_vote_over_pairs),
        cmocka_unit_test(svm_ties_go_by_margin),
        cmocka_unit_test(files_keep_every_bit),
        cmocka_unit_test(extreme_numbers_survive),
        cmocka_unit_test(exported_source_gives_the_same_bits),
        cmocka_unit_test(full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
