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
            err, RC_EINVAL, "no order of %" PRId64 " slots for %" PRId64 " rows", slots, rows);
    int32_t *row = rc_alloc((size_t)slots, sizeof *row, "an order", err);
    RC_PASS(row ? RC_OK : RC_ENOMEM);
    for (int64_t p = 0; p < slots; p++)
        row[p] = -1;
    *out = (rc_schedule_t){.slots = slots, .rows = rows, .row = row};
    return RC_OK;
}

rc_status_t rc_schedule_original(const rc_csr_t *a, rc_schedule_t *out, rc_err_t *err)
{
    RC_PASS(rc_schedule_alloc(a->rows, a->rows, out, err));
    for (int64_t r = 0; r < a->rows; r++)
        out->row[r] = (int32_t)r;
    return RC_OK;
}

void rc_schedule_free(rc_schedule_t *s)
{
    if (!s)
        return;
    free(s->row);
    free(s->col);
    for (int i = 0; i < s->levels; i++)
        free(s->group[i].ptr);
    memset(s, 0, sizeof *s);
}

int rc_schedule_is_identity(const rc_schedule_t *s)
{
    if (s->slots != s->rows)
        return 0;
    for (int64_t p = 0; p < s->slots; p++)
        if (s->row[p] != p)
            return 0;
    for (int64_t p = 0; p < s->cols; p++)
        if (s->col[p] != p)
            return 0;
    return 1;
}

rc_status_t rc_schedule_symmetric(rc_schedule_t *s, rc_err_t *err)
{
    if (s->slots == 0)
        return RC_OK;
    RC_PASS(RC_NEW(s->col, s->slots, "a column order", err));
    memcpy(s->col, s->row, (size_t)s->slots * sizeof *s->col);
    s->cols = s->slots;
    return RC_OK;
}

rc_status_t rc_schedule_add_groups(
    rc_schedule_t *s, const char *name, int64_t count, int64_t *ptr, rc_err_t *err)
{
    if (s->levels == RC_GROUP_LEVELS) {
        free(ptr);
        return rc_fail(err, RC_EINVAL, "%s: more than %d levels of groups", name, RC_GROUP_LEVELS);
    }
    s->group[s->levels++] = (rc_groups_t){.name = name, .count = count, .ptr = ptr};
    return RC_OK;
}

/* ------------------------------------------------------------------- check */

static rc_status_t check_rows(
    const rc_schedule_t *s, const rc_csr_t *a, unsigned char *seen, rc_err_t *err)
{
    for (int64_t p = 0; p < s->slots; p++) {
        int32_t r = s->row[p];
        if (r == -1)
            continue;
        if (r < 0 || r >= a->rows)
            return rc_fail(err, RC_EINVAL,
                "slot %" PRId64 ": expected a row in [0, %" PRId64 ") or -1, found %" PRId32, p,
                a->rows, r);
        if (seen[r])
            return rc_fail(
                err, RC_EINVAL, "slot %" PRId64 ": row %" PRId32 " is there twice", p, r);
        seen[r] = 1;
    }
    for (int64_t r = 0; r < a->rows; r++)
        if (!seen[r] && a->row_ptr[r + 1] > a->row_ptr[r])
            return rc_fail(err, RC_EINVAL, "row %" PRId64 " has entries and no slot", r);
    return RC_OK;
}

static rc_status_t check_columns(
    const rc_schedule_t *s, const rc_csr_t *a, unsigned char *seen, rc_err_t *err)
{
    if (s->cols != a->cols || a->rows != a->cols || s->slots != s->rows || !s->col)
        return rc_fail(err, RC_EINVAL,
            "columns: expected %" PRId64 " of a square matrix with as many slots, found %" PRId64
            " and %" PRId64 " slots",
            a->cols, s->cols, s->slots);
    for (int64_t p = 0; p < s->slots; p++)
        if (s->row[p] < 0)
            return rc_fail(err, RC_EINVAL, "slot %" PRId64 ": a pad in an order with columns", p);
    for (int64_t p = 0; p < s->cols; p++) {
        int32_t c = s->col[p];
        if (c < 0 || c >= a->cols)
            return rc_fail(err, RC_EINVAL,
                "position %" PRId64 ": expected a column in [0, %" PRId64 "), found %" PRId32, p,
                a->cols, c);
        if (seen[c])
            return rc_fail(
                err, RC_EINVAL, "position %" PRId64 ": column %" PRId32 " is there twice", p, c);
        seen[c] = 1;
    }
    return RC_OK;
}

static rc_status_t check_groups(const rc_schedule_t *s, rc_err_t *err)
{
    int64_t whole = s->slots;
    if (s->levels < 0 || s->levels > RC_GROUP_LEVELS)
        return rc_fail(
            err, RC_EINVAL, "%d levels of groups, expected at most %d", s->levels, RC_GROUP_LEVELS);
    for (int l = 0; l < s->levels; l++) {
        const rc_groups_t *g = &s->group[l];
        if (!g->name || g->count < 0 || !g->ptr)
            return rc_fail(err, RC_EINVAL, "level %d of groups has no name or no pointers", l);
        if (g->count > whole)
            return rc_fail(err, RC_EINVAL,
                "%s: expected at most %" PRId64 " groups, found %" PRId64, g->name, whole,
                g->count);
        if (g->ptr[0] != 0 || g->ptr[g->count] != whole)
            return rc_fail(err, RC_EINVAL,
                "%s: expected pointers from 0 to %" PRId64 ", found %" PRId64 " to %" PRId64,
                g->name, whole, g->ptr[0], g->ptr[g->count]);
        for (int64_t i = 0; i < g->count; i++)
            if (g->ptr[i + 1] <= g->ptr[i])
                return rc_fail(err, RC_EINVAL,
                    "%s: group %" PRId64 " begins at %" PRId64 " and ends at %" PRId64, g->name, i,
                    g->ptr[i], g->ptr[i + 1]);
        whole = g->count;
    }
    return RC_OK;
}

rc_status_t rc_schedule_check(const rc_schedule_t *s, const rc_csr_t *a, rc_err_t *err)
{
    if (!s)
        return rc_fail(err, RC_EINVAL, "order: expected one, found NULL");
    RC_PASS(rc_csr_check(a, err));
    return rc_schedule_fits(s, a, err);
}

rc_status_t rc_schedule_fits(const rc_schedule_t *s, const rc_csr_t *a, rc_err_t *err)
{
    if (s->rows != a->rows)
        return rc_fail(err, RC_EINVAL, "the order is for %" PRId64 " rows, the matrix has %" PRId64,
            s->rows, a->rows);
    if (s->slots < 0 || (s->slots > 0 && !s->row))
        return rc_fail(err, RC_EINVAL, "the order has %" PRId64 " slots and no rows", s->slots);
    int64_t most = a->rows > a->cols ? a->rows : a->cols;
    unsigned char *seen = rc_alloc0((size_t)most, 1, "checking an order", err);
    RC_PASS(seen ? RC_OK : RC_ENOMEM);
    rc_status_t st = check_rows(s, a, seen, err);
    if (st == RC_OK && (s->cols != 0 || s->col)) {
        memset(seen, 0, (size_t)most);
        st = check_columns(s, a, seen, err);
    }
    if (st == RC_OK)
        st = check_groups(s, err);
    free(seen);
    return st;
}
