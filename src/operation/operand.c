#include "config.h"
#include "operation/operand.h"
#include "base/error.h"
#include "base/type.h"

#include <string.h>

const char *rc_layout_name(rc_layout_t l)
{
    static const char *const names[RC_LAYOUTS] = {"col", "row", "row-col", "col-row"};
    return (unsigned)l < RC_LAYOUTS ? names[l] : "unknown";
}

rc_layout_t rc_layout_in(rc_layout_t l)
{
    return l == RC_ROW_MAJOR || l == RC_ROW_COL ? RC_ROW_MAJOR : RC_COL_MAJOR;
}

rc_layout_t rc_layout_out(rc_layout_t l)
{
    return l == RC_ROW_MAJOR || l == RC_COL_ROW ? RC_ROW_MAJOR : RC_COL_MAJOR;
}

rc_status_t rc_layout_parse(const char *text, rc_layout_t *out, rc_err_t *err)
{
    for (int l = 0; l < RC_LAYOUTS; l++)
        if (strcmp(text, rc_layout_name((rc_layout_t)l)) == 0) {
            *out = (rc_layout_t)l;
            return RC_OK;
        }
    return rc_fail(
        err, RC_EINVAL, "unknown layout '%.40s'; expected row, col, row-col or col-row", text);
}

const char *rc_c_order_name(rc_c_order_t o)
{
    return o == RC_C_ORIGINAL ? "original" : o == RC_C_SCHEDULE ? "schedule" : "symmetric";
}

rc_status_t rc_precision_parse(const char *text, rc_precision_t *out, rc_err_t *err)
{
    return rc_type_parse(RC_TYPES_REAL, text, out, err);
}

size_t rc_precision_bytes(rc_precision_t p)
{
    return (size_t)rc_type(p)->bytes;
}

size_t rc_sum_bytes(rc_precision_t p)
{
    return rc_precision_bytes(rc_type(p)->sum);
}

double rc_precision_round(rc_precision_t p, double value)
{
    return rc_type(p)->round(value);
}
