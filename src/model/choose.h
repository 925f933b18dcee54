/** \file model/choose.h  rc_choose, with the values that it went by. */
#ifndef RC_MODEL_CHOOSE_H
#define RC_MODEL_CHOOSE_H

#include "model/model.h"

/** Features that are there already, and what was made of them. */
typedef struct rc_choice_features {
    const double *feature; /**< [features of the set of the model]; NULL: they are computed */
    double ns;             /**< that they took */
    double *told;          /**< out: [m->inputs] raw, in the order of m->input, also set when the
                                order fails; NULL: not told */
} rc_choice_features_t;

/** As rc_choose, from features of the matrix that the caller has; NULL: none, none told. */
rc_status_t rc_choose_featured(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    const rc_choice_features_t *features, rc_choice_t *out, rc_err_t *err);

/** The same without the order, which is not built: `schedule` is empty.
 *  \param[in] a  where the features are given its sizes alone are read */
rc_status_t rc_choose_class(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    const rc_choice_features_t *features, rc_choice_t *out, rc_err_t *err);

/** Whether rc_choose would answer, as far as that is known without features: operation, precision,
 *  K, device, constraints.  \return RC_OK, else as rc_choose */
rc_status_t rc_choose_possible(
    const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request, rc_err_t *err);

/** Products after which class c has paid for what it needs over the reference: the smallest whole
 *  N >= 0 from which on extra + setup[c] + N time[c] <= setup[r] + N time[r], r the reference.
 *  \param[in] extra  ns spent besides (features and prediction)
 *  \return N, 0 for the reference itself, INFINITY when it never does, NaN when a time is NaN */
double rc_break_even(int reference, const double *time, const double *setup, double extra, int c);

/** Predicted ns of class i in total: setup, `reuse` products, and for all but the reference
 *  features and prediction. */
double rc_choice_total(const rc_choice_t *c, double reuse, int i);

/** Device memory that a class needs for a matrix at K columns, estimated: the prepared matrix as
 *  plain CSR times what the class took over that in training (2 when the model does not know), and
 *  the dense operands.  In bytes. */
double rc_model_memory(const rc_model_t *m, int c, const rc_csr_t *a, const rc_request_t *r);

#endif
