#include "config.h"
#include "table/side.h"
#include "base/error.h"
#include "base/glob.h"
#include "table/split_half.h"

#include <string.h>

static rc_status_t check_patterns(const rc_words_t *w, rc_err_t *err)
{
    for (int i = 0; i < w->count; i++) {
        const char *p = w->word[i] + (w->word[i][0] == '!');
        if (!*p || rc_glob_flaw(p) >= 0)
            return rc_fail(err, RC_EINVAL, "not a pattern: '%s'", w->word[i]);
    }
    return RC_OK;
}

/* The number of a layout; -1: it is the name of none. */
static int32_t layout_of(const char *name)
{
    int32_t i = 0;
    while (rc_layout_names[i] && strcmp(rc_layout_names[i], name) != 0)
        i++;
    return rc_layout_names[i] ? i : -1;
}

const char *rc_side_cut(const char *text)
{
    const char *at = strrchr(text, '@');
    return at ? at : strchr(text, '/');
}

rc_status_t rc_side_parse(const char *text, const char *orders, rc_side_t *out, rc_err_t *err)
{
    rc_side_t s = {.layout = -1};
    rc_str_t kernels = {0};
    char *cut;
    const char *at = rc_side_cut(text);
    rc_status_t st;
    if (at)
        s.layout = layout_of(at + 1);
    rc_str_addn(&kernels, text, at ? (size_t)(at - text) : strlen(text));
    if (kernels.failed)
        RC_TRY(rc_fail(err, RC_ENOMEM, "no memory for a side"));
    if (at && s.layout < 0)
        orders = at + 1;
    else if (at && kernels.text && (cut = strchr(kernels.text, '@')) != NULL) {
        orders = cut + 1;
        *cut = '\0';
    }
    if (kernels.text && strpbrk(kernels.text, "()"))
        RC_TRY(rc_fail(err, RC_EINVAL,
            "no pattern has brackets, and max(A,B), of classes, none inside: '%s'", text));
    RC_TRY(rc_words_split(kernels.text ? kernels.text : "", ',', &s.kernel, err));
    RC_TRY(rc_words_split(strcmp(orders, "any") == 0 ? "*" : orders, ',', &s.policy, err));
    RC_TRY(check_patterns(&s.kernel, err));
    RC_TRY(check_patterns(&s.policy, err));
    *out = s;
    s = (rc_side_t){.layout = -1};
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
    return (s->layout < 0 || r->layout == s->layout) &&
           rc_side_has_names(s, rc_view_kernel(v, r->kernel), rc_view_policy(v, r->policy));
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
