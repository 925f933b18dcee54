/** \file format/vector/csr5.h  CSR in tiles of equal numbers of entries, with a descriptor a
 *  tile from which a segmented sum knows where rows begin.  Source: Liu and Vinter 2015,
 *  doi:10.1145/2751205.2751209, section 3.
 *
 *  A tile is RC_CSR5_OMEGA columns of `sigma` entries.  Entry (c, s) of tile t is entry t OMEGA
 *  sigma + c sigma + s of CSR and is stored at t OMEGA sigma + s OMEGA + c.  A last tile that is
 *  not full stays in the order of CSR and has an empty descriptor. */
#ifndef RC_FORMAT_VECTOR_CSR5_H
#define RC_FORMAT_VECTOR_CSR5_H

#include "format/format.h"

/** The parameter `sigma`, also of kernels. */
#define RC_CSR5_SIGMA_PARAM                                                                        \
    {                                                                                              \
        .name = "sigma", .help = "entries of a column of a tile; auto: by the mean row",           \
        .value = RC_CSR5_SIGMA_AUTO, .min = 1, .max = RC_CSR5_SIGMA_MAX, .choices = rc_csr5_sigmas \
    }
extern const char *const rc_csr5_sigmas[];

enum {
    RC_CSR5_OMEGA = 32,
    RC_CSR5_SIGMA_AUTO = -1,
    RC_CSR5_SIGMA_MAX = 1024,
    RC_CSR5_SEG_BITS = 5 /**< of a descriptor, for seg_offset */
};

/** What follows from the shape alone. */
typedef struct rc_csr5_size {
    int64_t sigma; /**< entries of a column of a tile */
    int64_t tiles; /**< ceil(nnz / (OMEGA sigma)) */
    int64_t full;  /**< tiles that are */
    int y_bits;    /**< of a descriptor, for y_offset */
    int words;     /**< of a descriptor, for each column */
} rc_csr5_size_t;

typedef struct rc_csr5 {
    rc_csr5_size_t size;
    int64_t nnz;
    uint32_t *tile_ptr;    /**< [tiles + 1] a row, and RC_CSR5_DIRTY */
    uint32_t *desc;        /**< [tiles * words * OMEGA] word w of column c of tile t is element
                                (t words + w) OMEGA + c: from the lowest bit on y_offset,
                                seg_offset, and sigma flags */
    int64_t *empty_ptr;    /**< [tiles + 1] into empty_offset */
    int32_t *empty_offset; /**< [empty_ptr[tiles]] */
    int32_t *col;          /**< [nnz] in stored order */
    void *entry;           /**< [nnz] places of values, in stored order; NULL of structure alone */
} rc_csr5_t;

/** Bit of tile_ptr: a row of the tile is empty. */
#define RC_CSR5_DIRTY 0x80000000u

/** \param[in] sigma  1 to RC_CSR5_SIGMA_MAX, or RC_CSR5_SIGMA_AUTO: with m = floor(nnz / rows),
 *          4 up to m = 4, m up to 32, 32 up to 256, and 6 beyond; 4 without rows */
rc_csr5_size_t rc_csr5_size(const rc_csr_view_t *e, int64_t sigma);

/** \param[out] out  free with rc_csr5_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows + tiles log rows). */
rc_status_t rc_csr5_build(
    const rc_csr_view_t *e, const rc_csr5_size_t *size, int threads, rc_csr5_t *out, rc_err_t *err);
void rc_csr5_free(rc_csr5_t *f);

/* What an rc_csr5_t says; columns, and in them entries, are numbered over all tiles. */

/** Of tile t = 0 .. tiles: the last row whose pointer is at most min(t OMEGA sigma, nnz); `rows` at
 *  nnz. */
rc_format_at_fn rc_csr5_row;

/** 1: some row in [rc_csr5_row(t), rc_csr5_row(t + 1)) is empty. */
rc_format_at_fn rc_csr5_dirty;

/** Of a full tile: 1 where entry c sigma + s begins a row. */
rc_format_at_fn rc_csr5_flag;

/** Of a full tile: flags in its columns before, (0, 0) counted as set, less 1; 0 for its first. */
rc_format_at_fn rc_csr5_y_offset;

/** Of a full tile: columns without a flag that follow; 0 when the column itself has none. */
rc_format_at_fn rc_csr5_seg_offset;

#endif
