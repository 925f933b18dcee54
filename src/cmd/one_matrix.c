#include "config.h"
#include "cmd/one_matrix.h"
#include "base/threads.h"
#include "cmd/named.h"
#include "order/policy.h"

#include <string.h>

rc_status_t rc_one_matrix_policy(const char *policy, int *orders, rc_err_t *err)
{
    rc_policy_spec_t spec;
    rc_status_t st = rc_policy_spec_parse(policy, &spec, err);
    if (st == RC_ENOENT || st == RC_ERANGE)
        st = err->status = RC_EINVAL; /* a wrong word on the command line */
    *orders = strcmp(policy, "csr") != 0;
    return st;
}

rc_status_t rc_one_matrix_work(const rc_one_matrix_work_t *work, rc_call_t *call, rc_err_t *err)
{
    const rc_one_matrix_options_t *o = call->options;
    rc_one_matrix_t m = {.command = call->name,
        .word = call->operand[0],
        .geometry = {(int32_t)o->nw, (int32_t)o->nt, (int32_t)o->line},
        .threads = rc_thread_count((int)o->threads),
        .format = call->format};
    int orders = 0;
    call->words_are_right = 1;
    rc_status_t st = work->check(call->options, &orders, err);
    if (st == RC_OK)
        st = rc_command_load(m.word, m.threads, o->memory, orders, &m.a, &m.info, err);
    if (st == RC_OK)
        st = rc_command_name_file(m.word, work->work(&m, call->options, err), err);
    rc_csr_free(&m.a);
    return st;
}
