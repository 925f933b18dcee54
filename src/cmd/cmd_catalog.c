#include "config.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "cmd/select.h"

#include <inttypes.h>

struct options {
    const char *catalog;
    const char *collection;
    const char *where;
    const char *format;
    const char *columns;
    int64_t limit;
    int fields;
};

static const rc_opt_t options[] = {
    RC_OPT("catalog", 'c', RC_OPT_TEXT, RC_AT(catalog), "CSV",
        "Index of the SuiteSparse collection (ssstats.csv)."),
    RC_OPT("collection", 'C', RC_OPT_TEXT, RC_AT(collection), "DIR",
        "Directory with <Group>/<Name>.mtx, also as .zst, .gz, .xz or .bz2, <Name>.tar.gz and its "
        "like, what that unpacks to, .npz, .mat, or a generator spec in .spec; twins: a generated "
        "matrix for each row of --catalog."),
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(where), "EXPR",
        "List only the matrices for which this holds: 'square && rows<=30k && !duplicate'."),
    RC_OPT("limit", 'l', RC_OPT_INT, RC_AT(limit), "N",
        "List the first N matches only. Default: all."),
    RC_OPT("columns", 0, RC_OPT_TEXT, RC_AT(columns), "LIST",
        "Fields to print, separated by commas. Default: fullname,rows,cols,nnz,kind,present."),
    RC_FORMAT_OPTION(RC_AT(format)),
    RC_OPT("fields", 'F', RC_OPT_FLAG, RC_AT(fields), NULL,
        "List the fields that --where and --columns know, and exit."),
    RC_OPT_END,
};

static const rc_fields_t fields = {rc_entry_fields, RC_ENTRY_FIELDS, rc_entry_get};

static void print_total(const rc_catalog_t *c, int64_t all)
{
    int64_t present = 0;
    int64_t nnz = 0;
    for (int64_t i = 0; i < c->count; i++) {
        present += c->entry[i].where != RC_WHERE_ABSENT;
        nnz += c->entry[i].nnz > 0 ? c->entry[i].nnz : 0;
    }
    fprintf(stderr,
        "%" PRId64 " of %" PRId64 " matrices, %" PRId64 " present, %" PRId64 " entries\n", c->count,
        all, present, nnz);
}

static rc_status_t list(const rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    const rc_matrix_places_t places = {
        o->collection, call->operand, call->operands, o->catalog, o->where};
    rc_catalog_t c = {0};
    rc_listing_t *l;
    int64_t all = 0;
    rc_status_t st = rc_select_matrices(&places, o->limit, &c, &all, err);
    if (st < 0)
        return st;
    const rc_listing_form_t form = {
        call->format, o->columns ? o->columns : "fullname,rows,cols,nnz,kind,present", NULL};
    RC_TRY(rc_listing_begin(stdout, &form, &fields, &l, err));
    for (int64_t i = 0; i < c.count; i++)
        rc_listing_row(l, &c.entry[i], 0);
    RC_TRY(rc_listing_end(l, err));
    print_total(&c, all);
    if (c.passed)
        fprintf(stderr, "%s: left out: %s\n", o->collection ? o->collection : call->operand[0],
            c.passed);
done:
    rc_catalog_free(&c);
    return st;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    return o->fields ? rc_listing_fields(call->format, &fields, err) : list(call, err);
}

const rc_command_t rc_command_catalog = {
    .name = "catalog",
    .summary = "list the matrices that a catalogue or a collection holds",
    .usage = "[FILE|DIR...] [--catalog CSV] [--collection DIR] [--where EXPR]",
    .description =
        "Lists matrices in the order of group and name, and their number on stderr. With --catalog "
        "they come from the index, with --collection (or operands) from files, with both from "
        "the two together: a matrix that is in the index but not in the directory is shown with "
        "present = no. With neither, the built-in set of generated matrices is listed.\n\n"
        "EXPR compares fields with == != < <= > >=, matches text with the glob operators ~ and !~ "
        "(ignoring case), and joins conditions with && || ! and parentheses. Numbers may end in k, "
        "M or G. A field that is not known for a matrix makes every comparison false. "
        "'rowcast catalog --fields' lists the fields.",
    .examples =
        "rowcast catalog --catalog ssstats.csv --where 'square && rows<=30k && !duplicate'|"
        "square matrices of at most 30,000 rows that are not copies\n"
        "rowcast catalog --collection DIR --where \"kind ~ '*fluid*'\" --columns fullname,nnz|"
        "fluid dynamics problems of a local collection\n"
        "rowcast catalog --format csv|the built-in set as CSV",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .limit = -1),
    .operands = {0, -1},
    .work = run,
};
