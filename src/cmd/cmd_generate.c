#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/replace.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/select.h"
#include "table/print.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int list;
    int list_generators;
    int list_set;
    const char *format;
    const char *output;
    const char *catalog;
};

static const rc_opt_t options[] = {
    RC_OPT("output", 'o', RC_OPT_TEXT, RC_AT(output), "FILE",
        "Matrix Market file to write; - is stdout, then the size goes to stderr. Without it only "
        "the size is printed."),
    RC_OPT("catalog", 'c', RC_OPT_TEXT, RC_AT(catalog), "CSV",
        "Index of the SuiteSparse collection (ssstats.csv), for twin:Group/Name."),
    RC_OPT("list", 0, RC_OPT_FLAG, RC_AT(list), NULL,
        "List the generators with their parameters, then the built-in set."),
    RC_OPT("list-generators", 0, RC_OPT_FLAG, RC_AT(list_generators), NULL,
        "List the generators only."),
    RC_OPT("list-set", 0, RC_OPT_FLAG, RC_AT(list_set), NULL, "List the built-in set only."),
    RC_OPT("format", 'f', RC_OPT_TEXT, RC_AT(format), "FORMAT",
        "Of what is printed: table (default), csv or json."),
    RC_OPT_END,
};

/* ------------------------------------------------------------------- --list */

static rc_status_t list_generators(rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] = "generator|version|parameter|default|min|max|meaning";
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int i = 0; rc_generators[i]; i++) {
        const rc_generator_t *g = rc_generators[i];
        RC_CELLS(t, RC_TEXT(g->name), RC_INT(g->version), RC_MISSING, RC_MISSING, RC_MISSING,
            RC_MISSING, RC_TEXT(g->summary));
        for (int k = 0; k < RC_GEN_PARAMS_MAX && g->param[k].name; k++) {
            const rc_gen_param_t *p = &g->param[k];
            RC_CELLS(t, RC_TEXT(g->name), RC_INT(g->version), RC_TEXT(p->name),
                RC_REAL(p->value, 9), RC_REAL(p->min, 9), RC_REAL(p->max, 9), RC_TEXT(p->help));
        }
    }
    for (const rc_gen_key_t *key = rc_gen_keys; key->name; key++)
        RC_CELLS(t, RC_TEXT("all"), RC_MISSING, RC_TEXT(key->name), RC_TEXT(key->value), RC_MISSING,
            RC_MISSING, RC_TEXT(key->help));
    return rc_table_end(t, err);
}

static rc_status_t list_builtins(rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] = "name|rows|cols|nnz|kind|spec";
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int i = 0; i < rc_builtin_count; i++) {
        const rc_builtin_t *b = &rc_builtins[i];
        RC_CELLS(t, RC_TEXT(b->name), RC_INT(b->rows), RC_INT(b->cols), RC_INT(b->nnz),
            RC_TEXT(b->kind), RC_TEXT(b->spec));
    }
    return rc_table_end(t, err);
}

/* ----------------------------------------------------------------- a matrix */

static rc_status_t no_twin(const rc_catalog_t *twins, const char *word, rc_err_t *err)
{
    const char **name = rc_alloc((size_t)twins->count, sizeof *name, "names of twins", err);
    RC_PASS(name ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < twins->count; i++)
        name[i] = twins->entry[i].name;
    rc_status_t st =
        rc_fail_unknown(err, RC_EINVAL, RC_TWIN "Group/Name", word, name, (int)twins->count);
    free(name);
    return st;
}

static rc_status_t add_twin(const char *word, const char *catalog, rc_str_t *spec, rc_err_t *err)
{
    rc_catalog_t twins = {0};
    if (!catalog)
        return rc_fail(
            err, RC_EINVAL, "'%s': expected --catalog CSV, the index that describes it", word);
    rc_status_t st = rc_select_matrices(
        &(rc_matrix_places_t){.collection = "twins", .catalog = catalog}, -1, &twins, NULL, err);
    const rc_entry_t *e = st == RC_OK ? rc_catalog_find(&twins, word) : NULL;
    int64_t need = e ? rc_entry_load_bytes(e) : 0;
    int64_t available = rc_memory_available();
    if (need > available)
        st = rc_fail(err, RC_ENOMEM,
            "'%s' with %" PRId64 " rows and %" PRId64 " entries takes up to %" PRId64
            " bytes to make, %" PRId64 " are available",
            word, e->rows, e->nnz, need, available);
    else if (e)
        rc_str_add(spec, e->location);
    else if (st == RC_OK)
        st = no_twin(&twins, word, err);
    rc_catalog_free(&twins);
    return st;
}

/* The spec that a word stands for. */
static rc_status_t add_spec(const char *word, const char *catalog, rc_str_t *spec, rc_err_t *err)
{
    const char *builtin = rc_builtin_spec(word);
    rc_status_t st = RC_OK;
    if (strncmp(word, RC_TWIN, strlen(RC_TWIN)) == 0)
        st = add_twin(word, catalog, spec, err);
    else if (catalog)
        st = rc_fail(err, RC_EINVAL, "--catalog is for " RC_TWIN "Group/Name, found '%s'", word);
    else
        rc_str_add(spec, builtin ? builtin : word);
    return st == RC_OK && spec->failed ? rc_fail(err, RC_ENOMEM, "no memory for a spec") : st;
}

static rc_status_t print_matrix(
    const char *spec, const rc_csr_t *a, const char *file, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] = "spec|rows|cols|nnz|digest|file";
    rc_digest_t digest;
    RC_PASS(rc_csr_digest(a, &digest, err));
    FILE *out = rc_replace_is_stdout(file) ? stderr : stdout;
    rc_table_t *t = rc_table_of(out, format, columns, 0, err);
    RC_CELLS(t, RC_TEXT(spec), RC_INT(a->rows), RC_INT(a->cols), RC_INT(a->nnz),
        RC_TEXT(rc_digest_hex(digest).text), RC_TEXT(file));
    return rc_table_end(t, err);
}

static rc_status_t make(
    const char *word, const struct options *o, rc_table_format_t format, rc_err_t *err)
{
    rc_csr_t a = {0};
    rc_str_t spec = {0};
    char *comment = NULL;
    int version = 0;
    rc_status_t st;
    RC_TRY(add_spec(word, o->catalog, &spec, err));
    st = rc_generate(spec.text ? spec.text : "", &a, &version, err);
    if (st == RC_ENOENT)
        err->status = RC_EINVAL; /* a wrong word on the command line */
    RC_TRY(st);
    comment =
        rc_strf("a comment", err, RC_MTX_GENERATED "%s\ngenerator version: %d", spec.text, version);
    RC_TRY(comment ? RC_OK : RC_ENOMEM);
    if (o->output)
        RC_TRY(rc_mtx_write(o->output, &a, comment, err));
    st = print_matrix(spec.text, &a, o->output, format, err);
done:
    rc_str_free(&spec);
    free(comment);
    rc_csr_free(&a);
    return st;
}

static rc_status_t list(const struct options *o, rc_table_format_t format, rc_err_t *err)
{
    if (o->list && format != RC_TABLE_TEXT)
        return rc_fail(err, RC_EINVAL,
            "--list prints two tables; with --format use --list-generators or --list-set");
    rc_status_t st = RC_OK;
    if (o->list || o->list_generators)
        st = list_generators(format, err);
    if (st == RC_OK && o->list)
        putchar('\n');
    if (st == RC_OK && (o->list || o->list_set))
        st = list_builtins(format, err);
    return st;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    const char *word = call->operand[0];
    int lists = o->list + o->list_generators + o->list_set;
    if (lists + (word != NULL) != 1 || (lists && (o->output || o->catalog)))
        return rc_fail(err, RC_EINVAL, "expected one of a SPEC, a NAME or a --list option");
    return lists ? list(o, call->format, err) : make(word, o, call->format, err);
}

const rc_command_t rc_command_generate = {
    .name = "generate",
    .summary = "make a matrix from a generator or the built-in set",
    .usage = "[SPEC|NAME] [--catalog CSV] [-o FILE]",
    .description =
        "A SPEC is GENERATOR:key=value,key=value; keys that are left out have their defaults. All "
        "generators take seed (default 1), entries (exactly so many), diagonal (keep, none, full), "
        "symmetry (0 to 1), shuffle (none, rows, cols, both) and shuffle_seed. The same spec and "
        "generator version give the same matrix on every machine.\n\n"
        "A NAME is a matrix of the built-in set, or twin:Group/Name: a generated matrix with the "
        "rows, columns, entries and pattern symmetry that --catalog tells for Group/Name, from the "
        "generator that fits its kind; the spec that is printed makes it without a catalogue. "
        "'rowcast catalog --collection twins --catalog CSV --columns fullname,location' lists all.",
    .examples =
        "rowcast generate --list|the generators and the built-in set\n"
        "rowcast generate mesh3d:n=20,dof=3 -o mesh.mtx|a mesh with 24,000 rows\n"
        "rowcast generate road:n=1000000,shuffle=both|a road network whose numbering is lost\n"
        "rowcast generate rmat-14 -o graph.mtx|a matrix of the built-in set\n"
        "rowcast generate twin:HB/bcsstk17 --catalog ssstats.csv|a matrix like that one",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, 0),
    .operands = {0, 1},
    .work = run,
};
