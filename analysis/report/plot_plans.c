#include "config.h"
#include "analysis/report/plot_plans.h"
#include "base/alloc.h"
#include "table/reorder.h"

#include <stdlib.h>

const char rc_plot_no_plans[] = "the store has not both aspt without reordering and with it there";

rc_status_t rc_plot_plans(const rc_plot_input_t *in, int setting, const char *plans, int count,
    int64_t **row, rc_err_t *err)
{
    const rc_survey_t *s = in->survey;
    const rc_survey_setting_t *a = &s->setting[setting];
    rc_contestant_t *list = NULL;
    int n = 0;
    *row = NULL;
    rc_status_t st = rc_contestants_parse(plans, &list, &n, err);
    if (st == RC_OK && n != count)
        st = RC_EINVAL;
    if (st == RC_OK) {
        *row = rc_alloc((size_t)(a->pairs * count), sizeof **row, "a figure", err);
        st = *row ? RC_OK : RC_ENOMEM;
    }
    for (int64_t i = 0; st == RC_OK && i < a->pairs; i++) {
        int64_t first = rc_survey_first_row(s, a->first + i);
        int64_t end = rc_survey_first_row(s, a->first + i + 1);
        for (int k = 0; k < count; k++)
            (*row)[i * count + k] =
                rc_contestant_fastest(s->view, s->rows + first, end - first, &list[k]);
    }
    rc_contestants_free(list, n);
    return st;
}
