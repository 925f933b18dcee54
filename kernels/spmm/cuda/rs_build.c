/* The split of a matrix in the memory of a GPU. */
#include "config.h"
#include "base/alloc.h"
#include "device/cuda/executor.h"
#include "format/cuda/keep.h"
#include "format/cuda/segments.h"
#include "format/places.h"
#include "format/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/rs_state.h"

#include <stdlib.h>

int64_t rc_cuda_rs_pointer_bytes(const rc_problem_t *p)
{
    return (int64_t)(rc_cuda_slots_wide(p) ? sizeof(int64_t) : sizeof(int32_t));
}

/* The panels with heavy segments, and the end. */
static rc_status_t keep_panels(rc_cuda_rs_t *s, const rc_segments_t *from, rc_err_t *err)
{
    size_t count = (size_t)from->size.heavy_panels + 1;
    rc_rs_panel_t *list = rc_alloc(count, sizeof *list, "panels", err);
    void *to = NULL;
    int64_t n = 0;
    if (!list)
        return RC_ENOMEM;
    for (int64_t p = 0; p < from->size.panels; p++)
        if (from->panel_ptr[p] < from->panel_ptr[p + 1])
            list[n++] = (rc_rs_panel_t){(int32_t)p, (int32_t)from->panel_ptr[p]};
    list[n] = (rc_rs_panel_t){(int32_t)from->size.panels, (int32_t)from->size.heavy};
    rc_status_t st = rc_cuda_keep(&s->memory, list, count * sizeof *list, &to, err);
    s->parts.panel = to;
    s->parts.panels = (int32_t)n;
    free(list);
    return st;
}

/* Room for the values of both parts in one array, and their places, heavy ones first. */
static rc_status_t keep_values(
    rc_cuda_rs_t *s, const rc_problem_t *p, int64_t heavy, rc_places_t *places, rc_err_t *err)
{
    size_t value = rc_precision_bytes(s->precision);
    void *to = NULL;
    rc_status_t st = rc_cuda_room(&s->memory, (size_t)s->nnz * value, &to, err);
    s->parts.val = to;
    s->parts.light_val = to ? (char *)to + (size_t)heavy * value : NULL;
    return st < 0 ? st : rc_places_keep(s->memory.x, p, NULL, s->nnz, places, err);
}

/* Their places, from the host. */
static rc_status_t put_places(
    rc_cuda_rs_t *s, const rc_problem_t *p, const rc_segments_t *from, rc_places_t *places, rc_err_t *err)
{
    int64_t heavy = from->size.nnz_heavy;
    rc_status_t st;
    RC_TRY(keep_values(s, p, heavy, places, err));
    RC_TRY(rc_places_put(places, 0, from->val, heavy, err));
    RC_TRY(rc_places_put(places, heavy, from->light_val, from->size.nnz_light, err));
done:
    return st;
}

/* Pointers of `from` are narrowed: it is of no use after this. */
static rc_status_t keep_parts(rc_cuda_rs_t *s, rc_segments_t *from, rc_err_t *err)
{
    const rc_segments_size_t *n = &from->size;
    rc_cuda_memory_t *m = &s->memory;
    rc_rs_parts_t *a = &s->parts;
    void *to = NULL;
    rc_status_t st;
    RC_TRY(keep_panels(s, from, err));
    RC_TRY(rc_cuda_keep(m, from->row, (size_t)n->heavy * sizeof *from->row, &to, err));
    a->seg_row = to;
    RC_TRY(rc_cuda_keep_pointers(m, from->ptr, n->heavy + 1, a->ptr_bytes, &a->seg_ptr, err));
    a->col_bytes = from->col_bytes;
    RC_TRY(rc_cuda_keep(m, from->col, (size_t)(n->nnz_heavy * from->col_bytes), &to, err));
    a->col = to;
    RC_TRY(rc_cuda_keep_pointers(
        m, from->light_ptr, n->rows + 1, a->ptr_bytes, &a->light_ptr, err));
    RC_TRY(rc_cuda_keep(
        m, from->light_col, (size_t)n->nnz_light * sizeof *from->light_col, &to, err));
    a->light_col = to;
done:
    return st;
}

/* The slots with heavy segments, as bits, and the rows of the output that they are. */
static rc_status_t keep_dense(
    rc_cuda_rs_t *s, const rc_problem_t *p, const rc_segments_t *from, rc_err_t *err)
{
    size_t words = ((size_t)from->size.rows + 31) / 32;
    const int32_t *row = rc_cuda_slots_named(p) ? p->schedule->row : NULL;
    uint32_t *dense = rc_alloc0(words, sizeof *dense, "rows with heavy segments", err);
    int32_t *list = rc_alloc(
        (size_t)from->size.heavy_rows, sizeof *list, "rows with heavy segments", err);
    void *to = NULL;
    rc_status_t st = dense && list ? RC_OK : RC_ENOMEM;
    int64_t n = 0;
    if (st < 0)
        goto done;
    for (int64_t i = 0; i < from->size.heavy; i++)
        dense[from->row[i] / 32] |= 1u << from->row[i] % 32;
    for (int64_t i = 0; i < from->size.rows; i++)
        if (dense[i / 32] >> i % 32 & 1u)
            list[n++] = row ? row[i] : (int32_t)i;
    RC_TRY(rc_cuda_keep(&s->memory, dense, words * sizeof *dense, &to, err));
    s->parts.dense = to;
    RC_TRY(rc_cuda_keep(&s->memory, list, (size_t)n * sizeof *list, &to, err));
    s->scaled = to;
    s->scaled_rows = n;
done:
    free(dense);
    free(list);
    return st;
}

/* Which rows the slots hold, as growmajor has it. */
static rc_status_t keep_rows(rc_cuda_rs_t *s, const rc_problem_t *p, rc_err_t *err)
{
    rc_cuda_slots_t slots;
    rc_status_t st = rc_cuda_keep_rows(&s->memory, p, &slots, err);
    if (st < 0)
        return st;
    s->parts.row = slots.row;
    s->absent = slots.absent;
    s->absents = slots.absents;
    return RC_OK;
}

static rc_status_t build_here(rc_cuda_rs_t *s, const rc_problem_t *p, rc_err_t *err)
{
    rc_executor_t *x = s->memory.x;
    rc_slots_t host = {0};
    rc_segments_t parts = {.col_bytes = 0};
    rc_places_t places = {0};
    rc_status_t st;
    RC_TRY(rc_slots_arrange(x, p, &host, err));
    RC_TRY(rc_slots_number(p, &host, err));
    const rc_segments_source_t source = {.rows = host.slots,
        .cols = host.cols,
        .ptr = host.ptr,
        .col = host.col,
        .val = host.entry,
        .value_bytes = rc_places_bytes(p->a)};
    RC_TRY(rc_segments_split(&source, &s->shape.rule, x->threads, &parts, err));
    if (s->shape.stores)
        RC_TRY(keep_dense(s, p, &parts, err));
    RC_TRY(keep_parts(s, &parts, err));
    RC_TRY(put_places(s, p, &parts, &places, err));
    RC_TRY(rc_places_fill(p, &places, (void *)(uintptr_t)s->parts.val, err));
done:
    rc_places_free(&places);
    rc_segments_free(&parts);
    rc_slots_free(&host);
    return st;
}

/* Room for the parts, as rc_build_segments fills it. */
static rc_status_t room_for_parts(rc_cuda_rs_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    rc_build_segments_t *out, rc_places_t *places, rc_err_t *err)
{
    const int64_t *n = analysis->chosen;
    rc_cuda_memory_t *m = &s->memory;
    size_t heavy = (size_t)n[RC_RS_NNZ_HEAVY];
    void *to = NULL;
    rc_status_t st;
    RC_TRY(rc_cuda_room(
        m, ((size_t)n[RC_RS_HEAVY_PANELS] + 1) * sizeof *out->panel, &to, err));
    out->panel = to;
    RC_TRY(rc_cuda_room(m, (size_t)n[RC_RS_HEAVY] * sizeof *out->seg_row, &to, err));
    out->seg_row = to;
    RC_TRY(rc_cuda_room(m, ((size_t)n[RC_RS_HEAVY] + 1) * sizeof *out->seg_ptr, &to, err));
    out->seg_ptr = to;
    RC_TRY(rc_cuda_room(m, heavy * (size_t)rc_rs_col_bytes(&s->shape), &out->col, err));
    RC_TRY(keep_values(s, p, (int64_t)heavy, places, err));
    out->entry = places->at;
    out->light_entry = (char *)places->at + heavy * (size_t)places->bytes;
    RC_TRY(rc_cuda_room(
        m, ((size_t)p->schedule->slots + 1) * sizeof *out->light_ptr, &to, err));
    out->light_ptr = to;
    RC_TRY(rc_cuda_room(m, (size_t)s->light * sizeof *out->light_col, &to, err));
    out->light_col = to;
    if (!s->shape.stores)
        goto done;
    RC_TRY(rc_cuda_keep(
        m, NULL, ((size_t)p->schedule->slots + 31) / 32 * sizeof *out->dense, &to, err));
    out->dense = to;
    RC_TRY(rc_cuda_room(m, (size_t)rc_rs_heavy_rows(analysis) * sizeof *out->scaled, &to, err));
    out->scaled = to;
done:
    return st;
}

static rc_status_t build_there(
    rc_cuda_rs_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    const int64_t *n = analysis->chosen;
    rc_build_segments_t b = {.rule = s->shape.rule,
        .panels = (p->a->cols + s->shape.rule.w - 1) / s->shape.rule.w,
        .segments = n[RC_RS_SEGMENTS],
        .heavy = n[RC_RS_HEAVY]};
    rc_rs_parts_t *a = &s->parts;
    rc_build_csr_t c = {.slots = 0};
    rc_places_t places = {0};
    rc_status_t st;
    RC_TRY(room_for_parts(s, p, analysis, &b, &places, err));
    RC_TRY(rc_build_csr_begin(p, &c, err));
    RC_TRY(rc_build_segments(&c, &b, err));
    RC_TRY(rc_places_fill(p, &places, (void *)(uintptr_t)a->val, err));
    RC_TRY(rc_executor_cuda_wait(s->memory.x, err)); /* it is part of the time to prepare */
    a->panel = b.panel;
    a->panels = (int32_t)n[RC_RS_HEAVY_PANELS];
    a->seg_row = b.seg_row;
    a->seg_ptr = b.seg_ptr;
    a->col = b.col;
    a->col_bytes = (int)rc_rs_col_bytes(&s->shape);
    a->light_ptr = b.light_ptr;
    a->light_col = b.light_col;
    a->dense = b.dense;
    s->scaled = b.scaled;
    s->scaled_rows = b.dense ? rc_rs_heavy_rows(analysis) : 0;
done:
    rc_places_free(&places);
    rc_build_csr_end(&c);
    return st;
}

rc_status_t rc_cuda_rs_build(
    rc_cuda_rs_t *s, const rc_problem_t *p, const rc_analysis_t *n, rc_err_t *err)
{
    s->shape = rc_rs_shape(p, n);
    s->precision = p->precision;
    s->nnz = p->a->nnz;
    s->heavy = n->chosen[RC_RS_HEAVY];
    s->light = p->a->nnz - n->chosen[RC_RS_NNZ_HEAVY];
    s->parts = (rc_rs_parts_t){.w = s->shape.rule.w,
        .slots = (int32_t)p->schedule->slots,
        .cols = (int32_t)p->a->cols,
        .ptr_bytes = (int)rc_cuda_rs_pointer_bytes(p)};
    int there = p->resident && p->a->nnz > 0 && s->parts.ptr_bytes == (int)sizeof(int32_t);
    rc_status_t st = there ? build_there(s, p, n, err) : build_here(s, p, err);
    if (st == RC_OK)
        st = keep_rows(s, p, err);
    rc_cuda_memory_seal(&s->memory);
    return st;
}
