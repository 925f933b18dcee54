/* What a search answers: row orders beside kernels, and on a machine that other programs use, by clocks of the test. */
#include "config.h"
#include "unit.h"

#include "plan/answer.h"
#include "plan/plan_private.h"
#include "plan_small.h"

#include <math.h>
#include <string.h>
#include <time.h>

/* A clock by which orders take other times than the original one. */
typedef struct ordered {
    double times;  /* that of the original order */
    double product; /* ns of that; 0: 1e6 */
    int lies;      /* so many calls of orders, after which they take 2 times that */
    int calls;     /* of orders */
    int steps;     /* of the watch */
    int end;       /* after so many it asks for an end; 0: never */
    int late;      /* so many calls of the original order, which take more before */
    int first;     /* so many calls of orders, which take more before */
    double early;  /* by this factor, both */
    int finals;    /* how often who else is there was looked at anew */
    int others;    /* 1: there are other programs */
} ordered_t;

static rc_status_t ordered_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    ordered_t *c = user;
    const rc_plan_trial_t *trial = *(const rc_plan_trial_t *const *)launch; /* its first member */
    int lies = !trial->problem.identity && c->lies > 0 && --c->lies == 0;
    c->calls += !trial->problem.identity;
    if (lies)
        c->times = 2;
    int *early = trial->problem.identity ? &c->late : &c->first;
    const double more = *early > 0 ? c->early : 1;
    *early -= *early > 0;
    *ns = (int64_t)((c->product > 0 ? c->product : 1e6) * (double)batch * more *
                    (trial->problem.identity ? 1 : c->times));
    return fn(launch, err);
}

static void look_anew(void *user, int anew)
{
    ordered_t *c = user;
    c->finals += anew;
}

static int has_no_others(void *user)
{
    return !((ordered_t *)user)->others;
}

static int watch_steps(void *user, const rc_plan_candidate_t *next, int timed)
{
    ordered_t *c = user;
    assert_true(timed >= 0);
    c->steps += next != NULL;
    return c->end > 0 && c->steps > c->end;
}

static void a_search_answers(void **state)
{
    (void)state;
    static const struct {
        ordered_t clock;
        const char *sentence;
        int timed; /* at least */
    } cases[] = {{{.times = 0.5}, "Reorder by ", 4}, {{.times = 2}, "Keep the order: ", 4},
        {{.times = 0.5, .lies = 35}, "Keep the order: ", 4}, {{.times = 1, .end = 1}, "Keep the order: ", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ordered_t clock = cases[i].clock;
        fixture_t *f = begin();
        f->place.time = ordered_time;
        f->place.user = f->place.watcher = &clock;
        f->place.watch = watch_steps;
        f->p.ks = 1;
        rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.tune = RC_PLAN_SEARCH, .threads = 1, .tune_ns = INT64_MAX / 4});
        rc_plan_answer_t a;
        int timed = 0;
        assert_int_equal(rc_plan_answer(plan, 0, &a, NULL), RC_OK);
        assert_int_equal(strncmp(a.sentence, cases[i].sentence, strlen(cases[i].sentence)), 0);
        assert_true(a.row[0].chosen && clock.steps > 0);
        for (int j = 0; j < a.rows; j++)
            timed += !isnan(a.row[j].time_ns);
        assert_in_range(timed, cases[i].timed, a.rows);
        rc_plan_answer_free(&a);
        rc_plan_free(plan);
    }
}

/* 1: a search by such a clock reorders.  \param[out] beside  how many were timed in turns with the choice in the end */
static int reorders(ordered_t *clock, int *beside)
{
    fixture_t *f = begin();
    f->place.time = ordered_time;
    f->place.user = clock;
    f->p.ks = 1;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.tune = RC_PLAN_SEARCH, .threads = 1, .tune_ns = INT64_MAX / 4, .reuse = 1e12});
    rc_plan_part_t part;
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    const int other = strcmp(part.candidate[part.chosen].order, "csr") != 0;
    rc_plan_answer_t a;
    assert_int_equal(rc_plan_answer(plan, 0, &a, NULL), RC_OK);
    *beside = 0;
    for (int i = 0; i < a.rows; i++) {
        *beside += a.row[i].again;
        assert_int_equal(isnan(a.row[i].pays_after), !a.row[i].again); /* others do not compare */
    }
    rc_plan_answer_free(&a);
    rc_plan_free(plan);
    return other;
}

/* A gain that is gone in the last calls of an order: a slight one is held against that order prepared anew, others are
 * not. */
static void a_slight_gain_is_measured_anew(void **state)
{
    (void)state;
    enum { LAST = 28 };
    static const struct {
        double times;
        double product;
        int kept; /* 1: the gain is gone */
    } cases[] = {{0.9, 2e4, 1}, {0.8, 5e4, 1}, {0.9, 2e5, 1}, {0.7, 2e6, 1}, {0.6, 2e4, 0}, {0.6, 2e5, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ordered_t clock = {.times = cases[i].times, .product = cases[i].product};
        int beside = 0;
        assert_true(reorders(&clock, &beside)); /* what stays is chosen */
        assert_int_equal(beside == 3, cases[i].kept);
        clock = (ordered_t){.times = cases[i].times, .product = cases[i].product, .lies = clock.calls - LAST};
        assert_int_equal(reorders(&clock, &beside), !cases[i].kept);
    }
}

/* Without a search, too: the original order was slow when it was timed, and is not any more, or the other one when it
 * began.  A slight gain is held against that order prepared anew, and a very slight one is none. */
static void an_order_of_a_few_candidates_is_confirmed(void **state)
{
    (void)state;
    static const struct {
        ordered_t clock;
        const char *order;
        int again; /* as of a timing */
    } cases[] = {{{.times = 1, .product = 3e5, .late = 12, .early = 1.2}, "csr", 1},
        {{.times = 0.8, .product = 3e5}, "random:seed=1", 2}, {{.times = 0.985, .product = 3e5}, "csr", 0},
        {{.times = 0.92, .product = 3e5}, "random:seed=1", 2}, {{.times = 0.92, .product = 3e5, .others = 1}, "csr", 1},
        {{.times = 0.8, .product = 3e5, .others = 1}, "random:seed=1", 2},
        {{.times = 0.5, .product = 3e5, .late = 12, .early = 1.2}, "random:seed=1", 1},
        {{.times = 2, .product = 3e5, .late = 4, .early = 60}, "csr", 1},
        {{.times = 0.5, .product = 3e5, .first = 2, .early = 60}, "random:seed=1", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ordered_t clock = cases[i].clock;
        fixture_t *f = begin();
        f->place.time = ordered_time;
        f->place.user = &clock;
        f->place.unsteady = 1;
        f->place.look = look_anew;
        f->place.alone = has_no_others;
        f->p.ks = 1;
        rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.tune = 4, .tune_ns = INT64_MAX / 4, .kernels = "rowsplit", .orders = "csr,random"});
        rc_plan_part_t part;
        assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
        assert_string_equal(part.candidate[part.chosen].order, cases[i].order);
        assert_int_equal(plan->entry[0].timing[part.chosen].again, cases[i].again);
        assert_int_equal(clock.finals, cases[i].again);
        rc_plan_free(plan);
    }
}

/* Where no candidate has the original order none is held against it. */
static void an_order_that_has_no_other_is_not_confirmed(void **state)
{
    (void)state;
    ordered_t clock = {.times = 1, .product = 3e5, .first = 12, .early = 1.2};
    fixture_t *f = begin();
    f->place.time = ordered_time;
    f->place.user = &clock;
    f->place.unsteady = 1;
    f->p.ks = 1;
    rc_plan_t *plan = plan_of(
        f, &(rc_plan_options_t){.tune = 4, .tune_ns = INT64_MAX / 4, .kernels = "serial-row,rowsplit", .orders = "random,lpt"});
    rc_plan_part_t part;
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    for (int i = 0; i < part.candidates; i++)
        assert_int_equal(plan->entry[0].timing[i].again, 0);
    rc_plan_free(plan);
}

/* A machine on which building an order is slow the first time, and which sees how often a candidate is prepared. */
typedef struct sluggish {
    rc_executor_t x; /* that of a plan */
    void (*release)(rc_executor_t *x, void *p);
    int first;     /* 1: no order was built since a candidate was asked for */
    int prepares;  /* 1: nothing was timed since then */
    int slow;      /* how many were slow */
    int tried;     /* how many candidates were timed */
    int given_up;  /* how many of those were prepared before, and that was released */
    int is_second; /* 1: that is so of the one that is prepared now */
    int runs;      /* batches */
    int woken;     /* 1: after the first batch of all the candidate was prepared again */
} sluggish_t;

enum { SLUGGISH_MS = 100 };

static void sluggish_release(rc_executor_t *x, void *p)
{
    sluggish_t *s = (sluggish_t *)x; /* its first member */
    s->is_second |= s->prepares && p;
    s->woken |= s->runs == 1 && p;
    s->release(x, p);
}

/* Asked before a candidate, and while its order is built. */
static int sluggish_watch(void *user, const rc_plan_candidate_t *next, int timed)
{
    sluggish_t *s = user;
    (void)timed;
    if (next) {
        s->first = s->prepares = 1;
        s->is_second = 0;
    } else if (s->first) {
        nanosleep(&(struct timespec){.tv_nsec = SLUGGISH_MS * 1000000L}, NULL);
        s->slow++;
        s->first = 0;
    }
    return 0;
}

static rc_status_t sluggish_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    sluggish_t *s = user;
    s->runs++;
    s->tried += s->prepares;
    s->given_up += s->prepares && s->is_second;
    s->first = s->prepares = 0;
    *ns = 1000000 * batch;
    return fn(launch, err);
}

/* What is cheap to make is made again: the first time takes longer than any other. */
static void the_first_time_does_not_count(void **state)
{
    (void)state;
    fixture_t *f = begin();
    sluggish_t s = {.x = f->x, .release = f->x.release};
    s.x.release = sluggish_release;
    f->place.x = &s.x;
    f->place.time = sluggish_time;
    f->place.watch = sluggish_watch;
    f->place.user = f->place.watcher = &s;
    f->p.ks = 1;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.tune = RC_PLAN_SEARCH, .threads = 1, .tune_ns = INT64_MAX / 4});
    rc_plan_part_t part;
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_true(s.slow > 0 && s.tried > 1 && s.woken);
    assert_in_range(s.given_up, s.tried / 2, s.tried); /* a kernel may keep nothing */
    for (int i = 0; i < part.candidates; i++)
        if (part.candidate[i].order_ns >= SLUGGISH_MS * 1e6)
            fail_msg("order %s: %g ns", part.candidate[i].order, part.candidate[i].order_ns);
    rc_plan_free(plan);
}

/* A clock beside other programs: most batches take many times as long, and none of them less. */
typedef struct crowd {
    rc_rng_t rng;
    double alone;  /* share of the batches that meet none */
    double orders; /* times what the original order takes */
    double slice;  /* what the others take is this; 0: two times as long and up to 42 */
    double row;    /* batches in a row that meet some or none, in the mean; 0: each by itself */
    int met;       /* 1: the last batch met some */
    int each;      /* one batch in so many meets none; 0: as `alone` says */
    int batches;
    int unseen; /* 1: who looks sees none */
} crowd_t;

static int sees_none(void *user)
{
    return ((const crowd_t *)user)->unseen;
}

/* Whether the next batch meets none. */
static int is_alone(crowd_t *c)
{
    if (c->each > 0)
        return c->batches++ % c->each == 0;
    if (c->row == 0 || rc_rng_unit(&c->rng) < 1 / c->row)
        c->met = rc_rng_unit(&c->rng) >= c->alone;
    return !c->met;
}

static rc_status_t crowded_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    crowd_t *c = user;
    const rc_plan_trial_t *trial = *(const rc_plan_trial_t *const *)launch; /* its first member */
    double product = strncmp(trial->spec.kernel->name, "serial-", 7) == 0 ? 1e6 : 1e5;
    product *= trial->problem.identity ? 1 : c->orders;
    double longer = is_alone(c) ? 1 + 0.02 * rc_rng_unit(&c->rng)
                    : c->slice > 0 ? c->slice * (1 + 0.02 * rc_rng_unit(&c->rng))
                                   : 2 + 40 * rc_rng_unit(&c->rng);
    *ns = (int64_t)(product * longer * (double)batch);
    return fn(launch, err);
}

/* A search by such a clock. */
static rc_plan_t *searched_beside(crowd_t *clock, uint64_t seed, rc_plan_answer_t *answer)
{
    rc_rng_seed(&clock->rng, seed);
    fixture_t *f = begin();
    f->place.time = crowded_time;
    f->place.alone = sees_none;
    f->place.user = clock;
    f->p.ks = 1;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.tune = RC_PLAN_SEARCH, .threads = 1, .tune_ns = INT64_MAX / 4});
    assert_int_equal(rc_plan_answer(plan, 0, answer, NULL), RC_OK);
    return plan;
}

/* What is ten times as fast is found there, and no order that is not faster. */
static void other_programs_hide_little(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rc_plan_answer_t a;
        rc_plan_t *plan = searched_beside(&(crowd_t){.alone = 0.4, .orders = 1}, seed, &a);
        if (a.row[0].baseline || strcmp(a.row[0].order, "csr") != 0 || !(fabs(a.row[0].time_ns / 1e5 - 1) < 0.1))
            fail_msg("seed %d: %s", (int)seed, a.sentence);
        rc_plan_answer_free(&a);
        rc_plan_free(plan);
    }
}

/* Where hardly a batch meets none, errors are many times the times.  What is ten times as fast is found all the same, an
 * order that takes half is, and one that takes as long is not. */
static void errors_of_many_times_hide_no_more(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (int faster = 0; faster < 2; faster++) {
            rc_plan_answer_t a;
            rc_plan_t *plan = searched_beside(&(crowd_t){.alone = 0.05, .orders = faster ? 0.5 : 1}, seed, &a);
            if (a.row[0].baseline || (strcmp(a.row[0].order, "csr") != 0) != faster)
                fail_msg("seed %d: %s", (int)seed, a.sentence);
            rc_plan_answer_free(&a);
            rc_plan_free(plan);
        }
}

/* Nor does a time that most batches agree on, as those do that end with a slice of the scheduler, make what met fewer of
 * them faster. */
static void most_batches_may_agree_on_too_much(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        rc_plan_answer_t a;
        rc_plan_t *plan = searched_beside(&(crowd_t){.alone = 0.45, .orders = 1, .slice = 4}, seed, &a);
        if (strcmp(a.row[0].order, "csr") != 0 || !(fabs(a.row[0].time_ns / 1e5 - 1) < 0.1))
            fail_msg("seed %d: %s", (int)seed, a.sentence);
        rc_plan_answer_free(&a);
        rc_plan_free(plan);
    }
}

/* But where nobody else was seen what most batches take is what products take. */
static void without_others_most_batches_tell(void **state)
{
    (void)state;
    for (int unseen = 0; unseen < 2; unseen++) {
        rc_plan_answer_t a;
        rc_plan_t *plan = searched_beside(&(crowd_t){.each = 4, .orders = 1.3, .slice = 1.4, .unseen = unseen}, 1, &a);
        if (strcmp(a.row[0].order, "csr") != 0 || !(fabs(a.row[0].time_ns / 1e5 - (unseen ? 1.4 : 1)) < 0.1))
            fail_msg("%d: %s", unseen, a.sentence);
        rc_plan_answer_free(&a);
        rc_plan_free(plan);
    }
}

/* What disturbs some batches in a row, which are of one candidate, makes no other one faster. */
static void batches_in_a_row_choose_nothing_slower(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        rc_plan_answer_t a;
        rc_plan_t *plan = searched_beside(&(crowd_t){.alone = 0.6, .orders = 1.3, .slice = 3, .row = 5}, seed, &a);
        if (strcmp(a.row[0].order, "csr") != 0)
            fail_msg("seed %d: %s", (int)seed, a.sentence);
        rc_plan_answer_free(&a);
        rc_plan_free(plan);
    }
}

/* A machine on which who follows a loop of one thread takes longer, all of its turn: another program has its CPU. */
typedef struct displaced {
    const rc_kernel_t *kernel; /* of the last product */
    int order;                 /* likewise */
    int after;                 /* 1: before its turn was that of a loop of one thread */
} displaced_t;

static rc_status_t displaced_time(
    void *user, rc_launch_fn *fn, void *launch, int64_t batch, int64_t *ns, rc_err_t *err)
{
    displaced_t *c = user;
    const rc_plan_trial_t *trial = *(const rc_plan_trial_t *const *)launch; /* its first member */
    const rc_kernel_t *kernel = trial->spec.kernel;
    const int alone = strncmp(kernel->name, "serial-", 7) == 0;
    if (c->kernel && (kernel != c->kernel || trial->order != c->order))
        c->after = strncmp(c->kernel->name, "serial-", 7) == 0;
    c->kernel = kernel;
    c->order = trial->order;
    *ns = (int64_t)((alone ? 1e6 : c->after ? 2e5 : 1e5) * (double)batch);
    return fn(launch, err);
}

/* What follows another in each turn is not slower for that. */
static void who_goes_before_chooses_nothing(void **state)
{
    (void)state;
    displaced_t clock = {NULL, 0, 0};
    fixture_t *f = begin();
    f->place.time = displaced_time;
    f->place.user = &clock;
    f->p.ks = 1;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.tune = RC_PLAN_SEARCH, .threads = 1, .tune_ns = INT64_MAX / 4, .reuse = 1e12});
    rc_plan_answer_t a;
    assert_int_equal(rc_plan_answer(plan, 0, &a, NULL), RC_OK);
    if (strcmp(a.row[0].order, "csr") != 0 || !(fabs(a.row[0].time_ns / 1e5 - 1) < 0.01))
        fail_msg("%s", a.sentence);
    rc_plan_answer_free(&a);
    rc_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_answers),
        cmocka_unit_test(a_slight_gain_is_measured_anew),
        cmocka_unit_test(an_order_of_a_few_candidates_is_confirmed),
        cmocka_unit_test(an_order_that_has_no_other_is_not_confirmed),
        cmocka_unit_test(the_first_time_does_not_count),
        cmocka_unit_test(other_programs_hide_little),
        cmocka_unit_test(errors_of_many_times_hide_no_more),
        cmocka_unit_test(most_batches_may_agree_on_too_much),
        cmocka_unit_test(without_others_most_batches_tell),
        cmocka_unit_test(batches_in_a_row_choose_nothing_slower),
        cmocka_unit_test(who_goes_before_chooses_nothing),
    };
    return cmocka_run_group_tests_name("plan_search", tests, NULL, NULL);
}
