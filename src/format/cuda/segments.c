/* The split of a matrix in the memory of a state: made on the device where the matrix is there. */
#include "config.h"
#include "format/cuda/segments.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/cuda/slots.h"
#include "format/slots.h"

#include <stdlib.h>

/* What is on the host while a matrix is split there; zeroed where it is split on the device. */
typedef struct host {
    rc_segments_t parts; /* of places */
    rc_rs_panel_t *panel;
    uint32_t *dense;
    int32_t *scaled;
} host_t;

static void host_free(host_t *h)
{
    rc_segments_free(&h->parts);
    free(h->panel);
    free(h->dense);
    free(h->scaled);
}

/* The panels with heavy segments, and the end. */
static rc_status_t list_panels(host_t *h, rc_err_t *err)
{
    const rc_segments_t *from = &h->parts;
    int64_t n = 0;
    RC_PASS(RC_NEW(h->panel, (size_t)from->size.heavy_panels + 1, "panels", err));
    for (int64_t p = 0; p < from->size.panels; p++)
        if (from->panel_ptr[p] < from->panel_ptr[p + 1])
            h->panel[n++] = (rc_rs_panel_t){(int32_t)p, (int32_t)from->panel_ptr[p]};
    h->panel[n] = (rc_rs_panel_t){(int32_t)from->size.panels, (int32_t)from->size.heavy};
    return RC_OK;
}

/* The slots with heavy segments, as bits, and the rows of the output that they are. */
static rc_status_t list_dense(host_t *h, const rc_problem_t *p, rc_err_t *err)
{
    static const char what[] = "rows with heavy segments";
    const rc_segments_t *from = &h->parts;
    const int32_t *row = rc_slots_named(p) ? p->schedule->row : NULL;
    int64_t n = 0;
    h->dense = rc_alloc0(((size_t)from->size.rows + 31) / 32, sizeof *h->dense, what, err);
    h->scaled = rc_alloc((size_t)from->size.heavy_rows, sizeof *h->scaled, what, err);
    RC_PASS(h->dense && h->scaled ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < from->size.heavy; i++)
        h->dense[from->row[i] / 32] |= 1u << from->row[i] % 32;
    for (int64_t i = 0; i < from->size.rows; i++)
        if (h->dense[i / 32] >> i % 32 & 1u)
            h->scaled[n++] = row ? row[i] : (int32_t)i;
    return RC_OK;
}

static rc_status_t split_here(rc_keeping_t *k, const rc_segments_rule_t *rule, int dense, host_t *h)
{
    const rc_problem_t *p = k->p;
    const int threads = k->m->x->threads;
    rc_slots_t slots = {0};
    rc_status_t st;
    RC_TRY(rc_slots_arrange(k->m->x, p, &slots, k->err));
    RC_TRY(rc_slots_number(p, &slots, k->err));
    const rc_segments_source_t source = rc_slots_source(&slots, p);
    RC_TRY(rc_segments_split(&source, rule, threads, &h->parts, k->err));
    RC_TRY(list_panels(h, k->err));
    if (dense)
        RC_TRY(list_dense(h, p, k->err));
done:
    rc_slots_free(&slots);
    return st;
}

/* Copies of what the host has, or room.  Pointers of the host are narrowed. */
static void keep(
    rc_keeping_t *k, const rc_segments_size_t *n, int dense, host_t *h, rc_build_segments_t *out)
{
    const rc_problem_t *p = k->p;
    rc_segments_t *from = &h->parts;
    const size_t value = (size_t)rc_places_bytes(p->a);
    const size_t light = (size_t)(p->a->nnz - n->nnz_heavy);
    const size_t heavy = (size_t)n->nnz_heavy;
    const int64_t slots = p->schedule->slots;
    const int pointer = rc_cuda_slots_wide(p) ? (int)sizeof(int64_t) : (int)sizeof(int32_t);
    const size_t index = n->rule.w <= RC_SEGMENTS_NARROW ? sizeof(uint16_t) : sizeof(int32_t);
    out->panel = rc_keep_array(k, h->panel, (size_t)n->heavy_panels + 1, sizeof *out->panel);
    out->seg_row = rc_keep_array(k, from->row, (size_t)n->heavy, sizeof *out->seg_row);
    out->seg_ptr = rc_keep_pointers(k, from->ptr, n->heavy + 1, pointer);
    out->col = rc_keep_array(k, from->col, heavy, index);
    out->entry = rc_keep_values(k, NULL, p->a->nnz);
    out->light_entry = out->entry ? (char *)out->entry + heavy * value : NULL;
    out->light_ptr = rc_keep_pointers(k, from->light_ptr, slots + 1, pointer);
    out->light_col = rc_keep_array(k, from->light_col, light, sizeof *out->light_col);
    if (!dense)
        return;
    out->dense = rc_keep_zeros(k, h->dense, ((size_t)slots + 31) / 32, sizeof *out->dense);
    out->scaled = rc_keep_array(k, h->scaled, (size_t)n->heavy_rows, sizeof *out->scaled);
}

static rc_status_t put_places(rc_keeping_t *k, const rc_segments_t *from)
{
    const rc_segments_size_t *n = &from->size;
    RC_PASS(rc_places_put(&k->places, 0, from->val, n->nnz_heavy, k->err));
    return rc_places_put(&k->places, n->nnz_heavy, from->light_val, n->nnz_light, k->err);
}

static rc_status_t split_there(rc_keeping_t *k, const rc_build_segments_t *out)
{
    rc_build_csr_t c = {.slots = 0};
    rc_status_t st = rc_build_csr_begin(k->p, &c, k->err);
    if (st == RC_OK)
        st = rc_build_segments(&c, out, k->err);
    rc_build_csr_end(&c);
    return st;
}

rc_status_t rc_cuda_segments_keep(
    rc_keeping_t *k, const rc_segments_size_t *n, int dense, rc_build_segments_t *out)
{
    const rc_problem_t *p = k->p;
    int there = p->resident && p->a->nnz > 0 && !rc_cuda_slots_wide(p);
    host_t h = {.panel = NULL};
    *out = (rc_build_segments_t){.rule = n->rule,
        .panels = (p->a->cols + n->rule.w - 1) / n->rule.w,
        .segments = n->segments,
        .heavy = n->heavy};
    if (!there)
        k->st = split_here(k, &n->rule, dense, &h);
    keep(k, n, dense, &h, out);
    if (k->st == RC_OK)
        k->st = there ? split_there(k, out) : put_places(k, &h.parts);
    (void)rc_keep_end(k);
    host_free(&h);
    return k->st;
}
