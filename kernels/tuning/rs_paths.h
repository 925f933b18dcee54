/** \file kernels/tuning/rs_paths.h A second model of what a product of rs takes: the sums of Hong
 *  et al. 2018, section 4.3, with the rows of B that heavy panels load, and with the longest paths:
 *  the panel that one CTA walks, the light row that one warp does. It chooses t and cfv together,
 *  by the least of all. All local, nothing is owned. */
#ifndef RC_KERNELS_TUNING_RS_PATHS_H
#define RC_KERNELS_TUNING_RS_PATHS_H

#include "rowcast.h"

enum {
    RC_RS_PATHS_T = 16,    /**< t is one of 1 .. 16 */
    RC_RS_PATHS_TERMS = 12 /**< of the model */
};

/** What a split has at one w and t. */
typedef struct rc_rs_counts {
    int64_t heavy; /**< segments */
    int64_t nnz_heavy;
    int64_t heavy_panels;
    int64_t light_rows;
    int64_t nnz_light;
    int64_t panel_segments; /**< heavy ones of the panel with most of them */
    int64_t panel_entries;  /**< heavy ones of the panel with most of them */
    int64_t light_row;      /**< light entries of the row with most of them */
} rc_rs_counts_t;

/** Count at every t in one pass over the matrix.
 *  \param[in]  w    columns of a panel, a power of two
 *  \param[out] out  [RC_RS_PATHS_T + 1] by t
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows + panels), memory 80 bytes a panel. */
rc_status_t rc_rs_paths_count(const rc_csr_t *a, int64_t w, rc_rs_counts_t *out, rc_err_t *err);

/** What is multiplied by the costs and added up. Each slice of K that cfv makes pays for segments
 *  and panels again.
 *  \param[in] cfv  1, 2 or 4  \param[in] rows  of the matrix  \param[out] x  [RC_RS_PATHS_TERMS] */
void rc_rs_paths_terms(const rc_rs_counts_t *c, int cfv, int64_t rows, double *x);

/** Name of a term, as a file has its cost. */
const char *rc_rs_paths_name(int i);

/** Time by the model.  \param[in] cost  [RC_RS_PATHS_TERMS] ns */
double rc_rs_paths_time(const double *cost, const rc_rs_counts_t *c, int cfv, int64_t rows);

#endif
