/* A plain product on the GPU that misbehaves on request, after some right runs: to test what the
 * harness makes of wrong values, of a device that fails, and of launches that wait.  For testing.
 */
#include "config.h"
#include "kernels/testing/gpufault.h"
#include "kernels/prepared.h"

enum { PARAM_MODE = 0, PARAM_ROWS = 1, PARAM_DELAY_US = 2, PARAM_AT = 3, PARAM_AFTER = 4 };

/* What is the same in `fault` has the same number. */
typedef enum gpufault_mode {
    FAULT_NONE = 0,
    FAULT_VALUE = 1,    /* one value of C is wrong */
    FAULT_WAIT = 2,     /* a run waits for its own work */
    FAULT_STUCK = 3,    /* the device is busy for delay_us more */
    FAULT_ADDRESS = 4,  /* the device stores to an illegal address */
    FAULT_MEMORY = 5,   /* prepare returns RC_ENOMEM */
    FAULT_UNSTORED = 6, /* one row of C is not stored */
    FAULT_MODES
} gpufault_mode_t;

typedef struct gpufault {
    rc_prepared_t base;
    rc_cuda_slots_t slots;
    gpufault_mode_t mode;
    int64_t delay_ns;
    int64_t at;    /* row that goes wrong */
    int64_t after; /* runs that are right */
    int64_t runs;
} gpufault_t;

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    static const int64_t ns_per_us = 1000;
    gpufault_t *s = state;
    int64_t rows = p->param[PARAM_ROWS];
    s->mode = rows == 0 || rows == p->a->rows ? (gpufault_mode_t)p->param[PARAM_MODE] : FAULT_NONE;
    if (s->mode == FAULT_MEMORY)
        return rc_fail(err, RC_ENOMEM, "no memory (requested by gpufault:mode=%d)", (int)s->mode);
    s->delay_ns = p->param[PARAM_DELAY_US] * ns_per_us;
    s->at = p->param[PARAM_AT] >= 0 ? p->param[PARAM_AT] : p->a->rows * 2 / 3;
    s->after = p->param[PARAM_AFTER];
    return rc_cuda_slots_build(&s->base.memory, p, &s->slots, err);
}

static rc_status_t misbehave(
    const gpufault_t *s, cudaStream_t stream, const rc_dense_t *c, rc_err_t *err)
{
    int64_t at = c->cols / 2 * c->ld + s->at;
    switch (s->mode) {
    case FAULT_VALUE:
        return s->at < c->rows ? rc_cuda_fault_value(stream, c->precision, c->data, at, err)
                               : RC_OK;
    case FAULT_WAIT:
        return rc_cuda_check(cudaStreamSynchronize(stream), "gpufault", err);
    case FAULT_STUCK:
        return rc_cuda_fault_spin(stream, s->delay_ns, err);
    case FAULT_ADDRESS:
        return rc_cuda_fault_address(stream, err);
    default:
        return RC_OK;
    }
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    gpufault_t *s = state;
    const rc_executor_t *x = s->base.memory.x;
    cudaStream_t stream = rc_cuda_stream(x);
    int faulty = s->runs++ >= s->after;
    int64_t left_out = faulty && s->mode == FAULT_UNSTORED ? s->at : -1;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_fault_product(stream, &s->slots, left_out, o, alpha, beta, err);
    if (st == RC_OK)
        st = rc_cuda_slots_absent(x, &s->slots, o, beta, err);
    if (st == RC_OK && faulty)
        st = misbehave(s, stream, &o->out, err);
    rc_cuda_leave(x, before);
    return st;
}

const rc_kernel_t rc_kernel_gpufault = {
    .name = "gpufault",
    .summary = "plain GPU product that misbehaves on request (for testing)",
    RC_TESTING_MEMBERS,
    .device = RC_DEVICE_CUDA,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .param =
        {
            {"mode",
                "0 right, 1 a wrong value, 2 runs wait for their own work, 3 stuck for delay_us, "
                "4 an illegal address, 5 no memory, 6 a row not stored",
                FAULT_NONE, FAULT_NONE, FAULT_MODES - 1, 0},
            {"rows", "misbehave only for matrices of this many rows; 0: all", 0, 0, INT32_MAX, 0},
            {"delay_us", "how long mode 3 takes, in us", 1000, 0, 100000000, 0},
            {"at", "row that goes wrong; -1: two thirds down", -1, -1, INT32_MAX, 0},
            {"after", "runs that are right before", 0, 0, INT32_MAX, 0},
        },
    .analyse = rc_cuda_slots_analyse,
    .geometry = rc_cuda_geometry,
    .state_bytes = RC_STATE(gpufault_t),
    .build = build,
    .run = run,
};
