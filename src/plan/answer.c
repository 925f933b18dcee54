/* What a plan says of itself: lines; an answer for people: rows, best first, and one sentence. */
#include "config.h"
#include "plan/answer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"
#include "model/choose.h"
#include "plan/plan_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_original(const rc_plan_row_t *r)
{
    return strcmp(r->order, "csr") == 0;
}

/* "the given order" or "order metis". */
static void add_order(rc_str_t *s, const rc_plan_row_t *r)
{
    rc_str_addf(
        s, "%s%s", is_original(r) ? "the given order" : "order ", is_original(r) ? "" : r->order);
}

/* The chosen one first, then by time, those first whose times were taken in turns: others were
 * taken earlier, and do not compare.  What has no time keeps its order, last. */
static int by_rank(const void *a, const void *b)
{
    const rc_plan_row_t *x = a;
    const rc_plan_row_t *y = b;
    if (x->chosen != y->chosen)
        return y->chosen - x->chosen;
    if (isnan(x->time_ns) != isnan(y->time_ns))
        return isnan(x->time_ns) - isnan(y->time_ns);
    if (x->again != y->again)
        return y->again - x->again;
    if (x->time_ns != y->time_ns && !isnan(x->time_ns))
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->candidate - y->candidate;
}

static const rc_plan_row_t *baseline_of(const rc_plan_answer_t *a)
{
    int i = 0;
    while (i + 1 < a->rows && !a->row[i].baseline)
        i++;
    return &a->row[i];
}

/* What others are held against when the rows stay as they are: of those in original order the
 * chosen one, else the first that has a time, which is the fastest of those that compare; else the
 * baseline. */
static const rc_plan_row_t *kept(const rc_plan_answer_t *a)
{
    for (int i = 0; i < a->rows; i++)
        if (is_original(&a->row[i]) && (a->row[i].chosen || !isnan(a->row[i].time_ns)))
            return &a->row[i];
    return baseline_of(a);
}

/* 1: a row is faster than another by more than both may be off. */
static int is_faster(const rc_plan_row_t *r, const rc_plan_row_t *than)
{
    double off = hypot(isnan(r->error) ? 0 : r->error * r->time_ns,
        isnan(than->error) ? 0 : than->error * than->time_ns);
    return than->time_ns - r->time_ns > 2 * off;
}

int rc_plan_answer_is_sure(const rc_plan_answer_t *a, int row)
{
    const rc_plan_row_t *r = &a->row[row];
    const rc_plan_row_t *keep = kept(a);
    return r == keep || is_faster(r, keep) || is_faster(keep, r);
}

/* Three digits, and commas: 496,000. */
static void add_count(rc_str_t *s, double n)
{
    double unit = n >= 1000 ? pow(10, floor(log10(n)) - 2) : 1;
    rc_str_addf(s, "%s product%s", rc_text_count(ceil(n / unit) * unit).text, n == 1 ? "" : "s");
}

/* 1: times that were taken in turns, so that they compare. */
static int compares(const rc_plan_row_t *r, const rc_plan_row_t *with)
{
    return r->again == with->again && !isnan(r->time_ns);
}

/* Products after which a row has paid over another one.  \param[in] reuse  of rc_plan_answer_end */
static double pays_over(const rc_plan_row_t *r, const rc_plan_row_t *than, double reuse)
{
    double time[] = {than->time_ns, r->time_ns};
    int same = reuse >= 0 && strcmp(r->kernel, than->kernel) == 0; /* so is its preparation */
    double setup[] = {same ? than->order_ns : than->setup_ns, same ? r->order_ns : r->setup_ns};
    return rc_break_even(0, time, setup, 0, r != than);
}

/* Fewer products than these are not worth a word: what they win is that small. */
static const double few = 100;

/* Less than this is no gain to speak of: a model says no errors. */
static const double slight = 1.01;

/* What is best after many products, where that is not the chosen one, beyond the errors: of those
 * that are about as fast as the fastest the one that pays first over the chosen one.
 * \param[out] over  products after which it does
 * \return NULL: the chosen one is, or what should have been chosen was not confirmed */
static const rc_plan_row_t *lasting(const rc_plan_answer_t *a, double reuse, double *over)
{
    const rc_plan_row_t *c = a->row;
    const rc_plan_row_t *fastest = c;
    const rc_plan_row_t *best = NULL;
    for (int i = 0; i < a->rows; i++)
        if (compares(&a->row[i], c) && a->row[i].time_ns < fastest->time_ns)
            fastest = &a->row[i];
    for (int i = 0; i < a->rows; i++) {
        const rc_plan_row_t *r = &a->row[i];
        double pays = compares(r, c) && is_faster(r, c) && !is_faster(fastest, r)
                          ? pays_over(r, c, reuse)
                          : NAN;
        if (pays > 0 && isfinite(pays) && c->time_ns > slight * r->time_ns &&
            (!best || pays < *over)) {
            best = r;
            *over = pays;
        }
    }
    double from = best ? *over : 0; /* on it costs less than all that are slower */
    for (int i = 0; best && i < a->rows; i++)
        if (compares(&a->row[i], c) && is_faster(best, &a->row[i]))
            from = fmax(from, pays_over(best, &a->row[i], reuse));
    return from > reuse ? best : NULL;
}

/* What an order that is faster than the kept one saves within the products that are chosen for;
 * below 0: it pays later, the less the later. */
static double saves(const rc_plan_row_t *r, const rc_plan_row_t *keep, double reuse)
{
    const double each = keep->time_ns - r->time_ns;
    if (isinf(reuse))
        return each;
    return r->pays_after <= reuse ? (reuse - r->pays_after) * each : -r->pays_after;
}

/* Of the other orders, beyond the errors and by times that compare, the one that saves most; where
 * none pays within the products the one that pays first.
 * \param[out] timed  how many rows have another order and a time */
static const rc_plan_row_t *next_order(
    const rc_plan_answer_t *a, const rc_plan_row_t *keep, double reuse, int *timed)
{
    const rc_plan_row_t *best = NULL;
    *timed = 0;
    for (int i = 0; i < a->rows; i++) {
        const rc_plan_row_t *r = &a->row[i];
        if (is_original(r) || isnan(r->time_ns))
            continue;
        ++*timed;
        if (r->pays_after >= 0 && is_faster(r, keep) &&
            (!best || saves(r, keep, reuse) > saves(best, keep, reuse)))
            best = r;
    }
    return best;
}

/* Errors that a sentence names, and those beside which nothing is told. */
static const double large = 0.05;
static const double too_large = 0.1;

static void add_error(rc_str_t *s, const rc_plan_row_t *r)
{
    if (r->error > 1)
        rc_str_add(s, " (error over 100 %)");
    else if (r->error > large)
        rc_str_addf(s, " (error %.0f %%)", 100 * r->error);
}

/* 1: the times of what is chosen and of what it is held against disagree too much.  Those of the
 * baseline hide a factor, no choice. */
static int is_hidden(const rc_plan_row_t *c, const rc_plan_row_t *keep)
{
    return c->error > too_large || (keep != c && keep->error > too_large);
}

/* The same of an answer. */
static int is_uncertain(const rc_plan_answer_t *a)
{
    return a->rows > 1 && is_hidden(a->row, kept(a));
}

/* What is best for the products that are chosen for, and when another order pays.  Where that is
 * within them it would have been chosen, had all batches said so. */
static void add_other(rc_str_t *s, const rc_plan_row_t *other, double speedup, double reuse)
{
    if (reuse <= 0) {
        rc_str_addf(s, "; %s would pay after ", other->order);
        add_count(s, other->pays_after);
        return;
    }
    if (isinf(reuse)) {
        rc_str_addf(s, "; %s may be %.3g times as fast, which is uncertain", other->order, speedup);
        return;
    }
    const int within = other->pays_after <= reuse;
    rc_str_add(s, within ? "; for " : "; no other order surely pays within ");
    add_count(s, reuse);
    if (within)
        rc_str_addf(s,
            " %s may be better, which is uncertain; by these times it is %.3g times as fast and "
            "pays after ",
            other->order, speedup);
    else
        rc_str_addf(s, ": %s, %.3g times as fast, does after ", other->order, speedup);
    add_count(s, other->pays_after);
}

/* \return the order that it names; NULL: none */
static const rc_plan_row_t *add_others(
    rc_str_t *s, const rc_plan_answer_t *a, const rc_plan_row_t *keep, double reuse)
{
    int timed = 0;
    const rc_plan_row_t *other = next_order(a, keep, reuse, &timed);
    if (other)
        add_other(s, other, keep->time_ns / other->time_ns, reuse);
    else
        rc_str_addf(s, "; no other order %s",
            !timed      ? "was tried"
            : reuse < 0 ? "is faster"
                        : "is surely faster");
    return other;
}

/* A clause with which the sentence would not be whole is left out; it says less then.
 * \param[in] before  its length without the clause */
static void end_clause(rc_str_t *s, size_t before)
{
    if (!s->failed && s->len + 1 >= sizeof((rc_plan_answer_t *)0)->sentence) {
        s->len = before;
        s->text[before] = '\0';
    }
}

/* What is best after more products than the choice is for: by how much, and when it has paid, both
 * over the choice.  \param[in] said  that pays; NULL */
static void add_lasting(
    rc_str_t *s, const rc_plan_answer_t *a, const rc_plan_row_t *said, double reuse)
{
    double over = 0;
    const rc_plan_row_t *c = a->row;
    const rc_plan_row_t *best = lasting(a, reuse, &over);
    const size_t before = s->len;
    if (!best || best == said)
        return;
    rc_str_add(s, "; best in the long run: ");
    if (strcmp(best->kernel, c->kernel) != 0)
        rc_str_addf(s, "%s in ", best->kernel);
    add_order(s, best);
    rc_str_addf(s, ", over this choice %.3g times as fast", c->time_ns / best->time_ns);
    add_error(s, best);
    rc_str_add(s, " and paid after ");
    add_count(s, over);
    end_clause(s, before);
}

static void add_baseline(rc_str_t *s, const rc_plan_row_t *c, const rc_plan_row_t *of, int hidden)
{
    if (c == of)
        rc_str_add(s, ", and nothing tried is worth a change");
    else if (isnan(of->time_ns))
        return; /* it could not be timed */
    else if (is_faster(c, of) || is_faster(of, c)) {
        double time[] = {of->time_ns, c->time_ns};
        double setup[] = {of->setup_ns, c->setup_ns};
        double products = rc_break_even(0, time, setup, 0, 1);
        if (hidden) {
            rc_str_addf(s, ", %s than %s", is_faster(c, of) ? "faster" : "slower", of->kernel);
            return;
        }
        rc_str_addf(s, ", %.3g times as fast as %s", c->speedup, of->kernel);
        add_error(s, of);
        if (products >= few && isfinite(products)) {
            rc_str_add(s, " after ");
            add_count(s, products);
        }
    } else if (!hidden && of->error > too_large) /* which does not make it equal */
        rc_str_addf(s, ", and the times of %s disagree too much to compare", of->kernel);
    else if (!hidden)
        rc_str_addf(s, ", as fast as %s", of->kernel);
}

static void add_comparisons(
    rc_str_t *s, const rc_plan_answer_t *a, const rc_plan_row_t *keep, double reuse)
{
    const rc_plan_row_t *c = a->row;
    const rc_plan_row_t *of = baseline_of(a);
    int hidden = is_hidden(c, keep);
    if (!(hidden && c == of) && (is_original(c) || of != keep))
        add_baseline(s, c, of, hidden);
    if (hidden) {
        rc_str_add(s, "; the times disagree too much to tell more: ask again on a quiet machine");
        return;
    }
    const rc_plan_row_t *said = NULL;
    const size_t before = s->len;
    if (is_original(c))
        said = add_others(s, a, keep, reuse);
    else if (is_original(keep) && !isnan(keep->time_ns))
        rc_str_addf(s, "; it is %.3g times as fast as %s in the given order",
            keep->time_ns / c->time_ns, keep->kernel);
    if (c != keep && isfinite(c->pays_after)) {
        rc_str_add(s, " and pays after ");
        add_count(s, c->pays_after);
    }
    end_clause(s, before);
    add_lasting(s, a, said, reuse);
}

/* " 102.50 us in fp32 (error 7 %) beside other programs". */
static void add_time(rc_str_t *s, const rc_plan_row_t *r, rc_precision_t type, int beside)
{
    rc_str_addf(s, " %s in %s", rc_text_seconds(r->time_ns * 1e-9).text, rc_precision_name(type));
    add_error(s, r);
    rc_str_add(s, beside ? " beside other programs" : "");
}

/* Of which product it is. */
static void add_head(rc_str_t *s, const rc_plan_answer_t *a, int64_t least)
{
    rc_str_add(s, a->transposed ? "Transposed: " : "");
    if (least > 0 && least < a->k)
        rc_str_addf(s, "K = %" PRId64 " to %" PRId64 ": ", least, a->k);
    else if (least > 0)
        rc_str_addf(s, "K = %" PRId64 ": ", a->k);
}

static void end_sentence(rc_plan_answer_t *a, rc_str_t *s)
{
    rc_str_add(s, ".");
    (void)snprintf(a->sentence, sizeof a->sentence, "%s", s->text && !s->failed ? s->text : "");
    rc_str_free(s);
}

/* Of a file: nothing was compared here, and the time is the one that is kept there. */
static void end_loaded(
    rc_plan_answer_t *a, rc_precision_t type, int64_t least, int beside, int uncertain)
{
    rc_plan_row_t *c = a->row;
    c->baseline = 0;
    c->speedup = c->pays_after = NAN;
    rc_str_t s = {0};
    add_head(&s, a, least);
    rc_str_addf(&s, "Loaded: %s in ", c->kernel);
    add_order(&s, c);
    if (isnan(c->time_ns))
        rc_str_add(&s, "; no time of it is known");
    else {
        rc_str_add(&s, ", which took");
        add_time(&s, c, type, beside);
        rc_str_add(&s, " when it was chosen");
        if (uncertain)
            rc_str_add(&s, "; the times disagreed too much to be sure of it");
    }
    end_sentence(a, &s);
}

/* What is chosen, and its time.  Of times that disagree too much nothing is concluded. */
static void add_choice(rc_str_t *s, const rc_plan_row_t *c, double reuse, int hidden)
{
    if (hidden) {
        rc_str_addf(s, "Uncertain: %s in ", c->kernel);
        add_order(s, c);
        rc_str_add(s, " took");
    } else
        rc_str_addf(s, "%s%s: %s %s", is_original(c) ? "Keep the order" : "Reorder by ",
            is_original(c) ? "" : c->order, c->kernel, reuse < 0 ? "should take" : "takes");
}

static void say(rc_plan_answer_t *a, rc_precision_t type, int64_t least, double reuse, int beside)
{
    const rc_plan_row_t *c = a->row;
    const rc_plan_row_t *keep = kept(a);
    rc_str_t s = {0};
    add_head(&s, a, least);
    if (isnan(c->time_ns))
        rc_str_addf(&s, "Take %s in order %s; no time of it is known", c->kernel, c->order);
    else {
        add_choice(&s, c, reuse, is_uncertain(a));
        add_time(&s, c, type, beside);
        if (a->rows > 1)
            add_comparisons(&s, a, keep, reuse);
    }
    end_sentence(a, &s);
}

rc_status_t rc_plan_answer_begin(rc_plan_answer_t *a, int rows, rc_err_t *err)
{
    *a = (rc_plan_answer_t){.row = rc_alloc0((size_t)rows, sizeof *a->row, "an answer", err)};
    a->rows = a->row ? rows : 0;
    return a->row ? RC_OK : RC_ENOMEM;
}

void rc_plan_answer_free(rc_plan_answer_t *a)
{
    if (!a)
        return;
    free(a->row);
    *a = (rc_plan_answer_t){0};
}

/* 1: by its figures a row would have been the choice; not by enough, or not in the other half. */
static int is_unconfirmed(const rc_plan_row_t *r, const rc_plan_row_t *c, double reuse)
{
    return r != c && reuse > 0 && compares(r, c) && is_faster(r, c) &&
           pays_over(r, c, reuse) <= reuse;
}

void rc_plan_answer_end(
    rc_plan_answer_t *a, rc_precision_t type, int64_t least, double reuse, int beside)
{
    qsort(a->row, (size_t)a->rows, sizeof *a->row, by_rank);
    const rc_plan_row_t *keep = kept(a);
    const rc_plan_row_t *baseline = baseline_of(a);
    for (int i = 0; i < a->rows; i++) {
        rc_plan_row_t *r = &a->row[i];
        r->speedup = baseline->time_ns / r->time_ns;
        r->pays_after = r->again == keep->again ? pays_over(r, keep, reuse) : NAN;
        if (is_unconfirmed(r, a->row, reuse))
            r->note = "not confirmed";
    }
    say(a, type, least, reuse, beside);
}

/* 1: in the end it was timed in turns with the chosen one. */
static int was_beside(const rc_plan_entry_t *e, int i)
{
    return e->timing && e->timing[i].again && e->timing[i].again == e->timing[e->part.chosen].again;
}

rc_status_t rc_plan_answer(const rc_plan_t *plan, int index, rc_plan_answer_t *out, rc_err_t *err)
{
    rc_plan_part_t part;
    RC_PASS(out ? RC_OK : rc_fail(err, RC_EINVAL, "answer: expected where to put it, found NULL"));
    RC_PASS(rc_plan_part(plan, index, &part, err));
    RC_PASS(rc_plan_answer_begin(out, part.candidates, err));
    const int beside = plan->company[0] != '\0';
    plan = rc_plan_of_part(plan, &index);
    out->k = part.k;
    out->transposed = part.transposed;
    int predicted = 1; /* where nothing was timed */
    for (int i = 0; i < part.candidates; i++)
        predicted &= isnan(part.candidate[i].time_ns);
    for (int i = 0; i < part.candidates; i++) {
        const rc_plan_candidate_t *c = &part.candidate[i];
        out->row[i] = (rc_plan_row_t){.candidate = i,
            .kernel = c->kernel,
            .order = c->order,
            .time_ns = predicted ? c->predicted_ns : c->time_ns,
            .error = rc_plan_time_err(plan, index, i),
            .order_ns = c->order_ns,
            .setup_ns = predicted ? c->predicted_setup_ns : c->order_ns + c->prepare_ns,
            .again = was_beside(&plan->entry[index], i),
            .chosen = i == part.chosen,
            .baseline = i == part.reference,
            .note = i == part.chosen ? rc_plan_why_name(part.why) : c->text};
    }
    const int64_t least = plan->entries > 1 ? part.k_least : 0;
    if (part.why == RC_PLAN_LOADED)
        end_loaded(out, plan->precision, least, beside, plan->entry[index].uncertain);
    else
        rc_plan_answer_end(
            out, plan->precision, least, predicted ? -1 : plan->entry[index].reuse, beside);
    return RC_OK;
}

rc_status_t rc_plan_is_uncertain(const rc_plan_t *plan, int index, int *out, rc_err_t *err)
{
    rc_plan_answer_t a;
    RC_PASS(rc_plan_answer(plan, index, &a, err));
    *out = plan->entry[index].uncertain || is_uncertain(&a);
    rc_plan_answer_free(&a);
    return RC_OK;
}

/* ------------------------------------------------------------------ describe */

const char *rc_plan_why_name(rc_plan_why_t why)
{
    static const char *const names[] = {"named", "timed", "model", "default", "loaded"};
    return (size_t)why < sizeof names / sizeof *names ? names[why] : "unknown";
}

double rc_plan_time_err(const rc_plan_t *plan, int part, int index)
{
    plan = rc_plan_of_part(plan, &part);
    const rc_plan_entry_t *e = &plan->entry[part];
    return e->timing && e->timing[index].batch > 0 ? e->timing[index].rel_err : NAN;
}

double rc_plan_break_even(const rc_plan_part_t *part, int index)
{
    if (!part || !part->candidate || part->why == RC_PLAN_LOADED || index < 0 ||
        index >= part->candidates || part->reference < 0 || part->reference >= part->candidates)
        return NAN;
    const rc_plan_candidate_t *c = &part->candidate[index];
    const rc_plan_candidate_t *r = &part->candidate[part->reference];
    int measured = !isnan(c->time_ns) && !isnan(r->time_ns);
    const double time[] = {
        measured ? r->time_ns : r->predicted_ns, measured ? c->time_ns : c->predicted_ns};
    const double setup[] = {measured ? r->order_ns + r->prepare_ns : r->predicted_setup_ns,
        measured ? c->order_ns + c->prepare_ns : c->predicted_setup_ns};
    return c == r ? 0 : rc_break_even(0, time, setup, 0, 1);
}

int rc_plan_parts(const rc_plan_t *plan)
{
    return !plan ? 0 : plan->entries + (plan->transpose ? plan->transpose->entries : 0);
}

rc_status_t rc_plan_part(const rc_plan_t *plan, int index, rc_plan_part_t *out, rc_err_t *err)
{
    if (!plan || !out)
        return rc_fail(
            err, RC_EINVAL, "part: expected %s, found NULL", plan ? "where to put it" : "a plan");
    if (index < 0 || index >= rc_plan_parts(plan))
        return rc_fail(
            err, RC_EINVAL, "part: expected 0 to %d, found %d", rc_plan_parts(plan) - 1, index);
    plan = rc_plan_of_part(plan, &index);
    *out = plan->entry[index].part;
    return RC_OK;
}

static void add_part(rc_str_t *s, const rc_plan_t *plan, int index)
{
    rc_plan_answer_t a;
    rc_plan_part_t part;
    if (rc_plan_part(plan, index, &part, NULL) < 0 || rc_plan_answer(plan, index, &a, NULL) < 0) {
        s->failed = 1;
        return;
    }
    rc_str_addf(s, "%s %s on the device\n", a.sentence,
        rc_text_bytes((double)part.candidate[part.chosen].bytes).text);
    rc_plan_answer_free(&a);
}

size_t rc_plan_describe(const rc_plan_t *plan, char *text, size_t size)
{
    rc_str_t s = {0};
    if (text && size > 0)
        text[0] = '\0';
    if (!plan)
        return 0;
    rc_str_addf(&s, "%s, %s%s, layout %s, %" PRId64 " x %" PRId64 ", %" PRId64 " entries\n",
        rc_op_name(plan->op), rc_precision_name(plan->precision),
        plan->out_sums ? ", output in fp32" : "", rc_layout_name(plan->layout), plan->a.rows,
        plan->a.cols, plan->a.nnz);
    for (int i = 0; i < rc_plan_parts(plan); i++)
        add_part(&s, plan, i);
    if (plan->both && !plan->transpose)
        rc_str_add(&s, "Transposed: from the same prepared matrix\n");
    if (plan->company[0])
        rc_str_addf(&s, "%s\n", plan->company);
    if (text && size > 0) {
        size_t n = s.failed || !s.text ? 0 : s.len < size - 1 ? s.len : size - 1;
        if (n > 0)
            memcpy(text, s.text, n);
        text[n] = '\0';
    }
    size_t whole = s.failed ? 0 : s.len;
    rc_str_free(&s);
    return whole;
}
