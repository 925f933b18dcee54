#include "config.h"
#include "io/mtx_read.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "base/str.h"
#include "io/mtx.h"
#include "io/mtx_text.h"
#include "io/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    block_default = 8 << 20, /* bytes of text decoded while the block before is parsed */
    slice_default = 1 << 20, /* bytes of text that a thread takes at a time */
    line_longest = 16 << 20
};

/* A file being read.  Of a plain file `text` is all of it; of a stream it is the current block,
 * and while threads parse it another one decodes the next block. */
typedef struct reader {
    const char *path;
    int threads;
    size_t block;
    size_t slice;
    rc_source_t *source;
    int is_stream;
    locale_t c;
    char *buffer[2]; /* streams only: the current block and the next one */
    size_t capacity[2];
    int current;
    const char *text;
    size_t length;
    size_t at;     /* first byte that is not used up */
    int is_last;   /* no text comes after `text` */
    int64_t lines; /* that end before `at` */
    rc_mtx_head_t head;
    rc_segment_t *segment;
    size_t segments;
    size_t segment_capacity;
    int64_t entries;               /* in the segments, or counted */
    const rc_mtx_limits_t *limits; /* NULL: the entries are kept */
    rc_source_limits_t source_limits;
    rc_mtx_counts_t counts; /* with limits */
    const rc_mtx_bound_t *bound; /* NULL: what is available */
} reader_t;

/* \param path  of the file; r->path is its name in messages */
static rc_status_t reader_open(reader_t *r, const char *path, rc_err_t *err)
{
    const rc_mtx_limits_t *l = r->limits;
    if (l && l->name)
        r->source_limits = (rc_source_limits_t){l->name, l->member_bytes, l->total_bytes};
    r->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (r->c == (locale_t)0)
        return rc_fail(err, RC_ENOMEM, "%s: no memory for a locale", r->path);
    rc_status_t st =
        rc_source_open_limited(path, l && l->name ? &r->source_limits : NULL, &r->source, err);
    if (st < 0) {
        rc_err_context(err, "%s", r->path);
        return st;
    }
    r->text = rc_source_map(r->source, &r->length);
    r->is_stream = r->text == NULL;
    r->is_last = !r->is_stream;
    return RC_OK;
}

static void reader_close(reader_t *r)
{
    for (size_t i = 0; i < r->segments; i++)
        free(r->segment[i].triple);
    free(r->segment);
    free(r->buffer[0]);
    free(r->buffer[1]);
    rc_source_close(r->source);
    if (r->c != (locale_t)0)
        freelocale(r->c);
}

/* --------------------------------------------------------------------- text */

/* Copy the bytes from `from` on to the front of the other buffer, with room for a block more. */
static rc_status_t carry(reader_t *r, size_t from, size_t *kept, rc_err_t *err)
{
    int next = 1 - r->current;
    *kept = r->length - from;
    if (*kept > line_longest)
        return rc_mtx_fail(err, RC_EFORMAT, r->path, r->lines + 1,
            "expected a line of at most %d characters, found a longer one", (int)line_longest);
    void *p = r->buffer[next];
    rc_status_t st = rc_grow(&p, &r->capacity[next], *kept + r->block, 1, "a block of text", err);
    if (st < 0)
        return st;
    r->buffer[next] = p;
    memcpy(r->buffer[next], r->length ? r->text + from : "", *kept);
    return RC_OK;
}

static rc_status_t decode(reader_t *r, size_t kept, size_t *got, rc_err_t *err)
{
    return rc_source_read(r->source, r->buffer[1 - r->current] + kept, r->block, got, err);
}

static rc_status_t decode_failed(const reader_t *r, rc_status_t st, rc_err_t *err)
{
    rc_err_t cause = err ? *err : (rc_err_t){0};
    if (r->limits) /* the matter is the container, not the text */
        return rc_fail(err, st, "%s: %.400s", r->path, cause.text);
    return rc_mtx_fail(err, st, r->path, r->lines + 1, "at or after this line %.300s", cause.text);
}

static void step(reader_t *r, size_t kept, size_t got)
{
    r->current = 1 - r->current;
    r->text = r->buffer[r->current];
    r->length = kept + got;
    r->at = 0;
    r->is_last = got < r->block;
}

static rc_status_t more_text(reader_t *r, rc_err_t *err)
{
    size_t kept;
    size_t got;
    rc_status_t st = carry(r, r->at, &kept, err);
    if (st < 0)
        return st;
    st = decode(r, kept, &got, err);
    if (st < 0)
        return decode_failed(r, st, err);
    step(r, kept, got);
    return RC_OK;
}

/* The next line of the text; line->begin NULL at its end. */
static rc_status_t next_line(reader_t *r, rc_mtx_line_t *line, rc_err_t *err)
{
    for (;;) {
        size_t n = r->length - r->at;
        /* before the first block and behind an empty text there is nothing to point into */
        const char *begin = n ? r->text + r->at : NULL;
        const char *newline = n ? memchr(begin, '\n', n) : NULL;
        if (newline || r->is_last) {
            const char *end = newline || !n ? newline : begin + n;
            *line = (rc_mtx_line_t){r->path, r->lines + 1, begin, end};
            r->at = n ? (size_t)(end - r->text) + (newline != NULL) : r->at;
            r->lines += newline != NULL;
            return RC_OK;
        }
        rc_status_t st = more_text(r, err);
        if (st < 0)
            return st;
    }
}

/* --------------------------------------------------------------------- head */

static rc_status_t check_entry_count(const reader_t *r, int64_t line, rc_err_t *err)
{
    int64_t bytes = (int64_t)(r->length - r->at);
    /* the last newline may be missing */
    int64_t most = (bytes + 1) / rc_mtx_entry_bytes(&r->head);
    if (r->is_last && r->head.entries > most)
        return rc_mtx_fail(err, RC_EFORMAT, r->path, line,
            "expected %" PRId64 " entries, found %" PRId64
            " bytes behind the size line, which hold at most %" PRId64,
            r->head.entries, bytes, most);
    return RC_OK;
}

static rc_status_t read_head(reader_t *r, rc_err_t *err)
{
    rc_mtx_line_t line;
    rc_status_t st = RC_OK;
    RC_TRY(next_line(r, &line, err));
    if (!line.begin)
        return rc_mtx_fail(err, RC_EFORMAT, r->path, 1,
            "expected the banner '%%%%MatrixMarket', found %s",
            r->is_stream ? "no text (nothing, or an archive of nothing)" : "an empty file");
    RC_TRY(rc_mtx_parse_banner(&line, &r->head, err));
    do {
        RC_TRY(next_line(r, &line, err));
        if (!line.begin)
            return rc_mtx_fail(err, RC_EFORMAT, r->path, line.number,
                "expected the size line, found the end of the file");
        r->head.is_generated |= rc_mtx_says_generated(&line);
    } while (*line.begin == '%' || rc_mtx_is_blank(line.begin, line.end));
    RC_TRY(rc_mtx_parse_size(&line, &r->head, err));
    RC_TRY(check_entry_count(r, line.number, err));
done:
    return st;
}

static void fill_info(const rc_mtx_head_t *head, int64_t duplicates, rc_mtx_info_t *info)
{
    rc_mtx_info_t x = {.file_entries = head->entries, .duplicates = duplicates};
    /* cannot be cut: the longest word has 14 letters */
    rc_strcpy(x.field, sizeof x.field, rc_mtx_field_name(head->field), "field", NULL);
    rc_strcpy(
        x.symmetry, sizeof x.symmetry, rc_mtx_symmetry_name(head->symmetry), "symmetry", NULL);
    rc_strcpy(x.format, sizeof x.format, head->is_array ? "array" : "coordinate", "format", NULL);
    x.is_generated = head->is_generated;
    x.values_are_seeded = head->field == RC_MTX_PATTERN || head->field == RC_MTX_COMPLEX;
    *info = x;
}

/* ------------------------------------------------------------------ entries */

static const char *after_newline(const char *p, const char *end)
{
    const char *newline = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
    return newline ? newline + 1 : end;
}

/* Cut [begin, end) at newlines into about count slices. */
static void cut(
    const reader_t *r, const char *begin, const char *end, rc_mtx_slice_t *slice, int64_t count)
{
    size_t each = (size_t)(end - begin) / (size_t)count;
    const char *p = begin;
    for (int64_t s = 0; s < count; s++) {
        const char *near = s + 1 < count ? begin + each * (size_t)(s + 1) : end;
        const char *stop = near <= p ? p : near == end ? end : after_newline(near - 1, end);
        slice[s] = (rc_mtx_slice_t){.begin = p, .end = stop};
        slice[s].most = r->head.entries - r->entries;
        p = stop;
    }
}

static rc_status_t slice_failed(const reader_t *r, const rc_mtx_slice_t *s, rc_err_t *err)
{
    const char *newline = memchr(s->bad, '\n', (size_t)(s->end - s->bad));
    rc_mtx_line_t line = {r->path, r->lines + s->lines + 1, s->bad, newline ? newline : s->end};
    if (s->n < s->most)
        return rc_mtx_explain(&r->head, r->c, &line, err);
    char found[48];
    const char *p = line.begin;
    while (p < line.end && rc_mtx_is_blank(p, p + 1))
        p++;
    return rc_mtx_fail(err, RC_EFORMAT, r->path, line.number,
        "expected the end of the file after %" PRId64 " entries, found %s", r->head.entries,
        rc_mtx_word(p, line.end, found, sizeof found));
}

/* Count the entries of a slice instead of keeping them. */
static void count_slice(reader_t *r, const rc_mtx_slice_t *s)
{
    int is_general = r->head.symmetry == RC_MTX_GENERAL;
    int64_t expanded = 0;
    int64_t zeros = 0;
    for (int64_t i = 0; i < s->n; i++) {
        int twice = !is_general && s->triple[i].row != s->triple[i].col;
        expanded += 1 + twice;
        zeros += s->triple[i].val == 0 ? 1 + twice : 0;
    }
    r->counts.expanded += expanded;
    r->counts.nonzeros += expanded - zeros;
}

/* Take the entries of the slices over in order; the first bad line ends it. */
static rc_status_t collect(reader_t *r, rc_mtx_slice_t *slice, int64_t count, rc_err_t *err)
{
    void *p = r->segment;
    size_t need = r->segments + (r->limits ? 0 : (size_t)count);
    rc_status_t st =
        rc_grow(&p, &r->segment_capacity, need, sizeof *r->segment, "a list of entries", err);
    if (st < 0)
        return st;
    r->segment = p;
    for (int64_t i = 0; i < count; i++) {
        rc_mtx_slice_t *s = &slice[i];
        int64_t left = r->head.entries - r->entries;
        if (!s->no_memory && (s->n > left || (s->bad && s->n == left))) {
            /* slices before this one have used up the entries: find the first line too many */
            s->most = left;
            rc_mtx_parse_slice(&r->head, r->c, s);
        }
        if (s->no_memory)
            return rc_fail(err, RC_ENOMEM, "%s: no memory for entries", r->path);
        if (s->bad)
            return slice_failed(r, s, err);
        r->lines += s->lines;
        r->entries += s->n;
        if (r->limits) {
            count_slice(r, s);
            continue;
        }
        r->segment[r->segments++] = (rc_segment_t){s->triple, s->n};
        s->triple = NULL;
    }
    return RC_OK;
}

/* What one thread does beside the parsing: decode the next block. */
typedef struct decoding {
    int is_wanted;
    size_t kept;
    size_t got;
    rc_status_t status;
    rc_err_t err;
} decoding_t;

static rc_status_t parse_range(
    reader_t *r, const char *begin, const char *end, decoding_t *d, rc_err_t *err)
{
    int64_t count = (int64_t)((size_t)(end - begin) / r->slice) + 1;
    if (r->is_stream && count > 4 * (int64_t)r->threads)
        count = 4 * (int64_t)r->threads;
    rc_mtx_slice_t *slice = rc_alloc0((size_t)count, sizeof *slice, "slices of a file", err);
    if (!slice)
        return RC_ENOMEM;
    cut(r, begin, end, slice, count);
    int64_t first_bad = count;
#pragma omp parallel num_threads(r->threads)
    {
#pragma omp single nowait
        if (d->is_wanted)
            d->status = decode(r, d->kept, &d->got, &d->err);
#pragma omp for schedule(dynamic, 1)
        for (int64_t s = 0; s < count; s++) {
            int64_t limit;
#pragma omp atomic read
            limit = first_bad;
            if (s > limit)
                continue;
            rc_mtx_parse_slice(&r->head, r->c, &slice[s]);
            rc_source_forget(r->source, slice[s].begin, slice[s].end);
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

static size_t whole_lines(const reader_t *r)
{
    if (r->is_last) {
        /* counting takes a mapped text in pieces too, for entries that are kept for a while */
        int in_pieces = r->limits && r->length - r->at > r->block;
        const char *piece = r->text + r->at + (in_pieces ? r->block : 0);
        return in_pieces ? (size_t)(after_newline(piece, r->text + r->length) - r->text)
                         : r->length;
    }
    size_t end = r->length;
    while (end > r->at && r->text[end - 1] != '\n')
        end--;
    return end;
}

static rc_status_t read_entries(reader_t *r, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (;;) {
        if (r->limits && r->limits->stop && r->limits->stop(r->limits->stop_arg))
            return rc_fail(err, RC_EINTR, "%s: asked to stop", r->path);
        size_t end = whole_lines(r);
        if (end == r->at && !r->is_last) {
            RC_TRY(more_text(r, err));
            continue;
        }
        decoding_t d = {.is_wanted = !r->is_last};
        if (d.is_wanted)
            RC_TRY(carry(r, end, &d.kept, err));
        RC_TRY(parse_range(r, r->text + r->at, r->text + end, &d, err));
        if (d.status < 0) {
            if (err)
                *err = d.err;
            return decode_failed(r, d.status, err);
        }
        if (r->is_last && end == r->length)
            break;
        if (r->is_last)
            r->at = end;
        else
            step(r, d.kept, d.got);
    }
    if (r->entries < r->head.entries)
        return rc_mtx_fail(err, RC_EFORMAT, r->path, r->lines + 1,
            "expected %" PRId64 " entries, found the end of the file after %" PRId64,
            r->head.entries, r->entries);
done:
    return st;
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

/* A file of a few bytes can ask for row pointers of many gigabytes: look before the leap.
 * \param entries  that are known to come, before symmetric kinds are expanded */
static rc_status_t check_memory(const reader_t *r, int64_t entries, rc_err_t *err)
{
    const rc_mtx_bound_t *b = r->bound;
    int64_t most = r->head.symmetry == RC_MTX_GENERAL ? entries : 2 * entries;
    int64_t bytes = rc_mtx_bytes(r->head.rows, most, entries);
    int64_t held = r->entries * (int64_t)sizeof(rc_triple_t); /* is in use, not available */
    int64_t available = rc_memory_available();
    char what[96] = "";
    char text[256];
    if (entries > 0)
        snprintf(what, sizeof what, " with up to %" PRId64 " entr%s", most, most == 1 ? "y" : "ies");
    if (b) {
        int64_t work =
            rc_sat_add(rc_sat_mul(r->head.rows, b->row_work), rc_sat_mul(most, b->entry_work));
        int64_t need = rc_sat_add(bytes, work);
        rc_memory_reason(text, sizeof text, work > 0 ? "and the work on it take" : "takes", need,
            b->bytes);
        if (need > b->bytes)
            return rc_fail(err, RC_ENOMEM,
                "%s: a matrix of %" PRId64 " x %" PRId64 "%s %s%s%s%s", r->path, r->head.rows,
                r->head.cols, what, text + strlen("memory: "), b->option ? "; " : "",
                b->option ? b->option : "", b->option ? " sets it" : "");
    }
    if (bytes - held > available)
        return rc_fail(err, RC_ENOMEM,
            "%s: a matrix of %" PRId64 " x %" PRId64 "%s needs %" PRId64 " bytes, %" PRId64
            " are available",
            r->path, r->head.rows, r->head.cols, what, bytes - held, available);
    return RC_OK;
}

static rc_status_t build(reader_t *r, rc_csr_t *out, int64_t *duplicates, rc_err_t *err)
{
    static const rc_mirror_t mirror[] = {
        RC_MIRROR_NONE, RC_MIRROR_SAME, RC_MIRROR_NEGATED, RC_MIRROR_SAME};
    rc_status_t st = check_memory(r, r->entries, err);
    if (st < 0)
        return st;
    if (r->head.is_array)
        place_array(r);
    st = rc_csr_build(r->head.rows, r->head.cols, r->segment, (int64_t)r->segments,
        mirror[r->head.symmetry], 1, r->threads, out, duplicates, err);
    if (st < 0)
        rc_err_context(err, "%s", r->path);
    else if (r->head.field == RC_MTX_PATTERN || r->head.field == RC_MTX_COMPLEX)
        seed_values(out, r->threads);
    return st;
}

static rc_status_t read_matrix(reader_t *r, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    int64_t duplicates = 0;
    rc_status_t st;
    RC_TRY(reader_open(r, r->path, err));
    RC_TRY(read_head(r, err));
    /* of a stream the rows alone: its entries may be less than the head says */
    RC_TRY(check_memory(r, r->is_last ? r->head.entries : 0, err));
    RC_TRY(read_entries(r, err));
    RC_TRY(build(r, out, &duplicates, err));
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
        .path = path, .threads = rc_thread_count(threads), .block = block, .slice = slice};
    return read_matrix(&r, out, info, err);
}

rc_status_t rc_mtx_read_within(const char *path, int threads, const rc_mtx_bound_t *bound,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    reader_t r = {.path = path,
        .threads = rc_thread_count(threads),
        .block = block_default,
        .slice = slice_default,
        .bound = bound};
    return read_matrix(&r, out, info, err);
}

rc_status_t rc_mtx_read(
    const char *path, int threads, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    return rc_mtx_read_within(path, threads, NULL, out, info, err);
}

rc_status_t rc_mtx_peek(const char *path, int64_t *rows, int64_t *cols, int64_t *entries,
    rc_mtx_info_t *info, rc_err_t *err)
{
    enum { head_block = 1 << 16 };
    reader_t r = {.path = path, .threads = 1, .block = head_block, .slice = slice_default};
    rc_status_t st;
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

/* The lists of an array file say nothing of rows and columns. */
static void count_array(reader_t *r)
{
    int is_general = r->head.symmetry == RC_MTX_GENERAL;
    r->counts.expanded = r->head.symmetry == RC_MTX_SKEW ? r->head.rows * (r->head.rows - 1)
                                                         : r->head.rows * r->head.cols;
    if (!is_general)
        r->counts.nonzeros = -1;
}

rc_status_t rc_mtx_count(const char *path, int threads, const rc_mtx_limits_t *limits,
    rc_mtx_counts_t *out, rc_err_t *err)
{
    static const rc_mtx_limits_t none = {0};
    reader_t r = {.path = limits && limits->label ? limits->label : path,
        .threads = rc_thread_count(threads),
        .block = block_default,
        .slice = slice_default,
        .limits = limits ? limits : &none};
    rc_status_t st;
    RC_TRY(reader_open(&r, path, err));
    RC_TRY(read_head(&r, err));
    RC_TRY(read_entries(&r, err));
    if (r.head.is_array)
        count_array(&r);
    if (r.head.field == RC_MTX_PATTERN || r.head.field == RC_MTX_COMPLEX)
        r.counts.nonzeros = -1;
    r.counts.rows = r.head.rows;
    r.counts.cols = r.head.cols;
    r.counts.entries = r.head.entries;
    *out = r.counts;
done:
    reader_close(&r);
    return st;
}
