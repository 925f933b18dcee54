#include "config.h"
#include "model/permit.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/str.h"

#include <string.h>

/* Of a prepared matrix over plain CSR, where the model does not say: coordinates and their buffers
 * are below it. */
static const double unknown_memory = 2;

double rc_model_memory(const rc_model_t *m, int c, const rc_csr_t *a, const rc_request_t *r)
{
    double bytes = r->value_bytes;
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
    const char *sep = "";
    if (q->layouts) {
        rc_str_addf(&s, "layout %s%s%s", q->layouts & RC_LAYOUT_COL ? "col" : "",
            q->layouts == (RC_LAYOUT_COL | RC_LAYOUT_ROW) ? " or " : "",
            q->layouts & RC_LAYOUT_ROW ? "row" : "");
        sep = ", ";
    }
    if (q->kernels) {
        rc_str_addf(&s, "%skernels '%.60s'", sep, q->kernels);
        sep = ", ";
    }
    if (q->orders) {
        rc_str_addf(&s, "%sorders '%.60s'", sep, q->orders);
        sep = ", ";
    }
    if (q->memory > 0) {
        char bytes[32];
        rc_text_bytes((double)q->memory, bytes, sizeof bytes);
        rc_str_addf(&s, "%s%s of memory", sep, bytes);
        sep = ", ";
    }
    if (q->deterministic)
        rc_str_addf(&s, "%sdeterministic", sep);
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

rc_status_t rc_model_permit(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *r,
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
