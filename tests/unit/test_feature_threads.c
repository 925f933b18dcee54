/* Threads of the feature sets: none is started for a small matrix. */
#include "config.h"
#include "unit.h"

#include "feature/feature.h"
#include "rowcast.h"

#include <dirent.h>
#include <stdlib.h>

enum { THREADS = 4, PER_ROW = 7, PER_LINE = PER_ROW + 1, ROWS = RC_FEATURE_ALONE / PER_LINE };

/* Threads of this process. */
static int tasks(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    if (!d)
        skip();
    for (struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* Entries plus rows are PER_LINE * rows. */
static rc_csr_t make_matrix(int64_t rows)
{
    rc_csr_t a = {.rows = rows, .cols = 100, .nnz = rows * PER_ROW};
    a.row_ptr = malloc(((size_t)rows + 1) * sizeof *a.row_ptr);
    a.col_idx = malloc((size_t)a.nnz * sizeof *a.col_idx);
    assert_true(a.row_ptr && a.col_idx);
    for (int64_t r = 0; r <= rows; r++)
        a.row_ptr[r] = r * PER_ROW;
    for (int64_t e = 0; e < a.nnz; e++)
        a.col_idx[e] = (int32_t)(e % PER_ROW * 13 + e / PER_ROW % 13);
    return a;
}

/* Threads that are there after every set was computed. */
static int tasks_after(int64_t rows)
{
    const rc_geometry_t g = {32, 4, 32};
    rc_csr_t a = make_matrix(rows);
    for (int i = 0; rc_feature_sets[i]; i++) {
        const rc_feature_set_t *set = rc_feature_sets[i];
        double *out = malloc((size_t)set->count * sizeof *out);
        assert_non_null(out);
        assert_int_equal(set->compute(&a, &g, THREADS, out, NULL), RC_OK);
        free(out);
    }
    free(a.row_ptr);
    free(a.col_idx);
    return tasks();
}

/* OpenMP keeps the threads that it has started, so this comes before any other call of it. */
static void no_set_starts_a_thread_for_a_small_matrix(void **state)
{
    (void)state;
    int before = tasks();
    assert_int_equal(tasks_after(1), before);
    assert_int_equal(tasks_after(ROWS - 1), before);
#ifdef _OPENMP
    assert_true(tasks_after(ROWS) > before); /* so a thread would have been seen */
#endif
}

static void threads_follow_the_entries(void **state)
{
    (void)state;
    for (int64_t work = RC_FEATURE_ALONE - 3; work < RC_FEATURE_ALONE + 3; work++)
        for (int64_t rows = 1; rows < work; rows *= 3) {
            const rc_csr_t a = {.rows = rows, .cols = 9, .nnz = work - rows};
            int one = work < RC_FEATURE_ALONE || rows == 1;
            assert_int_equal(rc_feature_threads(&a, 0, 1), 1);
            assert_int_equal(rc_feature_threads(&a, 0, 2), one ? 1 : 2);
            assert_int_equal(rc_feature_threads(&a, INT32_MAX, 2), 1); /* the tables cost more */
            assert_in_range(rc_feature_threads(&a, 0, 1000), 1, one ? 1 : rows);
        }
    const rc_csr_t none = {0};
    assert_int_equal(rc_feature_threads(&none, 0, 8), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_set_starts_a_thread_for_a_small_matrix),
        cmocka_unit_test(threads_follow_the_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
