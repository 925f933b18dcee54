#include "config.h"
#include "unit.h"

#include "device/device.h"
#include "open_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4 }; /* of the host: tests run side by side, on machines of many CPUs */

rc_device_t *open_gpu(void)
{
    const char *must = getenv("ROWCAST_GPU");
    rc_gpu_info_t *list = NULL;
    int count = 0;
    rc_err_t err = {0};
    rc_device_t *d = NULL;
    rc_status_t st = rc_gpu_list(&list, &count, &err);
    if (st == RC_OK)
        free(list);
    if (st == RC_OK && count > 0)
        st = rc_device_open_gpu(0, THREADS, &d, &err);
    if (!d)
        printf("# no GPU: %s\n", st < 0 ? err.text : "none is visible");
    if (!d && must && strcmp(must, "1") == 0)
        fail_msg("ROWCAST_GPU=1, but: %s", st < 0 ? err.text : "there is no GPU");
    return d;
}
