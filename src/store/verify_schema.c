#include "config.h"
#include "base/str.h"
#include "store/h5_private.h"
#include "store/verify_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- attributes */

/* An attribute with a text.
 * \param[in] expected  NULL: any text */
static void check_text(
    rc_verify_t *v, hid_t object, const char *path, const char *name, const char *expected)
{
    char what[512];
    char *text = rc_h5_get_text(object, name);
    if (expected && (!text || strcmp(text, expected) != 0)) {
        snprintf(what, sizeof what, "attribute %s = '%s'", name, expected);
        rc_verify_say(v, path, -1, what, text ? "'%s'" : "none%s", text ? text : "");
    } else if (!text || !text[0]) {
        snprintf(what, sizeof what, "attribute %s with a text", name);
        rc_verify_say(v, path, -1, what, "none");
    }
    free(text);
}

/* Titles and descriptions may be worded in another way by another version.
 * \param[in] fields  that the version of the store has, which are the first ones */
static void check_description(
    rc_verify_t *v, hid_t d, const rc_schema_table_t *t, const char *path, int fields)
{
    char key[64];
    check_text(v, d, path, "CLASS", "TABLE");
    check_text(v, d, path, "VERSION", "3.0");
    check_text(v, d, path, "TITLE", NULL);
    for (int i = 0; i < fields; i++) {
        snprintf(key, sizeof key, "FIELD_%d_NAME", i);
        check_text(v, d, path, key, t->field[i].name);
        snprintf(key, sizeof key, "FIELD_%d_DESCRIPTION", i);
        check_text(v, d, path, key, NULL);
        snprintf(key, sizeof key, "FIELD_%d_UNITS", i);
        if (t->field[i].unit[0])
            check_text(v, d, path, key, t->field[i].unit);
    }
}

/* -------------------------------------------------------------------------- types */

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
static void check_names(rc_verify_t *v, hid_t type, const rc_schema_field_t *f, const char *path)
{
    int n = H5Tget_nmembers(type);
    int known = 0;
    while (f->names[known])
        known++;
    if (n > known || (n < known && v->version == RC_SCHEMA_NOW)) {
        char what[128];
        snprintf(what, sizeof what, "field %s: an enumeration of %d names", f->name, known);
        rc_verify_say(v, path, -1, what, "%d", n);
    }
    for (int i = 0; i < n; i++) {
        int32_t value = -1;
        char what[128];
        char *name = H5Tget_member_name(type, (unsigned)i);
        if (!name || H5Tget_member_value(type, (unsigned)i, &value) < 0 || value != i ||
            (i < known && strcmp(name, f->names[i]) != 0)) {
            snprintf(what, sizeof what, "field %s: name %d of the enumeration is '%s'", f->name, i,
                i < known ? f->names[i] : "?");
            rc_verify_say(v, path, -1, what, "'%s' = %d", name ? name : "", (int)value);
        }
        H5free_memory(name);
    }
    if (n < 1)
        rc_verify_say(v, path, -1, "an enumeration with names", "field %s has none", f->name);
}

static void check_field(rc_verify_t *v, hid_t row, const rc_schema_field_t *f, const char *path)
{
    char what[160];
    int at = H5Tget_member_index(row, f->name);
    if (at < 0) {
        snprintf(what, sizeof what, "field %s", f->name);
        rc_verify_say(v, path, -1, what, "none of that name");
        return;
    }
    hid_t type = H5Tget_member_type(row, (unsigned)at);
    size_t offset = H5Tget_member_offset(row, (unsigned)at);
    const char *other = type < 0 ? "no type" : other_type(type, f);
    snprintf(what, sizeof what, "field %s of type %s, %zu bytes at byte %zu", f->name,
        type_names[f->type], f->size, f->offset);
    if (other)
        rc_verify_say(v, path, -1, what, "%s", other);
    else if (offset != f->offset)
        rc_verify_say(v, path, -1, what, "it at byte %zu", offset);
    else if (f->type == RC_FT_ENUM)
        check_names(v, type, f, path);
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
static hid_t open_dataset(rc_verify_t *v, const char *path, int rank)
{
    char what[64];
    hid_t d =
        H5Lexists(v->h.file, path, H5P_DEFAULT) > 0 ? H5Dopen2(v->h.file, path, H5P_DEFAULT) : -1;
    snprintf(what, sizeof what, "a dataset with %d dimension%s", rank, rank > 1 ? "s" : "");
    if (d < 0)
        rc_verify_say(v, path, -1, what, "none");
    else if (rank_of(d) != rank) {
        rc_verify_say(v, path, -1, what, "%d", rank_of(d));
        (void)rc_h5_drop(d);
        d = -1;
    }
    return d;
}

static void check_table(rc_verify_t *v, const rc_schema_table_t *t, const char *path)
{
    char what[64];
    hid_t d = open_dataset(v, path, 1);
    if (d < 0)
        return;
    hid_t row = H5Dget_type(d);
    size_t bytes = 0;
    int fields = rc_schema_fields(t, v->version, &bytes);
    snprintf(what, sizeof what, "rows of %d fields in %zu bytes", fields, bytes);
    if (row < 0 || H5Tget_class(row) != H5T_COMPOUND)
        rc_verify_say(v, path, -1, what, "another type");
    else {
        if (H5Tget_nmembers(row) != fields || H5Tget_size(row) != bytes)
            rc_verify_say(v, path, -1, what, "%d fields in %zu bytes", H5Tget_nmembers(row),
                H5Tget_size(row));
        for (int i = 0; i < fields; i++)
            check_field(v, row, &t->field[i], path);
        check_description(v, d, t, path, fields);
    }
    (void)RC_H5_DROP(1, row, d);
}

/* A dataset of plain numbers, opened; -1 after a report. */
static hid_t open_numbers(rc_verify_t *v, const char *path, int rank, hid_t type, const char *name)
{
    hid_t d = open_dataset(v, path, rank);
    hid_t found = d < 0 ? -1 : H5Dget_type(d);
    if (d >= 0 && (found < 0 || H5Tequal(found, type) <= 0)) {
        rc_verify_say(v, path, -1, name, "another type");
        (void)rc_h5_drop(d);
        d = -1;
    }
    (void)rc_h5_drop(found);
    return d;
}

/* ----------------------------------------------------------------------- features */

static void check_columns(rc_verify_t *v, hid_t d, const char *path)
{
    hsize_t dims[2] = {0, 0};
    rc_words_t words = {0};
    hid_t space = H5Dget_space(d);
    char *names = rc_h5_get_text(d, "names");
    if (space < 0 || H5Sget_simple_extent_dims(space, dims, NULL) != 2)
        rc_verify_say(v, path, -1, "an extent", "none");
    else if (!names || rc_words_split(names, ',', &words, NULL) < 0)
        rc_verify_say(v, path, -1, "attribute names with the names of the columns", "'%s'",
            names ? names : "");
    else if ((hsize_t)words.count != dims[1]) {
        char what[64];
        snprintf(what, sizeof what, "%d columns, as attribute names has", words.count);
        rc_verify_say(v, path, -1, what, "%llu", (unsigned long long)dims[1]);
    }
    for (int i = 0; i < words.count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(words.word[i], words.word[k]) == 0)
                rc_verify_say(
                    v, path, -1, "a name of its own for each column", "'%s' twice", words.word[i]);
    rc_words_free(&words);
    free(names);
    (void)rc_h5_drop(space);
}

static void check_set(rc_verify_t *v, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%.100s/rows", RC_FEATURES_PATH, name);
    check_table(v, &rc_schema_feature_rows, path);
    snprintf(path, sizeof path, "%s/%.100s/values", RC_FEATURES_PATH, name);
    hid_t d = open_numbers(v, path, 2, H5T_NATIVE_DOUBLE, "values of type float64");
    if (d < 0)
        return;
    check_columns(v, d, path);
    (void)rc_h5_drop(d);
}

/* --------------------------------------------------------------------------- root */

static void check_root(rc_verify_t *v)
{
    rc_h5_about_t about;
    rc_err_t err = {0};
    if (rc_h5_about(&v->h, &about, &err) < 0)
        rc_verify_say(v, "/", -1, "attributes created_utc and schema_minor", "%s", err.text);
    else
        v->version = RC_SCHEMA_VERSION(about.major, about.minor);
    check_text(v, v->h.file, "/", "writer", NULL);
}

rc_status_t rc_verify_schema(rc_verify_t *v, rc_err_t *err)
{
    rc_words_t sets = {0};
    check_root(v);
    for (int i = 0; i < RC_T_COUNT; i++)
        check_table(v, &rc_schema[i], rc_schema[i].path);
    hid_t d = open_numbers(v, RC_SAMPLES_PATH, 1, H5T_NATIVE_INT64, "values of type int64");
    if (d >= 0) {
        check_text(v, d, RC_SAMPLES_PATH, "units", "ns");
        check_text(v, d, RC_SAMPLES_PATH, "description", NULL);
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
