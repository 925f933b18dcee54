#include "config.h"
#include "analysis/papers/hong/hong.h"
#include "base/error.h"
#include "base/type.h"
#include "device/limits.h"
#include "operation/operation.h"
#include "table/profile.h"
#include "table/rate_by.h"
#include "table/roofline.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS(list) (int)(sizeof(list) / sizeof *(list))

/* ----------------------------------------------------------------- roofline */

/* Limits of one device say nothing of another. */
static rc_status_t check_device(
    const rc_view_t *v, const rc_roofline_t *r, int n, const char *device, rc_err_t *err)
{
    for (int i = 0; i < n; i++)
        if (strcmp(rc_view_device(v, r[i].setting.device), device) != 0)
            return rc_fail(err, RC_EINVAL,
                "--limits: they are of %s, and there are results of %s: name its file, or leave "
                "these out with --where",
                device, rc_view_device(v, r[i].setting.device));
    return RC_OK;
}

/* Those of a file, or of the first device that there are results of. */
static rc_status_t read_limits(const rc_view_t *v, const char *word, const rc_expr_t *where,
    rc_limits_t *out, char device[RC_LIMITS_DEVICE], rc_err_t *err)
{
    rc_roofline_t *r = NULL;
    int n = 0;
    RC_PASS(word ? RC_OK : rc_roofline_make(v, where, 1, &r, &n, err));
    rc_status_t st = word ? rc_limits_read(word, out, device, err)
                          : rc_limits_read_of(n > 0 ? rc_view_device(v, r[0].setting.device) : "",
                                out, device, err);
    free(r);
    return st < 0 ? rc_err_context(err, "--limits") : RC_OK;
}

static void put_roofline(
    rc_table_t *t, const rc_view_t *v, const rc_roofline_t *r, const rc_limits_t *l)
{
    /* flops for each byte, where each word is of use for one multiply-add */
    const int bytes = rc_type((rc_precision_t)r->setting.precision)->bytes;
    const double words = 2.0 / bytes;
    rc_table_text(t, rc_view_name(rc_op_names, r->setting.op));
    rc_hong_put_setting(t, v, &r->setting, r->set);
    RC_CELLS(t, RC_INT(r->matrices), RC_REAL(r->gflops, 4), RC_REAL(r->bound, 4),
        RC_REAL(r->most, 4), RC_REAL(r->share, 4), RC_REAL(r->median, 4), RC_INT(r->near),
        RC_INT(r->over), RC_REAL(words * l->shared, 5), RC_REAL(words * l->l1, 5),
        RC_REAL(bytes == 8 ? l->fp64 : l->fp32, 5));
    rc_table_text(
        t, rc_paper_text(rc_paper_says(rc_hong_words, "roofline", &r->setting, "", ""), 0));
}

static rc_status_t print_roofline(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"op", ""}, RC_HONG_SETTING, {"matrices", ""},
        {"geomean", "Gflop/s"}, {"bound", "Gflop/s, geomean"}, {"most_bound", "Gflop/s"},
        {"share", "geomean"}, {"median", ""}, {"near", ">= .8"}, {"over", "> 1"},
        {"shared_limit", "Gflop/s"}, {"l1_limit", "Gflop/s"}, {"peak", "Gflop/s"},
        {"paper", "figure 1"}};
    char device[RC_LIMITS_DEVICE];
    rc_limits_t limits = {0};
    rc_roofline_t *r = NULL;
    int n = 0;
    rc_table_t *t = NULL;
    rc_status_t st = read_limits(v, o->limits, where, &limits, device, err);
    if (st < 0)
        return st;
    RC_TRY(rc_roofline_make(v, where, limits.memory, &r, &n, err));
    RC_TRY(check_device(v, r, n, device, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        put_roofline(t, v, &r[i], &limits);
    st = rc_table_end(t, err);
done:
    free(r);
    return st;
}

const rc_summary_t rc_summary_hong_roofline = {.name = "roofline",
    .shows = "figure-1",
    .summary = "the fastest kernel over what memory allows",
    .takes = RC_TAKES_LIMITS,
    .print = print_roofline};

/* ----------------------------------------------------------------- profiles */

/* A list of contestants that has a name, of an operation. */
typedef struct known {
    const char *name;
    rc_op_t op;
    int square;
    const char *list; /* as the paper's words have it */
    struct {
        const char *name;
        const char *side;
    } who[5];
} known_t;

#define RS "rs:*:t=0:cfv=0:*"
static const known_t known[] = {
    {"all", RC_OP_SPMM, 0, "all",
        {{"rs", RS}, {"column-major", "cusparse-csr-col"}, {"op_B = T", "cusparse-csr-bt-ccol"},
            {"cusparse", "cusparse-*"}}},
    {"iterated", RC_OP_SPMM, 1, "iterated",
        {{"rs", RS}, {"column-major", "cusparse-csr-col"},
            {"op_B = T and a transpose", "cusparse-csr-bt-turned"},
            {"cusparse", "cusparse-csr-*"}}},
    {"loops", RC_OP_SPMM, 0, "loops",
        {{"rs", RS}, {"loop of cuSPARSE", "loop-spmv:kernel=cusparse-csr*"},
            {"loop of merge", "loop-spmv:kernel=merge*"},
            {"loop of csr5", "loop-spmv:kernel=csr5*"}}},
    {"all", RC_OP_SPMM_T, 0, "transposed",
        {{"rs", "rs-spmm_t:*:t=0:cfv=0:*"},
            {"op_A = T", "cusparse-spmm_t-csr-*,cusparse-spmm_t-coo-*"},
            {"cusparse on a copy", "cusparse-spmm_t-copy-*"},
            {"growmajor on a copy", "growmajor-spmm_t"}}},
};

/* Who is compared, and what that needs. */
typedef struct contest {
    rc_contestant_t who[RC_CONTEST_MAX];
    const char *list; /* of contestants, as the paper has it */
    rc_side_t side[RC_CONTEST_MAX];
    rc_words_t words;
    int n;
    int square;
} contest_t;

static void contest_free(contest_t *c)
{
    for (int i = 0; i < c->n; i++)
        rc_side_free(&c->side[i]);
    rc_words_free(&c->words);
}

static rc_status_t add_side(contest_t *c, const char *name, const char *side, rc_err_t *err)
{
    if (c->n == RC_CONTEST_MAX)
        return rc_fail(err, RC_EINVAL, "--contestants: expected at most %d", RC_CONTEST_MAX);
    rc_status_t st = rc_side_parse(side, "csr", &c->side[c->n], err);
    if (st < 0)
        return rc_err_context(err, "--contestants");
    c->who[c->n] = (rc_contestant_t){.name = name, .side = &c->side[c->n]};
    c->n++;
    return RC_OK;
}

/* The list of a name, of the operation that --op says (spmm where it says nothing). */
static rc_status_t add_known(
    contest_t *c, const char *name, const char *op, int *found, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known && !*found; i++) {
        if (strcmp(known[i].name, name) != 0 ||
            strcmp(rc_op_name(known[i].op), op ? op : "spmm") != 0)
            continue;
        *found = 1;
        c->square = known[i].square;
        c->list = known[i].list;
        for (int w = 0; known[i].who[w].name && st == RC_OK; w++)
            st = add_side(c, known[i].who[w].name, known[i].who[w].side, err);
    }
    return st;
}

static rc_status_t contest_of(const rc_summary_options_t *o, contest_t *c, rc_err_t *err)
{
    const char *name = o->contestants ? o->contestants : "all";
    int found = 0;
    c->list = "";
    if (o->op && strcmp(o->op, "both") == 0) {
        if (o->contestants)
            return rc_fail(err, RC_EINVAL, "--contestants: --op both has contestants of its own");
        c->list = "both";
        for (; rc_both_name(c->n); c->n++)
            c->who[c->n] = (rc_contestant_t){.name = rc_both_name(c->n), .both = c->n};
        return RC_OK;
    }
    rc_status_t st = add_known(c, name, o->op, &found, err);
    if (st < 0 || found)
        return st;
    st = rc_words_split(name, ';', &c->words, err);
    for (int i = 0; i < c->words.count && st == RC_OK; i++)
        st = add_side(c, c->words.word[i], c->words.word[i], err);
    if (st == RC_OK && c->n < 2)
        st = rc_fail(err, RC_EINVAL,
            "--contestants: expected all, iterated or loops (of spmm), all (of spmm_t), or two "
            "sides KERNELS[@ORDERS] and more with ';' between, found '%s'",
            name);
    return st;
}

static void put_profile(
    rc_table_t *t, const rc_view_t *v, const contest_t *c, const rc_contest_t *p)
{
    rc_table_text(t, rc_view_name(rc_op_names, p->setting.op));
    rc_hong_put_setting(t, v, &p->setting, p->set);
    RC_CELLS(t, RC_TEXT(p->contestant), RC_INT(p->matrices), RC_INT(p->measured));
    for (int s = 0; s < RC_CONTEST_STEPS; s++)
        rc_table_real(t, 100 * (double)p->within[s] / (double)p->matrices, 3);
    rc_table_real(t, p->geomean, 4);
    rc_paper_put(t, rc_paper_says(rc_hong_words, "profile", &p->setting, c->list, p->contestant));
}

static rc_status_t print_profile(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"op", ""}, RC_HONG_SETTING, {"contestant", ""},
        {"matrices", ""}, {"measured", ""}, {"fastest", "%"}, {"within_1.1", "%"},
        {"within_1.25", "%"}, {"within_1.5", "%"}, {"within_2", "%"}, {"within_4", "%"},
        {"within_16", "%"}, {"geomean", "x the fastest"}, {"paper", "figures 10 to 15, K = 128"}};
    contest_t c = {.n = 0};
    rc_contest_t *p = NULL;
    rc_table_t *t = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(contest_of(o, &c, err));
    RC_TRY(rc_contest_make(v, where, c.who, c.n, c.square, &p, &n, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++) /* whole groups of contestants */
        put_profile(t, v, &c, &p[i]);
    st = rc_table_end(t, err);
done:
    free(p);
    contest_free(&c);
    return st;
}

const rc_summary_t rc_summary_hong_profile = {.name = "profile",
    .shows = "figure-10 figure-11 figure-12 figure-14 figure-15",
    .summary = "on what share of the matrices each contestant is within a factor of the fastest",
    .takes = RC_TAKES_CONTESTANTS | RC_TAKES_TUNING,
    .print = print_profile};

/* ------------------------------------------------------------- by a feature */

static rc_status_t print_rate_by(const rc_view_t *v, const rc_summary_options_t *o,
    const rc_expr_t *where, rc_table_format_t format, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"op", ""}, RC_HONG_SETTING, {"kernel", ""},
        {"policy", ""}, {"from", "of --by"}, {"to", ""}, {"matrices", ""}, {"geomean", "Gflop/s"},
        {"mean", "Gflop/s"}, {"max", "Gflop/s"}, {"paper", "figure 16"}};
    const char *by = o->by ? o->by : "heavy_ratio";
    const double width = 1.0 / RC_QUARTERS;
    rc_rate_by_t *r = NULL;
    rc_table_t *t = NULL;
    double *share = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(rc_feature_share(v, o->store, by, &share, err));
    RC_TRY(rc_rate_by_make(v, where, share, &r, &n, err));
    t = rc_table_begin(stdout, format, columns, COLUMNS(columns), err);
    RC_TRY(t ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++) {
        rc_table_text(t, rc_view_name(rc_op_names, r[i].setting.op));
        rc_hong_put_setting(t, v, &r[i].setting, r[i].set);
        RC_CELLS(t, RC_TEXT(r[i].kernel), RC_TEXT(r[i].policy), RC_REAL(width * r[i].quarter, 3),
            RC_REAL(width * (r[i].quarter + 1), 3), RC_INT(r[i].matrices),
            RC_REAL(r[i].gflops_geomean, 4), RC_REAL(r[i].gflops_mean, 4),
            RC_REAL(r[i].gflops_max, 4));
        rc_paper_put(t, rc_paper_says(rc_hong_words, "rate-by", &r[i].setting, r[i].kernel, by));
    }
    st = rc_table_end(t, err);
done:
    free(r);
    free(share);
    return st;
}

const rc_summary_t rc_summary_hong_rate = {.name = "rate",
    .shows = "figure-16",
    .summary = "rates by quarters of a feature that is a share",
    .takes = RC_TAKES_BY | RC_TAKES_TUNING,
    .print = print_rate_by};
