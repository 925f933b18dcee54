#include "config.h"
#include "analysis/report/plot_old.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int is_ours(const char *name, const rc_drawn_t *drawn, int n)
{
    size_t length = strlen(name);
    for (int i = 0; i < n; i++)
        if (strncmp(drawn[i].folder, name, length) == 0 &&
            strcmp(drawn[i].folder + length, "/") == 0)
            return 1;
    return 0;
}

/* What is no file of a figure stays, and its folder with it. */
static rc_status_t clear(int parent, const char *name, rc_err_t *err)
{
    static const char *const ending[] = {"csv", "svg", "pdf"};
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0)
        return RC_OK; /* no folder */
    int failed = 0;
    for (int i = 0; rc_plots[i]; i++)
        for (size_t k = 0; k < sizeof ending / sizeof *ending; k++) {
            char file[96];
            snprintf(file, sizeof file, "%s.%s", rc_plots[i]->name, ending[k]);
            if (unlinkat(folder, file, 0) != 0 && errno != ENOENT)
                failed = errno;
        }
    close(folder);
    if (failed)
        return rc_fail_errno(err, RC_EIO, failed, "cannot remove old figures from '%s'", name);
    unlinkat(parent, name, AT_REMOVEDIR); /* succeeds only when it is empty */
    return RC_OK;
}

rc_status_t rc_plot_remove_old(const char *figures, const rc_drawn_t *drawn, int n, rc_err_t *err)
{
    DIR *d = opendir(figures);
    if (!d)
        return rc_fail_errno(err, RC_EIO, errno, "cannot read the folder '%s'", figures);
    rc_status_t st = RC_OK;
    for (const struct dirent *e = readdir(d); e && st == RC_OK; e = readdir(d))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            !is_ours(e->d_name, drawn, n))
            st = clear(dirfd(d), e->d_name, err);
    closedir(d);
    return st;
}
