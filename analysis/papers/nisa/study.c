#include "config.h"
#include "analysis/papers/nisa/study_private.h"
#include "base/error.h"
#include "base/str.h"
#include "base/type.h"
#include "table/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- options */

static rc_status_t check_learn(
    const rc_learn_options_t *o, const rc_study_mode_t *mode, rc_err_t *err)
{
    int times = o->task && strcmp(o->task, "time") == 0;
    if (o->op && strcmp(o->op, "spmv") != 0)
        return rc_fail(err, RC_EINVAL, "--op: the study is of spmv, found %s", o->op);
    if (o->task && !times && strcmp(o->task, "format") != 0)
        return rc_fail(
            err, RC_EINVAL, "--task: the study has format and time, found '%s'", o->task);
    if (times && !mode->times)
        return rc_fail(
            err, RC_EINVAL, "--task time goes with rme and indirect, not with %s", mode->name);
    if (o->folds > 0 || o->test_share > 0 || o->baseline || o->kernel)
        return rc_fail(err, RC_EINVAL, "%s: the protocol has its own",
            o->folds > 0  ? "--folds"
            : o->baseline ? "--baseline"
            : o->kernel   ? "--kernel"
                          : "--test-share");
    if (o->split && strcmp(o->split, "group") != 0 && strcmp(o->split, "stratified") != 0)
        return rc_fail(err, RC_EINVAL,
            "--split: expected stratified (the paper's) or group (ours), found '%s'", o->split);
    return RC_OK;
}

static rc_status_t parse_tolerances(rc_study_t *s, const char *list)
{
    rc_words_t words = {0};
    rc_status_t st = rc_words_split(list, ',', &words, s->err);
    if (st == RC_OK && words.count > RC_STUDY_TOLERANCES)
        st = rc_fail(s->err, RC_EINVAL, "expected at most %d, found %d", (int)RC_STUDY_TOLERANCES,
            words.count);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        double percent;
        st = rc_parse_double(words.word[i], "a tolerance", &percent, s->err);
        if (st == RC_OK && !(percent >= 0 && isfinite(percent)))
            st = rc_fail(
                s->err, RC_EINVAL, "expected percents of at least 0, found '%s'", words.word[i]);
        s->tolerance[s->tolerances++] = percent / 100;
    }
    rc_words_free(&words);
    return st < 0 ? rc_err_context(s->err, "--tolerance") : RC_OK;
}

static rc_status_t parse_sets(rc_study_t *s, const char *list)
{
    rc_words_t words = {0};
    rc_status_t st = list ? rc_words_split(list, ',', &words, s->err) : RC_OK;
    for (int set = 0; set < RC_STUDY_SETS; set++)
        s->set[set] = !list;
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        int set = 0;
        while (set < RC_STUDY_SETS && strcmp(words.word[i], rc_study_set_names[set]) != 0)
            set++;
        if (set < RC_STUDY_SETS)
            s->set[set] = 1;
        else
            st = rc_fail(s->err, RC_EINVAL,
                "the study has the sets 1, 1-2, 1-3 and top7, found '%s'", words.word[i]);
    }
    rc_words_free(&words);
    return st < 0 ? rc_err_context(s->err, "--features") : RC_OK;
}

/* Where times are asked for, a classifier stands for its regressors: of all formats, and of
 * each. */
static rc_status_t add_model(rc_study_t *s, const rc_trainer_t *t)
{
    static const char *const suffixes[] = {"-time", "-each"};
    int found = 0;
    for (int i = 0; s->mode == &rc_study_rme_mode && !t->has_times && i < 2; i++) {
        char name[64];
        (void)snprintf(name, sizeof name, "%s%s", t->name, suffixes[i]);
        const rc_trainer_t *times = rc_trainer_find(name);
        if (times && s->models < RC_STUDY_MODELS) {
            s->model[s->models++] = times;
            found = 1;
        }
    }
    if (found)
        return RC_OK;
    if (s->mode == &rc_study_rme_mode && !t->has_times)
        return rc_fail(s->err, RC_EINVAL, "--model: %s predicts no times", t->name);
    if (s->models == RC_STUDY_MODELS)
        return rc_fail(s->err, RC_EINVAL, "--model: expected at most %d", (int)RC_STUDY_MODELS);
    s->model[s->models++] = t;
    return RC_OK;
}

/* Those that are named, or of the paper's those that this build has. */
static rc_status_t find_models(rc_study_t *s, const char *names)
{
    rc_words_t words = {0};
    rc_status_t st;
    if (!s->mode->models)
        return RC_OK;
    RC_TRY(rc_words_split(names ? names : s->mode->models, ',', &words, s->err));
    for (int i = 0; i < words.count; i++) {
        const rc_trainer_t *t = rc_trainer_find(words.word[i]);
        if (names && !t)
            RC_TRY(rc_learn_trainer(words.word[i], &t, s->err)); /* lists those that there are */
        if (t)
            RC_TRY(add_model(s, t));
    }
    if (s->models == 0)
        RC_TRY(rc_fail(s->err, RC_ENOTSUP,
            "this build has none of the models %s: see 'rowcast info'", s->mode->models));
done:
    rc_words_free(&words);
    return st;
}

static rc_status_t parse_of(rc_study_t *s, const char *of)
{
    s->predicted = of && strcmp(of, "predicted") == 0;
    if (of && s->mode != &rc_study_indirect)
        return rc_fail(s->err, RC_EINVAL, "--tolerance-of goes with indirect");
    if (of && !s->predicted && strcmp(of, "measured") != 0)
        return rc_fail(
            s->err, RC_EINVAL, "--tolerance-of: expected measured or predicted, found '%s'", of);
    return RC_OK;
}

/* ----------------------------------------------------------- parts of a study */

void rc_study_put_part(rc_study_t *s, const rc_study_part_t *p)
{
    RC_CELLS(s->t, RC_TEXT(p->precision), RC_TEXT(p->data), RC_TEXT(p->formats),
        RC_TEXT(rc_split_names[s->o.split]), RC_INT(p->d.rows));
}

void rc_study_put_figure(rc_study_t *s, const rc_study_figure_t *f)
{
    RC_CELLS(s->t, RC_REAL(100 * f->mean.value, 4), RC_REAL(100 * f->mean.low, 4),
        RC_REAL(100 * f->mean.high, 4), RC_REAL(100 * f->first, 4));
}

static const char ranker[] = "xgboost-nisa";

/* Which of the many fits it is: each begins at 0 %. */
static void tell_fit(
    rc_study_t *s, const rc_study_part_t *p, const rc_trainer_t *t, rc_study_set_t set)
{
    char of[sizeof s->progress.of];
    (void)snprintf(of, sizeof of, "%s, %s, %s, by %s, set %s: ", t->name, p->precision, p->data,
        s->o.split == RC_SPLIT_GROUP ? "group" : "matrix", rc_study_set_names[set]);
    rc_learn_progress_next(&s->progress, of);
}

/* The table begins when something is known: an error before has no empty one. */
static rc_status_t begin_table(rc_study_t *s)
{
    rc_str_t all = {0};
    if (s->t)
        return RC_OK;
    rc_str_addf(&all, "precision|data|formats|split|matrices|%s", s->mode->columns);
    for (int t = 0; s->mode->behind && t < s->tolerances; t++)
        rc_str_addf(&all, "within_%g:%%|", 100 * s->tolerance[t]);
    rc_str_add(&all, s->mode->behind ? s->mode->behind : "");
    if (all.failed)
        rc_fail(s->err, RC_ENOMEM, "no memory for columns");
    else
        s->t = rc_table_of(stdout, s->format, all.text, 0, s->err);
    rc_str_free(&all);
    return s->t ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_study_need_ranks(rc_study_t *s, rc_study_part_t *p)
{
    const rc_trainer_t *t = rc_trainer_find(ranker);
    if (p->ranks.weight)
        return RC_OK;
    if (!t)
        return rc_fail(
            s->err, RC_ENOTSUP, "importances are of %s, which this build does not have", ranker);
    tell_fit(s, p, t, RC_STUDY_SET_3);
    rc_status_t st =
        rc_study_run(t, &p->d, RC_STUDY_SET_3, NULL, &s->o, &p->ranks, &p->ranked, s->err);
    return st == RC_OK ? begin_table(s) : st;
}

static void part_free(rc_study_part_t *p)
{
    rc_study_ranks_free(&p->ranks);
    rc_study_run_free(&p->ranked);
    rc_study_run_free(&p->run);
}

rc_status_t rc_study_fit(rc_study_t *s, rc_study_part_t *p, const rc_trainer_t *t,
    rc_study_set_t set, const rc_study_run_t **out)
{
    int ranks = set == RC_STUDY_SET_3 && strcmp(t->name, ranker) == 0;
    rc_status_t st = ranks || set == RC_STUDY_SET_TOP ? rc_study_need_ranks(s, p) : RC_OK;
    *out = ranks ? &p->ranked : &p->run;
    if (st == RC_OK && !ranks) {
        rc_study_run_free(&p->run);
        tell_fit(s, p, t, set);
        st = rc_study_run(t, &p->d, set, set == RC_STUDY_SET_TOP ? &p->ranks : NULL, &s->o, NULL,
            &p->run, s->err);
    }
    if (st == RC_OK)
        st = begin_table(s);
    return st < 0 ? rc_err_context(
                        s->err, "%s, %s, set %s", t->name, p->precision, rc_study_set_names[set])
                  : RC_OK;
}

/* A label that a fold cannot have is no error (in the paper COO is best for one matrix, or
 * none), but is said. */
static void tell_rare(const rc_study_t *s, const rc_study_part_t *p)
{
    for (int c = 0; c < p->d.classes && !s->learn->quiet; c++) {
        int64_t wins = 0;
        for (int64_t i = 0; i < p->d.rows; i++)
            wins += rc_dataset_best(&p->d, i) == c;
        if (wins < RC_STUDY_FOLDS)
            fprintf(stderr,
                "paper: %s, %s: %s is best on %" PRId64 " matrices, of %d parts some have none\n",
                p->precision, p->data, p->d.cls[c].name, wins, (int)RC_STUDY_FOLDS);
    }
}

/* Both divisions, or the one that is asked for. */
static rc_status_t print_splits(rc_study_t *s, rc_study_part_t *p)
{
    static const rc_split_kind_t kinds[] = {RC_SPLIT_STRATIFIED, RC_SPLIT_GROUP};
    const char *asked = s->learn->split;
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < 2; i++) {
        if (asked && strcmp(asked, rc_split_names[kinds[i]]) != 0)
            continue;
        if (!asked && kinds[i] == RC_SPLIT_GROUP && p->d.groups < RC_STUDY_FOLDS) {
            fprintf(stderr,
                "paper: %s, %s: %d groups cannot be divided in %d parts: by matrix only\n",
                p->precision, p->data, p->d.groups, (int)RC_STUDY_FOLDS);
            continue;
        }
        s->o.split = s->o.fit.split = kinds[i];
        st = s->mode->print(s, p);
        part_free(p);
    }
    return st;
}

/* \param[in] where  NULL: all  \param[in] classes  NULL: six formats */
static rc_status_t print_data(
    rc_study_t *s, rc_study_part_t *p, const char *where, const char *classes)
{
    rc_learn_options_t learn = *s->learn;
    rc_dataset_options_t selection;
    rc_status_t st;
    p->d = (rc_dataset_t){0};
    learn.task = "format";
    learn.op = "spmv";
    learn.where = where;
    learn.precision = p->precision;
    learn.classes = classes;
    learn.features = "nisa";
    RC_TRY(rc_learn_dataset(&learn, &selection, s->err));
    RC_TRY(rc_dataset_read(s->store, &selection, &p->d, s->err));
    if (!s->learn->quiet)
        rc_learn_describe(&p->d, "paper", stderr);
    tell_rare(s, p);
    RC_TRY(print_splits(s, p));
done:
    rc_dataset_free(&p->d);
    return st;
}

static rc_status_t print_formats(rc_study_t *s, rc_study_part_t *p, const char *where)
{
    rc_status_t st = RC_OK;
    if (s->learn->classes) {
        p->formats = s->learn->classes;
        return print_data(s, p, where, s->learn->classes);
    }
    if (s->mode->three) {
        p->formats = "3";
        p->paper = 3;
        st = print_data(s, p, where, "ell,csr,hyb");
    }
    p->formats = "6";
    p->paper = 6;
    return st == RC_OK ? print_data(s, p, where, NULL) : st;
}

/* Whether figures of the real matrices, or of all, are asked for. */
static int is_asked(const rc_study_t *s, const char *data)
{
    return !s->data || strcmp(s->data, data) == 0;
}

/* What a store has. */
typedef struct looked {
    unsigned formats[RC_TYPES]; /* bits of formats with a time; 0: the precision is not there */
    int generated;              /* 1: matrices that a generator made */
    int real;                   /* 1: others */
} looked_t;

/* The six, unless classes are named. */
static rc_status_t check_formats(const rc_study_t *s, const looked_t *l)
{
    for (int p = 0; p < RC_TYPES && !s->learn->classes; p++)
        for (int f = 0; f < RC_SIX && l->formats[p]; f++)
            if (!(l->formats[p] & 1u << f))
                return rc_fail(s->err, RC_EINVAL,
                    "%s: no result of %s (kernel %s, original order) in %s is ok: the study is of "
                    "six formats, or of those that --classes names",
                    s->store, rc_six_names[f], rc_six_kernels[f], rc_type((rc_precision_t)p)->name);
    return RC_OK;
}

/* --where sees rows before --generated marks any, as the data sets are read. */
static rc_status_t look(const rc_study_t *s, looked_t *out)
{
    rc_view_t *v = NULL;
    rc_expr_t *where = NULL;
    rc_expr_t *which = NULL;
    rc_six_t *six = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(rc_view_compile(s->generated, "--generated", &which, s->err));
    RC_TRY(rc_view_read(s->store, &v, s->err));
    RC_TRY(rc_view_compile(s->learn->where, "--where", &where, s->err));
    RC_TRY(rc_six_make(v, where, &six, &n, s->err));
    if (which)
        rc_view_mark_generated(v, which);
    for (const rc_six_t *x = six; x < six + n; x++)
        for (int64_t i = 0; i < x->rows * RC_SIX; i++) {
            const rc_six_row_t *r = &x->row[i / RC_SIX];
            if (isnan(r->ns[i % RC_SIX]) || (unsigned)x->setting.precision >= RC_TYPES)
                continue;
            out->formats[x->setting.precision] |= 1u << i % RC_SIX;
            out->generated |= rc_view_is_generated(v, r->matrix);
            out->real |= !rc_view_is_generated(v, r->matrix);
        }
    if (!out->real && !out->generated)
        RC_TRY(rc_fail(s->err, RC_EINVAL, "%s: no result of spmv in one of the six formats is ok%s",
            s->store, s->learn->where ? " and matches --where" : ""));
    st = check_formats(s, out);
done:
    rc_six_free(six, n);
    rc_view_free(v);
    rc_expr_free(where);
    rc_expr_free(which);
    return st;
}

/* 1: a list by commas has the word; NULL: all words. */
static int is_among(const char *list, const char *word)
{
    const size_t n = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, n) == 0 && (at[n] == ',' || !at[n]))
            return 1;
    }
    return !list;
}

/* Real matrices, then all where some are generated, in each precision. */
static rc_status_t print_all(rc_study_t *s)
{
    looked_t l = {0};
    rc_str_t real = {0};
    const char *where = s->learn->where;
    rc_status_t st = look(s, &l);
    rc_str_add(&real, "!generated");
    if (s->generated)
        rc_str_addf(&real, " && !(%s)", s->generated);
    if (where)
        rc_str_addf(&real, " && (%s)", where);
    if (st == RC_OK && real.failed)
        st = rc_fail(s->err, RC_ENOMEM, "no memory for a filter");
    if (st == RC_OK && !l.real && !is_asked(s, "all"))
        st = rc_fail(
            s->err, RC_EINVAL, "--data real: a generator made all matrices of %s", s->store);
    for (int t = 0; st == RC_OK && t < RC_TYPES; t++) {
        const rc_precision_t type = (rc_precision_t)t;
        if (!l.formats[t] || !is_among(s->learn->precision, rc_type(type)->name))
            continue;
        for (int all = !l.real; st == RC_OK && all <= (l.generated || !is_asked(s, "real"));
             all++) {
            rc_study_part_t p = {
                .precision = rc_type(type)->name, .type = type, .data = all ? "all" : "real"};
            if (is_asked(s, p.data))
                st = print_formats(s, &p, all ? where : real.text);
        }
    }
    rc_str_free(&real);
    return st;
}

rc_status_t rc_study_print(
    const rc_study_mode_t *mode, const rc_summary_options_t *o, rc_err_t *err)
{
    const rc_nisa_fits_t *c = o->fits;
    const rc_learn_options_t *learn = c->learn;
    rc_study_t s = {.mode = mode,
        .store = o->store,
        .learn = learn,
        .generated = c->generated,
        .data = c->data,
        .format = o->format,
        .err = err};
    rc_learn_options_t fit = *learn;
    rc_status_t st;
    if (c->data && strcmp(c->data, "real") != 0 && strcmp(c->data, "all") != 0)
        RC_TRY(rc_fail(err, RC_EINVAL, "--data: expected real or all, found '%s'", c->data));
    RC_TRY(check_learn(learn, s.mode, err));
    RC_TRY(parse_tolerances(&s, c->tolerance ? c->tolerance : s.mode->tolerances));
    RC_TRY(parse_of(&s, c->tolerance_of));
    RC_TRY(parse_sets(&s, learn->features));
    RC_TRY(find_models(&s, c->models));
    fit.split = NULL;
    fit.weights = learn->weights ? learn->weights : "none"; /* as in the paper */
    RC_TRY(rc_learn_fit(&fit, &s.o.fit, err));
    s.o.seed = (uint64_t)learn->seed;
    rc_learn_progress_start(&s.progress, "paper", learn->quiet, &s.o.fit);
    st = print_all(&s);
    s.progress.loss = NAN;
    rc_learn_progress_end(&s.progress, st == RC_OK ? "studied" : NULL);
    st = rc_table_end_after(st, s.t, err);
    if (st == RC_OK && o->format == RC_TABLE_TEXT && !learn->classes)
        rc_nisa_notes(s.mode->notes, stdout);
done:
    return st;
}
