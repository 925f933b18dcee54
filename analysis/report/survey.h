/** \file analysis/report/survey.h  What a report shows, gathered from a store in one pass: the
 *  settings (layout, K, precision, row order of C, cache mode, device), the matrices, and for each
 *  matrix in each setting the rows that matter.  Figures and page read this and nothing else of the
 *  store, so that they cannot disagree.  Only newest, current rows with status ok enter
 *  (table/counted.h says why).  Local. */
#ifndef RC_ANALYSIS_SURVEY_H
#define RC_ANALYSIS_SURVEY_H

#include "base/alloc.h"
#include "catalog/catalog.h"
#include "sparse/csr.h"
#include "table/counted.h"

/** Rows that are compared, see table/counted.h. */
typedef struct rc_survey_setting {
    rc_setting_t setting;
    char label[128];     /**< for readers: "K = 128, fp32, row-major"; more where there are several:
                          ", C in schedule order", ", cold cache", ", on DEVICE" */
    char slug[64];       /**< for file names and anchors: "k128-fp32-row"; unique in the survey */
    const char *layout;  /**< of B and C, for readers: "row-major"; "" an operation without K */
    int is_vendors;      /**< 1: only the vendor's libraries were measured: then the kernels of
                             `library` are the plans, and they are compared with no vendor */
    const char *library; /**< the vendor's that was measured, "cuSPARSE", or where there is no
                             sparse one "cuBLAS"; "" none */
    const char *dense; /**< one whose product has A dense, "cuBLAS", and is in no choice; "" none */
    int64_t with_dense;    /**< matrices that it was measured on */
    const char *device;    /**< borrowed from the view */
    const char *reference; /**< the reference kernel, "gstat:strip=8": of the kernels that ran
                                orders besides csr here the one with most matrices, ties to
                                more rows, then to the published kernel (Algorithm 1 of
                                Mehrabi et al.), then to the one that was measured first; of the
                                vendor's only where there is no other; "" none */
    int64_t first;         /**< its pairs are pair[first .. first + pairs) */
    int64_t pairs;
} rc_survey_setting_t;

/** A matrix. */
typedef struct rc_survey_matrix {
    const rc_row_matrix_t *row; /**< rows, cols, nnz, ssid; borrowed from the view */
    char name[129];             /**< "Group/Name" */
    char kind[129];             /**< "" unknown */
    char digest[33];
    double density; /**< nnz / (rows * cols) */
} rc_survey_matrix_t;

/** What is chosen among: the rows of a pair, and parts of them.  The plans are every kernel and
 *  order but those of the vendor's library, which they are compared with.  A product of the vendor
 *  that has A dense is neither. */
typedef enum rc_choice_of {
    RC_CHOICE_ALL,           /**< every plan */
    RC_CHOICE_CSR,           /**< those in the original order */
    RC_CHOICE_REFERENCE,     /**< the reference kernel in every order */
    RC_CHOICE_REFERENCE_CSR, /**< the reference kernel in the original order */
    RC_CHOICE_VENDOR_CSR,    /**< cuSPARSE in the original order */
    RC_CHOICES
} rc_choice_of_t;

/** 1: the row of the view, of that setting, is one of those; an order whose csr was timed on
 *  other cards only is none of the reference kernel's. */
int rc_choice_takes(const rc_view_t *v, const rc_survey_setting_t *a, int choice, int64_t row);

/** One matrix in one setting.  Rows are of the view; -1 stands for none. */
typedef struct rc_survey_pair {
    int32_t matrix; /**< of the survey */
    int32_t setting;
    int32_t cases;                 /**< ok rows that enter */
    int64_t first;                 /**< of these among the entering rows */
    int64_t row[RC_CHOICES];       /**< the fastest of each choice; of equals the original order */
    int32_t reordered[RC_CHOICES]; /**< how many rows of each choice are in another order */
    int has_dense;                 /**< 1: a result of `dense` */
    int noisy_csr;     /**< 1: a plan in the original order was measured, and is noisy */
    int noisy_orders;  /**< 1: likewise one in another */
    double break_even; /**< products after which the fastest of all has paid for its order and
                            preprocessing against the fastest in the original order: the smallest
                            whole N with order + preprocess + N time below the same of that; 0 when
                            it needs no more; NaN when unknown */
} rc_survey_pair_t;

typedef struct rc_survey {
    rc_pool_t memory;
    const rc_view_t *view;          /**< borrowed */
    int32_t op;                     /**< the operation that it is of; -1: no row entered */
    int64_t left_out[RC_STORE_OPS]; /**< result rows that match but are of another operation */
    int settings;
    rc_survey_setting_t
        *setting;     /**< [settings] by device, precision, row order of C, cache, K, n last */
    int main_setting; /**< the one that figures of a single setting show: K = n where there is one,
                         else the one with most matrices (ties: more policies, smaller K); for one
                         without orders besides csr its twin that has them (rc_survey_twin); of
                         layouts with as many row-major, and none where only the vendor's library
                         was measured if there is another; -1 none */
    int matrices;
    rc_survey_matrix_t *matrix; /**< [matrices] with a row that entered, by name */
    int64_t pairs;
    rc_survey_pair_t *pair;    /**< [pairs] by setting, matrix */
    int64_t results;           /**< result rows that entered */
    rc_counted_pairs_t paired; /**< what they are compared with */
    int64_t entering;  /**< the same, those counted twice that stand in the settings of both row
                         orders of C: rows of the original order, of matrices that were measured
                         with C in schedule order */
    int64_t *rows;     /**< [entering] these, by setting, matrix, kernel, policy */
    int32_t *row_pair; /**< [entering] the pair of each */
    int64_t
        status[RC_CASE_STATUSES]; /**< newest result rows by status, before any filter of current */
} rc_survey_t;

/** \param[in] v      stays in use
 *  \param[in] where  only rows that match; NULL: all
 *  \param[in] op     the operation; -1: spmm where there is any, else the first that there is
 *  \param[out] out   free with rc_survey_free
 *  \return RC_OK (also for a store without any ok row: no settings), RC_ENOMEM.  Cost: a sort. */
rc_status_t rc_survey_make(
    const rc_view_t *v, const rc_expr_t *where, int32_t op, rc_survey_t *out, rc_err_t *err);
void rc_survey_free(rc_survey_t *s);

/** A name of an enumeration of the store; NULL: a number that names nothing, which a damaged store
 *  may have. */
const char *rc_survey_name(const char *const *names, int32_t i);

/** The oldest id of a kernel's name, whatever its versions. */
int32_t rc_survey_first_version(const rc_view_t *v, int32_t kernel);

/** The pair of a matrix in a setting; NULL: it has none. */
const rc_survey_pair_t *rc_survey_pair_of(const rc_survey_t *s, int setting, int32_t matrix);

/** Median time of a row of the view in ns, NaN for -1. */
double rc_survey_ns(const rc_survey_t *s, int64_t row);

/** 1: a row of the view is in the original order. */
int rc_survey_is_csr(const rc_survey_t *s, int64_t row);

/** Of the entering rows, which are by pair, the first one of a pair; `entering` behind the last
 *  pair. */
int64_t rc_survey_first_row(const rc_survey_t *s, int64_t pair);

/** The setting of the same products and layout with C in another order of rows that has orders
 *  besides csr, of several the one with most matrices: symmetric orders stand in one of their own.
 *  \return -1: none */
int rc_survey_twin(const rc_survey_t *s, int setting);

/** Where a matrix is: in one of two catalogues (the first that has its name), or where the store
 *  says that it was read.
 *  \param[out] out  borrows  \return 1: there is one, and not absent */
int rc_entry_of_matrix(const rc_survey_t *s, int32_t matrix, const rc_catalog_t *found,
    const rc_catalog_t *builtin, rc_entry_t *out);

/** What an entry holds.
 *  \param[out] a       free with rc_csr_free, after an error too
 *  \param[out] usable  1: the matrix that was measured
 *  \return RC_OK; RC_ENOENT: no file; RC_ENOMEM and what reading may say */
rc_status_t rc_entry_load_measured(
    const rc_entry_t *e, const rc_survey_matrix_t *matrix, rc_csr_t *a, int *usable, rc_err_t *err);

#endif
