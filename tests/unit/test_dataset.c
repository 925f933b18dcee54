/* Data sets of a store with a known rule, against the rule. */
#include "config.h"
#include "unit.h"
#include "failing_alloc.h"
#include "scratch.h"
#include "synthetic.h"

#include "analysis/dataset.h"
#include "base/digest.h"
#include "base/type.h"
#include "feature/feature.h"
#include "real_types.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATRICES = 37, GROUPS = 6 };

static const synthetic_t small = {
    .matrices = MATRICES, .groups = GROUPS, .seed = 3, .noise = 0, .k = "8,32,n", .devices = 1};

static void write_store(void **state, const char *name, const synthetic_t *s, char *path)
{
    rc_err_t err = {0};
    scratch_path(state, name, path);
    if (synthetic_write(path, s, &err) < 0)
        fail_msg("%s", err.text);
}

static void read_set(const char *store, const rc_dataset_options_t *o, rc_dataset_t *d)
{
    rc_err_t err = {0};
    if (rc_dataset_read(store, o, d, &err) < 0)
        fail_msg("%s", err.text);
}

static void refuses(const char *store, const rc_dataset_options_t *o, const char *text)
{
    rc_dataset_t d;
    rc_err_t err = {0};
    assert_int_equal(rc_dataset_read(store, o, &d, &err), RC_EINVAL);
    if (!strstr(err.text, text))
        fail_msg("expected '%s' in: %s", text, err.text);
}

static int matrix_of(const rc_dataset_t *d, int64_t row)
{
    int group;
    int matrix;
    assert_int_equal(sscanf(d->sample[row].name, "G%d/m%d", &group, &matrix), 2);
    return matrix;
}

static int number_of(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    fail_msg("unknown %s", name);
    return -1;
}

/* Every number of a row from the rule: of the geometry of kernel `of`. */
static void check_row(const synthetic_t *s, const rc_dataset_t *d, int64_t row, int of)
{
    static const double cost[] = {0.1, 2, 20, 300};
    const rc_feature_set_t *set = rc_feature_set_find("mehrabi");
    const rc_sample_t *p = &d->sample[row];
    double own[RC_FEATURES_MEHRABI];
    double feature[RC_FEATURES_MEHRABI];
    int matrix = matrix_of(d, row);
    rc_geometry_t g = synthetic_geometry(of, rc_type(p->precision)->bytes);
    rc_geometry_t g0 = synthetic_geometry(0, rc_type(p->precision)->bytes);
    synthetic_features(s, matrix, &g, own);
    synthetic_features(s, matrix, &g0, feature);
    for (int i = 0; i < d->inputs; i++) {
        double expected = strcmp(d->input[i].name, "k") == 0 ? (double)p->k : rc_type(p->precision)->bytes;
        for (int f = 0; f < set->count; f++)
            if (strcmp(set->feature[f].name, d->input[i].name) == 0)
                expected = own[f];
        assert_true(d->value[row * d->inputs + i] == expected);
    }
    for (int c = 0; c < d->classes; c++) {
        int kernel = number_of(synthetic_kernels, SYNTHETIC_KERNELS, d->cls[c].kernel);
        int policy = number_of(synthetic_policies, SYNTHETIC_POLICIES, d->cls[c].policy);
        double setup = 500 + (double)(int64_t)(cost[policy] * feature[0]) +
                       (kernel == 2 ? 10 * feature[0] : 0);
        assert_true(d->time[row * d->classes + c] ==
                    synthetic_time(feature, kernel, policy, p->k, rc_type(p->precision)->bytes) *
                        synthetic_type_factor[p->precision]);
        assert_true(d->setup[row * d->classes + c] == setup);
        rc_geometry_t cg = synthetic_geometry(kernel, rc_type(p->precision)->bytes);
        assert_memory_equal(&d->cls[c].geometry.of[p->precision], &cg, sizeof cg);
    }
    assert_int_equal(p->k_is_n, p->k == (int64_t)feature[0]);
    assert_true(p->feature_ns > 1000);
    char group[16];
    (void)snprintf(group, sizeof group, "G%d", matrix % GROUPS);
    assert_string_equal(d->group[p->group], group);
}

static int sorts_before(const rc_sample_t *a, const rc_sample_t *b)
{
    int c = strcmp(a->digest, b->digest);
    if (c)
        return c < 0;
    return a->precision != b->precision ? a->precision < b->precision : a->k < b->k;
}

static void rows_are_what_the_rule_says(void **state)
{
    char store[SCRATCH_PATH];
    synthetic_t s = small;
    s.fp64 = s.shorts = 1;
    write_store(state, "rule.h5", &s, store);
    for (int kernel = 0; kernel < SYNTHETIC_KERNELS; kernel++) {
        rc_dataset_t d;
        read_set(store, &(rc_dataset_options_t){.kernel = synthetic_kernels[kernel]}, &d);
        assert_int_equal(d.rows, MATRICES * 3 * REAL_TYPES);
        assert_int_equal(d.classes, 4);
        assert_int_equal(d.inputs, RC_FEATURES_MEHRABI + 2);
        assert_int_equal(d.groups, GROUPS);
        assert_int_equal(d.dropped.incomplete + d.dropped.features, 0);
        assert_string_equal(d.cls[d.baseline].name, "csr");
        assert_string_equal(d.device, "syn:device");
        for (int64_t i = 0; i < d.rows; i++) {
            check_row(&s, &d, i, kernel);
            assert_true(i == 0 || sorts_before(&d.sample[i - 1], &d.sample[i]));
        }
        rc_dataset_free(&d);
    }
}

/* Two types of one size are two types: each has rows and a geometry of its own, and nobody takes one for
 * the other.  The bytes of a value are no input where they are the same. */
static void types_of_one_size_are_two(void **state)
{
    static const struct {
        const char *precision;
        int types;
        int inputs;
    } cases[] = {{"bf16", 1, 0}, {"fp16", 1, 0}, {"bf16,fp16", 2, 0}, {"fp32,fp16", 2, 1}};
    char store[SCRATCH_PATH];
    rc_digest_t digest[4];
    synthetic_t s = small;
    s.shorts = 1;
    s.k = "8";
    write_store(state, "shorts.h5", &s, store);
    for (int i = 0; i < 4; i++) {
        rc_dataset_t d;
        read_set(store, &(rc_dataset_options_t){.kernel = synthetic_kernels[0], .precision = cases[i].precision}, &d);
        assert_int_equal(d.rows, MATRICES * cases[i].types);
        assert_int_equal(d.inputs, RC_FEATURES_MEHRABI + cases[i].inputs);
        digest[i] = d.digest;
        for (int64_t r = 0; r < d.rows; r++)
            check_row(&s, &d, r, 0);
        for (int t = 0; t < RC_TYPES; t++)
            assert_int_equal(d.geometry.of[t].nw > 0, strstr(cases[i].precision, rc_type((rc_precision_t)t)->name) != NULL);
        for (int k = 0; k < i; k++)
            assert_true(rc_digest_compare(&digest[i], &digest[k]) != 0);
        rc_dataset_free(&d);
    }
    refuses(store, &(rc_dataset_options_t){.kernel = synthetic_kernels[0], .precision = "fp8"},
        "--precision: unknown precision 'fp8'; known: fp32, fp64, bf16, fp16");
}

/* What was superseded, and in which order rows lie in the store, does not matter. */
static void only_newest_current_rows_count_in_any_order(void **state)
{
    char store[4][SCRATCH_PATH];
    rc_dataset_t d[4];
    for (int i = 0; i < 4; i++) {
        synthetic_t s = small;
        char name[16];
        (void)snprintf(name, sizeof name, "order%d.h5", i);
        s.stale = i == 1;
        s.shuffle = i == 2;
        s.seed += i == 3;
        write_store(state, name, &s, store[i]);
    }
    for (int task = 0; task < 2; task++) {
        for (int i = 0; i < 4; i++) {
            read_set(store[i], &(rc_dataset_options_t){.task = (rc_task_t)task}, &d[i]);
            assert_int_equal(rc_digest_compare(&d[i].digest, &d[0].digest) == 0, i != 3);
        }
        for (int i = 0; i < 4; i++)
            rc_dataset_free(&d[i]);
    }
}

static void rows_with_gaps_are_dropped_and_counted(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    synthetic_t s = small;
    int incomplete = 0;
    int featureless = 0;
    s.gaps = 1;
    s.stale = 1; /* an older row that is ok does not stand in for a failed one */
    write_store(state, "gaps.h5", &s, store);
    for (int m = 0; m < MATRICES; m++) {
        int failed = 0;
        for (int p = 0; p < 4; p++)
            failed |= (m * 7 + 2 * p) % 29 == 0;
        incomplete += failed;
        featureless += !failed && m % 11 == 3;
    }
    assert_true(incomplete > 0 && featureless > 0);
    read_set(store, &(rc_dataset_options_t){.kernel = synthetic_kernels[0]}, &d);
    assert_int_equal(d.dropped.incomplete, 3 * incomplete);
    assert_int_equal(d.dropped.features, 3 * featureless);
    assert_int_equal(d.rows, 3 * (MATRICES - incomplete - featureless));
    for (int64_t i = 0; i < d.rows; i++)
        check_row(&s, &d, i, 0);
    rc_dataset_free(&d);
}

static void k_is_a_number_or_n_as_asked(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    write_store(state, "k.h5", &small, store);
    read_set(store, &(rc_dataset_options_t){.k = "n"}, &d);
    assert_int_equal(d.rows, MATRICES);
    assert_int_equal(d.inputs, RC_FEATURES_MEHRABI); /* K is n_col, an input already */
    for (int64_t i = 0; i < d.rows; i++)
        assert_true(d.sample[i].k_is_n && d.sample[i].k == (int64_t)d.value[i * d.inputs + 1]);
    int64_t own = d.sample[0].k;
    rc_dataset_free(&d);

    read_set(store, &(rc_dataset_options_t){.k = "32"}, &d);
    assert_int_equal(d.rows, MATRICES);
    assert_int_equal(d.inputs, RC_FEATURES_MEHRABI);
    rc_dataset_free(&d);

    read_set(store, &(rc_dataset_options_t){.k = "n,8"}, &d);
    assert_int_equal(d.rows, 2 * MATRICES);
    assert_string_equal(d.input[d.inputs - 1].name, "k");
    rc_dataset_free(&d);

    /* asked for as a number, a K that equals n_col is that number */
    char number[32];
    (void)snprintf(number, sizeof number, "%lld", (long long)own);
    read_set(store, &(rc_dataset_options_t){.k = number}, &d);
    assert_true(d.rows >= 1 && !d.sample[0].k_is_n);
    rc_dataset_free(&d);
    refuses(store, &(rc_dataset_options_t){.k = "8,0"}, "--k");
    refuses(store, &(rc_dataset_options_t){.k = "8,many"}, "--k");
    refuses(store, &(rc_dataset_options_t){.k = "9"}, "none is ok");
}

static void classes_and_inputs_are_as_asked(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    write_store(state, "classes.h5", &small, store);
    rc_dataset_options_t o = {.classes = "warp,c*", .features = "matrix", .kernel = "syn-b*"};
    read_set(store, &o, &d);
    assert_int_equal(d.classes, 2);
    assert_string_equal(d.cls[0].name, "warp");
    assert_string_equal(d.cls[1].name, "csr");
    assert_int_equal(d.baseline, 1);
    assert_int_equal(d.geometry.of[RC_FP32].nw, 128);
    assert_int_equal(d.geometry.of[RC_FP64].nw, 0);
    assert_int_equal(d.inputs, 10);
    assert_string_equal(d.input[8].name, "nnz_blocks_per_row_max");
    assert_int_equal(d.input[2].transform, RC_TRANSFORM_LOG);
    assert_int_equal(d.input[8].transform, RC_TRANSFORM_LOG1P);
    rc_dataset_free(&d);

    o = (rc_dataset_options_t){
        .classes = "lpt,dcsr", .baseline = "d*", .features = "density,n_row"};
    o.where = "rows > 1000 && k == 8";
    read_set(store, &o, &d);
    assert_string_equal(d.cls[d.baseline].name, "dcsr");
    assert_string_equal(d.input[0].name, "density");
    assert_int_equal(d.inputs, 2);
    for (int64_t i = 0; i < d.rows; i++)
        assert_true(d.value[2 * i + 1] > 1000 && d.sample[i].k == 8);
    rc_dataset_free(&d);

    refuses(store, &(rc_dataset_options_t){.classes = "csr,lpd"}, "did you mean 'lpt'?");
    refuses(store, &(rc_dataset_options_t){.classes = "csr"}, "two classes");
    refuses(store, &(rc_dataset_options_t){.classes = "warp,lpt"}, "--baseline");
    refuses(store, &(rc_dataset_options_t){.kernel = "syn*"}, "3 kernels fit 'syn*'");
    refuses(store, &(rc_dataset_options_t){.kernel = "other"}, "syn-b:lanes=8");
    refuses(store, &(rc_dataset_options_t){.features = "n_rows"}, "did you mean 'n_row'?");
    refuses(store, &(rc_dataset_options_t){.features = "n_row,n_row"}, "twice");
    refuses(store, &(rc_dataset_options_t){.precision = "fp64"}, "none is ok");
    refuses(store, &(rc_dataset_options_t){.precision = "fp12"}, "unknown precision 'fp12'; did you mean 'fp32'?; known: fp32, fp64, bf16, fp16");
    refuses(store, &(rc_dataset_options_t){.where = "policy =="}, "--where");
    refuses(store, &(rc_dataset_options_t){.device = "cuda*"}, "there are: syn:device");
}

static void several_devices_are_an_error_that_lists_them(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t a;
    rc_dataset_t b;
    synthetic_t s = small;
    s.devices = 2;
    write_store(state, "devices.h5", &s, store);
    refuses(store, &(rc_dataset_options_t){0}, "there are: syn:device, syn:device1");
    refuses(store, &(rc_dataset_options_t){.device = "syn*"}, "more than one");
    read_set(store, &(rc_dataset_options_t){.device = "syn:device"}, &a);
    read_set(store, &(rc_dataset_options_t){.device = "*1"}, &b);
    assert_int_equal(a.rows, b.rows);
    for (int64_t i = 0; i < a.rows * a.classes; i++)
        assert_true(b.time[i] == 2 * a.time[i]);
    rc_dataset_free(&a);
    rc_dataset_free(&b);
}

/* ------------------------------------------------------------------------ plans */

/* Geometric mean over all rows of the best of some classes of d. */
static double best_of(const rc_dataset_t *d, const int *in)
{
    double sum = 0;
    for (int64_t i = 0; i < d->rows; i++) {
        double best = INFINITY;
        for (int c = 0; c < d->classes; c++)
            if (in[c])
                best = fmin(best, d->time[i * d->classes + c]);
        sum += log(best);
    }
    return exp(sum / (double)d->rows);
}

static void a_plan_is_a_greedy_portfolio(void **state)
{
    enum { all_pairs = SYNTHETIC_KERNELS * SYNTHETIC_POLICIES };
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    rc_dataset_t all;
    int in[all_pairs] = {0};
    int everything[all_pairs];
    write_store(state, "plan.h5", &small, store);
    read_set(store, &(rc_dataset_options_t){.task = RC_TASK_PLAN}, &d);
    read_set(store, &(rc_dataset_options_t){.task = RC_TASK_PLAN, .classes = "all"}, &all);
    assert_int_equal(all.classes, all_pairs);
    assert_int_equal(d.rows, MATRICES * 3);
    assert_int_equal(d.inputs, RC_FEATURES_MEHRABI + 2); /* K and precision always */
    for (int64_t i = 0; i < d.rows; i++)
        check_row(&small, &d, i, 0);
    for (int c = 0; c < all_pairs; c++)
        everything[c] = 1;
    double limit = best_of(&all, everything) * 1.005;
    for (int step = 0; step < d.classes; step++) {
        double best = INFINITY;
        assert_true(step == 0 || best_of(&all, in) > limit); /* it was not good enough before */
        for (int c = 0; c < all_pairs; c++) {
            int was = in[c];
            in[c] = 1;
            best = fmin(best, best_of(&all, in));
            in[c] = was;
        }
        for (int c = 0; c < all_pairs; c++)
            if (strcmp(all.cls[c].name, d.cls[step].name) == 0)
                in[c] = 1;
        assert_true(fabs(best_of(&all, in) / best - 1) < 1e-12);
    }
    assert_true(best_of(&all, in) <= limit * (1 + 1e-12) && d.classes < all_pairs);
    assert_int_equal(d.baseline, 0); /* the first step is the best taken alone */
    rc_dataset_free(&d);
    rc_dataset_free(&all);

    rc_dataset_options_t o = {.task = RC_TASK_PLAN, .portfolio = 3};
    read_set(store, &o, &d);
    assert_int_equal(d.classes, 3);
    rc_dataset_free(&d);
    o = (rc_dataset_options_t){.task = RC_TASK_PLAN, .portfolio_loss = 0.2};
    read_set(store, &o, &d);
    assert_true(d.classes < 5);
    rc_dataset_free(&d);
}

static void classes_of_a_plan_are_pairs(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    synthetic_t s = small;
    s.gaps = 1;
    write_store(state, "pairs.h5", &s, store);
    rc_dataset_options_t o = {.task = RC_TASK_PLAN, .classes = "syn-b:lanes=8/lpt,syn-c:pre=1@csr"};
    o.baseline = "*csr";
    read_set(store, &o, &d);
    assert_int_equal(d.classes, 2);
    assert_string_equal(d.cls[0].name, "syn-b:lanes=8/lpt");
    assert_string_equal(d.cls[0].kernel, "syn-b:lanes=8");
    assert_string_equal(d.cls[0].policy, "lpt");
    assert_int_equal(d.cls[0].kernel_version, 2);
    assert_int_equal(d.baseline, 1);
    for (int64_t i = 0; i < d.rows; i++)
        check_row(&s, &d, i, d.geometry.of[RC_FP32].nw == 128);
    rc_dataset_free(&d);
    refuses(store, &(rc_dataset_options_t){.task = RC_TASK_PLAN, .classes = "lpt"}, "KERNEL/ORDER");
    refuses(store, &(rc_dataset_options_t){.task = RC_TASK_PLAN, .classes = "x/*"},
        "unknown choice 'x/*'");
    refuses(store, &(rc_dataset_options_t){.task = RC_TASK_PLAN, .classes = "syn-b:lanes=8@file:a/lpt"}, "unknown choice");
    refuses(store, &(rc_dataset_options_t){.task = RC_TASK_PLAN, .classes = "syn-b:lanes=8/file:a/lpt"}, "unknown choice");
}

/* The layout of a class is that of all its operands; mixed ones are not known. */
static void classes_have_one_layout(void **state)
{
    for (int mixed = 0; mixed < 2; mixed++) {
        char store[SCRATCH_PATH];
        rc_dataset_t d;
        synthetic_t s = small;
        s.mixed = mixed;
        write_store(state, mixed ? "mixed.h5" : "one.h5", &s, store);
        rc_dataset_options_t o = {.task = RC_TASK_PLAN, .classes = "syn-b:lanes=8/lpt,syn-c:pre=1/csr"};
        read_set(store, &o, &d);
        assert_int_equal(d.cls[0].layout, RC_LAYOUT_COL);
        assert_int_equal(d.cls[1].layout, mixed ? 0 : RC_LAYOUT_ROW);
        rc_dataset_free(&d);
    }
}

/* -------------------------------------------------------------------- of a model */

static void model_of(const rc_dataset_t *d, rc_model_t *m)
{
    memset(m, 0, sizeof *m);
    m->task = d->task;
    memcpy(m->device, d->device, sizeof m->device);
    memcpy(m->feature_set, d->feature_set, sizeof m->feature_set);
    m->feature_version = d->feature_version;
    m->geometry = d->geometry;
    m->inputs = d->inputs;
    m->input = d->input;
    m->classes = d->classes;
    m->cls = d->cls;
    m->baseline = d->baseline;
}

static void a_model_reads_the_same_rows(void **state)
{
    char store[SCRATCH_PATH];
    char other[SCRATCH_PATH];
    synthetic_t s = small;
    rc_err_t err = {0};
    write_store(state, "model.h5", &s, store);
    s.devices = 2;
    s.fp64 = 1;
    s.stale = 1;
    write_store(state, "model2.h5", &s, other);
    for (int i = 0; i < 3; i++) {
        const rc_dataset_options_t o = {.task = i == 2 ? RC_TASK_PLAN : RC_TASK_ORDER,
            .kernel = i == 0 ? "syn-b*" : NULL,
            .features = i == 0 ? "density,warp_load_max" : NULL};
        rc_dataset_t d;
        rc_dataset_t same;
        rc_model_t m;
        read_set(store, &o, &d);
        model_of(&d, &m);
        assert_int_equal(rc_dataset_read_for(store, &m, NULL, &same, NULL), RC_OK);
        assert_int_equal(rc_digest_compare(&same.digest, &d.digest), 0);
        rc_dataset_free(&same);
        /* of a store with more: its device and precision only */
        assert_int_equal(rc_dataset_read_for(other, &m, NULL, &same, NULL), RC_OK);
        assert_int_equal(rc_digest_compare(&same.digest, &d.digest), 0);
        rc_dataset_free(&same);
        assert_int_equal(rc_dataset_read_for(store, &m, "k == 8", &same, NULL), RC_OK);
        assert_int_equal(same.rows, MATRICES);
        rc_dataset_free(&same);

        m.cls[1].kernel_version = 7;
        assert_int_equal(rc_dataset_read_for(store, &m, NULL, &same, &err), RC_ENOTSUP);
        assert_non_null(strstr(err.text, "version 7 of kernel syn-"));
        m.cls[1].kernel_version = 2;
        m.feature_version = 9;
        assert_int_equal(rc_dataset_read_for(store, &m, NULL, &same, &err), RC_EINVAL);
        assert_non_null(strstr(err.text, "version 9"));
        m.feature_version = d.feature_version;
        m.device[0] = 'X';
        assert_int_equal(rc_dataset_read_for(store, &m, NULL, &same, &err), RC_EINVAL);
        assert_non_null(strstr(err.text, "there are: syn:device"));
        rc_dataset_free(&d);
    }
}

static void failed_allocations_are_survived(void **state)
{
    char store[SCRATCH_PATH];
    synthetic_t s = small;
    s.matrices = 5;
    s.groups = 3;
    write_store(state, "alloc.h5", &s, store);
    for (int task = 0; task < 2; task++)
        for (long n = 0;; n++) {
            rc_dataset_t d = {0};
            rc_err_t err = {0};
            failing_alloc_set(n);
            const rc_dataset_options_t o = {.task = (rc_task_t)task, .where = "k > 8"};
            rc_status_t st = rc_dataset_read(store, &o, &d, &err);
            int failed = failing_alloc_happened();
            failing_alloc_set(-1);
            /* the store takes a text that it cannot copy for a missing one */
            if (failed ? st != RC_ENOMEM && st != RC_ESTORE : st != RC_OK)
                fail_msg("allocation %ld: %s", n, err.text);
            rc_dataset_free(&d);
            if (!failed)
                break;
        }
}

static void what_is_no_store_is_an_error(void **state)
{
    char path[SCRATCH_PATH];
    rc_dataset_t d;
    scratch_path(state, "missing.h5", path);
    assert_int_equal(rc_dataset_read(path, &(rc_dataset_options_t){0}, &d, NULL), RC_ENOENT);
    scratch_write(path, "no store", 8);
    assert_int_equal(rc_dataset_read(path, &(rc_dataset_options_t){0}, &d, NULL), RC_ESTORE);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_the_rule_says),
        cmocka_unit_test(types_of_one_size_are_two),
        cmocka_unit_test(only_newest_current_rows_count_in_any_order),
        cmocka_unit_test(rows_with_gaps_are_dropped_and_counted),
        cmocka_unit_test(k_is_a_number_or_n_as_asked),
        cmocka_unit_test(classes_and_inputs_are_as_asked),
        cmocka_unit_test(several_devices_are_an_error_that_lists_them),
        cmocka_unit_test(a_plan_is_a_greedy_portfolio),
        cmocka_unit_test(classes_of_a_plan_are_pairs),
        cmocka_unit_test(classes_have_one_layout),
        cmocka_unit_test(a_model_reads_the_same_rows),
        cmocka_unit_test(failed_allocations_are_survived),
        cmocka_unit_test(what_is_no_store_is_an_error),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
