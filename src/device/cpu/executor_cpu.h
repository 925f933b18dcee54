/** \file device/cpu/executor_cpu.h  What the CPU's device asks of its executor. */
#ifndef RC_DEVICE_CPU_EXECUTOR_CPU_H
#define RC_DEVICE_CPU_EXECUTOR_CPU_H

/** SIMD lanes in fp32 of this CPU.  \param[out] isa  "base", "avx2", "avx512"; static storage */
int rc_simd_lanes32(const char **isa);

#endif
