/** \file sweep/selection.h  Whether what was selected can be swept, and is the same for all ranks;
 *  what is swept again. */
#ifndef RC_SWEEP_SELECTION_H
#define RC_SWEEP_SELECTION_H

#include "base/expr.h"
#include "sweep/session.h"
#include "sweep/sweep.h"

/** Collective.
 *  \return RC_OK; RC_EINVAL: a list is empty or too long, or a rank sees another collection than
 *          rank 0; RC_ERANGE: a name is too long */
rc_status_t rc_selection_check(const rc_session_t *s, const rc_sweep_config_t *c, rc_err_t *err);

/** Compile --redo, one expression over two kinds of rows: fields that a kind lacks are no error as
 *  long as the other kind has them.
 *  \param[in]  text            NULL: nothing is redone
 *  \param[out] cases, sources  free with rc_expr_free(); NULL where there is none
 *  \return RC_OK, or as rc_expr_compile */
rc_status_t rc_selection_redo(
    const char *text, rc_expr_t **cases, rc_expr_t **sources, rc_err_t *err);

#endif
