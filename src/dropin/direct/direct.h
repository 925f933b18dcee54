/** \file dropin/direct/direct.h  Kernels that multiply by the program's own arrays: they know
 *  nothing of the pattern from before, so each product is right, whatever has changed. */
#ifndef RC_DROPIN_DIRECT_H
#define RC_DROPIN_DIRECT_H

#include "dropin/engine.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One way of a product.  It gives the same bits each time. */
typedef struct rc_direct {
    const char *name;
    /** 1: it cannot be much slower than others, by what is known of A; NULL: it never is. */
    int (*suits)(const rc_asked_t *p);
    /** Bytes of device memory between its launches, which hold nothing from run to run; NULL: one
     *  launch, which a graph may hold. */
    int64_t (*scratch)(const rc_asked_t *p);
    /** \param[in] scratch   those bytes, of this stream
     *  \param[in] overlaps  1: the GPU can overlap launches (compute capability 9.0)
     *  \return as the engine's `run` */
    int (*launch)(const rc_asked_t *p, void *scratch, int overlaps);
} rc_direct_t;

/** Those of a product, the one that is tried first before the others. */
typedef struct rc_direct_list {
    const rc_direct_t *way;
    int count;
} rc_direct_list_t;

rc_direct_list_t rc_direct_spmm(const rc_asked_t *p);
rc_direct_list_t rc_direct_spmv(const rc_asked_t *p);
rc_direct_list_t rc_direct_sddmm(const rc_asked_t *p);

/** Those of a product. */
rc_direct_list_t rc_directs(const rc_asked_t *p);

/** One of them on a stream. */
typedef struct rc_direct_run {
    const rc_direct_t *way;       /**< NULL: none */
    void *scratch;                /**< device; NULL: none */
    unsigned long long stream_id; /**< of the stream that used it last */
} rc_direct_run_t;

/** \param[in]  way   from 0, less than there are
 *  \param[out] made  what is known of it
 *  \return an error: there may be scratch even so */
cudaError_t rc_direct_new(rc_direct_run_t *out, const rc_asked_t *p, int way, rc_made_t *made);

/** \param[in] last  after the run before; NULL where there is no scratch
 *  \return as the engine's `run` */
int rc_direct_run(rc_direct_run_t *run, const rc_asked_t *p, cudaEvent_t last, int overlaps);

#ifdef __cplusplus
}
#endif
#endif
