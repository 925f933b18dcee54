#include "config.h"
#include "unit.h"

#include "catalog/catalog.h"
#include "sparse/generate.h"

#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------ a scratch directory */

enum { PATH_SIZE = 600 };

typedef struct scratch {
    char dir[64];
} scratch_t;

static int scratch_begin(void **state)
{
    scratch_t *s = calloc(1, sizeof *s);
    if (!s)
        return -1;
    snprintf(s->dir, sizeof s->dir, "/tmp/rowcast-catalog-XXXXXX");
    *state = s;
    return mkdtemp(s->dir) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static int scratch_end(void **state)
{
    scratch_t *s = *state;
    nftw(s->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(s);
    return 0;
}

/* A file "group/name" in the scratch directory; the group is made when it is not there. */
static const char *put(const scratch_t *s, const char *name, const char *text, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/%s", s->dir, name);
    char *slash = strrchr(path, '/');
    *slash = '\0';
    mkdir(path, 0777);
    *slash = '/';
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

/* ------------------------------------------------ the real index */

static const char *shared_file(const char *name, char path[PATH_SIZE])
{
    const char *shared = getenv("ROWCAST_SHARED");
    const char *top = getenv("top_srcdir");
    if (shared)
        snprintf(path, PATH_SIZE, "%s/%s", shared, name);
    else
        snprintf(path, PATH_SIZE, "%s/../shared/%s", top ? top : ".", name);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* A line of the index as sscanf sees it: an independent reader. */
typedef struct naive {
    char group[64];
    char name[128];
    long long rows, cols, nnz, pattern_nnz;
    int real, binary, nd, posdef;
    double symmetry, numerical;
    char kind[128];
} naive_t;

static int naive_read(const char *path, naive_t *out, int most)
{
    char line[512];
    int n = 0;
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    for (int skip = 0; skip < 2; skip++)
        assert_non_null(fgets(line, sizeof line, f));
    while (n < most && fgets(line, sizeof line, f)) {
        naive_t *v = &out[n++];
        assert_int_equal(
            sscanf(line, "%63[^,],%127[^,],%lld,%lld,%lld,%d,%d,%d,%d,%lf,%lf,%127[^,],%lld",
                v->group, v->name, &v->rows, &v->cols, &v->nnz, &v->real, &v->binary, &v->nd,
                &v->posdef, &v->symmetry, &v->numerical, v->kind, &v->pattern_nnz),
            13);
    }
    fclose(f);
    return n;
}

enum { REAL_ROWS = 2904 };

static int64_t count_where(const char *csv, const char *where)
{
    rc_err_t err = {0};
    rc_catalog_t c;
    rc_expr_t *e;
    assert_int_equal(rc_catalog_read(csv, &c, &err), RC_OK);
    if (rc_expr_compile(where, rc_entry_fields, RC_ENTRY_FIELDS, &e, &err) < 0)
        fail_msg("%s: %s", where, err.text);
    rc_catalog_select(&c, e, -1);
    int64_t n = c.count;
    rc_expr_free(e);
    rc_catalog_free(&c);
    return n;
}

static void the_index_is_read_field_by_field(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    if (!shared_file("catalogue/ssstats.csv", path))
        skip();
    naive_t *naive = calloc(REAL_ROWS + 1, sizeof *naive);
    assert_non_null(naive);
    assert_int_equal(naive_read(path, naive, REAL_ROWS + 1), REAL_ROWS);
    rc_catalog_t c;
    rc_err_t err = {0};
    if (rc_catalog_read(path, &c, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(c.count, REAL_ROWS);
    assert_string_equal(c.revision, "31-Oct-2023 18:12:37");
    for (int64_t i = 0; i < c.count; i++) {
        const rc_entry_t *e = &c.entry[i];
        char full[256];
        assert_true(e->id >= 1 && e->id <= REAL_ROWS);
        naive_t *v = &naive[e->id - 1];
        snprintf(full, sizeof full, "%s/%s", v->group, v->name);
        assert_string_equal(e->name, full);
        assert_string_equal(e->group, v->group);
        assert_string_equal(e->kind, v->kind);
        assert_true(e->rows == v->rows && e->cols == v->cols && e->nnz == v->nnz &&
                    e->pattern_nnz == v->pattern_nnz);
        assert_true(e->real == v->real && e->binary == v->binary && e->nd == v->nd &&
                    e->posdef == v->posdef);
        assert_true(e->pattern_symmetry == v->symmetry && e->numerical_symmetry == v->numerical);
        assert_true(e->where == RC_WHERE_ABSENT && e->location[0] == '\0' && e->bytes == 0);
        if (i > 0) {
            int order = strcmp(c.entry[i - 1].group, e->group);
            assert_true(order < 0 || (order == 0 && strcmp(c.entry[i - 1].name, e->name) < 0));
        }
        v->group[0] = '\0'; /* each line once */
    }
    rc_catalog_free(&c);
    free(naive);
}

static void filters_count_as_a_naive_loop_does(void **state)
{
    (void)state;
    char path[PATH_SIZE];
    if (!shared_file("catalogue/ssstats.csv", path))
        skip();
    naive_t *v = calloc(REAL_ROWS, sizeof *v);
    assert_non_null(v);
    int n = naive_read(path, v, REAL_ROWS);
    enum { CASES = 11 };
    static const char *const where[CASES] = {"square && rows<=30k && !duplicate",
        "kind ~ '*structural*' || posdef", "group == HB && nnz > 10k", "nnz != pattern_nnz",
        "rows > cols && !binary", "symmetry < 1 && numerical_symmetry < symmetry",
        "real == 0 || nd", "name == 494_bus || fullname == 'HB/1138_bus'",
        "density < .001 && square", "pattern_symmetric",
        "square && rows >= 1e6 && rows <= 6e6 && nnz < 6e7"}; /* Lane and Booth's, and one since */
    int64_t expected[CASES] = {0};
    for (int i = 0; i < n; i++) {
        const naive_t *x = &v[i];
        int duplicate = strncmp(x->kind, "duplicate", 9) == 0;
        expected[0] += x->rows == x->cols && x->rows <= 30000 && !duplicate;
        expected[1] += strstr(x->kind, "structural") != NULL || x->posdef;
        expected[2] += strcmp(x->group, "HB") == 0 && x->nnz > 10000;
        expected[3] += x->nnz != x->pattern_nnz;
        expected[4] += x->rows > x->cols && !x->binary;
        expected[5] += x->symmetry < 1 && x->numerical < x->symmetry;
        expected[6] += !x->real || x->nd;
        expected[7] += strcmp(x->name, "494_bus") == 0 ||
                       (strcmp(x->group, "HB") == 0 && strcmp(x->name, "1138_bus") == 0);
        expected[8] +=
            x->rows == x->cols && (double)x->nnz / ((double)x->rows * (double)x->cols) < 0.001;
        expected[9] += x->symmetry == 1;
    }
    expected[10] = 65;
    for (int i = 0; i < CASES; i++) {
        int64_t found = count_where(path, where[i]);
        if (found != expected[i] || found == 0)
            fail_msg("%s: expected %" PRId64 ", found %" PRId64, where[i], expected[i], found);
    }
    free(v);
}

/* ------------------------------------------------ malformed indexes */

#define GOOD "HB,a,3,4,5,1,0,0,1,1,.5,power network problem,6\n"

static void malformed_indexes_are_refused_with_the_line(void **state)
{
    const scratch_t *s = *state;
    static const struct {
        const char *text;
        int line;
        const char *word;
    } cases[] = {
        {"", 1, "number of matrices"},
        {"many\ndate\n", 1, "found 'many'"},
        {"-1\ndate\n", 1, "found '-1'"},
        {"1\n", 2, "the date"},
        {"1\n\n" GOOD, 2, "the date"},
        {"2\ndate\n" GOOD, 3, "expected 2 matrices (line 1), found 1"},
        {"0\ndate\n" GOOD, 3, "expected 0 matrices"},
        {"1\ndate\n\n", 3, "found 1"},
        {"1\ndate\nHB,a,3,4,5,1,0,0,1,1,1,6\n", 3,
            "expected 13 columns separated by commas, found 12"},
        {"1\ndate\n,a,3,4,5,1,0,0,1,1,1,kind,6\n", 3, "column 1 (group)"},
        {"1\ndate\nHB,../a,3,4,5,1,0,0,1,1,1,kind,6\n", 3, "column 2 (name)"},
        {"1\ndate\nHB,a b,3,4,5,1,0,0,1,1,1,kind,6\n", 3, "column 2 (name)"},
        {"1\ndate\nHB,a,x,4,5,1,0,0,1,1,1,kind,6\n", 3, "column 3 (rows)"},
        {"1\ndate\nHB,a,3,-4,5,1,0,0,1,1,1,kind,6\n", 3, "column 4 (cols)"},
        {"1\ndate\nHB,a,3,4,99999999999999999999,1,0,0,1,1,1,kind,6\n", 3, "column 5 (nnz)"},
        {"1\ndate\nHB,a,3,4,5,2,0,0,1,1,1,kind,6\n", 3, "column 6 (isReal): expected 0 or 1"},
        {"1\ndate\nHB,a,3,4,5,1,,0,1,1,1,kind,6\n", 3, "column 7 (isBinary)"},
        {"1\ndate\nHB,a,3,4,5,1,0,01,1,1,1,kind,6\n", 3, "column 8 (isND)"},
        {"1\ndate\nHB,a,3,4,5,1,0,0,y,1,1,kind,6\n", 3, "column 9 (posdef)"},
        {"1\ndate\nHB,a,3,4,5,1,0,0,1,1.5,1,kind,6\n", 3, "column 10 (pattern symmetry)"},
        {"1\ndate\nHB,a,3,4,5,1,0,0,1,1,nan,kind,6\n", 3, "column 11 (numerical symmetry)"},
        {"1\ndate\nHB,a,3,4,5,1,0,0,1,1,1,kind,4\n", 3, "column 13 (pattern entries)"},
        {"1\ndate\nHB,a,3,4,5,1,0,0,1,1,1,kind,6 \n", 3, "column 13 (pattern entries)"},
        {"2\ndate\n" GOOD GOOD, 4, "found HB/a of line 3 again"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[PATH_SIZE];
        char where[PATH_SIZE + 16];
        rc_err_t err = {0};
        rc_catalog_t c;
        put(s, "bad.csv", cases[i].text, path);
        snprintf(where, sizeof where, "%s:%d: ", path, cases[i].line);
        rc_status_t st = rc_catalog_read(path, &c, &err);
        if (st != RC_EFORMAT || strstr(err.text, where) != err.text ||
            !strstr(err.text, cases[i].word))
            fail_msg("case %zu: expected '%s%s', found '%s'", i, where, cases[i].word, err.text);
    }
    rc_catalog_t c;
    assert_int_equal(rc_catalog_read("/nonexistent/x.csv", &c, NULL), RC_ENOENT);
    assert_true(rc_catalog_read(s->dir, &c, NULL) < 0);
}

static void a_kind_may_hold_commas(void **state)
{
    char path[PATH_SIZE];
    rc_catalog_t c;
    put(*state, "good.csv",
        "3\r\ndate\r\nb,x,3,4,5,1,0,0,1,1,.5,one, two,three,6\nB,a,0,0,0,0,0,0,0,0,0,,0\n"
        "b,X,3,3,5,1,0,0,1,1,.5,Duplicate thing,6",
        path);
    assert_int_equal(rc_catalog_read(path, &c, NULL), RC_OK);
    assert_int_equal(c.count, 3);
    assert_string_equal(c.entry[0].name, "B/a");
    assert_string_equal(c.entry[1].name, "b/X");
    assert_string_equal(c.entry[2].name, "b/x");
    assert_string_equal(c.entry[2].kind, "one, two,three");
    assert_int_equal(c.entry[2].pattern_nnz, 6);
    assert_int_equal(c.entry[2].id, 1);
    rc_catalog_free(&c);
    assert_int_equal(count_where(path, "duplicate"), 1);
    assert_int_equal(count_where(path, "present"), 0);
    assert_int_equal(count_where(path, "bytes >= 0 || bytes < 0"), 0);
}

/* ------------------------------------------------ scanning */

#define MTX "%%MatrixMarket matrix coordinate real symmetric\n5 5 3\n1 1 1.5\n2 1 2\n5 5 1\n"

static const rc_entry_t *find(const rc_catalog_t *c, const char *name)
{
    for (int64_t i = 0; i < c->count; i++)
        if (strcmp(c->entry[i].name, name) == 0)
            return &c->entry[i];
    fail_msg("%s is not there", name);
    return NULL;
}

static int ends_in(const char *text, const char *end)
{
    size_t n = strlen(text);
    size_t m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static void make_collection(const scratch_t *s)
{
    static const char *const files[] = {"G/plain.mtx", "G/z.mtx.zst", "G/g.mtx.gz", "G/x.mtx.xz",
        "G/t.tar.gz", "G/.hidden.mtx", "G/notes.txt", "G/mtx", "G/.mtx", "G/a.mtx.bz2", "A/all.mtx",
        "A/all.mtx.zst", "A/all.mtx.gz", "A/all.mtx.xz", "A/all.tar.gz", "A/some.tar.gz",
        "A/some.mtx.xz", "A/some.mtx.gz", "A/two.tar.gz", "A/two.mtx.xz"};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(s, files[i], MTX, path);
    put(s, "loose.mtx", MTX, path);
    put(s, "empty-group/README", "", path);
    snprintf(path, sizeof path, "%s/G/dir.mtx", s->dir);
    assert_int_equal(mkdir(path, 0777), 0);
    snprintf(path, sizeof path, "%s/G/link.mtx", s->dir);
    assert_int_equal(symlink("plain.mtx", path), 0);
    snprintf(path, sizeof path, "%s/G/dangling.mtx", s->dir);
    assert_int_equal(symlink("nowhere", path), 0);
    snprintf(path, sizeof path, "%s/L", s->dir);
    assert_int_equal(symlink("G", path), 0);
}

static void files_of_the_layout_are_found(void **state)
{
    const scratch_t *s = *state;
    rc_catalog_t c;
    rc_err_t err = {0};
    make_collection(s);
    if (rc_catalog_scan(s->dir, NULL, &c, &err) < 0)
        fail_msg("%s", err.text);
    char loose[PATH_SIZE]; /* its group is the name of the folder */
    snprintf(loose, sizeof loose, "%s/loose", strrchr(s->dir, '/') + 1);
    const char *const expected[] = {"A/all", "A/some", "A/two", "G/a", "G/dangling", "G/g", "G/link",
        "G/plain", "G/t", "G/x", "G/z", "L/a", "L/dangling", "L/g", "L/link", "L/plain", "L/t", "L/x",
        "L/z", loose};
    assert_int_equal(c.count, sizeof expected / sizeof *expected);
    for (int64_t i = 0; i < c.count; i++)
        assert_string_equal(c.entry[i].name, expected[i]);
    assert_non_null(c.passed);
    assert_non_null(strstr(c.passed, "5 other files or folders ("));
    assert_non_null(strstr(c.passed, "7 further forms of matrices ("));
    assert_true(ends_in(find(&c, "A/all")->location, "/A/all.mtx"));
    assert_true(ends_in(find(&c, "A/some")->location, "/A/some.mtx.gz"));
    assert_true(ends_in(find(&c, "A/two")->location, "/A/two.mtx.xz"));
    const rc_entry_t *e = find(&c, "G/link");
    assert_true(e->where == RC_WHERE_FILE && e->rows == 5 && e->cols == 5 && e->nnz == 6);
    assert_true(e->pattern_symmetry == 1 && e->real == 1 && e->binary == 0);
    assert_int_equal(e->bytes, strlen(MTX));
    assert_true(e->mtime_ns > 1000000000 && e->id == 0);
    /* listed, although it cannot be read: the run reports it */
    e = find(&c, "G/dangling");
    assert_true(e->where == RC_WHERE_FILE && e->rows == -1 && e->nnz == -1 && e->bytes == 0);
    assert_int_equal(rc_entry_load_bytes(e), 0);
    rc_csr_t a;
    assert_true(rc_entry_load(e, NULL, 1, NULL, &a, NULL, &err) < 0);
    assert_int_equal(rc_entry_load(find(&c, "G/link"), NULL, 1, NULL, &a, NULL, &err), RC_OK);
    assert_true(a.rows == 5 && a.nnz == 4);
    rc_csr_free(&a);
    rc_catalog_free(&c);
}

/* A file with the spec of a generator stands for the matrix, which loading it makes, unless the matrix is there. */
static void specs_are_matrices_too(void **state)
{
    const scratch_t *s = *state;
    char path[PATH_SIZE];
    rc_catalog_t index;
    rc_catalog_t c;
    rc_csr_t a;
    rc_err_t err = {0};
    put(s, "S/made.spec", " mesh2d:n=5 \nanything\n", path);
    put(s, "S/both.spec", "mesh2d:n=5", path);
    put(s, "S/both.mtx", MTX, path);
    put(s, "S/empty.spec", "", path);
    put(s, "specs.csv", "1\ndate\nS,made,25,25,105,1,0,0,0,0,0,mesh,105\n", path);
    assert_int_equal(rc_catalog_read(path, &index, &err), RC_OK);
    if (rc_catalog_scan(s->dir, &index, &c, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(c.count, 3);
    const rc_entry_t *e = find(&c, "S/made");
    assert_true(e->where == RC_WHERE_GENERATED && e->rows == 25);
    assert_int_equal(e->mtime_ns, rc_generator_version("mesh2d:n=5"));
    assert_string_equal(e->location, "mesh2d:n=5");
    assert_int_equal(rc_entry_load(e, NULL, 1, NULL, &a, NULL, &err), RC_OK);
    assert_int_equal(a.rows, 25);
    rc_csr_free(&a);
    assert_int_equal(find(&c, "S/both")->where, RC_WHERE_FILE);
    assert_true(rc_entry_load(find(&c, "S/empty"), NULL, 1, NULL, &a, NULL, &err) < 0);
    rc_catalog_free(&c);
    rc_catalog_free(&index);
}

/* What the archives unpack to, in every form; what is beside it is left out, named and counted. */
static void unpacked_archives_are_found(void **state)
{
    static const char *const folders[] = {"H", "H/plain", "H/packed", "H/none", "H/deep", "H/deep/deep", "H/both", "H/spec"};
    static const char *const there[] = {"H/plain/plain.mtx", "H/packed/packed.mtx.gz", "H/both/both.mtx",
        "H/both.tar.gz", "H/t1.tgz", "H/t2.tar.zst", "H/t3.tzst", "H/t4.tar.xz", "H/t5.txz", "H/t6.tar.bz2",
        "H/t7.tbz2", "H/t8.tar", "H/b.mtx.bz2", "own.mtx", "tar.tgz", "zst.tar.zst", "bz.mtx.bz2"};
    static const char *const beside[] = {"H/plain/plain_b.mtx", "H/plain/plain_coord.mtx", "H/plain/README",
        "H/none/other.mtx", "H/spec/spec.spec"};
    static const char *const others[] = {"H/notes.txt", "H/m.mtx.7z", "top.txt"};
    const scratch_t *s = *state;
    char path[PATH_SIZE];
    rc_catalog_t c;
    rc_err_t err = {0};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s/%s", s->dir, folders[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        put(s, there[i], MTX, path);
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
        put(s, beside[i], MTX, path);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put(s, others[i], MTX, path);
    put(s, "ssstats.csv", "", path); /* is fetch's own */
    put(s, "manifest.jsonl", "", path);
    if (rc_catalog_scan(s->dir, NULL, &c, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(c.count, sizeof there / sizeof *there - 1);
    assert_true(ends_in(find(&c, "H/plain")->location, "/H/plain/plain.mtx"));
    assert_true(ends_in(find(&c, "H/both")->location, "/H/both.tar.gz")); /* as before it was unpacked */
    const char *own = strrchr(s->dir, '/') + 1;
    for (int k = 0; k < 4; k++) {
        static const char *const names[] = {"own", "tar", "zst", "bz"};
        snprintf(path, sizeof path, "%s/%s", own, names[k]);
        const rc_entry_t *e = find(&c, path);
        assert_true(e->rows == 5 && e->where == RC_WHERE_FILE);
    }
    rc_csr_t a;
    assert_int_equal(rc_entry_load(find(&c, "H/packed"), NULL, 1, NULL, &a, NULL, &err), RC_OK);
    rc_csr_free(&a);
    /* H/deep/deep is a folder in the folder of a matrix */
    if (!c.passed || !strstr(c.passed, "3 other files or folders (") ||
        !strstr(c.passed, "6 files beside unpacked matrices (") ||
        !strstr(c.passed, "1 further form of a matrix (H/both/both.mtx)"))
        fail_msg("found '%s'", c.passed ? c.passed : "nothing");
    rc_catalog_free(&c);
}

static void an_index_is_joined_with_the_files(void **state)
{
    const scratch_t *s = *state;
    char path[PATH_SIZE];
    rc_catalog_t index;
    rc_catalog_t c;
    rc_err_t err = {0};
    make_collection(s);
    put(s, "index.csv",
        "4\ndate\nG,z,7,8,9,1,0,0,0,0,0,kind of z,9\nG,absent,1,1,1,1,0,0,0,1,1,k,1\n"
        "A,some,9,9,9,1,0,0,0,1,1,duplicate of some,9\nZ,last,1,1,1,1,0,0,0,1,1,k,1\n",
        path);
    assert_int_equal(rc_catalog_read(path, &index, &err), RC_OK);
    if (rc_catalog_scan(s->dir, &index, &c, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(c.count, 20 + 2);
    assert_string_equal(c.revision, "date");
    const rc_entry_t *e = find(&c, "G/z");
    assert_true(e->where == RC_WHERE_FILE && e->id == 1 && e->rows == 7 && e->nnz == 9);
    assert_true(ends_in(e->location, "/G/z.mtx.zst") && e->bytes > 0);
    assert_string_equal(e->kind, "kind of z");
    e = find(&c, "G/absent");
    assert_true(e->where == RC_WHERE_ABSENT && e->id == 2 && e->bytes == 0);
    rc_csr_t a;
    assert_int_equal(rc_entry_load(e, NULL, 1, NULL, &a, NULL, &err), RC_ENOENT);
    assert_non_null(strstr(err.text, "G/absent"));
    assert_true(ends_in(find(&c, "A/some")->location, "/A/some.mtx.gz"));
    assert_int_equal(find(&c, "Z/last")->where, RC_WHERE_ABSENT);
    e = find(&c, "G/plain"); /* not in the index */
    assert_true(e->where == RC_WHERE_FILE && e->id == 0 && e->rows == 5);
    for (int64_t i = 1; i < c.count; i++) {
        int order = strcmp(c.entry[i - 1].group, c.entry[i].group);
        assert_true(order < 0 || (order == 0 && strcmp(c.entry[i - 1].name, c.entry[i].name) < 0));
    }
    int64_t before = c.count;
    int64_t there = 0;
    for (int64_t i = 0; i < c.count; i++)
        there += c.entry[i].where != RC_WHERE_ABSENT;
    assert_true(there >= 2 && there < before);
    rc_catalog_limit(&c, there); /* absent ones do not count */
    assert_int_not_equal(c.entry[c.count - 1].where, RC_WHERE_ABSENT);
    int64_t found = 0;
    for (int64_t i = 0; i < c.count; i++)
        found += c.entry[i].where != RC_WHERE_ABSENT;
    assert_int_equal(found, there);
    rc_expr_t *only;
    assert_int_equal(
        rc_expr_compile("id > 0 && present", rc_entry_fields, RC_ENTRY_FIELDS, &only, &err),
        RC_OK);
    rc_catalog_select(&c, only, -1);
    rc_expr_free(only);
    assert_int_equal(c.count, 2);
    rc_catalog_limit(&c, 2);
    assert_int_equal(c.count, 2);
    rc_catalog_select(&c, NULL, 1);
    assert_int_equal(c.count, 1);
    assert_string_equal(c.entry[0].name, "A/some");
    rc_catalog_select(&c, NULL, 0);
    assert_int_equal(c.count, 0);
    rc_catalog_free(&c);
    rc_catalog_free(&index);
}

static void missing_directories_are_errors(void **state)
{
    const scratch_t *s = *state;
    rc_catalog_t c;
    rc_err_t err = {0};
    char path[PATH_SIZE];
    assert_int_equal(rc_catalog_scan("/nonexistent/dir", NULL, &c, &err), RC_ENOENT);
    assert_non_null(strstr(err.text, "/nonexistent/dir"));
    put(s, "file", "", path);
    assert_true(rc_catalog_scan(path, NULL, &c, &err) < 0);
    put(s, "G/a.mtx", MTX, path);
    snprintf(path, sizeof path, "%s/G", s->dir);
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) != 0) { /* not for the superuser */
        assert_int_equal(rc_catalog_scan(s->dir, NULL, &c, &err), RC_EIO);
        assert_non_null(strstr(err.text, path));
    }
    assert_int_equal(chmod(path, 0777), 0);
}

static void the_builtin_set_is_listed(void **state)
{
    (void)state;
    rc_catalog_t c;
    assert_int_equal(rc_catalog_builtin(&c, NULL), RC_OK);
    assert_int_equal(c.count, rc_builtin_count);
    for (int64_t i = 0; i < c.count; i++) {
        const rc_entry_t *e = &c.entry[i];
        assert_true(e->where == RC_WHERE_GENERATED && e->mtime_ns >= 1 && e->rows > 0);
        assert_string_equal(e->group, "builtin");
        assert_true(strncmp(e->name, "builtin/", 8) == 0);
        assert_true(i == 0 || strcmp(c.entry[i - 1].name, e->name) < 0);
        assert_true(rc_entry_load_bytes(e) > 12 * e->nnz);
    }
    if (c.count > 0) {
        rc_csr_t a;
        rc_mtx_info_t info;
        assert_int_equal(rc_entry_load(&c.entry[0], NULL, 1, NULL, &a, &info, NULL), RC_OK);
        assert_true(a.rows == c.entry[0].rows && a.nnz == c.entry[0].nnz);
        assert_true(info.field[0] == '\0');
        rc_csr_free(&a);
    }
    rc_catalog_free(&c);
}

static void load_estimates_do_not_overflow(void **state)
{
    (void)state;
    rc_entry_t e = {.rows = 10, .cols = 10, .nnz = 20, .pattern_nnz = 25};
    int64_t small = rc_entry_load_bytes(&e);
    assert_true(small >= 25 * (16 + 12) && small < 25 * 100 + 1000);
    e.nnz = INT64_MAX / 8;
    assert_true(rc_entry_load_bytes(&e) == INT64_MAX);
    e.rows = -1;
    assert_int_equal(rc_entry_load_bytes(&e), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_index_is_read_field_by_field),
        cmocka_unit_test(filters_count_as_a_naive_loop_does),
        cmocka_unit_test_setup_teardown(
            malformed_indexes_are_refused_with_the_line, scratch_begin, scratch_end),
        cmocka_unit_test_setup_teardown(a_kind_may_hold_commas, scratch_begin, scratch_end),
        cmocka_unit_test_setup_teardown(specs_are_matrices_too, scratch_begin, scratch_end),
        cmocka_unit_test_setup_teardown(files_of_the_layout_are_found, scratch_begin, scratch_end),
        cmocka_unit_test_setup_teardown(
            an_index_is_joined_with_the_files, scratch_begin, scratch_end),
        cmocka_unit_test_setup_teardown(unpacked_archives_are_found, scratch_begin, scratch_end),
        cmocka_unit_test_setup_teardown(missing_directories_are_errors, scratch_begin, scratch_end),
        cmocka_unit_test(the_builtin_set_is_listed),
        cmocka_unit_test(load_estimates_do_not_overflow),
    };
    return cmocka_run_group_tests_name("catalog", tests, NULL, NULL);
}
