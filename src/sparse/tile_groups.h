/** \file sparse/tile_groups.h  Entries of dense tiles by groups of neighbouring rows: a column that
 *  any row of a group has in a tile is kept once, with a value for each of its rows, 0 where a row
 *  has no such entry.  A product that takes a group at a time loads what belongs to a column once.
 *  All local. */
#ifndef RC_SPARSE_TILE_GROUPS_H
#define RC_SPARSE_TILE_GROUPS_H

#include "sparse/tile_parts.h"

enum { RC_TILE_GROUP_MAX = 4 }; /**< rows of a group */

typedef struct rc_tile_group_size {
    int64_t rows;    /**< of a group; the last one of a panel may have fewer */
    int64_t ptrs;    /**< pairs of a group and a tile of its panel */
    int64_t columns; /**< of all groups and tiles; each has `rows` values */
} rc_tile_group_size_t;

typedef struct rc_tile_groups {
    rc_pool_t pool; /**< of the arrays */
    rc_tile_group_size_t size;
    rc_tile_panel_t *panel; /**< [panels] as those of the parts, with places of groups in `ptr` */
    int64_t *ptr;  /**< [ptrs + 1] columns before: of group g of a panel and its tile t at panel.ptr
                        + g * tiles + t */
    uint16_t *col; /**< [columns] local, in the order of the columns of the matrix */
    void *val;     /**< [columns][rows] */
} rc_tile_groups_t;

/** Count.
 *  \param[in] order  as the tiles were found
 *  \param[in] rows   1 to RC_TILE_GROUP_MAX
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + slots). */
rc_status_t rc_tile_groups_measure(const rc_csr_t *a, const rc_schedule_t *order,
    const rc_tiles_t *t, int64_t rows, rc_tile_group_size_t *out, rc_err_t *err);

/** Make the groups.
 *  \param[in]  tile_col   columns of the tiles, see rc_tiles_t.col
 *  \param[in]  size       as they were counted
 *  \param[out] out        free with rc_tile_groups_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + slots). */
rc_status_t rc_tile_groups_build(const rc_tile_parts_t *p, const rc_tile_rule_t *rule,
    const int32_t *tile_col, const rc_tile_group_size_t *size, rc_tile_groups_t *out,
    rc_err_t *err);

void rc_tile_groups_free(rc_tile_groups_t *g);

#endif
