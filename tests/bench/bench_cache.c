/* A matrix out of the cache's binary form against the text reader, and against a copy in memory.
 * BENCH_MTX_MB: size of the text in MB (default 400). */
#include "config.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "sparse/csr.h"
#include "io/csr_file.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { entry_bytes = 34, row_length = 8, megabyte = 1000000, rounds = 5 };

static rc_status_t make(int64_t bytes, rc_csr_t *out, rc_err_t *err)
{
    int64_t nnz = bytes / entry_bytes / row_length * row_length;
    int64_t rows = nnz / row_length;
    rc_rng_t r;
    rc_status_t st = rc_csr_alloc(rows, rows * row_length, nnz, out, err);
    if (st < 0)
        return st;
    rc_rng_seed(&r, 1);
    for (int64_t k = 0; k < nnz; k++) {
        int64_t place = k % row_length;
        out->col_idx[k] = (int32_t)(place * rows + (int64_t)rc_rng_below(&r, (uint64_t)rows));
        out->val[k] = rc_rng_unit(&r) - 0.5;
    }
    for (int64_t i = 0; i <= rows; i++)
        out->row_ptr[i] = i * row_length;
    return RC_OK;
}

typedef enum way { BY_TEXT, BY_CACHE, BY_COPY } way_t;

/* Seconds of one load; negative: it failed. */
static double load(way_t way, const char *path, int threads, const rc_csr_t *a)
{
    rc_csr_t b = {0};
    rc_csr_file_t *f = NULL;
    rc_err_t err = {0};
    int64_t start = rc_clock_ns();
    rc_status_t st;
    if (way == BY_TEXT)
        st = rc_mtx_read(path, threads, &b, NULL, &err);
    else if (way == BY_CACHE) {
        st = rc_csr_file_open(path, &f, &err);
        if (st == RC_OK)
            st = rc_csr_file_read(f, threads, &b, NULL, &err);
        rc_csr_file_close(f);
    } else {
        st = rc_csr_alloc(a->rows, a->cols, a->nnz, &b, &err);
        if (st == RC_OK) {
            memcpy(b.row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
            memcpy(b.col_idx, a->col_idx, (size_t)a->nnz * sizeof *a->col_idx);
            memcpy(b.val, a->val, (size_t)a->nnz * sizeof *a->val);
        }
    }
    double s = (double)(rc_clock_ns() - start) * 1e-9;
    if (st < 0)
        fprintf(stderr, "%s\n", err.text);
    rc_csr_free(&b);
    return st < 0 ? -1 : s;
}

static double best(way_t way, const char *path, int threads, const rc_csr_t *a, int n)
{
    double least = -1;
    for (int i = 0; i < n; i++) {
        double s = load(way, path, threads, a);
        if (s < 0)
            return -1;
        if (least < 0 || s < least)
            least = s;
    }
    return least;
}

static int run(const char *text, const char *binary, int64_t bytes)
{
    rc_csr_t a = {0};
    rc_err_t err = {0};
    struct stat s;
    static const rc_mtx_info_t info = {.field = "real"};
    static const rc_csr_origin_t origin = {.bytes = 1};
    if (make(bytes, &a, &err) < 0 || rc_mtx_write(text, &a, NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    int64_t start = rc_clock_ns();
    if (rc_csr_file_write(binary, &a, &info, &origin, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    double write_s = (double)(rc_clock_ns() - start) * 1e-9;
    double size = (double)rc_csr_bytes(a.rows, a.nnz);
    double text_bytes = stat(text, &s) == 0 ? (double)s.st_size : 0;
    double copy = best(BY_COPY, NULL, 1, &a, rounds);
    if (copy < 0)
        return 1;
    printf("matrix of %" PRId64
           " entries, %.0f MB in memory, %.0f MB of text; the files are in the "
           "system's cache\n",
        a.nnz, size * 1e-6, text_bytes * 1e-6);
    printf("%-22s %8.3f s %7.2f GB/s of matrix\n", "copy, 1 thread", copy, size * 1e-9 / copy);
    printf("%-22s %8.3f s %7.2f GB/s\n", "write binary", write_s, size * 1e-9 / write_s);
    for (int threads = 1; threads <= 2; threads++) {
        double t = best(BY_TEXT, text, threads, &a, 2);
        double c = best(BY_CACHE, binary, threads, &a, rounds);
        if (t < 0 || c < 0)
            return 1;
        printf(
            "text, %d threads        %8.3f s %7.2f GB/s of matrix\n", threads, t, size * 1e-9 / t);
        printf("cache, %d threads       %8.3f s %7.2f GB/s; %.1f times as fast as text, %.2f of a "
               "copy\n",
            threads, c, size * 1e-9 / c, t / c, copy / c);
    }
    rc_csr_free(&a);
    return 0;
}

int main(void)
{
    const char *mb = getenv("BENCH_MTX_MB");
    const char *tmp = getenv("TMPDIR");
    int64_t n = 400;
    char dir[256];
    char text[300];
    char binary[300];
    if (mb && rc_parse_int(mb, 1, 1000000, "BENCH_MTX_MB", &n, NULL) < 0)
        return 2;
    snprintf(dir, sizeof dir, "%.200s/rowcast-bench-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    snprintf(text, sizeof text, "%s/m.mtx", dir);
    snprintf(binary, sizeof binary, "%s/m.csr", dir);
    int code = run(text, binary, n * megabyte);
    unlink(text);
    unlink(binary);
    rmdir(dir);
    return code;
}
