/* Chunks, tiles, panels, slices, stages and the formats of y = A x that a GPU builds are those of the host, byte for byte.  Needs a GPU:
 * without one it skips itself, or fails when ROWCAST_GPU is 1.  ROWCAST_GPU_BUILDS: how many random matrices (default
 * 250); with fewer the large one is left out.  "test_gpu_builds --time MATRIX..." instead prints what kernels
 * take to prepare (tests/gpu/build_times.h). */
#include "config.h"
#include "unit.h"

#include "build_times.h"
#include "device/device.h"
#include "format/cuda/build.h"
#include "format/cuda/slots.h"
#include "kernels/prepared.h"
#include "kernels/spmm/cuda/gslice.h"
#include "kernels/spmv/cuda/spmv.h"
#include "operands.h"
#include "random_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 250 };

static int64_t rounds(void)
{
    const char *text = getenv("ROWCAST_GPU_BUILDS");
    return text ? strtol(text, NULL, 10) : ROUNDS;
}

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

/* Rows of all lengths up to many blocks, several segments, any schedule. */
static void make(rc_rng_t *rng, random_problem_t *e)
{
    int64_t rows = below(rng, 60);
    int64_t cols = below(rng, 3000);
    if (below(rng, 3) == 0) {
        rows = 1000 + below(rng, 3000);
        cols = below(rng, 60);
    }
    random_problem(rng, rows, cols, e);
    if (below(rng, 3) == 0)
        e->problem.c_order = RC_C_SCHEDULE;
    if (below(rng, 3) == 0)
        e->a.cols = RC_CHUNKS_NARROW_COLS + below(rng, 2);
    if (below(rng, 3) == 0) {
        for (int64_t r = 0; r < rows; r++)
            e->schedule.row[r] = (int32_t)r;
        e->schedule.slots = rows;
        e->problem.identity = 1;
    }
}

/* Room on the device for an array, filled with what no array holds. */
static void *room(rc_memory_t *m, size_t bytes)
{
    rc_err_t err = {0};
    void *to = NULL;
    ok(rc_memory_room(m, bytes, &to, &err), &err, "memory");
    if (to)
        ok(m->x->fill(m->x, to, 0x5a, bytes, &err), &err, "memory");
    return to;
}

static void same(rc_executor_t *x, const void *host, const void *device, size_t bytes, const char *what)
{
    rc_err_t err = {0};
    if (bytes == 0)
        return;
    unsigned char *got = malloc(bytes);
    assert_non_null(got);
    ok(x->download(x, got, device, bytes, &err), &err, what);
    if (memcmp(got, host, bytes) != 0)
        fail_msg("%s differ between host and device", what);
    free(got);
}

static void check_chunks(rc_executor_t *x, rc_problem_t *p, int64_t entries)
{
    rc_err_t err = {0};
    rc_chunks_size_t size;
    rc_chunks_size_t there = {.col_bytes = rc_chunks_col_bytes(p->a)};
    rc_chunks_t c;
    rc_build_t b;
    rc_memory_t m = {.x = x};
    double sectors = 0;
    ok(rc_chunks_measure(p, entries, &size, &err), &err, "measure on the host");
    ok(rc_chunks_build(p, &size, 2, &c, &err), &err, "build on the host");
    ok(rc_build_begin(p, &b, &err), &err, "begin");
    ok(rc_build_chunks_measure(&b, size.entries, &there, &err), &err, "measure on the device");
    assert_memory_equal(&size, &there, sizeof size);
    size_t chunks = (size_t)size.blocks * RC_CHUNKS_BLOCK;
    size_t stored = chunks * (size_t)size.entries;
    size_t place = (size_t)c.entry_bytes;
    rc_chunks_t d = {.size = size,
        .col = room(&m, stored * (size_t)size.col_bytes),
        .entry = room(&m, stored * place),
        .entry_bytes = c.entry_bytes,
        .row = room(&m, chunks * sizeof *c.row),
        .count = room(&m, chunks),
        .of = room(&m, (size_t)size.parts * sizeof *c.of),
        .lengthy = room(&m, (size_t)size.longs * sizeof *c.lengthy)};
    ok(rc_build_chunks(&b, &d, &err), &err, "build on the device");
    same(x, c.row, d.row, chunks * sizeof *c.row, "rows of chunks");
    same(x, c.count, d.count, chunks, "counts of chunks");
    same(x, c.of, d.of, (size_t)size.parts * sizeof *c.of, "parts of chunks");
    same(x, c.lengthy, d.lengthy, (size_t)size.longs * sizeof *c.lengthy, "long rows of chunks");
    same(x, c.col, d.col, stored * (size_t)size.col_bytes, "columns of chunks");
    same(x, c.entry, d.entry, stored * place, "places of chunks");
    ok(rc_build_chunks_sectors(&b, &d, 8, &sectors, &err), &err, "sectors");
    assert_true(sectors == rc_chunks_sectors(&c, 8));
    rc_build_end(&b);
    rc_memory_free(&m);
    rc_chunks_free(&c);
}

static void check_tiles(rc_executor_t *x, rc_problem_t *p)
{
    rc_err_t err = {0};
    rc_mma_t c;
    rc_build_t b;
    rc_memory_t m = {.x = x};
    int64_t tiles = 0;
    ok(rc_mma_build(p, 2, &c, &err), &err, "build on the host");
    ok(rc_build_begin(p, &b, &err), &err, "begin");
    ok(rc_build_mma_measure(&b, &tiles, &err), &err, "measure on the device");
    assert_int_equal(tiles, c.tiles);
    size_t columns = (size_t)c.tiles * RC_MMA_COLS * sizeof *c.col;
    size_t places = (size_t)c.tiles * RC_MMA_PLACES * (size_t)c.entry_bytes;
    size_t pointers = ((size_t)c.panels + 1) * sizeof *c.ptr;
    rc_mma_t d = {.panels = c.panels,
        .tiles = c.tiles,
        .ptr = room(&m, pointers),
        .col = room(&m, columns),
        .entry = room(&m, places),
        .entry_bytes = c.entry_bytes};
    ok(rc_build_mma(&b, &d, &err), &err, "build on the device");
    same(x, c.ptr, d.ptr, pointers, "pointers of tiles");
    same(x, c.col, d.col, columns, "columns of tiles");
    same(x, c.entry, d.entry, places, "places of tiles");
    rc_build_end(&b);
    rc_memory_free(&m);
    rc_mma_free(&c);
}

/* \return pairs of rows */
static int64_t check_panels(rc_executor_t *x, rc_problem_t *p, const rc_panels_shape_t *shape)
{
    rc_err_t err = {0};
    rc_items_t items;
    rc_panels_size_t size;
    rc_panels_size_t there;
    rc_panels_t c;
    rc_build_t b;
    rc_memory_t m = {.x = x};
    int64_t pairs = 0;
    ok(rc_items_new(p, &items, &err), &err, "items");
    ok(rc_panels_measure(&items, shape, &size, &err), &err, "measure on the host");
    ok(rc_panels_build(&items, shape, &size, 2, &c, &err), &err, "build on the host");
    ok(rc_build_begin(p, &b, &err), &err, "begin");
    ok(rc_build_panels_measure(&b, shape, &there, &err), &err, "measure on the device");
    assert_memory_equal(&size, &there, sizeof size);
    size_t columns = (size_t)size.batches * RC_PANELS_BATCH;
    size_t place = (size_t)shape->rows * (size_t)c.entry_bytes;
    size_t places = (size_t)c.places + 1;
    rc_panels_t d = {.shape = *shape,
        .size = size,
        .places = c.places,
        .piece = room(&m, (size_t)size.pieces * sizeof *c.piece),
        .col = room(&m, columns * (size_t)shape->col_bytes),
        .entry = room(&m, columns * place),
        .entry_bytes = c.entry_bytes,
        .of = room(&m, (size_t)size.parts * sizeof *c.of),
        .lengthy = room(&m, (size_t)size.longs * sizeof *c.lengthy),
        .place = room(&m, places * sizeof *c.place)};
    ok(rc_build_panels(&b, &d, &err), &err, "build on the device");
    same(x, c.piece, d.piece, (size_t)size.pieces * sizeof *c.piece, "pieces");
    same(x, c.of, d.of, (size_t)size.parts * sizeof *c.of, "parts of pieces");
    same(x, c.lengthy, d.lengthy, (size_t)size.longs * sizeof *c.lengthy, "long rows of pieces");
    if (c.places > 0)
        same(x, c.place, d.place, places * sizeof *c.place, "shares of pieces");
    same(x, c.col, d.col, columns * (size_t)shape->col_bytes, "columns of pieces");
    same(x, c.entry, d.entry, columns * place, "places of pieces");
    for (int64_t i = 0; i < size.pieces; i++)
        pairs += c.piece[i].second >= 0;
    rc_build_end(&b);
    rc_memory_free(&m);
    rc_panels_free(&c);
    rc_items_free(&items);
    return pairs;
}

/* Slice pointers as the device has them. */
static int32_t *narrow_pointers(const rc_sell_t *c)
{
    int32_t *ptr = malloc(((size_t)c->size.slices + 1) * sizeof *ptr);
    assert_non_null(ptr);
    for (int64_t i = 0; i <= c->size.slices; i++)
        ptr[i] = (int32_t)(c->ptr[i] / RC_GSLICE_ROWS);
    return ptr;
}

static void compare_slices(rc_executor_t *x, rc_build_t *b, const rc_sell_t *c)
{
    rc_err_t err = {0};
    rc_memory_t m = {.x = x};
    size_t slices = (size_t)c->size.slices;
    size_t longs = (size_t)c->size.longs;
    size_t entries = (size_t)(c->size.stored + c->size.rest);
    size_t place = (size_t)c->entry_bytes;
    int32_t *ptr = narrow_pointers(c);
    rc_slices_t d = {.shape = c->shape,
        .size = c->size,
        .ptr = room(&m, (slices + 1) * sizeof *ptr),
        .col = room(&m, entries * (size_t)c->shape.col_bytes),
        .entry = room(&m, entries * place),
        .entry_bytes = c->entry_bytes,
        .row = room(&m, slices * RC_GSLICE_ROWS * sizeof *c->row),
        .long_ptr = room(&m, (longs + 1) * sizeof *c->long_ptr),
        .long_row = room(&m, longs * sizeof *c->long_row)};
    ok(rc_build_slices(b, &d, &err), &err, "build on the device");
    same(x, ptr, d.ptr, (slices + 1) * sizeof *ptr, "slice pointers");
    same(x, c->row, d.row, slices * RC_GSLICE_ROWS * sizeof *c->row, "rows of slices");
    same(x, c->long_ptr, d.long_ptr, (longs + 1) * sizeof *c->long_ptr, "pointers of long rows");
    same(x, c->long_row, d.long_row, longs * sizeof *c->long_row, "rows beside slices");
    same(x, c->col, d.col, entries * (size_t)c->shape.col_bytes, "columns of slices");
    same(x, c->entry, d.entry, entries * place, "places of slices");
    free(ptr);
    rc_memory_free(&m);
}

/* \return rows kept apart */
static int64_t check_slices(rc_executor_t *x, rc_problem_t *p, int64_t longest)
{
    const rc_sell_shape_t shape = {.slice = RC_GSLICE_ROWS,
        .longest = longest,
        .col_bytes = p->a->cols <= UINT16_MAX ? 2 : 4,
        .pad = p->a->cols};
    rc_err_t err = {0};
    rc_items_t items;
    rc_sell_size_t there;
    rc_sell_t c;
    rc_build_t b;
    ok(rc_items_new(p, &items, &err), &err, "items");
    ok(rc_items_sort(&items, RC_GSLICE_GROUP, RC_GSLICE_WINDOW, longest, &err), &err, "sort");
    rc_sell_size_t size = rc_sell_measure(&items, &shape);
    ok(rc_sell_build(&items, &shape, &size, 2, &c, &err), &err, "build on the host");
    ok(rc_build_begin(p, &b, &err), &err, "begin");
    ok(rc_build_slices_measure(&b, &shape, &there, &err), &err, "measure on the device");
    assert_memory_equal(&size, &there, sizeof size);
    compare_slices(x, &b, &c);
    rc_build_end(&b);
    rc_sell_free(&c);
    rc_items_free(&items);
    return size.longs;
}

static void compare_stages(rc_executor_t *x, rc_build_t *b, const rc_stages_t *c)
{
    rc_err_t err = {0};
    rc_memory_t m = {.x = x};
    const rc_stages_size_t *size = &c->size;
    size_t blocks = (size_t)size->blocks * sizeof *c->block;
    size_t lines = (size_t)(size->blocks * size->most) * sizeof *c->line;
    size_t units = (size_t)size->units * RC_STAGES_UNIT;
    size_t places = (size_t)(size->batches * RC_STAGES_BATCH * c->shape.rows) * (size_t)c->entry_bytes;
    size_t of = (size_t)size->parts * sizeof *c->of;
    size_t longs = (size_t)size->longs * sizeof *c->lengthy;
    rc_stages_t d = {.shape = c->shape,
        .size = *size,
        .block = room(&m, blocks),
        .line = room(&m, lines),
        .unit = room(&m, units),
        .entry = room(&m, places),
        .entry_bytes = c->entry_bytes,
        .of = room(&m, of),
        .lengthy = room(&m, longs)};
    ok(rc_build_stages(b, &d, &err), &err, "build on the device");
    same(x, c->block, d.block, blocks, "blocks");
    same(x, c->line, d.line, lines, "columns of blocks");
    same(x, c->unit, d.unit, units, "pieces of blocks");
    same(x, c->entry, d.entry, places, "places of blocks");
    same(x, c->of, d.of, of, "parts of blocks");
    same(x, c->lengthy, d.lengthy, longs, "long rows of blocks");
    rc_memory_free(&m);
}

/* \return rows that share a piece with the one before, about */
/* One build counts for other shapes before: pieces that it found for one serve those of fewer rows. */
static void count_others(rc_build_t *b, const rc_items_t *items, const rc_stages_shape_t *shape, rc_precision_t precision)
{
    for (int part = 1; part <= 2; part++)
        for (int64_t rows = RC_STAGES_ROWS_MAX; rows > 0; rows--) {
            rc_stages_shape_t other = *shape;
            rc_err_t err = {0};
            int64_t here = 0;
            int64_t there = 0;
            other.rows = rows;
            other.longest = shape->longest / part > 0 ? shape->longest / part : 1;
            ok(rc_stages_batches(items, &other, 2, &here, &err), &err, "batches on the host");
            ok(rc_build_stages_batches(b, &other, precision, &there, &err), &err, "batches on the device");
            assert_int_equal(there, here);
        }
}

static int64_t check_stages(rc_executor_t *x, rc_problem_t *p, const rc_stages_shape_t *shape)
{
    rc_err_t err = {0};
    rc_items_t items;
    rc_stages_size_t there = {0};
    int64_t batches = 0;
    rc_stages_t c;
    rc_build_t b;
    ok(rc_items_new(p, &items, &err), &err, "items");
    ok(rc_stages_build(&items, shape, 2, &c, &err), &err, "build on the host");
    ok(rc_build_begin(p, &b, &err), &err, "begin");
    count_others(&b, &items, shape, p->precision);
    ok(rc_build_stages_batches(&b, shape, p->precision, &batches, &err), &err, "count the batches");
    assert_int_equal(batches, c.size.batches);
    ok(rc_build_stages_measure(&b, shape, p->precision, &there, &err), &err, "measure on the device");
    assert_memory_equal(&c.size, &there, sizeof there);
    compare_stages(x, &b, &c);
    int64_t joined = p->a->rows - (there.pieces - there.parts + there.longs);
    rc_build_end(&b);
    rc_stages_free(&c);
    rc_items_free(&items);
    return joined > 0 ? joined : 0;
}

static int64_t check_any_stages(rc_rng_t *rng, rc_executor_t *x, rc_problem_t *p)
{
    enum { least = 5120 };
    const rc_stages_shape_t shape = {.rows = 1 + below(rng, RC_STAGES_ROWS_MAX),
        .longest = RC_STAGES_BATCH + below(rng, 400),
        .line = 128 << below(rng, 2),
        .least = least,
        .bytes = RC_STAGES_LEAST + least + below(rng, 65536),
        .pieces = 1 + below(rng, 500),
        .span = 1 + below(rng, below(rng, 2) ? 100 : 3000)};
    return check_stages(x, p, &shape);
}

/* A in the order of the slots, as CSR kernels and cuSPARSE take it. */
static void check_slots(rc_executor_t *x, rc_problem_t *p)
{
    rc_err_t err = {0};
    rc_cuda_slots_t s[2];
    rc_memory_t memory[2] = {{.x = x}, {.x = x}};
    const rc_resident_t *r = p->resident;
    for (int there = 0; there < 2; there++) {
        p->resident = there ? r : NULL;
        ok(rc_cuda_slots_build(&memory[there], p, &s[there], &err), &err, "slots");
    }
    assert_true(s[0].slots == s[1].slots && s[0].nnz == s[1].nnz && s[0].absents == s[1].absents);
    assert_int_equal(s[0].wide, s[1].wide);
    const size_t pointer = s[0].wide ? sizeof(int64_t) : sizeof(int32_t);
    const void *host[] = {s[0].ptr, s[0].col, s[0].val, s[0].row, s[0].absent};
    const void *device[] = {s[1].ptr, s[1].col, s[1].val, s[1].row, s[1].absent};
    const size_t bytes[] = {((size_t)s[0].slots + 1) * pointer, (size_t)s[0].nnz * sizeof *s[0].col,
        (size_t)s[0].nnz * rc_precision_bytes(p->precision), (size_t)s[0].slots * sizeof *s[0].row,
        (size_t)s[0].absents * sizeof *s[0].absent};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        assert_true(!host[i] == !device[i]);
        if (!host[i])
            continue;
        unsigned char *copy = malloc(bytes[i] + 1);
        assert_non_null(copy);
        ok(x->download(x, copy, host[i], bytes[i], &err), &err, "slots");
        same(x, copy, device[i], bytes[i], "slots");
        free(copy);
    }
    rc_memory_free(&memory[0]);
    rc_memory_free(&memory[1]);
}

/* Prepared memory is what the analysis says, within 1 %. */
static void check_bytes(const char *text, const rc_spmv_t *s, const rc_analysis_t *analysis)
{
    enum { share = 100 };
    int64_t said = rc_analysis_bytes(analysis, 1);
    int64_t taken = rc_memory_bytes(&s->base.memory);
    int64_t apart = said > taken ? said - taken : taken - said;
    if (apart > said / share)
        fail_msg("%s: %d bytes are taken, %d were said", text, (int)taken, (int)said);
}

/* A kernel of y = A x, prepared from both. */
static void check_vector(rc_executor_t *x, rc_problem_t *p, const rc_resident_t *r, const char *text)
{
    rc_err_t err = {0};
    rc_kernel_spec_t spec;
    rc_analysis_t analysis[2];
    void *state[2] = {NULL, NULL};
    ok(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, &err), &err, text);
    const rc_kernel_t *k = spec.kernel;
    memcpy(p->param, spec.param, sizeof p->param);
    for (int there = 0; there < 2; there++) {
        analysis[there] = (rc_analysis_t){0};
        p->resident = there ? r : NULL;
        ok(rc_kernel_analyse(k, p, &analysis[there], &err), &err, text);
        ok(rc_kernel_prepare(k, x, p, &analysis[there], &state[there], &err), &err, text);
        check_bytes(text, state[there], &analysis[there]);
    }
    const rc_spmv_t *host = state[0];
    const rc_spmv_t *device = state[1];
    assert_memory_equal(&analysis[0], &analysis[1], sizeof analysis[0]);
    assert_true(host->slots.absents == device->slots.absents && host->base.stored == device->base.stored);
    assert_int_equal(host->base.memory.matrix, device->base.memory.matrix);
    for (int i = 0; i < host->base.memory.matrix; i++) {
        size_t bytes = host->base.memory.bytes[i];
        unsigned char *copy = malloc(bytes + 1);
        assert_non_null(copy);
        assert_int_equal(bytes, device->base.memory.bytes[i]);
        ok(x->download(x, copy, host->base.memory.piece[i], bytes, &err), &err, text);
        same(x, copy, device->base.memory.piece[i], bytes, text);
        free(copy);
    }
    rc_kernel_release(k, state[0]);
    rc_kernel_release(k, state[1]);
    p->resident = r;
}

static void check_vectors(rc_executor_t *x, rc_problem_t *p, const rc_resident_t *r)
{
    static const char *const specs[] = {"csr", "csr:lanes=1", "csr:lanes=32", "merge", "merge:items=3",
        "csr5", "csr5:sigma=1", "csr5:sigma=33", "csr5:sigma=1024", "coo", "ell", "hyb",
        "hyb:width=bell", "hyb:width=0", "hyb:width=1"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        check_vector(x, p, r, specs[i]);
}

static void built_as_on_the_host(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_err_t err = {0};
    rc_rng_t rng;
    int64_t pairs = 0;
    int64_t longs = 0;
    int64_t joined = 0;
    int64_t count = rounds();
    rc_rng_seed(&rng, 12);
    for (int64_t round = 0; round < count; round++) {
        rc_executor_t *x = &d->executor;
        random_problem_t e;
        rc_resident_t r;
        make(&rng, &e);
        ok(rc_resident_new(x, &e.a, below(&rng, 2) ? e.problem.precision : RC_FP64, &r, &err), &err, "matrix");
        e.problem.resident = &r;
        check_chunks(x, &e.problem, below(&rng, 3) ? (int64_t)4 << below(&rng, 5) : 0);
        for (int64_t rows = 1; rows <= RC_PANELS_ROWS_MAX; rows++) {
            const rc_panels_shape_t shape = {.rows = rows,
                .longest = 4 + below(&rng, 200),
                .col_bytes = e.a.cols <= RC_CHUNKS_NARROW_COLS ? 2 : 4};
            pairs += check_panels(x, &e.problem, &shape);
        }
        check_tiles(x, &e.problem);
        longs += check_slices(x, &e.problem, below(&rng, 200));
        joined += check_any_stages(&rng, x, &e.problem);
        check_vectors(x, &e.problem, &r);
        check_slots(x, &e.problem);
        rc_resident_free(&r);
        random_problem_free(&e);
    }
    if (count >= ROUNDS)
        assert_true(pairs > 1000 && longs > 1000 && joined > 1000);
    rc_device_close(d);
}

/* More segments than a CTA adds up at a time. */
static void large_ones_too(void **state)
{
    (void)state;
    enum { rows = 1200000, cols = 3 };
    rc_device_t *d = rounds() >= ROUNDS ? open_gpu() : NULL;
    if (!d)
        skip();
    const rc_panels_shape_t shape = {.rows = RC_PANELS_ROWS_MAX, .longest = 4, .col_bytes = 2};
    const rc_stages_shape_t blocks = {.rows = RC_STAGES_ROWS_MAX,
        .longest = 4,
        .line = 128,
        .bytes = 2 * RC_STAGES_LEAST,
        .pieces = 300,
        .span = 8192};
    rc_err_t err = {0};
    rc_rng_t rng;
    random_problem_t e;
    rc_resident_t r;
    rc_rng_seed(&rng, 13);
    random_problem(&rng, rows, cols, &e);
    ok(rc_resident_new(&d->executor, &e.a, RC_FP64, &r, &err), &err, "matrix");
    e.problem.resident = &r;
    check_chunks(&d->executor, &e.problem, 4);
    (void)check_panels(&d->executor, &e.problem, &shape);
    (void)check_slices(&d->executor, &e.problem, 2);
    (void)check_stages(&d->executor, &e.problem, &blocks);
    check_vectors(&d->executor, &e.problem, &r);
    check_slots(&d->executor, &e.problem);
    rc_resident_free(&r);
    random_problem_free(&e);
    rc_device_close(d);
}

static int time_builds(int count, char **spec)
{
    rc_device_t *d = open_gpu();
    if (!d)
        return 77;
    build_times(&d->executor, count, spec);
    rc_device_close(d);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_as_on_the_host),
        cmocka_unit_test(large_ones_too),
    };
    if (argc > 1 && strcmp(argv[1], "--time") == 0)
        return time_builds(argc - 2, argv + 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
