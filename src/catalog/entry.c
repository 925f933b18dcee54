#include "config.h"
#include "catalog/list.h"

#include "base/error.h"
#include "io/mtx.h"
#include "sparse/generate.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* By rc_where_t. */
static const char *const where_names[] = {"file", "generated", "absent", NULL};

/* One line per field: identifier, name, kind, help, values of an enumeration. */
#define ENTRY_FIELDS(F)                                                                            \
    F(NAME, "name", TEXT, "name of the matrix without its group: 1138_bus", NULL)                  \
    F(FULLNAME, "fullname", TEXT, "group and name: HB/1138_bus", NULL)                             \
    F(GROUP, "group", TEXT, "group of the collection: HB", NULL)                                   \
    F(KIND, "kind", TEXT, "kind of problem, in the words of the catalogue", NULL)                  \
    F(ID, "id", INT, "SuiteSparse id; missing when not catalogued", NULL)                          \
    F(ROWS, "rows", INT, "rows", NULL)                                                             \
    F(COLS, "cols", INT, "columns", NULL)                                                          \
    F(NNZ, "nnz", INT, "entries, without explicit zeros", NULL)                                    \
    F(PATTERN_NNZ, "pattern_nnz", INT, "entries with explicit zeros", NULL)                        \
    F(DENSITY, "density", REAL, "nnz / (rows * cols)", NULL)                                       \
    F(SQUARE, "square", BOOL, "rows == cols", NULL)                                                \
    F(PATTERN_SYMMETRIC, "pattern_symmetric", BOOL, "symmetry == 1", NULL)                         \
    F(SYMMETRY, "symmetry", REAL, "pattern symmetry, 0 to 1", NULL)                                \
    F(NUMERICAL_SYMMETRY, "numerical_symmetry", REAL, "numerical symmetry, 0 to 1", NULL)          \
    F(REAL, "real", BOOL, "not complex", NULL)                                                     \
    F(BINARY, "binary", BOOL, "all values are 1, or there are none", NULL)                         \
    F(ND, "nd", BOOL, "comes from a 2D or 3D discretisation", NULL)                                \
    F(POSDEF, "posdef", BOOL, "symmetric positive definite", NULL)                                 \
    F(DUPLICATE, "duplicate", BOOL, "the kind starts with 'duplicate'", NULL)                      \
    F(PRESENT, "present", BOOL, "it can be loaded: a file or generated", NULL)                     \
    F(WHERE, "where", TEXT, "file, generated or absent", where_names)                              \
    F(LOCATION, "location", TEXT, "path of the file, or how it is generated", NULL)                \
    F(BYTES, "bytes", INT, "size of the file in bytes; missing when there is none", NULL)

#define AS_ENUM(id, name, kind, help, values) FIELD_##id,
enum { ENTRY_FIELDS(AS_ENUM) FIELD_COUNT };

#define AS_ROW(id, text, type, about, values)                                                      \
    {.name = text, .kind = RC_VALUE_##type, .help = about, .names = values},
const rc_field_t rc_entry_fields[] = {ENTRY_FIELDS(AS_ROW)};
_Static_assert((int)FIELD_COUNT == (int)RC_ENTRY_FIELDS, "fields of an entry");

static const char *text_of(const rc_entry_t *e, int field)
{
    switch (field) {
    case FIELD_NAME:
        return rc_entry_short_name(e);
    case FIELD_FULLNAME:
        return e->name;
    case FIELD_GROUP:
        return e->group;
    case FIELD_KIND:
        return e->kind;
    case FIELD_WHERE:
        return where_names[e->where];
    default:
        return e->location;
    }
}

static double real_of(const rc_entry_t *e, int field)
{
    switch (field) {
    case FIELD_DENSITY:
        return e->rows > 0 && e->cols > 0 && e->nnz >= 0
                   ? (double)e->nnz / ((double)e->rows * (double)e->cols)
                   : NAN;
    case FIELD_SYMMETRY:
        return e->pattern_symmetry;
    default:
        return e->numerical_symmetry;
    }
}

/* Negative: not known. */
static int64_t number_of(const rc_entry_t *e, int field)
{
    switch (field) {
    case FIELD_ID:
        return e->id > 0 ? e->id : -1;
    case FIELD_ROWS:
        return e->rows;
    case FIELD_COLS:
        return e->cols;
    case FIELD_NNZ:
        return e->nnz;
    case FIELD_PATTERN_NNZ:
        return e->pattern_nnz;
    case FIELD_SQUARE:
        return e->rows < 0 ? -1 : e->rows == e->cols;
    case FIELD_PATTERN_SYMMETRIC:
        return e->pattern_symmetry >= 0 ? e->pattern_symmetry >= 1 : -1;
    case FIELD_REAL:
        return e->real;
    case FIELD_BINARY:
        return e->binary;
    case FIELD_ND:
        return e->nd;
    case FIELD_POSDEF:
        return e->posdef;
    case FIELD_DUPLICATE:
        return strncasecmp(e->kind, "duplicate", strlen("duplicate")) == 0 ||
               strncasecmp(e->kind, RC_TWIN " duplicate", strlen(RC_TWIN " duplicate")) == 0;
    case FIELD_PRESENT:
        return e->where != RC_WHERE_ABSENT;
    default:
        return e->where == RC_WHERE_FILE ? e->bytes : -1;
    }
}

void rc_entry_get(const void *entry, int field, rc_value_t *out)
{
    *out = (rc_value_t){.kind = rc_entry_fields[field].kind};
    if (out->kind == RC_VALUE_TEXT)
        out->text = text_of(entry, field);
    else if (out->kind == RC_VALUE_REAL)
        out->r = real_of(entry, field);
    else {
        out->i = number_of(entry, field);
        if (out->i < 0)
            *out = (rc_value_t){.kind = RC_VALUE_REAL, .r = NAN};
    }
}

rc_status_t rc_entry_load(const rc_entry_t *e, rc_cache_t *cache, int threads,
    const rc_mtx_bound_t *bound, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    switch (e->where) {
    case RC_WHERE_FILE:
        if (cache)
            return rc_cache_read(cache, e->group, rc_entry_short_name(e), e->location, threads,
                bound, out, info, err);
        return rc_mtx_read_within(e->location, threads, bound, out, info, err);
    case RC_WHERE_GENERATED:
        if (info)
            memset(info, 0, sizeof *info);
        return rc_generate_within(e->location, threads, out, NULL, err);
    case RC_WHERE_ABSENT:
        break;
    }
    return rc_fail(err, RC_ENOENT, "%s is in the catalogue, but not in the collection", e->name);
}

int64_t rc_entry_load_bytes(const rc_entry_t *e)
{
    int64_t nnz = e->pattern_nnz > e->nnz ? e->pattern_nnz : e->nnz;
    if (e->rows < 0 || e->cols < 0 || nnz < 0)
        return 0;
    if (e->where != RC_WHERE_GENERATED)
        return rc_mtx_bytes(e->rows, nnz, nnz);
    /* pairs of which one side goes again are there at first */
    double pairs = e->rows == e->cols && e->pattern_symmetry < 1 ? 2 - e->pattern_symmetry : 1;
    double made = pairs * (double)nnz;
    return rc_generate_bytes(e->rows, made < 1e18 ? (int64_t)made : INT64_MAX);
}
