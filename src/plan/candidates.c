/* What a plan chooses among. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "feature/feature.h"
#include "kernels/specs.h"
#include "kernels/vendor/vendor.h"
#include "model/choose.h"
#include "plan/guess/guess.h"
#include "plan/plan_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rc_status_t rc_plan_candidate_add(
    rc_plan_entry_t *e, const char *kernel, const char *order, rc_err_t *err)
{
    size_t n = (size_t)e->part.candidates + 1;
    rc_plan_candidate_t *grown = realloc(e->candidate, n * sizeof *grown);
    if (!grown)
        return rc_fail(err, RC_ENOMEM, "no memory for the candidates of a plan");
    e->candidate = grown;
    rc_plan_candidate_t *c = &grown[e->part.candidates++];
    *c = (rc_plan_candidate_t){.predicted_ns = NAN,
        .predicted_setup_ns = NAN,
        .order_ns = NAN,
        .prepare_ns = NAN,
        .time_ns = NAN,
        .bytes = -1};
    int cut = snprintf(c->kernel, sizeof c->kernel, "%s", kernel) >= (int)sizeof c->kernel ||
              snprintf(c->order, sizeof c->order, "%s", order) >= (int)sizeof c->order;
    return cut ? rc_fail(err, RC_EINVAL,
                     "kernel or order: a text that is too long: '%.40s', '%.40s'", kernel, order)
               : RC_OK;
}

/* ------------------------------------------------------------------ by name */

enum { MOST_NAMED = 256 }; /* kernels or orders of a list */

/* 1: B does not fit the last cache, so that the row order matters. */
static int is_large(const rc_plan_t *plan, int64_t k)
{
    int64_t row = rc_sat_mul(k, (int64_t)rc_precision_bytes(plan->precision));
    return plan->place.cache_bytes > 0 && rc_sat_mul(plan->a.cols, row) > plan->place.cache_bytes;
}

static rc_guess_problem_t guess_problem(const rc_plan_t *plan, int64_t k)
{
    return (rc_guess_problem_t){.op = plan->op,
        .layout = plan->layout,
        .value_bytes = (int)rc_precision_bytes(plan->precision),
        .k = k,
        .rows = plan->a.rows,
        .cols = plan->a.cols,
        .nnz = plan->a.nnz,
        .longest = plan->facts.longest,
        .empty_rows = plan->facts.empty_rows,
        .cache_bytes = plan->place.cache_bytes,
        .multiprocessors = plan->place.multiprocessors};
}

static int fits(const rc_plan_t *plan, const rc_kernel_t *k)
{
    return k->device == plan->place.x->kind && k->op == plan->op && k->computes &&
           rc_kernel_takes_out(k, plan->precision, plan->out_sums) &&
           (k->layout == plan->layout || !rc_operation_of(plan->op)->has_k);
}

static int serves(const rc_plan_t *plan, const rc_kernel_t *k)
{
    return fits(plan, k) && !k->for_testing;
}

/* A kernel with each of the orders, or of them with the original one. */
static rc_status_t add_orders(const char *kernel, int original, const rc_policy_spec_t *order,
    int orders, rc_plan_entry_t *e, rc_err_t *err)
{
    char text[RC_POLICY_TEXT];
    for (int i = 0; i < orders; i++) {
        rc_policy_spec_text(&order[i], text);
        if (!original || strcmp(text, "csr") == 0)
            RC_PASS(rc_plan_candidate_add(e, kernel, text, err));
    }
    return RC_OK;
}

/* The first place is that of the order that was asked for first, which some kernels leave out. */
static void begin_with(const rc_policy_spec_t *order, rc_plan_entry_t *e)
{
    char text[RC_POLICY_TEXT];
    int i = 0;
    rc_policy_spec_text(order, text);
    while (i < e->part.candidates && strcmp(e->candidate[i].order, text) != 0)
        i++;
    if (i == e->part.candidates)
        return;
    rc_plan_candidate_t c = e->candidate[i];
    memmove(&e->candidate[1], &e->candidate[0], (size_t)i * sizeof c);
    e->candidate[0] = c;
}

/* 1: nothing changes but the kernel of the vendor. */
static int is_vendor(const rc_plan_candidate_t *c)
{
    return rc_vendor_is_baseline(c->kernel) && strcmp(c->order, "csr") == 0;
}

/* Where there is none of the vendor yet, the first kernel that is one of those. */
static rc_status_t add_baseline(
    const rc_plan_t *plan, int (*is_one)(const char *kernel), rc_plan_entry_t *e, rc_err_t *err)
{
    for (int i = 0; i < e->part.candidates; i++)
        if (is_vendor(&e->candidate[i]))
            return RC_OK;
    for (int i = 0; rc_kernels[i]; i++)
        if (fits(plan, rc_kernels[i]) && is_one(rc_kernels[i]->name))
            return rc_plan_candidate_add(e, rc_kernels[i]->name, "csr", err);
    return RC_OK;
}

/* 1: the original order is among those that were asked for. */
static int has_original(const rc_plan_entry_t *e)
{
    for (int i = 0; i < e->part.candidates; i++)
        if (strcmp(e->candidate[i].order, "csr") == 0)
            return 1;
    return 0;
}

static int is_listed(const rc_plan_entry_t *e, const char *kernel)
{
    for (int i = 0; i < e->part.candidates; i++)
        if (strcmp(e->candidate[i].kernel, kernel) == 0)
            return 1;
    return 0;
}

/* Index of the least costly that a rule knows of the kernel of that name; -1: none. */
static int guess_of(const rc_guess_t *g, const char *kernel)
{
    size_t n = strcspn(kernel, ":");
    for (int i = 0; i < g->count; i++)
        if (strcspn(g->kernel[i], ":") == n && strncmp(g->kernel[i], kernel, n) == 0)
            return i;
    return -1;
}

/* By a number for each candidate; those of one number stay as they are. */
static void sort_candidates(rc_plan_entry_t *e, double *key)
{
    for (int i = 1; i < e->part.candidates; i++) {
        const rc_plan_candidate_t c = e->candidate[i];
        const double k = key[i];
        int at = i;
        for (; at > 0 && key[at - 1] > k; at--) {
            e->candidate[at] = e->candidate[at - 1];
            key[at] = key[at - 1];
        }
        e->candidate[at] = c;
        key[at] = k;
    }
}

/* For so many products: what costs least in all is first, and that may be to change nothing. */
static rc_status_t sort_by_total(const rc_guess_problem_t *p, const rc_guess_t *g, double reuse,
    rc_plan_entry_t *e, rc_err_t *err)
{
    double *key = NULL;
    RC_PASS(RC_NEW(key, e->part.candidates, "costs", err));
    for (int i = 0; i < e->part.candidates; i++) {
        const rc_plan_candidate_t *c = &e->candidate[i];
        double cost = 0;
        for (int j = 0; j < g->count; j++)
            if (strcmp(g->kernel[j], c->kernel) == 0)
                cost = g->cost[j];
        key[i] = rc_guess_total(p, c->kernel, cost, strcmp(c->order, "csr") != 0, reuse);
    }
    sort_candidates(e, key);
    free(key);
    return RC_OK;
}

/* The kernel of a text; NULL: there is none. */
static const rc_kernel_t *kernel_of(const rc_plan_t *plan, const char *text)
{
    char name[RC_PLAN_KERNEL_MAX];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    return rc_kernel_find(name, plan->place.x->kind);
}

/* Those of a guess that have an instance for the type of the plan: the rule goes by the bytes of a
 * value, and may have been fitted on other types. */
static rc_status_t add_guessed(const rc_plan_t *plan, const rc_guess_t *g,
    const rc_policy_spec_t *order, int orders, rc_plan_entry_t *e, rc_err_t *err)
{
    for (int i = 0; i < g->count; i++) {
        const rc_kernel_t *k = kernel_of(plan, g->kernel[i]);
        if (!k ||
            rc_kernel_takes_out(k, plan->precision, plan->out_sums)) /* none: trying it says so */
            RC_PASS(add_orders(g->kernel[i], k && k->scatters, order, orders, e, err));
    }
    return RC_OK;
}

/* The kernel that has A as a dense matrix; NULL: none that is for this plan. */
static const rc_kernel_t *dense_of(const rc_plan_t *plan)
{
    for (int i = 0; rc_kernels[i]; i++)
        if (serves(plan, rc_kernels[i]) && rc_vendor_is_dense(rc_kernels[i]->name))
            return rc_kernels[i];
    return NULL;
}

/* 1: A fits as a dense matrix into what the plan may take, and into half of what nobody has. */
static int holds_dense(const rc_plan_t *plan, const rc_plan_options_t *o)
{
    const int64_t row = rc_sat_mul(plan->a.cols, (int64_t)rc_precision_bytes(plan->precision));
    const int64_t bytes = rc_sat_mul(plan->a.rows, row);
    return plan->place.memory && (o->memory == 0 || bytes <= o->memory) &&
           bytes <= plan->place.memory(plan->place.x) / 2;
}

/* The dense product before all others where it is surely faster; where it may be, and times will
 * tell, behind the first. */
static rc_status_t add_dense(
    const rc_plan_t *plan, const rc_plan_options_t *o, rc_plan_entry_t *e, rc_err_t *err)
{
    const rc_guess_problem_t p = guess_problem(plan, e->part.k);
    const double ratio = rc_guess_over_dense(&p);
    const int surely = ratio >= rc_guess_dense_surely;
    const int may = (o->tune != 0 || o->tune_in_use > 0) && ratio >= rc_guess_dense_maybe;
    const rc_kernel_t *k = surely || may ? dense_of(plan) : NULL;
    if (!k || o->deterministic & RC_PLAN_STRICT || !has_original(e) || !holds_dense(plan, o))
        return RC_OK;
    RC_PASS(rc_plan_candidate_add(e, k->name, "csr", err));
    const int last = e->part.candidates - 1;
    const int at = surely ? 0 : 1;
    const rc_plan_candidate_t c = e->candidate[last];
    memmove(&e->candidate[at + 1], &e->candidate[at], (size_t)(last - at) * sizeof c);
    e->candidate[at] = c;
    return RC_OK;
}

/* Those of the guess first, the others by rank. */
static rc_status_t add_any_kernel(const rc_plan_t *plan, const rc_plan_options_t *o,
    const rc_policy_spec_t *order, int orders, rc_plan_entry_t *e, rc_err_t *err)
{
    const rc_guess_problem_t p = guess_problem(plan, e->part.k);
    int beyond = is_large(plan, e->part.k);
    rc_guess_t g;
    rc_guess_kernels(&p, &g);
    RC_PASS(add_guessed(plan, &g, order, orders, e, err));
    const int by_total = e->part.candidates > 0 && o->reuse > 0 && o->tune == 0;
    if (by_total) {
        if (has_original(e))
            RC_PASS(add_baseline(plan, rc_vendor_is_baseline, e, err));
        RC_PASS(add_dense(plan, o, e, err));
        RC_PASS(sort_by_total(&p, &g, o->reuse, e, err));
    }
    for (int rank = 1; rank <= RC_KERNEL_UNRANKED; rank++)
        for (int i = 0; rc_kernels[i]; i++)
            if (serves(plan, rc_kernels[i]) && !is_listed(e, rc_kernels[i]->name) &&
                !rc_vendor_is_dense(rc_kernels[i]->name) && /* which takes much memory */
                guess_of(&g, rc_kernels[i]->name) < 0 &&    /* which the guess has with a limit */
                rc_kernel_rank(rc_kernels[i], e->part.k, beyond) == rank)
                RC_PASS(add_orders(
                    rc_kernels[i]->name, rc_kernels[i]->scatters, order, orders, e, err));
    if (e->part.candidates > 0) {
        if (by_total)
            return RC_OK;
        begin_with(&order[0], e);
        return add_dense(plan, o, e, err);
    }
    return rc_fail(err, RC_ENOTSUP, "no kernel of this build computes %s in %s%s there, layout %s",
        rc_op_name(plan->op), rc_precision_name(plan->precision),
        plan->out_sums ? " with the output in fp32" : "", rc_layout_name(plan->layout));
}

/* Those that were added as `ranked` or `ranked:first=N`: in the order of the guess, from one of
 * the kernels that it knows on, and those of other layouts last. */
static rc_status_t sort_ranked(
    const rc_plan_t *plan, const char *kernels, int orders, rc_plan_entry_t *e, rc_err_t *err)
{
    static const char word[] = "ranked";
    const rc_guess_problem_t p = guess_problem(plan, e->part.k);
    const char *first = strchr(kernels, '=');
    int count = e->part.candidates;
    int known = 0;
    double *key = NULL;
    rc_guess_t g;
    rc_guess_kernels(&p, &g);
    if (strncmp(kernels, word, sizeof word - 1) != 0 || strchr(kernels, ',') || g.count == 0)
        return RC_OK;
    RC_PASS(RC_NEW(key, count, "costs", err));
    for (int i = 0; i < count; i++) {
        int at = guess_of(&g, e->candidate[i].kernel);
        key[i] = at < 0 ? g.count : at;
        known += at >= 0;
    }
    sort_candidates(e, key);
    int from = first && known > 0 ? (int)(strtoll(first + 1, NULL, 10) % (known / orders)) : 0;
    for (int i = 0; i < count; i++)
        key[i] = i >= known ? 2 : i < from * orders ? 1 : 0;
    sort_candidates(e, key);
    free(key);
    return RC_OK;
}

/* A kernel with its parameters so that it can be read again: as the store has it, but a file by its
 * name, for its content stands there.
 * \param[out] text  [RC_PLAN_KERNEL_MAX] */
static rc_status_t spell(const rc_kernel_spec_t *spec, char *text, rc_err_t *err)
{
    char params[RC_PARAMS_TEXT];
    memcpy(params, spec->params, sizeof params);
    if (spec->kernel->param[0].name && spec->kernel->param[0].type == RC_PARAM_TEXT) {
        rc_params_t v = {.value = {0}};
        memcpy(v.value, spec->param, sizeof spec->param);
        memcpy(v.text, spec->text, sizeof v.text);
        rc_status_t st = rc_params_text(spec->kernel->param, &v, params, err);
        if (st < 0)
            return rc_err_context(err, "kernel %s", spec->kernel->name);
    }
    (void)snprintf(
        text, RC_PLAN_KERNEL_MAX, "%s%s%s", spec->kernel->name, params[0] ? ":" : "", params);
    return RC_OK;
}

static rc_status_t add_kernels(const rc_plan_t *plan, const char *kernels,
    const rc_policy_spec_t *order, int orders, rc_plan_entry_t *e, rc_err_t *err)
{
    rc_kernel_spec_t *kernel = NULL;
    int count = 0;
    char text[RC_PLAN_KERNEL_MAX];
    rc_status_t st = rc_kernel_specs_parse(
        kernels, plan->place.x->kind, 1u << plan->op, MOST_NAMED, &kernel, &count, err);
    for (int i = 0; st == RC_OK && i < count; i++) {
        st = spell(&kernel[i], text, err);
        if (st == RC_OK)
            st = add_orders(text, 0, order, orders, e, err);
    }
    free(kernel);
    return st;
}

int rc_plan_kernels_serve_both(const rc_plan_request_t *r, const char *kernels)
{
    rc_kernel_spec_t *kernel = NULL;
    int count = 0;
    rc_err_t why; /* which making the plan says, too */
    int both = kernels && rc_kernel_specs_parse(kernels, r->place.x->kind, 1u << r->problem.op,
                              MOST_NAMED, &kernel, &count, &why) == RC_OK;
    for (int i = 0; i < count; i++)
        both &= kernel[i].kernel->twin != NULL;
    free(kernel);
    return both;
}

/* Where the device builds orders and one may pay, `auto` finds out in a product or less whether it
 * does.  Where it cannot be built the original order is the next one.  Timing says how much it is
 * worth for few rows, too, and a search has orders of its own. */
static const char *default_orders(
    const rc_plan_t *plan, const rc_plan_options_t *o, const rc_plan_entry_t *e)
{
    const rc_guess_problem_t p = guess_problem(plan, e->part.k);
    int asks = o->tune >= 0 && plan->place.order && plan->op == RC_OP_SPMM;
    int timed = o->tune > 0 && is_large(plan, e->part.k);
    return asks && (timed || rc_guess_ordered(&p)) ? "auto,csr" : "csr";
}

static rc_status_t add_named(
    rc_plan_t *plan, const rc_plan_options_t *o, rc_plan_entry_t *e, rc_err_t *err)
{
    rc_policy_spec_t *order = NULL;
    int orders = 0;
    const char *list = o->orders ? o->orders : default_orders(plan, o, e);
    rc_status_t st = rc_policy_specs_parse(list, MOST_NAMED, &order, &orders, err);
    if (st < 0)
        rc_err_context(err, "orders");
    else if (o->kernels && add_kernels(plan, o->kernels, order, orders, e, err) < 0)
        st = rc_err_context(err, "kernels");
    else if (o->kernels)
        st = sort_ranked(plan, o->kernels, orders, e, err);
    else
        st = add_any_kernel(plan, o, order, orders, e, err);
    free(plan->named);
    plan->named = order;
    plan->names = orders;
    return st;
}

/* ----------------------------------------------------------------- by model */

/* Rows from which on a launch and its answer take less than the host does. */
enum { ROWS_THERE = 1 << 14 };

/* Index of the permitted class with the least cost that is not yet marked; -1: none. */
static int next_best(const rc_choice_t *c, double reuse, const unsigned char *done)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < c->candidates; i++) {
        double cost = reuse > 0 ? rc_choice_total(c, reuse, i) : c->time_ns[i];
        if (c->permitted[i] && !done[i] && (best < 0 || cost < least)) {
            best = i;
            least = cost;
        }
    }
    return best;
}

/* The chosen class first, then the others by cost. */
static rc_status_t add_classes(
    const rc_plan_options_t *o, const rc_choice_t *c, rc_plan_entry_t *e, rc_err_t *err)
{
    unsigned char *done = rc_alloc0((size_t)c->candidates, 1, "classes", err);
    rc_status_t st = done ? RC_OK : RC_ENOMEM;
    for (int i = c->candidate; st == RC_OK && i >= 0; i = next_best(c, o->reuse, done)) {
        rc_candidate_t class;
        st = rc_model_candidate(o->model, i, &class, err);
        if (st == RC_OK)
            st = rc_plan_candidate_add(e, class.kernel, class.policy, err);
        if (st < 0)
            break;
        e->candidate[e->part.candidates - 1].predicted_ns = c->time_ns[i];
        e->candidate[e->part.candidates - 1].predicted_setup_ns = c->setup_ns[i];
        done[i] = 1;
    }
    free(done);
    return st;
}

/* Features on the device, where row pointers are there and either are not here or counting them
 * here would take longer.
 * \param[out] feature  free()  \return RC_OK: where `out->feature` is NULL they are left to the
 *         host */
static rc_status_t features_there(const rc_plan_t *plan, const rc_model_t *m, double **feature,
    rc_choice_features_t *out, rc_err_t *err)
{
    const rc_feature_set_t *set = rc_feature_set_find(m->feature_set);
    rc_err_t why = {0};
    const rc_resident_t *there = rc_plan_pattern_there(plan);
    there = there ? there : &plan->pointers;
    if (!set || !plan->place.features || !there->row_ptr ||
        (plan->a.row_ptr && plan->a.rows < ROWS_THERE))
        return RC_OK;
    int64_t start = rc_clock_ns();
    RC_PASS(RC_NEW(*feature, set->count, "features", err));
    rc_status_t st =
        plan->place.features(plan->place.x, set->name, &plan->a, there, *feature, &why);
    if (st == RC_OK)
        *out = (rc_choice_features_t){.feature = *feature, .ns = (double)(rc_clock_ns() - start)};
    if (st == RC_EDEVICE)
        return rc_fail(err, st, "%s", why.text);
    return RC_OK;
}

static rc_status_t ask_model(
    rc_plan_t *plan, const rc_plan_options_t *o, rc_plan_entry_t *e, rc_err_t *err)
{
    const rc_operation_t *op = rc_operation_of(plan->op);
    rc_request_t r = {.k = op->has_k ? e->part.k : 0,
        .precision = plan->precision,
        .reuse = o->reuse,
        .threads = o->threads,
        .operation = op->name,
        .device = plan->place.device_class,
        .extrapolate = o->extrapolate};
    r.constraints =
        (rc_constraints_t){.layouts = plan->layout == RC_ROW_MAJOR ? RC_LAYOUT_ROW : RC_LAYOUT_COL,
            .kernels = o->kernels,
            .orders = o->orders,
            .memory = o->memory,
            .deterministic = o->deterministic & RC_PLAN_SAME_BITS};
    rc_choice_t c = {0};
    rc_choice_features_t there = {0};
    double *feature = NULL;
    rc_status_t st;
    RC_TRY(features_there(plan, o->model, &feature, &there, err));
    if (!there.feature)
        RC_TRY(rc_plan_pattern_here(plan, err));
    RC_TRY(rc_choose_class(o->model, &plan->a, &r, there.feature ? &there : NULL, &c, err));
    RC_TRY(add_classes(o, &c, e, err));
done:
    rc_choice_free(&c);
    free(feature);
    return st;
}

/* --------------------------------------------------------------------- all */

/* 1: a candidate is that kernel of the vendor.  \param[in] timed  of rc_vendor_timed: others may
 * name more parameters */
static int has(const rc_plan_entry_t *e, const char *timed)
{
    for (int i = 0; i < e->part.candidates; i++)
        if (is_vendor(&e->candidate[i]) && rc_vendor_is_entry(timed, e->candidate[i].kernel))
            return 1;
    return 0;
}

/* Of its other algorithms those of a list.  With those that are the fastest somewhere, what is
 * chosen is not slower than any. */
static rc_status_t add_vendor_others(
    const rc_plan_t *plan, const char *const *list, rc_plan_entry_t *e, rc_err_t *err)
{
    for (; *list; list++)
        for (int k = 0; rc_kernels[k]; k++) {
            size_t n = strlen(rc_kernels[k]->name);
            if (strncmp(*list, rc_kernels[k]->name, n) != 0 || (*list)[n] != ':' ||
                !serves(plan, rc_kernels[k]) || has(e, *list))
                continue;
            RC_PASS(rc_plan_candidate_add(e, *list, "csr", err));
            e->others++;
        }
    return RC_OK;
}

/* What changes nothing: a vendor's kernel or a loop in original order, else any in original order,
 * else the first. */
static int reference_of(const rc_plan_entry_t *e)
{
    int found = -1;
    for (int i = 0; i < e->part.candidates; i++) {
        const rc_plan_candidate_t *c = &e->candidate[i];
        if (strcmp(c->order, "csr") != 0)
            continue;
        if (is_vendor(c) || rc_vendor_is_loop(c->kernel))
            return i;
        if (found < 0)
            found = i;
    }
    return found < 0 ? 0 : found;
}

rc_status_t rc_plan_candidates(
    rc_plan_t *plan, const rc_plan_options_t *o, rc_plan_entry_t *e, rc_err_t *err)
{
    /* models know one layout and type of all operands alone */
    int asks =
        o->model && rc_layout_in(plan->layout) == rc_layout_out(plan->layout) && !plan->out_sums;
    int searches = o->tune == RC_PLAN_SEARCH;
    RC_PASS(asks ? ask_model(plan, o, e, err) : add_named(plan, o, e, err));
    if ((o->tune != 0 || o->tune_in_use > 0) && !o->kernels && (asks || has_original(e))) {
        /* a model may know of no kernel of the vendor, and a baseline is no candidate by itself */
        RC_PASS(add_baseline(plan, rc_vendor_is_baseline, e, err));
        if (searches) /* without a vendor's the loop of a program without a library */
            RC_PASS(add_baseline(plan, rc_vendor_is_loop, e, err));
        RC_PASS(add_vendor_others(plan, searches ? rc_vendor_all : rc_vendor_timed, e, err));
    }
    e->part.why = asks                                    ? RC_PLAN_MODEL
                  : o->kernels && e->part.candidates == 1 ? RC_PLAN_NAMED
                                                          : RC_PLAN_DEFAULT;
    e->part.reference = reference_of(e);
    return RC_OK;
}
