/* The Matrix Market reader against an fscanf reader, on a generated file.
 * BENCH_MTX_MB: size of the file in MB (default 1000). */
#include "config.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/str.h"
#include "rowcast_io.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { entry_bytes = 34, row_length = 8, megabyte = 1000000 };

/* Entries in row order, values with 16 to 17 digits: the slow case for a number parser. */
static int write_file(const char *path, int64_t bytes)
{
    int64_t n = bytes / entry_bytes;
    int64_t rows = n / row_length + 1;
    FILE *f = fopen(path, "w");
    if (!f)
        return -1;
    fprintf(f,
        "%%%%MatrixMarket matrix coordinate real general\n%" PRId64 " %" PRId64 " %" PRId64 "\n",
        rows, rows, n);
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    for (int64_t k = 0; k < n; k++)
        fprintf(f, "%" PRId64 " %" PRIu64 " %.17g\n", k / row_length + 1,
            rc_rng_below(&r, (uint64_t)rows) + 1, rc_rng_unit(&r) - 0.5);
    return fclose(f);
}

typedef struct result {
    double seconds;
    double cpu;    /* seconds of processor time, all threads: less disturbed by other work */
    double peak;   /* bytes of memory of the process */
    double matrix; /* bytes of the result */
    double text;   /* fscanf: seconds until the triples are there, the matrix not yet */
} result_t;

static int scan(FILE *f, result_t *out)
{
    char line[256];
    long rows;
    long cols;
    long n;
    if (!fgets(line, sizeof line, f) || fscanf(f, "%ld %ld %ld", &rows, &cols, &n) != 3)
        return -1;
    rc_triple_t *t = malloc((size_t)n * sizeof *t);
    if (!t)
        return -1;
    int code = 0;
    for (long k = 0; k < n && code == 0; k++) {
        long i = 0;
        long j = 0;
        if (fscanf(f, "%ld %ld %lf", &i, &j, &t[k].val) != 3)
            code = -1;
        t[k].row = (int32_t)(i - 1);
        t[k].col = (int32_t)(j - 1);
    }
    out->text = (double)rc_clock_ns() * 1e-9;
    rc_csr_t a = {0};
    if (code == 0 && rc_csr_from_triples(rows, cols, t, n, 1, &a, NULL, NULL) < 0)
        code = -1;
    out->matrix = (double)rc_csr_bytes(rows, n);
    rc_csr_free(&a);
    free(t);
    return code;
}

static int by_fscanf(const char *path, result_t *out)
{
    int64_t start = rc_clock_ns();
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    int code = scan(f, out);
    fclose(f);
    out->seconds = (double)(rc_clock_ns() - start) * 1e-9;
    out->text -= (double)start * 1e-9;
    return code;
}

static int by_reader(const char *path, int threads, result_t *out)
{
    rc_csr_t a;
    rc_err_t err;
    int64_t start = rc_clock_ns();
    if (rc_mtx_read(path, threads, &a, NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    out->seconds = (double)(rc_clock_ns() - start) * 1e-9;
    out->matrix = (double)rc_csr_bytes(a.rows, a.nnz);
    rc_csr_free(&a);
    return 0;
}

/* Measure in a child, so that each peak of memory is its own.  threads 0: fscanf. */
static int measure(const char *path, int threads, result_t *out)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child == 0) {
        result_t r = {0, 0, 0, 0, 0};
        struct rusage usage;
        int code = threads ? by_reader(path, threads, &r) : by_fscanf(path, &r);
        getrusage(RUSAGE_SELF, &usage);
        r.peak = (double)usage.ru_maxrss * 1024;
        r.cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
        _exit(code != 0 || write(ends[1], &r, sizeof r) != sizeof r);
    }
    close(ends[1]);
    ssize_t n = read(ends[0], out, sizeof *out);
    close(ends[0]);
    int status = 0;
    return waitpid(child, &status, 0) == child && status == 0 && n == sizeof *out ? 0 : -1;
}

static int best_of(int rounds, const char *path, int threads, result_t *out)
{
    for (int i = 0; i < rounds; i++) {
        result_t r;
        if (measure(path, threads, &r) != 0)
            return -1;
        if (i == 0 || r.seconds < out->seconds)
            *out = r;
    }
    return 0;
}

static int run(const char *path, int64_t bytes)
{
    struct stat info;
    if (write_file(path, bytes) != 0 || stat(path, &info) != 0) {
        perror(path);
        return 1;
    }
    double size = (double)info.st_size;
    result_t base = {0, 0, 0, 0, 0};
    printf("file: %.0f MB; memory beyond the result / file size: 1 would be a copy of the file;\n"
           "the triples between file and matrix are 1.33 x the matrix\n",
        size / megabyte);
    printf("both readers end in a CSR matrix; fscanf's triples go through the same builder\n");
    printf("%-22s %9s %9s %9s %9s %9s %12s\n", "reader", "s", "MB/s", "x fscanf", "cpu s",
        "x fscanf", "extra / file");
    for (int threads = 0; threads <= 2; threads++) {
        result_t r = {0, 0, 0, 0, 0};
        if (best_of(threads ? 3 : 1, path, threads, &r) != 0)
            return 1;
        if (threads == 0)
            base = r;
        char name[40];
        snprintf(name, sizeof name, threads ? "rowcast, %d thread%s" : "fscanf, to CSR", threads,
            threads > 1 ? "s" : "");
        if (threads == 0)
            printf("%-22s %9.2f %9.0f\n", "fscanf, text only", r.text, size / megabyte / r.text);
        printf("%-22s %9.2f %9.0f %9.2f %9.2f %9.2f %12.2f\n", name, r.seconds,
            size / megabyte / r.seconds, base.seconds / r.seconds, r.cpu, base.cpu / r.cpu,
            (r.peak - r.matrix) / size);
    }
    return 0;
}

int main(void)
{
    const char *text = getenv("BENCH_MTX_MB");
    const char *tmp = getenv("TMPDIR");
    int64_t mb = 1000;
    rc_err_t err;
    if (text && rc_parse_int(text, 1, 1000000, "BENCH_MTX_MB", &mb, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    rc_str_t path = {0};
    rc_str_addf(&path, "%s/bench-mtx-XXXXXX", tmp ? tmp : "/tmp");
    if (path.failed || !mkdtemp(path.text)) {
        perror("a temporary folder");
        return 1;
    }
    size_t folder = path.len;
    rc_str_add(&path, "/bench.mtx");
    int code = path.failed ? 1 : run(path.text, mb * megabyte);
    unlink(path.text);
    path.text[folder] = '\0';
    rmdir(path.text);
    rc_str_free(&path);
    return code;
}
