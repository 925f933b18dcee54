/* The tables of a study: what each fits, its lines, and the paper's figures in them. */
#include "config.h"
#include "analysis/importance.h"
#include "analysis/papers/nisa/study_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K80 = 0, P100 = 2 }; /* columns of the paper's tables, fp64 one further */

/* What figures 6 and 7 and table XI are of. */
static const int in_figures[RC_TYPES] = {[RC_FP64] = 1};

/* The paper's figure of a machine; NaN: it has none of the precision. */
static double figure_of(const char *paper, int machine, const rc_study_part_t *p)
{
    static const int number[RC_TYPES] = {[RC_FP32] = 1, [RC_FP64] = 2};
    return number[p->type] ? rc_paper_number(paper, machine + number[p->type] - 1) : (double)NAN;
}

/* ------------------------------------------------------------ tables IV to X */

static void put_accuracy(rc_study_t *s, const rc_study_part_t *p, rc_study_set_t set,
    const rc_trainer_t *t, const rc_study_score_t *score)
{
    const char *const key[] = {p->formats, rc_study_set_names[set], t->name};
    const char *paper = p->paper ? rc_paper_line(rc_nisa_accuracy, key, 3) : NULL;
    rc_study_put_part(s, p);
    RC_CELLS(s->t, RC_TEXT(paper ? rc_paper_text(paper, 4) : NULL),
        RC_TEXT(rc_study_set_names[set]), RC_TEXT(t->name));
    rc_study_put_figure(s, &score->accuracy);
    for (int i = 0; i < s->tolerances; i++)
        rc_table_real(s->t, 100 * score->within[i].mean.value, 4);
    RC_CELLS(s->t, RC_REAL(100 * score->clear.mean.value, 4), RC_INT(score->clear.count),
        RC_REAL(100 * score->common.mean.value, 4), RC_REAL(score->geomean.mean.value, 4),
        RC_REAL(score->fit_s, 3), RC_REAL(figure_of(paper, K80, p), 3),
        RC_REAL(figure_of(paper, P100, p), 3));
}

static rc_status_t score_one(rc_study_t *s, rc_study_part_t *p, rc_study_set_t set,
    const rc_trainer_t *t, rc_study_score_t *score)
{
    const rc_study_run_t *r;
    RC_PASS(rc_study_fit(s, p, t, set, &r));
    return rc_study_score(
        &p->d, r, s->tolerance, s->tolerances, s->predicted, s->o.seed, score, s->err);
}

static rc_status_t tables_print(rc_study_t *s, rc_study_part_t *p)
{
    rc_study_score_t score;
    const int sets =
        p->paper == 3 ? RC_STUDY_SET_TOP : RC_STUDY_SETS; /* the paper has no top 7 of three */
    for (int set = 0; set < sets; set++)
        for (int m = 0; m < s->models && s->set[set]; m++) {
            RC_PASS(score_one(s, p, (rc_study_set_t)set, s->model[m], &score));
            put_accuracy(s, p, (rc_study_set_t)set, s->model[m], &score);
        }
    return RC_OK;
}

static const rc_study_mode_t rc_study_tables = {.name = "accuracy",
    .models = "cart,svm-nisa,mlp-nisa,xgboost-nisa",
    .tolerances = "0,2,5",
    .three = 1,
    .notes = 1u << 1 | 1u << 3 | 1u << 5,
    .columns = "table|set|model|accuracy:%|low:%|high:%|first:%|",
    .behind = "clear:%|clear_matrices|common:%|slowdown:geomean|fit:s|paper_k80:%|paper_p100:%",
    .print = tables_print};

const rc_summary_t rc_nisa_accuracy_table = {.name = "accuracy",
    .shows = "table-IV table-V table-VI table-VII table-VIII table-IX table-X",
    .summary = "how often models choose the fastest format",
    .fits = &rc_study_tables};

/* ---------------------------------------------------------- tables XI to XIII */

/* Of the first part, which is as large a share as the paper's, or of all five. */
static void put_slowdown(rc_study_t *s, const rc_study_part_t *p, rc_study_set_t set,
    const rc_trainer_t *t, const rc_study_score_t *score, int all)
{
    const char *const key[] = {t->name, rc_study_set_names[set]};
    const char *paper = in_figures[p->type] && !all && p->paper == 6
                            ? rc_paper_line(rc_nisa_slowdown, key, 2)
                            : NULL;
    rc_study_put_part(s, p);
    RC_CELLS(s->t, RC_TEXT(paper ? rc_paper_text(paper, RC_STUDY_SLOWDOWNS) : NULL),
        RC_TEXT(rc_study_set_names[set]), RC_TEXT(t->name), RC_TEXT(all ? "all" : "first"),
        RC_INT(all ? score->accuracy.count : score->accuracy.first_count));
    for (int i = 0; i < RC_STUDY_SLOWDOWNS; i++)
        rc_table_int(s->t, score->slow[all][i]);
    RC_CELLS(s->t, RC_REAL(all ? score->mean.mean.value : score->mean.first, 4),
        RC_REAL(all ? score->geomean.mean.value : score->geomean.first, 4),
        RC_REAL(100 * (all ? score->accuracy.mean.value : score->accuracy.first), 4));
    for (int i = 0; i < RC_STUDY_SLOWDOWNS; i++)
        rc_table_real(s->t, rc_paper_number(paper, i), 3);
}

static rc_status_t slowdown_print(rc_study_t *s, rc_study_part_t *p)
{
    rc_study_score_t score;
    for (int m = 0; m < s->models; m++)
        for (int set = 0; set < RC_STUDY_SETS; set++) {
            if (!s->set[set])
                continue;
            RC_PASS(score_one(s, p, (rc_study_set_t)set, s->model[m], &score));
            for (int all = 0; all < 2; all++)
                put_slowdown(s, p, (rc_study_set_t)set, s->model[m], &score, all);
        }
    return RC_OK;
}

static const rc_study_mode_t rc_study_slowdown = {.name = "slowdown",
    .models = "svm-nisa,ensemble-nisa,xgboost-nisa",
    .tolerances = "0",
    .notes = 1u << 0 | 1u << 1 | 1u << 2,
    .columns = "table|set|model|part|tested|none|over_1|from_1.2|from_1.5|from_2|mean:x|geomean:x|"
               "accuracy:%|paper_none|paper_over_1|paper_from_1.2|paper_from_1.5|paper_from_2",
    .print = slowdown_print};

const rc_summary_t rc_nisa_slowdown_table = {.name = "slowdown",
    .shows = "table-XI table-XII table-XIII",
    .summary = "how many matrices are slowed by how much",
    .fits = &rc_study_slowdown};

/* ------------------------------------------------------------ figures 6 and 7 */

/* 1: a model for each format. */
static int is_individual(const char *model)
{
    size_t n = strlen(model);
    return n > 5 && strcmp(model + n - 5, "-each") == 0;
}

static void put_rme(rc_study_t *s, const rc_study_part_t *p, const rc_trainer_t *t, int c,
    const rc_study_figure_t *time, const rc_study_figure_t *rate, double fit_s)
{
    const char *format = c < p->d.classes ? p->d.cls[c].name : "all";
    rc_study_put_part(s, p);
    RC_CELLS(s->t, RC_TEXT(is_individual(t->name) ? "7" : "6"),
        RC_TEXT(rc_study_set_names[RC_STUDY_SET_3]), RC_TEXT(t->name),
        RC_TEXT(is_individual(t->name) ? "individual" : "combined"), RC_TEXT(format));
    rc_study_put_figure(s, time);
    int is_there = in_figures[p->type] && p->paper == 6; /* figures 6 and 7 */
    RC_CELLS(s->t, RC_REAL(100 * rate->mean.value, 4), RC_REAL(fit_s, 3),
        RC_TEXT(is_there ? rc_paper_says(rc_nisa_words, "rme", NULL, t->name, format) : NULL));
}

static rc_status_t rme_one(rc_study_t *s, rc_study_part_t *p, const rc_trainer_t *t)
{
    const rc_study_run_t *r;
    size_t n = (size_t)p->d.classes + 1;
    rc_study_figure_t *time = rc_alloc(n, sizeof *time, "errors of times", s->err);
    rc_study_figure_t *rate = rc_alloc(n, sizeof *rate, "errors of times", s->err);
    rc_status_t st;
    RC_TRY(time && rate ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_study_fit(s, p, t, RC_STUDY_SET_3, &r));
    RC_TRY(rc_study_rme(&p->d, r, 0, s->o.seed, time, s->err));
    RC_TRY(rc_study_rme(&p->d, r, 1, s->o.seed, rate, s->err));
    for (int c = 0; c <= p->d.classes; c++)
        put_rme(s, p, t, c, &time[c], &rate[c], r->fit_s);
done:
    free(time);
    free(rate);
    return st;
}

static rc_status_t rme_print(rc_study_t *s, rc_study_part_t *p)
{
    for (int m = 0; m < s->models; m++)
        RC_PASS(rme_one(s, p, s->model[m]));
    return RC_OK;
}

const rc_study_mode_t rc_study_rme_mode = {.name = "rme",
    .models = "mlp-nisa-time,ensemble-nisa-time,mlp-nisa-each,ensemble-nisa-each",
    .tolerances = "0",
    .times = 1,
    .notes = 1u << 4,
    .columns = "figure|set|model|fitted|format|rme:%|low:%|high:%|first:%|rme_rate:%|fit:s|paper:%",
    .print = rme_print};

const rc_summary_t rc_nisa_rme_table = {.name = "rme",
    .shows = "figure-6 figure-7",
    .summary = "errors of predicted times, of one model for all formats and of one for each",
    .fits = &rc_study_rme_mode};

/* ------------------------------------------------------------------ table XIV */

static void put_indirect(rc_study_t *s, const rc_study_part_t *p, const rc_trainer_t *t, int times,
    int i, const rc_study_score_t *score)
{
    char tolerance[32];
    const char *const key[] = {t->name, tolerance};
    (void)snprintf(tolerance, sizeof tolerance, "%g", 100 * s->tolerance[i]);
    const char *paper = p->paper == 6 ? rc_paper_line(rc_nisa_indirect, key, 2) : NULL;
    rc_study_put_part(s, p);
    RC_CELLS(s->t, RC_TEXT("XIV"), RC_TEXT(times ? "indirect" : "direct"), RC_TEXT(t->name),
        RC_REAL(100 * s->tolerance[i], 4),
        RC_TEXT(times && s->predicted ? "predicted" : "measured"));
    rc_study_put_figure(s, &score->within[i]);
    RC_CELLS(s->t, RC_REAL(score->geomean.mean.value, 4), RC_REAL(figure_of(paper, K80, p), 3),
        RC_REAL(figure_of(paper, P100, p), 3));
}

static rc_status_t indirect_print(rc_study_t *s, rc_study_part_t *p)
{
    for (int m = 0; m < s->models; m++) {
        const rc_study_run_t *r;
        rc_study_score_t score;
        RC_PASS(rc_study_fit(s, p, s->model[m], RC_STUDY_SET_3, &r));
        const int times = r->p.time != NULL;
        RC_PASS(rc_study_score(&p->d, r, s->tolerance, s->tolerances, times && s->predicted,
            s->o.seed, &score, s->err));
        for (int i = 0; i < s->tolerances; i++)
            put_indirect(s, p, s->model[m], times, i, &score);
    }
    return RC_OK;
}

const rc_study_mode_t rc_study_indirect = {.name = "indirect",
    .models = "xgboost-nisa,ensemble-nisa-time",
    .tolerances = "0,5",
    .times = 1,
    .notes = 1u << 7,
    .columns = "table|method|model|tolerance:%|of|right:%|low:%|high:%|first:%|slowdown:geomean|"
               "paper_k80:%|paper_p100:%",
    .print = indirect_print};

const rc_summary_t rc_nisa_indirect_table = {.name = "indirect",
    .shows = "table-XIV",
    .summary = "choosing the least predicted time against the classifier",
    .fits = &rc_study_indirect};

/* ------------------------------------------------------------ figures 4 and 5 */

/* Of one input over the five training parts. */
typedef struct share {
    double mean;
    double least;
    double most;
    double gain;
    int top; /* parts in which it is one of the most important */
} share_t;

static share_t share_of(const rc_study_ranks_t *r, int input)
{
    share_t x = {.least = INFINITY, .most = -INFINITY};
    for (int f = 0; f < RC_STUDY_FOLDS; f++) {
        double w = r->weight[f * r->inputs + input];
        x.mean += w / RC_STUDY_FOLDS;
        x.gain += r->gain[f * r->inputs + input] / RC_STUDY_FOLDS;
        x.least = fmin(x.least, w);
        x.most = fmax(x.most, w);
        for (int i = 0; i < RC_STUDY_TOP; i++)
            x.top += r->top[f][i] == input;
    }
    return x;
}

static void put_importance(rc_study_t *s, const rc_study_part_t *p, int rank, int input)
{
    static const char *const tables[RC_TYPES] = {[RC_FP32] = "4", [RC_FP64] = "5"};
    const share_t x = share_of(&p->ranks, input);
    const char *name = p->d.input[input].name;
    rc_study_put_part(s, p);
    RC_CELLS(s->t, RC_TEXT(tables[p->type]), RC_TEXT(name), RC_INT(rank + 1),
        RC_REAL(100 * x.mean, 4), RC_REAL(100 * x.least, 4), RC_REAL(100 * x.most, 4),
        RC_REAL(100 * x.gain, 4), RC_INT(x.top));
    rc_paper_put_text(s->t, rc_paper_says(rc_nisa_words, "importance", NULL, name, ""));
}

static rc_status_t importance_print(rc_study_t *s, rc_study_part_t *p)
{
    RC_PASS(rc_study_need_ranks(s, p));
    const int n = p->ranks.inputs;
    double *mean = rc_alloc((size_t)n, sizeof *mean, "importances", s->err);
    RC_PASS(mean ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        mean[i] = share_of(&p->ranks, i).mean;
    for (int rank = 0; rank < n; rank++)
        for (int i = 0; i < n; i++)
            if (rc_importance_rank(mean, n, i) == rank)
                put_importance(s, p, rank, i);
    free(mean);
    return RC_OK;
}

static const rc_study_mode_t rc_study_importance = {.name = "importance",
    .tolerances = "0",
    .notes = 1u << 3,
    .columns = "figure|feature|rank|weight:%|least:%|most:%|gain:%|in_top7:of 5|paper",
    .print = importance_print};

const rc_summary_t rc_nisa_importance_table = {.name = "importance",
    .shows = "figure-4 figure-5",
    .summary = "how important each feature is",
    .fits = &rc_study_importance};
