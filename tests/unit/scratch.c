#include "config.h"
#include "unit.h"
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int scratch_setup(void **state)
{
    const char *tmp = getenv("TMPDIR");
    char *path = malloc(SCRATCH_PATH);
    if (!path)
        return -1;
    int n = snprintf(path, SCRATCH_PATH, "%s/rowcast-test-XXXXXX", tmp ? tmp : "/tmp");
    if (n < 0 || n >= SCRATCH_PATH / 2 || !mkdtemp(path)) {
        free(path);
        return -1;
    }
    *state = path;
    return 0;
}

static int remove_one(const char *path, const struct stat *info, int flag, struct FTW *ftw)
{
    (void)info;
    (void)flag;
    (void)ftw;
    return remove(path);
}

int scratch_teardown(void **state)
{
    int code = nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return code;
}

void scratch_path(void **state, const char *name, char path[SCRATCH_PATH])
{
    int n = snprintf(path, SCRATCH_PATH, "%s/%s", (const char *)*state, name);
    assert_in_range(n, 1, SCRATCH_PATH - 1);
}

void scratch_write(const char *path, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, bytes, f), bytes);
    assert_int_equal(fclose(f), 0);
}

int shared_path(const char *name, char path[SCRATCH_PATH])
{
    const char *shared = getenv("ROWCAST_SHARED");
    const char *top = getenv("top_srcdir");
    int n = snprintf(path, SCRATCH_PATH, "%s%s/%s",
        shared ? shared
        : top  ? top
               : ".",
        shared ? "" : "/../shared", name);
    return n > 0 && n < SCRATCH_PATH && access(path, R_OK) == 0;
}
