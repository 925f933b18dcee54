/** \file format/cuda/keep.h  Arrays of a format in the memory of a state: made on the device where
 *  the problem has its matrix there, else on the host and uploaded. */
#ifndef RC_FORMAT_CUDA_KEEP_H
#define RC_FORMAT_CUDA_KEEP_H

#include "device/memory.h"
#include "format/places.h"

/** Arrays on their way.  After an error nothing more is done, and arrays are NULL. */
typedef struct rc_keeping {
    rc_memory_t *m;
    const rc_problem_t *p;
    rc_places_t places;
    void *val; /**< [stored] room for values, which rc_keep_end fills */
    int64_t stored;
    rc_status_t st;
    rc_err_t *err;
} rc_keeping_t;

/** End with rc_keep_end. */
rc_keeping_t rc_keep_begin(rc_memory_t *m, const rc_problem_t *p, rc_err_t *err);

/** A copy of an array on the host, or room where it is NULL.  \param[in] bytes  of an element
 *  \return device memory; NULL without elements */
void *rc_keep_array(rc_keeping_t *k, const void *from, size_t count, size_t bytes);

/** The same with zeros in the place of room. */
void *rc_keep_zeros(rc_keeping_t *k, const void *from, size_t count, size_t bytes);

/** Pointers as numbers of 4 or 8 bytes, or room for them.
 *  \param[in,out] ptr  [count] of no use after this: they are narrowed in place; NULL: room
 *  \param[in] bytes  of a pointer in the memory */
void *rc_keep_pointers(rc_keeping_t *k, int64_t *ptr, int64_t count, int bytes);

/** Room for so many values, k->val, and for their places, k->places.
 *  \param[in] entry  places on the host, until rc_keep_end; NULL: room for them
 *  \return where they are to be made, or NULL: on the host */
void *rc_keep_values(rc_keeping_t *k, const void *entry, int64_t count);

/** The same in the matrix's own order. */
void rc_keep_own_values(rc_keeping_t *k);

/** Copy n places of the host, from number `first` on, where the matrix is not on the device. */
void rc_keep_places(rc_keeping_t *k, int64_t first, const void *from, int64_t n);

/** Place and value i in memory of the executor; NULL: not there. */
void *rc_keep_place_at(const rc_keeping_t *k, int64_t i);
void *rc_keep_value_at(const rc_keeping_t *k, int64_t i);

/** Zeros on the host for an array that is made there; free().
 *  \return NULL where the matrix is on the device, and after an error */
void *rc_keep_host(rc_keeping_t *k, size_t count, size_t bytes, const char *what);

/** Put the values there, and wait where the matrix is on the device: that is part of the time to
 *  prepare.  \return the first error, or RC_OK */
rc_status_t rc_keep_end(rc_keeping_t *k);

/** Pointers as numbers of 4 bytes, in their own memory.  \return `ptr` */
void *rc_narrow_pointers(int64_t *ptr, int64_t count);

#endif
