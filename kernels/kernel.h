/** \file kernels/kernel.h  Kernels and devices.  A kernel is one file that ends in one constant
 *  descriptor, and one line in kernels/kernels.am.
 *
 *  A kernel computes C = A B for a CSR matrix A under a row schedule.  `prepare` physically
 *  rearranges A into schedule order (and is timed apart); `run` is the product and nothing else.
 *  Slot p is executed by worker p mod N_w in increasing p.  C comes out in original row order
 *  unless the problem says otherwise.  Rows that the schedule leaves out (empty rows under dcsr)
 *  are not stored to: the caller zeroes C once before the first run.
 *  A run of the original order never pays for an indirection: identity schedules carry no row ids.
 */
#ifndef RC_KERNELS_KERNEL_H
#define RC_KERNELS_KERNEL_H

#include "base/family.h"
#include "rowcast.h"
#include "rowcast_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rc_op { RC_OP_SPMM = 0 } rc_op_t;

typedef enum rc_precision { RC_FP32 = 0, RC_FP64 = 1 } rc_precision_t;

/** Layout of B and C. */
typedef enum rc_layout {
    RC_COL_MAJOR = 0, /**< B[j * n_col + c], C[j * n_row + r] */
    RC_ROW_MAJOR = 1  /**< B[c * K + j],     C[r * K + j] */
} rc_layout_t;

/** Row order of C. */
typedef enum rc_c_order {
    RC_C_ORIGINAL = 0, /**< original row order */
    RC_C_SCHEDULE = 1  /**< row p of C is slot p (what is stored for a pad means nothing); absent
                            rows: none.  An identity schedule is always RC_C_ORIGINAL */
} rc_c_order_t;

const char *rc_op_name(rc_op_t op);
const char *rc_precision_name(rc_precision_t p); /* "fp32", "fp64" */
const char *rc_layout_name(rc_layout_t l);       /* "col", "row" */
const char *rc_c_order_name(rc_c_order_t o);     /* "original", "schedule" */
rc_status_t rc_precision_parse(const char *text, rc_precision_t *out, rc_err_t *err);
/** Bytes of one value. */
size_t rc_precision_bytes(rc_precision_t p);

/* ------------------------------------------------------------------ devices */

typedef enum rc_device_kind { RC_DEVICE_CPU = 0, RC_DEVICE_CUDA = 1 } rc_device_kind_t;

/** State of the clocks around a measurement; NaN or -1: cannot be read. */
typedef struct rc_device_state {
    double clock_mhz; /**< compute clock */
    double memory_clock_mhz;
    double temperature_c;
    int64_t throttle; /**< bit set of throttle reasons, 0 none */
} rc_device_state_t;

typedef struct rc_device rc_device_t;

/** A dense matrix on a device: B, C, or a tile of K columns of them.  Value (r, j) is at
 *  data[j * ld + r] when column-major, at data[r * ld + j] when row-major. */
typedef struct rc_dense {
    void *data; /**< device memory */
    int64_t rows;
    int64_t cols;
    int64_t ld; /**< >= rows when column-major, >= cols when row-major */
    rc_precision_t precision;
    rc_layout_t layout;
} rc_dense_t;

/** What a row of a dense matrix was found to hold. */
enum {
    RC_ROW_POISON = 1, /**< a value that still is the poison */
    RC_ROW_NONZERO = 2 /**< a value that is not zero (a NaN is none) */
};

/** Runs one launch of what is timed. */
typedef rc_status_t rc_launch_fn(void *state, rc_err_t *err);

/** A device that kernels run on and that can time them.  Created by rc_device_open. */
struct rc_device {
    rc_device_kind_t kind;
    char name[96];        /**< "Intel(R) Xeon(R) Processor @ 2.50GHz" */
    char uuid[64];        /**< unique on its host; CPU: the cpu list, "cpu-0-1" */
    char class_name[160]; /**< device class of a case: equal for devices that should measure the
                               same, e.g. "cpu:<model>:2t:avx512" */
    int threads;          /**< CPU: size of the team; else host threads for preparation */
    int lanes32;          /**< SIMD lanes (CPU) or warp size in fp32 */
    int line_bytes;       /**< cache line of B: 64 on a CPU, 128 on a GPU */
    int64_t cache_bytes;  /**< last-level cache, for cold runs; 0 unknown */
    int64_t memory_bytes; /**< free memory at open; of a GPU its own */
    int64_t batch_max;    /**< launches that may be timed as one batch; 0: any number */
    int64_t active_ns;    /**< so far spent in time_batch, the dense operations and copies */
    void *impl;
    /* memory that kernels see; every pointer is freed with release */
    rc_status_t (*alloc)(rc_device_t *d, size_t bytes, void **out, rc_err_t *err);
    void (*release)(rc_device_t *d, void *p);
    rc_status_t (*upload)(rc_device_t *d, void *to, const void *from, size_t bytes, rc_err_t *err);
    rc_status_t (*download)(
        rc_device_t *d, void *to, const void *from, size_t bytes, rc_err_t *err);
    rc_status_t (*fill)(rc_device_t *d, void *p, int byte, size_t bytes, rc_err_t *err);
    /** Evict the caches (cold mode); allocates its buffer once. */
    rc_status_t (*flush)(rc_device_t *d, rc_err_t *err);
    /** Time `batch` launches between two events of the device.
     *  \param[out] ns  total of the batch, in ns */
    rc_status_t (*time_batch)(rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch,
        int64_t *ns, rc_err_t *err);
    void (*read_state)(rc_device_t *d, rc_device_state_t *out);
    void (*close)(rc_device_t *d);
    /* dense matrices, for verification: host memory and time do not grow with rows times cols */
    /** M(r, j) = rc_rng_signed(seed, r * stride + j0 + j), rounded to the precision. */
    rc_status_t (*dense_random)(rc_device_t *d, const rc_dense_t *m, uint64_t seed, int64_t stride,
        int64_t j0, rc_err_t *err);
    /** Every value all bits set (a NaN that arithmetic does not give), but zero in the rows r with
     *  clear[r] != 0.  \param[in] clear  [rows], host; NULL: none */
    rc_status_t (*dense_poison)(
        rc_device_t *d, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err);
    /** For each row in fp64, in a fixed order of summation: sum[r] = sum over j of sign[j] M(r, j),
     *  mag[r] = sum over j of |M(r, j)|, found[r] = bits RC_ROW_*.
     *  \param[in] sign  [cols], host, +1 or -1
     *  \param[out] sum, mag, found  [rows], host; each may be NULL */
    rc_status_t (*dense_project)(rc_device_t *d, const rc_dense_t *m, const double *sign,
        double *sum, double *mag, unsigned char *found, rc_err_t *err);
    /** out[i] = M(row[i], col[i]) with poison[i] = 1 when it still is the poison; host arrays. */
    rc_status_t (*dense_gather)(rc_device_t *d, const rc_dense_t *m, const int64_t *row,
        const int64_t *col, int64_t n, double *out, unsigned char *poison, rc_err_t *err);
};

/** Open the CPU as a device.
 *  \param[in] threads  team size, 0: all that the process may use
 *  Free with rc_device_close. */
rc_status_t rc_device_open_cpu(int threads, rc_device_t **out, rc_err_t *err);

/** Open a GPU as a device.  \param[in] index  of rc_gpu_list  \param[in] threads  host threads for
 *  preparation, 0: all.  \return as rc_gpu_list.  Free with rc_device_close. */
rc_status_t rc_device_open_gpu(int index, int threads, rc_device_t **out, rc_err_t *err);

void rc_device_close(rc_device_t *d);

/* ------------------------------------------------------------------ kernels */

enum { RC_KERNEL_PARAMS_MAX = RC_PARAMS_MAX };

/** What is to be computed.  The matrix and the schedule are borrowed until release. */
typedef struct rc_problem {
    rc_op_t op;
    int64_t k; /**< dense columns, >= 1 */
    rc_precision_t precision;
    rc_layout_t layout; /**< of B and C; must be the kernel's */
    rc_c_order_t c_order;
    const rc_csr_t *a;
    const rc_schedule_t *schedule;
    int identity;           /**< rc_schedule_is_identity(schedule) */
    rc_geometry_t geometry; /**< that the schedule was built for */
    int64_t c_rows;         /**< rows of C: n_row, or the slots when C is in schedule order; the
                                 leading dimension of a column-major C.  B's is n_col; row-major
                                 B and C have leading dimension K */
    int64_t param[RC_KERNEL_PARAMS_MAX]; /**< in the order of the descriptor */
} rc_problem_t;

typedef struct rc_kernel {
    const char *name;
    const char *summary;
    const char *source;
    int version; /**< bump when its times or numbers may change */
    rc_device_kind_t device;
    rc_layout_t layout;
    int computes;    /**< 0: writes nothing meaningful, verification is left out */
    int for_testing; /**< 1: not part of "all" */
    rc_param_t param[RC_KERNEL_PARAMS_MAX]; /**< integers and choices */
    /** RC_OK, or RC_ENOTSUP with the reason. */
    rc_status_t (*supports)(const rc_problem_t *p, rc_err_t *err);
    /** The geometry that schedules for this kernel should be built for.
     *  \param[in] param  in the order of the descriptor */
    rc_geometry_t (*geometry)(const rc_device_t *d, const int64_t *param, rc_precision_t precision);
    /** Compulsory traffic in bytes: A once, B once, C once, row ids when there are any. */
    int64_t (*bytes_min)(const rc_problem_t *p);
    /** Device memory that prepare allocates, in bytes (without B and C). */
    int64_t (*bytes_device)(const rc_problem_t *p);
    /** Rearrange and upload.  \param[out] state  free with release */
    rc_status_t (*prepare)(rc_device_t *d, const rc_problem_t *p, void **state, rc_err_t *err);
    /** NULL, or work once before the first product with these operands; timed apart from both. */
    rc_status_t (*preprocess)(void *state, const void *b, void *c, rc_err_t *err);
    /** One product; b and c are device pointers of the problem's layout and precision. */
    rc_status_t (*run)(void *state, const void *b, void *c, rc_err_t *err);
    void (*release)(void *state);
} rc_kernel_t;

/** All kernels of this build, in the order of kernels.am; NULL-terminated. */
extern const rc_kernel_t *const rc_kernels[];

const rc_kernel_t *rc_kernel_find(const char *name);

/** A kernel with its parameters, parsed from "name" or "name:key=value:key=value". */
typedef struct rc_kernel_spec {
    const rc_kernel_t *kernel;
    int64_t param[RC_KERNEL_PARAMS_MAX];
    char params[RC_PARAMS_TEXT]; /**< canonical text, see rc_params_text: "strip=4" */
} rc_kernel_spec_t;

/** Kernels as a family of base/family.h; member i is rc_kernels[i]. */
extern const rc_family_t rc_kernel_family;

/** \return RC_OK, or as rc_spec_parse */
rc_status_t rc_kernel_spec_parse(const char *text, rc_kernel_spec_t *out, rc_err_t *err);

/** The kernel of a parsed text of rc_kernel_family. */
void rc_kernel_spec_set(const rc_spec_t *spec, rc_kernel_spec_t *out);

#ifdef __cplusplus
}
#endif
#endif
