/* y = A x by Kokkos Kernels, on as many threads as its execution space on the host has. */
#include "config.h"
#include "base/error.h"
#include "kernels/vendor/kokkos_spmv.h"
#include "kernels/vendor/library.h"

enum { WHY = 160 };

static const rc_kokkos_t *const of[] = {[RC_FP32] = &rc_kokkos_f32, [RC_FP64] = &rc_kokkos_f64};

static void release(void *state)
{
    rc_library_t *l = state;
    if (l->matrix)
        of[l->base.p.precision]->drop(l->matrix);
    rc_library_release(l);
}

/* Debian's Kokkos has the serial space alone: times of it are not those of several threads. */
static rc_status_t check_threads(int threads, rc_err_t *err)
{
    char why[WHY] = "";
    int has = rc_kokkos_threads(threads, why, sizeof why);
    if (has == 0)
        return rc_fail(err, RC_EDEVICE, "Kokkos: %s", why);
    return has == threads ? RC_OK
                          : rc_fail(err, RC_ENOTSUP, "Kokkos has %d threads here, the rank has %d",
                                has, threads);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    char why[WHY] = "";
    rc_library_t *l = state;
    rc_status_t st;
    RC_TRY(check_threads(l->base.memory.x->threads, err));
    RC_TRY(rc_library_build(l, p, err));
    if (p->a->nnz > 0) {
        l->matrix = of[p->precision]->make((int32_t)l->slots.slots, (int32_t)l->slots.cols, l->ptr,
            l->slots.col, l->slots.val, why, sizeof why);
        st = l->matrix ? RC_OK : rc_fail(err, RC_EDEVICE, "Kokkos: %s", why);
    }
done:
    return st;
}

static rc_status_t multiply(const rc_library_t *l, double alpha, const rc_dense_t *x, double beta,
    const rc_dense_t *y, rc_err_t *err)
{
    char why[WHY] = "";
    if (beta == 0)
        RC_PASS(rc_library_scale(l, y, 0, err)); /* whatever it makes of what is there */
    return of[l->base.p.precision]->multiply(
               l->matrix, alpha, x->data, beta, y->data, why, sizeof why)
               ? rc_fail(err, RC_EDEVICE, "Kokkos: %s", why)
               : RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return rc_library_run(state, o, alpha, beta, multiply, err);
}

const rc_kernel_t rc_kernel_kokkos = {
    .name = "kokkos",
    .summary = "y = A x by Kokkos Kernels' CSR, on the host's execution space",
    .source = "Kokkos Kernels",
    .version = 1,
    .build = build,
    .run = run,
    .release = release,
    RC_LIBRARY_SPMV,
};
