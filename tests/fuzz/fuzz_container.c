/* Matrices in containers, as they come from outside: nothing is read beyond the limits, and nothing
 * is believed that the stricter reader refuses for another reason than its limits.
 *   byte 0: the rest is 0 the file, 1 the inside of a gzip file, 2 text: the matrix in a .tar.gz,
 *           of which a header follows it as it is */
#include "config.h"
#include "fuzz.h"

#include "sparse/csr.h"
#include "io/mtx.h"

#include <stdlib.h>
#include <string.h>

const char fuzz_target[] = "container";

enum { MOST_ROWS = 1 << 12, MOST_BYTES = 1 << 22 };

static int keep_going(void *asked)
{
    ++*(int *)asked;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    rc_err_t err = {0};
    rc_csr_t a = {0};
    int64_t rows = 0;
    int64_t cols = 0;
    int64_t entries = 0;
    rc_mtx_info_t info;
    rc_mtx_counts_t counts = {0};
    int asked = 0;
    if (size < 1)
        return 0;
    fuzz_path("m.tar.gz", path);
    if (data[0] & 1)
        fuzz_write_gzip(path, data + 1, size - 1);
    else
        fuzz_write(path, data + 1, size - 1);
    rc_mtx_limits_t limits = {
        .label = "m", .source = {"m", MOST_BYTES}, .stop = keep_going, .stop_arg = &asked};
    rc_status_t strict = rc_mtx_count(path, 1, &limits, &counts, &err);
    FUZZ_CHECK(strict == RC_OK || (err.status == strict && err.text[0] && !strchr(err.text, '\n')));
    rc_status_t st = rc_mtx_peek(path, &rows, &cols, &entries, &info, &err);
    FUZZ_CHECK(strict < 0 || st == RC_OK);
    FUZZ_CHECK(
        strict < 0 || (counts.rows == rows && counts.cols == cols && counts.entries == entries));
    if (st == RC_OK && rows <= MOST_ROWS) {
        st = rc_mtx_read(path, 1, &a, &info, &err);
        FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
        FUZZ_CHECK(strict < 0 || st == RC_OK || st == RC_ERANGE);
        FUZZ_CHECK(st < 0 || rc_csr_check(&a, &err) == RC_OK);
        rc_csr_free(&a);
    }
    return 0;
}
