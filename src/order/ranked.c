/* Quicksort by the median of three, insertion for short ranges, and heap sort where the pivots are bad
 * for too long. */
#include "config.h"
#include "order/ranked.h"

static void swap(rc_ranked_t *x, rc_ranked_t *y)
{
    rc_ranked_t t = *x;
    *x = *y;
    *y = t;
}

static void insert_each(rc_ranked_t *r, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        rc_ranked_t x = r[i];
        int64_t k = i;
        for (; k > 0 && rc_ranked_before(x, r[k - 1]); k--)
            r[k] = r[k - 1];
        r[k] = x;
    }
}

void rc_ranked_sift(rc_ranked_t *r, int64_t n)
{
    int64_t at = 0;
    if (n < 2)
        return;
    rc_ranked_t x = r[0];
    for (int64_t child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && rc_ranked_before(r[child + 1], r[child]))
            child++;
        if (!rc_ranked_before(r[child], x))
            break;
        r[at] = r[child];
        at = child;
    }
    r[at] = x;
}

void rc_ranked_lift(rc_ranked_t *r, int64_t n)
{
    int64_t at = n - 1;
    rc_ranked_t x = r[at];
    for (; at > 0 && rc_ranked_before(x, r[(at - 1) / 2]); at = (at - 1) / 2)
        r[at] = r[(at - 1) / 2];
    r[at] = x;
}

/* Slow, and never quadratic. */
static void heap_sort(rc_ranked_t *r, int64_t n)
{
    for (int64_t i = 2; i <= n; i++)
        rc_ranked_lift(r, i);
    for (int64_t i = n; i > 1; i--) { /* the smallest goes to the end */
        swap(&r[0], &r[i - 1]);
        rc_ranked_sift(r, i - 1);
    }
    for (int64_t i = 0; i < n / 2; i++)
        swap(&r[i], &r[n - 1 - i]);
}

static rc_ranked_t median(rc_ranked_t *r, int64_t n)
{
    rc_ranked_t *a = &r[0];
    rc_ranked_t *b = &r[n / 2];
    rc_ranked_t *c = &r[n - 1];
    if (rc_ranked_before(*b, *a))
        swap(a, b);
    if (rc_ranked_before(*c, *b))
        swap(b, c);
    if (rc_ranked_before(*b, *a))
        swap(a, b);
    return *b;
}

/* \param[in] depth  partitions left before heap sort takes over
 * \param[in] fork   1: long halves are tasks of the team */
static void sort_range(rc_ranked_t *r, int64_t n, int depth, int fork)
{
    enum { few = 24, many = 1 << 15 };
    while (n > few) {
        if (depth-- == 0) {
            heap_sort(r, n);
            return;
        }
        rc_ranked_t pivot = median(r, n);
        int64_t i = 0;
        int64_t k = n - 1;
        while (i <= k) {
            while (rc_ranked_before(r[i], pivot))
                i++;
            while (rc_ranked_before(pivot, r[k]))
                k--;
            if (i <= k)
                swap(&r[i++], &r[k--]);
        }
        /* [0, k] and [i, n): the shorter one first, so that the depth of calls is logarithmic */
        rc_ranked_t *other = k + 1 < n - i ? r : r + i;
        int64_t others = k + 1 < n - i ? k + 1 : n - i;
        if (fork && others > many) {
#pragma omp task
            sort_range(other, others, depth, fork);
        } else {
            sort_range(other, others, depth, fork);
        }
        if (other == r) {
            r += i;
            n -= i;
        } else {
            n = k + 1;
        }
    }
    insert_each(r, n);
}

void rc_ranked_sort(rc_ranked_t *r, int64_t n, int threads)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    int depth = 2;
    for (int64_t m = n; m > 1; m /= 2)
        depth += 2;
    if (threads == 1 || n < alone) {
        sort_range(r, n, depth, 0);
        return;
    }
#pragma omp parallel num_threads(threads)
#pragma omp single
    sort_range(r, n, depth, 1);
}
