#include "config.h"
#include "analysis/summary/lines.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/training.h"

#include <stdlib.h>

static rc_status_t put_all(const rc_lines_t *l, rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const rc_counted_t *c = of->c;
    for (; of->from < c->rows; of->from = of->to) {
        const int32_t setting = c->row[of->from].setting;
        of->setting = &c->setting[setting];
        for (of->to = of->from; of->to < c->rows && c->row[of->to].setting == setting;)
            of->to++;
        for (of->set = 0; of->set < l->sets; of->set++)
            RC_PASS(l->put(of, t, err));
    }
    return RC_OK;
}

static rc_table_t *begin(const rc_lines_t *l, const rc_counted_t *c, const rc_summary_options_t *o,
    rc_head_t *head, rc_err_t *err)
{
    if (!l->has_head)
        return rc_table_of(stdout, o->format, l->columns, 0, err);
    *head = rc_head_new(o, 0);
    for (int s = 0; s < c->settings; s++)
        rc_head_see(head, &c->setting[s], c->setting[s].row);
    return rc_head_begin(head, l->columns, 0, err);
}

rc_status_t rc_lines_print(
    const rc_lines_t *l, void *user, const rc_summary_options_t *o, rc_err_t *err)
{
    rc_counted_t c = {0};
    unsigned char *training = NULL;
    double *scratch = NULL;
    rc_head_t head;
    rc_table_t *t = NULL;
    rc_status_t st;
    RC_TRY(rc_training_of(o->view, &training, err));
    RC_TRY(rc_counted_make(o->view, o->where, l->op, RC_SETTINGS_BY_K, &c, err));
    scratch = rc_alloc(3 * (size_t)c.rows, sizeof *scratch, "a table", err);
    RC_TRY(scratch ? RC_OK : RC_ENOMEM);
    if (l->columns)
        t = begin(l, &c, o, &head, err);
    rc_lines_of_t of = {
        .c = &c, .training = training, .scratch = scratch, .head = &head, .o = o, .user = user};
    st = put_all(l, &of, t, err);
    st = rc_table_end_after(st, t, err);
done:
    free(scratch);
    free(training);
    rc_counted_free(&c);
    return st;
}
