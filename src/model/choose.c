#include "config.h"
#include "model/choose.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/str.h"
#include "base/threads.h"
#include "feature/feature.h"
#include "model/domain.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ request */

static rc_status_t check_operation(const rc_model_t *m, const rc_request_t *r, rc_err_t *err)
{
    int32_t wanted = 0;
    rc_status_t st = r->operation ? rc_model_operation_parse(r->operation, &wanted, err) : RC_OK;
    if (st < 0) {
        rc_err_context(err, "choose");
        return st;
    }
    if (wanted != m->operation)
        return rc_fail(err, RC_ENOTSUP,
            "choose: the model was trained on %s, found a request for %s", rc_model_operation(m),
            rc_model_operation_names[wanted]);
    if (!rc_model_operation_has_k(wanted) && r->k != 0)
        return rc_fail(err, RC_EINVAL, "choose: %s has no K: expected k = 0, found %" PRId64,
            rc_model_operation(m), r->k);
    if (rc_model_operation_has_k(wanted) && r->k < 1)
        return rc_fail(err, RC_EINVAL, "choose: expected k of at least 1, found %" PRId64, r->k);
    return RC_OK;
}

static rc_status_t check_request(
    const rc_model_t *m, const rc_request_t *r, rc_geometry_t *g, rc_err_t *err)
{
    RC_PASS(check_operation(m, r, err));
    rc_status_t st = RC_OK;
    RC_PASS(rc_type_check(r->precision, "choose: values", err));
    if (!(r->reuse >= 0) || isinf(r->reuse))
        return rc_fail(
            err, RC_EINVAL, "choose: expected a reuse of at least 0, found %g", r->reuse);
    if (r->threads < 0)
        return rc_fail(err, RC_EINVAL, "choose: expected at least 0 threads, found %d", r->threads);
    if (r->constraints.memory < 0)
        return rc_fail(err, RC_EINVAL,
            "choose: expected a memory of at least 0 bytes, found %" PRId64, r->constraints.memory);
    if (r->reuse > 0 && m->output == RC_OUTPUT_SCORE)
        return rc_fail(err, RC_EINVAL,
            "choose: reuse needs predicted times, and this model (%s) is a classifier without them",
            m->kind);
    if (r->reuse > 0 && !m->setup)
        return rc_fail(err, RC_EINVAL,
            "choose: reuse needs predicted setup times, and this model (%s) has none", m->kind);
    *g = m->geometry.of[r->precision];
    if (g->nw == 0) {
        rc_str_t types = {0};
        rc_model_types_text(m, &types);
        st = rc_fail(err, RC_ENOTSUP, "choose: the model was trained on %s, found a request for %s",
            types.failed ? "others" : types.text, rc_type(r->precision)->name);
        rc_str_free(&types);
    }
    return st;
}

/* --------------------------------------------------------------- constraints */

/* Of a prepared matrix over plain CSR, where the model does not say: more than of coordinates. */
static const double unknown_memory = 2;

double rc_model_memory(const rc_model_t *m, int c, const rc_csr_t *a, const rc_request_t *r)
{
    double bytes = rc_type(r->precision)->bytes;
    double csr = (double)a->nnz * (bytes + 4) + 8 * ((double)a->rows + 1);
    double dense = ((double)a->rows + (double)a->cols) * (double)(r->k > 0 ? r->k : 1) * bytes;
    return csr * (m->cls[c].memory > 0 ? m->cls[c].memory : unknown_memory) + dense;
}

static int fits_list(const rc_words_t *list, const char *spec)
{
    for (int i = 0; i < list->count; i++)
        if (rc_glob_match_spec(list->word[i], spec))
            return 1;
    return list->count == 0;
}

static rc_status_t split(const char *text, const char *what, rc_words_t *out, rc_err_t *err)
{
    if (text && rc_words_split(text, ',', out, err) < 0)
        return rc_err_context(err, "%s", what);
    return RC_OK;
}

/* Models are of C in the original row order; what that means for a caller who cannot take it. */
static rc_status_t check_c_orders(const rc_constraints_t *c, rc_err_t *err)
{
    static const char *const names[] = {"original", "schedule", "symmetric"};
    enum { NAMES = sizeof names / sizeof *names };
    rc_words_t list = {0};
    rc_status_t st = split(c->c_orders, "orders of C", &list, err);
    for (int i = 0; st == RC_OK && i < list.count; i++) {
        int known = 0;
        for (int n = 0; n < NAMES; n++)
            known |= strcmp(names[n], list.word[i]) == 0;
        if (!known)
            st = rc_fail(err, RC_EINVAL,
                "orders of C: expected original, schedule or symmetric, found '%.40s'",
                list.word[i]);
    }
    if (st == RC_OK && !fits_list(&list, names[0]))
        st = rc_fail(err, RC_ENOTSUP,
            "the model knows C in the original row order alone, found '%.80s'", c->c_orders);
    rc_words_free(&list);
    return st;
}

static rc_status_t nothing_fits(const rc_model_t *m, const rc_constraints_t *q, rc_err_t *err)
{
    enum { NAMED = 4 };
    rc_str_t s = {0};
    if (q->layouts)
        rc_str_addf(&s, "layout %s%s%s", q->layouts & RC_LAYOUT_COL ? "col" : "",
            q->layouts == (RC_LAYOUT_COL | RC_LAYOUT_ROW) ? " or " : "",
            q->layouts & RC_LAYOUT_ROW ? "row" : "");
    if (q->kernels)
        rc_str_addf(&s, "%skernels '%.60s'", s.len ? ", " : "", q->kernels);
    if (q->orders)
        rc_str_addf(&s, "%sorders '%.60s'", s.len ? ", " : "", q->orders);
    if (q->memory > 0)
        rc_str_addf(&s, "%s%s of memory", s.len ? ", " : "", rc_text_bytes((double)q->memory).text);
    if (q->deterministic)
        rc_str_addf(&s, "%sdeterministic", s.len ? ", " : "");
    rc_str_add(&s, "; its classes: ");
    for (int c = 0; c < m->classes && c < NAMED; c++)
        rc_str_addf(&s, "%s%.60s (%s, deterministic: %s)", c ? ", " : "", m->cls[c].name,
            rc_layout_bit_names[m->cls[c].layout], rc_deterministic_names[m->cls[c].deterministic]);
    if (m->classes > NAMED)
        rc_str_addf(&s, " and %d more", m->classes - NAMED);
    (void)rc_fail(err, RC_ENOTSUP, "no class of the model fits %s", s.text ? s.text : "");
    rc_str_free(&s);
    return RC_ENOTSUP;
}

/* What changes nothing: the baseline, or what comes nearest to it. */
static int find_reference(const rc_model_t *m, const unsigned char *permitted)
{
    int same = -1;
    int first = -1;
    if (permitted[m->baseline])
        return m->baseline;
    for (int c = m->classes - 1; c >= 0; c--) {
        if (!permitted[c])
            continue;
        first = c;
        if (strcmp(m->cls[c].policy, m->cls[m->baseline].policy) == 0)
            same = c;
    }
    return same >= 0 ? same : first;
}

/* Mark the classes that fit the constraints of a request.
 * \param[out] permitted  [classes];  \param[out] reference  see rc_choice_t
 * \return RC_OK, RC_EINVAL (a list that is none), RC_ENOTSUP (none fits, or C in an order that the
 *         model does not know: the text says what there is), RC_ENOMEM */
static rc_status_t permit(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *r,
    unsigned char *permitted, int *reference, rc_err_t *err)
{
    const rc_constraints_t *q = &r->constraints;
    rc_words_t kernels = {0};
    rc_words_t orders = {0};
    rc_status_t st;
    RC_TRY(check_c_orders(q, err));
    RC_TRY(split(q->kernels, "kernels", &kernels, err));
    RC_TRY(split(q->orders, "orders", &orders, err));
    for (int c = 0; c < m->classes; c++) {
        const rc_model_class_t *k = &m->cls[c];
        permitted[c] = fits_list(&kernels, k->kernel) && fits_list(&orders, k->policy) &&
                       (!q->layouts || k->layout & q->layouts) &&
                       (!q->deterministic || k->deterministic == RC_DETERMINISTIC_YES) &&
                       (q->memory <= 0 || rc_model_memory(m, c, a, r) <= (double)q->memory);
    }
    *reference = find_reference(m, permitted);
    if (*reference < 0)
        RC_TRY(nothing_fits(m, q, err));
    for (int c = 0; c < m->classes && !q->layouts; c++) /* one layout alone */
        permitted[c] = permitted[c] && m->cls[c].layout == m->cls[*reference].layout;
done:
    rc_words_free(&kernels);
    rc_words_free(&orders);
    return st;
}

/* ------------------------------------------------------------------- inputs */

/* Input values from features and what follows from them; models list both in the order of the set,
 * so each search begins behind the one before.
 * \param[in] product  [of the set] */
static void gather(const rc_model_t *m, const rc_feature_set_t *set, const double *feature,
    const double *product, const rc_request_t *r, double *value)
{
    int at = -1;
    int of_product = -1;
    for (int i = 0; i < m->inputs; i++) {
        const char *name = m->input[i].name;
        if (strcmp(name, "k") == 0) {
            value[i] = (double)r->k;
            continue;
        }
        if (strcmp(name, "value_bytes") == 0) {
            value[i] = rc_type(r->precision)->bytes;
            continue;
        }
        /* rc_model_check has seen that it is one or the other */
        int found =
            rc_feature_index(set->feature, set->count, name, at + 1 < set->count ? at + 1 : 0);
        if (found >= 0) {
            value[i] = feature[at = found];
            continue;
        }
        int next = of_product + 1 < set->product->count ? of_product + 1 : 0;
        of_product = rc_feature_index(set->product->input, set->product->count, name, next);
        value[i] = product[of_product];
    }
}

/* Refuse what the model does not know, or note that it is an extrapolation.
 * \param[in] value  NULL: before there are features */
static rc_status_t check_domain(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *r,
    const double *value, rc_choice_t *c, rc_err_t *err)
{
    rc_str_t s = {0};
    rc_status_t st = RC_OK;
    c->outside = rc_model_outside(m, r->k, a->cols, r->device, value, &s);
    const char *text = s.text && !s.failed ? s.text : "something";
    if (c->outside > 0 && !r->extrapolate) {
        char knows[RC_EXTRAPOLATION_MAX];
        rc_model_knows(m, knows, sizeof knows);
        st = rc_fail(err, RC_ENOTSUP,
            "outside of what the model knows (--extrapolate asks it all the same): %.150s; it "
            "knows %.200s",
            text, knows);
    }
    (void)snprintf(c->extrapolation, sizeof c->extrapolation, "%s", c->outside > 0 ? text : "");
    rc_str_free(&s);
    return st;
}

/* ------------------------------------------------------------------ choices */

/* Predicted to be slower than this against changing nothing, a class is never chosen. */
static const double least_speedup = 0.95;

double rc_choice_total(const rc_choice_t *c, double reuse, int i)
{
    return c->setup_ns[i] + reuse * c->time_ns[i] + (i == c->reference ? 0 : c->overhead_ns);
}

/* The first of equals.  \param[in] out  of the predictor */
static int choose_class(
    const rc_model_t *m, const rc_choice_t *c, const rc_request_t *r, const double *out)
{
    int chosen = -1;
    double least = 0;
    if (m->output == RC_OUTPUT_SCORE)
        chosen = rc_model_decide(m, out, c->permitted, NULL);
    for (int i = 0; m->output != RC_OUTPUT_SCORE && i < c->candidates; i++) {
        double cost = r->reuse > 0 ? rc_choice_total(c, r->reuse, i) : c->time_ns[i];
        int loses = i != c->reference && c->time_ns[c->reference] < least_speedup * c->time_ns[i];
        if (!c->permitted[i] || loses || isnan(cost) || (chosen >= 0 && !(cost < least)))
            continue;
        chosen = i;
        least = cost;
    }
    return chosen < 0 ? c->reference : chosen;
}

double rc_break_even(int reference, const double *time, const double *setup, double extra, int c)
{
    if (c == reference)
        return isnan(time[c]) ? NAN : 0;
    double gain = time[reference] - time[c];
    double cost = extra + setup[c] - setup[reference];
    if (isnan(gain) || isnan(cost))
        return NAN;
    if (cost <= 0 && gain >= 0)
        return 0;
    return gain > 0 ? ceil(cost / gain) : INFINITY;
}

static rc_status_t alloc_choice(const rc_model_t *m, rc_choice_t *c, rc_err_t *err)
{
    size_t n = (size_t)m->classes;
    c->candidates = m->classes;
    c->time_ns = rc_alloc(n, sizeof *c->time_ns, "predicted times", err);
    c->setup_ns = rc_alloc(n, sizeof *c->setup_ns, "predicted times", err);
    c->permitted = rc_alloc0(n, sizeof *c->permitted, "permitted classes", err);
    return c->time_ns && c->setup_ns && c->permitted ? RC_OK : RC_ENOMEM;
}

/* Features of the set, and what they took.  \param[in] given  NULL, without any: computed */
static rc_status_t featurise(const rc_feature_set_t *set, const rc_csr_t *a,
    const rc_request_t *request, const rc_geometry_t *g, const rc_choice_features_t *given,
    double *feature, double *ns, rc_err_t *err)
{
    int64_t start = rc_clock_ns();
    if (given && given->feature) {
        memcpy(feature, given->feature, (size_t)set->count * sizeof *feature);
        *ns = given->ns;
        return RC_OK;
    }
    rc_status_t st = set->compute(a, g, rc_thread_count(request->threads), feature, err);
    *ns = (double)(rc_clock_ns() - start);
    return st;
}

/* Features, times and the class. */
static rc_status_t predict(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    const rc_geometry_t *g, const rc_choice_features_t *given, rc_choice_t *c, rc_err_t *err)
{
    const rc_feature_set_t *set = rc_feature_set_find(m->feature_set);
    int more = set->product ? set->product->count : 0;
    double *feature =
        rc_alloc((size_t)(set->count + more + m->inputs), sizeof *feature, "features", err);
    double *scratch = rc_alloc(rc_model_scratch(m), sizeof *scratch, "a prediction", err);
    rc_status_t st;
    RC_TRY(feature && scratch ? RC_OK : RC_ENOMEM);
    double *value = given && given->told ? given->told : feature + set->count + more;
    RC_TRY(featurise(set, a, request, g, given, feature, &c->featurise_ns, err));
    int64_t featurised = rc_clock_ns();
    if (more > 0)
        set->product->compute(
            feature, (double)request->k, rc_type(request->precision)->bytes, feature + set->count);
    gather(m, set, feature, feature + set->count, request, value);
    RC_TRY(check_domain(m, a, request, value, c, err));
    (void)rc_model_choose_raw(m, value, scratch, c->time_ns);
    rc_model_setup_ns(m, scratch, c->setup_ns); /* scratch begins with the standardised inputs */
    c->overhead_ns = rc_model_overhead_ns(m, scratch);
    c->predict_ns = (double)(rc_clock_ns() - featurised);
    if (isnan(c->overhead_ns))
        c->overhead_ns = c->featurise_ns + c->predict_ns;
    c->candidate = choose_class(m, c, request, scratch + m->inputs);
done:
    free(feature);
    free(scratch);
    return st;
}

/* What is checked before the features, which may take long.
 * \param[in,out] c  with its arrays; permitted and reference are set */
static rc_status_t check_before(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    rc_geometry_t *g, rc_choice_t *c, rc_err_t *err)
{
    RC_PASS(rc_feature_set_find(m->feature_set) ? RC_OK : rc_model_check(m, "model", err));
    RC_PASS(check_request(m, request, g, err));
    RC_PASS(permit(m, a, request, c->permitted, &c->reference, err));
    return check_domain(m, a, request, NULL, c, err);
}

rc_status_t rc_choose_possible(
    const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request, rc_err_t *err)
{
    rc_choice_t c = {0};
    rc_geometry_t g;
    rc_status_t st = alloc_choice(m, &c, err);
    if (st == RC_OK)
        st = check_before(m, a, request, &g, &c, err);
    rc_choice_free(&c);
    return st;
}

rc_status_t rc_choose_class(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    const rc_choice_features_t *given, rc_choice_t *out, rc_err_t *err)
{
    if (!m || !a || !request || !out)
        return rc_fail(err, RC_EINVAL, "choose: no model, no matrix, no request or no output");
    rc_choice_t c = {0};
    rc_geometry_t g;
    rc_status_t st;
    RC_TRY(alloc_choice(m, &c, err));
    RC_TRY(check_before(m, a, request, &g, &c, err));
    RC_TRY(predict(m, a, request, &g, given, &c, err));
    /* the kernels of a plan have teams of their own; the features are of one of them */
    c.geometry = m->cls[c.candidate].geometry.of[request->precision];
    c.geometry = c.geometry.nw ? c.geometry : g;
    c.break_even = rc_break_even(c.reference, c.time_ns, c.setup_ns, c.overhead_ns, c.candidate);
    *out = c;
    c = (rc_choice_t){0};
done:
    rc_choice_free(&c);
    return st;
}

rc_status_t rc_choose_featured(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    const rc_choice_features_t *given, rc_choice_t *out, rc_err_t *err)
{
    rc_choice_t c = {0};
    rc_status_t st;
    RC_PASS(rc_choose_class(m, a, request, given, out ? &c : NULL, err));
    int64_t predicted = rc_clock_ns();
    RC_TRY(rc_order_build(m->cls[c.candidate].policy, a, &c.geometry, request->threads | RC_CHECKED,
        &c.schedule, err));
    c.order_ns = (double)(rc_clock_ns() - predicted);
    *out = c;
    c = (rc_choice_t){0};
done:
    rc_choice_free(&c);
    return st;
}

rc_status_t rc_choose(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    rc_choice_t *out, rc_err_t *err)
{
    if (!request)
        return rc_fail(err, RC_EINVAL, "choose: expected a request, found NULL");
    rc_request_t r = *request;
    rc_status_t st = rc_csr_given(a, request->threads, &r.threads, err);
    return st < 0 ? rc_err_context(err, "choose") : rc_choose_featured(m, a, &r, NULL, out, err);
}

void rc_choice_free(rc_choice_t *c)
{
    if (!c)
        return;
    free(c->time_ns);
    free(c->setup_ns);
    free(c->permitted);
    rc_schedule_free(&c->schedule);
    *c = (rc_choice_t){0};
}
