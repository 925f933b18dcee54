/** \file model/model.h  A selector in memory: what it was fitted on, how its inputs are made from
 *  features, which classes it chooses among, and the predictor that scores them.  Trainers fill one
 *  and write it; a solver reads one and asks it.  Local throughout.
 *
 *  A prediction:  input value -> transform -> (value - mean) / scale -> predictor -> one output per
 *  class -> times (or scores) -> the chosen class.  Every step is done in the same order of
 *  operations as in the C source that rc_model_export_c writes, so the choices are bit-identical.
 */
#ifndef RC_MODEL_MODEL_H
#define RC_MODEL_MODEL_H

#include "base/type.h"
#include "model/predictor.h"
#include "rowcast.h"

#include <jansson.h>
#include <stdio.h>

#define RC_MODEL_FORMAT "rowcast-model"
/** Of the files that are written; older ones are read.  1: did not say K, layouts, what is
 *  deterministic, memory, and what features take: K is derived, the others are unknown. */
enum { RC_MODEL_VERSION = 2 };

/** Precisions, as bits, that files name also where they were not trained; others only where they
 *  were. */
enum { RC_MODEL_TYPES = RC_TYPES_IEEE };

/** What is chosen. */
typedef enum rc_task {
    RC_TASK_ORDER = 0, /**< a row order, for a given kernel */
    RC_TASK_PLAN = 1,  /**< a pair of kernel and row order */
    RC_TASK_FORMAT = 2 /**< a format, as the kernel that stands for it; rows in original order */
} rc_task_t;

/** How a value enters. */
typedef enum rc_transform {
    RC_TRANSFORM_NONE = 0,
    RC_TRANSFORM_LOG1P = 1, /**< log(1 + max(value, 0)): counts */
    RC_TRANSFORM_LOG = 2    /**< log(max(value, 1e-300)): ratios in (0, 1] */
} rc_transform_t;

/** What the outputs of the predictor mean. */
typedef enum rc_output {
    RC_OUTPUT_LOG_NS = 0,    /**< log of the time of one product in ns */
    RC_OUTPUT_LOG_RATIO = 1, /**< at the baseline class log ns; elsewhere log(time / time of the
                                  baseline class) */
    RC_OUTPUT_SCORE = 2      /**< larger is better; there are no times */
} rc_output_t;

/** Names in the order of the values, NULL-terminated, as in model files. */
extern const char *const rc_task_names[];
extern const char *const rc_model_operation_names[]; /**< numbered as the operations of a store */
extern const char *const rc_transform_names[];
extern const char *const rc_output_names[];
extern const char *const rc_layout_bit_names[];    /**< "unknown", then by RC_LAYOUT_* */
extern const char *const rc_deterministic_names[]; /**< by rc_deterministic_t */

/** Whether two runs of a kernel give the same bits. */
typedef enum rc_deterministic {
    RC_DETERMINISTIC_UNKNOWN = 0,
    RC_DETERMINISTIC_NO = 1,
    RC_DETERMINISTIC_YES = 2
} rc_deterministic_t;

enum {
    RC_INPUT_NAME_MAX = 64,
    RC_CLASS_NAME_MAX = 289,  /* kernel, "/", policy */
    RC_POLICY_NAME_MAX = 128, /* name, ":", parameters */
    RC_KERNEL_NAME_MAX = 160,
    RC_DEVICE_NAME_MAX = 160
};

/** One input: a feature of the set, or what follows from features and the product
 *  (rc_feature_product_t), or "k" (columns of B, 1), or "value_bytes" (of the precision). */
typedef struct rc_model_input {
    char name[RC_INPUT_NAME_MAX + 1];
    rc_transform_t transform;
    double mean;  /**< of the transformed value in training */
    double scale; /**< > 0; its standard deviation there, 1 when it was constant */
    double min;   /**< smallest and largest raw value in training: outside of it a prediction is */
    double max;   /**< an extrapolation */
} rc_model_input_t;

/** The team that something is computed for, by rc_precision_t; nw 0: precision not trained. */
typedef struct rc_model_geometry {
    rc_geometry_t of[RC_TYPES];
} rc_model_geometry_t;

/** The first type of the list that was trained; RC_TYPES: none. */
static inline int rc_model_first_type(const rc_model_geometry_t *g)
{
    int t = 0;
    while (t < RC_TYPES && g->of[t].nw == 0)
        t++;
    return t;
}

/** One class: order task: `kernel` is the same for all; plan task: the pair is the class. */
typedef struct rc_model_class {
    char name[RC_CLASS_NAME_MAX +
              1]; /**< order task "lpt", plan task "gsub:lanes=8:strip=8:split=0/lpt", format task
                       "csr5" */
    char policy[RC_POLICY_NAME_MAX + 1];
    char kernel[RC_KERNEL_NAME_MAX + 1]; /**< with parameters, as in the store */
    int32_t policy_version;
    int32_t kernel_version;
    rc_model_geometry_t geometry; /**< that the order is built for: of the kernel, which differs
                                       from that of the features where a plan has several kernels;
                                       nw 0: that of the features */
    int layout;                   /**< of B and C: RC_LAYOUT_COL, RC_LAYOUT_ROW; 0: not known */
    rc_deterministic_t deterministic;
    double memory; /**< most device memory that the prepared matrix took in training, over that of
                        plain CSR (values, 4-byte columns, 8-byte row pointers); 0: not known */
} rc_model_class_t;

/** A predicted time: log ns is weight[0] + sum_i weight[1 + i] * x_i over the standardised inputs,
 *  clamped to what was seen.  weight NULL: not known. */
typedef struct rc_model_cost {
    double *weight; /**< [inputs + 1], owned */
    double min;     /**< log ns */
    double max;
} rc_model_cost_t;

/** The K of the training rows.  Neither: not known, or an operation without K. */
typedef struct rc_model_ks {
    int64_t *k; /**< [count] asked for as numbers, ascending, owned */
    int count;
    int n; /**< 1: also K = n, as many columns as the matrix has */
} rc_model_ks_t;

/** What a selector is.  Zero-initialise; rc_model_free frees what it owns (inputs, classes,
 *  predictor state, cost table, JSON).  `training` and `evaluation` are free-form objects for
 *  people and for `rowcast evaluate`; the library does not read them. */
struct rc_model {
    char kind[32];        /**< trainer: "mlp", "softmax", ... */
    int32_t kind_version; /**< of the trainer */
    rc_task_t task;
    int32_t operation; /**< whose times were learnt, see rc_model_operation_names; 0: spmm */
    rc_output_t output;
    char device[RC_DEVICE_NAME_MAX + 1]; /**< class of the device whose times were learnt */
    int32_t file_version;                /**< of the file that it was read from; 0: made here */
    rc_model_ks_t ks;
    char feature_set[32];
    int32_t feature_version;
    rc_model_geometry_t geometry; /**< that the features are computed for */
    int inputs;
    rc_model_input_t *input; /**< [inputs] */
    int classes;
    rc_model_class_t *cls;  /**< [classes] */
    int baseline;           /**< class that speedups and the break-even are against */
    rc_model_cost_t *setup; /**< [classes] of building the order, and preprocessing by the kernel;
                                    owned; NULL: not known */
    rc_model_cost_t featurise; /**< of computing the features */
    rc_predictor_t predictor;
    json_t *training;   /**< owned; NULL: none */
    json_t *evaluation; /**< owned; NULL: none */
};

/** 1: an operation has K columns; 0: K is no parameter of it (spmv), and no input of its models. */
int rc_model_operation_has_k(int32_t operation);

/** The number of an operation.  \return RC_OK or RC_EINVAL: names those that there are */
rc_status_t rc_model_operation_parse(const char *text, int32_t *out, rc_err_t *err);

/** A new empty model; free with rc_model_free.  NULL with err set when there is no memory. */
rc_model_t *rc_model_new(rc_err_t *err);

/** Write a model as JSON: numbers with 17 digits, keys in a fixed order, so equal models are equal
 *  files.  Written beside the target and renamed over it: never half a file.
 *  \return RC_OK, RC_EINVAL (not a valid model: says what), RC_EIO, RC_ENOMEM */
rc_status_t rc_model_write(const rc_model_t *m, const char *path, rc_err_t *err);

/** The same as text; free().  NULL with err set. */
char *rc_model_text(const rc_model_t *m, rc_err_t *err);

/** Read a model from text; `name` stands in messages.  As rc_model_read otherwise. */
rc_status_t rc_model_parse(
    const char *text, size_t bytes, const char *name, rc_model_t **out, rc_err_t *err);

/** A model from the JSON value of its file: every member is checked; the feature set, policies and
 *  their versions are not (rc_model_check).
 *  \return RC_OK, RC_EFORMAT (names the member, expected and found), RC_ENOTSUP (version of the
 *          file, kind of predictor or its version), RC_ENOMEM */
rc_status_t rc_model_from_json(const json_t *root, rc_model_t **out, rc_err_t *err);

/** Standardised inputs of a row of raw values: x[i] from value[i], i < inputs.  Allocates nothing.
 */
void rc_model_standardise(const rc_model_t *m, const double *value, double *x);

/** Outputs to times and choice: the chosen class is that of the smallest time, or of the largest
 *  score; the first of equals.
 *  \param[in]  out        [classes], of the predictor
 *  \param[in]  permitted  [classes] 1: may be chosen; NULL: all
 *  \param[out] time       [classes] ns, NaN for a model without times; may be NULL
 *  \return the chosen class; -1 when none is permitted that has a time or score */
int rc_model_decide(
    const rc_model_t *m, const double *out, const unsigned char *permitted, double *time);

/** Doubles of scratch that rc_model_evaluate_raw needs. */
size_t rc_model_scratch(const rc_model_t *m);

/** Predict from raw input values (in the order of m->input), without allocation.
 *  \param[in,out] scratch  [rc_model_scratch]
 *  \param[out]    time     [classes], may be NULL
 *  \return the chosen class.  Cost: under 5 microseconds for the shipped models. */
int rc_model_choose_raw(const rc_model_t *m, const double *value, double *scratch, double *time);

/** Predicted setup time of every class in ns, NaN when the model has no cost table.
 *  \param[in] x  [inputs], standardised */
void rc_model_setup_ns(const rc_model_t *m, const double *x, double *out);

/** Predicted time of the features and of one prediction in ns; NaN when the model does not know.
 *  \param[in] x  [inputs], standardised */
double rc_model_overhead_ns(const rc_model_t *m, const double *x);

/** Write the selector as C99 source without dependencies but <math.h>.  Its functions:
 *    int NAME_choose(const double *value, double *time);      value in the order of NAME_input
 *  with tables NAME_input, NAME_class and their counts.
 *  \param[in] name  prefix, a C identifier
 *  \return RC_OK, RC_EINVAL (no identifier), RC_ENOTSUP (a predictor that cannot), RC_EIO */
rc_status_t rc_model_export_c(const rc_model_t *m, const char *name, FILE *out, rc_err_t *err);

/** Whether this library can serve the model: feature set and version, every policy and its version.
 *  rc_model_read has called it.  \return RC_OK, RC_ENOTSUP: names model, what it was fitted on, and
 *  what is here */
rc_status_t rc_model_check(const rc_model_t *m, const char *name, rc_err_t *err);

#endif
