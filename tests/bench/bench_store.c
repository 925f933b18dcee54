/* Merging and verifying large stores, against copying their bytes.
 * BENCH_STORE_ROWS: results in each of the two stores (default 500,000), with 12 raw times each. */
#include "config.h"

#include "base/clock.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/str.h"
#include "store/dict.h"
#include "store/h5.h"
#include "store/merge.h"
#include "store/seal.h"
#include "store/verify.h"
#include "table/view.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPS = 12, BLOCK = 10000, PER_MATRIX = 250, RANKS = 4 };

static const char *const policies[] = {"csr", "lpt", "cta", "warp", "hybrid1"};
enum { POLICIES = sizeof policies / sizeof *policies };

static void fill(
    const rc_dicts_t *d, int store, int64_t i, rc_rng_t *r, rc_row_result_t *row, int64_t *ns)
{
    rc_case_t c;
    rc_stats_t s;
    double x[REPS];
    memset(row, 0, sizeof *row);
    row->matrix = (int32_t)(i / PER_MATRIX);
    row->policy = (int32_t)(i % POLICIES);
    row->k = 1 + i % PER_MATRIX / POLICIES;
    row->nw = row->nt = row->line = 32;
    row->rank = (int32_t)(i / 1000 % RANKS); /* as a commit leaves them: rank by rank */
    row->seq = i;
    row->utc_ns = (i / (1000 * RANKS) * 1000 + i % 1000) * 1000 + row->rank * 10 + store;
    row->reps = REPS;
    row->batch = 3;
    row->status = RC_CASE_OK;
    row->stop = RC_STOP_TARGET;
    row->message = -1;
    row->sample_offset = i * REPS;
    for (int k = 0; k < REPS; k++) {
        ns[k] = 10000 + (int64_t)rc_rng_below(r, 1000);
        x[k] = (double)ns[k] / (double)row->batch;
    }
    rc_stats_compute(x, REPS, &s);
    row->median_ns = s.median;
    row->min_ns = s.min;
    row->mean_ns = s.mean;
    row->sd_ns = s.sd;
    row->rel_err = s.rel_err;
    if (rc_dicts_case(d, row, &c) == RC_OK) {
        memcpy(row->case_id, rc_digest_hex(rc_case_id(&c)).text, sizeof row->case_id);
    }
}

static rc_status_t fill_dicts(rc_dicts_t *d, int store, int64_t rows)
{
    rc_err_t err;
    int32_t id;
    rc_rec_run_t run = {.started_ns = 1 + store, .ranks = RANKS, .rank = 0};
    snprintf(run.uuid, sizeof run.uuid, "%032d", store);
    rc_status_t st = rc_dict_run(d, &run, &id, &err);
    for (int64_t m = 0; st == RC_OK && m <= rows / PER_MATRIX; m++) {
        rc_rec_source_t s = {.rows = 10, .cols = 10, .nnz = 10};
        snprintf(s.name, sizeof s.name, "G/m%d", (int)m);
        st = rc_dict_matrix(d, rc_digest(&m, sizeof m), &s, &id, &err);
    }
    for (int i = 0; st == RC_OK && i < POLICIES; i++)
        st = rc_dict_policy(d, policies[i], 1, "", &id, &err);
    if (st == RC_OK)
        st = rc_dict_kernel(d, "kernel", 1, "strip=4", &id, &err);
    return st < 0 ? st : rc_dict_device(d, "device", &id, &err);
}

static rc_status_t make(const char *path, int store, int64_t rows)
{
    rc_h5_t h;
    rc_err_t err;
    rc_rng_t r;
    rc_dicts_t d;
    rc_row_result_t *row = calloc(BLOCK, sizeof *row);
    int64_t *ns = calloc((size_t)BLOCK * REPS, sizeof *ns);
    rc_dicts_init(&d);
    rc_rng_seed(&r, (uint64_t)store);
    rc_status_t st = row && ns ? rc_h5_create(path, 0, &h, &err) : RC_ENOMEM;
    if (st < 0)
        return st;
    st = fill_dicts(&d, store, rows);
    if (st == RC_OK)
        st = rc_dicts_write(&d, &h, &err);
    for (int64_t at = 0; st == RC_OK && at < rows; at += BLOCK) {
        int64_t n = rows - at < BLOCK ? rows - at : BLOCK;
        for (int64_t i = 0; i < n; i++)
            fill(&d, store, at + i, &r, &row[i], ns + i * REPS);
        st = rc_h5_append(&h, &rc_schema_samples, ns, n * REPS, NULL, &err);
        if (st == RC_OK)
            st = rc_h5_append(&h, &rc_schema[RC_T_RESULT], row, n, NULL, &err);
    }
    rc_status_t closed = rc_h5_close(&h, &err);
    rc_dicts_free(&d);
    free(row);
    free(ns);
    return st < 0 ? st : closed < 0 ? closed : rc_seal_write(path, &err);
}

/* ------------------------------------------------------------------------ figures */

static void count(void *user, const rc_verify_problem_t *p)
{
    (void)p;
    ++*(int64_t *)user;
}

static int copy(const char *from, const char *to)
{
    static char buffer[1 << 20];
    int in = open(from, O_RDONLY);
    int out = open(to, O_WRONLY | O_CREAT | O_APPEND, 0666);
    ssize_t n = 0;
    while (in >= 0 && out >= 0 && (n = read(in, buffer, sizeof buffer)) > 0)
        if (write(out, buffer, (size_t)n) != n)
            n = -1;
    int bad = in < 0 || out < 0 || n < 0 || fsync(out) != 0;
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return bad;
}

typedef struct place {
    char a[256];
    char b[256];
    char out[256];
    char copy[256];
} place_t;

static int do_copy(const place_t *p)
{
    return copy(p->a, p->copy) || copy(p->b, p->copy);
}

static int do_merge(const place_t *p)
{
    const char *const in[] = {p->a, p->b};
    const rc_merge_options_t o = {0, 0};
    rc_err_t err = {0};
    int bad = rc_merge(p->out, in, 2, &o, NULL, &err) < 0;
    if (bad)
        fprintf(stderr, "%s\n", err.text);
    return bad;
}

static int do_verify(const place_t *p)
{
    const rc_verify_options_t o = {0};
    rc_verify_info_t info;
    int64_t problems = 0;
    return rc_verify(p->out, &o, count, &problems, &info, NULL) < 0 || problems != 0;
}

static int do_check(const place_t *p)
{
    rc_seal_t seal;
    int fd = open(p->out, O_RDONLY);
    int bad = fd < 0 || rc_seal_check(fd, p->out, NULL, NULL, &seal, NULL) < 0 || !seal.present;
    if (fd >= 0)
        close(fd);
    return bad;
}

static int do_view(const place_t *p)
{
    rc_view_t *v = NULL;
    int bad = rc_view_read(p->out, &v, NULL) < 0;
    if (!bad)
        rc_view_free(v);
    return bad;
}

/* Seconds, and the most memory in MB, in a child of its own. */
static int measure(int (*work)(const place_t *p), const place_t *p, double *seconds, double *mb)
{
    fflush(stdout);
    int64_t start = rc_clock_ns();
    pid_t child = fork();
    if (child < 0)
        return 1;
    if (child == 0)
        _exit(work(p));
    struct rusage usage;
    int status = 0;
    if (wait4(child, &status, 0, &usage) < 0 || status != 0)
        return 1;
    *seconds = (double)(rc_clock_ns() - start) * 1e-9;
    *mb = (double)usage.ru_maxrss * 1024e-6;
    return 0;
}

int main(void)
{
    static const struct {
        const char *name;
        int (*work)(const place_t *p);
    } steps[] = {{"copy both", do_copy}, {"merge", do_merge}, {"merge again", do_merge},
        {"verify", do_verify}, {"check the seal", do_check}, {"read for a query", do_view}};
    const char *word = getenv("BENCH_STORE_ROWS");
    const char *tmp = getenv("TMPDIR");
    int64_t rows = 500000;
    place_t p;
    struct stat s;
    char dir[200];
    if (word && rc_parse_int(word, 1, INT64_C(100000000), "BENCH_STORE_ROWS", &rows, NULL) < 0)
        return 2;
    snprintf(dir, sizeof dir, "%s/bench-store-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return 1;
    snprintf(p.a, sizeof p.a, "%s/a.h5", dir);
    snprintf(p.b, sizeof p.b, "%s/b.h5", dir);
    snprintf(p.out, sizeof p.out, "%s/out.h5", dir);
    snprintf(p.copy, sizeof p.copy, "%s/copy", dir);
    int bad = make(p.a, 0, rows) < 0 || make(p.b, 1, rows) < 0 || stat(p.a, &s) != 0;
    if (!bad)
        printf("two stores of %" PRId64 " results and %d raw times each, %.0f MB each\n", rows,
            REPS, (double)s.st_size * 1e-6);
    double base = 0;
    for (size_t i = 0; !bad && i < sizeof steps / sizeof *steps; i++) {
        double seconds = 0;
        double mb = 0;
        bad = measure(steps[i].work, &p, &seconds, &mb);
        base = i == 0 ? seconds : base;
        if (!bad)
            printf("%-18s %7.2f s  %6.2f x copying  %6.0f MB of memory\n", steps[i].name, seconds,
                seconds / base, mb);
    }
    const char *const files[] = {p.a, p.b, p.out, p.copy};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    rmdir(dir);
    if (bad)
        fprintf(stderr, "failed\n");
    return bad;
}
