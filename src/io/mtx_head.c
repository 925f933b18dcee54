#include "config.h"
#include "io/mtx.h"
#include "io/mtx_text.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ... then what others write in the place of a field. */
const char *const rc_mtx_field_names[] = {
    "real", "integer", "pattern", "complex", "float", "double", "unsigned-integer"};
enum { field_float = RC_MTX_COMPLEX + 1, field_double, field_unsigned };

const char *const rc_mtx_symmetry_names[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
enum { symmetries = sizeof rc_mtx_symmetry_names / sizeof *rc_mtx_symmetry_names };

int64_t rc_mtx_entry_bytes(const rc_mtx_head_t *head)
{
    /* numbers of one digit with one separator each: "1 1 1\n" */
    static const int numbers[] = {1, 1, 0, 2};
    return 2 * (numbers[head->field] + (head->is_array ? 0 : 2));
}

static int find(const char *const *names, int count, const char *word, size_t n)
{
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == n && strncasecmp(names[i], word, n) == 0)
            return i;
    return -1;
}

static rc_status_t check_combination(
    const rc_mtx_line_t *line, const rc_mtx_head_t *head, rc_err_t *err)
{
    const char *rule = NULL;
    if (head->is_array && head->field == RC_MTX_PATTERN)
        rule = "an array has values, so it cannot be 'pattern'";
    else if (head->is_unsigned && head->symmetry == RC_MTX_SKEW)
        rule = "'skew-symmetric' has values of both signs";
    else if (head->symmetry == RC_MTX_HERMITIAN && head->field != RC_MTX_COMPLEX)
        rule = "'hermitian' is for 'complex' only";
    else if (head->symmetry == RC_MTX_SKEW && head->field == RC_MTX_PATTERN)
        rule = "'skew-symmetric' has values, so it cannot be 'pattern'";
    if (rule)
        return rc_mtx_fail(err, RC_EFORMAT, line->file, line->number,
            "expected a valid banner, found '%s %s': %s", rc_mtx_field_names[head->field],
            rc_mtx_symmetry_names[head->symmetry], rule);
    return RC_OK;
}

/* The symmetry may be missing, and then it is 'general'; words of no meaning may stand behind it,
 * but none that is another symmetry. */
static rc_status_t parse_symmetry(
    const rc_mtx_line_t *line, const char *p, rc_mtx_head_t *head, rc_err_t *err)
{
    size_t n;
    p = rc_mtx_next_word(p, line->end, &n);
    int choice =
        n == 0 || *p == '%' ? RC_MTX_GENERAL : find(rc_mtx_symmetry_names, symmetries, p, n);
    if (choice < 0)
        return rc_mtx_expected(line, RC_EFORMAT,
            "the symmetry 'general', 'symmetric', 'skew-symmetric' or 'hermitian', or none", p,
            err);
    head->symmetry = (rc_mtx_symmetry_t)choice;
    while (n > 0 && *p != '%') {
        p = rc_mtx_next_word(p + n, line->end, &n);
        if (n > 0 && find(rc_mtx_symmetry_names, symmetries, p, n) >= 0)
            return rc_mtx_expected(line, RC_EFORMAT, "one symmetry in the banner line", p, err);
    }
    return RC_OK;
}

rc_status_t rc_mtx_parse_banner(const rc_mtx_line_t *line, rc_mtx_head_t *head, rc_err_t *err)
{
    static const char *const banner[] = {"%%MatrixMarket", "%MatrixMarket"};
    static const char *const object[] = {"matrix"};
    static const char *const format[] = {"coordinate", "array"};
    static const struct {
        const char *const *names;
        int count;
        const char *what;
    } part[] = {
        {banner, 2, "the banner '%%MatrixMarket matrix ...'"},
        {object, 1, "'matrix' after '%%MatrixMarket'"},
        {format, 2, "the format 'coordinate' or 'array'"},
        {rc_mtx_field_names, sizeof rc_mtx_field_names / sizeof *rc_mtx_field_names,
            "the field 'real', 'integer', 'pattern' or 'complex'"},
    };
    enum { parts = sizeof part / sizeof *part };
    int choice[parts];
    size_t n;
    const char *p = line->begin;
    for (int i = 0; i < parts; i++) {
        p = rc_mtx_next_word(p, line->end, &n);
        choice[i] = find(part[i].names, part[i].count, p, n);
        if (choice[i] < 0)
            return rc_mtx_expected(line, RC_EFORMAT, part[i].what, p, err);
        p += n;
    }
    head->is_array = choice[2];
    head->is_unsigned = choice[3] == field_unsigned;
    head->field = head->is_unsigned ? RC_MTX_INTEGER
                  : choice[3] == field_float || choice[3] == field_double
                      ? RC_MTX_REAL
                      : (rc_mtx_field_t)choice[3];
    rc_status_t st = parse_symmetry(line, p, head, err);
    head->is_plain = head->symmetry == RC_MTX_GENERAL && !head->is_unsigned;
    return st < 0 ? st : check_combination(line, head, err);
}

int rc_mtx_says_generated(const rc_mtx_line_t *line)
{
    const char *p = line->begin;
    size_t words = strlen(RC_MTX_GENERATED);
    if (p >= line->end || *p++ != '%')
        return 0;
    while (p < line->end && rc_mtx_is_blank(p, p + 1))
        p++;
    return (size_t)(line->end - p) > words && memcmp(p, RC_MTX_GENERATED, words) == 0;
}

/* A count of the size line, at most `most`. */
static rc_status_t parse_count(const rc_mtx_line_t *line, const char **p, const char *what,
    int64_t most, int64_t *out, rc_err_t *err)
{
    char text[96];
    size_t n;
    const char *word = rc_mtx_next_word(*p, line->end, &n);
    int64_t value = rc_mtx_whole(word, n, most);
    if (value < 0) {
        snprintf(text, sizeof text, "the %s in the size line", what);
        return rc_mtx_expected(line, RC_EFORMAT, text, word, err);
    }
    if (value > most) {
        snprintf(text, sizeof text, "at most %" PRId64 " %s", most, what);
        return rc_mtx_expected(line, RC_ERANGE, text, word, err);
    }
    *p = word + n;
    *out = value;
    return RC_OK;
}

/* Number of values in the file of an array. */
static int64_t array_entries(const rc_mtx_head_t *head)
{
    if (head->symmetry == RC_MTX_GENERAL)
        return head->rows * head->cols; /* both fit 31 bits */
    int64_t n = head->rows;
    return head->symmetry == RC_MTX_SKEW ? n * (n - 1) / 2 : n * (n + 1) / 2;
}

rc_status_t rc_mtx_parse_size(const rc_mtx_line_t *line, rc_mtx_head_t *head, rc_err_t *err)
{
    const char *p = line->begin;
    RC_PASS(parse_count(line, &p, "rows", INT32_MAX, &head->rows, err));
    size_t n;
    const char *second = rc_mtx_next_word(p, line->end, &n);
    /* two numbers: the vertices and edges of a graph */
    head->is_graph = !head->is_array && n > 0 && rc_mtx_is_blank(second + n, line->end);
    head->cols = head->rows;
    if (!head->is_graph)
        RC_PASS(parse_count(line, &p, "columns", INT32_MAX, &head->cols, err));
    if (!head->is_array)
        RC_PASS(parse_count(line, &p, "entries", INT64_MAX / 64, &head->entries, err));
    p = rc_mtx_next_word(p, line->end, &n);
    if (n > 0)
        return rc_mtx_expected(line, RC_EFORMAT, "the end of the size line", p, err);
    if (head->symmetry != RC_MTX_GENERAL && head->rows != head->cols)
        return rc_mtx_fail(err, RC_EFORMAT, line->file, line->number,
            "expected a square matrix (the banner says %s), found %" PRId64 " x %" PRId64,
            rc_mtx_symmetry_names[head->symmetry], head->rows, head->cols);
    if (head->is_array)
        head->entries = array_entries(head);
    return RC_OK;
}
