#include "config.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open.h"
#include "base/replace.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "cmd/listing.h"
#include "feature/feature.h"
#include "table/export.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    rc_export_options_t which;
    const char *csv;
    const char *where;
    int force;
    int quiet;
    int unsealed;
};

static const rc_opt_t table[] = {
    RC_OPT("csv", 0, RC_OPT_TEXT, RC_AT(csv), "DIR",
        "Write a CSV file per table there; the folder is made when it is missing. Required."),
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(where), "EXPR",
        "Only results (and raw times of results) that match, e.g. 'k == 8 && status == ok'; the "
        "fields are those of 'rowcast query --fields'. All other tables stay whole."),
    RC_OPT("all", 'a', RC_OPT_FLAG, RC_AT(which.all), NULL,
        "Also rows that newer ones supersede: the older results of cases that were redone, the "
        "older features of a matrix."),
    RC_OPT("samples", 0, RC_OPT_FLAG, RC_AT(which.samples), NULL,
        "Also the raw times, a line each; that table is by far the largest."),
    RC_OPT("force", 0, RC_OPT_FLAG, RC_AT(force), NULL,
        "Write into a folder that holds other files too; those of the names of tables are "
        "replaced."),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "Say nothing when all is well."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

/* --------------------------------------------------------------- the folder */

static const char index_name[] = "columns.csv";
static const char index_head[] = "table,column,type,unit,meaning\n";

static rc_status_t path_in(
    const char *dir, const char *name, const char *suffix, char **out, rc_err_t *err)
{
    *out = rc_strf("a path", err, "%s/%s%s", dir, name, suffix);
    return *out ? RC_OK : RC_ENOMEM;
}

static int is_plain_name(const char *name)
{
    return name[0] && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

/* Names of the tables that an earlier export left, as its index lists them; *is_ours = 0 when the
 * folder has no such index.  Each name stands before the first comma of a line; a meaning with a
 * line feed would be quoted, and ours have none. */
static rc_status_t read_index(const char *path, int *is_ours, rc_str_t *names, rc_err_t *err)
{
    char line[1024];
    FILE *f;
    *is_ours = rc_open_given(path, &f, NULL) == RC_OK && fgets(line, sizeof line, f) &&
               strcmp(line, index_head) == 0;
    while (*is_ours && fgets(line, sizeof line, f)) {
        line[strcspn(line, ",\n")] = '\0';
        if (is_plain_name(line))
            rc_str_addf(names, "%s\n", line);
    }
    if (f)
        fclose(f);
    return names->failed ? rc_fail(err, RC_ENOMEM, "no memory for names") : RC_OK;
}

static rc_status_t is_empty(const char *dir, int *out, rc_err_t *err)
{
    DIR *d = opendir(dir);
    if (!d)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read '%s'", dir);
    *out = 1;
    for (const struct dirent *e = readdir(d); e; e = readdir(d))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            *out = 0;
    closedir(d);
    return RC_OK;
}

/* Make the folder, or see that it may be written into.
 * \param[out] old  names of the tables in it, a line each */
static rc_status_t claim(const char *dir, int force, rc_str_t *old, rc_err_t *err)
{
    char *path = NULL;
    int is_ours = 0;
    int empty = 0;
    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return rc_fail_errno(err, RC_EIO, errno, "cannot make the folder '%s'", dir);
    rc_status_t st = is_empty(dir, &empty, err);
    if (st < 0)
        return st;
    RC_TRY(path_in(dir, index_name, "", &path, err));
    RC_TRY(read_index(path, &is_ours, old, err));
    if (!empty && !is_ours && !force)
        st = rc_fail(err, RC_EINVAL,
            "'%s' is not empty and no earlier export (it has no %s of one); --force writes into it",
            dir, index_name);
done:
    free(path);
    return st;
}

/* ---------------------------------------------------------------- the files */

typedef struct job {
    rc_export_t *export;
    const char *dir;
    int quiet;
    int64_t said_ns;
    rc_err_t *err;
} job_t;

/* What this program knows of a column of a feature set, of which the store has only the name. */
static const rc_feature_t *feature_of(const char *name, const char *column)
{
    static const char prefix[] = "features_";
    const rc_feature_set_t *set = strncmp(name, prefix, sizeof prefix - 1) == 0
                                      ? rc_feature_set_find(name + sizeof prefix - 1)
                                      : NULL;
    for (int i = 0; set && i < set->count; i++)
        if (strcmp(set->feature[i].name, column) == 0)
            return &set->feature[i];
    return NULL;
}

/* Where work takes long, a line now and then. */
static void say(job_t *j, const char *name)
{
    int64_t now = rc_clock_ns();
    if (j->quiet || now - j->said_ns < INT64_C(2000000000))
        return;
    j->said_ns = now;
    fprintf(stderr, "rowcast export: %s %.0f %%\n", name, 100 * rc_export_done(j->export));
}

static rc_status_t write_rows(job_t *j, int i, rc_listing_t *l, int64_t *rows)
{
    enum { between = 4096 }; /* rows from one look at the clock to the next */
    int more = 1;
    rc_export_begin(j->export, i);
    for (*rows = 0;; ++*rows) {
        rc_status_t st = rc_export_next(j->export, &more, j->err);
        if (st < 0 || !more)
            return st;
        rc_listing_row(l, j->export, 0);
        if (*rows % between == between - 1)
            say(j, rc_export_table(j->export, i)->name);
    }
}

static rc_status_t begin_file(
    const job_t *j, const char *name, const char *suffix, rc_replace_t *out)
{
    char *path = NULL;
    RC_PASS(path_in(j->dir, name, suffix, &path, j->err));
    rc_status_t st = rc_replace_begin_ours(path, out, j->err);
    free(path);
    return st;
}

/* Keep the file if it was written, st. */
static rc_status_t end_file(const job_t *j, rc_status_t st, rc_replace_t *file)
{
    rc_status_t kept = rc_replace_end(file, st == RC_OK, st < 0 ? NULL : j->err);
    return st < 0 ? st : kept;
}

static rc_status_t write_table(job_t *j, int i, int64_t *rows)
{
    const rc_export_table_t *b = rc_export_table(j->export, i);
    const rc_fields_t fields = {b->column, b->columns, rc_export_get};
    rc_replace_t file;
    rc_listing_t *l = NULL;
    RC_PASS(begin_file(j, b->name, ".csv", &file));
    rc_status_t st;
    const rc_listing_form_t form = {RC_TABLE_CSV, "all", NULL};
    RC_TRY(rc_listing_begin(file.file, &form, &fields, &l, j->err));
    st = write_rows(j, i, l, rows);
    rc_status_t ended = rc_listing_end(l, st < 0 ? NULL : j->err);
    st = st < 0 ? st : ended;
done:
    return end_file(j, st, &file);
}

static rc_status_t write_index(const job_t *j)
{
    static const char *const kinds[] = {"integer", "real", "text", "boolean"};
    static const char columns[] = "table|column|type|unit|meaning";
    rc_replace_t file;
    RC_PASS(begin_file(j, index_name, "", &file));
    rc_table_t *t = rc_table_of(file.file, RC_TABLE_CSV, columns, 0, j->err);
    for (int i = 0; i < rc_export_tables(j->export); i++) {
        const rc_export_table_t *b = rc_export_table(j->export, i);
        for (int c = 0; c < b->columns; c++) {
            const rc_feature_t *f = feature_of(b->name, b->column[c].name);
            RC_CELLS(t, RC_TEXT(b->name), RC_TEXT(b->column[c].name),
                RC_TEXT(kinds[b->column[c].kind]), RC_TEXT(f ? f->unit : b->column[c].unit),
                RC_TEXT(f ? f->help : b->column[c].help));
        }
    }
    return end_file(j, rc_table_end(t, j->err), &file);
}

static int has_table(const rc_export_t *t, const char *name)
{
    for (int i = 0; i < rc_export_tables(t); i++)
        if (strcmp(rc_export_table(t, i)->name, name) == 0)
            return 1;
    return 0;
}

/* A table of an earlier export beside a new one would be of another store. */
static rc_status_t remove_old(const job_t *j, const rc_str_t *old)
{
    rc_words_t names = {0};
    rc_status_t st = RC_OK;
    if (old->len == 0)
        return RC_OK;
    old->text[old->len - 1] = '\0'; /* the last line feed */
    st = rc_words_split(old->text, '\n', &names, j->err);
    for (int i = 0; st == RC_OK && i < names.count; i++) {
        char *path = NULL;
        if (has_table(j->export, names.word[i]))
            continue;
        st = path_in(j->dir, names.word[i], ".csv", &path, j->err);
        if (st == RC_OK && unlink(path) < 0 && errno != ENOENT)
            st = rc_fail_errno(j->err, RC_EIO, errno, "cannot remove '%s'", path);
        free(path);
    }
    rc_words_free(&names);
    return st;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    rc_export_options_t which = o->which;
    rc_expr_t *where = NULL;
    job_t j = {.dir = o->csv, .quiet = o->quiet, .said_ns = rc_clock_ns(), .err = err};
    rc_str_t old = {0};
    rc_status_t st;
    if (!o->csv)
        return rc_fail(err, RC_EINVAL, "--csv is missing");
    RC_TRY(rc_view_compile(o->where, "--where", &where, err));
    which.where = where;
    RC_TRY(rc_export_open(call->operand[0], &which, &j.export, err));
    RC_TRY(claim(o->csv, o->force, &old, err));
    RC_TRY(remove_old(&j, &old));
    RC_TRY(write_index(&j)); /* first: a folder that was begun is known as ours */
    for (int i = 0; i < rc_export_tables(j.export); i++) {
        int64_t rows = 0;
        RC_TRY(write_table(&j, i, &rows));
        if (!o->quiet)
            fprintf(stderr, "rowcast export: %s/%s.csv: %" PRId64 " rows\n", o->csv,
                rc_export_table(j.export, i)->name, rows);
    }
done:
    rc_str_free(&old);
    rc_export_free(j.export);
    rc_expr_free(where);
    return st;
}

const rc_command_t rc_command_export = {
    .name = "export",
    .summary = "write the tables of a store as CSV, for other tools",
    .usage = "FILE --csv DIR [OPTIONS]",
    .description =
        "Writes results.csv (the newest result of each case, with all columns of 'rowcast query'), "
        "matrices.csv, sources.csv (catalogue rows), policies.csv, kernels.csv, devices.csv, "
        "runs.csv, provenance.csv, orders.csv, a features_SET.csv for each feature set, with "
        "--samples samples.csv, and columns.csv: table, column, type, unit and meaning of every "
        "column. Where the store has ids the tables have names, and columns that mean the same "
        "have one name in all tables: join by digest (of the matrix), policy and policy_version, "
        "kernel and kernel_version, device, run.\n\n"
        "Files are RFC 4180 with a header, lines end in a line feed; an empty field is missing, "
        "numbers have 17 digits, so they are read back as they are in the store, yes and no are 1 "
        "and 0. Each file is replaced at once when it is whole. A folder with other files in it "
        "is refused unless columns.csv shows that it is an earlier export; tables of that which "
        "are not written again are removed. Cases that are still in journals are not shown: see "
        "'rowcast fold'.",
    .examples = "rowcast export real.h5 --csv tables|everything but the raw times\n"
                "rowcast export real.h5 --csv tables -w 'kernel ~ gstat*' --samples|some results, "
                "with their raw times",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, .csv = NULL),
    .operands = {1, 1},
    .work = run,
};
