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

float rc_threshold(const rc_model_t *m, int input, double raw)
{
    const rc_model_t one = {.inputs = 1, .input = &m->input[input]};
    double x;
    rc_model_standardise(&one, &raw, &x);
    return (float)x;
}
