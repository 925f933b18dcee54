#include "config.h"
#include "analysis/threshold.h"

float rc_threshold(const rc_model_t *m, int input, double raw)
{
    const rc_model_t one = {.inputs = 1, .input = &m->input[input]};
    double x;
    rc_model_standardise(&one, &raw, &x);
    return (float)x;
}
