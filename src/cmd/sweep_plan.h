/** \file cmd/sweep_plan.h  What a sweep would do, as a table. */
#ifndef RC_CMD_SWEEP_PLAN_H
#define RC_CMD_SWEEP_PLAN_H

#include "table/print.h"
#include "sweep/sweep.h"

/** Print the items of a dry run on stdout, and their sums in words on stderr.
 *  \param[in] item  [items] of rc_sweep_dry_run
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_sweep_plan_print(const rc_sweep_config_t *c, const rc_sweep_result_t *r,
    const rc_sweep_item_t *item, int64_t items, rc_table_format_t format, rc_err_t *err);

#endif
