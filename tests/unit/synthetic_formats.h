/* A store of y = A x in the six formats, whose times follow a known rule of the features of Nisa et
 * al., for tests of the task format. */
#ifndef RC_TESTS_SYNTHETIC_FORMATS_H
#define RC_TESTS_SYNTHETIC_FORMATS_H

#include "rowcast.h"

enum { SYNTHETIC_FORMATS = 6, SYNTHETIC_NISA = 17 };

typedef struct synthetic_formats {
    int64_t matrices; /* names "Gg/mI", matrix I in group I mod groups */
    int64_t groups;
    int64_t seed;
    double noise; /* times are multiplied by exp(noise * z), z about normal */
    int fp64;     /* also fp64 */
    int shorts;   /* also bf16 and fp16, whose times are 0.6 and 0.5 of what their bytes say */
    int without;  /* bit f: the store has no result of format f */
    int cold;     /* 1: csr5 also with cold caches, thrice the time, and there it never failed */
} synthetic_formats_t;

/* "coo", ...: the kernels with their parameters. */
extern const char *const synthetic_format_kernels[SYNTHETIC_FORMATS];

void synthetic_nisa(const synthetic_formats_t *s, int64_t i, double out[SYNTHETIC_NISA]);

/* Time of a format in ns without noise.  NaN: ell would take more than 2^31 places and is skipped, or
 * csr5 failed, which it does on matrices with 13 mod 100. */
double synthetic_format_time(
    const double feature[SYNTHETIC_NISA], int64_t i, int format, int value_bytes);

/* Write the store (a new file).  \return RC_OK, or what the store says */
rc_status_t synthetic_formats_write(const char *store, const synthetic_formats_t *s, rc_err_t *err);

#endif
