/* Adaptive sparse tiling: every entry in exactly one tile or in the sparse part, as a second, slow walk of the
 * definition has it; the reference kernel against fp64 by every parameter; what is refused. */
#include "config.h"
#include "unit.h"

#include "format/aspt.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "operation/operation.h"
#include "order_matrix.h"
#include "random_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ parts */

/* Entry (slot, c): where the definition has it.  \return its tile in the panel, -1: the sparse part */
static int64_t tile_of(const rc_tiles_t *t, int64_t slot, int32_t c, int64_t *local)
{
    int64_t p = slot / t->rule.panel;
    for (int64_t i = t->col_ptr[p]; i < t->col_ptr[p + 1]; i++)
        if (t->col[i] == c) {
            *local = (i - t->col_ptr[p]) % t->rule.tile_cols;
            return (i - t->col_ptr[p]) / t->rule.tile_cols;
        }
    return -1;
}

/* One slot: its entries, tile after tile, then its row of the sparse part. */
static void check_slot(const rc_csr_t *a, const rc_tiles_t *t, const rc_tile_parts_t *p, int64_t slot,
    int64_t *dense, int64_t *ptr)
{
    int64_t first = slot / t->rule.panel;
    int64_t cols = t->col_ptr[first + 1] - t->col_ptr[first];
    int64_t tiles = (cols + t->rule.tile_cols - 1) / t->rule.tile_cols;
    int64_t rest = p->rest_ptr[slot];
    int64_t local = 0;
    for (int64_t i = 0; i < tiles; i++) {
        assert_int_equal(p->ptr[(*ptr)++], *dense);
        for (int64_t e = a->row_ptr[slot]; e < a->row_ptr[slot + 1]; e++)
            if (tile_of(t, slot, a->col_idx[e], &local) == i) {
                assert_int_equal(p->col[*dense], local);
                assert_true(((double *)p->val)[(*dense)++] == a->val[e]);
            }
    }
    for (int64_t e = a->row_ptr[slot]; e < a->row_ptr[slot + 1]; e++)
        if (tile_of(t, slot, a->col_idx[e], &local) < 0) {
            assert_int_equal(p->rest_col[rest], a->col_idx[e]);
            assert_true(((double *)p->rest_val)[rest++] == a->val[e]);
        }
    assert_int_equal(p->rest_ptr[slot + 1], rest);
}

static void check_parts(const rc_csr_t *a, const rc_tiles_t *t, const rc_tile_parts_t *p)
{
    int64_t dense = 0;
    int64_t ptr = 0;
    int64_t panels = 0;
    for (int64_t i = 0; i < t->panels; i++) {
        if (t->col_ptr[i] == t->col_ptr[i + 1])
            continue;
        assert_int_equal(p->panel[panels].slot, i * t->rule.panel);
        assert_int_equal(p->panel[panels].col, t->col_ptr[i]);
        assert_int_equal(p->panel[panels++].cols, t->col_ptr[i + 1] - t->col_ptr[i]);
    }
    for (int64_t s = 0; s < a->rows; s++) {
        if (s % t->rule.panel == 0 &&
            t->col_ptr[s / t->rule.panel] < t->col_ptr[s / t->rule.panel + 1]) {
            int64_t n = 0;
            while (n < panels && p->panel[n].slot != s)
                n++;
            assert_int_equal(p->panel[n].ptr, ptr);
        }
        check_slot(a, t, p, s, &dense, &ptr);
    }
    assert_int_equal(p->size.panels, panels);
    assert_int_equal(p->size.ptrs, ptr);
    assert_int_equal(p->ptr[ptr], dense);
    assert_int_equal(p->size.nnz_dense, dense);
    assert_int_equal(p->size.nnz_rest, a->nnz - dense);
    assert_int_equal(p->rest_ptr[a->rows], a->nnz - dense);
}

/* Groups hold the entries of the parts: of each pair of a group and a tile the columns that any row has, in the
 * order of the matrix, with the values of those that have it and 0. */
static void check_groups(
    const rc_csr_t *a, const rc_tiles_t *t, const rc_tile_parts_t *p, int64_t rows)
{
    rc_tile_group_size_t size;
    rc_tile_groups_t g;
    rc_schedule_t s = {0};
    int64_t at = 0;
    int64_t ptr = 0;
    assert_int_equal(rc_order_build("csr", a, NULL, 1, &s, NULL), RC_OK);
    assert_int_equal(rc_tile_groups_measure(a, &s, t, rows, &size, NULL), RC_OK);
    assert_int_equal(rc_tile_groups_build(p, &t->rule, t->col, &size, &g, NULL), RC_OK);
    for (int64_t i = 0; i < p->size.panels; i++) {
        const rc_tile_panel_t *from = &p->panel[i];
        int64_t end = from->slot + t->rule.panel < a->rows ? from->slot + t->rule.panel : a->rows;
        int64_t tiles = (from->cols + t->rule.tile_cols - 1) / t->rule.tile_cols;
        assert_int_equal(g.panel[i].ptr, ptr);
        for (int64_t first = from->slot; first < end; first += rows)
            for (int64_t n = 0; n < tiles; n++) {
                assert_int_equal(g.ptr[ptr++], at);
                for (int32_t c = 0; c < a->cols; c++) {
                    int has = 0;
                    int64_t local = 0;
                    for (int64_t r = first; r < first + rows && r < end; r++)
                        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
                            if (a->col_idx[e] == c && tile_of(t, r, c, &local) == n) {
                                assert_true(((double *)g.val)[at * rows + r - first] == a->val[e]);
                                has++;
                            }
                    if (!has)
                        continue;
                    int filled = 0; /* a value of a test is never 0 */
                    for (int64_t r = 0; r < rows; r++)
                        filled += ((double *)g.val)[at * rows + r] != 0;
                    assert_int_equal(filled, has);
                    assert_int_equal(g.col[at++], local);
                }
            }
    }
    assert_int_equal(g.ptr[ptr], at);
    assert_int_equal(size.ptrs, ptr);
    assert_int_equal(size.columns, at);
    rc_tile_groups_free(&g);
    rc_schedule_free(&s);
}

static void every_entry_is_in_one_part(void **state)
{
    (void)state;
    rc_rng_t r;
    int tiled = 0;
    int split = 0; /* more than one tile in a panel */
    rc_rng_seed(&r, 17);
    for (int round = 0; round < 300; round++) {
        rc_csr_t a;
        rc_tiles_t t;
        rc_tile_parts_t p;
        random_matrix(&r, 90, &a);
        for (int64_t e = 0; e < a.nnz; e++)
            a.val[e] = (double)(e + 1);
        const rc_tile_rule_t rule = {1 + (int32_t)rc_rng_below(&r, 40),
            1 + (int32_t)rc_rng_below(&r, 4), 1 + (int32_t)rc_rng_below(&r, 12),
            1 + (int32_t)rc_rng_below(&r, 6)};
        rc_segments_source_t source = rc_segments_source_of(&a);
        assert_int_equal(rc_tiles_find(&a, NULL, &rule, 1, &t, NULL), RC_OK);
        assert_int_equal(rc_tile_parts_cut(&source, &t, 1 + round % 3, &p, NULL), RC_OK);
        check_parts(&a, &t, &p);
        check_groups(&a, &t, &p, 1 + round % RC_TILE_GROUP_MAX);
        tiled += p.size.panels > 0;
        split += t.tiles > p.size.panels;
        rc_tile_parts_free(&p);
        rc_tiles_free(&t);
        free_matrix(&a);
    }
    assert_true(tiled > 100 && split > 50);
}

static void pieces_of_long_rows(void **state)
{
    (void)state;
    enum { rows = 4 };
    static const int64_t length[rows] = {2 * RC_ASPT_PIECE, RC_ASPT_PIECE, 0, RC_ASPT_PIECE + 1};
    int64_t ptr[rows + 1] = {0};
    rc_aspt_pieces_t n;
    for (int i = 0; i < rows; i++)
        ptr[i + 1] = ptr[i] + length[i];
    const rc_tile_parts_t p = {.slots = rows, .rest_ptr = ptr};
    static const int32_t piece[] = {0, 1, -1, 2, 3, -1};
    const int64_t want[] = {0, RC_ASPT_PIECE, ptr[1], ptr[3], ptr[3] + RC_ASPT_PIECE, ptr[4], ptr[4]};
    assert_int_equal(rc_aspt_pieces(&p, &n, NULL), RC_OK);
    assert_int_equal(n.longs, 2);
    assert_int_equal(n.pieces, 4);
    assert_memory_equal(n.piece, piece, sizeof piece);
    assert_memory_equal(n.ptr, want, sizeof want);
    assert_int_equal(n.long_row[1].row, 3);
    assert_int_equal(n.long_row[1].first, 2);
    assert_int_equal(n.long_row[1].parts, 2);
    rc_aspt_pieces_free(&n);
}

/* ----------------------------------------------------------------- product */

/* C = 2 A B - C of the kernel against the same sums in fp64, in either order of C. */
static void check_product(rc_executor_t *x, rc_problem_t *p, const char *params)
{
    rc_kernel_spec_t spec;
    rc_analysis_t n;
    rc_err_t err = {0};
    void *prepared = NULL;
    char text[160];
    const rc_csr_t *a = p->a;
    const int64_t rows = p->c_order == RC_C_ORIGINAL ? a->rows : p->schedule->slots;
    snprintf(text, sizeof text, "aspt%s", params);
    p->c_rows = rows;
    assert_int_equal(rc_kernel_spec_parse(text, RC_DEVICE_CPU, &spec, NULL), RC_OK);
    memcpy(p->param, spec.param, sizeof p->param);
    if (rc_kernel_analyse(spec.kernel, p, &n, &err) != RC_OK ||
        rc_kernel_prepare(spec.kernel, x, p, &n, &prepared, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    double *b = calloc((size_t)(a->cols * p->k) + 1, sizeof *b);
    double *c = calloc((size_t)(rows * p->k) + 1, sizeof *c);
    double *want = calloc((size_t)(a->rows * p->k) + 1, sizeof *want);
    assert_true(b && c && want);
    for (int64_t i = 0; i < a->cols * p->k; i++)
        b[i] = (double)(i * 37 % 101) / 101 - 0.5;
    for (int64_t i = 0; i < rows * p->k; i++)
        c[i] = 3;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            for (int64_t j = 0; j < p->k; j++)
                want[r * p->k + j] += a->val[e] * b[a->col_idx[e] * p->k + j];
    const rc_operands_t o = {
        .in = {{b, a->cols, p->k, p->k, RC_FP64, RC_ROW_MAJOR}},
        .out = {c, rows, p->k, p->k, RC_FP64, RC_ROW_MAJOR}};
    assert_int_equal(rc_kernel_run(spec.kernel, prepared, &o, 2, -1, &err), RC_OK);
    for (int64_t i = 0; i < rows; i++) {
        int64_t r = p->c_order == RC_C_ORIGINAL ? i : p->schedule->row[i];
        for (int64_t j = 0; r >= 0 && j < p->k; j++)
            if (fabs(c[i * p->k + j] - (2 * want[r * p->k + j] - 3)) > 1e-9)
                fail_msg("%s: row %d, column %d", text, (int)r, (int)j);
    }
    rc_kernel_release(spec.kernel, prepared);
    free(b);
    free(c);
    free(want);
}

/* O = 2 A .* (Y X') - O of the kernel against the same in fp64, in the order of the entries. */
static void check_sampled(rc_executor_t *x, rc_problem_t *p, const char *params)
{
    rc_kernel_spec_t spec;
    rc_analysis_t n;
    rc_err_t err = {0};
    void *prepared = NULL;
    char text[160];
    const rc_csr_t *a = p->a;
    snprintf(text, sizeof text, "aspt-sddmm%s", params);
    p->c_order = RC_C_ORIGINAL;
    p->c_rows = a->nnz;
    assert_int_equal(rc_kernel_spec_parse(text, RC_DEVICE_CPU, &spec, NULL), RC_OK);
    memcpy(p->param, spec.param, sizeof p->param);
    if (rc_kernel_analyse(spec.kernel, p, &n, &err) != RC_OK ||
        rc_kernel_prepare(spec.kernel, x, p, &n, &prepared, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    double *y = calloc((size_t)((a->rows + a->cols) * p->k) + 1, sizeof *y);
    double *out = calloc((size_t)a->nnz + 1, sizeof *out);
    assert_true(y && out);
    double *of_x = y + a->rows * p->k;
    for (int64_t i = 0; i < (a->rows + a->cols) * p->k; i++)
        y[i] = (double)(i * 37 % 101) / 101 - 0.5;
    for (int64_t e = 0; e < a->nnz; e++)
        out[e] = (double)e;
    const rc_operands_t o = {.in = {{y, a->rows, p->k, p->k, RC_FP64, RC_ROW_MAJOR},
                                 {of_x, a->cols, p->k, p->k, RC_FP64, RC_ROW_MAJOR}},
        .out = {out, a->nnz, 1, 1, RC_FP64, RC_ROW_MAJOR}};
    assert_int_equal(rc_kernel_run(spec.kernel, prepared, &o, 2, -1, &err), RC_OK);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            double want = 0;
            for (int64_t j = 0; j < p->k; j++)
                want += y[r * p->k + j] * of_x[a->col_idx[e] * p->k + j];
            if (fabs(out[e] - (2 * a->val[e] * want - (double)e)) > 1e-9)
                fail_msg("%s: entry %d", text, (int)e);
        }
    rc_kernel_release(spec.kernel, prepared);
    free(y);
    free(out);
}

static void products_of_every_parameter(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    for (int round = 0; round < 150; round++) {
        random_problem_t e;
        rc_device_t *d;
        char params[120];
        int64_t rows = 1 + (int64_t)rc_rng_below(&r, 70);
        int64_t cols = 1 + (int64_t)rc_rng_below(&r, round % 5 ? 60 : 1500);
        assert_int_equal(rc_device_open_cpu(1 + round % 3, &d, NULL), RC_OK);
        random_problem(&r, rows, cols, &e);
        e.problem.precision = RC_FP64;
        e.problem.k = 1 + (int64_t)rc_rng_below(&r, 9);
        e.problem.c_order = round % 2 ? RC_C_SCHEDULE : RC_C_ORIGINAL;
        snprintf(params, sizeof params,
            ":panel=%d:col_min=%d:tile_cols=%d:tile_min=%d:rest=%d:siglen=8:size=%d",
            1 + (int)rc_rng_below(&r, 40), 1 + (int)rc_rng_below(&r, 4),
            1 + (int)rc_rng_below(&r, 20), 1 + (int)rc_rng_below(&r, 5), round / 2 % 3,
            2 + (int)rc_rng_below(&r, 9));
        check_product(&d->executor, &e.problem, params);
        check_product(&d->executor, &e.problem, "");
        check_sampled(&d->executor, &e.problem, params);
        random_problem_free(&e);
        rc_device_close(d);
    }
}

/* ------------------------------------------------------------ second round */

/* Rows i and i + 64 share columns that nobody else has: they come side by side, where they are asked to. */
static void second_round_by_rule(void **state)
{
    (void)state;
    enum { half = 64, own = 4 };
    static const struct {
        int rest;
        int apart; /* rows of the matrix are similar to their neighbours */
        int moves;
    } want[] = {{0, 0, 0}, {1, 0, 1}, {2, 0, 1}, {1, 1, 0}, {2, 1, 1}};
    for (size_t w = 0; w < sizeof want / sizeof *want; w++) {
        rc_device_t *d;
        rc_csr_t a;
        rc_schedule_t s = {0};
        rc_aspt_cut_t cut;
        unsigned char *flag = calloc(2 * half * half * own, 1);
        assert_non_null(flag);
        for (int i = 0; i < 2 * half; i++)
            for (int j = 0; j < own; j++)
                flag[i * half * own + (want[w].apart ? i / 2 : i % half) * own + j] = 1;
        matrix_from_flags(flag, 2 * half, half * own, &a);
        assert_int_equal(rc_device_open_cpu(1, &d, NULL), RC_OK);
        assert_int_equal(rc_order_build("csr", &a, NULL, 1, &s, NULL), RC_OK);
        rc_kernel_spec_t spec;
        char text[40];
        snprintf(text, sizeof text, "aspt:rest=%d", want[w].rest);
        assert_int_equal(rc_kernel_spec_parse(text, RC_DEVICE_CPU, &spec, NULL), RC_OK);
        rc_problem_t p = {.a = &a, .schedule = &s, .identity = 1};
        memcpy(p.param, spec.param, sizeof p.param);
        const rc_segments_source_t source = rc_segments_source_of(&a);
        assert_int_equal(rc_aspt_cut(&p, &source, 1, &cut, NULL), RC_OK);
        assert_int_equal(cut.rest_row != NULL, want[w].moves);
        for (int i = 0; cut.rest_row && i < 2 * half; i += 2) /* pairs are side by side */
            assert_memory_equal(cut.parts.rest_col + i * own, cut.parts.rest_col + (i + 1) * own,
                own * sizeof(int32_t));
        rc_aspt_cut_free(&cut);
        rc_schedule_free(&s);
        rc_device_close(d);
        free_matrix(&a);
        free(flag);
    }
}

/* ------------------------------------------------------- work of a device */

/* Two panels of 128 rows: the first has a tile of 20 columns and `beside` entries a row beside it, the second has rows of
 * 9 entries and no tile.  A row of the first may have 600 entries more. */
static rc_csr_t with_tile(int beside, int is_long)
{
    enum { panel = 128, tile = 20, others = 9, more = 600 };
    rc_csr_t a = {.rows = 2 * panel, .cols = tile + more + 2 * panel * others};
    a.row_ptr = calloc(2 * panel + 1, sizeof *a.row_ptr);
    a.col_idx = calloc(2 * panel * (tile + others) + more, sizeof *a.col_idx);
    a.val = calloc(2 * panel * (tile + others) + more, sizeof *a.val);
    assert_true(a.row_ptr && a.col_idx && a.val);
    for (int r = 0; r < 2 * panel; r++) {
        for (int c = 0; r < panel && c < tile; c++)
            a.col_idx[a.nnz++] = c;
        for (int c = 0; is_long && r == 5 && c < more; c++)
            a.col_idx[a.nnz++] = tile + c;
        for (int c = 0; c < (r < panel ? beside : others); c++) /* of this row alone */
            a.col_idx[a.nnz++] = tile + more + r * others + c;
        a.row_ptr[r + 1] = a.nnz;
    }
    return a;
}

static void sparse_part_apart(void **state)
{
    (void)state;
    static const struct {
        int beside;
        int is_long;
        int apart;
    } want[] = {{0, 0, 0}, {RC_ASPT_BESIDE, 0, 0}, {RC_ASPT_BESIDE, 1, 0}, {RC_ASPT_BESIDE + 1, 0, 1}, {9, 1, 1}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_csr_t a = with_tile(want[i].beside, want[i].is_long);
        rc_schedule_t s = {0};
        rc_kernel_spec_t spec;
        rc_aspt_size_t n;
        assert_int_equal(rc_order_build("csr", &a, NULL, 1, &s, NULL), RC_OK);
        assert_int_equal(rc_kernel_spec_parse("aspt", RC_DEVICE_CPU, &spec, NULL), RC_OK);
        rc_problem_t p = {.a = &a, .schedule = &s, .identity = 1};
        memcpy(p.param, spec.param, sizeof p.param);
        assert_int_equal(rc_aspt_measure(&p, 0, 0, &n, NULL), RC_OK);
        assert_true(n.tiles.panels == 1 && n.longs == want[i].is_long);
        assert_int_equal(n.apart, want[i].apart);
        rc_schedule_free(&s);
        free_matrix(&a);
    }
}

/* The fewest shares that are enough, and none that is empty. */
static void shares_of_panels(void **state)
{
    (void)state;
    for (int64_t ctas = 1; ctas < 40; ctas++)
        for (int64_t wanted = 1; wanted < 40; wanted++)
            for (int64_t groups = 1; groups < 20; groups++)
                for (int64_t at_once = 1; at_once <= 8; at_once *= 2) {
                    int64_t want = 1;
                    while (want * ctas < wanted && want * at_once < groups)
                        want++;
                    assert_int_equal(rc_aspt_shares(ctas, wanted, groups, at_once), want);
                }
    assert_int_equal(rc_aspt_shares(INT32_MAX, 1056, 1 << 20, 8), 1);
}

/* --------------------------------------------------------------- bad input */

static void bad_parameters(void **state)
{
    (void)state;
    static const char *const bad[] = {"aspt:panel=0", "aspt:col_min=0", "aspt:tile_cols=0",
        "aspt:tile_min=-1", "aspt:rest=3", "aspt:cf=3", "aspt:cf=8", "aspt:siglen=5:bsize=2",
        "aspt:bsize=0", "aspt:size=0", "aspt:window=-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rc_kernel_spec_t spec;
        rc_err_t err = {0};
        assert_true(rc_kernel_spec_parse(bad[i], RC_DEVICE_CPU, &spec, &err) < 0);
        assert_true(err.text[0] != 0 && !strchr(err.text, '\n'));
    }
}

static void too_wide_a_tile(void **state)
{
    (void)state;
    for (int i = 0; rc_kernels[i]; i++) {
        int64_t row_ptr[] = {0, 1};
        int32_t col_idx[] = {0};
        double val[] = {1};
        int32_t row[] = {0};
        const rc_csr_t a = {1, 1, 1, row_ptr, col_idx, val};
        const rc_schedule_t s = {.slots = 1, .rows = 1, .row = row};
        rc_analysis_t n;
        rc_err_t err = {0};
        rc_kernel_spec_t spec;
        if (strncmp(rc_kernels[i]->name, "aspt", 4) != 0)
            continue;
        char text[40];
        snprintf(text, sizeof text, "%s:tile_cols=2048", rc_kernels[i]->name);
        assert_int_equal(
            rc_kernel_spec_parse(text, rc_kernels[i]->device, &spec, NULL), RC_OK);
        rc_problem_t p = {.k = 1, .a = &a, .schedule = &s, .identity = 1, .c_rows = a.rows};
        memcpy(p.param, spec.param, sizeof p.param);
        assert_int_equal(rc_kernel_analyse(rc_kernels[i], &p, &n, &err), RC_ENOTSUP);
        assert_non_null(strstr(err.text, "262144 bytes"));
    }
}

/* What identifies the parameters: all of the tiles, those of the second round where they are not the usual ones. */
static void texts(void **state)
{
    (void)state;
    static const char *const want[][2] = {
        {"aspt", "panel=128:col_min=16:tile_cols=128:tile_min=17:rest=0:cf=0:rows=auto"},
        {"aspt:rest=2:seed=7", "panel=128:col_min=16:tile_cols=128:tile_min=17:rest=2:cf=0:rows=auto:seed=7"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_kernel_spec_t spec;
        assert_int_equal(rc_kernel_spec_parse(want[i][0], RC_DEVICE_CPU, &spec, NULL), RC_OK);
        assert_string_equal(spec.params, want[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_in_one_part),
        cmocka_unit_test(pieces_of_long_rows),
        cmocka_unit_test(products_of_every_parameter),
        cmocka_unit_test(second_round_by_rule),
        cmocka_unit_test(sparse_part_apart),
        cmocka_unit_test(shares_of_panels),
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(too_wide_a_tile),
        cmocka_unit_test(texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
