/** \file kernels/kernel.h  Kernels.  A kernel is one file that ends in one constant descriptor, and
 *  one line in kernels/kernels.am; it computes one operation (src/operation).
 *
 *  `analyse` looks at a matrix under a row schedule once; `prepare` physically rearranges A into
 *  schedule order (and is timed apart); `run` is the operation and nothing else, on any dense
 *  operands of the prepared shape: out = alpha f(A, in) + beta out, where beta 0 reads nothing of
 *  `out`.  Slot p is executed by worker p mod N_w in increasing p.  C comes out in original row
 *  order unless the problem says otherwise.  Every row of the output is stored to: rows that the
 *  schedule leaves out (empty rows under dcsr) become beta times what they were, inside of `run`.
 *  A run of the original order never pays for an indirection: identity schedules carry no row
 *  ids. */
#ifndef RC_KERNELS_KERNEL_H
#define RC_KERNELS_KERNEL_H

#include "base/family.h"
#include "base/param.h"
#include "format/problem.h"

/** Row orders of the output that a kernel can store, as bits 1 << rc_c_order_t.  Symmetric orders
 *  need what schedule order needs. */
enum {
    RC_STORES_ORIGINAL = 1 << RC_C_ORIGINAL,
    RC_STORES_ANY = 1 << RC_C_ORIGINAL | 1 << RC_C_SCHEDULE | 1 << RC_C_SYMMETRIC
};

/** Where a kernel stands among those that plans and the drop-in try when nothing is known of the
 *  matrix: which is fastest with its defaults, see data/results/notebook/plans.md.  1 is tried
 *  first, those without a rank last; of one rank in the order of kernels.am. */
typedef struct rc_kernel_rank {
    int64_t from_k; /**< least K that this line is for, ascending from 1; 0 ends the lines */
    int rank;       /**< where B fits the last cache */
    int beyond;     /**< where it does not */
} rc_kernel_rank_t;

enum { RC_KERNEL_RANKS = 3, RC_KERNEL_UNRANKED = 9 };

/** How a kernel builds where the problem has its matrix on the device. */
enum {
    RC_BUILDS_THERE = 1, /**< prepare builds there */
    RC_BUILDS_ALONE = 2  /**< and neither that nor analyse reads the pattern, or the rows of the
                              schedule, on the host, which need not be there */
};

typedef struct rc_kernel {
    const char *name; /**< unique among the kernels for its device */
    const char *summary;
    const char *source;
    int version; /**< bump when its times or numbers may change */
    rc_device_kind_t device;
    rc_op_t op;
    rc_layout_t layout; /**< of the operands with K columns */
    const char *format; /**< of the prepared matrix: the name of its header in src/format; NULL: a
                             library's, or none */
    rc_kernel_rank_t rank[RC_KERNEL_RANKS]; /**< no lines: it has none */
    unsigned c_orders;                      /**< RC_STORES_* */
    unsigned types;                         /**< bits 1 << rc_precision_t; 0: RC_TYPES_IEEE */
    int computes;    /**< 0: writes nothing meaningful, verification is left out */
    int for_testing; /**< 1: not part of "all", nor a candidate of plans: tests and references */
    int builds;      /**< RC_BUILDS_*; 0: from the host alone */
    int any_k;       /**< 1: run takes operands of any K up to that of the problem */
    int out_sums;    /**< 1: an output of the type of sums is stored to as well, where values have
                          another one */
    int scatters;    /**< 1: under an order it stores a column in pieces: no candidate of plans by
                          itself there */
    /** 1: two runs on the same operands and device give the same bits, as the kernel's source or
     *  maker promises; NULL: not promised.  \param[in] param  in the order of the descriptor */
    int (*deterministic)(const int64_t *param);
    /** 1: it multiplies the entries of A and nothing else, so that NaN and infinity of an input
     *  reach the values of the output that IEEE arithmetic says; NULL: padding or the library may
     *  spread them.
     *  \param[in] param  likewise */
    int (*strict)(const int64_t *param);
    rc_param_t param[RC_KERNEL_PARAMS_MAX]; /**< ends at the first NULL name */
    /** NULL, or replaces the canonical text of the parameters by one that identifies what they
     *  stand for (the content of a file); `text` that stays empty is the usual one.
     *  \param[in] param  of the descriptor  \param[in,out] text  [RC_PARAMS_TEXT] */
    rc_status_t (*identify)(
        const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err);
    const void *kind; /**< NULL, or what tells kernels apart that have functions in common */
    /** Look at the matrix under the schedule.
     *  \return RC_OK; RC_ENOTSUP with the reason; RC_ENOMEM.  Cost O(nnz + slots) at most. */
    rc_status_t (*analyse)(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);
    /** The geometry that schedules for this kernel should be built for.
     *  \param[in] param  in the order of the descriptor */
    rc_geometry_t (*geometry)(
        const rc_executor_t *x, const int64_t *param, rc_precision_t precision);
    /** RC_STATE of its state, which begins with rc_prepared_t (kernels/prepared.h). */
    size_t state_bytes;
    /** Bytes of the state that another one has a copy of which shares its matrix; what follows them
     *  is zeros there.  `own` and `fit` set anew what each state has for itself.  0: states share
     *  nothing. */
    size_t shares;
    int64_t k_max; /**< columns at most; 0: any */
    /** NULL, or rearrange and upload into the memory of a state of zeros.  Values are put there by
     *  one call of rc_places_fill.
     *  \param[in] p  that of the state  \param[in] analysis  of it, at any K
     *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP, RC_EDEVICE; what the memory has is freed after an
     *  error, too */
    rc_status_t (*build)(
        void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);
    /** NULL, or make what a state has beside the matrix: what grows with K, for the K of its
     *  problem, and what cannot be shared.  \return as build */
    rc_status_t (*own)(void *state, rc_err_t *err);
    /** NULL, or choose launches for K columns, no more than `own` saw: after it, and in a copy of
     *  the state where a run has fewer columns.  Nothing is allocated.  It sets K of the problem of
     *  the state.  \return as build */
    rc_status_t (*fit)(void *state, int64_t k, rc_err_t *err);
    /** NULL, or the kernel of another operation, of the same device, parameters and state: one
     *  prepared matrix serves both products.  rc_kernel_share of each takes states of the other (of
     *  a problem that differs in the operation alone), and so does `run`, with operands of its own
     *  operation. */
    const char *twin;
    /** NULL, or work once before the first run with these operands; timed apart from both. */
    rc_status_t (*preprocess)(void *state, const rc_operands_t *o, rc_err_t *err);
    /** One run, asked for and on a GPU not waited for; rc_kernel_run calls it.
     *  \param[in] alpha  not 0 in the type of sums
     *  \param[in] o  of as many columns as `fit` saw last, or, without one, as rc_kernel_run */
    rc_status_t (*run)(
        void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
    /** NULL, or free what a state has for itself and not in its memory. */
    void (*release)(void *state);
    /** NULL, or free what the matrix has that is not in the memory, with its last state. */
    void (*drop)(void *state);
} rc_kernel_t;

/** Check what every kernel asks for, then ask the kernel.
 *  \return RC_OK; RC_ENOTSUP (K below 1, a value type without an instance, an order or a type of C
 *          that the kernel does not store, what the kernel itself says); RC_ENOMEM */
rc_status_t rc_kernel_analyse(
    const rc_kernel_t *kernel, const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);

/** Device memory of a prepared matrix at K columns, what of it grows with K, and compulsory traffic
 *  of one run: the prepared matrix, the inputs and the stored rows of the output once, and copies
 *  of them.  INT64_MAX when they overflow. */
int64_t rc_analysis_bytes(const rc_analysis_t *a, int64_t k);
int64_t rc_analysis_column_bytes(const rc_analysis_t *a, int64_t k);
int64_t rc_analysis_traffic(
    const rc_analysis_t *a, const rc_operation_t *o, const rc_problem_t *p, int64_t k);

/** The `deterministic` or `strict` of kernels that are so whatever the parameters.  \return 1 */
int rc_kernel_always(const int64_t *param);

/** The rank of a kernel for a K, from 1 on.
 *  \param[in] beyond  1: B does not fit the last cache  \return RC_KERNEL_UNRANKED: it has none */
int rc_kernel_rank(const rc_kernel_t *kernel, int64_t k, int beyond);

/** 1: the kernel has an instance for values of that type. */
int rc_kernel_takes(const rc_kernel_t *kernel, rc_precision_t type);

/** Likewise, and stores an output of the type of sums where that is asked for. */
int rc_kernel_takes_out(const rc_kernel_t *kernel, rc_precision_t type, int out_sums);

/** 1: the kernel can store its output in that order. */
int rc_kernel_stores(const rc_kernel_t *kernel, rc_c_order_t order);

/** All kernels of this build, in the order of kernels.am; NULL-terminated. */
extern const rc_kernel_t *const rc_kernels[];

/** The kernel of that name for the device, else one of that name for another; NULL: there is none.
 *  Kernels for different devices may share a name. */
const rc_kernel_t *rc_kernel_find(const char *name, rc_device_kind_t device);

/** Kernel i, from 0, of all, those for the device first; NULL past the last. */
const rc_kernel_t *rc_kernel_at(rc_device_kind_t device, int i);

/** A kernel with its parameters, parsed from "name" or "name:key=value:key=value". */
typedef struct rc_kernel_spec {
    const rc_kernel_t *kernel;
    int64_t param[RC_KERNEL_PARAMS_MAX];
    char text[RC_PARAM_VALUE];   /**< of the text parameter; "" without one */
    char params[RC_PARAMS_TEXT]; /**< canonical text, see rc_params_text: "strip=4" */
} rc_kernel_spec_t;

/** Kernels as a family of base/family.h, for each rc_device_kind_t: of two with one name that for
 *  the device is meant.  Member i is rc_kernel_at(device, i). */
extern const rc_family_t rc_kernel_family[];

/** The kernel that rc_kernel_find gives, with its parameters.  \return RC_OK, or as rc_spec_parse
 *  */
rc_status_t rc_kernel_spec_parse(
    const char *text, rc_device_kind_t device, rc_kernel_spec_t *out, rc_err_t *err);

/** The kernel of a parsed text of rc_kernel_family[device]. */
void rc_kernel_spec_set(const rc_spec_t *spec, rc_device_kind_t device, rc_kernel_spec_t *out);

#endif
