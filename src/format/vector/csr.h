/** \file format/vector/csr.h  Plain CSR: nothing is built; how many lanes take a row. */
#ifndef RC_FORMAT_VECTOR_CSR_H
#define RC_FORMAT_VECTOR_CSR_H

#include "format/format.h"

/** The parameter `lanes`, also of kernels. */
#define RC_CSR_LANES_PARAM                                                                         \
    {                                                                                              \
        .name = "lanes",                                                                           \
        .help = "that take a row together; auto: the smallest power of two >= mean row",           \
        .value = RC_CSR_LANES_AUTO, .min = 1, .max = RC_CSR_LANES_MAX, .pow2 = 1,                  \
        .choices = rc_csr_lanes_names                                                              \
    }
extern const char *const rc_csr_lanes_names[];

enum { RC_CSR_LANES_AUTO = -1, RC_CSR_LANES_MAX = 32 };

/** Lanes for `auto`: the smallest power of two that is at least the mean entries of a row, and at
 *  most 32; 1 without rows. */
int64_t rc_csr_lanes(const rc_csr_view_t *e, int64_t lanes);

#endif
