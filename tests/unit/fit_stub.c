/* rc_fit for tests of what calls it, as long as the library has none: inputs are not standardised.
 */
#include "config.h"
#include "analysis/trainer.h"
#include "base/alloc.h"
#include "base/error.h"
#include <stdlib.h>
#include <string.h>
__attribute__((weak)) const char *const rc_weighting_names[] = {"inverse", "regret", "none", NULL};
__attribute__((weak)) rc_status_t rc_fit(const rc_trainer_t *t, const rc_dataset_t *d,
    const int64_t *row, int64_t n, const rc_fit_options_t *options, rc_model_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_model_t *m = rc_model_new(err);
    double *x = rc_alloc0((size_t)n * (size_t)d->inputs, sizeof *x, "x", err);
    double *w = rc_alloc0((size_t)n, sizeof *w, "w", err);
    if (!m || !x || !w) {
        st = RC_ENOMEM;
        goto done;
    }
    m->input = rc_alloc0((size_t)d->inputs, sizeof *m->input, "i", err);
    m->cls = rc_alloc0((size_t)d->classes, sizeof *m->cls, "c", err);
    if (!m->input || !m->cls) {
        st = RC_ENOMEM;
        goto done;
    }
    m->inputs = d->inputs;
    m->classes = d->classes;
    m->baseline = d->baseline;
    memcpy(m->input, d->input, (size_t)d->inputs * sizeof *m->input);
    memcpy(m->cls, d->cls, (size_t)d->classes * sizeof *m->cls);
    m->training = json_object();
    RC_TRY(t->fit(d, row, n, x, w, options, m, err));
    *out = m;
    m = NULL;
done:
    rc_model_free(m);
    free(x);
    free(w);
    return st;
}
