#include "config.h"
#include "device/cuda/nvml.h"
#include "base/alloc.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of NVML's stable interface (NVIDIA, NVML API reference), what is used here: success is 0. */
enum { NVML_OK = 0, NVML_TOO_SMALL = 7 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_TEMPERATURE_GPU = 0 };
/* bits of the clock event reasons that hold nothing back: the GPU idles; a display clock */
static const unsigned long long not_throttled = 0x1ULL | 0x100ULL;

typedef void *nvml_device_t;
typedef int nvml_plain_fn(void);
typedef int nvml_text_fn(char *out, unsigned size);
typedef int nvml_find_fn(const char *id, nvml_device_t *out);
typedef int nvml_figure_fn(nvml_device_t gpu, int which, unsigned *out);
typedef int nvml_reasons_fn(nvml_device_t gpu, unsigned long long *out);
typedef int nvml_list_fn(nvml_device_t gpu, unsigned *count, void *out);

struct rc_nvml {
    void *library;
    nvml_device_t gpu;
    nvml_plain_fn *shutdown;
    nvml_figure_fn *clock;
    nvml_figure_fn *temperature;
    nvml_reasons_fn *reasons;
    nvml_list_fn *processes; /* any of the four may be NULL */
};

/* Stores the address of a function in the pointer at `fn`; NULL when the library has none. */
static int find(void *library, const char *name, void *fn)
{
    void *address = dlsym(library, name);
    memcpy(fn, &address, sizeof address); /* C has no cast from an object to a function pointer */
    return address != NULL;
}

static int find_gpu(void *library, const char *uuid, const char *pci, nvml_device_t *gpu)
{
    nvml_find_fn *by_uuid;
    nvml_find_fn *by_pci;
    return (find(library, "nvmlDeviceGetHandleByUUID", &by_uuid) &&
               by_uuid(uuid, gpu) == NVML_OK) ||
           (find(library, "nvmlDeviceGetHandleByPciBusId_v2", &by_pci) &&
               by_pci(pci, gpu) == NVML_OK);
}

/* The library, started; NULL when there is none.  Free with rc_nvml_close. */
static rc_nvml_t *start(void)
{
    void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    nvml_plain_fn *init;
    rc_nvml_t *nvml = rc_alloc0(1, sizeof *nvml, "the management library", NULL);
    if (!nvml || !find(library, "nvmlInit_v2", &init) ||
        !find(library, "nvmlShutdown", &nvml->shutdown) || init() != NVML_OK) {
        free(nvml);
        dlclose(library);
        return NULL;
    }
    nvml->library = library;
    return nvml;
}

rc_nvml_t *rc_nvml_open(const char *uuid, const char *pci)
{
    rc_nvml_t *nvml = start();
    if (!nvml)
        return NULL;
    void *library = nvml->library;
    if (!find_gpu(library, uuid, pci, &nvml->gpu)) {
        rc_nvml_close(nvml);
        return NULL;
    }
    find(library, "nvmlDeviceGetClockInfo", &nvml->clock);
    find(library, "nvmlDeviceGetTemperature", &nvml->temperature);
    if (!find(library, "nvmlDeviceGetCurrentClocksEventReasons", &nvml->reasons))
        find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml->reasons); /* before 535 */
    if (!find(library, "nvmlDeviceGetComputeRunningProcesses_v3", &nvml->processes))
        find(library, "nvmlDeviceGetComputeRunningProcesses_v2", &nvml->processes);
    return nvml;
}

/* Processes that compute on it beside this one; NaN: unknown.  Without room for them it counts. */
static double others_of(const rc_nvml_t *nvml)
{
    unsigned count = 0;
    int st = nvml->processes ? nvml->processes(nvml->gpu, &count, NULL) : -1;
    if (st != NVML_OK && st != NVML_TOO_SMALL)
        return NAN;
    return count > 0 ? count - 1 : 0;
}

void rc_nvml_driver(char *out, unsigned size)
{
    nvml_text_fn *version;
    rc_nvml_t *nvml = start();
    if (!nvml || !find(nvml->library, "nvmlSystemGetDriverVersion", &version) ||
        version(out, size) != NVML_OK)
        out[0] = '\0';
    rc_nvml_close(nvml);
}

static double figure(nvml_figure_fn *fn, nvml_device_t gpu, int which)
{
    unsigned value = 0;
    return fn && fn(gpu, which, &value) == NVML_OK ? (double)value : NAN;
}

void rc_nvml_read(const rc_nvml_t *nvml, rc_device_state_t *out)
{
    *out = rc_device_state_unknown();
    if (!nvml)
        return;
    out->clock_mhz = figure(nvml->clock, nvml->gpu, NVML_CLOCK_SM);
    out->memory_clock_mhz = figure(nvml->clock, nvml->gpu, NVML_CLOCK_MEM);
    out->temperature_c = figure(nvml->temperature, nvml->gpu, NVML_TEMPERATURE_GPU);
    unsigned long long reasons = 0;
    if (nvml->reasons && nvml->reasons(nvml->gpu, &reasons) == NVML_OK)
        out->throttle = (int64_t)(reasons & ~not_throttled);
    out->others = others_of(nvml);
    if (isnan(out->others))
        return;
    out->cpus = 1;
    out->crowded = out->others > 0;
}

void rc_nvml_close(rc_nvml_t *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}
