#include "config.h"
#include "plans_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"
#include "device/cuda/cuda.h"
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TUNE = 6, REPEATS = 5, MIDDLE = 1 };

static const double us_per_ms = 1000;

/* ----------------------------------------------------------------- wall clock of plans */

/* 1: the plan runs another order than the original one. */
static int is_ordered(const rc_plan_t *plan)
{
    rc_plan_part_t part;
    rc_err_t err = {0};
    return rc_plan_part(plan, 0, &part, &err) == RC_OK &&
           strcmp(part.candidate[part.chosen].order, "csr") != 0;
}

/* The first plan of this kind, then the median of later ones: five, or those of 1.5 s. */
static rc_status_t plan_ms(bench_subject_t *s, const bench_ask_t *ask, double *first, double *later,
    int *ordered, rc_err_t *err)
{
    const int64_t most_ns = 1500000000;
    int64_t begin = rc_clock_ns();
    double ms[REPEATS + 1];
    rc_stats_t stats;
    int n = 0;
    while (n <= REPEATS && (n < 3 || rc_clock_ns() - begin < most_ns)) {
        rc_plan_t *plan = NULL;
        RC_PASS(bench_plan(s, ask, &plan, &ms[n++], err));
        *ordered = is_ordered(plan);
        rc_plan_free(plan);
    }
    *first = ms[0];
    rc_stats_compute(ms + 1, n - 1, &stats);
    *later = stats.median;
    return RC_OK;
}

/* What plans of one layout and kind of choice are noted as. */
typedef struct plan_case {
    rc_layout_t layout;
    int tune;
    const char *large;    /* ms; NULL: of small ones alone */
    const char *ordered;  /* the same with an order; NULL: as `large` */
    const char *products; /* the same in products of cuSPARSE */
    const char *small;    /* ms of small ones; NULL: none */
    const char *first;    /* ms of the first of a large matrix */
} plan_case_t;

static const plan_case_t plan_cases[] = {
    {RC_ROW_MAJOR, 0, "plan.large", "plan.large.ordered", "plan.large.products", "plan.small",
        "plan.large.first"},
    {RC_ROW_MAJOR, TUNE, "plan.tuned", NULL, "plan.tuned.products", "plan.tuned.small",
        "plan.tuned.first"},
    {RC_COL_MAJOR, 0, "plan.columns", NULL, NULL, NULL, "plan.columns.first"},
    {RC_COL_MAJOR, TUNE, "plan.columns.tuned", NULL, NULL, NULL, "plan.columns.tuned.first"},
};

static rc_status_t plans(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err)
{
    const int64_t k = s->ks->k[MIDDLE];
    for (size_t i = 0; i < sizeof plan_cases / sizeof plan_cases[0]; i++) {
        const plan_case_t *c = &plan_cases[i];
        const bench_ask_t ask = {.layout = c->layout, .k = &k, .ks = 1, .tune = c->tune};
        double first = 0;
        double later = 0;
        int ordered = 0;
        if (!(kind & BENCH_LARGE) && !c->small)
            continue;
        RC_PASS(plan_ms(s, &ask, &first, &later, &ordered, err));
        if (!(kind & BENCH_LARGE)) {
            bench_note(n, c->small, s->name, k, later);
            continue;
        }
        bench_note(n, ordered && c->ordered ? c->ordered : c->large, s->name, k, later);
        bench_note(n, c->first, s->name, k, first);
        if (c->products)
            bench_note(n, c->products, s->name, k, later * us_per_ms / s->vendor_us[MIDDLE]);
    }
    return RC_OK;
}

/* ------------------------------------------------------------------------- products */

/* What one plan of a K takes. */
static rc_status_t product_of(bench_subject_t *s, const bench_ask_t *ask, double *us, char label[],
    size_t size, rc_err_t *err)
{
    rc_plan_t *plan = NULL;
    rc_plan_part_t part;
    RC_PASS(bench_plan(s, ask, &plan, NULL, err));
    rc_status_t st = bench_product_us(s, plan, ask, ask->k[0], 0, us, err);
    if (st == RC_OK)
        st = rc_plan_part(plan, 0, &part, err);
    if (st == RC_OK)
        snprintf(label, size, "%s [%s, %s]", s->name, part.candidate[part.chosen].kernel,
            part.candidate[part.chosen].order);
    rc_plan_free(plan);
    return st;
}

/* What products of a kind of matrix by default plans are noted as, beside the others. */
static const char *class_of(int kind)
{
    static const struct {
        int kind;
        const char *key;
    } of[] = {{BENCH_SHUFFLED, "class.shuffled"}, {BENCH_NATURAL, "class.natural"},
        {BENCH_RANDOM, "class.random"}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
        if (kind & of[i].kind)
            return of[i].key;
    return NULL;
}

static rc_status_t classes(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err)
{
    for (int i = 0; i < s->ks->n; i++) {
        const bench_ask_t ask = {.layout = RC_ROW_MAJOR, .k = &s->ks->k[i], .ks = 1};
        char label[512];
        double us = 0;
        RC_PASS(product_of(s, &ask, &us, label, sizeof label, err));
        bench_note(n, class_of(kind), label, s->ks->k[i], s->vendor_us[i] / us);
        bench_note(n, "class.us", label, s->ks->k[i], us);
    }
    return RC_OK;
}

static rc_status_t products(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err)
{
    static const int tune[] = {0, TUNE};
    static const char *const key[2][2] = {
        {"product.made", "product.made.tuned"}, {"product.real", "product.real.tuned"}};
    for (int i = 0; i < s->ks->n; i++) {
        for (int t = 0; t < 2; t++) {
            const bench_ask_t ask = {
                .layout = RC_ROW_MAJOR, .k = &s->ks->k[i], .ks = 1, .tune = tune[t]};
            char label[512];
            double us = 0;
            RC_PASS(product_of(s, &ask, &us, label, sizeof label, err));
            bench_note(
                n, key[(kind & BENCH_REAL) != 0][t], label, s->ks->k[i], s->vendor_us[i] / us);
            bench_note(n, t ? "us.tuned" : "us", label, s->ks->k[i], us);
        }
    }
    return RC_OK;
}

/* Zeros of a matrix, in whole percent. */
static int zeros_of(const rc_csr_t *a)
{
    return (int)(100 - 100 * (double)a->nnz / ((double)a->rows * (double)a->cols));
}

/* The default beside the sparse and the dense product of the vendor; without a dense one beside the other. */
static rc_status_t weights(bench_notes_t *n, bench_subject_t *s, int64_t k, double sparse, rc_err_t *err)
{
    const bench_ask_t ask = {.layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const bench_ask_t by_dense = {.layout = RC_ROW_MAJOR, .k = &k, .ks = 1, .kernels = "cublas-dense"};
    char plan[512];
    char label[544];
    rc_err_t why = {0};
    double us = 0;
    double dense = 0;
    rc_status_t st = product_of(s, &by_dense, &dense, plan, sizeof plan, &why);
    if (st == RC_ENOTSUP)
        printf("pruned: beside cuSPARSE alone, %s\n", why.text);
    else if (st < 0)
        return rc_fail(err, st, "%s", why.text);
    RC_PASS(product_of(s, &ask, &us, plan, sizeof plan, err));
    snprintf(label, sizeof label, "%s, %d %% zeros", plan, zeros_of(s->a));
    bench_note(n, "class.pruned.sparse", label, k, sparse / us);
    bench_note(n, "class.pruned.us", label, k, us);
    if (st == RC_ENOTSUP)
        return RC_OK;
    bench_note(n, "class.pruned", label, k, fmin(sparse, dense) / us);
    bench_note(n, "class.pruned.dense", label, k, dense / us);
    return RC_OK;
}

static rc_status_t pruned(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err)
{
    (void)kind;
    for (int i = 0; i < s->ks->n; i++)
        RC_PASS(weights(n, s, s->ks->k[i], s->vendor_us[i], err));
    return RC_OK;
}

/* The default as a share of the best that a search finds: ranked kernels under each order. */
static rc_status_t large(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err)
{
    static const char *const orders[] = {
        NULL, "csr", "auto", "multilevel", "cells", "labels", "minlabel"};
    enum { EACH = 10, FROM = 1, TO = 3 }; /* K 32 and 128 */
    const int64_t each_ns = 800000000;
    (void)kind;
    for (int i = FROM; i < TO; i++) {
        double best = 0;
        double own = 0;
        char label[512];
        char found[512] = "";
        for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
            const bench_ask_t ask = {.layout = RC_ROW_MAJOR,
                .k = &s->ks->k[i],
                .ks = 1,
                .orders = orders[o],
                .tune = orders[o] ? EACH : 0,
                .tune_ns = each_ns};
            double us = 0;
            RC_PASS(product_of(s, &ask, &us, label, sizeof label, err));
            if (!orders[o])
                own = us;
            if (best == 0 || us < best) {
                best = us;
                snprintf(found, sizeof found, "%s", label);
            }
        }
        bench_note(n, "share", found, s->ks->k[i], best / own);
    }
    return RC_OK;
}

static rc_status_t columns(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err)
{
    enum { FROM = 1, TO = 3 };
    (void)kind;
    for (int i = FROM; i < TO; i++) {
        for (int t = 0; t < 2; t++) {
            const bench_ask_t ask = {
                .layout = RC_COL_MAJOR, .k = &s->ks->k[i], .ks = 1, .tune = t ? TUNE : 0};
            char label[512];
            double us = 0;
            RC_PASS(product_of(s, &ask, &us, label, sizeof label, err));
            bench_note(n, t ? "columns.tuned" : "columns", label, s->ks->k[i], us);
        }
    }
    return RC_OK;
}

/* --------------------------------------------------------------------------- memory */

static cudaMemPool_t default_pool(void)
{
    cudaMemPool_t pool = NULL;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetDefaultMemPool(&pool, device) != cudaSuccess)
        pool = NULL;
    return pool;
}

/* Bytes of the pool of the plan, which the matrix and the operands are not in. */
static double pool_bytes(cudaMemPool_t pool, enum cudaMemPoolAttr what)
{
    uint64_t bytes = 0;
    return cudaMemPoolGetAttribute(pool, what, &bytes) == cudaSuccess ? (double)bytes : 0;
}

static rc_status_t memory(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err)
{
    static const char *const key[] = {"memory", "memory.tuned"};
    const int64_t k = s->ks->k[MIDDLE];
    cudaMemPool_t pool = default_pool();
    (void)kind;
    for (int t = 0; t < 2 && pool; t++) {
        const bench_ask_t ask = {.layout = RC_ROW_MAJOR, .k = &k, .ks = 1, .tune = t ? TUNE : 0};
        rc_plan_t *plan = NULL;
        uint64_t none = 0;
        RC_PASS(rc_executor_cuda_wait(&s->d->executor, err));
        double before = pool_bytes(pool, cudaMemPoolAttrUsedMemCurrent);
        (void)cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &none);
        RC_PASS(bench_plan(s, &ask, &plan, NULL, err));
        double most = pool_bytes(pool, cudaMemPoolAttrUsedMemHigh);
        double kept = pool_bytes(pool, cudaMemPoolAttrUsedMemCurrent);
        rc_plan_free(plan);
        bench_note(n, key[t], s->name, k, (most - kept) / (double)bench_subject_bytes(s));
        if (t == 0)
            bench_note(
                n, "memory.plan", s->name, k, (kept - before) / (double)bench_subject_bytes(s));
    }
    return RC_OK;
}

const bench_part_t bench_parts[] = {
    {"plans", plans, 0, BENCH_LARGE | BENCH_SMALL},
    {"products", products, 0, BENCH_LARGE | BENCH_SMALL | BENCH_REAL},
    {"classes", classes, 0, BENCH_SHUFFLED | BENCH_NATURAL | BENCH_RANDOM},
    {"pruned", pruned, BENCH_PRUNED, ~0},
    {"large", large, BENCH_LARGE | BENCH_SHUFFLED, ~0},
    {"columns", columns, BENCH_MESH, ~0},
    {"memory", memory, 0, BENCH_LARGE},
    {NULL, NULL, 0, 0},
};
