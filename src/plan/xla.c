/* Plans that custom calls of XLA multiply by: a frame is looked at, then the plan of its stream
 * runs. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/plan_private.h"
#include "plan/xla_frame.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* A plan and the stream that it runs on. */
typedef struct run {
    rc_plan_t *plan;
    struct CUstream_st *stream;
} run_t;

struct rc_xla_plan {
    pthread_mutex_t lock; /* of all below: calls take turns */
    run_t *run;           /* [runs] the first has the plan that was given */
    size_t runs;
    size_t capacity;
    int used; /* 1: the first has its stream */
};

/* The name of a type of the list.  A type without one here does not compile. */
static int xla_type(rc_precision_t t)
{
    static const int types[] = {[RC_FP32] = 11,
        [RC_FP64] = 12,
        [RC_BF16] = 16,
        [RC_FP16] = 10,
        [RC_C64] = 15,
        [RC_C128] = 18};
    _Static_assert(sizeof types / sizeof *types == RC_TYPES, "a name for each type");
    return types[t];
}

/* --------------------------------------------------------------------- plans */

rc_status_t rc_xla_plan_new(rc_plan_t *plan, rc_xla_plan_t **out, rc_err_t *err)
{
    if (out)
        *out = NULL;
    RC_PASS(rc_plan_has_home(plan, err));
    if (!out)
        return rc_fail(err, RC_EINVAL, "plan: expected where to put it, found NULL");
    if (rc_operation_of(plan->op)->has_k && plan->layout != RC_ROW_MAJOR)
        return rc_fail(err, RC_EINVAL, "plan: expected one of operands by rows");
    rc_xla_plan_t *p = rc_alloc0(1, sizeof *p, "a plan", err);
    RC_PASS(p ? RC_OK : RC_ENOMEM);
    rc_status_t st = RC_GROW(p->run, p->capacity, 1, "a plan", err);
    if (st == RC_OK && pthread_mutex_init(&p->lock, NULL) != 0)
        st = rc_fail(err, RC_ENOMEM, "plan: no lock");
    if (st < 0) {
        free(p->run);
        free(p);
        return st;
    }
    p->run[p->runs++] = (run_t){.plan = plan};
    *out = p;
    return RC_OK;
}

void rc_xla_plan_close(rc_xla_plan_t *p)
{
    if (!p)
        return;
    (void)pthread_mutex_lock(&p->lock);
    for (size_t i = p->runs; i > 0; i--)
        rc_plan_free(p->run[i - 1].plan);
    free(p->run);
    p->run = NULL;
    p->runs = p->capacity = 0;
    (void)pthread_mutex_unlock(&p->lock);
}

void rc_xla_plan_free(rc_xla_plan_t *p)
{
    if (!p)
        return;
    rc_xla_plan_close(p);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

/* The plan of a stream, cloned at its first call there. */
static rc_status_t on_stream(
    rc_xla_plan_t *p, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err)
{
    if (!p->used) {
        p->used = 1;
        p->run[0].stream = stream;
    }
    for (size_t i = 0; i < p->runs; i++)
        if (p->run[i].stream == stream) {
            *out = p->run[i].plan;
            return RC_OK;
        }
    RC_PASS(RC_GROW(p->run, p->capacity, p->runs + 1, "plans of streams", err));
    RC_PASS(rc_plan_clone(p->run[0].plan, stream, out, err));
    p->run[p->runs++] = (run_t){*out, stream};
    return RC_OK;
}

/* --------------------------------------------------------------------- frames */

/* What an argument or a result is to be. */
typedef struct wanted {
    const char *name;
    rc_precision_t type;
    int rank;
    int64_t dims[2];
} wanted_t;

static rc_status_t seen(const rc_xla_buffers_t *all, int64_t i, const wanted_t *w,
    const rc_xla_buffer_t **out, rc_err_t *err)
{
    const rc_xla_buffer_t *b = all->given[i];
    if (all->types[i] != RC_XLA_BUFFER || b->type != xla_type(w->type))
        return rc_fail(err, RC_EINVAL, "%s: expected an array of %s, found another type", w->name,
            rc_precision_name(w->type));
    int same = b->rank == w->rank;
    for (int d = 0; same && d < w->rank; d++)
        same = b->dims[d] == w->dims[d];
    if (!same)
        return rc_fail(err, RC_EINVAL, "%s: expected %" PRId64 "%s values, found another shape",
            w->name, w->dims[0], w->rank > 1 ? " x K" : "");
    *out = b;
    return RC_OK;
}

/* A dense operand of the plan's operation. */
static wanted_t operand(const rc_plan_t *plan, const rc_shape_t *s, int64_t k)
{
    return (wanted_t){s->name, plan->precision, s->wide ? 2 : 1, {rc_shape_rows(s, &plan->a), k}};
}

/* Of the first wide operand; 1 where there is none. */
static int64_t k_of(const rc_operation_t *op, const rc_xla_buffers_t *all, int64_t first)
{
    for (int i = 0; i < rc_operation_inputs(op); i++) {
        const rc_xla_buffer_t *b = all->given[first + i];
        if (op->in[i].wide && b->rank == 2)
            return b->dims[1];
    }
    return 1;
}

static rc_status_t new_values(rc_plan_t *plan, const rc_xla_buffers_t *all,
    struct CUstream_st *stream, int on_device, rc_err_t *err)
{
    const rc_xla_buffer_t *b = NULL;
    const wanted_t w = {"values", plan->precision, 1, {plan->a.nnz}};
    RC_PASS(seen(all, 0, &w, &b, err));
    return rc_plan_update_values(
        plan, plan->a.nnz, b->data, plan->precision, on_device, stream, err);
}

/* Values, where they are there, and the dense operands; then the product. */
static rc_status_t multiply(rc_plan_t *plan, const rc_xla_frame_t *frame,
    struct CUstream_st *stream, int on_device, rc_err_t *err)
{
    const rc_operation_t *op = rc_operation_of(plan->op);
    const rc_xla_buffers_t *in = &frame->arguments;
    const int inputs = rc_operation_inputs(op);
    const int64_t first = in->count - inputs; /* 1: the values come before */
    const rc_xla_buffer_t *b = NULL;
    rc_plan_product_t p = {.alpha = {1, 0}};
    if (first < 0 || first > 1 || frame->results.count != 1)
        return rc_fail(err, RC_EINVAL,
            "call: expected %d operands, or the values before them, and a result, found %" PRId64
            " and %" PRId64,
            inputs, in->count, frame->results.count);
    p.k = k_of(op, in, first);
    for (int i = 0; i < inputs; i++) {
        const wanted_t w = operand(plan, &op->in[i], p.k);
        RC_PASS(seen(in, first + i, &w, &b, err));
        p.in[i] = b->data;
        p.ld_in[i] = p.k;
    }
    wanted_t w = operand(plan, &op->out, p.k);
    w.type = rc_type_out(plan->precision, plan->out_sums);
    RC_PASS(seen(&frame->results, 0, &w, &b, err));
    p.out = b->data;
    p.ld_out = p.k;
    if (first)
        RC_PASS(new_values(plan, in, stream, on_device, err));
    return rc_plan_execute_complex(plan, &p, stream, err);
}

/* That of the attribute "plan": an address. */
static rc_xla_plan_t *plan_of(const rc_xla_attributes_t *all)
{
    for (int64_t i = 0; i < all->count; i++) {
        const rc_xla_text_t *name = all->names[i];
        const rc_xla_scalar_t *s = all->given[i];
        if (all->types[i] == RC_XLA_SCALAR && name->bytes == strlen("plan") &&
            memcmp(name->text, "plan", name->bytes) == 0 &&
            (s->type == RC_XLA_S64 || s->type == RC_XLA_U64)) {
            uint64_t address = 0;
            memcpy(&address, s->value, sizeof address);
            return (rc_xla_plan_t *)(uintptr_t)address;
        }
    }
    return NULL;
}

/* What is said of a product, as XLA takes it. */
static struct XLA_FFI_Error *said(const rc_xla_api_t *api, rc_status_t st, const rc_err_t *err)
{
    static const struct {
        rc_status_t status;
        int code;
    } codes[] = {{RC_EINVAL, RC_XLA_INVALID}, {RC_ERANGE, RC_XLA_INVALID},
        {RC_ENOMEM, RC_XLA_NO_MEMORY}, {RC_ENOTSUP, RC_XLA_UNSUPPORTED}};
    rc_xla_error_args_t args = {.size = sizeof args, .message = err->text, .code = RC_XLA_INTERNAL};
    if (st == RC_OK)
        return NULL;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].status == st)
            args.code = codes[i].code;
    /* cppcheck-suppress returnDanglingLifetime ; the error is XLA's own */
    return api->error_create(&args);
}

/* 1: the frame asks what the handler is, and it was said. */
static int answered(const rc_xla_frame_t *frame)
{
    for (rc_xla_extension_t *e = frame->extension; e; e = e->next)
        if (e->type == RC_XLA_METADATA) {
            rc_xla_metadata_t *m = ((rc_xla_metadata_extension_t *)e)->metadata;
            m->version.major = RC_XLA_MAJOR;
            m->version.minor = RC_XLA_MINOR;
            m->traits = 0; /* values are taken over at times, which no graph may hold */
            return 1;
        }
    return 0;
}

struct XLA_FFI_Error *rc_xla_call(struct XLA_FFI_CallFrame *given)
{
    const rc_xla_frame_t *frame = (const rc_xla_frame_t *)(const void *)given;
    struct CUstream_st *stream = NULL;
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    if (answered(frame) || frame->stage != RC_XLA_EXECUTE)
        return NULL;
    rc_xla_plan_t *p = plan_of(&frame->attributes);
    if (!p)
        return said(frame->api,
            rc_fail(&err, RC_EINVAL, "plan: expected the address of one, found none"), &err);
    (void)pthread_mutex_lock(&p->lock);
    rc_status_t st = p->runs > 0 ? RC_OK : rc_fail(&err, RC_EINVAL, "plan: it was freed");
    struct XLA_FFI_Error *refused = NULL;
    rc_xla_stream_args_t of = {.size = sizeof of, .context = frame->context};
    int on_device = st == RC_OK && p->run[0].plan->place.x->kind != RC_DEVICE_CPU;
    if (on_device) {
        refused = frame->api->stream_get(&of);
        stream = of.stream;
    }
    if (!refused && st == RC_OK)
        st = on_stream(p, stream, &plan, &err);
    if (!refused && st == RC_OK)
        st = multiply(plan, frame, stream, on_device, &err);
    (void)pthread_mutex_unlock(&p->lock);
    return refused ? refused : said(frame->api, st, &err);
}
