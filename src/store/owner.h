/** \file store/owner.h  Who holds a lock or writes a journal, and whether it still does, without a
 *  word of the file system's: a line that names the process, and a sign of life (a new time of
 *  change of the file) every RC_OWNER_BEAT_NS, which counts by the clock of the process that looks.
 *  Local; private to src/store. */
#ifndef RC_STORE_OWNER_H
#define RC_STORE_OWNER_H

#include "rowcast.h"

enum { RC_OWNER_LINE = 512 /**< bytes of a line with its NUL */ };

/** Between two signs of life. */
#define RC_OWNER_BEAT_NS INT64_C(10000000000)

/** Without a sign of life for so long an owner elsewhere is taken for gone, unless the caller says
 *  otherwise: longer than a beat and the attribute cache of NFS (at most 60 s, and read anew by
 *  open()). */
#define RC_OWNER_SILENT_NS INT64_C(60000000000)

/** A process, and one thing that it owns. */
typedef struct rc_owner {
    int64_t pid;
    int64_t start; /**< of the process, ticks since the machine's; 0 unknown */
    char host[129];
    char since[21];   /**< UTC */
    char machine[97]; /**< boot and process space, within which pid and start say all */
    char id[33];      /**< of this ownership: random */
} rc_owner_t;

/** This process, with a new id.  \return RC_OK, RC_EIO */
rc_status_t rc_owner_make(rc_owner_t *out, rc_err_t *err);

/** The line of an owner, with its line feed. */
void rc_owner_put(const rc_owner_t *o, char line[RC_OWNER_LINE]);

/** The reverse.  \param[in] text  NUL-terminated
 *  \return 1; 0: it is no whole line of an owner */
int rc_owner_get(const char *text, rc_owner_t *out);

typedef enum rc_owner_state {
    RC_OWNER_GONE,      /**< nobody writes there any more */
    RC_OWNER_ALIVE,     /**< it lives, or has just given a sign */
    RC_OWNER_ELSEWHERE, /**< on another machine: time will tell */
    RC_OWNER_UNKNOWN    /**< nobody left a name */
} rc_owner_state_t;

rc_owner_state_t rc_owner_state(const rc_owner_t *o);

/** Whether a file gives signs of life; zero-initialise. */
typedef struct rc_pulse {
    int64_t since_ns; /**< when it was first seen as it is, 0 never */
    int64_t mtime_ns;
    int64_t size;
} rc_pulse_t;

/** Look at a file again.
 *  \param[in] silent_ns  how long without a change means gone
 *  \return RC_OWNER_ALIVE: it has changed since the first look; RC_OWNER_GONE: it has not for so
 *          long, or is not there any more; RC_OWNER_ELSEWHERE: look again */
rc_owner_state_t rc_pulse_look(rc_pulse_t *p, const char *path, int64_t silent_ns);

typedef struct rc_beat rc_beat_t;

/** Give signs of life by a thread of its own, which sleeps nearly always.
 *  \param[in] fd  of the file, borrowed until rc_beat_stop
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_beat_start(int fd, rc_beat_t **out, rc_err_t *err);

/** NULL is allowed. */
void rc_beat_stop(rc_beat_t *b);

#endif
