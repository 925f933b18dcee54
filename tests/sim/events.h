/* A heap of events in time; of equal times the one that was put first comes first. */
#ifndef RC_TESTS_SIM_EVENTS_H
#define RC_TESTS_SIM_EVENTS_H

#include "rowcast.h"

#include <stdint.h>

typedef struct sim_event {
    double at_s;
    uint64_t nth;
    int kind;
    int who;
    int64_t what;
} sim_event_t;

typedef struct sim_events {
    sim_event_t *e;
    size_t count;
    size_t capacity;
    uint64_t put;
} sim_events_t;

rc_status_t sim_events_put(sim_events_t *q, double at_s, int kind, int who, int64_t what, rc_err_t *err);
/* 1: the earliest is in *out; 0: there is none. */
int sim_events_take(sim_events_t *q, sim_event_t *out);
void sim_events_free(sim_events_t *q);

#endif
