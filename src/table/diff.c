#include "config.h"
#include "table/diff.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/diff_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_verdict_names[] = {
    "same", "slower", "faster", "unclear", "broken", "fixed", "failing", "only_a", "only_b", NULL};
const char *const rc_diff_ignore_names[] = {
    "versions", "device", "geometry", "cache", "c_order", NULL};

/* Slowest first, then in the order of the stores; NaN last. */
static int by_ratio(const void *a, const void *b)
{
    const rc_diff_case_t *x = a;
    const rc_diff_case_t *y = b;
    int missing = isnan(x->ratio) - isnan(y->ratio);
    if (missing)
        return missing;
    if (x->ratio != y->ratio && !isnan(x->ratio))
        return x->ratio < y->ratio ? 1 : -1;
    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

typedef struct ranked {
    rc_diff_group_t g;
    int32_t at;
} ranked_t;

static int by_geomean(const void *a, const void *b)
{
    const ranked_t *x = a;
    const ranked_t *y = b;
    int missing = isnan(x->g.geomean) - isnan(y->g.geomean);
    if (missing)
        return missing;
    if (x->g.geomean != y->g.geomean && !isnan(x->g.geomean))
        return x->g.geomean < y->g.geomean ? 1 : -1;
    return x->at - y->at;
}

static rc_status_t sort(rc_diff_t *d, rc_err_t *err)
{
    if (d->cases)
        qsort(d->item, (size_t)d->cases, sizeof *d->item, by_ratio);
    ranked_t *list = rc_alloc((size_t)d->groups, sizeof *list, "groups", err);
    int32_t *place = rc_alloc((size_t)d->groups, sizeof *place, "groups", err);
    if (!list || !place) {
        free(list);
        free(place);
        return RC_ENOMEM;
    }
    for (int32_t i = 0; i < d->groups; i++)
        list[i] = (ranked_t){d->group[i], i};
    qsort(list, (size_t)d->groups, sizeof *list, by_geomean);
    for (int32_t i = 0; i < d->groups; i++) {
        d->group[i] = list[i].g;
        place[list[i].at] = i;
    }
    for (int64_t i = 0; i < d->cases; i++)
        d->item[i].group = place[d->item[i].group];
    free(list);
    free(place);
    return RC_OK;
}

rc_status_t rc_diff(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err)
{
    rc_diff_t d = {0};
    rc_status_t st;
    if (!(options->threshold > 0) || !(options->fdr > 0 && options->fdr < 1) || options->noise < 0)
        return rc_fail(err, RC_EINVAL,
            "expected a threshold above 0, a false-discovery rate between 0 and 1, and noise of at "
            "least 0");
    RC_TRY(rc_diff_match(a, b, options, &d, err));
    RC_TRY(rc_diff_judge(a, b, options, &d, err));
    RC_TRY(rc_diff_judge_groups(options, &d, err));
    for (int64_t i = 0; i < d.cases; i++)
        d.count[d.item[i].verdict]++;
    for (int32_t i = 0; i < d.groups; i++)
        d.group_count[d.group[i].verdict]++;
    RC_TRY(sort(&d, err));
    *out = d;
    return RC_OK;
done:
    rc_diff_free(&d);
    return st;
}

void rc_diff_free(rc_diff_t *d)
{
    free(d->item);
    free(d->group);
    *d = (rc_diff_t){0};
}
