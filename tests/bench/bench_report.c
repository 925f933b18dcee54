/* The report of a large store, against reading that store for a query.
 * Usage: bench_report DIR: the store and the report are left there.
 * BENCH_REPORT_ROWS: results (default 1,000,000): 100 of each matrix, ten K with five orders of a
 * kernel, two of another, and three kernels of the vendor. */
#include "config.h"

#include "analysis/report/report.h"
#include "base/clock.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "base/str.h"
#include "store/dict.h"
#include "store/h5.h"
#include "store/seal.h"
#include "table/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCK = 10000, PER_K = 10, KS = 10, PER_MATRIX = KS * PER_K };

static const struct {
    int policy;
    int kernel;
} plans[PER_K] = {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {0, 1}, {1, 1}, {0, 2}, {0, 3}, {0, 4}};
static const char *const policies[] = {"csr", "dcsr", "lpt", "warp", "cta"};
static const char *const kernels[] = {
    "gstat", "gsub", "cusparse-csr-row", "cusparse-coo-row", "cusparse-csr-col"};

static int64_t columns_of(int64_t matrix)
{
    return 1000 + matrix * 7 % 29000;
}

static void fill(const rc_dicts_t *d, int64_t i, rc_rng_t *r, rc_row_result_t *row)
{
    rc_case_t c;
    memset(row, 0, sizeof *row);
    int64_t k = i / PER_K % KS;
    row->matrix = (int32_t)(i / PER_MATRIX);
    row->policy = plans[i % PER_K].policy;
    row->kernel = plans[i % PER_K].kernel;
    row->k = k == KS - 1 ? columns_of(row->matrix) : INT64_C(1) << k;
    row->nw = row->nt = row->line = 32;
    row->order_ns = row->policy ? 100000 + (int64_t)rc_rng_below(r, 1000000) : 0;
    row->seq = i;
    row->utc_ns = i + 1;
    row->reps = 7;
    row->batch = 1;
    row->status = RC_CASE_OK;
    row->stop = RC_STOP_TARGET;
    row->message = -1;
    row->error_max = 0.1;
    row->bytes_min = 1000 * row->k;
    row->median_ns =
        (double)(1000 + row->matrix + (int64_t)rc_rng_below(r, 5000)) * (double)(k + 1);
    row->min_ns = row->mean_ns = row->median_ns;
    if (rc_dicts_case(d, row, &c) == RC_OK) {
        memcpy(row->case_id, rc_digest_hex(rc_case_id(&c)).text, sizeof row->case_id);
    }
}

static rc_status_t fill_dicts(rc_dicts_t *d, int64_t rows, rc_err_t *err)
{
    static const char *const kinds[] = {"directed graph", "structural problem", "2D/3D problem"};
    int32_t id;
    rc_rec_run_t run = {.started_ns = 1, .ranks = 1};
    snprintf(run.uuid, sizeof run.uuid, "%032d", 1);
    rc_status_t st = rc_dict_run(d, &run, &id, err);
    for (int64_t m = 0; st == RC_OK && m <= (rows - 1) / PER_MATRIX; m++) {
        rc_rec_source_t s = {.rows = columns_of(m), .cols = columns_of(m), .ssid = m + 1};
        s.nnz = s.rows * (2 + m % 50);
        snprintf(s.name, sizeof s.name, "Group%d/matrix-number-%d", (int)(m % 200), (int)m);
        snprintf(s.kind, sizeof s.kind, "%s", kinds[m % 3]);
        st = rc_dict_matrix(d, rc_digest(&m, sizeof m), &s, &id, err);
    }
    for (size_t i = 0; st == RC_OK && i < sizeof policies / sizeof *policies; i++)
        st = rc_dict_policy(d, policies[i], 1, "", &id, err);
    for (size_t i = 0; st == RC_OK && i < sizeof kernels / sizeof *kernels; i++)
        st = rc_dict_kernel(d, kernels[i], 1, "alg=3:strip=8", &id, err);
    return st < 0 ? st : rc_dict_device(d, "cuda:a device:1sm:cuda13.0", &id, err);
}

static rc_status_t make(const char *path, int64_t rows, rc_err_t *err)
{
    rc_h5_t h;
    rc_rng_t r;
    rc_dicts_t d;
    rc_row_result_t *row = calloc(BLOCK, sizeof *row);
    rc_status_t st = row ? rc_h5_create(path, 0, &h, err) : RC_ENOMEM;
    if (st < 0)
        return st;
    rc_dicts_init(&d);
    rc_rng_seed(&r, 1);
    st = fill_dicts(&d, rows, err);
    if (st == RC_OK)
        st = rc_dicts_write(&d, &h, err);
    for (int64_t at = 0; st == RC_OK && at < rows; at += BLOCK) {
        int64_t n = rows - at < BLOCK ? rows - at : BLOCK;
        for (int64_t i = 0; i < n; i++)
            fill(&d, at + i, &r, &row[i]);
        st = rc_h5_append(&h, &rc_schema[RC_T_RESULT], row, n, NULL, err);
    }
    rc_status_t closed = rc_h5_close(&h, err);
    rc_dicts_free(&d);
    free(row);
    return st < 0 ? st : closed < 0 ? closed : rc_seal_write(path, err);
}

typedef struct place {
    char store[300];
    char dir[300];
    const char *assets;
} place_t;

static int do_view(const place_t *p)
{
    rc_view_t *v = NULL;
    int bad = rc_view_read(p->store, &v, NULL) < 0;
    if (!bad)
        rc_view_free(v);
    return bad;
}

static int do_report(const place_t *p)
{
    const rc_report_options_t o = {
        .store = p->store, .dir = p->dir, .assets = p->assets, .quiet = 1};
    rc_report_made_t made;
    rc_err_t err = {0};
    if (rc_report_make(&o, &made, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("page of %.1f MB, %" PRId64 " matrices, %d figures\n", (double)made.bytes * 1e-6,
        made.matrices, made.figures);
    fflush(stdout);
    return 0;
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

int main(int argc, char **argv)
{
    const char *word = getenv("BENCH_REPORT_ROWS");
    int64_t rows = 1000000;
    place_t p = {.assets = getenv("ROWCAST_ASSETS")};
    rc_err_t err = {0};
    double read_s = 0;
    double report_s = 0;
    double mb = 0;
    if (word && rc_parse_int(word, 1, INT64_C(100000000), "BENCH_REPORT_ROWS", &rows, NULL) < 0)
        return 2;
    if (argc != 2 || !p.assets) {
        fprintf(stderr, "usage: ROWCAST_ASSETS=ASSETS bench_report DIR\n");
        return 2;
    }
    snprintf(p.store, sizeof p.store, "%s/store.h5", argv[1]);
    snprintf(p.dir, sizeof p.dir, "%s/report", argv[1]);
    if (make(p.store, rows, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("a store of %" PRId64 " results\n", rows);
    if (measure(do_view, &p, &read_s, &mb) || measure(do_report, &p, &report_s, &mb))
        return 1;
    printf("%-18s %7.2f s\n%-18s %7.2f s  %6.2f x reading  %6.0f MB of memory\n",
        "read for a query", read_s, "report", report_s, report_s / read_s, mb);
    return 0;
}
