/** \file format/parts.h  Long rows that are computed in parts, whose sums are added at the end. */
#ifndef RC_FORMAT_PARTS_H
#define RC_FORMAT_PARTS_H

#include <stdint.h>

/** A row in more than one part. */
typedef struct rc_long_row {
    int32_t row;   /**< of the output */
    int32_t first; /**< number of its first part */
    int32_t parts;
} rc_long_row_t;

#endif
