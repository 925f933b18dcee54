/** \file feature/feature.h  Feature sets.  A set is one file that ends in one constant descriptor,
 *  and one line in src/feature/feature.am. */
#ifndef RC_FEATURE_FEATURE_H
#define RC_FEATURE_FEATURE_H

#include "rowcast.h"

/** What a feature costs to compute. */
typedef enum rc_feature_cost {
    RC_COST_SHAPE = 0, /**< O(1) */
    RC_COST_ROWS = 1,  /**< O(rows), from row_ptr */
    RC_COST_NNZ = 2    /**< O(nnz) */
} rc_feature_cost_t;

typedef struct rc_feature {
    const char *name; /**< "nnz_per_row_min" */
    const char *unit; /**< "entries", "lines", "1", ... */
    rc_feature_cost_t cost;
    const char *help; /**< one sentence: the exact meaning */
} rc_feature_t;

/** What follows from the features of a set once the product is known: figures that trees cannot
 *  make of features themselves, as how many threads a launch has.  A model takes them as inputs; a
 *  store has none of them, for they cost nothing. */
typedef struct rc_feature_product {
    int count;
    const rc_feature_t *input; /**< [count] names that no feature of the set has; `cost` says
                                    nothing */
    /** \param[in]  feature  [features of the set]
     *  \param[in]  k  columns of B; 0: of an operation without K;  \param[in] value_bytes  of one
     *  \param[out] out  [count] finite where the features are.  Local.  Cost: O(count). */
    void (*compute)(const double *feature, double k, double value_bytes, double *out);
} rc_feature_product_t;

typedef struct rc_feature_set {
    const char *name; /**< "mehrabi" */
    const char *summary;
    const char *source;
    int version; /**< bump when a number may change */
    int count;
    const rc_feature_t *feature; /**< [count] */
    /** \param[in] geometry  never NULL; threads >= 1
     *  \param[out] out  [count]; the same for every `threads` */
    rc_status_t (*compute)(
        const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err);
    const rc_feature_product_t *product; /**< NULL: none */
} rc_feature_set_t;

/** All feature sets; NULL-terminated. */
extern const rc_feature_set_t *const rc_feature_sets[];

/** The set of that name, or NULL. */
const rc_feature_set_t *rc_feature_set_find(const char *name);

/** Where `name` stands among some features: the search begins at `from` and goes round, so that
 *  names in the order of the features are found at once.  \return its number, -1: it is not
 *      there */
int rc_feature_index(const rc_feature_t *feature, int count, const char *name, int from);

/** The feature of that name, or else the input of a product; NULL: neither. */
const rc_feature_t *rc_feature_find(const rc_feature_set_t *set, const char *name);

/** 1: the name is that of an input of a product of the set. */
int rc_feature_is_of_product(const rc_feature_set_t *set, const char *name);

/** Entries plus rows below which a pass over a matrix is made by one thread, for every set: on a
 *  busy machine a team waits for its last thread as long as a core is somebody else's, some 100 ms;
 *  so what one thread does in a millisecond it does alone.  Measured with 2 threads on 2 cores at a
 *  load of 18, 40,000 entries: one time in ten 110 ms or more, alone 0.2 ms. */
enum { RC_FEATURE_ALONE = 1 << 18 };

/** Threads that pay for a pass over the entries of a matrix: at least 1, at most `threads` and the
 *  rows, and 1 below RC_FEATURE_ALONE.
 *  \param[in] tables  entries that take as long as filling and merging the tables of a thread */
int rc_feature_threads(const rc_csr_t *a, int64_t tables, int threads);

#endif
