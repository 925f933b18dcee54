/** \file dropin/heard.h  Words of the host that the device writes to.
 *
 *  Asking for such memory may wait for the whole device, so it is asked for once, and handed out in
 *  pieces. */
#ifndef RC_DROPIN_HEARD_H
#define RC_DROPIN_HEARD_H

#include <stdint.h>

/** Pieces that there are. */
enum { RC_HEARD_PIECES = 512 };

/** What the host hears of a plan, or of a pattern that is summed. */
typedef struct rc_heard {
    volatile uint64_t equal; /**< number of the newest check that found the pattern of the plan, of
                                  those that are told */
    volatile uint64_t differs;     /**< of the newest that did not */
    volatile uint64_t other_equal; /**< likewise of comparisons */
    volatile uint64_t other_differs;
    volatile uint64_t columns; /**< sums of a pattern */
    volatile uint64_t pointers;
    volatile uint64_t summed; /**< 1: they are there */
    uint64_t unused;
} rc_heard_t;

#ifdef __cplusplus
extern "C" {
#endif

/** A piece, zeroed, which every device can write to where the host reads it.  Any thread.
 *  \param[in] awaited  1: the device will set `summed`, and until then the piece is not handed out
 *          again  \return NULL: there is none */
rc_heard_t *rc_heard_new(int awaited);

/** Which one it is, from 0: of pieces that are awaited no two are the same. */
int rc_heard_number(const rc_heard_t *h);

/** The memory is gone with its context: there will be other, and nothing of this is touched. */
void rc_heard_lost(void);

/** Give it back; NULL is allowed.  Of one that is not awaited nothing writes to it any more. */
void rc_heard_free(rc_heard_t *h);

#ifdef __cplusplus
}
#endif

#endif
