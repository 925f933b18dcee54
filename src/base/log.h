/** \file base/log.h  Talk on stderr: "hh:mm:ss rank level area: message".  Results never go here.
 *  The log is a value that is passed, not a global. */
#ifndef RC_BASE_LOG_H
#define RC_BASE_LOG_H

#include "rowcast.h"
#include <stdio.h>

typedef enum rc_log_level {
    RC_LOG_ERROR = 0,
    RC_LOG_WARN = 1,
    RC_LOG_INFO = 2,
    RC_LOG_DEBUG = 3
} rc_log_level_t;

typedef struct rc_log {
    FILE *stream;         /**< borrowed; NULL: silent */
    rc_log_level_t level; /**< the most talkative level that is printed */
    int rank;             /**< printed before the level; negative: not printed */
} rc_log_t;

/** Write one line, in one write; does nothing for a NULL log or a level beyond its own. */
void rc_log(const rc_log_t *log, rc_log_level_t level, const char *area, const char *fmt, ...)
    RC_PRINTF(4, 5);

#endif
