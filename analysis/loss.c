#include "config.h"
#include "analysis/loss.h"

#include <math.h>

double rc_loss_mape(
    const rc_loss_t *self, int classes, const double *out, const double *target, double *grad)
{
    (void)self;
    double sum = 0;
    for (int c = 0; c < classes; c++) {
        double e = out[c] - target[c];
        double slope = exp(fmin(e, 1));
        double error = e > 1 ? slope * e - 1 : slope - 1; /* exp(1) (e - 1) + exp(1) - 1 */
        sum += fabs(error);
        if (grad)
            grad[c] = (error > 0 ? slope : error < 0 ? -slope : 0) / classes;
    }
    return sum / classes;
}

double rc_loss_square(
    const rc_loss_t *self, int classes, const double *out, const double *target, double *grad)
{
    (void)self;
    double sum = 0;
    for (int c = 0; c < classes; c++) {
        double e = out[c] - target[c];
        sum += e * e;
        if (grad)
            grad[c] = 2 * e / classes;
    }
    return sum / classes;
}

double rc_loss_entropy(
    const rc_loss_t *self, int classes, const double *out, const double *target, double *grad)
{
    (void)self;
    double max = out[0];
    for (int c = 1; c < classes; c++)
        max = fmax(max, out[c]);
    double sum = 0;
    for (int c = 0; c < classes; c++)
        sum += exp(out[c] - max);
    double log_sum = max + log(fmax(sum, 1)); /* the largest output alone gives 1 */
    double loss = 0;
    for (int c = 0; c < classes; c++) {
        if (target[c] > 0)
            loss -= target[c] * (out[c] - log_sum);
        if (grad)
            grad[c] = exp(out[c] - log_sum) - target[c];
    }
    return fmax(loss, 0);
}

static double huber(double e, double *slope)
{
    *slope = fmax(-1, fmin(1, e));
    return fabs(e) <= 1 ? e * e / 2 : fabs(e) - 0.5;
}

double rc_loss_level(
    const rc_loss_t *self, int classes, const double *out, const double *target, double *grad)
{
    double e = out[self->baseline] - target[self->baseline];
    for (int c = 0; grad && c < classes; c++)
        grad[c] = c == self->baseline ? 2 * e : 0;
    return e * e;
}

double rc_loss_ratio(
    const rc_loss_t *self, int classes, const double *out, const double *target, double *grad)
{
    double share = classes > 1 ? 1.0 / (classes - 1) : 0;
    double sum = 0;
    for (int c = 0; c < classes; c++) {
        double slope = 0;
        if (c != self->baseline)
            sum += share * huber((out[c] - target[c]) / self->scale, &slope);
        if (grad)
            grad[c] = share * slope / self->scale;
    }
    return sum;
}

double rc_loss_regret(
    const rc_loss_t *self, int classes, const double *out, const double *target, double *grad)
{
    int b = self->baseline;
    double min_out = 0;
    double best = 0;
    for (int c = 0; c < classes; c++)
        if (c != b) {
            min_out = fmin(min_out, out[c]);
            best = fmin(best, target[c]);
        }
    double sum = 0;
    double expected = 0;
    for (int c = 0; c < classes; c++) {
        double p = exp(((c == b ? 0 : out[c]) - min_out) / -self->temperature);
        sum += p;
        expected += p * ((c == b ? 0 : target[c]) - best);
    }
    expected /= sum;
    double fit = self->mix > 0 ? rc_loss_ratio(self, classes, out, target, grad) : 0;
    for (int c = 0; grad && c < classes; c++) {
        double p = exp(((c == b ? 0 : out[c]) - min_out) / -self->temperature) / sum;
        double more = c == b ? 0 : p * (expected - (target[c] - best)) / self->temperature;
        grad[c] = more / self->scale + (self->mix > 0 ? self->mix * grad[c] : 0);
    }
    return expected / self->scale + self->mix * fit;
}
