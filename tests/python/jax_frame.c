/* What src/plan/xla_frame.h says of XLA's frames, against the header that JAX has: it compiles where they agree. */
#include "xla/ffi/api/c_api.h"

#include "plan/xla_frame.h"

#define SAME(ours, field, theirs, other) _Static_assert(offsetof(ours, field) == offsetof(theirs, other), #theirs "." #other)

_Static_assert((int)RC_XLA_MAJOR == XLA_FFI_API_MAJOR && (int)RC_XLA_MINOR <= XLA_FFI_API_MINOR, "version");
_Static_assert((int)RC_XLA_METADATA == (int)XLA_FFI_Extension_Metadata && (int)RC_XLA_EXECUTE == (int)XLA_FFI_ExecutionStage_EXECUTE, "what is asked");
_Static_assert((int)RC_XLA_BUFFER == (int)XLA_FFI_ArgType_BUFFER && (int)RC_XLA_BUFFER == (int)XLA_FFI_RetType_BUFFER, "arrays");
_Static_assert((int)RC_XLA_SCALAR == (int)XLA_FFI_AttrType_SCALAR, "attributes");
_Static_assert((int)RC_XLA_S64 == (int)XLA_FFI_DataType_S64 && (int)RC_XLA_U64 == (int)XLA_FFI_DataType_U64, "integers");
_Static_assert(XLA_FFI_DataType_F16 == 10 && XLA_FFI_DataType_F32 == 11 && XLA_FFI_DataType_F64 == 12, "types of src/plan/xla.c");
_Static_assert(XLA_FFI_DataType_BF16 == 16 && XLA_FFI_DataType_C64 == 15 && XLA_FFI_DataType_C128 == 18, "types of src/plan/xla.c");
_Static_assert((int)RC_XLA_INVALID == (int)XLA_FFI_Error_Code_INVALID_ARGUMENT && (int)RC_XLA_NO_MEMORY == (int)XLA_FFI_Error_Code_RESOURCE_EXHAUSTED &&
                   (int)RC_XLA_UNSUPPORTED == (int)XLA_FFI_Error_Code_UNIMPLEMENTED && (int)RC_XLA_INTERNAL == (int)XLA_FFI_Error_Code_INTERNAL,
    "errors");

SAME(rc_xla_extension_t, type, XLA_FFI_Extension_Base, type);
SAME(rc_xla_extension_t, next, XLA_FFI_Extension_Base, next);
SAME(rc_xla_version_t, major, XLA_FFI_Api_Version, major_version);
SAME(rc_xla_version_t, minor, XLA_FFI_Api_Version, minor_version);
_Static_assert(sizeof(rc_xla_version_t) == sizeof(XLA_FFI_Api_Version), "version");
SAME(rc_xla_metadata_t, version, XLA_FFI_Metadata, api_version);
SAME(rc_xla_metadata_t, traits, XLA_FFI_Metadata, traits);
SAME(rc_xla_metadata_extension_t, metadata, XLA_FFI_Metadata_Extension, metadata);
SAME(rc_xla_buffer_t, type, XLA_FFI_Buffer, dtype);
SAME(rc_xla_buffer_t, data, XLA_FFI_Buffer, data);
SAME(rc_xla_buffer_t, rank, XLA_FFI_Buffer, rank);
SAME(rc_xla_buffer_t, dims, XLA_FFI_Buffer, dims);
SAME(rc_xla_buffers_t, count, XLA_FFI_Args, size);
SAME(rc_xla_buffers_t, types, XLA_FFI_Args, types);
SAME(rc_xla_buffers_t, given, XLA_FFI_Args, args);
SAME(rc_xla_buffers_t, count, XLA_FFI_Rets, size);
SAME(rc_xla_buffers_t, types, XLA_FFI_Rets, types);
SAME(rc_xla_buffers_t, given, XLA_FFI_Rets, rets);
_Static_assert(sizeof(rc_xla_buffers_t) == sizeof(XLA_FFI_Args) && sizeof(rc_xla_buffers_t) == sizeof(XLA_FFI_Rets), "arrays");
SAME(rc_xla_text_t, text, XLA_FFI_ByteSpan, ptr);
SAME(rc_xla_text_t, bytes, XLA_FFI_ByteSpan, len);
SAME(rc_xla_scalar_t, type, XLA_FFI_Scalar, dtype);
SAME(rc_xla_scalar_t, value, XLA_FFI_Scalar, value);
SAME(rc_xla_attributes_t, count, XLA_FFI_Attrs, size);
SAME(rc_xla_attributes_t, types, XLA_FFI_Attrs, types);
SAME(rc_xla_attributes_t, names, XLA_FFI_Attrs, names);
SAME(rc_xla_attributes_t, given, XLA_FFI_Attrs, attrs);
SAME(rc_xla_error_args_t, message, XLA_FFI_Error_Create_Args, message);
SAME(rc_xla_error_args_t, code, XLA_FFI_Error_Create_Args, errc);
_Static_assert(sizeof(rc_xla_error_args_t) >= XLA_FFI_Error_Create_Args_STRUCT_SIZE, "errors");
SAME(rc_xla_stream_args_t, context, XLA_FFI_Stream_Get_Args, ctx);
SAME(rc_xla_stream_args_t, stream, XLA_FFI_Stream_Get_Args, stream);
_Static_assert(sizeof(rc_xla_stream_args_t) >= XLA_FFI_Stream_Get_Args_STRUCT_SIZE, "streams");
SAME(rc_xla_api_t, version, XLA_FFI_Api, api_version);
SAME(rc_xla_api_t, error_create, XLA_FFI_Api, XLA_FFI_Error_Create);
SAME(rc_xla_api_t, stream_get, XLA_FFI_Api, XLA_FFI_Stream_Get);
SAME(rc_xla_frame_t, extension, XLA_FFI_CallFrame, extension_start);
SAME(rc_xla_frame_t, api, XLA_FFI_CallFrame, api);
SAME(rc_xla_frame_t, context, XLA_FFI_CallFrame, ctx);
SAME(rc_xla_frame_t, stage, XLA_FFI_CallFrame, stage);
SAME(rc_xla_frame_t, arguments, XLA_FFI_CallFrame, args);
SAME(rc_xla_frame_t, results, XLA_FFI_CallFrame, rets);
SAME(rc_xla_frame_t, attributes, XLA_FFI_CallFrame, attrs);
