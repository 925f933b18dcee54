/** \file order/local.h  What the orders mincol, minlabel, labels, cells and multilevel share: the
 *  integer arithmetic, inline, so that a GPU builds exactly the order that the host builds (the
 *  steps of the host are in steps.h); inner header of the room, but for the folder cuda.
 *
 *  They look at the first RC_LOCAL_LOOK entries of a row only, which bounds what a long row costs,
 *  and go from row to row through columns, so that no transpose is needed and row and column
 *  numbers need not agree.  All of it is minima and counts of integers: the order of threads does
 *  not matter. */
#ifndef RC_ORDER_LOCAL_H
#define RC_ORDER_LOCAL_H

#include "base/rng_hash.h"

#include <stdint.h>

enum {
    RC_LOCAL_LOOK = 64,  /**< entries of a row that count: the first ones */
    RC_LOCAL_VOTES = 32, /**< of these, entries that vote for a label */
    RC_LOCAL_ROUND_BITS = 8,
    RC_LOCAL_CELL_BITS = 23, /**< cells at most: 2^23 */
    RC_LOCAL_ROUNDS = 254    /**< of a search, at most */
};

/** Neither a label nor a key. */
#define RC_LOCAL_NONE UINT32_MAX

/** A permutation of the 32-bit numbers: the finaliser of MurmurHash3 (Appleby, public domain). */
RC_HOST_DEVICE static inline uint32_t rc_local_hash(uint32_t x)
{
    x = (x ^ (x >> 16)) * UINT32_C(0x85ebca6b);
    x = (x ^ (x >> 13)) * UINT32_C(0xc2b2ae35);
    return x ^ (x >> 16);
}

/** The number whose rc_local_hash is x. */
RC_HOST_DEVICE static inline uint32_t rc_local_unhash(uint32_t x)
{
    x = (x ^ (x >> 16)) * UINT32_C(0x7ed1b41d);
    x = (x ^ (x >> 13) ^ (x >> 26)) * UINT32_C(0xa5cb9243);
    return x ^ (x >> 16);
}

/** Entries of a row that count. */
RC_HOST_DEVICE static inline int rc_local_length(int64_t begin, int64_t end)
{
    return end - begin < RC_LOCAL_LOOK ? (int)(end - begin) : (int)RC_LOCAL_LOOK;
}

/** Seed number k of the numbers [0, n): one of [k size, (k + 1) size), by a hash. */
RC_HOST_DEVICE static inline int64_t rc_local_seed(int64_t k, int64_t size, int64_t n)
{
    int64_t room = n - k * size < size ? n - k * size : size;
    return k * size + rc_local_hash((uint32_t)k) % room;
}

/* ------------------------------------------------------------------- votes */

/** Which entry of a row of `length` entries that count is vote v, v < rc_local_votes(length). */
RC_HOST_DEVICE static inline int rc_local_vote(int v, int length)
{
    return length <= RC_LOCAL_VOTES ? v : v * length / RC_LOCAL_VOTES;
}

RC_HOST_DEVICE static inline int rc_local_votes(int length)
{
    return length < RC_LOCAL_VOTES ? length : (int)RC_LOCAL_VOTES;
}

/** The number that a row draws in a round; a column listens to the row of the smallest. */
RC_HOST_DEVICE static inline uint32_t rc_local_draw(uint32_t row, int round)
{
    return rc_local_hash(row + (uint32_t)round * UINT32_C(0x9e3779b9));
}

/** The row that drew a number. */
RC_HOST_DEVICE static inline uint32_t rc_local_drawer(uint32_t draw, int round)
{
    return rc_local_unhash(draw) - (uint32_t)round * UINT32_C(0x9e3779b9);
}

/** The rank of a label with that many votes; the largest wins.  Ties: the smaller hash. */
RC_HOST_DEVICE static inline uint64_t rc_local_rank(int votes, uint32_t label)
{
    return (uint64_t)votes << 32 | (UINT32_MAX - rc_local_hash(label));
}

/** The label of a rank. */
RC_HOST_DEVICE static inline uint32_t rc_local_winner(uint64_t rank)
{
    return rc_local_unhash(UINT32_MAX - (uint32_t)rank);
}

/* ------------------------------------------------------------------- cells */

/** The key of what is reached in a round from a cell: smaller rounds first, then smaller cells. */
RC_HOST_DEVICE static inline uint32_t rc_local_key(uint32_t round, uint32_t cell)
{
    return round << (32 - RC_LOCAL_ROUND_BITS) | cell;
}

RC_HOST_DEVICE static inline uint32_t rc_local_round(uint32_t key)
{
    return key >> (32 - RC_LOCAL_ROUND_BITS);
}

RC_HOST_DEVICE static inline uint32_t rc_local_cell(uint32_t key)
{
    return key & ((UINT32_C(1) << (32 - RC_LOCAL_ROUND_BITS)) - 1);
}

/** Every so many times fewer rows link the cells of the next level: these are fewer, and each has
 *  more rows. */
RC_HOST_DEVICE static inline int64_t rc_local_thinning(int64_t branch)
{
    return branch < 4 ? 1 : branch / 2;
}

/* -------------------------------------------------------------------- runs */

enum {
    RC_LOCAL_RUN = 64,  /**< slots of a run */
    RC_LOCAL_RUNS = 256 /**< runs of an order that are looked at, at most */
};

/** Runs that are looked at of that many rows. */
RC_HOST_DEVICE static inline int64_t rc_local_runs(int64_t rows)
{
    return rows / RC_LOCAL_RUN < RC_LOCAL_RUNS ? rows / RC_LOCAL_RUN : (int64_t)RC_LOCAL_RUNS;
}

/** The first slot of run i of so many. */
RC_HOST_DEVICE static inline int64_t rc_local_run(int64_t i, int64_t runs, int64_t rows)
{
    return i * rows / runs;
}

/** Sums over samples. */
typedef struct rc_sharing {
    int64_t entries;
    int64_t distinct; /**< columns, each once a sample */
} rc_sharing_t;

/** What a matrix says to samples (sample.h). */
typedef struct rc_local_samples {
    rc_sharing_t run;
    rc_sharing_t ball;
    rc_sharing_t column;
    rc_sharing_t agreement; /**< entries, and those that agree */
    int64_t longest;        /**< entries of the longest row */
} rc_local_samples_t;

/** A row of more entries is long, and left out of balls and of the rows of a column. */
RC_HOST_DEVICE static inline double rc_local_limit(int64_t rows, int64_t nnz)
{
    return 4 * (double)nnz / (double)rows + 8;
}

/** 1: rows next to each other share few columns. */
RC_HOST_DEVICE static inline int rc_local_apart(int64_t entries, int64_t distinct)
{
    return 4 * entries < 5 * distinct;
}

/** 1: they share a tenth more in another order. */
RC_HOST_DEVICE static inline int rc_local_better(
    int64_t entries, int64_t distinct, int64_t entries_other, int64_t distinct_other)
{
    return 9 * entries_other * distinct >= 10 * entries * distinct_other;
}

/** 1: the longest row has more than 128 times the entries of the mean, as in graphs of a power
 *  law. */
RC_HOST_DEVICE static inline int rc_local_skewed(int64_t rows, int64_t nnz, int64_t longest)
{
    return longest > 128 * nnz / rows;
}

/** 1: rows share at least as much as others. */
RC_HOST_DEVICE static inline int rc_local_as_good(const rc_sharing_t *x, const rc_sharing_t *other)
{
    return x->entries * other->distinct >= other->entries * x->distinct;
}

/** 1: the order mincol is good enough not to look for one by neighbours: it is better than the
 *  original one, and neither the rows near each other in the graph nor those of a column share
 *  more. */
RC_HOST_DEVICE static inline int rc_local_mincol(
    const rc_local_samples_t *all, const rc_sharing_t *mincol)
{
    return rc_local_better(
               all->run.entries, all->run.distinct, mincol->entries, mincol->distinct) &&
           rc_local_as_good(mincol, &all->ball) && rc_local_as_good(mincol, &all->column);
}

/** 1: balls share hardly more than the rows next to each other in the order multilevel, which is
 *  not so on meshes: as in graphs of communities, whose neighbourhoods lead out of them. */
RC_HOST_DEVICE static inline int rc_local_leaks(
    const rc_sharing_t *multilevel, const rc_sharing_t *ball)
{
    return !rc_local_better(
        multilevel->entries, multilevel->distinct, ball->entries, ball->distinct);
}

/** 1: the order labels found communities: its rows share a twentieth more. */
RC_HOST_DEVICE static inline int rc_local_labels(
    const rc_sharing_t *multilevel, const rc_sharing_t *labels)
{
    return 20 * labels->entries * multilevel->distinct >=
           21 * multilevel->entries * labels->distinct;
}

#endif
