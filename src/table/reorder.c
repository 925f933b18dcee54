#include "config.h"
#include "table/reorder.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* The tiles at their defaults: another count would be another plan. */
#define TILED(rest)                                                                                \
    "aspt*:panel=128:col_min=16:tile_cols=128:tile_min=17:rest=" rest ":cf=0:rows=auto"
#define NR TILED("0") "@csr"
#define RR TILED("1") "@jiang:siglen=128"

static const struct {
    const char *name;
    const char *side[2];
} plans[] = {
    {"aspt-nr", {NR, NULL}},
    {"aspt-rr", {RR, NULL}},
    {"aspt-forced",
        {TILED("2") "@lsh:siglen=128:bsize=2:size=256:seed=1:sim_min=auto:window=8:pair_max=256",
            NULL}},
    {"aspt-tried", {NR, RR}},
    {"cusparse", {"cusparse*@csr", NULL}},
};
enum { PLANS = sizeof plans / sizeof *plans };

rc_status_t rc_reorder_plan_of(
    const char *kernel, const char *policy, const char **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    *out = "";
    for (int i = 0; i < PLANS && st == RC_OK && !**out; i++) {
        rc_side_t side = {0};
        st = rc_side_parse(plans[i].side[0], "csr", &side, err);
        if (st == RC_OK && rc_side_has_names(&side, kernel, policy))
            *out = plans[i].name;
        rc_side_free(&side);
    }
    return st;
}

static rc_status_t add_side(rc_contestant_t *c, const char *text, rc_err_t *err)
{
    if (c->sides == RC_CONTESTANT_SIDES)
        return rc_fail(err, RC_EINVAL, "more than %d in '%s'", RC_CONTESTANT_SIDES, c->name);
    rc_status_t st = rc_side_parse(text, "csr", &c->side[c->sides], err);
    c->sides += st == RC_OK;
    return st;
}

/* A plan by its name, else a side. */
static rc_status_t add_word(rc_contestant_t *c, const char *word, rc_err_t *err)
{
    for (int i = 0; i < PLANS; i++)
        if (strcmp(plans[i].name, word) == 0) {
            rc_status_t st = add_side(c, plans[i].side[0], err);
            return st == RC_OK && plans[i].side[1] ? add_side(c, plans[i].side[1], err) : st;
        }
    return add_side(c, word, err);
}

/* "PLAN" or "max(PLAN,PLAN)", which is cut. */
static rc_status_t parse_one(rc_contestant_t *c, char *text, rc_err_t *err)
{
    rc_words_t word = {0};
    size_t n = strlen(text);
    if (n == 0 || n >= sizeof c->name)
        return rc_fail(err, RC_EINVAL, "expected a plan, found '%s'", text);
    memcpy(c->name, text, n + 1);
    if (strncmp(text, "max(", 4) != 0)
        return add_word(c, text, err);
    if (strcspn(text, ")") != n - 1)
        return rc_fail(err, RC_EINVAL, "expected max(PLAN,PLAN), of plans alone, found '%s'", text);
    text[n - 1] = '\0';
    rc_status_t st = rc_words_split(text + 4, ',', &word, err);
    for (int i = 0; i < word.count && st == RC_OK; i++)
        st = add_word(c, word.word[i], err);
    rc_words_free(&word);
    return st;
}

rc_status_t rc_contestants_parse(const char *text, rc_contestant_t **out, int *count, rc_err_t *err)
{
    size_t n = strlen(text);
    char *copy = rc_alloc(n + 1, 1, "plans", err);
    rc_contestant_t *list = rc_alloc0(n + 1, sizeof *list, "plans", err);
    rc_status_t st = copy && list ? RC_OK : RC_ENOMEM;
    int depth = 0;
    size_t from = 0;
    *out = list;
    *count = 0;
    if (st == RC_OK)
        memcpy(copy, text, n + 1);
    for (size_t i = 0; st == RC_OK && i <= n; i++) {
        depth += (text[i] == '(') - (text[i] == ')');
        if (text[i] != '\0' && (text[i] != ',' || depth > 0))
            continue;
        copy[i] = '\0';
        if (depth != 0)
            st = rc_fail(err, RC_EINVAL, "brackets do not match in '%s'", text);
        else
            st = parse_one(&list[(*count)++], copy + from, err);
        from = i + 1;
    }
    free(copy);
    return st;
}

void rc_contestants_free(rc_contestant_t *c, int count)
{
    for (int i = 0; c && i < count; i++)
        for (int s = 0; s < c[i].sides; s++)
            rc_side_free(&c[i].side[s]);
    free(c);
}

static int has(const rc_contestant_t *who, const rc_view_t *v, int64_t row)
{
    for (int s = 0; s < who->sides; s++)
        if (rc_side_has(&who->side[s], v, rc_view_result(v, row)))
            return 1;
    return 0;
}

int64_t rc_contestant_fastest(
    const rc_view_t *v, const int64_t *row, int64_t n, const rc_contestant_t *who)
{
    int64_t best = -1;
    for (int64_t i = 0; i < n; i++)
        if (has(who, v, row[i]) && (best < 0 || rc_view_ns(v, row[i]) < rc_view_ns(v, best)))
            best = row[i];
    return best;
}

int64_t rc_contestant_first(
    const rc_counted_t *c, int64_t from, int64_t to, const rc_contestant_t *who)
{
    while (from < to && !has(who, c->view, c->row[from].row))
        from++;
    return from < to ? c->row[from].row : -1;
}
