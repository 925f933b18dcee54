/** \file model/domain.h  What a model knows: operation, K, precisions, layouts, device and range of
 *  features of its training rows, and what of a request is outside of that. */
#ifndef RC_MODEL_DOMAIN_H
#define RC_MODEL_DOMAIN_H

#include "base/str.h"
#include "model/model.h"

/** Say which K the training rows had.
 *  \param[in] k     [count] in any order, also several times, >= 1;  \param[in] is_n  K = n too
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_model_set_ks(rc_model_t *m, const int64_t *k, int count, int is_n, rc_err_t *err);

/** 1: the model has an input of that name. */
int rc_model_has_input(const rc_model_t *m, const char *name);

/** "fp32, fp64 and bf16": the value types of the training rows. */
void rc_model_types_text(const rc_model_t *m, rc_str_t *out);

/** How a request stands to what a model was fitted on.  A K is inside when the fit had it: as a
 *  number, between two numbers where K is an input of the model, or as n where the K asked for is
 *  n_col.  An input is inside of the range that its training rows had.  A model that does not say
 *  its K (files of version 1) knows any.
 *  \param[in] k       0: no K;  \param[in] cols  n_col of the matrix
 *  \param[in] device  class or glob; NULL: that of the model
 *  \param[in] value   [inputs] raw; NULL: K and device alone
 *  \param[in,out] out  names what is outside, at most four of them, with what is known; may be NULL
 *  \return how many are outside */
int rc_model_outside(const rc_model_t *m, int64_t k, int64_t cols, const char *device,
    const double *value, rc_str_t *out);

#endif
