#include "config.h"
#include "unit.h"
#include "store_fixture.h"
#include "store_place.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

place_t make_place(void **state, const char *name)
{
    place_t p;
    char text[80];
    snprintf(text, sizeof text, "%s.h5", name);
    scratch_path(state, text, p.store);
    snprintf(text, sizeof text, "%s.h5.journal", name);
    scratch_path(state, text, p.journals);
    snprintf(text, sizeof text, "%s.h5.commit-tmp", name);
    scratch_path(state, text, p.fresh);
    return p;
}

rc_journal_t *open_journal(const place_t *p, int run, int rank)
{
    rc_journal_t *j;
    rc_rec_run_t r = make_run(run, rank);
    mkdir(p->journals, 0777);
    assert_int_equal(rc_journal_create(p->journals, &r, &j, NULL), RC_OK);
    return j;
}

rc_commit_info_t fold(const place_t *p)
{
    rc_commit_info_t info;
    rc_err_t err = {0};
    rc_status_t st =
        rc_commit(p->store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, &err);
    if (st < 0)
        print_message("%s\n", err.text);
    assert_int_equal(st, RC_OK);
    assert_int_not_equal(access(p->fresh, F_OK), 0);
    return info;
}

rc_view_t *view(const place_t *p)
{
    rc_view_t *v;
    rc_err_t err = {0};
    rc_status_t st = rc_view_read(p->store, &v, &err);
    if (st < 0)
        print_message("%s\n", err.text);
    assert_int_equal(st, RC_OK);
    return v;
}
