#include "config.h"
#include "table/rate.h"
#include "base/alloc.h"
#include "base/error.h"

#include "table/training.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(const rc_counted_t *c, const rc_counted_row_t *e, rc_rate_t *r)
{
    const rc_row_result_t *row = rc_view_result(c->view, e->row);
    double gflops = rc_view_flops(c->view, e->row) / e->ns;
    double gbs = (double)row->bytes_min / e->ns;
    r->kernel = rc_view_kernel(c->view, row->kernel);
    r->policy = rc_view_policy(c->view, row->policy);
    r->setting = c->setting[e->setting];
    r->matrices++;
    r->gflops_geomean += log(gflops); /* sums, until finish */
    r->gflops_mean += gflops;
    r->gflops_max = gflops > r->gflops_max ? gflops : r->gflops_max;
    r->gbs_geomean += log(gbs);
    r->gbs_mean += gbs;
    r->gbs_max = gbs > r->gbs_max ? gbs : r->gbs_max;
}

static void finish(rc_rate_t *r)
{
    double n = (double)r->matrices;
    r->gflops_geomean = exp(r->gflops_geomean / n);
    r->gflops_mean /= n;
    r->gbs_geomean = exp(r->gbs_geomean / n);
    r->gbs_mean /= n;
}

static int by_kernel_policy(const void *a, const void *b)
{
    const rc_rate_t *x = a;
    const rc_rate_t *y = b;
    int c = strcmp(x->kernel, y->kernel);
    return c ? c : strcmp(x->policy, y->policy);
}

typedef struct seen {
    int32_t matrix; /* counted last, -1 */
    int rate;       /* its number in the list, -1 */
} seen_t;

/* All rows of the setting of row i, into the rates behind list[*n]; behind the last row. */
static int64_t rate_setting(const rc_counted_t *c, int64_t i, rc_segmented_set_t set,
    const unsigned char *training, seen_t *seen, rc_rate_t *list, size_t *n)
{
    int32_t setting = c->row[i].setting;
    size_t first = *n;
    for (int t = 0; t < c->variants; t++)
        seen[t] = (seen_t){-1, -1};
    for (; i < c->rows && c->row[i].setting == setting; i++) {
        const rc_counted_row_t *e = &c->row[i];
        seen_t *own = &seen[e->variant];
        if (own->matrix == e->matrix || !rc_segmented_is_in(c, e->matrix, set) ||
            (training[e->matrix] && rc_segmented_is_tuned(rc_view_kernel(c->view, e->kernel))))
            continue; /* slower with another geometry, or not of the set */
        if (own->rate < 0)
            own->rate = (int)(*n)++;
        own->matrix = e->matrix;
        add(c, e, &list[own->rate]);
    }
    for (size_t k = first; k < *n; k++) {
        list[k].set = set;
        finish(&list[k]);
    }
    qsort(list + first, *n - first, sizeof *list, by_kernel_policy);
    return i;
}

rc_status_t rc_rate_make(
    const rc_view_t *v, const rc_expr_t *where, rc_rate_t **out, int *count, rc_err_t *err)
{
    rc_counted_t all = {0};
    seen_t *seen = NULL;
    rc_rate_t *list = NULL;
    unsigned char *training = NULL;
    int64_t trained;
    size_t n = 0;
    rc_status_t st;
    RC_TRY(rc_training_of(v, &training, &trained, err));
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &all, err));
    seen = rc_alloc((size_t)all.variants, sizeof *seen, "kernels and orders", err);
    list = rc_alloc0((size_t)all.settings * RC_SEGMENTED_SETS * (size_t)all.variants, sizeof *list,
        "rates", err);
    RC_TRY(seen && list ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0, end = 0; i < all.rows; i = end)
        for (int set = 0; set < RC_SEGMENTED_SETS; set++)
            end = rate_setting(&all, i, (rc_segmented_set_t)set, training, seen, list, &n);
    *out = list;
    *count = (int)n;
    list = NULL;
done:
    free(training);
    free(list);
    free(seen);
    rc_counted_free(&all);
    return st;
}
