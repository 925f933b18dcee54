#include "config.h"
#include "cmd/open_device.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_command_open_device(const char *word, int threads, rc_device_t **out, rc_err_t *err)
{
    const char *name = word ? word : "auto";
    rc_gpu_info_t *list = NULL;
    rc_err_t why = {0};
    int gpus = 0;
    if (strcmp(name, "cpu") != 0 && strcmp(name, "cuda") != 0 && strcmp(name, "auto") != 0)
        return rc_fail(err, RC_EINVAL, "--device: expected cpu, cuda or auto, found '%.40s'", name);
    rc_status_t st = strcmp(name, "cpu") == 0 ? RC_OK : rc_gpu_list(&list, &gpus, &why);
    free(list);
    if (strcmp(name, "cuda") == 0 && (st < 0 || gpus == 0))
        return rc_fail(err, RC_EDEVICE, "--device cuda: %s", st < 0 ? why.text : "there is no GPU");
    return st == RC_OK && gpus > 0 ? rc_device_open_gpu(0, threads, out, err)
                                   : rc_device_open_cpu(threads, out, err);
}
