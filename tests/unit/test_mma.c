/* Panels for tensor cores: what a warp would compute from the fragments, by the layout that the PTX ISA gives, is the
 * product. */
#include "config.h"
#include "unit.h"

#include "format/mma.h"
#include "random_problem.h"
#include "placed.h"

#include <stdlib.h>

enum { ROUNDS = 200, LANES = 32 };

/* Slot p of A times the vector x, as it should be. */
static double product(const random_problem_t *e, int64_t p, const double *x)
{
    double sum = 0;
    int64_t r = p < e->schedule.slots ? e->schedule.row[p] : -1;
    for (int64_t i = r < 0 ? 0 : e->a.row_ptr[r]; r >= 0 && i < e->a.row_ptr[r + 1]; i++)
        sum += e->a.val[i] * x[e->a.col_idx[i]];
    return sum;
}

/* Element (row, k) of a tile: registers of lanes as the table of PTX has them, for a_i of a lane:
 * row = group, + 8 for i in 2, 3, 6, 7; k = 2 * thread of the group + i % 2, + 8 for i >= 4. */
static void multiply_tile(const random_problem_t *e, const rc_mma_t *m, int64_t tile, const double *x, double *sum)
{
    double of_k[16] = {0};
    for (int t = 0; t < 4; t++) /* what lane t loads: four columns that stand together */
        for (int j = 0; j < 4; j++)
            of_k[2 * t + j % 2 + j / 2 * 8] = x[m->col[tile * RC_MMA_COLS + 4 * t + j]];
    for (int lane = 0; lane < LANES; lane++)
        for (int i = 0; i < 8; i++) {
            int row = lane / 4 + (i / 2 % 2 ? 8 : 0);
            int k = lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0);
            sum[row] += placed(&e->a, m->entry, tile * RC_MMA_PLACES + lane * 8 + i) * of_k[k];
        }
}

/* Whole numbers: sums in any order are exact. */
static void whole_values(rc_rng_t *rng, random_problem_t *e)
{
    for (int64_t i = 0; i < e->a.nnz; i++)
        e->a.val[i] = (double)rc_rng_below(rng, 9) + 1;
}

static void check_columns(const rc_mma_t *m, int64_t panel)
{
    int64_t first = m->ptr[panel] * (int64_t)RC_MMA_COLS;
    int64_t end = m->ptr[panel + 1] * (int64_t)RC_MMA_COLS;
    int64_t same = 0;
    for (int64_t i = first + 1; i < end; i++) {
        assert_true(m->col[i] > m->col[i - 1] || (m->col[i] == m->col[i - 1] && i > end - RC_MMA_COLS));
        same = m->col[i] == m->col[i - 1] ? same + 1 : 0;
    }
    assert_true(same < RC_MMA_COLS);
}

static void fragments_multiply(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 6);
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_mma_t m = {0};
        rc_err_t err = {0};
        int64_t cols = 1 + (int64_t)rc_rng_below(&rng, 90);
        random_problem(&rng, (int64_t)rc_rng_below(&rng, 90), cols, &e);
        whole_values(&rng, &e);
        double *x = malloc((size_t)cols * sizeof *x);
        assert_non_null(x);
        for (int64_t c = 0; c < cols; c++)
            x[c] = (double)rc_rng_below(&rng, 100) - 50;
        assert_int_equal(rc_mma_build(&e.problem, 1 + round % 3, &m, &err), RC_OK);
        assert_true(m.panels == (e.schedule.slots + 15) / 16 && m.ptr[0] == 0 && m.ptr[m.panels] == m.tiles);
        assert_true(rc_mma_count(&e.problem, 2) == m.tiles);
        assert_true(rc_mma_bytes(&e.problem, m.tiles) == 4 * (m.panels + 1) +
                    m.tiles * (64 + 256 * (int64_t)rc_precision_bytes(e.problem.precision)));
        for (int64_t p = 0; p < m.panels; p++) {
            double sum[RC_MMA_ROWS] = {0};
            check_columns(&m, p);
            for (int64_t t = m.ptr[p]; t < m.ptr[p + 1]; t++)
                multiply_tile(&e, &m, t, x, sum);
            for (int r = 0; r < RC_MMA_ROWS; r++)
                assert_true(sum[r] == product(&e, p * RC_MMA_ROWS + r, x));
        }
        rc_mma_free(&m);
        random_problem_free(&e);
        free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_multiply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
