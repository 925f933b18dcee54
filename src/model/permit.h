/** \file model/permit.h  Which classes of a model a caller can take. */
#ifndef RC_MODEL_PERMIT_H
#define RC_MODEL_PERMIT_H

#include "model/model.h"

/** Device memory that a class needs for a matrix at K columns, estimated: the prepared matrix as
 *  plain CSR times what the class took over that in training (2 when the model does not know), and
 *  the dense operands.  In bytes. */
double rc_model_memory(const rc_model_t *m, int c, const rc_csr_t *a, const rc_request_t *r);

/** Mark the classes that fit the constraints of a request.
 *  \param[out] permitted  [classes];  \param[out] reference  see rc_choice_t
 *  \return RC_OK, RC_EINVAL (a list that is none), RC_ENOTSUP (none fits, or C in an order that the
 *          model does not know: the text says what there is), RC_ENOMEM */
rc_status_t rc_model_permit(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *r,
    unsigned char *permitted, int *reference, rc_err_t *err);

#endif
