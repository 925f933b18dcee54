/* mat: MAT-files of MATLAB, level 5, plain or compressed: the field A of the struct Problem, as the
 * SuiteSparse collection has it, with the explicit zeros of its field Zeros; or the only sparse
 * variable.  Layout: "MAT-File Format" of The MathWorks, chapter 1. */
#include "config.h"
#include "base/error.h"
#include "io/reader.h"

#include <inttypes.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 128, TAG = 8, MATRIX = 14, COMPRESSED = 15, TYPES = 17 };   /* of elements */
enum { STRUCT = 2, SPARSE = 5, IS_COMPLEX = 8, IS_LOGICAL = 2, NAME = 64 }; /* of arrays */

/* Elements one after the other. */
typedef struct span {
    const char *at;
    const char *end;
} span_t;

/* A variable or a field, and what comes behind its head. */
typedef struct array {
    int64_t kind; /* 0: empty */
    int64_t flags;
    int64_t shape[2];
    char name[NAME];
    span_t in;
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

/* The next element; the bytes of an array ('m') are its numbers.
 * \param[in] may_be_cut  1: its end may be missing, though not in its tag */
static rc_status_t next(const mat_t *m, span_t *in, int may_be_cut, rc_series_t *out)
{
    static const char kinds[TYPES + 1] = " iuiuiuf f  ium u";
    static const char sizes[TYPES] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8, 1, 0, 1};
    if (in->end - in->at < TAG)
        return wrong(m, "another element", "the end");
    uint32_t type = u32(in->at);
    int is_small = type > UINT16_MAX; /* tag and data in one */
    int64_t bytes = is_small ? type >> 16 : u32(in->at + 4);
    const char *at = in->at + (is_small ? 4 : TAG);
    int64_t there = is_small ? 4 : in->end - at;
    type &= UINT16_MAX;
    if (type >= TYPES || !sizes[type])
        return wrong(m, "numbers or an array", "something else");
    if (bytes > there && (is_small || !may_be_cut))
        return wrong(m, "an element within the one that it is in", "a longer one");
    *out = (rc_series_t){at, bytes / sizes[type], kinds[type], sizes[type], "an element"};
    bytes = is_small ? 4 : (bytes + TAG - 1) / TAG * TAG;
    in->at = at + (bytes < in->end - at ? bytes : in->end - at);
    return RC_OK;
}

/* Head of the next element, an array. */
static rc_status_t head(const mat_t *m, span_t *in, array_t *out)
{
    rc_series_t e;
    rc_series_t part[3];
    RC_PASS(next(m, in, m->t->is_peek, &e));
    if (e.kind != 'm')
        return wrong(m, "an array", "something else");
    *out = (array_t){.in = {e.at, e.count < in->end - e.at ? e.at + e.count : in->end}};
    if (e.count == 0)
        return RC_OK;
    for (int i = 0; i < 3; i++)
        RC_PASS(next(m, &out->in, 0, &part[i]));
    if (part[0].count < 1 || part[1].count < 2 || part[2].bytes != 1)
        return wrong(m, "flags, two sizes and a name of an array", "others");
    out->kind = rc_series_whole(&part[0], 0) & 0xff;
    out->flags = rc_series_whole(&part[0], 0) >> 8;
    for (int i = 0; i < 2; i++)
        out->shape[i] = rc_series_whole(&part[1], i);
    memcpy(out->name, part[2].at, (size_t)(part[2].count < NAME ? part[2].count : NAME - 1));
    return RC_OK;
}

/* The matrix: one of a file. */
static rc_status_t found(mat_t *m, const array_t *a)
{
    if (m->a.kind)
        return wrong(m, "no second sparse matrix in the file", "one");
    if (a->kind != SPARSE || a->flags & IS_COMPLEX)
        return wrong(m, a->kind == SPARSE ? "real values" : "a sparse matrix Problem.A",
            a->kind == SPARSE ? "complex ones" : "an array of another kind");
    m->a = *a;
    return RC_OK;
}

static rc_status_t problem(mat_t *m, array_t *s)
{
    rc_series_t each;
    rc_series_t names;
    array_t field;
    RC_PASS(next(m, &s->in, 0, &each));
    RC_PASS(next(m, &s->in, 0, &names));
    int64_t n = each.count > 0 ? rc_series_whole(&each, 0) : 0;
    if (n < 1 || n > NAME || names.bytes != 1)
        return wrong(m, "names of fields", "none");
    for (int64_t i = 0; i + n <= names.count && !(m->t->is_peek && m->a.kind); i += n) {
        RC_PASS(head(m, &s->in, &field));
        if (strncmp(names.at + i, "A", (size_t)n) == 0)
            RC_PASS(found(m, &field));
        if (strncmp(names.at + i, "Zeros", (size_t)n) == 0 && field.kind == SPARSE)
            m->zeros = field;
    }
    return RC_OK;
}

static rc_status_t variable(mat_t *m)
{
    array_t v;
    int64_t n;
    RC_PASS(rc_taking_load(m->t, m->packed ? more_packed : more_plain, m, &n));
    const char *at = m->t->buffer[m->t->buffers - 1];
    RC_PASS(head(m, &(span_t){at, at + n}, &v));
    if (v.kind == STRUCT && strcmp(v.name, "Problem") == 0)
        return problem(m, &v);
    if (v.kind == SPARSE)
        return found(m, &v);
    rc_taking_drop(m->t, n);
    return RC_OK;
}

static rc_status_t variables(mat_t *m)
{
    char tag[TAG];
    rc_status_t st = RC_OK;
    for (int64_t at = HEADER; st == RC_OK; at += (int64_t)TAG + u32(tag + 4)) {
        snprintf(m->where, sizeof m->where, "the variable at byte %" PRId64, at);
        size_t n =
            fseeko(m->t->file, (off_t)at, SEEK_SET) == 0 ? fread(tag, 1, TAG, m->t->file) : 1;
        if (n != TAG)
            return n == 0 ? RC_OK : wrong(m, "another variable", "the end of the file");
        m->packed = u32(tag) == COMPRESSED;
        m->left = u32(tag + 4);
        m->z = (z_stream){.avail_in = 0};
        if (!m->packed && u32(tag) != MATRIX)
            continue;
        if (m->packed && inflateInit(&m->z) != Z_OK)
            return rc_fail(m->t->err, RC_ENOMEM, "%s: no memory to decode", m->t->path);
        if (!m->packed) { /* as if it had been packed with its tag */
            m->left += TAG;
            st = fseeko(m->t->file, -TAG, SEEK_CUR) == 0 ? RC_OK : wrong(m, "a variable", "none");
        }
        if (st == RC_OK)
            st = variable(m);
        inflateEnd(&m->z);
    }
    return st;
}

static rc_status_t take_matrix(mat_t *m)
{
    static const char *const names[] = {"ir", "jc", "pr"};
    array_t *a[] = {&m->a, &m->zeros};
    rc_series_t c[2][3] = {{{.count = 0}}};
    int is_peek = m->t->is_peek;
    if (m->zeros.kind && memcmp(m->zeros.shape, m->a.shape, sizeof m->a.shape) != 0)
        return wrong(m, "the shape of A in Problem.Zeros", "another one");
    m->t->is_integer = (m->a.flags & IS_LOGICAL) != 0;
    for (int i = 0; i < 2 && a[i]->kind; i++)
        for (int k = 0; k < (is_peek ? 1 : 3); k++) {
            RC_PASS(next(m, &a[i]->in, is_peek, &c[i][k]));
            if (c[i][k].kind == 'm')
                return wrong(m, "numbers", "an array");
            c[i][k].name = names[k];
        }
    RC_PASS(rc_taking_begin(m->t, m->a.shape, c[0][0].count + c[1][0].count));
    for (int i = 0; i < 2 && a[i]->kind && !is_peek; i++)
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
