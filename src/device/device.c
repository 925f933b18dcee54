#include "config.h"
#include "device/device.h"

void rc_device_close(rc_device_t *d)
{
    if (d)
        d->close(d);
}
