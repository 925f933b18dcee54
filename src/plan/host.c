/* Plans on the host: each has a team of its own size, and what a CPU says of itself. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/threads.h"
#include "device/cpu/crowd.h"
#include "plan/system.h"

#include <omp.h>
#include <stdlib.h>

typedef struct host {
    rc_plan_home_t home;
    rc_device_t *device;
} host_t;

static void host_free(rc_plan_home_t *h)
{
    rc_device_close(((host_t *)h)->device);
    free(h);
}

static rc_status_t no_stream(const struct CUstream_st *stream, rc_err_t *err)
{
    return stream ? rc_fail(err, RC_EINVAL, "stream: expected NULL for a plan on the host") : RC_OK;
}

/* A team of threads that are gone would be waited for, for ever. */
static rc_status_t use(rc_plan_home_t *h, struct CUstream_st *stream, rc_err_t *err)
{
    int threads = ((host_t *)h)->device->executor.threads;
    RC_PASS(no_stream(stream, err));
    return rc_thread_count(threads) >= threads
               ? RC_OK
               : rc_fail(err, RC_ENOTSUP,
                     "plan: of %d threads, which a child of fork() has not: make one there",
                     threads);
}

static rc_status_t takes(const rc_plan_t *plan, const void *val, int on_device,
    struct CUstream_st *stream, rc_err_t *err)
{
    (void)plan;
    (void)val;
    (void)stream; /* which `use` looks at */
    return on_device ? rc_fail(err, RC_EINVAL, "values: expected memory of the host") : RC_OK;
}

static rc_status_t clone(
    const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err);

/* As many as OpenMP gives to this thread: one within a team that may have none of its own. */
static int all_threads(void)
{
    int given = 1;
    int threads = rc_thread_count(0);
#pragma omp parallel num_threads(threads)
#pragma omp single
    given = omp_get_num_threads();
    return given;
}

static rc_status_t host_new(int threads, host_t **out, rc_err_t *err)
{
    int team = threads > 0 ? rc_thread_count(threads) : all_threads();
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected at least 0, found %d", threads);
    host_t *h = rc_alloc0(1, sizeof *h, "a plan", err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    h->home = (rc_plan_home_t){.use = use, .clone = clone, .takes = takes, .free = host_free};
    rc_status_t st = rc_device_open_cpu(team, &h->device, err);
    if (st < 0)
        free(h);
    else
        *out = h;
    return st;
}

static rc_plan_place_t place_of(const host_t *h)
{
    return (rc_plan_place_t){.x = &h->device->executor,
        .cache_bytes = h->device->cache_bytes,
        .device_class = h->device->class_name};
}

static rc_status_t begin(const rc_plan_matrix_t *a, const rc_plan_options_t *options,
    rc_plan_t **out, host_t **host, rc_err_t *err)
{
    if (!out)
        return rc_fail(err, RC_EINVAL, "plan: expected where to put it, found NULL");
    *out = NULL;
    if (!a || a->on_device)
        return rc_fail(err, RC_EINVAL, "matrix: expected one of the host, found %s",
            a ? "one of a GPU" : "NULL");
    if (options && options->allocator)
        return rc_fail(err, RC_EINVAL, "allocator: expected NULL for a plan on the host");
    return host_new(options ? options->threads : 0, host, err);
}

static int was_timed(const rc_plan_t *plan)
{
    for (int i = 0; i < plan->entries; i++)
        if (plan->entry[i].part.tune_ns > 0)
            return 1;
    return plan->transpose && was_timed(plan->transpose);
}

/* Beside other programs a team that spins takes the CPU from the thread that it waits for: while
 * candidates are timed it sleeps there, and no longer. */
static rc_status_t new_timed(const host_t *h, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err)
{
    rc_device_t *d = h->device;
    rc_plan_place_t place = place_of(h);
    const rc_crowd_hold_t hold = rc_crowd_hold(d->executor.threads);
    rc_plan_place_watched(&place, d);
    d->watch(d, RC_WATCH_BEGIN);
    rc_status_t st = rc_plan_new(&place, problem, a, options, out, err);
    if (st == RC_OK && was_timed(*out))
        rc_plan_note_company(*out, d);
    rc_crowd_release(&hold);
    return st;
}

rc_status_t rc_plan_create_host(const rc_plan_problem_t *problem, const rc_plan_matrix_t *a,
    const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err)
{
    host_t *h = NULL;
    RC_PASS(begin(a, options, out, &h, err));
    rc_plan_place_t place = place_of(h);
    rc_status_t st = options && options->tune != 0
                         ? new_timed(h, problem, a, options, out, err)
                         : rc_plan_new(&place, problem, a, options, out, err);
    return rc_plan_give_home(&h->home, place.x, st, out, err);
}

rc_status_t rc_plan_load_host(const char *path, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err)
{
    host_t *h = NULL;
    if (out)
        *out = NULL;
    if (!path)
        return rc_fail(err, RC_EINVAL, "path: expected a file name, found NULL");
    RC_PASS(begin(a, options, out, &h, err));
    rc_plan_place_t place = place_of(h);
    const rc_plan_file_t file = {path, options ? options->transposed : 0};
    return rc_plan_give_home(
        &h->home, place.x, rc_plan_open(&file, &place, problem, a, out, err), out, err);
}

static rc_status_t clone(
    const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err)
{
    host_t *h = NULL;
    RC_PASS(no_stream(stream, err));
    RC_PASS(host_new(plan->place.x->threads, &h, err));
    rc_plan_place_t place = place_of(h);
    return rc_plan_give_home(&h->home, place.x, rc_plan_copy(plan, &place, out, err), out, err);
}

rc_status_t rc_order_system(
    const rc_plan_matrix_t *a, const rc_system_options_t *options, rc_system_t **out, rc_err_t *err)
{
    host_t *h = NULL;
    rc_plan_t *none = NULL;
    const rc_plan_options_t o = rc_system_as_plan(options);
    if (!out)
        return rc_fail(err, RC_EINVAL, "system: expected where to put it, found NULL");
    *out = NULL;
    RC_PASS(begin(a, &o, &none, &h, err));
    const rc_system_place_t place = {.at = place_of(h)};
    return rc_system_give_home(&h->home, rc_system_new(&place, a, options, out, err), out);
}
