#include "config.h"
#include "catalog/fetch_private.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
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

rc_status_t rc_content_range(const char *text, int64_t *from, int64_t *total)
{
    int64_t first = -1;
    int64_t last = -1;
    int64_t all = -1;
    int n = 0;
    if (strncasecmp(text, "bytes", strlen("bytes")) != 0)
        return RC_EFORMAT;
    const char *p = text + strlen("bytes");
    p += strspn(p, " =");
    if (strncmp(p, "*/", 2) == 0)
        n = 2;
    else if (sscanf(p, "%" SCNd64 "-%" SCNd64 "/%n", &first, &last, &n) != 2 || first < 0 ||
             last < first)
        return RC_EFORMAT;
    p += n;
    if (n == 0 || (first < 0 && strcmp(p, "*") == 0))
        return RC_EFORMAT;
    /* what is too large is read as the largest number */
    if (strcmp(p, "*") != 0 && (sscanf(p, "%" SCNd64 " %n", &all, &n) != 1 || p[n] || all < 0 ||
                                   all == INT64_MAX || last >= all))
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

static int64_t entries_of(const rc_entry_t *e)
{
    int64_t n = e->pattern_nnz > e->nnz ? e->pattern_nnz : e->nnz;
    return n > 0 ? n : 0;
}

int64_t rc_archive_most_bytes(const rc_entry_t *e)
{
    enum { per_entry = 160, per_line = 1024, rest = 64 << 20 };
    int64_t lines = rc_sat_add(e->rows > 0 ? e->rows : 0, e->cols > 0 ? e->cols : 0);
    int64_t n = rc_sat_add(rest, rc_sat_mul(per_entry, entries_of(e)));
    return rc_sat_add(n, rc_sat_mul(per_line, lines));
}

int64_t rc_archive_estimate(const rc_entry_t *e)
{
    enum { header = 1000, per_entry = 5 }; /* of archives of the collection, about */
    return rc_sat_add(header, rc_sat_mul(per_entry, entries_of(e)));
}
