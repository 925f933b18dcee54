/** \file cmd/ticker.h  Says now and then how far a long call is: a thread that prints while another
 *  one works.  In place on a terminal, else a line every few seconds. */
#ifndef RC_CMD_TICKER_H
#define RC_CMD_TICKER_H

#include "rowcast.h"
#include <stdatomic.h>
#include <stdio.h>

typedef struct rc_ticker rc_ticker_t;

/** Begin to report on `out`, from a second on.
 *  \param[in] what  is being done: "cta"
 *  \param[in] done  how much of `all`, written by who works; stays 0 where that is not known: the
 *                   time alone is shown.  Borrowed, like `what`, until rc_ticker_stop
 *  \return NULL when there is no memory or thread for it: nothing is shown, and nothing is lost */
rc_ticker_t *rc_ticker_start(
    FILE *out, const char *command, const char *what, const _Atomic int64_t *done, int64_t all);

/** End it, and clear the line on a terminal; NULL is allowed. */
void rc_ticker_stop(rc_ticker_t *t);

#endif
