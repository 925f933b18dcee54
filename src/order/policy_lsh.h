/** \file order/policy_lsh.h  The parameters of lsh, which lsh-packed and jiang have too; inner
 *  header of the room. */
#ifndef RC_ORDER_POLICY_LSH_H
#define RC_ORDER_POLICY_LSH_H

#include "order/lsh.h"
#include "order/policy.h"

#include <math.h>

/** Rows of a table of parameters, the first RC_LSH_PARAMS of it.
 *  \param[in] rows  default of `size` */
#define RC_LSH_PARAM_ROWS(rows)                                                                    \
    {"siglen", "values of a signature, a multiple of bsize", 128, 1, 4096, 0},                     \
        {"bsize", "values of a band", 2, 1, 4096, 0},                                              \
        {"size", "rows from which on a cluster is closed", rows, 1, INT32_MAX, 0},                 \
        {"seed", "of the hashes", 1, 0, INT32_MAX, 0},                                             \
        {.name = "sim_min",                                                                        \
            .help = "least similarity of a pair; auto: (bsize/siglen)^(1/bsize)",                  \
            .type = RC_PARAM_REAL,                                                                 \
            .real = NAN,                                                                           \
            .real_min = 0,                                                                         \
            .real_max = 1,                                                                         \
            .choices = rc_lsh_automatic},                                                          \
        {"window", "units of a bucket that each is compared with, 0: all", 8, 0, INT32_MAX, 0},    \
    {                                                                                              \
        "pair_max", "pairs per unit that end the search, 0: none", 256, 0, INT32_MAX, 0            \
    }

enum { RC_LSH_PARAMS = 7, RC_LSH_SIZE = 256 /* default of `size`, but for lsh-packed */ };

extern const char *const rc_lsh_automatic[]; /**< the word of sim_min for a number worked out; ends
                                                  with NULL */

/** rc_policy_t.identify of lsh and lsh-packed. */
rc_status_t rc_lsh_identify(const rc_params_t *params, char *text, rc_err_t *err);

#endif
