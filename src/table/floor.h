/** \file table/floor.h  The least time that an operation can take: an empty launch, or the bytes
 *  that have to be read and written, whichever is longer.  Local. */
#ifndef RC_TABLE_FLOOR_H
#define RC_TABLE_FLOOR_H

#include "table/view.h"

/** What was measured of a device. */
typedef struct rc_floor_device {
    const char *pattern; /**< of its class, a glob */
    double launch_ns;    /**< of a kernel that does nothing */
    double near_bytes;   /**< read bandwidth at two footprints that fit the L2, bytes and bytes per
                              ns; between and */
    double near_rate;    /**< around them it is taken as a power of the footprint */
    double far_bytes;
    double far_rate;
    double memory_rate; /**< from memory, and the most that is taken at any footprint */
} rc_floor_device_t;

/** An H200: 3.5 us; 0.9 TB/s at 4 MB, 2.7 TB/s at 16 MB, 4.7 TB/s from memory. */
extern const rc_floor_device_t rc_floor_h200;

/** The device of a class; NULL: nothing was measured of it. */
const rc_floor_device_t *rc_floor_device(const char *device_class);

/** Compulsory bytes of an operation with A in CSR, values of `value` bytes and K columns (spmv has
 *  none): nnz (index + value) + index (rows + 1), and value K (rows + cols) for the dense operands
 *  of a product and the inputs of sddmm, whose output is value nnz more.  An index has 4 bytes, 8
 *  from 2^31 entries on.  sddmm counts all rows of Y and X, which it reads where they have entries.
 *  A double: it may exceed 2^63.  Source: Hong et al. 2018, section 2. */
double rc_floor_bytes(rc_op_t op, int64_t rows, int64_t cols, int64_t nnz, int64_t k, int value);

/** \return ns, NaN for device NULL */
double rc_floor_ns(const rc_floor_device_t *d, double bytes);

/** Floor of result row i of a view; NaN where nothing is known of the device. */
double rc_floor_of(const rc_view_t *v, int64_t i);

/** What a product reaches at the bandwidth of memory (figure 1 of Hong et al. 2018), in flops a ns
 *  (Gflop/s): 2 K nnz over (4 + z) nnz + 4 (rows + 1) + z K (rows + cols) bytes, z those of a
 *  value: A in CSR, B and C once each.  Matrices that the caches hold can exceed it.
 *  \param[in] k  1 for a product with a vector  \param[in] gbs  bytes a ns */
double rc_roofline_bound(
    int64_t rows, int64_t cols, int64_t nnz, int64_t k, int64_t value_bytes, double gbs);

#endif
