#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

rc_status_t rc_schedule_alloc(int64_t slots, int64_t rows, rc_schedule_t *out, rc_err_t *err)
{
    if (slots < 0 || rows < 0 || rows > INT32_MAX)
        return rc_fail(
            err, RC_EINVAL, "no schedule of %" PRId64 " slots for %" PRId64 " rows", slots, rows);
    if ((uint64_t)slots > SIZE_MAX / sizeof *out->row)
        return rc_fail(err, RC_ENOMEM, "no memory for a schedule of %" PRId64 " slots", slots);
    int32_t *row = rc_alloc((size_t)slots, sizeof *row, "a schedule", err);
    if (!row)
        return RC_ENOMEM;
    for (int64_t p = 0; p < slots; p++)
        row[p] = -1;
    *out = (rc_schedule_t){.slots = slots, .rows = rows, .row = row};
    return RC_OK;
}

void rc_schedule_free(rc_schedule_t *s)
{
    if (!s)
        return;
    free(s->row);
    memset(s, 0, sizeof *s);
}

int rc_schedule_is_identity(const rc_schedule_t *s)
{
    if (s->slots != s->rows)
        return 0;
    for (int64_t p = 0; p < s->slots; p++)
        if (s->row[p] != p)
            return 0;
    return 1;
}

rc_status_t rc_schedule_check(const rc_schedule_t *s, const rc_csr_t *a, rc_err_t *err)
{
    if (s->rows != a->rows)
        return rc_fail(err, RC_EINVAL, "schedule is for %" PRId64 " rows, the matrix has %" PRId64,
            s->rows, a->rows);
    if (s->slots < 0 || (s->slots > 0 && !s->row))
        return rc_fail(err, RC_EINVAL, "schedule has %" PRId64 " slots and no rows", s->slots);
    unsigned char *seen = rc_alloc0((size_t)a->rows, 1, "checking a schedule", err);
    if (!seen)
        return RC_ENOMEM;
    rc_status_t st = RC_OK;
    for (int64_t p = 0; p < s->slots && st == RC_OK; p++) {
        int32_t r = s->row[p];
        if (r == -1)
            continue;
        if (r < 0 || r >= a->rows)
            st = rc_fail(err, RC_EINVAL,
                "slot %" PRId64 ": expected a row in [0, %" PRId64 ") or -1, found %" PRId32, p,
                a->rows, r);
        else if (seen[r])
            st = rc_fail(err, RC_EINVAL, "slot %" PRId64 ": row %" PRId32 " is there twice", p, r);
        else
            seen[r] = 1;
    }
    for (int64_t r = 0; r < a->rows && st == RC_OK; r++)
        if (!seen[r] && a->row_ptr[r + 1] > a->row_ptr[r])
            st = rc_fail(err, RC_EINVAL, "row %" PRId64 " has entries and no slot", r);
    free(seen);
    return st;
}
