#include "config.h"
#include "kernels/specs.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The list while it grows. */
typedef struct specs {
    rc_kernel_spec_t *spec;
    unsigned char *pattern; /* [count] 1: of a glob or range */
    size_t capacity;
    size_t pattern_capacity;
    int count;
    int most;
    rc_device_kind_t device;
} specs_t;

/* A key of a word and the values that it walks. */
typedef struct walk {
    const char *key;
    const char *fixed; /* its value, when it is no range */
    int64_t first;
    int64_t last;
    int64_t at;
    int pow2;
} walk_t;

static const char *device_name(rc_device_kind_t device)
{
    return device == RC_DEVICE_CPU ? "cpu" : "cuda";
}

static rc_status_t push(specs_t *s, const char *text, int pattern, rc_err_t *err)
{
    rc_kernel_spec_t spec;
    rc_status_t st = rc_kernel_spec_parse(text, &spec, err);
    if (st < 0)
        return st;
    if (spec.kernel->device != s->device)
        return rc_fail(err, RC_EINVAL, "kernel %s is for --device %s, but this sweep is on %s",
            spec.kernel->name, device_name(spec.kernel->device), device_name(s->device));
    for (int i = 0; i < s->count; i++)
        if (s->spec[i].kernel == spec.kernel && strcmp(s->spec[i].params, spec.params) == 0) {
            if (!pattern && !s->pattern[i])
                return rc_fail(err, RC_EINVAL, "%s is named twice", text);
            s->pattern[i] = (unsigned char)(s->pattern[i] && pattern);
            return RC_OK;
        }
    if (s->count == s->most)
        return rc_fail(err, RC_EINVAL, "the list gives more than %d kernels", s->most);
    size_t need = (size_t)s->count + 1;
    st = rc_grow((void **)&s->spec, &s->capacity, need, sizeof *s->spec, "kernels", err);
    if (st == RC_OK)
        st = rc_grow((void **)&s->pattern, &s->pattern_capacity, need, 1, "kernels", err);
    if (st < 0)
        return st;
    s->spec[s->count] = spec;
    s->pattern[s->count++] = (unsigned char)pattern;
    return RC_OK;
}

/* Does a name fit a glob?  After a mismatch the last * takes one character more. */
static int fits(const char *glob, const char *name)
{
    const char *star = NULL;
    const char *from = NULL;
    while (*name) {
        if (*glob == '*') {
            star = glob++;
            from = name;
        } else if (*glob == *name) {
            glob++;
            name++;
        } else if (star) {
            glob = star + 1;
            name = ++from;
        } else
            return 0;
    }
    while (*glob == '*')
        glob++;
    return *glob == '\0';
}

static const rc_kernel_param_t *find_param(const rc_kernel_t *k, const char *key)
{
    for (int i = 0; i < RC_KERNEL_PARAMS_MAX && k->param[i].name; i++)
        if (strcmp(k->param[i].name, key) == 0)
            return &k->param[i];
    return NULL;
}

/* The ends of "A..B"; dots points to the two dots. */
static rc_status_t parse_range(
    const rc_kernel_param_t *p, const char *value, const char *dots, walk_t *w, rc_err_t *err)
{
    char first[32];
    size_t n = (size_t)(dots - value);
    if (n >= sizeof first)
        return rc_fail(err, RC_EINVAL, "%s: expected FIRST..LAST, found '%s'", p->name, value);
    memcpy(first, value, n);
    first[n] = '\0';
    rc_status_t st = rc_parse_int(first, p->min, p->max, p->name, &w->first, err);
    if (st == RC_OK)
        st = rc_parse_int(dots + 2, p->min, p->max, p->name, &w->last, err);
    if (st < 0)
        return st;
    if (w->first > w->last)
        return rc_fail(err, RC_EINVAL, "%s: the range '%s' is empty", p->name, value);
    w->pow2 = p->pow2;
    w->at = w->first;
    return RC_OK;
}

/* "key=value" or "key=A..B" of a kernel; word is cut at its '='.  What is wrong with a key that is
 * no range shows when the kernel is parsed with it. */
static rc_status_t parse_key(const rc_kernel_t *k, char *word, walk_t *w, rc_err_t *err)
{
    char *equals = strchr(word, '=');
    *w = (walk_t){.key = word};
    if (!equals)
        return rc_fail(err, RC_EINVAL, "kernel %s: expected key=value, found '%s'", k->name, word);
    *equals = '\0';
    w->fixed = equals + 1;
    const char *dots = strstr(w->fixed, "..");
    const rc_kernel_param_t *p = find_param(k, w->key);
    if (!dots || !p)
        return RC_OK;
    rc_status_t st = parse_range(p, w->fixed, dots, w, err);
    if (st < 0)
        return rc_err_context(err, "kernel %s", k->name);
    w->fixed = NULL;
    return RC_OK;
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
    specs_t *s, const rc_kernel_t *k, const walk_t *w, int n, rc_err_t *err)
{
    rc_str_t text = {0};
    rc_str_add(&text, k->name);
    for (int i = 0; i < n; i++)
        if (w[i].fixed)
            rc_str_addf(&text, ":%s=%s", w[i].key, w[i].fixed);
        else
            rc_str_addf(&text, ":%s=%" PRId64, w[i].key, w[i].at);
    rc_status_t st = text.failed ? rc_fail(err, RC_ENOMEM, "no memory for a list of kernels")
                                 : push(s, text.text, 1, err);
    rc_str_free(&text);
    return st;
}

/* All combinations of the values, the last key running fastest. */
static rc_status_t expand_kernel(specs_t *s, const rc_kernel_t *k, const char *text, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_status_t st = rc_words_split(text, ':', &words, err);
    if (st < 0)
        return st;
    int n = words.count - 1;
    walk_t *w = rc_alloc((size_t)words.count, sizeof *w, "ranges", err);
    RC_TRY(w ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        RC_TRY(parse_key(k, words.word[i + 1], &w[i], err));
    for (int i = 0; i >= 0;) {
        RC_TRY(push_combination(s, k, w, n, err));
        for (i = n - 1; i >= 0 && !advance(&w[i]); i--)
            w[i].at = w[i].first;
    }
done:
    free(w);
    rc_words_free(&words);
    return st;
}

static int in_all(const rc_kernel_t *k, rc_device_kind_t device)
{
    return k->device == device && k->computes && !k->for_testing;
}

/* A word with a glob or a range. */
static rc_status_t expand(specs_t *s, const char *text, rc_err_t *err)
{
    size_t n = strcspn(text, ":");
    char *name = rc_alloc(n + 1, 1, "the name of a kernel", err);
    if (!name)
        return RC_ENOMEM;
    memcpy(name, text, n);
    name[n] = '\0';
    rc_status_t st = RC_OK;
    int found = 0;
    int glob = strchr(name, '*') != NULL;
    for (int i = 0; st == RC_OK && rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        if (glob ? !in_all(k, s->device) || !fits(name, k->name) : strcmp(name, k->name) != 0)
            continue;
        found = 1;
        st = expand_kernel(s, k, text, err);
    }
    if (!found && glob)
        st = rc_fail(
            err, RC_EINVAL, "no kernel for --device %s fits '%s'", device_name(s->device), name);
    else if (!found)
        st = push(s, name, 1, err); /* says which names there are */
    free(name);
    return st;
}

static rc_status_t add_word(specs_t *s, const char *word, rc_err_t *err)
{
    int pattern = strchr(word, '*') || strstr(word, "..");
    return pattern ? expand(s, word, err) : push(s, word, 0, err);
}

rc_status_t rc_kernel_specs_parse(const char *text, rc_device_kind_t device, int most,
    rc_kernel_spec_t **out, int *count, rc_err_t *err)
{
    specs_t s = {.most = most, .device = device};
    rc_words_t words = {0};
    rc_status_t st = RC_OK;
    if (strcmp(text, "all") == 0)
        text = "*";
    RC_TRY(rc_words_split(text, ',', &words, err));
    for (int i = 0; i < words.count; i++)
        RC_TRY(add_word(&s, words.word[i], err));
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
