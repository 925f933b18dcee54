/* The types of real numbers, which are those of commands and files. */
#ifndef RC_TESTS_REAL_TYPES_H
#define RC_TESTS_REAL_TYPES_H

#include "base/type.h"

enum { REAL_TYPES = 0 RC_FOR_EACH_REAL(RC_TYPE_COUNTED) };

/* Type i of them, over and over. */
static inline rc_precision_t real_type(int64_t i)
{
#define REAL_TYPE_ID(id, suffix) id,
    static const rc_precision_t of[] = {RC_FOR_EACH_REAL(REAL_TYPE_ID)};
#undef REAL_TYPE_ID
    return of[i % REAL_TYPES];
}

#endif
