/* A group of cases to measure on the CPU, and everything that it needs. */
#ifndef RC_TESTS_MEASURE_FIXTURE_H
#define RC_TESTS_MEASURE_FIXTURE_H

#include "measure/measure.h"

enum { IDENTITY, REVERSED, WITHOUT_EMPTY, SCHEDULES };

/* A group of n cases over the three schedules, and everything that it needs. */
typedef struct world {
    rc_device_t *d;
    rc_measure_context_t *ctx;
    rc_csr_t a;
    rc_schedule_t schedule[SCHEDULES];
    rc_kernel_spec_t kernel;
    rc_group_t group;
    rc_measure_config_t cfg;
    rc_measured_t cases[8];
    int n;
} world_t;

/* Random matrix whose every seventh row is empty; `scale` multiplies its values. */
rc_csr_t make_matrix(int64_t rows, int64_t cols, int64_t per_row, double scale);

void free_matrix(rc_csr_t *a);

rc_schedule_t make_schedule(const rc_csr_t *a, int kind);

void world_begin(world_t *w, const char *kernel, rc_csr_t a, int64_t k, int n);

rc_status_t world_run(world_t *w);

void world_end(world_t *w);

#endif
