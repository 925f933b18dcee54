#include "config.h"
#include "table/versus.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/stats.h"
#include "table/split_half.h"
#include "table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- sides */

static rc_status_t check_patterns(const rc_words_t *w, rc_err_t *err)
{
    for (int i = 0; i < w->count; i++) {
        const char *p = w->word[i] + (w->word[i][0] == '!');
        if (!*p || rc_glob_flaw(p) >= 0)
            return rc_fail(err, RC_EINVAL, "not a pattern: '%s'", w->word[i]);
    }
    return RC_OK;
}

const char *rc_side_cut(const char *text)
{
    const char *at = strrchr(text, '@');
    return at ? at : strchr(text, '/');
}

rc_status_t rc_side_parse(const char *text, const char *orders, rc_side_t *out, rc_err_t *err)
{
    rc_side_t s = {0};
    rc_str_t kernels = {0};
    const char *at = rc_side_cut(text);
    rc_status_t st;
    if (at)
        orders = at + 1;
    rc_str_addn(&kernels, text, at ? (size_t)(at - text) : strlen(text));
    if (kernels.failed)
        RC_TRY(rc_fail(err, RC_ENOMEM, "no memory for a side"));
    if (kernels.text && strpbrk(kernels.text, "()"))
        RC_TRY(rc_fail(err, RC_EINVAL,
            "no pattern has brackets, and max(A,B), of classes, none inside: '%s'", text));
    RC_TRY(rc_words_split(kernels.text ? kernels.text : "", ',', &s.kernel, err));
    RC_TRY(rc_words_split(strcmp(orders, "any") == 0 ? "*" : orders, ',', &s.policy, err));
    RC_TRY(check_patterns(&s.kernel, err));
    RC_TRY(check_patterns(&s.policy, err));
    *out = s;
    memset(&s, 0, sizeof s);
done:
    rc_str_free(&kernels);
    rc_side_free(&s);
    return st;
}

void rc_side_free(rc_side_t *s)
{
    rc_words_free(&s->kernel);
    rc_words_free(&s->policy);
}

/* Taken by one of the patterns, or there are only such that take out; and by none of these. */
static int matches(const rc_words_t *w, const char *text)
{
    int in = 1;
    int named = 0;
    for (int i = 0; i < w->count; i++) {
        const char *p = w->word[i];
        if (*p == '!') {
            if (rc_glob_match_spec(p + 1, text))
                return 0;
            continue;
        }
        in = named ? in : 0;
        named = 1;
        in = in || rc_glob_match_spec(p, text);
    }
    return in;
}

int rc_side_has_names(const rc_side_t *s, const char *kernel, const char *policy)
{
    return matches(&s->kernel, kernel) && matches(&s->policy, policy);
}

int rc_side_has(const rc_side_t *s, const rc_view_t *v, const rc_row_result_t *r)
{
    return rc_side_has_names(s, rc_view_kernel(v, r->kernel), rc_view_policy(v, r->policy));
}

/* ------------------------------------------------------------------- versus */

static void finish_versus(rc_versus_t *r, double *ratio)
{
    rc_stats_t s;
    r->max = r->mean = r->geomean = r->median = r->min = NAN;
    r->geomean_held_out =
        r->matrices ? exp(r->geomean_held_out / (double)r->matrices) : NAN; /* a sum until here */
    if (r->matrices == 0)
        return;
    rc_stats_compute(ratio, r->matrices, &s);
    r->max = s.max;
    r->mean = s.mean;
    r->geomean = s.geomean;
    r->median = s.median;
    r->min = s.min;
}

rc_status_t rc_side_held_out(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side,
    double *out, rc_err_t *err)
{
    double half[RC_HALVES];
    rc_smallest_t best = rc_smallest_none();
    rc_status_t st = RC_OK;
    for (; st == RC_OK && i < end; i++) {
        rc_timed_t time = rc_timed_of(c->view, c->row[i].row);
        if (!rc_side_has(side, c->view, rc_view_result(c->view, c->row[i].row)))
            continue;
        st = rc_split_half(&time, half, err);
        if (st == RC_OK)
            rc_smallest_add(&best, half);
    }
    *out = rc_smallest_score(&best);
    return st;
}

int64_t rc_side_fastest(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side)
{
    for (; i < end; i++)
        if (rc_side_has(side, c->view, rc_view_result(c->view, c->row[i].row)))
            return c->row[i].row;
    return -1;
}

/* One matrix: rows [i, end), fastest first. */
static rc_status_t meet(const rc_counted_t *c, int64_t i, int64_t end, const rc_side_t *side_a,
    const rc_side_t *side_b, double *ratio, rc_versus_t *out, rc_err_t *err)
{
    double log_a;
    double log_b;
    int64_t row_a = rc_side_fastest(c, i, end, side_a);
    int64_t row_b = rc_side_fastest(c, i, end, side_b);
    out->only_a += row_a >= 0 && row_b < 0;
    out->only_b += row_b >= 0 && row_a < 0;
    if (row_a < 0 || row_b < 0)
        return RC_OK;
    rc_timed_t a = rc_timed_of(c->view, row_a);
    rc_timed_t b = rc_timed_of(c->view, row_b);
    int tie = rc_timed_tie(&a, &b);
    out->wins += a.ns < b.ns;
    out->clear += a.ns < b.ns && !tie;
    out->ties += tie;
    ratio[out->matrices++] = b.ns / a.ns;
    RC_PASS(rc_side_held_out(c, i, end, side_a, &log_a, err));
    RC_PASS(rc_side_held_out(c, i, end, side_b, &log_b, err));
    out->geomean_held_out += log_b - log_a;
    return RC_OK;
}

/* 1: a side has, in the setting of rows [i, ...), a kernel whose parameters were chosen on the
 * training matrices. */
static int is_trained(const rc_counted_t *c, int64_t i, const rc_side_t *a, const rc_side_t *b)
{
    const int32_t setting = c->row[i].setting;
    for (; i < c->rows && c->row[i].setting == setting; i++) {
        const rc_row_result_t *r = rc_view_result(c->view, c->row[i].row);
        if (rc_segmented_is_tuned(rc_view_kernel(c->view, r->kernel)) &&
            (rc_side_has(a, c->view, r) || rc_side_has(b, c->view, r)))
            return 1;
    }
    return 0;
}

/* The matrices of a set in the setting of row i.  \param[out] end  behind its last row */
static rc_status_t meet_all(const rc_counted_t *c, int64_t i, const rc_side_t *a,
    const rc_side_t *b, const unsigned char *training, double *ratio, rc_versus_t *r, int64_t *end,
    rc_err_t *err)
{
    const int32_t setting = c->row[i].setting;
    const int leaves_out = is_trained(c, i, a, b);
    rc_status_t st = RC_OK;
    r->setting = c->setting[setting];
    for (; st == RC_OK && i < c->rows && c->row[i].setting == setting; i = *end) {
        const int32_t matrix = c->row[i].matrix;
        *end = rc_counted_end(c, i);
        if ((!leaves_out || !training[matrix]) && rc_segmented_is_in(c, matrix, r->set))
            st = meet(c, i, *end, a, b, ratio, r, err);
    }
    finish_versus(r, ratio);
    return st;
}

rc_status_t rc_versus_make(const rc_view_t *v, const rc_expr_t *where, const rc_side_t *a,
    const rc_side_t *b, rc_versus_t **out, int *count, rc_err_t *err)
{
    rc_counted_t all = {0};
    double *ratio = NULL;
    rc_versus_t *list = NULL;
    unsigned char *training = NULL;
    int64_t trained;
    rc_status_t st;
    RC_TRY(rc_training_of(v, &training, &trained, err));
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &all, err));
    ratio = rc_alloc((size_t)all.rows, sizeof *ratio, "ratios", err);
    list = rc_alloc0((size_t)all.settings * RC_SEGMENTED_SETS, sizeof *list, "a summary", err);
    RC_TRY(ratio && list ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0, end = 0; i < all.rows; i = end)
        for (int set = 0; set < RC_SEGMENTED_SETS; set++) {
            rc_versus_t *r = &list[all.row[i].setting * RC_SEGMENTED_SETS + set];
            r->set = (rc_segmented_set_t)set;
            RC_TRY(meet_all(&all, i, a, b, training, ratio, r, &end, err));
        }
    *out = list;
    *count = all.settings * RC_SEGMENTED_SETS;
    list = NULL;
done:
    free(training);
    free(list);
    free(ratio);
    rc_counted_free(&all);
    return st;
}
