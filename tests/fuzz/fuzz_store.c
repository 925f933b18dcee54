/* Bytes of HDF5 without a seal: they are read as 'rowcast verify --unsealed' and 'query --unsealed' do, in
 * a child process, and are accepted or refused with a text.  HDF5 crashes on some; then it is the child
 * that dies, the guard says so, and the input counts as caught (the target returns -1). */
#include "config.h"
#include "fuzz.h"

#include "store/guard.h"
#include "store/verify.h"
#include "table/view.h"

#include <string.h>
#include <unistd.h>

const char fuzz_target[] = "store";

enum { SECONDS = 5 };

static void ignore(void *user, const rc_verify_problem_t *p)
{
    (void)user;
    (void)p;
}

static int is_said(rc_status_t st, const rc_err_t *err)
{
    return st == RC_OK || (err->status == st && err->text[0] && !strchr(err->text, '\n'));
}

/* What the child does.  Returns its exit code: 0 when all that failed was said. */
static int read_store(const char *path)
{
    const rc_verify_options_t options = {0};
    rc_verify_info_t info;
    rc_view_t *view = NULL;
    rc_err_t err = {0};
    if (!is_said(rc_verify(path, &options, ignore, NULL, &info, &err), &err))
        return 2;
    memset(&err, 0, sizeof err);
    rc_status_t st = rc_view_read(path, &view, &err);
    if (st == RC_OK)
        rc_view_free(view);
    return is_said(st, &err) ? 0 : 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    rc_err_t err = {0};
    const rc_guard_limits_t limits = {.cpu_s = SECONDS};
    int unsealed = 0;
    int child = 0;
    int code = 0;
    fuzz_path("s.h5", path);
    fuzz_write(path, data, size);
    FUZZ_CHECK(rc_guard_look(path, &unsealed, &err) == RC_OK);
    if (!unsealed) { /* no HDF5 is refused before HDF5 sees it */
        rc_view_t *view = NULL;
        FUZZ_CHECK(rc_view_read(path, &view, &err) == RC_ESTORE && is_said(RC_ESTORE, &err));
        return 0;
    }
    rc_status_t st = rc_guard_fork(path, &limits, &child, &code, &err);
    if (child)
        _exit(read_store(path));
    FUZZ_CHECK(is_said(st, &err));
    FUZZ_CHECK(st == RC_OK || st == RC_ESTORE);
    FUZZ_CHECK(code == 0);
    return st == RC_OK ? 0 : -1;
}
