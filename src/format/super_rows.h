/** \file format/super_rows.h  The pointers of CSR-k over the slots of a schedule: super-rows,
 *  which are runs of slots, and super-super-rows, which are runs of super-rows (Lane and Booth
 *  2022, section 3). */
#ifndef RC_FORMAT_SUPER_ROWS_H
#define RC_FORMAT_SUPER_ROWS_H

#include "format/problem.h"

enum {
    RC_SUPER_ROWS_AUTO = -1, /**< a size: the groups of the schedule, else the default */
    RC_SRS_DEFAULT = 96,     /**< the paper's constant choice on CPUs */
    RC_SSRS_DEFAULT = 8      /**< [chosen] */
};

/** Parameters `srs` and `ssrs` of kernels. */
#define RC_SRS_PARAM                                                                               \
    {                                                                                              \
        .name = "srs",                                                                             \
        .help = "slots of a super-row; auto: those of the order (sr_ptr of bandk), else 96",       \
        .value = RC_SUPER_ROWS_AUTO, .min = 1, .max = INT32_MAX, .choices = rc_super_rows_choices  \
    }
#define RC_SSRS_PARAM                                                                              \
    {                                                                                              \
        .name = "ssrs",                                                                            \
        .help = "super-rows of a super-super-row; auto: those of the order (ssr_ptr), else 8",     \
        .value = RC_SUPER_ROWS_AUTO, .min = 1, .max = INT32_MAX, .choices = rc_super_rows_choices  \
    }
extern const char *const rc_super_rows_choices[];

typedef struct rc_super_rows {
    int levels;       /**< 1: CSR-2, 2: CSR-3 */
    int64_t count[2]; /**< super-rows, super-super-rows */
    int32_t
        *ptr[2]; /**< [count + 1]: into the slots, into the super-rows; NULL without that level */
} rc_super_rows_t;

/** How many there are, and what their pointers take.
 *  \param[in] size  [levels] SRS, SSRS: a number cuts to size, RC_SUPER_ROWS_AUTO as it says
 *  \param[in] tuned  [levels] sizes of RC_SUPER_ROWS_AUTO where the schedule has no groups; NULL:
 *          the defaults
 *  \param[out] out  its counts are set, its pointers NULL
 *  \return RC_OK; RC_ENOTSUP (more slots than 4 bytes count) */
rc_status_t rc_super_rows_count(const rc_problem_t *p, int levels, const int64_t *size,
    const int64_t *tuned, rc_super_rows_t *out, rc_err_t *err);

/** Bytes of the pointers that rc_super_rows_build makes of these counts. */
int64_t rc_super_rows_bytes(const rc_super_rows_t *s);

/** \param[out] out  free with rc_super_rows_free
 *  \return as rc_super_rows_count; RC_ENOMEM.  Cost O(count). */
rc_status_t rc_super_rows_build(const rc_problem_t *p, int levels, const int64_t *size,
    const int64_t *tuned, rc_super_rows_t *out, rc_err_t *err);

void rc_super_rows_free(rc_super_rows_t *s);

#endif
