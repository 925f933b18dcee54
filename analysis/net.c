#include "config.h"
#include "analysis/net.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/str.h"

#include <cblas.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVALUATE_ROWS = 256, /* that go through a network at once when nothing is learnt */
    WIDTH_MAX = 4096
};

/* A network with room for the activations of some rows. */
typedef struct net {
    const rc_net_shape_t *shape;
    size_t params;
    size_t at[RC_NET_LAYERS_MAX]; /* of the weights of a layer among the parameters */
    int64_t rows;                 /* room */
    double *act[RC_NET_LAYERS_MAX + 1];
    double *delta[RC_NET_LAYERS_MAX + 1];
    double *memory;
} net_t;

static int inputs_of(const rc_net_shape_t *s)
{
    return s->size[0];
}

static int outputs_of(const rc_net_shape_t *s)
{
    return s->size[s->layers];
}

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

static void net_free(net_t *n)
{
    free(n->memory);
    *n = (net_t){0};
}

static rc_status_t net_new(const rc_net_shape_t *shape, int64_t rows, net_t *out, rc_err_t *err)
{
    net_t n = {.shape = shape, .params = rc_net_params(shape), .rows = rows};
    size_t width = 0;
    for (int l = 0; l <= shape->layers; l++)
        width += (size_t)shape->size[l];
    n.memory = rc_alloc_aligned(2 * width * (size_t)rows, sizeof(double), "a network", err);
    RC_PASS(n.memory ? RC_OK : RC_ENOMEM);
    double *p = n.memory;
    size_t at = 0;
    for (int l = 0; l <= shape->layers; l++) {
        n.act[l] = p;
        p += (size_t)shape->size[l] * (size_t)rows;
        n.delta[l] = p;
        p += (size_t)shape->size[l] * (size_t)rows;
        if (l < shape->layers) {
            n.at[l] = at;
            at += (size_t)(shape->size[l] + 1) * (size_t)shape->size[l + 1];
        }
    }
    *out = n;
    return RC_OK;
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

static void gather(const net_t *n, const rc_net_data_t *d, const int64_t *row, int rows)
{
    size_t in = (size_t)inputs_of(n->shape);
    for (int i = 0; i < rows; i++)
        memcpy(n->act[0] + (size_t)i * in, d->x + (size_t)row[i] * in, in * sizeof(double));
}

/* Weighted sum of the losses of some rows after `forward`; fills delta[layers], over `total`, when
 * total > 0. */
static double losses(const net_t *n, const rc_net_data_t *d, const int64_t *row, int rows,
    const rc_loss_t *loss, double total)
{
    int outputs = outputs_of(n->shape);
    double sum = 0;
    for (int i = 0; i < rows; i++) {
        double *out = n->act[n->shape->layers] + (size_t)i * (size_t)outputs;
        double *delta = total > 0 ? n->delta[n->shape->layers] + (size_t)i * (size_t)outputs : NULL;
        for (int c = 0; c < outputs; c++)
            out[c] = d->offset[c] + d->size[c] * out[c];
        double w = d->weight[row[i]];
        sum += w * loss->row(loss, outputs, out, d->target + row[i] * outputs, delta);
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
        gather(n, d, row + first, count);
        forward(n, param, count);
        sum += losses(n, d, row + first, count, loss, 0);
    }
    for (int64_t i = 0; i < rows; i++)
        total += d->weight[row[i]];
    return sum / total;
}

rc_status_t rc_net_gradient(const rc_net_shape_t *shape, const double *param,
    const rc_net_data_t *data, const rc_loss_t *loss, double l2, double *value, double *grad,
    rc_err_t *err)
{
    net_t n = {0};
    double total = 0;
    int64_t *row = rc_alloc((size_t)data->rows, sizeof *row, "row numbers", err);
    RC_PASS(row ? RC_OK : RC_ENOMEM);
    rc_status_t st = net_new(shape, data->rows, &n, err);
    if (st == RC_OK) {
        for (int64_t i = 0; i < data->rows; i++) {
            row[i] = i;
            total += data->weight[i];
        }
        gather(&n, data, row, (int)data->rows);
        forward(&n, param, (int)data->rows);
        *value = losses(&n, data, row, (int)data->rows, loss, total) / total;
        backward(&n, param, (int)data->rows, grad);
        *value += penalty(&n, param, l2, grad);
    }
    net_free(&n);
    free(row);
    return st;
}

/* ------------------------------------------------------------------ training */

/* One network in training. */
typedef struct training {
    net_t step;
    net_t evaluate;
    double *param;
    double *grad;
    double *first; /* moments of Adam */
    double *second;
    double *best;
    double decay1; /* products of the decay rates so far */
    double decay2;
    int64_t *train; /* row numbers, shuffled */
    int64_t trains;
    int64_t *validation;
    int64_t validations;
    double mean_weight; /* of the rows that are trained on */
    rc_rng_t rng;
} training_t;

static void training_free(training_t *t)
{
    net_free(&t->step);
    net_free(&t->evaluate);
    free(t->param);
    free(t->grad);
    free(t->first);
    free(t->second);
    free(t->best);
    free(t->train);
    free(t->validation);
}

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
    RC_PASS(net_new(shape, job->batch, &t->step, err));
    RC_PASS(net_new(shape, EVALUATE_ROWS, &t->evaluate, err));
    t->param = rc_alloc0(params, sizeof *t->param, "a network", err);
    t->grad = rc_alloc0(params, sizeof *t->grad, "a network", err);
    t->first = rc_alloc0(params, sizeof *t->first, "a network", err);
    t->second = rc_alloc0(params, sizeof *t->second, "a network", err);
    t->best = rc_alloc0(params, sizeof *t->best, "a network", err);
    t->train = rc_alloc((size_t)d->rows, sizeof *t->train, "row numbers", err);
    t->validation = rc_alloc((size_t)d->rows, sizeof *t->validation, "row numbers", err);
    RC_PASS(t->param && t->grad && t->first && t->second && t->best && t->train && t->validation
                ? RC_OK
                : RC_ENOMEM);
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
    for (int64_t first = 0; first < t->trains; first += job->batch) {
        int count = (int)(t->trains - first < job->batch ? t->trains - first : job->batch);
        gather(&t->step, d, t->train + first, count);
        forward(&t->step, t->param, count);
        losses(&t->step, d, t->train + first, count, loss, count * t->mean_weight);
        backward(&t->step, t->param, count, t->grad);
        penalty(&t->step, t->param, job->l2, t->grad);
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
    int epochs; /* over all jobs */
    int done;
    int failed;
    const char *what;
    void (*progress)(void *context, const char *what, double done, double loss);
    void *context;
} board_t;

static int stop_wanted(board_t *b, int done, double loss)
{
    int failed;
    int total;
#pragma omp atomic read
    failed = b->failed;
#pragma omp atomic capture
    total = b->done += done;
    if (b->progress && omp_get_thread_num() == 0)
        b->progress(b->context, b->what, fmin(1, (double)total / b->epochs), loss);
    return failed;
}

static rc_status_t train_one(const rc_net_shape_t *shape, const rc_net_data_t *d,
    const rc_net_job_t *job, board_t *board, rc_net_result_t *r, rc_err_t *err)
{
    training_t t = {0};
    int warm = job->warm ? (job->epochs + 9) / 10 : 0;
    rc_status_t st = training_new(shape, d, job, &t, err);
    r->validation = INFINITY;
    for (int e = 0; st == RC_OK && e < job->epochs; e++) {
        const rc_loss_t *loss = e < warm ? job->warm : job->loss;
        double angle = job->steady ? 0 : acos(-1.0) * e / job->epochs;
        epoch(&t, d, job, loss, job->rate * (0.01 + 0.99 * 0.5 * (1 + cos(angle))));
        double value = mean_loss(&t.evaluate, t.param, d, t.validation, t.validations, job->loss);
        r->epochs = e + 1;
        if (!isfinite(value))
            st = rc_fail(err, RC_EINVAL,
                "the loss of the validation part is not a number after %d epochs", e + 1);
        if (value < r->validation) {
            r->validation = value;
            r->best_epoch = e + 1;
            memcpy(t.best, t.param, t.step.params * sizeof *t.best);
        }
        if (stop_wanted(board, 1, r->validation) ||
            (e >= warm + job->patience && e + 1 - r->best_epoch >= job->patience))
            break;
    }
    if (st == RC_OK) {
        stop_wanted(board, job->epochs - r->epochs, r->validation);
        r->train = mean_loss(&t.evaluate, t.best, d, t.train, t.trains, job->loss);
        fold(&t.step, d, t.best);
        r->param = t.best;
        t.best = NULL;
    }
    training_free(&t);
    return st;
}

rc_status_t rc_net_train(const rc_net_shape_t *shape, const rc_net_data_t *data,
    const rc_net_job_t *job, int jobs, int threads, const char *what,
    void (*progress)(void *context, const char *what, double done, double loss), void *context,
    rc_net_result_t *result, rc_err_t *err)
{
    board_t board = {.what = what, .progress = progress, .context = context};
    rc_status_t first = RC_OK;
    int failed = jobs;
    int blas = openblas_get_num_threads();
    memset(result, 0, (size_t)jobs * sizeof *result);
    for (int i = 0; i < jobs; i++)
        board.epochs += job[i].epochs;
    /* sums of another number of threads are other sums */
    openblas_set_num_threads(1);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int i = 0; i < jobs; i++) {
        rc_err_t e = {0};
        rc_status_t st = train_one(shape, data, &job[i], &board, &result[i], &e);
        if (st < 0) {
#pragma omp atomic write
            board.failed = 1;
#pragma omp critical(rc_net_train)
            if (i < failed) {
                failed = i;
                first = st;
                if (err)
                    *err = e;
            }
        }
    }
    openblas_set_num_threads(blas);
    return first;
}

void rc_net_export(const rc_net_shape_t *shape, const double *param, rc_net_t *to)
{
    for (int l = 0; l < shape->layers; l++) {
        size_t out = (size_t)shape->size[l + 1];
        size_t weights = (size_t)shape->size[l] * out;
        memcpy(to->layer[l].weight, param, weights * sizeof *param);
        memcpy(to->layer[l].bias, param + weights, out * sizeof *param);
        param += weights + out;
    }
}
