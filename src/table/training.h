/** \file table/training.h  The matrices that the parameters of a kernel are chosen on, after Hong
 *  et al. 2018, section 4.2: of those with at least 100,000 entries, by increasing number of
 *  entries, every 20th; where fewer than 40 would come out, of those with at least 10,000 every
 *  5th.  They enter no table about what was chosen.  Local. */
#ifndef RC_TABLE_TRAINING_H
#define RC_TABLE_TRAINING_H

#include "table/view.h"

/** A matrix to choose from. */
typedef struct rc_training_matrix {
    int64_t nnz;
    const char *name; /**< of equal numbers of entries the smaller name comes first; borrowed */
    int32_t id;       /**< for the caller */
    int chosen;       /**< out: 1 */
} rc_training_matrix_t;

/** Sort the matrices by entries and name, and choose.  \return how many are chosen.  Cost: a
 *  sort. */
int64_t rc_training_choose(rc_training_matrix_t *list, int64_t n);

/** Those that are named (rc_view_take_training), which may be none of the store; where nobody named
 *  any, choose of the matrices of the store.
 *  \param[out] marks  [rc_view_matrices] 1: chosen; free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_training_of(const rc_view_t *v, unsigned char **marks, rc_err_t *err);

#endif
