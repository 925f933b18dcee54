#include "config.h"
#include "base/family.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int find_member(const rc_family_t *f, const char *name, rc_member_t *m)
{
    for (int i = 0; f->member(i, m); i++)
        if (strcmp(m->name, name) == 0)
            return i;
    return -1;
}

static rc_status_t unknown_member(const rc_family_t *f, const char *name, rc_err_t *err)
{
    enum { most = 128 };
    const char *names[most];
    rc_member_t m;
    rc_member_t first;
    int n = 0;
    for (int i = 0; n < most && f->member(i, &m); i++)
        if (!m.absent && find_member(f, m.name, &first) == i)
            names[n++] = m.name;
    return rc_fail_unknown(err, RC_ENOENT, f->noun, name, names, n);
}

rc_status_t rc_spec_parse(const rc_family_t *f, const char *text, rc_spec_t *out, rc_err_t *err)
{
    rc_words_t words;
    rc_member_t m;
    rc_status_t st = rc_words_split(text, ':', &words, err);
    if (st < 0) {
        rc_err_context(err, "%s '%s'", f->noun, text);
        return st;
    }
    rc_spec_t spec = {.member = find_member(f, words.word[0], &m)};
    if (spec.member < 0) {
        st = unknown_member(f, words.word[0], err);
        goto done;
    }
    if (m.absent)
        st = rc_fail(err, RC_ENOTSUP, "%s", m.absent);
    else
        st = rc_params_parse(m.param, words.word + 1, words.count - 1, &spec.value, err);
    if (st == RC_OK && f->identify)
        st = f->identify(spec.member, &spec.value, spec.params, err);
    if (st == RC_ENOENT) { /* a file, which is no name: those are errors of who wrote them */
        st = RC_EIO;
        if (err)
            err->status = RC_EIO;
    }
    if (st == RC_OK && !spec.params[0])
        st = rc_params_text(m.param, &spec.value, spec.params, err);
    if (st == RC_OK)
        *out = spec;
    else
        rc_err_context(err, "%s %s", f->noun, m.name);
done:
    rc_words_free(&words);
    return st;
}

/* ------------------------------------------------------------------- lists */

/* The list while it grows. */
typedef struct specs {
    const rc_family_t *family;
    const rc_specs_rule_t *rule;
    rc_spec_t *spec;
    unsigned char *pattern; /* [count] 1: of a glob or range */
    size_t capacity;
    size_t pattern_capacity;
    int count;
} specs_t;

/* A key of a word and the values that it walks. */
typedef struct walk {
    const char *name;
    const char *fixed; /* its value, when it is no range */
    int64_t first;
    int64_t last;
    int64_t at;
    int pow2;
} walk_t;

static rc_status_t push(specs_t *s, const char *text, int pattern, rc_err_t *err)
{
    rc_spec_t spec;
    rc_status_t st = rc_spec_parse(s->family, text, &spec, err);
    if (st == RC_OK && s->rule->allowed)
        st = s->rule->allowed(spec.member, s->rule->user, err);
    if (st < 0)
        return st;
    for (int i = 0; i < s->count; i++)
        if (s->spec[i].member == spec.member &&
            strcmp(rc_spec_identity(s->spec[i].params), rc_spec_identity(spec.params)) == 0) {
            if (!pattern && !s->pattern[i])
                return rc_fail(err, RC_EINVAL, "%s is named twice", text);
            s->pattern[i] = (unsigned char)(s->pattern[i] && pattern);
            return RC_OK;
        }
    if (s->count == s->rule->most)
        return rc_fail(
            err, RC_EINVAL, "the list gives more than %d %s", s->rule->most, s->family->plural);
    size_t need = (size_t)s->count + 1;
    RC_PASS(RC_GROW(s->spec, s->capacity, need, s->family->plural, err));
    RC_PASS(RC_GROW(s->pattern, s->pattern_capacity, need, s->family->plural, err));
    s->spec[s->count] = spec;
    s->pattern[s->count++] = (unsigned char)pattern;
    return RC_OK;
}

/* The ends of "A..B"; dots points to the two dots. */
static rc_status_t parse_range(
    const rc_param_t *p, const char *value, const char *dots, walk_t *w, rc_err_t *err)
{
    char first[32];
    size_t n = (size_t)(dots - value);
    if (p->type != RC_PARAM_INT)
        return rc_fail(
            err, RC_EINVAL, "%s: only an integer takes a range, found '%s'", p->name, value);
    if (n >= sizeof first)
        return rc_fail(err, RC_EINVAL, "%s: expected FIRST..LAST, found '%s'", p->name, value);
    memcpy(first, value, n);
    first[n] = '\0';
    RC_PASS(rc_parse_int(first, p->min, p->max, p->name, &w->first, err));
    RC_PASS(rc_parse_int(dots + 2, p->min, p->max, p->name, &w->last, err));
    if (w->first > w->last)
        return rc_fail(err, RC_EINVAL, "%s: the range '%s' is empty", p->name, value);
    w->pow2 = p->pow2;
    w->at = w->first;
    w->fixed = NULL;
    return RC_OK;
}

/* "key=value" or "key=A..B" of a member. */
static rc_status_t parse_key(const rc_member_t *m, const char *word, walk_t *w, rc_err_t *err)
{
    int at = 0;
    const char *value = NULL;
    RC_PASS(rc_param_word(m->param, word, &at, &value, err));
    const rc_param_t *p = &m->param[at];
    const char *dots = strstr(value, "..");
    *w = (walk_t){.name = p->name, .fixed = value};
    return dots && p->type != RC_PARAM_TEXT ? parse_range(p, value, dots, w, err) : RC_OK;
}

/* To the next value; 0 at the end. */
static int advance(walk_t *w)
{
    if (w->fixed || w->at >= w->last)
        return 0;
    int64_t step = w->pow2 && w->at > 0 ? w->at : 1;
    if (step > w->last - w->at)
        return 0;
    w->at += step;
    return 1;
}

static rc_status_t push_combination(
    specs_t *s, const rc_member_t *m, const walk_t *w, int n, rc_err_t *err)
{
    rc_str_t text = {0};
    rc_str_add(&text, m->name);
    for (int i = 0; i < n; i++)
        if (w[i].fixed)
            rc_str_addf(&text, ":%s=%s", w[i].name, w[i].fixed);
        else
            rc_str_addf(&text, ":%s=%" PRId64, w[i].name, w[i].at);
    rc_status_t st =
        text.failed ? rc_fail(err, RC_ENOMEM, "no memory for a list") : push(s, text.text, 1, err);
    rc_str_free(&text);
    return st;
}

/* All combinations of the values, the last key running fastest. */
static rc_status_t expand_member(
    specs_t *s, const rc_member_t *m, const rc_words_t *words, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int n = words->count - 1;
    walk_t *w = rc_alloc((size_t)words->count, sizeof *w, "ranges", err);
    RC_PASS(w ? RC_OK : RC_ENOMEM);
    for (int i = 0; st == RC_OK && i < n; i++) {
        st = parse_key(m, words->word[i + 1], &w[i], err);
        if (st < 0)
            rc_err_context(err, "%s %s", s->family->noun, m->name);
    }
    for (int i = 0; st == RC_OK && i >= 0;) {
        st = push_combination(s, m, w, n, err);
        for (i = n - 1; i >= 0 && !advance(&w[i]); i--)
            w[i].at = w[i].first;
    }
    free(w);
    return st;
}

/* A word with a glob or a range. */
static rc_status_t expand(specs_t *s, const char *text, rc_err_t *err)
{
    rc_words_t words = {0};
    RC_PASS(rc_words_split(text, ':', &words, err));
    rc_status_t st = RC_OK;
    const char *name = words.word[0];
    int found = 0;
    int glob = strchr(name, '*') != NULL;
    rc_member_t m;
    for (int i = 0; st == RC_OK && (glob || !found) && s->family->member(i, &m); i++) {
        if (m.absent || (glob ? !s->rule->in_all(i, s->rule->user) || !rc_glob_match(name, m.name)
                              : strcmp(name, m.name) != 0))
            continue;
        found = 1;
        st = expand_member(s, &m, &words, err);
    }
    if (!found && glob)
        st = rc_fail(err, RC_EINVAL, "no %s%s fits '%s'", s->family->noun, s->rule->where, name);
    else if (!found)
        st = push(s, name, 1, err); /* says which names there are */
    rc_words_free(&words);
    return st;
}

static rc_status_t add_word(specs_t *s, const char *word, rc_err_t *err)
{
    const char *star = strchr(word, '*');
    int glob = star && star < word + strcspn(word, ":");
    return glob || strstr(word, "..") ? expand(s, word, err) : push(s, word, 0, err);
}

int rc_spec_is(const char *text, const char *name)
{
    size_t n = strcspn(text, ":");
    return n == strcspn(name, ":") && strncmp(text, name, n) == 0;
}

const char *rc_spec_identity(const char *params)
{
    const char *rest = strncmp(params, "name=", strlen("name=")) == 0 ? strchr(params, ':') : NULL;
    return rest ? rest + 1 : params;
}

/* The value of a parameter of a stored text; NULL: it has none. */
static const char *value_of(const char *text, const char *key)
{
    size_t n = strlen(key);
    for (const char *p = strchr(text, ':'); p; p = strchr(p + 1, ':'))
        if (strncmp(p + 1, key, n) == 0 && p[n + 1] == '=')
            return p + n + 2;
    return NULL;
}

int64_t rc_spec_number(const char *text, const char *key)
{
    const char *value = value_of(text, key);
    char *end = NULL;
    long long number = value ? strtoll(value, &end, 10) : -1;
    return end != value && (!end || *end == ':' || *end == '\0') ? number : -1;
}

int rc_spec_begins(const char *text, const char *key, const char *value)
{
    const char *own = value_of(text, key);
    return own && strncmp(own, value, strlen(value)) == 0;
}

rc_status_t rc_specs_parse(const rc_family_t *f, const rc_specs_rule_t *rule, const char *text,
    rc_spec_t **out, int *count, rc_err_t *err)
{
    specs_t s = {.family = f, .rule = rule};
    rc_words_t words = {0};
    rc_status_t st = RC_OK;
    RC_TRY(rc_words_split(text, ',', &words, err));
    for (int i = 0; i < words.count; i++)
        RC_TRY(add_word(&s, strcmp(words.word[i], "all") ? words.word[i] : "*", err));
    *out = s.spec;
    *count = s.count;
    s.spec = NULL;
done:
    if (st == RC_ENOENT || st == RC_ERANGE) { /* so are names and values that do not exist */
        st = RC_EINVAL;
        if (err)
            err->status = RC_EINVAL;
    }
    rc_words_free(&words);
    free(s.spec);
    free(s.pattern);
    return st;
}
