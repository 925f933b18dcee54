/** \file table/diff.h  Two stores, case by case: what became slower or faster, and what is the same
 *  within noise.  Local.
 *
 *  Noise.  The relative error that a result has is that of its own run, in which the cases of a
 *  matrix are timed in turns.  Two runs of one program on one machine differ by more: where memory
 *  came to lie, clocks, and who else was there.  (Two sweeps of 2,508 cases on a shared machine of
 *  two cores, 10 ms a case: 0.2 % within a run, 1.6 to 1.8 % between them, and 1 % of the cases off
 *  by about 25 % and more.)
 *  A test on the raw times would therefore call nearly every case of two equal programs different,
 *  so what lies between runs is estimated from the two stores themselves:
 *
 *  1. The change of a case is the log of the ratio of its medians or of its shortest times, the one
 *     nearer to none, and none when the two disagree in sign: a burst of foreign load moves the
 *     median and rarely all times.
 *  2. The standard deviation of a change is sqrt(rel_err_a^2 + rel_err_b^2 + tau^2).  tau is what
 *     the spread of the changes within a (kernel, order, K) around the group's median has above
 *     the runs' own errors (median absolute deviations, so that less than half of a group may
 *     change without being taken for noise).
 *     The hypothesis is a change of the threshold, not of none: runs differ by something that all
 *     cases share, and of thousands of cases noise lifts many above what they share.
 *  3. The tail beyond is not normal: a case may be hit by a burst as a whole.  Noise has no
 *     direction, so a change is held against those of the other direction: the probability of a
 *     change is at least the share of cases that moved as far the other way, and behind the largest
 *     of these it falls no faster than with the distance.  (As in the control of false discoveries
 *     of Barber and Candes, 2015.)
 *  4. Over all cases the false-discovery rate is held (Benjamini and Hochberg, 1995), for slower
 *  and for faster ones each.
 *
 *  5. The cases of a matrix move together: where its arrays came to lie in a run is the same for
 *     all of them.  So what passes 4 has to be of at least 1 / rate matrices, for slower and for
 *     faster ones each.  (Five matrices measured twice on an H200: three of 60 cases passed, all of
 *     one matrix, up to 21 % slower.)
 *
 *  What passes 4 and 5 is slower or faster.  The same is what did not pass, moved by no more than
 *  the threshold in its medians, and has a standard deviation no larger than that.  All else is
 *  unclear: more noise makes fewer cases the same, never more.  With `noise` given, 3 and 5 are
 *  left out.
 *
 *  A whole group is slower or faster when its changes are not symmetric about none (signed ranks,
 *  again with a false-discovery rate) and its geometric mean and its median moved by more than the
 *  threshold and tau: runs differ by something that all cases share, too.  It is the same when the
 *  interval of its geometric mean (5 % to either side) lies within the threshold, so does its
 *  median, and fewer than half of its cases are unclear; else it is unclear.  A group without any
 *  ratio has the first that its cases have of broken, noisy, fixed, failing, only_a,
 *  only_b. */
#ifndef RC_TABLE_DIFF_H
#define RC_TABLE_DIFF_H

#include "table/view.h"

/** What became of a case from store A to store B. */
typedef enum rc_verdict {
    RC_VERDICT_SAME = 0,
    RC_VERDICT_SLOWER,
    RC_VERDICT_FASTER,
    RC_VERDICT_UNCLEAR, /**< moved as noise does, or noise hides whether */
    RC_VERDICT_BROKEN,  /**< ok (or noisy) in A only */
    RC_VERDICT_NOISY,   /**< right in both, and noisy in one or both */
    RC_VERDICT_FIXED,   /**< ok (or noisy) in B only */
    RC_VERDICT_FAILING, /**< ok in neither */
    RC_VERDICT_ONLY_A,  /**< not in B */
    RC_VERDICT_ONLY_B,
    RC_VERDICTS
} rc_verdict_t;

/** Their names, "same", "slower", ..., "only_b"; NULL-terminated. */
extern const char *const rc_verdict_names[];

/** What a case need not have in common to be the same case: bits. */
enum {
    RC_DIFF_VERSIONS = 1, /**< of kernel and policy; of several the newest counts */
    RC_DIFF_DEVICE = 2,
    RC_DIFF_GEOMETRY = 4, /**< nw, nt, line */
    RC_DIFF_CACHE = 8,
    RC_DIFF_C_ORDER = 16
};
/** Names of the bits in their order; NULL-terminated. */
extern const char *const rc_diff_ignore_names[];

typedef struct rc_diff_options {
    unsigned ignore;
    double threshold;       /**< least relative change that counts, > 0 */
    double fdr;             /**< false-discovery rate, in (0, 1) */
    double noise;           /**< relative standard deviation between runs; NaN: estimated */
    const rc_expr_t *where; /**< over rc_view_fields, borrowed; NULL: all.  A case takes part when
                               its row in either store matches */
} rc_diff_options_t;

/** A case that either store has. */
typedef struct rc_diff_case {
    int64_t a; /**< row of the view; -1: not there */
    int64_t b;
    double ratio;  /**< median of B over median of A; NaN unless ok in both */
    double change; /**< log, see above; NaN unless ok in both */
    double noise;  /**< standard deviation of that */
    double q;      /**< false-discovery rate at which it is different; NaN unless ok in both */
    rc_verdict_t verdict;
    int32_t group;
} rc_diff_case_t;

/** The cases of an operation, kernel, order, K, precision and device. */
typedef struct rc_diff_group {
    const char *kernel; /**< with parameters; of a view, borrowed, as are the next two */
    const char *policy;
    const char *device;
    int64_t k; /**< 0: the operation has none */
    int32_t op;
    int32_t precision;
    int is_n;                   /**< 1: the setting K = n, and k is that of one of the cases */
    int64_t count[RC_VERDICTS]; /**< cases by verdict */
    double geomean;             /**< of the ratios; NaN when no case is ok in both */
    double median;
    double q;             /**< that the group as a whole moved; NaN for fewer than 10 */
    rc_verdict_t verdict; /**< no ratio: not the first four */
    int32_t number;       /**< as they were found */
} rc_diff_group_t;

typedef struct rc_diff {
    int64_t cases;
    rc_diff_case_t *item; /**< [cases] slowest ratio first; those without a ratio last */
    int32_t groups;
    rc_diff_group_t *group; /**< [groups] slowest geometric mean first */
    int64_t count[RC_VERDICTS];
    int64_t group_count[RC_VERDICTS]; /**< groups by verdict */
    double noise;                     /**< tau */
} rc_diff_t;

/** Compare two stores.
 *  \param[in]  a, b  borrowed; the result refers to them
 *  \param[out] out   free with rc_diff_free
 *  \return RC_OK, RC_EINVAL (an option outside of its range), RC_ENOMEM.
 *  Cost O(n log n) for n results. */
rc_status_t rc_diff(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err);
void rc_diff_free(rc_diff_t *d);

/** Change, noise, rate and verdict of the cases that have a ratio, and out->noise; counts, figures
 *  and verdicts of the groups. */
rc_status_t rc_diff_judge(const rc_view_t *a, const rc_view_t *b, const rc_diff_options_t *options,
    rc_diff_t *out, rc_err_t *err);

#endif
