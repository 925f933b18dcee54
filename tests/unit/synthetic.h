/* A store whose times follow a known rule of few features, for tests of the selector: whatever
 * learns from it can be held against the rule. */
#ifndef RC_TESTS_SYNTHETIC_H
#define RC_TESTS_SYNTHETIC_H

#include "rowcast.h"

enum { SYNTHETIC_POLICIES = 4, SYNTHETIC_KERNELS = 3 };

typedef struct synthetic {
    int64_t matrices; /* names "Gg/mI", matrix I in group I mod groups */
    int64_t groups;
    int64_t seed;
    double noise;  /* times are multiplied by exp(noise * z), z about normal */
    const char *k; /* "8,32,n" */
    const char *
        op; /* "spmm,spmv", NULL: spmm; the same cases of each; spmv has no K, so one where others have
                       several */
    int fp64;    /* also fp64 */
    int shorts;  /* also bf16 and fp16, whose times are 0.6 and 0.5 of what their bytes say, and errors 1/4 and 1/2 of a unit */
    int complexes; /* also c64 and c128 */
    int shuffle; /* the results come in another order; nothing else changes */
    int devices; /* the same cases on so many devices; the second is half as fast */
    int gaps;    /* 1: some cases failed, some matrices have no features */
    int noisy;   /* 1: cases that would have failed for gaps are noisy */
    int stale;   /* 1: every case twice, the older row with a wrong time, and cases of older
                      versions of the kernels */
    /* for two stores of the same cases: */
    int64_t run;   /* another one has other noise; 0 is as if there were none of these */
    double slow;   /* times of kernel b are multiplied by that; 0: are not */
    double bursts; /* share of the cases whose times are 1.5 times as long */
    double placed; /* times of matrix 0 are up to so much longer, relative, each by another part */
    int64_t version; /* of the kernels; 0: 2 */
    int schedule;    /* 1: also C in schedule order, of two matrices in three */
    int mixed;       /* 1: kernel c has row-major B and column-major C */
    int draws; /* 0: one run of all cases; else that many runs (journals) of cases that are drawn, each with a
                        speed of its own, some of them on a card of their own; results fail, too */
    int part;   /* of these: -1: all runs; 0, 1: those of even, of odd numbers, to be merged */
    int params; /* 1: warp has parameters, "warp:n=2" and "warp:n=4" */
} synthetic_t;

extern const synthetic_t synthetic_default;

/* Orders csr, dcsr, lpt, warp; kernels "syn-a:strip=8", "syn-b:lanes=8" (of another geometry) and
 * "syn-c:pre=1" (with preprocessing). */
extern const char *const synthetic_policies[SYNTHETIC_POLICIES];
extern const char *const synthetic_kernels[SYNTHETIC_KERNELS];
rc_geometry_t synthetic_geometry(int kernel, int value_bytes);

/* The 24 features of matrix i under a geometry. */
void synthetic_features(
    const synthetic_t *s, int64_t i, const rc_geometry_t *g, double out[RC_FEATURES_MEHRABI]);

/* Time in ns without noise.
 *   dcsr is 30 % faster than csr with many empty rows (nnz_per_row_min 0 and nnz_per_row_mean below
 *   4), else 3 % slower;
 *   lpt is faster by up to 40 % where warp_load_max / warp_load_mean is above 1.5, else 4 % slower;
 *   warp is 20 % faster where lines are requested often (total / distinct above 3) and loads are
 *   even, else 10 % slower;
 *   kernel b wins for short rows (nnz_per_row_mean below 12), kernel c for K >= 128, else a. */
double synthetic_time(
    const double feature[RC_FEATURES_MEHRABI], int kernel, int policy, int64_t k, int value_bytes);

/* What times are multiplied by, so that no type is taken for another of its size. */
extern const double synthetic_type_factor[];

/* Write the store (a new file).  \return RC_OK, RC_EINVAL (options), or what the store says */
rc_status_t synthetic_write(const char *store, const synthetic_t *s, rc_err_t *err);

#endif
