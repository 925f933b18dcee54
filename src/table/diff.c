#include "config.h"
#include "table/diff.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "table/counted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_verdict_names[] = {"same", "slower", "faster", "unclear", "broken", "noisy",
    "fixed", "failing", "only_a", "only_b", NULL};
const char *const rc_diff_ignore_names[] = {
    "versions", "device", "geometry", "cache", "c_order", NULL};

typedef struct side {
    const rc_view_t *v;
    rc_map_t cases; /* key of a case -> row */
    rc_map_t k;     /* for the setting K = n */
} side_t;

typedef struct match {
    const rc_diff_options_t *o;
    side_t side[2];
    rc_map_t groups; /* key of a group -> number */
    rc_diff_t *out;
    size_t case_capacity;
    size_t group_capacity;
    rc_err_t *err;
} match_t;

/* ------------------------------------------------------------------ cases */

static rc_digest_t case_key(const match_t *m, const rc_view_t *v, const rc_row_result_t *r)
{
    unsigned ignore = m->o->ignore;
    rc_digest_t policy = rc_map_text(rc_view_policy(v, r->policy));
    rc_digest_t kernel = rc_map_text(rc_view_kernel(v, r->kernel));
    rc_digest_t device = {0};
    rc_digest_t matrix = rc_digest(
        rc_view_matrix(v, r->matrix)->digest, sizeof rc_view_matrix(v, r->matrix)->digest);
    int versions = !(ignore & RC_DIFF_VERSIONS);
    int geometry = !(ignore & RC_DIFF_GEOMETRY);
    if (!(ignore & RC_DIFF_DEVICE))
        device = rc_map_text(rc_view_device(v, r->device));
    const uint64_t key[] = {matrix.hi, matrix.lo, policy.hi, policy.lo, kernel.hi, kernel.lo,
        device.hi, device.lo, (uint64_t)(versions ? rc_view_policy_version(v, r->policy) : 0),
        (uint64_t)(versions ? rc_view_kernel_version(v, r->kernel) : 0), (uint64_t)r->k,
        (uint64_t)r->op, (uint64_t)r->precision, (uint64_t)r->layout,
        (uint64_t)(ignore & RC_DIFF_C_ORDER ? 0 : r->c_order),
        (uint64_t)(ignore & RC_DIFF_CACHE ? 0 : r->cache), (uint64_t)(geometry ? r->nw : 0),
        (uint64_t)(geometry ? r->nt : 0), (uint64_t)(geometry ? r->line : 0)};
    return rc_digest(key, sizeof key);
}

/* Whether row i counts instead of row `before` of the same case: newer versions, else later. */
static int replaces(const rc_view_t *v, int64_t before, int64_t i)
{
    const rc_row_result_t *old = rc_view_result(v, before);
    const rc_row_result_t *new = rc_view_result(v, i);
    int32_t k = rc_view_kernel_version(v, new->kernel) - rc_view_kernel_version(v, old->kernel);
    int32_t p = rc_view_policy_version(v, new->policy) - rc_view_policy_version(v, old->policy);
    return k != 0 ? k > 0 : p >= 0;
}

static rc_status_t index_side(match_t *m, side_t *s)
{
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < rc_view_count(s->v); i++) {
        const rc_row_result_t *r = rc_view_result(s->v, i);
        if (!rc_view_is_newest(s->v, i))
            continue;
        rc_digest_t key = case_key(m, s->v, r);
        int64_t before = rc_map_get(&s->cases, key, -1);
        if (before < 0 || replaces(s->v, before, i))
            st = rc_map_set(&s->cases, key, i, m->err);
        if (st == RC_OK)
            st = rc_counted_note_k(&s->k, s->v, r, m->err);
    }
    return st;
}

static int wanted(const match_t *m, const rc_view_t *v, int64_t i)
{
    return i >= 0 && rc_view_matches(v, i, m->o->where);
}

/* ----------------------------------------------------------------- groups */

static rc_status_t group_of(match_t *m, int side, int64_t row, int32_t *out)
{
    const side_t *s = &m->side[side];
    const rc_row_result_t *r = rc_view_result(s->v, row);
    rc_diff_group_t g = {.kernel = rc_view_kernel(s->v, r->kernel),
        .policy = rc_view_policy(s->v, r->policy),
        .device = rc_view_device(s->v, r->device),
        .k = r->k,
        .op = r->op,
        .precision = r->precision,
        .is_n = rc_counted_is_n(&s->k, s->v, r)};
    rc_digest_t kernel = rc_map_text(g.kernel);
    rc_digest_t policy = rc_map_text(g.policy);
    rc_digest_t device = rc_map_text(m->o->ignore & RC_DIFF_DEVICE ? "" : g.device);
    const uint64_t key[] = {kernel.hi, kernel.lo, policy.hi, policy.lo, device.hi, device.lo,
        (uint64_t)(g.is_n ? -1 : g.k), (uint64_t)g.precision, (uint64_t)g.op};
    rc_digest_t digest = rc_digest(key, sizeof key);
    *out = (int32_t)rc_map_get(&m->groups, digest, -1);
    if (*out >= 0)
        return RC_OK;
    RC_PASS(RC_GROW(
        m->out->group, m->group_capacity, (size_t)m->out->groups + 1, "groups of cases", m->err));
    *out = g.number = m->out->groups++;
    m->out->group[*out] = g;
    return rc_map_set(&m->groups, digest, *out, m->err);
}

static int is_ok(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = rc_view_result(v, i);
    return r->status == RC_CASE_OK && r->median_ns > 0 && isfinite(r->median_ns);
}

/* Its product is: of a noisy case only the time is not known. */
static int is_right(const rc_view_t *v, int64_t i)
{
    return is_ok(v, i) || rc_view_result(v, i)->status == RC_CASE_NOISY;
}

/* Of a case that both stores have, and not both a time of. */
static rc_verdict_t without_times(const match_t *m, int64_t a, int64_t b)
{
    const int right_a = is_right(m->side[0].v, a);
    const int right_b = is_right(m->side[1].v, b);
    return right_a && right_b ? RC_VERDICT_NOISY
           : right_a          ? RC_VERDICT_BROKEN
           : right_b          ? RC_VERDICT_FIXED
                              : RC_VERDICT_FAILING;
}

static rc_status_t add_case(match_t *m, int64_t a, int64_t b)
{
    const rc_view_t *va = m->side[0].v;
    const rc_view_t *vb = m->side[1].v;
    rc_diff_case_t c = {.a = a, .b = b, .ratio = NAN, .change = NAN, .noise = NAN, .q = NAN};
    if (m->o->where && !wanted(m, va, a) && !wanted(m, vb, b))
        return RC_OK;
    int ok_a = a >= 0 && is_ok(va, a);
    int ok_b = b >= 0 && is_ok(vb, b);
    if (a < 0 || b < 0)
        c.verdict = a < 0 ? RC_VERDICT_ONLY_B : RC_VERDICT_ONLY_A;
    else if (ok_a && ok_b)
        c.ratio = rc_view_result(vb, b)->median_ns / rc_view_result(va, a)->median_ns;
    else
        c.verdict = without_times(m, a, b);
    RC_PASS(a >= 0 ? group_of(m, 0, a, &c.group) : group_of(m, 1, b, &c.group));
    rc_status_t st = RC_GROW(
        m->out->item, m->case_capacity, (size_t)m->out->cases + 1, "compared cases", m->err);
    if (st == RC_OK)
        m->out->item[m->out->cases++] = c;
    return st;
}

/* Rows of a side in their order; those that a better one of the same case stands for are left out.
 */
static rc_status_t add_side(match_t *m, int side)
{
    const side_t *s = &m->side[side];
    const side_t *other = &m->side[1 - side];
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < rc_view_count(s->v); i++) {
        if (!rc_view_is_newest(s->v, i))
            continue;
        rc_digest_t key = case_key(m, s->v, rc_view_result(s->v, i));
        if (rc_map_get(&s->cases, key, -1) != i)
            continue;
        int64_t j = rc_map_get(&other->cases, key, -1);
        if (side == 0)
            st = add_case(m, i, j);
        else if (j < 0) /* the others were added with side A */
            st = add_case(m, -1, i);
    }
    return st;
}

static rc_status_t match_cases(const rc_view_t *a, const rc_view_t *b,
    const rc_diff_options_t *options, rc_diff_t *out, rc_err_t *err)
{
    rc_status_t st;
    match_t m = {.o = options, .side = {{.v = a}, {.v = b}}, .out = out, .err = err};
    RC_TRY(index_side(&m, &m.side[0]));
    RC_TRY(index_side(&m, &m.side[1]));
    RC_TRY(add_side(&m, 0));
    RC_TRY(add_side(&m, 1));
done:
    for (int i = 0; i < 2; i++) {
        rc_map_free(&m.side[i].cases);
        rc_map_free(&m.side[i].k);
    }
    rc_map_free(&m.groups);
    return st;
}

/* ---------------------------------------------------------------- order */

/* Slowest first, then in the order of the stores; NaN last. */
static int by_ratio(const void *a, const void *b)
{
    const rc_diff_case_t *x = a;
    const rc_diff_case_t *y = b;
    int missing = isnan(x->ratio) - isnan(y->ratio);
    if (missing)
        return missing;
    if (x->ratio != y->ratio && !isnan(x->ratio))
        return x->ratio < y->ratio ? 1 : -1;
    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static int by_geomean(const void *a, const void *b)
{
    const rc_diff_group_t *x = a;
    const rc_diff_group_t *y = b;
    int missing = isnan(x->geomean) - isnan(y->geomean);
    if (missing)
        return missing;
    if (x->geomean != y->geomean && !isnan(x->geomean))
        return x->geomean < y->geomean ? 1 : -1;
    return x->number - y->number;
}

static rc_status_t sort(rc_diff_t *d, rc_err_t *err)
{
    int32_t *place = rc_alloc((size_t)d->groups, sizeof *place, "groups", err);
    RC_PASS(place ? RC_OK : RC_ENOMEM);
    if (d->cases)
        qsort(d->item, (size_t)d->cases, sizeof *d->item, by_ratio);
    if (d->groups)
        qsort(d->group, (size_t)d->groups, sizeof *d->group, by_geomean);
    for (int32_t i = 0; i < d->groups; i++)
        place[d->group[i].number] = i;
    for (int64_t i = 0; i < d->cases; i++)
        d->item[i].group = place[d->item[i].group];
    free(place);
    return RC_OK;
}

rc_status_t rc_diff(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err)
{
    rc_diff_t d = {0};
    rc_status_t st;
    if (!(options->threshold > 0) || !(options->fdr > 0 && options->fdr < 1) || options->noise < 0)
        return rc_fail(err, RC_EINVAL,
            "expected a threshold above 0, a false-discovery rate between 0 and 1, and noise of at "
            "least 0");
    RC_TRY(match_cases(a, b, options, &d, err));
    RC_TRY(rc_diff_judge(a, b, options, &d, err));
    for (int64_t i = 0; i < d.cases; i++)
        d.count[d.item[i].verdict]++;
    for (int32_t i = 0; i < d.groups; i++)
        d.group_count[d.group[i].verdict]++;
    RC_TRY(sort(&d, err));
    *out = d;
    return RC_OK;
done:
    rc_diff_free(&d);
    return st;
}

void rc_diff_free(rc_diff_t *d)
{
    free(d->item);
    free(d->group);
    *d = (rc_diff_t){0};
}
