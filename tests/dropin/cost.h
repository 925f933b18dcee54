/** \file tests/dropin/cost.h  Times of products on a GPU, for programs that are run by hand. */
#ifndef RC_TESTS_DROPIN_COST_H
#define RC_TESTS_DROPIN_COST_H

#include "dropin/engine.h"
#include "rowcast_io.h"

#include <cuda_runtime_api.h>

typedef struct cost {
    const rc_engine_t *engine;
    cudaStream_t stream;
    cudaEvent_t at[2];
    void *ahead; /**< memory that is cleared first: the host is ahead of the stream then */
} cost_t;

/** Read [-k K] MATRIX...
 *  \param[in,out] k  what K is where nobody says  \return index of the first matrix; 0: the usage was said */
int cost_arguments(int argc, char **argv, int64_t *k);

/** Matrices from `first` on, each by `work`.  \return 0, or 1 with a line where one cannot be read */
int cost_each(int argc, char **argv, int first, void (*work)(void *user, const char *name, const rc_csr_t *m), void *user);

/** \return 77 with a line where there is no GPU, else 0 */
int cost_begin(cost_t *c);

/** Ends the program where e is not 0.  \param[in] what  was done */
void cost_check(int e, const char *what);

/** A copy on the device.  \param[in] from  NULL: zeros */
void *cost_copy(const void *from, size_t bytes);

/** Integers of so many bytes each, there as those of `want` bytes. */
void *cost_integers(const void *from, int bytes, int64_t n, int want);

/** Free what cost_copy has made. */
void cost_free(const void *p);

/** A matrix there, with values of fp32 that are small integers.  \param[in] bytes  of indices */
rc_plan_matrix_t cost_matrix(const rc_csr_t *m, int bytes);

/** Median of us a run, of the device, and of the host until the call returns. */
double cost_time(const cost_t *c, void (*work)(void *), void *arg, double *host);

#endif
