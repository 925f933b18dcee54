/** \file feature/walk_parts.h  What the walks over a matrix share: what each thread counts over its
 *  rows.  There is one walk for every machine and geometry (walk.c), and one with AVX-512
 *  (walk_avx512.c); both fill the same counts. */
#ifndef RC_FEATURE_WALK_PARTS_H
#define RC_FEATURE_WALK_PARTS_H

#include "feature/walk.h"

/** What one thread counts over its rows. */
typedef struct rc_walk_part {
    int64_t begin; /**< rows [begin, end) */
    int64_t end;
    int64_t *requested;  /**< [lines] transactions; what follows is behind it in one piece */
    uint64_t *warp_bits; /**< [lines][words] warps that touched the line */
    int64_t *load;       /**< [N_w] */
    int64_t *total;      /**< [N_w] */
    int64_t *distinct;   /**< [N_w] of the first part: over all parts, at the end */
    void *scratch;       /**< of the walk, aligned to 64 bytes */
    void *allocated;     /**< free(); NULL when the tables are somebody else's */
    size_t cleared;      /**< bytes from `requested` to behind `distinct` */
    rc_extent_t entries;
    rc_extent_t blocks;
    rc_extent_t distance;
} rc_walk_part_t;

/** Take a value, or the extent of some values, into an extent. */
void rc_extent_add(rc_extent_t *e, int64_t value);
void rc_extent_merge(rc_extent_t *to, const rc_extent_t *from);

/** As rc_walk_matrix, with this many parts (at least 1, at most the rows when there are any), each
 *  walked by a thread, and with AVX-512 or without it.
 *  \param[in] avx512  0, or what rc_walk_avx512_fits says */
rc_status_t rc_walk_with(const rc_csr_t *a, const rc_geometry_t *geometry, int parts, int avx512,
    rc_walk_t *out, rc_err_t *err);

/** Whether this machine has what rc_walk_avx512 needs and the geometry is one that it counts: N_w a
 *  power of two up to 32, N_t and line powers of two, at most 2^24 lines. */
int rc_walk_avx512_fits(const rc_csr_t *a, const rc_geometry_t *g);

/** Bytes of scratch that a part needs. */
size_t rc_walk_avx512_scratch(const rc_csr_t *a, const rc_geometry_t *g);

/** Walk the rows of a part; its counts are zero before. */
void rc_walk_avx512(const rc_csr_t *a, const rc_geometry_t *g, rc_walk_part_t *p);

/** For each of the 64 bits, in how many of n words it is set. */
void rc_count_bits_avx512(const uint64_t *word, int64_t n, int64_t count[64]);

#endif
