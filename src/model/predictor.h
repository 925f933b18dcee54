/** \file model/predictor.h  What turns standardised inputs into one output per class.  A kind of
 *  predictor is one file that ends in one constant descriptor, and one line in src/model/model.am;
 *  several trainers may fit the same kind. */
#ifndef RC_MODEL_PREDICTOR_H
#define RC_MODEL_PREDICTOR_H

#include "rowcast.h"

#include <jansson.h>
#include <stdio.h>

typedef struct rc_predictor_kind {
    const char *name; /**< "network", "forest", "svm", as in model files */
    const char *summary;
    int version; /**< bump when the same file would predict otherwise; others are refused */
    /** State from its JSON object; everything is checked: sizes, finite numbers, indices.
     *  \param[in] inputs, outputs  at least 1, of the model
     *  \return RC_OK, RC_EFORMAT (names the member, expected and found), RC_ENOMEM */
    rc_status_t (*read)(const json_t *object, int inputs, int outputs, void **state, rc_err_t *err);
    /** JSON object of a state, a new reference; NULL with err set.  Numbers are checked, what else
     *  `read` asks for is not. */
    json_t *(*write)(const void *state, rc_err_t *err);
    /** Doubles of scratch that `score` needs. */
    size_t (*scratch)(const void *state);
    /** What one `score` takes, in ns on a core of the 2020s, from the sizes alone: within a factor
     *  of two, and the same each time. */
    double (*cost_ns)(const void *state);
    /** \param[in] x  [inputs], standardised;  \param[out] out  [outputs].  Allocates nothing. */
    void (*score)(const void *state, const double *x, double *scratch, double *out);
    /** Write `static void NAME_score(const double *x, double *out)` and its tables as C99; the
     *  same operations in the same order as `score`.  Doubles as hexadecimal floats.  The caller
     *  has written what comes before (<math.h>, products and sums not fused) and set the locale.
     *  \return RC_OK, RC_EIO */
    rc_status_t (*emit)(const void *state, const char *name, FILE *out, rc_err_t *err);
    void (*free)(void *state); /**< accepts NULL */
} rc_predictor_kind_t;

/** A predictor of some kind; zero-initialised is none. */
typedef struct rc_predictor {
    const rc_predictor_kind_t *kind;
    void *state; /**< owned, freed by kind->free */
} rc_predictor_t;

/** All kinds; NULL-terminated. */
extern const rc_predictor_kind_t *const rc_predictor_kinds[];

/** The kind of that name, or NULL. */
const rc_predictor_kind_t *rc_predictor_find(const char *name);

/** Free the state and zero. */
void rc_predictor_free(rc_predictor_t *p);

/* Tables in C99 source, with numbers that a compiler reads back bit by bit.  The decimal point is
 * that of the locale, which rc_model_export_c has set.  Failures of the stream are asked for once,
 * at the end. */

/** "static const double NAME_SUFFIX[n] = {...};" in hexadecimal.  No values: one element 0, since
 *  C99 has no empty tables. */
void rc_emit_reals(FILE *out, const char *name, const char *suffix, const double *value, size_t n);

/** The same for int. */
void rc_emit_ints(FILE *out, const char *name, const char *suffix, const int32_t *value, size_t n);

/** RC_OK, or RC_EIO when something could not be written. */
rc_status_t rc_emit_end(FILE *out, rc_err_t *err);

#endif
