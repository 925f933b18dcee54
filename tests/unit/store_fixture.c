#include "config.h"
#include "unit.h"
#include "store_fixture.h"

#include "scratch.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void random_text(rc_rng_t *r, char *text, size_t max)
{
    size_t n = (size_t)rc_rng_below(r, max + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)(1 + rc_rng_below(r, 255));
    text[n] = '\0';
}

void random_case(rc_rng_t *r, rc_case_t *c)
{
    memset(c, 0, sizeof *c);
    c->matrix = (rc_digest_t){rc_rng_next(r), rc_rng_next(r)};
    random_text(r, c->policy, sizeof c->policy - 1);
    random_text(r, c->policy_params, sizeof c->policy_params - 1);
    random_text(r, c->kernel, sizeof c->kernel - 1);
    random_text(r, c->params, sizeof c->params - 1);
    random_text(r, c->device, sizeof c->device - 1);
    int32_t *const v[] = {&c->policy_version, &c->kernel_version, &c->op, &c->precision, &c->layout,
        &c->c_order, &c->cache, &c->nw, &c->nt, &c->line};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        *v[i] = (int32_t)(uint32_t)rc_rng_next(r);
    c->k = (int64_t)rc_rng_next(r);
}

rc_digest_t matrix_digest(int n)
{
    return rc_digest(&n, sizeof n);
}

rc_case_t make_case(int matrix, const char *policy, int64_t k)
{
    rc_case_t c;
    memset(&c, 0, sizeof c);
    c.matrix = matrix_digest(matrix);
    snprintf(c.policy, sizeof c.policy, "%s", policy);
    snprintf(c.kernel, sizeof c.kernel, "kernel");
    snprintf(c.params, sizeof c.params, "strip=4");
    snprintf(c.device, sizeof c.device, "cpu:test");
    c.policy_version = c.kernel_version = 1;
    c.nw = c.nt = c.line = 2;
    c.k = k;
    return c;
}

rc_rec_run_t make_run(int n, int rank)
{
    rc_rec_run_t r;
    memset(&r, 0, sizeof r);
    snprintf(r.uuid, sizeof r.uuid, "%032d", n);
    snprintf(r.version, sizeof r.version, "1.0");
    snprintf(r.git, sizeof r.git, "abc");
    r.started_ns = 1700000000 * INT64_C(1000000000) + n;
    r.ranks = 2;
    r.rank = rank;
    return r;
}

static void append(rc_journal_t *j, rc_rec_type_t type, rc_str_t *b)
{
    rc_err_t err = {0};
    assert_false(b->failed);
    assert_int_equal(rc_journal_append(j, type, b, &err), RC_OK);
    rc_str_free(b);
}

void add_begin(rc_journal_t *j, const rc_case_t *c, rc_phase_t phase)
{
    add_begin_of(j, 0, c, phase);
}

void add_begin_of(rc_journal_t *j, int64_t job, const rc_case_t *c, rc_phase_t phase)
{
    rc_str_t b = {0};
    rc_rec_begin_t r;
    memset(&r, 0, sizeof r);
    r.id = rc_case_id(c);
    r.utc_ns = 5;
    r.job = job;
    r.phase = phase;
    r.c = *c;
    rc_rec_put(&b, RC_REC_BEGIN, &r);
    append(j, RC_REC_BEGIN, &b);
}

static void name_source(int matrix, char *name, char *location)
{
    snprintf(name, RC_NAME_MAX + 1, "G/m%d", matrix);
    snprintf(location, RC_LOCATION_MAX + 1, "/somewhere/G/m%d.mtx", matrix);
}

void add_begin_source(rc_journal_t *j, int matrix, rc_phase_t phase)
{
    add_begin_source_of(j, 0, matrix, phase);
}

void add_begin_source_of(rc_journal_t *j, int64_t job, int matrix, rc_phase_t phase)
{
    rc_str_t b = {0};
    rc_rec_begin_t r;
    memset(&r, 0, sizeof r);
    r.utc_ns = 5;
    r.job = job;
    r.phase = phase;
    r.is_source = 1;
    name_source(matrix, r.name, r.location);
    r.bytes = 100;
    r.mtime_ns = 7;
    r.id = rc_source_case_id(r.name, r.location, r.bytes, r.mtime_ns);
    rc_rec_put(&b, RC_REC_BEGIN, &r);
    append(j, RC_REC_BEGIN, &b);
}

void add_source(rc_journal_t *j, int matrix, int status, const char *text)
{
    rc_str_t b = {0};
    rc_rec_source_t r;
    memset(&r, 0, sizeof r);
    name_source(matrix, r.name, r.location);
    snprintf(r.kind, sizeof r.kind, "test problem");
    snprintf(r.text, sizeof r.text, "%s", text);
    r.bytes = 100;
    r.mtime_ns = 7;
    r.status = status;
    r.rows = r.cols = r.nnz = -1;
    if (status == RC_CASE_OK) {
        r.loaded = 1;
        r.digest = matrix_digest(matrix);
        r.rows = r.cols = r.nnz = 10 * matrix + 10;
    }
    rc_rec_put(&b, RC_REC_SOURCE, &r);
    append(j, RC_REC_SOURCE, &b);
}

void add_ended(rc_journal_t *j, const rc_case_t *c, int status, double median_ns, const char *text)
{
    rc_str_t b = {0};
    int64_t sample[3] = {(int64_t)median_ns, (int64_t)median_ns, (int64_t)median_ns};
    rc_rec_result_t r;
    memset(&r, 0, sizeof r);
    r.c = *c;
    r.row.status = status;
    r.row.median_ns = status == RC_CASE_OK ? median_ns : NAN;
    r.row.order_ns = 1000;
    r.row.reps = status == RC_CASE_OK ? 3 : 0;
    r.row.batch = 1;
    snprintf(r.text, sizeof r.text, "%s", text);
    r.sample_ns = sample;
    rc_rec_put(&b, RC_REC_RESULT, &r);
    append(j, RC_REC_RESULT, &b);
}

void add_result(rc_journal_t *j, const rc_case_t *c, int status, double median_ns)
{
    char text[32] = "";
    if (status != RC_CASE_OK)
        snprintf(text, sizeof text, "status %d", status);
    add_ended(j, c, status, median_ns, text);
}

void add_settled(rc_journal_t *j)
{
    rc_str_t b = {0};
    append(j, RC_REC_SETTLED, &b);
}

void add_settled_of(rc_journal_t *j, int64_t job, int over)
{
    rc_str_t b = {0};
    rc_rec_settled_t r = {.job = job, .utc_ns = 8, .over = over};
    rc_rec_put(&b, RC_REC_SETTLED, &r);
    append(j, RC_REC_SETTLED, &b);
}

void add_lost(rc_journal_t *j, int64_t job)
{
    rc_str_t b = {0};
    rc_rec_settled_t r = {.job = job, .utc_ns = 8};
    rc_rec_put(&b, RC_REC_SETTLED, &r);
    append(j, RC_REC_LOST, &b);
}

void add_end(rc_journal_t *j, int state)
{
    rc_str_t b = {0};
    rc_rec_end_t r = {.utc_ns = 9, .state = state};
    rc_rec_put(&b, RC_REC_END, &r);
    append(j, RC_REC_END, &b);
}

unsigned char *slurp(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *bytes = (size_t)ftell(f);
    rewind(f);
    unsigned char *data = malloc(*bytes + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *bytes, f), *bytes);
    fclose(f);
    return data;
}

void copy_folder(const char *from, const char *to)
{
    DIR *d = opendir(from);
    assert_non_null(d);
    mkdir(to, 0777);
    for (struct dirent *e = readdir(d); e; e = readdir(d)) {
        char a[2 * SCRATCH_PATH];
        char b[2 * SCRATCH_PATH];
        size_t n;
        if (e->d_name[0] == '.')
            continue;
        snprintf(a, sizeof a, "%s/%s", from, e->d_name);
        snprintf(b, sizeof b, "%s/%s", to, e->d_name);
        unsigned char *data = slurp(a, &n);
        scratch_write(b, data, n);
        free(data);
    }
    closedir(d);
}
