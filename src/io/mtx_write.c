#include "config.h"
#include "io/mtx.h"
#include "base/error.h"
#include "base/replace.h"
#include "io/number.h"
#include "sparse/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* In the locale C, whatever the program's is. */
static rc_status_t write_in_c(FILE *f, const rc_csr_t *a, const char *comment, rc_err_t *err)
{
    enum { buffer = 1 << 18 };
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return rc_fail(err, RC_ENOMEM, "no memory for a locale");
    setvbuf(f, NULL, _IOFBF, buffer); /* a smaller buffer serves as well */
    locale_t before = uselocale(c);
    rc_status_t st = write_text(f, a, comment, c, err);
    uselocale(before);
    freelocale(c);
    return st;
}

rc_status_t rc_mtx_write(const char *path, const rc_csr_t *a, const char *comment, rc_err_t *err)
{
    static const char *const packed[] = {".gz", ".xz", ".zst"};
    rc_replace_t r = {0};
    if (!path)
        return rc_fail(err, RC_EINVAL, "path: expected a file name, found NULL");
    if (rc_csr_check(a, err) < 0)
        return RC_EINVAL;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const char *dot = strrchr(path, '.');
        if (dot && strcmp(dot, packed[i]) == 0)
            return rc_fail(
                err, RC_ENOTSUP, "%s: only plain text can be written, not %s", path, dot);
    }
    RC_PASS(rc_replace_begin(path, &r, err));
    rc_status_t st = write_in_c(r.file, a, comment, err);
    if (st < 0)
        rc_err_context(err, "%s", path);
    rc_status_t end = rc_replace_end(&r, st == RC_OK, st == RC_OK ? err : NULL);
    return st < 0 ? st : end;
}
