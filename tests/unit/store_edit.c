#include "config.h"
#include "unit.h"
#include "store_edit.h"

#include "scratch.h"
#include "store/h5.h"
#include "table/view.h"
#include "store_fixture.h"

#include <stdlib.h>
#include <string.h>

void store_edit(const char *store, const rc_schema_table_t *t, int64_t row, size_t offset,
    const void *data, size_t bytes)
{
    rc_h5_t h;
    void *rows;
    int64_t n;
    assert_int_equal(rc_h5_open(store, 1, &h, NULL), RC_OK);
    assert_int_equal(rc_h5_read(&h, t, &rows, &n, NULL), RC_OK);
    assert_in_range(row, 0, n - 1);
    memcpy((char *)rows + (size_t)row * t->row_bytes + offset, data, bytes);
    assert_int_equal(rc_h5_replace(&h, t, rows, n, NULL), RC_OK);
    free(rows);
    assert_int_equal(rc_h5_close(&h, NULL), RC_OK);
}

void store_set_root(const char *store, const char *name, int32_t value)
{
    hid_t f = H5Fopen(store, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t a = H5Aopen(f, name, H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_INT32, &value) >= 0);
    H5Aclose(a);
    H5Fclose(f);
}

void store_set_sample(const char *store, int64_t at, int64_t ns)
{
    hsize_t first = (hsize_t)at;
    hsize_t one = 1;
    hid_t f = H5Fopen(store, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t d = H5Dopen2(f, RC_SAMPLES_PATH, H5P_DEFAULT);
    hid_t file = H5Dget_space(d);
    hid_t mem = H5Screate_simple(1, &one, NULL);
    assert_true(H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &one, NULL) >= 0);
    assert_true(H5Dwrite(d, H5T_NATIVE_INT64, mem, file, H5P_DEFAULT, &ns) >= 0);
    H5Sclose(mem);
    H5Sclose(file);
    H5Dclose(d);
    H5Fclose(f);
}

int64_t store_timed_row(const char *store, int64_t reps, int64_t *offset)
{
    rc_view_t *v = NULL;
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    int64_t i = 0;
    while (i < rc_view_count(v) && rc_view_result(v, i)->reps < reps)
        i++;
    assert_true(i < rc_view_count(v));
    *offset = rc_view_result(v, i)->sample_offset;
    rc_view_free(v);
    return i;
}

void store_copy(const char *from, const char *to)
{
    size_t n;
    unsigned char *data = slurp(from, &n);
    scratch_write(to, data, n);
    free(data);
}
