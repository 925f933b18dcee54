/** \file dropin/settings.h  What the environment says to the drop-in. */
#ifndef RC_DROPIN_SETTINGS_H
#define RC_DROPIN_SETTINGS_H

#include <stdint.h>

/** Read once, at the first call. */
typedef struct rc_settings {
    int off;            /**< ROWCAST_DROPIN=off: everything is passed through */
    int trust;          /**< ROWCAST_TRUST=preprocess */
    int summary;        /**< ROWCAST_LOG=summary */
    int wait;           /**< ROWCAST_WAIT=1: a plan is made during a call, not beside the program */
    int always;         /**< ROWCAST_WAIT=always: likewise, and kept whatever the times say: for
                          tests */
    double seconds;     /**< ROWCAST_BUDGET=time=S,share=PART,memory=BYTES: of making plans, in the
                          whole process */
    double share;       /**< of the time since the first product, that making plans may take */
    int64_t memory;     /**< bytes of device memory for plans, in the whole process */
    const char *engine; /**< ROWCAST_ENGINE: file name; NULL: the one beside this library */
} rc_settings_t;

/** What the variables say; what they say wrongly is printed once and left at its default. */
rc_settings_t rc_settings_read(void);

#endif
