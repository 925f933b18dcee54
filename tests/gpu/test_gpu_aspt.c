/* aspt on a GPU, where its parts meet: rows that have entries in several tiles and beside them, rows in pieces within
 * panels that have tiles and without, rows that no slot holds; against fp64, and the same bits from run to run.
 * The kernel with every parameter on small matrices: test_gpu_kernels.  Needs a GPU: without one it skips itself,
 * or fails when ROWCAST_GPU is 1.  ROWCAST_GPU_SAMPLE=N does one run in N, with fewer
 * rows (for compute-sanitizer). */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "device/device.h"
#include "format/aspt.h"
#include "kernels/prepared.h"
#include "operands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1000, FEW_ROWS = 300, COLS = 4000, OWN = 60, BLOCK = 100 };
static const double many = 0.004, few = 0.0003; /* shares of the other columns that a row has */

/* Blocks of rows share OWN columns, of which each row has nine in ten, and every row has others; every 50th row
 * has a third of all columns, every 40th none; the last blocks share nothing. */
static int is_entry(rc_rng_t *r, int64_t row, int64_t col, double others)
{
    int64_t block = row / BLOCK;
    double u = rc_rng_unit(r);
    if (row % 40 == 7)
        return 0;
    if (row % 50 == 3 && u < 0.33)
        return 1;
    if (block < 8 && col >= block * OWN && col < (block + 1) * OWN)
        return u < 0.9;
    return u < others;
}

static rc_csr_t make(int64_t rows, double others)
{
    rc_rng_t r;
    size_t most = (size_t)rows * COLS / 4;
    rc_csr_t a = {.rows = rows, .cols = COLS};
    a.row_ptr = calloc((size_t)rows + 1, sizeof *a.row_ptr);
    a.col_idx = calloc(most, sizeof *a.col_idx);
    a.val = calloc(most, sizeof *a.val);
    assert_true(a.row_ptr && a.col_idx && a.val);
    rc_rng_seed(&r, 9);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t c = 0; c < COLS; c++)
            if (is_entry(&r, i, c, others)) {
                assert_true((size_t)a.nnz < most);
                a.col_idx[a.nnz] = (int32_t)c;
                a.val[a.nnz++] = 2 * rc_rng_unit(&r) - 1;
            }
        a.row_ptr[i + 1] = a.nnz;
    }
    return a;
}

/* All kinds of rows are there.  Many entries beside tiles are multiplied apart. */
static void check_kinds(const rc_problem_t *p, const char *params, const char *matrix)
{
    rc_aspt_size_t n;
    rc_err_t err = {0};
    ok(rc_aspt_measure(p, 0, 0, &n, &err), &err, "count");
    assert_true(n.tiles.panels > 0 && n.longs > 0 && n.tiles.nnz_rest > 0);
    if (!*params)
        assert_int_equal(n.apart, strcmp(matrix, "blocks") == 0);
}

/* Values of the output that lie side by side, and how often they do; between them are gaps where operands have some. */
typedef struct lines {
    int64_t count;
    size_t length; /* bytes */
    size_t step;   /* bytes from one to the next */
} lines_t;

static lines_t lines_of(const rc_dense_t *m)
{
    size_t value = rc_precision_bytes(m->precision);
    int by_row = m->layout == RC_ROW_MAJOR;
    return (lines_t){.count = by_row ? m->rows : m->cols,
        .length = (size_t)(by_row ? m->cols : m->rows) * value,
        .step = (size_t)m->ld * value};
}

/* Three runs: the first and the second from other values in C, the third in a state of its own. */
static void check_bits(gpu_operands_t *o, const rc_kernel_t *k, void *state, void *other,
    const rc_operands_t *of, const char *label)
{
    const lines_t l = lines_of(&of->out);
    unsigned char *first = malloc(o->c_bytes);
    rc_err_t err = {0};
    assert_non_null(first);
    for (int i = 0; i < 3; i++) {
        gpu_operands_fill(o, of, i == 1);
        ok(rc_kernel_run(k, i == 2 ? other : state, of, 1.5, 0, &err), &err, label);
        ok(o->x->download(o->x, o->host, of->out.data, (size_t)l.count * l.step, &err), &err, label);
        for (int64_t r = 0; r < l.count; r++) {
            size_t at = (size_t)r * l.step;
            if (i == 0)
                memcpy(first + at, o->host + at, l.length);
            else if (memcmp(first + at, o->host + at, l.length) != 0)
                fail_msg("%s: run %d gave other bits in line %d", label, i, (int)r);
        }
    }
    free(first);
}

static void check(gpu_operands_t *o, const char *params, int which, rc_c_order_t order, int place)
{
    const char *name = o->operation->op == RC_OP_SPMM ? "aspt" : "aspt-sddmm";
    rc_schedule_t s = make_schedule(o->a, which, (rc_geometry_t){32, 32, 32});
    rc_kernel_spec_t spec;
    rc_analysis_t n;
    rc_err_t err = {0};
    void *state = NULL;
    void *other = NULL;
    char label[200];
    char text[120];
    snprintf(text, sizeof text, "%s%s", name, params);
    snprintf(label, sizeof label, "%s, K %d, schedule %s, output in %s order, %s", text, (int)o->k,
        schedule_name(which), rc_c_order_name(order), place_name(place));
    ok(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, &err), &err, text);
    rc_problem_t p = gpu_problem(o, &spec, &s, order);
    if (which == SCHEDULE_IDENTITY)
        check_kinds(&p, params, o->matrix);
    ok(rc_kernel_analyse(spec.kernel, &p, &n, &err), &err, label);
    ok(rc_kernel_prepare(spec.kernel, o->x, &p, &n, &state, &err), &err, label);
    ok(rc_kernel_share(spec.kernel, o->x, &p, state, &other, &err), &err, label);
    const rc_operands_t of = gpu_operands_of(o, place, p.c_rows);
    static const double scalars[][2] = {{1, 0}, {-2, 0.5}, {1, 1}};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        int old = scalars[i][1] != 0;
        gpu_operands_fill(o, &of, old);
        ok(rc_kernel_run(spec.kernel, state, &of, scalars[i][0], scalars[i][1], &err), &err, label);
        gpu_operands_check(o, &of, &p, scalars[i][0], scalars[i][1], old, label);
    }
    check_bits(o, spec.kernel, state, other, &of, label);
    rc_kernel_release(spec.kernel, state);
    rc_kernel_release(spec.kernel, other);
    rc_schedule_free(&s);
}

/* Of one operation and matrix. */
static void parts_of(rc_op_t op, const char *matrix, double others)
{
    static const char *const params[] = {"", ":tile_cols=32:rows=1", ":rest=2:rows=4", ":rest=1:cf=4:tile_cols=20:rows=4",
        ":cf=1:panel=300:col_min=5", ":panel=64:tile_cols=64:rest=2:siglen=16", ":panel=16:cf=1:col_min=9:rows=1"};
    static const int64_t ks[] = {1, 32, 67, 128, 260};
    static const int which[] = {SCHEDULE_IDENTITY, SCHEDULE_RANDOM, SCHEDULE_PADS, SCHEDULE_NO_EMPTY};
    rc_device_t *d = open_gpu();
    int64_t sample = sample_of_runs();
    int64_t run = 0;
    int turn = 0;
    if (!d)
        skip();
    rc_csr_t a = make(sample > 1 ? FEW_ROWS : ROWS, others); /* racecheck takes minutes for all */
    for (int precision = 0; precision < 2; precision++)
        for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
            gpu_operands_t o = {.x = &d->executor,
                .operation = rc_operation_of(op),
                .matrix = matrix,
                .a = &a,
                .precision = (rc_precision_t)precision,
                .layout = RC_ROW_MAJOR,
                .k = ks[i]};
            gpu_operands_new(&o);
            for (size_t v = 0; v < sizeof params / sizeof *params; v++, turn++)
                for (int s = 0; s < 2; s++)
                    if (run++ % sample == 0)
                        check(&o, params[v], s ? which[turn % 4] : SCHEDULE_IDENTITY,
                            op == RC_OP_SPMM && turn / 4 % 2 ? RC_C_SCHEDULE : RC_C_ORIGINAL,
                            turn % PLACES);
            gpu_operands_free(&o);
        }
    free_matrix(&a);
    rc_device_close(d);
}

static void parts_of_spmm(void **test)
{
    (void)test;
    parts_of(RC_OP_SPMM, "blocks", many);
}

static void parts_of_spmm_with_tiles(void **test)
{
    (void)test;
    parts_of(RC_OP_SPMM, "blocks, few others", few);
}

static void parts_of_sddmm(void **test)
{
    (void)test;
    parts_of(RC_OP_SDDMM, "blocks", many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_spmm),
        cmocka_unit_test(parts_of_spmm_with_tiles),
        cmocka_unit_test(parts_of_sddmm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
