/** \file sparse/generate/form.h  What can be asked of every generated matrix, whoever made it:
 *  how many entries, how symmetric, with which diagonal, in which numbering.  Inner header. */
#ifndef RC_SPARSE_GENERATE_FORM_H
#define RC_SPARSE_GENERATE_FORM_H

#include "rowcast.h"

enum { RC_DIAGONAL_KEEP, RC_DIAGONAL_NONE, RC_DIAGONAL_FULL };
enum { RC_SHUFFLE_NONE, RC_SHUFFLE_ROWS, RC_SHUFFLE_COLS, RC_SHUFFLE_BOTH };

/** The keys that all generators share, with their values. */
typedef struct rc_form {
    int64_t seed;
    int64_t shuffle;      /**< RC_SHUFFLE_* */
    int64_t shuffle_seed; /**< of the permutations; -1: seed */
    int64_t entries;      /**< -1: as many as come */
    int64_t diagonal;     /**< RC_DIAGONAL_* */
    double symmetry;      /**< share of the entries off the diagonal whose mirror image is there
                               too, 0 to 1; -1: as it comes */
} rc_form_t;

/** Give the matrix the diagonal, the symmetry and the number of entries, in this order of rank:
 *
 *  - diagonal (square only): all of it, none, or as it is;
 *  - symmetry (square only): (i, j) comes in wherever (j, i) is, and of as many pairs as it takes
 *    one side goes.  With symmetry 1 and an odd number of entries left for pairs the last entry
 *    of the diagonal is taken out, or put in;
 *  - entries: too many are thinned out by a seeded choice; missing ones are added row after row,
 *    each row as many, in the columns nearest to one that it has.
 *
 *  \param[in,out] a  replaced; on failure freed.  Values are those of the seed at their places
 *  \return RC_OK; RC_EINVAL: such a matrix does not exist; RC_ENOMEM.
 *  Cost a few passes over the entries, in parallel; memory 32 bytes an entry and 44 a row, the
 *  matrix included. */
rc_status_t rc_form_fit(const rc_form_t *f, rc_csr_t *a, rc_err_t *err);

/** Renumber rows, columns, or both by seeded permutations: row i goes to row p(i), its values with
 *  it.  Both: one permutation for the two of a square matrix, so that its symmetry, diagonal and
 *  graph stay; one for each of a rectangular one.
 *  \param[in,out] a  replaced; on failure freed
 *  \return RC_OK or RC_ENOMEM.  Memory twice the matrix. */
rc_status_t rc_form_shuffle(const rc_form_t *f, rc_csr_t *a, rc_err_t *err);

#endif
