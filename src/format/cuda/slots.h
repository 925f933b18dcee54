/** \file format/cuda/slots.h  A matrix in schedule order in the memory of a GPU, and the answers
 *  about a problem that the CUDA kernels share. */
#ifndef RC_FORMAT_CUDA_SLOTS_H
#define RC_FORMAT_CUDA_SLOTS_H

#include "format/cuda/keep.h"
#include "format/cuda/vector.h"
#include "format/slots.h"

/** The entries of slot p are [ptr[p], ptr[p + 1]); a pad has none.  Pointers are device memory. */
typedef struct rc_cuda_slots {
    int64_t slots;
    int64_t rows; /**< of the matrix */
    int64_t cols;
    int64_t nnz;
    int wide;        /**< 1: ptr is int64_t, see rc_cuda_slots_wide */
    void *ptr;       /**< [slots + 1] int32_t or int64_t */
    int32_t *col;    /**< [nnz]; NULL when there are none */
    void *val;       /**< [nnz], in the precision of the problem; NULL when there are none */
    int32_t *row;    /**< [slots] row of A that slot p holds, -1 for a pad; NULL: slot p is row p
                          (identity schedules, and C in schedule order) */
    int32_t *absent; /**< [absents] rows of A that no slot holds; NULL: none, or C is in schedule
                          order */
    int64_t absents;
} rc_cuda_slots_t;

/** Rearrange p->a into the order of p->schedule, and round values to the precision: on the device
 *  where the problem has its matrix there, else with the host threads of the executor, and upload
 *  it.  Allocates what rc_cuda_slots_analyse says in the memory, and until it returns pointers and
 *  places (format/places.h) more; those are on the host, with columns, where the matrix is.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(nnz + slots). */
rc_status_t rc_cuda_slots_build(
    rc_memory_t *m, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err);

/** All but which rows the slots hold, as a part of a format.
 *  \param[in,out] host  arranged, where the matrix is not on the device: pointers are narrowed
 *  \param[in] there  the entries on the device; NULL: they are arranged there
 *  \param[in,out] s  of rc_cuda_slots_rows */
void rc_cuda_slots_keep(
    rc_keeping_t *k, rc_slots_t *host, rc_build_csr_t *there, rc_cuda_slots_t *s);

/** The rows of the slots of a problem whose slots are named (rc_slots_named).
 *  \param[out] out  [slots] in the memory  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_slots_named(rc_memory_t *m, const rc_problem_t *p, void **out, rc_err_t *err);

/** Only what says which rows the slots hold: slots, rows, row, absent; the other arrays are
 *  NULL. */
rc_status_t rc_cuda_slots_rows(
    rc_memory_t *m, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err);

/** Enqueue the rows of the output that no slot stores to: beta times what they were.  The GPU of
 *  the executor is the current one.
 *  \param[in] o  of the run: its output, and the imaginary part of beta */
rc_status_t rc_cuda_slots_absent(const rc_executor_t *x, const rc_cuda_slots_t *s,
    const rc_operands_t *o, double beta, rc_err_t *err);

/** 1: the number of an entry, and of one some steps past the last, does not fit into int32_t. */
int rc_cuda_slots_wide(const rc_problem_t *p);

/** Device memory of the arrays `row` and `absent`, in bytes. */
int64_t rc_cuda_rows_bytes(const rc_problem_t *p);

/** rc_kernel_t.analyse of the kernels whose state is rc_cuda_slots_t: what rc_cuda_slots_build
 *  allocates, which a product reads once (but for absent rows); every row is stored.
 *  \return RC_OK; RC_ENOTSUP: more slots than 32 bits can number */
rc_status_t rc_cuda_slots_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);

/** RC_OK; RC_ENOTSUP for a schedule that is not the identity, with the reason.
 *  \param[in] what  "cuSPARSE's SDDMM" */
rc_status_t rc_cuda_identity_only(const rc_problem_t *p, const char *what, rc_err_t *err);

/** The paper's machine: {32, 32, 128 bytes of values}, whatever the parameters. */
rc_geometry_t rc_cuda_geometry(
    const rc_executor_t *x, const int64_t *param, rc_precision_t precision);

#endif
