#include "config.h"
#include "analysis/papers/hong/hong.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/tuning/rs_tuning.h"
#include "kernels/tuning/tuning.h"

#include <string.h>

static rc_status_t mark(const json_t *root, void *user, rc_err_t *err)
{
    const json_t *list = json_object_get(root, "training_matrices");
    const int32_t n = rc_view_matrices(user);
    unsigned char *marks = rc_alloc0((size_t)n, 1, "matrices", err);
    RC_PASS(marks ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        for (int32_t m = 0; name && m < n; m++)
            marks[m] |= strcmp(rc_view_matrix(user, m)->name, name) == 0;
    }
    rc_view_take_training(user, marks);
    return RC_OK;
}

rc_status_t rc_summary_mark_training(
    rc_view_t *v, const rc_summary_t *s, const rc_summary_options_t *o, rc_err_t *err)
{
    if (!(s->takes & RC_TAKES_TUNING) || o->by_matrix ||
        (!o->tuning && rc_rs_tuning_is_none("auto")))
        return RC_OK;
    rc_status_t st = rc_tuning_read(o->tuning ? o->tuning : RC_RS_TUNING_USUAL, NULL, mark, v, err);
    return st < 0 && o->tuning ? rc_err_context(err, "--tuning") : st;
}

static rc_status_t print_versus(const rc_summary_options_t *o, rc_err_t *err)
{
    rc_summary_options_t own = *o;
    own.side_a = o->side_a ? o->side_a : "rs:*:t=0:cfv=0:*";
    return rc_summary_versus.print(&own, err);
}

static const rc_summary_t versus = {.name = "versus",
    .shows = "figure-8 figure-9",
    .summary = "rs against a side, matrix by matrix",
    .takes = RC_TAKES_SIDES | RC_TAKES_ORDERS | RC_TAKES_TUNING,
    .print = print_versus};

static const rc_summary_t *const tables[] = {&rc_summary_hong_roofline, &rc_summary_hong_modelling,
    &versus, &rc_summary_hong_profile, &rc_summary_hong_prepare, &rc_summary_hong_both,
    &rc_summary_hong_rate, NULL};

const rc_paper_t rc_paper_hong = {.name = "hong",
    .cite = "Hong et al. 2018, RS-SpMM: rows in segments of columns",
    .tables = tables};
