#include "config.h"
#include "store/samples.h"
#include "base/alloc.h"

#include <stdlib.h>

enum { PIECE = 1 << 18 };

int rc_samples_has(const rc_row_result_t *r)
{
    return r->sample_offset >= 0 && r->reps > 0;
}

int rc_samples_inside(const rc_samples_t *s, const rc_row_result_t *r)
{
    return r->sample_offset <= s->total && r->reps <= s->total - r->sample_offset;
}

rc_status_t rc_samples_of(
    rc_samples_t *s, const rc_row_result_t *r, const int64_t **ns, rc_err_t *err)
{
    int64_t at = r->sample_offset;
    int64_t behind = s->first + s->count;
    if (at < s->first || at + r->reps > behind) {
        /* behind what was read last there is more to come; elsewhere there need not be */
        int64_t n = at >= s->first && at <= behind && PIECE > r->reps ? PIECE : r->reps;
        n = n < s->total - at ? n : s->total - at;
        rc_status_t st = RC_GROW(s->piece, s->capacity, (size_t)n, "raw times", err);
        s->count = 0;
        if (st == RC_OK)
            st = rc_h5_read_rows(s->h, &rc_schema_samples, at, n, s->piece, err);
        if (st < 0)
            return st;
        s->first = at;
        s->count = n;
    }
    *ns = s->piece + (at - s->first);
    return RC_OK;
}

void rc_samples_free(rc_samples_t *s)
{
    free(s->piece);
    s->piece = NULL;
    s->capacity = 0;
}
