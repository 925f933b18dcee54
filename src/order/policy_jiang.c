/* jiang: the first round of Jiang et al. 2020, section 4: the original order when more than
 * skip_dense of the entries are in dense tiles already, else lsh.  The second round, of the sparse
 * part, belongs to the kernel that has tiles: what it would do by rule is said among the facts.
 *
 * What identifies the parameters leaves out those at their defaults, siglen excepted: a store keeps
 * 96 bytes of them.  A default that changes therefore needs another version. */
#include "config.h"
#include "base/error.h"
#include "order/lsh.h"
#include "sparse/tiles.h"

enum { PANEL = RC_LSH_PARAMS, COL_MIN, TILE_COLS, TILE_MIN, SKIP_DENSE };

extern const rc_policy_t rc_policy_jiang;

static int is_default(const rc_params_t *p, int i)
{
    const rc_param_t *params = rc_policy_jiang.param;
    if (params[i].type != RC_PARAM_REAL)
        return p->value[i] == params[i].value;
    return p->real[i] == params[i].real || (isnan(p->real[i]) && isnan(params[i].real));
}

static rc_status_t identify(const rc_params_t *p, char *text, rc_err_t *err)
{
    const rc_param_t *params = rc_policy_jiang.param;
    const rc_lsh_rule_t rule = rc_lsh_rule_of(p);
    unsigned which = 1;
    for (int i = 1; i < rc_params_count(params); i++)
        which |= is_default(p, i) ? 0 : 1u << i;
    RC_PASS(rc_lsh_check(&rule, err));
    return rc_params_text_of(params, p, which, text, err);
}

static rc_tile_rule_t tile_rule(const rc_params_t *p)
{
    return (rc_tile_rule_t){.panel = (int32_t)p->value[PANEL],
        .col_min = (int32_t)p->value[COL_MIN],
        .tile_cols = (int32_t)p->value[TILE_COLS],
        .tile_min = (int32_t)p->value[TILE_MIN]};
}

/* What the second round would do, of the order that the first one left. */
static rc_status_t say_second(const rc_order_input_t *in, const rc_schedule_t *s, rc_err_t *err)
{
    const double enough = 0.10;
    const rc_tile_rule_t rule = tile_rule(in->params);
    rc_tile_figures_t f;
    RC_PASS(rc_tile_shares(in->a, s, &rule, in->threads, &f, err));
    if (f.nnz_dense == in->a->nnz)
        rc_fact_text(in->watch.facts, "round_2", "skipped: no entries outside of tiles");
    else
        rc_fact_text(in->watch.facts, "round_2",
            f.rest_similarity > enough ? "skipped: rest_similarity %.6g > %g"
                                       : "lsh: rest_similarity %.6g <= %g",
            f.rest_similarity, enough);
    return RC_OK;
}

rc_status_t rc_jiang_build(
    const rc_order_input_t *in, rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err)
{
    const rc_tile_rule_t tiles = tile_rule(in->params);
    double skip = in->params->real[SKIP_DENSE];
    rc_tiles_t t;
    RC_PASS(rc_tiles_find(in->a, NULL, &tiles, s->threads, &t, err));
    double ratio = rc_tiles_ratio(&t, in->a);
    rc_tiles_free(&t);
    int stays = ratio > skip;
    RC_PASS(stays ? rc_schedule_original(in->a, out, err) : rc_lsh_build(in, s, out, err));
    if (!in->watch.facts)
        return RC_OK;
    rc_fact_text(in->watch.facts, "round_1",
        stays ? "skipped: dense_ratio %.6g > %g" : "lsh: dense_ratio %.6g <= %g", ratio, skip);
    return say_second(in, out, err);
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return rc_jiang_build(in, &(rc_lsh_t){.threads = in->threads, .in = in}, out, err);
}

const rc_policy_t rc_policy_jiang = {
    .name = "jiang",
    .summary = "lsh where few entries are in dense tiles, else the original order",
    .source = "Jiang et al. 2020, section 4",
    .version = 1,
    .on_request = 1,
    .param = {RC_LSH_PARAM_ROWS(RC_LSH_SIZE), {"panel", "slots of a panel", 128, 1, INT32_MAX, 0},
        {"col_min", "entries of a column that is dense in a panel", 16, 1, INT32_MAX, 0},
        {"tile_cols", "columns of a tile", 128, 1, INT32_MAX, 0},
        {"tile_min", "dense columns below which a panel has no tile", 17, 1, INT32_MAX, 0},
        {.name = "skip_dense",
            .help = "share of entries in tiles above which the order stays",
            .type = RC_PARAM_REAL,
            .real = 0.1,
            .real_min = 0,
            .real_max = 1}},
    .identify = identify,
    .build = build,
};
