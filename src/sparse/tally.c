#include "config.h"
#include "sparse/tally.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_tally_reset(rc_tally_t *t, int64_t columns, rc_err_t *err)
{
    int bits = 4;
    while (INT64_C(1) << bits < 2 * columns)
        bits++;
    int64_t n = INT64_C(1) << bits;
    if (n > t->room) {
        free(t->slot);
        t->room = 0;
        RC_PASS(RC_NEW(t->slot, n, "counts of columns", err));
        t->room = n;
    }
    t->bits = bits;
    memset(t->slot, -1, (size_t)n * sizeof *t->slot);
    return RC_OK;
}

void rc_tally_free(rc_tally_t *t)
{
    free(t->slot);
    *t = (rc_tally_t){0};
}
