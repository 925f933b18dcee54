/** \file kernels/cuda/members.h  What descriptors of our kernels on a GPU say. */
#ifndef RC_KERNELS_CUDA_MEMBERS_H
#define RC_KERNELS_CUDA_MEMBERS_H

#include "format/cuda/slots.h"
#include "kernels/prepared.h"

/** Of those that multiply entries alone, with sums in one order. */
#define RC_CUDA_STRICT_MEMBERS                                                                     \
    .device = RC_DEVICE_CUDA, .computes = 1, .strict = rc_kernel_always,                           \
    .deterministic = rc_kernel_always

/** Of C = A B from a form that is built on the device, too, for any K.
 *  \param of      type of the state
 *  \param shared  type of what it begins with and shares, of which nothing is its own but what
 *                 `own` and `fit` set
 *  \param how     RC_BUILDS_* */
#define RC_CUDA_SPMM_STATE(of, shared, how)                                                        \
    .device = RC_DEVICE_CUDA, .op = RC_OP_SPMM, .c_orders = RC_STORES_ANY, .computes = 1,          \
    .builds = how, .any_k = 1, .deterministic = rc_kernel_always, .geometry = rc_cuda_geometry,    \
    .state_bytes = RC_STATE(of), .shares = sizeof(shared)
#define RC_CUDA_SPMM_MEMBERS(of, how) RC_CUDA_SPMM_STATE(of, of, how)

#endif
