#include "config.h"
#include "table/profile.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/training.h"

#include <math.h>
#include <stdlib.h>

const double rc_contest_steps[RC_CONTEST_STEPS] = {1, 1.1, 1.25, 1.5, 2, 4, 16};

/* What a table is made of. */
typedef struct profiles {
    rc_counted_t c;
    unsigned char *training;
    const rc_contestant_t *contestant;
    int n;
    int square;
} profiles_t;

/* Time of a contestant on the matrix of rows [i, end); NaN: none.  \param[in] at  rows of the
 * transposed product there */
static double time_of(
    const profiles_t *p, int contestant, int64_t i, int64_t end, const int64_t at[2])
{
    const rc_contestant_t *x = &p->contestant[contestant];
    const int64_t a[2] = {i, end};
    double bytes;
    if (!x->side)
        return rc_both_time(&p->c, x->both, a, at, &bytes);
    int64_t row = rc_side_fastest(&p->c, i, end, x->side);
    return row < 0 ? NAN : rc_view_result(p->c.view, row)->median_ns;
}

/* One matrix into the lines of its setting and set.  \param[in,out] line  [n], geomean a sum of
 * logs */
static void add_matrix(const profiles_t *p, const double *ns, rc_contest_t *line)
{
    const double same = 1 + 1e-9; /* of two equal times neither is slower */
    double least = NAN;
    int timed = 0;
    for (int i = 0; i < p->n; i++) {
        least = fmin(least, ns[i]); /* fmin passes NaN over */
        timed += !isnan(ns[i]);
    }
    if (timed < 2)
        return;
    for (int i = 0; i < p->n; i++) {
        line[i].matrices++;
        if (isnan(ns[i]))
            continue;
        line[i].measured++;
        line[i].geomean += log(ns[i] / least);
        for (int s = 0; s < RC_CONTEST_STEPS; s++)
            line[i].within[s] += ns[i] <= same * rc_contest_steps[s] * least;
    }
}

static int counts(const profiles_t *p, int setting, int64_t i, rc_segmented_set_t set)
{
    const rc_row_matrix_t *m = rc_view_matrix(p->c.view, p->c.row[i].matrix);
    return p->c.row[i].setting == setting && !p->training[p->c.row[i].matrix] &&
           rc_segmented_is_in(&p->c, p->c.row[i].matrix, set) && (!p->square || m->rows == m->cols);
}

/* \param[out] line  [n] */
static void lines_of(
    const profiles_t *p, int setting, int other, rc_segmented_set_t set, rc_contest_t *line)
{
    double ns[RC_CONTEST_MAX];
    for (int i = 0; i < p->n; i++)
        line[i] = (rc_contest_t){
            .setting = p->c.setting[setting], .set = set, .contestant = p->contestant[i].name};
    for (int64_t row = 0, end; row < p->c.rows; row = end) {
        int64_t at[2] = {0, 0};
        end = rc_counted_end(&p->c, row);
        if (!counts(p, setting, row, set))
            continue;
        if (other >= 0)
            rc_both_rows(&p->c, other, p->c.row[row].matrix, at);
        for (int i = 0; i < p->n; i++)
            ns[i] = time_of(p, i, row, end, at);
        add_matrix(p, ns, line);
    }
    for (int i = 0; i < p->n; i++)
        line[i].geomean = line[i].measured ? exp(line[i].geomean / (double)line[i].measured) : NAN;
}

rc_status_t rc_contest_make(const rc_view_t *v, const rc_expr_t *where,
    const rc_contestant_t *contestants, int n, int square, rc_contest_t **out, int *count,
    rc_err_t *err)
{
    profiles_t p = {.contestant = contestants, .n = n, .square = square};
    rc_contest_t *list = NULL;
    const int both = n > 0 && !contestants[0].side;
    int64_t trained;
    int lines = 0;
    rc_status_t st;
    RC_TRY(rc_training_of(v, &p.training, &trained, err));
    RC_TRY(rc_counted_make(v, where, -1, RC_SETTINGS_BY_K, &p.c, err));
    list = rc_alloc(
        (size_t)p.c.settings * RC_SEGMENTED_SETS * (size_t)n, sizeof *list, "a table", err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < p.c.settings; s++) {
        int other = both ? rc_both_setting(&p.c, s) : -1;
        for (int set = 0; (!both || other >= 0) && set < RC_SEGMENTED_SETS; set++) {
            lines_of(&p, s, other, (rc_segmented_set_t)set, list + lines);
            lines += list[lines].matrices > 0 ? n : 0;
        }
    }
    *out = list;
    *count = lines;
    list = NULL;
done:
    free(list);
    free(p.training);
    rc_counted_free(&p.c);
    return st;
}
