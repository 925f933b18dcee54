/* Candidate pairs by locality-sensitive hashing (Leskovec, Rajaraman, Ullman, chapter 3), which
 * Jiang et al. 2020 take as a black box.  All of this is chosen here: the hash i of a column c is
 * the upper half of rc_rng_hash(seed, i 2^32 + c); value i of a row's signature is the smallest of
 * its columns; rows share a bucket of a band when the values of the band are equal, themselves and
 * not a hash of them.  In a bucket units stand in the order of the values of the next band (after
 * the last comes the first), then of row, and each is a candidate with the `window` units after it.
 * A pair of similarity sim_min or more is kept.  After a band with more than pair_max pairs a unit
 * the others are left out.
 *
 * Only the values of two bands are kept, as words of two 32-bit values.  A band scatters the units
 * by its first word, then sorts each part; all threads look for pairs, which join the others after
 * the band, so that nothing depends on who found what. */
#include "config.h"
#include "order/lsh.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/similarity.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>

/* Units plus entries below which a team costs more than it brings: it waits at each of some 200
 * barriers, and on a busy machine for a core that is somebody else's.  A candidate of a band counts
 * as many of them. */
enum { ALONE = 1 << 18, BANDS_ALONE = 16 };

enum { WAITING = 64 };

typedef struct worker {
    uint64_t waiting[WAITING]; /* candidates (rc_pair) that wait for the memory that they need */
    int count;
    int64_t candidates;
    rc_pair_list_t found; /* in this band */
    rc_status_t status;
    rc_err_t err;
} worker_t;

typedef struct lsh {
    rc_pool_t pool; /* of the arrays */
    rc_lsh_t *s;
    double sim_min;
    int counting;      /* 1: candidates are counted only */
    int team;          /* that pays in this band */
    int64_t words;     /* of a band: bsize / 2, rounded up */
    uint64_t *word[2]; /* [words * units] of this band and of the next one, word by word */
    uint32_t *hash;    /* [2 * cols] of the values of a word; NULL: found for each entry */
    rc_ranked_t *item; /* [units] key: a word; tie: of_unit */
    int64_t parts;     /* a power of two */
    int part_bits;
    uint32_t *part; /* [parts + 1] */
    worker_t *worker;
} lsh_t;

/* -------------------------------------------------------------- signatures */

/* Values `first` and first + 1 of every unit as one word; of one value the lower half is 0. */
static void sign(const lsh_t *l, int64_t first, int values, uint64_t *word)
{
    const rc_csr_t *a = l->s->a;
    const uint64_t key = rc_rng_key((uint64_t)l->s->rule->seed);
    uint32_t *hash = l->hash;
    int second = values == 2;
#pragma omp parallel num_threads(l->team)
    {
        if (hash) {
#pragma omp for schedule(static)
            for (int64_t c = 0; c < a->cols; c++) {
                hash[2 * c] = rc_signature_hash(key, first, c);
                hash[2 * c + 1] = second ? rc_signature_hash(key, first + 1, c) : 0;
            }
        }
#pragma omp for schedule(dynamic, 1024)
        for (int64_t u = 0; u < l->s->units.count; u++) {
            int64_t r = l->s->units.row[u];
            uint32_t high = UINT32_MAX;
            uint32_t low = UINT32_MAX;
            for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
                int64_t c = a->col_idx[e];
                uint32_t h = hash ? hash[2 * c] : rc_signature_hash(key, first, c);
                uint32_t g = hash     ? hash[2 * c + 1]
                             : second ? rc_signature_hash(key, first + 1, c)
                                      : 0;
                high = h < high ? h : high;
                low = g < low ? g : low;
            }
            word[u] = (uint64_t)high << 32 | low;
        }
    }
}

static void sign_band(const lsh_t *l, int64_t band, uint64_t *word)
{
    int64_t bsize = l->s->rule->bsize;
    for (int64_t w = 0; w < l->words; w++)
        sign(l, band * bsize + 2 * w, 2 * w + 1 < bsize ? 2 : 1, word + w * l->s->units.count);
}

/* -------------------------------------------------------------- candidates */

/* Look at those that wait. */
static void look(const lsh_t *l, worker_t *w)
{
    const rc_csr_t *a = l->s->a;
    int left = 0;
    for (int i = 0; i < w->count; i++) {
        uint64_t pair = w->waiting[i];
        if (rc_pair_set_has(&l->s->seen, pair))
            continue;
        __builtin_prefetch(a->col_idx + a->row_ptr[pair >> 32]);
        __builtin_prefetch(a->col_idx + a->row_ptr[pair & UINT32_MAX]);
        w->waiting[left++] = pair;
    }
    w->count = 0;
    if (w->status == RC_OK)
        w->status = rc_pair_list_reserve(&w->found, left, &w->err);
    if (w->status < 0)
        return;
    for (int i = 0; i < left; i++) {
        uint64_t pair = w->waiting[i];
        double similarity =
            rc_row_similarity(a, (int64_t)(pair >> 32), (int64_t)(pair & UINT32_MAX));
        if (similarity >= l->sim_min)
            w->found.pair[w->found.count++] = (rc_ranked_t){rc_pair_key(similarity), pair};
    }
}

/* Rows of too different lengths cannot be similar: their similarity is at most the ratio of the
 * lengths, and division keeps the order when it rounds. */
static void consider(const lsh_t *l, worker_t *w, uint64_t u, uint64_t v)
{
    const int64_t *ptr = l->s->a->row_ptr;
    uint32_t x = (uint32_t)u;
    uint32_t y = (uint32_t)v;
    w->candidates++;
    if (rc_jaccard_most(ptr[x + 1] - ptr[x], ptr[y + 1] - ptr[y]) < l->sim_min)
        return;
    uint64_t pair = rc_pair((int32_t)x, (int32_t)y);
    if (l->s->seen.slot)
        __builtin_prefetch(l->s->seen.slot + rc_pair_slot(&l->s->seen, pair));
    w->waiting[w->count++] = pair;
    if (w->count == WAITING)
        look(l, w);
}

/* sort items that agree so far by word `at` of the next band, and equal ones by the words after
 * it. */
static void sort_by_next(const lsh_t *l, rc_ranked_t *r, int64_t n, int64_t at)
{
    const uint64_t *word = l->word[1] + at * l->s->units.count;
    for (int64_t i = 0; i < n; i++)
        r[i].key = word[r[i].tie >> 32];
    rc_ranked_sort(r, n, 1);
    if (at + 1 == l->words)
        return;
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && r[end].key == r[i].key; end++)
            ;
        if (end - i > 1)
            sort_by_next(l, r + i, end - i, at + 1);
    }
}

static void compare_bucket(const lsh_t *l, worker_t *w, rc_ranked_t *r, int64_t n)
{
    int64_t window = l->s->rule->window > 0 ? l->s->rule->window : n;
    if (l->counting) {
        w->candidates += n * (n - 1) / 2;
        return;
    }
    if (window + 1 < n)
        sort_by_next(l, r, n, 0);
    for (int64_t i = 0; i < n && w->status == RC_OK; i++)
        for (int64_t k = i + 1; k < n && k - i <= window; k++)
            consider(l, w, r[i].tie, r[k].tie);
}

/* Find the buckets among items that agree in the words of the band before `at`, with word `at` as
 * their keys. */
static void find_buckets(const lsh_t *l, worker_t *w, rc_ranked_t *r, int64_t n, int64_t at)
{
    rc_ranked_sort(r, n, 1);
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && r[end].key == r[i].key; end++)
            ;
        if (end - i == 1)
            continue;
        if (at + 1 == l->words) {
            compare_bucket(l, w, r + i, end - i);
            continue;
        }
        const uint64_t *word = l->word[0] + (at + 1) * l->s->units.count;
        for (int64_t k = i; k < end; k++)
            r[k].key = word[r[k].tie >> 32];
        find_buckets(l, w, r + i, end - i, at + 1);
    }
}

/* ------------------------------------------------------------------- bands */

/* What a bucket needs of a unit: its number, by which they are sorted, and its row. */
static uint64_t of_unit(const rc_units_t *units, int64_t u)
{
    return (uint64_t)u << 32 | (uint32_t)units->row[u];
}

static int64_t part_of(const lsh_t *l, uint64_t word)
{
    return l->part_bits ? (int64_t)(rc_rng_golden(word ^ word >> 32) >> (64 - l->part_bits)) : 0;
}

/* Units of equal first words come into the same part. */
static void scatter(lsh_t *l)
{
    const uint64_t *word = l->word[0];
    int64_t n = l->s->units.count;
    memset(l->part, 0, ((size_t)l->parts + 1) * sizeof *l->part);
    for (int64_t u = 0; u < n; u++)
        l->part[part_of(l, word[u])]++;
    uint32_t before = 0;
    for (int64_t p = 0; p <= l->parts; p++) { /* to the end of each part, */
        before += l->part[p];
        l->part[p] = before;
    }
    for (int64_t u = n - 1; u >= 0; u--) /* which moves to its beginning */
        l->item[--l->part[part_of(l, word[u])]] = (rc_ranked_t){word[u], of_unit(&l->s->units, u)};
}

/* Take over what the workers have found. */
static rc_status_t gather(lsh_t *l, rc_err_t *err)
{
    int64_t found = 0;
    for (int i = 0; i < l->s->threads; i++) {
        if (l->worker[i].status < 0) {
            if (err)
                *err = l->worker[i].err;
            return l->worker[i].status;
        }
        found += l->worker[i].found.count;
    }
    RC_PASS(rc_pair_list_reserve(&l->s->list, found, err));
    for (int i = 0; i < l->s->threads; i++) {
        rc_pair_list_t *f = &l->worker[i].found;
        if (f->count > 0)
            memcpy(l->s->list.pair + l->s->list.count, f->pair, (size_t)f->count * sizeof *f->pair);
        l->s->list.count += f->count;
        rc_pair_list_free(f); /* before the set grows */
    }
    return rc_pair_set_follow(&l->s->seen, &l->s->list, err);
}

static rc_status_t compare_band(lsh_t *l, rc_err_t *err)
{
    scatter(l);
#pragma omp parallel num_threads(l->team)
    {
        worker_t *w = &l->worker[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 256)
        for (int64_t p = 0; p < l->parts; p++) {
            int64_t from = l->part[p];
            int64_t n = l->part[p + 1] - from;
            if (n > 1 && w->status == RC_OK)
                find_buckets(l, w, l->item + from, n, 0);
        }
        look(l, w);
    }
    return gather(l, err);
}

/* Seen so far. */
static int64_t candidates_of(const lsh_t *l)
{
    int64_t n = 0;
    for (int i = 0; i < l->s->threads; i++)
        n = rc_sat_add(n, l->worker[i].candidates);
    return n;
}

/* Without a window the candidates are counted before one is looked at: they may all be kept. */
static rc_status_t check_candidates(lsh_t *l, rc_err_t *err)
{
    enum { bytes = 32 }; /* of a pair, in the list and in the set */
    int64_t n = l->s->units.count;
    int64_t most = n * (n - 1) / 2;
    rc_status_t st = RC_OK;
    l->counting = 1;
    for (int64_t b = 0; st == RC_OK && b < l->s->rule->siglen / l->s->rule->bsize; b++) {
        sign_band(l, b, l->word[0]);
        st = compare_band(l, err);
    }
    l->counting = 0;
    int64_t pairs = candidates_of(l);
    pairs = pairs < most ? pairs : most;
    for (int i = 0; i < l->s->threads; i++)
        l->worker[i].candidates = 0;
    return st < 0 ? st : rc_pairs_check_memory(pairs, rc_sat_mul(pairs, bytes), err);
}

/* Threads that pay, after a band with so many candidates. */
static int team_of(const lsh_t *l, int64_t candidates)
{
    int64_t work = l->s->a->nnz + l->s->units.count + BANDS_ALONE * candidates;
    int64_t most = work < ALONE ? 1 : work / (ALONE / 8);
    return most < l->s->threads ? (int)most : l->s->threads;
}

static rc_status_t compare_bands(lsh_t *l, rc_err_t *err)
{
    const rc_order_input_t *in = l->s->in;
    rc_lsh_facts_t *facts = &l->s->facts;
    const rc_lsh_rule_t *rule = l->s->rule;
    int64_t bands = rule->siglen / rule->bsize;
    int64_t units = l->s->units.count;
    rc_status_t st = rule->window == 0 ? check_candidates(l, err) : RC_OK;
    sign_band(l, 0, l->word[0]);
    while (st == RC_OK && facts->bands < bands) {
        int64_t before = candidates_of(l);
        sign_band(l, (facts->bands + 1) % bands, l->word[1]);
        st = compare_band(l, err);
        uint64_t *word = l->word[0];
        l->word[0] = l->word[1];
        l->word[1] = word;
        facts->bands++;
        l->team = team_of(l, candidates_of(l) - before);
        if (st == RC_OK)
            st = rc_order_go_on(in, err);
        if (in && in->watch.placed) /* the merging is the rest */
            *in->watch.placed =
                (int64_t)((double)l->s->a->rows * (double)facts->bands / (double)(bands + 8));
        if (rule->pair_max > 0 && l->s->list.count > rc_sat_mul(rule->pair_max, units))
            break;
    }
    facts->candidates = candidates_of(l);
    facts->pairs = l->s->list.count;
    return st;
}

static rc_status_t allocate(lsh_t *l, rc_err_t *err)
{
    int64_t n = l->s->units.count;
    l->part_bits = 0;
    while (INT64_C(8) << l->part_bits < n)
        l->part_bits++;
    l->parts = INT64_C(1) << l->part_bits;
    size_t words = (size_t)rc_sat_mul(l->words, n);
    for (int i = 0; i < 2; i++)
        l->word[i] = rc_pool_get(&l->pool, words, sizeof *l->word[i]);
    l->item = rc_pool_get(&l->pool, (size_t)n, sizeof *l->item);
    l->part = rc_pool_get(&l->pool, (size_t)l->parts + 1, sizeof *l->part);
    l->worker = rc_pool_get0(&l->pool, (size_t)l->s->threads, sizeof *l->worker);
    if (l->s->a->nnz / 2 >=
        l->s->a->cols) /* else an entry at a time is faster, and takes no memory */
        l->hash = rc_pool_get(&l->pool, (size_t)l->s->a->cols, 2 * sizeof *l->hash);
    return rc_pool_check(&l->pool, "signatures of rows", err);
}

rc_status_t rc_lsh_check(const rc_lsh_rule_t *rule, rc_err_t *err)
{
    if (rule->siglen % rule->bsize != 0)
        return rc_fail(err, RC_EINVAL,
            "siglen: expected a multiple of bsize, found %" PRId64 " and %" PRId64, rule->siglen,
            rule->bsize);
    return RC_OK;
}

double rc_lsh_sim_min(const rc_lsh_rule_t *rule)
{
    return isnan(rule->sim_min)
               ? pow((double)rule->bsize / (double)rule->siglen, 1 / (double)rule->bsize)
               : rule->sim_min;
}

rc_status_t rc_lsh_pairs(rc_lsh_t *s, rc_err_t *err)
{
    lsh_t l = {.s = s,
        .sim_min = rc_lsh_sim_min(s->rule),
        .words = s->rule->bsize / 2 + s->rule->bsize % 2};
    l.team = team_of(&l, 0);
    rc_status_t st = allocate(&l, err);
    if (st == RC_OK)
        st = compare_bands(&l, err);
    for (int i = 0; l.worker && i < s->threads; i++)
        rc_pair_list_free(&l.worker[i].found);
    rc_pool_free(&l.pool);
    return st;
}
