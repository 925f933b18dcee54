#include "config.h"
#include "analysis/boost_trees.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* What is left to read. */
typedef struct cursor {
    const unsigned char *at;
    const unsigned char *end;
    rc_err_t *err;
} cursor_t;

enum { NESTING_MAX = 32 };

static rc_status_t foreign(const cursor_t *c, const char *expected)
{
    return rc_fail(c->err, RC_EFORMAT,
        "XGBoost's model: expected %s, found something else %lld bytes before its end", expected,
        (long long)(c->end - c->at));
}

static int left(const cursor_t *c, uint64_t bytes)
{
    return (uint64_t)(c->end - c->at) >= bytes;
}

static int next_is(const cursor_t *c, unsigned char marker)
{
    return left(c, 1) && *c->at == marker;
}

static int take(cursor_t *c, unsigned char marker)
{
    int is = next_is(c, marker);
    c->at += is;
    return is;
}

/* Bytes of a number of a type; 0: no type of numbers. */
static int width_of(unsigned char type)
{
    switch (type) {
    case 'i':
    case 'U':
        return 1;
    case 'I':
        return 2;
    case 'l':
    case 'd':
        return 4;
    case 'L':
    case 'D':
        return 8;
    default:
        return 0;
    }
}

/* Numbers have their first byte first. */
static uint64_t word(const unsigned char *at, int width)
{
    uint64_t x = 0;
    for (int i = 0; i < width; i++)
        x = x << 8 | at[i];
    return x;
}

static int64_t whole(unsigned char type, uint64_t x)
{
    switch (type) {
    case 'i':
        return (int8_t)x;
    case 'I':
        return (int16_t)x;
    case 'l':
        return (int32_t)x;
    default:
        return (int64_t)x;
    }
}

/* An integer with its type before it. */
static rc_status_t read_whole(cursor_t *c, const char *expected, int64_t *out)
{
    unsigned char type = left(c, 1) ? *c->at : 0;
    int width = type == 'd' || type == 'D' ? 0 : width_of(type);
    if (width == 0 || !left(c, 1 + (uint64_t)width))
        return foreign(c, expected);
    *out = whole(type, word(c->at + 1, width));
    c->at += 1 + width;
    return RC_OK;
}

static rc_status_t read_text(cursor_t *c, const char **text, int64_t *length)
{
    rc_status_t st = read_whole(c, "the length of a text", length);
    if (st < 0)
        return st;
    if (*length < 0 || !left(c, (uint64_t)*length))
        return foreign(c, "a text");
    *text = (const char *)c->at;
    c->at += *length;
    return RC_OK;
}

/* What an array begins with.  \param[out] type   of its numbers, 0: values of any type
 * \param[out] count  -1: it ends with a bracket */
static rc_status_t open_array(cursor_t *c, unsigned char *type, int64_t *count)
{
    *type = 0;
    *count = -1;
    if (!take(c, '['))
        return foreign(c, "an array");
    if (take(c, '$')) {
        *type = left(c, 1) ? *c->at++ : 0;
        if (width_of(*type) == 0 || !next_is(c, '#'))
            return foreign(c, "numbers of a type");
    }
    if (!take(c, '#'))
        return RC_OK;
    rc_status_t st = read_whole(c, "the length of an array", count);
    return st == RC_OK && *count < 0 ? foreign(c, "the length of an array") : st;
}

static rc_status_t skip(cursor_t *c, int depth);

static rc_status_t skip_array(cursor_t *c, int depth)
{
    unsigned char type;
    int64_t count;
    rc_status_t st = open_array(c, &type, &count);
    if (st == RC_OK && type) {
        uint64_t width = (uint64_t)width_of(type);
        if ((uint64_t)count > (uint64_t)(c->end - c->at) / width)
            return foreign(c, "an array");
        c->at += (uint64_t)count * width;
        return RC_OK;
    }
    for (int64_t i = 0; st == RC_OK && (count < 0 ? !next_is(c, ']') : i < count); i++)
        st = skip(c, depth + 1);
    c->at += st == RC_OK && count < 0;
    return st;
}

/* Any value. */
static rc_status_t skip(cursor_t *c, int depth)
{
    const char *text;
    int64_t length;
    rc_status_t st = RC_OK;
    unsigned char type = left(c, 1) ? *c->at : 0;
    if (depth > NESTING_MAX)
        return foreign(c, "values that are nested less");
    if (type == '[')
        return skip_array(c, depth);
    c->at += type != 0;
    if (type == 'S')
        return read_text(c, &text, &length);
    if (type == '{') {
        while (st == RC_OK && !take(c, '}')) {
            st = read_text(c, &text, &length);
            if (st == RC_OK)
                st = skip(c, depth + 1);
        }
        return st;
    }
    if (type == 'Z' || type == 'T' || type == 'F')
        return RC_OK;
    if (width_of(type) == 0 || !left(c, (uint64_t)width_of(type)))
        return foreign(c, "a value");
    c->at += width_of(type);
    return RC_OK;
}

/* From an object to the value of one of its keys. */
static rc_status_t enter(cursor_t *c, const char *key)
{
    if (!take(c, '{'))
        return foreign(c, key);
    while (!next_is(c, '}')) {
        const char *text;
        int64_t length;
        rc_status_t st = read_text(c, &text, &length);
        if (st == RC_OK && (size_t)length == strlen(key) && memcmp(text, key, (size_t)length) == 0)
            return RC_OK;
        if (st == RC_OK)
            st = skip(c, 0);
        if (st < 0)
            return st;
    }
    return foreign(c, key);
}

/* ------------------------------------------------------------------ trees */

/* The arrays of a tree: what each is called, and how its numbers are kept. */
enum { LEFT, RIGHT, FEATURE, VALUE, GAIN, ARRAYS };
static const char *const names[ARRAYS] = {
    "left_children", "right_children", "split_indices", "split_conditions", "loss_changes"};

static void **place(rc_boost_tree_t *t, int which)
{
    switch (which) {
    case LEFT:
        return (void **)&t->left;
    case RIGHT:
        return (void **)&t->right;
    case FEATURE:
        return (void **)&t->feature;
    case VALUE:
        return (void **)&t->value;
    default:
        return (void **)&t->gain;
    }
}

/* 4 bytes a node, of the type that the file says. */
static rc_status_t read_numbers(cursor_t *c, rc_boost_tree_t *t, int which)
{
    unsigned char type;
    int64_t count;
    uint32_t *to;
    rc_status_t st = open_array(c, &type, &count);
    int width = width_of(type);
    int is_real = which == VALUE || which == GAIN;
    if (st < 0)
        return st;
    if (is_real != (type == 'd') || type == 'D' || width == 0 || count < 1 ||
        (t->nodes > 0 && count != t->nodes) || *place(t, which) ||
        (uint64_t)count > (uint64_t)(c->end - c->at) / (uint64_t)width)
        return foreign(c, names[which]);
    to = rc_alloc((size_t)count, sizeof *to, "trees", c->err);
    if (!to)
        return RC_ENOMEM;
    *place(t, which) = to;
    t->nodes = count;
    for (int64_t i = 0; i < count; i++, c->at += width) {
        uint64_t x = word(c->at, width);
        to[i] = is_real ? (uint32_t)x : (uint32_t)(int32_t)whole(type, x);
    }
    return RC_OK;
}

static rc_status_t read_tree(cursor_t *c, rc_boost_tree_t *t)
{
    rc_status_t st = take(c, '{') ? RC_OK : foreign(c, "a tree");
    while (st == RC_OK && !take(c, '}')) {
        const char *text;
        int64_t length;
        int which = 0;
        st = read_text(c, &text, &length);
        while (st == RC_OK && which < ARRAYS &&
               ((size_t)length != strlen(names[which]) ||
                   memcmp(text, names[which], (size_t)length) != 0))
            which++;
        if (st == RC_OK)
            st = which < ARRAYS ? read_numbers(c, t, which) : skip(c, 0);
    }
    for (int which = 0; st == RC_OK && which < ARRAYS; which++)
        if (!*place(t, which))
            st = foreign(c, names[which]);
    return st;
}

static rc_status_t read_outputs(cursor_t *c, rc_boost_trees_t *out)
{
    unsigned char type;
    int64_t count;
    int64_t x = 0;
    rc_status_t st = open_array(c, &type, &count);
    if (st == RC_OK && count != out->count)
        st = foreign(c, "an output for each tree");
    for (int64_t i = 0; st == RC_OK && i < count; i++) {
        if (type && left(c, (uint64_t)width_of(type)) && type != 'd' && type != 'D') {
            x = whole(type, word(c->at, width_of(type)));
            c->at += width_of(type);
        } else {
            st = type ? foreign(c, "an output for each tree")
                      : read_whole(c, "an output for each tree", &x);
        }
        out->tree[i].output = (int32_t)x;
    }
    return st;
}

static rc_status_t read_trees(cursor_t *c, rc_boost_trees_t *out)
{
    unsigned char type;
    int64_t count;
    rc_status_t st = open_array(c, &type, &count);
    if (st == RC_OK && (type || count < 1 || !left(c, (uint64_t)count)))
        st = foreign(c, "trees, and how many");
    if (st < 0)
        return st;
    out->tree = rc_alloc0((size_t)count, sizeof *out->tree, "trees", c->err);
    if (!out->tree)
        return RC_ENOMEM;
    out->count = count;
    for (int64_t i = 0; st == RC_OK && i < count; i++)
        st = read_tree(c, &out->tree[i]);
    return st;
}

rc_status_t rc_boost_trees_read(
    const char *bytes, size_t size, rc_boost_trees_t *out, rc_err_t *err)
{
    static const char *const path[] = {"learner", "gradient_booster", "model"};
    cursor_t c = {(const unsigned char *)bytes, (const unsigned char *)bytes + size, err};
    cursor_t outputs;
    rc_status_t st = RC_OK;
    *out = (rc_boost_trees_t){0};
    for (size_t i = 0; st == RC_OK && i < sizeof path / sizeof *path; i++)
        st = enter(&c, path[i]);
    outputs = c;
    if (st == RC_OK)
        st = enter(&c, "trees");
    if (st == RC_OK)
        st = read_trees(&c, out);
    if (st == RC_OK)
        st = enter(&outputs, "tree_info");
    return st == RC_OK ? read_outputs(&outputs, out) : st;
}

void rc_boost_trees_free(rc_boost_trees_t *t)
{
    for (int64_t i = 0; t->tree && i < t->count; i++)
        for (int which = 0; which < ARRAYS; which++)
            free(*place(&t->tree[i], which));
    free(t->tree);
    *t = (rc_boost_trees_t){0};
}
