#include "config.h"
#include "table/print_setting.h"

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
