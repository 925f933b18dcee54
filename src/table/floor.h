/** \file table/floor.h  The least time that a sparse product with a vector can take: an empty launch, or the bytes
 *  that have to be read and written, whichever is longer.  Local. */
#ifndef RC_TABLE_FLOOR_H
#define RC_TABLE_FLOOR_H

#include "table/view.h"

/** What was measured of a device. */
typedef struct rc_floor_device {
    const char *pattern; /**< of its class, a glob */
    double launch_ns;    /**< of a kernel that does nothing */
    double near_bytes;   /**< read bandwidth at two footprints that fit the L2, bytes and bytes per ns; between and */
    double near_rate;    /**< around them it is taken as a power of the footprint */
    double far_bytes;
    double far_rate;
    double memory_rate; /**< from memory, and the most that is taken at any footprint */
} rc_floor_device_t;

/** An H200: 3.5 us; 0.9 TB/s at 4 MB, 2.7 TB/s at 16 MB, 4.7 TB/s from memory. */
extern const rc_floor_device_t rc_floor_h200;

/** The device of a class; NULL: nothing was measured of it. */
const rc_floor_device_t *rc_floor_device(const char *device_class);

/** Compulsory bytes of y = A x in CSR with values of `value` bytes: nnz (index + value) + index (rows + 1) +
 *  value (rows + cols), where an index has 4 bytes, 8 from 2^31 entries on.  A double: it may exceed 2^63. */
double rc_floor_bytes(int64_t rows, int64_t cols, int64_t nnz, int value);

/** \return ns, NaN for device NULL */
double rc_floor_ns(const rc_floor_device_t *d, double bytes);

/** Floor of result row i of a view; NaN where nothing is known of the device, and for other operations than spmv. */
double rc_floor_of(const rc_view_t *v, int64_t i);

#endif
