/* What verification, tiling and the order of C must do on any device.  The kernel of these tests
 * multiplies on the host, whatever the device, and misbehaves as it is told. */
#ifndef RC_TESTS_VERIFY_PROPERTIES_H
#define RC_TESTS_VERIFY_PROPERTIES_H

#include "device/device.h"
#include "kernels/kernel.h"

/* Right products pass, in both layouts, precisions and row orders of C, with and without pads. */
void check_right_products(rc_device_t *d);

/* A value that is not stored, is off, or is not zero in an empty row is found and named, wherever
 * it is. */
void check_wrong_products(rc_device_t *d);

/* What overflows fp16 is infinite, and right; anything else there is found, in the few rows of a
 * large matrix. */
void check_overflow(rc_device_t *d);

/* A product in tiles is the product, its launches are those of the tiles, its memory is within the
 * limit. */
void check_tiles(rc_device_t *d);

/* A wrong value in any tile is found and named by its column of the whole product. */
void check_wrong_tiles(rc_device_t *d);

#endif
