#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "kernels/prepared.h"
#include "measure/measure.h"
#include "verify_properties.h"
#include "real_types.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- kernel */

typedef enum fault { RIGHT, UNSTORED, OFF, NOT_ZERO, NOT_A_NUMBER, SATURATED } fault_t;

enum { NOTES = 256 };

/* What the kernel is told, and what it saw. */
static struct {
    fault_t fault;
    int64_t row;      /* of A, that goes wrong */
    int64_t col;      /* of the tile */
    int at_run;       /* which run goes wrong; -1: all */
    int64_t bytes;    /* that a state takes on the device */
    int sum_runs;     /* runs whose C is summed */
    int runs;         /* so far */
    int states;       /* alive */
    int analyses;
    int64_t k[NOTES]; /* columns of each run */
    double sum;       /* of C over the runs to be summed */
} mock;

static rc_status_t mock_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    out->bytes = mock.bytes;
    out->traffic = 1000;
    out->stored_rows = p->c_rows;
    mock.analyses++;
    return RC_OK;
}

static rc_status_t mock_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_prepared_t *s = state;
    void *memory;
    mock.states++;
    assert_int_equal(analysis->bytes, mock.bytes);
    assert_int_equal(rc_memory_room(&s->memory, (size_t)mock.bytes, &memory, err), RC_OK);
    assert_true(!p->identity || p->c_order == RC_C_ORIGINAL);
    assert_true(p->c_rows == (p->c_order == RC_C_SCHEDULE ? p->schedule->slots : p->a->rows));
    return RC_OK;
}

static void mock_release(void *state)
{
    (void)state;
    mock.states--;
}

static int64_t place(const rc_dense_t *m, int64_t r, int64_t j)
{
    return m->layout == RC_ROW_MAJOR ? r * m->ld + j : j * m->ld + r;
}

/* x: the values of m on the host */
static double get(const rc_dense_t *m, const void *x, int64_t r, int64_t j)
{
    return rc_type(m->precision)->load(x, place(m, r, j));
}

static void set(const rc_dense_t *m, void *x, int64_t r, int64_t j, double v)
{
    rc_type(m->precision)->store(x, place(m, r, j), v);
}

/* C(r, j), or what the fault makes of it; 0: nothing is to be stored. */
static int make_value(const rc_problem_t *p, const rc_dense_t *in, const void *b, int64_t r,
    int64_t j, double *out)
{
    const rc_csr_t *a = p->a;
    int wrong = r == mock.row && j == mock.col && (mock.at_run < 0 || mock.at_run == mock.runs);
    *out = 0;
    for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
        double v = rc_precision_round(p->precision, a->val[e]);
        *out += v * get(in, b, a->col_idx[e], j);
    }
    if (!wrong)
        return 1;
    *out = mock.fault == OFF            ? *out + 2
           : mock.fault == NOT_ZERO     ? 1e-3
           : mock.fault == NOT_A_NUMBER ? NAN
           : mock.fault == SATURATED    ? copysign(rc_type(p->precision)->largest, *out)
                                        : *out;
    return mock.fault != UNSTORED;
}

static int has_slot(const rc_schedule_t *s, int64_t row)
{
    int found = 0;
    for (int64_t i = 0; i < s->slots && !found; i++)
        found = s->row[i] == row;
    return found;
}

static rc_status_t mock_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_prepared_t *s = state;
    const rc_problem_t *p = &s->p;
    const double garbage = 42;
    size_t value = rc_precision_bytes(p->precision);
    size_t b_bytes = (size_t)(o->in[0].rows * o->in[0].cols) * value;
    size_t c_bytes = (size_t)(o->out.rows * o->out.cols) * value;
    void *hb = malloc(b_bytes + 1);
    void *hc = malloc(c_bytes + 1);
    assert_true(hb && hc && alpha == 1 && beta == 0);
    assert_true(o->in[0].rows == p->a->cols && o->in[0].cols == p->k);
    assert_true(o->out.rows == p->c_rows && o->out.cols == p->k);
    assert_int_equal(s->memory.x->download(s->memory.x, hb, o->in[0].data, b_bytes, err), RC_OK);
    assert_int_equal(s->memory.x->download(s->memory.x, hc, o->out.data, c_bytes, err), RC_OK);
    /* every row is stored: those that the schedule leaves out as well */
    for (int64_t r = 0; r < p->a->rows && p->c_order == RC_C_ORIGINAL; r++)
        for (int64_t j = 0; j < p->k && !has_slot(p->schedule, r); j++)
            set(&o->out, hc, r, j, 0);
    for (int64_t slot = 0; slot < p->schedule->slots; slot++) {
        int64_t r = p->schedule->row[slot];
        int64_t at = p->c_order == RC_C_SCHEDULE ? slot : r;
        for (int64_t j = 0; j < p->k; j++) {
            double v;
            if (r < 0 && p->c_order == RC_C_SCHEDULE)
                set(&o->out, hc, at, j, garbage);
            else if (r >= 0 && make_value(p, &o->in[0], hb, r, j, &v)) {
                set(&o->out, hc, at, j, v);
                mock.sum += mock.runs < mock.sum_runs ? v : 0;
            }
        }
    }
    assert_int_equal(s->memory.x->upload(s->memory.x, o->out.data, hc, c_bytes, err), RC_OK);
    if (mock.runs < NOTES)
        mock.k[mock.runs] = p->k;
    mock.runs++;
    free(hb);
    free(hc);
    return RC_OK;
}

static const rc_kernel_t mock_kernel = {
    .name = "mock",
    .op = RC_OP_SPMM,
    .types = RC_TYPES_REAL,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .analyse = mock_analyse,
    .state_bytes = RC_STATE(rc_prepared_t),
    .build = mock_build,
    .run = mock_run,
    .release = mock_release,
};

/* ------------------------------------------------------------------ world */

enum { IDENTITY, REVERSED, WITHOUT_EMPTY, WITH_PADS, SCHEDULES };

/* Every seventh row (3, 10, ...) is empty. */
static rc_csr_t make_matrix(int64_t rows, int64_t cols, int64_t per_row)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, 19);
    rc_csr_t a = {.rows = rows, .cols = cols};
    a.row_ptr = malloc(((size_t)rows + 1) * sizeof *a.row_ptr);
    a.col_idx = malloc((size_t)(rows * per_row) * sizeof *a.col_idx + 1);
    a.val = malloc((size_t)(rows * per_row) * sizeof *a.val + 1);
    assert_true(a.row_ptr && a.col_idx && a.val);
    a.row_ptr[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        int64_t step = cols / per_row;
        for (int64_t i = 0; r % 7 != 3 && i < per_row; i++) {
            a.col_idx[a.nnz] = (int32_t)(i * step + (int64_t)rc_rng_below(&rng, (uint64_t)step));
            a.val[a.nnz++] = 2 * rc_rng_unit(&rng) - 1;
        }
        a.row_ptr[r + 1] = a.nnz;
    }
    return a;
}

static rc_schedule_t make_schedule(const rc_csr_t *a, int kind)
{
    rc_schedule_t s = {.rows = a->rows, .row = malloc(2 * (size_t)a->rows * sizeof *s.row + 1)};
    assert_non_null(s.row);
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t r = kind == IDENTITY ? i : a->rows - 1 - i;
        if (kind == WITHOUT_EMPTY && a->row_ptr[r] == a->row_ptr[r + 1])
            continue;
        s.row[s.slots++] = (int32_t)r;
        if (kind == WITH_PADS && i % 4 == 0)
            s.row[s.slots++] = -1;
    }
    return s;
}

typedef struct world {
    rc_device_t *d;
    rc_measure_context_t *ctx;
    rc_csr_t a;
    rc_schedule_t schedule[SCHEDULES];
    rc_kernel_t kernel;
    rc_kernel_spec_t spec;
    rc_group_t group;
    rc_measure_config_t cfg;
    rc_measured_t cases[SCHEDULES];
    int n;
} world_t;

static void world_begin(world_t *w, rc_device_t *d, rc_csr_t a, int64_t k)
{
    memset(w, 0, sizeof *w);
    memset(&mock, 0, sizeof mock);
    mock.row = mock.col = mock.at_run = -1;
    mock.bytes = 64;
    w->d = d;
    assert_int_equal(rc_measure_context_new(d, &w->ctx, NULL), RC_OK);
    w->a = a;
    w->kernel = mock_kernel;
    w->spec.kernel = &w->kernel;
    for (int i = 0; i < SCHEDULES; i++) {
        w->schedule[i] = make_schedule(&w->a, i);
        w->cases[i].schedule = &w->schedule[i];
    }
    w->n = SCHEDULES;
    rc_measure_defaults(&w->cfg, d->executor.kind);
    w->cfg.budget_ns = 1;
    w->cfg.warmup_runs = 1;
    w->cfg.max_reps = 1;
    w->cfg.min_batch_ns = 1;
    w->cfg.verify_rows = 8;
    w->cfg.verify_cols = 4;
    w->group = (rc_group_t){.a = &w->a, .kernel = &w->spec, .k = k, .memory_limit = INT64_MAX};
}

/* The layout, precision and row order of C of a variant. */
static void world_vary(world_t *w, int variant)
{
    w->kernel.layout = variant & 1 ? RC_ROW_MAJOR : RC_COL_MAJOR;
    w->group.c_order = variant & 2 ? RC_C_SCHEDULE : RC_C_ORIGINAL;
    w->group.precision = real_type(variant / 4);
}
enum { VARIANTS = 4 * REAL_TYPES };

static void world_run(world_t *w)
{
    rc_err_t err = {0};
    for (int i = 0; i < w->n; i++)
        rc_measured_free(&w->cases[i]);
    if (rc_measure_group(w->ctx, &w->cfg, &w->group, w->cases, w->n, NULL, NULL, NULL, &err) !=
        RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(mock.states, 0);
}

static void world_end(world_t *w)
{
    for (int i = 0; i < SCHEDULES; i++) {
        rc_measured_free(&w->cases[i]);
        free(w->schedule[i].row);
    }
    free(w->a.row_ptr);
    free(w->a.col_idx);
    free(w->a.val);
    rc_measure_context_free(w->ctx);
}

static void check_ok(const world_t *w)
{
    for (int i = 0; i < w->n; i++) {
        const rc_measured_t *m = &w->cases[i];
        if (m->status != RC_CASE_OK)
            fail_msg("schedule %d: %s: %s", i, rc_case_status_name(m->status), m->text);
        assert_true(m->error_max >= 0 && m->error_max <= 1);
        assert_true(m->error_rel >= 0 && m->error_rel < fmax(1e-5, 2 * rc_type(w->group.precision)->unit));
    }
}

/* ------------------------------------------------------------------ tests */

void check_right_products(rc_device_t *d)
{
    for (int v = 0; v < VARIANTS; v++) {
        world_t w;
        world_begin(&w, d, make_matrix(90, 70, 5), 13);
        world_vary(&w, v);
        world_run(&w);
        check_ok(&w);
        for (int i = 0; i < w.n; i++)
            assert_int_equal(w.cases[i].k_tile, 13);
        world_end(&w);
    }
}

static void check_found(world_t *w, int schedule, fault_t fault, int64_t row, int64_t col)
{
    static const char *const says[] = {
        "", "was not stored to", "", "in a row without entries", "in a row without entries"};
    char where[64];
    snprintf(where, sizeof where, "C(%" PRId64 ", %" PRId64 ")", row, col);
    w->n = 1;
    w->cases[0].schedule = &w->schedule[schedule];
    mock.fault = fault;
    mock.row = row;
    mock.runs = 0;
    world_run(w);
    const rc_measured_t *m = &w->cases[0];
    /* a value outside the sample shows as the sum of its row */
    int named = strstr(m->text, where) != NULL;
    if (fault == OFF && !named) {
        snprintf(where, sizeof where, "row %" PRId64 " ", row);
        named = strstr(m->text, where) != NULL;
    }
    if (m->status != RC_CASE_WRONG || !named || !strstr(m->text, says[fault]))
        fail_msg("schedule %d, fault %d at (%" PRId64 ", %" PRId64 "): %s: '%s'", schedule,
            (int)fault, row, col, rc_case_status_name(m->status), m->text);
    assert_int_equal(m->phase, RC_PHASE_VERIFY);
    assert_true(m->error_max > 1);
    assert_int_equal(mock.runs, 1 + (mock.at_run > 0 ? mock.at_run : 0));
}

void check_wrong_products(rc_device_t *d)
{
    enum { rows = 90, k = 13, empty = 10 };
    static const int64_t at[][2] = {{0, 0}, {rows - 1, k - 1}, {53, 7}, {empty, 0}, {empty, k - 1}};
    for (int v = 0; v < VARIANTS; v++)
        for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
            for (int fault = UNSTORED; fault <= NOT_A_NUMBER; fault++) {
                world_t w;
                if (at[i][0] == empty ? fault == OFF : fault >= NOT_ZERO)
                    continue;
                world_begin(&w, d, make_matrix(rows, 70, 5), k);
                world_vary(&w, v);
                mock.col = at[i][1];
                /* the schedule without empty rows has nowhere to store a wrong one */
                for (int s = 0; s < SCHEDULES; s++)
                    if (at[i][0] != empty || s != WITHOUT_EMPTY)
                        check_found(&w, s, (fault_t)fault, at[i][0], at[i][1]);
                world_end(&w);
            }
}

/* Live bytes of a device, by wrapping its memory. */
enum { PIECES = 256 };
static struct {
    rc_executor_t old;
    void *at[PIECES];
    int64_t bytes[PIECES];
    int64_t now;
    int64_t peak;
    int allocs;
} meter;

static rc_status_t meter_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    rc_status_t st = meter.old.alloc(x, bytes, out, err);
    for (int i = 0; st == RC_OK && i < PIECES; i++)
        if (!meter.at[i]) {
            meter.at[i] = *out;
            meter.bytes[i] = (int64_t)bytes;
            meter.now += (int64_t)bytes;
            break;
        }
    meter.peak = meter.now > meter.peak ? meter.now : meter.peak;
    meter.allocs++;
    return st;
}

static void meter_release(rc_executor_t *x, void *p)
{
    for (int i = 0; p && i < PIECES; i++)
        if (meter.at[i] == p) {
            meter.now -= meter.bytes[i];
            meter.at[i] = NULL;
            break;
        }
    meter.old.release(x, p);
}

static void meter_begin(rc_device_t *d)
{
    memset(&meter, 0, sizeof meter);
    meter.old = d->executor;
    d->executor.alloc = meter_alloc;
    d->executor.release = meter_release;
}

static void meter_end(rc_device_t *d)
{
    d->executor.alloc = meter.old.alloc;
    d->executor.release = meter.old.release;
    assert_true(meter.now == 0);
}

/* Sum over all of C, from the generator. */
static double product_sum(const world_t *w)
{
    double sum = 0;
    for (int64_t r = 0; r < w->a.rows; r++)
        for (int64_t e = w->a.row_ptr[r]; e < w->a.row_ptr[r + 1]; e++)
            for (int64_t j = 0; j < w->group.k; j++)
                sum += w->a.val[e] *
                       rc_rng_signed(w->cfg.seed,
                           (uint64_t)w->a.col_idx[e] * (uint64_t)w->group.k + (uint64_t)j);
    return sum;
}

/* K columns in memory for `room` of them beside all states: `tiles` of `width`, the last of
 * `last`. */
static void one_tiling(
    rc_device_t *d, int variant, int64_t k, int64_t room, int tiles, int64_t width, int64_t last)
{
    enum { rows = 60, cols = 40, state = 100 }; /* all states: less than a column */
    world_t w;
    world_begin(&w, d, make_matrix(rows, cols, 4), k);
    world_vary(&w, variant);
    w.group.precision = RC_FP64;
    w.n = 2; /* identity and reversed: C has the rows of A in both orders */
    mock.bytes = state;
    mock.sum_runs = 0;
    int states = w.n * (tiles > 1 && last < width ? 2 : 1);
    w.group.memory_limit = (rows + cols) * (int64_t)sizeof(double) * room + states * state;
    int64_t slack = 17 * (rows + cols) + (INT64_C(1) << 25); /* of a GPU's verification */
    w.cfg.warmup_runs = 2;
    w.cfg.max_reps = 3;
    meter_begin(d);
    world_run(&w);
    check_ok(&w);
    assert_true(meter.peak <= w.group.memory_limit + (d->executor.kind == RC_DEVICE_CUDA ? slack : 0));
    for (int i = 0; i < w.n; i++) {
        assert_int_equal(w.cases[i].k_tile, width);

        assert_int_equal(w.cases[i].bytes_min, 1000 * tiles + (rows + cols) * k * 8);
    }
    /* each tile of each case is verified, then whole products run */
    int all = w.n * tiles;
    assert_true(mock.runs > all && mock.runs % tiles == 0);
    for (int i = 0; i < mock.runs && i < NOTES; i++) {
        int tile = i < all ? i / w.n : (i - all) % tiles;
        assert_int_equal(mock.k[i], tile == tiles - 1 ? last : width);
    }
    world_end(&w);
    meter_end(d);

    /* the same alone: what is verified first is the whole product, once */
    world_begin(&w, d, make_matrix(rows, cols, 4), k);
    world_vary(&w, variant);
    w.group.precision = RC_FP64;
    w.n = 1;
    w.group.memory_limit = (rows + cols) * (int64_t)sizeof(double) * room + 2 * mock.bytes;
    mock.sum_runs = tiles;
    world_run(&w);
    check_ok(&w);
    assert_int_equal(w.cases[0].k_tile, width);
    assert_true(fabs(mock.sum - product_sum(&w)) < 1e-9);
    world_end(&w);
}

void check_tiles(rc_device_t *d)
{
    for (int v = 0; v < 4; v++) {
        one_tiling(d, v, 150, 150, 1, 150, 150);
        one_tiling(d, v, 150, 149, 2, 96, 54);
        one_tiling(d, v, 150, 80, 3, 64, 22);
        one_tiling(d, v, 128, 100, 2, 64, 64);
        one_tiling(d, v, 65, 63, 3, 32, 1);
        one_tiling(d, v, 20, 20, 1, 20, 20);
    }
    /* not even a tile of 32 columns, or K when that is less */
    static const int64_t k[] = {150, 20};
    for (int i = 0; i < 2; i++)
        for (int with_matrix = 0; with_matrix < 2; with_matrix++) {
            world_t w;
            int64_t least = k[i] < 32 ? k[i] : 32;
            world_begin(&w, d, make_matrix(60, 40, 4), k[i]);
            w.n = 2;
            mock.bytes = 1 << 20;
            w.group.memory_limit = 100 * 4 * least - 1 + (with_matrix ? mock.bytes : 0);
            world_run(&w);
            for (int c = 0; c < w.n; c++) {
                const char *text = w.cases[c].text;
                assert_int_equal(w.cases[c].status, RC_CASE_SKIPPED);
                assert_non_null(strstr(text, "memory: the operands"));
                assert_true(rc_memory_needed(text) > w.group.memory_limit);
                if (with_matrix)
                    assert_non_null(strstr(text, " and the matrix take about "));
                else if (k[i] > least)
                    assert_non_null(strstr(text, "(32 of 150 columns)"));
                assert_null(w.cases[c].sample_ns);
            }
            assert_int_equal(mock.runs, 0);
            world_end(&w);
        }
}

void check_wrong_tiles(rc_device_t *d)
{
    enum { rows = 60, cols = 40, k = 150, room = 80, width = 64, tiles = 3, empty = 10 };
    static const int64_t at[][2] = {{0, 0}, {rows - 1, 21}, {31, 5}, {empty, 21}};
    for (int v = 0; v < VARIANTS; v++)
        for (size_t i = 0; i < sizeof at / sizeof at[0]; i++)
            for (int tile = 0; tile < tiles; tile++) {
                world_t w;
                world_begin(&w, d, make_matrix(rows, cols, 4), k);
                world_vary(&w, v);
                w.group.memory_limit =
                    (rows + cols) * (int64_t)rc_precision_bytes(w.group.precision) * room +
                    2 * mock.bytes;
                mock.at_run = tile;
                mock.col = at[i][1];
                fault_t fault = at[i][0] == empty ? NOT_ZERO : i % 2 ? OFF : UNSTORED;
                check_found(&w, REVERSED, fault, at[i][0], tile * width + at[i][1]);
                world_end(&w);
            }
}

/* Rows of a matrix of 900 that overflow fp16: sums of 5 times 40,000 do in some columns, one has an
 * infinity of A in all. */
enum { TALL = 900, SUMS = 4, INFINITE = 452 };

static rc_csr_t make_large(void)
{
    rc_csr_t a = make_matrix(TALL, 70, 5);
    for (int64_t e = a.row_ptr[SUMS]; e < a.row_ptr[SUMS + 1]; e++)
        a.val[e] = 40000;
    a.val[a.row_ptr[INFINITE]] = -1e6;
    return a;
}

void check_overflow(rc_device_t *d)
{
    enum { k = 13 };
    static const struct {
        fault_t fault;
        int64_t row;
    } wrong[] = {{NOT_A_NUMBER, SUMS}, {SATURATED, INFINITE}, {NOT_A_NUMBER, INFINITE}};
    for (int v = 0; v < 4; v++)
        for (int i = -1; i < 3; i++)
            for (int64_t col = 0; col < k; col += k - 1) {
                world_t w;
                world_begin(&w, d, make_large(), k);
                world_vary(&w, 4 * RC_FP16 + v);
                w.cfg.verify_cols = k;
                if (i < 0) {
                    world_run(&w);
                    check_ok(&w);
                } else {
                    w.n = 1;
                    mock.fault = wrong[i].fault;
                    mock.row = wrong[i].row;
                    mock.col = col;
                    world_run(&w);
                    if (w.cases[0].status != RC_CASE_WRONG)
                        fail_msg("fault %d in row %" PRId64 ", column %" PRId64 ": %s", (int)wrong[i].fault, wrong[i].row,
                            col, rc_case_status_name(w.cases[0].status));
                    char where[64];
                    snprintf(where, sizeof where, "C(%" PRId64 ", %" PRId64 "): expected ", wrong[i].row, col);
                    assert_non_null(strstr(w.cases[0].text, where));
                }
                world_end(&w);
            }
}
