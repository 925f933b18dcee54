#include "config.h"
#include "model/predictor.h"

#include <string.h>

#define RC_PREDICTOR(id) extern const rc_predictor_kind_t rc_predictor_##id;
#include "model/predictors.def"
#undef RC_PREDICTOR

#define RC_PREDICTOR(id) &rc_predictor_##id,
const rc_predictor_kind_t *const rc_predictor_kinds[] = {
#include "model/predictors.def"
    NULL};
#undef RC_PREDICTOR

const rc_predictor_kind_t *rc_predictor_find(const char *name)
{
    for (int i = 0; rc_predictor_kinds[i]; i++)
        if (strcmp(rc_predictor_kinds[i]->name, name) == 0)
            return rc_predictor_kinds[i];
    return NULL;
}

void rc_predictor_free(rc_predictor_t *p)
{
    if (p->kind)
        p->kind->free(p->state);
    *p = (rc_predictor_t){0};
}
