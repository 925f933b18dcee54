#include "config.h"
#include "analysis/boost_fit.h"
#include "analysis/merit.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

rc_boost_options_t rc_boost_defaults(const rc_fit_options_t *options, int outputs)
{
    return (rc_boost_options_t){.objective = "reg:squarederror",
        .method = "hist",
        .outputs = 1,
        .rounds = options->epochs > 0 ? options->epochs : rc_boost_rounds_max(outputs),
        .stride = 1,
        .depth = 1,
        .rate = 0.2,
        .lambda = options->l2 > 0 ? options->l2 : 1,
        .leaf_weight_min = 5};
}

static rc_status_t describe(
    const rc_boost_size_t *size, const char *name, rc_model_t *m, rc_err_t *err)
{
    json_t *o = json_pack("{s:i,s:i,s:f}", "depth", size->depth, "rounds", size->rounds,
        "validation_measure", size->measure);
    if (!o || !m->training || json_object_set_new(m->training, name, o) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory to describe a fit");
    return RC_OK;
}

rc_status_t rc_boost_fit_sized(const rc_boost_problem_t *p, const int *depth, int depths,
    const rc_fit_options_t *options, const char *name, rc_model_t *m, rc_forest_t **out,
    rc_err_t *err)
{
    rc_status_t st;
    rc_boost_size_t size;
    RC_TRY(rc_boost_size(p, depth, depths, options, &size, err));
    RC_TRY(describe(&size, name, m, err));
    RC_TRY(rc_boost_grow(p, &size, options->threads, out, err));
done:
    return st;
}

void rc_boost_serve(rc_model_t *m, rc_output_t output, rc_forest_t *f)
{
    rc_predictor_free(&m->predictor);
    m->output = output;
    m->predictor = (rc_predictor_t){.kind = &rc_predictor_forest, .state = f};
}

rc_status_t rc_boost_fit_merits(const rc_fit_job_t *job, const rc_boost_options_t *trees,
    const int *depth, int depths, rc_model_t *m, rc_forest_t **out, rc_err_t *err)
{
    const rc_dataset_t *d = job->d;
    rc_status_t st;
    rc_boost_problem_t p = {0};
    double *merit = rc_alloc((size_t)d->classes, sizeof *merit, "labels of trees", err);
    RC_TRY(merit ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_boost_problem_new(job, d->classes, &p, err));
    for (int64_t i = 0; i < job->n; i++) {
        rc_merit(d, job->row[i], RC_MERIT_CAP, merit);
        for (int c = 0; c < d->classes; c++)
            p.label[c * job->n + i] = (float)merit[c];
    }
    rc_boost_problem_centre(&p);
    p.options = *trees;
    p.measure = RC_BOOST_LARGEST;
    RC_TRY(rc_boost_fit_sized(&p, depth, depths, job->options, "trees", m, out, err));
done:
    free(merit);
    rc_boost_problem_free(&p);
    return st;
}
