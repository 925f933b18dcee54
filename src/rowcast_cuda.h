/** \file rowcast_cuda.h  The public interface of librowcast_cuda: what rowcast does on NVIDIA GPUs.
 *
 *  It says which GPUs and which CUDA there are, and makes plans on the application's own device
 *  pointers and streams. What else there is to call of a plan is in rowcast_plan.h. The library
 *  needs the CUDA runtime and cuSPARSE, no MPI and no HDF5, and is there only when rowcast was
 *  built with CUDA. No CUDA header is needed to include it: cudaStream_t is a pointer to struct
 *  CUstream_st. The conventions are those of rowcast.h. No call changes the current device of its
 *  thread. */
#ifndef ROWCAST_CUDA_H
#define ROWCAST_CUDA_H

#include "rowcast_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A GPU as the runtime sees it, without opening it. */
typedef struct rc_gpu_info {
    int index;            /**< of the runtime, after CUDA_VISIBLE_DEVICES */
    char name[96];        /**< "NVIDIA H200" */
    char uuid[64];        /**< "GPU-..." */
    char pci[32];         /**< "0000:3b:00.0" */
    int cc_major;         /**< of the compute capability, 9 for 9.0 */
    int cc_minor;         /**< 0 for 9.0 */
    int sms;              /**< multiprocessors */
    int64_t l2_bytes;     /**< of the L2 cache */
    int64_t memory_bytes; /**< of the device */
    int driver;           /**< CUDA version of the driver, 13000 for 13.0 */
    int runtime;          /**< of the runtime linked */
} rc_gpu_info_t;

/** The GPUs that this process may use.
 *  \param[out] list  [*count]; free with free()
 *  \return RC_OK (also with none: *count is 0), RC_EINVAL (a NULL), RC_ENOTSUP (built without
 *          CUDA), RC_EDEVICE (no usable driver; the text says what it said), RC_ENOMEM. Local. */
RC_API rc_status_t rc_gpu_list(rc_gpu_info_t **list, int *count, rc_err_t *err);

/** Versions of CUDA's libraries, as this process finds them. */
typedef struct rc_gpu_versions {
    int driver;           /**< newest CUDA that the driver supports, 13000 for 13.0; 0: no driver */
    int runtime;          /**< of the runtime linked, likewise */
    int cusparse;         /**< of cuSPARSE, 12603 for 12.6.3 */
    char driver_name[80]; /**< the driver's own version, "580.95.05"; "" when not known */
} rc_gpu_versions_t;

/** \return RC_OK, RC_EINVAL (NULL), RC_ENOTSUP (built without CUDA), RC_EDEVICE.  Needs no GPU. */
RC_API rc_status_t rc_gpu_versions(rc_gpu_versions_t *out, rc_err_t *err);

/* ------------------------------------------------------------ plans on a GPU */

/** Device memory of an application, ordered by the stream. Plans of several threads that share one
 *  call it at the same time, and what two plans share is freed by the last of them, on its
 *  stream. */
typedef struct rc_cuda_allocator {
    /** \param[in] bytes  >= 1  \return memory for work that is put on the stream from now on,
     *  aligned to 64 bytes at least; NULL: there is none */
    void *(*alloc)(size_t bytes, struct CUstream_st *stream, void *user);
    /** \param[in] p  of alloc, in use until the work is done that is on the stream now */
    void (*free)(void *p, struct CUstream_st *stream, void *user);
    void *user; /**< that alloc and free get */
} rc_cuda_allocator_t;

/** Make a plan on the GPU of a stream, with candidates as rc_plan_create_host has them.  The matrix
 *  is read during the call alone.
 *  \param[in]  a        of the host or of that GPU
 *  \param[in]  options  NULL: the defaults
 *  \param[in]  stream   for preparation and timing, not in a graph's capture; NULL: the default one
 *  \param[out] out      free with rc_plan_free
 *  \return RC_OK; RC_EINVAL (arguments; no such kernel or order; the stream is being captured);
 *          RC_EFORMAT (a matrix that is none: the text names row and column); RC_ENOTSUP (none can;
 *          the model does not know the request); RC_ERANGE (more rows or columns than 2^31 - 1);
 *          RC_ENOMEM; RC_EDEVICE. After an error there is no plan and nothing is kept. Cost: the
 *          orders and preparations that are tried.  The plan keeps row pointers and columns, for
 *          new values, clones and files: in the GPU's memory (4 bytes an entry, 4 or 8 a row) where
 *          options->memory allows them beside what was chosen, and on the host where it does not or
 *          where an order, kernel or model needed them there.  Waits for the stream, and for no
 *          other. */
RC_API rc_status_t rc_plan_create(const rc_plan_problem_t *problem, const rc_plan_matrix_t *a,
    const rc_plan_options_t *options, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err);

/** As rc_extremes_host, of arrays of a GPU.  Asked for on the stream and not waited for; nothing is
 *  allocated, and a graph can hold it.
 *  \param[in] stream  of that GPU; NULL: the default one
 *  \return also RC_EDEVICE */
RC_API rc_status_t rc_extremes(
    const rc_plan_matrix_t *a, const rc_extremes_t *x, struct CUstream_st *stream, rc_err_t *err);

/** As rc_softmax_host, likewise.  \return also RC_EDEVICE */
RC_API rc_status_t rc_softmax(
    const rc_plan_matrix_t *a, const rc_softmax_t *x, struct CUstream_st *stream, rc_err_t *err);

/** As rc_pattern_read_host, in the memory of a GPU.  Waits for the stream.
 *  \param[in] stream  of that GPU, not in a graph's capture; NULL: the default one
 *  \return also RC_ENOTSUP (arrays that are not aligned to their numbers), RC_ENOMEM, RC_EDEVICE */
RC_API rc_status_t rc_pattern_read(
    const rc_plan_matrix_t *a, struct CUstream_st *stream, rc_pattern_info_t *out, rc_err_t *err);

/** As rc_plan_create, with the choices and orders of a file of rc_plan_save: nothing is ordered,
 *  predicted or timed.
 *  \param[in] options  threads, allocator and, as rc_plan_load_host says, `transposed` are read
 *  \return as rc_plan_create; RC_ENOENT, RC_EIO, RC_EFORMAT (the file); RC_EINVAL (of another
 *          pattern, problem or device: the text names found and expected); RC_ENOTSUP (a kernel or
 *          version that this library does not have) */
RC_API rc_status_t rc_plan_load(const char *path, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, struct CUstream_st *stream,
    rc_plan_t **out, rc_err_t *err);

/** As rc_order_system, of a matrix in memory of a GPU.  Orders that a GPU builds (auto, multilevel,
 *  mincol, minlabel, labels, cells, lsh, jiang) are built there; others on the host, which gets the
 *  pattern for it.
 *  \param[in] a       on_device is 1
 *  \param[in] stream  of that GPU, not in a graph's capture; NULL: the default one.  It waits for
 *                     it, and for no other
 *  \return as rc_order_system and rc_plan_create */
RC_API rc_status_t rc_order_system_cuda(const rc_plan_matrix_t *a,
    const rc_system_options_t *options, struct CUstream_st *stream, rc_system_t **out,
    rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
