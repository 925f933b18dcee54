#include "config.h"
#include "table/print_setting.h"

void rc_put_k(rc_table_t *t, const rc_setting_t *s)
{
    if (s->is_n)
        rc_table_text(t, "n");
    else if (s->k == 0)
        rc_table_missing(t);
    else
        rc_table_int(t, s->k);
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
