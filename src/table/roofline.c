#include "config.h"
#include "table/roofline.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/type.h"

#include <math.h>
#include <stdlib.h>

double rc_roofline_bound(
    int64_t rows, int64_t cols, int64_t nnz, int64_t k, int64_t value_bytes, double gbs)
{
    const double index = 4;
    double n = (double)nnz;
    double columns = (double)k;
    double value = (double)value_bytes;
    double bytes = (index + value) * n + index * ((double)rows + 1) +
                   value * columns * ((double)rows + (double)cols);
    return 2 * columns * n * gbs / bytes;
}

static double bound_of(const rc_counted_t *c, const rc_counted_row_t *e, double gbs)
{
    const rc_row_matrix_t *m = rc_view_matrix(c->view, e->matrix);
    const rc_row_result_t *r = rc_view_result(c->view, e->row);
    return rc_roofline_bound(
        m->rows, m->cols, m->nnz, r->k > 0 ? r->k : 1, rc_type(r->precision)->bytes, gbs);
}

/* \param[in] share  [n] scratch, n >= 1 */
static void finish(rc_roofline_t *l, double *share)
{
    rc_stats_t s;
    double n = (double)l->matrices;
    l->gflops = exp(l->gflops / n);
    l->bound = exp(l->bound / n);
    rc_stats_compute(share, l->matrices, &s);
    l->share = s.geomean;
    l->median = s.median;
}

/* \param[in] share  [matrices of the view] scratch */
static rc_roofline_t line_of(
    const rc_counted_t *c, int setting, rc_segmented_set_t set, double gbs, double *share)
{
    const double near = 0.8;
    rc_roofline_t l = {.setting = c->setting[setting], .set = set};
    for (int64_t i = 0; i < c->rows; i = rc_counted_end(c, i)) {
        const rc_counted_row_t *e = &c->row[i]; /* the fastest comes first */
        double flops = rc_view_flops(c->view, e->row);
        if (e->setting != setting || !(flops > 0) || !rc_segmented_is_in(c, e->matrix, set))
            continue;
        double bound = bound_of(c, e, gbs);
        double x = flops / e->ns / bound;
        l.gflops += log(flops / e->ns);
        l.bound += log(bound);
        l.most = fmax(l.most, bound);
        l.near += x >= near;
        l.over += x > 1;
        share[l.matrices++] = x;
    }
    if (l.matrices > 0)
        finish(&l, share);
    return l;
}

rc_status_t rc_roofline_make(const rc_view_t *v, const rc_expr_t *where, double gbs,
    rc_roofline_t **out, int *count, rc_err_t *err)
{
    rc_counted_t c = {0};
    rc_roofline_t *list = NULL;
    double *share = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &c, err));
    list = rc_alloc((size_t)c.settings * RC_SEGMENTED_SETS, sizeof *list, "a table", err);
    share = rc_alloc((size_t)rc_view_matrices(v), sizeof *share, "a table", err);
    RC_TRY(list && share ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < c.settings; s++)
        for (int set = 0; set < RC_SEGMENTED_SETS; set++) {
            list[n] = line_of(&c, s, (rc_segmented_set_t)set, gbs, share);
            n += list[n].matrices > 0;
        }
    *out = list;
    *count = n;
    list = NULL;
done:
    free(list);
    free(share);
    rc_counted_free(&c);
    return st;
}
