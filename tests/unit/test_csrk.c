/* CSR-k: the tuning formulas at the boundaries of their cases, files of them, the pointers of
 * kernels, and what tells the classes of matrices. */
#include "config.h"
#include "unit.h"

#include "feature/feature.h"
#include "format/super_rows.h"
#include "kernels/tuning/csrk.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "scratch.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Case, SSRS and SRS by reading; from the definitions, worked out apart. */
static const struct {
    double rdensity;
    int expected[2][3][3]; /* volta, ampere; new, original, srs */
} sizes[] = {
    {0, {{{1, 9, 10}, {1, 9, 10}, {1, 9, 10}}, {{1, 9, 21}, {1, 9, 21}, {1, 9, 21}}}},
    {0.5, {{{1, 10, 11}, {1, 10, 11}, {1, 10, 11}}, {{1, 10, 23}, {1, 10, 23}, {1, 10, 23}}}},
    {1, {{{1, 9, 10}, {1, 9, 10}, {1, 9, 10}}, {{1, 9, 21}, {1, 9, 21}, {1, 9, 21}}}},
    {2, {{{1, 8, 9}, {1, 8, 9}, {1, 8, 9}}, {{1, 8, 18}, {1, 8, 18}, {1, 8, 18}}}},
    {8, {{{1, 6, 7}, {1, 6, 7}, {1, 6, 7}}, {{1, 6, 13}, {1, 6, 13}, {1, 6, 13}}}},
    {8.000000000000002, {{{2, 9, 14}, {2, 9, 14}, {2, 9, 14}}, {{2, 6, 52}, {2, 6, 52}, {2, 6, 52}}}},
    {16, {{{2, 8, 12}, {2, 8, 12}, {2, 8, 12}}, {{2, 6, 44}, {2, 6, 44}, {2, 6, 44}}}},
    {16.000000000000004, {{{3, 20, 10}, {3, 20, 2}, {3, 20, 3}}, {{3, 15, 45}, {3, 15, 18}, {3, 15, 33}}}},
    {20, {{{3, 20, 10}, {3, 20, 2}, {3, 20, 3}}, {{3, 13, 39}, {3, 13, 15}, {3, 13, 30}}}},
    {32, {{{3, 20, 10}, {3, 20, 2}, {3, 20, 2}}, {{3, 13, 39}, {3, 13, 15}, {3, 13, 24}}}},
    {32.00000000000001, {{{4, 25, 12}, {4, 25, 2}, {4, 25, 2}}, {{4, 10, 20}, {4, 10, 10}, {4, 10, 16}}}},
    {100, {{{4, 15, 7}, {4, 15, 1}, {4, 15, 1}}, {{4, 6, 12}, {4, 6, 6}, {4, 6, 8}}}},
    {1e6, {{{4, 1, 1}, {4, 1, 1}, {4, 1, 1}}, {{4, 1, 1}, {4, 1, 1}, {4, 1, 1}}}},
};

static void formulas_as_published(void **state)
{
    (void)state;
    static const char *const devices[] = {"volta", "ampere"};
    static const int32_t block[4][3] = {{8, 12, 1}, {4, 8, 12}, {8, 8, 8}, {16, 8, 4}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int d = 0; d < 2; d++)
            for (int r = 0; r < 3; r++) {
                const int *e = sizes[i].expected[d][r];
                rc_csrk_sizes_t s = rc_csrk_sizes(rc_csrk_tuning_find(devices[d]), (rc_csrk_reading_t)r,
                    sizes[i].rdensity);
                if (s.number != e[0] || s.ssrs != e[1] || s.srs != e[2])
                    fail_msg("%s, %s, rdensity %.17g: expected case %d, %d, %d, found %d, %d, %d", devices[d],
                        rc_csrk_reading_names[r], sizes[i].rdensity, e[0], e[1], e[2], s.number,
                        (int)s.ssrs, (int)s.srs);
                assert_memory_equal(s.block, block[s.number - 1], sizeof s.block);
            }
    assert_null(rc_csrk_tuning_find("hopper"));
    assert_true(rc_csrk_rdensity(0, 0) == 1 && rc_csrk_rdensity(5, 0) == 1 && rc_csrk_rdensity(4, 10) == 2.5);
}

/* The figures of the definitions. */
static void pointers_take_little(void **state)
{
    (void)state;
    assert_true(fabs(rc_csrk_overhead(2, 9, 8) - 0.025) < 1e-15);
    assert_true(fabs(rc_csrk_overhead(2, 18, 8) - 0.0125) < 1e-15);
    assert_true(rc_csrk_overhead(2, 96, 0) < 0.0021);
    assert_int_equal(rc_csrk_pointer_bytes(9, 2, 2), 4 * 6 + 4 * 4);
    assert_int_equal(rc_csrk_pointer_bytes(9, 2, 0), 4 * 6);
    assert_int_equal(rc_csrk_pointer_bytes(0, 2, 2), 4 + 4);
}

#define HEAD "{\"device\": \"d\", \"ssrs\": {\"constant\": 8.9, \"slope\": 1.25}, "
#define LINES HEAD "\"srs\": {\"constant\": 10.146, \"slope\": 1.5}, "

#define ONES "{\"ssrs\": 1, \"srs\": 1}"
#define WHOLE LINES "\"cases\": {\"2\": " ONES ", \"3\": " ONES ", \"4\": " ONES "}, "

static void files(void **state)
{
    static const struct {
        const char *text;
        const char *says; /* "": it is right */
    } cases[] = {
        {LINES "\"loss\": 1.02, \"cases\": {\"2\": {\"ssrs\": 1.5, \"srs\": 2}, \"3\": {\"ssrs\": 4, "
               "\"srs\": 2.5}, \"4\": {\"ssrs\": 5, \"srs\": 0}}}", ""},
        {LINES "\"cases\": {\"2\": {\"ssrs\": 1.5, \"srs\": 2}, \"4\": {\"ssrs\": 5, \"srs\": 2}}}",
            "cases.3: expected an object with ssrs and srs, found none"},
        {LINES "\"cases\": {\"2\": {\"ssrs\": 1.5, \"srs\": null}}}",
            "cases.2.srs: expected a number, found null"},
        {LINES "\"cases\": {\"2\": {\"ssrs\": NaN, \"srs\": 1}}}", "line 1: "},
        {LINES "\"cases\": {\"2\": {\"ssrs\": -1, \"srs\": 1}}}", "cases.2.ssrs: expected a finite number of 0"},
        {LINES "\"loss\": 1}", "cases: expected an object"},
        {WHOLE "\"sizes\": 4}", "sizes: expected an array of 1 to 15"},
        {WHOLE "\"sizes\": []}", "sizes: expected an array of 1 to 15"},
        {WHOLE "\"sizes\": [4, 4]}", "sizes[1]: expected integers from 1 on, increasing"},
        {WHOLE "\"sizes\": [0.5]}", "sizes[0]: expected integers from 1 on, increasing"},
        {WHOLE "\"sizes\": [4], \"multiprocessors\": 0}", "multiprocessors: expected an integer from 1 to"},
        {WHOLE "\"sizes\": [4], \"multiprocessors\": 1.5}", "multiprocessors: expected an integer from 1 to"},
        {WHOLE "\"multiprocessors\": 132}", "multiprocessors: expected sizes to choose from, found none"},
        {HEAD "\"cases\": {}}", "srs: expected an object with constant and slope"},
        {"{}", "device: expected a text"},
        {"", "line 1: "},
    };
    char path[SCRATCH_PATH];
    rc_csrk_tuning_t t;
    scratch_path(state, "tuning.json", path);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_err_t err = {0};
        scratch_write(path, cases[i].text, strlen(cases[i].text));
        rc_status_t st = rc_csrk_tuning_open(path, &t, &err);
        if (st != (cases[i].says[0] ? RC_EFORMAT : RC_OK) || !strstr(err.text, cases[i].says))
            fail_msg("file %zu: found %d '%s'", i, (int)st, err.text);
        if (i > 0)
            continue;
        rc_csrk_sizes_t s = rc_csrk_sizes(&t, RC_CSRK_ORIGINAL, 20); /* 5 and 6 by the formulas */
        assert_int_equal(s.ssrs, 20);
        assert_int_equal(s.srs, 15);
        assert_int_equal(rc_csrk_sizes(&t, RC_CSRK_NEW, 40).srs, 1);
    }
    assert_int_equal(rc_csrk_tuning_open("/there/is/none", &t, NULL), RC_ENOENT);
    assert_int_equal(rc_csrk_tuning_open("ampere", &t, NULL), RC_OK);
}

/* The text of a kernel's parameters: of a file its content, so that a copy is the same case and a changed one another. */
static void identities(void **state)
{
    static const rc_param_t param[] = {{.name = "tune", .type = RC_PARAM_TEXT, .text = "auto"},
        {.name = "srs", .value = 8, .min = 1, .max = 100}, {.name = NULL}};
    static const char *const content[] = {LINES "\"cases\": {\"2\": {\"ssrs\": 1, \"srs\": 2}, \"3\": {\"ssrs\": 4, "
        "\"srs\": 2}, \"4\": {\"ssrs\": 5, \"srs\": 1}}}", LINES "\"cases\": {\"2\": {\"ssrs\": 1, \"srs\": 2}, \"3\": "
        "{\"ssrs\": 4, \"srs\": 2}, \"4\": {\"ssrs\": 5, \"srs\": 3}}}"};
    static const char *const name[] = {"one.json", "copy.json", "changed.json"};
    char text[3][RC_PARAMS_TEXT] = {"", "", ""};
    char known[RC_PARAMS_TEXT] = "";
    rc_params_t v = {.value = {0, 8}, .text = "volta"};
    assert_int_equal(rc_csrk_tuning_identify(param, &v, known, NULL), RC_OK);
    assert_string_equal(known, "");
    for (int i = 0; i < 3; i++) {
        char path[SCRATCH_PATH];
        scratch_path(state, name[i], path);
        scratch_write(path, content[i / 2], strlen(content[i / 2]));
        (void)snprintf(v.text, sizeof v.text, "%s", path);
        assert_int_equal(rc_csrk_tuning_identify(param, &v, text[i], NULL), RC_OK);
    }
    assert_int_equal(strlen(text[0]), strlen("tune=:srs=8") + 32);
    assert_non_null(strstr(text[0], ":srs=8"));
    assert_string_equal(text[0], text[1]);
    assert_string_not_equal(text[0], text[2]);
    /* what the digest is of without sizes: the same bytes as before there were any, so that old stores know their cases */
    assert_int_equal(offsetof(rc_csrk_tuning_t, sizes), 192);
    assert_int_equal(offsetof(rc_csrk_tuning_t, multiprocessors), 256); /* and without those */
    assert_int_equal(sizeof(rc_csrk_tuning_t), 256 + sizeof(int64_t)); /* no padding is part of a digest */
    (void)snprintf(v.text, sizeof v.text, "/there/is/none");
    assert_int_equal(rc_csrk_tuning_identify(param, &v, known, NULL), RC_ENOENT);
}

/* Empty places of the last round of CTAs over all CTAs, counted one by one. */
static double idle(int64_t rows, int64_t ssrs, int64_t srs, int64_t held)
{
    int64_t ctas = 0;
    for (int64_t r = 0; r < rows; r += ssrs * srs)
        ctas++;
    int64_t rounds = 0;
    for (int64_t left = ctas; left > 0; left -= held)
        rounds++;
    return (double)(rounds * held - ctas) / (double)ctas;
}

/* No two sizes within 4/3 of those of the case leave less idle, and those that leave as much are farther. */
static void sizes_fill_the_device(void **state)
{
    (void)state;
    static const int32_t held[] = {21 * 132, 5 * 132, 4 * 132, 4 * 132};
    static const double of_case[] = {5, 12, 20, 50};
    static const int32_t from[] = {24, 24};
    rc_csrk_tuning_t t = {.ssrs = {24, 0}, .srs = {24, 0}, .sizes = 8, .size = {4, 6, 8, 12, 18, 24, 32, 48},
        .factors = {{1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}, {1, 1, 0, 0}}};
    rc_rng_t r;
    rc_rng_seed(&r, 31);
    int changed = 0;
    for (int round = 0; round < 400; round++) {
        int64_t rows = 1 + (int64_t)rc_rng_below(&r, round % 2 ? 3000000 : 60000);
        int c = round % 4;
        rc_csrk_sizes_t s = rc_csrk_sizes(&t, RC_CSRK_NEW, of_case[c]);
        t.multiprocessors = 0;
        rc_csrk_fill(&t, rows, &s);
        assert_true(s.ssrs == 24 && s.srs == 24);
        t.multiprocessors = 132;
        rc_csrk_fill(&t, 0, &s);
        assert_true(s.ssrs == 24 && s.srs == 24);
        rc_csrk_fill(&t, rows, &s);
        changed += s.ssrs != from[0] || s.srs != from[1];
        double found = idle(rows, s.ssrs, s.srs, held[c]);
        double way = fabs(log((double)s.ssrs / 24)) + fabs(log((double)s.srs / 24));
        for (int a = 4; a <= 6; a++) /* 18, 24, 32 */
            for (int b = 4; b <= 6; b++) {
                double other = idle(rows, t.size[a], t.size[b], held[c]);
                double far = fabs(log(t.size[a] / 24.)) + fabs(log(t.size[b] / 24.));
                if (other < found - 1e-8 || (other <= found && far < way - 1e-8))
                    fail_msg("%" PRId64 " rows, case %d: %d, %d leave %g, found %g", rows, c + 1, (int)t.size[a],
                        (int)t.size[b], other, found);
            }
        assert_true((s.ssrs == 18 || s.ssrs == 24 || s.ssrs == 32) && (s.srs == 18 || s.srs == 24 || s.srs == 32));
    }
    assert_true(changed > 100);
}

/* ---------------------------------------------------------------- pointers */

/* Pointers of both levels are runs of at most `most`, in between all of them full where they are cut. */
static void check_pointers(const rc_problem_t *p, int64_t srs, int64_t ssrs, const int64_t *most)
{
    const int64_t size[2] = {srs, ssrs};
    rc_super_rows_t s;
    int64_t below = p->schedule->slots;
    assert_int_equal(rc_super_rows_build(p, 2, size, NULL, &s, NULL), RC_OK);
    assert_int_equal(rc_super_rows_bytes(&s), 4 * (s.count[0] + s.count[1] + 2));
    for (int l = 0; l < 2; l++) {
        const rc_groups_t *g = &p->schedule->group[l];
        assert_int_equal(s.ptr[l][0], 0);
        assert_int_equal(s.ptr[l][s.count[l]], below);
        for (int64_t i = 0; i < s.count[l]; i++) {
            assert_in_range(s.ptr[l][i + 1] - s.ptr[l][i], 1, most[l]);
            if (size[l] != RC_SUPER_ROWS_AUTO && i + 1 < s.count[l])
                assert_int_equal(s.ptr[l][i + 1] - s.ptr[l][i], size[l]);
        }
        if (srs == RC_SUPER_ROWS_AUTO && size[l] == RC_SUPER_ROWS_AUTO && l < p->schedule->levels &&
            strcmp(p->schedule->group[0].name, "sr_ptr") == 0) {
            assert_int_equal(s.count[l], g->count);
            for (int64_t i = 0; i <= g->count; i++)
                assert_int_equal(s.ptr[l][i], g->ptr[i]);
        }
        below = s.count[l];
    }
    rc_super_rows_free(&s);
}

static void pointers_of_orders(void **state)
{
    (void)state;
    enum { AUTO = RC_SUPER_ROWS_AUTO };
    static const char *const orders[] = {"csr", "rcm", "bandk:srs=5:ssrs=3", "bandk:srs=5:ssrs=0", "community"};
    rc_csr_t a = {0};
    assert_int_equal(rc_generate("rmat:scale=9,edges=4", &a, NULL, NULL), RC_OK);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        rc_schedule_t s = {0};
        assert_int_equal(rc_order_build(orders[i], &a, NULL, 1, &s, NULL), RC_OK);
        rc_problem_t p = {.k = 1, .a = &a, .schedule = &s};
        int own = strncmp(orders[i], "bandk", 5) == 0;
        check_pointers(&p, 7, 4, (int64_t[]){7, 4});
        check_pointers(&p, 1000000, 1, (int64_t[]){s.slots, 1});
        check_pointers(&p, AUTO, 4, (int64_t[]){own ? 5 : RC_SRS_DEFAULT, 4});
        check_pointers(&p, AUTO, AUTO,
            (int64_t[]){own ? 5 : RC_SRS_DEFAULT, s.levels == 2 ? 3 : RC_SSRS_DEFAULT});
        check_pointers(&p, 7, AUTO, (int64_t[]){7, RC_SSRS_DEFAULT});
        rc_schedule_free(&s);
    }
    rc_csr_free(&a);
    rc_schedule_t huge = {.slots = INT64_C(1) << 31};
    rc_problem_t p = {.k = 1, .schedule = &huge};
    rc_super_rows_t s;
    assert_int_equal(rc_super_rows_build(&p, 1, (int64_t[]){8}, NULL, &s, NULL), RC_ENOTSUP);
}

/* ----------------------------------------------------------------- classes */

/* Of a matrix, looking at all pairs of rows and columns. */
static void classes_of(const rc_csr_t *a, double out[4])
{
    unsigned char *flag = calloc((size_t)(a->rows * a->cols) + 1, 1);
    double n = (double)a->rows;
    double off = 0;
    double both = 0;
    assert_non_null(flag);
    memset(out, 0, 4 * sizeof *out);
    for (int64_t r = 0; r < a->rows; r++) {
        double length = (double)(a->row_ptr[r + 1] - a->row_ptr[r]);
        out[0] += length / n;
        out[1] = length > out[1] ? length : out[1];
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            flag[r * a->cols + a->col_idx[e]] = 1;
    }
    for (int64_t r = 0; r < a->rows; r++)
        out[2] += pow((double)(a->row_ptr[r + 1] - a->row_ptr[r]) - out[0], 2) / n;
    for (int64_t r = 0; r < a->rows && a->rows == a->cols; r++)
        for (int64_t c = 0; c < a->cols; c++)
            if (r != c && flag[r * a->cols + c]) {
                off++;
                both += flag[c * a->cols + r];
            }
    out[3] = a->rows != a->cols ? 0 : off > 0 ? both / off : 1;
    free(flag);
}

static void classes_of_matrices(void **state)
{
    (void)state;
    static const rc_geometry_t g = {32, 32, 32};
    const rc_feature_set_t *set = rc_feature_set_find("lane");
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    assert_int_equal(set->count, 4);
    for (int round = 0; round < 60; round++) {
        rc_csr_t a;
        double expected[4];
        double found[4];
        if (round % 2)
            random_matrix(&r, 60, &a);
        else
            assert_int_equal(rc_generate(round % 4 ? "rmat:scale=5,edges=3" : "mesh2d:n=6", &a, NULL, NULL), RC_OK);
        classes_of(&a, expected);
        assert_int_equal(set->compute(&a, &g, 1 + round % 3, found, NULL), RC_OK);
        for (int i = 0; i < 4; i++)
            if (!(fabs(found[i] - expected[i]) <= 1e-12 * (1 + fabs(expected[i]))))
                fail_msg("%s: expected %.17g, found %.17g", set->feature[i].name, expected[i], found[i]);
        rc_csr_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_as_published),
        cmocka_unit_test(pointers_take_little),
        cmocka_unit_test(files),
        cmocka_unit_test(identities),
        cmocka_unit_test(sizes_fill_the_device),
        cmocka_unit_test(pointers_of_orders),
        cmocka_unit_test(classes_of_matrices),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
