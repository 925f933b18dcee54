/* Conjugate gradients on a mesh whose numbering was lost, in that numbering and renumbered:  cg 60
 *   cc cg.c $(pkg-config --cflags --libs rowcast_plan) -lm -o cg */
#include <math.h>
#include <rowcast_plan.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 1000 };

/* A symmetric matrix in CSR, and the three vectors of a solver; cleared by dropped(). */
typedef struct problem {
    int64_t n, nnz;
    int64_t *ptr;
    int32_t *col;
    double *val, *b, *x, *work;
} problem_t;

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void dropped(problem_t *p)
{
    free(p->ptr);
    free(p->col);
    free(p->val);
    free(p->b);
    free(p->x);
    free(p->work);
}

static int room(problem_t *p, int64_t n, int64_t nnz)
{
    *p = (problem_t){.n = n, .nnz = nnz};
    p->ptr = malloc(((size_t)n + 1) * sizeof *p->ptr);
    p->col = malloc((size_t)nnz * sizeof *p->col);
    p->val = malloc((size_t)nnz * sizeof *p->val);
    p->b = malloc((size_t)n * sizeof *p->b);
    p->x = malloc((size_t)n * sizeof *p->x);
    p->work = malloc(3 * (size_t)n * sizeof *p->work);
    return p->ptr && p->col && p->val && p->b && p->x && p->work;
}

/* Numbers from 0 to n in an order that says nothing. */
static void shuffled(int64_t n, int32_t *to)
{
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++)
        to[i] = (int32_t)i;
    for (int64_t i = n - 1; i > 0; i--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        int64_t j = (int64_t)((state >> 33) % (uint64_t)(i + 1));
        int32_t kept = to[i];
        to[i] = to[j];
        to[j] = kept;
    }
}

/* The Laplacian of side^3 points plus .01; `number` and `point` are a numbering and its inverse. */
static void mesh(problem_t *p, int64_t side, const int32_t *number, const int32_t *point)
{
    const int64_t far[3] = {1, side, side * side};
    int64_t at = 0;
    for (int64_t r = 0; r < p->n; r++) {
        int64_t i = point[r];
        p->ptr[r] = at;
        p->col[at] = (int32_t)r;
        p->val[at++] = 6.01;
        for (int d = 0; d < 3; d++)
            for (int64_t way = -1; way <= 1; way += 2) {
                int64_t place = i / far[d] % side + way;
                if (place < 0 || place >= side)
                    continue;
                p->col[at] = number[i + way * far[d]];
                p->val[at++] = -1;
            }
        p->b[r] = sin((double)i);
    }
    p->ptr[p->n] = at;
}

static int made(problem_t *p, int64_t side)
{
    int64_t n = side * side * side;
    int32_t *number = malloc((size_t)n * sizeof *number);
    int32_t *point = malloc((size_t)n * sizeof *point);
    int good = room(p, n, 7 * n - 6 * side * side) && number && point;
    if (good) {
        shuffled(n, number);
        for (int64_t i = 0; i < n; i++)
            point[number[i]] = (int32_t)i;
        mesh(p, side, number, point);
    }
    free(number);
    free(point);
    return good;
}

static rc_plan_matrix_t matrix(const problem_t *p)
{
    rc_plan_matrix_t m = {p->n, p->n, p->nnz, p->ptr, 8, p->col, p->val, RC_FP64, 0};
    return m;
}

static double dot(int64_t n, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y = a x + b y */
static void add(int64_t n, double a, const double *x, double b, double *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] = a * x[i] + b * y[i];
}

/* Solve A x = b.  \param[out] step_s  seconds of a step, of which most is the product */
static rc_status_t solved(problem_t *p, int *steps, double *step_s, rc_err_t *err)
{
    rc_plan_problem_t product = {RC_OP_SPMV, RC_FP64, RC_COL_MAJOR, NULL, 0};
    rc_plan_matrix_t a = matrix(p);
    rc_plan_t *plan = NULL;
    double *r = p->work, *d = r + p->n, *q = d + p->n;
    rc_status_t st = rc_plan_create_host(&product, &a, NULL, &plan, err);
    memset(p->x, 0, (size_t)p->n * sizeof *p->x);
    memcpy(r, p->b, (size_t)p->n * sizeof *r);
    memcpy(d, p->b, (size_t)p->n * sizeof *d);
    double rr = dot(p->n, r, r), goal = 1e-16 * rr, start = now();
    for (*steps = 0; st == RC_OK && *steps < STEPS && rr > goal; ++*steps) {
        st = rc_plan_execute(plan, 1, 1, d, p->n, 0, q, p->n, NULL, err);
        double alpha = rr / dot(p->n, d, q), before = rr;
        add(p->n, alpha, d, 1, p->x);
        add(p->n, -alpha, q, 1, r);
        rr = dot(p->n, r, r);
        add(p->n, 1, r, rr / before, d);
    }
    *step_s = (now() - start) / (*steps > 0 ? *steps : 1);
    rc_plan_free(plan);
    return st;
}

/* The same by a numbering in which it is fast.  \param[out] x  [n] in the numbering of `p` */
static rc_status_t renumbered(const problem_t *p, problem_t *q, double *x, double *step_s,
    rc_system_info_t *info, rc_err_t *err)
{
    rc_plan_matrix_t a = matrix(p);
    rc_system_matrix_t to = {p->nnz, q->ptr, 8, q->col, 4, q->val, RC_FP64, NULL, 0};
    rc_system_block_t b = {p->b, 0, q->b, 0, 1, RC_COL_MAJOR, RC_FP64};
    rc_system_block_t back = {q->x, 0, x, 0, 1, RC_COL_MAJOR, RC_FP64};
    rc_system_t *s = NULL;
    int steps;
    rc_status_t st = rc_order_system(&a, NULL, &s, err); /* one order for rows, columns, vectors */
    st = st < 0 ? st : rc_system_permute(s, &a, &to, NULL, err);
    st = st < 0 ? st : rc_system_to(s, &b, NULL, err);
    st = st < 0 ? st : solved(q, &steps, step_s, err);
    st = st < 0 ? st : rc_system_back(s, &back, NULL, err);
    st = st < 0 ? st : rc_system_info(s, info, err);
    rc_system_free(s);
    return st;
}

static void say(int steps, const double step_s[2], const rc_system_info_t *info, double apart)
{
    double cost_s = 1e-9 * (info->order_ns + info->permute_ns);
    double saved_s = step_s[0] - step_s[1];
    printf("%d steps of %.3f ms; renumbered by %s %.3f ms, order and matrix in %.1f ms\n", steps,
        1e3 * step_s[0], info->order, 1e3 * step_s[1], 1e3 * cost_s);
    if (info->identity)
        printf("the numbering is good as it is\n");
    else if (saved_s > 0)
        printf("gained %.2f, won back after %.0f steps\n", step_s[0] / step_s[1],
            ceil(cost_s / saved_s));
    else
        printf("gained nothing\n");
    printf("the solutions are %s\n", apart < 1e-6 ? "the same" : "not the same");
}

int main(int argc, char **argv)
{
    int64_t side = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    rc_err_t err = {RC_OK, ""};
    problem_t p = {0}, q = {0};
    rc_system_info_t info;
    double step_s[2], apart = 0, *x = NULL;
    int steps;
    if (side < 2 || side > 1000) {
        fprintf(stderr, "usage: cg SIDE: solves on a mesh of SIDE^3 points, 2 to 1000\n");
        return 2;
    }
    x = malloc((size_t)(side * side * side) * sizeof *x);
    int good = x && made(&p, side) && room(&q, p.n, p.nnz);
    rc_status_t st = good ? solved(&p, &steps, &step_s[0], &err) : RC_ENOMEM;
    st = st < 0 ? st : renumbered(&p, &q, x, &step_s[1], &info, &err);
    for (int64_t i = 0; st == RC_OK && i < p.n; i++)
        apart = isnan(apart) || fabs(x[i] - p.x[i]) <= apart ? apart : fabs(x[i] - p.x[i]);
    if (st == RC_OK)
        say(steps, step_s, &info, apart);
    else
        fprintf(stderr, "%s\n", good ? err.text : "no memory");
    dropped(&p);
    dropped(&q);
    free(x);
    return st < 0 || !(apart < 1e-6);
}
