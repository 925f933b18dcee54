#include "config.h"
#include "cmd/sweep_plan.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"

#include <inttypes.h>
#include <stdio.h>

rc_status_t rc_sweep_plan_print(const rc_sweep_config_t *c, const rc_sweep_result_t *r,
    const rc_sweep_item_t *item, int64_t items, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"name", ""}, {"rows", ""}, {"cols", ""}, {"nnz", ""},
        {"pending", "cases"}, {"time", "s"}, {"memory", "MB"}, {"device_memory", "MB"},
        {"known", ""}, {"part", ""}, {"parts", ""}};
    double seconds = 0;
    rc_table_t *t = rc_table_begin(stdout, format, columns, 11, err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < items; i++) {
        const rc_entry_t *e = &c->catalog->entry[item[i].entry];
        RC_CELLS(t, RC_TEXT(e->name), RC_INT(e->rows), RC_INT(e->cols), RC_INT(e->nnz),
            RC_INT(item[i].cases), RC_REAL(item[i].cost_s, 3),
            RC_REAL((double)item[i].bytes * 1e-6, 3),
            RC_REAL((double)item[i].device_bytes * 1e-6, 3), RC_BOOL(item[i].known),
            RC_INT(item[i].part), RC_INT(item[i].parts));
        seconds += item[i].cost_s;
    }
    rc_status_t st = rc_table_end(t, err);
    char text[32];
    rc_text_seconds(seconds, text, sizeof text);
    fprintf(stderr,
        "%" PRId64 " of %" PRId64 " %s work left: %" PRId64 " case%s pending, %" PRId64
        " done, %" PRId64 " without a file; about %s on one rank (a rough estimate)\n",
        r->left, r->selected, r->selected == 1 ? "matrix has" : "matrices have", r->planned,
        rc_plural(r->planned), r->done_before, r->absent, text);
    return st;
}
