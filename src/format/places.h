/** \file format/places.h  Where the values of a format come from.  A format has no values: it
 *  says for each of its places the number of an entry of A plus one, or 0 for padding.  One
 *  gather puts values of any type there, when a matrix is prepared and for new values alike. */
#ifndef RC_FORMAT_PLACES_H
#define RC_FORMAT_PLACES_H

#include "device/memory.h"
#include "format/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rc_places {
    rc_executor_t *x; /**< of `at` and of the values */
    void *at;         /**< [count] in its memory, owned; NULL: not there */
    const void *host; /**< [count] on the host; NULL: not there.  Neither: the matrix's own order */
    void *own;        /**< `host` where it is not borrowed */
    int bytes;        /**< of one of them: 4 or 8 */
    int64_t count;
} rc_places_t;

/** Bytes of a place: 4 where 32 bits number the entries, else 8. */
int rc_places_bytes(const rc_csr_t *a);

/** Write place i of an array of them.  \param[in] number  of an entry, from 0 on; -1: padding */
static inline void rc_place_put(void *place, int bytes, int64_t i, int64_t number)
{
    if (bytes == 4)
        ((int32_t *)place)[i] = (int32_t)(number + 1);
    else
        ((int64_t *)place)[i] = number + 1;
}

/** Places of a problem.
 *  \param[in]  host  [count], stays until rc_places_fill; NULL: room that is left open, in memory
 *                    of the executor where the problem has its matrix there, else on the host
 *  \param[out] out   end with rc_places_fill or rc_places_free, after an error too
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_places_keep(rc_executor_t *x, const rc_problem_t *p, const void *host, int64_t count,
    rc_places_t *out, rc_err_t *err);

/** Copy n places from the host into the room, from number `first` on.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_places_put(
    rc_places_t *places, int64_t first, const void *from, int64_t n, rc_err_t *err);

/** Those of the matrix's own order, without an array. */
rc_places_t rc_places_own(rc_executor_t *x, const rc_problem_t *p);

/** Put the values of the problem's matrix there, in its precision; asked for and on a GPU not
 *  waited for. Where the problem asks for the places they are p->places from now on, in place of
 *  others; else they are released.
 *  \param[out] val     [count] in memory of the executor
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(count). */
rc_status_t rc_places_fill(const rc_problem_t *p, rc_places_t *places, void *val, rc_err_t *err);

/** Room for values in the memory of a state, and those of the problem's matrix.
 *  \param[in]  host  [count] places; NULL: the matrix's own order
 *  \param[out] val   [count]  \return as rc_places_fill */
rc_status_t rc_places_values(rc_memory_t *m, const rc_problem_t *p, const void *host, int64_t count,
    void **val, rc_err_t *err);

/** The values that the matrix of a problem has on the host.  \param[out] out  [nnz] */
void rc_places_read(const rc_problem_t *p, double *out);

/** Transpose the matrix of a problem, with the values that it has on the host.
 *  \param[out] out  free with rc_csr_free; without values where the problem has its own
 *  \param[out] val  those, [nnz] of their type, free(); NULL: they are in `out`
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + cols). */
rc_status_t rc_places_transpose(const rc_problem_t *p, rc_csr_t *out, void **val, rc_err_t *err);

/** A zeroed one is allowed. */
void rc_places_free(rc_places_t *places);

#ifdef __cplusplus
}
#endif
#endif
