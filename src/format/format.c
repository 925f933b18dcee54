#include "config.h"
#include "format/format.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "format/places.h"

#include <inttypes.h>
#include <string.h>

#define RC_FORMAT(id) extern const rc_format_t rc_format_##id;
#include "format/formats.def"
#undef RC_FORMAT

#define RC_FORMAT(id) &rc_format_##id,
const rc_format_t *const rc_formats[] = {
#include "format/formats.def"
    NULL};
#undef RC_FORMAT

static int member(int i, rc_member_t *out)
{
    const rc_format_t *f = rc_formats[i];
    if (f)
        *out = (rc_member_t){.name = f->name, .param = f->param};
    return f != NULL;
}

const rc_family_t rc_format_family = {.noun = "format", .plural = "formats", .member = member};

int64_t rc_format_at_int32(const void *from, int64_t i)
{
    return ((const int32_t *)from)[i];
}

int64_t rc_format_at_int64(const void *from, int64_t i)
{
    return ((const int64_t *)from)[i];
}

rc_status_t rc_format_put_int32(const rc_format_sink_t *sink, const char *name, const int32_t *from,
    int64_t count, rc_err_t *err)
{
    return sink->put(sink->user, name, rc_format_at_int32, from, count, err);
}

rc_status_t rc_format_put_int64(const rc_format_sink_t *sink, const char *name, const int64_t *from,
    int64_t count, rc_err_t *err)
{
    return sink->put(sink->user, name, rc_format_at_int64, from, count, err);
}

/* ------------------------------------------------------------------- sizes */

int64_t rc_format_bytes(const rc_format_size_t *s)
{
    int64_t bytes = 0;
    for (int i = 0; i < s->arrays; i++)
        bytes = rc_sat_add(bytes, s->array[i].bytes);
    return bytes;
}

double rc_format_fill(const rc_format_size_t *s, const rc_csr_view_t *e)
{
    return e->nnz > 0 ? (double)s->places / (double)e->nnz : 1;
}

/* Of a pointer to an entry: 4 or 8. */
static int64_t pointer_bytes(const rc_csr_view_t *e)
{
    return (int64_t)(e->nnz > INT32_MAX ? sizeof(int64_t) : sizeof(int32_t));
}

int64_t rc_format_longest(const rc_csr_view_t *e)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < e->rows; r++)
        if (e->ptr[r + 1] - e->ptr[r] > longest)
            longest = e->ptr[r + 1] - e->ptr[r];
    return longest;
}

void rc_format_add_array(rc_format_size_t *s, const char *name, int64_t count, int64_t bytes)
{
    s->array[s->arrays].name = name;
    s->array[s->arrays++].bytes = rc_sat_mul(count, bytes);
}

void rc_format_add_csr(rc_format_size_t *s, const rc_csr_view_t *e)
{
    rc_format_add_array(s, "row_ptr", e->rows + 1, pointer_bytes(e));
    rc_format_add_array(s, "col", e->nnz, (int64_t)sizeof(int32_t));
    rc_format_add_array(s, "val", e->nnz, (int64_t)rc_precision_bytes(e->precision));
    s->places = e->nnz;
}

void rc_format_add_number(rc_format_size_t *s, const char *name, const char *help, int64_t value)
{
    s->number[s->numbers].name = name;
    s->number[s->numbers].help = help;
    s->number[s->numbers++].value = value;
}

/* ---------------------------------------------------------------- building */

rc_status_t rc_format_room(int64_t bytes, rc_err_t *err)
{
    int64_t available = rc_memory_available();
    if (bytes > available)
        return rc_fail(
            err, RC_ENOMEM, "needs %" PRId64 " bytes, %" PRId64 " free", bytes, available);
    return RC_OK;
}

void rc_format_copy_places(const rc_csr_view_t *e, int64_t first, int64_t from_step, int64_t n,
    void *to, int64_t at, int64_t to_step)
{
    if (e->entry_bytes == 0)
        return;
    for (int64_t i = 0; i < n; i++) {
        int64_t from = first + i * from_step;
        int64_t number = e->entry ? rc_place_at(e->entry, e->entry_bytes, from) - 1 : from;
        rc_place_put(to, e->entry_bytes, at + i * to_step, number);
    }
}

int rc_format_new_places(const rc_csr_view_t *e, size_t n, void **out, rc_err_t *err)
{
    *out = e->entry_bytes ? rc_alloc0(n, (size_t)e->entry_bytes, "places of a format", err) : NULL;
    return *out || e->entry_bytes == 0;
}
