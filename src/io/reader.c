#include "config.h"
#include "io/reader.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "base/threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

extern const rc_reader_t rc_reader_npz;
extern const rc_reader_t rc_reader_mat;
static const rc_reader_t *const readers[] = {&rc_reader_npz, &rc_reader_mat, NULL};

const rc_reader_t *rc_reader_of(const char *path)
{
    char head[128];
    struct stat s;
    FILE *f;
    /* bytes of a pipe come once */
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode) || rc_open_given(path, &f, NULL) < 0)
        return NULL;
    size_t n = fread(head, 1, sizeof head, f);
    (void)fclose(f);
    for (int i = 0; readers[i]; i++)
        if (readers[i]->is(head, n))
            return readers[i];
    return NULL;
}

rc_status_t rc_taking_wrong(
    const rc_taking_t *t, const char *where, const char *expected, const char *found)
{
    return rc_fail(
        t->err, RC_EFORMAT, "%s: %s: expected %s, found %.80s", t->path, where, expected, found);
}

rc_status_t rc_taking_load(
    rc_taking_t *t, int64_t (*more)(void *arg, char *to, size_t size), void *arg, int64_t *bytes)
{
    char **own = &t->buffer[t->buffers];
    int64_t most = t->bound ? t->bound->bytes : rc_memory_available();
    size_t capacity = 0;
    int64_t got = 1;
    if (t->buffers == RC_TAKING_BUFFERS)
        return rc_taking_wrong(t, "the file", "at most 8 arrays", "more");
    t->buffers++;
    for (*bytes = 0; got > 0 && !(t->is_peek && *bytes >= RC_TAKING_HEAD); *bytes += got) {
        RC_PASS(RC_GROW(*own, capacity, (size_t)*bytes + RC_TAKING_HEAD, "a file", t->err));
        got = more(arg, *own + *bytes, RC_TAKING_HEAD);
        t->held += got;
        if (got < 0 || t->held > most)
            return got < 0 ? RC_EFORMAT
                           : rc_fail(t->err, RC_ENOMEM,
                                 "%s: its arrays take more than %" PRId64 " bytes", t->path, most);
    }
    return RC_OK;
}

void rc_taking_drop(rc_taking_t *t, int64_t bytes)
{
    t->held -= bytes;
    free(t->buffer[--t->buffers]);
    t->buffer[t->buffers] = NULL;
}

int64_t rc_series_whole(const rc_series_t *c, int64_t i)
{
    const unsigned char *b = (const unsigned char *)c->at + i * c->bytes;
    uint64_t sign = UINT64_C(1) << (8 * c->bytes - 1);
    uint64_t x = 0;
    for (int k = c->bytes; k > 0; k--)
        x = x << 8 | b[k - 1];
    if (c->kind == 'i')
        return (int64_t)((x ^ sign) - sign);
    return x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

rc_status_t rc_taking_place(const rc_taking_t *t, const rc_series_t *c, int64_t i, int64_t least,
    int64_t most, int64_t *out)
{
    *out = rc_series_whole(c, i);
    if (*out >= least && *out <= most)
        return RC_OK;
    return rc_fail(t->err, RC_EFORMAT,
        "%s: %s[%" PRId64 "]: expected a number from %" PRId64 " to %" PRId64 ", found %" PRId64,
        t->path, c->name, i, least, most, *out);
}

rc_status_t rc_taking_begin(rc_taking_t *t, const int64_t shape[2], int64_t entries)
{
    for (int i = 0; i < 2; i++) {
        t->shape[i] = shape[i];
        if (shape[i] < 0 || shape[i] > INT32_MAX)
            return rc_fail(t->err, RC_ERANGE,
                "%s: expected 0 to %" PRId32 " rows and columns, found %" PRId64, t->path,
                INT32_MAX, shape[i]);
    }
    t->entries = entries;
    if (t->is_peek)
        return RC_OK;
    const rc_mtx_need_t need = {t->path, {shape[0], shape[1]}, entries, entries, t->held, t->held};
    RC_PASS(rc_mtx_check_memory(&need, t->bound, t->err));
    t->triple = rc_alloc((size_t)entries, sizeof *t->triple, "entries", t->err);
    return t->triple ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_taking_put(
    rc_taking_t *t, int64_t row, int64_t col, const rc_series_t *val, int64_t i)
{
    static const int64_t exact = INT64_C(1) << 53;
    float f = 0;
    double d = 0;
    if (val && val->kind == 'f' && val->bytes == sizeof f) {
        memcpy(&f, val->at + i * val->bytes, sizeof f);
        d = f;
    } else if (val && val->kind == 'f')
        memcpy(&d, val->at + i * val->bytes, sizeof d);
    else if (val) {
        int64_t whole = rc_series_whole(val, i);
        if (whole > exact || whole < -exact)
            return rc_fail(t->err, RC_ERANGE,
                "%s: %s[%" PRId64 "]: expected a whole number that a double holds, found %" PRId64,
                t->path, val->name, i, whole);
        d = (double)whole;
    }
    t->triple[t->n++] = (rc_triple_t){(int32_t)row, (int32_t)col, d};
    return RC_OK;
}

static rc_status_t put_block(
    rc_taking_t *t, const rc_compressed_t *c, int64_t row, int64_t col, int64_t k)
{
    for (int64_t i = 0; i < c->block[0]; i++)
        for (int64_t j = 0; j < c->block[1]; j++)
            RC_PASS(rc_taking_put(t, row * c->block[0] + i, col * c->block[1] + j, c->val,
                (k * c->block[0] + i) * c->block[1] + j));
    return RC_OK;
}

rc_status_t rc_taking_compressed(rc_taking_t *t, const rc_compressed_t *c)
{
    int64_t lists = t->shape[c->by_column] / c->block[c->by_column];
    int64_t places = t->shape[!c->by_column] / c->block[!c->by_column];
    int64_t k = 0;
    int64_t end = 0;
    int64_t j;
    if (c->ptr->count <= lists)
        return rc_taking_wrong(t, c->ptr->name, "a number for each row and one more", "fewer");
    RC_PASS(rc_taking_place(t, c->ptr, 0, 0, 0, &k));
    for (int64_t i = 0; i < lists; i++) {
        RC_PASS(rc_taking_place(t, c->ptr, i + 1, k, c->idx->count, &end));
        if (c->val && c->val->count / c->block[0] / c->block[1] < end)
            return rc_taking_wrong(t, c->val->name, "a value for each place", "fewer");
        for (; k < end; k++) {
            RC_PASS(rc_taking_place(t, c->idx, k, 0, places - 1, &j));
            RC_PASS(put_block(t, c, c->by_column ? j : i, c->by_column ? i : j, k));
        }
    }
    return RC_OK;
}

rc_status_t rc_reader_read(
    const rc_reader_t *r, rc_taking_t *t, int threads, rc_csr_t *out, rc_mtx_info_t *info)
{
    enum { pieces = 64 }; /* that threads share */
    rc_segment_t piece[pieces];
    int64_t duplicates = 0;
    RC_PASS(rc_open_given(t->path, &t->file, t->err));
    rc_status_t st = r->take(t);
    (void)fclose(t->file);
    for (int i = 0; i < t->buffers; i++)
        free(t->buffer[i]);
    for (int i = 0; st == RC_OK && out && i < pieces; i++) {
        int64_t from = t->n / pieces * i;
        piece[i] = (rc_segment_t){t->triple + from, i + 1 < pieces ? t->n / pieces : t->n - from};
    }
    if (st == RC_OK && out) {
        t->entries = t->n;
        st = rc_csr_build(t->shape[0], t->shape[1], piece, pieces, RC_MIRROR_NONE, 0,
            rc_thread_count(threads), out, &duplicates, t->err);
        if (st < 0)
            rc_err_context(t->err, "%s", t->path);
    }
    free(t->triple);
    if (st == RC_OK && info) {
        *info = (rc_mtx_info_t){
            .symmetry = "general", .file_entries = t->entries, .duplicates = duplicates};
        rc_strcpy(info->format, sizeof info->format, r->name, "format", NULL);
        rc_strcpy(info->field, sizeof info->field, t->is_integer ? "integer" : "real", "", NULL);
    }
    return st;
}
