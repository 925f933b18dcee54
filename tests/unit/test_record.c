/* Records of a journal, and the identities of cases: what is encoded is decoded. */
#include "config.h"
#include "unit.h"
#include "store_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 300 };

/* Encoding what was decoded gives the same bytes, which tests every field of a record: a field that
 * was left out on either side would come back as something else.  Each prefix is refused, but those
 * that earlier versions wrote, which lack the last of these numbers of bytes. */
#define ROUND_TRIP(type, record) ROUND_TRIP_NEWER(type, record, 0)
#define ROUND_TRIP_NEWER(type, record, ...)                                                        \
    do {                                                                                           \
        rc_str_t first = {0};                                                                    \
        rc_str_t again = {0};                                                                    \
        rc_rec_t back;                                                                             \
        const size_t lacks[] = {__VA_ARGS__};                                                      \
        const size_t lacks_n_ = sizeof lacks / sizeof *lacks;                                      \
        memset(&back, 0xff, sizeof back);                                                          \
        rc_rec_put(&first, type, &(record));                                                       \
        assert_false(first.failed);                                                                \
        assert_int_equal(get(type, &first, first.len, &back), RC_OK);                              \
        rc_rec_put(&again, type, &back);                                                           \
        assert_int_equal(first.len, again.len);                                                    \
        assert_memory_equal(first.text, again.text, first.len);                                    \
        for (size_t cut = 0; cut < first.len; cut += 1 + first.len / 40)                           \
            if (!is_one_of(first.len - cut, lacks, lacks_n_))                                      \
                assert_int_equal(get(type, &first, cut, &back), RC_ESTORE);                        \
        for (size_t l_ = 0; l_ < lacks_n_; l_++)                                                   \
            assert_int_equal(get(type, &first, first.len - lacks[l_], &back), RC_OK);              \
        rc_str_free(&first);                                                                     \
        rc_str_free(&again);                                                                     \
    } while (0)

/* The first n bytes of a record, decoded. */
static rc_status_t get(rc_rec_type_t type, const rc_str_t *b, size_t n, rc_rec_t *out)
{
    const rc_record_t r = {.type = type, .payload = (const unsigned char *)b->text, .len = n};
    return rc_rec_get(&r, out);
}

static int is_one_of(size_t n, const size_t *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (of[i] == n)
            return 1;
    return 0;
}

/* Bytes that a text takes in a record. */
static size_t text_bytes(const char *text)
{
    return sizeof(uint16_t) + strlen(text) + 1;
}

static int64_t any(rc_rng_t *r)
{
    return (int64_t)rc_rng_next(r);
}

static int32_t any32(rc_rng_t *r)
{
    return (int32_t)(uint32_t)rc_rng_next(r);
}

/* ROUND_TRIP of random records, by what they are about. */
static void runs_come_back(rc_rng_t *r)
{
    static char text[65536];
    rc_rec_run_t run = {.started_ns = any(r), .ranks = any32(r), .rank = any32(r)};
    random_text(r, run.uuid, sizeof run.uuid - 1);
    random_text(r, run.version, sizeof run.version - 1);
    random_text(r, run.git, sizeof run.git - 1);
    ROUND_TRIP(RC_REC_RUN, run);

    rc_rec_kv_t kv = {.rank = any32(r), .value = text};
    random_text(r, kv.key, sizeof kv.key - 1);
    random_text(r, text, sizeof text - 1);
    ROUND_TRIP(RC_REC_KV, kv);

    rc_rec_plan_t p = {any(r), any(r), any(r), rc_rng_unit(r)};
    ROUND_TRIP(RC_REC_PLAN, p);
    rc_rec_end_t e = {any(r), any32(r)};
    ROUND_TRIP(RC_REC_END, e);
}

static void matrices_come_back(rc_rng_t *r)
{
    rc_rec_source_t s = {.ssid = any(r),
        .bytes = any(r),
        .mtime_ns = any(r),
        .load_ns = any(r),
        .utc_ns = any(r),
        .rows = any(r),
        .cols = any(r),
        .nnz = any(r),
        .digest = {rc_rng_next(r), rc_rng_next(r)},
        .loaded = any32(r),
        .values_seeded = any32(r),
        .where = any32(r),
        .status = any32(r),
        .phase = any32(r)};
    random_text(r, s.name, sizeof s.name - 1);
    random_text(r, s.kind, sizeof s.kind - 1);
    random_text(r, s.location, sizeof s.location - 1);
    random_text(r, s.text, sizeof s.text - 1);
    ROUND_TRIP(RC_REC_SOURCE, s);
}

static void features_and_orders_come_back(rc_rng_t *r)
{
    static char names[65536];
    static double value[30];
    random_text(r, names, sizeof names - 1);
    rc_rec_feature_t f = {.matrix = {rc_rng_next(r), rc_rng_next(r)},
        .version = any32(r),
        .nw = any32(r),
        .nt = any32(r),
        .line = any32(r),
        .feature_ns = any(r),
        .count = (int32_t)rc_rng_below(r, 31),
        .value = value,
        .names = names};
    for (int k = 0; k < 30; k++)
        value[k] = rc_rng_unit(r);
    random_text(r, f.set, sizeof f.set - 1);
    ROUND_TRIP(RC_REC_FEATURE, f);

    rc_rec_order_t o = {.matrix = {rc_rng_next(r), rc_rng_next(r)},
        .version = any32(r),
        .nw = any32(r),
        .nt = any32(r),
        .line = any32(r),
        .order_ns = any(r),
        .slots = any(r),
        .pads = any(r),
        .utc_ns = any(r)};
    random_text(r, o.policy, sizeof o.policy - 1);
    random_text(r, o.params, sizeof o.params - 1);
    ROUND_TRIP_NEWER(RC_REC_ORDER, o, text_bytes(o.params));
}

static void begun_cases_come_back(rc_rng_t *r)
{
    rc_rec_begin_t b = {.id = {rc_rng_next(r), rc_rng_next(r)},
        .utc_ns = any(r),
        .phase = any32(r),
        .is_source = (int32_t)rc_rng_below(r, 2),
        .bytes = any(r),
        .mtime_ns = any(r),
        .where = any32(r),
        .job = any(r)};
    random_case(r, &b.c);
    random_text(r, b.name, sizeof b.name - 1);
    random_text(r, b.location, sizeof b.location - 1);
    size_t params = text_bytes(b.is_source ? "" : b.c.policy_params);
    ROUND_TRIP_NEWER(RC_REC_BEGIN, b, sizeof b.job + params, params);

    rc_rec_settled_t settled = {.job = any(r), .utc_ns = any(r), .over = any32(r)};
    /* one without a payload is of every matrix */
    size_t all = 2 * sizeof(int64_t) + sizeof(int32_t);
    ROUND_TRIP_NEWER(RC_REC_SETTLED, settled, all);
}

static void results_come_back(rc_rng_t *r)
{
    static int64_t sample[20];
    rc_rec_result_t res;
    memset(&res, 0, sizeof res);
    random_case(r, &res.c);
    random_text(r, res.text, sizeof res.text - 1);
    res.row.order_ns = any(r);
    res.row.prepare_ns = any(r);
    res.row.preprocess_ns = any(r);
    res.row.k_tile = any(r);
    res.row.first_ns = any(r);
    res.row.throttle = any(r);
    res.row.reps = (int64_t)rc_rng_below(r, 21);
    res.row.batch = any(r);
    res.row.bytes_min = any(r);
    res.row.seed = any(r);
    res.row.utc_ns = any(r);
    res.row.median_ns = rc_rng_unit(r);
    res.row.min_ns = NAN;
    res.row.mean_ns = rc_rng_unit(r);
    res.row.sd_ns = INFINITY;
    res.row.rel_err = rc_rng_unit(r);
    res.row.error_max = rc_rng_unit(r);
    res.row.error_rel = rc_rng_unit(r);
    res.row.clock_mhz = rc_rng_unit(r);
    res.row.memory_clock_mhz = rc_rng_unit(r);
    res.row.temperature_c = rc_rng_unit(r);
    res.row.status = any32(r);
    res.row.phase = any32(r);
    res.row.stop = any32(r);
    res.sample_ns = sample;
    for (int k = 0; k < 20; k++)
        sample[k] = any(r);
    res.row.device_bytes = any(r);
    res.row.fill = rc_rng_unit(r);
    res.row.permute_ns = any(r);
    res.row.pointer_bytes = any(r);
    res.row.load = rc_rng_unit(r);
    res.row.cpus = any(r);
    res.row.hop_ns = rc_rng_unit(r);
    ROUND_TRIP_NEWER(RC_REC_RESULT, res,
        text_bytes(res.c.policy_params) + sizeof res.row.device_bytes + sizeof res.row.fill +
            5 * sizeof(int64_t),
        5 * sizeof(int64_t), 3 * sizeof(int64_t), sizeof(double));
}

static void records_come_back(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    for (int i = 0; i < ROUNDS; i++) {
        runs_come_back(&r);
        matrices_come_back(&r);
        features_and_orders_come_back(&r);
        begun_cases_come_back(&r);
        results_come_back(&r);
    }
}

/* What records of earlier versions do not say is what rows of theirs have. */
static void records_of_earlier_versions_are_read(void **state)
{
    (void)state;
    rc_str_t b = {0};
    rc_rec_result_t r;
    rc_rec_t back;
    int64_t ns[3] = {5, 6, 7};
    memset(&r, 0, sizeof r);
    r.c = make_case(1, "lpt", 8);
    snprintf(r.c.policy_params, sizeof r.c.policy_params, "bits=8");
    r.row.reps = 3;
    r.row.device_bytes = 77;
    r.row.fill = 1.5;
    r.row.permute_ns = 78;
    r.row.pointer_bytes = 79;
    r.row.load = 2.5;
    r.row.cpus = 4;
    r.row.hop_ns = 25;
    r.sample_ns = ns;
    rc_rec_put(&b, RC_REC_RESULT, &r);
    assert_int_equal(get(RC_REC_RESULT, &b, b.len, &back), RC_OK);
    assert_string_equal(back.result.c.policy_params, "bits=8");
    assert_int_equal(back.result.row.device_bytes, 77);
    assert_true(back.result.row.fill == 1.5);
    assert_memory_equal(back.result.sample_ns, ns, sizeof ns);
    assert_true(back.result.row.permute_ns == 78 && back.result.row.pointer_bytes == 79);
    assert_true(back.result.row.load == 2.5 && back.result.row.cpus == 4);
    assert_true(back.result.row.hop_ns == 25);
    size_t added = sizeof(double);
    assert_int_equal(get(RC_REC_RESULT, &b, b.len - added, &back), RC_OK);
    assert_true(back.result.row.load == 2.5 && back.result.row.cpus == 4);
    assert_true(isnan(back.result.row.hop_ns));
    added += sizeof(double) + sizeof(int64_t);
    assert_int_equal(get(RC_REC_RESULT, &b, b.len - added, &back), RC_OK);
    assert_true(back.result.row.pointer_bytes == 79 && isnan(back.result.row.load) &&
                back.result.row.cpus == -1);
    added += 2 * sizeof(int64_t);
    assert_int_equal(get(RC_REC_RESULT, &b, b.len - added, &back), RC_OK);
    assert_true(back.result.row.device_bytes == 77 && back.result.row.permute_ns == -1 &&
                back.result.row.pointer_bytes == -1);
    added += text_bytes("bits=8") + sizeof(int64_t) + sizeof(double);
    assert_int_equal(get(RC_REC_RESULT, &b, b.len - added, &back), RC_OK);
    assert_string_equal(back.result.c.policy_params, "");
    assert_int_equal(back.result.row.device_bytes, -1);
    assert_true(isnan(back.result.row.fill));
    assert_memory_equal(back.result.sample_ns, ns, sizeof ns);
    rc_str_free(&b);
}

/* The text that version 1 of the schema took the digest of. */
static rc_digest_t id_of_version_1(const rc_case_t *c)
{
    char text[1024];
    int n = snprintf(text, sizeof text, "case|%s|%s@%d|%d,%d,%d|%s@%d:%s|%d|%lld|%d|%d|%d|%d|%s",
        rc_digest_hex(c->matrix).text, c->policy, (int)c->policy_version, (int)c->nw, (int)c->nt,
        (int)c->line, c->kernel, (int)c->kernel_version, c->params, (int)c->op, (long long)c->k,
        (int)c->precision, (int)c->layout, (int)c->c_order, (int)c->cache, c->device);
    return rc_digest(text, (size_t)n);
}

/* A sweep over a store of an earlier version finds its cases there. */
static void identities_outlive_versions(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    for (int i = 0; i < ROUNDS; i++) {
        rc_case_t c;
        random_case(&r, &c);
        memset(c.policy_params, 0, sizeof c.policy_params);
        rc_digest_t now = rc_case_id(&c);
        rc_digest_t then = id_of_version_1(&c);
        assert_int_equal(rc_digest_compare(&now, &then), 0);
    }
}

/* Identity: each member of a case counts. */
static void cases_that_differ_have_other_identities(void **state)
{
    (void)state;
    rc_case_t c = make_case(1, "lpt", 8);
    rc_case_t d[16];
    for (int i = 0; i < 16; i++)
        d[i] = c;
    d[0].matrix.lo ^= 1;
    d[1].policy[0] = 'x';
    d[2].kernel[0] = 'x';
    d[3].params[0] = 'x';
    d[4].device[0] = 'x';
    d[5].policy_version++;
    d[6].kernel_version++;
    d[7].op++;
    d[8].precision++;
    d[9].layout++;
    d[10].c_order++;
    d[11].cache++;
    d[12].nw++;
    d[13].nt++;
    d[14].k++;
    d[15].policy_params[0] = 'x';
    rc_digest_t id = rc_case_id(&c);
    for (int i = 0; i < 16; i++) {
        rc_digest_t other = rc_case_id(&d[i]);
        assert_int_not_equal(rc_digest_compare(&id, &other), 0);
    }
    d[0] = c;
    d[0].line++;
    rc_digest_t other = rc_case_id(&d[0]);
    assert_int_not_equal(rc_digest_compare(&id, &other), 0);
}

/* The name of a file of an order says nothing of the order. */
static void names_of_files_are_no_identity(void **state)
{
    static const char *const texts[] = {"rows=0123", "name=a.txt:rows=0123", "name=:rows=0123", "name=a=b:rows=0123"};
    (void)state;
    rc_case_t c = make_case(1, "file", 8);
    strcpy(c.policy_params, "rows=0124");
    rc_digest_t another = rc_case_id(&c);
    strcpy(c.policy_params, texts[0]);
    rc_digest_t id = rc_case_id(&c);
    assert_int_not_equal(rc_digest_compare(&id, &another), 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        strcpy(c.policy_params, texts[i]);
        rc_digest_t own = rc_case_id(&c);
        assert_int_equal(rc_digest_compare(&id, &own), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(records_of_earlier_versions_are_read),
        cmocka_unit_test(identities_outlive_versions),
        cmocka_unit_test(cases_that_differ_have_other_identities),
        cmocka_unit_test(names_of_files_are_no_identity),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
