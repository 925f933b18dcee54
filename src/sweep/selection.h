/** \file sweep/selection.h  Whether what was selected can be swept, and is the same for all ranks;
 *  what is swept again; what there is to say about it before. */
#ifndef RC_SWEEP_SELECTION_H
#define RC_SWEEP_SELECTION_H

#include "base/expr.h"
#include "base/log.h"
#include "sweep/session.h"
#include "sweep/sweep.h"
#include "table/view.h"

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

/** Name the kernels of the vendor's library whose csr a store has, and that are not selected: they
 *  are not timed again beside what is added.  Local.
 *  \param[in] class_name  of the device  \param[in] v  NULL: there is no store
 *  \return how many; without memory none is named */
int rc_selection_unselected(
    const rc_sweep_config_t *c, const char *class_name, const rc_view_t *v, const rc_log_t *log);

/** See on every rank that a file of rank 0 is there, with what rank 0 reads in it: a folder of the
 *  same name on a node's own disk is another folder.  On network file systems a new file may be
 *  seen late, so it is looked for for 10 s.  Collective.
 *  \param[in] dir, name  of the file; it holds what no other has, in its first 255 bytes
 *  \return RC_OK; RC_EIO, with host and folder in the text; RC_ENOMEM, RC_EMPI.  Cost: one
 *      broadcast */
rc_status_t rc_selection_folder(
    const rc_session_t *s, const char *dir, const char *name, rc_err_t *err);

/** A warning for each tuning of a kernel that was made for something else than what is measured:
 *  each line once.  Local.
 *  \return RC_OK, RC_ENOMEM.  Cost: reads the file for each kernel, K and precision. */
rc_status_t rc_selection_notice(
    const rc_sweep_config_t *c, const rc_device_t *d, const rc_log_t *log, rc_err_t *err);

#endif
