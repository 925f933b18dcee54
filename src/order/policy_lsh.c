/* lsh: rows that share columns side by side, in clusters of similar rows (Jiang et al. 2020,
 * section 3.2).  The rules and what the paper leaves open are at the top of lsh.c and cluster.c.
 * Rows only; groups are the clusters.  Rows without a similar one keep their places among the
 * clusters. */
#include "config.h"
#include "base/error.h"
#include "order/lsh.h"

const char *const rc_lsh_automatic[] = {"auto", NULL};

enum { SIGLEN, BSIZE, SIZE, SEED, SIM_MIN, WINDOW, PAIR_MAX };

rc_lsh_rule_t rc_lsh_rule_of(const rc_params_t *params)
{
    const int64_t *v = params->value;
    return (rc_lsh_rule_t){.siglen = v[SIGLEN],
        .bsize = v[BSIZE],
        .size = v[SIZE],
        .seed = v[SEED],
        .window = v[WINDOW],
        .pair_max = v[PAIR_MAX],
        .sim_min = params->real[SIM_MIN]};
}

static void say(const rc_lsh_facts_t *f, rc_facts_t *facts)
{
    rc_fact_number(facts, "units", f->units);
    rc_fact_number(facts, "candidates", f->candidates);
    rc_fact_number(facts, "pairs", f->pairs);
    rc_fact_number(facts, "bands_used", f->bands);
    rc_fact_number(facts, "clusters", f->clusters);
    rc_fact_number(facts, "largest_cluster", f->largest);
}

/* Nothing but a check: the text is that of all parameters. */
rc_status_t rc_lsh_identify(const rc_params_t *params, char *text, rc_err_t *err)
{
    const rc_lsh_rule_t rule = rc_lsh_rule_of(params);
    (void)text;
    return rc_lsh_check(&rule, err);
}

rc_status_t rc_lsh_build(const rc_order_input_t *in, rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err)
{
    const rc_lsh_rule_t rule = rc_lsh_rule_of(in->params);
    rc_lsh_t search = *s;
    search.a = in->a;
    search.rule = &rule;
    RC_PASS(rc_lsh_schedule(&search, out, err));
    say(&search.facts, in->watch.facts);
    return RC_OK;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    return rc_lsh_build(in, &(rc_lsh_t){.threads = in->threads, .in = in}, out, err);
}

const rc_policy_t rc_policy_lsh = {
    .name = "lsh",
    .summary = "clusters of rows that share columns",
    .source = "Jiang et al. 2020, section 3.2",
    .version = 1,
    .on_request = 1,
    .param = {RC_LSH_PARAM_ROWS(RC_LSH_SIZE)},
    .identify = rc_lsh_identify,
    .build = build,
};
