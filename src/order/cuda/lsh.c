/* The GPU form of src/order/policy_lsh.c and policy_jiang.c: these policies, with pairs that a
 * GPU finds.  The pattern goes to the host, which makes the units, merges the clusters and, for
 * jiang, counts the tiles; signatures, sorting and similarities of a band are the GPU's, and so
 * are the sorted list and the set of the pairs, which come back as the host makes them. After
 * each band the host asks how many pairs there are: a stream that is captured cannot have this. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "order/cuda/lsh_pairs.h"
#include "order/lsh.h"

#include <stdlib.h>

/* Memory of a search that does not grow. */
typedef struct fixed {
    char *base; /* NULL: it is only counted */
    int64_t used;
} fixed_t;

typedef struct search {
    rc_cuda_lsh_t l;
    char *work;
} search_t;

static void *take(fixed_t *f, int64_t bytes)
{
    enum { align = 256 };
    void *p = f->base ? f->base + f->used : NULL;
    f->used = rc_sat_add(f->used, rc_sat_mul((bytes + align - 1) / align, align));
    return p;
}

/* Lay out what a search of n units needs. */
static rc_status_t lay_out(
    rc_cuda_lsh_t *l, const rc_lsh_rule_t *rule, int64_t n, fixed_t *f, rc_err_t *err)
{
    RC_PASS(rc_cuda_sort64_bytes(n, &l->temp_bytes, err));
    l->words = rule->bsize / 2 + rule->bsize % 2;
    for (int i = 0; i < 2; i++)
        l->word[i] = take(f, rc_sat_mul(l->words, n * (int64_t)sizeof *l->word[i]));
    l->by.key = take(f, n * (int64_t)sizeof *l->by.key);
    l->by.key_beside = take(f, n * (int64_t)sizeof *l->by.key);
    l->by.value = take(f, n * (int64_t)sizeof *l->by.value);
    l->by.value_beside = take(f, n * (int64_t)sizeof *l->by.value);
    l->by.n = n;
    l->unit = take(f, n * (int64_t)sizeof *l->unit);
    l->found = take(f, (int64_t)sizeof *l->found);
    l->temp = take(f, l->temp_bytes);
    return RC_OK;
}

/* ------------------------------------------------------------------- pairs */

static rc_status_t grow_list(rc_cuda_lsh_t *l, int64_t room, rc_err_t *err)
{
    rc_executor_t *x = l->x;
    uint64_t *from[] = {l->similar, l->pair};
    void *to[] = {NULL, NULL};
    size_t have = (size_t)l->pairs * sizeof *l->pair;
    rc_status_t st = RC_OK;
    for (int i = 0; i < 2 && st == RC_OK; i++) {
        st = x->alloc(x, (size_t)room * sizeof *l->pair, &to[i], err);
        if (st == RC_OK && have > 0)
            st = rc_cuda_check(
                cudaMemcpyAsync(to[i], from[i], have, cudaMemcpyDeviceToDevice, rc_cuda_stream(x)),
                "pairs of rows", err);
    }
    for (int i = 0; i < 2; i++)
        x->release(x, st == RC_OK ? (void *)from[i] : to[i]);
    if (st < 0)
        return st;
    l->similar = to[0];
    l->pair = to[1];
    l->room = room;
    return RC_OK;
}

/* The first `end` pairs of the list are in the set from now on. */
static rc_status_t remember(rc_cuda_lsh_t *l, int64_t end, rc_err_t *err)
{
    rc_executor_t *x = l->x;
    int bits = l->slot ? l->bits : RC_PAIR_BITS_MIN;
    void *slot = NULL;
    while (!rc_pair_set_fits(end, INT64_C(1) << bits))
        bits++;
    if (l->slot && bits == l->bits)
        return rc_cuda_lsh_remember(l, l->pairs, end, err);
    size_t bytes = sizeof *l->slot << bits;
    rc_status_t st = x->alloc(x, bytes, &slot, err);
    if (st == RC_OK)
        st = x->fill(x, slot, 0, bytes, err);
    x->release(x, l->slot);
    l->slot = slot;
    l->bits = bits;
    return st < 0 ? st : rc_cuda_lsh_remember(l, 0, end, err);
}

static rc_status_t ask_found(rc_cuda_lsh_t *l, int64_t *out, rc_err_t *err)
{
    unsigned long long found = 0;
    rc_status_t st = l->x->download(l->x, &found, l->found, sizeof found, err);
    *out = (int64_t)found;
    return st;
}

/* Pairs of a band, found again where the list was too short for them. */
static rc_status_t compare_band(rc_cuda_lsh_t *l, rc_err_t *err)
{
    rc_executor_t *x = l->x;
    unsigned long long before = (unsigned long long)l->pairs;
    int64_t found = 0;
    RC_PASS(rc_cuda_lsh_sort(l, err));
    for (;;) {
        RC_PASS(x->upload(x, l->found, &before, sizeof before, err));
        RC_PASS(rc_cuda_lsh_compare(l, err));
        RC_PASS(ask_found(l, &found, err));
        if (found <= l->room)
            break;
        RC_PASS(grow_list(l, found > 2 * l->room ? found : 2 * l->room, err));
    }
    RC_PASS(remember(l, found, err));
    l->pairs = found;
    return RC_OK;
}

/* As on the host: without a window the candidates are counted before one is looked at. */
static rc_status_t check_candidates(rc_cuda_lsh_t *l, int64_t bands, rc_err_t *err)
{
    enum { bytes = 32 }; /* of a pair, in the list and in the set */
    int64_t most = l->units * (l->units - 1) / 2;
    int64_t all = 0;
    rc_status_t st = RC_OK;
    for (int64_t b = 0; st == RC_OK && b < bands; b++) {
        int64_t found = 0;
        RC_TRY(l->x->fill(l->x, l->found, 0, sizeof *l->found, err));
        RC_TRY(rc_cuda_lsh_sign(l, b, l->word[0], err));
        RC_TRY(rc_cuda_lsh_sign(l, b, l->word[1], err));
        RC_TRY(rc_cuda_lsh_sort(l, err));
        RC_TRY(rc_cuda_lsh_count(l, err));
        RC_TRY(ask_found(l, &found, err));
        all = rc_sat_add(all, found);
    }
    all = all < most ? all : most;
    st = rc_pairs_check_memory(all, rc_sat_mul(all, bytes), err);
done:
    return st;
}

static rc_status_t compare_bands(
    rc_cuda_lsh_t *l, const rc_lsh_rule_t *rule, rc_lsh_facts_t *facts, rc_err_t *err)
{
    int64_t bands = rule->siglen / rule->bsize;
    if (rule->window == 0)
        RC_PASS(check_candidates(l, bands, err));
    RC_PASS(rc_cuda_lsh_sign(l, 0, l->word[0], err));
    while (facts->bands < bands) {
        RC_PASS(rc_cuda_lsh_sign(l, (facts->bands + 1) % bands, l->word[1], err));
        RC_PASS(compare_band(l, err));
        uint64_t *word = l->word[0];
        l->word[0] = l->word[1];
        l->word[1] = word;
        facts->bands++;
        if (rule->pair_max > 0 && l->pairs > rc_sat_mul(rule->pair_max, l->units))
            break;
    }
    facts->pairs = l->pairs;
    return RC_OK;
}

/* ----------------------------------------------------------- to the host */

/* The list, sorted where 32 bits number it: else the host does that. */
static rc_status_t deliver_list(const rc_cuda_lsh_t *l, rc_pair_list_t *list, rc_err_t *err)
{
    rc_executor_t *x = l->x;
    int64_t bytes = 0;
    size_t all = (size_t)l->pairs * sizeof *list->pair;
    void *work = NULL;
    void *out = NULL;
    rc_status_t st;
    RC_TRY(rc_pair_list_reserve(list, l->pairs, err));
    if (l->pairs <= INT32_MAX) {
        RC_TRY(rc_cuda_lsh_rank_bytes(l->pairs, &bytes, err));
        RC_TRY(x->alloc(x, (size_t)bytes, &work, err));
    }
    RC_TRY(x->alloc(x, all, &out, err));
    RC_TRY(rc_cuda_lsh_rank(l, work, out, err));
    RC_TRY(x->download(x, list->pair, out, all, err));
    list->count = l->pairs;
done:
    x->release(x, work);
    x->release(x, out);
    return st;
}

static rc_status_t deliver_set(const rc_cuda_lsh_t *l, rc_pair_set_t *seen, rc_err_t *err)
{
    size_t slots = (size_t)1 << l->bits;
    RC_PASS(rc_pairs_check_memory(l->pairs, (int64_t)(slots * sizeof *seen->slot), err));
    RC_PASS(RC_NEW(seen->slot, slots, "pairs of rows", err));
    seen->slots = (int64_t)slots;
    seen->count = l->pairs;
    return l->x->download(l->x, seen->slot, l->slot, slots * sizeof *seen->slot, err);
}

static rc_status_t find_pairs(rc_lsh_t *s, rc_err_t *err)
{
    const search_t *of = s->of;
    const rc_lsh_rule_t *rule = s->rule;
    const rc_units_t *units = &s->units;
    rc_cuda_lsh_t l = of->l;
    fixed_t room = {of->work, 0};
    rc_status_t st;
    if (units->count < 2) /* candidates are not counted here */
        return RC_OK;
    RC_TRY(lay_out(&l, rule, units->count, &room, err));
    l.units = units->count;
    l.bsize = rule->bsize;
    l.key = rc_rng_key((uint64_t)rule->seed);
    l.window = rule->window > 0 ? rule->window : INT64_MAX;
    l.sim_min = rc_lsh_sim_min(rule);
    RC_TRY(l.x->upload(l.x, (void *)l.unit, units->row, (size_t)l.units * sizeof *l.unit, err));
    RC_TRY(grow_list(&l, 4 * l.units, err));
    RC_TRY(compare_bands(&l, rule, &s->facts, err));
    if (l.pairs > 0) {
        RC_TRY(deliver_list(&l, &s->list, err));
        RC_TRY(deliver_set(&l, &s->seen, err));
    }
done:
    l.x->release(l.x, l.similar);
    l.x->release(l.x, l.pair);
    l.x->release(l.x, l.slot);
    return st;
}

/* ------------------------------------------------------------------- order */

/* \param[out] out  a pattern; free with rc_csr_free */
static rc_status_t fetch(rc_executor_t *x, const rc_cuda_pattern_t *a, rc_csr_t *out, rc_err_t *err)
{
    rc_csr_t c = {.rows = a->rows, .cols = a->cols, .nnz = a->nnz};
    size_t rows = (size_t)a->rows + 1;
    c.row_ptr = rc_alloc(rows, sizeof *c.row_ptr, "a matrix", err);
    c.col_idx = rc_alloc((size_t)a->nnz, sizeof *c.col_idx, "a matrix", err);
    rc_status_t st = c.row_ptr && c.col_idx ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = x->download(x, c.row_ptr, a->row_ptr, rows * sizeof *c.row_ptr, err);
    if (st == RC_OK && a->nnz > 0)
        st = x->download(x, c.col_idx, a->col_idx, (size_t)a->nnz * sizeof *c.col_idx, err);
    if (st < 0)
        rc_csr_free(&c);
    else
        *out = c;
    return st;
}

typedef rc_status_t (*policy_t)(
    const rc_order_input_t *in, rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err);

static rc_status_t order(
    policy_t policy, search_t *s, const rc_params_t *params, int32_t *slots, rc_err_t *err)
{
    rc_executor_t *x = s->l.x;
    rc_lsh_t lsh = {.find = find_pairs, .threads = x->threads, .of = s};
    rc_csr_t a = {.rows = 0};
    rc_schedule_t out = {.slots = 0};
    rc_status_t st;
    RC_TRY(fetch(x, &s->l.a, &a, err));
    const rc_order_input_t in = {.a = &a, .params = params, .threads = x->threads};
    RC_TRY(policy(&in, &lsh, &out, err));
    RC_TRY(x->upload(x, slots, out.row, (size_t)a.rows * sizeof *slots, err));
done:
    rc_schedule_free(&out);
    rc_csr_free(&a);
    return st;
}

static rc_status_t build(policy_t policy, rc_executor_t *x, const rc_cuda_pattern_t *a,
    const rc_params_t *params, void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    const rc_lsh_rule_t rule = rc_lsh_rule_of(params);
    search_t s = {.l = {.x = x, .a = *a}, .work = work};
    fixed_t room = {NULL, 0};
    int index;
    int is_captured = 0;
    RC_PASS(rc_lsh_check(&rule, err));
    if (!work) {
        RC_PASS(lay_out(&s.l, &rule, a->rows, &room, err));
        *bytes = room.used;
        return RC_OK;
    }
    RC_PASS(rc_cuda_stream_info(rc_cuda_stream(x), &index, &is_captured, err));
    if (is_captured)
        return rc_fail(
            err, RC_ENOTSUP, "the stream is being captured, and this order waits for it");
    return order(policy, &s, params, slots, err);
}

static rc_status_t build_lsh(rc_executor_t *x, const rc_cuda_pattern_t *a,
    const rc_params_t *params, void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    return build(rc_lsh_build, x, a, params, work, bytes, slots, err);
}

static rc_status_t build_jiang(rc_executor_t *x, const rc_cuda_pattern_t *a,
    const rc_params_t *params, void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    return build(rc_jiang_build, x, a, params, work, bytes, slots, err);
}

extern const rc_cuda_order_t rc_cuda_order_lsh;
const rc_cuda_order_t rc_cuda_order_lsh = {"lsh", build_lsh};

extern const rc_cuda_order_t rc_cuda_order_jiang;
const rc_cuda_order_t rc_cuda_order_jiang = {"jiang", build_jiang};
