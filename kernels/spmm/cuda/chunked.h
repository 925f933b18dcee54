/** \file kernels/spmm/cuda/chunked.h  A matrix as chunks in the memory of a GPU: what the host
 *  parts of gchunk and gchunk-col share. */
#ifndef RC_KERNELS_SPMM_CUDA_CHUNKED_H
#define RC_KERNELS_SPMM_CUDA_CHUNKED_H

#include "device/cuda/overlap.h"
#include "kernels/prepared.h"
#include "kernels/spmm/cuda/gchunk.h"
#include "kernels/spmm/cuda/rowmajor.h"

/** Choices of the parameter `entries`: "auto", then powers of two. */
extern const char *const rc_cuda_chunked_entries[];

/** What the states of these kernels begin with. */
typedef struct rc_cuda_chunked {
    rc_prepared_t base;
    rc_gchunk_args_t args; /**< the matrix; operands and launch are left to the kernel */
    rc_chunks_size_t size;
    double sectors; /**< of rc_chunks_sectors where the kernel asked for it */
} rc_cuda_chunked_t;

/** How the lanes of a launch are placed. */
typedef struct rc_cuda_chunked_launch {
    rc_cuda_launch_t of; /**< no entry: K or the precision does not allow it */
    int32_t lanes;       /**< of a chunk */
    int32_t tiles;
} rc_cuda_chunked_launch_t;

enum { RC_CUDA_CHUNKED_K_MAX = 1 << 30 };

/** State of gchunk, and the begin of that of kernels that end in its product. */
typedef struct rc_gchunk {
    rc_cuda_chunked_t a;
    int rounds;                                      /**< of chunks for each CTA */
    rc_cuda_chunked_launch_t launch[RC_CUDA_WIDTHS]; /**< of loads of 1 << i values */
} rc_gchunk_t;

/** Columns beyond K at most that a kernel with loads of 16 bytes computes. */
int64_t rc_cuda_chunked_spare(rc_precision_t precision);

/** rc_chunks_rows_of a problem, where its matrix is.  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_chunked_rows(const rc_problem_t *p, rc_chunks_rows_t *out, rc_err_t *err);

/** rc_kernel_t.analyse.  \param[in] entries  choice of rc_cuda_chunked_entries
 *  \param[in] spare  columns beyond K that the kernel may compute */
rc_status_t rc_cuda_chunked_analyse(
    const rc_problem_t *p, int64_t entries, int64_t spare, rc_analysis_t *out, rc_err_t *err);

/** Cut the matrix into chunks and upload them.
 *  \param[in] sector  bytes of the sectors that are counted; 0: they are not
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_chunked_build(rc_cuda_chunked_t *s, const rc_problem_t *p,
    const rc_analysis_t *analysis, int64_t sector, rc_err_t *err);

/** Memory for the sums of long rows.  \param[in] spare  as in the analysis  \return RC_OK,
 *  RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_chunked_own(rc_cuda_chunked_t *s, int64_t spare, rc_err_t *err);

/** Entries that a lane loads at a time, see rc_cuda_gchunk_entry. */
int rc_cuda_chunked_batch(const rc_cuda_chunked_t *s, int vectors);

/** Threads and CTAs of a launch whose entry and lanes are chosen.
 *  \param[in] pieces  of a row: vectors that the lanes hold one of, or `vectors`
 *  \param[in] width   values of a vector */
void rc_cuda_chunked_place(const rc_cuda_chunked_t *s, int64_t pieces, int width, int vectors,
    rc_cuda_chunked_launch_t *l);

#endif
