/** \file kernels/tuning/csrk.h Sizes of super-rows and super-super-rows of CSR-k in constant time
 *  (Lane and Booth 2022, section 4): a case of the mean row length, which also gives the blocks of
 *  the GPU kernels, and two formulas fitted to a device. */
#ifndef RC_KERNELS_TUNING_CSRK_H
#define RC_KERNELS_TUNING_CSRK_H

#include "base/param.h"
#include "format/problem.h"
#include "rowcast.h"

enum { RC_CSRK_CASES = 4, RC_CSRK_DEVICE = 64, RC_CSRK_ROUND = 15 };

/** SSRS = round(constant - slope ln rdensity), and SRS likewise; round(x) = floor(x + 0.5). */
typedef struct rc_csrk_line {
    double constant;
    double slope;
} rc_csrk_line_t;

/** What a case does with the sizes of the formulas: SSRS = round(ssrs SSRS), then SRS = round(srs
 *  SRS). */
typedef struct rc_csrk_factors {
    double ssrs;
    double srs;
    int of_ssrs; /**< 1: SRS = floor or round(srs SSRS) instead, see rc_csrk_reading_t */
    int down;    /**< 1: that one is rounded down */
} rc_csrk_factors_t;

typedef struct rc_csrk_tuning {
    char device[RC_CSRK_DEVICE];
    rc_csrk_line_t ssrs;
    rc_csrk_line_t srs;
    rc_csrk_factors_t factors[RC_CSRK_CASES]; /**< of cases 1 .. 4 */
    int32_t sizes; /**< 0: any; else both sizes become the next of `size` in the end */
    int32_t size[RC_CSRK_ROUND]; /**< [sizes], increasing, >= 1 */
    int64_t multiprocessors;     /**< 0: rows do not matter; else of the device, see rc_csrk_fill */
} rc_csrk_tuning_t;

/** Which number the published formulas of SRS mean by SSRS. */
typedef enum rc_csrk_reading {
    RC_CSRK_NEW = 0,      /**< SSRS of this case: the statements run in order [chosen] */
    RC_CSRK_ORIGINAL = 1, /**< SSRS of the formula */
    RC_CSRK_SRS = 2       /**< a slip for SRS */
} rc_csrk_reading_t;

/** "new", "original", "srs"; NULL-terminated. */
extern const char *const rc_csrk_reading_names[];

typedef struct rc_csrk_sizes {
    int number;       /**< of the case, 1 .. 4: rdensity <= 8, <= 16, <= 32, more */
    int32_t block[3]; /**< x, y, z of the GPU kernels */
    int64_t ssrs;     /**< super-rows of a super-super-row, >= 1 */
    int64_t srs;      /**< rows of a super-row, >= 1 */
} rc_csrk_sizes_t;

/** The published tuning of a device, "volta" or "ampere", or "auto", which is "ampere"; NULL: none.
 *  Static storage. */
const rc_csrk_tuning_t *rc_csrk_tuning_find(const char *name);

/** Read a tuning file, JSON: device (text), ssrs and srs (objects with constant and slope), cases
 *  (an object with 2, 3 and 4, objects with the factors ssrs and srs), sizes (may be absent: what
 *  both are rounded to), multiprocessors (may be absent, needs sizes: those of the device that
 *  groups fill); other members are for people.
 *  \return RC_OK; RC_ENOENT, RC_EIO; RC_EFORMAT with the member, what was expected and what was
 *      found */
rc_status_t rc_csrk_tuning_read(const char *path, rc_csrk_tuning_t *out, rc_err_t *err);

/** The published tuning of that name, else that of the file.  \return as rc_csrk_tuning_read */
rc_status_t rc_csrk_tuning_open(const char *name, rc_csrk_tuning_t *out, rc_err_t *err);

/** What tells a tuning file from another, for rc_kernel_t.identify: its content, not its name.
 *  Writes "tune=<digest>" and then the integers and choices of `param` from the second on; nothing
 *  for names of rc_csrk_tuning_find.
 *  \param[in] param   of a kernel: `tune`, a text, comes first
 *  \param[out] text   [RC_PARAMS_TEXT]  \return RC_OK, RC_ERANGE, as rc_csrk_tuning_read */
rc_status_t rc_csrk_tuning_identify(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err);

/** The index of the size next to one, by their ratio; of two the smaller. \param[in] list [count],
 *  increasing */
int rc_csrk_nearest(const int32_t *list, int count, int64_t size);

/** Entries over rows; 1 without entries or rows, for the formulas. */
double rc_csrk_rdensity(int64_t rows, int64_t nnz);

/** \param[in] rdensity  finite, >= 0; 0 counts as 1.  Cost: a logarithm. */
rc_csrk_sizes_t rc_csrk_sizes(
    const rc_csrk_tuning_t *t, rc_csrk_reading_t reading, double rdensity);

/** The same with the block and the factors of another case.  \param[in] number  1 .. 4 */
rc_csrk_sizes_t rc_csrk_sizes_of_case(
    const rc_csrk_tuning_t *t, rc_csrk_reading_t reading, double rdensity, int number);

/** Change both sizes so that the device is full to the end: of the sizes of the tuning within a
 *  ratio of 4/3 those for which the CTAs fill the last of their rounds best; of equal ones the
 *  nearest. A multiprocessor holds as many CTAs as 2,048 threads take. Nothing without
 *  multiprocessors or rows. Cost: a few divisions. */
void rc_csrk_fill(const rc_csrk_tuning_t *t, int64_t rows, rc_csrk_sizes_t *s);

/** Bytes of sr_ptr and ssr_ptr where all groups are full, 4 a pointer.
 *  \param[in] ssrs  0: no super-super-rows */
int64_t rc_csrk_pointer_bytes(int64_t rows, int64_t srs, int64_t ssrs);

/** The same over the bytes of CSR in fp32 with pointers of 4 bytes, of a matrix without end. */
double rc_csrk_overhead(double rdensity, int64_t srs, int64_t ssrs);

#endif
