#include "config.h"
#include "base/error.h"
#include "base/type.h"
#include "cmd/listing.h"
#include "cmd/numbers.h"
#include "cmd/one_matrix.h"
#include "format/format.h"

#include <string.h>

struct options {
    rc_one_matrix_options_t matrix;
    const char *kernel;
    const char *precision;
    const char *dump;
};

#define MATRIX(member) RC_AT(matrix.member)

static const rc_opt_t options[] = {
    RC_OPT("kernel", 'x', RC_OPT_TEXT, RC_AT(kernel), "SPEC",
        "Format with its parameters: coo, csr:lanes=8, hyb:width=bell, csr5:sigma=16, "
        "merge:items=896. 'rowcast info' lists all. Required."),
    RC_OPT(
        "precision", 0, RC_OPT_TEXT, RC_AT(precision), "PRECISION", "Value type (default fp32)."),
    RC_OPT("dump", 0, RC_OPT_TEXT, RC_AT(dump), "DIR",
        "Build the format and write its integer arrays, one number a line, into DIR/NAME.txt. DIR "
        "is made when it is not there."),
    RC_ONE_MATRIX_READING(MATRIX),
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "table (default): a line per size; csv: a line of names and a line of values; json."),
    RC_OPT_END,
};

/* ------------------------------------------------------------------- sizes */

enum { NAME_SIZE = 32 };

static rc_listed_t whole(const char *name, int64_t value, const char *unit, const char *meaning)
{
    return (rc_listed_t){name, RC_INT(value), unit, meaning};
}

/* \param[in] spec  as it was read: "ell:limit=none" */
static rc_status_t print(const rc_one_matrix_t *m, const char *spec, const rc_csr_view_t *e,
    const rc_format_size_t *s, rc_err_t *err)
{
    enum { fixed = 8 };
    rc_listed_t f[fixed + RC_FORMAT_NUMBERS + RC_FORMAT_ARRAYS] = {
        {"kernel", RC_TEXT(spec), "", "format with its parameters"},
        {"precision", RC_TEXT(rc_precision_name(e->precision)), "", "of the values"},
        {"rows", RC_INT(m->a.rows), "", "of the matrix"},
        {"cols", RC_INT(m->a.cols), "", "of the matrix"},
        {"nnz", RC_INT(m->a.nnz), "", "entries of the matrix"}};
    char name[RC_FORMAT_ARRAYS][NAME_SIZE];
    int n = 5;
    for (int i = 0; i < s->numbers; i++)
        f[n++] = whole(s->number[i].name, s->number[i].value, "", s->number[i].help);
    f[n++] = whole("places", s->places, "", "for entries, padding included");
    f[n++] = (rc_listed_t){"fill", RC_REAL(rc_format_fill(s, e), 5), "", "places over entries"};
    for (int i = 0; i < s->arrays; i++) {
        snprintf(name[i], NAME_SIZE, "bytes_%s", s->array[i].name);
        f[n++] = whole(name[i], s->array[i].bytes, "bytes", "of this array");
    }
    f[n++] = whole("bytes", rc_format_bytes(s), "bytes", "of all arrays");
    return rc_listing_figures(m->format, "size", f, n, err);
}

/* --------------------------------------------------------------------- run */

static rc_status_t parse(
    const struct options *o, rc_spec_t *spec, rc_precision_t *precision, rc_err_t *err)
{
    if (!o->kernel)
        return rc_fail(err, RC_EINVAL, "--kernel is missing");
    rc_status_t st = rc_spec_parse(&rc_format_family, o->kernel, spec, err);
    if (st == RC_ENOENT || st == RC_ERANGE)
        st = err->status = RC_EINVAL; /* a wrong word on the command line */
    if (st == RC_OK && o->precision &&
        rc_type_parse(RC_TYPES_ANY, o->precision, precision, err) < 0)
        st = rc_err_context(err, "--precision");
    return st;
}

static rc_status_t check(const void *chosen, int *orders, rc_err_t *err)
{
    (void)orders;
    rc_spec_t spec;
    rc_precision_t precision;
    return parse(chosen, &spec, &precision, err);
}

static rc_status_t measure(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    rc_spec_t spec = {.member = 0};
    rc_csr_view_t e = {
        .rows = m->a.rows, .nnz = m->a.nnz, .ptr = m->a.row_ptr, .col = m->a.col_idx};
    char text[NAME_SIZE + RC_PARAMS_TEXT];
    rc_format_size_t size = {.numbers = 0};
    RC_PASS(parse(o, &spec, &e.precision, err));
    const rc_format_t *format = rc_formats[spec.member];
    snprintf(text, sizeof text, "%s%s%s", format->name, spec.params[0] ? ":" : "", spec.params);
    rc_status_t st = format->measure(&e, spec.value.value, &size, err);
    if (st == RC_OK && o->dump) {
        rc_numbers_t to = {0};
        const rc_format_sink_t sink = {&to, rc_numbers_put};
        st = rc_numbers_begin(&to, o->dump, err);
        if (st == RC_OK)
            st = format->dump(&e, spec.value.value, m->threads, &sink, err);
        st = rc_numbers_end(&to, st, err);
    }
    if (st < 0)
        return rc_err_context(err, "%s: format %s", m->word, format->name);
    return print(m, text, &e, &size, err);
}

const rc_command_t rc_command_format = {
    .name = "format",
    .summary = "print what a storage format would take of a matrix",
    .usage = "FILE --kernel SPEC [--precision PRECISION] [--dump DIR]",
    .description = RC_FILE_HELP
    "\n\n"
    "Prints the bytes of every array of the format in which a kernel of y = A x stores the matrix, "
    "and what the format decided: width and pitch (in places) of ell and hyb, entries over the "
    "width, sigma, tiles and words of csr5, parts of merge. places are those for entries, padding "
    "included; fill is places over entries. Nothing is built and no GPU is needed, so that a "
    "format that does not fit into memory is measured too.\n\n"
    "Column and row numbers take 4 bytes, pointers to entries 4 where the matrix has fewer than "
    "2^31 entries, else 8. The empty offsets of csr5 are not in its bytes.\n\n"
    "--dump writes: coo: row, col. csr: row_ptr, col. ell: width, pitch, col (column after column "
    "of places, padding -1). hyb: the same, and coo_row, coo_col. csr5: omega, sigma, tiles, "
    "tile_ptr, tile_dirty; of full tiles, column by column, bit_flag, y_offset, seg_offset; "
    "empty_ptr, empty_offset, and col in stored order. merge: row and entry where each part "
    "begins, and the end.",
    .examples = "rowcast format bcsstk17.mtx -x ell|would ELLPACK fit?\n"
                "rowcast format rmat-14 -x hyb:width=bell --precision fp64|how a matrix is split\n"
                "rowcast format a.mtx -x csr5:sigma=16 --dump tiles -f json|for a program",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .matrix = RC_ONE_MATRIX_DEFAULTS),
    .operands = {1, 1},
    .one_matrix = &(const rc_one_matrix_work_t){check, measure},
};
