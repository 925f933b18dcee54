#include "config.h"
#include "io/csr_file.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/replace.h"
#include "base/str.h"
#include "base/threads.h"
#include "sparse/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of this layout, and of what the text reader makes of a file: a change of either needs a new one.
 */
enum { file_version = 2 }; /* 1: nothing told what is generated */

enum { header_bytes = 512, alignment = 64, piece_bytes = 4 << 20, order_mark = 0x01020304 };

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
    rc_digest_t digest; /* of all before it */
} header_t;

_Static_assert(sizeof(header_t) <= header_bytes, "the header has its place");

static const char magic[8] = "RCCSR\r\n\x1a";

/* Where the arrays are, and the digests behind them. */
typedef struct layout {
    int64_t at[3];
    int64_t bytes[3];
    int64_t digests;
    int64_t pieces;
    int64_t size; /* of the file */
} layout_t;

static int64_t aligned(int64_t n)
{
    return (n + alignment - 1) / alignment * alignment;
}

/* 0: no file can be so large */
static int lay_out(int64_t rows, int64_t nnz, layout_t *l)
{
    if (rows < 0 || nnz < 0 || rows > INT32_MAX || nnz > INT64_MAX / 64)
        return 0;
    l->bytes[0] = (rows + 1) * (int64_t)sizeof(int64_t);
    l->bytes[1] = nnz * (int64_t)sizeof(int32_t);
    l->bytes[2] = nnz * (int64_t)sizeof(double);
    l->at[0] = header_bytes;
    l->at[1] = aligned(l->at[0] + l->bytes[0]);
    l->at[2] = aligned(l->at[1] + l->bytes[1]);
    l->digests = aligned(l->at[2] + l->bytes[2]);
    l->pieces = 0;
    for (int i = 0; i < 3; i++) /* a piece does not go over the end of an array */
        l->pieces += (l->bytes[i] + piece_bytes - 1) / piece_bytes;
    l->size = l->digests + l->pieces * (int64_t)sizeof(rc_digest_t);
    return 1;
}

/* Piece number i: where it is in the file and in its array. */
typedef struct piece {
    int array;
    int64_t from; /* in the array */
    int64_t bytes;
} piece_t;

static piece_t piece_of(const layout_t *l, int64_t i)
{
    piece_t p = {0, 0, 0};
    for (; p.array < 3; p.array++) {
        int64_t n = (l->bytes[p.array] + piece_bytes - 1) / piece_bytes;
        if (i < n)
            break;
        i -= n;
    }
    p.from = i * piece_bytes;
    p.bytes = l->bytes[p.array] - p.from < piece_bytes ? l->bytes[p.array] - p.from : piece_bytes;
    return p;
}

static rc_digest_t header_digest(const header_t *h)
{
    return rc_digest(h, offsetof(header_t, digest));
}

/* ------------------------------------------------------------------------ write */

static rc_status_t put(FILE *f, const void *data, int64_t n, int64_t at, rc_err_t *err)
{
    if (fseeko(f, (off_t)at, SEEK_SET) == 0 && fwrite(data, 1, (size_t)n, f) == (size_t)n)
        return RC_OK;
    return rc_fail_errno(err, RC_EIO, errno, "cannot write");
}

static rc_status_t put_all(FILE *f, const rc_csr_t *a, const rc_mtx_info_t *info,
    const rc_csr_origin_t *origin, rc_err_t *err)
{
    const char *array[3] = {
        (const char *)a->row_ptr, (const char *)a->col_idx, (const char *)a->val};
    char room[header_bytes] = {0};
    header_t h;
    layout_t l;
    rc_status_t st = RC_OK;
    if (!lay_out(a->rows, a->nnz, &l))
        return rc_fail(err, RC_ERANGE, "a matrix of %" PRId64 " entries", a->nnz);
    rc_digest_t *digest = rc_alloc((size_t)l.pieces, sizeof *digest, "digests", err);
    RC_PASS(digest ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < l.pieces; i++) {
        piece_t p = piece_of(&l, i);
        const char *data = array[p.array] + p.from;
        digest[i] = rc_digest(data, (size_t)p.bytes);
        RC_TRY(put(f, data, p.bytes, l.at[p.array] + p.from, err));
    }
    RC_TRY(put(f, digest, l.pieces * (int64_t)sizeof *digest, l.digests, err));
    memset(&h, 0, sizeof h); /* with what is between its members */
    memcpy(h.magic, magic, sizeof magic);
    h.version = file_version;
    h.order = order_mark;
    h.rows = a->rows;
    h.cols = a->cols;
    h.nnz = a->nnz;
    h.pieces = l.pieces;
    h.origin = *origin;
    h.info = *info;
    h.pieces_digest = rc_digest(digest, (size_t)l.pieces * sizeof *digest);
    h.digest = header_digest(&h);
    memcpy(room, &h, sizeof h);
    RC_TRY(put(f, room, header_bytes, 0, err));
done:
    free(digest);
    return st;
}

rc_status_t rc_csr_file_write(const char *path, const rc_csr_t *a, const rc_mtx_info_t *info,
    const rc_csr_origin_t *origin, rc_err_t *err)
{
    rc_replace_t r;
    RC_PASS(rc_replace_begin_ours(path, &r, err));
    r.unsynced = 1;
    rc_status_t st = put_all(r.file, a, info, origin, err);
    if (st < 0)
        rc_err_context(err, "%s", path);
    rc_status_t end = rc_replace_end(&r, st == RC_OK, st == RC_OK ? err : NULL);
    return st < 0 ? st : end;
}

/* ------------------------------------------------------------------------- read */

struct rc_csr_file {
    char *path;
    int fd;
    header_t header;
    layout_t layout;
    rc_digest_t *digest; /* [pieces] */
};

static rc_status_t bad(const rc_csr_file_t *f, const char *what, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT, "%s: %s", f->path, what);
}

static rc_status_t read_header(rc_csr_file_t *f, rc_err_t *err)
{
    struct stat s;
    header_t *h = &f->header;
    layout_t *l = &f->layout;
    const rc_mtx_info_t *info = &h->info;
    if (fstat(f->fd, &s) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read %s", f->path);
    int is_long = S_ISREG(s.st_mode) && s.st_size >= (off_t)sizeof *h;
    if (is_long)
        RC_PASS(rc_read_at(f->fd, f->path, h, sizeof *h, 0, err));
    if (!is_long || memcmp(h->magic, magic, sizeof magic) != 0)
        return bad(f, "not a matrix of the cache", err);
    if (h->version != file_version || h->order != order_mark)
        return bad(f, "of another version or byte order", err);
    rc_digest_t d = header_digest(h);
    if (rc_digest_compare(&d, &h->digest) != 0 || !lay_out(h->rows, h->nnz, l) ||
        l->pieces != h->pieces || !memchr(info->field, '\0', sizeof info->field) ||
        !memchr(info->symmetry, '\0', sizeof info->symmetry) ||
        !memchr(info->format, '\0', sizeof info->format))
        return bad(f, "its header is damaged", err);
    if (l->size != (int64_t)s.st_size)
        return bad(f, "cut off or longer than it should be", err);
    RC_PASS(RC_NEW(f->digest, l->pieces, "digests", err));
    int64_t bytes = l->pieces * (int64_t)sizeof *f->digest;
    RC_PASS(rc_read_at(f->fd, f->path, f->digest, bytes, l->digests, err));
    d = rc_digest(f->digest, (size_t)bytes);
    return rc_digest_compare(&d, &h->pieces_digest) == 0 ? RC_OK
                                                         : bad(f, "its digests are damaged", err);
}

rc_status_t rc_csr_file_open(const char *path, rc_csr_file_t **out, rc_err_t *err)
{
    rc_csr_file_t *f = rc_alloc0(1, sizeof *f, "a file", err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    f->fd = -1;
    f->path = rc_strdup(path, err);
    rc_status_t st = f->path ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = rc_open_file(path, RC_OPEN_GIVEN, 0, &f->fd, err);
    if (st == RC_OK)
        st = read_header(f, err);
    if (st < 0)
        rc_csr_file_close(f);
    else
        *out = f;
    return st;
}

void rc_csr_file_close(rc_csr_file_t *f)
{
    if (!f)
        return;
    if (f->fd >= 0)
        close(f->fd);
    free(f->digest);
    free(f->path);
    free(f);
}

const rc_csr_origin_t *rc_csr_file_origin(const rc_csr_file_t *f)
{
    return &f->header.origin;
}

/* Read all pieces; each is compared with its digest while it is in a cache. */
static rc_status_t read_pieces(
    const rc_csr_file_t *f, int threads, char *const array[3], rc_err_t *err)
{
    const layout_t *l = &f->layout;
    rc_status_t failed = RC_OK;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int64_t i = 0; i < l->pieces; i++) {
        rc_status_t st;
        rc_err_t why = {0};
#pragma omp atomic read
        st = failed;
        if (st < 0)
            continue;
        piece_t p = piece_of(l, i);
        char *to = array[p.array] + p.from;
        st = rc_read_at(f->fd, f->path, to, p.bytes, l->at[p.array] + p.from, &why);
        rc_digest_t d = st == RC_OK ? rc_digest(to, (size_t)p.bytes) : f->digest[i];
        if (rc_digest_compare(&d, &f->digest[i]) != 0)
            st = bad(f, "its contents are damaged", &why);
        if (st < 0) {
#pragma omp critical(csr_file_failed)
            if (err)
                *err = why;
#pragma omp atomic write
            failed = st;
        }
    }
    return failed;
}

rc_status_t rc_csr_file_read(
    rc_csr_file_t *f, int threads, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    const header_t *h = &f->header;
    rc_csr_t a = {0};
    int team = rc_thread_count(threads);
    rc_status_t st = rc_csr_alloc(h->rows, h->cols, h->nnz, &a, err);
    if (st < 0)
        return st == RC_ERANGE ? bad(f, "its header is damaged", err) : st;
    char *array[3] = {(char *)a.row_ptr, (char *)a.col_idx, (char *)a.val};
    st = read_pieces(f, team, array, err);
    if (st == RC_OK && rc_csr_check_by(&a, team, NULL) < 0)
        st = bad(f, "its contents are damaged", err);
    if (st < 0) {
        rc_csr_free(&a);
        return st;
    }
    if (info)
        *info = h->info;
    *out = a;
    return RC_OK;
}
