/* Random programs of calls: matrices are made, multiplied by, changed in values and in pattern, destroyed, and made again
 * where others were.  Every product is compared with sums in fp64.
 *   random [PROGRAMS [SEED [SECONDS [STEPS [DEVICES [SIZE]]]]]]
 * A program has STEPS steps [40], most of which are a few products; on several DEVICES [1] it is one for each, and the
 * thread goes from device to device with each step.  Matrices have at most SIZE rows and columns [24].
 * Prints one line of TAP.  ROWCAST_TRUST=preprocess: programs keep the contract of that. */
#include "memory.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MATRICES = 3, STREAMS = 2, MOST = 16 };

typedef struct program {
    rng_t rng;
    cusparseHandle_t handle;
    void *stream[STREAMS];
    int now; /* index of the stream */
    long size; /* of matrices, at most */
    matrix_t m[MATRICES];
    int products;
    int wrong;
} program_t;

/* The contract: a pattern changes only before the descriptor is preprocessed again, or gone. */
static void change_pattern(program_t *p, matrix_t *m)
{
    matrix_renew(m);
    matrix_change_pattern(m, &p->rng, p->stream[p->now]);
}

/* Several products alike, as a solver has them, with new values in between. */
static void multiply(program_t *p, matrix_t *m)
{
    product_t product = product_random(&p->rng, m);
    matrix_renew(m); /* what was preprocessed was another product */
    for (int64_t n = 1 + rng_below(&p->rng, 8); n > 0; n--) {
        product.preprocess = rng_below(&p->rng, 6) == 0;
        /* a graph keeps a plan, and the next product has none */
        int is_kernel = product.op != PRODUCT_MATRIX || !number_is_zero(product.beta) || product.device_scalars;
        product.captured = rng_below(&p->rng, is_kernel ? 4 : 16) == 0;
        if (rng_below(&p->rng, 3) == 0)
            matrix_change_values(m, &p->rng, p->stream[p->now]);
        if (rng_below(&p->rng, 10) == 0)
            change_pattern(p, m);
        p->wrong += !product_check(p->handle, p->stream[p->now], m, &product, &p->rng);
        p->products++;
    }
}

static void step(program_t *p)
{
    matrix_t *m = &p->m[rng_below(&p->rng, MATRICES)];
    switch (rng_below(&p->rng, 8)) {
    case 0: change_pattern(p, m); break;
    case 1:
        matrix_free(m); /* the arrays of the next one may lie where these were */
        matrix_new(m, &p->rng, p->size, p->stream[p->now]);
        break;
    case 2:
        p->now = (int)rng_below(&p->rng, STREAMS);
        (void)cusparseSetStream(p->handle, p->stream[p->now]);
        break;
    default: multiply(p, m); break;
    }
}

static void begin(program_t *p, uint64_t seed)
{
    p->rng.state = seed;
    p->now = 0;
    (void)cusparseCreate(&p->handle);
    for (int i = 0; i < STREAMS; i++)
        p->stream[i] = stream_new();
    (void)cusparseSetStream(p->handle, p->stream[0]);
    for (int i = 0; i < MATRICES; i++)
        matrix_new(&p->m[i], &p->rng, p->size, p->stream[0]);
}

static void end(program_t *p)
{
    for (int i = 0; i < MATRICES; i++)
        matrix_free(&p->m[i]);
    (void)cusparseDestroy(p->handle);
    for (int i = 0; i < STREAMS; i++)
        stream_free(p->stream[i]);
}

/* Programs of the same seed on all devices would hide one that took the other's plan. */
static void run(program_t *p, int devices, uint64_t seed, long steps)
{
    for (int i = 0; i < devices; i++) {
        device_use(i);
        begin(&p[i], seed + (uint64_t)i * 0x100000000u);
    }
    for (long n = 0; n < steps * devices; n++) {
        device_use((int)(n % devices));
        step(&p[n % devices]);
    }
    for (int i = 0; i < devices; i++) {
        device_use(i);
        end(&p[i]);
    }
}

int main(int argc, char **argv)
{
    long programs = argc > 1 ? strtol(argv[1], NULL, 10) : 100;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    double limit = argc > 3 ? strtod(argv[3], NULL) : 1e9;
    long steps = argc > 4 ? strtol(argv[4], NULL, 10) : 40;
    long devices = argc > 5 ? strtol(argv[5], NULL, 10) : 1;
    time_t start = time(NULL);
    long size = argc > 6 ? strtol(argv[6], NULL, 10) : 24;
    program_t p[MOST];
    int products = 0;
    int wrong = 0;
    long done = 0;
    memset(p, 0, sizeof p);
    for (int i = 0; i < MOST; i++)
        p[i].size = size;
    if (size < 1 || devices < 1 || devices > MOST || devices > devices_there()) {
        printf("ok # SKIP %s\n", devices_there() ? "not as many devices" : "no GPU");
        return 0;
    }
    for (; done < programs && wrong == 0 && difftime(time(NULL), start) < limit; done++) {
        run(p, (int)devices, seed + (uint64_t)done, steps);
        products = wrong = 0;
        for (int i = 0; i < devices; i++) {
            products += p[i].products;
            wrong += p[i].wrong;
        }
    }
    int bad = wrong > 0 || product_failures() > 0;
    if (bad)
        printf("# the program of seed %llu\n", (unsigned long long)(seed + (uint64_t)done - 1));
    printf("%sok - %ld random programs, %d products, %d wrong, %d calls failed\n", bad ? "not " : "", done,
        products, wrong, product_failures());
    return bad;
}
