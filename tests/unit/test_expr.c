#include "config.h"
#include "unit.h"

#include "base/expr.h"
#include "base/glob.h"
#include "base/rng.h"
#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS, COLS, BIG, DENSITY, GONE, SQUARE, NAME, KIND, EMPTY, FIELDS };

static const rc_field_t fields[FIELDS] = {
    [ROWS] = {.name = "rows", .kind = RC_VALUE_INT, .help = "rows"},
    [COLS] = {.name = "cols", .kind = RC_VALUE_INT, .help = "columns"},
    [BIG] = {.name = "big", .kind = RC_VALUE_INT, .help = "2^53 + 1"},
    [DENSITY] = {.name = "density", .kind = RC_VALUE_REAL, .help = "density"},
    [GONE] = {.name = "gone", .kind = RC_VALUE_INT, .help = "always missing"},
    [SQUARE] = {.name = "square", .kind = RC_VALUE_BOOL, .help = "rows == cols"},
    [NAME] = {.name = "name", .kind = RC_VALUE_TEXT, .help = "name"},
    [KIND] = {.name = "kind", .kind = RC_VALUE_TEXT, .help = "kind"},
    [EMPTY] = {.name = "empty", .kind = RC_VALUE_TEXT, .help = "always empty"},
};

typedef struct row {
    int64_t rows;
    int64_t cols;
    double density;
    const char *name;
    const char *kind;
} row_t;

static const row_t sample = {1138, 1200, 0.25, "1138_bus", "Power network problem"};

static const int64_t big = 9007199254740993; /* 2^53 + 1: not a double */

static void get(const void *any, int field, rc_value_t *v)
{
    const row_t *r = any;
    *v = (rc_value_t){.kind = fields[field].kind};
    switch (field) {
    case ROWS:
        v->i = r->rows;
        break;
    case COLS:
        v->i = r->cols;
        break;
    case BIG:
        v->i = big;
        break;
    case DENSITY:
        v->r = r->density;
        break;
    case GONE:
        v->kind = RC_VALUE_REAL;
        v->r = NAN;
        break;
    case SQUARE:
        v->i = r->rows == r->cols;
        break;
    case NAME:
        v->text = r->name;
        break;
    case KIND:
        v->text = r->kind;
        break;
    default:
        v->text = "";
        break;
    }
}

/* 1 or 0; -1 when it does not compile */
static int eval(const char *text, const row_t *r, rc_err_t *err)
{
    rc_expr_t *e = NULL;
    if (rc_expr_compile(text, fields, FIELDS, &e, err) < 0) {
        assert_null(e);
        return -1;
    }
    int truth = rc_expr_match(e, get, r);
    rc_expr_free(e);
    return truth;
}

static const struct {
    const char *text;
    int truth;
} known[] = {
    {"rows == 1138", 1},
    {"rows = 1138", 1},
    {"rows==1138&&cols==1200", 1},
    {"rows < cols", 1},
    {"rows > cols", 0},
    {"rows <= 1.138k", 1},
    {"rows < 1k", 0},
    {"rows < 1M", 1},
    {"rows < 1G && 1G == 1000000000", 1},
    {"-1 < +1", 1},
    {"rows != -5", 1},
    {"1e3 == 1000", 1},
    {".5 == 0.5", 1},
    {"5. == 5", 1},
    {"density == .25", 1},
    {"density >= 25e-2", 1},
    {"density < rows", 1},
    {"square", 0},
    {"!square", 1},
    {"!!square", 0},
    {"square == false", 1},
    {"square == true", 0},
    {"square == 0", 1},
    {"name", 1},
    {"empty", 0},
    {"!empty", 1},
    {"name == 1138_bus", 1},
    {"1138_bus == name", 1},
    {"name != \"1138_bus\"", 0},
    {"name == '1138_BUS'", 0},
    {"name ~ '1138_BUS'", 1},
    {"name ~ *bus", 1},
    {"name ~ 113?_*", 1},
    {"name !~ *bus", 0},
    {"name ~ '[0-9]*'", 1},
    {"name ~ '[!0-9]*'", 0},
    {"kind ~ '*NETWORK*'", 1},
    {"kind == 'Power network problem'", 1},
    {"name < kind", 1},
    {"name == kind", 0},
    {"name == name", 1},
    {"name ~ name", 1},
    {"empty == ''", 1},
    {"'x' == 'x'", 1},
    {"kind ~ \"*it's*\"", 0},
    {"gone", 0},
    {"!gone", 1},
    {"gone == 1", 0},
    {"gone != 1", 0},
    {"gone == gone", 0},
    {"gone != gone", 0},
    {"gone < 1 || gone >= 1", 0},
    {"!(gone < 1)", 1},
    {"big == 9007199254740993", 1},
    {"big == 9007199254740992", 0},
    {"big > 9007199254740992", 1},
    {"big != 9007199254740994", 1},
    {"rows < 9223372036854775807", 1},
    {"rows > -9223372036854775808", 1},
    {"rows < 9223372036854775808", 1},
    {"rows < 99999999999999999999999G", 1},
    {"1", 1},
    {"0", 0},
    {"rows", 1},
    {"1 || 1 && 0", 1},
    {"(1 || 1) && 0", 0},
    {"0 && 0 || 1", 1},
    {"0 && (0 || 1)", 0},
    {"!0 && 0", 0},
    {"!(0 && 0)", 1},
    {"!rows == 1138", 0},
    {" \t(\n( square ) ) ", 0},
};

static void known_truths(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        rc_err_t err = {0};
        int truth = eval(known[i].text, &sample, &err);
        if (truth != known[i].truth)
            fail_msg(
                "%s: expected %d, found %d %s", known[i].text, known[i].truth, truth, err.text);
    }
    assert_int_equal(rc_expr_match(NULL, get, &sample), 1);
}

static const struct {
    const char *text;
    int position;
    const char *word;
} flaws[] = {
    {"", 1, "found the end"},
    {"   ", 4, "found the end"},
    {"rowz < 5", 1, "'rowz'; did you mean 'rows'"},
    {"5 < rowz", 5, "did you mean 'rows'"},
    {"Rows < 5", 1, "did you mean 'rows'"},
    {"zzzzzz", 1, "known: rows, cols"},
    {"rows <", 7, "found the end"},
    {"rows < < 5", 8, "found '<'"},
    {"rows & cols", 6, "expected '&&', found '&'"},
    {"rows | cols", 6, "expected '||', found '|'"},
    {"rows && ", 9, "found the end"},
    {"&& rows", 1, "found '&&'"},
    {"rows || || cols", 9, "found '||'"},
    {"(rows", 6, "'&&', '||' or ')'"},
    {"rows)", 5, "found ')'"},
    {"()", 2, "found ')'"},
    {"rows cols", 6, "found 'cols'"},
    {"rows < 5 cols", 10, "found 'cols'"},
    {"rows < cols < 5", 13, "found '<'"},
    {"rows == 'five'", 9, "cannot compare the text 'five'"},
    {"name == 5", 1, "with the number '5' (position 9)"},
    {"name == rows", 1, "with the number 'rows'"},
    {"rows == name", 9, "cannot compare the text 'name'"},
    {"name && rows ~ 5", 9, "expected text beside '~'"},
    {"name ~ 5", 8, "expected text beside '~'"},
    {"name == 'bus", 9, "closing '"},
    {"name == \"bus'", 9, "closing \""},
    {"name ~ 'a[b'", 10, "closes this '['"},
    {"name ~ 'ab\\'", 11, "after this"},
    {"rows < 30x", 8, "'30x'"},
    {"rows < 1e999", 8, "out of range"},
    {"rows < 1e", 8, "'1e'"},
    {"rows < 5 $", 10, "found '$'"},
    {"rows < \x01", 8, "0x01"},
    {"rows < \xc3\xa9", 8, "0xc3"},
    {"!", 2, "found the end"},
    {"'text'", 7, "comparison after the text"},
    {"'text' && rows", 8, "comparison after the text"},
    {"bus == 1138_bus", 1, "'bus'"},
    {"rows == truth", 9, "'truth'"},
    {"rows and cols", 6, "found 'and'"},
    {"not rows", 1, "'not'"},
};

static void errors_name_position_and_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof flaws / sizeof *flaws; i++) {
        rc_err_t err = {0};
        char position[32];
        snprintf(position, sizeof position, "position %d:", flaws[i].position);
        int truth = eval(flaws[i].text, &sample, &err);
        if (truth != -1 || err.status != RC_EINVAL || strstr(err.text, position) != err.text ||
            !strstr(err.text, flaws[i].word))
            fail_msg("%s: expected '%s ... %s', found '%s'", flaws[i].text, position, flaws[i].word,
                err.text);
    }
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    enum { n = 200000 };
    char *text = malloc(2 * n + 2);
    assert_non_null(text);
    rc_err_t err = {0};
    memset(text, '(', n);
    strcpy(text + n, "1");
    assert_int_equal(eval(text, &sample, &err), -1);
    assert_non_null(strstr(err.text, "position 101: expected at most 100"));
    /* 100 are accepted; so are any number of negations and links of a chain */
    char nested[202] = "";
    memset(nested, '(', 100);
    nested[100] = '1';
    memset(nested + 101, ')', 100);
    assert_int_equal(eval(nested, &sample, &err), 1);
    memset(text, '!', n);
    strcpy(text + n, "1");
    assert_int_equal(eval(text, &sample, &err), 1);
    text[0] = ' ';
    assert_int_equal(eval(text, &sample, &err), 0);
    free(text);
    rc_str_t chain = {0};
    rc_str_add(&chain, "rows");
    for (int i = 0; i < 20000; i++)
        rc_str_add(&chain, i % 2 ? "&&cols" : "||name=='x'");
    assert_false(chain.failed);
    assert_int_equal(eval(chain.text, &sample, &err), 1);
    rc_str_free(&chain);
}

/* ------------------------------------------------ random expressions with known values
 * The text and the value come from one recursion, so the value needs no parser. */

typedef struct maker {
    rc_rng_t rng;
    rc_str_t text;
    row_t row;
} maker_t;

static int pick(maker_t *m, int n)
{
    return (int)rc_rng_below(&m->rng, (uint64_t)n);
}

static void blank(maker_t *m)
{
    static const char *const blanks[] = {"", "", " ", "  ", "\t"};
    rc_str_add(&m->text, blanks[pick(m, 5)]);
}

static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};

static int compared(int sign, double a, double b)
{
    const int table[] = {a == b, a != b && !isnan(a) && !isnan(b), a<b, a <= b, a> b, a >= b};
    return table[sign];
}

static double make_number(maker_t *m)
{
    switch (pick(m, 7)) {
    case 0:
        rc_str_add(&m->text, "rows");
        return (double)m->row.rows;
    case 1:
        rc_str_add(&m->text, "cols");
        return (double)m->row.cols;
    case 2:
        rc_str_add(&m->text, "density");
        return m->row.density;
    case 3:
        rc_str_add(&m->text, "gone");
        return NAN;
    case 4:
        rc_str_add(&m->text, "square");
        return m->row.rows == m->row.cols;
    case 5: {
        int v = pick(m, 4);
        rc_str_addf(&m->text, "%dk", v);
        return v * 1000.0;
    }
    default: {
        int v = pick(m, 9) - 4;
        rc_str_addf(&m->text, "%d.5", v);
        return v < 0 ? v - 0.5 : v == 0 ? 0.5 : v + 0.5;
    }
    }
}

static int make_text_test(maker_t *m)
{
    static const char *const words[] = {"aa", "ab", "b", "c"};
    const char *word = words[pick(m, 4)];
    int sign = pick(m, 8);
    if (sign >= 6) {
        /* a prefix glob: its own slow definition is strncmp */
        rc_str_addf(&m->text, "name %s %c*", sign == 6 ? "~" : "!~", *word);
        return (strncmp(m->row.name, word, 1) == 0) == (sign == 6);
    }
    rc_str_add(&m->text, "name");
    blank(m);
    rc_str_add(&m->text, signs[sign]);
    blank(m);
    rc_str_addf(&m->text, pick(m, 2) ? "%s" : "'%s'", word);
    return compared(sign, strcmp(m->row.name, word), 0);
}

static int make_expr(maker_t *m, int depth);

static int make_not(maker_t *m, int depth)
{
    int kind = pick(m, depth > 0 ? 6 : 3);
    if (kind == 0)
        return make_text_test(m);
    if (kind == 1) {
        double v = make_number(m);
        return v != 0 && !isnan(v);
    }
    if (kind == 5) {
        rc_str_add(&m->text, "!");
        blank(m);
        return !make_not(m, depth - 1);
    }
    if (kind >= 3) {
        rc_str_add(&m->text, "(");
        blank(m);
        int truth = make_expr(m, depth - 1);
        blank(m);
        rc_str_add(&m->text, ")");
        return truth;
    }
    double a = make_number(m);
    int sign = pick(m, 6);
    rc_str_addf(&m->text, " %s ", signs[sign]);
    double b = make_number(m);
    return compared(sign, a, b);
}

static int make_and(maker_t *m, int depth)
{
    int truth = make_not(m, depth);
    while (pick(m, 3) == 0) {
        rc_str_add(&m->text, " &&");
        blank(m);
        truth = make_not(m, depth) & truth;
    }
    return truth;
}

static int make_expr(maker_t *m, int depth)
{
    int truth = make_and(m, depth);
    while (pick(m, 3) == 0) {
        rc_str_add(&m->text, " ||");
        blank(m);
        truth = make_and(m, depth) | truth;
    }
    return truth;
}

static void random_expressions_have_their_value(void **state)
{
    (void)state;
    static const char *const names[] = {"aa", "ab", "b"};
    maker_t m = {.text = {0}};
    rc_rng_seed(&m.rng, 2021);
    int truths = 0;
    enum { rounds = 20000 };
    for (int round = 0; round < rounds; round++) {
        m.row = (row_t){
            pick(&m, 4) * 1000, pick(&m, 4) * 1000, pick(&m, 5) - 1.5, names[pick(&m, 3)], ""};
        m.text.len = 0;
        int truth = make_expr(&m, 4);
        rc_err_t err = {0};
        assert_false(m.text.failed);
        int found = eval(m.text.text, &m.row, &err);
        if (found != truth)
            fail_msg("%s: expected %d, found %d %s", m.text.text, truth, found, err.text);
        truths += truth;
    }
    rc_str_free(&m.text);
    assert_in_range(truths, rounds / 5, rounds - rounds / 5);
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    static const char *const parts[] = {"rows", "name", "gone", "&&", "||", "!", "(", ")",
        "==", "~", "'", "\"", "[", "]", "*", "\\", "1e9", "5k", "-", "<", "=", "\xff", " ", "true"};
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    int compiled = 0;
    for (int round = 0; round < 200000; round++) {
        char text[200] = "";
        size_t n = 0;
        int pieces = (int)rc_rng_below(&r, 12);
        for (int i = 0; i < pieces; i++)
            if (round % 2) {
                const char *part = parts[rc_rng_below(&r, sizeof parts / sizeof *parts)];
                memcpy(text + n, part, strlen(part));
                n += strlen(part);
            } else
                text[n++] = (char)(1 + rc_rng_below(&r, 255));
        text[n] = '\0';
        rc_err_t err = {0};
        int truth = eval(text, &sample, &err);
        compiled += truth >= 0;
        if (truth < 0)
            assert_true(err.status == RC_EINVAL && strncmp(err.text, "position ", 9) == 0);
    }
    assert_true(compiled > 100);
}

/* Glob matching against the plain exponential definition. */
static int slow_glob(const char *p, const char *t)
{
    if (!*p)
        return !*t;
    if (*p == '*')
        return slow_glob(p + 1, t) || (*t && slow_glob(p, t + 1));
    if (!*t)
        return 0;
    if (strncmp(p, "[ab]", 4) == 0)
        return (*t == 'a' || *t == 'b') && slow_glob(p + 4, t + 1);
    if (strncmp(p, "[!ab]", 5) == 0)
        return *t != 'a' && *t != 'b' && slow_glob(p + 5, t + 1);
    return (*p == '?' || *p == *t) && slow_glob(p + 1, t + 1);
}

static void globs_match_their_definition(void **state)
{
    (void)state;
    static const char *const parts[] = {"a", "b", "c", "*", "?", "[ab]", "[!ab]"};
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    int hits = 0;
    for (int round = 0; round < 100000; round++) {
        char pattern[64] = "";
        char text[16] = "";
        int pieces = (int)rc_rng_below(&r, 7);
        for (int i = 0; i < pieces; i++)
            strcat(pattern, parts[rc_rng_below(&r, 7)]);
        int n = (int)rc_rng_below(&r, 9);
        for (int i = 0; i < n; i++)
            text[i] = "abc"[rc_rng_below(&r, 3)];
        int expected = slow_glob(pattern, text);
        hits += expected;
        if (rc_glob_match(pattern, text) != expected)
            fail_msg("%s against %s: expected %d", text, pattern, expected);
        assert_true(rc_glob_flaw(pattern) == -1);
    }
    assert_true(hits > 3000);
    assert_true(
        rc_glob_match("[]]", "]") && rc_glob_match("\\*", "*") && !rc_glob_match("\\*", "x"));
    assert_true(rc_glob_match("A-[x-z]?", "a-Yq") && rc_glob_match("[a", "[A"));
    assert_true(rc_glob_match_spec("csr5", "csr5:sigma=auto") && rc_glob_match_spec("csr5:*", "csr5:sigma=auto"));
    assert_true(rc_glob_match_spec("csr", "csr") && rc_glob_match_spec("csr*", "csr5:sigma=auto"));
    assert_false(rc_glob_match_spec("csr", "csr5:sigma=auto") || rc_glob_match_spec("csr5:", "csr5:sigma=auto"));
    /* many stars and no match: quadratic at worst */
    char stars[2001];
    char as[5001];
    for (int i = 0; i < 1000; i++)
        memcpy(stars + 2 * i, "*a", 2);
    strcpy(stars + 1998, "*b");
    memset(as, 'a', sizeof as - 1);
    as[sizeof as - 1] = '\0';
    assert_false(rc_glob_match(stars, as));
}

/* ------------------------------------------------------- listed values */

static const char *const colours[] = {"red", "green", "blue", NULL};

static const char *listed(const void *table, int field, int64_t i)
{
    return field == NAME ? ((const char *const *)table)[i] : NULL;
}

static rc_status_t check(const char *text, const char *const *table, rc_err_t *err)
{
    rc_expr_t *e = NULL;
    assert_int_equal(rc_expr_compile(text, fields, FIELDS, &e, err), RC_OK);
    rc_status_t st = rc_expr_check(e, fields, listed, table, 0, err);
    rc_expr_free(e);
    return st;
}

static void a_value_that_no_row_has_is_an_error(void **state)
{
    static const char *const none[] = {NULL}, *const often[] = {"red", "", "red", "green", "red", "blue", "green", NULL};
    static const char *const fine[] = {"name == red", "green != name", "rows > 1 || name == blue",
        "name ~ gre*", "name < gren", "kind == gren", "name == kind", "name"};
    static const char *const slips[] = {
        "name == gren", "gren != name", "rows > 1 && !(name == 'gren')"};
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(rc_expr_check(NULL, fields, listed, colours, 1, &err), RC_OK);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        assert_int_equal(check(fine[i], colours, &err), RC_OK);
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        err = (rc_err_t){0};
        assert_int_equal(check(slips[i], colours, &err), RC_EINVAL);
        assert_non_null(strstr(err.text, "no name is 'gren'; did you mean 'green'?"));
        assert_int_equal(check(slips[i], none, &err), RC_OK); /* nothing is known */
    }
    assert_int_equal(check("cols == 1 || name == mauve", often, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "position 14:"));
    assert_string_equal(strstr(err.text, "values: "), "values: red, green, blue"); /* each once */
}

static void enumerations_are_checked_when_compiled(void **state)
{
    const rc_field_t field[] = {
        {.name = "colour", .kind = RC_VALUE_TEXT, .help = "enumeration", .names = colours},
        {.name = "text", .kind = RC_VALUE_TEXT, .help = "any text"}};
    rc_expr_t *e = NULL;
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(rc_expr_compile("colour == blue && text == bleu", field, 2, &e, &err), RC_OK);
    rc_expr_free(e);
    e = NULL;
    assert_int_equal(rc_expr_compile("text == a || colour == bleu", field, 2, &e, &err), RC_EINVAL);
    assert_null(e);
    assert_string_equal(err.text, "position 14: no colour is 'bleu'; values: red, green, blue");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_that_no_row_has_is_an_error),
        cmocka_unit_test(enumerations_are_checked_when_compiled),
        cmocka_unit_test(known_truths),
        cmocka_unit_test(errors_name_position_and_cause),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(random_expressions_have_their_value),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(globs_match_their_definition),
    };
    return cmocka_run_group_tests_name("expr", tests, NULL, NULL);
}
