#include "config.h"
#include "analysis/papers/hong/hong.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/type.h"
#include "device/limits.h"
#include "operation/operation.h"
#include "table/features_read.h"
#include "table/floor.h"
#include "table/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_head(rc_table_t *t, const rc_lines_of_t *of)
{
    rc_table_text(t, rc_view_name(rc_op_names, of->setting->op));
    rc_hong_put_setting(t, of);
}

/* ----------------------------------------------------------------- roofline */

/* What results are of: the first device, and one that limits of another are not of. */
typedef struct devices {
    const char *first;
    const char *other;
} devices_t;

/* 1: a row with which the line of a matrix is made, as the fastest one. */
static int is_rated(const rc_lines_of_t *of, int64_t i)
{
    return rc_view_flops(of->c->view, of->c->row[i].row) > 0 &&
           rc_segmented_is_in(of->c, of->c->row[i].matrix, (rc_segmented_set_t)of->set);
}

static rc_status_t see_device(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    devices_t *d = of->user;
    const char *device = rc_view_device(of->c->view, of->setting->device);
    (void)t;
    (void)err;
    for (int64_t i = of->from; i < of->to; i = rc_counted_end(of->c, i)) {
        if (!is_rated(of, i))
            continue;
        if (!d->first)
            d->first = device;
        else if (!d->other && strcmp(device, d->first) != 0)
            d->other = device;
    }
    return RC_OK;
}

/* Limits of a file, or of the first device that there are results of; those of one device say
 * nothing of another. */
static rc_status_t read_limits(const rc_summary_options_t *o, rc_limits_t *out, rc_err_t *err)
{
    char device[RC_LIMITS_DEVICE];
    devices_t d = {NULL, NULL};
    static const rc_lines_t lines = {NULL, 0, -1, RC_SEGMENTED_SETS, see_device};
    RC_PASS(rc_lines_print(&lines, &d, o, err));
    rc_status_t st = o->limits ? rc_limits_read(o->limits, out, device, err)
                               : rc_limits_read_of(d.first ? d.first : "", out, device, err);
    if (st < 0)
        return rc_err_context(err, "--limits");
    const char *wrong = d.first && strcmp(d.first, device) != 0 ? d.first : d.other;
    return wrong ? rc_fail(err, RC_EINVAL,
                       "--limits: they are of %s, and there are results of %s: name its file, or "
                       "leave these out with --where",
                       device, wrong)
                 : RC_OK;
}

static double bound_of(const rc_counted_t *c, const rc_counted_row_t *e, double gbs)
{
    const rc_row_matrix_t *m = rc_view_matrix(c->view, e->matrix);
    const rc_row_result_t *r = rc_view_result(c->view, e->row);
    return rc_roofline_bound(
        m->rows, m->cols, m->nnz, r->k > 0 ? r->k : 1, rc_type(r->precision)->bytes, gbs);
}

/* The fastest result of each matrix over what memory allows; beyond that it is from the caches. */
static rc_status_t put_roofline(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const double at_least = 0.8;
    const rc_limits_t *l = of->user;
    /* flops for each byte, where each word is of use for one multiply-add */
    const rc_type_t *type = rc_type((rc_precision_t)of->setting->precision);
    const double words = 2.0 / type->bytes;
    const double multiply_add[RC_TYPES] = {[RC_FP32] = l->fp32, [RC_FP64] = l->fp64};
    rc_sums_t rate = {0};
    rc_sums_t bound = {0};
    rc_stats_t share;
    int64_t near = 0;
    int64_t over = 0;
    (void)err;
    for (int64_t i = of->from; i < of->to; i = rc_counted_end(of->c, i)) {
        const rc_counted_row_t *e = &of->c->row[i]; /* the fastest comes first */
        if (!is_rated(of, i))
            continue;
        const double gflops = rc_view_flops(of->c->view, e->row) / e->ns;
        const double most = bound_of(of->c, e, l->memory);
        near += gflops / most >= at_least;
        over += gflops / most > 1;
        of->scratch[rate.n] = gflops / most;
        rc_sums_add(&rate, gflops);
        rc_sums_add(&bound, most);
    }
    if (rate.n == 0)
        return RC_OK;
    rc_stats_compute(of->scratch, rate.n, &share);
    put_head(t, of);
    RC_CELLS(t, RC_INT(rate.n), RC_REAL(rc_sums_geomean(&rate), 4),
        RC_REAL(rc_sums_geomean(&bound), 4), RC_REAL(bound.most, 4), RC_REAL(share.geomean, 4),
        RC_REAL(share.median, 4), RC_INT(near), RC_INT(over), RC_REAL(words * l->shared, 5),
        RC_REAL(words * l->l1, 5), RC_REAL(multiply_add[type->sum], 5));
    rc_paper_put_text(t, rc_paper_says(rc_hong_words, "roofline", of->setting, "", ""));
    return RC_OK;
}

static rc_status_t print_roofline(const rc_summary_options_t *o, rc_err_t *err)
{
    static const rc_lines_t lines = {
        "op|" RC_HONG_SETTING "matrices|geomean:Gflop/s|bound:Gflop/s, geomean|most_bound:Gflop/s|"
        "share:geomean|median|near:>= .8|over:> 1|shared_limit:Gflop/s|l1_limit:Gflop/s|"
        "peak:Gflop/s|paper:figure 1",
        0, -1, RC_SEGMENTED_SETS, put_roofline};
    rc_limits_t limits = {0};
    RC_PASS(read_limits(o, &limits, err));
    return rc_lines_print(&lines, &limits, o, err);
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

enum { MOST = 16, STEPS = 7 };

/* Who is compared. */
typedef struct contest {
    const char *name[MOST];
    rc_side_t side[MOST];
    int both;         /* 1: there are no sides; both products of contestant i of rc_both_name */
    const char *list; /* of contestants, as the paper has it */
    rc_words_t words;
    int n;
    int square; /* 1: square matrices alone */
} contest_t;

static void contest_free(contest_t *c)
{
    for (int i = 0; i < c->n; i++)
        rc_side_free(&c->side[i]);
    rc_words_free(&c->words);
}

static rc_status_t add_side(contest_t *c, const char *name, const char *side, rc_err_t *err)
{
    if (c->n == MOST)
        return rc_fail(err, RC_EINVAL, "--contestants: expected at most %d", MOST);
    rc_status_t st = rc_side_parse(side, "csr", &c->side[c->n], err);
    if (st < 0)
        return rc_err_context(err, "--contestants");
    c->name[c->n++] = name;
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
        c->both = 1;
        for (; rc_both_name(c->n); c->n++)
            c->name[c->n] = rc_both_name(c->n);
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

/* What a contestant takes on a matrix. */
typedef struct taken {
    double ns;    /* NaN: it has no time */
    int32_t card; /* -1: nobody knows, or it is of two products */
} taken_t;

/* Contestant `who` on the matrix of rows [i, end).  \param[in] at  rows of the transposed product
 * there */
static taken_t time_of(const rc_counted_t *c, const contest_t *contest, int who, int64_t i,
    int64_t end, const int64_t at[2])
{
    const int64_t a[2] = {i, end};
    double bytes;
    if (contest->both)
        return (taken_t){rc_both_time(c, who, a, at, &bytes), -1};
    int64_t row = rc_side_fastest(c, i, end, &contest->side[who]);
    if (row < 0)
        return (taken_t){NAN, -1};
    return (taken_t){rc_view_ns(c->view, row), rc_view_card(c->view, row)};
}

/* A contestant in a setting. */
typedef struct standing {
    rc_sums_t over;        /* its time over the least, where it has one */
    int64_t within[STEPS]; /* matrices within the factor of a step */
    int64_t two_cards;     /* matrices that it was timed on with another card than the fastest */
} standing_t;

/* One matrix, where two contestants or more have a time: one that has none is within no factor. */
static int64_t stand(const taken_t *of, int n, standing_t *x)
{
    static const double steps[STEPS] = {1, 1.1, 1.25, 1.5, 2, 4, 16};
    const double same = 1 + 1e-9; /* of two equal times neither is slower */
    taken_t least = {NAN, -1};
    int timed = 0;
    for (int i = 0; i < n; i++) {
        least = isnan(least.ns) || of[i].ns < least.ns ? of[i] : least;
        timed += !isnan(of[i].ns);
    }
    for (int i = 0; i < n && timed > 1; i++) {
        if (isnan(of[i].ns))
            continue;
        rc_sums_add(&x[i].over, of[i].ns / least.ns);
        x[i].two_cards += !rc_card_fits(of[i].card, least.card);
        for (int s = 0; s < STEPS; s++)
            x[i].within[s] += of[i].ns <= same * steps[s] * least.ns;
    }
    return timed > 1;
}

/* Performance profiles of Dolan and More 2002: the share of the matrices on which a contestant
 * takes at most so many times as long as the fastest. */
static rc_status_t put_profile(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    const contest_t *c = of->user;
    const int other = c->both ? rc_both_setting(of->c, of->setting) : -1;
    standing_t x[MOST] = {{.within = {0}}};
    int64_t matrices = 0;
    (void)err;
    if (c->both && other < 0)
        return RC_OK;
    for (int64_t row = of->from, end; row < of->to; row = end) {
        const rc_row_matrix_t *m = rc_view_matrix(of->c->view, of->c->row[row].matrix);
        taken_t taken[MOST];
        int64_t at[2] = {0, 0};
        end = rc_counted_end(of->c, row);
        if (!rc_hong_counts(of, row) || (c->square && m->rows != m->cols))
            continue;
        if (other >= 0)
            rc_both_rows(of->c, other, of->c->row[row].matrix, at);
        for (int i = 0; i < c->n; i++)
            taken[i] = time_of(of->c, c, i, row, end, at);
        matrices += stand(taken, c->n, x);
    }
    for (int i = 0; i < c->n && matrices > 0; i++) {
        put_head(t, of);
        RC_CELLS(t, RC_TEXT(c->name[i]), RC_INT(matrices), RC_INT(x[i].over.n));
        for (int s = 0; s < STEPS; s++)
            rc_table_real(t, 100 * (double)x[i].within[s] / (double)matrices, 3);
        RC_CELLS(t, RC_REAL(rc_sums_geomean(&x[i].over), 4),
            RC_REAL(c->both ? NAN : (double)x[i].two_cards, 6),
            RC_TEXT(rc_paper_says(rc_hong_words, "profile", of->setting, c->list, c->name[i])));
    }
    return RC_OK;
}

static rc_status_t print_profile(const rc_summary_options_t *o, rc_err_t *err)
{
    static const rc_lines_t lines = {
        "op|" RC_HONG_SETTING "contestant|matrices|measured|fastest:%|within_1.1:%|within_1.25:%|"
        "within_1.5:%|within_2:%|within_4:%|within_16:%|geomean:x the fastest|two_cards|"
        "paper:figures 10 to 15, K = 128",
        0, -1, RC_SEGMENTED_SETS, put_profile};
    contest_t c = {.n = 0};
    rc_status_t st = contest_of(o, &c, err);
    if (st == RC_OK)
        st = rc_lines_print(&lines, &c, o, err);
    contest_free(&c);
    return st;
}

const rc_summary_t rc_summary_hong_profile = {.name = "profile",
    .shows = "figure-10 figure-11 figure-12 figure-14 figure-15",
    .summary = "on what share of the matrices each contestant is within a factor of the fastest",
    .takes = RC_TAKES_CONTESTANTS | RC_TAKES_TUNING,
    .print = print_profile};

/* ------------------------------------------------------------- by a feature */

enum { QUARTERS = 4 };

static const char *feature_of(const rc_summary_options_t *o)
{
    return o->by ? o->by : "heavy_ratio";
}

/* (0.25, 0.5] is 1; 0 is in the first. */
static int quarter_of(double share)
{
    int q = (int)ceil(share * QUARTERS) - 1;
    return q < 0 ? 0 : q;
}

/* A kernel and order in all quarters. */
static void put_quarters(const rc_lines_of_t *of, rc_table_t *t, int variant)
{
    const double *share = of->user;
    const double width = 1.0 / QUARTERS;
    const rc_counted_row_t *own = NULL;
    rc_sums_t rate[QUARTERS] = {{0}};
    int32_t last = -1;
    for (int64_t i = of->from; i < of->to; i++) {
        const rc_counted_row_t *e = &of->c->row[i];
        double flops = rc_view_flops(of->c->view, e->row);
        if (e->variant != variant || e->matrix == last || !rc_hong_counts(of, i) ||
            !(share[e->matrix] >= 0) || !(flops > 0))
            continue; /* of several geometries the fastest comes first */
        own = e;
        last = e->matrix;
        rc_sums_add(&rate[quarter_of(share[e->matrix])], flops / e->ns);
    }
    for (int q = 0; q < QUARTERS && own; q++) {
        const char *kernel = rc_view_kernel(of->c->view, own->kernel);
        if (rate[q].n == 0)
            continue;
        put_head(t, of);
        RC_CELLS(t, RC_TEXT(kernel), RC_TEXT(rc_view_policy(of->c->view, own->policy)),
            RC_REAL(width * q, 3), RC_REAL(width * (q + 1), 3), RC_INT(rate[q].n),
            RC_REAL(rc_sums_geomean(&rate[q]), 4), RC_REAL(rc_sums_mean(&rate[q]), 4),
            RC_REAL(rate[q].most, 4),
            RC_TEXT(
                rc_paper_says(rc_hong_words, "rate-by", of->setting, kernel, feature_of(of->o))));
    }
}

static rc_status_t put_rate_by(const rc_lines_of_t *of, rc_table_t *t, rc_err_t *err)
{
    (void)err;
    for (int variant = 0; variant < of->c->variants; variant++)
        put_quarters(of, t, variant);
    return RC_OK;
}

static rc_status_t print_rate_by(const rc_summary_options_t *o, rc_err_t *err)
{
    static const rc_lines_t lines = {
        "op|" RC_HONG_SETTING "kernel|policy|from:of --by|to|matrices|geomean:Gflop/s|mean:Gflop/s|"
        "max:Gflop/s|paper:figure 16",
        0, -1, RC_SEGMENTED_SETS, put_rate_by};
    double *share = NULL;
    RC_PASS(rc_feature_share(o->view, o->store, feature_of(o), &share, err));
    rc_status_t st = rc_lines_print(&lines, share, o, err);
    free(share);
    return st;
}

const rc_summary_t rc_summary_hong_rate = {.name = "rate",
    .shows = "figure-16",
    .summary = "rates by quarters of a feature that is a share",
    .takes = RC_TAKES_BY | RC_TAKES_TUNING,
    .print = print_rate_by};
