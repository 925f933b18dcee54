/* What a program without a library of its own for sparse products runs: one thread, row by row over
 * CSR, as SciPy and Eigen do.  SciPy: csr_matvec and csr_matvecs (sparsetools/csr.h), B row-major.
 * Eigen: SparseDenseProduct.h, which takes a column-major B column by column. */
#include "config.h"
#include "kernels/cpu/plain.h"

enum { SERIAL_ROOM = 256 }; /* sums of a row that are not kept in C, at once */

#define INSTANCES "kernels/cpu/serial.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

typedef void loop_fn(const rc_slots_t *s, const rc_cpu_run_t *run);

static rc_status_t run_row(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    static loop_fn *const by_row[] = RC_INSTANCES_ANY(by_row);
    (void)err;
    const rc_plain_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    by_row[s->base.p.precision](&s->slots, &run);
    rc_slots_scale_absent(&s->slots, &o->out, run.beta);
    return RC_OK;
}

/* Each column of B is a vector. */
static rc_status_t run_col(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    const rc_plain_t *s = state;
    const size_t bytes = s->base.value_bytes;
    rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
    for (int64_t j = 0; j < o->out.cols; j++) {
        run.b = (const char *)o->in[0].data + (size_t)(j * run.ldb) * bytes;
        run.c.data =
            (char *)o->out.data + (size_t)(j * run.ldc) * rc_precision_bytes(o->out.precision);
        rc_plain_rows(&s->slots, s->base.p.precision, 0, s->slots.slots, &run);
    }
    rc_slots_scale_absent(&s->slots, &o->out, run.beta);
    return RC_OK;
}

#define SERIAL_MEMBERS                                                                             \
    .source = "the loops of SciPy (csr_matvecs) and Eigen (SparseDenseProduct)", .version = 1,     \
    .c_orders = RC_STORES_ANY, .for_testing = 1, RC_PLAIN_MEMBERS, RC_PLAIN_STATE

const rc_kernel_t rc_kernel_serial_row = {
    .name = "serial-row",
    .summary = "row-major B: one thread, row by row, as SciPy and Eigen multiply",
    SERIAL_MEMBERS,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_MAJOR,
    .run = run_row,
};

const rc_kernel_t rc_kernel_serial_col = {
    .name = "serial-col",
    .summary = "column-major B: one thread, column by column and row by row, as Eigen multiplies",
    SERIAL_MEMBERS,
    .op = RC_OP_SPMM,
    .layout = RC_COL_MAJOR,
    .run = run_col,
};

const rc_kernel_t rc_kernel_serial_spmv = {
    .name = "serial-spmv",
    .summary = "y = A x: one thread, row by row, as SciPy and Eigen multiply",
    SERIAL_MEMBERS,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .run = run_col,
};
