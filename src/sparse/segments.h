/** \file sparse/segments.h  The split of RS-SpMM: heavy and light row segments.  Hong et al. 2018,
 *  section 3.  All local.
 *
 *  Columns are cut into panels of `w`; the last may be narrower.  A segment is the entries of one
 *  row in one panel.  One with more than `t` entries is heavy, else it is light: t = 0 makes all
 *  heavy, t >= w all light.  Heavy segments are kept panel after panel, in a panel by row, with
 *  columns that count from the first one of the panel; light entries stay in a CSR over all
 *  rows. */
#ifndef RC_SPARSE_SEGMENTS_H
#define RC_SPARSE_SEGMENTS_H

#include "base/alloc.h"
#include "rowcast.h"

enum { RC_SEGMENTS_NARROW = 65536 }; /* columns of a panel up to which local ones take 16 bits */

/** How to split. */
typedef struct rc_segments_rule {
    int64_t w; /**< columns of a panel: a power of two, at most 2^30 */
    int64_t t; /**< a segment of more entries is heavy; from 0 */
} rc_segments_rule_t;

/** Rows to be split, borrowed; columns of a row ascending, each once. */
typedef struct rc_segments_source {
    int64_t rows;
    int64_t cols;
    const int64_t *ptr; /**< [rows + 1] */
    const int32_t *col; /**< [nnz] */
    const void *val;    /**< [nnz], moved as they are; NULL: the pattern alone */
    int value_bytes;    /**< of one of them: 2, 4 or 8 */
} rc_segments_source_t;

/** What a split counts. */
typedef struct rc_segments_size {
    rc_segments_rule_t rule;
    int64_t rows;
    int64_t panels;
    int64_t segments;     /**< with entries */
    int64_t heavy;        /**< segments */
    int64_t heavy_panels; /**< that have a heavy segment */
    int64_t nnz_heavy;
    int64_t nnz_light;
    int64_t light_rows; /**< with a light entry */
    int64_t heavy_rows; /**< with a heavy segment */
} rc_segments_size_t;

/** The two parts. */
typedef struct rc_segments {
    rc_pool_t pool; /**< of the arrays */
    rc_segments_size_t size;
    int col_bytes;      /**< of a local column: 2 up to RC_SEGMENTS_NARROW, else 4 */
    int64_t *panel_ptr; /**< [panels + 1] heavy segments of the panels before */
    int32_t *row;       /**< [heavy] ascending in a panel */
    int64_t *ptr;       /**< [heavy + 1] entries of the heavy segments before */
    void *col;          /**< [nnz_heavy] local: uint16_t or int32_t */
    void *val;          /**< [nnz_heavy]; NULL for a pattern */
    int64_t *light_ptr; /**< [rows + 1] */
    int32_t *light_col; /**< [nnz_light] */
    void *light_val;    /**< [nnz_light]; NULL for a pattern */
} rc_segments_t;

/** RC_OK; RC_EINVAL: w is no power of two from 1 to 2^30, or t is negative. */
rc_status_t rc_segments_check(const rc_segments_rule_t *rule, rc_err_t *err);

/** Count.
 *  \param[in]  threads  >= 1; the result does not depend on it
 *  \return RC_OK, RC_EINVAL (the rule), RC_ENOMEM.  Cost O(nnz + rows + panels), memory 16 bytes a
 *          panel and thread at most. */
rc_status_t rc_segments_measure(const rc_segments_source_t *a, const rc_segments_rule_t *rule,
    int threads, rc_segments_size_t *out, rc_err_t *err);

/** Split.  Parameters, errors and cost as of rc_segments_measure.
 *  \param[out] out  free with rc_segments_free */
rc_status_t rc_segments_split(const rc_segments_source_t *a, const rc_segments_rule_t *rule,
    int threads, rc_segments_t *out, rc_err_t *err);

void rc_segments_free(rc_segments_t *s);

/** Local column i of the heavy part. */
int32_t rc_segments_col(const rc_segments_t *s, int64_t i);

/** nnz_heavy over nnz; 0 without entries. */
double rc_segments_ratio(const rc_segments_size_t *s);

/** The rows of a matrix as they are. */
rc_segments_source_t rc_segments_source_of(const rc_csr_t *a);

#endif
