/** \file sweep/threads.h  Threads are part of the class of a CPU, since times depend on them, and
 *  N_w, which orders are made for.  So a rank that has other CPUs than that of an earlier sweep has
 *  another class, and measures all anew: this finds out before it does. */
#ifndef RC_SWEEP_THREADS_H
#define RC_SWEEP_THREADS_H

#include "sweep/worklist.h"

/** What a store holds of a selection under the class of a device with other threads. */
typedef struct rc_other_threads {
    char class_name[160];
    int threads;
    int64_t cases; /**< 0: nothing */
} rc_other_threads_t;

/** Threads of a device class that differs from that of a device in nothing else, and is not its
 *  own; 0: it is another kind of class. */
int rc_threads_of_class(const rc_device_t *d, const char *class_name);

/** The class with other threads under which a store holds most of a selection.
 *  \param[in] d  a CPU; of other devices nothing is found
 *  \param[in] known  of the store, as for rc_worklist_make
 *  \return RC_OK, RC_ENOMEM.  Cost: a work list for each such class in the store */
rc_status_t rc_threads_find(const rc_sweep_config_t *c, const rc_device_t *d, const rc_view_t *v,
    rc_map_t *known, rc_other_threads_t *out, rc_err_t *err);

/** Say in one line when all cases of a work list are new for that reason, and how to match the
 *  store.
 *  \param[in] v  NULL: there is no store */
rc_status_t rc_threads_tell(const rc_sweep_config_t *c, const rc_device_t *d, const rc_view_t *v,
    rc_map_t *known, const rc_worklist_t *work, const rc_log_t *log, rc_err_t *err);

#endif
