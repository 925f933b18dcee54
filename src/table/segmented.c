#include "config.h"
#include "table/segmented.h"
#include "base/family.h"

#include <math.h>
#include <string.h>

const char *const rc_segmented_set_names[] = {"real", "all", NULL};

int rc_segmented_is_of(const char *kernel)
{
    return rc_spec_is(kernel, "rs") || rc_spec_is(kernel, "rs-spmm_t");
}

int rc_segmented_is_tuned(const char *kernel)
{
    return rc_segmented_is_of(kernel) && rc_spec_begins(kernel, "tune", "") &&
           !rc_spec_begins(kernel, "tune", "auto");
}

int rc_segmented_is_in(const rc_counted_t *c, int32_t matrix, rc_segmented_set_t set)
{
    return set == RC_SEGMENTED_ALL || !rc_view_is_generated(c->view, matrix);
}

int rc_segmented_is_closed(const char *kernel)
{
    return rc_spec_is(kernel, "rs") && rc_spec_number(kernel, "t") > 0 &&
           rc_spec_number(kernel, "cfv") > 0 && rc_spec_number(kernel, "cfh") > 0 &&
           rc_spec_number(kernel, "w") <= 0 && rc_spec_number(kernel, "hblocks") == 1 &&
           !rc_spec_begins(kernel, "light", "store");
}

int rc_segmented_is_model(const char *kernel)
{
    return rc_spec_is(kernel, "rs") && rc_segmented_is_tuned(kernel) &&
           rc_spec_number(kernel, "t") == 0 && rc_spec_number(kernel, "cfv") == 0 &&
           rc_spec_number(kernel, "w") <= 0 && !rc_spec_begins(kernel, "light", "store");
}

/* -------------------------------------------------------------------- both */

/* Contestants: a product by a kernel of the first name, its transposed one by a kernel of the
 * second. */
static const struct {
    const char *name;
    const char *a;
    const char *at;
    int twin;   /* 1: the same parameters, which is one structure */
    int family; /* 1: all kernels whose names begin so */
} contestants[] = {
    {"cusparse", "cusparse-", "cusparse-spmm_t-", 0, 1},
    {"rs", "rs", "rs-spmm_t", 1, 0},
    {"growmajor and its copy", "growmajor", "growmajor-spmm_t", 0, 0},
};
enum { CONTESTANTS = sizeof contestants / sizeof *contestants };

static int fits(const char *kernel, const char *name, int family)
{
    return family ? strncmp(kernel, name, strlen(name)) == 0 : rc_spec_is(kernel, name);
}

const char *rc_both_name(int i)
{
    return i < CONTESTANTS ? contestants[i].name : NULL;
}

double rc_both_time(
    const rc_counted_t *c, int i, const int64_t a[2], const int64_t at[2], double *bytes)
{
    double least = NAN;
    for (int64_t p = a[0]; p < a[1]; p++) {
        const char *kernel = rc_view_kernel(c->view, c->row[p].kernel);
        if (!fits(kernel, contestants[i].a, contestants[i].family))
            continue;
        for (int64_t q = at[0]; q < at[1]; q++) {
            const char *other = rc_view_kernel(c->view, c->row[q].kernel);
            double sum = c->row[p].ns + c->row[q].ns;
            if (c->row[p].policy != c->row[q].policy ||
                !fits(other, contestants[i].at, contestants[i].family) ||
                !(isnan(least) || sum < least) ||
                (contestants[i].twin && strcmp(kernel + strlen(contestants[i].a),
                                            other + strlen(contestants[i].at)) != 0))
                continue;
            double first = (double)rc_view_result(c->view, c->row[p].row)->device_bytes;
            double second = (double)rc_view_result(c->view, c->row[q].row)->device_bytes;
            least = sum;
            *bytes = contestants[i].twin ? fmax(first, second) : first + second;
        }
    }
    return least;
}

int rc_both_setting(const rc_counted_t *c, const rc_setting_t *s)
{
    for (int i = 0; s->op == RC_OP_SPMM && i < c->settings; i++) {
        const rc_setting_t *o = &c->setting[i];
        if (o->op == RC_OP_SPMM_T && o->k == s->k && o->is_n == s->is_n &&
            o->precision == s->precision && o->c_order == s->c_order && o->cache == s->cache &&
            o->device == s->device)
            return i;
    }
    return -1;
}

void rc_both_rows(const rc_counted_t *c, int setting, int32_t matrix, int64_t range[2])
{
    range[0] = range[1] = 0;
    for (int64_t i = 0, end; i < c->rows; i = end) {
        end = rc_counted_end(c, i);
        if (c->row[i].setting == setting && c->row[i].matrix == matrix) {
            range[0] = i;
            range[1] = end;
        }
    }
}
