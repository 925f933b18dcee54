/* What a report gathers from a store, against a plain computation on random results. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"

#include "analysis/report/headline.h"
#include "store/commit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MATRICES = 9, POLICIES = 4, KERNELS = 3, VENDOR = 2, KS = 3, DEVICES = 2, ROUNDS = 10 };
static const char *const policies[POLICIES] = {"csr", "lpt", "cta", "warp"};
static const char *const kernels[KERNELS] = {"first", "gstat", "cusparse-x"};

/* A case as it is planned and what the store ends up with. */
typedef struct made {
    double ns; /* of the newest; 0 not ok or never measured */
    int64_t order_ns;
    int64_t preprocess_ns;
} made_t;

typedef struct world {
    /* [device][fp64][row order of C][K][kernel][policy][matrix] */
    made_t at[DEVICES][2][2][KS][KERNELS][POLICIES][MATRICES];
    int64_t newest[RC_CASE_STATUSES];
} world_t;

static int64_t k_of(int i, int matrix)
{
    return i == 0 ? 8 : i == 1 ? 32 : 10 * matrix + 10; /* n */
}

static void add_timed(rc_journal_t *j, const rc_case_t *c, int status, const made_t *x)
{
    /* of a third of the cases the median of the samples is not the time: they are not of it */
    int64_t ns = (int64_t)x->ns;
    int64_t sample[3] = {ns + 7, x->preprocess_ns ? ns : ns + 1, ns - 9};
    rc_str_t b = {0};
    rc_rec_result_t r;
    memset(&r, 0, sizeof r);
    r.c = *c;
    r.row.status = status;
    r.row.median_ns = status == RC_CASE_OK ? x->ns : NAN;
    r.row.rel_err = x->order_ns % 5 ? 1e-3 * (double)(x->order_ns % 70) : NAN;
    r.row.order_ns = x->order_ns;
    r.row.preprocess_ns = x->preprocess_ns;
    r.row.reps = status == RC_CASE_OK ? 3 : 0;
    r.row.batch = 1;
    if (status != RC_CASE_OK)
        snprintf(r.text, sizeof r.text, "status %d", status);
    r.sample_ns = sample;
    rc_rec_put(&b, RC_REC_RESULT, &r);
    assert_false(b.failed);
    assert_int_equal(rc_journal_append(j, RC_REC_RESULT, &b, NULL), RC_OK);
    rc_str_free(&b);
}

/* One case of a run: sometimes not measured, sometimes not ok. */
static void roll(rc_journal_t *j, rc_rng_t *r, const rc_case_t *c, int *status, made_t *x)
{
    int what = (int)rc_rng_below(r, 12);
    if (what == 0)
        return;
    /* few values, so that times tie */
    *x = (made_t){50 + 10 * (double)rc_rng_below(r, 20), (int64_t)rc_rng_below(r, 300),
        (int64_t)rc_rng_below(r, 3) * 100};
    *status = what == 1 ? RC_CASE_WRONG : what == 2 ? RC_CASE_FAILED : RC_CASE_OK;
    add_timed(j, c, *status, x);
    if (*status != RC_CASE_OK)
        x->ns = 0;
}

static void fill(void **state, const char *name, rc_rng_t *r, world_t *w, char *store)
{
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_commit_info_t info;
    int *status = calloc(sizeof w->at / sizeof(made_t), sizeof *status);
    assert_non_null(status);
    scratch_path(state, name, store);
    snprintf(dir, sizeof dir, "%s.journal", store);
    mkdir(dir, 0777);
    /* one run: what several make of a time is for the test of the pairing rule */
    rc_rec_run_t rec = make_run(1, 0);
    assert_int_equal(rc_journal_create(dir, &rec, &j, NULL), RC_OK);
    for (int m = 0; m < MATRICES; m++)
        add_source(j, m, RC_CASE_OK, "");
    made_t *x = &w->at[0][0][0][0][0][0][0];
    for (int d = 0; d < DEVICES; d++)
        for (int f = 0; f < 2; f++)
            for (int o = 0; o < 2; o++)
                for (int k = 0; k < KS; k++)
                    for (int n = 0; n < KERNELS; n++)
                        for (int p = 0; p < POLICIES; p++)
                            for (int m = 0; m < MATRICES; m++, x++) {
                                rc_case_t c = make_case(m, policies[p], k_of(k, m));
                                snprintf(c.kernel, sizeof c.kernel, "%s", kernels[n]);
                                snprintf(c.device, sizeof c.device, "cpu:test%d", d);
                                c.precision = f;
                                c.c_order = o;
                                /* the vendor's run other orders only once; csr has no C in
                                 * schedule order; the last device did less */
                                if ((n == 2 && p > 0 && (d == 0 || m < 2)) ||
                                    (o == 1 && (p == 0 || m > 5)) ||
                                    (d == 1 && (f == 1 || o == 1 || k == 0)) ||
                                    (f == 1 && n == 0))
                                    continue;
                                roll(
                                    j, r, &c, &status[x - &w->at[0][0][0][0][0][0][0]], x);
                            }
    rc_journal_close(j);
    for (size_t i = 0; i < sizeof w->at / sizeof(made_t); i++)
        if (status[i])
            w->newest[status[i]]++;
    free(status);
    assert_int_equal(
        rc_commit(store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, NULL), RC_OK);
}

/* Where csr is looked up: it has no C in schedule order. */
static const made_t *at(const world_t *w, const int a[4], int kernel, int policy, int m)
{
    return &w->at[a[0]][a[1]][policy == 0 ? 0 : a[2]][a[3]][kernel][policy][m];
}

static int measured_there(const world_t *w, const int a[4], int m)
{
    int any = 0;
    for (int n = 0; n < KERNELS; n++)
        for (int p = a[2] ? 1 : 0; p < POLICIES; p++)
            any = any || at(w, a, n, p, m)->ns > 0;
    return any;
}

/* Of two kernels with as many results the published one, then the first in the store. */
static int precedes(int n, int best, const int *rank)
{
    int published = strcmp(kernels[n], "gstat") == 0;
    int best_published = strcmp(kernels[best], "gstat") == 0;
    return published != best_published ? published : rank[n] < rank[best];
}

/* -1 when no kernel ran other orders; the order of the store's dictionary breaks ties, which the
 * caller gives. */
static int reference_of(const world_t *w, const int a[4], const int *rank)
{
    int best = -1;
    int best_matrices = 0;
    int best_rows = 0;
    for (int n = 0; n < KERNELS; n++) {
        int matrices = 0;
        int rows = 0;
        for (int m = 0; m < MATRICES; m++) {
            int any = 0;
            for (int p = 1; p < POLICIES; p++)
                any += at(w, a, n, p, m)->ns > 0;
            rows += any;
            matrices += any > 0;
        }
        if (n == 2 && best >= 0)
            continue; /* the vendor's, where there is no other */
        if (matrices > best_matrices ||
            (matrices == best_matrices && matrices &&
                (rows > best_rows || (rows == best_rows && precedes(n, best, rank))))) {
            best = n;
            best_matrices = matrices;
            best_rows = rows;
        }
    }
    return best;
}

/* Fastest over a range of kernels and policies; INFINITY none. */
static double fastest(const world_t *w, const int a[4], int from, int to, int csr_only, int m)
{
    double best = INFINITY;
    for (int n = from; n < to; n++)
        for (int p = 0; p < (csr_only ? 1 : POLICIES); p++) {
            double ns = at(w, a, n, p, m)->ns;
            best = ns > 0 && ns < best ? ns : best;
        }
    return best;
}

static double ns_of(const rc_survey_t *s, int64_t row)
{
    return row < 0 ? INFINITY : rc_view_result(s->view, row)->median_ns;
}

static void check_break_even(const rc_survey_t *s, const rc_survey_pair_t *p)
{
    if (p->row[RC_CHOICE_ALL] < 0 || p->row[RC_CHOICE_CSR] < 0) {
        assert_true(isnan(p->break_even));
        return;
    }
    const rc_row_result_t *b = rc_view_result(s->view, p->row[RC_CHOICE_ALL]);
    const rc_row_result_t *c = rc_view_result(s->view, p->row[RC_CHOICE_CSR]);
    double before = (double)(b->order_ns + b->preprocess_ns);
    double csr = (double)(c->order_ns + c->preprocess_ns);
    double n = p->break_even;
    if (b == c || before <= csr) {
        assert_true(n == 0);
        return;
    }
    const double ours = rc_view_ns(s->view, p->row[RC_CHOICE_ALL]);
    const double theirs = rc_view_ns(s->view, p->row[RC_CHOICE_CSR]);
    assert_true(n >= 1 && n == floor(n));
    assert_true(before + n * ours < csr + n * theirs);
    assert_false(before + (n - 1) * ours < csr + (n - 1) * theirs);
}

static void check_pair(const rc_survey_t *s, const world_t *w, const int a[4], int reference,
    const rc_survey_pair_t *p, int m)
{
    int cases = 0;
    for (int n = 0; n < KERNELS; n++)
        for (int q = 0; q < POLICIES; q++)
            cases += at(w, a, n, q, m)->ns > 0;
    assert_int_equal(p->cases, cases);
    /* the vendor's is no plan, but where there is no other */
    const int alone = s->setting[p->setting].is_vendors;
    const int plans = alone ? KERNELS : VENDOR;
    assert_true(ns_of(s, p->row[RC_CHOICE_ALL]) == fastest(w, a, 0, plans, 0, m));
    assert_true(ns_of(s, p->row[RC_CHOICE_CSR]) == fastest(w, a, 0, plans, 1, m));
    assert_true(ns_of(s, p->row[RC_CHOICE_VENDOR_CSR]) ==
                (alone ? INFINITY : fastest(w, a, VENDOR, KERNELS, 1, m)));
    if (reference >= 0) {
        assert_true(
            ns_of(s, p->row[RC_CHOICE_REFERENCE]) == fastest(w, a, reference, reference + 1, 0, m));
        assert_true(ns_of(s, p->row[RC_CHOICE_REFERENCE_CSR]) ==
                    fastest(w, a, reference, reference + 1, 1, m));
    } else {
        assert_int_equal(p->row[RC_CHOICE_REFERENCE], -1);
        assert_int_equal(p->row[RC_CHOICE_REFERENCE_CSR], -1);
    }
    if (p->row[RC_CHOICE_ALL] >= 0 &&
        ns_of(s, p->row[RC_CHOICE_ALL]) == ns_of(s, p->row[RC_CHOICE_CSR]))
        assert_int_equal(
            p->row[RC_CHOICE_ALL], p->row[RC_CHOICE_CSR]); /* a tie goes to the original order */
    check_break_even(s, p);
}

/* The axes of a setting from a row of it: device, precision, row order of C, K. */
static void axes_of(const rc_survey_t *s, const rc_survey_setting_t *x, int a[4])
{
    const rc_row_result_t *r = rc_view_result(s->view, x->setting.row);
    const char *device = rc_view_device(s->view, r->device);
    assert_string_equal(x->device, device);
    a[0] = device[strlen(device) - 1] - '0';
    a[1] = r->precision;
    a[2] = r->c_order;
    a[3] = x->setting.is_n ? 2 : r->k == 32;
}

static void check_setting(
    const rc_survey_t *s, const world_t *w, const rc_survey_setting_t *x, const int *rank)
{
    int a[4];
    int64_t next = x->first;
    axes_of(s, x, a);
    int reference = reference_of(w, a, rank);
    char expected[64] = "";
    if (reference >= 0)
        snprintf(expected, sizeof expected, "%s:strip=4", kernels[reference]);
    assert_string_equal(x->reference, expected);
    int own = 0;
    for (int m = 0; m < MATRICES; m++)
        own += isfinite(fastest(w, a, 0, VENDOR, 0, m));
    assert_int_equal(x->is_vendors, own == 0);
    for (int m = 0; m < MATRICES; m++) { /* names G/m0 .. G/m8: in order */
        if (!measured_there(w, a, m))
            continue;
        const rc_survey_pair_t *p = &s->pair[next++];
        char name[32];
        snprintf(name, sizeof name, "G/m%d", m);
        assert_string_equal(s->matrix[p->matrix].name, name);
        assert_ptr_equal(&s->setting[p->setting], x);
        check_pair(s, w, a, reference, p, m);
    }
    assert_int_equal(next - x->first, x->pairs);
    assert_int_equal(x->setting.matrices, x->pairs);
}

static void check_rows(const rc_survey_t *s)
{
    int64_t cases = 0;
    for (int64_t i = 0; i < s->pairs; i++)
        cases += s->pair[i].cases;
    assert_int_equal(cases, s->entering);
    for (int64_t i = 0; i < s->entering; i++) {
        const rc_survey_pair_t *p = &s->pair[s->row_pair[i]];
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        assert_ptr_equal(s->matrix[p->matrix].row, rc_view_matrix(s->view, r->matrix));
        assert_true(i == 0 || s->row_pair[i] >= s->row_pair[i - 1]);
        if (i == 0 || s->row_pair[i] != s->row_pair[i - 1])
            continue;
        const rc_row_result_t *q = rc_view_result(s->view, s->rows[i - 1]);
        assert_true(r->kernel > q->kernel || (r->kernel == q->kernel && r->policy > q->policy));
    }
}

static void check_settings(const rc_survey_t *s, const world_t *w, const int *rank)
{
    int found = 0;
    int64_t before = -1;
    for (int d = 0; d < DEVICES; d++)
        for (int f = 0; f < 2; f++)
            for (int o = 0; o < 2; o++)
                for (int k = 0; k < KS; k++) {
                    const int a[4] = {d, f, o, k};
                    int any = 0;
                    for (int m = 0; m < MATRICES; m++)
                        any = any || measured_there(w, a, m);
                    if (!any)
                        continue;
                    int b[4]; /* they come in this order, if the devices came into the store so */
                    axes_of(s, &s->setting[found], b);
                    assert_memory_equal(a, b, sizeof a);
                    assert_int_equal(s->setting[found].first > before, 1);
                    before = s->setting[found].first;
                    check_setting(s, w, &s->setting[found++], rank);
                }
    assert_int_equal(s->settings, found);
    for (int i = 0; i < s->settings; i++)
        for (int k = 0; k < i; k++) {
            assert_string_not_equal(s->setting[i].slug, s->setting[k].slug);
            assert_string_not_equal(s->setting[i].label, s->setting[k].label);
        }
    /* K = n, where there is most */
    assert_true(s->setting[s->main_setting].setting.is_n);
    for (int i = 0; i < s->settings; i++)
        assert_true(!s->setting[i].setting.is_n ||
                    s->setting[i].pairs <= s->setting[s->main_setting].pairs);
}

/* Place of each kernel in the dictionary of the store. */
static void rank_kernels(const rc_view_t *v, int *rank)
{
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        int32_t id = rc_view_result(v, i)->kernel;
        for (int n = 0; n < KERNELS; n++)
            if (strncmp(rc_view_kernel(v, id), kernels[n], strlen(kernels[n])) == 0)
                rank[n] = id;
    }
}

static void a_survey_is_what_a_plain_computation_gives(void **state)
{
    rc_rng_t r;
    rc_rng_seed(&r, 11);
    for (int round = 0; round < ROUNDS; round++) {
        static world_t w;
        char name[32];
        char store[SCRATCH_PATH];
        rc_view_t *v;
        rc_survey_t s;
        int rank[KERNELS] = {0};
        memset(&w, 0, sizeof w);
        snprintf(name, sizeof name, "random%d.h5", round);
        fill(state, name, &r, &w, store);
        assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
        assert_int_equal(rc_survey_make(v, NULL, -1, &s, NULL), RC_OK);
        rank_kernels(v, rank);
        assert_int_equal(s.matrices, MATRICES);
        assert_string_equal(s.matrix[3].kind, "test problem");
        assert_true(fabs(s.matrix[3].density - 40.0 / 1600) < 1e-12);
        check_settings(&s, &w, rank);
        check_rows(&s);
        assert_memory_equal(s.status, w.newest, sizeof w.newest);
        assert_int_equal(s.results, w.newest[RC_CASE_OK]);
        rc_survey_free(&s);
        rc_view_free(v);
    }
}

static void a_filter_takes_rows_and_matrices_out(void **state)
{
    rc_rng_t r;
    static world_t w;
    char store[SCRATCH_PATH];
    rc_view_t *v;
    rc_survey_t s;
    rc_expr_t *e;
    rc_rng_seed(&r, 5);
    fill(state, "filtered.h5", &r, &w, store);
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    assert_int_equal(rc_expr_compile("policy == lpt && k == 8 && rows <= 50 && c_order == original",
                         rc_view_fields.field, rc_view_fields.count, &e, NULL),
        RC_OK);
    assert_int_equal(rc_survey_make(v, e, -1, &s, NULL), RC_OK);
    assert_in_range(s.matrices, 1, 5);
    for (int64_t i = 0; i < s.pairs; i++) {
        assert_int_equal(s.pair[i].row[RC_CHOICE_CSR], -1);
        assert_true(isnan(s.pair[i].break_even));
    }
    for (int64_t i = 0; i < s.entering; i++)
        assert_string_equal(rc_view_policy(v, rc_view_result(v, s.rows[i])->policy), "lpt");
    rc_survey_free(&s);
    rc_expr_free(e);
    assert_int_equal(
        rc_expr_compile("k == 12345", rc_view_fields.field, rc_view_fields.count, &e, NULL), RC_OK);
    assert_int_equal(rc_survey_make(v, e, -1, &s, NULL), RC_OK);
    assert_int_equal(s.settings + s.matrices, 0);
    assert_int_equal(s.main_setting, -1);
    assert_int_equal(s.pairs + s.entering, 0);
    rc_survey_free(&s);
    rc_expr_free(e);
    rc_view_free(v);
}

/* ------------------------------------------------------------- headline */

/* What each choice is among, by the names in the store. */
static int is_among(const rc_survey_t *s, const rc_survey_setting_t *a, int choice,
    const char *reference, int64_t row)
{
    const rc_row_result_t *r = rc_view_result(s->view, row);
    const char *kernel = rc_view_kernel(s->view, r->kernel);
    int csr = strcmp(rc_view_policy(s->view, r->policy), "csr") == 0;
    int of_reference = reference[0] && strcmp(kernel, reference) == 0;
    const int rival = !a->is_vendors && strncmp(kernel, "cusparse", 8) == 0;
    const int among[RC_CHOICES] = {[RC_CHOICE_ALL] = !rival,
        [RC_CHOICE_CSR] = csr && !rival,
        [RC_CHOICE_REFERENCE] = of_reference,
        [RC_CHOICE_REFERENCE_CSR] = of_reference && csr,
        [RC_CHOICE_VENDOR_CSR] = csr && rival};
    return among[choice];
}

/* Mean over the halves of the logarithm of the time of what is the fastest in the other one; NaN:
 * there is nothing to choose. */
static double chosen(const rc_survey_t *s, int64_t pair, int choice)
{
    const rc_survey_setting_t *a = &s->setting[s->pair[pair].setting];
    double least[RC_HALVES];
    double score[RC_HALVES];
    double sum = 0;
    for (int h = 0; h < RC_HALVES; h++) {
        least[h] = INFINITY;
        score[h] = NAN;
    }
    for (int64_t i = 0; i < s->entering; i++) {
        double half[RC_HALVES];
        if (s->row_pair[i] != pair || !is_among(s, a, choice, a->reference, s->rows[i]))
            continue;
        rc_timed_t t = rc_timed_of(s->view, s->rows[i]);
        assert_int_equal(rc_split_half(&t, half, NULL), RC_OK);
        for (int h = 0; h < RC_HALVES; h++)
            if (half[h] < least[h]) {
                least[h] = half[h];
                score[h] = half[h ^ 1];
            }
    }
    for (int h = 0; h < RC_HALVES; h++)
        sum += score[h];
    return sum / RC_HALVES;
}

/* 1: a row of the choice is in another order. */
static int is_reordered(const rc_survey_t *s, int64_t pair, int choice)
{
    const rc_survey_setting_t *a = &s->setting[s->pair[pair].setting];
    int found = 0;
    for (int64_t i = 0; i < s->entering; i++)
        found |= s->row_pair[i] == pair && is_among(s, a, choice, a->reference, s->rows[i]) &&
                 !rc_survey_is_csr(s, s->rows[i]);
    return found;
}

/* What an order gains is of matrices that have another one.  \return 1: the plain figure is another */
static int check_gain(
    const rc_survey_t *s, const rc_survey_setting_t *a, int above, int below, const rc_gain_t *g)
{
    double sum = 0;
    int n = 0;
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        const int of_orders = above != RC_CHOICE_VENDOR_CSR;
        double log = of_orders && !is_reordered(s, i, below)
                         ? NAN
                         : chosen(s, i, above) - chosen(s, i, below);
        sum += isnan(log) ? 0 : log;
        n += !isnan(log);
    }
    assert_int_equal(g->stats.count, n);
    if (n == 0) {
        assert_true(isnan(g->held_out.value) && isnan(g->held_out.low) && isnan(g->held_out.high));
        return 0;
    }
    assert_true(fabs(log(g->held_out.value) - sum / n) < 1e-12);
    assert_true(n == 1 || g->held_out.low <= g->held_out.high);
    return fabs(g->held_out.value - g->stats.geomean) > 1e-3;
}

/* Every gain is of choices that are made in one half and scored in the other, both sides alike. */
static void a_headline_is_held_out(void **state)
{
    static world_t w;
    char store[SCRATCH_PATH];
    rc_rng_t r;
    rc_view_t *v;
    rc_survey_t s;
    rc_held_out_t *held_out;
    rc_headline_t *headline;
    int differ = 0;
    rc_rng_seed(&r, 23);
    fill(state, "headline.h5", &r, &w, store);
    assert_int_equal(rc_view_read_samples(store, &v, NULL), RC_OK);
    assert_int_equal(rc_survey_make(v, NULL, -1, &s, NULL), RC_OK);
    assert_int_equal(rc_headline_held_out(&s, &held_out, NULL), RC_OK);
    assert_int_equal(rc_headline_make(&s, held_out, &headline, NULL), RC_OK);
    for (int i = 0; i < s.settings; i++) {
        const rc_survey_setting_t *a = &s.setting[i];
        const rc_headline_t *h = &headline[i];
        differ += check_gain(&s, a, RC_CHOICE_REFERENCE_CSR, RC_CHOICE_REFERENCE, &h->order);
        differ += check_gain(&s, a, RC_CHOICE_CSR, RC_CHOICE_ALL, &h->plan);
        differ += check_gain(&s, a, RC_CHOICE_VENDOR_CSR, RC_CHOICE_ALL, &h->vendor);
    }
    assert_true(differ > 0); /* else this showed nothing */
    free(headline);
    free(held_out);
    rc_survey_free(&s);
    rc_view_free(v);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_survey_is_what_a_plain_computation_gives),
        cmocka_unit_test(a_filter_takes_rows_and_matrices_out),
        cmocka_unit_test(a_headline_is_held_out),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("survey", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
