#include "config.h"
#include "order_reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct reference {
    int64_t rows;
    int64_t lines;
    int64_t nw;
    unsigned char *bit;  /* [rows][lines] */
    int64_t *load;       /* [rows] */
    unsigned char *used; /* [rows] */
} reference_t;

static int64_t distance(const reference_t *t, int64_t r, int64_t s)
{
    int64_t d = 0;
    for (int64_t l = 0; l < t->lines; l++)
        d += t->bit[r * t->lines + l] != t->bit[s * t->lines + l];
    return d;
}

static int64_t lowest_load(const reference_t *t)
{
    int64_t best = -1;
    for (int64_t r = 0; r < t->rows; r++)
        if (!t->used[r] && (best < 0 || t->load[r] < t->load[best]))
            best = r;
    return best;
}

static int64_t largest_load(const reference_t *t)
{
    int64_t best = 0;
    for (int64_t r = 0; r < t->rows; r++)
        if (!t->used[r] && t->load[r] > best)
            best = t->load[r];
    return best;
}

/* The unplaced row closest to `ref`; `mode` decides ties: 'i' index, 'l' load nearest to that of
 * `other`, 'd' distance to `other` (when not negative).  Rows of another load than `only` are out
 * when `only` is not negative. */
static int64_t closest(const reference_t *t, int64_t ref, char mode, int64_t other, int64_t only)
{
    int64_t best = -1;
    int64_t best_d = 0;
    int64_t best_tie = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        if (t->used[r] || (only >= 0 && t->load[r] != only))
            continue;
        int64_t d = distance(t, ref, r);
        int64_t tie = 0;
        if (mode == 'l')
            tie = t->load[r] > t->load[other] ? t->load[r] - t->load[other]
                                              : t->load[other] - t->load[r];
        else if (mode == 'd' && other >= 0)
            tie = distance(t, other, r);
        if (best < 0 || d < best_d || (d == best_d && tie < best_tie)) {
            best = r;
            best_d = d;
            best_tie = tie;
        }
    }
    return best;
}

static int64_t next(const reference_t *t, const char *policy, const int32_t *slot, int64_t p)
{
    int64_t warp_before = p >= t->nw ? slot[p - t->nw] : -1;
    if (strcmp(policy, "hybrid1") == 0) {
        int64_t top = largest_load(t);
        if (p > 0)
            return closest(t, slot[p - 1], 'i', -1, top);
        for (int64_t r = 0; r < t->rows; r++)
            if (t->load[r] == top)
                return r;
    }
    if (strcmp(policy, "warp") == 0)
        return p < t->nw ? lowest_load(t) : closest(t, warp_before, 'i', -1, -1);
    if (strcmp(policy, "hybrid2.3") == 0)
        return p < t->nw ? lowest_load(t) : closest(t, warp_before, 'l', slot[p - 1], -1);
    if (p == 0)
        return lowest_load(t);
    if (strcmp(policy, "cta") == 0)
        return closest(t, slot[p - 1], 'i', -1, -1);
    if (strcmp(policy, "hybrid2.1") == 0)
        return closest(t, slot[p - 1], 'l', slot[p - 1], -1);
    if (strcmp(policy, "hybrid2.2") == 0)
        return closest(t, slot[p - 1], 'd', warp_before, -1);
    return -1;
}

int reference_order(const char *policy, const rc_csr_t *a, const rc_geometry_t *g, int32_t *slot)
{
    reference_t t = {.rows = a->rows, .lines = (a->cols + g->line - 1) / g->line, .nw = g->nw};
    size_t rows = (size_t)t.rows;
    int done = 0;
    t.bit = calloc(rows * (size_t)t.lines + 1, 1);
    t.load = calloc(rows + 1, sizeof *t.load);
    t.used = calloc(rows + 1, 1);
    if (t.bit && t.load && t.used) {
        for (int64_t r = 0; r < t.rows; r++)
            for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++) {
                t.bit[r * t.lines + a->col_idx[i] / g->line] = 1;
                if ((i - a->row_ptr[r]) % g->nt == 0)
                    t.load[r]++;
            }
        done = 1;
        for (int64_t p = 0; p < t.rows && done; p++) {
            int64_t r = next(&t, policy, slot, p);
            done = r >= 0;
            if (done) {
                slot[p] = (int32_t)r;
                t.used[r] = 1;
            }
        }
    }
    free(t.bit);
    free(t.load);
    free(t.used);
    return done;
}
