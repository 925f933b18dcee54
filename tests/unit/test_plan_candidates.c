/* What a plan tries, and in which order, when nothing is known of the matrix. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "kernels/specs.h"
#include "plan/guess/guess.h"
#include "plan/plan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 1000, TEXT = 4096, MANY = 256 };

/* A device with a last cache of so many bytes, a problem, and the names of its candidates. */
typedef struct asked {
    rc_device_kind_t device;
    rc_op_t op;
    rc_layout_t layout;
    int64_t k;
    int64_t cache_bytes;
} asked_t;

static void names(const asked_t *q, const rc_plan_options_t *o, char *text)
{
    rc_err_t err = {0};
    rc_executor_t x;
    rc_executor_cpu(1, &x);
    x.kind = q->device; /* nothing is run */
    rc_plan_t plan = {.place = {.x = &x, .cache_bytes = q->cache_bytes},
        .op = q->op,
        .layout = q->layout,
        .a = {.rows = 1, .cols = COLUMNS}};
    rc_plan_entry_t e = {.part.k = q->k};
    size_t at = 0;
    text[0] = '\0';
    if (rc_plan_candidates(&plan, o, &e, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < e.part.candidates && at < TEXT; i++)
        at += (size_t)snprintf(text + at, TEXT - at, "%s%s", i ? " " : "", e.candidate[i].kernel);
    free(plan.named);
    free(e.candidate);
}

static int has_cuda(void)
{
    const rc_kernel_t *k = rc_kernel_find("gchunk", RC_DEVICE_CUDA);
    return k && k->device == RC_DEVICE_CUDA;
}

#define OTHERS_ROW                                                                                 \
    " cusparse-csr-row cusparse-csr-bt-turned cusparse-coo-row cusparse-bsr-row rs aspt"
#define OTHERS_COL " gstat gsub cusparse-csr-col cusparse-coo-col cusparse-bsr-col loop-spmv"
#define COLUMNS_NEAR "gchunk-col gchunk-rows-col gpanel-col gstage-col gslice" OTHERS_COL
#define COLUMNS_NARROW "gchunk-col gstage-col gslice gchunk-rows-col gpanel-col" OTHERS_COL
#define COLUMNS_WIDE "gchunk-col gpanel-col gstage-col gslice gchunk-rows-col" OTHERS_COL
#define CR(a, b, c) a "-bcol-crow " b "-bcol-crow " c "-bcol-crow cusparse-csr-bcol-crow"
#define CR_NARROW CR("gchunk", "gpanel", "gstage")
#define CR_WIDE CR("gpanel", "gchunk", "gstage")
#define CR_BEYOND CR("gchunk", "gstage", "gpanel")
#define RC(a, b, c)                                                                                \
    a "-brow-ccol " b "-brow-ccol " c "-brow-ccol cusparse-csr-brow-ccol cusparse-csr-bt-ccol"
#define RC_NEAR RC("gchunk", "gpanel", "gstage")
#define NARROW "gchunk gpanel gstage growmajor" OTHERS_ROW
#define WIDE "gpanel gchunk gstage growmajor" OTHERS_ROW
#define BEYOND "gchunk gstage growmajor gpanel" OTHERS_ROW

/* From which K on, where B fits the last cache and where it does not. */
static const struct {
    rc_device_kind_t device;
    rc_layout_t layout;
    int64_t from_k;
    const char *within;
    const char *beyond;
} spmm[] = {{RC_DEVICE_CUDA, RC_ROW_MAJOR, 1, NARROW, BEYOND},
    {RC_DEVICE_CUDA, RC_ROW_MAJOR, 64, NARROW, WIDE},
    {RC_DEVICE_CUDA, RC_ROW_MAJOR, 1024, WIDE, WIDE},
    {RC_DEVICE_CUDA, RC_COL_MAJOR, 1, COLUMNS_NEAR, COLUMNS_NARROW},
    {RC_DEVICE_CUDA, RC_COL_MAJOR, 64, COLUMNS_NEAR, COLUMNS_WIDE},
    {RC_DEVICE_CUDA, RC_COL_ROW, 1, CR_NARROW, CR_BEYOND},
    {RC_DEVICE_CUDA, RC_COL_ROW, 64, CR_NARROW, CR_WIDE},
    {RC_DEVICE_CUDA, RC_COL_ROW, 1024, CR_WIDE, CR_WIDE},
    {RC_DEVICE_CUDA, RC_ROW_COL, 1, RC_NEAR, RC("gchunk", "gstage", "gpanel")},
    {RC_DEVICE_CUDA, RC_ROW_COL, 64, RC_NEAR, RC_NEAR},
    {RC_DEVICE_CPU, RC_ROW_MAJOR, 1, "rowsplit", "rowsplit"},
    {RC_DEVICE_CPU, RC_COL_MAJOR, 1, "cstat", "cstat"}};
enum { CASES = sizeof spmm / sizeof *spmm };

static void kernels_of_unknown_matrices(void **state)
{
    (void)state;
    static const int64_t ks[] = {1, 2, 31, 32, 63, 64, 65, 128, 1023, 1024, 1025, 4096};
    char found[TEXT];
    for (int i = 0; i < CASES; i++)
        for (size_t j = 0; j < sizeof ks / sizeof *ks; j++) {
            int last = i + 1 == CASES || spmm[i + 1].layout != spmm[i].layout;
            if ((spmm[i].device == RC_DEVICE_CUDA && !has_cuda()) || ks[j] < spmm[i].from_k ||
                (!last && ks[j] >= spmm[i + 1].from_k))
                continue;
            int64_t b = ks[j] * COLUMNS * (int64_t)sizeof(float);
            const int64_t cache[] = {0, b, b - 1}; /* not known; B fits; it does not */
            for (int c = 0; c < 3; c++) {
                const asked_t q = {spmm[i].device, RC_OP_SPMM, spmm[i].layout, ks[j], cache[c]};
                names(&q, &(rc_plan_options_t){0}, found);
                assert_string_equal(found, c < 2 ? spmm[i].within : spmm[i].beyond);
            }
        }
}

/* Kernels that would store columns in pieces have the original order alone, but for who names
 * them. */
static void orders_of_columns(void **state)
{
    (void)state;
    static const asked_t q = {RC_DEVICE_CUDA, RC_OP_SPMM, RC_COL_MAJOR, 64, 1};
    static const char both[] =
        "gpanel-col gchunk-col gpanel-col gstage-col gstage-col gslice gchunk-rows-col "
        "gchunk-rows-col gstat gsub cusparse-csr-col cusparse-csr-col ";
    char found[TEXT];
    if (!has_cuda())
        skip();
    names(&q, &(rc_plan_options_t){.orders = "rcm,csr"}, found);
    assert_memory_equal(found, both, sizeof both - 1);
    names(&q, &(rc_plan_options_t){.orders = "rcm"}, found);
    assert_string_equal(found, "gpanel-col gstage-col gchunk-rows-col cusparse-csr-col "
                               "cusparse-coo-col cusparse-bsr-col loop-spmv");
    names(&q, &(rc_plan_options_t){.orders = "rcm", .kernels = "gslice"}, found);
    assert_string_equal(found, "gslice:strip=0:split=0:b=auto");
}

/* Of other operations in the order of the list. */
static void other_operations(void **state)
{
    (void)state;
    char found[TEXT];
    char listed[TEXT];
    for (int op = 0; op < RC_OPS; op++) {
        size_t at = 0;
        for (int i = 0; rc_kernels[i]; i++) {
            const rc_kernel_t *k = rc_kernels[i];
            if (k->device == RC_DEVICE_CUDA && k->op == (rc_op_t)op && k->layout == RC_COL_MAJOR &&
                k->computes && !k->for_testing)
                at += (size_t)snprintf(
                    listed + at, sizeof listed - at, "%s%s", at ? " " : "", k->name);
        }
        const asked_t q = {RC_DEVICE_CUDA, (rc_op_t)op, RC_COL_MAJOR, 1, 1};
        if (op == RC_OP_SPMM || at == 0)
            continue;
        names(&q, &(rc_plan_options_t){0}, found);
        assert_string_equal(found, listed);
    }
}

/* Orders are built on the device of these plans. */
static rc_status_t builds(rc_executor_t *x, const char *order, const rc_csr_t *a,
    const rc_resident_t *m, rc_resident_rows_t *row, rc_err_t *err)
{
    (void)x, (void)order, (void)a, (void)m, (void)row, (void)err;
    return RC_OK;
}

/* Kernel and order of the first candidates on a GPU that the rule knows, of a mesh. */
static void guessed(
    int64_t rows, int64_t k, rc_layout_t layout, const rc_plan_options_t *o, int most, char *text)
{
    enum { multiprocessors = 132, cache_bytes = 60 << 20, mean = 7 };
    rc_err_t err = {0};
    rc_executor_t x;
    rc_executor_cpu(1, &x);
    x.kind = RC_DEVICE_CUDA; /* nothing is run */
    rc_plan_t plan = {.place = {.x = &x,
                          .order = builds,
                          .cache_bytes = cache_bytes,
                          .multiprocessors = multiprocessors},
        .op = RC_OP_SPMM,
        .layout = layout,
        .a = {.rows = rows, .cols = rows, .nnz = mean * rows},
        .facts = {.longest = mean}};
    rc_plan_entry_t e = {.part.k = k};
    size_t at = 0;
    text[0] = '\0';
    if (rc_plan_candidates(&plan, o, &e, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < e.part.candidates; i++)
        for (int j = 0; j < i; j++)
            assert_true(strcmp(e.candidate[i].kernel, e.candidate[j].kernel) != 0 ||
                        strcmp(e.candidate[i].order, e.candidate[j].order) != 0);
    for (int i = 0; i < e.part.candidates && i < most; i++)
        at += (size_t)snprintf(text + at, TEXT - at, "%s%s@%s", i ? " " : "", e.candidate[i].kernel,
            e.candidate[i].order);
    free(plan.named);
    free(e.candidate);
}

/* Large matrices go under `auto` first, small ones and columns do not; a list of orders is kept. */
static void guesses(void **state)
{
    (void)state;
    enum { large = 1300000, small = 3000, two = 2 };
    char found[TEXT];
    if (!has_cuda())
        return;
    guessed(large, 32, RC_ROW_MAJOR, &(rc_plan_options_t){0}, two, found);
    assert_string_equal(found, "gstage:ctas=4@auto gstage:ctas=4@csr");
    guessed(large, 128, RC_ROW_MAJOR, &(rc_plan_options_t){.tune = 3}, 1, found);
    assert_string_equal(found, "gstage:ctas=4@auto");
    guessed(large, 32, RC_ROW_MAJOR, &(rc_plan_options_t){.orders = "csr"}, 1, found);
    assert_string_equal(found, "gstage:ctas=4@csr");
    guessed(small, 32, RC_ROW_MAJOR, &(rc_plan_options_t){0}, 1, found);
    assert_non_null(strstr(found, "@csr"));
    guessed(small, 32, RC_COL_MAJOR, &(rc_plan_options_t){0}, 1, found);
    assert_non_null(strstr(found, "gchunk-col"));
    guessed(large, 32, RC_ROW_MAJOR, &(rc_plan_options_t){.tune = RC_PLAN_SEARCH}, 1, found);
    assert_non_null(strstr(found, "@csr"));
}

/* What a rule may take needs no pattern on the host, which takes longer to bring there than to multiply with. */
static void guesses_stay_on_the_device(void **state)
{
    (void)state;
    static const struct {
        rc_op_t op;
        rc_layout_t layout;
        int64_t k;
    } of[] = {{RC_OP_SPMM, RC_ROW_MAJOR, 32}, {RC_OP_SPMM, RC_COL_MAJOR, 32}, {RC_OP_SPMV, RC_COL_MAJOR, 1}};
    enum { rows = 20000, mean = 7 };
    if (!has_cuda())
        return;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        const rc_guess_problem_t p = {.op = of[i].op, .layout = of[i].layout, .value_bytes = 4, .k = of[i].k, .rows = rows,
            .cols = rows, .nnz = mean * rows, .longest = mean, .cache_bytes = 60 << 20, .multiprocessors = 132};
        rc_guess_t g;
        rc_guess_kernels(&p, &g);
        assert_true(g.count > 0);
        for (int j = 0; j < g.count; j++) {
            char name[RC_PLAN_KERNEL_MAX];
            (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(g.kernel[j], ":"), g.kernel[j]);
            const rc_kernel_t *k = rc_kernel_find(name, RC_DEVICE_CUDA);
            assert_non_null(k);
            if (k->builds != RC_BUILDS_ALONE)
                fail_msg("%s reads the pattern on the host", name);
        }
    }
}

/* For few products nothing is prepared and nothing ordered; for many both. */
static void guesses_with_reuse(void **state)
{
    (void)state;
    enum { large = 1300000, small = 3000 };
    char found[TEXT];
    char free_of[TEXT];
    if (!has_cuda())
        return;
    for (double reuse = 1; reuse <= 1e6; reuse *= 10)
        for (int is_large = 0; is_large < 2; is_large++) {
            int64_t rows = is_large ? large : small;
            guessed(rows, 32, RC_ROW_MAJOR, &(rc_plan_options_t){.reuse = reuse}, 1, found);
            guessed(rows, 32, RC_ROW_MAJOR, &(rc_plan_options_t){0}, 1, free_of);
            if (reuse == 1)
                assert_string_equal(found, "cusparse-csr-row@csr");
            if (reuse == 1e6)
                assert_string_equal(found, free_of);
        }
}

/* What the drop-in tries: in the order of the guess, each in its turn the first. */
static void guesses_of_ranked(void **state)
{
    (void)state;
    enum { large = 1300000, kernels = 4 };
    char found[TEXT];
    char name[40];
    if (!has_cuda())
        return;
    guessed(large, 32, RC_ROW_MAJOR, &(rc_plan_options_t){.kernels = "ranked"}, 1, found);
    assert_int_equal(strncmp(found, "gstage:", 7), 0);
    for (int turn = 0; turn < 2 * kernels; turn++) {
        char other[TEXT];
        (void)snprintf(name, sizeof name, "ranked:first=%d", turn);
        guessed(large, 32, RC_ROW_MAJOR, &(rc_plan_options_t){.kernels = name}, 1, other);
        assert_int_equal(strcmp(other, found) == 0, turn % kernels == 0);
    }
}

enum { WEIGHTS_N = 4096, WEIGHTS_MEMORY = 1 << 30 };

static int64_t memory_left; /* of the device below */
static int64_t left(const rc_executor_t *x)
{
    (void)x;
    return memory_left;
}

/* Which candidate of a product of weights, with so many entries of 100, is the dense one; -1: none. */
static int dense_at(rc_precision_t precision, rc_layout_t layout, int64_t percent, const rc_plan_options_t *o)
{
    enum { multiprocessors = 132, cache_bytes = 60 << 20 };
    const int64_t n = WEIGHTS_N;
    rc_err_t err = {0};
    rc_executor_t x;
    rc_executor_cpu(1, &x);
    x.kind = RC_DEVICE_CUDA; /* nothing is run */
    rc_plan_t plan = {.place = {.x = &x, .cache_bytes = cache_bytes, .multiprocessors = multiprocessors, .memory = left},
        .op = RC_OP_SPMM,
        .layout = layout,
        .precision = precision,
        .a = {.rows = n, .cols = n, .nnz = n * n * percent / 100},
        .facts = {.longest = n * percent / 100}};
    rc_plan_entry_t e = {.part.k = 512};
    int found = -1;
    if (rc_plan_candidates(&plan, o, &e, &err) != RC_OK)
        fail_msg("%s", err.text);
    for (int i = 0; i < e.part.candidates; i++)
        if (strncmp(e.candidate[i].kernel, "cublas", 6) == 0) {
            assert_int_equal(found, -1); /* once */
            assert_string_equal(e.candidate[i].order, "csr");
            found = i;
        }
    if (!o->kernels) /* what is held against is sparse */
        assert_true(e.part.reference != found);
    free(plan.named);
    free(e.candidate);
    return found;
}

/* The dense product is first where few zeros are, of types that it was measured for, and where it fits. */
static void dense_products(void **state)
{
    (void)state;
    static const rc_plan_options_t plain = {0};
    static const rc_plan_options_t timed = {.tune = 3};
    static const rc_layout_t layouts[] = {RC_ROW_MAJOR, RC_COL_MAJOR};
    const int64_t matrix = (int64_t)WEIGHTS_N * WEIGHTS_N * 2;
    if (!has_cuda())
        skip();
    memory_left = WEIGHTS_MEMORY;
    for (int l = 0; l < 2; l++)
        for (int t = 0; t < RC_TYPES; t++) {
            const rc_precision_t type = (rc_precision_t)t;
            const int is_short = rc_type_among(RC_TYPES_SHORT, type);
            assert_int_equal(dense_at(type, layouts[l], 10, &plain), is_short ? 0 : -1);
            assert_int_equal(dense_at(type, layouts[l], 30, &plain), is_short || type == RC_FP32 ? 0 : -1);
            assert_int_equal(dense_at(type, layouts[l], 0, &plain), -1);
            assert_int_equal(dense_at(type, layouts[l], 0, &timed), -1);
            assert_int_equal(dense_at(type, layouts[l], 10, &timed), is_short ? 0 : type == RC_FP32 ? 1 : -1);
        }
    assert_int_equal(dense_at(RC_BF16, RC_COL_ROW, 30, &timed), -1); /* no kernel is for that */
    const rc_plan_options_t without[] = {{.memory = matrix - 1}, {.deterministic = RC_PLAN_STRICT},
        {.kernels = "ranked"}, {.kernels = "ranked:first=3"}, {.kernels = "cusparse*"}, {.orders = "rcm"},
        {.kernels = "ranked", .deterministic = RC_PLAN_SAME_BITS | RC_PLAN_STRICT}};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_int_equal(dense_at(RC_BF16, RC_ROW_MAJOR, 30, &without[i]), -1);
    assert_int_equal(dense_at(RC_BF16, RC_ROW_MAJOR, 30, &(rc_plan_options_t){.memory = matrix}), 0);
    assert_int_equal(dense_at(RC_BF16, RC_ROW_MAJOR, 30, &(rc_plan_options_t){.kernels = "cublas-dense"}), 0);
    assert_int_equal(dense_at(RC_BF16, RC_ROW_MAJOR, 30, &(rc_plan_options_t){.reuse = 1e6}), 0);
    assert_true(dense_at(RC_BF16, RC_ROW_MAJOR, 30, &(rc_plan_options_t){.reuse = 0.01}) != 0);
    memory_left = 2 * matrix - 2;
    assert_int_equal(dense_at(RC_BF16, RC_ROW_MAJOR, 30, &plain), -1);
    memory_left = 2 * matrix;
    assert_int_equal(dense_at(RC_BF16, RC_ROW_MAJOR, 30, &plain), 0);
}

static void spell(rc_device_kind_t device, rc_op_t op, const char *list, char *text)
{
    rc_kernel_spec_t *spec = NULL;
    int count = 0;
    size_t at = 0;
    rc_err_t err = {0};
    text[0] = '\0';
    if (rc_kernel_specs_parse(list, device, 1u << op, MANY, &spec, &count, &err) != RC_OK)
        fail_msg("%s: %s", list, err.text);
    for (int i = 0; i < count && at < TEXT; i++)
        at +=
            (size_t)snprintf(text + at, TEXT - at, "%s:%s ", spec[i].kernel->name, spec[i].params);
    free(spec);
}

/* What the drop-in tries, from one rank on. */
static void ranked_from(rc_op_t op, const char *const *list, int count)
{
    char expected[TEXT];
    char found[TEXT];
    for (int turn = 0; has_cuda() && turn < 2 * count + 1; turn++) {
        char text[TEXT] = "";
        for (int i = 0; i < count; i++)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "," : "",
                list[(turn + i) % count]);
        spell(RC_DEVICE_CUDA, op, text, expected);
        (void)snprintf(text, sizeof text, "ranked:first=%d", turn);
        spell(RC_DEVICE_CUDA, op, text, found);
        assert_string_equal(found, expected);
    }
}

static void ranked_kernels(void **state)
{
    (void)state;
    static const char *const list[] = {
        "gchunk*", "gpanel*:pairs=no", "gstage*:rows=1", "gslice*", "growmajor*"};
    static const char *const vector[] = {"merge", "hyb", "csr", "ell", "coo"};
    char found[TEXT];
    ranked_from(RC_OP_SPMM, list, sizeof list / sizeof *list);
    ranked_from(RC_OP_SPMV, vector, sizeof vector / sizeof *vector);
    spell(RC_DEVICE_CPU, RC_OP_SPMM, "ranked", found);
    assert_string_equal(found, "cstat:strip=4 rowsplit: ");
    spell(RC_DEVICE_CPU, RC_OP_SPMM, "ranked:first=9223372036854775807", found);
    assert_string_equal(found, "cstat:strip=4 rowsplit: ");
}

static void wrong_ranks(void **state)
{
    (void)state;
    static const struct {
        rc_op_t op;
        const char *list;
        const char *says;
    } wrong[] = {{RC_OP_SPMM, "ranked:last=1", "expected ranked or ranked:first=N"},
        {RC_OP_SPMM, "ranked:first=", "expected ranked or ranked:first=N"},
        {RC_OP_SPMM, "ranked:first=-1", "expected ranked or ranked:first=N"},
        {RC_OP_SPMM, "ranked:first=1:first=2", "expected ranked or ranked:first=N"},
        {RC_OP_SPMM, "rankedd", "unknown kernel 'rankedd'"}, {RC_OP_SPMV, "ranked", "has a rank"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rc_kernel_spec_t *spec = NULL;
        int count = 0;
        rc_err_t err = {0};
        assert_int_equal(rc_kernel_specs_parse(wrong[i].list, RC_DEVICE_CPU, 1u << wrong[i].op,
                             MANY, &spec, &count, &err),
            RC_EINVAL);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("%s: %s", wrong[i].list, err.text);
        assert_null(spec);
    }
}

/* Ranks are 1 to the last, and their lines ascend. */
static void ranks_are_in_range(void **state)
{
    (void)state;
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_rank_t *r = rc_kernels[i]->rank;
        for (int n = 0; n < RC_KERNEL_RANKS && r[n].from_k > 0; n++) {
            assert_true(n == 0 ? r[n].from_k == 1 : r[n].from_k > r[n - 1].from_k);
            assert_in_range(r[n].rank, 1, RC_KERNEL_UNRANKED - 1);
            assert_in_range(r[n].beyond, 1, RC_KERNEL_UNRANKED - 1);
        }
    }
}

/* 1: a kernel of GPUs has an instance. */
static int any_takes(const rc_plan_t *plan)
{
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        if (k->device == RC_DEVICE_CUDA && k->op == plan->op && k->computes && !k->for_testing &&
            (k->layout == plan->layout || !rc_operation_of(plan->op)->has_k) &&
            rc_kernel_takes(k, plan->precision))
            return 1;
    }
    return 0;
}

/* \param[in] sms  of the device; 0: the rule is not asked */
static void check_instances(rc_plan_t *plan, int sms, const rc_plan_options_t *o)
{
    rc_plan_entry_t e = {.part.k = 32};
    rc_err_t err = {0};
    plan->place.multiprocessors = sms;
    rc_status_t st = rc_plan_candidates(plan, o, &e, &err);
    if (any_takes(plan))
        assert_int_equal(st, RC_OK);
    else if (has_cuda()) {
        assert_int_equal(st, RC_ENOTSUP);
        assert_non_null(strstr(err.text, rc_precision_name(plan->precision)));
    }
    for (int i = 0; i < e.part.candidates && has_cuda(); i++) {
        rc_kernel_spec_t spec;
        assert_int_equal(
            rc_kernel_spec_parse(e.candidate[i].kernel, RC_DEVICE_CUDA, &spec, &err), RC_OK);
        if (!rc_kernel_takes(spec.kernel, plan->precision))
            fail_msg(
                "%s has no instance for %s", spec.kernel->name, rc_precision_name(plan->precision));
    }
    free(plan->named);
    free(e.candidate);
    plan->named = NULL;
}

/* Whatever a rule or a rank says: no kernel is a candidate that has no instance for the type. */
static void candidates_have_an_instance(void **state)
{
    (void)state;
    static const rc_plan_options_t how[] = {
        {0}, {.reuse = 10}, {.tune = 3}, {.tune = RC_PLAN_SEARCH}};
    rc_executor_t x;
    rc_executor_cpu(1, &x);
    x.kind = RC_DEVICE_CUDA; /* nothing is run */
    for (int t = 0; t < RC_TYPES; t++)
        for (int op = 0; op < RC_OPS; op++)
            for (int layout = 0; layout < RC_LAYOUTS; layout++)
                for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
                    rc_plan_t plan = {.place = {.x = &x, .cache_bytes = 60 << 20},
                        .op = (rc_op_t)op,
                        .precision = (rc_precision_t)t,
                        .layout = (rc_layout_t)layout,
                        .a = {.rows = 1000, .cols = COLUMNS, .nnz = 7000},
                        .facts = {.longest = 9}};
                    check_instances(&plan, 132, &how[i]);
                    check_instances(&plan, 0, &how[i]);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_of_unknown_matrices),
        cmocka_unit_test(orders_of_columns),
        cmocka_unit_test(other_operations),
        cmocka_unit_test(guesses),
        cmocka_unit_test(guesses_stay_on_the_device),
        cmocka_unit_test(guesses_with_reuse),
        cmocka_unit_test(guesses_of_ranked),
        cmocka_unit_test(dense_products),
        cmocka_unit_test(ranked_kernels),
        cmocka_unit_test(wrong_ranks),
        cmocka_unit_test(ranks_are_in_range),
        cmocka_unit_test(candidates_have_an_instance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
