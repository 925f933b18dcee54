#include "program.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1: the arrays are those of op(A) by columns. */
static int by_columns(const matrix_t *m, const product_t *p)
{
    return (m->format == CUSPARSE_FORMAT_CSC) != (p->op_a != CUSPARSE_OPERATION_NON_TRANSPOSE);
}

/* Of op(A). */
static int64_t rows_in(const matrix_t *m, const product_t *p)
{
    return by_columns(m, p) ? m->cols : m->rows;
}

static int64_t cols_in(const matrix_t *m, const product_t *p)
{
    return by_columns(m, p) ? m->rows : m->cols;
}

/* The adjoint is for complex numbers: that of real ones cuSPARSE refuses, or multiplies as something else. */
static cusparseOperation_t op_random(rng_t *r, const matrix_t *m)
{
    static const cusparseOperation_t ops[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
        CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
    return ops[rng_below(r, value_parts(m->type) > 1 ? 4 : 3)];
}

/* Of complex numbers with an imaginary part or without; one that is 0 is mostly 0. */
static number_t scalar_random(rng_t *r, const matrix_t *m, double real)
{
    static const double parts[] = {0, 0.75, -1};
    number_t x = {real, 0};
    if (value_parts(m->type) > 1 && (real != 0 || rng_below(r, 8) == 0))
        x.im = parts[rng_below(r, 3)];
    return x;
}

/* What programs have with solvers: any scalars, graphs. */
static product_t vector_random(rng_t *r, const matrix_t *m)
{
    static const double scalars[] = {0, 0, 1, -0.5};
    static const cusparseSpMVAlg_t algs[2][3] = {
        {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2},
        {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2}};
    int alg = rng_below(r, 8) ? (int)rng_below(r, 2) : 2;
    return (product_t){.op = PRODUCT_VECTOR,
        .op_a = op_random(r, m),
        .k = 1,
        .alpha = scalar_random(r, m, rng_below(r, 2) ? 1 : -0.5),
        /* ALG2 of cuSPARSE 12 forgets beta where all but the last row are empty */
        .beta = alg == 2 ? (number_t){0, 0} : scalar_random(r, m, scalars[rng_below(r, 4)]),
        .vector_alg = algs[m->format == CUSPARSE_FORMAT_COO][alg],
        .device_scalars = rng_below(r, 3) == 0,
        .c_sums = rng_below(r, 4) == 0};
}

static product_t sampled_random(rng_t *r, const matrix_t *m)
{
    static const int64_t ks[] = {1, 5, 8, 24, 64};
    return (product_t){.op = PRODUCT_SAMPLED,
        .k = ks[rng_below(r, 5)],
        .b_rows = rng_below(r, 4) == 0,
        .c_rows = rng_below(r, 4) > 0,
        .turned = {rng_below(r, 4) == 0, rng_below(r, 4) == 0},
        .alpha = scalar_random(r, m, rng_below(r, 2) ? 1 : -0.5),
        .beta = scalar_random(r, m, rng_below(r, 2) ? 0 : 2),
        .device_scalars = rng_below(r, 3) == 0,
        .c_sums = rng_below(r, 4) == 0};
}

product_t product_random(rng_t *r, const matrix_t *m)
{
    int64_t kind = rng_below(r, 8);
    if (kind < 2)
        return vector_random(r, m);
    if (kind < 3 && m->format == CUSPARSE_FORMAT_CSR)
        return sampled_random(r, m);
    static const int64_t ks[] = {1, 3, 8, 32};
    static const cusparseSpMMAlg_t algs[2][3] = {
        {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2},
        {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_COO_ALG4}};
    return (product_t){.op_a = op_random(r, m),
        .k = ks[rng_below(r, 4)],
        .b_rows = rng_below(r, 4) > 0,
        .c_rows = rng_below(r, 4) > 0,
        .turned = {0, rng_below(r, 4) == 0},
        .alpha = scalar_random(r, m, rng_below(r, 2) ? 1 : 0.5),
        .beta = scalar_random(r, m, rng_below(r, 8) ? 0 : 2),
        .alg = algs[m->format == CUSPARSE_FORMAT_COO][rng_below(r, 3)],
        .device_scalars = rng_below(r, 16) == 0,
        .c_sums = rng_below(r, 4) == 0};
}

/* A value of C, the magnitude of what it is of, and how many terms. */
typedef struct exact {
    number_t sum;
    double magnitude;
    double terms;
} exact_t;

/* \return free(): [rows x K] */
static exact_t *exact(const matrix_t *m, const product_t *p, const number_t *b)
{
    const int64_t cols = cols_in(m, p);
    exact_t *x = host_new((size_t)(rows_in(m, p) * p->k), sizeof *x);
    int64_t *line = matrix_lines(m);
    for (int64_t e = 0; e < m->nnz; e++) {
        int64_t row = by_columns(m, p) ? m->idx[e] : line[e];
        int64_t col = by_columns(m, p) ? line[e] : m->idx[e];
        number_t a = p->op_a == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? number_conjugate(m->val[e]) : m->val[e];
        for (int64_t j = 0; j < p->k; j++) {
            number_t term = number_times(p->alpha, number_times(a, b[p->b_rows ? col * p->k + j : j * cols + col]));
            exact_t *of = &x[row * p->k + j];
            of->sum = number_plus(of->sum, term);
            of->magnitude += number_size(term);
            of->terms++;
        }
    }
    free(line);
    return x;
}

/* What rounding to the type of C may take: cuSPARSE rounds sums of 16 bits on the way, and adds to C in it. */
static double rounding_of(cudaDataType values, cudaDataType c)
{
    return value_sum(values) == c ? 0 : 3 * value_eps(c);
}

/* Errors of parts of complex sums, which have twice the terms. */
static double terms_of(cudaDataType type, double terms)
{
    return value_parts(type) * (terms + 4);
}

/* 1: either part is within the bound. */
static int is_near(number_t found, number_t want, double bound)
{
    return fabs(found.re - want.re) <= bound && fabs(found.im - want.im) <= bound;
}

/* 1: row by row, with row pointers.  What is not may be added to C in its type, an entry after the other. */
static int is_plain(const matrix_t *m, const product_t *p)
{
    return m->format != CUSPARSE_FORMAT_COO && !by_columns(m, p);
}

/* Sums have an error of eps for each term, of the type that they are in.  One of 16 bits is rounded to that once, by half an
 * eps of its own at most: two products of one matrix are an eps apart.  A C that is added to may be rounded before, too. */
static int right(const matrix_t *m, const product_t *p, const number_t *b, const number_t *before,
    const void *after)
{
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    const int64_t rows = rows_in(m, p);
    double eps = value_eps(value_sum(m->type));
    exact_t *x = exact(m, p, b);
    int wrong = 0;
    for (int64_t i = 0; i < rows * p->k && !wrong; i++) {
        int64_t row = i / p->k;
        int64_t j = i % p->k;
        int64_t at = p->c_rows ? i : j * rows + row;
        number_t old = {0, 0}; /* which may be anything else */
        if (!number_is_zero(p->beta))
            old = number_times(p->beta, before[at]);
        number_t want = number_plus(x[i].sum, old);
        number_t found = number_load(after, c_type, at);
        double rounding = rounding_of(m->type, c_type) * (is_plain(m, p) ? 1 : 1 + x[i].terms);
        double bound = (rounding + eps * terms_of(m->type, x[i].terms)) * (x[i].magnitude + number_size(old)) + value_least(c_type);
        wrong = !is_near(found, want, bound);
        if (wrong)
            printf("# type %d, format %d, operation %d, row %d, column %d: expected %.9g %+.9gi, found %.9g %+.9gi, bound %.3g\n",
                (int)m->type, (int)m->format, (int)p->op_a, (int)row, (int)j, want.re, want.im, found.re, found.im, bound);
    }
    free(x);
    return !wrong;
}

/* 0: cuSPARSE has no such product, as some versions of 16 bits, or an algorithm of A'. */
static int has(const matrix_t *m, const product_t *p, cusparseStatus_t st, const char *what)
{
    int rare = value_bytes(m->type) == 2 || m->format != CUSPARSE_FORMAT_CSR || by_columns(m, p) || p->turned[1];
    if (st == CUSPARSE_STATUS_NOT_SUPPORTED && rare)
        return 0;
    checked(st, what);
    return 1;
}

/* Alpha and beta where the product has them. */
typedef struct scalars {
    _Alignas(16) char host[32];
    void *device; /* NULL: on the host */
    const void *alpha;
    const void *beta;
} scalars_t;

static void scalars_begin(scalars_t *s, cusparseHandle_t handle, void *stream, const matrix_t *m, const product_t *p)
{
    const cudaDataType type = value_sum(m->type);
    size_t bytes = value_bytes(type);
    const char *at = s->host;
    s->device = NULL;
    number_store(s->host, type, 0, p->alpha);
    number_store(s->host, type, 1, p->beta);
    if (p->device_scalars) {
        s->device = device_new(2 * bytes);
        device_put(s->device, at, 2 * bytes, stream);
        at = s->device;
    }
    checked(cusparseSetPointerMode(handle, s->device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST),
        "cusparseSetPointerMode");
    s->alpha = at;
    s->beta = at + bytes;
}

static void scalars_end(const scalars_t *s, cusparseHandle_t handle, void *stream)
{
    char ended[1];
    if (!s->device)
        return;
    device_get(ended, s->device, 1, stream); /* waits for who reads them */
    device_free(s->device);
    checked(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "cusparseSetPointerMode");
}

/* What a product that was captured leaves to run again. */
typedef struct graph {
    void *at; /* NULL: it cannot */
    void *buffer; /* of cuSPARSE; NULL: the matrix has it */
} graph_t;

static void graph_end(graph_t *g)
{
    graph_free(g->at);
    if (g->buffer)
        device_free(g->buffer);
    *g = (graph_t){0};
}

/* C = A B.  \return 0: cuSPARSE has no such product */
static int call_matrix(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, const scalars_t *s, void *b, void *c,
    graph_t *graph)
{
    cudaDataType type = value_sum(m->type);
    cusparseSpMatDescr_t a = m->descr ? m->descr : matrix_descr(m);
    cusparseDnMatDescr_t db = NULL;
    cusparseDnMatDescr_t dc = NULL;
    size_t bytes = 0;
    const int64_t rows = rows_in(m, p);
    const int64_t cols = cols_in(m, p);
    const cusparseOperation_t op_b = p->turned[1] ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
    checked(cusparseCreateDnMat(&db, p->turned[1] ? p->k : cols, p->turned[1] ? cols : p->k, p->b_rows ? p->k : cols, b, m->type,
              p->b_rows != p->turned[1] ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    checked(cusparseCreateDnMat(&dc, rows, p->k, p->c_rows ? p->k : rows, c, p->c_sums ? type : m->type,
              p->c_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    int there = has(m, p, cusparseSpMM_bufferSize(handle, p->op_a, op_b, s->alpha, a, db, s->beta, dc, type, p->alg, &bytes),
        "cusparseSpMM_bufferSize");
    void *buffer = m->buffer ? m->buffer : device_new(bytes > 0 ? bytes : 1);
    if (there && p->preprocess && m->descr && !m->buffer) {
        there = has(m, p, cusparseSpMM_preprocess(handle, p->op_a, op_b, s->alpha, a, db, s->beta, dc, type, p->alg, buffer),
            "cusparseSpMM_preprocess");
        m->buffer = buffer;
    }
    if (there && p->captured)
        capture_begin(stream);
    int asked = there;
    there = there
        && has(m, p, cusparseSpMM(handle, p->op_a, op_b, s->alpha, a, db, s->beta, dc, type, p->alg, buffer), "cusparseSpMM");
    if (asked && p->captured)
        graph->at = capture_end(stream);
    checked(cusparseDestroyDnMat(db), "cusparseDestroyDnMat");
    checked(cusparseDestroyDnMat(dc), "cusparseDestroyDnMat");
    if (!m->descr)
        checked(cusparseDestroySpMat(a), "cusparseDestroySpMat");
    graph->buffer = buffer != m->buffer ? buffer : NULL;
    return there;
}

/* y = A x, likewise. */
static int call_vector(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, const scalars_t *s, void *x, void *y,
    graph_t *graph)
{
    cudaDataType type = value_sum(m->type);
    cusparseSpMatDescr_t a = m->descr ? m->descr : matrix_descr(m);
    cusparseDnVecDescr_t dx = NULL;
    cusparseDnVecDescr_t dy = NULL;
    size_t bytes = 0;
    checked(cusparseCreateDnVec(&dx, cols_in(m, p), y, m->type), "cusparseCreateDnVec"); /* other values, until it has its own */
    checked(cusparseDnVecSetValues(dx, x), "cusparseDnVecSetValues");
    checked(cusparseCreateDnVec(&dy, rows_in(m, p), y, p->c_sums ? type : m->type), "cusparseCreateDnVec");
    int there = has(m, p, cusparseSpMV_bufferSize(handle, p->op_a, s->alpha, a, dx, s->beta, dy, type, p->vector_alg, &bytes),
        "cusparseSpMV_bufferSize");
    void *buffer = m->buffer ? m->buffer : device_new(bytes > 0 ? bytes : 1);
#if CUSPARSE_VERSION >= 12300
    if (there && p->preprocess && m->descr && !m->buffer) {
        there = has(m, p, cusparseSpMV_preprocess(handle, p->op_a, s->alpha, a, dx, s->beta, dy, type, p->vector_alg, buffer),
            "cusparseSpMV_preprocess");
        m->buffer = buffer;
    }
#endif
    if (there) {
        if (p->captured)
            capture_begin(stream);
        there = has(m, p, cusparseSpMV(handle, p->op_a, s->alpha, a, dx, s->beta, dy, type, p->vector_alg, buffer), "cusparseSpMV");
        if (p->captured)
            graph->at = capture_end(stream);
    }
    checked(cusparseDestroyDnVec(dx), "cusparseDestroyDnVec");
    checked(cusparseDestroyDnVec(dy), "cusparseDestroyDnVec");
    if (!m->descr)
        checked(cusparseDestroySpMat(a), "cusparseDestroySpMat");
    graph->buffer = buffer != m->buffer ? buffer : NULL;
    return there;
}

static int call(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, void *b, void *c, graph_t *graph)
{
    scalars_t s;
    scalars_begin(&s, handle, stream, m, p);
    int there = p->op == PRODUCT_VECTOR ? call_vector(handle, stream, m, p, &s, b, c, graph)
                                        : call_matrix(handle, stream, m, p, &s, b, c, graph);
    scalars_end(&s, handle, stream);
    if (s.device || !there) /* the graph has addresses that are gone */
        graph_end(graph);
    return there;
}

/* A dense operand of a sampled product: rows x cols, in memory by rows or by columns, or transposed. */
typedef struct operand {
    int64_t rows;
    int64_t cols;
    int by_rows; /* values of a row are next to each other */
    int turned;
    number_t *at;
    void *device;
    cusparseDnMatDescr_t descr;
} operand_t;

static void operand_new(operand_t *o, cudaDataType type, rng_t *r, void *stream)
{
    int64_t n = o->rows * o->cols;
    o->at = host_new((size_t)n, sizeof *o->at);
    for (int64_t i = 0; i < n; i++)
        o->at[i] = rng_number(r, type);
    o->device = device_new((size_t)n * value_bytes(type));
    put_values(o->device, o->at, n, type, stream);
    checked(cusparseCreateDnMat(&o->descr, o->turned ? o->cols : o->rows, o->turned ? o->rows : o->cols,
              o->by_rows ? o->cols : o->rows, o->device, type,
              o->by_rows != o->turned ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
}

static void operand_free(operand_t *o)
{
    checked(cusparseDestroyDnMat(o->descr), "cusparseDestroyDnMat");
    device_free(o->device);
    free(o->at);
}

static number_t operand_at(const operand_t *o, int64_t row, int64_t col)
{
    return o->at[o->by_rows ? row * o->cols + col : col * o->rows + row];
}

static cusparseOperation_t op_of(const operand_t *o)
{
    return o->turned ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

/* \return 0: cuSPARSE has no such product */
static int call_sampled(cusparseHandle_t handle, void *stream, const matrix_t *m, const product_t *p, const operand_t o[2],
    cusparseSpMatDescr_t c)
{
    const cudaDataType type = value_sum(m->type);
    scalars_t s;
    size_t bytes = 0;
    scalars_begin(&s, handle, stream, m, p);
    int there = has(m, p, cusparseSDDMM_bufferSize(handle, op_of(&o[0]), op_of(&o[1]), s.alpha, o[0].descr, o[1].descr, s.beta,
        c, type, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes), "cusparseSDDMM_bufferSize");
    void *buffer = device_new(bytes > 0 ? bytes : 1);
    if (there) {
        if (p->captured)
            capture_begin(stream);
        there = has(m, p, cusparseSDDMM(handle, op_of(&o[0]), op_of(&o[1]), s.alpha, o[0].descr, o[1].descr, s.beta, c, type,
            CUSPARSE_SDDMM_ALG_DEFAULT, buffer), "cusparseSDDMM");
        if (p->captured)
            graph_free(capture_end(stream));
    }
    scalars_end(&s, handle, stream);
    device_free(buffer);
    return there;
}

static int right_sampled(const matrix_t *m, const product_t *p, const operand_t o[2], const number_t *before, const void *after)
{
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    double eps = value_eps(value_sum(m->type));
    double rounding = rounding_of(m->type, c_type);
    for (int64_t row = 0; row < m->rows; row++)
        for (int64_t e = m->ptr[row]; e < m->ptr[row + 1]; e++) {
            number_t want = number_times(p->beta, before[e]);
            double magnitude = number_size(want);
            for (int64_t i = 0; i < p->k; i++) {
                number_t term = number_times(p->alpha, number_times(operand_at(&o[0], row, i), operand_at(&o[1], i, m->idx[e])));
                want = number_plus(want, term);
                magnitude += number_size(term);
            }
            number_t found = number_load(after, c_type, e);
            double bound = (rounding + eps * terms_of(m->type, (double)p->k)) * magnitude + value_least(c_type);
            if (!is_near(found, want, bound)) {
                printf("# type %d, row %d, entry %d: expected %.9g %+.9gi, found %.9g %+.9gi, bound %.3g\n", (int)m->type, (int)row,
                    (int)e, want.re, want.im, found.re, found.im, bound);
                return 0;
            }
        }
    return 1;
}

static int sampled_check(cusparseHandle_t handle, void *stream, const matrix_t *m, const product_t *p, rng_t *r)
{
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    const size_t bytes = value_bytes(c_type);
    operand_t o[2] = {{.rows = m->rows, .cols = p->k, .by_rows = p->c_rows, .turned = p->turned[0]},
        {.rows = p->k, .cols = m->cols, .by_rows = p->b_rows, .turned = p->turned[1]}};
    number_t *before = host_new((size_t)m->nnz, sizeof *before);
    void *after = host_new((size_t)m->nnz, bytes);
    void *values = device_new((size_t)m->nnz * bytes);
    for (int i = 0; i < 2; i++)
        operand_new(&o[i], m->type, r, stream);
    for (int64_t i = 0; i < m->nnz; i++)
        before[i] = rng_number(r, c_type);
    put_values(values, before, m->nnz, c_type, stream);
    cusparseSpMatDescr_t c = matrix_descr_of(m, values, c_type);
    int there = call_sampled(handle, stream, m, p, o, c);
    device_get(after, values, (size_t)m->nnz * bytes, stream);
    int ok = !there || right_sampled(m, p, o, before, after);
    checked(cusparseDestroySpMat(c), "cusparseDestroySpMat");
    for (int i = 0; i < 2; i++)
        operand_free(&o[i]);
    device_free(values);
    free(before);
    free(after);
    return ok;
}

int product_check(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, rng_t *r)
{
    if (p->op == PRODUCT_SAMPLED)
        return sampled_check(handle, stream, m, p, r);
    int64_t nb = cols_in(m, p) * p->k;
    int64_t nc = rows_in(m, p) * p->k;
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    size_t bytes = value_bytes(c_type);
    number_t *b = host_new((size_t)nb, sizeof *b);
    number_t *before = host_new((size_t)nc, sizeof *before);
    void *after = host_new((size_t)nc, bytes);
    void *db = device_new((size_t)nb * value_bytes(m->type));
    void *dc = device_new((size_t)nc * bytes);
    for (int64_t i = 0; i < nb; i++)
        b[i] = rng_number(r, m->type);
    for (int64_t i = 0; i < nc; i++)
        before[i] = p->op == PRODUCT_VECTOR && number_is_zero(p->beta) ? (number_t){NAN, NAN} : rng_number(r, c_type);
    put_values(db, b, nb, m->type, stream);
    put_values(dc, before, nc, c_type, stream);
    graph_t graph = {0};
    int there = call(handle, stream, m, p, db, dc, &graph);
    device_get(after, dc, (size_t)nc * bytes, stream);
    int ok = !there || right(m, p, b, before, after);
    if (ok && graph.at && number_is_zero(p->beta)) { /* it reads what values are then */
        matrix_change_values(m, r, stream);
        if (graphs_take_patterns() && !m->buffer && rng_below(r, 4) == 0)
            matrix_change_pattern(m, r, stream);
        graph_run(graph.at, stream);
        device_get(after, dc, (size_t)nc * bytes, stream);
        ok = right(m, p, b, before, after);
    }
    graph_end(&graph);
    device_free(db);
    device_free(dc);
    free(b);
    free(before);
    free(after);
    return ok;
}
