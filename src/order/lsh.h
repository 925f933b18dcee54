/** \file order/lsh.h  Rows that share columns side by side: clusters of rows by their Jaccard
 *  similarity, candidates by locality-sensitive hashing.  Jiang et al. 2020, section 3.2 and
 *  Algorithm 3; what the paper leaves open is at the top of lsh.c and cluster.c.  All local. */
#ifndef RC_ORDER_LSH_H
#define RC_ORDER_LSH_H

#include "order/pairs.h"
#include "order/policy.h"
#include "rowcast.h"

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

/** The rule that parameters of lsh or jiang give. */
rc_lsh_rule_t rc_lsh_rule_of(const rc_params_t *params);

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

/** Rows of equal columns are one unit: of g rows every full `size` are a closed cluster, what is
 *  left is the unit, represented by its first row.  Empty rows stay alone and are no units.
 *  \param[out] out  free with rc_units_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows log rows). */
rc_status_t rc_units_find(
    const rc_csr_t *a, int64_t size, int threads, rc_units_t *out, rc_err_t *err);

void rc_units_free(rc_units_t *u);

/** Pairs of units that are similar enough, by the bands of their signatures.
 *  \param[out] seen    all of them; free with rc_pair_set_free, whatever the outcome
 *  \param[out] list    likewise, in any order; free with rc_pair_list_free
 *  \param[in]  in      told how far it is, up to a->rows, and asked after each band; NULL: nobody
 *  \param[out] facts   candidates, pairs and bands
 *  \return RC_OK, RC_ENOMEM (with the bytes), RC_EINTR.  Cost O(siglen nnz + candidates * row
 *      length). */
rc_status_t rc_lsh_pairs(const rc_csr_t *a, const rc_units_t *units, const rc_lsh_rule_t *rule,
    int threads, const rc_order_input_t *in, rc_pair_set_t *seen, rc_pair_list_t *list,
    rc_lsh_facts_t *facts, rc_err_t *err);

/** What finds the pairs: rc_lsh_pairs, or a device that finds the same. */
typedef struct rc_lsh_finder {
    /** As rc_lsh_pairs; a list that is sorted is not sorted again. */
    rc_status_t (*find)(const struct rc_lsh_finder *f, const rc_csr_t *a, const rc_units_t *units,
        const rc_lsh_rule_t *rule, rc_pair_set_t *seen, rc_pair_list_t *list, rc_lsh_facts_t *facts,
        rc_err_t *err);
    int threads;                /**< of the host, >= 1 */
    const rc_order_input_t *in; /**< as of rc_lsh_pairs */
    void *of;                   /**< its own */
} rc_lsh_finder_t;

/** Merge clusters along pairs, the most similar first (Algorithm 3).
 *  \param[in,out] units  their clusters afterwards
 *  \param[in]     seen   as rc_lsh_pairs left it
 *  \param[in,out] list   likewise; used up
 *  \param[in]     in     asked now and then; NULL: nobody
 *  \return RC_OK, RC_ENOMEM, RC_EINTR.  Cost O(pairs log size log pairs). */
rc_status_t rc_lsh_merge(const rc_csr_t *a, rc_units_t *units, int64_t size, int threads,
    const rc_pair_set_t *seen, rc_pair_list_t *list, const rc_order_input_t *in, rc_err_t *err);

/** The order: clusters by their representing rows, in each the rows in original order; one level of
 *  groups, cluster_ptr.
 *  \param[in]  a        its values are not looked at and may be NULL
 *  \param[in]  threads  >= 1; the result does not depend on it
 *  \param[out] placed   how far it is; may be NULL
 *  \param[out] facts    may be NULL
 *  \return RC_OK, RC_EINVAL (see rc_lsh_check), RC_ENOMEM.  Memory beside the matrix: about 60
 *          bytes a row, 8 a column, 32 a pair. */
rc_status_t rc_lsh_schedule(const rc_csr_t *a, const rc_lsh_rule_t *rule, int threads,
    _Atomic int64_t *placed, rc_schedule_t *out, rc_lsh_facts_t *facts, rc_err_t *err);

/** As rc_lsh_schedule, with the pairs of a finder; RC_EINTR where its input says so. */
rc_status_t rc_lsh_schedule_by(const rc_csr_t *a, const rc_lsh_rule_t *rule,
    const rc_lsh_finder_t *by, rc_schedule_t *out, rc_lsh_facts_t *facts, rc_err_t *err);

/** The policies lsh and jiang with the pairs of a finder (rc_policy_t.build).  Of the input only
 *  the matrix, the parameters and the facts are looked at. */
rc_status_t rc_lsh_build(
    const rc_order_input_t *in, const rc_lsh_finder_t *by, rc_schedule_t *out, rc_err_t *err);
rc_status_t rc_jiang_build(
    const rc_order_input_t *in, const rc_lsh_finder_t *by, rc_schedule_t *out, rc_err_t *err);

/** The finder of the host. */
rc_lsh_finder_t rc_lsh_here(int threads, const rc_order_input_t *in);

#endif
