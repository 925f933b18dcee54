/* Matrices in the formats of other programs: npz of SciPy and MAT-files, from bytes that are made here; what
 * the programs themselves write is in tests/cli/readers.t. */
#include "config.h"
#include "unit.h"
#include "failing_alloc.h"
#include "scratch.h"

#include "base/rng.h"
#include "io/mtx.h"
#include "sparse/csr.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MOST = 1 << 16, ENTRIES = 60 };

typedef struct bytes {
    unsigned char b[MOST];
    size_t n;
} bytes_t;

static void add(bytes_t *s, const void *data, size_t n)
{
    assert_true(s->n + n <= MOST);
    if (n)
        memcpy(s->b + s->n, data, n);
    s->n += n;
}

/* ---------------------------------------------------------------------- npz */

typedef struct array {
    const char *name;
    const char *type;
    const char *shape;
    const void *data;
    size_t bytes;
} array_t;

static void write_npz(const char *path, const array_t *array, int n, int deflated)
{
    struct archive *a = archive_write_new();
    assert_non_null(a);
    assert_int_equal(archive_write_set_format_zip(a), ARCHIVE_OK);
    assert_int_equal(archive_write_set_options(
                         a, deflated ? "zip:compression=deflate" : "zip:compression=store"),
        ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (int i = 0; i < n; i++) {
        static bytes_t s;
        char head[128];
        s.n = 0;
        int length = snprintf(head, sizeof head,
            "{'descr': '%s', 'fortran_order': False, 'shape': %s, }%*s\n", array[i].type,
            array[i].shape, 10, "");
        const unsigned char size[] = {(unsigned char)length, 0};
        add(&s, "\x93NUMPY\1\0", 8);
        add(&s, size, 2);
        add(&s, head, (size_t)length);
        add(&s, array[i].data, array[i].bytes);
        struct archive_entry *e = archive_entry_new();
        assert_non_null(e);
        archive_entry_set_pathname(e, array[i].name);
        archive_entry_set_size(e, (la_int64_t)s.n);
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_perm(e, 0644);
        assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
        assert_int_equal(archive_write_data(a, s.b, s.n), (la_ssize_t)s.n);
        archive_entry_free(e);
    }
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
}

/* ---------------------------------------------------------------------- mat */

static void element(bytes_t *s, uint32_t type, const void *data, uint32_t n)
{
    static const char zeros[8];
    const uint32_t tag[] = {type, n};
    add(s, tag, sizeof tag);
    add(s, data, n);
    add(s, zeros, -n & 7);
}

/* \return where its length is, to be closed */
static size_t open_array(bytes_t *s, uint32_t flags, int32_t rows, int32_t cols, const char *name)
{
    const uint32_t head[] = {flags, 0};
    const int32_t shape[] = {rows, cols};
    element(s, 14, NULL, 0);
    size_t at = s->n - 4;
    element(s, 6, head, sizeof head);
    element(s, 5, shape, sizeof shape);
    element(s, 1, name, (uint32_t)strlen(name));
    return at;
}

static void close_array(bytes_t *s, size_t at)
{
    uint32_t n = (uint32_t)(s->n - at - 4);
    memcpy(s->b + at, &n, sizeof n);
}

typedef struct csc {
    int32_t rows;
    int32_t cols;
    int32_t jc[64];
    int32_t ir[ENTRIES];
    double pr[ENTRIES];
} csc_t;

static void sparse(bytes_t *s, const csc_t *a, uint32_t flags, const char *name)
{
    size_t at = open_array(s, 5 | flags, a->rows, a->cols, name);
    uint32_t n = (uint32_t)a->jc[a->cols];
    element(s, 5, a->ir, 4 * n);
    element(s, 5, a->jc, 4 * ((uint32_t)a->cols + 1));
    element(s, 9, a->pr, 8 * n);
    close_array(s, at);
}

static void problem(bytes_t *s, const csc_t *a, const csc_t *zeros)
{
    static const char names[4][8] = {"title", "A", "none", "Zeros"};
    const int32_t small = 4 << 16 | 5;
    const int32_t length = sizeof names[0];
    size_t at = open_array(s, 2, 1, 1, "Problem");
    add(s, &small, 4);
    add(s, &length, 4);
    element(s, 1, names, sizeof names);
    close_array(s, open_array(s, 4, 0, 0, ""));
    sparse(s, a, 0, "");
    element(s, 14, NULL, 0);
    sparse(s, zeros, 0, "");
    close_array(s, at);
}

static void write_mat(const char *path, const bytes_t *variables, int packed)
{
    static bytes_t file;
    static unsigned char small[MOST];
    char head[128];
    uLongf n = MOST;
    memset(head, ' ', sizeof head);
    memcpy(head, "MATLAB 5.0 MAT-file", 19);
    memcpy(head + 124, "\0\1IM", 4);
    file.n = 0;
    add(&file, head, sizeof head);
    assert_int_equal(compress(small, &n, variables->b, variables->n), Z_OK);
    const uint32_t tag[] = {15, (uint32_t)n};
    if (packed) {
        add(&file, tag, sizeof tag);
        add(&file, small, n);
    } else
        add(&file, variables->b, variables->n);
    scratch_write(path, file.b, file.n);
}

/* -------------------------------------------------------------------- tests */

/* A matrix at random, with duplicates and zeros, column by column. */
static int random_csc(rc_rng_t *r, csc_t *a, rc_triple_t *t)
{
    int n = 0;
    a->rows = 1 + (int32_t)(rc_rng_next(r) % 9);
    a->cols = 1 + (int32_t)(rc_rng_next(r) % 9);
    a->jc[0] = 0;
    for (int32_t j = 0; j < a->cols; j++) {
        for (uint64_t k = rc_rng_next(r) % 6; k > 0; k--) {
            t[n] = (rc_triple_t){
                (int32_t)(rc_rng_next(r) % (uint64_t)a->rows), j, (double)(rc_rng_next(r) % 5) - 2};
            a->ir[n] = t[n].row;
            a->pr[n] = t[n].val;
            n++;
        }
        a->jc[j + 1] = n;
    }
    return n;
}

/* Reads as these entries; peeked at, it has the shape. */
static void reads_as(
    const char *path, const csc_t *a, const rc_triple_t *t, int n, const char *format)
{
    rc_csr_t read = {0};
    rc_csr_t made = {0};
    rc_mtx_info_t info;
    rc_err_t err = {0};
    rc_digest_t x;
    rc_digest_t y;
    int64_t rows;
    int64_t cols;
    int64_t entries;
    int64_t duplicates;
    if (rc_mtx_read(path, 2, &read, &info, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(
        rc_csr_from_triples(a->rows, a->cols, t, n, 1, &made, &duplicates, &err), RC_OK);
    assert_int_equal(rc_csr_digest(&read, &x, &err), RC_OK);
    assert_int_equal(rc_csr_digest(&made, &y, &err), RC_OK);
    assert_int_equal(rc_digest_compare(&x, &y), 0);
    assert_int_equal(read.nnz, made.nnz);
    assert_int_equal(info.file_entries, n);
    assert_int_equal(info.duplicates, duplicates);
    assert_string_equal(info.format, format);
    assert_int_equal(rc_mtx_peek(path, &rows, &cols, &entries, &info, &err), RC_OK);
    assert_int_equal(rows, a->rows);
    assert_int_equal(cols, a->cols);
    rc_csr_free(&read);
    rc_csr_free(&made);
}

/* A shape of one axis. */
#define LIST(buffer, n) (snprintf(buffer, sizeof buffer, "(%d,)", n), buffer)

static void npz_is_read(void **state)
{
    char path[SCRATCH_PATH];
    rc_rng_t r = {0};
    csc_t a;
    rc_triple_t t[ENTRIES];
    rc_rng_seed(&r, 1);
    scratch_path(state, "a.npz", path);
    for (int round = 0; round < 60; round++) {
        char entries[16];
        char columns[16];
        int n = random_csc(&r, &a, t);
        const int64_t shape[] = {a.rows, a.cols};
        int64_t wide[ENTRIES];
        int32_t col[ENTRIES];
        int8_t small[ENTRIES];
        for (int i = 0; i < n; i++) {
            wide[i] = t[i].row;
            col[i] = t[i].col;
            small[i] = (int8_t)t[i].val;
        }
        const array_t csc[] = {{"indices.npy", "<i8", LIST(entries, n), wide, 8 * (size_t)n},
            {"indptr.npy", "<i4", LIST(columns, a.cols + 1), a.jc, 4 * ((size_t)a.cols + 1)},
            {"format.npy", "|S3", "()", "csc", 3}, {"shape.npy", "<i8", "(2,)", shape, 16},
            {"data.npy", "<f8", entries, a.pr, 8 * (size_t)n},
            {"_is_array.npy", "|b1", "()", "", 1}};
        write_npz(path, csc, 6, round % 2);
        reads_as(path, &a, t, n, "npz");
        const array_t coo[] = {{"row.npy", "<i4", entries, a.ir, 4 * (size_t)n},
            {"col.npy", "<i4", entries, col, 4 * (size_t)n},
            {"format.npy", "<U3", "()", "c\0\0\0o\0\0\0o\0\0\0", 12},
            {"shape.npy", "<i8", "(2,)", shape, 16},
            {"data.npy", "|i1", entries, small, (size_t)n}};
        write_npz(path, coo, 5, round % 2);
        reads_as(path, &a, t, n, "npz");
    }
}

static void blocks_and_diagonals(void **state)
{
    static const int32_t ptr[] = {0, 1, 2};
    static const int32_t idx[] = {1, 0};
    static const float blocks[] = {1, 2, 3, 4, 5, 0};
    static const int64_t shape[] = {2, 6};
    static const int32_t offsets[] = {-1, 2};
    static const double lines[] = {1, 9, 9, 9, 9, 9, 2, 9, 3, 0, 9, 9};
    static const array_t bsr[] = {{"indices.npy", "<i4", "(2,)", idx, 8},
        {"indptr.npy", "<i4", "(3,)", ptr, 12}, {"format.npy", "|S3", "()", "bsr", 3},
        {"shape.npy", "<i8", "(2,)", shape, 16},
        {"data.npy", "<f4", "(2, 1, 3)", blocks, sizeof blocks}};
    static const array_t dia[] = {{"offsets.npy", "<i4", "(2,)", offsets, 8},
        {"format.npy", "|S3", "()", "dia", 3}, {"shape.npy", "<i8", "(2,)", shape, 16},
        {"data.npy", "<f8", "(2, 6)", lines, sizeof lines}};
    static const csc_t a = {.rows = 2, .cols = 6};
    static const rc_triple_t in_bsr[] = {
        {0, 3, 1}, {0, 4, 2}, {0, 5, 3}, {1, 0, 4}, {1, 1, 5}, {1, 2, 0}};
    /* of the second diagonal column 2 is in row 0; the 0 in column 3 is no entry */
    static const rc_triple_t in_dia[] = {{1, 0, 1}, {0, 2, 3}};
    char path[SCRATCH_PATH];
    scratch_path(state, "b.npz", path);
    write_npz(path, bsr, 5, 1);
    reads_as(path, &a, in_bsr, 6, "npz");
    write_npz(path, dia, 4, 0);
    reads_as(path, &a, in_dia, 2, "npz");
}

static void mat_is_read(void **state)
{
    static bytes_t s;
    char path[SCRATCH_PATH];
    rc_rng_t r = {0};
    csc_t a;
    csc_t zeros = {0};
    rc_triple_t t[ENTRIES + 1];
    rc_rng_seed(&r, 2);
    scratch_path(state, "a.mat", path);
    for (int round = 0; round < 60; round++) {
        int n = random_csc(&r, &a, t);
        s.n = 0;
        close_array(&s, open_array(&s, 6, 0, 0, "before"));
        if (round % 2)
            s.n = 0;
        sparse(&s, &a, 0, "A");
        write_mat(path, &s, round % 2);
        reads_as(path, &a, t, n, "mat");
        zeros.rows = a.rows;
        zeros.cols = a.cols;
        for (int j = 1; j <= a.cols; j++)
            zeros.jc[j] = 1;
        t[n] = (rc_triple_t){0, 0, 0};
        s.n = 0;
        problem(&s, &a, &zeros);
        write_mat(path, &s, round % 2);
        reads_as(path, &a, t, n + 1, "mat");
    }
}

static void refused(const char *path, rc_status_t status, const char *says)
{
    rc_csr_t a = {0};
    rc_err_t err = {0};
    rc_status_t st = rc_mtx_read(path, 1, &a, NULL, &err);
    if (st != status || strncmp(err.text, path, strlen(path)) != 0 || !strstr(err.text, says) ||
        strchr(err.text, '\n'))
        fail_msg("expected %d '%s', found %d '%s'", (int)status, says, (int)st, err.text);
}

/* A good file, and what is wrong in the place of one of its arrays. */
static const int32_t wrong_ptr[] = {0, 2, 1};
static const int32_t good_idx[] = {0, 2};
static const int32_t wrong_idx[] = {0, 3};
static const double good_val[] = {1, 2};
static const int64_t good_shape[] = {2, 3};
static const array_t good_npz[] = {{"indices.npy", "<i4", "(2,)", good_idx, 8},
    {"indptr.npy", "<i4", "(3,)", (const int32_t[]){0, 1, 2}, 12},
    {"format.npy", "|S3", "()", "csr", 3}, {"shape.npy", "<i8", "(2,)", good_shape, 16},
    {"data.npy", "<f8", "(2,)", good_val, 16}};
static const struct {
    int at;
    array_t array;
    rc_status_t status;
    const char *says;
} wrong_npz[] = {
    {0, {"indices.npy", "<i4", "(2,)", wrong_idx, 8}, RC_EFORMAT,
        "indices.npy[1]: expected a number from 0 to 2, found 3"},
    {1, {"indptr.npy", "<i4", "(3,)", wrong_ptr, 12}, RC_EFORMAT,
        "indptr.npy[2]: expected a number from 2 to 2, found 1"},
    {1, {"indptr.npy", "<i4", "(2,)", wrong_ptr, 8}, RC_EFORMAT,
        "indptr.npy: expected a number for each row and one more"},
    {1, {"indptr.npy", "<i4", "(3,)", (const int32_t[]){0, 1, 9}, 12}, RC_EFORMAT,
        "indptr.npy[2]: expected a number from 1 to 2, found 9"},
    {1, {"indptr.npy", "<i4", "(3,)", (const int32_t[]){0, 1, 0}, 12}, RC_EFORMAT,
        "indptr.npy[2]: expected a number from 1 to 2, found 0"},
    {1, {"indptr.npy", "<i4", "(3,)", (const int32_t[]){1, 1, 2}, 12}, RC_EFORMAT,
        "indptr.npy[0]: expected a number from 0 to 0, found 1"},
    {2, {"format.npy", "|S3", "()", "lil", 3}, RC_EFORMAT,
        "format.npy: expected csr, csc, coo, bsr or dia"},
    {2, {"format.npy", "|S9", "()", "something", 9}, RC_EFORMAT,
        "format.npy: expected real numbers of a type"},
    {3, {"shape.npy", "<i8", "(2,)", (const int64_t[]){-1, 3}, 16}, RC_ERANGE,
        "rows and columns, found -1"},
    {3, {"shape.npy", "<i8", "(2,)", (const int64_t[]){INT64_MAX, 3}, 16}, RC_ERANGE,
        "rows and columns"},
    {3, {"shape.npy", "<i8", "(3,)", (const int64_t[]){2, 3, 1}, 24}, RC_EFORMAT,
        "shape.npy: expected two numbers"},
    {3, {"shape.npy", "<i8", "(2,)", good_shape, 8}, RC_EFORMAT,
        "shape.npy: expected the numbers of its shape, found fewer"},
    {4, {"data.npy", "<c16", "(2,)", good_val, 16}, RC_EFORMAT,
        "data.npy: expected real numbers of a type as <f8 or <i4, found <c16"},
    {4, {"data.npy", ">f8", "(2,)", good_val, 16}, RC_EFORMAT, "found >f8"},
    {4, {"data.npy", "|O", "(2,)", good_val, 16}, RC_EFORMAT, "found |O"},
    {4, {"data.npy", "<f8", "(1,)", good_val, 8}, RC_EFORMAT,
        "data.npy: expected a value for each place"},
    {4, {"data.npy", "<f8", "(2, 1)", good_val, 16}, RC_EFORMAT,
        "data.npy: expected an array of another shape or type"},
    {4, {"data.npy", "<f8", "(4611686018427387904, 8)", good_val, 16}, RC_EFORMAT,
        "the numbers of its shape"},
    {4, {"data.npy", "<i8", "(2,)", (const int64_t[]){1, INT64_C(1) << 60}, 16}, RC_ERANGE,
        "data.npy[1]: expected a whole number that a double holds"},
    {4, {"other.npy", "<f8", "(2,)", good_val, 16}, RC_EFORMAT,
        "data.npy: expected a member of this name, found none"},
};

static void wrong_npz_is_refused(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "w.npz", path);
    for (size_t i = 0; i < sizeof wrong_npz / sizeof *wrong_npz; i++) {
        array_t array[5];
        memcpy(array, good_npz, sizeof array);
        array[wrong_npz[i].at] = wrong_npz[i].array;
        write_npz(path, array, 5, i % 2);
        refused(path, wrong_npz[i].status, wrong_npz[i].says);
    }
    scratch_write(path, "PK\3\4 and nothing more", 22);
    refused(path, RC_EFORMAT, "zip: expected a whole file, found");
}

static void wrong_mat_is_refused(void **state)
{
    static bytes_t s;
    static const csc_t a = {.rows = 3, .cols = 2, .jc = {0, 1, 2}, .ir = {2, 1}, .pr = {1, 2}};
    static const csc_t out = {.rows = 3, .cols = 2, .jc = {0, 1, 2}, .ir = {2, 3}, .pr = {1, 2}};
    char path[SCRATCH_PATH];
    scratch_path(state, "w.mat", path);
    for (int packed = 0; packed < 2; packed++) {
        s.n = 0;
        sparse(&s, &out, 0, "A");
        write_mat(path, &s, packed);
        refused(path, RC_EFORMAT, "ir[1]: expected a number from 0 to 2, found 3");
        s.n = 0;
        sparse(&s, &a, 0x800, "A");
        write_mat(path, &s, packed);
        refused(
            path, RC_EFORMAT, "the variable at byte 128: expected real values, found complex ones");
        s.n = 0;
        close_array(&s, open_array(&s, 6, 2, 2, "dense"));
        write_mat(path, &s, packed);
        refused(
            path, RC_EFORMAT, "expected the struct Problem or a sparse variable, found neither");
        s.n = 0;
        sparse(&s, &a, 0, "A");
        /* every end that comes too early */
        for (size_t n = s.n; n-- > 8;) {
            s.n = n;
            write_mat(path, &s, packed);
            refused(path, RC_EFORMAT, ": expected ");
        }
    }
    s.n = 0;
    sparse(&s, &a, 0, "A");
    sparse(&s, &a, 0, "B");
    write_mat(path, &s, 0);
    refused(path, RC_EFORMAT, "expected no second sparse matrix in the file, found one");
    char head[128] = "MATLAB 7.3 MAT-file";
    memcpy(head + 124, "\0\2IM", 4);
    scratch_write(path, head, sizeof head);
    refused(path, RC_EFORMAT, "found HDF5 (save -v7.3)");
}

/* Damage of a compressed variable is seen by its check sum, wherever it is. */
static void damage_is_seen(void **state)
{
    static bytes_t s;
    static const csc_t a = {.rows = 3, .cols = 2, .jc = {0, 1, 2}, .ir = {2, 1}, .pr = {1, 2}};
    unsigned char b[1024];
    char path[SCRATCH_PATH];
    scratch_path(state, "d.mat", path);
    s.n = 0;
    sparse(&s, &a, 0, "A");
    write_mat(path, &s, 1);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(b, 1, sizeof b, f);
    (void)fclose(f);
    for (size_t at = n - 4; at < n; at++) {
        b[at] ^= 1;
        scratch_write(path, b, n);
        refused(path, RC_EFORMAT, "expected more compressed bytes, found incorrect data check");
        b[at] ^= 1;
    }
    for (size_t cut = 137; cut < n; cut++) {
        scratch_write(path, b, cut);
        refused(path, RC_EFORMAT, ": expected ");
    }
}

static void memory_is_bounded(void **state)
{
    static bytes_t s;
    static const csc_t a = {
        .rows = 1 << 30, .cols = 2, .jc = {0, 1, 2}, .ir = {2, 1}, .pr = {1, 2}};
    const rc_mtx_bound_t bound = {.bytes = 1 << 20, .option = "--memory"};
    char path[SCRATCH_PATH];
    rc_csr_t m = {0};
    rc_err_t err = {0};
    scratch_path(state, "m.mat", path);
    s.n = 0;
    sparse(&s, &a, 0, "A");
    write_mat(path, &s, 1);
    assert_int_equal(rc_mtx_read_within(path, 1, &bound, &m, NULL, &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, "a matrix of 1073741824 x 2 with up to 2 entries takes"));
}

/* Whichever allocation fails, there is an error and nothing is left. */
static void no_memory(void **state)
{
    static bytes_t s;
    static const csc_t a = {.rows = 3, .cols = 2, .jc = {0, 1, 2}, .ir = {2, 1}, .pr = {1, 2}};
    char path[SCRATCH_PATH];
    int done = 0;
    scratch_path(state, "n.mat", path);
    s.n = 0;
    problem(&s, &a, &a);
    write_mat(path, &s, 1);
    for (long n = 1; !done; n++) {
        rc_csr_t m = {0};
        rc_err_t err = {0};
        failing_alloc_set(n);
        rc_status_t st = rc_mtx_read(path, 1, &m, NULL, &err);
        done = !failing_alloc_happened();
        failing_alloc_set(-1);
        assert_true(st == RC_OK || st == RC_ENOMEM);
        rc_csr_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npz_is_read),
        cmocka_unit_test(blocks_and_diagonals),
        cmocka_unit_test(mat_is_read),
        cmocka_unit_test(wrong_npz_is_refused),
        cmocka_unit_test(wrong_mat_is_refused),
        cmocka_unit_test(damage_is_seen),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests_name("readers", tests, scratch_setup, scratch_teardown);
}
