/** \file order/lsh.h  Rows that share columns side by side: clusters of rows by their Jaccard
 *  similarity, candidates by locality-sensitive hashing.  Jiang et al. 2020, section 3.2 and
 *  Algorithm 3; what the paper leaves open is at the top of lsh.c and cluster.c.  All local. */
#ifndef RC_ORDER_LSH_H
#define RC_ORDER_LSH_H

#include "base/alloc.h"
#include "order/pairs.h"
#include "order/policy.h"
#include "rowcast.h"

#include <math.h>

typedef struct rc_lsh_rule {
    int64_t siglen;   /**< values of a signature */
    int64_t bsize;    /**< values of a band; divides siglen */
    int64_t size;     /**< rows from which on a cluster is closed */
    int64_t seed;     /**< of the hashes */
    int64_t window;   /**< units of a bucket that each is compared with; 0: all after it */
    int64_t pair_max; /**< pairs per unit from which on no further band is looked at; 0: never */
    double sim_min;   /**< least similarity of a pair; NaN: (bsize / siglen)^(1 / bsize) */
} rc_lsh_rule_t;

/** RC_OK; RC_EINVAL: siglen is not a multiple of bsize. */
rc_status_t rc_lsh_check(const rc_lsh_rule_t *rule, rc_err_t *err);

/** The least similarity of a pair. */
double rc_lsh_sim_min(const rc_lsh_rule_t *rule);

/* ----------------------------------------- parameters of lsh, lsh-packed and jiang */

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

/** The rule that parameters of lsh or jiang give. */
rc_lsh_rule_t rc_lsh_rule_of(const rc_params_t *params);

/** rc_policy_t.identify of lsh and lsh-packed. */
rc_status_t rc_lsh_identify(const rc_params_t *params, char *text, rc_err_t *err);

/* ---------------------------------------------------------------------- clusters */

/** How an order came about. */
typedef struct rc_lsh_facts {
    int64_t units;      /**< rows that are compared: of equal rows one for up to `size` */
    int64_t candidates; /**< looked at, summed over bands */
    int64_t pairs;      /**< kept, each once */
    int64_t bands;      /**< used */
    int64_t clusters;   /**< rows alone included */
    int64_t largest;    /**< rows of the largest cluster */
} rc_lsh_facts_t;

/** Units and the first state of the clusters of rows. */
typedef struct rc_units {
    int64_t count;
    int32_t *row;    /**< [count] representing rows, increasing */
    int32_t *parent; /**< [rows] union-find: a root is its own parent */
    int32_t *size;   /**< [rows] of a root: rows of its cluster */
} rc_units_t;

struct rc_lsh;

/** What finds pairs: rc_lsh_pairs, or a device that finds the same. */
typedef rc_status_t rc_lsh_find_fn(struct rc_lsh *s, rc_err_t *err);

/** Clusters under way: what they are of, borrowed, and what was found.  Zero-initialise but for the
 *  former; free with rc_lsh_free. */
typedef struct rc_lsh {
    const rc_csr_t *a; /**< its values are not looked at and may be NULL */
    const rc_lsh_rule_t *rule;
    int threads; /**< of the host, >= 1; the result does not depend on it */
    const rc_order_input_t
        *in;              /**< told how far it is, up to a->rows, and asked now and then; NULL:
                                     nobody */
    rc_lsh_find_fn *find; /**< NULL: rc_lsh_pairs */
    void *of;             /**< of find */
    rc_pool_t pool;       /**< of the units */
    rc_units_t units;
    rc_pair_set_t seen;  /**< all pairs of the list */
    rc_pair_list_t list; /**< in any order; one that is sorted is not sorted again */
    rc_lsh_facts_t facts;
} rc_lsh_t;

/** Rows of equal columns are one unit: of g rows every full `size` are a closed cluster, what is
 *  left is the unit, represented by its first row.  Empty rows stay alone and are no units.
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows). */
rc_status_t rc_lsh_units(rc_lsh_t *s, rc_err_t *err);

/** Pairs of units that are similar enough, by the bands of their signatures; of the facts
 *  candidates, pairs and bands.
 *  \return RC_OK, RC_ENOMEM (with the bytes), RC_EINTR.  Cost O(siglen nnz + candidates * row
 *      length). */
rc_lsh_find_fn rc_lsh_pairs;

/** Merge clusters along pairs, the most similar first (Algorithm 3).  The list is used up.
 *  \return RC_OK, RC_ENOMEM, RC_EINTR.  Cost O(pairs log size log pairs). */
rc_status_t rc_lsh_merge(rc_lsh_t *s, rc_err_t *err);

/** All of it, and the order: clusters by their representing rows, in each the rows in original
 *  order; one level of groups, cluster_ptr.  Of s the facts remain.
 *  \return RC_OK, RC_EINVAL (see rc_lsh_check), RC_ENOMEM, RC_EINTR.  Memory beside the matrix:
 *          about 60 bytes a row, 8 a column, 32 a pair. */
rc_status_t rc_lsh_schedule(rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err);

void rc_lsh_free(rc_lsh_t *s);

/** The policies lsh and jiang (rc_policy_t.build).  Of the input only the matrix, the parameters
 *  and the facts are looked at.
 *  \param[in] s  matrix and rule are those of the input */
rc_status_t rc_lsh_build(
    const rc_order_input_t *in, rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err);
rc_status_t rc_jiang_build(
    const rc_order_input_t *in, rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err);

#endif
