/* Trainers, sets of features or layer sizes side by side. */
#include "config.h"
#include "analysis/print/comparison.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "analysis/print/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is compared, and what the variants borrow. */
typedef struct variants {
    rc_variant_t *v;
    rc_fit_options_t *fit; /* [capacity] of each */
    rc_str_t *name;        /* [capacity] */
    int count;
    int capacity;
} variants_t;

static void free_variants(variants_t *v)
{
    for (int i = 0; i < v->count; i++)
        rc_str_free(&v->name[i]);
    free(v->name);
    free(v->fit);
    free(v->v);
}

static rc_status_t make_variants(variants_t *v, int capacity, rc_err_t *err)
{
    v->capacity = capacity;
    v->v = rc_alloc0((size_t)capacity, sizeof *v->v, "variants", err);
    v->fit = rc_alloc0((size_t)capacity, sizeof *v->fit, "variants", err);
    v->name = rc_alloc0((size_t)capacity, sizeof *v->name, "variants", err);
    return v->v && v->fit && v->name ? RC_OK : RC_ENOMEM;
}

static rc_status_t add_variant(variants_t *v, const rc_trainer_t *t, const char *suffix,
    const rc_dataset_t *data, const rc_fit_options_t *fit, rc_err_t *err)
{
    rc_str_t *name = &v->name[v->count];
    rc_str_addf(name, "%s%s", t->name, suffix);
    v->fit[v->count] = *fit;
    v->v[v->count] = (rc_variant_t){
        .name = name->text, .trainer = t, .data = data, .options = &v->fit[v->count]};
    v->count++;
    return name->failed ? rc_fail(err, RC_ENOMEM, "no memory for a name") : RC_OK;
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
    list = rc_alloc((size_t)n, sizeof *list, "trainers", err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
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

static int is_network(const rc_trainer_t *t)
{
    return strcmp(t->name, "mlp") == 0 || strcmp(t->name, "softmax") == 0 ||
           strcmp(t->name, "regret") == 0;
}

static rc_status_t add_topologies(variants_t *v, const rc_words_t *sizes,
    const rc_trainer_t *const *trainer, int trainers, const rc_fit_options_t *fit, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int t = 0; t < trainers; t++) {
        if (!is_network(trainer[t]))
            return rc_fail(err, RC_EINVAL, "--topologies: %s is no network", trainer[t]->name);
        for (int i = 0; st == RC_OK && i < sizes->count; i++) {
            char suffix[64];
            rc_fit_options_t own = *fit;
            int none = strcmp(sizes->word[i], "0") == 0;
            own.hidden = none ? "" : sizes->word[i];
            (void)snprintf(suffix, sizeof suffix, " %s", none ? "no hidden layer" : own.hidden);
            st = add_variant(v, trainer[t], suffix, NULL, &own, err);
        }
    }
    return st;
}

static rc_status_t add_pairs(variants_t *v, const rc_compare_command_t *o,
    const rc_dataset_t *matrix, const rc_trainer_t *const *trainer, int trainers,
    const rc_fit_options_t *fit, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int t = 0; st == RC_OK && t < trainers; t++) {
        st = add_variant(v, trainer[t], o->ablation ? " all features" : "", NULL, fit, err);
        if (st == RC_OK && o->ablation)
            st = add_variant(v, trainer[t], " matrix-only", matrix, fit, err);
    }
    return st;
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
    RC_TRY(make_variants(&v, trainers * (o->topologies ? sizes.count : 2), err));
    rc_learn_protocol_text(&protocol, text, sizeof text);
    if (!o->learn->quiet) {
        rc_learn_describe(&d, "evaluate", stderr);
        fprintf(stderr, "evaluate: %s\n", text);
    }
    rc_learn_progress_start(&progress, "evaluate", o->learn->quiet, &fit);
    RC_TRY(o->topologies
               ? add_topologies(&v, &sizes, trainer, trainers, &fit, err)
               : add_pairs(&v, o, o->ablation ? &matrix : NULL, trainer, trainers, &fit, err));
    st = rc_compare(&d, v.v, v.count, &protocol, &c, err);
    progress.loss = NAN; /* of the last fit only */
    rc_learn_progress_end(&progress, st == RC_OK ? "compared" : NULL);
    RC_TRY(st);
    RC_TRY(rc_comparison_print(&d, &c, format, err));
done:
    rc_comparison_free(&c);
    free_variants(&v);
    rc_words_free(&sizes);
    free((void *)trainer);
    rc_dataset_free(&matrix);
    rc_dataset_free(&d);
    return st;
}
