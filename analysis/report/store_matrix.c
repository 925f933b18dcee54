#include "config.h"
#include "analysis/report/store_matrix.h"

#include <string.h>

int rc_entry_of_store(const rc_survey_t *s, const char *name, rc_entry_t *out)
{
    int64_t low = 0;
    int64_t high = rc_view_sources(s->view);
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        rc_source_row_t r;
        rc_view_source(s->view, mid, &r);
        int order = strcmp(r.name, name);
        if (order == 0) {
            *out = (rc_entry_t){.name = (char *)r.name,
                .location = (char *)r.location,
                /* a file that rowcast generate wrote has bytes */
                .where = strcmp(r.where, "generated") == 0 && r.bytes == 0 ? RC_WHERE_GENERATED
                         : strcmp(r.where, "absent") != 0                  ? RC_WHERE_FILE
                                                                           : RC_WHERE_ABSENT};
            return out->where != RC_WHERE_ABSENT;
        }
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return 0;
}

rc_status_t rc_entry_load_measured(
    const rc_entry_t *e, const rc_survey_matrix_t *matrix, rc_csr_t *a, int *usable, rc_err_t *err)
{
    rc_digest_t digest;
    char hex[RC_DIGEST_HEX + 1];
    rc_status_t st = rc_entry_load(e, NULL, 0, NULL, a, NULL, err);
    if (st == RC_OK)
        st = rc_csr_digest(a, &digest, err);
    if (st < 0)
        return st;
    rc_digest_hex(digest, hex);
    *usable = strcmp(hex, matrix->digest) == 0;
    return RC_OK;
}

rc_status_t rc_matrix_of_store(const rc_survey_t *s, const rc_catalog_t *found, int32_t matrix,
    rc_csr_t *a, int *usable, rc_err_t *err)
{
    const char *name = s->matrix[matrix].name;
    rc_entry_t e;
    int64_t i = 0;
    *usable = 0;
    while (i < found->count &&
           (found->entry[i].where == RC_WHERE_ABSENT || strcmp(found->entry[i].name, name) != 0))
        i++;
    if (i < found->count)
        e = found->entry[i];
    else if (!rc_entry_of_store(s, name, &e))
        return RC_OK;
    rc_status_t st = rc_entry_load_measured(&e, &s->matrix[matrix], a, usable, err);
    return st == RC_ENOENT ? RC_OK : st;
}
