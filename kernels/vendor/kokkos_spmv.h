/** \file kernels/vendor/kokkos_spmv.h  What kernel kokkos calls of Kokkos Kernels, which is C++. */
#ifndef RC_KERNELS_VENDOR_KOKKOS_SPMV_H
#define RC_KERNELS_VENDOR_KOKKOS_SPMV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Threads of the host's execution space once it is begun, which the first call does; 0: it does
 *  not begin. Kokkos has one state for the process.  \param[in] threads  asked for  \param[out]
 *  why  [size] where it is 0 */
int rc_kokkos_threads(int threads, char *why, size_t size);

/** Of a value type. */
typedef struct rc_kokkos {
    /** A matrix over arrays that must outlive it.
     *  \param[in] ptr  [rows + 1]  \param[in] val  [ptr[rows]]
     *  \return NULL: see why; release with `drop` */
    void *(*make)(
        int32_t rows, int32_t cols, int32_t *ptr, int32_t *col, void *val, char *why, size_t size);
    void (*drop)(void *matrix);
    /** y = alpha A x + beta y.  \return 0; -1: see why */
    int (*multiply)(const void *matrix, double alpha, const void *x, double beta, void *y,
        char *why, size_t size);
} rc_kokkos_t;

extern const rc_kokkos_t rc_kokkos_f32;
extern const rc_kokkos_t rc_kokkos_f64;

#ifdef __cplusplus
}
#endif
#endif
