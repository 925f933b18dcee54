/* A small world to plan a sweep in: descriptors that can be bumped, matrices, a store. */
#ifndef RC_TESTS_WORKLIST_FIXTURE_H
#define RC_TESTS_WORKLIST_FIXTURE_H

#include "scratch.h"
#include "store_fixture.h"
#include "sweep/worklist.h"

enum { MATRICES = 5 };

/* Descriptors that can be bumped, a catalogue of small matrices, and a store. */
typedef struct world {
    rc_policy_t policy[3];
    rc_policy_spec_t policies[3];
    rc_kernel_t kernel;
    rc_kernel_spec_t spec[2];
    int64_t k[4];
    rc_precision_t precision[2];
    rc_entry_t entry[MATRICES];
    char text[MATRICES][2][64];
    rc_catalog_t catalog;
    rc_device_t device;
    rc_sweep_config_t c;
    char store[SCRATCH_PATH];
    int runs;
} world_t;

/* Matrix n of the fixture; the file is there. */
void make_entry(world_t *w, int i);

void make_world(void **state, const char *name, world_t *w);

/* Plan from what the store of the world has. */
rc_worklist_t plan(world_t *w, const char *redo);

void expect(world_t *w, const char *redo, int64_t items, int64_t cases, int64_t done);

void add_features(rc_journal_t *j, rc_digest_t matrix, rc_geometry_t g);

/* Close a journal, and have it in the store. */
void commit(world_t *w, rc_journal_t *j);

/* Do all that a plan of the world would, but leave the cases of one policy out (NULL: none). */
void do_all(world_t *w, const char *but);

/* Every case ends with this status and this text. */
void do_with(world_t *w, rc_case_status_t status, const char *text);

#endif
