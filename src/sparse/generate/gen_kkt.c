#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/points.h"
#include "sparse/generate/rows.h"

enum { n, share, neighbours, touch, window, linking, filled };

/* [H A'; A 0]: variables on a lattice, behind them the constraints along it. */
typedef struct saddle {
    rc_points_t points;
    int64_t variables;
    int64_t constraints;
    int64_t radius;
    int64_t reach;
    int64_t linking; /* of the constraints, the last ones */
} saddle_t;

static void add_node(void *of, int64_t node, int64_t squared)
{
    (void)squared;
    rc_row_add(of, node);
}

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const saddle_t *s = r->of;
    if (i < s->variables) {
        rc_row_add(out, i);
        rc_points_near(&s->points, i, s->reach, s->radius * s->radius, add_node, out);
        return;
    }
    rc_draw_t d = rc_draw_of(r->seed, i);
    if (i >= s->variables + s->constraints - s->linking) {
        for (int64_t j = 0; j < s->variables; j++)
            if (rc_draw_unit(&d) < r->p[filled])
                rc_row_add(out, j);
        return;
    }
    int64_t at =
        (int64_t)((double)(i - s->variables) / (double)s->constraints * (double)s->variables);
    int64_t reach = (int64_t)r->p[window];
    int64_t room = reach < s->variables ? reach : s->variables;
    int64_t first = at + room <= s->variables ? at : s->variables - room;
    int64_t count = rc_draw_count(&d, r->p[touch]);
    for (int64_t k = 0; k < count; k++)
        rc_row_add(out, first + rc_draw_below(&d, room));
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    saddle_t s = {.constraints = (int64_t)(p[share] * p[n])};
    s.variables = (int64_t)p[n] - s.constraints;
    s.linking = p[linking] < (double)s.constraints ? (int64_t)p[linking] : s.constraints;
    s.radius = rc_points_radius(p[neighbours] + 1, 2);
    s.reach = (s.radius >> RC_POINT_BITS) + 1;
    rc_rows_t r = rc_rows_of(p, seed, row,
        1 + (1 - p[share]) * p[neighbours] + 2 * p[share] * p[touch] +
            2 * p[filled] * (double)s.linking);
    r.mirror = 1;
    r.loops = 1;
    r.of = &s;
    s.points = (rc_points_t){.n = s.variables, .dim = 2, .jitter = 0.5};
    return rc_points_rows(&s.points, 1, &r, out, err);
}

const rc_generator_t rc_generator_kkt = {
    .name = "kkt",
    .summary = "saddle point: [H A'; A 0] with variables on a lattice and constraints along it",
    .source = "Benzi, Golub, Liesen 2005, doi:10.1017/S0962492904000212, section 1",
    .version = 1,
    .param = {{"n", "rows", 20000, 2, 2147483647, 1},
        {"share", "share of the rows that are constraints", 0.33, 0, 0.5, 0},
        {"neighbours", "mean entries of a variable in H besides the diagonal", 6, 0, 10000, 0},
        {"touch", "mean variables of a constraint", 3, 0, 10000, 0},
        {"window", "variables among which a constraint takes them", 64, 1, 2147483647, 1},
        {"linking", "constraints that reach over all variables", 0, 0, 10000, 1},
        {"filled", "share of the variables that such a one has", 0.1, 0, 1, 0}},
    .generate = generate,
};
