/* The functions that stand in for cuSPARSE's. */
#include "config.h"
#include "dropin/dropin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rc_dropin_t state = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int depth;

int rc_dropin_inside(void)
{
    return depth > 0 || state.forked;
}

void rc_dropin_enter(void)
{
    depth++;
}

void rc_dropin_leave(void)
{
    depth--;
}

/* --------------------------------------------------------------------- state */

/* The engine lies beside this library, in a folder of its own. */
static const rc_engine_t *open_engine(const char *path)
{
    char beside[PATH_MAX];
    Dl_info info;
    const rc_engine_t *(*get)(void) = NULL;
    if (!path && dladdr(&state, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        int n = slash ? (int)(slash - info.dli_fname) : 0;
        (void)snprintf(beside, sizeof beside, "%.*s/rowcast/rowcast_dropin.so", slash ? n : 1,
            slash ? info.dli_fname : ".");
        path = beside;
    }
    char whole[PATH_MAX]; /* the engine opens what lies beside it later: the program may move */
    path = path && realpath(path, whole) ? whole : path;
    void *handle = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = handle ? dlsym(handle, "rc_dropin_engine") : NULL;
    memcpy(&get, &symbol, sizeof get);
    const rc_engine_t *engine = get ? get() : NULL;
    if (!engine)
        fprintf(stderr, "rowcast: no plans: %s\n", handle ? "the engine is none" : dlerror());
    return engine && engine->abi == RC_ENGINE_ABI ? engine : NULL;
}

/* That takes of the host what making takes.  An engine with a clock of its own says nothing of the
 * time before it is there. */
static void open_counted(rc_dropin_t *d)
{
    double start = rc_making_now(d);
    const rc_engine_t *engine = open_engine(d->settings.engine);
    if (!engine || !engine->now)
        d->account.spent += rc_making_now(d) - start;
    d->engine = engine;
}

/* This library is there from the start of the process on. */
__attribute__((constructor)) static void load(void)
{
    state.loaded = rc_making_now(&state);
}

static void in_child(void)
{
    state.forked = 1;
}

/* Before the CUDA runtime ends, which registered its own end earlier. */
static void finish(void)
{
    if (state.forked)
        return;
    rc_making_stop(&state);
    (void)pthread_mutex_lock(&state.lock);
    for (int i = 0; i < state.count; i++) {
        rc_worth_settle(&state, state.known[i]);
        rc_past_save(&state, state.known[i]);
    }
    if (state.settings.summary)
        rc_dropin_summary(&state);
    (void)pthread_mutex_unlock(&state.lock);
}

static void set_up(void)
{
    const rc_real_t *real = rc_real();
    state.settings = rc_settings_read();
    rc_dropin_enter();
    if (!state.settings.off && real->reads)
        open_counted(&state);
    rc_dropin_leave();
    rc_choices_begin(&state.cache, state.settings.cache, state.settings.cache_most);
    (void)pthread_atfork(NULL, NULL, in_child);
    (void)atexit(finish);
}

rc_dropin_t *rc_dropin(void)
{
    (void)pthread_once(&once, set_up);
    return &state;
}

static void count(rc_dropin_t *d, rc_op_t op, const rc_turn_t *turn)
{
    (void)pthread_mutex_lock(&d->lock);
    d->calls++;
    d->asked[op]++;
    d->done[op][turn->direct] += turn->why == RC_WHY_PLAN;
    d->why[op][turn->why]++;
    (void)pthread_mutex_unlock(&d->lock);
}

/* A product that was read.  \param[in] why  RC_WHY_PLAN: it is understood */
static rc_turn_t begin(
    rc_dropin_t *d, rc_why_t why, const rc_asked_t *p, cusparseConstSpMatDescr_t descr)
{
    const rc_turn_t turn = {why, NULL, NULL, 0, 0, 0};
    return why == RC_WHY_PLAN ? rc_dropin_begin(d, p, descr) : turn;
}

/* \param[in] st  of cuSPARSE, or success  \return what the program is told */
static cusparseStatus_t end(rc_dropin_t *d, rc_op_t op, const rc_turn_t *turn, cusparseStatus_t st)
{
    rc_dropin_end(d, turn, st == CUSPARSE_STATUS_SUCCESS);
    count(d, op, turn);
    return turn->failed ? CUSPARSE_STATUS_EXECUTION_FAILED : st;
}

/* ------------------------------------------------------------------ functions */

#define OURS __attribute__((visibility("default")))

/* What the functions of cusparseSpMM begin with, in the order of rc_spmm_call_t. */
#define SPMM_PARAMETERS                                                                            \
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,  \
        cusparseConstSpMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,          \
        cusparseDnMatDescr_t matC, cudaDataType computeType, cusparseSpMMAlg_t alg
#define SPMM_ARGUMENTS handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg

OURS cusparseStatus_t cusparseSpMM(SPMM_PARAMETERS, void *externalBuffer)
{
    const rc_real_t *real = rc_real();
    const rc_spmm_call_t call = {SPMM_ARGUMENTS};
    rc_asked_t p = {.op = RC_OP_SPMM};
    cusparseStatus_t st = CUSPARSE_STATUS_SUCCESS;
    if (!real->SpMM)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (rc_dropin_inside())
        return real->SpMM(SPMM_ARGUMENTS, externalBuffer);
    rc_dropin_t *d = rc_dropin();
    rc_why_t why = d->engine ? rc_product_read(real, &call, d->settings.bits, &p) : RC_WHY_OFF;
    rc_turn_t turn = begin(d, why, &p, matA);
    if (turn.why != RC_WHY_PLAN)
        st = real->SpMM(SPMM_ARGUMENTS, externalBuffer);
    return end(d, RC_OP_SPMM, &turn, st);
}

/* In the order of rc_spmv_call_t.  The size of its buffer is cuSPARSE's, which may have to multiply
 * at any time. */
#define SPMV_PARAMETERS                                                                            \
    cusparseHandle_t handle, cusparseOperation_t opA, const void *alpha,                           \
        cusparseConstSpMatDescr_t matA, cusparseConstDnVecDescr_t vecX, const void *beta,          \
        cusparseDnVecDescr_t vecY, cudaDataType computeType, cusparseSpMVAlg_t alg
#define SPMV_ARGUMENTS handle, opA, alpha, matA, vecX, beta, vecY, computeType, alg

OURS cusparseStatus_t cusparseSpMV(SPMV_PARAMETERS, void *externalBuffer)
{
    const rc_real_t *real = rc_real();
    const rc_spmv_call_t call = {SPMV_ARGUMENTS};
    rc_asked_t p = {.op = RC_OP_SPMV};
    cusparseStatus_t st = CUSPARSE_STATUS_SUCCESS;
    if (!real->SpMV)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (rc_dropin_inside())
        return real->SpMV(SPMV_ARGUMENTS, externalBuffer);
    rc_dropin_t *d = rc_dropin();
    rc_why_t why = d->engine ? rc_product_read_spmv(real, &call, d->settings.bits, &p) : RC_WHY_OFF;
    rc_turn_t turn = begin(d, why, &p, matA);
    if (turn.why != RC_WHY_PLAN)
        st = real->SpMV(SPMV_ARGUMENTS, externalBuffer);
    return end(d, RC_OP_SPMV, &turn, st);
}

/* In the order of rc_sddmm_call_t. */
#define SDDMM_PARAMETERS                                                                           \
    cusparseHandle_t handle, cusparseOperation_t opA, cusparseOperation_t opB, const void *alpha,  \
        cusparseConstDnMatDescr_t matA, cusparseConstDnMatDescr_t matB, const void *beta,          \
        cusparseSpMatDescr_t matC, cudaDataType computeType, cusparseSDDMMAlg_t alg
#define SDDMM_ARGUMENTS handle, opA, opB, alpha, matA, matB, beta, matC, computeType, alg

OURS cusparseStatus_t cusparseSDDMM(SDDMM_PARAMETERS, void *externalBuffer)
{
    const rc_real_t *real = rc_real();
    const rc_sddmm_call_t call = {SDDMM_ARGUMENTS};
    rc_asked_t p = {.op = RC_OP_SDDMM};
    cusparseStatus_t st = CUSPARSE_STATUS_SUCCESS;
    if (!real->SDDMM)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (rc_dropin_inside())
        return real->SDDMM(SDDMM_ARGUMENTS, externalBuffer);
    rc_dropin_t *d = rc_dropin();
    rc_why_t why =
        d->engine ? rc_product_read_sddmm(real, &call, d->settings.bits, &p) : RC_WHY_OFF;
    rc_turn_t turn = begin(d, why, &p, NULL);
    if (turn.why != RC_WHY_PLAN)
        st = real->SDDMM(SDDMM_ARGUMENTS, externalBuffer);
    return end(d, RC_OP_SDDMM, &turn, st);
}

/* The buffer is for cuSPARSE's own products, which may come at any time. */
OURS cusparseStatus_t cusparseSpMM_bufferSize(SPMM_PARAMETERS, size_t *bufferSize)
{
    const rc_real_t *real = rc_real();
    if (!real->SpMM_bufferSize)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    return real->SpMM_bufferSize(SPMM_ARGUMENTS, bufferSize);
}

/* 1: what is preprocessed is of interest. */
static int trusts(void)
{
    return !rc_dropin_inside() && rc_dropin()->settings.trust && rc_dropin()->engine;
}

/* A descriptor is preprocessed.  \param[in] why  RC_WHY_PLAN: the product is understood */
static void preprocessed(
    cusparseConstSpMatDescr_t descr, rc_op_t op, rc_why_t why, const rc_asked_t *p)
{
    rc_dropin_t *d = rc_dropin();
    (void)pthread_mutex_lock(&d->lock);
    rc_trust(d, descr, op, why == RC_WHY_PLAN ? p : NULL);
    (void)pthread_mutex_unlock(&d->lock);
}

OURS cusparseStatus_t cusparseSpMM_preprocess(SPMM_PARAMETERS, void *externalBuffer)
{
    const rc_real_t *real = rc_real();
    const rc_spmm_call_t call = {SPMM_ARGUMENTS};
    rc_asked_t p;
    if (!real->SpMM_preprocess)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (trusts())
        preprocessed(
            matA, RC_OP_SPMM, rc_product_read(real, &call, rc_dropin()->settings.bits, &p), &p);
    return real->SpMM_preprocess(SPMM_ARGUMENTS, externalBuffer);
}

#if CUSPARSE_VERSION >= 12300
OURS cusparseStatus_t cusparseSpMV_preprocess(SPMV_PARAMETERS, void *externalBuffer)
{
    const rc_real_t *real = rc_real();
    const rc_spmv_call_t call = {SPMV_ARGUMENTS};
    rc_asked_t p;
    if (!real->SpMV_preprocess)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    if (trusts())
        preprocessed(matA, RC_OP_SPMV,
            rc_product_read_spmv(real, &call, rc_dropin()->settings.bits, &p), &p);
    return real->SpMV_preprocess(SPMV_ARGUMENTS, externalBuffer);
}
#endif

/* The address of a descriptor may be that of another one later. */
static void forget(cusparseConstSpMatDescr_t descr)
{
    if (rc_dropin_inside())
        return;
    rc_dropin_t *d = rc_dropin();
    (void)pthread_mutex_lock(&d->lock);
    rc_distrust(d, descr);
    (void)pthread_mutex_unlock(&d->lock);
}

OURS cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t spMatDescr)
{
    const rc_real_t *real = rc_real();
    if (!real->DestroySpMat)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    forget(spMatDescr);
    return real->DestroySpMat(spMatDescr);
}

/* New arrays.  \param[in] set  cuSPARSE's function; NULL: there is none */
static cusparseStatus_t set_pointers(__typeof__(&cusparseCsrSetPointers) set,
    cusparseSpMatDescr_t descr, void *first, void *second, void *values)
{
    if (!set)
        return CUSPARSE_STATUS_NOT_INITIALIZED;
    forget(descr);
    return set(descr, first, second, values);
}

OURS cusparseStatus_t cusparseCsrSetPointers(
    cusparseSpMatDescr_t spMatDescr, void *csrRowOffsets, void *csrColInd, void *csrValues)
{
    return set_pointers(rc_real()->CsrSetPointers, spMatDescr, csrRowOffsets, csrColInd, csrValues);
}

OURS cusparseStatus_t cusparseCscSetPointers(
    cusparseSpMatDescr_t spMatDescr, void *cscColOffsets, void *cscRowInd, void *cscValues)
{
    return set_pointers(rc_real()->CscSetPointers, spMatDescr, cscColOffsets, cscRowInd, cscValues);
}

OURS cusparseStatus_t cusparseCooSetPointers(
    cusparseSpMatDescr_t spMatDescr, void *cooRows, void *cooColumns, void *cooValues)
{
    return set_pointers(rc_real()->CooSetPointers, spMatDescr, cooRows, cooColumns, cooValues);
}
