#include "config.h"
#include "io/mtx.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "io/number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The shortest of 15, 16 and 17 digits that reads back as x; 17 always do. */
static int format_value(char *buf, size_t size, double x, locale_t c)
{
    enum { fewest = 15, always = 17 };
    int n = 0;
    for (int digits = fewest; digits <= always; digits++) {
        double back;
        const char *after;
        n = snprintf(buf, size, "%.*g", digits, x);
        if (n < 0 || (rc_number_parse(buf, buf + n, c, &back, &after) == RC_NUMBER_OK && back == x))
            break;
    }
    return n;
}

static rc_status_t write_comment(FILE *f, const char *comment)
{
    for (const char *line = comment; line && *line;) {
        size_t n = strcspn(line, "\n");
        if (fprintf(f, "%% %.*s\n", (int)n, line) < 0)
            return RC_EIO;
        line += n + (line[n] == '\n');
    }
    return RC_OK;
}

static rc_status_t write_text(
    FILE *f, const rc_csr_t *a, const char *comment, locale_t c, rc_err_t *err)
{
    char value[40];
    if (fputs("%%MatrixMarket matrix coordinate real general\n", f) < 0 ||
        write_comment(f, comment) < 0 ||
        fprintf(f, "%" PRId64 " %" PRId64 " %" PRId64 "\n", a->rows, a->cols, a->nnz) < 0)
        return rc_fail_errno(err, RC_EIO, errno, "cannot write");
    for (int64_t row = 0; row < a->rows; row++) {
        for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
            if (!isfinite(a->val[k]))
                return rc_fail(err, RC_EINVAL,
                    "the value at (%" PRId64 ", %" PRId32
                    ") is not finite; Matrix Market cannot hold it",
                    row + 1, a->col_idx[k] + 1);
            if (format_value(value, sizeof value, a->val[k], c) < 0 ||
                fprintf(f, "%" PRId64 " %" PRId32 " %s\n", row + 1, a->col_idx[k] + 1, value) < 0)
                return rc_fail_errno(err, RC_EIO, errno, "cannot write");
        }
    }
    return RC_OK;
}

/* Create a new file beside `path`; its name is in *name. */
static rc_status_t create_beside(const char *path, rc_str_t *name, int *fd, rc_err_t *err)
{
    enum { tries = 100 };
    for (int i = 0; i < tries; i++) {
        name->len = 0;
        rc_str_addf(name, "%s.part-%ld-%d", path, (long)getpid(), i);
        if (name->failed)
            return rc_fail(err, RC_ENOMEM, "no memory for a file name");
        if (rc_open_file(name->text, RC_OPEN_NEW, 0666, fd, NULL) == RC_OK || errno != EEXIST)
            break;
    }
    return *fd >= 0 ? RC_OK : rc_fail_errno(err, RC_EIO, errno, "cannot create a file beside it");
}

static rc_status_t write_beside(
    const char *path, const rc_csr_t *a, const char *comment, rc_str_t *name, rc_err_t *err)
{
    enum { buffer = 1 << 18 };
    int fd = -1;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return rc_fail(err, RC_EIO, "exists and is not a regular file");
    rc_status_t st = create_beside(path, name, &fd, err);
    if (st < 0) {
        name->len = 0; /* nothing to remove */
        return st;
    }
    FILE *f = fdopen(fd, "w");
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!f || c == (locale_t)0) {
        st = rc_fail(err, RC_ENOMEM, "no memory for a stream");
        if (f)
            fclose(f);
        else
            close(fd);
    } else {
        setvbuf(f, NULL, _IOFBF, buffer); /* a smaller buffer serves as well */
        locale_t before = uselocale(c);
        st = write_text(f, a, comment, c, err);
        uselocale(before);
        if (fclose(f) != 0 && st == RC_OK)
            st = rc_fail_errno(err, RC_EIO, errno, "cannot write");
        if (st == RC_OK && rename(name->text, path) != 0)
            st = rc_fail_errno(err, RC_EIO, errno, "cannot rename '%s' to it", name->text);
    }
    if (c != (locale_t)0)
        freelocale(c);
    return st;
}

rc_status_t rc_mtx_write(const char *path, const rc_csr_t *a, const char *comment, rc_err_t *err)
{
    static const char *const packed[] = {".gz", ".xz", ".zst"};
    rc_str_t name = {0};
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const char *dot = strrchr(path, '.');
        if (dot && strcmp(dot, packed[i]) == 0)
            return rc_fail(
                err, RC_ENOTSUP, "%s: only plain text can be written, not %s", path, dot);
    }
    rc_status_t st = write_beside(path, a, comment, &name, err);
    if (st < 0) {
        if (name.len)
            unlink(name.text);
        rc_err_context(err, "%s", path);
    }
    rc_str_free(&name);
    return st;
}
