/* The task format: which of the six formats of Nisa et al. 2018 (table/six.h) multiplies a matrix
 * fastest.
 *
 * A data set of this task (rc_dataset_read with RC_TASK_FORMAT) is the table of the study: a row is
 * a (matrix, precision) with its features (`value`), the time of every format (`time`), its label
 * (rc_dataset_best: the format of least time, the first of equals).  A row needs an ok result of
 * all six; what is left out is counted by format and reason in `dropped.format`.  With
 * `missing_worst` a format that failed or was skipped has an infinite time instead.
 *
 * Fewer classes: rows need the same six (those that the store has), and where coo is no class the
 * matrices are left out on which it is fastest among the classes and itself, as in the paper's
 * study of three formats ("ell,csr,hyb"). */
#include "config.h"
#include "analysis/dataset_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* Mark the formats of a list; NULL: all. */
static rc_status_t parse(const char *list, int wanted[RC_SIX], rc_err_t *err)
{
    rc_words_t words = {0};
    const char *names[RC_SIX];
    rc_status_t st = RC_OK;
    for (int f = 0; f < RC_SIX; f++) {
        names[f] = rc_six_names[f];
        wanted[f] = !list;
    }
    if (list)
        st = rc_words_split(list, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        int f = rc_six_named(words.word[i]);
        if (f < 0) {
            st = rc_fail_unknown(err, RC_EINVAL, "format", words.word[i], names, RC_SIX);
            rc_err_context(err, "--classes");
        } else {
            wanted[f] = 1;
        }
    }
    rc_words_free(&words);
    return st;
}

static rc_status_t lacking(const int wanted[RC_SIX], const int found[RC_SIX], rc_err_t *err)
{
    rc_str_t have = {0};
    rc_str_t lack = {0};
    for (int f = 0; f < RC_SIX; f++) {
        if (found[f] >= 0)
            rc_str_addf(&have, "%s%s", have.text ? "," : "", rc_six_names[f]);
        else if (wanted[f])
            rc_str_addf(&lack, "%s%s (kernel %s)", lack.text ? ", " : "", rc_six_names[f],
                rc_six_kernels[f]);
    }
    (void)rc_fail(err, RC_EINVAL,
        "task format: the store has no ok result, in original order, of %s; it has %s",
        lack.text && !lack.failed ? lack.text : "some format",
        have.text && !have.failed ? have.text : "none: see --task");
    rc_str_free(&have);
    rc_str_free(&lack);
    return RC_EINVAL;
}

rc_status_t rc_formats_find(
    const rc_selection_t *s, const char *classes, int **pair, int *count, rc_err_t *err)
{
    int wanted[RC_SIX];
    int found[RC_SIX];
    int lacks = 0;
    int n = 0;
    int *list = NULL;
    RC_PASS(parse(classes, wanted, err));
    for (int f = 0; f < RC_SIX; f++) {
        found[f] = -1;
        for (int i = 0; i < s->pairs && found[f] < 0; i++)
            if (s->pair[i].cells > 0 && strcmp(s->pair[i].kernel_name, rc_six_kernels[f]) == 0 &&
                strcmp(s->pair[i].policy_name, "csr") == 0)
                found[f] = i;
        lacks |= wanted[f] && found[f] < 0;
        n += wanted[f];
    }
    if (lacks)
        RC_PASS(lacking(wanted, found, err));
    if (n < 2)
        RC_PASS(rc_fail(err, RC_EINVAL, "--classes: a choice needs two formats, found %d", n));
    RC_PASS(RC_NEW(list, RC_SIX, "classes", err));
    *count = 0;
    for (int f = 0; f < RC_SIX; f++)
        if (found[f] >= 0)
            list[(*count)++] = found[f];
    *pair = list;
    return RC_OK;
}

rc_status_t rc_formats_status(
    const rc_selection_t *s, const int *pair, int n, unsigned char **status, rc_err_t *err)
{
    unsigned char *to = rc_alloc0((size_t)s->cells, (size_t)n, "what became of formats", err);
    RC_PASS(to ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < s->misses + s->picks; i++) {
        const rc_pick_t *p = i < s->misses ? &s->miss[i] : &s->pick[i - s->misses];
        int32_t how = i < s->misses ? rc_view_result(s->view, p->row)->status : RC_CASE_OK;
        if ((i < s->misses && how <= RC_CASE_OK) || how >= RC_CASE_STATUSES)
            continue;
        for (int c = 0; c < n; c++)
            if (p->pair == pair[c])
                to[(int64_t)p->cell * n + c] = (unsigned char)how;
    }
    *status = to;
    return RC_OK;
}

/* 1: coo is the fastest of the classes that are wanted and itself; of equals it is the first. */
static int coo_wins(const rc_dataset_t *d, const int wanted[RC_SIX], int64_t row)
{
    const double *time = d->time + row * d->classes;
    for (int c = 1; c < d->classes; c++)
        if (wanted[rc_six_named(d->cls[c].name)] && time[c] < time[0])
            return 0;
    return 1;
}

rc_status_t rc_formats_restrict(const char *classes, rc_dataset_t *d, rc_err_t *err)
{
    int wanted[RC_SIX];
    int cls[RC_SIX];
    int64_t rows = 0;
    rc_dataset_t part = {0};
    rc_dataset_part_t p = {.cls = cls};
    rc_status_t st;
    int64_t *row = rc_alloc((size_t)d->rows, sizeof *row, "rows of formats", err);
    RC_TRY(row ? RC_OK : RC_ENOMEM);
    RC_TRY(parse(classes, wanted, err));
    for (int c = 0; c < d->classes; c++)
        if (wanted[rc_six_named(d->cls[c].name)])
            cls[p.classes++] = c;
    if (p.classes == d->classes)
        goto done;
    int without_coo = !wanted[RC_SIX_COO] && rc_six_named(d->cls[0].name) == RC_SIX_COO;
    for (int64_t i = 0; i < d->rows; i++)
        if (!without_coo || !coo_wins(d, wanted, i))
            row[rows++] = i;
    if (rows == 0)
        RC_TRY(rc_fail(
            err, RC_EINVAL, "--classes: coo is the fastest on all %lld rows", (long long)d->rows));
    p.row = row;
    p.rows = rows;
    RC_TRY(rc_dataset_take(d, &p, &part, err));
    part.dropped.coo = d->rows - rows;
    rc_dataset_free(d);
    *d = part;
done:
    free(row);
    return st;
}
