#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "table/diff_private.h"
#include "table/counted.h"

#include <math.h>
#include <string.h>

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
    *out = m->out->groups++;
    m->out->group[*out] = g;
    return rc_map_set(&m->groups, digest, *out, m->err);
}

static int is_ok(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = rc_view_result(v, i);
    return r->status == RC_CASE_OK && r->median_ns > 0 && isfinite(r->median_ns);
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
        c.verdict = ok_a ? RC_VERDICT_BROKEN : ok_b ? RC_VERDICT_FIXED : RC_VERDICT_FAILING;
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

rc_status_t rc_diff_match(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err)
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
