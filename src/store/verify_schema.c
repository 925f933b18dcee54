#include "config.h"
#include "base/str.h"
#include "store/h5_private.h"
#include "store/verify_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An attribute with a text.
 * \param[in] expected  NULL: any text */
static void check_text(
    const rc_verify_at_t *at, hid_t object, const char *name, const char *expected)
{
    char *text = rc_h5_get_text(object, name);
    const char *quote = text ? "'" : "";
    if (expected)
        rc_verify_expect(at, text && strcmp(text, expected) == 0, "attribute %s = '%s'|%s%s%s",
            name, expected, quote, text ? text : "none", quote);
    else
        rc_verify_expect(at, text && text[0], "attribute %s with a text|none", name);
    free(text);
}

/* Titles and descriptions may be worded in another way by another version.
 * \param[in] fields  that the version of the store has, which are the first ones */
static void check_description(
    const rc_verify_at_t *at, hid_t d, const rc_schema_table_t *t, int fields)
{
    char key[64];
    check_text(at, d, "CLASS", "TABLE");
    check_text(at, d, "VERSION", "3.0");
    check_text(at, d, "TITLE", NULL);
    for (int i = 0; i < fields; i++) {
        snprintf(key, sizeof key, "FIELD_%d_NAME", i);
        check_text(at, d, key, t->field[i].name);
        snprintf(key, sizeof key, "FIELD_%d_DESCRIPTION", i);
        check_text(at, d, key, NULL);
        snprintf(key, sizeof key, "FIELD_%d_UNITS", i);
        if (t->field[i].unit[0])
            check_text(at, d, key, t->field[i].unit);
    }
}

static const char *const type_names[] = {"int32", "int64", "float64", "text", "enumeration"};

/* NULL, or how a type in the file is another one than that of a field. */
static const char *other_type(hid_t type, const rc_schema_field_t *f)
{
    if (H5Tget_size(type) != f->size)
        return "another size";
    hid_t expected = rc_h5_field_type(f);
    int same = f->type == RC_FT_ENUM ? H5Tget_class(type) == H5T_ENUM
                                     : expected >= 0 && H5Tequal(type, expected) > 0;
    (void)rc_h5_drop(expected);
    return same ? NULL : "another type";
}

/* A store of an older version may lack the last names. */
static void check_names(const rc_verify_at_t *at, hid_t type, const rc_schema_field_t *f)
{
    int n = H5Tget_nmembers(type);
    int known = 0;
    while (f->names[known])
        known++;
    rc_verify_expect(at, n == known || (n < known && at->v->version != RC_SCHEMA_NOW),
        "field %s: an enumeration of %d names|%d", f->name, known, n);
    for (int i = 0; i < n; i++) {
        int32_t value = -1;
        const char *expected = i < known ? f->names[i] : "?";
        char *name = H5Tget_member_name(type, (unsigned)i);
        int is = name && H5Tget_member_value(type, (unsigned)i, &value) >= 0 && value == i &&
                 (i >= known || strcmp(name, expected) == 0);
        rc_verify_expect(at, is, "field %s: name %d of the enumeration is '%s'|'%s' = %d", f->name,
            i, expected, name ? name : "", (int)value);
        H5free_memory(name);
    }
    rc_verify_expect(at, n >= 1, "an enumeration with names|field %s has none", f->name);
}

static void check_field(const rc_verify_at_t *at, hid_t row, const rc_schema_field_t *f)
{
    int i = H5Tget_member_index(row, f->name);
    rc_verify_expect(at, i >= 0, "field %s|none of that name", f->name);
    if (i < 0)
        return;
    char place[32];
    hid_t type = H5Tget_member_type(row, (unsigned)i);
    size_t offset = H5Tget_member_offset(row, (unsigned)i);
    const char *other = type < 0 ? "no type" : other_type(type, f);
    snprintf(place, sizeof place, "it at byte %zu", offset);
    rc_verify_expect(at, !other && offset == f->offset,
        "field %s of type %s, %zu bytes at byte %zu|%s", f->name, type_names[f->type], f->size,
        f->offset, other ? other : place);
    if (!other && offset == f->offset && f->type == RC_FT_ENUM)
        check_names(at, type, f);
    (void)rc_h5_drop(type);
}

static int rank_of(hid_t d)
{
    hid_t space = H5Dget_space(d);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    (void)rc_h5_drop(space);
    return rank;
}

/* A dataset of a rank, -1 after a report. */
static hid_t open_dataset(const rc_verify_at_t *at, int rank)
{
    hid_t file = at->v->h.file;
    const char *s = rank > 1 ? "s" : "";
    hid_t d =
        H5Lexists(file, at->path, H5P_DEFAULT) > 0 ? H5Dopen2(file, at->path, H5P_DEFAULT) : -1;
    int found = d < 0 ? rank : rank_of(d);
    rc_verify_expect(at, d >= 0, "a dataset with %d dimension%s|none", rank, s);
    rc_verify_expect(at, found == rank, "a dataset with %d dimension%s|%d", rank, s, found);
    return rc_h5_kept(d, found == rank);
}

static void check_table(rc_verify_t *v, const rc_schema_table_t *t, const char *path)
{
    const rc_verify_at_t at = {v, path, -1};
    hid_t d = open_dataset(&at, 1);
    if (d < 0)
        return;
    hid_t row = H5Dget_type(d);
    size_t bytes = 0;
    int fields = rc_schema_fields(t, v->version, &bytes);
    if (row < 0 || H5Tget_class(row) != H5T_COMPOUND)
        rc_verify_expect(&at, 0, "rows of %d fields in %zu bytes|another type", fields, bytes);
    else {
        int members = H5Tget_nmembers(row);
        size_t size = H5Tget_size(row);
        rc_verify_expect(&at, members == fields && size == bytes,
            "rows of %d fields in %zu bytes|%d fields in %zu bytes", fields, bytes, members, size);
        for (int i = 0; i < fields; i++)
            check_field(&at, row, &t->field[i]);
        check_description(&at, d, t, fields);
    }
    (void)RC_H5_DROP(1, row, d);
}

/* A dataset of plain numbers, opened; -1 after a report. */
static hid_t open_numbers(const rc_verify_at_t *at, int rank, hid_t type, const char *name)
{
    hid_t d = open_dataset(at, rank);
    hid_t found = d < 0 ? -1 : H5Dget_type(d);
    int is = d < 0 || (found >= 0 && H5Tequal(found, type) > 0);
    rc_verify_expect(at, is, "values of type %s|another type", name);
    (void)rc_h5_drop(found);
    return rc_h5_kept(d, is);
}

static void check_columns(const rc_verify_at_t *at, hid_t d)
{
    hsize_t dims[2] = {0, 0};
    rc_words_t words = {0};
    hid_t space = H5Dget_space(d);
    char *names = rc_h5_get_text(d, "names");
    if (space < 0 || H5Sget_simple_extent_dims(space, dims, NULL) != 2)
        rc_verify_expect(at, 0, "an extent|none");
    else if (!names || rc_words_split(names, ',', &words, NULL) < 0)
        rc_verify_expect(
            at, 0, "attribute names with the names of the columns|'%s'", names ? names : "");
    else
        rc_verify_expect(at, (hsize_t)words.count == dims[1],
            "%d columns, as attribute names has|%llu", words.count, (unsigned long long)dims[1]);
    for (int i = 0; i < words.count; i++)
        for (int k = 0; k < i; k++)
            rc_verify_expect(at, strcmp(words.word[i], words.word[k]) != 0,
                "a name of its own for each column|'%s' twice", words.word[i]);
    rc_words_free(&words);
    free(names);
    (void)rc_h5_drop(space);
}

static void check_set(rc_verify_t *v, const char *name)
{
    char path[160];
    const rc_verify_at_t at = {v, path, -1};
    snprintf(path, sizeof path, "%s/%.100s/rows", RC_FEATURES_PATH, name);
    check_table(v, &rc_schema_feature_rows, path);
    snprintf(path, sizeof path, "%s/%.100s/values", RC_FEATURES_PATH, name);
    hid_t d = open_numbers(&at, 2, H5T_NATIVE_DOUBLE, "float64");
    if (d >= 0)
        check_columns(&at, d);
    (void)rc_h5_drop(d);
}

static void check_root(rc_verify_t *v)
{
    const rc_verify_at_t at = {v, "/", -1};
    rc_h5_about_t about;
    rc_err_t err = {0};
    if (rc_h5_about(&v->h, &about, &err) < 0)
        rc_verify_expect(&at, 0, "attributes created_utc and schema_minor|%s", err.text);
    else
        v->version = RC_SCHEMA_VERSION(about.major, about.minor);
    check_text(&at, v->h.file, "writer", NULL);
}

rc_status_t rc_verify_schema(rc_verify_t *v, rc_err_t *err)
{
    const rc_verify_at_t samples = {v, RC_SAMPLES_PATH, -1};
    rc_words_t sets = {0};
    check_root(v);
    for (int i = 0; i < RC_T_COUNT; i++)
        check_table(v, &rc_schema[i], rc_schema[i].path);
    hid_t d = open_numbers(&samples, 1, H5T_NATIVE_INT64, "int64");
    if (d >= 0) {
        check_text(&samples, d, "units", "ns");
        check_text(&samples, d, "description", NULL);
        (void)rc_h5_drop(d);
    }
    rc_status_t st = rc_h5_feature_sets(&v->h, &sets, err);
    if (st < 0)
        return rc_verify_unread(v, RC_FEATURES_PATH, st, err);
    for (int i = 0; i < sets.count; i++)
        check_set(v, sets.word[i]);
    rc_words_free(&sets);
    return RC_OK;
}
