/* What the matrices of a store cost a sweep: read from its rows, drawn for a larger collection. */
#ifndef RC_TESTS_SIM_COST_H
#define RC_TESTS_SIM_COST_H

#include "rowcast.h"

#include <stdint.h>

/* One matrix, all sweeps of the store together. */
typedef struct sim_cost {
    double load_s;    /* reading the file */
    double prepare_s; /* features and orders */
    double measure_s; /* arranging, verifying, timing: of the device */
    int64_t rows;     /* results */
    int64_t blocks;   /* groups of results that are timed in turns */
} sim_cost_t;

/* The matrices of a store that were measured.  measure_s is the time between the last result of the
 * matrix before in the journal of the same rank and the last one of this; so what the store leaves out
 * (superseded rows) counts.  Free with free(). */
rc_status_t sim_costs_read(const char *store, sim_cost_t **out, int64_t *count, rc_err_t *err);

/* items matrices drawn from a store with replacement; sorted, longest first, when `sorted`: the sweep
 * sorts by an estimate, which is between that and no order.  Free with free(). */
rc_status_t sim_costs_draw(const sim_cost_t *from, int64_t count, int64_t items, uint64_t seed,
    int sorted, sim_cost_t **out, rc_err_t *err);

#endif
