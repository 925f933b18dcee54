#include "config.h"
#include "base/expr_program.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- words */

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,   /* field, number or bare text */
    TOKEN_QUOTED, /* between quotes */
    TOKEN_OP,     /* comparison */
    TOKEN_AND,
    TOKEN_OR,
    TOKEN_NOT,
    TOKEN_OPEN,
    TOKEN_CLOSE
} token_kind_t;

typedef struct token {
    token_kind_t kind;
    op_t op;
    const char *at; /* in the source, without quotes */
    size_t n;
    size_t position; /* of its first byte, from 1 */
} token_t;

enum { DEPTH_MAX = 100 };

typedef struct parser {
    const char *source;
    const char *next;
    token_t token; /* the one to be parsed */
    const rc_field_t *field;
    int fields;
    rc_expr_t *out;
    size_t texts_used;
    int depth; /* open parentheses */
    rc_err_t *err;
} parser_t;

static int word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("_.+-/:@*?", c));
}

static rc_status_t stray(const parser_t *p, const char *at)
{
    size_t position = (size_t)(at - p->source) + 1;
    static const struct {
        char c;
        const char *meant;
    } slips[] = {{'&', "'&&'"}, {'|', "'||'"}, {'=', "'=='"}};
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
        if (*at == slips[i].c)
            return rc_fail(p->err, RC_EINVAL, "position %zu: expected %s, found '%c'", position,
                slips[i].meant, *at);
    if (*at > ' ' && *at <= '~')
        return rc_fail(p->err, RC_EINVAL,
            "position %zu: expected a field, value or operator, found '%c'", position, *at);
    return rc_fail(p->err, RC_EINVAL,
        "position %zu: expected a field, value or operator, found byte 0x%02x (quote text)",
        position, (unsigned)(unsigned char)*at);
}

static rc_status_t quoted(parser_t *p)
{
    token_t *t = &p->token;
    const char *end = strchr(t->at + 1, *t->at);
    if (!end)
        return rc_fail(p->err, RC_EINVAL,
            "position %zu: expected a closing %c, found the end of the expression", t->position,
            *t->at);
    t->kind = TOKEN_QUOTED;
    t->at++;
    t->n = (size_t)(end - t->at);
    p->next = end + 1;
    return RC_OK;
}

/* Read the next token into p->token. */
static rc_status_t advance(parser_t *p)
{
    static const struct {
        const char *text;
        token_kind_t kind;
        op_t op;
    } signs[] = {{"&&", TOKEN_AND, OP_TRUTH}, {"||", TOKEN_OR, OP_TRUTH}, {"==", TOKEN_OP, OP_EQ},
        {"!=", TOKEN_OP, OP_NE}, {"!~", TOKEN_OP, OP_NOT_GLOB}, {"<=", TOKEN_OP, OP_LE},
        {">=", TOKEN_OP, OP_GE}, {"<", TOKEN_OP, OP_LT}, {">", TOKEN_OP, OP_GT},
        {"~", TOKEN_OP, OP_GLOB}, {"!", TOKEN_NOT, OP_TRUTH}, {"(", TOKEN_OPEN, OP_TRUTH},
        {")", TOKEN_CLOSE, OP_TRUTH}};
    const char *s = p->next;
    while (*s && strchr(" \t\r\n", *s))
        s++;
    p->token = (token_t){TOKEN_END, OP_TRUTH, s, 0, (size_t)(s - p->source) + 1};
    p->next = s;
    if (!*s)
        return RC_OK;
    if (*s == '\'' || *s == '"')
        return quoted(p);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t n = strlen(signs[i].text);
        if (strncmp(s, signs[i].text, n) == 0) {
            p->token.kind = signs[i].kind;
            p->token.op = signs[i].op;
            p->token.n = n;
            p->next = s + n;
            return RC_OK;
        }
    }
    while (word_char(*p->next))
        p->next++;
    if (p->next == s)
        return stray(p, s);
    p->token.kind = TOKEN_WORD;
    p->token.n = (size_t)(p->next - s);
    return RC_OK;
}

static rc_status_t expected(const parser_t *p, const char *what)
{
    const token_t *t = &p->token;
    if (t->kind == TOKEN_END)
        return rc_fail(p->err, RC_EINVAL,
            "position %zu: expected %s, found the end of the expression", t->position, what);
    int n = t->n > 40 ? 40 : (int)t->n;
    return rc_fail(
        p->err, RC_EINVAL, "position %zu: expected %s, found '%.*s'", t->position, what, n, t->at);
}

/* ---------------------------------------------------------------- operands */

static int digits(const char **s)
{
    const char *from = *s;
    while (**s >= '0' && **s <= '9')
        (*s)++;
    return *s > from;
}

static double suffix_factor(char c)
{
    return c == 'k' ? 1e3 : c == 'M' ? 1e6 : c == 'G' ? 1e9 : 0;
}

/* Whether text[0..n) looks like a decimal number; n_out is its length without the suffix. */
static int number_shape(const char *text, size_t n, size_t *n_out, int *whole)
{
    const char *s = text + (*text == '-' || *text == '+');
    int before = digits(&s);
    int after = 0;
    *whole = 1;
    if (*s == '.') {
        s++;
        after = digits(&s);
        *whole = 0;
    }
    if (!before && !after)
        return 0;
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '-' || *s == '+';
        if (!digits(&s))
            return 0;
        *whole = 0;
    }
    *n_out = (size_t)(s - text);
    return *n_out == n || (*n_out + 1 == n && suffix_factor(*s) > 0);
}

/* An exact integer when the number is one that int64_t holds, else a double.
 * 1: it is a number; 0: it is not one; negative: a status. */
static int parse_number(const parser_t *p, const token_t *t, rc_value_t *out)
{
    char buf[64];
    size_t n;
    int whole;
    if (t->n >= sizeof buf) /* too long for any number worth writing */
        return 0;
    memcpy(buf, t->at, t->n);
    buf[t->n] = '\0';
    if (!number_shape(buf, t->n, &n, &whole))
        return 0;
    double factor = n < t->n ? suffix_factor(buf[n]) : 1;
    buf[n] = '\0';
    *out = (rc_value_t){.kind = RC_VALUE_INT};
    int64_t i;
    int64_t f = (int64_t)factor;
    if (whole &&
        rc_parse_int(buf + (*buf == '+'), INT64_MIN / f, INT64_MAX / f, "", &i, NULL) == RC_OK) {
        out->i = i * f;
        return 1;
    }
    double r = strtod(buf, NULL) * factor;
    const double exact = 9007199254740992.0; /* 2^53 */
    if (!isfinite(r))
        return rc_fail(p->err, RC_EINVAL, "position %zu: the number '%.*s' is out of range",
            t->position, (int)t->n, t->at);
    if (fabs(r) < exact && r == floor(r))
        out->i = (int64_t)r;
    else {
        out->kind = RC_VALUE_REAL;
        out->r = r;
    }
    return 1;
}

static int find_field(const parser_t *p, const token_t *t)
{
    if (t->kind == TOKEN_WORD)
        for (int i = 0; i < p->fields; i++)
            if (strlen(p->field[i].name) == t->n && memcmp(p->field[i].name, t->at, t->n) == 0)
                return i;
    return -1;
}

static rc_status_t unknown_field(const parser_t *p, const token_t *t)
{
    char word[48];
    char list[300];
    size_t used = 0;
    snprintf(word, sizeof word, "%.*s", t->n > 40 ? 40 : (int)t->n, t->at);
    const char **names = rc_alloc((size_t)p->fields, sizeof *names, "field names", p->err);
    RC_PASS(names ? RC_OK : RC_ENOMEM);
    list[0] = '\0';
    for (int i = 0; i < p->fields; i++) {
        names[i] = p->field[i].name;
        size_t n = strlen(names[i]);
        if (used + n + 8 < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
        else if (used + 5 < sizeof list) {
            snprintf(list + used, sizeof list - used, ", ...");
            used = sizeof list;
        }
    }
    const char *near = rc_similar(word, names, p->fields);
    free(names);
    if (near)
        return rc_fail(p->err, RC_EINVAL,
            "position %zu: expected a field or a number, found '%s'; did you mean '%s'?",
            t->position, word, near);
    return rc_fail(p->err, RC_EINVAL,
        "position %zu: expected a field or a number, found '%s'; fields: %s", t->position, word,
        list);
}

static void text_operand(parser_t *p, const token_t *t, operand_t *out)
{
    char *to = p->out->texts + p->texts_used;
    memcpy(to, t->at, t->n);
    to[t->n] = '\0';
    p->texts_used += t->n + 1;
    *out = (operand_t){.field = -1, .value = {.kind = RC_VALUE_TEXT, .text = to}};
}

static int is_word(const token_t *t, const char *word)
{
    return t->kind == TOKEN_WORD && t->n == strlen(word) && memcmp(t->at, word, t->n) == 0;
}

/* \param other  the token on the other side of the operator, or NULL for a lone operand: beside
 *               a text field a bare word is text */
static rc_status_t resolve(parser_t *p, const token_t *t, const token_t *other, operand_t *out)
{
    if (t->kind == TOKEN_QUOTED) {
        text_operand(p, t, out);
        return RC_OK;
    }
    int field = find_field(p, t);
    if (field >= 0) {
        *out = (operand_t){.field = field};
        return RC_OK;
    }
    *out = (operand_t){.field = -1};
    int number = parse_number(p, t, &out->value);
    if (number < 0)
        return RC_EINVAL;
    if (number)
        return RC_OK;
    int beside = other ? find_field(p, other) : -1;
    if (beside >= 0 && p->field[beside].kind == RC_VALUE_TEXT) {
        text_operand(p, t, out);
        return RC_OK;
    }
    if (is_word(t, "true") || is_word(t, "false")) {
        out->value = (rc_value_t){.kind = RC_VALUE_BOOL, .i = is_word(t, "true")};
        return RC_OK;
    }
    return unknown_field(p, t);
}

static int is_text(const parser_t *p, const operand_t *o)
{
    return (o->field >= 0 ? p->field[o->field].kind : o->value.kind) == RC_VALUE_TEXT;
}

/* ---------------------------------------------------------------- grammar */

static rc_status_t emit(parser_t *p, const step_t *step)
{
    rc_expr_t *e = p->out;
    RC_PASS(RC_GROW(e->step, e->capacity, e->steps + 1, "an expression", p->err));
    e->step[e->steps++] = *step;
    return RC_OK;
}

static rc_status_t check_kinds(
    const parser_t *p, const step_t *s, const token_t *left, const token_t *right)
{
    const token_t *both[] = {left, right};
    const operand_t *operand[] = {&s->left, &s->right};
    int glob = s->op == OP_GLOB || s->op == OP_NOT_GLOB;
    for (int i = 0; glob && i < 2; i++)
        if (!is_text(p, operand[i]))
            return rc_fail(p->err, RC_EINVAL,
                "position %zu: expected text beside '~', found the number '%.*s'",
                both[i]->position, both[i]->n > 40 ? 40 : (int)both[i]->n, both[i]->at);
    if (is_text(p, &s->left) != is_text(p, &s->right)) {
        int text = is_text(p, &s->left) ? 0 : 1;
        const token_t *t = both[1 - text];
        int n = t->n > 40 ? 40 : (int)t->n;
        return rc_fail(p->err, RC_EINVAL,
            "position %zu: cannot compare the text '%.*s' with the number '%.*s' (position %zu); "
            "put quotes around it if it is text",
            both[text]->position, both[text]->n > 40 ? 40 : (int)both[text]->n, both[text]->at, n,
            t->at, t->position);
    }
    if (glob && s->right.field < 0) {
        int64_t flaw = rc_glob_flaw(s->right.value.text);
        if (flaw >= 0)
            return rc_fail(p->err, RC_EINVAL, "position %zu: expected %s, found the end",
                right->position + (size_t)flaw + (right->kind == TOKEN_QUOTED),
                right->at[flaw] == '[' ? "a ']' that closes this '['"
                                       : "a character after this '\\'");
    }
    return RC_OK;
}

static rc_status_t operand_token(parser_t *p, token_t *out)
{
    if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_QUOTED)
        return expected(p, "a field, a number or a text");
    *out = p->token;
    return advance(p);
}

/* operand (op operand)? */
static rc_status_t parse_test(parser_t *p)
{
    token_t left;
    token_t right;
    step_t s = {.kind = STEP_TEST, .position = p->token.position};
    RC_PASS(operand_token(p, &left));
    if (p->token.kind != TOKEN_OP) {
        RC_PASS(resolve(p, &left, NULL, &s.left));
        if (left.kind == TOKEN_QUOTED)
            return expected(p, "a comparison after the text");
        return emit(p, &s);
    }
    s.op = p->token.op;
    RC_PASS(advance(p));
    RC_PASS(operand_token(p, &right));
    RC_PASS(resolve(p, &left, &right, &s.left));
    RC_PASS(resolve(p, &right, &left, &s.right));
    RC_PASS(check_kinds(p, &s, &left, &right));
    return emit(p, &s);
}

static rc_status_t parse_or(parser_t *p);

static rc_status_t parse_not(parser_t *p)
{
    int negate = 0;
    while (p->token.kind == TOKEN_NOT) {
        negate = !negate;
        RC_PASS(advance(p));
    }
    if (p->token.kind != TOKEN_OPEN)
        RC_PASS(parse_test(p));
    else {
        if (++p->depth > DEPTH_MAX)
            return rc_fail(p->err, RC_EINVAL,
                "position %zu: expected at most %d parentheses inside each other",
                p->token.position, DEPTH_MAX);
        RC_PASS(advance(p));
        RC_PASS(parse_or(p));
        if (p->token.kind != TOKEN_CLOSE)
            return expected(p, "'&&', '||' or ')'");
        p->depth--;
        RC_PASS(advance(p));
    }
    return negate ? emit(p, &(step_t){.kind = STEP_NOT}) : RC_OK;
}

/* part (sign part)*: between two parts stands a jump to the next jump or to the end; a jump to a
 * jump of the same kind is taken again, so one target each is enough. */
static rc_status_t parse_chain(
    parser_t *p, token_kind_t sign, step_kind_t skip, rc_status_t (*part)(parser_t *))
{
    RC_PASS(part(p));
    while (p->token.kind == sign) {
        RC_PASS(advance(p));
        size_t jump = p->out->steps;
        RC_PASS(emit(p, &(step_t){.kind = skip}));
        RC_PASS(part(p));
        p->out->step[jump].target = p->out->steps;
    }
    return RC_OK;
}

static rc_status_t parse_and(parser_t *p)
{
    return parse_chain(p, TOKEN_AND, STEP_SKIP_FALSE, parse_not);
}

static rc_status_t parse_or(parser_t *p)
{
    return parse_chain(p, TOKEN_OR, STEP_SKIP_TRUE, parse_and);
}

/* rc_field_value_fn of the enumerations among fields. */
static const char *enumerated(const void *fields, int field, int64_t i)
{
    const char *const *names = ((const rc_field_t *)fields)[field].names;
    return names ? names[i] : NULL;
}

rc_status_t rc_expr_compile(
    const char *text, const rc_field_t *fields, int field_count, rc_expr_t **out, rc_err_t *err)
{
    rc_status_t st = RC_ENOMEM;
    rc_expr_t *e = rc_alloc0(1, sizeof *e, "an expression", err);
    parser_t p = {
        .source = text, .next = text, .field = fields, .fields = field_count, .out = e, .err = err};
    RC_PASS(e ? RC_OK : RC_ENOMEM);
    /* each constant needs its own bytes and a NUL; a word has at least one byte, a quoted text
     * two quotes, so twice the source is enough */
    e->texts = rc_alloc(strlen(text) + 1, 2, "an expression", err);
    if (!e->texts)
        goto done;
    RC_TRY(advance(&p));
    RC_TRY(parse_or(&p));
    if (p.token.kind != TOKEN_END)
        st = expected(&p, p.token.kind == TOKEN_OP ? "'&&', '||' or the end"
                                                   : "an operator or the end of the expression");
    if (st == RC_OK)
        st = rc_expr_check(e, fields, enumerated, fields, err);
done:
    if (st < 0)
        rc_expr_free(e);
    else
        *out = e;
    return st;
}
