/** \file catalog/catalog.h  Which matrices there are: the SuiteSparse index, local collections, the
 *  built-in set, and the selection of a run.  All local. */
#ifndef RC_CATALOG_CATALOG_H
#define RC_CATALOG_CATALOG_H

#include "base/expr.h"
#include "io/cache.h"
#include "rowcast.h"

/** Where the matrix of an entry is. */
typedef enum rc_where {
    RC_WHERE_FILE = 0,      /**< `location` is a file of the collection */
    RC_WHERE_GENERATED = 1, /**< `location` is a generator spec (sparse/generate.h) */
    RC_WHERE_ABSENT = 2     /**< in the catalogue, not in the collection */
} rc_where_t;

/** One matrix that a run may use. */
typedef struct rc_entry {
    char *name;     /**< "Group/Name" */
    char *group;    /**< "HB" */
    char *kind;     /**< "structural problem"; "" when unknown */
    char *location; /**< path or generator spec; "" when absent */
    rc_where_t where;
    int64_t id;   /**< SuiteSparse id (1-based line of the index), 0 when not catalogued */
    int64_t rows; /**< -1 when not known */
    int64_t cols;
    int64_t nnz;         /**< as the catalogue counts it (without explicit zeros), or an estimate
                             from the header of the file; -1 when not known */
    int64_t pattern_nnz; /**< nnz plus explicit zeros; -1 when not known */
    int real;            /**< 1 real, 0 complex or binary, -1 unknown; likewise below */
    int binary;
    int nd; /**< comes from a 2D or 3D discretisation */
    int posdef;
    double pattern_symmetry;   /**< 0..1, NaN unknown */
    double numerical_symmetry; /**< 0..1, NaN unknown */
    int64_t bytes;             /**< of the file; 0 when generated or absent */
    int64_t mtime_ns;          /**< of the file; generator version when generated; 0 when absent */
} rc_entry_t;

/** A list of entries, sorted by (group, name) in byte order, names unique. */
typedef struct rc_catalog {
    rc_entry_t *entry;
    int64_t count;
    size_t capacity;
    char revision[64]; /**< date line of the index; "" when none was read */
    char *passed;      /**< what a scan left out, with counts; NULL: nothing */
} rc_catalog_t;

/** Read the collection's own ssstats.csv (line 1: count, line 2: date, then Group, Name, nrows,
 *  ncols, nnz, isReal, isBinary, isND, posdef, pattern_symmetry, numerical_symmetry, kind,
 *  pattern_entries).  Every entry is RC_WHERE_ABSENT.
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_EFORMAT (file, line, expected, found), RC_ENOMEM */
rc_status_t rc_catalog_read(const char *csv, rc_catalog_t *out, rc_err_t *err);

/** Find the matrices of DIR/<Group>/<Name>.mtx[.zst|.gz|.xz|.bz2], of rc_mtx_tar_endings, .npz,
 *  .mat and .spec, of DIR/<Group>/<Name>/<Name>.mtx and its like, which archives unpack to, and of
 *  DIR/<Name>.mtx and its like, whose group is the name of DIR.  With a catalogue, its entries get
 *  their files, and files that it does not list are added; without one (index NULL) the entries
 *  come from the files, shapes from their headers.  When a matrix is there in several forms the
 *  first of .mtx, .mtx.zst, .mtx.gz, .mtx.xz, .mtx.bz2, tar files, unpacked ones, .npz, .mat, .spec
 *  is taken; the first line of the last is the spec of a generator, and the matrix is made where it
 *  is loaded.  A header that cannot be read leaves rows, cols and nnz at -1: the sweep will report
 *  it.
 *  \return RC_OK, RC_ENOENT (no such directory), RC_EIO, RC_ENOMEM */
rc_status_t rc_catalog_scan(
    const char *dir, const rc_catalog_t *index, rc_catalog_t *out, rc_err_t *err);

/** The same of several places: folders, and files, whatever their names end in.  A file has the
 *  name that it has in a scan of its folder, or of the folder above what an archive unpacked to.
 *  \return as rc_catalog_scan; RC_EINVAL: two files have one name */
rc_status_t rc_catalog_scan_all(const char *const *place, int places, const rc_catalog_t *index,
    rc_catalog_t *out, rc_err_t *err);

/** The built-in default set, group "builtin". */
rc_status_t rc_catalog_builtin(rc_catalog_t *out, rc_err_t *err);

/** What group and kind of a twin begin with. */
#define RC_TWIN "twin:"

/** A generated twin of every entry of a catalogue: its rows, columns, entries (explicit zeros
 *  included) and pattern symmetry, from the generator that fits its kind, numbered as its kind is
 *  (README.md of sparse/generate).  "HB/ash85" has the twin "twin:HB/ash85" of kind "twin: least
 *  squares problem" without an id; its location is the spec of a generator, so that nothing is made
 *  here.  Values are random: none is symmetric or positive definite.
 *  \return RC_OK, RC_ENOMEM.  Cost about 2 us an entry. */
rc_status_t rc_catalog_twins(const rc_catalog_t *index, rc_catalog_t *out, rc_err_t *err);

/** The entry "Group/Name"; NULL when there is none. */
const rc_entry_t *rc_catalog_find(const rc_catalog_t *c, const char *name);

/** Keep the entries that match (NULL: all), then the first `limit` (negative: all). */
void rc_catalog_select(rc_catalog_t *c, const rc_expr_t *where, int64_t limit);

/** Keep the first entries, as many as it takes for `limit` of them to be there: absent ones do not
 *  count. */
void rc_catalog_limit(rc_catalog_t *c, int64_t limit);

/** Keep slice `index` (1 to count) of `count`: the entries whose name's digest says so, so that an
 *  entry stays in its slice when others come and go.  The slices are disjoint and are
 *  everything. */
void rc_catalog_slice(rc_catalog_t *c, int64_t index, int64_t count);

void rc_catalog_free(rc_catalog_t *c);

/** The fields that an expression over entries may name; see rc_entry_get. */
extern const rc_field_t rc_entry_fields[];
enum { RC_ENTRY_FIELDS = 23 };

/** rc_field_get_fn of an rc_entry_t. */
void rc_entry_get(const void *entry, int field, rc_value_t *out);

/** Load the matrix of an entry (reads the file or runs the generator).
 *  \param[in]  cache  of files that were read before; NULL: none.  Generated matrices are not
 *      cached
 *  \param[in]  bound  of memory for reading a file, as rc_mtx_read_within takes it; may be NULL
 *  \param[out] info   may be NULL; zeroed for generated matrices
 *  \return RC_OK, RC_ENOENT when absent, else as rc_mtx_read and rc_generate */
rc_status_t rc_entry_load(const rc_entry_t *e, rc_cache_t *cache, int threads,
    const rc_mtx_bound_t *bound, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err);

/** Bytes of host memory that loading the entry takes at its peak; 0 when its shape is unknown. */
int64_t rc_entry_load_bytes(const rc_entry_t *e);

#endif
