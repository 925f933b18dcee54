/** \file measure/operands.h  The operands on the device and the reference: what a context keeps
 *  from group to group. */
#ifndef RC_MEASURE_OPERANDS_H
#define RC_MEASURE_OPERANDS_H

#include "format/resident.h"
#include "measure/measure.h"
#include "measure/tiling.h"
#include "measure/verify.h"

/** Memory of the device that is grown and reused. */
typedef struct rc_buffer {
    void *data; /**< NULL: none */
    int64_t bytes;
} rc_buffer_t;

enum { RC_BUFFER_OUT = RC_INPUTS_MAX, RC_BUFFERS };

/** References that are kept at most: those of a sweep's K and precisions, which come round again
 *  with the next kernel. */
enum { RC_REFERENCES = 64 };

struct rc_measure_context {
    rc_device_t *d;
    rc_buffer_t buffer[RC_BUFFERS];      /**< of the inputs, then of the output */
    rc_reference_t *kept[RC_REFERENCES]; /**< [kept_count], the last used first */
    int kept_count;
    rc_reference_t *ref; /**< of the last tile that was verified, kept[0]; NULL: none */
    rc_row_finds_t finds;
    rc_csr_t transposed; /**< of the matrix of the references, for operations that read it; empty:
                              none yet */
    void *transposed_parts; /**< its complex values, where a group had them */
    rc_digest_t transposed_of;
    rc_resident_t resident; /**< a matrix, for kernels that build from it on the device */
    int64_t resident_bytes; /**< 0: none */
    rc_digest_t resident_of;
    rc_verify_spent_t spent;
    /* the group in hand */
    const rc_group_t *g;
    const rc_measure_config_t *cfg;
    rc_tiling_t tiling;
    int64_t tile;  /**< that the inputs hold; -1: none */
    int ref_fresh; /**< 1: ref is that of the tile, without an order */
};

/** Begin a group: memory for the widest tile of the operands.
 *  \param[in] c_rows  the most rows that the output has in the group
 *  \param[in] beside  bytes that the group would like to have beside them, within its limit:
 *                     memory kept from an earlier group makes room for them
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_operands_begin(rc_measure_context_t *ctx, const rc_group_t *g,
    const rc_measure_config_t *cfg, const rc_tiling_t *tiling, int64_t c_rows, int64_t beside,
    rc_err_t *err);

/** End it: gives back what a CPU should have for the next matrix. */
void rc_operands_end(rc_measure_context_t *ctx);

/** The matrix of a group on the device, for a kernel that builds there: beside the limit of the
 *  group where it takes a sixteenth of that at most, else inside, a quarter at most.  It stays
 *  until a group of another matrix or precision begins, or one that has no room or, where it is
 *  inside, no use for it.
 *  \param[out] inside  bytes that the group has to count in its limit
 *  \return NULL: the kernel does not, or the memory is short */
const rc_resident_t *rc_operands_resident(
    rc_measure_context_t *ctx, const rc_group_t *g, int64_t *inside);

/** Release it.  \return 1: there was one */
int rc_operands_resident_drop(rc_measure_context_t *ctx);

/** Bytes that are held. */
int64_t rc_operands_held(const rc_measure_context_t *ctx);

/** Fill the inputs with their columns of a tile, unless they hold them. */
rc_status_t rc_operands_fill(rc_measure_context_t *ctx, int64_t tile, rc_err_t *err);

/** As rc_operands_fill, and make the reference of the tile.
 *  \param[in] order  the reference is of the matrix through this order, where it is symmetric:
 *                    column c meets the row of B where the order put it */
rc_status_t rc_operands_refer(
    rc_measure_context_t *ctx, int64_t tile, const rc_schedule_t *order, rc_err_t *err);

/** The operands of a tile, the output with so many rows. */
rc_operands_t rc_operands_of(const rc_measure_context_t *ctx, int64_t c_rows, int64_t tile);

#endif
