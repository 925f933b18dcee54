#include "blas.h"

double blas_dot(int64_t n, const double *x, const double *y, void *stream)
{
    double sum = 0;
    (void)stream;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

void blas_add(int64_t n, double a, const double *x, double b, double *y, void *stream)
{
    (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] = a * x[i] + (b != 0 ? b * y[i] : 0);
}

void blas_divide(int64_t n, const double *x, const double *d, double *y, void *stream)
{
    (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] / d[i];
}

void blas_above(int64_t n, const double *x, const double *c, double *y, void *stream)
{
    (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] = x[i] > c[i] ? x[i] - c[i] : 0;
}

void blas_primal(int64_t n, const double *t, const double *c, const double *g, double *x, double *bar, void *stream)
{
    (void)stream;
    for (int64_t i = 0; i < n; i++) {
        double old = x[i], next = old - t[i] * (c[i] - g[i]);
        x[i] = next > 0 ? next : 0;
        bar[i] = 2 * x[i] - old;
    }
}

void blas_dual(int64_t n, const double *s, const double *b, const double *g, double *y, void *stream)
{
    (void)stream;
    for (int64_t i = 0; i < n; i++)
        y[i] += s[i] * (b[i] - g[i]);
}
