/* What every kernel of sddmm must do, whatever the device. */
#ifndef RC_TESTS_SDDMM_PROPERTIES_H
#define RC_TESTS_SDDMM_PROPERTIES_H

#include "device/device.h"
#include "kernels/kernel.h"

/* Values are those of fp64 within their bound, in the order of the entries, and bit by bit the same under any row
 * order that the kernel takes.  \return kernels that were tried */
int check_sddmm_entry_order(rc_device_t *d);

/* Explicit zeros are entries; NaN and Inf reach the entries that IEEE says, and no others.
 * \return kernels that were tried */
int check_sddmm_special_values(rc_device_t *d);

#endif
