/** \file plan/xla_frame.h  The frame in which XLA hands a custom call over, as far as it is read
 *  here: version 0.1 of its typed interface, to which later ones of major 0 have only added.
 *  tests/python/jax_frame.c holds it against the header that JAX has.
 *  Source: OpenXLA, xla/ffi/api/c_api.h. */
#ifndef RC_PLAN_XLA_FRAME_H
#define RC_PLAN_XLA_FRAME_H

#include <stddef.h>
#include <stdint.h>

enum { RC_XLA_MAJOR = 0, RC_XLA_MINOR = 1 };

/** Of rc_xla_extension_t. */
enum { RC_XLA_METADATA = 1 };

/** Of rc_xla_frame_t: what is to be done now. */
enum { RC_XLA_EXECUTE = 3 };

/** Of an argument or result, and of an attribute. */
enum { RC_XLA_BUFFER = 1, RC_XLA_SCALAR = 3 };

/** Of a scalar: integers of 64 bits. */
enum { RC_XLA_S64 = 5, RC_XLA_U64 = 9 };

/** Of an error. */
enum { RC_XLA_INVALID = 3, RC_XLA_NO_MEMORY = 8, RC_XLA_UNSUPPORTED = 12, RC_XLA_INTERNAL = 13 };

/** Begin of what a later version adds. */
typedef struct rc_xla_extension {
    size_t size;
    int type;
    struct rc_xla_extension *next;
} rc_xla_extension_t;

typedef struct rc_xla_version {
    size_t size;
    rc_xla_extension_t *extension;
    int major;
    int minor;
} rc_xla_version_t;

/** What a handler says of itself when it is registered. */
typedef struct rc_xla_metadata {
    size_t size;
    rc_xla_version_t version;
    uint32_t traits;
} rc_xla_metadata_t;

typedef struct rc_xla_metadata_extension {
    rc_xla_extension_t base;
    rc_xla_metadata_t *metadata;
} rc_xla_metadata_extension_t;

/** An array, row by row. */
typedef struct rc_xla_buffer {
    size_t size;
    rc_xla_extension_t *extension;
    int type; /**< of its values */
    void *data;
    int64_t rank;
    int64_t *dims; /**< [rank] */
} rc_xla_buffer_t;

/** Arguments, or results. */
typedef struct rc_xla_buffers {
    size_t size;
    rc_xla_extension_t *extension;
    int64_t count;
    int *types;   /**< [count] */
    void **given; /**< [count] */
} rc_xla_buffers_t;

typedef struct rc_xla_text {
    const char *text;
    size_t bytes;
} rc_xla_text_t;

typedef struct rc_xla_scalar {
    int type;
    void *value;
} rc_xla_scalar_t;

typedef struct rc_xla_attributes {
    size_t size;
    rc_xla_extension_t *extension;
    int64_t count;
    int *types;            /**< [count] */
    rc_xla_text_t **names; /**< [count] */
    void **given;          /**< [count] */
} rc_xla_attributes_t;

typedef struct rc_xla_error_args {
    size_t size;
    rc_xla_extension_t *extension;
    const char *message;
    int code;
} rc_xla_error_args_t;

typedef struct rc_xla_stream_args {
    size_t size;
    rc_xla_extension_t *extension;
    void *context; /**< of the frame */
    void *stream;  /**< is stored here */
} rc_xla_stream_args_t;

/** What XLA offers; others come behind. */
typedef struct rc_xla_api {
    size_t size;
    rc_xla_extension_t *extension;
    rc_xla_version_t version;
    const void *internal;
    struct XLA_FFI_Error *(*error_create)(rc_xla_error_args_t *args);
    void (*error_message)(void *args);
    void (*error_destroy)(void *args);
    void *handler_register;
    struct XLA_FFI_Error *(*stream_get)(rc_xla_stream_args_t *args);
} rc_xla_api_t;

typedef struct rc_xla_frame {
    size_t size;
    rc_xla_extension_t *extension;
    const rc_xla_api_t *api; /**< NULL: of a question for metadata */
    void *context;
    int stage;
    rc_xla_buffers_t arguments;
    rc_xla_buffers_t results;
    rc_xla_attributes_t attributes;
} rc_xla_frame_t;

#endif
