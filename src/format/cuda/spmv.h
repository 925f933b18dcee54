/** \file format/cuda/spmv.h  The formats of y = A x in the memory of a state, with values: built on
 *  the device where the problem has its matrix there, else on the host and uploaded.
 *
 *  CTAs take shares of the entries.  Of a row that several shares hold each leaves a sum; those
 *  rows are numbered here.  A row that began at most a few entries before a share begins is left
 *  to it whole, so that most matrices have no such rows. */
#ifndef RC_FORMAT_CUDA_SPMV_H
#define RC_FORMAT_CUDA_SPMV_H

#include "format/cuda/keep.h"
#include "format/cuda/slots.h"
#include "format/cuda/vector.h"
#include "format/slots.h"
#include "format/super_rows.h"
#include "format/vector/ell.h"

/** A format on its way into the memory of a state. */
typedef struct rc_spmv_form {
    rc_keeping_t k;
    rc_csr_view_t here;    /**< the matrix in slot order on the host */
    rc_slots_t host;       /**< which has it there */
    rc_build_csr_t there;  /**< the same on the device, where the problem has its matrix there */
    rc_cuda_slots_t slots; /**< places of y, and the entries as CSR where the format has them so */
    rc_spmv_spans_t spans; /**< but for what a state has for itself */
} rc_spmv_form_t;

/** End with rc_spmv_end. */
void rc_spmv_begin(rc_memory_t *m, const rc_problem_t *p, rc_spmv_form_t *out, rc_err_t *err);

/** Put the values there.  \return the first error, or RC_OK */
rc_status_t rc_spmv_end(rc_spmv_form_t *f);

/** What `row` and `absent` of the slots are: the places of y that no slot is for, as
 *  rc_cuda_rows_bytes says, or those that no entry is for, of so many rows with entries. */
void rc_spmv_keep_rows(rc_spmv_form_t *f);
void rc_spmv_keep_filled(rc_spmv_form_t *f, int64_t filled);
int64_t rc_spmv_filled_bytes(const rc_problem_t *p, int64_t filled);

/** The entries as CSR in f->slots; rc_cuda_slots_analyse says how much that and rc_spmv_keep_rows
 *  take.  Last: pointers on the host are narrowed. */
void rc_spmv_keep_csr(rc_spmv_form_t *f);

/** The pointers of CSR-k (rc_super_rows_build).  \param[out] out  in the memory of the state */
void rc_spmv_keep_super_rows(
    rc_spmv_form_t *f, int levels, const int64_t *size, const int64_t *tuned, rc_super_rows_t *out);

/** Count rows of A, on the device where the problem has its matrix there.
 *  \param[in] beyond, width  entries
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(rows). */
rc_status_t rc_spmv_count(
    const rc_problem_t *p, int64_t beyond, int64_t width, rc_spmv_counts_t *out, rc_err_t *err);

/* ------------------------------------------------------------------ shares */

/** Rows that several shares can hold, of so many that are long enough; and what they take. */
int64_t rc_spmv_most_spans(int64_t shares, int64_t rows);
int64_t rc_spmv_spans_bytes(int64_t shares, int64_t most, rc_precision_t precision);

/** Bytes of the parcel (spmv.cuh) of a sum of products of values of a type. */
size_t rc_spmv_parcel_bytes(rc_precision_t precision);

/** Shares and lanes in the memory of a state. */
typedef struct rc_spmv_shares {
    int64_t count;
    rc_spmv_share_t *share; /**< [count + 1] */
    uint8_t *lanes; /**< [count] that take a row; 0: the rows of the share are not taken so */
} rc_spmv_shares_t;

/** Equal shares of the merge of row ends and entries (format/vector/merge.h).
 *  \param[in] most  of rc_spmv_most_spans */
void rc_spmv_keep_merge(
    rc_spmv_form_t *f, const rc_spmv_cut_t *cut, int64_t most, rc_spmv_shares_t *out);

/** Shares that were cut on the host, of whole rows.  \param[in] share  [count + 1] */
void rc_spmv_keep_cut(rc_spmv_form_t *f, const rc_spmv_share_t *share, int64_t count,
    const rc_spmv_lanes_t *rule, rc_spmv_shares_t *out);

/** Device memory of shares and lanes. */
int64_t rc_spmv_shares_bytes(int64_t shares);

/** The pieces of slots of more than `longest` entries.
 *  \param[in] lates  room for so many: rc_spmv_pieces of all such slots, or more
 *  \param[in] most  slots of several pieces, or more
 *  \return [lates + 1], zeros behind the last one; NULL without room */
rc_spmv_share_t *rc_spmv_keep_late(rc_spmv_form_t *f, int64_t longest, int64_t lates, int64_t most);
int64_t rc_spmv_late_bytes(int64_t lates);

/* ----------------------------------------------------------------- formats */

/** Coordinates in the memory of a state. */
typedef struct rc_spmv_coo {
    const int32_t *slot; /**< [entries] */
    const int32_t *col;  /**< [entries] */
    const void *val;     /**< [entries] */
    const rc_spmv_share_t *share;
} rc_spmv_coo_t;

/** Which entries they are. */
typedef struct rc_spmv_coo_size {
    int64_t skip;    /**< the first so many of each slot are left out */
    int64_t entries; /**< that the others are */
    int64_t beyond;  /**< rows of more than RC_SPMV_LOOK of them */
    int64_t first;   /**< of their values among those of rc_keep_values */
} rc_spmv_coo_size_t;

void rc_spmv_keep_coo(rc_spmv_form_t *f, const rc_spmv_coo_size_t *size, rc_spmv_coo_t *out);

/** Shares of so many coordinates, and device memory of all but values. */
int64_t rc_spmv_coo_shares(int64_t entries);
int64_t rc_spmv_coo_bytes(int64_t entries, int64_t beyond, rc_precision_t precision);

/** Cut coordinates into shares, on the host.  \param[in] slot  [entries], increasing
 *  \param[out] out  [shares + 1] */
void rc_spmv_coo_cut(const int32_t *slot, int64_t entries, rc_spmv_share_t *out);

/** The first `width` entries of every slot in ELLPACK, whose values are the first of
 *  rc_keep_values.  \param[out] out  `col` in the memory of the state */
void rc_spmv_keep_ell(rc_spmv_form_t *f, int64_t width, rc_ell_t *out);

/** What CSR5 of a problem takes, without arrays.
 *  \param[in] n  with its `look` as `beyond`; zeroed: what follows from the shape alone */
rc_build_csr5_t rc_spmv_csr5_size(const rc_problem_t *p, int64_t sigma, const rc_spmv_counts_t *n);

/** CSR5 with its values.  \param[in,out] c  of rc_spmv_csr5_size; gets arrays */
void rc_spmv_keep_csr5(rc_spmv_form_t *f, rc_build_csr5_t *c);

#endif
