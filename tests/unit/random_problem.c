#include "config.h"
#include "unit.h"

#include "random_problem.h"

#include <stdlib.h>
#include <string.h>

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

static void *get(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    assert_non_null(p);
    return p;
}

void random_problem(rc_rng_t *rng, int64_t rows, int64_t cols, random_problem_t *e)
{
    double fill = rc_rng_unit(rng) * rc_rng_unit(rng);
    *e = (random_problem_t){.a = {.rows = rows, .cols = cols}};
    e->a.row_ptr = get((size_t)rows + 1, sizeof *e->a.row_ptr);
    e->a.col_idx = get((size_t)(rows * cols), sizeof *e->a.col_idx);
    e->a.val = get((size_t)(rows * cols), sizeof *e->a.val);
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < cols; c++)
            if (rc_rng_unit(rng) < fill) {
                e->a.col_idx[e->a.nnz] = (int32_t)c;
                e->a.val[e->a.nnz++] = 1 + rc_rng_unit(rng);
            }
        e->a.row_ptr[r + 1] = e->a.nnz;
    }
    e->schedule.row = get(2 * (size_t)rows + 8, sizeof *e->schedule.row);
    e->schedule.rows = rows;
    int left_out = (int)below(rng, 2);
    int64_t n = 0;
    for (int64_t r = 0; r < rows; r++)
        if (!left_out || e->a.row_ptr[r] < e->a.row_ptr[r + 1])
            e->schedule.row[n++] = (int32_t)r;
    for (int64_t pads = below(rng, 8); pads > 0; pads--)
        e->schedule.row[n++] = -1;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = below(rng, i + 1);
        int32_t t = e->schedule.row[i];
        e->schedule.row[i] = e->schedule.row[j];
        e->schedule.row[j] = t;
    }
    e->schedule.slots = n;
    e->problem = (rc_problem_t){.k = 1,
        .precision = below(rng, 2) ? RC_FP64 : RC_FP32,
        .a = &e->a,
        .schedule = &e->schedule,
        .c_rows = rows};
}

void random_problem_free(random_problem_t *e)
{
    free(e->a.row_ptr);
    free(e->a.col_idx);
    free(e->a.val);
    free(e->schedule.row);
}

void repeat_rows(random_problem_t *e)
{
    for (int64_t r = 0; r + 1 < e->a.rows; r += 3) {
        int64_t *ptr = e->a.row_ptr;
        int64_t n = ptr[r + 1] - ptr[r];
        if (n == ptr[r + 2] - ptr[r + 1])
            memcpy(e->a.col_idx + ptr[r + 1], e->a.col_idx + ptr[r], (size_t)n * sizeof(int32_t));
    }
}
