#include "config.h"
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

_Noreturn void fuzz_broken(const char *file, int line, const char *what)
{
    printf("# %s:%d: property broken: %s\n", file, line, what);
    fflush(stdout);
    abort();
}

static char scratch[FUZZ_PATH / 2];

static void remove_inside(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[FUZZ_PATH * 2];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (unlink(path) != 0) {
            remove_inside(path);
            (void)rmdir(path);
        }
    }
    if (d)
        closedir(d);
}

static void remove_scratch(void)
{
    remove_inside(scratch);
    (void)rmdir(scratch);
}

void fuzz_path(const char *name, char path[FUZZ_PATH])
{
    if (!scratch[0]) {
        /* in memory: a target writes a file for every input */
        const char *where = getenv("TMPDIR");
        if (!where)
            where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
        FUZZ_CHECK(snprintf(scratch, sizeof scratch, "%s/rowcast-fuzz.XXXXXX", where) <
                   (int)sizeof scratch);
        FUZZ_CHECK(mkdtemp(scratch) != NULL);
        FUZZ_CHECK(atexit(remove_scratch) == 0);
    }
    FUZZ_CHECK(snprintf(path, FUZZ_PATH, "%s/%s", scratch, name) < FUZZ_PATH);
}

void fuzz_write(const char *path, const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_CHECK(fd >= 0);
    FUZZ_CHECK(size == 0 || write(fd, data, size) == (ssize_t)size);
    FUZZ_CHECK(close(fd) == 0);
}

void fuzz_write_gzip(const char *path, const void *data, size_t size)
{
    enum { as_gzip = 16 };
    z_stream z = {0};
    FUZZ_CHECK(deflateInit2(&z, 1, Z_DEFLATED, MAX_WBITS + as_gzip, MAX_MEM_LEVEL,
                   Z_DEFAULT_STRATEGY) == Z_OK);
    uLong bound = deflateBound(&z, (uLong)size);
    unsigned char *packed = malloc(bound);
    FUZZ_CHECK(packed != NULL);
    z.next_in = (Bytef *)(uintptr_t)data;
    z.avail_in = (uInt)size;
    z.next_out = packed;
    z.avail_out = (uInt)bound;
    FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
    fuzz_write(path, packed, z.total_out);
    (void)deflateEnd(&z);
    free(packed);
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
