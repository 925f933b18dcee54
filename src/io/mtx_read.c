#include "config.h"
#include "io/mtx.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/threads.h"
#include "io/mtx_stream.h"
#include "io/reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    block_least = 16 << 20, /* bytes of text that are read or decoded while the block before is
                               parsed */
    block_most = 64 << 20,  /* of a large file: threads wait for each other at the end of a block */
    slice_default = 1 << 17 /* bytes of text that a thread takes at a time */
};

/* An entry, and its line when that was found. */
typedef struct wanted {
    int32_t row;
    int32_t col;
    int64_t line;
} wanted_t;

/* A file being read: while threads parse a block, another one reads or decodes the next. */
typedef struct reader {
    rc_mtx_stream_t s;
    int threads;
    size_t slice;
    locale_t c;
    rc_mtx_head_t head;
    int64_t size_line;
    rc_segment_t *segment;
    size_t segments;
    size_t segment_capacity;
    int64_t entries;               /* in the segments, or counted */
    int64_t upper;                 /* of them above the diagonal of a symmetric kind */
    int64_t widest;                /* of a graph: the largest column, from 1 */
    const rc_mtx_limits_t *limits; /* NULL: the entries are kept */
    int64_t mirrored;              /* with limits: entries of symmetric kinds off the diagonal */
    const rc_mtx_bound_t *bound;   /* NULL: what is available */
    wanted_t *wanted;              /* looked for, or NULL */
} reader_t;

/* \param path  of the file; r->s.path is its name in messages */
static rc_status_t reader_open(reader_t *r, const char *path, rc_err_t *err)
{
    const rc_source_limits_t *l = r->limits && r->limits->source.name ? &r->limits->source : NULL;
    r->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (r->c == (locale_t)0)
        return rc_fail(err, RC_ENOMEM, "%s: no memory for a locale", r->s.path);
    r->s.whole_only = r->limits != NULL; /* the matter is the container, not the text */
    r->head.one_triangle = l != NULL;
    RC_PASS(rc_mtx_stream_open(&r->s, path, l, err));
    int64_t bytes = r->s.bytes;
    if (r->s.block == 0)
        r->s.block = bytes / 8 < block_least  ? block_least
                     : bytes / 8 > block_most ? block_most
                                              : (size_t)bytes / 8;
    if (bytes >= 0 && bytes < (int64_t)r->s.block)
        r->s.block = (size_t)bytes + 1; /* a byte less comes, and so the end is known */
    return RC_OK;
}

static void reader_close(reader_t *r)
{
    for (size_t i = 0; i < r->segments; i++)
        free(r->segment[i].triple);
    free(r->segment);
    rc_mtx_stream_close(&r->s);
    if (r->c != (locale_t)0)
        freelocale(r->c);
}

/* --------------------------------------------------------------------- head */

static int knows_end(const reader_t *r)
{
    return r->s.is_last || r->s.bytes >= 0;
}

static rc_status_t check_entry_count(const reader_t *r, int64_t line, rc_err_t *err)
{
    const rc_mtx_stream_t *s = &r->s;
    int64_t end = s->bytes >= 0 ? s->bytes : s->before + (int64_t)s->length;
    int64_t bytes = end - s->before - (int64_t)s->at;
    /* the last newline may be missing */
    int64_t most = (bytes + 1) / rc_mtx_entry_bytes(&r->head);
    if (knows_end(r) && r->head.entries > most)
        return rc_mtx_fail(err, RC_EFORMAT, s->path, line,
            "expected %" PRId64 " entries, found %" PRId64
            " bytes behind the size line, which hold at most %" PRId64,
            r->head.entries, bytes, most);
    return RC_OK;
}

/* The banner is the first line that is not blank; a byte order mark may stand before all. */
static rc_status_t read_banner(reader_t *r, rc_err_t *err)
{
    static const char mark[] = "\xef\xbb\xbf";
    enum { mark_bytes = sizeof mark - 1 };
    rc_mtx_line_t line;
    int is_first = 1;
    do {
        RC_PASS(rc_mtx_stream_line(&r->s, &line, err));
        if (!line.begin)
            return rc_mtx_fail(err, RC_EFORMAT, r->s.path, 1,
                "expected the banner '%%%%MatrixMarket', found %s",
                !is_first        ? "nothing but blank lines"
                : r->s.bytes < 0 ? "no text (nothing, or an archive of nothing)"
                                 : "an empty file");
        if (is_first && line.end - line.begin >= mark_bytes &&
            memcmp(line.begin, mark, mark_bytes) == 0)
            line.begin += mark_bytes;
        is_first = 0;
    } while (rc_mtx_is_blank(line.begin, line.end));
    return rc_mtx_parse_banner(&line, &r->head, err);
}

static rc_status_t read_head(reader_t *r, rc_err_t *err)
{
    rc_mtx_line_t line;
    RC_PASS(read_banner(r, err));
    do {
        RC_PASS(rc_mtx_stream_line(&r->s, &line, err));
        if (!line.begin)
            return rc_mtx_fail(err, RC_EFORMAT, r->s.path, line.number,
                "expected the size line, found the end of the file");
        r->head.is_generated |= rc_mtx_says_generated(&line);
    } while (rc_mtx_is_comment(&line));
    RC_PASS(rc_mtx_parse_size(&line, &r->head, err));
    RC_PASS(check_entry_count(r, line.number, err));
    r->size_line = line.number;
    return RC_OK;
}

/* 1: the file has no real values. */
static int seeds(const rc_mtx_head_t *head)
{
    return head->field == RC_MTX_PATTERN || head->field == RC_MTX_COMPLEX;
}

static void fill_info(const rc_mtx_head_t *head, int64_t duplicates, rc_mtx_info_t *info)
{
    rc_mtx_info_t x = {.file_entries = head->entries, .duplicates = duplicates};
    /* cannot be cut: the longest word has 14 letters */
    rc_strcpy(x.field, sizeof x.field, rc_mtx_field_names[head->field], "field", NULL);
    rc_strcpy(
        x.symmetry, sizeof x.symmetry, rc_mtx_symmetry_names[head->symmetry], "symmetry", NULL);
    rc_strcpy(x.format, sizeof x.format, head->is_array ? "array" : "coordinate", "format", NULL);
    x.is_generated = head->is_generated;
    x.values_are_seeded = seeds(head);
    *info = x;
}

/* ------------------------------------------------------------------ entries */

/* Cut [begin, end) at newlines into about count slices. */
static void cut(
    const reader_t *r, const char *begin, const char *end, rc_mtx_slice_t *slice, int64_t count)
{
    size_t each = (size_t)(end - begin) / (size_t)count;
    const char *p = begin;
    for (int64_t s = 0; s < count; s++) {
        const char *near = s + 1 < count ? begin + each * (size_t)(s + 1) : end;
        const char *stop = near <= p     ? p
                           : near == end ? end
                                         : rc_mtx_stream_after(&r->s, near - 1, end);
        slice[s] = (rc_mtx_slice_t){.begin = p, .end = stop};
        slice[s].most = r->head.entries - r->entries;
        p = stop;
    }
}

static rc_status_t slice_failed(const reader_t *r, const rc_mtx_slice_t *s, rc_err_t *err)
{
    const char *end = rc_mtx_line_end(s->bad, s->end);
    rc_mtx_line_t line = {r->s.path, r->s.lines + s->lines + 1, s->bad, end ? end : s->end};
    rc_triple_t t;
    if (s->n < s->most)
        return rc_mtx_parse_slowly(&r->head, r->c, &line, &t, err);
    char what[80];
    size_t n;
    snprintf(what, sizeof what, "the end of the file after %" PRId64 " entries", r->head.entries);
    return rc_mtx_expected(
        &line, RC_EFORMAT, what, rc_mtx_next_word(line.begin, line.end, &n), err);
}

/* Take note of the entries of a slice: the largest column of a graph, and what is counted. */
static void look_at(reader_t *r, const rc_mtx_slice_t *s)
{
    int counts = r->limits && r->head.symmetry != RC_MTX_GENERAL;
    for (int64_t i = 0; i < s->n && (counts || r->head.is_graph); i++) {
        if (s->triple[i].col >= r->widest)
            r->widest = s->triple[i].col + INT64_C(1);
        r->mirrored += counts && s->triple[i].row != s->triple[i].col;
    }
}

/* Whether the entry whose line is looked for is in a slice. */
static int find_wanted(const reader_t *r, rc_mtx_slice_t *s)
{
    for (int64_t i = 0; r->wanted && i < s->n; i++)
        if (s->triple[i].row == r->wanted->row && s->triple[i].col == r->wanted->col) {
            s->most = i; /* as if it were one too many */
            rc_mtx_parse_slice(&r->head, r->c, s);
            r->wanted->line = r->s.lines + s->lines + 1;
            return 1;
        }
    return 0;
}

/* Take the entries of the slices over in order; the first bad line ends it. */
static rc_status_t collect(reader_t *r, rc_mtx_slice_t *slice, int64_t count, rc_err_t *err)
{
    size_t need = r->segments + (r->limits ? 0 : (size_t)count);
    RC_PASS(RC_GROW(r->segment, r->segment_capacity, need, "a list of entries", err));
    for (int64_t i = 0; i < count; i++) {
        rc_mtx_slice_t *s = &slice[i];
        int64_t left = r->head.entries - r->entries;
        if (!s->no_memory && (s->n > left || (s->bad && s->n == left))) {
            /* slices before this one have used up the entries: find the first line too many */
            s->most = left;
            rc_mtx_parse_slice(&r->head, r->c, s);
        }
        if (s->no_memory)
            return rc_fail(err, RC_ENOMEM, "%s: no memory for entries", r->s.path);
        if (s->bad)
            return slice_failed(r, s, err);
        if (find_wanted(r, s))
            return RC_EINTR;
        look_at(r, s);
        r->upper += s->upper;
        r->s.lines += s->lines;
        r->entries += s->n;
        if (r->limits)
            continue;
        r->segment[r->segments++] = (rc_segment_t){s->triple, s->n};
        s->triple = NULL;
    }
    return RC_OK;
}

/* \param is_last  0: one thread decodes the next block beside the parsing */
static rc_status_t parse_range(
    reader_t *r, const char *begin, const char *end, int is_last, rc_err_t *err)
{
    int64_t count = (int64_t)((size_t)(end - begin) / r->slice) + 1;
    rc_mtx_slice_t *slice = rc_alloc0((size_t)count, sizeof *slice, "slices of a file", err);
    RC_PASS(slice ? RC_OK : RC_ENOMEM);
    cut(r, begin, end, slice, count);
    int64_t first_bad = count;
#pragma omp parallel num_threads(r->threads)
    {
#pragma omp single nowait
        if (!is_last)
            rc_mtx_stream_decode(&r->s);
#pragma omp for schedule(dynamic, 1)
        for (int64_t s = 0; s < count; s++) {
            int64_t limit;
#pragma omp atomic read
            limit = first_bad;
            if (s > limit)
                continue;
            rc_mtx_parse_slice(&r->head, r->c, &slice[s]);
            if (slice[s].bad || slice[s].no_memory) {
#pragma omp critical(rc_mtx_first_bad)
                if (s < first_bad) {
#pragma omp atomic write
                    first_bad = s;
                }
            }
        }
    }
    rc_status_t st = collect(r, slice, count, err);
    for (int64_t s = 0; s < count; s++)
        free(slice[s].triple);
    free(slice);
    return st;
}

/* Two numbers are vertices and edges, unless they may be rows and columns as well. */
static rc_status_t check_graph(const reader_t *r, rc_err_t *err)
{
    const rc_mtx_head_t *h = &r->head;
    if (!h->is_graph || h->symmetry != RC_MTX_GENERAL || h->entries >= h->rows ||
        r->widest > h->entries)
        return RC_OK;
    return rc_mtx_fail(err, RC_EFORMAT, r->s.path, r->size_line,
        "expected rows, columns and entries in the size line, found two numbers: %" PRId64
        " vertices and %" PRId64 " edges may be %" PRId64 " rows and %" PRId64 " columns as well",
        h->rows, h->entries, h->rows, h->entries);
}

static rc_status_t read_entries(reader_t *r, rc_err_t *err)
{
    for (;;) {
        if (r->limits && r->limits->stop && r->limits->stop(r->limits->stop_arg))
            return rc_fail(err, RC_EINTR, "%s: asked to stop", r->s.path);
        size_t end = rc_mtx_stream_whole(&r->s);
        if (end == r->s.at && !r->s.is_last) {
            RC_PASS(rc_mtx_stream_more(&r->s, err));
            continue;
        }
        int is_last = r->s.is_last;
        if (!is_last)
            RC_PASS(rc_mtx_stream_carry(&r->s, end, err));
        RC_PASS(parse_range(r, r->s.text + r->s.at, r->s.text + end, is_last, err));
        if (is_last)
            break;
        RC_PASS(rc_mtx_stream_step(&r->s, err));
    }
    if (r->s.bytes >= 0 && r->s.before + (int64_t)r->s.length != r->s.bytes)
        return rc_fail(err, RC_EFORMAT,
            "%s: expected %" PRId64 " bytes, found %" PRId64 ": it changed while it was read",
            r->s.path, r->s.bytes, r->s.before + (int64_t)r->s.length);
    if (r->entries < r->head.entries)
        return rc_mtx_fail(err, RC_EFORMAT, r->s.path, r->s.lines + 1,
            "expected %" PRId64 " entries, found the end of the file after %" PRId64,
            r->head.entries, r->entries);
    return check_graph(r, err);
}

/* ------------------------------------------------------------------- matrix */

/* Array files hold the columns one after the other; symmetric kinds the part on (skew: below) the
 * diagonal and under it.  Every number is an entry, zeros as well. */
static void place_array(reader_t *r)
{
    int below = r->head.symmetry == RC_MTX_SKEW;
    int is_general = r->head.symmetry == RC_MTX_GENERAL;
    int64_t row = below;
    int64_t col = 0;
    for (size_t s = 0; s < r->segments; s++) {
        for (int64_t i = 0; i < r->segment[s].n; i++) {
            r->segment[s].triple[i].row = (int32_t)row;
            r->segment[s].triple[i].col = (int32_t)col;
            if (++row == r->head.rows) {
                col++;
                row = is_general ? 0 : col + below;
            }
        }
    }
}

static void seed_values(rc_csr_t *a, int threads)
{
    static const uint64_t seed = UINT64_C(0x726f7763617374); /* "rowcast" */
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
            a->val[k] = rc_rng_signed(seed, (uint64_t)row << 32 | (uint32_t)a->col_idx[k]);
}

int64_t rc_mtx_bytes(int64_t rows, int64_t entries, int64_t read)
{
    /* twice the rows: row pointers, and the counters that place the entries */
    int64_t most = entries > read ? entries : read;
    if (rows > INT64_MAX / 256 || most > INT64_MAX / 256)
        return INT64_MAX;
    return rc_csr_bytes(2 * rows, entries) + read * (int64_t)sizeof(rc_triple_t);
}

rc_status_t rc_mtx_check_memory(const rc_mtx_need_t *n, const rc_mtx_bound_t *b, rc_err_t *err)
{
    int64_t bytes = rc_sat_add(rc_mtx_bytes(n->shape[0], n->entries, n->read), n->beside);
    int64_t available = rc_memory_available();
    char what[160];
    char text[256];
    int end =
        snprintf(what, sizeof what, "a matrix of %" PRId64 " x %" PRId64, n->shape[0], n->shape[1]);
    if (n->entries > 0)
        snprintf(what + end, sizeof what - (size_t)end, " with up to %" PRId64 " entr%s",
            n->entries, n->entries == 1 ? "y" : "ies");
    if (b) {
        int64_t work =
            rc_sat_add(rc_sat_mul(n->shape[0], b->row_work), rc_sat_mul(n->entries, b->entry_work));
        int64_t need = rc_sat_add(bytes, work);
        rc_memory_reason(
            text, sizeof text, work > 0 ? "and the work on it take" : "takes", need, b->bytes);
        if (need > b->bytes)
            return rc_fail(err, RC_ENOMEM, "%s: %s %s%s%s%s", n->path, what,
                text + strlen("memory: "), b->option ? "; " : "", b->option ? b->option : "",
                b->option ? " sets it" : "");
    }
    if (bytes - n->held > available)
        return rc_fail(err, RC_ENOMEM, "%s: %s needs %" PRId64 " bytes, %" PRId64 " are available",
            n->path, what, bytes - n->held, available);
    return RC_OK;
}

/* A file of a few bytes can ask for row pointers of many gigabytes: look before the leap.
 * \param entries  that are known to come, before symmetric kinds are expanded */
static rc_status_t check_memory(const reader_t *r, int64_t entries, rc_err_t *err)
{
    int64_t held = r->entries * (int64_t)sizeof(rc_triple_t);
    const rc_mtx_need_t need = {r->s.path, {r->head.rows, r->head.cols},
        r->head.symmetry == RC_MTX_GENERAL ? entries : 2 * entries, entries, 0, held};
    return rc_mtx_check_memory(&need, r->bound, err);
}

/* The matrix has the entries of both triangles as they stand in the file. */
static rc_status_t check_triangles(const reader_t *r, const rc_csr_t *a, rc_err_t *err)
{
    static const rc_mtx_limits_t keep_nothing = {0};
    wanted_t w = {0};
    if (rc_mtx_triangles_agree(&r->head, a, &w.row, &w.col))
        return RC_OK;
    reader_t again = {.s = {.path = r->s.path, .block = r->s.block},
        .threads = r->threads,
        .slice = r->slice,
        .limits = &keep_nothing,
        .wanted = &w};
    if (reader_open(&again, r->s.path, NULL) == RC_OK && read_head(&again, NULL) == RC_OK)
        (void)read_entries(&again, NULL); /* sets the line */
    reader_close(&again);
    rc_mtx_line_t line = {r->s.path, w.line > 0 ? w.line : r->size_line, NULL, NULL};
    return rc_mtx_triangles_differ(&r->head, a, w.row, w.col, &line, err);
}

/* How a triangle has its image: of a hermitian matrix imaginary parts are negated there. */
static rc_mirror_t mirror_of(const rc_mtx_head_t *head)
{
    static const rc_mirror_t mirror[] = {
        RC_MIRROR_NONE, RC_MIRROR_SAME, RC_MIRROR_NEGATED, RC_MIRROR_SAME};
    return head->symmetry == RC_MTX_HERMITIAN && head->part == RC_MTX_PART_IMAGINARY
               ? RC_MIRROR_NEGATED
               : mirror[head->symmetry];
}

static rc_status_t build(reader_t *r, rc_csr_t *out, int64_t *duplicates, rc_err_t *err)
{
    RC_PASS(check_memory(r, r->entries, err));
    if (r->head.is_array)
        place_array(r);
    rc_status_t st = rc_csr_build(r->head.rows, r->head.cols, r->segment, (int64_t)r->segments,
        r->upper > 0 ? RC_MIRROR_NONE : mirror_of(&r->head), 1, r->threads, out, duplicates, err);
    if (st < 0) {
        rc_err_context(err, "%s", r->s.path);
        return st;
    }
    /* the whole values were compared when the matrix was read */
    if (r->upper > 0 && !r->head.part)
        st = check_triangles(r, out, err);
    if (st < 0)
        rc_csr_free(out);
    else if (!r->head.part && seeds(&r->head))
        seed_values(out, r->threads);
    return st;
}

static rc_status_t read_matrix(reader_t *r, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    int64_t duplicates = 0;
    rc_status_t st;
    RC_TRY(reader_open(r, r->s.path, err));
    RC_TRY(read_head(r, err));
    /* where the end is not known the rows alone: the entries may be less than the head says */
    RC_TRY(check_memory(r, knows_end(r) ? r->head.entries : 0, err));
    RC_TRY(read_entries(r, err));
    rc_mtx_stream_drop(&r->s); /* building takes most memory */
    RC_TRY(build(r, out, &duplicates, err));
    if (r->bound && rc_source_ignored(r->s.source))
        rc_log(r->bound->log, RC_LOG_WARN, "read", "%s: %s", r->s.path,
            rc_source_ignored(r->s.source));
    if (info)
        fill_info(&r->head, duplicates, info);
done:
    reader_close(r);
    return st;
}

rc_status_t rc_mtx_read_blocks(const char *path, int threads, size_t block, size_t slice,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    reader_t r = {
        .s = {.path = path, .block = block}, .threads = rc_thread_count(threads), .slice = slice};
    return read_matrix(&r, out, info, err);
}

rc_status_t rc_mtx_read_within(const char *path, int threads, const rc_mtx_bound_t *bound,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    const rc_reader_t *other = rc_reader_of(path);
    reader_t r = {.s = {.path = path},
        .threads = rc_thread_count(threads),
        .slice = slice_default,
        .bound = bound};
    rc_taking_t t = {.path = path, .bound = bound, .err = err};
    return other ? rc_reader_read(other, &t, threads, out, info) : read_matrix(&r, out, info, err);
}

rc_status_t rc_mtx_read_part(
    const char *path, int threads, rc_mtx_part_t part, rc_csr_t *out, rc_err_t *err)
{
    reader_t r = {.s = {.path = path},
        .threads = rc_thread_count(threads),
        .slice = slice_default,
        .head = {.part = part}};
    return read_matrix(&r, out, NULL, err);
}

rc_status_t rc_mtx_read(
    const char *path, int threads, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    if (!path || !out)
        return rc_fail(err, RC_EINVAL, "%s: expected one, found NULL", path ? "matrix" : "path");
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected 0 or more, found %d", threads);
    return rc_mtx_read_within(path, threads, NULL, out, info, err);
}

rc_status_t rc_mtx_peek(const char *path, int64_t *rows, int64_t *cols, int64_t *entries,
    rc_mtx_info_t *info, rc_err_t *err)
{
    enum { head_block = 1 << 16 };
    const rc_reader_t *other = rc_reader_of(path);
    reader_t r = {.s = {.path = path, .block = head_block}, .threads = 1, .slice = slice_default};
    rc_taking_t t = {.path = path, .is_peek = 1, .err = err};
    rc_status_t st;
    if (other) {
        RC_PASS(rc_reader_read(other, &t, 1, NULL, info));
        *rows = t.shape[0];
        *cols = t.shape[1];
        *entries = t.entries;
        return RC_OK;
    }
    RC_TRY(reader_open(&r, path, err));
    RC_TRY(read_head(&r, err));
    *rows = r.head.rows;
    *cols = r.head.cols;
    *entries = r.head.entries;
    if (info)
        fill_info(&r.head, 0, info);
done:
    reader_close(&r);
    return st;
}

rc_status_t rc_mtx_count(const char *path, int threads, const rc_mtx_limits_t *limits,
    rc_mtx_counts_t *out, rc_err_t *err)
{
    static const rc_mtx_limits_t none = {0};
    reader_t r = {.s = {.path = limits && limits->label ? limits->label : path},
        .threads = rc_thread_count(threads),
        .slice = slice_default,
        .limits = limits ? limits : &none};
    const rc_mtx_head_t *h = &r.head;
    rc_status_t st;
    RC_TRY(reader_open(&r, path, err));
    RC_TRY(read_head(&r, err));
    RC_TRY(read_entries(&r, err));
    if (r.upper > 0) { /* whether its triangles agree is not seen in passing */
        rc_csr_t a = {0};
        RC_TRY(rc_mtx_read(path, threads, &a, NULL, err));
        rc_csr_free(&a);
    }
    *out = (rc_mtx_counts_t){.rows = h->rows, .cols = h->cols, .entries = h->entries};
    out->expanded = h->entries + (r.upper > 0 ? 0 : r.mirrored);
    if (h->is_array) /* its list says nothing of rows and columns */
        out->expanded = h->symmetry == RC_MTX_SKEW ? h->rows * (h->rows - 1) : h->rows * h->cols;
done:
    reader_close(&r);
    return st;
}
