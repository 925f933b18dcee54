#include "config.h"
#include "store/h5_private.h"
#include "base/alloc.h"
#include "base/error.h"
#include "store/comm.h"

#include <stdlib.h>

/* Write n rows at `first` of a dataset of rank 1 or 2 that has been extended already. */
static rc_status_t write_rows(const rc_h5_t *h, const char *path, hid_t d, hid_t type, int columns,
    const void *rows, int64_t first, int64_t n, rc_err_t *err)
{
    hsize_t at[2] = {(hsize_t)first, 0};
    hsize_t count[2] = {(hsize_t)n, (hsize_t)columns};
    hsize_t none[2] = {1, (hsize_t)(columns ? columns : 1)};
    int rank = columns > 0 ? 2 : 1;
    hid_t file = H5Dget_space(d);
    hid_t mem = H5Screate_simple(rank, n ? count : none, NULL);
    int ok = file >= 0 && mem >= 0;
    if (ok && n)
        ok = H5Sselect_hyperslab(file, H5S_SELECT_SET, at, NULL, count, NULL) >= 0;
    else if (ok)
        ok = H5Sselect_none(file) >= 0 && H5Sselect_none(mem) >= 0;
    int64_t nothing = 0;
    ok = ok && H5Dwrite(d, type, mem, file, H5P_DEFAULT, n ? rows : &nothing) >= 0;
    ok = RC_H5_DROP(ok, mem, file);
    return ok ? RC_OK : rc_h5_fail(err, h->path, path);
}

static int grow(hid_t d, int64_t rows, int columns)
{
    hsize_t dims[2] = {(hsize_t)rows, (hsize_t)columns};
    return H5Dset_extent(d, dims) >= 0;
}

/* Rows per message to rank 0, and per write of zeros. */
static int64_t piece_rows(size_t row_bytes)
{
    enum { piece_bytes = 16 << 20 };
    return (int64_t)(piece_bytes / row_bytes) + 1;
}

rc_status_t rc_h5_reserve_rows(const rc_h5_t *h, const char *path, hid_t type, int columns,
    size_t row_bytes, int64_t n, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (n == 0)
        return RC_OK;
    int64_t piece = piece_rows(row_bytes) < n ? piece_rows(row_bytes) : n;
    void *zeros = rc_alloc0((size_t)piece, row_bytes, "room for rows", err);
    RC_PASS(zeros ? RC_OK : RC_ENOMEM);
    hid_t d = H5Dopen2(h->file, path, H5P_DEFAULT);
    int64_t base = d < 0 ? -1 : rc_h5_extent(d);
    if (base < 0 || !grow(d, base + n, columns))
        st = rc_h5_fail(err, h->path, path);
    for (int64_t i = 0; st == RC_OK && i < n; i += piece)
        st = write_rows(
            h, path, d, type, columns, zeros, base + i, n - i < piece ? n - i : piece, err);
    /* part of it is only written now */
    st = rc_h5_dropped(st, d, h->path, path, err);
    free(zeros);
    return st;
}

rc_status_t rc_h5_reserve(const rc_h5_t *h, const rc_schema_table_t *t, int64_t n, rc_err_t *err)
{
    hid_t type = rc_h5_row_type(t);
    if (type < 0)
        return rc_h5_fail(err, h->path, t->path);
    rc_status_t st = rc_h5_reserve_rows(h, t->path, type, 0, t->row_bytes, n, err);
    return rc_h5_dropped(st, type, h->path, t->path, err);
}

rc_status_t rc_h5_reserve_samples(const rc_h5_t *h, int64_t n, rc_err_t *err)
{
    return rc_h5_reserve_rows(h, RC_SAMPLES_PATH, H5T_NATIVE_INT64, 0, sizeof(int64_t), n, err);
}

/* Rows of this rank on their way behind those of the ranks before it. */
typedef struct append {
    const rc_h5_t *h;
    const char *path;
    hid_t type;
    int columns;
    size_t row_bytes;
    const void *rows; /* [n] */
    int64_t n;
    int64_t total;   /* of all ranks */
    int64_t before;  /* of the ranks before this one */
    int64_t base;    /* first new row of the dataset */
    int64_t *counts; /* rank 0: [ranks] rows of each */
    void *buffer;    /* serial HDF5, rank 0: rows of another rank */
    hid_t d;         /* -1 on ranks without the file */
} append_t;

/* Serial HDF5: rank 0 takes the rows of the others in rank order, in pieces of bounded size.
 * Everything is received even after a failure: a sender must not be left hanging. */
static rc_status_t gather_rows(const append_t *a, rc_err_t *err)
{
    enum { tag = 77 };
    const rc_h5_t *h = a->h;
    int64_t piece = piece_rows(a->row_bytes);
    rc_status_t st = RC_OK;
    if (h->rank != 0) {
        for (int64_t i = 0; i < a->n; i += piece) {
            int64_t m = a->n - i < piece ? a->n - i : piece;
            if (MPI_Send((const char *)a->rows + (size_t)i * a->row_bytes,
                    (int)((size_t)m * a->row_bytes), MPI_BYTE, 0, tag, h->comm) != MPI_SUCCESS)
                st = rc_fail(err, RC_EMPI, "%s: %s: cannot send rows to rank 0", h->path, a->path);
        }
        return st;
    }
    int64_t at = a->base;
    st = write_rows(h, a->path, a->d, a->type, a->columns, a->rows, at, a->n, err);
    at += a->n;
    for (int r = 1; r < h->size; r++)
        for (int64_t i = 0; i < a->counts[r]; i += piece) {
            int64_t m = a->counts[r] - i < piece ? a->counts[r] - i : piece;
            if (MPI_Recv(a->buffer, (int)((size_t)m * a->row_bytes), MPI_BYTE, r, tag, h->comm,
                    MPI_STATUS_IGNORE) != MPI_SUCCESS)
                st = rc_fail(err, RC_EMPI, "%s: %s: cannot receive rows", h->path, a->path);
            if (st == RC_OK)
                st = write_rows(h, a->path, a->d, a->type, a->columns, a->buffer, at, m, err);
            at += m;
        }
    return st;
}

/* The row behind those that are there already; -1 with the error of HDF5. */
static int64_t first_new(const rc_h5_t *h, hid_t d, int64_t total, int columns)
{
    int64_t extent = d < 0 ? -1 : rc_h5_extent(d);
    if (extent < 0 || h->reserved)
        return extent < total ? -1 : extent - total;
    return total && !grow(d, extent + total, columns) ? -1 : extent;
}

static rc_status_t agree(const rc_h5_t *h, rc_status_t st)
{
    return rc_comm_agree(h->comm, st);
}

/* How many rows there are, and which of them are this rank's.  Collective. */
static rc_status_t count_rows(append_t *a, rc_err_t *err)
{
    const rc_h5_t *h = a->h;
    a->total = a->n;
    if (h->comm == MPI_COMM_NULL)
        return RC_OK;
    MPI_Exscan(&a->n, &a->before, 1, MPI_INT64_T, MPI_SUM, h->comm);
    if (h->rank == 0)
        a->before = 0;
    MPI_Allreduce(&a->n, &a->total, 1, MPI_INT64_T, MPI_SUM, h->comm);
    a->counts = rc_alloc((size_t)h->size, sizeof *a->counts, "row counts", err);
    if (agree(h, a->counts ? RC_OK : RC_ENOMEM) < 0)
        return RC_ENOMEM;
    MPI_Gather(&a->n, 1, MPI_INT64_T, a->counts, 1, MPI_INT64_T, 0, h->comm);
    return RC_OK;
}

/* Open the dataset, and find where the new rows go.  Collective. */
static rc_status_t open_rows(append_t *a, rc_err_t *err)
{
    const rc_h5_t *h = a->h;
    rc_status_t st = RC_OK;
    if (h->file >= 0) {
        a->d = H5Dopen2(h->file, a->path, H5P_DEFAULT);
        a->base = first_new(h, a->d, a->total, a->columns);
        if (a->base < 0)
            st = rc_h5_fail(err, h->path, a->path);
    }
    if (st == RC_OK && h->comm != MPI_COMM_NULL && !h->parallel && h->rank == 0) {
        a->buffer =
            rc_alloc((size_t)piece_rows(a->row_bytes), a->row_bytes, "rows of another rank", err);
        if (!a->buffer)
            st = RC_ENOMEM;
    }
    if (agree(h, st) < 0) {
        if (st == RC_OK)
            rc_fail(err, RC_ESTORE, "%s: %s: another rank failed", h->path, a->path);
        return RC_ESTORE;
    }
    if (h->comm != MPI_COMM_NULL)
        MPI_Bcast(&a->base, 1, MPI_INT64_T, 0, h->comm);
    return RC_OK;
}

rc_status_t rc_h5_append_rows(const rc_h5_t *h, const char *path, hid_t type, int columns,
    size_t row_bytes, const void *rows, int64_t n, int64_t *first, rc_err_t *err)
{
    append_t a = {.h = h,
        .path = path,
        .type = type,
        .columns = columns,
        .row_bytes = row_bytes,
        .rows = rows,
        .n = n,
        .d = -1};
    rc_status_t st;
    RC_TRY(count_rows(&a, err));
    /* to open what has nothing yet allocates, see rc_h5_reserve */
    if (a.total == 0 && h->reserved)
        goto done;
    RC_TRY(open_rows(&a, err));
    /* Each rank by itself, into the room that is there: a collective write that fails on one rank,
     * as on a full disk, leaves the others of ROMIO waiting in it for ever. */
    if (a.total > 0)
        st = h->comm != MPI_COMM_NULL && !h->parallel
                 ? gather_rows(&a, err)
                 : write_rows(h, path, a.d, type, columns, rows, a.base + a.before, n, err);
    /* part of it is only written now */
    st = rc_h5_dropped(st, a.d, h->path, path, err);
    a.d = -1;
    if (agree(h, st) < 0 && st == RC_OK)
        st = rc_fail(err, RC_ESTORE, "%s: %s: another rank failed", h->path, path);
done:
    if (first)
        *first = a.base + a.before;
    rc_contents_add(h->contents, RC_CONTENTS_ROWS, path, a.base + a.before, rows, n, row_bytes);
    st = rc_h5_dropped(st, a.d, h->path, path, err);
    free(a.buffer);
    free(a.counts);
    return st;
}

rc_status_t rc_h5_append(const rc_h5_t *h, const rc_schema_table_t *t, const void *rows, int64_t n,
    int64_t *first, rc_err_t *err)
{
    hid_t type = rc_h5_row_type(t);
    if (agree(h, type < 0 ? RC_ESTORE : RC_OK) < 0)
        return rc_h5_fail(err, h->path, t->path);
    rc_status_t st = rc_h5_append_rows(h, t->path, type, 0, t->row_bytes, rows, n, first, err);
    return rc_h5_dropped(st, type, h->path, t->path, err);
}

rc_status_t rc_h5_append_samples(
    const rc_h5_t *h, const int64_t *ns, int64_t n, int64_t *first, rc_err_t *err)
{
    return rc_h5_append_rows(
        h, RC_SAMPLES_PATH, H5T_NATIVE_INT64, 0, sizeof *ns, ns, n, first, err);
}
