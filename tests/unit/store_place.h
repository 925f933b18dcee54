/* A store of its own for a test, in the scratch folder. */
#ifndef RC_TEST_STORE_PLACE_H
#define RC_TEST_STORE_PLACE_H

#include "scratch.h"
#include "store/commit.h"
#include "store/journal.h"
#include "table/view.h"

typedef struct place {
    char store[SCRATCH_PATH];
    char journals[SCRATCH_PATH];
    char fresh[SCRATCH_PATH]; /* what a commit writes before it renames it */
} place_t;

place_t make_place(void **state, const char *name);

/* A new journal of a rank; close it with rc_journal_close. */
rc_journal_t *open_journal(const place_t *p, int run, int rank);

/* Commit all journals; fails the test when that fails. */
rc_commit_info_t fold(const place_t *p);

/* Read the store; free with rc_view_free. */
rc_view_t *view(const place_t *p);

#endif
