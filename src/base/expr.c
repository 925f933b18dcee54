#include "config.h"
#include "base/expr.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/map.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An expression is compiled to a straight program over one truth value, so that matching needs
 * neither a stack nor recursion, however long the expression is. */
typedef enum step_kind {
    STEP_TEST,       /* truth = left op right */
    STEP_NOT,        /* truth = !truth */
    STEP_SKIP_FALSE, /* go to `target` when false: the rest of an && chain */
    STEP_SKIP_TRUE   /* go to `target` when true: the rest of an || chain */
} step_kind_t;

/* Comparisons are the sets of signs of left - right that they hold for: 1 below, 2 equal, 4
 * above. */
typedef enum op {
    OP_TRUTH = 0, /* a lone operand */
    OP_LT = 1,
    OP_EQ = 2,
    OP_LE = 3,
    OP_GT = 4,
    OP_NE = 5,
    OP_GE = 6,
    OP_GLOB = 8,
    OP_NOT_GLOB = 9
} op_t;

typedef struct operand {
    int field;    /* index into the table, or -1 for the constant `value` */
    double scale; /* of the field's value */
    rc_value_t value;
} operand_t;

typedef struct step {
    step_kind_t kind;
    op_t op;
    operand_t left;
    operand_t right;
    size_t position; /* of the left operand in the source, from 1 */
    size_t target;
} step_t;

struct rc_expr {
    step_t *step;
    size_t steps;
    size_t capacity;
    char *texts; /* the text constants, each with its NUL */
};

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
    const char *meant = *at == '&' ? "'&&'" : *at == '|' ? "'||'" : "a field, value or operator";
    if (*at > ' ' && *at <= '~')
        return rc_fail(
            p->err, RC_EINVAL, "position %zu: expected %s, found '%c'", position, meant, *at);
    return rc_fail(p->err, RC_EINVAL, "position %zu: expected %s, found byte 0x%02x (quote text)",
        position, meant, (unsigned)(unsigned char)*at);
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
        {">=", TOKEN_OP, OP_GE}, {"=", TOKEN_OP, OP_EQ}, {"<", TOKEN_OP, OP_LT},
        {">", TOKEN_OP, OP_GT}, {"~", TOKEN_OP, OP_GLOB}, {"!", TOKEN_NOT, OP_TRUTH},
        {"(", TOKEN_OPEN, OP_TRUTH}, {")", TOKEN_CLOSE, OP_TRUTH}};
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

/* Bytes of a token in a message. */
static int shown(const token_t *t)
{
    return t->n > 40 ? 40 : (int)t->n;
}

static int is_word(const token_t *t, const char *word)
{
    return t->kind == TOKEN_WORD && t->n == strlen(word) && memcmp(t->at, word, t->n) == 0;
}

static rc_status_t expected(const parser_t *p, const char *what)
{
    const token_t *t = &p->token;
    if (t->kind == TOKEN_END)
        return rc_fail(p->err, RC_EINVAL,
            "position %zu: expected %s, found the end of the expression", t->position, what);
    return rc_fail(p->err, RC_EINVAL, "position %zu: expected %s, found '%.*s'", t->position, what,
        shown(t), t->at);
}

/* ---------------------------------------------------------------- operands */

/* An exact integer when the number is one that int64_t holds, else a double.
 * 1: it is a number; 0: it is not one; negative: a status. */
static int parse_number(const parser_t *p, const token_t *t, rc_value_t *out)
{
    char buf[64];
    char *end;
    if (t->n >= sizeof buf) /* too long for any number worth writing */
        return 0;
    memcpy(buf, t->at, t->n);
    buf[t->n] = '\0';
    double r = strtod(buf, &end);
    double factor = !*end ? 1 : *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : 0;
    /* strtod takes hexadecimal numbers and words as well */
    if (end == buf || end > buf + strspn(buf, "+-.0123456789eE") || factor == 0 || (*end && end[1]))
        return 0;
    *end = '\0';
    int64_t i;
    int64_t f = (int64_t)factor;
    if (!strpbrk(buf, ".eE") &&
        rc_parse_int(buf + (*buf == '+'), INT64_MIN / f, INT64_MAX / f, "", &i, NULL) == RC_OK) {
        *out = (rc_value_t){.kind = RC_VALUE_INT, .i = i * f};
        return 1;
    }
    r *= factor;
    if (!isfinite(r))
        return rc_fail(p->err, RC_EINVAL, "position %zu: the number '%.*s' is out of range",
            t->position, (int)t->n, t->at);
    *out = fabs(r) < 0x1p53 && r == floor(r) ? (rc_value_t){.kind = RC_VALUE_INT, .i = (int64_t)r}
                                             : (rc_value_t){.kind = RC_VALUE_REAL, .r = r};
    return 1;
}

static int find_field(const parser_t *p, const token_t *t, double *scale)
{
    return t->kind == TOKEN_WORD ? rc_field_find(p->field, p->fields, t->at, t->n, scale) : -1;
}

static rc_status_t unknown_field(const parser_t *p, const token_t *t)
{
    char word[48];
    snprintf(word, sizeof word, "%.*s", shown(t), t->at);
    (void)rc_field_unknown(p->field, p->fields, word, p->err);
    return rc_err_context(p->err, "position %zu", t->position);
}

static void text_operand(parser_t *p, const token_t *t, operand_t *out)
{
    char *to = p->out->texts + p->texts_used;
    memcpy(to, t->at, t->n);
    to[t->n] = '\0';
    p->texts_used += t->n + 1;
    *out = (operand_t){.field = -1, .value = {.kind = RC_VALUE_TEXT, .text = to}};
}

/* \param other  the token on the other side of the operator, or NULL for a lone operand: beside
 *               a text field a bare word is text */
static rc_status_t resolve(parser_t *p, const token_t *t, const token_t *other, operand_t *out)
{
    if (t->kind == TOKEN_QUOTED) {
        text_operand(p, t, out);
        return RC_OK;
    }
    double scale = 1;
    int field = find_field(p, t, &scale);
    if (field >= 0) {
        *out = (operand_t){.field = field, .scale = scale};
        return RC_OK;
    }
    *out = (operand_t){.field = -1};
    int number = parse_number(p, t, &out->value);
    if (number < 0)
        return RC_EINVAL;
    if (number)
        return RC_OK;
    int beside = other ? find_field(p, other, NULL) : -1;
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
    int text[] = {is_text(p, &s->left), is_text(p, &s->right)};
    int glob = s->op == OP_GLOB || s->op == OP_NOT_GLOB;
    for (int i = 0; glob && i < 2; i++)
        if (!text[i])
            return rc_fail(p->err, RC_EINVAL,
                "position %zu: expected text beside '~', found the number '%.*s'",
                both[i]->position, shown(both[i]), both[i]->at);
    if (text[0] != text[1]) {
        const token_t *t = both[text[1]];
        const token_t *number = both[text[0]];
        return rc_fail(p->err, RC_EINVAL,
            "position %zu: cannot compare the text '%.*s' with the number '%.*s' (position %zu); "
            "put quotes around it if it is text",
            t->position, shown(t), t->at, shown(number), number->at, number->position);
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

enum { LEVELS = 2 };
static rc_status_t parse_chain(parser_t *p, int level);

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
        RC_PASS(parse_chain(p, 0));
        if (p->token.kind != TOKEN_CLOSE)
            return expected(p, "'&&', '||' or ')'");
        p->depth--;
        RC_PASS(advance(p));
    }
    return negate ? emit(p, &(step_t){.kind = STEP_NOT}) : RC_OK;
}

/* part (sign part)*, the parts being chains of the next level: between two parts stands a jump to
 * the next jump or to the end; a jump to a jump of the same kind is taken again, so one target each
 * is enough. */
static rc_status_t parse_chain(parser_t *p, int level)
{
    static const struct {
        token_kind_t sign;
        step_kind_t skip;
    } chain[LEVELS] = {{TOKEN_OR, STEP_SKIP_TRUE}, {TOKEN_AND, STEP_SKIP_FALSE}};
    if (level == LEVELS)
        return parse_not(p);
    RC_PASS(parse_chain(p, level + 1));
    while (p->token.kind == chain[level].sign) {
        RC_PASS(advance(p));
        size_t jump = p->out->steps;
        RC_PASS(emit(p, &(step_t){.kind = chain[level].skip}));
        RC_PASS(parse_chain(p, level + 1));
        p->out->step[jump].target = p->out->steps;
    }
    return RC_OK;
}

/* ------------------------------------------------------------------ values */

enum { NAMED_VALUES = 12, NAME = 64 }; /* in the text of an error; bytes of one */

/* Of the values of a field: those like an unknown one, and the first names, each once. */
static rc_status_t unknown_value(const step_t *s, int side, const rc_field_t *fields,
    rc_field_value_fn *value, const void *table, rc_err_t *err)
{
    const int at = side ? s->right.field : s->left.field;
    const char *found = (side ? s->left : s->right).value.text;
    char name[NAME] = ""; /* of a value, without parameters */
    char near[NAME] = "";
    char stem[NAME]; /* of a pattern */
    char hint[2 * NAME] = "";
    const char *longer = NULL; /* begins as `stem` does */
    int distinct = 0, begins = 0;
    rc_str_t list = {0};
    rc_map_t seen = {0};
    rc_status_t st = RC_OK;
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(found, "*"), found);
    for (int i = 0; st == RC_OK && value(table, at, i); i++) {
        const char *v = value(table, at, i);
        const char *const like[] = {v, name, near};
        if (!v[0] || rc_map_get(&seen, rc_map_text(v), 0))
            continue; /* "" is no help, nor is the same once more */
        snprintf(name, sizeof name, "%.*s", strchr(v, '=') ? (int)strcspn(v, ":") : NAME - 1, v);
        const int is_named = rc_map_get(&seen, rc_map_text(name), 0) != 0;
        st = rc_map_set(&seen, rc_map_text(v), 1, err);
        st = st == RC_OK ? rc_map_set(&seen, rc_map_text(name), 1, err) : st;
        const char *best = rc_similar(stem, like, near[0] ? 3 : 2);
        if (best && best != near)
            snprintf(near, sizeof near, "%s", best);
        if (stem[0] && strncmp(v, stem, strlen(stem)) == 0 && ++begins)
            longer = v;
        if (!is_named && distinct++ < NAMED_VALUES)
            rc_str_addf(&list, "%s%s", list.len ? ", " : "; values: ", name);
    }
    if (begins > 1)
        snprintf(hint, sizeof hint, "; did you mean %s ~ '%s*'?", rc_field_said(&fields[at]), stem);
    else if (begins || near[0])
        snprintf(hint, sizeof hint, "; did you mean '%s'?", begins ? longer : near);
    if (st == RC_OK)
        st = rc_fail(err, RC_EINVAL, "position %zu: no %s is %s'%.60s'%s%s", s->position,
            rc_field_said(&fields[at]), s->op == OP_GLOB ? "like " : "", found,
            hint[0]                     ? hint
            : list.text && !list.failed ? list.text
                                        : "",
            !hint[0] && distinct > NAMED_VALUES ? ", ..." : "");
    rc_map_free(&seen);
    rc_str_free(&list);
    return st;
}

/* \param side  of the field: 0 or 1 */
static rc_status_t check_side(const step_t *s, int side, const rc_field_t *fields,
    rc_field_value_fn *value, const void *table, rc_err_t *err)
{
    const operand_t *both[] = {&s->left, &s->right};
    const operand_t *other = both[1 - side];
    int field = both[side]->field;
    int n = 0;
    if (field < 0 || other->field >= 0 || other->value.kind != RC_VALUE_TEXT)
        return RC_OK;
    const char *found = other->value.text;
    for (const char *v; (v = value(table, field, n)) != NULL; n++)
        if (s->op == OP_GLOB ? rc_glob_match(found, v) || rc_glob_match_spec(found, v)
                             : strcmp(v, found) == 0)
            return RC_OK;
    return n == 0 ? RC_OK : unknown_value(s, side, fields, value, table, err);
}

rc_status_t rc_expr_check(const rc_expr_t *e, const rc_field_t *fields, rc_field_value_fn *value,
    const void *table, int patterns, rc_err_t *err)
{
    for (size_t i = 0; e && i < e->steps; i++) {
        const step_t *s = &e->step[i];
        const int is_pattern = patterns && s->op == OP_GLOB;
        if (s->kind != STEP_TEST || (s->op != OP_EQ && s->op != OP_NE && !is_pattern))
            continue;
        for (int side = 0; side < (is_pattern ? 1 : 2); side++)
            RC_PASS(check_side(s, side, fields, value, table, err));
    }
    return RC_OK;
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
    rc_status_t st;
    rc_expr_t *e = rc_alloc0(1, sizeof *e, "an expression", err);
    parser_t p = {
        .source = text, .next = text, .field = fields, .fields = field_count, .out = e, .err = err};
    RC_PASS(e ? RC_OK : RC_ENOMEM);
    /* each constant needs its own bytes and a NUL; a word has at least one byte, a quoted text
     * two quotes, so twice the source is enough */
    e->texts = rc_alloc(strlen(text) + 1, 2, "an expression", err);
    RC_TRY(e->texts ? RC_OK : RC_ENOMEM);
    RC_TRY(advance(&p));
    RC_TRY(parse_chain(&p, 0));
    if (p.token.kind != TOKEN_END)
        st = expected(&p, p.token.kind == TOKEN_OP ? "'&&', '||' or the end"
                                                   : "an operator or the end of the expression");
    if (st == RC_OK)
        st = rc_expr_check(e, fields, enumerated, fields, 0, err);
done:
    if (st < 0)
        rc_expr_free(e);
    else
        *out = e;
    return st;
}

/* ------------------------------------------------------------------- match */

static int is_whole(const rc_value_t *v)
{
    return v->kind == RC_VALUE_INT || v->kind == RC_VALUE_BOOL;
}

static int truth_of(const rc_value_t *v)
{
    if (v->kind == RC_VALUE_TEXT)
        return v->text[0] != '\0';
    return is_whole(v) ? v->i != 0 : v->r != 0 && !isnan(v->r);
}

/* sign: of left - right */
static int holds(op_t op, int sign)
{
    return op < OP_GLOB && (op >> (sign + 1) & 1);
}

static void get_operand(const operand_t *o, rc_field_get_fn *get, const void *row, rc_value_t *out)
{
    if (o->field < 0)
        return;
    get(row, o->field, out);
    if (o->scale != 1)
        *out = (rc_value_t){
            .kind = RC_VALUE_REAL, .r = o->scale * (is_whole(out) ? (double)out->i : out->r)};
}

static int test(const step_t *s, rc_field_get_fn *get, const void *row)
{
    rc_value_t a = s->left.value;
    rc_value_t b = s->right.value;
    get_operand(&s->left, get, row, &a);
    if (s->op == OP_TRUTH)
        return truth_of(&a);
    get_operand(&s->right, get, row, &b);
    if (a.kind == RC_VALUE_TEXT && b.kind == RC_VALUE_TEXT) {
        if (s->op == OP_GLOB || s->op == OP_NOT_GLOB)
            return rc_glob_match(b.text, a.text) == (s->op == OP_GLOB);
        int order = strcmp(a.text, b.text);
        return holds(s->op, (order > 0) - (order < 0));
    }
    if (a.kind == RC_VALUE_TEXT || b.kind == RC_VALUE_TEXT)
        return 0; /* the other one is missing: kinds were checked */
    if (is_whole(&a) && is_whole(&b))
        return holds(s->op, (a.i > b.i) - (a.i < b.i));
    double x = is_whole(&a) ? (double)a.i : a.r;
    double y = is_whole(&b) ? (double)b.i : b.r;
    return !isnan(x) && !isnan(y) && holds(s->op, (x > y) - (x < y));
}

int rc_expr_match(const rc_expr_t *e, rc_field_get_fn *get, const void *row)
{
    int truth = 1;
    for (size_t i = 0; e && i < e->steps;) {
        const step_t *s = &e->step[i++];
        if (s->kind == STEP_TEST)
            truth = test(s, get, row);
        else if (s->kind == STEP_NOT)
            truth = !truth;
        else if (truth == (s->kind == STEP_SKIP_TRUE))
            i = s->target;
    }
    return truth;
}

void rc_expr_free(rc_expr_t *e)
{
    if (!e)
        return;
    free(e->step);
    free(e->texts);
    free(e);
}
