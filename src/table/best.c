#include "config.h"
#include "table/best.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/split_half.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    double log_sum;
    double held_out; /* sum of logarithms */
    double sum;
    double max;
    int64_t matrices;
    int64_t wins;
    int64_t clear;
    int64_t ties;
    int64_t row; /* one of its rows, -1 none */
    int32_t last_matrix;
} tally_t;

static int by_wins_then_loss(const void *a, const void *b)
{
    const rc_best_row_t *x = a;
    const rc_best_row_t *y = b;
    if (x->wins != y->wins)
        return x->wins > y->wins ? -1 : 1;
    if (x->loss_geomean != y->loss_geomean)
        return x->loss_geomean < y->loss_geomean ? -1 : 1;
    int c = strcmp(x->kernel, y->kernel);
    return c ? c : strcmp(x->policy, y->policy);
}

static rc_status_t finish(const rc_counted_t *c, const tally_t *t, rc_best_t *out, rc_err_t *err)
{
    out->variant = rc_alloc0((size_t)c->variants, sizeof *out->variant, "kernels and orders", err);
    RC_PASS(out->variant ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < c->variants; i++) {
        if (t[i].row < 0)
            continue;
        const rc_row_result_t *r = rc_view_result(c->view, t[i].row);
        double n = (double)t[i].matrices;
        out->variant[out->variants++] =
            (rc_best_row_t){.kernel = rc_view_kernel(c->view, r->kernel),
                .policy = rc_view_policy(c->view, r->policy),
                .matrices = t[i].matrices,
                .wins = t[i].wins,
                .clear = t[i].clear,
                .ties = t[i].ties,
                .loss_geomean = exp(t[i].log_sum / n) - 1,
                .loss_held_out = expm1(t[i].held_out / n),
                .loss_mean = t[i].sum / n - 1,
                .loss_max = t[i].max - 1};
    }
    qsort(out->variant, (size_t)out->variants, sizeof *out->variant, by_wins_then_loss);
    return RC_OK;
}

/* Rows [i, end) of a matrix, fastest first: whose lead is beyond the error, and who else ties. */
static void count_wins(const rc_counted_t *c, int64_t i, int64_t end, tally_t *t)
{
    tally_t *winner = &t[c->row[i].variant];
    rc_timed_t best = rc_timed_of(c->view, c->row[i].row);
    int ties = 0;
    winner->wins++;
    for (int64_t j = i + 1; j < end; j++) {
        tally_t *own = &t[c->row[j].variant];
        rc_timed_t time = rc_timed_of(c->view, c->row[j].row);
        if (own == winner || own->last_matrix == c->row[j].matrix)
            continue;
        own->last_matrix = c->row[j].matrix;
        own->ties += rc_timed_tie(&best, &time);
        ties += rc_timed_tie(&best, &time);
    }
    for (int64_t j = i; j < end; j++)
        t[c->row[j].variant].last_matrix = -1;
    winner->ties += ties > 0;
    winner->clear += ties == 0;
}

/* The same rows: what each loses. */
static rc_status_t score(const rc_counted_t *c, int64_t i, int64_t end, tally_t *t, rc_err_t *err)
{
    rc_halves_t halves;
    int n = (int)(end - i);
    RC_PASS(rc_halves_make(1, n, &halves, err));
    rc_status_t st = RC_OK;
    for (int k = 0; st == RC_OK && k < n; k++) {
        rc_timed_t time = rc_timed_of(c->view, c->row[i + k].row);
        st = rc_halves_set(&halves, 0, k, &time, NULL, err);
    }
    double held_out = rc_halves_best(&halves, 0, n);
    for (int k = 0; st == RC_OK && k < n; k++) {
        const rc_counted_row_t *e = &c->row[i + k];
        tally_t *own = &t[e->variant];
        double ratio = e->ns / c->row[i].ns;
        if (own->last_matrix == e->matrix)
            continue; /* slower with another geometry */
        own->last_matrix = e->matrix;
        own->row = e->row;
        own->matrices++;
        own->log_sum += log(ratio);
        own->held_out += rc_halves_mean(&halves, 0, k) - held_out;
        own->sum += ratio;
        own->max = ratio > own->max ? ratio : own->max;
    }
    rc_halves_free(&halves);
    return st;
}

rc_status_t rc_best_make(
    const rc_view_t *v, const rc_expr_t *where, rc_best_t **out, int *count, rc_err_t *err)
{
    rc_counted_t all = {0};
    tally_t *tally = NULL;
    rc_best_t *list = NULL;
    rc_status_t st;
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &all, err));
    tally = rc_alloc((size_t)all.variants, sizeof *tally, "kernels and orders", err);
    list = rc_alloc0((size_t)all.settings, sizeof *list, "a summary", err);
    RC_TRY(tally && list ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < all.rows;) {
        int32_t setting = all.row[i].setting;
        list[setting].setting = all.setting[setting];
        for (int t = 0; t < all.variants; t++)
            tally[t] = (tally_t){.row = -1, .last_matrix = -1};
        while (i < all.rows && all.row[i].setting == setting) {
            int64_t end = rc_counted_end(&all, i);
            count_wins(&all, i, end, tally);
            RC_TRY(score(&all, i, end, tally, err));
            i = end;
        }
        RC_TRY(finish(&all, tally, &list[setting], err));
    }
    *out = list;
    *count = all.settings;
    list = NULL;
done:
    rc_best_free(list, all.settings);
    free(tally);
    rc_counted_free(&all);
    return st;
}

void rc_best_free(rc_best_t *b, int count)
{
    for (int i = 0; b && i < count; i++)
        free(b[i].variant);
    free(b);
}
