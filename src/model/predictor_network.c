/* Fully connected networks, averaged. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "model/member.h"
#include "model/network.h"

#include <stdlib.h>

/* Sizes beyond these are mistakes; the widest layer must fit the stack of exported code twice. */
enum { MOST_NETS = 1024, MOST_LAYERS = 64, MOST_WIDTH = 4096, PATH = 64 };

/* ------------------------------------------------------------------ state */

/* Of the pool of the network, which the caller checks. */
static rc_status_t make_layer(rc_network_t *n, rc_layer_t *l, int in, int out, rc_err_t *err)
{
    if (in < 1 || in > MOST_WIDTH || out < 1 || out > MOST_WIDTH)
        return rc_fail(err, RC_EINVAL,
            "a layer: expected 1 to %d inputs and outputs, found %d and %d", (int)MOST_WIDTH, in,
            out);
    l->in = in;
    l->out = out;
    l->weight = rc_pool_get0(&n->memory, (size_t)in * (size_t)out, sizeof *l->weight);
    l->bias = rc_pool_get0(&n->memory, (size_t)out, sizeof *l->bias);
    return rc_pool_check(&n->memory, "the layers of a network", err);
}

static rc_status_t make_layers(rc_network_t *n, rc_net_t *net, int layers, rc_err_t *err)
{
    net->layer = rc_pool_get0(&n->memory, (size_t)layers, sizeof *net->layer);
    net->layers = layers;
    return rc_pool_check(&n->memory, "the layers of a network", err);
}

static rc_network_t *make_nets(int nets, rc_err_t *err)
{
    rc_network_t *n = rc_alloc0(1, sizeof *n, "networks", err);
    if (!n)
        return NULL;
    n->nets = nets;
    n->net = rc_pool_get0(&n->memory, (size_t)nets, sizeof *n->net);
    if (rc_pool_check(&n->memory, "networks", err) == RC_OK)
        return n;
    rc_network_free(n);
    return NULL;
}

rc_network_t *rc_network_new(int nets, int layers, const int *size, rc_err_t *err)
{
    if (nets < 1 || nets > MOST_NETS || layers < 1 || layers > MOST_LAYERS) {
        rc_fail(err, RC_EINVAL, "1 to %d networks of 1 to %d layers, found %d of %d",
            (int)MOST_NETS, (int)MOST_LAYERS, nets, layers);
        return NULL;
    }
    rc_network_t *n = make_nets(nets, err);
    rc_status_t st = n ? RC_OK : RC_ENOMEM;
    for (int i = 0; st == RC_OK && i < nets; i++) {
        st = make_layers(n, &n->net[i], layers, err);
        for (int k = 0; st == RC_OK && k < layers; k++)
            st = make_layer(n, &n->net[i].layer[k], size[k], size[k + 1], err);
    }
    if (st == RC_OK)
        return n;
    rc_network_free(n);
    return NULL;
}

void rc_network_free(void *state)
{
    rc_network_t *n = state;
    if (n)
        rc_pool_free(&n->memory);
    free(n);
}

/* ------------------------------------------------------------------- JSON */

static const char *const members[] = {"nets", NULL};
static const char *const net_members[] = {"layers", NULL};
static const char *const layer_members[] = {"in", "out", "weight", "bias", NULL};

/* \param[in,out] l  with the inputs, the outputs of the layer before
 * \param[in] out  of the network in its last layer, else 0 */
static rc_status_t read_layer(
    const json_t *v, const char *path, int out, rc_network_t *n, rc_layer_t *l, rc_err_t *err)
{
    int in = l->in;
    int32_t width;
    const json_t *list;
    RC_PASS(rc_member_only(v, path, layer_members, err));
    RC_PASS(rc_member_int(v, path, "in", in, in, &width, err));
    RC_PASS(rc_member_int(v, path, "out", out ? out : 1, out ? out : MOST_WIDTH, &width, err));
    /* the lists first: what is allocated must be there */
    RC_PASS(rc_member_array(v, path, "weight", in * width, in * width, &list, err));
    RC_PASS(rc_member_array(v, path, "bias", width, width, &list, err));
    RC_PASS(make_layer(n, l, in, width, err));
    RC_PASS(rc_numbers_real(v, path, "weight", (size_t)(in * width), l->weight, err));
    return rc_numbers_real(v, path, "bias", (size_t)width, l->bias, err);
}

static rc_status_t read_net(
    const json_t *v, int number, int inputs, int outputs, rc_network_t *n, rc_err_t *err)
{
    const json_t *layers;
    rc_net_t *net = &n->net[number];
    char path[PATH];
    snprintf(path, sizeof path, "nets[%d]", number);
    RC_PASS(rc_member_only(v, path, net_members, err));
    RC_PASS(rc_member_array(v, path, "layers", 1, MOST_LAYERS, &layers, err));
    int count = (int)json_array_size(layers);
    RC_PASS(make_layers(n, net, count, err));
    for (int k = 0; k < count; k++) {
        snprintf(path, sizeof path, "nets[%d].layers[%d]", number, k);
        net->layer[k].in = k == 0 ? inputs : net->layer[k - 1].out;
        RC_PASS(read_layer(json_array_get(layers, (size_t)k), path, k == count - 1 ? outputs : 0, n,
            &net->layer[k], err));
    }
    return RC_OK;
}

static rc_status_t network_read(
    const json_t *object, int inputs, int outputs, void **state, rc_err_t *err)
{
    rc_status_t st;
    rc_network_t *n = NULL;
    const json_t *nets;
    RC_TRY(rc_member_only(object, "", members, err));
    RC_TRY(rc_member_array(object, "", "nets", 1, MOST_NETS, &nets, err));
    n = make_nets((int)json_array_size(nets), err);
    RC_TRY(n ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n->nets; i++)
        RC_TRY(read_net(json_array_get(nets, (size_t)i), i, inputs, outputs, n, err));
    *state = n;
    n = NULL;
done:
    rc_network_free(n);
    return st;
}

/* A layer, appended to a list. */
static rc_status_t write_layer(json_t *list, const rc_layer_t *l, const char *path, rc_err_t *err)
{
    json_t *v = json_pack("{s:i, s:i}", "in", l->in, "out", l->out);
    if (json_array_append_new(list, v) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory for a layer of a model");
    RC_PASS(rc_numbers_set_real(v, path, "weight", l->weight, (size_t)l->in * (size_t)l->out, err));
    return rc_numbers_set_real(v, path, "bias", l->bias, (size_t)l->out, err);
}

static json_t *network_write(const void *state, rc_err_t *err)
{
    const rc_network_t *n = state;
    rc_status_t st = RC_OK;
    json_t *object = json_pack("{s:[]}", "nets");
    json_t *nets = json_object_get(object, "nets");
    for (int i = 0; st == RC_OK && i < n->nets; i++) {
        json_t *net = json_pack("{s:[]}", "layers");
        if (json_array_append_new(nets, net) != 0)
            st = rc_fail(err, RC_ENOMEM, "no memory for the networks of a model");
        for (int k = 0; st == RC_OK && k < n->net[i].layers; k++) {
            char path[PATH];
            snprintf(path, sizeof path, "nets[%d].layers[%d]", i, k);
            st = write_layer(json_object_get(net, "layers"), &n->net[i].layer[k], path, err);
        }
    }
    if (st == RC_OK)
        return object;
    json_decref(object);
    return NULL;
}

/* ------------------------------------------------------------------ score */

static size_t widest(const rc_network_t *n)
{
    int width = 0;
    for (int i = 0; i < n->nets; i++)
        for (int k = 0; k < n->net[i].layers; k++)
            if (n->net[i].layer[k].out > width)
                width = n->net[i].layer[k].out;
    return (size_t)width;
}

static size_t network_scratch(const void *state)
{
    return 2 * widest(state);
}

static double network_cost_ns(const void *state)
{
    const double ns = 0.1; /* of a product and a sum, vectorised */
    const rc_network_t *n = state;
    double sums = 0;
    for (int i = 0; i < n->nets; i++)
        for (int k = 0; k < n->net[i].layers; k++)
            sums += (double)n->net[i].layer[k].in * n->net[i].layer[k].out;
    return ns * sums;
}

enum { BLOCK = 16 };

/* Outputs [j, j + count) of a layer, count <= BLOCK.  With a constant count the sums stay in
 * registers; every output is summed over i = 0, 1, ... whatever the width of the block. */
static inline void layer_block(
    const rc_layer_t *l, const double *in, double *out, int j, int count, int last)
{
    double sum[BLOCK];
    const double *w = l->weight + j;
    for (int t = 0; t < count; t++)
        sum[t] = l->bias[j + t];
    for (int i = 0; i < l->in; i++, w += l->out) {
        double x = in[i];
#pragma GCC unroll 16
        for (int t = 0; t < count; t++)
            sum[t] += w[t] * x;
    }
    for (int t = 0; t < count; t++)
        out[j + t] = last || sum[t] > 0 ? sum[t] : 0;
}

static void layer_score(const rc_layer_t *l, const double *in, double *out, int last)
{
    int j = 0;
    for (; j + BLOCK <= l->out; j += BLOCK)
        layer_block(l, in, out, j, BLOCK, last);
    for (; j + 4 <= l->out; j += 4)
        layer_block(l, in, out, j, 4, last);
    if (j < l->out)
        layer_block(l, in, out, j, l->out - j, last);
}

static void network_score(const void *state, const double *x, double *scratch, double *out)
{
    const rc_network_t *n = state;
    double *even = scratch;
    double *odd = scratch + widest(n);
    int outputs = n->net[0].layer[n->net[0].layers - 1].out;
    for (int o = 0; o < outputs; o++)
        out[o] = 0;
    for (int i = 0; i < n->nets; i++) {
        const rc_net_t *net = &n->net[i];
        const double *in = x;
        for (int k = 0; k < net->layers; k++) {
            double *to = k % 2 ? odd : even;
            layer_score(&net->layer[k], in, to, k == net->layers - 1);
            in = to;
        }
        for (int o = 0; o < outputs; o++)
            out[o] += in[o];
    }
    for (int o = 0; o < outputs; o++)
        out[o] /= n->nets;
}

/* --------------------------------------------------------------- C source */

static void emit_tables(const rc_network_t *n, const char *name, FILE *out)
{
    for (int i = 0; i < n->nets; i++)
        for (int k = 0; k < n->net[i].layers; k++) {
            const rc_layer_t *l = &n->net[i].layer[k];
            char suffix[PATH];
            snprintf(suffix, sizeof suffix, "weight_%d_%d", i, k);
            rc_emit_reals(out, name, suffix, l->weight, (size_t)l->in * (size_t)l->out);
            snprintf(suffix, sizeof suffix, "bias_%d_%d", i, k);
            rc_emit_reals(out, name, suffix, l->bias, (size_t)l->out);
        }
}

static rc_status_t network_emit(const void *state, const char *name, FILE *out, rc_err_t *err)
{
    const rc_network_t *n = state;
    int outputs = n->net[0].layer[n->net[0].layers - 1].out;
    emit_tables(n, name, out);
    fprintf(out,
        "\n"
        "static void %s_layer(int in, int out, const double *restrict weight,\n"
        "    const double *restrict bias, const double *restrict x, double *restrict y, int last)\n"
        "{\n"
        "    int i, j;\n"
        "    for (j = 0; j < out; j++)\n"
        "        y[j] = bias[j];\n"
        "    for (i = 0; i < in; i++, weight += out)\n"
        "        for (j = 0; j < out; j++)\n"
        "            y[j] += weight[j] * x[i];\n"
        "    for (j = 0; j < out && !last; j++)\n"
        "        y[j] = y[j] > 0 ? y[j] : 0;\n"
        "}\n"
        "\n"
        "static void %s_score(const double *x, double *out)\n"
        "{\n"
        "    double y[2][%zu];\n"
        "    int o;\n"
        "    for (o = 0; o < %d; o++)\n"
        "        out[o] = 0;\n",
        name, name, widest(n), outputs);
    for (int i = 0; i < n->nets; i++) {
        int layers = n->net[i].layers;
        for (int k = 0; k < layers; k++) {
            const rc_layer_t *l = &n->net[i].layer[k];
            fprintf(out, "    %s_layer(%d, %d, %s_weight_%d_%d, %s_bias_%d_%d, ", name, l->in,
                l->out, name, i, k, name, i, k);
            if (k == 0)
                fputs("x", out);
            else
                fprintf(out, "y[%d]", (k - 1) % 2);
            fprintf(out, ", y[%d], %d);\n", k % 2, k == layers - 1);
        }
        fprintf(out,
            "    for (o = 0; o < %d; o++)\n"
            "        out[o] += y[%d][o];\n",
            outputs, (layers - 1) % 2);
    }
    fprintf(out,
        "    for (o = 0; o < %d; o++)\n"
        "        out[o] /= %d;\n"
        "}\n",
        outputs, n->nets);
    return rc_emit_end(out, err);
}

const rc_predictor_kind_t rc_predictor_network = {
    .name = "network",
    .summary = "fully connected networks with rectified hidden layers, averaged",
    .version = 1,
    .read = network_read,
    .write = network_write,
    .scratch = network_scratch,
    .cost_ns = network_cost_ns,
    .score = network_score,
    .emit = network_emit,
    .free = rc_network_free,
};
