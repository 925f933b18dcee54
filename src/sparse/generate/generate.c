#include "config.h"
#include "sparse/generate.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/threads.h"
#include "sparse/generate/entries.h"
#include "sparse/generate/form.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define RC_GENERATOR(id) extern const rc_generator_t rc_generator_##id;
#include "sparse/generate/generators.def"

#define RC_GENERATOR(id) &rc_generator_##id,
const rc_generator_t *const rc_generators[] = {
#include "sparse/generate/generators.def"
    NULL};

/* The generator that a spec names; NULL: there is none. */
static const rc_generator_t *find(const char *spec)
{
    size_t n = strcspn(spec, ":");
    for (int i = 0; rc_generators[i]; i++)
        if (strlen(rc_generators[i]->name) == n && strncmp(rc_generators[i]->name, spec, n) == 0)
            return rc_generators[i];
    return NULL;
}

static rc_status_t unknown(const char *spec, rc_err_t *err)
{
    enum { most = 64 };
    const char *names[most];
    char name[most];
    int n = 0;
    for (; rc_generators[n] && n < most; n++)
        names[n] = rc_generators[n]->name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    return rc_fail_unknown(err, RC_ENOENT, "generator", name, names, n);
}

static int param_count(const rc_generator_t *g)
{
    int n = 0;
    while (n < RC_GEN_PARAMS_MAX && g->param[n].name)
        n++;
    return n;
}

static rc_status_t set_param(const rc_gen_param_t *p, const char *text, double *out, rc_err_t *err)
{
    double value;
    RC_PASS(rc_parse_double(text, p->name, &value, err));
    if (value < p->min || value > p->max || (p->is_whole && value != floor(value)))
        return rc_fail(err, RC_EINVAL, "%s: expected a %snumber from %.10g to %.10g, found %s",
            p->name, p->is_whole ? "whole " : "", p->min, p->max, text);
    *out = value;
    return RC_OK;
}

/* ------------------------------------------------------- keys of all generators */

static const char *const shuffle_names[] = {"none", "rows", "cols", "both", NULL};
static const char *const diagonal_names[] = {"keep", "none", "full", NULL};

const rc_gen_key_t rc_gen_keys[] = {
    {"seed", "of the pattern and the values", "1", NULL, 0, offsetof(rc_form_t, seed)},
    {"shuffle",
        "rows, columns, or both renumbered: none, rows, cols, both (one permutation of a "
        "square matrix)",
        "none", shuffle_names, 0, offsetof(rc_form_t, shuffle)},
    {"shuffle_seed", "of the renumbering", "seed", NULL, 0, offsetof(rc_form_t, shuffle_seed)},
    {"entries", "exactly so many: thinned out, or filled up beside those that are there", "as come",
        NULL, 0, offsetof(rc_form_t, entries)},
    {"diagonal", "of a square matrix: keep, none, full", "keep", diagonal_names, 0,
        offsetof(rc_form_t, diagonal)},
    {"symmetry", "share of the entries off the diagonal with a mirror image, 0 to 1", "as come",
        NULL, 1, offsetof(rc_form_t, symmetry)},
    {NULL, NULL, NULL, NULL, 0, 0},
};

static rc_status_t set_name(const rc_gen_key_t *key, const char *text, int64_t *out, rc_err_t *err)
{
    int n = 0;
    for (; key->names[n]; n++)
        if (strcmp(key->names[n], text) == 0) {
            *out = n;
            return RC_OK;
        }
    return rc_fail_unknown(err, RC_EINVAL, key->name, text, key->names, n);
}

static rc_status_t set_key(
    const rc_gen_key_t *key, const char *text, rc_form_t *form, rc_err_t *err)
{
    void *to = (char *)form + key->offset;
    if (key->names)
        return set_name(key, text, to, err);
    if (key->is_share) {
        const rc_gen_param_t p = {key->name, key->help, 1, 0, 1, 0};
        return set_param(&p, text, to, err);
    }
    rc_status_t st = rc_parse_int(text, 0, INT64_MAX, key->name, to, err);
    return st == RC_ERANGE ? rc_fail(err, RC_EINVAL, "%s: expected 0 to %" PRId64 ", found %s",
                                 key->name, INT64_MAX, text)
                           : st;
}

/* One "key=value"; changes the word. */
static rc_status_t set(
    const rc_generator_t *g, char *word, double *value, rc_form_t *form, rc_err_t *err)
{
    const char *names[RC_GEN_PARAMS_MAX + sizeof rc_gen_keys / sizeof *rc_gen_keys];
    int n = param_count(g);
    char *equals = strchr(word, '=');
    if (!equals)
        return rc_fail(err, RC_EINVAL, "expected key=value, found '%s'", word);
    *equals = '\0';
    for (int i = 0; i < n; i++) {
        if (strcmp(word, g->param[i].name) == 0)
            return set_param(&g->param[i], equals + 1, &value[i], err);
        names[i] = g->param[i].name;
    }
    for (const rc_gen_key_t *key = rc_gen_keys; key->name; key++) {
        if (strcmp(word, key->name) == 0)
            return set_key(key, equals + 1, form, err);
        names[n++] = key->name;
    }
    return rc_fail_unknown(err, RC_EINVAL, "parameter", word, names, n);
}

/* The part of a spec behind the colon. */
static rc_status_t set_all(
    const rc_generator_t *g, const char *text, double *value, rc_form_t *form, rc_err_t *err)
{
    rc_words_t words = {NULL, 0};
    rc_status_t st = rc_words_split(text, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        st = set(g, words.word[i], value, form, err);
        for (int k = 0; st == RC_OK && k < i; k++)
            if (strcmp(words.word[k], words.word[i]) == 0)
                st = rc_fail(err, RC_EINVAL, "%s is given twice", words.word[i]);
    }
    if (st < 0)
        rc_err_context(err, "generator %s", g->name);
    rc_words_free(&words);
    return st;
}

rc_status_t rc_generate(const char *spec, rc_csr_t *out, int *version, rc_err_t *err)
{
    const rc_generator_t *g = find(spec);
    double value[RC_GEN_PARAMS_MAX];
    rc_form_t form = {.seed = 1, .shuffle_seed = -1, .entries = -1, .symmetry = -1};
    const char *colon = strchr(spec, ':');
    if (!g)
        return unknown(spec, err);
    for (int i = 0; i < param_count(g); i++)
        value[i] = g->param[i].value;
    if (colon)
        RC_PASS(set_all(g, colon + 1, value, &form, err));
    rc_status_t st = g->generate ? g->generate(value, (uint64_t)form.seed, out, err)
                                 : rc_entries_build(g, value, (uint64_t)form.seed, out, err);
    if (st == RC_OK)
        st = rc_form_fit(&form, out, err);
    if (st == RC_OK)
        st = rc_form_shuffle(&form, out, err);
    if (st < 0)
        rc_err_context(err, "generator %s", g->name);
    else if (version)
        *version = g->version;
    return st;
}

rc_status_t rc_generate_within(
    const char *spec, int threads, rc_csr_t *out, int *version, rc_err_t *err)
{
    int before = omp_get_max_threads();
    omp_set_num_threads(rc_thread_count(threads)); /* of this thread only */
    rc_status_t st = rc_generate(spec, out, version, err);
    omp_set_num_threads(before);
    return st;
}

int rc_generator_version(const char *spec)
{
    const rc_generator_t *g = find(spec);
    return g ? g->version : 0;
}

int64_t rc_generate_bytes(int64_t rows, int64_t entries)
{
    return rc_sat_add(rc_sat_mul(rows, 44), rc_sat_mul(entries, 52));
}
