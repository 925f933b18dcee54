/* What the tests of the store share: cases, records and journals made by hand, random contents. */
#ifndef RC_TESTS_STORE_FIXTURE_H
#define RC_TESTS_STORE_FIXTURE_H

#include "base/outcome.h"
#include "base/rng.h"
#include "store/journal.h"

/* A random text of at most `max` bytes, without NULs, in text[max + 1]. */
void random_text(rc_rng_t *r, char *text, size_t max);
void random_case(rc_rng_t *r, rc_case_t *c);

/* The case of matrix number `matrix` under a policy and K; the rest is the same for all. */
rc_case_t make_case(int matrix, const char *policy, int64_t k);

/* A run: number n has the n-th name and start; journals sort in that order. */
rc_rec_run_t make_run(int n, int rank);

/* Append records to a journal; the test fails when that fails. */
void add_begin(rc_journal_t *j, const rc_case_t *c, rc_phase_t phase);
void add_begin_source(rc_journal_t *j, int matrix, rc_phase_t phase);
void add_source(rc_journal_t *j, int matrix, int status, const char *text);
void add_result(rc_journal_t *j, const rc_case_t *c, int status, double median_ns);
void add_ended(
    rc_journal_t *j, const rc_case_t *c, int status, double median_ns, const char *text);
void add_settled(rc_journal_t *j);
void add_end(rc_journal_t *j, int state);

/* The same for one of several matrices in hand; add_settled settles all. */
void add_begin_of(rc_journal_t *j, int64_t job, const rc_case_t *c, rc_phase_t phase);
void add_begin_source_of(rc_journal_t *j, int64_t job, int matrix, rc_phase_t phase);
void add_settled_of(rc_journal_t *j, int64_t job, int over);
void add_lost(rc_journal_t *j, int64_t job);

/* Digest of matrix number n, "G/m<n>", which is (10 n + 10) x (10 n + 10). */
rc_digest_t matrix_digest(int n);

/* Contents of a file, free(). */
unsigned char *slurp(const char *path, size_t *bytes);

/* Copy a folder of plain files; the target is made. */
void copy_folder(const char *from, const char *to);

#endif
