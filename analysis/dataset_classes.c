/* Which classes a data set has. */
#include "config.h"
#include "analysis/dataset_private.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/outcome.h"
#include "kernels/vendor/vendor.h"
#include "table/portfolio.h"
#include "table/side.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the pairs that a plan chooses among by itself: cells without one of them are left out. */
static const double plan_share = 0.95;

typedef struct list {
    int *pair; /* [selection's pairs] */
    int n;
} list_t;

static void add_once(list_t *l, int pair)
{
    for (int i = 0; i < l->n; i++)
        if (l->pair[i] == pair)
            return;
    l->pair[l->n++] = pair;
}

/* ------------------------------------------------------------------- messages */

static rc_status_t no_fit(
    rc_err_t *err, const char *what, const char *word, const char *const *name, int names)
{
    (void)rc_fail_unknown(err, RC_EINVAL, "choice", word, name, names);
    return rc_err_context(err, "%s", what);
}

/* No pair fits; of a kernel that is not -1 no order. */
static rc_status_t no_pair(const rc_selection_t *s, int32_t kernel, const char *word, rc_err_t *err)
{
    int n = 0;
    rc_pool_t pool = {0};
    rc_status_t st;
    const char **name = rc_pool_get(&pool, (size_t)s->pairs, sizeof *name);
    char(*text)[RC_CLASS_NAME_MAX + 1] = rc_pool_get(&pool, (size_t)s->pairs, sizeof *text);
    RC_TRY(rc_pool_check(&pool, "names", err));
    for (int i = 0; i < s->pairs; i++) {
        const rc_pair_t *p = &s->pair[i];
        (void)snprintf(text[i], sizeof text[i], "%s/%s", p->kernel_name, p->policy_name);
        if (kernel < 0 || p->kernel == kernel)
            name[n++] = kernel < 0 ? text[i] : p->policy_name;
    }
    st = no_fit(err, "--classes", word, name, n);
done:
    rc_pool_free(&pool);
    return st;
}

/* ----------------------------------------------------------------- order task */

typedef struct kernel {
    int32_t id;
    const char *name;
    int64_t results;
} kernel_t;

/* Kernels of the selection in order of name, with their results in the whole store: which one is
 * the default does not depend on the K and precision that are selected.  free() */
static kernel_t *kernels_of(const rc_selection_t *s, int *n, rc_err_t *err)
{
    kernel_t *k = rc_alloc((size_t)s->pairs, sizeof *k, "kernels", err);
    *n = 0;
    for (int i = 0; k && i < s->pairs; i++) {
        const rc_pair_t *p = &s->pair[i];
        if (*n == 0 || k[*n - 1].id != p->kernel)
            k[(*n)++] = (kernel_t){p->kernel, p->kernel_name, 0};
    }
    for (int64_t i = 0; k && i < rc_view_count(s->view); i++) {
        const rc_row_result_t *r = rc_view_result(s->view, i);
        if (r->status != RC_CASE_OK || r->device != s->device || !rc_view_is_newest(s->view, i))
            continue;
        for (int j = 0; j < *n; j++)
            k[j].results += k[j].id == r->kernel;
    }
    return k;
}

/* The kernel of that name, or the only one that fits it; NULL: the one with most results. */
static rc_status_t choose_kernel(
    const rc_selection_t *s, const char *wanted, int32_t *out, rc_err_t *err)
{
    int n;
    int fits = 0;
    int64_t most = 0;
    rc_str_t list = {0};
    rc_status_t st = RC_OK;
    kernel_t *k = kernels_of(s, &n, err);
    RC_PASS(k ? RC_OK : RC_ENOMEM);
    const char **name = rc_alloc((size_t)n, sizeof *name, "names", err);
    RC_TRY(name ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++) {
        int exact = wanted && strcmp(wanted, k[i].name) == 0;
        if (exact || (wanted && rc_glob_match(wanted, k[i].name))) {
            *out = k[i].id;
            name[fits++] = k[i].name;
        } else if (!wanted && k[i].results > most) { /* of equals the first name */
            most = k[i].results;
            *out = k[i].id;
        }
        if (exact) {
            fits = 1;
            break;
        }
    }
    if (fits > 1)
        st = rc_fail(err, RC_EINVAL, "--kernel: %d kernels fit '%s', expected one: %s", fits,
            wanted, rc_list_names(&list, name, fits, 8));
    for (int i = 0; wanted && fits == 0 && i < n; i++)
        name[i] = k[i].name;
    if (wanted && fits == 0)
        st = no_fit(err, "--kernel", wanted, name, n);
done:
    rc_str_free(&list);
    free((void *)name);
    free(k);
    return st;
}

static rc_status_t choose_orders(
    const rc_selection_t *s, const rc_dataset_options_t *o, list_t *l, rc_err_t *err)
{
    int32_t kernel = -1;
    rc_words_t words = {0};
    int given = o->classes && strcmp(o->classes, "all") != 0;
    rc_status_t st;
    RC_TRY(choose_kernel(s, o->kernel, &kernel, err));
    RC_TRY(rc_words_split(given        ? o->classes
                          : o->classes ? "*"
                                       : "csr,dcsr,lpt,warp",
        ',', &words, err));
    for (int w = 0; w < words.count; w++) {
        int fits = 0;
        for (int i = 0; i < s->pairs; i++) {
            if (s->pair[i].kernel != kernel ||
                !rc_glob_match(words.word[w], s->pair[i].policy_name))
                continue;
            add_once(l, i);
            fits++;
        }
        RC_TRY(fits == 0 && given ? no_pair(s, kernel, words.word[w], err) : RC_OK);
    }
done:
    rc_words_free(&words);
    return st;
}

/* ------------------------------------------------------------------- portfolio */

/* Log times of the candidates: [all * n] -> [cells * n], without the cells that have none of them.
 * A missing time becomes the slowest of its cell. */
static rc_portfolio_costs_t costs_of(double *time, int64_t all, int n, int most, double loss)
{
    int64_t cells = 0;
    double limit = 0;
    for (int64_t c = 0; c < all; c++) {
        double worst = -INFINITY;
        double least = INFINITY;
        for (int i = 0; i < n; i++) { /* NaN is passed over */
            worst = fmax(worst, time[c * n + i]);
            least = fmin(least, time[c * n + i]);
        }
        for (int i = 0; i < n; i++)
            time[cells * n + i] = isnan(time[c * n + i]) ? worst : time[c * n + i];
        if (worst > -INFINITY) {
            cells++;
            limit += least;
        }
    }
    return (rc_portfolio_costs_t){.cost = time,
        .rows = cells,
        .columns = n,
        .first = -1,
        .most = most,
        .limit = limit + (double)cells * log1p(loss)};
}

/* Greedy portfolio over the pairs that most cells have: each step adds the pair that lowers the
 * geometric mean time of the best of the portfolio most, a pair that a cell lacks counting there as
 * the slowest.  Ends with `most` pairs, or when that time is within `loss` of the best of all. */
static rc_status_t choose_portfolio(
    const rc_selection_t *s, int most, double loss, list_t *l, rc_err_t *err)
{
    int n = 0;
    int64_t *row = NULL;
    rc_pool_t pool = {0};
    rc_status_t st;
    int *candidate = rc_pool_get(&pool, (size_t)s->pairs, sizeof *candidate);
    RC_TRY(rc_pool_check(&pool, "a portfolio", err));
    for (int i = 0; i < s->pairs; i++)
        if ((double)s->pair[i].cells >= plan_share * (double)s->cells)
            candidate[n++] = i;
    if (n == 0)
        RC_TRY(rc_fail(err, RC_EINVAL,
            "no kernel and order was measured on %g %% of the %lld rows: name some with --classes",
            100 * plan_share, (long long)s->cells));
    RC_TRY(rc_tabulate(s, candidate, n, &row, err));
    double *time = rc_pool_get(&pool, (size_t)s->cells * (size_t)n, sizeof *time);
    rc_portfolio_step_t *step = rc_pool_get(&pool, (size_t)n, sizeof *step);
    RC_TRY(rc_pool_check(&pool, "a portfolio", err));
    for (int64_t i = 0; i < s->cells * n; i++)
        time[i] = row[i] < 0 ? NAN : log(rc_view_ns(s->view, row[i]));
    const rc_portfolio_costs_t costs = costs_of(time, s->cells, n, most, loss);
    RC_TRY(rc_portfolio_greedy(&costs, step, &l->n, err));
    for (int i = 0; i < l->n; i++)
        l->pair[i] = candidate[step[i].added];
done:
    free(row);
    rc_pool_free(&pool);
    return st;
}

/* ------------------------------------------------------------------ plan task */

/* A class that is named is taken whatever it lacks; a pattern takes those that most cells have. */
static rc_status_t add_pairs(const rc_selection_t *s, const char *word, list_t *l, rc_err_t *err)
{
    int fits = 0;
    int rare = 0;
    const char *cut = rc_side_cut(word);
    char kernel[RC_CLASS_NAME_MAX + 1];
    if (!cut)
        return rc_fail(
            err, RC_EINVAL, "--classes: expected KERNEL/ORDER or KERNEL@ORDER, found '%s'", word);
    if (rc_strcpy(kernel, sizeof kernel, word, "--classes: class", err) < 0)
        return err ? err->status : RC_ERANGE;
    kernel[cut - word] = '\0';
    for (int i = 0; i < s->pairs; i++) {
        const rc_pair_t *p = &s->pair[i];
        if (!rc_glob_match(kernel, p->kernel_name) || !rc_glob_match(cut + 1, p->policy_name))
            continue;
        if (strpbrk(word, "*?[\\") && (double)p->cells < plan_share * (double)s->cells) {
            rare++;
            continue;
        }
        add_once(l, i);
        fits++;
    }
    if (fits > 0)
        return RC_OK;
    if (rare > 0)
        return rc_fail(err, RC_EINVAL,
            "--classes: of the %d that fit '%s' none was measured on %g %% of the %lld rows", rare,
            word, 100 * plan_share, (long long)s->cells);
    return no_pair(s, -1, word, err);
}

static rc_status_t choose_plans(
    const rc_selection_t *s, const rc_dataset_options_t *o, list_t *l, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_status_t st;
    if (!o->classes) {
        int most = o->portfolio > 0 ? o->portfolio : 16;
        double loss = o->portfolio_loss > 0 ? o->portfolio_loss : 0.005;
        return choose_portfolio(s, most, loss, l, err);
    }
    RC_TRY(rc_words_split(strcmp(o->classes, "all") == 0 ? "*/*" : o->classes, ',', &words, err));
    for (int w = 0; w < words.count; w++)
        RC_TRY(add_pairs(s, words.word[w], l, err));
done:
    rc_words_free(&words);
    return st;
}

rc_status_t rc_choose_classes(
    const rc_selection_t *s, const rc_dataset_options_t *o, int **pair, int *classes, rc_err_t *err)
{
    if (o->task == RC_TASK_FORMAT)
        return rc_formats_find(s, o->classes, pair, classes, err);
    list_t l = {rc_alloc((size_t)s->pairs, sizeof(int), "classes", err), 0};
    RC_PASS(l.pair ? RC_OK : RC_ENOMEM);
    rc_status_t st =
        o->task == RC_TASK_PLAN ? choose_plans(s, o, &l, err) : choose_orders(s, o, &l, err);
    if (st == RC_OK && l.n < 2)
        st = rc_fail(err, RC_EINVAL,
            "a choice needs two classes, found %d with results: see --classes and --kernel", l.n);
    if (st < 0) {
        free(l.pair);
        return st;
    }
    *pair = l.pair;
    *classes = l.n;
    return RC_OK;
}

/* ------------------------------------------------------------ classes of a model */

rc_status_t rc_find_classes(const rc_selection_t *s, const rc_model_t *m, int **pair, rc_err_t *err)
{
    int *list = rc_alloc((size_t)m->classes, sizeof *list, "classes", err);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    for (int c = 0; c < m->classes; c++) {
        const rc_model_class_t *k = &m->cls[c];
        const rc_pair_t *p = NULL;
        for (int i = 0; i < s->pairs && !p; i++)
            if (strcmp(s->pair[i].kernel_name, k->kernel) == 0 &&
                strcmp(s->pair[i].policy_name, k->policy) == 0) {
                p = &s->pair[i];
                list[c] = i;
            }
        rc_status_t st = RC_OK;
        if (!p)
            st = rc_fail(err, RC_EINVAL, "the store has no result that fits of class %s", k->name);
        else if (rc_view_policy_version(s->view, p->policy) != k->policy_version)
            st = rc_fail(err, RC_ENOTSUP,
                "the model was fitted on version %d of order %s, the store has version %d",
                (int)k->policy_version, k->policy, (int)rc_view_policy_version(s->view, p->policy));
        else if (rc_view_kernel_version(s->view, p->kernel) != k->kernel_version)
            st = rc_fail(err, RC_ENOTSUP,
                "the model was fitted on version %d of kernel %s, the store has version %d",
                (int)k->kernel_version, k->kernel, (int)rc_view_kernel_version(s->view, p->kernel));
        if (st < 0) {
            free(list);
            return st;
        }
    }
    *pair = list;
    return RC_OK;
}

/* ------------------------------------------------------------------ results */

rc_status_t rc_tabulate(
    const rc_selection_t *s, const int *pair, int n, int64_t **row, rc_err_t *err)
{
    int64_t *r = rc_alloc((size_t)s->cells * (size_t)n, sizeof *r, "a table of results", err);
    RC_PASS(r ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < s->cells * n; i++)
        r[i] = -1;
    for (int64_t i = 0; i < s->picks; i++)
        for (int c = 0; c < n; c++)
            if (s->pick[i].pair == pair[c])
                r[(int64_t)s->pick[i].cell * n + c] = s->pick[i].row;
    *row = r;
    return RC_OK;
}

/* ------------------------------------------------------------------ the library */

rc_status_t rc_find_library(const rc_selection_t *s, rc_library_time_t **best, rc_err_t *err)
{
    RC_PASS(RC_NEW(*best, s->cells, "times of a library", err));
    for (int64_t i = 0; i < s->cells; i++)
        (*best)[i] = (rc_library_time_t){NAN, NAN};
    for (int64_t i = 0; i < s->picks; i++) {
        const rc_pair_t *p = &s->pair[s->pick[i].pair];
        rc_library_time_t *t = &(*best)[s->pick[i].cell];
        if (!rc_vendor_is_baseline(p->kernel_name) || strcmp(p->policy_name, "csr") != 0)
            continue;
        t->fastest = fmin(t->fastest, rc_view_ns(s->view, s->pick[i].row));
        if (rc_vendor_is_timed(p->kernel_name))
            t->timed = fmin(t->timed, rc_view_ns(s->view, s->pick[i].row));
    }
    return RC_OK;
}
