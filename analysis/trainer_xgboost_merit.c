/* Boosted trees of one size on the merits of classes: what trees learn of the times of a row when
 * only the choice matters.  Where groups are held out, sizes that are searched for inside of the
 * training rows come out no better than a fixed one: what few groups say of the others is noise.
 *
 * log ns of a class = level of the row - merit + excess.  The merit is the mean of those of losses
 * that are cut at two caps: a soft cap, which tells a choice that is twice as slow from one that is
 * a third slower.  The level, log of the geometric mean of the times with losses so cut, decides
 * nothing; the excess is what was cut off, 0 where a class is near the best one. */
#include "config.h"
#include "analysis/boost.h"
#include "analysis/trainer.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>

/* Of log(time / best time): 35 % slower than the best class is as bad as it gets, or 2.7 times. */
static const double caps[2] = {0.3, 1};

/* What the outputs of the model are sums of. */
typedef enum part { LEVEL, MERIT, EXCESS, PARTS } part_t;

/* How a part is grown, and its sign in the sum.  The level is in every output: few trees, in large
 * steps.  Few rows decide what is cut off, and next to the best classes it is 0: small leaves would
 * only disturb them. */
static const struct {
    int rounds;
    int depth;
    double rate;
    double leaf_weight_min;
    int centre; /* 1: outputs start from the mean; 0: from 0 */
    int sign;
} growth[PARTS] = {
    [LEVEL] = {10, 4, 0.5, 5, 1, 1},
    [MERIT] = {60, 4, 0.2, 5, 1, -1},
    [EXCESS] = {10, 3, 0.4, 20, 0, 1},
};

/* Boosters of one output: the level, the merits, the excesses.  They are independent and run at
 * once; the result does not depend on how many do. */
typedef struct boosters {
    rc_pool_t pool;
    const rc_fit_job_t *job;
    int count;
    float *x;      /* [n * inputs] */
    float *weight; /* [n] */
    float *label;  /* [count * n], booster by booster */
    rc_forest_t **forest;
} boosters_t;

static part_t part_of(const boosters_t *b, int i)
{
    return i == 0 ? LEVEL : i <= b->job->d->classes ? MERIT : EXCESS;
}

/* The booster of a part for a class. */
static int booster_of(const boosters_t *b, part_t part, int c)
{
    return part == LEVEL ? 0 : 1 + (part == EXCESS) * b->job->d->classes + c;
}

/* Merits of the classes of a row: minus log(time / best time), at least -cap, and less their mean
 * over the classes.  The largest is that of the best class.  The cap keeps a few rows with huge
 * ratios from steering the trees, since between two bad classes nothing is to be decided; the mean
 * makes all classes err alike, the baseline too.
 * \param[out] merit  [classes] */
static void merits_of(const rc_dataset_t *d, int64_t row, double cap, double *merit)
{
    const double *time = d->time + row * d->classes;
    int best = rc_dataset_best(d, row);
    double mean = 0;
    for (int c = 0; c < d->classes; c++) {
        double loss = log(time[c] / time[best]);
        merit[c] = -(loss < cap ? loss : cap);
        mean += merit[c] / d->classes;
    }
    for (int c = 0; c < d->classes; c++)
        merit[c] -= mean;
}

/* Log of the mean time of a row with losses cut at the cap, and what is cut off.
 * \param[out] excess  [classes] */
static double level_of(const rc_dataset_t *d, int64_t row, double *excess)
{
    const double *time = d->time + row * d->classes;
    double best = time[rc_dataset_best(d, row)];
    double level = log(best);
    for (int c = 0; c < d->classes; c++) {
        double loss = log(time[c] / best);
        double cut = (fmin(loss, caps[0]) + fmin(loss, caps[1])) / 2;
        level += cut / d->classes;
        excess[c] = loss - cut;
    }
    return level;
}

static rc_status_t boosters_new(const rc_fit_job_t *job, boosters_t *b, rc_err_t *err)
{
    size_t n = (size_t)job->n;
    size_t size = n * (size_t)job->d->inputs;
    *b = (boosters_t){.job = job, .count = 1 + 2 * job->d->classes};
    b->x = rc_pool_get(&b->pool, size, sizeof *b->x);
    b->weight = rc_pool_get(&b->pool, n, sizeof *b->weight);
    b->label = rc_pool_get(&b->pool, (size_t)b->count * n, sizeof *b->label);
    b->forest = rc_pool_get0(&b->pool, (size_t)b->count, sizeof(rc_forest_t *));
    RC_PASS(rc_pool_check(&b->pool, "trees", err));
    for (size_t i = 0; i < size; i++)
        b->x[i] = (float)job->x[i];
    for (size_t i = 0; i < n; i++)
        b->weight[i] = (float)job->weight[i];
    return RC_OK;
}

static rc_status_t set_labels(boosters_t *b, rc_err_t *err)
{
    const rc_fit_job_t *j = b->job;
    int classes = j->d->classes;
    double *value = rc_pool_get(&b->pool, 3 * (size_t)classes, sizeof *value);
    RC_PASS(rc_pool_check(&b->pool, "labels of trees", err));
    for (int64_t i = 0; i < j->n; i++) {
        merits_of(j->d, j->row[i], caps[0], value);
        merits_of(j->d, j->row[i], caps[1], value + classes);
        b->label[i] = (float)level_of(j->d, j->row[i], value + 2 * classes);
        for (int c = 0; c < classes; c++) {
            b->label[booster_of(b, MERIT, c) * j->n + i] =
                (float)((value[c] + value[classes + c]) / 2);
            b->label[booster_of(b, EXCESS, c) * j->n + i] = (float)value[2 * classes + c];
        }
    }
    return RC_OK;
}

static double mean_of(const rc_boost_rows_t *r)
{
    double sum = 0;
    double weight = 0;
    for (int64_t i = 0; i < r->count; i++) {
        sum += (double)r->weight[i] * r->label[i];
        weight += r->weight[i];
    }
    return weight > 0 ? sum / weight : 0;
}

static rc_status_t grow(void *context, int i, rc_err_t *err)
{
    boosters_t *b = context;
    const rc_fit_options_t *options = b->job->options;
    part_t part = part_of(b, i);
    int inputs = b->job->d->inputs;
    int rounds = growth[part].rounds;
    const rc_boost_rows_t rows = {.count = b->job->n,
        .inputs = inputs,
        .x = b->x,
        .label = b->label + i * b->job->n,
        .weight = b->weight};
    const rc_boost_options_t o = {.objective = "reg:squarederror",
        .method = "hist",
        .outputs = 1,
        .rounds = options->epochs > 0 && options->epochs < rounds ? options->epochs : rounds,
        .stride = 1,
        .depth = growth[part].depth,
        .rate = growth[part].rate,
        .lambda = options->l2 > 0 ? options->l2 : 1,
        .leaf_weight_min = growth[part].leaf_weight_min,
        .base = growth[part].centre ? mean_of(&rows) : 0};
    int constant = 1;
    for (int64_t k = 1; k < rows.count; k++)
        constant &= rows.label[k] == rows.label[0];
    if (!constant)
        return rc_boost_fit(&o, &rows, NULL, NULL, NULL, &b->forest[i], err);
    b->forest[i] = rc_forest_new(inputs, 1, 0, 0, err); /* trees would only repeat the base */
    RC_PASS(b->forest[i] ? RC_OK : RC_ENOMEM);
    b->forest[i]->base[0] = o.base;
    return RC_OK;
}

/* Add the trees of a part, at most INT32_MAX nodes, to output c of the sum. */
static void append(
    rc_forest_t *to, int c, const rc_forest_t *from, int sign, int32_t *tree, int32_t *node)
{
    for (int32_t i = 0; i < from->first[1]; i++) {
        int32_t move = *node - from->root[i];
        to->root[(*tree)++] = *node;
        for (int32_t k = from->root[i]; k < from->root[i + 1]; k++) {
            rc_tree_node_t n = from->node[k];
            if (n.feature < 0)
                n.value *= sign;
            else
                n.left += move;
            to->node[(*node)++] = n;
        }
    }
    to->base[c] += sign * from->base[0];
}

/* A forest whose output for a class is the sum of its parts. */
static rc_status_t sum_parts(const boosters_t *b, rc_forest_t **out, rc_err_t *err)
{
    int classes = b->job->d->classes;
    int64_t trees = 0;
    int64_t nodes = 0;
    int32_t tree = 0;
    int32_t node = 0;
    for (int i = 0; i < b->count; i++) {
        const rc_forest_t *f = b->forest[i];
        int times = i == 0 ? classes : 1;
        trees += (int64_t)times * f->first[1];
        nodes += (int64_t)times * f->root[f->first[1]];
    }
    if (nodes > INT32_MAX)
        return rc_fail(err, RC_EINVAL, "a forest of %lld nodes", (long long)nodes);
    rc_forest_t *f = rc_forest_new(b->job->d->inputs, classes, (int32_t)trees, (int32_t)nodes, err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    for (int c = 0; c < classes; c++) {
        f->first[c] = tree;
        for (part_t part = LEVEL; part < PARTS; part++)
            append(f, c, b->forest[booster_of(b, part, c)], growth[part].sign, &tree, &node);
    }
    f->first[classes] = tree;
    f->root[tree] = node;
    *out = f;
    return RC_OK;
}

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    boosters_t b = {.job = job};
    rc_forest_t *f = NULL;
    rc_status_t st;
    (void)self;
    RC_TRY(boosters_new(job, &b, err));
    RC_TRY(set_labels(&b, err));
    RC_TRY(rc_fit_jobs(b.count, job->options->threads, grow, &b, err));
    RC_TRY(sum_parts(&b, &f, err));
    m->output = RC_OUTPUT_LOG_NS;
    m->predictor = (rc_predictor_t){&rc_predictor_forest, f};
done:
    for (int i = 0; b.forest && i < b.count; i++)
        rc_forest_free(b.forest[i]);
    rc_pool_free(&b.pool);
    return st;
}

const rc_trainer_t rc_trainer_xgboost_merit_soft = {
    .name = "xgboost-merit-soft",
    .summary = "boosted trees per class on its loss with a soft cap, of one size, and times",
    .source = "Chen and Guestrin 2016, doi:10.1145/2939672.2939785",
    .version = 1,
    .has_times = 1,
    .rows_min = RC_BOOST_ROWS_MIN,
    .fit = fit,
};
