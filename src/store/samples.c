#include "config.h"
#include "store/samples.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

enum { PIECE = 1 << 18 };

rc_status_t rc_window_look(rc_window_t *w, int64_t first, int64_t count, int64_t end, rc_err_t *err)
{
    if (first >= w->first && first + count <= w->first + w->count)
        return RC_OK;
    int64_t n = end - first > count ? end - first : count;
    w->count = 0;
    RC_PASS(rc_grow(&w->data, &w->capacity, (size_t)n, w->t->row_bytes, w->t->title, err));
    RC_PASS(rc_h5_read_rows(w->h, w->t, first, n, w->data, err));
    w->first = first;
    w->count = n;
    return RC_OK;
}

const void *rc_window_row(const rc_window_t *w, int64_t row)
{
    return (const char *)w->data + (size_t)(row - w->first) * w->t->row_bytes;
}

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
    rc_window_t *w = &s->window;
    int64_t at = r->sample_offset;
    /* behind what was read last there is more to come; elsewhere there need not be */
    int64_t end = at >= w->first && at <= w->first + w->count ? at + PIECE : at;
    w->h = s->h;
    w->t = &rc_schema_samples;
    RC_PASS(rc_window_look(w, at, r->reps, end < s->total ? end : s->total, err));
    *ns = rc_window_row(w, at);
    return RC_OK;
}

void rc_samples_free(rc_samples_t *s)
{
    free(s->window.data);
    s->window = (rc_window_t){0};
}
