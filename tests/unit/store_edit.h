/* Changing a store behind the program's back, as another program would. */
#ifndef RC_TESTS_STORE_EDIT_H
#define RC_TESTS_STORE_EDIT_H

#include "store/schema.h"

/* Change `bytes` bytes at `offset` of a row of a table. */
void store_edit(const char *store, const rc_schema_table_t *t, int64_t row, size_t offset,
    const void *data, size_t bytes);

#define STORE_EDIT(store, table, row, type, member, value)                                         \
    do {                                                                                           \
        const __typeof__(((type *)0)->member) data_ = value;                                       \
        store_edit(store, &rc_schema[table], row, offsetof(type, member), &data_, sizeof data_);   \
    } while (0)

/* Set an attribute of the root. */
void store_set_root(const char *store, const char *name, int32_t value);

/* Set a raw time. */
void store_set_sample(const char *store, int64_t at, int64_t ns);

/* Number of the first row of /results that has at least `reps` raw times, and where they begin. */
int64_t store_timed_row(const char *store, int64_t reps, int64_t *offset);

void store_copy(const char *from, const char *to);

#endif
