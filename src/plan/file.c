/* Plans in files: the choices and the orders, as JSON. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/replace.h"
#include "base/type.h"
#include "model/member.h"
#include "plan/plan_private.h"
#include "sparse/csr.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_FORMAT "rowcast-plan"
#define TRANSPOSE "transpose" /* what multiplies by A' */
#define CONJUGATED "conjugated"
#define LOAD "load" /* rc_plan_company, of when it was timed */
enum { PLAN_VERSION = 1, GEOMETRY = 3 };

/* --------------------------------------------------------------------- save */

/* NULL where something of it failed.  Jansson takes NULL for what there was no memory for. */
static json_t *json_or_none(json_t *json, int failed)
{
    if (failed)
        json_decref(json);
    return failed ? NULL : json;
}

/* The rows of an order; the original one has none. */
static json_t *order_json(const rc_plan_order_t *o)
{
    json_t *rows = o->identity ? json_null() : json_array();
    int failed = 0;
    for (int64_t p = 0; !o->identity && p < o->schedule.slots; p++)
        failed |= json_array_append_new(rows, json_integer(o->schedule.row[p]));
    json_t *order = json_pack("{s:s, s:[i,i,i], s:o}", "order", o->text, "geometry",
        (int)o->geometry.nw, (int)o->geometry.nt, (int)o->geometry.line, "rows", rows);
    return json_or_none(order, failed);
}

/* 1: a part runs it; the others were only tried. */
static int is_used(const rc_plan_t *plan, int order)
{
    for (int i = 0; i < plan->entries; i++)
        if (plan->entry[i].trial.order == order)
            return 1;
    return 0;
}

/* \param[in] uncertain  1: so it is told of its times */
static json_t *part_json(const rc_plan_t *plan, int index, int uncertain)
{
    const rc_plan_entry_t *e = &plan->entry[index];
    const rc_plan_candidate_t *c = &e->candidate[e->part.chosen];
    const double error = rc_plan_time_err(plan, index, e->part.chosen);
    json_t *time = isnan(c->time_ns) ? json_null() : json_real(c->time_ns);
    json_t *part =
        json_pack("{s:I, s:s, s:i, s:s, s:o}", "k", (json_int_t)e->part.k, "kernel", c->kernel,
            "kernel_version", e->trial.spec.kernel->version, "order", c->order, "time_ns", time);
    int failed = 0;
    if (!isnan(c->time_ns) && isfinite(error))
        failed |= json_object_set_new(part, "error", json_real(error));
    if (uncertain)
        failed |= json_object_set_new(part, "uncertain", json_true());
    return json_or_none(part, failed);
}

/* The pattern is digested only here: that takes longer than to make most plans. */
static rc_status_t pattern_hex(const rc_plan_t *plan, char *hex, rc_err_t *err)
{
    rc_digest_t pattern;
    rc_csr_t there = {0}; /* a copy of one that the host has not */
    int64_t *from = NULL;
    if (!plan->a.row_ptr)
        RC_PASS(rc_plan_pattern_copy(plan, &there, &from, err));
    rc_status_t st = rc_plan_pattern(plan->a.row_ptr ? &plan->a : &there, &pattern, err);
    rc_csr_free(&there);
    free(from);
    RC_PASS(st);
    memcpy(hex, rc_digest_hex(pattern).text, RC_DIGEST_HEX + 1);
    return RC_OK;
}

/* Type of the output. */
static const char *out_of(const rc_plan_t *plan)
{
    return rc_precision_name(rc_type_out(plan->precision, plan->out_sums));
}

/* \param[in] hex    digest of the pattern
 * \param[in] parts  taken over */
static json_t *plan_json(const rc_plan_t *plan, const char *hex, json_t *parts)
{
    json_t *orders = json_array();
    int failed = 0;
    for (int i = 0; i < plan->orders; i++)
        if (is_used(plan, i))
            failed |= json_array_append_new(orders, order_json(plan->order[i]));
    json_t *root = json_pack(
        "{s:s, s:i, s:s*, s:s, s:s, s:s*, s:s*, s:s, s:s*, s:{s:I, s:I, s:I, s:s}, s:o, s:o}",
        "format", PLAN_FORMAT, "version", (int)PLAN_VERSION, "device",
        plan->device_class[0] ? plan->device_class : NULL, "operation", rc_op_name(plan->op),
        "precision", rc_precision_name(plan->precision), "output",
        plan->out_sums ? out_of(plan) : NULL, "values", plan->conjugates ? CONJUGATED : NULL,
        "layout", rc_layout_name(plan->layout), LOAD, plan->company[0] ? plan->company : NULL,
        "matrix", "rows", (json_int_t)plan->a.rows, "cols", (json_int_t)plan->a.cols, "nnz",
        (json_int_t)plan->a.nnz, "pattern", hex, "orders", orders, "parts", parts);
    return json_or_none(root, failed);
}

/* \param[out] out  json_decref() */
static rc_status_t parts_json(const rc_plan_t *plan, json_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int uncertain = 0;
    int failed = 0;
    *out = json_array();
    for (int i = 0; st == RC_OK && i < plan->entries; i++) {
        st = rc_plan_is_uncertain(plan, i, &uncertain, err);
        if (st == RC_OK)
            failed |= json_array_append_new(*out, part_json(plan, i, uncertain));
    }
    if (st == RC_OK && failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for the file of a plan");
    if (st < 0)
        json_decref(*out);
    return st;
}

static rc_status_t write_json(json_t *root, const char *path, rc_err_t *err)
{
    rc_replace_t r = {0};
    RC_PASS(rc_replace_begin(path, &r, err));
    int ok = json_dumpf(root, r.file, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0 &&
             fputc('\n', r.file) != EOF;
    rc_status_t st = rc_replace_end(&r, ok, err);
    return ok ? st : rc_fail(err, RC_EIO, "%s: cannot be written", path);
}

/* Of one product.  \param[out] out  json_decref() */
static rc_status_t one_json(const rc_plan_t *plan, json_t **out, rc_err_t *err)
{
    char hex[RC_DIGEST_HEX + 1];
    RC_PASS(pattern_hex(plan, hex, err));
    for (int i = 0; i < plan->orders; i++)
        if (is_used(plan, i) && !plan->order[i]->identity)
            RC_PASS(rc_plan_order_here(plan->order[i], err));
    json_t *parts;
    RC_PASS(parts_json(plan, &parts, err));
    *out = plan_json(plan, hex, parts);
    return *out ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the file of a plan");
}

/* A plan of both products has the other one in it, or null where it needs none. */
static rc_status_t add_transpose(const rc_plan_t *plan, json_t *root, rc_err_t *err)
{
    json_t *other = NULL;
    if (!plan->both)
        return RC_OK;
    RC_PASS(plan->transpose ? one_json(plan->transpose, &other, err) : RC_OK);
    return json_object_set_new(root, TRANSPOSE, other ? other : json_null()) == 0
               ? RC_OK
               : rc_fail(err, RC_ENOMEM, "no memory for the file of a plan");
}

rc_status_t rc_plan_save(const rc_plan_t *plan, const char *path, rc_err_t *err)
{
    json_t *root = NULL;
    if (!plan || !path)
        return rc_fail(err, RC_EINVAL, "%s: expected one, found NULL", plan ? "path" : "plan");
    RC_PASS(one_json(plan, &root, err));
    rc_status_t st = add_transpose(plan, root, err);
    if (st == RC_OK)
        st = write_json(root, path, err);
    json_decref(root);
    return st;
}

/* --------------------------------------------------------------------- load */

/* A text member that must be what the caller has. */
static rc_status_t same_text(
    const json_t *object, const char *path, const char *key, const char *expected, rc_err_t *err)
{
    char found[160];
    rc_status_t st = rc_member_text(object, path, key, found, sizeof found, err);
    if (st < 0 || strcmp(found, expected) == 0)
        return st;
    return rc_fail(err, RC_EINVAL, "%s%s%s: expected %s, found %s", path, *path ? "." : "", key,
        expected, found);
}

/* A file that does not say it has that of the other operands. */
static rc_status_t check_out(const json_t *root, const rc_plan_t *plan, rc_err_t *err)
{
    if (json_object_get(root, "output"))
        return same_text(root, "", "output", out_of(plan), err);
    return plan->out_sums ? rc_fail(err, RC_EINVAL, "output: expected %s, found %s", out_of(plan),
                                rc_precision_name(plan->precision))
                          : RC_OK;
}

static rc_status_t check_head(const json_t *root, const rc_plan_t *plan, rc_err_t *err)
{
    char hex[RC_DIGEST_HEX + 1];
    char found[160];
    const json_t *matrix;
    char format[32];
    int32_t version;
    RC_PASS(pattern_hex(plan, hex, err));
    RC_PASS(rc_member_text(root, "", "format", format, sizeof format, err));
    if (strcmp(format, PLAN_FORMAT) != 0)
        return rc_fail(err, RC_EFORMAT, "format: expected %s, found %s", PLAN_FORMAT, format);
    RC_PASS(rc_member_int(root, "", "version", 1, INT32_MAX, &version, err));
    if (version > PLAN_VERSION)
        return rc_fail(err, RC_ENOTSUP, "version: expected %d at most, found %d", (int)PLAN_VERSION,
            (int)version);
    RC_PASS(same_text(root, "", "operation", rc_op_name(plan->op), err));
    RC_PASS(same_text(root, "", "precision", rc_precision_name(plan->precision), err));
    RC_PASS(check_out(root, plan, err));
    RC_PASS(same_text(root, "", "layout", rc_layout_name(plan->layout), err));
    if (json_object_get(root, "device") && plan->device_class[0])
        RC_PASS(same_text(root, "", "device", plan->device_class, err));
    RC_PASS(rc_member_object(root, "", "matrix", &matrix, err));
    RC_PASS(rc_member_text(matrix, "matrix", "pattern", found, sizeof found, err));
    return strcmp(found, hex) == 0
               ? RC_OK
               : rc_fail(err, RC_EINVAL,
                     "matrix.pattern: expected that of this matrix, found another one's");
}

/* \param[out] order  its schedule; without a list of rows the original order */
static rc_status_t read_rows(
    const json_t *rows, rc_plan_t *plan, const char *path, rc_plan_order_t *order, rc_err_t *err)
{
    rc_schedule_t *out = &order->schedule;
    int64_t slots = (int64_t)json_array_size(rows);
    int64_t listed = 0;
    order->identity = json_is_null(rows);
    *out = (rc_schedule_t){.slots = plan->a.rows, .rows = plan->a.rows};
    if (order->identity)
        return RC_OK;
    if (!json_is_array(rows))
        return rc_member_wrong(rows, path, "rows", "an array of rows or null", err);
    rc_status_t st = rc_schedule_alloc(slots, plan->a.rows, out, err);
    for (int64_t p = 0; st == RC_OK && p < slots; p++) {
        const json_t *row = json_array_get(rows, (size_t)p);
        json_int_t v = json_integer_value(row);
        if (!json_is_integer(row) || v < -1 || v >= plan->a.rows)
            st = rc_member_wrong(row, path, "rows", "rows of the matrix or -1", err);
        else
            out->row[p] = (int32_t)v;
        listed += v >= 0;
    }
    if (st == RC_OK && listed < plan->a.rows) /* those that are not must be empty */
        st = rc_plan_pattern_here(plan, err);
    if (st == RC_OK && rc_schedule_fits(out, &plan->a, err) < 0)
        st = rc_fail(err, RC_EFORMAT, "%s.rows: no order of this matrix", path);
    if (st < 0)
        rc_schedule_free(out);
    return st;
}

static rc_status_t read_order(const json_t *o, int index, rc_plan_t *plan, rc_err_t *err)
{
    char path[32];
    rc_plan_order_t read = {.ns = 0};
    const json_t *geometry;
    int32_t g[GEOMETRY];
    int at;
    (void)snprintf(path, sizeof path, "orders[%d]", index);
    RC_PASS(rc_member_text(o, path, "order", read.text, sizeof read.text, err));
    RC_PASS(rc_member_array(o, path, "geometry", GEOMETRY, GEOMETRY, &geometry, err));
    for (int i = 0; i < GEOMETRY; i++) {
        const json_t *v = json_array_get(geometry, (size_t)i);
        json_int_t n = json_integer_value(v);
        if (n < 1 || n > UINT16_MAX + 1)
            return rc_member_wrong(v, path, "geometry", "numbers of 1 to 65536", err);
        g[i] = (int32_t)n;
    }
    RC_PASS(read_rows(json_object_get(o, "rows"), plan, path, &read, err));
    read.geometry = (rc_geometry_t){g[0], g[1], g[2]};
    return rc_plan_order_add(plan, &read, &at, err);
}

/* The part of a K. */
static const json_t *part_of(const json_t *parts, int64_t k)
{
    size_t i;
    const json_t *p;
    json_array_foreach(parts, i, p) if (json_integer_value(json_object_get(p, "k")) == k) return p;
    return NULL;
}

/* Its time, and how sure that is; files of before do not say the latter. */
static rc_status_t read_time(const json_t *p, rc_plan_entry_t *e, rc_err_t *err)
{
    const json_t *time = json_object_get(p, "time_ns");
    const json_t *error = json_object_get(p, "error");
    e->candidate->time_ns = json_is_number(time) ? json_number_value(time) : NAN;
    e->uncertain = json_is_true(json_object_get(p, "uncertain"));
    e->timing = rc_alloc0(1, sizeof *e->timing, "the time of a plan", err);
    RC_PASS(e->timing ? RC_OK : RC_ENOMEM);
    e->timing->batch = json_is_number(error);
    e->timing->rel_err = json_number_value(error);
    return RC_OK;
}

static rc_status_t read_part(const json_t *p, rc_plan_t *plan, rc_plan_entry_t *e, rc_err_t *err)
{
    rc_kernel_spec_t spec;
    int32_t version;
    rc_plan_candidate_t *c = rc_alloc0(1, sizeof *c, "a candidate", err);
    rc_plan_scratch_t scratch = {0};
    RC_PASS(c ? RC_OK : RC_ENOMEM);
    e->candidate = c;
    e->part.candidates = 1;
    e->part.why = RC_PLAN_LOADED;
    e->part.candidate = c;
    c->predicted_ns = c->predicted_setup_ns = c->order_ns = c->prepare_ns = NAN;
    rc_status_t st;
    RC_TRY(read_time(p, e, err));
    RC_TRY(rc_member_text(p, "parts", "kernel", c->kernel, sizeof c->kernel, err));
    RC_TRY(rc_member_text(p, "parts", "order", c->order, sizeof c->order, err));
    RC_TRY(rc_member_int(p, "parts", "kernel_version", 1, INT32_MAX, &version, err));
    if (rc_kernel_spec_parse(c->kernel, plan->place.x->kind, &spec, err) < 0)
        return rc_fail(err, RC_ENOTSUP, "parts.kernel: this program has no %s", c->kernel);
    if (spec.kernel->version != version)
        return rc_fail(err, RC_ENOTSUP, "parts.kernel_version: expected %d of %s, found %d",
            spec.kernel->version, c->kernel, (int)version);
    const rc_plan_try_t what = {.k = e->part.k, .scratch = &scratch, .candidate = c};
    RC_TRY(rc_plan_trial_prepare(plan, &what, &e->trial, err));
    if (!e->trial.state)
        st = rc_fail(err, c->status, "%s with order %s: %s", c->kernel, c->order, c->text);
done:
    rc_plan_scratch_free(plan, &scratch);
    rc_plan_resident_drop(plan);
    return st;
}

/* A file that does not say it takes values as they are. */
static rc_status_t read_values(const json_t *root, rc_plan_t *plan, rc_err_t *err)
{
    if (!json_object_get(root, "values"))
        return RC_OK;
    plan->conjugates = rc_type(plan->precision)->parts > 1;
    return same_text(root, "", "values", CONJUGATED, err);
}

static rc_status_t read_plan(const json_t *root, rc_plan_t *plan, rc_err_t *err)
{
    const json_t *orders;
    const json_t *parts;
    RC_PASS(check_head(root, plan, err));
    RC_PASS(read_values(root, plan, err));
    if (json_object_get(root, LOAD))
        RC_PASS(rc_member_text(root, "", LOAD, plan->company, sizeof plan->company, err));
    RC_PASS(rc_member_array(root, "", "orders", 0, INT32_MAX, &orders, err));
    RC_PASS(rc_member_array(root, "", "parts", 1, INT32_MAX, &parts, err));
    for (size_t i = 0; i < json_array_size(orders); i++)
        RC_PASS(read_order(json_array_get(orders, i), (int)i, plan, err));
    for (int i = 0; i < plan->entries; i++) {
        const json_t *p = part_of(parts, plan->entry[i].part.k);
        if (!p)
            return rc_fail(err, RC_EINVAL, "parts: expected K = %" PRId64 ", found none",
                plan->entry[i].part.k);
        RC_PASS(read_part(p, plan, &plan->entry[i], err));
    }
    return RC_OK;
}

static rc_status_t read_json(const char *path, json_t **out, rc_err_t *err)
{
    json_error_t why;
    FILE *f;
    RC_PASS(rc_open_given(path, &f, err));
    *out = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    int failed = ferror(f);
    fclose(f);
    if (failed)
        return rc_fail(err, RC_EIO, "%s: cannot be read", path);
    return *out ? RC_OK
                : rc_fail(err, RC_EFORMAT, "%s:%d:%d: %s", path, why.line, why.column, why.text);
}

/* Of one product. */
static rc_status_t open_one(
    const json_t *root, const rc_plan_request_t *r, rc_plan_t **out, rc_err_t *err)
{
    rc_plan_t *plan = NULL;
    RC_PASS(rc_plan_begin(&r->place, &r->problem, &r->a, 0, &plan, err));
    rc_status_t st = read_plan(root, plan, err);
    if (st == RC_OK)
        st = rc_plan_settle(plan, err);
    if (st == RC_OK)
        *out = plan;
    else
        rc_plan_free(plan);
    return st;
}

/* \param[in] other  of the file: an object or null */
static rc_status_t open_both(const json_t *root, const json_t *other, const rc_plan_request_t *r,
    rc_plan_t **out, rc_err_t *err)
{
    rc_plan_request_t of[2];
    rc_plan_t *plan = NULL;
    rc_plan_t *transpose = NULL;
    if (!json_is_object(other) && !json_is_null(other))
        return rc_member_wrong(other, "", TRANSPOSE, "an object or null", err);
    RC_PASS(rc_plan_both_of(r, of, err));
    RC_PASS(open_one(root, &of[0], &plan, err));
    rc_status_t st = json_is_null(other) ? RC_OK : open_one(other, &of[1], &transpose, err);
    if (st < 0) {
        rc_plan_free(plan);
        return rc_err_context(err, TRANSPOSE);
    }
    rc_plan_both_join(plan, transpose);
    *out = plan;
    return RC_OK;
}

static int serves_both(const rc_plan_t *plan)
{
    int both = 1;
    for (int i = 0; i < plan->entries; i++)
        both &= plan->entry[i].trial.spec.kernel->twin != NULL;
    return both;
}

/* Whether a plan of a file has what a caller asks for: a program is not to find out by a product.
 * \param[in] asked  bits of rc_plan_options_t.transposed */
static rc_status_t check_asked(const rc_plan_t *plan, int asked, rc_err_t *err)
{
    static const char *const values[] = {"as they are", CONJUGATED};
    static const char *const other[] = {"A'", "A^H"};
    const int is_complex = rc_type(plan->precision)->parts > 1;
    const int conjugates = is_complex && asked & RC_PLAN_CONJUGATED;
    const int adjoint = is_complex && asked & RC_PLAN_ADJOINT;
    if (conjugates != plan->conjugates)
        return rc_fail(err, RC_EINVAL, "values: expected %s, found %s", values[conjugates],
            values[plan->conjugates]);
    if (!(asked & ~RC_PLAN_CONJUGATED) || (!plan->transpose && !adjoint && serves_both(plan)))
        return RC_OK;
    if (!plan->transpose)
        return rc_fail(
            err, RC_EINVAL, TRANSPOSE ": expected a plan for %s, too, found none", other[adjoint]);
    return adjoint == plan->adjoint ? RC_OK
                                    : rc_fail(err, RC_EINVAL, TRANSPOSE ": expected %s, found %s",
                                          other[adjoint], other[plan->adjoint]);
}

static rc_status_t open_json(
    const json_t *root, const rc_plan_request_t *r, int asked, rc_plan_t **out, rc_err_t *err)
{
    const json_t *other = json_object_get(root, TRANSPOSE);
    rc_plan_t *plan = NULL;
    RC_PASS(other ? open_both(root, other, r, &plan, err) : open_one(root, r, &plan, err));
    const rc_status_t st = check_asked(plan, asked, err);
    if (st == RC_OK)
        *out = plan;
    else
        rc_plan_free(plan);
    return st;
}

rc_status_t rc_plan_open(const rc_plan_file_t *file, const rc_plan_place_t *place,
    const rc_plan_problem_t *problem, const rc_plan_matrix_t *a, rc_plan_t **out, rc_err_t *err)
{
    json_t *root = NULL;
    rc_status_t st;
    *out = NULL;
    if (!problem || !a)
        return rc_fail(
            err, RC_EINVAL, "%s: expected one, found NULL", problem ? "matrix" : "problem");
    RC_PASS(rc_plan_turn_check(file->transposed, err));
    RC_PASS(read_json(file->path, &root, err));
    const rc_plan_request_t r = {*place, *problem, *a};
    st = open_json(root, &r, file->transposed, out, err);
    if (st < 0)
        rc_err_context(err, "%s", file->path);
    json_decref(root);
    return st;
}
