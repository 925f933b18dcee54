/** \file order/nearest_parts.h  The inside of the nearest-row engine, shared by nearest_build.c
 *  (making it), nearest_find.c (asking it) and nearest_limit.c (asking it with bounded
 *  work).  Rows are numbered locally, 0 .. n-1 by index. */
#ifndef RC_ORDER_NEAREST_PARTS_H
#define RC_ORDER_NEAREST_PARTS_H

#include "base/alloc.h"
#include "order/nearest.h"

#include <stdlib.h>

enum {
    RC_NEAREST_ABSENT = -1,  /**< in maps: a line that no row here has; a group without rows left */
    RC_NEAREST_USED_UP = -1, /**< in rc_nearest.count: no rows left */
    RC_NEAREST_BLOCK = 8     /**< buckets per block of the scan: one word of each side by side */
};

/** What is asked of a unit that may be the nearest, together in memory. */
typedef struct rc_nearest_unit {
    int32_t head; /**< local number of the first row left */
    int32_t sig;  /**< signature */
    int32_t cell;
} rc_nearest_unit_t;

/** A reference row, split as the masks are. */
typedef struct rc_nearest_side {
    int64_t sparse; /**< lines that are not dense, in lists or not */
    int32_t pop;    /**< dense lines */
    uint64_t *word; /**< [words] signature */
    int32_t *slot;  /**< [slots] its lists */
    int64_t slots;
    int64_t entries; /**< in these lists */
} rc_nearest_side_t;

/** Inverted lists of the units. */
typedef struct rc_nearest_lists {
    int64_t *start;   /**< [slots + 1] */
    int32_t *length;  /**< [slots] what is left of each list */
    int32_t *entry;   /**< [start[slots]] units */
    int32_t *touched; /**< [units + 1] by the reference */
    int32_t *other;   /**< the same: tied ones, or touched by the second reference */
    int64_t touches;  /**< filled of touched */
    int64_t ties;     /**< filled of other */
} rc_nearest_lists_t;

/** The nearest row so far: smallest distance, then tie value, then index. */
typedef struct rc_nearest_best {
    int64_t distance;
    int64_t tie;
    int32_t head;
    int64_t level; /**< the last level offered: the smallest distance to untouched rows */
} rc_nearest_best_t;

/** What is asked for. */
typedef struct rc_nearest_query {
    int32_t aim;
    int use_second;
} rc_nearest_query_t;

/** What a limited search has beside; see nearest_limit.c. */
typedef struct rc_nearest_limit rc_nearest_limit_t;

struct rc_nearest {
    rc_pool_t pool; /* of all that follows */
    const rc_masks_t *m;
    const int32_t *load;
    rc_nearest_tie_t tie;
    const int32_t *rows; /* [n] borrowed */
    int64_t n;
    rc_nearest_maps_t *maps;

    /* units, and their rows */
    int64_t units;
    rc_nearest_unit_t *unit; /* [units] */
    int32_t *count;     /* [units] sparse lines in common with the reference; 0 between queries */
    int32_t *size;      /* [units] sparse lines of the mask */
    int32_t *second;    /* [units] the same for the second reference; RC_NEAREST_SECOND only */
    int32_t *unit_row;  /* [n] local rows by unit, then index */
    int64_t *unit_end;  /* [units] */
    int64_t *unit_next; /* [units] position of the head in unit_row */
    int32_t *row_unit;  /* [n] */
    unsigned char *placed; /* [n] */

    /* lines: maps->line holds a slot >= 0, RC_NEAREST_ABSENT, or -2 - bit */
    int64_t present; /* lines that some row here has */
    int32_t *line;   /* [present] */
    int64_t slots;   /* those with a list */
    int64_t words;   /* of a signature */
    rc_nearest_lists_t lists;
    rc_nearest_side_t ref;
    rc_nearest_side_t ref2;
    unsigned char *marked;     /* [m->lines] sparse line of ref2; RC_NEAREST_SECOND only */
    rc_nearest_limit_t *limit; /* of a limited search; else NULL */

    /* signatures, in order of popcount */
    int64_t sigs;
    uint64_t *sig;         /* [sigs * words] */
    int32_t *sig_pop;      /* [sigs] */
    int32_t *sig_level;    /* [sigs] first level with rows left */
    int32_t *sig_end;      /* [sigs] one past its last level */
    int32_t *sig_position; /* [sigs] in the scan */
    int32_t *level_size;   /* [levels] sparse size */
    int32_t *level_left;   /* [levels] rows left */
    int32_t *level_cell;   /* [levels + 1] */
    int32_t *cell_level;   /* [cells] */
    int32_t *cell_sig;     /* [cells] */
    int32_t *cell_load;    /* [cells] */
    int32_t *cell_left;    /* [cells] rows left */
    int64_t *cell_next;    /* [cells] no row before this position of cell_row is left */
    int32_t *cell_row;     /* [n] local rows by cell, then index */

    /* the scan: signatures with rows left, and some without until the next compaction */
    int64_t positions;
    int64_t dead;
    int32_t *position_sig;  /* [positions] */
    int64_t *position_size; /* [positions] sparse size of the first level, or RC_NEAREST_FAR */
    uint64_t *scan;         /* [blocks][words][RC_NEAREST_BLOCK] */
    int64_t *pop_start;     /* [64 * words + 2] first position of each popcount */
    int64_t least;          /* no level is smaller */
};

/** Larger than any distance, small enough to add to. */
/* a signature without rows is FAR away, so a search starts from FAR - 1 */
#define RC_NEAREST_FAR ((int64_t)1 << 60)

/** Take a row as the nearest if it is. */
static inline void rc_nearest_offer(
    rc_nearest_best_t *best, int64_t distance, int64_t tie, int32_t head)
{
    if (distance < best->distance ||
        (distance == best->distance &&
            (tie < best->tie || (tie == best->tie && head < best->head)))) {
        best->distance = distance;
        best->tie = tie;
        best->head = head;
    }
}

/** Whether maps->line has a dense line, and its bit in a signature. */
static inline int rc_nearest_is_dense(int32_t v)
{
    return v < RC_NEAREST_ABSENT;
}

static inline uint32_t rc_nearest_bit(int32_t v)
{
    return (uint32_t)(RC_NEAREST_ABSENT - 1 - v);
}

/** How far the load of a cell is from what is asked for. */
static inline int64_t rc_nearest_load_gap(
    const rc_nearest_t *nn, const rc_nearest_query_t *q, int32_t cell)
{
    return llabs((long long)nn->cell_load[cell] - q->aim);
}

/** First row of a unit, as a row of the matrix: its mask is that of the unit. */
static inline int64_t rc_nearest_model_row(const rc_nearest_t *nn, int64_t unit)
{
    int64_t first = unit ? nn->unit_end[unit - 1] : 0;
    return nn->rows[nn->unit_row[first]];
}

/** Offer the rows that a limited search finds in the lists of nn->ref and next to it.
 *  \param[in] ref  the row of the matrix that nn->ref is of */
void rc_nearest_search_limited(
    rc_nearest_t *nn, const rc_nearest_query_t *q, int64_t ref, rc_nearest_best_t *best);

/** A unit of a limited search has no rows left. */
void rc_nearest_limit_remove(rc_nearest_limit_t *l, int32_t unit);

/** Lay out the scan for the signatures that have rows left. */
void rc_nearest_compact(rc_nearest_t *nn);

/** Distances of a signature to `blocks` blocks of RC_NEAREST_BLOCK signatures.
 *  \param[in]  scan  [blocks][words][RC_NEAREST_BLOCK]
 *  \param[out] out   [blocks * RC_NEAREST_BLOCK] popcount(ref xor signature) */
typedef void rc_nearest_distances_fn(
    const uint64_t *scan, int64_t blocks, int64_t words, const uint64_t *ref, uint64_t *out);
rc_nearest_distances_fn rc_nearest_distances;

/** popcount(a xor b) over n words. */
int64_t rc_nearest_popcount(const uint64_t *a, const uint64_t *b, int64_t n);

/** rc_nearest_distances by one variant: 0 portable, 1 popcnt, 2 AVX-512 VPOPCNTDQ; NULL where the
 *  machine lacks the instructions; for tests. */
rc_nearest_distances_fn *rc_nearest_variant(int variant);

#endif
