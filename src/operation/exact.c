#include "config.h"
#include "operation/exact.h"
#include "base/type.h"

#include <math.h>

double rc_exact_bound(rc_precision_t type, double mag, int64_t terms)
{
    const rc_type_t *value = rc_type(type);
    const rc_type_t *sum = rc_type(value->sum);
    const double n = (double)terms;
    if (terms == 0)
        return 0;
    return ((n + 1) * 2 * sum->unit + 2 * value->unit) * mag + n * sum->least + value->least;
}

static int overflows(rc_precision_t type, double size)
{
    return !isfinite(rc_type(type)->round(size)); /* of NaN too */
}

int rc_exact_may_overflow(rc_precision_t type, double mag, int64_t terms)
{
    return overflows(type, mag + rc_exact_bound(type, mag, terms));
}

/* Of an infinity where the exact value is finite. */
static double error_of_infinity(rc_precision_t type, const rc_exact_t *want, double found)
{
    const double bound = rc_exact_bound(type, want->mag, want->terms);
    const double way = copysign(1, found);
    const double least = way * want->value - bound; /* in the way of the infinity */
    const double most = way * want->value + bound;
    if (least > 0 && overflows(type, least))
        return 0;
    int may = (most > 0 && overflows(type, most)) ||
              rc_exact_may_overflow(rc_type(type)->sum, want->mag, want->terms);
    return may ? (double)NAN : (double)INFINITY;
}

double rc_exact_error(rc_precision_t type, const rc_exact_t *want, double found)
{
    const double bound = rc_exact_bound(type, want->mag, want->terms);
    const double off = fabs(found - want->value);
    if (!isfinite(want->mag))
        return NAN;
    if (isnan(want->value))
        return isnan(found) ? 0 : (double)INFINITY;
    if (isnan(found))
        return rc_exact_may_overflow(rc_type(type)->sum, want->mag, want->terms) ? (double)NAN
                                                                                 : (double)INFINITY;
    if (isinf(want->value) || found == want->value)
        return found == want->value ? 0 : (double)INFINITY;
    if (isinf(found))
        return error_of_infinity(type, want, found);
    return bound > 0 ? off / bound : (double)INFINITY;
}
