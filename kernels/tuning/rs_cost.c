#include "config.h"
#include "kernels/tuning/rs_cost.h"
#include "base/error.h"

#include <math.h>

static double not_negative(double x)
{
    return x > 0 ? x : 0;
}

/* time = each * units + entry * entries, through two points that differ in the number of
 * entries. */
typedef struct line {
    double each;  /* per segment or row */
    double entry; /* per entry */
} line_t;

/* \param[in] units  segments or rows of both  \param[in] entries, time  of the one and the other */
static rc_status_t solve(
    double units, const double entries[2], const double time[2], line_t *out, rc_err_t *err)
{
    for (int i = 0; i < 2; i++)
        if (!(time[i] > 0) || isinf(time[i]))
            return rc_fail(err, RC_EINVAL,
                "a calibration time: expected a positive number, found %g", time[i]);
    if (!(units > 0) || entries[0] == entries[1])
        return rc_fail(
            err, RC_EINVAL, "calibration matrices: expected two of different numbers of entries");
    double entry = (time[0] - time[1]) / (entries[0] - entries[1]);
    double each = (time[1] - entry * entries[1]) / units;
    *out = (line_t){not_negative(each), not_negative(entry)};
    return RC_OK;
}

rc_status_t rc_rs_cost_heavy(const rc_rs_heavy_times_t *t, int i, rc_rs_cost_t *out, rc_err_t *err)
{
    double n = (double)t->n;
    double segments = n * (double)t->panels;
    const double entries[2] = {n * n, segments * (double)t->tau};
    const double time[2] = {t->dense, t->sparse};
    line_t line;
    RC_PASS(solve(segments, entries, time, &line, err));
    out->heavy_segment[i] = line.each;
    out->heavy_entry[i] = line.entry;
    return RC_OK;
}

rc_status_t rc_rs_cost_light(const rc_rs_light_times_t *t, rc_rs_cost_t *out, rc_err_t *err)
{
    double n = (double)t->n;
    const double entries[2] = {n * (double)t->many_entries, n * (double)t->few_entries};
    const double time[2] = {t->many, t->few};
    line_t line;
    RC_PASS(solve(n, entries, time, &line, err));
    out->light_row = line.each;
    out->light_entry = line.entry;
    return RC_OK;
}

double rc_rs_cost_time(const rc_rs_cost_t *c, int i, const rc_segments_size_t *s)
{
    return c->heavy_segment[i] * (double)s->heavy + c->heavy_entry[i] * (double)s->nnz_heavy +
           c->light_row * (double)s->light_rows + c->light_entry * (double)s->nnz_light;
}

int rc_rs_cost_choose(const rc_rs_cost_t *c, const rc_segments_size_t *s)
{
    int best = 0;
    for (int i = 1; i < RC_RS_COSTS; i++)
        if (rc_rs_cost_time(c, i, &s[i]) < rc_rs_cost_time(c, best, &s[best]))
            best = i;
    return best;
}
