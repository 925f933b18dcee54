/* The parts of bench_plans: each measures, and notes its figures. */
#ifndef RC_TESTS_BENCH_PLANS_PARTS_H
#define RC_TESTS_BENCH_PLANS_PARTS_H

#include "plans_subject.h"

/* Of a matrix.  Large ones have all parts, of other millions of rows it is the products alone. */
enum {
    BENCH_LARGE = 1,
    BENCH_SHUFFLED = 2,
    BENCH_SMALL = 4,
    BENCH_REAL = 8,
    BENCH_MESH = 16,
    BENCH_NATURAL = 32,
    BENCH_RANDOM = 64,
    BENCH_PRUNED = 128 /* weights, beside the dense product */
};

/* Where figures go: bench_plans.c. */
typedef struct bench_notes bench_notes_t;
/* \param[in] key  of a line of the table  \param[in] k  0: of none */
void bench_note(bench_notes_t *n, const char *key, const char *matrix, int64_t k, double value);

typedef rc_status_t bench_part_fn(bench_notes_t *n, bench_subject_t *s, int kind, rc_err_t *err);

/* Parts of a matrix, in the order in which they run. */
typedef struct bench_part {
    const char *name;
    bench_part_fn *run;
    int kinds; /* it is for matrices of all these bits ... */
    int any;   /* ... and of one of these */
} bench_part_t;
extern const bench_part_t bench_parts[];

/* Parts without a matrix of the list.  \param[in] program  path of this one, which is run anew */
rc_status_t bench_host(bench_notes_t *n, rc_device_t *d, rc_err_t *err);
rc_status_t bench_first(bench_notes_t *n, const char *program, rc_err_t *err);

/* In that other process: prints what bench_first reads. */
rc_status_t bench_first_child(rc_err_t *err);

#endif
