#include "config.h"
#include "unit.h"

#include "measure_fixture.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

rc_csr_t make_matrix(int64_t rows, int64_t cols, int64_t per_row, double scale)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, 11);
    rc_csr_t a = {.rows = rows, .cols = cols};
    a.row_ptr = malloc(((size_t)rows + 1) * sizeof *a.row_ptr);
    a.col_idx = malloc((size_t)(rows * per_row) * sizeof *a.col_idx + 1);
    a.val = malloc((size_t)(rows * per_row) * sizeof *a.val + 1);
    assert_true(a.row_ptr && a.col_idx && a.val);
    a.row_ptr[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        int64_t step = cols / per_row;
        for (int64_t i = 0; r % 7 != 3 && i < per_row; i++) {
            a.col_idx[a.nnz] = (int32_t)(i * step + (int64_t)rc_rng_below(&rng, (uint64_t)step));
            a.val[a.nnz++] = scale * (2 * rc_rng_unit(&rng) - 1);
        }
        a.row_ptr[r + 1] = a.nnz;
    }
    return a;
}

void free_matrix(rc_csr_t *a)
{
    free(a->row_ptr);
    free(a->col_idx);
    free(a->val);
}

rc_schedule_t make_schedule(const rc_csr_t *a, int kind)
{
    rc_schedule_t s = {.rows = a->rows, .row = malloc((size_t)a->rows * sizeof *s.row + 1)};
    assert_non_null(s.row);
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t r = kind == REVERSED ? a->rows - 1 - i : i;
        if (kind != WITHOUT_EMPTY || a->row_ptr[r] < a->row_ptr[r + 1])
            s.row[s.slots++] = (int32_t)r;
    }
    return s;
}

/* Hosts share cores when they like: tests count launches. */
static double lose_nothing(rc_device_t *d, int anew)
{
    (void)d;
    (void)anew;
    return 0;
}

void world_begin(world_t *w, const char *kernel, rc_csr_t a, int64_t k, int n)
{
    memset(w, 0, sizeof *w);
    assert_int_equal(rc_device_open_cpu(2, &w->d, NULL), RC_OK);
    w->d->lost = lose_nothing;
    assert_int_equal(rc_measure_context_new(w->d, &w->ctx, NULL), RC_OK);
    assert_int_equal(rc_kernel_spec_parse(kernel, RC_DEVICE_CPU, &w->kernel, NULL), RC_OK);
    w->a = a;
    w->n = n;
    for (int i = 0; i < SCHEDULES; i++)
        w->schedule[i] = make_schedule(&w->a, i);
    for (int i = 0; i < n; i++)
        w->cases[i].schedule = &w->schedule[i % SCHEDULES];
    rc_measure_defaults(&w->cfg, RC_DEVICE_CPU);
    w->cfg.budget_ns = 3000000;
    w->group = (rc_group_t){
        .a = &w->a,
        .kernel = &w->kernel,
        .k = k,
        .precision = RC_FP32,
        .geometry = w->kernel.kernel->geometry(&w->d->executor, w->kernel.param, RC_FP32),
        .memory_limit = INT64_MAX,
    };
}

rc_status_t world_run(world_t *w)
{
    return rc_measure_group(w->ctx, &w->cfg, &w->group, w->cases, w->n, NULL, NULL, NULL, NULL);
}

void world_end(world_t *w)
{
    for (int i = 0; i < w->n; i++)
        rc_measured_free(&w->cases[i]);
    for (int i = 0; i < SCHEDULES; i++)
        free(w->schedule[i].row);
    free_matrix(&w->a);
    rc_measure_context_free(w->ctx);
    rc_device_close(w->d);
}
