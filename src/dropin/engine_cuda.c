/* The engine on NVIDIA GPUs: plans of librowcast_cuda. */
#include "config.h"
#include "dropin/direct/direct.h"
#include "dropin/engine.h"
#include "dropin/marks.h"
#include "dropin/pattern.h"
#include "dropin/plans.h"
#include "dropin/stream.h"
#include "dropin/type.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A pattern and its values as they were, in memory of its own. */
typedef struct copy {
    rc_asked_t p; /* a: of this copy; b and c: none */
    void *memory[3];
    cudaEvent_t there; /* when it is */
    int device;
} copy_t;

/* A plan with what its checks need, or a kernel that needs none. */
typedef struct made {
    rc_plan_t *plan;         /* NULL: there is `direct` */
    const rc_plans_t *plans; /* its functions */
    rc_direct_run_t direct;
    rc_plan_places_t places;
    rc_pattern_t *pattern; /* device */
    void *sums;            /* device, of a product that is made again; NULL: it needs none */
    rc_heard_t *heard;     /* host, which the device writes; NULL: there are no checks */
    int blocks;   /* of the product from the program's arrays, which is rare: few are launched
                   sooner */
    int overlaps; /* 1: launches can */
    int device;
    int64_t k;
    unsigned long long stream_id; /* of a plan: of the stream that it ran on last; 0: none */
    cudaEvent_t last;             /* after what was asked for last; NULL: nothing waits for it */
    int unmarked;                 /* 1: that could not be recorded once */
} made_t;

/* -------------------------------------------------------------------- devices */

static int device_name(int device, char *name)
{
    rc_gpu_info_t *list = NULL;
    int count = 0;
    int found = 0;
    rc_err_t err;
    const rc_plans_t *plans = rc_plans(&err);
    if (!plans || plans->gpu_list(&list, &count, &err) < 0)
        return -1;
    for (int i = 0; i < count; i++)
        if (list[i].index == device) {
            /* what choices depend on: parts of a GPU are others */
            (void)snprintf(name, RC_ENGINE_TEXT, "%.80s, %d SMs, L2 of %" PRId64, list[i].name,
                list[i].sms, list[i].l2_bytes);
            found = 1;
        }
    free(list);
    return found ? 0 : -1;
}

/* ----------------------------------------------------------------------- sums */

/* Memory that is handed out in pieces is asked for with the first one, and that may wait. */
static void engine_prepare(int device)
{
    enum cudaStreamCaptureMode mode = relax();
    if (!failed(cudaSetDevice(device)))
        rc_heard_free(rc_heard_new(0));
    restore(mode);
}

/* rc_pattern_sum, or another one that tells the host in the end. */
typedef cudaError_t asking_t(const rc_plan_matrix_t *a, rc_heard_t *heard, cudaStream_t stream);

/* Of arrays on the device. */
static rc_heard_t *ask_on(asking_t *asking, const rc_plan_matrix_t *a, cudaStream_t stream)
{
    rc_heard_t *h = rc_heard_new(1);
    if (!h || !failed(asking(a, h, stream)))
        return h;
    h->summed = 1; /* nothing will */
    rc_heard_free(h);
    return NULL;
}

static rc_heard_t *ask(asking_t *asking, const rc_asked_t *p)
{
    enum cudaStreamCaptureMode mode = relax();
    rc_heard_t *h = ask_on(asking, &p->a, p->stream);
    restore(mode);
    return h;
}

static void *engine_sum(const rc_asked_t *p)
{
    return ask(rc_pattern_sum, p);
}

static void *engine_look(const rc_asked_t *p)
{
    return ask(rc_pattern_longest, p);
}

static int engine_summed(const void *sum, rc_pattern_sums_t *out)
{
    const rc_heard_t *h = sum;
    if (!h->summed)
        return 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    *out = (rc_pattern_sums_t){h->columns, h->pointers};
    return 1;
}

static int engine_looked(const void *look, int64_t *longest)
{
    rc_pattern_sums_t found;
    if (!engine_summed(look, &found))
        return 0;
    *longest = (int64_t)found.columns;
    return 1;
}

static void engine_sum_free(void *sum)
{
    rc_heard_free(sum);
}

/* --------------------------------------------------------------------- copies */

/* Of a copy that is there.  Nobody is waited for but that: the rest of the device goes on. */
static void copy_free_on(copy_t *c, cudaStream_t stream)
{
    for (int i = 0; i < 3; i++)
        if (c->memory[i])
            (void)failed(cudaFreeAsync(c->memory[i], stream));
    (void)failed(cudaEventDestroy(c->there));
    free(c);
}

static void copy_free(void *copy)
{
    copy_t *c = copy;
    cudaStream_t stream = NULL;
    if (!c)
        return;
    enum cudaStreamCaptureMode mode = relax();
    /* rather keep it than free what is in use */
    if (!failed(cudaEventSynchronize(c->there)) &&
        !failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) {
        copy_free_on(c, stream);
        (void)failed(cudaStreamDestroy(stream));
    }
    restore(mode);
}

/* What was not finished, when the stream gets there. */
static void copy_undo(copy_t *c, cudaStream_t stream)
{
    for (int i = 0; i < 3; i++)
        if (c->memory[i])
            (void)failed(cudaFreeAsync(c->memory[i], stream));
    if (c->there)
        (void)failed(cudaEventDestroy(c->there));
    free(c);
}

static void *engine_copy(const rc_asked_t *p)
{
    copy_t *c = calloc(1, sizeof *c);
    const size_t bytes[3] = {(size_t)rc_view_pointers(&p->a) * sizeof(int64_t),
        (size_t)p->a.nnz * sizeof(int32_t),
        (size_t)p->a.nnz * (size_t)rc_dropin_type(p->a.precision)->bytes};
    if (!c)
        return NULL;
    enum cudaStreamCaptureMode mode = relax();
    int bad = failed(cudaGetDevice(&c->device)) ||
              failed(cudaEventCreateWithFlags(&c->there, cudaEventDisableTiming));
    for (int i = 0; !bad && i < 3; i++)
        bad = failed(cudaMallocAsync(&c->memory[i], bytes[i], p->stream));
    bad = bad || failed(rc_pattern_copy(&p->a, c->memory[0], c->memory[1], p->stream)) ||
          failed(cudaMemcpyAsync(
              c->memory[2], p->a.val, bytes[2], cudaMemcpyDeviceToDevice, p->stream)) ||
          failed(cudaEventRecord(c->there, p->stream));
    if (bad)
        copy_undo(c, p->stream);
    restore(mode);
    if (bad)
        return NULL;
    c->p = *p;
    c->p.a.row_ptr = c->memory[0];
    c->p.a.row_ptr_bytes = sizeof(int64_t);
    c->p.a.col_idx = c->memory[1];
    c->p.a.col_idx_bytes = sizeof(int32_t);
    c->p.a.val = c->memory[2];
    return c;
}

/* ---------------------------------------------------------------------- plans */

/* \param[in] stream  of its own, on the device of the plan, which is the current one */
static void made_free(made_t *m, cudaStream_t stream)
{
    rc_err_t err;
    /* a plan waits for its last stream, which the program may have destroyed: an execution that is
     * refused for want of operands moves it to one that exists */
    if (m->plan) {
        (void)m->plans->execute(m->plan, m->k, 1, NULL, 0, 0, NULL, 0, stream, &err);
        m->plans->free(m->plan);
    }
    if (m->pattern)
        (void)failed(cudaFreeAsync(m->pattern, stream));
    if (m->sums)
        (void)failed(cudaFreeAsync(m->sums, stream));
    if (m->direct.scratch)
        (void)failed(cudaFreeAsync(m->direct.scratch, stream));
    rc_heard_free(m->heard);
    if (m->last)
        (void)failed(cudaEventDestroy(m->last));
    free(m);
}

/* Waits for an event, neither for the device nor for a stream of the program's: they may be gone,
 * or captured. */
static void engine_plan_free(void *plan)
{
    made_t *m = plan;
    int before = 0;
    cudaStream_t stream = NULL;
    if (!m || m->unmarked)
        return; /* rather keep it than free what is in use */
    enum cudaStreamCaptureMode mode = relax();
    if (!failed(cudaGetDevice(&before))) {
        if (!failed(cudaSetDevice(m->device)) &&
            (!m->last || !failed(cudaEventSynchronize(m->last))) &&
            !failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking))) {
            made_free(m, stream);
            (void)failed(cudaStreamDestroy(stream));
        }
        (void)failed(cudaSetDevice(before));
    }
    restore(mode);
}

/* What was asked for until now is what a free waits for. */
static void made_mark(made_t *m, cudaStream_t stream)
{
    if (m->last && failed(cudaEventRecord(m->last, stream)))
        m->unmarked = 1;
}

static int attributes(made_t *m)
{
    int major = 0;
    if (failed(cudaDeviceGetAttribute(&m->blocks, cudaDevAttrMultiProcessorCount, m->device)) ||
        failed(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, m->device)))
        return -1;
    m->overlaps = major >= 9;
    return 0;
}

static int checks_new(made_t *m, const copy_t *c, cudaStream_t stream)
{
    const rc_pattern_ask_t first = {.check = 1};
    void *pattern = NULL;
    const size_t bytes =
        sizeof *m->pattern + (size_t)rc_pattern_pieces(&c->p.a) * sizeof *m->pattern->expected;
    const size_t sums = (size_t)rc_pattern_sums_bytes(&c->p);
    if (attributes(m) < 0 || failed(cudaMallocAsync(&pattern, bytes, stream)))
        return -1;
    m->pattern = pattern;
    if (sums > 0 && failed(cudaMallocAsync(&m->sums, sums, stream)))
        return -1;
    if (failed(cudaEventCreateWithFlags(&m->last, cudaEventDisableTiming)))
        return -1;
    m->heard = rc_heard_new(0);
    return !m->heard || failed(cudaMemsetAsync(pattern, 0, bytes, stream)) ||
                   failed(rc_pattern_begin(&c->p.a, NULL, m->pattern, m->heard, &first, stream)) ||
                   failed(cudaStreamSynchronize(stream))
               ? -1
               : 0;
}

/* What a plan has beside its kernel: where values go, 4 for each, and what its checks need. */
static int64_t bytes_beside(const rc_asked_t *p)
{
    return 4 * p->a.nnz + 8 * rc_pattern_pieces(&p->a) + rc_pattern_sums_bytes(p);
}

/* Bytes for its kernel.  Half of what is free is the program's. */
static int64_t memory_for(const rc_making_t *how, int64_t beside)
{
    size_t left = 0;
    size_t all = 0;
    int64_t most = how->memory;
    if (!failed(cudaMemGetInfo(&left, &all)) && (int64_t)(left / 2) < most)
        most = (int64_t)(left / 2);
    most -= beside;
    return most > 1 ? most : 1; /* 0 would be any */
}

/* Only kernels that have a rank, which are ours: what is compared with is the program's own call.
 * They say where their values are, so that new ones are put there without waiting, and give the
 * same bits each time.  None multiplies a zero of its own by a row of B that the row of A has no
 * entry for, as the list makes them strict where it can: B may be infinite there. */
static rc_status_t plan_new(
    made_t *m, const copy_t *c, const rc_making_t *how, cudaStream_t stream, rc_err_t *err)
{
    const rc_asked_t *p = &c->p;
    rc_plan_problem_t problem = {.op = p->op,
        .precision = p->a.precision,
        .layout = p->layout,
        .k = &p->k,
        .ks = p->op != RC_OP_SPMV};
    problem.out_fp32 = p->c_sums;
    char kernels[40];
    (void)snprintf(kernels, sizeof kernels, "ranked:first=%" PRIu64, how->ns > 0 ? 0 : how->turn);
    rc_plan_options_t options = {.kernels = how->kernel ? how->kernel : kernels,
        .orders = how->kernel ? how->order : NULL,
        .tune = how->ns > 0 ? 8 : 0,
        .tune_ns = how->ns,
        .memory = memory_for(how, bytes_beside(p)),
        .deterministic = 1,
        .threads = 4}; /* the program has work for the others */
    rc_status_t st = m->plans->create(&problem, &p->a, &options, stream, &m->plan, err);
    /* the first update finds out which value is where, and waits */
    if (st == RC_OK)
        st = m->plans->update_values(m->plan, p->a.nnz, p->a.val, p->a.precision, 1, stream, err);
    return st;
}

static void describe(const made_t *m, int64_t beside, rc_made_t *made)
{
    rc_plan_part_t part;
    if (m->plans->part(m->plan, 0, &part, NULL) < 0)
        return;
    const rc_plan_candidate_t *c = &part.candidate[part.chosen];
    (void)snprintf(made->text, sizeof made->text, "%.100s, order %.40s", c->kernel, c->order);
    (void)snprintf(made->kernel, sizeof made->kernel, "%s", c->kernel);
    (void)snprintf(made->order, sizeof made->order, "%s", c->order);
    made->bytes = (c->bytes > 0 ? c->bytes : 0) + beside;
}

/* 1: the copy has the sums that are expected of it. */
static int is_as_expected(const copy_t *c, const rc_pattern_sums_t *expected, cudaStream_t stream)
{
    rc_pattern_sums_t found = {0, 0};
    if (expected->columns == 0 && expected->pointers == 0)
        return 1;
    rc_heard_t *h = ask_on(rc_pattern_sum, &c->p.a, stream);
    int there = h && !failed(cudaStreamSynchronize(stream)) && engine_summed(h, &found);
    rc_heard_free(h);
    return !there || (found.columns == expected->columns && found.pointers == expected->pointers);
}

static rc_status_t places_of(made_t *m, const copy_t *c, rc_err_t *err)
{
    rc_status_t st = m->plans->places(m->plan, m->k, &m->places, err);
    return st == RC_OK && (m->places.place_bytes != 4 || m->places.precision != c->p.a.precision)
               ? RC_ENOTSUP
               : st;
}

static void *make_on(const copy_t *c, const rc_making_t *how, cudaStream_t stream, rc_made_t *made)
{
    rc_err_t err = {RC_OK, "the plan does not say where its values are"};
    made->changed = !is_as_expected(c, &how->sums, stream);
    made_t *m = made->changed ? NULL : calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->device = c->device;
    m->k = c->p.k;
    m->plans = rc_plans(&err);
    rc_status_t st = m->plans ? plan_new(m, c, how, stream, &err) : err.status;
    if (st == RC_OK)
        st = places_of(m, c, &err);
    if (st < 0)
        (void)snprintf(made->text, sizeof made->text, "%.150s", err.text);
    if (st < 0 || checks_new(m, c, stream) < 0) {
        engine_plan_free(m);
        return NULL;
    }
    describe(m, bytes_beside(&c->p), made);
    made->captures = 1;
    return m;
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *engine_make(void *copy, const rc_making_t *how, rc_made_t *made)
{
    copy_t *c = copy;
    cudaStream_t stream = NULL;
    void *plan = NULL;
    enum cudaStreamCaptureMode mode = relax();
    double start = now();
    int there = !failed(cudaSetDevice(c->device)) && !failed(cudaEventSynchronize(c->there)) &&
                !failed(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    made->waited = now() - start;
    if (there) {
        plan = make_on(c, how, stream, made);
        copy_free_on(c, stream);
        (void)failed(cudaStreamSynchronize(stream));
        (void)failed(cudaStreamDestroy(stream));
    } else
        copy_free(c);
    restore(mode);
    return plan;
}

/* What a product by a plan puts on its stream.  \param[in] overlaps  1: its launches do */
static int put_plan(
    made_t *m, const rc_asked_t *p, rc_checking_t check, uint64_t number, int overlaps)
{
    rc_err_t err;
    cudaStream_t stream = p->stream;
    const rc_pattern_ask_t ask = {.check = check != RC_CHECK_NOT,
        .number = number,
        .told = check == RC_CHECK_TOLD,
        .conjugated = p->conjugated};
    const rc_plan_product_t product = {.k = p->k,
        .alpha = {p->alpha[0], p->alpha[1]},
        .in = {p->b},
        .ld_in = {p->ldb},
        .out = p->c,
        .ld_out = p->ldc};
    if (failed(rc_pattern_begin(&p->a, &m->places, m->pattern, m->heard, &ask, stream)) ||
        failed(rc_pattern_between(overlaps, stream)) ||
        m->plans->execute_complex(m->plan, &product, stream, &err) < 0)
        return -1;
    const rc_pattern_again_t again = {m->pattern, number, m->sums, m->blocks, overlaps};
    return ask.check && failed(rc_pattern_product(p, &again, stream)) ? -1 : 0;
}

static int run_plan(made_t *m, const rc_asked_t *p, rc_checking_t check, uint64_t number)
{
    return failed(rc_stream_follow(&m->stream_id, p->stream, m->last))
               ? -1
               : put_plan(m, p, check, number, m->overlaps);
}

static int engine_ended(const void *plan)
{
    const made_t *m = plan;
    enum cudaStreamCaptureMode mode = relax();
    int ended = m->last && !m->unmarked && !failed(cudaEventQuery(m->last));
    restore(mode);
    return ended;
}

/* Nothing is followed or marked: what a capture waits for has to be captured, too.  Launches that
 * overlap are not in graphs of each toolkit.  Each run of the graph has the same number, so that
 * another pattern in the run before is to be forgotten. */
static int engine_record(void *plan, const rc_asked_t *p, uint64_t number)
{
    const made_t *m = plan;
    const size_t bytes = sizeof m->pattern->differs;
    return failed(cudaMemsetAsync(&m->pattern->differs, 0, bytes, p->stream))
               ? -1
               : put_plan(plan, p, RC_CHECK_QUIET, number, 0);
}

static int engine_directs(const rc_asked_t *p)
{
    return rc_directs(p).count;
}

/* Memory that comes and goes in the order of a stream is of a pool, which begins with the first. */
static atomic_int pooled;

static double engine_direct_s(const rc_asked_t *p, int way)
{
    const double pool = 10e-3;
    return rc_directs(p).way[way].scratch && !pooled ? pool : 0;
}

static void *engine_direct(const rc_asked_t *p, int way, rc_made_t *made)
{
    const rc_direct_list_t all = rc_directs(p);
    const rc_direct_t *w = all.way + way;
    made_t *m = w->suits && !w->suits(p) ? NULL : calloc(1, sizeof *m);
    if (!m)
        return NULL;
    enum cudaStreamCaptureMode mode = relax();
    int bad =
        failed(cudaGetDevice(&m->device)) || attributes(m) < 0 ||
        failed(rc_direct_new(&m->direct, p, way, made)) ||
        (m->direct.scratch && (failed(cudaEventCreateWithFlags(&m->last, cudaEventDisableTiming)) ||
                                  failed(cudaEventRecord(m->last, p->stream))));
    if (m->direct.scratch)
        pooled = 1;
    if (bad)
        made_free(m, p->stream);
    restore(mode);
    return bad ? NULL : m;
}

static int engine_run(void *plan, const rc_asked_t *p, rc_checking_t check, uint64_t number)
{
    made_t *m = plan;
    int st = m->direct.way ? rc_direct_run(&m->direct, p, m->last, m->overlaps)
                           : run_plan(m, p, check, number);
    made_mark(m, p->stream); /* a part of it may run even so */
    return st;
}

static void engine_checks(const void *plan, uint64_t *equal, uint64_t *differs)
{
    const made_t *m = plan;
    *equal = m->heard ? m->heard->equal : 0;
    *differs = m->heard ? m->heard->differs : 0;
}

static int engine_compare(void *plan, const rc_asked_t *p, uint64_t number)
{
    made_t *m = plan;
    const rc_pattern_ask_t ask = {.check = 1, .number = number, .other = 1, .told = 1};
    int bad = failed(rc_stream_follow(&m->stream_id, p->stream, m->last)) ||
              failed(rc_pattern_begin(&p->a, NULL, m->pattern, m->heard, &ask, p->stream));
    made_mark(m, p->stream);
    return bad ? -1 : 0;
}

static void engine_compared(const void *plan, uint64_t *equal, uint64_t *differs)
{
    const made_t *m = plan;
    *equal = m->heard->other_equal;
    *differs = m->heard->other_differs;
}

const rc_engine_t *rc_dropin_engine(void)
{
    static const rc_engine_t engine = {RC_ENGINE_ABI, rc_stream_usable, rc_heard_lost, device_name,
        NULL, engine_prepare, engine_copy, copy_free, engine_sum, engine_summed, engine_sum_free,
        engine_look, engine_looked, engine_make, engine_run, engine_checks, engine_compare,
        engine_compared, engine_plan_free, rc_stream_capture, engine_ended, engine_record,
        engine_directs, engine_direct_s, engine_direct, rc_marks_new, rc_mark, rc_marks_between,
        rc_marks_free, rc_marks_idle};
    return &engine;
}
