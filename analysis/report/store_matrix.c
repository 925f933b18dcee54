#include "config.h"
#include "analysis/report/store_matrix.h"
#include "base/error.h"

#include <string.h>

int rc_entry_of_matrix(const rc_survey_t *s, int32_t matrix, const rc_catalog_t *found,
    const rc_catalog_t *builtin, rc_entry_t *out)
{
    const char *name = s->matrix[matrix].name;
    const rc_entry_t *e = rc_catalog_find(found, name);
    e = e ? e : rc_catalog_find(builtin, name);
    if (e) {
        *out = *e;
        return 1;
    }
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
    RC_PASS(rc_entry_load(e, NULL, 0, NULL, a, NULL, err));
    RC_PASS(rc_csr_digest(a, &digest, err));
    rc_digest_hex(digest, hex);
    *usable = strcmp(hex, matrix->digest) == 0;
    return RC_OK;
}
