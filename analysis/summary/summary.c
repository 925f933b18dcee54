#include "config.h"
#include "analysis/summary/summary.h"
#include "base/error.h"
#include "table/counted.h"

#include <inttypes.h>
#include <stdio.h>
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

/* Results whose original order was not timed beside them, and what they are compared with. */
static void tell_unpaired(const char *what, const rc_counted_pairs_t *n)
{
    const struct {
        int64_t count;
        const char *text;
    } of[] = {{n->another_run, "are compared with that of another run"},
        {n->another_card, "have no speedup, for another card timed it"},
        {n->nothing, "have no speedup, for it has no time that counts"}};
    const int64_t all = n->another_run + n->another_card + n->nothing;
    const char *before = ":";
    if (all == 0)
        return;
    fprintf(stderr,
        "rowcast %s: %" PRId64 " of %" PRId64
        " results have no time of the original order (csr) from their own run",
        what, all, n->results);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        if (of[i].count == 0)
            continue;
        fprintf(stderr, "%s %" PRId64 " %s", before, of[i].count, of[i].text);
        before = ";";
    }
    fputc('\n', stderr);
}

rc_status_t rc_summary_tell_pairs(
    const char *what, const rc_view_t *v, const rc_expr_t *where, rc_err_t *err)
{
    rc_counted_t c;
    RC_PASS(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &c, err));
    const rc_counted_pairs_t n = rc_counted_pairs(&c);
    rc_counted_free(&c);
    tell_unpaired(what, &n);
    if (n.two_cards > 0)
        fprintf(stderr,
            "rowcast %s: on %" PRId64 " of %" PRId64
            " matrices, in all settings, times of several cards are compared\n",
            what, n.two_cards, n.cells);
    return RC_OK;
}
