/** \file rowcast_plan.h  Plans: for one sparse matrix the fastest product there is, on the
 *  application's own pointers.
 *
 *  librowcast_plan has what this header declares, for the CPU: it needs OpenMP and jansson, no
 *  CUDA, no MPI and no HDF5. librowcast_cuda has all of it too, and plans on GPUs beside
 *  (rowcast_cuda.h); a program links one of the two. The conventions are those of rowcast.h, whose
 *  types it uses.
 *
 *  Where a plan lives decides what pointers its calls take. A plan on the host
 *  (rc_plan_create_host, rc_plan_load_host) takes host memory: `stream` is NULL, `on_device` 0, and
 *  a call returns when its work is done. A plan on a GPU (rc_plan_create, rc_plan_load of
 *  rowcast_cuda.h) takes memory of that GPU, and its runs are asked for on a stream. */
#ifndef ROWCAST_PLAN_H
#define ROWCAST_PLAN_H

#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;       /* what cudaStream_t points to */
struct rc_cuda_allocator; /* of rowcast_cuda.h */

/** For one sparse matrix, one operation and the K that a program will ask for: which kernel and
 *  which row order multiply fastest, prepared and ready to run. C is in original row order always.
 *
 *  A plan is used by one thread at a time, and its runs share a workspace: on a GPU the caller
 *  orders them, by one stream or by events between streams. Two runs of a plan that are not ordered
 *  write each other's results, and two of spmv can wait for each other for ever. Threads or streams
 *  that run at once take a clone each. */
typedef struct rc_plan rc_plan_t;

/** How the arrays of a matrix tell where its entries are. */
typedef enum rc_plan_form {
    RC_PLAN_CSR = 0, /**< by rows: row pointers, and the column of each entry */
    RC_PLAN_CSC = 1, /**< by columns: column pointers, and the row of each entry */
    RC_PLAN_COO = 2  /**< row and column of each entry, in any order */
} rc_plan_form_t;

/** A sparse matrix as an application has it; zero-initialise for CSR with columns of 32 bits.
 *  Entries of a row, or of a column, may come in any order, each place of the matrix once; of sddmm
 *  in CSR, or in COO, row by row with ascending columns.  Other forms and orders than that are
 *  sorted while the plan is made. */
typedef struct rc_plan_matrix {
    int64_t rows;        /**< of A */
    int64_t cols;        /**< of A */
    int64_t nnz;         /**< stored entries */
    const void *row_ptr; /**< [rows + 1]; of CSC [cols + 1] column pointers; of COO [nnz] rows */
    int row_ptr_bytes;   /**< of one of them: 4 or 8 */
    const void *col_idx; /**< [nnz] columns; of CSC rows */
    const void *val;     /**< [nnz] in the order of `col_idx` */
    rc_precision_t precision; /**< of the values, which may be another one than the problem's, but
                                   not complex where that is real; 0 is fp32 */
    int on_device;     /**< 1: arrays of the GPU of the stream, 0: of the host, as for its plans */
    int col_idx_bytes; /**< of one of `col_idx`: 4 or 8; 0: 4 */
    rc_plan_form_t form; /**< of the arrays */
} rc_plan_matrix_t;

/** What is found out of the pattern of a matrix, which is CSR. */
typedef struct rc_pattern_info {
    /** of shape, row pointers and columns, whatever their widths and wherever they are: those of
     *  two patterns are the same by a chance of 2^-128 */
    uint64_t digest[2];
    int ascending; /**< 1: the columns of each row ascend, each once */
} rc_pattern_info_t;

/** Check a pattern where it is and digest it: to know one again, or before a plan is made.
 *  \param[in]  a  CSR of the host; values are not read
 *  \param[in]  threads  as of rc_plan_options_t
 *  \return RC_OK; RC_EINVAL (arguments), RC_ERANGE (more rows or columns than 2^31 - 1),
 *          RC_EFORMAT (a matrix that is none: the text names pointer, or row and column).  Local.
 *          Cost O(nnz + rows): both arrays are read once */
RC_API rc_status_t rc_pattern_read_host(
    const rc_plan_matrix_t *a, int threads, rc_pattern_info_t *out, rc_err_t *err);

/** What is to be computed. */
typedef struct rc_plan_problem {
    rc_op_t op;               /**< the product */
    rc_precision_t precision; /**< of the dense operands, but see out_fp32; complex ones on a GPU at
                                   multiples of their bytes */
    rc_layout_t layout; /**< of the dense operands with K columns; mixed ones are of spmm, and no
                             model knows them */
    const int64_t *k;   /**< [ks], each >= 1 and once; operations without K: NULL */
    int ks;             /**< 0 for operations without K */
    int k_range; /**< 1: k has two, the least and the most, and runs may have any K between; what is
                             chosen for a power of two serves the K below it too, down to the one
                             before */
    int64_t ld_in[2]; /**< leading dimensions, in values, that runs will have; 0: the least for each
                             K.  Runs may have others, which cuSPARSE's kernels may refuse with
                             RC_ENOTSUP and ours do not */
    int64_t ld_out;   /**< likewise of C */
    int out_fp32;     /**< 1: C has fp32, and B 16 bits: C is the sums as they are, without the last
                           rounding.  Not every kernel stores them, and no model knows it */
} rc_plan_problem_t;

/** What kernels must promise, as bits. */
enum {
    RC_PLAN_SAME_BITS = 1, /**< two runs on the same operands give the same bits */
    /** NaN and infinity in B, and in values of A, reach the values of C that IEEE arithmetic says,
     *  and no others: nothing is multiplied by the zeros of padding */
    RC_PLAN_STRICT = 2
};

/** As `tune`: every kernel and every algorithm of the vendor's library in original order, then row
 *  orders from the cheapest on, until `tune_ns` are over; two candidates are timed at least.
 *  Chosen is what costs least after `reuse` products, beyond noise; where that is 0, after
 *  RC_PLAN_SEARCH_REUSE, without what preparing takes.  The time of it, and those it is held
 *  against, are of batches that chose nothing, unless other programs hide what is faster.
 *
 *  Where a plan of the host is timed, by a search or by any `tune`, and other programs share the
 *  CPUs, OpenMP threads of the process wait for each other asleep meanwhile, and afterwards as
 *  before, which is spinning by default: products take many times as long there, unless
 *  OMP_WAIT_POLICY=passive is in the environment when the process starts. */
enum { RC_PLAN_SEARCH = -1, RC_PLAN_SEARCH_REUSE = 1000 };

/** What else a plan multiplies by, and of what values, as bits of rc_plan_options_t.transposed. */
enum {
    RC_PLAN_TRANSPOSED = 1, /**< the other product is with A' */
    RC_PLAN_ADJOINT = 2,    /**< with A^H: as A' where the numbers are real */
    RC_PLAN_CONJUGATED = 4  /**< complex values are conjugated as they are read, new ones too: A
                                 stands for that */
};

/** How to choose; zero-initialise for the defaults. */
typedef struct rc_plan_options {
    const char *kernels;     /**< "gchunk:entries=16", or several and globs with commas; NULL:
                               any, on a GPU those first that a rule expects to be fastest */
    const char *orders;      /**< likewise "csr,lpt"; NULL: those of the model, or "csr". For spmm
                             on a GPU "auto" comes before it where an order may pay: above 30,000
                             rows, with a B of a sixteenth of the L2 or more; with `tune` also where
                             B is beyond the L2 */
    const rc_model_t *model; /**< that predicts times, borrowed during the call; NULL: none */
    int extrapolate;         /**< 1: ask the model also outside of what it knows */
    int tune; /**< time this many candidates at most on the matrix itself, and, without `kernels`,
                   the vendor's default kernel before them (cuSPARSE, on a CPU oneMKL where the
                   library has it) and up to three other algorithms of it after them; 0: none;
                   RC_PLAN_SEARCH */
    int64_t tune_ns; /**< stop timing more of them after this long for each K, of a search for all K
                          together; 0: two seconds, of a search five; on a GPU, but for a search, 30
                          products of the vendor's default beside that itself, or 2.2 ms where that
                          is more */
    /** bytes that the plan and its timing may take, of the memory of the GPU, or of the host for a
     *  plan there; 0: any. While an order or a matrix is built on a GPU it takes scratch beside,
     *  about as much as the matrix */
    int64_t memory;
    /** expected products: what costs least in total is chosen, and another candidate is timed only
     *  while timing has taken less than 5 % of the products' time by the best so far, the first
     *  that is not cuSPARSE's while less than 20 %. Without `tune` and a model a rule says what
     *  setting up and a product cost: few have cuSPARSE's, unordered. 0: the fastest product */
    double reuse;
    int deterministic; /**< only kernels that promise so: RC_PLAN_SAME_BITS | RC_PLAN_STRICT */
    int threads;       /**< of the host, for orders and features, and for the products of a plan
                            there; 0: all. What the caller has set of OpenMP stays as it is */
    const struct rc_cuda_allocator *allocator; /**< of GPU memory, copied; NULL: cudaMallocAsync and
                                                    cudaFreeAsync on the stream. For a plan on the
                                                    host NULL */
    /** candidates to measure at most in the program's own products, with `tune` 0: the plan runs
     *  the first that can. Between its first products the next is prepared, multiplies in some of
     *  them, and stays where it is faster beyond the errors. No product is waited for, and each is
     *  a whole one. A K takes 4 products and 26 for each candidate, of those that have its most
     *  columns and a beta of one kind (0 or not). All end after 2,000 products for each candidate
     *  and K, when a graph captures a product of that K, and with new values. Until then the device
     *  keeps a copy of the matrix, and one candidate for each K. With RC_PLAN_SAME_BITS nothing is
     *  measured; 0: none */
    int tune_in_use;
    /** RC_PLAN_TRANSPOSED (1) or RC_PLAN_ADJOINT (2): rc_plan_execute_transposed has the other
     *  product, as fast as a plan of it. Beside A the plan prepares A', or A^H, which it forms
     *  once, with kernels and orders of its own. What is said here of a plan is true of each of the
     *  two: what is named, timed (in use too), `tune_ns`, `reuse`. Each may take half of `memory`.
     *  The leading dimensions of the problem that are of B are of C with A', and the reverse. Where
     *  `kernels` names rs alone, its one matrix serves both. A plan of spmm_t becomes one of spmm
     *  of A', which has faster kernels: those are what `kernels` names. Not of sddmm.
     *  RC_PLAN_CONJUGATED (4) goes with either, or alone */
    int transposed;
} rc_plan_options_t;

/** Why a candidate was chosen. */
typedef enum rc_plan_why {
    RC_PLAN_NAMED = 0,   /**< one kernel and one order were named: nothing was left to choose */
    RC_PLAN_TIMED = 1,   /**< the best of those timed on the matrix */
    RC_PLAN_MODEL = 2,   /**< the best that the model predicts */
    RC_PLAN_DEFAULT = 3, /**< the first candidate that can: nothing was timed */
    RC_PLAN_LOADED = 4   /**< as an earlier plan of this pattern */
} rc_plan_why_t;

/** "named", "timed", "model", "default", "loaded". */
RC_API const char *rc_plan_why_name(rc_plan_why_t why);

enum { RC_PLAN_KERNEL_MAX = 160, RC_PLAN_ORDER_MAX = 128 };

/** A pair of kernel and row order.  Times are ns; NaN: not known. */
typedef struct rc_plan_candidate {
    char kernel[RC_PLAN_KERNEL_MAX]; /**< with parameters */
    char order[RC_PLAN_ORDER_MAX];   /**< likewise */
    double predicted_ns;             /**< of one product, by the model */
    double predicted_setup_ns;       /**< order and preparation, by the model */
    double order_ns;                 /**< measured: building the order */
    double prepare_ns; /**< measured: uploading, rearranging, preprocessing; candidates that are
                            rearranged on the device share one upload and the checks there, which
                            count for each */
    double time_ns;    /**< measured: of one product, median of batches */
    int64_t bytes;     /**< of memory where the plan is: the prepared matrix, unless an earlier K of
                                    the plan has the same, and workspace; -1 not known */
    rc_status_t status; /**< RC_OK, or why it cannot be used */
    char text[200];     /**< of that status, or why it was not timed */
} rc_plan_candidate_t;

/** What a plan does for one K.  All borrowed from the plan. */
typedef struct rc_plan_part {
    int64_t k;                            /**< 1 for operations without K; of a range the most */
    int64_t k_least;                      /**< of a range, else k */
    int candidates;                       /**< >= 1 */
    const rc_plan_candidate_t *candidate; /**< [candidates] in the order in which they were tried */
    int chosen;                           /**< index */
    int reference; /**< index of the one that changes nothing: of the vendor's in original order the
                        fastest that was timed, else the first, else the first of any kernel in that
                        order; the only one where the plan was loaded */
    rc_plan_why_t why; /**< it was chosen */
    int transposed; /**< 1: of the product of rc_plan_execute_transposed, in a plan made for both */
    double tune_ns; /**< spent in timing candidates, preparations of those not chosen included */
} rc_plan_part_t;

/** Make a plan on the host, for products on its CPUs.  The matrix is read during the call alone.
 *
 *  Candidates are: with a model its classes that fit, best first; else each of the kernels (of the
 *  operation and layout) with each of the orders, but kernels that are not named and would scatter
 *  columns with the original order alone.  One that the matrix, the memory or the options do not
 *  allow is passed over and says why in rc_plan_part.
 *  \param[in]  a        host memory
 *  \param[in]  options  NULL: the defaults
 *  \param[out] out      free with rc_plan_free
 *  \return RC_OK; RC_EINVAL (arguments; no such kernel or order); RC_EFORMAT (a matrix that is
 *          none: the text names row and column); RC_ENOTSUP (none can; the model does not know the
 *          request); RC_ERANGE (more rows or columns than 2^31 - 1); RC_ENOMEM; RC_EDEVICE (OpenMP
 *          gives fewer threads). After an error there is no plan and nothing is kept. Local. Cost:
 *          the orders and preparations that are tried. */
RC_API rc_status_t rc_plan_create_host(const rc_plan_problem_t *problem, const rc_plan_matrix_t *a,
    const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err);

/** As rc_plan_create_host, with the choices and orders of a file of rc_plan_save: nothing is
 *  ordered, predicted or timed.
 *  \param[in] options  threads and `transposed` are read: the file must have the product that it
 *          asks for, and values conjugated or not; a product that it does not ask for may be there
 *  \return as rc_plan_create_host; RC_ENOENT, RC_EIO, RC_EFORMAT (the file); RC_EINVAL (of another
 *          pattern, problem, CPU, threads or product: the text names found and expected);
 *          RC_ENOTSUP (a kernel or version that this library does not have) */
RC_API rc_status_t rc_plan_load_host(const char *path, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err);

/** A plan with the same choices, values and bits of its results, and a workspace of its own: for
 *  another thread, or a stream that runs at the same time. The prepared matrix is shared where the
 *  kernel can (chunks, panels, stages, slices, growmajor, and cuSPARSE's SpMM of CSR and COO) until
 *  either plan gets new values.
 *  \param[in] plan    of a create or load, or this; neither keeps the other alive
 *  \param[in] stream  of the same GPU, else as in rc_plan_create; of a plan on the host NULL
 *  Cost: the matrix once more in host memory, where the plan has it there; where it is not shared,
 *  its preparation.
 *  \return RC_OK, RC_EINVAL, RC_ENOMEM, RC_EDEVICE */
RC_API rc_status_t rc_plan_clone(
    const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err);

/** Free a plan, after the runs that were asked for; NULL is allowed. Waits for the stream of the
 *  last call with it, which must still exist (as for clone and update). */
RC_API void rc_plan_free(rc_plan_t *plan);

/** The plan's operation once: out = alpha f(A, in) + beta out. On a GPU it is asked for on the
 *  stream and not waited for; nothing is allocated (but by `tune_in_use`, outside of a capture), so
 *  that it can become part of a graph. On the host it is done when the call returns. Two runs on
 *  the same operands give the same bits where the plan was made with RC_PLAN_SAME_BITS. With alpha
 *  0 neither A nor B is read.
 *  \param[in] k         one of the plan's, or in its range; ignored for spmv
 *  \param[in] b, ldb where the plan is (device or host memory), in its precision and layout: B of
 *                       spmm and spmm_t with its leading dimension in values; x of spmv, which has
 *                       none
 *  \param[in,out] c, ldc  C or y; with beta 0 what it held is not read
 *  \param[in] stream of the plan's GPU, of a plan on the host NULL; after another run of this plan
 *                       that was asked for on another stream, which it is to wait for
 *                       (cudaStreamWaitEvent)
 *  \return RC_OK; RC_EINVAL (a null pointer, a leading dimension that is too small, misaligned or
 *          overlapping operands, a stream of another GPU or for the host, a plan of sddmm);
 *          RC_ERANGE (a K that the plan does not have); RC_ENOTSUP (leading dimensions that what
 *          was chosen does not take; a plan on the host of several threads in a child of fork(),
 *          which has one); RC_EDEVICE. Nothing is written after any of them but the last, and the
 *          next call works. */
RC_API rc_status_t rc_plan_execute(rc_plan_t *plan, int64_t k, double alpha, const void *b,
    int64_t ldb, double beta, void *c, int64_t ldc, struct CUstream_st *stream, rc_err_t *err);

/** The product with the transposed matrix of the plan: C = alpha A' B + beta C of a plan of spmm
 *  or spmv, C = alpha A B + beta C of one of spmm_t. For plans made with options->transposed, and
 *  for those of the kernel rs, which has both products in one prepared matrix.
 *  \param[in] b, ldb of spmm: rows x K, where rc_plan_execute takes cols x K; of spmm_t the
 *                    reverse; of spmv rows values
 *  \param[in,out] c, ldc  of spmm: cols x K
 *  \return as rc_plan_execute; RC_ENOTSUP also where the choice for that K has no such product */
RC_API rc_status_t rc_plan_execute_transposed(rc_plan_t *plan, int64_t k, double alpha,
    const void *b, int64_t ldb, double beta, void *c, int64_t ldc, struct CUstream_st *stream,
    rc_err_t *err);

/** As rc_plan_execute, of a plan of sddmm: out = alpha A .* (Y X') + beta out.
 *  \param[in] y, ldy  rows x K    \param[in] x, ldx  cols x K
 *  \param[in,out] out  [nnz] in the order of the matrix */
RC_API rc_status_t rc_plan_execute_sddmm(rc_plan_t *plan, int64_t k, double alpha, const void *y,
    int64_t ldy, const void *x, int64_t ldx, double beta, void *out, struct CUstream_st *stream,
    rc_err_t *err);

/** A product with complex factors, of any operation. Zero-initialise. */
typedef struct rc_plan_product {
    int64_t k;         /**< as of rc_plan_execute */
    double alpha[2];   /**< real and imaginary part of the factor of the product */
    double beta[2];    /**< likewise of what is there */
    const void *in[2]; /**< B or x; of sddmm Y and X */
    int64_t ld_in[2];  /**< their leading dimensions, in values */
    void *out;         /**< what is stored to: C or y; of sddmm [nnz] */
    int64_t ld_out;    /**< its leading dimension, in values */
    int transposed;    /**< 1: as rc_plan_execute_transposed */
    int conjugated;    /**< 1, with `transposed`: A^H, of a plan made with RC_PLAN_ADJOINT; 0: A' */
} rc_plan_product_t;

/** As rc_plan_execute, rc_plan_execute_transposed or rc_plan_execute_sddmm, with complex factors.
 *  X' of sddmm is the transpose.  Conjugated are the values of plans that were made so alone.
 *  \return as they say; RC_EINVAL also for an imaginary part with a plan of real numbers;
 *          RC_ENOTSUP for A^H of a plan with A', and the reverse */
RC_API rc_status_t rc_plan_execute_complex(
    rc_plan_t *plan, const rc_plan_product_t *product, struct CUstream_st *stream, rc_err_t *err);

/** One product of several: the arguments of rc_plan_execute. Zero-initialise. */
typedef struct rc_plan_call {
    rc_plan_t *plan; /**< of spmm, spmm_t or spmv */
    int64_t k;       /**< one of the plan's */
    double alpha;    /**< factor of the product */
    const void *b;   /**< what is multiplied */
    int64_t ldb;     /**< its leading dimension, in values */
    double beta;     /**< factor of what is there */
    void *c;         /**< what is stored to */
    int64_t ldc;     /**< its leading dimension, in values */
    int transposed;  /**< 1: as rc_plan_execute_transposed */
} rc_plan_call_t;

/** Several products by one call, in their order, as by one rc_plan_execute after the other: for
 *  solvers of several blocks or levels. All are checked before the first one is asked for. A plan
 *  may be there more than once.
 *  \param[in] call    [calls]
 *  \param[in] calls   0: nothing is done
 *  \param[in] stream  of all of them
 *  \return as rc_plan_execute, with the index of the call, from 0, in the text; RC_EINVAL: fewer
 *          than 0 calls. After RC_EINVAL and RC_ERANGE nothing was written; after another error,
 *          which may be found on the way, the products before that call were asked for. */
RC_API rc_status_t rc_plan_execute_many(
    const rc_plan_call_t *call, int calls, struct CUstream_st *stream, rc_err_t *err);

/** New values on the same pattern, in the order in which the matrix of the plan had them. The
 *  choices stay. Runs that are asked for later on the stream multiply by them, with A' too.
 *
 *  Most kernels say where the prepared matrix has its values (ours but for gplain-sddmm; cuSPARSE's
 *  CSR and COO without preprocessing): then the first call finds out which is where, and later ones
 *  with values where the plan is are a gather (on a GPU a launch) for each prepared matrix: nothing
 *  is allocated or waited for, and they can become part of a graph. With other kernels, and the
 *  first time where a clone shares the matrix, it is prepared anew: so are graphs that hold runs.
 *  \param[in] nnz     as many as the matrix has entries
 *  \param[in] val [nnz]; in memory of the plan's GPU when on_device.
 *                     Those are read when the stream gets there, values of the host during the
 *                     call, which waits
 *  \param[in] precision  of the values: that of the matrix, or another one
 *  \param[in] stream  of the plan's GPU, of a plan on the host NULL; in a graph's capture only
 *                     where nothing is waited for
 *  \return RC_OK; RC_EINVAL (also another nnz); RC_ENOMEM; RC_EDEVICE. After an error the old
 *          values are in use. Cost: of the first call a preparation, and 4 bytes of memory there
 *          for each stored value (8 from 2^31 - 1 entries); of later ones that and the values are
 *          read, and the prepared values written. */
RC_API rc_status_t rc_plan_update_values(rc_plan_t *plan, int64_t nnz, const void *val,
    rc_precision_t precision, int on_device, struct CUstream_st *stream, rc_err_t *err);

/** Number of parts: one for each K, or for each piece of a range; of a plan made for A and A' those
 *  with A', too, unless one matrix serves both; of NULL 0. */
RC_API int rc_plan_parts(const rc_plan_t *plan);

/** Part at index 0 .. rc_plan_parts - 1, in the order of the problem's K; those with A' last.
 *  \return RC_OK or RC_EINVAL (a NULL; outside) */
RC_API rc_status_t rc_plan_part(
    const rc_plan_t *plan, int index, rc_plan_part_t *out, rc_err_t *err);

/** Products after which a candidate has paid for its setup over the reference of its part: by
 *  measured times where both were timed, else by predicted ones. 0 for the reference itself,
 *  INFINITY when it never does, NaN when times are missing, the plan was loaded, or there is no
 *  such candidate. */
RC_API double rc_plan_break_even(const rc_plan_part_t *part, int index);

/** What was chosen for each K, why, and what it takes: a few lines for people.
 *  \param[out] text  [size]; cut when it is longer
 *  \return bytes that the whole text takes, without its end; of NULL 0 */
RC_API size_t rc_plan_describe(const rc_plan_t *plan, char *text, size_t size);

/** A pair of order and kernel of an answer. Times are ns; NaN: not known. */
typedef struct rc_plan_row {
    int candidate;      /**< its index in rc_plan_part */
    const char *kernel; /**< with parameters */
    const char *order;  /**< likewise */
    double time_ns;     /**< of one product */
    double error;       /**< relative standard error of that */
    double speedup;     /**< time of the baseline over that */
    double order_ns;    /**< building the order */
    double setup_ns;    /**< that and the preparation */
    double pays_after;  /**< products after which a row has paid over the first one in original
                            order: its setup less that of the other, by the time saved, rounded up;
                            with the same kernel order_ns counts, else setup_ns.  0 for that one,
                            INFINITY: never, NaN: `again` differs */
    int chosen;         /**< 1: the choice */
    int baseline;       /**< 1: the one that speedups are over; a loaded plan has none */
    int again;          /**< 1: timed again with the chosen one in turns, so that they compare */
    const char *note;   /**< why it was chosen, or has no time, or would have been chosen
                            and was not confirmed; "" */
} rc_plan_row_t;

/** What was found for one K. */
typedef struct rc_plan_answer {
    int64_t k;          /**< as of rc_plan_part_t */
    int rows;           /**< how many */
    int transposed;     /**< as of rc_plan_part_t; the sentence begins with "Transposed:" */
    rc_plan_row_t *row; /**< [rows] the chosen one, then by time, those with `again` first; last
                             those without */
    char sentence[400]; /**< keep the order or not, with what, how fast, and when others pay */
} rc_plan_answer_t;

/** What a plan found for a K, as rows and a sentence; of most use after RC_PLAN_SEARCH.
 *  \param[in]  index  as of rc_plan_part
 *  \param[out] out    free with rc_plan_answer_free; its texts are borrowed from the plan
 *  \return RC_OK, RC_EINVAL, RC_ENOMEM */
RC_API rc_status_t rc_plan_answer(
    const rc_plan_t *plan, int index, rc_plan_answer_t *out, rc_err_t *err);

/** That other programs had a part of the CPUs while a plan on the host was timed, as a line:
 *  "load 6.2 on 2 CPUs: other programs made these times".  A file of a plan keeps it.
 *  \return borrowed from the plan; "": none had, that is not known, or nothing was timed; of a GPU
 *          and of NULL "" */
RC_API const char *rc_plan_company(const rc_plan_t *plan);

/** Free the rows; NULL and an emptied one are allowed. */
RC_API void rc_plan_answer_free(rc_plan_answer_t *answer);

/** Write the choices and orders to a file, for the next run on the same pattern; those for A', too,
 *  which loading makes again.  The file is replaced as a whole.  A plan on a GPU waits for the
 *  stream of its last call, which must still exist and not be captured.
 *  \return RC_OK, RC_EINVAL (a NULL), RC_EIO, RC_ENOMEM, RC_EDEVICE */
RC_API rc_status_t rc_plan_save(const rc_plan_t *plan, const char *path, rc_err_t *err);

/* --------------------------------------------------------------- square systems */

/** A square system A x = b that a solver renumbers once: rows, columns and vectors by one order.
 *  It solves P A P' (P x) = P b, and renumbers x back.  Slot p of what is renumbered is row
 *  `row[p]` of the original.  Used by one thread at a time; on a GPU the caller orders the streams
 *  of its calls, as those of a plan. */
typedef struct rc_system rc_system_t;

/** How to renumber; zero-initialise for the defaults. */
typedef struct rc_system_options {
    const char *order; /**< as of rc_order_build: "rcm", "bandk:srs=32"; NULL: "auto", which keeps
                            the original order where no other brings rows together */
    int64_t k;         /**< columns of the products that the solver makes, by rows, for what they
                            gain; 0: a vector, of which nothing is predicted */
    rc_precision_t precision; /**< of those products */
    int threads;              /**< of the host; 0: all */
    /** of GPU memory, copied; NULL: as for a plan.  For a system on the host NULL */
    const struct rc_cuda_allocator *allocator;
} rc_system_options_t;

/** What an order is and what it is worth.  Times are ns; NaN: not known. */
typedef struct rc_system_info {
    char order[RC_PLAN_ORDER_MAX]; /**< with parameters */
    int64_t rows;                  /**< of A */
    const int32_t *row;  /**< [rows] original row of each slot (new -> old), in memory of where the
                              system is; borrowed */
    const int32_t *slot; /**< [rows] slot of each original row (old -> new), likewise */
    int identity;        /**< 1: the original order */
    double order_ns;     /**< measured: reading the pattern and building the order */
    double permute_ns;   /**< measured: the last rc_system_permute; 0: none yet */
    double gain; /**< predicted: time of a product in the original order over that in this one; 1
                      for the original order.  Known for products by rows of 8 or more columns on a
                      GPU, from sampled rows (`rowcast evaluate --when` has the rule) */
    double break_even; /**< products after which both times above are won back; 0 for the original
                              order, INFINITY: never, NaN: the gain is not known */
} rc_system_info_t;

/** Where a permuted matrix goes: CSR in the caller's memory where the system is, columns of each
 *  row ascending. */
typedef struct rc_system_matrix {
    int64_t nnz;              /**< entries, those of A */
    void *row_ptr;            /**< [rows + 1] */
    int row_ptr_bytes;        /**< of one of them: 4 or 8 */
    void *col_idx;            /**< [nnz] */
    int col_idx_bytes;        /**< of one of them: 4 or 8 */
    void *val;                /**< [nnz]; NULL: the pattern alone */
    rc_precision_t precision; /**< of the values, each rounded once where A has another */
    void *place;              /**< [nnz] number of the entry in the arrays of A, from 1 on, for
                                   rc_system_values; NULL: not wanted */
    int place_bytes;          /**< of one of them: 4 (at most 2^31 - 1 entries) or 8 */
} rc_system_matrix_t;

/** A vector, or a block of columns, to be renumbered.  Bits are copied. */
typedef struct rc_system_block {
    const void *from;         /**< [rows x k], where the system is */
    int64_t ld_from;          /**< leading dimension in values; 0: the least */
    void *to;                 /**< [rows x k], elsewhere */
    int64_t ld_to;            /**< likewise */
    int64_t k;                /**< columns: 1 for a vector */
    rc_layout_t layout;       /**< of `from` and `to`; mixed ones say that of `from` first */
    rc_precision_t precision; /**< of the values: how many bytes one has */
} rc_system_block_t;

/** One order for the rows, the columns and the vectors of a square system on the host.  An order of
 *  rows (mincol, multilevel, ...) renumbers the columns alike; those that deal rows out to workers,
 *  or leave rows out, are refused.
 *  \param[in]  a        host memory, of any form; read during the call alone, its values are not
 *  \param[in]  options  NULL: the defaults
 *  \param[out] out      free with rc_system_free
 *  \return RC_OK; RC_EINVAL (a NULL, a matrix that is not square, options); RC_EFORMAT (a matrix
 *          that is none: the text names row and column); RC_ENOTSUP (an order for rows alone, or
 *          one that this build does not have); as rc_order_build.  Cost: the order, O(nnz + rows);
 *          8 bytes of memory a row are kept. */
RC_API rc_status_t rc_order_system(const rc_plan_matrix_t *a, const rc_system_options_t *options,
    rc_system_t **out, rc_err_t *err);

/** Free a system, after the calls that were asked for; NULL is allowed.  On a GPU it waits for the
 *  stream of the last call. */
RC_API void rc_system_free(rc_system_t *s);

/** What was found.  \return RC_OK or RC_EINVAL (a NULL) */
RC_API rc_status_t rc_system_info(const rc_system_t *s, rc_system_info_t *out, rc_err_t *err);

/** P A P' of the matrix of the system, or of any other of as many rows and columns.
 *  \param[in] a       where the system is, of any form
 *  \param[in] to      arrays that get it; apart from those of A
 *  \param[in] stream  of the system's GPU, of a system on the host NULL; it waits for it
 *  \return RC_OK; RC_EINVAL (a NULL, another number of rows, columns or entries, widths, complex
 *          values for real ones); RC_EFORMAT (a matrix that is none); RC_ERANGE (pointers or places
 *          that 4 bytes do not hold); RC_ENOTSUP (arrays that are not aligned to their numbers; on
 *          a GPU 2^31 - 1 entries or more); RC_ENOMEM; RC_EDEVICE.  After an error `to` holds
 *          anything.  Cost O(nnz log(row length)); about 40 bytes an entry on the way. */
RC_API rc_status_t rc_system_permute(rc_system_t *s, const rc_plan_matrix_t *a,
    const rc_system_matrix_t *to, struct CUstream_st *stream, rc_err_t *err);

/** New values of a permuted matrix: one gather, nothing is sorted.  On a GPU it is asked for on the
 *  stream and not waited for; nothing is allocated.
 *  \param[in] val  [nnz] in the order of A, where the system is  \param[in] precision  of them
 *  \param[in] to   `place` as rc_system_permute left it, `val` gets them; `nnz`, `precision` and
 *                  `place_bytes` are read, too
 *  \return RC_OK; RC_EINVAL; RC_ERANGE (places that 4 bytes do not hold); RC_ENOTSUP (arrays that
 *          are not aligned to their numbers); RC_EDEVICE */
RC_API rc_status_t rc_system_values(rc_system_t *s, const void *val, rc_precision_t precision,
    const rc_system_matrix_t *to, struct CUstream_st *stream, rc_err_t *err);

/** Into the order: row p of `to` is row `row[p]` of `from`, as P x.  Asked for as rc_system_values.
 *  \return RC_OK; RC_EINVAL (a NULL, a leading dimension that is too small, blocks that overlap,
 *          a stream of another GPU or for the host); RC_ENOTSUP (a system on the host of several
 *          threads in a child of fork()); RC_EDEVICE */
RC_API rc_status_t rc_system_to(
    rc_system_t *s, const rc_system_block_t *x, struct CUstream_st *stream, rc_err_t *err);

/** Back: row `row[p]` of `to` is row p of `from`, as P' x.  \return as rc_system_to */
RC_API rc_status_t rc_system_back(
    rc_system_t *s, const rc_system_block_t *x, struct CUstream_st *stream, rc_err_t *err);

/* --------------------------------------------------------------- custom calls of XLA */

struct XLA_FFI_CallFrame; /* of XLA's header, which nobody needs here */
struct XLA_FFI_Error;     /* likewise */

/** A plan for custom calls of XLA, which JAX makes (`rowcast.jax`).  Any thread may call; calls
 *  take turns.  Each stream of the plan's GPU gets a clone at its first call. */
typedef struct rc_xla_plan rc_xla_plan_t;

/** \param[in]  plan  by rows; from now on it is this one's, unless the call fails
 *  \param[out] out   free with rc_xla_plan_free
 *  \return RC_OK, RC_EINVAL, RC_ENOMEM */
RC_API rc_status_t rc_xla_plan_new(rc_plan_t *plan, rc_xla_plan_t **out, rc_err_t *err);

/** Free the plan and its clones, as rc_plan_free; later calls are refused. NULL is allowed. */
RC_API void rc_xla_plan_close(rc_xla_plan_t *p);

/** Close it and free it, when no call can come any more; NULL is allowed. */
RC_API void rc_xla_plan_free(rc_xla_plan_t *p);

/** The handler, for all stages and platforms, which is registered with XLA's typed interface,
 *  version 0.1 and later of major 0.  Its attribute `plan` of 64 bits is the address of an
 *  rc_xla_plan_t.  Arguments are the plan's dense operands, row by row, or its new values before
 *  them; the result is what the plan stores.  On a GPU it is asked for on XLA's stream.
 *  \return NULL, or an error of XLA with one line */
RC_API struct XLA_FFI_Error *rc_xla_call(struct XLA_FFI_CallFrame *frame);

#ifdef __cplusplus
}
#endif
#endif
