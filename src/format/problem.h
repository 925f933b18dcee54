/** \file format/problem.h  What formats are built from and kernels are prepared for: a matrix, the
 *  order of its rows, the shape and type of the operands; and what a look at it says. */
#ifndef RC_FORMAT_PROBLEM_H
#define RC_FORMAT_PROBLEM_H

#include "base/param.h"
#include "device/executor.h"
#include "operation/operation.h"

#include <string.h>

enum { RC_KERNEL_PARAMS_MAX = RC_PARAMS_MAX, RC_ANALYSIS_BYTES = 80 };

/** What the analysis of a matrix leaves for the preparation that follows it. */
typedef struct rc_handover {
    void *left;               /**< NULL: nothing */
    void (*drop)(void *left); /**< releases it; who takes it must have the same */
} rc_handover_t;

/** Leave something, in place of what was left.  \param[in] left  belongs to the handover then */
static inline void rc_handover_leave(rc_handover_t *h, void *left, void (*drop)(void *left))
{
    if (h->left)
        h->drop(h->left);
    h->left = left;
    h->drop = drop;
}

static inline void rc_handover_drop(rc_handover_t *h)
{
    rc_handover_leave(h, NULL, NULL);
}

/** What was left with that function, or NULL.  \return belongs to the caller */
static inline void *rc_handover_take(rc_handover_t *h, void (*drop)(void *left))
{
    void *left = h && h->left && h->drop == drop ? h->left : NULL;
    if (left)
        h->left = NULL;
    return left;
}

/** What is to be computed.  The matrix and the schedule are borrowed until release. */
typedef struct rc_problem {
    const struct rc_kernel *kernel; /**< that is asked: rc_kernel_analyse and its like set it */
    int64_t k; /**< columns of the wide operands, >= 1; 1 where the operation has no K */
    rc_precision_t precision; /**< of the prepared matrix and the dense operands */
    int out_sums; /**< 1: but the output has the type of their sums (rc_kernel_t.out_sums) */
    rc_c_order_t c_order;
    const rc_csr_t *a; /**< its arrays are NULL where nothing on the host reads them */
    const void *val;   /**< NULL: values are those of `a`; else [nnz] on the host, during prepare:
                          `a` has none */
    rc_precision_t val_type;            /**< of them */
    int conjugates;                     /**< 1: complex values are prepared as their conjugates */
    const struct rc_resident *resident; /**< NULL, or the same matrix in the memory of the executor:
                                             during analyse and prepare (format/resident.h) */
    struct rc_places *places;           /**< NULL, or where prepare leaves the places of the values
                                   (format/places.h) */
    rc_handover_t *handover;            /**< NULL, or what analyse leaves and prepare takes */
    /** Its rows are NULL where nothing on the host reads them: every row has a slot then. */
    const rc_schedule_t *schedule;
    int identity;              /**< rc_schedule_is_identity(schedule) */
    const int32_t *rows_there; /**< NULL, or [slots] its rows in the memory of the executor: during
                                    analyse and prepare, beside `resident` */
    rc_geometry_t geometry;    /**< that the schedule was built for */
    int64_t c_rows;            /**< rows of the output: those of the operation's shape, or the slots
                                 when C is in schedule order */
    int64_t param[RC_KERNEL_PARAMS_MAX]; /**< in the order of the descriptor */
    const char *text;  /**< value of its text parameter, during analyse and prepare; NULL: the
                           default */
    const char *named; /**< likewise, all parameters as rc_kernel_spec_t.params has them: a file
                            that `text` names is another one now when its content is not in
                            there; NULL: not known */
} rc_problem_t;

/** What the analysis of a matrix under a schedule says; of all K at once. */
typedef struct rc_analysis {
    int64_t bytes;              /**< device memory that prepare allocates, but what grows with K */
    int64_t bytes_per_column;   /**< that it allocates for each dense column beside */
    int64_t columns;            /**< of the first so many of them alone; 0: of all */
    int64_t traffic;            /**< bytes of the prepared matrix, which one run reads once */
    int64_t traffic_per_column; /**< bytes beside the operands, which one run moves for each dense
                                   column: of copies */
    int64_t stored_rows;        /**< rows of the output that a run stores to, pads left out */
    double fill;      /**< stored entries, padding included, over nnz; 1 without entries */
    int64_t pointers; /**< bytes of the pointers of groups beside CSR, as of CSR-k; 0: it
                                   has none */
    unsigned char chosen[RC_ANALYSIS_BYTES]; /**< what the kernel decided: RC_CHOSE, RC_CHOSEN */
} rc_analysis_t;

/** Does not compile where a struct of that type has no room in an analysis. */
#define RC_CHOSEN_FITS(of) ((void)sizeof(char[sizeof(of) <= RC_ANALYSIS_BYTES ? 1 : -1]))

/** Keep in an analysis what a kernel decided, and take it out again.  \param what  a variable of a
 *  type of the kernel's */
#define RC_CHOSE(analysis, what)                                                                   \
    (RC_CHOSEN_FITS(what), (void)memcpy((analysis)->chosen, &(what), sizeof(what)))
#define RC_CHOSEN(analysis, what)                                                                  \
    (RC_CHOSEN_FITS(what), (void)memcpy(&(what), (analysis)->chosen, sizeof(what)))

#endif
