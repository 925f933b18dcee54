/* An engine of host memory: a plan multiplies by the pattern that it copied, so that a drop-in that trusts too much is
 * wrong. */
#include "fake_engine.h"
#include "dropin/engine.h"

#include <stdlib.h>
#include <stdio.h>
#include <string.h>

typedef struct copy {
    rc_spmm_t p;
    int64_t *ptr;
    int64_t *idx;
    int device;
} copy_t;

typedef struct plan {
    copy_t *copy;
    int device;
    uint64_t equal;
    uint64_t differs;
    uint64_t other_equal;
    uint64_t other_differs;
} plan_t;

typedef struct marks {
    int began; /* runs by plans at the first mark */
    int ended;
} marks_t;

static fake_engine_t fake = {.plan_ns = 1e6, .other_ns = 2e6};

fake_engine_t *fake_engine(void)
{
    return &fake;
}

static int64_t integer(const void *p, int bytes, int64_t i)
{
    return bytes == 4 ? ((const int32_t *)p)[i] : ((const int64_t *)p)[i];
}

static double value(const void *p, int bytes, int64_t i)
{
    return bytes == 4 ? (double)((const float *)p)[i] : ((const double *)p)[i];
}

static int stream_of(void *stream, int *device)
{
    *device = fake.device;
    return stream && *(const int *)stream == 1 ? 1 : stream && *(const int *)stream == 2 ? -1 : 0;
}

static void copy_free(void *copy)
{
    copy_t *c = copy;
    free(c->ptr);
    free(c->idx);
    free(c);
    fake.copies--;
}

static void *copy_new(const rc_spmm_t *p)
{
    copy_t *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    fake.copies++;
    c->p = *p;
    c->device = fake.device;
    c->ptr = malloc(((size_t)p->a.rows + 1) * sizeof *c->ptr);
    c->idx = malloc((size_t)p->a.nnz * sizeof *c->idx);
    if (!c->ptr || !c->idx) {
        copy_free(c);
        return NULL;
    }
    for (int64_t i = 0; i <= p->a.rows; i++)
        c->ptr[i] = integer(p->a.row_ptr, p->a.row_ptr_bytes, i);
    for (int64_t i = 0; i < p->a.nnz; i++)
        c->idx[i] = integer(p->a.col_idx, p->a.col_idx_bytes, i);
    return c;
}

static void *make(void *copy, const rc_making_t *how, char *text, int64_t *bytes)
{
    plan_t *plan = fake.refuses ? NULL : calloc(1, sizeof *plan);
    (void)snprintf(text, RC_ENGINE_TEXT, "%s", plan ? "fake" : "refused");
    if (!plan) {
        copy_free(copy);
        return NULL;
    }
    plan->copy = copy;
    plan->device = plan->copy->device;
    *bytes = how->memory < 1000 ? how->memory : 1000;
    fake.plans++;
    fake.made++;
    return plan;
}

static void plan_free(void *p)
{
    plan_t *plan = p;
    if (fake.in_free)
        fake.in_free();
    copy_free(plan->copy);
    free(plan);
    fake.plans--;
}

static int same(const copy_t *c, const rc_sparse_view_t *a)
{
    for (int64_t i = 0; i <= a->rows; i++)
        if (c->ptr[i] != integer(a->row_ptr, a->row_ptr_bytes, i))
            return 0;
    for (int64_t i = 0; i < a->nnz; i++)
        if (c->idx[i] != integer(a->col_idx, a->col_idx_bytes, i))
            return 0;
    return 1;
}

static void multiply(const int64_t *ptr, const int64_t *idx, const rc_spmm_t *p)
{
    int b_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_ROW_COL;
    int c_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_COL_ROW;
    for (int64_t r = 0; r < p->a.rows; r++)
        for (int64_t j = 0; j < p->k; j++) {
            double sum = 0;
            int64_t to = c_rows ? r * p->ldc + j : j * p->ldc + r;
            for (int64_t e = ptr[r]; e < ptr[r + 1]; e++)
                sum += value(p->a.val, p->a.value_bytes, e)
                    * value(p->b, p->a.value_bytes, b_rows ? idx[e] * p->ldb + j : j * p->ldb + idx[e]);
            if (p->a.value_bytes == 4)
                ((float *)p->c)[to] = (float)(p->alpha * sum);
            else
                ((double *)p->c)[to] = p->alpha * sum;
        }
}

static int run(void *p, const rc_spmm_t *product, rc_checking_t check, uint64_t number)
{
    plan_t *plan = p;
    int equal = check == RC_CHECK_NOT || same(plan->copy, &product->a);
    if (fake.in_run)
        fake.in_run();
    if (fake.run_refuses)
        return -1;
    fake.runs++;
    fake.strays += plan->device != fake.device;
    fake.checked += check != RC_CHECK_NOT;
    if (equal)
        multiply(plan->copy->ptr, plan->copy->idx, product);
    else {
        copy_t *c = copy_new(product);
        if (!c)
            return -1;
        multiply(c->ptr, c->idx, product);
        copy_free(c);
        fake.repaired++;
    }
    if (check != RC_CHECK_NOT && !equal && !fake.deaf)
        plan->differs = number;
    if (check == RC_CHECK_TOLD && equal && !fake.deaf)
        plan->equal = number;
    return 0;
}

static void checks(const void *p, uint64_t *equal, uint64_t *differs)
{
    const plan_t *plan = p;
    *equal = plan->equal;
    *differs = plan->differs;
}

static int compare(void *p, const rc_spmm_t *product, uint64_t number)
{
    plan_t *plan = p;
    *(same(plan->copy, &product->a) ? &plan->other_equal : &plan->other_differs) = number;
    return 0;
}

static void compared(const void *p, uint64_t *equal, uint64_t *differs)
{
    const plan_t *plan = p;
    *equal = plan->other_equal;
    *differs = plan->other_differs;
}

static void *marks_new(void)
{
    return calloc(1, sizeof(marks_t));
}

static int mark(void *marks, int end, void *stream)
{
    marks_t *m = marks;
    (void)stream;
    *(end ? &m->ended : &m->began) = fake.runs;
    return 0;
}

static double between(void *marks)
{
    const marks_t *m = marks;
    return m->ended > m->began ? fake.plan_ns : fake.other_ns;
}

const rc_engine_t *rc_dropin_engine(void)
{
    static const rc_engine_t engine = {RC_ENGINE_ABI, stream_of, copy_new, copy_free, make, run, checks,
        compare, compared, plan_free, marks_new, mark, between, free};
    return &engine;
}
