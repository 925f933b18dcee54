#include "config.h"
#include "dropin/product.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static rc_real_t real;

/* Versions of cuSPARSE's soname that have what is interposed, as it is declared here.  11 lacks
 * functions that read descriptors: all passes through. */
static const char *const names[] = {"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so.11"};

/* A library that the program has opened for itself is not behind this one. */
static void *loaded(int mode)
{
    void *handle = NULL;
    for (size_t i = 0; !handle && i < sizeof names / sizeof *names; i++)
        handle = dlopen(names[i], RTLD_LAZY | mode);
    return handle;
}

/* ISO C has no way from an object to a function. */
static void get(void *handle, const char *name, void *function, size_t bytes)
{
    void *p = dlsym(RTLD_NEXT, name);
    if (!p && handle)
        p = dlsym(handle, name);
    memcpy(function, &p, bytes);
}

static void look_up(void)
{
    void *handle = dlsym(RTLD_NEXT, "cusparseSpMM") ? NULL : loaded(RTLD_NOLOAD);
    if (!handle && !dlsym(RTLD_NEXT, "cusparseSpMM"))
        handle = loaded(0);
#define GET(name) get(handle, "cusparse" #name, &real.name, sizeof real.name)
    GET(SpMM);
    GET(SpMM_bufferSize);
    GET(SpMM_preprocess);
    GET(SpMV);
    GET(SpMV_preprocess);
    GET(SDDMM);
    GET(DestroySpMat);
    GET(CsrSetPointers);
    GET(CscSetPointers);
    GET(CooSetPointers);
    GET(SpMatGetFormat);
    GET(SpMatGetStridedBatch);
    GET(ConstCsrGet);
    GET(ConstCscGet);
    GET(ConstCooGet);
    GET(ConstDnMatGet);
    GET(DnMatGetStridedBatch);
    GET(ConstDnVecGet);
    GET(GetStream);
    GET(GetPointerMode);
#undef GET
    real.reads = real.SpMM && real.SpMatGetFormat && real.SpMatGetStridedBatch &&
                 real.ConstCsrGet && real.ConstDnMatGet && real.DnMatGetStridedBatch &&
                 real.ConstDnVecGet && real.GetStream && real.GetPointerMode;
}

const rc_real_t *rc_real(void)
{
    (void)pthread_once(&once, look_up);
    return &real;
}
