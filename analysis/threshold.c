#include "config.h"
#include "analysis/threshold.h"

#include <math.h>

float rc_threshold(const rc_model_t *m, int input, double raw, float low, float high)
{
    rc_model_t one = {.inputs = 1, .input = &m->input[input]};
    double x;
    rc_model_standardise(&one, &raw, &x);
    float t = nextafterf((float)x, INFINITY);
    return t > low && t <= high ? t : high;
}
