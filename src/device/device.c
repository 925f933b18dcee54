#include "config.h"
#include "device/device.h"

#include <math.h>

rc_device_state_t rc_device_state_unknown(void)
{
    return (rc_device_state_t){.clock_mhz = NAN,
        .memory_clock_mhz = NAN,
        .temperature_c = NAN,
        .throttle = -1,
        .others = NAN,
        .crowded = -1};
}

void rc_device_close(rc_device_t *d)
{
    if (d)
        d->close(d);
}
