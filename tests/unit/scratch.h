/* A scratch folder for a group of tests, and files in it. */
#ifndef RC_TESTS_SCRATCH_H
#define RC_TESTS_SCRATCH_H

#include <stddef.h>

enum { SCRATCH_PATH = 512 };

/* cmocka group fixtures: *state is the folder. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/* "FOLDER/name" in path. */
void scratch_path(void **state, const char *name, char path[SCRATCH_PATH]);

/* Write a file; the test fails when that fails. */
void scratch_write(const char *path, const void *data, size_t bytes);

/* "DIR/name" where DIR is ROWCAST_SHARED, or $top_srcdir/../shared; 0 when there is no such file.
 */
int shared_path(const char *name, char path[SCRATCH_PATH]);

#endif
