/** \file device/device.h  Devices that measure: an executor for the kernels, and what times and
 *  verifies them on top of it: batches, gates, flushes, clocks, dense operations. */
#ifndef RC_DEVICE_DEVICE_H
#define RC_DEVICE_DEVICE_H

#include "device/executor.h"
#include "operation/operand.h"
#include "rowcast_cuda.h"

/** State of the clocks around a measurement; NaN or -1: cannot be read. */
typedef struct rc_device_state {
    double clock_mhz; /**< compute clock */
    double memory_clock_mhz;
    double temperature_c;
    int64_t throttle; /**< bit set of throttle reasons, 0 none */
    double hop_ns;    /**< of a line of cache between neighbours of a team; of a GPU NaN */
    double others;    /**< other programs that wanted the device since RC_WATCH_BEGIN, on
                           average: their threads ready to run; of a GPU their processes */
    int cpus;         /**< that they and we share; of a GPU 1; 0 unknown */
    int crowded;      /**< 1: there was not enough of it for all; 0: there was */
} rc_device_state_t;

/** A state of which nothing is known. */
rc_device_state_t rc_device_state_unknown(void);

typedef struct rc_device rc_device_t;

/** Bytes of the line that rc_device_company writes. */
enum { RC_COMPANY_MAX = 96 };

/** That others had a part of a device since RC_WATCH_BEGIN, in a line for people; "": nobody had,
 *  or that is not known. */
void rc_device_company(rc_device_t *d, char text[RC_COMPANY_MAX]);

/** 1: nobody had; 0: that is not known, too, as of a GPU: who has its host makes batches of short
 *  launches longer. */
int rc_device_is_alone(rc_device_t *d);

/** What a row of a dense matrix was found to hold. */
enum {
    RC_ROW_POISON = 1, /**< a value that still is the poison */
    RC_ROW_NONZERO = 2 /**< a value that is not zero (a NaN is none) */
};

/** Runs one launch of what is timed. */
typedef rc_status_t rc_launch_fn(void *state, rc_err_t *err);

/** Times a batch as time_batch does, but up to four times while others have a part of our cores
 *  (`lost`), which makes it longer; counts it.
 *  \param[out] ns  of a batch without them, else of the shortest
 *  \return as time_batch */
rc_status_t rc_device_time_alone(
    rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err);

/** From where on others count. */
enum {
    RC_WATCH_BEGIN = 1, /**< a measurement begins, and what was seen is forgotten */
    RC_WATCH_AGAIN = 2  /**< a part of it: how teams wait for each other is decided anew */
};

/** A device that kernels run on and that can time them.  Created by rc_device_open. */
struct rc_device {
    rc_executor_t executor; /**< that kernels see; kind, threads, lanes and lines are its */
    char name[96];          /**< "Intel(R) Xeon(R) Processor @ 2.50GHz" */
    char uuid[64];          /**< unique on its host; CPU: the cpu list, "cpu-0-1" */
    char class_name[160];   /**< device class of a case: equal for devices that should measure the
                               same, e.g. "cpu:<model>:2t:avx512" */
    int64_t cache_bytes;    /**< last-level cache, for cold runs; 0 unknown */
    int multiprocessors;    /**< of a GPU; 0 on a CPU */
    int64_t memory_bytes;   /**< free memory at open; of a GPU its own */
    int64_t batch_max;      /**< launches that may be timed as one batch; 0: any number */
    int64_t active_ns;      /**< so far spent in time_batch and the dense operations; copies
                               are in executor.copy_ns */
    int64_t timed;          /**< calls of rc_device_time_alone since RC_WATCH_BEGIN ... */
    int64_t shared;         /**< ... which others had a part of our cores in all the while */
    void *impl;
    /** Evict the caches (cold mode); allocates its buffer once. */
    rc_status_t (*flush)(rc_device_t *d, rc_err_t *err);
    /** Time `batch` launches between two events of the device.
     *  \param[out] ns  total of the batch, in ns */
    rc_status_t (*time_batch)(rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch,
        int64_t *ns, rc_err_t *err);
    /** Look who else uses the device; cheap beside a batch.
     *  \param[in] anew  RC_WATCH_BEGIN, _AGAIN or 0 */
    void (*watch)(rc_device_t *d, int anew);
    /** How long the one of our threads that waited most waited for a CPU since waited(d, 1), in ns;
     *  of a GPU 0.  Cheap beside a batch of milliseconds.  \param[in] anew  1: begin */
    int64_t (*waited)(rc_device_t *d, int anew);
    /** By which share of its time a thread of ours is slower now than alone on its core, where a
     *  virtual machine cannot see with whom it shares it; 0 to 1, else 0.  10 us.
     *  \param[in] anew  0: what was found just now will do */
    double (*lost)(rc_device_t *d, int anew);
    void (*read_state)(rc_device_t *d, rc_device_state_t *out);
    void (*close)(rc_device_t *d);
    /* dense matrices, for verification: host memory and time do not grow with rows times cols */
    /** M(r, j) = rc_rng_signed(seed, n) of n = r * stride + j0 + j, rounded to the precision; part
     *  q of a complex number is that of 2 n + q. */
    rc_status_t (*dense_random)(rc_device_t *d, const rc_dense_t *m, uint64_t seed, int64_t stride,
        int64_t j0, rc_err_t *err);
    /** Every value all bits set (a NaN that arithmetic does not give), but zero in the rows r with
     *  clear[r] != 0.  \param[in] clear  [rows], host; NULL: none */
    rc_status_t (*dense_poison)(
        rc_device_t *d, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err);
    /** For each row in fp64, in a fixed order of summation: sum[r] = sum over j of sign[j] M(r, j),
     *  mag[r] = sum over j of |M(r, j)|, found[r] = bits RC_ROW_*.  Of real numbers; others have
     *  rc_dense_project_parts.
     *  \param[in] sign  [cols], host, +1, -1 or 0
     *  \param[out] sum, mag, found  [rows], host; each may be NULL */
    rc_status_t (*dense_project)(rc_device_t *d, const rc_dense_t *m, const double *sign,
        double *sum, double *mag, unsigned char *found, rc_err_t *err);
    /** out[i] = M(row[i], col[i]) with poison[i] = 1 when it still is the poison; host arrays.  Of
     *  real numbers; others have rc_dense_gather_parts. */
    rc_status_t (*dense_gather)(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
        const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err);
};

/** Open the CPU as a device.
 *  \param[in] threads team size, 0: all that the process may use; RC_EDEVICE when OpenMP gives
 *  fewer Free with rc_device_close. */
rc_status_t rc_device_open_cpu(int threads, rc_device_t **out, rc_err_t *err);

/** Open a GPU as a device.  \param[in] index  of rc_gpu_list  \param[in] threads  host threads for
 *  preparation, 0: all.  \return as rc_gpu_list.  Free with rc_device_close. */
rc_status_t rc_device_open_gpu(int index, int threads, rc_device_t **out, rc_err_t *err);

void rc_device_close(rc_device_t *d);

/* ------------------------------------------------------------ of devices */

/** Set the operations of a device on dense matrices.
 *
 *  On a CPU every result is the same for any number of threads.  A projection goes column by column
 *  when column-major; when row-major eight interleaved sums, then these.
 *
 *  On a GPU they run near the memory's bandwidth for large matrices and take one or two launches
 *  for small ones; what they need on the side comes from the pool of the device: 8 bytes per
 *  column, and 17 per row or about 18 MB, whichever is more.  dense_random and dense_poison return
 *  before the device is done; an error of theirs shows in the next call that waits.  The order of
 *  summation depends on the shape of the matrix alone, not on the GPU. */
void rc_cpu_dense(rc_device_t *d);
void rc_cuda_dense(rc_device_t *d);

#endif
