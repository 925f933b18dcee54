/** \file device/cuda/nvml.h Clocks, temperature and throttling of a GPU. The driver's management
 *  library is opened at run time, so that a machine without it loses these figures and nothing
 *  else. */
#ifndef RC_DEVICE_CUDA_NVML_H
#define RC_DEVICE_CUDA_NVML_H

#include "device/device.h"

typedef struct rc_nvml rc_nvml_t;

/** Open the management library for one GPU.
 *  \param[in] uuid  "GPU-..."  \param[in] pci  bus id, tried when the uuid is not known
 *  \return NULL when there is no library, no such GPU or no memory.  Free with rc_nvml_close. */
rc_nvml_t *rc_nvml_open(const char *uuid, const char *pci);

/** Read the state; what cannot be read is NaN, or -1.  Takes some 10 us.
 *  \param[in] nvml  may be NULL */
void rc_nvml_read(const rc_nvml_t *nvml, rc_device_state_t *out);

/** The driver's own version in out[size]; "" when there is no library to ask. */
void rc_nvml_driver(char *out, unsigned size);

void rc_nvml_close(rc_nvml_t *nvml);

#endif
