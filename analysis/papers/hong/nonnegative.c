#include "config.h"
#include "analysis/papers/hong/nonnegative.h"

#include <math.h>

enum { MAX = RC_NONNEGATIVE_MAX, TURNS = 200000 };

/* Inputs of length 1, so that a step of one is as good as that of another. */
typedef struct normal {
    double g[MAX][MAX];
    double h[MAX];
    double length[MAX];
} normal_t;

static void make(const double *x, int64_t rows, int inputs, const double *y, normal_t *n)
{
    *n = (normal_t){.h = {0}};
    for (int64_t r = 0; r < rows; r++)
        for (int i = 0; i < inputs; i++) {
            const double xi = x[r * inputs + i];
            n->h[i] += xi * y[r];
            for (int j = 0; j < inputs; j++)
                n->g[i][j] += xi * x[r * inputs + j];
        }
    for (int i = 0; i < inputs; i++)
        n->length[i] = sqrt(n->g[i][i]);
    for (int i = 0; i < inputs; i++) {
        n->h[i] = n->length[i] > 0 ? n->h[i] / n->length[i] : 0;
        for (int j = 0; j < inputs; j++)
            n->g[i][j] = n->length[i] > 0 && n->length[j] > 0
                             ? n->g[i][j] / (n->length[i] * n->length[j])
                             : 0;
    }
}

void rc_nonnegative(const double *x, int64_t rows, int inputs, const double *y, double *coef)
{
    const double still = 1e-12;
    normal_t n;
    double moved = INFINITY;
    make(x, rows, inputs, y, &n);
    for (int i = 0; i < inputs; i++)
        coef[i] = 0;
    for (int turn = 0; turn < TURNS && moved > still; turn++) {
        moved = 0;
        for (int i = 0; i < inputs; i++) {
            double slope = n.h[i];
            for (int j = 0; j < inputs; j++)
                slope -= n.g[i][j] * coef[j];
            const double to = n.length[i] > 0 ? fmax(0, coef[i] + slope) : 0;
            moved = fmax(moved, fabs(to - coef[i]) / (1 + fabs(to)));
            coef[i] = to;
        }
    }
    for (int i = 0; i < inputs; i++)
        coef[i] = n.length[i] > 0 ? coef[i] / n.length[i] : 0;
}
