#include "config.h"
#include "dropin/dropin.h"

#include <inttypes.h>
#include <stdio.h>

enum { RC_SHOWN = 24 };

static const char *layout_text(int layout)
{
    static const char *const texts[RC_LAYOUTS] = {
        "column-major", "row-major", "B row-major, C column-major", "B column-major, C row-major"};
    return texts[layout];
}

static void print_product(const rc_known_t *known)
{
    char types[RC_KEY_TYPES];
    const rc_key_t *k = &known->key;
    const rc_function_t *f = rc_function(k->op);
    rc_key_types(k, types);
    fprintf(stderr, "rowcast:   ");
    if (k->direct || k->op != RC_OP_SPMM)
        fprintf(stderr, "%s, ", f->op);
    fprintf(stderr, "%" PRId64 " x %" PRId64 ", %" PRId64 " entries, %s, ", k->rows, k->cols,
        k->nnz, rc_key_form(k));
    if (k->op != RC_OP_SPMV)
        fprintf(stderr, "K = %" PRId64 ", ", k->k);
    fputs(types, stderr);
    if (k->op != RC_OP_SPMV)
        fprintf(stderr, ", %s", layout_text(k->layout));
    fprintf(stderr, ": %" PRIu64 " calls, %" PRIu64 " by a %s", known->calls, known->by_plan,
        k->direct ? "kernel" : "plan");
}

static void print_known(const rc_known_t *known)
{
    print_product(known);
    if (known->reference.count > 0)
        fprintf(stderr, "; cuSPARSE %.1f us", 1e-3 * rc_times_median(&known->reference));
    if (rc_trial_kept(known) > 0)
        fprintf(stderr, ", plan %.1f us", 1e-3 * rc_trial_kept(known));
    if (known->text[0])
        fprintf(stderr, " (%s)", known->text);
    if (known->begun_at > 0)
        fprintf(stderr, ", begun in call %" PRIu64 "%s", known->begun_at,
            known->choice ? " from the cache" : "");
    if (known->make_seconds > 0)
        fprintf(stderr, ", made in %.2f s", known->make_seconds);
    if (known->stage != RC_STAGE_TRYING && known->stage != RC_STAGE_ON)
        fprintf(stderr, "; %s", rc_why_text(rc_known_why(known)));
    if (known->changes > 0)
        fprintf(stderr, "; changed in place %d times", known->changes);
    fputc('\n', stderr);
}

/* \param[in] calls  of a function, by what became of them */
static void print_passed(const char *function, const uint64_t calls[RC_WHYS])
{
    for (int why = RC_WHY_PLAN + 1; why < RC_WHYS; why++)
        if (calls[why] > 0)
            fprintf(stderr, "rowcast:   %s passed through %" PRIu64 " times: %s\n", function,
                calls[why], rc_why_text((rc_why_t)why));
}

/* What a function had beside plans of SpMM, which are the first line's. */
static void print_function(const rc_dropin_t *d, int op)
{
    const uint64_t *done = d->done[op];
    if (op == RC_OP_SPMM ? done[1] == 0 : d->asked[op] == 0)
        return;
    fprintf(stderr, "rowcast: %" PRIu64 " calls of %s, %" PRIu64 " by kernels of rowcast",
        d->asked[op], rc_function(op)->name, done[1]);
    if (op != RC_OP_SPMM && done[0] > 0)
        fprintf(stderr, ", %" PRIu64 " by plans", done[0]);
    fputc('\n', stderr);
}

void rc_dropin_summary(const rc_dropin_t *d)
{
    int patterns = 0;
    for (int i = 0; i < d->count; i++)
        patterns += d->known[i]->held != NULL;
    fprintf(stderr,
        "rowcast: %" PRIu64 " calls of cusparseSpMM, %" PRIu64
        " by plans; %d patterns, %d with a plan; %.1f ms "
        "saved; %.2f s and %.1f MB for plans\n",
        d->asked[RC_OP_SPMM], d->done[RC_OP_SPMM][0], d->count, patterns,
        1e3 * (d->account.won - d->account.lost), d->account.spent, 1e-6 * (double)d->bytes);
    for (int op = 0; op < RC_OPS; op++)
        print_function(d, op);
    if (d->in_graphs > 0)
        fprintf(stderr, "rowcast: graphs hold %d of the plans for good\n", d->in_graphs);
    if (!d->engine && d->calls > 0 && !d->settings.off)
        fputs("rowcast: no plans: the library beside this one could not be opened\n", stderr);
    if (d->cache.path)
        fprintf(stderr,
            "rowcast: %s: %" PRIu64 " plans from it, %" PRIu64 " choices written, %" PRIu64
            " files ignored or not written\n",
            d->cache.path, d->from_cache, d->cache.saved, d->cache.ignored);
    for (int op = 0; op < RC_OPS; op++)
        print_passed(rc_function(op)->name, d->why[op]);
    for (int i = 0; i < d->count && i < RC_SHOWN; i++)
        print_known(d->known[i]);
    if (d->count > RC_SHOWN || d->forgotten > 0)
        fprintf(stderr, "rowcast:   and %" PRIu64 " patterns used longer ago\n",
            d->forgotten + (uint64_t)(d->count > RC_SHOWN ? d->count - RC_SHOWN : 0));
}
