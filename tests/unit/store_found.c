#include "config.h"
#include "unit.h"
#include "store_found.h"

#include <stdio.h>
#include <string.h>

void note(void *user, const rc_verify_problem_t *p)
{
    found_t *f = user;
    size_t at = strlen(f->text);
    assert_null(strchr(p->expected, '\n'));
    assert_null(strchr(p->found, '\n'));
    f->count++;
    snprintf(f->text + at, sizeof f->text - at, "%s:%lld: expected %s, found %s\n", p->path,
        (long long)p->row, p->expected, p->found);
}

rc_verify_info_t verify(const char *store, int deep, found_t *f)
{
    const rc_verify_options_t o = {deep};
    rc_verify_info_t info;
    rc_err_t err = {0};
    memset(f, 0, sizeof *f);
    rc_status_t st = rc_verify(store, &o, note, f, &info, &err);
    if (st < 0)
        print_message("%s\n", err.text);
    assert_int_equal(st, RC_OK);
    assert_int_equal(info.problems, f->count);
    return info;
}

rc_verify_info_t is_sound(const char *store)
{
    found_t f;
    rc_verify_info_t info = verify(store, 1, &f);
    if (f.count)
        print_message("%s", f.text);
    assert_int_equal(info.problems, 0);
    assert_int_equal(info.stopped, 0);
    return info;
}
