#include "config.h"
#include "analysis/summary/summary.h"
#include "base/error.h"

#include <string.h>

#define RC_SUMMARY(id) &rc_summary_##id,
const rc_summary_t *const rc_summaries[] = {
#include "analysis/summary/summaries.def"
    NULL};
#undef RC_SUMMARY

const rc_summary_t *rc_summary_find(const rc_summary_t *const *list, const char *name)
{
    for (; *list; list++)
        if (strcmp((*list)->name, name) == 0)
            return *list;
    return NULL;
}

rc_status_t rc_summary_check(const rc_summary_t *s, const rc_summary_options_t *o, rc_err_t *err)
{
    const struct {
        const char *option;
        unsigned bit;
        int given;
    } list[] = {{"--matrices", RC_TAKES_MATRICES, o->by_matrix},
        {"--side-a", RC_TAKES_SIDES, o->side_a != NULL},
        {"--side-b", RC_TAKES_SIDES, o->side_b != NULL},
        {"--orders", RC_TAKES_ORDERS, o->orders != NULL},
        {"--kernel", RC_TAKES_KERNEL, o->kernel != NULL},
        {"--plan", RC_TAKES_PLAN, o->plan != NULL}, {"--by", RC_TAKES_BY, o->by != NULL},
        {"--limits", RC_TAKES_LIMITS, o->limits != NULL},
        {"--contestants", RC_TAKES_CONTESTANTS, o->contestants != NULL},
        {"--tuning", RC_TAKES_TUNING, o->tuning != NULL}, {"--top", RC_TAKES_TOP, o->top != 0}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].given && !(s->takes & list[i].bit))
            return rc_fail(
                err, RC_EINVAL, "%s does not go with the table %s", list[i].option, s->name);
    if (o->by_matrix && (o->by || o->tuning))
        return rc_fail(err, RC_EINVAL, "%s goes without --matrices", o->by ? "--by" : "--tuning");
    return RC_OK;
}
