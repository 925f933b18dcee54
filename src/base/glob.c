#include "config.h"
#include "base/glob.h"

#include <string.h>

/* Independent of the locale, unlike tolower. */
static unsigned char lower(char c)
{
    unsigned char u = (unsigned char)c;
    return u >= 'A' && u <= 'Z' ? (unsigned char)(u - 'A' + 'a') : u;
}

/* The ']' that closes the set which starts behind '[' at p, or NULL.  A ']' that comes first is a
 * member. */
static const char *set_end(const char *p)
{
    if (*p == '!' || *p == '^')
        p++;
    if (*p == ']')
        p++;
    while (*p && *p != ']')
        p++;
    return *p ? p : NULL;
}

static int in_set(const char *p, const char *end, unsigned char c)
{
    int negated = *p == '!' || *p == '^';
    int found = 0;
    for (p += negated; p < end; p++) {
        unsigned char from = lower(*p);
        unsigned char to = from;
        if (p[1] == '-' && p + 2 < end) {
            to = lower(p[2]);
            p += 2;
        }
        if (c >= from && c <= to)
            found = 1;
    }
    return found != negated;
}

/* Whether one pattern element at *p matches c; moves *p behind the element when it does. */
static int match_one(const char **p, char c)
{
    const char *q = *p;
    const char *end = *q == '[' ? set_end(q + 1) : NULL;
    int ok;
    if (*q == '?')
        ok = 1;
    else if (end) {
        ok = in_set(q + 1, end, lower(c));
        q = end;
    } else {
        if (*q == '\\' && q[1])
            q++;
        ok = *q && lower(*q) == lower(c);
    }
    if (ok)
        *p = q + 1;
    return ok;
}

int rc_glob_match(const char *pattern, const char *text)
{
    const char *after_star = NULL;
    const char *star_text = NULL;
    while (*text) {
        if (*pattern == '*') {
            after_star = ++pattern;
            star_text = text;
        } else if (match_one(&pattern, *text)) {
            text++;
        } else if (after_star) {
            pattern = after_star;
            text = ++star_text;
        } else
            return 0;
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

int64_t rc_glob_flaw(const char *pattern)
{
    for (const char *p = pattern; *p; p++) {
        if (*p == '[') {
            const char *end = set_end(p + 1);
            if (!end)
                return p - pattern;
            p = end;
        } else if (*p == '\\') {
            if (!p[1])
                return p - pattern;
            p++;
        }
    }
    return -1;
}

int rc_glob_match_spec(const char *pattern, const char *spec)
{
    size_t n = strcspn(spec, ":");
    return rc_glob_match(pattern, spec) || (strlen(pattern) == n && strncmp(pattern, spec, n) == 0);
}
