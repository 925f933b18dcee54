/* Trainers, sets of features or layer sizes side by side. */
#include "config.h"
#include "analysis/print/evaluation.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is compared, and what the variants borrow. */
typedef struct variants {
    rc_pool_t pool;
    rc_variant_t *v;
    rc_fit_options_t *fit; /* of each */
    char (*name)[128];
    int count;
} variants_t;

static void add_variant(variants_t *v, const rc_trainer_t *t, const char *suffix,
    const rc_dataset_t *data, const rc_fit_options_t *fit)
{
    (void)snprintf(v->name[v->count], sizeof *v->name, "%s%s", t->name, suffix);
    v->fit[v->count] = *fit;
    v->v[v->count] = (rc_variant_t){
        .name = v->name[v->count], .trainer = t, .data = data, .options = &v->fit[v->count]};
    v->count++;
}

/* Trainers by name; NULL: all of this build.  free() */
static rc_status_t find_trainers(
    const char *names, const rc_trainer_t ***out, int *count, rc_err_t *err)
{
    rc_words_t words = {0};
    const rc_trainer_t **list = NULL;
    int n = 0;
    rc_status_t st = RC_OK;
    while (!names && rc_trainers[n])
        n++;
    if (names) {
        RC_TRY(rc_words_split(names, ',', &words, err));
        n = words.count;
    }
    if (n == 0)
        RC_TRY(rc_fail(err, RC_ENOTSUP, "this build has no trainers: see 'rowcast info'"));
    RC_TRY(RC_NEW(list, n, "trainers", err));
    for (int i = 0; i < n; i++) {
        list[i] = rc_trainers[i];
        if (names)
            RC_TRY(rc_learn_trainer(words.word[i], &list[i], err));
    }
    *out = list;
    *count = n;
    list = NULL;
done:
    free((void *)list);
    rc_words_free(&words);
    return st;
}

static rc_status_t add_topologies(variants_t *v, const rc_words_t *sizes,
    const rc_trainer_t *const *trainer, int trainers, const rc_fit_options_t *fit, rc_err_t *err)
{
    for (int t = 0; t < trainers; t++) {
        const char *name = trainer[t]->name;
        if (strcmp(name, "mlp") != 0 && strcmp(name, "softmax") != 0 && strcmp(name, "regret") != 0)
            return rc_fail(err, RC_EINVAL, "--topologies: %s is no network", name);
        for (int i = 0; i < sizes->count; i++) {
            char suffix[64];
            rc_fit_options_t own = *fit;
            int none = strcmp(sizes->word[i], "0") == 0;
            own.hidden = none ? "" : sizes->word[i];
            (void)snprintf(suffix, sizeof suffix, " %s", none ? "no hidden layer" : own.hidden);
            add_variant(v, trainer[t], suffix, NULL, &own);
        }
    }
    return RC_OK;
}

/* \param[in] matrix  the inputs of the matrix alone, of an ablation; NULL: there is none */
static void add_pairs(variants_t *v, const rc_dataset_t *matrix, const rc_trainer_t *const *trainer,
    int trainers, const rc_fit_options_t *fit)
{
    for (int t = 0; t < trainers; t++) {
        add_variant(v, trainer[t], matrix ? " all features" : "", NULL, fit);
        if (matrix)
            add_variant(v, trainer[t], " matrix-only", matrix, fit);
    }
}

rc_status_t rc_compare_print(
    const char *store, const rc_compare_command_t *o, rc_table_format_t format, rc_err_t *err)
{
    rc_dataset_options_t selection;
    rc_protocol_t protocol;
    rc_fit_options_t fit;
    rc_learn_progress_t progress;
    rc_dataset_t d = {0};
    rc_dataset_t matrix = {0};
    rc_comparison_t c = {0};
    variants_t v = {0};
    rc_words_t sizes = {0};
    const rc_trainer_t **trainer = NULL;
    int trainers = 0;
    char text[96];
    rc_status_t st;
    RC_TRY(rc_learn_dataset(o->learn, &selection, err));
    RC_TRY(rc_learn_protocol(o->learn, 5, &protocol, err));
    RC_TRY(rc_learn_fit(o->learn, &fit, err));
    RC_TRY(find_trainers(o->model || o->compare ? o->model : "mlp", &trainer, &trainers, err));
    if (o->topologies &&
        rc_words_split(o->learn->hidden ? o->learn->hidden : "0;16;32,16;64,32;128,64;64,64,32",
            ';', &sizes, err) < 0)
        RC_TRY(rc_err_context(err, "--hidden"));
    RC_TRY(rc_dataset_read(store, &selection, &d, err));
    selection.features = "matrix";
    if (o->ablation)
        RC_TRY(rc_dataset_read(store, &selection, &matrix, err));
    size_t most = (size_t)trainers * (size_t)(o->topologies ? sizes.count : 2);
    v.v = rc_pool_get(&v.pool, most, sizeof *v.v);
    v.fit = rc_pool_get(&v.pool, most, sizeof *v.fit);
    v.name = rc_pool_get(&v.pool, most, sizeof *v.name);
    RC_TRY(rc_pool_check(&v.pool, "variants", err));
    rc_learn_protocol_text(&protocol, text, sizeof text);
    if (!o->learn->quiet) {
        rc_learn_describe(&d, "evaluate", stderr);
        fprintf(stderr, "evaluate: %s\n", text);
    }
    rc_learn_progress_start(&progress, "evaluate", o->learn->quiet, &fit);
    if (o->topologies)
        RC_TRY(add_topologies(&v, &sizes, trainer, trainers, &fit, err));
    else
        add_pairs(&v, o->ablation ? &matrix : NULL, trainer, trainers, &fit);
    st = rc_compare(&d, v.v, v.count, &protocol, &c, err);
    progress.loss = NAN; /* of the last fit only */
    rc_learn_progress_end(&progress, st == RC_OK ? "compared" : NULL);
    RC_TRY(st);
    RC_TRY(rc_comparison_print(&d, &c, format, err));
done:
    rc_comparison_free(&c);
    rc_pool_free(&v.pool);
    rc_words_free(&sizes);
    free((void *)trainer);
    rc_dataset_free(&matrix);
    rc_dataset_free(&d);
    return st;
}
