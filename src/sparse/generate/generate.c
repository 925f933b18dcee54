#include "config.h"
#include "sparse/generate.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RC_GENERATOR(id) extern const rc_generator_t rc_generator_##id;
#include "sparse/generate/generators.def"
#undef RC_GENERATOR

#define RC_GENERATOR(id) &rc_generator_##id,
const rc_generator_t *const rc_generators[] = {
#include "sparse/generate/generators.def"
    NULL};
#undef RC_GENERATOR

/* "; did you mean 'x'?" or the valid names, into a message. */
static void suggest(const char *word, const char *const *names, int count, rc_str_t *out)
{
    const char *near = rc_similar(word, names, count);
    if (near) {
        rc_str_addf(out, "did you mean '%s'?", near);
        return;
    }
    rc_str_add(out, "expected one of ");
    for (int i = 0; i < count; i++)
        rc_str_addf(out, "%s%s", i ? ", " : "", names[i]);
}

static rc_status_t unknown(rc_status_t status, const char *kind, const char *word,
    const char *const *names, int count, rc_err_t *err)
{
    rc_str_t text = {0};
    suggest(word, names, count, &text);
    rc_fail(err, status, "unknown %s '%s'; %s", kind, word, text.text ? text.text : "");
    rc_str_free(&text);
    return status;
}

static rc_status_t find(const char *name, const rc_generator_t **out, rc_err_t *err)
{
    int n = 0;
    for (; rc_generators[n]; n++) {
        if (strcmp(rc_generators[n]->name, name) == 0) {
            *out = rc_generators[n];
            return RC_OK;
        }
    }
    const char **names = rc_alloc((size_t)n, sizeof *names, "names of generators", err);
    if (!names)
        return RC_ENOMEM;
    for (int i = 0; i < n; i++)
        names[i] = rc_generators[i]->name;
    rc_status_t st = unknown(RC_ENOENT, "generator", name, names, n, err);
    free(names);
    return st;
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
    rc_status_t st = rc_parse_double(text, p->name, &value, err);
    if (st < 0)
        return st;
    if (value < p->min || value > p->max || (p->is_whole && value != floor(value)))
        return rc_fail(err, RC_EINVAL, "%s: expected a %snumber from %.10g to %.10g, found %s",
            p->name, p->is_whole ? "whole " : "", p->min, p->max, text);
    *out = value;
    return RC_OK;
}

/* One "key=value"; changes the word. */
static rc_status_t set(
    const rc_generator_t *g, char *word, double *value, int64_t *seed, rc_err_t *err)
{
    const char *names[RC_GEN_PARAMS_MAX + 1];
    int n = param_count(g);
    char *equals = strchr(word, '=');
    if (!equals)
        return rc_fail(err, RC_EINVAL, "expected key=value, found '%s'", word);
    *equals = '\0';
    if (strcmp(word, "seed") == 0) {
        rc_status_t st = rc_parse_int(equals + 1, 0, INT64_MAX, "seed", seed, err);
        return st == RC_ERANGE
                   ? rc_fail(err, RC_EINVAL, "seed: expected 0 to %" PRId64 ", found %s", INT64_MAX,
                         equals + 1)
                   : st;
    }
    for (int i = 0; i < n; i++) {
        if (strcmp(word, g->param[i].name) == 0)
            return set_param(&g->param[i], equals + 1, &value[i], err);
        names[i] = g->param[i].name;
    }
    names[n] = "seed";
    return unknown(RC_EINVAL, "parameter", word, names, n + 1, err);
}

/* The part of a spec behind the colon. */
static rc_status_t set_all(
    const rc_generator_t *g, const char *text, double *value, int64_t *seed, rc_err_t *err)
{
    rc_words_t words = {NULL, 0};
    rc_status_t st = rc_words_split(text, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        st = set(g, words.word[i], value, seed, err);
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
    const rc_generator_t *g;
    double value[RC_GEN_PARAMS_MAX];
    int64_t seed = 1;
    const char *colon = strchr(spec, ':');
    rc_str_t name = {0};
    rc_str_addn(&name, spec, colon ? (size_t)(colon - spec) : strlen(spec));
    if (name.failed)
        return rc_fail(err, RC_ENOMEM, "no memory for a generator's name");
    rc_status_t st;
    RC_TRY(find(name.text, &g, err));
    for (int i = 0; i < param_count(g); i++)
        value[i] = g->param[i].value;
    if (colon)
        RC_TRY(set_all(g, colon + 1, value, &seed, err));
    st = g->generate(value, (uint64_t)seed, out, err);
    if (st < 0)
        rc_err_context(err, "generator %s", g->name);
    else if (version)
        *version = g->version;
done:
    rc_str_free(&name);
    return st;
}
