/* An evaluation as JSON says what the evaluation says. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "evaluation_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double real_at(const json_t *object, const char *a, const char *b, const char *c)
{
    const json_t *x = json_object_get(json_object_get(object, a), b);
    x = c ? json_object_get(x, c) : x;
    assert_true(json_is_number(x));
    return json_number_value(x);
}

static void check_cells(const json_t *j, const rc_cells_t *e)
{
    int empty = 0;
    const json_t *rows = json_object_get(json_object_get(j, "confusion"), "rows_best_by_chosen");
    const json_t *loss =
        json_object_get(json_object_get(j, "confusion"), "loss_mean_best_by_chosen");
    const json_t *error =
        json_object_get(json_object_get(j, "time_error"), "absolute_relative_error");
    for (int b = 0; b < 4; b++)
        for (int c = 0; c < 4; c++) {
            const json_t *n = json_array_get(json_array_get(rows, (size_t)b), (size_t)c);
            const json_t *l = json_array_get(json_array_get(loss, (size_t)b), (size_t)c);
            assert_int_equal(json_integer_value(n), e->confusion[b * 4 + c]);
            assert_true(json_is_null(l) == (e->confusion[b * 4 + c] == 0)); /* NaN is null */
            empty += json_is_null(l);
        }
    assert_true(empty > 0);
    assert_int_equal(json_array_size(error), 5);
    for (int i = 0; i < 5; i++) /* all, then the classes */
        assert_true(json_number_value(json_object_get(json_array_get(error, (size_t)i), "mean")) ==
                    e->error_mean[(i + 4) % 5]);
}

static void json_says_the_same(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = guess(d, 0.05, 2);
    rc_evaluation_t e = evaluate(d, &p, -1);
    rc_err_t err = {0};
    json_t *j = rc_evaluation_json(d, &e, 0, &err);
    assert_non_null(j);
    char *text = json_dumps(j, JSON_REAL_PRECISION(17));
    json_decref(j);
    assert_non_null(text);
    j = json_loads(text, 0, NULL);
    assert_non_null(j);
    free(text);
    assert_true(real_at(j, "all", "gain_recovered", "value") == e.all.gain.value);
    assert_true(real_at(j, "all", "gain_recovered", "low") == e.all.gain.low);
    assert_true(real_at(j, "all", "loss_mean", "high") == e.all.mean_loss.high);
    assert_true(real_at(j, "all", "loss_worst", NULL) == e.all.worst_loss);
    assert_true(real_at(j, "all", "share_of_loss_within", "0.05") == e.all.within[2]);
    assert_true(real_at(j, "all", "accuracy_at_tolerance", "0.02") == e.all.accuracy[1]);
    assert_true(real_at(j, "all", "balanced_accuracy_at_tolerance", "0") == e.all.balanced[0]);
    assert_string_equal(
        json_string_value(json_object_get(
            json_object_get(json_object_get(j, "all"), "loss_worst_row"), "matrix")),
        d->sample[e.all.worst_row].name);
    assert_string_equal(
        json_string_value(json_object_get(
            json_object_get(json_object_get(j, "all"), "loss_worst_row"), "precision")),
        rc_type(d->sample[e.all.worst_row].precision)->name);
    assert_string_equal(
        json_string_value(json_object_get(j, "single_chosen_on")), "the evaluated rows");
    check_cells(j, &e.all.cells);
    for (int i = 0; i < e.by_k_count; i++)
        check_cells(json_array_get(json_object_get(j, "by_k"), (size_t)i), &e.by_k[i].cells);
    assert_int_equal(json_array_size(json_object_get(j, "by_k")), 3);
    assert_int_equal(json_array_size(json_object_get(j, "by_kind")), 4);
    assert_int_equal(json_array_size(json_object_get(j, "portfolio")), 4);
    json_decref(j);

    j = rc_evaluation_json(d, &e, 1, &err);
    assert_non_null(json_object_get(j, "all"));
    assert_int_equal(json_array_size(json_object_get(j, "by_k")), 3);
    assert_null(json_object_get(j, "by_kind"));
    assert_null(json_object_get(j, "portfolio"));
    json_decref(j);
    d->sample[e.all.worst_row].name[0] = (char)0xff;
    assert_null(rc_evaluation_json(d, &e, 0, &err));
    assert_non_null(strstr(err.text, "UTF-8"));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* Two rows with a time of the library, one without; classes of 10 and 8 ns. */
static void choices_stand_beside_the_library(void **state)
{
    (void)state;
    static const made_spec_t few = {
        .matrices = 3, .groups = 3, .kinds = 1, .ks = 1, .inputs = 2, .classes = 4, .noise = 0.1, .seed = 4};
    rc_dataset_t *d = make(&few);
    rc_predictions_t p = room(d, 1, 1);
    rc_library_time_t library[] = {{9.5, 10}, {8.8, NAN}, {NAN, NAN}};
    assert_int_equal(d->rows, 3);
    for (int64_t i = 0; i < 3; i++)
        for (int c = 0; c < 4; c++) {
            d->time[i * 4 + c] = c == 0 ? 10 : c == 3 ? 1 : 8;
            p.time[i * 4 + c] = c + 1; /* 0 is chosen; 0, 1 and 2 are timed */
        }
    rc_evaluation_t e = evaluate(d, &p, 0);
    assert_int_equal(e.all.over_library.rows, 0); /* no library is known */
    assert_true(isnan(e.all.over_library.min) && isnan(e.all.over_library_timed.geomean));
    rc_evaluation_free(&e);
    d->library = library;
    e = evaluate(d, &p, 0);
    d->library = NULL;
    const rc_over_library_t *o = &e.all.over_library;
    assert_int_equal(o->rows, 2);
    assert_true(near(o->geomean, sqrt(0.95 * 0.88)) && near(o->min, 0.88));
    assert_true(o->share_below[0] == 0.5 && o->share_below[1] == 1);
    o = &e.all.over_library_timed;
    assert_true(o->rows == 2 && near(o->min, 1.1) && o->share_below[1] == 0);
    o = &e.all.over_library_tuned; /* of the first row alone, where ours has 8 and the library's 10 */
    assert_true(o->rows == 1 && near(o->min, 9.5 / 8));
    assert_int_equal(e.by_k_count, 1);
    assert_true(near(e.by_k[0].over_library.min, 0.88));
    rc_err_t err = {0};
    json_t *j = rc_evaluation_json(d, &e, 1, &err);
    json_t *all = json_object_get(j, "all");
    json_t *own = json_object_get(all, "speedup_over_library");
    assert_true(near(json_number_value(json_object_get(own, "min")), 0.88));
    assert_true(json_number_value(json_object_get(json_object_get(own, "share_below"), "0.9")) == 0.5);
    assert_true(json_is_object(json_object_get(all, "speedup_over_library_best_of_3_timed")));
    assert_true(json_is_object(json_object_get(all, "speedup_over_library_best_of_3_and_library_timed")));
    json_decref(j);
    rc_evaluation_free(&e);
    library[1].timed = 7; /* less than ours */
    d->library = library;
    e = evaluate(d, &p, 0);
    d->library = NULL;
    assert_true(e.all.over_library_tuned.rows == 2 && near(e.all.over_library_tuned.min, 9.5 / 8));
    assert_true(near(e.all.over_library_tuned.geomean, sqrt(9.5 / 8 * 8.8 / 7)));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_stand_beside_the_library),
        cmocka_unit_test(json_says_the_same),
    };
    return cmocka_run_group_tests_name("evaluation_json", tests, NULL, NULL);
}
