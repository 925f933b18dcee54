#include "config.h"
#include "cmd/sort.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/listing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sort_key {
    int field;
    int descending;
} sort_key_t;

/* A row to be sorted; qsort hands no context on, so each knows where its values are. */
typedef struct sort_row {
    const rc_sort_t *sort;
    int64_t at; /* in the order they came */
    int64_t number;
} sort_row_t;

struct rc_sort {
    const rc_fields_t *fields;
    sort_key_t *key;
    int keys;
    sort_row_t *row;
    size_t rows;
    size_t row_capacity;
    rc_value_t *value; /* [rows * keys]; of a text `i` is its place in `texts` */
    size_t value_capacity;
    rc_str_t texts;
};

static rc_status_t parse(rc_sort_t *s, const char *keys, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_status_t st = rc_words_split(keys, ',', &words, err);
    if (st < 0)
        return rc_err_context(err, "--sort");
    s->key = rc_alloc((size_t)words.count, sizeof *s->key, "sort keys", err);
    st = s->key ? RC_OK : RC_ENOMEM;
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        sort_key_t *k = &s->key[i];
        k->descending = words.word[i][0] == '-';
        st = rc_listing_field(s->fields, "--sort", words.word[i] + k->descending, &k->field, err);
        s->keys++;
    }
    rc_words_free(&words);
    return st;
}

rc_status_t rc_sort_begin(
    const rc_fields_t *fields, const char *keys, rc_sort_t **out, rc_err_t *err)
{
    rc_sort_t *s = rc_alloc0(1, sizeof *s, "an order of rows", err);
    RC_PASS(s ? RC_OK : RC_ENOMEM);
    s->fields = fields;
    rc_status_t st = keys ? parse(s, keys, err) : RC_OK;
    if (st < 0)
        rc_sort_free(s);
    else
        *out = s;
    return st;
}

rc_status_t rc_sort_add(rc_sort_t *s, const void *row, int64_t number, rc_err_t *err)
{
    size_t used = s->rows * (size_t)s->keys;
    RC_PASS(RC_GROW(s->row, s->row_capacity, s->rows + 1, "rows", err));
    if (s->keys > 0)
        RC_PASS(RC_GROW(s->value, s->value_capacity, used + (size_t)s->keys, "rows", err));
    for (int i = 0; i < s->keys; i++) {
        rc_value_t *v = &s->value[used + (size_t)i];
        s->fields->get(row, s->key[i].field, v);
        if (v->kind == RC_VALUE_TEXT) {
            v->i = (int64_t)s->texts.len;
            rc_str_addn(&s->texts, v->text, strlen(v->text) + 1);
        }
    }
    if (s->texts.failed)
        return rc_fail(err, RC_ENOMEM, "no memory for the texts of the rows");
    s->row[s->rows] = (sort_row_t){s, (int64_t)s->rows, number};
    s->rows++;
    return RC_OK;
}

static int is_missing(const rc_value_t *v)
{
    return v->kind == RC_VALUE_REAL && isnan(v->r);
}

/* Of two values that are there. */
static int compare_values(const rc_sort_t *s, const rc_value_t *a, const rc_value_t *b)
{
    if (a->kind == RC_VALUE_TEXT)
        return strcmp(s->texts.text + a->i, s->texts.text + b->i);
    if (a->kind != RC_VALUE_REAL && b->kind != RC_VALUE_REAL)
        return (a->i > b->i) - (a->i < b->i);
    double x = a->kind == RC_VALUE_REAL ? a->r : (double)a->i;
    double y = b->kind == RC_VALUE_REAL ? b->r : (double)b->i;
    return (x > y) - (x < y);
}

static int compare_rows(const void *left, const void *right)
{
    const sort_row_t *a = left;
    const sort_row_t *b = right;
    const rc_sort_t *s = a->sort;
    for (int i = 0; i < s->keys; i++) {
        const rc_value_t *x = &s->value[a->at * s->keys + i];
        const rc_value_t *y = &s->value[b->at * s->keys + i];
        int order = is_missing(x) - is_missing(y);
        if (order == 0 && !is_missing(x))
            order = s->key[i].descending ? compare_values(s, y, x) : compare_values(s, x, y);
        if (order != 0)
            return order;
    }
    return (a->at > b->at) - (a->at < b->at);
}

int64_t rc_sort_end(rc_sort_t *s)
{
    if (s->keys > 0 && s->rows > 0)
        qsort(s->row, s->rows, sizeof *s->row, compare_rows);
    return (int64_t)s->rows;
}

int64_t rc_sort_number(const rc_sort_t *s, int64_t i)
{
    return s->row[i].number;
}

void rc_sort_free(rc_sort_t *s)
{
    if (!s)
        return;
    free(s->key);
    free(s->row);
    free(s->value);
    rc_str_free(&s->texts);
    free(s);
}
