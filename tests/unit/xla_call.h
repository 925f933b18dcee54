/* Custom calls as XLA makes them, for tests of their handler. */
#ifndef RC_TESTS_UNIT_XLA_CALL_H
#define RC_TESTS_UNIT_XLA_CALL_H

#include "plan/xla_frame.h"
#include "rowcast_plan.h"

enum { ARGUMENTS = 3 };

/* A call, and what it is made of. */
typedef struct call {
    rc_xla_frame_t frame;
    rc_xla_api_t api;
    rc_xla_buffer_t buffer[ARGUMENTS + 1]; /* the last one is the result */
    int64_t dims[ARGUMENTS + 1][2];
    int types[ARGUMENTS];
    void *given[ARGUMENTS];
    void *result[1];
    rc_xla_text_t name;
    rc_xla_text_t *names[1];
    int kinds[1];
    rc_xla_scalar_t scalar;
    void *attributes[1];
    uint64_t address;
} call_t;

/* A call of a plan, whose arrays come later: on a stream that is the context, or on the host. */
void call_begin(call_t *c, rc_xla_plan_t *plan, int arguments);

/* Array i of a type of XLA. */
void call_array(call_t *c, int i, int type, void *data, int rank, int64_t rows, int64_t cols);

/* Fails with the message of a call that failed. */
void call_runs(call_t *c);

/* It fails with that code, and a line that has the text. */
void call_refused(call_t *c, int expected, const char *text);

#endif
