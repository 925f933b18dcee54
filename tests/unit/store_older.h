/* Stores as an older schema has them, which no program of this version writes. */
#ifndef RC_TESTS_STORE_OLDER_H
#define RC_TESTS_STORE_OLDER_H

#include "store/schema.h"

/* Rewrite each table of a store without the fields that later versions added, and each enumeration
 * without the last names that no row has; the version is 1.0 then. */
void store_make_older(const char *store);

/* Rewrite one table without a field. */
void store_drop_field(const char *store, rc_table_id_t table, const char *field);

#endif
