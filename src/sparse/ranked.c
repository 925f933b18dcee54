/* Many are dealt out by the highest eight bits in which they differ, in place.  Few are sorted by
 * quicksort with the median of three, and insertion for short ranges. */
#include "config.h"
#include "sparse/ranked.h"

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

static void sort_range(rc_ranked_t *r, int64_t n)
{
    enum { few = 24 };
    while (n > few) {
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
        sort_range(other, others);
        if (other == r) {
            r += i;
            n -= i;
        } else {
            n = k + 1;
        }
    }
    insert_each(r, n);
}

enum { DIGITS = 256 };

/* Eight bits of the key, or of the tie where keys do not differ. */
typedef struct digit {
    int of_tie;
    int shift;
} digit_t;

static unsigned digit_of(rc_ranked_t x, digit_t d)
{
    return (unsigned)((d.of_tie ? x.tie : x.key) >> d.shift) % DIGITS;
}

/* The highest ones in which any two differ.  \return 0: they are all the same */
static int find_digit(const rc_ranked_t *r, int64_t n, digit_t *out)
{
    enum { bits = 8, all = 64 };
    uint64_t key = 0;
    uint64_t tie = 0;
    for (int64_t i = 1; i < n; i++) {
        key |= r[i].key ^ r[0].key;
        tie |= r[i].tie ^ r[0].tie;
    }
    uint64_t differ = key ? key : tie;
    if (!differ)
        return 0;
    int shift = all - __builtin_clzll(differ) - bits;
    *out = (digit_t){.of_tie = !key, .shift = shift > 0 ? shift : 0};
    return 1;
}

/* \param[out] end  of each digit */
static void deal(rc_ranked_t *r, int64_t n, digit_t d, int64_t end[DIGITS])
{
    int64_t next[DIGITS];
    int64_t before = 0;
    for (int i = 0; i < DIGITS; i++)
        end[i] = 0;
    for (int64_t i = 0; i < n; i++)
        end[digit_of(r[i], d)]++;
    for (int i = 0; i < DIGITS; i++) {
        next[i] = before;
        before += end[i];
        end[i] = before;
    }
    for (unsigned i = 0; i < DIGITS; i++)
        while (next[i] < end[i]) {
            rc_ranked_t x = r[next[i]];
            unsigned to = digit_of(x, d);
            while (to != i) { /* each goes to its place and takes away what is there */
                swap(&x, &r[next[to]++]);
                to = digit_of(x, d);
            }
            r[next[i]++] = x;
        }
}

/* \param[in] fork  1: large parts are tasks of the team */
static void sort_many(rc_ranked_t *r, int64_t n, int fork)
{
    enum { few = 1 << 11, many = 1 << 15 };
    int64_t end[DIGITS];
    digit_t d;
    if (n < few) {
        sort_range(r, n);
        return;
    }
    if (!find_digit(r, n, &d))
        return;
    deal(r, n, d, end);
    for (int i = 0; i < DIGITS; i++) {
        int64_t from = i ? end[i - 1] : 0;
        rc_ranked_t *part = r + from;
        int64_t parts = end[i] - from;
        if (fork && parts > many) {
#pragma omp task
            sort_many(part, parts, fork);
        } else if (parts > 1) {
            sort_many(part, parts, fork);
        }
    }
}

void rc_ranked_sort(rc_ranked_t *r, int64_t n, int threads)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    if (threads == 1 || n < alone) {
        sort_many(r, n, 0);
        return;
    }
#pragma omp parallel num_threads(threads)
#pragma omp single
    sort_many(r, n, 1);
}
