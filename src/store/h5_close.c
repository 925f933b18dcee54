#include "config.h"
#include "store/commit.h"
#include "store/h5_private.h"

static herr_t close_any(hid_t id)
{
    switch (H5Iget_type(id)) {
    case H5I_ATTR:
        return H5Aclose(id);
    case H5I_DATASET:
        return H5Dclose(id);
    case H5I_DATASPACE:
        return H5Sclose(id);
    case H5I_DATATYPE:
        return H5Tclose(id);
    case H5I_GENPROP_LST:
        return H5Pclose(id);
    case H5I_GROUP:
        return H5Gclose(id);
    default:
        return -1;
    }
}

int rc_h5_drop(hid_t id)
{
    if (id < 0)
        return 1;
    /* each call of HDF5 forgets why the one before it failed */
    hid_t why = H5Eget_num(H5E_DEFAULT) > 0 ? H5Eget_current_stack() : -1;
    int ok = close_any(id) >= 0;
    if (why >= 0 && ok)
        (void)H5Eset_current_stack(why); /* which closes it */
    else if (why >= 0)
        (void)H5Eclose_stack(why);
    return ok;
}

hid_t rc_h5_kept(hid_t id, int ok)
{
    if (!ok)
        (void)rc_h5_drop(id);
    return ok ? id : -1;
}

int rc_h5_drop_all(int ok, const hid_t *id, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ok = rc_h5_drop(id[i]) && ok;
    return ok;
}

rc_status_t rc_h5_dropped(
    rc_status_t st, hid_t id, const char *path, const char *what, rc_err_t *err)
{
    return rc_h5_drop(id) || st < 0 ? st : rc_h5_fail(err, path, what);
}

rc_status_t rc_h5_end(hid_t file, const char *path, rc_err_t *err)
{
    return H5Fclose(file) < 0 ? rc_h5_fail(err, path, "cannot close the store") : RC_OK;
}

int rc_store_can_finish(void)
{
    /* HDF5 1.10 frees a file that it fails to close, keeps its id, and crashes over it at its end
     */
    return H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE) <= 0;
}
