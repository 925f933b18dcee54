#include "config.h"
#include "store/prove.h"
#include "base/error.h"
#include "base/open.h"
#include "store/h5.h"
#include "store/seal.h"

rc_status_t rc_prove(const char *fresh, const rc_contents_t *expected, rc_err_t *err)
{
    rc_contents_t found = {0};
    rc_h5_t h = {.file = -1};
    rc_seal_t seal = {0};
    rc_status_t st;
    RC_TRY(rc_h5_open(fresh, 0, &h, err));
    RC_TRY(rc_h5_contents_all(&h, &found, err));
    RC_TRY(rc_h5_close(&h, err));
    RC_TRY(rc_contents_compare(expected, &found, fresh, err));
    RC_TRY(rc_seal_write(fresh, err));
    RC_TRY(rc_seal_check_file(fresh, &seal, err));
    if (!seal.present)
        RC_TRY(rc_fail(err, RC_EIO, "%s: the disk lost the seal that was written", fresh));
    st = rc_sync_file(fresh, err);
done:
    (void)rc_h5_close(&h, NULL);
    rc_contents_free(&found);
    if (st == RC_ESTORE) /* what this process wrote a moment ago */
        st = err ? (err->status = RC_EIO) : RC_EIO;
    return st;
}
