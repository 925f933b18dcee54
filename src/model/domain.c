#include "config.h"
#include "model/domain.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/stats.h"
#include "feature/feature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b)
{
    return rc_compare_lists(a, b, 1);
}

rc_status_t rc_model_set_ks(rc_model_t *m, const int64_t *k, int count, int is_n, rc_err_t *err)
{
    int64_t *list = rc_alloc((size_t)count + 1, sizeof *list, "the K of a model", err);
    int n = 0;
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    if (count > 0) {
        memcpy(list, k, (size_t)count * sizeof *list);
        qsort(list, (size_t)count, sizeof *list, ascending);
    }
    for (int i = 0; i < count; i++)
        if (n == 0 || list[i] != list[n - 1])
            list[n++] = list[i];
    free(m->ks.k);
    m->ks = (rc_model_ks_t){.k = list, .count = n, .n = is_n};
    return RC_OK;
}

/* ------------------------------------------------------------------------- K */

int rc_model_has_input(const rc_model_t *m, const char *name)
{
    for (int i = 0; i < m->inputs; i++)
        if (strcmp(m->input[i].name, name) == 0)
            return 1;
    return 0;
}

static int knows_k(const rc_model_t *m, int64_t k, int64_t cols)
{
    const rc_model_ks_t *ks = &m->ks;
    if ((!ks->count && !ks->n) || !rc_model_operation_has_k(m->operation))
        return 1;
    if (ks->n && k == cols)
        return 1;
    if (ks->count && rc_model_has_input(m, "k"))
        return k >= ks->k[0] && k <= ks->k[ks->count - 1];
    for (int i = 0; i < ks->count; i++)
        if (ks->k[i] == k)
            return 1;
    return 0;
}

void rc_model_types_text(const rc_model_t *m, rc_str_t *out)
{
    int left = 0;
    const char *before = "";
    for (int t = 0; t < RC_TYPES; t++)
        left += m->geometry.of[t].nw > 0;
    for (int t = 0; t < RC_TYPES; t++)
        if (m->geometry.of[t].nw) {
            rc_str_addf(out, "%s%s", before, rc_type((rc_precision_t)t)->name);
            before = --left > 1 ? ", " : " and ";
        }
}

/* "K 8 to 512 and n": what is inside, see rc_model_outside; "" without a K. */
static void ks_text(const rc_model_t *m, rc_str_t *out)
{
    const rc_model_ks_t *ks = &m->ks;
    if (!rc_model_operation_has_k(m->operation))
        return;
    if (!ks->count && !ks->n) {
        rc_str_add(out, "K unknown");
        return;
    }
    rc_str_add(out, "K ");
    if (ks->count > 1 && rc_model_has_input(m, "k"))
        rc_str_addf(out, "%" PRId64 " to %" PRId64, ks->k[0], ks->k[ks->count - 1]);
    else
        for (int i = 0; i < ks->count; i++)
            rc_str_addf(out, "%s%" PRId64, i ? ", " : "", ks->k[i]);
    if (ks->n)
        rc_str_addf(out, "%sn", ks->count ? " and " : "= ");
}

/* ------------------------------------------------------------------ the whole */

static void domain_text(const rc_model_t *m, rc_str_t *out)
{
    int layouts = 0;
    int unknown = 0;
    for (int c = 0; c < m->classes; c++) {
        layouts |= m->cls[c].layout;
        unknown |= m->cls[c].layout == 0;
    }
    rc_str_addf(out, "%s, ", rc_model_operation(m));
    ks_text(m, out);
    rc_str_add(out, rc_model_operation_has_k(m->operation) ? ", " : "");
    rc_model_types_text(m, out);
    if (unknown)
        rc_str_add(out, ", layouts unknown");
    else
        rc_str_addf(out, ", layout %s%s%s", layouts & RC_LAYOUT_COL ? "col" : "",
            layouts == (RC_LAYOUT_COL | RC_LAYOUT_ROW) ? " and " : "",
            layouts & RC_LAYOUT_ROW ? "row" : "");
    rc_str_addf(out, ", device %s", m->device);
}

void rc_model_knows(const rc_model_t *m, char *text, size_t size)
{
    rc_str_t s = {0};
    if (m)
        domain_text(m, &s);
    if (text && size > 0)
        (void)snprintf(text, size, "%s", s.text ? s.text : "");
    rc_str_free(&s);
}

int rc_model_outside(const rc_model_t *m, int64_t k, int64_t cols, const char *device,
    const double *value, rc_str_t *out)
{
    enum { NAMED = 4 };
    rc_str_t unused = {0};
    rc_str_t *s = out ? out : &unused;
    int known_k = knows_k(m, k, cols);
    int n = 0;
    /* what follows from features and K that are known, is known */
    const rc_feature_set_t *set = rc_feature_set_find(m->feature_set);
    if (!known_k) {
        rc_str_addf(s, "K = %" PRId64 " (", k);
        ks_text(m, s);
        rc_str_add(s, ")");
        n++;
    }
    if (device && strcmp(device, m->device) != 0 && !rc_glob_match(device, m->device)) {
        rc_str_addf(s, "%sdevice %s (%s)", n ? ", " : "", device, m->device);
        n++;
    }
    for (int i = 0; value && i < m->inputs; i++) {
        const rc_model_input_t *in = &m->input[i];
        if (!(value[i] < in->min || value[i] > in->max) ||
            (!known_k && strcmp(in->name, "k") == 0) ||
            (set && rc_feature_is_of_product(set, in->name)))
            continue;
        if (n < NAMED)
            rc_str_addf(s, "%s%s = %.6g (%.6g to %.6g)", n ? ", " : "", in->name, value[i], in->min,
                in->max);
        n++;
    }
    if (n > NAMED)
        rc_str_addf(s, ", ... (%d in all)", n);
    rc_str_free(&unused);
    return n;
}
