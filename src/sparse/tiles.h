/** \file sparse/tiles.h  Dense tiles of an order of rows, what is left beside them, and how often a
 *  panel of rows uses a row of B.  Jiang et al. 2020, section 2.3 (adaptive sparse tiling, Hong et
 *  al.  2019); the defaults are those of the authors' programs.  All local.
 *
 *  Slots are cut into panels of `panel`.  A column with at least `col_min` entries in a panel is
 *  dense there.  Dense columns of a panel are taken by decreasing count, then by column; fewer than
 *  `tile_min` make no tile, of more than `tile_cols` a multiple of `tile_cols` is kept, and they
 *  are cut into tiles of `tile_cols`.  The entries of a panel in its tiles are dense, the others
 *  are the sparse part.  A renumbering of columns by the order is not looked at: it moves no entry
 *  from one panel to another. */
#ifndef RC_SPARSE_TILES_H
#define RC_SPARSE_TILES_H

#include "rowcast.h"

/** All from 1. */
typedef struct rc_tile_rule {
    int32_t panel;     /**< slots */
    int32_t col_min;   /**< entries */
    int32_t tile_cols; /**< columns */
    int32_t tile_min;  /**< columns */
} rc_tile_rule_t;

#define RC_TILE_RULE                                                                               \
    {                                                                                              \
        .panel = 128, .col_min = 16, .tile_cols = 128, .tile_min = 17                              \
    }

typedef struct rc_tiles {
    rc_tile_rule_t rule;
    int64_t panels;
    int64_t tiles;
    int64_t *col_ptr;   /**< [panels + 1] where the dense columns of a panel begin in col */
    int64_t *dense_ptr; /**< [panels + 1] dense entries in the panels before */
    int32_t *col;       /**< [col_ptr[panels]] tile after tile, in each by decreasing count */
} rc_tiles_t;

/** Find the tiles.
 *  \param[in]  order    NULL: the original order.  A pad is a slot without entries
 *  \param[in]  threads  >= 1; the result does not depend on it
 *  \param[out] out      free with rc_tiles_free
 *  \return RC_OK, RC_EINVAL (a rule below 1), RC_ENOMEM.  Cost O(nnz + slots), memory a thread
 *          O(entries of a panel). */
rc_status_t rc_tiles_find(const rc_csr_t *a, const rc_schedule_t *order, const rc_tile_rule_t *rule,
    int threads, rc_tiles_t *out, rc_err_t *err);

void rc_tiles_free(rc_tiles_t *t);

/** Dense entries over all; 0 without entries. */
double rc_tiles_ratio(const rc_tiles_t *t, const rc_csr_t *a);

/** The sparse part: the entries that are in no tile.
 *  \param[in]  t    of this matrix and order
 *  \param[out] out  pattern (val is NULL) with a row a slot, in slot order; free with rc_csr_free
 *  \return RC_OK, RC_ENOTSUP (more than INT32_MAX slots), RC_ENOMEM.  Cost O(nnz + slots). */
rc_status_t rc_tiles_rest(const rc_csr_t *a, const rc_schedule_t *order, const rc_tiles_t *t,
    int threads, rc_csr_t *out, rc_err_t *err);

/** Entries over the sum, over panels of `panel` slots, of their distinct columns: how many entries
 *  one load of a row of B serves.  0 without entries.
 *  \return as rc_tiles_find.  Cost O(nnz + slots). */
rc_status_t rc_panel_reuse(const rc_csr_t *a, const rc_schedule_t *order, int32_t panel,
    int threads, double *out, rc_err_t *err);

/** What is said about an order. */
typedef struct rc_tile_figures {
    int64_t panels;
    int64_t tiles;
    int64_t dense_columns; /**< summed over panels */
    int64_t nnz_dense;
    double dense_ratio;
    double similarity;      /**< rc_mean_similarity of the order */
    double rest_similarity; /**< and of the sparse part, rows in this order */
    double panel_reuse_8;
    double panel_reuse_128;
} rc_tile_figures_t;

/** Of them what tiles and the rest tell, in about half of the time; similarity and panel_reuse are
 *  0.  Parameters, errors and cost as of the calls above. */
rc_status_t rc_tile_shares(const rc_csr_t *a, const rc_schedule_t *order,
    const rc_tile_rule_t *rule, int threads, rc_tile_figures_t *out, rc_err_t *err);

/** All of it.  Parameters, errors and cost as of the calls above; memory beside the matrix 4 bytes
 *  an entry and 20 a slot. */
rc_status_t rc_tile_figures(const rc_csr_t *a, const rc_schedule_t *order,
    const rc_tile_rule_t *rule, int threads, rc_tile_figures_t *out, rc_err_t *err);

#endif
