#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "lsh_reference.h"

#include <math.h>
#include <stdlib.h>

static int64_t length(const rc_csr_t *a, int64_t r)
{
    return a->row_ptr[r + 1] - a->row_ptr[r];
}

double similarity_reference(const rc_csr_t *a, int64_t x, int64_t y)
{
    int64_t common = 0;
    for (int64_t e = a->row_ptr[x]; e < a->row_ptr[x + 1]; e++)
        for (int64_t f = a->row_ptr[y]; f < a->row_ptr[y + 1]; f++)
            common += a->col_idx[e] == a->col_idx[f];
    int64_t both = length(a, x) + length(a, y) - common;
    return both ? (double)common / (double)both : 0;
}

/* 1 when rows have the same columns. */
static int equal(const rc_csr_t *a, int64_t x, int64_t y)
{
    return length(a, x) == length(a, y) && similarity_reference(a, x, y) == 1;
}

static int64_t root(const int64_t *parent, int64_t r)
{
    while (parent[r] != r)
        r = parent[r];
    return r;
}

void merge_reference(
    const rc_csr_t *a, int64_t size, double *queue, int64_t *parent, int64_t *members)
{
    int64_t n = a->rows;
    char *seen = calloc((size_t)(n * n) + 1, 1);
    assert_non_null(seen);
    for (int64_t i = 0; i < n * n; i++)
        seen[i] = queue[i] >= 0;
    for (;;) {
        int64_t best = -1;
        for (int64_t i = 0; i < n * n; i++)
            if (queue[i] >= 0 && (best < 0 || queue[i] > queue[best]))
                best = i; /* of equal ones the first: the smaller x, then the smaller y */
        if (best < 0)
            break;
        queue[best] = -1;
        int64_t x = best / n;
        int64_t y = best % n;
        int64_t rx = root(parent, x);
        int64_t ry = root(parent, y);
        if (rx == ry || members[rx] >= size || members[ry] >= size)
            continue;
        int64_t low = rx < ry ? rx : ry;
        int64_t high = rx < ry ? ry : rx;
        if (rx == x && ry == y) {
            int64_t into = members[low] >= members[high] ? low : high;
            parent[low] = parent[high] = into;
            members[into] = members[low] + members[high];
        } else if (!seen[low * n + high]) {
            seen[low * n + high] = 1;
            queue[low * n + high] = similarity_reference(a, low, high);
        }
    }
    free(seen);
}

/* ------------------------------------------------------------------- pairs */

typedef struct table {
    int64_t units;
    int64_t *row;
    uint32_t *sig; /* [units * siglen] */
    const rc_lsh_rule_t *rule;
} table_t;

/* The values of a band of two units: < 0, 0, > 0 as memcmp would, if values were digits. */
static int compare_band(const table_t *t, int64_t band, int64_t u, int64_t v)
{
    for (int64_t i = band * t->rule->bsize; i < (band + 1) * t->rule->bsize; i++) {
        uint32_t x = t->sig[u * t->rule->siglen + i];
        uint32_t y = t->sig[v * t->rule->siglen + i];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static void sign(const rc_csr_t *a, table_t *t)
{
    for (int64_t u = 0; u < t->units; u++)
        for (int64_t i = 0; i < t->rule->siglen; i++) {
            uint32_t least = UINT32_MAX;
            for (int64_t e = a->row_ptr[t->row[u]]; e < a->row_ptr[t->row[u] + 1]; e++) {
                uint32_t h = (uint32_t)(rc_rng_hash((uint64_t)t->rule->seed,
                                            ((uint64_t)i << 32) + (uint64_t)a->col_idx[e]) >>
                                        32);
                least = h < least ? h : least;
            }
            t->sig[u * t->rule->siglen + i] = least;
        }
}

/* The bucket of unit u in the order of the next band, then of row.  \return its units */
static int64_t bucket_of(const table_t *t, int64_t band, int64_t u, int64_t *bucket)
{
    int64_t next = (band + 1) % (t->rule->siglen / t->rule->bsize);
    int64_t n = 0;
    for (int64_t v = 0; v < t->units; v++) {
        if (compare_band(t, band, u, v) != 0)
            continue;
        int64_t at = n++;
        for (; at > 0 && compare_band(t, next, v, bucket[at - 1]) < 0; at--)
            bucket[at] = bucket[at - 1];
        bucket[at] = v;
    }
    return n;
}

static void find_pairs(const rc_csr_t *a, const table_t *t, double *queue, rc_lsh_facts_t *facts)
{
    const rc_lsh_rule_t *rule = t->rule;
    double least = isnan(rule->sim_min)
                       ? pow((double)rule->bsize / (double)rule->siglen, 1 / (double)rule->bsize)
                       : rule->sim_min;
    int64_t *bucket = calloc((size_t)t->units + 1, sizeof *bucket);
    assert_non_null(bucket);
    while (facts->bands < rule->siglen / rule->bsize) {
        for (int64_t u = 0; u < t->units; u++) {
            int64_t n = bucket_of(t, facts->bands, u, bucket);
            int64_t at = 0;
            while (bucket[at] != u)
                at++;
            for (int64_t k = at + 1; k < n && (rule->window == 0 || k - at <= rule->window); k++) {
                int64_t x = t->row[u] < t->row[bucket[k]] ? t->row[u] : t->row[bucket[k]];
                int64_t y = t->row[u] + t->row[bucket[k]] - x;
                double s = similarity_reference(a, x, y);
                facts->candidates++;
                if (s >= least && queue[x * a->rows + y] < 0) {
                    queue[x * a->rows + y] = s;
                    facts->pairs++;
                }
            }
        }
        facts->bands++;
        if (rule->pair_max > 0 && facts->pairs > rule->pair_max * t->units)
            break;
    }
    free(bucket);
}

/* ------------------------------------------------------------------- units */

/* Equal rows, `size` at a time, are clusters; those of fewer rows are units. */
static void find_units(
    const rc_csr_t *a, int64_t size, int64_t *parent, int64_t *members, table_t *t)
{
    for (int64_t r = 0; r < a->rows; r++) {
        parent[r] = r;
        members[r] = 1;
        if (length(a, r) == 0)
            continue;
        for (int64_t q = 0; q < r; q++)
            if (parent[q] == q && members[q] < size && equal(a, q, r)) {
                parent[r] = q;
                members[q]++;
                break;
            }
    }
    for (int64_t r = 0; r < a->rows; r++)
        if (length(a, r) > 0 && parent[r] == r && members[r] < size)
            t->row[t->units++] = r;
}

void lsh_reference(
    const rc_csr_t *a, const rc_lsh_rule_t *rule, int32_t *row, rc_lsh_facts_t *facts)
{
    size_t n = (size_t)a->rows;
    table_t t = {.rule = rule};
    int64_t *parent = calloc(n + 1, sizeof *parent);
    int64_t *members = calloc(n + 1, sizeof *members);
    double *queue = calloc(n * n + 1, sizeof *queue);
    t.row = calloc(n + 1, sizeof *t.row);
    t.sig = calloc(n * (size_t)rule->siglen + 1, sizeof *t.sig);
    assert_true(parent && members && queue && t.row && t.sig);
    *facts = (rc_lsh_facts_t){0};
    for (size_t i = 0; i < n * n; i++)
        queue[i] = -1;
    find_units(a, rule->size, parent, members, &t);
    facts->units = t.units;
    sign(a, &t);
    find_pairs(a, &t, queue, facts);
    merge_reference(a, rule->size, queue, parent, members);
    int64_t slot = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        if (parent[r] != r)
            continue;
        facts->clusters++;
        facts->largest = members[r] > facts->largest ? members[r] : facts->largest;
        for (int64_t q = 0; q < a->rows; q++)
            if (root(parent, q) == r)
                row[slot++] = (int32_t)q;
    }
    assert_int_equal(slot, a->rows);
    free(parent);
    free(members);
    free(queue);
    free(t.row);
    free(t.sig);
}
