/* A trainer that keeps account of what it is shown, and the rows that it is shown. */
#ifndef RC_TESTS_EXPERIMENT_FIXTURE_H
#define RC_TESTS_EXPERIMENT_FIXTURE_H

#include "analysis/comparison.h"
#include "made_data.h"

enum { FITS = 8, ROWS = 180, FAIL_NEVER = -1 };

/* 60 matrices with three K each, 4 classes. */
extern const made_spec_t plain;

/* What the trainer saw; reset by start(). */
typedef struct spy {
    int fits;
    int fail_at;          /* number of the fit that fails */
    char saw[FITS][ROWS]; /* rows of each fit */
    double number[FITS];
    const rc_dataset_t *data[FITS];
    rc_fit_options_t options;
} spy_t;

extern spy_t spy;

/* Its models take each for the time of class 0 the number of the fit plus 1, and choose class
 * 1 + fit mod 3; the scorer's have no times. */
extern const rc_trainer_t timer;
extern const rc_trainer_t scorer;

void start(void);

/* The rows; drop them again. */
rc_dataset_t *make(void);
void drop(rc_dataset_t *d);

/* 1 when a fit saw a row of the same group or matrix. */
int knew(const rc_dataset_t *d, int fit, int64_t row, rc_split_kind_t split);

int rows_seen(int fit);

/* What was heard of the progress, by hear(). */
typedef struct heard {
    int calls;
    double done;
    double first;
    char what[24][80];
} heard_t;

void hear(void *context, const char *what, double done, double loss);

#endif
