#include "config.h"
#include "analysis/merit.h"

#include <math.h>

static double capped_loss(const double *time, int c, int best, double cap)
{
    double loss = log(time[c] / time[best]);
    return loss < cap ? loss : cap;
}

void rc_merit(const rc_dataset_t *d, int64_t row, double cap, double *merit)
{
    const double *time = d->time + row * d->classes;
    int best = rc_dataset_best(d, row);
    double mean = 0;
    for (int c = 0; c < d->classes; c++) {
        merit[c] = -capped_loss(time, c, best, cap);
        mean += merit[c] / d->classes;
    }
    for (int c = 0; c < d->classes; c++)
        merit[c] -= mean;
}
