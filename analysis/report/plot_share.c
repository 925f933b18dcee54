#include "config.h"
#include "analysis/report/plot_data.h"
#include "base/alloc.h"
#include "table/split_half.h"

#include <inttypes.h>
#include <stdlib.h>

/* 1: the fastest order of matrix i leads every other one by more than the error. */
static int is_clear(const rc_survey_t *s, const rc_plot_orders_t *o, int64_t i)
{
    int winner = o->winner[i];
    rc_timed_t best = rc_timed_of(s->view, o->row[i * o->policies + winner]);
    for (int p = 0; p < o->policies; p++) {
        int64_t row = o->row[i * o->policies + p];
        if (p == winner || row < 0)
            continue;
        rc_timed_t time = rc_timed_of(s->view, row);
        if (rc_timed_tie(&best, &time))
            return 0;
    }
    return 1;
}

static rc_status_t draw(const rc_plot_input_t *in, const rc_plot_orders_t *o, FILE *csv,
    rc_plot_text_t *text, rc_err_t *err)
{
    int64_t *wins = rc_alloc0((size_t)o->policies, 2 * sizeof *wins, "a figure", err);
    if (!wins)
        return RC_ENOMEM;
    int64_t *clear = wins + o->policies;
    for (int64_t i = 0; i < o->matrices; i++) {
        wins[o->winner[i]]++;
        clear[o->winner[i]] += is_clear(in->survey, o, i);
    }
    fputs("policy,matrices that it is the fastest on,share (%),of these beyond the error,share "
          "beyond the error (%)\n",
        csv);
    for (int p = 0; p < o->policies; p++)
        RC_PLOT_ROW(csv, RC_TEXT(o->policy[p]), RC_INT(wins[p]),
            RC_REAL(100 * (double)wins[p] / (double)o->matrices, -4), RC_INT(clear[p]),
            RC_REAL(100 * (double)clear[p] / (double)o->matrices, -4));
    rc_plot_define_number(text, "POLICIES", o->policies);
    rc_str_addf(&text->define, "HEIGHT = %d\n", 80 + 26 * o->policies);
    rc_str_addf(&text->caption,
        "Share of %" PRId64 " matrices on which each row order is the fastest under kernel %s "
        "(%s); equal times go to csr, then to the upper one. Light: on these another order is "
        "within the error, so that they are ties.",
        o->matrices, o->setting->reference, o->setting->label);
    free(wins);
    return RC_OK;
}

const rc_plot_t rc_plot_share = {
    .name = "share",
    .title = "How often each row order is the fastest",
    .source = "Mehrabi et al., figure 9",
    .section = "Orders",
    .draw = draw,
};
