#include "config.h"
#include "format/slots.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "format/places.h"

#include <stdlib.h>
#include <string.h>

static void copy_row(const rc_csr_t *a, int64_t from, int64_t n, int64_t to, rc_slots_t *s)
{
    if (n == 0)
        return;
    memcpy(s->col + to, a->col_idx + from, (size_t)n * sizeof *s->col);
    for (int64_t i = 0; s->entry && i < n; i++)
        rc_place_put(s->entry, rc_places_bytes(a), to + i, from + i);
}

/* Otherwise slot p is row p. */
int rc_slots_named(const rc_problem_t *p)
{
    return !p->identity && p->c_order == RC_C_ORIGINAL;
}

static int64_t held_rows(const rc_schedule_t *s)
{
    int64_t held = 0;
    if (!s->row)
        return s->slots;
    for (int64_t p = 0; p < s->slots; p++)
        held += s->row[p] >= 0;
    return held;
}

int64_t rc_slots_absents(const rc_problem_t *p)
{
    return rc_slots_named(p) ? p->a->rows - held_rows(p->schedule) : 0;
}

rc_status_t rc_slots_list_absent(const rc_problem_t *p, int32_t **out, rc_err_t *err)
{
    const rc_schedule_t *schedule = p->schedule;
    size_t absents = (size_t)rc_slots_absents(p);
    int64_t n = 0;
    *out = NULL;
    if (absents == 0)
        return RC_OK;
    unsigned char *held = rc_alloc0((size_t)p->a->rows, 1, "the rows of the schedule", err);
    RC_PASS(held ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < schedule->slots; i++)
        if (schedule->row[i] >= 0)
            held[schedule->row[i]] = 1;
    *out = rc_alloc(absents, sizeof **out, "rows without a slot", err);
    for (int64_t r = 0; *out && r < p->a->rows; r++)
        if (!held[r])
            (*out)[n++] = (int32_t)r;
    free(held);
    return *out ? RC_OK : RC_ENOMEM;
}

static rc_status_t alloc_arrays(const rc_problem_t *p, rc_slots_t *s, rc_err_t *err)
{
    size_t nnz = (size_t)p->a->nnz;
    s->ptr = rc_alloc_aligned((size_t)s->slots + 1, sizeof *s->ptr, "slot pointers", err);
    s->col = rc_alloc_aligned(nnz, sizeof *s->col, "columns in slot order", err);
    if (!p->identity)
        s->entry =
            rc_alloc_aligned(nnz, (size_t)rc_places_bytes(p->a), "places in slot order", err);
    if (rc_slots_named(p))
        s->row = rc_alloc_aligned((size_t)s->slots, sizeof *s->row, "rows of the slots", err);
    return s->ptr && s->col && (s->entry || p->identity) && (s->row || !rc_slots_named(p))
               ? RC_OK
               : RC_ENOMEM;
}

rc_status_t rc_slots_arrange(
    const rc_executor_t *x, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err)
{
    const rc_csr_t *a = p->a;
    const int32_t *row = p->schedule->row;
    int64_t slots = p->schedule->slots;
    rc_slots_t s = {
        .slots = slots, .cols = a->cols, .threads = x->threads, .absents = rc_slots_absents(p)};
    if (alloc_arrays(p, &s, err) < 0 || rc_slots_list_absent(p, &s.absent, err) < 0) {
        rc_slots_free(&s);
        return RC_ENOMEM;
    }
    s.ptr[0] = 0;
    for (int64_t i = 0; i < slots; i++) {
        int64_t r = row[i];
        s.ptr[i + 1] = s.ptr[i] + (r < 0 ? 0 : a->row_ptr[r + 1] - a->row_ptr[r]);
    }
    if (s.row && slots)
        memcpy(s.row, row, (size_t)slots * sizeof *s.row);
    enum { chunk = 256 }; /* rows: small enough to balance, large enough to hide the hand-out */
#pragma omp parallel for num_threads(x->threads) schedule(dynamic, chunk)
    for (int64_t i = 0; i < slots; i++)
        if (row[i] >= 0)
            copy_row(a, a->row_ptr[row[i]], s.ptr[i + 1] - s.ptr[i], s.ptr[i], &s);
    *out = s;
    return RC_OK;
}

rc_status_t rc_slots_number(const rc_problem_t *p, rc_slots_t *s, rc_err_t *err)
{
    int bytes = rc_places_bytes(p->a);
    if (s->entry)
        return RC_OK;
    s->entry = rc_alloc_aligned((size_t)p->a->nnz, (size_t)bytes, "places in slot order", err);
    for (int64_t i = 0; s->entry && i < p->a->nnz; i++)
        rc_place_put(s->entry, bytes, i, i);
    return s->entry ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_slots_fill(rc_executor_t *x, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err)
{
    rc_places_t places = {0};
    rc_slots_t s;
    rc_status_t st;
    RC_PASS(rc_slots_arrange(x, p, &s, err));
    s.value_bytes = rc_precision_bytes(p->precision);
    s.val = rc_alloc_aligned((size_t)p->a->nnz, s.value_bytes, "values in slot order", err);
    RC_TRY(s.val ? RC_OK : RC_ENOMEM);
    if (s.entry)
        RC_TRY(rc_places_keep(x, p, s.entry, p->a->nnz, &places, err));
    else
        places = rc_places_own(x, p);
    RC_TRY(rc_places_fill(p, &places, s.val, err));
    free(s.entry);
    s.entry = NULL;
    *out = s;
done:
    if (st < 0)
        rc_slots_free(&s);
    return st;
}

rc_status_t rc_slots_keep(rc_memory_t *m, rc_slots_t *s, rc_err_t *err)
{
    const size_t slots = (size_t)s->slots;
    const size_t nnz = s->ptr ? (size_t)s->ptr[s->slots] : 0;
    void *const part[] = {s->ptr, s->col, s->val, s->row, s->absent};
    const size_t bytes[] = {(slots + 1) * sizeof *s->ptr, nnz * sizeof *s->col,
        nnz * s->value_bytes, slots * sizeof *s->row, (size_t)s->absents * sizeof *s->absent};
    rc_status_t st = RC_OK;
    free(s->entry);
    s->entry = NULL;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        if (st < 0 || (st = rc_memory_take(m, part[i], bytes[i], err)) < 0)
            free(part[i]);
    return st;
}

rc_status_t rc_slots_build(rc_memory_t *m, const rc_problem_t *p, rc_slots_t *out, rc_err_t *err)
{
    RC_PASS(rc_slots_fill(m->x, p, out, err));
    return rc_slots_keep(m, out, err);
}

void rc_slots_free(rc_slots_t *s)
{
    rc_slots_drop_entries(s);
    free(s->row);
    free(s->absent);
    *s = (rc_slots_t){0};
}

void rc_slots_drop_entries(rc_slots_t *s)
{
    free(s->ptr);
    free(s->col);
    free(s->entry);
    free(s->val);
    s->ptr = NULL;
    s->col = NULL;
    s->entry = NULL;
    s->val = NULL;
}

rc_csr_view_t rc_slots_pattern(const rc_slots_t *s)
{
    return (rc_csr_view_t){.rows = s->slots, .nnz = s->ptr[s->slots], .ptr = s->ptr, .col = s->col};
}

rc_csr_view_t rc_slots_view(const rc_slots_t *s, const rc_problem_t *p)
{
    rc_csr_view_t view = rc_slots_pattern(s);
    view.entry = s->entry;
    view.entry_bytes = rc_places_bytes(p->a);
    view.precision = p->precision;
    return view;
}

rc_segments_source_t rc_slots_source(const rc_slots_t *s, const rc_problem_t *p)
{
    return (rc_segments_source_t){.rows = s->slots,
        .cols = s->cols,
        .ptr = s->ptr,
        .col = s->col,
        .val = s->val ? s->val : s->entry,
        .value_bytes = s->val ? (int)s->value_bytes : rc_places_bytes(p->a)};
}

/* ------------------------------------------------------------------- run */

/* First slot whose share of the work, its entries and a constant per row, is at least `want`. */
static int64_t cut_at(const rc_slots_t *s, int64_t row_cost, double want)
{
    int64_t low = 0;
    int64_t high = s->slots;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if ((double)s->ptr[mid] + (double)(mid * row_cost) < want)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void rc_slots_cut(const rc_slots_t *s, int64_t row_cost, int parts, int64_t *cut)
{
    double work = (double)s->ptr[s->slots] + (double)(s->slots * row_cost);
    for (int t = 0; t < parts; t++)
        cut[t] = cut_at(s, row_cost, work * t / parts);
    cut[parts] = s->slots;
}

rc_cpu_run_t rc_cpu_run_of(const rc_operands_t *o, double alpha, double beta)
{
    return (rc_cpu_run_t){.b = o->in[0].data,
        .c = rc_out_of(o),
        .ldb = o->in[0].ld,
        .ldc = o->out.ld,
        .k = o->out.cols,
        .alpha = {alpha, o->alpha_im},
        .beta = {beta, o->beta_im}};
}

/* Value `at` times a factor, whose parts are rounded to the type of sums; 0 does not read it. */
static void scale(const rc_type_t *type, void *c, int64_t at, const double factor[2])
{
    const rc_type_t *part = rc_type(type->part);
    const int64_t first = at * type->parts;
    const int reads = factor[0] != 0 || factor[1] != 0;
    const double re = reads ? part->load(c, first) : 0;
    const double im = reads && type->parts > 1 ? part->load(c, first + 1) : 0;
    const int real = factor[1] == 0;
    part->store(c, first, real ? factor[0] * re : factor[0] * re - factor[1] * im);
    if (type->parts > 1)
        part->store(c, first + 1, real ? factor[0] * im : factor[0] * im + factor[1] * re);
}

/* Line i of the absent rows: of row-major values a row, else what they have in a column. */
static void scale_line(const rc_slots_t *s, const rc_dense_t *c, int64_t i, const double factor[2])
{
    const rc_type_t *type = rc_type(c->precision);
    const size_t bytes = (size_t)type->bytes;
    const int is_zero = factor[0] == 0 && factor[1] == 0;
    unsigned char *to = c->data;
    if (is_zero && c->layout == RC_ROW_MAJOR)
        memset(to + (size_t)(s->absent[i] * c->ld) * bytes, 0, (size_t)c->cols * bytes);
    else if (is_zero)
        for (int64_t k = 0; k < s->absents; k++)
            memset(to + (size_t)(i * c->ld + s->absent[k]) * bytes, 0, bytes);
    else if (c->layout == RC_ROW_MAJOR)
        for (int64_t k = 0; k < c->cols; k++)
            scale(type, c->data, s->absent[i] * c->ld + k, factor);
    else
        for (int64_t k = 0; k < s->absents; k++)
            scale(type, c->data, i * c->ld + s->absent[k], factor);
}

void rc_slots_scale_absent(const rc_slots_t *s, const rc_dense_t *c, const double beta[2])
{
    enum { alone = 1 << 14 };
    int64_t lines = c->layout == RC_ROW_MAJOR ? s->absents : c->cols;
    int64_t length = c->layout == RC_ROW_MAJOR ? c->cols : s->absents;
    const rc_type_t *sum = rc_type(rc_type(c->precision)->sum);
    const double factor[2] = {sum->round(beta[0]), sum->round(beta[1])}; /* as in kernels */
#pragma omp parallel for num_threads(s->threads) schedule(static) if (lines * length > alone)
    for (int64_t i = 0; i < lines; i++)
        scale_line(s, c, i, factor);
}

/* --------------------------------------------------------------- analysis */

int64_t rc_slots_row_bytes(const rc_problem_t *p)
{
    return rc_slots_named(p) ? p->schedule->slots * (int64_t)sizeof(int32_t) : 0;
}

int64_t rc_slots_absent_bytes(const rc_problem_t *p)
{
    return rc_slots_absents(p) * (int64_t)sizeof(int32_t);
}

/* Of the arrays but for the absent rows; INT64_MAX when that overflows. */
static int64_t bytes_of(const rc_problem_t *p)
{
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    int64_t bytes = rc_sat_mul(p->a->nnz, entry);
    bytes = rc_sat_add(bytes, (p->schedule->slots + 1) * (int64_t)sizeof(int64_t));
    return rc_sat_add(bytes, rc_slots_row_bytes(p));
}

int64_t rc_stored_rows(const rc_problem_t *p)
{
    return p->c_order == RC_C_ORIGINAL ? p->c_rows : held_rows(p->schedule);
}

rc_status_t rc_slots_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    (void)err;
    out->traffic = bytes_of(p);
    out->bytes = rc_sat_add(out->traffic, rc_slots_absent_bytes(p));
    out->stored_rows = rc_stored_rows(p);
    return RC_OK;
}

rc_geometry_t rc_cpu_geometry(
    const rc_executor_t *x, const int64_t *param, rc_precision_t precision)
{
    (void)param;
    int bytes = (int)rc_precision_bytes(precision);
    int lanes = x->lanes32 * (int)sizeof(float) / rc_type(rc_type(precision)->sum)->bytes;
    int line = x->line_bytes / bytes;
    return (rc_geometry_t){x->threads, lanes > 1 ? lanes : 1, line > 1 ? line : 1};
}
