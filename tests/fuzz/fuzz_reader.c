/* Matrices in the formats of other programs: the reader gives a valid matrix or one line that says what is
 * wrong, and a look at the file says the same shape.
 *   byte 0: the rest is 0 the file, 1 the arrays of an npz (each a byte for its name, two for its length, and
 *           its bytes), 2 the variables of a MAT-file, 3 the same, compressed as one */
#include "config.h"
#include "fuzz.h"

#include "io/mtx.h"
#include "sparse/csr.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const char fuzz_target[] = "reader";

enum { MOST_ROWS = 1 << 12, HEAD = 128, TAG = 8 };

static void write_npz(const char *path, const uint8_t *data, size_t size)
{
    static const char *const names[] = {"format.npy", "shape.npy", "data.npy", "indices.npy",
        "indptr.npy", "row.npy", "col.npy", "offsets.npy"};
    struct archive *a = archive_write_new();
    FUZZ_CHECK(a && archive_write_set_format_zip(a) == ARCHIVE_OK);
    FUZZ_CHECK(archive_write_set_options(a, "zip:compression=store") == ARCHIVE_OK);
    FUZZ_CHECK(archive_write_open_filename(a, path) == ARCHIVE_OK);
    for (int members = 0; size >= 3 && members < 12; members++) {
        size_t n = (size_t)data[1] | (size_t)data[2] << 8;
        struct archive_entry *e = archive_entry_new();
        n = n < size - 3 ? n : size - 3;
        FUZZ_CHECK(e != NULL);
        archive_entry_set_pathname(e, names[data[0] & 7]);
        archive_entry_set_size(e, (la_int64_t)n);
        archive_entry_set_filetype(e, AE_IFREG);
        FUZZ_CHECK(archive_write_header(a, e) == ARCHIVE_OK);
        FUZZ_CHECK(archive_write_data(a, data + 3, n) == (la_ssize_t)n);
        archive_entry_free(e);
        data += n + 3;
        size -= n + 3;
    }
    FUZZ_CHECK(archive_write_close(a) == ARCHIVE_OK);
    archive_write_free(a);
}

static void write_mat(const char *path, const uint8_t *data, size_t size, int packed)
{
    uLongf n = compressBound((uLong)size);
    unsigned char *file = calloc(1, HEAD + TAG + n + size);
    FUZZ_CHECK(file != NULL);
    memcpy(file, "MATLAB 5.0 MAT-file", 19);
    memcpy(file + 124, "\0\1IM", 4);
    if (packed) {
        FUZZ_CHECK(compress(file + HEAD + TAG, &n, data, (uLong)size) == Z_OK);
        const uint32_t tag[] = {15, (uint32_t)n};
        memcpy(file + HEAD, tag, TAG);
        n += TAG;
    } else if (size) {
        memcpy(file + HEAD, data, size);
        n = (uLongf)size;
    }
    fuzz_write(path, file, HEAD + (size ? n : 0));
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    rc_err_t err = {0};
    rc_csr_t a = {0};
    rc_mtx_info_t info;
    int64_t rows = 0;
    int64_t cols = 0;
    int64_t entries = 0;
    if (size < 1)
        return 0;
    fuzz_path("m", path);
    if ((data[0] & 3) == 0)
        fuzz_write(path, data + 1, size - 1);
    else if ((data[0] & 3) == 1)
        write_npz(path, data + 1, size - 1);
    else
        write_mat(path, data + 1, size - 1, data[0] & 1);
    rc_status_t peeked = rc_mtx_peek(path, &rows, &cols, &entries, &info, &err);
    if (peeked == RC_OK && rows > MOST_ROWS)
        return 0;
    const rc_mtx_bound_t bound = {.bytes = 1 << 24};
    rc_status_t st = rc_mtx_read_within(path, 1, &bound, &a, &info, &err);
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    if (st == RC_OK) {
        FUZZ_CHECK(rc_csr_check(&a, &err) == RC_OK);
        FUZZ_CHECK(
            a.nnz + info.duplicates == info.file_entries || strcmp(info.symmetry, "general") != 0);
        FUZZ_CHECK(peeked < 0 || (a.rows == rows && a.cols == cols));
    }
    rc_csr_free(&a);
    return 0;
}
