/** \file device/limits.h What a device can do at most, measured on it and not taken from a data
 *  sheet. Source: Hong et al. 2018, section 7, whose bounds are two flops for each word that is
 *  read. All local. */
#ifndef RC_DEVICE_LIMITS_H
#define RC_DEVICE_LIMITS_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Rates, all of reading, in bytes a ns (GB/s), and of fused multiply-adds in flops a ns
 *  (Gflop/s). */
typedef struct rc_limits {
    double memory; /**< of a footprint of 16 times the L2 */
    double l2;     /**< of a quarter of it, past the L1 */
    double l1;     /**< of 16 KB that each CTA has for itself */
    double shared; /**< without bank conflicts, words of 4 bytes */
    double fp32;
    double fp64;
} rc_limits_t;

/** Measure, the best of some rounds each.  \param[in] d  of a GPU
 *  \return RC_OK; RC_ENOTSUP (a CPU, a build without CUDA); RC_ENOMEM (16 times the L2 has no
 *  room), RC_EDEVICE. Cost: some tens of milliseconds of the device. */
rc_status_t rc_limits_measure(rc_device_t *d, rc_limits_t *out, rc_err_t *err);

enum { RC_LIMITS_DEVICE = 160 };
#define RC_LIMITS_USUAL "limits-h200" /**< the file that is installed */

/** Read what `rowcast calibrate --limits` wrote.
 *  \param[in] word  of rc_tuning_find  \param[out] device  the class that was measured
 *  \return RC_OK; RC_ENOENT, RC_EIO; RC_EFORMAT with the member, what was expected and what was
 *      found */
rc_status_t rc_limits_read(
    const char *word, rc_limits_t *out, char device[RC_LIMITS_DEVICE], rc_err_t *err);

/** As rc_limits_read of the file that was measured on a device class (rc_tuning_of_device), and of
 *  RC_LIMITS_USUAL where there is none. */
rc_status_t rc_limits_read_of(
    const char *class_name, rc_limits_t *out, char device[RC_LIMITS_DEVICE], rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
