/* Operands of a kernel on a GPU, and the check of what it stored.
 *
 * Inputs and output lie between guards and, where they are padded, have gaps; all of that is NaN in
 * the inputs, and must come back bit by bit in the output. */
#ifndef RC_TESTS_GPU_OPERANDS_H
#define RC_TESTS_GPU_OPERANDS_H

#include "device/executor.h"
#include "fixture.h"
#include "kernels/kernel.h"
#include "open_gpu.h"

/* Where operands lie: aligned; a value behind that; with leading dimensions that keep vectors
 * aligned, that keep those of four values so, and that do not.  Libraries may ask for more alignment
 * than the type. */
enum { PLACE_ALIGNED, PLACE_SHIFTED, PLACE_WIDE, PLACE_FOUR, PLACE_ODD, PLACES };
const char *place_name(int place);

/* Index of a value of an operand, and values of a precision by index. */
size_t operand_at(const rc_dense_t *m, int64_t r, int64_t j);
void operand_put(unsigned char *to, rc_precision_t precision, size_t i, double v);
double operand_get(const unsigned char *from, rc_precision_t precision, size_t i);

/* The same of a part of one: 0 or, of complex numbers, 1. */
void operand_put_part(unsigned char *to, rc_precision_t precision, size_t i, int part, double v);
double operand_get_part(const unsigned char *from, rc_precision_t precision, size_t i, int part);

typedef struct gpu_operands {
    rc_executor_t *x;
    const rc_operation_t *operation;
    const char *matrix; /* for messages */
    const rc_csr_t *a;
    rc_precision_t precision;
    int out_sums; /* 1: the output has the type of sums */
    int library;  /* 1: a library's kernel: of 16 bits each addition may be rounded, and a word with a gap written back */
    rc_layout_t layout;
    int64_t k;
    double *val; /* [2 * nnz] values of the matrix where they are complex, else NULL */
    reference_t ref;
    rc_dense_t in[PLACES][RC_INPUTS_MAX];
    void *memory[PLACES * RC_INPUTS_MAX]; /* of the inputs */
    unsigned char *c;                     /* device: guard, output, guard */
    unsigned char *host;                  /* what is downloaded of it */
    unsigned char *image;                 /* values that it holds before, other than NaN */
    size_t c_bytes;                       /* of each of the three */
} gpu_operands_t;

/* Complete operands whose members up to k are set; free with gpu_operands_free. */
void gpu_operands_new(gpu_operands_t *o);
void gpu_operands_free(gpu_operands_t *o);

/* The most rows of the output that there is memory for: slots of most schedules, with pads at random or a
 * whole team of them. */
int64_t gpu_operands_rows(const gpu_operands_t *o);

/* The operands of a run.  \param[in] rows  of the output */
rc_operands_t gpu_operands_of(const gpu_operands_t *o, int place, int64_t rows);

/* Fill the output and what is around it: with NaN, or (`old` not 0) with values. */
void gpu_operands_fill(gpu_operands_t *o, const rc_operands_t *of, int old);

/* What one run made of the output: every value against fp64, the rest of the memory bit by bit.
 * The imaginary parts of alpha and beta are those of the operands.
 * \param[in] old    as gpu_operands_fill was told
 * \param[in] label  of the case, for messages */
void gpu_operands_check(gpu_operands_t *o, const rc_operands_t *of, const rc_problem_t *p,
    double alpha, double beta, int old, const char *label);

/* Fails with the message of a call that failed. */
void ok(rc_status_t st, const rc_err_t *err, const char *what);

/* A problem of a kernel for these operands; the caller sets what the schedule is. */
rc_problem_t gpu_problem(const gpu_operands_t *o, const rc_kernel_spec_t *spec,
    const rc_schedule_t *s, rc_c_order_t c_order);

/* One run in so many is wanted: ROWCAST_GPU_SAMPLE, or what is usual. */
int64_t sample_of_runs_or(int64_t usual);

/* The same where all are usual. */
int64_t sample_of_runs(void);

/* Kernels of this name are to be run: those of ROWCAST_GPU_KERNEL, NAME,NAME,..., or all. */
int kernel_is_wanted(const char *name);

#endif
