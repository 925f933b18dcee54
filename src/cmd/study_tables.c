/* The tables of a study: what each fits, its lines, and the paper's figures in them. */
#include "config.h"
#include "cmd/nisa_paper.h"
#include "cmd/study_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { K80 = 0, P100 = 2 }; /* columns of the paper's tables, fp64 one further */

static int add_columns(rc_study_t *s, int n, const rc_column_t *more, int count)
{
    memcpy(s->column + n, more, (size_t)count * sizeof *more);
    return n + count;
}
#define ADD(s, n, more) add_columns(s, n, more, (int)(sizeof(more) / sizeof *(more)))

/* What the paper says in %, 0: nothing. */
static void put_paper(rc_study_t *s, double percent)
{
    if (percent > 0)
        rc_table_real(s->t, percent, 3);
    else
        rc_table_missing(s->t);
}

/* ------------------------------------------------------------ tables IV to X */

/* Column of the paper for a trainer, -1: it has none. */
static int paper_model(const char *name)
{
    static const char *const names[RC_PAPER_MODELS] = {"cart", "svm-nisa", "mlp-nisa", "xgboost-nisa"};
    for (int i = 0; i < RC_PAPER_MODELS; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}

static const rc_paper_accuracy_t *paper_table(int formats, rc_study_set_t set)
{
    for (int i = 0; i < RC_PAPER_ACCURACIES; i++)
        if (rc_paper_accuracies[i].formats == formats && strcmp(rc_paper_accuracies[i].set, rc_study_set_names[set]) == 0)
            return &rc_paper_accuracies[i];
    return NULL;
}

static int tables_columns(rc_study_t *s)
{
    static const rc_column_t first[] = {{"table", ""}, {"set", ""}, {"model", ""}};
    static const rc_column_t figures[] = {{"accuracy", "%"}, {"low", "%"}, {"high", "%"}, {"first", "%"}};
    static const rc_column_t last[] = {{"clear", "%"}, {"clear_matrices", ""}, {"common", "%"},
        {"slowdown", "geomean"}, {"fit", "s"}, {"paper_k80", "%"}, {"paper_p100", "%"}};
    int n = rc_study_part_columns(s->column);
    n = ADD(s, n, first);
    n = ADD(s, n, figures);
    for (int t = 0; t < s->tolerances; t++) {
        (void)snprintf(s->within[t], sizeof s->within[t], "within_%g", 100 * s->tolerance[t]);
        s->column[n++] = (rc_column_t){s->within[t], "%"};
    }
    return ADD(s, n, last);
}

static void put_accuracy(rc_study_t *s, const rc_study_part_t *p, rc_study_set_t set, const rc_trainer_t *t,
    const rc_study_score_t *score, double fit_s)
{
    const rc_paper_accuracy_t *paper = paper_table(p->paper, set);
    int model = paper_model(t->name);
    rc_study_put_part(s, p);
    if (paper)
        rc_table_text(s->t, paper->table);
    else
        rc_table_missing(s->t);
    rc_table_text(s->t, rc_study_set_names[set]);
    rc_table_text(s->t, t->name);
    rc_study_put_figure(s, &score->accuracy);
    for (int i = 0; i < s->tolerances; i++)
        rc_table_real(s->t, 100 * score->within[i].mean.value, 4);
    rc_table_real(s->t, 100 * score->clear.mean.value, 4);
    rc_table_int(s->t, score->clear.count);
    rc_table_real(s->t, 100 * score->common.mean.value, 4);
    rc_table_real(s->t, score->geomean.mean.value, 4);
    rc_table_real(s->t, fit_s, 3);
    put_paper(s, paper && model >= 0 ? paper->percent[K80 + p->fp64][model] : 0);
    put_paper(s, paper && model >= 0 ? paper->percent[P100 + p->fp64][model] : 0);
}

static rc_status_t score_one(rc_study_t *s, rc_study_part_t *p, rc_study_set_t set, const rc_trainer_t *t,
    rc_study_score_t *score, double *fit_s)
{
    const rc_study_run_t *r;
    rc_status_t st = rc_study_fit(s, p, t, set, &r);
    if (st == RC_OK)
        st = rc_study_score(&p->d, r, s->tolerance, s->tolerances, s->predicted, s->o.seed, score, s->err);
    *fit_s = r->fit_s;
    return st;
}

static rc_status_t tables_print(rc_study_t *s, rc_study_part_t *p)
{
    rc_study_score_t score;
    double fit_s;
    rc_status_t st = RC_OK;
    int sets = p->paper == 3 ? RC_STUDY_SET_TOP : RC_STUDY_SETS; /* the paper has no top 7 of three */
    for (int set = 0; st == RC_OK && set < sets; set++)
        for (int m = 0; st == RC_OK && m < s->models && s->set[set]; m++) {
            st = score_one(s, p, (rc_study_set_t)set, s->model[m], &score, &fit_s);
            if (st == RC_OK)
                put_accuracy(s, p, (rc_study_set_t)set, s->model[m], &score, fit_s);
        }
    return st;
}

const rc_study_mode_t rc_study_tables = {.option = "--tables",
    .models = "cart,svm-nisa,mlp-nisa,xgboost-nisa",
    .tolerances = "0,2,5",
    .three = 1,
    .notes = 1u << 1 | 1u << 3 | 1u << 5,
    .columns = tables_columns,
    .print = tables_print};

/* ---------------------------------------------------------- tables XI to XIII */

static int slowdown_columns(rc_study_t *s)
{
    static const rc_column_t own[] = {{"table", ""}, {"set", ""}, {"model", ""}, {"part", ""}, {"tested", ""},
        {"none", ""}, {"over_1", ""}, {"from_1.2", ""}, {"from_1.5", ""}, {"from_2", ""}, {"mean", "x"},
        {"geomean", "x"}, {"accuracy", "%"}, {"paper_none", ""}, {"paper_over_1", ""}, {"paper_from_1.2", ""},
        {"paper_from_1.5", ""}, {"paper_from_2", ""}};
    return ADD(s, rc_study_part_columns(s->column), own);
}

/* Of the first part, which is as large a share as the paper's, or of all five. */
static void put_slowdown(rc_study_t *s, const rc_study_part_t *p, rc_study_set_t set, const rc_trainer_t *t,
    const rc_study_score_t *score, int all)
{
    const rc_paper_slowdown_t *paper = NULL;
    for (int i = 0; i < 3 && p->fp64 && !all && p->paper == 6; i++)
        if (strcmp(rc_paper_slowdowns[i].model, t->name) == 0)
            paper = &rc_paper_slowdowns[i];
    rc_study_put_part(s, p);
    if (paper)
        rc_table_text(s->t, paper->table);
    else
        rc_table_missing(s->t);
    rc_table_text(s->t, rc_study_set_names[set]);
    rc_table_text(s->t, t->name);
    rc_table_text(s->t, all ? "all" : "first");
    rc_table_int(s->t, all ? score->accuracy.count : score->accuracy.first_count);
    for (int i = 0; i < RC_STUDY_SLOWDOWNS; i++)
        rc_table_int(s->t, score->slow[all][i]);
    rc_table_real(s->t, all ? score->mean.mean.value : score->mean.first, 4);
    rc_table_real(s->t, all ? score->geomean.mean.value : score->geomean.first, 4);
    rc_table_real(s->t, 100 * (all ? score->accuracy.mean.value : score->accuracy.first), 4);
    for (int i = 0; i < RC_STUDY_SLOWDOWNS; i++)
        put_paper(s, paper ? paper->count[set][i] : 0);
}

static rc_status_t slowdown_print(rc_study_t *s, rc_study_part_t *p)
{
    rc_study_score_t score;
    double fit_s;
    rc_status_t st = RC_OK;
    for (int m = 0; st == RC_OK && m < s->models; m++)
        for (int set = 0; st == RC_OK && set < RC_STUDY_SETS; set++) {
            if (!s->set[set])
                continue;
            st = score_one(s, p, (rc_study_set_t)set, s->model[m], &score, &fit_s);
            for (int all = 0; st == RC_OK && all < 2; all++)
                put_slowdown(s, p, (rc_study_set_t)set, s->model[m], &score, all);
        }
    return st;
}

const rc_study_mode_t rc_study_slowdown = {.option = "--slowdown",
    .models = "svm-nisa,ensemble-nisa,xgboost-nisa",
    .tolerances = "0",
    .notes = 1u << 0 | 1u << 1 | 1u << 2,
    .columns = slowdown_columns,
    .print = slowdown_print};

/* ------------------------------------------------------------ figures 6 and 7 */

/* 1: a model for each format. */
static int is_individual(const char *model)
{
    size_t n = strlen(model);
    return n > 5 && strcmp(model + n - 5, "-each") == 0;
}

/* What the prose says of figures 6 and 7, which are of fp64. */
static const char *paper_rme(const rc_study_part_t *p, const char *model, const char *format)
{
    static const struct {
        int individual;
        const char *format;
        const char *says;
    } table[] = {{0, "all", "12 P100, 10 K80"}, {0, "csr5", "7"}, {0, "merge", "7"}, {1, "csr5", "11-13"},
        {1, "merge", "9-11"}, {1, "csr", "8 P100, 11 K80"}};
    int ours = strcmp(model, "ensemble-nisa-time") == 0 || strcmp(model, "ensemble-nisa-each") == 0;
    for (size_t i = 0; ours && p->fp64 && p->paper == 6 && i < sizeof table / sizeof *table; i++)
        if (table[i].individual == is_individual(model) && strcmp(table[i].format, format) == 0)
            return table[i].says;
    return NULL;
}

static int rme_columns(rc_study_t *s)
{
    static const rc_column_t own[] = {{"figure", ""}, {"set", ""}, {"model", ""}, {"fitted", ""}, {"format", ""},
        {"rme", "%"}, {"low", "%"}, {"high", "%"}, {"first", "%"}, {"rme_rate", "%"}, {"fit", "s"}, {"paper", "%"}};
    return ADD(s, rc_study_part_columns(s->column), own);
}

static void put_rme(rc_study_t *s, const rc_study_part_t *p, const rc_trainer_t *t, int c,
    const rc_study_figure_t *time, const rc_study_figure_t *rate, double fit_s)
{
    const char *format = c < p->d.classes ? p->d.cls[c].name : "all";
    const char *paper = paper_rme(p, t->name, format);
    rc_study_put_part(s, p);
    rc_table_text(s->t, is_individual(t->name) ? "7" : "6");
    rc_table_text(s->t, rc_study_set_names[RC_STUDY_SET_3]);
    rc_table_text(s->t, t->name);
    rc_table_text(s->t, is_individual(t->name) ? "individual" : "combined");
    rc_table_text(s->t, format);
    rc_study_put_figure(s, time);
    rc_table_real(s->t, 100 * rate->mean.value, 4);
    rc_table_real(s->t, fit_s, 3);
    if (paper)
        rc_table_text(s->t, paper);
    else
        rc_table_missing(s->t);
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
    rc_status_t st = RC_OK;
    for (int m = 0; st == RC_OK && m < s->models; m++)
        st = rme_one(s, p, s->model[m]);
    return st;
}

const rc_study_mode_t rc_study_rme_mode = {.option = "--rme",
    .models = "mlp-nisa-time,ensemble-nisa-time,mlp-nisa-each,ensemble-nisa-each",
    .tolerances = "0",
    .times = 1,
    .notes = 1u << 4,
    .columns = rme_columns,
    .print = rme_print};

/* ------------------------------------------------------------------ table XIV */

static int indirect_columns(rc_study_t *s)
{
    static const rc_column_t own[] = {{"table", ""}, {"method", ""}, {"model", ""}, {"tolerance", "%"}, {"of", ""},
        {"right", "%"}, {"low", "%"}, {"high", "%"}, {"first", "%"}, {"slowdown", "geomean"}, {"paper_k80", "%"},
        {"paper_p100", "%"}};
    return ADD(s, rc_study_part_columns(s->column), own);
}

/* Column of table XIV: XGBoost, the ensemble, the ensemble at 5 %; -1. */
static int paper_method(const rc_trainer_t *t, double tolerance)
{
    if (strcmp(t->name, "xgboost-nisa") == 0)
        return tolerance == 0 ? 0 : -1;
    if (strcmp(t->name, "ensemble-nisa-time") != 0)
        return -1;
    return tolerance == 0 ? 1 : tolerance == 0.05 ? 2 : -1;
}

static void put_indirect(rc_study_t *s, const rc_study_part_t *p, const rc_trainer_t *t, int times, int i,
    const rc_study_score_t *score)
{
    int paper = p->paper == 6 ? paper_method(t, s->tolerance[i]) : -1;
    rc_study_put_part(s, p);
    rc_table_text(s->t, "XIV");
    rc_table_text(s->t, times ? "indirect" : "direct");
    rc_table_text(s->t, t->name);
    rc_table_real(s->t, 100 * s->tolerance[i], 4);
    rc_table_text(s->t, times && s->predicted ? "predicted" : "measured");
    rc_study_put_figure(s, &score->within[i]);
    rc_table_real(s->t, score->geomean.mean.value, 4);
    put_paper(s, paper < 0 ? 0 : rc_paper_indirect[K80 + p->fp64][paper]);
    put_paper(s, paper < 0 ? 0 : rc_paper_indirect[P100 + p->fp64][paper]);
}

static rc_status_t indirect_print(rc_study_t *s, rc_study_part_t *p)
{
    rc_status_t st = RC_OK;
    for (int m = 0; st == RC_OK && m < s->models; m++) {
        const rc_study_run_t *r;
        rc_study_score_t score;
        st = rc_study_fit(s, p, s->model[m], RC_STUDY_SET_3, &r);
        int times = r->p.time != NULL;
        if (st == RC_OK)
            st = rc_study_score(&p->d, r, s->tolerance, s->tolerances, times && s->predicted, s->o.seed, &score, s->err);
        for (int i = 0; st == RC_OK && i < s->tolerances; i++)
            put_indirect(s, p, s->model[m], times, i, &score);
    }
    return st;
}

const rc_study_mode_t rc_study_indirect = {.option = "--indirect",
    .models = "xgboost-nisa,ensemble-nisa-time",
    .tolerances = "0,5",
    .times = 1,
    .notes = 1u << 7,
    .columns = indirect_columns,
    .print = indirect_print};

/* ------------------------------------------------------------ figures 4 and 5 */

static int importance_columns(rc_study_t *s)
{
    static const rc_column_t own[] = {{"figure", ""}, {"feature", ""}, {"rank", ""}, {"weight", "%"}, {"least", "%"},
        {"most", "%"}, {"gain", "%"}, {"in_top7", "of 5"}, {"paper", ""}};
    return ADD(s, rc_study_part_columns(s->column), own);
}

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

static int rank_of(const rc_study_ranks_t *r, int input)
{
    double own = share_of(r, input).mean;
    int rank = 1;
    for (int i = 0; i < r->inputs; i++) {
        double other = share_of(r, i).mean;
        rank += other > own || (other == own && i < input);
    }
    return rank;
}

static rc_status_t importance_print(rc_study_t *s, rc_study_part_t *p)
{
    rc_status_t st = rc_study_need_ranks(s, p);
    for (int rank = 1; st == RC_OK && rank <= p->ranks.inputs; rank++)
        for (int i = 0; i < p->ranks.inputs; i++) {
            share_t x = share_of(&p->ranks, i);
            const char *name = p->d.input[i].name;
            if (rank_of(&p->ranks, i) != rank)
                continue;
            rc_study_put_part(s, p);
            rc_table_text(s->t, p->fp64 ? "5" : "4");
            rc_table_text(s->t, name);
            rc_table_int(s->t, rank);
            rc_table_real(s->t, 100 * x.mean, 4);
            rc_table_real(s->t, 100 * x.least, 4);
            rc_table_real(s->t, 100 * x.most, 4);
            rc_table_real(s->t, 100 * x.gain, 4);
            rc_table_int(s->t, x.top);
            rc_table_text(s->t, strcmp(name, "block_count") == 0 ? "one of seven" : "");
        }
    return st;
}

const rc_study_mode_t rc_study_importance = {.option = "--importance",
    .tolerances = "0",
    .notes = 1u << 3,
    .columns = importance_columns,
    .print = importance_print};
