/** \file device/cpu/simd.h  Instruction sets that the CPU kernels are compiled for.  A kernel
 *  includes its template once per value type and set, and picks an instance by the lanes that the
 *  device found, so no loader support (ifunc) is needed. */
#ifndef RC_DEVICE_CPU_SIMD_H
#define RC_DEVICE_CPU_SIMD_H

#if defined(__x86_64__) && defined(__GNUC__)
#define RC_SIMD_X86 1
#define RC_TARGET_AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx2,fma,f16c")))
#define RC_TARGET_AVX2 __attribute__((target("avx2,fma,f16c")))
#else
#define RC_SIMD_X86 0
#endif

/** SIMD lanes in fp32 of this CPU.  \param[out] isa  "base", "avx2", "avx512"; static storage */
int rc_simd_lanes32(const char **isa);

/** Index into a table of instances for the lanes (of fp32) of a device: 0 base, 1 AVX2, 2 AVX-512.
 */
static inline int rc_simd_level(int lanes32)
{
#if RC_SIMD_X86
    return lanes32 >= 16 ? 2 : lanes32 >= 8 ? 1 : 0;
#else
    (void)lanes32;
    return 0;
#endif
}

#endif
