#include "config.h"
#include "analysis/summary/lines.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "table/training.h"

#include <stdlib.h>

rc_table_cell_t rc_k_cell(const rc_setting_t *s)
{
    if (s->is_n)
        return RC_TEXT("n");
    return s->k == 0 ? RC_MISSING : RC_INT(s->k);
}

void rc_put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s)
{
    RC_CELLS(t, RC_TEXT(rc_view_name(rc_precision_names, s->precision)),
        RC_TEXT(rc_view_name(rc_c_order_names, s->c_order)),
        RC_TEXT(rc_view_name(rc_cache_names, s->cache)), RC_TEXT(rc_view_device(v, s->device)));
}

void rc_put_stats(rc_table_t *t, const rc_stats_t *s)
{
    RC_CELLS(t, RC_REAL(s->max, 4), RC_REAL(s->mean, 4), RC_REAL(s->geomean, 4),
        RC_REAL(s->median, 4), RC_REAL(s->min, 4));
}

/* ------------------------------------------------------------------- head */

rc_head_t rc_head_new(const rc_summary_options_t *o, int show)
{
    if (o->format != RC_TABLE_TEXT)
        show |= RC_HEAD_DEVICE | RC_HEAD_CACHE | RC_HEAD_C_ORDER |
                (show & RC_HEAD_KERNEL ? RC_HEAD_GEOMETRY | RC_HEAD_LAYOUT : 0);
    return (rc_head_t){
        .v = o->view, .format = o->format, .first_row = -1, .last_row = -1, .show = show};
}

void rc_head_see(rc_head_t *h, const rc_setting_t *s, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(h->v, row);
    if (h->first_row < 0) {
        h->first = *s;
        h->first_row = row;
    }
    const rc_row_result_t *first = rc_view_result(h->v, h->first_row);
    h->show |= s->op != 0 ? RC_HEAD_OP : 0; /* spmm goes unsaid where there is nothing else */
    h->show |= s->device != h->first.device ? RC_HEAD_DEVICE : 0;
    h->show |= s->cache != h->first.cache ? RC_HEAD_CACHE : 0;
    h->show |= s->c_order != h->first.c_order ? RC_HEAD_C_ORDER : 0;
    if (h->show & RC_HEAD_KERNEL &&
        (r->nw != first->nw || r->nt != first->nt || r->line != first->line))
        h->show |= RC_HEAD_GEOMETRY;
    const rc_row_result_t *last = h->last_row < 0 ? r : rc_view_result(h->v, h->last_row);
    if (h->show & RC_HEAD_KERNEL && r->kernel == last->kernel && r->layout != last->layout)
        h->show |= RC_HEAD_LAYOUT;
    h->last_row = row;
}

/* The columns, and what shows them; 0: they are there always. */
static const struct {
    int show;
    const char *name;
} columns[] = {{RC_HEAD_OP, "op"}, {RC_HEAD_KERNEL, "kernel"}, {0, "k"}, {0, "precision"},
    {RC_HEAD_DEVICE, "device"}, {RC_HEAD_LAYOUT, "layout"}, {RC_HEAD_GEOMETRY, "nw"},
    {RC_HEAD_GEOMETRY, "nt"}, {RC_HEAD_GEOMETRY, "line"}, {RC_HEAD_C_ORDER, "c_order"},
    {RC_HEAD_CACHE, "cache"}, {RC_HEAD_SET, "set"}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static int is_shown(const rc_head_t *h, int column)
{
    return columns[column].show == 0 || h->show & columns[column].show;
}

rc_table_t *rc_head_begin(const rc_head_t *h, const char *own, int left_out, rc_err_t *err)
{
    rc_table_t *t = NULL;
    rc_str_t all = {0};
    for (int i = 0; i < COLUMNS; i++)
        if (is_shown(h, i))
            rc_str_addf(&all, "%s|", columns[i].name);
    rc_str_add(&all, own);
    if (all.failed)
        rc_fail(err, RC_ENOMEM, "no memory for columns");
    else
        t = rc_table_of(stdout, h->format, all.text, -left_out, err);
    rc_str_free(&all);
    return t;
}

void rc_head_put(rc_table_t *t, const rc_head_t *h, const rc_setting_t *s, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(h->v, row);
    const rc_table_cell_t cell[] = {RC_TEXT(rc_view_name(rc_op_names, s->op)),
        RC_TEXT(rc_view_kernel(h->v, r->kernel)), rc_k_cell(s),
        RC_TEXT(rc_view_name(rc_precision_names, s->precision)),
        RC_TEXT(rc_view_device(h->v, s->device)), RC_TEXT(rc_view_name(rc_layout_names, r->layout)),
        RC_INT(r->nw), RC_INT(r->nt), RC_INT(r->line),
        RC_TEXT(rc_view_name(rc_c_order_names, s->c_order)),
        RC_TEXT(rc_view_name(rc_cache_names, s->cache))};
    for (int i = 0; i < COLUMNS - 1; i++) /* less the set */
        if (is_shown(h, i))
            rc_table_cells(t, &cell[i], 1);
}

void rc_head_see_sets(rc_head_t *h, int64_t all, int64_t real)
{
    h->show |= all != real || h->format != RC_TABLE_TEXT ? RC_HEAD_SET : 0;
}

int rc_head_put_set(
    rc_table_t *t, const rc_head_t *h, const rc_setting_t *s, rc_segmented_set_t set)
{
    if (!(h->show & RC_HEAD_SET) && set != RC_SEGMENTED_ALL)
        return 0;
    rc_head_put(t, h, s, s->row);
    if (h->show & RC_HEAD_SET)
        rc_table_text(t, rc_segmented_set_names[set]);
    return 1;
}

int rc_head_has_words(const rc_head_t *h, int any)
{
    return any || h->format != RC_TABLE_TEXT;
}

/* ------------------------------------------------------------------ lines */

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
    RC_TRY(RC_NEW(scratch, 3 * (size_t)c.rows, "a table", err));
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
