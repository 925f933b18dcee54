#include "config.h"
#include "analysis/recipe.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH_MIN = 32, BATCH_MAX = 256, STEPS = 16 };

/* A fit in the making. */
typedef struct maker {
    rc_pool_t pool;
    rc_recipe_t r; /* with the options in it */
    const rc_dataset_t *d;
    const int64_t *row;
    int64_t n;
    rc_net_shape_t shape;
    rc_loss_t loss;
    rc_loss_t warm;
    rc_loss_t level;
    int passes;     /* fits of all nets: one, or one for each class */
    double *target; /* [n * classes], in several passes [classes * n] */
    double *offset;
    double *size;
    double *weight;          /* [n] */
    int *validation;         /* [nets * n] */
    rc_net_job_t *job;       /* [passes * jobs] */
    rc_net_result_t *result; /* [passes * jobs] */
    int nets;                /* of a pass: members, then levels */
    int jobs;                /* restarts of each */
    rc_err_t *err;
} maker_t;

static const double *times(const maker_t *m, int64_t i)
{
    return m->d->time + m->row[i] * m->d->classes;
}

static double *target_at(const maker_t *m, int64_t i, int c)
{
    return m->target + (m->passes > 1 ? c * m->n + i : i * m->d->classes + c);
}

static void fill_targets(maker_t *m)
{
    int classes = m->d->classes;
    int base = m->d->baseline;
    for (int64_t i = 0; i < m->n; i++) {
        const double *t = times(m, i);
        int best = rc_dataset_best(m->d, m->row[i]);
        for (int c = 0; c < classes; c++)
            switch (m->r.output) {
            case RC_OUTPUT_LOG_NS:
                *target_at(m, i, c) = log(t[c]);
                break;
            case RC_OUTPUT_LOG_RATIO:
                *target_at(m, i, c) = c == base ? log(t[c]) : log(t[c] / t[base]);
                break;
            case RC_OUTPUT_SCORE:
                *target_at(m, i, c) = c == best;
                break;
            }
    }
}

/* Mean and deviation of the targets of each class: where the outputs start, and their unit. */
static void measure_targets(maker_t *m)
{
    int classes = m->d->classes;
    for (int c = 0; c < classes; c++) {
        double mean = 0;
        double square = 0;
        for (int64_t i = 0; i < m->n; i++)
            mean += *target_at(m, i, c) / (double)m->n;
        for (int64_t i = 0; i < m->n; i++) {
            double e = *target_at(m, i, c) - mean;
            square += e * e / (double)m->n;
        }
        int scores = m->r.output == RC_OUTPUT_SCORE;
        m->offset[c] = scores ? 0 : mean;
        m->size[c] = scores || !(square > 1e-24) ? 1 : sqrt(square);
    }
}

/* A log ratio of 1 counts as the mean regret of a choice at random: the size of differences. */
static void measure_loss(maker_t *m)
{
    int classes = m->d->classes;
    double regret = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const double *t = times(m, i);
        double best = t[rc_dataset_best(m->d, m->row[i])];
        for (int c = 0; c < classes; c++)
            regret += log(t[c] / best) / classes / (double)m->n;
    }
    m->loss = (rc_loss_t){.row = m->r.loss,
        .baseline = m->d->baseline,
        .temperature = m->r.temperature,
        .scale = regret > 1e-6 ? regret : 1,
        .mix = m->r.mix};
    m->warm = m->loss;
    m->warm.row = m->r.warm;
    m->level = (rc_loss_t){.row = rc_loss_level, .baseline = m->d->baseline};
}

static rc_status_t allocate(maker_t *m)
{
    size_t classes = (size_t)m->d->classes;
    size_t n = (size_t)m->n;
    m->nets = m->r.members + m->r.levels;
    m->jobs = m->nets * m->r.restarts;
    size_t fits = (size_t)m->jobs * (size_t)m->passes;
    m->target = rc_pool_get(&m->pool, n * classes, sizeof *m->target);
    m->offset = rc_pool_get(&m->pool, classes, sizeof *m->offset);
    m->size = rc_pool_get(&m->pool, classes, sizeof *m->size);
    m->validation = rc_pool_get(&m->pool, (size_t)m->nets * n, sizeof *m->validation);
    m->weight = rc_pool_get(&m->pool, n, sizeof *m->weight);
    m->job = rc_pool_get0(&m->pool, fits, sizeof *m->job);
    m->result = rc_pool_get0(&m->pool, fits, sizeof *m->result);
    return rc_pool_check(&m->pool, "a fit", m->err);
}

static rc_status_t set_jobs(maker_t *m, const rc_fit_options_t *o)
{
    int64_t batch = m->n / STEPS;
    batch = batch < BATCH_MIN ? BATCH_MIN : batch > BATCH_MAX ? BATCH_MAX : batch;
    m->r.net.batch = m->r.net.batch > 0 ? m->r.net.batch : (int)batch;
    for (int i = 0; i < m->nets; i++) {
        int level = i >= m->r.members;
        int *part = m->validation + (size_t)i * (size_t)m->n;
        const rc_split_t split = {m->d, m->row, m->n, m->r.by_matrix ? RC_SPLIT_RANDOM : o->split,
            rc_rng_hash(o->seed, (uint64_t)i)};
        rc_status_t st = rc_split_share(&split, m->r.validation, part, m->err);
        if (st < 0)
            return rc_err_context(m->err, "a validation part");
        for (int j = 0; j < m->r.restarts * m->passes; j++) {
            int at = j / m->r.restarts * m->jobs + i * m->r.restarts + j % m->r.restarts;
            m->job[at] = (rc_net_job_t){.seed = rc_rng_hash(~o->seed, (uint64_t)at),
                .validation = part,
                .loss = level ? &m->level : &m->loss,
                .warm = m->r.warm && !level ? &m->warm : NULL,
                .rule = &m->r.net};
        }
    }
    return RC_OK;
}

/* The restart of least validation loss of a net; nets are numbered through the passes. */
static int best_of(const maker_t *m, int net)
{
    int best = net * m->r.restarts;
    for (int i = best + 1; i < (net + 1) * m->r.restarts; i++)
        if (m->result[i].validation < m->result[best].validation)
            best = i;
    return best;
}

/* Where there are levels, the outputs that a net is not for become 0, and the others such that the
 * mean over all nets is the mean over those that are for them. */
static void share_outputs(const maker_t *m, rc_network_t *network)
{
    int base = m->d->baseline;
    for (int i = 0; m->r.levels > 0 && i < m->nets; i++) {
        const rc_net_t *net = &network->net[i];
        rc_layer_t *last = &net->layer[net->layers - 1];
        int level = i >= m->r.members;
        double factor = (double)m->nets / (level ? m->r.levels : m->r.members);
        for (int c = 0; c < last->out; c++) {
            double f = (c == base) == level ? factor : 0;
            for (int j = 0; j < last->in; j++)
                last->weight[(size_t)j * (size_t)last->out + (size_t)c] *= f;
            last->bias[c] *= f;
        }
    }
}

static rc_status_t take(maker_t *m, rc_model_t *model)
{
    rc_net_shape_t shape = m->shape;
    shape.size[shape.layers] = m->d->classes;
    rc_network_t *network = rc_network_new(m->nets * m->passes, shape.layers, shape.size, m->err);
    int of_loss = m->r.members * m->passes;
    double validation = 0;
    double train = 0;
    int rc = 0;
    json_t *epochs = json_array();
    if (!network) {
        json_decref(epochs);
        return RC_ENOMEM;
    }
    for (int i = 0; i < m->nets * m->passes; i++) {
        const rc_net_result_t *r = &m->result[best_of(m, i)];
        /* in several passes a net has one output among nets of the other classes, whose mean is to
         * be that of its class */
        rc_net_export(&m->shape, r->param, i / m->nets, m->passes, &network->net[i]);
        if (i < of_loss) {
            validation += r->validation / of_loss;
            train += r->train / of_loss;
        }
        rc |= json_array_append_new(epochs, json_integer(r->best_epoch));
    }
    share_outputs(m, network);
    model->output = m->r.output;
    model->predictor = (rc_predictor_t){&rc_predictor_network, network};
    json_t *add = json_pack("{s:i, s:i, s:i, s:f, s:s, s:f, s:f, s:o, s:s}", "members",
        m->r.members, "levels", m->r.levels, "restarts", m->r.restarts, "l2", m->r.net.l2, "hidden",
        m->r.hidden, "validation_loss", validation, "training_loss", train, "best_epoch", epochs,
        "blas", rc_net_blas());
    rc |= json_object_update(model->training, add);
    json_decref(add);
    return rc ? rc_fail(m->err, RC_ENOMEM, "no memory to describe a fit") : RC_OK;
}

static rc_status_t override(maker_t *m, const rc_fit_options_t *o)
{
    if (o->hidden)
        m->r.hidden = o->hidden;
    if (o->l2 >= 0)
        m->r.net.l2 = o->l2;
    if (o->restarts > 0)
        m->r.restarts = o->restarts;
    if (o->members > 0 && m->r.members > 1)
        m->r.members = o->members;
    if (o->epochs > 0)
        m->r.net.epochs = o->epochs;
    if (!isfinite(m->r.net.l2))
        return rc_fail(m->err, RC_EINVAL, "L2 penalty: expected a number, found %g", m->r.net.l2);
    m->passes = m->r.separate ? m->d->classes : 1;
    return rc_net_shape(
        m->r.hidden, m->d->inputs, m->r.separate ? 1 : m->d->classes, &m->shape, m->err);
}

rc_status_t rc_recipe_fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *model, rc_err_t *err)
{
    const rc_recipe_t *recipe = self->recipe;
    const rc_fit_options_t *options = job->options;
    maker_t m = {.r = *recipe, .d = job->d, .row = job->row, .n = job->n, .err = err};
    rc_status_t st;
    RC_TRY(override(&m, options));
    RC_TRY(allocate(&m));
    fill_targets(&m);
    measure_targets(&m);
    measure_loss(&m);
    RC_TRY(set_jobs(&m, options));
    for (int64_t i = 0; i < m.n; i++)
        m.weight[i] = m.r.unweighted ? 1 : job->weight[i];
    for (int p = 0; p < m.passes; p++) { /* all classes, or that of the number of the pass */
        const rc_net_data_t data = {.rows = m.n,
            .x = job->x,
            .target = m.target + (m.passes > 1 ? p * m.n : 0),
            .weight = m.weight,
            .offset = m.offset + p,
            .size = m.size + p};
        RC_TRY(rc_net_train(&m.shape, &data, m.job + p * m.jobs, m.jobs, options, model->kind,
            m.result + p * m.jobs, err));
    }
    st = take(&m, model);
done:
    for (int i = 0; m.result && i < m.jobs * m.passes; i++)
        free(m.result[i].param);
    rc_pool_free(&m.pool);
    return st;
}
