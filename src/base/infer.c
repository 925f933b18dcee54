#include "config.h"
#include "base/infer.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

double rc_normal_p(double z)
{
    return erfc(fabs(z) / sqrt(2));
}

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a);
    double y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

double rc_signed_rank_p(double *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof *x, by_size);
    int64_t zeros = 0;
    while (zeros < n && x[zeros] == 0)
        zeros++;
    double sum = 0;      /* of the ranks of positive values, less those of negative ones */
    double variance = 0; /* of sum: the sum of the squared ranks */
    for (int64_t i = zeros; i < n;) {
        int64_t end = i;
        while (end < n && fabs(x[end]) == fabs(x[i]))
            end++;
        double rank = 0.5 * (double)(i + 1 + end) - (double)zeros;
        for (; i < end; i++) {
            sum += x[i] > 0 ? rank : -rank;
            variance += rank * rank;
        }
    }
    return variance > 0 ? rc_normal_p(sum / sqrt(variance)) : 1;
}

double rc_smirnov_p(const double *x, int64_t n, const double *y, int64_t m)
{
    double most = 0;
    for (int64_t i = 0, below = 0; i < n; i++) { /* of y, x[i] and less */
        while (below < m && y[below] <= x[i])
            below++;
        if (i + 1 == n || x[i + 1] > x[i])
            most = fmax(most, (double)(i + 1) / (double)n - (double)below / (double)m);
    }
    return n > 0 && m > 0 ? exp(-2 * most * most * (double)n * (double)m / (double)(n + m)) : 1;
}

typedef struct numbered {
    double p;
    int64_t at;
} numbered_t;

static int by_p(const void *a, const void *b)
{
    const numbered_t *x = a;
    const numbered_t *y = b;
    return x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->at > y->at) - (x->at < y->at);
}

rc_status_t rc_fdr(const double *p, int64_t n, double *q, rc_err_t *err)
{
    numbered_t *list = rc_alloc((size_t)n, sizeof *list, "false-discovery rates", err);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        q[i] = NAN;
        if (!isnan(p[i]))
            list[m++] = (numbered_t){p[i], i};
    }
    qsort(list, (size_t)m, sizeof *list, by_p);
    double least = 1;
    for (int64_t i = m - 1; i >= 0; i--) {
        double rate = list[i].p * (double)m / (double)(i + 1);
        least = rate < least ? rate : least;
        q[list[i].at] = least;
    }
    free(list);
    return RC_OK;
}
