/* The matrices that every storage format is tried on: edge cases and 200 random ones. */
#ifndef RC_TESTS_UNIT_FORMAT_MATRICES_H
#define RC_TESTS_UNIT_FORMAT_MATRICES_H

#include "base/rng.h"
#include "format/format.h"

typedef struct format_matrix {
    rc_csr_t a;     /* values are small integers, some 0, but for those that are not finite */
    rc_csr_view_t e; /* of it, in any precision, with places: some in an array that reverses them */
    void *entry;
    int finite;
    int threads; /* 1 to 3 */
} format_matrix_t;

/* Check one; pick parameters with rng. */
typedef void format_check_fn(const format_matrix_t *m, rc_rng_t *rng);
void for_every_matrix(format_check_fn *check);

/* Number in [0, bound). */
int64_t format_below(rc_rng_t *rng, int64_t bound);

/* A matrix that comes back entry by entry, in the order of its rows. */
typedef struct format_back {
    const format_matrix_t *m;
    int64_t entry; /* next one */
} format_back_t;

/* The next entry of the matrix is this one: its place. */
void format_back_entry(
    format_back_t *b, int64_t row, int64_t col, const void *entry, int64_t at);
/* All entries came. */
void format_back_end(const format_back_t *b);

/* The value of a number of a size, the bytes of an array; fails when there is none. */
int64_t format_number(const rc_format_size_t *s, const char *name);
int64_t format_array(const rc_format_size_t *s, const char *name);

#endif
