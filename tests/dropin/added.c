/* cusparseSpMM of the drop-in with the fakes where a plan cannot do it: by kernels on the program's arrays.  Run by dropin.t,
 * which preloads the drop-in.  Each case is a process. */
#include "small.h"

#include <math.h>
#include <string.h>

/* A product that is compared with one of its own.  \return 1: a kernel of the engine did it */
static int added(small_t *s, int *wrong)
{
    float want[8];
    int before = engine()->directs;
    for (int r = 0; r < 2; r++)
        for (int j = 0; j < 4; j++) {
            float sum = 0;
            for (int64_t e = s->ptr[r]; e < s->ptr[r + 1]; e++)
                sum += s->val[e] * s->b[s->idx[e] * 4 + j];
            want[r * 4 + j] = s->alpha * sum + (s->beta != 0 ? s->beta * s->c[r * 4 + j] : 0);
        }
    *wrong += plain(s) != CUSPARSE_STATUS_SUCCESS || memcmp(s->c, want, sizeof want) != 0;
    return engine()->directs > before;
}

/* What a plan cannot do, by kernels on the program's arrays. */
static void direct(void)
{
    small_t s;
    int wrong = 0;
    int ours = 0;
    small_new(&s);
    s.beta = -1;
    for (int i = 0; i < 130; i++)
        ours = added(&s, &wrong);
    ok(ours && engine()->made == 0 && engine()->copied == 0, "a C that is added to has a kernel, and no plan");
    s.idx[1] = 0;
    ok(added(&s, &wrong) && engine()->repaired == 0, "the pattern may change");
    (void)cusparseSetPointerMode(s.handle, CUSPARSE_POINTER_MODE_DEVICE);
    s.beta = 0.5F;
    ok(added(&s, &wrong), "scalars may be on the device");
    s.beta = 0;
    s.c[0] = NAN;
    ok(added(&s, &wrong), "beta 0 there reads nothing of C");
    (void)cusparseSetPointerMode(s.handle, CUSPARSE_POINTER_MODE_HOST);
    ok(until_plan(&s, 40) && engine()->made == 1 && !wrong, "beta 0 on the host has a plan, and all are right");
    small_free(&s);
}

/* B from an address on. */
static void move(small_t *s, float *b)
{
    (void)cusparseDestroyDnMat(s->db);
    (void)cusparseCreateDnMat(&s->db, 3, 4, 4, b, CUDA_R_32F, CUSPARSE_ORDER_ROW);
}

/* Parts of arrays, which kernels cannot load in pieces of 16 bytes. */
static void slices(void)
{
    _Alignas(16) float b[16] = {0};
    _Alignas(16) float c[8] = {0};
    small_t s;
    int ours = 0;
    small_new(&s);
    s.beta = -1;
    (void)cusparseDestroyDnMat(s.dc);
    (void)cusparseCreateDnMat(&s.dc, 2, 4, 4, c, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    move(&s, b);
    for (int i = 0; i < 150; i++) {
        int before = engine()->directs;
        (void)plain(&s);
        ours = engine()->directs > before;
    }
    ok(ours, "there is a kernel");
    for (int at = 1; at < 4; at++) {
        int before = engine()->directs;
        move(&s, b + at);
        (void)plain(&s);
        ok(engine()->directs == before, "a slice is another product");
        move(&s, b + at % 2 * 4);
        (void)plain(&s);
        ok(engine()->directs == before + 1, "and the first has its kernel, wherever it is");
    }
    small_free(&s);
}

/* With ROWCAST_BUDGET=memory=1000, which one plan takes. */
static void room(void)
{
    small_t s[3];
    int wrong = 0;
    int ours = 0;
    for (int i = 0; i < 3; i++) {
        small_new(&s[i]);
        s[i].idx[1] = i;
    }
    s[0].beta = -1;
    for (int i = 0; i < 130; i++)
        ours = added(&s[0], &wrong);
    ok(ours && until_plan(&s[1], 40), "there are a kernel and a plan");
    for (int i = 0; i < 1100; i++)
        wrong += plain(&s[1]) != CUSPARSE_STATUS_SUCCESS || !right(&s[1]);
    ok(!until_plan(&s[2], 40) && engine()->made == 1, "which has all memory that there may be");
    ok(added(&s[0], &wrong) && !wrong, "a kernel without memory does not go for it");
    for (int i = 0; i < 3; i++)
        small_free(&s[i]);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "slices") == 0)
        slices();
    else if (strcmp(what, "room") == 0)
        room();
    else
        direct();
    return ok_end();
}
