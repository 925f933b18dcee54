/* npz: what scipy.sparse.save_npz writes, a zip file with a member NAME.npy for each array: format,
 * shape, data, and the places by format.  Layout of a member:
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 * Of dia what is 0 is no entry, as SciPy has it: it cannot be told from padding. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "io/reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

enum { AXES = 3 };

typedef struct member {
    char name[32]; /* "data.npy" */
    rc_series_t cells;
    int axes;
    int64_t shape[AXES];
} member_t;

typedef struct npz {
    rc_taking_t *t;
    struct archive *archive;
    int by_column;
    member_t member[RC_TAKING_BUFFERS];
} npz_t;

static int is_zip(const char *head, size_t n)
{
    return n >= 4 && memcmp(head, "PK\3\4", 4) == 0;
}

static rc_status_t damaged(const npz_t *z)
{
    const char *text = archive_error_string(z->archive);
    return rc_taking_wrong(z->t, "zip", "a whole file", text ? text : "damage");
}

/* Read on in a member. */
static int64_t more(void *arg, char *to, size_t size)
{
    const npz_t *z = arg;
    la_ssize_t n = archive_read_data(z->archive, to, size);
    return n < 0 ? damaged(z) : n;
}

/* The types that are read: little-endian numbers, true or false, and the name of a format. */
static const char types[] = "|b1 |i1 <i2 <i4 <i8 |u1 <u2 <u4 <u8 <f4 <f8 |S3 <U3";

/* NumPy writes {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } in version 1. */
static rc_status_t parse_array(const rc_taking_t *t, member_t *m, const char *bytes, int64_t n)
{
    enum { longest = 512, begin = 10 };
    char header[longest + 1] = "";
    char type[9] = "";
    char is_fortran[2] = "";
    long long shape[AXES];
    int64_t length = n > begin ? (unsigned char)bytes[8] | (unsigned char)bytes[9] << 8 : n;
    if (n <= begin || memcmp(bytes, "\x93NUMPY\1", 7) != 0 || length > longest ||
        begin + length > n)
        return rc_taking_wrong(t, m->name, "an array of NumPy", "something else, or its end");
    memcpy(header, bytes + begin, (size_t)length);
    m->axes =
        sscanf(header,
            "{'descr': '%8[^']', 'fortran_order': %1[TF]%*4[a-z], 'shape': (%18lld,%18lld,%18lld",
            type, is_fortran, &shape[0], &shape[1], &shape[2]) -
        2;
    if (strlen(type) != 3 || !strstr(types, type))
        return rc_taking_wrong(t, m->name, "real numbers of a type as <f8 or <i4", type);
    m->cells = (rc_series_t){.at = bytes + begin + length,
        .count = 1,
        .kind = type[1],
        .bytes = (type[2] - '0') * (type[1] == 'U' ? 4 : 1),
        .name = m->name};
    for (int i = 0; i < m->axes; i++) {
        m->shape[i] = shape[i] < 0 ? INT64_MAX : shape[i];
        m->cells.count = rc_sat_mul(m->cells.count, m->shape[i]);
    }
    if (m->axes > 1 && is_fortran[0] != 'F')
        return rc_taking_wrong(t, m->name, "the last axis the fastest", "fortran_order");
    if ((n - begin - length) / m->cells.bytes < m->cells.count &&
        !(t->is_peek && n >= RC_TAKING_HEAD))
        return rc_taking_wrong(t, m->name, "the numbers of its shape", "fewer");
    return RC_OK;
}

static rc_status_t read_members(npz_t *z)
{
    rc_taking_t *t = z->t;
    struct archive_entry *entry;
    int64_t n;
    int code;
    while ((code = archive_read_next_header(z->archive, &entry)) != ARCHIVE_EOF) {
        const char *name = code < ARCHIVE_WARN ? NULL : archive_entry_pathname(entry);
        member_t *m = &z->member[t->buffers];
        if (!name)
            return damaged(z);
        if (name[0] == '_' || strlen(name) >= sizeof m->name)
            continue;
        RC_PASS(rc_taking_load(t, more, z, &n));
        memcpy(m->name, name, strlen(name) + 1);
        RC_PASS(parse_array(t, m, t->buffer[t->buffers - 1], n));
    }
    return RC_OK;
}

/* An array of so many axes; its numbers are of one of these kinds. */
static rc_status_t find(
    const npz_t *z, const char *name, int axes, const char *kinds, const member_t **out)
{
    for (int i = 0; i < z->t->buffers; i++)
        if (strcmp(z->member[i].name, name) == 0) {
            *out = &z->member[i];
            return (*out)->axes == axes && strchr(kinds, (*out)->cells.kind)
                       ? RC_OK
                       : rc_taking_wrong(z->t, name, "an array of another shape or type", "this");
        }
    return rc_taking_wrong(z->t, name, "a member of this name", "none");
}

/* csr and csc, and bsr whose entries are blocks. */
static rc_status_t take_compressed(const npz_t *z, const member_t *val)
{
    const member_t *ptr;
    const member_t *idx;
    const int64_t *shape = z->t->shape;
    int64_t rows = val->axes == 3 ? val->shape[1] : 1;
    int64_t cols = val->axes == 3 ? val->shape[2] : 1;
    RC_PASS(find(z, "indptr.npy", 1, "iu", &ptr));
    RC_PASS(find(z, "indices.npy", 1, "iu", &idx));
    if (rows < 1 || cols < 1 || shape[0] % rows != 0 || shape[1] % cols != 0)
        return rc_taking_wrong(z->t, "data.npy", "blocks that divide the shape", "others");
    return rc_taking_compressed(z->t,
        &(rc_compressed_t){&ptr->cells, &idx->cells, &val->cells, {rows, cols}, z->by_column});
}

static rc_status_t take_coo(const npz_t *z, const member_t *val)
{
    static const char *const names[] = {"row.npy", "col.npy"};
    const member_t *place[2];
    int64_t at[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        RC_PASS(find(z, names[k], 1, "iu", &place[k]));
        if (place[k]->cells.count != val->cells.count)
            return rc_taking_wrong(z->t, names[k], "as many numbers as in data.npy", "others");
    }
    for (int64_t i = 0; i < val->cells.count; i++) {
        for (int k = 0; k < 2; k++)
            RC_PASS(rc_taking_place(z->t, &place[k]->cells, i, 0, z->t->shape[k] - 1, &at[k]));
        RC_PASS(rc_taking_put(z->t, at[0], at[1], &val->cells, i));
    }
    return RC_OK;
}

/* Diagonal d holds in column j the entry (j - offset, j). */
static rc_status_t take_dia(const npz_t *z, const member_t *val)
{
    rc_taking_t *t = z->t;
    const member_t *offset;
    RC_PASS(find(z, "offsets.npy", 1, "iu", &offset));
    if (offset->cells.count != val->shape[0])
        return rc_taking_wrong(t, "data.npy", "a row for each number in offsets.npy", "others");
    for (int64_t d = 0; d < val->shape[0]; d++) {
        int64_t off = rc_series_whole(&offset->cells, d);
        for (int64_t j = 0; j < val->shape[1] && j < t->shape[1]; j++) {
            if (off > j || off <= j - t->shape[0])
                continue;
            RC_PASS(rc_taking_put(t, j - off, j, &val->cells, d * val->shape[1] + j));
            t->n -= t->triple[t->n - 1].val == 0;
        }
    }
    return RC_OK;
}

static const struct {
    const char *name;
    int axes; /* of data */
    int by_column;
    rc_status_t (*take)(const npz_t *z, const member_t *val);
} formats[] = {{"csr", 1, 0, take_compressed}, {"csc", 1, 1, take_compressed},
    {"bsr", 3, 0, take_compressed}, {"coo", 1, 0, take_coo}, {"dia", 2, 0, take_dia}};

static rc_status_t take_matrix(npz_t *z)
{
    const member_t *m;
    int64_t shape[2];
    char name[4] = "";
    RC_PASS(read_members(z));
    RC_PASS(find(z, "format.npy", 0, "SU", &m));
    for (int i = 0; i < 3; i++)
        name[i] = m->cells.at[i * m->cells.bytes / 3];
    RC_PASS(find(z, "shape.npy", 1, "iu", &m));
    if (m->cells.count != 2)
        return rc_taking_wrong(z->t, "shape.npy", "two numbers", "others");
    for (int i = 0; i < 2; i++)
        shape[i] = rc_series_whole(&m->cells, i);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(name, formats[i].name) == 0) {
            RC_PASS(find(z, "data.npy", formats[i].axes, "iubf", &m));
            z->t->is_integer = m->cells.kind != 'f';
            z->by_column = formats[i].by_column;
            RC_PASS(rc_taking_begin(z->t, shape, m->cells.count));
            return z->t->is_peek ? RC_OK : formats[i].take(z, m);
        }
    return rc_taking_wrong(z->t, "format.npy", "csr, csc, coo, bsr or dia", "another");
}

static rc_status_t take(rc_taking_t *t)
{
    npz_t z = {.t = t, .archive = archive_read_new()};
    if (!z.archive)
        return rc_fail(t->err, RC_ENOMEM, "%s: no memory to decode", t->path);
    int is_open = archive_read_support_format_zip_seekable(z.archive) >= ARCHIVE_WARN &&
                  archive_read_open_fd(z.archive, fileno(t->file), RC_TAKING_HEAD) == ARCHIVE_OK;
    rc_status_t st = is_open ? take_matrix(&z) : damaged(&z);
    archive_read_free(z.archive);
    return st;
}

const rc_reader_t rc_reader_npz = {.name = "npz", .is = is_zip, .take = take};
