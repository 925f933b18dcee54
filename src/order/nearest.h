/** \file order/nearest.h  Nearest rows, taken one by one: the engine of the greedy policies.
 *  Exact, but for rc_nearest_limit.
 *
 *  It holds a set of rows and answers: which of those left has the smallest distance
 *  d(R, S) = |b(R)| + |b(S)| - 2 |b(R) & b(S)| to a reference row R, and takes that row out.  The
 *  answer is exact and, with the tie rule, unique.
 *
 *  How.  Rows of equal mask (and equal load, where the tie rule looks at loads) form a *unit*, a
 *  list in index order; only its first row, the head, is ever a candidate.  While the mask of R
 *  has rows left, one of them is nearest (d = 0).  Otherwise the lines of b(R) are split in two:
 *
 *  - sparse lines have an inverted list of the units that need them.  Walking the lists of R
 *    counts the common sparse lines of all units that share at least one: the *touched* units.
 *    Units that are used up leave a list the next time it is walked.
 *  - dense lines, those in so many masks that walking their list costs more than a popcount over
 *    all units, are packed into words: the *signature*.  Units of one signature form a bucket,
 *    sorted by sparse size into *levels*, and by load into *cells*, each with its rows in index
 *    order.
 *
 *  Among the untouched units of a bucket d = popcount(sig(R) xor sig) + sparse(R) + sparse(S), so
 *  that only the first level with rows left matters, and there the tie rule.  Which of its rows
 *  are touched need not be known: a touched row is closer by twice its common lines than this
 *  value, hence when the level holds one, the touched row found above wins strictly and the value
 *  of the level is never used.
 *
 *  Buckets are sorted by the popcount of their signature, and scanned outwards from that of R
 *  until the difference alone exceeds the best distance found.
 *
 *  Cost.  With n_l the masks that have line l: sum of n_l^2 / 2 over sparse lines, plus for dense
 *  ones (units x signatures / 2) popcounts; the dense lines are chosen to make the sum small. */
#ifndef RC_ORDER_NEAREST_H
#define RC_ORDER_NEAREST_H

#include "order/mask.h"

/** What decides among equally close rows; the smallest index always comes last. */
typedef enum rc_nearest_tie {
    RC_NEAREST_INDEX = 0, /**< nothing but the index */
    RC_NEAREST_LOAD = 1,  /**< the load nearest to an aim */
    RC_NEAREST_SECOND = 2 /**< the distance to a second reference row */
} rc_nearest_tie_t;

/** Maps that engines over parts of one matrix use one after the other. */
typedef struct rc_nearest_maps {
    rc_pool_t pool;
    int32_t *line;  /**< [lines] */
    int32_t *group; /**< [groups] */
} rc_nearest_maps_t;

/** \return RC_OK or RC_ENOMEM; free the pool, whatever the outcome */
rc_status_t rc_nearest_maps_alloc(const rc_masks_t *m, rc_nearest_maps_t *out, rc_err_t *err);

typedef struct rc_nearest rc_nearest_t;

/** Put n rows into an engine.  At most one engine at a time may use `maps`.
 *  \param[in] m, load  of the whole matrix, borrowed
 *  \param[in] rows     [n] row indices, increasing; borrowed while the engine lives
 *  \param[in] dense_lines  how many of the densest lines to pack; negative: by cost; never changes
 *                          a result
 *  \return RC_OK or RC_ENOMEM; free with rc_nearest_free before the maps */
rc_status_t rc_nearest_create(const rc_masks_t *m, const int32_t *load, rc_nearest_tie_t tie,
    const int32_t *rows, int64_t n, int64_t dense_lines, rc_nearest_maps_t *maps,
    rc_nearest_t **out, rc_err_t *err);

/** Bound the work of every rc_nearest_take from now on, as policy_greedy.c says: the row is no
 *  longer always the nearest.  Call it before the first take, on an engine made with dense_lines 0.
 *  \param[in] look  entries of lists that a take counts at most, >= 1
 *  \param[in] rank  [rows of the matrix] a permutation: of rows of one mask, and of the rows of the
 *                   fewest lines, the one of the smallest rank comes first; only read here
 *  \return RC_OK or RC_ENOMEM (free the engine).  Memory 28 bytes a unit and 1 a line of the
 *      matrix. */
rc_status_t rc_nearest_limit(rc_nearest_t *nn, int64_t look, const int32_t *rank, rc_err_t *err);

/** Take the row nearest to row `ref` of the matrix (which need not be in the engine).
 *  \param[in] aim     RC_NEAREST_LOAD: the load to be near to
 *  \param[in] second  RC_NEAREST_SECOND: the second reference row, or -1 for none
 *  \return the row, or -1 when none is left.  Allocates nothing. */
int32_t rc_nearest_take(rc_nearest_t *nn, int32_t ref, int32_t aim, int32_t second);

void rc_nearest_free(rc_nearest_t *nn);

#endif
