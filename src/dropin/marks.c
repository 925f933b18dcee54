/* Times in a stream of the program, by events. */
#include "config.h"
#include "dropin/marks.h"
#include "dropin/stream.h"

#include <stdlib.h>

typedef struct marks {
    cudaEvent_t at[2];
} marks_t;

void rc_marks_free(void *marks)
{
    marks_t *m = marks;
    for (int i = 0; i < 2; i++)
        if (m->at[i])
            (void)failed(cudaEventDestroy(m->at[i]));
    free(m);
}

void *rc_marks_new(void)
{
    marks_t *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    for (int i = 0; i < 2; i++)
        if (failed(cudaEventCreate(&m->at[i]))) {
            rc_marks_free(m);
            return NULL;
        }
    return m;
}

int rc_mark(void *marks, int end, void *stream)
{
    marks_t *m = marks;
    return failed(cudaEventRecord(m->at[end], stream)) ? -1 : 0;
}

static double time_of(const marks_t *m)
{
    float ms = 0;
    cudaError_t e = cudaEventQuery(m->at[1]);
    if (e == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return 0;
    }
    if (failed(e) || failed(cudaEventElapsedTime(&ms, m->at[0], m->at[1])) || ms <= 0)
        return -1;
    return 1e6 * (double)ms;
}

double rc_marks_between(void *marks)
{
    if (cudaPeekAtLastError() != cudaSuccess)
        return 0; /* the program's, which is not to be taken */
    enum cudaStreamCaptureMode mode = relax();
    double ns = time_of(marks);
    restore(mode);
    return ns;
}

int rc_marks_idle(void *stream)
{
    if (cudaPeekAtLastError() != cudaSuccess)
        return -1; /* the program's, which is not to be taken */
    enum cudaStreamCaptureMode mode = relax();
    cudaError_t e = cudaStreamQuery(stream);
    if (e != cudaSuccess)
        (void)cudaGetLastError();
    restore(mode);
    return e == cudaSuccess ? 1 : e == cudaErrorNotReady ? 0 : -1;
}
