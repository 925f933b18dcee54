/* A solver as programs have it that know cuSPARSE alone: matrices in CSR, products by cusparseSpMV on a stream of the
 * program's, kernels for the vectors.
 *   solve METHOD FILE [STEPS [TOLERANCE [ALGORITHM [SIDES]]]]
 * METHOD cg is conjugate gradients with the diagonal as preconditioner, as codes of multigrid have them; pdhg solves the linear
 * program min c'x, A x = b, x >= 0 by A and A', two matrices in CSR.  Each of SIDES [1] right-hand sides is solved after the
 * other, by at most STEPS [1000], until the relative residual is TOLERANCE [1e-8].  ALGORITHM is a cusparseSpMVAlg_t [0].
 * FILE: rows, columns, entries (int64), row pointers and columns from 0 (int32), values (double).
 * Prints a line of JSON; seconds are those of a clock on the wall from the first call of cuSPARSE until x is on the host. */
#include "blas.h"
#include "memory.h"

#include <cusparse.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LOOK = 50 }; /* steps of pdhg between two looks at its residual */

typedef struct csr {
    int64_t rows, cols, nnz;
    int32_t *ptr, *idx;
    double *val;
} csr_t;

/* A matrix on the device, and the vectors that it was last multiplied with. */
typedef struct operand {
    csr_t at; /* of the device */
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x, y;
    void *buffer;
} operand_t;

typedef struct solver {
    csr_t a; /* of the host */
    operand_t forward, backward;
    cusparseHandle_t handle;
    cusparseSpMVAlg_t alg;
    void *stream;
    int64_t most;
    double tolerance;
    int64_t steps;   /* made */
    double residual; /* the largest of the right-hand sides */
} solver_t;

static void die(const char *format, ...)
{
    va_list words;
    va_start(words, format);
    (void)vfprintf(stderr, format, words);
    va_end(words);
    (void)fputc('\n', stderr);
    exit(1);
}

static void check(cusparseStatus_t st, const char *what)
{
    if (st != CUSPARSE_STATUS_SUCCESS)
        die("solve: %s: status %d", what, (int)st);
}

static double now(void)
{
    struct timespec t;
    (void)timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(int64_t count, size_t bytes)
{
    void *p = calloc(count > 0 ? (size_t)count : 1, bytes);
    if (!p)
        die("solve: no memory");
    return p;
}

/* -------------------------------------------------------------------- matrices */

static csr_t csr_new(int64_t rows, int64_t cols, int64_t nnz)
{
    csr_t a = {rows, cols, nnz, room(rows + 1, sizeof *a.ptr), room(nnz, sizeof *a.idx), room(nnz, sizeof *a.val)};
    return a;
}

static void csr_free(csr_t *a)
{
    free(a->ptr);
    free(a->idx);
    free(a->val);
}

static void get(FILE *f, void *to, int64_t count, size_t bytes)
{
    if (fread(to, bytes, (size_t)count, f) != (size_t)count)
        die("solve: the file ends early");
}

static csr_t csr_read(const char *path)
{
    int64_t size[3];
    FILE *f = fopen(path, "rb");
    if (!f)
        die("solve: %s cannot be read", path);
    get(f, size, 3, sizeof *size);
    for (int i = 0; i < 3; i++)
        if (size[i] < 1 || size[i] >= INT32_MAX)
            die("solve: %s has no such sizes", path);
    csr_t a = csr_new(size[0], size[1], size[2]);
    get(f, a.ptr, a.rows + 1, sizeof *a.ptr);
    get(f, a.idx, a.nnz, sizeof *a.idx);
    get(f, a.val, a.nnz, sizeof *a.val);
    (void)fclose(f);
    int good = a.ptr[0] == 0 && a.ptr[a.rows] == a.nnz;
    for (int64_t r = 0; r < a.rows; r++)
        good = good && a.ptr[r] <= a.ptr[r + 1];
    for (int64_t e = 0; e < a.nnz; e++)
        good = good && a.idx[e] >= 0 && a.idx[e] < a.cols;
    if (!good)
        die("solve: %s is no matrix", path);
    return a;
}

static csr_t csr_turned(const csr_t *a)
{
    csr_t t = csr_new(a->cols, a->rows, a->nnz);
    for (int64_t e = 0; e < a->nnz; e++)
        t.ptr[a->idx[e] + 1]++;
    for (int64_t c = 0; c < t.rows; c++)
        t.ptr[c + 1] += t.ptr[c];
    for (int32_t r = 0; r < a->rows; r++)
        for (int32_t e = a->ptr[r]; e < a->ptr[r + 1]; e++) {
            int32_t to = t.ptr[a->idx[e]]++;
            t.idx[to] = r;
            t.val[to] = a->val[e];
        }
    memmove(t.ptr + 1, t.ptr, (size_t)t.rows * sizeof *t.ptr);
    t.ptr[0] = 0;
    return t;
}

static double dot_row(const csr_t *a, int64_t r, const double *x)
{
    double sum = 0;
    for (int32_t e = a->ptr[r]; e < a->ptr[r + 1]; e++)
        sum += a->val[e] * x[a->idx[e]];
    return sum;
}

/* ------------------------------------------------------------------- on the device */

static void *put(const void *from, int64_t count, size_t bytes, void *stream)
{
    void *to = device_new((size_t)count * bytes);
    device_put(to, from, (size_t)count * bytes, stream);
    return to;
}

static double *vector(solver_t *s, int64_t n)
{
    double *zero = room(n, sizeof *zero);
    double *v = put(zero, n, sizeof *zero, s->stream);
    free(zero);
    return v;
}

/* The same by numbers that the host has, which are freed. */
static double *vector_of(solver_t *s, double *from, int64_t n)
{
    double *v = put(from, n, sizeof *from, s->stream);
    free(from);
    return v;
}

static operand_t operand_new(solver_t *s, const csr_t *a)
{
    operand_t o = {.at = *a};
    o.at.ptr = put(a->ptr, a->rows + 1, sizeof *a->ptr, s->stream);
    o.at.idx = put(a->idx, a->nnz, sizeof *a->idx, s->stream);
    o.at.val = put(a->val, a->nnz, sizeof *a->val, s->stream);
    return o;
}

static const double one = 1, zero = 0;

/* What cuSPARSE wants before products. */
static void prepare(solver_t *s, operand_t *o, double *x, double *y)
{
    size_t bytes = 0;
    csr_t *m = &o->at;
    check(cusparseCreateCsr(&o->a, m->rows, m->cols, m->nnz, m->ptr, m->idx, m->val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F), "cusparseCreateCsr");
    check(cusparseCreateDnVec(&o->x, m->cols, x, CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&o->y, m->rows, y, CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseSpMV_bufferSize(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, o->a, o->x, &zero, o->y, CUDA_R_64F,
              s->alg, &bytes), "cusparseSpMV_bufferSize");
    o->buffer = device_new(bytes > 0 ? bytes : 1);
#if CUSPARSE_VERSION >= 12300
    check(cusparseSpMV_preprocess(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, o->a, o->x, &zero, o->y, CUDA_R_64F,
              s->alg, o->buffer), "cusparseSpMV_preprocess");
#endif
}

/* y = A x */
static void multiply(solver_t *s, operand_t *o, double *x, double *y)
{
    check(cusparseDnVecSetValues(o->x, x), "cusparseDnVecSetValues");
    check(cusparseDnVecSetValues(o->y, y), "cusparseDnVecSetValues");
    check(cusparseSpMV(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, o->a, o->x, &zero, o->y, CUDA_R_64F, s->alg,
              o->buffer), "cusparseSpMV");
}

static void operand_free(operand_t *o)
{
    if (!o->a)
        return;
    check(cusparseDestroyDnVec(o->x), "cusparseDestroyDnVec");
    check(cusparseDestroyDnVec(o->y), "cusparseDestroyDnVec");
    check(cusparseDestroySpMat(o->a), "cusparseDestroySpMat");
    device_free(o->buffer);
    device_free(o->at.ptr);
    device_free(o->at.idx);
    device_free(o->at.val);
}

static void begin(solver_t *s)
{
    check(cusparseCreate(&s->handle), "cusparseCreate");
    check(cusparseSetStream(s->handle, (cudaStream_t)s->stream), "cusparseSetStream");
}

/* -------------------------------------------------------------------- methods */

/* 0 .. 1, the same for a place each time */
static double number(uint64_t place)
{
    uint64_t x = (place + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

/* NaN, where one of them is. */
static double larger(double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double norm(solver_t *s, int64_t n, const double *x)
{
    return sqrt(blas_dot(n, x, x, s->stream));
}

typedef struct cg {
    double *b, *d, *x, *r, *z, *p, *q;
} cg_t;

static double *diagonal(const csr_t *a)
{
    double *d = room(a->rows, sizeof *d);
    for (int64_t r = 0; r < a->rows; r++) {
        for (int32_t e = a->ptr[r]; e < a->ptr[r + 1]; e++)
            d[r] += a->idx[e] == r ? a->val[e] : 0;
        d[r] = d[r] > 0 ? d[r] : 1;
    }
    return d;
}

/* One right-hand side, from x = 0. */
static void cg_solve(solver_t *s, cg_t *v)
{
    int64_t n = s->a.rows;
    double size = norm(s, n, v->b);
    blas_add(n, 0, v->b, 0, v->x, s->stream);
    blas_add(n, 1, v->b, 0, v->r, s->stream);
    blas_divide(n, v->r, v->d, v->z, s->stream);
    blas_add(n, 1, v->z, 0, v->p, s->stream);
    double rz = blas_dot(n, v->r, v->z, s->stream);
    for (int64_t step = 0; step < s->most && norm(s, n, v->r) > s->tolerance * size; step++) {
        multiply(s, &s->forward, v->p, v->q);
        double curve = blas_dot(n, v->p, v->q, s->stream);
        if (!(curve > 0))
            break; /* the matrix is not positive definite */
        blas_add(n, rz / curve, v->p, 1, v->x, s->stream);
        blas_add(n, -rz / curve, v->q, 1, v->r, s->stream);
        blas_divide(n, v->r, v->d, v->z, s->stream);
        double before = rz;
        rz = blas_dot(n, v->r, v->z, s->stream);
        blas_add(n, 1, v->z, rz / before, v->p, s->stream);
        s->steps++;
    }
    multiply(s, &s->forward, v->x, v->q);
    blas_add(n, -1, v->b, 1, v->q, s->stream);
    s->residual = larger(s->residual, norm(s, n, v->q) / size);
}

/* \return seconds */
static double cg(solver_t *s, int64_t sides)
{
    int64_t n = s->a.rows;
    double *x = room(n, sizeof *x), *b = room(n, sizeof *b), seconds = 0;
    if (n != s->a.cols)
        die("solve: cg needs a square matrix");
    cg_t v = {vector(s, n), vector_of(s, diagonal(&s->a), n), vector(s, n), vector(s, n), vector(s, n), vector(s, n),
        vector(s, n)};
    s->forward = operand_new(s, &s->a);
    for (int64_t side = 0; side < sides; side++) {
        for (int64_t i = 0; i < n; i++)
            b[i] = 2 * number((uint64_t)(side * n + i)) - 1;
        double start = now();
        if (side == 0) {
            begin(s);
            prepare(s, &s->forward, v.p, v.q);
        }
        device_put(v.b, b, (size_t)n * sizeof *b, s->stream);
        cg_solve(s, &v);
        device_get(x, v.x, (size_t)n * sizeof *x, s->stream);
        seconds += now() - start;
    }
    double *all[] = {v.b, v.d, v.x, v.r, v.z, v.p, v.q};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(all[i]);
    free(x);
    free(b);
    return seconds;
}

/* A linear program with a solution that is known to be there, and steps for each row and column. */
typedef struct pdhg {
    double *b, *c, *s, *t; /* of the device */
    double *x, *y, *bar, *wide, *tall, *g;
} pdhg_t;

/* 1 / the sum of a row */
static double *row_steps(const csr_t *a)
{
    double *s = room(a->rows, sizeof *s);
    for (int64_t r = 0; r < a->rows; r++) {
        for (int32_t e = a->ptr[r]; e < a->ptr[r + 1]; e++)
            s[r] += fabs(a->val[e]);
        s[r] = s[r] > 0 ? 1 / s[r] : 1;
    }
    return s;
}

/* b = A x, c = A'y + s for an x that is 0 in half of the places, and an s that is 0 in the others. */
static void pdhg_problem(const csr_t *a, const csr_t *turned, int64_t side, double *b, double *c)
{
    uint64_t first = (uint64_t)(side * (a->rows + 2 * a->cols));
    double *x = room(a->cols, sizeof *x), *y = room(a->rows, sizeof *y);
    for (int64_t i = 0; i < a->cols; i++)
        x[i] = fmax(0, 2 * number(first + (uint64_t)i) - 1);
    for (int64_t i = 0; i < a->rows; i++) {
        b[i] = dot_row(a, i, x);
        y[i] = number(first + (uint64_t)(a->cols + i));
    }
    for (int64_t i = 0; i < a->cols; i++)
        c[i] = dot_row(turned, i, y) + (x[i] > 0 ? 0 : number(first + (uint64_t)(a->cols + a->rows + i)));
    free(x);
    free(y);
}

/* The largest of what A x = b, A'y <= c and c'x = b'y are violated by, each over its size. */
static double pdhg_residual(solver_t *s, pdhg_t *v)
{
    int64_t m = s->a.rows, n = s->a.cols;
    multiply(s, &s->forward, v->x, v->tall);
    blas_add(m, -1, v->b, 1, v->tall, s->stream);
    multiply(s, &s->backward, v->y, v->wide);
    blas_above(n, v->wide, v->c, v->g, s->stream);
    double primal = blas_dot(n, v->c, v->x, s->stream), dual = blas_dot(m, v->b, v->y, s->stream);
    double of_rows = norm(s, m, v->tall) / (1 + norm(s, m, v->b));
    double of_columns = norm(s, n, v->g) / (1 + norm(s, n, v->c));
    return larger(
        larger(of_rows, of_columns), fabs(primal - dual) / (1 + fabs(primal) + fabs(dual)));
}

/* From x = 0 and y = 0. */
static void pdhg_solve(solver_t *s, pdhg_t *v)
{
    int64_t m = s->a.rows, n = s->a.cols;
    blas_add(n, 0, v->c, 0, v->x, s->stream);
    blas_add(m, 0, v->b, 0, v->y, s->stream);
    double residual = INFINITY;
    for (int64_t step = 0; step < s->most && residual > s->tolerance; step++) {
        multiply(s, &s->backward, v->y, v->wide);
        blas_primal(n, v->t, v->c, v->wide, v->x, v->bar, s->stream);
        multiply(s, &s->forward, v->bar, v->tall);
        blas_dual(m, v->s, v->b, v->tall, v->y, s->stream);
        s->steps++;
        if ((step + 1) % LOOK == 0 || step + 1 == s->most)
            residual = pdhg_residual(s, v);
    }
    s->residual = larger(s->residual, residual);
}

static double pdhg(solver_t *s, int64_t sides)
{
    int64_t m = s->a.rows, n = s->a.cols;
    double *b = room(m, sizeof *b), *c = room(n, sizeof *c), *x = room(n, sizeof *x), seconds = 0;
    csr_t turned = csr_turned(&s->a);
    pdhg_t v = {vector(s, m), vector(s, n), vector_of(s, row_steps(&s->a), m), vector_of(s, row_steps(&turned), n),
        vector(s, n), vector(s, m), vector(s, n), vector(s, n), vector(s, m), vector(s, n)};
    s->forward = operand_new(s, &s->a);
    s->backward = operand_new(s, &turned);
    for (int64_t side = 0; side < sides; side++) {
        pdhg_problem(&s->a, &turned, side, b, c);
        double start = now();
        if (side == 0) {
            begin(s);
            prepare(s, &s->forward, v.bar, v.tall);
            prepare(s, &s->backward, v.y, v.wide);
        }
        device_put(v.b, b, (size_t)m * sizeof *b, s->stream);
        device_put(v.c, c, (size_t)n * sizeof *c, s->stream);
        pdhg_solve(s, &v);
        device_get(x, v.x, (size_t)n * sizeof *x, s->stream);
        seconds += now() - start;
    }
    double *all[] = {v.b, v.c, v.s, v.t, v.x, v.y, v.bar, v.wide, v.tall, v.g};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_free(all[i]);
    free(b);
    free(c);
    free(x);
    csr_free(&turned);
    return seconds;
}

/* ----------------------------------------------------------------------- main */

static const struct method {
    const char *name;
    double (*run)(solver_t *s, int64_t sides);
} methods[] = {{"cg", cg}, {"pdhg", pdhg}};

/* Word i as a number.  \return `otherwise` where there is none */
static double word(int argc, char **argv, int i, double otherwise)
{
    char *end = NULL;
    double value = i < argc ? strtod(argv[i], &end) : otherwise;
    if (end && (end == argv[i] || *end || !(value >= 0 && value <= INT32_MAX)))
        die("solve: '%s' is no number from 0 on", argv[i]);
    return value;
}

static void say(const solver_t *s, const char *method, int64_t sides, double seconds)
{
    int version = 0;
    char name[128];
    device_name(name, sizeof name);
    check(cusparseGetVersion(s->handle, &version), "cusparseGetVersion");
    printf("{\"method\": \"%s\", \"rows\": %lld, \"cols\": %lld, \"entries\": %lld, \"sides\": %lld, \"iterations\": %lld, "
           "\"residual\": %.6e, \"seconds\": %.6f, \"device\": \"%s\", \"cuda\": %d, \"cusparse\": %d}\n",
        method, (long long)s->a.rows, (long long)s->a.cols, (long long)s->a.nnz, (long long)sides, (long long)s->steps,
        isfinite(s->residual) ? s->residual : -1, seconds, name, CUDART_VERSION, version);
}

int main(int argc, char **argv)
{
    const struct method *method = NULL;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (argc > 1 && strcmp(argv[1], methods[i].name) == 0)
            method = &methods[i];
    if (!method || argc < 3 || argc > 7) {
        fprintf(stderr, "usage: solve cg|pdhg FILE [STEPS [TOLERANCE [ALGORITHM [SIDES]]]]\n");
        return 2;
    }
    if (!devices_there())
        die("solve: no GPU");
    device_use(0);
    solver_t s = {.most = (int64_t)word(argc, argv, 3, 1000), .tolerance = word(argc, argv, 4, 1e-8)};
    s.alg = (cusparseSpMVAlg_t)word(argc, argv, 5, CUSPARSE_SPMV_ALG_DEFAULT);
    int64_t sides = (int64_t)word(argc, argv, 6, 1);
    if (s.most < 1 || sides < 1)
        die("solve: expected a step and a right-hand side or more");
    s.stream = stream_new();
    s.a = csr_read(argv[2]);
    double seconds = method->run(&s, sides);
    say(&s, method->name, sides, seconds);
    operand_free(&s.forward);
    operand_free(&s.backward);
    check(cusparseDestroy(s.handle), "cusparseDestroy");
    stream_free(s.stream);
    csr_free(&s.a);
    return 0;
}
