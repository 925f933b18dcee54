/* mat: MAT-files of MATLAB, level 5, plain or compressed: the field A of the struct Problem, as the
 * SuiteSparse collection has it, with the explicit zeros of its field Zeros; or the only sparse
 * variable.  Layout: "MAT-File Format" of The MathWorks, chapter 1. */
#include "config.h"
#include "base/error.h"
#include "io/reader.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 128, TAG = 8, MATRIX = 14, COMPRESSED = 15 };               /* types of elements */
enum { STRUCT = 2, SPARSE = 5, IS_COMPLEX = 8, IS_LOGICAL = 2, NAME = 64 }; /* of arrays */

/* An element, or one that was cut off by a peek. */
typedef struct element {
    unsigned type;
    int64_t bytes; /* as its tag says */
    const char *at;
    const char *end;
} element_t;

/* A variable or a field. */
typedef struct array {
    int kind;
    int flags;
    int64_t shape[2];
    char name[NAME];
    const char *at; /* what comes behind its head */
    const char *end;
} array_t;

typedef struct mat {
    rc_taking_t *t;
    int64_t left; /* bytes of the variable in the file */
    int packed;
    z_stream z;
    char in[1 << 14];
    char where[48]; /* the variable, for messages */
    array_t a;
    array_t zeros;
} mat_t;

static int is_mat(const char *head, size_t n)
{
    return n >= HEADER && (memcmp(head, "MATLAB ", 7) == 0 || memcmp(head, "\x89HDF", 4) == 0);
}

static uint32_t u32(const char *b)
{
    return (uint32_t)rc_series_whole(&(rc_series_t){.at = b, .kind = 'u', .bytes = 4}, 0);
}

static rc_status_t wrong(const mat_t *m, const char *expected, const char *found)
{
    return rc_taking_wrong(m->t, m->where, expected, found);
}

/* -------------------------------------------------------------------- bytes */

/* Read on in a variable. */
static int64_t more_plain(void *arg, char *to, size_t size)
{
    mat_t *m = arg;
    size_t n = (int64_t)size < m->left ? size : (size_t)m->left;
    m->left -= (int64_t)n;
    return fread(to, 1, n, m->t->file) == n ? (int64_t)n : wrong(m, "more bytes", "their end");
}

static int64_t more_packed(void *arg, char *to, size_t size)
{
    mat_t *m = arg;
    m->z.next_out = (Bytef *)to;
    m->z.avail_out = (uInt)size;
    for (int code = Z_OK; m->z.avail_out > 0 && code != Z_STREAM_END;) {
        if (m->z.avail_in == 0) {
            int64_t n = more_plain(m, m->in, sizeof m->in);
            if (n < 0)
                return n;
            m->z.next_in = (Bytef *)m->in;
            m->z.avail_in = (uInt)n;
        }
        code = inflate(&m->z, Z_NO_FLUSH);
        if (code != Z_OK && code != Z_STREAM_END)
            return wrong(m, "more compressed bytes", m->z.msg ? m->z.msg : "their end");
    }
    return (int64_t)(size - m->z.avail_out);
}

/* ----------------------------------------------------------------- elements */

static rc_status_t next(const mat_t *m, const char **p, const char *end, element_t *out)
{
    if (end - *p < TAG)
        return wrong(m, "another element", "the end");
    int is_small = u32(*p) > UINT16_MAX; /* tag and data in one */
    *out = (element_t){.type = u32(*p) & UINT16_MAX,
        .bytes = is_small ? u32(*p) >> 16 : u32(*p + 4),
        .at = *p + (is_small ? 4 : TAG)};
    int64_t there = is_small ? 4 : end - out->at;
    if (out->bytes > there && (is_small || !m->t->is_peek))
        return wrong(m, "an element within the one that it is in", "a longer one");
    out->end = out->at + (out->bytes < there ? out->bytes : there);
    int64_t padded = is_small ? 4 : (out->bytes + TAG - 1) / TAG * TAG;
    *p = out->at + (padded < end - out->at ? padded : end - out->at);
    return RC_OK;
}

/* The next element, of numbers or letters. */
static rc_status_t cells(const mat_t *m, const char **p, const char *end, rc_series_t *out)
{
    static const char kinds[] = " iuiuiuf f  iu  u"; /* by type */
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 0, 0, 1};
    element_t e;
    RC_PASS(next(m, p, end, &e));
    if (e.type >= sizeof sizes / sizeof *sizes || sizes[e.type] == 0)
        return wrong(m, "numbers", "something else");
    out->at = e.at;
    out->kind = kinds[e.type];
    out->bytes = sizes[e.type];
    out->count = (e.end - e.at) / out->bytes;
    return RC_OK;
}

/* Head of the next element, an array; one without bytes has the kind 0. */
static rc_status_t head(const mat_t *m, const char **p, const char *end, array_t *out)
{
    element_t part[3];
    element_t e;
    RC_PASS(next(m, p, end, &e));
    *out = (array_t){.at = e.at, .end = e.end};
    if (e.type != MATRIX || e.bytes == 0)
        return e.type == MATRIX ? RC_OK : wrong(m, "an array", "something else");
    for (int i = 0; i < 3; i++)
        RC_PASS(next(m, &out->at, e.end, &part[i]));
    if (part[0].end - part[0].at < 4 || part[1].end - part[1].at < 8)
        return wrong(m, "flags, rows and columns of an array", "less");
    out->kind = (int)(u32(part[0].at) & 0xff);
    out->flags = (int)(u32(part[0].at) >> 8 & 0xff);
    for (int i = 0; i < 2; i++)
        out->shape[i] = (int32_t)u32(part[1].at + 4 * i);
    for (int64_t i = 0; i < part[2].end - part[2].at && i < NAME - 1; i++)
        out->name[i] = part[2].at[i];
    return RC_OK;
}

/* The matrix: one of a file. */
static rc_status_t found(mat_t *m, const array_t *a)
{
    if (m->a.kind)
        return wrong(m, "no second sparse matrix in the file", "one");
    if (a->kind != SPARSE)
        return wrong(m, "a sparse matrix Problem.A", "an array of another kind");
    if (a->flags & IS_COMPLEX)
        return wrong(m, "real values", "complex ones");
    m->a = *a;
    return RC_OK;
}

static rc_status_t problem(mat_t *m, const array_t *s)
{
    const char *p = s->at;
    rc_series_t each;
    rc_series_t names;
    array_t field;
    RC_PASS(cells(m, &p, s->end, &each));
    RC_PASS(cells(m, &p, s->end, &names));
    int64_t length = each.count > 0 ? rc_series_whole(&each, 0) : 0;
    if (length < 1 || length > NAME || names.bytes != 1)
        return wrong(m, "names of fields", "none");
    for (int64_t i = 0; i + length <= names.count && !(m->t->is_peek && m->a.kind); i += length) {
        RC_PASS(head(m, &p, s->end, &field));
        if (strncmp(names.at + i, "A", (size_t)length) == 0)
            RC_PASS(found(m, &field));
        if (strncmp(names.at + i, "Zeros", (size_t)length) == 0 && field.kind == SPARSE)
            m->zeros = field;
    }
    return RC_OK;
}

static rc_status_t variable(mat_t *m)
{
    array_t v;
    int64_t n;
    int kept = m->t->buffers;
    RC_PASS(rc_taking_load(m->t, m->packed ? more_packed : more_plain, m, &n));
    const char *p = m->t->buffer[kept];
    RC_PASS(head(m, &p, p + n, &v));
    if (v.kind == STRUCT && strcmp(v.name, "Problem") == 0)
        return problem(m, &v);
    if (v.kind == SPARSE)
        return found(m, &v);
    rc_taking_drop(m->t, n);
    return RC_OK;
}

/* --------------------------------------------------------------- the matrix */

static rc_status_t variables(mat_t *m)
{
    char tag[TAG];
    rc_status_t st = RC_OK;
    size_t n = TAG;
    for (int64_t at = HEADER; st == RC_OK; at += TAG + u32(tag + 4)) {
        snprintf(m->where, sizeof m->where, "the variable at byte %" PRId64, at);
        if (fseeko(m->t->file, (off_t)at, SEEK_SET) != 0 ||
            (n = fread(tag, 1, TAG, m->t->file)) != TAG)
            return n == 0 ? RC_OK : wrong(m, "another variable", "the end of the file");
        m->packed = u32(tag) == COMPRESSED;
        m->left = u32(tag + 4);
        if (!m->packed && u32(tag) != MATRIX)
            continue;
        m->z = (z_stream){.avail_in = 0};
        if (m->packed && inflateInit(&m->z) != Z_OK)
            return rc_fail(m->t->err, RC_ENOMEM, "%s: no memory to decode", m->t->path);
        m->left += m->packed ? 0 : TAG; /* as if it had been packed with its tag */
        if (!m->packed && fseeko(m->t->file, (off_t)at, SEEK_SET) != 0)
            return wrong(m, "another variable", "none");
        st = variable(m);
        if (m->packed)
            inflateEnd(&m->z);
    }
    return st;
}

static rc_status_t take_matrix(mat_t *m)
{
    static const char *const names[] = {"ir", "jc", "pr"};
    array_t *a[] = {&m->a, &m->zeros};
    rc_series_t c[2][3] = {{{.count = 0}}};
    element_t e;
    if (m->zeros.kind && memcmp(m->zeros.shape, m->a.shape, sizeof m->a.shape) != 0)
        return wrong(m, "the shape of A in Problem.Zeros", "another one");
    m->t->is_integer = (m->a.flags & IS_LOGICAL) != 0;
    if (m->t->is_peek) {
        RC_PASS(next(m, &m->a.at, m->a.end, &e));
        return rc_taking_begin(m->t, m->a.shape, e.bytes / 4);
    }
    for (int i = 0; i < 2 && a[i]->kind; i++)
        for (int k = 0; k < 3; k++) {
            c[i][k].name = names[k];
            RC_PASS(cells(m, &a[i]->at, a[i]->end, &c[i][k]));
        }
    RC_PASS(rc_taking_begin(m->t, m->a.shape, c[0][0].count + c[1][0].count));
    for (int i = 0; i < 2 && a[i]->kind; i++)
        RC_PASS(rc_taking_compressed(
            m->t, &(rc_compressed_t){&c[i][1], &c[i][0], i ? NULL : &c[i][2], {1, 1}, 1}));
    return RC_OK;
}

static rc_status_t take(rc_taking_t *t)
{
    mat_t m = {.t = t};
    char begin[HEADER] = "";
    size_t n = fread(begin, 1, HEADER, t->file);
    if (n != HEADER || memcmp(begin, "MATLAB 5", 8) != 0 || memcmp(begin + 126, "IM", 2) != 0)
        return rc_taking_wrong(t, "byte 0",
            "a little-endian MAT-file of level 5 (save -v7), Matrix Market or npz",
            memcmp(begin, "MATLAB 7.3", 10) == 0 || begin[0] == '\x89' ? "HDF5 (save -v7.3)"
                                                                       : "another MAT-file");
    RC_PASS(variables(&m));
    if (!m.a.kind)
        return rc_taking_wrong(t, "the end", "the struct Problem or a sparse variable", "neither");
    return take_matrix(&m);
}

const rc_reader_t rc_reader_mat = {.name = "mat", .is = is_mat, .take = take};
