/* An engine of host memory: a plan multiplies by the pattern that it copied, so that a drop-in that trusts too much is
 * wrong. */
#include "fake_engine.h"
#include "fake_graph.h"
#include "device/cuda/data_type.h"
#include "dropin/engine.h"
#include "values.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct copy {
    rc_asked_t p;
    int64_t *ptr;
    int64_t *idx;
    int device;
} copy_t;

enum { WAYS = 2 };

typedef struct plan {
    copy_t *copy; /* NULL: it multiplies by the program's arrays */
    int way;      /* which of these */
    int device;
    int context;
    int tuned;
    uint64_t equal;
    uint64_t differs;
    uint64_t other_equal;
    uint64_t other_differs;
    uint64_t graph; /* 0: none holds it */
    void *stream;   /* that it was captured on */
} plan_t;

/* A product in a graph. */
typedef struct recorded {
    plan_t *plan;
    rc_asked_t p;
    uint64_t number;
} recorded_t;

typedef struct marks {
    int context;
    int at;    /* runs at the first mark, calls at the second */
    double ns; /* of the last one */
} marks_t;

typedef struct sum {
    int context;
    rc_pattern_sums_t sums; /* or the longest row, as its columns */
} sum_t;

static fake_engine_t fake = {.context = 1, .capture = 1, .plan_ns = 1e6, .other_ns = 2e6};
static struct past {
    int tuned;    /* 1: the last plan that ran was tuned */
    int direct;   /* 1: it was a kernel on the program's arrays */
    int loaded[WAYS]; /* 1: it has run */
    double began; /* of the system's clock */
} past;

fake_engine_t *fake_engine(void)
{
    return &fake;
}

static int64_t integer(const void *p, int bytes, int64_t i)
{
    return bytes == 4 ? ((const int32_t *)p)[i] : ((const int64_t *)p)[i];
}

/* What is of an earlier context is there no more. */
static void use(int context)
{
    fake.strays += context != fake.context;
}

static int stream_of(void *stream, int *device, uint64_t *context)
{
    fake.streams++;
    *device = fake.device;
    *context = (uint64_t)fake.context;
    return fake_graph_captures(stream) ? 1 : stream && *(const int *)stream == 2 ? -1 : 0;
}

static int device_name(int device, char *name)
{
    (void)snprintf(name, RC_ENGINE_TEXT, "fake %d", device);
    return 0;
}

static double now(void)
{
    struct timespec t;
    fake.timed++;
    if (fake.clock > 0)
        return fake.clock;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    double s = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    past.began = past.began > 0 ? past.began : s - 1e-3;
    return s - past.began;
}

static void pass(double s)
{
    if (fake.clock > 0)
        fake.clock = fake.clock + s;
}

static uint64_t mixed(uint64_t place, uint64_t number)
{
    uint64_t x = number + place * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    return x ^ (x >> 27);
}

static rc_pattern_sums_t sums_of(const rc_plan_matrix_t *a)
{
    rc_pattern_sums_t s = {1, 1};
    for (int64_t i = 0; i < rc_view_pointers(a); i++)
        s.pointers += mixed((uint64_t)i, (uint64_t)integer(a->row_ptr, a->row_ptr_bytes, i));
    for (int64_t i = 0; i < a->nnz; i++)
        s.columns += mixed((uint64_t)i, (uint64_t)integer(a->col_idx, a->col_idx_bytes, i));
    return s;
}

static void *sum(const rc_asked_t *p)
{
    sum_t *s = calloc(1, sizeof *s);
    if (s)
        *s = (sum_t){fake.context, sums_of(&p->a)};
    fake.summed++;
    fake.strays += fake.prepared != 1;
    pass(1e-9 * fake.extra_ns);
    return s;
}

static int summed(const void *s, rc_pattern_sums_t *out)
{
    use(((const sum_t *)s)->context);
    *out = ((const sum_t *)s)->sums;
    return 1;
}

static void *look(const rc_asked_t *p)
{
    sum_t *found = fake.blind ? NULL : calloc(1, sizeof *found);
    fake.looked++;
    fake.strays += fake.prepared != 1;
    if (found)
        found->context = fake.context;
    for (int64_t r = 0; found && r < p->a.rows; r++) {
        int64_t length = integer(p->a.row_ptr, p->a.row_ptr_bytes, r + 1) - integer(p->a.row_ptr, p->a.row_ptr_bytes, r);
        found->sums.columns = (uint64_t)length > found->sums.columns ? (uint64_t)length : found->sums.columns;
    }
    return found;
}

static int looked(const void *look, int64_t *longest)
{
    rc_pattern_sums_t found;
    (void)summed(look, &found);
    *longest = (int64_t)found.columns;
    return 1;
}

static void sum_free(void *sum)
{
    use(((const sum_t *)sum)->context);
    free(sum);
}

static void lost(void)
{
    fake.lost++;
    fake.prepared = 0;
}

static void prepare(int device)
{
    fake.prepared++;
    fake.strays += device != fake.device;
}

static void copy_free(void *copy)
{
    copy_t *c = copy;
    free(c->ptr);
    free(c->idx);
    free(c);
    fake.copies--;
}

static void *copy_new(const rc_asked_t *p)
{
    copy_t *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    fake.copies++;
    fake.copied++;
    c->p = *p;
    c->device = fake.device;
    c->ptr = malloc((size_t)rc_view_pointers(&p->a) * sizeof *c->ptr);
    c->idx = malloc((size_t)p->a.nnz * sizeof *c->idx);
    if (!c->ptr || !c->idx) {
        copy_free(c);
        return NULL;
    }
    for (int64_t i = 0; i < rc_view_pointers(&p->a); i++)
        c->ptr[i] = integer(p->a.row_ptr, p->a.row_ptr_bytes, i);
    for (int64_t i = 0; i < p->a.nnz; i++)
        c->idx[i] = integer(p->a.col_idx, p->a.col_idx_bytes, i);
    return c;
}

static rc_pattern_sums_t sums_of_copy(const copy_t *c)
{
    rc_plan_matrix_t a = c->p.a;
    a.row_ptr = c->ptr;
    a.col_idx = c->idx;
    a.row_ptr_bytes = a.col_idx_bytes = 8;
    return sums_of(&a);
}

static void *make(void *copy, const rc_making_t *how, rc_made_t *made)
{
    if (fake.in_make)
        fake.in_make();
    rc_pattern_sums_t sums = sums_of_copy(copy);
    made->changed = how->sums.columns != 0 && memcmp(&sums, &how->sums, sizeof sums) != 0;
    fake.changed += made->changed;
    int unknown = how->kernel && strncmp(how->kernel, "fake", 4) != 0;
    plan_t *plan = fake.refuses || made->changed || unknown ? NULL : calloc(1, sizeof *plan);
    (void)snprintf(made->text, sizeof made->text, "%s", plan ? "fake" : "refused");
    if (!plan) {
        copy_free(copy);
        return NULL;
    }
    plan->tuned = how->ns > 0 || (how->kernel && strcmp(how->kernel, "fake:tuned=1") == 0);
    (void)snprintf(made->kernel, sizeof made->kernel, "fake:tuned=%d", plan->tuned);
    (void)snprintf(made->order, sizeof made->order, "csr");
    plan->copy = copy;
    plan->device = plan->copy->device;
    plan->context = fake.context;
    made->bytes = how->memory < 1000 ? how->memory : 1000;
    made->captures = 1;
    pass(fake.make_s[how->ns > 0]);
    fake.may_ns = (double)how->ns;
    fake.named += how->kernel != NULL;
    fake.tuned += how->ns > 0;
    fake.made++;
    fake.plans++;
    return plan;
}

static void plan_free(void *p)
{
    plan_t *plan = p;
    use(plan->context);
    fake.strays += plan->graph != 0;
    if (fake.in_free)
        fake.in_free();
    if (plan->copy) {
        copy_free(plan->copy);
        fake.plans--;
    } else
        fake.ways--;
    free(plan);
}

static int same(const copy_t *c, const rc_plan_matrix_t *a)
{
    for (int64_t i = 0; i < rc_view_pointers(a); i++)
        if (c->ptr[i] != integer(a->row_ptr, a->row_ptr_bytes, i))
            return 0;
    for (int64_t i = 0; i < a->nnz; i++)
        if (c->idx[i] != integer(a->col_idx, a->col_idx_bytes, i))
            return 0;
    return 1;
}

/* A value of A as it is read. */
static number_t read_value(const rc_asked_t *p, int64_t e)
{
    number_t x = number_load(p->a.val, rc_cuda_data_type(p->a.precision), e);
    return p->conjugated ? number_conjugate(x) : x;
}

/* Add what an entry is times B to the sums of its row.  \param[out] sum  [rows x K] */
static void add_entry(const rc_asked_t *p, int64_t e, int64_t row, int64_t col, number_t *sum)
{
    int b_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_ROW_COL;
    cudaDataType type = rc_cuda_data_type(p->a.precision);
    for (int64_t j = 0; j < p->k; j++) {
        number_t *to = &sum[row * p->k + j];
        *to = number_plus(*to,
            number_times(read_value(p, e), number_load(p->b, type, b_rows ? col * p->ldb + j : j * p->ldb + col)));
    }
}

/* By a pattern of any form.  \param[out] sum  [rows x K] zeros before */
static void add_entries(const int64_t *ptr, const int64_t *idx, const rc_asked_t *p, number_t *sum)
{
    for (int64_t e = 0; p->a.form == RC_PLAN_COO && e < p->a.nnz; e++)
        add_entry(p, e, ptr[e], idx[e], sum);
    for (int64_t m = 0; p->a.form != RC_PLAN_COO && m < rc_view_majors(&p->a); m++)
        for (int64_t e = ptr[m]; e < ptr[m + 1]; e++)
            add_entry(p, e, p->a.form == RC_PLAN_CSC ? idx[e] : m, p->a.form == RC_PLAN_CSC ? m : idx[e], sum);
}

static void multiply(const int64_t *ptr, const int64_t *idx, const rc_asked_t *p)
{
    int c_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_COL_ROW;
    cudaDataType type = rc_cuda_data_type(p->a.precision);
    number_t *sum = calloc((size_t)(p->a.rows * p->k), sizeof *sum);
    if (!sum)
        exit(99);
    add_entries(ptr, idx, p, sum);
    for (int64_t r = 0; r < p->a.rows; r++)
        for (int64_t j = 0; j < p->k; j++)
            number_store(p->c, p->c_sums ? value_sum(type) : type, c_rows ? r * p->ldc + j : j * p->ldc + r,
                number_times((number_t){p->alpha[0], p->alpha[1]}, sum[r * p->k + j]));
    free(sum);
}

static double direct_s(const rc_asked_t *p, int way)
{
    return p->direct && way == 1 ? fake.direct_s : 0;
}

static int directs(const rc_asked_t *p)
{
    return p->direct ? WAYS : 0;
}

/* The second one has memory between its launches, as that of a GPU. */
static void *direct(const rc_asked_t *p, int way, rc_made_t *made)
{
    if (way == fake.unsuited - 1)
        return NULL;
    plan_t *plan = calloc(1, sizeof *plan);
    if (!plan || way >= directs(p) || p->a.form != RC_PLAN_CSR)
        exit(99);
    fake.longest = p->longest;
    plan->way = way;
    plan->device = fake.device;
    plan->context = fake.context;
    made->captures = way == 0;
    made->bytes = way * 100;
    (void)snprintf(made->text, sizeof made->text, "fake way %d", way);
    fake.ways++;
    return plan;
}

static number_t scalar(const double value[2], const void *at, cudaDataType type)
{
    return at ? number_load(at, type, 0) : (number_t){value[0], value[1]};
}

/* What an entry adds to column j of C, or to y. */
static number_t term_of(const rc_asked_t *p, int64_t e, int64_t j)
{
    cudaDataType type = rc_cuda_data_type(p->a.precision);
    int64_t col = integer(p->a.col_idx, p->a.col_idx_bytes, e) - p->base;
    return number_times(read_value(p, e), number_load(p->b, type, col * p->ldb + j));
}

/* The value of an entry of C that is sampled, before scalars. */
static number_t sample_of(const rc_asked_t *p, int64_t r, int64_t e)
{
    cudaDataType type = rc_cuda_data_type(p->a.precision);
    int64_t col = integer(p->a.col_idx, p->a.col_idx_bytes, e) - p->base;
    number_t sum = {0, 0};
    for (int64_t i = 0; i < p->k; i++)
        sum = number_plus(sum, number_times(number_load(p->left, type, r * p->left_by.row + i * p->left_by.col),
            number_load(p->b, type, i * p->b_by.row + col * p->b_by.col)));
    return sum;
}

/* Store a sum at place i of y, or of the values of C. */
static void put(const rc_asked_t *p, int64_t i, number_t sum)
{
    cudaDataType type = rc_cuda_data_type(p->a.precision);
    cudaDataType sums = value_sum(type);
    cudaDataType c_type = p->c_sums ? sums : type;
    number_t beta = scalar(p->beta, p->beta_at, sums);
    number_t old = {0, 0};
    if (!number_is_zero(beta))
        old = number_times(beta, number_load(p->c, c_type, i));
    number_store(p->c, c_type, i, number_plus(number_times(scalar(p->alpha, p->alpha_at, sums), sum), old));
}

/* A row of C or y in column j, by the entries from begin to end. */
static void multiply_row(const rc_asked_t *p, int64_t r, int64_t j, int64_t begin, int64_t end)
{
    number_t sum = {0, 0};
    for (int64_t e = begin; e < end; e++)
        sum = number_plus(sum, term_of(p, e, j));
    put(p, r * p->ldc + j, sum);
}

/* By the arrays of the program, whatever is in them now. */
static void multiply_direct(const rc_asked_t *product)
{
    rc_asked_t p = *product;
    const rc_plan_matrix_t *a = &p.a;
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t begin = integer(a->row_ptr, a->row_ptr_bytes, r) - p.base;
        int64_t end = integer(a->row_ptr, a->row_ptr_bytes, r + 1) - p.base;
        for (int64_t e = begin; p.op == RC_OP_SDDMM && e < end; e++)
            put(&p, e, sample_of(&p, r, e));
        for (int64_t j = 0; p.op != RC_OP_SDDMM && j < p.k; j++)
            multiply_row(&p, r, j, begin, end);
    }
}

static double time_of_plan(void)
{
    if (past.direct && fake.direct_ns[fake.way] > 0)
        return fake.direct_ns[fake.way];
    return fake.tuned_ns > 0 && past.tuned ? fake.tuned_ns : fake.plan_ns;
}

static void direct_again(void *product)
{
    multiply_direct(product);
}

static int run_direct(const plan_t *plan, const rc_asked_t *product)
{
    int captured = fake_graph_captures(product->stream);
    if (fake.run_refuses)
        return -1;
    pass(past.loaded[plan->way] ? 0 : fake.load_s[past.loaded[1 - plan->way]]);
    past.loaded[plan->way] = 1;
    fake.runs++;
    fake.directs++;
    fake.in_graph += captured;
    fake.way = plan->way;
    fake.strays += plan->device != fake.device || (captured && plan->way > 0);
    past.direct = 1;
    fake.last_ns = time_of_plan();
    multiply_direct(product);
    if (captured)
        fake_graph_add(direct_again, product, sizeof *product);
    return plan->way == fake.breaks - 1;
}

static int run_plan(plan_t *plan, const rc_asked_t *product, rc_checking_t check, uint64_t number)
{
    int equal = check == RC_CHECK_NOT || same(plan->copy, &product->a);
    if (fake.in_run)
        fake.in_run();
    if (fake.run_refuses)
        return -1;
    fake.runs++;
    past.tuned = plan->tuned;
    past.direct = 0;
    fake.last_ns = time_of_plan();
    fake.strays += plan->device != fake.device;
    fake.checked += check != RC_CHECK_NOT;
    rc_asked_t planned = *product;
    planned.a.form = plan->copy->p.a.form;
    if (equal)
        multiply(plan->copy->ptr, plan->copy->idx, &planned);
    else {
        copy_t *c = copy_new(product);
        if (!c)
            return -1;
        multiply(c->ptr, c->idx, product);
        copy_free(c);
        fake.repaired++;
        fake.last_ns += 3 * fake.other_ns;
    }
    if (check != RC_CHECK_NOT && !equal && !fake.deaf)
        plan->differs = number;
    if (check == RC_CHECK_TOLD && equal && !fake.deaf)
        plan->equal = number;
    return 0;
}

static int run(void *p, const rc_asked_t *product, rc_checking_t check, uint64_t number)
{
    plan_t *plan = p;
    use(plan->context);
    if (!plan->copy)
        return run_direct(plan, product);
    fake.strays += plan->graph != 0;
    return run_plan(plan, product, check, number);
}

static uint64_t capture(void *stream)
{
    return fake_graph_captures(stream) ? fake.capture : 0;
}

static int ended(const void *p)
{
    const plan_t *plan = p;
    use(plan->context);
    return !fake.unended;
}

static void record_again(void *recorded)
{
    const recorded_t *r = recorded;
    (void)run_plan(r->plan, &r->p, RC_CHECK_QUIET, r->number);
}

/* In the order of one stream of one capture. */
static int record(void *p, const rc_asked_t *product, uint64_t number)
{
    plan_t *plan = p;
    const recorded_t r = {plan, *product, number};
    use(plan->context);
    fake.strays += capture(product->stream) == 0
        || (plan->graph != 0 && (plan->graph != fake.capture || plan->stream != product->stream));
    plan->graph = fake.capture;
    plan->stream = product->stream;
    fake_graph_add(record_again, &r, sizeof r);
    fake.recorded++;
    return run_plan(plan, product, RC_CHECK_QUIET, number);
}

static void checks(const void *p, uint64_t *equal, uint64_t *differs)
{
    const plan_t *plan = p;
    use(plan->context);
    *equal = plan->equal;
    *differs = plan->differs;
}

static int compare(void *p, const rc_asked_t *product, uint64_t number)
{
    plan_t *plan = p;
    use(plan->context);
    fake.strays += plan->graph != 0;
    pass(1e-9 * fake.extra_ns);
    *(same(plan->copy, &product->a) ? &plan->other_equal : &plan->other_differs) = number;
    return 0;
}

static void compared(const void *p, uint64_t *equal, uint64_t *differs)
{
    const plan_t *plan = p;
    use(plan->context);
    *equal = plan->other_equal;
    *differs = plan->other_differs;
}

static void *marks_new(void)
{
    marks_t *m = calloc(1, sizeof *m);
    if (m)
        m->context = fake.context;
    return m;
}

/* The last product was a plan's where one ran since the first mark. */
static int mark(void *marks, int end, void *stream)
{
    marks_t *m = marks;
    (void)stream;
    use(m->context);
    fake.marked++;
    if (!end) {
        m->at = fake.runs;
        return 0;
    }
    m->ns = fake.runs > m->at ? time_of_plan() : fake.other_ns;
    m->at = fake.calls;
    return 0;
}

static double between(void *marks)
{
    const marks_t *m = marks;
    use(m->context);
    return fake.calls - m->at < fake.lag ? 0 : m->ns;
}

static void marks_free(void *marks)
{
    use(((const marks_t *)marks)->context);
    free(marks);
}

static int idle(void *stream)
{
    (void)stream;
    return fake.idle;
}

const rc_engine_t *rc_dropin_engine(void)
{
    static const rc_engine_t engine = {RC_ENGINE_ABI, stream_of, lost, device_name, now, prepare, copy_new, copy_free,
        sum, summed, sum_free, look, looked, make, run, checks, compare, compared, plan_free, capture, ended, record, directs, direct_s, direct, marks_new, mark, between, marks_free, idle};
    return &engine;
}
