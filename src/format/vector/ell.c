#include "config.h"
#include "format/vector/ell.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const rc_ell_limits[] = {"none", "cusp", NULL};

int64_t rc_ell_pitch(const rc_csr_view_t *e)
{
    return (e->rows + RC_ELL_PITCH - 1) / RC_ELL_PITCH * RC_ELL_PITCH;
}

void rc_ell_add(
    rc_format_size_t *s, const rc_csr_view_t *e, int64_t width, const char *col, const char *val)
{
    int64_t places = rc_sat_mul(width, rc_ell_pitch(e));
    rc_format_add_array(s, col, places, (int64_t)sizeof(int32_t));
    rc_format_add_array(s, val, places, (int64_t)rc_precision_bytes(e->precision));
    rc_format_add_number(s, "width", "places of a row", width);
    rc_format_add_number(
        s, "pitch", "places from one column of places to the next", rc_ell_pitch(e));
    s->places = rc_sat_add(s->places, places);
}

/* Places first .. last - 1 of every column of places. */
static void fill_rows(const rc_csr_view_t *e, int64_t first, int64_t last, rc_ell_t *l)
{
    for (int64_t k = 0; k < l->width; k++)
        for (int64_t r = first; r < last; r++) {
            int64_t to = k * l->pitch + r;
            int64_t from = r < e->rows ? e->ptr[r] + k : 0;
            int held = r < e->rows && from < e->ptr[r + 1];
            l->col[to] = held ? e->col[from] : RC_ELL_PAD;
            if (held)
                rc_format_copy_places(e, from, 1, 1, l->entry, to, 1);
        }
}

rc_status_t rc_ell_build(
    const rc_csr_view_t *e, int64_t width, int threads, rc_ell_t *out, rc_err_t *err)
{
    rc_ell_t l = {.rows = e->rows, .width = width, .pitch = rc_ell_pitch(e)};
    size_t places = (size_t)(l.width * l.pitch);
    l.col = rc_alloc(places, sizeof *l.col, "columns of ELLPACK", err);
    if (!rc_format_new_places(e, places, &l.entry, err) || !l.col) {
        rc_ell_free(&l);
        return RC_ENOMEM;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t r = 0; r < l.pitch; r += RC_ELL_PITCH)
        fill_rows(e, r, r + RC_ELL_PITCH, &l);
    *out = l;
    return RC_OK;
}

void rc_ell_free(rc_ell_t *l)
{
    free(l->col);
    free(l->entry);
    *l = (rc_ell_t){0};
}

rc_status_t rc_ell_put(const rc_format_sink_t *sink, const rc_ell_t *l, rc_err_t *err)
{
    RC_PASS(rc_format_put_int64(sink, "width", &l->width, 1, err));
    RC_PASS(rc_format_put_int64(sink, "pitch", &l->pitch, 1, err));
    return rc_format_put_int32(sink, "col", l->col, l->width * l->pitch, err);
}

rc_status_t rc_ell_limit(const rc_format_size_t *size, int64_t nnz, int64_t limit, rc_err_t *err)
{
    enum { most_fill = 3, most_places = 1000000 };
    if (limit == RC_ELL_LIMIT_CUSP && size->places > most_places &&
        size->places > rc_sat_mul(most_fill, nnz))
        return rc_fail(err, RC_ENOTSUP,
            "limit=cusp: %" PRId64 " places for %" PRId64 " entries, more than %d and %d times",
            size->places, nnz, most_places, most_fill);
    return RC_OK;
}

static rc_status_t measure(
    const rc_csr_view_t *e, const int64_t *param, rc_format_size_t *out, rc_err_t *err)
{
    rc_ell_add(out, e, rc_format_longest(e), "col", "val");
    return rc_ell_limit(out, e->nnz, param[0], err);
}

static rc_status_t dump(const rc_csr_view_t *e, const int64_t *param, int threads,
    const rc_format_sink_t *sink, rc_err_t *err)
{
    rc_format_size_t size = {0};
    rc_ell_t l = {0};
    rc_status_t st;
    RC_TRY(measure(e, param, &size, err));
    RC_TRY(rc_format_room(rc_format_bytes(&size), err));
    RC_TRY(rc_ell_build(e, rc_format_longest(e), threads, &l, err));
    st = rc_ell_put(sink, &l, err);
done:
    rc_ell_free(&l);
    return st;
}

const rc_format_t rc_format_ell = {
    .name = "ell",
    .summary = "as many places for every row as the longest one has entries",
    .source = "Bell and Garland 2009",
    .param = {RC_ELL_LIMIT_PARAM},
    .measure = measure,
    .dump = dump,
};
