#include "config.h"
#include "unit.h"

#include "worklist_fixture.h"

#include "feature/feature.h"
#include "store/commit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rc_geometry_t four(const rc_executor_t *x, const int64_t *param, rc_precision_t precision)
{
    (void)param;
    (void)x;
    return (rc_geometry_t){4, precision == RC_FP64 ? 2 : 4, 16};
}

void make_entry(world_t *w, int i)
{
    rc_entry_t *e = &w->entry[i];
    snprintf(w->text[i][0], sizeof w->text[i][0], "G/m%d", i);
    snprintf(w->text[i][1], sizeof w->text[i][1], "/somewhere/G/m%d.mtx", i);
    *e = (rc_entry_t){.name = w->text[i][0],
        .group = w->text[i][0],
        .kind = w->text[i][0],
        .location = w->text[i][1],
        .where = RC_WHERE_FILE,
        .rows = 10 * i + 10,
        .cols = 10 * i + 10,
        .nnz = 10 * i + 10,
        .pattern_nnz = 10 * i + 10,
        .bytes = 100,
        .mtime_ns = 7};
}

void make_world(void **state, const char *name, world_t *w)
{
    static const char *const names[] = {"csr", "lpt", "warp"};
    char file[64];
    memset(w, 0, sizeof *w);
    for (int i = 0; i < 3; i++) {
        w->policy[i] = (rc_policy_t){.name = names[i], .version = 1};
        w->policies[i].policy = &w->policy[i];
    }
    w->kernel = (rc_kernel_t){
        .name = "fake", .version = 1, .c_orders = RC_STORES_ORIGINAL, .geometry = four};
    w->spec[0].kernel = w->spec[1].kernel = &w->kernel;
    snprintf(w->spec[0].params, sizeof w->spec[0].params, "strip=1");
    snprintf(w->spec[1].params, sizeof w->spec[1].params, "strip=2");
    w->k[0] = 8;
    w->precision[0] = RC_FP32;
    w->precision[1] = RC_FP64;
    for (int i = 0; i < MATRICES; i++)
        make_entry(w, i);
    w->catalog = (rc_catalog_t){.entry = w->entry, .count = 3};
    snprintf(w->device.class_name, sizeof w->device.class_name, "cpu:one");
    snprintf(file, sizeof file, "%s.h5", name);
    scratch_path(state, file, w->store);
    w->c = (rc_sweep_config_t){.store = w->store,
        .catalog = &w->catalog,
        .policy = w->policies,
        .policies = 2,
        .kernel = w->spec,
        .kernels = 1,
        .k = w->k,
        .ks = 1,
        .precision = w->precision,
        .precisions = 1};
}

rc_worklist_t plan(world_t *w, const char *redo)
{
    rc_view_t *v = NULL;
    rc_map_t known = {0};
    rc_worklist_t p;
    rc_profile_t profile;
    rc_expr_t *cases = NULL;
    rc_expr_t *sources = NULL;
    if (redo) {
        (void)rc_expr_compile(redo, rc_view_fields.field, rc_view_fields.count, &cases, NULL);
        (void)rc_expr_compile(redo, rc_source_fields.field, rc_source_fields.count, &sources, NULL);
    }
    rc_profile_make(&w->c, &w->device, &profile);
    if (access(w->store, F_OK) == 0)
        assert_int_equal(rc_view_read(w->store, &v, NULL), RC_OK);
    assert_int_equal(rc_worklist_gather(v, cases, &profile, 1, NULL, 0, &known, NULL), RC_OK);
    assert_int_equal(rc_worklist_make(&w->c, &profile, 1, v, sources, &known, &p, NULL), RC_OK);
    int64_t sum = 0;
    for (int64_t i = 0; i < p.items; i++) {
        sum += p.item[i].cases;
        assert_true(i == 0 || p.item[i - 1].cost_s >= p.item[i].cost_s);
    }
    assert_int_equal(sum, p.plan.cases);
    rc_map_free(&known);
    rc_expr_free(cases);
    rc_expr_free(sources);
    rc_view_free(v);
    return p;
}

void expect(world_t *w, const char *redo, int64_t items, int64_t cases, int64_t done)
{
    rc_worklist_t p = plan(w, redo);
    assert_int_equal(p.items, items);
    assert_int_equal(p.plan.cases, cases);
    assert_int_equal(p.plan.done, done);
    rc_worklist_free(&p);
}

void add_features(rc_journal_t *j, rc_digest_t matrix, rc_geometry_t g)
{
    for (int i = 0; rc_feature_sets[i]; i++) {
        const rc_feature_set_t *f = rc_feature_sets[i];
        double *value = calloc((size_t)f->count, sizeof *value);
        rc_str_t b = {0};
        rc_rec_feature_t r = {.matrix = matrix,
            .version = f->version,
            .nw = g.nw,
            .nt = g.nt,
            .line = g.line,
            .count = f->count,
            .value = value,
            .names = "names"};
        snprintf(r.set, sizeof r.set, "%s", f->name);
        rc_rec_put(&b, RC_REC_FEATURE, &r);
        assert_int_equal(rc_journal_append(j, RC_REC_FEATURE, &b, NULL), RC_OK);
        rc_str_free(&b);
        free(value);
    }
}

void commit(world_t *w, rc_journal_t *j)
{
    rc_commit_info_t info;
    rc_journal_close(j);
    assert_int_equal(
        rc_commit(w->store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, NULL), RC_OK);
}

/* Every case of the world ends so; those of the policy `but` are left out. */
static void do_each(world_t *w, const char *but, rc_case_status_t status, const char *text)
{
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_profile_t profile;
    rc_rec_run_t run = make_run(++w->runs, 0);
    rc_profile_make(&w->c, &w->device, &profile);
    snprintf(dir, sizeof dir, "%s.journal", w->store);
    mkdir(dir, 0777);
    assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
    for (int m = 0; m < w->catalog.count; m++) {
        if (w->entry[m].where == RC_WHERE_ABSENT)
            continue;
        add_source(j, m, RC_CASE_OK, "");
        for (int i = 0; i < rc_worklist_blocks(&w->c); i++) {
            rc_block_t block;
            rc_worklist_block(&w->c, &profile, i, w->entry[m].cols, &block);
            if (block.empty)
                continue;
            add_features(j, matrix_digest(m), block.geometry);
            for (int p = 0; p < w->c.policies; p++) {
                rc_case_t one;
                if (!rc_worklist_case(&w->c, &profile, &block, p, matrix_digest(m), &one))
                    continue;
                if (!but || strcmp(one.policy, but) != 0)
                    add_ended(j, &one, status, 100, text);
            }
        }
    }
    commit(w, j);
}

void do_all(world_t *w, const char *but)
{
    do_each(w, but, RC_CASE_OK, "");
}

void do_with(world_t *w, rc_case_status_t status, const char *text)
{
    do_each(w, NULL, status, text);
}
