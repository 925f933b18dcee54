/* What the functions of rowcast_rows.h refuse alike. */
#ifndef RC_TESTS_UNIT_ROWS_WRONG_H
#define RC_TESTS_UNIT_ROWS_WRONG_H

#include "rowcast_rows.h"

/* rc_extremes_host or rc_softmax_host; x is what it takes. */
typedef rc_status_t rows_fn(const rc_plan_matrix_t *m, const void *x, int threads, rc_err_t *err);

/* A call is refused by a status and one line with a text. */
void rows_refused(rows_fn *call, const rc_plan_matrix_t *m, const void *x, rc_status_t expected, const char *text);

/* NULL, threads and matrices that are none, of arguments that are right.  \param[in] complex  in the text about complex numbers */
void rows_refused_alike(rows_fn *call, const rc_plan_matrix_t *m, const void *x, const char *complex);

#endif
