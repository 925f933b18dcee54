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

static void missing(rc_value_t *out)
{
    out->kind = RC_VALUE_REAL;
    out->r = NAN;
}

/* Negative: not known. */
static void known(rc_value_t *out, int64_t value)
{
    if (value < 0)
        missing(out);
    else
        out->i = value;
}

static const char *where_name(rc_where_t where)
{
    return where == RC_WHERE_FILE ? "file" : where == RC_WHERE_GENERATED ? "generated" : "absent";
}

void rc_entry_get(const void *entry, int field, rc_value_t *out)
{
    const rc_entry_t *e = entry;
    *out = (rc_value_t){.kind = rc_entry_fields[field].kind};
    switch (field) {
    case FIELD_NAME:
        out->text = rc_entry_short_name(e);
        break;
    case FIELD_FULLNAME:
        out->text = e->name;
        break;
    case FIELD_GROUP:
        out->text = e->group;
        break;
    case FIELD_KIND:
        out->text = e->kind;
        break;
    case FIELD_ID:
        known(out, e->id > 0 ? e->id : -1);
        break;
    case FIELD_ROWS:
        known(out, e->rows);
        break;
    case FIELD_COLS:
        known(out, e->cols);
        break;
    case FIELD_NNZ:
        known(out, e->nnz);
        break;
    case FIELD_PATTERN_NNZ:
        known(out, e->pattern_nnz);
        break;
    case FIELD_DENSITY:
        if (e->rows > 0 && e->cols > 0 && e->nnz >= 0)
            out->r = (double)e->nnz / ((double)e->rows * (double)e->cols);
        else
            missing(out);
        break;
    case FIELD_SQUARE:
        known(out, e->rows < 0 ? -1 : e->rows == e->cols);
        break;
    case FIELD_SYMMETRY:
        out->r = e->pattern_symmetry;
        break;
    case FIELD_NUMERICAL_SYMMETRY:
        out->r = e->numerical_symmetry;
        break;
    case FIELD_REAL:
        known(out, e->real);
        break;
    case FIELD_BINARY:
        known(out, e->binary);
        break;
    case FIELD_ND:
        known(out, e->nd);
        break;
    case FIELD_POSDEF:
        known(out, e->posdef);
        break;
    case FIELD_DUPLICATE:
        out->i = strncasecmp(e->kind, "duplicate", strlen("duplicate")) == 0;
        break;
    case FIELD_PRESENT:
        out->i = e->where != RC_WHERE_ABSENT;
        break;
    case FIELD_WHERE:
        out->text = where_name(e->where);
        break;
    case FIELD_LOCATION:
        out->text = e->location;
        break;
    case FIELD_BYTES:
        known(out, e->where == RC_WHERE_FILE ? e->bytes : -1);
        break;
    default:
        missing(out);
        break;
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
