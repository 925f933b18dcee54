/* What the simulation takes from this machine: a folder of journals is written, scanned, read and
 * committed, with one process: processor time, but for the making of a
 * journal, which waits for the disk.  Usage: probe FOLDER JOURNALS RESULTS-OF-EACH; the last line is
 * options of tests/sim/simulate. */
#include "config.h"
#include "round.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/outcome.h"
#include "base/str.h"
#include "store/commit.h"
#include "store/fold.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { REPS = 12, POLICIES = 11 };

/* Of this process, so that other work on the machine does not count; nor do waits for the disk. */
static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static rc_status_t put_begin(rc_journal_t *j, const rc_case_t *c, rc_phase_t phase, rc_err_t *err)
{
    rc_str_t b = {0};
    rc_rec_begin_t r = {.id = rc_case_id(c), .utc_ns = 5, .phase = phase, .c = *c};
    rc_rec_put(&b, RC_REC_BEGIN, &r);
    rc_status_t st = rc_journal_append(j, RC_REC_BEGIN, &b, err);
    rc_str_free(&b);
    return st;
}

/* A result and what a sweep writes before it: the case enters three phases. */
static rc_status_t put_result(rc_journal_t *j, int journal, int64_t i, rc_err_t *err)
{
    int64_t ns[REPS];
    int64_t matrix = journal * INT64_C(1000000) + i / (20 * POLICIES);
    rc_case_t c = {.matrix = rc_digest(&matrix, sizeof matrix),
        .policy_version = 1,
        .kernel_version = 1,
        .nw = 32,
        .nt = 32,
        .line = 32,
        .k = 1 + i / POLICIES % 20};
    rc_rec_result_t r = {.sample_ns = ns};
    rc_str_t b = {0};
    snprintf(c.policy, sizeof c.policy, "policy%d", (int)(i % POLICIES));
    snprintf(c.kernel, sizeof c.kernel, "kernel");
    snprintf(c.params, sizeof c.params, "strip=8:split=0");
    snprintf(c.device, sizeof c.device, "cuda:A device of sixteen gigabytes:132:runtime=13.0");
    for (int k = 0; k < REPS; k++)
        ns[k] = 10000 + k;
    r.c = c;
    r.row.reps = REPS;
    r.row.batch = 1;
    r.row.status = RC_CASE_OK;
    r.row.median_ns = r.row.min_ns = r.row.mean_ns = 10000;
    rc_status_t st = put_begin(j, &c, RC_PHASE_PREPARE, err);
    if (st == RC_OK)
        st = put_begin(j, &c, RC_PHASE_VERIFY, err);
    if (st == RC_OK)
        st = put_begin(j, &c, RC_PHASE_TIME, err);
    rc_rec_put(&b, RC_REC_RESULT, &r);
    if (st == RC_OK)
        st = rc_journal_append(j, RC_REC_RESULT, &b, err);
    rc_str_free(&b);
    return st;
}

/* \param[out] create_s  of making the journal only */
static rc_status_t write_journal(const char *dir, int run, int journal, int journals, int64_t rows,
    double *create_s, rc_err_t *err)
{
    rc_journal_t *j = NULL;
    rc_rec_run_t r = {.ranks = journals, .rank = journal, .started_ns = 1 + run};
    rc_str_t b = {0};
    snprintf(r.uuid, sizeof r.uuid, "%032d", run);
    rc_status_t st = rc_open_folder(dir, err); /* a commit removes the empty one */
    int64_t start = rc_clock_ns();
    if (st == RC_OK)
        st = rc_journal_create(dir, &r, &j, err);
    *create_s += (double)(rc_clock_ns() - start) * 1e-9;
    for (int64_t i = 0; i < rows && st == RC_OK; i++)
        st = put_result(j, journal + run * 100000, i, err);
    rc_rec_put(&b, RC_REC_SETTLED, &(rc_rec_settled_t){.over = 1});
    if (st == RC_OK)
        st = rc_journal_append(j, RC_REC_SETTLED, &b, err);
    rc_str_free(&b);
    rc_journal_close(j);
    return st;
}

static double folder_bytes(const char *dir)
{
    double bytes = 0;
    struct stat s;
    struct dirent *e;
    DIR *d = opendir(dir);
    while (d && (e = readdir(d))) {
        rc_str_t path = {0};
        rc_str_addf(&path, "%s/%s", dir, e->d_name);
        if (!path.failed && stat(path.text, &s) == 0 && S_ISREG(s.st_mode))
            bytes += (double)s.st_size;
        rc_str_free(&path);
    }
    if (d)
        closedir(d);
    return bytes;
}

/* Read what is in the folder. */
static rc_status_t scan(const char *dir, double *scan_s, rc_err_t *err)
{
    rc_dicts_t dicts;
    rc_fold_t fold = {0};
    rc_log_t silent = {0};
    const rc_fold_writers_t writers = {0};
    rc_dicts_init(&dicts);
    double start = cpu_s();
    rc_status_t st = rc_fold_read(dir, NULL, &dicts, &writers, &silent, &fold, err);
    *scan_s = cpu_s() - start;
    rc_fold_free(&fold);
    rc_dicts_free(&dicts);
    return st;
}

static rc_status_t commit(const char *store, double *s, rc_err_t *err)
{
    rc_commit_info_t info;
    rc_log_t silent = {0};
    double start = cpu_s();
    rc_status_t st =
        rc_commit(store, MPI_COMM_NULL, &(rc_commit_options_t){.create = 1}, &silent, &info, err);
    *s = cpu_s() - start;
    return st;
}

static double file_bytes(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

/* Journals without results, for what a journal takes; then as many with; then one round more, for what
 * the old store takes. */
static rc_status_t measure(
    const char *dir, const char *store, int journals, int64_t rows, rc_err_t *err)
{
    double create = 0;
    double unused = 0;
    double empty_s = 0;
    double scan_s = 0;
    double first_s = 0;
    double again_s = 0;
    double all = (double)journals * (double)rows;
    rc_status_t st = RC_OK;
    for (int j = 0; j < journals && st == RC_OK; j++)
        st = write_journal(dir, 0, j, journals, 0, &create, err);
    if (st == RC_OK)
        st = scan(dir, &empty_s, err);
    if (st == RC_OK)
        st = commit(store, &unused, err);
    for (int j = 0; j < journals && st == RC_OK; j++)
        st = write_journal(dir, 1, j, journals, rows, &unused, err);
    double journal_bytes = folder_bytes(dir);
    double before = file_bytes(store);
    if (st == RC_OK)
        st = scan(dir, &scan_s, err);
    if (st == RC_OK)
        st = commit(store, &first_s, err);
    double after = file_bytes(store);
    if (st == RC_OK)
        st = write_journal(dir, 2, 0, 1, 1, &unused, err);
    if (st == RC_OK)
        st = commit(store, &again_s, err);
    if (st < 0)
        return st;
    double write_s = first_s - scan_s;
    printf("%d journals of %" PRId64
           " results: created in %.3f s; CPU: scanned without results in %.3f s, "
           "with them in %.3f s, committed in %.3f s, one more result in %.3f s\n",
        journals, rows, create, empty_s, scan_s, first_s, again_s);
    printf("--create %.1f --open %.1f --scan %.3f --write %.3f --copy %.3f "
           "--journal-bytes %.0f --store-bytes %.0f\n",
        1e6 * create / journals, 1e6 * empty_s / journals, 1e6 * (scan_s - empty_s) / all,
        1e6 * (write_s > 0 ? write_s : 0) / all, 1e9 * again_s / after, journal_bytes / all,
        (after - before) / all);
    return RC_OK;
}

int main(int argc, char **argv)
{
    rc_err_t err = {0};
    rc_str_t store = {0};
    int64_t journals = 0;
    int64_t rows = 0;
    rc_status_t st = argc == 4
                         ? RC_OK
                         : rc_fail(&err, RC_EINVAL,
                               "expected FOLDER JOURNALS RESULTS, found %d arguments", argc - 1);
    if (st == RC_OK)
        st = rc_parse_int(argv[2], 1, 100000, "JOURNALS", &journals, &err);
    if (st == RC_OK)
        st = rc_parse_int(argv[3], 1, 100000000, "RESULTS", &rows, &err);
    if (st == RC_OK)
        rc_str_addf(&store, "%s/probe.h5", argv[1]);
    char *dir = st == RC_OK && !store.failed ? rc_journal_dir(store.text, &err) : NULL;
    if (st == RC_OK && !dir)
        st = RC_ENOMEM;
    if (st == RC_OK)
        st = measure(dir, store.text, (int)journals, rows, &err);
    if (st < 0)
        fprintf(stderr, "probe: %s\n", err.text);
    free(dir);
    rc_str_free(&store);
    return st < 0;
}
