/** \file model/network.h  Fully connected networks, averaged: the state of the predictor kind
 *  "network".  Trainers fill it. */
#ifndef RC_MODEL_NETWORK_H
#define RC_MODEL_NETWORK_H

#include "base/alloc.h"
#include "model/predictor.h"

/** One layer: out_j = bias_j + sum_i weight[i * out + j] * in_i, summed over i = 0, 1, ... in this
 *  order; then max(out_j, 0) unless it is the last layer.  Weights are stored by input so that the
 *  inner loop runs over contiguous outputs, and needs no change of the order of sums. */
typedef struct rc_layer {
    int in;
    int out;
    double *weight; /**< [in * out] */
    double *bias;   /**< [out] */
} rc_layer_t;

typedef struct rc_net {
    int layers;
    rc_layer_t *layer; /**< [layers] */
} rc_net_t;

/** The outputs are the mean over the nets. */
typedef struct rc_network {
    rc_pool_t memory;
    int nets;
    rc_net_t *net; /**< [nets] */
} rc_network_t;

extern const rc_predictor_kind_t rc_predictor_network;

/** A network of `nets` nets with the given sizes, all zero.
 *  \param[in] size  [layers + 1]: inputs, hidden ..., outputs
 *  Free with rc_network_free.  NULL with err set when there is no memory. */
rc_network_t *rc_network_new(int nets, int layers, const int *size, rc_err_t *err);
/** Free one; NULL is allowed. */
void rc_network_free(void *state);

#endif
