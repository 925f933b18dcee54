/** \file format/cuda/indexed.h  The formats that cuSPARSE takes in the memory of a state, with
 *  values: CSR, coordinates, square blocks and sliced ELLPACK, in the order of the slots. */
#ifndef RC_FORMAT_CUDA_INDEXED_H
#define RC_FORMAT_CUDA_INDEXED_H

#include "format/cuda/slots.h"
#include "format/sell.h"

/** All but the first two are made. */
typedef struct rc_library {
    int wide;              /**< 1: indices of 8 bytes, else 4 */
    int64_t size;          /**< slots of a block or a slice */
    rc_cuda_slots_t slots; /**< A as CSR; of blocks and slices the rows alone */
    void *row;             /**< pointers, or rows of coordinates */
    void *col;
    void *val;
    int64_t stored; /**< values */
} rc_indexed_t;

/** Bytes that so many indices take beside those of 4 bytes. */
int64_t rc_indexed_wide_bytes(int64_t count, int wide);

/** Keep one of them; the GPU of the executor is the current one.  \return RC_OK, RC_ENOMEM,
 *  RC_ENOTSUP, RC_EDEVICE */
typedef rc_status_t rc_indexed_fn(
    rc_memory_t *m, const rc_problem_t *p, rc_indexed_t *out, rc_err_t *err);
rc_indexed_fn rc_indexed_csr;
rc_indexed_fn rc_indexed_coo;
rc_indexed_fn rc_indexed_bsr;
rc_indexed_fn rc_indexed_sell;

/** What slices are measured of: the slots, those that the schedule leaves out not among them. */
rc_items_t rc_indexed_items(const rc_problem_t *p);
rc_sell_shape_t rc_indexed_shape(int64_t slice);

#endif
