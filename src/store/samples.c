#include "config.h"
#include "store/samples.h"
#include "base/alloc.h"
#include "base/error.h"

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
    if (at < s->first || at + r->reps > s->first + s->count) {
        /* behind what was read last there is more to come; elsewhere there need not be */
        int64_t more = at >= s->first && at <= s->first + s->count ? PIECE : 0;
        int64_t n = more < s->total - at ? more : s->total - at;
        n = n > r->reps ? n : r->reps;
        s->count = 0;
        RC_PASS(RC_GROW(s->ns, s->capacity, (size_t)n, "raw times", err));
        RC_PASS(rc_h5_read_rows(s->h, &rc_schema_samples, at, n, s->ns, err));
        s->first = at;
        s->count = n;
    }
    *ns = s->ns + (at - s->first);
    return RC_OK;
}

void rc_samples_free(rc_samples_t *s)
{
    free(s->ns);
    *s = (rc_samples_t){0};
}
