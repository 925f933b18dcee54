/* A guess is a sum of trees: each adds to the cost of every kernel what its leaf says.  Nothing but
 * sizes goes in, those of the device as well: work per multiprocessor, and B and C in units of the
 * last cache.  So a rule that was fitted on one GPU says something of another. */
#include "config.h"
#include "plan/guess/guess.h"
#include "feature/reuse.h"
#include "kernels/vendor/vendor.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------- trees */

/* Problems whose feature is below the bound go on at `below`.  From 0 on it is a node, else leaf
 * -1 - below. */
typedef struct rc_guess_node {
    int8_t feature;
    int16_t bound; /* in 1/64 */
    int16_t below;
    int16_t above;
} rc_guess_node_t;

enum { BOUND = 64, COST = 256 }; /* units of a bound, and of a leaf */

/* clang-format off */
#include "plan/guess/columns.inc"
#include "plan/guess/rows.inc"
#include "plan/guess/shorts.inc"
#include "plan/guess/vector.inc"
/* clang-format on */

/* The trees for some operands. */
typedef struct rule {
    rc_op_t op;
    rc_layout_t layout; /* where the operation has K columns */
    int value_bytes;    /* of values at most */
    int ordered;        /* 1: it has seen large matrices, under the order `auto` */
    int kernels;
    int roots;
    const char *const *kernel;
    const int16_t *root;
    const rc_guess_node_t *node;
    const int8_t *leaf;
} rule_t;

enum {
    ROWS_KERNELS = sizeof rows_kernel / sizeof *rows_kernel,
    ROWS_ROOTS = sizeof rows_root / sizeof *rows_root,
    SHORTS_KERNELS = sizeof shorts_kernel / sizeof *shorts_kernel,
    SHORTS_ROOTS = sizeof shorts_root / sizeof *shorts_root,
    COLUMNS_KERNELS = sizeof columns_kernel / sizeof *columns_kernel,
    COLUMNS_ROOTS = sizeof columns_root / sizeof *columns_root,
    VECTOR_KERNELS = sizeof vector_kernel / sizeof *vector_kernel,
    VECTOR_ROOTS = sizeof vector_root / sizeof *vector_root
};
_Static_assert((int)ROWS_KERNELS <= (int)RC_GUESS_MOST, "kernels of a rule");
_Static_assert((int)SHORTS_KERNELS <= (int)RC_GUESS_MOST, "kernels of a rule");
_Static_assert((int)COLUMNS_KERNELS <= (int)RC_GUESS_MOST, "kernels of a rule");
_Static_assert((int)VECTOR_KERNELS <= (int)RC_GUESS_MOST, "kernels of a rule");

enum { SHORT = 2, ANY = 16 }; /* bytes of a value */

/* The first that is for a problem is taken. */
static const rule_t rules[] = {{RC_OP_SPMM, RC_ROW_MAJOR, SHORT, 1, SHORTS_KERNELS, SHORTS_ROOTS,
                                   shorts_kernel, shorts_root, shorts_node, shorts_leaf},
    {RC_OP_SPMM, RC_ROW_MAJOR, ANY, 1, ROWS_KERNELS, ROWS_ROOTS, rows_kernel, rows_root, rows_node,
        rows_leaf},
    {RC_OP_SPMM, RC_COL_MAJOR, ANY, 0, COLUMNS_KERNELS, COLUMNS_ROOTS, columns_kernel, columns_root,
        columns_node, columns_leaf},
    {RC_OP_SPMV, RC_COL_MAJOR, ANY, 0, VECTOR_KERNELS, VECTOR_ROOTS, vector_kernel, vector_root,
        vector_node, vector_leaf}};

static const rule_t *rule_of(const rc_guess_problem_t *p)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].op == p->op && p->value_bytes <= rules[i].value_bytes &&
            (p->op == RC_OP_SPMV || rules[i].layout == p->layout) &&
            (rules[i].ordered || !rc_guess_ordered(p)))
            return &rules[i];
    return NULL;
}

/* ---------------------------------------------------------------- features */

/* In the order of jobs/guess.py. */
enum {
    ROW_BYTES,
    VALUE_BYTES,
    ROWS_SM,
    ENTRIES_SM,
    MEAN,
    SKEW,
    LONGEST,
    WORK_SM,
    LONG_WORK,
    B_OVER_L2,
    C_OVER_L2,
    LONG_SHARE,
    EMPTY_SHARE,
    LOAD_VALUES,
    TAIL,
    FEATURES
};

static double at_least_1(int64_t n)
{
    return n > 1 ? (double)n : 1;
}

/* Values that a lane loads at once: of 16 bytes, or the most below that K is a multiple of. */
static double load_values(int64_t k, int value_bytes)
{
    for (int bytes = 16; bytes > value_bytes; bytes /= 2)
        if (k % (bytes / value_bytes) == 0)
            return (double)bytes / value_bytes;
    return 1;
}

static void features_of(const rc_guess_problem_t *p, double *x)
{
    enum { group = 128, empty_unit = 1024 };
    double sms = p->multiprocessors;
    double l2 = (double)p->cache_bytes;
    double k = at_least_1(p->k);
    double rows = at_least_1(p->rows);
    double nnz = at_least_1(p->nnz);
    double longest = at_least_1(p->longest);
    double mean = nnz / at_least_1(p->rows - p->empty_rows);
    double row = k * p->value_bytes;
    const double value[FEATURES] = {[ROW_BYTES] = row,
        [VALUE_BYTES] = p->value_bytes,
        [ROWS_SM] = rows / sms,
        [ENTRIES_SM] = nnz / sms,
        [MEAN] = mean,
        [SKEW] = longest / mean,
        [LONGEST] = longest,
        [WORK_SM] = nnz / sms * row,
        [LONG_WORK] = longest * row,
        [B_OVER_L2] = at_least_1(p->cols) * row / l2,
        [C_OVER_L2] = rows * row / l2,
        [LONG_SHARE] = longest / nnz,
        [EMPTY_SHARE] = (double)p->empty_rows / rows + 1. / empty_unit,
        [LOAD_VALUES] = load_values(p->k, p->value_bytes),
        [TAIL] = ceil(k / group) * group / k};
    for (int i = 0; i < FEATURES; i++)
        x[i] = log2(value[i]);
}

/* ------------------------------------------------------------------- guess */

static const int8_t *leaf_of(const rule_t *r, int root, const double *x)
{
    int at = r->root[root];
    while (at >= 0) {
        const rc_guess_node_t *n = &r->node[at];
        at = x[n->feature] < (double)n->bound / BOUND ? n->below : n->above;
    }
    return &r->leaf[(-1 - at) * r->kernels];
}

/* By cost, those of one cost in the order of the table. */
static void insert(rc_guess_t *g, const char *kernel, double cost)
{
    int at = g->count++;
    for (; at > 0 && g->cost[at - 1] > cost; at--) {
        g->kernel[at] = g->kernel[at - 1];
        g->cost[at] = g->cost[at - 1];
    }
    g->kernel[at] = kernel;
    g->cost[at] = cost;
}

void rc_guess_kernels(const rc_guess_problem_t *p, rc_guess_t *out)
{
    double x[FEATURES];
    int sum[RC_GUESS_MOST] = {0};
    out->count = 0;
    if (p->multiprocessors < 1 || p->cache_bytes < 1)
        return;
    const rule_t *r = rule_of(p);
    if (!r)
        return;
    features_of(p, x);
    for (int i = 0; i < r->roots; i++) {
        const int8_t *leaf = leaf_of(r, i, x);
        for (int c = 0; c < r->kernels; c++)
            sum[c] += leaf[c];
    }
    for (int c = 0; c < r->kernels; c++)
        insert(out, r->kernel[c], (double)sum[c] / COST);
}

/* On shuffled matrices `auto` gains 1.1 to 1.5 with B from a sixteenth of the L2 on, and 1.4 to 2.1
 * beyond it (data/results/orders.md); fewer rows gain next to nothing. */
int rc_guess_ordered(const rc_guess_problem_t *p)
{
    enum { rows_least = 30000, part = 16 };
    double b = (double)p->cols * (double)p->k * p->value_bytes;
    return p->op == RC_OP_SPMM && p->cache_bytes > 0 && p->rows > rows_least &&
           b * part >= (double)p->cache_bytes;
}

/* A product with what is fastest: bytes a ns and multiprocessor of the memory and of the L2. */
static const double launch_ns = 2e3, memory = 25, cache = 50;

/* ------------------------------------------------------------------- dense */

/* On an H200, of pruned weights with 74 to 95 % zeros (tests/bench/bench_plans.c, `pruned`): what
 * a multiprocessor does in a ns.  A product of ours goes by the rows of B that its entries load,
 * the dense one by the size of A alone. */
typedef struct rates {
    int value_bytes;
    double loads; /* bytes of B */
    double flops; /* of the dense product; of 16 bits by tensor cores */
} rates_t;

const double rc_guess_dense_surely = 1.5, rc_guess_dense_maybe = 0.5;

static const double dense_launch_ns = 4e3;

static const rates_t *rates_of(const rc_guess_problem_t *p)
{
    enum { k_least = 64, rows_least = 512 };
    static const rates_t of[] = {{2, 75, 6500}, {4, 100, 385}};
    if (p->op != RC_OP_SPMM || p->k < k_least || p->rows < rows_least || p->cols < rows_least ||
        p->multiprocessors < 1)
        return NULL;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i].value_bytes == p->value_bytes)
            return &of[i];
    return NULL;
}

static double dense_bytes_of(const rc_guess_problem_t *p)
{
    return (double)p->rows * (double)p->cols * p->value_bytes;
}

static double dense_ns(const rc_guess_problem_t *p, const rates_t *r)
{
    const double flops = 2 * (double)p->rows * (double)p->cols * (double)p->k;
    return dense_launch_ns +
           fmax(flops / r->flops, dense_bytes_of(p) / memory) / p->multiprocessors;
}

double rc_guess_over_dense(const rc_guess_problem_t *p)
{
    const rates_t *r = rates_of(p);
    if (!r)
        return 0;
    const double loads = (double)p->nnz * (double)p->k * p->value_bytes;
    return (launch_ns + loads / (r->loads * p->multiprocessors)) / dense_ns(p, r);
}

/* ------------------------------------------------------------------- total */

/* What preparing on a GPU takes beside its launches: a table of the notebook, data/results/notebook
 * (kernels.md, building on a GPU). */
typedef struct setup {
    const char *kernel;
    double ns;
    double entry_ns;
} setup_t;

static double setup_of(const char *kernel, double nnz)
{
    static const setup_t of[] = {{"gstage", 6e5, .3}, {"gslice", 8e4, .1}, {"gmma", 2e5, .3}};
    static const setup_t other = {"", 4e4, .1};
    const setup_t *s = &other;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (strncmp(kernel, of[i].kernel, strlen(of[i].kernel)) == 0)
            s = &of[i];
    return rc_vendor_is(kernel) ? 0 : s->ns + s->entry_ns * nnz;
}

double rc_guess_shared(const rc_guess_problem_t *p, double share)
{
    enum { line_bytes = 128, k_least = 8 };
    if (p->op != RC_OP_SPMM || p->layout != RC_ROW_MAJOR || p->k < k_least ||
        p->multiprocessors < 1 || p->cache_bytes < 1 || !(share > 0))
        return NAN;
    const rc_reuse_device_t d = {.l2_bytes = (double)p->cache_bytes,
        .dram = memory * p->multiprocessors,
        .l2 = cache * p->multiprocessors,
        .line = line_bytes,
        .launch_ns = launch_ns};
    const rc_reuse_product_t of = {.rows = (double)p->rows,
        .cols = (double)p->cols,
        .entries = (double)p->nnz,
        .k = (double)p->k,
        .value_bytes = p->value_bytes};
    return rc_reuse_ns(&d, &of, share);
}

/* Zeros are stored once, and the entries among them. */
static double dense_total(const rc_guess_problem_t *p, double reuse)
{
    static const double begin_ns = 6e4, entry_ns = .1;
    const rates_t *r = rates_of(p);
    if (!r)
        return INFINITY;
    return begin_ns + entry_ns * (double)p->nnz +
           dense_bytes_of(p) / (memory * p->multiprocessors) + reuse * dense_ns(p, r);
}

double rc_guess_total(
    const rc_guess_problem_t *p, const char *kernel, double cost, int ordered, double reuse)
{
    /* the library's fastest over ours, and the original order over `auto`, in the middle */
    static const double vendor = 1.6, original = 1.3;
    static const double order_ns = 4e5, order_entry_ns = .6; /* of `auto` */
    enum { index_bytes = 4 };
    if (rc_vendor_is_dense(kernel))
        return dense_total(p, reuse);
    double sms = at_least_1(p->multiprocessors);
    double nnz = (double)p->nnz;
    double row = at_least_1(p->k) * p->value_bytes;
    double once = nnz * (index_bytes + p->value_bytes) + ((double)p->rows + (double)p->cols) * row;
    double ns = launch_ns + once / (memory * sms) + nnz * row / (cache * sms);
    double factor = rc_vendor_is(kernel) ? vendor : exp(cost);
    if (!ordered && rc_guess_ordered(p))
        factor *= original;
    return setup_of(kernel, nnz) + (ordered ? order_ns + order_entry_ns * nnz : 0) +
           reuse * factor * ns;
}
