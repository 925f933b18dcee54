#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/infer.h"
#include "base/map.h"
#include "base/stats.h"
#include "table/diff.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A group needs so many cases to say where its middle is, a store so many in such groups to say how
 * far they spread, and a group so many to be judged as one. */
enum { GROUP_LEAST = 5, SPREAD_LEAST = 20, RANKS_LEAST = 10 };
/* Between runs, where the stores have too few cases to tell. */
static const double noise_unknown = 0.01;
/* Standard deviations from which a change is an outlier, with a tail behind it. */
static const double outlier = 4;
static const double mad_to_sd = 1.4826;
/* Standard deviations of an interval that a group is the same within, at 5 % to either side. */
static const double both_sides = 1.645;

typedef struct judge {
    const rc_view_t *a;
    const rc_view_t *b;
    const rc_diff_options_t *o;
    rc_diff_t *d;
    int64_t n;       /* cases with a ratio */
    int64_t *item;   /* [n] their numbers, group by group */
    int64_t *first;  /* [groups + 1] where a group begins in item */
    double *log;     /* [n] log of the ratio of medians */
    double *own;     /* [n] squared error of the two runs themselves */
    double *centre;  /* [groups] median change of a group */
    double *scratch; /* [n] */
    rc_err_t *err;
} judge_t;

static double of_runs(const rc_row_result_t *a, const rc_row_result_t *b)
{
    if (a->median_ns == b->median_ns && a->min_ns == b->min_ns)
        return 0; /* one measurement, in two stores */
    double x = isnan(a->rel_err) ? rc_error_unknown : a->rel_err;
    double y = isnan(b->rel_err) ? rc_error_unknown : b->rel_err;
    return x * x + y * y;
}

/* The change on which median and shortest time agree. */
static double change_of(const rc_row_result_t *a, const rc_row_result_t *b)
{
    double medians = log(b->median_ns / a->median_ns);
    double shortest = a->min_ns > 0 && b->min_ns > 0 ? log(b->min_ns / a->min_ns) : medians;
    if (medians * shortest <= 0)
        return 0;
    return fabs(shortest) < fabs(medians) ? shortest : medians;
}

static rc_status_t gather(judge_t *j)
{
    rc_diff_t *d = j->d;
    size_t groups = (size_t)d->groups + 1;
    for (int64_t i = 0; i < d->cases; i++)
        j->n += !isnan(d->item[i].ratio);
    size_t n = (size_t)j->n;
    RC_PASS(RC_NEW(j->item, n, "a comparison", j->err));
    RC_PASS(RC_NEW0(j->first, groups + 1, "a comparison", j->err));
    RC_PASS(RC_NEW(j->log, n, "a comparison", j->err));
    RC_PASS(RC_NEW(j->own, n, "a comparison", j->err));
    RC_PASS(RC_NEW0(j->centre, groups, "a comparison", j->err));
    RC_PASS(RC_NEW(j->scratch, n, "a comparison", j->err));
    /* first[g + 1] counts, then is where group g is filled up to, and in the end where it ends */
    for (int64_t i = 0; i < d->cases; i++)
        if (!isnan(d->item[i].ratio))
            j->first[d->item[i].group + 2]++;
    for (size_t g = 2; g <= groups; g++)
        j->first[g] += j->first[g - 1];
    for (int64_t i = 0; i < d->cases; i++) {
        rc_diff_case_t *c = &d->item[i];
        if (isnan(c->ratio))
            continue;
        int64_t at = j->first[c->group + 1]++;
        const rc_row_result_t *a = rc_view_result(j->a, c->a);
        const rc_row_result_t *b = rc_view_result(j->b, c->b);
        j->item[at] = i;
        j->log[at] = log(c->ratio);
        j->own[at] = of_runs(a, b);
        c->change = change_of(a, b);
    }
    return RC_OK;
}

static double median(double *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof *x, rc_stats_compare);
    return rc_stats_quantile(x, n, 0.5);
}

/* What lies between runs: the spread within groups above the runs' own errors. */
static double between_runs(judge_t *j)
{
    int64_t m = 0;
    for (int32_t g = 0; g < j->d->groups; g++) {
        int64_t n = j->first[g + 1] - j->first[g];
        if (n < GROUP_LEAST)
            continue;
        memcpy(j->scratch + m, j->log + j->first[g], (size_t)n * sizeof *j->log);
        double middle = median(j->scratch + m, n);
        /* a middle that is taken from the values themselves is nearer to them */
        double wider = sqrt((double)n / (double)(n - 1));
        for (int64_t i = 0; i < n; i++)
            j->scratch[m + i] = fabs(j->log[j->first[g] + i] - middle) * wider;
        m += n;
    }
    if (m < SPREAD_LEAST)
        return noise_unknown;
    double spread = mad_to_sd * median(j->scratch, m);
    m = 0;
    for (int32_t g = 0; g < j->d->groups; g++)
        for (int64_t i = j->first[g];
             j->first[g + 1] - j->first[g] >= GROUP_LEAST && i < j->first[g + 1]; i++)
            j->scratch[m++] = j->own[i];
    double above = spread * spread - median(j->scratch, m);
    return above > 0 ? sqrt(above) : 0;
}

/* The changes of a group into scratch.  \return how many */
static int64_t changes_of(judge_t *j, size_t g)
{
    const int64_t n = j->first[g + 1] - j->first[g];
    for (int64_t i = 0; i < n; i++)
        j->scratch[i] = j->d->item[j->item[j->first[g] + i]].change;
    return n;
}

static void find_centres(judge_t *j)
{
    for (size_t g = 0; g < (size_t)j->d->groups; g++) {
        const int64_t n = changes_of(j, g);
        j->centre[g] = n ? median(j->scratch, n) : 0;
    }
}

/* ---------------------------------------------------------- the other direction */

/* Changes of one direction in standard deviations, largest first, and how heavy the tail is behind
 * each of them. */
typedef struct tail {
    double *z;      /* [n] > 0, descending */
    double *weight; /* [n] most of (number of changes up to this) z from here on, of outliers */
    int64_t n;
} tail_t;

static int descending(const void *a, const void *b)
{
    return rc_stats_compare(b, a);
}

/* \param[in] sign  of the changes wanted;  \param[in] centred  1: around the middles of groups */
static rc_status_t make_tail(const judge_t *j, int sign, int centred, tail_t *t)
{
    *t = (tail_t){0};
    RC_PASS(RC_NEW(t->z, j->n, "tails", j->err));
    RC_PASS(RC_NEW(t->weight, j->n, "tails", j->err));
    for (int64_t i = 0; i < j->n; i++) {
        const rc_diff_case_t *c = &j->d->item[j->item[i]];
        double z = sign * (c->change - (centred ? j->centre[c->group] : 0)) / c->noise;
        if (z > 0)
            t->z[t->n++] = z;
    }
    qsort(t->z, (size_t)t->n, sizeof *t->z, descending);
    double most = 0;
    for (int64_t k = t->n - 1; k >= 0; k--) {
        double weight = t->z[k] > outlier ? (double)(k + 1) * t->z[k] : 0;
        most = weight > most ? weight : most;
        t->weight[k] = most;
    }
    return RC_OK;
}

static void free_tail(tail_t *t)
{
    free(t->z);
    free(t->weight);
}

/* Share of n cases that moved by z or more in that direction, or would. */
static double share(const tail_t *t, double z, int64_t n)
{
    int64_t low = 0; /* the first that is below z */
    int64_t high = t->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (t->z[middle] >= z)
            low = middle + 1;
        else
            high = middle;
    }
    double behind = low < t->n ? t->weight[low] / z : 0;
    return ((double)low > behind ? (double)low : behind) / (double)n;
}

/* ------------------------------------------------------------------- verdicts */

/* Rates of slower cases among all, and of faster ones: many that became slower say nothing for a
 * few that became faster. */
static rc_status_t rates_by_direction(const judge_t *j, const double *p, double *q)
{
    rc_status_t st = RC_OK;
    double *one = rc_alloc((size_t)j->n, sizeof *one, "tests", j->err);
    double *rate = rc_alloc((size_t)j->n, sizeof *rate, "tests", j->err);
    if (!one || !rate)
        st = RC_ENOMEM;
    for (int slower = 0; st == RC_OK && slower < 2; slower++) {
        for (int64_t i = 0; i < j->n; i++)
            one[i] = (j->d->item[j->item[i]].change > 0) == slower ? p[i] : 1;
        st = rc_fdr(one, j->n, rate, j->err);
        for (int64_t i = 0; st == RC_OK && i < j->n; i++)
            if ((j->d->item[j->item[i]].change > 0) == slower)
                q[i] = rate[i];
    }
    free(one);
    free(rate);
    return st;
}

static rc_status_t rates(judge_t *j, double *q)
{
    rc_status_t st;
    tail_t raw[2] = {{0}};
    tail_t centred[2] = {{0}};
    double *p = j->scratch;
    for (int s = 0; s < 2; s++) {
        RC_TRY(make_tail(j, s ? 1 : -1, 0, &raw[s]));
        RC_TRY(make_tail(j, s ? 1 : -1, 1, &centred[s]));
    }
    for (int64_t i = 0; i < j->n; i++) {
        const rc_diff_case_t *c = &j->d->item[j->item[i]];
        double z = fabs(c->change) / c->noise;
        int other = c->change < 0; /* the direction that it is held against */
        /* the hypothesis is a change below the threshold, not none at all: of thousands of cases
         * that share a small one, noise would lift many above it */
        double beyond = fabs(c->change) - log1p(j->o->threshold);
        p[i] = beyond > 0 ? rc_normal_p(beyond / c->noise) : 1;
        if (!isnan(j->o->noise) || beyond <= 0)
            continue;
        double x = share(&raw[other], z, j->n);
        double y = share(&centred[other], z, j->n);
        x = y < x ? y : x;
        p[i] = x > p[i] ? x : p[i];
    }
    RC_TRY(rates_by_direction(j, p, q));
done:
    for (int s = 0; s < 2; s++) {
        free_tail(&raw[s]);
        free_tail(&centred[s]);
    }
    return st;
}

/* ------------------------------------------------------------------- matrices */

/* The cases of a matrix move together, since where its arrays came to lie is the same for all of
 * them: cases of a few matrices are unclear, however many they are. */
static rc_status_t judge_matrices(judge_t *j, rc_verdict_t verdict)
{
    rc_map_t seen = {0};
    int64_t matrices = 0;
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < j->n; i++) {
        const rc_diff_case_t *c = &j->d->item[j->item[i]];
        rc_digest_t matrix = {0, (uint64_t)rc_view_result(j->a, c->a)->matrix};
        if (c->verdict != verdict || rc_map_get(&seen, matrix, 0))
            continue;
        matrices++;
        st = rc_map_set(&seen, matrix, 1, j->err);
    }
    rc_map_free(&seen);
    for (int64_t i = 0; st == RC_OK && (double)matrices * j->o->fdr < 1 && i < j->n; i++) {
        rc_diff_case_t *c = &j->d->item[j->item[i]];
        if (c->verdict == verdict)
            c->verdict = RC_VERDICT_UNCLEAR;
    }
    return st;
}

static rc_status_t decide(judge_t *j)
{
    const double least = log1p(j->o->threshold);
    double *q = rc_alloc((size_t)j->n, sizeof *q, "tests", j->err);
    rc_status_t st = q ? rates(j, q) : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < j->n; i++) {
        rc_diff_case_t *c = &j->d->item[j->item[i]];
        c->q = q[i];
        if (q[i] <= j->o->fdr)
            c->verdict = c->change > 0 ? RC_VERDICT_SLOWER : RC_VERDICT_FASTER;
        else if (fabs(j->log[i]) > least || c->noise > least)
            c->verdict = RC_VERDICT_UNCLEAR;
    }
    if (st == RC_OK && isnan(j->o->noise))
        st = judge_matrices(j, RC_VERDICT_SLOWER);
    if (st == RC_OK && isnan(j->o->noise))
        st = judge_matrices(j, RC_VERDICT_FASTER);
    free(q);
    return st;
}

/* --------------------------------------------------------------------- groups */

/* How far the mean of a group's n changes may be from the true one: their spread, and no less than
 * the noise of the cases. */
static double reach_of(const judge_t *j, size_t group, double mean)
{
    const int64_t n = j->first[group + 1] - j->first[group];
    double spread = 0;
    double noise = 0;
    for (int64_t i = j->first[group]; i < j->first[group + 1]; i++) {
        const double own = j->d->item[j->item[i]].noise;
        spread += (j->log[i] - mean) * (j->log[i] - mean);
        noise += own * own;
    }
    spread = n > 1 ? spread / (double)(n - 1) : 0;
    return both_sides * sqrt(fmax(spread, noise / (double)n) / (double)n);
}

/* What a group without a ratio is: what most urgent verdict its cases have. */
static rc_verdict_t without_ratio(const rc_diff_group_t *g)
{
    int v = RC_VERDICT_BROKEN;
    while (v < RC_VERDICT_ONLY_B && !g->count[v])
        v++;
    return (rc_verdict_t)v;
}

static void judge_group(judge_t *j, size_t group)
{
    rc_diff_group_t *g = &j->d->group[group];
    double *logs = j->log + j->first[group];
    const int64_t n = j->first[group + 1] - j->first[group];
    const double least = log1p(j->o->threshold);
    const double beyond = least + j->d->noise;
    double mean = 0;
    g->geomean = g->median = NAN;
    g->verdict = without_ratio(g);
    if (n == 0)
        return;
    for (int64_t i = 0; i < n; i++)
        mean += logs[i] / (double)n;
    const double widest = fabs(mean) + reach_of(j, group, mean);
    const double middle = median(logs, n); /* sorts them */
    const int moved = g->q <= j->o->fdr;
    g->geomean = exp(mean);
    g->median = exp(middle);
    g->verdict = RC_VERDICT_UNCLEAR;
    if (moved && mean >= beyond && middle >= beyond)
        g->verdict = RC_VERDICT_SLOWER;
    else if (moved && mean <= -beyond && middle <= -beyond)
        g->verdict = RC_VERDICT_FASTER;
    else if (widest <= least && fabs(middle) <= least && 2 * g->count[RC_VERDICT_UNCLEAR] < n)
        g->verdict = RC_VERDICT_SAME;
}

static rc_status_t judge_groups(judge_t *j)
{
    rc_diff_t *d = j->d;
    size_t groups = (size_t)d->groups;
    rc_status_t st;
    double *p = rc_alloc(groups, sizeof *p, "groups", j->err);
    double *q = rc_alloc(groups, sizeof *q, "groups", j->err);
    RC_TRY(p && q ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < d->cases; i++)
        d->group[d->item[i].group].count[d->item[i].verdict]++;
    for (size_t g = 0; g < groups; g++) {
        const int64_t n = changes_of(j, g);
        p[g] = n >= RANKS_LEAST ? rc_signed_rank_p(j->scratch, n) : NAN;
    }
    RC_TRY(rc_fdr(p, (int64_t)groups, q, j->err));
    for (size_t g = 0; g < groups; g++) {
        d->group[g].q = q[g];
        judge_group(j, g);
    }
done:
    free(p);
    free(q);
    return st;
}

rc_status_t rc_diff_judge(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err)
{
    judge_t j = {.a = a, .b = b, .o = options, .d = out, .err = err};
    rc_status_t st;
    RC_TRY(gather(&j));
    out->noise = isnan(options->noise) ? between_runs(&j) : options->noise;
    find_centres(&j);
    for (int64_t i = 0; i < j.n; i++) {
        double noise = sqrt(j.own[i] + out->noise * out->noise);
        /* two results without any error are as far apart as they are */
        out->item[j.item[i]].noise = noise > 0 ? noise : 1e-9;
    }
    RC_TRY(decide(&j));
    st = judge_groups(&j);
done:
    free(j.item);
    free(j.first);
    free(j.log);
    free(j.own);
    free(j.centre);
    free(j.scratch);
    return st;
}
