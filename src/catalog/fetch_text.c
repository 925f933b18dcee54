#include "config.h"
#include "catalog/fetch_text.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && strchr("-._~", c));
}

void rc_url_add(rc_str_t *url, const char *part, int keep_slashes)
{
    for (const char *p = part; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (is_unreserved(c) || (c == '/' && keep_slashes))
            rc_str_addn(url, p, 1);
        else
            rc_str_addf(url, "%%%02X", c);
    }
}

int rc_url_is_remote(const char *text)
{
    return strncasecmp(text, "http://", strlen("http://")) == 0 ||
           strncasecmp(text, "https://", strlen("https://")) == 0;
}

/* Digits at *p; moves *p behind them.  -1 when there are none or too many. */
static int64_t digits(const char **p)
{
    int64_t value = 0;
    const char *begin = *p;
    for (; **p >= '0' && **p <= '9'; (*p)++) {
        if (value > (INT64_MAX - 9) / 10)
            return -1;
        value = value * 10 + (**p - '0');
    }
    return *p > begin ? value : -1;
}

rc_status_t rc_content_range(const char *text, int64_t *from, int64_t *total)
{
    const char *p = text;
    int64_t first = -1;
    int64_t all = -1;
    if (strncasecmp(p, "bytes", strlen("bytes")) != 0)
        return RC_EFORMAT;
    p += strlen("bytes");
    p += strspn(p, " =");
    if (*p == '*')
        p++;
    else {
        first = digits(&p);
        if (first < 0 || *p++ != '-')
            return RC_EFORMAT;
        int64_t last = digits(&p);
        if (last < first)
            return RC_EFORMAT;
    }
    if (*p++ != '/')
        return RC_EFORMAT;
    if (*p == '*')
        p++;
    else if ((all = digits(&p)) < 0)
        return RC_EFORMAT;
    p += strspn(p, " \t\r\n");
    if (*p || (first < 0 && all < 0) || (all >= 0 && first >= all))
        return RC_EFORMAT;
    *from = first;
    *total = all;
    return RC_OK;
}

int rc_validator_is_strong(const char *validator)
{
    return validator[0] && strncasecmp(validator, "W/", 2) != 0;
}

int64_t rc_backoff_ns(double base_s, int tries, uint64_t seed, const char *what)
{
    static const double longest_s = 60;
    enum { most_doublings = 30 };
    double s = ldexp(base_s, tries < most_doublings ? tries : most_doublings);
    uint64_t of_what = rc_digest(what, strlen(what)).lo;
    double unit = (rc_rng_signed(seed ^ of_what, (uint64_t)tries) + 1) / 2;
    if (!(s < longest_s))
        s = longest_s;
    return (int64_t)(s * (0.5 + unit / 2) * 1e9);
}

/* a + b * c without overflow; all at least 0 */
static int64_t add_product(int64_t a, int64_t b, int64_t c)
{
    return b > 0 && c > (INT64_MAX - a) / b ? INT64_MAX : a + b * c;
}

static int64_t entries_of(const rc_entry_t *e)
{
    int64_t n = e->pattern_nnz > e->nnz ? e->pattern_nnz : e->nnz;
    return n > 0 ? n : 0;
}

int64_t rc_archive_most_bytes(const rc_entry_t *e)
{
    enum { per_entry = 160, per_line = 1024, rest = 64 << 20 };
    int64_t n = add_product(rest, per_entry, entries_of(e));
    n = add_product(n, per_line, e->rows > 0 ? e->rows : 0);
    return add_product(n, per_line, e->cols > 0 ? e->cols : 0);
}

int64_t rc_archive_estimate(const rc_entry_t *e, double bytes_per_entry)
{
    enum { header = 1000 };
    return header + (int64_t)(bytes_per_entry * (double)entries_of(e));
}
