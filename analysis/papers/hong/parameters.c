#include "config.h"
#include "analysis/papers/hong/parameters.h"
#include "base/error.h"

enum { T = RC_PARAMETERS_T, STEPS = RC_PARAMETERS_STEPS, CELLS = RC_PARAMETERS_CELLS };

/* Numbers of 1, 2 and 4 are 0, 1 and 2. */
static int cell_of(int t, int v, int h)
{
    return (t * STEPS + v) * STEPS + h;
}

int rc_parameters_cell(int t, int cfv, int cfh)
{
    return cell_of(t - 1, cfv / 2, cfh / 2);
}

/* The fastest cell of a matrix; v, h: that number alone, or -1: all.  -1: it has no time there. */
static int fastest(const double *ns, int v, int h)
{
    int best = -1;
    for (int i = 0; i < CELLS; i++)
        if ((h < 0 || i % STEPS == h) && (v < 0 || i / STEPS % STEPS == v) && ns[i] > 0 &&
            (best < 0 || ns[i] < ns[best]))
            best = i;
    return best;
}

static int most_frequent(const int64_t *count, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (count[i] > count[best])
            best = i;
    return best;
}

rc_status_t rc_parameters_choose(
    const double *ns, int64_t n, int32_t *label, rc_parameters_t *out, rc_err_t *err)
{
    int64_t by_h[STEPS] = {0};
    int64_t by_v[STEPS] = {0};
    int64_t by_t[T] = {0};
    int64_t counted = 0;
    for (int64_t i = 0; i < n; i++) {
        int at = fastest(ns + i * CELLS, -1, -1);
        if (at >= 0)
            by_h[at % STEPS]++;
    }
    int h = most_frequent(by_h, STEPS);
    for (int64_t i = 0; i < n; i++) {
        int at = fastest(ns + i * CELLS, -1, h);
        if (at >= 0)
            by_v[at / STEPS % STEPS]++;
    }
    int v = most_frequent(by_v, STEPS);
    for (int64_t i = 0; i < n; i++) {
        int at = fastest(ns + i * CELLS, v, h);
        label[i] = at < 0 ? -1 : at / STEPS / STEPS;
        if (at >= 0) {
            by_t[label[i]]++;
            counted++;
        }
    }
    if (counted == 0)
        return rc_fail(err, RC_EINVAL, "no training matrix has a time");
    *out = (rc_parameters_t){
        .cfh = 1 << h, .cfv = 1 << v, .t = 1 + most_frequent(by_t, T), .counted = counted};
    return RC_OK;
}
