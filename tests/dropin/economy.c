/* Programs of products on a clock of their own: what the drop-in costs them and brings.  Run by economy.t, which preloads
 * the drop-in.
 *   economy epochs         programs that train for a number of epochs
 *   economy fleeting       patterns that never come back
 *   economy changing       a pattern that changes from call to call
 *   economy crowd          a pattern that comes back, among many that do not
 *   economy better         a tuned plan takes the place of the first, where it is faster
 *   economy saved          what it says that it saved, beside what it did
 *   economy slowed         likewise of a kernel that becomes slow
 *   economy turned         and of one that cuSPARSE overtakes by little
 *   economy tried          likewise of one that is tried
 *   economy loading        likewise that it spent
 *   economy again          prints when plans came, for runs with a folder of choices
 *   economy cold           first products of a pattern that are slow
 *   economy vectors        products with a vector, by kernels that need no making
 *   economy solvers        likewise, by kernels that are little faster, of few and of many products
 *   economy random [PROGRAMS [SEED]]   the first rule: no program is slower than 0.98
 *   economy random-vectors [PROGRAMS [SEED]]   likewise of products with a vector
 * Each program is a process, since a process has one drop-in. */
#include "small.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATTERNS = 1000 };

/* A program, and the outcome. */
typedef struct program {
    uint64_t seed;
    int patterns;
    long calls;        /* of all patterns */
    int burst;         /* calls of a pattern one after the other */
    double before;     /* seconds until the first product */
    double product_ns; /* by cuSPARSE, of the middle pattern */
    double spread;     /* products are between that over this and that times this */
    double gain[2];    /* cuSPARSE's time over a plan's; 0: it differs from pattern to pattern */
    double make_s;     /* making a first plan; the first of all takes 10 ms more */
    double doubt;      /* that over this to that times this */
    double tuned;      /* a plan's time over a tuned one's */
    int lag;
    double cold;  /* times that the first five products of a pattern take longer; 0: none does */
    int changing; /* calls after which a pattern changes; 0: none does */
    double host_s[2]; /* that the program's host takes for a call, by cuSPARSE and by a plan, while the stream works */
    int unsuited;    /* number, from 1, of the one that does not suit; 0: none */
    double second_s; /* what the second of these is said to take before it runs */
    double load_s[2]; /* loading the first kernel on the program's arrays, and another one */
    double ways[2]; /* cuSPARSE's time over that of each kernel on the program's arrays; 0: these are products with a matrix */
    int slow_at;    /* call from which the first of them is slower; 0: none */
    double slow;    /* cuSPARSE's time over its time then */
    int crowd;    /* calls of others after each one of the first pattern; 0: all take turns */
    /* the outcome */
    double plain_s;
    double with_s;
    int first_plan; /* call of the first product by a plan; 0: none */
    int wrong;
    fake_engine_t engine;
} program_t;

static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 0 .. 1 */
static double part(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

/* Between both, as likely to be in each tenfold. */
static double between(uint64_t *state, double least, double most)
{
    return least * pow(most / least, part(state));
}

typedef struct pattern {
    small_t s;
    double product_ns;
    double gain;
    double make_s;
    int calls;
} pattern_t;

static pattern_t *pattern_at(program_t *p, pattern_t **all, int i)
{
    if (all[i])
        return all[i];
    uint64_t state = p->seed + 1000003u * (uint64_t)i;
    pattern_t *x = all[i] = calloc(1, sizeof *x);
    if (!x)
        exit(99);
    small_new(&x->s);
    /* patterns are not the same */
    x->s.idx[1] = i % 2;
    x->s.idx[0] = i / 2 % 3;
    x->product_ns = p->product_ns * between(&state, 1 / p->spread, p->spread);
    x->gain = p->gain[0] > 0 ? between(&state, p->gain[0], p->gain[1]) : between(&state, 0.8, 3);
    x->make_s = p->make_s * between(&state, 1 / p->doubt, p->doubt);
    return x;
}

/* One call, and what it takes. */
static void multiply(program_t *p, pattern_t *x, int call)
{
    fake_engine_t *e = engine();
    int runs = e->runs;
    e->calls = call;
    e->other_ns = x->product_ns * (p->cold > 0 && x->calls++ < 5 ? p->cold : 1);
    e->plan_ns = e->other_ns / x->gain;
    e->tuned_ns = e->plan_ns / p->tuned;
    e->extra_ns = 0.05 * x->product_ns + 3000;
    e->make_s[0] = x->make_s + (e->made == 0 ? 10e-3 * x->make_s / p->make_s : 0);
    e->direct_s = p->second_s;
    e->unsuited = p->unsuited;
    e->load_s[0] = p->load_s[0];
    e->load_s[1] = p->load_s[1];
    e->make_s[1] = (3e-3 + 40e-9 * x->product_ns) * x->make_s / p->make_s;
    if (p->changing)
        x->s.idx[2] = call / p->changing % 3;
    if (p->ways[0] > 0) {
        for (int i = 0; i < 2; i++)
            e->direct_ns[i] = e->other_ns / (i == 0 && p->slow_at > 0 && call >= p->slow_at ? p->slow : p->ways[i]);
        p->wrong += vector(&x->s) != CUSPARSE_STATUS_SUCCESS || !right_vector(&x->s);
    } else
        p->wrong += plain(&x->s) != CUSPARSE_STATUS_SUCCESS || !right(&x->s);
    while (e->copies > e->plans)
        (void)sched_yield(); /* one is made beside the program, on whose clock it is as well */
    e->idle = p->host_s[0] > 0;
    e->clock = e->clock + fmax(1e-9 * (e->runs == runs ? e->other_ns : e->last_ns), p->host_s[e->runs > runs]);
    p->plain_s += fmax(1e-9 * e->other_ns, p->host_s[0]);
    if (e->runs > runs && p->first_plan == 0)
        p->first_plan = call + 1;
}

/* The pattern of a call. */
static int index_of(const program_t *p, long call)
{
    /* what has come back once is remembered among more */
    int crowd = call < 20L * 101 && p->crowd > 100 ? 100 : p->crowd;
    if (crowd > 0)
        return call % (crowd + 1) == 0 ? 0 : (int)(1 + call % (p->patterns - 1));
    return (int)(call / (p->burst > 0 ? p->burst : 1) % p->patterns);
}

static void simulate(program_t *p)
{
    static pattern_t *all[PATTERNS];
    fake_engine_t *e = engine();
    e->clock = p->before;
    e->lag = p->lag;
    p->plain_s = p->before;
    for (long i = 0; i < p->calls; i++)
        multiply(p, pattern_at(p, all, index_of(p, i)), (int)i);
    p->with_s = e->clock;
    p->engine = *e;
}

/* In a process of its own. */
static program_t run(program_t p)
{
    int status = -1;
    program_t *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        exit(99);
    *shared = p;
    (void)fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        simulate(shared);
        exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        exit(99);
    program_t out = *shared;
    (void)munmap(shared, sizeof *shared);
    return out;
}

static double ratio(const program_t *p)
{
    return p->plain_s / p->with_s;
}

static program_t usual(void)
{
    return (program_t){.seed = 1,
        .patterns = 1,
        .calls = 200,
        .before = 3,
        .product_ns = 1.2e6,
        .spread = 1,
        .gain = {2, 2},
        .make_s = 0.25e-3,
        .doubt = 1,
        .tuned = 1,
        .load_s = {7e-3, .1e-3}};
}

static void say(const program_t *p, const char *name)
{
    printf("# %s: %.4f s alone, %.4f with, %.4f; first plan in call %d, %d made, %d of them tuned\n", name, p->plain_s,
        p->with_s, ratio(p), p->first_plan, p->engine.made, p->engine.tuned);
}

static void epochs(void)
{
    char name[100];
    static const int counts[] = {50, 200, 600};
    for (int i = 0; i < 3; i++) {
        program_t p = usual();
        p.patterns = 4;
        p.calls = 4L * counts[i];
        p = run(p);
        say(&p, "epochs");
        (void)snprintf(name, sizeof name, "%d epochs of four products begin at once and win", counts[i]);
        ok(p.first_plan <= 20 && !p.wrong && ratio(&p) > 1 && p.engine.made >= 4, name);
    }
    program_t p = usual();
    p.patterns = 4;
    p.calls = 800;
    p.lag = 40;
    p = run(p);
    say(&p, "ahead");
    ok(ratio(&p) > 1.05 && !p.wrong, "a program that is ten epochs ahead of its stream wins as well");
    p = usual();
    p.patterns = 7; /* the last one is the first, at another address */
    p.calls = 650;
    p = run(p);
    say(&p, "two alike");
    ok(p.engine.made == 6 && !p.wrong, "a pattern at two addresses has one plan, also where both come in turns");
    p = usual();
    p.calls = 20;
    p = run(p);
    ok(p.first_plan > 0 && p.first_plan <= 5, "a pattern has its plan within five calls");
    p = usual();
    p.calls = 1000;
    p.product_ns = 3000;
    p = run(p);
    ok(p.first_plan > 100 && p.first_plan < 500, "one of small products when they would have won it");
    p = usual();
    p.calls = 1;
    p = run(p);
    ok(p.engine.made == 0 && p.engine.summed == 0 && p.engine.marked == 0, "one that is used once costs nothing");
    p = usual();
    p.gain[0] = p.gain[1] = 0.8;
    p = run(p);
    say(&p, "slower");
    ok(p.engine.made == 1 && p.engine.runs <= 3, "a plan that is slower runs three times");
    p = usual();
    p.before = 1e-6;
    p.calls = 5000;
    p = run(p);
    say(&p, "no time before");
    ok(p.first_plan > 1000 && p.engine.runs > 3000, "a program that has just begun waits for its share");
}

static void fleeting(void)
{
    program_t p = usual();
    p.patterns = PATTERNS;
    p.calls = PATTERNS;
    p = run(p);
    ok(p.engine.made + p.engine.summed + p.engine.marked + p.engine.copied == 0 && p.engine.runs == 0,
        "1,000 patterns that are used once cost nothing");
    for (int burst = 2; burst <= 6; burst += 2) {
        p = usual();
        p.product_ns = 1e5;
        p.patterns = PATTERNS;
        p.burst = burst;
        p.calls = (long)burst * PATTERNS;
        p = run(p);
        say(&p, "fleeting");
        printf("# %d marks, %d sums\n", p.engine.marked, p.engine.summed);
        ok(p.engine.marked <= 2 * 16 * burst * burst && p.engine.made == 0,
            "patterns of a few calls are looked at less and less");
    }
}

static void changing(void)
{
    for (int every = 1; every <= 16; every *= 4) {
        program_t p = usual();
        p.changing = every;
        p.calls = 2000;
        p = run(p);
        say(&p, "changing");
        printf("# %d copies, %d refused, %d repaired\n", p.engine.copied, p.engine.changed, p.engine.repaired);
        ok(p.engine.copied - p.engine.repaired <= 3 && !p.wrong && ratio(&p) > 0.99,
            "a pattern that changes is copied three times at most");
        ok(p.engine.repaired <= (every == 1 ? 0 : 3), "and a plan of another one hardly runs");
    }
}

/* The pattern of the evaluation, among those of batches. */
static void crowd(void)
{
    program_t p = usual();
    p.patterns = PATTERNS;
    p.crowd = 300;
    p.calls = 301L * 200;
    p = run(p);
    say(&p, "crowd");
    ok(p.engine.made == 1 && p.engine.runs > 100, "a pattern that comes back among many that do not keeps its plan");
}

static void better(void)
{
    program_t p = usual();
    p.calls = 20000;
    p.tuned = 1.3;
    p = run(p);
    say(&p, "better");
    ok(p.engine.may_ns > 0 && p.engine.may_ns <= 1.6e8, "timing may take three times what is expected of it");
    ok(p.engine.tuned == 1 && ratio(&p) > 2.1, "a tuned plan takes the place of the first");
    p = usual();
    p.calls = 20000;
    p.tuned = 0.9;
    p = run(p);
    say(&p, "no better");
    ok(p.engine.tuned == 1 && ratio(&p) > 1.75, "not where it is no faster");
    p = usual();
    p.calls = 200;
    p = run(p);
    ok(p.engine.tuned == 0, "nor is it made for few calls");
}

/* Their times say nothing of later ones. */
static void cold(void)
{
    program_t p = usual();
    p.gain[0] = p.gain[1] = 0.8;
    p.cold = 2;
    p.calls = 400;
    p = run(p);
    say(&p, "cold");
    ok(p.engine.made == 1 && p.engine.runs <= 8 && ratio(&p) > 0.99, "a plan is held against products of the same time");
}

static void saved(void)
{
    program_t p = usual();
    p.calls = 1000;
    p.tuned = 3;
    p = run(p);
    say(&p, "saved");
    double making = 0.25e-3 + 10e-3 + 3e-3 + 40e-9 * p.product_ns;
    printf("# saved %.1f ms\n", 1e3 * (p.plain_s - p.with_s + making));
    ok(p.engine.tuned == 1, "two plans save time");
}

/* A program whose host is the bound has no use of a plan, and keeps it only where that costs nothing. */
static void host(void)
{
    program_t p = usual();
    p.calls = 2000;
    p.product_ns = 0.15e6;
    p.host_s[0] = p.host_s[1] = 2.5e-3;
    program_t same = run(p);
    p.host_s[1] = 2.75e-3;
    program_t slow = run(p);
    printf("# host: %d products by a plan, %d where it is slower, %.4f\n", same.engine.runs, slow.engine.runs, ratio(&slow));
    ok(same.engine.runs > 1900 && slow.engine.runs > 10 && slow.engine.runs < 60 && ratio(&slow) > 0.98 && !slow.wrong,
        "a plan that makes the host slower goes");
}

/* For two runs with one folder of choices. */
static void again(void)
{
    program_t p = usual();
    p.calls = 20000;
    p.tuned = 1.3;
    p = run(p);
    printf("# again: plan in call %d, %d made, %d tuned, %d named\n", p.first_plan, p.engine.made, p.engine.tuned,
        p.engine.named);
    ok(!p.wrong, "a program with a folder of choices");
}

static program_t any(uint64_t seed)
{
    uint64_t s = seed;
    program_t p = {.seed = seed,
        .patterns = (int)between(&s, 1, PATTERNS + 0.5),
        .calls = (long)between(&s, 1, 1e4),
        .before = between(&s, 1e-6, 20),
        .product_ns = between(&s, 5e3, 1e7),
        .spread = between(&s, 1, 5),
        .make_s = 0.25e-3, /* as expected, times what is in doubt */
        .doubt = between(&s, 1, 3),
        .tuned = between(&s, 0.8, 1.5),
        .lag = part(&s) < 0.5 ? 0 : (int)between(&s, 1, 200),
        .changing = part(&s) < 0.8 ? 0 : (int)between(&s, 1, 1000)};
    p.burst = part(&s) < 0.5 ? 1 : (int)between(&s, 1, 100);
    if (part(&s) < 0.5)
        p.gain[0] = p.gain[1] = between(&s, 0.8, 3);
    return p;
}

static program_t any_vectors(uint64_t seed)
{
    program_t p = any(seed);
    uint64_t s = seed + 7;
    p.product_ns = between(&s, 2e3, 1e6);
    p.load_s[0] = 7e-3;
    p.load_s[1] = .1e-3;
    for (int i = 0; i < 2; i++)
        p.ways[i] = between(&s, 0.5, 3);
    return p;
}

/* A solver on one matrix, or on several in turns. */
static program_t solver(double product_ns, long calls, double first, double second)
{
    program_t p = usual();
    p.calls = calls;
    p.product_ns = product_ns;
    p.ways[0] = first;
    p.ways[1] = second;
    return p;
}

static void vectors(void)
{
    program_t p = run(solver(1e5, 4000, 2, 1));
    say(&p, "vectors");
    ok(p.first_plan > 600 && p.first_plan <= 700 && !p.wrong && ratio(&p) > 1 && p.engine.directs > 3150,
        "a solver has a kernel when its products would have won what loading takes");
    ok(p.engine.made + p.engine.copied + p.engine.summed == 0, "nothing is made for it");
    p = solver(1e5, 2400, 2, 1);
    p.patterns = 2;
    p.burst = 1200;
    p = run(p);
    say(&p, "one after the other");
    ok(p.engine.directs > 1400 && !p.wrong, "another matrix has one soon, as that is loaded");
    p = run(solver(1e5, 2000, 0.5, 0.5));
    say(&p, "slower vectors");
    ok(p.engine.directs > 0 && p.engine.directs <= 8 && !p.wrong, "kernels that are slower run a few times");
    p = run(solver(1e5, 2400, 0.5, 2));
    ok(p.engine.directs > 1400 && !p.wrong, "the second is taken where the first is slower");
}

/* The solver's own time alone over that with the drop-in: what came before it is another program's. */
static double ratio_of_solver(const program_t *p)
{
    return (p->plain_s - p->before) / (p->with_s - p->before);
}

/* Solvers of products of 47 us, by kernels that are a little faster. */
static void solvers(void)
{
    program_t p = solver(47e3, 600, 1.12, 1.05);
    for (int patterns = 1; patterns <= 2; patterns++) {
        p.patterns = patterns;
        p.before = 0.8;
        program_t out = run(p);
        say(&out, "a short solver");
        ok(ratio_of_solver(&out) > 0.98 && !out.wrong, "one of 600 products loses nothing, however long the program was there before");
    }
    p.patterns = 1;
    p.calls = 650;
    program_t out = run(p);
    ok(out.engine.directs == 0 && out.engine.streams < 650 / 3, "most calls of a short one ask CUDA for nothing");
    out = solver(12e3, 11000, 1.3, 1.4);
    out.before = 2;
    out.second_s = 10e-3;
    out = run(out);
    ok(out.engine.directs > 3000 && out.engine.way == 0, "a kernel that costs more than it can win is not tried");
    out = solver(12e3, 8000, 1.3, 1.4);
    out.second_s = 10;
    out.unsuited = 1;
    out = run(out);
    ok(out.engine.directs == 0, "nor where the first does not suit");
    p.calls = 20000;
    p = run(p);
    say(&p, "a long solver");
    printf("# %.4f of its own time\n", ratio_of_solver(&p));
    ok(ratio_of_solver(&p) > 1.05 && !p.wrong, "one of 20,000 gains");
}

/* The second kernel of a solver of few products is slow. */
static void tried(void)
{
    program_t p = run(solver(1e6, 400, 2, 0.2));
    say(&p, "tried");
    printf("# saved %.1f ms\n", 1e3 * (p.plain_s - p.with_s + p.load_s[0] + p.load_s[1]));
    ok(!p.wrong && ratio(&p) > 0.98, "a solver loses little by a kernel that is tried");
}

/* Both kernels of a solver are loaded: what that took of the host is said to be spent. */
static void loading(void)
{
    program_t p = solver(1e5, 4000, 2, 3);
    p.load_s[0] = 20e-3;
    p.load_s[1] = 30e-3;
    p = run(p);
    say(&p, "loading");
    ok(p.engine.way == 1 && !p.wrong, "a solver has the second kernel");
}

/* The pattern of a solver becomes one that its kernel is slow for. */
static void slowed(void)
{
    program_t p = solver(1e5, 4000, 2, 1);
    p.slow_at = 2100;
    p.slow = 0.125;
    p = run(p);
    say(&p, "slowed");
    printf("# saved %.1f ms\n", 1e3 * (p.plain_s - p.with_s + p.load_s[0] + p.load_s[1]));
    ok(!p.wrong && ratio(&p) > 1, "a solver whose kernel becomes slow has won");
}

/* One that is a little faster than cuSPARSE becomes a little slower: it goes, however near it is to what it was. */
static void turned(void)
{
    program_t p = solver(1e5, 20000, 1.15, 0.5);
    p.slow_at = 8000;
    p.slow = 0.93;
    p = run(p);
    say(&p, "turned");
    ok(p.engine.directs > 1000 && p.engine.directs < 8200 && !p.wrong && ratio(&p) > 1, "a kernel that cuSPARSE overtakes goes");
}

static int random_programs(int programs, uint64_t seed, program_t (*draw)(uint64_t seed))
{
    double worst = 1e9;
    double logs = 0;
    int slow = 0;
    int wrong = 0;
    for (int i = 0; i < programs; i++) {
        program_t p = run(draw(seed + (uint64_t)i));
        worst = ratio(&p) < worst ? ratio(&p) : worst;
        logs += log(ratio(&p));
        wrong += p.wrong;
        if (ratio(&p) < 0.98 && slow++ < 10) {
            printf("# seed %llu: %d patterns, %ld calls, %.3g s before, products of %.3g ns, gain %.2f, making %.3g s "
                   "times %.2f, lag %d, changing %d\n",
                (unsigned long long)p.seed, p.patterns, p.calls, p.before, p.product_ns, p.gain[0], p.make_s, p.doubt, p.lag, p.changing);
            say(&p, "slow");
        }
    }
    printf("# %d programs: the slowest %.4f, geomean %.4f\n", programs, worst, exp(logs / programs));
    ok(slow == 0 && wrong == 0, "no program is slower than 0.98");
    return slow;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "epochs") == 0)
        epochs();
    else if (strcmp(what, "fleeting") == 0)
        fleeting();
    else if (strcmp(what, "changing") == 0)
        changing();
    else if (strcmp(what, "crowd") == 0)
        crowd();
    else if (strcmp(what, "better") == 0)
        better();
    else if (strcmp(what, "cold") == 0)
        cold();
    else if (strcmp(what, "host") == 0)
        host();
    else if (strcmp(what, "saved") == 0)
        saved();
    else if (strcmp(what, "slowed") == 0)
        slowed();
    else if (strcmp(what, "turned") == 0)
        turned();
    else if (strcmp(what, "tried") == 0)
        tried();
    else if (strcmp(what, "again") == 0)
        again();
    else if (strcmp(what, "vectors") == 0)
        vectors();
    else if (strcmp(what, "loading") == 0)
        loading();
    else if (strcmp(what, "solvers") == 0)
        solvers();
    else
        (void)random_programs(argc > 2 ? atoi(argv[2]) : 200, argc > 3 ? strtoull(argv[3], NULL, 10) : 1,
            strcmp(what, "random-vectors") == 0 ? any_vectors : any);
    return ok_end();
}
