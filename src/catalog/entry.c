#include "config.h"
#include "catalog/list.h"

#include "base/error.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* One line per field: identifier, name, kind, help. */
#define ENTRY_FIELDS(F)                                                                            \
    F(NAME, "name", TEXT, "name of the matrix without its group: 1138_bus")                        \
    F(FULLNAME, "fullname", TEXT, "group and name: HB/1138_bus")                                   \
    F(GROUP, "group", TEXT, "group of the collection: HB")                                         \
    F(KIND, "kind", TEXT, "kind of problem, in the words of the catalogue")                        \
    F(ID, "id", INT, "SuiteSparse id; missing when not catalogued")                                \
    F(ROWS, "rows", INT, "rows")                                                                   \
    F(COLS, "cols", INT, "columns")                                                                \
    F(NNZ, "nnz", INT, "entries, without explicit zeros")                                          \
    F(PATTERN_NNZ, "pattern_nnz", INT, "entries with explicit zeros")                              \
    F(DENSITY, "density", REAL, "nnz / (rows * cols)")                                             \
    F(SQUARE, "square", BOOL, "rows == cols")                                                      \
    F(SYMMETRY, "symmetry", REAL, "pattern symmetry, 0 to 1")                                      \
    F(NUMERICAL_SYMMETRY, "numerical_symmetry", REAL, "numerical symmetry, 0 to 1")                \
    F(REAL, "real", BOOL, "not complex")                                                           \
    F(BINARY, "binary", BOOL, "all values are 1, or there are none")                               \
    F(ND, "nd", BOOL, "comes from a 2D or 3D discretisation")                                      \
    F(POSDEF, "posdef", BOOL, "symmetric positive definite")                                       \
    F(DUPLICATE, "duplicate", BOOL, "the kind starts with 'duplicate'")                            \
    F(PRESENT, "present", BOOL, "it can be loaded: a file or generated")                           \
    F(WHERE, "where", TEXT, "file, generated or absent")                                           \
    F(LOCATION, "location", TEXT, "path of the file, or how it is generated")                      \
    F(BYTES, "bytes", INT, "size of the file in bytes; missing when there is none")

#define AS_ENUM(id, name, kind, help) FIELD_##id,
enum { ENTRY_FIELDS(AS_ENUM) FIELD_COUNT };

#define AS_ROW(id, text, type, about) {.name = text, .kind = RC_VALUE_##type, .help = about},
const rc_field_t rc_entry_fields[] = {ENTRY_FIELDS(AS_ROW)};
_Static_assert((int)FIELD_COUNT == (int)RC_ENTRY_FIELDS, "fields of an entry");

static const char *where_name(rc_where_t where)
{
    return where == RC_WHERE_FILE ? "file" : where == RC_WHERE_GENERATED ? "generated" : "absent";
}

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
        return where_name(e->where);
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
    case FIELD_REAL:
        return e->real;
    case FIELD_BINARY:
        return e->binary;
    case FIELD_ND:
        return e->nd;
    case FIELD_POSDEF:
        return e->posdef;
    case FIELD_DUPLICATE:
        return strncasecmp(e->kind, "duplicate", strlen("duplicate")) == 0;
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

rc_status_t rc_entry_load(const rc_entry_t *e, rc_cache_t *cache, int threads, rc_csr_t *out,
    rc_mtx_info_t *info, rc_err_t *err)
{
    switch (e->where) {
    case RC_WHERE_FILE:
        if (cache)
            return rc_cache_read(
                cache, e->group, rc_entry_short_name(e), e->location, threads, out, info, err);
        return rc_mtx_read(e->location, threads, out, info, err);
    case RC_WHERE_GENERATED:
        if (info)
            memset(info, 0, sizeof *info);
        return rc_generate(e->location, out, NULL, err);
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
    /* beside the matrix: two sets of triples bound what the reader and the builder keep */
    const int64_t per_entry = 2 * (int64_t)sizeof(rc_triple_t);
    if (e->rows > INT64_MAX / 256 || nnz > INT64_MAX / 256)
        return INT64_MAX;
    return rc_csr_bytes(e->rows, nnz) + nnz * per_entry;
}
