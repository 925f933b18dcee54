#include "config.h"
#include "scratch.h"
#include "unit.h"

#include "base/log.h"
#include "catalog/catalog.h"
#include "sparse/csr.h"
#include "io/csr_file.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const rc_csr_origin_t origin = {
    .bytes = 7, .mtime_ns = 8, .ctime_ns = 9, .seen_ns = 10, .digest = {11, 12}};
static const rc_mtx_info_t information = {.field = "real",
    .symmetry = "symmetric",
    .format = "coordinate",
    .file_entries = 13,
    .duplicates = 14,
    .values_are_seeded = 1};

/* Bit by bit: -0 and NaN count. */
static int same(const rc_csr_t *a, const rc_csr_t *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz &&
           memcmp(a->row_ptr, b->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr) == 0 &&
           memcmp(a->col_idx, b->col_idx, (size_t)a->nnz * sizeof *a->col_idx) == 0 &&
           memcmp(a->val, b->val, (size_t)a->nnz * sizeof *a->val) == 0;
}

static rc_status_t read_back(const char *path, int threads, rc_csr_t *out)
{
    rc_csr_file_t *f;
    rc_mtx_info_t info;
    rc_err_t err = {0};
    rc_status_t st = rc_csr_file_open(path, &f, &err);
    if (st < 0)
        return st;
    rc_csr_origin_t o = *rc_csr_file_origin(f);
    st = rc_csr_file_read(f, threads, out, &info, &err);
    rc_csr_file_close(f);
    if (st == RC_OK) {
        assert_memory_equal(&o, &origin, sizeof o);
        assert_memory_equal(&info, &information, sizeof info);
    }
    return st;
}

static void round_trip(const char *path, const rc_csr_t *a)
{
    rc_err_t err = {0};
    assert_int_equal(rc_csr_file_write(path, a, &information, &origin, &err), RC_OK);
    for (int threads = 1; threads <= 3; threads++) {
        rc_csr_t b = {0};
        assert_int_equal(read_back(path, threads, &b), RC_OK);
        assert_true(same(a, &b));
        rc_csr_free(&b);
    }
}

static void test_round_trip(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "a.csr", path);
    for (int i = 0; i < rc_builtin_count; i++) {
        rc_err_t err = {0};
        rc_csr_t a = {0};
        assert_int_equal(rc_generate(rc_builtins[i].spec, &a, NULL, &err), RC_OK);
        if (a.nnz > 3) {
            a.val[0] = -0.0;
            a.val[1] = NAN;
            a.val[2] = -INFINITY;
        }
        round_trip(path, &a);
        rc_csr_free(&a);
    }
}

static void test_edges(void **state)
{
    static const int64_t shape[][2] = {{0, 0}, {0, 5}, {5, 0}, {1, 1}, {1000, 3}};
    char path[SCRATCH_PATH];
    scratch_path(state, "e.csr", path);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        rc_csr_t a = {0};
        rc_err_t err = {0};
        assert_int_equal(rc_csr_alloc(shape[i][0], shape[i][1], 0, &a, &err), RC_OK);
        round_trip(path, &a);
        rc_csr_free(&a);
    }
    rc_csr_t b;
    scratch_path(state, "none.csr", path);
    assert_int_equal(read_back(path, 1, &b), RC_ENOENT);
    assert_int_equal(read_back(*state, 1, &b), RC_EIO);
}

/* An array that ends within a piece, at its end, and in the next one. */
static void test_pieces(void **state)
{
    enum { piece = 4 << 20 };
    char path[SCRATCH_PATH];
    scratch_path(state, "p.csr", path);
    for (int extra = -1; extra <= 1; extra++) {
        int64_t nnz = 2 * piece / (int64_t)sizeof(double) + extra;
        rc_csr_t a = {0};
        rc_err_t err = {0};
        assert_int_equal(rc_csr_alloc(2, nnz, nnz, &a, &err), RC_OK);
        a.row_ptr[1] = 7;
        a.row_ptr[2] = nnz;
        for (int64_t k = 0; k < nnz; k++) {
            a.col_idx[k] = (int32_t)(k < 7 ? k : k - 7);
            a.val[k] = (double)k;
        }
        round_trip(path, &a);
        rc_csr_free(&a);
    }
}

static char *contents(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    assert_true(size > 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    *n = (size_t)size;
    return text;
}

static void make_small(rc_csr_t *a)
{
    rc_err_t err = {0};
    assert_int_equal(rc_generate("banded:n=40,lower=2,upper=2", a, NULL, &err), RC_OK);
}

/* Whatever byte is changed, wherever the file is cut: not taken, or the same matrix. */
static void test_damage(void **state)
{
    char path[SCRATCH_PATH];
    char hurt[SCRATCH_PATH];
    rc_csr_t a = {0};
    rc_err_t err = {0};
    size_t n;
    size_t taken = 0;
    make_small(&a);
    scratch_path(state, "d.csr", path);
    scratch_path(state, "h.csr", hurt);
    assert_int_equal(rc_csr_file_write(path, &a, &information, &origin, &err), RC_OK);
    char *text = contents(path, &n);
    for (size_t i = 0; i < n; i++) {
        for (int bit = 0; bit < 8; bit += 7) {
            rc_csr_t b = {0};
            text[i] = (char)(text[i] ^ (1 << bit));
            scratch_write(hurt, text, n);
            text[i] = (char)(text[i] ^ (1 << bit));
            if (read_back(hurt, 1, &b) != RC_OK)
                continue;
            assert_true(same(&a, &b)); /* of the filling between header and arrays */
            rc_csr_free(&b);
            taken++;
        }
    }
    assert_true(taken < 2 * 512);
    for (size_t cut = 0; cut < n; cut++) {
        rc_csr_t b;
        scratch_write(hurt, text, cut);
        assert_int_equal(read_back(hurt, 1, &b), RC_EFORMAT);
    }
    text[n] = 0;
    scratch_write(hurt, text, n + 1);
    rc_csr_t b;
    assert_int_equal(read_back(hurt, 1, &b), RC_EFORMAT);
    free(text);
    rc_csr_free(&a);
}

/* All digests are right, the matrix is none: indices are never believed. */
static void test_no_matrix(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "n.csr", path);
    for (int wrong = 0; wrong < 6; wrong++) {
        rc_csr_t a = {0};
        rc_csr_t b;
        rc_err_t err = {0};
        make_small(&a);
        int64_t *p = a.row_ptr;
        int32_t *c = a.col_idx;
        int64_t from = p[10];
        if (wrong == 0)
            c[from] = (int32_t)a.cols;
        else if (wrong == 1)
            c[0] = -1;
        else if (wrong == 2)
            c[from + 1] = c[from];
        else if (wrong == 3)
            p[10] = p[11] + 1;
        else if (wrong == 4)
            p[5] = INT64_MIN;
        else
            p[0] = 1;
        assert_int_equal(rc_csr_file_write(path, &a, &information, &origin, &err), RC_OK);
        assert_int_equal(read_back(path, 2, &b), RC_EFORMAT);
        rc_csr_free(&a);
    }
}

/* ------------------------------------------------------------------------ cache */

typedef struct place {
    rc_cache_t *cache;
    char dir[SCRATCH_PATH];
    char file[SCRATCH_PATH];
    char name[8];
    char group[4];
    char words[4096]; /* of the log */
    FILE *stream;
    rc_log_t log;
    rc_entry_t e;
} place_t;

static void write_matrix(const char *path, double value)
{
    char text[128];
    int n = snprintf(text, sizeof text,
        "%%%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 %.3f\n3 3 4\n", value);
    scratch_write(path, text, (size_t)n);
}

/* A folder of its own, with a matrix in it that is older than a tick. */
static void begin(void **state, const char *name, place_t *p)
{
    rc_err_t err = {0};
    memset(p, 0, sizeof *p);
    scratch_path(state, name, p->dir);
    assert_true(snprintf(p->file, sizeof p->file, "%s.mtx", p->dir) > 0);
    write_matrix(p->file, 1.5);
    memcpy(p->name, "G/m", 4);
    memcpy(p->group, "G", 2);
    p->stream = fmemopen(p->words, sizeof p->words, "w");
    assert_non_null(p->stream);
    setvbuf(p->stream, NULL, _IONBF, 0);
    p->log = (rc_log_t){p->stream, RC_LOG_INFO, -1};
    p->e = (rc_entry_t){
        .name = p->name, .group = p->group, .location = p->file, .where = RC_WHERE_FILE};
    assert_int_equal(rc_cache_open(p->dir, &p->log, &p->cache, &err), RC_OK);
}

static void end(place_t *p)
{
    rc_cache_close(p->cache);
    fclose(p->stream);
}

/* Load; the value of the first entry and how often the cache was taken and written so far. */
static void check_load(place_t *p, double value, int64_t taken, int64_t written)
{
    rc_csr_t a = {0};
    rc_mtx_info_t info;
    rc_err_t err = {0};
    int64_t t;
    int64_t w;
    assert_int_equal(rc_entry_load(&p->e, p->cache, 1, NULL, &a, &info, &err), RC_OK);
    assert_true(a.nnz == 3 && a.val[0] == value && a.val[1] == value && a.val[2] == 4);
    assert_string_equal(info.symmetry, "symmetric");
    assert_true(info.file_entries == 2);
    rc_cache_counts(p->cache, &t, &w);
    assert_true(t == taken);
    assert_true(w == written);
    rc_csr_free(&a);
}

/* Number of files in the cache; the name of one of them. */
static int files_of(const place_t *p, char one[2 * SCRATCH_PATH])
{
    char group[SCRATCH_PATH + 8];
    int n = 0;
    snprintf(group, sizeof group, "%s/G", p->dir);
    DIR *d = opendir(group);
    const struct dirent *e;
    while (d && (e = readdir(d)) != NULL) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n++;
        snprintf(one, 2 * SCRATCH_PATH, "%s/%.200s", group, e->d_name);
    }
    if (d)
        closedir(d);
    return n;
}

static void set_times(const char *path, const struct timespec *mtime)
{
    struct timespec t[2] = {*mtime, *mtime};
    assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static void test_cache(void **state)
{
    place_t p;
    struct stat s;
    char one[2 * SCRATCH_PATH];
    begin(state, "plain", &p);
    check_load(&p, 1.5, 0, 1);
    assert_int_equal(files_of(&p, one), 1);
    check_load(&p, 1.5, 1, 1);

    /* touched: the contents are the same */
    set_times(p.file, &(struct timespec){.tv_sec = 1000000});
    check_load(&p, 1.5, 2, 1);

    /* another matrix of the same size under the same time of change */
    assert_int_equal(stat(p.file, &s), 0);
    write_matrix(p.file, 2.5);
    set_times(p.file, &s.st_mtim);
    check_load(&p, 2.5, 2, 2);
    check_load(&p, 2.5, 3, 2);
    assert_int_equal(files_of(&p, one), 1); /* it took the other's place */
    assert_non_null(strstr(p.words, "has changed since"));

    /* another size */
    write_matrix(p.file, 12.5);
    check_load(&p, 12.5, 3, 3);

    /* damaged, cut, empty: read as text, and mended */
    size_t n;
    char *text = contents(one, &n);
    assert_true(n > 650);
    text[650] ^= 1; /* of a value */
    scratch_write(one, text, n);
    check_load(&p, 12.5, 3, 4);
    check_load(&p, 12.5, 4, 4);
    scratch_write(one, text, n / 2);
    check_load(&p, 12.5, 4, 5);
    scratch_write(one, text, 0);
    check_load(&p, 12.5, 4, 6);
    text[8]++; /* the version */
    scratch_write(one, text, n);
    check_load(&p, 12.5, 4, 7);
    assert_non_null(strstr(p.words, "of another version"));
    free(text);

    /* a matrix that is gone is gone */
    rc_csr_t a;
    rc_err_t err = {0};
    unlink(p.file);
    assert_int_equal(rc_entry_load(&p.e, p.cache, 1, NULL, &a, NULL, &err), RC_ENOENT);
    end(&p);
}

static void test_unwritable(void **state)
{
    place_t p;
    char one[2 * SCRATCH_PATH] = "";
    begin(state, "unwritable", &p);
    char group[SCRATCH_PATH + 8];
    assert_int_equal(mkdir(p.dir, 0777), 0);
    snprintf(group, sizeof group, "%s/G", p.dir);
    scratch_write(group, "x", 1); /* a file where the folder should be */
    check_load(&p, 1.5, 0, 0);
    assert_non_null(strstr(p.words, "not written from here on"));
    size_t before = strlen(p.words);
    check_load(&p, 1.5, 0, 0);
    assert_null(strstr(p.words + before, "warn")); /* once */
    end(&p);
    rc_cache_t *c;
    rc_err_t err = {0};
    assert_int_equal(rc_cache_open(p.file, NULL, &c, &err), RC_EIO);

    /* a disk that is full half-way */
    begin(state, "full", &p);
    struct rlimit old;
    struct rlimit small = {.rlim_cur = 700, .rlim_max = RLIM_INFINITY};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    check_load(&p, 1.5, 0, 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_non_null(strstr(p.words, "not written from here on"));
    assert_int_equal(files_of(&p, one), 0);
    end(&p);
}

/* Processes that load the same matrix at the same time, while it changes under them now and then.
 */
static void test_shared(void **state)
{
    enum { many = 8, rounds = 40 };
    place_t p;
    char one[2 * SCRATCH_PATH];
    pid_t child[many];
    begin(state, "shared", &p);
    for (int i = 0; i < many; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] > 0)
            continue;
        int bad = 0;
        for (int k = 0; k < rounds; k++) {
            rc_csr_t a = {0};
            if (k % 5 == 0)
                set_times(p.file, &(struct timespec){.tv_sec = 1000 + k});
            if (i == 0 && k % 7 == 0 && files_of(&p, one) > 0)
                unlink(one);
            bad += rc_entry_load(&p.e, p.cache, 1, NULL, &a, NULL, NULL) != RC_OK || a.val[0] != 1.5;
            rc_csr_free(&a);
        }
        _exit(bad != 0);
    }
    for (int i = 0; i < many; i++) {
        int status = -1;
        assert_true(waitpid(child[i], &status, 0) == child[i]);
        assert_int_equal(status, 0);
    }
    /* the last one may have removed it */
    rc_csr_t a = {0};
    int64_t taken;
    int64_t written;
    assert_int_equal(rc_entry_load(&p.e, p.cache, 1, NULL, &a, NULL, NULL), RC_OK);
    rc_csr_free(&a);
    rc_cache_counts(p.cache, &taken, &written);
    assert_true(taken + written == 1);
    check_load(&p, 1.5, taken + 1, written);
    assert_int_equal(files_of(&p, one), 1);
    end(&p);
}

/* What a killed writer left is taken over by the next one of the same matrix. */
static void test_left(void **state)
{
    place_t p;
    char host[65] = "";
    char made[2 * SCRATCH_PATH];
    char left[3 * SCRATCH_PATH];
    begin(state, "left", &p);
    check_load(&p, 1.5, 0, 1);
    assert_int_equal(files_of(&p, made), 1);
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    snprintf(left, sizeof left, "%s.part-%s-0", made, host);
    assert_int_equal(rename(made, left), 0);
    check_load(&p, 1.5, 0, 2);
    assert_int_equal(files_of(&p, made), 1);
    assert_int_equal(access(left, F_OK), -1);
    end(&p);
}

static void test_generated(void **state)
{
    place_t p;
    rc_csr_t a = {0};
    rc_err_t err = {0};
    char spec[] = "banded:n=40,lower=2,upper=2";
    begin(state, "generated", &p);
    p.e.where = RC_WHERE_GENERATED;
    p.e.location = spec;
    assert_int_equal(rc_entry_load(&p.e, p.cache, 1, NULL, &a, NULL, &err), RC_OK);
    rc_csr_free(&a);
    assert_int_equal(access(p.dir, F_OK), -1); /* nothing was made for it */
    p.e.where = RC_WHERE_FILE;
    p.e.location = p.file;
    assert_int_equal(rc_entry_load(&p.e, NULL, 1, NULL, &a, NULL, &err), RC_OK);
    rc_csr_free(&a);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_no_matrix),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_unwritable),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_left),
        cmocka_unit_test(test_generated),
    };
    return cmocka_run_group_tests_name("cache", tests, scratch_setup, scratch_teardown);
}
