/* Where the pattern of a plan's matrix is: in memory of the executor, where it was read there, and
 * on the host once something asks for it there.
 *
 * While a plan is made its arrays may be the caller's.  What later calls need of it, the plan keeps
 * in that memory, where its own share of it allows that, else on the host. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/plan_private.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- bytes */

static size_t pointer_bytes(const rc_plan_t *plan)
{
    return ((size_t)plan->a.rows + 1) * (size_t)plan->pattern->there.m.row_ptr_bytes;
}

static size_t column_bytes(const rc_plan_t *plan)
{
    return (size_t)plan->a.nnz * sizeof *plan->a.col_idx;
}

static size_t place_bytes(const rc_plan_t *plan)
{
    const rc_there_t *t = &plan->pattern->there;
    return t->from ? (size_t)plan->a.nnz * (size_t)t->from_bytes : 0;
}

/* Where the plan has an array as its own that is no piece of its memory yet; NULL: nowhere. */
static void **own_of(rc_plan_pattern_t *p, const void *array)
{
    for (size_t i = 0; array && i < sizeof p->raw / sizeof *p->raw; i++)
        if (p->raw[i] == array)
            return &p->raw[i];
    for (size_t i = 0; array && i < sizeof p->there.m.owned / sizeof *p->there.m.owned; i++)
        if (p->there.m.owned[i] == array)
            return &p->there.m.owned[i];
    return NULL;
}

int64_t rc_plan_pattern_bytes(const rc_plan_t *plan)
{
    rc_plan_pattern_t *p = plan->pattern;
    const rc_there_t *t = &p->there;
    size_t bytes = (size_t)rc_memory_bytes(&p->kept);
    bytes += own_of(p, t->m.row_ptr) ? pointer_bytes(plan) : 0;
    bytes += own_of(p, t->m.col_idx) ? column_bytes(plan) : 0;
    bytes += own_of(p, t->from) ? place_bytes(plan) : 0;
    return (int64_t)bytes;
}

const rc_resident_t *rc_plan_pattern_there(const rc_plan_t *plan)
{
    return plan->pattern->there.m.row_ptr ? &plan->pattern->there.m : NULL;
}

int rc_plan_is_moved(const rc_plan_t *plan)
{
    return plan->from || plan->pattern->there.from;
}

/* -------------------------------------------------------------------- reading */

static void release_raw(rc_plan_t *plan)
{
    rc_plan_pattern_t *p = plan->pattern;
    for (size_t i = 0; i < sizeof p->raw / sizeof *p->raw; i++) {
        plan->place.x->release(plan->place.x, p->raw[i]);
        p->raw[i] = NULL;
    }
}

static rc_status_t upload_one(
    rc_executor_t *x, const void *from, size_t bytes, void **to, rc_err_t *err)
{
    RC_PASS(x->alloc(x, bytes, to, err));
    return bytes > 0 ? x->upload(x, *to, from, bytes, err) : RC_OK;
}

/* The last pointer is read before the arrays that it ends: what is not there cannot be copied. */
static rc_status_t check_end(const rc_plan_matrix_t *m, rc_err_t *err)
{
    const int64_t last = rc_given_majors(m);
    if (m->form == RC_PLAN_COO)
        return RC_OK;
    const int64_t p = rc_place_at(m->row_ptr, m->row_ptr_bytes, last);
    const int64_t before = last > 0 ? rc_place_at(m->row_ptr, m->row_ptr_bytes, last - 1) : 0;
    return p == m->nnz ? RC_OK : rc_given_no_pointer(m, last, before, p, err);
}

/* The arrays of a matrix of the host in memory of the executor.  \param[in,out] m  becomes the
 * matrix there */
static rc_status_t upload(rc_plan_t *plan, rc_plan_matrix_t *m, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    rc_plan_pattern_t *p = plan->pattern;
    RC_PASS(rc_given_check(m, err));
    RC_PASS(check_end(m, err));
    const size_t nnz = (size_t)m->nnz;
    const size_t pointers = m->form == RC_PLAN_COO ? nnz : (size_t)rc_given_majors(m) + 1;
    plan->values.x = x;
    RC_PASS(upload_one(x, m->row_ptr, pointers * (size_t)m->row_ptr_bytes, &p->raw[0], err));
    RC_PASS(upload_one(x, m->col_idx, nnz * (size_t)rc_given_col_bytes(m), &p->raw[1], err));
    RC_PASS(
        upload_one(x, m->val, nnz * rc_precision_bytes(m->precision), &plan->values.there, err));
    m->row_ptr = p->raw[0];
    m->col_idx = p->raw[1];
    m->val = plan->values.there;
    m->on_device = 1;
    return RC_OK;
}

/* A matrix of the host goes there where it takes a small part of the memory that the plan may. */
static int may_go(const rc_plan_t *plan, const rc_plan_matrix_t *m)
{
    const rc_csr_t a = {.rows = m->rows, .cols = m->cols, .nnz = m->nnz};
    return m->on_device || plan->memory == 0 ||
           rc_resident_bytes(&a, m->precision) <= plan->memory / RC_PLAN_RESIDENT_PART;
}

static rc_status_t read_there(rc_plan_t *plan, const rc_plan_matrix_t *of, rc_err_t *err)
{
    rc_plan_matrix_t m = *of;
    rc_plan_pattern_t *p = plan->pattern;
    if (!plan->place.read || m.rows < 0 || m.nnz < 0 || !may_go(plan, of))
        return RC_ENOTSUP;
    int64_t start = rc_clock_ns();
    if (!m.on_device) {
        RC_PASS(upload(plan, &m, err));
        p->ns = (double)(rc_clock_ns() - start);
    }
    rc_status_t st = plan->place.read(plan->place.x, &m, &p->there, err);
    if (st < 0)
        return st;
    p->there.m.val = NULL; /* values.c knows them */
    for (size_t i = 0; i < sizeof p->raw / sizeof *p->raw; i++)
        if (p->raw[i] && p->raw[i] != p->there.m.row_ptr && p->raw[i] != p->there.m.col_idx) {
            plan->place.x->release(plan->place.x, p->raw[i]);
            p->raw[i] = NULL;
        }
    return RC_OK;
}

rc_status_t rc_plan_pattern_read(rc_plan_t *plan, const rc_plan_matrix_t *m, rc_err_t *err)
{
    rc_err_t why = {0};
    plan->a = (rc_csr_t){.rows = m->rows, .cols = m->cols, .nnz = m->nnz};
    rc_status_t st = read_there(plan, m, &why);
    plan->facts = (rc_plan_facts_t){
        .longest = plan->pattern->there.longest, .empty_rows = plan->pattern->there.empty_rows};
    if (st == RC_OK)
        return RC_OK;
    rc_plan_pattern_leave(plan);
    rc_plan_values_leave(plan);
    if (st != RC_ENOTSUP && st != RC_ENOMEM)
        return rc_fail(err, st, "%s", why.text);
    RC_PASS(rc_plan_matrix_read(&plan->place, m, &plan->a, &plan->from, err));
    plan->facts = rc_plan_facts_of(&plan->a);
    return RC_OK;
}

/* ----------------------------------------------------------------- on the host */

/* \param[out] out  [rows + 1] */
static rc_status_t fetch_pointers(const rc_plan_t *plan, int64_t *out, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    const rc_resident_t *m = &plan->pattern->there.m;
    const size_t bytes = pointer_bytes(plan);
    if (m->row_ptr_bytes == (int)sizeof *out)
        return x->download(x, out, m->row_ptr, bytes, err);
    int32_t *narrow = rc_alloc(1, bytes, "row pointers", err);
    rc_status_t st = narrow ? x->download(x, narrow, m->row_ptr, bytes, err) : RC_ENOMEM;
    for (int64_t r = 0; st == RC_OK && r <= plan->a.rows; r++)
        out[r] = narrow[r];
    free(narrow);
    return st;
}

/* \param[out] out  [nnz] free(), after an error too */
static rc_status_t fetch_places(const rc_plan_t *plan, int64_t **out, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    const rc_there_t *t = &plan->pattern->there;
    RC_PASS(RC_NEW(*out, plan->a.nnz, "the order of the entries", err));
    void *place = rc_alloc(1, place_bytes(plan), "the order of the entries", err);
    rc_status_t st = place ? x->download(x, place, t->from, place_bytes(plan), err) : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < plan->a.nnz; i++)
        (*out)[i] = rc_place_at(place, t->from_bytes, i) - 1;
    free(place);
    return st;
}

rc_status_t rc_plan_pattern_copy(
    const rc_plan_t *plan, rc_csr_t *out, int64_t **from, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    const rc_resident_t *m = &plan->pattern->there.m;
    const rc_csr_t *a = &plan->a;
    rc_status_t st;
    *from = NULL;
    RC_TRY(rc_plan_matrix_alloc(a->rows, a->cols, a->nnz, out, err));
    RC_TRY(fetch_pointers(plan, out->row_ptr, err));
    if (a->nnz > 0)
        RC_TRY(x->download(x, out->col_idx, m->col_idx, column_bytes(plan), err));
    if (plan->pattern->there.from)
        RC_TRY(fetch_places(plan, from, err));
done:
    if (st < 0) {
        rc_csr_free(out);
        free(*from);
        *from = NULL;
    }
    return st;
}

rc_status_t rc_plan_pattern_here(rc_plan_t *plan, rc_err_t *err)
{
    rc_csr_t a = {0};
    int64_t *from = NULL;
    if (plan->a.row_ptr)
        return RC_OK;
    RC_PASS(rc_plan_pattern_copy(plan, &a, &from, err));
    plan->a = a;
    plan->from = from;
    return RC_OK;
}

/* ------------------------------------------------------------- after it is made */

void rc_plan_pattern_leave(rc_plan_t *plan)
{
    rc_plan_pattern_t *p = plan->pattern;
    release_raw(plan);
    rc_there_free(&p->there);
    if (p->kept.pieces > 0)
        (void)rc_memory_free(&p->kept);
    p->ns = 0;
}

/* A piece of the plan's own memory with what an array has. */
static rc_status_t keep(rc_plan_t *plan, const void **array, size_t bytes, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    rc_plan_pattern_t *p = plan->pattern;
    void **own = own_of(p, *array);
    void *to = own ? *own : NULL;
    if (own) {
        *own = NULL;
        return rc_memory_take(&p->kept, to, bytes, err);
    }
    if (bytes == 0)
        return RC_OK;
    RC_PASS(rc_memory_room(&p->kept, bytes, &to, err));
    RC_PASS(x->move(x, to, *array, bytes, err));
    *array = to;
    return RC_OK;
}

static rc_status_t keep_all(rc_plan_t *plan, rc_err_t *err)
{
    rc_there_t *t = &plan->pattern->there;
    const void *col = t->m.col_idx;
    plan->pattern->kept.x = plan->place.x;
    RC_PASS(keep(plan, &t->m.row_ptr, pointer_bytes(plan), err));
    rc_status_t st = keep(plan, &col, column_bytes(plan), err);
    t->m.col_idx = col;
    return st == RC_OK && t->from ? keep(plan, &t->from, place_bytes(plan), err) : st;
}

/* 1: beside what is prepared there is memory for it. */
static int fits(const rc_plan_t *plan)
{
    size_t bytes = pointer_bytes(plan) + column_bytes(plan) + place_bytes(plan);
    int64_t all = (int64_t)bytes;
    for (int i = 0; i < plan->entries; i++) {
        const rc_plan_entry_t *e = &plan->entry[i];
        all = rc_sat_add(all, e->candidate[e->part.chosen].bytes);
    }
    return plan->memory == 0 || all <= plan->memory;
}

rc_status_t rc_plan_pattern_settle(rc_plan_t *plan, rc_err_t *err)
{
    rc_plan_pattern_t *p = plan->pattern;
    rc_err_t why = {0};
    if (!p->there.m.row_ptr || p->kept.pieces > 0)
        return RC_OK;
    rc_status_t st = !plan->a.row_ptr && fits(plan) ? keep_all(plan, &why) : RC_ENOMEM;
    if (st == RC_OK) {
        rc_resident_t rest = p->there.m; /* what is its own still goes */
        rc_resident_free(&rest);
        memset(p->there.m.owned, 0, sizeof p->there.m.owned);
        release_raw(plan);
        rc_memory_seal(&p->kept);
        return RC_OK;
    }
    if (st != RC_ENOMEM)
        return rc_fail(err, st, "%s", why.text);
    RC_PASS(rc_plan_pattern_here(plan, err));
    rc_plan_pattern_leave(plan);
    return RC_OK;
}

/* -------------------------------------------------------------------- copies */

static rc_status_t copy_here(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err)
{
    const rc_csr_t *a = &plan->a;
    const size_t nnz = (size_t)a->nnz;
    RC_PASS(rc_plan_matrix_alloc(a->rows, a->cols, a->nnz, &to->a, err));
    if (plan->from)
        RC_PASS(RC_NEW(to->from, nnz, "the order of the entries", err));
    memcpy(to->a.row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    if (nnz > 0)
        memcpy(to->a.col_idx, a->col_idx, nnz * sizeof *a->col_idx);
    if (plan->from && nnz > 0)
        memcpy(to->from, plan->from, nnz * sizeof *plan->from);
    return RC_OK;
}

rc_status_t rc_plan_pattern_clone(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err)
{
    rc_plan_pattern_t *p = plan->pattern;
    if (!p->there.m.row_ptr)
        return copy_here(plan, to, err);
    to->a = (rc_csr_t){.rows = plan->a.rows, .cols = plan->a.cols, .nnz = plan->a.nnz};
    RC_PASS(rc_memory_share(&p->kept, to->place.x, &to->pattern->kept, err));
    to->pattern->there = p->there;
    to->pattern->there.m.x = to->place.x;
    return RC_OK;
}
