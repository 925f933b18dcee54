/* Random stores that are sound, and what a store holds as lines of text, without ids and order. */
#ifndef RC_TESTS_STORE_RANDOM_H
#define RC_TESTS_STORE_RANDOM_H

#include "store_fixture.h"
#include "store_place.h"

/* Append a result as a rank would: an ok one has 1 to 9 raw times and the statistics of them, made
 * by other code than that of the program. */
void add_measured(rc_journal_t *j, rc_rng_t *r, const rc_case_t *c, int status, int64_t utc_ns);

/* Runs first .. first + runs - 1, each folded before the next begins; run n begins at second 1000
 * n. They are about a few matrices, cases and messages, which other stores have too; some runs die.
 * The same seed gives the same runs. */
void random_store(const place_t *p, uint64_t seed, int first, int runs);

/* Sorted lines. */
typedef struct lines {
    char **line;
    size_t count;
    size_t capacity;
} lines_t;

/* One line per row of every table, raw times and features included: of a run what it began as, of
 * a journal its name. */
lines_t lines_of(const char *store);
void lines_free(lines_t *l);

/* Each line as often as that one of both has it that has it more often.  Takes over a. */
lines_t lines_unite(lines_t a, const lines_t *b);

/* Fails the test with the first difference. */
void lines_equal(const lines_t *a, const lines_t *b);

#endif
