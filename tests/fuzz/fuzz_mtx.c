/* Matrix Market text, plain: the reader gives a valid matrix or one line that says where the file
 * is wrong; the same whatever its blocks; counting agrees; what is written reads back as the same.
 *   byte 0: how the file is cut into blocks and slices; then the text */
#include "config.h"
#include "fuzz.h"

#include "sparse/csr.h"
#include "io/mtx.h"
#include "io/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_target[] = "mtx";

/* A size line may ask for as many rows as there are: the memory for them is no bug, and costs time.
 */
enum { MOST_ROWS = 1 << 12 };

static void written_reads_back(const rc_csr_t *a)
{
    char path[FUZZ_PATH];
    rc_err_t err = {0};
    rc_csr_t b = {0};
    rc_digest_t x;
    rc_digest_t y;
    for (int64_t i = 0; i < a->nnz; i++)
        if (!isfinite(a->val[i]))
            return;
    fuzz_path("again.mtx", path);
    FUZZ_CHECK(rc_mtx_write(path, a, NULL, &err) == RC_OK);
    FUZZ_CHECK(rc_mtx_read(path, 1, &b, NULL, &err) == RC_OK);
    FUZZ_CHECK(rc_csr_digest(a, &x, &err) == RC_OK && rc_csr_digest(&b, &y, &err) == RC_OK);
    FUZZ_CHECK(rc_digest_compare(&x, &y) == 0);
    rc_csr_free(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    char packed[FUZZ_PATH];
    rc_err_t err = {0};
    rc_err_t other = {0};
    rc_csr_t a = {0};
    rc_csr_t b = {0};
    rc_mtx_info_t info;
    rc_mtx_counts_t counts;
    int64_t rows = 0;
    int64_t cols = 0;
    int64_t entries = 0;
    if (size < 1)
        return 0;
    size_t block = (size_t)(data[0] & 15) * 7 + 1;
    size_t slice = (size_t)(data[0] >> 4) * 5 + 1;
    fuzz_path("m.mtx", path);
    fuzz_write(path, data + 1, size - 1);
    if (rc_reader_of(path)) /* a file of another format, which fuzz_reader reads */
        return 0;
    rc_status_t st = rc_mtx_peek(path, &rows, &cols, &entries, &info, &err);
    if (st == RC_OK && (rows > MOST_ROWS || cols > INT32_MAX))
        return 0;
    st = rc_mtx_read(path, 1, &a, &info, &err);
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    FUZZ_CHECK(rc_mtx_read_blocks(path, 1, block, slice, &b, NULL, &other) == st);
    FUZZ_CHECK(st == RC_OK || strcmp(err.text, other.text) == 0);
    rc_csr_free(&b);
    /* as a stream: what is missing at its end is seen later than another fault */
    fuzz_path("m.mtx.gz", packed);
    fuzz_write_gzip(packed, data + 1, size - 1);
    rc_status_t streamed = rc_mtx_read_blocks(packed, 1, block, slice, &b, NULL, &other);
    FUZZ_CHECK((streamed == RC_OK) == (st == RC_OK));
    rc_status_t counted = rc_mtx_count(path, 1, NULL, &counts, &other);
    FUZZ_CHECK(counted == st);
    if (st == RC_OK) {
        rc_digest_t x;
        rc_digest_t y;
        FUZZ_CHECK(rc_csr_check(&a, &err) == RC_OK);
        FUZZ_CHECK(a.rows == rows && a.cols == cols && info.file_entries == entries);
        FUZZ_CHECK(counts.rows == rows && counts.cols == cols && counts.entries == entries);
        FUZZ_CHECK(counts.expanded == a.nnz + info.duplicates);
        FUZZ_CHECK(rc_csr_digest(&a, &x, &err) == RC_OK && rc_csr_digest(&b, &y, &err) == RC_OK);
        FUZZ_CHECK(rc_digest_compare(&x, &y) == 0);
        written_reads_back(&a);
    }
    rc_csr_free(&a);
    rc_csr_free(&b);
    return 0;
}
