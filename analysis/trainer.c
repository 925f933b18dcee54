#include "config.h"
#include "analysis/trainer.h"

#include <string.h>

#define RC_TRAINER(id) extern const rc_trainer_t rc_trainer_##id;
#include "analysis/trainers.def"
#undef RC_TRAINER

#define RC_TRAINER(id) &rc_trainer_##id,
const rc_trainer_t *const rc_trainers[] = {
#include "analysis/trainers.def"
    NULL};
#undef RC_TRAINER

const rc_trainer_t *rc_trainer_find(const char *name)
{
    for (int i = 0; rc_trainers[i]; i++)
        if (strcmp(rc_trainers[i]->name, name) == 0)
            return rc_trainers[i];
    return NULL;
}

rc_status_t rc_fit_jobs(int jobs, int threads,
    rc_status_t (*run)(void *context, int job, rc_err_t *err), void *context, rc_err_t *err)
{
    int failed = jobs;
    rc_status_t status = RC_OK;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads < 1 ? 1 : threads)
    for (int i = 0; i < jobs; i++) {
        rc_err_t e = {0};
        rc_status_t st = run(context, i, &e);
#pragma omp critical(rc_fit_jobs)
        if (st < 0 && i < failed) {
            failed = i;
            status = st;
            if (err)
                *err = e;
        }
    }
    return status;
}

float rc_threshold(const rc_model_t *m, int input, double raw)
{
    const rc_model_t one = {.inputs = 1, .input = &m->input[input]};
    double x;
    rc_model_standardise(&one, &raw, &x);
    return (float)x;
}
