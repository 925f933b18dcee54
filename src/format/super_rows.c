#include "config.h"
#include "format/super_rows.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_super_rows_choices[] = {"auto", NULL};

/* The groups that a schedule has for a level, if its levels below are taken as well. */
static const rc_groups_t *groups_of(const rc_problem_t *p, int level, const int64_t *size)
{
    static const char *const names[] = {"sr_ptr", "ssr_ptr"};
    const rc_schedule_t *s = p->schedule;
    for (int l = 0; l <= level; l++)
        if (size[l] != RC_SUPER_ROWS_AUTO || l >= s->levels ||
            strcmp(s->group[l].name, names[l]) != 0)
            return NULL;
    return &s->group[level];
}

static int64_t size_of(int level, const int64_t *size, const int64_t *tuned)
{
    static const int64_t usual[] = {RC_SRS_DEFAULT, RC_SSRS_DEFAULT};
    return size[level] != RC_SUPER_ROWS_AUTO ? size[level] : tuned ? tuned[level] : usual[level];
}

rc_status_t rc_super_rows_count(const rc_problem_t *p, int levels, const int64_t *size,
    const int64_t *tuned, rc_super_rows_t *out, rc_err_t *err)
{
    int64_t below = p->schedule->slots;
    if (below > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "super-rows have pointers of 4 bytes, there are %" PRId64 " slots", below);
    *out = (rc_super_rows_t){.levels = levels};
    for (int l = 0; l < levels; l++) {
        const rc_groups_t *g = groups_of(p, l, size);
        int64_t n = size_of(l, size, tuned);
        out->count[l] = g ? g->count : below / n + (below % n != 0);
        below = out->count[l];
    }
    return RC_OK;
}

int64_t rc_super_rows_bytes(const rc_super_rows_t *s)
{
    int64_t bytes = 0;
    for (int l = 0; l < s->levels; l++)
        bytes += (s->count[l] + 1) * (int64_t)sizeof *s->ptr[l];
    return bytes;
}

void rc_super_rows_free(rc_super_rows_t *s)
{
    free(s->ptr[0]);
    free(s->ptr[1]);
    *s = (rc_super_rows_t){0};
}

rc_status_t rc_super_rows_build(const rc_problem_t *p, int levels, const int64_t *size,
    const int64_t *tuned, rc_super_rows_t *out, rc_err_t *err)
{
    rc_super_rows_t s;
    RC_PASS(rc_super_rows_count(p, levels, size, tuned, &s, err));
    int64_t below = p->schedule->slots;
    for (int l = 0; l < levels; l++) {
        const rc_groups_t *g = groups_of(p, l, size);
        int64_t n = size_of(l, size, tuned);
        s.ptr[l] = rc_alloc((size_t)s.count[l] + 1, sizeof *s.ptr[l], "super-rows", err);
        if (!s.ptr[l]) {
            rc_super_rows_free(&s);
            return RC_ENOMEM;
        }
        for (int64_t i = 0; i <= s.count[l]; i++)
            s.ptr[l][i] = (int32_t)(g ? g->ptr[i] : i < s.count[l] ? i * n : below);
        below = s.count[l];
    }
    *out = s;
    return RC_OK;
}
