/** \file kernels/cpu/kokkos_spmv.h  What kernel kokkos calls of Kokkos Kernels, which is C++. */
#ifndef RC_KERNELS_CPU_KOKKOS_SPMV_H
#define RC_KERNELS_CPU_KOKKOS_SPMV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of the host's execution space once it is begun, which the first call does; 0: it does not begin.
 *  Kokkos has one state for the process.  \param[in] threads  asked for  \param[out] why  [size] where it is 0 */
int rc_kokkos_threads(int threads, char *why, size_t size);

/** A matrix over arrays that must outlive it.
 *  \param[in] ptr  [rows + 1]  \param[in] val  [ptr[rows]], float or double
 *  \return NULL: see why; free with rc_kokkos_free */
void *rc_kokkos_new(int32_t rows, int32_t cols, int32_t *ptr, int32_t *col, void *val, int wide, char *why,
    size_t size);

void rc_kokkos_free(void *matrix, int wide);

/** y = alpha A x + beta y.  \return 0; -1: see why */
int rc_kokkos_spmv(const void *matrix, int wide, double alpha, const void *x, double beta, void *y, char *why, size_t size);

#ifdef __cplusplus
}
#endif
#endif
