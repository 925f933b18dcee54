/* The dense operations of a CPU, value by value for every type that base/type.h has. */
#ifndef RC_TESTS_DENSE_PLAIN_H
#define RC_TESTS_DENSE_PLAIN_H

#include "device/device.h"

/* Set them. */
void dense_plain(rc_device_t *d);

#endif
