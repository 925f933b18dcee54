/* Products with plans that a graph holds, by the drop-in with the fakes: which plans it may have, that they stay its own, and that
 * they are right when it runs again.  Run by dropin.t, which preloads the drop-in.  Each case is a process. */
#include "fake_graph.h"
#include "small.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MANY = 40, MOST_IN_GRAPHS = 32 };

/* Graphs keep addresses: nothing of these goes. */
static small_t all[MANY + 4];
static int stream[MANY + 4]; /* what each is to the fake engine */
static int used;

/* A product with a stream of its own, whose pattern no other one has. */
static small_t *fresh(void)
{
    small_t *s = &all[used];
    small_new(s);
    s->idx[0] = used % 3;
    s->idx[1] = used / 3 % 3;
    s->idx[2] = used / 9 % 3;
    s->ptr[1] = 1 + used / 27;
    (void)cusparseSetStream(s->handle, (cudaStream_t)(void *)&stream[used++]);
    return s;
}

static int *stream_of(const small_t *s)
{
    return &stream[s - all];
}

/* A plan is kept.  \return 1: it is */
static int kept(small_t *s)
{
    int there = until_plan(s, 60);
    for (int i = 0; i < 20; i++)
        there = plain(s) == CUSPARSE_STATUS_SUCCESS && there && right(s);
    return until_plan(s, 1) && there;
}

/* A product that is captured.  \return 1: by a plan */
static int captured(small_t *s)
{
    int before = engine()->recorded;
    int wrong;
    *stream_of(s) = 1;
    memset(s->c, 0, sizeof s->c);
    wrong = plain(s) != CUSPARSE_STATUS_SUCCESS || !right(s);
    *stream_of(s) = 0;
    return engine()->recorded > before && !wrong;
}

/* All that was captured. */
static void run_again(void)
{
    static void *graphs[MANY];
    static int count;
    graphs[count++] = fake_graph_take();
    for (int i = 0; i < count; i++)
        fake_graph_run(graphs[i]);
}

static void held(void)
{
    small_t *s = fresh();
    int spmm = 0;
    ok(!captured(s), "a graph has cuSPARSE's product where there is no plan");
    ok(kept(s), "there is a plan");
    spmm = fake_counts()->spmm;
    ok(captured(s) && captured(s), "a graph has it, in each product that it holds");
    ok(fake_counts()->spmm == spmm && engine()->made == 1, "and no other one");
    s->val[0] = 7;
    s->b[1] = -3;
    run_again();
    ok(right(s), "when it runs again the values are new ones");
    int repaired = engine()->repaired;
    s->idx[1] = (s->idx[1] + 1) % 3;
    run_again();
    ok(right(s) && engine()->repaired > repaired, "a pattern that has changed is seen");
    s->idx[1] = (s->idx[1] + 2) % 3;
    run_again();
    ok(right(s), "and that it has changed back");
    ok(engine()->strays == 0 && engine()->plans == 1, "the plan is the graph's alone");
}

static void apart(void)
{
    small_t *s = fresh();
    (void)kept(s);
    ok(captured(s), "a graph has a plan");
    engine()->capture = 2;
    ok(!captured(s), "another one has not that one");
    engine()->capture = 1;
    cusparseHandle_t one = s->handle;
    cusparseHandle_t two = NULL;
    static int other = 1;
    (void)cusparseCreate(&two);
    (void)cusparseSetStream(two, (cudaStream_t)(void *)&other);
    s->handle = two;
    int recorded = engine()->recorded;
    ok(plain(s) == CUSPARSE_STATUS_SUCCESS && right(s) && engine()->recorded == recorded,
        "nor has another stream, which may run beside it");
    s->handle = one;
    int runs = engine()->runs;
    ok(plain(s) == CUSPARSE_STATUS_SUCCESS && right(s) && engine()->runs == runs, "what is not captured is cuSPARSE's again");
    ok(kept(s) && engine()->made == 2 && engine()->plans == 2, "until it has a plan of its own");
    engine()->capture = 3;
    ok(captured(s) && !captured(fresh()), "which the next graph has");
    s->val[2] = 9;
    run_again();
    ok(right(s) && engine()->strays == 0 && engine()->plans == 2, "both are right, and stay");
}

static void refused(void)
{
    small_t *s = fresh();
    (void)kept(s);
    engine()->unended = 1;
    ok(!captured(s), "a plan whose products have not ended is no graph's");
    engine()->unended = 0;
    engine()->capture = 0;
    ok(!captured(s), "nor is one where the capture has no number");
    engine()->capture = 1;
    s->idx[1] = (s->idx[1] + 1) % 3;
    (void)plain(s);
    ok(!captured(s) && right(s), "nor one of a pattern that has changed");
    ok(kept(s), "which gets a plan of its own");
    engine()->run_refuses = 1;
    int spmm = fake_counts()->spmm;
    (void)captured(s);
    (void)captured(s);
    ok(right(s) && fake_counts()->spmm == spmm + 2, "where a plan does not take the operands cuSPARSE does");
    ok(engine()->recorded == 1, "and it is not asked again");
    engine()->run_refuses = 0;
    ok(engine()->strays == 0 && engine()->plans == 1, "what may be in the graph stays");
}

/* The same pattern at two addresses. */
static void shared(void)
{
    small_t *s = fresh();
    small_t *t = fresh();
    static int same;
    memcpy(t->idx, s->idx, sizeof t->idx);
    (void)cusparseSetStream(s->handle, (cudaStream_t)(void *)&same);
    (void)cusparseSetStream(t->handle, (cudaStream_t)(void *)&same);
    (void)kept(s);
    ok(until_plan(t, 60) && engine()->made == 1, "two matrices share a plan");
    for (int i = 0; i < 20; i++)
        (void)plain(t);
    same = 1;
    int recorded = engine()->recorded;
    ok(plain(s) == CUSPARSE_STATUS_SUCCESS && right(s) && engine()->recorded == recorded, "which is no graph's");
    same = 0;
    ok(until_plan(s, 1) && until_plan(t, 1) && engine()->strays == 0, "and stays theirs");
}

/* A plan that is made or tried to take the place of one that a graph has. */
static void better(void)
{
    small_t *s = fresh();
    engine()->tuned_ns = 5e5;
    (void)kept(s);
    for (int i = 0; i < 5000 && engine()->tuned == 0; i++)
        (void)plain(s);
    ok(engine()->tuned == 1 && engine()->plans == 2, "a better plan is tried beside one");
    ok(captured(s) && engine()->strays == 0, "a graph has that one");
    ok(engine()->plans == 1, "and the better one is gone");
    ok(kept(s) && engine()->strays == 0, "what is not captured has another");
}

static void reset(void)
{
    small_t *s = fresh();
    (void)kept(s);
    ok(captured(s), "a graph has a plan");
    engine()->context = 2;
    ok(!captured(s) && engine()->strays == 0, "after a reset of the device nothing is known of it");
    ok(kept(s) && captured(s) && engine()->strays == 0, "and another one has another plan");
}

static void many(void)
{
    int ours = 0;
    int wrong = 0;
    for (int i = 0; i < MANY; i++) {
        small_t *s = fresh();
        wrong += !kept(s);
        engine()->capture = (uint64_t)i + 1;
        ours += captured(s);
        wrong += !right(s);
    }
    ok(ours == MOST_IN_GRAPHS && !wrong, "so many plans may be held by graphs, and no more");
    ok(engine()->plans == MANY && engine()->strays == 0, "the others have their plans as before");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"held", held}, {"apart", apart}, {"refused", refused}, {"shared", shared}, {"better", better},
        {"reset", reset}, {"many", many}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    return ok_end();
}
