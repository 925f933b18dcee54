/* Model files: what is read can be written and read back as the same, exported as C, and asked; the
 * choice is a class, and the order that it names can be built. */
#include "config.h"
#include "fuzz.h"

#include "base/error.h"
#include "model/choose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_target[] = "model";

static void written_reads_back(const rc_model_t *m)
{
    rc_err_t err = {0};
    rc_model_t *back = NULL;
    char *first = rc_model_text(m, &err);
    if (!first) { /* what cannot be written says why */
        FUZZ_CHECK(err.status < 0 && err.text[0]);
        return;
    }
    FUZZ_CHECK(rc_model_parse(first, strlen(first), "again", &back, &err) == RC_OK);
    char *second = rc_model_text(back, &err);
    FUZZ_CHECK(second && strcmp(first, second) == 0);
    rc_model_free(back);
    free(first);
    free(second);
}

static void exports(const rc_model_t *m)
{
    char *source = NULL;
    size_t size = 0;
    rc_err_t err = {0};
    FILE *f = open_memstream(&source, &size);
    FUZZ_CHECK(f != NULL);
    rc_status_t st = rc_model_export_c(m, "fuzz", f, &err);
    FUZZ_CHECK(fclose(f) == 0);
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0]));
    FUZZ_CHECK(st < 0 || strstr(source, "fuzz_choose"));
    free(source);
}

static void chooses(const rc_model_t *m)
{
    static const double some[] = {0, 1, -1, 1e300, 1e-300, 37, 0.5};
    size_t n = (size_t)m->inputs;
    size_t classes = (size_t)m->classes;
    double *value = malloc((n + 1) * sizeof *value);
    double *scratch = malloc((rc_model_scratch(m) + 1) * sizeof *scratch);
    double *time = malloc(classes * sizeof *time);
    FUZZ_CHECK(value && scratch && time);
    for (size_t round = 0; round < sizeof some / sizeof *some; round++) {
        for (size_t i = 0; i < n; i++)
            value[i] = some[(round + i * round) % (sizeof some / sizeof *some)];
        int chosen = rc_model_choose_raw(m, value, scratch, time);
        FUZZ_CHECK(chosen >= 0 && chosen < m->classes);
        FUZZ_CHECK(rc_model_choose_raw(m, value, scratch, NULL) == chosen);
        rc_model_standardise(m, value, scratch);
        rc_model_setup_ns(m, scratch, time);
    }
    free(value);
    free(scratch);
    free(time);
}

static void orders(const rc_model_t *m)
{
    int64_t row_ptr[] = {0, 2, 2, 5, 6};
    int32_t col_idx[] = {0, 3, 0, 1, 2, 3};
    double val[] = {1, 2, 3, 4, 5, 6};
    rc_csr_t a = {
        .rows = 4, .cols = 4, .nnz = 6, .row_ptr = row_ptr, .col_idx = col_idx, .val = val};
    rc_request_t request = {.k = 8, .precision = RC_FP32, .threads = 1};
    rc_choice_t choice = {0};
    rc_err_t err = {0};
    rc_status_t st = rc_choose(m, &a, &request, &choice, &err);
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0]));
    FUZZ_CHECK(st < 0 || (choice.candidate >= 0 && choice.candidate < choice.candidates));
    FUZZ_CHECK(st < 0 || rc_schedule_check(&choice.schedule, &a, &err) == RC_OK);
    rc_choice_free(&choice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_err_t err = {0};
    rc_model_t *m = NULL;
    char *text = fuzz_text(data, size);
    rc_status_t st = rc_model_parse(text, size, "m.json", &m, &err);
    FUZZ_CHECK((st == RC_OK) == (m != NULL));
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    if (m) {
        written_reads_back(m);
        exports(m);
        chooses(m);
        if (rc_model_check(m, "m.json", &err) == RC_OK)
            orders(m);
    }
    rc_model_free(m);
    free(text);
    return 0;
}
