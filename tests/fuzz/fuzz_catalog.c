/* The index of the collection: a list of entries within their bounds, in order, or one line that
 * says where it is wrong. */
#include "config.h"
#include "fuzz.h"

#include "catalog/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_target[] = "catalog";

static int is_share(double v)
{
    return v >= 0 && v <= 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    rc_err_t err = {0};
    rc_catalog_t c = {0};
    fuzz_path("ssstats.csv", path);
    fuzz_write(path, data, size);
    rc_status_t st = rc_catalog_read(path, &c, &err);
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    if (st < 0) {
        FUZZ_CHECK(st == RC_EFORMAT && c.entry == NULL && c.count == 0);
        return 0;
    }
    for (int64_t i = 0; i < c.count; i++) {
        const rc_entry_t *e = &c.entry[i];
        size_t group = strlen(e->group);
        FUZZ_CHECK(strncmp(e->name, e->group, group) == 0 && e->name[group] == '/');
        FUZZ_CHECK(!strchr(e->name + group + 1, '/') && e->name[0] != '.');
        FUZZ_CHECK(e->name[group + 1] != '.' && e->name[group + 1] != '\0');
        FUZZ_CHECK(e->rows >= 0 && e->cols >= 0 && e->nnz >= 0 && e->pattern_nnz >= 0);
        FUZZ_CHECK(is_share(e->pattern_symmetry) && is_share(e->numerical_symmetry));
        FUZZ_CHECK(e->where == RC_WHERE_ABSENT && e->id >= 1);
        FUZZ_CHECK(i == 0 || strcmp(c.entry[i - 1].name, e->name) != 0);
    }
    int64_t all = c.count;
    rc_catalog_slice(&c, 1, 2);
    int64_t first = c.count;
    rc_catalog_free(&c);
    FUZZ_CHECK(rc_catalog_read(path, &c, &err) == RC_OK);
    rc_catalog_slice(&c, 2, 2);
    FUZZ_CHECK(first + c.count == all);
    rc_catalog_free(&c);
    return 0;
}
