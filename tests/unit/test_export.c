/* Every trainer of the build, fitted on a part of the published store: the C source of the model
 * and the model read back from its text choose like the model on every row of the store. */
#include "config.h"
#include "compiled_model.h"
#include "model_fixture.h"
#include "scratch.h"
#include "unit.h"

#include "analysis/dataset.h"
#include "analysis/trainer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FITTED = 240, FITTED_BY_GRID = 40 };

/* 1: tries a grid whatever the options, which takes long. */
static int tries_a_grid(const rc_trainer_t *t)
{
    return strstr(t->name, "-nisa") != NULL;
}

/* A quick fit on rows spread over the set. */
static rc_model_t *fit(const rc_trainer_t *t, const rc_dataset_t *d)
{
    rc_fit_options_t o = {.seed = 1, .threads = 1, .restarts = 1, .members = 2, .epochs = 20};
    int64_t row[FITTED];
    int64_t most = tries_a_grid(t) ? FITTED_BY_GRID : FITTED;
    int64_t n = d->rows < most ? d->rows : most;
    rc_err_t err = {0};
    rc_model_t *m = NULL;
    for (int64_t i = 0; i < n; i++)
        row[i] = i * d->rows / n;
    if (rc_fit(t, d, row, n, &o, &m, &err) < 0)
        fail_msg("%s: %s", t->name, err.text);
    return m;
}

static rc_model_t *through_text(const rc_model_t *m)
{
    rc_err_t err = {0};
    rc_model_t *back = NULL;
    char *text = rc_model_text(m, &err);
    if (!text || rc_model_parse(text, strlen(text), "text", &back, &err) < 0)
        fail_msg("%s: %s", m->kind, err.text);
    free(text);
    return back;
}

static void compare_rows(void **state, const rc_model_t *m, const rc_dataset_t *d, int number)
{
    char name[32];
    compiled_model_t c;
    snprintf(name, sizeof name, "fitted_%d", number);
    compile_model(state, m, name, "-std=c99 -O1", &c);
    rc_model_t *back = through_text(m);
    double *scratch = calloc(rc_model_scratch(m), sizeof *scratch);
    assert_non_null(scratch);
    assert_int_equal(m->inputs, d->inputs);
    int *chosen = calloc((size_t)m->classes, sizeof *chosen);
    assert_non_null(chosen);
    for (int64_t r = 0; r < d->rows; r++) {
        const double *value = d->value + r * d->inputs;
        if (!compiled_model_agrees(&c, m, value, scratch))
            fail_msg("%s: its C source says another thing of %s", m->kind, d->sample[r].name);
        if (!compiled_model_agrees(&c, back, value, scratch))
            fail_msg("%s: its text says another thing of %s", m->kind, d->sample[r].name);
        chosen[rc_model_choose_raw(m, value, scratch, NULL)]++;
    }
    int different = 0;
    for (int k = 0; k < m->classes; k++)
        different += chosen[k] > 0;
    if (different < 2)
        print_message("%s chose one class throughout\n", m->kind);
    free(chosen);
    free(scratch);
    unload_model(&c);
    rc_model_free(back);
}

static void on_every_row_of_the_store(void **state)
{
    static const rc_dataset_options_t options[] = {
        {.task = RC_TASK_ORDER, .kernel = "gstat:strip=8:split=0", .classes = "all"},
        {.task = RC_TASK_PLAN, .portfolio = 6}};
    char store[SCRATCH_PATH];
    const char *top = getenv("top_srcdir");
    snprintf(store, sizeof store, "%s/data/results/h200.h5", top ? top : ".");
    if (access(store, R_OK) != 0 || !rc_trainers[0])
        skip();
    int number = 0;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        rc_dataset_t d;
        rc_err_t err = {0};
        if (rc_dataset_read(store, &options[i], &d, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(d.rows > 1000);
        for (int t = 0; rc_trainers[t]; t++) {
            if (i > 0 && tries_a_grid(rc_trainers[t]))
                continue;
            rc_model_t *m = fit(rc_trainers[t], &d);
            compare_rows(state, m, &d, number++);
            rc_model_free(m);
        }
        rc_dataset_free(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_every_row_of_the_store),
    };
    return cmocka_run_group_tests_name("export", tests, scratch_setup, scratch_teardown);
}
