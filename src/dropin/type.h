/** \file dropin/type.h  What the drop-in asks of a value type.  It is made of the list of types
 *  alone: the library that is preloaded has no code of the others. */
#ifndef RC_DROPIN_TYPE_H
#define RC_DROPIN_TYPE_H

#include "base/type.h"

typedef struct rc_dropin_type {
    const char *name;
    int bytes;
    rc_precision_t sum;  /**< of sums and scalars */
    rc_precision_t part; /**< as of rc_type_t */
    int parts;
} rc_dropin_type_t;

/** \param[in] t  of the list */
const rc_dropin_type_t *rc_dropin_type(rc_precision_t t);

#endif
