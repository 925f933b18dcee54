#include "config.h"
#include "kernels/rs.h"
#include "base/error.h"

#include <inttypes.h>

/* A panel of B may take half of the shared memory of a multiprocessor of compute capability 9.0, less
 * the 1 KiB that the runtime keeps of it per CTA: two CTAs fit.  A CPU and other GPUs split alike, so
 * that times of the same parameters are those of the same split. */
enum { PANEL_BYTES = 113 * 1024, USUAL_T = 4, USUAL_CFV = 2, SPARE = 1 << 20 };

const char *const rc_rs_light_choices[] = {"add", "store", NULL};

/* The largest power of two of rows of a slice that the panel takes. */
static int64_t panel_width(int cfv, rc_precision_t precision)
{
    int64_t row = (int64_t)RC_RS_LANES * cfv * (int64_t)rc_precision_bytes(precision);
    int64_t w = 1;
    while (2 * w * row <= PANEL_BYTES)
        w *= 2;
    return w;
}

rc_rs_shape_t rc_rs_shape(const rc_problem_t *p)
{
    const int64_t *param = p->param;
    rc_rs_shape_t s = {.cfv = (int)param[RC_RS_CFV],
        .cfh = (int)param[RC_RS_CFH],
        .hblocks = (int)param[RC_RS_HBLOCKS],
        .stores = param[RC_RS_LIGHT] == RC_RS_LIGHT_STORE};
    if (s.cfv == 0)
        s.cfv = USUAL_CFV;
    if (s.cfh == 0)
        s.cfh = p->precision == RC_FP64 ? 1 : 2;
    s.rule.t = param[RC_RS_T] ? param[RC_RS_T] : USUAL_T;
    s.rule.w = param[RC_RS_W] ? param[RC_RS_W] : panel_width(s.cfv, p->precision);
    return s;
}

int64_t rc_rs_col_bytes(const rc_rs_shape_t *s)
{
    return s->rule.w <= RC_SEGMENTS_NARROW ? (int64_t)sizeof(uint16_t) : (int64_t)sizeof(int32_t);
}

rc_status_t rc_rs_count(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_rs_shape_t shape = rc_rs_shape(p);
    const rc_segments_source_t source = rc_segments_source_of(p->a);
    rc_segments_size_t n;
    if (p->schedule->slots > INT32_MAX - SPARE)
        return rc_fail(err, RC_ENOTSUP, "shape: %" PRId64 " slots, at most %d are implemented",
            p->schedule->slots, INT32_MAX - SPARE);
    rc_status_t st = rc_segments_measure(&source, &shape.rule, 1, &n, err);
    if (st < 0)
        return st;
    if (n.heavy > INT32_MAX - SPARE)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " heavy segments, at most %d are implemented", n.heavy,
            INT32_MAX - SPARE);
    out->chosen[RC_RS_HEAVY] = n.heavy;
    out->chosen[RC_RS_NNZ_HEAVY] = n.nnz_heavy;
    out->chosen[RC_RS_HEAVY_PANELS] = n.heavy_panels;
    out->chosen[RC_RS_HEAVY_ROWS] = n.heavy_rows;
    out->chosen[RC_RS_SEGMENTS] = n.segments;
    return RC_OK;
}
