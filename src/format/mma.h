/** \file format/mma.h  A matrix in slot order for the tensor cores of a GPU, on the host: panels of
 *  16 slots by their distinct columns, as dense tiles of 16 x 16 places in the order in which the
 *  lanes of a warp hold matrix A of `mma.m16n8k16`.
 *
 *  Source: PTX ISA, "Matrix Fragments for mma.m16n8k16"; panels by distinct columns as TC-GNN, Wang
 *  et al. 2023 (USENIX ATC). */
#ifndef RC_FORMAT_MMA_H
#define RC_FORMAT_MMA_H

#include "base/rng_hash.h"
#include "format/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_MMA_ROWS = 16, /**< of a panel, and of a tile */
    RC_MMA_COLS = 16, /**< of a tile */
    RC_MMA_PLACES = RC_MMA_ROWS * RC_MMA_COLS
};

typedef struct rc_mma {
    int64_t panels; /**< the last one may hold slots that do not exist: zeros */
    int64_t tiles;
    int32_t *ptr; /**< [panels + 1] first tile */
    int32_t
        *col;    /**< [tiles * RC_MMA_COLS] distinct columns, increasing in a panel; what is left of
                       the last tile of a panel repeats the last one, without entries */
    void *entry; /**< [tiles * RC_MMA_PLACES] places of values (format/places.h) */
    int entry_bytes;
} rc_mma_t;

/** Where a tile has row r of its panel in its column i: lane * 8 + register * 2 + half.  Lane 4 g +
 *  t has, of rows g and g + 8, columns 4 t to 4 t + 3.  As the sum over the columns of a tile may
 *  be taken in any order, these are columns 2 t, 2 t + 1, 2 t + 8, 2 t + 9 of the instruction. */
RC_HOST_DEVICE static inline int rc_mma_place(int r, int i)
{
    const int lane = r % 8 * 4 + i / 4;
    const int reg = r / 8 + i % 4 / 2 * 2;
    return lane * 8 + reg * 2 + i % 2;
}

/** Panels of the matrix. */
int64_t rc_mma_panels(const rc_problem_t *p);

/** RC_OK; RC_ENOTSUP for more tiles than 32 bits can number. */
rc_status_t rc_mma_check(int64_t tiles, rc_err_t *err);

/** Tiles that the matrix takes.  \param[in] threads  >= 1
 *  \return 0 without entries.  Cost O(16 nnz). */
int64_t rc_mma_count(const rc_problem_t *p, int threads);

/** Bytes of the arrays, but for places, with that many tiles; INT64_MAX when that overflows. */
int64_t rc_mma_bytes(const rc_problem_t *p, int64_t tiles);

/** \param[in] threads  >= 1  \param[out] out  free with rc_mma_free
 *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP (more than INT32_MAX tiles) */
rc_status_t rc_mma_build(const rc_problem_t *p, int threads, rc_mma_t *out, rc_err_t *err);
void rc_mma_free(rc_mma_t *m);

#ifdef __cplusplus
}
#endif
#endif
