#include "config.h"
#include "analysis/summary/noise.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/visible.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far neighbours of a team were apart in a case. */
typedef struct hop {
    int32_t device; /* another one has another team, or other CPUs */
    double ns;
} hop_t;

typedef struct noise {
    int64_t cases;  /* that are ok */
    int64_t noisy;  /* that were timed as well, and are not */
    double *missed; /* [misses] errors of the ok ones that missed their target */
    int64_t misses;
    double target;   /* that these missed; NaN: unknown, or several */
    int32_t run;     /* of the last one that ended without; -1: none yet; ... */
    double own;      /* ... and its target */
    int64_t crowded; /* cases that had others beside them, ... */
    double load;     /* ... the sum of these, ... */
    int64_t cpus;    /* ... and what one of them shared; 1: a GPU, where its device says so */
    int gpu;
    hop_t *hop; /* [hops] where that is known */
    int64_t hops;
    int64_t slowed; /* cases after which a clock was held back */
} noise_t;

/* The target of a run; NaN: its provenance does not say. */
static double target_of(const rc_view_t *v, int32_t run)
{
    static const char key[] = "measure.target_rel_err";
    char text[RC_VALUE_MAX + 1];
    for (int64_t i = 0; i < rc_view_provenances(v); i++) {
        const rc_row_provenance_t *p = rc_view_provenance(v, i);
        if (p->run == run && strncmp(p->key, key, sizeof p->key) == 0)
            return strtod(rc_field_text(p->value, sizeof p->value, text), NULL);
    }
    return NAN;
}

/* Who ended by time may have met the target since somebody looked. */
static void add_ended(noise_t *n, const rc_view_t *v, const rc_row_result_t *r)
{
    if (n->run != r->run)
        n->own = target_of(v, r->run);
    n->run = r->run;
    if (r->rel_err <= n->own || isnan(r->rel_err))
        return;
    n->target = n->misses == 0 || n->target == n->own ? n->own : NAN;
    n->missed[n->misses++] = r->rel_err;
}

static void add(noise_t *n, const rc_view_t *v, const rc_row_result_t *r)
{
    const double least = 0.5; /* what is there now and then is on every machine */
    const int64_t set = 0x2;  /* a clock that somebody has set */
    n->cases += r->status == RC_CASE_OK;
    n->noisy += r->status == RC_CASE_NOISY;
    if (r->status == RC_CASE_OK && r->stop != RC_STOP_TARGET)
        add_ended(n, v, r);
    if (r->load >= least) {
        n->crowded++;
        n->load += r->load;
        n->cpus = r->cpus;
        n->gpu = strncmp(rc_view_device(v, r->device), "cpu", 3) != 0;
    }
    if (r->status == RC_CASE_OK && r->hop_ns > 0)
        n->hop[n->hops++] = (hop_t){r->device, r->hop_ns};
    n->slowed += r->throttle > 0 && (r->throttle & ~set) != 0;
}

static const char *next(const rc_str_t *line, size_t began)
{
    return line->len > began ? "; " : "";
}

static int by_device(const void *a, const void *b)
{
    const hop_t *x = a;
    const hop_t *y = b;
    return x->device != y->device ? (x->device > y->device) - (x->device < y->device)
                                  : (x->ns > y->ns) - (x->ns < y->ns);
}

/* A virtual machine's host moves its CPUs: what threads share lines of takes other times then. */
static void say_distance(const noise_t *n, rc_str_t *line, size_t began)
{
    const double tail = 0.05;
    double as_far = 1.5;
    double near = 0;
    double far = 0;
    qsort(n->hop, (size_t)n->hops, sizeof *n->hop, by_device);
    for (int64_t i = 0, end = 0; i < n->hops; i = end) {
        while (end < n->hops && n->hop[end].device == n->hop[i].device)
            end++;
        const int64_t out = (int64_t)(tail * (double)(end - i));
        const double least = n->hop[i + out].ns;
        const double most = n->hop[end - 1 - out].ns;
        if (most <= as_far * least)
            continue;
        as_far = most / least;
        near = least;
        far = most;
    }
    if (far > 0)
        rc_str_addf(line, "%sneighbours of a team were %.0f to %.0f ns apart", next(line, began),
            near, far);
}

static void say(const noise_t *n, rc_str_t *line)
{
    const double share = 0.05;
    const double few = share * (double)(n->cases + n->noisy);
    size_t began = line->len;
    if ((double)n->misses > few) {
        rc_stats_t s;
        rc_stats_compute(n->missed, n->misses, &s);
        rc_str_addf(line, "%" PRId64 " of %" PRId64 " cases missed ", n->misses, n->cases);
        if (isnan(n->target))
            rc_str_add(line, "their target");
        else
            rc_str_addf(line, "%.3g %%", 100 * n->target);
        rc_str_addf(line, ", median %.2g %%", 100 * s.median);
    }
    if (n->noisy)
        rc_str_addf(line, "%s%" PRId64 " of %" PRId64 " are noisy: in no table", next(line, began),
            n->noisy, n->cases + n->noisy);
    if ((double)n->crowded > few && n->gpu)
        rc_str_addf(line, "%s%.2g other processes on the GPU", next(line, began),
            n->load / (double)n->crowded);
    else if ((double)n->crowded > few)
        rc_str_addf(line, "%sload %.2g on %" PRId64 " CPU%s", next(line, began),
            n->load / (double)n->crowded, n->cpus, rc_plural(n->cpus));
    say_distance(n, line, began);
    if ((double)n->slowed > few)
        rc_str_addf(line, "%sclock held back in %" PRId64 " case%s", next(line, began), n->slowed,
            rc_plural(n->slowed));
}

rc_status_t rc_noise_line(
    const rc_view_t *v, const rc_expr_t *where, const char *run, rc_str_t *line, rc_err_t *err)
{
    noise_t n = {.run = -1};
    RC_PASS(RC_NEW(n.missed, rc_view_count(v), "errors of times", err));
    rc_status_t st = RC_NEW(n.hop, rc_view_count(v), "distances", err);
    for (int64_t i = 0; st == RC_OK && i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        const rc_row_run_t *of = rc_view_run(v, r->run);
        int timed = r->status == RC_CASE_OK || r->status == RC_CASE_NOISY;
        if (timed && rc_view_is_newest(v, i) &&
            (!run || strncmp(of->uuid, run, sizeof of->uuid) == 0) && rc_view_matches(v, i, where))
            add(&n, v, r);
    }
    if (st == RC_OK)
        say(&n, line);
    free(n.missed);
    free(n.hop);
    if (st < 0)
        return st;
    return line->failed ? rc_fail(err, RC_ENOMEM, "no memory for a line") : RC_OK;
}
