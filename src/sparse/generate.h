/** \file sparse/generate.h  Seeded matrix generators, and the built-in default set.
 *
 *  A generator spec is text: "NAME:key=value,key=value", e.g. "mesh3d:n=20,dof=3,seed=7".  The same
 *  spec and generator version give the same matrix on every machine and for every thread count. */
#ifndef RC_SPARSE_GENERATE_H
#define RC_SPARSE_GENERATE_H

#include "rowcast.h"

#include <stddef.h>

/** A key of a generator, with its default and range. */
typedef struct rc_gen_param {
    const char *name;
    const char *help; /**< what it is, with its unit */
    double value;     /**< default */
    double min;
    double max;
    int is_whole; /**< only whole numbers */
} rc_gen_param_t;

enum { RC_GEN_PARAMS_MAX = 8 };

struct rc_entries;
struct rc_rng;

/** A generator: one descriptor, listed in rc_generators. */
typedef struct rc_generator {
    const char *name;
    const char *summary;
    const char *source; /**< where the construction is described */
    int version;        /**< bump when the same spec would give another matrix */
    rc_gen_param_t param[RC_GEN_PARAMS_MAX]; /**< values by key; ends at the first NULL name.
                                                Every generator also takes rc_gen_keys */
    /** Make the matrix; NULL: by `fill`.
     *  \param[in] p  [number of params] values in the order of `param`; all within range
     *  \param[in] seed  of the pattern and the values */
    rc_status_t (*generate)(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err);
    /** Draw a list of entries, and set its shape (generate/entries.h). */
    void (*fill)(const double *p, struct rc_rng *r, struct rc_entries *e);
} rc_generator_t;

/** All generators; NULL-terminated. */
extern const rc_generator_t *const rc_generators[];

/** A key that every generator takes. */
typedef struct rc_gen_key {
    const char *name;
    const char *help;
    const char *value;        /**< default, in words */
    const char *const *names; /**< of its values, NULL-terminated; NULL: it takes a number */
    int is_share;             /**< 1: a number from 0 to 1; 0: a whole one from 0 */
    size_t offset;            /**< in the room's own record of them */
} rc_gen_key_t;

/** Keys of all generators; ends at a NULL name. */
extern const rc_gen_key_t rc_gen_keys[];

/** Generate a matrix from a spec.
 *  \param[out] version  of the generator; may be NULL
 *  \return RC_OK; RC_ENOENT for an unknown generator and RC_EINVAL for an unknown key or a value
 *  out of range, both with the valid ones in the text; RC_ENOMEM.  Free with rc_csr_free. */
rc_status_t rc_generate(const char *spec, rc_csr_t *out, int *version, rc_err_t *err);

/** As rc_generate, with so many threads (0: all of the process).  The matrix is the same. */
rc_status_t rc_generate_within(
    const char *spec, int threads, rc_csr_t *out, int *version, rc_err_t *err);

/** The version of the generator that a spec names; 0 when there is none. */
int rc_generator_version(const char *spec);

/** Bytes that making a matrix of this size takes at its peak, the result included, whatever the
 *  generator and the keys that all of them share: 44 a row, 52 an entry.  Where one side of pairs
 *  is taken out again (symmetry below 1), count those entries too. */
int64_t rc_generate_bytes(int64_t rows, int64_t entries);

/** A matrix of the built-in default set. */
typedef struct rc_builtin {
    const char *name; /**< unique: "mesh3d-20-dof3" */
    const char *kind; /**< the kind that a catalogue would give: "2D/3D problem", ... */
    const char *spec;
    int64_t rows; /**< shape, checked by a test against the generator */
    int64_t cols;
    int64_t nnz;
} rc_builtin_t;

/** The built-in default set (at least 30 matrices of 1,000 to 100,000 rows). */
extern const rc_builtin_t rc_builtins[];
extern const int rc_builtin_count;

/** Spec of the built-in matrix "NAME" or, as sweeps name it, "builtin/NAME"; NULL for another word.
 */
const char *rc_builtin_spec(const char *word);

#endif
