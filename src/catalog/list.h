/** \file catalog/list.h  Building a catalogue entry by entry.  Private to src/catalog. */
#ifndef RC_CATALOG_LIST_H
#define RC_CATALOG_LIST_H

#include "catalog/catalog.h"

/** Append an entry of which nothing is known but its name.
 *  \param[in]  group, name  copied; name is without the group
 *  \param[out] out  borrowed until the next append; its texts are owned by the catalogue
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_catalog_append(rc_catalog_t *b, const char *group, const char *name,
    const char *kind, rc_entry_t **out, rc_err_t *err);

/** Append a deep copy of an entry; as rc_catalog_append. */
rc_status_t rc_catalog_append_copy(
    rc_catalog_t *b, const rc_entry_t *entry, rc_entry_t **out, rc_err_t *err);

/** Replace the location of an entry by a copy of `location`.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_entry_set_location(
    rc_entry_t *e, rc_where_t where, const char *location, rc_err_t *err);

/** qsort comparison of two rc_entry_t by (group, name) in byte order. */
int rc_entry_compare(const void *a, const void *b);

/** The name of an entry without its group. */
const char *rc_entry_short_name(const rc_entry_t *e);

#endif
