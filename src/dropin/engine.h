/** \file dropin/engine.h  What the drop-in asks of a GPU.
 *
 *  The drop-in itself is loaded before the program, so it links no CUDA: it would bring its own
 *  copy before the program's.  The engine does, and is opened at the first call of any of the
 *  functions, when the program's CUDA is there.  Tests have one of host memory. */
#ifndef RC_DROPIN_ENGINE_H
#define RC_DROPIN_ENGINE_H

#include "rowcast.h"
#include "rowcast_plan.h"

/** What pointers are of: rows, of CSC columns. */
static inline int64_t rc_view_majors(const rc_plan_matrix_t *a)
{
    return a->form == RC_PLAN_CSC ? a->cols : a->rows;
}

/** What a->col_idx has numbers of. */
static inline int64_t rc_view_minors(const rc_plan_matrix_t *a)
{
    return a->form == RC_PLAN_CSC ? a->rows : a->cols;
}

/** How many numbers a->row_ptr has: pointers, of COO rows. */
static inline int64_t rc_view_pointers(const rc_plan_matrix_t *a)
{
    return a->form == RC_PLAN_COO ? a->nnz : rc_view_majors(a) + 1;
}

/** Values from one row to the next, and from one column to the next. */
typedef struct rc_strides {
    int64_t row;
    int64_t col;
} rc_strides_t;

/** One product that a program asks for, by its operation.
 *
 *  A is what is multiplied by, in the program's own arrays, which may be those of a transposed one:
 *  as they are stored, CSR of A' is CSC of A.  Kernels on these arrays take CSR, plans any form.
 *
 *  RC_OP_SPMM: C = alpha A B + beta C, of plans with beta 0.  RC_OP_SPMV: the same of vectors, as B
 *  and C of one column by rows.  RC_OP_SDDMM: C = alpha (L B) .* spy(C) + beta C, where A is the
 *  pattern of C without values, and C its values; L and B have strides, and the layout says which
 *  of both have rows next to each other. */
typedef struct rc_asked {
    rc_op_t op;
    rc_plan_matrix_t a; /**< on the device; sums and scalars are of the type of rc_dropin_type */
    int conjugated;     /**< 1: its values are complex, and are conjugated as they are read */
    int base;           /**< of its indices: 0 or 1, of plans 0 */
    int64_t k;
    rc_layout_t layout;
    double alpha[2]; /**< real and imaginary part */
    double beta[2];
    const void *alpha_at; /**< on the device, of the type of sums; NULL: it is alpha */
    const void *beta_at;
    const void *left;
    rc_strides_t left_by;
    const void *b;
    int64_t ldb;
    rc_strides_t b_by;
    void *c;
    int64_t ldc;
    int c_sums;        /**< 1: C has the type of sums, which is not that of the values */
    int algorithm;     /**< as cuSPARSE numbers those of the operation */
    int direct;        /**< 1: it is for kernels on the program's arrays; 0: for plans */
    int promises;      /**< 1: that one gives the same bits in each run */
    int64_t longest;   /**< row of A when it was looked at, to choose a kernel by; 0: any will do */
    double library_ns; /**< that cuSPARSE takes, likewise */
    void *stream;
} rc_asked_t;

/** Whether a product finds out that its pattern is that of the plan. */
typedef enum rc_checking {
    RC_CHECK_NOT,   /**< it is known to be */
    RC_CHECK_QUIET, /**< yes; the host hears where it is not */
    RC_CHECK_TOLD   /**< yes; the host hears in any case, which takes longer */
} rc_checking_t;

enum { RC_ENGINE_ABI = 15, RC_ENGINE_TEXT = 160, RC_ENGINE_KERNEL = 160, RC_ENGINE_ORDER = 128 };

/** Sums of a pattern, of 64 bits each: of its columns and of its row pointers, as numbers. */
typedef struct rc_pattern_sums {
    uint64_t columns;
    uint64_t pointers;
} rc_pattern_sums_t;

/** How plans are made. */
typedef struct rc_making {
    int64_t ns;         /**< that timing candidates may take; 0: none is timed */
    int64_t memory;     /**< bytes of device memory for the plan */
    uint64_t turn;      /**< whose kernel comes first where none is timed and none is named */
    const char *kernel; /**< with parameters; NULL: the engine's choice.  Borrowed, as the order */
    const char *order;  /**< likewise, of a kernel that is named */
    rc_pattern_sums_t sums; /**< that the pattern is to have; zeros: any */
} rc_making_t;

/** What became of that. */
typedef struct rc_made {
    char text[RC_ENGINE_TEXT];     /**< kernel and order, or why there is no plan */
    char kernel[RC_ENGINE_KERNEL]; /**< that can be named; "": it cannot */
    char order[RC_ENGINE_ORDER];
    int64_t bytes; /**< of device memory */
    int changed;   /**< 1: there is no plan because the sums are others */
    int captures;  /**< 1: a graph may hold its runs */
    double waited; /**< seconds until the stream had got to the copy, which making is not */
} rc_made_t;

/** Functions return 0 or a negative number: then nothing of it remains, and nothing was written to
 *  C.  `prepare`, `make`, `plan_free` and `copy_free` wait for the device; no other does.  All are
 *  called with the drop-in's lock held, but for `prepare`, `make` and `plan_free`, which one other
 *  thread calls without it (with ROWCAST_WAIT, `plan_free` that of the product, likewise without
 *  it). */
typedef struct rc_engine {
    int abi; /**< RC_ENGINE_ABI */
    /** \return 0: work may be put on the stream; 1: likewise, and it becomes part of a graph; 2: it
     *  may not even be asked, as another one is captured; negative: not a stream of the current
     *  device's primary context, one that means another in each thread, or an error of the
     *  program's is pending, which is not to be taken
     *  \param[out] context  the number of that context, another one after the program has reset the
     *          device; 0: not known.  Set with 0 and 1 */
    int (*stream)(void *stream, int *device, uint64_t *context);
    /** A context is gone, and with it all that the engine has made: nothing of that may be used or
     *  freed any more, whatever device it is of. */
    void (*lost)(void);
    /** The name of a device, for choices that hold on such.  \param[out] name  [RC_ENGINE_TEXT] */
    int (*device_name)(int device, char *name);
    /** Seconds since the process began; NULL: the drop-in has a clock. */
    double (*now)(void);
    /** Ask for what is asked for once, before anything is summed.
     *  \param[in] device  whose context is there */
    void (*prepare)(int device);
    /** A copy of pattern and values, made when the stream gets there.  \return NULL: no memory */
    void *(*copy)(const rc_asked_t *p);
    void (*copy_free)(void *copy);
    /** Sum a pattern, when the stream gets there.  \return NULL: not now */
    void *(*sum)(const rc_asked_t *p);
    /** \return 1: the sums are there; 0: the stream has not got there */
    int (*summed)(const void *sum, rc_pattern_sums_t *out);
    /** Also before the stream gets there; of look, too. */
    void (*sum_free)(void *sum);
    /** Look for the longest row of CSR, when the stream gets there.  \return NULL: not now */
    void *(*look)(const rc_asked_t *p);
    /** \return 1: it is known; 0: the stream has not got there */
    int (*looked)(const void *look, int64_t *longest);
    /** A plan for what was copied; the copy is gone afterwards.  \return NULL: none */
    void *(*make)(void *copy, const rc_making_t *how, rc_made_t *made);
    /** The product by a plan, values read anew.  The pattern is compared on the device, and
     *  where it differs C comes from the arrays of the program.  \param[in] number  of this check,
     *      increasing
     *  \return positive: it failed when a part of C was written, which cannot be undone */
    int (*run)(void *plan, const rc_asked_t *p, rc_checking_t check, uint64_t number);
    /** \param[out] equal    the newest check that was told to have found the pattern of the plan,
     *  0: none
     *  \param[out] differs  the newest known not to */
    void (*checks)(const void *plan, uint64_t *equal, uint64_t *differs);
    /** Compare another pattern of the same sizes with that of a plan, which it does not run. */
    int (*compare)(void *plan, const rc_asked_t *p, uint64_t number);
    /** As checks, of `compare`. */
    void (*compared)(const void *plan, uint64_t *equal, uint64_t *differs);
    /** After the runs and comparisons that were asked for; no other call may have it any more. */
    void (*plan_free)(void *plan);
    /** The capture that a stream is in, by a number that no other one has.  \return 0: not known */
    uint64_t (*capture)(void *stream);
    /** \return 1: all that a plan was asked for has ended */
    int (*ended)(const void *plan);
    /** As `run`, quietly checked, in a stream that is captured: the graph puts the values and
     *  compares the pattern each time that it runs.  A plan that has ended is the graph's then, for
     *  good: beside this nothing may be asked of it any more. */
    int (*record)(void *plan, const rc_asked_t *p, uint64_t number);
    /** How many ways a product has that need nothing of its pattern. */
    int (*directs)(const rc_asked_t *p);
    /** Seconds of the host that one of them is expected to take before it runs. */
    double (*direct_s)(const rc_asked_t *p, int way);
    /** One of them, for products of these sizes and types on this stream; it is run and freed as a
     *  plan.  It has no check, as it multiplies by the arrays of the program.
     *  \return NULL: no memory, or it would be slow */
    void *(*direct)(const rc_asked_t *p, int way, rc_made_t *made);
    /** A pair of marks in a stream.  \return NULL: none */
    void *(*marks)(void);
    int (*mark)(void *marks, int end, void *stream);
    /** \return ns between both; 0: the stream has not got there; negative: failed */
    double (*between)(void *marks);
    void (*marks_free)(void *marks);
    /** \return 1: nothing is left to do on the stream; 0: something is; negative: not known */
    int (*idle)(void *stream);
} rc_engine_t;

/** Of the library that is opened. */
RC_API const rc_engine_t *rc_dropin_engine(void);

#endif
