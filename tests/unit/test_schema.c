/* How the schema grows: stores of an older one, with fewer fields and fewer names in enumerations,
 * are read, extended, merged and archived as if they had been written with this one. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_edit.h"
#include "store_fixture.h"
#include "store_found.h"
#include "store_older.h"
#include "store_place.h"
#include "store_random.h"

#include "store/dict.h"
#include "store/h5.h"
#include "store/merge.h"
#include "store/seal.h"
#include "table/archive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ contents */

/* The tables of a store. */
typedef struct raw {
    void *row[RC_T_COUNT];
    int64_t count[RC_T_COUNT];
} raw_t;

static raw_t read_raw(const char *store)
{
    raw_t r;
    rc_h5_t h;
    assert_int_equal(rc_h5_open(store, 0, &h, NULL), RC_OK);
    for (int i = 0; i < RC_T_COUNT; i++)
        assert_int_equal(rc_h5_read(&h, &rc_schema[i], &r.row[i], &r.count[i], NULL), RC_OK);
    rc_h5_close(&h, NULL);
    return r;
}

static void free_raw(raw_t *r)
{
    for (int i = 0; i < RC_T_COUNT; i++)
        free(r->row[i]);
}

/* The first rows of b are those of a, bit by bit, but for fields that an older schema lacks. */
static void begins_with(const raw_t *a, const raw_t *b)
{
    for (int i = 0; i < RC_T_COUNT; i++) {
        const rc_schema_table_t *t = &rc_schema[i];
        assert_true(a->count[i] <= b->count[i]);
        for (int64_t k = 0; k < a->count[i]; k++)
            for (int f = 0; f < t->fields; f++) {
                size_t at = (size_t)k * t->row_bytes + t->field[f].offset;
                if (t->field[f].since == 0)
                    assert_memory_equal((const char *)a->row[i] + at, (const char *)b->row[i] + at,
                        t->field[f].size);
            }
    }
}

/* The first rows have in added fields what an older schema has there. */
static void lacks_what_is_new(const raw_t *r, const int64_t *count)
{
    for (int64_t i = 0; i < count[RC_T_POLICY]; i++)
        assert_string_equal(((const rc_row_policy_t *)r->row[RC_T_POLICY])[i].params, "");
    for (int64_t i = 0; i < count[RC_T_RESULT]; i++) {
        const rc_row_result_t *row = &((const rc_row_result_t *)r->row[RC_T_RESULT])[i];
        assert_int_equal(row->device_bytes, -1);
        assert_true(isnan(row->fill));
        assert_true(row->permute_ns == -1 && row->pointer_bytes == -1);
        assert_true(isnan(row->load) && row->cpus == -1 && isnan(row->hop_ns));
    }
}

static int can_append(const char *store)
{
    rc_h5_t h;
    int yes = 0;
    assert_int_equal(rc_h5_open(store, 0, &h, NULL), RC_OK);
    assert_int_equal(rc_h5_can_append(&h, &yes, NULL), RC_OK);
    rc_h5_close(&h, NULL);
    return yes;
}

/* A random store of this schema in p, and the same of an older one in q. */
static void make_both(const place_t *p, const place_t *q, uint64_t seed)
{
    random_store(p, seed, 1, 6);
    assert_true(can_append(p->store));
    store_copy(p->store, q->store);
    store_make_older(q->store);
    assert_int_equal(rc_seal_write(q->store, NULL), RC_OK);
    assert_false(can_append(q->store));
}

/* --------------------------------------------------------------------------- tests */

static void older_stores_are_read(void **state)
{
    place_t p = make_place(state, "read.p");
    place_t q = make_place(state, "read.q");
    make_both(&p, &q, 100);
    raw_t now = read_raw(p.store);
    raw_t old = read_raw(q.store);
    assert_memory_equal(now.count, old.count, sizeof now.count);
    begins_with(&now, &old);
    lacks_what_is_new(&old, old.count);
    (void)is_sound(q.store);

    /* and a part of a table */
    rc_h5_t h;
    rc_row_result_t row[2];
    memset(row, 0x55, sizeof row);
    assert_int_equal(rc_h5_open(q.store, 0, &h, NULL), RC_OK);
    assert_int_equal(rc_h5_read_rows(&h, &rc_schema[RC_T_RESULT], 3, 2, row, NULL), RC_OK);
    assert_memory_equal(row, (rc_row_result_t *)old.row[RC_T_RESULT] + 3, sizeof row);
    rc_h5_close(&h, NULL);
    free_raw(&now);
    free_raw(&old);
}

/* A case that uses what is new in the schema. */
static rc_case_t new_case(void)
{
    rc_case_t c = make_case(2, "lpt", 0);
    snprintf(c.policy_params, sizeof c.policy_params, "bits=8:seed=1");
    c.op = 1; /* spmv, which has no K */
    c.c_order = 2;
    return c;
}

static void add_new_run(const place_t *p)
{
    rc_rng_t r;
    rc_case_t c = new_case();
    rc_rng_seed(&r, 9);
    rc_journal_t *j = open_journal(p, 50, 0);
    add_source(j, 2, RC_CASE_OK, "");
    add_measured(j, &r, &c, RC_CASE_OK, INT64_C(77000000000));
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
}

static void a_commit_converts(void **state)
{
    place_t p = make_place(state, "commit.p");
    place_t q = make_place(state, "commit.q");
    make_both(&p, &q, 200);
    raw_t before = read_raw(q.store);
    size_t bytes = 0;
    size_t again = 0;
    unsigned char *file = slurp(q.store, &bytes);
    assert_int_equal(fold(&q).changed, 0);
    unsigned char *same = slurp(q.store, &again);
    assert_int_equal(bytes, again); /* nothing to add: it stays as it is */
    assert_memory_equal(file, same, bytes);
    free(file);
    free(same);

    add_new_run(&q);
    assert_int_equal(fold(&q).results, 1);
    assert_true(can_append(q.store));
    (void)is_sound(q.store);
    raw_t after = read_raw(q.store);
    begins_with(&before, &after);
    lacks_what_is_new(&after, before.count);
    assert_int_equal(after.count[RC_T_RESULT], before.count[RC_T_RESULT] + 1);
    assert_int_equal(after.count[RC_T_POLICY], before.count[RC_T_POLICY] + 1);
    const rc_row_result_t *row =
        (const rc_row_result_t *)after.row[RC_T_RESULT] + before.count[RC_T_RESULT];
    const rc_row_policy_t *policy = (const rc_row_policy_t *)after.row[RC_T_POLICY] + row->policy;
    rc_case_t c = new_case();
    assert_memory_equal(row->case_id, rc_digest_hex(rc_case_id(&c)).text, sizeof row->case_id);
    assert_string_equal(policy->params, "bits=8:seed=1");
    assert_int_equal(row->op, 1);
    assert_int_equal(row->k, 0);
    assert_int_equal(row->c_order, 2);
    free_raw(&before);
    free_raw(&after);
}

static void merge(const char *out, const char *a, const char *b)
{
    const char *const in[] = {a, b};
    const rc_merge_options_t o = {0};
    rc_err_t err = {0};
    rc_status_t st = rc_merge(out, in, 2, &o, NULL, &err);
    if (st < 0)
        print_message("%s\n", err.text);
    assert_int_equal(st, RC_OK);
}

static void older_and_newer_stores_merge(void **state)
{
    place_t p = make_place(state, "merge.p");
    place_t q = make_place(state, "merge.q");
    place_t x = make_place(state, "merge.x");
    place_t y = make_place(state, "merge.y");
    make_both(&p, &q, 300);
    store_copy(q.store, p.store); /* which grows, and so has this schema */
    add_new_run(&p);
    (void)fold(&p);
    merge(x.store, p.store, q.store);
    merge(y.store, q.store, p.store);
    (void)is_sound(x.store);
    lines_t a = lines_of(p.store);
    lines_t b = lines_of(x.store);
    lines_equal(&a, &b); /* what the older one has, the newer one has too */
    lines_free(&a);
    lines_free(&b);
    size_t n = 0;
    size_t m = 0;
    unsigned char *f = slurp(x.store, &n);
    unsigned char *g = slurp(y.store, &m);
    assert_int_equal(n, m);
    assert_memory_equal(f, g, n);
    free(f);
    free(g);
}

static void an_archive_converts(void **state)
{
    place_t p = make_place(state, "arch.p");
    place_t q = make_place(state, "arch.q");
    place_t x = make_place(state, "arch.x");
    make_both(&p, &q, 400);
    const rc_archive_options_t o = {.samples = 1};
    assert_int_equal(rc_archive(q.store, x.store, &o, NULL, NULL), RC_OK);
    (void)is_sound(x.store);
    lines_t a = lines_of(q.store);
    lines_t b = lines_of(x.store);
    lines_equal(&a, &b);
    lines_free(&a);
    lines_free(&b);
    store_set_root(x.store, "schema_major", 1); /* it has more than that version */
    found_t f;
    assert_true(verify(x.store, 0, &f).problems > 0);
}

static void a_table_has_the_fields_of_the_first_version(void **state)
{
    place_t p = make_place(state, "lack.p");
    rc_h5_t h;
    void *rows;
    int64_t n;
    rc_err_t err = {0};
    random_store(&p, 500, 1, 3);
    store_drop_field(p.store, RC_T_RESULT, "median_ns");
    assert_int_equal(rc_h5_open(p.store, 0, &h, NULL), RC_OK);
    assert_int_equal(rc_h5_read(&h, &rc_schema[RC_T_RESULT], &rows, &n, &err), RC_ESTORE);
    assert_non_null(strstr(err.text, "expected a field median_ns"));
    rc_h5_close(&h, NULL);
}

/* A policy is known by its parameters too. */
static void parameters_tell_policies_apart(void **state)
{
    place_t p = make_place(state, "params.p");
    place_t q = make_place(state, "params.q");
    place_t x = make_place(state, "params.x");
    static const char *const params[] = {"", "seed=1", "seed=2"};
    rc_rng_t r;
    rc_rng_seed(&r, 4);
    for (int i = 0; i < 3; i++) {
        const place_t *at = i < 2 ? &p : &q;
        rc_case_t c = make_case(1, "lpt", 8);
        snprintf(c.policy_params, sizeof c.policy_params, "%s", params[i]);
        rc_journal_t *j = open_journal(at, 1 + i, 0);
        add_source(j, 1, RC_CASE_OK, "");
        add_measured(j, &r, &c, RC_CASE_OK, 1 + i);
        add_end(j, RC_RUN_COMPLETE);
        rc_journal_close(j);
        (void)fold(at);
    }
    merge(x.store, p.store, q.store);
    (void)is_sound(x.store);
    raw_t all = read_raw(x.store);
    const rc_row_policy_t *policy = all.row[RC_T_POLICY];
    assert_int_equal(all.count[RC_T_POLICY], 3);
    for (int i = 0; i < 3; i++) {
        assert_string_equal(policy[i].name, "lpt");
        assert_string_equal(policy[i].params, params[i]);
    }
    free_raw(&all);
}

/* Rows are written as they lie in memory: a hole would be a file type that differs from that. */
static void rows_have_no_padding(void **state)
{
    (void)state;
    for (int i = 0; i <= RC_T_COUNT; i++) {
        const rc_schema_table_t *t = i < RC_T_COUNT ? &rc_schema[i] : &rc_schema_feature_rows;
        size_t bytes = 0;
        assert_int_equal(rc_schema_fields(t, RC_SCHEMA_NOW, &bytes), t->fields);
        assert_int_equal(bytes, t->row_bytes);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_no_padding),
        cmocka_unit_test(older_stores_are_read),
        cmocka_unit_test(a_commit_converts),
        cmocka_unit_test(older_and_newer_stores_merge),
        cmocka_unit_test(an_archive_converts),
        cmocka_unit_test(a_table_has_the_fields_of_the_first_version),
        cmocka_unit_test(parameters_tell_policies_apart),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("schema", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
