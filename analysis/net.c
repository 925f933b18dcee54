#include "config.h"
#include "analysis/net.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/str.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <string.h>

enum {
    EVALUATE_ROWS = 256, /* that go through a network at once when nothing is learnt */
    WIDTH_MAX = 4096
};

/* A network with room for the activations of some rows. */
typedef struct net {
    const rc_net_shape_t *shape;
    size_t params;
    size_t at[RC_NET_LAYERS_MAX + 1]; /* of the weights of a layer among the parameters */
    int64_t rows;                     /* room */
    double *act[RC_NET_LAYERS_MAX + 1];
    double *delta[RC_NET_LAYERS_MAX + 1];
} net_t;

rc_status_t rc_net_shape(
    const char *hidden, int inputs, int outputs, rc_net_shape_t *out, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_net_shape_t s = {.size = {inputs}};
    rc_status_t st = hidden[0] ? rc_words_split(hidden, ',', &words, err) : RC_OK;
    if (st == RC_OK && words.count >= RC_NET_LAYERS_MAX)
        st = rc_fail(err, RC_EINVAL, "hidden layers '%s': %d, at most %d", hidden, words.count,
            RC_NET_LAYERS_MAX - 1);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        int64_t size = 0;
        st = rc_parse_int(words.word[i], 1, WIDTH_MAX, "size of a hidden layer", &size, err);
        if (st < 0)
            st = rc_fail(err, RC_EINVAL,
                "hidden layers '%s': expected sizes from 1 to %d, found '%s'", hidden,
                (int)WIDTH_MAX, words.word[i]);
        s.size[i + 1] = (int)size;
    }
    s.layers = words.count + 1;
    rc_words_free(&words);
    if (st == RC_OK) {
        s.size[s.layers] = outputs;
        *out = s;
    }
    return st;
}

size_t rc_net_params(const rc_net_shape_t *shape)
{
    size_t n = 0;
    for (int l = 0; l < shape->layers; l++)
        n += (size_t)(shape->size[l] + 1) * (size_t)shape->size[l + 1];
    return n;
}

/* The caller checks the pool. */
static net_t net_new(const rc_net_shape_t *shape, int64_t rows, rc_pool_t *pool)
{
    net_t n = {.shape = shape, .params = rc_net_params(shape), .rows = rows};
    size_t width = 0;
    for (int l = 0; l <= shape->layers; l++)
        width += (size_t)shape->size[l];
    double *p = rc_pool_get_aligned(pool, 2 * width * (size_t)rows, sizeof *p);
    size_t at = 0;
    for (int l = 0; p && l <= shape->layers; l++) {
        n.act[l] = p;
        p += (size_t)shape->size[l] * (size_t)rows;
        n.delta[l] = p;
        p += (size_t)shape->size[l] * (size_t)rows;
        n.at[l] = at;
        if (l < shape->layers)
            at += (size_t)(shape->size[l] + 1) * (size_t)shape->size[l + 1];
    }
    return n;
}

/* From act[0] to act[layers]; rows <= n->rows. */
static void forward(const net_t *n, const double *param, int rows)
{
    for (int l = 0; l < n->shape->layers; l++) {
        int in = n->shape->size[l];
        int out = n->shape->size[l + 1];
        const double *w = param + n->at[l];
        const double *bias = w + (size_t)in * (size_t)out;
        double *to = n->act[l + 1];
        for (int i = 0; i < rows; i++)
            memcpy(to + (size_t)i * (size_t)out, bias, (size_t)out * sizeof *to);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, out, in, 1, n->act[l], in, w,
            out, 1, to, out);
        size_t count = (size_t)rows * (size_t)out;
        for (size_t i = 0; l + 1 < n->shape->layers && i < count; i++)
            to[i] = to[i] > 0 ? to[i] : 0;
    }
}

/* From delta[layers] to the derivative by the parameters. */
static void backward(const net_t *n, const double *param, int rows, double *grad)
{
    for (int l = n->shape->layers - 1; l >= 0; l--) {
        int in = n->shape->size[l];
        int out = n->shape->size[l + 1];
        double *dw = grad + n->at[l];
        double *db = dw + (size_t)in * (size_t)out;
        const double *delta = n->delta[l + 1];
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, in, out, rows, 1, n->act[l], in, delta,
            out, 0, dw, out);
        memset(db, 0, (size_t)out * sizeof *db);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < out; j++)
                db[j] += delta[(size_t)i * (size_t)out + (size_t)j];
        if (l == 0)
            break;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, in, out, 1, delta, out,
            param + n->at[l], out, 0, n->delta[l], in);
        size_t count = (size_t)rows * (size_t)in;
        for (size_t i = 0; i < count; i++)
            if (!(n->act[l][i] > 0))
                n->delta[l][i] = 0;
    }
}

/* Some rows, at most as many as the network has room for, and what is lost on them. */
typedef struct batch {
    const rc_net_data_t *d;
    const int64_t *row;
    int rows;
    const rc_loss_t *loss;
} batch_t;

/* Weighted sum of the losses; fills act and delta[layers], over `total`, when total > 0. */
static double losses(const net_t *n, const double *param, const batch_t *b, double total)
{
    const rc_net_data_t *d = b->d;
    size_t inputs = (size_t)n->shape->size[0];
    int outputs = n->shape->size[n->shape->layers];
    double sum = 0;
    for (int i = 0; i < b->rows; i++)
        memcpy(n->act[0] + (size_t)i * inputs, d->x + (size_t)b->row[i] * inputs,
            inputs * sizeof(double));
    forward(n, param, b->rows);
    for (int i = 0; i < b->rows; i++) {
        double *out = n->act[n->shape->layers] + (size_t)i * (size_t)outputs;
        double *delta = total > 0 ? n->delta[n->shape->layers] + (size_t)i * (size_t)outputs : NULL;
        for (int c = 0; c < outputs; c++)
            out[c] = d->offset[c] + d->size[c] * out[c];
        double w = d->weight[b->row[i]];
        sum += w * b->loss->row(b->loss, outputs, out, d->target + b->row[i] * outputs, delta);
        for (int c = 0; delta && c < outputs; c++)
            delta[c] *= d->size[c] * w / total;
    }
    return sum;
}

/* Add the penalty to a gradient and return it. */
static double penalty(const net_t *n, const double *param, double l2, double *grad)
{
    double sum = 0;
    for (int l = 0; l < n->shape->layers; l++) {
        size_t count = (size_t)n->shape->size[l] * (size_t)n->shape->size[l + 1];
        for (size_t i = n->at[l]; i < n->at[l] + count; i++) {
            sum += param[i] * param[i];
            grad[i] += 2 * l2 * param[i];
        }
    }
    return l2 * sum;
}

/* Weighted mean loss of some rows. */
static double mean_loss(const net_t *n, const double *param, const rc_net_data_t *d,
    const int64_t *row, int64_t rows, const rc_loss_t *loss)
{
    double sum = 0;
    double total = 0;
    for (int64_t first = 0; first < rows; first += n->rows) {
        int count = (int)(rows - first < n->rows ? rows - first : n->rows);
        sum += losses(n, param, &(const batch_t){d, row + first, count, loss}, 0);
    }
    for (int64_t i = 0; i < rows; i++)
        total += d->weight[row[i]];
    return sum / total;
}

/* The derivative of the mean loss and of the penalty.
 * \param[in] total  weight of the rows  \return what it is of */
static double gradient(
    const net_t *n, const double *param, const batch_t *b, double total, double l2, double *grad)
{
    double value = losses(n, param, b, total) / total;
    backward(n, param, b->rows, grad);
    return value + penalty(n, param, l2, grad);
}

rc_status_t rc_net_gradient(const rc_net_shape_t *shape, const double *param,
    const rc_net_data_t *data, const rc_loss_t *loss, double l2, double *value, double *grad,
    rc_err_t *err)
{
    rc_pool_t pool = {0};
    double total = 0;
    net_t n = net_new(shape, data->rows, &pool);
    int64_t *row = rc_pool_get(&pool, (size_t)data->rows, sizeof *row);
    rc_status_t st = rc_pool_check(&pool, "a network", err);
    for (int64_t i = 0; st == RC_OK && i < data->rows; i++) {
        row[i] = i;
        total += data->weight[i];
    }
    const batch_t all = {data, row, (int)data->rows, loss};
    if (st == RC_OK)
        *value = gradient(&n, param, &all, total, l2, grad);
    rc_pool_free(&pool);
    return st;
}

/* ------------------------------------------------------------------ training */

/* One network in training. */
typedef struct training {
    rc_pool_t pool;
    net_t step;
    net_t evaluate;
    double *param;
    double *grad;
    double *first; /* moments of Adam */
    double *second;
    double decay1; /* products of the decay rates so far */
    double decay2;
    int64_t *train; /* row numbers, shuffled */
    int64_t trains;
    int64_t *validation;
    int64_t validations;
    double mean_weight; /* of the rows that are trained on */
    rc_rng_t rng;
} training_t;

/* Uniform weights of variance 2 / inputs (He et al. 2015), biases 0. */
static void initialise(training_t *t)
{
    const rc_net_shape_t *s = t->step.shape;
    for (int l = 0; l < s->layers; l++) {
        double limit = sqrt(6.0 / s->size[l]);
        size_t count = (size_t)s->size[l] * (size_t)s->size[l + 1];
        if (l == s->layers - 1)
            limit *= 0.1; /* outputs start near their offsets */
        for (size_t i = 0; i < count; i++)
            t->param[t->step.at[l] + i] = limit * (2 * rc_rng_unit(&t->rng) - 1);
    }
}

static rc_status_t training_new(const rc_net_shape_t *shape, const rc_net_data_t *d,
    const rc_net_job_t *job, training_t *t, rc_err_t *err)
{
    size_t params = rc_net_params(shape);
    double weights[2] = {0, 0};
    t->step = net_new(shape, job->rule->batch, &t->pool);
    t->evaluate = net_new(shape, EVALUATE_ROWS, &t->pool);
    t->param = rc_pool_get0(&t->pool, params, sizeof *t->param);
    t->grad = rc_pool_get0(&t->pool, params, sizeof *t->grad);
    t->first = rc_pool_get0(&t->pool, params, sizeof *t->first);
    t->second = rc_pool_get0(&t->pool, params, sizeof *t->second);
    t->train = rc_pool_get(&t->pool, (size_t)d->rows, sizeof *t->train);
    t->validation = rc_pool_get(&t->pool, (size_t)d->rows, sizeof *t->validation);
    RC_PASS(rc_pool_check(&t->pool, "a network", err));
    for (int64_t i = 0; i < d->rows; i++) {
        if (job->validation[i])
            t->validation[t->validations++] = i;
        else
            t->train[t->trains++] = i;
        weights[job->validation[i] != 0] += d->weight[i];
    }
    if (!(weights[0] > 0) || !(weights[1] > 0))
        return rc_fail(err, RC_EINVAL,
            "%lld rows to train on and %lld to validate with, of weight %g and %g: both must be "
            "positive",
            (long long)t->trains, (long long)t->validations, weights[0], weights[1]);
    t->mean_weight = weights[0] / (double)t->trains;
    t->decay1 = 1;
    t->decay2 = 1;
    rc_rng_seed(&t->rng, job->seed);
    initialise(t);
    return RC_OK;
}

static void adam(training_t *t, double rate)
{
    const double b1 = 0.9;
    const double b2 = 0.999;
    t->decay1 *= b1;
    t->decay2 *= b2;
    double step = rate * sqrt(1 - t->decay2) / (1 - t->decay1);
    double tiny = 1e-8 * sqrt(1 - t->decay2);
    for (size_t i = 0; i < t->step.params; i++) {
        double g = t->grad[i];
        t->first[i] = b1 * t->first[i] + (1 - b1) * g;
        t->second[i] = b2 * t->second[i] + (1 - b2) * g * g;
        t->param[i] -= step * t->first[i] / (sqrt(t->second[i]) + tiny);
    }
}

static void epoch(training_t *t, const rc_net_data_t *d, const rc_net_job_t *job,
    const rc_loss_t *loss, double rate)
{
    for (int64_t i = t->trains - 1; i > 0; i--) {
        int64_t j = (int64_t)rc_rng_below(&t->rng, (uint64_t)i + 1);
        int64_t row = t->train[i];
        t->train[i] = t->train[j];
        t->train[j] = row;
    }
    for (int64_t first = 0; first < t->trains; first += job->rule->batch) {
        int count =
            (int)(t->trains - first < job->rule->batch ? t->trains - first : job->rule->batch);
        const batch_t b = {d, t->train + first, count, loss};
        (void)gradient(&t->step, t->param, &b, count * t->mean_weight, job->rule->l2, t->grad);
        adam(t, rate);
    }
}

/* Offset and size of the outputs go into the last layer. */
static void fold(const net_t *n, const rc_net_data_t *d, double *param)
{
    int l = n->shape->layers - 1;
    int in = n->shape->size[l];
    int out = n->shape->size[l + 1];
    double *w = param + n->at[l];
    for (int i = 0; i <= in; i++)
        for (int c = 0; c < out; c++)
            w[(size_t)i * (size_t)out + (size_t)c] *= d->size[c];
    for (int c = 0; c < out; c++)
        w[(size_t)in * (size_t)out + (size_t)c] += d->offset[c];
}

/* What the threads share. */
typedef struct board {
    const rc_net_shape_t *shape;
    const rc_net_data_t *data;
    const rc_net_job_t *job;
    const rc_fit_options_t *options;
    rc_net_result_t *result;
    const char *what;
    int epochs; /* over all jobs */
    int done;
    int failed;
} board_t;

static int stop_wanted(board_t *b, int done, double loss)
{
    const rc_fit_options_t *o = b->options;
    int failed;
    int total;
#pragma omp atomic read
    failed = b->failed;
#pragma omp atomic capture
    total = b->done += done;
    if (o->progress && omp_get_thread_num() == 0)
        o->progress(o->context, b->what, fmin(1, (double)total / b->epochs), loss);
    return failed;
}

static rc_status_t train_epochs(
    training_t *t, board_t *board, const rc_net_job_t *job, rc_net_result_t *r, rc_err_t *err)
{
    const rc_net_data_t *d = board->data;
    int warm = job->warm ? (job->rule->epochs + 9) / 10 : 0;
    r->validation = INFINITY;
    for (int e = 0; e < job->rule->epochs; e++) {
        const rc_loss_t *loss = e < warm ? job->warm : job->loss;
        double angle = job->rule->steady ? 0 : acos(-1.0) * e / job->rule->epochs;
        epoch(t, d, job, loss, job->rule->rate * (0.01 + 0.99 * 0.5 * (1 + cos(angle))));
        double value =
            mean_loss(&t->evaluate, t->param, d, t->validation, t->validations, job->loss);
        r->epochs = e + 1;
        if (!isfinite(value))
            return rc_fail(err, RC_EINVAL,
                "the loss of the validation part is not a number after %d epochs", e + 1);
        if (value < r->validation) {
            r->validation = value;
            r->best_epoch = e + 1;
            memcpy(r->param, t->param, t->step.params * sizeof *r->param);
        }
        if (stop_wanted(board, 1, r->validation) ||
            (e >= warm + job->rule->patience && e + 1 - r->best_epoch >= job->rule->patience))
            break;
    }
    stop_wanted(board, job->rule->epochs - r->epochs, r->validation);
    r->train = mean_loss(&t->evaluate, r->param, d, t->train, t->trains, job->loss);
    fold(&t->step, d, r->param);
    return RC_OK;
}

static rc_status_t train_one(void *context, int number, rc_err_t *err)
{
    board_t *board = context;
    const rc_net_job_t *job = &board->job[number];
    rc_net_result_t *r = &board->result[number];
    training_t t = {0};
    r->param = rc_alloc0(rc_net_params(board->shape), sizeof *r->param, "a network", err);
    rc_status_t st = r->param ? training_new(board->shape, board->data, job, &t, err) : RC_ENOMEM;
    if (st == RC_OK)
        st = train_epochs(&t, board, job, r, err);
    if (st < 0) {
#pragma omp atomic write
        board->failed = 1;
        free(r->param);
        r->param = NULL;
    }
    rc_pool_free(&t.pool);
    return st;
}

rc_status_t rc_net_train(const rc_net_shape_t *shape, const rc_net_data_t *data,
    const rc_net_job_t *job, int jobs, const rc_fit_options_t *options, const char *what,
    rc_net_result_t *result, rc_err_t *err)
{
    board_t board = {.shape = shape,
        .data = data,
        .job = job,
        .options = options,
        .result = result,
        .what = what};
    int blas = openblas_get_num_threads();
    memset(result, 0, (size_t)jobs * sizeof *result);
    for (int i = 0; i < jobs; i++)
        board.epochs += job[i].rule->epochs;
    /* sums of another number of threads are other sums */
    openblas_set_num_threads(1);
    rc_status_t st = rc_fit_jobs(jobs, options->threads, train_one, &board, err);
    openblas_set_num_threads(blas);
    return st;
}

const char *rc_net_blas(void)
{
#ifdef OPENBLAS_VERSION
    return openblas_get_config();
#else
    return "unknown";
#endif
}

void rc_net_export(
    const rc_net_shape_t *shape, const double *param, int cls, double factor, rc_net_t *to)
{
    for (int l = 0; l < shape->layers; l++) {
        int last = l + 1 == shape->layers;
        for (int i = 0; i <= shape->size[l]; i++)
            for (int c = 0; c < shape->size[l + 1]; c++) {
                const rc_layer_t *layer = &to->layer[l];
                double *row = i < shape->size[l] ? layer->weight + i * layer->out : layer->bias;
                row[last ? cls + c : c] = (last ? factor : 1) * *param++;
            }
    }
}
