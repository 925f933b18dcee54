#include "config.h"
#include "analysis/ridge.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* Lower triangle of a symmetric matrix to its Cholesky factor; 0 when it is not positive. */
static int factor(double *a, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        if (!(a[j * n + j] > 0) || !isfinite(a[j * n + j]))
            return 0;
        a[j * n + j] = sqrt(a[j * n + j]);
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
    return 1;
}

static void solve(const double *l, int n, double *b)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= l[i * n + k] * b[k];
        b[i] /= l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= l[k * n + i] * b[k];
        b[i] /= l[i * n + i];
    }
}

/* Means over the rows with a y: mean[inputs] of x, mean[inputs] itself of y; how many. */
static int64_t means(const double *x, int64_t rows, int inputs, const double *y, double *mean)
{
    int64_t n = 0;
    for (int j = 0; j <= inputs; j++)
        mean[j] = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (!isfinite(y[i]))
            continue;
        n++;
        for (int j = 0; j < inputs; j++)
            mean[j] += x[i * inputs + j];
        mean[inputs] += y[i];
    }
    for (int j = 0; j <= inputs; j++)
        mean[j] /= (double)n;
    return n;
}

rc_status_t rc_ridge(const double *x, int64_t rows, int inputs, const double *y, double penalty,
    double *coef, rc_err_t *err)
{
    size_t p = (size_t)inputs;
    rc_pool_t pool = {0};
    double *a = rc_pool_get0(&pool, p * p, sizeof *a);
    double *mean = rc_pool_get(&pool, p + 1, sizeof *mean);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "normal equations", err));
    int64_t n = means(x, rows, inputs, y, mean);
    if (n == 0)
        RC_TRY(rc_fail(
            err, RC_EINVAL, "least squares over %lld rows: none has a value", (long long)rows));
    memset(coef, 0, (p + 1) * sizeof *coef);
    for (int64_t i = 0; i < rows; i++) {
        if (!isfinite(y[i]))
            continue;
        const double *row = x + i * inputs;
        for (int j = 0; j < inputs; j++) {
            double e = row[j] - mean[j];
            coef[1 + j] += e * (y[i] - mean[inputs]);
            for (int k = 0; k <= j; k++)
                a[j * inputs + k] += e * (row[k] - mean[k]);
        }
    }
    for (int j = 0; j < inputs; j++)
        a[j * inputs + j] += penalty * (double)n;
    if (!factor(a, inputs))
        RC_TRY(rc_fail(err, RC_EINVAL, "least squares over %lld rows: the inputs are not finite",
            (long long)rows));
    solve(a, inputs, coef + 1);
    coef[0] = mean[inputs];
    for (int j = 0; j < inputs; j++)
        coef[0] -= coef[1 + j] * mean[j];
done:
    rc_pool_free(&pool);
    return st;
}

double rc_ridge_at(const double *coef, int inputs, const double *x)
{
    double sum = coef[0];
    for (int j = 0; j < inputs; j++)
        sum += coef[1 + j] * x[j];
    return sum;
}
