/* When a row order pays: decisions on made rows whose times follow the expectation of the rule, so that it is known
 * what is right; and what must hold of any decision. */
#include "config.h"
#include "unit.h"

#include "analysis/when.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, FAMILIES = 6 };

static double between(rc_rng_t *r, double least, double most)
{
    return least * pow(most / least, rc_rng_unit(r));
}

/* Times are what the rule thinks they are, but for one factor; gains of 1 or more. */
static rc_when_t made_rows(uint64_t seed, int apart)
{
    rc_rng_t r;
    rc_when_t w = {.rows = ROWS, .families = FAMILIES};
    rc_rng_seed(&r, seed);
    w.row = calloc(ROWS, sizeof *w.row);
    assert_non_null(w.row);
    for (int i = 0; i < ROWS; i++) {
        rc_when_row_t *x = &w.row[i];
        (void)snprintf(x->family, sizeof x->family, "f%d", i % FAMILIES);
        x->k = 32;
        x->rows = between(&r, 1e4, 4e6);
        x->entries = x->rows * between(&r, 3, 30);
        x->rule_ns = 2000 + x->entries * 0.03;
        x->most_ns = 0.7 * x->rule_ns;
        x->apart = apart;
        x->rule_gain = between(&r, 1, 3);
        x->none_ns = 1.3 * x->rule_ns;
        x->order_ns = x->none_ns / x->rule_gain;
        x->build_ns = 4e5 + 0.1 * x->entries;
        x->feature_ns = 1e5;
        x->input[0] = log(x->rule_ns);
        x->input[1] = log(x->rule_gain);
        for (int j = 2; j < RC_WHEN_INPUTS; j++)
            x->input[j] = rc_rng_unit(&r);
    }
    return w;
}

static double total(const rc_when_t *w, rc_when_by_t by, const rc_when_options_t *o, double reuse,
    int ordered[ROWS], double cost[ROWS])
{
    double sum = 0;
    assert_int_equal(rc_when_decide(w, o, by, reuse, ordered, cost, NULL), RC_OK);
    for (int i = 0; i < ROWS; i++)
        sum += log(cost[i] / (reuse * w->row[i].none_ns));
    return exp(-sum / ROWS);
}

static void families(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        rc_when_made_t made;
        const char *family;
    } want[] = {{"HB/bcsstk-17", RC_WHEN_REAL, "HB"}, {"HB/bcsstk17", RC_WHEN_REAL, "HB"},
        {"bcsstk-17", RC_WHEN_REAL, "bcsstk-17"}, {"AMD/G3_circuit", RC_WHEN_REAL, "AMD"},
        {"Hamm/circuit_1", RC_WHEN_REAL, "Hamm"}, {"SNAP/as-735", RC_WHEN_REAL, "SNAP"},
        {"SNAP/roadNet-CA", RC_WHEN_REAL, "SNAP"}, {"DIMACS10/road_usa", RC_WHEN_REAL, "DIMACS10"},
        {"twin:HB/bcsstk-17", RC_WHEN_TWIN, "HB"}, {"twin:x/mesh3d-20", RC_WHEN_TWIN, "x"},
        {"shuffled/mesh3d-1.3m", RC_WHEN_GENERATED, "mesh3d"},
        {"ideal/mesh3d-27pt-500k", RC_WHEN_GENERATED, "mesh3d-27pt"},
        {"sizes/mesh3d-27pt-20", RC_WHEN_GENERATED, "mesh3d-27pt"},
        {"shuffled/geometric2d-2m", RC_WHEN_GENERATED, "geometric2d"}, {"rmat-20", RC_WHEN_GENERATED, "rmat"},
        {"builtin/mesh3d-16-27pt", RC_WHEN_GENERATED, "mesh3d"}, {"builtin/uniform-1k-dense", RC_WHEN_GENERATED, "uniform"},
        {"x/mesh3d", RC_WHEN_GENERATED, "mesh3d"}, {"x/mesh3dx-20", RC_WHEN_REAL, "x"},
        {"x/rmat-20.", RC_WHEN_GENERATED, "rmat"}, {"x/rmat-mild-.5m", RC_WHEN_GENERATED, "rmat"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        char family[RC_NAME_MAX + 1];
        rc_when_made_t made = rc_when_family(want[i].name, family);
        if (made != want[i].made || strcmp(family, want[i].family) != 0)
            fail_msg("%s: expected %s, found %s of %s", want[i].name, want[i].family, family,
                rc_when_made_names[made]);
    }
}

/* Costs are those of what was decided, and the oracle is the bound. */
static void costs_are_of_what_was_decided(void **state)
{
    (void)state;
    const rc_when_options_t o = {.order = {4e5, 0, 0.1}, .feature = {1e5, 0, 0}};
    const double reuse[] = {1, 30, 1000, 1e6};
    int ordered[ROWS];
    double cost[ROWS];
    double best[ROWS];
    for (uint64_t seed = 1; seed < 6; seed++) {
        rc_when_t w = made_rows(seed, 1);
        for (size_t n = 0; n < sizeof reuse / sizeof *reuse; n++) {
            (void)total(&w, RC_WHEN_ORACLE, &o, reuse[n], ordered, best);
            for (int by = 0; by < RC_WHEN_WAYS; by++) {
                (void)total(&w, (rc_when_by_t)by, &o, reuse[n], ordered, cost);
                for (int i = 0; i < ROWS; i++) {
                    const rc_when_row_t *x = &w.row[i];
                    double without = reuse[n] * x->none_ns;
                    double least = ordered[i] ? x->build_ns + reuse[n] * x->order_ns : without;
                    assert_true(cost[i] == least || cost[i] == least + x->feature_ns);
                    assert_true(cost[i] >= best[i]);
                    assert_true(best[i] <= without);
                    assert_true(by != RC_WHEN_ALWAYS || ordered[i]);
                }
            }
        }
        rc_when_free(&w);
    }
}

/* One product never pays for an order, and nobody looks at features for it; a million do. */
static void reuse_decides(void **state)
{
    (void)state;
    const rc_when_options_t o = {.order = {4e5, 0, 0.1}, .feature = {1e5, 0, 0}};
    int ordered[ROWS];
    double cost[ROWS];
    rc_when_t w = made_rows(9, 1);
    for (int by = RC_WHEN_RULE; by <= RC_WHEN_MODEL; by++) {
        assert_true(total(&w, (rc_when_by_t)by, &o, 1, ordered, cost) == 1);
        double gain = total(&w, (rc_when_by_t)by, &o, 1e6, ordered, cost);
        double bound = total(&w, RC_WHEN_ORACLE, &o, 1e6, ordered, cost);
        if (gain < 1 + 0.95 * (bound - 1))
            fail_msg("%s: expected about %g, found %g", rc_when_names[by], bound, gain);
    }
    rc_when_free(&w);
}

/* Rows that share columns already are left as they are. */
static void what_is_together_is_left_alone(void **state)
{
    (void)state;
    const rc_when_options_t o = {.order = {4e5, 0, 0.1}, .feature = {1e5, 0, 0}};
    int ordered[ROWS];
    double cost[ROWS];
    rc_when_t w = made_rows(5, 0);
    for (int by = RC_WHEN_RULE; by <= RC_WHEN_MODEL; by++) {
        (void)total(&w, (rc_when_by_t)by, &o, 1e6, ordered, cost);
        for (int i = 0; i < ROWS; i++)
            assert_int_equal(ordered[i], 0);
    }
    rc_when_free(&w);
}

/* What a family's own rows say is not in the fit that decides it: its times may say anything. */
static void a_family_is_held_out(void **state)
{
    (void)state;
    const rc_when_options_t stored = {.order = {NAN, 0, 0}, .feature = {NAN, 0, 0}};
    int before[ROWS];
    int after[ROWS];
    double cost[ROWS];
    rc_when_t w = made_rows(3, 1);
    (void)total(&w, RC_WHEN_MODEL, &stored, 300, before, cost);
    for (int i = 0; i < ROWS; i += FAMILIES) { /* all of f0 */
        w.row[i].order_ns *= 50;
        w.row[i].build_ns *= 1000;
    }
    (void)total(&w, RC_WHEN_MODEL, &stored, 300, after, cost);
    int others = 0;
    for (int i = 0; i < ROWS; i++) {
        if (i % FAMILIES == 0)
            assert_int_equal(after[i], before[i]);
        else
            others += after[i] != before[i];
    }
    assert_true(others > 0); /* theirs had f0 in it */
    rc_when_free(&w);
}

static void one_family_is_too_few(void **state)
{
    (void)state;
    const rc_when_options_t o = {.order = {1, 0, 0}, .feature = {1, 0, 0}};
    rc_err_t err = {0};
    int ordered[ROWS];
    double cost[ROWS];
    rc_when_t w = made_rows(3, 1);
    w.families = 1;
    assert_int_equal(rc_when_decide(&w, &o, RC_WHEN_MODEL, 10, ordered, cost, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "one family, f0"));
    rc_when_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families),
        cmocka_unit_test(costs_are_of_what_was_decided),
        cmocka_unit_test(reuse_decides),
        cmocka_unit_test(what_is_together_is_left_alone),
        cmocka_unit_test(a_family_is_held_out),
        cmocka_unit_test(one_family_is_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
