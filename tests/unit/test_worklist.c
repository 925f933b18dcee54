/* Plans: exactly the cases that are new are pending. */
#include "config.h"
#include "unit.h"
#include "worklist_fixture.h"

#include "sweep/selection.h"
#include "sweep/threads.h"
#include "sweep/worklist.h"
#include "real_types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void exactly_the_new_cases_are_pending(void **state)
{
    world_t w;
    make_world(state, "new", &w);
    expect(&w, NULL, 3, 6, 0);
    do_all(&w, NULL);
    expect(&w, NULL, 0, 0, 6);

    w.catalog.count = 4; /* a matrix */
    expect(&w, NULL, 1, 2, 6);
    w.catalog.count = 3;
    w.c.policies = 3; /* a policy */
    expect(&w, NULL, 3, 3, 6);
    w.c.policies = 2;
    w.c.ks = 2; /* a K */
    w.k[1] = 9;
    expect(&w, NULL, 3, 6, 6);
    w.k[1] = 0; /* K = n */
    expect(&w, NULL, 3, 6, 6);
    w.c.ks = 1;
    w.c.kernels = 2; /* other parameters of the kernel */
    expect(&w, NULL, 3, 6, 6);
    w.c.kernels = 1;
    w.c.precisions = 2; /* a precision */
    expect(&w, NULL, 3, 6, 6);
    w.c.precisions = 1;
    w.policy[1].version = 2; /* versions */
    expect(&w, NULL, 3, 3, 3);
    w.policy[1].version = 1;
    w.kernel.version = 2;
    expect(&w, NULL, 3, 6, 0);
    w.kernel.version = 1;
    w.c.geometry.line = 8; /* a geometry */
    expect(&w, NULL, 3, 6, 0);
    w.c.geometry.line = 0;
    w.c.measure.cold = 1; /* a cache mode */
    expect(&w, NULL, 3, 6, 0);
    w.c.measure.cold = 0;
    snprintf(w.device.class_name, sizeof w.device.class_name, "cpu:two"); /* a device */
    expect(&w, NULL, 3, 6, 0);
    do_all(&w, NULL);
    expect(&w, NULL, 0, 0, 6);
    snprintf(w.device.class_name, sizeof w.device.class_name, "cpu:one");
    expect(&w, NULL, 0, 0, 6);
}

/* Parts hold the blocks of a matrix, each once, and the cases of all are those of the whole. */
static void a_matrix_is_divided_over_ranks(void **state)
{
    world_t w;
    rc_map_t known = {0};
    rc_worklist_t whole;
    rc_worklist_t parts;
    rc_profile_t profile;
    int end[3] = {0, 0, 0};
    int64_t cases = 0;
    make_world(state, "parts", &w);
    w.c.kernels = 2;
    w.c.measure.budget_ns = 4000000000;
    rc_profile_make(&w.c, &w.device, &profile);
    assert_int_equal(rc_worklist_make(&w.c, &profile, 1, NULL, NULL, &known, &whole, NULL), RC_OK);
    assert_int_equal(whole.items, 3);
    assert_int_equal(whole.plan.divided, 0);
    profile.ranks = 4;
    assert_int_equal(rc_worklist_make(&w.c, &profile, 1, NULL, NULL, &known, &parts, NULL), RC_OK);
    assert_int_equal(parts.plan.matrices, 3);
    assert_int_equal(parts.plan.divided, 3);
    assert_int_equal(parts.plan.cases, whole.plan.cases);
    assert_int_equal(parts.items, 3 * rc_worklist_blocks(&w.c));
    for (int part = 0; part < parts.item[0].parts; part++)
        for (int64_t i = 0; i < parts.items; i++) {
            const rc_sweep_item_t *one = &parts.item[i];
            if (one->part != part)
                continue;
            assert_int_equal(one->first_block, end[one->entry]);
            assert_true(one->end_block > one->first_block && one->cases > 0);
            end[one->entry] = one->end_block;
            cases += one->cases;
        }
    assert_int_equal(cases, whole.plan.cases);
    for (int i = 0; i < 3; i++)
        assert_int_equal(end[i], rc_worklist_blocks(&w.c));
    rc_worklist_free(&whole);
    rc_worklist_free(&parts);
}

static void parts_take_about_as_long(void **state)
{
    /* the fourth block is most of it; the last and the second have nothing left to do */
    const double cost_s[] = {1, 0, 1, 10, 1, 1, 1, 0};
    int64_t first[9];
    (void)state;
    assert_int_equal(rc_worklist_cut(cost_s, 8, 1, first), 1);
    assert_int_equal(first[1], 8);
    assert_int_equal(rc_worklist_cut(cost_s, 8, 3, first), 3);
    const int64_t expected[] = {0, 3, 4, 8};
    assert_memory_equal(first, expected, sizeof expected);
    assert_true(rc_worklist_cut(cost_s, 8, 8, first) <= 6);
    assert_int_equal(rc_worklist_parts(1, 0.1, 160, 9), 1); /* short beside a rank's share */
    assert_int_equal(rc_worklist_parts(100, 0.1, 160, 50), 10);
    assert_int_equal(rc_worklist_parts(100, 0.1, 160, 4), 4); /* no more than there are blocks */
    assert_int_equal(
        rc_worklist_parts(100, 60, 160, 50), 2); /* loading it again is not for nothing */
    assert_int_equal(rc_worklist_parts(0.2, 0, 0, 50), 1);
}

static void two_device_classes_are_planned_apart(void **state)
{
    world_t w;
    rc_map_t known = {0};
    rc_worklist_t p;
    rc_profile_t profile[2];
    make_world(state, "classes", &w);
    rc_profile_make(&w.c, &w.device, &profile[0]);
    profile[1] = profile[0];
    snprintf(profile[1].class_name, sizeof profile[1].class_name, "cpu:two");
    assert_int_equal(rc_worklist_make(&w.c, profile, 2, NULL, NULL, &known, &p, NULL), RC_OK);
    assert_int_equal(p.items, 6);
    int of_class[2] = {0};
    for (int i = 0; i < 6; i++)
        of_class[p.item[i].class_id]++;
    assert_int_equal(of_class[0], 3);
    assert_int_equal(of_class[1], 3);
    rc_worklist_free(&p);
}

/* Classes that differ in nothing but threads, of which one has what this device would measure. */
static void other_threads_are_found(void **state)
{
    world_t w;
    rc_view_t *v = NULL;
    rc_map_t known = {0};
    rc_other_threads_t found;
    make_world(state, "threads", &w);
    for (int threads = 1; threads <= 4; threads += 3) {
        w.device.executor.threads = threads;
        snprintf(w.device.class_name, sizeof w.device.class_name, "cpu:a:%dt:avx2", threads);
        do_all(&w, threads == 1 ? "lpt" : NULL); /* with one thread, less */
    }
    w.device.executor.threads = 2;
    snprintf(w.device.class_name, sizeof w.device.class_name, "cpu:a:2t:avx2");
    assert_int_equal(rc_view_read(w.store, &v, NULL), RC_OK);
    assert_int_equal(rc_worklist_gather(v, NULL, NULL, 0, NULL, 0, &known, NULL), RC_OK);
    assert_int_equal(rc_threads_find(&w.c, &w.device, v, &known, &found, NULL), RC_OK);
    assert_int_equal(found.threads, 4);
    assert_int_equal(found.cases, 6);
    w.k[0] = 77; /* which no class has */
    assert_int_equal(rc_threads_find(&w.c, &w.device, v, &known, &found, NULL), RC_OK);
    assert_int_equal(found.cases, 0);
    rc_map_free(&known);
    rc_view_free(v);
}

static void a_k_that_n_repeats_counts_once(void **state)
{
    world_t w;
    rc_block_t block;
    rc_profile_t profile;
    make_world(state, "repeat", &w);
    w.c.ks = 4;
    w.k[1] = 0;
    w.k[2] = 20;
    w.k[3] = 8;
    /* 8, n, 20 and 8 again: matrix 1 has 20 columns */
    rc_profile_make(&w.c, &w.device, &profile);
    const int64_t expected[3][4] = {{8, 10, 20, 0}, {8, 20, 0, 0}, {8, 30, 20, 0}};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 4; i++) {
            rc_worklist_block(&w.c, &profile, i, w.entry[m].cols, &block);
            assert_int_equal(block.k, expected[m][i]);
        }
    do_all(&w, NULL);
    expect(&w, NULL, 0, 0, 2 * (3 + 2 + 3));
}

static void blocks_run_over_kernels_precisions_and_ks(void **state)
{
    world_t w;
    rc_profile_t profile;
    make_world(state, "blocks", &w);
    w.c.kernels = w.c.precisions = w.c.ks = 2;
    w.k[1] = 9;
    rc_profile_make(&w.c, &w.device, &profile);
    assert_int_equal(rc_worklist_blocks(&w.c), 8);
    for (int i = 0; i < 8; i++) {
        rc_block_t b;
        rc_worklist_block(&w.c, &profile, i, 100, &b);
        assert_int_equal(b.kernel, i / 4);
        assert_int_equal(b.precision, i / 2 % 2);
        assert_int_equal(b.k, 8 + i % 2);
        assert_int_equal(b.geometry.nt, b.precision == RC_FP64 ? 2 : 4);
    }
    w.c.kernels = w.c.precisions = w.c.ks = 1;
    rc_profile_make(&w.c, &w.device, &profile);
    for (int t = 0; t < REAL_TYPES; t++) {
        const rc_precision_t type = real_type(t);
        rc_block_t b;
        w.c.precision = &type;
        rc_worklist_block(&w.c, &profile, 0, 100, &b);
        assert_int_equal(b.geometry.nt, type == RC_FP64 ? 2 : 4);
    }
}

/* C in schedule order: the cases of csr are those in original order, and exist once. */
static void the_order_of_c_is_part_of_a_case_except_for_csr(void **state)
{
    static const rc_c_order_t both[] = {RC_C_ORIGINAL, RC_C_SCHEDULE};
    world_t w;
    rc_profile_t profile;
    rc_block_t block;
    rc_case_t csr;
    rc_case_t lpt;
    make_world(state, "corder", &w);
    w.kernel.c_orders = RC_STORES_ANY;
    do_all(&w, NULL);
    w.c.c_order = both;
    w.c.c_orders = 1; /* original, said or not */
    expect(&w, NULL, 0, 0, 6);
    w.c.c_orders = 2;
    expect(&w, NULL, 3, 3, 6);
    w.c.c_order = both + 1;
    w.c.c_orders = 1;
    expect(&w, NULL, 3, 3, 3); /* lpt of three matrices; csr is done */
    rc_profile_make(&w.c, &w.device, &profile);
    rc_worklist_block(&w.c, &profile, 0, 10, &block);
    assert_int_equal(block.c_order, RC_C_SCHEDULE);
    assert_true(rc_worklist_case(&w.c, &profile, &block, 0, matrix_digest(0), &csr));
    assert_true(rc_worklist_case(&w.c, &profile, &block, 1, matrix_digest(0), &lpt));
    assert_int_equal(csr.c_order, RC_C_ORIGINAL);
    assert_int_equal(lpt.c_order, RC_C_SCHEDULE);
    do_all(&w, NULL);
    w.c.c_order = both;
    w.c.c_orders = 2;
    expect(&w, NULL, 0, 0, 9);
    w.kernel.c_orders = RC_STORES_ORIGINAL; /* csr and lpt in original order */
    w.c.precisions = 2;
    expect(&w, NULL, 3, 6, 6);
    w.c.precision = &w.precision[1];
    w.c.precisions = 1;
    w.c.c_order = both + 1;
    w.c.c_orders = 1; /* nothing that can be measured: nothing is loaded either */
    expect(&w, NULL, 0, 0, 0);
}

/* An operation without K has one block, whatever the list of K; its cases are its own. */
static void k_is_absent_where_the_operation_has_none(void **state)
{
    world_t w;
    rc_profile_t profile;
    rc_block_t block;
    rc_case_t spmm;
    rc_case_t spmv;
    make_world(state, "spmv", &w);
    w.k[0] = 8;
    w.k[1] = 1;
    w.c.ks = 2;
    do_all(&w, NULL);
    rc_profile_make(&w.c, &w.device, &profile);
    rc_worklist_block(&w.c, &profile, 1, 10, &block);
    assert_true(rc_worklist_case(&w.c, &profile, &block, 0, matrix_digest(0), &spmm));
    w.kernel.op = RC_OP_SPMV;
    expect(&w, NULL, 3, 6, 0);
    assert_int_equal(rc_worklist_blocks(&w.c), 2);
    rc_worklist_block(&w.c, &profile, 0, 10, &block);
    assert_true(!block.empty && block.k == 0);
    assert_true(rc_worklist_case(&w.c, &profile, &block, 0, matrix_digest(0), &spmv));
    assert_true(spmv.k == 0 && spmv.op == RC_OP_SPMV && spmm.k == 1);
    rc_digest_t ids[] = {rc_case_id(&spmm), rc_case_id(&spmv)};
    assert_int_not_equal(rc_digest_compare(&ids[0], &ids[1]), 0);
    rc_worklist_block(&w.c, &profile, 1, 10, &block);
    assert_true(block.empty);
    do_all(&w, NULL);
    expect(&w, NULL, 0, 0, 6);
}

static void a_gpu_is_given_what_it_holds_and_a_cpu_both(void **state)
{
    world_t w;
    rc_worklist_t cpu;
    rc_worklist_t gpu;
    make_world(state, "bytes", &w);
    w.k[0] = 100000;
    cpu = plan(&w, NULL);
    w.device.executor.kind = RC_DEVICE_CUDA;
    gpu = plan(&w, NULL);
    for (int i = 0; i < 3; i++) {
        const rc_entry_t *e = &w.entry[cpu.item[i].entry];
        int64_t dense = (e->rows + e->cols) * w.k[0] * 4;
        assert_int_equal(cpu.item[i].device_bytes, 0);
        assert_true(cpu.item[i].bytes > dense);
        assert_int_equal(gpu.item[i].entry, cpu.item[i].entry);
        assert_in_range(gpu.item[i].device_bytes, dense, dense + 100 * e->rows);
        assert_in_range(gpu.item[i].bytes, 1, 1000 * e->rows);
        assert_true(gpu.item[i].cost_s < cpu.item[i].cost_s);
    }
    rc_worklist_free(&cpu);
    rc_worklist_free(&gpu);
}

static void redo_makes_what_matches_pending(void **state)
{
    world_t w;
    make_world(state, "redo", &w);
    do_all(&w, NULL);
    expect(&w, "policy == lpt", 3, 3, 3);
    expect(&w, "fullname == 'G/m1'", 1, 2, 4);
    expect(&w, "status == failed", 0, 0, 6);
}

static void missing_cases_are_found(void **state)
{
    world_t w;
    make_world(state, "missing", &w);
    do_all(&w, "lpt");
    expect(&w, NULL, 3, 3, 3);
}

static void what_cannot_be_loaded_is_tried_again_only_when_it_changed(void **state)
{
    world_t w;
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_rec_run_t run = make_run(1, 0);
    make_world(state, "bad", &w);
    snprintf(dir, sizeof dir, "%s.journal", w.store);
    mkdir(dir, 0777);
    assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
    add_source(j, 0, RC_CASE_FAILED, "line 3: expected a number");
    add_source(j, 1, RC_CASE_SKIPPED, "memory: loading takes about 1000 bytes, the limit is 10");
    add_source(j, 2, RC_CASE_CRASHED, "in flight in 2 runs that died");
    commit(&w, j);
    expect(&w, NULL, 0, 0, 0);
    expect(&w, "status == failed", 1, 2, 0);
    expect(&w, "status == skipped || status == crashed", 2, 4, 0);
    w.entry[0].mtime_ns++;
    expect(&w, NULL, 1, 2, 0);
    w.entry[1].bytes++;
    expect(&w, NULL, 2, 4, 0);
}

/* What lacked memory is pending again when it would fit now, or when the system had none to give. */
static void what_lacked_memory_is_tried_again_when_it_fits(void **state)
{
    static const struct {
        const char *text;
        int64_t limit;
        int pending;
    } t[] = {{"memory: loading takes about 1000 bytes, the limit is 10", 999, 0},
        {"memory: loading takes about 1000 bytes, the limit is 10", 1000, 1},
        {"memory: no memory for rows", 1, 1},
        {"memory: the operands take 5.1 GB, the limit is 4.0 GB", INT64_MAX - 1, 0},
        {"shape: no columns", INT64_MAX - 1, 0}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        world_t w;
        rc_map_t known = {0};
        rc_view_t *v = NULL;
        rc_profile_t profile;
        char name[32];
        snprintf(name, sizeof name, "lacked%zu", i);
        make_world(state, name, &w);
        w.c.policies = 1;
        do_with(&w, RC_CASE_SKIPPED, t[i].text);
        rc_profile_make(&w.c, &w.device, &profile);
        profile.device_limit = t[i].limit;
        assert_int_equal(rc_view_read(w.store, &v, NULL), RC_OK);
        assert_int_equal(rc_worklist_gather(v, NULL, &profile, 1, NULL, 0, &known, NULL), RC_OK);
        rc_worklist_t p;
        assert_int_equal(rc_worklist_make(&w.c, &profile, 1, v, NULL, &known, &p, NULL), RC_OK);
        assert_int_equal(p.plan.cases, t[i].pending ? 3 : 0);
        assert_int_equal(p.plan.done, t[i].pending ? 0 : 3);
        assert_int_equal(p.plan.failed, t[i].pending || i == 4 ? 0 : 3);
        assert_int_equal(p.plan.failed_csr, p.plan.failed);
        rc_worklist_free(&p);
        rc_map_free(&known);
        rc_view_free(v);
    }
}

static void absent_matrices_are_recorded_once_and_planned_when_they_come(void **state)
{
    world_t w;
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_str_t b = {0};
    rc_rec_run_t run = make_run(1, 0);
    make_world(state, "absent", &w);
    w.catalog.count = 1;
    w.entry[0].where = RC_WHERE_ABSENT;
    w.entry[0].location = w.text[1][1];
    w.entry[0].location[0] = '\0';
    w.entry[0].bytes = w.entry[0].mtime_ns = 0;
    rc_worklist_t p = plan(&w, NULL);
    assert_int_equal(p.items, 0);
    assert_int_equal(p.absents, 1);
    rc_worklist_free(&p);

    snprintf(dir, sizeof dir, "%s.journal", w.store);
    mkdir(dir, 0777);
    assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
    rc_rec_source_t r;
    memset(&r, 0, sizeof r);
    snprintf(r.name, sizeof r.name, "G/m0");
    r.where = RC_WHERE_ABSENT;
    r.status = RC_CASE_SKIPPED;
    rc_rec_put(&b, RC_REC_SOURCE, &r);
    assert_int_equal(rc_journal_append(j, RC_REC_SOURCE, &b, NULL), RC_OK);
    rc_str_free(&b);
    commit(&w, j);
    p = plan(&w, NULL);
    assert_int_equal(p.items, 0);
    assert_int_equal(p.absents, 0);
    rc_worklist_free(&p);

    make_entry(&w, 0); /* the file is there now */
    expect(&w, NULL, 1, 2, 0);
}

static void what_journals_hold_is_done_and_what_was_in_flight_is_suspect(void **state)
{
    world_t w;
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_view_t *v;
    rc_map_t known = {0};
    rc_profile_t profile;
    rc_block_t block;
    rc_case_t lpt;
    make_world(state, "suspect", &w);
    rc_profile_make(&w.c, &w.device, &profile);
    rc_worklist_block(&w.c, &profile, 0, 10, &block);
    rc_worklist_case(&w.c, &profile, &block, 1, matrix_digest(0), &lpt);
    rc_rec_run_t run = make_run(1, 0);
    snprintf(dir, sizeof dir, "%s.journal", w.store);
    mkdir(dir, 0777);
    assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
    add_source(j, 0, RC_CASE_OK, "");
    add_begin(j, &lpt, RC_PHASE_TIME);
    commit(&w, j);
    assert_int_equal(rc_view_read(w.store, &v, NULL), RC_OK);
    assert_int_equal(rc_worklist_gather(v, NULL, NULL, 0, NULL, 0, &known, NULL), RC_OK);
    assert_int_equal(rc_map_get(&known, rc_case_id(&lpt), -1), RC_WORKLIST_SUSPECT);
    rc_map_free(&known);
    expect(&w, NULL, 3, 6, 0);

    rc_digest_t fresh = rc_case_id(&lpt);
    rc_worklist_t p;
    assert_int_equal(rc_worklist_gather(v, NULL, NULL, 0, &fresh, 1, &known, NULL), RC_OK);
    assert_int_equal(rc_map_get(&known, fresh, -1), RC_WORKLIST_DONE);
    assert_int_equal(rc_worklist_make(&w.c, &profile, 1, v, NULL, &known, &p, NULL), RC_OK);
    assert_int_equal(p.plan.done, 1);
    assert_int_equal(p.plan.cases, 5);
    rc_worklist_free(&p);
    rc_map_free(&known);
    rc_view_free(v);
}

/* Which items of a plan are to be in hand alone, as bits. */
static int suspects(world_t *w)
{
    rc_worklist_t p = plan(w, NULL);
    int bits = 0;
    for (int64_t i = 0; i < p.items; i++)
        bits |= p.item[i].suspect << p.item[i].entry;
    rc_worklist_free(&p);
    return bits;
}

static void a_row_in_flight_makes_its_item_suspect_until_it_is_done_with(void **state)
{
    world_t w;
    char dir[2 * SCRATCH_PATH];
    rc_profile_t profile;
    rc_block_t block;
    rc_case_t lpt;
    make_world(state, "alone", &w);
    rc_profile_make(&w.c, &w.device, &profile);
    rc_worklist_block(&w.c, &profile, 0, 10, &block);
    rc_worklist_case(&w.c, &profile, &block, 1, matrix_digest(0), &lpt);
    snprintf(dir, sizeof dir, "%s.journal", w.store);
    assert_int_equal(suspects(&w), 0);
    /* run 1 dies with a case of m0, featurising m1, loading m2; run 2 loads m1, and m2 for good */
    for (int i = 1; i <= 3; i++) {
        rc_journal_t *j;
        rc_rec_run_t run = make_run(i, 0);
        mkdir(dir, 0777);
        assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
        if (i == 1) {
            add_source(j, 0, RC_CASE_OK, "");
            add_source(j, 1, RC_CASE_OK, "");
            add_begin_of(j, 0, &lpt, RC_PHASE_TIME);
            add_begin_source_of(j, 1, 1, RC_PHASE_FEATURE);
            add_begin_source_of(j, 2, 2, RC_PHASE_LOAD);
        } else if (i == 2)
            add_source(j, 2, RC_CASE_OK, "");
        else {
            add_source(j, 1, RC_CASE_OK, "");
            add_result(j, &lpt, RC_CASE_OK, 10);
        }
        commit(&w, j);
        assert_int_equal(suspects(&w), i == 1 ? 7 : i == 2 ? 3 : 0);
    }
}

/* No catalogue says how large the matrix of a spec is; a store that has it does. */
static void what_a_spec_makes_is_as_large_as_the_store_says(void **state)
{
    world_t w;
    make_world(state, "spec", &w);
    w.catalog.count = 1;
    w.entry[0].where = RC_WHERE_GENERATED;
    w.entry[0].rows = w.entry[0].cols = w.entry[0].nnz = w.entry[0].pattern_nnz = -1;
    rc_worklist_t p = plan(&w, NULL);
    assert_int_equal(p.items, 1);
    assert_int_equal(p.item[0].host_bytes, -1);
    assert_true(p.item[0].size.entries == (double)w.entry[0].bytes / 4); /* by which its effort is counted */
    rc_worklist_free(&p);
    make_entry(&w, 0); /* the store says what it was */
    do_all(&w, NULL);
    w.entry[0].where = RC_WHERE_GENERATED;
    w.c.policies = 3;
    p = plan(&w, NULL);
    int64_t bytes = p.items == 1 ? p.item[0].host_bytes : 0;
    double cost = p.items == 1 ? p.item[0].cost_s : 0;
    rc_worklist_free(&p);
    assert_true(bytes > 0);
    w.entry[0].rows = w.entry[0].cols = w.entry[0].nnz = w.entry[0].pattern_nnz = -1;
    p = plan(&w, NULL);
    assert_int_equal(p.items, 1);
    assert_int_equal(p.item[0].host_bytes, bytes);
    assert_true(p.item[0].cost_s == cost && p.item[0].size.entries > 0);
    rc_worklist_free(&p);
}

/* Of one class of device, whatever their parameters. */
static void libraries_that_are_not_selected_are_named(void **state)
{
    world_t w;
    rc_view_t *v = NULL;
    make_world(state, "vendor", &w);
    w.kernel.name = "mkl";
    w.c.kernels = 2;
    do_all(&w, NULL);
    assert_int_equal(rc_view_read(w.store, &v, NULL), RC_OK);
    assert_int_equal(rc_selection_unselected(&w.c, "cpu:one", v, NULL), 0);
    w.c.kernels = 1;
    assert_int_equal(rc_selection_unselected(&w.c, "cpu:one", v, NULL), 1);
    w.kernel.name = "fake";
    assert_int_equal(rc_selection_unselected(&w.c, "cpu:one", v, NULL), 2);
    assert_int_equal(rc_selection_unselected(&w.c, "cpu:other", v, NULL), 0);
    rc_view_free(v);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_the_new_cases_are_pending),
        cmocka_unit_test(a_matrix_is_divided_over_ranks),
        cmocka_unit_test(parts_take_about_as_long),
        cmocka_unit_test(two_device_classes_are_planned_apart),
        cmocka_unit_test(other_threads_are_found),
        cmocka_unit_test(a_k_that_n_repeats_counts_once),
        cmocka_unit_test(blocks_run_over_kernels_precisions_and_ks),
        cmocka_unit_test(the_order_of_c_is_part_of_a_case_except_for_csr),
        cmocka_unit_test(k_is_absent_where_the_operation_has_none),
        cmocka_unit_test(a_gpu_is_given_what_it_holds_and_a_cpu_both),
        cmocka_unit_test(a_row_in_flight_makes_its_item_suspect_until_it_is_done_with),
        cmocka_unit_test(redo_makes_what_matches_pending),
        cmocka_unit_test(missing_cases_are_found),
        cmocka_unit_test(what_cannot_be_loaded_is_tried_again_only_when_it_changed),
        cmocka_unit_test(what_lacked_memory_is_tried_again_when_it_fits),
        cmocka_unit_test(libraries_that_are_not_selected_are_named),
        cmocka_unit_test(absent_matrices_are_recorded_once_and_planned_when_they_come),
        cmocka_unit_test(what_a_spec_makes_is_as_large_as_the_store_says),
        cmocka_unit_test(what_journals_hold_is_done_and_what_was_in_flight_is_suspect),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("plan", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
