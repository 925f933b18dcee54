#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "table/view_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a set has a trait: the name of its column, and whether it is there as its root. */
static const struct {
    const char *set;
    const char *column[RC_TRAITS]; /* NULL: none */
    int is_root;
} sources[] = {
    {"nisa", {[RC_TRAIT_VARIANCE] = "nnz_sigma"},
        1}, /* also in stores that are older than the next one */
    {"lane", {[RC_TRAIT_VARIANCE] = "nnz_variance", [RC_TRAIT_SYMMETRY] = "pattern_symmetry"}, 0},
    {"jiang",
        {[RC_TRAIT_DENSE_RATIO] = "dense_ratio", [RC_TRAIT_REST_SIMILARITY] = "rest_similarity"},
        0},
};

static int column_of(const rc_words_t *names, const char *name)
{
    for (int i = 0; name && i < names->count; i++)
        if (strcmp(names->word[i], name) == 0)
            return i;
    return -1;
}

static rc_status_t read_set(rc_view_t *v, const rc_h5_t *h, size_t source, rc_err_t *err)
{
    rc_row_feature_t *row = NULL;
    double *value = NULL;
    char *names = NULL;
    rc_words_t list = {0};
    int64_t n = 0;
    int columns = 0;
    rc_status_t st;
    RC_TRY(rc_h5_read_features(h, sources[source].set, &row, &value, &n, &columns, &names, err));
    RC_TRY(rc_words_split(names, ',', &list, err));
    for (int t = 0; t < RC_TRAITS && list.count == columns; t++) {
        int c = column_of(&list, sources[source].column[t]);
        for (int64_t i = 0; c >= 0 && i < n; i++) {
            double x = value[i * columns + c];
            if (row[i].matrix >= 0 && (size_t)row[i].matrix < v->dicts.d[RC_T_MATRIX].count)
                v->trait[t][row[i].matrix] = sources[source].is_root ? x * x : x;
        }
    }
done:
    free(row);
    free(value);
    free(names);
    rc_words_free(&list);
    return st;
}

rc_status_t rc_view_read_traits(rc_view_t *v, const rc_h5_t *h, rc_err_t *err)
{
    size_t matrices = v->dicts.d[RC_T_MATRIX].count;
    rc_words_t sets;
    for (int t = 0; t < RC_TRAITS; t++) {
        v->trait[t] = rc_alloc(matrices, sizeof *v->trait[t], "traits of matrices", err);
        RC_PASS(v->trait[t] ? RC_OK : RC_ENOMEM);
        for (size_t m = 0; m < matrices; m++)
            v->trait[t][m] = NAN;
    }
    rc_status_t st = rc_h5_feature_sets(h, &sets, err);
    for (size_t source = 0; source < sizeof sources / sizeof *sources; source++)
        for (int s = 0; s < sets.count && st == RC_OK; s++)
            if (strcmp(sets.word[s], sources[source].set) == 0)
                st = read_set(v, h, source, err);
    rc_words_free(&sets);
    return st;
}

const char *const rc_regular_names[] = {"regular", "irregular", "unknown", NULL};

rc_regular_t rc_view_regular(const rc_view_t *v, int32_t matrix)
{
    const double most = 10;
    const double variance = v->trait[RC_TRAIT_VARIANCE][matrix];
    if (isnan(variance))
        return RC_REGULAR_UNKNOWN;
    return variance <= most ? RC_REGULAR : RC_IRREGULAR;
}

void rc_view_take_training(rc_view_t *v, unsigned char *marks)
{
    free(v->training);
    v->training = marks;
}

const unsigned char *rc_view_training(const rc_view_t *v)
{
    return v->training;
}
