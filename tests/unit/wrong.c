#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "wrong.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---------------------------------------------------------------- processes */

enum { REFUSED = 10, ACCEPTED, WORDLESS, SECONDS = 60 };

static int child(wrong_fn *call, const void *with)
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* which cmocka would go on after */
    const struct rlimit none = {0, 0};
    rc_err_t err = {0};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        (void)signal(fatal[i], SIG_DFL);
    (void)setrlimit(RLIMIT_CORE, &none);
    alarm(SECONDS);
    if (!freopen("/dev/null", "w", stderr)) /* of a library that complains before it ends the process */
        return WORDLESS;
    rc_status_t st = call(with, &err);
    if (st >= 0)
        return ACCEPTED;
    return err.status == st && err.text[0] ? REFUSED : WORDLESS;
}

void wrong_call(wrong_t *n, const char *name, wrong_fn *call, const void *with)
{
    int status = 0;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(child(call, with));
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        perror("a child process");
        exit(1);
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    n->calls++;
    n->refused += code == REFUSED;
    n->accepted += code == ACCEPTED;
    n->wordless += code == WORDLESS;
    n->died += code < REFUSED || code > WORDLESS;
    if (name && code == ACCEPTED)
        printf("# accepted: %s\n", name);
    else if (name && code == WORDLESS)
        printf("# refused without a line of that status: %s\n", name);
    else if (name && code != REFUSED)
        printf("# died (%s %d): %s\n", WIFSIGNALED(status) ? "signal" : "exit",
            WIFSIGNALED(status) ? WTERMSIG(status) : code, name);
}

rc_status_t wrong_came_back(rc_err_t *err)
{
    err->status = RC_EINVAL;
    (void)snprintf(err->text, sizeof err->text, "it came back");
    return RC_EINVAL;
}

/* ----------------------------------------------------------------- matrices */

enum { ROWS = 12, EACH = 4, NNZ = ROWS * EACH, MIDDLE = NNZ / 2 + 1 };

enum part { FIELD_ROWS, FIELD_COLS, FIELD_NNZ, POINTER, COLUMN, NO_POINTERS, NO_COLUMNS, NO_VALUES, SWAPPED };

static const struct {
    const char *name;
    enum part part;
    int at;
    int64_t to;
} spoilt[] = {
    {"no row pointers", NO_POINTERS, 0, 0},
    {"no columns", NO_COLUMNS, 0, 0},
    {"no values", NO_VALUES, 0, 0},
    {"-1 rows", FIELD_ROWS, 0, -1},
    {"the least number of rows", FIELD_ROWS, 0, INT64_MIN},
    {"2^31 rows", FIELD_ROWS, 0, (int64_t)INT32_MAX + 1},
    {"the most rows", FIELD_ROWS, 0, INT64_MAX},
    {"a row too few", FIELD_ROWS, 0, ROWS - 1},
    {"no rows", FIELD_ROWS, 0, 0},
    {"-1 columns", FIELD_COLS, 0, -1},
    {"the least number of columns", FIELD_COLS, 0, INT64_MIN},
    {"2^31 columns", FIELD_COLS, 0, (int64_t)INT32_MAX + 1},
    {"2^32 + 12 columns", FIELD_COLS, 0, (INT64_C(1) << 32) + ROWS},
    {"a column too few", FIELD_COLS, 0, ROWS - 1},
    {"no columns at all", FIELD_COLS, 0, 0},
    {"-1 entries", FIELD_NNZ, 0, -1},
    {"an entry too few", FIELD_NNZ, 0, NNZ - 1},
    {"an entry too many", FIELD_NNZ, 0, NNZ + 1},
    {"no entries", FIELD_NNZ, 0, 0},
    {"the most entries", FIELD_NNZ, 0, INT64_MAX},
    {"row pointer 0: -1", POINTER, 0, -1},
    {"row pointer 0: 1", POINTER, 0, 1},
    {"row pointer 5: -1", POINTER, 5, -1},
    {"row pointer 5: the least", POINTER, 5, INT64_MIN},
    {"row pointer 5: beyond the end", POINTER, 5, NNZ + 1},
    {"row pointer 5: the most", POINTER, 5, INT64_MAX},
    {"row pointer 5: before that of row 4", POINTER, 5, 4 * EACH - 1},
    {"row pointer 5: behind that of row 6", POINTER, 5, 6 * EACH + 1},
    {"the last row pointer: too small", POINTER, ROWS, NNZ - 1},
    {"the last row pointer: too large", POINTER, ROWS, NNZ + 1},
    {"the last row pointer: 0", POINTER, ROWS, 0},
    {"the first column: -1", COLUMN, 0, -1},
    {"the first column: the least", COLUMN, 0, INT32_MIN},
    {"a column: -1", COLUMN, MIDDLE, -1},
    {"a column: one too large", COLUMN, MIDDLE, ROWS},
    {"a column: the most", COLUMN, MIDDLE, INT32_MAX},
    {"the last column: one too large", COLUMN, NNZ - 1, ROWS},
    {"a column twice", COLUMN, MIDDLE, -2},
    {"columns that descend", SWAPPED, MIDDLE, 0},
};
const int wrong_matrices = sizeof spoilt / sizeof *spoilt;

const char *wrong_matrix_name(int which)
{
    return spoilt[which].name;
}

/* A copy that ends where memory ends. */
static void *at_the_end(const void *from, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED || bytes > page || mprotect(p + page, page, PROT_NONE) != 0)
        abort();
    return memcpy(p + page - bytes, from, bytes);
}

rc_csr_t wrong_matrix(int which)
{
    int64_t ptr[ROWS + 1];
    int32_t col[NNZ];
    double val[NNZ];
    for (int r = 0; r <= ROWS; r++)
        ptr[r] = r * EACH;
    for (int k = 0; k < NNZ; k++) {
        col[k] = k / EACH % 3 + 3 * (k % EACH); /* the first row has column 0, the last row the last column */
        val[k] = k + 1;
    }
    rc_csr_t a = {.rows = ROWS, .cols = ROWS, .nnz = NNZ};
    enum part part = which < 0 ? SWAPPED : spoilt[which].part;
    int at = which < 0 ? -1 : spoilt[which].at;
    int64_t to = which < 0 ? 0 : spoilt[which].to;
    if (part == POINTER)
        ptr[at] = to;
    else if (part == COLUMN || at == MIDDLE) {
        int32_t before = col[at - (at > 0)];
        if (part == SWAPPED)
            col[at - 1] = col[at];
        col[at] = part == SWAPPED || to == -2 ? before : (int32_t)to;
    }
    a.rows = part == FIELD_ROWS ? to : a.rows;
    a.cols = part == FIELD_COLS ? to : a.cols;
    a.nnz = part == FIELD_NNZ ? to : a.nnz;
    a.row_ptr = part == NO_POINTERS ? NULL : at_the_end(ptr, sizeof ptr);
    a.col_idx = part == NO_COLUMNS ? NULL : at_the_end(col, sizeof col);
    a.val = part == NO_VALUES ? NULL : at_the_end(val, sizeof val);
    return a;
}
