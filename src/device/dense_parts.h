/** \file device/dense_parts.h  Dense matrices of any type for verification, by the operations of a
 *  device on real numbers.  A complex matrix is one of its parts: in rows of twice as many columns,
 *  in columns of twice as many rows. */
#ifndef RC_DEVICE_DENSE_PARTS_H
#define RC_DEVICE_DENSE_PARTS_H

#include "device/device.h"

/** The same memory as real numbers; a real matrix is itself. */
rc_dense_t rc_dense_parts(const rc_dense_t *m);

/** What is found in the parts of each row: element r * parts + q is of part q of row r.  What a
 *  magnitude and a finding are of may be both parts of the row. */
typedef struct rc_dense_found {
    double *sum;          /**< [rows * parts], host */
    double *mag;          /**< likewise; NULL: not wanted */
    unsigned char *found; /**< likewise */
} rc_dense_found_t;

/** As rc_device_t.dense_project, of parts.  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_dense_project_parts(rc_device_t *d, const rc_dense_t *m, const double *sign,
    const rc_dense_found_t *out, rc_err_t *err);

/** Parts of values by their places, on the host. */
typedef struct rc_dense_places {
    int64_t n;
    int64_t *row; /**< [n] of values; afterwards of their parts */
    int64_t *col;
    const unsigned char *part; /**< [n] 0, or of complex numbers 1 */
    double *value;             /**< [n] out */
    unsigned char *poison;     /**< [n] out */
} rc_dense_places_t;

/** As rc_device_t.dense_gather, of parts.  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_dense_gather_parts(
    rc_device_t *d, const rc_dense_t *m, const rc_dense_places_t *at, rc_err_t *err);

#endif
