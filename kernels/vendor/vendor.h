/** \file kernels/vendor/vendor.h  The kernels that are the vendor's library, cuSPARSE and cuBLAS
 *  on a GPU and oneMKL on a CPU: what others are held against.  Local; also in builds without
 *  them, which read stores of others. */
#ifndef RC_KERNELS_VENDOR_VENDOR_H
#define RC_KERNELS_VENDOR_VENDOR_H

#include <stdint.h>

/** 1: a kernel of the library.  \param[in] kernel  its name, with or without parameters */
int rc_vendor_is(const char *kernel);

/** ns that the library takes about to preprocess a matrix of so many entries for a kernel; 0: not
 *  at all, or little.  \param[in] kernel  likewise */
double rc_vendor_setup_ns(const char *kernel, int64_t nnz);

/** What the library that a kernel is of is called, "cuSPARSE"; NULL: it is of none.
 *  \param[in] kernel  its name, with or without parameters */
const char *rc_vendor_name(const char *kernel);

/** 1: a kernel of the library that has A as a dense matrix. */
int rc_vendor_is_dense(const char *kernel);

/** 1: another one of the library: what a program calls that has a sparse matrix. */
int rc_vendor_is_baseline(const char *kernel);

/** 1: a loop of one thread, as programs have that use no library. */
int rc_vendor_is_loop(const char *kernel);

/** Kernels of the library that a plan times beside its own candidates, as kernel specs; NULL
 *  ends it.  With them and ours the fastest of all its algorithms is never missed by more than 1
 *  % on the matrices of data/results; its default algorithm is seldom the fastest of its own. */
extern const char *const rc_vendor_timed[];

/** 1: an entry of rc_vendor_timed is of an operation ("spmm") and a layout of B and C ("row"), of
 *  which products with a vector have none. */
int rc_vendor_is_for(const char *entry, const char *op, const char *layout);

/** All of its algorithms for products, with and without preprocessing, but the defaults. */
extern const char *const rc_vendor_all[];

/** 1: a kernel is what an entry of rc_vendor_timed names, with more parameters or without. */
int rc_vendor_is_entry(const char *entry, const char *kernel);

/** 1: one of rc_vendor_timed.  \param[in] kernel  with all parameters, as a store has it */
int rc_vendor_is_timed(const char *kernel);

#endif
