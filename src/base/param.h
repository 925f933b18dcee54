/** \file base/param.h  Named parameters of kernels and policies: type, default and range of each,
 *  their values, and the text that identifies them. */
#ifndef RC_BASE_PARAM_H
#define RC_BASE_PARAM_H

#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rc_param_type {
    RC_PARAM_INT = 0, /**< integer in [min, max], or one of `choices`: choice i is the value -1 -
                           i */
    RC_PARAM_REAL,    /**< number in [real_min, real_max] */
    RC_PARAM_CHOICE,  /**< one of `choices`; its value is the index there */
    RC_PARAM_TEXT     /**< such as a file name; at most one in a list, and it comes first */
} rc_param_type_t;

/** One parameter.  A list of them is constant and ends at the first NULL name. */
typedef struct rc_param {
    const char *name;
    const char *help;
    int64_t value; /**< default: of an integer; of a choice the index */
    int64_t min;
    int64_t max;
    int pow2; /**< 1: only powers of two (and 0 when min is 0) */
    rc_param_type_t type;
    double real; /**< default of a number */
    double real_min;
    double real_max;
    const char *const *choices; /**< names, NULL-terminated; of an integer those for values below
                                     its range, which is of 0 or more; of a number one, kept as NaN;
                                     NULL: numbers alone */
    const char *text;           /**< default of a text; NULL: it must be given */
} rc_param_t;

enum {
    RC_PARAMS_MAX = 12,   /**< parameters of a list */
    RC_PARAMS_TEXT = 96,  /**< bytes of a canonical text, with its NUL */
    RC_PARAM_VALUE = 1024 /**< bytes of the value of a text, with its NUL */
};

/** Values of a list of parameters, in its order. */
typedef struct rc_params {
    int64_t value[RC_PARAMS_MAX]; /**< integers and choices */
    double real[RC_PARAMS_MAX];   /**< numbers */
    char text[RC_PARAM_VALUE];    /**< of the text parameter */
} rc_params_t;

/** Parameters of a list; NULL has none. */
int rc_params_count(const rc_param_t *param);

/** Which parameter a word "key=value" sets; a word without '=' is the value of a text.
 *  \param[out] index  in the list
 *  \param[out] value  within word
 *  \return RC_OK or RC_EINVAL with the known names */
rc_status_t rc_param_word(
    const rc_param_t *param, const char *word, int *index, const char **value, rc_err_t *err);

/** The defaults, changed by the words "key=value".
 *  \param[in] word  [count]
 *  \return RC_OK; RC_EINVAL, RC_ERANGE with what was expected */
rc_status_t rc_params_parse(
    const rc_param_t *param, char *const *word, int count, rc_params_t *out, rc_err_t *err);

/** All parameters in the order of the list as "key=value:key=value", so that equal values have
 *  equal texts; "" without parameters.
 *  \param[out] text  [RC_PARAMS_TEXT]
 *  \return RC_OK, or RC_ERANGE when they take more */
rc_status_t rc_params_text(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err);

/** The same of those alone of which the bit is set: bit i of parameter i. */
rc_status_t rc_params_text_of(
    const rc_param_t *param, const rc_params_t *values, unsigned which, char *text, rc_err_t *err);

/** All but those of number `older` and more that are integers or choices with their
 *  default: parameters that a list got later, so that what is stored from before keeps its text. */
rc_status_t rc_params_text_older(
    const rc_param_t *param, int older, const rc_params_t *values, char *text, rc_err_t *err);

/** What a parameter takes: "integer, 1 to 16, a power of two; default 4".
 *  \param[out] text  [size], cut when it is longer */
void rc_param_describe(const rc_param_t *p, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
