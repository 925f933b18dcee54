#include "config.h"
#include "device/executor.h"
#include "base/error.h"
#include "base/type.h"
#include "device/cpu/simd.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if RC_SIMD_X86
#include <cpuid.h>

/* Compilers do not all tell of it: every CPU with AVX2 has it, but a virtual one may hide it. */
static int has_f16c(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C) != 0;
}
#endif

int rc_simd_lanes32(const char **isa)
{
#if RC_SIMD_X86
    const int fp16 = has_f16c();
    if (fp16 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        *isa = "avx512";
        return 16;
    }
    if (fp16 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        *isa = "avx2";
        return 8;
    }
#endif
    *isa = "base";
    return 4;
}

static rc_status_t cpu_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    (void)x;
    enum { small_align = 64, huge_page = 2 * 1024 * 1024 };
    size_t align = bytes >= huge_page ? huge_page : small_align;
    void *p = NULL;
    if (posix_memalign(&p, align, bytes ? bytes : 1) != 0)
        return rc_fail(err, RC_ENOMEM, "no memory on the device for %zu bytes", bytes);
#ifdef MADV_HUGEPAGE
    /* random rows of B: a table walk per access without huge pages; only a hint, may be refused */
    if (bytes >= huge_page)
        (void)madvise(p, bytes, MADV_HUGEPAGE);
#endif
    *out = p;
    return RC_OK;
}

static void cpu_release(rc_executor_t *x, void *p)
{
    (void)x;
    free(p);
}

static rc_status_t cpu_copy(
    rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    (void)x;
    (void)err;
    if (bytes)
        memcpy(to, from, bytes);
    return RC_OK;
}

static rc_status_t cpu_fill(rc_executor_t *x, void *p, int byte, size_t bytes, rc_err_t *err)
{
    (void)x;
    (void)err;
    if (bytes)
        memset(p, byte, bytes);
    return RC_OK;
}

static rc_status_t cpu_gather(rc_executor_t *x, const rc_gather_t *g, rc_err_t *err)
{
    (void)err;
    rc_gather_host(g, x->threads);
    return RC_OK;
}

#define INSTANCES "device/cpu/executor_cpu.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

static rc_status_t cpu_scale(
    rc_executor_t *x, const rc_dense_t *m, const double beta[2], rc_err_t *err)
{
    static void (*const scale[])(void *, int64_t, int64_t, const double *) =
        RC_INSTANCES_ANY(scale);
    int by_row = m->layout == RC_ROW_MAJOR;
    int64_t lines = by_row ? m->rows : m->cols;
    (void)err;
    const rc_type_t *sum = rc_type(rc_type(m->precision)->sum);
    if (sum->round(beta[0]) == 1 && sum->round(beta[1]) == 0)
        return RC_OK;
#pragma omp parallel for num_threads(x->threads)
    for (int64_t l = 0; l < lines; l++)
        scale[m->precision](m->data, l * m->ld, by_row ? m->cols : m->rows, beta);
    return RC_OK;
}

static rc_status_t cpu_take(rc_executor_t *x, const rc_take_t *t, rc_err_t *err)
{
    enum { ROWS = 1 << 10, ALONE = 1 << 14 }; /* rows of a piece; values that a team is not worth */
    static void (*const take[])(const rc_take_t *, int64_t, int64_t) = RC_INSTANCES_ANY(take);
    int64_t pieces = (t->rows + ROWS - 1) / ROWS;
    (void)err;
#pragma omp parallel for num_threads(x->threads) schedule(static) if (t->rows * t->cols > ALONE)
    for (int64_t i = 0; i < pieces; i++)
        take[t->type](t, i * ROWS, i + 1 < pieces ? (i + 1) * ROWS : t->rows);
    return RC_OK;
}

/* Imaginary parts of complex numbers change their signs; of real ones there are none. */
static void conjugate(rc_precision_t t, void *x, int64_t begin, int64_t end)
{
    const rc_type_t *type = rc_type(t);
    const rc_type_t *part = rc_type(type->part);
    for (int64_t i = begin; type->parts > 1 && i < end; i++) {
        const int64_t at = i * type->parts + 1;
        part->store(x, at, -part->load(x, at));
    }
}

void rc_gather_host(const rc_gather_t *g, int threads)
{
    enum { PIECE = 1 << 14 };
    int64_t pieces = (g->count + PIECE - 1) / PIECE;
#pragma omp parallel for num_threads(threads) schedule(static) if (pieces > 1)
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t end = i + 1 < pieces ? (i + 1) * PIECE : g->count;
        rc_type_gather(
            g->to_type, g->to, g->from_type, g->from, g->place, g->place_bytes, i * PIECE, end);
        if (g->conjugates)
            conjugate(g->to_type, g->to, i * PIECE, end);
    }
}

static rc_status_t cpu_wait(rc_executor_t *x, rc_err_t *err)
{
    (void)x;
    (void)err;
    return RC_OK;
}

void rc_executor_cpu(int threads, rc_executor_t *out)
{
    enum { line_bytes = 64 };
    const char *isa;
    *out = (rc_executor_t){
        .kind = RC_DEVICE_CPU,
        .threads = threads,
        .lanes32 = rc_simd_lanes32(&isa),
        .line_bytes = line_bytes,
        .types = RC_TYPES_ANY,
        .alloc = cpu_alloc,
        .release = cpu_release,
        .upload = cpu_copy,
        .download = cpu_copy,
        .move = cpu_copy,
        .fill = cpu_fill,
        .gather = cpu_gather,
        .take = cpu_take,
        .scale = cpu_scale,
        .wait = cpu_wait,
    };
}
