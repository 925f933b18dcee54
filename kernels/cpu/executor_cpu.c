#include "config.h"
#include "kernels/cpu/executor_cpu.h"
#include "base/error.h"
#include "kernels/executor.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int rc_simd_lanes32(const char **isa)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq")) {
        *isa = "avx512";
        return 16;
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
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

static rc_status_t cpu_copy(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
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

static int64_t place_at(const rc_gather_t *g, int64_t i)
{
    return g->place_bytes == 4 ? ((const int32_t *)g->place)[i] : ((const int64_t *)g->place)[i];
}

static rc_status_t cpu_gather(rc_executor_t *x, const rc_gather_t *g, rc_err_t *err)
{
    (void)x;
    (void)err;
    for (int64_t i = 0; i < g->count; i++) {
        int64_t at = place_at(g, i) - 1;
        double v = at < 0 ? 0
                   : g->from_bytes == 4 ? (double)((const float *)g->from)[at]
                                        : ((const double *)g->from)[at];
        if (g->to_bytes == 4)
            ((float *)g->to)[i] = (float)v;
        else
            ((double *)g->to)[i] = v;
    }
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
        .alloc = cpu_alloc,
        .release = cpu_release,
        .upload = cpu_copy,
        .download = cpu_copy,
        .fill = cpu_fill,
        .gather = cpu_gather,
    };
}
