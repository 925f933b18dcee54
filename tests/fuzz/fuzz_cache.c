/* Binary matrix files: what is taken is a valid matrix, and damage is not taken.
 *   byte 0: 0 the rest is the file; else its digests are made to fit before it is read, so that
 * what is behind them is reached (bit 0 the header, bit 1 the arrays) */
#include "config.h"
#include "fuzz.h"

#include "sparse/csr.h"
#include "io/csr_file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_target[] = "cache";

/* The layout of io/csr_file.c, as far as the digests go; small files have a piece an array. */
typedef struct header {
    char magic[8];
    uint32_t version;
    uint32_t order;
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int64_t pieces;
    rc_csr_origin_t origin;
    rc_mtx_info_t info;
    rc_digest_t pieces_digest;
    rc_digest_t digest;
} header_t;
enum { HEADER = 512, ALIGNMENT = 64, ARRAYS = 3 };

static size_t aligned(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void make_digests_fit(uint8_t *file, size_t size, unsigned what)
{
    header_t h;
    rc_digest_t piece[ARRAYS];
    if (size < HEADER)
        return;
    memcpy(&h, file, sizeof h);
    if (what & 2 && h.rows >= 0 && h.nnz >= 0 && (size_t)h.rows < size && (size_t)h.nnz < size) {
        const size_t bytes[ARRAYS] = {((size_t)h.rows + 1) * sizeof(int64_t),
            (size_t)h.nnz * sizeof(int32_t), (size_t)h.nnz * sizeof(double)};
        size_t at = HEADER;
        size_t pieces = 0;
        for (int i = 0; i < ARRAYS; i++) {
            if (at + bytes[i] > size)
                return;
            if (bytes[i])
                piece[pieces++] = rc_digest(file + at, bytes[i]);
            at = aligned(at + bytes[i]);
        }
        if (at + pieces * sizeof *piece > size)
            return;
        memcpy(file + at, piece, pieces * sizeof *piece);
        h.pieces_digest = rc_digest(piece, pieces * sizeof *piece);
    }
    h.digest = rc_digest(&h, offsetof(header_t, digest));
    memcpy(file, &h, sizeof h);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[FUZZ_PATH];
    rc_err_t err = {0};
    rc_csr_file_t *f = NULL;
    rc_csr_t a = {0};
    rc_mtx_info_t info;
    if (size < 1)
        return 0;
    char *file = fuzz_text(data + 1, size - 1);
    if (data[0])
        make_digests_fit((uint8_t *)file, size - 1, data[0]);
    fuzz_path("m.csr", path);
    fuzz_write(path, file, size - 1);
    free(file);
    rc_status_t st = rc_csr_file_open(path, &f, &err);
    if (st == RC_OK) {
        st = rc_csr_file_read(f, 1, &a, &info, &err);
        rc_csr_file_close(f);
    }
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    FUZZ_CHECK(st == RC_OK || st == RC_EFORMAT || st == RC_ENOMEM);
    if (st == RC_OK) {
        FUZZ_CHECK(rc_csr_check(&a, &err) == RC_OK);
        FUZZ_CHECK(memchr(info.field, '\0', sizeof info.field) != NULL);
        FUZZ_CHECK(memchr(info.symmetry, '\0', sizeof info.symmetry) != NULL);
        FUZZ_CHECK(memchr(info.format, '\0', sizeof info.format) != NULL);
    }
    rc_csr_free(&a);
    return 0;
}
