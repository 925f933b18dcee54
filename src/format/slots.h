/** \file format/slots.h  A matrix rearranged into schedule order, as the CPU kernels keep it,
 *  and what they share. */
#ifndef RC_FORMAT_SLOTS_H
#define RC_FORMAT_SLOTS_H

#include "device/memory.h"
#include "format/format.h"
#include "format/problem.h"
#include "sparse/segments.h"

/** The entries of slot p are [ptr[p], ptr[p + 1]); a pad has none. */
typedef struct rc_slots {
    int64_t slots;
    int64_t cols;
    int threads;
    int64_t *ptr; /**< [slots + 1] */
    int32_t *col; /**< [nnz] */
    void *entry;  /**< [nnz] places (format/places.h); NULL: order of the matrix, or val is set */
    void *val;    /**< [nnz], in the precision of the problem; NULL from rc_slots_arrange */
    size_t value_bytes; /**< of one of them */
    int32_t *row;       /**< [slots], row of slot p or -1; NULL: slot p is row p, also when C is in
                       schedule order */
    int32_t *absent;    /**< [absents] rows of C that no slot stores to */
    int64_t absents;
} rc_slots_t;

/** The operands and factors of one run, as the instances of a kernel take them. */
typedef struct rc_cpu_run {
    const void *b;
    rc_out_t c;
    int64_t ldb;
    int64_t ldc;
    int64_t k;
    double alpha[2]; /**< real and imaginary part */
    double beta[2];
} rc_cpu_run_t;

rc_cpu_run_t rc_cpu_run_of(const rc_operands_t *o, double alpha, double beta);

/** Rearrange p->a into the order of p->schedule with the threads of the device: all but the values.
 *  Free with rc_slots_free.  \return RC_OK, RC_ENOMEM.  Cost O(nnz + slots). */
rc_status_t rc_slots_arrange(
    const rc_executor_t *x, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err);

/** Places in an array also where they are the matrix's own order.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_slots_number(const rc_problem_t *p, rc_slots_t *s, rc_err_t *err);

/** The same with values, rounded to the precision, on an executor of the host; p->places as
 *  rc_places_fill has it. */
rc_status_t rc_slots_fill(rc_executor_t *x, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err);

/** The memory of an executor of the host owns the arrays from now on, after an error too.
 *  \return RC_OK; RC_EINVAL: too many */
rc_status_t rc_slots_keep(rc_memory_t *m, rc_slots_t *s, rc_err_t *err);

/** rc_slots_fill and rc_slots_keep. */
rc_status_t rc_slots_build(rc_memory_t *m, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err);

void rc_slots_free(rc_slots_t *s);

/** Free what a kernel does not need that has the entries in a format of its own: ptr, col, entry,
 *  val. */
void rc_slots_drop_entries(rc_slots_t *s);

/** The slots that were arranged, as a matrix that formats are built from, borrowed. */
rc_csr_view_t rc_slots_view(const rc_slots_t *s, const rc_problem_t *p);

/** Slots that were filled, or arranged and numbered, as rows to be split, borrowed: with their
 *  values, or with places. */
rc_segments_source_t rc_slots_source(const rc_slots_t *s, const rc_problem_t *p);

/** Their structure alone. */
rc_csr_view_t rc_slots_pattern(const rc_slots_t *s);

/** Cut the slots into parts of about the same work: their entries, and row_cost for each slot.
 *  \param[out] cut  [parts + 1]; part t has the slots [cut[t], cut[t + 1]) */
void rc_slots_cut(const rc_slots_t *s, int64_t row_cost, int parts, int64_t *cut);

/** Multiply the rows of C that no slot stores to by beta; 0 stores zeros.
 *  \param[in] beta  real and imaginary part */
void rc_slots_scale_absent(const rc_slots_t *s, const rc_dense_t *c, const double beta[2]);

/** 1: slots store to rows that the schedule names. */
int rc_slots_named(const rc_problem_t *p);

/** Rows of the output that no slot stores to, where slots are named; and those, increasing.
 *  \param[out] out  [rc_slots_absents] free(); NULL: none  \return RC_OK, RC_ENOMEM */
int64_t rc_slots_absents(const rc_problem_t *p);
rc_status_t rc_slots_list_absent(const rc_problem_t *p, int32_t **out, rc_err_t *err);

/** Bytes of the arrays `row` and `absent`. */
int64_t rc_slots_row_bytes(const rc_problem_t *p);
int64_t rc_slots_absent_bytes(const rc_problem_t *p);

/** Rows of the output that a kernel stores to when it stores every row: all of them in original
 *  order, in schedule order those of slots that are no pads. */
int64_t rc_stored_rows(const rc_problem_t *p);

/** rc_kernel_t.analyse of the CPU kernels whose state is rc_slots_t. */
rc_status_t rc_slots_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);

/** {team size, SIMD lanes of the type of sums, values per cache line}. */
rc_geometry_t rc_cpu_geometry(
    const rc_executor_t *x, const int64_t *param, rc_precision_t precision);

#endif
