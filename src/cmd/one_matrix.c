#include "config.h"
#include "cmd/one_matrix.h"
#include "base/threads.h"
#include "cmd/load.h"
#include "order/policy.h"

#include <string.h>

rc_status_t rc_one_matrix_policy(const char *policy, rc_err_t *err)
{
    rc_policy_spec_t spec;
    rc_status_t st = rc_policy_spec_parse(policy, &spec, err);
    if (st == RC_ENOENT || st == RC_ERANGE)
        st = err->status = RC_EINVAL; /* a wrong word on the command line */
    return st;
}

static rc_status_t run(const char *word, const void *options, const rc_one_matrix_work_t *work,
    rc_one_matrix_t *m, rc_err_t *err)
{
    const rc_one_matrix_options_t *o = options;
    *m = (rc_one_matrix_t){.word = word,
        .geometry = {(int32_t)o->nw, (int32_t)o->nt, (int32_t)o->line},
        .threads = rc_thread_count((int)o->threads)};
    rc_status_t st = rc_table_format_parse(o->format, &m->format, err);
    if (st == RC_OK && work->check)
        st = work->check(options, err);
    if (st == RC_OK)
        st = rc_command_load(word, m->threads, o->memory,
            work->policy && strcmp(work->policy(options), "csr") != 0, &m->a, &m->info, err);
    if (st == RC_OK)
        st = rc_command_name_file(word, work->work(m, options, err), err);
    return st;
}

int rc_one_matrix_run(
    const rc_command_t *c, void *options, const rc_one_matrix_work_t *work, int argc, char **argv)
{
    char **operands;
    rc_one_matrix_t m;
    rc_err_t err = {0};
    int code = rc_command_parse(c, options, argc, argv, 1, 1, &operands);
    if (code != RC_EXIT_OK)
        return code;
    rc_status_t st = run(operands[0], options, work, &m, &err);
    rc_csr_free(&m.a);
    if (st == RC_ENOTSUP)
        fprintf(stderr, "rowcast %s: %s\n", c->name, err.text);
    return st == RC_ENOTSUP ? RC_EXIT_ERROR : st < 0 ? rc_command_fail(c, &err) : RC_EXIT_OK;
}
