#include "config.h"
#include "store/h5_private.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Let what is still written to a file that is open here, however it was opened, go to memory that
 * nobody reads. */
static void detach(const char *path)
{
#ifdef MFD_CLOEXEC
    struct stat target;
    struct stat s;
    int fd = memfd_create("rowcast", MFD_CLOEXEC);
    if (fd >= 0 && stat(path, &target) == 0)
        for (long i = sysconf(_SC_OPEN_MAX) < 4096 ? sysconf(_SC_OPEN_MAX) - 1 : 4095; i > 2; i--)
            if (i != fd && fstat((int)i, &s) == 0 && s.st_dev == target.st_dev &&
                s.st_ino == target.st_ino)
                (void)dup3(fd, (int)i, O_CLOEXEC);
    if (fd >= 0)
        close(fd);
#else
    (void)path;
#endif
}

rc_status_t rc_h5_end(hid_t file, const char *path, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    /* HDF5 1.10 frees a file that it fails to close, keeps its id, and crashes over it at its end:
     * so what may fail is done before, and where it does, the rest must not */
    if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) {
        st = rc_h5_fail(err, path, "cannot write the store");
        detach(path);
    }
    if (H5Fclose(file) < 0 && st == RC_OK)
        st = rc_h5_fail(err, path, "cannot close the store");
    return st;
}
