#include "config.h"
#include "analysis/summary/head.h"

rc_head_t rc_head_new(const rc_summary_options_t *o, int show)
{
    if (o->format != RC_TABLE_TEXT)
        show |= RC_HEAD_DEVICE | RC_HEAD_CACHE | RC_HEAD_C_ORDER |
                (show & RC_HEAD_KERNEL ? RC_HEAD_GEOMETRY : 0);
    return (rc_head_t){.v = o->view, .format = o->format, .first_row = -1, .show = show};
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
}

rc_table_t *rc_head_begin(rc_head_t *h, const rc_column_t *own, int owns, rc_err_t *err)
{
    int n = 0;
    if (h->show & RC_HEAD_OP)
        h->column[n++] = (rc_column_t){"op", ""};
    if (h->show & RC_HEAD_KERNEL)
        h->column[n++] = (rc_column_t){"kernel", ""};
    h->column[n++] = (rc_column_t){"k", ""};
    h->column[n++] = (rc_column_t){"precision", ""};
    if (h->show & RC_HEAD_DEVICE)
        h->column[n++] = (rc_column_t){"device", ""};
    if (h->show & RC_HEAD_GEOMETRY) {
        h->column[n++] = (rc_column_t){"nw", ""};
        h->column[n++] = (rc_column_t){"nt", ""};
        h->column[n++] = (rc_column_t){"line", ""};
    }
    if (h->show & RC_HEAD_C_ORDER)
        h->column[n++] = (rc_column_t){"c_order", ""};
    if (h->show & RC_HEAD_CACHE)
        h->column[n++] = (rc_column_t){"cache", ""};
    if (h->show & RC_HEAD_SET)
        h->column[n++] = (rc_column_t){"set", ""};
    for (int i = 0; i < owns; i++)
        h->column[n++] = own[i];
    return rc_table_begin(stdout, h->format, h->column, n, err);
}

void rc_head_put(rc_table_t *t, const rc_head_t *h, const rc_setting_t *s, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(h->v, row);
    if (h->show & RC_HEAD_OP)
        rc_table_text(t, rc_view_name(rc_op_names, s->op));
    if (h->show & RC_HEAD_KERNEL)
        rc_table_text(t, rc_view_kernel(h->v, r->kernel));
    rc_put_k(t, s);
    rc_table_text(t, rc_view_name(rc_precision_names, s->precision));
    if (h->show & RC_HEAD_DEVICE)
        rc_table_text(t, rc_view_device(h->v, s->device));
    if (h->show & RC_HEAD_GEOMETRY) {
        RC_CELLS(t, RC_INT(r->nw), RC_INT(r->nt), RC_INT(r->line));
    }
    if (h->show & RC_HEAD_C_ORDER)
        rc_table_text(t, rc_view_name(rc_c_order_names, s->c_order));
    if (h->show & RC_HEAD_CACHE)
        rc_table_text(t, rc_view_name(rc_cache_names, s->cache));
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
