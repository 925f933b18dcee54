/** \file device/cuda/data_type.h  Value types as the vendor's libraries name them. */
#ifndef RC_DEVICE_CUDA_DATA_TYPE_H
#define RC_DEVICE_CUDA_DATA_TYPE_H

#include "base/type.h"

#include <library_types.h>

/** The name of a type of the list.  A type without one here does not compile. */
static inline cudaDataType rc_cuda_data_type(rc_precision_t t)
{
    static const cudaDataType types[] = {[RC_FP32] = CUDA_R_32F,
        [RC_FP64] = CUDA_R_64F,
        [RC_BF16] = CUDA_R_16BF,
        [RC_FP16] = CUDA_R_16F,
        [RC_C64] = CUDA_C_32F,
        [RC_C128] = CUDA_C_64F};
    _Static_assert(sizeof types / sizeof *types == RC_TYPES, "a name for each type");
    return types[t];
}

#endif
