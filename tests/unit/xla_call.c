/* Custom calls as XLA makes them. */
#include "config.h"
#include "unit.h"

#include "xla_call.h"

#include <stdio.h>
#include <string.h>

/* What the last error said; XLA owns its errors. */
static char said[256];
static int code;

static struct XLA_FFI_Error *error_create(rc_xla_error_args_t *args)
{
    snprintf(said, sizeof said, "%s", args->message);
    code = args->code;
    return (struct XLA_FFI_Error *)(void *)said;
}

static struct XLA_FFI_Error *stream_get(rc_xla_stream_args_t *args)
{
    args->stream = args->context;
    return NULL;
}

void call_array(call_t *c, int i, int type, void *data, int rank, int64_t rows, int64_t cols)
{
    c->dims[i][0] = rows;
    c->dims[i][1] = cols;
    c->buffer[i] = (rc_xla_buffer_t){.size = sizeof *c->buffer, .type = type, .data = data, .rank = rank, .dims = c->dims[i]};
}

void call_begin(call_t *c, rc_xla_plan_t *plan, int arguments)
{
    *c = (call_t){.api = {.size = sizeof c->api, .version = {.major = 0, .minor = 5}, .error_create = error_create, .stream_get = stream_get},
        .name = {"plan", 4}, .scalar = {.type = RC_XLA_U64}, .kinds = {RC_XLA_SCALAR}};
    c->address = (uint64_t)(uintptr_t)plan;
    c->scalar.value = &c->address;
    c->names[0] = &c->name;
    c->attributes[0] = &c->scalar;
    for (int i = 0; i < ARGUMENTS; i++) {
        c->types[i] = RC_XLA_BUFFER;
        c->given[i] = &c->buffer[i];
    }
    c->result[0] = &c->buffer[ARGUMENTS];
    c->frame = (rc_xla_frame_t){.size = sizeof c->frame, .api = &c->api, .stage = RC_XLA_EXECUTE};
    c->frame.arguments = (rc_xla_buffers_t){.count = arguments, .types = c->types, .given = c->given};
    c->frame.results = (rc_xla_buffers_t){.count = 1, .types = c->types, .given = c->result};
    c->frame.attributes = (rc_xla_attributes_t){.count = 1, .types = c->kinds, .names = c->names, .given = c->attributes};
}

static struct XLA_FFI_Error *made(call_t *c)
{
    said[0] = '\0';
    return rc_xla_call((struct XLA_FFI_CallFrame *)(void *)&c->frame);
}

void call_runs(call_t *c)
{
    if (made(c))
        fail_msg("%s", said);
}

void call_refused(call_t *c, int expected, const char *text)
{
    assert_non_null(made(c));
    if (code != expected || !strstr(said, text) || strchr(said, '\n'))
        fail_msg("expected %d with '%s', found %d: %s", expected, text, code, said);
}
