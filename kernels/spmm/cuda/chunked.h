/** \file kernels/spmm/cuda/chunked.h  A matrix as chunks in the memory of a GPU: what the host parts of
 *  gchunk and gchunk-col share. */
#ifndef RC_KERNELS_SPMM_CUDA_CHUNKED_H
#define RC_KERNELS_SPMM_CUDA_CHUNKED_H

#include "device/cuda/memory.h"
#include "device/cuda/overlap.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/gchunk.h"

/** Choices of the parameter `entries`: "auto", then powers of two. */
extern const char *const rc_cuda_chunked_entries[];

/** What both kernels keep. */
typedef struct rc_cuda_chunked {
    rc_cuda_memory_t memory;
    rc_gchunk_args_t args; /**< the matrix; operands and launch are left to the kernel */
    void *val; /**< args.val, to be changed */
    size_t value_bytes;
    size_t sum_bytes; /**< of a sum */
    int64_t col_bytes; /**< 2 or 4 */
    int overlaps;      /**< 1: a launch may begin while the one before it ends */
    double sectors;    /**< of rc_chunks_sectors where the kernel asked for it */
} rc_cuda_chunked_t;

/** How the lanes of a launch are placed. */
typedef struct rc_cuda_chunked_launch {
    rc_cuda_launch_t of; /**< no entry: K or the precision does not allow it */
    int32_t lanes;       /**< of a chunk */
    int32_t tiles;
} rc_cuda_chunked_launch_t;

/** Columns beyond K at most that a kernel with loads of 16 bytes computes. */
int64_t rc_cuda_chunked_spare(rc_precision_t precision);

/** rc_kernel_t.analyse.  \param[in] entries  choice of rc_cuda_chunked_entries
 *  \param[in] spare  columns beyond K that the kernel may compute */
rc_status_t rc_cuda_chunked_analyse(
    const rc_problem_t *p, int64_t entries, int64_t spare, rc_analysis_t *out, rc_err_t *err);

/** Cut the matrix into chunks and upload them, or share those of another state.  \param[in] spare  as in the analysis
 *  \param[in] sector  bytes of the sectors that are counted; 0: they are not
 *  \param[in] of      NULL, or what has the same matrix
 *  \param[out] out  free with rc_cuda_memory_free, after an error too; its K is to be set
 *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP, RC_EDEVICE */
rc_status_t rc_cuda_chunked_build(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, int64_t spare, int64_t sector, rc_cuda_chunked_t *of,
    rc_cuda_chunked_t *out, rc_err_t *err);

/** Entries that a lane loads at a time, see rc_cuda_gchunk_entry. */
int rc_cuda_chunked_batch(const rc_cuda_chunked_t *s, int vectors);

/** Threads and CTAs of a launch whose entry and lanes are chosen.
 *  \param[in] pieces  of a row: vectors that the lanes hold one of, or `vectors`
 *  \param[in] width   values of a vector */
void rc_cuda_chunked_place(const rc_cuda_chunked_t *s, int64_t pieces, int width, int vectors,
    rc_cuda_chunked_launch_t *l);

/** For rc_kernel_t.values. */
int64_t rc_cuda_chunked_values(const rc_cuda_chunked_t *s, void **array);

#endif
