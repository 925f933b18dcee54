/* The C source of a selector, compiled and loaded. */
#ifndef RC_TESTS_COMPILED_MODEL_H
#define RC_TESTS_COMPILED_MODEL_H

#include "model/model.h"

typedef struct compiled_model {
    void *handle;
    int (*choose)(const double *value, double *time);
    const char *const *input; /* names */
    const char *const *cls;
} compiled_model_t;

/* Write, compile with every warning an error, load.
 * state: of a group with scratch_setup;  flags: of the compiler: the standard, optimisation.
 * Needs the macro TEST_CC and the library of dlopen. */
void compile_model(
    void **state, const rc_model_t *m, const char *name, const char *flags, compiled_model_t *out);
void unload_model(compiled_model_t *c);

/* Whether the compiled model says the same as the library of a row of values: the choice, and the
 * bits of the times; asked with and without times. */
int compiled_model_agrees(
    const compiled_model_t *c, const rc_model_t *m, const double *value, double *scratch);

#endif
