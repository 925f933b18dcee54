/* A plain serial product that misbehaves on request, to test verification, the handling of failed
 * cases and the resumption after crashes.  For testing. */
#include "config.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/type.h"
#include "format/slots.h"
#include "kernels/prepared.h"

#include <signal.h>

enum { PARAM_MODE = 0, PARAM_ROWS = 1, PARAM_DELAY_US = 2, PARAM_AT = 3 };

typedef enum fault_mode {
    FAULT_NONE = 0,
    FAULT_VALUE = 1, /* one value of C is wrong */
    FAULT_CRASH = 2,
    FAULT_HANG = 3,
    FAULT_DEVICE = 4,   /* run returns RC_EDEVICE */
    FAULT_MEMORY = 5,   /* prepare returns RC_ENOMEM */
    FAULT_UNSTORED = 6, /* one row of C is not stored */
    FAULT_SWAPPED = 7,  /* two rows of C are exchanged */
    FAULT_ABSENT = 8,   /* rows that the schedule leaves out are stored to */
    FAULT_LOST = 9,     /* run returns RC_EDEVICE, and so does the device from then on */
    FAULT_THERE = 10,   /* prepare returns RC_ENOMEM where the matrix is on the device too */
    FAULT_HERE = 11,    /* the same where it is not */
    FAULT_MODES
} fault_mode_t;

typedef struct fault {
    rc_prepared_t base;
    const rc_csr_t *a;
    const rc_type_t *type;
    fault_mode_t mode;
    int64_t delay_ns;
    int64_t at; /* row that goes wrong */
} fault_t;

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    fault_t *s = state;
    int64_t rows = p->param[PARAM_ROWS];
    fault_mode_t mode =
        rows == 0 || rows == p->a->rows ? (fault_mode_t)p->param[PARAM_MODE] : FAULT_NONE;
    if (mode == FAULT_MEMORY || (mode == FAULT_THERE && p->resident) ||
        (mode == FAULT_HERE && !p->resident))
        return rc_fail(err, RC_ENOMEM, "no memory (requested by fault:mode=%d)", (int)mode);
    s->a = p->a;
    s->type = rc_type(p->precision);
    s->mode = mode;
    s->delay_ns = p->param[PARAM_DELAY_US] * 1000;
    s->at = p->param[PARAM_AT] >= 0 ? p->param[PARAM_AT] : p->a->rows * 2 / 3;
    return RC_OK;
}

/* alpha sum + beta of what is there; with beta 0 that is not read */
static void put(
    const fault_t *s, const rc_operands_t *o, int64_t i, double sum, double alpha, double beta)
{
    double old = beta == 0 ? 0 : beta * s->type->load(o->out.data, i);
    s->type->store(o->out.data, i, alpha * sum + old);
}

static void multiply(const fault_t *s, const rc_operands_t *o, double alpha, double beta)
{
    const rc_csr_t *a = s->a;
    for (int64_t r = 0; r < a->rows; r++) {
        if (s->mode == FAULT_UNSTORED && r == s->at)
            continue;
        for (int64_t j = 0; j < o->out.cols; j++) {
            double sum = 0;
            for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
                double v = s->type->round(a->val[e]);
                sum += v * s->type->load(o->in[0].data, j * o->in[0].ld + a->col_idx[e]);
            }
            put(s, o, j * o->out.ld + r, sum, alpha, beta);
        }
    }
}

static void spoil(const fault_t *s, const rc_dense_t *c)
{
    int64_t rows = s->a->rows;
    int64_t i = c->cols / 2 * c->ld + s->at;
    if (s->mode == FAULT_VALUE && s->at < rows)
        s->type->store(c->data, i, s->type->load(c->data, i) + 0.5);
    if (s->mode == FAULT_SWAPPED && s->at < rows)
        for (int64_t j = 0; j < c->cols; j++) {
            int64_t x = j * c->ld + s->at;
            int64_t y = j * c->ld + (s->at + 1) % rows;
            double value = s->type->load(c->data, x);
            s->type->store(c->data, x, s->type->load(c->data, y));
            s->type->store(c->data, y, value);
        }
    if (s->mode == FAULT_ABSENT)
        for (int64_t r = 0; r < rows; r++)
            if (s->a->row_ptr[r] == s->a->row_ptr[r + 1])
                s->type->store(c->data, i - s->at + r, 1e-3);
}

/* As a GPU after an illegal access: nothing works any more. */
static rc_status_t lost_fill(rc_executor_t *x, void *p, int byte, size_t bytes, rc_err_t *err)
{
    (void)x;
    (void)p;
    (void)byte;
    (void)bytes;
    return rc_fail(err, RC_EDEVICE, "the device is lost (requested by fault)");
}

static rc_status_t lost_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    *out = NULL;
    return lost_fill(x, NULL, 0, bytes, err);
}

static rc_status_t lost_download(
    rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    (void)from;
    return lost_fill(x, to, 0, bytes, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const fault_t *s = state;
    if (s->delay_ns)
        rc_sleep_ns(s->delay_ns);
    if (s->mode == FAULT_CRASH)
        raise(SIGSEGV);
    while (s->mode == FAULT_HANG)
        rc_sleep_ns(1000000000);
    if (s->mode == FAULT_DEVICE)
        return rc_fail(
            err, RC_EDEVICE, "the device failed (requested by fault:mode=%d)", (int)s->mode);
    if (s->mode == FAULT_LOST) {
        rc_executor_t *x = s->base.memory.x;
        x->fill = lost_fill;
        x->alloc = lost_alloc;
        x->upload = x->download = lost_download;
        return lost_fill(x, NULL, 0, 0, err);
    }
    if (s->a->nnz > 0 && !s->a->val)
        return rc_fail(err, RC_ENOTSUP, "fault: reads values of the host, a plan keeps none there");
    multiply(s, o, alpha, beta);
    spoil(s, &o->out);
    return RC_OK;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_slots_analyse(p, out, err);
    out->bytes = 0; /* it reads the matrix where it is */
    return st;
}

const rc_kernel_t rc_kernel_fault = {
    .name = "fault",
    .summary = "serial product that misbehaves on request (for testing)",
    RC_TESTING_MEMBERS,
    .device = RC_DEVICE_CPU,
    .types = RC_TYPES_REAL,
    .c_orders = RC_STORES_ORIGINAL,
    .computes = 1,
    .builds = RC_BUILDS_THERE, /* it takes the matrix on the device, and does not read it */
    .param =
        {
            {"mode",
                "0 right, 1 a wrong value, 2 crash, 3 hang, 4 device error, 5 no memory, "
                "6 a row not stored, 7 rows exchanged, 8 absent rows stored to, 9 device lost, "
                "10 no memory with the matrix on the device, 11 without it",
                FAULT_NONE, FAULT_NONE, FAULT_MODES - 1},
            {"rows", "misbehave only for matrices of this many rows; 0: all", 0, 0, INT32_MAX},
            {"delay_us", "sleep this long in every run, in us", 0, 0, 1000000000},
            {"at", "row that goes wrong; -1: two thirds down", -1, -1, INT32_MAX},
        },
    .analyse = analyse,
    .geometry = rc_cpu_geometry,
    .state_bytes = RC_STATE(fault_t),
    .build = build,
    .run = run,
};
